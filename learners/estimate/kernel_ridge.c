/* The four regressions of kernel_ridge.h, by ridge_folds.h.
 *
 * The sums of all folds are taken once for each reading of the labels; trying another ridge r then
 * costs, for each fold that judges, a solution and its scores.  Fine folds cost ten solutions, and
 * those sums once more. */
#include "common/base/memory.h"
#include "learners/estimate/crossfit.h"
#include "learners/estimate/kernel_ridge_state.h"
#include "learners/noise/chance.h"
#include "learners/noise/decisions.h"
#include "learners/noise/em.h"

#include <math.h>
#include <string.h>

static const double kernel_ridges[] = {1, 1e-1, 1e-2, 1e-3}; /* no reason but that they work */

/* The lenient reading tries no r above this many times the strict one's: 10 times, with room for
 * rounding. */
static const double kernel_ridge_lenient_from = 20;

/* ---- readings of the labels ---- */

struct label_noise kernel_ridge_noise(const struct kernel_ridge_basis *b, int64_t n,
                                      const int32_t *y, const double *weight)
{
    return (struct label_noise){.n = n,
                                .classes = b->classes,
                                .y = y,
                                .weight = weight,
                                .c = b->c,
                                .share = b->share,
                                .unexplained = b->unexplained};
}

/* The weights of the strict reading, by these probabilities.  0 or -1. */
static int kernel_ridge_read_strictly(const struct kernel_ridge_search *s, const double *p,
                                      struct error *err)
{
    const struct label_noise noise = kernel_ridge_noise(s->b, s->n, s->b->y, s->b->weight);
    return label_weights(&noise, p, s->out->strict.weight, err);
}

/* The lenient reading of a label.  p: K, probabilities of the true classes; t: out, K.  Returns
 * min(1, S). */
static double kernel_ridge_share_label(const double *c, int64_t K, const double *p, int32_t y,
                                       const struct suspicion_weights *weights, double *t)
{
    double sum = 0;
    suspicion_scores(c, K, p, y, weights, t);
    for (int64_t k = 0; k < K; k++)
        sum += t[k];
    if (sum > 0)
        for (int64_t k = 0; k < K; k++)
            t[k] /= sum;
    return sum < 1 ? sum : 1;
}

void kernel_ridge_read_leniently(const struct label_noise *labels, const int64_t *example,
                                 const double *p, bool sets_weights,
                                 struct kernel_ridge_reading *lenient)
{
    const int64_t K = labels->classes, n = labels->n;
    const double unit = label_weights_unit(labels->weight, n);
    const struct suspicion_weights weights = suspicion_weigh(labels->c, K, p, labels->y, n,
                                                             labels->unexplained, false);
    for (int64_t place = 0; place < n; place++) {
        const int64_t i = example ? example[place] : place;
        const double v = kernel_ridge_share_label(labels->c, K, p + place * K, labels->y[place],
                                                  &weights, lenient->target + i * K);
        if (sets_weights)
            lenient->weight[i] = label_weights_own(labels->weight, unit, place) * v;
    }
}

/* ---- the ridge ---- */

/* Count labels and decisions by these scores in the folds that judge: s->count.  Returns the sum of
 * the examples' weights there, divided by the sum of their squares. */
static double kernel_ridge_count(const struct kernel_ridge_search *s, const double *scores)
{
    double sum = 0, squares = 0;
    memset(s->count, 0, (size_t)(s->K * s->K) * sizeof *s->count);
    for (int64_t i = 0; i < s->n; i++) {
        if (s->b->fold[i] >= s->judges)
            continue;
        const double weight = kernel_ridge_own_weight(s, i);
        s->count[s->b->y[i] * s->K + weights_best(scores + i * s->K, s->K)] += weight;
        sum += weight;
        squares += weight * weight;
    }
    return sum / squares;
}

/* The likelihood of decisions by s->scores for the folds that judge. */
static double kernel_ridge_judge(const struct kernel_ridge_search *s)
{
    kernel_ridge_count(s, s->scores);
    return decisions_likelihood(s->count, s->K, s->b->c);
}

