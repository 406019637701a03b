/* Predictions as text: a label a line, or, with scores, a first line `labels l1 ... lK` and K
 * scores (or probabilities) after each label. */
#ifndef COMMON_MODEL_PREDICT_TEXT_H
#define COMMON_MODEL_PREDICT_TEXT_H

#include "common/base/output.h"
#include "common/data/names.h"
#include "common/model/predict.h"

struct predict_text {
    const struct predict_model *model; /* borrowed */
    bool scores;
    char *block;    /* the labels as text, one after the other */
    int64_t *start; /* classes + 1: where in the block each begins */
    int64_t size;   /* the most bytes of a line */
};

/* names: of the labels; NULL: as numbers.  Where scores are written, which blanks separate, a name
 * with a blank is an error, as is a label without a name.  text: out; free with predict_text_free,
 * also after an error.  0 or -1. */
int predict_text_make(const struct predict_model *model, const struct names *names, bool scores,
                      struct predict_text *text, struct error *err);

/* Write the first line, if there is one. */
void predict_text_head(const struct predict_text *text, struct output *out);

/* Write the line of an example at p, which has `size` bytes of space.
 *
 * scores       the model's columns
 * probability  workspace: classes
 * choice       out: the position of the predicted class in model->label
 * Returns where the line ends. */
char *predict_text_line(const struct predict_text *text, char *p, const double *scores,
                        double *probability, int64_t *choice);

/* Write a whole file to an open output from scores that are there already: n x columns of the model
 * (whose function is not called).  0 or -1. */
int predict_text_write(const struct predict_model *model, const double *scores, int64_t n,
                       bool with_scores, struct output *out, struct error *err);

/* A no-op on a zeroed text. */
void predict_text_free(struct predict_text *text);

#endif
