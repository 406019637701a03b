/* musvm-train: multiclass SVM that also learns from contradictions (MU-SVM), or without them
 * (M-SVM), and the machines of binary SVMs that it is compared with. */
#include "common/base/input.h"
#include "common/base/memory.h"
#include "common/base/number.h"
#include "common/base/output.h"
#include "common/base/parallel.h"
#include "common/data/problem_file.h"
#include "common/program/option_rows.h"
#include "common/program/options.h"
#include "common/program/program.h"
#include "learners/musvm/musvm_model.h"
#include "learners/musvm/musvm_select.h"
#include "learners/musvm/musvm_validate.h"
#include "learners/musvm/span_bound.h"

#include <float.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* What -s chooses. */
static const char *const types[] = {"mu-svm",    "m-svm",     "svm-ova",  "svm-ovo",
                                    "u-svm-ova", "u-svm-ovo", "s3vm-ova", NULL};
static const struct {
    enum musvm_scheme scheme;
    bool others, semi; /* does it learn from the samples of -u?  As unlabelled examples? */
} properties[] = {{MUSVM_WHOLE, true, false}, {MUSVM_WHOLE, false, false},
                  {MUSVM_OVA, false, false},  {MUSVM_OVO, false, false},
                  {MUSVM_OVA, true, false},   {MUSVM_OVO, true, false},
                  {MUSVM_OVA, true, true}};
static const char *const criteria[] = {"cv", "span", "loo-local", NULL};
/* The larger of the two bounds a solution: a kernel may not be positive, eps less than rounding
 * allows, and under a huge C few examples that cannot be told apart go on for ever.  Those take
 * seconds then.  (LIBSVM gives up after 10^7.  Eight samples, some of them equal, under C = 10^6
 * needed 1.9 10^7, 113 of iris under C = 1000 with a polynomial kernel 43000 each.) */
static const int64_t most_updates = 20000000, most_updates_a_sample = 20000;
enum { USUAL_FOLDS = 5 }; /* of -C cv */

struct settings {
    struct musvm_plan plan;
    struct musvm_costs costs;
    struct option_numbers grid_c, grid_g, grid_p;
    struct musvm_file file;
    struct kernel kernel;
    struct option_words weights;
    const char *labels, *universum, *results;
    bool quiet, bound, selects;
    int64_t type, shrinking, criterion, folds, threads, unit_length;
    double megabytes;
};

struct job {
    const struct program *program;
    struct settings *set;
    const char *data, *model;
    FILE *info;             /* where the report goes; NULL: nowhere */
    struct problem samples; /* training, then universum */
    struct labels labels;
    int32_t *y;
    double *factor; /* n: of C; NULL: no weights were given */
    struct musvm_task task;
    struct kernel_data kernel_data;
    struct musvm_kernel_source source;
    struct musvm_machine machine;
    struct progress progress;
    _Atomic int64_t given_up; /* solutions of the solver */
};

/* Options without a meaning for the type are named, not silently ignored. */
static void note_unused(const struct program *program, const struct settings *s)
{
    static const char *const of_universum[] = {"delta", "grid-p", NULL};
    const bool insensitive = properties[s->type].others && !properties[s->type].semi;
    for (const char *const *name = of_universum; *name && !insensitive && !s->quiet; name++)
        if (options_find(program, *name)->given)
            fprintf(stderr, "%s: note: --%s has no meaning for %s\n", program->name, *name,
                    types[s->type]);
}

