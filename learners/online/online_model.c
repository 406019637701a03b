/* The online learners' model file: a linear model (common/model/model.h) whose trailer holds the
 * options and the state.
 *
 *   w        what prediction uses: the weights, or their mean, or what a rule makes of mu
 *   sigma    the covariance: rows and columns as w; full: a block of d rows a class
 *   mu       the weights, where w is their mean; SOP calls it v, AdaGrad-RDA u
 *   sum      with average: what the mean is made of (average.h)
 *   squares  AdaGrad-RDA's s; last: the round up to which its sum counts
 *
 * Numbers are written so that reading gives the same double: going on is exact. */
#include "common/base/number.h"
#include "common/model/model_writer.h"
#include "learners/online/online_state.h"

#include <assert.h>
#include <float.h>
#include <string.h>

struct online_full_rows {
    const struct covariance *sigma;
    int64_t n; /* rows of a block: d, + 1 with a bias */
};

/* Row i of the blocks below each other, to buffer; for model_put_rows. */
static const double *online_full_row(const void *context, int64_t i, double *buffer)
{
    const struct online_full_rows *f = context;
    for (int64_t j = 0; j < f->n; j++)
        buffer[j] = *covariance_at(f->sigma, i / f->n, weights_feature_at(i % f->n, f->sigma->rows),
                                   weights_feature_at(j, f->sigma->rows));
    return buffer;
}

static int online_put_sigma(struct model_writer *w, const struct covariance *sigma,
                            struct error *err)
{
    if (sigma->form != COVARIANCE_FULL)
        return model_put_table(w, "sigma", &sigma->diagonal, err);
    struct online_full_rows f = {sigma, w->d + (w->bias >= 0)};
    return model_put_rows(w, "sigma", sigma->columns * f.n, f.n, online_full_row, &f, err);
}

/* The block of full covariances, d x d (with a bias one more) for each of `columns`; NULL with
 * err. */
static const struct model_block *online_find_full_sigma(const struct model *model, int64_t columns,
                                                        struct error *err)
{
    int64_t n = model->d + (model->bias >= 0);
    return model_find_block(model, "sigma", columns * n, n, err);
}

static int online_get_sigma(const struct model *model, struct covariance *sigma, struct error *err)
{
    if (sigma->form != COVARIANCE_FULL)
        return model_read_table(model, "sigma", &sigma->diagonal, err);
    int64_t n = model->d + (model->bias >= 0);
    const struct model_block *block = online_find_full_sigma(model, sigma->columns, err);
    if (!block)
        return -1;
    for (int64_t i = 0; i < sigma->columns * n; i++)
        for (int64_t j = 0; j < n; j++)
            *covariance_at(sigma, i / n, weights_feature_at(i % n, sigma->rows),
                           weights_feature_at(j, sigma->rows)) = block->number[i * n + j];
    return 0;
}

/* Is no variance and no sum of squares negative?
 *
 * A variance of exactly 0 is what extreme values leave of a small one: its weight no longer moves.
 * A full covariance can lose its positive diagonal to rounding, where values are near 1e8 times the
 * square root of the initial variance. */
static bool online_signs_are_sound(const struct online *o)
{
    const struct covariance *sigma = &o->sigma;
    bool sound = true;
    if (sigma->diagonal.w)
        for (int64_t i = 0; i < sigma->diagonal.rows * sigma->diagonal.stride; i++)
            sound &= sigma->diagonal.w[i] >= 0;
    if (sigma->full)
        for (int64_t k = 0; k < sigma->columns; k++)
            for (int64_t i = 0; i < sigma->rows; i++)
                sound &= *covariance_at(sigma, k, i, i) >= 0;
    if (o->squares.w)
        for (int64_t i = 0; i < o->squares.rows * o->squares.stride; i++)
            sound &= o->squares.w[i] >= 0;
    return sound;
}

/* ---- options ---- */

/* Where a parameter stands in the options. */
static double *online_number(struct online_options *options, const struct online_parameter *p)
{
    assert(!p->whole);
    return (double *)(void *)((char *)options + p->offset);
}

static int64_t *online_integer(struct online_options *options, const struct online_parameter *p)
{
    assert(p->whole);
    return (int64_t *)(void *)((char *)options + p->offset);
}

static void online_put_options(struct model_writer *writer, const struct online *o)
{
    struct online_options options = o->options;
    if (o->rule->covariance)
        model_put_word(writer, "form", online_forms[options.form]);
    for (const char *const *name = o->rule->parameters; *name; name++) {
        const struct online_parameter *p = online_find_parameter(*name);
        if (p->whole)
            model_put_int(writer, p->keyword, *online_integer(&options, p));
        else
            model_put_number(writer, p->keyword, *online_number(&options, p));
    }
    model_put_int(writer, "average", options.average);
}

