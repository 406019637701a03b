/* Examples are summed block by block: a matrix product is fast where it is deep. */
#include "learners/features/ridge_folds.h"

#include "common/base/memory.h"
#include "common/base/order.h"
#include "common/base/parallel.h"
#include "common/linalg/dense.h"

#include <assert.h>
#include <string.h>

/* Examples, or rows of a matrix, of a task.  No reason but that it works. */
enum { RIDGE_ROWS = 32 };

int ridge_start(struct ridge_folds *r, int64_t n, int64_t dims, int64_t classes, int threads,
                struct error *err)
{
    const int64_t D = dims, K = classes;
    *r = (struct ridge_folds){.dims = D, .classes = K, .threads = threads};
    for (int64_t fold = 0; fold < FOLDS_DEFAULT; fold++)
        if (!(r->gram[fold] = memory_new(D * D, sizeof(double), err))
            || !(r->right[fold] = memory_new(D * K, sizeof(double), err)))
            return -1;
    return (r->order = memory_new(n, sizeof *r->order, err))
                   && (r->w = memory_new(D * K, sizeof(double), err))
                   && (r->system = memory_new(D * D, sizeof(double), err))
                   && (r->phi = memory_new(RIDGE_BLOCK * D, sizeof(double), err))
                   && (r->single = memory_new(RIDGE_BLOCK * D, sizeof(float), err))
                   && (r->weight = memory_new(RIDGE_BLOCK, sizeof(double), err))
                   && (r->target = memory_new(RIDGE_BLOCK * K, sizeof(double), err))
               ? 0
               : -1;
}

void ridge_deal(struct ridge_folds *r, const int64_t *fold, int64_t n, int64_t folds)
{
    assert(folds <= FOLDS_FINE);
    folds_list(fold, n, folds, r->order, r->start);
}

/* ---- blocks of examples ---- */

/* Some examples of a fold, which are summed or scored together. */
struct ridge_block {
    struct ridge_folds *r;
    const struct ridge_source *source;
    const int64_t *examples;
    int64_t rows; /* how many */
    int64_t left; /* of the fold's examples, those from this block on */
};

/* A place before the first block of a fold: ridge_next goes on to that. */
static struct ridge_block ridge_open(struct ridge_folds *r, const struct ridge_source *source,
                                     int64_t fold)
{
    return (struct ridge_block){.r = r,
                                .source = source,
                                .examples = r->order + r->start[fold],
                                .left = r->start[fold + 1] - r->start[fold]};
}

/* Go on to the next block; false after the last. */
static bool ridge_next(struct ridge_block *block)
{
    block->examples += block->rows;
    block->left -= block->rows;
    block->rows = order_least(RIDGE_BLOCK, block->left);
    return block->rows > 0;
}

/* The features of some examples of a block. */
static void ridge_features_task(void *context, int64_t task)
{
    const struct ridge_block *block = context;
    const int64_t D = block->r->dims, last = order_least((task + 1) * RIDGE_ROWS, block->rows);
    for (int64_t row = task * RIDGE_ROWS; row < last; row++)
        block->source->features(block->source->context, block->examples[row],
                                block->r->phi + row * D);
}

/* The same, also as floats, with weights and targets. */
static void ridge_write_task(void *context, int64_t task)
{
    const struct ridge_block *block = context;
    const struct ridge_folds *r = block->r;
    const int64_t D = r->dims, K = r->classes, first = task * RIDGE_ROWS,
                  last = order_least(first + RIDGE_ROWS, block->rows);
    ridge_features_task(context, task);
    for (int64_t place = first * D; place < last * D; place++)
        r->single[place] = (float)r->phi[place];
    memset(r->target + first * K, 0, (size_t)((last - first) * K) * sizeof *r->target);
    for (int64_t row = first; row < last; row++) {
        double *target = r->target + row * K;
        r->weight[row] = block->source->label(block->source->context, block->examples[row], target);
        for (int64_t k = 0; k < K; k++)
            target[k] *= r->weight[row];
    }
}

/* ---- sums ---- */

static bool ridge_has_weight(const struct ridge_block *block)
{
    int64_t row = 0;
    while (row < block->rows && block->r->weight[row] == 0)
        row++;
    return row < block->rows;
}

