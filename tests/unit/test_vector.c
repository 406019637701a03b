/* Sums over vectors of all lengths up to 70, against plain loops. */
#include "check.h"
#include "common/base/random.h"
#include "common/linalg/short_vector.h"
#include "common/linalg/vector.h"

#include <string.h>

enum { MOST = 70 };

/* Those that are inlined; the largest number stands at every place once, behind NaN. */
static void test_short(const double *a, const double *b)
{
    check_group("sums over short vectors");
    for (int n = 0; n <= MOST; n++) {
        double sum = 0, dot = 0, v[MOST];
        for (int i = 0; i < n; i++) {
            sum += a[i];
            dot += a[i] * b[i];
        }
        CHECK_NEAR(short_sum(n, a), sum, 1e-13, "the sum of %d", n);
        CHECK_NEAR(short_dot(n, a, b), dot, 1e-13, "the product of %d", n);
        if (n % SHORT_LANES == 0)
            CHECK_NEAR(short_dot_eights(n, a, b), dot, 1e-13, "eight sums of %d", n);
        if (n < SHORT_PLAIN)
            CHECK(short_sum(n, a) == sum && short_dot(n, a, b) == dot, "%d in their order", n);
        for (int at = 0; at < n; at++) {
            for (int i = 0; i < n; i++)
                v[i] = i < at && i % 3 == 0 ? NAN : i == at ? -1 : -2 - fabs(a[i]);
            CHECK_NEAR(short_largest(n, v), -1, 0, "the largest of %d, at %d", n, at);
        }
    }
    const double nan = NAN;
    CHECK(short_largest(0, a) == -INFINITY && short_largest(1, &nan) == -INFINITY, "none");
}

int main(void)
{
    struct random g = random_seeded(11, 1);
    double a[MOST], b[MOST], to[MOST], single_to[MOST];
    float single[MOST];
    check_group("sums, multiples and the largest entry");
    for (int i = 0; i < MOST; i++) {
        a[i] = random_normal(&g);
        b[i] = random_normal(&g);
        single[i] = (float)b[i];
    }
    for (int n = 0; n <= MOST; n++) {
        const double factor = random_normal(&g);
        double dot = 0, single_dot = 0, largest = 0;
        memcpy(to, a, sizeof a);
        memcpy(single_to, a, sizeof a);
        vector_add(n, factor, b, to);
        vector_add_single(n, factor, single, single_to);
        for (int i = 0; i < MOST; i++) {
            const double multiple = i < n ? factor : 0;
            CHECK_NEAR(to[i], a[i] + multiple * b[i], 1e-15, "%d: entry %d", n, i);
            CHECK_NEAR(single_to[i], a[i] + multiple * (double)single[i], 1e-15,
                       "%d: entry %d, single precision", n, i);
            dot += i < n ? a[i] * b[i] : 0;
            single_dot += i < n ? a[i] * (double)single[i] : 0;
            largest = i < n ? fmax(largest, fabs(factor * (double)single[i] - a[i])) : largest;
        }
        CHECK_NEAR(vector_dot(n, a, b), dot, 1e-13, "the product of %d", n);
        CHECK_NEAR(vector_dot_single(n, a, single), single_dot, 1e-13,
                   "the product of %d, single precision", n);
        CHECK_NEAR(vector_largest(n, factor, single, a), largest, 0, "the largest of %d", n);
    }
    test_short(a, b);
    return check_finish();
}
