/* musvm-train: the multiclass SVM with universum samples (MU-SVM) or without (M-SVM), and the
 * combinations of binary SVMs that it is compared with. */
#include "common/base/input.h"
#include "common/base/memory.h"
#include "common/base/number.h"
#include "common/base/output.h"
#include "common/data/problem_file.h"
#include "common/program/fold_predictions.h"
#include "common/program/trainer.h"
#include "learners/musvm/musvm_cross_validation.h"
#include "learners/musvm/musvm_factors.h"
#include "learners/musvm/musvm_model.h"
#include "learners/musvm/musvm_report.h"
#include "learners/musvm/musvm_select.h"

#include <stdatomic.h>
#include <string.h>

/* What -s chooses. */
static const char *const types[] = {"mu-svm",    "m-svm",     "svm-ova",  "svm-ovo",
                                    "u-svm-ova", "u-svm-ovo", "s3vm-ova", NULL};
enum { MU_SVM }; /* the default, also without a universum */
static const struct {
    enum musvm_scheme scheme;
    bool others, semi; /* does it use the samples of -u?  As unlabelled examples? */
} properties[] = {{MUSVM_WHOLE, true, false}, {MUSVM_WHOLE, false, false},
                  {MUSVM_OVA, false, false},  {MUSVM_OVO, false, false},
                  {MUSVM_OVA, true, false},   {MUSVM_OVO, true, false},
                  {MUSVM_OVA, true, true}};
static const char *const criteria[] = {"cv", "span", "loo-local", NULL};
enum { USUAL_FOLDS = 5 /* of -C cv, without -v: as LIBSVM's grid.py has */ };

struct musvm_train {
    struct trainer trainer; /* first, so that a hook can cast it back */
    struct musvm_plan plan;
    struct musvm_costs costs;
    struct kernel kernel;
    struct option_numbers grid_c, grid_g, grid_p;
    struct option_words class_factors;
    const char *universum, *results;
    bool bound, selects;
    int64_t type, shrinking, criterion, folds;
    double megabytes;

    struct problem samples; /* training, then universum */
    int32_t *y;
    double *factor; /* n: of C, from -w and -W; NULL: none given */
    struct musvm_task task;
    struct kernel_data kernel_data;
    struct musvm_kernel_source source;
    struct musvm_machine machine;
    struct output results_file;
    _Atomic int64_t given_up; /* how often the solver stopped before convergence */
};

/* The program that a hook's trainer is part of. */
static struct musvm_train *musvm_train_of(const struct trainer *t)
{
    return (struct musvm_train *)(void *)t;
}

static bool musvm_train_is_linear(const struct musvm_train *m)
{
    return m->kernel.type == KERNEL_LINEAR;
}

/* ---- options together ---- */

/* The folds by which -C cv chooses. */
static int64_t musvm_train_trial_folds(const struct musvm_train *m)
{
    return m->folds != 0 ? m->folds : USUAL_FOLDS;
}

/* Settings that follow from the options.  With -C, -v is the number of folds to choose by, and a
 * model is written all the same. */
static void musvm_train_settle(struct musvm_train *m)
{
    struct trainer *t = &m->trainer;
    m->kernel.type %= KERNELS; /* names, then LIBSVM's numbers */
    m->selects = trainer_given(t, "select");
    m->plan.scheme = properties[m->type].scheme;
    m->plan.semi = properties[m->type].semi;
    m->plan.linear = musvm_train_is_linear(m);
    m->plan.solver.shrinking = m->shrinking == 1;
    m->plan.solver.seed = t->form.seed;
    if (!trainer_given(t, "c-star"))
        m->costs.C_star = -1;
    t->folds = m->selects ? 0 : m->folds;
    t->fewest_groups = m->selects && m->criterion == SELECT_CV ? musvm_train_trial_folds(m) : 0;
}

