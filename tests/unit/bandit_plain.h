/* The learners from noisy bandit feedback as plainly as they can be written: what
 * learners/bandit/bandit.c has to agree with.
 *
 * Everything is dense: an example is a vector of d + 1 numbers (place 0: the bias), W has a row of
 * them for each class, SOBA's A is a matrix with (K (d + 1))^2 entries, and the average is a sum to
 * which W is added after every round.  Notation and rules are those of learners/bandit/bandit.h;
 * here once more in the order in which a round goes:
 *
 *     choose   greedy = argmax_k v_k.x, the lowest of equals; v = W, or with play_average the mean
 *              of W after rounds 1 .. t-1 (0 before the first) shown = greedy if u < 1 - gamma,
 *              else min(K-1, floor((u - (1 - gamma)) / gamma K));  p = (1 - gamma) [shown = greedy]
 *              + gamma/K
 *     learn    everything from the W of now, also when it has changed since the label was chosen,
 *              and whatever v was:
 *     rcnbf    w_shown += h(f)/p x;  then w_g -= x for g = argmax_k w_k.x of before both.  h(1) =
 *              (1 - rho0)/beta, h(0) = -rho0/beta
 *     banditron  the same with rho0 = rho1 = 0, whatever the options say; rcine too, until it has
 *                an estimate of its own (here: always)
 *     bpa      s = w_shown.x;  f = 1: w_shown += max(0, -s)/|x|^2 x;  f = 0: w_shown -= max(0, 1 +
 *              s)/|x|^2 x;  nothing where x = 0
 *     soba     only for f = 1.  other = argmax_{k /= shown} w_k.x;  g = 1/p (e_other - e_shown) (x)
 *              x;  z = sqrt(p) g; m = (<W,z>^2 + 2 <W,g>) / (1 + z'A^-1 z);  if m + (sum of the m
 *              accepted so far) >= 0:  A += zz', theta -= g, W = A^-1 theta.  A starts as prior *
 *              I.  full: A^-1 by elimination, every time anew.  Else A keeps its diagonal only: A
 *              += z^2, W = theta/A
 *     nsm      pi = softmax(Wx);  q = rho0 + beta pi_shown;  c = (q - f) / max(q (1 - q), 1e-6)
 *              beta pi_shown;  for all k g_k = c ([k = shown] - pi_k) x;  G += g^2;  W -= eta
 *              g/sqrt(G);  G starts at 0.01
 *     average  += W, also after a round that changed nothing
 *
 * Cost of a round: K d, with soba's full matrix (K d)^3. */
#ifndef TESTS_UNIT_BANDIT_PLAIN_H
#define TESTS_UNIT_BANDIT_PLAIN_H

#include "learners/bandit/bandit.h"
#include "learners/bandit/bandit_rule.h"

struct bandit_plain {
    struct bandit_options options;
    int64_t K, width;  /* width: d + 1 */
    int64_t rounds;    /* learnt from */
    double *w;         /* K x width: w[k * width + j] */
    double *sum;       /* of w after each round */
    double *dense;     /* width: the example at hand */
    double *score;     /* K */
    double *squares;   /* nsm: G; K x width */
    double *theta, *g; /* soba: K x width */
    double *A, *copy;  /* soba: full: (K width)^2, else K x width */
    double *solution;  /* soba: K x width */
    double margin_sum; /* soba: of the m that were accepted */
    /* The least distance between two numbers that were compared to decide something, in units of
     * the terms they are sums of: where it is near 1e-16, another order of summing may decide
     * otherwise, with equal right.  Exact ties that everybody has to see do not count: between
     * classes whose weights are equal wherever x is not 0. */
    double closest;
};

/* A learner of K classes and features 1 .. d.  0, or -1: memory. */
int bandit_plain_new(const struct bandit_options *options, int64_t K, int64_t d,
                     struct bandit_plain *plain, struct error *err);

struct bandit_choice bandit_plain_choose(struct bandit_plain *plain, const struct example *x,
                                         double u);

void bandit_plain_learn(struct bandit_plain *plain, const struct example *x, int64_t shown,
                        double p, int f);

/* The mean of w after every round, 0 before the first; average: out, K x width. */
void bandit_plain_average(const struct bandit_plain *plain, double *average);

/* The class of the largest score under any weights of K x width; the lowest of equals. */
int64_t bandit_plain_greedy(struct bandit_plain *plain, const double *w, const struct example *x);

double bandit_plain_h(const double rho[2], int f);

/* What a policy is worth by a log of n rounds: importance weights w[i] ([greedy = shown]/p), h[i] =
 * h(f).
 *
 *     ips = mean of w h, its error the population standard deviation of w h over sqrt(n)
 *     snips = sum w h / sum w, its error sqrt(sum w^2 (h - snips)^2) / sum w */
struct bandit_plain_value {
    double ips, ips_error, snips, snips_error;
};
struct bandit_plain_value bandit_plain_value(int64_t n, const double *w, const double *h);

void bandit_plain_free(struct bandit_plain *plain);

/* bandit_weights in this layout.  w: out, K x width; features that the library has no row for are
 * 0.  -1 also for a table of another shape. */
int bandit_plain_library(const struct bandit *b, int64_t K, int64_t width, double *w,
                         struct error *err);

#endif
