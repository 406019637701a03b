#include "learners/online/online_train.h"

#include "common/base/memory.h"
#include "common/base/parallel.h"
#include "common/base/random.h"
#include "common/data/folds.h"
#include "common/data/stream.h"
#include "common/model/predict.h"
#include "learners/forward/forward_minimum.h"

#include <pthread.h>

enum {
    LOOK_EVERY = 2048, /* examples between two looks at the clock */
    EVALUATIONS = 1000 /* on the way to a minimum, at most */
};

static struct online_counts minus(struct online_counts a, struct online_counts b)
{
    return (struct online_counts){a.rounds - b.rounds, a.mistakes - b.mistakes,
                                  a.updates - b.updates};
}

static void finish_pass(const struct online_training *t, const struct online *o, int64_t pass,
                        struct online_counts before)
{
    if (t->report)
        t->report(t->context, pass, minus(online_counts(o), before));
}

static int train_to_minimum(struct online *o, const struct problem *problem, const int32_t *y,
                            const int64_t *subset, int64_t n, const struct online_training *t,
                            struct error *err)
{
    struct forward_minimum minimum = {.epsilon = FORWARD_EPSILON,
                                      .evaluations = EVALUATIONS,
                                      .threads = t->threads,
                                      .progress = t->progress};
    double *moment;
    if (forward_second_moment(problem, &moment, err) != 0)
        return -1;
    minimum.second_moment = moment;
    int status = forward_minimise(o, problem, y, subset, n, &minimum, err);
    memory_free(moment);
    if (status != 0)
        return -1;
    forward_settle(o, problem, y, subset, n);
    if (t->report_minimum)
        t->report_minimum(t->context, &minimum.result);
    return 0;
}

int online_train_problem(struct online *o, const struct problem *problem, const int32_t *y,
                         const int64_t *subset, int64_t n, const struct online_training *t,
                         struct error *err)
{
    enum { AHEAD = 4 };
    int64_t *order = NULL;
    if (t->minimum)
        return train_to_minimum(o, problem, y, subset, n, t, err);
    if (online_grow(o, problem->d, err) != 0)
        return -1;
    if (t->shuffle && !(order = memory_new(n, sizeof *order, err)))
        return -1;
    int status = 0;
    for (int64_t pass = 1; pass <= t->passes && status == 0; pass++) {
        struct online_counts before = online_counts(o);
        if (order) {
            for (int64_t i = 0; i < n; i++)
                order[i] = subset ? subset[i] : i;
            struct random g = random_seeded((uint64_t)t->seed, 1 + (uint64_t)before.rounds);
            random_shuffle(&g, order, n);
        }
        const int64_t *use = order ? order : subset;
        for (int64_t i = 0; i < n && status == 0; i++) {
            int64_t e = use ? use[i] : i;
            if (order && i + AHEAD < n)
                problem_prefetch(problem, order[i + AHEAD]);
            struct example x = problem_example(problem, e);
            status = online_learn(o, &x, y[e], err);
            if (t->progress && i % LOOK_EVERY == 0)
                progress_update(t->progress, (pass - 1) * n + i,
                                (double)((pass - 1) * n + i) / ((double)n * (double)t->passes));
        }
        if (status == 0)
            finish_pass(t, o, pass, before);
    }
    memory_free(order);
    return status;
}

int online_train_stream(struct online *o, const char *path, const struct example_format *format,
                        int threads, const struct online_training *t, struct error *err)
{
    struct stream_options options = {.format = *format, .threads = threads};
    int64_t done = 0;
    for (int64_t pass = 1; pass <= t->passes; pass++) {
        struct online_counts before = online_counts(o);
        struct stream *stream = stream_open(path, &options, err);
        if (!stream)
            return -1;
        struct chunk *chunk;
        int status;
        while ((status = stream_next(stream, &chunk, err)) > 0) {
            for (int64_t i = 0; i < chunk->problem.n; i++) {
                struct example x = problem_example(&chunk->problem, i);
                int64_t y = labels_require(online_labels(o), x.label, NULL, x.line, err);
                if (y < 0 || online_learn(o, &x, (int32_t)y, err) != 0) {
                    status = -1;
                    if (err)
                        snprintf(err->file, sizeof err->file, "%s", stream_name(stream));
                    break;
                }
            }
            if (status < 0)
                break;
            done += chunk->problem.n;
            double part = stream_size(stream) > 0
                              ? (double)stream_position(stream) / (double)stream_size(stream)
                              : -1;
            if (t->progress)
                progress_update(t->progress, done,
                                part < 0 ? -1 : ((double)(pass - 1) + part) / (double)t->passes);
        }
        stream_close(stream);
        if (status < 0)
            return -1;
        finish_pass(t, o, pass, before);
    }
    return 0;
}

struct validation {
    const struct online_options *options;
    const struct labels *labels;
    const struct problem *problem;
    const int32_t *y;
    const int64_t *fold;
    struct online_training training;
    pthread_mutex_t lock;
    int64_t correct;
    int64_t failed; /* the first fold that failed, -1: none */
    struct error *err;
};

static void validate_fold(void *context, int64_t f)
{
    struct validation *v = context;
    const struct problem *p = v->problem;
    struct error err = {0};
    struct weights w = {0};
    double *scores = NULL;
    int64_t trained = 0, correct = 0;
    int status = -1;
    struct online *o = online_new(v->options, v->labels, &err);
    int64_t *subset = o ? memory_new(p->n, sizeof *subset, &err) : NULL;
    if (!subset)
        goto done;
    for (int64_t i = 0; i < p->n; i++)
        if (v->fold[i] != f)
            subset[trained++] = i;
    if (online_train_problem(o, p, v->y, subset, trained, &v->training, &err) != 0
        || online_weights(o, &w, &err) != 0
        || !(scores = memory_new(w.stride, sizeof *scores, &err)))
        goto done;
    for (int64_t i = 0; i < p->n; i++)
        if (v->fold[i] == f) {
            struct example x = problem_example(p, i);
            weights_scores(&w, &x, scores);
            int64_t k = predict_position(scores, v->labels->count);
            correct += v->y[i] == (v->labels->count == 2 ? 1 - k : k);
        }
    status = 0;
done:
    pthread_mutex_lock(&v->lock);
    v->correct += correct;
    if (status != 0 && (v->failed < 0 || f < v->failed)) {
        v->failed = f;
        if (v->err)
            *v->err = err;
    }
    pthread_mutex_unlock(&v->lock);
    memory_free(scores);
    memory_free(subset);
    weights_free(&w);
    online_free(o);
}

int online_cross_validate(const struct online_options *options, const struct labels *labels,
                          const struct problem *problem, const int32_t *y, int64_t folds,
                          int threads, const struct online_training *training, int64_t *correct,
                          struct error *err)
{
    int64_t *fold = memory_new(problem->n, sizeof *fold, err);
    if (!fold)
        return -1;
    if (folds_assign(y, problem->n, labels->count, folds, training->seed, fold, err) != 0) {
        memory_free(fold);
        return -1;
    }
    struct validation v = {.options = options,
                           .labels = labels,
                           .problem = problem,
                           .y = y,
                           .fold = fold,
                           .training = *training,
                           .failed = -1,
                           .err = err};
    v.training.report = NULL;
    v.training.report_minimum = NULL;
    v.training.threads = 1;
    v.training.progress = NULL;
    pthread_mutex_init(&v.lock, NULL);
    parallel_for(threads, folds, validate_fold, &v);
    pthread_mutex_destroy(&v.lock);
    memory_free(fold);
    *correct = v.correct;
    return v.failed < 0 ? 0 : -1;
}
