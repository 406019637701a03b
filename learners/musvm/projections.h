/* Projections of examples on the decision spaces of classes, from which histograms are made (HOP;
 * Dhar, Cherkassky and Shah 2019, section 4).
 *
 *     projection of x on class k:    f_k(x) - max_{l != k} f_l(x)
 *
 * above 0 where k wins.  A multiclass SVM wants 1 or more of a training example on its own class;
 * with a universum it wants that no class leads on its samples, so that their projections are 0 or
 * less.  Of two classes with one score s = f_first - f_second they are s and -s; of a model of
 * votes (one against one) they are leads in votes. */
#ifndef LEARNERS_MUSVM_PROJECTIONS_H
#define LEARNERS_MUSVM_PROJECTIONS_H

#include "common/base/error.h"
#include "common/base/output.h"
#include "common/model/predict_file.h"

/* Write text, separated by tabs:
 *
 *     set        class  projection  predicted
 *     train      y      ...         ...
 *                for each labelled example of the test file whose label y the model has, on its own
 *                class
 *     universum  k      ...         ...
 *                for each sample of the universum and each label k of the model, ascending
 *
 * in the order of the files; predicted is the label that prediction finds, numbers are read back
 * exactly.
 *
 * model      of two classes or more
 * test       a file
 * universum  a file ("-": standard input), whose labels are ignored, and may be `?`; NULL: none
 * options    format and threads (for reading) are those of predict_file; the rest is not looked at
 * out        is written to, not committed; a failed write is found by the caller (output_flush)
 * Returns 0, or -1 with FILE:LINE:COL (data, a score or a projection that is not finite; memory).
 * Each file is held in memory as a whole while it is projected, in blocks of PREDICT_ROWS, on one
 * thread; the cost is that of the scores. */
int projections_write(const struct predict_model *model, const char *test, const char *universum,
                      const struct predict_options *options, struct output *out, struct error *err);

#endif
