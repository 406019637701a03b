/* Tables of weights.  Nearly all time goes into weights_scores and weights_add.  Feature-major
 * order makes one entry of an example touch one row; measured with 50 classes and 47236 features,
 * keeping the sums in registers and asking for the rows ahead, it is 8 times faster than
 * class-major order; with 10 classes and 784 features 1.9 times. */
#include "common/linear/weights.h"

#include "common/base/memory.h"
#include "common/base/vectors.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

enum { AHEAD = 4 }; /* entries between asking for a row and using it; no reason but that it works */

/* Powers of two up to 8 columns, whole cache lines beyond. */
static int64_t weights_usual_stride(int64_t columns)
{
    if (columns < 5)
        return columns == 3 ? 4 : columns;
    return (columns + 7) / 8 * 8;
}

struct weights weights_make(int64_t columns, double initial)
{
    return (struct weights){
        .columns = columns, .stride = weights_usual_stride(columns), .initial = initial};
}

int64_t weights_columns(int64_t classes)
{
    return classes == 2 ? 1 : classes;
}

int64_t weights_narrow(int64_t columns)
{
    return columns < 3 ? columns : (columns + 3) / 4 * 4;
}

double weights_bytes(int64_t columns, int64_t d)
{
    return ((double)d + 1) * (double)weights_usual_stride(columns) * (double)sizeof(double);
}

int weights_check_memory(double bytes, double *checked, int64_t d, int64_t classes,
                         struct error *err)
{
    char what[96];
    if (bytes <= *checked)
        return 0;
    snprintf(what, sizeof what, "a model of %lld features x %lld classes", (long long)d,
             (long long)classes);
    if (memory_check(bytes, what, err) != 0)
        return -1;
    *checked = 1.1 * bytes;
    return 0;
}

/* Make the block at least `bytes` large, with its first `used` numbers kept.  zero: there is no
 * block yet, and the new one is to be all zero.  0, or -1 with nothing changed. */
static int weights_reserve(struct weights *weights, int64_t bytes, int64_t used, bool zero,
                           struct error *err)
{
    if (bytes <= weights->capacity)
        return 0;
    /* Growing by half costs address space only: memory is taken when rows are touched. */
    int64_t capacity = weights->capacity + weights->capacity / 2;
    if (capacity < bytes)
        capacity = bytes;
    const int64_t offset = weights->block ? (char *)weights->w - (char *)weights->block : 0;
    void *block = zero ? memory_new(capacity, 1, err)
                       : memory_resize(weights->block, capacity, 1, err);
    if (!block)
        return -1;
    weights->block = block;
    weights->capacity = capacity;
    weights->w = memory_cache_line(block);
    /* The new block may start at another place of a cache line. */
    if (used > 0 && (char *)weights->w - (char *)block != offset)
        memmove(weights->w, (char *)block + offset, (size_t)used * sizeof(double));
    return 0;
}

int weights_grow(struct weights *weights, int64_t d, struct error *err)
{
    if (d < weights->rows)
        return 0;
    if (d + 1 > INT64_MAX / weights->stride / (int64_t)sizeof(double) - MEMORY_LINE)
        return error_set(err, "a table of %lld rows is too large", (long long)d + 1);
    const int64_t used = weights->rows * weights->stride, needed = (d + 1) * weights->stride;
    /* The system clears a new block page by page, when it is touched: cheaper than a loop. */
    const bool zero = !weights->block && weights->initial == 0;
    if (weights_reserve(weights, needed * (int64_t)sizeof(double) + MEMORY_LINE, used, zero, err)
        != 0)
        return -1;
    const char *end = (const char *)(weights->w + needed);
    memory_fence(weights->block, end - (const char *)weights->block, weights->capacity, 1);
    if (!zero)
        for (int64_t i = used; i < needed; i++)
            weights->w[i] = weights->initial;
    weights->rows = d + 1;
    return 0;
}

/* ---- scores ---- */

/* Add entry i of the example to its scores, COUNT sums of TYPE. */
#define SCORE_ENTRY(TYPE, COUNT)                                                         \
    do {                                                                                 \
        const TYPE *row = (const TYPE *)(const void *)(w + index[i] * stride);           \
        const double v = value[i];                                                       \
        _Pragma("GCC unroll 16") for (int s = 0; s < (COUNT); s++) sum[s] += v * row[s]; \
    } while (0)

/* The scores of an example, with all sums in registers.  The last entries, which none follows, have
 * a loop of their own: tests in the loop took a fifth of the time. */
#define SCORE(TYPE, COUNT)                                                   \
    do {                                                                     \
        TYPE sum[COUNT];                                                     \
        memset(sum, 0, sizeof sum);                                          \
        int64_t i = 0;                                                       \
        for (; i < size - AHEAD; i++) {                                      \
            for (size_t c = 0; c < sizeof sum; c += MEMORY_LINE)             \
                PREFETCH((const char *)(w + index[i + AHEAD] * stride) + c); \
            SCORE_ENTRY(TYPE, COUNT);                                        \
        }                                                                    \
        for (; i < size; i++)                                                \
            SCORE_ENTRY(TYPE, COUNT);                                        \
        memcpy(scores, sum, sizeof sum);                                     \
    } while (0)

