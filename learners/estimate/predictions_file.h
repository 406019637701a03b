/* The estimate of scores_estimate.h for a file of labels and a file with the probabilities of any
 * classifier for them, and a pass over these probabilities; for tools.
 *
 * The matrix is estimated from at most PREDICTIONS_SAMPLE / K lines, drawn evenly.  A regular file
 * of predictions is read again for each pass, in constant memory; from a pipe they are held, in 4 n
 * K bytes. */
#ifndef LEARNERS_ESTIMATE_PREDICTIONS_FILE_H
#define LEARNERS_ESTIMATE_PREDICTIONS_FILE_H

#include "common/base/findings.h"
#include "learners/estimate/noisy_file.h"
#include "learners/noise/suspicion.h"

enum {
    /* Probabilities, of 16 bytes each: 64 MB.  A rule of thumb: memory and time, which grow with
     * it, against standard errors, which fall with its root. */
    PREDICTIONS_SAMPLE = 4000000
};

struct predictions_file {
    const char *path, *data_path;
    bool cut;                  /* the data end in the middle of a line (example.h) */
    float *held;               /* n x K: the probabilities; NULL: read the file again */
    int64_t unlikely, certain; /* lines, as predictions.h counts them */
    struct noisy_file data;    /* problem without features, classes; the estimate, without p */
    struct suspicion_weights weights;
};

/* Read both files and estimate.
 *
 * data, predictions  "-": standard input
 * confusion          of the option -c: a file, `identity` or `estimate`
 * options            only seed, threads and progress are looked at
 * file               out, zero before; free with predictions_file_free, also after an error
 * 0, or -1 with err. */
int predictions_file_estimate(const char *data, const char *predictions, const char *confusion,
                              const struct crossfit_options *options, struct predictions_file *file,
                              struct error *err);

/* Warn of what tells that the files are not what they should be: data that may be cut short;
 * columns that are not in the order of the first line, decisions in place of probabilities. */
void predictions_file_check(const struct predictions_file *file, const struct findings *to);

/* What a pass does with example i; p: K, its probabilities.  May change p. */
typedef void predictions_file_row(void *context, int64_t i, double *p);

/* Go over all examples, in order.  0 or -1. */
int predictions_file_pass(const struct predictions_file *file, predictions_file_row *row,
                          void *context, struct error *err);

void predictions_file_free(struct predictions_file *file);

#endif
