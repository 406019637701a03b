/* The scores of all folds become a file by the function that writes a predictor's output. */
#include "common/program/fold_predictions.h"

#include "common/base/memory.h"
#include "common/model/predict_text.h"

#include <assert.h>
#include <math.h>

int fold_predictions_make(const struct trainer *t, int64_t n, int64_t columns, double **scores,
                          struct error *err)
{
    *scores = NULL;
    if (!t->fold_predictions)
        return 0;
    if (memory_check((double)n * (double)columns * (double)sizeof **scores,
                     "the scores of all examples", err)
        != 0)
        return -1;
    *scores = memory_new(n * columns, sizeof **scores, err);
    return *scores ? 0 : -1;
}

int fold_predictions_write(struct trainer *t, const double *scores, int64_t n, int64_t columns,
                           double temperature, struct error *err)
{
    const int64_t K = t->labels.count;
    struct predict_model model = {.classes = K, .columns = columns, .temperature = temperature};
    assert(columns == K || (columns == 1 && K == 2));
    if (!t->fold_predictions)
        return 0;
    for (int64_t s = 0; s < n * columns; s++)
        if (!isfinite(scores[s]))
            return predict_refuse_score(0, err);
    int32_t *label = memory_new(K, sizeof *label, err);
    if (!label)
        return -1;
    /* A score of two classes is the larger label's, which comes first. */
    for (int64_t k = 0; k < K; k++)
        label[k] = t->labels.value[columns == 1 ? 1 - k : k];
    model.label = label;
    int status = output_open(&t->fold_file, t->fold_predictions, err);
    if (status == 0)
        status = predict_text_write(&model, scores, n, t->fold_scores, &t->fold_file, err);
    memory_free(label);
    return status;
}

int fold_predictions_write_linear(struct trainer *t, double *scores, int64_t n, struct error *err)
{
    const int64_t K = t->labels.count;
    if (K != 2 || !scores)
        return fold_predictions_write(t, scores, n, K, 0, err);
    for (int64_t i = 0; i < n; i++)
        scores[i] = scores[2 * i + 1] - scores[2 * i];
    return fold_predictions_write(t, scores, n, 1, 0, err);
}
