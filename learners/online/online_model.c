/* The online learners' model file: what of the state stands where.
 *
 *   w        what prediction uses: averaged, or Sigma v, or the weight of AdaGrad-RDA
 *   sigma    the covariance: rows and columns as w; full: a block of d rows a class
 *   mu, sum  with average: the weights themselves and the sum behind their mean;  v | u, squares,
 *            last: of SOP and AdaGrad-RDA
 *   mu, squares, seen, confusion    of forward
 * Numbers are written so that reading gives the same double: going on is exact. */
#include "common/model/model_writer.h"
#include "learners/online/online_state.h"

#include <float.h>
#include <string.h>

/* Feature at a position of the file: 1 .. d, then the bias as row 0. */
static int64_t feature_at(int64_t position, int64_t rows)
{
    return position + 1 < rows ? position + 1 : 0;
}

struct full_rows {
    const struct covariance *sigma;
    int64_t n; /* d, + 1 with a bias */
};

static const double *full_row(const void *context, int64_t i, double *buffer)
{
    const struct full_rows *f = context;
    for (int64_t j = 0; j < f->n; j++)
        buffer[j] = *covariance_at(f->sigma, i / f->n, feature_at(i % f->n, f->sigma->rows),
                                   feature_at(j, f->sigma->rows));
    return buffer;
}

static int put_sigma(struct model_writer *w, const struct covariance *sigma, struct error *err)
{
    if (sigma->form != COVARIANCE_FULL)
        return model_put_table(w, "sigma", &sigma->diagonal, err);
    struct full_rows f = {sigma, w->d + (w->bias >= 0)};
    return model_put_rows(w, "sigma", sigma->columns * f.n, f.n, full_row, &f, err);
}

/* The block of full covariances, d x d (with a bias one more) for each of `columns`; NULL with
 * err. */
static const struct model_block *find_full_sigma(const struct model *model, int64_t columns,
                                                 struct error *err)
{
    int64_t n = model->d + (model->bias >= 0);
    return model_find_block(model, "sigma", columns * n, n, err);
}

static int get_sigma(const struct model *model, struct covariance *sigma, struct error *err)
{
    if (sigma->form != COVARIANCE_FULL)
        return model_read_table(model, "sigma", &sigma->diagonal, err);
    int64_t n = model->d + (model->bias >= 0);
    const struct model_block *block = find_full_sigma(model, sigma->columns, err);
    if (!block)
        return -1;
    for (int64_t i = 0; i < sigma->columns * n; i++)
        for (int64_t j = 0; j < n; j++)
            *covariance_at(sigma, i / n, feature_at(i % n, sigma->rows),
                           feature_at(j, sigma->rows)) = block->number[i * n + j];
    return 0;
}

/* The scalar options that a rule has, in the file's order. */
struct parameter {
    const char *keyword;
    double *number; /* one of these two */
    int64_t *integer;
};

static int parameters(struct online_options *p, struct parameter out[3])
{
    switch ((enum online_rule)p->rule) {
    case ONLINE_AROW:
    case ONLINE_AROW_HINGE:
        out[0] = (struct parameter){"r", &p->r, NULL};
        out[1] = (struct parameter){"k", NULL, &p->k};
        return 2;
    case ONLINE_PA1:
    case ONLINE_PA2:
        out[0] = (struct parameter){"C", &p->C, NULL};
        return 1;
    case ONLINE_CW:
        out[0] = (struct parameter){"phi", &p->phi, NULL};
        return 1;
    case ONLINE_SOP:
        out[0] = (struct parameter){"a", &p->a, NULL};
        return 1;
    case ONLINE_FORWARD:
    case ONLINE_ADAGRAD_RDA:
        out[0] = (struct parameter){"eta", &p->eta, NULL};
        out[1] = (struct parameter){"lambda", &p->lambda, NULL};
        out[2] = (struct parameter){"delta", &p->delta, NULL};
        return 3;
    case ONLINE_PERCEPTRON:
    case ONLINE_PA:
        break;
    }
    return 0;
}

