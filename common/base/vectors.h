/* Code for the widest vectors that the processor has, chosen at run time.
 *
 * A function whose loops profit from wide vectors is defined as
 *
 *     WIDEST_VECTORS(void, subtract, (int64_t n, const double *x, double *y), (n, x, y))
 *     {
 *         ...
 *     }
 *
 * that is, static void subtract(int64_t n, const double *x, double *y), with the names of its
 * parameters given once more.  On x86-64 the body is compiled for registers of eight, four and two
 * doubles, and each call takes the widest that the processor has: a load and a test, which work
 * with any libc.  (The dynamic linker could choose once, through ifunc; but musl has no ifunc, and
 * sanitizers start after it.)  On other processors it is a plain function.
 *
 * The numbers are the same for every width as long as the code fixes the order of each sum (each
 * column is a sum of its own, say), and -ffp-contract=off rules out fused operations. */
#ifndef COMMON_BASE_VECTORS_H
#define COMMON_BASE_VECTORS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
    #define WIDEST_VECTORS(type, name, parameters, arguments)                     \
        static inline __attribute__((always_inline)) type name##_body parameters; \
        static __attribute__((target("avx512f"))) type name##_avx512f parameters  \
        {                                                                         \
            VECTORS_RETURN_##type name##_body arguments;                          \
        }                                                                         \
        static __attribute__((target("avx2"))) type name##_avx2 parameters        \
        {                                                                         \
            VECTORS_RETURN_##type name##_body arguments;                          \
        }                                                                         \
        static type name##_default parameters                                     \
        {                                                                         \
            VECTORS_RETURN_##type name##_body arguments;                          \
        }                                                                         \
        static type name parameters                                               \
        {                                                                         \
            if (__builtin_cpu_supports("avx512f"))                                \
                VECTORS_RETURN_##type name##_avx512f arguments;                   \
            else if (__builtin_cpu_supports("avx2"))                              \
                VECTORS_RETURN_##type name##_avx2 arguments;                      \
            else                                                                  \
                VECTORS_RETURN_##type name##_default arguments;                   \
        }                                                                         \
        static inline __attribute__((always_inline)) type name##_body parameters
    /* ISO C has no `return f();` where f returns nothing. */
    #define VECTORS_RETURN_void
    #define VECTORS_RETURN_double return
#else
    #define WIDEST_VECTORS(type, name, parameters, arguments) static type name parameters
#endif

/* Four and eight doubles, at any address.  Where the processor has no registers of eight, gcc 12
 * keeps a vector8 that lives through a loop in memory, which was measured to take up to nine times
 * longer; where it has them, two vector4 are a few percent slower than one vector8.  So the sums
 * that many learners wait for use vector4. */
typedef double vector4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef double vector8 __attribute__((vector_size(64), aligned(8), may_alias));

/* The sums of four and of eight numbers, in a fixed order. */
static inline double vector4_sum(const vector4 *v)
{
    return ((*v)[0] + (*v)[1]) + ((*v)[2] + (*v)[3]);
}

static inline double vector8_sum(const vector8 *v)
{
    return (((*v)[0] + (*v)[1]) + ((*v)[2] + (*v)[3]))
           + (((*v)[4] + (*v)[5]) + ((*v)[6] + (*v)[7]));
}

/* condition ? yes : no, by bits.  Of the plain form gcc 12 makes branches, and does not vectorise a
 * loop with branches: measured, an exponential takes 12 ns in place of 3. */
static inline double vectors_select(bool condition, double yes, double no)
{
    const uint64_t mask = 0 - (uint64_t)condition;
    uint64_t a, b;
    memcpy(&a, &yes, sizeof a);
    memcpy(&b, &no, sizeof b);
    a = (a & mask) | (b & ~mask);
    memcpy(&yes, &a, sizeof yes);
    return yes;
}

/* Ask for a cache line early: rows chosen by an index are scattered in memory. */
#if defined(__GNUC__)
    #define PREFETCH(address) __builtin_prefetch(address)
#else
    #define PREFETCH(address) ((void)(address))
#endif

#endif
