/* Feedback from labelled data: the program knows the right label, looks at what the learner shows,
 * and flips the feedback with the noise rates that it is told.
 *
 * Two uniforms a round, u and then v, are always drawn, so that rounds of different learners stay
 * aligned: u chooses the label (bandit_choose), v is the noise: f = [v >= rho1] when the label is
 * right, [v < rho0] when it is wrong. */
#ifndef LEARNERS_BANDIT_BANDIT_SIMULATE_H
#define LEARNERS_BANDIT_BANDIT_SIMULATE_H

#include "common/base/output.h"
#include "learners/bandit/bandit.h"
#include "learners/bandit/bandit_source.h"

struct bandit_simulation {
    double noise[2];      /* rho0, rho1 of the feedback; the learner may assume others */
    int64_t seed;         /* of u and v */
    int64_t drawn;        /* rounds that were drawn before, when it goes on from a model */
    struct output *trace; /* NULL, or a learning curve, ten lines per decade of rounds: rounds, both
                             error rates so far, the learner's noise rates */
};

struct bandit_counts {
    int64_t rounds;
    int64_t shown_wrong;  /* rounds in which the label shown was not the right one */
    int64_t greedy_wrong; /* rounds in which the greedy one was not */
};

/* The feedback to a label that is right or wrong; v: uniform in [0, 1). */
int bandit_noisy_feedback(const double noise[2], bool right, double v);

/* Play the rounds of the source.  counts: out.  0, or -1 with err; a label that is no class is an
 * error. */
int bandit_simulate(struct bandit *b, const struct bandit_source *source,
                    const struct bandit_simulation *simulation, struct bandit_counts *counts,
                    struct error *err);

#endif
