/* What kernel ridge regression makes of odd labels, beside its plain loops: few labels of a class,
 * doubtful ones, labels that are all right, and some that have no weight or cannot be. */
#include "check.h"
#include "kernel_ridge_check.h"
#include "learners/estimate/kernel_ridge.h"

/* ---- weights that are scaled up ---- */

/* A class that p hardly believes in, so that its weights are to be scaled up, and one that has few
 * examples for its share, one of which would count more than 1. */
static void test_floor(bool weighted)
{
    check_group("a tenth of a class%s", weighted ? ", own weights" : "");
    struct task *t = task_make(90, 3, 30, 5);
    t->basis.weight = weighted ? t->weight : NULL;
    for (int64_t i = 0; i < t->problem.n; i++) {
        const double odd = 1e-4 * (double)(i + 1);
        double *p = t->p + 3 * i;
        t->y[i] = i == 31 || i == 52 ? 2 : (int32_t)(i % 2);
        p[1] = odd;
        p[2] = i == 31 ? 0.95 : odd;
        p[0] = 1 - p[1] - p[2];
    }
    t->share[0] = 0.2;
    t->share[1] = 0.3;
    t->share[2] = 0.5;
    const struct plain *plain = check_task(t);
    const double *weight = plain->first.weight;
    double sum = 0;
    for (int64_t i = 0; i < t->problem.n; i++)
        sum += t->y[i] == 1 ? weight[i] : 0;
    CHECK(weighted || check_near(sum, 0.03 * (double)t->problem.n, 1e-12),
          "class 1 is scaled to its tenth: %g", sum);
    CHECK(weight[31] == own_weight(t, 31) && weight[52] < own_weight(t, 52),
          "one example of class 2 counts fully: %g, %g", weight[31], weight[52]);
    task_free(t);
}

/* ---- without noise of the class ---- */

/* C is the identity, by which all labels are right. */
static struct task *task_of_identity(bool weighted)
{
    struct task *t = task_make(120, 3, 30, 6);
    t->basis.weight = weighted ? t->weight : NULL;
    for (int cell = 0; cell < 9; cell++)
        t->c[cell] = cell % 4 == 0;
    for (int k = 0; k < 3; k++)
        t->share[k] = 1. / 3;
    return t;
}

/* The lenient reading asks for no other class than the label's, and weighs it as the strict reading
 * would by the same probabilities. */
static void check_identity(const struct task *t, const struct plain *plain,
                           const struct kernel_ridge *ridge)
{
    static struct regression strict;
    static double p[MOST * CLASSES];
    double sum[3] = {0};
    plain_probabilities(t, plain->first.score, p);
    read_strictly(t, p, &strict);
    for (int64_t i = 0; i < t->problem.n; i++) {
        for (int64_t k = 0; k < 3; k++)
            CHECK(ridge->lenient.target[3 * i + k] == (k == t->y[i]), "target %d of class %d",
                  (int)i, (int)k);
        CHECK_NEAR(ridge->lenient.weight[i], strict.weight[i], 1e-8, "weight %d", (int)i);
        sum[t->y[i]] += ridge->lenient.weight[i];
    }
    for (int k = 0; k < 3; k++)
        CHECK(sum[k] > (double)t->problem.n / 30, "class %d has its tenth: %g", k, sum[k]);
}

static void test_identity(bool weighted)
{
    struct kernel_ridge ridge;
    struct error err = {0};
    check_group("no noise of the class%s", weighted ? ", own weights" : "");
    struct task *t = task_of_identity(weighted);
    const struct plain *plain = check_task(t);
    const bool ready = choose(&t->basis, &ridge, &err) == 0;
    CHECK(ready, "%s", err.message);
    if (ready)
        check_identity(t, plain, &ridge);
    kernel_ridge_free(&ridge);
    task_free(t);
}

/* The few labels of a large class count fully in the strict reading, but not in the lenient one,
 * where labels have no tenth. */
static void test_few_labels(bool weighted)
{
    check_group("few labels of a class%s", weighted ? ", own weights" : "");
    struct task *t = task_of_identity(weighted);
    for (int64_t i = 9; i < t->problem.n; i++)
        t->y[i] = t->y[i] == 2 ? 0 : t->y[i];
    t->share[0] = t->share[1] = 0.01;
    t->share[2] = 0.98;
    const struct plain *plain = check_task(t);
    int labels = 0;
    for (int64_t i = 0; i < t->problem.n; i++) {
        const double own = own_weight(t, i);
        if (t->y[i] != 2 || own == 0)
            continue;
        labels++;
        CHECK(plain->strict.weight[i] == own, "strict weight %d", (int)i);
        CHECK(plain->lenient.weight[i] < 0.9 * own, "lenient weight %d: %g of %g", (int)i,
              plain->lenient.weight[i], own);
    }
    CHECK(labels > 0, "labels");
    task_free(t);
}

/* ---- weights that cannot be scaled up ---- */

static void check_finite(const double *a, int64_t n, const char *what)
{
    for (int64_t i = 0; i < n; i++)
        CHECK(isfinite(a[i]), "%s %d: %g", what, (int)i, a[i]);
}

/* By C no label is that of class 2, so that its labels have no score in any class; or its labels
 * have no weight of their own. */
static void test_nothing(bool weighted)
{
    struct kernel_ridge ridge;
    struct error err = {0};
    check_group("%s", weighted ? "a class without a weight" : "labels that C rules out");
    struct task *t = task_make(90, 3, 30, 6);
    const int64_t n = t->problem.n;
    t->basis.weight = weighted ? t->weight : NULL;
    for (int64_t i = 0; i < n; i++)
        t->weight[i] = t->y[i] == 2 ? 0 : t->weight[i];
    for (int q = 0; q < 3 && !weighted; q++) {
        t->c[q] += t->c[6 + q];
        t->c[6 + q] = 0;
    }
    const bool ready = choose(&t->basis, &ridge, &err) == 0;
    CHECK(ready, "%s", err.message);
    if (ready) {
        check_finite(ridge.lenient.target, 3 * n, "lenient target");
        check_finite(ridge.p, 3 * n, "p");
        check_finite(ridge.mean.w, ridge.mean.rows * ridge.mean.stride, "W");
    }
    for (int64_t i = 0; ready && i < n; i++) {
        const bool counts = t->y[i] != 2 && own_weight(t, i) > 0;
        CHECK((ridge.strict.weight[i] > 0) == counts, "strict weight %d: %g", (int)i,
              ridge.strict.weight[i]);
        CHECK((ridge.lenient.weight[i] > 0) == counts, "lenient weight %d: %g", (int)i,
              ridge.lenient.weight[i]);
    }
    kernel_ridge_free(&ridge);
    task_free(t);
}

int main(void)
{
    for (int weighted = 0; weighted < 2; weighted++) {
        test_floor(weighted);
        test_identity(weighted);
        test_few_labels(weighted);
        test_nothing(weighted);
    }
    return check_finish();
}
