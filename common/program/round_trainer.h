/* How a trainer that learns in rounds gets its examples: from memory or a stream.
 *
 *   one pass, regular file   streamed, after a scan for what must be known before the first round
 *   one pass, pipe           streamed, if nothing has to be found first; otherwise held
 *   more than one            held; a regular file that does not fit is streamed, but not at random
 *
 * A map that is to be fitted (feature_map.h) needs a regular file in memory, too.  pass_trainer.h
 * is for learners that make whole passes. */
#ifndef COMMON_PROGRAM_ROUND_TRAINER_H
#define COMMON_PROGRAM_ROUND_TRAINER_H

#include "common/data/problem.h"
#include "common/program/trainer.h"

struct round_trainer {
    /* Set by the program. */
    int64_t rounds;          /* the data are repeated as needed; 0: one pass */
    bool random_order;       /* each round an example at random */
    bool holds_out;          /* rounds at the end are held out: they are counted before the first */
    bool log, no_propensity; /* of the lines (struct example_format) */

    /* Bytes of the learner for K classes and d features. */
    double (*bytes)(const struct trainer *t, int64_t classes, int64_t d);
    /* Report the memory needed, as t->labels are known.  data: bytes of the data in memory; 0: they
     * are streamed, and d is trainer_stated_features. */
    void (*say_memory)(struct trainer *t, double data, int64_t d);

    /* Set by round_trainer_open. */
    struct example_format format; /* of t->data, if it is streamed */
    struct problem problem;       /* the examples, if they are held */
    bool held;
    int64_t n; /* rounds in one pass; 0: not known */
};

/* Hold the data or see that they can be streamed, find the classes, and report the memory needed; a
 * stream is yet to be opened.  0, or -1 with err.  Free r->problem with problem_free either way. */
int round_trainer_open(struct trainer *t, struct round_trainer *r, struct error *err);

#endif
