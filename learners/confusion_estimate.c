#include "confusion_estimate.h"

#include "../common/dense.h"
#include "../common/elementary.h"
#include "../common/folds.h"
#include "../common/memory.h"
#include "../common/parallel.h"
#include "forward_minimum.h"
#include "fourier.h"

#include <math.h>
#include <string.h>

enum {
    FOLDS = 3,
    EVALUATIONS = 200, /* of a fit, at most */
    ROUNDS = 6,        /* from a start, at most */
    EM_STEPS = 20,
    SEARCHES = 14,     /* of golden section for the logarithm of the temperature */
    BLOCK = 1024,      /* examples whose likelihoods are summed by themselves */
    PARTS = 16         /* of the examples, whose counts for EM are */
};
static const double fit_epsilon = 0.03, least_gain = 1e-3; /* of a round, in mean log-likelihood */
static const double priors[] = {10, 100, 1000}; /* the first until all else is found */
static const double SLIGHT = 1e-3, FEWEST = 5, DOUBT = 2 /* standard errors */;
static const double lowest_exponent = -1, highest_exponent = 5; /* of the temperature, 2^ */

/* Of random features, to choose their gamma with. */
static const double features_lambda = 1e-5;

/* Values of lambda, each sqrt(10) of the next. */
static const double grid[] = {1e-1, 3.1622776601683795e-2, 1e-2, 3.1622776601683795e-3, 1e-3, 3.1622776601683795e-4, 1e-4, 3.1622776601683795e-5, 1e-5,
                              3.1622776601683795e-6, 1e-6, 3.1622776601683795e-7, 1e-7};
enum { GRID = sizeof grid / sizeof *grid, GRID_START = 6 };

struct crossfit {
    const struct problem *problem;
    const int32_t *y;
    const struct labels *labels;
    const struct estimate_options *options;
    int64_t n, K;
    int64_t *fold;
    int64_t *subset[FOLDS], trained[FOLDS]; /* the examples of all folds but one */
    struct online *learner[FOLDS];          /* of those, with the weights of the last fit */
    double *second_moment;                  /* see forward_minimum.h */
    int threads, at_once;                   /* fits that are made at once: all, or one after the other on all threads */
    double *s, *other; /* n x K: scores less the largest of the example; room for those of another lambda */
    double *p;         /* n x K: of the last temperature */
    double *sum;       /* a block */
    double *joint;     /* K x K: the confident joint, as a matrix; of all zeros where there is none */
    double temperature;
    double prior;      /* of EM: examples a class */
    int64_t left_out;  /* of EM: a fold; -1: none */
    /* of the fit at hand */
    const double *c;
    double lambda;
    double *out;
    struct error *error; /* a fold; message "" when all is well */
};

/* ---- scores of examples by classifiers that have not seen them ---- */

static void put_scores(const struct weights *w, const struct example *x, int64_t K, double *room, double *s)
{
    double largest = -INFINITY;
    weights_scores(w, x, room);
    for (int64_t k = 0; k < K; k++) {
        s[k] = K > 2 ? room[k] : k == 1 ? room[0] : 0;
        largest = s[k] > largest ? s[k] : largest;
    }
    for (int64_t k = 0; k < K; k++)
        s[k] -= largest;
}

/* From the weights of the last fit on, which are near. */
static void fit_fold(void *context, int64_t fold)
{
    const struct crossfit *f = context;
    struct error *err = &f->error[fold];
    struct online *o = f->learner[fold];
    struct forward_minimum minimum = {.epsilon = fit_epsilon, .evaluations = EVALUATIONS, .second_moment = f->second_moment, .threads = f->threads / f->at_once};
    struct weights w = {0};
    double *room = NULL;
    forward_change(o, f->c, f->lambda);
    if (forward_minimise(o, f->problem, f->y, f->subset[fold], f->trained[fold], &minimum, err) == 0 && online_weights(o, &w, err) == 0
        && (room = memory_new(w.stride, sizeof *room, err)))
        for (int64_t i = 0; i < f->n; i++)
            if (f->fold[i] == fold) {
                struct example x = problem_example(f->problem, i);
                put_scores(&w, &x, f->K, room, f->out + i * f->K);
            }
    memory_free(room);
    weights_free(&w);
}

