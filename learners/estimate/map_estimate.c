/* Softmax regression on few landmarks, as it is fitted many times; then kernel ridge regression on
 * many, as that takes a few solutions of a linear system. */
#include "learners/estimate/map_estimate.h"

#include "common/base/memory.h"
#include "common/base/order.h"
#include "common/base/reduce.h"
#include "learners/estimate/cross_scores.h"
#include "learners/estimate/matrix_estimate.h"
#include "learners/estimate/scores_estimate.h"
#include "learners/features/map_choice.h"
#include "learners/features/map_kernel.h"
#include "learners/noise/chance.h"

#include <string.h>

/* Landmarks of softmax regression, and of kernel ridge regression: 200 a class, but at least 2000
 * and at most 2500.  Measured on usps, optdigits and letter: with 1000
 * softmax regression gains half a point and takes twice as long; with 2500 in place of 2000 kernel
 * ridge regression gains half a point on 16000 letters of 26 classes, little on ten digits; with
 * 3000 another .3, and the whole run takes a third longer. */
enum {
    ESTIMATE_MAP_DIMS = 500,
    ESTIMATE_RIDGE_CLASS = 200,
    ESTIMATE_RIDGE_LEAST = 2000,
    ESTIMATE_RIDGE_MOST = 2500
};

/* Mapped data have at most this many numbers, which take 1 GB: 2000 features of 60000 examples. */
static const double estimate_most_mapped = 1.2e8;

/* Data count as dense if at least one value in so many is not 0: in texts that is one in hundreds,
 * in drawings one in 5 (pixels). */
static const double estimate_sparse = 16;

/* The number of features that -D gives or, by default, `usual`; fewer where the examples are few
 * or, by default, where memory does not allow so many. */
static int64_t estimate_limit_dims(const struct estimate_options *options, int64_t n, int64_t usual)
{
    int64_t dims = options->map_dims;
    if (dims == 0) {
        dims = order_least(usual, n / 2);
        if ((double)n * (double)dims > estimate_most_mapped)
            dims = (int64_t)(estimate_most_mapped / (double)n);
        if (dims < 1)
            dims = 1;
    }
    return order_least(dims, n);
}

int64_t estimate_map_dims(const struct estimate_options *options, int64_t n)
{
    return estimate_limit_dims(options, n, ESTIMATE_MAP_DIMS);
}

int64_t estimate_ridge_dims(const struct estimate_options *options, int64_t n, int64_t classes)
{
    const int64_t usual = order_least(classes * ESTIMATE_RIDGE_CLASS, ESTIMATE_RIDGE_MOST);
    return estimate_limit_dims(options, n,
                               usual > ESTIMATE_RIDGE_LEAST ? usual : ESTIMATE_RIDGE_LEAST);
}

/* Measurements are, texts are not. */
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

/* What is tried, and by what. */
struct map_try {
    const struct labelled *data;
    struct trial_examples examples; /* the same, or lengthed, where the map is of these */
    struct problem lengthed;        /* as of map_choose */
    bool matrix_known;
    const struct estimate_options *options;
    struct estimate *e;
    bool through_map; /* softmax regression through the map is e's, no longer the linear one */
};

/* Make t->e->input.map and .mapped and, where the map is of examples at their lengths, t->lengthed.
 * 0, FEATURE_MAP_UNFIT or -1. */
static int map_make(struct map_try *t, struct error *err)
{
    const struct estimate_options *options = t->options;
    const struct problem *problem = t->data->problem;
    struct feature_map *map = t->e->input.map = memory_new(1, sizeof *map, err);
    if (!map)
        return -1;
    estimate_tell_phase(options, "choosing features of a kernel");
    const int64_t dims = estimate_map_dims(options, problem->n), seed = options->fit.seed;
    const int threads = options->fit.threads;
    const struct map_kernel asked = {.gamma = options->map_gamma},
                            kernel = options->ridge_map ? map_kernel_of(options->ridge_map) : asked;
    const int status = kernel.gamma > 0
                           ? map_of_kernel(problem, dims, kernel, seed, threads, map, err)
                           : map_choose(&t->examples, dims, seed, threads, map, &t->lengthed, err);
    if (status != 0)
        return status;
    if (t->lengthed.n > 0)
        t->examples.problem = &t->lengthed;
    return feature_map_problem(map, t->examples.problem, -1, threads, &t->e->input.mapped, err);
}

/* The estimate through the map: with the matrix of t->e or, where that is doubtful and was not
 * given, with one that is found through the map, if that makes the labels likelier.
 *
 * rich  out
 * anew  out: its matrix was found through the map
 * 0 or -1. */
static int estimate_through_map(const struct map_try *t, struct estimate *rich, bool *anew,
                                struct error *err)
{
    const struct estimate *e = t->e;
    const struct crossfit_options *fit = &t->options->fit;
    const struct labelled mapped = labelled_with(t->data, &e->input.mapped);
    if (!t->matrix_known && estimate_is_doubtful(e)) {
        estimate_tell_phase(t->options, "estimating through them");
        if (estimate_make(&mapped, NULL, ESTIMATE_NOTHING, fit, rich, err) != 0)
            return -1;
        *anew = rich->likelihood > e->likelihood;
        if (*anew)
            return 0;
        estimate_free(rich);
    }
    *anew = false;
    estimate_tell_phase(t->options, "learning from them");
    return estimate_make(&mapped, e->matrix.c, ESTIMATE_MATRIX, fit, rich, err);
}

