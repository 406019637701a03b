/* The options, the parts of the estimate in their order, and their memory. */
#include "learners/estimate/confusion_estimate.h"

#include "common/base/memory.h"
#include "common/base/reduce.h"
#include "common/data/copies.h"
#include "common/linear/weights.h"
#include "learners/estimate/fine_estimate.h"
#include "learners/estimate/map_estimate.h"
#include "learners/estimate/matrix_estimate.h"
#include "learners/estimate/rest_of_fold.h"
#include "learners/estimate/richer_estimate.h"
#include "learners/estimate/scores_estimate.h"
#include "learners/estimate/svm_estimate.h"
#include "learners/features/map_choice.h"
#include "learners/noise/chance.h"
#include "learners/noise/em_prior.h"
#include "learners/noise/pool.h"
#include "learners/noise/start.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    ESTIMATE_FEW_FEATURES = 100,
    ESTIMATE_USUAL_FEATURES = 300
}; /* no reason for either but that they work */

/* A penalty so strong, at unit length, that a linear classifier knows little more than the means of
 * the classes.  Measured (experiments/forward/choices.md): .03 to 1 are alike. */
static const double estimate_chance_lambda = 0.1;

/* ---- options ---- */

const char *const estimate_map_words[] = {"linear", "rbf", "auto", "0", "2", NULL};

void estimate_make_linear(struct estimate_options *options, const char *what)
{
    options->map = ESTIMATE_LINEAR;
    options->linear_for = what;
}

void estimate_lack_memory(struct estimate_options *options)
{
    if (options->map == ESTIMATE_AUTO) {
        options->map = ESTIMATE_LINEAR;
        options->lacks_memory = true;
        options->tries_lengths = true;
    }
}

int estimate_settle_map(struct estimate_options *options, double bias, struct error *err)
{
    options->map %= ESTIMATE_MAPS;
    options->tries_lengths &= bias < 0;
    if (options->map == ESTIMATE_AUTO && (bias >= 0 || reduce_ranks() > 1))
        estimate_make_linear(options, bias >= 0 ? "-B" : NULL);
    if (options->map == ESTIMATE_RBF && reduce_ranks() > 1)
        return error_usage(err, "-t rbf works on one rank: several need -t linear");
    if (options->map == ESTIMATE_RBF && bias >= 0)
        return error_usage(err, "-B is for -t linear: the features of a kernel hold a constant");
    if (options->map != ESTIMATE_LINEAR)
        return 0;
    if (options->map_dims > 0 || options->map_gamma > 0)
        return error_usage(err,
                           "-D and -g describe the features of a kernel, and -t is linear here: "
                           "give -t rbf or leave them out");
    return 0;
}

bool estimate_keeps_lengths(const struct estimate_options *options, bool unit_length_given)
{
    const bool chosen = options->map != ESTIMATE_LINEAR || options->tries_lengths;
    return !chosen || (!unit_length_given && !(options->map_gamma > 0));
}

int estimate_settle_size(struct estimate_options *options, bool map_given, const char *option,
                         struct error *err)
{
    const int64_t map = options->map % ESTIMATE_MAPS; /* LIBSVM's numbers are the first two again */
    if (map_given && map != ESTIMATE_LINEAR)
        return error_usage(
            err,
            "-t %s needs the data in memory: it does not go with %s: leave out one of "
            "them, or give -t linear",
            estimate_map_words[map], option);
    if (!map_given) {
        estimate_make_linear(options, option);
        options->tries_lengths = true;
    }
    return 0;
}

/* ---- the whole ---- */

/* Settle options->features, the number of random features. */
static void estimate_count_features(struct estimate_options *options, const struct problem *problem,
                                    bool matrix_known)
{
    if (matrix_known)
        options->features = 0;
    else if (options->features < 0)
        options->features = problem->d <= ESTIMATE_FEW_FEATURES
                                    && !estimate_wants_map(options, problem)
                                ? ESTIMATE_USUAL_FEATURES
                                : 0;
}

/* Is the number of steps chosen wherever there are too many features for the metric of
 * forward_minimum.h? */
