/* The estimate of confusion_estimate.h for a file, for tools. */
#ifndef LEARNERS_ESTIMATE_NOISY_FILE_H
#define LEARNERS_ESTIMATE_NOISY_FILE_H

#include "common/base/findings.h"
#include "common/data/feature_numbers.h"
#include "common/model/confusion.h"
#include "learners/estimate/confusion_estimate.h"

struct noisy_file {
    struct problem problem;
    struct feature_numbers numbers; /* of its features */
    struct labels labels; /* those given (set before the call), or of the matrix, or of the data */
    int32_t *y;           /* n: classes */
    int64_t *first;       /* n: the first of each one's group (groups.h); NULL: none are given */
    int64_t unseen;       /* classes without a count in the file of the matrix */
    struct estimate estimate;
};

/* How a file is read and estimated from. */
struct noisy_file_options {
    struct example_format format;
    const char *confusion; /* of -c: a file, `identity` or `estimate` */
    const char *groups;    /* of --groups: a file, for one rank only; NULL: none */
    const char *disk; /* of --disk, the folder for the entries; NULL: they go to disk only where
                         they do not fit in memory */
    int64_t sample;   /* of --sample, how many examples to estimate from; 0: as in
                         sampled_estimate.h */
    struct estimate_options estimate;
    double beside;             /* bytes that the caller needs for each example */
    const struct findings *to; /* what is on disk, how large the sample is, warnings of labels that
                                  are no classes and of odd values, and a note of large groups */
};

/* The map, and whether lengths are kept, once the options are parsed.  map_given,
 * unit_length_given: were -t and -l?  0, or -1 with err, a usage error: options do not go
 * together. */
int noisy_file_settle(struct noisy_file_options *options, bool map_given, bool unit_length_given,
                      struct error *err);

/* Its examples, borrowed. */
static inline struct labelled noisy_file_examples(const struct noisy_file *file)
{
    return (struct labelled){
        .problem = &file->problem, .y = file->y, .labels = &file->labels, .first = file->first};
}

/* file->labels, file->y and file->unseen, once file->problem is read.
 *
 * labels_source  where file->labels come from if they are set already, for a message
 * C              out, zero before: the matrix, where `confusion` is not `estimate`
 * 0 or -1. */
int noisy_file_classes(const char *path, const char *confusion, const char *labels_source,
                       struct confusion *C, struct noisy_file *file, struct error *err);

/* Read a file, into memory or to disk, and estimate from all examples or from a sample.
 *
 * path     "-": standard input
 * options  its map becomes linear where the data are on disk
 * file     out, zero before but for labels; free with noisy_file_free, also after an error
 * Several ranks (reduce.h) read and estimate together, and each gets the examples of all, in their
 * order but without entries; lines of shards are counted through all of them.
 * 0, or -1 with err. */
int noisy_file_estimate(const char *path, struct noisy_file_options *options,
                        struct noisy_file *file, struct error *err);

void noisy_file_free(struct noisy_file *file);

#endif
