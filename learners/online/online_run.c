#include "learners/online/online_run.h"

#include "common/base/input.h"
#include "common/base/memory.h"
#include "common/data/problem_file.h"
#include "learners/forward/forward_minimum.h"

static void report_pass(void *context, int64_t pass, struct online_counts c)
{
    struct online_run *run = context;
    progress_wipe(&run->progress);
    if (run->info)
        fprintf(run->info, "pass %lld: %lld examples, %lld updates, %lld mistakes (%.4g%%)\n",
                (long long)pass, (long long)c.rounds, (long long)c.updates, (long long)c.mistakes,
                100 * (double)c.mistakes / (double)c.rounds);
}

static void report_minimum(void *context, const struct lbfgs_result *result)
{
    struct online_run *run = context;
    progress_wipe(&run->progress);
    if (run->info)
        fprintf(run->info,
                "optimization finished, #iter = %lld (%lld passes over the data)\nobjective value "
                "= %.6g\n",
                (long long)result->iterations, (long long)result->evaluations, result->value);
    if (!result->converged && run->notes)
        fprintf(run->notes,
                "%s: warning: the most passes were made before the minimum was reached\n",
                run->program);
}

static int start_learner(struct online_run *run, const struct problem *problem, const int32_t *y,
                         struct error *err)
{
    if (run->online)
        return 0;
    if (run->prepare && run->prepare(run->context, run, problem, y, err) != 0)
        return -1;
    if (run->folds == 0)
        run->online = online_new(&run->learner, &run->labels, err);
    return run->folds > 0 || run->online ? 0 : -1;
}

static int run_stream(struct online_run *run, const struct online_training *training,
                      struct error *err)
{
    if (run->labels.count == 0
        && problem_scan(run->data, &run->format, run->threads, &run->labels, NULL, err) != 0)
        return -1;
    if (start_learner(run, NULL, NULL, err) != 0)
        return -1;
    if (run->info) {
        char text[32];
        fprintf(run->info,
                "streaming: %lld classes; memory: %s for 1000 features, growing with them\n",
                (long long)run->labels.count,
                memory_text(online_bytes(&run->learner, run->labels.count, 1000), text));
    }
    return online_train_stream(run->online, run->data, &run->format, run->threads, training, err);
}

static int run_held(struct online_run *run, const struct problem *problem,
                    const struct online_training *training, struct error *err)
{
    const char *name = input_name(run->data);
    if (run->labels.count == 0 && problem_labels(problem, &run->labels, err) != 0)
        return -1;
    int32_t *y = memory_new(problem->n, sizeof *y, err);
    if (!y)
        return -1;
    int64_t at_once = run->folds == 0 ? 1 : run->folds < run->threads ? run->folds : run->threads;
    double data_bytes = problem_bytes((double)problem->n, (double)problem->nnz, false);
    double model_bytes = online_bytes(&run->learner, run->labels.count, problem->d);
    if (run->minimum)
        model_bytes += forward_minimum_bytes(problem->nnz, run->labels.count, problem->d);
    model_bytes *= (double)at_once;
    char data[32], model[32], what[128];
    snprintf(what, sizeof what, "the data and a model of %lld features x %lld classes",
             (long long)problem->d, (long long)run->labels.count);
    if (run->info)
        fprintf(run->info,
                "%lld examples, %lld features, %lld classes; memory: %s for the data, %s for the "
                "model\n",
                (long long)problem->n, (long long)problem->d, (long long)run->labels.count,
                memory_text(data_bytes, data), memory_text(model_bytes, model));
    int status = problem_classes(problem, &run->labels, name, y, err);
    if (status == 0)
        status = memory_check(data_bytes + model_bytes, what, err);
    if (status == 0)
        status = start_learner(run, problem, y, err);
    if (status == 0 && run->folds > 0) {
        int64_t correct;
        status = online_cross_validate(&run->learner, &run->labels, problem, y, run->folds,
                                       run->threads, training, &correct, err);
        if (status == 0)
            fprintf(run->result, "Cross Validation Accuracy = %g%%\n",
                    100.0 * (double)correct / (double)problem->n);
    } else if (status == 0) {
        status = online_train_problem(run->online, problem, y, NULL, problem->n, training, err);
        const struct online_counts c = online_counts(run->online);
        if (status == 0 && run->minimum && run->notes && c.updates < c.rounds)
            fprintf(run->notes,
                    "%s: warning: %lld of %lld examples have a label that the matrix says cannot "
                    "be: they are left out\n",
                    run->program, (long long)(c.rounds - c.updates), (long long)c.rounds);
    }
    memory_free(y);
    return status;
}

/* Hold the data or stream it, whichever the options and its size ask for. */
int online_run(struct online_run *run, struct error *err)
{
    bool regular = input_is_file(run->data);
    struct online_training training = {.passes = run->passes,
                                       .shuffle = regular && !run->no_shuffle,
                                       .seed = run->seed,
                                       .minimum = run->minimum,
                                       .threads = run->threads,
                                       .progress = &run->progress,
                                       .report = report_pass,
                                       .report_minimum = report_minimum,
                                       .context = run};
    if (run->stream && !regular && run->labels.count == 0)
        return error_set(err, "to stream a pipe its classes must be known: --labels names them");
    if (run->stream
        || (!regular && run->labels.count > 0 && run->passes == 1 && run->folds == 0 && !run->hold))
        return run_stream(run, &training, err);

    struct problem problem = {0};
    double most = regular && run->folds == 0 ? 0.8 * memory_limit()
                                             : 0; /* what cannot be read again must be held */
    int status = problem_read(run->data, &run->format, run->threads, most, &problem, err);
    if (status == PROBLEM_TOO_LARGE) {
        if (run->hold)
            return error_set(
                err, "the file does not fit in memory, and what is estimated needs all of it");
        if (run->notes)
            fprintf(run->notes,
                    "%s: note: %s does not fit in memory; it is streamed in file order\n",
                    run->program, run->data);
        return run_stream(run, &training, err);
    }
    if (status == 0)
        status = run_held(run, &problem, &training, err);
    problem_free(&problem);
    return status;
}

void online_run_free(struct online_run *run)
{
    online_free(run->online);
    labels_free(&run->labels);
    run->online = NULL;
}
