/* Machines of several problems (learners/musvm/musvm_machine.h), S3VM, cross-validation and model
 * selection: each function against the objective of its binary problem by plain loops, decisions
 * against a loop over votes, trials against runs of their own. */
#include "check.h"
#include "common/base/memory.h"
#include "common/base/random.h"
#include "common/model/predict.h"
#include "learners/musvm/musvm_cross_validation.h"
#include "learners/musvm/musvm_model.h"
#include "learners/musvm/musvm_select.h"
#include "learners/musvm/s3vm.h"
#include "learners/musvm/span_bound.h"
#include "musvm_plain.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double EPS = 1e-9;
enum { MOST = 40, MOST_CLASSES = 4, FEATURES = 4, MOST_COLUMNS = 6, SWEEPS = 20000 };

struct set {
    int64_t n, m, K;
    struct problem samples;
    int32_t y[MOST];
    double factor[MOST];
    struct kernel kernel;
    struct kernel_data data;
    double k[MOST * MOST]; /* (n + m) x (n + m) */
};

static const struct kernel linear = {.type = KERNEL_LINEAR},
                           rbf = {.type = KERNEL_RBF, .gamma = 0.4};

static void append(struct set *set, const double *x)
{
    static const int32_t index[FEATURES] = {1, 2, 3, 4};
    struct example example = {.index = index, .value = x, .size = FEATURES};
    struct error err = {.line = 0};
    CHECK_INT(problem_append_example(&set->samples, &example, &err), 0, "%s", err.message);
}

/* When all samples are there. */
static void finish(struct set *set, struct kernel kernel)
{
    const int64_t N = set->n + set->m;
    struct error err = {.line = 0};
    set->kernel = kernel;
    CHECK_INT(kernel_data_make(&set->samples, NULL, &set->data, &err), 0, "%s", err.message);
    for (int64_t i = 0; i < N; i++) {
        for (int64_t j = 0; j < N; j++) {
            struct example u = problem_example(&set->samples, i),
                           v = problem_example(&set->samples, j);
            set->k[i * N + j] = musvm_plain_kernel(&kernel, &u, &v);
        }
    }
}

/* Classes around the axes, `apart` from 0; the universum around 0; factors of 0.25, 0.5, ... and
 * some of 0. */
static void make_set(uint64_t seed, int64_t n, int64_t m, int64_t K, double apart,
                     struct kernel kernel, struct set *set)
{
    struct random g = random_seeded(21, seed);
    *set = (struct set){.n = n, .m = m, .K = K};
    for (int64_t i = 0; i < n + m; i++) {
        double x[FEATURES];
        if (i < n) {
            set->y[i] = (int32_t)(i % K);
            set->factor[i] = 0.25 * (double)((i / K) % 5);
        }
        for (int64_t j = 0; j < FEATURES; j++)
            x[j] = random_normal(&g) + (i < n && j == set->y[i] ? apart : 0);
        append(set, x);
    }
    finish(set, kernel);
}

static void free_set(struct set *set)
{
    kernel_data_free(&set->data);
    problem_free(&set->samples);
}

static struct musvm_task task_of(const struct set *set, struct kernel_rows *rows)
{
    return (struct musvm_task){.n = set->n,
                               .m = set->m,
                               .classes = set->K,
                               .y = set->y,
                               .rows = rows,
                               .samples = &set->samples};
}

/* bytes < 0: weights in place of rows */
static struct kernel_rows *rows_of(const struct set *set, double bytes)
{
    struct error err = {.line = 0};
    struct kernel_rows *rows = bytes < 0
                                   ? NULL
                                   : kernel_rows_new(&set->kernel, &set->data, bytes, 1, &err);
    CHECK(rows || bytes < 0, "%s", err.message);
    return rows;
}

static struct musvm_plan plan_of(enum musvm_scheme scheme, const struct set *set, double eps)
{
    return (struct musvm_plan){.scheme = scheme,
                               .linear = set->kernel.type == KERNEL_LINEAR,
                               .solver = {.eps = eps, .shrinking = true, .seed = 1}};
}

/* ---- the binary problems ---- */

struct binary {
    int64_t n, m;      /* of the whole set */
    int64_t taking;    /* training samples that take part */
    double sign[MOST]; /* of training samples */
    double cost[MOST]; /* 0: it does not take part */
    double delta;
    const double *k;
};

/* Class `first` against `second`, or against the rest (-1). */
static void make_binary(const struct set *set, const double *factor,
                        const struct musvm_costs *costs, int64_t first, int64_t second,
                        struct binary *b)
{
    *b = (struct binary){.n = set->n, .m = set->m, .delta = costs->delta, .k = set->k};
    for (int64_t i = 0; i < set->n; i++) {
        bool takes = second < 0 || set->y[i] == first || set->y[i] == second;
        b->sign[i] = set->y[i] == first ? 1 : -1;
        b->cost[i] = takes ? costs->C * (factor ? factor[i] : 1) : 0;
        b->taking += b->cost[i] > 0;
    }
    for (int64_t i = set->n; i < set->n + set->m; i++)
        b->cost[i] = costs->C_star >= 0 ? costs->C_star
                                        : (double)b->taking * costs->C / (2 * (double)set->m);
}

static double value(const struct binary *b, const double *coef, int64_t i)
{
    double f = 0;
    for (int64_t j = 0; j < b->n + b->m; j++)
        f += coef[j] * b->k[i * (b->n + b->m) + j];
    return f;
}

static double objective(const struct binary *b, const double *coef)
{
    double sum = 0;
    for (int64_t i = 0; i < b->n + b->m; i++) {
        double f = value(b, coef, i);
        sum += coef[i] * f / 2
               + b->cost[i] * fmax(0, i < b->n ? 1 - b->sign[i] * f : fabs(f) - b->delta);
    }
    return sum;
}

/* The least objective, by coordinate descent on the dual. */
static void minimise(const struct binary *b, double *coef)
{
    const int64_t N = b->n + b->m;
    memset(coef, 0, (size_t)N * sizeof *coef);
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double moved = 0;
        for (int64_t i = 0; i < N; i++) {
            double A = b->k[i * N + i], old = coef[i], rest = A * old - value(b, coef, i);
            if (i < b->n)
                coef[i] = b->sign[i] * fmax(0, fmin(b->cost[i], (1 + b->sign[i] * rest) / A));
            else
                coef[i] = fmax(-b->cost[i], fmin(b->cost[i], (rest > b->delta    ? rest - b->delta
                                                              : rest < -b->delta ? rest + b->delta
                                                                                 : 0)
                                                                 / A));
            moved = fmax(moved, fabs(coef[i] - old) * A);
        }
        if (moved < 1e-13)
            return;
    }
    CHECK(false, "the reference does not converge");
}

/* Nothing near a least point is lower. */
static void check_least(const char *name, const struct binary *b, const double *coef,
                        struct random *g)
{
    const int64_t N = b->n + b->m;
    const double least = objective(b, coef), tolerance = 1e-8 * (1 + least);
    double other[MOST];
    for (int64_t step = 0; step < 6; step++) {
        const double size = pow(10, (double)(step / 2) - 4) * (step % 2 ? 1 : -1);
        memcpy(other, coef, sizeof other);
        for (int64_t i = 0; i < N; i++) {
            other[i] += size;
            CHECK(objective(b, other) >= least - tolerance,
                  "%s: coefficient %d moved by %g: lower by %g", name, (int)i, size,
                  least - objective(b, other));
            other[i] = coef[i];
        }
        for (int64_t way = 0; way < 10; way++) {
            for (int64_t i = 0; i < N; i++)
                other[i] = coef[i] + size * random_normal(g);
            CHECK(objective(b, other) >= least - tolerance, "%s: random step of %g: lower by %g",
                  name, size, least - objective(b, other));
        }
    }
}

