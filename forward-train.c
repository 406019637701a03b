/* forward-train: softmax regression from noisy labels through their confusion matrix, estimated or
 * given; on features of a kernel, or by kernel ridge regression there, or with text an SVM, where
 * held-out labels prefer it. */
#include "common/base/input.h"
#include "common/base/memory.h"
#include "common/base/output.h"
#include "common/data/folds.h"
#include "common/program/disk_option.h"
#include "common/program/fold_predictions.h"
#include "common/program/matrix_trainer.h"
#include "common/program/pass_trainer.h"
#include "learners/estimate/confusion_estimate.h"
#include "learners/estimate/estimate_report.h"
#include "learners/estimate/forward_cross_validation.h"
#include "learners/estimate/forward_fit.h"
#include "learners/estimate/sampled_estimate.h"
#include "learners/estimate/told_estimate.h"
#include "learners/forward/forward.h"
#include "learners/forward/forward_report.h"

#include <string.h>

enum {
    USUAL_PASSES = 15, /* no reason but that it works; on letter the minimum is 8 to 12 points
                          better than these (experiments/forward/choices.md) */
    CHOOSE = -1        /* as lambda, steps or features: not given, to be chosen */
};

/* Of a stream no data are held out to choose lambda by.  No reason for the number but that it
 * works. */
static const double forward_train_streamed_lambda = 1e-5;

/* The largest lambda that is accepted: its square, and sums with it, are far from overflow. */
static const double forward_train_most_lambda = 1e100;

struct forward_train {
    struct trainer trainer; /* first, so that a hook can cast it back */
    struct pass_trainer passes;
    struct forward_options options;
    double had_lambda;              /* lambda of the -m model */
    struct round_counts had_counts; /* what that model had seen; zero without -m */
    const char *confusion_given, *confusion_out;
    struct estimate_options asked; /* --features, -t, -D and -g; `fit` is set from the other
                                      options before it is used */
    int64_t sample;                /* --sample; 0: not given */
    bool estimates;                /* the matrix is to be estimated */
    bool minimum;                  /* a search for the minimum of the loss, not online passes */
    struct confusion C;
    struct estimate estimate;
    struct output confusion_file;
    struct forward *learner;
};

/* The program that a hook's trainer is part of. */
static struct forward_train *forward_train_of(const struct trainer *t)
{
    return (struct forward_train *)(void *)t;
}

/* ---- options together ---- */

/* Settings that follow from the options:
 *
 *   estimates   unless the matrix comes from a file, the identity or the -m model
 *   minimum     unless -i, -m, --stream or --no-shuffle ask for passes
 *   steps       as given; else chosen together with lambda, unless that is given or passes are made
 */
static void forward_train_settle(struct forward_train *f)
{
    struct trainer *t = &f->trainer;
    struct pass_trainer *p = &f->passes;
    const bool counted = trainer_given(t, "passes");
    f->estimates = !t->resume_given && confusion_option_estimates(f->confusion_given);
    f->minimum = !t->resume_given && !p->stream && !p->no_shuffle && !counted;
    if (!counted) /* a stream from a pipe cannot be read again */
        p->passes = p->stream && !input_is_file(t->data) ? 1 : USUAL_PASSES;
    if (!trainer_given(t, "steps") || (!f->minimum && !f->estimates))
        f->options.steps = trainer_given(t, "lambda") || !f->minimum ? 0 : CHOOSE;
    t->iterative = f->minimum;
    p->numbers = f->minimum;
}

/* Where the examples may be:
 *
 *   hold        in memory: for features of a kernel, and for passes after an estimate
 *   to_disk     or on disk: for the minimum, but with -v or features of a kernel
 */
static void forward_train_settle_size(struct forward_train *f)
{
    const bool maps = f->minimum && f->asked.map == ESTIMATE_RBF;
    if (maps)
        f->passes.hold = "-t rbf";
    else if (f->estimates)
        f->passes.hold = "-c estimate with online passes";
    f->passes.to_disk = f->minimum && f->trainer.folds == 0 && !maps;
}

