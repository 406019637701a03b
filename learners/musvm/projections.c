/* A projection of every class at once is O(K): only the two largest scores matter. */
#include "learners/musvm/projections.h"

#include "common/base/input.h"
#include "common/base/memory.h"
#include "common/base/number.h"
#include "common/base/order.h"
#include "common/data/labels.h"
#include "common/data/problem_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct projector {
    const struct predict_model *model;
    const struct predict_options *options;
    struct output *out;
    struct labels labels; /* of the model, ascending */
    int64_t *position;    /* labels.count: of each of them among the scores */
    double *scores;       /* PREDICT_ROWS x columns */
};

/* The projection on class k.  best: the class with the largest score, given so that all classes
 * together cost O(columns). */
static double projections_find(const struct predict_model *model, const double *f, int64_t best,
                               int64_t k)
{
    if (model->columns == 1)
        return k == 0 ? f[0] : 0 - f[0];
    if (k != best)
        return f[k] - f[best];
    double second = -HUGE_VAL;
    for (int64_t l = 0; l < model->columns; l++)
        if (l != best && f[l] > second)
            second = f[l];
    return f[best] - second;
}

/* A line; false: the projection is not finite. */
static bool projections_write_line(struct projector *p, const char *set, const double *f,
                                   int64_t best, int64_t k)
{
    char text[4 * NUMBER_TEXT], *end = text + strlen(set);
    double value = projections_find(p->model, f, best, k);
    memcpy(text, set, strlen(set));
    *end++ = '\t';
    end = number_write_int(end, p->model->label[k]);
    *end++ = '\t';
    end = number_write(end, value);
    *end++ = '\t';
    end = number_write_int(end, p->model->label[best]);
    *end++ = '\n';
    output_write(p->out, text, end - text);
    return isfinite(value);
}

/* The lines of one example. */
static bool projections_write_example(struct projector *p, const double *f, int64_t label,
                                      bool universum)
{
    int64_t best = predict_choice(p->model, f);
    if (!universum) {
        int64_t own = labels_find(&p->labels, label);
        return own < 0 || projections_write_line(p, "train", f, best, p->position[own]);
    }
    bool good = true;
    for (int64_t c = 0; c < p->labels.count; c++)
        good &= projections_write_line(p, "universum", f, best, p->position[c]);
    return good;
}

/* The lines of some examples, PREDICT_ROWS at most.  0, or -1 with the line. */
static int projections_write_examples(struct projector *p, const struct problem *some,
                                      bool universum, struct error *err)
{
    if (predict_scores(p->model, some, p->scores, err) != 0)
        return -1;
    for (int64_t i = 0; i < some->n; i++)
        if (!projections_write_example(p, p->scores + i * p->model->columns, some->label[i],
                                       universum))
            return error_at(err, NULL, some->line[i], 0,
                            "a projection is not finite: the values are too large for this model");
    return 0;
}

/* The lines of a file; a write that fails ends it early, and is found by the caller. */
static int projections_write_file(struct projector *p, const char *path, bool universum,
                                  struct error *err)
{
    struct problem problem = {0};
    struct example_format format = p->options->format;
    format.unlabelled = true;
    format.bias = p->model->bias;
    if (universum) { /* only lines of the test file are answered, so only they are skipped */
        format.bad = NULL;
        format.cut = NULL;
    }
    int status = problem_hold(path, &format, p->options->threads, &problem, err);
    for (int64_t first = 0; first < problem.n; first += PREDICT_ROWS) {
        struct problem some = problem_part(&problem, first,
                                           order_least(problem.n - first, PREDICT_ROWS));
        if (status != 0 || p->out->failed)
            break;
        status = projections_write_examples(p, &some, universum, err);
    }
    if (status != 0)
        error_name(err, input_name(path));
    problem_free(&problem);
    return status;
}

int projections_write(const struct predict_model *model, const char *test, const char *universum,
                      const struct predict_options *options, struct output *out, struct error *err)
{
    struct projector p = {.model = model, .options = options, .out = out};
    int status = -1;
    if (model->classes < 2)
        return error_set(err, "a model of one class: there is no other to project against");
    if (labels_from(model->label, model->classes, &p.labels, err) == 0
        && (p.position = memory_new(model->classes, sizeof *p.position, err))
        && (p.scores = memory_new(PREDICT_ROWS * model->columns, sizeof *p.scores, err))) {
        for (int64_t k = 0; k < model->classes; k++)
            p.position[labels_find(&p.labels, model->label[k])] = k;
        output_text(out, "set\tclass\tprojection\tpredicted\n");
        status = projections_write_file(&p, test, false, err);
        if (status == 0 && universum)
            status = projections_write_file(&p, universum, true, err);
    }
    labels_free(&p.labels);
    memory_free(p.position);
    memory_free(p.scores);
    return status;
}