/* Learners whose weights are 0. */
static int start_learners(struct crossfit *f, struct error *err)
{
    const struct online_options learner = online_forward(0, NULL);
    int status = 0;
    for (int64_t fold = 0; fold < FOLDS; fold++) {
        online_free(f->learner[fold]);
        f->learner[fold] = online_new(&learner, f->labels, err);
        status = f->learner[fold] ? status : -1;
    }
    return status;
}

static int fit(struct crossfit *f, const double *c, double lambda, double *out, struct error *err)
{
    f->c = c;
    f->lambda = lambda;
    f->out = out;
    parallel_for(f->at_once, FOLDS, fit_fold, f);
    if (f->options->progress)
        progress_update(f->options->progress, ++f->options->progress->steps, -1);
    int status = 0;
    for (int64_t fold = 0; fold < FOLDS && status == 0; fold++)
        status = error_take(&f->error[fold], err);
    return status;
}

/* The same on every machine, where libm's may differ. */
static double two_to(double exponent)
{
    return elementary_exp(0.6931471805599453 * exponent);
}

/* ---- the likelihood of their temperature, and of a matrix ---- */

static double observed(const double *c, int64_t K, const double *p)
{
    double q = 0;
    for (int64_t k = 0; k < K; k++)
        q += c[k] * p[k];
    return q > 1e-300 ? q : 1e-300;
}

/* Probabilities of a block's examples at the temperature, and the sum of the logarithms of what was observed. */
static void add_block(void *context, int64_t block)
{
    const struct crossfit *f = context;
    const int64_t K = f->K, last = (block + 1) * BLOCK < f->n ? (block + 1) * BLOCK : f->n;
    double sum = 0;
    for (int64_t i = block * BLOCK; i < last; i++) {
        double *p = f->p + i * K, total = 0;
        const double *s = f->out + i * K;
        for (int64_t k = 0; k < K; k++) {
            p[k] = elementary_exp(f->temperature * s[k]);
            total += p[k];
        }
        for (int64_t k = 0; k < K; k++)
            p[k] /= total;
        sum += elementary_log(observed(f->c + f->y[i] * K, K, p));
    }
    f->sum[block] = sum;
}

/* p of scores s at a temperature; the mean log-likelihood with c. */
static double find_probabilities(struct crossfit *f, double *s, const double *c, double temperature)
{
    const int64_t blocks = (f->n + BLOCK - 1) / BLOCK;
    double sum = 0;
    f->out = s;
    f->c = c;
    f->temperature = temperature;
    parallel_for(f->threads, blocks, add_block, f);
    for (int64_t b = 0; b < blocks; b++)
        sum += f->sum[b];
    return sum / (double)f->n;
}

void estimate_posterior(const double *c, int64_t K, const double *p, int32_t y, double *r)
{
    const double *row = c + y * K, q = observed(row, K, p);
    for (int64_t k = 0; k < K; k++)
        r[k] = row[k] * p[k] / q;
}

/* The prior's pseudo-examples: a class is as right as all are, and else anything. */
static void add_prior(double *count, int64_t K, double prior)
{
    double right = 0, all = 0;
    for (int64_t k = 0; k < K; k++)
        for (int64_t q = 0; q < K; q++) {
            right += k == q ? count[k * K + q] : 0;
            all += count[k * K + q];
        }
    right = all > 0 ? right / all : 1;
    for (int64_t k = 0; k < K; k++)
        for (int64_t q = 0; q < K; q++)
            count[k * K + q] += prior * (k == q ? right : (1 - right) / (double)(K - 1));
}

