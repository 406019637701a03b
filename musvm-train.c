/* musvm-train: multiclass SVM that also learns from contradictions (MU-SVM), or without them (M-SVM). */
#include "common/input.h"
#include "common/memory.h"
#include "common/number.h"
#include "common/options.h"
#include "common/output.h"
#include "common/parallel.h"
#include "common/problem_file.h"
#include "common/program.h"
#include "learners/musvm_validate.h"
#include "learners/musvm_model.h"
#include "learners/span_bound.h"

#include <stdio.h>
#include <string.h>

enum { MU_SVM, M_SVM };
static const int64_t MOST_UPDATES = 1000000000; /* or 100 a sample: a kernel that is not positive, or an eps that rounding does not allow */
static const char *const types[] = {"mu-svm", "m-svm", NULL};

struct settings {
    struct musvm_options learner;
    struct musvm_file file;
    struct kernel kernel;
    struct option_words weights;
    const char *labels, *universum;
    bool quiet, bound, has_c_star;
    int64_t type, shrinking, folds, threads, unit_length;
    double megabytes;
};

struct job {
    const struct program *program;
    struct settings set;
    const char *data, *model;
    FILE *info; /* where the report goes; NULL: nowhere */
    struct problem samples; /* training, then universum */
    struct labels labels;
    int32_t *y;
    double *factor; /* n: of C; NULL: no weights were given */
    struct musvm_task task;
    struct kernel_data kernel_data;
    struct kernel_rows *rows;
    struct musvm_point point;
};

/* What only several options together can tell.  OPTIONS_GO or a status. */
static int check(const struct program *program, struct settings *s, const char *data, const char *model)
{
    s->kernel.type %= KERNELS;
    s->has_c_star = options_find(program, "c-star")->given;
    s->file.learner = types[s->type];
    if (s->type == M_SVM && (s->universum || s->has_c_star))
        return options_refuse(program, "m-svm knows no universum: -u and -y belong to mu-svm");
    if (s->universum && strcmp(s->universum, "-") == 0 && strcmp(data, "-") == 0)
        return options_refuse(program, "the data and the universum cannot both be standard input");
    if (s->folds > 0 && model)
        return options_refuse(program, "-v writes no model: a model file does not go with it");
    if (!model && strcmp(data, "-") == 0 && s->folds == 0)
        return options_refuse(program, "data from standard input: name the model file");
    if (s->file.bias >= 0 && s->kernel.type != KERNEL_LINEAR)
        return options_refuse(program, "-B goes with the linear kernel only");
    if (s->file.bias < 0)
        s->file.bias = -1;
    s->learner.shrinking = s->shrinking == 1;
    return OPTIONS_GO;
}

static bool is_linear(const struct job *job)
{
    return job->set.kernel.type == KERNEL_LINEAR;
}

/* The training set and, behind it, the universum. */
static int read_samples(struct job *job, struct error *err)
{
    struct settings *s = &job->set;
    struct example_format format = {.zero_based = s->file.zero_based, .unit_length = s->file.unit_length, .bias = s->file.bias};
    struct problem universum = {0};
    if (problem_read(job->data, &format, (int)s->threads, 0, &job->samples, err) != 0)
        return -1;
    job->task.n = job->samples.n;
    if (job->labels.count == 0 && problem_labels(&job->samples, &job->labels, err) != 0)
        return -1;
    if (labels_require_several(&job->labels, err) != 0 || !(job->y = memory_new(job->task.n, sizeof *job->y, err))
        || problem_classes(&job->samples, &job->labels, input_name(job->data), job->y, err) != 0)
        return -1;
    format.unlabelled = true;
    if (s->universum && problem_read(s->universum, &format, (int)s->threads, 0, &universum, err) != 0)
        return -1;
    job->task.m = universum.n;
    int status = problem_append(&job->samples, &universum, err);
    problem_free(&universum);
    return status;
}

/* `label:factor` for each -w.  OPTIONS_GO, EXIT_USAGE, or 1 with err. */
static int find_weights(struct job *job, struct error *err)
{
    const struct option_words *words = &job->set.weights;
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
            status = options_refuse(job->program, "-w: \"%.40s\" is not label:factor", words->word[i]);
            break;
        }
        snprintf(word, sizeof word, "%.*s", (int)(colon - words->word[i]), words->word[i]);
        if (number_int_from_word(word, INT32_MIN, INT32_MAX, &label) != 0 || number_from_word(colon + 1, &factor) != 0 || !(factor > 0)) {
            status = options_refuse(job->program, "-w: \"%.40s\" is not label:factor with a factor above 0", words->word[i]);
            break;
        }
        int64_t k = labels_find(&job->labels, label);
        if (k < 0)
            fprintf(stderr, "%s: warning: class label %lld of -w is not in the data\n", job->program->name, (long long)label);
        else if (given[k] && (weight[k] < factor || weight[k] > factor))
            status = options_refuse(job->program, "-w: label %lld is given two factors", (long long)label);
        else
            given[k] = true, weight[k] = factor;
    }
    for (int64_t i = 0; i < job->task.n && status == OPTIONS_GO; i++)
        job->factor[i] = weight[job->y[i]];
    memory_free(weight);
    memory_free(given);
    return status;
}