/* Options that clash with -C, -b or -v, or belong to one of them. */
static int musvm_train_check_selection(const struct musvm_train *m, struct error *err)
{
    const struct trainer *t = &m->trainer;
    if (properties[m->type].scheme != MUSVM_WHOLE
        && (m->bound || (m->selects && m->criterion != SELECT_CV)))
        return error_usage(
            err, "leave-one-out estimates (-b, -C span, -C loo-local) belong to mu-svm and m-svm");
    if (!m->selects
        && (m->results || trainer_given(t, "grid-c") || m->grid_g.count
            || trainer_given(t, "grid-p")))
        return error_usage(err, "--grid-c, --grid-g, --grid-p and -j belong to -C");
    if (m->selects && (trainer_given(t, "cost") || trainer_given(t, "delta")))
        return error_usage(
            err, "-C chooses C and Delta: -c and -p do not go with it (--grid-c, --grid-p)");
    if (m->selects && m->grid_g.count && musvm_train_is_linear(m))
        return error_usage(err, "the linear kernel has no gamma: --grid-g does not go with it");
    if (m->selects && m->grid_g.count && trainer_given(t, "gamma"))
        return error_usage(err, "-g and --grid-g do not go together");
    if (m->selects && t->fold_predictions)
        return error_usage(
            err, "-C chooses, and writes a model: --fold-predictions does not go with it");
    if (m->bound && t->folds != 0)
        return error_usage(err, "-b needs a model's solution: -v does not go with it");
    if (m->folds != 0 && m->selects && m->criterion != SELECT_CV)
        return error_usage(err, "-v goes with -C cv only");
    if (t->groups_given && m->selects && m->criterion != SELECT_CV)
        return error_usage(err, "--groups is of cross-validation: it goes with -v or -C cv");
    if (t->folds != 0 && t->model)
        return error_usage(err, "-v writes no model: it does not go with a model file");
    return 0;
}

static int musvm_train_check(struct trainer *t, struct error *err)
{
    struct musvm_train *m = musvm_train_of(t);
    musvm_train_settle(m);
    if (!properties[m->type].others && (m->universum || trainer_given(t, "c-star")))
        return error_usage(
            err,
            "%s knows no universum: -u and -y belong to mu-svm, u-svm-ova, u-svm-ovo and s3vm-ova",
            types[m->type]);
    if (t->form.bias >= 0 && (!musvm_train_is_linear(m) || m->plan.scheme == MUSVM_OVO))
        return error_usage(err,
                           "-B goes with the linear kernel only, and not with one against one");
    if (musvm_train_check_selection(m, err) != 0
        || musvm_factors_check(m->class_factors.word, m->class_factors.count, err) != 0)
        return -1;
    if (m->type != MU_SVM && properties[m->type].others && !m->universum)
        trainer_note(t, "without -u %s learns from the training set alone", types[m->type]);
    return 0;
}

/* The hook `uses`: parameters of other kernels, Delta for machines with an insensitive zone, and
 * what needs a universum. */
static bool musvm_train_uses(const struct trainer *t, const char *option,
                             char why_not[TRAINER_WHY_NOT])
{
    const struct musvm_train *m = musvm_train_of(t);
    const bool insensitive = properties[m->type].others && !properties[m->type].semi,
               delta = strcmp(option, "delta") == 0 || strcmp(option, "grid-p") == 0;
    if (!kernel_has(&m->kernel, option)) {
        snprintf(why_not, TRAINER_WHY_NOT, "with -t %s", kernel_names[m->kernel.type]);
        return false;
    }
    if (delta && !insensitive) {
        snprintf(why_not, TRAINER_WHY_NOT, "for %s", types[m->type]);
        return false;
    }
    snprintf(why_not, TRAINER_WHY_NOT, "without -u");
    return m->universum || (!delta && strcmp(option, "c-star") != 0);
}

/* ---- the data ---- */

