/* Forward's model file: a linear model (common/model/model.h) whose trailer holds
 *
 *   mu         the weights before the decay that is due, if there is any
 *   squares    AdaGrad's sums of squares
 *   seen       the round in which each feature occurred last
 *   confusion  C, K x K, a row an observed label
 *
 * A final model (data_form.h) has only the last: training does not go on from it.
 *
 * Numbers are written so that reading gives the same double: going on is exact. */
#include "common/base/number.h"
#include "common/model/model_writer.h"
#include "learners/forward/forward_state.h"

#include <float.h>
#include <string.h>

/* Row i of C, for model_put_rows. */
static const double *forward_confusion_row(const void *context, int64_t i, double *buffer)
{
    (void)buffer;
    const struct forward *f = context;
    return f->confusion + i * f->labels.count;
}

/* The row of feature j in `seen`, for model_put_features. */
static const double *forward_seen_row(const void *context, int64_t j, double *buffer)
{
    (void)buffer;
    const struct forward *f = context;
    return f->seen.w + j * f->seen.stride;
}

/* Does any weight wait for its decay?  None does at a minimum.  bias: < 0: there is no row 0. */
static bool forward_owes_decay(const struct forward *f, double bias)
{
    if (!(f->options.lambda > 0))
        return false;
    for (int64_t j = bias < 0 ? 1 : 0; j < f->seen.rows; j++)
        if (f->seen.w[j] < (double)f->counts.rounds)
            return true;
    return false;
}

static int forward_put_state(struct model_writer *writer, const struct forward *f,
                             struct error *err)
{
    if (forward_owes_decay(f, writer->bias) && model_put_table(writer, "mu", &f->w, err) != 0)
        return -1;
    if (model_put_table(writer, "squares", &f->squares, err) != 0)
        return -1;
    return model_put_features(writer, "seen", 1, forward_seen_row, f, (double)f->counts.rounds,
                              err);
}

int forward_save(const struct forward *f, const struct data_form *form, const char *path,
                 int threads, struct error *err)
{
    const int64_t K = f->labels.count;
    struct weights w = {0};
    struct model_writer writer;
    int status = -1;
    if (forward_weights(f, &w, err) != 0)
        return -1;
    if (model_begin(&writer, path, &f->labels, f->columns, f->w.rows - 1, form, threads, err) != 0
        || model_put_table(&writer, "w", &w, err) != 0)
        goto done;
    model_put_trailer(&writer);
    model_put_word(&writer, "learner", "forward");
    model_put_form(&writer, form);
    model_put_number(&writer, "eta", f->options.eta);
    model_put_number(&writer, "lambda", f->options.lambda);
    model_put_number(&writer, "delta", f->options.delta);
    model_put_number(&writer, "temperature", f->options.temperature);
    model_put_int(&writer, "average", 0);
    model_put_int(&writer, "rounds", f->counts.rounds);
    model_put_int(&writer, "mistakes", f->counts.mistakes);
    model_put_int(&writer, "updates", f->counts.updates);
    if ((form->final || forward_put_state(&writer, f, err) == 0)
        && model_put_rows(&writer, "confusion", K, K, forward_confusion_row, f, err) == 0)
        status = model_finish(&writer, err);
done:
    model_abandon(&writer);
    weights_free(&w);
    return status;
}

/* Sums of squares start above 0, rounds are counted from 0, probabilities are not negative. */
static int forward_check(const struct forward *f, const char *file, struct error *err)
{
    for (int64_t i = 0; i < f->squares.rows * f->squares.stride; i++)
        if (!(f->squares.w[i] > 0))
            return error_at(err, file, 0, 0, "a sum of squares is not above 0");
    for (int64_t i = 0; i < f->seen.rows; i++)
        if (!(f->seen.w[i] >= 0 && f->seen.w[i] <= (double)f->counts.rounds))
            return error_at(err, file, 0, 0, "seen: not a round");
    for (int64_t cell = 0; cell < f->labels.count * f->labels.count; cell++)
        if (!(f->confusion[cell] >= 0))
            return error_at(err, file, 0, 0, "confusion: a probability is negative");
    return 0;
}

/* Tables and counts of a new learner whose tables have rows for all features. */
static int forward_load_state(const struct model *model, struct forward *f, struct error *err)
{
    const int64_t most = NUMBER_LARGEST_INT; /* rounds are doubles in `seen` */
    if (model_int(model, "rounds", 0, most, &f->counts.rounds, err) != 0
        || model_int(model, "mistakes", 0, most, &f->counts.mistakes, err) != 0
        || model_int(model, "updates", 0, most, &f->counts.updates, err) != 0
        || model_read_table(model, "squares", &f->squares, err) != 0
        || model_read_table(model, "seen", &f->seen, err) != 0)
        return -1;
    if (forward_check(f, model->file, err) != 0)
        return -1;
    if (forward_owes_decay(f, model->bias))
        return model_read_table(model, "mu", &f->w, err);
    memcpy(f->w.w, model->w.w, (size_t)(model->w.rows * model->w.stride) * sizeof *f->w.w);
    return 0;
}

/* The options and the classes; options->confusion: borrowed from the model. */
static int forward_load_options(const struct model *model, struct forward_options *options,
                                struct labels *labels, struct error *err)
{
    if (model_number(model, "eta", NUMBER_ABOVE_0, DBL_MAX, &options->eta, err) != 0
        || model_number(model, "lambda", 0, DBL_MAX, &options->lambda, err) != 0
        || model_number(model, "delta", NUMBER_ABOVE_0, DBL_MAX, &options->delta, err) != 0
        || (model_has(model, "temperature")
            && model_number(model, "temperature", DBL_MIN, DBL_MAX, &options->temperature, err)
                   != 0)
        || model_labels(model, labels, err) != 0)
        return -1;
    const struct model_block *block = model_find_block(model, "confusion", labels->count,
                                                       labels->count, err);
    if (!block)
        return -1;
    options->confusion = block->number;
    return 0;
}

struct forward *forward_load(const struct model *model, struct data_form *form, struct error *err)
{
    static const char *const learners[] = {"forward", NULL};
    struct forward_options options = {.temperature = 1};
    struct labels labels = {0};
    struct forward *f = NULL;
    int64_t learner;
    if (model_choice(model, "learner", learners, &learner, err) != 0
        || model_form(model, form, err) != 0
        || forward_load_options(model, &options, &labels, err) != 0)
        goto done;
    if (!(f = forward_new(&options, &labels, err)))
        goto done;
    if (forward_grow(f, model->d, err) != 0 || forward_load_state(model, f, err) != 0) {
        forward_free(f);
        f = NULL;
    }
done:
    labels_free(&labels);
    return f;
}

struct forward *forward_load_file(const char *path, int threads, struct data_form *form,
                                  struct feature_map *map, struct error *err)
{
    struct model model = {0};
    struct forward *f = NULL;
    if (model_read(path, threads, 1, &model, err) == 0) {
        *map = model_take_map(&model);
        f = forward_load(&model, form, err);
    }
    model_free(&model);
    return f;
}
