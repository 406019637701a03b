/* EM for the confusion matrix.
 *
 * Log-likelihoods are summed in blocks, counts in up to 16 parts, as n and K and not the threads
 * say: the same numbers for any number of threads. */
#include "learners/noise/em.h"

#include "common/base/elementary.h"
#include "common/base/memory.h"
#include "common/base/order.h"
#include "common/base/parallel.h"
#include "common/base/reduce.h"
#include "common/base/vectors.h"
#include "common/linalg/short_vector.h"

#include <string.h>

enum {
    EM_WORTH_RANKS = 10000, /* examples x classes: a step takes as long as its messages */
    EM_MOST_PARTS = 16      /* no reason but that it is enough for the threads of most machines */
};
const double em_temperatures[EM_TEMPERATURES] = {0.5, 1, 2};
/* So that an impossible label (C[y][k] = 0 where p_k is not) has a logarithm. */
static const double em_least_probability = 1e-300;

/* Zeros are usual in what networks print; the logarithm of one must not decide alone how a row is
 * scaled.  No reason for this value but that it works: with 1e-12 the verdicts of
 * experiments/forward/choices.md come in the same order. */
static const double em_least_given = 1e-30;

/* The counts of all parts take no more than the probabilities do. */
static int64_t em_count_parts(int64_t n, int64_t K)
{
    const int64_t parts = n / K;
    return parts < 1 ? 1 : order_least(parts, EM_MOST_PARTS);
}

static int64_t em_count_blocks(int64_t n)
{
    return parallel_parts(n, EM_BLOCK);
}

int em_start(struct em *em, int64_t n, int64_t K, const int32_t *y, const int64_t *fold,
             int threads, struct error *err)
{
    *em = (struct em){.n = n,
                      .K = K,
                      .y = y,
                      .fold = fold,
                      .total = (double)n,
                      .threads = threads,
                      .parts = em_count_parts(n, K)};
    if (!(em->blocks = memory_new(em_count_blocks(n), sizeof *em->blocks, err))
        || !(em->trial = memory_new(K * K, sizeof *em->trial, err)))
        return -1;
    return em_take(em, err);
}

int em_take(struct em *em, struct error *err)
{
    if (!(em->p = memory_new(em->n * em->K, sizeof *em->p, err)))
        return -1;
    if (em->fold
        && !(em->counts = memory_new(em->parts * (em->K * em->K + 1), sizeof *em->counts, err)))
        return -1;
    return 0;
}

void em_give_back(struct em *em)
{
    memory_free(em->p);
    memory_free(em->counts);
    em->p = em->counts = NULL;
}

void em_weigh(struct em *em, const double *weight)
{
    double most = 0, sum = 0, squares = 0;
    em->weight = weight;
    em->total = (double)em->n;
    if (!weight)
        return;
    for (int64_t i = 0; i < em->n; i++)
        most = weight[i] > most ? weight[i] : most;
    for (int64_t i = 0; i < em->n; i++) {
        const double share = weight[i] / most; /* whose square is finite */
        sum += share;
        squares += share * share;
    }
    em->unit = sum / squares / most;
    em->total = sum * sum / squares;
}

void em_free(struct em *em)
{
    em_give_back(em);
    memory_free(em->blocks);
    memory_free(em->trial);
    *em = (struct em){0};
}

double em_bytes(int64_t n, int64_t K)
{
    const double cells = (double)K * (double)K, counts = (double)em_count_parts(n, K) * (cells + 1);
    return 8 * ((double)n * (double)K + counts + (double)em_count_blocks(n) + cells);
}

/* ---- probabilities ---- */

static double em_floor(double probability)
{
    return probability > em_least_probability ? probability : em_least_probability;
}

double em_log(double probability)
{
    return elementary_log(em_floor(probability));
}

double em_observed(const double *row, int64_t K, const double *p)
{
    return em_floor(short_dot(K, row, p));
}

double em_log_label(const struct em *em, const double *c, int64_t i)
{
    return elementary_log(em_observed(c + em->y[i] * em->K, em->K, em->p + i * em->K));
}

