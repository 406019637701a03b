/* A linear model is read by model.h, a kernel model by kernel_model.h; either becomes a struct
 * predict_model, which is all that prediction needs. */
#include "common/program/predict_main.h"

#include "common/base/memory.h"
#include "common/base/parallel.h"
#include "common/base/text.h"
#include "common/data/bad_lines.h"
#include "common/model/kernel_model.h"
#include "common/model/mapped_scores.h"
#include "common/model/model.h"
#include "common/program/option_rows.h"
#include "common/program/program.h"
#include "common/program/run_report.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum { PREDICT_MOST_OPTIONS = 16 };

struct predict_job {
    const struct predict_program *program;
    const char *test, *model, *output;
    struct text text;        /* of a model of either kind, until it is read; else empty */
    int64_t scores, threads; /* as parsed */
    struct predict_options options;
    struct bad_lines bad; /* of the test file */
    bool cut;             /* it ends in the middle of a line */
    struct accuracy_report accuracy;
    const char *names_given;
    struct names names;
    struct program_voice voice;
};

/* Read the test data as the training data were read, by the model's trailer. */
static int predict_set_format(const struct model *model, struct example_format *format,
                              struct error *err)
{
    bool zero_based;
    if (model->entries == 0)
        return 0;
    if (model_flag(model, "unit_length", &format->unit_length, err) != 0
        || model_flag(model, "zero_based", &zero_based, err) != 0)
        return -1;
    format->zero_based |= zero_based;
    return 0;
}

static int predict_with(const struct predict_model *model, struct predict_job *job,
                        struct error *err)
{
    const struct predict_addition *addition = job->program->addition;
    if (addition && addition->begin(addition->context, model, job->test, &job->options, err) != 0)
        return -1;
    if (predict_file(model, job->test, job->output, &job->options, &job->accuracy, err) != 0)
        return -1;
    return addition && addition->finish ? addition->finish(addition->context, err) : 0;
}

/* ---- linear models ---- */

static int predict_score_linear(const void *context, const struct problem *some, double *scores,
                                struct error *err)
{
    const struct weights *w = context;
    double *one = memory_new(w->stride, sizeof *one, err);
    if (!one)
        return -1;
    for (int64_t i = 0; i < some->n; i++) {
        struct example x = problem_example(some, i);
        weights_scores(w, &x, one);
        memcpy(scores + i * w->columns, one, (size_t)w->columns * sizeof *scores);
    }
    memory_free(one);
    return 0;
}

/* temperature: in, 0; out.  Only a model of forward-train has one. */
static int predict_read_temperature(const struct predict_job *job, const struct model *model,
                                    double *temperature, struct error *err)
{
    if (!job->program->probabilities || !model_has(model, "temperature"))
        return 0;
    return model_number(model, "temperature", DBL_MIN, DBL_MAX, temperature, err);
}

static int predict_read_linear(struct predict_job *job, struct model *model, struct error *err)
{
    const int threads = job->options.threads;
    if (!job->program->svm_type)
        return model_read(job->model, threads, false, model, err);
    const int status = model_read_text(&job->text, threads, false, model, err);
    text_close(&job->text);
    return status;
}

static int predict_linear(struct predict_job *job, struct error *err)
{
    struct model model = {0};
    struct mapped_scores mapped = {.v = NULL};
    int status = -1;
    if (predict_read_linear(job, &model, err) == 0
        && predict_set_format(&model, &job->options.format, err) == 0) {
        struct predict_model predict = {.classes = model.classes,
                                        .label = model.label,
                                        .columns = model.w.columns,
                                        .bias = model.bias,
                                        .score = predict_score_linear,
                                        .context = &model.w};
        status = predict_read_temperature(job, &model, &predict.temperature, err);
        if (status == 0 && model.map.kind != FEATURE_MAP_NONE) {
            predict.bias = -1; /* it comes after the map */
            predict.score = mapped_scores_of;
            predict.context = &mapped;
            status = mapped_scores_make(&model, job->options.threads, &mapped, err);
        }
        if (status == 0)
            status = predict_with(&predict, job, err);
    }
    mapped_scores_free(&mapped);
    model_free(&model);
    return status;
}

/* ---- kernel models ---- */

struct predict_kernel_scorer {
    const struct kernel_model *model;
    struct kernel_data vectors;
};

