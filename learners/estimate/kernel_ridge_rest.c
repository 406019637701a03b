/* What the classifier would be without the labels of a fold, which can then judge it.  From the
 * rest of the examples (rest_of_fold.h):
 *
 *   - a strict regression by the probabilities of softmax regression, in folds of the rest
 *   - by what it says of these held-out examples, a strict and a lenient one
 *   - the mean of the scores of these two, for the fold
 *
 * The first one alone would not do: its v are worse than those of the classifier, as they come from
 * fits to two thirds of the rest, four ninths of all examples. */
#include "common/base/memory.h"
#include "learners/estimate/kernel_ridge_state.h"
#include "learners/estimate/rest_of_fold.h"
#include "learners/noise/em.h"

#include <string.h>

struct kernel_ridge_rest {
    struct kernel_ridge_search *s;
    const struct rest_of_fold *rest;
    double *scores; /* rest->n x K, held out */
};

/* ---- a regression on the rest, in folds of its own ---- */

static void kernel_ridge_rest_features(const void *context, int64_t place, double *phi)
{
    const struct kernel_ridge_rest *r = context;
    kernel_ridge_put_features(r->s, r->rest->example[place], phi);
}

static double kernel_ridge_rest_label(const void *context, int64_t place, double *target)
{
    const struct kernel_ridge_rest *r = context;
    target[r->rest->y[place]] = 1;
    return r->rest->v[place];
}

static void kernel_ridge_rest_take(void *context, int64_t place, double *scores)
{
    const struct kernel_ridge_rest *r = context;
    memcpy(r->scores + place * r->s->K, scores, (size_t)r->s->K * sizeof *scores);
}

static struct label_noise kernel_ridge_rest_noise(const struct kernel_ridge_rest *r)
{
    return kernel_ridge_noise(r->s->b, r->rest->n, r->rest->y, r->rest->weight);
}

/* The strict reading by these probabilities.  0 or -1. */
static int kernel_ridge_rest_read_strictly(const struct kernel_ridge_rest *r, const double *p,
                                           struct error *err)
{
    const struct label_noise labels = kernel_ridge_rest_noise(r);
    return label_weights(&labels, p, r->rest->v, err);
}

/* The scores of all its examples, held out.  0 or -1. */
static int kernel_ridge_rest_regress(struct kernel_ridge_rest *r, struct error *err)
{
    struct kernel_ridge_search *s = r->s;
    const struct ridge_source source = {r, kernel_ridge_rest_features, kernel_ridge_rest_label};
    if (ridge_sum(&s->folds, &source, false, err) != 0)
        return -1;
    for (int64_t fold = 0; fold < FOLDS_DEFAULT; fold++)
        if (kernel_ridge_solve(&s->folds, fold, s->out->strict.ridge, err) != 0
            || ridge_score(&s->folds, fold, &source, s->folds.w, s->K, kernel_ridge_rest_take, r,
                           err)
                   != 0)
            return -1;
    return 0;
}

/* Probabilities by them; free with memory_free.  NULL: an error. */
static double *kernel_ridge_rest_predict(struct kernel_ridge_rest *r, struct error *err)
{
    const struct kernel_ridge_search *s = r->s;
    const struct rest_of_fold *rest = r->rest;
    double temperature, *p = NULL;
    if (!(r->scores = memory_new(rest->n * s->K, sizeof *r->scores, err)))
        return NULL;
    ridge_deal(&r->s->folds, rest->fold, rest->n, FOLDS_DEFAULT);
    const int status = kernel_ridge_rest_regress(r, err);
    ridge_deal(&r->s->folds, s->b->fold, s->n, FOLDS_DEFAULT);
    if (status == 0)
        p = em_calibrate(rest->n, s->K, rest->y, rest->weight, s->b->threads, s->b->c, r->scores,
                         &temperature, err);
    memory_free(r->scores);
    return p;
}

/* The matrices that either classifier is judged through.  p: of the kernel's.  0 or -1. */
static int kernel_ridge_rest_matrices(const struct kernel_ridge_rest *r, int64_t fold,
                                      const double *p, struct error *err)
{
    const struct kernel_ridge_search *s = r->s;
    const double *of[KERNEL_RIDGE_JUDGED] = {r->rest->p, p};
    if (s->b->matrix_known)
        return 0;
    for (int judged = 0; judged < KERNEL_RIDGE_JUDGED; judged++)
        if (rest_estimate_matrix(r->rest, s->K, of[judged], s->b->c, s->b->threads,
                                 kernel_ridge_matrix(s, fold, judged), err)
            != 0)
            return -1;
    return 0;
}

/* ---- both readings ---- */

/* The examples of the fold get the weight 0, which saves their sums: where they are scored, it is
 * left out. */
static void kernel_ridge_rest_set_strict(const struct kernel_ridge_rest *r)
{
    double *v = r->s->out->strict.weight;
    memset(v, 0, (size_t)r->s->n * sizeof *v);
    for (int64_t place = 0; place < r->rest->n; place++)
        v[r->rest->example[place]] = r->rest->v[place];
}

/* Likewise, with the shares of each label. */
static void kernel_ridge_rest_set_lenient(const struct kernel_ridge_rest *r, const double *p)
{
    const struct label_noise labels = kernel_ridge_rest_noise(r);
    struct kernel_ridge_reading *lenient = &r->s->out->lenient;
    memset(lenient->weight, 0, (size_t)r->s->n * sizeof *lenient->weight);
    kernel_ridge_read_leniently(&labels, r->rest->example, p, true, lenient);
}

/* The mean of these scores and those of the reading before. */
static void kernel_ridge_rest_take_mean(void *context, int64_t i, double *scores)
{
    const struct kernel_ridge_search *s = context;
    double *mean = s->scores + i * s->K;
    for (int64_t k = 0; k < s->K; k++)
        mean[k] = (mean[k] + scores[k]) / 2;
}

/* s->scores of the fold by both, with the strict one's ridge.  0 or -1. */
static int kernel_ridge_rest_score(struct kernel_ridge_search *s, int64_t fold, struct error *err)
{
    const double ridge = s->out->strict.ridge;
    if (kernel_ridge_add_folds(s, &s->out->strict, false, err) != 0
        || kernel_ridge_score_fold(s, fold, ridge, kernel_ridge_take_scores, err) != 0
        || kernel_ridge_add_folds(s, &s->out->lenient, false, err) != 0)
        return -1;
    return kernel_ridge_score_fold(s, fold, ridge, kernel_ridge_rest_take_mean, err);
}

/* All of it for a fold.  0 or -1. */
static int kernel_ridge_rest_judge(struct kernel_ridge_search *s, int64_t fold, struct error *err)
{
    struct kernel_ridge_rest r = {s, &s->b->rest[fold], NULL};
    double *p = NULL;
    int status = -1;
    if (kernel_ridge_rest_read_strictly(&r, r.rest->p, err) != 0
        || !(p = kernel_ridge_rest_predict(&r, err))
        || kernel_ridge_rest_matrices(&r, fold, p, err) != 0
        || kernel_ridge_rest_read_strictly(&r, p, err) != 0)
        goto done;
    kernel_ridge_rest_set_strict(&r);
    kernel_ridge_rest_set_lenient(&r, p);
    status = kernel_ridge_rest_score(s, fold, err);
done:
    memory_free(p);
    return status;
}

int kernel_ridge_score_rests(struct kernel_ridge_search *s, struct error *err)
{
    for (int64_t fold = 0; fold < s->judges; fold++)
        if (kernel_ridge_rest_judge(s, fold, err) != 0)
            return -1;
    return 0;
}
