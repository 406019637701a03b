/* What cross-fitting holds: folds, the tables of its trials, and their size. */
#include "learners/estimate/crossfit.h"

#include "common/base/memory.h"
#include "common/base/order.h"
#include "common/base/reduce.h"
#include "common/data/feature_sizes.h"
#include "common/data/folds.h"
#include "learners/estimate/crossfit_state.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* What fits give back stays with the process (memory_keep) where all that they take is at most 16
 * MB, or at most three times the data.  Where it is more, it is given back, to make room for what
 * is needed between fits.  No reason for the values but that peak memory then grew by 12 % on
 * r8 and by 8 % on amazon_domain. */
static const double crossfit_kept = 1 << 24, crossfit_kept_data = 3;

/* Bytes of a fit besides the metric that all share. */
static double crossfit_fit_bytes(int64_t n, int64_t nnz, int64_t classes, int64_t d)
{
    return forward_minimum_bytes(n, nnz, classes, d) - forward_metric_shared_bytes(d, nnz);
}

/* Bytes of each fit besides the first, with its learner. */
static double crossfit_another_bytes(int64_t n, int64_t nnz, int64_t classes, int64_t d)
{
    return crossfit_fit_bytes(n, nnz, classes, d) + weights_bytes(weights_columns(classes), d);
}

/* How many fits are made side by side: on one rank, of data in memory, and as long as those besides
 * the first take at most half as much as the data, or a MB, and no more than a sixteenth of the
 * memory.  No reason but that this is little. */
static int crossfit_at_once(int64_t n, int64_t nnz, int64_t classes, int64_t d, int64_t most)
{
    const double data = problem_bytes((double)n, (double)nnz, false), least = 1 << 20,
                 spare = fmin(fmax(data / 2, least), memory_limit() / 16);
    if (reduce_ranks() > 1)
        return 1;
    return (int)fmin((double)most, 1 + floor(spare / crossfit_another_bytes(n, nnz, classes, d)));
}

/* Assign the folds; for each, list the examples held out and those learnt from.  copies: of the
 * data.  0 or -1. */
static int crossfit_split(struct crossfit *f, const int64_t *copies, struct error *err)
{
    const struct fold_examples all = {.n = f->n, .classes = f->K, .y = f->y, .first = copies};
    int64_t start[FOLDS_FINE + 1];
    if (folds_assign(&all, f->folds, f->options.seed, f->fold_of, err) != 0
        || !(f->order = memory_new(f->n, sizeof *f->order, err)))
        return -1;
    folds_list(f->fold_of, f->n, f->folds, f->order, start);
    for (int64_t k = 0; k < f->folds; k++) {
        struct crossfit_fold *fold = &f->fold[k];
        struct crossfit_path *path = &fold->path;
        if (!(fold->subset = memory_new(f->problem->n, sizeof *fold->subset, err)))
            return -1;
        fold->trained = folds_others(f->fold_of + f->before, f->problem->n, k, fold->subset);
        const int64_t own = f->problem->n - fold->trained, own_blocks = crossfit_count_blocks(own),
                      blocks = own_blocks > 0 ? own_blocks
                                              : 1; /* that of fold 0 is used on any rank */
        fold->first = start[k];
        fold->last = start[k + 1];
        fold->own_first = fold->first + reduce_before(own);
        fold->own_last = fold->own_first + own;
        if (!(path->judged = memory_new(EM_TEMPERATURES * (fold->last - fold->first),
                                        sizeof *path->judged, err))
            || !(path->workspace = memory_new(blocks * crossfit_block_size(f->K),
                                              sizeof *path->workspace, err)))
            return -1;
    }
    f->judges = crossfit_judges(f->fold_of, f->n);
    return 0;
}

int64_t crossfit_judges(const int64_t *fold_of, int64_t n)
{
    int64_t count[FOLDS_FINE] = {0}, last = 0, judges = 0;
    for (int64_t i = 0; i < n; i++) {
        count[fold_of[i]]++;
        last = fold_of[i] > last ? fold_of[i] : last;
    }
    for (int64_t judged = 0; judges <= last && judged < CROSSFIT_ENOUGH; judges++)
        judged += count[judges];
    return judges;
}