/* The columns of a machine against the problems that they should solve.  result: the machine's
 * own. */
static void check_columns(const char *name, const struct set *set, const struct musvm_plan *plan,
                          const double *factor, const struct musvm_costs *costs,
                          const struct musvm_machine *machine)
{
    const int64_t N = set->n + set->m, K = set->K,
                  columns = K == 2                      ? 2
                            : plan->scheme == MUSVM_OVA ? K
                                                        : K * (K - 1) / 2,
                  parts = K == 2 ? 1 : columns;
    struct random g = random_seeded(22, 0);
    double total = 0, coef[MOST] = {0}, best[MOST];
    CHECK_INT(machine->columns, columns, "%s: columns", name);
    CHECK_INT(machine->parts, parts, "%s: parts", name);
    CHECK_INT(musvm_columns(plan, K), columns, "%s: musvm_columns", name);
    CHECK_INT(musvm_parts(plan, K), parts, "%s: musvm_parts", name);
    int64_t first = 0, second = plan->scheme == MUSVM_OVO || K == 2 ? 1 : -1;
    for (int64_t c = 0; c < parts; c++) {
        struct binary b;
        make_binary(set, factor, costs, first, second, &b);
        for (int64_t i = 0; i < N; i++) {
            coef[i] = machine->coef[i * columns + c];
            if (K == 2) {
                CHECK_NEAR(machine->coef[2 * i + 1], -coef[i], 1e-12,
                           "%s: the other half of coefficient %d", name, (int)i);
                coef[i] *= 2;
            }
            CHECK(i >= set->n
                      ? fabs(coef[i]) <= b.cost[i] * (1 + 1e-12)
                      : coef[i] * b.sign[i] >= 0 && coef[i] * b.sign[i] <= b.cost[i] * (1 + 1e-12),
                  "%s: coefficient %d of column %d is %g", name, (int)i, (int)c, coef[i]);
        }
        minimise(&b, best);
        CHECK_NEAR(objective(&b, coef), objective(&b, best), 1e-6, "%s: objective of column %d",
                   name, (int)c);
        for (int64_t i = 0; i < N; i++)
            CHECK(fabs(value(&b, coef, i) - value(&b, best, i)) <= 1e-5,
                  "%s: f_%d(x_%d) is %.10g instead of %.10g", name, (int)c, (int)i,
                  value(&b, coef, i), value(&b, best, i));
        check_least(name, &b, coef, &g);
        total += objective(&b, coef);
        if (plan->scheme == MUSVM_OVA || ++second == K) {
            first++;
            second = plan->scheme == MUSVM_OVA ? -1 : first + 1;
        }
    }
    CHECK(machine->result.converged && machine->result.violation <= EPS, "%s: a violation of %g",
          name, machine->result.violation);
    CHECK(fabs(machine->result.primal - total) <= 1e-6 * total,
          "%s: primal %.12g, but the columns have %.12g", name, machine->result.primal, total);
    CHECK(fabs(machine->result.objective - total) <= 1e-6 * total,
          "%s: objective %.12g, but the columns have %.12g", name, machine->result.objective,
          total);
}

/* Weights are sums of samples; counts of support vectors. */
static void check_rest(const char *name, const struct set *set, const struct musvm_plan *plan,
                       const double *factor, const struct musvm_costs *costs,
                       const struct musvm_machine *machine)
{
    const int64_t N = set->n + set->m;
    const double scale = set->K == 2 ? 0.5 : 1; /* two functions are one, f / 2 and -f / 2 */
    int64_t support = 0, others = 0, bounded = 0;
    for (int64_t i = 0; i < N; i++) {
        bool any = false, capped = false;
        for (int64_t c = 0; c < machine->columns; c++) {
            double size = fabs(machine->coef[i * machine->columns + c]);
            any = any || size > 0;
            capped = capped
                     || (i < set->n && size > 0
                         && size >= scale * costs->C * (factor ? factor[i] : 1) * (1 - 1e-14));
        }
        *(i < set->n ? &support : &others) += any;
        bounded += capped;
    }
    CHECK_INT(machine->support, support, "%s: support vectors", name);
    CHECK_INT(machine->universum_support, others, "%s: universum support vectors", name);
    CHECK_INT(machine->bounded, bounded, "%s: support vectors at their cap", name);
    CHECK(machine->result.updates > 0 && machine->result.sweeps >= machine->parts,
          "%s: %d updates in %d sweeps", name, (int)machine->result.updates,
          (int)machine->result.sweeps);
    if (!plan->linear || (plan->scheme == MUSVM_OVO && set->K > 2)) {
        CHECK_INT(machine->w.rows, 0, "%s: rows of weights", name);
        return;
    }
    CHECK_INT(machine->w.columns, machine->columns, "%s: columns of weights", name);
    for (int64_t j = 1; j <= FEATURES; j++) {
        for (int64_t c = 0; c < machine->columns; c++) {
            double w = 0;
            for (int64_t i = 0; i < N; i++)
                w += machine->coef[i * machine->columns + c]
                     * problem_example(&set->samples, i).value[j - 1];
            CHECK_NEAR(j < machine->w.rows ? machine->w.w[j * machine->w.stride + c] : 0, w, 1e-10,
                       "%s: w of feature %d, column %d", name, (int)j, (int)c);
        }
    }
}

static bool train(const char *name, const struct musvm_plan *plan, const struct musvm_task *task,
                  const double *factor, const struct musvm_costs *costs, int threads,
                  struct musvm_machine *machine)
{
    struct error err = {.line = 0};
    int status = musvm_machine_train(plan, task, factor, costs, threads, NULL, machine, &err);
    CHECK_INT(status, 0, "%s: %s", name, err.message);
    return status == 0;
}

/* One set in every way that there is: rows whole, two at a time, weights; several threads. */
static void check_ways(const char *label, const struct set *set, enum musvm_scheme scheme,
                       const double *factor, const struct musvm_costs *costs)
{
    static const struct {
        const char *name;
        double bytes;
        int threads;
    } way[] = {{"whole", 1e9, 1},
               {"whole, 2 threads", 1e9, 2},
               {"whole, 5 threads", 1e9, 5},
               {"two rows, 3 threads", 0, 3},
               {"weights", -1, 1},
               {"weights, 3 threads", -1, 3}};
    const struct musvm_plan plan = plan_of(scheme, set, EPS);
    double *before = NULL;
    for (size_t v = 0; v < (set->kernel.type == KERNEL_LINEAR ? 6 : 4); v++) {
        char name[128];
        struct kernel_rows *rows = rows_of(set, way[v].bytes);
        const struct musvm_task task = task_of(set, rows);
        struct musvm_machine machine = {.coef = NULL};
        snprintf(name, sizeof name, "%s, %s", label, way[v].name);
        if (train(name, &plan, &task, factor, costs, way[v].threads, &machine)) {
            const int64_t numbers = (set->n + set->m) * machine.columns;
            if (v == 0 || v == 4)
                check_columns(name, set, &plan, factor, costs, &machine);
            else
                CHECK(memcmp(before, machine.coef, (size_t)numbers * sizeof *before) == 0,
                      "%s: bytes", name);
            check_rest(name, set, &plan, factor, costs, &machine);
            memory_free(before);
            before = memory_new(numbers, sizeof *before, NULL);
            if (before)
                memcpy(before, machine.coef, (size_t)numbers * sizeof *before);
        }
        musvm_machine_free(&machine);
        kernel_rows_free(rows);
    }
    memory_free(before);
}

