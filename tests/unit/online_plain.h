/* The online learners written to be read: dense arrays, plain loops, nothing lazy, nothing cached.
 * What the tests test_online_*.c hold the library against.
 *
 * One round has an example x and its class y.  Two classes have one weight vector w, and f = +x for
 * the larger label, f = -x for the other; K > 2 classes have a vector mu_k each, and f = x in block
 * y minus x in the block of a competitor c.  The margin is m = w.f.
 *
 *   perceptron    mistake                  w += f
 *   pa, pa1, pa2  l = 1 - m > 0
 *                 w += tau f, tau = l/|f|^2 | min(C, l/|f|^2) | l/(|f|^2 + 1/(2C))
 *                                          (Crammer et al. 2006)
 *   arow          m < 1, chi = f'Sigma f
 *                 mu += (1 - m)/(r + chi) Sigma f, then Sigma^-1 += x x'/r in every block of f
 *   arow-hinge    the same with            min(1/(2r), (1 - m)/chi)
 *                                          (Crammer, Kulesza and Dredze 2013, eq. 12-16 and 23)
 *     k > 1       minimise 1/2 |mu - mu_t|^2 in the metric Sigma^-1, plus (1/2r) xi^2 or (1/2r) xi,
 *                 where every one of the k best competitors has margin >= 1 - xi (eq. 27); then y
 *                 and all k observe x.  k = 0: all of them
 *   cw            m < phi V, V = f'Sigma f: the step mu += gamma Sigma f, Sigma^-1 += 2 gamma phi x
 *                 x' after which the margin is phi V', V' = V/(1 + 2 gamma phi V) being the
 *                 variance that a full Sigma has left (Dredze, Crammer and Pereira 2008, variance
 *                 form)
 *   sop           A = aI + S; mistake of v'(A + x x')^-1 x: v += f, S += x x'; w = A^-1 v
 *                 (Cesa-Bianchi, Conconi and Gentile 2005)
 *   adagrad-rda   m < 1: u -= f, s += f^2; after t rounds w = -eta soft(u, lambda t)/(delta +
 *                 sqrt(s)) (Duchi, Hazan and Singer 2011)
 *
 * Sigma_0 = I, one block a class; for sop Sigma = A^-1.  Observed with precision beta (1/r, 2 gamma
 * phi, 1), a block becomes
 *   full   Sigma^-1 += beta x x'
 *          the reference keeps Sigma^-1 and solves for Sigma x; a library would rather keep Sigma
 *   diag   s_j/(1 + beta s_j x_j^2)
 *   drop   s_j - s_j^2 x_j^2 beta/(1 + beta chi), chi = the sum of x'Sigma x over all blocks that
 *          observe x
 *
 * Where a formula could be copied with its mistake, the reference goes another way: the quadratic
 * programs and the step of cw are solved by bisection, and each step of AROW is checked to be the
 * minimiser (Karush-Kuhn-Tucker) by the margins it leaves behind.
 *
 * An example of weight c: perceptron and adagrad-rda have c f for f in the step, pa1 and pa2 c C
 * for C, arow and arow-hinge r/c for r.
 *
 * A score of 0 with two classes is the negative class and a mistake; other ties go to the smallest
 * class.  The mean of the weights is taken after every round, empty examples included. */
#ifndef TESTS_UNIT_ONLINE_PLAIN_H
#define TESTS_UNIT_ONLINE_PLAIN_H

#include "check.h"
#include "learners/online/online.h"

#include <math.h>
#include <string.h>

enum { FEATURES = 12, D = FEATURES + 1, CLASSES = 20 }; /* feature 0 is the bias */

/* Numbers agree up to this, not to the last bit, as sums run in another order. */
static const double TOLERANCE = 1e-9;