static bool estimate_chooses_steps(const struct estimate_options *options)
{
    return options->fit.steps < 0 && !options->matrix_only;
}

/* Bytes of the cross-fits.  The fine ones are made while the estimate is held. */
static double estimate_fits_bytes(const struct estimate_options *options, int64_t n, int64_t nnz,
                                  int64_t classes, int64_t d)
{
    const int64_t steps = options->fit.steps;
    const bool chooses = estimate_chooses_steps(options) && !forward_metric_has_moment(d, nnz);
    double bytes = crossfit_bytes(n, nnz, classes, d, steps, FOLDS_DEFAULT);
    if ((options->fine || chooses) && n >= FOLDS_FINE)
        bytes = fmax(bytes, 8 * (double)n * (double)classes
                                + crossfit_bytes(n, nnz, classes, d, steps, FOLDS_FINE));
    return bytes;
}

/* Bytes of what is tried with a kernel: the choice of the map, and a classifier on it. */
static double estimate_kernel_bytes(const struct estimate_options *options,
                                    const struct problem *problem, int64_t classes)
{
    const int64_t n = reduce_count(problem->n), dims = estimate_map_dims(options, n),
                  more = estimate_ridge_dims(options, n, classes);
    const double mapped = problem_dense_bytes((double)n, (double)dims, false)
                          + estimate_fits_bytes(options, n, n * dims, classes, dims),
                 ridge = estimate_tries_others(options)
                             ? kernel_ridge_bytes(n, problem->d, more, classes)
                                   + FOLDS_DEFAULT * rest_bytes(n, classes)
                             : 0;
    const double pool = options->fine ? 8 * (double)n * (double)(classes + 2) : 0;
    return 16 * (double)n /* folds, fine ones */
           + pool + map_choice_bytes(problem, classes)
           + 8 * (double)dims * (double)(dims + problem->d)
           + fmax(mapped, ridge); /* one after the other */
}

/* Bytes of all parts, with options->features settled.  lengths: are they tried? */
static double estimate_bytes(const struct estimate_options *options, const struct problem *problem,
                             int64_t classes, bool lengths)
{
    const int64_t n = reduce_count(problem->n), features = options->features;
    assert(features >= 0);
    double bytes = 8 * 8 * (double)classes * (double)classes,
           fits = estimate_fits_bytes(options, n, problem->nnz, classes, problem->d);
    if (estimate_wants_svm(options, problem))
        fits = fmax(fits, 8 * (double)n * (double)classes + estimate_svm_bytes(problem, classes));
    bytes += fits + 8 * (double)n; /* copies */
    if (features > 0)
        bytes += 8 * (double)n * (double)classes
                 + 2 * problem_dense_bytes((double)n, (double)features, false)
                 + weights_bytes(features, problem->d)
                 + estimate_fits_bytes(options, n, n * features, classes, features);
    if (lengths)
        bytes += estimate_lengths_bytes(problem, classes);
    if (estimate_wants_map(options, problem))
        bytes += estimate_kernel_bytes(options, problem, classes);
    return bytes;
}

/* Is the number of steps to be chosen once more, by fits to nine tenths?  Only if it was chosen by
 * likelihood: decisions were judged by all examples, and the fine folds that judge hold fewer.  And
 * only if the labels fit the matrix: fits to more examples ask for more steps, and where the matrix
 * does not describe the noise, more steps learn more of it. */
static bool estimate_wants_fine_steps(const struct estimate_options *options,
                                      const struct estimate *e)
{
    return estimate_chooses_steps(options) && e->classifier.steps > 0
           && !e->classifier.steps_by_decisions && !(e->misfit > 0) && e->n >= FOLDS_FINE;
}

/* Are the probabilities to be made anew, by fine folds?  Those of kernel ridge regression have
 * been. Those through random features (gamma > 0) have been, or stay as they are: the features are
 * gone.
 */
static bool estimate_wants_fine_probabilities(const struct estimate_options *options,
                                              const struct estimate *e)
{
    return options->fine && e->n >= FOLDS_FINE && e->classifier.kind != ESTIMATE_RIDGE
           && (e->input.map || !(e->matrix.gamma > 0));
}

