/* UMA beside its plain loop where scores tie.  Values are small whole numbers, their count and the
 * entries of C^-1 fractions of powers of two, so every sum is exact in whatever order: scores that
 * are equal by the formula are equal in both, and so are margins and alpha, and products of z with
 * two rows of W.  Then cases by hand, where a share is 0 and where no iterate is good. */
#include "check.h"
#include "common/base/random.h"
#include "learners/uma/uma_state.h"
#include "uma_plain.h"

#include <string.h>

enum { N = 16, D = 3, K = 3, SETS = 24, ITERATIONS = 20 };

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/* The inverses of no noise, and of noise that is the same for all classes. */
static const double inverses[][K * K] = {{1, 0, 0, 0, 1, 0, 0, 0, 1},
                                         {1.5, -.25, -.25, -.25, 1.5, -.25, -.25, -.25, 1.5}};

struct exact {
    struct problem problem;
    int64_t label[N], line[N], row_start[N + 1];
    int32_t index[N * D], y[N];
    double value[N * D];
};

/* Values 1 and -1, so that many examples are alike, or from -2 to 2. */
static void exact_make(struct exact *x, uint64_t set)
{
    struct random g = random_seeded(77, set);
    *x = (struct exact){.row_start = {0}};
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < D; j++) {
            x->index[i * D + j] = j + 1;
            x->value[i * D + j] = set % 2 ? (double)(random_below(&g, 5) - 2)
                                          : (double)(2 * random_below(&g, 2) - 1);
        }
        x->y[i] = (int32_t)random_below(&g, K);
        x->line[i] = i + 1;
        x->row_start[i + 1] = (i + 1) * D;
    }
    x->problem = (struct problem){.n = N,
                                  .nnz = N * D,
                                  .d = D,
                                  .label = x->label,
                                  .line = x->line,
                                  .row_start = x->row_start,
                                  .index = x->index,
                                  .value = x->value};
}

/* The first n examples, as the learner takes them. */
static struct uma_data exact_given(const struct exact *x, int64_t n, const double *inverse)
{
    return (struct uma_data){.problem = &x->problem, .y = x->y, .n = n, .K = K, .inverse = inverse};
}

/* The same pairs in the same order, the same errors and weights. */
static void run_case(const struct exact *x, const double *inverse,
                     const struct uma_options *options)
{
    const struct uma_data data = exact_given(x, N, inverse);
    struct uma_plain got, want;
    struct error err = {0};
    char name[96];
    snprintf(name, sizeof name, "strategy %d, step %d, check %d, alpha %g", (int)options->strategy,
             (int)options->step, (int)options->check, options->alpha);
    if (uma_plain(&data, options, &want, &err) != 0 || uma_fast(&data, options, &got, &err) != 0) {
        CHECK(false, "%s: %s", name, err.message);
        return;
    }
    CHECK_INT(got.result.iterations, want.result.iterations, "%s: updates", name);
    CHECK_INT(got.result.stop, want.result.stop, "%s: stop", name);
    for (int64_t t = 0; t < got.result.iterations && t < want.result.iterations; t++) {
        const struct uma_update *u = &got.updates[t], *v = &want.updates[t];
        CHECK(u->p == v->p && u->q == v->q, "%s, update %d: pair %d %d instead of %d %d", name,
              (int)t + 1, (int)u->p, (int)u->q, (int)v->p, (int)v->q);
        CHECK_NEAR(u->error, v->error, 1e-12, "%s, update %d: error", name, (int)t + 1);
    }
    for (int j = 0; j < K * (D + 1); j++)
        CHECK_NEAR(got.result.w[j], want.result.w[j], 1e-12, "%s: weight %d", name, j);
    uma_plain_free(&got);
    uma_plain_free(&want);
}

/* Of m^2 copies of an example ||z|| is m sigma.  So with sigmas = m no pair exceeds its noise, and
 * nothing is updated, whichever way the sums are rounded. */
static void test_copies(void)
{
    static const double inverse[K * K] = {1.4, -0.1, -0.3, -0.2, 1.3, -0.2, -0.2, -0.2, 1.5};
    static struct exact x;
    struct random g = random_seeded(78, 1);
    check_group("copies of one example");
    for (int set = 0; set < 100; set++) {
        const int m = 2 + set % 3, copies = m * m;
        const struct uma_options options = {.sigmas = m,
                                            .iterate = UMA_LAST,
                                            .iterations = ITERATIONS,
                                            .table_bytes = set % 2 ? 1e9 : 0,
                                            .threads = 1};
        struct uma_plain got;
        exact_make(&x, (uint64_t)set);
        for (int e = 0; e < copies * D; e++)
            x.value[e] = e < D ? random_uniform(&g) : x.value[e - D];
        for (int i = 0; i < copies; i++)
            x.y[i] = set % K;
        x.problem.n = copies;
        x.problem.nnz = copies * D;
        const struct uma_data data = exact_given(&x, copies, inverse);
        CHECK(uma_fast(&data, &options, &got, NULL) == 0, "set %d", set);
        CHECK_INT(got.result.iterations, 0, "set %d: updates", set);
        CHECK_INT(got.result.stop, UMA_TOL, "set %d: stop", set);
        uma_plain_free(&got);
    }
}

/* ---- by hand ---- */

/* Examples of one feature, all in A_0 at the start: `count` of each class, with this value.  The
 * inverse is 1.5 on the diagonal and -.25 beside it, so of n examples with the sum S, n_q with S_q
 * are observed q, pi_q = 1.75 n_q/n - .25 and z_pq = (1.75 S_q - .25 S)/n while all are in A_p.
 * got: out; free with uma_plain_free. */
