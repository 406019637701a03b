/* What a leave-one-out run would find (learners/musvm/span_bound.h): against the numbers in
 * tests/golden/musvm, and against the plain reference on random problems, with rows of the kernel
 * matrix whole, two at a time and (linear kernel) as weights. */
#include "common/base/memory.h"
#include "common/base/random.h"
#include "learners/musvm/span_bound.h"
#include "musvm_golden.h"
#include "musvm_plain.h"

enum { SWEEPS = 20000 };

/* One solved task and what the library makes of it. */
struct solved {
    const char *name;
    struct musvm_task task;
    struct musvm_options options;
    struct kernel_data data;
    struct musvm_point point;
    struct musvm_plain plain; /* with the point's alpha */
};

/* bytes: for rows; < 0: weights.  false after a failed check; solved_free in both cases. */
static bool solve(struct solved *s, const char *name, const struct musvm_task *task,
                  const struct kernel *kernel, const struct musvm_options *options, double bytes)
{
    struct musvm_result result;
    struct error err = {.line = 0};
    *s = (struct solved){.name = name, .task = *task, .options = *options};
    s->task.rows = NULL;
    int status = kernel_data_make(task->samples, NULL, &s->data, &err);
    if (status == 0 && bytes >= 0
        && !(s->task.rows = kernel_rows_new(kernel, &s->data, bytes, 1, &err)))
        status = -1;
    if (status == 0)
        status = musvm_point_make(&s->task, &s->point, &err);
    if (status == 0)
        status = musvm_solve(&s->task, options, &s->point, &result, &err);
    if (status == 0)
        status = musvm_plain_new(task, kernel, options, &s->plain, &err);
    CHECK_INT(status, 0, "%s: %s", name, err.message);
    if (status == 0)
        memcpy(s->plain.alpha, s->point.alpha,
               (size_t)((task->n + task->m) * task->classes) * sizeof *s->point.alpha);
    return status == 0;
}

static void solved_free(struct solved *s)
{
    musvm_plain_free(&s->plain);
    musvm_point_free(&s->point);
    kernel_rows_free(s->task.rows);
    kernel_data_free(&s->data);
}

/* What both answers estimate: the solver is run without each sample in turn, from the solution of
 * all on.  wrong: out, n; errors: out.  0 or -1. */
static int retrain(const struct solved *s, bool *wrong, int64_t *errors, struct error *err)
{
    const int64_t n = s->task.n, N = n + s->task.m, K = s->task.classes;
    struct musvm_options options = s->options;
    int status = 0;
    double *factor = memory_new(n + K, sizeof *factor, err);
    if (!factor)
        return -1;
    double *f = factor + n;
    options.factor = factor;
    *errors = 0;
    for (int64_t t = 0; status == 0 && t < n; t++) {
        struct musvm_point point;
        struct musvm_result result;
        for (int64_t i = 0; i < n; i++)
            factor[i] = i == t ? 0 : musvm_factor(s->options.factor, i);
        status = musvm_point_make(&s->task, &point, err);
        if (status == 0) {
            memcpy(point.alpha, s->point.alpha, (size_t)(N * K) * sizeof *point.alpha);
            memcpy(point.f, s->point.f, (size_t)(N * K) * sizeof *point.f);
            if (!s->task.rows)
                memcpy(point.w.w, s->point.w.w,
                       (size_t)(point.w.rows * point.w.stride) * sizeof *point.w.w);
            status = musvm_solve(&s->task, &options, &point, &result, err);
        }
        for (int64_t l = 0; status == 0 && l < K; l++)
            f[l] = point.f[l * N + t];
        wrong[t] = status == 0 && musvm_plain_wrong(K, f, s->task.y[t]);
        *errors += wrong[t];
        musvm_point_free(&point);
    }
    memory_free(factor);
    return status;
}

/* The library's two answers on one thread and on two: the same bytes, also where only the count is
 * asked for; and the truth.  s2, rhs, wrong: out, n each; f: out, n x classes; errors: out, 3. */
