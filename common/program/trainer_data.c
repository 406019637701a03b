/* How a trainer's data are read, weighted, grouped, numbered and checked. */
#include "common/base/findings.h"
#include "common/base/input.h"
#include "common/base/memory.h"
#include "common/data/example_weights.h"
#include "common/data/folds.h"
#include "common/data/groups.h"
#include "common/data/number_features.h"
#include "common/linear/weights.h"
#include "common/program/program.h"
#include "common/program/trainer.h"

/* ---- lines ---- */

/* Called for every bad line that is skipped. */
static void trainer_tell_skipped(void *context, const struct error *why)
{
    struct trainer *t = context;
    progress_wipe(&t->progress);
    program_tell_skipped(t->program.name, why);
}

/* Bad lines are skipped, and told of, as is a last line that may be cut. */
static struct example_format trainer_watch_lines(struct trainer *t, struct example_format format)
{
    format.cut = &t->cut;
    t->bad.most = t->skip_bad;
    t->bad.labels = t->labels.count > 0 ? &t->labels : NULL;
    t->bad.tell = trainer_tell_skipped;
    t->bad.context = t;
    if (t->skip_bad > 0)
        format.bad = &t->bad;
    return format;
}

struct example_format trainer_format(struct trainer *t)
{
    return trainer_watch_lines(t, data_format(&t->form));
}

struct example_format trainer_format_unmapped(struct trainer *t)
{
    struct example_format format = data_format_unmapped(&t->form);
    format.keep_lengths = t->keep_lengths;
    return trainer_watch_lines(t, format);
}

/* ---- examples and features ---- */

/* Warn of classes without an example among the n that are left, those of weight 0 having been
 * dropped.  0 or -1. */
static int trainer_warn_weightless(const struct trainer *t, const int32_t *y, int64_t n,
                                   struct error *err)
{
    struct findings_list lost = {0};
    bool *has = memory_new(t->labels.count, sizeof *has, err);
    if (!has)
        return -1;
    for (int64_t i = 0; i < n; i++)
        has[y[i]] = true;
    for (int64_t k = 0; k < t->labels.count; k++)
        if (!has[k])
            findings_list_add(&lost, "%ld", (long)t->labels.value[k]);
    if (lost.count > 0)
        trainer_warn(t,
                     "all examples of these classes have the weight 0, nothing is learnt of "
                     "them: %s",
                     findings_list_text(&lost));
    memory_free(has);
    return 0;
}

/* group: of all examples; out: of those that are left; NULL: there are none.  0 or -1. */
static int trainer_weigh(struct trainer *t, struct problem *problem, int32_t *y, uint64_t *group,
                         struct error *err)
{
    const int64_t n = problem->n;
    if (example_weights_read(t->weights_given, problem, y, group, &t->weight, err) != 0)
        return -1;
    if (!t->labels_given && !t->resume_given /* classes come from the data */
        && trainer_warn_weightless(t, y, problem->n, err) != 0)
        return -1;
    if (problem->n < n)
        trainer_say(t, "%lld of %lld examples have the weight 0: they are left out",
                    (long long)(n - problem->n), (long long)n);
    return 0;
}

/* t->first, by the group of each example.  0 or -1. */
static int trainer_group(struct trainer *t, const uint64_t *group, const int32_t *y, int64_t n,
                         struct error *err)
{
    const int64_t fewest = t->folds > t->fewest_groups ? t->folds : t->fewest_groups;
    const struct findings to = trainer_findings(t);
    if (groups_first(group, n, fewest, t->groups_given, &t->first, err) != 0)
        return -1;
    const struct fold_examples examples = {
        .n = n, .classes = t->labels.count, .y = y, .first = t->first};
    return groups_note_large(&examples, &t->labels, &to, err);
}

int trainer_read_beside(struct trainer *t, struct problem *problem, int32_t *y, struct error *err)
{
    uint64_t *group = NULL;
    int status = 0;
    if (t->groups_given)
        status = groups_read(t->groups_given, problem->n, &group, err);
    if (status == 0 && t->weights_given)
        status = trainer_weigh(t, problem, y, group, err);
    if (status == 0 && t->groups_given)
        status = trainer_group(t, group, y, problem->n, err);
    memory_free(group);
    return status;
}

int trainer_number(struct trainer *t, struct problem *problem, struct error *err)
{
    if (t->form.map)
        return 0;
    t->form.numbers = &t->numbers;
    return number_features(problem, &t->numbers, err);
}

int64_t trainer_features(const struct trainer *t, const struct problem *problem)
{
    return feature_numbers_d(&t->numbers, problem->d);
}

int64_t trainer_stated_features(const struct trainer *t)
{
    return t->form.map ? t->form.map->dims : TRAINER_STATED_FEATURES;
}

/* ---- what fits ---- */

double trainer_data_bytes(const struct trainer *t)
{
    return input_is_file(t->data) ? memory_budget() : memory_limit();
}

int trainer_refuse_pipe(const struct trainer *t, const char *when, struct error *err)
{
    return error_at(err, input_name(t->data), 0, 0,
                    "out of memory: a pipe is held in memory here; it is streamed %s", when);
}

int trainer_check_model(const struct trainer *t, double bytes, int64_t features, struct error *err)
{
    double checked = 0;
    return t->folds != 0 ? 0
                         : weights_check_memory(bytes, &checked, features, t->labels.count, err);
}

int trainer_check_folds(const struct trainer *t, int64_t examples, struct error *err)
{
    return t->folds == 0 ? 0 : folds_check(t->folds, examples, err);
}
