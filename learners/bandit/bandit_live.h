/* A live loop over a pipe: questions come in, labels go out, feedback comes in when it comes.
 *
 *     in   ? index:value ...         a question               out   label propensity
 *     in   1                         feedback to it: 1, 0, or - (there will be none)
 *
 *     in   ?id index:value ...       one with an id           out   id label propensity
 *     in   !id 1                     feedback to it, at any time
 *
 *     in   .                         the end, as is the end of input
 *
 * Empty lines and lines that start with `#` are skipped.  A question without an id is closed by the
 * next one without; one with an id by the next with the same id.  A round is learnt from with the
 * propensity that its label was shown with, and with the scores of the weights as they are when the
 * feedback comes.
 *
 * A line that is none of these, feedback to a question that is not open, or an example that the
 * weights cannot bear is refused, and nothing is learnt from it.  A question that is refused still
 * closes the one whose place it would have taken, so that later feedback is not taken for that
 * one's; `?1:2`, where a blank is missing, closes the one without an id.  All questions that were
 * read are replied to before more input is waited for, so a peer may ask one at a time or a
 * thousand. */
#ifndef LEARNERS_BANDIT_BANDIT_LIVE_H
#define LEARNERS_BANDIT_BANDIT_LIVE_H

#include "common/base/milestones.h"
#include "common/kernel/feature_map.h"
#include "learners/bandit/bandit.h"

struct bandit_live {
    int in, out;                    /* file descriptors */
    const char *in_name, *out_name; /* for messages */
    int stop;                       /* once this descriptor is readable, stop; -1: there is none */
    int record;                     /* rounds with feedback go here as a bandit log; -1: nowhere */
    const char *record_name;
    struct example_format format;  /* bias, unit_length and zero_based count */
    int64_t most_features;         /* larger indices are refused: one line must not use up memory */
    int64_t most_open;             /* questions with an id that may wait for feedback; beyond that,
                                      or beyond an eighth of the memory, the oldest is forgotten */
    int64_t seed;                  /* of the choices: those of bandit_simulate */
    int64_t drawn;                 /* questions before, when it goes on from a model */
    struct milestones *milestones; /* told of every round that is learnt from; NULL: none */
    void (*refuse)(void *context, const struct error *why); /* called for every refused line */
    void *context;
};

struct bandit_live_counts {
    int64_t questions;
    int64_t learnt, right; /* rounds with feedback; with f = 1 */
    int64_t refused;       /* lines */
    int64_t forgotten;     /* questions with an id that were open when the table was full, or whose
                              id was used again */
};

/* The most features of a question for a caller who sets no bound: as many as fit in 1/32 of the
 * memory, or those of b if these are more.  map: what questions go through, whose tables then grow;
 * NULL: b itself grows. */
int64_t bandit_live_most_features(const struct bandit *b, const struct feature_map *map);

/* Open the file or named pipe that questions come from ("-": standard input).  One that a signal
 * stops while it waits for its writer is empty.  Returns the file descriptor, which stays open
 * until the process ends, or -1 with err. */
int bandit_live_open_questions(const char *path, struct error *err);

/* What a record ended with that was opened: whole lines; a line that was cut; nothing else. */
enum bandit_live_mended { BANDIT_LIVE_WHOLE, BANDIT_LIVE_ENDED, BANDIT_LIVE_DROPPED };

/* Open a bandit log, to append to it.  A file that is none, or whose first label is not among
 * these, is refused: a wrong name must not spoil a model or a data set.  A last line that was cut
 * off, because its writer was killed, is ended, so that no record is glued to it; a file that is no
 * more than the beginning of a record, which no reader would take, is emptied.  zero_based: as the
 * questions; mended: out.  Returns the file descriptor, or -1 with err. */
int bandit_live_open_record(const char *path, const struct labels *labels, bool zero_based,
                            enum bandit_live_mended *mended, struct error *err);

/* Close it when what was appended is on the disk.  0 or -1. */
int bandit_live_close_record(int fd, const char *path, struct error *err);

/* Serve until the input ends or `stop`.  counts: out; up to date whenever a milestone is reached.
 * 0, or -1 with err: reading or writing failed; what was learnt until then stands. */
int bandit_live_run(struct bandit *b, const struct bandit_live *live,
                    struct bandit_live_counts *counts, struct error *err);

#endif
