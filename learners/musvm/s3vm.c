#include "learners/musvm/s3vm.h"

#include "common/base/memory.h"
#include "common/base/order.h"

#include <math.h>
#include <stdlib.h>

enum {
    STEPS = 6,         /* C_u / 4^6, C_u / 4^5 .. C_u */
    MOST_ROUNDS = 100, /* of exchanges at one C_u.  Each lowers the objective, but for what eps
                          leaves to rounding */
};

struct candidate {
    double value;
    int64_t i;
};

static int by_value(const void *a, const void *b)
{
    const struct candidate *u = a, *v = b;
    return order_by(v->value, u->value, u->i, v->i);
}

struct s3vm {
    const struct musvm_task *task;
    int64_t labelled;
    int32_t *y;
    const struct musvm_point *point;
    double least_gain;
    struct candidate *positive, *negative; /* room: unlabelled each */
};

/* f_0 - f_1 of a sample. */
static double margin(const struct s3vm *s, int64_t i)
{
    return s->point->f[i] - s->point->f[s->task->n + i];
}

static double hinge(double z)
{
    return z < 1 ? 1 - z : 0;
}

/* As large a share of the unlabelled samples in class 0 as of the labelled: those with the largest
 * margins. */
static void assign(struct s3vm *s, const double *factor)
{
    const int64_t unlabelled = s->task->n - s->labelled;
    int64_t first = 0, all = 0;
    for (int64_t i = 0; i < s->labelled; i++) {
        all += factor[i] > 0;
        first += factor[i] > 0 && s->y[i] == 0;
    }
    for (int64_t u = 0; u < unlabelled; u++)
        s->positive[u] = (struct candidate){margin(s, s->labelled + u), s->labelled + u};
    qsort(s->positive, (size_t)unlabelled, sizeof *s->positive, by_value);
    int64_t share = all > 0 ? (int64_t)((double)unlabelled * (double)first / (double)all + 0.5) : 0;
    for (int64_t u = 0; u < unlabelled; u++)
        s->y[s->positive[u].i] = u < share ? 0 : 1;
}

/* Exchange the labels of all pairs that gain by it: the best of each side, the second best, ...
 * How many. */
static int64_t exchange(struct s3vm *s)
{
    int64_t p = 0, q = 0, pairs = 0;
    for (int64_t i = s->labelled; i < s->task->n; i++) {
        double z = s->y[i] == 0 ? margin(s, i) : -margin(s, i), gain = hinge(z) - hinge(-z);
        if (s->y[i] == 0)
            s->positive[p++] = (struct candidate){gain, i};
        else
            s->negative[q++] = (struct candidate){gain, i};
    }
    qsort(s->positive, (size_t)p, sizeof *s->positive, by_value);
    qsort(s->negative, (size_t)q, sizeof *s->negative, by_value);
    for (; pairs < p && pairs < q
           && s->positive[pairs].value + s->negative[pairs].value > s->least_gain;
         pairs++) {
        s->y[s->positive[pairs].i] = 1;
        s->y[s->negative[pairs].i] = 0;
    }
    return pairs;
}

int s3vm_solve(const struct musvm_task *task, int64_t labelled, int32_t *y, double *factor,
               const struct musvm_options *options, double C_u, struct musvm_point *point,
               struct musvm_result *result, struct error *err)
{
    const int64_t unlabelled = task->n - labelled;
    struct s3vm s = {
        .task = task, .labelled = labelled, .y = y, .point = point, .least_gain = 4 * options->eps};
    s.positive = memory_new(unlabelled + 1, sizeof *s.positive, err);
    s.negative = memory_new(unlabelled + 1, sizeof *s.negative, err);
    struct musvm_options part =
        *options; /* of one solution: the updates that are left of most_updates */
    int64_t updates = 0, sweeps = 0;
    int status = s.positive && s.negative ? 0 : -1;
    *result = (struct musvm_result){0};
    if (status == 0 && !isfinite(C_u / options->C))
        status = error_set(err, "the cost of an unlabelled example is too large beside C");
    for (int64_t i = labelled; i < task->n && status == 0; i++)
        y[i] = 1, factor[i] = 0;
    if (status == 0)
        status = musvm_solve(task, options, point, result, err);
    bool converged = status == 0 && result->converged;
    if (status == 0)
        assign(&s, factor);
    double scale = 1;
    for (int step = 0; step < STEPS; step++)
        scale /= 4;
    for (int step = 0; step <= STEPS && status == 0 && unlabelled > 0; step++, scale *= 4) {
        for (int64_t i = labelled; i < task->n; i++)
            factor[i] = scale * C_u / options->C;
        for (int round = 0; round < MOST_ROUNDS && status == 0; round++) {
            updates += result->updates;
            sweeps += result->sweeps;
            if (options->most_updates > 0)
                part.most_updates = options->most_updates > updates
                                        ? options->most_updates - updates
                                        : 1;
            status = musvm_solve(task, &part, point, result, err);
            converged = converged && result->converged;
            if (status != 0 || exchange(&s) == 0)
                break;
        }
    }
    result->converged = converged;
    result->updates += updates;
    result->sweeps += sweeps;
    memory_free(s.positive);
    memory_free(s.negative);
    return status;
}