static void run_line(const int count[K], const double value[K], const struct uma_options *options,
                     struct uma_plain *got)
{
    static struct exact x;
    int n = 0;
    exact_make(&x, 0);
    for (int k = 0; k < K; k++)
        for (int i = 0; i < count[k]; i++, n++) {
            x.y[n] = k;
            x.index[n] = 1;
            x.value[n] = value[k];
            x.row_start[n + 1] = n + 1;
        }
    x.problem.n = x.problem.nnz = n;
    x.problem.d = 1;
    const struct uma_data data = exact_given(&x, n, inverses[1]);
    CHECK_INT(uma_fast(&data, options, got, NULL), 0, "UMA");
}

/* pi_1 = 0, by which nothing can be divided: the strategy `confusion` passes class 1 over, although
 * z_01 = (1.75 4 - .25 16)/14 is not 0. */
static void test_no_share(void)
{
    struct uma_options options = {
        .iterate = UMA_LAST, .iterations = 1, .table_bytes = 1e9, .threads = 1};
    struct uma_plain got;
    check_group("a class of which there is nothing");
    options.strategy = UMA_ERROR;
    run_line((const int[]){12, 2, 0}, (const double[]){1, 2, 0}, &options, &got);
    CHECK_INT(got.result.iterations, 1, "updates by the error");
    uma_plain_free(&got);
    options.strategy = UMA_CONFUSION;
    run_line((const int[]){12, 2, 0}, (const double[]){1, 2, 0}, &options, &got);
    CHECK_NEAR(got.result.proportion[1], 0, 0, "its share");
    CHECK_INT(got.result.iterations, 0, "updates by the confusion");
    CHECK_INT(got.result.stop, UMA_TOL, "stop");
    uma_plain_free(&got);
}

/* z_01 = (35 - 12.75)/16 makes all of class 1, then z_12 = (31.5 - 12.75)/16 all of class 2.  Of
 * both there is less than nothing, pi_1 = -1/32 and pi_2 = -9/64, so that W = 0 has the least
 * error, 1 - pi_0; but it is no iterate, and of these the first is the best. */
static void test_bad_best(void)
{
    const struct uma_options options = {.strategy = UMA_ERROR,
                                        .iterate = UMA_BEST,
                                        .iterations = 2,
                                        .table_bytes = 1e9,
                                        .threads = 1};
    static const double w[K] = {-22.25 / 16, 22.25 / 16, 0};
    struct uma_plain got;
    check_group("the best iterate, where estimated errors are above 1");
    run_line((const int[]){13, 2, 1}, (const double[]){1, 10, 18}, &options, &got);
    CHECK_INT(got.result.iterations, 2, "updates");
    CHECK_INT(got.result.chosen, 1, "chosen");
    CHECK_NEAR(got.result.error, 1 + 1 / 32., 1e-12, "error");
    CHECK_NEAR(got.result.last_error, 1 + 9 / 64., 1e-12, "error of the last iterate");
    for (int k = 0; k < K; k++)
        CHECK_NEAR(got.result.w[2 * k + 1], w[k], 1e-12, "w_%d", k);
    uma_plain_free(&got);
}

/* Scores refuse a pair only where their rounding cannot matter.  Of the two examples of A_0 one
 * adds its lead of 1, the other, whose coefficient is -1/2, takes away half of a lead of 2 and a
 * bit. */
static void test_nearly_refused(void)
{
    static const struct {
        int64_t check;
        double bit;
        bool refused;
    } of[] = {{UMA_SKIP, -1e-6, false},
              {UMA_SKIP, 0, false},
              {UMA_SKIP, 1e-12, false},
              {UMA_SKIP, 1e-6, true},
              {UMA_NONE, 1, false}};
    static const double inverse[] = {1, 0, -0.5, 1};
    static const int32_t y[] = {1, 0};
    static int64_t start[] = {0, 2, 2}, order[] = {0, 1};
    check_group("nearly refused");
    for (int c = 0; c < COUNT(of); c++) {
        const struct uma_options options = {.check = of[c].check, .step = UMA_PERCEPTRON};
        double scores[] = {0.5, -0.5, 1 + of[c].bit, -1 - of[c].bit}, product[2];
        struct uma u = {.options = &options,
                        .K = 2,
                        .n = 2,
                        .product = product,
                        .scores = {.n = 2, .K = 2, .held = scores},
                        .t = {.data = {.y = y, .inverse = inverse},
                              .n = 2,
                              .K = 2,
                              .all = 2,
                              .start = start,
                              .order = order}};
        CHECK_INT(uma_refused(&u, 0, 1), of[c].refused, "check %d, a bit of %g", (int)of[c].check,
                  of[c].bit);
    }
}

int main(void)
{
    static const double alphas[] = {0, 0.125, 0.25};
    static struct exact x;
    for (int strategy = UMA_ERROR; strategy <= UMA_RANDOM; strategy++)
        for (int step = UMA_PERCEPTRON; step <= UMA_WORST; step++) {
            check_group("strategy %d, step %d", strategy, step);
            for (int set = 0; set < SETS; set++) {
                exact_make(&x, (uint64_t)set);
                for (int c = 0; c < 3 * COUNT(alphas); c++) {
                    const struct uma_options options = {.strategy = strategy,
                                                        .step = step,
                                                        .check = UMA_SKIP + c / COUNT(alphas),
                                                        .iterate = UMA_LAST,
                                                        .alpha = alphas[c % COUNT(alphas)],
                                                        .iterations = ITERATIONS,
                                                        .table_bytes = set % 3 > 0 ? 1e9 : 0,
                                                        .threads = 1,
                                                        .seed = set};
                    run_case(&x, inverses[set / 2 % 2], &options);
                }
            }
        }
    test_copies();
    test_no_share();
    test_bad_best();
    test_nearly_refused();
    return check_finish();
}