static void test_machines(void)
{
    static const struct musvm_costs costs[] = {{.C = 0.3, .C_star = -1, .delta = 0},
                                               {.C = 5, .C_star = 0.4, .delta = 0.1},
                                               {.C = 2, .C_star = -1, .delta = 0.05}};
    for (int scheme = MUSVM_OVA; scheme <= MUSVM_OVO; scheme++) {
        for (int64_t K = 2; K <= MOST_CLASSES; K++) {
            check_group("%s, %d classes",
                        scheme == MUSVM_OVA ? "one against the rest" : "one against one", (int)K);
            for (int k = 0; k < 2; k++) {
                for (int64_t c = 0; c < 3; c++) {
                    struct set set;
                    char name[64];
                    make_set((uint64_t)(100 * K + c), 12 + K, c == 0 ? 0 : 4 + c, K, 1.5,
                             k == 0 ? linear : rbf, &set);
                    snprintf(name, sizeof name, "%s, costs %d", k == 0 ? "linear" : "rbf", (int)c);
                    check_ways(name, &set, (enum musvm_scheme)scheme, c == 1 ? NULL : set.factor,
                               &costs[c]);
                    free_set(&set);
                }
            }
        }
    }
}

static void test_c_star(void)
{
    const struct musvm_costs given = {.C = 3, .C_star = 0.7}, usual = {.C = 3, .C_star = -1};
    check_group("C*");
    CHECK_NEAR(musvm_c_star(&given, 10, 4, 3), 0.7, 0, "given");
    CHECK_NEAR(musvm_c_star(&usual, 10, 4, 3), 2.5, 1e-15, "n C / (m L)");
    CHECK_NEAR(musvm_c_star(&usual, 10, 0, 3), 0, 0, "no universum");
}

/* MU-SVM of two classes at half the costs is the binary machine: the same functions, half the
 * objective. */
static void test_halves(void)
{
    check_group("two classes: MU-SVM at half the costs");
    for (int64_t c = 0; c < 6; c++) {
        struct set set;
        const struct musvm_costs costs = {.C = c % 2 ? 4 : 0.5,
                                          .C_star = 0.2 * (double)c,
                                          .delta = 0.05 * (double)(c / 2)},
                                 half = {.C = costs.C / 2,
                                         .C_star = costs.C_star / 2,
                                         .delta = costs.delta};
        make_set(500 + (uint64_t)c, 14, 6, 2, 1, c < 3 ? linear : rbf, &set);
        struct kernel_rows *rows = rows_of(&set, 1e9);
        const struct musvm_task task = task_of(&set, rows);
        const struct musvm_plan plan[3] = {plan_of(MUSVM_WHOLE, &set, EPS),
                                           plan_of(MUSVM_OVA, &set, EPS),
                                           plan_of(MUSVM_OVO, &set, EPS)};
        struct musvm_machine machine[3] = {{.coef = NULL}, {.coef = NULL}, {.coef = NULL}};
        bool good = true;
        for (int p = 0; p < 3; p++)
            good = train("two classes", &plan[p], &task, NULL, p == 0 ? &half : &costs, 1,
                         &machine[p])
                   && good;
        for (int64_t i = 0; good && i < set.n + set.m; i++) {
            for (int p = 1; p < 3; p++) {
                double f[2] = {0, 0};
                for (int64_t j = 0; j < set.n + set.m; j++) {
                    f[0] += (machine[0].coef[2 * j] - machine[0].coef[2 * j + 1])
                            * set.k[i * (set.n + set.m) + j];
                    f[1] += (machine[p].coef[2 * j] - machine[p].coef[2 * j + 1])
                            * set.k[i * (set.n + set.m) + j];
                }
                CHECK(fabs(f[0] - f[1]) <= 1e-7, "costs %d: f(x_%d) is %.12g and %.12g", (int)c,
                      (int)i, f[0], f[1]);
            }
        }
        CHECK_NEAR(2 * machine[0].result.objective, machine[1].result.objective, 1e-9,
                   "objectives");
        for (int p = 0; p < 3; p++)
            musvm_machine_free(&machine[p]);
        kernel_rows_free(rows);
        free_set(&set);
    }
}

/* ---- decisions ---- */

static int64_t plain_votes(int64_t K, const double *f)
{
    int64_t votes[MOST_CLASSES + 2] = {0}, best = 0, c = 0;
    for (int64_t a = 0; a < K; a++) {
        for (int64_t b = a + 1; b < K; b++)
            votes[f[c++] > 0 ? a : b]++;
    }
    for (int64_t k = 1; k < K; k++)
        best = votes[k] > votes[best] ? k : best;
    return best;
}

static void test_decide(void)
{
    struct random g = random_seeded(23, 0);
    const struct musvm_plan plan[3] = {
        {.scheme = MUSVM_WHOLE}, {.scheme = MUSVM_OVA}, {.scheme = MUSVM_OVO}};
    check_group("decisions");
    for (int round = 0; round < 5000; round++) {
        double f[15], votes[6], other[6];
        int64_t K = 2 + random_below(&g, 5), largest = 0;
        for (int64_t c = 0; c < 15; c++)
            f[c] = (double)random_below(&g, 5) - 2; /* ties and zeros */
        for (int64_t k = 1; k < K; k++)
            largest = f[k] > f[largest] ? k : largest;
        for (int p = 0; p < 3; p++) {
            bool by_votes = p == 2 && K > 2;
            int64_t got = musvm_decide(&plan[p], K, f, votes);
            CHECK_INT(got, by_votes ? plain_votes(K, f) : largest, "round %d, plan %d, %d classes",
                      round, p, (int)K);
            if (by_votes) {
                predict_votes(f, K, other);
                CHECK_INT(predict_position(other, K), got, "round %d: predict_votes", round);
                double sum = 0;
                for (int64_t k = 0; k < K; k++)
                    sum += other[k];
                CHECK_NEAR(sum, (double)(K * (K - 1) / 2), 0, "votes");
            }
        }
    }
}

