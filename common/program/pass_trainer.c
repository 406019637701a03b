/* The decision between holding and streaming is made once, here; trainers learn in train_held and
 * train_streamed. */
#include "common/program/pass_trainer.h"

#include "common/base/input.h"
#include "common/base/memory.h"
#include "common/base/number.h"
#include "common/base/order.h"
#include "common/base/reduce.h"
#include "common/data/disk.h"
#include "common/data/problem_file.h"
#include "common/program/fold_predictions.h"
#include "common/program/trainer_map.h"

enum { PASS_TRAINER_TELLING = 10 }; /* examples a class whose order tells: a rule of thumb */

int pass_trainer_check(const struct trainer *t, const struct pass_trainer *p, struct error *err)
{
    if (p->stream && p->passes > 1 && !input_is_file(t->data))
        return error_usage(err,
                           "several passes over a pipe need it held in memory: --stream does not "
                           "go with -i %lld",
                           (long long)p->passes);
    return 0;
}

static void pass_trainer_report(void *context, int64_t pass, struct round_counts c)
{
    struct trainer *t = context;
    char examples[NUMBER_COUNTED], updates[NUMBER_COUNTED], mistakes[NUMBER_COUNTED];
    progress_wipe(&t->progress);
    trainer_say(t, "pass %lld: %s, %s, %s (%.4g%%)", (long long)pass,
                number_counted(c.rounds, "example", examples),
                number_counted(c.updates, "update", updates),
                number_counted(c.mistakes, "mistake", mistakes),
                100 * (double)c.mistakes / (double)c.rounds);
    report_count_of(t->report, REPORT_PASS_EXAMPLES, pass, c.rounds);
    report_count_of(t->report, REPORT_PASS_UPDATES, pass, c.updates);
    report_count_of(t->report, REPORT_PASS_MISTAKES, pass, c.mistakes);
}

/* Passes that report to t, shuffled if the data are in memory and from a regular file. */
static struct passes pass_trainer_passes(struct trainer *t, const struct pass_trainer *p, bool held)
{
    return (struct passes){.count = p->passes,
                           .weight = t->weight,
                           .weights_file = t->weights_given,
                           .shuffle = held && !p->no_shuffle && input_is_file(t->data),
                           .seed = t->form.seed,
                           .progress = &t->progress,
                           .report = pass_trainer_report,
                           .context = t};
}

/* Examples in file order where no class comes back: what is learnt of it is overwritten.  A few may
 * come so by chance. */
static void pass_trainer_warn_sorted(const struct trainer *t, const struct class_runs *r)
{
    if (r->runs <= t->labels.count && r->examples >= PASS_TRAINER_TELLING * t->labels.count)
        trainer_warn(t, "the examples come class by class, and are learnt from in this order, the "
                        "last ones best: shuffle the lines (shuf)");
}

int pass_trainer_over_problem(struct trainer *t, const struct pass_trainer *p,
                              const struct round_learner *learner, const struct problem *problem,
                              const int32_t *y, struct error *err)
{
    struct passes passes = pass_trainer_passes(t, p, true);
    struct class_runs runs = {0};
    passes.runs = passes.shuffle ? NULL : &runs;
    if (reduce_ranks() == 1) { /* where a rank is killed, the others must not save */
        passes.milestones = &t->milestones;
        if (trainer_watch(t, TRAINER_HELD, err) != 0)
            return -1;
    }
    if (passes_over_problem(learner, problem, y, NULL, problem->n, &passes, err) != 0)
        return -1;
    pass_trainer_warn_sorted(t, &runs);
    return 0;
}

int pass_trainer_over_stream(struct trainer *t, const struct pass_trainer *p,
                             const struct round_learner *learner, struct error *err)
{
    const struct example_format format = trainer_format(t);
    struct passes passes = pass_trainer_passes(t, p, false);
    struct class_runs runs = {0};
    passes.milestones = &t->milestones;
    passes.runs = &runs;
    if (trainer_watch(t, TRAINER_STREAM, err) != 0
        || passes_over_stream(learner, &t->labels, t->data, &format, (int)t->threads, &passes, err)
               != 0)
        return -1;
    pass_trainer_warn_sorted(t, &runs);
    return 0;
}

