/* All folds' sums are taken once a round; a ridge then costs three solutions and the scores. */
#include "learners/forward/kernel_ridge.h"

#include "common/base/memory.h"
#include "common/linalg/dense.h"
#include "learners/features/map_choice.h"
#include "learners/features/ridge_folds.h"
#include "learners/forward/decisions.h"
#include "learners/forward/em.h"
#include "learners/forward/suspicion.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const double kernel_ridges[] = {1, 1e-1, 1e-2, 1e-3}; /* no reason but that they work */
static const double kernel_ridge_least_class = 0.1;          /* of a class's estimated size */

struct kernel_ridge_search {
    const struct kernel_ridge_basis *b;
    int64_t n, K;
    double per_weight; /* 1 over the mean weight of the examples */
    struct kernel_ridge *out;
    struct ridge_folds folds;
    double *scores; /* n x K, held out */
    double *best;   /* those of the ridge that is chosen */
    double *count;  /* K x K, for decisions_likelihood */
    double *row;    /* K, workspace */
};

static double kernel_ridge_own_weight(const struct kernel_ridge_search *s, int64_t i)
{
    return s->b->weight ? s->b->weight[i] * s->per_weight : 1;
}

/* ---- the weights ---- */

/* v by probabilities (n x K), no class less than a tenth of its size. */
static void kernel_ridge_weigh(const struct kernel_ridge_search *s, const double *by)
{
    const struct kernel_ridge_basis *b = s->b;
    const int64_t K = s->K, n = s->n;
    double *v = s->out->weight, *sum = s->count /* of each class */;
    const struct suspicion_weights weights = suspicion_weigh(b->c, K, by, b->y, n, b->unexplained,
                                                             false);
    memset(sum, 0, (size_t)K * sizeof *sum);
    for (int64_t i = 0; i < n; i++) {
        const double *p = by + i * K, own = kernel_ridge_own_weight(s, i);
        v[i] = own * suspicion_of(i, b->c, K, p, p, b->y[i], &weights, s->row).score;
        sum[b->y[i]] += v[i];
    }
    for (int64_t i = 0; i < n; i++) {
        const int64_t k = b->y[i];
        const double least = kernel_ridge_least_class * b->share[k] * (double)n,
                     own = kernel_ridge_own_weight(s, i);
        if (sum[k] < least)
            v[i] = v[i] * least < own * sum[k] ? v[i] * least / sum[k] : own;
    }
}

/* ---- the ridge ---- */

/* The likelihood of decisions by p: n x K scores or probabilities. */
static double kernel_ridge_judge(const struct kernel_ridge_search *s, const double *p)
{
    memset(s->count, 0, (size_t)(s->K * s->K) * sizeof *s->count);
    for (int64_t i = 0; i < s->n; i++)
        s->count[s->b->y[i] * s->K + weights_best(p + i * s->K, s->K)] += kernel_ridge_own_weight(
            s, i);
    return decisions_likelihood(s->count, s->K, s->b->c, s->b->share);
}

/* The features of an example. */
static const double *kernel_ridge_features(const struct problem *mapped, int64_t i)
{
    return mapped->value + mapped->row_start[i];
}

/* Add an example to the sums of the open fold.  0 or -1. */
static int kernel_ridge_add(const struct kernel_ridge *ridge, const struct problem *mapped,
                            const int32_t *y, int64_t i, struct ridge_folds *folds,
                            struct error *err)
{
    double *phi = ridge_next(folds, y[i], ridge->weight[i], err);
    if (!phi)
        return -1;
    memcpy(phi, kernel_ridge_features(mapped, i), (size_t)folds->dims * sizeof *phi);
    return 0;
}

static int kernel_ridge_add_folds(struct kernel_ridge_search *s, struct error *err)
{
    for (int64_t fold = 0; fold < RIDGE_FOLDS; fold++) {
        ridge_open(&s->folds, fold);
        for (int64_t i = fold; i < s->n; i += RIDGE_FOLDS)
            if (kernel_ridge_add(s->out, &s->out->mapped, s->b->y, i, &s->folds, err) != 0)
                return -1;
        if (ridge_close(&s->folds, err) != 0)
            return -1;
    }
    return 0;
}