/* What only several options together can tell.  OPTIONS_GO or a status. */
static int check(const struct program *program, struct settings *s, const char *data,
                 const char *model)
{
    const bool whole = properties[s->type].scheme == MUSVM_WHOLE,
               has_c_star = options_find(program, "c-star")->given;
    s->kernel.type %= KERNELS;
    s->selects = options_find(program, "select")->given;
    s->file.learner = types[s->type];
    s->plan.scheme = properties[s->type].scheme;
    s->plan.semi = properties[s->type].semi;
    s->plan.linear = s->kernel.type == KERNEL_LINEAR;
    s->plan.solver.shrinking = s->shrinking == 1;
    if (!has_c_star)
        s->costs.C_star = -1;
    if (!properties[s->type].others && (s->universum || has_c_star))
        return options_refuse(
            program,
            "%s knows no universum: -u and -y belong to mu-svm, u-svm-ova, u-svm-ovo and s3vm-ova",
            types[s->type]);
    if (s->universum && strcmp(s->universum, "-") == 0 && strcmp(data, "-") == 0)
        return options_refuse(program, "the data and the universum cannot both be standard input");
    if (!whole && (s->bound || (s->selects && s->criterion != SELECT_CV)))
        return options_refuse(
            program,
            "leave-one-out estimates (-b, -C span, -C loo-local) belong to mu-svm and m-svm");
    if (!s->selects
        && (s->results || options_find(program, "grid-c")->given || s->grid_g.count
            || options_find(program, "grid-p")->given))
        return options_refuse(program, "--grid-c, --grid-g, --grid-p and -j belong to -C");
    if (s->selects
        && (options_find(program, "cost")->given || options_find(program, "delta")->given))
        return options_refuse(
            program, "-C chooses C and Delta: -c and -p do not go with it (--grid-c, --grid-p)");
    if (s->selects && s->grid_g.count
        && (options_find(program, "gamma")->given || s->kernel.type == KERNEL_LINEAR))
        return options_refuse(program,
                              s->kernel.type == KERNEL_LINEAR
                                  ? "the linear kernel has no gamma: --grid-g does not go with it"
                                  : "-g and --grid-g do not go together");
    if (s->bound && s->folds > 0 && !s->selects)
        return options_refuse(program, "-b needs a model's solution: -v does not go with it");
    if (s->folds > 0 && s->selects && s->criterion != SELECT_CV)
        return options_refuse(program, "-v goes with -C cv only");
    if (s->folds > 0 && model && !s->selects)
        return options_refuse(program, "-v writes no model: a model file does not go with it");
    if (!model && strcmp(data, "-") == 0 && (s->folds == 0 || s->selects))
        return options_refuse(program, "data from standard input: name the model file");
    if (s->file.bias >= 0 && (s->kernel.type != KERNEL_LINEAR || s->plan.scheme == MUSVM_OVO))
        return options_refuse(program,
                              "-B goes with the linear kernel only, and not with one against one");
    if (s->file.bias < 0)
        s->file.bias = -1;
    note_unused(program, s);
    return OPTIONS_GO;
}

static bool is_linear(const struct job *job)
{
    return job->set->kernel.type == KERNEL_LINEAR;
}

/* The training set and, behind it, the universum. */
static int read_samples(struct job *job, struct error *err)
{
    struct settings *s = job->set;
    struct example_format format = {
        .zero_based = s->file.zero_based, .unit_length = s->file.unit_length, .bias = s->file.bias};
    struct problem universum = {0};
    if (problem_read(job->data, &format, (int)s->threads, 0, &job->samples, err) != 0)
        return -1;
    job->task.n = job->samples.n;
    if (job->labels.count == 0 && problem_labels(&job->samples, &job->labels, err) != 0)
        return -1;
    if (labels_require_several(&job->labels, err) != 0
        || !(job->y = memory_new(job->task.n, sizeof *job->y, err))
        || problem_classes(&job->samples, &job->labels, input_name(job->data), job->y, err) != 0)
        return -1;
    format.unlabelled = true;
    if (s->universum
        && problem_read(s->universum, &format, (int)s->threads, 0, &universum, err) != 0)
        return -1;
    job->task.m = universum.n;
    int status = problem_append(&job->samples, &universum, err);
    problem_free(&universum);
    return status;
}

