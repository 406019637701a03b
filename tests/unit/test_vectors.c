/* WIDEST_VECTORS: whichever version a processor takes, the bits are those of a plain loop. */
#include "check.h"
#include "common/base/random.h"
#include "common/base/vectors.h"

#include <string.h>

enum { N = 103 };

/* y += f x, a product and a sum: what a fused multiply-add would round once only. */
WIDEST_VECTORS(void, add, (int64_t n, double f, const double *x, double *y), (n, f, x, y))
{
    for (int64_t i = 0; i < n; i++)
        y[i] += f * x[i];
}

/* Eight sums side by side, then one. */
WIDEST_VECTORS(double, dot, (int64_t n, const double *x, const double *y), (n, x, y))
{
    vector8 sum = {0};
    for (int64_t i = 0; i + 8 <= n; i += 8)
        sum += *(const vector8 *)(const void *)(x + i) * *(const vector8 *)(const void *)(y + i);
    return vector8_sum(&sum);
}

/* The same, a number at a time, every product and sum rounded to a double. */
static void plain_add(int64_t n, double f, const double *x, double *y)
{
    for (int64_t i = 0; i < n; i++) {
        volatile double product = f * x[i];
        y[i] += product;
    }
}

static double plain_dot(int64_t n, const double *x, const double *y)
{
    volatile double sum[8] = {0};
    for (int64_t i = 0; i < n / 8 * 8; i++) {
        volatile double product = x[i] * y[i];
        sum[i % 8] += product;
    }
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

typedef void add_version(int64_t n, double f, const double *x, double *y);
typedef double dot_version(int64_t n, const double *x, const double *y);

static void test_version(const char *name, add_version *add_here, dot_version *dot_here)
{
    struct random g = {.state = 7};
    double x[N], y[N], want[N];
    check_group("%s gives the bits of a plain loop", name);
    for (int64_t n = 0; n <= N; n++) {
        for (int64_t i = 0; i < n; i++) {
            x[i] = random_uniform(&g) - 0.5;
            want[i] = y[i] = random_uniform(&g) - 0.5;
        }
        double got = dot_here(n, x, y), sum = plain_dot(n, x, y);
        CHECK(memcmp(&got, &sum, sizeof got) == 0, "a sum of %d products", (int)n);
        add_here(n, 1.0 / 3, x, y);
        plain_add(n, 1.0 / 3, x, want);
        CHECK(memcmp(y, want, (size_t)n * sizeof *y) == 0, "%d columns", (int)n);
    }
}

int main(void)
{
    test_version("the version that is taken here", add, dot);
#if defined(__x86_64__) && defined(__GNUC__)
    test_version("the version for any x86-64", add_default, dot_default);
    if (__builtin_cpu_supports("avx2"))
        test_version("the version for AVX2", add_avx2, dot_avx2);
    if (__builtin_cpu_supports("avx512f"))
        test_version("the version for AVX-512", add_avx512f, dot_avx512f);
#endif
    return check_finish();
}