/* The parts' values of the training samples are the machine's. */
static void test_part_values(void)
{
    check_group("values of the parts");
    for (int scheme = MUSVM_WHOLE; scheme <= MUSVM_OVO; scheme++) {
        for (int64_t K = 2; K <= MOST_CLASSES; K++) {
            for (int way = 0; way < 2; way++) {
                struct set set;
                struct error err = {.line = 0};
                const struct musvm_costs costs = {.C = 1, .C_star = -1, .delta = 0.05};
                make_set(600 + (uint64_t)K, 13, 5, K, 1.5, way == 0 ? rbf : linear, &set);
                struct kernel_rows *rows = rows_of(&set, way == 0 ? 1e9 : -1);
                const struct musvm_task task = task_of(&set, rows);
                const struct musvm_plan plan = plan_of((enum musvm_scheme)scheme, &set, EPS);
                struct musvm_machine machine = {.coef = NULL};
                double f[MOST][MOST_COLUMNS] = {{0}};
                const int64_t columns = musvm_columns(&plan, K);
                if (train("parts", &plan, &task, set.factor, &costs, 1, &machine)) {
                    for (int64_t p = 0; p < machine.parts; p++) {
                        struct musvm_part part = {.plan = NULL};
                        CHECK_INT(musvm_part_make(&plan, &task, set.factor, p, &part, &err), 0,
                                  "%s", err.message);
                        CHECK_INT(musvm_part_solve(&part, &costs, &err), 0, "%s", err.message);
                        for (int64_t i = 0; i < set.n; i++)
                            musvm_part_values(&part, i, f[i]);
                        musvm_part_free(&part);
                    }
                    for (int64_t i = 0; i < set.n; i++) {
                        for (int64_t c = 0; c < columns; c++) {
                            double want = 0;
                            for (int64_t j = 0; j < set.n + set.m; j++)
                                want += machine.coef[j * columns + c]
                                        * set.k[i * (set.n + set.m) + j];
                            CHECK_NEAR(f[i][c], want, 1e-10, "scheme %d, %d classes: f_%d(x_%d)",
                                       scheme, (int)K, (int)c, (int)i);
                        }
                    }
                }
                musvm_machine_free(&machine);
                kernel_rows_free(rows);
                free_set(&set);
            }
        }
    }
}

/* ---- S3VM ---- */

struct s3vm {
    int64_t labelled;
    int32_t y[MOST];
    double factor[MOST];
    struct musvm_task task;
    struct musvm_options options;
    struct musvm_point point;
    struct musvm_result result;
};

/* All samples of a set, which has no universum, the first of them labelled. */
static void start_s3vm(const struct set *set, struct kernel_rows *rows, int64_t labelled,
                       struct s3vm *s)
{
    struct error err = {.line = 0};
    *s = (struct s3vm){.labelled = labelled,
                       .task = task_of(set, rows),
                       .options = {.eps = EPS, .shrinking = true, .seed = 1}};
    memcpy(s->y, set->y, sizeof s->y);
    for (int64_t i = 0; i < set->n; i++)
        s->factor[i] = 1;
    s->task.y = s->y;
    s->options.factor = s->factor;
    CHECK_INT(musvm_point_make(&s->task, &s->point, &err), 0, "%s", err.message);
}

/* Costs as the binary SVM has them; musvm.h's are half. */
static void run_s3vm(struct s3vm *s, double C, double C_u)
{
    struct error err = {.line = 0};
    s->options.C = C / 2;
    CHECK_INT(s3vm_solve(&s->task, s->labelled, s->y, s->factor, &s->options, C_u / 2, &s->point,
                         &s->result, &err),
              0, "%s", err.message);
}

static double s3vm_f(const struct s3vm *s, int64_t i)
{
    return s->point.f[i] - s->point.f[s->task.n + i];
}

/* The losses at the costs C, C_u, of the labels that it ends with, plus the norm. */
static double s3vm_objective(const struct set *set, const struct s3vm *s, double C, double C_u)
{
    double sum = 0;
    for (int64_t i = 0; i < set->n; i++) {
        double f = s3vm_f(s, i), b = s->point.alpha[2 * i] - s->point.alpha[2 * i + 1];
        sum += b * f / 2 + (i < s->labelled ? C : C_u) * fmax(0, 1 - (s->y[i] == 0 ? f : -f));
    }
    return sum;
}

static void check_s3vm(const char *name, const struct set *set, const struct s3vm *s, double C,
                       double C_u)
{
    double share = 0, got = 0;
    const double u = (double)(set->n - s->labelled);
    for (int64_t i = 0; i < set->n; i++)
        *(i < s->labelled ? &share : &got) += s->y[i] == 0;
    share /= (double)s->labelled;
    CHECK(fabs(got - share * u) <= 0.5 + 1e-12,
          "%s: %g of %g are +1, the labelled ones' share is %g", name, got, u, share);
    for (int64_t i = s->labelled; i < set->n; i++)
        CHECK_NEAR(s->factor[i] * s->options.C * 2, C_u, 1e-12, "%s: cost of sample %d", name,
                   (int)i);
    for (int64_t i = s->labelled; i < set->n; i++) {
        for (int64_t j = s->labelled; j < set->n; j++) {
            double a = s3vm_f(s, i), b = s3vm_f(s, j);
            if (s->y[i] == 0 && s->y[j] == 1)
                CHECK(fmax(0, 1 + a) + fmax(0, 1 - b) >= fmax(0, 1 - a) + fmax(0, 1 + b) - 1e-6,
                      "%s: an exchange of %d and %d is better", name, (int)i, (int)j);
        }
    }
    /* The machine of the labels that it ends with. */
    struct binary b = {.n = set->n, .k = set->k};
    double best[MOST];
    for (int64_t i = 0; i < set->n; i++) {
        b.sign[i] = s->y[i] == 0 ? 1 : -1;
        b.cost[i] = i < s->labelled ? C : C_u;
    }
    minimise(&b, best);
    CHECK_NEAR(s3vm_objective(set, s, C, C_u), objective(&b, best), 1e-6, "%s: objective", name);
    CHECK_NEAR(2 * s->result.primal, objective(&b, best), 1e-6, "%s: primal", name);
    CHECK_NEAR(2 * s->result.objective, objective(&b, best), 1e-6, "%s: objective of the dual",
               name);
}

static void test_s3vm(void)
{
    static const double costs[][2] = {{1, 0.1}, {5, 1}, {2, 2}, {0.5, 4}};
    check_group("S3VM: share, exchanges, objective; from an old point");
    for (uint64_t seed = 0; seed < 12; seed++) {
        struct set set;
        struct s3vm s, cold;
        char name[64];
        const int64_t labelled = 5 + (int64_t)(seed % 4);
        make_set(700 + seed, 26, 0, 2, seed % 2 ? 1 : 2, seed % 3 == 0 ? linear : rbf, &set);
        for (int64_t i = 0; i < labelled; i++) /* another share than half */
            set.y[i] = i < 2 ? (int32_t)i : (int32_t)(seed / 2 % 2);
        struct kernel_rows *rows = rows_of(&set, seed % 3 == 0 ? -1 : 1e9);
        start_s3vm(&set, rows, labelled, &s);
        for (size_t c = 0; c < sizeof costs / sizeof *costs; c++) {
            snprintf(name, sizeof name, "seed %d, costs %d", (int)seed, (int)c);
            run_s3vm(&s, costs[c][0], costs[c][1]);
            check_s3vm(name, &set, &s, costs[c][0], costs[c][1]);
            start_s3vm(&set, rows, labelled, &cold);
            run_s3vm(&cold, costs[c][0], costs[c][1]);
            CHECK(cold.result.sweeps >= 8 && cold.result.updates > 0,
                  "%s: %lld sweeps, %lld updates in eight solutions", name,
                  (long long)cold.result.sweeps, (long long)cold.result.updates);
            CHECK_NEAR(cold.result.primal, s.result.primal, 1e-6,
                       "%s: from nothing and from the costs before", name);
            for (int64_t i = 0; i < set.n; i++)
                CHECK(s.y[i] == cold.y[i], "%s: label %d from nothing and from the costs before",
                      name, (int)i);
            musvm_point_free(&cold.point);
        }
        musvm_point_free(&s.point);
        kernel_rows_free(rows);
        free_set(&set);
    }
}

