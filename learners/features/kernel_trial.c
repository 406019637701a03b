/* A map is made once for all ridges, and the sums of its folds with it (ridge_folds.h).  The
 * regressions of a fold stand side by side, so that one product has the scores of all ridges. */
#include "learners/features/kernel_trial.h"

#include "common/base/memory.h"
#include "common/base/random.h"
#include "common/data/paired.h"
#include "common/linear/weights.h"
#include "learners/features/map_kernel.h"
#include "learners/features/relevance.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Examples that a thread maps at once, and the depth of a product's step: FEATURE_MAP_BLOCK of
 * feature_map_state.h and DEPTH of dense_product.c, for the bytes of a trial. */
enum { TRIAL_MAPPED = 256 };

/* Of the unit of trial_gamma, and of the number of examples.  Rules of thumb: each gamma more costs
 * a map and its sums, each ridge more a solution, and the range is to hold what data ask for. */
static const double trial_gamma_units[] = {0.5, 1, 2, 4, 8, 16};
static const double trial_ridges[TRIAL_RIDGES] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6};

/* ---- losses ---- */

int trial_losses_make(int64_t n, struct trial_losses *losses, struct error *err)
{
    *losses = (struct trial_losses){0};
    return (losses->error = memory_new(n, sizeof(double), err))
                   && (losses->wrong = memory_new(n, sizeof(double), err))
               ? 0
               : -1;
}

void trial_losses_swap(struct trial_losses *a, struct trial_losses *b)
{
    const struct trial_losses swap = *a;
    *a = *b;
    *b = swap;
}

void trial_losses_free(struct trial_losses *losses)
{
    memory_free(losses->error);
    memory_free(losses->wrong);
}

double trial_lead(const double *first, const double *second, int64_t n)
{
    struct paired lead = {0};
    for (int64_t i = 0; i < n; i++)
        paired_add(&lead, first[i] - second[i]);
    return paired_errors(&lead);
}

/* ---- examples ---- */

int trial_start(struct trial *t, int64_t n, int64_t dims, int64_t classes, struct error *err)
{
    const int64_t columns = TRIAL_RIDGES * classes;
    if (ridge_start(&t->ridge, n, dims, classes, t->threads, err) != 0
        || !(t->y = memory_new(n, sizeof *t->y, err))
        || !(t->weight = memory_new(n, sizeof *t->weight, err))
        || !(t->fold = memory_new(n, sizeof *t->fold, err))
        || !(t->phi = memory_new(n * dims, sizeof *t->phi, err))
        || !(t->systems = memory_new(TRIAL_RIDGES * dims * dims, sizeof *t->systems, err))
        || !(t->solutions = memory_new(dims * columns, sizeof *t->solutions, err))
        || !(t->w = memory_new(dims * columns, sizeof *t->w, err)))
        return -1;
    for (int r = 0; r < TRIAL_RIDGES; r++)
        if (trial_losses_make(n, &t->losses[r], err) != 0)
            return -1;
    return 0;
}

void trial_free(struct trial *t)
{
    problem_free(&t->problem);
    memory_free(t->y);
    memory_free(t->weight);
    memory_free(t->fold);
    memory_free(t->phi);
    ridge_free(&t->ridge);
    memory_free(t->systems);
    memory_free(t->solutions);
    memory_free(t->w);
    for (int r = 0; r < TRIAL_RIDGES; r++)
        trial_losses_free(&t->losses[r]);
}

double trial_bytes(const struct problem *problem, int64_t dims, int64_t classes, int threads)
{
    const double D = (double)dims, d = (double)problem->d, n = (double)problem->n,
                 columns = TRIAL_RIDGES * (double)classes, row = (double)problem->nnz / n,
                 map = 8 * D * (D + 2 * d) + problem_bytes(D, D * row, false),
                 mapping = 16 * D * TRIAL_MAPPED * threads, products = 16 * D * TRIAL_MAPPED;
    return problem_bytes(n, (double)problem->nnz, false) + n * (20 + 4 * D + 16 * TRIAL_RIDGES)
           + ridge_bytes(problem->n, dims, classes) + map + mapping + products
           + 8 * (TRIAL_RIDGES * D * D + columns * (2 * D + RIDGE_BLOCK));
}

int trial_draw(struct trial *t, const struct trial_examples *from, int64_t n, bool at_length,
               struct error *err)
{
    int64_t *chosen = t->fold; /* until their folds are there */
    struct random g = random_seeded((uint64_t)t->seed, RANDOM_SAMPLE);
    double total = 0;
    random_sample(&g, from->problem->n, n, chosen);
    problem_clear(&t->problem);
    for (int64_t to = 0; to < n; to++) {
        const int64_t i = chosen[to];
        if (problem_append_from(&t->problem, from->problem, i, at_length, err) != 0)
            return -1;
        t->y[to] = from->y[i];
        t->weight[to] = from->weight ? from->weight[i] : 1;
        t->fold[to] = from->fold[i];
        total += t->weight[to];
    }
    assert(total > 0);
    for (int64_t i = 0; i < n; i++)
        t->weight[i] *= (double)n / total;
    ridge_deal(&t->ridge, t->fold, n, FOLDS_DEFAULT);
    return 0;
}

/* ---- maps ---- */

struct trial_metrics trial_metrics_alike(const struct feature_metric *metric)
{
    struct trial_metrics metrics;
    for (int64_t set = 0; set < TRIAL_SETS; set++)
        metrics.of[set] = metric;
    return metrics;
}

struct trial_metrics trial_metrics_each(const struct feature_metric metric[TRIAL_SETS])
{
    struct trial_metrics metrics;
    for (int64_t set = 0; set < TRIAL_SETS; set++)
        metrics.of[set] = &metric[set];
    return metrics;
}

