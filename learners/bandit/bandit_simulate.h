/* Feedback from labelled data: the program knows the right label, looks at what the learner shows,
 * and flips the answer with the noise rates it is told.
 *
 * Two uniforms a round, u and then v, drawn always, so that rounds of different learners stay
 * aligned: u chooses the label (bandit_choose), v is the noise: f = (v >= rho1) when the label is
 * right, (v < rho0) when it is wrong. */
#ifndef LEARNERS_BANDIT_BANDIT_SIMULATE_H
#define LEARNERS_BANDIT_BANDIT_SIMULATE_H

#include "common/base/output.h"
#include "learners/bandit/bandit.h"
#include "learners/bandit/bandit_source.h"

struct bandit_simulation {
    double noise[2]; /* rho0, rho1 of the answers */
    int64_t seed,
        drawn; /* of u and v; rounds that were drawn before, when it goes on from a model */
    struct output *trace; /* NULL, or: rounds, both error rates so far, the learner's rates; ten
                             lines from each power of ten to the next */
};

struct bandit_counts {
    int64_t rounds;
    int64_t shown_wrong, greedy_wrong; /* rounds in which the label shown, and the greedy one, was
                                          not the right one */
};

int bandit_answer(const double noise[2], bool right, double v);

/* Play the rounds of the source.  counts: out.  0, or -1 with err; a label that is no class is an
 * error. */
int bandit_simulate(struct bandit *b, const struct bandit_source *source,
                    const struct bandit_simulation *simulation, struct bandit_counts *counts,
                    struct error *err);

#endif
