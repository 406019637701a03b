/* SOBA, the second-order Banditron (Beygelzimer, Orabona and Zhang 2017).  It learns only when
 * f = 1.
 *
 *   other = argmax of the scores over all classes but the one shown
 *   g = 1/p (e_other - e_shown) (x) x,  z = sqrt(p) g          vectors of K (d + 1) numbers
 *   m = (<W,z>^2 + 2 <W,g>) / (1 + z'A^-1 z)
 *   when m + (the sum of the m accepted before) >= 0, it is accepted:
 *       A += z z' (or its diagonal),  theta -= g,  W = A^-1 theta
 *
 *   A, theta   A starts at a I (`prior`), theta at 0
 *   (x)        the Kronecker product: x in the block of each class
 *   lead       <W,g> = (score of other - score of shown) / p, and <W,z> = sqrt(p) <W,g>
 *   quadratic  z'A^-1 z
 *
 * A^-1 is kept as a covariance that observes z (common/linear/covariance.h), and W is updated
 * directly, so neither A nor theta is needed:
 *   diagonal   s' = s / (1 + s x^2/p)                          in the two columns that x touches
 *              W' = s' (W/s - g) = (W - s g) / (1 + s x^2/p)
 *   full       A'^-1 z = A^-1 z / (1 + z'A^-1 z)  and  g = z / sqrt(p),  so
 *              W' = W - A^-1 z (<W,z> + 1/sqrt(p)) / (1 + z'A^-1 z)
 *
 * The sum of the m grows in every accepted round, also where the label shown was not the greedy
 * one: so in the paper; Orabona's program leaves those out. */
#include "common/base/memory.h"
#include "common/base/number.h"
#include "common/linear/covariance.h"
#include "learners/bandit/bandit_rule.h"
#include "learners/bandit/bandit_state.h"

#include <assert.h>
#include <float.h>
#include <math.h>

struct soba_state {
    struct covariance sigma; /* A^-1.  Diagonal: as w.  Full: one block, in which feature j K + k is
                                row j, column k of w without its padding */
    double margins;          /* the sum of the m that were accepted */
};

/* The feature of the full A that stands for column k of row j; d features of x have d K + K - 1 as
 * the largest. */
static int64_t soba_cell(int64_t classes, int64_t j, int64_t k)
{
    return j * classes + k;
}

static void soba_start(struct bandit *b)
{
    struct soba_state *state = b->state;
    bool full = b->options.full;
    state->sigma = covariance_make(full ? COVARIANCE_FULL : COVARIANCE_DIAG,
                                   full ? 1 : b->labels.count, 1 / b->options.prior);
}

static int64_t soba_feature_limit(const struct bandit_options *options, int64_t classes)
{
    return options->full ? BANDIT_MOST_FULL / classes - 1 : INT32_MAX;
}

static int soba_grow(struct bandit *b, int64_t d, struct error *err)
{
    struct soba_state *state = b->state;
    const int64_t K = b->labels.count;
    if (covariance_grow(&state->sigma, b->options.full ? soba_cell(K, d, K - 1) : d, err) != 0)
        return -1;
    assert(!b->options.full || state->sigma.rows % K == 0);
    return 0;
}

static double soba_bytes(const struct bandit_options *options, int64_t classes, int64_t d)
{
    if (options->full)
        return covariance_bytes(COVARIANCE_FULL, 1, (d + 1) * classes - 1);
    return weights_bytes(classes, d);
}

static void soba_free(struct bandit *b)
{
    struct soba_state *state = b->state;
    covariance_free(&state->sigma);
}

/* ---- a round ---- */

enum soba_verdict { SOBA_REJECTED, SOBA_ACCEPTED, SOBA_NOT_FINITE };

/* Is the round to be learnt from?  When accepted, its m is counted. */
static enum soba_verdict soba_judge(struct soba_state *state, double lead, double p,
                                    double quadratic)
{
    double m = (p * lead * lead + 2 * lead) / (1 + quadratic);
    if (!isfinite(m) || !isfinite(quadratic))
        return SOBA_NOT_FINITE;
    if (m + state->margins < 0)
        return SOBA_REJECTED;
    state->margins += m;
    return SOBA_ACCEPTED;
}

/* Two columns move, in the rows of x. */
static int soba_round_diagonal(struct bandit *b, const struct example *x, int64_t shown,
                               int64_t other, double p, struct error *err)
{
    struct soba_state *state = b->state;
    const int64_t column[2] = {other, shown};
    double quadratic = (covariance_quadratic(&state->sigma, x, other)
                        + covariance_quadratic(&state->sigma, x, shown))
                       / p;
    double lead = (b->scores[other] - b->scores[shown]) / p;
    enum soba_verdict verdict = soba_judge(state, lead, p, quadratic);
    if (verdict == SOBA_NOT_FINITE)
        return bandit_refuse_large(x, err);
    if (verdict == SOBA_REJECTED)
        return 0;
    for (int c = 0; c < 2; c++) {
        double sign = c == 0 ? 1 : -1;
        for (int64_t e = 0; e < x->size; e++) {
            int64_t cell = x->index[e] * b->w.stride + column[c];
            double s = state->sigma.diagonal.w[cell], g = sign * x->value[e] / p, w = b->w.w[cell];
            bandit_shift(b, cell, (w - s * g) / (1 + s * x->value[e] * x->value[e] / p) - w);
        }
        covariance_shrink(&state->sigma, x, column[c], 1 / p, 0);
    }
    return 0;
}

