/* The estimate of confusion_estimate.h for a file, for tools. */
#ifndef LEARNERS_ESTIMATE_NOISY_FILE_H
#define LEARNERS_ESTIMATE_NOISY_FILE_H

#include "common/data/feature_numbers.h"
#include "common/model/confusion.h"
#include "learners/estimate/confusion_estimate.h"

struct noisy_file {
    struct problem problem;
    struct feature_numbers numbers; /* of its features */
    struct labels labels; /* those given (set before the call), or of the matrix, or of the data */
    int32_t *y;           /* n: classes */
    int64_t unseen;       /* classes without a count in the file of the matrix */
    struct estimate estimate;
};

/* Its examples, borrowed. */
static inline struct labelled noisy_file_examples(const struct noisy_file *file)
{
    return (struct labelled){.problem = &file->problem, .y = file->y, .labels = &file->labels};
}

/* file->labels, file->y and file->unseen, once file->problem is read.
 *
 * labels_source  where file->labels come from if they are set already, for a message
 * C              out, zero before: the matrix, where `confusion` is not `estimate`
 * 0 or -1. */
int noisy_file_classes(const char *path, const char *confusion, const char *labels_source,
                       struct confusion *C, struct noisy_file *file, struct error *err);

/* Number the features that occur anew (number_features.h), once file->problem is read.  0, or -1
 * with err: no example of any rank has a feature, and then nothing can tell a wrong label. */
int noisy_file_number(struct noisy_file *file, struct error *err);

/* Read a file and estimate.
 *
 * path       "-": standard input
 * confusion  of the option -c: a file, `identity` or `estimate`
 * file       out, zero before but for labels; free with noisy_file_free, also after an error
 * Several ranks (reduce.h) read and estimate together, and each gets the examples of all, in their
 * order but without entries; lines of shards are counted through all of them.
 * 0, or -1 with err. */
int noisy_file_estimate(const char *path, const struct example_format *format,
                        const char *confusion, const struct estimate_options *options,
                        struct noisy_file *file, struct error *err);

void noisy_file_free(struct noisy_file *file);

#endif