static const double *confusion_row(const void *context, int64_t i, double *buffer)
{
    (void)buffer;
    const struct online *o = context;
    return o->confusion + i * o->labels.count;
}

static int put_forward(struct model_writer *w, const struct online *o, struct error *err)
{
    const int64_t K = o->labels.count;
    return model_put_table(w, "seen", &o->seen, err) == 0
               ? model_put_rows(w, "confusion", K, K, confusion_row, o, err)
               : -1;
}

static int get_forward(const struct model *model, struct online *o, struct error *err)
{
    const int64_t K = o->labels.count;
    if (model_read_table(model, "seen", &o->seen, err) != 0)
        return -1;
    for (int64_t i = 0; i < o->seen.rows; i++)
        if (!(o->seen.w[i] >= 0 && o->seen.w[i] <= (double)o->counts.rounds))
            return error_at(err, model->file, 0, 0, "seen: not a round");
    for (int64_t cell = 0; cell < K * K; cell++)
        if (!(o->confusion[cell] >= 0))
            return error_at(err, model->file, 0, 0, "confusion: a probability is negative");
    return 0;
}

/* No variance and no sum of squares is negative; those of `forward`, which starts from a sum above
 * 0, stay above it.
 *
 * A variance of exactly 0 is what extreme values leave of a small one: its weight no longer moves.
 * A full covariance can lose its positive diagonal to rounding, where values are near 1e8 times the
 * square root of its start. */
static bool signs_are_sound(const struct online *o)
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
            sound &= o->options.rule == ONLINE_FORWARD ? o->squares.w[i] > 0 : o->squares.w[i] >= 0;
    return sound;
}

int online_save(const struct online *o, const struct online_file *file, const char *path,
                int threads, struct error *err)
{
    struct online_options p = o->options;
    struct parameter parameter[3];
    int count = parameters(&p, parameter);
    bool rda = p.rule == ONLINE_ADAGRAD_RDA, sop = p.rule == ONLINE_SOP,
         forward = p.rule == ONLINE_FORWARD;
    bool direct = !p.average && !rda && !sop && !forward; /* w is mu itself */
    struct weights w = {0};
    struct model_writer writer;
    if (!signs_are_sound(o)) /* such a model could not be loaded */
        return error_set(err,
                         "a variance is negative after %lld rounds: the values are too large for "
                         "form %s (-l 1 scales them); "
                         "no model is written",
                         (long long)o->counts.rounds, online_forms[p.form]);
    if (!direct && online_weights(o, &w, err) != 0)
        return -1;
    int status = model_begin(&writer, path, &o->labels, o->columns, o->mu.rows - 1, file->bias,
                             threads, err);
    if (status == 0)
        status = model_put_table(&writer, "w", direct ? &o->mu : &w, err);
    if (status == 0) {
        model_put_trailer(&writer);
        model_put_word(&writer, "learner", online_rules[p.rule]);
        model_put_int(&writer, "seed", file->seed);
        model_put_int(&writer, "unit_length", file->unit_length);
        model_put_int(&writer, "zero_based", file->zero_based);
        if (online_has_covariance(&p))
            model_put_word(&writer, "form", online_forms[p.form]);
        for (int i = 0; i < count; i++) {
            if (parameter[i].number)
                model_put_number(&writer, parameter[i].keyword, *parameter[i].number);
            else
                model_put_int(&writer, parameter[i].keyword, *parameter[i].integer);
        }
        model_put_int(&writer, "average", p.average);
        model_put_int(&writer, "rounds", o->counts.rounds);
        model_put_int(&writer, "mistakes", o->counts.mistakes);
        model_put_int(&writer, "updates", o->counts.updates);
        if (online_has_covariance(&p))
            status = put_sigma(&writer, &o->sigma, err);
        if (status == 0 && !direct)
            status = model_put_table(&writer, rda ? "u" : sop ? "v" : "mu", &o->mu, err);
        if (status == 0 && (rda || forward))
            status = model_put_table(&writer, "squares", &o->squares, err);
        if (status == 0 && forward)
            status = put_forward(&writer, o, err);
        if (status == 0 && p.average)
            status = model_put_table(&writer, "sum", &o->sum, err);
        if (status == 0 && p.average && rda)
            status = model_put_table(&writer, "last", &o->last, err);
        if (status == 0)
            status = model_finish(&writer, err);
    }
    model_abandon(&writer);
    weights_free(&w);
    return status;
}

