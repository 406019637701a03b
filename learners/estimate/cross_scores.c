/* Some examples are read at a time, scored on all threads, then handed out one after the other. */
#include "learners/estimate/cross_scores.h"

#include "common/base/memory.h"
#include "common/base/order.h"
#include "common/base/parallel.h"
#include "common/data/copies.h"
#include "common/data/folds.h"
#include "common/data/rows.h"

#include <math.h>

enum {
    CROSS_BLOCK = 256, /* examples that one thread scores, */
    CROSS_BATCH = 4096 /* and all: no reason but that they work */
};

static const double cross_spare = 16e6; /* bytes for weights: memory_check lets them pass, too */

int cross_scores_regress(const struct cross_scores_task *task, const int64_t *subset, int64_t n,
                         struct weights *w, struct error *err)
{
    const struct estimate *e = task->estimate;
    struct forward_options options = forward_usual(e->classifier.lambda, e->matrix.c);
    struct forward_minimum minimum = {.weight = task->weight,
                                      .epsilon = FORWARD_EPSILON,
                                      .evaluations = CROSSFIT_EVALUATIONS,
                                      .metric = task->metric,
                                      .threads = task->threads};
    options.steps = e->classifier.steps;
    struct forward *learner = forward_new(&options, task->data->labels, err);
    if (!learner)
        return -1;
    int status = forward_minimise(learner, task->data->problem, task->data->y, subset, n, &minimum,
                                  err);
    if (status == 0)
        status = forward_weights(learner, w, err);
    forward_free(learner);
    return status;
}

/* p: out, K: the probabilities of the true classes of an example with the label y, by weights that
 * have not seen it, at the estimate's temperature.  workspace: cross_scores_workspace. */
static void cross_scores_of(const struct estimate *e, const struct weights *w,
                            const struct example *x, int32_t y, double *workspace, double *p)
{
    const int64_t K = e->classes;
    double *columns = workspace, *score = workspace + w->stride;
    weights_scores(w, x, columns);
    em_put_scores(columns, K, score);
    em_log_likelihood(e->matrix.c + y * K, K, score, e->classifier.temperature, p);
}

static int64_t cross_scores_workspace(const struct estimate *e, const struct weights *w)
{
    return w->stride + e->classes;
}

static int64_t cross_scores_folds(const struct problem *problem, int64_t classes)
{
    const double weights = FOLDS_FINE * weights_bytes(weights_columns(classes), problem->d);
    return weights <= cross_spare && problem->n >= FOLDS_FINE ? FOLDS_FINE : FOLDS_DEFAULT;
}

int cross_scores_fit(struct cross_scores *s, const struct labelled *data,
                     const struct estimate *estimate, const struct crossfit_options *options,
                     struct error *err)
{
    const struct problem *problem = data->problem;
    const int64_t n = problem->n, K = data->labels->count;
    struct forward_metric metric = {.moment = NULL};
    const struct cross_scores_task task = {
        .data = data, .estimate = estimate, .metric = &metric, .threads = options->threads};
    struct fold_examples all = fold_examples_of(data);
    int64_t *copies = NULL, *subset = memory_new(n, sizeof *subset, err);
    int status = -1;
    *s = (struct cross_scores){.problem = problem,
                               .y = data->y,
                               .estimate = estimate,
                               .threads = options->threads,
                               .folds = cross_scores_folds(problem, K)};
    if (!subset || !(s->fold = memory_new(n, sizeof *s->fold, err))
        || copies_unless_groups(data->first, problem, data->y, &copies, &all.first, err) != 0)
        goto done;
    if (folds_assign(&all, s->folds, options->seed, s->fold, err) != 0
        || forward_metric_make(problem, NULL, &metric, options->threads, err) != 0)
        goto done;
    for (int64_t fold = 0; fold < s->folds; fold++) {
        const int64_t count = folds_others(s->fold, n, fold, subset);
        if (cross_scores_regress(&task, subset, count, &s->w[fold], err) != 0)
            goto done;
        if (options->progress)
            progress_update(options->progress, ++options->progress->steps, -1);
    }
    status = 0;
done:
    forward_metric_free(&metric);
    memory_free(copies);
    memory_free(subset);
    return status;
}

/* The examples that are scored at a time. */
struct cross_scores_batch {
    const struct cross_scores *scores;
    struct rows rows;
    int64_t first, count;
    double *p;         /* count x K */
    double *workspace; /* for each block: scores of an example, by column and by class */
    int64_t size;      /* of that */
};

static void cross_scores_score_block(void *context, int64_t block)
{
    struct cross_scores_batch *b = context;
    const struct cross_scores *s = b->scores;
    const int64_t first = block * CROSS_BLOCK, last = order_least(first + CROSS_BLOCK, b->count);
    for (int64_t place = first; place < last; place++) {
        const int64_t i = b->first + place;
        const struct example x = rows_example(&b->rows, i);
        cross_scores_of(s->estimate, &s->w[s->fold[i]], &x, s->y[i], b->workspace + block * b->size,
                        b->p + place * s->estimate->classes);
    }
}

