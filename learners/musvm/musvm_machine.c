/* The machines of musvm_machine.h.
 *
 * A problem of two classes is a task with labels 0 and 1 of its own, in which samples of other
 * classes are left out by a factor 0 of C, so that all problems share the samples and their kernel
 * rows; or, of a pair, are not there at all (musvm_part_alone).  They are independent: each is one
 * job for the threads, and fills its own columns of the machine. */
#include "learners/musvm/musvm_machine.h"

#include "common/base/memory.h"
#include "common/base/parallel.h"
#include "common/model/predict.h"
#include "learners/musvm/musvm_state.h"
#include "learners/musvm/s3vm.h"

#include <assert.h>
#include <math.h>
#include <string.h>

double musvm_c_star(const struct musvm_costs *costs, int64_t n, int64_t m, int64_t classes)
{
    if (!(costs->C_star < 0))
        return costs->C_star;
    return m > 0 ? costs->C * (double)n / ((double)m * (double)classes) : 0;
}

bool musvm_votes(const struct musvm_plan *plan, int64_t classes)
{
    return plan->scheme == MUSVM_OVO && classes > 2;
}

int64_t musvm_columns(const struct musvm_plan *plan, int64_t classes)
{
    return musvm_votes(plan, classes) ? classes * (classes - 1) / 2 : classes;
}

int64_t musvm_parts(const struct musvm_plan *plan, int64_t classes)
{
    return plan->scheme == MUSVM_WHOLE || classes <= 2 ? 1 : musvm_columns(plan, classes);
}

/* The solver stops after the larger of these two numbers of updates.  It might not converge if the
 * kernel is not positive semidefinite, eps is below rounding error, or C is huge and a few examples
 * are indistinguishable; the limit then ends it within seconds.  (LIBSVM's limit is at least 10^7.
 * Eight samples, some of them equal, with C = 10^6 needed 1.9 10^7 updates; 113 of iris, with
 * C = 1000 and a polynomial kernel, 43000 each.) */
enum { MOST_UPDATES = 20000000, MOST_UPDATES_A_SAMPLE = 20000 };

int64_t musvm_usual_updates(int64_t samples)
{
    const int64_t updates = MOST_UPDATES_A_SAMPLE * samples;
    return updates > MOST_UPDATES ? updates : MOST_UPDATES;
}

double musvm_bytes(const struct musvm_plan *plan, const struct musvm_task *task, bool in_w,
                   int64_t trials, int threads)
{
    const int64_t parts = musvm_parts(plan, task->classes),
                  columns = musvm_columns(plan, task->classes), d = task->samples->d,
                  functions = plan->scheme == MUSVM_WHOLE ? task->classes : 2; /* of one problem */
    const double n = (double)task->n, N = n + (double)task->m;
    const int64_t at_once = trials > 0 || threads < parts ? threads : parts;
    const double number = sizeof(double), rows = N * (double)functions * number; /* like alpha */
    double solver = 2 * rows + 5 * number * N; /* alpha, f; due, rest, order, violation, diagonal */
    if (plan->scheme != MUSVM_WHOLE)
        solver += (number + sizeof(int32_t)) * N; /* factor, y */
    if (in_w) /* w; of an extrapolation its origin and previous step, their w, and its direction */
        solver += 2 * rows + 4 * weights_bytes(functions, d);
    else
        solver += musvm_block_bytes(task->n + task->m, functions);
    const bool alone = musvm_votes(plan, task->classes) && !in_w;
    if (alone)
        solver += 4 * number * N; /* place; of the part's kernel rows the diagonal and two rows */
    if (trials > 0)
        solver += number * n; /* factors without those of a fold */
    if (plan->semi)
        solver += 4 * number * (double)task->m; /* both lists of candidates of s3vm.c */
    double bytes = (double)at_once * solver + number * N * (double)columns; /* coef */
    if (alone) /* of a part of a cache, one at a time: its order, in place of two rows another two
                  numbers for each sample, and the pair's examples, at most all */
        bytes += 2 * number * N + problem_bytes_held(task->samples)
                 + kernel_data_bytes(task->samples);
    if (plan->linear) /* of two classes also the difference, which the model holds */
        bytes += weights_bytes(columns, d) + (columns == 2 ? weights_bytes(1, d) : 0);
    if (trials > 0)
        bytes += number * n * (double)columns * (double)trials; /* decision values */
    return bytes;
}

