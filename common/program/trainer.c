/* The steps listed in trainer.h. */
#include "common/program/trainer.h"

#include "common/base/input.h"
#include "common/base/memory.h"
#include "common/base/number.h"
#include "common/base/output.h"
#include "common/base/parallel.h"
#include "common/base/reduce.h"
#include "common/data/example_weights.h"
#include "common/data/feature_sizes.h"
#include "common/data/folds.h"
#include "common/data/number_features.h"
#include "common/linear/weights.h"
#include "common/program/program.h"
#include "common/program/run_report.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

/* Times the size of the median feature that the largest may have without a note.  Measured: at most
 * 6 on 17 sets, raw or scaled; 47, 313 and 4370 on three (glass, wine and breast cancer of UCI) of
 * which arow-train gets 6 to 28 points more where they are scaled. */
static const double trainer_one_scale = 20;

struct trainer trainer_start(void)
{
    return (struct trainer){.threads = parallel_processors()};
}

bool trainer_given(const struct trainer *t, const char *option)
{
    return options_find(&t->program, option)->given;
}

/* ---- messages and reports ---- */

double trainer_data_bytes(const struct trainer *t)
{
    return input_is_file(t->data) ? memory_budget() : memory_limit();
}

int trainer_refuse_pipe(const struct trainer *t, const char *when, struct error *err)
{
    return error_at(err, input_name(t->data), 0, 0,
                    "out of memory: a pipe is held in memory here; it is streamed %s", when);
}

int trainer_number(struct trainer *t, struct problem *problem, struct error *err)
{
    if (t->form.map)
        return 0;
    t->form.numbers = &t->numbers;
    return number_features(problem, &t->numbers, err);
}

int64_t trainer_features(const struct trainer *t, const struct problem *problem)
{
    return feature_numbers_d(&t->numbers, problem->d);
}

int trainer_check_model(const struct trainer *t, double bytes, int64_t features, struct error *err)
{
    double checked = 0;
    return t->folds != 0 ? 0
                         : weights_check_memory(bytes, &checked, features, t->labels.count, err);
}

int trainer_check_folds(const struct trainer *t, int64_t examples, struct error *err)
{
    return t->folds == 0 ? 0 : folds_check(t->folds, examples, err);
}

void trainer_report_data(const struct trainer *t, int64_t examples, int64_t features)
{
    report_count(t->found, REPORT_EXAMPLES, examples);
    report_count(t->found, REPORT_FEATURES, features);
    report_labels(t->found, t->labels.value, t->labels.count);
    if (features == 0)
        trainer_warn(t, "no example has a feature: all are predicted alike");
}

void trainer_note_sizes(const struct trainer *t, const struct problem *problem)
{
    int32_t largest;
    double ratio;
    if (t->quiet || reduce_ranks() > 1)
        return;
    feature_sizes_compare(problem, &largest, &ratio);
    if (ratio > trainer_one_scale)
        trainer_note(t,
                     "the values of feature %d are %.0f times as large as those of the median "
                     "feature: most learners do better with features of one scale (svm-scale)",
                     (int)feature_numbers_original(&t->numbers, largest), ratio);
}

void trainer_print_validation(const struct trainer *t, int64_t correct, int64_t n)
{
    fprintf(t->results, "Cross Validation Accuracy = %g%%\n", 100.0 * (double)correct / (double)n);
    report_count(t->found, REPORT_LABELLED, n);
    report_count(t->found, REPORT_CORRECT, correct);
    report_number(t->found, REPORT_ACCURACY, (double)correct / (double)n);
}

void trainer_print_errors(const struct trainer *t, double given, double estimated)
{
    fprintf(t->results,
            "error against the given labels %.4g%%, estimated error against the true ones %.4g%%\n",
            100 * given, 100 * estimated);
    report_number(t->found, REPORT_ERROR_GIVEN, given);
    report_number(t->found, REPORT_ERROR_TRUE, estimated);
    if (estimated < 0)
        trainer_warn(t, "the estimated error is below 0: by chance, or the confusion matrix is not "
                        "that of these labels");
}

