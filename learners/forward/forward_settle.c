/* One pass over the examples with the weights as they are. */
#include "learners/forward/forward_settle.h"

#include "common/base/reduce.h"
#include "common/data/rows.h"
#include "learners/forward/forward_state.h"

#include <math.h>

int forward_settle(struct forward *f, const struct problem *problem, const int32_t *y,
                   const double *weight, const int64_t *subset, int64_t n, bool final,
                   struct error *err)
{
    const int64_t K = f->labels.count, stride = f->w.stride;
    forward_take_decay(f);
    if (forward_grow(f, f->w.rows - 1, err) != 0)
        return -1;
    const int64_t sums = final ? 0 : f->squares.rows * stride;
    for (int64_t i = 0; i < sums; i++)
        f->squares.w[i] = f->options.delta;
    reduce_receive(f->squares.w, sums);
    f->counts = (struct round_counts){.rounds = n};
    struct rows rows = rows_of(problem);
    for (int64_t i = 0; i < n; i++) {
        const int64_t e = subset ? subset[i] : i;
        const struct example x = rows_example(&rows, e);
        weights_scores(&f->w, &x, f->scores);
        const double log_q = forward_direction(f->confusion + y[e] * K, K, f->scores, stride,
                                               f->probability);
        f->counts.mistakes += weights_best(f->probability, K) != y[e];
        if (!(log_q > -INFINITY))
            continue;
        f->counts.updates++;
        if (final)
            continue;
        for (int64_t j = 0; j < x.size; j++)
            for (int64_t k = 0; k < f->columns; k++) {
                const double g = f->scores[k] * (weight ? weight[e] : 1) * x.value[j];
                f->squares.w[x.index[j] * stride + k] += g * g;
            }
    }
    rows_end(&rows);
    reduce_send(f->squares.w, sums);
    reduce_finish(f->squares.w, sums);
    f->counts = (struct round_counts){.rounds = reduce_count(n),
                                      .mistakes = reduce_count(f->counts.mistakes),
                                      .updates = reduce_count(f->counts.updates)};
    /* Every feature counts as seen now: no decay is due. */
    for (int64_t j = 0; j < f->seen.rows; j++)
        f->seen.w[j] = (double)f->counts.rounds;
    return rows_check(problem, err);
}