static bool ask(const struct solved *s, double *s2, double *rhs, double *f, bool *wrong,
                int64_t errors[3])
{
    const int64_t n = s->task.n, K = s->task.classes, elements = (n + s->task.m) * K;
    struct error err = {.line = 0};
    int64_t again[2];
    double *room = memory_new(2 * n + n * K + 2 * elements, sizeof *room, &err), *f2 = room + 2 * n,
           *alpha = f2 + n * K;
    int status = room ? 0 : -1;
    if (status == 0) {
        memcpy(alpha, s->point.alpha, (size_t)elements * sizeof *alpha);
        memcpy(alpha + elements, s->point.f, (size_t)elements * sizeof *alpha);
        status = span_bound_theorem(&s->task, &s->options, &s->point, 1, s2, rhs, &errors[0], &err);
    }
    status = status != 0
                 ? status
                 : span_bound_local(&s->task, &s->options, &s->point, 1, f, &errors[1], &err);
    status = status != 0 ? status : retrain(s, wrong, &errors[2], &err);
    status = status != 0 ? status
                         : span_bound_theorem(&s->task, &s->options, &s->point, 2, room, room + n,
                                              &again[0], &err);
    status = status != 0
                 ? status
                 : span_bound_local(&s->task, &s->options, &s->point, 2, f2, &again[1], &err);
    if (status == 0) {
        CHECK(memcmp(room, s2, (size_t)n * sizeof *s2) == 0
                  && memcmp(room + n, rhs, (size_t)n * sizeof *rhs) == 0,
              "%s: theorem 4 on two threads", s->name);
        CHECK(memcmp(f2, f, (size_t)(n * K) * sizeof *f) == 0, "%s: element-wise on two threads",
              s->name);
        for (int a = 0; a < 2; a++)
            CHECK_INT(again[a], errors[a], "%s: answer %d on two threads", s->name, a);
        CHECK(memcmp(alpha, s->point.alpha, (size_t)elements * sizeof *alpha) == 0
                  && memcmp(alpha + elements, s->point.f, (size_t)elements * sizeof *alpha) == 0,
              "%s: the point has changed", s->name);
        status = span_bound_theorem(&s->task, &s->options, &s->point, 1, NULL, NULL, &again[0],
                                    &err);
    }
    status = status != 0
                 ? status
                 : span_bound_local(&s->task, &s->options, &s->point, 1, NULL, &again[1], &err);
    for (int a = 0; status == 0 && a < 2; a++)
        CHECK_INT(again[a], errors[a], "%s: answer %d, only the count", s->name, a);
    CHECK_INT(status, 0, "%s: %s", s->name, err.message);
    memory_free(room);
    return status == 0;
}

/* ---- golden numbers ---- */

static int64_t count(int64_t n, const int64_t *flag)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += flag[i];
    return sum;
}

static void compare_golden(const struct golden *g, const struct solved *s)
{
    double s2[GOLDEN_SAMPLES], rhs[GOLDEN_SAMPLES], f[GOLDEN_SAMPLES * GOLDEN_CLASSES];
    bool wrong[GOLDEN_SAMPLES];
    int64_t errors[3];
    if (!ask(s, s2, rhs, f, wrong, errors))
        return;
    for (int64_t i = 0; i < g->n; i++) {
        if (g->condition < 1e8)
            CHECK(fabs(s2[i] - g->s2[i]) <= 1e-5 * fabs(g->s2[i]) + 2e-8,
                  "%s, sample %d: S^2 %.10g instead of %.10g", s->name, (int)i, s2[i], g->s2[i]);
        CHECK(fabs(rhs[i] - g->rhs[i]) <= 1e-6, "%s, sample %d: a.f %.10g instead of %.10g",
              s->name, (int)i, rhs[i], g->rhs[i]);
        CHECK_INT(wrong[i], g->wrong_retrained[i], "%s, sample %d: wrong when left out", s->name,
                  (int)i);
    }
    CHECK_INT(errors[0], count(g->n, g->wrong_theorem), "%s: theorem 4", s->name);
    CHECK_INT(errors[1], g->errors_local, "%s: element-wise", s->name);
    CHECK_INT(errors[2], count(g->n, g->wrong_retrained), "%s: retrained", s->name);
}

