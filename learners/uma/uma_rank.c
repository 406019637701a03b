/* The order of UMA's pairs, with as few sums as possible.
 *
 * uma_rank_start bounds the rank of each of the K^2 pairs from below and above, by the tables'
 * norms and their slack, and puts the pairs into a heap by the upper bound.  To take the first, all
 * pairs whose bounds overlap the highest are taken out (contenders) and, where there are several,
 * summed anew, which makes their ranks exact; the others go back.  So a sum over A_p is spent only
 * on a pair that might be first, and many pairs may be passed over at O(log K) each.
 *
 * The random strategy must know how many pairs are eligible, so it resolves every doubt at the
 * start, and then draws from counts of rows instead of the heap. */
#include "learners/uma/uma_rank.h"

#include "common/base/memory.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define CLOSED (-1.0) /* below any rank */

int uma_rank_make(struct uma_rank *r, struct uma_tables *t, const struct uma_options *options,
                  const double *proportion, struct error *err)
{
    int64_t cells = t->K * t->K;
    *r = (struct uma_rank){.t = t,
                           .options = options,
                           .proportion = proportion,
                           .random = random_seeded((uint64_t)options->seed, 0)};
    if (!(r->low = memory_new(cells, sizeof *r->low, err))
        || !(r->high = memory_new(cells, sizeof *r->high, err))
        || !(r->heap = memory_new(cells, sizeof *r->heap, err))
        || !(r->contender = memory_new(cells, sizeof *r->contender, err))
        || !(r->row_open = memory_new(t->K, sizeof *r->row_open, err))
        || !(r->z = memory_new(t->D, sizeof *r->z, err)))
        return -1;
    return 0;
}

void uma_rank_free(struct uma_rank *r)
{
    void *blocks[] = {r->low, r->high, r->heap, r->contender, r->row_open, r->z};
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++)
        memory_free(blocks[b]);
    *r = (struct uma_rank){0};
}

double uma_rank_bytes(int64_t d, int64_t K)
{
    return (double)K * (double)K * (double)(2 * sizeof(double) + 2 * sizeof(int64_t))
           + ((double)d + 1) * (double)sizeof(double);
}

/* The square of what ||z_pq|| must exceed.  Duplicated examples make the two equal: m^2 of them
 * have a z of m sigma. */
static double uma_rank_least_norm2(const struct uma_rank *r, int64_t p, int64_t q)
{
    return r->options->sigmas * r->options->sigmas * r->t->sigma2[p * r->t->stride + q]
           * (1 + UMA_TIE);
}

/* Where a pair ranks, as far as its norm is known. */
static void uma_rank_bound(struct uma_rank *r, int64_t p, int64_t q)
{
    double norm2 = r->t->norm2[p * r->t->stride + q], slack = uma_tables_slack(r->t, p, q);
    double low = sqrt(norm2 > slack ? norm2 - slack : 0),
           high = slack > 0 ? sqrt(norm2 + slack) : low;
    double share = r->options->strategy == UMA_CONFUSION ? r->proportion[q] : 1;
    r->low[p * r->t->K + q] = low / share;
    r->high[p * r->t->K + q] = high / share;
}

/* The order of the heap: the highest possible rank on top, of equals the lowest pair. */
static bool uma_rank_is_above(const struct uma_rank *r, int64_t a, int64_t b)
{
    return r->high[a] > r->high[b] || (r->high[a] >= r->high[b] && a < b);
}

/* Move what is at this place down to where it belongs. */
static void uma_rank_heap_sink(struct uma_rank *r, int64_t place)
{
    int64_t cell = r->heap[place];
    for (int64_t child; (child = 2 * place + 1) < r->left; place = child) {
        child += child + 1 < r->left && uma_rank_is_above(r, r->heap[child + 1], r->heap[child]);
        if (!uma_rank_is_above(r, r->heap[child], cell))
            break;
        r->heap[place] = r->heap[child];
    }
    r->heap[place] = cell;
}

/* Take out the pair on top. */
static int64_t uma_rank_heap_take(struct uma_rank *r)
{
    assert(r->left > 0);
    int64_t top = r->heap[0];
    r->heap[0] = r->heap[--r->left];
    uma_rank_heap_sink(r, 0);
    return top;
}