static void normalise_columns(double *count, int64_t K)
{
    for (int64_t q = 0; q < K; q++) {
        double total = 0;
        for (int64_t k = 0; k < K; k++)
            total += count[k * K + q];
        for (int64_t k = 0; k < K; k++)
            count[k * K + q] /= total;
    }
}

struct em {
    const struct crossfit *f;
    const double *c;
    double *count; /* PARTS times K x K and a sum */
};

static void count_part(void *context, int64_t part)
{
    const struct em *em = context;
    const struct crossfit *f = em->f;
    const int64_t K = f->K, last = f->n * (part + 1) / PARTS;
    double *counts = em->count + part * (K * K + 1), *sum = counts + K * K;
    memset(counts, 0, (size_t)(K * K + 1) * sizeof *counts);
    for (int64_t i = f->n * part / PARTS; i < last; i++) {
        if (f->fold[i] == f->left_out)
            continue;
        const double *p = f->p + i * K, *row = em->c + f->y[i] * K, q = observed(row, K, p);
        double *count = counts + f->y[i] * K;
        for (int64_t k = 0; k < K; k++)
            count[k] += row[k] * p[k] / q;
        *sum += elementary_log(q);
    }
}

/* One step of EM for c, the probabilities as they are.  Returns the mean log-likelihood before it.  room: PARTS times K x K + 1. */
static double em_step(const struct crossfit *f, double *c, double *room)
{
    const int64_t K = f->K, cells = K * K;
    struct em em = {.f = f, .c = c, .count = room};
    parallel_for(f->threads, PARTS, count_part, &em);
    for (int64_t part = 1; part < PARTS; part++)
        for (int64_t cell = 0; cell <= cells; cell++)
            room[cell] += room[part * (cells + 1) + cell];
    add_prior(room, K, f->prior);
    normalise_columns(room, K);
    memcpy(c, room, (size_t)cells * sizeof *c);
    return room[cells] / (double)f->n;
}

/* The likelihood at 2^exponent after some steps of EM from `start`.  c: K x K; room: as em_step's. */
static double try_temperature(struct crossfit *f, double *s, const double *start, double exponent, int64_t steps, double *c, double *room)
{
    memcpy(c, start, (size_t)(f->K * f->K) * sizeof *c);
    double likelihood = find_probabilities(f, s, c, two_to(exponent));
    for (int64_t step = 0; step < steps; step++)
        likelihood = em_step(f, c, room);
    return likelihood;
}

/* The temperature of scores s of the largest likelihood, by golden section: with the matrix `start`, or with what `steps` of EM make of it.  c: out, that matrix; NULL: not
 * wanted.  Returns the likelihood, or NAN with err. */
static double fit_temperature(struct crossfit *f, double *s, const double *start, int64_t steps, double *c, double *temperature, struct error *err)
{
    const double golden = 0.6180339887498949;
    const int64_t cells = f->K * f->K;
    double *room = memory_new(cells + PARTS * (cells + 1), sizeof *room, err), low = lowest_exponent, high = highest_exponent;
    if (!room)
        return NAN;
    double *trial = room + PARTS * (cells + 1);
    double left = high - golden * (high - low), right = low + golden * (high - low);
    double at_left = try_temperature(f, s, start, left, steps, trial, room), at_right = try_temperature(f, s, start, right, steps, trial, room);
    for (int search = 2; search < SEARCHES; search++) {
        if (at_left > at_right) {
            high = right;
            right = left;
            at_right = at_left;
            left = high - golden * (high - low);
            at_left = try_temperature(f, s, start, left, steps, trial, room);
        } else {
            low = left;
            left = right;
            at_left = at_right;
            right = low + golden * (high - low);
            at_right = try_temperature(f, s, start, right, steps, trial, room);
        }
    }
    double exponent = at_left > at_right ? left : right;
    double likelihood = try_temperature(f, s, start, exponent, steps, trial, room);
    if (c)
        memcpy(c, trial, (size_t)cells * sizeof *c);
    *temperature = two_to(exponent);
    memory_free(room);
    return likelihood;
}

/* ---- lambda ---- */