static void run_case(const struct golden *g)
{
    static const struct {
        const char *name;
        double bytes;
    } way[] = {{"whole", 1e9}, {"two rows", 0}, {"weights", -1}};
    const struct musvm_task task = {
        .n = g->n, .m = g->m, .classes = g->K, .y = g->y, .samples = &g->samples};
    for (int v = 0; v < (g->kernel.type == KERNEL_LINEAR ? 3 : 2); v++) {
        struct solved s;
        if (solve(&s, way[v].name, &task, &g->kernel, &g->options, way[v].bytes))
            compare_golden(g, &s);
        solved_free(&s);
    }
}

/* ---- random problems ---- */

enum { MOST = 24, FEATURES = 4 };

static void make_samples(struct random *g, int64_t n, int64_t m, int64_t K, bool odd,
                         struct problem *samples, int32_t *y)
{
    static const int32_t index[FEATURES] = {1, 2, 3, 4};
    double value[FEATURES];
    for (int64_t i = 0; i < n + m; i++) {
        struct error err = {.line = 0};
        struct example x = {.size = FEATURES, .index = index, .value = value};
        if (i < n)
            y[i] = (int32_t)(i % K);
        for (int64_t j = 0; j < FEATURES && !(odd && i == K + 1); j++) /* twice the same */
            value[j] = random_normal(g) + 1.2 * (i < n && j == i % K);
        if (odd && i == 0)
            x.size = 0;
        CHECK_INT(problem_append_example(samples, &x, &err), 0, "%s", err.message);
    }
}

/* How far f_y leads. */
static double lead(int64_t K, const double *f, int64_t y)
{
    double most = -HUGE_VAL;
    for (int64_t l = 0; l < K; l++) {
        if (l != y)
            most = fmax(most, f[l]);
    }
    return f[y] - most;
}

/* The plain reference from the same alpha: numbers near, counts the same but for what is too near
 * to tell. */
static void compare_plain(const struct solved *s)
{
    const int64_t n = s->task.n, K = s->task.classes;
    double s2[MOST], rhs[MOST], want_s2[MOST], want_rhs[MOST], f[MOST * MUSVM_PLAIN_CLASSES],
        want_f[MOST * MUSVM_PLAIN_CLASSES];
    bool wrong[MOST], want_wrong[MOST];
    int64_t errors[3], least[3] = {0}, most[3] = {0};
    struct error err = {.line = 0};
    if (!ask(s, s2, rhs, f, wrong, errors))
        return;
    if (musvm_plain_theorem(&s->plain, want_s2, want_rhs, want_wrong, &err) != 0
        || musvm_plain_local(&s->plain, want_f, &err) != 0) {
        CHECK(false, "%s: memory", s->name);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        double gap = want_s2[i] - want_rhs[i], ahead = lead(K, want_f + i * K, s->task.y[i]);
        bool support = musvm_plain_kind(&s->plain, i) != 0,
             near = support && fabs(gap) < 1e-5 * (1 + want_s2[i]);
        /* Where the kernel matrix is singular distances are 0, and numbers are what the ridge
         * leaves of them. */
        CHECK(fabs(s2[i] - want_s2[i]) <= 1e-5 || (fabs(s2[i]) < 1e-3 && fabs(want_s2[i]) < 1e-3),
              "%s, sample %d: S^2, %g instead of %g", s->name, (int)i, s2[i], want_s2[i]);
        CHECK_NEAR(rhs[i], want_rhs[i], 1e-8, "%s, sample %d: a.f", s->name, (int)i);
        least[0] += want_wrong[i] && !near;
        most[0] += want_wrong[i] || near;
        for (int64_t l = 0; l < K; l++)
            CHECK_NEAR(f[i * K + l], want_f[i * K + l], 1e-5,
                       "%s, sample %d: f_%d without it, element-wise", s->name, (int)i, (int)l);
        least[1] += ahead < -1e-4;
        most[1] += ahead <= 1e-4;
    }
    if (musvm_plain_retrain(&s->plain, 1e-8, SWEEPS, want_f, &err) != 0) {
        CHECK(false, "%s: memory", s->name);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        double ahead = lead(K, want_f + i * K, s->task.y[i]);
        CHECK(fabs(ahead) <= 1e-4 || wrong[i] == (ahead < 0),
              "%s, sample %d: wrong when left out is %d, it leads by %g", s->name, (int)i, wrong[i],
              ahead);
        least[2] += wrong[i];
        most[2] += wrong[i];
    }
    for (int a = 0; a < 3; a++)
        CHECK(least[a] <= errors[a] && errors[a] <= most[a], "%s: answer %d is %d, not %d to %d",
              s->name, a, (int)errors[a], (int)least[a], (int)most[a]);
}