/* Put a pair back. */
static void uma_rank_heap_put(struct uma_rank *r, int64_t cell)
{
    int64_t place = r->left++;
    for (; place > 0 && uma_rank_is_above(r, cell, r->heap[(place - 1) / 2]);
         place = (place - 1) / 2)
        r->heap[place] = r->heap[(place - 1) / 2];
    r->heap[place] = cell;
}

void uma_rank_start(struct uma_rank *r)
{
    int64_t K = r->t->K;
    bool random = r->options->strategy == UMA_RANDOM;
    r->left = 0;
    memset(r->row_open, 0, (size_t)K * sizeof *r->row_open);
    for (int64_t p = 0; p < K; p++)
        for (int64_t q = 0; q < K; q++) {
            double slack = uma_tables_slack(r->t, p, q), least = uma_rank_least_norm2(r, p, q),
                   norm2 = r->t->norm2[p * r->t->stride + q];
            r->high[p * K + q] = CLOSED;
            if (p == q || norm2 + slack <= least
                || (norm2 - slack <= least && !uma_tables_has_terms(r->t, p, q))
                || (r->options->strategy == UMA_CONFUSION && r->proportion[q] <= 0))
                continue;
            /* The random strategy counts the pairs; the others look closer only at one whose turn
             * it is. */
            if (random && norm2 - slack <= least && uma_tables_sum(r->t, p, q, r->z) <= least)
                continue;
            uma_rank_bound(r, p, q);
            r->heap[r->left++] = p * K + q;
            r->row_open[p]++;
        }
    if (!random)
        for (int64_t place = r->left / 2; place-- > 0;)
            uma_rank_heap_sink(r, place);
}

/* Any pair that is not closed; it is closed then. */
static int64_t uma_rank_pick_random(struct uma_rank *r)
{
    int64_t left = random_below(&r->random, r->left), p = 0, cell;
    for (; left >= r->row_open[p]; p++)
        left -= r->row_open[p];
    assert(p < r->t->K);
    for (cell = p * r->t->K; r->high[cell] <= CLOSED || left-- > 0;)
        cell++;
    assert(cell / r->t->K == p);
    r->high[cell] = CLOSED;
    r->row_open[p]--;
    r->left--;
    return cell;
}

/* Take the pair that ranks first; of equals the lowest.  Where the slack leaves more than one in
 * question, all of these are summed anew. */
static int64_t uma_rank_pick_first(struct uma_rank *r)
{
    const double equal = 1 - UMA_TIE;
    int64_t *contender = r->contender, K = r->t->K, count = 0, found = -1;
    double surely = 0, highest = 0; /* some pair ranks at least so high */
    while (r->left > 0 && r->high[r->heap[0]] >= equal * surely) {
        contender[count] = uma_rank_heap_take(r);
        surely = r->low[contender[count]] > surely ? r->low[contender[count]] : surely;
        count++;
    }
    assert(count > 0);
    if (count == 1)
        return contender[0];
    for (int64_t c = 0; c < count; c++) {
        int64_t cell = contender[c];
        if (r->high[cell] > r->low[cell])
            uma_tables_sum(r->t, cell / K, cell % K, r->z);
        uma_rank_bound(r, cell / K, cell % K);
        highest = r->low[cell] > highest ? r->low[cell] : highest;
    }
    for (int64_t c = 0; c < count; c++)
        if (r->high[contender[c]] >= equal * highest
            && (found < 0 || contender[c] < contender[found]))
            found = c;
    assert(found >= 0);
    for (int64_t c = 0; c < count; c++)
        if (c != found)
            uma_rank_heap_put(r, contender[c]);
    return contender[found];
}

bool uma_rank_next(struct uma_rank *r, int64_t *p, int64_t *q)
{
    if (r->left == 0)
        return false;
    int64_t cell = r->options->strategy == UMA_RANDOM ? uma_rank_pick_random(r)
                                                      : uma_rank_pick_first(r);
    *p = cell / r->t->K;
    *q = cell % r->t->K;
    return true;
}

bool uma_rank_eligible(const struct uma_rank *r, int64_t p, int64_t q)
{
    return r->t->norm2[p * r->t->stride + q] - uma_tables_slack(r->t, p, q)
           > uma_rank_least_norm2(r, p, q);
}
