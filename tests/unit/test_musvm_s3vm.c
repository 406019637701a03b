/* S3VM (learners/musvm/s3vm.h): the labels that it ends with keep the share of the labelled samples
 * and no exchange of two is better; its objective against the least one of the binary problem with
 * these labels by plain loops; machines of several S3VMs against one at a time. */
#include "check.h"
#include "learners/musvm/musvm_machine.h"
#include "learners/musvm/s3vm.h"
#include "musvm_binary_plain.h"
#include "musvm_sets.h"

#include <string.h>

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

/* What the losses would gain if the best pair exchanged its labels. */
static double s3vm_best_gain(const struct s3vm *s)
{
    double best[2] = {-INFINITY, -INFINITY};
    for (int64_t i = s->labelled; i < s->task.n; i++) {
        const double f = s3vm_f(s, i), z = s->y[i] == 0 ? f : -f;
        best[s->y[i]] = fmax(best[s->y[i]], fmax(0, 1 - z) - fmax(0, 1 + z));
    }
    return best[0] + best[1];
}

/* Each of the four losses of a pair may be off by eps: a gain of less than that is none. */
static void test_s3vm_least_gain(void)
{
    const double eps = 0.3;
    int64_t left = 0;
    check_group("S3VM: pairs that gain less than 4 eps keep their labels");
    for (uint64_t seed = 0; seed < 40; seed++) {
        struct set set;
        struct s3vm s;
        make_set(700 + seed, 26, 0, 2, 2, linear, &set);
        start_s3vm(&set, NULL, 6, &s);
        s.options.eps = eps;
        run_s3vm(&s, 5, 5);
        const double gain = s3vm_best_gain(&s);
        CHECK(gain <= 4 * eps, "seed %d: a pair that gains %g is left", (int)seed, gain);
        left += gain > 0.01;
        musvm_point_free(&s.point);
        free_set(&set);
    }
    CHECK(left > 0, "no pair that gains something is left");
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

/* Unlabelled samples that are all the same have the same margin, and no exchange changes the
 * losses: what the first assignment gives to class 0 stays, a share rounded half up of those that
 * come first.  A labelled sample that is left out by a factor 0 is not counted. */
static void test_s3vm_share(void)
{
    enum { LABELLED = 5, UNLABELLED = 5 };
    static const struct {
        double factor[LABELLED];
        int64_t want;
        const char *name;
    } share[] = {{{1, 1, 1, 1, 1}, 2, "2 of 5"},
                 {{1, 1, 1, 1, 0}, 3, "2 of 4 is 2.5 of 5"},
                 {{1, 1, 1, 0, 0}, 3, "2 of 3 is 3.33 of 5"},
                 {{1, 0, 1, 1, 0}, 2, "1 of 3 is 1.67 of 5"},
                 {{0, 0, 1, 1, 1}, 0, "none of 3"},
                 {{1, 1, 0, 0, 0}, 5, "2 of 2"},
                 {{0, 1, 0, 0, 0}, 5, "1 of 1"},
                 {{0, 0, 0, 1, 0}, 0, "none of 1"},
                 {{0, 0, 0, 0, 0}, 0, "none of none"}};
    struct set set = {.n = LABELLED + UNLABELLED, .K = 2};
    check_group("S3VM: the share of unlabelled samples in class 0");
    for (int64_t i = 0; i < set.n; i++) {
        const double x[FEATURES] = {i < 2 ? 1 : i < LABELLED ? -1 : 0, 1, 0, 0};
        set.y[i] = i < 2 ? 0 : 1;
        append(&set, x);
    }
    finish(&set, linear);
    struct kernel_rows *rows = rows_of(&set, 1e9);
    for (size_t c = 0; c < sizeof share / sizeof *share; c++) {
        struct s3vm s;
        start_s3vm(&set, rows, LABELLED, &s);
        memcpy(s.factor, share[c].factor, sizeof share[c].factor);
        run_s3vm(&s, 1, 0.1);
        for (int64_t u = 0; u < UNLABELLED; u++)
            CHECK_INT(s.y[LABELLED + u], u < share[c].want ? 0 : 1, "%s: label %d", share[c].name,
                      (int)u);
        musvm_point_free(&s.point);
    }
    kernel_rows_free(rows);
    free_set(&set);
}

/* A sample that lies on one side, but is alone, and by its share belongs to the other: nothing is
 * there to exchange it with, so it keeps that label, however large its loss, and no labelled sample
 * gets another. */
static void test_s3vm_alone(void)
{
    enum { LABELLED = 4 };
    check_group("S3VM: no exchange with a class that has no unlabelled sample");
    for (int32_t most = 0; most < 2; most++) { /* the class of three labelled samples of four */
        struct set set = {.n = LABELLED + 1, .K = 2};
        struct s3vm s;
        for (int64_t i = 0; i < set.n; i++) {
            const bool few = i == 0 || i == LABELLED;
            const double x[FEATURES] = {few == (most == 0) ? -1 : 1, 0, 0, 0};
            set.y[i] = i == 0 ? 1 - most : most;
            append(&set, x);
        }
        finish(&set, linear);
        struct kernel_rows *rows = rows_of(&set, 1e9);
        start_s3vm(&set, rows, LABELLED, &s);
        run_s3vm(&s, 4, 0.1);
        CHECK((most == 0 ? -1 : 1) * s3vm_f(&s, LABELLED) > 0.5, "f(x) = %g", s3vm_f(&s, LABELLED));
        for (int64_t i = 0; i < set.n; i++)
            CHECK_INT(s.y[i], set.y[i], "most are %d: label %d", (int)most, (int)i);
        musvm_point_free(&s.point);
        kernel_rows_free(rows);
        free_set(&set);
    }
}

/* The limit of updates is one for all solutions together: what they took without a limit is enough,
 * half of that is not, though each alone would need less.  With what the first one takes, that of
 * the labelled samples, or one more, each of the seven others is given up after a sweep. */
static void test_s3vm_limit(void)
{
    enum { WAYS = 5 };
    struct set set;
    struct s3vm s;
    struct musvm_result first;
    check_group("S3VM: the limit of updates");
    make_set(700, 26, 0, 2, 2, rbf, &set);
    struct kernel_rows *rows = rows_of(&set, 1e9);
    start_s3vm(&set, rows, 5, &s);
    s.options.C = 0.5;
    for (int64_t i = 5; i < set.n; i++)
        s.factor[i] = 0;
    CHECK_INT(musvm_solve(&s.task, &s.options, &s.point, &first, NULL), 0, "solved");
    musvm_point_free(&s.point);
    int64_t limit[WAYS] = {0, 0, 0, first.updates, first.updates + 1};
    for (int way = 0; way < WAYS; way++) {
        start_s3vm(&set, rows, 5, &s);
        s.options.most_updates = limit[way];
        run_s3vm(&s, 1, 0.1);
        CHECK_INT(s.result.converged, way < 2, "%d updates: converged", (int)limit[way]);
        if (way == 0) {
            limit[1] = s.result.updates;
            limit[2] = s.result.updates / 2;
        }
        if (way > 2)
            CHECK_INT(s.result.sweeps, first.sweeps + 7, "%d updates: sweeps", (int)limit[way]);
        musvm_point_free(&s.point);
    }
    kernel_rows_free(rows);
    free_set(&set);
}

/* Unlabelled samples far outside the margin need nothing.  Of two labelled ones, the first to be
 * visited moves, and then both are at the margin; but with a limit of one update the first solution
 * is given up before it has looked.  That the later ones converge does not make up for it. */
static void test_s3vm_given_up_once(void)
{
    struct set set = {.n = 4, .K = 2};
    check_group("S3VM: one of the solutions is given up");
    for (int64_t i = 0; i < set.n; i++) {
        const double x[FEATURES] = {(i < 2 ? 1 : 3) * (i % 2 ? -1 : 1), 0, 0, 0};
        set.y[i] = (int32_t)(i % 2);
        append(&set, x);
    }
    finish(&set, linear);
    for (int64_t limit = 0; limit < 3; limit++) {
        struct s3vm s;
        start_s3vm(&set, NULL, 2, &s);
        s.options.most_updates = limit;
        run_s3vm(&s, 2, 1);
        CHECK_INT(s.result.updates, 1, "limit %d", (int)limit);
        CHECK_INT(s.result.converged, limit != 1, "limit %d", (int)limit);
        musvm_point_free(&s.point);
    }
    free_set(&set);
}

/* A cost, or a value, beyond what can be calculated with. */
static void test_s3vm_refused(void)
{
    check_group("S3VM: what is refused");
    for (int way = 0; way < 3; way++) {
        struct set set = {.n = 4, .K = 2};
        struct s3vm s;
        struct error err = {.line = 0};
        for (int64_t i = 0; i < set.n; i++) {
            const double x[FEATURES] = {way == 1 && i == 3 ? 1e200 : 1, (double)i, 0, 0};
            set.y[i] = (int32_t)(i % 2);
            append(&set, x);
        }
        finish(&set, linear);
        start_s3vm(&set, NULL, 2, &s);
        s.options.C = way == 0 ? 1e-200 : 1;
        CHECK_INT(s3vm_solve(&s.task, 2, s.y, s.factor, &s.options, way == 0 ? 1e200 : 1, &s.point,
                             &s.result, &err),
                  way == 2 ? 0 : -1, "way %d: %s", way, err.message);
        CHECK(strstr(err.message, way == 0   ? "the cost of an unlabelled example is too large"
                                  : way == 1 ? "the square of the example's length is not finite"
                                             : ""),
              "way %d: %s", way, err.message);
        musvm_point_free(&s.point);
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

int main(void)
{
    test_s3vm();
    test_s3vm_least_gain();
    test_s3vm_nothing_unlabelled();
    test_s3vm_share();
    test_s3vm_alone();
    test_s3vm_limit();
    test_s3vm_given_up_once();
    test_s3vm_refused();
    test_s3vm_clusters();
    test_s3vm_machine();
    return check_finish();
}