/* The votes of one example from the values of all pairwise functions; -1 if one is not finite. */
static int predict_count_votes(const struct kernel_model *model, const double *pairs, int64_t line,
                               double *votes, struct error *err)
{
    for (int64_t c = 0; c < model->columns; c++)
        if (!isfinite(pairs[c]))
            return predict_refuse_score(line, err);
    predict_votes(pairs, model->classes, votes);
    return 0;
}

static int predict_score_kernel(const void *context, const struct problem *some, double *scores,
                                struct error *err)
{
    const struct predict_kernel_scorer *s = context;
    const struct kernel_model *model = s->model;
    double *pairs = NULL, *k = memory_resize(NULL, some->n * model->sv.n, sizeof *k, err);
    int status = -1;
    if (!k)
        goto done;
    if (!model->votes) {
        status = kernel_model_values(model, &s->vectors, some, k, scores, err);
        goto done;
    }
    if (!(pairs = memory_resize(NULL, some->n * model->columns, sizeof *pairs, err))
        || kernel_model_values(model, &s->vectors, some, k, pairs, err) != 0)
        goto done;
    for (int64_t i = 0; i < some->n; i++)
        if (predict_count_votes(model, pairs + i * model->columns, some->line[i],
                                scores + i * model->classes, err)
            != 0)
            goto done;
    status = 0;
done:
    memory_free(pairs);
    memory_free(k);
    return status;
}

static int predict_read_kernel(struct predict_job *job, struct kernel_model *model,
                               struct error *err)
{
    const int status = kernel_model_read_text(&job->text, job->program->svm_type,
                                              job->options.threads, model, err);
    text_close(&job->text);
    return status;
}

static int predict_kernel(struct predict_job *job, struct error *err)
{
    struct kernel_model model = {0};
    struct predict_kernel_scorer scorer = {.model = &model};
    int status = -1;
    if (predict_read_kernel(job, &model, err) == 0
        && kernel_data_make(&model.sv, NULL, &scorer.vectors, err) == 0) {
        struct predict_model predict = {.classes = model.classes,
                                        .label = model.label,
                                        .columns = model.classes,
                                        .bias = -1,
                                        .score = predict_score_kernel,
                                        .context = &scorer};
        job->options.format.unit_length = model.unit_length;
        job->options.format.zero_based |= model.zero_based;
        status = predict_with(&predict, job, err);
    }
    kernel_data_free(&scorer.vectors);
    kernel_model_free(&model);
    return status;
}

/* ---- the program ---- */

static const char predict_details[] =
    "Reads LIBSVM text (`-`: standard input) and writes one label per line (`-`: standard output; "
    "the report then goes to standard error). A line whose label is `?` is predicted and not "
    "counted. A label that the model does not have counts as wrong. Linear models of LIBLINEAR and "
    "of all train programs of LIBDOUBT are read.";

static int predict_run(struct predict_job *job, struct error *err)
{
    if (!job->program->svm_type)
        return predict_linear(job, err);
    if (text_open(&job->text, job->model, err) != 0)
        return -1;
    return kernel_model_is(&job->text) ? predict_kernel(job, err) : predict_linear(job, err);
}

/* The report for people: to standard output, unless the labels or another output go there. */
static void predict_print_report(const struct predict_job *job)
{
    const struct predict_addition *addition = job->program->addition;
    bool taken = strcmp(job->output, "-") == 0
                 || (job->voice.report.path && strcmp(job->voice.report.path, "-") == 0)
                 || (addition && addition->takes_stdout
                     && addition->takes_stdout(addition->context));
    FILE *out = taken ? stderr : stdout;
    if (!addition || !addition->print || !addition->print(addition->context, out))
        accuracy_print(out, &job->accuracy, &job->names);
}

/* The warnings of all predictors. */
static void predict_warn(struct predict_job *job)
{
    if (job->accuracy.unknown > 0)
        program_warn(job->voice.name, &job->voice.report,
                     "labels that the model does not know, counted as wrong: %lld of %lld",
                     (long long)job->accuracy.unknown, (long long)job->accuracy.labelled);
    if (job->bad.all_told > 0)
        program_warn(job->voice.name, &job->voice.report,
                     "bad lines skipped and answered with ?: %lld", (long long)job->bad.all_told);
    program_warn_cut(job->voice.name, &job->voice.report, job->cut, job->test);
}

/* Called for every bad line that is skipped. */
static void predict_tell_skipped(void *context, const struct error *why)
{
    const struct predict_job *job = context;
    program_tell_skipped(job->voice.name, why);
}