/* A copy of the linear model's probabilities, to be pooled with those through a map that may be
 * taken; *linear is NULL where they are not to be.  0 or -1. */
static int estimate_keep_linear(const struct estimate_options *options,
                                const struct problem *problem, const struct estimate *e,
                                double **linear, struct error *err)
{
    const int64_t cells = e->n * e->classes;
    if (!options->fine || !estimate_wants_map(options, problem))
        return 0;
    if (!(*linear = memory_new(cells, sizeof **linear, err)))
        return -1;
    memcpy(*linear, e->p, (size_t)cells * sizeof **linear);
    return 0;
}

/* Pool them, where a map has been taken.  0 or -1. */
static int estimate_pool(const struct labelled *data, const struct estimate_options *options,
                         const double *linear, struct estimate *e, struct error *err)
{
    const struct label_noise noise = {.n = e->n,
                                      .classes = e->classes,
                                      .y = data->y,
                                      .weight = options->fit.weight,
                                      .c = e->matrix.c};
    double share;
    return linear && e->input.map ? pool_probabilities(&noise, e->p, linear, &share, err) : 0;
}

/* All parts, with options->features settled.  lengths: are they tried?  e: out; empty on failure.
 * 0 or -1. */
static int estimate_all(const struct labelled *data, const double *known,
                        const struct estimate_options *options, bool lengths, struct estimate *e,
                        struct error *err)
{
    const struct problem *problem = data->problem;
    struct estimate_input input = {.map = NULL};
    double *linear = NULL;
    if (lengths && estimate_choose_lengths(data, known, options, &input, err) != 0)
        return -1;
    const struct labelled examples = labelled_with(data, estimate_linear_examples(&input, problem));
    int status = estimate_make(&examples, known, known ? ESTIMATE_MATRIX : ESTIMATE_NOTHING,
                               &options->fit, e, err);
    if (status == 0 && options->features > 0)
        status = estimate_try_features(&examples, options, e, err);
    e->input = input;
    if (status == 0)
        status = estimate_keep_linear(options, problem, e, &linear, err);
    if (status == 0 && estimate_wants_map(options, problem))
        status = estimate_try_map(data, known != NULL, options, e, err);
    if (status == 0 && e->input.lengthed.n == 0 && estimate_wants_svm(options, problem))
        status = estimate_try_svm(data, known != NULL, options, e, err);
    const struct labelled chosen = labelled_with(data, estimate_examples(e, problem));
    if (status == 0 && estimate_wants_fine_steps(options, e)) {
        estimate_tell_phase(options, "choosing steps");
        status = estimate_fine_steps(&chosen, &options->fit, e, err);
    }
    if (status == 0 && estimate_wants_fine_probabilities(options, e)) {
        estimate_tell_phase(options, "making probabilities");
        status = estimate_fine_probabilities(&chosen, &options->fit, e, err);
    }
    if (status == 0)
        status = estimate_pool(data, options, linear, e, err);
    memory_free(linear);
    if (status != 0)
        estimate_free(e);
    return status;
}

/* The same with the labels taken as right. */
static int estimate_plainly(const struct labelled *data, const struct estimate_options *counted,
                            bool lengths, struct estimate *e, struct error *err)
{
    const int64_t K = data->labels->count;
    struct estimate_options options = *counted;
    double *identity = memory_new(K * K, sizeof *identity, err);
    if (!identity)
        return -1;
    start_identity(identity, K);
    options.features = 0; /* they are for a matrix that is not known */
    const int status = estimate_all(data, identity, &options, lengths, e, err);
    memory_free(identity);
    return status;
}

/* In place of e (in, out).  Held-out labels that tell nothing choose by chance, so that only the
 * lengths are left to them: at unit length some tables tell a linear model nothing.  0 or -1. */
static int estimate_without_noise(const struct labelled *data,
                                  const struct estimate_options *counted, bool lengths,
                                  struct estimate *e, struct error *err)
{
    struct estimate_options options = *counted;
    if (options.map == ESTIMATE_AUTO)
        options.map = ESTIMATE_LINEAR;
    if (options.map == ESTIMATE_LINEAR && options.fit.lambda < 0) {
        options.fit.lambda = estimate_chance_lambda;
        options.fit.scales_lambda = true;
    }
    estimate_free(e);
    const int status = estimate_plainly(data, &options, lengths, e, err);
    e->by_chance = status == 0;
    return status;
}

