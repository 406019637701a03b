/* The extrapolation steps of MU-SVM's solver (learners/musvm/musvm_extrapolate.c) by plain loops
 * over the kernel matrix.  The solver finds its optimum whatever these steps do, if more slowly, so
 * they are looked at one at a time, from points that a solver might have come to and from others.
 */
#include "check.h"
#include "learners/musvm/musvm_state.h"
#include "musvm_sets.h"

#include <stdlib.h>
#include <string.h>

enum { CELLS = MOST * MOST_CLASSES };

/* A solver at a point, and what it should know. */
struct plain {
    const struct set *set;
    int64_t N, K;
    struct musvm_task task;
    struct musvm_options options;
    struct musvm_point point;
    struct musvm_solver solver;
    double origin[CELLS], previous[CELLS], reach;
};

/* How often each case came. */
struct seen {
    int64_t parallel, none, to_reach, previous_to_reach, whole_previous, projected, part, back,
        shorter, longer, longest;
};

static void start(const struct set *set, double C, double C_star, double delta, struct plain *p)
{
    *p = (struct plain){.set = set,
                        .N = set->n + set->m,
                        .K = set->K,
                        .task = task_of(set, NULL),
                        .options = {.C = C, .C_star = C_star, .delta = delta, .eps = EPS},
                        .reach = 2};
    p->options.factor = set->factor;
    CHECK_INT(musvm_point_make(&p->task, &p->point, NULL), 0, "memory");
    const size_t width = (size_t)p->point.w.stride;
    p->solver = (struct musvm_solver){.task = &p->task,
                                      .options = &p->options,
                                      .point = &p->point,
                                      .N = p->N,
                                      .K = p->K,
                                      .cap = calloc(width, sizeof(double)),
                                      .f = calloc(width, sizeof(double)),
                                      .b = calloc(width, sizeof(double)),
                                      .g = calloc(width, sizeof(double)),
                                      .work = calloc(3 * width, sizeof(double))};
    CHECK(p->solver.cap && p->solver.f && p->solver.b && p->solver.g && p->solver.work, "memory");
}

static void end(struct plain *p)
{
    musvm_extrapolation_free(&p->solver.extrapolation);
    musvm_point_free(&p->point);
    free(p->solver.cap), free(p->solver.f), free(p->solver.b), free(p->solver.g);
    free(p->solver.work);
}

static double cap_of(const struct plain *p, int64_t i, int64_t l)
{
    if (i >= p->set->n)
        return p->options.C_star;
    return l == p->set->y[i] ? p->options.C * p->set->factor[i] : 0;
}

/* What an element of alpha costs in the dual. */
static double cost_of(const struct plain *p, int64_t i, int64_t l, double a)
{
    if (i >= p->set->n)
        return a > 0 ? p->options.delta : 0;
    return l == p->set->y[i] ? 0 : 1;
}

/* sum_l sum_ij u_il k_ij v_jl */
static double inner(const struct plain *p, const double *u, const double *v)
{
    double sum = 0;
    for (int64_t i = 0; i < p->N; i++)
        for (int64_t j = 0; j < p->N; j++)
            for (int64_t l = 0; l < p->K; l++)
                sum += u[i * p->K + l] * p->set->k[i * p->N + j] * v[j * p->K + l];
    return sum;
}

/* sum_il v_il times the cost of what a_il is. */
static double cost_along(const struct plain *p, const double *a, const double *v)
{
    double sum = 0;
    for (int64_t i = 0; i < p->N; i++)
        for (int64_t l = 0; l < p->K; l++)
            sum += v[i * p->K + l] * cost_of(p, i, l, a[i * p->K + l]);
    return sum;
}

static double dual(const struct plain *p, const double *a)
{
    return -inner(p, a, a) / 2 - cost_along(p, a, a);
}

/* The nearest row that sums to 0 and is within the caps, by bisection: min(cap, t + nu). */
static void project(const struct plain *p, int64_t i, double *t)
{
    double low = -1e6, high = 1e6;
    for (int step = 0; step < 200; step++) {
        const double nu = (low + high) / 2;
        double sum = 0;
        for (int64_t l = 0; l < p->K; l++)
            sum += fmin(cap_of(p, i, l), t[l] + nu);
        *(sum < 0 ? &low : &high) = nu;
    }
    for (int64_t l = 0; l < p->K; l++)
        t[l] = fmin(cap_of(p, i, l), t[l] + high);
}

