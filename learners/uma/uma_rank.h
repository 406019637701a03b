/* In which order UMA (uma.h) tries its pairs (p, q).
 *
 * A pair is eligible when ||z_pq|| exceeds what the strategy and the options ask for; the eligible
 * ones are ranked by ||z_pq||, or by ||z_pq|| / pi_q, or drawn at random.  Norms are known within
 * their slack (uma_tables.h); where that leaves it open which pair is first, those in question are
 * summed anew. */
#ifndef LEARNERS_UMA_UMA_RANK_H
#define LEARNERS_UMA_UMA_RANK_H

#include "common/base/random.h"
#include "learners/uma/uma_options.h"
#include "learners/uma/uma_tables.h"

struct uma_rank {
    struct uma_tables *t; /* borrowed, like the next two */
    const struct uma_options *options;
    const double *proportion; /* K: pi */
    struct random random;
    double *low, *high; /* K x K: bounds of each pair's rank; high is negative when the pair is
                         * closed: not eligible, or drawn */
    int64_t *heap;      /* K x K: the pairs that are left, by rank */
    int64_t left;       /* how many */
    int64_t *contender; /* K x K: pairs that may rank first */
    int64_t *row_open;  /* K: pairs (p, .) that are not closed, to draw one fast */
    double *z;          /* D: workspace for a sum that only its norm is wanted of */
};

/* 0 or -1 (memory; free as after success). */
int uma_rank_make(struct uma_rank *r, struct uma_tables *t, const struct uma_options *options,
                  const double *proportion, struct error *err);

/* Rank all pairs by the present tables.  O(K^2). */
void uma_rank_start(struct uma_rank *r);

/* The next pair, or false when none is left.  Whether it is eligible may still be in doubt.  O(log
 * K) without doubts. */
bool uma_rank_next(struct uma_rank *r, int64_t *p, int64_t *q);

/* Is the pair eligible beyond doubt?  After uma_tables_sum there is none. */
bool uma_rank_eligible(const struct uma_rank *r, int64_t p, int64_t q);

double uma_rank_bytes(int64_t d, int64_t K);

void uma_rank_free(struct uma_rank *r);

#endif
