/* What the promise of equal bytes rests on: doubles are IEEE's, and every operation on them is
 * rounded to a double.  Where they are kept in wider registers meanwhile (the 387's, which is what
 * compilers take for 32-bit x86 unless they are told otherwise), nothing is built. */
#ifndef COMMON_BASE_ARITHMETIC_H
#define COMMON_BASE_ARITHMETIC_H

#include <float.h>

#if FLT_RADIX != 2 || DBL_MANT_DIG != 53 || DBL_MAX_EXP != 1024
    #error "LIBDOUBT needs IEEE doubles of 64 bits"
#endif
/* 1, float as double, leaves doubles as they are. */
#if FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 1
    #error "doubles are not evaluated as doubles: on 32-bit x86, CFLAGS='-O3 -msse2 -mfpmath=sse'"
#endif

#endif
