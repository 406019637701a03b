/* Gammas are tried from the smoothest kernel on, until the error has grown twice: a kernel that is
 * too narrow costs most.  Few examples choose between the two lengths and the scales, and find a
 * gamma.  The best for all examples is not far from it: the search with all of them begins one
 * before it. */
#include "learners/features/map_choice.h"

#include "common/base/memory.h"
#include "common/base/parallel.h"
#include "common/linalg/dense.h"
#include "common/linear/weights.h"
#include "learners/features/relevance.h"
#include "learners/features/ridge_folds.h"

#include <math.h>
#include <string.h>

enum {
    CHOICE_FEW = 2000,  /* examples that say where to begin */
    CHOICE_DIMS = 500,  /* of a map that is tried: with fewer too smooth a kernel looks best */
    CHOICE_WORSE = 2,   /* gammas in a row whose error is larger than the best */
    CHOICE_SLOPES = 500 /* examples at most, at which derivatives are taken */
};
static const double choice_gammas[] = {0.5, 1, 2, 4, 8, 16};
static const double choice_ridges[] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6};
enum { CHOICE_RIDGES = sizeof choice_ridges / sizeof *choice_ridges };

/* By how many standard errors of the difference an error must be less.  A narrower kernel, as for a
 * smaller lambda (crossfit.h): of two with nearly the same squared error the smoother one is right
 * more often (1200 lines of letter: 83.1 % in place of 80.4).  Scales, which are as many numbers as
 * there are features: on tables and mixtures of 300 to 1500 lines, those ahead by 1.3 to 2 gained 2
 * to 7 points, and some ahead by .6 and 1.0 lost 22 and 7.  More classes must be right, too: else
 * scales lost up to 3 points, on images and ordered classes. */
static const double choice_narrower_ahead = 0.5, choice_scales_ahead = 1, choice_right_ahead = 0.5;

/* Factors of the data's features, d each: [fold] without that fold, [CHOICE_ALL] by all examples.
 * NULL: all are 1. */
enum { CHOICE_ALL = RIDGE_FOLDS, CHOICE_SETS };
struct choice_scales {
    const double *of[CHOICE_SETS];
};

/* The searches whose errors are kept. */
enum { CHOICE_PLAIN, CHOICE_AT_LENGTH, CHOICE_DEVIATION, CHOICE_RELEVANCE, CHOICE_SEARCHES };

/* Of each example by the other folds, n each: the squared error; the weight, if another class has
 * the largest score, else 0. */
struct choice_losses {
    double *error, *wrong;
};

struct choice {
    struct problem problem; /* the n examples that choose */
    int32_t *y;             /* n */
    double *weight;         /* n */
    double total;           /* of these */
    int64_t d, seed;        /* features of all examples; of the landmarks */
    int threads;
    bool dense; /* the landmarks of the last map are not sparse */
    float *phi; /* n x dims */
    struct ridge_folds ridge;
    double *product; /* dims x classes, workspace */

