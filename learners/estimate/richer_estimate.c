/* Random features, and lengths with a bias: each is tried by cross-fits of the examples so changed,
 * and kept if it makes held-out labels likelier. */
#include "learners/estimate/richer_estimate.h"

#include "common/base/memory.h"
#include "common/base/reduce.h"
#include "common/data/feature_sizes.h"
#include "common/data/rows.h"
#include "common/kernel/feature_map.h"
#include "learners/estimate/fine_estimate.h"
#include "learners/estimate/matrix_estimate.h"
#include "learners/noise/em.h"
#include "learners/noise/start.h"

#include <math.h>

/* Lambda while gamma is chosen among these multiples of the unit: no reason but that it works. */
static const double estimate_features_lambda = 1e-4;
static const double estimate_gammas[] = {1, 2, 4};
enum { ESTIMATE_GAMMAS = sizeof estimate_gammas / sizeof *estimate_gammas };

/* ---- random features ---- */

/* A bias adds the same angle to all examples, whose digits it takes: of these, four are left. */
static const double estimate_largest_angle = 1e12;

/* 1 / the mean square of the examples' lengths, but for a bias, which changes no distance: the unit
 * of gamma; 0 where no gamma of this unit is finite or a bias is too large beside the features. */
static double estimate_gamma_unit(const struct problem *problem)
{
    const double n = (double)reduce_count(problem->n), most = estimate_gammas[ESTIMATE_GAMMAS - 1];
    double squares[2] = {0}; /* of biases and of features */
    reduce_receive(squares, 2);
    for (int64_t i = 0; i < problem->n; i++) {
        const struct example x = problem_example(problem, i);
        for (int64_t e = 0; e < x.size; e++)
            squares[x.index[e] > 0] += x.value[e] * x.value[e];
    }
    reduce_send(squares, 2);
    reduce_finish(squares, 2);
    const double unit = squares[1] > 0 ? n / squares[1] : 1;
    return isfinite(most * unit) && sqrt(2 * most * unit * squares[0] / n) <= estimate_largest_angle
               ? unit
               : 0;
}

