/* A file with noisy labels and what is estimated from it: for the tools that want nothing else. */
#ifndef LEARNERS_FORWARD_NOISY_FILE_H
#define LEARNERS_FORWARD_NOISY_FILE_H

#include "learners/forward/confusion_estimate.h"

struct noisy_file {
    struct problem problem;
    struct labels labels; /* the user's (set before), or the matrix's, or those of the data */
    int32_t *y;
    struct estimate estimate;
};

/* Read and estimate.
 *
 * path       "-": standard input
 * confusion  the file of the matrix; NULL: it is estimated, too
 * options    features < 0: as estimate_usual_features says
 * file       out, zero before but for labels; free with noisy_file_free.  0, or -1 with err. */
int noisy_file_estimate(const char *path, const struct example_format *format,
                        const char *confusion, const struct estimate_options *options,
                        struct noisy_file *file, struct error *err);

void noisy_file_free(struct noisy_file *file);

#endif
