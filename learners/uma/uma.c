/* UMA's learner: scores, the step, the loop, cross-validation.  The formulas are in uma.h; which
 * pair comes next in uma_rank.h; the vectors z_pq and their norms in uma_tables.h.
 *
 * It is the paper's Algorithm 2, but where that does not start or does not end.  With alpha > 0 and
 * W = 0 every A_p is empty, so alpha counts as 0 there.  Where the error set E of the best pair is
 * empty, the paper changes nothing and would choose that pair for ever: it is passed over (on the
 * paper's circle data with noise i = 5 this happens in 19 % of the iterations).  On noisy data the
 * last iterate need not be the best: by default the one with the least estimated error is returned
 * (on those data, means of 4 seeds, a true error of 0.026 instead of 0.111). */
#include "learners/uma/uma.h"

#include "common/base/memory.h"
#include "common/base/parallel.h"
#include "common/base/reduce.h"
#include "common/data/folds.h"
#include "learners/uma/uma_rank.h"
#include "learners/uma/uma_scores.h"
#include "learners/uma/uma_tables.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    PARALLEL_WORK = 200000
}; /* multiplications that are worth a thread: no reason but that it
      works */

struct uma {
    const struct uma_options *options;
    struct uma_tables t;
    int64_t K, D, n; /* classes; features and the bias; examples */
    struct uma_scores scores;
    int32_t *predicted; /* n: the class with the largest score; -1 before the first scores */
    int32_t *winner;    /* n: what predicted becomes */
    int64_t *flagged;   /* n: examples whose prediction or set changes, gathered block by block */
    int64_t *flags;     /* blocks: how many in each */
    int64_t *votes;     /* K x K: [p*K + k], examples of all ranks predicted p and observed k; */
    int64_t *own_votes; /* K x K: of this rank */
    double *w;          /* K x D: the iterate */
    double *best;       /* K x D: the best iterate so far; NULL when it is not asked for */
    double *drift;      /* K x D: w less the average, times T (uma_apply_step); NULL likewise */
    bool *stale;        /* K: rows of w that differ from those of best */
    double *z;          /* D */
    double *tau;        /* K: the step */
    double *product;    /* K: <w_r, z> */
    struct uma_rank rank;
    double margin;         /* alpha as it counts now */
    int64_t iteration;     /* updates made */
    int64_t *stepped;      /* K: classes with tau != 0 in the last step */
    int64_t stepped_count; /* how many */
};

/* ---- scores, predictions and the sets A_p ---- */

