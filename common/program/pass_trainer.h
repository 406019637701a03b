/* How a trainer that learns from one example at a time gets its examples: from memory or a stream.
 *
 * A regular file is held in memory if it fits; if not, its entries go to disk where the trainer can
 * learn from there, else it is streamed.  A pipe is streamed if its classes are known and one pass
 * is made; otherwise it is held.  Streams are read in file order. */
#ifndef COMMON_PROGRAM_PASS_TRAINER_H
#define COMMON_PROGRAM_PASS_TRAINER_H

#include "common/data/problem.h"
#include "common/linear/cross_validation.h"
#include "common/linear/passes.h"
#include "common/program/trainer.h"

struct pass_trainer {
    int64_t passes;
    bool stream;            /* never hold the data */
    const char *hold;       /* an option that needs the data in memory, and may not fall back to
                               streaming; NULL: none */
    bool no_shuffle;        /* file order in every pass */
    bool to_disk;           /* train_held can learn from data on disk (rows.h): data that do not fit
                               in memory go there */
    bool numbers;           /* train_held gets examples whose features are numbered by
                               trainer_number */
    const char *disk_given; /* --disk: all data go into this folder; NULL: not given */

    /* Bytes of the model for K classes and d features.  problem: data in memory, else NULL: then,
     * with `numbers`, of the model that is written. */
    double (*bytes)(const struct trainer *t, int64_t classes, int64_t d,
                    const struct problem *problem);
    /* Bytes that learning from data in memory takes at most: if they do not fit, the data go to
     * disk. NULL: as `bytes`. */
    double (*most_bytes)(const struct trainer *t, int64_t classes, const struct problem *problem);
    /* Learn from data in memory, or on disk; y: their classes.  t->labels are set.  0 or -1. */
    int (*train_held)(struct trainer *t, const struct problem *problem, const int32_t *y,
                      struct error *err);
    /* Learn from t->data as a stream.  0 or -1. */
    int (*train_streamed)(struct trainer *t, struct error *err);
};

/* Options that such trainers share. */
/* clang-format off */
#define PASS_TRAINER_ROWS(t, p) \
    TRAINER_WEIGHTS_ROW(t), \
    TRAINER_RESUME_ROWS(t), \
    {ROW_FLAG(0, "no-shuffle", &(p)->no_shuffle), \
     .help = "file order in every pass (a pipe is never shuffled)"}, \
    {ROW_FLAG(0, "stream", &(p)->stream), \
     .help = "do not hold the data in memory: file order, constant memory"}
#define PASS_TRAINER_CLASHES \
    {"folds", "stream", "holds the data and starts afresh"}, \
    {"folds", "model", "holds the data and starts afresh"}, \
    {"folds", "final", "writes no model"}, \
    {"folds", OPTION_MODEL, "writes no model"}, \
    {"save-every", "folds", "saves a model"}, \
    TRAINER_WEIGHTS_CLASH, \
    TRAINER_GROUPS_CLASH
/* clang-format on */

/* What these options together rule out; for the hook `check`. */
int pass_trainer_check(const struct trainer *t, const struct pass_trainer *p, struct error *err);

/* Find the classes, report the memory needed, and train; with -v train_held cross-validates. */
int pass_trainer_run(struct trainer *t, const struct pass_trainer *p, struct error *err);

/* Learn from data in memory, or from t->data as a stream; as t->milestones say after trainer_watch,
 * which is called here.  A warning where examples learnt from in file order come class by class.  0
 * or -1. */
int pass_trainer_over_problem(struct trainer *t, const struct pass_trainer *p,
                              const struct round_learner *learner, const struct problem *problem,
                              const int32_t *y, struct error *err);
int pass_trainer_over_stream(struct trainer *t, const struct pass_trainer *p,
                             const struct round_learner *learner, struct error *err);

/* Passes over all folds of -v but one: without reports.  The same warning, for all n examples, of
 * classes y. */
struct passes pass_trainer_fold_passes(struct trainer *t, const struct pass_trainer *p,
                                       const int32_t *y, int64_t n);

/* The context of `fit` in cross-validation. */
struct pass_fold {
    const struct trainer *trainer;
    const struct problem *problem;
    const int32_t *y;
    struct passes passes; /* pass_trainer_fold_passes */
};

/* -v: cross-validate on data in memory, and print `Cross Validation Accuracy = ...` to standard
 * output, even with -q.  fit: its context is a const struct pass_fold.  0 or -1. */
int pass_trainer_validate(struct trainer *t, const struct pass_trainer *p,
                          const struct problem *problem, const int32_t *y, cross_validate_fit *fit,
                          struct error *err);

#endif