void em_posterior(const double *c, int64_t K, const double *p, int32_t y, double *r)
{
    const double *row = c + y * K, q = em_observed(row, K, p);
    for (int64_t k = 0; k < K; k++)
        r[k] = row[k] * p[k] / q;
}

void em_shares(const struct em *em, const double *c, double *share)
{
    const int64_t K = em->K;
    double *r = em->trial;
    memset(share, 0, (size_t)K * sizeof *share);
    for (int64_t i = 0; i < em->n; i++) {
        em_posterior(c, K, em->p + i * K, em->y[i], r);
        for (int64_t k = 0; k < K; k++)
            share[k] += em_weight(em, i) * r[k] / em->total;
    }
}

void em_label_shares(const struct em *em, double *share)
{
    memset(share, 0, (size_t)em->K * sizeof *share);
    for (int64_t i = 0; i < em->n; i++)
        share[em->y[i]] += em_weight(em, i) / em->total;
}

void em_level_scores(int64_t K, double *s)
{
    const double largest = short_largest(K, s);
    for (int64_t k = 0; k < K; k++)
        s[k] -= largest;
}

void em_level_all(int64_t n, int64_t K, double *s)
{
    for (int64_t i = 0; i < n; i++)
        em_level_scores(K, s + i * K);
}

void em_put_scores(const double *columns, int64_t K, double *s)
{
    for (int64_t k = 0; k < K; k++) {
        if (K > 2)
            s[k] = columns[k];
        else
            s[k] = k == 1 ? columns[0] : 0;
    }
    em_level_scores(K, s);
}

void em_score_probabilities(int64_t K, double *p)
{
    for (int64_t k = 0; k < K; k++)
        p[k] = elementary_log(p[k] > em_least_given ? p[k] : em_least_given);
    em_level_scores(K, p);
}

WIDEST_VECTORS(void, em_exponentials,
               (const double *restrict s, double temperature, int64_t K, double *restrict e),
               (s, temperature, K, e))
{
    for (int64_t k = 0; k < K; k++)
        e[k] = elementary_exp(temperature * s[k]);
}

void em_add_likelihoods(int64_t K, const double *row, const double *s, double weight, double *e,
                        double sum[EM_TEMPERATURES])
{
    em_exponentials(s, em_temperatures[0], K, e);
    for (int t = 0; t < EM_TEMPERATURES; t++) {
        sum[t] += weight * em_log(short_dot(K, row, e) / short_sum(K, e));
        for (int64_t k = 0; k < K; k++)
            e[k] *= e[k];
    }
}

double em_log_likelihood(const double *row, int64_t K, const double *s, double temperature,
                         double *p)
{
    em_exponentials(s, temperature, K, p);
    const double inverse = 1 / short_sum(K, p);
    for (int64_t k = 0; k < K; k++)
        p[k] *= inverse;
    return elementary_log(em_observed(row, K, p));
}

struct em_likelihood {
    const struct em *em;
    const double *s, *c;
    double temperature;
};

static void em_block_probabilities(void *context, int64_t block)
{
    const struct em_likelihood *job = context;
    const struct em *em = job->em;
    const int64_t K = em->K, last = order_least((block + 1) * EM_BLOCK, em->n);
    double sum = 0;
    for (int64_t i = block * EM_BLOCK; i < last; i++)
        sum += em_weight(em, i)
               * em_log_likelihood(job->c + em->y[i] * K, K, job->s + i * K, job->temperature,
                                   em->p + i * K);
    em->blocks[block] = sum;
}

double em_probabilities(struct em *em, const double *s, const double *c, double temperature)
{
    const int64_t blocks = em_count_blocks(em->n);
    struct em_likelihood job = {em, s, c, temperature};
    double sum = 0;
    parallel_for(em->threads, blocks, em_block_probabilities, &job);
    for (int64_t b = 0; b < blocks; b++)
        sum += em->blocks[b];
    return sum / em->total;
}

/* ---- steps ---- */

void em_add_prior(double *counts, int64_t K, double prior)
{
    double right = 0, all = 0;
    for (int64_t k = 0; k < K; k++)
        for (int64_t q = 0; q < K; q++) {
            right += k == q ? counts[k * K + q] : 0;
            all += counts[k * K + q];
        }
    right = all > 0 ? right / all : 1;
    for (int64_t k = 0; k < K; k++)
        for (int64_t q = 0; q < K; q++)
            counts[k * K + q] += prior * (k == q ? right : (1 - right) / (double)(K - 1));
}

