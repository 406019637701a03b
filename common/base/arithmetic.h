/* What identical bytes on every machine rest on: doubles are IEEE's, and every operation is rounded
 * to a double.  Where intermediate results live in wider registers (the 387's, the default for
 * 32-bit x86), the build stops here. */
#ifndef COMMON_BASE_ARITHMETIC_H
#define COMMON_BASE_ARITHMETIC_H

#include <float.h>

#if FLT_RADIX != 2 || DBL_MANT_DIG != 53 || DBL_MAX_EXP != 1024
    #error "LIBDOUBT needs IEEE doubles of 64 bits"
#endif
/* 1 means that floats are evaluated as doubles; doubles stay what they are. */
#if FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 1
    #error "doubles are not evaluated as doubles: on 32-bit x86, CFLAGS='-O3 -msse2 -mfpmath=sse'"
#endif

#endif