/* Do --disk or --sample go with the other options?  0 or -1. */
static int forward_train_check_size(struct forward_train *f, struct error *err)
{
    const char *option = f->passes.disk_given ? "--disk" : "--sample";
    if (!f->minimum)
        return error_usage(err,
                           "%s goes with the search for the minimum, not with passes: leave out "
                           "%s, or -i, -m, --stream and --no-shuffle",
                           option, option);
    return estimate_settle_size(&f->asked, trainer_given(&f->trainer, "map"), option, err);
}

/* Settle the map: without -t it is linear for passes, with --lambda or --steps, and with --disk or
 * --sample.  0, or -1 where other options do not go with it. */
static int forward_train_settle_map(struct forward_train *f, struct error *err)
{
    const struct trainer *t = &f->trainer;
    const bool lambda = trainer_given(t, "lambda"), given = trainer_given(t, "map");
    if (!given && !f->minimum)
        f->asked.map = ESTIMATE_LINEAR;
    else if (!given && (lambda || trainer_given(t, "steps")))
        estimate_make_linear(&f->asked, lambda ? "--lambda" : "--steps");
    if ((f->passes.disk_given || f->sample > 0) && forward_train_check_size(f, err) != 0)
        return -1;
    return estimate_settle_map(&f->asked, t->form.bias, err);
}

/* Passes see one example at a time, so they take random features, those of --map fourier.  0 or
 * -1. */
static int forward_train_map_passes(struct forward_train *f, struct error *err)
{
    struct trainer *t = &f->trainer;
    if (f->asked.map == ESTIMATE_AUTO)
        return error_usage(err, "-t auto needs the minimum (no -i, -m, --stream or --no-shuffle)");
    if (t->resume_given)
        return 0;
    if (f->passes.stream && !(f->asked.map_gamma > 0))
        return error_usage(err, "-t rbf needs -g where the data are streamed");
    f->asked.map = ESTIMATE_LINEAR; /* in these features */
    if (f->asked.features < 0)
        f->asked.features = 0;
    t->map = feature_map_make(FEATURE_MAP_FOURIER, f->asked.map_dims, f->asked.map_gamma,
                              t->form.seed);
    t->form.map = &t->map.base;
    return 0;
}

/* Are matrix, lambda or steps to be found from the labels? */
static bool forward_train_finds(const struct forward_train *f)
{
    return f->estimates || f->options.lambda < 0 || f->asked.map != ESTIMATE_LINEAR;
}

static int forward_train_check(struct trainer *t, struct error *err)
{
    struct forward_train *f = forward_train_of(t);
    forward_train_settle(f);
    if (t->save_every > 0 && !f->minimum && f->confusion_out
        && trainer_check_saved(f->confusion_out, "the file of --confusion-out", err) != 0)
        return -1;
    if (forward_train_settle_map(f, err) != 0)
        return -1;
    forward_train_settle_size(f);
    if (f->estimates && f->passes.stream)
        return error_usage(
            err, "a matrix is estimated from data that are held: --stream needs -c file or -m");
    if (f->asked.map != ESTIMATE_LINEAR && !f->minimum && forward_train_map_passes(f, err) != 0)
        return -1;
    f->asked.fit.lambda = f->options.lambda;
    f->asked.fit.steps = f->options.steps;
    f->asked.fit.seed = t->form.seed;
    f->asked.fit.threads = (int)t->threads;
    f->asked.tries_lengths &= estimate_tries_others(&f->asked);
    const bool finds = forward_train_finds(f) && !f->passes.stream && !t->resume_given;
    t->keep_lengths = finds && estimate_keeps_lengths(&f->asked, trainer_given(t, "unit-length"));
    t->fewest_groups = finds ? FOLDS_FINE : 0;
    return pass_trainer_check(t, &f->passes, err);
}