static int online_load_options(const struct model *model, struct online_options *options,
                               struct error *err)
{
    if (model_choice(model, "learner", online_rule_names, &options->rule, err) != 0)
        return -1;
    const struct online_rule *rule = online_get_rule(options->rule);
    if (rule->covariance && model_choice(model, "form", online_forms, &options->form, err) != 0)
        return -1;
    for (const char *const *name = rule->parameters; *name; name++) {
        const struct online_parameter *p = online_find_parameter(*name);
        int status = p->whole ? model_int(model, p->keyword, 0, INT32_MAX,
                                          online_integer(options, p), err)
                              : model_number(model, p->keyword, p->lowest, DBL_MAX,
                                             online_number(options, p), err);
        if (status != 0)
            return -1;
    }
    return model_flag(model, "average", &options->average, err);
}

/* ---- the whole file ---- */

static const char *online_keyword_of_mu(const struct online *o)
{
    return o->rule->keeps ? o->rule->keeps : "mu";
}

static int online_put_state(struct model_writer *writer, const struct online *o, struct error *err)
{
    const struct online_rule *rule = o->rule;
    if (rule->covariance && online_put_sigma(writer, &o->sigma, err) != 0)
        return -1;
    if (!online_is_direct(&o->options)
        && model_put_table(writer, online_keyword_of_mu(o), &o->mu, err) != 0)
        return -1;
    if (rule->squares && model_put_table(writer, "squares", &o->squares, err) != 0)
        return -1;
    if (o->options.average && model_put_table(writer, "sum", &o->sum, err) != 0)
        return -1;
    return o->last.w ? model_put_table(writer, "last", &o->last, err) : 0;
}

int online_save(const struct online *o, const struct data_form *form, const char *path, int threads,
                struct error *err)
{
    struct weights w = {0};
    struct model_writer writer;
    int status = -1;
    if (!online_signs_are_sound(o)) /* such a model could not be loaded */
        return error_set(err,
                         "a variance is negative after %lld rounds: the values are too large for "
                         "form %s (-l 1 scales them); no model is written",
                         (long long)o->counts.rounds, online_forms[o->options.form]);
    if (!online_is_direct(&o->options) && online_weights(o, &w, err) != 0)
        return -1;
    if (model_begin(&writer, path, &o->labels, o->columns, o->mu.rows - 1, form, threads, err) != 0
        || model_put_table(&writer, "w", online_is_direct(&o->options) ? &o->mu : &w, err) != 0)
        goto done;
    model_put_trailer(&writer);
    model_put_word(&writer, "learner", online_rule_names[o->options.rule]);
    model_put_form(&writer, form);
    online_put_options(&writer, o);
    model_put_int(&writer, "rounds", o->counts.rounds);
    model_put_int(&writer, "mistakes", o->counts.mistakes);
    model_put_int(&writer, "updates", o->counts.updates);
    if (form->final || online_put_state(&writer, o, err) == 0)
        status = model_finish(&writer, err);
done:
    model_abandon(&writer);
    weights_free(&w);
    return status;
}

/* Tables and counts of a new learner whose tables have grown to all features. */
static int online_load_state(const struct model *model, struct online *o, struct error *err)
{
    const int64_t most = NUMBER_LARGEST_INT;
    if (online_is_direct(&o->options))
        memcpy(o->mu.w, model->w.w, (size_t)(model->w.rows * model->w.stride) * sizeof(double));
    else if (model_read_table(model, online_keyword_of_mu(o), &o->mu, err) != 0)
        return -1;
    if ((o->rule->covariance && online_get_sigma(model, &o->sigma, err) != 0)
        || (o->rule->squares && model_read_table(model, "squares", &o->squares, err) != 0)
        || (o->options.average && model_read_table(model, "sum", &o->sum, err) != 0)
        || (o->last.w && model_read_table(model, "last", &o->last, err) != 0)
        || model_int(model, "rounds", 0, most, &o->counts.rounds, err) != 0
        || model_int(model, "mistakes", 0, most, &o->counts.mistakes, err) != 0
        || model_int(model, "updates", 0, most, &o->counts.updates, err) != 0)
        return -1;
    if (!online_signs_are_sound(o))
        return error_at(err, model->file, 0, 0, "a variance or a sum of squares is negative");
    return 0;
}

struct online *online_load(const struct model *model, struct data_form *form, struct error *err)
{
    struct online_options options = {0};
    struct labels labels = {0};
    struct online *o = NULL;
    if (online_load_options(model, &options, err) != 0 || model_form(model, form, err) != 0
        || model_labels(model, &labels, err) != 0)
        return NULL;
    /* Full covariances are larger than the weights, which the file holds: they must be there before
     * they get room. */
    if (online_get_rule(options.rule)->covariance && options.form == COVARIANCE_FULL
        && !online_find_full_sigma(model, weights_columns(labels.count), err))
        goto done;
    if (!(o = online_new(&options, &labels, err)))
        goto done;
    if (online_grow(o, model->d, err) != 0 || online_load_state(model, o, err) != 0) {
        online_free(o);
        o = NULL;
    }
done:
    labels_free(&labels);
    return o;
}
