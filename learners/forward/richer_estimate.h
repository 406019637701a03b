/* The estimate through richer features than those of the examples: random Fourier features, through
 * which the matrix itself may be found anew, and Nystrom features of an RBF kernel, for the
 * probabilities. */
#ifndef LEARNERS_FORWARD_RICHER_ESTIMATE_H
#define LEARNERS_FORWARD_RICHER_ESTIMATE_H

#include "learners/forward/confusion_estimate.h"

/* The estimate through options->features random features, from the matrix in e on.  e: in; out, the
 * likelier of the two.  Lambda and steps stay those of the examples as they are, fitted through the
 * new matrix; what is doubtful by either is doubtful.  0 or -1. */
int estimate_try_features(const struct problem *problem, const int32_t *y,
                          const struct labels *labels, const struct estimate_options *options,
                          struct estimate *e, struct error *err);

/* Is a map to be tried?  Not by itself where the features are so many that fits stop early: there a
 * linear model does not misfit (measured on r8, r52 and amazon_domain), or where only one feature
 * could be made. */
bool estimate_wants_map(const struct estimate_options *options, const struct problem *problem);

/* The number of features of the map, for n examples. */
int64_t estimate_map_dims(const struct estimate_options *options, int64_t n);

/* The probabilities through a map, by the matrix in e or, where that is doubtful and was not given
 * (known), by one that is estimated through the map if that makes the labels likelier.  e: in; out,
 * what it was unless the map makes the labels likelier or is asked for.  0 or -1. */
int estimate_try_map(const struct problem *problem, const int32_t *y, const struct labels *labels,
                     bool known, const struct estimate_options *options, struct estimate *e,
                     struct error *err);

/* Free e->map and e->mapped, if there are any. */
void estimate_drop_map(struct estimate *e);

#endif
