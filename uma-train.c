/* uma-train: a linear multiclass classifier from noisy labels and the confusion matrix behind them,
 * which may be estimated. */
#include "common/base/input.h"
#include "common/base/memory.h"
#include "common/base/number.h"
#include "common/base/parallel.h"
#include "common/data/problem_file.h"
#include "common/linalg/dense.h"
#include "common/program/option_rows.h"
#include "common/program/options.h"
#include "common/program/program.h"
#include "learners/forward/confusion_estimate.h"
#include "learners/online/online_run.h"
#include "learners/uma/uma_model.h"

#include <stdio.h>
#include <string.h>

/* 1/rcond of C: above the first the results mean little, above the second nothing. */
static const double doubtful_condition = 100, worst_condition = 1e8;

/* -s: UMA's strategies, in their order, and forward. */
static const char *const strategies[] = {"error", "confusion", "random", "forward", NULL};
enum { FORWARD = 3, USUAL_PASSES = 15 };
static const char *const no_files[] = {"identity", "estimate", NULL}; /* values of -c */
static const double streamed_lambda =
    1e-5; /* where the data are not held, so that it cannot be chosen */

struct settings {
    struct uma_options learner;
    struct online_options forward;
    struct uma_file file;
    const char *confusion, *labels, *trace, *resume, *confusion_out;
    double ridge;
    int64_t folds, threads, unit_length, features;
    bool quiet, estimates, stream, no_shuffle, minimum;
};

struct job {
    const char *program;
    const struct program *options;
    struct settings set;
    const char *data, *model;
    FILE *info; /* where the report goes; NULL: nowhere */
    struct problem problem;
    struct labels labels;
    struct confusion C;
    double *inverse;
    int32_t *y;
    struct uma_result result;
    struct progress progress;
    struct output trace, confusion_out;
};

static void write_trace(void *context, const struct uma_update *update)
{
    struct job *job = context;
    char line[2 * NUMBER_TEXT + 64], *p = line;
    p += snprintf(p, 64, "%ld %ld ", (long)job->labels.value[update->p],
                  (long)job->labels.value[update->q]);
    p = number_write(p, update->norm);
    *p++ = ' ';
    p = number_write(p, update->error);
    *p++ = '\n';
    output_write(&job->trace, line, p - line);
}

static int make_identity(struct job *job, struct error *err)
{
    int64_t K = job->labels.count;
    if (memory_check((double)K * (double)K * 8, "the identity matrix", err) != 0
        || !(job->C.c = memory_new(K * K, sizeof *job->C.c, err)))
        return -1;
    job->C.classes = K;
    for (int64_t k = 0; k < K; k++)
        job->C.c[k * K + k] = 1;
    return labels_copy(&job->labels, &job->C.labels, err);
}

/* The matrix; and the classes, where its file names them. */
static int read_confusion(struct job *job, struct error *err)
{
    struct settings *s = &job->set;
    if (s->estimates || strcmp(s->confusion, "identity") == 0)
        return 0;
    if (confusion_read(s->confusion, &job->C, err) != 0)
        return -1;
    if (job->C.unseen > 0 && !s->quiet)
        fprintf(stderr,
                "%s: warning: %s: %lld classes have no count: they are taken as labelled right\n",
                job->program, input_name(s->confusion), (long long)job->C.unseen);
    return confusion_settle_labels(&job->C, input_name(s->confusion), &job->labels, err);
}

/* The classes of the data, where neither a file nor --labels has named them. */
static int find_classes(struct job *job, struct error *err)
{
    if (job->labels.count == 0 && problem_labels(&job->problem, &job->labels, err) != 0)
        return -1;
    if (!job->C.c)
        return make_identity(job, err);
    if (job->C.labels.count > 0)
        return 0;
    if (job->C.classes != job->labels.count)
        return error_at(
            err, input_name(job->set.confusion), 0, 0,
            "%lld classes, but there are %lld %s (a head with `label` names the classes)",
            (long long)job->C.classes, (long long)job->labels.count,
            job->set.labels ? "in --labels" : "in the data");
    return labels_copy(&job->labels, &job->C.labels, err);
}

/* ---- estimates ---- */

