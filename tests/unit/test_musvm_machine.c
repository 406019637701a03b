/* Machines of several problems (learners/musvm/musvm_machine.h): each function against the least
 * objective of its binary problem by plain loops, with rows of the kernel matrix whole, two at a
 * time and as weights, on several threads; decisions against a loop over votes; the parts' values
 * against sums over the machine's coefficients; model files against their text. */
#include "check.h"
#include "common/base/memory.h"
#include "common/base/random.h"
#include "common/model/predict.h"
#include "learners/musvm/musvm_machine.h"
#include "learners/musvm/musvm_model.h"
#include "musvm_binary_plain.h"
#include "musvm_sets.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- machines ---- */

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

/* 20000 updates a sample, and at least as many as 1000 samples have. */
static void test_usual_updates(void)
{
    check_group("the usual limit of updates");
    CHECK_INT(musvm_usual_updates(1), 20000000, "one sample");
    CHECK_INT(musvm_usual_updates(1000), 20000000, "1000 samples");
    CHECK_INT(musvm_usual_updates(3000), 60000000, "3000 samples");
    CHECK_INT(musvm_usual_updates(3000000), 60000000000, "three million samples");
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
                CHECK_INT(weights_best(other, K), got, "round %d: predict_votes", round);
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

/* ---- memory ---- */

/* Each solver's tables counted one by one, with as many solvers as there are at once. */
static void test_bytes(void)
{
    enum { n = 90, m = 10, N = n + m, d = 50, K = 5, THREADS = 4, TRIALS = 3 };
    const struct problem samples = {.n = N, .d = d};
    const struct musvm_task task = {.n = n, .m = m, .classes = K, .samples = &samples};
    const struct musvm_plan whole = {.scheme = MUSVM_WHOLE, .linear = true},
                            ova = {.scheme = MUSVM_OVA, .linear = true},
                            kernel = {.scheme = MUSVM_OVO};
    const double visits = N * (3 * sizeof(int64_t) + 2 * sizeof(double)),
                 labels = N * (sizeof(int32_t) + sizeof(double)), fold = n * sizeof(double),
                 point_5 = 2 * N * K * sizeof(double), point_2 = 2 * N * 2 * sizeof(double),
                 coef = N * K * sizeof(double), values = n * K * sizeof(double);
    check_group("bytes");
    CHECK_NEAR(musvm_bytes(&whole, &task, true, 0, THREADS),
               2 * point_5 + visits + 4 * weights_bytes(K, d) + coef + weights_bytes(K, d), 0,
               "one problem in w");
    CHECK_NEAR(musvm_bytes(&whole, &task, true, TRIALS, THREADS),
               THREADS * (2 * point_5 + visits + 4 * weights_bytes(K, d) + fold) + coef
                   + weights_bytes(K, d) + TRIALS * values,
               0, "one problem in w, validated: a solver a thread");
    CHECK_NEAR(musvm_bytes(&ova, &task, true, 0, THREADS),
               THREADS * (2 * point_2 + visits + labels + 4 * weights_bytes(2, d)) + coef
                   + weights_bytes(K, d),
               0, "several problems in w");
    const double block = N * (N + 2 * 2 + 2) * sizeof(double)
                         + N * (2 * sizeof(int64_t) + sizeof(int32_t) + sizeof(bool));
    const double part = N * (sizeof(int64_t) + 3 * sizeof(double)),
                 cache = N * (4 * sizeof(int64_t) - 2 * sizeof(double));
    CHECK_NEAR(musvm_bytes(&kernel, &task, false, 0, 20),
               10 * (point_2 + visits + labels + block + part) + 2 * coef + cache
                   + problem_bytes_held(&samples) + kernel_data_bytes(&samples),
               0, "ten problems with kernel rows on twenty threads");
}

int main(void)
{
    test_bytes();
    test_save();
    test_machines();
    test_c_star();
    test_halves();
    test_usual_updates();
    test_decide();
    test_part_values();
    return check_finish();
}
