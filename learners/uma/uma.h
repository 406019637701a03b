/* UMA: a multiclass ultraconservative learner for noisy labels whose confusion matrix C is known.
 *
 * Notation (Louche and Ralaivola 2015, Algorithm 2): n examples x_i with observed labels y_i, K
 * classes,
 *
 *     A_p       examples whose largest score is that of p, with a margin of at least alpha
 *     Gamma^p_k = 1/n sum of the x_i in A_p with y_i = k        (K vectors a class p)
 *     z_pq      = [C^-1 Gamma^p]_q = 1/n sum of C^-1[q,y_i] x_i over A_p
 *               estimates the part of A_p whose true class is q, times its share of the examples
 *
 * An iteration picks a pair p != q and moves W along z_pq: w_q gains it, classes whose scores on it
 * are too high lose it.
 *
 *     strategy   which pair
 *       error        the largest ||z_pq||                                                      (19)
 *       confusion    the largest ||z_pq|| / pi_q, with pi = C^-1 (shares of the observed labels); a
 *                    class with pi_q <= 0 is passed over                                       (20)
 *       random       any eligible pair
 *     step       who loses z; E is the error set {r != q: <w_r - w_q, z> >= 0}
 *       perceptron   w_p
 *       uniform      every class of E an equal share
 *       worst        the class of E with the highest score
 *     check      what is done where E is empty
 *       skip         the pair is passed over for the next best.  With the step perceptron, which
 *                    moves w_p alone, it is passed over where p is not in E, too
 *       none         w_p loses z all the same
 *       paper        as skip, with <w_r - w_q, z> >= alpha in E, as printed (too strict: the mass
 *                    of z is not 1)
 *     eligible   ||z_pq|| > sigmas * sigma_pq, with sigma_pq^2 = 1/n^2 sum over A_p of
 *                C^-1[q,y_i]^2 ||x_i||^2, the noise that z_pq has by itself
 *     stop       tol            no pair is eligible
 *                no_violation   no eligible pair passes the check
 *                max_iter       options.iterations updates have been made
 *     error      of an iterate, estimated without a true label: 1 - sum over p, k of N[p,k]
 *                C^-1[p,k], where N[p,k] is the share of examples predicted p and observed k
 *
 * Where the largest score is shared, the example is in the set of the lowest class; of pairs that
 * rank equal, but for UMA_TIE, the lowest (p, q) is taken.  While W = 0, alpha counts as 0.
 *
 * How it is made fast.  A table Z^p (features x K) holds all z_pq of a class p, and is updated with
 * the examples that enter or leave A_p; so is
 *
 *     ||z_pq||^2   an example of observed class k adds 2 c <x, z_pq> + c^2 ||x||^2, with c =
 *                  +-C^-1[q,k]/n, for all q in one pass over its rows of Z^p
 *
 * Each squared norm carries a bound of the rounding that it may have gathered.  Pairs that this
 * leaves undecided are summed anew, and so is every z_pq that moves W: the tables save time, but
 * decide nothing.  The scores are updated by one product <x_i, z_pq> an example.
 *
 * Cost of an iteration: nnz + n K + (entries of examples that moved) x 4 K + K^2 + K d, and the
 * size of A_p for each pair (p, q) passed over.  Memory: the tables, K^2 d numbers; where that is
 * more than options.table_bytes, a table is built anew for each class whose A_p changed.  Where the
 * data are on disk (rows.h), so are the scores, and both are read again in each iteration. */
#ifndef LEARNERS_UMA_UMA_H
#define LEARNERS_UMA_UMA_H

#include "common/base/progress.h"
#include "learners/uma/uma_data.h"
#include "learners/uma/uma_options.h"

#include <stdbool.h>
#include <stdint.h>

/* One update, as the trace tells it. */
struct uma_update {
    int64_t iteration; /* from 1 */
    int64_t p, q;      /* classes */
    double norm;       /* ||z_pq|| */
    int64_t rejected;  /* better-ranked pairs passed over by the check */
    double error;      /* estimated, after the update */
};

struct uma_watch {
    /* Called after each update; may be NULL. */
    void (*update)(void *context, const struct uma_update *update);
    void *context;
    struct progress *progress; /* may be NULL */
};

struct uma_result {
    double *w;          /* K x (d + 1), class-major: w[k*(d+1) + j]; j = 0 is the bias */
    double *proportion; /* K: pi, estimated shares of the true classes; their sum is 1, but some may
                         * be <= 0 */
    int64_t iterations; /* updates made */
    int64_t chosen;     /* updates up to w: the best iterate's, or all */
    enum uma_stop stop;
    double error;      /* estimated, of w (not clipped: may be below 0) */
    double last_error; /* of the last iterate */
    int64_t counted; /* examples in some A_p by the last iterate: the others' lead is below alpha */
};

/* Learn from the data.
 *
 * watch    may be NULL
 * result   out; free with uma_result_free
 * Several ranks (reduce.h) call it together, each with its examples, which may be none; their
 * table_bytes must be the same.  A rank sends K^2 counts an iteration, d numbers for each z that is
 * summed and K d for each table that changes, and receives as many; scores and predictions are
 * computed side by side, sums rank after rank.
 * 0, or -1 with err: memory, the disk, or values too large or too small to be squared.  Bytes
 * independent of options->threads, table_bytes and the number of ranks. */
int uma_train(const struct uma_data *data, const struct uma_options *options,
              const struct uma_watch *watch, struct uma_result *result, struct error *err);

/* What uma_train takes in memory for n examples with d features, besides the data, which are in
 * memory or on disk. */
double uma_bytes(const struct uma_options *options, int64_t n, int64_t d, int64_t K, bool disk);

/* What uma_cross_validate takes besides, without `scores`. */
double uma_validation_bytes(int64_t n, int64_t K);

/* Would the tables of z fit in options->table_bytes? */
bool uma_holds_tables(const struct uma_options *options, int64_t d, int64_t K);

/* What cross-validation finds. */
struct uma_validation {
    int64_t agreed; /* examples that get the label observed */
    double error;   /* estimated, against the true labels (not clipped: may be below 0) */
    double *scores; /* n x K, of each example by the classifier that has not seen it; the caller's
                     * memory, or NULL: not wanted */
};

/* Stratified cross-validation on the noisy labels of all data; data->subset is NULL.  Groups
 * or, where there are none, copies (copies.h) stay in one fold.  0, or -1 with err, as uma_train.
 */
int uma_cross_validate(const struct uma_data *data, const struct uma_options *options,
                       int64_t folds, struct uma_validation *found, struct error *err);

void uma_result_free(struct uma_result *result);

#endif