/* The hook `uses`. */
static bool forward_train_uses(const struct trainer *t, const char *option,
                               char why_not[TRAINER_WHY_NOT])
{
    const struct forward_train *f = forward_train_of(t);
    const char *why = NULL;
    if (strcmp(option, "steps") == 0 && !f->minimum && !f->estimates)
        why = "for passes";
    else if (strcmp(option, "save-every") == 0 && f->minimum)
        why = "without passes: there is no model before the search ends (-i makes passes)";
    else if (strcmp(option, "sample") == 0 && !forward_train_finds(f))
        why = "with a matrix and a lambda that are given";
    else if (strcmp(option, "features") == 0 && !f->estimates)
        why = "with a matrix that is given";
    if (why)
        snprintf(why_not, TRAINER_WHY_NOT, "%s", why);
    return !why;
}

/* Load the -m model. */
static int forward_train_resume(struct trainer *t, struct error *err)
{
    struct forward_train *f = forward_train_of(t);
    if (!(f->learner = forward_load_file(t->resume_given, (int)t->threads, &t->had, &t->map, err)))
        return -1;
    f->had_lambda = forward_get_options(f->learner)->lambda;
    f->had_counts = forward_counts(f->learner);
    t->had_labels = forward_labels(f->learner);
    return 0;
}

/* The hook `agrees`: does an option that describes the map agree with the -m model? */
static bool forward_train_agrees(const struct trainer *t, const char *option)
{
    const struct estimate_options *asked = &forward_train_of(t)->asked;
    if (strcmp(option, "map") == 0)
        return (asked->map == ESTIMATE_RBF) == (t->map.kind != FEATURE_MAP_NONE);
    if (strcmp(option, "map-dims") == 0)
        return asked->map_dims == t->map.dims;
    if (strcmp(option, "map-gamma") == 0)
        return !(asked->map_gamma < t->map.gamma || asked->map_gamma > t->map.gamma);
    return true;
}

/* ---- the learner ---- */

static double forward_train_model_bytes(const struct trainer *t, int64_t classes, int64_t d,
                                        const struct problem *problem)
{
    const struct forward_train *f = forward_train_of(t);
    /* The model that is written keeps no state for further passes and, with a kernel, no row for
     * each feature of the data. */
    if (f->minimum && !problem)
        return f->asked.map == ESTIMATE_RBF ? 0 : weights_bytes(weights_columns(classes), d);
    return f->minimum ? forward_fit_bytes(problem, classes, (int)t->threads)
                      : forward_bytes(classes, d);
}

/* The hook `most_bytes`: of the model or, if that is more, of the estimate. */
static double forward_train_most_bytes(const struct trainer *t, int64_t classes,
                                       const struct problem *problem)
{
    const struct forward_train *f = forward_train_of(t);
    const double fit = forward_train_model_bytes(t, classes, problem->d, problem);
    if (f->learner || !forward_train_finds(f))
        return fit;
    if (f->sample > 0 || problem->disk) /* a sample is as large as memory allows */
        return fit + sampled_lengthened_bytes(problem, &f->asked);
    double estimate = estimate_noise_bytes(&f->asked, problem, classes, !f->estimates);
    if (t->folds != 0)
        estimate += estimate_part_bytes(&f->asked, problem, classes);
    return estimate > fit ? estimate : fit;
}

/* Take over from the estimate what the learner and the model need. */
static void forward_train_take(struct forward_train *f)
{
    const struct estimate *e = &f->estimate;
    memcpy(f->C.c, e->matrix.c, (size_t)(e->classes * e->classes) * sizeof *e->matrix.c);
    f->options.lambda = e->classifier.lambda;
    f->options.steps = e->classifier.steps;
    f->options.temperature = e->classifier.temperature;
    estimate_set_form(e, &f->trainer.form);
}

/* Find those of matrix, lambda and number of steps that are not given, from data in memory or from
 * a sample of them. */
static int forward_train_estimate(struct forward_train *f, const struct problem *problem,
                                  const int32_t *y, struct error *err)
{
    struct trainer *t = &f->trainer;
    const struct labelled data = {
        .problem = problem, .y = y, .labels = &t->labels, .first = t->first};
    const struct example_format format = data_format(&t->form);
    const struct findings to = trainer_findings(t);
    if (estimate_warn_of_values(problem, &format, &t->numbers, t->form.seed, &to, err) != 0)
        return -1;
    f->asked.fit.weight = t->weight;
    f->asked.fit.progress = &t->progress;
    t->progress = progress_start(t->quiet, "fits");
    if (told_estimate(&data, f->estimates ? NULL : f->C.c, &f->asked, f->sample, &to, &f->estimate,
                      err)
        != 0)
        return -1;
    forward_train_take(f);
    return 0;
}

