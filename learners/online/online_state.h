/* The state of an online learner, and the interface of a rule; private to this folder. */
#ifndef LEARNERS_ONLINE_ONLINE_STATE_H
#define LEARNERS_ONLINE_ONLINE_STATE_H

#include "common/linear/average.h"
#include "learners/online/online.h"

#include <stddef.h>

/* A rule: its functions, and the state that it has besides the weights.  Most rules set `round` and
 * one or two other members. */
struct online_rule {
    /* Learn from example x of class y; tables have grown to its features.  o->scores are the
     * scores of x by mu, unless own_scores is set.  0, or -1 when a number is not finite. */
    int (*round)(struct online *o, const struct example *x, int32_t y);
    bool own_scores; /* `round` computes the scores itself */
    bool weighted;   /* `round` heeds o->weight, which else is 1 */

    /* Long names of its own options (online_parameters in online.c), in the order of the model
     * file; NULL-terminated. */
    const char *parameters[4];

    /* Rules with a covariance. */
    bool covariance;
    double (*variance)(const struct online_options *options); /* initial; NULL: 1 */

    /* Rules whose mu is not the weights: its keyword in the model file, and a function that
     * computes the weights to predict with (shaped like mu).  NULL: mu is the weights. */
    const char *keeps;
    void (*weights)(const struct online *o, double *w);

    bool squares; /* it has a table of sums of squares */

    /* For averaging, rules whose weights change otherwise than by online_shift. */
    bool last;    /* it has the round up to which `sum` is complete; `weights` gives the mean */
    bool scratch; /* it needs a table as workspace */

    /* Can the rule be used with these options and labels (NULL: not known yet)?  NULL: always.  0,
     * or -1 with err. */
    int (*check)(const struct online_options *options, const struct labels *labels,
                 struct error *err);
};

#define ONLINE_DECLARE(constant, identifier, name) \
    extern const struct online_rule online_##identifier##_rule;
ONLINE_RULES(ONLINE_DECLARE)
#undef ONLINE_DECLARE

const struct online_rule *online_get_rule(int64_t number);

/* Are the weights to predict with mu itself?  A model then has it once, as w. */
bool online_is_direct(const struct online_options *options);

/* A parameter: an option that only some rules use. */
struct online_parameter {
    const char *option;  /* its long name */
    const char *keyword; /* in the model file */
    size_t offset;       /* in struct online_options */
    bool whole;          /* int64_t, else double */
    double lowest;       /* of a double */
};

/* The parameter set by the option of this long name; NULL: none. */
const struct online_parameter *online_find_parameter(const char *option);

struct online {
    struct online_options options;
    const struct online_rule *rule;
    struct labels labels;
    int64_t columns; /* 1 for two classes, else K */
    struct round_counts counts;
    double weight;           /* of the example of this round */
    struct weights mu;       /* the weights; SOP: v; AdaGrad-RDA: u */
    struct covariance sigma; /* rules with a covariance */
    struct weights squares;  /* AdaGrad-RDA: s */
    struct weights sum;      /* with average: see average.h.  AdaGrad-RDA, whose weights change in
                                every round: the sum of w after rounds 1 .. last */
    struct weights last;     /* see struct online_rule */
    struct weights scratch;
    double *scores;           /* stride of mu */
    double checked_bytes;     /* memory that is known to fit */
    struct competitor *rival; /* AROW with k > 1: K entries */

    /* Of the learner that all ranks had after their last pass together (online_join): weights, then
     * variances, shaped like mu; NULL: before the first one. */
    double *joined;
    struct round_counts joined_counts;
};

/* A wrong class; symbols as in arow.c. */
struct competitor {
    double score, loss, q, step;
    int64_t column;
};

/* The vector f of a round (online.h): at most two blocks, each x or -x. */
struct direction {
    int blocks;
    int64_t column[2];
    double sign[2];
    double margin;
    bool mistake;
};

/* f for the scores in o->scores. */
struct direction online_direction(const struct online *o, int32_t y);

/* w[cell] += change in the current round, with what averaging needs. */
static inline void online_shift(struct online *o, int64_t cell, double change)
{
    average_shift(&o->mu, &o->sum, o->counts.rounds - 1, cell, change);
}

/* Does each weight have a precision of its own, by which learners are merged? */
static inline bool online_has_precisions(const struct online_options *o)
{
    const struct online_rule *rule = online_get_rule(o->rule);
    return rule->covariance && !rule->keeps && o->form == COVARIANCE_DIAG;
}

/* Has each weight a finite precision 1/s?  Extreme values round a variance to 0.  0, or -1 with
 * err. */
int online_check_precisions(const struct online *o, struct error *err);

/* The rule delta of online_merge.h, for a weight: what a learner adds to the two sums over all
 * learners, and the merged weight by these sums. */
static inline double online_delta_precision(double s, double s_0)
{
    return 1 / s - 1 / s_0;
}

static inline double online_delta_shift(double mu, double s, double mu_0, double s_0)
{
    return online_delta_precision(s, s_0) * (mu - mu_0);
}

static inline double online_delta_weight(double shifts, double precisions, double mu_0)
{
    return precisions > 0 ? mu_0 + shifts / precisions : mu_0;
}

/* One learner of those of all ranks, which have the same options and features, and were the same
 * after the last pass: merged by precision, as `delta` in online_merge.h.  With a diagonal
 * covariance and without averaging.  A rank sends and receives 16 bytes a weight.  0 or -1. */
int online_join(struct online *o, struct error *err);

/* w_column += step Sigma_column x, then Sigma_column observes x with precision beta (see
 * covariance.h).  Call covariance_quadratic first. */
void online_move_gaussian(struct online *o, const struct example *x, int64_t column, double step,
                          double beta, double chi);

#endif
