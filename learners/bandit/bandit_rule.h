/* A learner from bandit feedback as a table of functions.
 *
 * bandit.c does what all of them share: scores, choosing the label to show, averages, memory, the
 * model file.  A rule says what a round changes, which parameters it has, and what state it keeps
 * beside the weights.  Each stands in a file of its own, with its formula at the top. */
#ifndef LEARNERS_BANDIT_BANDIT_RULE_H
#define LEARNERS_BANDIT_BANDIT_RULE_H

#include "common/data/example.h"
#include "learners/bandit/bandit_parameters.h"

struct bandit;

/* Functions that a rule has no use for are NULL. */
struct bandit_rule {
    const char *name;                          /* for the program's -s and in the model file */
    const struct bandit_parameter *parameters; /* ended by one without an option; NULL: none */
    /* It estimates the noise rates itself: they are reported, and the estimate of the accuracy on
     * the held-out tail of a log is corrected by them. */
    bool estimates_rates;
    size_t state_size; /* bytes of b->state, all zero at first */

    /* Learn from the feedback f to a label that was shown with propensity p, for x, whose scores
     * stand in b->scores.  This is round b->rounds, counted from 1; all features of x have weights.
     * 0, or -1 with err: bandit_refuse_large where a number is not finite, or what failed. */
    int (*round)(struct bandit *b, const struct example *x, int64_t shown, double p, int f,
                 struct error *err);

    void (*start)(struct bandit *b); /* once, before anything else */

    /* bandit_feature_limit; without this: as many as memory holds. */
    int64_t (*feature_limit)(const struct bandit_options *options, int64_t classes);

    /* Make the state hold features up to d.  0, or -1 with err (the weights stay as they were). */
    int (*grow)(struct bandit *b, int64_t d, struct error *err);

    /* Bytes of the state. */
    double (*bytes)(const struct bandit_options *options, int64_t classes, int64_t d);

    void (*free)(struct bandit *b);

    /* The state in the model file: its single numbers stand after the parameters, its tables after
     * the weights. */
    void (*save_numbers)(const struct bandit *b, struct model_writer *writer);
    int (*save_tables)(const struct bandit *b, struct model_writer *writer, struct error *err);

    /* Both; b has its parameters, its labels and its size. */
    int (*load)(struct bandit *b, const struct model *model, struct error *err);

    /* Why a model with these options does not hold all that going on needs; NULL when it does. */
    const char *(*incomplete)(const struct bandit_options *options);
};

/* All rules, in the order in which the program's help names them.  A NAME here is the rule
 * `bandit_NAME_rule`, whose name is "NAME". */
/* clang-format off */
#define BANDIT_RULES(RULE) \
    RULE(rcnbf)     /* in the mean the perceptron's step, corrected for the noise */ \
    RULE(rcine)     /* rcnbf with noise rates that it estimates */ \
    RULE(banditron) /* rcnbf that assumes no noise */ \
    RULE(bpa)       /* passive-aggressive */ \
    RULE(soba)      /* second-order Banditron */ \
    RULE(nsm)       /* noisy softmax: gradient steps on the likelihood of the feedback */
/* clang-format on */

#define BANDIT_DECLARE(name) extern const struct bandit_rule bandit_##name##_rule;
BANDIT_RULES(BANDIT_DECLARE)
#undef BANDIT_DECLARE

extern const struct bandit_rule *const bandit_rules[]; /* NULL-terminated */

/* The parameter that goes with a long option, when this learner has it and has a use for it; else
 * NULL. */
const struct bandit_parameter *bandit_find_parameter(const struct bandit_options *options,
                                                     const char *option);

/* Does the option mean something for this learner?  Also true of an option that is no parameter of
 * any rule. */
bool bandit_uses(const struct bandit_options *options, const char *option);

#endif
