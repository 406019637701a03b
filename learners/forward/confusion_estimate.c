#include "learners/forward/confusion_estimate.h"

#include "common/base/elementary.h"
#include "common/base/memory.h"
#include "common/linalg/dense.h"
#include "learners/features/fourier.h"
#include "learners/forward/crossfit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    HUNTS = 4,  /* for anchors, in the third climb */
    ROUNDS = 6, /* from a start, at most */
    EM_STEPS = 20,
    LAMBDA_START = 6 /* of the grid */
};
static const double least_gain = 1e-3;          /* of a round, in mean log-likelihood */
static const double priors[] = {10, 100, 1000}; /* the first until all else is found */
static const double ANCHORS = 0.2 /* of a class's examples */,
                    AGREEMENT = 0.05 /* of all examples' labels */;
static const double SLIGHT = 1e-3, LEAD = 0.1, FEW_ASTRAY = 0.01, FEWEST = 5,
                    DOUBT = 2 /* standard errors */;

/* Of random features, to choose their gamma with. */
static const double features_lambda = 1e-4;

void estimate_posterior(const double *c, int64_t K, const double *p, int32_t y, double *r)
{
    const double *row = c + y * K, q = crossfit_observed(row, K, p);
    for (int64_t k = 0; k < K; k++)
        r[k] = row[k] * p[k] / q;
}

/* The confident joint of f->p, as a matrix. */
static int confident_joint(const struct crossfit *f, double *c, struct error *err)
{
    const int64_t K = f->K;
    double *mean = memory_new(2 * K, sizeof *mean, err), *count;
    if (!mean)
        return -1;
    count = mean + K;
    memset(c, 0, (size_t)(K * K) * sizeof *c);
    for (int64_t i = 0; i < f->n; i++) {
        mean[f->y[i]] += f->p[i * K + f->y[i]];
        count[f->y[i]]++;
    }
    for (int64_t k = 0; k < K; k++)
        mean[k] = count[k] > 0 ? mean[k] / count[k] : 1;
    for (int64_t i = 0; i < f->n; i++) {
        const double *p = f->p + i * K;
        int64_t best = -1;
        for (int64_t k = 0; k < K; k++)
            if (p[k] >= mean[k] && (best < 0 || p[k] > p[best]))
                best = k;
        if (best >= 0)
            c[f->y[i] * K + best]++;
    }
    crossfit_add_prior(c, K, f->prior);
    crossfit_normalise(c, K);
    memory_free(mean);
    return 0;
}

/* All wrong labels alike, as many as there are examples whose label is not the likeliest by
 * f->p. */
static void even_noise(const struct crossfit *f, double *c)
{
    const int64_t K = f->K;
    double wrong = 0;
    for (int64_t i = 0; i < f->n; i++)
        wrong += weights_best(f->p + i * K, K) != f->y[i];
    wrong /= (double)f->n;
    for (int64_t k = 0; k < K; k++)
        for (int64_t q = 0; q < K; q++)
            c[k * K + q] = k == q ? 1 - wrong : wrong / (double)(K - 1);
}

static int descending(const void *a, const void *b)
{
    const double left = *(const double *)a, right = *(const double *)b;
    return (left < right) - (left > right);
}

/* What the anchors are called: of each class as many examples, of the largest f->p, as make up a
 * part of the class.  Takes f->other. */
static void find_anchors(struct crossfit *f, double *c)
{
    const int64_t K = f->K;
    memset(c, 0, (size_t)(K * K) * sizeof *c);
    for (int64_t q = 0; q < K; q++) {
        double size = 0, *p = f->other;
        for (int64_t i = 0; i < f->n; i++)
            size += p[i] = f->p[i * K + q];
        qsort(p, (size_t)f->n, sizeof *p, descending);
        const double least = p[(int64_t)(ANCHORS * size)];
        for (int64_t i = 0; i < f->n; i++)
            c[f->y[i] * K + q] += f->p[i * K + q] >= least;
    }
    crossfit_add_prior(c, K, f->prior);
    crossfit_normalise(c, K);
}

/* Standard errors of the noise rates, the rest of each column in proportion, from what the labels,
 * and the prior, tell about all of them (the information). */
