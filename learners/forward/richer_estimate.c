/* The estimate through richer features than those of the examples: their lengths and a bias, or
 * random Fourier features, through which the matrix itself may be found anew, and Nystrom features
 * of an RBF kernel, for the probabilities. */

#include "common/base/memory.h"
#include "common/base/reduce.h"
#include "common/kernel/feature_map.h"
#include "learners/features/map_choice.h"
#include "learners/forward/confusion_estimate_state.h"
#include "learners/forward/em.h"

#include <math.h>
#include <string.h>

/* Lambda while gamma is chosen among these multiples of the unit: no reason but that it works. */
static const double estimate_features_lambda = 1e-4;
static const double estimate_gammas[] = {1, 2, 4};
enum { ESTIMATE_GAMMAS = sizeof estimate_gammas / sizeof *estimate_gammas };

const char *const estimate_map_words[] = {"linear", "rbf", "auto", "0", "2", NULL};

/* Is the estimate one that may be wrong altogether, as where a linear model misfits? */
static bool estimate_is_doubtful(const struct estimate *e)
{
    bool doubtful = e->thin || e->misfit > 0 || e->disagreement >= ESTIMATE_DISAGREEMENT;
    for (int64_t k = 0; k < e->classes; k++)
        doubtful |= e->doubtful[k];
    return doubtful;
}

/* ---- random features ---- */

static void estimate_tell_phase(const struct estimate_options *options, const char *phase)
{
    if (options->fit.progress)
        progress_phase(options->fit.progress, phase);
}

/* 1 / the mean square of the examples' lengths, but for a bias, which changes no distance: the unit
 * of gamma. */
static double estimate_gamma_unit(const struct problem *problem)
{
    const int64_t n = reduce_count(problem->n);
    double sum = 0;
    reduce_receive(&sum, 1);
    for (int64_t i = 0; i < problem->nnz; i++)
        sum += problem->index[i] > 0 ? problem->value[i] * problem->value[i] : 0;
    reduce_send(&sum, 1);
    reduce_finish(&sum, 1);
    return sum > 0 ? (double)n / sum : 1;
}

/* The problem through random features.  mapped: out. */
static int estimate_map(const struct problem *problem, int64_t features, double gamma,
                        const struct crossfit_options *options, struct problem *mapped,
                        struct error *err)
{
    struct feature_map map = feature_map_make(FEATURE_MAP_FOURIER, features, gamma, options->seed);
    int status = feature_map_prepare(&map, options->threads, err);
    if (status == 0)
        status = feature_map_problem(&map, problem, -1, options->threads, mapped, err);
    feature_map_free(&map);
    if (status == 0)
        mapped->d = (int32_t)reduce_most(mapped->d);
    return status;
}

/* The features of the gamma with the best held-out likelihood through the matrix c.  mapped, gamma:
 * out. */
static int estimate_choose_features(const struct problem *problem, const int32_t *y,
                                    const struct labels *labels, const double *c,
                                    const struct estimate_options *options, struct problem *mapped,
                                    double *gamma, struct error *err)
{
    struct crossfit_options once = options->fit;
    const double unit = estimate_gamma_unit(problem);
    double best = -INFINITY;
    int status = 0;
    once.lambda = estimate_features_lambda;
    once.steps = 0;
    estimate_tell_phase(options, "choosing random features");
    for (int g = 0; g < ESTIMATE_GAMMAS; g++) {
        if (once.progress)
            once.progress->later = CROSSFIT_FOLDS * (ESTIMATE_GAMMAS - 1 - g);
        const double trial_gamma = estimate_gammas[g] * unit;
        struct problem trial = {.n = 0};
        struct estimate e = {.n = 0};
        status = estimate_map(problem, options->features, trial_gamma, &once, &trial, err);
        if (status == 0)
            status = estimate_make(&trial, y, labels, c, ESTIMATE_MATRIX, &once, &e, err);
        if (status == 0 && e.likelihood > best) {
            best = e.likelihood;
            *gamma = trial_gamma;
            struct problem swap = *mapped;
            *mapped = trial;
            trial = swap;
        }
        estimate_free(&e);
        problem_free(&trial);
        if (status != 0)
            break;
    }
    return status;
}

