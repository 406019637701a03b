/* What is read only once is not held, so that a log may be longer than memory.  What has to be
 * known before the first round, the classes and perhaps the number of rounds, takes a scan of the
 * file. */
#include "common/program/round_trainer.h"

#include "common/base/input.h"
#include "common/base/memory.h"
#include "common/data/problem_file.h"
#include "common/program/trainer_map.h"

/* The format, with what is known of the lines of a log. */
static struct example_format round_trainer_format(const struct round_trainer *r,
                                                  struct example_format format)
{
    format.log = r->log;
    format.no_propensity = r->no_propensity;
    return format;
}

/* Read the data into memory, and find the classes if not known.  0, -1, or PROBLEM_TOO_LARGE. */
static int round_trainer_hold(struct trainer *t, struct round_trainer *r, struct error *err)
{
    struct problem *problem = &r->problem;
    const struct example_format format = round_trainer_format(r, trainer_format_unmapped(t));
    int status = problem_read(t->data, &format, (int)t->threads, trainer_data_bytes(t), problem,
                              err);
    if (status != 0)
        return status;
    trainer_note_sizes(t, problem);
    if (trainer_map_held(t, problem, err) != 0)
        return -1;
    r->held = true;
    r->n = problem->n;
    if (t->labels.count == 0 && problem_labels(problem, &t->labels, err) != 0)
        return -1;
    const double bytes = problem_bytes_held(problem);
    trainer_report_data(t, problem->n, problem->d);
    r->say_memory(t, bytes, problem->d);
    return memory_check(bytes + r->bytes(t, t->labels.count, problem->d), "the data and the model",
                        err);
}

/* Before streaming, scan the data for what must be known: the classes, and for --hold-out the
 * number of rounds. */
static int round_trainer_stream(struct trainer *t, struct round_trainer *r, struct error *err)
{
    struct labels found = {0};
    if (trainer_map_streamed(t, err) != 0)
        return -1;
    if ((t->labels.count == 0 || r->holds_out)
        && problem_scan(t->data, &r->format, (int)t->threads, &found, &r->n, err) != 0)
        return -1;
    if (t->labels.count == 0)
        t->labels = found;
    else
        labels_free(&found);
    report_labels(t->report, t->labels.value, t->labels.count);
    r->say_memory(t, 0, trainer_stated_features(t));
    return 0;
}

/* The data do not fit in memory: stream them, unless an option or a pipe forbids it.
 * one_pass: neither -i nor --random-order needs more than one. */
static int round_trainer_stream_large(struct trainer *t, struct round_trainer *r, bool one_pass,
                                      struct error *err)
{
    if (!input_is_file(t->data))
        return trainer_refuse_pipe(t,
                                   one_pass && !r->holds_out
                                       ? "when --labels names the classes"
                                       : "when --labels names the classes, without -i, "
                                         "--random-order and --hold-out",
                                   err);
    if (r->random_order)
        return error_set(err, "it does not fit in memory, where --random-order needs it: shuffle "
                              "the lines (shuf) instead");
    trainer_note(t, "%s does not fit in memory; it is streamed", t->data);
    return round_trainer_stream(t, r, err);
}

int round_trainer_open(struct trainer *t, struct round_trainer *r, struct error *err)
{
    const bool is_file = input_is_file(t->data), known = t->labels.count > 0;
    /* A map that is fitted needs a file in memory. */
    const bool one_pass = r->rounds == 0 && !r->random_order
                          && !(is_file && feature_map_needs_data(&t->map));
    r->format = round_trainer_format(r, trainer_format(t));
    /* A pipe cannot be scanned for its classes and the number of its rounds. */
    if (one_pass && (is_file || (known && !r->holds_out)))
        return round_trainer_stream(t, r, err);
    if (one_pass && known)
        trainer_note(t,
                     "the log is held in memory, for --hold-out; with --hold-out 0 it is streamed");
    const int status = round_trainer_hold(t, r, err);
    return status == PROBLEM_TOO_LARGE ? round_trainer_stream_large(t, r, one_pass, err) : status;
}