/* ---- one problem ---- */

/* The pair of classes of ovo's problem `index`. */
static void musvm_find_pair(int64_t index, int64_t classes, int64_t *first, int64_t *second)
{
    *first = 0;
    while (index >= classes - 1 - *first)
        index -= classes - 1 - (*first)++;
    *second = *first + 1 + index;
    assert(*first < *second && *second < classes);
}

/* The labels of a problem of two classes, and who takes part.  0 or -1 (memory). */
static int musvm_part_split(const struct musvm_task *task, const double *factor,
                            struct musvm_part *part, struct error *err)
{
    const int64_t unlabelled = part->plan->semi ? part->m : 0, n = task->n + unlabelled;
    if (!(part->y = memory_new(n, sizeof *part->y, err))
        || !(part->factor = memory_new(n, sizeof *part->factor, err)))
        return -1;
    for (int64_t i = 0; i < task->n; i++) {
        const bool first = task->y[i] == part->first,
                   second = !first && (part->second < 0 || task->y[i] == part->second);
        part->y[i] = first ? 0 : 1;
        part->factor[i] = first || second ? musvm_factor(factor, i) : 0;
    }
    part->task.classes = 2;
    part->task.n = n;
    part->task.m = part->m - unlabelled;
    part->task.y = part->y;
    part->options.factor = part->factor;
    return 0;
}

int musvm_part_make(const struct musvm_plan *plan, const struct musvm_task *task,
                    const double *factor, int64_t index, struct musvm_part *part, struct error *err)
{
    assert(index >= 0 && index < musvm_parts(plan, task->classes));
    assert(plan->scheme == MUSVM_WHOLE || task->classes >= 2);
    *part = (struct musvm_part){.plan = plan,
                                .index = index,
                                .columns = musvm_columns(plan, task->classes),
                                .first = index,
                                .second = -1,
                                .task = *task,
                                .options = plan->solver,
                                .m = task->m};
    part->options.factor = factor;
    if (musvm_votes(plan, task->classes))
        musvm_find_pair(index, task->classes, &part->first, &part->second);
    if ((plan->scheme != MUSVM_WHOLE && musvm_part_split(task, factor, part, err) != 0)
        || musvm_point_make(&part->task, &part->point, err) != 0) {
        musvm_part_free(part);
        return -1;
    }
    for (int64_t i = 0; i < task->n; i++)
        part->n += musvm_factor(part->options.factor, i) > 0;
    return 0;
}

int musvm_part_alone(struct musvm_part *part, struct error *err)
{
    if (!part->task.rows || part->second < 0)
        return 0;
    const int64_t all = part->task.n;
    if (!(part->place = memory_new(part->n + part->m, sizeof *part->place, err)))
        return -1;
    int64_t count = 0;
    for (int64_t i = 0; i < all + part->m; i++) {
        if (i < all && !(part->factor[i] > 0))
            continue;
        if (i < all) {
            part->y[count] = part->y[i];
            part->factor[count] = part->factor[i];
        }
        part->place[count++] = i;
    }
    assert(count == part->n + part->m);
    struct kernel_rows *rows = kernel_rows_part(part->task.rows, part->place, count, err);
    if (!rows)
        return -1;
    part->rows = part->task.rows = rows;
    part->task.place = part->place;
    part->task.n = part->n;
    musvm_point_free(&part->point);
    return musvm_point_make(&part->task, &part->point, err);
}

void musvm_part_free(struct musvm_part *part)
{
    kernel_rows_free(part->rows);
    memory_free(part->place);
    musvm_point_free(&part->point);
    memory_free(part->y);
    memory_free(part->factor);
    *part = (struct musvm_part){.plan = part->plan};
}

