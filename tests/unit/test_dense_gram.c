/* Sums of v a a' over examples (common/linalg/dense_gram.c) against plain loops in floats, bit for
 * bit, and in doubles; each tile that this processor has. */
#include "check.h"
#include "common/linalg/dense_gram.c" /* for every tile of this processor */
#include "dense_plain.h"

/* C += sum of v a a', its lower triangle, in floats over 256 examples. */
static void plain_gram(int64_t n, int64_t k, const float *a, const double *weight, double *c)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++)
            for (int64_t first = 0; first < k; first += 256) {
                float sum = 0;
                for (int64_t e = first; e < k && e < first + 256; e++)
                    sum += (float)(weight[e] * (double)a[e * n + i]) * a[e * n + j];
                c[i * n + j] += (double)sum;
            }
}

static void check_gram(int64_t n, int64_t k)
{
    struct random g = {5};
    check_group("sums of a a', %d examples of %d features", (int)k, (int)n);
    float *a = calloc((size_t)(n * k) + 1, sizeof *a);
    double *weight = random_matrix(&g, k, 1), *start = random_matrix(&g, n, n),
           *plain = copy_matrix(start, n, n), *exact = copy_matrix(start, n, n);
    for (int64_t cell = 0; a && cell < n * k; cell++)
        a[cell] = (float)(random_uniform(&g) - 0.5);
    plain_gram(n, k, a, weight, plain);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) {
            for (int64_t e = 0; e < k; e++)
                exact[i * n + j] += weight[e] * (double)a[e * n + i] * (double)a[e * n + j];
            CHECK_NEAR(plain[i * n + j], exact[i * n + j], 1e-6 * (double)(k + 1), "%d, %d", (int)i,
                       (int)j);
        }
    for (int threads = 1; threads <= 3; threads++) {
        double *c = copy_matrix(start, n, n);
        CHECK(dense_add_gram(n, k, a, weight, c, threads, NULL) == 0, "memory");
        for (int64_t i = 0; i < n; i++)
            CHECK(same(c + i * n, plain + i * n, i + 1), "row %d on %d threads", (int)i, threads);
        free(c);
    }
    free(a);
    free(weight);
    free(start);
    free(plain);
    free(exact);
}

/* Every tile of this processor. */
static void check_gram_tiles(void)
{
    struct gram_tile tiles[3];
    float a[20], b[300], got[LARGEST_GRAM];
    struct random g = {6};
    const int count = gram_list_tiles(tiles);
    check_group("tiles of floats");
    for (int tile = 0; tile < count; tile++) {
        const int64_t R = tiles[tile].rows, S = tiles[tile].columns;
        for (int64_t i = 0; i < 2 * R; i++)
            a[i] = (float)random_uniform(&g);
        for (int64_t i = 0; i < 2 * S; i++)
            b[i] = (float)random_uniform(&g);
        memset(got, 0, sizeof got);
        tiles[tile].run(2, a, 1, R, b, S, got, S);
        for (int64_t r = 0; r < R; r++)
            for (int64_t s = 0; s < S; s++) {
                const float first = a[r] * b[s], second = a[R + r] * b[S + s], sum = first + second;
                CHECK(got[r * S + s] == sum, "tile %d at %d, %d", tile, (int)r, (int)s);
            }
    }
}

int main(void)
{
    check_gram(1, 1);
    check_gram(49, 257);
    check_gram(100, 600);
    check_gram(391, 30);
    check_gram_tiles();
    return check_finish();
}