struct passes pass_trainer_fold_passes(struct trainer *t, const struct pass_trainer *p,
                                       const int32_t *y, int64_t n)
{
    struct passes passes = pass_trainer_passes(t, p, true);
    struct class_runs runs = {0};
    passes.report = NULL;
    passes.progress = NULL;
    if (!passes.shuffle)
        for (int64_t i = 0; i < n; i++)
            class_runs_add(&runs, y[i]);
    pass_trainer_warn_sorted(t, &runs);
    return passes;
}

int pass_trainer_validate(struct trainer *t, const struct pass_trainer *p,
                          const struct problem *problem, const int32_t *y, cross_validate_fit *fit,
                          struct error *err)
{
    const int64_t K = t->labels.count, columns = weights_columns(K);
    const struct pass_fold fold = {t, problem, y, pass_trainer_fold_passes(t, p, y, problem->n)};
    /* Copies are dealt out as LIBLINEAR does, with whose accuracies this one is compared. */
    struct cross_validation validation = {
        .problem = problem,
        .examples = {.n = problem->n, .classes = K, .y = y, .first = t->first},
        .folds = t->folds,
        .seed = t->form.seed,
        .threads = (int)t->threads,
        .fit = fit,
        .context = &fold};
    int64_t correct;
    if (fold_predictions_make(t, problem->n, columns, &validation.scores, err) != 0)
        return -1;
    int status = cross_validate_linear(&validation, &correct, err);
    if (status == 0)
        status = fold_predictions_write(t, validation.scores, problem->n, columns, 0, err);
    if (status == 0)
        trainer_print_validation(t, correct, problem->n);
    memory_free(validation.scores);
    return status;
}

static int pass_trainer_stream(struct trainer *t, const struct pass_trainer *p, struct error *err)
{
    const struct example_format format = trainer_format(t);
    if (t->weights_given && p->passes > 1 && !input_is_file(t->weights_given))
        return error_usage(err, "several passes over a stream need weights that can be read again: "
                                "-W names no regular file");
    if (trainer_map_streamed(t, err) != 0)
        return -1;
    if (t->labels.count == 0
        && problem_scan(t->data, &format, (int)t->threads, &t->labels, NULL, err) != 0)
        return -1;
    char text[32], classes[NUMBER_COUNTED];
    report_labels(t->report, t->labels.value, t->labels.count);
    const int64_t features = trainer_stated_features(t);
    double bytes = p->bytes(t, t->labels.count, features, NULL);
    trainer_say(t, "streaming: %s; memory: %s for %lld features%s",
                number_counted(t->labels.count, "class", classes), memory_text(bytes, text),
                (long long)features, t->form.map ? "" : ", growing with them");
    return p->train_streamed(t, err);
}

/* Data beside which learning would not fit go to disk, into the folder, if p allows that.  0 or -1.
 */
static int pass_trainer_make_room(const struct trainer *t, const struct pass_trainer *p,
                                  const char *folder, struct problem *problem, struct error *err)
{
    const int64_t K = t->labels.count, d = trainer_features(t, problem);
    if (p->numbers && trainer_check_model(t, p->bytes(t, K, d, NULL), d, err) != 0)
        return -1;
    if (!p->to_disk)
        return 0;
    return disk_make_room(
        problem, p->most_bytes ? p->most_bytes(t, K, problem) : p->bytes(t, K, problem->d, problem),
        folder, err);
}