int musvm_part_solve(struct musvm_part *part, const struct musvm_costs *costs, struct error *err)
{
    const double scale = part->plan->scheme == MUSVM_WHOLE ? 1 : 0.5;
    struct musvm_options *o = &part->options;
    o->C = scale * costs->C;
    o->C_star = scale * musvm_c_star(costs, part->n, part->m, part->task.classes);
    o->delta = costs->delta;
    int status = part->plan->semi
                     ? s3vm_solve(&part->task, part->task.n - part->m, part->y, part->factor, o,
                                  o->C_star, &part->point, &part->result, err)
                     : musvm_solve(&part->task, o, &part->point, &part->result, err);
    part->result.objective /= scale;
    part->result.primal /= scale;
    return status;
}

/* The part's columns of a row of the machine's: from[0], from[stride], .. are what the part's
 * problem has for its classes.  One of several problems makes one column, the difference. */
static void musvm_part_columns(const struct musvm_part *part, const double *from, int64_t stride,
                               double *to)
{
    if (part->columns == part->task.classes)
        for (int64_t l = 0; l < part->columns; l++)
            to[l] = from[l * stride];
    else
        to[part->index] = from[0] - from[stride];
}

void musvm_part_values(const struct musvm_part *part, int64_t i, double *f)
{
    musvm_part_columns(part, part->point.f + i, part->task.n + part->task.m, f);
}

int64_t musvm_decide(const struct musvm_plan *plan, int64_t classes, const double *f, double *votes)
{
    if (!musvm_votes(plan, classes))
        return weights_best(f, classes);
    predict_votes(f, classes, votes);
    return weights_best(votes, classes);
}

/* ---- a machine ---- */

struct musvm_training {
    const struct musvm_plan *plan;
    const struct musvm_task *task;
    const double *factor;
    const struct musvm_costs *costs;
    struct progress *progress;
    struct musvm_machine *machine;
    struct musvm_result *result; /* parts */
};

/* Train part `index`, a job of the threads, and copy its solution to the machine.  0 or -1. */
static int musvm_training_part(void *context, int64_t index, struct error *err)
{
    const struct musvm_training *t = context;
    struct musvm_machine *machine = t->machine;
    struct musvm_part part;
    if (musvm_part_make(t->plan, t->task, t->factor, index, &part, err) != 0)
        return -1;
    if (musvm_part_alone(&part, err) != 0) {
        musvm_part_free(&part);
        return -1;
    }
    if (machine->parts == 1)
        part.options.progress = t->progress;
    const int status = musvm_part_solve(&part, t->costs, err);
    t->result[index] = part.result;
    if (machine->parts == 1) { /* its coefficients are the machine's, not copied */
        machine->only = part;
        machine->coef = part.point.alpha;
        if (part.point.w.rows > 0)
            machine->w = part.point.w;
        return status;
    }
    if (status == 0) {
        const int64_t K = part.task.classes;
        for (int64_t i = 0; i < part.task.n + part.task.m; i++) {
            const int64_t place = part.place ? part.place[i] : i;
            musvm_part_columns(&part, part.point.alpha + i * K, 1,
                               machine->coef + place * machine->columns);
        }
        if (!t->task->rows)
            for (int64_t j = 0; j < machine->w.rows; j++)
                musvm_part_columns(&part, part.point.w.w + j * part.point.w.stride, 1,
                                   machine->w.w + j * machine->w.stride);
        if (t->progress)
            progress_step(t->progress, machine->parts);
    }
    musvm_part_free(&part);
    return status;
}

/* The weights of coefficients that were found with rows of the linear kernel.  0 or -1 (memory). */
static int musvm_sum_weights(const struct musvm_training *t, struct error *err)
{
    struct musvm_machine *machine = t->machine;
    double *step = memory_new(machine->w.stride, sizeof *step, err); /* padding stays 0 */
    if (!step)
        return -1;
    for (int64_t i = 0; i < t->task->n + t->task->m; i++) {
        struct example x = problem_example(t->task->samples, i);
        memcpy(step, machine->coef + i * machine->columns, (size_t)machine->columns * sizeof *step);
        weights_add(&machine->w, &x, step);
    }
    memory_free(step);
    return 0;
}