/* Fit softmax regression through a map, and let it replace the linear one if it is asked for or
 * better: t->through_map.  0, FEATURE_MAP_UNFIT or -1. */
static int map_try_softmax(struct map_try *t, struct error *err)
{
    struct estimate *e = t->e, rich = {.n = 0};
    bool anew = false;
    int status = map_make(t, err);
    if (status == 0)
        status = estimate_through_map(t, &rich, &anew, err);
    if (status != 0)
        return status;
    const double *weight = t->options->fit.weight, asked = t->options->map_gamma;
    /* The linear model must be clearly ahead: with a good gamma, too, it may be as good. */
    const bool poor = asked > 0
                      && estimate_is_likelier(&rich, e, t->data->y, weight, CROSSFIT_CLEAR);
    t->through_map = t->options->map == ESTIMATE_RBF
                     || estimate_is_likelier(e, &rich, t->data->y, weight, CROSSFIT_ERRORS);
    if (t->through_map)
        estimate_replace(e, &rich);
    e->poor_gamma = t->through_map && poor ? asked : 0;
    if (t->through_map && !anew) /* keep what was said of the matrix where it was found */
        estimate_swap_matrices(e, &rich);
    estimate_free(&rich);
    return 0;
}

/* Estimate the matrix, and what is said of it, anew: by EM with these scores, from t->e->matrix.c
 * on.  0 or -1. */
static int estimate_revise(const struct map_try *t, const double *scores, struct error *err)
{
    const struct trial_examples *examples = &t->examples;
    struct em em;
    int status = em_start(&em, examples->problem->n, t->e->classes, examples->y, examples->fold,
                          t->options->fit.threads, err);
    if (status == 0) {
        em_weigh(&em, examples->weight);
        em.first = t->data->first;
        status = estimate_continue_from_scores(&em, scores, t->e, err);
    }
    em_free(&em);
    return status;
}

/* The map and, if there is one, the classifier of kernel ridge regression take the place of those
 * of e. */
static void estimate_take_ridge(struct estimate *e)
{
    struct kernel_ridge *ridge = &e->ridge;
    estimate_drop_map(e);
    e->input.map = ridge->map;
    e->input.mapped = ridge->mapped;
    ridge->map = NULL;
    ridge->mapped = (struct problem){0};
    e->classifier = (struct estimate_classifier){
        .kind = ESTIMATE_RIDGE,
        .lambda = 2 * ridge->strict.ridge / (double)e->n, /* a mean loss, half of the penalty */
        .temperature = ridge->temperature};
    if (!ridge->p)
        return;
    memory_free(e->p);
    e->p = ridge->p;
    ridge->p = NULL;
}

/* The rests of the folds that judge (rest_of_fold.h), with probabilities by softmax regression with
 * the settings of t->e, on the features of `linear`.  rest: out, FOLDS_DEFAULT of them, zero
 * before; free each with rest_free, also after an error.  0 or -1. */
static int estimate_make_rests(const struct map_try *t, const struct labelled *linear,
                               struct rest_of_fold *rest, struct error *err)
{
    struct forward_metric metric = {.moment = NULL};
    const struct trial_examples *examples = &t->examples;
    const struct cross_scores_task task = {.data = linear,
                                           .weight = examples->weight,
                                           .estimate = t->e,
                                           .metric = &metric,
                                           .threads = t->options->fit.threads};
    const int64_t judges = crossfit_judges(examples->fold, linear->problem->n);
    int status = forward_metric_make(linear->problem, task.weight, &metric, task.threads, err);
    if (status != 0)
        return -1;
    for (int64_t fold = 0; fold < judges; fold++) {
        status = cross_scores_of_rest(&task, examples->fold, fold, t->options->fit.seed,
                                      &rest[fold], err);
        if (status != 0)
            break;
    }
    forward_metric_free(&metric);
    return status;
}

/* The fine folds by which probabilities are to be held out.  *fine: out; NULL: they keep the folds
 * that they have.  0 or -1. */
static int estimate_deal_fine(const struct map_try *t, int64_t **fine, struct error *err)
{
    const struct fold_examples all = fold_examples_of(t->data);
    *fine = NULL;
    if (!t->options->fine || all.n < FOLDS_FINE)
        return 0;
    if (!(*fine = memory_new(all.n, sizeof **fine, err)))
        return -1;
    return folds_assign(&all, FOLDS_FINE, t->options->fit.seed, *fine, err);
}

/* Try kernel ridge regression with the kernel of e->input.map.  If it is the better one, it
 * replaces e->classifier, and the matrix is estimated anew, unless it is known.  Its landmarks are
 * more than those of softmax regression: if rounding allows no kernel of so many, it is not tried.
 *
 * rest             as in struct kernel_ridge_basis
 * e->input.mapped  in: empty; out: the examples through the map of kernel ridge regression, if that
 *                  is taken
 * 0 or -1. */