/* `label:factor` for each -w.  OPTIONS_GO, EXIT_USAGE, or 1 with err. */
static int find_weights(struct job *job, struct error *err)
{
    const struct option_words *words = &job->set->weights;
    const int64_t K = job->labels.count;
    if (words->count == 0)
        return OPTIONS_GO;
    bool *given = memory_new(K, sizeof *given, err);
    double *weight = given ? memory_new(K, sizeof *weight, err) : NULL;
    job->factor = weight ? memory_new(job->task.n, sizeof *job->factor, err) : NULL;
    int status = job->factor ? OPTIONS_GO : 1;
    for (int64_t k = 0; k < K && weight; k++)
        weight[k] = 1;
    for (int i = 0; i < words->count && status == OPTIONS_GO; i++) {
        char word[64];
        const char *colon = strchr(words->word[i], ':');
        int64_t label;
        double factor;
        if (!colon || colon - words->word[i] >= (int)sizeof word) {
            status = options_refuse(job->program, "-w: \"%.40s\" is not label:factor",
                                    words->word[i]);
            break;
        }
        snprintf(word, sizeof word, "%.*s", (int)(colon - words->word[i]), words->word[i]);
        if (number_int_from_word(word, INT32_MIN, INT32_MAX, &label) != 0
            || number_from_word(colon + 1, &factor) != 0 || !(factor > 0)) {
            status = options_refuse(job->program,
                                    "-w: \"%.40s\" is not label:factor with a factor above 0",
                                    words->word[i]);
            break;
        }
        int64_t k = labels_find(&job->labels, label);
        if (k < 0)
            fprintf(stderr, "%s: warning: class label %lld of -w is not in the data\n",
                    job->program->name, (long long)label);
        else if (given[k] && (weight[k] < factor || weight[k] > factor))
            status = options_refuse(job->program, "-w: label %lld is given two factors",
                                    (long long)label);
        else
            given[k] = true, weight[k] = factor;
    }
    for (int64_t i = 0; i < job->task.n && status == OPTIONS_GO; i++)
        job->factor[i] = weight[job->y[i]];
    memory_free(weight);
    memory_free(given);
    return status;
}

/* Weights are learnt, not coefficients by kernel rows?  Rows of the linear kernel are faster where
 * the matrix is not much larger than the data, and estimates of many models want them. */
static bool uses_weights(const struct job *job)
{
    const double N = (double)(job->task.n + job->task.m);
    return is_linear(job) && !(job->set->selects && job->set->criterion != SELECT_CV)
           && N * N > 3 * (double)job->samples.nnz;
}

/* What it will take, said and checked before it is taken. */
static int plan_memory(struct job *job, struct error *err)
{
    struct settings *s = job->set;
    const int64_t n = job->task.n, N = n + job->task.m, K = job->labels.count,
                  columns = musvm_columns(&s->plan, K), parts = musvm_parts(&s->plan, K);
    const double at_once = (double)(s->threads < parts ? s->threads : parts);
    const double tables = (uses_weights(job) ? 32.0 : 16.0) * (double)N
                          * (double)(parts > 1
                                         ? 2
                                         : K); /* leaps take as much again, and three times w */
    double data = problem_bytes((double)N, (double)job->samples.nnz, false),
           learner = at_once * tables + 8 * (double)N * (double)columns;
    if (is_linear(job))
        learner += (uses_weights(job) ? 4 : 1) * at_once
                       * weights_bytes(parts > 1 ? 2 : K, job->samples.d)
                   + weights_bytes(columns, job->samples.d);
    if (s->folds > 0 || s->selects) /* decision values of all trials, and a solver a thread */
        learner += 8 * (double)n * (double)columns
                       * (s->selects ? s->grid_c.count + s->grid_p.count : 1)
                   + (double)s->threads * tables;
    double kernel = uses_weights(job) ? 0
                                      : kernel_rows_bytes(N, 1e6 * s->megabytes)
                                            + kernel_data_bytes(&job->samples);
    char data_text[32], learner_text[32], kernel_text[32], what[128];
    snprintf(what, sizeof what, "learning from %lld samples of %lld classes", (long long)N,
             (long long)K);
    if (job->info)
        fprintf(job->info,
                "%lld examples, %lld %s, %lld features, %lld classes; memory: %s for the data, %s "
                "for the learner, %s for kernel rows\n",
                (long long)n, (long long)job->task.m,
                s->plan.semi ? "unlabelled examples" : "universum samples",
                (long long)job->samples.d, (long long)K, memory_text(data, data_text),
                memory_text(learner, learner_text), memory_text(kernel, kernel_text));
    return memory_check(data + learner + kernel, what, err);
}

