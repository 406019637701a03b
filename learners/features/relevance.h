/* How much a function on the features of a kernel changes along each feature of the data, and how
 * much these vary: factors, or a metric, for a kernel of features that are not alike.
 *
 *     f_k(x) = sum_m V_mk exp(-gamma |z_m - x|^2),  z_m the landmarks, m = 1 .. D
 *     M_ij = sum over x, k of (d f_k / d x_i) (d f_k / d x_j),  relevance_j = sqrt(M_jj)
 *
 * M is what Radhakrishnan, Beaglehole, Pandit and Belkin call the average gradient outer product
 * (Mechanism for feature learning in neural networks and backpropagation-free machine learning
 * models, 2024).  A kernel on x_j relevance_j looks closely where the function changes, and
 * overlooks features on which it does not depend; by the metric M it overlooks directions, too,
 * such as what two features have in common where their difference tells.  Along a feature
 * whose values are further apart than the kernel reaches, derivatives at the examples are 0
 * whatever it tells: they are to be judged on held-out examples. */
#ifndef LEARNERS_FEATURES_RELEVANCE_H
#define LEARNERS_FEATURES_RELEVANCE_H

#include "common/kernel/feature_map.h"

/* Can relevances be computed: a prepared map of landmarks that are not sparse? */
bool relevance_exists(const struct feature_map *map);

/* map        relevance_exists; its own metric, if it has one, of factors
 * some       examples, n of them
 * v          D x K: V, as feature_map_fold makes it
 * d          features, no less than the map and the examples have
 * relevance  out: d, of features 1 .. d; the largest is 1, or all are 0 where f is constant or
 *            too large
 * product    out: d x d: M, its largest diagonal 1, or 0; only the lower triangle.  NULL: not
 *            wanted
 * O(n K D d), and O(n K d^2) for M.  Same numbers for any number of threads.  0, or -1 with err. */
int relevance_of_features(struct feature_map *map, const struct problem *some, const double *v,
                          int64_t K, int64_t d, int threads, double *relevance, double *product,
                          struct error *err);

/* Bytes that relevance_of_features takes beside what it returns. */
double relevance_bytes(int64_t n, int64_t dims, int64_t d);

/* 1 over the standard deviation of each feature; 0 where it is mere rounding.  scale: out: d.  0 or
 * -1 (memory). */
int relevance_unit_deviations(const struct problem *problem, int64_t d, double *scale,
                              struct error *err);

#endif
