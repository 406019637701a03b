/* A pass over data in memory visits the examples in random order or in file order.  In random order
 * each would be a cache miss, so examples are prefetched.  A pass over a stream
 * learns from chunk n while chunk n + 1 is read and parsed (stream.h). */
#include "common/linear/passes.h"

#include "common/base/memory.h"
#include "common/base/random.h"
#include "common/data/stream.h"

enum {
    PASSES_LOOK_EVERY =
        2048,        /* examples between two updates of the progress line, a fraction of a ms */
    PASSES_AHEAD = 4 /* how many examples ahead to prefetch; 2 to 8 are equally fast */
};

/* Report the counts of a pass. */
static void passes_finish(const struct round_learner *l, const struct passes *p, int64_t pass,
                          struct round_counts before)
{
    if (!p->report)
        return;
    struct round_counts now = l->counts(l->learner);
    p->report(p->context, pass,
              (struct round_counts){now.rounds - before.rounds, now.mistakes - before.mistakes,
                                    now.updates - before.updates});
}

/* A random order of the subset, or of all.  It depends only on the seed and the number of rounds,
 * so training continued from a model draws what a single run would have drawn. */
static void passes_shuffle(int64_t *order, const int64_t *subset, int64_t n, int64_t seed,
                           int64_t rounds)
{
    for (int64_t i = 0; i < n; i++)
        order[i] = subset ? subset[i] : i;
    struct random g = random_seeded((uint64_t)seed, 1 + (uint64_t)rounds);
    random_shuffle(&g, order, n);
}

int passes_over_problem(const struct round_learner *l, const struct problem *problem,
                        const int32_t *y, const int64_t *subset, int64_t n, const struct passes *p,
                        struct error *err)
{
    int64_t *order = NULL;
    int status = -1;
    if (l->grow(l->learner, problem->d, err) != 0)
        return -1;
    if (p->shuffle && !(order = memory_new(n, sizeof *order, err)))
        return -1;
    for (int64_t pass = 0; pass < p->count; pass++) {
        struct round_counts before = l->counts(l->learner);
        if (order)
            passes_shuffle(order, subset, n, p->seed, before.rounds);
        const int64_t *use = order ? order : subset;
        for (int64_t i = 0; i < n; i++) {
            int64_t e = use ? use[i] : i;
            if (milestones_stop(p->milestones)) {
                status = 0;
                goto done;
            }
            if (order && i + PASSES_AHEAD < n)
                problem_prefetch(problem, order[i + PASSES_AHEAD]);
            struct example x = problem_example(problem, e);
            if (l->learn(l->learner, &x, y[e], err) != 0)
                goto done;
            milestones_count(p->milestones);
            if (p->progress && i % PASSES_LOOK_EVERY == 0)
                progress_update(p->progress, pass * n + i,
                                (double)(pass * n + i) / ((double)n * (double)p->count));
        }
        passes_finish(l, p, pass + 1, before);
    }
    status = 0;
done:
    memory_free(order);
    return status;
}

/* Learn from a chunk, or from the part of it that comes before a stop.  0, or -1 with err. */
static int passes_learn_chunk(const struct round_learner *l, const struct labels *labels,
                              const struct chunk *chunk, const char *name,
                              struct milestones *milestones, struct error *err)
{
    for (int64_t i = 0; i < chunk->problem.n; i++) {
        if (milestones_stop(milestones))
            break;
        struct example x = problem_example(&chunk->problem, i);
        int64_t y = labels_require(labels, x.label, NULL, x.line, err);
        if (y < 0 || l->learn(l->learner, &x, (int32_t)y, err) != 0) {
            error_name(err, name);
            return -1;
        }
        milestones_count(milestones);
    }
    return 0;
}

int passes_over_stream(const struct round_learner *l, const struct labels *labels, const char *path,
                       const struct example_format *format, int threads, const struct passes *p,
                       struct error *err)
{
    struct milestones *milestones = p->milestones;
    struct stream_options options = {
        .format = *format, .threads = threads, .stop = milestones ? milestones->stop : NULL};
    int64_t done = 0;
    for (int64_t pass = 0; pass < p->count; pass++) {
        struct round_counts before = l->counts(l->learner);
        struct stream *stream = stream_open(path, &options, err);
        if (!stream)
            return -1;
        struct chunk *chunk;
        int status;
        /* After a stop nothing counts that the stream says: its last line may be cut. */
        while ((status = stream_next(stream, &chunk, err)) > 0) {
            if (milestones_stop(milestones))
                break;
            if (passes_learn_chunk(l, labels, chunk, stream_name(stream), milestones, err) != 0) {
                status = -1;
                break;
            }
            done += chunk->problem.n;
            if (!p->progress)
                continue;
            const double share = stream_share(stream);
            progress_update(p->progress, done,
                            share < 0 ? -1 : ((double)pass + share) / (double)p->count);
        }
        stream_close(stream);
        if (milestones_stop(milestones))
            return 0;
        if (status < 0)
            return -1;
        passes_finish(l, p, pass + 1, before);
    }
    return 0;
}
