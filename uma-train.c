/* uma-train: a linear multiclass classifier from noisy labels and the confusion matrix behind them,
 * which may be estimated. */
#include "common/base/findings.h"
#include "common/base/input.h"
#include "common/base/memory.h"
#include "common/base/number.h"
#include "common/base/output.h"
#include "common/base/reduce.h"
#include "common/data/disk.h"
#include "common/data/problem_file.h"
#include "common/linalg/dense.h"
#include "common/program/disk_option.h"
#include "common/program/fold_predictions.h"
#include "common/program/matrix_trainer.h"
#include "common/program/trainer_map.h"
#include "learners/estimate/confusion_estimate.h"
#include "learners/estimate/estimate_report.h"
#include "learners/estimate/told_estimate.h"
#include "learners/uma/uma_model.h"

#include <string.h>

/* 1/rcond of C above which there is no model; above CONFUSION_DOUBTFUL_CONDITION there is a
 * warning. No reason for the number but that it works. */
static const double uma_train_worst_condition = 1e8;

struct uma_train {
    struct trainer trainer; /* first, so that a hook can cast it back */
    struct uma_options options;
    const char *confusion_given, *confusion_out, *trace;
    double ridge;
    int64_t features, sample;
    const char *disk_given;
    char folder[DISK_FOLDER]; /* where data go that do not fit */
    struct problem problem;
    int32_t *y;
    struct confusion C;
    double *inverse; /* of C */
    struct uma_result result;
    struct output trace_file, confusion_file;
};

/* The program that a hook's trainer is part of. */
static struct uma_train *uma_train_of(const struct trainer *t)
{
    return (struct uma_train *)(void *)t;
}

/* ---- options together ---- */

static int uma_train_check(struct trainer *t, struct error *err)
{
    struct uma_train *u = uma_train_of(t);
    if (u->disk_given && t->map.kind != FEATURE_MAP_NONE)
        return error_usage(
            err, "--map needs the data in memory: it does not go with --disk: leave out one "
                 "of them");
    u->options.seed = t->form.seed;
    u->options.threads = (int)t->threads;
    const bool estimates = confusion_option_estimates(u->confusion_given);
    t->keep_lengths = estimates; /* for estimate_warn_of_values */
    t->fewest_groups = estimates ? FOLDS_FINE : 0;
    return 0;
}

/* The hook `uses`: --features and --sample are for the estimate of the matrix. */
static bool uma_train_uses(const struct trainer *t, const char *option,
                           char why_not[TRAINER_WHY_NOT])
{
    const struct uma_train *u = uma_train_of(t);
    if (strcmp(option, "alpha-relative") == 0) {
        snprintf(why_not, TRAINER_WHY_NOT, "without -a");
        return u->options.alpha > 0;
    }
    snprintf(why_not, TRAINER_WHY_NOT, "with a matrix that is given");
    return (strcmp(option, "features") != 0 && strcmp(option, "sample") != 0)
           || confusion_option_estimates(u->confusion_given);
}

/* ---- the data and their matrix ---- */

/* Read the examples into memory or, unless -v or --map need them there, to disk if they are many.
 */
static int uma_train_read_examples(struct uma_train *u, struct error *err)
{
    struct trainer *t = &u->trainer;
    const struct example_format format = trainer_format_unmapped(t);
    disk_choose_folder(u->disk_given, t->model, u->folder);
    const char *needed_by = NULL;
    if (t->folds != 0)
        needed_by = "-v";
    else if (t->form.map)
        needed_by = "--map";
    const int status = needed_by ? disk_hold(t->data, &format, (int)t->threads, needed_by,
                                             &u->problem, err)
                                 : disk_read(t->data, &format, (int)t->threads, u->disk_given,
                                             u->folder, &u->problem, err);
    if (status != 0 || trainer_check_folds(t, u->problem.n, err) != 0
        || trainer_number(t, &u->problem, err) != 0)
        return -1;
    trainer_note_sizes(t, &u->problem);
    return trainer_map_held(t, &u->problem, err);
}

