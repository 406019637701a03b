/* Wide vectors where the processor has them.
 *
 * A function whose loops gain from wide vectors is defined as
 *
 *     WIDEST_VECTORS(void, subtract, (int64_t n, const double *x, double *y), (n, x, y))
 *     {
 *         ...
 *     }
 *
 * that is static void subtract(int64_t n, const double *x, double *y), its parameters named once
 * more.  On x86-64 the body is compiled for registers of eight, of four and of two doubles, and
 * each call takes the widest that the processor has: a load and a test, which any libc can do.
 * (The dynamic linker could choose once, through ifunc, but musl has none, and sanitizers start
 * after it.)  Elsewhere it is a plain function.
 *
 * The numbers are the same for every width as long as each sum is a sequence of its own (a column,
 * say): -ffp-contract=off sees to the rest. */
#ifndef COMMON_BASE_VECTORS_H
#define COMMON_BASE_VECTORS_H

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

/* Neighbours in memory, wherever they start.  Where the processor has no registers of eight, gcc 12
 * keeps a vector8 that lives through a loop in memory, which takes up to nine times longer; where
 * it has them, two of four are a few percent slower than one of eight.  So sums that many learners
 * wait for are of four. */
typedef double vector4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef double vector8 __attribute__((vector_size(64), aligned(8), may_alias));

static inline double vector8_sum(const vector8 *v)
{
    return (((*v)[0] + (*v)[1]) + ((*v)[2] + (*v)[3]))
           + (((*v)[4] + (*v)[5]) + ((*v)[6] + (*v)[7]));
}

/* Rows that are chosen by an index come from far away in memory: ask for one early. */
#if defined(__GNUC__)
    #define PREFETCH(address) __builtin_prefetch(address)
#else
    #define PREFETCH(address) ((void)(address))
#endif

#endif
