/* What is estimated from noisy labels, whether the matrix is known or not; and the same for a file,
 * for the tools that want nothing else. */
#ifndef LEARNERS_FORWARD_NOISY_FILE_H
#define LEARNERS_FORWARD_NOISY_FILE_H

#include "learners/forward/confusion_estimate.h"

/* Estimate from held data, with their matrix `known` (K x K), or with one that is estimated too
 * (NULL).
 *
 * y          classes of the examples
 * options    features < 0: as estimate_usual_features says
 * estimate   out; free with estimate_free.  0, or -1 with err: what it takes does not fit, say. */
int noisy_labels_estimate(const struct problem *problem, const int32_t *y,
                          const struct labels *labels, const double *known,
                          const struct estimate_options *options, struct estimate *estimate,
                          struct error *err);

struct noisy_file {
    struct problem problem;
    struct labels labels; /* the user's (set before), or the matrix's, or those of the data */
    int32_t *y;
    struct estimate estimate;
};

/* Read and estimate.
 *
 * path       "-": standard input
 * confusion  -c: a file, `identity` or `estimate`
 * file       out, zero before but for labels; free with noisy_file_free.  0, or -1 with err. */
int noisy_file_estimate(const char *path, const struct example_format *format,
                        const char *confusion, const struct estimate_options *options,
                        struct noisy_file *file, struct error *err);

void noisy_file_free(struct noisy_file *file);

#endif