/* Read the training set and append the universum. */
static int musvm_train_read_samples(struct musvm_train *m, struct error *err)
{
    struct trainer *t = &m->trainer;
    struct example_format format = trainer_format(t);
    struct problem universum = {0};
    if (problem_hold(t->data, &format, (int)t->threads, &m->samples, err) != 0)
        return -1;
    if ((t->labels.count == 0 && problem_labels(&m->samples, &t->labels, err) != 0)
        || labels_require_several(&t->labels, err) != 0
        || !(m->y = memory_new(m->samples.n, sizeof *m->y, err))
        || problem_classes(&m->samples, &t->labels, input_name(t->data), m->y, err) != 0
        || trainer_read_beside(t, &m->samples, m->y, err) != 0
        || trainer_check_folds(t, m->samples.n, err) != 0)
        return -1;
    m->task.n = m->samples.n;
    format.unlabelled = true;
    format.bad = NULL; /* of the data only */
    format.cut = NULL;
    if (m->universum && problem_hold(m->universum, &format, (int)t->threads, &universum, err) != 0)
        return -1;
    m->task.m = universum.n;
    m->task.universum = m->universum;
    m->samples.lines = 0; /* lines of the universum are those of its own file */
    int status = problem_append(&m->samples, &universum, err);
    problem_free(&universum);
    return status;
}

/* Solve in w instead of with cached kernel rows?  Only with the linear kernel; rows are faster
 * where the kernel matrix is not much larger than the data (3 times: no reason but that it works),
 * and the leave-one-out estimates of -C need them. */
static bool musvm_train_solves_in_w(const struct musvm_train *m)
{
    const double N = (double)(m->task.n + m->task.m);
    return musvm_train_is_linear(m) && !(m->selects && m->criterion != SELECT_CV)
           && N * N > 3 * (double)m->samples.nnz;
}

/* Costs that one cross-validation tries; 0: there is none. */
static int64_t musvm_train_trials_at_once(const struct musvm_train *m)
{
    if (!m->selects)
        return m->trainer.folds != 0;
    if (m->criterion != SELECT_CV)
        return 0;
    return m->task.m > 0 && m->grid_p.count > m->grid_c.count ? m->grid_p.count : m->grid_c.count;
}

/* Report the memory needed, and refuse what does not fit. */
static int musvm_train_plan_memory(struct musvm_train *m, struct error *err)
{
    struct trainer *t = &m->trainer;
    const struct findings to = trainer_findings(t);
    const int64_t N = m->task.n + m->task.m;
    const double data = problem_bytes((double)N, (double)m->samples.nnz, false);
    const double learner = musvm_bytes(&m->plan, &m->task, musvm_train_solves_in_w(m),
                                       musvm_train_trials_at_once(m), (int)t->threads);
    double kernel = 0;
    trainer_report_data(t, m->task.n, m->samples.d);
    trainer_note_sizes(t, &m->samples);
    musvm_warn_lengths(&to, &m->task, m->plan.semi);
    if (!musvm_train_solves_in_w(m))
        kernel = kernel_rows_bytes(N, 1e6 * m->megabytes) + kernel_data_bytes(&m->samples);
    musvm_report_memory(&to, &m->task, m->plan.semi, data, learner, kernel);
    char what[128];
    snprintf(what, sizeof what, "learning from %lld samples of %lld classes%s", (long long)N,
             (long long)t->labels.count, kernel > 0 ? " (a smaller -M takes less)" : "");
    return memory_check(data + learner + kernel, what, err);
}

/* The task, the default gamma, the limit of updates, memory, and where kernel rows come from. */
static int musvm_train_prepare(struct musvm_train *m, struct error *err)
{
    struct musvm_options *o = &m->plan.solver;
    m->task.classes = m->trainer.labels.count;
    m->task.y = m->y;
    m->task.first = m->trainer.first;
    m->task.samples = &m->samples;
    if (!(m->kernel.gamma > 0))
        m->kernel.gamma = m->samples.d > 0 ? 1 / (double)m->samples.d : 1;
    o->given_up = &m->given_up;
    o->most_updates = musvm_usual_updates(m->task.n + m->task.m);
    if (musvm_train_plan_memory(m, err) != 0)
        return -1;
    m->source = (struct musvm_kernel_source){.kernel = m->kernel, .bytes = 1e6 * m->megabytes};
    if (musvm_train_solves_in_w(m))
        return 0;
    m->source.data = &m->kernel_data;
    return kernel_data_make(&m->samples, NULL, &m->kernel_data, err);
}

