/* What a learner from bandit feedback is made with. */
#ifndef LEARNERS_BANDIT_BANDIT_OPTIONS_H
#define LEARNERS_BANDIT_BANDIT_OPTIONS_H

#include "learners/bandit/noise_rate.h"

#include <stdbool.h>
#include <stdint.h>

struct bandit_rule; /* bandit_rule.h */

struct bandit_options {
    const struct bandit_rule *rule;
    double gamma;      /* exploration, 0 .. 1 */
    bool average;      /* bandit_weights gives the average */
    bool play_average; /* choose labels by the average */
    int64_t seed;      /* of what a rule draws */
    int threads;       /* of what a rule computes; results do not depend on it */

    /* of some rules (bandit_parameters.h) */
    double rho[2];                     /* the noise rates that rcnbf and nsm assume */
    double prior;                      /* soba: a > 0, A starts at a I */
    bool full;                         /* soba: A with all its entries; else its diagonal */
    double eta;                        /* nsm: step, > 0 */
    int64_t period;                    /* rcine: rounds between two estimates */
    int64_t estimator;                 /* rcine: enum noise_rate_estimator */
    struct noise_rate_network network; /* rcine with one of the mlp estimators */
};

#endif