int cross_scores_pass(const struct cross_scores *s,
                      void (*body)(void *context, int64_t i, const double *p), void *context,
                      struct error *err)
{
    const int64_t n = s->problem->n, K = s->estimate->classes;
    struct cross_scores_batch b = {.scores = s,
                                   .rows = rows_of(s->problem),
                                   .size = cross_scores_workspace(s->estimate, s->w)};
    int status = -1;
    if (!(b.p = memory_new(CROSS_BATCH * K, sizeof *b.p, err))
        || !(
            b.workspace = memory_new(CROSS_BATCH / CROSS_BLOCK * b.size, sizeof *b.workspace, err)))
        goto done;
    for (; b.first < n; b.first += b.count) {
        b.count = rows_batch(s->problem, NULL, n, b.first, CROSS_BATCH);
        if (rows_hold(&b.rows, b.first, b.first + b.count) != 0)
            break;
        parallel_for(s->threads, parallel_parts(b.count, CROSS_BLOCK), cross_scores_score_block,
                     &b);
        for (int64_t place = 0; place < b.count; place++)
            body(context, b.first + place, b.p + place * K);
    }
    status = rows_check(s->problem, err);
done:
    rows_end(&b.rows);
    memory_free(b.p);
    memory_free(b.workspace);
    return status;
}

/* p of a fold of the rest.  subset: workspace, n.  0 or -1. */
static int cross_scores_rest_fold(const struct cross_scores_task *task, int64_t fold,
                                  int64_t *subset, struct rest_of_fold *rest, struct error *err)
{
    const int64_t K = task->estimate->classes;
    struct weights w = weights_make(weights_columns(K), 0);
    double *workspace = memory_new(cross_scores_workspace(task->estimate, &w), sizeof *workspace,
                                   err);
    const int64_t count = folds_others(rest->fold, rest->n, fold, subset);
    for (int64_t s = 0; s < count; s++)
        subset[s] = rest->example[subset[s]];
    const int status = workspace ? cross_scores_regress(task, subset, count, &w, err) : -1;
    if (status != 0)
        goto done;
    for (int64_t place = 0; place < rest->n; place++) {
        if (rest->fold[place] != fold)
            continue;
        const struct example x = problem_example(task->data->problem, rest->example[place]);
        cross_scores_of(task->estimate, &w, &x, rest->y[place], workspace, rest->p + place * K);
    }
done:
    weights_free(&w);
    memory_free(workspace);
    return status;
}

int cross_scores_of_rest(const struct cross_scores_task *task, const int64_t *fold,
                         int64_t left_out, int64_t seed, struct rest_of_fold *rest,
                         struct error *err)
{
    const int64_t K = task->estimate->classes;
    const struct rest_source from = {task->data->problem->n, task->data->y, task->weight, fold};
    int64_t *subset = NULL, *first = NULL;
    int status = -1;
    if (rest_make(&from, left_out, rest, err) != 0)
        return -1;
    if (!(rest->p = memory_new(rest->n * K, sizeof *rest->p, err))
        || !(subset = memory_new(rest->n, sizeof *subset, err))
        || copies_among(task->data->first, from.n, rest->example, rest->n, &first, err) != 0)
        goto done;
    const struct fold_examples all = {.n = rest->n, .classes = K, .y = rest->y, .first = first};
    if (folds_assign(&all, FOLDS_DEFAULT, seed, rest->fold, err) != 0)
        goto done;
    for (int64_t part = 0; part < FOLDS_DEFAULT; part++)
        if (cross_scores_rest_fold(task, part, subset, rest, err) != 0)
            goto done;
    status = 0;
done:
    memory_free(subset);
    memory_free(first);
    return status;
}

double cross_scores_bytes(const struct problem *problem, int64_t classes, int threads)
{
    const int64_t n = problem->n, nnz = problem->nnz, d = problem->d;
    return 3 * 8 * (double)n
           + (double)cross_scores_folds(problem, classes)
                 * weights_bytes(weights_columns(classes), d)
           + forward_bytes(classes, d)
           + fmax(copies_bytes(n), problem->disk
                                       ? forward_minimum_disk_bytes(n, nnz, classes, d, threads)
                                       : forward_minimum_bytes(n, nnz, classes, d))
           + 8 * CROSS_BATCH * (double)classes;
}

void cross_scores_free(struct cross_scores *s)
{
    for (int64_t fold = 0; fold < s->folds; fold++)
        weights_free(&s->w[fold]);
    memory_free(s->fold);
    *s = (struct cross_scores){.fold = NULL};
}
