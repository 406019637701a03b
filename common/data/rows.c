/* Windows grow while they are used one after the other, and are small after a jump: a pass over all
 * examples then takes few reads, and a look at every hundredth one reads little else. */
#include "common/data/rows.h"

#include "common/base/order.h"
#include "common/base/random.h"
#include "common/data/feature_numbers.h"

#include <assert.h>

enum { ROWS_BATCH = 1 << 18 }; /* entries: no reason but that it works */

int64_t rows_batch(const struct problem *problem, const int64_t *subset, int64_t n, int64_t first,
                   int64_t most)
{
    const int64_t *start = problem->row_start;
    const int64_t begin = start[subset ? subset[first] : first];
    int64_t count = 1;
    if (!problem->disk)
        return order_least(n - first, most);
    while (count < most && first + count < n) {
        const int64_t i = subset ? subset[first + count] : first + count;
        if (start[i + 1] - begin > ROWS_BATCH)
            break;
        count++;
    }
    return count;
}

int rows_hold(struct rows *rows, int64_t first, int64_t end)
{
    const struct problem *p = rows->problem;
    if (!p->disk)
        return 0;
    if (!rows->window && !(rows->window = entry_file_take(p->disk)))
        return -1;
    const int64_t *start = p->row_start;
    rows->window->first = first;
    rows->window->end = first;
    if (entry_file_read(p->disk, rows->window, start[first], start[end] - start[first]) != 0)
        return -1;
    if (p->numbers)
        feature_numbers_put(p->numbers, rows->window->index, rows->window->count);
    rows->window->end = end;
    return 0;
}

double rows_batch_bytes(void)
{
    return ROWS_BATCH * (double)ENTRY_BYTES;
}

/* Read a window that begins with example i. */
static void rows_turn(struct rows *rows, int64_t i)
{
    const struct problem *p = rows->problem;
    const struct entry_window *w = rows->window;
    const int64_t *start = p->row_start;
    int64_t reach = ENTRY_WINDOW_LEAST, end = i + 1;
    if (w->end > w->first && i >= w->end && start[i] - start[w->end] <= w->count)
        reach = order_least(2 * w->count, ENTRY_WINDOW);
    if (reach < ENTRY_WINDOW_LEAST)
        reach = ENTRY_WINDOW_LEAST;
    while (end < p->n && start[end + 1] - start[i] <= reach)
        end++;
    (void)rows_hold(rows, i, end);
}

struct example rows_fetch(struct rows *rows, int64_t i)
{
    const struct problem *p = rows->problem;
    struct example x = {
        .label = p->label[i], .line = p->line[i], .length = p->keeps_lengths ? p->length[i] : 0};
    if (!rows->window && !(rows->window = entry_file_take(p->disk)))
        return x;
    const struct entry_window *w = rows->window;
    if (i < w->first || i >= w->end)
        rows_turn(rows, i);
    if (i >= w->end) /* it could not be read */
        return x;
    const int64_t at = p->row_start[i] - w->start;
    x.size = p->row_start[i + 1] - p->row_start[i];
    x.index = w->index + at;
    x.value = w->value + at;
    return x;
}

void rows_end(struct rows *rows)
{
    if (rows->window)
        entry_file_give(rows->problem->disk, rows->window);
    rows->window = NULL;
}

int rows_check(const struct problem *problem, struct error *err)
{
    return problem->disk ? entry_file_check(problem->disk, err) : 0;
}

/* Move examples to those on disk once they are a window's worth, or the last.  0 or -1. */
static int rows_move(struct problem *part, bool last, struct problem *to, struct error *err)
{
    if (part->nnz <= ENTRY_WINDOW && !last)
        return 0;
    const int status = problem_append(to, part, err);
    problem_clear(part);
    return status;
}

/* Append those of a problem's examples whose weight is above 0 to one on disk.  0 or -1. */
static int rows_keep(const struct problem *from, const double *weight, struct problem *to,
                     struct error *err)
{
    struct problem part = {.keeps_lengths = from->keeps_lengths};
    struct rows rows = rows_of(from);
    int status = -1;
    for (int64_t i = 0; i < from->n; i++) {
        if (weight[i] > 0) {
            const struct example x = rows_example(&rows, i);
            if (problem_append_example(&part, &x, err) != 0)
                goto done;
        }
        if (rows_move(&part, i + 1 == from->n, to, err) != 0)
            goto done;
    }
    status = rows_check(from, err);
done:
    rows_end(&rows);
    problem_free(&part);
    return status;
}

int rows_drop(struct problem *problem, const double *weight, struct error *err)
{
    struct problem kept = {.n = 0};
    assert(!problem->numbers);
    if (problem_to_disk(&kept, entry_file_folder(problem->disk), err) != 0
        || rows_keep(problem, weight, &kept, err) != 0) {
        problem_free(&kept);
        return -1;
    }
    kept.lines = problem->lines;
    problem_free(problem);
    *problem = kept;
    return 0;
}

/* Append an example at its length, and a bias.  0 or -1. */
static int rows_append_lengthened(const struct example *x, const double *scale, double bias,
                                  struct problem *to, struct error *err)
{
    if (problem_append_at_length(to, x, err) != 0)
        return -1;
    for (int64_t e = to->nnz - x->size; e < to->nnz; e++)
        if (scale && to->index[e] > 0)
            to->value[e] *= scale[to->index[e] - 1];
    return problem_append_bias(to, bias, err);
}

int rows_lengthen(const struct problem *problem, const double *scale, double bias,
                  struct problem *lengthed, struct error *err)
{
    const int64_t n = problem->n;
    struct problem part = {.n = 0};
    struct rows rows = rows_of(problem);
    int status = problem->disk ? problem_to_disk(lengthed, entry_file_folder(problem->disk), err)
                               : problem_reserve(lengthed, n, problem->nnz + n, err);
    assert(problem->keeps_lengths);
    if (status != 0)
        goto done;
    for (int64_t i = 0; i < n; i++) {
        const struct example x = rows_example(&rows, i);
        status = rows_append_lengthened(&x, scale, bias, problem->disk ? &part : lengthed, err);
        if (status == 0 && problem->disk)
            status = rows_move(&part, i + 1 == n, lengthed, err);
        if (status != 0)
            goto done;
    }
    lengthed->d = problem->d;
    status = rows_check(problem, err);
done:
    rows_end(&rows);
    problem_free(&part);
    if (status != 0)
        problem_free(lengthed);
    return status;
}

int rows_sample(const struct problem *problem, int64_t count, int64_t seed, struct problem *sample,
                int64_t *chosen, struct error *err)
{
    struct random g = random_seeded((uint64_t)seed, RANDOM_SAMPLE);
    int64_t entries = 0;
    random_sample(&g, problem->n, count, chosen);
    for (int64_t i = 0; i < count; i++)
        entries += problem->row_start[chosen[i] + 1] - problem->row_start[chosen[i]];
    struct rows rows = rows_of(problem);
    int status = -1;
    sample->keeps_lengths = problem->keeps_lengths;
    if (problem_reserve(sample, count, entries, err) != 0)
        goto done;
    for (int64_t i = 0; i < count; i++) {
        const struct example x = rows_example(&rows, chosen[i]);
        if (problem_append_example(sample, &x, err) != 0)
            goto done;
    }
    sample->d = problem->d;
    sample->lines = problem->lines;
    status = rows_check(problem, err);
done:
    rows_end(&rows);
    if (status != 0)
        problem_free(sample);
    return status;
}
