/* Gammas are tried from the smoothest kernel on, until the error has grown twice: a kernel that is
 * too narrow costs most.  Folds are every third example: the labels of a file may be sorted, the
 * features of neighbours hardly are. */
#include "learners/features/map_choice.h"

#include "common/base/memory.h"
#include "common/linalg/dense.h"

#include <math.h>
#include <string.h>

enum {
    CHOICE_FOLDS = 3,
    CHOICE_DIMS = 500,  /* of a map that is tried: with fewer too smooth a kernel looks best */
    CHOICE_BLOCK = 256, /* examples whose products are added at once */
    CHOICE_WORSE = 2    /* gammas in a row whose error is larger than the best */
};
static const double choice_gammas[] = {0.5, 1, 2, 4, 8, 16};
static const double choice_ridges[] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6};

struct choice {
    const struct problem *problem;
    const int32_t *y;
    int64_t classes, dims;
    int threads;
    float *phi;                   /* n x dims */
    double *gram[CHOICE_FOLDS];   /* dims x dims */
    double *right[CHOICE_FOLDS];  /* dims x classes: R */
    double count[CHOICE_FOLDS];   /* of examples: |Y_f|^2 */
    double *block, *labels;       /* CHOICE_BLOCK x dims, CHOICE_BLOCK x classes */
    double *system, *w, *product; /* dims x dims; dims x classes, twice */
};

/* G and R of one fold. */
static int choice_add_fold(struct choice *c, int64_t fold, struct error *err)
{
    const int64_t D = c->dims, K = c->classes, n = c->problem->n;
    memset(c->gram[fold], 0, (size_t)(D * D) * sizeof(double));
    memset(c->right[fold], 0, (size_t)(D * K) * sizeof(double));
    c->count[fold] = 0;
    for (int64_t i = fold; i < n;) {
        int64_t rows = 0;
        memset(c->labels, 0, (size_t)(CHOICE_BLOCK * K) * sizeof(double));
        for (; i < n && rows < CHOICE_BLOCK; i += CHOICE_FOLDS, rows++) {
            for (int64_t j = 0; j < D; j++)
                c->block[rows * D + j] = (double)c->phi[i * D + j];
            c->labels[rows * K + c->y[i]] = 1;
        }
        c->count[fold] += (double)rows;
        const struct dense_view transposed = {c->block, 1, D};
        if (dense_add_product(D, D, rows, 1, transposed, (struct dense_view){c->block, D, 1},
                              c->gram[fold], D, c->threads, err)
                != 0
            || dense_add_product(D, K, rows, 1, transposed, (struct dense_view){c->labels, K, 1},
                                 c->right[fold], K, c->threads, err)
                   != 0)
            return -1;
    }
    return 0;
}

/* The squared error of a fold by what the others say with this ridge.  0 or -1. */
static int choice_judge_fold(struct choice *c, int64_t fold, double ridge, double *error,
                             struct error *err)
{
    const int64_t D = c->dims, K = c->classes;
    memset(c->system, 0, (size_t)(D * D) * sizeof(double));
    memset(c->w, 0, (size_t)(D * K) * sizeof(double));
    for (int64_t other = 0; other < CHOICE_FOLDS; other++) {
        if (other == fold)
            continue;
        for (int64_t i = 0; i < D * D; i++)
            c->system[i] += c->gram[other][i];
        for (int64_t i = 0; i < D * K; i++)
            c->w[i] += c->right[other][i];
    }
    for (int64_t i = 0; i < D; i++)
        c->system[i * D + i] += ridge * (double)c->problem->n;
    const int status = dense_cholesky(D, c->system, c->threads, err);
    if (status == DENSE_INDEFINITE) {
        *error = INFINITY;
        return 0;
    }
    if (status != 0 || dense_cholesky_solve(D, K, c->system, c->w, c->threads, err) != 0
        || dense_product(D, K, D, c->gram[fold], c->w, c->product, c->threads, err) != 0)
        return -1;
    *error = c->count[fold];
    for (int64_t i = 0; i < D * K; i++)
        *error += c->w[i] * (c->product[i] - 2 * c->right[fold][i]);
    return 0;
}

/* The least squared error over the ridges of a map.  0 or -1. */
static int choice_judge(struct choice *c, struct feature_map *map, double *least, struct error *err)
{
    if (feature_map_table(map, c->problem, c->phi, c->threads, err) != 0)
        return -1;
    for (int64_t fold = 0; fold < CHOICE_FOLDS; fold++)
        if (choice_add_fold(c, fold, err) != 0)
            return -1;
    *least = INFINITY;
    for (size_t r = 0; r < sizeof choice_ridges / sizeof *choice_ridges; r++) {
        double sum = 0, error;
        for (int64_t fold = 0; fold < CHOICE_FOLDS; fold++) {
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
    for (int64_t fold = 0; fold < CHOICE_FOLDS; fold++) {
        memory_free(c->gram[fold]);
        memory_free(c->right[fold]);
    }
    memory_free(c->block);
    memory_free(c->labels);
    memory_free(c->system);
    memory_free(c->w);
    memory_free(c->product);
}

static int choice_start(struct choice *c, struct error *err)
{
    const int64_t D = c->dims, K = c->classes;
    for (int64_t fold = 0; fold < CHOICE_FOLDS; fold++)
        if (!(c->gram[fold] = memory_new(D * D, sizeof(double), err))
            || !(c->right[fold] = memory_new(D * K, sizeof(double), err)))
            return -1;
    if (!(c->phi = memory_new(c->problem->n * D, sizeof *c->phi, err))
        || !(c->block = memory_new(CHOICE_BLOCK * D, sizeof(double), err))
        || !(c->labels = memory_new(CHOICE_BLOCK * K, sizeof(double), err))
        || !(c->system = memory_new(D * D, sizeof(double), err))
        || !(c->w = memory_new(D * K, sizeof(double), err))
        || !(c->product = memory_new(D * K, sizeof(double), err)))
        return -1;
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
    int status = map_of_gamma(c->problem, c->dims, gamma, seed, c->threads, &map, err);
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

int map_choose(const struct problem *problem, const int32_t *y, int64_t classes, int64_t dims,
               int64_t seed, int threads, struct feature_map *map, struct error *err)
{
    struct choice c = {.problem = problem,
                       .y = y,
                       .classes = classes,
                       .dims = dense_least(dims, CHOICE_DIMS),
                       .threads = threads};
    /* 1 / sum_j var x_j is what a map without a gamma gets. */
    struct feature_map usual = feature_map_make(FEATURE_MAP_NYSTROM, 1, 0, seed);
    double gamma = 0;
    int status = feature_map_fit(&usual, problem, err);
    const double unit = usual.gamma / 2;
    feature_map_free(&usual);
    if (status == 0 && (status = choice_start(&c, err)) == 0)
        status = choice_search(&c, unit, seed, &gamma, err);
    choice_free(&c);
    if (status != 0)
        return status;
    return map_of_gamma(problem, dims, gamma, seed, threads, map, err);
}

double map_choice_bytes(int64_t n, int64_t d, int64_t classes)
{
    const double dims = CHOICE_DIMS, cells = dims * (double)classes;
    return 4 * (double)n * dims
           + 8 * ((CHOICE_FOLDS + 2) * dims * dims + (CHOICE_FOLDS + 2) * cells)
           + 8 * CHOICE_BLOCK * (dims + (double)classes) + 8 * dims * (double)d;
}