struct reference {
    struct online_options options;
    double r_mean, r_sigma; /* r of the step and of the observation: options.r both, but where one
                               vector stands for two */
    double weight;          /* of the example of this round */
    int classes;
    int blocks;                      /* 1: one weight vector for two classes; else one a class */
    double mu[CLASSES][D];           /* the weights, whatever the rule */
    double variance[CLASSES][D];     /* diag, drop: s */
    double precision[CLASSES][D][D]; /* full: Sigma^-1 */
    double v[D];                     /* sop */
    double u[CLASSES][D], squares[CLASSES][D]; /* adagrad-rda */
    double sum[CLASSES][D];                    /* of the weights after each round */
    int64_t rounds, mistakes, updates;
    double closest; /* the least distance, not 0, between two numbers that were compared to decide
                       something */
};

/* f: x times a sign in one block (two classes) or two. */
struct constraint {
    const double *x; /* D */
    int count;
    int block[2];
    double sign[2];
    double margin;
};

static inline void reference_init(struct reference *ref, const struct online_options *options,
                                  int classes, int blocks)
{
    memset(ref, 0, sizeof *ref);
    ref->options = *options;
    ref->r_mean = ref->r_sigma = options->r;
    ref->weight = 1;
    ref->classes = classes;
    ref->blocks = blocks;
    ref->closest = HUGE_VAL;
    double a = options->rule == ONLINE_SOP ? options->a : 1;
    for (int k = 0; k < blocks; k++) {
        for (int j = 0; j < D; j++) {
            ref->variance[k][j] = 1 / a;
            ref->precision[k][j][j] = a;
        }
    }
}

/* Whether a < b, noted: numbers that differ by rounding only may decide otherwise in the library,
 * with equal right.  Equal numbers are another matter: scores that nothing has touched, or all in
 * the same way, are equal there too, and the rules for ties are tested. */
static inline bool reference_less(struct reference *ref, double a, double b)
{
    if (a != b)
        ref->closest = fmin(ref->closest, fabs(a - b));
    return a < b;
}

static inline double dot(const double *a, const double *b)
{
    double sum = 0;
    for (int j = 0; j < D; j++)
        sum += a[j] * b[j];
    return sum;
}

/* z = A^-1 x by elimination; A is positive definite and needs no pivots. */
static inline void matrix_solve(const double A[D][D], const double *x, double *z)
{
    double a[D][D];
    memcpy(a, A, sizeof a);
    memcpy(z, x, D * sizeof *z);
    for (int i = 0; i < D; i++) {
        for (int row = i + 1; row < D; row++) {
            double factor = a[row][i] / a[i][i];
            for (int j = i; j < D; j++)
                a[row][j] -= factor * a[i][j];
            z[row] -= factor * z[i];
        }
    }
    for (int i = D - 1; i >= 0; i--) {
        for (int j = i + 1; j < D; j++)
            z[i] -= a[i][j] * z[j];
        z[i] /= a[i][i];
    }
}

/* z = Sigma_k x */
static inline void reference_product(const struct reference *ref, int k, const double *x, double *z)
{
    if (ref->options.form == COVARIANCE_FULL) {
        matrix_solve(ref->precision[k], x, z);
        return;
    }
    for (int j = 0; j < D; j++)
        z[j] = ref->variance[k][j] * x[j];
}

/* x'Sigma_k x */
static inline double reference_quadratic(const struct reference *ref, int k, const double *x)
{
    double z[D];
    reference_product(ref, k, x, z);
    return dot(x, z);
}

/* mu_k += step Sigma_k x */
static inline void reference_move(struct reference *ref, int k, double step, const double *x)
{
    double z[D];
    reference_product(ref, k, x, z);
    for (int j = 0; j < D; j++)
        ref->mu[k][j] += step * z[j];
}

