/* Wide vectors where the processor has them.
 *
 * Where the system can choose among several machine codes of one function at load time, a function marked WIDEST_VECTORS uses the widest.
 * The numbers are the same for every width as long as each sum is a sequence of its own (a column, say): -ffp-contract=off sees to the rest. */
#ifndef COMMON_VECTORS_H
#define COMMON_VECTORS_H

#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) \
    && !defined(__SANITIZE_THREAD__)
#define WIDEST_VECTORS __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define WIDEST_VECTORS
#endif

/* Neighbours in memory, wherever they start.  Where the processor has no registers of eight, gcc 12 keeps a vector8 that lives through a loop in memory, which
 * takes up to nine times longer; where it has them, two of four are a few percent slower than one of eight.  So sums that many learners wait for are of four. */
typedef double vector4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef double vector8 __attribute__((vector_size(64), aligned(8), may_alias));

static inline double vector8_sum(const vector8 *v)
{
    return (((*v)[0] + (*v)[1]) + ((*v)[2] + (*v)[3])) + (((*v)[4] + (*v)[5]) + ((*v)[6] + (*v)[7]));
}

/* Rows that are chosen by an index come from far away in memory: ask for one early. */
#if defined(__GNUC__)
#define PREFETCH(address) __builtin_prefetch(address)
#else
#define PREFETCH(address) ((void)(address))
#endif

#endif
