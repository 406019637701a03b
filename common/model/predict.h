/* Prediction with a linear or a kernel model: scores of examples, and the class that they speak
 * for. */
#ifndef COMMON_MODEL_PREDICT_H
#define COMMON_MODEL_PREDICT_H

#include "common/base/error.h"
#include "common/data/problem.h"

#include <stdbool.h>
#include <stdint.h>

/* Votes between pairs of classes: f > 0 of the pair (0,1), (0,2) .. (K-2,K-1) is one for the first,
 * else for the second.  f: a number a pair; votes: out, classes. */
void predict_votes(const double *f, int64_t classes, double *votes);

/* What predicts. */
struct predict_model {
    int64_t classes;
    const int32_t *label; /* classes, in the order of the scores; of two classes with one score the
                             first is that of scores above 0 */
    int64_t columns;      /* scores of an example: classes, or 1 for two classes */
    double bias;          /* of the examples; < 0: none */
    double temperature;   /* > 0: probabilities are the softmax of the scores times this, and are
                             written in their place; 0: the model has none */
    /* scores: out, examples x columns.  Called on several threads at once, for PREDICT_ROWS
     * examples at most.  0 or -1. */
    int (*score)(const void *context, const struct problem *examples, double *scores,
                 struct error *err);
    const void *context;
};

enum { PREDICT_ROWS = 256 }; /* no reason but that it works */

/* The scores of some examples, PREDICT_ROWS at most, all finite; an error has the line, the caller
 * knows the file.  0 or -1. */
int predict_scores(const struct predict_model *model, const struct problem *examples,
                   double *scores, struct error *err);

/* Probabilities of the classes in the order of scores as they are written: two classes with one
 * score have the negative class first.  p: out, classes; the first of its largest numbers is the
 * class that predict_choice names.  The model has a temperature. */
void predict_probabilities(const struct predict_model *model, const double *scores, double *p);

/* Has the model one score for two classes, the larger first? */
bool predict_is_signed(const struct predict_model *model);

/* The error of an example whose score is not finite: always -1. */
int predict_refuse_score(int64_t line, struct error *err);

/* The position in model->label of the class that an example's scores speak for. */
int64_t predict_choice(const struct predict_model *model, const double *scores);

#endif
