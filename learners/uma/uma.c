/* UMA's learner: the loop.  The formulas are in uma.h; which pair comes next in uma_rank.h; the
 * vectors z_pq and their norms in uma_tables.h.
 *
 * It is the paper's Algorithm 2, but where that does not start or does not end.  With alpha > 0 and
 * W = 0 every A_p is empty, so alpha counts as 0 there.  Where the error set E of the best pair is
 * empty, the paper changes nothing and would choose that pair for ever: it is passed over (on the
 * paper's circle data with noise i = 5 this happens in 19 % of the iterations).  On noisy data the
 * last iterate need not be the best: by default the one with the least estimated error is returned
 * (on those data, means of 4 seeds, a true error of 0.026 instead of 0.111). */
#include "learners/uma/uma.h"

#include "common/base/memory.h"
#include "common/base/reduce.h"
#include "learners/uma/uma_state.h"

#include <math.h>
#include <string.h>

/* ---- the loop ---- */

/* Hand over the iterate that was asked for, and its estimated error. */
static void uma_choose(struct uma *u, double lowest, struct uma_result *result)
{
    bool best = u->options->iterate == UMA_BEST && result->chosen > 0;
    double **from = best ? &u->best : &u->w;
    result->error = best ? lowest : result->last_error;
    if (!best)
        result->chosen = result->iterations;
    if (u->drift && result->iterations > 0) {
        for (int64_t cell = 0; cell < u->K * u->D; cell++)
            u->w[cell] -= u->drift[cell] / (double)result->iterations;
        memset(u->own_votes, 0, (size_t)(u->K * u->K) * sizeof *u->own_votes);
        uma_vote(&u->t.data, u->w, u->own_votes, NULL);
        uma_sum_votes(u);
        result->error = uma_estimated_error(u->votes, u->t.data.inverse, u->K, u->t.all);
    }
    result->w = *from;
    *from = NULL;
}

/* Find the pair to update, and z and tau for it: the best-ranked one that is eligible and passes
 * the check.  update: out: p, q, norm, and as `rejected` how many eligible pairs before it did not
 * pass.  false when there is none. */
static bool uma_find_pair(struct uma *u, struct uma_update *update)
{
    int64_t p, q;
    update->rejected = 0;
    uma_rank_start(&u->rank);
    while (uma_rank_next(&u->rank, &p, &q)) {
        if (uma_rank_eligible(&u->rank, p, q) && uma_refused(u, p, q)) {
            update->rejected++;
            continue;
        }
        const double norm2 = uma_tables_sum(&u->t, p, q, u->z);
        if (!uma_rank_eligible(&u->rank, p, q))
            continue;
        if (uma_find_step(u, p, q)) {
            update->p = p;
            update->q = q;
            update->norm = sqrt(norm2);
            return true;
        }
        update->rejected++;
    }
    return false;
}

/* 0, or -1 with err if something on disk could not be read or written. */
static int uma_check_disk(const struct uma *u, struct error *err)
{
    return rows_check(u->t.data.problem, err) != 0 ? -1 : uma_scores_check(&u->scores, err);
}

/* Update until a stop; fill all of the result but the proportions.  0, or -1 with err: the disk
 * failed. */
static int uma_learn(struct uma *u, const struct uma_watch *watch, struct uma_result *result,
                     struct error *err)
{
    const struct uma_options *o = u->options;
    struct uma_update update = {0};
    double lowest = INFINITY;
    u->margin = 0;
    uma_follow(u);
    result->stop = UMA_MAX_ITER;
    result->last_error = uma_estimated_error(u->votes, u->t.data.inverse, u->K, u->t.all);
    while (result->iterations < o->iterations) {
        if (uma_check_disk(u, err) != 0)
            return -1;
        if (!uma_find_pair(u, &update)) {
            result->stop = update.rejected > 0 ? UMA_NO_VIOLATION : UMA_TOL;
            break;
        }
        u->iteration = ++result->iterations;
        uma_apply_step(u);
        uma_set_margin(u);
        uma_follow(u);
        result->last_error = uma_estimated_error(u->votes, u->t.data.inverse, u->K, u->t.all);
        if (o->iterate == UMA_BEST && result->last_error < lowest) {
            lowest = result->last_error;
            result->chosen = result->iterations;
            uma_keep_best(u);
        }
        update.iteration = result->iterations;
        update.error = result->last_error;
        if (watch && watch->update)
            watch->update(watch->context, &update);
        if (watch && watch->progress)
            progress_update(watch->progress, result->iterations,
                            (double)result->iterations / (double)o->iterations);
    }
    result->counted = reduce_count(u->t.start[u->K]);
    uma_choose(u, lowest, result);
    return uma_check_disk(u, err);
}