static void test_s3vm_nothing_unlabelled(void)
{
    check_group("S3VM without unlabelled samples");
    for (int k = 0; k < 2; k++) {
        struct set set;
        struct s3vm s;
        struct binary b;
        double best[MOST];
        make_set(800, 15, 0, 2, 1, k == 0 ? linear : rbf, &set);
        struct kernel_rows *rows = rows_of(&set, 1e9);
        const struct musvm_costs costs = {.C = 3};
        start_s3vm(&set, rows, set.n, &s);
        run_s3vm(&s, 3, 1);
        make_binary(&set, NULL, &costs, 0, 1, &b);
        minimise(&b, best);
        for (int64_t i = 0; i < set.n; i++)
            CHECK(fabs(s3vm_f(&s, i) - value(&b, best, i)) <= 1e-6, "f(x_%d)", (int)i);
        CHECK_NEAR(2 * s.result.objective, objective(&b, best), 1e-8, "objective");
        musvm_point_free(&s.point);
        struct musvm_result alone;
        CHECK_INT(musvm_point_make(&s.task, &s.point, NULL), 0, "memory");
        CHECK_INT(musvm_solve(&s.task, &s.options, &s.point, &alone, NULL), 0, "solved");
        CHECK(s.result.updates == alone.updates && s.result.sweeps == alone.sweeps,
              "the work of one solution");
        musvm_point_free(&s.point);
        kernel_rows_free(rows);
        free_set(&set);
    }
}

/* Two long clusters, x_1 = 2 and x_1 = -2, and a labelled sample of each at the far end of it,
 * where the direction between the two is mostly along x_2: the SVM cuts the clusters in halves,
 * which the unlabelled samples forbid. */
static void test_s3vm_clusters(void)
{
    enum { SIDE = 11 };
    struct set set = {.n = 2 + 2 * SIDE, .K = 2};
    struct s3vm s;
    check_group("S3VM follows the clusters");
    for (int64_t i = 0; i < set.n; i++) {
        const double side = i % 2 ? -1 : 1;
        const double x[FEATURES] = {i < 2 ? side * 0.5 : side * 2,
                                    i < 2 ? side * 1.5 : -1.5 + 0.3 * (double)((i - 2) / 2), 0, 0};
        set.y[i] = (int32_t)(i % 2);
        append(&set, x);
    }
    finish(&set, linear);
    struct kernel_rows *rows = rows_of(&set, 1e9);
    struct set labelled = {.n = 2, .K = 2};
    for (int64_t i = 0; i < 2; i++) {
        append(&labelled, problem_example(&set.samples, i).value);
        labelled.y[i] = set.y[i];
    }
    finish(&labelled, linear);
    const struct musvm_costs costs = {.C = 1};
    struct binary b;
    double best[MOST];
    make_binary(&labelled, NULL, &costs, 0, 1, &b);
    minimise(&b, best);
    int64_t wrong[2] = {0, 0};
    start_s3vm(&set, rows, 2, &s);
    run_s3vm(&s, 1, 1);
    check_s3vm("clusters", &set, &s, 1, 1);
    for (int64_t i = 2; i < set.n; i++) {
        double f = best[0] * set.k[i] + best[1] * set.k[set.n + i];
        wrong[0] += (f > 0) != (set.y[i] == 0);
        wrong[1] += (s3vm_f(&s, i) > 0) != (set.y[i] == 0) || s.y[i] != set.y[i];
    }
    CHECK(wrong[0] >= 6, "the SVM is wrong on %d", (int)wrong[0]);
    CHECK_INT(wrong[1], 0, "S3VM's errors");
    musvm_point_free(&s.point);
    kernel_rows_free(rows);
    free_set(&labelled);
    free_set(&set);
}

/* ova with `semi`: each class against the rest, the samples behind the training set unlabelled. */
static void test_s3vm_machine(void)
{
    check_group("S3VM as a machine");
    for (int64_t K = 2; K <= 3; K++) {
        struct set set, all;
        const struct musvm_costs costs = {.C = 2, .C_star = 0.5};
        make_set(900 + (uint64_t)K, 12, 10, K, 2, rbf, &set);
        make_set(900 + (uint64_t)K, 12, 10, K, 2, rbf,
                 &all); /* the same as one set without a universum */
        all.n = 22;
        all.m = 0;
        struct kernel_rows *rows = rows_of(&set, 1e9);
        const struct musvm_task task = task_of(&set, rows);
        struct musvm_plan plan = plan_of(MUSVM_OVA, &set, EPS);
        struct musvm_machine machine = {.coef = NULL};
        plan.semi = true;
        if (train("semi", &plan, &task, NULL, &costs, 2, &machine)) {
            double sum = 0;
            for (int64_t c = 0; c < machine.parts; c++) {
                struct s3vm s;
                start_s3vm(&all, rows, 12, &s);
                for (int64_t i = 0; i < 12; i++)
                    s.y[i] = set.y[i] != c;
                s.task.classes = 2;
                musvm_point_free(&s.point);
                CHECK_INT(musvm_point_make(&s.task, &s.point, NULL), 0, "memory");
                run_s3vm(&s, costs.C, costs.C_star);
                sum += 2 * s.result.primal;
                for (int64_t i = 0; i < 22; i++) {
                    double want = (s.point.alpha[2 * i] - s.point.alpha[2 * i + 1])
                                  / (K == 2 ? 2 : 1);
                    CHECK_NEAR(machine.coef[i * machine.columns + c], want, 1e-9,
                               "%d classes: coefficient %d of column %d", (int)K, (int)i, (int)c);
                }
                musvm_point_free(&s.point);
            }
            CHECK_NEAR(machine.result.primal, sum, 1e-9, "%d classes: primal", (int)K);
        }
        musvm_machine_free(&machine);
        kernel_rows_free(rows);
        free_set(&set);
        free_set(&all);
    }
}

/* ---- cross-validation and selection ---- */

static int64_t validate(const char *name, const struct musvm_plan *plan,
                        const struct musvm_task *task, const double *factor,
                        const struct musvm_costs *costs, int64_t folds)
{
    struct error err = {.line = 0};
    int64_t wrong = -1;
    CHECK_INT(musvm_cross_validate(plan, task, factor, costs, 1, true, folds, 1, NULL, 1, &wrong,
                                   NULL, &err),
              0, "%s: %s", name, err.message);
    return wrong;
}

/* Several costs at once: together, apart, from the one before, on more threads, with two rows: the
 * same counts as one by one. */
