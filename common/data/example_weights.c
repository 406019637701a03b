/* A number a line (example_lines.h). */
#include "common/data/example_weights.h"

#include "common/base/memory.h"
#include "common/data/rows.h"

int example_weights_open(struct example_weights *w, const char *path, const struct stop *stop,
                         struct error *err)
{
    w->some = false;
    return example_lines_open(&w->lines, path, "weights", stop, err);
}

/* The one number of the current line. */
static int example_weights_parse(struct text *text, double *weight, struct error *err)
{
    const int status = text_number(text, weight, err);
    if (status < 0)
        return -1;
    if (status == 0)
        return text_refuse(text, err, "a weight was expected");
    if (*weight < 0)
        return text_refuse(text, err, "a weight must not be negative: %g", *weight);
    if (*weight > EXAMPLE_WEIGHT_MOST)
        return text_refuse(text, err, "a weight of %g is too large (the most is %g)", *weight,
                           EXAMPLE_WEIGHT_MOST);
    if (text_token(text))
        return text_refuse(text, err, "one weight a line was expected");
    if (*weight < EXAMPLE_WEIGHT_LEAST)
        *weight = 0;
    return 0;
}

int example_weights_next(struct example_weights *w, int64_t n, double *weight, struct error *err)
{
    for (int64_t i = 0; i < n; i++) {
        if (example_lines_next(&w->lines, err) != 0
            || example_weights_parse(&w->lines.text, &weight[i], err) != 0)
            return -1;
        w->some = w->some || weight[i] > 0;
    }
    return 0;
}

int example_weights_end(struct example_weights *w, struct error *err)
{
    if (example_lines_end(&w->lines, err) != 0)
        return -1;
    return w->some ? 0 : error_at(err, w->lines.text.name, 0, 0, "all weights are 0");
}

void example_weights_close(struct example_weights *w)
{
    example_lines_close(&w->lines);
}

int example_weights_read(const char *path, struct problem *problem, int32_t *y, uint64_t *group,
                         double **weight, struct error *err)
{
    struct example_weights w;
    double *all = memory_new(problem->n, sizeof *all, err);
    if (!all)
        return -1;
    int status = example_weights_open(&w, path, NULL, err);
    if (status == 0)
        status = example_weights_next(&w, problem->n, all, err);
    if (status == 0)
        status = example_weights_end(&w, err);
    example_weights_close(&w);
    const int64_t n = problem->n;
    if (status == 0 && problem->disk)
        status = rows_drop(problem, all, err);
    else if (status == 0)
        problem_drop(problem, all);
    if (status != 0) {
        memory_free(all);
        return -1;
    }
    for (int64_t i = 0, kept = 0; i < n; i++) {
        if (!(all[i] > 0))
            continue;
        y[kept] = y[i];
        if (group)
            group[kept] = group[i];
        all[kept++] = all[i];
    }
    *weight = all;
    return 0;
}