/* How far decisions by these scores agree with the labels of the folds that judge. */
static double kernel_ridge_agreement(const struct kernel_ridge_search *s, const double *scores)
{
    const double unit = kernel_ridge_count(s, scores); /* as in em_weigh */
    for (int64_t cell = 0; cell < s->K * s->K; cell++)
        s->count[cell] *= unit;
    return chance_agreement(s->count, s->K);
}

/* Compare the decisions by s->b->p with those by these scores, in the folds that judge: both
 * likelihoods, lead and agreement of s->out.  0 or -1. */
static int kernel_ridge_compare(const struct kernel_ridge_search *s, const double *scores_of_ridge,
                                struct error *err)
{
    const struct kernel_ridge_basis *b = s->b;
    double *weight = memory_new(s->n, sizeof *weight, err); /* 0 but in the fold that judges */
    const struct decisions_scores scores = {.n = s->n,
                                            .K = s->K,
                                            .y = b->y,
                                            .weight = weight,
                                            .first = b->p,
                                            .second = scores_of_ridge};
    struct decisions_tally tally = {0};
    int status = 0;
    if (!weight)
        return -1;
    for (int64_t fold = 0; fold < s->judges; fold++) {
        for (int64_t i = 0; i < s->n; i++) {
            weight[i] = b->weight ? b->weight[i] : 1;
            if (b->fold[i] != fold)
                weight[i] = 0;
        }
        status = decisions_add(&scores, kernel_ridge_matrix(s, fold, KERNEL_RIDGE_SOFTMAX),
                               kernel_ridge_matrix(s, fold, KERNEL_RIDGE_OWN), &tally, err);
        if (status != 0)
            break;
    }
    memory_free(weight);
    if (status != 0)
        return -1;
    const struct decisions_result result = decisions_result(&tally);
    s->out->softmax_likelihood = result.first;
    s->out->likelihood = result.second;
    s->out->lead = result.lead;
    s->out->agreement = kernel_ridge_agreement(s, scores_of_ridge);
    return 0;
}

bool kernel_ridge_is_better(const struct kernel_ridge *ridge, double misfit)
{
    return ridge->likelihood > ridge->softmax_likelihood
           || (misfit > 0 && ridge->lead > -CROSSFIT_CLEAR);
}

/* The examples with the labels as they are read. */
struct kernel_ridge_examples {
    const struct kernel_ridge_search *s;
    const struct kernel_ridge_reading *reading; /* NULL: only features are wanted */
};

static void kernel_ridge_features(const void *context, int64_t i, double *phi)
{
    const struct kernel_ridge_examples *from = context;
    kernel_ridge_put_features(from->s, i, phi);
}

static double kernel_ridge_label(const void *context, int64_t i, double *target)
{
    const struct kernel_ridge_examples *from = context;
    const int64_t K = from->s->K;
    if (from->reading->target)
        memcpy(target, from->reading->target + i * K, (size_t)K * sizeof *target);
    else
        target[from->s->b->y[i]] = 1;
    return from->reading->weight[i];
}

int kernel_ridge_add_folds(struct kernel_ridge_search *s,
                           const struct kernel_ridge_reading *reading, bool keep_gram,
                           struct error *err)
{
    const struct kernel_ridge_examples from = {s, reading};
    const struct ridge_source source = {&from, kernel_ridge_features, kernel_ridge_label};
    return ridge_sum(&s->folds, &source, keep_gram, err);
}

int kernel_ridge_solve(struct ridge_folds *folds, int64_t left_out, double ridge, struct error *err)
{
    /* Features are at most 1 and weights 1 in the mean: up to some 5e5 examples the strongest ridge
     * is more than the error of their sums, even if all are alike (ridge_folds.h). */
    return ridge_solve_definite(folds, left_out, ridge, kernel_ridges[0], err);
}

void kernel_ridge_take_scores(void *context, int64_t i, double *scores)
{
    const struct kernel_ridge_search *s = context;
    memcpy(s->scores + i * s->K, scores, (size_t)s->K * sizeof *scores);
}

