/* dense [n [m [threads]]]: how fast matrices are multiplied, factored and diagonalised.
 *
 * Defaults: n = 1500, m = n / 6 eigenvectors, the processors there are.  The plain loop is for (i)
 * for (k) for (j) c[i][j] += a[i][k] * b[k][j], which the compiler makes vectors of; one thread. */
#include "common/linalg/dense.h"

#include "common/base/parallel.h"
#include "common/base/progress.h"
#include "common/base/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void bench_dense_plain_product(int64_t n, const double *a, const double *b,
                                      double *restrict c)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < n; k++)
            for (int64_t j = 0; j < n; j++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
}

int main(int argc, char **argv)
{
    int64_t n = argc > 1 ? atoll(argv[1]) : 1500, m = argc > 2 ? atoll(argv[2]) : n / 6;
    int threads = argc > 3 ? atoi(argv[3]) : parallel_processors();
    if (n < 1 || m < 1 || m > n || threads < 1) {
        fprintf(stderr, "usage: dense [n [m [threads]]]\n");
        return 2;
    }
    size_t bytes = (size_t)(n * n) * sizeof(double);
    double *a = malloc(bytes), *b = malloc(bytes), *c = calloc(1, bytes),
           *value = malloc((size_t)n * sizeof *value);
    int64_t *pivot = malloc((size_t)n * sizeof *pivot);
    if (!a || !b || !c || !value || !pivot)
        return 1;
    struct random g = {1};
    for (int64_t i = 0; i < n * n; i++)
        b[i] = random_uniform(&g) - 0.5;
    double work = 2 * (double)n * (double)n * (double)n, start = progress_clock(), seconds;
    int failed = 0;
    if (n <= 2000) {
        bench_dense_plain_product(n, b, b, c);
        seconds = progress_clock() - start;
        printf("product, plain loop    %8.3f s  %6.1f GFLOP/s\n", seconds, work / seconds / 1e9);
    }
    for (int t = 1; t <= threads; t *= 2) {
        start = progress_clock();
        failed |= dense_product(n, n, n, b, b, c, t, NULL);
        seconds = progress_clock() - start;
        printf("product, %2d thread(s)  %8.3f s  %6.1f GFLOP/s\n", t, seconds,
               work / seconds / 1e9);
    }
    memcpy(a, b, bytes);
    start = progress_clock();
    failed |= dense_lu(n, a, pivot, threads, NULL);
    seconds = progress_clock() - start;
    printf("LU                     %8.3f s  %6.1f GFLOP/s\n", seconds, work / 3 / seconds / 1e9);
    start = progress_clock();
    failed |= dense_invert(n, b, a, value, threads, NULL);
    printf("inverse                %8.3f s\n", progress_clock() - start);

    memset(c, 0, bytes); /* B B' + I is positive definite */
    failed |= dense_add_product(n, n, n, 1, (struct dense_view){b, n, 1},
                                (struct dense_view){b, 1, n}, c, n, threads, NULL);
    for (int64_t i = 0; i < n; i++)
        c[i * n + i] += 1;
    memcpy(a, c, bytes);
    start = progress_clock();
    failed |= dense_cholesky(n, a, threads, NULL);
    seconds = progress_clock() - start;
    printf("Cholesky               %8.3f s  %6.1f GFLOP/s\n", seconds, work / 6 / seconds / 1e9);
    start = progress_clock();
    failed |= dense_eigen(n, c, m, value, b, threads, NULL);
    printf("%5lld eigenvectors      %8.3f s\n", (long long)m, progress_clock() - start);
    free(a);
    free(b);
    free(c);
    free(value);
    free(pivot);
    return failed;
}
