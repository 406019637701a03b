/* One pass marks the features that occur, another one puts their numbers. */
#include "common/data/number_features.h"

#include "common/base/memory.h"
#include "common/base/order.h"
#include "common/base/reduce.h"
#include "common/data/rows.h"

#include <assert.h>
#include <string.h>

/* Words that ranks share at a time: no reason but that it works. */
enum { NUMBER_WORDS = 8192 };

/* The features of this rank's examples.  0 or -1. */
static int number_features_mark(const struct problem *problem, struct feature_numbers *numbers,
                                struct error *err)
{
    struct rows rows = rows_of(problem);
    for (int64_t i = 0; i < problem->n; i++) {
        const struct example x = rows_example(&rows, i);
        for (int64_t e = 0; e < x.size; e++)
            feature_numbers_mark(numbers, x.index[e]);
    }
    rows_end(&rows);
    return rows_check(problem, err);
}

/* Those of any rank.  0 or -1. */
static int number_features_share(struct feature_numbers *numbers, struct error *err)
{
    const int64_t ranks = reduce_ranks(), rank = reduce_rank(),
                  words = feature_numbers_words(numbers);
    if (ranks == 1)
        return 0;
    uint64_t *all = memory_new(ranks * NUMBER_WORDS, sizeof *all, err);
    if (!all)
        return -1;
    for (int64_t first = 0; first < words; first += NUMBER_WORDS) {
        const int64_t count = order_least(words - first, NUMBER_WORDS);
        memcpy(all + rank * count, numbers->occurs + first, (size_t)count * sizeof *all);
        reduce_gather(all, (size_t)count * sizeof *all, rank, 1);
        for (int64_t at = 0; at < ranks * count; at++)
            numbers->occurs[first + at % count] |= all[at];
    }
    memory_free(all);
    return 0;
}

int number_features(struct problem *problem, struct feature_numbers *numbers, struct error *err)
{
    assert(!problem->numbers && !problem->dense);
    if (feature_numbers_start(numbers, problem->d, err) != 0)
        return -1;
    if (number_features_mark(problem, numbers, err) != 0
        || number_features_share(numbers, err) != 0) {
        feature_numbers_free(numbers);
        return -1;
    }
    if (feature_numbers_count(numbers, err) != 0)
        return -1;
    if (numbers->count == 0)
        return 0;
    problem->d = numbers->count;
    if (problem->disk)
        problem->numbers = numbers;
    else
        feature_numbers_put(numbers, problem->index, problem->nnz);
    return 0;
}