/* The tables of a trial: of the judges, or of all.  trial: out. */
static int crossfit_make_trial(const struct crossfit *f, bool judges, struct crossfit_trial *trial,
                               struct error *err)
{
    const int64_t rows = judges ? f->fold[f->judges - 1].last : f->n;
    *trial = (struct crossfit_trial){.of_judges = judges,
                                     .rows = rows,
                                     .at = CROSSFIT_FIRST,
                                     .steps = f->options.steps > 0 ? f->options.steps : 0};
    if (!(trial->s = memory_new(rows * f->K, sizeof *trial->s, err)))
        return -1;
    if (f->stops_early
        && !(trial->decision = memory_new(CROSSFIT_NOTED * rows, sizeof *trial->decision, err)))
        return -1;
    return 0;
}

/* Make f->now, f->other, f->judged, f->step_scores and f->point_scores. */
static int crossfit_make_trials(struct crossfit *f, struct error *err)
{
    int64_t followed = f->n; /* examples whose step scores are held */
    if (f->at_once == 1) {
        followed = 0;
        for (const struct crossfit_fold *fold = f->fold; fold < f->fold + f->folds; fold++)
            if (fold->last - fold->first > followed)
                followed = fold->last - fold->first;
    }
    if (crossfit_make_trial(f, false, &f->now, err) != 0
        || crossfit_make_trial(f, true, &f->other, err) != 0)
        return -1;
    const int64_t rows = f->other.rows;
    if (!(f->judged.y = memory_new(rows, sizeof *f->judged.y, err))
        || !(f->judged.now = memory_new(rows, sizeof *f->judged.now, err))
        || !(f->judged.other = memory_new(rows, sizeof *f->judged.other, err))
        || !(f->judged.weight = memory_new(rows, sizeof *f->judged.weight, err))
        || !(f->judged.workspace = memory_new(3 * f->K * f->K, sizeof *f->judged.workspace, err)))
        return -1;
    for (int64_t place = 0; place < rows; place++) {
        f->judged.y[place] = f->y[f->order[place]];
        f->judged.weight[place] = em_weight(&f->em, f->order[place]);
    }
    if (f->stops_early
        && (!(f->step_scores = memory_new(followed * f->K, sizeof *f->step_scores, err))
            || !(f->point_scores = memory_new(followed * f->K, sizeof *f->point_scores, err))))
        return -1;
    return 0;
}

int crossfit_start(struct crossfit *f, const struct labelled *data,
                   const struct crossfit_options *options, struct error *err)
{
    const struct problem *problem = data->problem;
    const int64_t n = reduce_count(problem->n), K = data->labels->count;
    *f = (struct crossfit){.problem = problem,
                           .labels = data->labels,
                           .options = *options,
                           .folds = options->folds > 0 ? options->folds : FOLDS_DEFAULT,
                           .n = n,
                           .before = reduce_before(problem->n),
                           .K = K,
                           .at_once = 1};
    assert(f->folds <= FOLDS_FINE && (options->folds == 0 || options->lambda >= 0));
    if (n < f->folds)
        return error_set(err, "an estimate needs %lld examples at least; there %s %lld",
                         (long long)f->folds, n == 1 ? "is" : "are", (long long)n);
    if (crossfit_bytes(n, problem->nnz, K, problem->d, options->steps, f->folds)
        <= fmax(crossfit_kept, crossfit_kept_data * problem_bytes_held(problem)))
        memory_keep(); /* each fit takes the same blocks */
    if (!(f->y = memory_new(n, sizeof *f->y, err)))
        goto failed;
    if (problem->n > 0)
        memcpy(f->y + f->before, data->y, (size_t)problem->n * sizeof *f->y);
    reduce_gather(f->y, sizeof *f->y, f->before, problem->n);
    if (!(f->fold_of = memory_new(n, sizeof *f->fold_of, err))
        || !(f->fold = memory_new(f->folds, sizeof *f->fold, err))
        || em_start(&f->em, n, K, f->y, f->fold_of, options->threads, err) != 0)
        goto failed;
    em_weigh(&f->em, options->weight);
    f->em.first = data->first;
    if (crossfit_split(f, data->first, err) != 0
        || forward_metric_make(problem, options->weight, &f->metric, options->threads, err) != 0
        || (f->metric.moment ? feature_sizes_decades(problem, options->weight, &f->decades, err)
                             : feature_sizes_in_common(problem, options->weight, &f->common, err))
               != 0
        || crossfit_forget(f, err) != 0)
        goto failed;
    f->stops_early = options->steps < 0 && !f->metric.moment;
    if (!problem->disk)
        f->at_once = crossfit_at_once(n, problem->nnz, K, problem->d,
                                      order_least(f->folds, options->threads));
    if (crossfit_make_trials(f, err) != 0)
        goto failed;
    return 0;
failed:
    crossfit_free(f);
    return -1;
}