/* The problem through random features.  mapped: out. */
static int estimate_make_features(const struct problem *problem, int64_t features, double gamma,
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
static int estimate_choose_features(const struct labelled *data, const double *c, double unit,
                                    const struct estimate_options *options, struct problem *mapped,
                                    double *gamma, struct error *err)
{
    struct crossfit_options once = options->fit;
    double best = -INFINITY;
    int status = 0;
    once.lambda = estimate_features_lambda;
    once.steps = 0;
    estimate_tell_phase(options, "choosing random features");
    for (int g = 0; g < ESTIMATE_GAMMAS; g++) {
        if (once.progress)
            once.progress->later = FOLDS_DEFAULT * (ESTIMATE_GAMMAS - 1 - g);
        const double trial_gamma = estimate_gammas[g] * unit;
        struct problem trial = {.n = 0};
        const struct labelled changed = labelled_with(data, &trial);
        struct estimate e = {.n = 0};
        status = estimate_make_features(data->problem, options->features, trial_gamma, &once,
                                        &trial, err);
        if (status == 0)
            status = estimate_make(&changed, c, ESTIMATE_MATRIX, &once, &e, err);
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

int estimate_try_features(const struct labelled *data, const struct estimate_options *options,
                          struct estimate *e, struct error *err)
{
    struct problem mapped = {.n = 0};
    const struct labelled changed = labelled_with(data, &mapped);
    struct estimate rich = {.n = 0}, plain = {.n = 0};
    const bool anew = estimate_is_doubtful(e);
    const double unit = estimate_gamma_unit(data->problem);
    double gamma = 0;
    int status = -1;
    if (!(unit > 0))
        return 0;
    if (estimate_choose_features(data, e->matrix.c, unit, options, &mapped, &gamma, err) != 0)
        goto done;
    estimate_tell_phase(options, "estimating through them");
    if (estimate_make(&changed, anew ? NULL : e->matrix.c, anew ? ESTIMATE_NOTHING : ESTIMATE_START,
                      &options->fit, &rich, err)
        != 0)
        goto done;
    if (rich.likelihood > e->likelihood) {
        estimate_tell_phase(options, "choosing lambda");
        if (estimate_make(data, rich.matrix.c, ESTIMATE_MATRIX, &options->fit, &plain, err) != 0)
            goto done;
        if (options->fine && options->map == ESTIMATE_LINEAR && rich.n >= FOLDS_FINE) {
            estimate_tell_phase(options, "making probabilities");
            if (estimate_fine_probabilities(&changed, &options->fit, &rich, err) != 0)
                goto done;
        }
        rich.classifier = plain.classifier;
        rich.matrix.gamma = gamma;
        if (!anew)
            estimate_pass_over(&rich, e->matrix.passed_over);
        estimate_replace(e, &rich);
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

/* wants: out: is the search stopped early, as with text, though the features are of many scales, as
 * with no text?  0 or -1. */
static int estimate_wants_scale(const struct problem *problem, bool *wants, struct error *err)
{
    int32_t largest;
    double ratio;
    *wants = false;
    if (forward_metric_has_moment(problem->d, reduce_count(problem->nnz)))
        return 0;
    if (feature_sizes_compare(problem, &largest, &ratio, err) != 0)
        return -1;
    *wants = ratio > FEATURE_SIZES_ONE_SCALE;
    return 0;
}

int estimate_wants_lengths(const struct estimate_options *options, const struct problem *problem,
                           bool *wants, struct error *err)
{
    *wants = false;
    if (!(options->map == ESTIMATE_AUTO || options->tries_lengths) || !problem->keeps_lengths)
        return 0;
    for (int64_t i = 0; i < problem->n; i++)
        if (!(problem->length[i] <= estimate_longest))
            return 0;
    if (forward_metric_has_moment(problem->d, reduce_count(problem->nnz))) {
        *wants = true;
        return 0;
    }
    return estimate_wants_scale(problem, wants, err);
}

double estimate_lengths_bytes(const struct problem *problem, int64_t classes)
{
    const double n = (double)problem->n, K = (double)classes;
    return problem_bytes(n, (double)problem->nnz + n, false) + 8 * K * (2 * n + 9 * K)
           + 32 * (double)problem->d; /* scale, and sizes */
}

/* Bring the features of the examples to one scale.  input: lengthed: in, out; scale: out.  0 or -1.
 */
static int estimate_take_scale(struct estimate_input *input, struct error *err)
{
    struct problem *lengthed = &input->lengthed;
    if (!(input->scale = memory_new(lengthed->d, sizeof *input->scale, err))
        || feature_sizes_scale(lengthed, input->scale, err) != 0)
        return -1;
    for (int64_t entry = 0; entry < lengthed->nnz; entry++)
        if (lengthed->index[entry] > 0)
            lengthed->value[entry] *= input->scale[lengthed->index[entry] - 1];
    return 0;
}

/* The examples at the lengths that they had, with a bias of a power of ten, 1 or more, near the
 * root of their spread: beside large features lambda is large, too, and would hold a bias of 1 at
 * 0.  input: out: lengthed, bias and scale.  0 or -1. */
static int estimate_take_lengths(const struct problem *problem, const double *weight,
                                 struct estimate_input *input, struct error *err)
{
    struct problem *lengthed = &input->lengthed;
    int64_t decades;
    bool scales;
    input->bias = 1;
    if (rows_lengthen(problem, NULL, input->bias, lengthed, err) != 0)
        return -1;
    if (estimate_wants_scale(problem, &scales, err) != 0
        || (scales && estimate_take_scale(input, err) != 0))
        return -1;
    if (feature_sizes_decades(lengthed, weight, &decades, err) != 0)
        return -1;
    for (; decades > 0; decades -= 2)
        input->bias *= 10;
    for (int64_t i = 0; i < lengthed->n; i++)
        lengthed->value[lengthed->row_start[i + 1] - 1] = input->bias;
    return 0;
}

int estimate_lengthen_all(const struct problem *problem, struct estimate_input *input,
                          struct error *err)
{
    struct problem all = {.n = 0};
    if (rows_lengthen(problem, input->scale, input->bias, &all, err) != 0)
        return -1;
    problem_free(&input->lengthed);
    input->lengthed = all;
    return 0;
}

/* The same as estimate_choose_lengths, through the matrix c. */
static int estimate_choose_lengths_by(const double *c, const struct labelled *data,
                                      const struct estimate_options *options,
                                      struct estimate_input *input, struct error *err)
{
    const struct labelled changed = labelled_with(data, &input->lengthed);
    const struct crossfit_options *fit = &options->fit;
    struct estimate unit = {.n = 0}, taken = {.n = 0};
    bool prefers = false;
    int status = estimate_take_lengths(data->problem, fit->weight, input, err);
    estimate_tell_phase(options, "trying unit length");
    if (status == 0)
        status = estimate_make(data, c, ESTIMATE_MATRIX, fit, &unit, err);
    estimate_tell_phase(options, "trying lengths and a bias");
    if (status == 0)
        status = estimate_make(&changed, c, ESTIMATE_MATRIX, fit, &taken, err);
    if (status == 0)
        status = estimate_compare(&unit, &taken, data->y, fit->weight, &prefers, err);
    if (!prefers)
        estimate_drop_lengths(input);
    estimate_free(&unit);
    estimate_free(&taken);
    return status;
}

int estimate_choose_lengths(const struct labelled *data, const double *known,
                            const struct estimate_options *options, struct estimate_input *input,
                            struct error *err)
{
    const int64_t K = data->labels->count;
    double *identity = memory_new(K * K, sizeof *identity, err);
    if (!identity)
        return -1;
    start_identity(identity, K);
    const int status = estimate_choose_lengths_by(known ? known : identity, data, options, input,
                                                  err);
    estimate_tell_phase(options, known ? "choosing lambda" : "estimating the noise");
    memory_free(identity);
    return status;
}
