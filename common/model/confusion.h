/* Confusion matrices and their files.
 *
 * C[p*K + q] = P(observed label p | true label q): COLUMNS sum to 1, the convention of the UMA
 * papers (gamma = C mu).
 *
 *     confusion 1
 *     nr_class K
 *     label l1 ... lK
 *     rows observed       <- or `rows true`: row q, column p, rows sum to 1; transposed when read
 *     <K rows of K numbers, probabilities or counts>
 *
 * A file may also be the K rows alone, without a head: then it is `rows observed`, and its classes
 * are those that the caller has, ascending. */
#ifndef COMMON_MODEL_CONFUSION_H
#define COMMON_MODEL_CONFUSION_H

#include "common/base/error.h"
#include "common/base/output.h"
#include "common/data/labels.h"

#include <stdbool.h>
#include <stdint.h>

/* 1/rcond of a matrix above which little is to be expected of its inverse.  No reason for the
 * number but that it works. */
#define CONFUSION_DOUBTFUL_CONDITION 100.0

/* "observed", "true", NULL: what a row of a file stands for. */
extern const char *const confusion_rows[];

struct confusion {
    int64_t classes;      /* K */
    struct labels labels; /* K, ascending; count 0 when the file has no head */
    double *c; /* K x K, c[p*K + q] = P(observed p | true q); columns sum to 1, up to rounding */
    int64_t unseen; /* classes whose column of counts was empty: theirs is the identity's */
};

/* Read and check a file ("-": standard input).
 *
 * Counts (whole numbers whose columns do not all sum to 1) are normalised; an empty column of
 * counts becomes that of the identity.  Refused, with FILE:LINE:COL: a negative or non-finite
 * entry; columns that do not sum to 1 within 1e-6 (the message says so when the matrix looks
 * transposed); a label named twice; a file that is too short or too long.
 *
 * confusion  out, zero before; free with confusion_free
 * 0 or -1. */
int confusion_read(const char *path, struct confusion *confusion, struct error *err);

/* Settle which classes a matrix is for: those that its file names.
 *
 * name           of the file, for the message when it and these labels disagree
 * labels_source  where these come from, "in --labels", likewise
 * labels         those that are known, or none (count 0); out: the file's, if it has any
 * 0 or -1. */
int confusion_settle_labels(const struct confusion *confusion, const char *name,
                            const char *labels_source, struct labels *labels, struct error *err);

/* A matrix of zeros for these labels, which are copied.  confusion: out; free with confusion_free.
 * 0 or -1 (memory). */
int confusion_make(const struct labels *labels, struct confusion *confusion, struct error *err);

/* From counts[p*K + q] of examples observed as p whose true class is q.  labels: K, copied.
 * confusion: out; free with confusion_free.  0 or -1. */
int confusion_from_counts(const int64_t *counts, const struct labels *labels,
                          struct confusion *confusion, struct error *err);

/* Write a file with a head; rows_true: transposed.  Needs the labels. */
void confusion_write(const struct confusion *confusion, bool rows_true, struct output *out);

/* ||C without its diagonal||_F, 0 .. sqrt(K): what the figures of the UMA papers call the confusion
 * rate; their text divides it by sqrt(K). */
double confusion_off_diagonal(const struct confusion *confusion);

void confusion_free(struct confusion *confusion);

#endif