static int get_options(const struct model *model, struct online_options *p, struct error *err)
{
    struct parameter parameter[3];
    if (model_choice(model, "learner", online_rules, &p->rule, err) != 0
        || (online_has_covariance(p)
            && model_choice(model, "form", online_forms, &p->form, err) != 0)
        || model_flag(model, "average", &p->average, err) != 0)
        return -1;
    int count = parameters(p, parameter);
    for (int i = 0; i < count; i++) {
        double lowest = strcmp(parameter[i].keyword, "lambda") == 0 ? 0 : 1e-300;
        if (parameter[i].number
                ? model_number(model, parameter[i].keyword, lowest, DBL_MAX, parameter[i].number,
                               err)
                      != 0
                : model_int(model, parameter[i].keyword, 0, INT32_MAX, parameter[i].integer, err)
                      != 0)
            return -1;
    }
    return 0;
}

struct online *online_load(const struct model *model, struct online_file *file, struct error *err)
{
    const int64_t most = INT64_C(1) << 53;
    struct online_options p = {0};
    struct labels labels = {0};
    struct online *o = NULL;
    file->bias = model->bias;
    if (get_options(model, &p, err) != 0
        || model_flag(model, "unit_length", &file->unit_length, err) != 0
        || model_flag(model, "zero_based", &file->zero_based, err) != 0
        || model_int(model, "seed", 0, most, &file->seed, err) != 0)
        return NULL;
    if (model_labels(model, &labels, err) != 0)
        return NULL;
    if (p.rule == ONLINE_FORWARD) {
        const struct model_block *block = model_find_block(model, "confusion", labels.count,
                                                           labels.count, err);
        if (!block)
            goto fail;
        p.confusion = block->number;
    }
    /* Full covariances are larger than the weights, which the file holds: they must be there before
     * they get room. */
    if (online_has_covariance(&p) && p.form == COVARIANCE_FULL
        && !find_full_sigma(model, weights_columns(labels.count), err))
        goto fail;
    if (!(o = online_new(&p, &labels, err)) || online_grow(o, model->d, err) != 0)
        goto fail;
    bool rda = p.rule == ONLINE_ADAGRAD_RDA, sop = p.rule == ONLINE_SOP,
         forward = p.rule == ONLINE_FORWARD;
    if (p.average || rda || sop || forward) {
        if (model_read_table(model, rda ? "u" : sop ? "v" : "mu", &o->mu, err) != 0)
            goto fail;
    } else {
        memcpy(o->mu.w, model->w.w, (size_t)(model->w.rows * model->w.stride) * sizeof(double));
    }
    if ((online_has_covariance(&p) && get_sigma(model, &o->sigma, err) != 0)
        || ((rda || forward) && model_read_table(model, "squares", &o->squares, err) != 0)
        || (p.average && model_read_table(model, "sum", &o->sum, err) != 0)
        || (p.average && rda && model_read_table(model, "last", &o->last, err) != 0)
        || model_int(model, "rounds", 0, most, &o->counts.rounds, err) != 0
        || model_int(model, "mistakes", 0, most, &o->counts.mistakes, err) != 0
        || model_int(model, "updates", 0, most, &o->counts.updates, err) != 0
        || (forward && get_forward(model, o, err) != 0))
        goto fail;
    if (!signs_are_sound(o)) {
        error_at(err, model->file, 0, 0, "a variance or a sum of squares is negative");
        goto fail;
    }
    labels_free(&labels);
    return o;

fail:
    labels_free(&labels);
    online_free(o);
    return NULL;
}

struct online *online_load_file(const char *path, int threads, struct online_file *file,
                                struct error *err)
{
    struct model model = {0};
    struct online *o = model_read(path, threads, 1, &model, err) == 0
                           ? online_load(&model, file, err)
                           : NULL;
    model_free(&model);
    return o;
}
