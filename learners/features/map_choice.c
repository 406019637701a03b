/* Gammas are tried from the smoothest kernel on, until the error has grown twice: a kernel that is
 * too narrow costs most. */
#include "learners/features/map_choice.h"

#include "common/base/memory.h"
#include "common/linalg/dense.h"
#include "learners/features/ridge_folds.h"

#include <math.h>
#include <string.h>

enum {
    CHOICE_DIMS = 500, /* of a map that is tried: with fewer too smooth a kernel looks best */
    CHOICE_WORSE = 2   /* gammas in a row whose error is larger than the best */
};
static const double choice_gammas[] = {0.5, 1, 2, 4, 8, 16};
static const double choice_ridges[] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6};

struct choice {
    const struct problem *problem;
    const int32_t *y;
    const double *weight; /* n; NULL: 1 */
    double total;         /* of these */
    int threads;
    float *phi; /* n x dims */
    struct ridge_folds ridge;
    double *product; /* dims x classes, workspace */
};

static double choice_weight(const struct choice *c, int64_t i)
{
    return c->weight ? c->weight[i] : 1;
}

/* The sums of all folds.  0 or -1. */
static int choice_add_folds(struct choice *c, struct error *err)
{
    const int64_t D = c->ridge.dims, n = c->problem->n;
    for (int64_t fold = 0; fold < RIDGE_FOLDS; fold++) {
        ridge_open(&c->ridge, fold);
        for (int64_t i = fold; i < n; i += RIDGE_FOLDS) {
            double *phi = ridge_next(&c->ridge, c->y[i], choice_weight(c, i), err);
            if (!phi)
                return -1;
            for (int64_t j = 0; j < D; j++)
                phi[j] = (double)c->phi[i * D + j];
        }
        if (ridge_close(&c->ridge, err) != 0)
            return -1;
    }
    return 0;
}

/* The squared error of a fold by what the others say with this ridge.  0 or -1. */
static int choice_judge_fold(struct choice *c, int64_t fold, double ridge, double *error,
                             struct error *err)
{
    struct ridge_folds *r = &c->ridge;
    const int64_t D = r->dims, K = r->classes, n = c->problem->n;
    const int status = ridge_solve(r, fold, ridge * c->total, err);
    if (status == DENSE_INDEFINITE) {
        *error = INFINITY;
        return 0;
    }
    if (status != 0
        || dense_product(D, K, D, r->gram[fold], r->w, c->product, c->threads, err) != 0)
        return -1;
    *error = 0;
    for (int64_t i = fold; i < n; i += RIDGE_FOLDS)
        *error += choice_weight(c, i);
    for (int64_t i = 0; i < D * K; i++)
        *error += r->w[i] * (c->product[i] - 2 * r->right[fold][i]);
    return 0;
}

/* The least squared error over the ridges of a map.  0 or -1. */
static int choice_judge(struct choice *c, struct feature_map *map, double *least, struct error *err)
{
    if (feature_map_table(map, c->problem, c->phi, c->threads, err) != 0
        || choice_add_folds(c, err) != 0)
        return -1;
    *least = INFINITY;
    for (size_t r = 0; r < sizeof choice_ridges / sizeof *choice_ridges; r++) {
        double sum = 0, error;
        for (int64_t fold = 0; fold < RIDGE_FOLDS; fold++) {
            if (choice_judge_fold(c, fold, choice_ridges[r], &error, err) != 0)
                return -1;
            sum += error;
        }
        *least = sum < *least ? sum : *least;
    }
    return 0;
}

static void choice_free(struct choice *c)
{
    memory_free(c->phi);
    ridge_free(&c->ridge);
    memory_free(c->product);
}

static int choice_start(struct choice *c, int64_t dims, int64_t classes, struct error *err)
{
    return ridge_start(&c->ridge, dims, classes, c->threads, err) == 0
                   && (c->phi = memory_new(c->problem->n * dims, sizeof *c->phi, err))
                   && (c->product = memory_new(dims * classes, sizeof(double), err))
               ? 0
               : -1;
}

int map_of_gamma(const struct problem *problem, int64_t dims, double gamma, int64_t seed,
                 int threads, struct feature_map *map, struct error *err)
{
    *map = feature_map_make(FEATURE_MAP_NYSTROM, dims, gamma, seed);
    int status = feature_map_fit(map, problem, err);
    if (status == 0)
        status = feature_map_prepare(map, threads, err);
    if (status != 0)
        feature_map_free(map);
    return status;
}

/* The least squared error over the ridges of the map of this gamma.  0, FEATURE_MAP_UNFIT or -1. */
static int choice_judge_gamma(struct choice *c, double gamma, int64_t seed, double *least,
                              struct error *err)
{
    struct feature_map map;
    int status = map_of_gamma(c->problem, c->ridge.dims, gamma, seed, c->threads, &map, err);
    if (status != 0)
        return status;
    status = choice_judge(c, &map, least, err);
    feature_map_free(&map);
    return status;
}

/* The best gamma.  0, FEATURE_MAP_UNFIT or -1. */
static int choice_search(struct choice *c, double unit, int64_t seed, double *gamma,
                         struct error *err)
{
    const size_t count = sizeof choice_gammas / sizeof *choice_gammas;
    double best = INFINITY;
    int worse = 0;
    for (size_t g = 0; g < count && worse < CHOICE_WORSE; g++) {
        const double trial = choice_gammas[g] * unit;
        double error;
        if (trial < FEATURE_MAP_LEAST_GAMMA || trial > FEATURE_MAP_MOST_GAMMA)
            continue;
        const int status = choice_judge_gamma(c, trial, seed, &error, err);
        if (status != 0)
            return status;
        worse++;
        if (error < best) {
            best = error;
            *gamma = trial;
            worse = 0;
        }
    }
    return 0;
}

int map_choose(const struct problem *problem, const int32_t *y, const double *weight,
               int64_t classes, int64_t dims, int64_t seed, int threads, struct feature_map *map,
               struct error *err)
{
    struct choice c = {.problem = problem, .y = y, .weight = weight, .threads = threads};
    /* 1 / sum_j var x_j is what a map without a gamma gets. */
    struct feature_map usual = feature_map_make(FEATURE_MAP_NYSTROM, 1, 0, seed);
    double gamma = 0;
    for (int64_t i = 0; i < problem->n; i++)
        c.total += choice_weight(&c, i);
    int status = feature_map_fit(&usual, problem, err);
    const double unit = usual.gamma / 2;
    feature_map_free(&usual);
    if (status == 0
        && (status = choice_start(&c, dense_least(dims, CHOICE_DIMS), classes, err)) == 0)
        status = choice_search(&c, unit, seed, &gamma, err);
    choice_free(&c);
    if (status != 0)
        return status;
    return map_of_gamma(problem, dims, gamma, seed, threads, map, err);
}

double map_choice_bytes(int64_t n, int64_t d, int64_t classes)
{
    const double dims = CHOICE_DIMS;
    return 4 * (double)n * dims + ridge_bytes(CHOICE_DIMS, classes)
           + 8 * dims * (double)(d + classes);
}