/* A cache of kernel rows, unless the task is solved in w. */
static int musvm_train_make_rows(struct musvm_train *m, struct error *err)
{
    struct musvm_kernel_source *source = &m->source;
    if (source->data && !source->rows
        && !(source->rows = kernel_rows_new(&source->kernel, source->data, source->bytes,
                                            (int)m->trainer.threads, err)))
        return -1;
    m->task.rows = source->rows;
    return 0;
}

/* ---- warnings ---- */

/* Warn of trials whose solver did not converge; reset their number. */
static void musvm_train_warn_of_trials(struct musvm_train *m)
{
    const struct findings to = trainer_findings(&m->trainer);
    musvm_warn_given_up(&to, atomic_exchange(&m->given_up, 0));
}

/* Warn of a kernel that is not right, or not for these data. */
static void musvm_train_warn_of_kernel(struct musvm_train *m)
{
    const struct findings to = trainer_findings(&m->trainer);
    musvm_warn_kernel(&to, &m->task);
    musvm_warn_alike(&to, &m->task);
    if (m->kernel.type == KERNEL_RBF)
        musvm_warn_isolated(&to, &m->task, m->kernel.gamma);
}

/* ---- validation ---- */

/* -v: cross-validation accuracy. */
static int musvm_train_validate(struct musvm_train *m, struct error *err)
{
    struct trainer *t = &m->trainer;
    const int64_t n = m->task.n, K = m->task.classes, steps = t->folds * musvm_parts(&m->plan, K);
    int64_t wrong;
    double *scores = NULL;
    if (musvm_train_make_rows(m, err) != 0 || fold_predictions_make(t, n, K, &scores, err) != 0)
        return -1;
    musvm_train_warn_of_kernel(m);
    const struct musvm_validation validation = {.plan = &m->plan,
                                                .factor = m->factor,
                                                .costs = &m->costs,
                                                .count = 1,
                                                .folds = t->folds,
                                                .threads = (int)t->threads,
                                                .progress = &t->progress,
                                                .steps = steps};
    int status = musvm_cross_validate(&validation, &m->task, &wrong, scores, err);
    progress_wipe(&t->progress);
    if (status == 0 && musvm_train_is_linear(m) && !musvm_votes(&m->plan, K))
        status = fold_predictions_write_linear(t, scores, n, err);
    else if (status == 0)
        status = fold_predictions_write(t, scores, n, K, 0, err);
    memory_free(scores);
    if (status != 0)
        return -1;
    musvm_train_warn_of_trials(m);
    trainer_print_validation(t, n - wrong, n);
    return 0;
}

/* ---- model selection ---- */

/* -j: all trials.  0 or -1. */
static int musvm_train_write_results(struct musvm_train *m, const struct musvm_trial *trial,
                                     int64_t count, struct error *err)
{
    if (output_open(&m->results_file, m->results, err) != 0)
        return -1;
    m->trainer.also = &m->results_file;
    musvm_write_trials(&m->results_file, trial, count, m->task.n, musvm_train_is_linear(m));
    return output_flush(&m->results_file, err);
}

/* Report which trial is the best, whose costs m has by now, and take its kernel.  0 or -1. */
static int musvm_train_take_chosen(struct musvm_train *m, const struct musvm_task *task,
                                   const struct musvm_grid *grid, const struct musvm_trial *trial,
                                   int64_t count, struct error *err)
{
    struct trainer *t = &m->trainer;
    const struct findings to = trainer_results(t);
    musvm_report_chosen(&to, trial, count, task->n, grid->criterion, musvm_train_is_linear(m));
    if (task->m > 0)
        musvm_note_harm(&to, trial, count, task->n);
    else
        m->costs.C_star = grid->C_star;
    m->kernel = m->source.kernel;
    report_number(t->report, REPORT_COST, m->costs.C);
    if (!musvm_train_is_linear(m))
        report_number(t->report, REPORT_GAMMA, m->kernel.gamma);
    if (task->m > 0)
        report_number(t->report, REPORT_DELTA, m->costs.delta);
    return m->results ? musvm_train_write_results(m, trial, count, err) : 0;
}