static void test_cross_validation(void)
{
    enum { COSTS = 5 };
    for (int scheme = MUSVM_WHOLE; scheme <= MUSVM_OVO + 1; scheme++) {
        const bool semi = scheme > MUSVM_OVO;
        check_group("cross-validation of several costs, %s", semi ? "semi-supervised"
                                                             : scheme == MUSVM_WHOLE ? "whole"
                                                             : scheme == MUSVM_OVA   ? "ova"
                                                                                     : "ovo");
        for (int k = 0; k < 2; k++) {
            struct set set;
            struct error err = {.line = 0};
            struct musvm_costs costs[COSTS];
            int64_t alone[COSTS], wrong[COSTS];
            make_set(1000, 24, semi ? 12 : 6, 3, 1.2, k == 0 ? linear : rbf, &set);
            struct musvm_plan plan = plan_of(semi ? MUSVM_OVA : (enum musvm_scheme)scheme, &set,
                                             1e-8);
            plan.semi = semi;
            struct kernel_rows *whole = rows_of(&set, 1e9), *two = rows_of(&set, 0);
            const struct musvm_task task = task_of(&set, whole), slow = task_of(&set, two),
                                    weights = task_of(&set, NULL);
            for (int c = 0; c < COSTS; c++) {
                costs[c] = (struct musvm_costs){
                    .C = pow(4, c - 2),
                    .C_star = c % 2 ? -1 : 0.1 * c,
                    .delta = 0.2 + 0.1 * (c / 2)}; /* f = 0 would be a tie */
                alone[c] = validate("alone", &plan, &task, set.factor, &costs[c], 4);
                CHECK(alone[c] > 0 && alone[c] < set.n, "costs %d: %d are wrong: a poor test", c,
                      (int)alone[c]);
            }
            for (int way = 0; way < 12; way++) {
                const struct musvm_task *t = way % 4 == 3 && k == 0 ? &weights
                                             : way % 4 == 2         ? &slow
                                                                    : &task;
                int threads = way % 4 == 0 ? 1 : way % 4 == 1 ? 2 : 5;
                memset(wrong, 0, sizeof wrong);
                CHECK_INT(musvm_cross_validate(&plan, t, set.factor, costs, COSTS, way >= 6, 4,
                                               threads, NULL, 1, wrong, NULL, &err),
                          0, "%s", err.message);
                for (int c = 0; c < COSTS; c++)
                    CHECK_INT(wrong[c], alone[c], "kernel %d, way %d, costs %d", k, way, c);
            }
            kernel_rows_free(whole);
            kernel_rows_free(two);
            free_set(&set);
        }
    }
}

/* As many folds as samples leave one out each, whole classes of a fold are missing; more folds are
 * an error. */
static void test_folds(void)
{
    check_group("as many folds as samples, and more");
    struct set set;
    struct error err = {.line = 0};
    int64_t wrong;
    make_set(1100, 9, 3, 3, 3, rbf, &set);
    struct kernel_rows *rows = rows_of(&set, 1e9);
    const struct musvm_task task = task_of(&set, rows);
    const struct musvm_costs costs = {.C = 1, .C_star = -1};
    for (int scheme = MUSVM_WHOLE; scheme <= MUSVM_OVO; scheme++) {
        const struct musvm_plan plan = plan_of((enum musvm_scheme)scheme, &set, 1e-8);
        int64_t nine = validate("nine folds", &plan, &task, NULL, &costs, 9), truth = 0;
        CHECK_INT(musvm_cross_validate(&plan, &task, NULL, &costs, 1, true, 10, 1, NULL, 1, &wrong,
                                       NULL, &err),
                  -1, "10 folds of 9 samples");
        for (int64_t t = 0; t < set.n; t++) {
            double factor[MOST], f[MOST_COLUMNS], votes[MOST_CLASSES];
            struct musvm_machine machine = {.coef = NULL};
            for (int64_t i = 0; i < set.n; i++)
                factor[i] = i != t;
            if (train("one left out", &plan, &task, factor, &costs, 1, &machine)) {
                for (int64_t c = 0; c < machine.columns; c++) {
                    f[c] = 0;
                    for (int64_t i = 0; i < set.n + set.m; i++)
                        f[c] += machine.coef[i * machine.columns + c]
                                * set.k[t * (set.n + set.m) + i];
                }
                truth += musvm_decide(&plan, set.K, f, votes) != set.y[t];
            }
            musvm_machine_free(&machine);
        }
        CHECK_INT(nine, truth, "scheme %d: nine folds", scheme);
    }
    kernel_rows_free(rows);
    free_set(&set);
}

/* Is b at least as near to the middle of first and last as any other tied place? */
static bool is_nearest(const bool *tied, int64_t count, int64_t chosen)
{
    int64_t first = count, last = -1;
    for (int64_t i = 0; i < count; i++) {
        if (tied[i]) {
            first = first < i ? first : i;
            last = i;
        }
    }
    for (int64_t i = 0; i < count; i++) {
        if (tied[i] && llabs(2 * i - first - last) < llabs(2 * chosen - first - last))
            return false;
    }
    return tied[chosen];
}

enum { CS = 5, GAMMAS = 3, DELTAS = 3, TRIALS = CS * GAMMAS + DELTAS };
static const double grid_C[CS] = {0.01, 0.1, 1, 10, 100}, grid_gamma[GAMMAS] = {0.05, 0.3, 2},
                    grid_delta[DELTAS] = {0, 0.1, 0.4};

static void check_choice(const char *name, const struct musvm_grid *grid,
                         const struct musvm_trial *trial, int64_t m,
                         const struct musvm_costs *chosen, double gamma)
{
    const int64_t first_step = grid->gamma_count * grid->C_count;
    int64_t least = INT64_MAX, at_gamma = -1, at_C = -1, at_delta = -1, count = 0;
    bool tied[CS * GAMMAS];
    int64_t wrong[GAMMAS][CS], seen = 0;
    for (int64_t t = 0; t < first_step; t++) {
        int64_t g = 0, c = 0;
        while (g < grid->gamma_count - 1
               && (grid->gamma[g] < trial[t].gamma || trial[t].gamma < grid->gamma[g]))
            g++;
        while (c < grid->C_count - 1 && grid->C[c] < trial[t].costs.C)
            c++;
        CHECK_INT(trial[t].step, 1, "%s: step of trial %d", name, (int)t);
        wrong[g][c] = trial[t].wrong;
        seen |= INT64_C(1) << (g * CS + c);
        least = trial[t].wrong < least ? trial[t].wrong : least;
        count += trial[t].chosen;
        if (trial[t].chosen) {
            at_gamma = g;
            at_C = c;
        }
    }
    for (int64_t g = 0; g < grid->gamma_count; g++) {
        for (int64_t c = 0; c < grid->C_count; c++)
            CHECK(seen >> (g * CS + c) & 1, "%s: gamma %d, C %d was not tried", name, (int)g,
                  (int)c);
    }
    CHECK_INT(count, 1, "%s: chosen in step 1", name);
    if (count != 1)
        return;
    for (int64_t g = 0; g < grid->gamma_count; g++) {
        tied[g] = false;
        for (int64_t c = 0; c < grid->C_count; c++)
            tied[g] = tied[g] || wrong[g][c] == least;
    }
    CHECK(is_nearest(tied, grid->gamma_count, at_gamma), "%s: gamma %d was chosen", name,
          (int)at_gamma);
    for (int64_t c = 0; c < grid->C_count; c++)
        tied[c] = wrong[at_gamma][c] == least;
    CHECK(is_nearest(tied, grid->C_count, at_C), "%s: C %d was chosen", name, (int)at_C);
    CHECK_NEAR(chosen->C, grid->C[at_C], 0, "%s: C", name);
    CHECK_NEAR(gamma, grid->gamma[at_gamma], 0, "%s: gamma", name);
    if (m == 0)
        return;
    least = INT64_MAX;
    count = 0;
    for (int64_t t = first_step; t < first_step + grid->delta_count; t++) {
        CHECK_INT(trial[t].step, 2, "%s: step of trial %d", name, (int)t);
        CHECK_NEAR(trial[t].costs.C, chosen->C, 0, "%s: C of trial %d", name, (int)t);
        CHECK_NEAR(trial[t].costs.delta, grid->delta[t - first_step], 0, "%s: Delta of trial %d",
                   name, (int)t);
        if (trial[t].wrong <= least) {
            least = trial[t].wrong;
            at_delta = t - first_step;
        }
        count += trial[t].chosen;
    }
    CHECK_INT(count, 1, "%s: chosen in step 2", name);
    CHECK(trial[first_step + at_delta].chosen, "%s: Delta is not the largest of the best", name);
    CHECK_NEAR(chosen->delta, grid->delta[at_delta], 0, "%s: Delta", name);
}