/* ---- start and end ---- */

/* What there is for each example.  0 or -1 (memory, the disk). */
static int uma_make_scores(struct uma *u, struct error *err)
{
    const int64_t n = u->n;
    const struct entry_file *disk = u->t.data.problem->disk;
    if (uma_scores_make(&u->scores, n, u->K, disk ? entry_file_folder(disk) : NULL,
                        u->options->threads, err)
            != 0
        || !(u->predicted = memory_new(n, sizeof *u->predicted, err))
        || !(u->winner = memory_new(n, sizeof *u->winner, err))
        || !(u->flagged = memory_new(n, sizeof *u->flagged, err))
        || !(u->flags = memory_new(n / UMA_BLOCK + 1, sizeof *u->flags, err)))
        return -1;
    for (int64_t i = 0; i < n; i++)
        u->predicted[i] = -1;
    return 0;
}

/* W and what is kept of its past.  0 or -1 (memory). */
static int uma_make_iterates(struct uma *u, struct error *err)
{
    const int64_t cells = u->K * u->D, iterate = u->options->iterate;
    if (!(u->w = memory_new(cells, sizeof *u->w, err))
        || !(u->stale = memory_new(u->K, sizeof *u->stale, err)))
        return -1;
    if (iterate == UMA_BEST && !(u->best = memory_new(cells, sizeof *u->best, err)))
        return -1;
    if (iterate == UMA_AVERAGE && !(u->drift = memory_new(cells, sizeof *u->drift, err)))
        return -1;
    return 0;
}

/* What an update needs.  0 or -1 (memory). */
static int uma_make_step(struct uma *u, struct error *err)
{
    const int64_t K = u->K;
    if (!(u->votes = memory_new(K * K, sizeof *u->votes, err))
        || !(u->own_votes = memory_new(K * K, sizeof *u->own_votes, err))
        || !(u->z = memory_new(u->D, sizeof *u->z, err))
        || !(u->tau = memory_new(K, sizeof *u->tau, err))
        || !(u->product = memory_new(K, sizeof *u->product, err))
        || !(u->stepped = memory_new(K, sizeof *u->stepped, err)))
        return -1;
    return 0;
}

static void uma_release(struct uma *u)
{
    void *blocks[] = {u->predicted, u->winner,  u->flagged, u->flags,    u->votes,
                      u->w,         u->best,    u->drift,   u->stale,    u->z,
                      u->tau,       u->product, u->stepped, u->own_votes};
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++)
        memory_free(blocks[b]);
    uma_scores_free(&u->scores);
    uma_rank_free(&u->rank);
    uma_tables_free(&u->t);
}

/* No sum of squares of what follows may overflow, none may be so small that it loses digits.  0 or
 * -1. */