/* Four sums, which do not wait for each other. */
static double uma_dot(const struct example *x, const double *z)
{
    double sum[4] = {0};
    int64_t e = 0;
    for (; e + 4 <= x->size; e += 4)
        for (int lane = 0; lane < 4; lane++)
            sum[lane] += x->value[e + lane] * z[x->index[e + lane]];
    for (; e < x->size; e++)
        sum[0] += x->value[e] * z[x->index[e]];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* Update the scores of example i by the last step, and return its prediction: the lowest of the
 * classes with the largest score. */
static int64_t uma_update_scores(const struct uma *u, struct rows *rows, double *score, int64_t i)
{
    int64_t top = u->predicted[i];
    bool search = top < 0; /* has the largest score come down? */
    if (u->stepped_count > 0) {
        struct example x = uma_tables_example(&u->t, rows, i);
        double product = uma_dot(&x, u->z);
        for (int64_t s = 0; s < u->stepped_count; s++)
            score[u->stepped[s]] += u->tau[u->stepped[s]] * product;
        search |= u->tau[top] * product < 0;
    }
    if (search) {
        top = 0;
        for (int64_t k = 1; k < u->K; k++)
            if (score[k] > score[top])
                top = k;
        return top;
    }
    for (int64_t s = 0; s < u->stepped_count; s++) {
        int64_t k = u->stepped[s];
        if (score[k] > score[top] || (score[k] >= score[top] && k < top))
            top = k;
    }
    return top;
}

/* Scores and predictions of a block of examples, and which of them change. */
static void uma_score_block(void *context, int64_t block)
{
    struct uma *u = context;
    int64_t first = block * UMA_BLOCK, last = first + UMA_BLOCK < u->n ? first + UMA_BLOCK : u->n,
            count = 0;
    struct rows rows = rows_of(u->t.problem);
    struct uma_scores_view view = uma_scores_view(&u->scores, true);
    for (int64_t i = first; i < last; i++) {
        double *score = uma_scores_of(&view, i);
        const int64_t top = uma_update_scores(u, &rows, score, i);
        bool inside = true; /* A_top */
        if (u->margin > 0)
            for (int64_t k = 0; k < u->K; k++)
                inside &= k == top || score[top] - score[k] >= u->margin;
        u->winner[i] = (int32_t)top;
        u->t.target[i] = inside ? (int32_t)top : -1;
        if (u->winner[i] != u->predicted[i] || u->t.target[i] != u->t.member[i])
            u->flagged[first + count++] = i;
    }
    uma_scores_end(&view);
    rows_end(&rows);
    u->flags[block] = count;
}

/* Sum up the votes of all ranks. */
static void uma_sum_votes(struct uma *u)
{
    memcpy(u->votes, u->own_votes, (size_t)(u->K * u->K) * sizeof *u->votes);
    reduce_counts(u->votes, u->K * u->K);
}

/* Update scores, votes and tables by the last step. */
static void uma_follow(struct uma *u)
{
    int64_t blocks = parallel_parts(u->n, UMA_BLOCK), work = u->t.problem->nnz + u->n * u->K;
    assert(u->stepped_count == 0 || u->predicted[0] >= 0);
    parallel_for(work > PARALLEL_WORK ? u->options->threads : 1, blocks, uma_score_block, u);
    u->t.moved_count = 0;
    for (int64_t block = 0; block < blocks; block++)
        for (int64_t f = 0; f < u->flags[block]; f++) {
            int64_t i = u->flagged[block * UMA_BLOCK + f];
            int32_t k = uma_tables_observed(&u->t, i);
            if (u->predicted[i] >= 0)
                u->own_votes[u->predicted[i] * u->K + k]--;
            u->own_votes[u->winner[i] * u->K + k]++;
            u->predicted[i] = u->winner[i];
            if (u->t.target[i] != u->t.member[i])
                u->t.moved[u->t.moved_count++] = i;
        }
    uma_sum_votes(u);
    uma_tables_move(&u->t);
}

/* 1 - tr(N C^-T): the error against the true labels, estimated from votes on n examples with
 * observed ones. */
static double uma_estimated_error(const int64_t *votes, const double *inverse, int64_t K, int64_t n)
{
    double right = 0;
    for (int64_t cell = 0; cell < K * K; cell++)
        right += (double)votes[cell] * inverse[cell];
    return 1 - right / (double)n;
}

/* Count predictions of w (as in the result) on examples subset[0 .. n) into votes[p*K + k]:
 * predicted p, observed k.  scores: out, K numbers from scores[i*K] on for each of them, an example
 * i of the problem; NULL: not wanted. */
static void uma_vote(const struct problem *problem, const int32_t *y, const int64_t *subset,
                     int64_t n, int64_t K, const double *w, int64_t *votes, double *scores)
{
    struct rows rows = rows_of(problem);
    for (int64_t i = 0; i < n; i++) {
        int64_t example = subset ? subset[i] : i, top = 0;
        struct example x = rows_example(&rows, example);
        double highest = 0;
        for (int64_t k = 0; k < K; k++) {
            double score = uma_dot(&x, w + k * ((int64_t)problem->d + 1));
            if (k == 0 || score > highest) {
                highest = score;
                top = k;
            }
            if (scores)
                scores[example * K + k] = score;
        }
        votes[top * K + y[example]]++;
    }
    rows_end(&rows);
}

/* ---- the step ---- */

/* <w_r, z>. */
static double uma_row_product(const struct uma *u, int64_t r)
{
    const double *w = u->w + r * u->D;
    double sum = 0;
    for (int64_t j = 0; j < u->D; j++)
        sum += w[j] * u->z[j];
    return sum;
}

/* What <w_r - w_q, z> must reach for r to be in E. */
static double uma_least_lead(const struct uma *u)
{
    return u->options->check == UMA_PAPER ? u->margin : 0;
}

/* Does the check refuse (p, q) beyond doubt?  The scores tell, as <w_r - w_q, z> = 1/n sum over A_p
 * of C^-1[q,y_i] (score_ir - score_iq), without z: far cheaper than uma_find_step, which decides
 * when rounding might matter. */
static bool uma_refused(struct uma *u, int64_t p, int64_t q)
{
    /* Rounding of the scores, with much to spare: each update has a relative error near 1e-16. */
    const double far = 1e-9 + 1e-15 * (double)u->iteration;
    int64_t first = u->options->step == UMA_PERCEPTRON ? p : 0,
            last = u->options->step == UMA_PERCEPTRON ? p : u->K - 1;
    double *sum = u->product, magnitude = 0;
    if (u->options->check == UMA_NONE)
        return false;
    memset(sum, 0, (size_t)u->K * sizeof *sum);
    struct uma_scores_view view = uma_scores_view(&u->scores, false);
    reduce_receive(sum, u->K);
    reduce_receive(&magnitude, 1);
    for (int64_t m = u->t.start[p]; m < u->t.start[p + 1]; m++) {
        const double *score = uma_scores_of(&view, u->t.order[m]);
        double c = u->t.inverse[q * u->K + uma_tables_observed(&u->t, u->t.order[m])];
        for (int64_t r = first; r <= last; r++)
            sum[r] += c * (score[r] - score[q]);
        /* The score of p is the largest and the scores sum to 0, so none is larger in size than
         * K - 1 times it. */
        magnitude += fabs(c) * (fabs(score[p]) + fabs(score[q]));
    }
    uma_scores_end(&view);
    reduce_send(sum, u->K);
    reduce_send(&magnitude, 1);
    reduce_finish(sum, u->K);
    reduce_finish(&magnitude, 1);
    bool none = true;
    for (int64_t r = first; r <= last; r++)
        none &= r == q || (sum[r] + far * magnitude) / (double)u->t.all < uma_least_lead(u);
    return none;
}

/* Fill tau for the pair (p, q) and its z: false when the check refuses it. */
static bool uma_find_step(struct uma *u, int64_t p, int64_t q)
{
    assert(p != q);
    const struct uma_options *o = u->options;
    double least = uma_least_lead(u);
    bool all = o->step != UMA_PERCEPTRON;
    int64_t errors = 0, worst = -1;
    memset(u->tau, 0, (size_t)u->K * sizeof *u->tau);
    u->product[q] = uma_row_product(u, q);
    for (int64_t r = 0; r < u->K; r++)
        if (r != q && (all || r == p)) {
            u->product[r] = uma_row_product(u, r);
            errors += u->product[r] - u->product[q] >= least;
            if (worst < 0 || u->product[r] > u->product[worst])
                worst = r;
        }
    if (o->check != UMA_NONE && errors == 0)
        return false;
    u->tau[q] = 1;
    if (o->step == UMA_PERCEPTRON || errors == 0)
        u->tau[p] = -1;
    else if (o->step == UMA_WORST)
        u->tau[worst] = -1;
    else
        for (int64_t r = 0; r < u->K; r++)
            if (r != q && u->product[r] - u->product[q] >= least)
                u->tau[r] = -1 / (double)errors;
    return true;
}

/* w_r += tau_r z.  The average of the iterates 1 .. T is w - drift / T with drift = sum over t of
 * (t - 1) tau z. */
static void uma_apply_step(struct uma *u)
{
    u->stepped_count = 0;
    for (int64_t r = 0; r < u->K; r++) {
        double tau = u->tau[r];
        if (!(tau < 0 || tau > 0))
            continue;
        for (int64_t j = 0; j < u->D; j++)
            u->w[r * u->D + j] += tau * u->z[j];
        if (u->drift)
            for (int64_t j = 0; j < u->D; j++)
                u->drift[r * u->D + j] += (double)(u->iteration - 1) * tau * u->z[j];
        u->stale[r] = true;
        u->stepped[u->stepped_count++] = r;
    }
}

/* alpha as it counts for W: absolute, or times ||W||_F; 0 for W = 0. */
static void uma_set_margin(struct uma *u)
{
    double sum = 0;
    u->margin = 0;
    if (!(u->options->alpha > 0))
        return;
    for (int64_t cell = 0; cell < u->K * u->D; cell++)
        sum += u->w[cell] * u->w[cell];
    if (sum > 0)
        u->margin = u->options->alpha * (u->options->alpha_relative ? sqrt(sum) : 1);
}

/* best = w; only rows that differ are copied. */
static void uma_keep_best(struct uma *u)
{
    for (int64_t r = 0; r < u->K; r++)
        if (u->stale[r]) {
            memcpy(u->best + r * u->D, u->w + r * u->D, (size_t)u->D * sizeof *u->w);
            u->stale[r] = false;
        }
}

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
        uma_vote(u->t.problem, u->t.y, u->t.subset, u->n, u->K, u->w, u->own_votes, NULL);
        uma_sum_votes(u);
        result->error = uma_estimated_error(u->votes, u->t.inverse, u->K, u->t.all);
    }
    result->w = *from;
    *from = NULL;
}