/* Read the data, find their classes, and complete the matrix for these. */
static int uma_train_read_data(struct uma_train *u, struct error *err)
{
    struct trainer *t = &u->trainer;
    if (uma_train_read_examples(u, err) != 0
        || (t->labels.count == 0 && problem_labels(&u->problem, &t->labels, err) != 0)
        || confusion_option_complete(u->confusion_given,
                                     t->labels_given ? "in --labels" : "in the data", &u->C,
                                     &t->labels, err)
               != 0
        || labels_require_several(&t->labels, err) != 0
        || !(u->y = memory_new(u->problem.n, sizeof *u->y, err)))
        return -1;
    if (problem_classes(&u->problem, &t->labels, input_name(t->data), u->y, err) != 0)
        return -1;
    return trainer_read_beside(t, &u->problem, u->y, err);
}

static struct estimate_options uma_train_estimate_options(struct uma_train *u)
{
    struct trainer *t = &u->trainer;
    return (struct estimate_options){.fit = {.lambda = -1,
                                             .steps = -1,
                                             .seed = t->form.seed,
                                             .threads = (int)t->threads,
                                             .progress = &t->progress},
                                     .features = u->features};
}

/* Estimate C from the noisy labels. */
static int uma_train_estimate(struct uma_train *u, struct error *err)
{
    struct trainer *t = &u->trainer;
    const int64_t K = t->labels.count;
    const struct labelled data = {
        .problem = &u->problem, .y = u->y, .labels = &t->labels, .first = t->first};
    struct estimate e = {0};
    const struct estimate_options options = uma_train_estimate_options(u);
    const struct example_format format = data_format(&t->form);
    const struct findings to = trainer_findings(t);
    if (estimate_warn_of_values(&u->problem, &format, &t->numbers, t->form.seed, &to, err) != 0)
        return -1;
    t->progress = progress_start(t->quiet, "fits");
    const int status = told_estimate(&data, NULL, &options, u->sample, &to, &e, err);
    if (status == 0)
        memcpy(u->C.c, e.matrix.c, (size_t)(K * K) * sizeof *e.matrix.c);
    estimate_free(&e);
    return status;
}

/* Replace C by (1 - ridge) C + ridge I and invert it; an error where it is nearly singular. */
static int uma_train_invert(struct uma_train *u, struct error *err)
{
    const struct trainer *t = &u->trainer;
    const int64_t K = u->C.classes;
    const bool estimated = confusion_option_estimates(u->confusion_given);
    double rcond = 0, ridge = u->ridge;
    if (ridge > 0)
        for (int64_t cell = 0; cell < K * K; cell++)
            u->C.c[cell] = (1 - ridge) * u->C.c[cell] + (cell / K == cell % K ? ridge : 0);
    u->inverse = memory_new(K * K, sizeof *u->inverse, err);
    if (!u->inverse || dense_invert(K, u->C.c, u->inverse, &rcond, (int)t->threads, err) != 0)
        return -1;
    if (!(rcond * uma_train_worst_condition >= 1))
        return error_at(err, input_name(estimated ? t->data : u->confusion_given), 0, 0,
                        "the %smatrix is singular, or so nearly that its inverse means nothing "
                        "(1/rcond = %.3g); --ridge 0.01 mixes in the identity",
                        estimated ? "estimated confusion " : "", 1 / rcond);
    if (rcond * CONFUSION_DOUBTFUL_CONDITION < 1)
        trainer_warn(t,
                     "the confusion matrix is ill-conditioned (1/rcond = %.3g): expect little of "
                     "the result",
                     1 / rcond);
    trainer_say(t, "confusion matrix: 1/rcond %.4g", 1 / rcond);
    report_number(t->report, REPORT_CONDITION, 1 / rcond);
    return 0;
}

/* Bytes besides those of uma_bytes: C and its inverse, and what -v takes.  What inverting takes has
 * been given back when learning begins, which takes more. */
static double uma_train_other_bytes(const struct uma_train *u)
{
    const struct trainer *t = &u->trainer;
    const double n = (double)u->problem.n, K = (double)t->labels.count;
    double bytes = 2 * K * K * (double)sizeof(double);
    if (t->folds != 0)
        bytes += uma_validation_bytes(u->problem.n, t->labels.count);
    if (t->fold_predictions)
        bytes += n * K * (double)sizeof(double);
    return bytes;
}

