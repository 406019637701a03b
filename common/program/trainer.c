/* The steps listed in trainer.h, in their order. */
#include "common/base/input.h"
#include "common/base/memory.h"
#include "common/base/output.h"
#include "common/base/parallel.h"
#include "common/base/reduce.h"
#include "common/program/program.h"
#include "common/program/run_report.h"
#include "common/program/trainer_state.h"

#include <string.h>

struct trainer trainer_start(void)
{
    return (struct trainer){.threads = parallel_processors()};
}

bool trainer_given(const struct trainer *t, const char *option)
{
    return options_find(&t->program, option)->given;
}

/* ---- outputs ---- */

/* The file that an option names for output; NULL: none. */
static const char *trainer_output(const struct option *o)
{
    return o->file == OPTION_WRITES ? *(const char *const *)o->value : NULL;
}

static int trainer_try_outputs(const struct trainer *t, struct error *err)
{
    if (t->model && output_check(t->model, err) != 0)
        return -1;
    for (int i = 0; i < t->program.count; i++) {
        const char *path = trainer_output(&t->program.options[i]);
        if (path && output_check(path, err) != 0)
            return -1;
    }
    return 0;
}

static FILE *trainer_choose_results(const struct trainer *t)
{
    if (t->stdout_taken || (t->model && strcmp(t->model, "-") == 0))
        return stderr;
    for (int i = 0; i < t->program.count; i++) {
        const char *path = trainer_output(&t->program.options[i]);
        if (path && strcmp(path, "-") == 0)
            return stderr;
    }
    return stdout;
}

/* ---- the whole ---- */

/* Ignored options are reported: those without a meaning for the learner. */
static void trainer_note_unused(const struct trainer *t)
{
    for (int i = 0; i < t->program.count; i++) {
        const struct option *o = &t->program.options[i];
        char why_not[TRAINER_WHY_NOT];
        if (o->given && t->uses && !t->uses(t, o->name, why_not))
            trainer_note(t, "--%s has no meaning %s", o->name, why_not);
    }
}

/* Why a signal that is not caught leaves no model: before `trainer_watch`, or without it. */
static const char *trainer_why_unsaved(const struct trainer *t)
{
    if (t->folds != 0)
        return "the cross-validation is not finished";
    if (t->iterative)
        return "no model is written, as there is none before training ends";
    return "no model is written, as nothing was learnt yet";
}

/* Learn and save.  The report and `also` are written, and have only to be renamed, before the model
 * appears: where one cannot be written, there is none of them. */
static int trainer_learn(struct trainer *t, struct error *err)
{
    if (reduce_agree(trainer_try_outputs(t, err), err) != 0
        || (t->resume_given && trainer_resume(t, err) != 0))
        return -1;
    trainer_note_unused(t);
    t->progress = progress_start(t->quiet, "examples");
    program_say_at_stop(t->program.name, trainer_why_unsaved(t));
    int status = t->run(t, err);
    progress_wipe(&t->progress);
    if (status == 0 && t->bad.all_told > 0)
        trainer_warn(t, "bad lines skipped: %lld", (long long)t->bad.all_told);
    if (status != 0)
        return -1;
    program_warn_cut(t->program.name, t->report, t->cut, t->data);
    trainer_report_signal(t);
    if (run_report_finish(t->report, err) != 0 || (t->also && output_flush(t->also, err) != 0))
        return -1;
    if (t->folds == 0 && trainer_save(t, err) != 0)
        return -1;
    if (t->fold_predictions && output_commit(&t->fold_file, err) != 0)
        return -1;
    if (trainer_learnt_nothing(t))
        return 0;
    if (t->also && output_commit(t->also, err) != 0)
        return -1;
    return report_commit(t->report, err);
}

/* word: the command line's, with the model file. */
static int trainer_run(struct trainer *t, const char *const *word, struct error *err)
{
    t->results = trainer_choose_results(t);
    t->out = t->quiet ? NULL : t->results;
    t->report->path = t->report_given;
    int status = run_report_begin(t->report, &t->program, word, err);
    if (status == 0)
        status = trainer_learn(t, err);
    output_abandon(&t->fold_file);
    if (t->also)
        output_abandon(t->also);
    report_abandon(t->report);
    return status;
}

int trainer_main(struct trainer *t, int argc, char **argv)
{
    const char *word[3];
    char name[PROGRAM_NAME];
    struct error err = {0};
    t->report = &t->report_file;
    program_start();
    program_line_buffer();
    int go = options_parse(&t->program, argc, argv, word);
    if (go != OPTIONS_GO)
        return go;
    t->data = word[0];
    t->model = word[1];
    int status = trainer_settle(t, &err);
    if (status == 0 && t->folds == 0) {
        go = program_name_model(&t->program, word, name);
        t->model = word[1];
    }
    if (status == 0 && go == OPTIONS_GO)
        status = trainer_run(t, word, &err);
    if (status != 0)
        error_name(&err, input_name(t->data));
    if (t->release)
        t->release(t);
    labels_free(&t->labels);
    memory_free(t->weight);
    memory_free(t->first);
    feature_map_free(&t->map);
    feature_numbers_free(&t->numbers);
    if (go != OPTIONS_GO)
        return go;
    const int exit_status = program_end(&t->program, status != 0, &err);
    return status == 0 && t->milestones.stopped && exit_status != 1 ? trainer_report_stop(t)
                                                                    : exit_status;
}