size_t trial_gammas(void)
{
    return sizeof trial_gamma_units / sizeof *trial_gamma_units;
}

int trial_gamma(const struct trial *t, const struct feature_metric *metric, size_t g, double *gamma,
                struct error *err)
{
    struct feature_map usual = feature_map_make(FEATURE_MAP_NYSTROM, 1, 0, t->seed);
    int status = metric ? feature_map_look(&usual, metric, err) : 0;
    if (status == 0)
        status = feature_map_fit(&usual, &t->problem, err);
    *gamma = trial_gamma_units[g] * usual.gamma / 2;
    feature_map_free(&usual);
    if (status != 0 || (*gamma >= FEATURE_MAP_LEAST_GAMMA && *gamma <= FEATURE_MAP_MOST_GAMMA))
        return status;
    error_set(err, "the features vary too little or too much for a kernel");
    return FEATURE_MAP_UNFIT;
}

static void trial_features(const void *context, int64_t i, double *phi)
{
    const struct trial *t = context;
    const int64_t D = t->ridge.dims;
    for (int64_t j = 0; j < D; j++)
        phi[j] = (double)t->phi[i * D + j];
}

static double trial_label(const void *context, int64_t i, double *target)
{
    const struct trial *t = context;
    target[t->y[i]] = 1;
    return t->weight[i];
}

static struct ridge_source trial_source(const struct trial *t)
{
    return (struct ridge_source){t, trial_features, trial_label};
}

int trial_fit(struct trial *t, const struct feature_metric *metric, size_t g,
              struct feature_map *map, struct error *err)
{
    struct map_kernel kernel = {.metric = metric};
    int status = trial_gamma(t, metric, g, &kernel.gamma, err);
    if (status == 0)
        status = map_of_kernel(&t->problem, t->ridge.dims, kernel, t->seed, t->threads, map, err);
    if (status != 0)
        return status;
    assert(map->dims == t->ridge.dims);
    t->dense = relevance_exists(map);
    const struct ridge_source source = trial_source(t);
    if (feature_map_table(map, &t->problem, t->phi, t->threads, err) == 0
        && ridge_sum(&t->ridge, &source, false, err) == 0)
        return 0;
    feature_map_free(map);
    return -1;
}

/* trial_fit with the metric of a fold, unless the fold before has the same. */
static int trial_fit_fold(struct trial *t, const struct trial_metrics *metrics, int64_t fold,
                          size_t g, struct error *err)
{
    const struct feature_metric *const *metric = metrics->of + fold;
    struct feature_map map;
    if (fold > 0 && metric[0] == metric[-1])
        return 0;
    const int status = trial_fit(t, *metric, g, &map, err);
    if (status == 0)
        feature_map_free(&map);
    return status;
}

/* ---- judging ---- */

int trial_solve(struct trial *t, int64_t left_out, double ridge, struct error *err)
{
    /* Features are at most 1 and weights 1 in the mean: no eigenvalue of G exceeds n. */
    const double n = (double)t->problem.n;
    return ridge_solve_definite(&t->ridge, left_out, ridge * n, trial_ridges[0] * n, err);
}

/* t->w without a fold.  0 or -1. */
static int trial_regress(struct trial *t, int64_t fold, struct error *err)
{
    const int64_t D = t->ridge.dims, K = t->ridge.classes;
    const double n = (double)t->problem.n;
    double ridge[TRIAL_RIDGES];
    for (int64_t r = 0; r < TRIAL_RIDGES; r++)
        ridge[r] = trial_ridges[r] * n;
    if (ridge_solve_each(&t->ridge, fold, ridge, TRIAL_RIDGES, ridge[0], t->systems, t->solutions,
                         err)
        != 0)
        return -1;
    for (int64_t r = 0; r < TRIAL_RIDGES; r++)
        for (int64_t j = 0; j < D; j++)
            memcpy(t->w + (j * TRIAL_RIDGES + r) * K, t->solutions + (r * D + j) * K,
                   (size_t)K * sizeof *t->w);
    return 0;
}

/* The losses of an example.  scores: K for each ridge; destroyed. */
static void trial_lose(void *context, int64_t i, double *scores)
{
    struct trial *t = context;
    const int64_t K = t->ridge.classes;
    for (int r = 0; r < TRIAL_RIDGES; r++) {
        double *score = scores + r * K, sum = 0;
        t->losses[r].wrong[i] = weights_best(score, K) == t->y[i] ? 0 : t->weight[i];
        score[t->y[i]] -= 1;
        for (int64_t k = 0; k < K; k++)
            sum += score[k] * score[k];
        t->losses[r].error[i] = t->weight[i] * sum;
    }
}

int trial_judge(struct trial *t, const struct trial_metrics *metrics, size_t g,
                struct trial_result *result, struct trial_losses **losses, struct error *err)
{
    const struct ridge_source source = trial_source(t);
    for (int64_t fold = 0; fold < FOLDS_DEFAULT; fold++) {
        const int status = trial_fit_fold(t, metrics, fold, g, err);
        if (status != 0)
            return status;
        if (trial_regress(t, fold, err) != 0
            || ridge_score(&t->ridge, fold, &source, t->w, TRIAL_RIDGES * t->ridge.classes,
                           trial_lose, t, err)
                   != 0)
            return -1;
    }
    *result = (struct trial_result){.g = g, .error = INFINITY};
    for (int r = 0; r < TRIAL_RIDGES; r++) {
        double error = 0;
        for (int64_t i = 0; i < t->problem.n; i++)
            error += t->losses[r].error[i];
        if (error < result->error) {
            result->ridge = trial_ridges[r];
            result->error = error;
            *losses = &t->losses[r];
        }
    }
    return 0;
}