static void test_random(void)
{
    static const struct {
        const char *name;
        struct kernel kernel;
        double bytes;
    } way[] = {{"rbf", {.type = KERNEL_RBF, .gamma = 0.5}, 1e9},
               {"rbf, two rows", {.type = KERNEL_RBF, .gamma = 0.5}, 0},
               {"linear, weights", {.type = KERNEL_LINEAR}, -1},
               {"linear", {.type = KERNEL_LINEAR}, 1e9}};
    static const double C[] = {0.01, 0.5, 5};
    double factor[12];
    for (int i = 0; i < 12; i++)
        factor[i] = 0.5 * (1 + i % 4);
    for (int64_t K = 2; K <= 3; K++) {
        for (int64_t odd = 0; odd <= 1; odd++) {
            check_group("%d classes%s", (int)K, odd ? ", a zero vector, a duplicate" : "");
            for (int64_t c = 0; c < 3; c++) {
                for (int64_t v = 0; v < 4; v++) {
                    struct random g = random_seeded(20, (uint64_t)(100 * K + 10 * c + v));
                    struct problem samples = {.n = 0};
                    struct solved s;
                    int32_t y[MOST];
                    int64_t m = v == 0 || v == 3 ? 5 : 0;
                    make_samples(&g, 12, m, K, odd == 1, &samples, y);
                    const struct musvm_task task = {
                        .n = 12, .m = m, .classes = K, .y = y, .samples = &samples};
                    const struct musvm_options options = {.C = C[c],
                                                          .factor = v % 2 == 0 ? NULL : factor,
                                                          .C_star = C[c] / 4,
                                                          .delta = 0.05 * (double)c,
                                                          .eps = 1e-9,
                                                          .shrinking = true,
                                                          .seed = 1};
                    if (solve(&s, way[v].name, &task, &way[v].kernel, &options, way[v].bytes))
                        compare_plain(&s);
                    solved_free(&s);
                    problem_free(&samples);
                }
            }
        }
    }
}

/* Samples that are 2^12 times smaller, with C 2^24 times larger: alpha and S^2 are 2^24 times
 * larger, decision values the same, all to the last bit.  So is what is added to a matrix before it
 * is inverted relative to the matrix. */