static int find_deviations(const struct crossfit *f, struct estimate *e, struct error *err)
{
    const int64_t K = f->K;
    double *information = memory_new(K * K, sizeof *information, err),
           *inverse = information ? memory_new(K * K, sizeof *inverse, err) : NULL, rcond;
    double *slope = inverse ? memory_new(K, sizeof *slope, err) : NULL;
    int64_t *about = slope ? memory_new(K, sizeof *about, err) : NULL;
    int status = about ? 0 : -1;
    for (int64_t i = 0; i < f->n && about; i++) {
        const double *p = e->p + i * K, q = crossfit_observed(e->c + f->y[i] * K, K, p);
        int64_t count = 0;
        for (int64_t k = 0; k < K; k++) {
            const double wrong = 1 - e->c[k * K + k];
            slope[k] = p[k] / q
                       * (f->y[i] == k ? -1
                          : wrong > 0  ? e->c[f->y[i] * K + k] / wrong
                                       : 0);
            if (fabs(slope[k]) > SLIGHT)
                about[count++] = k;
        }
        for (int64_t a = 0; a < count; a++)
            for (int64_t b = 0; b < count; b++)
                information[about[a] * K + about[b]] += slope[about[a]] * slope[about[b]];
    }
    for (int64_t k = 0; k < K && about; k++) {
        const double wrong = 1 - e->c[k * K + k],
                     least = 1
                             / (e->share[k] * (double)f->n + f->prior
                                + 2); /* what no wrong label says of the rate */
        const double rate = wrong < least ? least : wrong > 1 - least ? 1 - least : wrong;
        information[k * K + k] += f->prior / (rate * (1 - rate));
    }
    if (status == 0)
        status = dense_invert(K, information, inverse, &rcond, f->threads, err);
    for (int64_t k = 0; k < K && status == 0; k++) {
        const double variance = inverse[k * K + k];
        e->deviation[k] = rcond > 0 && variance > 0 && variance < 1 ? sqrt(variance) : 1;
    }
    memory_free(about);
    memory_free(slope);
    memory_free(inverse);
    memory_free(information);
    return status;
}

/* The largest entry of column k but its diagonal. */
static double find_rival(const double *c, int64_t K, int64_t k)
{
    double rival = 0;
    for (int64_t l = 0; l < K; l++)
        rival = l != k && c[l * K + k] > rival ? c[l * K + k] : rival;
    return rival;
}

/* May another label be as likely as its own for examples of class k, with column k of c or one some
 * standard errors from it (the rest in proportion)? */
static bool is_doubtful(const double *c, int64_t K, int64_t k, double deviation)
{
    const double right = c[k * K + k], rival = find_rival(c, K, k);
    return right - rival < DOUBT * deviation * (1 + (right < 1 ? rival / (1 - right) : 0));
}

/* The shares of the true classes among the examples, by f->p and c.  share: K, out. */
static int find_shares(const struct crossfit *f, const double *c, double *share, struct error *err)
{
    const int64_t K = f->K;
    double *r = memory_new(K, sizeof *r, err);
    if (!r)
        return -1;
    memset(share, 0, (size_t)K * sizeof *share);
    for (int64_t i = 0; i < f->n; i++) {
        estimate_posterior(c, K, f->p + i * K, f->y[i], r);
        for (int64_t k = 0; k < K; k++)
            share[k] += r[k] / (double)f->n;
    }
    memory_free(r);
    return 0;
}

/* Shares of the classes, what is known of their noise, and how well. */
static int summarise(const struct crossfit *f, struct estimate *e, struct error *err)
{
    const int64_t K = f->K;
    if (find_shares(f, e->c, e->share, err) != 0 || find_deviations(f, e, err) != 0)
        return -1;
    for (int64_t k = 0; k < K; k++)
        e->doubtful[k] = e->share[k] * (double)f->n < FEWEST
                         || is_doubtful(e->c, K, k, e->deviation[k])
                         || (e->joint[k * K + k] > 0
                             && is_doubtful(e->joint, K, k, e->deviation[k]));
    return 0;
}

/* The prior under which the labels of each fold are likeliest through what EM makes of the other
 * folds: strong when the classes' noise is alike. */