/* C, and for `forward` lambda, from the labels of held data, as far as they are not given. */
static int estimate(struct job *job, const struct problem *problem, const int32_t *y,
                    struct error *err)
{
    struct settings *s = &job->set;
    const int64_t K = job->C.classes;
    struct estimate e = {0};
    const int64_t features = s->features < 0 ? estimate_usual_features(problem->d) : s->features;
    const struct estimate_options options = {.lambda = s->forward.lambda,
                                             .steps = s->forward.steps,
                                             .features = s->estimates ? features : 0,
                                             .seed = s->learner.seed,
                                             .threads = (int)s->threads,
                                             .progress = &job->progress};
    const double bytes = problem_bytes((double)problem->n, (double)problem->nnz, false)
                         + estimate_bytes(&options, problem, K);
    if (memory_check(bytes, "estimating from the labels", err) != 0)
        return -1;
    job->progress = progress_start(s->quiet, "fits");
    int status = s->estimates ? estimate_confusion(problem, y, &job->labels, &options, &e, err)
                              : estimate_probabilities(problem, y, &job->labels, job->C.c, &options,
                                                       &e, err);
    progress_wipe(&job->progress);
    if (status == 0) {
        memcpy(job->C.c, e.c, (size_t)(K * K) * sizeof *e.c);
        s->forward.lambda = e.lambda;
        s->forward.steps = e.steps;
        if (s->estimates)
            estimate_print(&e, &job->labels, job->program, job->info, s->quiet ? NULL : stderr);
        if (job->info && s->learner.strategy == FORWARD)
            fprintf(job->info, e.steps > 0 ? "lambda %g, %lld steps\n" : "lambda %g\n", e.lambda,
                    (long long)e.steps);
    }
    estimate_free(&e);
    return status;
}

/* The matrix that was learnt with, for --confusion-out; it appears when all is well. */
static int write_confusion(struct job *job, struct error *err)
{
    if (!job->set.confusion_out)
        return 0;
    if (output_open(&job->confusion_out, job->set.confusion_out, err) != 0)
        return -1;
    confusion_write(&job->C, false, &job->confusion_out);
    return output_flush(&job->confusion_out, err);
}

/* ---- UMA ---- */

/* C' = (1 - ridge) C + ridge I, and its inverse, which must mean something. */
static int invert(struct job *job, struct error *err)
{
    int64_t K = job->C.classes;
    double rcond = 0, ridge = job->set.ridge;
    for (int64_t cell = 0; cell < K * K && ridge > 0; cell++)
        job->C.c[cell] = (1 - ridge) * job->C.c[cell] + (cell / K == cell % K ? ridge : 0);
    job->inverse = memory_new(K * K, sizeof *job->inverse, err);
    if (!job->inverse
        || dense_invert(K, job->C.c, job->inverse, &rcond, (int)job->set.threads, err) != 0)
        return -1;
    if (!(rcond * worst_condition >= 1))
        return error_at(err, input_name(job->set.estimates ? job->data : job->set.confusion), 0, 0,
                        "the %smatrix is singular, or so nearly that its inverse means nothing "
                        "(1/rcond = %.3g); "
                        "--ridge 0.01 mixes in the identity",
                        job->set.estimates ? "estimated confusion " : "", 1 / rcond);
    if (rcond * doubtful_condition < 1 && !job->set.quiet)
        fprintf(stderr,
                "%s: warning: the confusion matrix is ill-conditioned (1/rcond = %.3g): expect "
                "little of the result\n",
                job->program, 1 / rcond);
    if (job->info)
        fprintf(job->info, "confusion matrix: 1/rcond %.4g\n", 1 / rcond);
    return 0;
}