/* Put data to disk beside which learning, or estimating from all of them, would not fit in memory;
 * the tables of z get what is left. */
static int uma_train_make_room(struct uma_train *u, struct error *err)
{
    struct trainer *t = &u->trainer;
    struct uma_options *o = &u->options;
    const int64_t n = u->problem.n, d = u->problem.d, K = t->labels.count;
    const double other = uma_train_other_bytes(u);
    /* table_bytes is 0 here, so uma_bytes counts no tables. */
    double most = other + uma_bytes(o, n, d, K, false);
    if (confusion_option_estimates(u->confusion_given) && u->sample == 0) {
        const struct estimate_options options = uma_train_estimate_options(u);
        const double estimate = estimate_noise_bytes(&options, &u->problem, K, false);
        most = estimate > most ? estimate : most;
    }
    if (t->folds == 0 && !t->form.map && disk_make_room(&u->problem, most, u->folder, err) != 0)
        return -1;
    o->table_bytes = memory_budget() - problem_bytes_held(&u->problem) - other
                     - uma_bytes(o, n, d, K, u->problem.disk != NULL);
    if (reduce_ranks() > 1)
        o->table_bytes = -(double)reduce_most(-(int64_t)o->table_bytes);
    return 0;
}

/* Report the memory needed, and refuse what does not fit. */
static int uma_train_plan_memory(struct uma_train *u, struct error *err)
{
    struct trainer *t = &u->trainer;
    const struct uma_options *o = &u->options;
    const int64_t n = u->problem.n, d = u->problem.d, K = t->labels.count, all = reduce_count(n),
                  given = trainer_features(t, &u->problem);
    trainer_report_data(t, all, given);
    if (trainer_check_model(t, weights_bytes(weights_columns(K), given), given, err) != 0)
        return -1;
    if (uma_train_make_room(u, err) != 0)
        return -1;
    const double data = problem_bytes_held(&u->problem),
                 learner = uma_train_other_bytes(u)
                           + uma_bytes(o, n, d, K, u->problem.disk != NULL);
    char examples[NUMBER_COUNTED], features[NUMBER_COUNTED], data_text[32], learner_text[32],
        what[128], text[DISK_TEXT];
    trainer_say(t, "%s, %s, %lld classes; memory: %s for the data, %s for the learner%s%s",
                number_counted(all, "example", examples),
                number_counted(given, "feature", features), (long long)K,
                memory_text(data, data_text), memory_text(learner, learner_text),
                uma_holds_tables(o, d, K) ? "" : " (the tables of z do not fit: slower)",
                disk_text(&u->problem, text));
    snprintf(what, sizeof what, "learning from %lld examples, %lld features x %lld classes",
             (long long)n, (long long)given, (long long)K);
    return memory_check(data + learner, what, err);
}

/* What is learnt from. */
static struct uma_data uma_train_data(const struct uma_train *u)
{
    return (struct uma_data){.problem = &u->problem,
                             .y = u->y,
                             .first = u->trainer.first,
                             .n = u->problem.n,
                             .K = u->trainer.labels.count,
                             .inverse = u->inverse};
}

/* ---- validation ---- */

/* -v: accuracy on the noisy labels, and the estimated error on the true ones. */
static int uma_train_validate(struct uma_train *u, struct error *err)
{
    struct trainer *t = &u->trainer;
    const int64_t n = u->problem.n, K = t->labels.count;
    struct uma_validation found = {.scores = NULL};
    if (fold_predictions_make(t, n, K, &found.scores, err) != 0)
        return -1;
    const struct uma_data data = uma_train_data(u);
    int status = uma_cross_validate(&data, &u->options, t->folds, &found, err);
    if (status == 0)
        status = fold_predictions_write_linear(t, found.scores, n, err);
    memory_free(found.scores);
    if (status != 0)
        return -1;
    trainer_print_validation(t, found.agreed, n);
    trainer_print_errors(t, 1 - (double)found.agreed / (double)n, found.error);
    return 0;
}

/* ---- training ---- */

