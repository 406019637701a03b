/* Small random sets with a universum in which something may be odd, the kernels that they meet, and
 * the library's solver on them: what test_musvm_reference, test_musvm_binary and test_kernel_rows
 * share.  An error is a failed check. */
#ifndef TESTS_UNIT_MUSVM_ODD_SETS_H
#define TESTS_UNIT_MUSVM_ODD_SETS_H

#include "check.h"
#include "common/base/random.h"
#include "learners/musvm/musvm.h"

#include <string.h>

static const double EPS = 1e-9; /* of the library */

enum { MOST_SAMPLES = 40, MOST_FEATURES = 8 };

/* What is odd about a problem's samples. */
enum {
    ZEROS = 1,      /* the first of each kind is a zero vector */
    DUPLICATES = 2, /* two equal training samples of one class, two equal universum samples */
    CONFLICTS = 4,  /* two equal training samples of different classes */
    COPIES = 8,     /* the universum is made of training samples */
    ONE_CLASS = 16, /* only one class is there */
    SPARSE = 32
};

struct set {
    int64_t n, m, K;
    struct problem samples;
    int32_t y[MOST_SAMPLES];
};

static inline void append(struct problem *problem, const struct example *x)
{
    struct error err = {.line = 0};
    CHECK_INT(problem_append_example(problem, x, &err), 0, "%s", err.message);
}

static inline struct example draw_example(struct random *g, int64_t k, int64_t d, bool sparse,
                                          int32_t *index, double *value)
{
    struct example x = {.index = index, .value = value};
    for (int64_t j = 0; j < d; j++) {
        double v = random_normal(g) + 1.5 * (k >= 0 && j == k % d);
        if (sparse && random_below(g, 2) == 0)
            continue;
        index[x.size] = (int32_t)j + 1;
        value[x.size++] = v;
    }
    return x;
}

static inline void make_set(struct random *g, int64_t n, int64_t m, int64_t K, int64_t d, int odd,
                            struct set *set)
{
    int32_t index[MOST_FEATURES];
    double value[MOST_FEATURES];
    *set = (struct set){.n = n, .m = m, .K = K};
    for (int64_t i = 0; i < n + m; i++) {
        bool training = i < n;
        if (training)
            set->y[i] = (int32_t)(odd & ONE_CLASS ? K - 1 : i < K ? i : random_below(g, K));
        struct example x = draw_example(g, training ? set->y[i] : -1, d, (odd & SPARSE) != 0, index,
                                        value);
        if ((odd & ZEROS) && (i == 0 || i == n))
            x.size = 0;
        if ((odd & DUPLICATES) && (i == n - 1 || (i == n + m - 1 && m > 1))) {
            x = problem_example(&set->samples, i - 1);
            if (training)
                set->y[i] = set->y[i - 1];
        }
        if ((odd & CONFLICTS) && i == n - 2 && n > 2) {
            x = problem_example(&set->samples, i - 1);
            set->y[i] = (int32_t)((set->y[i - 1] + 1) % K);
        }
        if ((odd & COPIES) && !training)
            x = problem_example(&set->samples, (i - n) % n);
        /* x may lie in the arrays that are about to grow */
        memmove(index, x.index, (size_t)x.size * sizeof *index);
        memmove(value, x.value, (size_t)x.size * sizeof *value);
        x.index = index;
        x.value = value;
        append(&set->samples, &x);
    }
}

static const struct kernel kernels[3] = {
    {.type = KERNEL_LINEAR},
    {.type = KERNEL_RBF, .gamma = 0.5},
    {.type = KERNEL_POLYNOMIAL, .degree = 2, .gamma = 0.5, .coef0 = 1}};

static inline bool solve(const char *name, const struct musvm_task *task,
                         const struct musvm_options *options, struct musvm_point *point,
                         struct musvm_result *result)
{
    struct error err = {.line = 0};
    int status = musvm_solve(task, options, point, result, &err);
    CHECK_INT(status, 0, "%s: %s", name, err.message);
    return status == 0;
}

#endif
