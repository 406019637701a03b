/* Kernel ridge regression beside plain loops: normal equations with an inverse, and what the two
 * readings make of the labels one by one; with own weights, other noise after the first regression,
 * and one fold that judges; each ridge is chosen somewhere. */
#include "check.h"
#include "kernel_ridge_check.h"
#include "learners/estimate/kernel_ridge.h"

/* The lenient scores of examples sum to less than 1, or to more, though never those of two classes
 * (Hoelder's inequality: their r and their h sum to 1).  Returns how many to less. */
static int test_kernel_ridge(int64_t n, int64_t K, int64_t dims, bool weighted)
{
    check_group("%d examples, %d classes, %d landmarks%s", (int)n, (int)K, (int)dims,
                weighted ? ", own weights" : "");
    struct task *t = task_make(n, K, dims, 1);
    t->basis.weight = weighted ? t->weight : NULL;
    t->basis.unexplained = weighted ? 0.9 : 0.4;
    const struct regression *lenient = &check_task(t)->lenient;
    CHECK((lenient->more > 0) == (K > 2), "%d sums above 1", lenient->more);
    task_free(t);
    return lenient->less;
}

static void test_tasks(void)
{
    int less = 0;
    less += test_kernel_ridge(90, 3, 30, false);
    less += test_kernel_ridge(90, 3, 30, true);
    less += test_kernel_ridge(80, 2, 25, false);
    less += test_kernel_ridge(80, 2, 25, true);
    less += test_kernel_ridge(120, CLASSES, 40, true);
    less += test_kernel_ridge(1650, 4, 20, false);
    CHECK(less > 0, "a sum below 1");
}

/* The noise is judged anew after the first strict regression. */
static void test_other_noise(bool weighted)
{
    check_group("other noise, after the first regression%s", weighted ? ", own weights" : "");
    struct task *t = task_make(90, 3, 30, 7);
    t->basis.weight = weighted ? t->weight : NULL;
    t->revises = true;
    check_task(t);
    CHECK(t->basis.c == t->other_c, "there was other noise");
    task_free(t);
}

/* A fold of 1500 examples judges alone, in the choice of either ridge, too. */
static void test_one_judge(bool weighted)
{
    check_group("one fold judges%s", weighted ? ", own weights" : "");
    struct task *t = task_make(1650, 3, 20, 9);
    t->basis.weight = weighted ? t->weight : NULL;
    for (int64_t i = 0; i < t->problem.n; i++)
        t->fold[i] = i % 11 == 0 ? 1 + i % 2 : 0;
    CHECK_INT(folds_that_judge(t), 1, "folds");
    check_task(t);
    task_free(t);
}

/* Ten folds for the probabilities of the result. */
static void test_fine(bool weighted)
{
    check_group("fine folds%s", weighted ? ", own weights" : "");
    struct task *t = task_make(90, 3, 30, 13);
    t->basis.weight = weighted ? t->weight : NULL;
    for (int64_t i = 0; i < t->problem.n; i++)
        t->fine[i] = i * 7 % 11 % FOLDS_FINE;
    t->basis.fine = t->fine;
    check_task(t);
    task_free(t);
}

/* Most examples have the label 0, whatever is said of them: it would lead all columns. */
static void test_led(void)
{
    check_group("a wrong label leads");
    struct task *t = task_make(90, 3, 30, 11);
    t->vague = true;
    for (int64_t i = 0; i < t->problem.n; i++)
        t->y[i] = i % 4 ? 0 : t->y[i];
    check_task(t);
    task_free(t);
}

/* Nothing large is kept where it is left there. */
static void test_left(void)
{
    struct kernel_ridge ridge;
    struct error err = {0};
    check_group("left after the first regression");
    struct task *t = task_make(90, 3, 30, 7);
    CHECK_INT(kernel_ridge_begin(&t->basis, &ridge, &err), 0, "%s", err.message);
    kernel_ridge_leave(&ridge);
    CHECK(!ridge.search && !ridge.scores && ridge.mapped.n == 0, "nothing large");
    CHECK(!ridge.map && !ridge.strict.weight && !ridge.lenient.target, "nothing for the readings");
    CHECK(ridge.likelihood < 0 && ridge.softmax_likelihood < 0 && ridge.strict.ridge > 0,
          "what is known of it");
    kernel_ridge_free(&ridge);
    task_free(t);
}

/* Of tasks that differ by chance, and in how smooth the kernel is, some must take each ridge, and
 * some one that the next does not exceed though another would: in either reading.  The regressions
 * must not always agree. */
static void test_choices(void)
{
    static const double gammas[] = {0.1, 0.01, 0.001};
    int taken[2][4] = {{0}}, greedy[2] = {0}, differ = 0;
    check_group("which ridge");
    for (uint64_t seed = 1; seed <= 24; seed++) {
        struct task *t = task_make(75, 3, 25, seed);
        t->basis.kernel.gamma = gammas[seed % 3];
        const struct plain *plain = check_task(t);
        const struct regression *of[] = {&plain->strict, &plain->lenient};
        for (int which = 0; which < 2; which++) {
            taken[which][lround(-log10(of[which]->ridge))]++;
            greedy[which] += of[which]->greedy;
        }
        differ += plain->strict.ridge != plain->lenient.ridge;
        task_free(t);
    }
    for (int which = 0; which < 2; which++) {
        for (int s = 0; s < 4; s++)
            CHECK(taken[which][s] > 0, "reading %d takes a ridge of 1e-%d", which, s);
        CHECK(greedy[which] > 0, "reading %d takes one that is not the best", which);
    }
    CHECK(differ > 0, "the ridges of a task differ");
}

/* Worse by chance or clearly, where the noise depends on the example and where it does not. */
static void test_better(void)
{
    const struct kernel_ridge ahead = {.softmax_likelihood = -0.6, .likelihood = -0.5, .lead = 1},
                              level = {.softmax_likelihood = -0.5, .likelihood = -0.5, .lead = 0},
                              behind = {.softmax_likelihood = -0.5,
                                        .likelihood = -0.6,
                                        .lead = -1.9},
                              clearly = {
                                  .softmax_likelihood = -0.5, .likelihood = -0.6, .lead = -2.1};
    check_group("which classifier");
    CHECK(kernel_ridge_is_better(&ahead, 0) && kernel_ridge_is_better(&ahead, 0.01), "ahead");
    CHECK(!kernel_ridge_is_better(&level, 0) && !kernel_ridge_is_better(&behind, 0), "not ahead");
    CHECK(kernel_ridge_is_better(&level, 0.01) && kernel_ridge_is_better(&behind, 0.01),
          "a misfit, and not clearly behind");
    CHECK(!kernel_ridge_is_better(&clearly, 0.01), "clearly behind");
}

int main(void)
{
    test_better();
    test_tasks();
    test_other_noise(false);
    test_other_noise(true);
    test_one_judge(false);
    test_one_judge(true);
    test_fine(false);
    test_fine(true);
    test_led();
    test_left();
    test_choices();
    return check_finish();
}