static bool choose(const char *name, const struct musvm_plan *plan, const struct set *set,
                   const struct musvm_task *task, const double *factor,
                   const struct musvm_grid *grid, double bytes, int threads,
                   struct musvm_trial *trial, struct musvm_costs *costs, double *gamma)
{
    struct error err = {.line = 0};
    struct musvm_kernel_source source = {
        .kernel = set->kernel, .data = bytes < 0 ? NULL : &set->data, .bytes = fmax(bytes, 0)};
    int status = musvm_select(plan, task, factor, grid, &source, threads, NULL, trial, costs, &err);
    CHECK_INT(status, 0, "%s: %s", name, err.message);
    CHECK(status != 0 || (source.rows != NULL) == (bytes >= 0), "%s: rows of the chosen gamma",
          name);
    *gamma = source.kernel.gamma;
    kernel_rows_free(source.rows);
    return status == 0;
}

/* What a trial should have counted, by a run of its own. */
static int64_t trial_alone(const char *name, const struct musvm_plan *plan, const struct set *set,
                           const double *factor, const struct musvm_grid *grid,
                           const struct musvm_trial *trial)
{
    struct error err = {.line = 0};
    struct kernel kernel = set->kernel;
    kernel.gamma = kernel.type == KERNEL_LINEAR ? kernel.gamma : trial->gamma;
    struct musvm_costs costs = {
        .C = trial->costs.C, .C_star = grid->C_star, .delta = trial->costs.delta};
    int64_t wrong = -1;
    /* In step 1 the universum is not even among the samples. */
    struct kernel_data data = {.problem = NULL};
    struct problem samples = problem_part(&set->samples, 0,
                                          trial->step == 1 ? set->n : set->n + set->m);
    CHECK_INT(kernel_data_make(&samples, NULL, &data, &err), 0, "%s", err.message);
    struct kernel_rows *rows = kernel_rows_new(&kernel, &data, 1e9, 1, &err);
    CHECK(rows != NULL, "%s", err.message);
    const struct musvm_task task = {.n = set->n,
                                    .m = samples.n - set->n,
                                    .classes = set->K,
                                    .y = set->y,
                                    .rows = rows,
                                    .samples = &samples};
    if (grid->criterion == SELECT_CV) {
        wrong = validate(name, plan, &task, factor, &costs, grid->folds);
    } else {
        struct musvm_machine machine = {.coef = NULL};
        if (train(name, plan, &task, factor, &costs, 1, &machine)) {
            const struct musvm_part *only = &machine.only;
            int status = grid->criterion == SELECT_SPAN
                             ? span_bound_theorem(&only->task, &only->options, &only->point, 1,
                                                  NULL, NULL, &wrong, &err)
                             : span_bound_local(&only->task, &only->options, &only->point, 1, NULL,
                                                &wrong, &err);
            CHECK_INT(status, 0, "%s: %s", name, err.message);
        }
        musvm_machine_free(&machine);
    }
    kernel_rows_free(rows);
    kernel_data_free(&data);
    return wrong;
}

static void test_select(enum musvm_criterion criterion, int scheme, int64_t m, struct kernel kernel,
                        bool weights)
{
    static const char *const names[] = {"cv", "span", "loo-local"};
    struct set set;
    struct musvm_trial trial[TRIALS], again[TRIALS];
    struct musvm_costs costs, other;
    char name[64];
    double gamma, other_gamma;
    const bool is_linear = kernel.type == KERNEL_LINEAR;
    make_set(1200 + (uint64_t)m, 20, m, 3, 1.5, kernel, &set);
    if (is_linear)
        set.kernel.gamma = 0;
    snprintf(name, sizeof name, "selection by %s, scheme %d, %d universum samples, %s",
             names[criterion], scheme, (int)m,
             weights     ? "weights"
             : is_linear ? "linear"
                         : "rbf");
    check_group("%s", name);
    struct musvm_grid grid = {
        .criterion = criterion,
        .C = grid_C,
        .gamma = is_linear ? &set.kernel.gamma : grid_gamma,
        .delta = grid_delta,
        .C_count = CS,
        .gamma_count = is_linear ? 1 : GAMMAS,
        .delta_count = DELTAS,
        .C_star = m == 7 ? 0.005 : -1,
        .folds =
            4}; /* small: a strong universum makes all functions 0, and ties of them are rounding */
    struct musvm_plan plan = plan_of((enum musvm_scheme)scheme, &set, 1e-8);
    const double *factor = m == 7 ? NULL : set.factor;
    if (criterion != SELECT_CV)
        factor = NULL;
    const struct musvm_task task = task_of(&set, NULL);
    const int64_t count = musvm_select_trials(&grid, &task);
    CHECK_INT(count, CS * grid.gamma_count + (m > 0 ? DELTAS : 0), "trials");
    if (count > TRIALS
        || !choose(name, &plan, &set, &task, factor, &grid, weights ? -1 : 1e9, 1, trial, &costs,
                   &gamma)) {
        free_set(&set);
        return;
    }
    check_choice(name, &grid, trial, m, &costs, gamma);
    for (int64_t t = 0; t < count; t++)
        CHECK_INT(trial[t].wrong, trial_alone(name, &plan, &set, factor, &grid, &trial[t]),
                  "trial %d: C %g, gamma %g, Delta %g", (int)t, trial[t].costs.C, trial[t].gamma,
                  trial[t].costs.delta);
    for (int way = 0; way < 4; way++) {
        static const int threads[4] = {2, 5, 1, 5};
        const double bytes = weights ? -1 : way >= 2 ? 0 : 1e9;
        if (!choose(name, &plan, &set, &task, factor, &grid, bytes, threads[way], again, &other,
                    &other_gamma))
            continue;
        CHECK(memcmp(&costs.C, &other.C, sizeof costs.C) == 0
                  && memcmp(&costs.delta, &other.delta, sizeof costs.delta) == 0
                  && memcmp(&gamma, &other_gamma, sizeof gamma) == 0,
              "%d threads, room %g: another choice", threads[way], bytes);
        for (int64_t t = 0; t < count; t++) {
            CHECK_INT(again[t].wrong, trial[t].wrong, "%d threads, room %g: trial %d", threads[way],
                      bytes, (int)t);
            CHECK_INT(again[t].chosen, trial[t].chosen, "%d threads, room %g: is trial %d chosen",
                      threads[way], bytes, (int)t);
        }
    }
    free_set(&set);
}