/* Called before the labels appear: the report for scripts must be on the disk by then. */
static int predict_ready(void *context, struct error *err)
{
    struct predict_job *job = context;
    const struct predict_addition *addition = job->program->addition;
    accuracy_put(&job->voice.report, &job->accuracy);
    if (addition && addition->report) {
        const struct findings to = program_findings(&job->voice);
        addition->report(addition->context, &to);
    }
    predict_warn(job);
    return run_report_finish(&job->voice.report, err);
}

/* All but the options.  0 or -1. */
static int predict_all(struct predict_job *job, const struct program *program,
                       const char *const *word, struct error *err)
{
    if (run_report_begin(&job->voice.report, program, word, err) != 0)
        return -1;
    if (job->names_given) {
        if (names_read(job->names_given, &job->names, err) != 0)
            return -1;
        job->options.names = &job->names;
    }
    job->options.ready = predict_ready;
    job->options.context = job;
    if (predict_run(job, err) != 0)
        return -1;
    predict_print_report(job);
    return report_commit(&job->voice.report, err);
}

/* The options of all predictors, then those of the addition.  table: out.  Returns how many. */
static int predict_make_table(struct predict_job *job, struct option table[PREDICT_MOST_OPTIONS])
{
    const struct predict_addition *addition = job->program->addition;
    const struct option of_all[] = {
        {ROW_CHOICE('b', "scores", &job->scores, "0|1", option_zero_one), .by_default = "0",
         .help = job->program->probabilities
                     ? "1: write a first line `labels ...`, then each label with the probabilities "
                       "of all true classes, as svm-predict -b 1 does (scores where the model has "
                       "no temperature: those of LIBLINEAR and of our other train programs)"
                     : "1: write a first line `labels ...`, then each label with the scores of all "
                       "classes"},
        {ROW_FLAG('m', "matrix", &job->options.confusion),
         .help = "also print the confusion matrix, each class's recall and precision, and the "
                 "confusion rate"},
        OPTION_NAMES(&job->names_given),
        OPTION_ZERO_BASED(&job->options.format.zero_based),
        OPTION_REPORT(&job->voice.report.path),
        OPTION_QUIET(&job->voice.quiet),
        OPTION_THREADS(&job->threads),
        OPTION_SKIP_BAD(&job->bad.most, "; the answer to them is ?"),
        OPTION_STRICT,
    };
    enum { OF_ALL = sizeof of_all / sizeof *of_all };
    const int more = addition ? addition->count : 0;
    assert(OF_ALL + more <= PREDICT_MOST_OPTIONS);
    memcpy(table, of_all, sizeof of_all);
    for (int i = 0; i < more; i++)
        table[OF_ALL + i] = addition->options[i];
    return OF_ALL + more;
}

/* What follows from the options and the words of the command line. */
static void predict_settle(struct predict_job *job, const char *const *word)
{
    job->test = word[0];
    job->model = word[1];
    job->output = word[2];
    job->options.scores = job->scores == 1;
    job->options.threads = (int)job->threads;
    job->options.quiet = job->voice.quiet;
    job->options.format.cut = &job->cut;
    job->bad.tell = predict_tell_skipped;
    job->bad.context = job;
    if (job->bad.most > 0)
        job->options.format.bad = &job->bad;
}

int predict_main(const struct predict_program *predict, int argc, char **argv)
{
    const struct predict_addition *addition = predict->addition;
    struct predict_job job = {
        .program = predict, .voice.name = predict->name, .threads = parallel_processors()};
    struct option table[PREDICT_MOST_OPTIONS];
    char details[2048];
    snprintf(details, sizeof details, "%s%s", predict_details, addition ? addition->details : "");
    struct program program = {.name = predict->name,
                              .words = "test_file model_file output_file",
                              .files = "rrw",
                              .summary = predict->summary,
                              .details = details,
                              .see_also = predict->see_also,
                              .examples = predict->examples,
                              .fewest_words = 3,
                              .most_words = 3,
                              .options = table,
                              .count = predict_make_table(&job, table)};
    const char *word[4];
    struct error err = {0};
    program_start();
    program_line_buffer();
    int go = options_parse(&program, argc, argv, word);
    if (go != OPTIONS_GO)
        return go;
    predict_settle(&job, word);
    if (addition && addition->check(addition->context, job.test, &job.options, &err) != 0)
        return program_end(&program, 1, &err);
    int failed = predict_all(&job, &program, word, &err) != 0;
    report_abandon(&job.voice.report);
    names_free(&job.names);
    accuracy_report_free(&job.accuracy);
    return program_end(&program, failed, &err);
}
