/* The bandit learners' model file: what of the state stands where.
 *
 *   w        what prediction uses: the average, or the weights themselves; two classes: their
 *            difference
 *   current  the weights, K columns, unless w is just that;  sum: what the average needs
 *            (average.h)
 *   squares  of NSM;  sigma: of SOBA, 1/A;  said: what RCINE's estimator has counted.  SOBA's full
 *            A is not kept, nor are the rounds that RCINE collects: neither goes on from a model,
 *            RCINE but for the rounds since its last estimate
 * Numbers are written so that reading gives the same double: going on is exact. */
#include "common/model/model_writer.h"
#include "learners/bandit/bandit_state.h"

#include <float.h>
#include <string.h>

static const char *const iterates[] = {"last", "average", NULL};

static bool is_direct(const struct bandit *b)
{
    return !b->options.average && b->labels.count > 2;
}

static int put_weights(const struct bandit *b, struct model_writer *writer, struct error *err)
{
    struct weights w = {0}, one = {0};
    int status = bandit_weights(b, &w, err);
    if (status == 0 && b->labels.count == 2)
        status = weights_difference(&w, &one, err);
    if (status == 0)
        status = model_put_table(writer, "w", b->labels.count == 2 ? &one : &w, err);
    weights_free(&w);
    weights_free(&one);
    return status;
}

static const double *said_row(const void *context, int64_t i, double *buffer)
{
    const struct noise_rates *rates = context;
    (void)buffer;
    return rates->said[i];
}

static int put_state(const struct bandit *b, struct model_writer *writer, struct error *err)
{
    int status = is_direct(b) ? 0 : model_put_table(writer, "current", &b->w, err);
    if (status == 0 && b->sum.w)
        status = model_put_table(writer, "sum", &b->sum, err);
    if (status == 0 && b->options.rule == BANDIT_NSM)
        status = model_put_table(writer, "squares", &b->squares, err);
    if (status == 0 && b->options.rule == BANDIT_SOBA && !b->options.full)
        status = model_put_table(writer, "sigma", &b->sigma.diagonal, err);
    if (status == 0 && b->options.rule == BANDIT_RCINE)
        status = model_put_rows(writer, "said", 2, 2, said_row, &b->rates, err);
    return status;
}

static void put_estimator(struct model_writer *writer, const struct bandit_options *p)
{
    char layers[NOISE_RATE_LAYERS_TEXT];
    model_put_int(writer, "period", p->period);
    model_put_word(writer, "estimator", noise_rate_estimators[p->estimator]);
    if (p->estimator == NOISE_RATE_MARGIN)
        return;
    noise_rate_layers_text(&p->network, layers);
    model_put_word(writer, "hidden", layers);
    model_put_number(writer, "dropout", p->network.dropout);
    model_put_int(writer, "epochs", p->network.epochs);
}

static int get_estimator(const struct model *model, struct bandit_options *p, struct error *err)
{
    const int64_t most = INT64_C(1) << 53;
    const char *layers;
    if (model_int(model, "period", NOISE_RATE_FEWEST, most, &p->period, err) != 0
        || model_choice(model, "estimator", noise_rate_estimators, &p->estimator, err) != 0)
        return -1;
    if (p->estimator == NOISE_RATE_MARGIN)
        return 0;
    if (model_word(model, "hidden", &layers, err) != 0
        || model_number(model, "dropout", 0, 0.99, &p->network.dropout, err) != 0
        || model_int(model, "epochs", 1, INT32_MAX, &p->network.epochs, err) != 0)
        return -1;
    return noise_rate_parse_layers(layers, &p->network) == 0
               ? 0
               : error_at(err, model->file, 0, 0, "the value of `hidden` is malformed");
}

int bandit_save(const struct bandit *b, const struct bandit_file *file, const char *path,
                int threads, struct error *err)
{
    const struct bandit_options *p = &b->options;
    struct model_writer writer;
    int status = model_begin(&writer, path, &b->labels, weights_columns(b->labels.count),
                             b->w.rows - 1, file->bias, threads, err);
    if (status == 0)
        status = put_weights(b, &writer, err);
    if (status == 0) {
        model_put_trailer(&writer);
        model_put_word(&writer, "learner", bandit_rules[p->rule]);
        model_put_int(&writer, "seed", file->seed);
        model_put_int(&writer, "unit_length", file->unit_length);
        model_put_int(&writer, "zero_based", file->zero_based);
        model_put_number(&writer, "gamma", p->gamma);
        model_put_word(&writer, "weights", iterates[p->average]);
        model_put_int(&writer, "play_average", p->play_average);
        if (p->rule == BANDIT_SOBA) {
            model_put_number(&writer, "a", p->prior);
            model_put_int(&writer, "full", p->full);
            model_put_number(&writer, "margins", b->margins);
        }
        if (p->rule == BANDIT_NSM)
            model_put_number(&writer, "eta", p->eta);
        if (p->rule == BANDIT_RCINE)
            put_estimator(&writer, p);
        model_put_int(&writer, "rounds", b->rounds);
        model_put_int(&writer, "drawn", file->drawn);
        model_put_number(&writer, "rho0", b->rates.rho[0]);
        model_put_number(&writer, "rho1", b->rates.rho[1]);
        status = put_state(b, &writer, err);
        if (status == 0)
            status = model_finish(&writer, err);
    }
    model_abandon(&writer);
    return status;
}

