#include "common/model/predict.h"

#include "common/base/memory.h"
#include "common/base/number.h"
#include "common/base/output.h"
#include "common/base/parallel.h"
#include "common/base/progress.h"
#include "common/data/stream.h"
#include "common/model/kernel_model.h"
#include "common/model/projections.h"
#include "common/program/option_rows.h"
#include "common/program/options.h"
#include "common/program/program.h"

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

struct predictor {
    const struct predict_model *model;
    const struct predict_options *options;
    const char *label_text; /* classes x LABEL_TEXT: each label with its length in front */
};

enum { LABEL_TEXT = 16 };

/* Has the model one score for two classes, the larger first? */
static bool is_signed(const struct predict_model *model)
{
    return model->columns == 1 && model->classes == 2;
}

/* ` s1 ... sK`; the two scores that one stands for are -s and s, so that the first of equals is the
 * negative class. */
static char *write_scores(char *p, const double *scores, const struct predict_model *model)
{
    for (int64_t k = is_signed(model) ? -1 : 0; k < model->columns; k++) {
        *p++ = ' ';
        p = number_write(p, k < 0 ? 0 - scores[0] : scores[k]);
    }
    return p;
}

static int refuse_score(int64_t line, struct error *err)
{
    return error_at(err, NULL, line, 0,
                    "a score is not finite: the values are too large for this model");
}

int64_t predict_choice(const struct predict_model *model, const double *scores)
{
    return is_signed(model) ? predict_position(scores, 2) : weights_best(scores, model->columns);
}

int predict_scores(const struct predict_model *model, const struct problem *examples,
                   double *scores, struct error *err)
{
    if (model->score(model->context, examples, scores, err) != 0)
        return -1;
    for (int64_t s = 0; s < examples->n * model->columns; s++)
        if (!isfinite(scores[s]))
            return refuse_score(examples->line[s / model->columns], err);
    return 0;
}

/* Predict some examples.  p: where the text goes on; returns where it ends, or NULL with err. */
static char *predict_rows(const struct predictor *predictor, const struct problem *some,
                          double *scores, int32_t *predicted, char *p, struct error *err)
{
    const struct predict_model *model = predictor->model;
    if (predict_scores(model, some, scores, err) != 0)
        return NULL;
    for (int64_t i = 0; i < some->n; i++, scores += model->columns) {
        int64_t k = predict_choice(model, scores);
        predicted[i] = (int32_t)k;
        const char *text = predictor->label_text + k * LABEL_TEXT;
        memcpy(p, text + 1, LABEL_TEXT - 1);
        p += text[0];
        if (predictor->options->scores)
            p = write_scores(p, scores, model);
        *p++ = '\n';
    }
    return p;
}

/* On a worker's thread: predictions and output text for a chunk. */
static int predict_chunk(void *context, struct chunk *chunk, struct error *err)
{
    const struct predictor *predictor = context;
    const struct problem *problem = &chunk->problem;
    int64_t columns = predictor->model->columns;
    int64_t per_line = LABEL_TEXT
                       + (predictor->options->scores ? (columns + 1) * (NUMBER_TEXT + 1) : 0);
    char *output = memory_reserve(chunk->output, &chunk->output_capacity, problem->n * per_line + 1,
                                  1, err);
    if (!output)
        return -1;
    chunk->output = output;
    int32_t *predicted = memory_reserve(chunk->predicted, &chunk->predicted_capacity,
                                        problem->n + 1, sizeof *predicted, err);
    if (!predicted)
        return -1;
    chunk->predicted = predicted;
    double *scores = memory_new((problem->n < PREDICT_ROWS ? problem->n : PREDICT_ROWS) * columns,
                                sizeof(double), err);
    char *p = scores ? output : NULL;
    for (int64_t first = 0; p && first < problem->n; first += PREDICT_ROWS) {
        struct problem some = problem_part(
            problem, first, problem->n - first < PREDICT_ROWS ? problem->n - first : PREDICT_ROWS);
        p = predict_rows(predictor, &some, scores, predicted + first, p, err);
    }
    chunk->output_size = p ? p - output : 0;
    memory_free(scores);
    return p ? 0 : -1;
}

static char *make_label_text(const struct predict_model *model, struct error *err)
{
    char *all = memory_new(model->classes, LABEL_TEXT, err);
    for (int64_t k = 0; all && k < model->classes; k++) {
        char *text = all + k * LABEL_TEXT;
        text[0] = (char)(number_write_int(text + 1, model->label[k]) - (text + 1));
    }
    return all;
}