/* w += sum_i alpha_i x_i, in a table like the solver's. */
static void add_to_w(const struct plain *p, const double *alpha, double *w)
{
    for (int64_t i = 0; i < p->N; i++) {
        const struct example x = problem_example(&p->set->samples, i);
        for (int64_t e = 0; e < x.size; e++)
            for (int64_t l = 0; l < p->K; l++)
                w[x.index[e] * p->point.w.stride + l] += alpha[i * p->K + l] * x.value[e];
    }
}

/* The multiples of the two directions. */
static void combine(const struct plain *p, const double *a, const double *step, double c[2],
                    struct seen *seen)
{
    const double *previous = p->previous;
    const double slope[2] = {-inner(p, a, step) - cost_along(p, a, step),
                             -inner(p, a, previous) - cost_along(p, a, previous)};
    const double uu = inner(p, step, step), uv = inner(p, step, previous),
                 vv = inner(p, previous, previous);
    c[0] = c[1] = 0;
    if (!(uu > 0)) {
        seen->none++;
        return;
    }
    /* Eliminate the first. */
    if (vv > 0 && vv - uv * uv / uu > 1e-10 * vv)
        c[1] = (slope[1] - slope[0] * uv / uu) / (vv - uv * uv / uu);
    else
        seen->parallel += vv > 0;
    c[0] = (slope[0] - uv * c[1]) / uu;
    const double scale = fmin(fmin(p->reach / fabs(c[0]), p->reach / fabs(c[1])), 1 / fabs(c[1]));
    seen->to_reach += fabs(c[0]) > p->reach;
    seen->previous_to_reach += p->reach < 1 && fabs(c[1]) > fmax(p->reach, fabs(c[0]));
    seen->whole_previous += fabs(c[1]) > 1 && scale * fabs(c[0]) < p->reach / 2;
    if (scale < 1)
        c[0] *= scale, c[1] *= scale;
}

/* A step from alpha as the head of musvm_extrapolate.c and its functions have it. */
static void extrapolate(struct plain *p, double *alpha, struct seen *seen)
{
    double step[CELLS], direction[CELLS], target[CELLS], c[2];
    const int64_t cells = p->N * p->K;
    for (int64_t j = 0; j < cells; j++)
        step[j] = alpha[j] - p->origin[j];
    combine(p, alpha, step, c, seen);
    for (int64_t i = 0; i < p->N; i++) {
        double *t = target + i * p->K;
        bool within = true;
        for (int64_t l = 0; l < p->K; l++) {
            const int64_t j = i * p->K + l;
            t[l] = alpha[j] + c[0] * step[j] + c[1] * p->previous[j];
            within = within && t[l] <= cap_of(p, i, l) + 1e-13;
        }
        if (!within)
            project(p, i, t);
        seen->projected += !within;
    }
    for (int64_t j = 0; j < cells; j++)
        direction[j] = target[j] - alpha[j];
    const double curve = inner(p, direction, direction),
                 gain = cost_along(p, alpha, alpha) - cost_along(p, target, target),
                 best = curve > 0 ? (gain - inner(p, alpha, direction)) / curve : 0,
                 share = fmax(0, fmin(1, best)), most = fmax(fabs(c[0]), fabs(c[1]));
    seen->part += share > 0 && share < 1;
    seen->back += best < 0;
    for (int64_t j = 0; j < cells; j++) {
        p->previous[j] = step[j] + share * direction[j];
        alpha[j] += share * direction[j];
        p->origin[j] = alpha[j];
    }
    if (!(best > 0.5)) {
        p->reach = 0.7 * most;
        seen->shorter++;
    } else if (best > 0.9 && most > 0.99 * p->reach) {
        seen->longest += 1.4 * p->reach > 8;
        seen->longer += 1.4 * p->reach < 8;
        p->reach = fmin(8, 1.4 * p->reach);
    }
}

/* Move some rows: up the gradient by `rate` times the way to a row's optimum, or at random.  w
 * follows, as in the solver: its rounding stays as it is, and is no step. */
