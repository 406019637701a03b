/* Sums over long vectors, in a fixed order: the same numbers for any width of the processor's
 * registers. */
#ifndef COMMON_LINALG_VECTOR_H
#define COMMON_LINALG_VECTOR_H

#include <stdint.h>

/* a'b */
double vector_dot(int64_t n, const double *a, const double *b);
double vector_dot_single(int64_t n, const double *a, const float *b);

/* The largest |factor a - b|. */
double vector_largest(int64_t n, double factor, const float *a, const double *b);

/* to += factor a */
void vector_add(int64_t n, double factor, const double *restrict a, double *restrict to);
void vector_add_single(int64_t n, double factor, const float *restrict a, double *restrict to);

#endif
