#include "learners/forward/crossfit.h"

#include "common/base/elementary.h"
#include "common/base/memory.h"
#include "common/base/parallel.h"
#include "common/data/folds.h"
#include "learners/forward/forward_minimum.h"

#include <math.h>
#include <string.h>

enum {
    EVALUATIONS = 200, /* of a fit, at most */
    SEARCHES = 14,     /* of golden section for the logarithm of the temperature */
    PATIENCE = 6,      /* steps of a followed fit since its best one, before it is left */
    BLOCK = 1024,      /* examples whose likelihoods are summed by themselves */
    MOST_PARTS = 16    /* of the examples, whose counts for EM are */
};
static const double fit_epsilon = 0.03;
static const double lowest_exponent = -1, highest_exponent = 5; /* of the temperature, 2^ */

/* Values of lambda, each sqrt(10) of the next. */
static const double grid[] = {1e-1, 3.1622776601683795e-2, 1e-2, 3.1622776601683795e-3,
                              1e-3, 3.1622776601683795e-4, 1e-4, 3.1622776601683795e-5,
                              1e-5, 3.1622776601683795e-6, 1e-6, 3.1622776601683795e-7,
                              1e-7};
enum { GRID = sizeof grid / sizeof *grid };

static int64_t count_blocks(int64_t n)
{
    return (n + BLOCK - 1) / BLOCK;
}

/* ---- scores of examples by classifiers that have not seen them ---- */

static void put_scores(const struct weights *w, const struct example *x, int64_t K, double *room,
                       double *s)
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

/* The same on every machine, where libm's may differ. */
static double two_to(double exponent)
{
    return elementary_exp(0.6931471805599453 * exponent);
}

double crossfit_observed(const double *c, int64_t K, const double *p)
{
    double q = 0;
    for (int64_t k = 0; k < K; k++)
        q += c[k] * p[k];
    return q > 1e-300 ? q : 1e-300;
}

/* Of an observed label, whose row of the matrix it is.  p: out, the probabilities of the example's
 * classes at the temperature. */
static double log_likelihood(const double *row, int64_t K, const double *s, double temperature,
                             double *p)
{
    double total = 0;
    for (int64_t k = 0; k < K; k++) {
        p[k] = elementary_exp(temperature * s[k]);
        total += p[k];
    }
    for (int64_t k = 0; k < K; k++)
        p[k] /= total;
    return elementary_log(crossfit_observed(row, K, p));
}

struct step {
    const struct crossfit *f;
    struct crossfit_path *path;
    int64_t fold;
    const struct weights *w;
};

/* For each block the sums, and room for the scores of an example. */
static int64_t block_room(int64_t K)
{
    return CROSSFIT_TEMPERATURES + weights_narrow(weights_columns(K));
}

static void look_at_block(void *context, int64_t block)
{
    const struct step *step = context;
    const struct crossfit *f = step->f;
    const int64_t K = f->K, last = (block + 1) * BLOCK < f->n ? (block + 1) * BLOCK : f->n;
    double *sum = step->path->room + block * block_room(K);
    memset(sum, 0, CROSSFIT_TEMPERATURES * sizeof *sum);
    for (int64_t i = block * BLOCK; i < last; i++) {
        if (f->fold[i] != step->fold)
            continue;
        struct example x = problem_example(f->problem, i);
        put_scores(step->w, &x, K, sum + CROSSFIT_TEMPERATURES, f->out + i * K);
        for (int t = 0; t < CROSSFIT_TEMPERATURES; t++)
            sum[t] += log_likelihood(f->c + f->y[i] * K, K, f->out + i * K, f->temperatures[t],
                                     f->p + i * K);
    }
}

/* How likely a step of the fit of a fold makes the labels of that fold; is it worth while to go
 * on? */
static bool look(void *context, const struct weights *w, int64_t at)
{
    struct step *step = context;
    const struct crossfit *f = step->f;
    struct crossfit_path *path = step->path;
    const int64_t blocks = count_blocks(f->n);
    double *likelihood = path->likelihood[at - 1];
    step->w = w;
    parallel_for(f->threads / f->at_once, blocks, look_at_block, step);
    for (int t = 0; t < CROSSFIT_TEMPERATURES; t++) {
        likelihood[t] = 0;
        for (int64_t b = 0; b < blocks; b++)
            likelihood[t] += path->room[b * block_room(f->K) + t];
        if (path->steps == 0 || likelihood[t] > path->largest) {
            path->largest = likelihood[t];
            path->best = at;
        }
        path->steps = at;
    }
    return at < CROSSFIT_STEPS && at - path->best < PATIENCE;
}