/* -C: choose C, gamma and Delta. */
static int musvm_train_choose(struct musvm_train *m, struct error *err)
{
    struct trainer *t = &m->trainer;
    struct musvm_task task = m->task;
    struct musvm_grid grid = {.criterion = (enum musvm_criterion)m->criterion,
                              .C = m->grid_c.value,
                              .C_count = m->grid_c.count,
                              .gamma = &m->kernel.gamma,
                              .gamma_count = 1,
                              .delta = m->grid_p.value,
                              .delta_count = m->grid_p.count,
                              .C_star = m->costs.C_star,
                              .folds = musvm_train_trial_folds(m)};
    if (m->grid_g.count > 0) {
        grid.gamma = m->grid_g.value;
        grid.gamma_count = m->grid_g.count;
    }
    if (m->plan.semi) /* choose by the labelled examples alone */
        task.m = 0;
    int64_t count = musvm_select_trials(&grid, &task);
    struct musvm_trial *trial = memory_new(count, sizeof *trial, err);
    if (!trial)
        return -1;
    const struct musvm_selection selection = {.plan = &m->plan,
                                              .factor = m->factor,
                                              .grid = &grid,
                                              .source = &m->source,
                                              .threads = (int)t->threads,
                                              .progress = &t->progress};
    int status = musvm_select(&selection, &task, trial, &m->costs, err);
    progress_wipe(&t->progress);
    musvm_train_warn_of_trials(m);
    if (status == 0)
        status = musvm_train_take_chosen(m, &task, &grid, trial, count, err);
    memory_free(trial);
    return status;
}

/* ---- training ---- */

static int musvm_train_save(struct trainer *t, struct error *err)
{
    const struct musvm_train *m = musvm_train_of(t);
    return musvm_save(&m->task, &m->machine, &m->costs, &m->kernel, &t->labels, types[m->type],
                      &t->form, t->model, (int)t->threads, err);
}

static int musvm_train_learn(struct musvm_train *m, struct error *err)
{
    struct trainer *t = &m->trainer;
    const int64_t K = t->labels.count;
    if ((m->selects && musvm_train_choose(m, err) != 0) || musvm_train_make_rows(m, err) != 0)
        return -1;
    musvm_train_warn_of_kernel(m);
    const struct findings to = trainer_findings(t);
    if (!musvm_votes(&m->plan, K)) /* the same C* for all problems; pairs of classes differ */
        m->costs.C_star = musvm_c_star(&m->costs, m->task.n, m->task.m,
                                       m->plan.scheme == MUSVM_WHOLE ? K : 2);
    t->progress = progress_start(t->quiet, musvm_parts(&m->plan, K) == 1 ? "updates" : "problems");
    progress_phase(&t->progress, "learning");
    int status = musvm_machine_train(&m->plan, &m->task, m->factor, &m->costs, (int)t->threads,
                                     &t->progress, &m->machine, err);
    progress_wipe(&t->progress);
    if (status != 0)
        return -1;
    musvm_report_machine(&to, &m->machine, m->plan.semi);
    musvm_warn_bounded(&to, &m->task, &m->machine);
    if (!m->bound)
        return 0;
    const struct findings results = trainer_results(t);
    return musvm_report_bounds(&results, &m->machine.only, (int)t->threads, err);
}

static int musvm_train_run(struct trainer *t, struct error *err)
{
    struct musvm_train *m = musvm_train_of(t);
    t->progress = progress_start(t->quiet, "trials");
    progress_phase(&t->progress, m->selects ? "choosing parameters" : "cross-validation");
    const struct findings to = trainer_findings(t);
    if (musvm_train_read_samples(m, err) != 0
        || musvm_factors_make(m->class_factors.word, m->class_factors.count, &t->labels, m->y,
                              t->weight, m->task.n, &to, &m->factor, err)
               != 0
        || musvm_train_prepare(m, err) != 0)
        return -1;
    return t->folds != 0 ? musvm_train_validate(m, err) : musvm_train_learn(m, err);
}

