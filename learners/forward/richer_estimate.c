/* The estimate through richer features than those of the examples: random Fourier features, through
 * which the matrix itself may be found anew, and Nystrom features of an RBF kernel, for the
 * probabilities. */

#include "common/base/memory.h"
#include "common/base/reduce.h"
#include "common/kernel/feature_map.h"
#include "learners/features/map_choice.h"
#include "learners/forward/confusion_estimate_state.h"

#include <math.h>
#include <string.h>

/* Lambda while gamma is chosen among these multiples of the unit: no reason but that it works. */
static const double estimate_features_lambda = 1e-4;
static const double estimate_gammas[] = {1, 2, 4};
enum { ESTIMATE_GAMMAS = sizeof estimate_gammas / sizeof *estimate_gammas };

const char *const estimate_map_words[] = {"linear", "rbf", "auto", "0", "2", NULL};

/* ---- random features ---- */

static void estimate_tell_phase(const struct estimate_options *options, const char *phase)
{
    if (options->fit.progress)
        progress_phase(options->fit.progress, phase);
}

/* 1 / the mean square of the examples' lengths: the unit of gamma. */
static double estimate_gamma_unit(const struct problem *problem)
{
    const int64_t n = reduce_count(problem->n);
    double sum = 0;
    reduce_receive(&sum, 1);
    for (int64_t i = 0; i < problem->nnz; i++)
        sum += problem->value[i] * problem->value[i];
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
    double gamma = 0;
    int status = -1;
    if (estimate_choose_features(problem, y, labels, e->c, options, &mapped, &gamma, err) != 0)
        goto done;
    estimate_tell_phase(options, "estimating through them");
    if (estimate_make(&mapped, y, labels, e->c, ESTIMATE_START, &options->fit, &rich, err) != 0)
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
        rich.disagreement = e->disagreement;
        for (int64_t k = 0; k < e->classes; k++)
            rich.doubtful[k] |= e->doubtful[k];
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

/* ---- features of a kernel ---- */

/* The numbers of mapped data are at most this many, which is half a GB: 1000 features of 60000
 * examples. */
static const double estimate_most_mapped = 6e7;

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

int64_t estimate_map_dims(const struct estimate_options *options, int64_t n)
{
    int64_t dims = options->map_dims;
    if (dims == 0) {
        dims = FEATURE_MAP_USUAL_DIMS < n / 2 ? FEATURE_MAP_USUAL_DIMS : n / 2;
        if ((double)n * (double)dims > estimate_most_mapped)
            dims = (int64_t)(estimate_most_mapped / (double)n);
        if (dims < 1)
            dims = 1;
    }
    return dims < n ? dims : n;
}

bool estimate_wants_map(const struct estimate_options *options, const struct problem *problem)
{
    if (options->map != ESTIMATE_AUTO)
        return options->map == ESTIMATE_RBF;
    return forward_metric_has_moment(problem) && estimate_map_dims(options, problem->n) > 1;
}

/* The map of the examples, and the examples through it.  map, mapped: out.  0, FEATURE_MAP_UNFIT or
 * -1. */
static int estimate_make_map(const struct problem *problem, const int32_t *y, int64_t classes,
                             const struct estimate_options *options, struct feature_map *map,
                             struct problem *mapped, struct error *err)
{
    const int64_t dims = estimate_map_dims(options, problem->n), seed = options->fit.seed;
    const int threads = options->fit.threads;
    const int status = options->map_gamma > 0
                           ? map_of_gamma(problem, dims, options->map_gamma, seed, threads, map,
                                          err)
                           : map_choose(problem, y, classes, dims, seed, threads, map, err);
    return status != 0 ? status : feature_map_problem(map, problem, -1, threads, mapped, err);
}

void estimate_drop_map(struct estimate *e)
{
    if (e->map)
        feature_map_free(e->map);
    memory_free(e->map);
    e->map = NULL;
    problem_free(&e->mapped);
}

/* Is the estimate one that may be wrong altogether, as where a linear model misfits? */
static bool estimate_is_doubtful(const struct estimate *e)
{
    bool doubtful = e->misfit > 0 || e->disagreement >= ESTIMATE_DISAGREEMENT;
    for (int64_t k = 0; k < e->classes; k++)
        doubtful |= e->doubtful[k];
    return doubtful;
}

/* Change everything of two estimates but the map and the examples through it. */
static void estimate_swap(struct estimate *a, struct estimate *b)
{
    struct estimate swap = *a;
    *a = *b;
    *b = swap;
    b->map = a->map;
    b->mapped = a->mapped;
    a->map = swap.map;
    a->mapped = swap.mapped;
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

int estimate_try_map(const struct problem *problem, const int32_t *y, const struct labels *labels,
                     bool known, const struct estimate_options *options, struct estimate *e,
                     struct error *err)
{
    struct estimate rich = {.n = 0}, own = {.n = 0};
    int status = -1;
    if (!(e->map = memory_new(1, sizeof *e->map, err)))
        return -1;
    estimate_tell_phase(options, "choosing features of a kernel");
    const int made = estimate_make_map(problem, y, labels->count, options, e->map, &e->mapped, err);
    if (made == FEATURE_MAP_UNFIT && options->map == ESTIMATE_AUTO) {
        estimate_drop_map(e);
        return 0;
    }
    if (made != 0)
        goto done;
    estimate_tell_phase(options, "learning from them");
    if (estimate_make(&e->mapped, y, labels, e->c, ESTIMATE_MATRIX, &options->fit, &rich, err) != 0)
        goto done;
    estimate_keep_matrix(e, &rich);
    if (!known && estimate_is_doubtful(e)) {
        estimate_tell_phase(options, "estimating through them");
        if (estimate_make(&e->mapped, y, labels, NULL, ESTIMATE_NOTHING, &options->fit, &own, err)
            != 0)
            goto done;
        if (own.likelihood > rich.likelihood)
            estimate_swap(&rich, &own);
    }
    if (options->map == ESTIMATE_RBF || rich.likelihood > e->likelihood) {
        estimate_swap(e, &rich);
    } else {
        estimate_drop_map(e);
    }
    status = 0;
done:
    estimate_free(&rich);
    estimate_free(&own);
    return status;
}
