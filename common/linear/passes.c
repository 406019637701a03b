/* A pass over data in memory visits the examples in random order or in file order.  In random order
 * each would be a cache miss, so examples are prefetched.  A pass over a stream learns from chunk n
 * while chunk n + 1 is read and parsed (stream.h). */
#include "common/linear/passes.h"

#include "common/base/memory.h"
#include "common/base/random.h"
#include "common/data/example_weights.h"
#include "common/data/stream.h"

enum {
    PASSES_LOOK_EVERY = 2048, /* examples between two updates of the progress: a fraction of a ms */
    PASSES_AHEAD = 4          /* how many examples ahead to prefetch; 2 to 8 are equally fast */
};

/* Report the counts of a pass. */
static void passes_finish(const struct round_learner *l, const struct passes *p, int64_t pass,
                          struct round_counts before)
{
    if (p->report)
        p->report(p->context, pass, round_counts_minus(l->counts(l->learner), before));
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

/* Examples in memory. */
struct passes_held {
    const struct round_learner *learner;
    const struct problem *problem;
    const int32_t *y;
    const int64_t *order; /* n of them, in this order; NULL: all, in file order */
    int64_t n;
    bool random; /* the order is */
};

/* Pass number `pass`, from 0.  0, -1, or 1 when it was stopped before its end. */
static int passes_problem_once(const struct passes_held *h, const struct passes *p, int64_t pass,
                               struct error *err)
{
    const struct round_learner *l = h->learner;
    const double all = (double)h->n * (double)p->count;
    for (int64_t i = 0; i < h->n; i++) {
        const int64_t e = h->order ? h->order[i] : i, done = pass * h->n + i;
        if (milestones_stop(p->milestones))
            return 1;
        if (h->random && i + PASSES_AHEAD < h->n)
            problem_prefetch(h->problem, h->order[i + PASSES_AHEAD]);
        struct example x = problem_example(h->problem, e);
        if (l->learn(l->learner, &x, h->y[e], p->weight ? p->weight[e] : 1, err) != 0)
            return -1;
        milestones_count(p->milestones);
        if (pass == 0 && p->runs)
            class_runs_add(p->runs, h->y[e]);
        if (p->progress && i % PASSES_LOOK_EVERY == 0)
            progress_update(p->progress, done, (double)done / all);
    }
    return l->join ? l->join(l->learner, err) : 0;
}

int passes_over_problem(const struct round_learner *l, const struct problem *problem,
                        const int32_t *y, const int64_t *subset, int64_t n, const struct passes *p,
                        struct error *err)
{
    struct passes_held held = {l, problem, y, subset, n, p->shuffle};
    int64_t *order = NULL;
    int status = 0;
    if (l->grow(l->learner, problem->d, err) != 0)
        return -1;
    if (p->shuffle && !(order = memory_new(n, sizeof *order, err)))
        return -1;
    if (order)
        held.order = order;
    for (int64_t pass = 0; pass < p->count; pass++) {
        const struct round_counts before = l->counts(l->learner);
        if (order)
            passes_shuffle(order, subset, n, p->seed, before.rounds);
        status = passes_problem_once(&held, p, pass, err);
        if (status != 0)
            break;
        passes_finish(l, p, pass + 1, before);
    }
    memory_free(order);
    return status < 0 ? -1 : 0;
}

/* A pass over a stream. */
struct passes_streamed {
    const struct round_learner *learner;
    const struct labels *labels;
    struct milestones *milestones; /* may be NULL */
    struct stream *stream;
    struct class_runs *runs;        /* of this pass; NULL: not wanted */
    struct example_weights weights; /* read in step; no stream: all 1 */
    double *weight;                 /* of the chunk */
    int64_t weight_capacity;
};

/* The weights of the examples of a chunk.  0 or -1. */
static int passes_weigh_chunk(struct passes_streamed *s, const struct chunk *chunk,
                              struct error *err)
{
    const int64_t n = chunk->problem.n;
    double *weight = memory_reserve(s->weight, &s->weight_capacity, n, sizeof *weight, err);
    if (!weight)
        return -1;
    s->weight = weight;
    return example_weights_next(&s->weights, n, weight, err);
}

/* Learn from a chunk, or from the part of it that comes before a stop.  What is left out by its
 * weight is no milestone either: the model is that of as many examples.  0, or -1 with err. */
static int passes_learn_chunk(struct passes_streamed *s, const struct chunk *chunk,
                              struct error *err)
{
    const struct round_learner *l = s->learner;
    const bool weighs = s->weights.lines.stream != NULL;
    if (weighs && passes_weigh_chunk(s, chunk, err) != 0)
        return -1;
    for (int64_t i = 0; i < chunk->problem.n; i++) {
        if (milestones_stop(s->milestones))
            break;
        struct example x = problem_example(&chunk->problem, i);
        const double weight = weighs ? s->weight[i] : 1;
        int64_t y = labels_require(s->labels, x.label, NULL, x.line, err);
        if (y < 0 || (weight > 0 && l->learn(l->learner, &x, (int32_t)y, weight, err) != 0)) {
            error_name(err, stream_name(s->stream));
            return -1;
        }
        if (weight > 0)
            milestones_count(s->milestones);
        if (weight > 0 && s->runs)
            class_runs_add(s->runs, (int32_t)y);
    }
    return 0;
}

/* Pass number `pass`, from 0, or the part of it that comes before a stop.  *done: examples so far.
 * 0 or -1. */
static int passes_stream_once(struct passes_streamed *s, const struct passes *p, int64_t pass,
                              int64_t *done, struct error *err)
{
    struct chunk *chunk;
    int status;
    while ((status = stream_next(s->stream, &chunk, err)) > 0) {
        if (milestones_stop(s->milestones))
            return 0;
        if (passes_learn_chunk(s, chunk, err) != 0)
            return -1;
        *done += chunk->problem.n;
        if (!p->progress)
            continue;
        const double share = stream_share(s->stream);
        progress_update(p->progress, *done,
                        share < 0 ? -1 : ((double)pass + share) / (double)p->count);
    }
    if (status == 0 && s->weights.lines.stream)
        status = example_weights_end(&s->weights, err);
    return status;
}

int passes_over_stream(const struct round_learner *l, const struct labels *labels, const char *path,
                       const struct example_format *format, int threads, const struct passes *p,
                       struct error *err)
{
    const struct stop *stop = p->milestones ? p->milestones->stop : NULL;
    const struct stream_options options = {.format = *format, .threads = threads, .stop = stop};
    struct passes_streamed s = {
        .learner = l, .labels = labels, .milestones = p->milestones, .runs = p->runs};
    int64_t done = 0;
    int status = 0;
    for (int64_t pass = 0; pass < p->count; pass++) {
        const struct round_counts before = l->counts(l->learner);
        status = -1;
        if ((!p->weights_file || example_weights_open(&s.weights, p->weights_file, stop, err) == 0)
            && (s.stream = stream_open(path, &options, err)))
            status = passes_stream_once(&s, p, pass, &done, err);
        stream_close(s.stream);
        s.stream = NULL;
        example_weights_close(&s.weights);
        /* After a stop nothing counts that the streams say: their last lines may be cut. */
        if (milestones_stop(p->milestones)) {
            status = 0;
            break;
        }
        if (status < 0)
            break;
        passes_finish(l, p, pass + 1, before);
        s.runs = NULL;
    }
    memory_free(s.weight);
    return status;
}