static int prepare(struct job *job, struct error *err)
{
    struct settings *s = job->set;
    struct musvm_options *o = &s->plan.solver;
    struct musvm_kernel_source *source = &job->source;
    job->task.classes = job->labels.count;
    job->task.y = job->y;
    job->task.samples = &job->samples;
    if (!(s->kernel.gamma > 0))
        s->kernel.gamma = job->samples.d > 0 ? 1 / (double)job->samples.d : 1;
    o->seed = s->file.seed;
    o->given_up = &job->given_up;
    o->most_updates = most_updates_a_sample * (job->task.n + job->task.m);
    if (o->most_updates < most_updates)
        o->most_updates = most_updates;
    if (plan_memory(job, err) != 0)
        return -1;
    *source = (struct musvm_kernel_source){.kernel = s->kernel, .bytes = 1e6 * s->megabytes};
    if (uses_weights(job))
        return 0;
    source->data = &job->kernel_data;
    return kernel_data_make(&job->samples, NULL, &job->kernel_data, err);
}

/* Rows for the task, unless it is learnt by weights. */
static int make_rows(struct job *job, struct error *err)
{
    struct musvm_kernel_source *source = &job->source;
    if (source->data && !source->rows
        && !(source->rows = kernel_rows_new(&source->kernel, source->data, source->bytes,
                                            (int)job->set->threads, err)))
        return -1;
    job->task.rows = source->rows;
    return 0;
}

/* A kernel that is not positive is allowed, but what is found is no optimum. */
static void warn_of_kernel(const struct job *job)
{
    int64_t i, j;
    if (job->set->quiet || !job->source.rows || !kernel_rows_negative(job->source.rows, &i, &j))
        return;
    fprintf(stderr,
            "%s: warning: the kernel is not positive (seen from samples %lld and %lld): the result "
            "is a point that no change of one sample betters, not the best one\n",
            job->program->name, (long long)j + 1, (long long)i + 1);
}

/* Trials whose solver gave up count all the same; the next are counted from 0. */
static void warn_of_trials(struct job *job)
{
    const int64_t given_up = atomic_exchange(&job->given_up, 0);
    if (given_up > 0 && !job->set->quiet)
        fprintf(stderr,
                "%s: warning: in %lld cases a trial's solver gave up before it had converged: C "
                "may be too large\n",
                job->program->name, (long long)given_up);
}

static int validate(struct job *job, struct error *err)
{
    int64_t wrong, steps = job->set->folds * musvm_parts(&job->set->plan, job->task.classes);
    struct settings *s = job->set;
    if (make_rows(job, err) != 0
        || musvm_cross_validate(&s->plan, &job->task, job->factor, &s->costs, 1, false, s->folds,
                                (int)s->threads, &job->progress, steps, &wrong, err)
               != 0)
        return -1;
    progress_wipe(&job->progress);
    warn_of_trials(job);
    printf("Cross Validation Accuracy = %g%%\n",
           100.0 * (double)(job->task.n - wrong) / (double)job->task.n);
    return 0;
}

static int report_bounds(struct job *job, struct error *err)
{
    const struct settings *s = job->set;
    const struct musvm_part *part = &job->machine.only;
    int64_t theorem, local;
    if (span_bound_theorem(&part->task, &part->options, &part->point, (int)s->threads, NULL, NULL,
                           &theorem, err)
            != 0
        || span_bound_local(&part->task, &part->options, &part->point, (int)s->threads, NULL,
                            &local, err)
               != 0)
        return -1;
    double n = (double)job->task.n;
    fprintf(job->info ? job->info : stdout,
            "leave-one-out error: %g%% by theorem 4 (%lld/%lld), %g%% element-wise (%lld/%lld)\n",
            100 * (double)theorem / n, (long long)theorem, (long long)job->task.n,
            100 * (double)local / n, (long long)local, (long long)job->task.n);
    return 0;
}

/* ---- model selection ---- */