static void test_scale(void)
{
    const double smaller = 0x1p-12, larger = 0x1p24;
    struct random g = random_seeded(21, 0);
    struct problem samples = {.n = 0};
    struct solved s;
    struct error err = {.line = 0};
    int32_t y[MOST];
    double s2[2][MOST], f[2][MOST * MUSVM_PLAIN_CLASSES];
    int64_t errors;
    check_group("smaller samples");
    make_samples(&g, 12, 5, 3, false, &samples, y);
    const struct kernel kernel = {.type = KERNEL_LINEAR};
    const struct musvm_task task = {.n = 12, .m = 5, .classes = 3, .y = y, .samples = &samples};
    struct musvm_options options = {
        .C = 0.5, .C_star = 0.1, .delta = 0.05, .eps = 1e-9, .shrinking = true, .seed = 1};
    bool done = solve(&s, "weights", &task, &kernel, &options, -1);
    for (int way = 0; done && way < 2; way++) {
        done = span_bound_theorem(&task, &options, &s.point, 1, s2[way], NULL, &errors, &err) == 0
               && span_bound_local(&task, &options, &s.point, 1, f[way], &errors, &err) == 0;
        for (int64_t i = 0; i < samples.nnz; i++)
            samples.value[i] *= smaller;
        for (int64_t i = 0; i < (task.n + task.m) * task.classes; i++)
            s.point.alpha[i] *= larger;
        options.C *= larger;
        options.C_star *= larger;
    }
    CHECK(done, "%s", err.message);
    double sum = 0;
    for (int64_t i = 0; done && i < task.n; i++) {
        sum += s2[0][i];
        CHECK_NEAR(s2[1][i], larger * s2[0][i], 0, "sample %d: S^2", (int)i);
        for (int64_t l = 0; l < task.classes; l++)
            CHECK_NEAR(f[1][i * task.classes + l], f[0][i * task.classes + l], 0,
                       "sample %d: f_%d without it", (int)i, (int)l);
    }
    CHECK(sum > 0, "no distance");
    solved_free(&s);
    problem_free(&samples);
}

/* ---- by hand ---- */

enum { HAND = 5, HAND_FEATURES = 3 };

/* Two classes, linear kernel, C = 1/2.  Samples 0 and 1 are a free and a bounded support vector,
 * whose kernel values are 4, 2 and 2; 2, the zero vector, and 3 are bounded, too, and orthogonal to
 * all others; 4 has a margin of 1.5, and is no support vector. */
static void make_hand(struct problem *samples)
{
    static const double x[HAND][HAND_FEATURES] = {
        {2, 0, 0}, {1, 1, 0}, {0, 0, 0}, {0, 0, 1}, {3, 0, 0}};
    static const int32_t index[HAND_FEATURES] = {1, 2, 3};
    for (int64_t i = 0; i < HAND; i++) {
        struct error err = {.line = 0};
        const struct example one = {.size = HAND_FEATURES, .index = index, .value = x[i]};
        CHECK_INT(problem_append_example(samples, &one, &err), 0, "%s", err.message);
    }
}

/* With alpha_0 = (3/8, -3/8) all is optimal.  Without sample 1, sample 0 keeps its margin of 1 by
 * (1/8, -1/8); without 0, sample 1 stays bounded; f(x_2) is always 0, and f(x_3) without 3. Theorem
 * 4 says the same of these, and counts ties of its two sides, but not of what is no support vector.
 */
static void test_by_hand(void)
{
    static const int32_t y[HAND] = {0, 1, 0, 1, 0};
    double alpha[HAND * 2] = {0.375, -0.375, -0.5, 0.5, 0.5, -0.5, -0.5, 0.5, 0, 0};
    double f[2 * HAND] = {0.5, -0.25, 0, -0.5, 0.75, -0.5, 0.25, 0, 0.5, -0.75};
    const double want_s2[HAND] = {1.125, 0.5, 0, 0.5, 0}, want_rhs[HAND] = {0.375, 0.25, 0, 0.5, 0},
                 want_f[HAND] = {-1, 0.25, 0, 0, 0.75};
    double s2[HAND], rhs[HAND], left_out[2 * HAND];
    struct problem samples = {.n = 0};
    struct error err = {.line = 0};
    int64_t theorem = 0, local = 0;
    check_group("five samples by hand");
    make_hand(&samples);
    const struct musvm_task task = {.n = HAND, .classes = 2, .y = y, .samples = &samples};
    const struct musvm_options options = {.C = 0.5};
    const struct musvm_point point = {.alpha = alpha, .f = f};
    CHECK(span_bound_theorem(&task, &options, &point, 1, s2, rhs, &theorem, &err) == 0
              && span_bound_local(&task, &options, &point, 1, left_out, &local, &err) == 0,
          "%s", err.message);
    for (int64_t i = 0; i < HAND; i++) {
        CHECK_NEAR(s2[i], want_s2[i], 1e-9, "sample %d: S^2", (int)i);
        CHECK_NEAR(rhs[i], want_rhs[i], 1e-15, "sample %d: a.f", (int)i);
        for (int64_t l = 0; l < 2; l++)
            CHECK_NEAR(left_out[2 * i + l], l == 0 ? want_f[i] : -want_f[i], 1e-9,
                       "sample %d: f_%d without it", (int)i, (int)l);
    }
    CHECK_INT(theorem, 4, "0 and 1; both sides are 0 for 2, and 1/2 for 3");
    CHECK_INT(local, 4, "all but 4; a tie of the two functions is wrong");
    problem_free(&samples);
}