/* What it will take, said and checked before it is taken.  The tables of z take what is left. */
static int plan_memory(struct job *job, struct error *err)
{
    struct uma_options *o = &job->set.learner;
    int64_t n = job->problem.n, d = job->problem.d, K = job->labels.count;
    double data = problem_bytes((double)n, (double)job->problem.nnz, false),
           limit = 0.8 * memory_limit();
    double matrices = 4 * (double)K * (double)K
                      * (double)sizeof(double); /* C, its inverse, and what inverting takes */
    o->table_bytes = limit - data - matrices
                     - uma_bytes(o, n, d, K); /* nothing is held yet: table_bytes is 0 */
    double learner = matrices + uma_bytes(o, n, d, K);
    char data_text[32], learner_text[32], what[128];
    snprintf(what, sizeof what, "learning from %lld examples, %lld features x %lld classes",
             (long long)n, (long long)d, (long long)K);
    if (job->info)
        fprintf(job->info,
                "%lld examples, %lld features, %lld classes; memory: %s for the data, %s for the "
                "learner%s\n",
                (long long)n, (long long)d, (long long)K, memory_text(data, data_text),
                memory_text(learner, learner_text),
                uma_holds_tables(o, d, K) ? "" : " (the tables of z do not fit: slower)");
    return memory_check(data + learner, what, err);
}

static void report(const struct job *job)
{
    const struct uma_options *o = &job->set.learner;
    const struct uma_result *r = &job->result;
    const char *const reasons[] = {
        o->sigmas > 0 ? "no ||z_pq|| is above its noise" : "no ||z_pq|| is above 0",
        "no pair that is left passes the check", "the limit of iterations"};
    if (job->info) {
        fprintf(job->info, "stop %s after %lld iterations: %s%s\n", uma_stops[r->stop],
                (long long)r->iterations, reasons[r->stop],
                o->strategy == UMA_CONFUSION ? " (q with an estimated share above 0)" : "");
        fprintf(job->info, "estimated error %.4g%% (%s, iteration %lld), %.4g%% (last)\n",
                100 * r->error, uma_iterates[o->iterate], (long long)r->chosen,
                100 * r->last_error);
    }
    if (r->iterations == 0 && !job->set.quiet)
        fprintf(stderr, "%s: warning: no iteration was made and all weights are 0%s\n",
                job->program,
                o->sigmas > 0 && o->strategy != UMA_CONFUSION
                    ? ": what is wrong is less than the noise of so few examples (-e 0 goes on all "
                      "the same)"
                    : "");
    bool first = true;
    for (int64_t k = 0; k < job->labels.count && !job->set.quiet; k++)
        if (!(r->proportion[k] > 0)) {
            if (first)
                fprintf(stderr,
                        "%s: warning: classes whose estimated share is not above 0:", job->program);
            fprintf(stderr, " %ld (%.3g)", (long)job->labels.value[k], r->proportion[k]);
            first = false;
        }
    if (!first)
        fputc('\n', stderr);
}

static int cross_validate(struct job *job, struct error *err)
{
    int64_t agreed;
    double error;
    if (uma_cross_validate(&job->problem, job->y, job->labels.count, job->inverse,
                           &job->set.learner, job->set.folds, &agreed, &error, err)
        != 0)
        return -1;
    printf("Cross Validation Accuracy = %g%%\n", 100.0 * (double)agreed / (double)job->problem.n);
    printf("error against the given labels %.4g%%, estimated error against the true ones %.4g%%\n",
           100 - 100.0 * (double)agreed / (double)job->problem.n, 100 * error);
    return 0;
}

static int train(struct job *job, struct error *err)
{
    struct settings *s = &job->set;
    struct uma_watch watch = {
        .update = s->trace ? write_trace : NULL, .context = job, .progress = &job->progress};
    if (s->trace && output_open(&job->trace, s->trace, err) != 0)
        return -1;
    job->progress = progress_start(s->quiet, "iterations");
    int status = uma_train(&job->problem, job->y, NULL, job->problem.n, job->labels.count,
                           job->inverse, &s->learner, &watch, &job->result, err);
    progress_wipe(&job->progress);
    if (status != 0)
        return -1;
    report(job);
    if (s->trace && output_flush(&job->trace, err) != 0)
        return -1;
    if (write_confusion(job, err) != 0
        || uma_save(&job->result, &s->learner, &s->file, &job->C, job->problem.d, job->model, err)
               != 0)
        return -1;
    /* Last: without a model no trace appears. */
    return (s->trace && output_commit(&job->trace, err) != 0)
                   || (s->confusion_out && output_commit(&job->confusion_out, err) != 0)
               ? -1
               : 0;
}