/* ---- classes that are lost ---- */

static bool estimate_has_lost(const struct estimate *e)
{
    bool any = false;
    for (int64_t k = 0; k < e->classes; k++)
        any |= e->matrix.lost[k];
    return any;
}

/* Does plain find the examples of classes that are lost?  Then the matrix by EM from its
 * probabilities, by which they are doubtful unless all classes are about as noisy.
 *
 * plain  with the labels taken as right; its p is overwritten
 * lost   K
 * found  out: with the matrix; or it stays empty, with n = 0
 * 0 or -1. */
static int estimate_find_lost(const struct labelled *data, const struct crossfit_options *options,
                              struct estimate *plain, const bool *lost, struct estimate *found,
                              struct error *err)
{
    const struct fold_examples all = fold_examples_of(data);
    const int64_t n = plain->n, K = plain->classes;
    struct em em = {.n = 0};
    double *count = memory_new(K * K, sizeof *count, err);
    int64_t *fold = memory_new(n, sizeof *fold, err);
    int status = -1;
    if (!count || !fold || folds_assign(&all, FOLDS_DEFAULT, options->seed, fold, err) != 0
        || em_start(&em, n, K, data->y, fold, options->threads, err) != 0)
        goto done;
    em_weigh(&em, options->weight);
    em.first = data->first;
    for (int64_t i = 0; i < n; i++)
        em_score_probabilities(K, plain->p + i * K);
    em_probabilities(&em, plain->p, plain->matrix.c, 1);
    chance_count(&em, count);
    if (chance_agreement_of(count, K, lost) > CHANCE_ERRORS
        && estimate_from_scores(&em, plain->p, NULL, found, NULL, err) != 0)
        goto done;
    for (int64_t k = 0; k < K && found->n > 0 && em.prior < EM_LAST_PRIOR; k++)
        found->matrix.doubtful[k] |= lost[k];
    status = 0;
done:
    em_free(&em);
    memory_free(count);
    memory_free(fold);
    return status;
}

/* The matrix of e (in, out) has lost classes.  If a classifier that takes the labels as right finds
 * them, e becomes the estimate with the matrix by its probabilities; else e is made once more, as
 * keeping it meanwhile would take twice the memory.  0 or -1. */
static int estimate_recover_lost(const struct labelled *data,
                                 const struct estimate_options *counted, bool lengths,
                                 struct estimate *e, struct error *err)
{
    struct estimate_options options = *counted;
    struct estimate plain = {.n = 0}, found = {.n = 0};
    bool *lost = e->matrix.lost;
    e->matrix.lost = NULL;
    estimate_free(e);
    estimate_tell_phase(&options, "looking for lost classes");
    /* The same probabilities, whatever is wanted of e. */
    options.fine = options.matrix_only = options.predicts = false;
    int status = estimate_plainly(data, &options, lengths, &plain, err);
    if (status == 0)
        status = estimate_find_lost(data, &options.fit, &plain, lost, &found, err);
    estimate_free(&plain);
    options = *counted;
    if (found.n > 0)
        options.features = 0;
    if (status == 0)
        status = estimate_all(data, found.matrix.c, &options, lengths, e, err);
    if (status == 0 && found.n > 0) {
        estimate_swap_matrices(e, &found);
        e->by_chance = false; /* as plain has found some classes */
    }
    estimate_free(&found);
    memory_free(lost);
    return status;
}

