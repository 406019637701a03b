/* Passes of an online learner over data: in memory, streamed, and in cross-validation. */
#ifndef LEARNERS_ONLINE_ONLINE_TRAIN_H
#define LEARNERS_ONLINE_ONLINE_TRAIN_H

#include "common/base/progress.h"
#include "common/data/problem.h"
#include "common/linalg/lbfgs.h"
#include "learners/online/online.h"

struct online_training {
    int64_t passes;
    bool shuffle; /* a new order before each pass, from the seed and the number of rounds so far;
                     else file order */
    int64_t seed;
    bool minimum; /* forward, data in memory: not passes, but to the minimum of the loss
                     (forward_minimum.h) from the weights that there are; */
    int threads;  /* on so many */
    struct progress *progress; /* may be NULL */
    /* Called after each pass with the counts of that pass; may be NULL. */
    void (*report)(void *context, int64_t pass, struct online_counts counts);
    void (*report_minimum)(void *context,
                           const struct lbfgs_result *result); /* the same of a minimum */
    void *context;
};

/* Learn from examples of a problem: those of `subset` (n indices), or all (NULL, n = problem->n).
 * y: classes of all examples.  0, or -1 with err (line set). */
int online_train_problem(struct online *o, const struct problem *problem, const int32_t *y,
                         const int64_t *subset, int64_t n, const struct online_training *training,
                         struct error *err);

/* Learn from a file in file order without holding it, opening it again for every pass.  A label
 * that is no class is an error. */
int online_train_stream(struct online *o, const char *path, const struct example_format *format,
                        int threads, const struct online_training *training, struct error *err);

/* n-fold stratified cross-validation, folds on `threads` threads: how many examples are predicted
 * right. */
int online_cross_validate(const struct online_options *options, const struct labels *labels,
                          const struct problem *problem, const int32_t *y, int64_t folds,
                          int threads, const struct online_training *training, int64_t *correct,
                          struct error *err);

#endif