/* --trace: one line of the trace file. */
static void uma_train_write_trace(void *context, const struct uma_update *update)
{
    struct uma_train *u = context;
    const struct labels *labels = &u->trainer.labels;
    char line[2 * NUMBER_TEXT + 64], *p = line;
    p += snprintf(p, 64, "%ld %ld ", (long)labels->value[update->p],
                  (long)labels->value[update->q]);
    p = number_write(p, update->norm);
    *p++ = ' ';
    p = number_write(p, update->error);
    *p++ = '\n';
    output_write(&u->trace_file, line, p - line);
}

/* Classes whose estimated share pi is not above 0. */
static void uma_train_warn_of_empty_classes(const struct uma_train *u)
{
    const struct trainer *t = &u->trainer;
    struct findings_list empty = {0};
    for (int64_t k = 0; k < t->labels.count; k++)
        if (!(u->result.proportion[k] > 0))
            findings_list_add(&empty, "%ld (%.3g)", (long)t->labels.value[k],
                              u->result.proportion[k]);
    if (empty.count > 0)
        trainer_warn(t, "classes whose estimated share is not above 0: %s",
                     findings_list_text(&empty));
}

/* Where most examples are in no A_p, few can tell of errors, and learning ends early. */
static void uma_train_warn_of_alpha(const struct uma_train *u)
{
    const struct trainer *t = &u->trainer;
    const int64_t n = reduce_count(u->problem.n), counted = u->result.counted;
    if (2 * counted < n)
        trainer_warn(t,
                     "%lld of %lld examples are predicted with a lead of alpha or more, and the "
                     "others tell of no error: a smaller -a learns from more",
                     (long long)counted, (long long)n);
}

static void uma_train_report(const struct uma_train *u)
{
    const struct trainer *t = &u->trainer;
    const struct uma_options *o = &u->options;
    const struct uma_result *r = &u->result;
    const char *const reasons[] = {
        o->sigmas > 0 ? "no ||z_pq|| is above its noise" : "no ||z_pq|| is above 0",
        "no pair that is left passes the check", "the limit of iterations"};
    char iterations[NUMBER_COUNTED];
    trainer_say(t, "stop %s after %s: %s%s", uma_stops[r->stop],
                number_counted(r->iterations, "iteration", iterations), reasons[r->stop],
                o->strategy == UMA_CONFUSION ? " (q with an estimated share above 0)" : "");
    trainer_say(t, "estimated error %.4g%% (%s, iteration %lld), %.4g%% (last)", 100 * r->error,
                uma_iterates[o->iterate], (long long)r->chosen, 100 * r->last_error);
    report_text(t->report, REPORT_STOP, uma_stops[r->stop]);
    report_count(t->report, REPORT_ITERATIONS, r->iterations);
    report_number(t->report, REPORT_ERROR_TRUE, r->error);
    trainer_warn_of_error(t, r->error);
    if (r->iterations == 0)
        trainer_warn(t, "no iteration was made and all weights are 0%s",
                     o->sigmas > 0 && o->strategy != UMA_CONFUSION
                         ? ": no error stands out from sampling noise with so few examples (-e 0 "
                           "goes on all the same)"
                         : "");
    uma_train_warn_of_alpha(u);
    uma_train_warn_of_empty_classes(u);
}

/* Write the model, then trace and matrix: if the model cannot be written, neither appears. */
static int uma_train_save(struct trainer *t, struct error *err)
{
    struct uma_train *u = uma_train_of(t);
    if (u->trace && output_flush(&u->trace_file, err) != 0)
        return -1;
    if (u->confusion_out
        && matrix_trainer_write(&u->C, u->confusion_out, &u->confusion_file, err) != 0)
        return -1;
    if (uma_save(&u->result, &u->options, &t->form, &u->C, u->problem.d, t->model, err) != 0)
        return -1;
    if (u->trace && output_commit(&u->trace_file, err) != 0)
        return -1;
    return u->confusion_out ? output_commit(&u->confusion_file, err) : 0;
}