/* From the weights of the last fit on, which are near; or from 0. */
static void fit_fold(void *context, int64_t fold)
{
    const struct crossfit *f = context;
    struct error *err = &f->error[fold];
    struct forward *o = f->learner[fold];
    struct step step = {.f = f, .path = &f->path[fold], .fold = fold};
    struct forward_minimum minimum = {.epsilon = f->follows || f->steps > 0 ? FORWARD_EPSILON
                                                                            : fit_epsilon,
                                      .evaluations = EVALUATIONS,
                                      .context = &step,
                                      .visit = f->follows ? look : NULL,
                                      .second_moment = f->second_moment,
                                      .threads = f->threads / f->at_once};
    struct weights w = {0};
    double *room = NULL;
    step.path->steps = 0;
    forward_change(o, f->c, f->lambda, f->follows ? 0 : f->steps);
    if (forward_minimise(o, f->problem, f->y, f->subset[fold], f->trained[fold], &minimum, err) == 0
        && !f->follows && forward_weights(o, &w, err) == 0
        && (room = memory_new(w.stride, sizeof *room, err)))
        for (int64_t i = 0; i < f->n; i++)
            if (f->fold[i] == fold) {
                struct example x = problem_example(f->problem, i);
                put_scores(&w, &x, f->K, room, f->out + i * f->K);
            }
    memory_free(room);
    weights_free(&w);
}

int crossfit_forget(struct crossfit *f, struct error *err)
{
    const struct forward_options learner = forward_usual(0, NULL);
    int status = 0;
    for (int64_t fold = 0; fold < CROSSFIT_FOLDS; fold++) {
        forward_free(f->learner[fold]);
        f->learner[fold] = forward_new(&learner, f->labels, err);
        status = f->learner[fold] ? status : -1;
    }
    return status;
}

static int fit(struct crossfit *f, const double *c, double lambda, double *out, struct error *err)
{
    if ((f->follows || f->steps > 0) && crossfit_forget(f, err) != 0)
        return -1;
    f->c = c;
    f->lambda = lambda;
    f->out = out;
    parallel_for(f->at_once, CROSSFIT_FOLDS, fit_fold, f);
    if (f->options->progress)
        progress_update(f->options->progress, ++f->options->progress->steps, -1);
    int status = 0;
    for (int64_t fold = 0; fold < CROSSFIT_FOLDS && status == 0; fold++)
        status = error_take(&f->error[fold], err);
    return status;
}

/* Fits with the number of steps, the same for all folds, after which the labels are likeliest, left
 * in *best.  room: n x K.  Returns that likelihood, or NAN with err. */
static double follow(struct crossfit *f, const double *c, double lambda, double *room,
                     int64_t *best, struct error *err)
{
    int64_t steps = CROSSFIT_STEPS;
    double largest = -INFINITY;
    f->follows = true;
    const int status = fit(f, c, lambda, room, err);
    f->follows = false;
    for (int64_t fold = 0; fold < CROSSFIT_FOLDS; fold++)
        steps = f->path[fold].steps < steps ? f->path[fold].steps : steps;
    for (int64_t step = 0; step < steps && status == 0; step++)
        for (int t = 0; t < CROSSFIT_TEMPERATURES; t++) {
            double likelihood = 0;
            for (int64_t fold = 0; fold < CROSSFIT_FOLDS; fold++)
                likelihood += f->path[fold].likelihood[step][t];
            if (likelihood > largest) {
                largest = likelihood;
                *best = step + 1;
            }
        }
    return status == 0 ? largest / (double)f->n : NAN;
}

/* ---- the likelihood of their temperature, and of a matrix ---- */

/* Probabilities of a block's examples at the temperature, and the sum of the logarithms of what was
 * observed. */
static void add_block(void *context, int64_t block)
{
    const struct crossfit *f = context;
    const int64_t K = f->K, last = (block + 1) * BLOCK < f->n ? (block + 1) * BLOCK : f->n;
    double sum = 0;
    for (int64_t i = block * BLOCK; i < last; i++)
        sum += log_likelihood(f->c + f->y[i] * K, K, f->out + i * K, f->temperature, f->p + i * K);
    f->sum[block] = sum;
}

double crossfit_probabilities(struct crossfit *f, double *s, const double *c, double temperature)
{
    const int64_t blocks = count_blocks(f->n);
    double sum = 0;
    f->out = s;
    f->c = c;
    f->temperature = temperature;
    parallel_for(f->threads, blocks, add_block, f);
    for (int64_t b = 0; b < blocks; b++)
        sum += f->sum[b];
    return sum / (double)f->n;
}

void crossfit_add_prior(double *count, int64_t K, double prior)
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