/* All trials as a table, tab separated. */
static int write_results(const struct job *job, const struct musvm_trial *trial, int64_t count,
                         struct error *err)
{
    struct output out;
    const long long n = (long long)job->task.n;
    if (output_open(&out, job->set->results, err) != 0)
        return -1;
    output_text(&out, "step\tC\tgamma\tDelta\twrong\tof\terror %%\tchosen\n");
    for (int64_t t = 0; t < count; t++) {
        char gamma[32] = "-", delta[32] = "-"; /* without a meaning */
        if (!is_linear(job))
            snprintf(gamma, sizeof gamma, "%.15g", trial[t].gamma);
        if (trial[t].step == 2)
            snprintf(delta, sizeof delta, "%.15g", trial[t].costs.delta);
        output_text(&out, "%d\t%.15g\t%s\t%s\t", trial[t].step, trial[t].costs.C, gamma, delta);
        output_text(&out, "%lld\t%lld\t%.4f\t%s\n", (long long)trial[t].wrong, n,
                    100 * (double)trial[t].wrong / (double)n, trial[t].chosen ? "*" : "");
    }
    int status = output_commit(&out, err);
    output_abandon(&out);
    return status;
}

/* A universum is no gain by itself. */
static void compare_steps(const struct job *job, const struct musvm_trial *trial, int64_t count)
{
    int64_t wrong[3] = {0, 0, 0};
    for (int64_t t = 0; t < count; t++)
        if (trial[t].chosen)
            wrong[trial[t].step] = trial[t].wrong;
    if (wrong[2] > wrong[1] && !job->set->quiet)
        fprintf(stderr,
                "%s: note: by these estimates the universum does harm (%lld of %lld wrong with it, "
                "%lld without)\n",
                job->program->name, (long long)wrong[2], (long long)job->task.n,
                (long long)wrong[1]);
}

/* Choose the costs and the kernel's gamma. */
static int choose(struct job *job, struct error *err)
{
    static const char *const said[] = {"Cross Validation Accuracy",
                                       "1 - leave-one-out error by theorem 4",
                                       "1 - leave-one-out error element-wise"};
    struct settings *s = job->set;
    struct musvm_task task = job->task;
    struct musvm_grid grid = {.criterion = (enum musvm_criterion)s->criterion,
                              .C = s->grid_c.value,
                              .C_count = s->grid_c.count,
                              .gamma = &s->kernel.gamma,
                              .gamma_count = 1,
                              .delta = s->grid_p.value,
                              .delta_count = s->grid_p.count,
                              .C_star = s->costs.C_star,
                              .folds = s->folds > 0 ? s->folds : USUAL_FOLDS};
    if (s->grid_g.count > 0) {
        grid.gamma = s->grid_g.value;
        grid.gamma_count = s->grid_g.count;
    }
    if (s->plan.semi) /* chosen by the labelled examples alone */
        task.m = 0;
    int64_t count = musvm_select_trials(&grid, &task);
    struct musvm_trial *trial = memory_new(count, sizeof *trial, err);
    int status = trial ? musvm_select(&s->plan, &task, job->factor, &grid, &job->source,
                                      (int)s->threads, &job->progress, trial, &s->costs, err)
                       : -1;
    progress_wipe(&job->progress);
    warn_of_trials(job);
    for (int64_t t = 0; t < count && status == 0 && job->info; t++)
        if (trial[t].chosen) {
            fprintf(job->info, "Best C = %g", trial[t].costs.C);
            if (!is_linear(job))
                fprintf(job->info, "  gamma = %g", trial[t].gamma);
            if (trial[t].step == 2)
                fprintf(job->info, "  Delta = %g", trial[t].costs.delta);
            fprintf(job->info, "  %s = %g%%\n", said[s->criterion],
                    100 * (double)(job->task.n - trial[t].wrong) / (double)job->task.n);
        }
    if (status == 0 && task.m > 0)
        compare_steps(job, trial, count);
    if (status == 0 && s->results)
        status = write_results(job, trial, count, err);
    if (task.m == 0 && status == 0)
        s->costs.C_star = grid.C_star;
    s->kernel = job->source.kernel;
    memory_free(trial);
    return status;
}

/* Sums beyond the largest number are printed as that number, and so is the difference of two
 * such. */
static double printable(double sum)
{
    return !(sum <= DBL_MAX) ? DBL_MAX : sum < -DBL_MAX ? -DBL_MAX : sum;
}

