/* Two passes over a file, so that memory does not grow with it: the first checks every line and
 * draws the sample (random_takes), the second is the caller's.  Probabilities are rounded to float
 * in both, as they are where they have to be held, so that a pipe gives the same numbers as a file.
 */
#include "learners/estimate/predictions_file.h"

#include "common/base/input.h"
#include "common/base/memory.h"
#include "common/base/number.h"
#include "common/base/order.h"
#include "common/base/random.h"
#include "common/data/folds.h"
#include "common/data/problem_file.h"
#include "common/model/confusion_option.h"
#include "common/model/predictions.h"
#include "learners/estimate/scores_estimate.h"

#include <stdlib.h>
#include <string.h>

/* The share of lines whose predicted label may be other than the likeliest class. A rule of thumb:
 * rounding, and ties, make a few of them. */
static const double predictions_unlikely = 0.01;

/* ---- rows ---- */

/* Go over an open file.  p: workspace, K. */
static int predictions_file_read(const struct predictions_file *file, struct predictions *in,
                                 double *p, predictions_file_row *row, void *context,
                                 struct error *err)
{
    const int64_t n = file->data.problem.n, K = in->columns;
    char lines[NUMBER_COUNTED], examples[NUMBER_COUNTED];
    int64_t i = 0;
    int status;
    while ((status = predictions_next(in, err)) > 0) {
        if (i == n) {
            in->text.token = in->text.line;
            return text_refuse(&in->text, err, "a line more than the %s of the data",
                               number_counted(n, "example", examples));
        }
        for (int64_t k = 0; k < K; k++)
            p[in->class[k]] = (float)in->score[k];
        row(context, i++, p);
    }
    if (status == 0 && i < n)
        return text_refuse(&in->text, err, "the predictions end after %s, but the data have %s",
                           number_counted(i, "line", lines),
                           number_counted(n, "example", examples));
    return status;
}

int predictions_file_pass(const struct predictions_file *file, predictions_file_row *row,
                          void *context, struct error *err)
{
    const int64_t K = file->data.labels.count;
    struct predictions in = {0};
    int status = -1;
    double *p = memory_new(K, sizeof *p, err);
    if (!p)
        return -1;
    if (file->held) {
        for (int64_t i = 0; i < file->data.problem.n; i++) {
            for (int64_t k = 0; k < K; k++)
                p[k] = file->held[i * K + k];
            row(context, i, p);
        }
        status = 0;
    } else if (predictions_open(&in, file->path, err) == 0
               && predictions_require_probabilities(&in, err) == 0) {
        if (labels_equal(&in.labels, &file->data.labels))
            status = predictions_file_read(file, &in, p, row, context, err);
        else
            error_at(err, file->path, 0, 0, "the file has changed while it was read");
    }
    predictions_close(&in);
    memory_free(p);
    return status;
}

/* ---- the first pass ---- */

struct predictions_sample {
    const struct predictions_file *file;
    float *held; /* or NULL */
    int64_t n, K;
    int64_t m, taken; /* examples in the sample; so many of them are drawn */
    struct random random;
    double *s;  /* m x K: scores */
    int32_t *y; /* m */
};

static void predictions_file_draw(void *context, int64_t i, double *p)
{
    struct predictions_sample *sample = context;
    const int64_t K = sample->K;
    if (sample->held)
        for (int64_t k = 0; k < K; k++)
            sample->held[i * K + k] = (float)p[k];
    if (!random_takes(&sample->random, sample->n - i, sample->m - sample->taken))
        return;
    em_score_probabilities(K, p);
    memcpy(sample->s + sample->taken * K, p, (size_t)K * sizeof *p);
    sample->y[sample->taken++] = sample->file->data.y[i];
}

/* Deal the folds that the choice of the prior needs.  *fold: out, m.  0 or -1. */
static int predictions_file_deal(const struct predictions_sample *sample, int64_t seed,
                                 int64_t **fold, struct error *err)
{
    if (sample->m < FOLDS_DEFAULT)
        return error_set(err, "a matrix is estimated from %d examples at least; there %s %lld",
                         FOLDS_DEFAULT, sample->m == 1 ? "is" : "are", (long long)sample->m);
    if (!(*fold = memory_new(sample->m, sizeof **fold, err)))
        return -1;
    const struct fold_examples drawn = {.n = sample->m, .classes = sample->K, .y = sample->y};
    return folds_assign(&drawn, FOLDS_DEFAULT, seed, *fold, err);
}

