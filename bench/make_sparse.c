/* make_sparse [n [d [K [nnz]]]] > data: a seeded sparse data set in LIBSVM text, the shape of a
 * large text collection.
 *
 * Defaults: n = 200000 examples, d = 47236 features, K = 50 classes, 80 distinct features a row
 * (near 250 MB).  Feature ranks follow Zipf's law; one draw in eight is a rank of the example's own
 * class (a class has its own order of features), the others are common to all.  Values are positive
 * and have 8 decimals; rows are near unit length. */
#include "common/base/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int make_sparse_ascending(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* A rank 0 .. d-1 with probability proportional to 1 / (rank + 1). */
static int make_sparse_zipf(struct random *g, const double *cumulative, int d)
{
    double u = random_uniform(g) * cumulative[d - 1];
    int low = 0, high = d - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (cumulative[middle] <= u)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 200000, d = argc > 2 ? atoi(argv[2]) : 47236;
    int K = argc > 3 ? atoi(argv[3]) : 50, nnz = argc > 4 ? atoi(argv[4]) : 80;
    if (n < 1 || d < 4 * nnz || K < 2 || nnz < 1) {
        fprintf(stderr, "make_sparse: n >= 1, d >= 4 nnz, K >= 2, nnz >= 1\n");
        return 2;
    }
    double *cumulative = malloc((size_t)d * sizeof *cumulative);
    int *chosen = malloc((size_t)nnz * sizeof *chosen), *row_of = calloc((size_t)d, sizeof *row_of);
    if (!cumulative || !chosen || !row_of)
        return 1;
    double sum = 0;
    for (int j = 0; j < d; j++)
        cumulative[j] = sum += 1.0 / (j + 1);
    struct random g = {20131};
    for (int i = 1; i <= n; i++) {
        int y = (int)random_below(&g, K);
        for (int c = 0; c < nnz;) {
            long rank = make_sparse_zipf(&g, cumulative, d);
            if (random_below(&g, 8) == 0)
                rank = (rank * 7919 + 104729L * (y + 1)) % d;
            if (row_of[rank] == i)
                continue;
            row_of[rank] = i;
            chosen[c++] = (int)rank + 1;
        }
        qsort(chosen, (size_t)nnz, sizeof *chosen, make_sparse_ascending);
        printf("%d", y + 1);
        for (int c = 0; c < nnz; c++)
            printf(" %d:%.8f", chosen[c], (0.5 + random_uniform(&g)) / sqrt(nnz));
        putchar('\n');
    }
    free(cumulative);
    free(chosen);
    free(row_of);
    return fflush(stdout) != 0;
}
