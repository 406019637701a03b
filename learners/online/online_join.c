/* Each of several ranks passes over its own examples; after each pass their learners are merged
 * into one, which all go on from, by `delta` of online_merge.h.  As sums over the ranks,
 *
 *   D = 1/s - 1/s_0,  1/s <- 1/s_0 + sum D,  mu <- mu_0 + sum D (mu - mu_0) / sum D
 *
 * where mu_0 and s_0 are the weights and variances that all had before the pass. */
#include "common/base/memory.h"
#include "common/base/reduce.h"
#include "learners/online/online_state.h"

#include <assert.h>
#include <string.h>

bool online_joins(const struct online_options *options)
{
    return online_has_precisions(options) && !options->average;
}

/* Counts of all ranks, from those that all had before. */
static void online_join_counts(struct online *o)
{
    const struct round_counts mine = round_counts_minus(o->counts, o->joined_counts),
                              all = {reduce_count(mine.rounds), reduce_count(mine.mistakes),
                                     reduce_count(mine.updates)};
    o->counts = o->joined_counts = round_counts_plus(o->joined_counts, all);
}

int online_join(struct online *o, struct error *err)
{
    const int64_t cells = o->mu.rows * o->mu.stride;
    double *mu = o->mu.w, *s = o->sigma.diagonal.w, *sums = NULL;
    assert(online_joins(&o->options));
    if (!o->joined) {
        if (!(o->joined = memory_new(2 * cells, sizeof *o->joined, err)))
            return -1;
        for (int64_t i = 0; i < cells; i++)
            o->joined[cells + i] = 1;
    }
    if (online_check_precisions(o, err) != 0 || !(sums = memory_new(2 * cells, sizeof *sums, err)))
        return -1;
    const double *mu_0 = o->joined, *s_0 = mu_0 + cells;
    for (int64_t i = 0; i < cells; i++) {
        sums[i] = online_delta_shift(mu[i], s[i], mu_0[i], s_0[i]);
        sums[cells + i] = online_delta_precision(s[i], s_0[i]);
    }
    reduce_sum(sums, 2 * cells);
    for (int64_t i = 0; i < cells; i++) {
        mu[i] = online_delta_weight(sums[i], sums[cells + i], mu_0[i]);
        s[i] = 1 / (1 / s_0[i] + sums[cells + i]);
    }
    memcpy(o->joined, mu, (size_t)cells * sizeof *mu);
    memcpy(o->joined + cells, s, (size_t)cells * sizeof *s);
    memory_free(sums);
    online_join_counts(o);
    return 0;
}
