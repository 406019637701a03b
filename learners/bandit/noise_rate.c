/* What all estimators share: unit length, clipping, layers as text. */
#include "learners/bandit/noise_rate.h"

#include "common/base/number.h"
#include "learners/bandit/noise_rate_margin.h"
#include "learners/bandit/noise_rate_mlp.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

const char *const noise_rate_estimators[] = {"margin", "mlp", "mlp-authors", NULL};

/* ---- layers as text ---- */

int noise_rate_parse_layers(const char *text, struct noise_rate_network *network)
{
    char word[32];
    int64_t weights = 0;
    network->layers = 0;
    for (const char *p = text;; p++) {
        size_t size = strcspn(p, ",");
        if (network->layers == NOISE_RATE_MOST_LAYERS || size >= sizeof word)
            return -1;
        memcpy(word, p, size);
        word[size] = '\0';
        int64_t *units = &network->hidden[network->layers++];
        if (number_int_from_word(word, 1, NOISE_RATE_MOST_UNITS, units) != 0)
            return -1;
        if (network->layers > 1)
            weights += units[-1] * units[0];
        if (weights > NOISE_RATE_MOST_WEIGHTS)
            return -1;
        p += size;
        if (*p == '\0')
            return 0;
    }
}

void noise_rate_layers_text(const struct noise_rate_network *network,
                            char text[NOISE_RATE_LAYERS_TEXT])
{
    int used = 0;
    for (int64_t l = 0; l < network->layers; l++) {
        used += snprintf(text + used, (size_t)(NOISE_RATE_LAYERS_TEXT - used), "%s%d",
                         l > 0 ? "," : "", (int)network->hidden[l]);
        assert(used < NOISE_RATE_LAYERS_TEXT);
    }
}

/* ---- all estimators ---- */

static void noise_rate_clip(double rho[2])
{
    static const double most = 0.9;
    for (int i = 0; i < 2; i++)
        rho[i] = rho[i] > 0 ? rho[i] : 0;
    double sum = rho[0] + rho[1];
    if (sum > most) {
        for (int i = 0; i < 2; i++)
            rho[i] *= most / sum;
    }
}

double noise_rate_bytes(enum noise_rate_estimator estimator, double rounds, double entries,
                        int64_t classes)
{
    if (estimator != NOISE_RATE_MARGIN)
        return noise_rate_mlp_bytes(rounds, entries, classes, estimator == NOISE_RATE_MLP_AUTHORS);
    return noise_rate_margin_bytes(rounds);
}

/* What is there already, but for rounding, stays: estimating twice gives the same.  1e-12 is some
 * thousand roundings. */
static void noise_rate_bring_to_unit_length(struct problem *rounds)
{
    for (int64_t i = 0; i < rounds->n; i++) {
        struct example x = problem_example(rounds, i);
        double square = example_squared_norm(&x);
        if (!(square > 1 - 1e-12 && square < 1 + 1e-12))
            example_unit_length(rounds->value + rounds->row_start[i], x.size);
    }
}

int noise_rate_estimate(enum noise_rate_estimator estimator, struct problem *rounds,
                        int64_t classes, const struct noise_rate_network *network, int64_t seed,
                        int threads, struct noise_rates *rates, struct error *err)
{
    int status = -1;
    if (rounds->n < NOISE_RATE_FEWEST)
        return error_set(err, "noise rates need at least %d rounds; there are %lld",
                         NOISE_RATE_FEWEST, (long long)rounds->n);
    assert(rounds->log);
    noise_rate_bring_to_unit_length(rounds);
    switch (estimator) {
    case NOISE_RATE_MARGIN:
        status = noise_rate_margin(rounds, classes, seed, threads, rates, err);
        break;
    case NOISE_RATE_MLP:
        status = noise_rate_mlp(rounds, classes, false, network, seed, threads, rates->rho, err);
        break;
    case NOISE_RATE_MLP_AUTHORS:
        status = noise_rate_mlp(rounds, classes, true, network, seed, threads, rates->rho, err);
        break;
    }
    noise_rate_clip(rates->rho);
    return status;
}