void trainer_warn(const struct trainer *t, const char *format, ...)
{
    char text[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    program_warn(t->program.name, t->found, "%s", text);
}

void trainer_warn_text(void *trainer, const char *text)
{
    trainer_warn(trainer, "%s", text);
}

void trainer_note(const struct trainer *t, const char *format, ...)
{
    va_list args;
    if (t->quiet)
        return;
    fprintf(stderr, "%s: note: ", t->program.name);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

void trainer_say(const struct trainer *t, const char *format, ...)
{
    va_list args;
    if (!t->report)
        return;
    va_start(args, format);
    vfprintf(t->report, format, args);
    va_end(args);
    fputc('\n', t->report);
}

/* ---- on the way ---- */

/* Called for every bad line that is skipped. */
static void trainer_tell_skipped(void *context, const struct error *why)
{
    struct trainer *t = context;
    progress_wipe(&t->progress);
    program_tell_skipped(t->program.name, why);
}

/* Bad lines are skipped, and told of. */
static struct example_format trainer_skip_bad(struct trainer *t, struct example_format format)
{
    t->bad.most = t->skip_bad;
    t->bad.labels = t->labels.count > 0 ? &t->labels : NULL;
    t->bad.tell = trainer_tell_skipped;
    t->bad.context = t;
    if (t->skip_bad > 0)
        format.bad = &t->bad;
    return format;
}

struct example_format trainer_format(struct trainer *t)
{
    return trainer_skip_bad(t, data_format(&t->form));
}

struct example_format trainer_format_unmapped(struct trainer *t)
{
    struct example_format format = data_format_unmapped(&t->form);
    format.keep_lengths = t->keep_lengths;
    return trainer_skip_bad(t, format);
}

/* --save-every.  Learning goes on where this fails: the next time there may be space again. */
static void trainer_save_on_the_way(void *context)
{
    struct trainer *t = context;
    struct error why = {0};
    if (t->save(t, &why) == 0)
        return;
    progress_wipe(&t->progress);
    error_name(&why, t->model);
    char examples[NUMBER_COUNTED];
    trainer_warn(t, "after %s the model could not be saved: %s: %s",
                 number_counted(t->milestones.done, "example", examples), why.file, why.message);
}

static void trainer_tell_milestone(void *context, int64_t done)
{
    const struct trainer *t = context;
    const int64_t mistakes = t->mistakes(t) - t->had_mistakes;
    fprintf(stderr, "%s: %lld %s, %lld mistakes (%.4g%%)\n", t->program.name, (long long)done,
            t->progress.items, (long long)mistakes, 100 * (double)mistakes / (double)done);
}

int trainer_watch(struct trainer *t, enum trainer_source source, struct error *err)
{
    /* Those that are not held are opened later, and may be a named pipe. */
    const struct stop *stop = program_catch_stops(source != TRAINER_HELD, err);
    if (!stop)
        return -1;
    const bool tells = source == TRAINER_STREAM && !t->quiet && !t->progress.shown;
    t->milestones = (struct milestones){.stop = stop,
                                        .save_every = t->save_every,
                                        .save = trainer_save_on_the_way,
                                        .tell = tells ? trainer_tell_milestone : NULL,
                                        .context = t};
    t->had_mistakes = t->mistakes(t);
    return 0;
}

/* Has a signal ended learning before the first example? */
static bool trainer_learnt_nothing(const struct trainer *t)
{
    return t->milestones.stopped && t->milestones.done == 0;
}

int trainer_save(struct trainer *t, struct error *err)
{
    if (t->saved || trainer_learnt_nothing(t))
        return 0;
    t->saved = t->save(t, err) == 0;
    return t->saved ? 0 : -1;
}

/* Into --report: the signal that ended learning, if one did. */
static void trainer_report_signal(const struct trainer *t)
{
    if (!t->milestones.stopped)
        return;
    report_text(t->found, REPORT_STOPPED_BY, program_signal_name(t->milestones.stop->signal));
    report_count(t->found, REPORT_STOPPED_AFTER, t->milestones.done);
}

/* Say what a signal has left behind.  Returns the exit status. */
static int trainer_report_stop(const struct trainer *t)
{
    const int number = t->milestones.stop->signal;
    fprintf(stderr, "%s: stopped by %s ", t->program.name, program_signal_name(number));
    if (trainer_learnt_nothing(t)) {
        fputs("before the first example: no model is written\n", stderr);
    } else {
        fprintf(stderr, "after %lld %s: the model with what was learnt from them is saved in ",
                (long long)t->milestones.done, t->progress.items);
        error_put(stderr, output_name(t->model));
        fputc('\n', stderr);
    }
    return 128 + number;
}

/* ---- options together ---- */

/* Is the option, or TRAINER_MODEL, given?  title: out: its name in a message. */
static bool trainer_meets(const struct trainer *t, const char *option, char title[64])
{
    if (strcmp(option, TRAINER_MODEL) == 0) {
        snprintf(title, 64, "%s", option);
        return t->model != NULL;
    }
    const struct option *o = options_find(&t->program, option);
    if (o->letter)
        snprintf(title, 64, "-%c", o->letter);
    else
        snprintf(title, 64, "--%s", o->name);
    return o->given;
}

static int trainer_refuse_clashes(const struct trainer *t, struct error *err)
{
    for (const struct trainer_clash *c = t->clashes; c && c->option; c++) {
        char option[64], with[64];
        if (trainer_meets(t, c->option, option) && trainer_meets(t, c->with, with))
            return error_usage(err, "%s %s: it does not go with %s", option, c->reason, with);
    }
    return 0;
}

/* Make the map that the options describe, unless one comes from a model. */
static int trainer_make_map(struct trainer *t, struct error *err)
{
    if (t->resume_given)
        return 0;
    if (t->map_kind == FEATURE_MAP_NONE) {
        if (t->map_dims > 0)
            return error_usage(err, "--map-dims has no meaning without --map");
        if (t->map_gamma > 0)
            return error_usage(err, "--map-gamma has no meaning without --map");
        return 0;
    }
    if (t->map_kind == FEATURE_MAP_NYSTROM && t->map_dims > FEATURE_MAP_MOST_LANDMARKS)
        return error_usage(err, "--map nystrom has at most %d features",
                           FEATURE_MAP_MOST_LANDMARKS);
    t->map = feature_map_make(t->map_kind, t->map_dims, t->map_gamma, t->form.seed);
    t->form.map = &t->map.base;
    return 0;
}

/* Settings that follow from others, options that clash, and --labels. */
static int trainer_settle(struct trainer *t, struct error *err)
{
    t->form.unit_length = t->unit_length == 1;
    if (t->form.bias < 0)
        t->form.bias = -1;
    if (!(t->data = reduce_path(t->data, err)))
        return -1;
    if (t->alone && program_check_ranks(&t->program, t->data, t->alone, err) != 0)
        return -1;
    if (trainer_refuse_clashes(t, err) != 0 || trainer_make_map(t, err) != 0)
        return -1;
    if (t->check && t->check(t, err) != 0)
        return -1;
    if (t->fold_predictions && t->folds == 0)
        return error_usage(err, "--fold-predictions is of cross-validation: it goes with -v%s",
                           t->model ? ", without a model file" : "");
    if (t->fold_scores && !t->fold_predictions)
        return error_usage(err, "--fold-scores goes with --fold-predictions");
    if (t->stdout_taken && t->report_given && strcmp(t->report_given, "-") == 0)
        return error_usage(err, "standard output is taken: name the file of --report");
    if (!t->model && t->folds == 0 && strcmp(t->data, "-") == 0)
        return error_usage(err, "data from standard input: name the model file");
    if (!t->model && t->folds == 0 && reduce_has_shards())
        return error_usage(err, "data in a file for each rank: name the model file");
    if (t->save_every > 0 && t->model && strcmp(t->model, "-") == 0)
        return error_usage(err, "--save-every: standard output cannot be written again; name the "
                                "model file");
    int status = t->labels_given ? labels_parse(t->labels_given, &t->labels, err) : 0;
    if (status > 0) {
        char reason[sizeof err->message];
        snprintf(reason, sizeof reason, "%s", err->message);
        return error_usage(err, "--labels: %.400s", reason);
    }
    return status;
}

/* ---- weights of examples (-W) ---- */

int trainer_weigh(struct trainer *t, struct problem *problem, int32_t *y, struct error *err)
{
    const int64_t n = problem->n;
    if (!t->weights_given)
        return 0;
    if (example_weights_read(t->weights_given, problem, y, &t->weight, err) != 0)
        return -1;
    if (problem->n < n)
        trainer_say(t, "%lld of %lld examples have the weight 0: they are left out",
                    (long long)(n - problem->n), (long long)n);
    return 0;
}

/* ---- outputs ---- */

/* The file that an option names for output; NULL: none. */
static const char *trainer_output(const struct option *o)
{
    return o->file == OPTION_WRITES ? *(const char *const *)o->value : NULL;
}

static int trainer_check_outputs(const struct trainer *t, struct error *err)
{
    if (t->model && output_check(t->model, err) != 0)
        return -1;
    for (int i = 0; i < t->program.count; i++) {
        const char *path = trainer_output(&t->program.options[i]);
        if (path && output_check(path, err) != 0)
            return -1;
    }
    return 0;
}

static FILE *trainer_choose_results(const struct trainer *t)
{
    if (t->stdout_taken || (t->model && strcmp(t->model, "-") == 0))
        return stderr;
    for (int i = 0; i < t->program.count; i++) {
        const char *path = trainer_output(&t->program.options[i]);
        if (path && strcmp(path, "-") == 0)
            return stderr;
    }
    return stdout;
}

/* ---- continuing from a model (-m) ---- */

/* Is the option's value that of the model? */
static bool trainer_same(const struct option *o)
{
    switch (o->type) {
    case OPTION_FLAG:
        return *(const bool *)o->value == *(const bool *)o->had;
    case OPTION_INT:
    case OPTION_CHOICE:
        return *(const int64_t *)o->value == *(const int64_t *)o->had;
    case OPTION_NUMBER: {
        double a = *(const double *)o->value, b = *(const double *)o->had;
        return !(a < b || a > b);
    }
    default:
        assert(false && "options of other types are compared by `agrees`");
        return false;
    }
}

/* The model's options are used, so those given must agree with them. */
static int trainer_agree(struct trainer *t, struct error *err)
{
    for (int i = 0; i < t->program.count; i++) {
        const struct option *o = &t->program.options[i];
        char why_not[TRAINER_WHY_NOT];
        if (!o->given || (t->uses && !t->uses(t, o->name, why_not)))
            continue;
        if (o->had ? !trainer_same(o) : t->agrees && !t->agrees(t, o->name))
            return error_usage(err,
                               "--%s differs from that of the model to go on from (leave it out: "
                               "the model's options hold)",
                               o->name);
    }
    if (t->labels.count > 0 && !labels_equal(&t->labels, t->had_labels))
        return error_usage(err, "--labels differs from the classes of the model to go on from");
    return 0;
}

static int trainer_resume(struct trainer *t, struct error *err)
{
    if (t->resume(t, err) != 0)
        return -1;
    t->had_unit_length = t->had.unit_length;
    if (trainer_agree(t, err) != 0)
        return -1;
    if (trainer_given(t, "seed"))
        t->had.seed = t->form.seed;
    t->had.final = t->form.final;
    t->form = t->had;
    t->form.map = t->map.kind != FEATURE_MAP_NONE ? &t->map.base : NULL;
    labels_free(&t->labels);
    return labels_copy(t->had_labels, &t->labels, err);
}

/* ---- the whole ---- */

/* Ignored options are reported: those without a meaning for the learner. */
static void trainer_note_unused(const struct trainer *t)
{
    for (int i = 0; i < t->program.count; i++) {
        const struct option *o = &t->program.options[i];
        char why_not[TRAINER_WHY_NOT];
        if (o->given && t->uses && !t->uses(t, o->name, why_not))
            trainer_note(t, "--%s has no meaning %s", o->name, why_not);
    }
}

/* Why a signal that is not caught leaves no model: before `trainer_watch`, or without it. */
static const char *trainer_why_unsaved(const struct trainer *t)
{
    if (t->folds != 0)
        return "the cross-validation is not finished";
    if (t->iterative)
        return "no model is written, as there is none before training ends";
    return "no model is written, as nothing was learnt yet";
}

/* Learn and save.  The report and `also` are written, and have only to be renamed, before the model
 * appears: where one cannot be written, there is none of them. */
static int trainer_learn(struct trainer *t, struct error *err)
{
    if (reduce_agree(trainer_check_outputs(t, err), err) != 0
        || (t->resume_given && trainer_resume(t, err) != 0))
        return -1;
    trainer_note_unused(t);
    t->progress = progress_start(t->quiet, "examples");
    program_say_at_stop(t->program.name, trainer_why_unsaved(t));
    int status = t->run(t, err);
    progress_wipe(&t->progress);
    if (status == 0 && t->bad.all_told > 0)
        trainer_warn(t, "bad lines skipped: %lld", (long long)t->bad.all_told);
    if (status != 0)
        return -1;
    trainer_report_signal(t);
    if (run_report_finish(t->found, err) != 0 || (t->also && output_flush(t->also, err) != 0))
        return -1;
    if (t->folds == 0 && trainer_save(t, err) != 0)
        return -1;
    if (t->fold_predictions && output_commit(&t->fold_file, err) != 0)
        return -1;
    if (trainer_learnt_nothing(t))
        return 0;
    if (t->also && output_commit(t->also, err) != 0)
        return -1;
    return report_commit(t->found, err);
}

/* word: the command line's, with the model file. */
static int trainer_run(struct trainer *t, const char *const *word, struct error *err)
{
    t->results = trainer_choose_results(t);
    t->report = t->quiet ? NULL : t->results;
    t->found->path = t->report_given;
    int status = run_report_begin(t->found, &t->program, word, err);
    if (status == 0)
        status = trainer_learn(t, err);
    output_abandon(&t->fold_file);
    if (t->also)
        output_abandon(t->also);
    report_abandon(t->found);
    return status;
}

int trainer_main(struct trainer *t, int argc, char **argv)
{
    const char *word[3];
    char name[PROGRAM_NAME];
    struct error err = {0};
    t->found = &t->report_file;
    program_start();
    program_line_buffer();
    int go = options_parse(&t->program, argc, argv, word);
    if (go != OPTIONS_GO)
        return go;
    t->data = word[0];
    t->model = word[1];
    int status = trainer_settle(t, &err);
    if (status == 0 && t->folds == 0) {
        go = program_name_model(&t->program, word, name);
        t->model = word[1];
    }
    if (status == 0 && go == OPTIONS_GO)
        status = trainer_run(t, word, &err);
    if (status != 0)
        error_name(&err, input_name(t->data));
    if (t->release)
        t->release(t);
    labels_free(&t->labels);
    memory_free(t->weight);
    feature_map_free(&t->map);
    feature_numbers_free(&t->numbers);
    if (go != OPTIONS_GO)
        return go;
    if (status != 0 && err.usage)
        return options_refuse(&t->program, "%s", err.message);
    const int exit_status = program_end(t->program.name, status != 0, &err);
    return status == 0 && t->milestones.stopped && exit_status != 1 ? trainer_report_stop(t)
                                                                    : exit_status;
}