/* Block k observes x with precision beta; chi is of all blocks that do. */
static inline void reference_observe(struct reference *ref, int k, const double *x, double beta,
                                     double chi)
{
    for (int i = 0; i < D; i++) {
        double s = ref->variance[k][i];
        if (ref->options.form == COVARIANCE_DIAG)
            ref->variance[k][i] = s / (1 + beta * s * x[i] * x[i]);
        if (ref->options.form == COVARIANCE_DROP)
            ref->variance[k][i] = s - s * s * x[i] * x[i] * beta / (1 + beta * chi);
        if (ref->options.form == COVARIANCE_FULL) {
            for (int j = 0; j < D; j++)
                ref->precision[k][i][j] += beta * x[i] * x[j];
        }
    }
}

/* f'Sigma f = sum over the blocks of x'Sigma x, as the signs are +1 and -1 */
static inline double reference_variance(const struct reference *ref, const struct constraint *f)
{
    double chi = 0;
    for (int i = 0; i < f->count; i++)
        chi += reference_quadratic(ref, f->block[i], f->x);
    return chi;
}

/* Whether a[0 .. count) minimises AROW's objective, looked at from the margins of the competitors
 * after the step: squared hinge: xi = r sum a; hinge: sum a <= 1/(2r), and equal to it when xi > 0;
 * either: margin >= 1 - xi, and equal to it where a > 0. */
static inline void check_optimal(const struct reference *ref, int count, const double *a,
                                 const double *margin)
{
    double sum = 0, worst = 0;
    for (int i = 0; i < count; i++) {
        CHECK(a[i] >= 0, "round %d: a step towards competitor %d, %g", (int)ref->rounds, i, a[i]);
        sum += a[i];
        worst = fmax(worst, 1 - margin[i]);
    }
    double xi = ref->options.rule == ONLINE_AROW_HINGE ? worst : ref->r_mean * sum;
    if (ref->options.rule == ONLINE_AROW_HINGE) {
        double cap = 1 / (2 * ref->r_mean);
        CHECK(sum <= cap * (1 + TOLERANCE), "round %d: the sum of the steps %g over the cap %g",
              (int)ref->rounds, sum, cap);
        if (xi > TOLERANCE)
            CHECK_NEAR(sum, cap, TOLERANCE, "round %d: the sum of the steps, with xi = %g",
                       (int)ref->rounds, xi);
    }
    for (int i = 0; i < count; i++) {
        double slack = margin[i] - (1 - xi), bound = TOLERANCE * (1 + fabs(margin[i]));
        CHECK(slack >= -bound, "round %d: competitor %d with margin %g - (1 - xi) = %g",
              (int)ref->rounds, i, margin[i], slack);
        if (a[i] > 0)
            CHECK(slack <= bound, "round %d: active competitor %d with margin %g - (1 - xi) = %g",
                  (int)ref->rounds, i, margin[i], slack);
    }
}

/* mistake: w += f */
static inline bool reference_perceptron(struct reference *ref, const struct constraint *f,
                                        bool mistake)
{
    if (!mistake || dot(f->x, f->x) == 0)
        return false;
    for (int i = 0; i < f->count; i++) {
        for (int j = 0; j < D; j++)
            ref->mu[f->block[i]][j] += ref->weight * f->sign[i] * f->x[j];
    }
    return true;
}

/* l = 1 - m > 0: w += tau f; |f|^2 = |x|^2 with one vector, 2 |x|^2 with two */
static inline bool reference_pa(struct reference *ref, const struct constraint *f)
{
    double loss = 1 - f->margin, length = f->count * dot(f->x, f->x), C = ref->options.C, tau;
    if (!reference_less(ref, 0, loss) || length == 0)
        return false;
    if (ref->options.rule == ONLINE_PA)
        tau = loss / length;
    else if (ref->options.rule == ONLINE_PA1)
        tau = fmin(C, loss / length);
    else
        tau = loss / (length + 1 / (2 * C));
    for (int i = 0; i < f->count; i++) {
        for (int j = 0; j < D; j++)
            ref->mu[f->block[i]][j] += tau * f->sign[i] * f->x[j];
    }
    return true;
}