/* All is separable: every choice is as good, and the rule alone decides. */
static void test_ties(void)
{
    struct set set;
    struct musvm_trial trial[TRIALS];
    struct musvm_costs costs;
    static const double near[GAMMAS] = {0.2, 0.3, 0.5};
    double gamma;
    check_group("selection: ties");
    make_set(1300, 24, 5, 3, 30, rbf, &set);
    for (int64_t i = 0; i < set.samples.nnz; i++)
        set.samples.value[i] *= 0.05;
    kernel_data_free(&set.data);
    finish(&set, rbf);
    const struct musvm_plan plan = plan_of(MUSVM_WHOLE, &set, 1e-8);
    const struct musvm_task task = task_of(&set, NULL);
    for (int criterion = 0; criterion < 3; criterion++) {
        const struct musvm_grid grid = {.criterion = (enum musvm_criterion)criterion,
                                        .C = grid_C,
                                        .gamma = near,
                                        .delta = grid_delta,
                                        .C_count = CS,
                                        .gamma_count = GAMMAS,
                                        .delta_count = DELTAS,
                                        .C_star = -1,
                                        .folds = 4};
        if (!choose("ties", &plan, &set, &task, NULL, &grid, 1e9, 2, trial, &costs, &gamma))
            continue;
        int64_t tied = 0;
        for (int64_t t = 0; t < TRIALS; t++)
            tied += trial[t].wrong == 0;
        CHECK_INT(tied, TRIALS, "criterion %d: trials without an error", criterion);
        check_choice("ties", &grid, trial, set.m, &costs, gamma);
        if (tied == TRIALS) {
            CHECK_NEAR(costs.C, 1, 0, "criterion %d: C", criterion);
            CHECK_NEAR(gamma, 0.3, 0, "criterion %d: gamma", criterion);
            CHECK_NEAR(costs.delta, 0.4, 0, "criterion %d: Delta", criterion);
        }
    }
    /* Of an even number the lower of the two in the middle. */
    const struct musvm_grid even = {.criterion = SELECT_CV,
                                    .C = grid_C + 1,
                                    .gamma = near,
                                    .delta = grid_delta,
                                    .C_count = CS - 1,
                                    .gamma_count = 2,
                                    .delta_count = 2,
                                    .C_star = -1,
                                    .folds = 4};
    if (choose("ties", &plan, &set, &task, NULL, &even, 1e9, 2, trial, &costs, &gamma)) {
        CHECK_NEAR(costs.C, 1, 0, "of four: C");
        CHECK_NEAR(gamma, 0.2, 0, "of two: gamma");
        CHECK_NEAR(costs.delta, 0.1, 0, "of two: Delta");
    }
    free_set(&set);
}

/* ---- model files ---- */

/* What is in the file that a machine is saved to. */
static void check_saved(const char *name, const struct musvm_task *task,
                        const struct musvm_machine *machine, double C_star, int64_t K,
                        const char *want)
{
    const struct musvm_costs costs = {.C = 3, .C_star = C_star, .delta = 0.25};
    const struct kernel kernel = {.type = KERNEL_RBF, .gamma = 0.5};
    const struct data_form form = {.bias = -1, .unit_length = true, .seed = 7};
    struct labels labels = {.count = 0};
    struct error err = {.line = 0};
    char path[] = "/tmp/test_musvm_machine.XXXXXX", got[2048];
    int fd = mkstemp(path);
    for (int64_t k = 0; k < K; k++)
        CHECK(labels_add(&labels, (int32_t)(k + 4), NULL) == 0, "memory");
    CHECK_INT(musvm_save(task, machine, &costs, &kernel, &labels, "mu-svm", &form, path, 1, &err),
              0, "%s: %s", name, err.message);
    FILE *in = fopen(path, "r");
    got[in ? fread(got, 1, sizeof got - 1, in) : 0] = '\0';
    CHECK(strcmp(got, want) == 0, "%s:\n%s", name, got);
    if (in)
        fclose(in);
    close(fd);
    unlink(path);
    labels_free(&labels);
}

static void test_save(void)
{
    enum { ALL = 4 };
    struct set set = {.n = ALL - 1, .m = 1, .K = 3};
    struct error err = {.line = 0};
    check_group("model files");
    for (int64_t i = 0; i < ALL; i++) {
        const double x[FEATURES] = {(double)i + 1, 0, 0, 0};
        append(&set, x);
    }
    const struct musvm_task task = task_of(&set, NULL);
    double coef[ALL * 3] = {0, 0, 0, 0, 0, -0.5, 0, 0, 0, 0.25, 0, 0};
    struct musvm_machine machine = {
        .columns = 3, .coef = coef, .support = 1, .universum_support = 1};
    static const char head[] = "svm_type mu_svc\nkernel_type rbf\ngamma 0.5\nnr_class 3\n";
    char want[2048];
    snprintf(want, sizeof want,
             "%stotal_sv 2\nlabel 4 5 6\nunit_length 1\nzero_based 0\nSV\n0 0 -0.5 1:2 2:0 3:0 "
             "4:0\n0.25 0 0 1:4 2:0 3:0 4:0\n",
             head);
    check_saved("support vectors", &task, &machine, -1, 3, want);
    memset(coef, 0, sizeof coef);
    machine.support = machine.universum_support = 0;
    snprintf(want, sizeof want,
             "%stotal_sv 1\nlabel 4 5 6\nunit_length 1\nzero_based 0\nSV\n0 0 0 1:1 2:0 3:0 4:0\n",
             head);
    check_saved("no support vector", &task, &machine, -1, 3, want);

    static const char *const C_stars[] = {"", "C_star 0\n", "C_star 0.5\n"};
    for (int64_t K = 2; K <= 3; K++) {
        machine = (struct musvm_machine){.columns = K, .w = weights_make(K, 0)};
        CHECK_INT(weights_grow(&machine.w, 2, &err), 0, "%s", err.message);
        for (int64_t j = 1; j <= 2; j++)
            for (int64_t k = 0; k < K; k++)
                machine.w.w[j * machine.w.stride + k] = (double)(j * (k + 1) * (k + 1)) / 4;
        for (int c = 0; c < 3; c++) {
            snprintf(
                want, sizeof want,
                "solver_type %s\nnr_class %d\nlabel %s\nnr_feature 2\nbias -1\nw\n%slibdoubt "
                "1\nlearner mu-svm\nseed 7\nunit_length 1\nzero_based 0\nC 3\n%sdelta 0.25\nend\n",
                K == 2 ? "L2R_L2LOSS_SVC_DUAL" : "MCSVM_CS", (int)K, K == 2 ? "5 4" : "4 5 6",
                K == 2 ? "0.75 \n1.5 \n" : "0.25 1 2.25 \n0.5 2 4.5 \n", C_stars[c]);
            check_saved("weights", &task, &machine, c == 0 ? -1 : 0.5 * (c - 1), K, want);
        }
        weights_free(&machine.w);
    }
    problem_free(&set.samples);
}

int main(void)
{
    test_save();
    test_machines();
    test_c_star();
    test_halves();
    test_decide();
    test_part_values();
    test_s3vm();
    test_s3vm_nothing_unlabelled();
    test_s3vm_clusters();
    test_s3vm_machine();
    test_cross_validation();
    test_folds();
    for (int scheme = MUSVM_WHOLE; scheme <= MUSVM_OVO; scheme++) {
        for (int64_t m = 0; m <= 7; m += 7) {
            test_select(SELECT_CV, scheme, m, rbf, false);
            test_select(SELECT_CV, scheme, m, linear, m > 0);
        }
    }
    for (int criterion = SELECT_SPAN; criterion <= SELECT_LOO_LOCAL; criterion++) {
        for (int64_t m = 0; m <= 5; m += 5) {
            test_select((enum musvm_criterion)criterion, MUSVM_WHOLE, m, rbf, false);
            test_select((enum musvm_criterion)criterion, MUSVM_WHOLE, m, linear, false);
        }
    }
    test_ties();
    return check_finish();
}