int kernel_ridge_score_fold(struct kernel_ridge_search *s, int64_t fold, double ridge,
                            ridge_take *take, struct error *err)
{
    const struct kernel_ridge_examples from = {s, NULL};
    const struct ridge_source source = {&from, kernel_ridge_features, NULL};
    if (kernel_ridge_solve(&s->folds, fold, ridge, err) != 0)
        return -1;
    return ridge_score(&s->folds, fold, &source, s->folds.w, s->K, take, s, err);
}

/* The scores of folds first .. last-1.  0 or -1. */
static int kernel_ridge_score(struct kernel_ridge_search *s, int64_t first, int64_t last,
                              double ridge, struct error *err)
{
    for (int64_t fold = first; fold < last; fold++)
        if (kernel_ridge_score_fold(s, fold, ridge, kernel_ridge_take_scores, err) != 0)
            return -1;
    return 0;
}

/* The scores of all examples, held out by the fine folds, if there are any.  reading: that of the
 * last sums.  0 or -1. */
static int kernel_ridge_score_all(struct kernel_ridge_search *s,
                                  const struct kernel_ridge_reading *reading, struct error *err)
{
    const struct kernel_ridge_examples from = {s, reading};
    const struct ridge_source source = {&from, kernel_ridge_features, kernel_ridge_label};
    if (!s->b->fine)
        return kernel_ridge_score(s, 0, FOLDS_DEFAULT, reading->ridge, err);
    ridge_deal(&s->folds, s->b->fine, s->n, FOLDS_FINE);
    for (int64_t fold = 0; fold < FOLDS_FINE; fold++)
        if (ridge_solve_without(&s->folds, fold, &source, reading->ridge, kernel_ridges[0], err)
                != 0
            || ridge_score(&s->folds, fold, &source, s->folds.w, s->K, kernel_ridge_take_scores, s,
                           err)
                   != 0)
            return -1;
    ridge_deal(&s->folds, s->b->fold, s->n, FOLDS_DEFAULT);
    return 0;
}

/* Regressions write s->scores.  Exchanged with s->best, what they have written last is kept without
 * a copy, and the next one overwrites what was the best before; exchanged back, the next one adds
 * the scores of other folds to what was kept. */
static void kernel_ridge_swap_scores(struct kernel_ridge_search *s)
{
    double *const swap = s->best;
    s->best = s->scores;
    s->scores = swap;
}

/* s->out->p by s->best, at the temperature that makes the labels likeliest.  0 or -1. */
static int kernel_ridge_calibrate(struct kernel_ridge_search *s, struct error *err)
{
    const struct kernel_ridge_basis *b = s->b;
    memory_free(s->out->p);
    s->out->p = em_calibrate(s->n, s->K, b->y, b->weight, b->threads, b->c, s->best,
                             &s->out->temperature, err);
    return s->out->p ? 0 : -1;
}

/* Choose r for a reading, trying none above `first`: reading->ridge, and its scores in s->best.  0
 * or -1. */
static int kernel_ridge_choose_ridge(struct kernel_ridge_search *s, double first,
                                     struct kernel_ridge_reading *reading, struct error *err)
{
    double best = -INFINITY;
    for (size_t r = 0; r < sizeof kernel_ridges / sizeof *kernel_ridges; r++) {
        if (kernel_ridges[r] > first)
            continue;
        if (kernel_ridge_score(s, 0, s->judges, kernel_ridges[r], err) != 0)
            return -1;
        const double likelihood = kernel_ridge_judge(s);
        if (!(likelihood > best))
            break;
        reading->ridge = kernel_ridges[r];
        best = likelihood;
        kernel_ridge_swap_scores(s);
    }
    kernel_ridge_swap_scores(s); /* the other folds are scored beside the best of the judges */
    if (kernel_ridge_score(s, s->judges, FOLDS_DEFAULT, reading->ridge, err) != 0)
        return -1;
    kernel_ridge_swap_scores(s);
    return 0;
}

/* Add half of the W that all examples of the last sums lead to.  w: in, out, as a model holds it.
 * 0 or -1. */
