/* A live loop over a pipe: questions come in, labels go out, answers come in when they come.
 *
 *     in  `? index:value ...`      out `label p`
 *         in  `1`, `0`, or `-`: no answer will come
 *     in  `?id index:value ...`    out `id label p`
 *         in, at any time, `!id 1`, `!id 0`, `!id -`
 *     in  `.`: the end, as is the end of input;  empty lines and lines that start with `#` are
 *         skipped
 *
 * A question without an id is closed by the next of its kind.  The step uses the p with which the
 * label was shown and the scores of the weights as they are when the answer comes.  A line that is
 * none of these, an answer to a question that is not open, an example that the weights cannot bear:
 * the line is refused, and nothing is learnt.  A question that is refused still closes the one
 * whose place it would have taken, so that no later answer is taken for that one's.  All that can
 * be answered is answered before more input is waited for, so a peer may ask one question at a time
 * or a thousand. */
#ifndef LEARNERS_BANDIT_BANDIT_LIVE_H
#define LEARNERS_BANDIT_BANDIT_LIVE_H

#include "learners/bandit/bandit.h"

struct bandit_live {
    int in, out;                    /* file descriptors */
    const char *in_name, *out_name; /* for messages */
    int stop;   /* when this descriptor can be read from, it is time to stop; -1: there is none */
    int record; /* answered rounds are written here as a bandit log; -1: nowhere */
    const char *record_name;
    struct example_format format; /* bias, unit_length and zero_based count */
    int64_t most_features; /* a line with a larger index is refused: one line shall not make the
                              model take all memory */
    int64_t most_open;   /* rounds with an id whose answer is waited for; beyond that, or beyond an
                            eighth of the memory, the oldest is forgotten */
    int64_t seed, drawn; /* of the choices (the same ones as in bandit_simulate); questions before,
                            when it goes on from a model */
    void (*refuse)(void *context,
                   const struct error *why); /* called for every line that is refused */
    void *context;
};

struct bandit_live_counts {
    int64_t questions, answers, right; /* learnt from; with f = 1 */
    int64_t refused, forgotten; /* lines; rounds that were open when the table was full, or whose id
                                   was used again */
};

/* Open a bandit log, to append to it.  A last line that was cut off, because its writer was killed,
 * is ended, so that no record is glued to it: *mended.  Returns the file descriptor, or -1 with
 * err. */
int bandit_live_open_record(const char *path, bool *mended, struct error *err);

/* Close it when what was appended is on the disk.  0 or -1. */
int bandit_live_close_record(int fd, const char *path, struct error *err);

/* Serve until the input ends or `stop`.  counts: out.  0, or -1 with err: reading or writing
 * failed, the learner is whole all the same. */
int bandit_live_run(struct bandit *b, const struct bandit_live *live,
                    struct bandit_live_counts *counts, struct error *err);

#endif
