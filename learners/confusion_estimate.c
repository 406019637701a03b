#include "confusion_estimate.h"

#include "../common/elementary.h"
#include "../common/folds.h"
#include "../common/memory.h"
#include "../common/parallel.h"
#include "fourier.h"
#include "online_train.h"

#include <math.h>
#include <string.h>

enum {
    FOLDS = 3,
    PASSES = 8,
    ROUNDS = 2,   /* with a matrix; a third changes nothing that matters (experiments/README.md) */
    EM_STEPS = 20,
    SEARCHES = 14, /* of golden section for the logarithm of the temperature */
    BLOCK = 1024   /* examples whose likelihoods are summed by themselves */
};
static const double PRIOR = 10, FEWEST = 5, DOUBT = 2 /* standard errors */;
static const double lowest_exponent = -1, highest_exponent = 5; /* of the temperature, 2^ */

/* Of random features, to choose their gamma with. */
static const double features_lambda = 1e-6;

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
    double *s, *other; /* n x K: scores less the largest of the example; room for those of another lambda */
    double *p;         /* n x K: of the last temperature */
    double *sum;       /* a block */
    double temperature;
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

static void fit_fold(void *context, int64_t fold)
{
    const struct crossfit *f = context;
    struct error *err = &f->error[fold];
    const struct online_options learner = online_forward(f->lambda, f->c);
    struct weights w = {0};
    const struct online_training training = {.passes = PASSES, .shuffle = true, .seed = f->options->seed};
    int64_t trained = 0;
    struct online *o = online_new(&learner, f->labels, err);
    int64_t *subset = o ? memory_new(f->n, sizeof *subset, err) : NULL;
    double *room = NULL;
    for (int64_t i = 0; i < f->n && subset; i++)
        if (f->fold[i] != fold)
            subset[trained++] = i;
    if (subset && online_train_problem(o, f->problem, f->y, subset, trained, &training, err) == 0
        && online_weights(o, &w, err) == 0 && (room = memory_new(w.stride, sizeof *room, err)))
        for (int64_t i = 0; i < f->n; i++)
            if (f->fold[i] == fold) {
                struct example x = problem_example(f->problem, i);
                put_scores(&w, &x, f->K, room, f->out + i * f->K);
            }
    memory_free(room);
    memory_free(subset);
    weights_free(&w);
    online_free(o);
}

static int fit(struct crossfit *f, const double *c, double lambda, double *out, struct error *err)
{
    f->c = c;
    f->lambda = lambda;
    f->out = out;
    parallel_for(f->options->threads, FOLDS, fit_fold, f);
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
    parallel_for(f->options->threads, blocks, add_block, f);
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
static void add_prior(double *count, int64_t K, double examples)
{
    double right = 0;
    for (int64_t k = 0; k < K; k++)
        right += count[k * K + k];
    right = examples > 0 ? right / examples : 1;
    for (int64_t k = 0; k < K; k++)
        for (int64_t q = 0; q < K; q++)
            count[k * K + q] += PRIOR * (k == q ? right : (1 - right) / (double)(K - 1));
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

/* One step of EM for c, the probabilities as they are.  Returns the mean log-likelihood before it.  room: K x K. */
static double em_step(const struct crossfit *f, double *c, double *room)
{
    const int64_t K = f->K;
    double sum = 0;
    memset(room, 0, (size_t)(K * K) * sizeof *room);
    for (int64_t i = 0; i < f->n; i++) {
        const double *p = f->p + i * K, *row = c + f->y[i] * K, q = observed(row, K, p);
        double *count = room + f->y[i] * K;
        for (int64_t k = 0; k < K; k++)
            count[k] += row[k] * p[k] / q;
        sum += elementary_log(q);
    }
    add_prior(room, K, (double)f->n);
    normalise_columns(room, K);
    memcpy(c, room, (size_t)(K * K) * sizeof *c);
    return sum / (double)f->n;
}

/* The likelihood at 2^exponent after some steps of EM from `start`.  c, room: K x K. */
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
    double *room = memory_new(2 * cells, sizeof *room, err), low = lowest_exponent, high = highest_exponent;
    if (!room)
        return NAN;
    double *trial = room + cells;
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
    double *mean = memory_new(2 * K, sizeof *mean, err), *count = mean + K, examples = 0;
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
        if (best >= 0) {
            c[f->y[i] * K + best]++;
            examples++;
        }
    }
    add_prior(c, K, examples);
    normalise_columns(c, K);
    memory_free(mean);
    return 0;
}

/* Shares of the classes, what is known of their noise, and how well. */
static int summarise(const struct crossfit *f, struct estimate *e, struct error *err)
{
    const int64_t K = f->K;
    double *r = memory_new(K, sizeof *r, err);
    if (!r)
        return -1;
    for (int64_t i = 0; i < f->n; i++) {
        const double *p = e->p + i * K;
        const int32_t y = f->y[i];
        const double q = observed(e->c + y * K, K, p);
        estimate_posterior(e->c, K, p, y, r);
        for (int64_t k = 0; k < K; k++) {
            double wrong = 1 - e->c[k * K + k], slope = y == k ? -1 : wrong > 0 ? e->c[y * K + k] / wrong : 0, score = p[k] * slope / q;
            e->share[k] += r[k] / (double)f->n;
            e->deviation[k] += score * score; /* information about the noise rate */
        }
    }
    for (int64_t k = 0; k < K; k++) {
        e->deviation[k] = e->deviation[k] > 1 ? 1 / sqrt(e->deviation[k]) : 1;
        e->doubtful[k] = e->share[k] * (double)f->n < FEWEST;
        for (int64_t l = 0; l < K; l++)
            e->doubtful[k] |= l != k && e->c[k * K + k] - e->c[l * K + k] < DOUBT * e->deviation[k];
    }
    memory_free(r);
    return 0;
}