/* Report the data and the memory needed, and refuse what does not fit.  0 or -1. */
static int pass_trainer_say_memory(struct trainer *t, const struct pass_trainer *p,
                                   const struct problem *problem, struct error *err)
{
    const int64_t K = t->labels.count, d = trainer_features(t, problem),
                  n = reduce_count(problem->n);
    /* Models in memory at once. */
    const int64_t models = t->folds != 0 ? order_least(t->folds, t->threads) : 1;
    const double data = problem_bytes_held(problem),
                 model = (double)models * p->bytes(t, K, problem->d, problem),
                 most = p->most_bytes ? p->most_bytes(t, K, problem) : 0;
    char examples[NUMBER_COUNTED], features[NUMBER_COUNTED], classes[NUMBER_COUNTED];
    char data_text[32], model_text[32], most_text[32], before[64] = "", what[128], text[DISK_TEXT];
    trainer_report_data(t, n, d);
    if (!t->form.map) /* else these are the features that the map has made */
        trainer_note_sizes(t, problem);
    if (most > model)
        snprintf(before, sizeof before, ", at most %s to estimate", memory_text(most, most_text));
    trainer_say(t, "%s, %s, %s; memory: %s for the data, %s for the model%s%s",
                number_counted(n, "example", examples), number_counted(d, "feature", features),
                number_counted(K, "class", classes), memory_text(data, data_text),
                memory_text(model, model_text), before, disk_text(problem, text));
    if (reduce_ranks() > 1)
        trainer_say(t, "%d ranks: this is the memory of the first of them", reduce_ranks());
    snprintf(what, sizeof what, "the data and a model of %lld features x %lld classes",
             (long long)d, (long long)K);
    return memory_check(data + model, what, err);
}

/* Examples of weight 0 are dropped before a map is fitted: neither landmarks nor gamma may come
 * from them. */
static int pass_trainer_hold(struct trainer *t, const struct pass_trainer *p, const char *folder,
                             struct problem *problem, struct error *err)
{
    if (t->labels.count == 0 && problem_labels(problem, &t->labels, err) != 0)
        return -1;
    int32_t *y = memory_new(problem->n, sizeof *y, err);
    if (!y)
        return -1;
    int status = -1;
    if (problem_classes(problem, &t->labels, input_name(t->data), y, err) == 0
        && trainer_read_beside(t, problem, y, err) == 0
        && trainer_check_folds(t, problem->n, err) == 0 && trainer_map_held(t, problem, err) == 0
        && (!p->numbers || trainer_number(t, problem, err) == 0)
        && pass_trainer_make_room(t, p, folder, problem, err) == 0
        && pass_trainer_say_memory(t, p, problem, err) == 0)
        status = p->train_held(t, problem, y, err);
    memory_free(y);
    return status;
}

/* A pipe does not fit in memory: say what keeps it from being streamed.  Returns -1. */
static int pass_trainer_refuse_pipe(const struct trainer *t, const struct pass_trainer *p,
                                    struct error *err)
{
    if (p->passes == 1)
        return trainer_refuse_pipe(t, "when --labels names the classes", err);
    if (t->labels.count > 0)
        return trainer_refuse_pipe(t, "when only one pass is made", err);
    return trainer_refuse_pipe(t, "when --labels names the classes and only one pass is made", err);
}

int pass_trainer_run(struct trainer *t, const struct pass_trainer *p, struct error *err)
{
    const bool regular = input_is_file(t->data), known = t->labels.count > 0;
    const struct example_format format = trainer_format_unmapped(t);
    if (p->stream && !regular && !known)
        return error_usage(err, "to stream a pipe its classes must be known: --labels names them");
    if (p->stream || (!regular && known && p->passes == 1 && t->folds == 0 && !p->hold))
        return pass_trainer_stream(t, p, err);

    struct problem problem = {0};
    char folder[DISK_FOLDER];
    int status;
    disk_choose_folder(p->disk_given, t->model, folder);
    if (p->to_disk)
        status = disk_read(t->data, &format, (int)t->threads, p->disk_given, folder, &problem, err);
    else if (t->folds != 0)
        status = disk_hold(t->data, &format, (int)t->threads, "-v", &problem, err);
    else if (p->hold)
        status = disk_hold(t->data, &format, (int)t->threads, p->hold, &problem, err);
    else
        status = problem_read(t->data, &format, (int)t->threads, trainer_data_bytes(t), &problem,
                              err);
    if (status == PROBLEM_TOO_LARGE && !regular)
        return pass_trainer_refuse_pipe(t, p, err);
    if (status == PROBLEM_TOO_LARGE) {
        trainer_note(t, "%s does not fit in memory; it is streamed in file order", t->data);
        return pass_trainer_stream(t, p, err);
    }
    if (status == 0)
        status = pass_trainer_hold(t, p, folder, &problem, err);
    problem_free(&problem);
    return status;
}
