/* The rest of a fold is a copy of what is said of its examples, in their order, so that EM (em.h)
 * takes it as it takes all examples. */
#include "learners/estimate/rest_of_fold.h"

#include "common/base/memory.h"
#include "learners/noise/em_prior.h"

#include <string.h>

int rest_make(const struct rest_source *from, int64_t left_out, struct rest_of_fold *rest,
              struct error *err)
{
    const int64_t n = from->n;
    *rest = (struct rest_of_fold){0};
    if (!(rest->example = memory_new(n, sizeof *rest->example, err))
        || !(rest->y = memory_new(n, sizeof *rest->y, err))
        || !(rest->fold = memory_new(n, sizeof *rest->fold, err))
        || !(rest->v = memory_new(n, sizeof *rest->v, err))
        || (from->weight && !(rest->weight = memory_new(n, sizeof *rest->weight, err))))
        return -1;
    for (int64_t i = 0; i < n; i++) {
        if (from->fold[i] == left_out)
            continue;
        rest->y[rest->n] = from->y[i];
        rest->fold[rest->n] = from->fold[i];
        if (from->weight)
            rest->weight[rest->n] = from->weight[i];
        rest->example[rest->n++] = i;
    }
    return 0;
}

int rest_estimate_matrix(const struct rest_of_fold *rest, int64_t K, const double *p,
                         const double *start, int threads, double *c, struct error *err)
{
    struct em em;
    int status = em_start(&em, rest->n, K, rest->y, rest->fold, threads, err);
    if (status != 0)
        goto done;
    em_weigh(&em, rest->weight);
    em.leads = true;
    memcpy(em.p, p, (size_t)(rest->n * K) * sizeof *p);
    memcpy(c, start, (size_t)(K * K) * sizeof *c);
    status = em_choose_prior(&em, start, err);
    if (status != 0)
        goto done;
    for (int step = 0; step < EM_STEPS; step++)
        em_step(&em, c, FOLDS_ALL, NULL);
done:
    em_free(&em);
    return status;
}

double rest_bytes(int64_t n, int64_t classes)
{
    return 8 * (double)n * ((double)classes + 6);
}

void rest_free(struct rest_of_fold *rest)
{
    memory_free(rest->example);
    memory_free(rest->y);
    memory_free(rest->weight);
    memory_free(rest->fold);
    memory_free(rest->p);
    memory_free(rest->v);
    *rest = (struct rest_of_fold){0};
}
