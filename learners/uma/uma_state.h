/* UMA's learner while it learns: what uma.c shares with the scores, the step and
 * cross-validation. */
#ifndef LEARNERS_UMA_UMA_STATE_H
#define LEARNERS_UMA_UMA_STATE_H

#include "learners/uma/uma.h"
#include "learners/uma/uma_rank.h"
#include "learners/uma/uma_scores.h"
#include "learners/uma/uma_tables.h"

struct uma {
    const struct uma_options *options;
    struct uma_tables t;
    int64_t K, D, n; /* classes; features and the bias; examples */
    struct uma_scores scores;
    int32_t *predicted; /* n: the class with the largest score; -1 before the first scores */
    int32_t *winner;    /* n: what predicted becomes */
    int64_t *flagged;   /* n: examples whose prediction or set changes, gathered block by block */
    int64_t *flags;     /* blocks: how many in each */
    int64_t *votes;     /* K x K: [p*K + k], examples of all ranks predicted p and observed k */
    int64_t *own_votes; /* K x K: the same of this rank */
    double *w;          /* K x D: the iterate */
    double *best;       /* K x D: the best iterate so far; NULL when it is not asked for */
    double *drift;      /* K x D: w less the average, times T (uma_apply_step); NULL likewise */
    bool *stale;        /* K: rows of w that differ from those of best */
    double *z;          /* D */
    double *tau;        /* K: the step */
    double *product;    /* K: <w_r, z> */
    struct uma_rank rank;
    double margin;         /* alpha as it counts now */
    int64_t iteration;     /* updates made */
    int64_t *stepped;      /* K: classes with tau != 0 in the last step */
    int64_t stepped_count; /* how many */
};

/* ---- scores, predictions and the sets A_p (uma_follow.c) ---- */

/* Update scores, votes and tables by the last step. */
void uma_follow(struct uma *u);

/* Sum up the votes of all ranks. */
void uma_sum_votes(struct uma *u);

/* 1 - tr(N C^-T): the error against the true labels, estimated from votes on n examples with
 * observed ones. */
double uma_estimated_error(const int64_t *votes, const double *inverse, int64_t K, int64_t n);

/* Count predictions of w (as in the result) on the data into votes[p*K + k]: predicted p, observed
 * k.  scores: out, K numbers from scores[i*K] on for each of them, an example i of the problem;
 * NULL: not wanted. */
void uma_vote(const struct uma_data *data, const double *w, int64_t *votes, double *scores);

/* ---- the step (uma_step.c) ---- */

/* Does the check refuse (p, q) beyond doubt?  The scores tell, as <w_r - w_q, z> = 1/n sum over A_p
 * of C^-1[q,y_i] (score_ir - score_iq), without z: far cheaper than uma_find_step, which decides
 * when rounding might matter. */
bool uma_refused(struct uma *u, int64_t p, int64_t q);

/* Fill tau for the pair (p, q) and its z: false when the check refuses it. */
bool uma_find_step(struct uma *u, int64_t p, int64_t q);

/* w_r += tau_r z.  The average of the iterates 1 .. T is w - drift / T with drift = sum over t of
 * (t - 1) tau z. */
void uma_apply_step(struct uma *u);

/* alpha as it counts for W: absolute, or times ||W||_F; 0 for W = 0. */
void uma_set_margin(struct uma *u);

/* best = w; only rows that differ are copied. */
void uma_keep_best(struct uma *u);

#endif