static void musvm_train_release(struct trainer *t)
{
    struct musvm_train *m = musvm_train_of(t);
    musvm_machine_free(&m->machine);
    kernel_rows_free(m->source.rows);
    kernel_data_free(&m->kernel_data);
    problem_free(&m->samples);
    memory_free(m->y);
    memory_free(m->factor);
}

/* svm-train's options that mean something else here, or nothing. */
static bool musvm_train_foreign(const char *option, const char *next, char instead[OPTION_INSTEAD])
{
    const bool zero_one = next && (strcmp(next, "0") == 0 || strcmp(next, "1") == 0);
    int64_t number;
    if (strcmp(option, "-h") == 0 && zero_one)
        snprintf(instead, OPTION_INSTEAD, "-h is for help here: write --shrinking %s", next);
    else if (strcmp(option, "-b") == 0 && zero_one && !input_is_file(next))
        snprintf(instead, OPTION_INSTEAD,
                 "-b %s: leave it out; musvm-predict -b 1 writes scores, and forward-train makes "
                 "models with probabilities",
                 next);
    else if (option[1] == 'm' && (option[2] || next))
        snprintf(instead, OPTION_INSTEAD, "-m is -M here: write -M %.40s",
                 option[2] ? option + 2 : next);
    else if (next && options_names_class(option, &number))
        snprintf(instead, OPTION_INSTEAD, "%.40s %.40s: write -w %lld:%.40s", option, next,
                 (long long)number, next);
    else if (strcmp(option, "-w") == 0 && next
             && number_int_from_word(next, INT32_MIN, INT32_MAX, &number) == 0)
        snprintf(instead, OPTION_INSTEAD, "-w %.40s: write -w %.40s:FACTOR", next, next);
    else
        return false;
    return true;
}

static const char *const details = "The multiclass SVM of Crammer and Singer; with -u it also has "
                                   "a loss for every class to which a universum sample is assigned "
                                   "(MU-SVM). musvm-predict reads the model (default: the name of "
                                   "the training file + .model, in the current folder), "
                                   "liblinear-predict too if the kernel is linear, but no "
                                   "one-vs-one model of three classes or more.";

static const char *const examples =
    "  musvm-train -t linear -c 0.1 data/digits.train digits.model\n"
    "  musvm-train -v 5 -c 10 -g 0.002 data/digits.train\n"
    "  musvm-train -C span -g 0.002 data/digits.train digits.model\n";

