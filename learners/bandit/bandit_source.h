/* Where the examples of a bandit's rounds come from: data in memory, or a file that is streamed; in
 * file order, again from the start when it ends before the rounds do, or at random. */
#ifndef LEARNERS_BANDIT_BANDIT_SOURCE_H
#define LEARNERS_BANDIT_BANDIT_SOURCE_H

#include "common/base/milestones.h"
#include "common/base/progress.h"
#include "common/data/problem.h"

struct bandit_source {
    const struct problem *held;   /* the examples; NULL: they are streamed from path */
    const char *path;             /* a file or a pipe, read in chunks ahead of the learner */
    struct example_format format; /* of the lines of path */
    int threads;                  /* that read path */
    int64_t rounds;               /* 0: one pass.  More than one pass needs a regular file */
    bool random_order;            /* each round an example at random, with replacement; held only */
    int64_t seed;                 /* of the random order */
    int64_t drawn;                /* rounds of the random order that were drawn before this run */
    struct progress *progress;    /* may be NULL */
    struct milestones *milestones; /* may be NULL; one that is stopped ends the rounds with 0 */
};

/* Call round(context, x) for every round.  0, or -1 with err as soon as one of them, or reading,
 * fails (the place set). */
int bandit_source_run(const struct bandit_source *source,
                      int (*round)(void *context, const struct example *x, struct error *err),
                      void *context, struct error *err);

#endif