static int kernel_ridge_add_half(struct ridge_folds *folds, double ridge, struct weights *w,
                                 struct error *err)
{
    const int64_t K = folds->classes;
    if (kernel_ridge_solve(folds, FOLDS_ALL, ridge, err) != 0
        || weights_grow(w, folds->dims, err) != 0)
        return -1;
    for (int64_t j = 0; j < folds->dims; j++) {
        const double *row = folds->w + j * K;
        double *sum = w->w + (j + 1) * w->stride;
        for (int64_t k = 0; k < w->columns; k++)
            sum[k] += (w->columns == 1 ? row[1] - row[0] : row[k]) / 2;
    }
    return 0;
}

/* Regression 1: strict.ridge, and its scores in s->best.  0 or -1. */
static int kernel_ridge_regress_strictly(struct kernel_ridge_search *s, struct error *err)
{
    struct kernel_ridge *out = s->out;
    if (kernel_ridge_read_strictly(s, s->b->p, err) != 0
        || kernel_ridge_add_folds(s, &out->strict, false, err) != 0)
        return -1;
    return kernel_ridge_choose_ridge(s, INFINITY, &out->strict, err);
}

/* Regressions 2 and 3: half of W, and the probabilities.  0 or -1. */
static int kernel_ridge_regress_leniently(struct kernel_ridge_search *s, struct error *err)
{
    struct kernel_ridge *out = s->out;
    const double first = kernel_ridge_lenient_from * out->strict.ridge;
    const struct label_noise labels = kernel_ridge_noise(s->b, s->n, s->b->y, s->b->weight);
    kernel_ridge_read_leniently(&labels, NULL, out->p, true, &out->lenient);
    if (kernel_ridge_add_folds(s, &out->lenient, false, err) != 0
        || kernel_ridge_choose_ridge(s, first, &out->lenient, err) != 0
        || kernel_ridge_calibrate(s, err) != 0)
        return -1;
    kernel_ridge_read_leniently(&labels, NULL, out->p, false, &out->lenient);
    if (kernel_ridge_add_folds(s, &out->lenient, true, err) != 0
        || kernel_ridge_score_all(s, &out->lenient, err) != 0
        || kernel_ridge_add_half(&s->folds, out->lenient.ridge, &out->mean, err) != 0)
        return -1;
    kernel_ridge_swap_scores(s);
    return kernel_ridge_calibrate(s, err);
}

/* Regression 4: the other half of W, and the probabilities by the mean of 3 and 4.  0 or -1. */
static int kernel_ridge_regress_again(struct kernel_ridge_search *s, struct error *err)
{
    struct kernel_ridge *out = s->out;
    if (kernel_ridge_read_strictly(s, out->p, err) != 0
        || kernel_ridge_add_folds(s, &out->strict, false, err) != 0
        || kernel_ridge_score_all(s, &out->strict, err) != 0
        || kernel_ridge_add_half(&s->folds, out->strict.ridge, &out->mean, err) != 0)
        return -1;
    for (int64_t i = 0; i < s->n * s->K; i++)
        s->best[i] = (s->best[i] + s->scores[i]) / 2;
    return kernel_ridge_calibrate(s, err);
}

/* Map the examples, by the map that is given or one that is made.  0, FEATURE_MAP_UNFIT or -1. */
static int kernel_ridge_map(const struct kernel_ridge_basis *b, struct kernel_ridge *ridge,
                            struct error *err)
{
    if (!b->map) {
        if (!(ridge->map = memory_new(1, sizeof *ridge->map, err)))
            return -1;
        const int status = map_of_kernel(b->problem, b->dims, b->kernel, b->seed, b->threads,
                                         ridge->map, err);
        if (status != 0)
            return status;
    }
    return feature_map_problem(b->map ? b->map : ridge->map, b->problem, -1, b->threads,
                               &ridge->mapped, err);
}

static void kernel_ridge_free_search(struct kernel_ridge *ridge)
{
    struct kernel_ridge_search *s = ridge->search;
    if (!s)
        return;
    ridge_free(&s->folds);
    memory_free(s->scores);
    memory_free(s->best);
    memory_free(s->count);
    memory_free(s->matrix);
    memory_free(s);
    ridge->search = NULL;
    ridge->scores = NULL;
}

