/* Weights of noisy labels, and the likelihood of labels by scores at a temperature, by plain loops;
 * labels drawn at random: what the tests of label_weights, em_calibrate and svm_estimate share. */
#ifndef TESTS_UNIT_LABEL_NOISE_PLAIN_H
#define TESTS_UNIT_LABEL_NOISE_PLAIN_H

#include "learners/noise/label_weights.h"
#include "ridge_plain.h"

/* The weight of example i, over the mean of all. */
static inline double own_weight(const double *weight, int64_t n, int64_t i)
{
    double total = 0;
    for (int64_t j = 0; weight && j < n; j++)
        total += weight[j];
    return weight ? weight[i] * ((double)n / total) : 1;
}

static inline int32_t draw_label(struct random *g, int64_t K, const double *c, int64_t class)
{
    const double u = random_uniform(g);
    double cumulated = 0;
    int32_t y = 0;
    while (y < K - 1 && (cumulated += c[y * K + class]) < u)
        y++;
    return y;
}

/* ---- weights of labels ---- */

/* r: out, the posterior of the true class. */
static inline void plain_posterior(const struct label_noise *noise, int64_t i, const double *p,
                                   double *r)
{
    const int64_t K = noise->classes;
    double sum = 0;
    for (int64_t k = 0; k < K; k++)
        sum += r[k] = noise->c[noise->y[i] * K + k] * p[i * K + k];
    for (int64_t k = 0; k < K; k++)
        r[k] /= sum;
}

/* a = v (1 - u) / 2. */
static inline double margin_weight(const struct label_noise *noise, const double *p)
{
    double explained = 0, disagreement = 0, r[CLASSES];
    for (int64_t i = 0; i < noise->n; i++) {
        plain_posterior(noise, i, p, r);
        explained += 1 - r[noise->y[i]];
        disagreement += 1 - p[i * noise->classes + noise->y[i]];
    }
    return fmax(noise->unexplained, 0.1) * (1 - fmin(explained / disagreement, 1)) / 2;
}

/* r^(1-a) h^a of the label. */
static inline double label_score(const struct label_noise *noise, int64_t i, const double *p,
                                 double a)
{
    const int64_t K = noise->classes, y = noise->y[i];
    double r[CLASSES], rival = 0;
    plain_posterior(noise, i, p, r);
    for (int64_t k = 0; k < K; k++)
        rival = k != y ? fmax(rival, p[i * K + k]) : rival;
    return pow(r[y], 1 - a) * pow((1 + p[i * K + y] - rival) / 2, a);
}

/* What became of the labels of the classes. */
struct plain_lifts {
    int lifted, capped;
};

static inline struct plain_lifts plain_weights(const struct label_noise *noise, const double *p,
                                               double *v)
{
    const double a = margin_weight(noise, p);
    double sum[CLASSES] = {0};
    struct plain_lifts lifts = {0, 0};
    for (int64_t i = 0; i < noise->n; i++) {
        v[i] = own_weight(noise->weight, noise->n, i) * label_score(noise, i, p, a);
        sum[noise->y[i]] += v[i];
    }
    for (int64_t i = 0; i < noise->n; i++) {
        const double tenth = noise->share[noise->y[i]] * (double)noise->n / 10,
                     most = own_weight(noise->weight, noise->n, i);
        if (sum[noise->y[i]] >= tenth || sum[noise->y[i]] <= 0)
            continue;
        v[i] *= tenth / sum[noise->y[i]];
        lifts.lifted += v[i] < most;
        lifts.capped += v[i] > most;
        v[i] = fmin(v[i], most);
    }
    return lifts;
}

/* ---- the temperature of scores ---- */

/* Exponents of temperatures from -1 to 5, a hundredth apart. */
enum { EXPONENTS = 601 };

/* The mean log-likelihood of labels by scores at a temperature. */
static inline double plain_likelihood(const struct label_noise *noise, const double *score,
                                      double temperature)
{
    const int64_t K = noise->classes;
    double sum = 0, total = 0, p[CLASSES];
    for (int64_t i = 0; i < noise->n; i++) {
        const double weight = noise->weight ? noise->weight[i] : 1;
        double observed = 0;
        softmax(K, score + i * K, temperature, p);
        for (int64_t k = 0; k < K; k++)
            observed += noise->c[noise->y[i] * K + k] * p[k];
        sum += weight * log(observed);
        total += weight;
    }
    return sum / total;
}

/* The exponent of the likeliest temperature. */
static inline double plain_exponent(const struct label_noise *noise, const double *score)
{
    double best = -INFINITY, at = NAN;
    for (int step = 0; step < EXPONENTS; step++) {
        const double exponent = step / 100. - 1,
                     likelihood = plain_likelihood(noise, score, exp2(exponent));
        if (likelihood > best) {
            best = likelihood;
            at = exponent;
        }
    }
    return at;
}

#endif