static int run_uma(struct job *job, const struct example_format *format, struct error *err)
{
    struct settings *s = &job->set;
    const char *name = input_name(job->data);
    if (problem_read(job->data, format, (int)s->threads, 0, &job->problem, err) != 0
        || find_classes(job, err) != 0)
        return -1;
    if (!(job->y = memory_new(job->problem.n, sizeof *job->y, err))
        || problem_classes(&job->problem, &job->labels, name, job->y, err) != 0)
        return -1;
    if (labels_require_several(&job->labels, err) != 0 || plan_memory(job, err) != 0
        || (s->estimates && estimate(job, &job->problem, job->y, err) != 0)
        || invert(job, err) != 0)
        return -1;
    return s->folds > 0 ? cross_validate(job, err) : train(job, err);
}

/* ---- forward ---- */

/* The matrix and lambda, when the classes are known. */
static int prepare_forward(void *context, struct online_run *run, const struct problem *problem,
                           const int32_t *y, struct error *err)
{
    struct job *job = context;
    struct settings *s = &job->set;
    if (labels_require_several(&run->labels, err) != 0
        || (job->labels.count == 0 && labels_copy(&run->labels, &job->labels, err) != 0)
        || find_classes(job, err) != 0)
        return -1;
    if (problem && (s->estimates || s->forward.lambda < 0)) {
        if (estimate(job, problem, y, err) != 0)
            return -1;
    } else if (s->forward.lambda < 0) {
        s->forward.lambda = streamed_lambda;
    }
    run->learner = s->forward;
    run->learner.confusion = job->C.c;
    run->progress = progress_start(s->quiet, s->minimum ? "passes" : "examples");
    return 0;
}

/* Go on from a model, whose options hold; one given here must agree. */
static int resume_forward(struct job *job, struct online_run *run, struct online_file *file,
                          struct error *err)
{
    const struct settings *s = &job->set;
    if (!(run->online = online_load_file(s->resume, (int)s->threads, file, err)))
        return -1;
    run->learner = *online_get_options(run->online);
    if (run->learner.rule != ONLINE_FORWARD)
        return error_at(err, s->resume, 0, 0,
                        "a model of %s: only one of forward can be gone on from",
                        online_rules[run->learner.rule]);
    const struct {
        const char *name;
        bool same;
    } agree[] = {
        {"lambda",
         !(s->forward.lambda < run->learner.lambda || s->forward.lambda > run->learner.lambda)},
        {"bias", !(s->file.bias < file->bias || s->file.bias > file->bias)},
        {"unit-length", s->file.unit_length == file->unit_length},
        {"zero-based", s->file.zero_based == file->zero_based},
    };
    for (size_t i = 0; i < sizeof agree / sizeof *agree; i++)
        if (options_find(job->options, agree[i].name)->given && !agree[i].same)
            return error_at(
                err, s->resume, 0, 0,
                "--%s differs from that of this model (leave it out: the model's options hold)",
                agree[i].name);
    if (options_find(job->options, "seed")->given)
        file->seed = s->learner.seed;
    if (run->labels.count > 0 && !labels_equal(&run->labels, online_labels(run->online)))
        return error_at(err, s->resume, 0, 0, "its classes are not those of --labels");
    labels_free(&run->labels);
    return labels_copy(online_labels(run->online), &run->labels, err);
}

static int run_forward(struct job *job, const struct example_format *format, struct error *err)
{
    struct settings *s = &job->set;
    struct online_file file = {.bias = s->file.bias,
                               .unit_length = s->file.unit_length,
                               .zero_based = s->file.zero_based,
                               .seed = s->learner.seed};
    struct online_run run = {.program = job->program,
                             .data = job->data,
                             .format = *format,
                             .passes = s->learner.iterations,
                             .folds = s->folds,
                             .stream = s->stream,
                             .no_shuffle = s->no_shuffle,
                             .seed = s->learner.seed,
                             .threads = (int)s->threads,
                             .info = job->info,
                             .notes = s->quiet ? NULL : stderr,
                             .result = stdout,
                             .progress = progress_start(s->quiet, "examples"),
                             .prepare = prepare_forward,
                             .hold = s->estimates,
                             .minimum = s->minimum,
                             .context = job};
    int status = job->labels.count > 0 ? labels_copy(&job->labels, &run.labels, err) : 0;
    if (status == 0 && s->resume && (status = resume_forward(job, &run, &file, err)) == 0) {
        run.format = (struct example_format){
            .zero_based = file.zero_based, .unit_length = file.unit_length, .bias = file.bias};
        run.seed = file.seed;
    }
    if (status == 0)
        status = online_run(&run, err);
    progress_wipe(&run.progress);
    if (status == 0 && s->folds == 0)
        status = write_confusion(job, err) != 0
                         || online_save(run.online, &file, job->model, (int)s->threads, err) != 0
                         || (s->confusion_out && output_commit(&job->confusion_out, err) != 0)
                     ? -1
                     : 0;
    online_run_free(&run);
    return status;
}