void em_normalise(double *counts, int64_t K)
{
    for (int64_t q = 0; q < K; q++) {
        double total = 0;
        for (int64_t k = 0; k < K; k++)
            total += counts[k * K + q];
        for (int64_t k = 0; k < K; k++)
            counts[k * K + q] /= total;
    }
}

/* The diagonal of column q of a matrix in which it leads. */
static double em_lead(const double *c, int64_t K, int64_t q)
{
    double lead = c[q * K + q], before;
    do {
        double sum = c[q * K + q], count = 1;
        before = lead;
        for (int64_t k = 0; k < K; k++)
            if (k != q && c[k * K + q] > before) {
                sum += c[k * K + q];
                count++;
            }
        lead = sum / count;
    } while (lead > before); /* fewer entries exceed it then */
    return lead;
}

bool em_let_lead(double *c, int64_t K)
{
    bool changes = false;
    for (int64_t q = 0; q < K; q++) {
        const double lead = em_lead(c, K, q);
        changes |= lead > c[q * K + q];
        for (int64_t k = 0; k < K; k++)
            if (k == q || c[k * K + q] > lead)
                c[k * K + q] = lead;
    }
    return changes;
}

struct em_expectation {
    const struct em *em;
    const double *c;
    int64_t left_out;
    bool judges;   /* the likelihood is wanted: logarithms take as long as the counts */
    int64_t first; /* part of this rank */
};

/* Add the posterior of an example, times its weight, to the counts of its label.  Returns q. */
WIDEST_VECTORS(double, em_count,
               (const double *restrict row, const double *restrict p, int64_t K, double weight,
                double *restrict count),
               (row, p, K, weight, count))
{
    const double q = em_observed(row, K, p), inverse = weight / q;
    for (int64_t k = 0; k < K; k++)
        count[k] += row[k] * p[k] * inverse;
    return q;
}

/* Posteriors of a part of the examples, summed by label and true class; after them the sum of
 * log q. */
static void em_count_part(void *context, int64_t number)
{
    const struct em_expectation *job = context;
    const struct em *em = job->em;
    const int64_t part = job->first + number;
    const int64_t K = em->K, last = em->n * (part + 1) / em->parts;
    double *counts = em->counts + part * (K * K + 1), *sum = counts + K * K;
    memset(counts, 0, (size_t)(K * K + 1) * sizeof *counts);
    for (int64_t i = em->n * part / em->parts; i < last; i++) {
        if (em->fold[i] == job->left_out)
            continue;
        const double weight = em_weight(em, i);
        const double q = em_count(job->c + em->y[i] * K, em->p + i * K, K, weight,
                                  counts + em->y[i] * K);
        if (job->judges)
            *sum += weight * elementary_log(q);
    }
}

void em_step(const struct em *em, double *c, int64_t left_out, double *likelihood)
{
    const int64_t cells = em->K * em->K;
    /* All ranks have all examples here, and share the work where it is worth the messages. */
    const int64_t ranks = em->n * em->K > EM_WORTH_RANKS ? reduce_ranks() : 1,
                  rank = ranks > 1 ? reduce_rank() : 0, first = em->parts * rank / ranks,
                  own = em->parts * (rank + 1) / ranks - first;
    struct em_expectation job = {em, c, left_out, likelihood != NULL, first};
    double *counts = em->counts;
    parallel_for(em->threads, own, em_count_part, &job);
    if (ranks > 1)
        reduce_gather(counts, (size_t)(cells + 1) * sizeof *counts, first, own);
    for (int64_t part = 1; part < em->parts; part++)
        for (int64_t cell = 0; cell <= cells; cell++)
            counts[cell] += counts[part * (cells + 1) + cell];
    if (likelihood)
        *likelihood = counts[cells] / em->total;
    em_add_prior(counts, em->K, em->prior);
    em_normalise(counts, em->K);
    if (em->leads)
        em_let_lead(counts, em->K);
    memcpy(c, counts, (size_t)cells * sizeof *c);
}
