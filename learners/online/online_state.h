/* The state behind online.h; for the files of the online family only. */
#ifndef LEARNERS_ONLINE_ONLINE_STATE_H
#define LEARNERS_ONLINE_ONLINE_STATE_H

#include "common/linear/average.h"
#include "learners/online/online.h"

struct online {
    struct online_options options;
    struct labels labels;
    int64_t columns; /* 1 for two classes, else K */
    struct online_counts counts;
    struct weights mu;       /* the weights; SOP: v; AdaGrad-RDA: u */
    struct covariance sigma; /* AROW, CW, SOP */
    struct weights squares;  /* AdaGrad-RDA, forward: s */
    struct weights
        seen; /* forward with lambda > 0, one column: the round in which a feature occurred last */
    double *confusion;   /* forward: K x K */
    double *probability; /* forward: K, room */
    struct weights sum;  /* with average: see average.h.  AdaGrad-RDA, whose weights move by
                            themselves: the sum of w after rounds 1 .. last */
    struct weights
        last; /* with average: AdaGrad-RDA: the round up to which `sum` counts; SOP: room for w */
    double *scores;           /* stride of mu */
    double checked_bytes;     /* memory that was found to fit */
    struct competitor *rival; /* AROW with k > 1: K entries */
};

struct competitor {
    double score, loss, q, step;
    int64_t column;
};

/* f of a round: at most two blocks, each x or -x. */
struct direction {
    int blocks;
    int64_t column[2];
    double sign[2];
    double margin;
    bool mistake;
};

/* f for the scores in o->scores. */
struct direction online_direction(const struct online *o, int32_t y);

/* Does this rule keep a covariance? */
bool online_has_covariance(const struct online_options *options);

/* w[cell] += change in the current round, with what averaging needs. */
static inline void online_shift(struct online *o, int64_t cell, double change)
{
    average_shift(&o->mu, &o->sum, o->counts.rounds - 1, cell, change);
}

/* w_column += step Sigma_column x, then Sigma_column observes x with precision beta (see
 * covariance.h).  Call covariance_quadratic first. */
void online_move_gaussian(struct online *o, const struct example *x, int64_t column, double step,
                          double beta, double chi);

/* The rounds.  0, or -1 when a number is not finite. */
int perceptron_round(struct online *o, const struct example *x, int32_t y);
int passive_aggressive_round(struct online *o, const struct example *x, int32_t y);
int arow_round(struct online *o, const struct example *x, int32_t y);
int cw_round(struct online *o, const struct example *x, int32_t y);
int sop_round(struct online *o, const struct example *x, int32_t y);
int adagrad_rda_round(struct online *o, const struct example *x, int32_t y);
int forward_round(struct online *o, const struct example *x, int32_t y);

/* Forward, from the scores of an example (stride numbers, K > 2 or one) and the row C[y] of its
 * label: scores become p - r, what its features are multiplied with in the gradient, 0 in the
 * padding.  probability: out, K: p.  Returns log sum_q C[y][q] p_q; -INFINITY when C says that this
 * label cannot be: scores are as they were. */
double forward_direction(const double *confusion_row, int64_t K, double *scores, int64_t stride,
                         double *probability);

/* The weights of rules that keep something else, for all features; w has the shape of mu. */
void sop_weights(const struct online *o, double *w);
void adagrad_rda_weights(const struct online *o, double *w);
void forward_weights(const struct online *o, double *w);

/* Take from the weights the decay that is due, so that they are those of forward_weights. */
void forward_take_decay(struct online *o);

#endif
