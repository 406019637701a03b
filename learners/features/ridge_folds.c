/* Examples are added block by block, and of G only the lower triangle. */
#include "learners/features/ridge_folds.h"

#include "common/base/memory.h"
#include "common/linalg/dense.h"

#include <assert.h>
#include <string.h>

int ridge_start(struct ridge_folds *r, int64_t dims, int64_t classes, int threads,
                struct error *err)
{
    const int64_t D = dims, K = classes;
    *r = (struct ridge_folds){.dims = D, .classes = K, .threads = threads};
    for (int64_t fold = 0; fold < RIDGE_FOLDS; fold++)
        if (!(r->gram[fold] = memory_new(D * D, sizeof(double), err))
            || !(r->right[fold] = memory_new(D * K, sizeof(double), err)))
            return -1;
    return (r->w = memory_new(D * K, sizeof(double), err))
                   && (r->system = memory_new(D * D, sizeof(double), err))
                   && (r->phi = memory_new(RIDGE_BLOCK * D, sizeof(double), err))
                   && (r->weighted = memory_new(RIDGE_BLOCK * D, sizeof(double), err))
                   && (r->target = memory_new(RIDGE_BLOCK * K, sizeof(double), err))
               ? 0
               : -1;
}

void ridge_open(struct ridge_folds *r, int64_t fold)
{
    ridge_retarget(r, fold);
    r->gram_stays = false;
    memset(r->gram[fold], 0, (size_t)(r->dims * r->dims) * sizeof(double));
}

void ridge_retarget(struct ridge_folds *r, int64_t fold)
{
    assert(fold >= 0 && fold < RIDGE_FOLDS && r->rows == 0);
    r->fold = fold;
    r->gram_stays = true;
    memset(r->right[fold], 0, (size_t)(r->dims * r->classes) * sizeof(double));
    memset(r->target, 0, (size_t)(RIDGE_BLOCK * r->classes) * sizeof(double));
}

/* Add the block to the sums, and empty it.  0 or -1. */
static int ridge_add_block(struct ridge_folds *r, struct error *err)
{
    const int64_t D = r->dims, K = r->classes, rows = r->rows;
    const struct dense_view phi = {r->phi, D, 1}, target = {r->target, K, 1},
                            transposed = {r->weighted, 1, D};
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < D; j++)
            r->weighted[i * D + j] = r->weight[i] * r->phi[i * D + j];
    if (!r->gram_stays
        && dense_add_lower_product(D, rows, 1, transposed, phi, r->gram[r->fold], D, r->threads,
                                   err)
               != 0)
        return -1;
    if (dense_add_product(D, K, rows, 1, transposed, target, r->right[r->fold], K, r->threads, err)
        != 0)
        return -1;
    memset(r->target, 0, (size_t)(RIDGE_BLOCK * K) * sizeof(double));
    r->rows = 0;
    return 0;
}

double *ridge_next(struct ridge_folds *r, double weight, double **target, struct error *err)
{
    if (r->rows == RIDGE_BLOCK && ridge_add_block(r, err) != 0)
        return NULL;
    *target = r->target + r->rows * r->classes;
    r->weight[r->rows] = weight;
    return r->phi + r->rows++ * r->dims;
}

int ridge_close(struct ridge_folds *r, struct error *err)
{
    const int64_t D = r->dims;
    double *gram = r->gram[r->fold];
    if (ridge_add_block(r, err) != 0)
        return -1;
    for (int64_t i = 0; i < D; i++)
        for (int64_t j = 0; j < i; j++)
            gram[j * D + i] = gram[i * D + j];
    return 0;
}

int ridge_solve(struct ridge_folds *r, int64_t left_out, double ridge, struct error *err)
{
    const int64_t D = r->dims, K = r->classes;
    assert(ridge > 0);
    memset(r->system, 0, (size_t)(D * D) * sizeof(double));
    memset(r->w, 0, (size_t)(D * K) * sizeof(double));
    for (int64_t fold = 0; fold < RIDGE_FOLDS; fold++) {
        if (fold == left_out)
            continue;
        for (int64_t i = 0; i < D * D; i++)
            r->system[i] += r->gram[fold][i];
        for (int64_t i = 0; i < D * K; i++)
            r->w[i] += r->right[fold][i];
    }
    for (int64_t i = 0; i < D; i++)
        r->system[i * D + i] += ridge;
    const int status = dense_cholesky(D, r->system, r->threads, err);
    return status != 0 ? status : dense_cholesky_solve(D, K, r->system, r->w, r->threads, err);
}

double ridge_bytes(int64_t dims, int64_t classes)
{
    const double D = (double)dims, K = (double)classes;
    return 8 * ((RIDGE_FOLDS + 1) * (D * D + D * K) + RIDGE_BLOCK * (2 * D + K));
}

void ridge_free(struct ridge_folds *r)
{
    for (int64_t fold = 0; fold < RIDGE_FOLDS; fold++) {
        memory_free(r->gram[fold]);
        memory_free(r->right[fold]);
    }
    memory_free(r->w);
    memory_free(r->system);
    memory_free(r->phi);
    memory_free(r->weighted);
    memory_free(r->target);
    *r = (struct ridge_folds){0};
}