int estimate_try_features(const struct problem *problem, const int32_t *y,
                          const struct labels *labels, const struct estimate_options *options,
                          struct estimate *e, struct error *err)
{
    struct problem mapped = {.n = 0};
    struct estimate rich = {.n = 0}, plain = {.n = 0};
    const bool anew = estimate_is_doubtful(e);
    double gamma = 0;
    int status = -1;
    if (estimate_choose_features(problem, y, labels, e->c, options, &mapped, &gamma, err) != 0)
        goto done;
    estimate_tell_phase(options, "estimating through them");
    if (estimate_make(&mapped, y, labels, anew ? NULL : e->c,
                      anew ? ESTIMATE_NOTHING : ESTIMATE_START, &options->fit, &rich, err)
        != 0)
        goto done;
    if (rich.likelihood > e->likelihood) {
        estimate_tell_phase(options, "choosing lambda");
        if (estimate_make(problem, y, labels, rich.c, ESTIMATE_MATRIX, &options->fit, &plain, err)
            != 0)
            goto done;
        rich.lambda = plain.lambda;
        rich.steps = plain.steps;
        rich.temperature = plain.temperature;
        rich.gamma = gamma;
        struct estimate swap = *e;
        *e = rich;
        rich = swap;
    }
    status = 0;
done:
    estimate_free(&rich);
    estimate_free(&plain);
    problem_free(&mapped);
    return status;
}

/* ---- lengths and a bias ---- */

/* Sums of squares of these are finite. */
static const double estimate_longest = 1e100;

bool estimate_wants_lengths(const struct estimate_options *options, const struct problem *problem)
{
    if (options->map != ESTIMATE_AUTO || !problem->keeps_lengths
        || !forward_metric_has_moment(problem->d, reduce_count(problem->nnz)))
        return false;
    for (int64_t i = 0; i < problem->n; i++)
        if (!(problem->length[i] <= estimate_longest))
            return false;
    return true;
}

double estimate_lengths_bytes(const struct problem *problem, int64_t classes)
{
    const double n = (double)problem->n, K = (double)classes;
    return problem_bytes(n, (double)problem->nnz + n, false) + 8 * K * (2 * n + 9 * K);
}

/* The examples at the lengths that they had, with a bias.  plain: out.  0 or -1. */
static int estimate_take_lengths(const struct problem *problem, struct problem *plain,
                                 struct error *err)
{
    int status = problem_reserve(plain, problem->n, problem->nnz + problem->n, err);
    for (int64_t i = 0; status == 0 && i < problem->n; i++) {
        status = problem_append_from(plain, problem, i, true, err);
        if (status == 0)
            status = problem_append_bias(plain, 1, err);
    }
    return status;
}

/* Are the labels likelier by the second of two estimates, by more than two standard errors? */
static bool estimate_clearly_likelier(const struct estimate *first, const struct estimate *second,
                                      const int32_t *y, const double *weight)
{
    const int64_t n = first->n, K = first->classes;
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < n; i++) {
        const int64_t row = y[i] * K;
        const double gain = em_log(em_observed(second->c + row, K, second->p + i * K))
                            - em_log(em_observed(first->c + row, K, first->p + i * K)),
                     weighted = weight ? weight[i] * gain : gain;
        sum += weighted;
        squares += weighted * weighted;
    }
    return sum > 2 * sqrt(squares);
}

/* The same through the matrix c. */
static int estimate_choose_lengths_by(const double *c, const struct problem *problem,
                                      const int32_t *y, const struct labels *labels,
                                      const struct estimate_options *options, struct problem *plain,
                                      struct error *err)
{
    const struct crossfit_options *fit = &options->fit;
    struct estimate unit = {.n = 0}, taken = {.n = 0};
    int status = estimate_take_lengths(problem, plain, err);
    estimate_tell_phase(options, "trying unit length");
    if (status == 0)
        status = estimate_make(problem, y, labels, c, ESTIMATE_MATRIX, fit, &unit, err);
    estimate_tell_phase(options, "trying lengths and a bias");
    if (status == 0)
        status = estimate_make(plain, y, labels, c, ESTIMATE_MATRIX, fit, &taken, err);
    if (status != 0 || !estimate_clearly_likelier(&unit, &taken, y, fit->weight))
        problem_free(plain);
    estimate_free(&unit);
    estimate_free(&taken);
    return status;
}

int estimate_choose_lengths(const struct problem *problem, const int32_t *y,
                            const struct labels *labels, const double *known,
                            const struct estimate_options *options, struct problem *plain,
                            struct error *err)
{
    const int64_t K = labels->count;
    double *identity = memory_new(K * K, sizeof *identity, err);
    if (!identity)
        return -1;
    for (int64_t k = 0; k < K; k++)
        identity[k * K + k] = 1;
    const int status = estimate_choose_lengths_by(known ? known : identity, problem, y, labels,
                                                  options, plain, err);
    estimate_tell_phase(options, known ? "choosing lambda" : "estimating the noise");
    memory_free(identity);
    return status;
}

