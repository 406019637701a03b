/* Scores change by the last step alone: one inner product an example.  What a block of examples
 * says is gathered, then counted in their order: the same numbers for any number of threads. */
#include "common/base/order.h"
#include "common/base/parallel.h"
#include "common/base/reduce.h"
#include "learners/uma/uma_state.h"

#include <assert.h>
#include <string.h>

/* Multiplications that are worth a thread: no reason but that it works. */
enum { UMA_PARALLEL_WORK = 200000 };

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
        struct example x = uma_data_example(&u->t.data, rows, i);
        double product = uma_dot(&x, u->z);
        for (int64_t s = 0; s < u->stepped_count; s++)
            score[u->stepped[s]] += u->tau[u->stepped[s]] * product;
        search |= u->tau[top] * product < 0;
    }
    if (search)
        return weights_best(score, u->K);
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
    int64_t first = block * UMA_BLOCK, last = order_least(first + UMA_BLOCK, u->n), count = 0;
    struct rows rows = rows_of(u->t.data.problem);
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

void uma_sum_votes(struct uma *u)
{
    memcpy(u->votes, u->own_votes, (size_t)(u->K * u->K) * sizeof *u->votes);
    reduce_counts(u->votes, u->K * u->K);
}

void uma_follow(struct uma *u)
{
    int64_t blocks = parallel_parts(u->n, UMA_BLOCK), work = u->t.data.problem->nnz + u->n * u->K;
    assert(u->stepped_count == 0 || u->predicted[0] >= 0);
    parallel_for(work > UMA_PARALLEL_WORK ? u->options->threads : 1, blocks, uma_score_block, u);
    u->t.moved_count = 0;
    for (int64_t block = 0; block < blocks; block++)
        for (int64_t f = 0; f < u->flags[block]; f++) {
            int64_t i = u->flagged[block * UMA_BLOCK + f];
            int32_t k = uma_data_observed(&u->t.data, i);
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

double uma_estimated_error(const int64_t *votes, const double *inverse, int64_t K, int64_t n)
{
    double right = 0;
    for (int64_t cell = 0; cell < K * K; cell++)
        right += (double)votes[cell] * inverse[cell];
    return 1 - right / (double)n;
}

void uma_vote(const struct uma_data *data, const double *w, int64_t *votes, double *scores)
{
    const int64_t K = data->K, D = (int64_t)data->problem->d + 1;
    struct rows rows = rows_of(data->problem);
    for (int64_t i = 0; i < data->n; i++) {
        struct example x = uma_data_example(data, &rows, i);
        double highest = 0;
        int64_t top = 0;
        for (int64_t k = 0; k < K; k++) {
            double score = uma_dot(&x, w + k * D);
            if (k == 0 || score > highest) {
                highest = score;
                top = k;
            }
            if (scores)
                scores[uma_data_place(data, i) * K + k] = score;
        }
        votes[top * K + uma_data_observed(data, i)]++;
    }
    rows_end(&rows);
}