static void move_rows(struct plain *p, struct random *g, double rate, bool drawn)
{
    double *alpha = p->point.alpha, change[CELLS];
    memcpy(change, alpha, sizeof *change * (size_t)(p->N * p->K));
    for (int64_t i = 0; i < p->N; i++) {
        if (random_uniform(g) < 0.3)
            continue;
        for (int64_t l = 0; l < p->K; l++) {
            double slope = -cost_of(p, i, l, alpha[i * p->K + l]);
            for (int64_t j = 0; j < p->N; j++)
                slope -= p->set->k[i * p->N + j] * alpha[j * p->K + l];
            alpha[i * p->K + l] += rate
                                   * (drawn ? random_normal(g) : slope / p->set->k[i * (p->N + 1)]);
        }
        project(p, i, alpha + i * p->K);
    }
    for (int64_t j = 0; j < p->N * p->K; j++)
        change[j] = alpha[j] - change[j];
    add_to_w(p, change, p->point.w.w);
}

static void compare(const struct plain *p, const double *want, double before, const char *name)
{
    double w[(FEATURES + 1) * 8] = {0};
    const struct musvm_point *point = &p->point;
    const double *alpha = point->alpha;
    for (int64_t i = 0; i < p->N; i++) {
        double sum = 0;
        for (int64_t l = 0; l < p->K; l++) {
            const double a = alpha[i * p->K + l];
            CHECK_NEAR(a, want[i * p->K + l], 1e-8, "%s: row %d, class %d", name, (int)i, (int)l);
            CHECK(a <= cap_of(p, i, l), "%s: row %d, class %d: above its cap", name, (int)i,
                  (int)l);
            sum += a;
        }
        CHECK_NEAR(sum, 0, 1e-12, "%s: sum of row %d", name, (int)i);
    }
    add_to_w(p, alpha, w);
    for (int64_t j = 0; j < point->w.rows * point->w.stride; j++)
        CHECK_NEAR(point->w.w[j], w[j], 1e-9, "%s: w %d", name, (int)j);
    CHECK_NEAR(p->solver.extrapolation.reach, p->reach, 1e-7, "%s: reach", name);
    CHECK(dual(p, alpha) >= before - 1e-10 * (1 + fabs(before)), "%s: the dual falls", name);
}

/* Steps one after the other, the sweeps between them long or short, up the dual or anywhere. */
static void check_steps(uint64_t seed, const struct set *set, struct seen *seen)
{
    struct random g = random_seeded(3, seed);
    struct plain p;
    char name[64];
    start(set, seed % 3 == 0 ? 30 : 2, seed % 2 ? 0.5 : 5, 0.1 * (double)(seed % 4), &p);
    const double rate = seed % 2 ? 0.02 : seed % 4 == 0 && set->K > 2 ? 1 : 0.3;
    double *alpha = p.point.alpha, want[CELLS];
    move_rows(&p, &g, rate, false);
    CHECK_INT(musvm_extrapolate(&p.solver), 0, "memory"); /* there is no step yet */
    memcpy(p.origin, alpha, sizeof *want * (size_t)(p.N * p.K));
    for (int64_t t = 1; t <= 18; t++) {
        const bool anew = t == 14; /* w, whatever it was; then there is no step behind, */
        const bool none = t == 18; /* as where nothing has moved */
        snprintf(name, sizeof name, "seed %d, step %d", (int)seed, (int)t);
        if (!none)
            move_rows(&p, &g, rate, t % 5 == 4);
        memcpy(want, alpha, sizeof *want * (size_t)(p.N * p.K));
        const double before = dual(&p, alpha);
        if (anew) {
            for (int64_t j = 0; j < p.point.w.rows * p.point.w.stride; j++)
                p.point.w.w[j] = 7;
            memset(p.previous, 0, sizeof p.previous);
            p.reach = 2;
            musvm_recompute_w(&p.solver);
        } else {
            extrapolate(&p, want, seen);
            CHECK_INT(musvm_extrapolate(&p.solver), 0, "%s: memory", name);
        }
        compare(&p, want, before, name);
        memcpy(p.origin, alpha, sizeof *want * (size_t)(p.N * p.K));
    }
    end(&p);
}