static int uma_train_learn(struct uma_train *u, struct error *err)
{
    struct trainer *t = &u->trainer;
    const struct uma_watch watch = {
        .update = u->trace ? uma_train_write_trace : NULL, .context = u, .progress = &t->progress};
    if (u->trace && output_open(&u->trace_file, u->trace, err) != 0)
        return -1;
    t->progress = progress_start(t->quiet, "iterations");
    progress_phase(&t->progress, "learning");
    const struct uma_data data = uma_train_data(u);
    int status = uma_train(&data, &u->options, &watch, &u->result, err);
    progress_wipe(&t->progress);
    if (status != 0)
        return -1;
    uma_train_report(u);
    return 0;
}

static int uma_train_run(struct trainer *t, struct error *err)
{
    struct uma_train *u = uma_train_of(t);
    if (matrix_trainer_read(t, u->confusion_given, &u->C, err) != 0)
        return -1;
    if (uma_train_read_data(u, err) != 0 || uma_train_plan_memory(u, err) != 0)
        return -1;
    if (confusion_option_estimates(u->confusion_given) && uma_train_estimate(u, err) != 0)
        return -1;
    if (uma_train_invert(u, err) != 0)
        return -1;
    return t->folds != 0 ? uma_train_validate(u, err) : uma_train_learn(u, err);
}

static void uma_train_release(struct trainer *t)
{
    struct uma_train *u = uma_train_of(t);
    output_abandon(&u->trace_file);
    output_abandon(&u->confusion_file);
    uma_result_free(&u->result);
    confusion_free(&u->C);
    problem_free(&u->problem);
    memory_free(u->inverse);
    memory_free(u->y);
}

static const char *const details =
    "The confusion matrix tells how often each label is observed for each true class; `confusion` "
    "makes one from a small sample whose true labels are known, and without -c it is estimated "
    "from the noisy labels. UMA inverts it to estimate, from the noisy labels alone, where the "
    "current classifier errs, and updates the weights to correct these errors. With -c identity it "
    "is the plain ultraconservative learner, a batch perceptron. The model (default: the name of "
    "the training file + .model, in the current folder) is read by liblinear-predict too, unless "
    "--map is given. forward-train, which learns through the matrix without inverting it, is "
    "usually more accurate.";

/* LIBSVM's -c, -h and -wi mean something else here, and -b, -t and -g nothing. */
static bool uma_train_foreign(const char *option, const char *next, char instead[OPTION_INSTEAD])
{
    int64_t label;
    if (options_is_cost(option, next))
        snprintf(instead, OPTION_INSTEAD,
                 "-c names a confusion matrix here: leave -c %.40s out; UMA has no cost", next);
    else if (strcmp(option, "-b") == 0)
        snprintf(instead, OPTION_INSTEAD, "-b: leave it out; uma-predict -b 1 writes scores");
    else if (strcmp(option, "-t") == 0 || strcmp(option, "-g") == 0)
        snprintf(instead, OPTION_INSTEAD,
                 "%s: leave it out; --map nystrom or --map fourier makes features of the RBF "
                 "kernel, --map-gamma is its gamma",
                 option);
    else if (options_names_class(option, &label))
        snprintf(instead, OPTION_INSTEAD, "%.40s: leave it out; there are no weights of classes",
                 option);
    else
        return options_is_shrinking(option, next, instead);
    return true;
}

static const char *const examples =
    "  synth noise --flip 0.3 --labels 0-9 > C && label-noise -c C data/digits.train > noisy && "
    "uma-train -c C noisy noisy.model\n"
    "  uma-train -c identity data/digits.train digits.model\n"
    "  uma-train -v 5 -c C noisy\n";