/* What it will take, said and checked before it is taken. */
static int plan_memory(struct job *job, struct error *err)
{
    struct settings *s = &job->set;
    const int64_t N = job->task.n + job->task.m, K = job->labels.count;
    double data = problem_bytes((double)N, (double)job->samples.nnz, false), cells = 16.0 * (double)N * (double)K;
    bool rows = !is_linear(job);
    double learner = cells + (is_linear(job) ? weights_bytes(K, job->samples.d) : 0);
    double kernel = rows ? kernel_rows_bytes(N, 1e6 * s->megabytes) + kernel_data_bytes(&job->samples) : 0;
    char data_text[32], learner_text[32], kernel_text[32], what[128];
    snprintf(what, sizeof what, "learning from %lld samples of %lld classes", (long long)N, (long long)K);
    if (job->info)
        fprintf(job->info, "%lld examples, %lld universum samples, %lld features, %lld classes; memory: %s for the data, %s for the learner, %s for kernel rows\n",
                (long long)job->task.n, (long long)job->task.m, (long long)job->samples.d, (long long)K, memory_text(data, data_text),
                memory_text(learner, learner_text), memory_text(kernel, kernel_text));
    return memory_check(data + learner + kernel, what, err);
}

static int make_rows(struct job *job, struct error *err)
{
    struct settings *s = &job->set;
    if (is_linear(job))
        return 0;
    if (kernel_data_make(&job->samples, NULL, &job->kernel_data, err) != 0)
        return -1;
    job->rows = kernel_rows_new(&s->kernel, &job->kernel_data, 1e6 * s->megabytes, (int)s->threads, err);
    return job->rows ? 0 : -1;
}

static int prepare(struct job *job, struct error *err)
{
    struct settings *s = &job->set;
    struct musvm_options *o = &s->learner;
    job->task.classes = job->labels.count;
    job->task.y = job->y;
    job->task.samples = &job->samples;
    if (!(s->kernel.gamma > 0))
        s->kernel.gamma = job->samples.d > 0 ? 1 / (double)job->samples.d : 1;
    o->factor = job->factor;
    o->seed = s->file.seed;
    o->most_updates = 100 * (job->task.n + job->task.m) > MOST_UPDATES ? 100 * (job->task.n + job->task.m) : MOST_UPDATES;
    if (plan_memory(job, err) != 0 || make_rows(job, err) != 0)
        return -1;
    job->task.rows = job->rows; /* none: the linear kernel */
    return 0;
}

static int validate(struct job *job, struct error *err)
{
    int64_t correct;
    struct settings *s = &job->set;
    if (musvm_cross_validate(&job->task, &s->learner, s->has_c_star, s->folds, (int)s->threads, &correct, err) != 0)
        return -1;
    printf("Cross Validation Accuracy = %g%%\n", 100.0 * (double)correct / (double)job->task.n);
    return 0;
}

static int report_bounds(struct job *job, struct error *err)
{
    const struct settings *s = &job->set;
    int64_t theorem, local;
    if (span_bound_theorem(&job->task, &s->learner, &job->point, (int)s->threads, NULL, NULL, &theorem, err) != 0
        || span_bound_local(&job->task, &s->learner, &job->point, (int)s->threads, NULL, &local, err) != 0)
        return -1;
    double n = (double)job->task.n;
    fprintf(job->info ? job->info : stdout, "leave-one-out error: %g%% by theorem 4 (%lld/%lld), %g%% element-wise (%lld/%lld)\n", 100 * (double)theorem / n,
            (long long)theorem, (long long)job->task.n, 100 * (double)local / n, (long long)local, (long long)job->task.n);
    return 0;
}

static int train(struct job *job, struct error *err)
{
    struct settings *s = &job->set;
    struct musvm_result r;
    if (!s->has_c_star)
        s->learner.C_star = musvm_default_c_star(&job->task, s->learner.C, job->task.n);
    if (musvm_point_make(&job->task, &job->point, err) != 0 || musvm_solve(&job->task, &s->learner, &job->point, &r, err) != 0)
        return -1;
    struct musvm_support support = musvm_count_support(&job->task, &s->learner, &job->point);
    if (!r.converged && !s->quiet)
        fprintf(stderr, "%s: warning: it has not converged after %lld updates: the kernel may not be positive, or eps is too small\n", job->program->name, (long long)r.updates);
    if (job->info)
        fprintf(job->info, "optimization finished, #iter = %lld\nobj = %.15g, primal = %.15g, violation = %.3g\nnSV = %lld, nBSV = %lld, universum nSV = %lld\n",
                (long long)r.updates, r.objective, r.primal, r.violation, (long long)support.training, (long long)support.bounded,
                (long long)support.universum);
    if (s->bound && report_bounds(job, err) != 0)
        return -1;
    return musvm_save(&job->task, &s->learner, &job->point, &s->kernel, &job->labels, &s->file, job->model, (int)s->threads, err);
}