/* W for all examples whose sums have been taken, but those of one fold.  Features are at most 1 and
 * weights 1 in the mean, so no ridge is lost beside them.  0 or -1. */
static int kernel_ridge_solve(struct ridge_folds *folds, int64_t left_out, double ridge,
                              struct error *err)
{
    const int status = ridge_solve(folds, left_out, ridge, err);
    return status > 0 ? error_set(err, "the features of the kernel are too much alike") : status;
}

/* The scores of each fold by the others with this ridge.  0 or -1. */
static int kernel_ridge_score(struct kernel_ridge_search *s, double ridge, struct error *err)
{
    const int64_t n = s->n, D = s->folds.dims, K = s->K;
    memset(s->scores, 0, (size_t)(n * K) * sizeof *s->scores);
    for (int64_t fold = 0; fold < RIDGE_FOLDS && fold < n; fold++) {
        if (kernel_ridge_solve(&s->folds, fold, ridge, err) != 0)
            return -1;
        const struct dense_view phi = {kernel_ridge_features(&s->out->mapped, fold),
                                       RIDGE_FOLDS * D, 1};
        const struct dense_view w = {s->folds.w, K, 1};
        if (dense_add_product((n - fold + RIDGE_FOLDS - 1) / RIDGE_FOLDS, K, D, 1, phi, w,
                              s->scores + fold * K, RIDGE_FOLDS * K, s->b->threads, err)
            != 0)
            return -1;
    }
    return 0;
}

/* The probabilities, at the temperature that makes the labels likeliest.  0 or -1. */
static int kernel_ridge_calibrate(struct kernel_ridge_search *s, struct error *err)
{
    const int64_t n = s->n, K = s->K;
    struct em em;
    const int status = em_start(&em, n, K, s->b->y, NULL, s->b->threads, err);
    if (status == 0) {
        em_weigh(&em, s->b->weight);
        for (int64_t i = 0; i < n; i++)
            em_level_scores(K, s->best + i * K);
        em_temperature(&em, s->best, s->b->c, 0, NULL, &s->out->temperature);
        memory_free(s->out->p);
        s->out->p = em.p;
        em.p = NULL;
    }
    em_free(&em);
    return status;
}

/* W of all folds, as a model holds it.  w: out.  0 or -1. */
static int kernel_ridge_weights(struct ridge_folds *folds, double ridge, struct weights *w,
                                struct error *err)
{
    const int64_t K = folds->classes;
    *w = weights_make(weights_columns(K), 0);
    if (kernel_ridge_solve(folds, RIDGE_ALL, ridge, err) != 0
        || weights_grow(w, folds->dims, err) != 0)
        return -1;
    for (int64_t j = 0; j < folds->dims; j++) {
        const double *row = folds->w + j * K;
        for (int64_t k = 0; k < w->columns; k++)
            w->w[(j + 1) * w->stride + k] = w->columns == 1 ? row[1] - row[0] : row[k];
    }
    return 0;
}

/* r, from the strongest on.  0 or -1. */
static int kernel_ridge_search(struct kernel_ridge_search *s, struct error *err)
{
    struct kernel_ridge *out = s->out;
    out->likelihood = -INFINITY;
    for (size_t r = 0; r < sizeof kernel_ridges / sizeof *kernel_ridges; r++) {
        if (kernel_ridge_score(s, kernel_ridges[r], err) != 0)
            return -1;
        const double likelihood = kernel_ridge_judge(s, s->scores);
        if (!(likelihood > out->likelihood))
            break;
        out->ridge = kernel_ridges[r];
        out->likelihood = likelihood;
        double *const swap = s->best;
        s->best = s->scores;
        s->scores = swap;
    }
    weights_free(&out->all);
    return kernel_ridge_weights(&s->folds, out->ridge, &out->all, err) == 0
               ? kernel_ridge_calibrate(s, err)
               : -1;
}