/* Sample 1, or the universum sample that stands in its place, is free when an element is more than
 * 1e-8 of the cap away from 0 and from the cap.  Then sample 0 is left out with the distance 2 -
 * 2^2/4 = 1 from it, else with 2, its own length.  Nearer to 0, sample 1 is no support vector. */
static void test_edge(void)
{
    static const struct {
        double share; /* of the cap */
        bool free;
    } edge[] = {{0, false},       {0.5e-8, false},     {2e-8, true}, {0.5, true},
                {1 - 2e-8, true}, {1 - 0.5e-8, false}, {1, false}};
    static const double x[2][2] = {{1, 1}, {2, 0}};
    static const int32_t y[2] = {1, 0}, index[2] = {1, 2};
    struct problem samples = {.n = 0};
    struct error err = {.line = 0};
    check_group("free or not");
    for (int64_t i = 0; i < 2; i++) {
        const struct example one = {.size = 2, .index = index, .value = x[i]};
        CHECK_INT(problem_append_example(&samples, &one, &err), 0, "%s", err.message);
    }
    for (int64_t n = 1; n <= 2; n++) {
        const double cap = n == 2 ? 0.5 : 0.25;
        const struct musvm_task task = {
            .n = n, .m = 2 - n, .classes = 2, .y = y, .samples = &samples};
        const struct musvm_options options = {.C = 0.5, .C_star = 0.25};
        for (size_t e = 0; e < sizeof edge / sizeof *edge; e++) {
            const double own = edge[e].share * cap, d = edge[e].free ? 1 : 2;
            double alpha[] = {-0.5, 0.5, own, -own}, f[] = {-0.25, 0, 0.25, 0}, s2[2], left_out[4];
            const struct musvm_point point = {.alpha = alpha, .f = f};
            int64_t errors;
            CHECK(span_bound_theorem(&task, &options, &point, 1, s2, NULL, &errors, &err) == 0
                      && span_bound_local(&task, &options, &point, 1, left_out, &errors, &err) == 0,
                  "%s", err.message);
            CHECK_NEAR(s2[0], 0.5 * d, 1e-9, "%d training samples, %g of the cap: S^2", (int)n,
                       edge[e].share);
            if (n == 2)
                CHECK_INT(s2[1] > 0, edge[e].share > 1e-8, "%g of the cap: a support vector",
                          edge[e].share);
            CHECK_NEAR(left_out[0], -0.25 + 0.5 * d, 1e-9,
                       "%d training samples, %g of the cap: f_0", (int)n, edge[e].share);
            CHECK_NEAR(left_out[1], 0.25 - 0.5 * d, 1e-9, "%d training samples, %g of the cap: f_1",
                       (int)n, edge[e].share);
        }
    }
    problem_free(&samples);
}

int main(void)
{
    test_by_hand();
    test_edge();
    golden_each(run_case);
    test_random();
    test_scale();
    return check_finish();
}