/* Complete the options, now that the classes are known.  problem: NULL when it is streamed. */
static int forward_train_prepare(struct forward_train *f, const struct problem *problem,
                                 const int32_t *y, struct error *err)
{
    struct trainer *t = &f->trainer;
    const char *source = t->labels_given ? "in --labels" : "in the data";
    if (labels_require_several(&t->labels, err) != 0
        || confusion_option_complete(f->confusion_given, source, &f->C, &t->labels, err) != 0)
        return -1;
    char text[CONFUSION_OPTION_TEXT];
    if (!f->estimates && confusion_option_alike(f->C.c, &t->labels, text))
        trainer_warn(t, "%s: %s", input_name(f->confusion_given), text);
    if (problem && problem->disk)
        estimate_lack_memory(&f->asked);
    if (problem && forward_train_finds(f)) {
        if (forward_train_estimate(f, problem, y, err) != 0)
            return -1;
    } else if (f->options.lambda < 0) {
        f->options.lambda = forward_train_streamed_lambda;
    }
    report_number(t->report, REPORT_LAMBDA, f->options.lambda);
    report_count(t->report, REPORT_STEPS, f->options.steps);
    estimate_report_choices(&f->estimate, t->report);
    f->options.confusion = f->C.c;
    t->progress = progress_start(t->quiet, f->minimum ? "passes" : "examples");
    progress_phase(&t->progress, "learning");
    return 0;
}

/* A new learner, unless a model was loaded. */
static int forward_train_make_learner(struct forward_train *f, const struct problem *problem,
                                      const int32_t *y, struct error *err)
{
    if (f->learner)
        return 0;
    if (forward_train_prepare(f, problem, y, err) != 0)
        return -1;
    f->learner = forward_new(&f->options, &f->trainer.labels, err);
    return f->learner ? 0 : -1;
}

/* ---- learning ---- */

/* -v: estimate the noise, then report how well the learner predicts labels that it has not seen,
 * and true classes.  given: the examples that the noise is estimated from.  0 or -1. */
static int forward_train_validate(struct forward_train *f, const struct problem *given,
                                  const int32_t *y, struct error *err)
{
    struct trainer *t = &f->trainer;
    const double bytes = problem_bytes_held(given)
                         + forward_train_most_bytes(t, t->labels.count, given);
    if (memory_check(bytes, "cross-validation (-t linear takes less)", err) != 0
        || forward_train_prepare(f, given, y, err) != 0)
        return -1;
    const struct problem *problem = estimate_examples(&f->estimate, given);
    const int64_t n = problem->n;
    const int64_t in_order = f->minimum ? 0 : n; /* a search for the minimum knows no order */
    const struct forward_validation validation = {
        .options = &f->options,
        .labels = &t->labels,
        .estimate = &f->estimate,
        .asked = &f->asked,
        .given = given,
        .first = t->first,
        .minimum = f->minimum,
        .passes = pass_trainer_fold_passes(t, &f->passes, y, in_order),
        .folds = t->folds,
        .seed = t->form.seed,
        .threads = (int)t->threads};
    struct forward_validated found;
    int status = forward_cross_validate(problem, y, &validation, &found, err);
    if (status == 0)
        status = fold_predictions_write(t, found.scores, n, weights_columns(t->labels.count),
                                        f->options.temperature, err);
    memory_free(found.scores);
    if (status != 0)
        return -1;
    trainer_print_validation(t, found.correct, n);
    trainer_print_errors(t, 1 - found.judged.agreed, found.judged.true_error);
    const struct findings to = trainer_results(t);
    forward_report_held_out(&to, &found.judged);
    return 0;
}

