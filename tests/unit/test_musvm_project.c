/* The projection of a row (learners/musvm/musvm_row.h) against bisection, for rows of every shape.
 */
#include "check.h"
#include "common/base/random.h"
#include "learners/musvm/musvm_row.h"
#include "musvm_plain.h"

enum { MOST = 200 };

/* Is `got` the solution, as `want` is but for rounding? */
static void check_row(const char *name, int64_t n, const double *got, const double *want,
                      const double *cap, double tolerance)
{
    double sum = 0;
    for (int64_t l = 0; l < n; l++) {
        CHECK(fabs(got[l] - want[l]) <= tolerance, "%s: g[%d] is %.17g instead of %.17g", name,
              (int)l, got[l], want[l]);
        CHECK(got[l] <= cap[l], "%s: g[%d] = %.17g is above %.17g", name, (int)l, got[l], cap[l]);
        sum += got[l];
    }
    CHECK(fabs(sum) <= tolerance, "%s: sums to %g", name, sum);
}

/* Rows of at most `most` classes. */
static void test_project(int64_t most, int64_t rows)
{
    struct random g = random_seeded(6, 0);
    check_group("the projection of rows of up to %d classes", (int)most);
    for (int64_t row = 0; row < rows; row++) {
        double b[MOST], cap[MOST], got[MOST], want[MOST], room[3 * MOST], largest = 0;
        char name[100];
        int64_t n = 1 + random_below(&g, most), shape = random_below(&g, 6),
                kept = random_below(&g, n);
        double a = pow(10, (double)random_below(&g, 7) - 3),
               size = pow(10, (double)random_below(&g, 5) - 2);
        double d = (double)random_below(&g, 3) * 0.5 * size,
               C = size * pow(10, (double)random_below(&g, 5) - 2) / a;
        bool ties = random_below(&g, 2) == 0;
        for (int64_t l = 0; l < n; l++) {
            b[l] = size * (ties ? 0.5 * (double)random_below(&g, 5) : random_normal(&g));
            switch (shape) {
            case 0:
                cap[l] = 0;
                break;
            case 1:
                cap[l] = C;
                break;
            case 2:
                cap[l] = 1e6;
                break;
            case 3:
                cap[l] = C * random_uniform(&g);
                break;
            default:
                cap[l] = l != kept ? 0 : shape == 4 ? C : 1e6;
                break; /* a training sample */
            }
            largest = fmax(largest, fabs(b[l]));
        }
        if (shape >= 4)
            d = 0;
        /* nu is no larger than the largest b and d, and half a bit of it is 1/a of that in g. */
        const double tolerance = 1e-14 * (double)n * (largest + d) / a;
        musvm_plain_project(n, a, b, d, cap, want);
        snprintf(name, sizeof name, "row %d (shape %d, n %d, a %g, d %g)", (int)row, (int)shape,
                 (int)n, a, d);
        musvm_project(n, a, b, d, cap, got, room);
        check_row(name, n, got, want, cap, tolerance);
        if (shape < 4)
            continue;
        musvm_project_training(n, a, b, kept, cap[kept], got, room);
        check_row(name, n, got, want, cap, tolerance);
    }
}

/* a C is far below the rounding of b: the row still reaches C and -C. */
static void test_small_cap(void)
{
    const double b[] = {1, 0.5, 2, 2, 2 - 1e-12}, a = 1e-12, C = 1e-8;
    double got[5], work[15];
    check_group("a cap that is lost beside b");
    musvm_project_training(5, a, b, 1, C, got, work);
    for (int l = 0; l < 5; l++) {
        const double want = l == 1 ? C : l == 2 || l == 3 ? -C / 2 : 0;
        CHECK_NEAR(got[l], want, 1e-12 * C, "g[%d]", l);
    }
}

int main(void)
{
    test_small_cap();
    test_project(20, 20000);
    test_project(MOST, 500);
    return check_finish();
}
