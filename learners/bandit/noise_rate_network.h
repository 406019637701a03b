/* The network that the two mlp estimators of noise_rate.h train. */
#ifndef LEARNERS_BANDIT_NOISE_RATE_NETWORK_H
#define LEARNERS_BANDIT_NOISE_RATE_NETWORK_H

#include <stdint.h>

/* A model names its layers only, so what it can ask for is bounded: 2^22 weights between hidden
 * layers, 256 times those of the default, take 134 MB while they are learnt. */
enum {
    NOISE_RATE_MOST_LAYERS = 8,
    NOISE_RATE_MOST_UNITS = 1 << 16,
    NOISE_RATE_MOST_WEIGHTS = 1 << 22,
    NOISE_RATE_MOST_EPOCHS = 100000
};
#define NOISE_RATE_MOST_DROPOUT 0.99
struct noise_rate_network {
    int64_t layers;                         /* hidden ones */
    int64_t hidden[NOISE_RATE_MOST_LAYERS]; /* units in each */
    double dropout; /* of the hidden layers, at most NOISE_RATE_MOST_DROPOUT */
    int64_t epochs;
};

#endif
