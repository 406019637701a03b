/* The online learners against a reference that is written to be read: dense arrays, plain loops,
 * nothing lazy, nothing cached.
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
 *                                          (Crammer, Kulesza and Dredze 2009, eq. 12-16 and 23)
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
 * class.  The mean of the weights is taken after every round, empty examples included.  Numbers
 * agree to 1e-9, not to the last bit, as sums run in another order. */
#include "check.h"
#include "common/base/random.h"
#include "learners/online/online.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FEATURES = 12, D = FEATURES + 1, CLASSES = 20, ROUNDS = 150 }; /* feature 0 is the bias */

static const double TOLERANCE = 1e-9;

/* ---- the reference ---- */

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

static void reference_init(struct reference *ref, const struct online_options *options, int classes,
                           int blocks)
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
static bool reference_less(struct reference *ref, double a, double b)
{
    if (a != b)
        ref->closest = fmin(ref->closest, fabs(a - b));
    return a < b;
}

static double dot(const double *a, const double *b)
{
    double sum = 0;
    for (int j = 0; j < D; j++)
        sum += a[j] * b[j];
    return sum;
}

/* z = A^-1 x by elimination; A is positive definite and needs no pivots. */
static void matrix_solve(const double A[D][D], const double *x, double *z)
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
static void reference_product(const struct reference *ref, int k, const double *x, double *z)
{
    if (ref->options.form == COVARIANCE_FULL) {
        matrix_solve(ref->precision[k], x, z);
        return;
    }
    for (int j = 0; j < D; j++)
        z[j] = ref->variance[k][j] * x[j];
}

/* x'Sigma_k x */
static double reference_quadratic(const struct reference *ref, int k, const double *x)
{
    double z[D];
    reference_product(ref, k, x, z);
    return dot(x, z);
}

/* mu_k += step Sigma_k x */
static void reference_move(struct reference *ref, int k, double step, const double *x)
{
    double z[D];
    reference_product(ref, k, x, z);
    for (int j = 0; j < D; j++)
        ref->mu[k][j] += step * z[j];
}