void crossfit_normalise(double *count, int64_t K)
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
    double *count; /* parts times K x K and a sum */
};

static void count_part(void *context, int64_t part)
{
    const struct em *em = context;
    const struct crossfit *f = em->f;
    const int64_t K = f->K, last = f->n * (part + 1) / f->parts;
    double *counts = em->count + part * (K * K + 1), *sum = counts + K * K;
    memset(counts, 0, (size_t)(K * K + 1) * sizeof *counts);
    for (int64_t i = f->n * part / f->parts; i < last; i++) {
        if (f->fold[i] == f->left_out)
            continue;
        const double *p = f->p + i * K, *row = em->c + f->y[i] * K,
                     q = crossfit_observed(row, K, p);
        double *count = counts + f->y[i] * K;
        for (int64_t k = 0; k < K; k++)
            count[k] += row[k] * p[k] / q;
        *sum += elementary_log(q);
    }
}

double crossfit_em(const struct crossfit *f, double *c, double *room)
{
    const int64_t K = f->K, cells = K * K;
    struct em em = {.f = f, .c = c, .count = room};
    parallel_for(f->threads, f->parts, count_part, &em);
    for (int64_t part = 1; part < f->parts; part++)
        for (int64_t cell = 0; cell <= cells; cell++)
            room[cell] += room[part * (cells + 1) + cell];
    crossfit_add_prior(room, K, f->prior);
    crossfit_normalise(room, K);
    memcpy(c, room, (size_t)cells * sizeof *c);
    return room[cells] / (double)f->n;
}

/* The likelihood at 2^exponent after some steps of EM from `start`.  c: K x K; room: as
 * crossfit_em's. */
static double try_temperature(struct crossfit *f, double *s, const double *start, double exponent,
                              int64_t steps, double *c, double *room)
{
    memcpy(c, start, (size_t)(f->K * f->K) * sizeof *c);
    double likelihood = crossfit_probabilities(f, s, c, two_to(exponent));
    for (int64_t step = 0; step < steps; step++)
        likelihood = crossfit_em(f, c, room);
    return likelihood;
}