/* The first line with -b 1: labels in the order of the scores. */
static void write_labels(struct output *out, const struct predict_model *model)
{
    output_text(out, "labels");
    for (int64_t k = 0; k < model->classes; k++)
        output_text(out, " %ld", (long)model->label[is_signed(model) ? 1 - k : k]);
    output_text(out, "\n");
}

/* Count the truth against what was predicted. */
static void count_chunk(const struct chunk *chunk, const struct predict_model *model,
                        const struct labels *ascending, struct predict_report *report)
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

int predict_file(const struct predict_model *model, const char *test, const char *output,
                 const struct predict_options *options, struct predict_report *report,
                 struct error *err)
{
    struct output out = {.fd = -1};
    struct stream *stream = NULL;
    struct labels ascending = {0};
    int status = -1;

    report->classes = model->classes;
    if (labels_from(model->label, model->classes, &ascending, err) != 0)
        goto done;
    report->label = memory_new(model->classes, sizeof *report->label, err);
    if (!report->label)
        goto done;
    memcpy(report->label, ascending.value, (size_t)model->classes * sizeof *report->label);
    if (options->confusion) {
        if (memory_check((double)model->classes * (double)model->classes * 8,
                         "the confusion matrix", err)
            != 0)
            goto done;
        report->count = memory_new(model->classes * model->classes, sizeof *report->count, err);
        if (!report->count)
            goto done;
    }
    char *label_text = make_label_text(model, err);
    if (!label_text)
        goto done;
    struct predictor predictor = {model, options, label_text};
    struct stream_options reading = {.format = options->format,
                                     .threads = options->threads,
                                     .process = predict_chunk,
                                     .context = &predictor};
    reading.format.unlabelled = true;
    reading.format.bias = model->bias;
    if (output_open(&out, output, err) != 0 || !(stream = stream_open(test, &reading, err)))
        goto done_label_text;
    if (options->scores)
        write_labels(&out, model);

    struct progress progress = progress_start(options->quiet, "examples");
    struct chunk *chunk;
    while ((status = stream_next(stream, &chunk, err)) > 0) {
        count_chunk(chunk, model, &ascending, report);
        output_write(&out, chunk->output, chunk->output_size);
        /* A live reader behind a pipe gets what there is; a failed write ends the work.  (A file of
         * size 0 never comes here.) */
        if ((stream_size(stream) < 0 || out.failed) && output_flush(&out, err) != 0) {
            status = -1;
            break;
        }
        progress_update(&progress, report->examples,
                        stream_size(stream) > 0
                            ? (double)stream_position(stream) / (double)stream_size(stream)
                            : -1);
    }
    progress_wipe(&progress);
    if (status == 0)
        status = output_commit(&out, err);

done_label_text:
    stream_close(stream);
    memory_free(label_text);
done:
    output_abandon(&out);
    labels_free(&ascending);
    return status < 0 ? -1 : 0;
}

static void print_confusion(FILE *out, const struct predict_report *r)
{
    double off_diagonal = 0;
    fprintf(out, "Confusion matrix (rows: true, columns: predicted)\n%11s", "");
    for (int64_t k = 0; k < r->classes; k++)
        fprintf(out, " %8ld", (long)r->label[k]);
    fprintf(out, "   recall precision\n");
    for (int64_t q = 0; q < r->classes; q++) {
        int64_t row = 0, column = 0, right = r->count[q * r->classes + q];
        fprintf(out, "%11ld", (long)r->label[q]);
        for (int64_t k = 0; k < r->classes; k++) {
            row += r->count[q * r->classes + k];
            column += r->count[k * r->classes + q];
            fprintf(out, " %8lld", (long long)r->count[q * r->classes + k]);
        }
        for (int64_t k = 0; k < r->classes && row > 0; k++)
            if (k != q) {
                double share = (double)r->count[q * r->classes + k] / (double)row;
                off_diagonal += share * share;
            }
        char recall[16] = "-", precision[16] = "-"; /* no example of this class, none predicted */
        if (row > 0)
            snprintf(recall, sizeof recall, "%.4f", (double)right / (double)row);
        if (column > 0)
            snprintf(precision, sizeof precision, "%.4f", (double)right / (double)column);
        fprintf(out, " %8s  %8s\n", recall, precision);
    }
    fprintf(out, "Confusion rate = %g\n", sqrt(off_diagonal) / sqrt((double)r->classes));
}