static int run(struct job *job, struct error *err)
{
    struct settings *s = &job->set;
    const struct example_format format = {
        .zero_based = s->file.zero_based, .unit_length = s->file.unit_length, .bias = s->file.bias};
    if (s->folds == 0
        && (output_check(job->model, err) != 0 || (s->trace && output_check(s->trace, err) != 0)
            || (s->confusion_out && output_check(s->confusion_out, err) != 0)))
        return -1;
    if (!s->resume && read_confusion(job, err) != 0)
        return -1;
    return s->learner.strategy == FORWARD ? run_forward(job, &format, err)
                                          : run_uma(job, &format, err);
}

static void release(struct job *job)
{
    output_abandon(&job->trace);
    output_abandon(&job->confusion_out);
    uma_result_free(&job->result);
    confusion_free(&job->C);
    labels_free(&job->labels);
    problem_free(&job->problem);
    memory_free(job->inverse);
    memory_free(job->y);
}

/* Options without a meaning for the learner are named, not silently ignored. */
static void note_unused(const struct program *program, const struct settings *s)
{
    static const char *const of_uma[] = {"update",  "alpha", "alpha-relative", "sigmas",
                                         "iterate", "check", "ridge",          NULL};
    static const char *const of_forward[] = {"lambda", "steps", "no-shuffle", NULL};
    const bool forward = s->learner.strategy == FORWARD;
    for (const char *const *name = forward ? of_uma : of_forward; *name && !s->quiet; name++)
        if (options_find(program, *name)->given
            && !(s->estimates && (strcmp(*name, "lambda") == 0 || strcmp(*name, "steps") == 0)))
            fprintf(stderr, "%s: note: --%s has no meaning for %s\n", program->name, *name,
                    strategies[s->learner.strategy]);
    if (options_find(program, "steps")->given && forward && !s->minimum && !s->estimates
        && !s->quiet)
        fprintf(stderr, "%s: note: --steps has no meaning for passes\n", program->name);
    if (options_find(program, "features")->given && !s->estimates && !s->quiet)
        fprintf(stderr, "%s: note: --features has no meaning with a matrix that is given\n",
                program->name);
}

/* What only several options together can tell.  model: as given, or NULL.  OPTIONS_GO or a
 * status. */
static int check(const struct program *program, struct settings *s, const char *data,
                 const char *model)
{
    if (!options_find(program, "strategy")->given)
        s->learner.strategy = s->confusion ? UMA_ERROR : FORWARD;
    const bool forward = s->learner.strategy == FORWARD;
    s->minimum = forward && !s->resume && !s->stream && !s->no_shuffle
                 && !options_find(program, "iterations")->given;
    if (!options_find(program, "iterations")->given)
        s->learner.iterations = forward ? USUAL_PASSES : 1000;
    if (s->resume && s->confusion)
        return options_refuse(program,
                              "-m goes on with the matrix of its model: -c does not go with it");
    s->estimates = !s->resume && (!s->confusion || strcmp(s->confusion, "estimate") == 0);
    const bool passes = forward && !s->minimum;
    if (!options_find(program, "steps")->given || (passes && !s->estimates))
        s->forward.steps = options_find(program, "lambda")->given || passes ? 0 : -1;
    if (!forward && (s->resume || s->stream))
        return options_refuse(program, "%s belongs to -s forward", s->resume ? "-m" : "--stream");
    if (forward && s->trace)
        return options_refuse(program, "--trace belongs to UMA's strategies");
    if (s->estimates && s->stream)
        return options_refuse(
            program, "a matrix is estimated from data that are held: --stream needs -c file or -m");
    if (s->folds > 0 && (s->stream || s->resume))
        return options_refuse(program,
                              "-v holds the data and starts afresh: it does not go with %s",
                              s->stream ? "--stream" : "-m");
    if (s->stream && s->learner.iterations > 1 && !input_is_file(data))
        return options_refuse(
            program,
            "several passes over a pipe need it held in memory: --stream does not go with -i %lld",
            (long long)s->learner.iterations);
    if (!model && strcmp(data, "-") == 0 && s->folds == 0)
        return options_refuse(program, "data from standard input: name the model file");
    if (s->confusion && strcmp(data, "-") == 0 && strcmp(s->confusion, "-") == 0)
        return options_refuse(
            program, "the data and the confusion matrix cannot both come from standard input");
    if (s->folds > 0 && (s->trace || model || s->confusion_out))
        return options_refuse(program, "-v writes no model: %s does not go with it",
                              s->trace ? "--trace"
                              : model  ? "a model file"
                                       : "--confusion-out");
    if (s->confusion_out && s->resume)
        return options_refuse(
            program, "--confusion-out writes what was found or given here: it does not go with -m");
    note_unused(program, s);
    return OPTIONS_GO;
}