/* Add a block to G, unless that is NULL, and to R.  0 or -1. */
static int ridge_add_block(struct ridge_block *block, double *gram, double *right,
                           struct error *err)
{
    const struct ridge_folds *r = block->r;
    const int64_t D = r->dims, K = r->classes, rows = block->rows;
    const struct dense_view transposed = {r->phi, 1, D}, target = {r->target, K, 1};
    parallel_for(r->threads, parallel_parts(rows, RIDGE_ROWS), ridge_write_task, block);
    if (!ridge_has_weight(block))
        return 0;
    if (gram && dense_add_gram(D, rows, r->single, r->weight, gram, r->threads, err) != 0)
        return -1;
    return dense_add_product(D, K, rows, 1, transposed, target, right, K, r->threads, err);
}

/* G, unless that is NULL, and R of a fold.  0 or -1. */
static int ridge_sum_fold(struct ridge_folds *r, int64_t fold, const struct ridge_source *source,
                          double *gram, double *right, struct error *err)
{
    const int64_t D = r->dims;
    struct ridge_block block = ridge_open(r, source, fold);
    memset(right, 0, (size_t)(D * r->classes) * sizeof *right);
    if (gram)
        memset(gram, 0, (size_t)(D * D) * sizeof *gram);
    while (ridge_next(&block))
        if (ridge_add_block(&block, gram, right, err) != 0)
            return -1;
    return 0;
}

int ridge_sum(struct ridge_folds *r, const struct ridge_source *source, bool keep_gram,
              struct error *err)
{
    for (int64_t fold = 0; fold < FOLDS_DEFAULT; fold++)
        if (ridge_sum_fold(r, fold, source, keep_gram ? NULL : r->gram[fold], r->right[fold], err)
            != 0)
            return -1;
    return 0;
}

/* ---- scores ---- */

int ridge_score(struct ridge_folds *r, int64_t fold, const struct ridge_source *source,
                const double *w, int64_t columns, ridge_take *take, void *context,
                struct error *err)
{
    const struct dense_view phi = {r->phi, r->dims, 1}, by = {w, columns, 1};
    struct ridge_block block = ridge_open(r, source, fold);
    double *some = memory_new(RIDGE_BLOCK * columns, sizeof *some, err);
    int status = 0;
    if (!some)
        return -1;
    while (ridge_next(&block)) {
        parallel_for(r->threads, parallel_parts(block.rows, RIDGE_ROWS), ridge_features_task,
                     &block);
        memset(some, 0, (size_t)(block.rows * columns) * sizeof *some);
        status = dense_add_product(block.rows, columns, r->dims, 1, phi, by, some, columns,
                                   r->threads, err);
        if (status != 0)
            break;
        for (int64_t row = 0; row < block.rows; row++)
            take(context, block.examples[row], some + row * columns);
    }
    memory_free(some);
    return status;
}

/* ---- solutions ---- */

struct ridge_system {
    struct ridge_folds *r;
    int64_t left_out;
    const struct ridge_source *own; /* NULL: left_out is a fold of the sums; else its own sums are
                                       made from these examples, and subtracted from those of all */
    double ridge;
    double *a; /* D x D: G without left_out, and r I; then its Cholesky factor */
    double *w; /* D x K: R without left_out; then the solution */
    int threads;
};

static struct ridge_system ridge_system_of(struct ridge_folds *r, int64_t left_out, double ridge)
{
    return (struct ridge_system){.r = r,
                                 .left_out = left_out,
                                 .ridge = ridge,
                                 .a = r->system,
                                 .w = r->w,
                                 .threads = r->threads};
}

/* Set up some rows of the system, and of its right side. */
static void ridge_system_task(void *context, int64_t task)
{
    const struct ridge_system *s = context;
    const int64_t D = s->r->dims, K = s->r->classes, last = order_least((task + 1) * RIDGE_ROWS, D);
    for (int64_t i = task * RIDGE_ROWS; i < last; i++) {
        double *row = s->a + i * D, *right = s->w + i * K;
        for (int64_t j = 0; j <= i; j++)
            row[j] = s->own ? -row[j] : 0;
        for (int64_t k = 0; k < K; k++)
            right[k] = s->own ? -right[k] : 0;
        for (int64_t fold = 0; fold < FOLDS_DEFAULT; fold++) {
            if (fold == s->left_out && !s->own)
                continue;
            for (int64_t j = 0; j <= i; j++)
                row[j] += s->r->gram[fold][i * D + j];
            for (int64_t k = 0; k < K; k++)
                right[k] += s->r->right[fold][i * K + k];
        }
        row[i] += s->ridge;
    }
}