static int get_options(const struct model *model, struct bandit_options *p, struct error *err)
{
    int64_t iterate;
    if (model_choice(model, "learner", bandit_rules, &p->rule, err) != 0
        || model_number(model, "gamma", 0, 1, &p->gamma, err) != 0
        || model_choice(model, "weights", iterates, &iterate, err) != 0
        || model_flag(model, "play_average", &p->play_average, err) != 0
        || model_number(model, "rho0", 0, 1, &p->rho[0], err) != 0
        || model_number(model, "rho1", 0, 1, &p->rho[1], err) != 0
        || (p->rule == BANDIT_SOBA
            && model_number(model, "a", 1e-300, DBL_MAX, &p->prior, err) != 0)
        || (p->rule == BANDIT_SOBA && model_flag(model, "full", &p->full, err) != 0)
        || (p->rule == BANDIT_NSM && model_number(model, "eta", 1e-300, DBL_MAX, &p->eta, err) != 0)
        || (p->rule == BANDIT_RCINE && get_estimator(model, p, err) != 0))
        return -1;
    p->average = iterate == 1;
    if (p->rho[0] + p->rho[1] >= 1)
        return error_at(err, model->file, 0, 0, "rho0 + rho1 is not below 1");
    if (p->full)
        return error_at(
            err, model->file, 0, 0,
            "soba with its full matrix does not go on: the model does not hold that matrix");
    return 0;
}

/* What RCINE has found out. */
static int get_rates(const struct model *model, struct bandit *b, struct error *err)
{
    struct noise_rates rates = {.rho = {b->options.rho[0], b->options.rho[1]}};
    const struct model_block *said = model_find_block(model, "said", 2, 2, err);
    if (!said)
        return -1;
    for (int i = 0; i < 4; i++) {
        if (!(said->number[i] >= 0))
            return error_at(err, model->file, said->line, 0, "a count is negative");
        rates.said[i / 2][i % 2] = said->number[i];
    }
    bandit_set_rates(b, &rates);
    return 0;
}

static int get_state(const struct model *model, struct bandit *b, struct error *err)
{
    const int64_t most = INT64_C(1) << 53;
    if (is_direct(b))
        memcpy(b->w.w, model->w.w, (size_t)(model->w.rows * model->w.stride) * sizeof *b->w.w);
    else if (model_read_table(model, "current", &b->w, err) != 0)
        return -1;
    if ((b->sum.w && model_read_table(model, "sum", &b->sum, err) != 0)
        || (b->options.rule == BANDIT_NSM
            && model_read_table(model, "squares", &b->squares, err) != 0)
        || (b->options.rule == BANDIT_SOBA
            && model_read_table(model, "sigma", &b->sigma.diagonal, err) != 0)
        || (b->options.rule == BANDIT_SOBA
            && model_number(model, "margins", 0, DBL_MAX, &b->margins, err) != 0)
        || model_int(model, "rounds", 0, most, &b->rounds, err) != 0)
        return -1;
    if (b->options.rule == BANDIT_RCINE && get_rates(model, b, err) != 0)
        return -1;
    /* No learner writes anything else: a sum of squares starts above 0, a variance may wear down to
     * 0. */
    for (int64_t i = 0; i < b->squares.rows * b->squares.stride; i++)
        if (!(b->squares.w[i] > 0))
            return error_at(err, model->file, 0, 0, "a sum of squares is not positive");
    for (int64_t i = 0; i < b->sigma.diagonal.rows * b->sigma.diagonal.stride; i++)
        if (!(b->sigma.diagonal.w[i] >= 0))
            return error_at(err, model->file, 0, 0, "a variance is negative");
    return 0;
}

struct bandit *bandit_load(const struct model *model, int64_t seed, int threads,
                           struct bandit_file *file, struct error *err)
{
    const int64_t most = INT64_C(1) << 53;
    struct bandit_options p = {.prior = 1, .threads = threads};
    struct labels labels = {0};
    file->bias = model->bias;
    if (get_options(model, &p, err) != 0
        || model_flag(model, "unit_length", &file->unit_length, err) != 0
        || model_flag(model, "zero_based", &file->zero_based, err) != 0
        || model_int(model, "seed", 0, most, &file->seed, err) != 0
        || model_int(model, "drawn", 0, most, &file->drawn, err) != 0
        || model_labels(model, &labels, err) != 0)
        return NULL;
    if (seed >= 0)
        file->seed = seed;
    p.seed = file->seed;
    struct bandit *b = bandit_new(&p, &labels, err);
    labels_free(&labels);
    if (b && (bandit_grow(b, model->d, err) != 0 || get_state(model, b, err) != 0)) {
        bandit_free(b);
        return NULL;
    }
    return b;
}