/* The estimate from a sample.  known: K x K, or NULL. */
static int predictions_file_run(struct predictions_file *file,
                                const struct predictions_sample *sample, const double *known,
                                const struct crossfit_options *options, struct error *err)
{
    struct em em = {0};
    struct estimate *e = &file->data.estimate;
    int status = -1;
    int64_t *fold = NULL;
    if ((!known && predictions_file_deal(sample, options->seed, &fold, err) != 0)
        || em_start(&em, sample->m, sample->K, sample->y, fold, options->threads, err) != 0
        || estimate_from_scores(&em, sample->s, known, e, options->progress, err) != 0)
        goto done;
    e->p_given = true;
    file->weights = suspicion_weigh(e->matrix.c, sample->K, em.p, sample->y, sample->m,
                                    e->unexplained, true);
    status = 0;
done:
    em_free(&em);
    memory_free(fold);
    return status;
}

/* Read the predictions and estimate.  in: open. */
static int predictions_file_first(struct predictions_file *file, struct predictions *in,
                                  const double *known, const struct crossfit_options *options,
                                  struct error *err)
{
    const int64_t n = file->data.problem.n, K = in->columns;
    struct predictions_sample sample = {
        .file = file, .n = n, .K = K, .m = order_least(n, PREDICTIONS_SAMPLE / K)};
    int status = -1;
    double *p = NULL;
    const bool hold = !input_is_file(file->path);
    sample.random = random_seeded((uint64_t)options->seed, RANDOM_SAMPLE);
    const double held = hold ? 4 * (double)n * (double)K : 0;
    if (memory_check(held + 8 * (double)sample.m * (double)K + em_bytes(sample.m, K),
                     "the estimate from predictions", err)
        != 0)
        return -1;
    if ((hold && !(file->held = memory_new(n * K, sizeof *file->held, err)))
        || !(p = memory_new(K, sizeof *p, err))
        || !(sample.s = memory_new(sample.m * K, sizeof *sample.s, err))
        || !(sample.y = memory_new(sample.m, sizeof *sample.y, err)))
        goto done;
    sample.held = file->held;
    if (predictions_file_read(file, in, p, predictions_file_draw, &sample, err) != 0)
        goto done;
    file->unlikely = in->unlikely;
    file->certain = in->certain;
    status = predictions_file_run(file, &sample, known, options, err);
done:
    memory_free(sample.y);
    memory_free(sample.s);
    memory_free(p);
    return status;
}

/* ---- the whole ---- */

int predictions_file_estimate(const char *data, const char *predictions, const char *confusion,
                              const struct crossfit_options *options, struct predictions_file *file,
                              struct error *err)
{
    const struct example_format format = {.labels_only = true, .bias = -1, .cut = &file->cut};
    struct noisy_file *noisy = &file->data;
    struct confusion C = {.classes = 0};
    struct predictions in = {0};
    int status = -1;
    file->path = predictions;
    file->data_path = data;
    if (problem_hold(data, &format, options->threads, &noisy->problem, err) == 0
        && predictions_open(&in, predictions, err) == 0
        && predictions_require_probabilities(&in, err) == 0
        && labels_copy(&in.labels, &noisy->labels, err) == 0
        && noisy_file_classes(data, confusion, "in the predictions", &C, noisy, err) == 0)
        status = predictions_file_first(file, &in, C.c, options, err);
    if (status != 0)
        error_name(err, input_name(data));
    predictions_close(&in);
    confusion_free(&C);
    return status;
}

void predictions_file_check(const struct predictions_file *file, const struct findings *to)
{
    const int64_t n = file->data.problem.n;
    if (file->cut)
        findings_warn(to, STREAM_CUT_TEXT, input_name(file->data_path));
    if ((double)file->unlikely > predictions_unlikely * (double)n)
        findings_warn(to,
                      "another class is likelier than the predicted label in %lld of %lld lines of "
                      "%s: are the labels of its first line in the order of its columns?",
                      (long long)file->unlikely, (long long)n, input_name(file->path));
    if (file->certain == n)
        findings_warn(to,
                      "all lines of %s have a class with the probability 1: these are decisions, "
                      "of which none is less sure than another; give probabilities",
                      input_name(file->path));
}

void predictions_file_free(struct predictions_file *file)
{
    noisy_file_free(&file->data);
    memory_free(file->held);
    *file = (struct predictions_file){0};
}