static int choose_prior(struct crossfit *f, const double *c, struct error *err)
{
    const int64_t K = f->K, cells = K * K;
    double *trial = memory_new(cells, sizeof *trial, err),
           *room = trial ? memory_new(f->parts * (cells + 1), sizeof *room, err) : NULL;
    double best = -INFINITY, chosen = priors[0];
    for (size_t which = 0; which < sizeof priors / sizeof *priors && room; which++) {
        double likelihood = 0;
        f->prior = priors[which];
        for (f->left_out = 0; f->left_out < CROSSFIT_FOLDS; f->left_out++) {
            memcpy(trial, c, (size_t)cells * sizeof *c);
            for (int step = 0; step < EM_STEPS; step++)
                crossfit_em(f, trial, room);
            for (int64_t i = 0; i < f->n; i++)
                if (f->fold[i] == f->left_out)
                    likelihood += elementary_log(
                        crossfit_observed(trial + f->y[i] * K, K, f->p + i * K));
        }
        if (likelihood > best) {
            best = likelihood;
            chosen = f->prior;
        }
    }
    f->prior = chosen;
    f->left_out = -1;
    const bool done = room;
    memory_free(room);
    memory_free(trial);
    return done ? 0 : -1;
}

/* Rounds from a matrix c and the lambda grid[*at], to better ones; in the first of them, `hunts`, c
 * is what the anchors say.  Returns the likelihood, or NAN with err. */
static double climb(struct crossfit *f, double *c, int64_t *at, int hunts, struct error *err)
{
    double likelihood = -INFINITY, temperature;
    if (crossfit_forget(f, err) != 0)
        return NAN;
    for (int round = 0; round < hunts + ROUNDS; round++) {
        const bool hunt = round < hunts;
        const double before = likelihood;
        if (isnan(round == 0 || round == hunts ? crossfit_choose_lambda(f, c, at, err)
                                               : crossfit_choose_steps(f, c, *at, err)))
            return NAN;
        likelihood = crossfit_temperature(f, f->s, c, hunt ? 0 : EM_STEPS, c, &temperature, err);
        if (isnan(likelihood))
            return NAN;
        if (hunt)
            find_anchors(f, c);
        else if (round > hunts && !(likelihood >= before + least_gain))
            break;
    }
    return likelihood;
}

/* The share of examples whose true class has a column that another label clearly leads: of a class
 * that has taken the place of another one, as it may where a small class is started badly.  What
 * the labels are called is all that tells such an end from a good one: it may be the likelier of
 * the two. */
static double share_astray(const double *c, int64_t K, const double *share)
{
    double astray = 0;
    for (int64_t k = 0; k < K; k++)
        astray += find_rival(c, K, k) > c[k * K + k] + LEAD ? share[k] : 0;
    return astray;
}

/* The share of all examples' labels that two matrices explain by different true classes. */
static double share_apart(const double *a, const double *b, int64_t K, const double *share)
{
    double apart = 0;
    for (int64_t k = 0; k < K; k++)
        for (int64_t q = 0; q < K; q++)
            apart += share[q] * fabs(a[k * K + q] - b[k * K + q]) / 2;
    return apart;
}

static void put_identity(double *c, int64_t K)
{
    memset(c, 0, (size_t)(K * K) * sizeof *c);
    for (int64_t k = 0; k < K; k++)
        c[k * K + k] = 1;
}

/* The best end of the climbs, from what plain softmax regression tells, and the confident joint,
 * into e.  0 or -1. */
static int find_matrix(struct crossfit *f, struct estimate *e, int64_t *at, struct error *err)
{
    enum { JOINT, EVEN, ANCHORED, STARTS };
    const int64_t K = f->K, cells = K * K;
    double *c = e->c, *room = memory_new(STARTS * cells + K, sizeof *room, err), best = -INFINITY,
           least = INFINITY;
    if (!room)
        return -1;
    double *start[STARTS] = {room, room + cells, room + 2 * cells}, *share = room + STARTS * cells;
    put_identity(c, K);
    put_identity(start[ANCHORED], K);
    int status = isnan(crossfit_choose_lambda(f, c, at, err)) ? -1 : 0;
    const int64_t plain = *at;
    if (status == 0) {
        crossfit_probabilities(f, f->s, c, 1);
        even_noise(f, start[EVEN]);
        status = confident_joint(f, e->joint, err);
        memcpy(start[JOINT], e->joint, (size_t)cells * sizeof *c);
    }
    for (int s = 0; s < STARTS && status == 0; s++) {
        if (s == ANCHORED
            && (e->apart = share_apart(start[JOINT], start[EVEN], K, share)) < AGREEMENT)
            break;
        int64_t end = plain;
        const double likelihood = climb(f, start[s], &end, s == ANCHORED ? HUNTS : 0, err);
        status = isnan(likelihood) ? -1 : find_shares(f, start[s], share, err);
        const double astray = share_astray(start[s], K, share);
        if (status == 0
            && (astray < least - FEW_ASTRAY
                || (astray < least + FEW_ASTRAY && likelihood > best))) {
            best = likelihood;
            least = astray;
            *at = end;
            memcpy(c, start[s], (size_t)cells * sizeof *c);
        }
    }
    memory_free(room);
    return status == 0 ? crossfit_forget(f, err) : -1;
}

