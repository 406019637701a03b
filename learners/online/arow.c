/* AROW (Crammer, Kulesza and Dredze 2013), squared hinge and hinge.
 *
 *   l_c  loss 1 - m of a competitor c       q_k  x' Sigma_k x of a class
 *   r    regulariser                        chi  sum of q over the classes of f
 *
 * r is the variance of an observation.  An example of weight c counts as the mean of c
 * observations, whose variance is r/c.  For the hinge r scales the cap of the step, as C does in
 * pa1.
 *
 * One competitor (figures 1 and 3): w += alpha Sigma f, where alpha is l/(r + chi), for the hinge
 * min(1/(2r), l/chi).
 *
 * The k best competitors (eq. 27): there is no covariance across classes, so the matrix of the dual
 * is q_y 11' + diag(q_c), and the quadratic programme is solved exactly by sorting, in O(k log k):
 * with the losses in descending order and S the longest prefix with l_c > theta,
 *
 *   squared hinge   theta = (sum_S l_c/q_c) / (1/(q_y + r) + sum_S 1/q_c)
 *   hinge           the same with r = 0; where then theta/q_y > 1/(2r),
 *                   theta = (sum_S l_c/q_c - 1/(2r)) / (sum_S 1/q_c)
 *
 *   a_c = max(0, (l_c - theta)/q_c);  w_y += (sum a) Sigma_y x,  w_c -= a_c Sigma_c x
 *
 * Afterwards y and all k competitors observe x with precision 1/r, also those whose margin holds
 * (k = 1 is figure 3, k = K - 1 eq. 30), and for the hinge too. */
#include "common/base/order.h"
#include "learners/online/online_state.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* theta for the longest prefix with loss > theta: (sum l/q - cap) / (base + sum 1/q). */
static double arow_threshold(const struct competitor *rival, int64_t k, double base, double cap)
{
    double numerator = -cap, denominator = base, theta = -INFINITY;
    for (int64_t c = 0; c < k; c++) {
        if (!(rival[c].loss > 0 && rival[c].loss > theta))
            break;
        if (!(rival[c].q > 0))
            continue; /* a block whose variances `drop` has brought to 0: nothing can move there */
        numerator += rival[c].loss / rival[c].q;
        denominator += 1 / rival[c].q;
        theta = numerator / denominator;
    }
    return theta;
}

/* Largest score first, ties to the smallest class: a total order, so every qsort gives the same. */
static int arow_by_score(const void *a, const void *b)
{
    const struct competitor *p = a, *q = b;
    return order_by(q->score, p->score, p->column, q->column);
}

/* o->rival: the k classes with the largest scores but y, those with a loss first and in order.  Few
 * are found by insertion; of all, those with a loss are sorted, the order of the others does not
 * matter. */
static void arow_find_rivals(struct online *o, int32_t y, int64_t k)
{
    int64_t n = 0, back = o->columns - 1;
    for (int64_t c = 0; c < o->columns; c++) {
        struct competitor rival = {
            .score = o->scores[c], .loss = 1 - (o->scores[y] - o->scores[c]), .column = c};
        if (c == y)
            continue;
        if (k == o->columns - 1) {
            o->rival[rival.loss > 0 ? n++ : --back] = rival;
        } else if (n < k || arow_by_score(&rival, &o->rival[k - 1]) < 0) {
            int64_t place = n < k ? n++ : k - 1;
            while (place > 0 && arow_by_score(&rival, &o->rival[place - 1]) < 0) {
                o->rival[place] = o->rival[place - 1];
                place--;
            }
            o->rival[place] = rival;
        }
    }
    if (k == o->columns - 1)
        qsort(o->rival, (size_t)n, sizeof *o->rival, arow_by_score);
}

/* A round with the k best competitors, whose scores are in o->scores. */
static int arow_learn_several(struct online *o, const struct example *x, int32_t y, int64_t k,
                              bool hinge)
{
    double r = o->options.r / o->weight;
    struct competitor *rival = o->rival;
    assert(k > 1 && k < o->columns);
    arow_find_rivals(o, y, k);
    double q_y = covariance_quadratic(&o->sigma, x, y), chi = q_y;
    for (int64_t c = 0; c < k; c++) {
        rival[c].q = covariance_quadratic(&o->sigma, x, rival[c].column);
        chi += rival[c].q;
    }
    if (!isfinite(chi))
        return -1;
    if (!(q_y > 0))
        return 0;
    double theta;
    if (!hinge) {
        theta = arow_threshold(rival, k, 1 / (q_y + r), 0);
    } else {
        theta = arow_threshold(rival, k, 1 / q_y, 0);
        if (theta / q_y > 1 / (2 * r))
            theta = arow_threshold(rival, k, 0, 1 / (2 * r));
    }
    double total = 0;
    for (int64_t c = 0; c < k; c++) {
        bool active = rival[c].q > 0 && rival[c].loss > 0 && rival[c].loss > theta;
        rival[c].step = active ? (rival[c].loss - theta) / rival[c].q : 0;
        total += rival[c].step;
    }
    online_move_gaussian(o, x, y, total, 1 / r, chi);
    for (int64_t c = 0; c < k; c++)
        online_move_gaussian(o, x, rival[c].column, -rival[c].step, 1 / r, chi);
    o->counts.updates++;
    return 0;
}

/* A round with the best competitor, or the one block of two classes. */
static int arow_learn_one(struct online *o, const struct example *x, const struct direction *f,
                          bool hinge)
{
    double r = o->options.r / o->weight, loss = 1 - f->margin, chi = 0, alpha;
    for (int b = 0; b < f->blocks; b++)
        chi += covariance_quadratic(&o->sigma, x, f->column[b]);
    if (!isfinite(chi))
        return -1;
    if (!(chi > 0))
        return 0;
    if (hinge)
        alpha = loss / chi < 1 / (2 * r) ? loss / chi : 1 / (2 * r);
    else
        alpha = loss / (r + chi);
    for (int b = 0; b < f->blocks; b++)
        online_move_gaussian(o, x, f->column[b], f->sign[b] * alpha, 1 / r, chi);
    o->counts.updates++;
    return 0;
}

/* A round where the margin is below 1: with one competitor, k or all. */
static int arow_learn(struct online *o, const struct example *x, int32_t y, bool hinge)
{
    int64_t k = o->options.k;
    struct direction f = online_direction(o, y);
    if (!isfinite(f.margin))
        return -1;
    o->counts.mistakes += f.mistake;
    if (!(f.margin < 1))
        return 0;
    if (f.blocks == 1 || k == 1)
        return arow_learn_one(o, x, &f, hinge);
    if (k == 0 || k > o->columns - 1)
        k = o->columns - 1;
    return arow_learn_several(o, x, y, k, hinge);
}

static int arow_round(struct online *o, const struct example *x, int32_t y)
{
    return arow_learn(o, x, y, false);
}

static int arow_hinge_round(struct online *o, const struct example *x, int32_t y)
{
    return arow_learn(o, x, y, true);
}

const struct online_rule online_arow_rule = {.round = arow_round,
                                             .weighted = true,
                                             .parameters = {"regularizer", "competitors"},
                                             .covariance = true};
const struct online_rule online_arow_hinge_rule = {.round = arow_hinge_round,
                                                   .weighted = true,
                                                   .parameters = {"regularizer", "competitors"},
                                                   .covariance = true};