    /* Of the trial at hand, and of the best of a search. */
    struct choice_losses trial, losses[CHOICE_SEARCHES];
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

static int choice_make_losses(int64_t n, struct choice_losses *losses, struct error *err)
{
    return (losses->error = memory_new(n, sizeof(double), err))
                   && (losses->wrong = memory_new(n, sizeof(double), err))
               ? 0
               : -1;
}

static void choice_free_losses(struct choice_losses *losses)
{
    memory_free(losses->error);
    memory_free(losses->wrong);
}

static void choice_free(struct choice *c)
{
    problem_free(&c->problem);
    memory_free(c->y);
    memory_free(c->weight);
    memory_free(c->phi);
    ridge_free(&c->ridge);
    memory_free(c->product);
    choice_free_losses(&c->trial);
    for (int search = 0; search < CHOICE_SEARCHES; search++)
        choice_free_losses(&c->losses[search]);
}

static int choice_start(struct choice *c, int64_t n, int64_t dims, int64_t classes,
                        struct error *err)
{
    if (ridge_start(&c->ridge, dims, classes, c->threads, err) != 0
        || !(c->y = memory_new(n, sizeof *c->y, err))
        || !(c->weight = memory_new(n, sizeof *c->weight, err))
        || !(c->phi = memory_new(n * dims, sizeof *c->phi, err))
        || !(c->product = memory_new(dims * classes, sizeof(double), err))
        || choice_make_losses(n, &c->trial, err) != 0)
        return -1;
    for (int search = 0; search < CHOICE_SEARCHES; search++)
        if (choice_make_losses(n, &c->losses[search], err) != 0)
            return -1;
    return 0;
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

int map_of_kernel(const struct problem *problem, int64_t dims, struct map_kernel kernel,
                  int64_t seed, int threads, struct feature_map *map, struct error *err)
{
    *map = feature_map_make(FEATURE_MAP_NYSTROM, dims, kernel.gamma, seed);
    int status = kernel.scale ? feature_map_scale(map, kernel.scale, kernel.scales, err) : 0;
    if (status == 0)
        status = feature_map_fit(map, problem, err);
    if (status == 0)
        status = feature_map_prepare(map, threads, err);
    if (status != 0)
        feature_map_free(map);
    return status;
}

struct choice_best {
    size_t g; /* of choice_gammas, in units of the examples that chose */
    double ridge, error;
};

/* Gamma number g in units of the scaled examples: 1 / sum_j var x_j, what a map without a gamma
 * gets, is two.  0, FEATURE_MAP_UNFIT or -1. */
static int choice_gamma(const struct choice *c, const double *scale, size_t g, double *gamma,
                        struct error *err)
{
    struct feature_map usual = feature_map_make(FEATURE_MAP_NYSTROM, 1, 0, c->seed);
    int status = scale ? feature_map_scale(&usual, scale, c->d, err) : 0;
    if (status == 0)
        status = feature_map_fit(&usual, &c->problem, err);
    *gamma = choice_gammas[g] * usual.gamma / 2;
    feature_map_free(&usual);
    if (status != 0 || (*gamma >= FEATURE_MAP_LEAST_GAMMA && *gamma <= FEATURE_MAP_MOST_GAMMA))
        return status;
    error_set(err, "the features vary too little or too much for a kernel");
    return FEATURE_MAP_UNFIT;
}

/* The map of gamma number g, and the sums of all folds through it.  map: out, unless the result is
 * not 0.  0, FEATURE_MAP_UNFIT or -1. */
static int choice_fit(struct choice *c, const double *scale, size_t g, struct feature_map *map,
                      struct error *err)
{
    struct map_kernel kernel = {.scale = scale, .scales = c->d};
    int status = choice_gamma(c, scale, g, &kernel.gamma, err);
    if (status == 0)
        status = map_of_kernel(&c->problem, c->ridge.dims, kernel, c->seed, c->threads, map, err);
    if (status != 0)
        return status;
    c->dense = relevance_exists(map);
    if (feature_map_table(map, &c->problem, c->phi, c->threads, err) == 0
        && choice_add_folds(c, err) == 0)
        return 0;
    feature_map_free(map);
    return -1;
}

/* Are all folds judged by one map? */
static bool choice_is_shared(const struct choice_scales *scales)
{
    return scales->of[0] == scales->of[RIDGE_FOLDS - 1];
}

/* What choice_fit does for a fold that is judged, unless the one before it was judged by the same.
 */
static int choice_fit_fold(struct choice *c, const struct choice_scales *scales, int64_t fold,
                           size_t g, struct error *err)
{
    struct feature_map map;
    if (fold > 0 && choice_is_shared(scales))
        return 0;
    const int status = choice_fit(c, scales->of[fold], g, &map, err);
    if (status == 0)
        feature_map_free(&map);
    return status;
}

/* The squared error of all folds with gamma number g: the least over the ridges.  0,
 * FEATURE_MAP_UNFIT or -1. */
static int choice_judge(struct choice *c, const struct choice_scales *scales, size_t g,
                        struct choice_best *best, struct error *err)
{
    double sum[CHOICE_RIDGES] = {0}, error;
    for (int64_t fold = 0; fold < RIDGE_FOLDS; fold++) {
        const int status = choice_fit_fold(c, scales, fold, g, err);
        if (status != 0)
            return status;
        for (size_t r = 0; r < CHOICE_RIDGES; r++) {
            if (choice_judge_fold(c, fold, choice_ridges[r], &error, err) != 0)
                return -1;
            sum[r] += error;
        }
    }
    *best = (struct choice_best){.g = g, .error = INFINITY};
    for (size_t r = 0; r < CHOICE_RIDGES; r++)
        if (sum[r] < best->error) {
            best->ridge = choice_ridges[r];
            best->error = sum[r];
        }
    return 0;
}

/* W without a fold, for a ridge that choice_judge has found to do.  0 or -1. */
static int choice_solve(struct choice *c, int64_t left_out, double ridge, struct error *err)
{
    const int status = ridge_solve(&c->ridge, left_out, ridge * c->total, err);
    return status > 0 ? error_set(err, "the features of the kernel are too much alike") : status;
}

/* The losses of each example, after choice_judge has judged the folds so.  losses: out.  0 or -1.
 */
static int choice_find_losses(struct choice *c, const struct choice_scales *scales,
                              const struct choice_best *best, struct choice_losses *losses,
                              struct error *err)
{
    const int64_t n = c->problem.n, D = c->ridge.dims, K = c->ridge.classes;
    for (int64_t fold = 0; fold < RIDGE_FOLDS; fold++) {
        if (!choice_is_shared(scales) && choice_fit_fold(c, scales, fold, best->g, err) != 0)
            return -1;
        if (choice_solve(c, fold, best->ridge, err) != 0)
            return -1;
        for (int64_t i = fold; i < n; i += RIDGE_FOLDS) {
            double *score = c->product, sum = 0; /* K of it */
            memset(score, 0, (size_t)K * sizeof *score);
            for (int64_t j = 0; j < D; j++)
                for (int64_t k = 0; k < K; k++)
                    score[k] += (double)c->phi[i * D + j] * c->ridge.w[j * K + k];
            losses->wrong[i] = weights_best(score, K) == c->y[i] ? 0 : c->weight[i];
            score[c->y[i]] -= 1;
            for (int64_t k = 0; k < K; k++)
                sum += score[k] * score[k];
            losses->error[i] = c->weight[i] * sum;
        }
    }
    return 0;
}

/* By how many standard errors of the difference the second losses are less than the first. */
static double choice_lead(const double *first, const double *second, int64_t n)
{
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += first[i] - second[i];
        squares += (first[i] - second[i]) * (first[i] - second[i]);
    }
    return squares > 0 ? sum / sqrt(squares) : 0;
}

/* The smoothest gamma, from number `first` on, that no narrower one is clearly better than, and its
 * ridge.  losses: out.  0, FEATURE_MAP_UNFIT (no gamma fits) or -1. */
static int choice_search(struct choice *c, const struct choice_scales *scales, size_t first,
                         struct choice_best *best, struct choice_losses *losses, struct error *err)
{
    const size_t count = sizeof choice_gammas / sizeof *choice_gammas;
    double least = INFINITY;
    bool told = false; /* why a gamma does not fit */
    int worse = 0;
    *best = (struct choice_best){.error = INFINITY};
    for (size_t g = first; g < count && worse < CHOICE_WORSE; g++) {
        struct choice_best trial;
        const int status = choice_judge(c, scales, g, &trial, err);
        if (status == -1)
            return -1;
        if (status == FEATURE_MAP_UNFIT) {
            told = true;
            continue;
        }
        worse++;
        if (!(trial.error < least))
            continue;
        least = trial.error;
        worse = 0;
        if (choice_find_losses(c, scales, &trial, &c->trial, err) != 0)
            return -1;
        if (isinf(best->error)
            || choice_lead(losses->error, c->trial.error, c->problem.n) > choice_narrower_ahead) {
            const struct choice_losses swap = *losses;
            *losses = c->trial;
            c->trial = swap;
            *best = trial;
        }
    }
    if (isfinite(best->error))
        return 0;
    if (!told)
        error_set(err, "no kernel fits the features");
    return FEATURE_MAP_UNFIT;
}

/* ---- lengths ---- */

/* Few examples, as they are or at the lengths that they had, whichever is better.  at_length: out:
 * which they are.  0, FEATURE_MAP_UNFIT or -1. */
static int choice_lengths(struct choice *c, const struct problem *problem, const int32_t *y,
                          const double *weight, int64_t few, struct choice_best *best,
                          bool *at_length, struct error *err)
{
    const struct choice_scales none = {{NULL}};
    struct choice_best other = {.error = INFINITY};
    *at_length = false;
    if (choice_draw(c, problem, y, weight, few, false, err) != 0)
        return -1;
    int status = choice_search(c, &none, 0, best, &c->losses[CHOICE_PLAIN], err);
    if (status == -1 || !problem->keeps_lengths)
        return status;
    if (choice_draw(c, problem, y, weight, few, true, err) != 0
        || choice_search(c, &none, 0, &other, &c->losses[CHOICE_AT_LENGTH], err) == -1)
        return -1;
    /* Lengths of 1 but for rounding are no choice. */
    *at_length = other.error < (1 - 1e-6) * best->error;
    if (*at_length) {
        const struct choice_losses swap = c->losses[CHOICE_PLAIN];
        c->losses[CHOICE_PLAIN] = c->losses[CHOICE_AT_LENGTH];
        c->losses[CHOICE_AT_LENGTH] = swap;
        *best = other;
    } else if (choice_draw(c, problem, y, weight, few, false, err) != 0)
        return -1;
    return isfinite(best->error) ? 0 : FEATURE_MAP_UNFIT;
}

/* ---- scales ---- */

/* The relevances by a regression on examples scaled so: of all but each fold, and of all.
 * relevance: out, CHOICE_SETS x d.  0, FEATURE_MAP_UNFIT or -1. */
static int choice_relevances(struct choice *c, const double *scale, const struct choice_best *best,
                             double *relevance, struct error *err)
{
    const int64_t n = c->problem.n, K = c->ridge.classes;
    const int64_t every = parallel_parts(n, CHOICE_SLOPES);
    struct feature_map map; /* the sums of the folds do not depend on which one is left out */
    struct problem some = {0};
    int status = choice_fit(c, scale, best->g, &map, err);
    if (status != 0)
        return status;
    for (int64_t set = 0; set < CHOICE_SETS && status == 0; set++, relevance += c->d) {
        const int64_t left_out = set == CHOICE_ALL ? RIDGE_ALL : set;
        int64_t others = 0;
        problem_clear(&some);
        for (int64_t i = 0; i < n && status == 0; i++)
            if (i % RIDGE_FOLDS != left_out && others++ % every == 0)
                status = problem_append_from(&some, &c->problem, i, false, err);
        if (status == 0)
            status = choice_solve(c, left_out, best->ridge, err);
        if (status == 0)
            status = feature_map_fold(&map, K, c->ridge.w, c->threads, err);
        if (status == 0)
            status = relevance_of_features(&map, &some, c->ridge.w, K, c->d, c->threads, relevance,
                                           err);
    }
    problem_free(&some);
    feature_map_free(&map);
    return status;
}

/* Scales by standard deviations, then by relevances with these scales or without, whichever are
 * better: taken if they are clearly better than none.
 *
 * deviation, relevance  workspace, d and CHOICE_SETS x d
 * scale                 out, d: those of all examples, if they are taken; else as it was
 * taken                 in: false
 * 0 or -1. */
static int choice_search_scales(struct choice *c, struct choice_best *best, double *deviation,
                                double *relevance, double *scale, bool *taken, struct error *err)
{
    const size_t first = best->g > 0 ? best->g - 1 : 0;
    struct choice_scales by_deviation, by_relevance;
    struct choice_best deviating, relevant = {.error = INFINITY};
    for (int64_t set = 0; set < CHOICE_SETS; set++) {
        by_deviation.of[set] = deviation;
        by_relevance.of[set] = relevance + set * c->d;
    }
    if (relevance_unit_deviations(&c->problem, c->d, deviation, err) != 0
        || choice_search(c, &by_deviation, first, &deviating, &c->losses[CHOICE_DEVIATION], err)
               == -1)
        return -1;
    const bool deviates = deviating.error < best->error;
    int status = choice_relevances(c, deviates ? deviation : NULL, deviates ? &deviating : best,
                                   relevance, err);
    if (status == 0)
        status = choice_search(c, &by_relevance, first, &relevant, &c->losses[CHOICE_RELEVANCE],
                               err);
    if (status == -1)
        return -1;
    const bool relevances = relevant.error < deviating.error;
    const struct choice_best *scaled = relevances ? &relevant : &deviating;
    const struct choice_losses *plain = &c->losses[CHOICE_PLAIN],
                               *losses =
                                   &c->losses[relevances ? CHOICE_RELEVANCE : CHOICE_DEVIATION];
    const int64_t n = c->problem.n;
    *taken = isfinite(scaled->error)
             && choice_lead(plain->error, losses->error, n) > choice_scales_ahead
             && choice_lead(plain->wrong, losses->wrong, n) > choice_right_ahead;
    if (*taken) {
        const double *all = (relevances ? &by_relevance : &by_deviation)->of[CHOICE_ALL];
        memcpy(scale, all, (size_t)c->d * sizeof *scale);
        *best = *scaled;
    }
    return 0;
}

/* The same, but that sparse data are not scaled. */
static int choice_try_scales(struct choice *c, struct choice_best *best, double *scale, bool *taken,
                             struct error *err)
{
    if (!c->dense)
        return 0;
    double *deviation = memory_new(c->d, sizeof *deviation, err),
           *relevance = memory_new(CHOICE_SETS * c->d, sizeof *relevance, err);
    const int status = deviation && relevance
                           ? choice_search_scales(c, best, deviation, relevance, scale, taken, err)
                           : -1;
    memory_free(deviation);
    memory_free(relevance);
    return status;
}

/* ---- all of it ---- */

int map_choose(const struct problem *problem, const int32_t *y, const double *weight,
               int64_t classes, int64_t dims, int64_t seed, int threads, struct feature_map *map,
               struct problem *raw, struct error *err)
{
    const int64_t n = problem->n, few = dense_least(n, CHOICE_FEW);
    struct choice c = {.d = problem->d, .seed = seed, .threads = threads};
    struct choice_best best;
    struct choice_scales scales = {{NULL}};
    bool at_length = false, scaled = false;
    double *scale = memory_new(c.d, sizeof *scale, err);
    struct map_kernel kernel = {.scales = c.d};
    int status = -1;
    if (scale)
        status = choice_start(&c, n, dense_least(dims, CHOICE_DIMS), classes, err);
    if (status == 0)
        status = choice_lengths(&c, problem, y, weight, few, &best, &at_length, err);
    if (status == 0)
        status = choice_try_scales(&c, &best, scale, &scaled, err);
    if (scaled)
        kernel.scale = scale;
    for (int64_t set = 0; set < CHOICE_SETS; set++)
        scales.of[set] = kernel.scale;
    if (status == 0 && few < n
        && (status = choice_draw(&c, problem, y, weight, n, at_length, err)) == 0)
        status = choice_search(&c, &scales, best.g > 0 ? best.g - 1 : 0, &best,
                               &c.losses[CHOICE_PLAIN], err);
    if (status == 0)
        status = choice_gamma(&c, kernel.scale, best.g, &kernel.gamma, err);
    if (at_length) { /* then all examples were drawn last, at their lengths */
        *raw = c.problem;
        c.problem = (struct problem){0};
    }
    choice_free(&c);
    if (status == 0)
        status = map_of_kernel(at_length ? raw : problem, dims, kernel, seed, threads, map, err);
    memory_free(scale);
    return status;
}

double map_choice_bytes(const struct problem *problem, int64_t classes)
{
    const double dims = CHOICE_DIMS, n = (double)problem->n, row = (double)problem->nnz / n;
    return problem_bytes(n, (double)problem->nnz, false) + n * (12 + 4 * dims)
           + ridge_bytes(CHOICE_DIMS, classes) + 8 * dims * (double)(problem->d + classes)
           + 8 * dims * dims + 2 * problem_bytes(CHOICE_SLOPES, CHOICE_SLOPES * row, false)
           + 8 * (double)problem->d * (5 + CHOICE_SETS) + 16 * n * (1 + CHOICE_SEARCHES)
           + relevance_bytes(CHOICE_SLOPES, CHOICE_DIMS, problem->d);
}
