/* The classifier, as far as it can be had without the labels of a fold, so that these can judge it:
 * strict by softmax regression, then both readings by what that says of held-out examples, and the
 * mean of the two.  The first one alone would be judged by weights that are worse than those of the
 * classifier: these come from fits to four ninths of the examples. */
#include "common/base/memory.h"
#include "learners/forward/em.h"
#include "learners/forward/kernel_ridge_state.h"
#include "learners/forward/rest_of_fold.h"

#include <string.h>

struct kernel_rest {
    struct kernel_ridge_search *s;
    const struct rest_of_fold *rest;
    double *scores; /* rest->n x K, held out */
};

/* ---- a regression on the rest, in folds of its own ---- */

static void kernel_rest_features(const void *context, int64_t place, double *phi)
{
    const struct kernel_rest *r = context;
    const struct problem *mapped = &r->s->out->mapped;
    memcpy(phi, mapped->value + mapped->row_start[r->rest->example[place]],
           (size_t)mapped->d * sizeof *phi);
}

static double kernel_rest_label(const void *context, int64_t place, double *target)
{
    const struct kernel_rest *r = context;
    target[r->rest->y[place]] = 1;
    return r->rest->v[place];
}

static void kernel_rest_take(void *context, int64_t place, double *scores)
{
    const struct kernel_rest *r = context;
    memcpy(r->scores + place * r->s->K, scores, (size_t)r->s->K * sizeof *scores);
}

/* The strict reading by these probabilities.  0 or -1. */
static int kernel_rest_read_strictly(const struct kernel_rest *r, const double *p,
                                     struct error *err)
{
    const struct rest_of_fold *rest = r->rest;
    const struct label_noise noise = kernel_ridge_noise(r->s->b, rest->n, rest->y, rest->weight);
    return label_weights(&noise, p, rest->v, err);
}

/* Probabilities by it, held out; free with memory_free.  NULL: an error. */
static double *kernel_rest_predict(struct kernel_rest *r, struct error *err)
{
    struct kernel_ridge_search *s = r->s;
    const struct rest_of_fold *rest = r->rest;
    const struct ridge_source source = {r, kernel_rest_features, kernel_rest_label};
    double temperature, *p = NULL;
    int status = -1;
    ridge_deal(&s->folds, rest->fold, rest->n);
    if ((r->scores = memory_new(rest->n * s->K, sizeof *r->scores, err)))
        status = ridge_sum(&s->folds, &source, false, err);
    for (int64_t fold = 0; fold < RIDGE_FOLDS && status == 0; fold++) {
        status = kernel_ridge_solve(&s->folds, fold, s->out->strict.ridge, err);
        if (status == 0)
            status = ridge_score(&s->folds, fold, &source, s->folds.w, s->K, kernel_rest_take, r,
                                 err);
    }
    ridge_deal(&s->folds, s->b->fold, s->n);
    if (status == 0)
        p = em_calibrate(rest->n, s->K, rest->y, rest->weight, s->b->threads, s->b->c, r->scores,
                         &temperature, err);
    memory_free(r->scores);
    return p;
}

/* ---- both readings, the fold having the weight 0 ---- */

static void kernel_rest_set_strict(const struct kernel_rest *r)
{
    double *v = r->s->out->strict.weight;
    memset(v, 0, (size_t)r->s->n * sizeof *v);
    for (int64_t place = 0; place < r->rest->n; place++)
        v[r->rest->example[place]] = r->rest->v[place];
}

static void kernel_rest_set_lenient(const struct kernel_rest *r, const double *p)
{
    const struct kernel_ridge_basis *b = r->s->b;
    const struct rest_of_fold *rest = r->rest;
    struct kernel_ridge_reading *lenient = &r->s->out->lenient;
    const int64_t K = r->s->K;
    const struct suspicion_weights weights = suspicion_weigh(b->c, K, p, rest->y, rest->n,
                                                             b->unexplained, false);
    memset(lenient->weight, 0, (size_t)r->s->n * sizeof *lenient->weight);
    memset(lenient->target, 0, (size_t)(r->s->n * K) * sizeof *lenient->target);
    for (int64_t place = 0; place < rest->n; place++) {
        const int64_t i = rest->example[place];
        lenient->weight[i] = kernel_ridge_own_weight(r->s, i)
                             * kernel_ridge_share_label(b, p + place * K, rest->y[place], &weights,
                                                        lenient->target + i * K);
    }
}

/* The mean of these scores and those of the reading before. */
static void kernel_rest_take_mean(void *context, int64_t i, double *scores)
{
    const struct kernel_ridge_search *s = context;
    double *mean = s->scores + i * s->K;
    for (int64_t k = 0; k < s->K; k++)
        mean[k] = (mean[k] + scores[k]) / 2;
}

/* s->scores of the fold by both, with the strict one's ridge.  0 or -1. */
static int kernel_rest_score(struct kernel_ridge_search *s, int64_t fold, struct error *err)
{
    const double ridge = s->out->strict.ridge;
    if (kernel_ridge_add_folds(s, &s->out->strict, false, err) != 0
        || kernel_ridge_score_fold(s, fold, ridge, kernel_ridge_take_scores, err) != 0
        || kernel_ridge_add_folds(s, &s->out->lenient, false, err) != 0)
        return -1;
    return kernel_ridge_score_fold(s, fold, ridge, kernel_rest_take_mean, err);
}

int kernel_ridge_score_rests(struct kernel_ridge_search *s, struct error *err)
{
    int status = 0;
    for (int64_t fold = 0; fold < s->judges && status == 0; fold++) {
        struct kernel_rest r = {s, &s->b->rest[fold], NULL};
        double *p = NULL;
        status = kernel_rest_read_strictly(&r, r.rest->p, err);
        if (status == 0 && !(p = kernel_rest_predict(&r, err)))
            status = -1;
        if (status == 0)
            status = kernel_rest_read_strictly(&r, p, err);
        if (status == 0) {
            kernel_rest_set_strict(&r);
            kernel_rest_set_lenient(&r, p);
            status = kernel_rest_score(s, fold, err);
        }
        memory_free(p);
    }
    return status;
}