/* ---- features of a kernel ---- */

/* Of softmax regression, which is fitted many times, and of kernel ridge regression, which is
 * solved: 200 a class, from 2000 to 2500.  Measured on usps, optdigits and letter: with 1000
 * softmax regression gains half a point and takes twice as long; with 2500 in place of 2000 kernel
 * ridge regression gains half a point on 16000 letters of 26 classes, little on ten digits; with
 * 3000 another .3, and the whole run takes a third longer. */
enum {
    ESTIMATE_MAP_DIMS = 500,
    ESTIMATE_RIDGE_CLASS = 200,
    ESTIMATE_RIDGE_LEAST = 2000,
    ESTIMATE_RIDGE_MOST = 2500
};

/* The numbers of mapped data are at most this many, which is 1 GB: 2000 features of 60000
 * examples. */
static const double estimate_most_mapped = 1.2e8;

/* Data count as dense if at least one value in so many is not 0: in texts one in hundreds is, of
 * the pixels of a drawing one in 5. */
static const double estimate_sparse = 16;

int estimate_settle_map(struct estimate_options *options, double bias, struct error *err)
{
    options->map %= ESTIMATE_MAPS;
    if (options->map == ESTIMATE_AUTO && (bias >= 0 || reduce_ranks() > 1))
        options->map = ESTIMATE_LINEAR;
    if (options->map == ESTIMATE_RBF && reduce_ranks() > 1)
        return error_usage(err, "-t rbf works on one rank: several need -t linear");
    if (options->map == ESTIMATE_RBF && bias >= 0)
        return error_usage(err, "-B is for -t linear: the features of a kernel hold a constant");
    if (options->map != ESTIMATE_LINEAR)
        return 0;
    if (options->map_dims > 0 || options->map_gamma > 0)
        return error_usage(err, "-D and -g describe the features of -t rbf or -t auto");
    return 0;
}

bool estimate_keeps_lengths(const struct estimate_options *options, bool unit_length_given)
{
    return !unit_length_given && options->map != ESTIMATE_LINEAR && !(options->map_gamma > 0);
}

/* The default's `usual` number of features, or as many as the examples and memory allow. */
static int64_t estimate_limit_dims(const struct estimate_options *options, int64_t n, int64_t usual)
{
    int64_t dims = options->map_dims;
    if (dims == 0) {
        dims = usual < n / 2 ? usual : n / 2;
        if ((double)n * (double)dims > estimate_most_mapped)
            dims = (int64_t)(estimate_most_mapped / (double)n);
        if (dims < 1)
            dims = 1;
    }
    return dims < n ? dims : n;
}

int64_t estimate_map_dims(const struct estimate_options *options, int64_t n)
{
    return estimate_limit_dims(options, n, ESTIMATE_MAP_DIMS);
}

int64_t estimate_ridge_dims(const struct estimate_options *options, int64_t n, int64_t classes)
{
    int64_t usual = ESTIMATE_RIDGE_MOST;
    if (classes < ESTIMATE_RIDGE_MOST / ESTIMATE_RIDGE_CLASS)
        usual = classes * ESTIMATE_RIDGE_CLASS;
    return estimate_limit_dims(options, n,
                               usual > ESTIMATE_RIDGE_LEAST ? usual : ESTIMATE_RIDGE_LEAST);
}

/* As measurements are, and texts are not. */
static bool estimate_is_dense(const struct problem *problem)
{
    return estimate_sparse * (double)problem->nnz >= (double)problem->n * (double)problem->d;
}

bool estimate_wants_map(const struct estimate_options *options, const struct problem *problem)
{
    if (options->map != ESTIMATE_AUTO)
        return options->map == ESTIMATE_RBF;
    if (options->ridge_map)
        return true;
    return (forward_metric_has_moment(problem->d, reduce_count(problem->nnz))
            || estimate_is_dense(problem))
           && estimate_map_dims(options, problem->n) > 1;
}

/* The map of the examples, and the examples through it.  map, raw, mapped: out; raw as in
 * map_choose.  0, FEATURE_MAP_UNFIT or -1. */