void predict_print(FILE *out, const struct predict_report *report)
{
    if (report->labelled > 0)
        fprintf(out, "Accuracy = %g%% (%lld/%lld)\n",
                100.0 * (double)report->correct / (double)report->labelled,
                (long long)report->correct, (long long)report->labelled);
    if (report->count)
        print_confusion(out, report);
}

void predict_report_free(struct predict_report *report)
{
    memory_free(report->label);
    memory_free(report->count);
    *report = (struct predict_report){0};
}

/* What the trailer says about how the training data was read. */
static int set_format(const struct model *model, const char *const *learners,
                      struct example_format *format, struct error *err)
{
    const char *learner;
    int64_t flag;
    if (model->entries == 0)
        return 0;
    if (model_word(model, "learner", &learner, err) != 0)
        return -1;
    int known = !learners;
    for (int i = 0; learners && learners[i]; i++)
        known |= strcmp(learner, learners[i]) == 0;
    if (!known)
        return error_at(err, model->file, 0, 0, "a model of \"%.40s\", which is another program's",
                        learner);
    if (model_int(model, "unit_length", 0, 1, &flag, err) != 0)
        return -1;
    format->unit_length = flag;
    if (model_int(model, "zero_based", 0, 1, &flag, err) != 0)
        return -1;
    format->zero_based |= flag;
    return 0;
}

/* What predict_main was asked for. */
struct job {
    const char *test, *model, *output;
    const char *hop, *universum; /* files of projections, NULL: none */
    struct predict_options options;
    struct predict_report report;
};

/* Projections, where asked for, come first and appear last: what is wrong with them is found before
 * there are labels. */
static int predict_with(const struct predict_model *model, struct job *job, struct error *err)
{
    struct output hop = {.fd = -1};
    int status = 0;
    if (job->hop
        && (output_open(&hop, job->hop, err) != 0
            || projections_write(model, job->test, job->universum, &job->options, &hop, err) != 0
            || output_flush(&hop, err) != 0))
        status = -1;
    if (status == 0)
        status = predict_file(model, job->test, job->output, &job->options, &job->report, err);
    if (status == 0 && job->hop)
        status = output_commit(&hop, err);
    output_abandon(&hop);
    return status;
}

/* ---- the two kinds of model ---- */

static int score_linear(const void *context, const struct problem *some, double *scores,
                        struct error *err)
{
    const struct weights *w = context;
    double *one = memory_new(w->stride, sizeof *one, err);
    for (int64_t i = 0; one && i < some->n; i++) {
        struct example x = problem_example(some, i);
        weights_scores(w, &x, one);
        memcpy(scores + i * w->columns, one, (size_t)w->columns * sizeof *scores);
    }
    memory_free(one);
    return one ? 0 : -1;
}

static int predict_linear(const char *const *learners, struct job *job, struct error *err)
{
    struct model model = {0};
    int status = -1;
    if (model_read(job->model, job->options.threads, 0, &model, err) == 0
        && set_format(&model, learners, &job->options.format, err) == 0) {
        struct predict_model predict = {.classes = model.classes,
                                        .label = model.label,
                                        .columns = model.w.columns,
                                        .bias = model.bias,
                                        .score = score_linear,
                                        .context = &model.w};
        status = predict_with(&predict, job, err);
    }
    model_free(&model);
    return status;
}

struct kernel_scorer {
    const struct kernel_model *model;
    struct kernel_data vectors;
};

static int score_kernel(const void *context, const struct problem *some, double *scores,
                        struct error *err)
{
    const struct kernel_scorer *s = context;
    const struct kernel_model *model = s->model;
    double *k = memory_resize(NULL, some->n * model->sv.n, sizeof *k, err);
    double *pairs = k && model->votes
                        ? memory_resize(NULL, some->n * model->columns, sizeof *pairs, err)
                        : NULL;
    int status = !k || (model->votes && !pairs) ? -1
                                                : kernel_model_values(model, &s->vectors, some, k,
                                                                      pairs ? pairs : scores, err);
    for (int64_t i = 0; i < some->n && pairs && status == 0; i++) {
        for (int64_t c = 0; c < model->columns && status == 0; c++)
            if (!isfinite(pairs[i * model->columns + c]))
                status = refuse_score(some->line[i], err);
        predict_votes(pairs + i * model->columns, model->classes, scores + i * model->classes);
    }
    memory_free(pairs);
    memory_free(k);
    return status;
}