/* m < 1: mu += alpha Sigma f, alpha = (1 - m)/(r + chi) or min(1/(2r), (1 - m)/chi); the blocks of
 * f observe x, precision 1/r */
static inline bool reference_arow(struct reference *ref, const struct constraint *f)
{
    double chi = reference_variance(ref, f), alpha, margin = 0;
    if (!reference_less(ref, f->margin, 1) || chi <= 0)
        return false;
    if (ref->options.rule == ONLINE_AROW)
        alpha = (1 - f->margin) / (ref->r_mean + chi);
    else
        alpha = fmin(1 / (2 * ref->r_mean), (1 - f->margin) / chi);
    for (int i = 0; i < f->count; i++) {
        reference_move(ref, f->block[i], f->sign[i] * alpha, f->x);
        margin += f->sign[i] * dot(ref->mu[f->block[i]], f->x);
    }
    check_optimal(ref, 1, &alpha, &margin);
    for (int i = 0; i < f->count; i++)
        reference_observe(ref, f->block[i], f->x, 1 / ref->r_sigma, chi);
    return true;
}

/* a_c = max(0, l_c - theta)/q_c; returns their sum.  drop = most - theta, most being the largest
 * l_c: where q is tiny next to l, so is drop, and theta itself would be too coarse. */
static inline double steps_at(double drop, int count, double most, const double *loss,
                              const double *q, double *a)
{
    double sum = 0;
    for (int i = 0; i < count; i++) {
        a[i] = fmax(0, drop - (most - loss[i])) / q[i];
        sum += a[i];
    }
    return sum;
}

/* The dual of eq. 27: over a >= 0, maximise sum a_c l_c - 1/2 a'G a - r/2 (sum a)^2 (squared hinge)
 * or, with sum a <= 1/(2r), the same without the last term (hinge).  G_cc' = f_c'Sigma f_c' = q_y +
 * [c = c'] q_c, so the gradient in a_c is l_c - theta - q_c a_c with one number theta = (q_y + r)
 * sum a (hinge: q_y sum a) for all c; the sum falls as theta rises, and bisection finds it.  With
 * the cap reached, theta is whatever makes the sum equal to it. */
static inline void steps_solve(const struct reference *ref, int count, double most,
                               const double *loss, double q_y, const double *q, double *a)
{
    bool hinge = ref->options.rule == ONLINE_AROW_HINGE;
    double low = 0, high = most, cap = 1 / (2 * ref->r_mean),
           slope = hinge ? q_y : q_y + ref->r_mean;
    for (int i = 0; i < 200; i++) {
        double drop = low + (high - low) / 2, sum = steps_at(drop, count, most, loss, q, a);
        if (slope * sum > most - drop || (hinge && sum > cap))
            high = drop;
        else
            low = drop;
    }
    steps_at(low + (high - low) / 2, count, most, loss, q, a);
}

/* The k best competitors at once; count of them in class[]. */
static inline bool reference_arow_many(struct reference *ref, const double *x, int y,
                                       const double *score, int count, const int *class)
{
    double q_y = reference_quadratic(ref, y, x), chi = q_y, most = 0, sum = 0;
    double loss[CLASSES], q[CLASSES], a[CLASSES], margin[CLASSES];
    for (int i = 0; i < count; i++) {
        q[i] = reference_quadratic(ref, class[i], x);
        loss[i] = 1 - (score[y] - score[class[i]]);
        most = fmax(most, loss[i]);
        chi += q[i];
    }
    if (!reference_less(ref, 0, most) || chi <= 0)
        return false;
    steps_solve(ref, count, most, loss, q_y, q, a);
    for (int i = 0; i < count; i++) {
        sum += a[i];
        reference_move(ref, class[i], -a[i], x);
    }
    reference_move(ref, y, sum, x);
    for (int i = 0; i < count; i++)
        margin[i] = dot(ref->mu[y], x) - dot(ref->mu[class[i]], x);
    check_optimal(ref, count, a, margin);
    reference_observe(ref, y, x, 1 / ref->r_sigma, chi);
    for (int i = 0; i < count; i++)
        reference_observe(ref, class[i], x, 1 / ref->r_sigma, chi);
    return true;
}

