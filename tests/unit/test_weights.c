/* Tables of weights: their layout, and scores. */
#include "check.h"
#include "common/base/random.h"
#include "common/linear/weights.h"

#include <stdlib.h>
#include <string.h>

/* Scores against the plain loop, bit for bit: each is a sum in the order of the entries. */
static void check_table(struct random *g, int64_t columns, int64_t stride)
{
    check_group("scores, %lld columns, stride %lld", (long long)columns, (long long)stride);
    struct weights w = weights_make(columns, 0);
    w.stride = stride;
    CHECK(weights_grow(&w, 50, NULL) == 0, "50 features");
    for (int64_t j = 0; j <= 50; j++)
        for (int64_t k = 0; k < columns; k++)
            w.w[j * w.stride + k] = random_uniform(g) - 0.5;
    CHECK((uintptr_t)w.w % 64 == 0, "rows start at cache lines");
    enum { BEHIND = 64 };
    int32_t index[22];
    double value[22], step[160], *scores = calloc((size_t)w.stride + BEHIND, sizeof *scores);
    int64_t n = 0;
    for (int64_t k = 0; k < w.stride + BEHIND; k++)
        scores[k] = 7;
    for (int32_t j = 2; j < 60; j += 3) { /* some beyond the table */
        index[n] = j;
        value[n++] = random_uniform(g) * 3;
    }
    index[n] = 0;
    value[n++] = 1;
    index[n] = 1; /* behind the example */
    value[n] = 9;
    struct example x = {.line = 1, .size = n, .index = index, .value = value};
    weights_scores(&w, &x, scores);
    for (int64_t k = 0; k < columns; k++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++)
            if (index[i] <= 50)
                sum += value[i] * w.w[index[i] * w.stride + k];
        CHECK(memcmp(&sum, &scores[k], sizeof sum) == 0, "column %lld: %.17g, plainly %.17g",
              (long long)k, scores[k], sum);
    }
    for (int64_t k = w.stride; k < w.stride + BEHIND; k++)
        CHECK(scores[k] == 7, "number %lld behind the scores", (long long)(k - w.stride));

    /* An update: w += value step for the entries' rows, and for no other. */
    double *before = calloc((size_t)(51 * w.stride), sizeof *before);
    for (int64_t i = 0; i < 51 * w.stride; i++)
        before[i] = w.w[i];
    for (int64_t k = 0; k < w.stride; k++)
        step[k] = k < columns ? random_uniform(g) - 0.5 : 0;
    for (int64_t i = 0; i < n; i++)
        if (index[i] > 50)
            index[i] = 3;
    weights_add(&w, &x, step);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < w.stride; k++)
            before[index[i] * w.stride + k] += step[k] * value[i];
    CHECK(memcmp(before, w.w, (size_t)(51 * w.stride) * sizeof *before) == 0, "an update");
    free(before);
    free(scores);
    weights_free(&w);
}

static void check_scores(void)
{
    struct random g = {5};
    for (int64_t columns = 1; columns <= 140; columns += columns < 70 ? 1 : 13) {
        check_table(&g, columns, weights_make(columns, 0).stride);
        check_table(&g, columns, weights_narrow(columns));
    }
    check_group("a table that grows keeps its cells");
    struct weights w = weights_make(3, 1.5);
    double held[5000]; /* the second cell of each row */
    for (int64_t d = 0, last = 0; d < 5000; last = d + 1, d += 1 + d / 3) {
        CHECK(weights_grow(&w, d, NULL) == 0 && w.rows == d + 1, "%lld features", (long long)d);
        for (int64_t j = last; j <= d; j++)
            held[j] = 1.5;
        for (int64_t j = 0; j <= d; j++)
            CHECK(w.w[j * w.stride] == 1.5 && w.w[j * w.stride + 1] == held[j], "row %lld of %lld",
                  (long long)j, (long long)d);
        w.w[d * w.stride + 1] = held[d] = (double)d;
    }
    weights_free(&w);
    CHECK(!w.block && w.rows == 0 && w.columns == 3 && w.stride == 4 && w.initial == 1.5,
          "freed, it is empty");
    CHECK(weights_grow(&w, 2, NULL) == 0 && w.rows == 3 && w.w[11] == 1.5, "and may be used again");
    CHECK(weights_grow(&w, 1, NULL) == 0 && w.rows == 3, "a table does not shrink");
    struct error err = {0};
    CHECK(weights_grow(&w, INT64_MAX / 32 - 64, &err) == -1
              && strcmp(err.message, "a table of 288230376151711680 rows is too large") == 0,
          "too many rows: %s", err.message);
    weights_free(&w);
    w = weights_make(1, 0);
    for (int64_t d = 0, last = 0; d < 5000; last = d + 1, d += 1 + d / 3) { /* new cells are 0 */
        CHECK(weights_grow(&w, d, NULL) == 0 && w.rows == d + 1, "%lld features", (long long)d);
        for (int64_t j = last; j <= d; j++)
            held[j] = 0;
        for (int64_t j = 0; j <= d; j++)
            CHECK(w.w[j] == held[j], "row %lld of %lld", (long long)j, (long long)d);
        w.w[d] = held[d] = (double)d + 1;
    }
    weights_free(&w);
}

/* What rows are laid out in, and the small helpers. */
static void check_weights(void)
{
    check_group("tables of weights");
    static const int64_t shape[][3] = {{1, 1, 1}, {2, 2, 2},   {3, 4, 4},    {4, 4, 4},   {5, 8, 8},
                                       {8, 8, 8}, {9, 16, 12}, {16, 16, 16}, {17, 24, 20}};
    for (size_t t = 0; t < sizeof shape / sizeof *shape; t++) {
        int64_t columns = shape[t][0];
        const struct weights w = weights_make(columns, 0);
        CHECK_INT(w.stride, shape[t][1], "stride of %lld columns", (long long)columns);
        CHECK_INT(weights_narrow(columns), shape[t][2], "%lld columns, narrow", (long long)columns);
        CHECK_INT((int64_t)weights_bytes(columns, 9), 80 * w.stride, "bytes of ten rows");
    }
    CHECK(weights_columns(1) == 1 && weights_columns(2) == 1 && weights_columns(3) == 3,
          "two classes share a column");
    static const double scores[] = {-2, 3, 3, -1};
    CHECK(weights_best(scores, 4) == 1 && weights_best(scores, 1) == 0, "the first of the best");
    struct weights two = weights_make(2, 0), one;
    CHECK(weights_grow(&two, 3, NULL) == 0, "memory");
    for (int64_t i = 0; i < 8; i++)
        two.w[i] = (double)(i * i);
    CHECK(weights_difference(&two, &one, NULL) == 0 && one.rows == 4 && one.stride == 1,
          "the second less the first");
    for (int64_t j = 0; j < 4; j++)
        CHECK_INT((int64_t)one.w[j], 4 * j + 1, "row %lld", (long long)j);
    weights_free(&two);
    weights_free(&one);
}

int main(void)
{
    check_scores();
    check_weights();
    return check_finish();
}