double crossfit_temperature(struct crossfit *f, double *s, const double *start, int64_t steps,
                            double *c, double *temperature, struct error *err)
{
    const double golden = 0.6180339887498949;
    const int64_t cells = f->K * f->K;
    double *room = memory_new(cells + f->parts * (cells + 1), sizeof *room, err),
           low = lowest_exponent, high = highest_exponent;
    if (!room)
        return NAN;
    double *trial = room + f->parts * (cells + 1);
    double left = high - golden * (high - low), right = low + golden * (high - low);
    double at_left = try_temperature(f, s, start, left, steps, trial, room),
           at_right = try_temperature(f, s, start, right, steps, trial, room);
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

double crossfit_lambda(const struct crossfit *f, int64_t at)
{
    return f->options->lambda < 0 ? grid[at] : f->options->lambda;
}

/* Scores with matrix c, that lambda and f->steps into `out` (f->s or f->other).  Returns their
 * likelihood at their best temperature, or NAN with err. */
static double score(struct crossfit *f, const double *c, int64_t at, double *out, struct error *err)
{
    double temperature;
    if (fit(f, c, crossfit_lambda(f, at), out, err) != 0)
        return NAN;
    return crossfit_temperature(f, out, c, 0, NULL, &temperature, err);
}

/* How likely a lambda makes the labels, with the best number of steps where that is asked for;
 * scores are in `out` where it is not. */
static double try_lambda(struct crossfit *f, const double *c, int64_t at, double *out,
                         int64_t *steps, struct error *err)
{
    return f->stops_early ? follow(f, c, crossfit_lambda(f, at), out, steps, err)
                          : score(f, c, at, out, err);
}

double crossfit_choose_lambda(struct crossfit *f, const double *c, int64_t *at, struct error *err)
{
    const int64_t start = *at;
    int64_t best_steps = f->steps, steps = f->steps;
    double best = try_lambda(f, c, start, f->s, &best_steps, err);
    for (int64_t way = 1; way >= -1 && f->options->lambda < 0 && !isnan(best) && *at == start;
         way -= 2) {
        for (int64_t next = start + way; next >= 0 && next < GRID; next += way) {
            double likelihood = try_lambda(f, c, next, f->other, &steps, err);
            if (isnan(likelihood))
                return NAN;
            if (!(likelihood > best))
                break;
            best = likelihood;
            *at = next;
            best_steps = steps;
            double *swap = f->s;
            f->s = f->other;
            f->other = swap;
        }
    }
    f->steps = best_steps;
    return f->stops_early && !isnan(best) ? score(f, c, *at, f->s, err) : best;
}

double crossfit_choose_steps(struct crossfit *f, const double *c, int64_t at, struct error *err)
{
    if (f->stops_early && isnan(follow(f, c, crossfit_lambda(f, at), f->s, &f->steps, err)))
        return NAN;
    return score(f, c, at, f->s, err);
}

/* ---- beginning and end ---- */

static int split(struct crossfit *f, struct error *err)
{
    if (folds_assign(f->y, f->n, f->K, CROSSFIT_FOLDS, f->options->seed, f->fold, err) != 0)
        return -1;
    for (int64_t fold = 0; fold < CROSSFIT_FOLDS; fold++) {
        if (!(f->subset[fold] = memory_new(f->n, sizeof *f->subset[fold], err))
            || !(f->path[fold].room = memory_new(count_blocks(f->n) * block_room(f->K),
                                                 sizeof *f->path[fold].room, err)))
            return -1;
        for (int64_t i = 0; i < f->n; i++)
            if (f->fold[i] != fold)
                f->subset[fold][f->trained[fold]++] = i;
    }
    return 0;
}

static int fits_at_once(int threads)
{
    return threads < CROSSFIT_FOLDS ? 1 : CROSSFIT_FOLDS;
}

/* Their counts take no more than the probabilities do. */
static int64_t count_parts(int64_t n, int64_t K)
{
    const int64_t parts = n / K;
    return parts < 1 ? 1 : parts > MOST_PARTS ? MOST_PARTS : parts;
}

int crossfit_start(struct crossfit *f, const struct problem *problem, const int32_t *y,
                   const struct labels *labels, const struct estimate_options *options,
                   struct error *err)
{
    const int64_t n = problem->n, K = labels->count;
    *f = (struct crossfit){.problem = problem,
                           .y = y,
                           .labels = labels,
                           .options = options,
                           .n = n,
                           .K = K,
                           .parts = count_parts(n, K),
                           .left_out = -1,
                           .threads = options->threads,
                           .at_once = fits_at_once(options->threads),
                           .steps = options->steps > 0 ? options->steps : 0};
    for (int t = 0; t < CROSSFIT_TEMPERATURES; t++)
        f->temperatures[t] = two_to(lowest_exponent
                                    + (highest_exponent - lowest_exponent) * t
                                          / (CROSSFIT_TEMPERATURES - 1));
    if (n < CROSSFIT_FOLDS)
        return error_set(
            err, "lambda or a matrix is estimated from %d examples at least; there are %lld",
            CROSSFIT_FOLDS, (long long)n);
    f->fold = memory_new(n, sizeof *f->fold, err);
    f->s = memory_new(n * K, sizeof *f->s, err);
    f->other = memory_new(n * K, sizeof *f->other, err);
    f->p = memory_new(n * K, sizeof *f->p, err);
    f->sum = memory_new(count_blocks(n), sizeof *f->sum, err);
    f->path = memory_new(CROSSFIT_FOLDS, sizeof *f->path, err);
    f->error = memory_new(CROSSFIT_FOLDS, sizeof *f->error, err);
    if (f->fold && f->s && f->other && f->p && f->sum && f->path && f->error && split(f, err) == 0
        && forward_second_moment(problem, &f->second_moment, err) == 0
        && crossfit_forget(f, err) == 0) {
        f->stops_early = options->steps < 0 && !f->second_moment;
        return 0;
    }
    crossfit_free(f);
    return -1;
}

void crossfit_free(struct crossfit *f)
{
    for (int64_t fold = 0; fold < CROSSFIT_FOLDS; fold++) {
        memory_free(f->subset[fold]);
        forward_free(f->learner[fold]);
        if (f->path)
            memory_free(f->path[fold].room);
    }
    memory_free(f->path);
    memory_free(f->second_moment);
    memory_free(f->fold);
    memory_free(f->s);
    memory_free(f->other);
    memory_free(f->p);
    memory_free(f->sum);
    memory_free(f->error);
    *f = (struct crossfit){0};
}

double crossfit_bytes(int64_t n, int64_t nnz, int64_t classes, int64_t d, int threads)
{
    return 8 * (double)n * (3 * (double)classes + 1 + CROSSFIT_FOLDS)
           + 8 * (double)classes * (double)classes * (double)(1 + count_parts(n, classes))
           + CROSSFIT_FOLDS
                 * (forward_bytes(classes, d) + (double)sizeof(struct crossfit_path)
                    + 8 * (double)count_blocks(n) * (double)block_room(classes))
           + fits_at_once(threads) * forward_minimum_bytes(nnz, classes, d);
}