/* 0, DENSE_INDEFINITE or -1. */
static int ridge_solve_system(struct ridge_system *s, struct error *err)
{
    const int64_t D = s->r->dims, K = s->r->classes;
    assert(s->ridge > 0);
    if (s->own && ridge_sum_fold(s->r, s->left_out, s->own, s->a, s->w, err) != 0)
        return -1;
    parallel_for(s->threads, parallel_parts(D, RIDGE_ROWS), ridge_system_task, s);
    const int status = dense_cholesky(D, s->a, s->threads, err);
    return status != 0 ? status : dense_cholesky_solve(D, K, s->a, s->w, s->threads, err);
}

/* Solve with the least of s->ridge, 10 s->ridge, 100 s->ridge .., up to `most`, at which the system
 * is definite.  0 or -1. */
static int ridge_solve_strongly(struct ridge_system *s, double most, struct error *err)
{
    /* 10 times 1/10 may be more than 1: by some 1e-16 a factor, so 1e-9 is room enough, and far
     * less than the factor to the next. */
    for (; s->ridge <= most * (1 + 1e-9); s->ridge *= 10) {
        const int status = ridge_solve_system(s, err);
        if (status <= 0)
            return status;
    }
    return error_set(err, "the features of the kernel are too much alike");
}

int ridge_solve_definite(struct ridge_folds *r, int64_t left_out, double ridge, double most,
                         struct error *err)
{
    struct ridge_system system = ridge_system_of(r, left_out, ridge);
    return ridge_solve_strongly(&system, most, err);
}

int ridge_solve_without(struct ridge_folds *r, int64_t left_out, const struct ridge_source *source,
                        double ridge, double most, struct error *err)
{
    struct ridge_system system = ridge_system_of(r, left_out, ridge);
    system.own = source;
    return ridge_solve_strongly(&system, most, err);
}

/* One of some systems that are solved side by side. */
struct ridge_side {
    struct ridge_system system;
    double most;
};

static int ridge_solve_side(void *context, int64_t task, struct error *err)
{
    struct ridge_side *side = (struct ridge_side *)context + task;
    return ridge_solve_strongly(&side->system, side->most, err);
}

int ridge_solve_each(struct ridge_folds *r, int64_t left_out, const double *ridge, int64_t ridges,
                     double most, double *system, double *w, struct error *err)
{
    struct ridge_side sides[RIDGE_EACH] = {0};
    const int64_t D = r->dims, K = r->classes;
    assert(ridges <= RIDGE_EACH);
    for (int64_t i = 0; i < ridges; i++) {
        sides[i].system = (struct ridge_system){.r = r,
                                                .left_out = left_out,
                                                .ridge = ridge[i],
                                                .a = system + i * D * D,
                                                .w = w + i * D * K,
                                                .threads = 1};
        sides[i].most = most;
    }
    return parallel_try(r->threads, ridges, ridge_solve_side, sides, err);
}

double ridge_bytes(int64_t n, int64_t dims, int64_t classes)
{
    const double D = (double)dims, K = (double)classes;
    return 8 * ((FOLDS_DEFAULT + 1) * (D * D + D * K) + RIDGE_BLOCK * (1.5 * D + 2 * K + 1))
           + 8 * (double)n + dense_gram_bytes(dims);
}

void ridge_free(struct ridge_folds *r)
{
    for (int64_t fold = 0; fold < FOLDS_DEFAULT; fold++) {
        memory_free(r->gram[fold]);
        memory_free(r->right[fold]);
    }
    memory_free(r->order);
    memory_free(r->w);
    memory_free(r->system);
    memory_free(r->phi);
    memory_free(r->single);
    memory_free(r->weight);
    memory_free(r->target);
    *r = (struct ridge_folds){0};
}