static int run(struct job *job, struct error *err)
{
    struct settings *s = &job->set;
    s->file.unit_length = s->unit_length == 1;
    int status = s->labels ? labels_parse(s->labels, &job->labels, err) : 0;
    if (status != 0)
        return status > 0 ? options_refuse(job->program, "--labels: %s", err->message) : 1;
    if (s->folds == 0 && output_check(job->model, err) != 0)
        return 1;
    int failed = read_samples(job, err) != 0;
    if (!failed) {
        int go = find_weights(job, err);
        if (go != OPTIONS_GO)
            return go;
        failed = prepare(job, err) != 0 || (s->folds > 0 ? validate(job, err) : train(job, err)) != 0;
    }
    if (failed && !err->file[0])
        snprintf(err->file, sizeof err->file, "%s", input_name(job->data));
    return failed;
}

int main(int argc, char **argv)
{
    struct settings s = {.threads = parallel_processors()};
    struct musvm_options *o = &s.learner;
    struct option table[] = {
        {.letter = 's', .name = "type", .type = OPTION_CHOICE, .value = &s.type, .argument = "type", .by_default = "mu-svm", .choices = types,
         .help = "with a universum, or without"},
        KERNEL_OPTIONS(&s.kernel),
        {.letter = 'c', .name = "cost", .type = OPTION_NUMBER, .value = &o->C, .argument = "C", .by_default = "1", .lowest = 1e-300, .highest = 1e300,
         .help = "cost of a margin violation"},
        {.letter = 'u', .name = "universum", .type = OPTION_TEXT, .value = &s.universum, .argument = "file", .help = "universum samples (their labels are ignored)"},
        {.letter = 'y', .name = "c-star", .type = OPTION_NUMBER, .value = &o->C_star, .argument = "C*", .lowest = 0, .highest = 1e300,
         .help = "cost of a universum violation (default: n C / (m classes))"},
        {.letter = 'p', .name = "delta", .type = OPTION_NUMBER, .value = &o->delta, .argument = "Delta", .by_default = "0", .lowest = 0, .highest = 1e300,
         .help = "insensitive zone of the universum"},
        {.letter = 'e', .name = "epsilon", .type = OPTION_NUMBER, .value = &o->eps, .argument = "eps", .by_default = "0.001", .lowest = 1e-300,
         .highest = 1e300, .help = "the largest violation at the stop"},
        {.letter = 'M', .name = "cache", .type = OPTION_NUMBER, .value = &s.megabytes, .argument = "MB", .by_default = "1024", .lowest = 0, .highest = 1e12,
         .help = "for kernel rows, at most; changes no number"},
        {.name = "shrinking", .type = OPTION_CHOICE, .value = &s.shrinking, .argument = "0|1", .by_default = "1", .choices = option_zero_one,
         .help = "1: leave samples alone that have been at rest"},
        {.letter = 'w', .name = "weight", .type = OPTION_WORDS, .value = &s.weights, .argument = "label:factor", .help = "factor of C for a class (repeatable)"},
        {.letter = 'b', .name = "bound", .type = OPTION_FLAG, .value = &s.bound,
         .help = "also print what a leave-one-out run would find: theorem 4 of the paper, and an estimate for each element"},
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
        .summary = "Learn a multiclass SVM, also from universum samples: examples that belong to no class.",
        .details = "The multiclass SVM of Crammer and Singer; with -u also a loss for every class that claims a universum sample (MU-SVM). The model of the linear "
                   "kernel is read by liblinear-predict too; that of other kernels by musvm-predict.",
        .examples = "  musvm-train -t linear -c 0.1 data/digits.train digits.model\n"
                    "  musvm-train -v 5 -c 10 -g 0.002 data/digits.train\n",
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
    const char *model_name = program_model_name(word[0], word[1], model);
    if (!model_name)
        return options_refuse(&program, "the file name is too long; name the model file");

    struct error err = {0};
    struct job job = {.program = &program, .set = s, .data = word[0], .model = model_name};
    if (!s.quiet)
        job.info = strcmp(job.model, "-") == 0 ? stderr : stdout;
    int status = run(&job, &err);
    musvm_point_free(&job.point);
    kernel_rows_free(job.rows);
    kernel_data_free(&job.kernel_data);
    problem_free(&job.samples);
    labels_free(&job.labels);
    memory_free(job.y);
    memory_free(job.factor);
    return status == EXIT_USAGE ? status : program_end(program.name, status, &err);
}