static int train(struct job *job, struct error *err)
{
    struct settings *s = job->set;
    const struct musvm_result *r = &job->machine.result;
    if ((s->selects && choose(job, err) != 0) || make_rows(job, err) != 0)
        return -1;
    warn_of_kernel(job);
    if (!musvm_votes(&s->plan, job->labels.count)) /* all problems have the same */
        s->costs.C_star = musvm_c_star(&s->costs, job->task.n, job->task.m,
                                       s->plan.scheme == MUSVM_WHOLE ? job->labels.count : 2);
    job->progress = progress_start(
        s->quiet, musvm_parts(&s->plan, job->labels.count) == 1 ? "updates" : "problems");
    int status = musvm_machine_train(&s->plan, &job->task, job->factor, &s->costs, (int)s->threads,
                                     &job->progress, &job->machine, err);
    progress_wipe(&job->progress);
    if (status != 0)
        return -1;
    if (!r->converged && !s->quiet)
        fprintf(stderr,
                "%s: warning: it has not converged after %lld updates: C may be too large, the "
                "kernel not positive, or eps too small\n",
                job->program->name, (long long)r->updates);
    if (job->info) {
        if (job->machine.parts > 1)
            fprintf(job->info,
                    "%lld problems of two classes; sums over them, and the largest violation:\n",
                    (long long)job->machine.parts);
        fprintf(job->info,
                "optimization finished, #iter = %lld\nobj = %.15g, primal = %.15g, violation = "
                "%.3g\nnSV = %lld, nBSV = %lld, %s nSV = %lld\n",
                (long long)r->updates, printable(r->objective), printable(r->primal), r->violation,
                (long long)job->machine.support, (long long)job->machine.bounded,
                s->plan.semi ? "unlabelled" : "universum",
                (long long)job->machine.universum_support);
    }
    if (s->bound && report_bounds(job, err) != 0)
        return -1;
    return musvm_save(&job->task, &job->machine, &s->costs, &s->kernel, &job->labels, &s->file,
                      job->model, (int)s->threads, err);
}

static int run(struct job *job, struct error *err)
{
    struct settings *s = job->set;
    s->file.unit_length = s->unit_length == 1;
    int status = s->labels ? labels_parse(s->labels, &job->labels, err) : 0;
    if (status != 0)
        return status > 0 ? options_refuse(job->program, "--labels: %s", err->message) : 1;
    const bool validates = s->folds > 0 && !s->selects;
    if ((!validates && output_check(job->model, err) != 0)
        || (s->results && output_check(s->results, err) != 0))
        return 1;
    job->progress = progress_start(s->quiet, "trials");
    int failed = read_samples(job, err) != 0;
    if (!failed) {
        int go = find_weights(job, err);
        if (go != OPTIONS_GO)
            return go;
        failed = prepare(job, err) != 0 || (validates ? validate(job, err) : train(job, err)) != 0;
    }
    if (failed && !err->file[0])
        snprintf(err->file, sizeof err->file, "%s", input_name(job->data));
    return failed;
}

