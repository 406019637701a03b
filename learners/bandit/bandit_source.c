/* Two loops: over examples that are held, in any order, and over the chunks of a stream.  Examples
 * at random lie far apart in memory, so the ones of the next rounds are drawn early and asked for
 * while the current one is learnt from. */
#include "learners/bandit/bandit_source.h"

#include "common/base/random.h"
#include "common/data/stream.h"
#include "learners/bandit/bandit.h"

#include <assert.h>

/* Rounds between two looks at the clock: a few milliseconds.  No reason but that it works. */
enum { BANDIT_SOURCE_LOOK_EVERY = 2048 };

/* Examples drawn ahead, this round's included.  No reason but that it works. */
enum { BANDIT_SOURCE_AHEAD = 4 };

typedef int bandit_source_round(void *context, const struct example *x, struct error *err);

/* Examples at random, the next few of them already drawn. */
struct bandit_source_order {
    struct random random;
    int64_t coming[BANDIT_SOURCE_AHEAD]; /* that of round t: coming[t % BANDIT_SOURCE_AHEAD] */
    int64_t drawn;                       /* rounds */
};

/* The example of round t; rounds must come in turn. */
static int64_t bandit_source_draw(struct bandit_source_order *order, const struct problem *problem,
                                  int64_t t)
{
    while (order->drawn < t + BANDIT_SOURCE_AHEAD) {
        int64_t i = random_below(&order->random, problem->n);
        problem_prefetch(problem, i);
        order->coming[order->drawn++ % BANDIT_SOURCE_AHEAD] = i;
    }
    return order->coming[t % BANDIT_SOURCE_AHEAD];
}

/* Rounds of examples in memory. */
static int bandit_source_run_held(const struct bandit_source *s, bandit_source_round *round,
                                  void *context, struct error *err)
{
    const struct problem *problem = s->held;
    int64_t rounds = s->rounds > 0 ? s->rounds : problem->n;
    struct bandit_source_order order = {
        .random = random_seeded((uint64_t)s->seed, BANDIT_USE_ORDER)};
    random_skip(&order.random, s->drawn);
    int64_t next = 0;
    for (int64_t t = 0; t < rounds; t++) {
        if (milestones_stop(s->milestones))
            break;
        int64_t i = s->random_order ? bandit_source_draw(&order, problem, t) : next;
        struct example x = problem_example(problem, i);
        if (round(context, &x, err) != 0)
            return -1;
        milestones_count(s->milestones);
        next = next + 1 < problem->n ? next + 1 : 0;
        if (s->progress && t % BANDIT_SOURCE_LOOK_EVERY == 0)
            progress_update(s->progress, t, (double)t / (double)rounds);
    }
    return 0;
}

/* Rounds of a chunk, at most n. */
static int bandit_source_run_chunk(const struct bandit_source *s, const struct problem *chunk,
                                   int64_t n, bandit_source_round *round, void *context,
                                   struct error *err)
{
    for (int64_t i = 0; i < n; i++) {
        if (milestones_stop(s->milestones))
            break;
        struct example x = problem_example(chunk, i);
        if (round(context, &x, err) != 0)
            return -1;
        milestones_count(s->milestones);
    }
    return 0;
}

/* How much of the run is done, 0 .. 1; -1: unknown. */
static double bandit_source_share(const struct bandit_source *s, const struct stream *stream,
                                  int64_t done)
{
    return s->rounds > 0 ? (double)done / (double)s->rounds : stream_share(stream);
}

/* One pass over the file, or as much of it as the rounds want.  *done: rounds so far. */
static int bandit_source_run_pass(const struct bandit_source *s, int64_t *done,
                                  bandit_source_round *round, void *context, struct error *err)
{
    struct stream_options options = {.format = s->format,
                                     .threads = s->threads,
                                     .stop = s->milestones ? s->milestones->stop : NULL};
    struct stream *stream = stream_open(s->path, &options, err);
    if (!stream)
        return -1;
    int status = 1;
    while (s->rounds == 0 || *done < s->rounds) {
        struct chunk *chunk;
        status = stream_next(stream, &chunk, err);
        if (status <= 0 || milestones_stop(s->milestones))
            break;
        int64_t n = chunk->problem.n;
        if (s->rounds > 0 && n > s->rounds - *done)
            n = s->rounds - *done;
        if (bandit_source_run_chunk(s, &chunk->problem, n, round, context, err) != 0) {
            error_name(err, stream_name(stream));
            status = -1;
            break;
        }
        *done += n;
        if (s->progress)
            progress_update(s->progress, *done, bandit_source_share(s, stream, *done));
    }
    stream_close(stream);
    /* After a stop nothing counts that the stream says: its last line may be cut. */
    return status < 0 && !milestones_stop(s->milestones) ? -1 : 0;
}

int bandit_source_run(const struct bandit_source *s, bandit_source_round *round, void *context,
                      struct error *err)
{
    assert(s->held ? s->held->n > 0 : !s->random_order);
    if (s->held)
        return bandit_source_run_held(s, round, context, err);
    int64_t done = 0;
    do {
        if (bandit_source_run_pass(s, &done, round, context, err) != 0)
            return -1;
    } while (done < s->rounds && !milestones_stop(s->milestones));
    return 0;
}