/* m < phi V: gamma > 0 such that m + gamma V = phi V/(1 + 2 gamma phi V); mu += gamma Sigma f,
 * precision 2 gamma phi.  At -m/V the new margin is 0, at (phi V - m)/V it is phi V, too much as
 * the variance shrinks; it rises between them. */
static inline bool reference_cw(struct reference *ref, const struct constraint *f)
{
    double V = reference_variance(ref, f), m = f->margin, phi = ref->options.phi;
    if (V <= 0 || !reference_less(ref, m, phi * V))
        return false;
    double low = fmax(0, -m / V), high = (phi * V - m) / V;
    for (int i = 0; i < 200; i++) {
        double gamma = low + (high - low) / 2;
        if ((m + gamma * V) * (1 + 2 * gamma * phi * V) < phi * V)
            low = gamma;
        else
            high = gamma;
    }
    double gamma = low + (high - low) / 2;
    for (int i = 0; i < f->count; i++)
        reference_move(ref, f->block[i], f->sign[i] * gamma, f->x);
    for (int i = 0; i < f->count; i++)
        reference_observe(ref, f->block[i], f->x, 2 * gamma * phi, V);
    /* with one full block nothing was approximated: the constraint must now hold, and with
     * equality */
    if (f->count == 1 && ref->options.form == COVARIANCE_FULL) {
        CHECK_NEAR(f->sign[0] * dot(ref->mu[0], f->x), phi * reference_variance(ref, f), TOLERANCE,
                   "cw, round %d: margin and phi times variance", (int)ref->rounds);
    }
    return true;
}

/* The score of sop, x being observed before it is scored: v'(A + x x')^-1 x */
static inline double reference_sop_score(const struct reference *ref, const double *x)
{
    struct reference after = *ref;
    double z[D];
    reference_observe(&after, 0, x, 1, reference_quadratic(ref, 0, x));
    reference_product(&after, 0, x, z);
    return dot(ref->v, z);
}

/* mistake: v += f, S += x x'; w = A^-1 v */
static inline bool reference_sop(struct reference *ref, const struct constraint *f, bool mistake)
{
    if (!mistake || dot(f->x, f->x) == 0)
        return false;
    reference_observe(ref, 0, f->x, 1, reference_quadratic(ref, 0, f->x));
    for (int j = 0; j < D; j++)
        ref->v[j] += f->sign[0] * f->x[j];
    reference_product(ref, 0, ref->v, ref->mu[0]);
    return true;
}

/* m < 1: the gradient -f goes into u, its square into s.  All weights follow, as lambda t grows in
 * every round. */
static inline bool reference_adagrad_rda(struct reference *ref, const struct constraint *f)
{
    bool update = reference_less(ref, f->margin, 1) && dot(f->x, f->x) > 0;
    for (int i = 0; update && i < f->count; i++) {
        for (int j = 0; j < D; j++) {
            double g = -f->sign[i] * f->x[j] * ref->weight;
            ref->u[f->block[i]][j] += g;
            ref->squares[f->block[i]][j] += g * g;
        }
    }
    double threshold = ref->options.lambda * (double)(ref->rounds + 1);
    for (int k = 0; k < ref->blocks; k++) {
        for (int j = 0; j < D; j++) {
            double u = ref->u[k][j], soft = 0;
            if (u > threshold)
                soft = u - threshold;
            if (u < -threshold)
                soft = u + threshold;
            ref->mu[k][j] = -ref->options.eta * soft
                            / (ref->options.delta + sqrt(ref->squares[k][j]));
        }
    }
    return update;
}