int main(int argc, char **argv)
{
    struct settings s = {.threads = parallel_processors()};
    struct option table[] = {
        {ROW_CHOICE('s', "type", &s.type, "type", types), .by_default = "mu-svm",
         .help = "all classes at once with a universum or without, or binary SVMs one against the "
                 "rest or one against one, or semi-supervised"},
        OPTIONS_OF_KERNEL(&s.kernel),
        {ROW_NUMBER('c', "cost", &s.costs.C, "C", OPTION_ABOVE_0, OPTION_UNBOUNDED),
         .by_default = "1", .help = "cost of a margin violation"},
        {ROW_INPUT('u', "universum", &s.universum, "file"),
         .help =
             "universum samples (their labels are ignored); for s3vm-ova the unlabelled examples"},
        {ROW_NUMBER('y', "c-star", &s.costs.C_star, "C*", 0, OPTION_UNBOUNDED),
         .help = "cost of a universum violation (default: n C / (m L) with the n examples and L "
                 "classes of a problem; L is 2 for -ova and -ovo)"},
        {ROW_NUMBER('p', "delta", &s.costs.delta, "Delta", 0, OPTION_UNBOUNDED), .by_default = "0",
         .help = "insensitive zone of the universum"},
        {ROW_NUMBER('e', "epsilon", &s.plan.solver.eps, "eps", OPTION_ABOVE_0, OPTION_UNBOUNDED),
         .by_default = "0.001", .help = "the largest violation at the stop"},
        {ROW_NUMBER('M', "cache", &s.megabytes, "MB", 0, 1e12), .by_default = "1024",
         .help = "for kernel rows, at most; changes no number"},
        {ROW_CHOICE(0, "shrinking", &s.shrinking, "0|1", option_zero_one), .by_default = "1",
         .help = "1: leave samples alone that have been at rest"},
        {ROW_WORDS('w', "weight", &s.weights, "label:factor"),
         .help = "factor of C for a class (repeatable)"},
        {ROW_FLAG('b', "bound", &s.bound),
         .help = "also print what a leave-one-out run would find: theorem 4 of the paper, and an "
                 "estimate for each element"},
        {ROW_CHOICE('C', "select", &s.criterion, "how", criteria),
         .help = "choose C (and gamma) without the universum, then Delta, by cross-validation (-v "
                 "folds, 5), theorem 4 or the element-wise estimate"},
        {ROW_NUMBERS(0, "grid-c", &s.grid_c, "list", OPTION_ABOVE_0, OPTION_UNBOUNDED),
         .by_default = "0.0001,0.001,0.01,0.1,1,10,100,1000", .help = "values of C for -C"},
        {ROW_NUMBERS(0, "grid-g", &s.grid_g, "list", OPTION_ABOVE_0, OPTION_UNBOUNDED),
         .help = "values of gamma for -C (default: that of -g)"},
        {ROW_NUMBERS(0, "grid-p", &s.grid_p, "list", 0, OPTION_UNBOUNDED),
         .by_default = "0,0.01,0.05,0.1", .help = "values of Delta for -C"},
        {ROW_OUTPUT('j', "results", &s.results, "file"), .help = "all results of -C as a table"},
        OPTION_LABELS(&s.labels, "the data"),
        OPTION_BIAS(&s.file.bias),
        OPTION_UNIT_LENGTH(&s.unit_length, "0"),
        OPTION_FOLDS(&s.folds),
        OPTION_ZERO_BASED(&s.file.zero_based),
        OPTION_SEED(&s.file.seed),
        OPTION_THREADS(&s.threads),
        OPTION_QUIET(&s.quiet),
    };
    struct program program = {
        .name = "musvm-train",
        .words = "training_file [model_file]",
        .files = "rw",
        .summary = "Learn a multiclass SVM, also from universum samples: examples that belong to "
                   "no class.",
        .details =
            "The multiclass SVM of Crammer and Singer; with -u also a loss for every class that "
            "claims a universum sample (MU-SVM). The model of the linear "
            "kernel is read by liblinear-predict too; that of other kernels by musvm-predict.",
        .examples = "  musvm-train -t linear -c 0.1 data/digits.train digits.model\n"
                    "  musvm-train -v 5 -c 10 -g 0.002 data/digits.train\n"
                    "  musvm-train -C span -g 0.002 data/digits.train digits.model\n",
        .fewest_words = 1,
        .most_words = 2,
        .options = table,
        .count = sizeof table / sizeof *table};
    const char *word[3];
    char model[PROGRAM_NAME];
    program_start();
    int go = options_parse(&program, argc, argv, word);
    if (go == OPTIONS_GO)
        go = check(&program, &s, word[0], word[1]);
    if (go != OPTIONS_GO)
        return go;
    if ((go = program_name_model(&program, word, model)) != OPTIONS_GO)
        return go;

    struct error err = {0};
    struct job job = {.program = &program, .set = &s, .data = word[0], .model = word[1]};
    if (!s.quiet)
        job.info = strcmp(job.model, "-") == 0 ? stderr : stdout;
    int status = run(&job, &err);
    musvm_machine_free(&job.machine);
    kernel_rows_free(job.source.rows);
    kernel_data_free(&job.kernel_data);
    problem_free(&job.samples);
    labels_free(&job.labels);
    memory_free(job.y);
    memory_free(job.factor);
    return status == EXIT_USAGE ? status : program_end(program.name, status, &err);
}
