/* UMA as plainly as it can be written: what the fast one in learners/uma/uma.c has to agree with.
 *
 * Nothing is kept from one iteration to the next but W, the generator of the random strategy and
 * what the result needs.  The notation is that of learners/uma/uma.h.  W has a row of d + 1 weights
 * for each class.  An iteration, from the present W:
 *
 *     scores     of an example: sum of value * weight in the order of its entries (the bias, index
 *                0, is the last of them), one class like the other
 *     predicted  the lowest class among those with the largest score
 *     alpha      0 when every weight is 0, at the start or later again; else options.alpha, times
 *                the Frobenius norm of W (bias weights included) if it is relative
 *     A_p        examples predicted p whose score of p is ahead of every other class by >= alpha;
 *                the others are in no set
 *     error      1 - sum/n, sum over p, then k, of (examples predicted p and observed k) C^-1[p,k]:
 *                from the predictions, not from A_p.  The counts are integers, so who sums in this
 *                order gets the same bits.  With W = 0 it is 1 - pi_0
 *     stop       max_iter, when options.iterations updates have been made: before anything is
 *                looked for, so it wins over the other two
 *     Gamma^p_k  1/n sum of the examples of A_p observed k;  z_pq = sum over k of C^-1[q,k]
 *                Gamma^p_k, cells without an example left out (an empty A_p gives z_pq exactly 0)
 *     eligible   p != q and ||z_pq|| > sigmas * sigma_pq (equal but for UMA_TIE is not), and
 *                ||z_pq|| > 0; strategy confusion: and pi_q > 0.  None: stop `tol`.  A pair that is
 *                not eligible is not counted as rejected, and the random strategy does not draw it
 *     order      largest criterion first: ||z_pq||, or ||z_pq|| / pi_q for the strategy confusion;
 *                of those within UMA_TIE of it the lowest p, then the lowest q random: the eligible
 *                pairs by p, then q; random_below(count) chooses, also when there is but one.  A
 *                pair that is rejected leaves the list, the others close up, and the next number is
 *                drawn.  One generator, random_seeded(seed, 0), for the whole run
 *     E          {r != q: <w_r, z> - <w_q, z> >= bound}, bound = 0, but alpha as above with check =
 *                paper (so it too is 0 while W = 0)
 *     check      skip and paper: p must be in E for the step perceptron; for uniform and worst it
 *                is enough that E has a member.  none: any pair will do.  All eligible pairs
 *                rejected: stop `no_violation`
 *     step       w_q += z, and   perceptron  w_p -= z, in E or not
 *                                uniform     w_r -= z/|E| for every r in E; with check = paper that
 *                                            is the narrower E
 *                                worst       w_r -= z for the r in E with the largest <w_r, z>, of
 *                                            equal ones the lowest
 *                Where E is empty (it takes check = none for that) p loses z, whatever the step;
 *                where E has members but not p, uniform and worst leave w_p alone
 *
 * What is returned, after T updates:
 *     last       W;  average  the mean of W after updates 1 .. T;  chosen = T for both
 *     best       the W after update 1 .. T with the smallest error, of equal ones the earliest.  W
 *                = 0 of the start is not one of them
 *     T = 0      W = 0 for all three, chosen = 0, error that of W = 0
 *
 * Cost of an iteration: nnz K + K^3 d. */
#ifndef TESTS_UNIT_UMA_PLAIN_H
#define TESTS_UNIT_UMA_PLAIN_H

#include "learners/uma/uma.h"

struct uma_plain {
    struct uma_result result;
    struct uma_update *updates; /* result.iterations; classes from 0 */
    double *criterion; /* result.iterations: what the pair was chosen by; random: its norm */
    double closest; /* the least distance between two unequal numbers that were compared to decide
                       something, in units of the terms they are sums of: where it is near 1e-16,
                       another order of summing may decide otherwise, with equal right */
};

/* Arguments as for uma_train; table_bytes and threads are not looked at.  plain: out; free with
 * uma_plain_free.  0, or -1: memory. */
int uma_plain(const struct uma_data *data, const struct uma_options *options,
              struct uma_plain *plain, struct error *err);

/* The same record of what uma_train does; closest is infinite.  -1 also where it reports another
 * number of updates than it says it made. */
int uma_fast(const struct uma_data *data, const struct uma_options *options,
             struct uma_plain *plain, struct error *err);

void uma_plain_free(struct uma_plain *plain);

#endif