/* Learn from all examples at once.  0 or -1. */
static int forward_train_fit(struct forward_train *f, const struct problem *problem,
                             const int32_t *y, struct error *err)
{
    struct trainer *t = &f->trainer;
    struct forward_fit fit = {.estimate = &f->estimate,
                              .weight = t->weight,
                              .final = t->form.final,
                              .threads = (int)t->threads,
                              .progress = &t->progress};
    if (forward_fit(f->learner, problem, y, &fit, err) != 0)
        return -1;
    if (fit.searched) {
        const struct findings to = trainer_findings(t);
        progress_wipe(&t->progress);
        forward_report_minimum(&to, &fit.result);
    }
    return 0;
}

/* Warn of examples that nothing could be learnt from. */
static void forward_train_warn_of_left_out(struct forward_train *f)
{
    const struct findings to = trainer_findings(&f->trainer);
    forward_warn_left_out(&to, forward_counts(f->learner), f->had_counts,
                          !f->minimum && f->passes.passes > 1);
}

/* The hook `train_held`. */
static int forward_train_train_held(struct trainer *t, const struct problem *problem,
                                    const int32_t *y, struct error *err)
{
    struct forward_train *f = forward_train_of(t);
    int status;
    if (t->folds != 0)
        return forward_train_validate(f, problem, y, err);
    if (forward_train_make_learner(f, problem, y, err) != 0)
        return -1;
    problem = estimate_examples(&f->estimate, problem);
    const struct round_learner rounds = forward_learner(f->learner);
    if (f->minimum)
        status = forward_train_fit(f, problem, y, err);
    else
        status = pass_trainer_over_problem(t, &f->passes, &rounds, problem, y, err);
    if (status == 0)
        forward_train_warn_of_left_out(f);
    return status;
}

/* The hook `train_streamed`. */
static int forward_train_train_streamed(struct trainer *t, struct error *err)
{
    struct forward_train *f = forward_train_of(t);
    if (forward_train_make_learner(f, NULL, NULL, err) != 0)
        return -1;
    const struct round_learner rounds = forward_learner(f->learner);
    if (pass_trainer_over_stream(t, &f->passes, &rounds, err) != 0)
        return -1;
    forward_train_warn_of_left_out(f);
    return 0;
}

/* ---- the whole ---- */

/* Write the model, then the matrix of --confusion-out: if the model fails, neither appears. */
static int forward_train_save(struct trainer *t, struct error *err)
{
    struct forward_train *f = forward_train_of(t);
    output_abandon(&f->confusion_file); /* of a --save-every that failed */
    if (f->confusion_out
        && matrix_trainer_write(&f->C, f->confusion_out, &f->confusion_file, err) != 0)
        return -1;
    if (forward_save(f->learner, &t->form, t->model, (int)t->threads, err) != 0)
        return -1;
    return f->confusion_out ? output_commit(&f->confusion_file, err) : 0;
}

static int64_t forward_train_mistakes(const struct trainer *t)
{
    return forward_counts(forward_train_of(t)->learner).mistakes;
}

static int forward_train_run(struct trainer *t, struct error *err)
{
    struct forward_train *f = forward_train_of(t);
    if (!t->resume_given && matrix_trainer_read(t, f->confusion_given, &f->C, err) != 0)
        return -1;
    return pass_trainer_run(t, &f->passes, err);
}

static void forward_train_release(struct trainer *t)
{
    struct forward_train *f = forward_train_of(t);
    output_abandon(&f->confusion_file);
    confusion_free(&f->C);
    forward_free(f->learner);
    estimate_free(&f->estimate);
}

