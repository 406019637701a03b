/* Products of dense matrices (common/linalg/dense_product.c) against plain loops, bit for bit: all
 * ways to store the factors, each tile and strip that this processor has, and any number of
 * threads. */
#include "check.h"
#include "common/linalg/dense_product.c" /* for every tile of this processor */
#include "dense_plain.h"

static void check_products(void)
{
    static const int64_t sizes[][3] = {{1, 1, 1},      {1, 50, 70},     {50, 1, 70},  {3, 5, 7},
                                       {8, 24, 256},   {9, 25, 257},    {5, 7, 1000}, {97, 33, 65},
                                       {100, 390, 20}, {130, 400, 300}, {4, 4, 0},    {0, 3, 5}};
    struct random g = {3};
    for (size_t t = 0; t < sizeof sizes / sizeof *sizes; t++) {
        int64_t m = sizes[t][0], n = sizes[t][1], k = sizes[t][2];
        check_group("product, %lld x %lld x %lld", (long long)m, (long long)n, (long long)k);
        double *a = random_matrix(&g, m, k), *b = random_matrix(&g, k, n), *at = new_matrix(k, m),
               *bt = new_matrix(n, k);
        double *c = new_matrix(m, n), *plain = new_matrix(m, n + 3),
               *start = random_matrix(&g, m, n + 3);
        for (int64_t i = 0; i < m; i++)
            for (int64_t l = 0; l < k; l++)
                at[l * m + i] = a[i * k + l];
        for (int64_t l = 0; l < k; l++)
            for (int64_t j = 0; j < n; j++)
                bt[j * k + l] = b[l * n + j];
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++)
                for (int64_t l = 0; l < k; l++)
                    plain[i * n + j] += a[i * k + l] * b[l * n + j];
        for (int threads = 1; threads <= 4; threads++) {
            CHECK(dense_product(m, n, k, a, b, c, threads, NULL) == 0, "memory");
            CHECK(same(c, plain, m * n), "A B differs on %d threads", threads);
        }

        /* C += -0.3 A B for all ways to store A and B, rows of C apart, every tile. */
        memcpy(plain, start, (size_t)(m * (n + 3)) * sizeof *plain);
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++)
                for (int64_t l = 0; l < k; l++)
                    plain[i * (n + 3) + j] += (-0.3 * a[i * k + l]) * b[l * n + j];
        struct product_tile tiles[3];
        int count = product_list_tiles(tiles);
        for (int way = 0; way < 4 * count && m * n * k > 0; way++) {
            double *sum = copy_matrix(start, m, n + 3);
            struct product p = {.tile = tiles[way / 4],
                                .m = m,
                                .n = n,
                                .k = k,
                                .alpha = -0.3,
                                .c = sum,
                                .stride = n + 3};
            p.a = way & 1 ? (struct dense_view){at, 1, m} : (struct dense_view){a, k, 1};
            p.b = way & 2 ? (struct dense_view){bt, 1, k} : (struct dense_view){b, n, 1};
            CHECK(product_multiply(&p, 1 + way % 3, NULL) == 0, "memory");
            CHECK(same(sum, plain, m * (n + 3)), "tile %d, transposed %d", way / 4, way % 4);
            memcpy(sum, start, (size_t)(m * (n + 3)) * sizeof *sum);
            p.lower = true;
            CHECK(product_multiply(&p, 1 + way % 3, NULL) == 0, "memory");
            for (int64_t i = 0; i < m; i++)
                CHECK(same(sum + i * (n + 3), plain + i * (n + 3), i < n ? i + 1 : n),
                      "lower triangle, tile %d, row %lld", way / 4, (long long)i);
            if (n > 2 * LARGEST_TILE)
                CHECK(same(sum + n - 1, start + n - 1, 1), "far above it nothing is computed");
            free(sum);
        }

        /* C += A B where they stand. */
        memcpy(plain, start, (size_t)(m * (n + 3)) * sizeof *plain);
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++)
                for (int64_t l = 0; l < k; l++)
                    plain[i * (n + 3) + j] += a[i * k + l] * b[l * n + j];
        for (int way = 0; way < 6 && m * n * k > 0; way++) {
            double *sum = copy_matrix(start, m, n + 3);
            struct product p = {.m = m, .n = n, .k = k, .alpha = 1, .c = sum, .stride = n + 3};
            p.a = way & 1 ? (struct dense_view){at, 1, m} : (struct dense_view){a, k, 1};
            p.b = (struct dense_view){b, n, 1};
            p.strips = product_list_strips(WIDEST >> way / 2, p.strip);
            for (int64_t task = 0; task < parallel_parts(m, BLOCK_ROWS); task++)
                product_narrow_task(&p, task);
            CHECK(same(sum, plain, m * (n + 3)), "narrow, way %d", way);
            free(sum);
        }

        /* C -= A B. */
        memcpy(plain, start, (size_t)(m * (n + 3)) * sizeof *plain);
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++)
                for (int64_t l = 0; l < k; l++)
                    plain[i * (n + 3) + j] -= a[i * k + l] * b[l * n + j];
        for (int way = 0; way < 2; way++) {
            const struct dense_view a_view = way ? (struct dense_view){at, 1, m}
                                                 : (struct dense_view){a, k, 1};
            double *sum = copy_matrix(start, m, n + 3);
            CHECK(dense_add_product(m, n, k, -1, a_view, (struct dense_view){b, n, 1}, sum, n + 3,
                                    1 + way, NULL)
                      == 0,
                  "memory");
            CHECK(same(sum, plain, m * (n + 3)), "minus, transposed %d", way);
            free(sum);
        }
        free(a), free(b), free(at), free(bt), free(c), free(plain), free(start);
    }
}

/* Which strips are used does not show in the numbers. */
static void check_strips(void)
{
    struct product_strip strips[STRIP_WIDTHS];
    int wide = 0;
#if defined(__x86_64__) && defined(__GNUC__)
    wide = __builtin_cpu_supports("avx2") != 0;
#endif
    check_group("strips of a narrow product");
    for (int vectors = WIDEST; vectors >= 4; vectors /= 2) {
        CHECK_INT(product_list_strips(vectors, strips), 1 + wide, "as many as this processor has");
        CHECK_INT(strips[0].tile->columns, wide ? 8 : STRIP_EDGE, "the widest first");
        CHECK_INT(strips[wide].tile->columns, STRIP_EDGE, "the last");
    }
    CHECK_INT(product_list_strips(2, strips), 1, "without wide vectors");
}

int main(void)
{
    check_products();
    check_strips();
    return check_finish();
}