int main(int argc, char **argv)
{
    static const struct option_clash clashes[] = {{"folds", "trace", "writes no model"},
                                                  {"folds", OPTION_MODEL, "writes no model"},
                                                  {"folds", "confusion-out", "writes no model"},
                                                  {"folds", "disk", "holds the data in memory"},
                                                  TRAINER_GROUPS_CLASH,
                                                  {0}};
    static const char *const alone[] = {"folds",  "skip-bad", "map", "disk",
                                        "sample", "groups",   NULL};
    struct uma_train u = {.trainer = trainer_start(),
                          .features = -1,
                          .trace_file = {.fd = -1},
                          .confusion_file = {.fd = -1}};
    struct trainer *t = &u.trainer;
    struct uma_options *o = &u.options;
    struct option table[] = {
        {ROW_INPUT('c', "confusion", &u.confusion_given, "file"), .choices = confusion_option_words,
         .by_default = "estimate",
         .help =
             "the confusion matrix of the labels; identity: take the labels as right; estimate: "
             "estimate the matrix from the labels"},
        {ROW_CHOICE('s', "strategy", &o->strategy, "strategy", uma_strategies),
         .by_default = "error", .hint = "forward is a program of its own, forward-train",
         .help = "which pair of classes (p, q) to update: the largest ||z_pq||, the largest "
                 "relative to the share of class q, or a random pair"},
        {ROW_CHOICE('u', "update", &o->step, "update", uma_steps), .by_default = "perceptron",
         .help = "which classes lose the update that class q gains"},
        {ROW_NUMBER('a', "alpha", &o->alpha, "alpha", 0, OPTION_UNBOUNDED), .by_default = "0",
         .help = "count an example as predicted p only if the score of p leads by alpha, in units "
                 "of the scores"},
        {ROW_FLAG(0, "alpha-relative", &o->alpha_relative),
         .help = "alpha is a multiple of the norm of the weights"},
        {ROW_INT('i', "iterations", &o->iterations, "iterations", 1, 1000000000),
         .by_default = "1000", .help = "the largest number of iterations"},
        {ROW_NUMBER('e', "sigmas", &o->sigmas, "s", 0, OPTION_UNBOUNDED), .by_default = "2",
         .help =
             "stop when every ||z_pq|| is at most s times its sampling noise; 0: when all are 0"},
        {ROW_CHOICE('w', "iterate", &o->iterate, "iterate", uma_iterates), .by_default = "best",
         .help =
             "the weights in the model: the iterate with the lowest estimated error, the last one, "
             "or the average of all"},
        {ROW_CHOICE(0, "check", &o->check, "check", uma_checks), .by_default = "skip",
         .help =
             "if z_pq is already classified correctly: try the next pair, update all the same, or "
             "as skip but with the paper's test, which uses alpha"},
        {ROW_NUMBER(0, "ridge", &u.ridge, "l", 0, 1), .by_default = "0",
         .help = "invert (1 - l) C + l I instead of C"},
        {ROW_OUTPUT(0, "trace", &u.trace, "file"),
         .help = "write a line per iteration: p, q, ||z_pq|| and the estimated error after it"},
        OPTION_FEATURES(&u.features, ""),
        OPTION_SAMPLE(&u.sample),
        OPTION_DISK(&u.disk_given, "the folder of the model"),
        {ROW_OUTPUT(0, "confusion-out", &u.confusion_out, "file"),
         .help = "write the confusion matrix that training used"},
        TRAINER_FORM_ROWS(t, "the confusion file, or of the data", "1"),
        TRAINER_MAP_ROWS(t),
        OPTION_FOLDS(&t->folds),
        OPTION_GROUPS(&t->groups_given, " of -v or of the estimate"),
        FOLD_PREDICTIONS_ROWS(t),
        TRAINER_RUN_ROWS(t),
    };
    t->program = (struct program){
        .name = "uma-train",
        TRAINER_WORDS,
        .summary = "Learn a linear classifier from noisy labels by UMA, which inverts their "
                   "confusion matrix.",
        .details = details,
        .diagnostics =
            "`the confusion matrix is ill-conditioned`: expect little of the result; --ridge 0.01 "
            "helps. `no iteration was made`: no error stands out from sampling noise; -e 0 turns "
            "that test off. `classes whose estimated share is not above 0`: the matrix does not "
            "fit the data.",
        .see_also = "uma-predict(1), confusion(1), forward-train(1)",
        .papers =
            "Louche and Ralaivola, Unconfused ultraconservative multiclass algorithms, ACML 2013, "
            "and Machine Learning 99, 2015.",
        .examples = examples,
        .foreign = uma_train_foreign,
        .options = table,
        .count = sizeof table / sizeof *table};
    t->clashes = clashes;
    t->alone = alone;
    t->check = uma_train_check;
    t->uses = uma_train_uses;
    t->run = uma_train_run;
    t->iterative = true;
    t->minds_offset = true;
    t->save = uma_train_save;
    t->release = uma_train_release;
    return trainer_main(t, argc, argv);
}