/* Scores with c at grid[at], or at the lambda that was asked for, into `out`; their likelihood at their best temperature. */
static double score_lambda(struct crossfit *f, const double *c, int64_t at, double *out, struct error *err)
{
    double temperature;
    if (fit(f, c, f->options->lambda < 0 ? grid[at] : f->options->lambda, out, err) != 0)
        return NAN;
    return fit_temperature(f, out, c, 0, NULL, &temperature, err);
}

/* The best of the grid, downhill from *at: scores left in f->s.  Returns the likelihood, or NAN with err. */
static double choose_lambda(struct crossfit *f, const double *c, int64_t *at, struct error *err)
{
    const int64_t start = *at;
    double best = score_lambda(f, c, start, f->s, err);
    for (int64_t way = 1; way >= -1 && f->options->lambda < 0 && !isnan(best) && *at == start; way -= 2) {
        for (int64_t next = start + way; next >= 0 && next < GRID; next += way) {
            double likelihood = score_lambda(f, c, next, f->other, err);
            if (isnan(likelihood))
                return NAN;
            if (!(likelihood > best))
                break;
            best = likelihood;
            *at = next;
            double *swap = f->s;
            f->s = f->other;
            f->other = swap;
        }
    }
    return best;
}

/* ---- the whole ---- */

/* The confident joint of f->p, as a matrix. */
static int confident_joint(const struct crossfit *f, double *c, struct error *err)
{
    const int64_t K = f->K;
    double *mean = memory_new(2 * K, sizeof *mean, err), *count = mean + K;
    if (!mean)
        return -1;
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
    add_prior(c, K, f->prior);
    normalise_columns(c, K);
    memory_free(mean);
    return 0;
}

/* All wrong labels alike, as many as there are examples whose label is not the likeliest by f->p. */
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

