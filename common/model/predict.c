/* Scores of a linear or a kernel model, and the class that they speak for. */
#include "common/model/predict.h"

#include "common/base/elementary.h"
#include "common/linalg/short_vector.h"
#include "common/linear/weights.h"

#include <math.h>
#include <string.h>

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
    if (predict_is_signed(model))
        return scores[0] > 0 ? 0 : 1; /* a tie is the negative class, as in LIBLINEAR */
    return weights_best(scores, model->columns);
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

void predict_probabilities(const struct predict_model *model, const double *scores, double *p)
{
    const bool is_signed = predict_is_signed(model);
    const int64_t K = model->classes, position = predict_choice(model, scores),
                  choice = is_signed ? 1 - position : position;
    double total = 0;
    if (is_signed) {
        p[0] = 0;
        p[1] = scores[0];
    } else {
        memcpy(p, scores, (size_t)K * sizeof *p);
    }
    const double largest = short_largest(K, p);
    for (int64_t k = 0; k < K; k++)
        p[k] = elementary_exp(model->temperature * (p[k] - largest));
    /* In a loop of its own: the order of the sum would keep the exponentials from vectors. */
    for (int64_t k = 0; k < K; k++)
        total += p[k];
    for (int64_t k = 0; k < K; k++)
        p[k] /= total;
    /* Scores that hardly differ may have the same probability: the choice must be the first of the
     * largest. */
    for (int64_t k = 0; k < choice; k++)
        if (p[k] >= p[choice])
            p[k] = nextafter(p[choice], 0);
}
