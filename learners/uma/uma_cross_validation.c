/* Each fold is predicted by what the others have taught. */
#include "common/base/memory.h"
#include "common/data/copies.h"
#include "common/data/folds.h"
#include "learners/uma/uma_state.h"

#include <assert.h>

double uma_validation_bytes(int64_t n, int64_t K)
{
    return 3 * (double)n * (double)sizeof(int64_t) + copies_bytes(n)
           + (double)K * (double)K * (double)sizeof(int64_t);
}

int uma_cross_validate(const struct uma_data *data, const struct uma_options *options,
                       int64_t folds, struct uma_validation *found, struct error *err)
{
    const int64_t n = data->n, K = data->K;
    struct fold_examples all = {.n = n, .classes = K, .y = data->y};
    int64_t *fold = NULL, *part = NULL, *votes = NULL, *copies = NULL;
    int status = -1;
    assert(!data->subset);
    if (!(fold = memory_new(n, sizeof *fold, err)) || !(part = memory_new(n, sizeof *part, err))
        || !(votes = memory_new(K * K, sizeof *votes, err))
        || copies_unless_groups(data->first, data->problem, data->y, &copies, &all.first, err) != 0)
        goto done;
    if (folds_assign(&all, folds, options->seed, fold, err) != 0)
        goto done;
    for (int64_t f = 0; f < folds; f++) {
        /* First the examples to learn from, then those held out, the last one first. */
        int64_t known = 0, held = n;
        for (int64_t i = 0; i < n; i++)
            part[fold[i] == f ? --held : known++] = i;
        assert(known == held);
        struct uma_data learnt = *data, judged = *data;
        learnt.subset = part;
        learnt.n = known;
        judged.subset = part + known;
        judged.n = n - known;
        struct uma_result result;
        if (uma_train(&learnt, options, NULL, &result, err) != 0)
            goto done;
        uma_vote(&judged, result.w, votes, found->scores);
        uma_result_free(&result);
    }
    found->agreed = 0;
    for (int64_t k = 0; k < K; k++)
        found->agreed += votes[k * K + k];
    found->error = uma_estimated_error(votes, data->inverse, K, n);
    status = 0;
done:
    memory_free(fold);
    memory_free(part);
    memory_free(votes);
    memory_free(copies);
    return status;
}