static int map_judge_ridge(const struct map_try *t, struct rest_of_fold *rest, struct error *err)
{
    const struct trial_examples *examples = &t->examples;
    const struct estimate_options *options = t->options;
    struct estimate *e = t->e;
    const int64_t n = examples->problem->n;
    struct kernel_ridge_basis basis = {.problem = examples->problem,
                                       .y = examples->y,
                                       .weight = examples->weight,
                                       .fold = examples->fold,
                                       .classes = e->classes,
                                       .c = e->matrix.c,
                                       .matrix_known = t->matrix_known,
                                       .share = e->share,
                                       .p = e->p,
                                       .unexplained = e->unexplained,
                                       .rest = rest,
                                       .map = options->ridge_map,
                                       .kernel = map_kernel_of(e->input.map),
                                       .dims = estimate_ridge_dims(options, n, e->classes),
                                       .seed = e->input.map->seed,
                                       .threads = options->fit.threads};
    struct kernel_ridge *ridge = &e->ridge;
    int64_t *fine = NULL;
    int status = kernel_ridge_begin(&basis, ridge, err);
    if (status != 0) {
        status = status == FEATURE_MAP_UNFIT ? 0 : -1;
        goto done;
    }
    status = -1;
    if (options->ridge_map || kernel_ridge_is_better(ridge, e->misfit)) {
        /* Without rests the labels that judge have had a part in its decisions, and tell nothing of
         * chance. */
        e->by_chance = e->by_chance && !(rest && ridge->agreement >= CHANCE_ERRORS);
        if (!t->matrix_known && estimate_revise(t, ridge->scores, err) != 0)
            goto done;
        basis.unexplained = e->unexplained;
        if (estimate_deal_fine(t, &fine, err) != 0)
            goto done;
        basis.fine = fine;
        if (!options->matrix_only && kernel_ridge_finish(&basis, ridge, err) != 0)
            goto done;
        estimate_take_ridge(e);
    }
    status = 0;
done:
    kernel_ridge_leave(ridge);
    memory_free(fine);
    return status;
}

/* The same; where softmax regression is linear, judged by folds whose labels it does not know. */
static int map_try_ridge(const struct map_try *t, struct error *err)
{
    struct rest_of_fold rest[FOLDS_DEFAULT] = {{0}};
    const struct problem *problem = t->data->problem;
    const bool blind = !t->through_map && !t->options->ridge_map && problem->n >= REST_FEWEST;
    const struct labelled linear = labelled_with(t->data,
                                                 estimate_linear_examples(&t->e->input, problem));
    estimate_tell_phase(t->options, "kernel ridge regression");
    int status = blind ? estimate_make_rests(t, &linear, rest, err) : 0;
    problem_free(&t->e->input.mapped); /* makes room for that of kernel ridge regression */
    if (status == 0)
        status = map_judge_ridge(t, blind ? rest : NULL, err);
    for (int64_t fold = 0; fold < FOLDS_DEFAULT; fold++)
        rest_free(&rest[fold]);
    return status;
}

/* Keep the map, and the examples through it, if the classifier works on them.  0 or -1. */
static int map_finish(struct map_try *t, struct error *err)
{
    struct estimate *e = t->e;
    if (!t->through_map && e->classifier.kind != ESTIMATE_RIDGE) {
        estimate_drop_map(e);
        return 0;
    }
    estimate_drop_lengths(&e->input);
    e->input.at_length = t->lengthed.n > 0;
    if (e->input.mapped.n > 0 || t->options->matrix_only)
        return 0;
    return feature_map_problem(e->input.map, t->examples.problem, -1, t->options->fit.threads,
                               &e->input.mapped, err);
}

/* The same as estimate_try_map. */
static int map_try_all(struct map_try *t, struct error *err)
{
    const int status = map_try_softmax(t, err);
    if (status == FEATURE_MAP_UNFIT && t->options->map == ESTIMATE_AUTO) {
        estimate_drop_map(t->e);
        return 0;
    }
    if (status != 0 || (estimate_tries_others(t->options) && map_try_ridge(t, err) != 0))
        return -1;
    return map_finish(t, err);
}

int estimate_try_map(const struct labelled *data, bool matrix_known,
                     const struct estimate_options *options, struct estimate *e, struct error *err)
{
    const struct fold_examples all = fold_examples_of(data);
    /* Those of the cross-fits, by which e->p is held out. */
    int64_t *fold = memory_new(all.n, sizeof *fold, err);
    struct map_try t = {.data = data,
                        .examples = {.problem = data->problem,
                                     .y = data->y,
                                     .weight = options->fit.weight,
                                     .fold = fold,
                                     .classes = all.classes},
                        .matrix_known = matrix_known,
                        .options = options,
                        .e = e};
    int status = -1;
    if (fold && folds_assign(&all, FOLDS_DEFAULT, options->fit.seed, fold, err) == 0)
        status = map_try_all(&t, err);
    problem_free(&t.lengthed);
    memory_free(fold);
    return status;
}
