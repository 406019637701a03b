/* One round of a simulation: score, draw, choose, noise, learn; and the learning curve, whose lines
 * stand at ten rounds per decade, evenly on a logarithmic scale. */
#include "learners/bandit/bandit_simulate.h"

#include "common/base/random.h"

#include <assert.h>

struct bandit_simulate_run {
    struct bandit *b;
    const struct bandit_simulation *options;
    struct bandit_counts *counts;
    struct random random;
    int64_t next_trace; /* rounds at which the next line is written */
};

int bandit_noisy_feedback(const double noise[2], bool right, double v)
{
    return right ? v >= noise[1] : v < noise[0];
}

/* The first round after so many that has a line: 10^(i/10), i = 1 .. 10, times a power of ten. */
static int64_t bandit_simulate_next_trace(int64_t rounds)
{
    static const int hundredths[] = {126, 158, 200, 251, 316, 398, 501, 631, 794, 1000};
    assert(rounds <= INT64_MAX / 1000);
    for (int64_t power = 1;; power *= 10) {
        for (size_t i = 0; i < sizeof hundredths / sizeof *hundredths; i++) {
            if (power * hundredths[i] / 100 > rounds)
                return power * hundredths[i] / 100;
        }
    }
}

/* Write a line of the learning curve. */
static void bandit_simulate_trace(const struct bandit_simulate_run *run)
{
    const struct bandit_counts *c = run->counts;
    const double *rho = bandit_rates(run->b), rounds = (double)c->rounds;
    output_text(run->options->trace, "%lld %.6g %.6g %.6g %.6g\n", (long long)c->rounds,
                (double)c->shown_wrong / rounds, (double)c->greedy_wrong / rounds, rho[0], rho[1]);
}

static int bandit_simulate_round(void *context, const struct example *x, struct error *err)
{
    struct bandit_simulate_run *run = context;
    struct bandit_counts *c = run->counts;
    int64_t y = labels_require(bandit_labels(run->b), x->label, NULL, x->line, err);
    double u = random_uniform(&run->random), v = random_uniform(&run->random);
    if (y < 0 || bandit_score(run->b, x, err) != 0)
        return -1;
    struct bandit_choice choice = bandit_choose(run->b, u);
    c->rounds++;
    c->shown_wrong += choice.shown != y;
    c->greedy_wrong += choice.greedy != y;
    int f = bandit_noisy_feedback(run->options->noise, choice.shown == y, v);
    if (bandit_learn(run->b, x, choice.shown, choice.p, f, err) != 0)
        return -1;
    if (run->options->trace && c->rounds == run->next_trace) {
        bandit_simulate_trace(run);
        run->next_trace = bandit_simulate_next_trace(c->rounds);
    }
    return 0;
}

int bandit_simulate(struct bandit *b, const struct bandit_source *source,
                    const struct bandit_simulation *simulation, struct bandit_counts *counts,
                    struct error *err)
{
    struct bandit_simulate_run run = {
        .b = b, .options = simulation, .counts = counts, .next_trace = 1};
    run.random = random_seeded((uint64_t)simulation->seed, BANDIT_USE_ROUNDS);
    random_skip(&run.random, 2 * simulation->drawn);
    *counts = (struct bandit_counts){0};
    if (source->held && bandit_grow(b, source->held->d, err) != 0)
        return -1;
    if (bandit_source_run(source, bandit_simulate_round, &run, err) != 0)
        return -1;
    if (counts->rounds == 0) /* stopped */
        return 0;
    bool has_line = bandit_simulate_next_trace(counts->rounds - 1) == counts->rounds;
    if (simulation->trace && !has_line) /* the last round always has one */
        bandit_simulate_trace(&run);
    return 0;
}