/* The k wrong classes with the largest scores, best first, of equals the smallest class first; k =
 * 0: all.  Returns how many. */
static inline int best_competitors(struct reference *ref, int y, const double *score, int64_t k,
                                   int *class)
{
    bool taken[CLASSES] = {false};
    int count = 0;
    taken[y] = true;
    while (count < ref->classes - 1 && (k == 0 || count < k)) {
        int best = -1;
        for (int c = 0; c < ref->classes; c++) {
            if (!taken[c] && (best < 0 || score[c] > score[best]))
                best = c;
        }
        taken[best] = true;
        class[count++] = best;
    }
    for (int c = 0; c < ref->classes; c++) {
        if (!taken[c])
            reference_less(ref, score[c], score[class[count - 1]]);
    }
    return count;
}

static inline void reference_learn(struct reference *ref, const double *x, int y)
{
    int64_t rule = ref->options.rule;
    struct constraint f = {.x = x, .count = ref->blocks == 1 ? 1 : 2};
    double score[CLASSES];
    int class[CLASSES], count = 0;
    bool mistake, update = false;
    for (int k = 0; k < ref->blocks; k++)
        score[k] = dot(ref->mu[k], x);
    if (rule == ONLINE_SOP)
        score[0] = reference_sop_score(ref, x);

    if (ref->blocks == 1) {
        f.sign[0] = y == 1 ? 1 : -1;
        f.margin = f.sign[0] * score[0];
        mistake = !reference_less(ref, 0, f.margin);
    } else {
        int predicted = 0;
        for (int k = 1; k < ref->classes; k++) {
            if (reference_less(ref, score[predicted], score[k]))
                predicted = k;
        }
        mistake = predicted != y;
        count = best_competitors(ref, y, score, ref->options.k, class);
        f.block[0] = y;
        f.block[1] = class[0];
        f.sign[0] = 1;
        f.sign[1] = -1;
        f.margin = score[y] - score[class[0]];
    }

    switch (rule) {
    case ONLINE_PERCEPTRON:
        update = reference_perceptron(ref, &f, mistake);
        break;
    case ONLINE_PA:
    case ONLINE_PA1:
    case ONLINE_PA2:
        update = reference_pa(ref, &f);
        break;
    case ONLINE_AROW:
    case ONLINE_AROW_HINGE:
        update = count > 1 ? reference_arow_many(ref, x, y, score, count, class)
                           : reference_arow(ref, &f);
        break;
    case ONLINE_CW:
        update = reference_cw(ref, &f);
        break;
    case ONLINE_SOP:
        update = reference_sop(ref, &f, mistake);
        break;
    case ONLINE_ADAGRAD_RDA:
        update = reference_adagrad_rda(ref, &f);
        break;
    default:
        CHECK(false, "rule %d has a reference", (int)rule);
    }
    ref->rounds++;
    ref->mistakes += mistake;
    ref->updates += update;
    for (int k = 0; k < ref->blocks; k++) {
        for (int j = 0; j < D; j++)
            ref->sum[k][j] += ref->mu[k][j];
    }
}

/* The same with a weight, which a rule that knows none must have as 1. */
static inline void reference_learn_weighted(struct reference *ref, const double *x, int y,
                                            double weight)
{
    const struct online_options options = ref->options;
    const double r_mean = ref->r_mean, r_sigma = ref->r_sigma;
    ref->r_mean /= weight;
    ref->r_sigma /= weight;
    ref->options.C *= weight;
    ref->weight = weight;
    reference_learn(ref, x, y);
    ref->options = options;
    ref->r_mean = r_mean;
    ref->r_sigma = r_sigma;
}

/* The weights to predict with. */
static inline double reference_weight(const struct reference *ref, int k, int j)
{
    return ref->options.average && ref->rounds > 0 ? ref->sum[k][j] / (double)ref->rounds
                                                   : ref->mu[k][j];
}

#endif
