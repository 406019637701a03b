/* A chunk's labels and scores are made as text on the thread that parsed it (stream.h's process);
 * the calling thread only counts and writes. */
#include "common/model/predict_file.h"

#include "common/base/memory.h"
#include "common/base/order.h"
#include "common/base/output.h"
#include "common/base/progress.h"
#include "common/data/stream.h"
#include "common/model/predict_text.h"

#include <string.h>

struct predictor {
    const struct predict_model *model;
    struct predict_text text;
};

/* Answer the bad lines before this one by `?`, from chunk->bad[*next] on.  Returns where the text
 * ends. */
static char *predict_answer_bad_lines(struct chunk *chunk, int64_t line, int64_t *next, char *p)
{
    for (; *next < chunk->bad_count && chunk->bad[*next].line < line; (*next)++) {
        chunk->bad[*next].output = p - chunk->output;
        *p++ = '?';
        *p++ = '\n';
    }
    return p;
}

/* Predict some examples of a chunk.  scores: workspace, as many x columns, and classes.  bad: in
 * and out, the next of the bad lines.  p: where the text goes on; returns where it ends, or NULL
 * with err. */
static char *predict_rows(const struct predictor *predictor, struct chunk *chunk,
                          const struct problem *some, double *scores, int32_t *predicted,
                          int64_t *bad, char *p, struct error *err)
{
    const struct predict_model *model = predictor->model;
    double *probability = scores + some->n * model->columns;
    if (predict_scores(model, some, scores, err) != 0)
        return NULL;
    for (int64_t i = 0; i < some->n; i++, scores += model->columns) {
        int64_t choice;
        p = predict_answer_bad_lines(chunk, some->line[i], bad, p);
        p = predict_text_line(&predictor->text, p, scores, probability, &choice);
        predicted[i] = (int32_t)choice;
    }
    return p;
}

/* On a worker's thread: predictions and output text for a chunk. */
static int predict_chunk(void *context, struct chunk *chunk, struct error *err)
{
    const struct predictor *predictor = context;
    const struct problem *problem = &chunk->problem;
    int64_t columns = predictor->model->columns;
    char *output = memory_reserve(chunk->output, &chunk->output_capacity,
                                  problem->n * predictor->text.size + 2 * chunk->bad_count, 1, err);
    if (!output)
        return -1;
    chunk->output = output;
    int32_t *predicted = memory_reserve(chunk->predicted, &chunk->predicted_capacity, problem->n,
                                        sizeof *predicted, err);
    if (!predicted)
        return -1;
    chunk->predicted = predicted;
    const int64_t rows = order_least(problem->n, PREDICT_ROWS);
    double *scores = memory_new(rows * columns + predictor->model->classes, sizeof *scores, err);
    int64_t bad = 0;
    char *p = scores ? output : NULL;
    for (int64_t first = 0; first < problem->n; first += rows) {
        if (!p)
            break;
        const struct problem some = problem_part(problem, first,
                                                 order_least(problem->n - first, rows));
        p = predict_rows(predictor, chunk, &some, scores, predicted + first, &bad, p, err);
    }
    if (p)
        p = predict_answer_bad_lines(chunk, INT64_MAX, &bad, p);
    chunk->output_size = p ? p - output : 0;
    memory_free(scores);
    return p ? 0 : -1;
}

/* Count the truth against what was predicted. */
static void predict_count_chunk(const struct chunk *chunk, const struct predict_model *model,
                                const struct labels *ascending, struct accuracy_report *report)
{
    report->examples += chunk->problem.n;
    for (int64_t i = 0; i < chunk->problem.n; i++) {
        int64_t truth = chunk->problem.label[i], label = model->label[chunk->predicted[i]];
        if (truth == EXAMPLE_UNLABELLED)
            continue;
        report->labelled++;
        report->correct += truth == label;
        if (truth == label && !report->count)
            continue;
        int64_t row = labels_find(ascending, truth);
        if (row < 0)
            report->unknown++;
        else if (report->count)
            report->count[row * report->classes + labels_find(ascending, label)]++;
    }
}

