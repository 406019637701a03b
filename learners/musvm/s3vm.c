/* The semi-supervised SVM of s3vm.h.
 *
 * The problem is not convex.  Multiple switching needs no more than musvm_solve, for which the
 * solution before an exchange is a good start.  A margin is f_0 - f_1 of MU-SVM's two functions. */
#include "learners/musvm/s3vm.h"

#include "common/base/memory.h"
#include "common/base/order.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum {
    /* C_u / 4^6, C_u / 4^5 .. C_u.  No reason for the numbers but that they work. */
    STEPS = 6,
    STEP_FACTOR = 4,
    /* Exchanges at one C_u, at most.  Each lowers the objective but for rounding and eps, so there
     * is an end; the bound is for what these might do. */
    MOST_ROUNDS = 100
};

/* A sample whose label may be exchanged, and what orders it. */
struct s3vm_candidate {
    double value;
    int64_t i;
};

struct s3vm {
    const struct musvm_task *task;
    int64_t labelled;
    int32_t *y;
    const struct musvm_point *point;
    double least_gain; /* of the losses of a pair that is exchanged: more than what violations up to
                          eps may change in them, two before and two after the exchange */
    struct s3vm_candidate *positive, *negative; /* workspace: unlabelled each */
};

/* Largest value first, of equals the first sample: a total order, so every qsort gives the same. */
static int s3vm_by_value(const void *a, const void *b)
{
    const struct s3vm_candidate *u = a, *v = b;
    return order_by(v->value, u->value, u->i, v->i);
}

static double s3vm_margin(const struct s3vm *s, int64_t i)
{
    return s->point->f[i] - s->point->f[s->task->n + i];
}

static double s3vm_hinge(double z)
{
    return z < 1 ? 1 - z : 0;
}

/* Put as large a share of the unlabelled samples into class 0 as of the labelled: those with the
 * largest margins. */
static void s3vm_assign(struct s3vm *s, const double *factor)
{
    const int64_t unlabelled = s->task->n - s->labelled;
    int64_t first = 0, all = 0;
    for (int64_t i = 0; i < s->labelled; i++) {
        all += factor[i] > 0;
        first += factor[i] > 0 && s->y[i] == 0;
    }
    for (int64_t u = 0; u < unlabelled; u++)
        s->positive[u] = (struct s3vm_candidate){s3vm_margin(s, s->labelled + u), s->labelled + u};
    qsort(s->positive, (size_t)unlabelled, sizeof *s->positive, s3vm_by_value);
    int64_t share = all > 0 ? (int64_t)((double)unlabelled * (double)first / (double)all + 0.5) : 0;
    for (int64_t u = 0; u < unlabelled; u++)
        s->y[s->positive[u].i] = u < share ? 0 : 1;
}

/* Exchange the labels of all pairs that gain by it: the best sample of each side, the second best,
 * and so on.  Returns how many. */
static int64_t s3vm_exchange(struct s3vm *s)
{
    int64_t p = 0, q = 0, pairs = 0;
    for (int64_t i = s->labelled; i < s->task->n; i++) {
        double z = s->y[i] == 0 ? s3vm_margin(s, i) : -s3vm_margin(s, i),
               gain = s3vm_hinge(z) - s3vm_hinge(-z);
        if (s->y[i] == 0)
            s->positive[p++] = (struct s3vm_candidate){gain, i};
        else
            s->negative[q++] = (struct s3vm_candidate){gain, i};
    }
    qsort(s->positive, (size_t)p, sizeof *s->positive, s3vm_by_value);
    qsort(s->negative, (size_t)q, sizeof *s->negative, s3vm_by_value);
    while (pairs < p && pairs < q) {
        if (!(s->positive[pairs].value + s->negative[pairs].value > s->least_gain))
            break;
        s->y[s->positive[pairs].i] = 1;
        s->y[s->negative[pairs].i] = 0;
        pairs++;
    }
    return pairs;
}

/* What the solutions before the last one took. */
struct s3vm_taken {
    int64_t updates, sweeps;
    bool converged; /* all of them */
};

/* Solve with the present labels and exchange pairs, until there is no pair to exchange.
 * options->most_updates is for all solutions together.  0 or -1. */
static int s3vm_switch(struct s3vm *s, const struct musvm_options *options,
                       struct musvm_point *point, struct s3vm_taken *taken,
                       struct musvm_result *result, struct error *err)
{
    struct musvm_options rest = *options; /* with the updates that are left of most_updates */
    for (int round = 0; round < MOST_ROUNDS; round++) {
        taken->updates += result->updates;
        taken->sweeps += result->sweeps;
        if (options->most_updates > 0)
            rest.most_updates = options->most_updates > taken->updates
                                    ? options->most_updates - taken->updates
                                    : 1;
        if (musvm_solve(s->task, &rest, point, result, err) != 0)
            return -1;
        taken->converged = taken->converged && result->converged;
        if (s3vm_exchange(s) == 0)
            return 0;
    }
    taken->converged = false; /* the point is not that of the labels after the last exchange */
    return 0;
}

int s3vm_solve(const struct musvm_task *task, int64_t labelled, int32_t *y, double *factor,
               const struct musvm_options *options, double C_u, struct musvm_point *point,
               struct musvm_result *result, struct error *err)
{
    assert(task->classes == 2 && task->m == 0 && labelled >= 0 && labelled <= task->n);
    assert(task->y == y && options->factor == factor);
    const int64_t unlabelled = task->n - labelled;
    struct s3vm s = {
        .task = task, .labelled = labelled, .y = y, .point = point, .least_gain = 4 * options->eps};
    struct s3vm_taken taken = {0};
    int status = -1;
    *result = (struct musvm_result){0};
    if (!(s.positive = memory_new(unlabelled + 1, sizeof *s.positive, err))
        || !(s.negative = memory_new(unlabelled + 1, sizeof *s.negative, err)))
        goto done;
    if (!isfinite(C_u / options->C)) {
        error_set(err, "the cost of an unlabelled example is too large beside C");
        goto done;
    }

    /* The SVM of the labelled samples. */
    for (int64_t i = labelled; i < task->n; i++) {
        y[i] = 1;
        factor[i] = 0;
    }
    if (musvm_solve(task, options, point, result, err) != 0)
        goto done;
    taken.converged = result->converged;
    s3vm_assign(&s, factor);

    double scale = 1;
    for (int step = 0; step < STEPS; step++)
        scale /= STEP_FACTOR;
    for (int step = 0; step <= STEPS; step++, scale *= STEP_FACTOR) {
        if (unlabelled == 0)
            break;
        for (int64_t i = labelled; i < task->n; i++)
            factor[i] = scale * C_u / options->C;
        if (s3vm_switch(&s, options, point, &taken, result, err) != 0)
            goto done;
    }
    result->converged = taken.converged;
    result->updates += taken.updates;
    result->sweeps += taken.sweeps;
    status = 0;
done:
    memory_free(s.positive);
    memory_free(s.negative);
    return status;
}