void crossfit_rename(struct crossfit *f, const int64_t *from)
{
    struct crossfit_trial *now = &f->now;
    double *before = f->fold[0].path.workspace;
    for (int64_t i = 0; i < now->rows; i++) {
        double *s = now->s + i * f->K;
        memcpy(before, s, (size_t)f->K * sizeof *s);
        for (int64_t k = 0; k < f->K; k++)
            s[k] = before[from[k]];
    }
    if (!now->decision)
        return;
    for (int64_t place = 0; place < CROSSFIT_NOTED * now->rows; place++) {
        int32_t k = 0;
        while (from[k] != now->decision[place])
            k++;
        now->decision[place] = k;
    }
}

void crossfit_free(struct crossfit *f)
{
    const int64_t folds = f->fold ? f->folds : 0; /* NULL + 0 is undefined: so they are counted */
    for (int64_t k = 0; k < folds; k++) {
        struct crossfit_fold *fold = &f->fold[k];
        memory_free(fold->subset);
        forward_free(fold->learner);
        memory_free(fold->path.judged);
        memory_free(fold->path.workspace);
    }
    memory_free(f->fold);
    memory_free(f->fold_of);
    memory_free(f->order);
    memory_free(f->y);
    forward_metric_free(&f->metric);
    memory_free(f->now.s);
    memory_free(f->now.decision);
    memory_free(f->other.s);
    memory_free(f->other.decision);
    memory_free(f->judged.y);
    memory_free(f->judged.now);
    memory_free(f->judged.other);
    memory_free(f->judged.weight);
    memory_free(f->judged.workspace);
    memory_free(f->step_scores);
    memory_free(f->point_scores);
    em_free(&f->em);
    *f = (struct crossfit){0};
}

double crossfit_bytes(int64_t n, int64_t nnz, int64_t classes, int64_t d, int64_t steps,
                      int64_t folds)
{
    /* With several ranks nnz is that of this one, and does not tell. */
    const int at_once = crossfit_at_once(n, nnz, classes, d, folds);
    const bool moment = forward_metric_has_moment(d, nnz),
               early = steps < 0 && (reduce_ranks() > 1 || !moment),
               keeps = steps == 0 || reduce_ranks() > 1 || moment; /* learners of all folds */
    const double fold = (double)n / (double)folds, K = (double)classes,
                 judged = fmin((double)n, fold + CROSSFIT_ENOUGH),
                 row = 8 * K + (early ? 4 * CROSSFIT_NOTED : 0),
                 followed = at_once > 1 ? (double)n : fold + 1,
                 of_steps = early ? 8 * followed * K : 0,
                 paths = (double)folds * (double)sizeof(struct crossfit_path)
                         + 8 * (double)n * EM_TEMPERATURES
                         + 8 * (double)(crossfit_count_blocks(n) + folds)
                               * (double)crossfit_block_size(classes),
                 fits = crossfit_fit_bytes(n, nnz, classes, d)
                        + (at_once - 1) * crossfit_another_bytes(n, nnz, classes, d),
                 between = em_bytes(n, classes) + 8 * (double)n,
                 learners = (keeps ? (double)folds : 1)
                            * weights_bytes(weights_columns(classes), d);
    return 8 * (double)n * (2.5 + (double)folds) + row * ((double)n + judged) + 20 * judged
           + 24 * K * K + of_steps + paths + learners + forward_metric_shared_bytes(d, nnz)
           + fmax(fits, between);
}