/* Block k observes x with precision beta; chi is of all blocks that do. */
static void reference_observe(struct reference *ref, int k, const double *x, double beta,
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
static double reference_variance(const struct reference *ref, const struct constraint *f)
{
    double chi = 0;
    for (int i = 0; i < f->count; i++)
        chi += reference_quadratic(ref, f->block[i], f->x);
    return chi;
}

/* Whether a[0 .. count) minimises AROW's objective, looked at from the margins of the competitors
 * after the step: squared hinge: xi = r sum a; hinge: sum a <= 1/(2r), and equal to it when xi > 0;
 * either: margin >= 1 - xi, and equal to it where a > 0. */
static void check_optimal(const struct reference *ref, int count, const double *a,
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
static bool reference_perceptron(struct reference *ref, const struct constraint *f, bool mistake)
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
static bool reference_pa(struct reference *ref, const struct constraint *f)
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
static bool reference_arow(struct reference *ref, const struct constraint *f)
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
static double steps_at(double drop, int count, double most, const double *loss, const double *q,
                       double *a)
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
static void steps_solve(const struct reference *ref, int count, double most, const double *loss,
                        double q_y, const double *q, double *a)
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
static bool reference_arow_many(struct reference *ref, const double *x, int y, const double *score,
                                int count, const int *class)
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
static bool reference_cw(struct reference *ref, const struct constraint *f)
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
static double reference_sop_score(const struct reference *ref, const double *x)
{
    struct reference after = *ref;
    double z[D];
    reference_observe(&after, 0, x, 1, reference_quadratic(ref, 0, x));
    reference_product(&after, 0, x, z);
    return dot(ref->v, z);
}

/* mistake: v += f, S += x x'; w = A^-1 v */
static bool reference_sop(struct reference *ref, const struct constraint *f, bool mistake)
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
static bool reference_adagrad_rda(struct reference *ref, const struct constraint *f)
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
static int best_competitors(struct reference *ref, int y, const double *score, int64_t k,
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

static void reference_learn(struct reference *ref, const double *x, int y)
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
static void reference_learn_weighted(struct reference *ref, const double *x, int y, double weight)
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
static double reference_weight(const struct reference *ref, int k, int j)
{
    return ref->options.average && ref->rounds > 0 ? ref->sum[k][j] / (double)ref->rounds
                                                   : ref->mu[k][j];
}

/* ---- data ---- */

struct sample {
    int32_t index[D];
    double value[D];
    int size;
    int y;
};

/* Random sparse examples of a linear teacher with a sixth of the labels replaced.
 *
 * The first ones have a feature each to themselves and no bias: all scores are exactly 0 there,
 * whatever was learned before.  Later ones have two nonzero features or more, and few values are
 * integers; that keeps scores from being equal, and margins from being 1, but for rounding, where
 * either side may be right.  Some examples have no entry at all, some entries are 0.  With a bias
 * each of the later ones that is not empty has one, of a value of its own, as after scaling to unit
 * length: a constant gives equal scores to classes that have moved equally often. */
static void samples_make(struct sample *samples, int classes, bool bias, uint64_t number)
{
    struct random g = random_seeded(2009, number);
    double teacher[CLASSES][D];
    for (int k = 0; k < classes; k++) {
        for (int j = 0; j < D; j++)
            teacher[k][j] = 2 * random_uniform(&g) - 1;
    }
    for (int i = 0; i < ROUNDS; i++) {
        struct sample *sample = &samples[i];
        double density = i % 10 == 9 ? 1 : 0.35;
        bool empty = random_below(&g, 12) == 0;
        int nonzero;
        do {
            sample->size = nonzero = 0;
            for (int j = 1; j <= FEATURES && !empty; j++) {
                if (i < FEATURES ? j != FEATURES - i : random_uniform(&g) >= density)
                    continue;
                int64_t kind = random_below(&g, 8);
                double value = 4 * random_uniform(&g) - 2;
                if (kind == 0 && i >= FEATURES)
                    value = (double)(2 * random_below(&g, 2) - 1);
                if (kind == 1 && i >= FEATURES)
                    value = 0;
                nonzero += value != 0;
                sample->index[sample->size] = j;
                sample->value[sample->size++] = value;
            }
        } while (!empty && i >= FEATURES && nonzero < 2);
        if (sample->size > 0 && bias && i >= FEATURES) {
            sample->index[sample->size] = 0;
            sample->value[sample->size++] = 0.3 + random_uniform(&g);
        }
        double best = -HUGE_VAL;
        for (int k = 0; k < classes; k++) {
            double score = 0;
            for (int e = 0; e < sample->size; e++)
                score += teacher[k][sample->index[e]] * sample->value[e];
            if (score > best) {
                best = score;
                sample->y = k;
            }
        }
        if (empty || i < FEATURES || random_below(&g, 6) == 0)
            sample->y = (int)random_below(&g, classes);
    }
}

static void sample_dense(const struct sample *sample, double *x)
{
    for (int j = 0; j < D; j++)
        x[j] = 0;
    for (int e = 0; e < sample->size; e++)
        x[sample->index[e]] = sample->value[e];
}

/* ---- the library beside it ---- */

/* A learner for classes with odd labels -4, -1, 2, ...; an error is a failed check and NULL. */
static struct online *learner_new(const struct online_options *options, int classes)
{
    struct error err = {.line = 0};
    struct labels labels = {.count = 0};
    struct online *learner = NULL;
    int failed = 0;
    for (int k = 0; k < classes; k++)
        failed |= labels_add(&labels, 3 * k - 4, &err);
    if (!failed)
        learner = online_new(options, &labels, &err);
    CHECK(learner != NULL, "a learner: %s", err.message);
    labels_free(&labels);
    return learner;
}

static bool learner_learn_weighted(struct online *learner, const struct sample *sample, int i,
                                   double weight)
{
    struct error err = {.line = 0};
    struct example x = {.label = 3 * sample->y - 4,
                        .line = i + 1,
                        .size = sample->size,
                        .index = sample->index,
                        .value = sample->value};
    int status = online_learn(learner, &x, sample->y, weight, &err);
    CHECK_INT(status, 0, "round %d: %s", i + 1, err.message);
    return status == 0;
}

static bool learner_learn(struct online *learner, const struct sample *sample, int i)
{
    return learner_learn_weighted(learner, sample, i, 1);
}

/* The prediction weights as a dense table; features that the learner has not met have weight 0. */
static bool learner_weights(const struct online *learner, int columns, double w[CLASSES][D])
{
    struct error err = {.line = 0};
    struct weights table;
    int status = online_weights(learner, &table, &err);
    CHECK_INT(status, 0, "the weights: %s", err.message);
    if (status != 0)
        return false;
    CHECK_INT(table.columns, columns, "columns of the weights");
    CHECK(table.rows <= D, "%d rows of weights", (int)table.rows);
    for (int k = 0; k < columns; k++) {
        for (int j = 0; j < D; j++)
            w[k][j] = j < table.rows && k < table.columns ? table.w[j * table.stride + k] : 0;
    }
    weights_free(&table);
    return true;
}

static void learner_compare(const char *name, const struct online *learner,
                            const struct reference *ref)
{
    double w[CLASSES][D];
    struct round_counts counts = online_counts(learner);
    CHECK_INT(counts.rounds, ref->rounds, "%s: rounds", name);
    CHECK_INT(counts.mistakes, ref->mistakes, "%s: mistakes in %d rounds", name, (int)ref->rounds);
    CHECK_INT(counts.updates, ref->updates, "%s: updates in %d rounds", name, (int)ref->rounds);
    if (!learner_weights(learner, ref->blocks, w))
        return;
    for (int k = 0; k < ref->blocks; k++) {
        for (int j = 0; j < D; j++)
            CHECK_NEAR(w[k][j], reference_weight(ref, k, j), TOLERANCE,
                       "%s: weight of feature %d, column %d, after %d rounds", name, j, k,
                       (int)ref->rounds);
    }
}

/* Learn one set of samples and compare on the way; number is that of the set, odd ones have a
 * bias.  weighted: the weights are 1/16, 1/4, 1, 4 in turn. */
static void run_case(const struct online_options *options, int classes, bool weighted,
                     uint64_t number)
{
    struct sample samples[ROUNDS];
    struct reference ref;
    char name[160];
    double x[D];
    bool bias = number % 2 == 1;
    snprintf(name, sizeof name,
             "%d classes, k %d, r %g, C %g, phi %g, a %g, lambda %g, mean %d, bias %d, set %d",
             classes, (int)options->k, options->r, options->C, options->phi, options->a,
             options->lambda, options->average, bias, (int)number);
    struct online *learner = learner_new(options, classes);
    if (!learner)
        return;
    samples_make(samples, classes, bias, number);
    reference_init(&ref, options, classes, classes == 2 ? 1 : classes);
    learner_compare(name, learner, &ref);
    for (int i = 0; i < ROUNDS; i++) {
        const double weight = weighted ? ldexp(1, 2 * (i % 4) - 4) : 1;
        if (!learner_learn_weighted(learner, &samples[i], i, weight))
            break;
        sample_dense(&samples[i], x);
        reference_learn_weighted(&ref, x, samples[i].y, weight);
        if (i < 4 || i % 25 == 24)
            learner_compare(name, learner, &ref);
    }
    CHECK(ref.closest > 1e-11,
          "%s: samples that leave no decision to rounding (%g): try another seed", name,
          ref.closest);
    /* all this says little about a learner that had nothing, or always the same, to do */
    CHECK(ref.updates > ROUNDS / 20 && ref.updates < ROUNDS, "%s: %d updates", name,
          (int)ref.updates);
    CHECK(ref.mistakes > ROUNDS / 20 && ref.mistakes < ROUNDS, "%s: %d mistakes", name,
          (int)ref.mistakes);
    online_free(learner);
}

/* ---- the cases ---- */

static const int class_counts[] = {2, 3, 5, 9, 20};
#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/* Valid numbers for all that a rule does not look at. */
static struct online_options default_options(int64_t rule, int64_t form)
{
    return (struct online_options){.rule = rule,
                                   .form = form,
                                   .r = 1,
                                   .C = 1,
                                   .phi = 1,
                                   .a = 1,
                                   .eta = 0.5,
                                   .lambda = 0.01,
                                   .delta = 1,
                                   .k = 1};
}

/* One setting with all numbers of classes, with and without the mean.  *number: the next set of
 * samples. */
static void run_classes(struct online_options options, uint64_t *number)
{
    for (int average = 0; average < 2; average++) {
        options.average = average;
        for (int i = 0; i < COUNT(class_counts); i++)
            run_case(&options, class_counts[i], false, (*number)++);
    }
}

static void test_arow(int64_t rule, int64_t form, uint64_t *number)
{
    static const double r[] = {0.05, 1, 20};
    struct online_options options = default_options(rule, form);
    check_group("%s %s", online_rule_names[rule], online_forms[form]);
    for (int i = 0; i < COUNT(r); i++) {
        options.r = r[i];
        for (options.k = 0; options.k <= 3; options.k++)
            run_classes(options, number);
    }
}

static void test_baselines(uint64_t *number)
{
    static const double C[] = {0.02, 0.3, 5}, phi[] = {0.03, 0.3, 2}, a[] = {0.1, 1, 10};
    static const double rda[][3] = {
        {0.5, 0, 1}, {0.5, 0.02, 1}, {1, 0.1, 0.1}, {0.1, 0.004, 10}}; /* eta, lambda, delta */
    struct online_options options = default_options(ONLINE_PERCEPTRON, COVARIANCE_DIAG);
    check_group("perceptron");
    for (int i = 0; i < 3; i++)
        run_classes(options, number);

    for (int64_t rule = ONLINE_PA; rule <= ONLINE_PA2; rule++) {
        check_group("%s", online_rule_names[rule]);
        for (int i = 0; i < COUNT(C); i++) {
            options = default_options(rule, COVARIANCE_DIAG);
            options.C = C[i];
            run_classes(options, number);
        }
    }
    for (int64_t form = COVARIANCE_DIAG; form <= COVARIANCE_FULL; form++) {
        check_group("cw %s", online_forms[form]);
        for (int i = 0; i < COUNT(phi); i++) {
            options = default_options(ONLINE_CW, form);
            options.phi = phi[i];
            run_classes(options, number);
        }
        if (form == COVARIANCE_DROP)
            continue; /* not a form of sop */
        check_group("sop %s", online_forms[form]);
        for (int i = 0; i < 4 * COUNT(a); i++) {
            options = default_options(ONLINE_SOP, form);
            options.a = a[i / 4];
            options.average = i % 4 >= 2;
            run_case(&options, 2, false, (*number)++);
        }
    }
    check_group("adagrad-rda");
    for (int i = 0; i < COUNT(rda); i++) {
        options = default_options(ONLINE_ADAGRAD_RDA, COVARIANCE_DIAG);
        options.eta = rda[i][0];
        options.lambda = rda[i][1];
        options.delta = rda[i][2];
        run_classes(options, number);
    }
}

/* An example without entries, and one whose entries are all 0, is a round, perhaps a mistake, never
 * an update: nothing changes. */
static void test_nothing(int64_t rule, int64_t form, int classes)
{
    static const struct sample samples[] = {
        {.size = 0, .y = 1},
        {.size = 2, .index = {2, 5}, .value = {0, 0}, .y = 1},
        {.size = 2, .index = {2, 5}, .value = {1.5, -0.5}, .y = 1},
        {.size = 0, .y = 0},
        {.size = 3, .index = {2, 5, 0}, .value = {0, 0, 0}, .y = 1},
        {.size = 3, .index = {1, 5, 0}, .value = {2, -1, 1}, .y = 0},
        {.size = 1, .index = {5}, .value = {0}, .y = 0},
    };
    struct online_options options = default_options(rule, form);
    struct reference ref;
    char name[160];
    double x[D];
    for (options.k = 0; options.k <= 1; options.k++) {
        struct online *learner = learner_new(&options, classes);
        if (!learner)
            return;
        reference_init(&ref, &options, classes, classes == 2 ? 1 : classes);
        for (int i = 0; i < COUNT(samples) && learner_learn(learner, &samples[i], i); i++) {
            sample_dense(&samples[i], x);
            reference_learn(&ref, x, samples[i].y);
            snprintf(name, sizeof name, "%s, %d classes, k %d", online_forms[form], classes,
                     (int)options.k);
            learner_compare(name, learner, &ref);
        }
        CHECK_INT(ref.updates, 2,
                  "%s: updates of the reference, for two examples that are not zero", name);
        online_free(learner);
    }
}

/* ---- two classes with two vectors and with one ---- */

/* Top-1 AROW for two classes to the letter, without blocks: one mean over both vectors and one full
 * covariance, cross terms too.
 *     m = mu.f; m < 1: g = Sigma f, chi = f.g, mu += alpha g, Sigma -= g g'/(r + chi) */
struct pair {
    double mu[2 * D], sigma[2 * D][2 * D];
    int64_t updates;
};

static void pair_learn(struct pair *pair, int64_t rule, double r, const double *x, int y)
{
    double f[2 * D], g[2 * D], m = 0, chi = 0;
    for (int j = 0; j < D; j++) {
        f[j] = y == 0 ? x[j] : -x[j];
        f[D + j] = y == 1 ? x[j] : -x[j];
    }
    for (int i = 0; i < 2 * D; i++) {
        g[i] = 0;
        for (int j = 0; j < 2 * D; j++)
            g[i] += pair->sigma[i][j] * f[j];
        m += pair->mu[i] * f[i];
        chi += g[i] * f[i];
    }
    if (m >= 1 || chi <= 0)
        return;
    double alpha = rule == ONLINE_AROW ? (1 - m) / (r + chi) : fmin(1 / (2 * r), (1 - m) / chi);
    for (int i = 0; i < 2 * D; i++) {
        pair->mu[i] += alpha * g[i];
        for (int j = 0; j < 2 * D; j++)
            pair->sigma[i][j] -= g[i] * g[j] / (r + chi);
    }
    pair->updates++;
}

/* The pair with r is one vector w = mu_1 - mu_0 with r/2 (the library's), and one with r and
 * Sigma_0 = 2I.  With T = (-I I), T Sigma T' is the covariance of the latter, twice that of the
 * former. */
static void test_pair(int64_t rule, double r, uint64_t number)
{
    struct sample samples[ROUNDS];
    struct pair pair = {.updates = 0};
    struct reference half, wide;
    double x[D], w[CLASSES][D];
    struct online_options options = default_options(rule, COVARIANCE_FULL);
    options.r = r;
    reference_init(&wide, &options, 2, 1);
    options.r = r / 2;
    reference_init(&half, &options, 2, 1);
    struct online *learner = learner_new(&options, 2);
    if (!learner)
        return;
    for (int j = 0; j < D; j++)
        wide.precision[0][j][j] = 0.5;
    for (int j = 0; j < 2 * D; j++)
        pair.sigma[j][j] = 1;
    samples_make(samples, 2, true, number);
    for (int i = 0; i < ROUNDS && learner_learn(learner, &samples[i], i); i++) {
        sample_dense(&samples[i], x);
        pair_learn(&pair, rule, r, x, samples[i].y);
        reference_learn(&half, x, samples[i].y);
        reference_learn(&wide, x, samples[i].y);
        CHECK_INT(online_counts(learner).updates, pair.updates, "r %g, round %d: updates", r,
                  i + 1);
        CHECK_INT(wide.updates, pair.updates, "r %g, round %d: updates with twice the variance", r,
                  i + 1);
        if (!learner_weights(learner, 1, w))
            break;
        for (int j = 0; j < D; j++) {
            double difference = pair.mu[D + j] - pair.mu[j];
            CHECK_NEAR(w[0][j], difference, TOLERANCE, "r %g, round %d: weight %d", r, i + 1, j);
            CHECK_NEAR(wide.mu[0][j], difference, TOLERANCE,
                       "r %g, round %d: weight %d with twice the variance", r, i + 1, j);
        }
    }
    /* T Sigma T' times a precision is the identity, or twice it */
    for (int i = 0; i < D; i++) {
        for (int j = 0; j < D; j++) {
            double product[2] = {0, 0};
            for (int l = 0; l < D; l++) {
                double s = pair.sigma[i][l] - pair.sigma[i][D + l] - pair.sigma[D + i][l]
                           + pair.sigma[D + i][D + l];
                product[0] += s * half.precision[0][l][j];
                product[1] += s * wide.precision[0][l][j];
            }
            CHECK_NEAR(product[0], i == j ? 2 : 0, 1e-8,
                       "r %g: covariance of the pair by precision of r/2, %d %d", r, i, j);
            CHECK_NEAR(product[1], i == j ? 1 : 0, 1e-8,
                       "r %g: covariance of the pair by precision of 2I, %d %d", r, i, j);
        }
    }
    online_free(learner);
}

/* Passive-aggressive: two vectors with C are the library's one vector with 2C. */
static void test_pair_pa(int64_t rule, double C, uint64_t number)
{
    struct sample samples[ROUNDS];
    struct reference ref;
    double x[D], w[CLASSES][D];
    struct online_options options = default_options(rule, COVARIANCE_DIAG);
    options.C = C;
    reference_init(&ref, &options, 2, 2);
    options.C = 2 * C;
    struct online *learner = learner_new(&options, 2);
    if (!learner)
        return;
    samples_make(samples, 2, false, number);
    for (int i = 0; i < ROUNDS && learner_learn(learner, &samples[i], i); i++) {
        sample_dense(&samples[i], x);
        reference_learn(&ref, x, samples[i].y);
        CHECK_INT(online_counts(learner).updates, ref.updates, "C %g, round %d: updates", C, i + 1);
        if (!learner_weights(learner, 1, w))
            break;
        for (int j = 0; j < D; j++)
            CHECK_NEAR(w[0][j], ref.mu[1][j] - ref.mu[0][j], TOLERANCE, "C %g, round %d: weight %d",
                       C, i + 1, j);
    }
    online_free(learner);
}

/* Without covariances between the vectors (diag; one full block each) the pair with r is one vector
 * that steps with r/2 and observes with r.  No option of the library says that, so the reference is
 * compared with itself; either side of it is compared with the library above. */
static void test_pair_blocks(int64_t rule, int64_t form, double r, uint64_t number)
{
    struct sample samples[ROUNDS];
    struct reference two, one;
    double x[D];
    struct online_options options = default_options(rule, form);
    options.r = r;
    reference_init(&two, &options, 2, 2);
    reference_init(&one, &options, 2, 1);
    one.r_mean = r / 2;
    samples_make(samples, 2, true, number);
    for (int i = 0; i < ROUNDS; i++) {
        sample_dense(&samples[i], x);
        reference_learn(&two, x, samples[i].y);
        reference_learn(&one, x, samples[i].y);
        CHECK_INT(one.updates, two.updates, "r %g, round %d: updates", r, i + 1);
        for (int j = 0; j < D; j++)
            CHECK_NEAR(one.mu[0][j], two.mu[1][j] - two.mu[0][j], TOLERANCE,
                       "r %g, round %d: weight %d", r, i + 1, j);
    }
}

static void test_relations(uint64_t *number)
{
    static const double r[] = {0.05, 1, 20}, C[] = {0.02, 0.3, 5};
    for (int64_t rule = ONLINE_AROW; rule <= ONLINE_AROW_HINGE; rule++) {
        check_group("%s full, two vectors with r are one with r/2", online_rule_names[rule]);
        for (int i = 0; i < COUNT(r); i++)
            test_pair(rule, r[i], (*number)++);
        for (int64_t form = COVARIANCE_DIAG; form <= COVARIANCE_FULL;
             form += COVARIANCE_FULL - COVARIANCE_DIAG) {
            check_group("%s %s blocks, two vectors with r are one that steps with r/2",
                        online_rule_names[rule], online_forms[form]);
            for (int i = 0; i < COUNT(r); i++)
                test_pair_blocks(rule, form, r[i], (*number)++);
        }
    }
    for (int64_t rule = ONLINE_PA; rule <= ONLINE_PA2; rule++) {
        check_group("%s, two vectors with C are one with 2C", online_rule_names[rule]);
        for (int i = 0; i < COUNT(C); i++)
            test_pair_pa(rule, C[i], (*number)++);
    }
}

/* Rules that know weights, with weighted samples; those that know none are the three which say so.
 */
static void test_weights(uint64_t *number)
{
    for (int64_t rule = ONLINE_AROW; rule <= ONLINE_ADAGRAD_RDA; rule++) {
        const bool none = rule == ONLINE_PA || rule == ONLINE_CW || rule == ONLINE_SOP;
        check_group("%s, weights", online_rule_names[rule]);
        CHECK(online_uses(rule, "example-weights") == !none, "does it know weights?");
        for (int i = 0; !none && i < COUNT(class_counts); i++) {
            struct online_options options = default_options(rule, i % 3);
            options.k = i % 3;
            options.average = i % 2;
            run_case(&options, class_counts[i], true, (*number)++);
        }
    }
}

int main(void)
{
    uint64_t number = 0;
    for (int64_t rule = ONLINE_AROW; rule <= ONLINE_AROW_HINGE; rule++) {
        for (int64_t form = COVARIANCE_DIAG; form <= COVARIANCE_FULL; form++)
            test_arow(rule, form, &number);
    }
    test_baselines(&number);
    for (int64_t rule = ONLINE_AROW; rule <= ONLINE_ADAGRAD_RDA; rule++) {
        check_group("%s, examples without a nonzero", online_rule_names[rule]);
        for (int64_t form = COVARIANCE_DIAG; form <= COVARIANCE_FULL; form++) {
            if (rule != ONLINE_SOP || form != COVARIANCE_DROP)
                test_nothing(rule, form, 2);
            if (rule != ONLINE_SOP)
                test_nothing(rule, form, 3);
        }
    }
    test_relations(&number);
    test_weights(&number);
    return check_finish();
}
