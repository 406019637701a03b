/* --fold-predictions: what -v predicts for each example, by the model of the other folds. */
#ifndef COMMON_PROGRAM_FOLD_PREDICTIONS_H
#define COMMON_PROGRAM_FOLD_PREDICTIONS_H

#include "common/program/trainer.h"

/* Space for the scores of n examples, if they are wanted; else *scores: out, NULL.  columns: scores
 * of an example: classes, or 1 for two classes.  Free with memory_free.  0 or -1. */
int fold_predictions_make(const struct trainer *t, int64_t n, int64_t columns, double **scores,
                          struct error *err);

/* Write the file, if one is wanted; it appears when the run is done.
 *
 * scores       n x columns, in the order of the data
 * temperature  > 0: the softmax of the scores times this is written for --fold-scores; 0: the
 *              scores
 * 0 or -1. */
int fold_predictions_write(struct trainer *t, const double *scores, int64_t n, int64_t columns,
                           double temperature, struct error *err);

/* The same for a linear classifier with K scores of an example: those of two classes become one, as
 * in its model.  scores: changed; NULL where none are wanted. */
int fold_predictions_write_linear(struct trainer *t, double *scores, int64_t n, struct error *err);

/* clang-format off */
#define FOLD_PREDICTIONS_ROWS(t) \
    {ROW_OUTPUT(0, "fold-predictions", &(t)->fold_predictions, "file"), \
     .help = "with -v: write the label predicted for each example by the model of the other " \
             "folds, in the order of the data; a line without weight, or skipped as bad, has none"}, \
    {ROW_FLAG(0, "fold-scores", &(t)->fold_scores), \
     .help = "write scores to --fold-predictions, as -b 1 of the predictor does"}
/* clang-format on */

#endif