static int run(struct crossfit *f, const double *known, struct estimate *e, struct error *err)
{
    const int64_t cells = f->K * f->K;
    int64_t at = GRID_START;
    if (known)
        memcpy(e->c, known, (size_t)cells * sizeof *e->c);
    else
        for (int64_t k = 0; k < f->K; k++)
            e->c[k * f->K + k] = 1;
    e->likelihood = choose_lambda(f, e->c, &at, err);
    if (isnan(e->likelihood))
        return -1;
    if (known) {
        e->likelihood = fit_temperature(f, f->s, e->c, 0, NULL, &e->temperature, err);
    } else {
        find_probabilities(f, f->s, e->c, 1);
        if (confident_joint(f, e->c, err) != 0)
            return -1;
        for (int round = 0; round < ROUNDS; round++) {
            if (isnan(choose_lambda(f, e->c, &at, err)))
                return -1;
            e->likelihood = fit_temperature(f, f->s, e->c, EM_STEPS, e->c, &e->temperature, err);
        }
    }
    if (isnan(e->likelihood))
        return -1;
    e->lambda = f->options->lambda < 0 ? grid[at] : f->options->lambda;
    e->likelihood = find_probabilities(f, f->s, e->c, e->temperature); /* of the last step of EM, too */
    memcpy(e->p, f->p, (size_t)(f->n * f->K) * sizeof *e->p);
    return summarise(f, e, err);
}

/* known: NULL, or the matrix. */
static int estimate(const struct problem *problem, const int32_t *y, const struct labels *labels, const double *known, const struct estimate_options *options,
                    struct estimate *e, struct error *err)
{
    const int64_t n = problem->n, K = labels->count;
    struct crossfit f = {.problem = problem, .y = y, .labels = labels, .options = options, .n = n, .K = K};
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
    f.error = memory_new(FOLDS, sizeof *f.error, err);
    int status = -1;
    if (e->c && e->p && e->share && e->deviation && e->doubtful && f.fold && f.s && f.other && f.p && f.sum && f.error
        && folds_assign(y, n, K, FOLDS, options->seed, f.fold, err) == 0)
        status = run(&f, known, e, err);
    memory_free(f.fold);
    memory_free(f.s);
    memory_free(f.other);
    memory_free(f.p);
    memory_free(f.sum);
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

/* The features of the gamma, out of three, with which plain softmax regression makes the labels likeliest. */
static int choose_features(const struct problem *problem, const int32_t *y, const struct labels *labels, const struct estimate_options *options,
                           struct problem *mapped, double *gamma, struct error *err)
{
    static const double multiples[] = {1, 2, 4};
    const struct estimate_options once = {.lambda = features_lambda, .seed = options->seed, .threads = options->threads, .progress = options->progress};
    const double unit = unit_of_gamma(problem);
    const int64_t K = labels->count;
    double best = -INFINITY, *identity = memory_new(K * K, sizeof *identity, err);
    int status = identity ? 0 : -1;
    for (int64_t k = 0; k < K && identity; k++)
        identity[k * K + k] = 1;
    for (int m = 0; m < 3 && status == 0; m++) {
        struct fourier fourier;
        struct problem trial = {.n = 0};
        struct estimate e = {.n = 0};
        status = fourier_make(options->features, multiples[m] * unit, options->seed, &fourier, err);
        if (status == 0 && (fourier_grow(&fourier, problem->d, err) != 0 || fourier_problem(&fourier, problem, &trial, err) != 0
                            || estimate(&trial, y, labels, identity, &once, &e, err) != 0))
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
    memory_free(identity);
    return status;
}

static int estimate_richly(const struct problem *problem, const int32_t *y, const struct labels *labels, const struct estimate_options *options,
                           struct estimate *e, struct error *err)
{
    struct problem mapped = {.n = 0};
    struct estimate rich = {.n = 0}, again = {.n = 0};
    double gamma = 0;
    int status = choose_features(problem, y, labels, options, &mapped, &gamma, err);
    if (status == 0)
        status = estimate(&mapped, y, labels, NULL, options, &rich, err);
    if (status == 0 && rich.likelihood > e->likelihood) {
        status = estimate(problem, y, labels, rich.c, options, &again, err);
        rich.lambda = again.lambda;
        rich.gamma = gamma;
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
    if (estimate(problem, y, labels, NULL, options, e, err) != 0)
        return -1;
    if (options->features == 0 || estimate_richly(problem, y, labels, options, e, err) == 0)
        return 0;
    estimate_free(e);
    return -1;
}

int estimate_probabilities(const struct problem *problem, const int32_t *y, const struct labels *labels, const double *c,
                           const struct estimate_options *options, struct estimate *e, struct error *err)
{
    return estimate(problem, y, labels, c, options, e, err);
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

double estimate_bytes(const struct estimate_options *options, int64_t n, int64_t classes, int64_t d)
{
    const double at_once = options->threads < FOLDS ? options->threads : FOLDS;
    const struct online_options learner = online_forward(0, NULL);
    double bytes = 5 * 8 * (double)n * (double)classes + 8 * (double)n * (2 + at_once) + at_once * online_bytes(&learner, classes, d);
    if (options->features > 0)
        bytes += 2 * problem_bytes((double)n, (double)n * (double)options->features, false) + weights_bytes(options->features, d)
               + at_once * online_bytes(&learner, classes, options->features) + 8 * (double)n * (double)classes;
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