static int predict_kernel(const char *svm_type, struct job *job, struct error *err)
{
    struct kernel_model model = {0};
    struct kernel_scorer scorer = {.model = &model};
    int status = -1;
    if (kernel_model_read(job->model, svm_type, job->options.threads, &model, err) == 0
        && kernel_data_make(&model.sv, NULL, &scorer.vectors, err) == 0) {
        struct predict_model predict = {.classes = model.classes,
                                        .label = model.label,
                                        .columns = model.classes,
                                        .bias = -1,
                                        .score = score_kernel,
                                        .context = &scorer};
        job->options.format.unit_length = model.unit_length;
        job->options.format.zero_based |= model.zero_based;
        status = predict_with(&predict, job, err);
    }
    kernel_data_free(&scorer.vectors);
    kernel_model_free(&model);
    return status;
}

#define DETAILS                                                                                   \
    "Reads LIBSVM text (`-`: standard input) and writes one label a line (`-`: standard output; " \
    "the report goes to standard error then). A line whose "                                      \
    "label is `?` is predicted and not counted. A label that the model does not have counts as "  \
    "wrong. Linear models of LIBLINEAR are read as well."
#define DETAILS_OF_PROJECTIONS                                                                     \
    "\n\n"                                                                                         \
    "With --hop it also writes projections, from which histograms are made: a line `set class "    \
    "projection predicted`, separated by tabs, then a line of "                                    \
    "set `train` for each example of the test file (usually the training set) whose label the "    \
    "model has, and one of set `universum` for each sample of "                                    \
    "the universum and each class. The projection on a class is its score less the largest score " \
    "of another class."

int predict_main(const struct predict_program *predict, int argc, char **argv)
{
    static const char *const kinds[] = {"0", "1", NULL};
    enum { OF_PROJECTIONS = 2 }; /* the last options of the table */
    struct job job = {.hop = NULL};
    int64_t threads = parallel_processors(), scores;
    struct option table[] = {
        {ROW_CHOICE('b', "scores", &scores, "0|1", kinds), .by_default = "0",
         .help = "1: write `labels` and then each label with the scores of all classes"},
        {ROW_FLAG('m', "matrix", &job.options.confusion),
         .help = "also print the confusion matrix, each class's recall and precision, and the "
                 "confusion rate"},
        OPTION_ZERO_BASED(&job.options.format.zero_based),
        OPTION_QUIET(&job.options.quiet),
        OPTION_THREADS(&threads),
        {ROW_OUTPUT(0, "hop", &job.hop, "file"),
         .help = "also write the projections of the test file's examples on their own classes, for "
                 "histograms"},
        {ROW_INPUT(0, "universum", &job.universum, "file"),
         .help =
             "with --hop: also those of these samples, whose labels are ignored, on every class"},
    };
    struct program program = {
        .name = predict->name,
        .words = "test_file model_file output_file",
        .files = "rrw",
        .summary = predict->summary,
        .fewest_words = 3,
        .most_words = 3,
        .options = table,
        .details = predict->projections ? DETAILS DETAILS_OF_PROJECTIONS : DETAILS,
        .count = (int)(sizeof table / sizeof *table) - (predict->projections ? 0 : OF_PROJECTIONS)};
    const char *word[4];
    program_start();
    int go = options_parse(&program, argc, argv, word);
    if (go != OPTIONS_GO)
        return go;
    job.test = word[0];
    job.model = word[1];
    job.output = word[2];
    job.options.scores = scores == 1;
    job.options.threads = (int)threads;
    if (job.universum && !job.hop)
        return options_refuse(&program, "--universum goes with --hop");
    if (job.hop && strcmp(job.test, "-") == 0)
        return options_refuse(&program,
                              "--hop reads the test file twice: it cannot be standard input");

    struct error err = {0};
    int failed = (predict->svm_type && kernel_model_is(job.model)
                      ? predict_kernel(predict->svm_type, &job, &err)
                      : predict_linear(predict->learners, &job, &err))
                 != 0;
    if (!failed) {
        predict_print(strcmp(job.output, "-") == 0 || (job.hop && strcmp(job.hop, "-") == 0)
                          ? stderr
                          : stdout,
                      &job.report);
        if (job.report.unknown > 0 && !job.options.quiet)
            fprintf(stderr,
                    "%s: %lld of %lld examples have a label that the model does not know; they "
                    "count as wrong\n",
                    predict->name, (long long)job.report.unknown, (long long)job.report.labelled);
    }
    predict_report_free(&job.report);
    return program_end(predict->name, failed, &err);
}
