#include "learners/bandit/bandit_source.h"

#include "common/base/random.h"
#include "common/data/stream.h"
#include "learners/bandit/bandit.h"

enum { LOOK_EVERY = 2048 }; /* rounds between two looks at the clock */

typedef int round_function(void *context, const struct example *x, struct error *err);

static int run_held(const struct bandit_source *s, round_function *round, void *context,
                    struct error *err)
{
    enum { AHEAD = 4 };
    const struct problem *problem = s->held;
    int64_t coming[AHEAD], rounds = s->rounds > 0 ? s->rounds : problem->n, i = 0;
    struct random order = random_seeded((uint64_t)s->seed, BANDIT_USE_ORDER);
    random_skip(&order, s->drawn);
    for (int64_t t = 0; t < rounds; t++) {
        if (s->random_order) {
            /* Drawn a few rounds early, so that memory can be asked for them. */
            for (int64_t a = t == 0 ? 0 : AHEAD - 1; a < AHEAD; a++) {
                coming[(t + a) % AHEAD] = random_below(&order, problem->n);
                problem_prefetch(problem, coming[(t + a) % AHEAD]);
            }
            i = coming[t % AHEAD];
        }
        struct example x = problem_example(problem, i);
        if (round(context, &x, err) != 0)
            return -1;
        i = i + 1 < problem->n ? i + 1 : 0;
        if (s->progress && t % LOOK_EVERY == 0)
            progress_update(s->progress, t, (double)t / (double)rounds);
    }
    return 0;
}

/* One pass over the file, or as much of it as the rounds want. */
static int run_pass(const struct bandit_source *s, int64_t *done, round_function *round,
                    void *context, struct error *err)
{
    struct stream_options options = {.format = s->format, .threads = s->threads};
    struct stream *stream = stream_open(s->path, &options, err);
    struct chunk *chunk;
    int status = -1;
    if (!stream)
        return -1;
    while ((s->rounds == 0 || *done < s->rounds)
           && (status = stream_next(stream, &chunk, err)) > 0) {
        int64_t n = chunk->problem.n;
        if (s->rounds > 0 && n > s->rounds - *done)
            n = s->rounds - *done;
        for (int64_t i = 0; i < n; i++) {
            struct example x = problem_example(&chunk->problem, i);
            if (round(context, &x, err) != 0) {
                if (err)
                    snprintf(err->file, sizeof err->file, "%s", stream_name(stream));
                stream_close(stream);
                return -1;
            }
        }
        *done += n;
        double part = stream_size(stream) > 0
                          ? (double)stream_position(stream) / (double)stream_size(stream)
                          : -1;
        if (s->progress)
            progress_update(s->progress, *done,
                            s->rounds > 0 ? (double)*done / (double)s->rounds : part);
    }
    stream_close(stream);
    return status < 0 ? -1 : 0;
}

int bandit_source_run(const struct bandit_source *s, round_function *round, void *context,
                      struct error *err)
{
    if (s->held)
        return run_held(s, round, context, err);
    int64_t done = 0;
    do {
        if (run_pass(s, &done, round, context, err) != 0)
            return -1;
    } while (done < s->rounds);
    return 0;
}
