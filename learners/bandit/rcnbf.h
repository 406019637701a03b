/* The round of RCNBF (rcnbf.c), which RCINE has too. */
#ifndef LEARNERS_BANDIT_RCNBF_H
#define LEARNERS_BANDIT_RCNBF_H

#include "learners/bandit/bandit.h"

/* As in struct bandit_rule, with the noise rates in force. */
int rcnbf_round(struct bandit *b, const struct example *x, int64_t shown, double p, int f,
                struct error *err);

#endif