int estimate_noise(const struct labelled *data, const double *known,
                   const struct estimate_options *given, struct estimate *e, struct error *err)
{
    const struct problem *problem = data->problem;
    struct estimate_options options = *given;
    struct labelled examples = *data;
    int64_t *copies;
    bool lengths;
    estimate_count_features(&options, problem, known != NULL);
    if (estimate_wants_lengths(&options, problem, &lengths, err) != 0)
        return -1;
    const double bytes = problem_bytes_held(problem)
                         + estimate_bytes(&options, problem, data->labels->count, lengths);
    if (memory_check(bytes,
                     estimate_wants_map(&options, problem) || estimate_wants_svm(&options, problem)
                         ? "estimating from the labels (-t linear takes less)"
                         : "estimating from the labels",
                     err)
            != 0
        || copies_unless_groups(data->first, problem, data->y, &copies, &examples.first, err) != 0)
        return -1;
    int status = estimate_all(&examples, known, &options, lengths, e, err);
    if (status == 0 && !known && e->by_chance)
        status = estimate_without_noise(&examples, &options, lengths, e, err);
    else if (status == 0 && !known && estimate_wants_map(&options, problem) && estimate_has_lost(e))
        status = estimate_recover_lost(&examples, &options, lengths, e, err);
    memory_free(copies);
    return status;
}

double estimate_noise_bytes(const struct estimate_options *given, const struct problem *problem,
                            int64_t classes, bool matrix_known)
{
    struct estimate_options options = *given;
    bool lengths; /* where there is no memory to tell, they are counted */
    estimate_count_features(&options, problem, matrix_known);
    lengths = estimate_wants_lengths(&options, problem, &lengths, NULL) != 0 || lengths;
    return estimate_bytes(&options, problem, classes, lengths);
}

/* ---- for cross-validation ---- */

/* A subset of the examples.  part: out, empty before.  0 or -1. */
static int estimate_draw(const struct problem *from, bool at_length, const int64_t *subset,
                         int64_t n, struct problem *part, struct error *err)
{
    for (int64_t s = 0; s < n; s++)
        if (problem_append_from(part, from, subset[s], at_length, err) != 0)
            return -1;
    return 0;
}

int estimate_classifier_of(const struct estimate *e, const struct labelled *data,
                           const struct estimate_options *options, const int64_t *subset, int64_t n,
                           struct weights *w, struct error *err)
{
    struct estimate_options once = *options;
    struct problem part = {0};
    struct estimate of_part = {0};
    double *weight = NULL;
    int32_t *part_y = NULL;
    int64_t *first = NULL;
    int status = -1;
    if (e->classifier.kind == ESTIMATE_RIDGE) {
        once.ridge_map = e->input.map;
    } else {
        once.map = ESTIMATE_LINEAR;
        once.takes_svm = true;
        once.fit.lambda = e->svm.softmax.lambda;
        once.fit.steps = e->svm.softmax.steps;
    }
    once.fit.progress = NULL;
    /* At the lengths that e's classifier has learnt from. */
    if (estimate_gather(subset, n, data->y, options->fit.weight, &part_y, &weight, err) == 0
        && estimate_draw(data->problem, e->input.at_length, subset, n, &part, err) == 0
        && copies_among(data->first, data->problem->n, subset, n, &first, err) == 0) {
        const struct labelled drawn = {
            .problem = &part, .y = part_y, .labels = data->labels, .first = first};
        once.fit.weight = weight;
        status = estimate_noise(&drawn, e->matrix.c, &once, &of_part, err);
    }
    if (status == 0 && of_part.classifier.kind != e->classifier.kind)
        status = error_set(err,
                           "the classifier that was chosen does not fit a part of the examples");
    if (status == 0) {
        struct weights *found = estimate_weights(&of_part);
        *w = *found;
        *found = (struct weights){0};
    }
    estimate_free(&of_part);
    problem_free(&part);
    memory_free(weight);
    memory_free(part_y);
    memory_free(first);
    return status;
}

double estimate_part_bytes(const struct estimate_options *options, const struct problem *problem,
                           int64_t classes)
{
    const double n = (double)problem->n, K = (double)classes,
                 dims = (double)estimate_ridge_dims(options, problem->n, classes),
                 part = problem_bytes(n, (double)problem->nnz, false) + 16 * n;
    if (!estimate_tries_others(options))
        return 0;
    if (estimate_wants_map(options, problem))
        return part + problem_dense_bytes(n, dims, false) + 16 * n * K;
    return estimate_wants_svm(options, problem) ? part + weights_bytes(classes, problem->d) : 0;
}
