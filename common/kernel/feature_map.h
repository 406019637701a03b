/* Features whose inner products are a kernel's values, exp(-gamma |u - v|^2), or nearly so: with
 * them a linear learner learns what a kernel machine would.
 *
 *     nystrom   phi(x) = R^-1 k_m(x): D landmarks z_1 .. z_D are drawn from the data,
 *               k_m(x)_j = k(z_j, x), and R R' = K_mm + 1e-4 I (Cholesky).  phi(u).phi(v) = k(u, v)
 *               for landmarks, but for the 1e-4 (Williams and Seeger 2001)
 *     fourier   phi_j(x) = sqrt(2/D) cos(a_j.x + b_j), a_j normal with variance 2 gamma, b_j
 *               uniform in [0, 2 pi) (Rahimi and Recht 2007).  Nothing is taken from the data: for
 *               streams
 *
 * For nystrom the kernel may look at the features by factors or a metric (feature_metric.h).
 *
 * Everything is summed in one order, in double precision: the same bits for any number of threads,
 * and whatever other examples an example is mapped with.
 *
 * A map is used in these steps: feature_map_make; for nystrom, or without a gamma, feature_map_fit;
 * feature_map_prepare; then any function that maps, on several threads at once. */
#ifndef COMMON_KERNEL_FEATURE_MAP_H
#define COMMON_KERNEL_FEATURE_MAP_H

#include "common/base/error.h"
#include "common/base/number.h"
#include "common/data/problem.h"
#include "common/kernel/feature_metric.h"
#include "common/kernel/kernel.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum feature_map_kind { FEATURE_MAP_NONE, FEATURE_MAP_NYSTROM, FEATURE_MAP_FOURIER };
extern const char *const feature_map_names[]; /* in that order, NULL-terminated */

enum {
    FEATURE_MAP_USUAL_DIMS = 1000, /* more pays where many classes share few features */

    /* R has D x D numbers and takes D^3/3 products: 800 MB and half a minute.  More must not be
     * asked for by a model file of so many short lines. */
    FEATURE_MAP_MOST_LANDMARKS = 10000,
    FEATURE_MAP_MOST_DIMS = 1000000
};

/* A result other than 0 and -1, of the functions that say so, with err: the data have no such
 * features, as all examples are the same or values are too large. */
enum { FEATURE_MAP_UNFIT = 1 };

/* The range of gamma: that of numbers on a command line. */
#define FEATURE_MAP_LEAST_GAMMA NUMBER_ABOVE_0
#define FEATURE_MAP_MOST_GAMMA 1e300

struct feature_map {
    struct example_map base; /* first: a pointer to it is one to the map (feature_map_of) */
    int64_t kind;            /* enum feature_map_kind */
    int64_t dims;            /* D; 0: feature_map_fit chooses */
    double gamma;            /* > 0; 0: feature_map_fit chooses */
    int64_t seed;            /* of fourier; of the choice of landmarks */

    struct feature_metric metric; /* of nystrom */
    struct problem landmarks;     /* nystrom: D, as the kernel sees them, without labels and without
                                     a bias */
    struct kernel_data data;      /* of them */
    double *factor;               /* D x D: R in the lower triangle */
    double *phase;                /* fourier: D: b */

    /* Numbers of feature i for all j = 1 .. D, at [i * stride + j]: those of the landmarks (NULL
     * where they are sparse), or of a_j, which depend on the seed and i only: then a row for each
     * feature that has occurred.  Row 0: the bias. */
    double *table;
    int64_t rows, stride, capacity;
    pthread_rwlock_t lock; /* of fourier's table, which grows while threads map */
    bool has_lock;         /* the map has been prepared */
};

/* A map that nothing is known of yet but this.  dims, gamma: 0 where they are to be chosen. */
struct feature_map feature_map_make(int64_t kind, int64_t dims, double gamma, int64_t seed);

static inline struct feature_map *feature_map_of(struct example_map *base)
{
    return (struct feature_map *)(void *)base;
}

/* Give a copy of this metric to a nystrom map that has none and is not prepared.  Landmarks that it
 * has already count as seen by it.  0, or -1 with err: memory. */
int feature_map_look(struct feature_map *map, const struct feature_metric *metric,
                     struct error *err);

/* Must the map see data (feature_map_fit) before it can be prepared? */
bool feature_map_needs_data(const struct feature_map *map);

/* Choose what is still open: dims (min(n/2, 1000); nystrom has at most n), gamma (1 / sum_j var
 * x_j, of the features as the kernel sees them), the landmarks.  0, FEATURE_MAP_UNFIT, or -1 with
 * err: memory. */
int feature_map_fit(struct feature_map *map, const struct problem *data, struct error *err);

/* Bytes that a fitted map takes for data with d features, with the workspace of `threads`. */
double feature_map_bytes(const struct feature_map *map, int64_t d, int threads);

/* The features of data for which it takes so many bytes. */
int64_t feature_map_most_features(const struct feature_map *map, double bytes);

/* Bytes of n examples in feature_map_problem. */
double feature_map_problem_bytes(const struct feature_map *map, int64_t n, bool log);

/* Compute what mapping needs (R).  0, FEATURE_MAP_UNFIT, or -1 with err: memory. */
int feature_map_prepare(struct feature_map *map, int threads, struct error *err);

/* phi of some examples, on one thread.  phi: out, n x D.  0, or -1 with err: memory, or (with its
 * line) an example whose values are too large. */
int feature_map_rows(struct feature_map *map, const struct problem *some, double *phi,
                     struct error *err);

/* The same of all examples of a problem, rounded to floats.  table: out, n x D.  0 or -1. */
int feature_map_table(struct feature_map *map, const struct problem *problem, float *table,
                      int threads, struct error *err);

/* The same as a problem of D features, and a bias as feature D + 1 (index 0) unless it is negative;
 * labels, lines and feedback are kept.  mapped: out; what it had is dropped, its memory is used.
 * 0 or -1. */
int feature_map_problem(struct feature_map *map, const struct problem *problem, double bias,
                        int threads, struct problem *mapped, struct error *err);

/* ---- prediction ---- */

/* A linear function of phi is one of something that is cheaper: phi = R^-1 k_m(x), so W'phi = V'k_m
 * with R' V = W.  For fourier this is phi itself.
 *
 * feature_map_fold turns W into V, in place: D x columns.  feature_map_basis is to k_m what
 * feature_map_rows is to phi.  0, or -1 with err. */
int feature_map_fold(const struct feature_map *map, int64_t columns, double *w, int threads,
                     struct error *err);
int feature_map_basis(struct feature_map *map, const struct problem *some, double *basis,
                      struct error *err);

/* Do two maps, prepared or not, give the same features? */
bool feature_map_equal(const struct feature_map *a, const struct feature_map *b);

/* What a report says of a map; NULL: nothing. */
struct report;
void feature_map_report(const struct feature_map *map, struct report *report);

void feature_map_free(struct feature_map *map);

#endif
