/* A run of an online learner over a file: whether to hold it, its classes, memory, cross-validation
 * or training.  What arow-train, and uma-train with `forward`, do between their options and the
 * model file. */
#ifndef LEARNERS_ONLINE_ONLINE_RUN_H
#define LEARNERS_ONLINE_ONLINE_RUN_H

#include "learners/online/online_train.h"

#include <stdio.h>

struct online_run {
    const char *program; /* for notes */
    const char *data;    /* "-": standard input */
    struct online_options learner;
    struct example_format format;
    struct labels labels;  /* of the user or of the model gone on from; else count 0, and found in
                              the data.  Owned */
    struct online *online; /* the learner gone on from; NULL: one is made.  Owned */
    int64_t passes, folds; /* folds 0: train */
    bool stream, no_shuffle;
    bool minimum; /* forward: held data are learnt to the minimum of the loss, not in passes */
    int64_t seed;
    int threads;
    FILE *info, *notes, *result; /* where the report, notes, and the accuracy of cross-validation
                                    go; NULL: nowhere */
    struct progress progress;
    /* Called when the classes are known, before a learner is made; may be NULL.  problem, y: the
     * data, NULL when they are streamed.  0 or -1. */
    int (*prepare)(void *context, struct online_run *run, const struct problem *problem,
                   const int32_t *y, struct error *err);
    bool hold; /* prepare needs the data */
    void *context;
};

/* Train run->online, or say `Cross Validation Accuracy = ...` (folds > 0).  A regular file that
 * fits is held and shuffled before each pass; else it is streamed in file order.  0, or -1 with
 * err. */
int online_run(struct online_run *run, struct error *err);

void online_run_free(struct online_run *run);

#endif