/* A round with weights by probabilities: s->out->p or those of softmax regression.  0 or -1. */
static int kernel_ridge_round(struct kernel_ridge_search *s, const double *by, struct error *err)
{
    kernel_ridge_weigh(s, by);
    return kernel_ridge_add_folds(s, err) == 0 ? kernel_ridge_search(s, err) : -1;
}

/* The map and the examples through it.  0 or -1. */
static int kernel_ridge_map(const struct kernel_ridge_basis *b, struct kernel_ridge *ridge,
                            struct error *err)
{
    if (!(ridge->map = memory_new(1, sizeof *ridge->map, err))
        || map_of_gamma(b->problem, b->dims, b->gamma, b->seed, b->threads, ridge->map, err) != 0)
        return -1;
    return feature_map_problem(ridge->map, b->problem, -1, b->threads, &ridge->mapped, err);
}

int kernel_ridge_choose(const struct kernel_ridge_basis *b, struct kernel_ridge *ridge,
                        struct error *err)
{
    const int64_t n = b->problem->n, K = b->classes;
    struct kernel_ridge_search s = {.b = b, .n = n, .K = K, .per_weight = 1, .out = ridge};
    double total = 0;
    int status = -1;
    for (int64_t i = 0; i < n; i++)
        total += kernel_ridge_own_weight(&s, i);
    s.per_weight = (double)n / total;
    *ridge = (struct kernel_ridge){0};
    if (kernel_ridge_map(b, ridge, err) != 0
        || ridge_start(&s.folds, ridge->map->dims, K, b->threads, err) != 0
        || !(ridge->weight = memory_new(n, sizeof *ridge->weight, err))
        || !(s.scores = memory_new(n * K, sizeof *s.scores, err))
        || !(s.best = memory_new(n * K, sizeof *s.best, err))
        || !(s.count = memory_new(K * K, sizeof *s.count, err))
        || !(s.row = memory_new(K, sizeof *s.row, err)))
        goto done;
    ridge->softmax_likelihood = kernel_ridge_judge(&s, b->p);
    status = kernel_ridge_round(&s, b->p, err);
    if (status == 0 && b->rounds > 1)
        status = kernel_ridge_round(&s, ridge->p, err);
done:
    ridge_free(&s.folds);
    memory_free(s.scores);
    memory_free(s.best);
    memory_free(s.count);
    memory_free(s.row);
    return status;
}

/* ---- the classifier ---- */

int kernel_ridge_fit(const struct kernel_ridge *ridge, const struct problem *mapped,
                     const int32_t *y, int64_t classes, const int64_t *subset, int64_t n,
                     struct weights *w, struct error *err)
{
    struct ridge_folds folds;
    int status = ridge_start(&folds, mapped->d, classes, 1, err);
    *w = (struct weights){0};
    if (status == 0)
        ridge_open(&folds, 0);
    for (int64_t t = 0; t < n && status == 0; t++)
        status = kernel_ridge_add(ridge, mapped, y, subset[t], &folds, err);
    if (status == 0)
        status = ridge_close(&folds, err);
    if (status == 0)
        status = kernel_ridge_weights(&folds, ridge->ridge, w, err);
    ridge_free(&folds);
    return status;
}

double kernel_ridge_bytes(int64_t n, int64_t d, int64_t dims, int64_t classes)
{
    return 8 * (double)dims * (double)(dims + d)
           + problem_dense_bytes((double)n, (double)dims, false) + ridge_bytes(dims, classes)
           + 8 * (double)n * (1 + 2 * (double)classes) + em_bytes(n, classes);
}

void kernel_ridge_free(struct kernel_ridge *ridge)
{
    if (ridge->map)
        feature_map_free(ridge->map);
    memory_free(ridge->map);
    problem_free(&ridge->mapped);
    weights_free(&ridge->all);
    memory_free(ridge->weight);
    memory_free(ridge->p);
    *ridge = (struct kernel_ridge){0};
}
