/* RCINE (Agarwal and Manwani, Algorithm 2): RCNBF with noise rates that it estimates itself.
 *
 * Rounds are kept.  After every `period` of them noise_rate.h estimates the rates from these, they
 * are forgotten, and the rates are in force from the next round on; before the first estimate they
 * are 0.  An estimate needs explored rounds: see the default of --period.
 *
 * The model holds the rates and what the estimator has counted, but not the rounds kept since the
 * last estimate: learning that goes on from a model starts a new period. */
#include "learners/bandit/rcine.h"

#include "common/base/memory.h"
#include "learners/bandit/bandit_rule.h"
#include "learners/bandit/bandit_state.h"
#include "learners/bandit/rcnbf.h"

#include <assert.h>

/* Rounds that tell how long the others will be; no reason but that it is soon, and enough for a
 * mean. */
enum { RCINE_SAMPLE = 100 };

/* Rounds between two estimates: at least so many, with about as many explored as the second number
 * says; half of these are judged for rho0, whose standard error is then at most
 * .5 / sqrt(1000) = .016.  No reason for the first number but that it works. */
static const double rcine_fewest = 20000, rcine_fewest_explored = 2000;

struct rcine_state {
    struct problem kept; /* rounds since the last estimate */
    struct noise_rates rates;
};

int64_t rcine_usual_period(double gamma)
{
    double rounds = rcine_fewest;
    if (gamma > 0 && rcine_fewest_explored / gamma > rounds)
        rounds = rcine_fewest_explored / gamma;
    /* Without exploration no number of rounds would be enough. */
    return rounds < (double)RCINE_MOST_PERIOD ? (int64_t)rounds : RCINE_MOST_PERIOD;
}

static void rcine_start(struct bandit *b)
{
    struct rcine_state *state = b->state;
    state->kept.log = true;
}

/* Refuse a period whose rounds, and an estimate from these, will not fit in memory, judging by the
 * first of them. */
static int rcine_check_memory(const struct bandit *b, struct error *err)
{
    const struct problem *kept = &((const struct rcine_state *)b->state)->kept;
    const double rounds = (double)b->options.period,
                 entries = (double)kept->nnz * (rounds / (double)kept->n);
    const double bytes = problem_bytes(rounds, entries, true)
                         + noise_rate_bytes((enum noise_rate_estimator)b->options.estimator, rounds,
                                            entries, b->labels.count);
    return memory_check(bytes, "the rounds between two estimates", err);
}

/* rates: in: those of the last estimate; out: those that the rounds kept tell.  0 or -1. */
static int rcine_estimate(const struct bandit *b, struct noise_rates *rates, struct error *err)
{
    const struct bandit_options *o = &b->options;
    struct rcine_state *state = b->state;
    return noise_rate_estimate((enum noise_rate_estimator)o->estimator, &state->kept,
                               b->labels.count, &o->network, o->seed + b->rounds / o->period,
                               o->threads, rates, err);
}

/* Keep a round for the next estimate.  0 or -1. */
static int rcine_keep(struct bandit *b, const struct example *x, int64_t shown, double p, int f,
                      struct error *err)
{
    struct rcine_state *state = b->state;
    struct example round = *x;
    round.label = shown;
    round.feedback = (struct feedback){f, p};
    if (state->kept.n == RCINE_SAMPLE && rcine_check_memory(b, err) != 0)
        return -1;
    return problem_append_example(&state->kept, &round, err);
}

/* A round of RCNBF, by the rates before the estimate that it may complete.  What can fail comes
 * before the weights move: a round that fails has not been. */
static int rcine_round(struct bandit *b, const struct example *x, int64_t shown, double p, int f,
                       struct error *err)
{
    struct rcine_state *state = b->state;
    struct problem *kept = &state->kept;
    const int32_t d = kept->d;
    struct noise_rates rates = state->rates;
    if (rcine_keep(b, x, shown, p, f, err) != 0)
        return -1;
    const bool complete = kept->n == b->options.period;
    if ((complete && rcine_estimate(b, &rates, err) != 0)
        || rcnbf_round(b, x, shown, p, f, err) != 0) {
        kept->nnz = kept->row_start[--kept->n];
        kept->d = d;
        return -1;
    }
    if (complete) {
        problem_clear(kept);
        state->rates = rates;
        bandit_set_rates(b, rates.rho);
    }
    return 0;
}

/* What an estimator takes while it estimates; the rounds that are kept are checked when their
 * length is known.  Of a network the first layer, whose inputs are the features and the label
 * shown: what the others take is bounded (noise_rate_network.h). */
static double rcine_bytes(const struct bandit_options *options, int64_t classes, int64_t d)
{
    enum { COPIES = 3 }; /* weights, their sums of squares, the best weights so far */
    if (options->estimator == NOISE_RATE_MARGIN)
        return NOISE_RATE_TABLES * weights_bytes(classes, d);
    return COPIES * weights_bytes(options->network.hidden[0], d + classes);
}

static void rcine_free(struct bandit *b)
{
    struct rcine_state *state = b->state;
    problem_free(&state->kept);
}

static const double *rcine_count_row(const void *context, int64_t i, double *buffer)
{
    const struct noise_rates *rates = context;
    (void)buffer;
    return rates->count[i];
}

static int rcine_save_tables(const struct bandit *b, struct model_writer *writer, struct error *err)
{
    const struct rcine_state *state = b->state;
    return model_put_rows(writer, "said", 2, 2, rcine_count_row, &state->rates, err);
}

static int rcine_load(struct bandit *b, const struct model *model, struct error *err)
{
    struct rcine_state *state = b->state;
    const struct model_block *counts = model_find_block(model, "said", 2, 2, err);
    if (!counts)
        return -1;
    for (int i = 0; i < 4; i++) {
        if (!(counts->number[i] >= 0))
            return error_at(err, model->file, counts->line, 0, "a count is negative");
        state->rates.count[i / 2][i % 2] = counts->number[i];
    }
    for (int i = 0; i < 2; i++)
        state->rates.rho[i] = b->options.rho[i];
    bandit_set_rates(b, state->rates.rho);
    return 0;
}

/* Only the mlp estimators have one. */
static bool rcine_has_network(const struct bandit_options *options)
{
    return options->estimator != NOISE_RATE_MARGIN;
}

static const struct bandit_parameter rcine_parameters[] = {
    {BANDIT_PARAMETER("period", "period", BANDIT_INT, period), .lowest = NOISE_RATE_FEWEST,
     .highest = (double)RCINE_MOST_PERIOD},
    {BANDIT_PARAMETER("estimator", "estimator", BANDIT_CHOICE, estimator),
     .choices = noise_rate_estimators},
    {BANDIT_PARAMETER("hidden", "hidden", BANDIT_LAYERS, network), .used = rcine_has_network},
    {BANDIT_PARAMETER("dropout", "dropout", BANDIT_NUMBER, network.dropout), .lowest = 0,
     .highest = NOISE_RATE_MOST_DROPOUT, .used = rcine_has_network},
    {BANDIT_PARAMETER("epochs", "epochs", BANDIT_INT, network.epochs), .lowest = 1,
     .highest = NOISE_RATE_MOST_EPOCHS, .used = rcine_has_network},
    {.option = NULL}};

const struct bandit_rule bandit_rcine_rule = {
    .name = "rcine",
    .parameters = rcine_parameters,
    .estimates_rates = true,
    .state_size = sizeof(struct rcine_state),
    .start = rcine_start,
    .round = rcine_round,
    .bytes = rcine_bytes,
    .free = rcine_free,
    .save_tables = rcine_save_tables,
    .load = rcine_load,
};