/* What is told about the matrix. */
enum given { GIVEN_NOTHING, GIVEN_START, GIVEN_MATRIX };

static int run(struct crossfit *f, const double *c, enum given given, struct estimate *e,
               struct error *err)
{
    int64_t at = LAMBDA_START;
    if (given != GIVEN_NOTHING)
        memcpy(e->c, c, (size_t)(f->K * f->K) * sizeof *e->c);
    if (given == GIVEN_NOTHING ? find_matrix(f, e, &at, err) != 0
                               : given == GIVEN_START && isnan(climb(f, e->c, &at, 0, err)))
        return -1;
    const int64_t steps = given == GIVEN_MATRIX ? 0 : EM_STEPS;
    if (isnan(crossfit_choose_lambda(f, e->c, &at, err))
        || isnan(crossfit_temperature(f, f->s, e->c, steps, e->c, &e->temperature, err)))
        return -1;
    if (given != GIVEN_MATRIX
        && (choose_prior(f, e->c, err) != 0
            || isnan(crossfit_temperature(f, f->s, e->c, steps, e->c, &e->temperature, err))))
        return -1;
    e->lambda = crossfit_lambda(f, at);
    e->steps = f->steps;
    e->likelihood = crossfit_probabilities(f, f->s, e->c,
                                           e->temperature); /* of the last step of EM, too */
    memcpy(e->p, f->p, (size_t)(f->n * f->K) * sizeof *e->p);
    return summarise(f, e, err);
}

static int estimate(const struct problem *problem, const int32_t *y, const struct labels *labels,
                    const double *c, enum given given, const struct estimate_options *options,
                    struct estimate *e, struct error *err)
{
    const int64_t n = problem->n, K = labels->count;
    struct crossfit f = {.n = 0};
    *e = (struct estimate){.n = n, .classes = K};
    e->c = memory_new(K * K, sizeof *e->c, err);
    e->p = memory_new(n * K, sizeof *e->p, err);
    e->share = memory_new(K, sizeof *e->share, err);
    e->deviation = memory_new(K, sizeof *e->deviation, err);
    e->doubtful = memory_new(K, sizeof *e->doubtful, err);
    e->joint = memory_new(K * K, sizeof *e->joint, err);
    int status = -1;
    if (e->c && e->joint && e->p && e->share && e->deviation && e->doubtful
        && crossfit_start(&f, problem, y, labels, options, err) == 0) {
        f.prior = priors[0];
        status = run(&f, c, given, e, err);
        crossfit_free(&f);
    }
    if (status != 0)
        estimate_free(e);
    return status;
}

/* ---- richer features ---- */

/* 1 / the mean square of the examples' lengths. */
static double unit_of_gamma(const struct problem *problem)
{
    double sum = 0;
    for (int64_t i = 0; i < problem->nnz; i++)
        sum += problem->value[i] * problem->value[i];
    return sum > 0 ? (double)problem->n / sum : 1;
}

/* The features of the gamma, out of three, with which the labels are likeliest through the matrix
 * c. */
static int choose_features(const struct problem *problem, const int32_t *y,
                           const struct labels *labels, const double *c,
                           const struct estimate_options *options, struct problem *mapped,
                           double *gamma, struct error *err)
{
    static const double multiples[] = {1, 2, 4};
    const struct estimate_options once = {.lambda = features_lambda,
                                          .seed = options->seed,
                                          .threads = options->threads,
                                          .progress = options->progress};
    const double unit = unit_of_gamma(problem);
    double best = -INFINITY;
    int status = 0;
    for (int m = 0; m < 3 && status == 0; m++) {
        struct fourier fourier;
        struct problem trial = {.n = 0};
        struct estimate e = {.n = 0};
        status = fourier_make(options->features, multiples[m] * unit, options->seed, &fourier, err);
        if (status == 0
            && (fourier_grow(&fourier, problem->d, err) != 0
                || fourier_problem(&fourier, problem, &trial, err) != 0
                || estimate(&trial, y, labels, c, GIVEN_MATRIX, &once, &e, err) != 0))
            status = -1;
        if (status == 0 && e.likelihood > best) {
            best = e.likelihood;
            *gamma = multiples[m] * unit;
            struct problem swap = *mapped;
            *mapped = trial;
            trial = swap;
        }
        estimate_free(&e);
        problem_free(&trial);
        fourier_free(&fourier);
    }
    return status;
}

