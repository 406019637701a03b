/* Forward's minimum (learners/forward/forward_minimum.h) of examples on disk: the weights and the
 * counts are those of examples in memory. */
#include "check.h"
#include "forward_plain.h"
#include "learners/forward/forward_minimum.h"
#include "learners/forward/forward_settle.h"

#include <string.h>

/* Weights from examples on disk are those from memory, for a subset (or all) and any threads. */
static void test_disk(int classes, int32_t d, bool part)
{
    enum { N = 1500 };
    check_group("on disk, %d classes, %d features%s", classes, (int)d, part ? ", a part" : "");
    struct error err = {0};
    struct set set = set_make(29, N, classes, d, NULL);
    double c[CLASSES * CLASSES], held[MOST + CLASSES * D], disk[MOST + CLASSES * D];
    int64_t subset[N], n = 0;
    for (int64_t i = 0; i < N; i++)
        if (!part || i % 5 < 2 || i == N - 1)
            subset[n++] = i;
    matrix_make(31, classes, 0.7, c);
    struct forward *f = learner_make(&set, c, 1e-3);
    learner_minimise(f, &set, part ? subset : NULL, n, NULL, 1e-4, 100, 2);
    CHECK(forward_settle(f, &set.problem, set.y, NULL, subset, n, false, &err) == 0, "settled");
    const struct round_counts counts = forward_counts(f);
    learner_weights(f, &set, held);
    forward_free(f);
    CHECK(problem_to_disk(&set.problem, ".", &err) == 0, "to disk: %s", err.message);
    for (int threads = 1; threads <= 3; threads++) {
        f = learner_make(&set, c, 1e-3);
        learner_minimise(f, &set, part ? subset : NULL, n, NULL, 1e-4, 100, threads);
        CHECK(forward_settle(f, &set.problem, set.y, NULL, subset, n, false, &err) == 0, "settled");
        CHECK_INT(forward_counts(f).mistakes, counts.mistakes, "mistakes");
        CHECK_INT(forward_counts(f).updates, counts.updates, "updates");
        learner_weights(f, &set, disk);
        CHECK(memcmp(held, disk, (size_t)((d + 1) * set.columns) * sizeof *held) == 0,
              "%d threads: the same weights", threads);
        forward_free(f);
    }
    set_free(&set);
}

int main(void)
{
    for (int part = 0; part < 2; part++) {
        test_disk(2, FEATURES, part);
        test_disk(7, FEATURES, part);
        test_disk(2, WIDE, part);
        test_disk(3, WIDE, part);
    }
    return check_finish();
}