/* Standard errors of the noise rates, the rest of each column in proportion, from what the labels, and the prior, tell about all of them (the information). */
static int find_deviations(const struct crossfit *f, struct estimate *e, struct error *err)
{
    const int64_t K = f->K;
    double *information = memory_new(2 * K * K + K, sizeof *information, err), *inverse = information + K * K, *slope = inverse + K * K, rcond;
    int64_t *about = information ? memory_new(K, sizeof *about, err) : NULL;
    int status = about ? 0 : -1;
    for (int64_t i = 0; i < f->n && about; i++) {
        const double *p = e->p + i * K, q = observed(e->c + f->y[i] * K, K, p);
        int64_t count = 0;
        for (int64_t k = 0; k < K; k++) {
            const double wrong = 1 - e->c[k * K + k];
            slope[k] = p[k] / q * (f->y[i] == k ? -1 : wrong > 0 ? e->c[f->y[i] * K + k] / wrong : 0);
            if (fabs(slope[k]) > SLIGHT)
                about[count++] = k;
        }
        for (int64_t a = 0; a < count; a++)
            for (int64_t b = 0; b < count; b++)
                information[about[a] * K + about[b]] += slope[about[a]] * slope[about[b]];
    }
    for (int64_t k = 0; k < K && about; k++) {
        const double wrong = 1 - e->c[k * K + k], least = 1 / (e->share[k] * (double)f->n + f->prior + 2); /* what no wrong label says of the rate */
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
    memory_free(information);
    return status;
}

/* May another label be as likely as its own for examples of class k, with column k of c or one some standard errors from it (the rest in proportion)? */
static bool is_doubtful(const double *c, int64_t K, int64_t k, double deviation)
{
    const double right = c[k * K + k];
    double rival = 0;
    for (int64_t l = 0; l < K; l++)
        rival = l != k && c[l * K + k] > rival ? c[l * K + k] : rival;
    return right - rival < DOUBT * deviation * (1 + (right < 1 ? rival / (1 - right) : 0));
}

/* Shares of the classes, what is known of their noise, and how well. */
static int summarise(const struct crossfit *f, struct estimate *e, struct error *err)
{
    const int64_t K = f->K;
    double *r = memory_new(K, sizeof *r, err);
    for (int64_t i = 0; i < f->n && r; i++) {
        estimate_posterior(e->c, K, e->p + i * K, f->y[i], r);
        for (int64_t k = 0; k < K; k++)
            e->share[k] += r[k] / (double)f->n;
    }
    int status = r ? find_deviations(f, e, err) : -1;
    for (int64_t k = 0; k < K && status == 0; k++)
        e->doubtful[k] = e->share[k] * (double)f->n < FEWEST || is_doubtful(e->c, K, k, e->deviation[k])
                         || (f->joint[k * K + k] > 0 && is_doubtful(f->joint, K, k, e->deviation[k]));
    memory_free(r);
    return status;
}

/* The prior under which the labels of each fold are likeliest through what EM makes of the other folds: strong when the classes' noise is alike. */
static int choose_prior(struct crossfit *f, const double *c, struct error *err)
{
    const int64_t K = f->K, cells = K * K;
    double *room = memory_new(cells + PARTS * (cells + 1), sizeof *room, err), *trial = room + PARTS * (cells + 1), best = -INFINITY, chosen = priors[0];
    for (size_t which = 0; which < sizeof priors / sizeof *priors && room; which++) {
        double likelihood = 0;
        f->prior = priors[which];
        for (f->left_out = 0; f->left_out < FOLDS; f->left_out++) {
            memcpy(trial, c, (size_t)cells * sizeof *c);
            for (int step = 0; step < EM_STEPS; step++)
                em_step(f, trial, room);
            for (int64_t i = 0; i < f->n; i++)
                if (f->fold[i] == f->left_out)
                    likelihood += elementary_log(observed(trial + f->y[i] * K, K, f->p + i * K));
        }
        if (likelihood > best) {
            best = likelihood;
            chosen = f->prior;
        }
    }
    f->prior = chosen;
    f->left_out = -1;
    memory_free(room);
    return room ? 0 : -1;
}

/* Rounds from a matrix c and the lambda grid[*at], to better ones.  Returns the likelihood, or NAN with err. */
static double climb(struct crossfit *f, double *c, int64_t *at, struct error *err)
{
    double likelihood = -INFINITY, temperature;
    if (start_learners(f, err) != 0)
        return NAN;
    for (int round = 0; round < ROUNDS; round++) {
        const double before = likelihood;
        if (isnan(round == 0 ? choose_lambda(f, c, at, err) : score_lambda(f, c, *at, f->s, err)))
            return NAN;
        likelihood = fit_temperature(f, f->s, c, EM_STEPS, c, &temperature, err);
        if (!(likelihood >= before + least_gain))
            break;
    }
    return likelihood;
}

/* The better end of two climbs, from what plain softmax regression tells.  c: out.  0 or -1. */
static int find_matrix(struct crossfit *f, double *c, int64_t *at, struct error *err)
{
    const int64_t K = f->K, cells = K * K;
    double *start = memory_new(2 * cells, sizeof *start, err), best = -INFINITY;
    if (!start)
        return -1;
    for (int64_t k = 0; k < K; k++)
        c[k * K + k] = 1;
    int status = isnan(choose_lambda(f, c, at, err)) ? -1 : 0;
    const int64_t plain = *at;
    if (status == 0) {
        find_probabilities(f, f->s, c, 1);
        even_noise(f, start + cells);
        status = confident_joint(f, f->joint, err);
        memcpy(start, f->joint, (size_t)cells * sizeof *start);
    }
    for (int s = 0; s < 2 && status == 0; s++) {
        int64_t end = plain;
        const double likelihood = climb(f, start + s * cells, &end, err);
        status = isnan(likelihood) ? -1 : 0;
        if (likelihood > best) {
            best = likelihood;
            *at = end;
            memcpy(c, start + s * cells, (size_t)cells * sizeof *c);
        }
    }
    memory_free(start);
    return status == 0 ? start_learners(f, err) : -1;
}

/* What is told about the matrix. */
enum given { GIVEN_NOTHING, GIVEN_START, GIVEN_MATRIX };

static int run(struct crossfit *f, const double *c, enum given given, struct estimate *e, struct error *err)
{
    int64_t at = GRID_START;
    if (given != GIVEN_NOTHING)
        memcpy(e->c, c, (size_t)(f->K * f->K) * sizeof *e->c);
    if (given == GIVEN_NOTHING ? find_matrix(f, e->c, &at, err) != 0 : given == GIVEN_START && isnan(climb(f, e->c, &at, err)))
        return -1;
    const int64_t steps = given == GIVEN_MATRIX ? 0 : EM_STEPS;
    if (isnan(choose_lambda(f, e->c, &at, err)) || isnan(fit_temperature(f, f->s, e->c, steps, e->c, &e->temperature, err)))
        return -1;
    if (given != GIVEN_MATRIX && (choose_prior(f, e->c, err) != 0 || isnan(fit_temperature(f, f->s, e->c, steps, e->c, &e->temperature, err))))
        return -1;
    e->lambda = f->options->lambda < 0 ? grid[at] : f->options->lambda;
    e->likelihood = find_probabilities(f, f->s, e->c, e->temperature); /* of the last step of EM, too */
    memcpy(e->p, f->p, (size_t)(f->n * f->K) * sizeof *e->p);
    return summarise(f, e, err);
}

static int split(struct crossfit *f, struct error *err)
{
    if (folds_assign(f->y, f->n, f->K, FOLDS, f->options->seed, f->fold, err) != 0)
        return -1;
    for (int64_t fold = 0; fold < FOLDS; fold++) {
        if (!(f->subset[fold] = memory_new(f->n, sizeof *f->subset[fold], err)))
            return -1;
        for (int64_t i = 0; i < f->n; i++)
            if (f->fold[i] != fold)
                f->subset[fold][f->trained[fold]++] = i;
    }
    return 0;
}

static int fits_at_once(int threads)
{
    return threads < FOLDS ? 1 : FOLDS;
}

static int estimate(const struct problem *problem, const int32_t *y, const struct labels *labels, const double *c, enum given given,
                    const struct estimate_options *options, struct estimate *e, struct error *err)
{
    const int64_t n = problem->n, K = labels->count;
    struct crossfit f = {.problem = problem, .y = y, .labels = labels, .options = options, .n = n, .K = K, .threads = options->threads, .at_once = fits_at_once(options->threads), .prior = priors[0], .left_out = -1};
    *e = (struct estimate){.n = n, .classes = K};
    e->c = memory_new(K * K, sizeof *e->c, err);
    e->p = memory_new(n * K, sizeof *e->p, err);
    e->share = memory_new(K, sizeof *e->share, err);
    e->deviation = memory_new(K, sizeof *e->deviation, err);
    e->doubtful = memory_new(K, sizeof *e->doubtful, err);
    f.fold = memory_new(n, sizeof *f.fold, err);
    f.s = memory_new(n * K, sizeof *f.s, err);
    f.other = memory_new(n * K, sizeof *f.other, err);
    f.p = memory_new(n * K, sizeof *f.p, err);
    f.sum = memory_new(n / BLOCK + 1, sizeof *f.sum, err);
    f.joint = memory_new(K * K, sizeof *f.joint, err);
    f.error = memory_new(FOLDS, sizeof *f.error, err);
    int status = -1;
    if (e->c && e->p && e->share && e->deviation && e->doubtful && f.fold && f.s && f.other && f.p && f.sum && f.joint && f.error && split(&f, err) == 0
        && forward_second_moment(problem, &f.second_moment, err) == 0 && start_learners(&f, err) == 0)
        status = run(&f, c, given, e, err);
    for (int64_t fold = 0; fold < FOLDS; fold++) {
        memory_free(f.subset[fold]);
        online_free(f.learner[fold]);
    }
    memory_free(f.second_moment);
    memory_free(f.fold);
    memory_free(f.s);
    memory_free(f.other);
    memory_free(f.p);
    memory_free(f.sum);
    memory_free(f.joint);
    memory_free(f.error);
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

/* The features of the gamma, out of three, with which the labels are likeliest through the matrix c. */
static int choose_features(const struct problem *problem, const int32_t *y, const struct labels *labels, const double *c, const struct estimate_options *options,
                           struct problem *mapped, double *gamma, struct error *err)
{
    static const double multiples[] = {1, 2, 4};
    const struct estimate_options once = {.lambda = features_lambda, .seed = options->seed, .threads = options->threads, .progress = options->progress};
    const double unit = unit_of_gamma(problem);
    double best = -INFINITY;
    int status = 0;
    for (int m = 0; m < 3 && status == 0; m++) {
        struct fourier fourier;
        struct problem trial = {.n = 0};
        struct estimate e = {.n = 0};
        status = fourier_make(options->features, multiples[m] * unit, options->seed, &fourier, err);
        if (status == 0 && (fourier_grow(&fourier, problem->d, err) != 0 || fourier_problem(&fourier, problem, &trial, err) != 0
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

/* The estimate through features, from the matrix in e on; what makes the labels likelier is left in e.  What is doubtful by either is doubtful. */
static int estimate_richly(const struct problem *problem, const int32_t *y, const struct labels *labels, const struct estimate_options *options,
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
        rich.gamma = gamma;
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

int estimate_confusion(const struct problem *problem, const int32_t *y, const struct labels *labels, const struct estimate_options *options,
                       struct estimate *e, struct error *err)
{
    if (estimate(problem, y, labels, NULL, GIVEN_NOTHING, options, e, err) != 0)
        return -1;
    if (options->features == 0 || estimate_richly(problem, y, labels, options, e, err) == 0)
        return 0;
    estimate_free(e);
    return -1;
}

int estimate_probabilities(const struct problem *problem, const int32_t *y, const struct labels *labels, const double *c,
                           const struct estimate_options *options, struct estimate *e, struct error *err)
{
    return estimate(problem, y, labels, c, GIVEN_MATRIX, options, e, err);
}

void estimate_print(const struct estimate *e, const struct labels *labels, const char *program, FILE *report, FILE *warnings)
{
    const int64_t K = e->classes;
    if (report) {
        fprintf(report, "estimated from the labels%s: mean log-likelihood %.6g\nclass          share  noise rate +- standard error\n",
                e->gamma > 0 ? ", through random Fourier features" : "", e->likelihood);
        for (int64_t k = 0; k < K; k++)
            fprintf(report, "%-12ld %7.4f  %.4f +- %.4f\n", (long)labels->value[k], e->share[k], 1 - e->c[k * K + k], e->deviation[k]);
    }
    for (int64_t k = 0; k < K && warnings; k++)
        if (e->doubtful[k])
            fprintf(warnings, "%s: warning: class %ld: its noise cannot be told from these labels (too few examples, or another label as likely as its own): expect nothing of "
                    "its column\n", program, (long)labels->value[k]);
}

/* Of one cross-fit. */
static double crossfit_bytes(int64_t n, int64_t nnz, int64_t classes, int64_t d, int threads)
{
    const struct online_options learner = online_forward(0, NULL);
    const double at_once = fits_at_once(threads);
    return 8 * (double)n * (4 * (double)classes + 1 + FOLDS) + FOLDS * online_bytes(&learner, classes, d) + at_once * forward_minimum_bytes(nnz, classes, d);
}

double estimate_bytes(const struct estimate_options *options, const struct problem *problem, int64_t classes)
{
    const int64_t n = problem->n, features = options->features;
    double bytes = crossfit_bytes(n, problem->nnz, classes, problem->d, options->threads);
    if (features > 0)
        bytes += 2 * problem_bytes((double)n, (double)n * (double)features, false) + weights_bytes(features, problem->d)
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
    *e = (struct estimate){0};
}