/* Pass the examples on with what was predicted. */
static void predict_judge_chunk(const struct chunk *chunk, const struct predict_model *model,
                                const struct predict_options *options,
                                struct accuracy_report *report)
{
    report->examples += chunk->problem.n;
    for (int64_t i = 0; i < chunk->problem.n; i++) {
        const struct example x = problem_example(&chunk->problem, i);
        options->judge(options->judge_context, &x, model->label[chunk->predicted[i]]);
    }
}

/* Make what the report counts in, and the classes, ascending, as the report has them.  0 or -1. */
static int predict_prepare_report(const struct predict_model *model,
                                  const struct predict_options *options, struct labels *ascending,
                                  struct accuracy_report *report, struct error *err)
{
    const int64_t K = model->classes;
    report->classes = K;
    if (labels_from(model->label, K, ascending, err) != 0
        || !(report->label = memory_new(K, sizeof *report->label, err)))
        return -1;
    memcpy(report->label, ascending->value, (size_t)K * sizeof *report->label);
    if (!options->confusion)
        return 0;
    if (memory_check((double)K * (double)K * 8, "the confusion matrix", err) != 0)
        return -1;
    report->count = memory_new(K * K, sizeof *report->count, err);
    return report->count ? 0 : -1;
}

/* Answer all of a stream, and count.  A live reader behind a pipe gets what there is, also before a
 * line that is an error; a failed write ends the work.  0 or -1. */
static int predict_chunks(struct stream *stream, const struct predict_model *model,
                          const struct predict_options *options, const struct labels *ascending,
                          struct output *out, struct accuracy_report *report, struct error *err)
{
    struct progress progress = progress_start(options->quiet, "examples");
    struct chunk *chunk;
    int status;
    while ((status = stream_next(stream, &chunk, err)) > 0) {
        if (options->judge)
            predict_judge_chunk(chunk, model, options, report);
        else
            predict_count_chunk(chunk, model, ascending, report);
        output_write(out, chunk->output, chunk->output_size);
        /* (A file of size 0 never comes here.) */
        if ((stream_size(stream) < 0 || out->failed) && output_flush(out, err) != 0) {
            status = -1;
            break;
        }
        progress_update(&progress, report->examples, stream_share(stream));
    }
    progress_wipe(&progress);
    if (status != 0 && !out->temporary)
        (void)output_flush(out, NULL);
    return status;
}

int predict_file(const struct predict_model *model, const char *test, const char *output,
                 const struct predict_options *options, struct accuracy_report *report,
                 struct error *err)
{
    struct output out = {.fd = -1};
    struct stream *stream = NULL;
    struct labels ascending = {0};
    struct predictor predictor = {.model = model};
    struct stream_options reading = {.format = options->format,
                                     .threads = options->threads,
                                     .process = predict_chunk,
                                     .context = &predictor};
    int status = -1;
    reading.format.unlabelled = true;
    reading.format.bias = model->bias;
    if (predict_prepare_report(model, options, &ascending, report, err) != 0
        || predict_text_make(model, options->names, options->scores, &predictor.text, err) != 0
        || output_open(&out, output, err) != 0)
        goto done;
    reading.made = predictor.text.size;
    if (!(stream = stream_open(test, &reading, err)))
        goto done;
    predict_text_head(&predictor.text, &out);
    status = predict_chunks(stream, model, options, &ascending, &out, report, err);
    if (status == 0 && options->ready)
        status = options->ready(options->context, err);
    if (status == 0)
        status = output_commit(&out, err);
done:
    stream_close(stream);
    predict_text_free(&predictor.text);
    output_abandon(&out);
    labels_free(&ascending);
    return status < 0 ? -1 : 0;
}
