/* Scores of a linear or a kernel model, and the class that they speak for. */
#include "common/model/predict.h"

#include "common/linear/weights.h"

#include <math.h>
#include <string.h>

int64_t predict_position(const double *scores, int64_t classes)
{
    if (classes == 2)
        return scores[0] > 0 ? 0 : 1;
    return weights_best(scores, classes);
}

void predict_votes(const double *f, int64_t classes, double *votes)
{
    memset(votes, 0, (size_t)classes * sizeof *votes);
    for (int64_t a = 0; a < classes; a++)
        for (int64_t b = a + 1; b < classes; b++)
            votes[*f++ > 0 ? a : b]++;
}

bool predict_is_signed(const struct predict_model *model)
{
    return model->columns == 1 && model->classes == 2;
}

int predict_refuse_score(int64_t line, struct error *err)
{
    return error_at(err, NULL, line, 0,
                    "a score is not finite: the values are too large for this model");
}

int64_t predict_choice(const struct predict_model *model, const double *scores)
{
    return predict_is_signed(model) ? predict_position(scores, 2)
                                    : weights_best(scores, model->columns);
}

int predict_scores(const struct predict_model *model, const struct problem *examples,
                   double *scores, struct error *err)
{
    if (model->score(model->context, examples, scores, err) != 0)
        return -1;
    for (int64_t s = 0; s < examples->n * model->columns; s++)
        if (!isfinite(scores[s]))
            return predict_refuse_score(examples->line[s / model->columns], err);
    return 0;
}