#define SCORE_CASE(B)      \
    case B:                \
        SCORE(vector4, B); \
        break;

/* The scores of 4 times `blocks` columns, but not of more than 64.
 *
 * w                   the first of these columns in row 0
 * index, value, size  an example's */
WIDEST_VECTORS(void, weights_score_blocks,
               (const double *w, int64_t stride, int64_t blocks, const int32_t *index,
                const double *value, int64_t size, double *scores),
               (w, stride, blocks, index, value, size, scores))
{
    switch (blocks) {
        SCORE_CASE(1)
        SCORE_CASE(2)
        SCORE_CASE(3)
        SCORE_CASE(4)
        SCORE_CASE(5)
        SCORE_CASE(6)
        SCORE_CASE(7)
        SCORE_CASE(8)
        SCORE_CASE(9)
        SCORE_CASE(10)
        SCORE_CASE(11)
        SCORE_CASE(12)
        SCORE_CASE(13)
        SCORE_CASE(14)
        SCORE_CASE(15)
    default:
        SCORE(vector4, 16); /* or more: the next call starts after them */
    }
}

/* The scores of the first `size` entries of an example, all of which have a row. */
static void weights_score_known(const struct weights *weights, const struct example *x,
                                int64_t size, double *scores)
{
    const double *w = weights->w, *value = x->value;
    const int32_t *index = x->index;
    const int64_t stride = weights->stride;
    assert(stride == 1 || stride == 2 || stride % 4 == 0);
    if (stride == 1)
        SCORE(double, 1);
    else if (stride == 2)
        SCORE(double, 2);
    else if (stride == 4)
        SCORE(double, 4);
    else
        for (int64_t column = 0; column < stride; column += 64) {
            int64_t blocks = (stride - column) / 4;
            weights_score_blocks(w + column, stride, blocks, index, value, size, scores + column);
        }
}

void weights_scores(const struct weights *weights, const struct example *x, double *scores)
{
    /* Entries ascend, so those beyond the table are the last before the bias. */
    const bool bias = x->size > 0 && x->index[x->size - 1] == 0 && weights->rows > 0;
    int64_t known = x->size - bias;
    while (known > 0 && x->index[known - 1] >= weights->rows)
        known--;
    const bool all = known + bias == x->size;
    weights_score_known(weights, x, all ? x->size : known, scores);
    if (bias && !all)
        for (int64_t k = 0; k < weights->stride; k++)
            scores[k] += x->value[x->size - 1] * weights->w[k];
}

/* ---- sums ---- */

/* Add value[i] * step to row index[i] of w. */
WIDEST_VECTORS(void, weights_add_rows,
               (double *restrict w, int64_t stride, const int32_t *index, const double *value,
                int64_t size, const double *restrict step),
               (w, stride, index, value, size, step))
{
    for (int64_t i = 0; i < size; i++) {
        double *row = w + index[i] * stride, v = value[i];
        if (i + AHEAD < size)
            for (int64_t c = 0; c < stride; c += MEMORY_LINE / 8)
                PREFETCH(w + index[i + AHEAD] * stride + c);
        for (int64_t c = 0; c < stride; c++)
            row[c] += step[c] * v;
    }
}

void weights_add(struct weights *weights, const struct example *x, const double *step)
{
    weights_add_rows(weights->w, weights->stride, x->index, x->value, x->size, step);
}

int64_t weights_best(const double *scores, int64_t columns)
{
    int64_t best = 0;
    for (int64_t k = 1; k < columns; k++)
        if (scores[k] > scores[best])
            best = k;
    return best;
}

int64_t weights_best_other(const double *scores, int64_t columns, int64_t but)
{
    int64_t best = but == 0 ? 1 : 0;
    for (int64_t k = best + 1; k < columns; k++)
        if (k != but && scores[k] > scores[best])
            best = k;
    return best;
}

bool weights_are_zero(const struct weights *weights)
{
    for (int64_t i = 0; i < weights->rows * weights->stride; i++)
        if (weights->w[i] != 0)
            return false;
    return true;
}

int weights_difference(const struct weights *two, struct weights *one, struct error *err)
{
    *one = weights_make(1, 0);
    if (weights_grow(one, two->rows - 1, err) != 0)
        return -1;
    for (int64_t j = 0; j < two->rows; j++)
        one->w[j * one->stride] = two->w[j * two->stride + 1] - two->w[j * two->stride];
    return 0;
}

void weights_free(struct weights *weights)
{
    memory_free(weights->block);
    *weights = weights_make(weights->columns, weights->initial);
}
