/* Writing UMA's model.  Nothing is read here: prediction reads any learner's linear model
 * (model.h).  UMA keeps W class by class with the bias first; a model has a row a feature, the bias
 * last. */
#include "learners/uma/uma_model.h"

#include "common/model/model_writer.h"

struct uma_rows {
    const double *w; /* K x (d + 1) */
    int64_t K, d;
};

/* The row of feature j, 0 for the bias, in the block `w`, for model_put_features.  Two classes have
 * one column, w_second - w_first. */
static const double *uma_weight_row(const void *context, int64_t j, double *buffer)
{
    const struct uma_rows *rows = context;
    const double *w = rows->w + j;
    if (rows->K == 2)
        buffer[0] = w[rows->d + 1] - w[0];
    else
        for (int64_t k = 0; k < rows->K; k++)
            buffer[k] = w[k * (rows->d + 1)];
    return buffer;
}

/* Row i of the block `confusion`. */
static const double *uma_confusion_row(const void *context, int64_t i, double *buffer)
{
    (void)buffer;
    const struct confusion *C = context;
    return C->c + i * C->classes;
}

/* The only row of the block `proportion`. */
static const double *uma_proportion_row(const void *context, int64_t i, double *buffer)
{
    (void)i;
    (void)buffer;
    return context;
}

int uma_save(const struct uma_result *result, const struct uma_options *options,
             const struct data_form *form, const struct confusion *C, int64_t d, const char *path,
             struct error *err)
{
    const int64_t K = C->classes, columns = weights_columns(K);
    const struct uma_rows rows = {result->w, K, d};
    struct model_writer writer;
    int status = -1;
    if (model_begin(&writer, path, &C->labels, columns, d, form, options->threads, err) != 0
        || model_put_features(&writer, "w", columns, uma_weight_row, &rows, 0, err) != 0)
        goto done;
    model_put_trailer(&writer);
    model_put_word(&writer, "learner", "uma");
    model_put_form(&writer, form);
    model_put_word(&writer, "strategy", uma_strategies[options->strategy]);
    model_put_word(&writer, "update", uma_steps[options->step]);
    model_put_word(&writer, "check", uma_checks[options->check]);
    model_put_word(&writer, "iterate", uma_iterates[options->iterate]);
    model_put_number(&writer, "alpha", options->alpha);
    model_put_int(&writer, "alpha_relative", options->alpha_relative);
    model_put_number(&writer, "sigmas", options->sigmas);
    model_put_int(&writer, "iterations", result->iterations);
    model_put_word(&writer, "stop", uma_stops[result->stop]);
    model_put_number(&writer, "estimated_error", result->error);
    if (model_put_rows(&writer, "confusion", K, K, uma_confusion_row, C, err) != 0
        || model_put_rows(&writer, "proportion", 1, K, uma_proportion_row, result->proportion, err)
               != 0)
        goto done;
    status = model_finish(&writer, err);
done:
    model_abandon(&writer);
    return status;
}