/* z as an example of the full A's features; index and value: workspace, 2 size of x. */
static struct example soba_make_z(int64_t classes, const struct example *x, int64_t shown,
                                  int64_t other, double p, int32_t *index, double *value)
{
    for (int64_t e = 0; e < x->size; e++) {
        index[2 * e] = (int32_t)soba_cell(classes, x->index[e], other);
        index[2 * e + 1] = (int32_t)soba_cell(classes, x->index[e], shown);
        value[2 * e] = x->value[e] / sqrt(p);
        value[2 * e + 1] = -value[2 * e];
    }
    return (struct example){.size = 2 * x->size, .index = index, .value = value};
}

/* Every weight moves. */
static int soba_round_z(struct bandit *b, const struct example *x, const struct example *z,
                        double lead, double p, struct error *err)
{
    struct soba_state *state = b->state;
    const int64_t K = b->labels.count;
    double quadratic = covariance_quadratic(&state->sigma, z, 0);
    enum soba_verdict verdict = soba_judge(state, lead, p, quadratic);
    if (verdict == SOBA_NOT_FINITE)
        return bandit_refuse_large(x, err);
    if (verdict == SOBA_REJECTED)
        return 0;
    const double *product = covariance_product(&state->sigma, 0);
    double step = (sqrt(p) * lead + 1 / sqrt(p)) / (1 + quadratic);
    for (int64_t j = 0; j < b->w.rows; j++) {
        for (int64_t k = 0; k < K; k++)
            bandit_shift(b, j * b->w.stride + k, -step * product[soba_cell(K, j, k)]);
    }
    covariance_shrink(&state->sigma, z, 0, 1, quadratic);
    return 0;
}

/* The same, once z is made.  Memory is taken for each round: it is little beside (K d)^2. */
static int soba_round_full(struct bandit *b, const struct example *x, int64_t shown, int64_t other,
                           double p, struct error *err)
{
    int status = -1;
    double *value = NULL;
    int32_t *index = memory_new(2 * x->size, sizeof *index, err);
    if (!index)
        goto done;
    value = memory_new(2 * x->size, sizeof *value, err);
    if (!value)
        goto done;
    struct example z = soba_make_z(b->labels.count, x, shown, other, p, index, value);
    status = soba_round_z(b, x, &z, (b->scores[other] - b->scores[shown]) / p, p, err);
done:
    memory_free(index);
    memory_free(value);
    return status;
}

static int soba_round(struct bandit *b, const struct example *x, int64_t shown, double p, int f,
                      struct error *err)
{
    if (f == 0)
        return 0;
    int64_t other = weights_best_other(b->scores, b->labels.count, shown);
    assert(other != shown);
    return b->options.full ? soba_round_full(b, x, shown, other, p, err)
                           : soba_round_diagonal(b, x, shown, other, p, err);
}

/* ---- the model file ---- */

static void soba_save_numbers(const struct bandit *b, struct model_writer *writer)
{
    const struct soba_state *state = b->state;
    model_put_number(writer, "margins", state->margins);
}

/* The full A is not kept: it has the square of the weights' numbers. */
static int soba_save_tables(const struct bandit *b, struct model_writer *writer, struct error *err)
{
    const struct soba_state *state = b->state;
    return b->options.full ? 0 : model_put_table(writer, "sigma", &state->sigma.diagonal, err);
}

static const char *soba_incomplete(const struct bandit_options *options)
{
    return options->full
               ? "soba with its full matrix does not go on: the model does not hold that matrix"
               : NULL;
}

static int soba_load(struct bandit *b, const struct model *model, struct error *err)
{
    struct soba_state *state = b->state;
    struct weights *diagonal = &state->sigma.diagonal;
    assert(!b->options.full);
    if (model_read_table(model, "sigma", diagonal, err) != 0
        || model_number(model, "margins", 0, DBL_MAX, &state->margins, err) != 0)
        return -1;
    for (int64_t i = 0; i < diagonal->rows * diagonal->stride; i++) {
        if (!(diagonal->w[i] >= 0)) /* 0: rounding can bring them there */
            return error_at(err, model->file, 0, 0, "a variance is negative");
    }
    return 0;
}

static const struct bandit_parameter soba_parameters[] = {
    {BANDIT_PARAMETER("prior", "a", BANDIT_NUMBER, prior), .lowest = NUMBER_ABOVE_0,
     .highest = DBL_MAX},
    {BANDIT_PARAMETER("soba-full", "full", BANDIT_FLAG, full)},
    {.option = NULL}};

const struct bandit_rule bandit_soba_rule = {
    .name = "soba",
    .parameters = soba_parameters,
    .state_size = sizeof(struct soba_state),
    .start = soba_start,
    .round = soba_round,
    .feature_limit = soba_feature_limit,
    .grow = soba_grow,
    .bytes = soba_bytes,
    .free = soba_free,
    .save_numbers = soba_save_numbers,
    .save_tables = soba_save_tables,
    .load = soba_load,
    .incomplete = soba_incomplete,
};