static int estimate_make_map(const struct problem *problem, const int32_t *y, int64_t classes,
                             const struct estimate_options *options, struct feature_map *map,
                             struct problem *raw, struct problem *mapped, struct error *err)
{
    const int64_t dims = estimate_map_dims(options, problem->n), seed = options->fit.seed;
    const int threads = options->fit.threads;
    const int status = options->map_gamma > 0 ? map_of_gamma(problem, dims, options->map_gamma,
                                                             seed, threads, map, err)
                                              : map_choose(problem, y, options->fit.weight, classes,
                                                           dims, seed, threads, map, raw, err);
    if (status != 0)
        return status;
    return feature_map_problem(map, raw->n > 0 ? raw : problem, -1, threads, mapped, err);
}

void estimate_drop_map(struct estimate *e)
{
    if (e->map)
        feature_map_free(e->map);
    memory_free(e->map);
    e->map = NULL;
    problem_free(&e->mapped);
}

/* Change everything of two estimates but the map and the examples, through it or at their
 * lengths. */
static void estimate_swap(struct estimate *a, struct estimate *b)
{
    struct estimate swap = *a;
    *a = *b;
    *b = swap;
    b->map = a->map;
    b->mapped = a->mapped;
    b->plain = a->plain;
    a->map = swap.map;
    a->mapped = swap.mapped;
    a->plain = swap.plain;
}

/* What is known of the matrix that both estimates have: it was found, and judged, by `from`. */
static void estimate_keep_matrix(const struct estimate *from, struct estimate *to)
{
    const size_t K = (size_t)from->classes;
    memcpy(to->joint, from->joint, K * K * sizeof *to->joint);
    memcpy(to->deviation, from->deviation, K * sizeof *to->deviation);
    memcpy(to->doubtful, from->doubtful, K * sizeof *to->doubtful);
    to->gamma = from->gamma;
    to->disagreement = from->disagreement;
}

/* The estimate through the map, by the matrix in e or, where that is doubtful and was not given, by
 * one that is found through the map if that is the likelier.  rich: out, empty where only a matrix
 * is wanted and e's stays.  0 or -1. */
static int estimate_through_map(const struct estimate *e, const int32_t *y,
                                const struct labels *labels, bool known,
                                const struct estimate_options *options, struct estimate *rich,
                                struct error *err)
{
    if (!known && estimate_is_doubtful(e)) {
        estimate_tell_phase(options, "estimating through them");
        if (estimate_make(&e->mapped, y, labels, NULL, ESTIMATE_NOTHING, &options->fit, rich, err)
            != 0)
            return -1;
        if (rich->likelihood > e->likelihood)
            return 0;
        estimate_free(rich);
    }
    if (options->matrix_only)
        return 0;
    estimate_tell_phase(options, "learning from them");
    if (estimate_make(&e->mapped, y, labels, e->c, ESTIMATE_MATRIX, &options->fit, rich, err) != 0)
        return -1;
    estimate_keep_matrix(e, rich);
    return 0;
}

/* Lambda and steps are those of softmax regression. */
bool estimate_wants_ridge(const struct estimate_options *options)
{
    return !options->matrix_only && options->fit.lambda < 0 && options->fit.steps < 0;
}

/* Kernel ridge regression with the kernel of e->map in place of softmax regression, if its
 * decisions are better: e->takes_ridge.  e->mapped is then its own, else empty.  0 or -1. */
static int estimate_try_ridge(const struct problem *problem, const int32_t *y,
                              const struct estimate_options *options, struct estimate *e,
                              struct error *err)
{
    const struct kernel_ridge_basis basis = {
        .problem = problem,
        .y = y,
        .weight = options->fit.weight,
        .classes = e->classes,
        .c = e->c,
        .share = e->share,
        .p = e->p,
        .unexplained = e->unexplained,
        .map = options->ridge_map,
        .gamma = e->map->gamma,
        .dims = estimate_ridge_dims(options, problem->n, e->classes),
        .seed = e->map->seed,
        .threads = options->fit.threads};
    struct kernel_ridge *ridge = &e->ridge;
    problem_free(&e->mapped); /* one of the two at a time */
    estimate_tell_phase(options, "kernel ridge regression");
    if (kernel_ridge_choose(&basis, ridge, err) != 0)
        return -1;
    e->takes_ridge = ridge->likelihood > ridge->softmax_likelihood;
    if (!e->takes_ridge) {
        problem_free(&ridge->mapped);
        return 0;
    }
    estimate_drop_map(e);
    e->map = ridge->map;
    e->mapped = ridge->mapped;
    ridge->map = NULL;
    ridge->mapped = (struct problem){0};
    memory_free(e->p);
    e->p = ridge->p;
    ridge->p = NULL;
    e->temperature = ridge->temperature;
    e->lambda = 2 * ridge->strict.ridge / (double)problem->n; /* a mean loss, half of the penalty */
    e->steps = 0;
    return 0;
}

