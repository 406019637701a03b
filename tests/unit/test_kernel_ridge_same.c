/* What makes no difference to kernel ridge regression: the number of threads, a map that is given,
 * and how large all weights are; values that are too large, and the bytes that it takes. */
#include "check.h"
#include "kernel_ridge_task.h"
#include "learners/estimate/kernel_ridge.h"
#include "learners/features/ridge_folds.h"
#include "learners/noise/em.h"

static void check_same_reading(const struct task *t, const struct kernel_ridge_reading *a,
                               const struct kernel_ridge_reading *b, const char *which)
{
    const size_t n = (size_t)t->problem.n, K = (size_t)t->basis.classes, size = sizeof(double);
    CHECK(a->ridge == b->ridge, "the %s ridge", which);
    CHECK(memcmp(a->weight, b->weight, n * size) == 0, "%s weights", which);
    CHECK((a->target == NULL) == (b->target == NULL)
              && (!a->target || memcmp(a->target, b->target, n * K * size) == 0),
          "%s targets", which);
}

static void check_same(const struct task *t, const struct kernel_ridge *a,
                       const struct kernel_ridge *b)
{
    const size_t n = (size_t)t->problem.n, K = (size_t)t->basis.classes, size = sizeof(double);
    const struct weights *one = &a->mean, *other = &b->mean;
    check_same_reading(t, &a->strict, &b->strict, "strict");
    check_same_reading(t, &a->lenient, &b->lenient, "lenient");
    CHECK(a->temperature == b->temperature, "temperatures");
    CHECK(a->likelihood == b->likelihood && a->softmax_likelihood == b->softmax_likelihood,
          "likelihoods");
    CHECK(memcmp(a->p, b->p, n * K * size) == 0, "probabilities");
    CHECK_INT(a->mapped.nnz, b->mapped.nnz, "entries");
    CHECK(memcmp(a->mapped.value, b->mapped.value, (size_t)a->mapped.nnz * size) == 0, "features");
    CHECK(feature_map_equal(a->map, b->map), "maps");
    CHECK(one->rows == other->rows && one->stride == other->stride
              && memcmp(one->w, other->w, (size_t)(one->rows * one->stride) * size) == 0,
          "models");
}

static void test_threads(void)
{
    struct kernel_ridge ridge[2];
    struct error err = {0};
    bool ready = true;
    check_group("the same on three threads");
    struct task *t = task_make(1650, 4, 60, 2);
    struct random g = random_seeded(8, 2);
    t->basis.weight = t->weight;
    task_make_rests(t, &g);
    for (int run = 0; run < 2; run++) {
        t->basis.threads = 1 + 2 * run;
        ready = choose(&t->basis, &ridge[run], &err) == 0 && ready;
    }
    CHECK(ready, "%s", err.message);
    if (ready)
        check_same(t, &ridge[0], &ridge[1]);
    for (int run = 0; run < 2; run++)
        kernel_ridge_free(&ridge[run]);
    task_free(t);
}

/* A map that is given serves as one that is made. */
static void test_given_map(void)
{
    struct kernel_ridge made, given;
    struct error err = {0};
    check_group("a map that is given");
    struct task *t = task_make(64, 3, 20, 4);
    bool ready = choose(&t->basis, &made, &err) == 0;
    t->basis.map = made.map;
    t->basis.dims = 1;
    t->basis.kernel.gamma = 100;
    ready = choose(&t->basis, &given, &err) == 0 && ready;
    CHECK(ready, "%s", err.message);
    CHECK(!given.map, "none is made");
    given.map = made.map;
    check_same(t, &made, &given);
    given.map = NULL;
    kernel_ridge_free(&made);
    kernel_ridge_free(&given);
    task_free(t);
}

/* What all weights are multiplied by makes no difference, not even where a ridge would be lost
 * beside them: with as many landmarks as examples the folds leave the system singular but for it.
 */
static void test_scale(void)
{
    static double weight[MOST];
    struct kernel_ridge plain, scaled;
    struct error err = {0};
    check_group("large weights");
    struct task *t = task_make(64, 3, 64, 4);
    for (int64_t i = 0; i < t->problem.n; i++)
        weight[i] = 0x1p100;
    CHECK_INT(choose(&t->basis, &plain, &err), 0, "%s", err.message);
    t->basis.weight = weight;
    CHECK_INT(choose(&t->basis, &scaled, &err), 0, "%s", err.message);
    check_same(t, &plain, &scaled);
    kernel_ridge_free(&plain);
    kernel_ridge_free(&scaled);
    task_free(t);
}

static void test_too_large(void)
{
    struct kernel_ridge ridge;
    struct error err = {0};
    check_group("values that are too large");
    struct task *t = task_make(60, 3, 20, 4);
    for (int64_t e = 0; e < t->problem.nnz; e++)
        t->problem.value[e] *= 1e200;
    CHECK_INT(choose(&t->basis, &ridge, &err), -1, "an error");
    CHECK(err.message[0] != '\0', "a reason");
    kernel_ridge_free(&ridge);
    task_free(t);
}

/* With targets, scores, the best of them and those of a rest, two thirds of the examples. */
static void test_bytes(void)
{
    check_group("bytes of the classifier");
    for (double n = 1000; n < 1e6; n *= 10) {
        const double dims = 300, K = 5,
                     held = 8 * n * (2 + 11 * K / 3 + dims)
                            + ridge_bytes((int64_t)n, (int64_t)dims, (int64_t)K)
                            + em_bytes((int64_t)n, (int64_t)K),
                     bytes = kernel_ridge_bytes((int64_t)n, 20, (int64_t)dims, (int64_t)K);
        CHECK(bytes >= held && bytes < 1.3 * held, "%g where %g are held", bytes, held);
    }
}

int main(void)
{
    test_threads();
    test_given_map();
    test_scale();
    test_too_large();
    test_bytes();
    return check_finish();
}
