/* Gammas are tried from the smoothest kernel on, until the error has grown twice: a kernel that is
 * too narrow costs most.  Few examples choose between the two lengths, and find a gamma.  The best
 * for all examples is not far from it: the search with all of them begins one before it. */
#include "learners/features/map_choice.h"

#include "common/base/memory.h"
#include "common/linalg/dense.h"
#include "learners/features/ridge_folds.h"

#include <math.h>
#include <string.h>

enum {
    CHOICE_FEW = 4000, /* examples that say where to begin */
    CHOICE_DIMS = 500, /* of a map that is tried: with fewer too smooth a kernel looks best */
    CHOICE_WORSE = 2   /* gammas in a row whose error is larger than the best */
};
static const double choice_gammas[] = {0.5, 1, 2, 4, 8, 16};
static const double choice_ridges[] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6};

struct choice {
    struct problem problem; /* the n examples that choose */
    int32_t *y;             /* n */
    double *weight;         /* n */
    double total;           /* of these */
    int threads;
    float *phi; /* n x dims */
    struct ridge_folds ridge;
    double *product; /* dims x classes, workspace */
};

/* The sums of all folds.  0 or -1. */
static int choice_add_folds(struct choice *c, struct error *err)
{
    const int64_t D = c->ridge.dims, n = c->problem.n;
    for (int64_t fold = 0; fold < RIDGE_FOLDS; fold++) {
        ridge_open(&c->ridge, fold);
        for (int64_t i = fold; i < n; i += RIDGE_FOLDS) {
            double *target, *phi = ridge_next(&c->ridge, c->weight[i], &target, err);
            if (!phi)
                return -1;
            target[c->y[i]] = 1;
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
    const int64_t D = r->dims, K = r->classes, n = c->problem.n;
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
        *error += c->weight[i];
    for (int64_t i = 0; i < D * K; i++)
        *error += r->w[i] * (c->product[i] - 2 * r->right[fold][i]);
    return 0;
}

/* The least squared error over the ridges of a map.  0 or -1. */
static int choice_judge(struct choice *c, struct feature_map *map, double *least, struct error *err)
{
    if (feature_map_table(map, &c->problem, c->phi, c->threads, err) != 0
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
    problem_free(&c->problem);
    memory_free(c->y);
    memory_free(c->weight);
    memory_free(c->phi);
    ridge_free(&c->ridge);
    memory_free(c->product);
}

static int choice_start(struct choice *c, int64_t n, int64_t dims, int64_t classes,
                        struct error *err)
{
    return ridge_start(&c->ridge, dims, classes, c->threads, err) == 0
                   && (c->y = memory_new(n, sizeof *c->y, err))
                   && (c->weight = memory_new(n, sizeof *c->weight, err))
                   && (c->phi = memory_new(n * dims, sizeof *c->phi, err))
                   && (c->product = memory_new(dims * classes, sizeof(double), err))
               ? 0
               : -1;
}

/* Draw n examples, every so many-th, as they are or at the lengths they had.  0 or -1. */
static int choice_draw(struct choice *c, const struct problem *from, const int32_t *y,
                       const double *weight, int64_t n, bool at_length, struct error *err)
{
    problem_clear(&c->problem);
    c->total = 0;
    for (int64_t t = 0; t < n; t++) {
        const int64_t i = t * from->n / n;
        if (problem_append_from(&c->problem, from, i, at_length, err) != 0)
            return -1;
        c->y[t] = y[i];
        c->weight[t] = weight ? weight[i] : 1;
        c->total += c->weight[t];
    }
    return 0;
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
    int status = map_of_gamma(&c->problem, c->ridge.dims, gamma, seed, c->threads, &map, err);
    if (status != 0)
        return status;
    status = choice_judge(c, &map, least, err);
    feature_map_free(&map);
    return status;
}

struct choice_best {
    size_t g; /* of choice_gammas, in units of the examples that chose */
    double gamma, error;
};

/* The gamma with the least squared error, from number `first` on.  0, FEATURE_MAP_UNFIT or -1. */
static int choice_search(struct choice *c, int64_t seed, size_t first, struct choice_best *best,
                         struct error *err)
{
    const size_t count = sizeof choice_gammas / sizeof *choice_gammas;
    /* 1 / sum_j var x_j is what a map without a gamma gets. */
    struct feature_map usual = feature_map_make(FEATURE_MAP_NYSTROM, 1, 0, seed);
    const int fitted = feature_map_fit(&usual, &c->problem, err);
    const double unit = usual.gamma / 2;
    int worse = 0;
    feature_map_free(&usual);
    *best = (struct choice_best){.error = INFINITY};
    if (fitted != 0)
        return fitted;
    for (size_t g = first; g < count && worse < CHOICE_WORSE; g++) {
        const double trial = choice_gammas[g] * unit;
        double error;
        if (trial < FEATURE_MAP_LEAST_GAMMA || trial > FEATURE_MAP_MOST_GAMMA)
            continue;
        const int status = choice_judge_gamma(c, trial, seed, &error, err);
        if (status != 0)
            return status;
        worse++;
        if (error < best->error) {
            *best = (struct choice_best){g, trial, error};
            worse = 0;
        }
    }
    return 0;
}

int map_choose(const struct problem *problem, const int32_t *y, const double *weight,
               int64_t classes, int64_t dims, int64_t seed, int threads, struct feature_map *map,
               struct problem *raw, struct error *err)
{
    const int64_t n = problem->n, few = dense_least(n, CHOICE_FEW);
    struct choice c = {.threads = threads};
    struct choice_best best = {.error = INFINITY}, other = best;
    int status = choice_start(&c, n, dense_least(dims, CHOICE_DIMS), classes, err);
    if (status == 0 && (status = choice_draw(&c, problem, y, weight, few, false, err)) == 0)
        status = choice_search(&c, seed, 0, &best, err);
    if (status != -1 && problem->keeps_lengths
        && (status = choice_draw(&c, problem, y, weight, few, true, err)) == 0)
        status = choice_search(&c, seed, 0, &other, err);
    /* One of the two will do. */
    if (status == FEATURE_MAP_UNFIT && isfinite(best.error))
        status = 0;
    /* Lengths of 1 but for rounding are no choice. */
    const bool at_length = status == 0 && other.error < (1 - 1e-6) * best.error;
    if (at_length)
        best = other;
    if (status == 0 && few < n
        && (status = choice_draw(&c, problem, y, weight, n, at_length, err)) == 0)
        status = choice_search(&c, seed, best.g > 0 ? best.g - 1 : 0, &best, err);
    if (at_length) { /* then all examples were drawn last, at their lengths */
        *raw = c.problem;
        c.problem = (struct problem){0};
    }
    choice_free(&c);
    return status != 0
               ? status
               : map_of_gamma(at_length ? raw : problem, dims, best.gamma, seed, threads, map, err);
}

double map_choice_bytes(const struct problem *problem, int64_t classes)
{
    const double dims = CHOICE_DIMS, n = (double)problem->n;
    return problem_bytes(n, (double)problem->nnz, false) + n * (12 + 4 * dims)
           + ridge_bytes(CHOICE_DIMS, classes) + 8 * dims * (double)(problem->d + classes);
}