static int uma_check_size(const struct uma *u, struct error *err)
{
    /* 1e140^2 is far below the largest number, 1e308, and 1e-130^2 far above the smallest that has
     * all its digits, 1e-308. */
    const double most = 1e140, least = 1e-130;
    double factor = 0, length = 0;
    int status = 0;
    for (int64_t cell = 0; cell < u->K * u->K; cell++)
        factor = fabs(u->t.data.inverse[cell]) > factor ? fabs(u->t.data.inverse[cell]) : factor;
    struct rows rows = rows_of(u->t.data.problem);
    reduce_receive(&length, 1);
    for (int64_t i = 0; i < u->n; i++) {
        struct example x = uma_data_example(&u->t.data, &rows, i);
        double largest = 0;
        for (int64_t e = 0; e < x.size; e++)
            largest = fabs(x.value[e]) > largest ? fabs(x.value[e]) : largest;
        if (status == 0 && largest > 0 && largest < least)
            status = error_at(
                err, NULL, x.line, 0,
                "the values are too small to be squared and summed (-l 1 scales each example)");
        length += sqrt(u->t.square[i]);
    }
    rows_end(&rows);
    reduce_send(&length, 1);
    reduce_finish(&length, 1);
    if (rows_check(u->t.data.problem, err) != 0 || reduce_agree(status, err) != 0)
        return -1;
    if (factor * length < most)
        return 0;
    return error_set(
        err, "the values are too large to be squared and summed (-l 1 scales each example)");
}

/* pi = C^-1 (shares of the observed labels).  0 or -1 (memory). */
static int uma_find_proportions(const struct uma *u, double *proportion, struct error *err)
{
    int64_t *observed = memory_new(u->K, sizeof *observed, err);
    if (!observed)
        return -1;
    for (int64_t i = 0; i < u->n; i++)
        observed[uma_data_observed(&u->t.data, i)]++;
    reduce_counts(observed, u->K);
    for (int64_t q = 0; q < u->K; q++)
        for (int64_t k = 0; k < u->K; k++)
            proportion[q] += u->t.data.inverse[q * u->K + k] * (double)observed[k]
                             / (double)u->t.all;
    memory_free(observed);
    return 0;
}

int uma_train(const struct uma_data *data, const struct uma_options *options,
              const struct uma_watch *watch, struct uma_result *result, struct error *err)
{
    const int64_t K = data->K, d = data->problem->d;
    struct uma u = {.options = options, .K = K, .D = d + 1, .n = data->n};
    const bool hold = uma_holds_tables(options, d, K);
    int status = -1;
    *result = (struct uma_result){0};
    if (uma_tables_make(&u.t, data, hold, options->threads, err) != 0
        || uma_check_size(&u, err) != 0)
        goto done;
    if (uma_make_scores(&u, err) != 0 || uma_make_iterates(&u, err) != 0
        || uma_make_step(&u, err) != 0)
        goto done;
    if (!(result->proportion = memory_new(K, sizeof *result->proportion, err))
        || uma_find_proportions(&u, result->proportion, err) != 0
        || uma_rank_make(&u.rank, &u.t, options, result->proportion, err) != 0)
        goto done;
    status = uma_learn(&u, watch, result, err);
done:
    if (status != 0)
        uma_result_free(result);
    uma_release(&u);
    return status;
}

void uma_result_free(struct uma_result *result)
{
    memory_free(result->w);
    memory_free(result->proportion);
    *result = (struct uma_result){0};
}

bool uma_holds_tables(const struct uma_options *options, int64_t d, int64_t K)
{
    return uma_tables_bytes_held(d, K) <= options->table_bytes;
}

double uma_bytes(const struct uma_options *options, int64_t n, int64_t d, int64_t K, bool disk)
{
    bool hold = uma_holds_tables(options, d, K);
    double tables = uma_tables_bytes(n, d, K, hold, options->threads)
                    + (hold ? uma_tables_bytes_held(d, K) : 0);
    double iterates = (options->iterate == UMA_LAST ? 1 : 2) * (double)K * ((double)d + 1)
                      * (double)sizeof(double);
    double scores = (double)n * (double)(sizeof(int64_t) + 2 * sizeof(int32_t))
                    + uma_scores_bytes(n, K, disk, options->threads)
                    + (disk ? entry_file_bytes(options->threads) : 0);
    double step = 2 * (double)K * (double)K * (double)sizeof(int64_t)
                  + ((double)d + 1) * (double)sizeof(double); /* votes and z */
    return tables + uma_rank_bytes(d, K) + iterates + scores + step;
}