int main(int argc, char **argv)
{
    static const struct option_clash clashes[] = {TRAINER_WEIGHTS_CLASH, TRAINER_GROUPS_CLASH, {0}};
    struct musvm_train m = {.trainer = trainer_start()};
    struct trainer *t = &m.trainer;
    struct option table[] = {
        {ROW_CHOICE('s', "type", &m.type, "type", types), .by_default = "mu-svm",
         .hint = "LIBSVM's 0 is svm-ovo; its 1 to 4 have no counterpart",
         .help =
             "the machine: one multiclass SVM with a universum or without; binary SVMs, one-vs-all "
             "or one-vs-one, without or with a universum; semi-supervised one-vs-all"},
        OPTIONS_OF_KERNEL(&m.kernel),
        {ROW_NUMBER('c', "cost", &m.costs.C, "C", OPTION_ABOVE_0, OPTION_UNBOUNDED),
         .by_default = "1", .help = "cost of a margin violation"},
        {ROW_INPUT('u', "universum", &m.universum, "file"),
         .help =
             "universum samples (their labels are ignored); for s3vm-ova the unlabelled examples"},
        {ROW_NUMBER('y', "c-star", &m.costs.C_star, "C*", 0, OPTION_UNBOUNDED),
         .help = "cost of a universum violation (default: n C / (m L) with n examples, m universum "
                 "samples and L classes of a problem; L is 2 for -ova and -ovo)"},
        {ROW_NUMBER('p', "delta", &m.costs.delta, "Delta", 0, OPTION_UNBOUNDED), .by_default = "0",
         .help = "width of the insensitive zone on universum samples"},
        {ROW_NUMBER('e', "epsilon", &m.plan.solver.eps, "eps", OPTION_ABOVE_0, OPTION_UNBOUNDED),
         .by_default = "0.001", .help = "stopping tolerance: the largest violation of optimality"},
        {ROW_NUMBER('M', "cache", &m.megabytes, "MB", 0, 1e12), .by_default = "1024",
         .help = "cache size for kernel rows; results do not depend on it"},
        {ROW_CHOICE(0, "shrinking", &m.shrinking, "0|1", option_zero_one), .by_default = "1",
         .help = "1: use shrinking, which sets aside samples that no longer change"},
        {ROW_WORDS('w', "weight", &m.class_factors, "label:factor"),
         .help = "multiply C by this factor for a class (repeatable)"},
        TRAINER_WEIGHTS_ROW(t),
        {ROW_FLAG('b', "bound", &m.bound),
         .help =
             "also print two estimates of the leave-one-out error: by theorem 4 of the paper, and "
             "element-wise (mu-svm and m-svm only)"},
        {ROW_CHOICE('C', "select", &m.criterion, "how", criteria),
         .help =
             "choose C (and gamma) without the universum, then Delta with it, by cross-validation "
             "(-v folds, by default 5), theorem 4 or the element-wise estimate (as -b)"},
        {ROW_NUMBERS(0, "grid-c", &m.grid_c, "list", OPTION_ABOVE_0, OPTION_UNBOUNDED),
         .by_default = "0.0001,0.001,0.01,0.1,1,10,100,1000", .help = "values of C for -C"},
        {ROW_NUMBERS(0, "grid-g", &m.grid_g, "list", OPTION_ABOVE_0, OPTION_UNBOUNDED),
         .help = "values of gamma for -C (default: that of -g)"},
        {ROW_NUMBERS(0, "grid-p", &m.grid_p, "list", 0, OPTION_UNBOUNDED),
         .by_default = "0,0.01,0.05,0.1", .help = "values of Delta for -C"},
        {ROW_OUTPUT('j', "results", &m.results, "file"),
         .help = "write all results of -C as a table"},
        TRAINER_FORM_ROWS(t, "the data", "0"),
        OPTION_FOLDS(&m.folds),
        OPTION_GROUPS(&t->groups_given, " of -v or -C cv"),
        FOLD_PREDICTIONS_ROWS(t),
        TRAINER_RUN_ROWS(t),
    };
    t->program = (struct program){
        .name = "musvm-train",
        TRAINER_WORDS,
        .summary =
            "Learn a multiclass SVM, with or without universum samples: examples that belong to no "
            "class.",
        .details = details,
        .diagnostics =
            "`the solver has not converged`: C may be too large, the kernel not positive "
            "semidefinite, or eps too small. `the kernel is not positive semidefinite`: the result "
            "is only a coordinate-wise optimum. `the universum does harm`: by the estimates of -C "
            "there are more errors with it than without.",
        .see_also = "musvm-predict(1), universum(1)",
        .papers =
            "Dhar, Cherkassky and Shah, Multiclass learning from contradictions, NeurIPS 2019. "
            "Crammer and Singer, On the algorithmic implementation of multiclass kernel-based "
            "vector machines, JMLR 2, 2001.",
        .examples = examples,
        .options = table,
        .foreign = musvm_train_foreign,
        .count = sizeof table / sizeof *table};
    t->clashes = clashes;
    t->check = musvm_train_check;
    t->uses = musvm_train_uses;
    t->run = musvm_train_run;
    t->iterative = true;
    t->save = musvm_train_save;
    t->release = musvm_train_release;
    return trainer_main(t, argc, argv);
}
