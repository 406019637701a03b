/* Passes over data, in memory or streamed, for learners that take one example at a time. */
#ifndef COMMON_LINEAR_PASSES_H
#define COMMON_LINEAR_PASSES_H

#include "common/base/error.h"
#include "common/base/milestones.h"
#include "common/base/progress.h"
#include "common/data/labels.h"
#include "common/data/problem.h"

#include <stdbool.h>
#include <stdint.h>

/* What a learner has done: rounds, predictions that were wrong before the update, rounds that
 * changed the weights. */
struct round_counts {
    int64_t rounds, mistakes, updates;
};

static inline struct round_counts round_counts_plus(struct round_counts a, struct round_counts b)
{
    return (struct round_counts){a.rounds + b.rounds, a.mistakes + b.mistakes,
                                 a.updates + b.updates};
}

static inline struct round_counts round_counts_minus(struct round_counts a, struct round_counts b)
{
    return (struct round_counts){a.rounds - b.rounds, a.mistakes - b.mistakes,
                                 a.updates - b.updates};
}

/* In which order classes came: examples learnt from, and runs of one class among them.  Starts as
 * {0}. */
struct class_runs {
    int64_t examples, runs;
    int32_t last;
};

static inline void class_runs_add(struct class_runs *r, int32_t y)
{
    r->runs += r->examples == 0 || y != r->last;
    r->examples++;
    r->last = y;
}

/* A learner that takes one example at a time. */
struct round_learner {
    void *learner;
    /* Make space for features up to d. */
    int (*grow)(void *learner, int64_t d, struct error *err);
    /* One round: example x of class y = 0 .. K-1 and a weight > 0.  0, or -1 with err (line of
     * x). */
    int (*learn)(void *learner, const struct example *x, int32_t y, double weight,
                 struct error *err);
    struct round_counts (*counts)(const void *learner);
    /* After each pass over a problem: make one learner of those of all ranks (reduce.h).  NULL: it
     * knows one rank only.  0 or -1. */
    int (*join)(void *learner, struct error *err);
};

struct passes {
    int64_t count;
    bool shuffle; /* a new random order of the examples learnt from before each pass, by the seed
                     and the number of rounds so far; else file order */
    int64_t seed;
    const double *weight;      /* of all examples of a problem, > 0; NULL: 1 */
    const char *weights_file;  /* with those of a stream; NULL: 1.  Examples of weight 0 are left
                                  out */
    struct class_runs *runs;   /* out: of the first pass; may be NULL */
    struct progress *progress; /* may be NULL */
    struct milestones *milestones; /* may be NULL; one that is stopped ends the passes with 0 */
    /* Called after each pass with the counts of that pass; may be NULL. */
    void (*report)(void *context, int64_t pass, struct round_counts counts);
    void *context;
};

/* Learn from examples of a problem: those of `subset` (n indices), or all (NULL, n = problem->n).
 * y: classes of all examples.  0, or -1 with err (line set). */
int passes_over_problem(const struct round_learner *learner, const struct problem *problem,
                        const int32_t *y, const int64_t *subset, int64_t n,
                        const struct passes *passes, struct error *err);

/* Learn from a file in file order without holding it in memory, opened again for every pass.  A
 * label that is not in `labels` is an error.  threads: for reading.  0, or -1 with FILE:LINE. */
int passes_over_stream(const struct round_learner *learner, const struct labels *labels,
                       const char *path, const struct example_format *format, int threads,
                       const struct passes *passes, struct error *err);

#endif
