/* How a trainer of one example at a time gets its examples: held in memory, or streamed.
 *
 * A regular file that fits is held; a pipe (unless its classes are known and one pass is asked
 * for) is held, too, as it cannot be read again; anything else is streamed in file order. */
#ifndef COMMON_PROGRAM_PASS_TRAINER_H
#define COMMON_PROGRAM_PASS_TRAINER_H

#include "common/data/problem.h"
#include "common/linear/cross_validation.h"
#include "common/linear/passes.h"
#include "common/program/trainer.h"

struct pass_trainer {
    int64_t passes;
    bool stream;     /* never hold the data */
    bool hold;       /* something needs the data as a whole */
    bool no_shuffle; /* file order in every pass */

    /* Bytes of the model for K classes, d features; nnz: of held data, else 0. */
    double (*bytes)(const struct trainer *t, int64_t classes, int64_t d, int64_t nnz);
    /* Learn from held data; y: their classes.  t->labels are set.  0 or -1. */
    int (*train_held)(struct trainer *t, const struct problem *problem, const int32_t *y,
                      struct error *err);
    /* Learn from t->data as a stream.  0 or -1. */
    int (*train_streamed)(struct trainer *t, struct error *err);
};

/* Options that such trainers share. */
/* clang-format off */
#define PASS_TRAINER_ROWS(t, p) \
    {ROW_INPUT('m', "model", &(t)->resume_given, "model"), \
     .help = "continue training from this model, with its options"}, \
    {ROW_FLAG(0, "no-shuffle", &(p)->no_shuffle), \
     .help = "file order in every pass (a pipe is never shuffled)"}, \
    {ROW_FLAG(0, "stream", &(p)->stream), \
     .help = "do not hold the data in memory: file order, constant memory"}
/* clang-format on */
#define PASS_TRAINER_CLASHES                                    \
    {"folds", "stream", "holds the data and starts afresh"},    \
        {"folds", "model", "holds the data and starts afresh"}, \
    {                                                           \
        "folds", TRAINER_MODEL, "writes no model"               \
    }

/* The check that belongs to them. */
int pass_trainer_check(const struct trainer *t, const struct pass_trainer *p, struct error *err);

/* Find the classes, say what memory it takes, and train; or with -v have train_held validate. */
int pass_trainer_run(struct trainer *t, const struct pass_trainer *p, struct error *err);

/* Passes over the data that report to t; shuffled where the data are held and a regular file. */
struct passes pass_trainer_passes(struct trainer *t, const struct pass_trainer *p, bool held);

/* What training on all folds but one needs. */
struct pass_fold {
    const struct trainer *trainer;
    const struct problem *problem;
    const int32_t *y;
    struct passes passes; /* without reports */
};

/* -v: cross-validation of held data, and `Cross Validation Accuracy = ...` on standard output, even
 * with -q.  fit: its context is a const struct pass_fold.  0 or -1. */
int pass_trainer_validate(struct trainer *t, const struct pass_trainer *p,
                          const struct problem *problem, const int32_t *y, validate_fit *fit,
                          struct error *err);

#endif
