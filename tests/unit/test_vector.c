/* Sums over vectors of all short lengths, against plain loops. */
#include "check.h"
#include "common/base/random.h"
#include "common/linalg/vector.h"

#include <string.h>

enum { MOST = 70 };

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
    return check_finish();
}