/* ---- the loop ---- */

/* Find the pair to update, and z and tau for it: the best-ranked one that is eligible and passes
 * the check.  rejected: out, how many eligible ones before it did not pass.  false when there is
 * none. */
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
    return rows_check(u->t.problem, err) != 0 ? -1 : uma_scores_check(&u->scores, err);
}

/* Update until a stop; fill everything of the result but the proportions.  0, or -1: what is read
 * from disk cannot be. */
static int uma_learn(struct uma *u, const struct uma_watch *watch, struct uma_result *result,
                     struct error *err)
{
    const struct uma_options *o = u->options;
    struct uma_update update = {0};
    double lowest = INFINITY;
    u->margin = 0;
    uma_follow(u);
    result->stop = UMA_MAX_ITER;
    result->last_error = uma_estimated_error(u->votes, u->t.inverse, u->K, u->t.all);
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
        result->last_error = uma_estimated_error(u->votes, u->t.inverse, u->K, u->t.all);
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
    uma_choose(u, lowest, result);
    return uma_check_disk(u, err);
}

/* ---- start and end ---- */

/* What there is for each example.  0 or -1 (memory). */
static int uma_make_scores(struct uma *u, struct error *err)
{
    const int64_t n = u->n;
    const struct entry_file *disk = u->t.problem->disk;
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
        factor = fabs(u->t.inverse[cell]) > factor ? fabs(u->t.inverse[cell]) : factor;
    struct rows rows = rows_of(u->t.problem);
    reduce_receive(&length, 1);
    for (int64_t i = 0; i < u->n; i++) {
        struct example x = uma_tables_example(&u->t, &rows, i);
        double largest = 0;
        for (int64_t e = 0; e < x.size; e++)
            largest = fabs(x.value[e]) > largest ? fabs(x.value[e]) : largest;
        if (largest > 0 && largest < least)
            status = error_set(
                err,
                "the values are too small to be squared and summed (-l 1 scales each example)");
        length += sqrt(u->t.square[i]);
    }
    rows_end(&rows);
    reduce_send(&length, 1);
    reduce_finish(&length, 1);
    if (rows_check(u->t.problem, err) != 0 || reduce_agree(status, err) != 0)
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
        observed[uma_tables_observed(&u->t, i)]++;
    reduce_counts(observed, u->K);
    for (int64_t q = 0; q < u->K; q++)
        for (int64_t k = 0; k < u->K; k++)
            proportion[q] += u->t.inverse[q * u->K + k] * (double)observed[k] / (double)u->t.all;
    memory_free(observed);
    return 0;
}