/* The same as estimate_try_map.  raw: in: empty; out: as in map_choose. */
static int estimate_try_map_of(const struct problem *problem, struct problem *raw, const int32_t *y,
                               const struct labels *labels, bool known,
                               const struct estimate_options *options, struct estimate *e,
                               struct error *err)
{
    struct estimate rich = {.n = 0};
    if (!(e->map = memory_new(1, sizeof *e->map, err)))
        return -1;
    estimate_tell_phase(options, "choosing features of a kernel");
    const int made = estimate_make_map(problem, y, labels->count, options, e->map, raw, &e->mapped,
                                       err);
    if (made == FEATURE_MAP_UNFIT && options->map == ESTIMATE_AUTO) {
        estimate_drop_map(e);
        return 0;
    }
    if (made != 0 || estimate_through_map(e, y, labels, known, options, &rich, err) != 0)
        return -1;
    const bool better = rich.n > 0
                        && (options->map == ESTIMATE_RBF || rich.likelihood > e->likelihood);
    if (better)
        estimate_swap(e, &rich);
    estimate_free(&rich);
    const struct problem *examples = raw->n > 0 ? raw : problem;
    if (estimate_wants_ridge(options) && estimate_try_ridge(examples, y, options, e, err) != 0)
        return -1;
    if (!better && !e->takes_ridge) {
        estimate_drop_map(e);
        return 0;
    }
    problem_free(&e->plain);
    e->at_length = raw->n > 0;
    return e->mapped.n > 0
               ? 0
               : feature_map_problem(e->map, examples, -1, options->fit.threads, &e->mapped, err);
}

int estimate_try_map(const struct problem *problem, const int32_t *y, const struct labels *labels,
                     bool known, const struct estimate_options *options, struct estimate *e,
                     struct error *err)
{
    struct problem raw = {0};
    if (options->matrix_only && (known || !estimate_is_doubtful(e)))
        return 0;
    const int status = estimate_try_map_of(problem, &raw, y, labels, known, options, e, err);
    problem_free(&raw);
    return status;
}

/* ---- for cross-validation ---- */

/* A subset of the examples that the map is of.  part, y, weight: out; weight only where there are
 * weights.  0 or -1. */
static int estimate_draw(const struct estimate *e, const struct problem *problem,
                         const int32_t *all_y, const double *all_weight, const int64_t *subset,
                         int64_t n, struct problem *part, int32_t *y, double *weight,
                         struct error *err)
{
    for (int64_t s = 0; s < n; s++) {
        if (problem_append_from(part, problem, subset[s], e->at_length, err) != 0)
            return -1;
        y[s] = all_y[subset[s]];
        if (all_weight)
            weight[s] = all_weight[subset[s]];
    }
    return 0;
}

int estimate_ridge_of(const struct estimate *e, const struct problem *problem, const int32_t *y,
                      const struct labels *labels, const struct estimate_options *options,
                      const int64_t *subset, int64_t n, struct weights *w, struct error *err)
{
    struct estimate_options once = *options;
    struct problem part = {0};
    struct estimate of_part = {0};
    double *weight = memory_new(n, sizeof *weight, err);
    int32_t *part_y = memory_new(n, sizeof *part_y, err);
    int status = -1;
    once.ridge_map = e->map;
    once.map_gamma = e->map->gamma;
    once.fit.weight = options->fit.weight ? weight : NULL;
    once.fit.progress = NULL;
    if (weight && part_y
        && estimate_draw(e, problem, y, options->fit.weight, subset, n, &part, part_y, weight, err)
               == 0)
        status = estimate_noise(&part, part_y, labels, e->c, &once, &of_part, err);
    if (status == 0 && !(of_part.ridge.strict.ridge > 0))
        status = error_set(err, "the kernel does not fit a part of the examples");
    if (status == 0) {
        *w = of_part.ridge.all;
        of_part.ridge.all = (struct weights){0};
    }
    estimate_free(&of_part);
    problem_free(&part);
    memory_free(weight);
    memory_free(part_y);
    return status;
}

double estimate_ridge_bytes(const struct estimate_options *options, const struct problem *problem,
                            int64_t classes)
{
    const double n = (double)problem->n, K = (double)classes,
                 dims = (double)estimate_ridge_dims(options, problem->n, classes);
    if (!estimate_wants_map(options, problem) || !estimate_wants_ridge(options))
        return 0;
    return problem_bytes(n, (double)problem->nnz, false) + problem_dense_bytes(n, dims, false)
           + 8 * n * (2 + 2 * K);
}