int main(int argc, char **argv)
{
    struct settings s = {
        .threads = parallel_processors(), .forward = online_forward(-1, NULL), .features = -1};
    struct uma_options *p = &s.learner;
    struct option table[] = {
        {ROW_INPUT('c', "confusion", &s.confusion, "file"), .choices = no_files,
         .help = "the confusion matrix of the labels; identity: the labels are taken as right; "
                 "estimate: found from the labels (default: estimate)"},
        {ROW_CHOICE('s', "strategy", &p->strategy, "strategy", strategies),
         .help = "UMA: which pair of classes is updated, the largest error, the largest confusion "
                 "of a class, any; or softmax regression through the matrix "
                 "(default: error with -c, forward without)"},
        {ROW_CHOICE('u', "update", &p->step, "update", uma_steps), .by_default = "perceptron",
         .help = "which classes lose what the right one gains"},
        {ROW_NUMBER('a', "alpha", &p->alpha, "alpha", 0, OPTION_UNBOUNDED), .by_default = "0",
         .help = "examples count for a class when its score is ahead by this much"},
        {ROW_FLAG(0, "alpha-relative", &p->alpha_relative),
         .help = "alpha is a multiple of the norm of the weights"},
        {ROW_INT('i', "iterations", &p->iterations, "iterations", 1, 1000000000),
         .help = "of UMA at most (default 1000); forward: so many online passes (AdaGrad) instead "
                 "of the minimum (default for --stream, -m, --no-shuffle: 15)"},
        {ROW_NUMBER('e', "sigmas", &p->sigmas, "s", 0, OPTION_UNBOUNDED), .by_default = "2",
         .help = "stop when every ||z_pq|| is at most s times its own noise; 0: when all are 0"},
        {ROW_CHOICE('w', "iterate", &p->iterate, "iterate", uma_iterates), .by_default = "best",
         .help = "what the model holds: the iterate of the lowest estimated error, the last, the "
                 "average of all"},
        {ROW_CHOICE(0, "check", &p->check, "check", uma_checks), .by_default = "skip",
         .help = "a pair whose z_pq is scored right already: next pair, update all the same, the "
                 "paper's test with alpha"},
        {ROW_NUMBER(0, "ridge", &s.ridge, "l", 0, 1), .by_default = "0",
         .help = "invert (1 - l) C + l I"},
        {ROW_OUTPUT(0, "trace", &s.trace, "file"),
         .help = "write p, q, ||z_pq|| and the estimated error after each iteration, a line each"},
        {ROW_NUMBER(0, "lambda", &s.forward.lambda, "lambda", 0, OPTION_UNBOUNDED),
         .help = "L2 of forward, and of what estimates (default: of the largest likelihood of "
                 "labels left out; 1e-5 when the data are streamed)"},
        {ROW_INT(0, "steps", &s.forward.steps, "n", 0, 1000000000),
         .help = "stop forward, and what estimates, after n steps on the way to the minimum, at "
                 "the mean of the last two; 0: go there (default: as lambda where the data have "
                 "many features; else 0)"},
        OPTION_FEATURES(&s.features),
        {ROW_OUTPUT(0, "confusion-out", &s.confusion_out, "file"),
         .help = "write the confusion matrix that was learnt with"},
        {ROW_INPUT('m', "model", &s.resume, "model"),
         .help = "forward: go on from this model (its options and matrix hold)"},
        {ROW_FLAG(0, "no-shuffle", &s.no_shuffle),
         .help = "forward: file order in every pass (a pipe always has it)"},
        {ROW_FLAG(0, "stream", &s.stream),
         .help = "forward, with -c file or -m: never hold the data, file order, constant memory"},
        OPTION_LABELS(&s.labels, "the confusion file, or of the data"),
        OPTION_BIAS(&s.file.bias),
        OPTION_UNIT_LENGTH(&s.unit_length, "1"),
        OPTION_FOLDS(&s.folds),
        OPTION_ZERO_BASED(&s.file.zero_based),
        OPTION_SEED(&p->seed),
        OPTION_THREADS(&s.threads),
        OPTION_QUIET(&s.quiet),
    };
    struct program program = {
        .name = "uma-train",
        .words = "training_file [model_file]",
        .files = "rw",
        .summary = "Learn a linear classifier from noisy labels, through their confusion matrix if "
                   "it is known, or through one that is estimated.",
        .details =
            "With a data file and nothing else: the confusion matrix is estimated from the labels, "
            "and softmax regression through it (forward) learns what the labels "
            "hide, to the minimum of its loss, or with many features some steps towards it; with "
            "-i, --no-shuffle, -m or --stream in passes, online. No clean label is needed, but "
            "most labels of each class must be right, or more than any other one of that class. "
            "The confusion matrix tells how often each label is observed for each true class; "
            "`confusion` makes one from a small sample whose true "
            "labels are known. UMA inverts it to estimate, from the noisy labels alone, where the "
            "present classifier errs, and corrects that. "
            "With -c identity it is the plain ultraconservative learner, a perceptron in batches. "
            "The model (default: the name of the training file "
            "+ .model, in the current folder) is read by liblinear-predict too.",
        .examples = "  label-noise -r 0.3 data/digits.train > noisy && uma-train --confusion-out C "
                    "noisy noisy.model\n"
                    "  uma-train -c identity data/digits.train digits.model\n"
                    "  synth noise --flip 0.3 --labels 0-9 > C && label-noise -c C "
                    "data/digits.train > noisy && uma-train -c C noisy noisy.model\n"
                    "  uma-train -v 5 -c C noisy\n",
        .fewest_words = 1,
        .most_words = 2,
        .options = table,
        .count = sizeof table / sizeof *table};
    const char *word[3];
    char name[PROGRAM_NAME];
    struct error err = {0};
    program_start();
    int go = options_parse(&program, argc, argv, word);
    if (go != OPTIONS_GO)
        return go;
    if ((go = check(&program, &s, word[0], word[1])) != OPTIONS_GO
        || (go = program_name_model(&program, word, name)) != OPTIONS_GO)
        return go;
    p->threads = (int)s.threads;
    s.file.unit_length = s.unit_length == 1;
    if (s.file.bias < 0)
        s.file.bias = -1;
    struct job job = {.program = program.name,
                      .options = &program,
                      .set = s,
                      .data = word[0],
                      .model = word[1],
                      .trace = {.fd = -1},
                      .confusion_out = {.fd = -1}};
    int status = s.labels ? labels_parse(s.labels, &job.labels, &err) : 0;
    if (status > 0)
        return options_refuse(&program, "--labels: %s", err.message);
    if (!s.quiet)
        job.info = strcmp(job.model, "-") == 0 || (s.trace && strcmp(s.trace, "-") == 0)
                           || (s.confusion_out && strcmp(s.confusion_out, "-") == 0)
                       ? stderr
                       : stdout;
    int failed = status != 0 || run(&job, &err) != 0;
    if (failed && !err.file[0])
        snprintf(err.file, sizeof err.file, "%s", input_name(job.data));
    release(&job);
    return program_end(program.name, failed, &err);
}
