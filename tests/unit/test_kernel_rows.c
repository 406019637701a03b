/* Rows of the kernel matrix as they are asked for (common/kernel/kernel_rows.h) are those of
 * kernel_block, whatever room there is for them and by any number of threads. */
#include "check.h"
#include "common/base/random.h"
#include "common/kernel/kernel_rows.h"
#include "musvm_odd_sets.h"

#include <string.h>

/* Every second and every third example: their rows and columns of the whole matrix.
 *
 * bytes  that `rows` was made with: a part of a cache is whole if it fits there */
static void check_part(struct kernel_rows *rows, int64_t n, const double *whole, double bytes)
{
    struct error err = {.line = 0};
    int64_t sample[31], count = 0, i, j;
    for (int64_t k = 0; k < n; k++)
        if (k % 2 == 0 || k % 3 == 0)
            sample[count++] = k;
    struct kernel_rows *part = kernel_rows_part(rows, sample, count, &err);
    CHECK(part != NULL, "%s", err.message);
    if (!part)
        return;
    const bool cached = kernel_rows_threads(rows, 3) == 1,
               fits = (double)(count * count) * sizeof *whole <= kernel_rows_bytes(n, bytes);
    CHECK_INT(kernel_rows_threads(part, 3), cached && fits ? 3 : 1, "room %g: threads", bytes);
    if (!cached) { /* the two rows that are kept hold no pairs of examples */
        bool negative = false;
        for (int64_t k = 0; k < count; k++)
            negative |= whole[sample[k] * (n + 1)] < 0;
        CHECK(kernel_rows_negative(part, &i, &j) == negative && (!negative || i == j),
              "a negative square of a part");
    }
    const double *before = NULL;
    int64_t last = 0; /* whose row that is */
    for (int64_t ask = 0; ask < 3 * count; ask++) {
        i = ask * 7 % count;
        const int64_t own = sample[i] * n;
        const double *row = kernel_rows_get(part, i, &err);
        bool same = row && kernel_rows_diagonal(part)[i] == whole[own + sample[i]], stays = true;
        for (j = 0; same && j < count; j++) {
            same = row[j] == whole[own + sample[j]];
            stays &= !before || before[j] == whole[sample[last] * n + sample[j]];
        }
        CHECK(same, "row %d of a part of %d", (int)i, (int)count);
        CHECK(stays, "row %d of a part of %d after the next request", (int)last, (int)count);
        before = row;
        last = i;
    }
    kernel_rows_free(part);
}

static void check_rows(const struct kernel *kernel, const struct kernel_data *data, int64_t n,
                       const double *whole, double bytes, int threads)
{
    struct random g = random_seeded(7, (uint64_t)threads);
    struct error err = {.line = 0};
    const size_t length = (size_t)n * sizeof *whole;
    struct kernel_rows *rows = kernel_rows_new(kernel, data, bytes, threads, &err);
    CHECK(rows != NULL, "%s", err.message);
    if (!rows)
        return;
    for (int64_t i = 0; i < n; i++)
        CHECK(memcmp(&kernel_rows_diagonal(rows)[i], &whole[i * n + i], sizeof *whole) == 0,
              "diagonal %d", (int)i);
    const double *before = NULL;
    int64_t last = 0;
    for (int64_t request = 0; request < 20 * n; request++) {
        /* anywhere, or near the last one, so that some are still there; the same again too */
        int64_t i = random_below(&g, 3) == 0 ? random_below(&g, n)
                                             : (last + random_below(&g, 3)) % n;
        const double *row = kernel_rows_get(rows, i, &err);
        CHECK(row && memcmp(row, whole + i * n, length) == 0,
              "kernel %d, room %g: row %d, request %d", (int)kernel->type, bytes, (int)i,
              (int)request);
        CHECK(!before || memcmp(before, whole + last * n, length) == 0,
              "kernel %d, room %g: row %d after the next request, %d", (int)kernel->type, bytes,
              (int)last, (int)request);
        before = row;
        last = i;
    }
    check_part(rows, n, whole, bytes);
    CHECK(memcmp(kernel_rows_get(rows, last, &err), whole + last * n, length) == 0,
          "kernel %d, room %g: a row after a part", (int)kernel->type, bytes);
    kernel_rows_free(rows);
}

static void test_rows(void)
{
    static const struct kernel four[] = {
        {.type = KERNEL_LINEAR},
        {.type = KERNEL_POLYNOMIAL, .degree = 3, .gamma = 0.5, .coef0 = 1},
        {.type = KERNEL_RBF, .gamma = 0.3},
        {.type = KERNEL_SIGMOID, .gamma = 0.1, .coef0 = -1}};
    for (int64_t n = 1; n <= 31; n += 10) {
        check_group("rows of %d samples", (int)n);
        for (int odd = 0; odd <= SPARSE; odd += SPARSE) {
            struct random g = random_seeded(8, (uint64_t)n);
            const double row = (double)n * sizeof(double), room[] = {0,
                                                                     row,
                                                                     2 * row,
                                                                     3 * row,
                                                                     7.5 * row,
                                                                     (double)(n - 1) * row,
                                                                     (double)n * row,
                                                                     1e9};
            double whole[31 * 31];
            struct set set;
            struct kernel_data data;
            struct error err = {.line = 0};
            make_set(&g, n, 0, 3, MOST_FEATURES, odd | ZEROS, &set);
            if (kernel_data_make(&set.samples, NULL, &data, &err) != 0) {
                CHECK(false, "%s", err.message);
                return;
            }
            for (size_t k = 0; k < 4; k++) {
                CHECK_INT(
                    kernel_block(&four[k], kernel_all(&data), kernel_all(&data), whole, 1, &err), 0,
                    "%s", err.message);
                for (size_t r = 0; r < sizeof room / sizeof *room; r++)
                    check_rows(&four[k], &data, n, whole, room[r], 1 + (int)(r % 3));
            }
            for (size_t r = 0; r < sizeof room / sizeof *room; r++) {
                double bytes = kernel_rows_bytes(n, room[r]);
                CHECK(bytes >= (n == 1 ? 1 : 2) * row, "room %g: %g bytes do not hold two rows",
                      room[r], bytes);
                CHECK(r == 0 || n == 1 || bytes >= kernel_rows_bytes(n, room[r - 1]),
                      "room %g: less with more room", room[r]);
            }
            kernel_data_free(&data);
            problem_free(&set.samples);
        }
    }
}

int main(void)
{
    test_rows();
    return check_finish();
}