static const char *const details =
    "Given only a data file, it estimates the confusion matrix from the noisy labels and learns "
    "softmax regression through that matrix (forward correction). No clean label is needed, but in "
    "each class the right label must be more frequent than any other; a warning says where the "
    "labels do not determine the noise.\n\n"
    "By default the regularized loss is minimized on data held in memory, by L-BFGS or, with many "
    "features, by conjugate gradients, which are stopped early, after the number of steps with the "
    "best held-out likelihood. With -i, --no-shuffle, -m or --stream online passes (AdaGrad) are "
    "made instead; -t rbf then takes random Fourier features, whose number is 1000 without -D.\n\n"
    "The confusion matrix tells how often each label is observed for each true class; `confusion` "
    "makes one from a small sample whose true labels are known. With -c identity -t linear this is "
    "plain softmax regression. The model (default: the name of the training file + .model, in the "
    "current folder) is read by liblinear-predict too, if it is linear.\n\n"
    "With -t auto several classifiers compete, by held-out labels: softmax regression on the "
    "features as they are; the same on Nystrom features of an RBF kernel; and, unless --lambda or "
    "--steps is given, kernel ridge regression with that kernel: the mean of a fit to the labels, "
    "each weighted by how likely it is right, and of one to the probabilities of the classes. For "
    "text, where the features are many and most of them 0, a linear multiclass SVM with labels so "
    "weighted takes the place of both kernels; liblinear-predict reads its model. The report says "
    "which is taken, and why. -t linear keeps to the first, as do passes, -B, --lambda and --steps "
    "where -t is not given. The matrix is that of the linear model, unless that model is doubtful "
    "and the features find a likelier one; where kernel ridge regression is taken, a matrix that "
    "was not given is estimated again by its held-out scores: if that has less noise and clearly "
    "makes the labels likelier, the matrix moves towards it, as far as the labels ask. With -t "
    "auto, --disk or --sample, unless -l, -g, -B, --lambda or --steps is given, examples are "
    "taken at unit length or as they come (a linear model then has a bias), whichever predicts "
    "the labels better. A kernel takes features as they are, or scaled by their standard "
    "deviations or by how much the classes depend on them, if that is clearly better.";

/* Options of LIBSVM and LIBLINEAR that mean something else here, or nothing. */
static bool forward_train_foreign(const char *option, const char *next,
                                  char instead[OPTION_INSTEAD])
{
    if (options_is_cost(option, next))
        snprintf(
            instead, OPTION_INSTEAD,
            "-c names a confusion matrix here: leave -c %.40s out; the L2 penalty is --lambda, "
            "by default chosen from the data",
            next);
    else if (strcmp(option, "-s") == 0)
        snprintf(instead, OPTION_INSTEAD,
                 "-s: leave it out; there is one learner, softmax regression (LIBLINEAR's -s 0 is "
                 "-t linear -c identity)");
    else if (strcmp(option, "-e") == 0)
        snprintf(instead, OPTION_INSTEAD,
                 "-e: leave it out; the search ends by itself, or after --steps");
    else if (strcmp(option, "-C") == 0)
        snprintf(instead, OPTION_INSTEAD, "-C: leave it out; lambda is chosen from the data");
    else if (strcmp(option, "-b") == 0)
        snprintf(instead, OPTION_INSTEAD,
                 "-b: leave it out; forward-predict -b 1 has probabilities");
    else
        return options_is_shrinking(option, next, instead)
               || options_is_class_weight(option, instead);
    return true;
}

static const char *const examples =
    "  label-noise -r 0.3 data/digits.train > noisy && forward-train --confusion-out C noisy "
    "noisy.model\n"
    "  synth noise --flip 0.3 --labels 0-9 > C && label-noise -c C data/digits.train > noisy && "
    "forward-train -c C noisy noisy.model\n"
    "  forward-train -v 5 data/digits.train\n";