static void test_steps(void)
{
    struct seen seen = {0};
    check_group("extrapolation steps by plain loops");
    for (uint64_t seed = 0; seed < 24; seed++) {
        struct set set;
        make_set(40 + seed, 9 + (int64_t)(seed % 3), seed % 4 == 3 ? 0 : 5, 2 + (int64_t)(seed % 3),
                 1, linear, &set);
        check_steps(seed, &set, &seen);
        free_set(&set);
    }
    /* Two classes and a bias, but no feature: w has one dimension, and all directions are parallel.
     * With the numbers of this stream no target is where alpha was but for rounding, or the share
     * of the way to it would be one rounding over another. */
    for (uint64_t seed = 24; seed < 30; seed++) {
        struct random g = random_seeded(6, seed);
        struct set set = {.n = 6, .m = 3, .K = 2};
        for (int64_t i = 0; i < set.n + set.m; i++) {
            const int32_t index = 0;
            const double value = random_normal(&g);
            const struct example x = {.index = &index, .value = &value, .size = 1};
            CHECK_INT(problem_append_example(&set.samples, &x, NULL), 0, "memory");
            set.y[i] = (int32_t)(i % 2);
            set.factor[i] = 1;
        }
        finish(&set, linear);
        check_steps(seed, &set, &seen);
        free_set(&set);
    }
    CHECK(seen.parallel > 9, "%d parallel", (int)seen.parallel);
    CHECK(seen.none > 9, "%d without a step", (int)seen.none);
    CHECK(seen.to_reach > 9, "%d as far as the reach", (int)seen.to_reach);
    CHECK(seen.previous_to_reach > 1, "%d so far along the previous step",
          (int)seen.previous_to_reach);
    CHECK(seen.whole_previous > 9, "%d with the whole previous step", (int)seen.whole_previous);
    CHECK(seen.projected > 9, "%d rows projected", (int)seen.projected);
    CHECK(seen.part > 9, "%d a part of the way", (int)seen.part);
    CHECK(seen.back > 1, "%d where the dual falls at once", (int)seen.back);
    CHECK(seen.shorter > 9, "%d where the reach becomes shorter", (int)seen.shorter);
    CHECK(seen.longer > 9, "%d where it becomes longer", (int)seen.longer);
    CHECK(seen.longest > 2, "%d where it becomes the longest", (int)seen.longest);
}

/* An element that arrives at 0 or at its cap is exactly there, whatever the rounding on the way, or
 * its row would seem free to move.  Sample 0, far from 0, pulls so hard at sample 1 that the step
 * goes as far as the first reach: from alpha twice the way that it has come. */
static void test_arrivals(void)
{
    enum { WAYS = 4 };
    const double C = 0.9;
    check_group("elements that arrive exactly at 0 and at the cap");
    for (int way = 0; way < WAYS; way++) {
        /* The last element of a training sample rises to 0, its first to the cap, the last of a
         * universum sample to the cap or to 0. */
        struct set set = {.n = way < 2 ? 2 : 1, .m = way >= 2, .K = 3, .factor = {1, 1}};
        set.y[0] = way == 1;
        for (int64_t i = 0; i < 2; i++) {
            const double x[FEATURES] = {i == 0 ? 1000 : 1, 0, 0, 0};
            append(&set, x);
        }
        finish(&set, linear);
        const double end_at[WAYS][3] = {{0.3, -0.3, 0},
                                        {C, 0.1 - C, -0.1},
                                        {-0.05 - C, 0.05, C},
                                        {-0.3, 0.3, 0}},
                     come[WAYS][3] = {{-1, 0, 1}, {1, -1, 0}, {-1, 0, 1}, {-1, 0, 1}},
                     pull[WAYS][3] = {{C, 0, -C}, {-C, C, 0}, {C, 0, -C}, {C, 0, -C}};
        const int arriving = way == 1 ? 0 : 2;
        for (int t = 1; t < (way == 2 ? 60 : 20); t++) {
            struct plain p;
            start(&set, C, C, 0, &p);
            double *alpha = p.point.alpha, change[6] = {0};
            for (int l = 0; l < 3; l++) {
                alpha[l] = pull[way][l];
                alpha[3 + l] = end_at[way][l] - come[way][l] * (3 * t / 100.0);
            }
            add_to_w(&p, alpha, p.point.w.w);
            CHECK_INT(musvm_extrapolate(&p.solver), 0, "memory");
            for (int l = 0; l < 3; l++) {
                change[3 + l] = come[way][l] * (t / 100.0);
                alpha[3 + l] += change[3 + l];
            }
            add_to_w(&p, change, p.point.w.w);
            CHECK_INT(musvm_extrapolate(&p.solver), 0, "memory");
            for (int l = 0; l < 3; l++)
                CHECK_NEAR(alpha[3 + l], end_at[way][l], 1e-14, "way %d, %d: class %d", way, t, l);
            CHECK(alpha[3 + arriving] == (way % 3 == 0 ? 0 : C), "way %d, %d: %.17g", way, t,
                  alpha[3 + arriving]);
            end(&p);
        }
        free_set(&set);
    }
}

int main(void)
{
    test_steps();
    test_arrivals();
    return check_finish();
}
