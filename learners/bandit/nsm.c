/* The rule of the bandit learner nsm: the step of nsm_step.h in each round, with a table of sums of
 * squares beside the weights. */
#include "common/base/number.h"
#include "learners/bandit/bandit_rule.h"
#include "learners/bandit/bandit_state.h"
#include "learners/bandit/nsm_step.h"

#include <float.h>

struct nsm_state {
    struct weights squares; /* s, as w */
};

static void nsm_start(struct bandit *b)
{
    struct nsm_state *state = b->state;
    state->squares = weights_make(b->labels.count, NSM_SQUARES);
    bandit_set_rates(b, b->options.rho);
}

static int nsm_grow(struct bandit *b, int64_t d, struct error *err)
{
    struct nsm_state *state = b->state;
    return weights_grow(&state->squares, d, err);
}

static double nsm_bytes(const struct bandit_options *options, int64_t classes, int64_t d)
{
    (void)options;
    return weights_bytes(classes, d);
}

static void nsm_free(struct bandit *b)
{
    struct nsm_state *state = b->state;
    weights_free(&state->squares);
}

/* Of a longer example the squares might overflow, which no score tells: each grows by its squared
 * norm at most, as no direction is larger than 1, and this is for as many rounds as can be counted.
 */
static const double nsm_largest_norm = DBL_MAX / (double)INT64_MAX;

/* Scores that are not finite are found when the next round is scored. */
static int nsm_round(struct bandit *b, const struct example *x, int64_t shown, double p, int f,
                     struct error *err)
{
    struct nsm_state *state = b->state;
    (void)p;
    if (!(example_squared_norm(x) <= nsm_largest_norm))
        return bandit_refuse_large(x, err);
    nsm_learn(&b->w, &state->squares, &b->sum, b->rounds - 1, x, b->scores, shown, f, b->rho,
              b->options.eta);
    return 0;
}

static int nsm_save_tables(const struct bandit *b, struct model_writer *writer, struct error *err)
{
    const struct nsm_state *state = b->state;
    return model_put_table(writer, "squares", &state->squares, err);
}

static int nsm_load(struct bandit *b, const struct model *model, struct error *err)
{
    struct weights *squares = &((struct nsm_state *)b->state)->squares;
    if (model_read_table(model, "squares", squares, err) != 0)
        return -1;
    for (int64_t i = 0; i < squares->rows * squares->stride; i++) {
        if (!(squares->w[i] > 0)) /* they start above 0 and grow */
            return error_at(err, model->file, 0, 0, "a sum of squares is not positive");
    }
    return 0;
}

static const struct bandit_parameter nsm_parameters[] = {
    {BANDIT_PARAMETER("rates", NULL, BANDIT_RATES, rho)},
    {BANDIT_PARAMETER("eta", "eta", BANDIT_NUMBER, eta), .lowest = NUMBER_ABOVE_0,
     .highest = DBL_MAX},
    {.option = NULL}};

const struct bandit_rule bandit_nsm_rule = {
    .name = "nsm",
    .parameters = nsm_parameters,
    .state_size = sizeof(struct nsm_state),
    .start = nsm_start,
    .round = nsm_round,
    .grow = nsm_grow,
    .bytes = nsm_bytes,
    .free = nsm_free,
    .save_tables = nsm_save_tables,
    .load = nsm_load,
};
