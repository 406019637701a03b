/* What happens to a model before training ends: --save-every, the progress of a stream, a signal.
 */
#include "common/base/number.h"
#include "common/base/output.h"
#include "common/program/program.h"
#include "common/program/trainer_state.h"

#include <string.h>

/* What the progress line counts, whose name ends in s: `2 rounds`, `1 round`. */
static char *trainer_counted(const struct trainer *t, int64_t count, char out[NUMBER_COUNTED])
{
    char one[32];
    snprintf(one, sizeof one, "%.*s", (int)strlen(t->progress.items) - 1, t->progress.items);
    return number_counted(count, one, out);
}

/* --save-every.  Learning goes on where this fails: the next time there may be space again. */
static void trainer_save_on_the_way(void *context)
{
    struct trainer *t = context;
    struct error why = {0};
    if (t->save(t, &why) == 0)
        return;
    progress_wipe(&t->progress);
    error_name(&why, t->model);
    char items[NUMBER_COUNTED];
    trainer_warn(t, "after %s the model could not be saved: %s: %s",
                 trainer_counted(t, t->milestones.done, items), why.file, why.message);
}

static void trainer_tell_milestone(void *context, int64_t done)
{
    const struct trainer *t = context;
    const int64_t wrong = t->mistakes(t) - t->had_mistakes;
    char items[NUMBER_COUNTED], mistakes[NUMBER_COUNTED];
    fprintf(stderr, "%s: %s, %s (%.4g%%)\n", t->program.name, trainer_counted(t, done, items),
            number_counted(wrong, "mistake", mistakes), 100 * (double)wrong / (double)done);
}

int trainer_watch(struct trainer *t, enum trainer_source source, struct error *err)
{
    /* Those that are not held are opened later, and may be a named pipe. */
    const struct stop *stop = program_catch_stops(source != TRAINER_HELD, err);
    if (!stop)
        return -1;
    const bool tells = source == TRAINER_STREAM && !t->quiet && !t->progress.shown;
    t->milestones = (struct milestones){.stop = stop,
                                        .save_every = t->save_every,
                                        .save = trainer_save_on_the_way,
                                        .tell = tells ? trainer_tell_milestone : NULL,
                                        .context = t};
    t->had_mistakes = t->mistakes(t);
    return 0;
}

bool trainer_learnt_nothing(const struct trainer *t)
{
    return t->milestones.stopped && t->milestones.done == 0;
}

int trainer_save(struct trainer *t, struct error *err)
{
    if (t->saved || trainer_learnt_nothing(t))
        return 0;
    t->saved = t->save(t, err) == 0;
    return t->saved ? 0 : -1;
}

void trainer_report_signal(const struct trainer *t)
{
    if (!t->milestones.stopped)
        return;
    report_text(t->report, REPORT_STOPPED_BY, program_signal_name(t->milestones.stop->signal));
    report_count(t->report, REPORT_STOPPED_AFTER, t->milestones.done);
}

int trainer_report_stop(const struct trainer *t)
{
    const int number = t->milestones.stop->signal;
    const char *program = t->program.name, *signal = program_signal_name(number);
    char model[512], shown[ERROR_ESCAPED(sizeof model)], items[NUMBER_COUNTED];
    snprintf(model, sizeof model, "%s", output_name(t->model));
    error_escape(model, shown);
    if (trainer_learnt_nothing(t))
        fprintf(stderr, "%s: stopped by %s before the first example: no model is written\n",
                program, signal);
    else
        fprintf(stderr,
                "%s: stopped by %s after %s: the model with what was learnt until then is saved in "
                "%s\n",
                program, signal, trainer_counted(t, t->milestones.done, items), shown);
    return 128 + number;
}
