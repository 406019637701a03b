/* Scores of a linear model whose features are made by a map, for predict.h: W'phi(x), computed as
 * V'b(x) with feature_map_fold and feature_map_basis, so that R is used once and not for each
 * example. */
#ifndef COMMON_MODEL_MAPPED_SCORES_H
#define COMMON_MODEL_MAPPED_SCORES_H

#include "common/kernel/feature_map.h"
#include "common/model/model.h"

struct mapped_scores {
    struct feature_map map;
    int64_t columns;
    double *v;     /* D x columns */
    double *start; /* columns: what the bias adds */
};

/* Prepare the map of a model, which is taken out of it.  scores: out, zero before; free with
 * mapped_scores_free.  O(D^3).  0, or -1 with err (FILE, where the model is at fault). */
int mapped_scores_make(struct model *model, int threads, struct mapped_scores *scores,
                       struct error *err);

/* The function `score` of struct predict_model, whose context is the struct mapped_scores.  O(D (d
 * + columns)) an example. */
int mapped_scores_of(const void *context, const struct problem *some, double *scores,
                     struct error *err);

void mapped_scores_free(struct mapped_scores *scores);

#endif