/* How many samples have a coefficient that is not 0, and how many one at its cap. */
static void musvm_count_support(const struct musvm_training *t)
{
    struct musvm_machine *machine = t->machine;
    /* Two classes of ova and ovo are kept as f / 2 and -f / 2. */
    const double scale = t->plan->scheme != MUSVM_WHOLE && t->task->classes <= 2 ? 0.5 : 1;
    for (int64_t i = 0; i < t->task->n + t->task->m; i++) {
        const double *row = machine->coef + i * machine->columns;
        double largest = 0;
        for (int64_t c = 0; c < machine->columns; c++)
            largest = fabs(row[c]) > largest ? fabs(row[c]) : largest;
        if (!(largest > 0))
            continue;
        if (i < t->task->n) {
            machine->support++;
            machine->bounded += !(largest < scale * t->costs->C * musvm_factor(t->factor, i));
        } else {
            machine->universum_support++;
        }
    }
}

/* Allocate the machine and what its parts fill.  0 or -1 (memory). */
static int musvm_training_make(struct musvm_training *t, struct error *err)
{
    struct musvm_machine *machine = t->machine;
    const int64_t N = t->task->n + t->task->m;
    *machine = (struct musvm_machine){.parts = musvm_parts(t->plan, t->task->classes),
                                      .columns = musvm_columns(t->plan, t->task->classes),
                                      .votes = musvm_votes(t->plan, t->task->classes)};
    machine->w = weights_make(machine->columns, 0);
    if (!(t->result = memory_new(machine->parts, sizeof *t->result, err)))
        return -1;
    if (machine->parts > 1
        && !(machine->coef = memory_new(N * machine->columns, sizeof *machine->coef, err)))
        return -1;
    /* One part that is solved in w brings its own weights. */
    const bool brings = !t->task->rows && machine->parts == 1;
    if (!t->plan->linear || machine->votes || brings)
        return 0;
    return weights_grow(&machine->w, t->task->samples->d, err);
}

int musvm_machine_train(const struct musvm_plan *plan, const struct musvm_task *task,
                        const double *factor, const struct musvm_costs *costs, int threads,
                        struct progress *progress, struct musvm_machine *machine, struct error *err)
{
    struct musvm_training t = {.plan = plan,
                               .task = task,
                               .factor = factor,
                               .costs = costs,
                               .progress = progress,
                               .machine = machine};
    int status = -1;
    if (musvm_training_make(&t, err) != 0)
        goto done;
    threads = kernel_rows_threads(task->rows, threads);
    if (parallel_try(threads, machine->parts, musvm_training_part, &t, err) != 0)
        goto done;
    struct musvm_result *sum = &machine->result;
    sum->converged = true;
    for (int64_t p = 0; p < machine->parts; p++) {
        const struct musvm_result *r = &t.result[p];
        sum->objective += r->objective;
        sum->primal += r->primal;
        sum->violation = r->violation > sum->violation ? r->violation : sum->violation;
        sum->converged &= r->converged;
        sum->updates += r->updates;
        sum->sweeps += r->sweeps;
    }
    if (task->rows && machine->w.rows > 0 && musvm_sum_weights(&t, err) != 0)
        goto done;
    musvm_count_support(&t);
    status = 0;
done:
    if (status != 0)
        musvm_machine_free(machine);
    memory_free(t.result);
    return status;
}

void musvm_machine_free(struct musvm_machine *machine)
{
    if (machine->coef != machine->only.point.alpha)
        memory_free(machine->coef);
    if (machine->w.block != machine->only.point.w.block)
        weights_free(&machine->w);
    musvm_part_free(&machine->only);
    *machine = (struct musvm_machine){0};
}