/* The estimate through features, from the matrix in e on; what makes the labels likelier is left in
 * e.  What is doubtful by either is doubtful. */
static int estimate_richly(const struct problem *problem, const int32_t *y,
                           const struct labels *labels, const struct estimate_options *options,
                           struct estimate *e, struct error *err)
{
    struct problem mapped = {.n = 0};
    struct estimate rich = {.n = 0}, again = {.n = 0};
    double gamma = 0;
    int status = choose_features(problem, y, labels, e->c, options, &mapped, &gamma, err);
    if (status == 0)
        status = estimate(&mapped, y, labels, e->c, GIVEN_START, options, &rich, err);
    if (status == 0 && rich.likelihood > e->likelihood) {
        status = estimate(problem, y, labels, rich.c, GIVEN_MATRIX, options, &again, err);
        rich.lambda = again.lambda;
        rich.steps = again.steps;
        rich.gamma = gamma;
        rich.apart = e->apart;
        for (int64_t k = 0; k < e->classes; k++)
            rich.doubtful[k] |= e->doubtful[k];
        struct estimate swap = *e;
        *e = rich;
        rich = swap;
    }
    estimate_free(&rich);
    estimate_free(&again);
    problem_free(&mapped);
    return status;
}

int64_t estimate_usual_features(int64_t d)
{
    return d <= 100 ? 300 : 0;
}

int estimate_confusion(const struct problem *problem, const int32_t *y, const struct labels *labels,
                       const struct estimate_options *options, struct estimate *e,
                       struct error *err)
{
    if (estimate(problem, y, labels, NULL, GIVEN_NOTHING, options, e, err) != 0)
        return -1;
    if (options->features == 0 || estimate_richly(problem, y, labels, options, e, err) == 0)
        return 0;
    estimate_free(e);
    return -1;
}

int estimate_probabilities(const struct problem *problem, const int32_t *y,
                           const struct labels *labels, const double *c,
                           const struct estimate_options *options, struct estimate *e,
                           struct error *err)
{
    return estimate(problem, y, labels, c, GIVEN_MATRIX, options, e, err);
}

void estimate_print(const struct estimate *e, const struct labels *labels, const char *program,
                    FILE *report, FILE *warnings)
{
    const int64_t K = e->classes;
    if (report) {
        fprintf(report,
                "estimated from the labels%s: mean log-likelihood %.6g\nclass          share  "
                "noise rate +- standard error\n",
                e->gamma > 0 ? ", through random Fourier features" : "", e->likelihood);
        for (int64_t k = 0; k < K; k++)
            fprintf(report, "%-12ld %7.4f  %.4f +- %.4f\n", (long)labels->value[k], e->share[k],
                    1 - e->c[k * K + k], e->deviation[k]);
    }
    for (int64_t k = 0; k < K && warnings; k++)
        if (e->doubtful[k])
            fprintf(warnings,
                    "%s: warning: class %ld: its noise cannot be told from these labels (too few "
                    "examples, or another label as likely as its own): expect nothing of "
                    "its column\n",
                    program, (long)labels->value[k]);
    if (warnings && e->apart >= AGREEMENT)
        fprintf(warnings,
                "%s: warning: two starts of the search ended in matrices that explain %.0f %% of "
                "the labels by different classes: the noise is hard to tell here, and the "
                "matrix may be wrong by more than its standard errors\n",
                program, 100 * e->apart);
}

double estimate_bytes(const struct estimate_options *options, const struct problem *problem,
                      int64_t classes)
{
    const int64_t n = problem->n, features = options->features;
    double bytes = 8 * ((double)n + 8 * (double)classes) * (double)classes
                   + crossfit_bytes(n, problem->nnz, classes, problem->d, options->threads);
    if (features > 0)
        bytes += 2 * problem_bytes((double)n, (double)n * (double)features, false)
                 + weights_bytes(features, problem->d)
                 + crossfit_bytes(n, n * features, classes, features, options->threads);
    return bytes;
}

void estimate_free(struct estimate *e)
{
    memory_free(e->c);
    memory_free(e->p);
    memory_free(e->share);
    memory_free(e->deviation);
    memory_free(e->doubtful);
    memory_free(e->joint);
    *e = (struct estimate){0};
}