int kernel_ridge_begin(const struct kernel_ridge_basis *b, struct kernel_ridge *ridge,
                       struct error *err)
{
    const int64_t n = b->problem->n, K = b->classes;
    *ridge = (struct kernel_ridge){.mean = weights_make(weights_columns(K), 0)};
    struct kernel_ridge_search *s = ridge->search = memory_new(1, sizeof *s, err);
    if (!s)
        return -1;
    *s = (struct kernel_ridge_search){
        .b = b, .n = n, .K = K, .per_weight = label_weights_unit(b->weight, n), .out = ridge};
    const int status = kernel_ridge_map(b, ridge, err);
    if (status != 0)
        return status;
    if (ridge_start(&s->folds, n, ridge->mapped.d, K, b->threads, err) != 0
        || !(ridge->strict.weight = memory_new(n, sizeof(double), err))
        || !(ridge->lenient.weight = memory_new(n, sizeof(double), err))
        || !(ridge->lenient.target = memory_new(n * K, sizeof(double), err))
        || !(s->scores = memory_new(n * K, sizeof *s->scores, err))
        || !(s->best = memory_new(n * K, sizeof *s->best, err))
        || !(s->count = memory_new(K * K, sizeof *s->count, err)))
        return -1;
    ridge_deal(&s->folds, b->fold, n, FOLDS_DEFAULT);
    s->judges = crossfit_judges(b->fold, n);
    if (!(s->matrix = memory_new(s->judges * KERNEL_RIDGE_JUDGED * K * K, sizeof *s->matrix, err)))
        return -1;
    for (int64_t fold = 0; fold < s->judges; fold++)
        for (int judged = 0; judged < KERNEL_RIDGE_JUDGED; judged++)
            memcpy(kernel_ridge_matrix(s, fold, judged), b->c, (size_t)(K * K) * sizeof *b->c);
    if (kernel_ridge_regress_strictly(s, err) != 0
        || (b->rest && kernel_ridge_score_rests(s, err) != 0)
        || kernel_ridge_compare(s, b->rest ? s->scores : s->best, err) != 0)
        return -1;
    em_level_all(n, K, s->best);
    ridge->scores = s->best;
    return 0;
}

int kernel_ridge_finish(const struct kernel_ridge_basis *b, struct kernel_ridge *ridge,
                        struct error *err)
{
    struct kernel_ridge_search *s = ridge->search;
    s->b = b;
    if (kernel_ridge_calibrate(s, err) != 0 || kernel_ridge_regress_leniently(s, err) != 0
        || kernel_ridge_regress_again(s, err) != 0)
        return -1;
    kernel_ridge_free_search(ridge);
    return 0;
}

void kernel_ridge_leave(struct kernel_ridge *ridge)
{
    kernel_ridge_free_search(ridge);
    if (ridge->map)
        feature_map_free(ridge->map);
    memory_free(ridge->map);
    problem_free(&ridge->mapped);
    memory_free(ridge->strict.weight);
    memory_free(ridge->lenient.weight);
    memory_free(ridge->lenient.target);
    memory_free(ridge->p);
    ridge->map = NULL;
    ridge->strict.weight = ridge->lenient.weight = ridge->lenient.target = ridge->p = NULL;
}

double kernel_ridge_bytes(int64_t n, int64_t d, int64_t dims, int64_t classes)
{
    return 8 * (double)dims * (double)(dims + d)
           + problem_dense_bytes((double)n, (double)dims, false)
           + ridge_bytes(n, dims, classes)
           /* target, scores, best, those of a rest; both readings' weights; two decisions */
           + 8 * (double)n * (4 + 4 * (double)classes)
           + 8 * FOLDS_DEFAULT * KERNEL_RIDGE_JUDGED * (double)classes * (double)classes
           + em_bytes(n, classes);
}

void kernel_ridge_free(struct kernel_ridge *ridge)
{
    kernel_ridge_leave(ridge);
    weights_free(&ridge->mean);
    *ridge = (struct kernel_ridge){0};
}
