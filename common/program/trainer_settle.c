/* Settings that follow from several options, and what does not go together. */
#include "common/base/input.h"
#include "common/base/reduce.h"
#include "common/program/program.h"
#include "common/program/trainer_state.h"

#include <string.h>
#include <sys/stat.h>

/* Make the map that the options describe, unless one comes from a model. */
static int trainer_make_map(struct trainer *t, struct error *err)
{
    if (t->resume_given)
        return 0;
    if (t->map_kind == FEATURE_MAP_NONE) {
        if (t->map_dims > 0)
            return error_usage(err, "--map-dims has no meaning without --map");
        if (t->map_gamma > 0)
            return error_usage(err, "--map-gamma has no meaning without --map");
        return 0;
    }
    if (t->map_kind == FEATURE_MAP_NYSTROM && t->map_dims > FEATURE_MAP_MOST_LANDMARKS)
        return error_usage(err, "--map nystrom has at most %d features",
                           FEATURE_MAP_MOST_LANDMARKS);
    t->map = feature_map_make(t->map_kind, t->map_dims, t->map_gamma, t->form.seed);
    t->form.map = &t->map.base;
    return 0;
}

int trainer_check_saved(const char *path, const char *what, struct error *err)
{
    struct stat st;
    if (strcmp(path, "-") == 0)
        return error_usage(err, "--save-every: standard output cannot be written again; name %s",
                           what);
    if (stat(path, &st) == 0 && S_ISFIFO(st.st_mode))
        return error_usage(err, "--save-every: a pipe cannot be written again; name %s", what);
    return 0;
}

/* Are there folds for the files that are of them?  0, or -1 with err, a usage error. */
static int trainer_settle_folds(const struct trainer *t, struct error *err)
{
    const char *goes_with = t->model ? ", without a model file" : "";
    if (t->fold_predictions && t->folds == 0)
        return error_usage(err, "--fold-predictions is of cross-validation: it goes with -v%s",
                           goes_with);
    if (t->groups_given && t->folds == 0 && t->fewest_groups == 0)
        return error_usage(err, "--groups is of cross-validation: it goes with -v%s", goes_with);
    if (t->fold_scores && !t->fold_predictions)
        return error_usage(err, "--fold-scores goes with --fold-predictions");
    return 0;
}

/* Do the outputs of the run go together, with one another and with what it does?  0, or -1 with
 * err, a usage error. */
static int trainer_settle_outputs(const struct trainer *t, struct error *err)
{
    if (t->stdout_taken && t->report_given && strcmp(t->report_given, "-") == 0)
        return error_usage(err, "standard output is taken: name the file of --report");
    if (!t->model && t->folds == 0 && strcmp(t->data, "-") == 0)
        return error_usage(err, "data from standard input: name the model file");
    if (!t->model && t->folds == 0 && input_is_pipe(t->data))
        return error_usage(err, "data from a pipe: name the model file");
    if (!t->model && t->folds == 0 && reduce_has_shards())
        return error_usage(err, "data in a file for each rank: name the model file");
    return t->save_every > 0 && t->model ? trainer_check_saved(t->model, "the model file", err) : 0;
}

int trainer_settle(struct trainer *t, struct error *err)
{
    t->form.unit_length = t->unit_length == 1;
    if (t->form.bias < 0)
        t->form.bias = -1;
    const char *data = reduce_path(t->data, err);
    if (!data)
        return -1;
    t->data = data;
    if (t->alone && program_check_ranks(&t->program, t->data, t->alone, err) != 0)
        return -1;
    if (options_refuse_clashes(&t->program, t->clashes, t->model != NULL, err) != 0
        || trainer_make_map(t, err) != 0)
        return -1;
    if (t->check && t->check(t, err) != 0)
        return -1;
    if (trainer_settle_folds(t, err) != 0 || trainer_settle_outputs(t, err) != 0)
        return -1;
    return t->labels_given ? labels_parse(t->labels_given, &t->labels, err) : 0;
}