int main(int argc, char **argv)
{
    static const struct option_clash clashes[] = {
        {"model", "confusion", "goes on with the matrix of its model"},
        PASS_TRAINER_CLASHES,
        {"folds", "confusion-out", "writes no model"},
        {"folds", "disk", "holds the data in memory"},
        {"confusion-out", "model", "writes what was found or given here"},
        {0}};
    static const char *const alone[] = {"folds",  "model",      TRAINER_WEIGHTS, "skip-bad",
                                        "passes", "save-every", "stream",        "no-shuffle",
                                        "disk",   "sample",     "groups",        NULL};
    struct forward_train f = {.trainer = trainer_start(),
                              .passes = {.bytes = forward_train_model_bytes,
                                         .most_bytes = forward_train_most_bytes,
                                         .train_held = forward_train_train_held,
                                         .train_streamed = forward_train_train_streamed},
                              .options = forward_usual(CHOOSE, NULL),
                              .asked = {.features = CHOOSE, .predicts = true},
                              .confusion_file = {.fd = -1}};
    struct trainer *t = &f.trainer;
    struct option table[] = {
        {ROW_INPUT('c', "confusion", &f.confusion_given, "file"), .choices = confusion_option_words,
         .by_default = "estimate",
         .help =
             "the confusion matrix of the labels; identity: take the labels as right; estimate: "
             "estimate the matrix from the labels"},
        {ROW_NUMBER(0, "lambda", &f.options.lambda, "lambda", 0, forward_train_most_lambda),
         .had = &f.had_lambda,
         .help = "L2 penalty (default: chosen by held-out labels; 1e-5 when the "
                 "data are streamed)"},
        {ROW_INT(0, "steps", &f.options.steps, "n", 0, 1000000000),
         .help = "stop the search after n steps and average the last two iterates; 0: run to the "
                 "minimum (default: where the data have many features, the number with the best "
                 "held-out likelihood; else 0); with passes, of the estimate alone"},
        ESTIMATE_MAP_ROWS(
            &f.asked.map, &f.asked.map_dims, &f.asked.map_gamma,
            ". Without -t it is linear, too, with --lambda, --steps, --disk, --sample and passes "
            "(-i, -m, --stream, --no-shuffle)"),
        OPTION_FEATURES(&f.asked.features, " with -t linear"),
        {ROW_INT('i', "passes", &f.passes.passes, "passes", 1, 1000000),
         .help = "make online passes (AdaGrad) instead of minimizing (default with --stream, "
                 "-m or --no-shuffle: 15; with --stream from a pipe: 1)"},
        {ROW_OUTPUT(0, "confusion-out", &f.confusion_out, "file"),
         .help = "write the confusion matrix that training used"},
        OPTION_SAMPLE(&f.sample),
        OPTION_DISK(&f.passes.disk_given, "the folder of the model"),
        PASS_TRAINER_ROWS(t, &f.passes),
        TRAINER_FORM_ROWS(t, "the confusion file, or of the data", "1"),
        OPTION_FOLDS(&t->folds),
        OPTION_GROUPS(&t->groups_given, " of -v or of the estimate"),
        FOLD_PREDICTIONS_ROWS(t),
        TRAINER_RUN_ROWS(t),
    };
    t->program = (struct program){
        .name = "forward-train",
        TRAINER_WORDS,
        .summary = "Learn a classifier from noisy labels; their confusion matrix is estimated or "
                   "given.",
        .details = details,
        .diagnostics =
            "`held-out labels are predicted no better than by chance`: there may be nothing to "
            "learn; no noise is estimated, and the labels are taken as right. "
            "`noise of class 3 is not identifiable`: another matrix may explain the labels about "
            "as well; this class's column may be wrong. `EM from two starting points`: the labels "
            "have two explanations, and the matrix may be wrong by more than its standard errors. "
            "`further from the predicted probabilities than chance allows`: noise of the class "
            "alone does not explain the labels; it depends on the example, the classifier misfits, "
            "or a matrix that was given is of other labels. "
            "`a label that the matrix says cannot be`: such examples are left out; check the "
            "matrix. `the columns of classes 3 and 4 are alike`: of a matrix that was given; by it "
            "nothing can be learnt of which of the two an example is.",
        .see_also = "forward-predict(1), suspects(1), confusion(1), uma-train(1)",
        .papers =
            "Patrini, Rozza, Menon, Nock and Qu, Making deep neural networks robust to label noise:"
            " a loss correction approach, CVPR 2017. Northcutt, Jiang and Chuang, Confident "
            "learning, JAIR 70, 2021.",
        .examples = examples,
        .options = table,
        .foreign = forward_train_foreign,
        .count = sizeof table / sizeof *table};
    t->clashes = clashes;
    t->alone = alone;
    t->check = forward_train_check;
    t->uses = forward_train_uses;
    t->agrees = forward_train_agrees;
    t->resume = forward_train_resume;
    t->run = forward_train_run;
    t->save = forward_train_save;
    t->mistakes = forward_train_mistakes;
    t->release = forward_train_release;
    return trainer_main(t, argc, argv);
}
