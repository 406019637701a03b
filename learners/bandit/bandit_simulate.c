#include "learners/bandit/bandit_simulate.h"

#include "common/base/random.h"

struct simulator {
    struct bandit *b;
    const struct bandit_simulation *options;
    struct bandit_counts *counts;
    struct random random;
    int64_t next_trace; /* rounds at which the next line is written */
};

int bandit_answer(const double noise[2], bool right, double v)
{
    return right ? v >= noise[1] : v < noise[0];
}

/* The next of ten rounds from each power of ten to the next, evenly on a logarithmic scale. */
static int64_t next_trace(int64_t rounds)
{
    static const int hundredths[] = {126, 158, 200, 251, 316, 398, 501, 631, 794, 1000};
    for (int64_t power = 1;; power *= 10)
        for (size_t i = 0; i < sizeof hundredths / sizeof *hundredths; i++)
            if (power * hundredths[i] / 100 > rounds)
                return power * hundredths[i] / 100;
}

static void write_trace(const struct simulator *s)
{
    const struct bandit_counts *c = s->counts;
    const double *rho = bandit_rates(s->b), rounds = (double)c->rounds;
    output_text(s->options->trace, "%lld %.6g %.6g %.6g %.6g\n", (long long)c->rounds,
                (double)c->shown_wrong / rounds, (double)c->greedy_wrong / rounds, rho[0], rho[1]);
}

static int play(void *context, const struct example *x, struct error *err)
{
    struct simulator *s = context;
    struct bandit_counts *c = s->counts;
    int64_t y = labels_require(bandit_labels(s->b), x->label, NULL, x->line, err);
    double u = random_uniform(&s->random), v = random_uniform(&s->random);
    if (y < 0 || bandit_score(s->b, x, err) != 0)
        return -1;
    struct bandit_choice choice = bandit_choose(s->b, u);
    c->rounds++;
    c->shown_wrong += choice.shown != y;
    c->greedy_wrong += choice.greedy != y;
    if (bandit_learn(s->b, x, choice.shown, choice.p,
                     bandit_answer(s->options->noise, choice.shown == y, v), err)
        != 0)
        return -1;
    if (s->options->trace && c->rounds == s->next_trace) {
        write_trace(s);
        s->next_trace = next_trace(c->rounds);
    }
    return 0;
}

int bandit_simulate(struct bandit *b, const struct bandit_source *source,
                    const struct bandit_simulation *simulation, struct bandit_counts *counts,
                    struct error *err)
{
    struct simulator s = {.b = b, .options = simulation, .counts = counts, .next_trace = 1};
    s.random = random_seeded((uint64_t)simulation->seed, BANDIT_USE_ROUNDS);
    random_skip(&s.random, 2 * simulation->drawn);
    *counts = (struct bandit_counts){0};
    if ((source->held && bandit_grow(b, source->held->d, err) != 0)
        || bandit_source_run(source, play, &s, err) != 0)
        return -1;
    if (simulation->trace
        && next_trace(counts->rounds - 1) != counts->rounds) /* the last round has no line yet */
        write_trace(&s);
    return 0;
}