int uma_train(const struct problem *problem, const int32_t *y, const int64_t *subset, int64_t n,
              int64_t K, const double *inverse, const struct uma_options *options,
              const struct uma_watch *watch, struct uma_result *result, struct error *err)
{
    struct uma u = {.options = options, .K = K, .D = (int64_t)problem->d + 1, .n = n};
    const bool hold = uma_holds_tables(options, problem->d, K);
    int status = -1;
    *result = (struct uma_result){0};
    if (uma_tables_make(&u.t, problem, y, subset, n, K, inverse, hold, options->threads, err) != 0
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

double uma_validation_bytes(int64_t n, int64_t K)
{
    return 2 * (double)n * (double)sizeof(int64_t)
           + (double)K * (double)K * (double)sizeof(int64_t);
}

int uma_cross_validate(const struct problem *problem, const int32_t *y, int64_t K,
                       const double *inverse, const struct uma_options *options, int64_t folds,
                       int64_t *agreed, double *error, double *scores, struct error *err)
{
    const int64_t n = problem->n;
    int64_t *fold = NULL, *part = NULL, *votes = NULL;
    int status = -1;
    if (!(fold = memory_new(n, sizeof *fold, err)) || !(part = memory_new(n, sizeof *part, err))
        || !(votes = memory_new(K * K, sizeof *votes, err))
        || folds_assign(y, n, K, folds, options->seed, fold, err) != 0)
        goto done;
    for (int64_t f = 0; f < folds; f++) {
        /* First the examples to learn from, then those held out, the last one first. */
        int64_t known = 0, held = n;
        for (int64_t i = 0; i < n; i++)
            part[fold[i] == f ? --held : known++] = i;
        assert(known == held);
        struct uma_result result;
        if (uma_train(problem, y, part, known, K, inverse, options, NULL, &result, err) != 0)
            goto done;
        uma_vote(problem, y, part + known, n - known, K, result.w, votes, scores);
        uma_result_free(&result);
    }
    *agreed = 0;
    for (int64_t k = 0; k < K; k++)
        *agreed += votes[k * K + k];
    *error = uma_estimated_error(votes, inverse, K, n);
    status = 0;
done:
    memory_free(fold);
    memory_free(part);
    memory_free(votes);
    return status;
}
