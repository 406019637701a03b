/* Conjugate gradients against what the header says, and a plain loop with the metric as a matrix.
 */
#include "check.h"
#include "common/base/random.h"
#include "common/linalg/conjugate.h"

#include <string.h>

enum { VARIABLES = 50, TRIALS = 4000, FEW = 8, MANY = 200001 };

/* What is minimised, and what is asked of the search. */
struct function {
    int64_t n;
    double (*value)(const struct function *function, const double *x, double *gradient);
    double fourth, scale[VARIABLES], minimum[VARIABLES]; /* of bowl */
    double beyond;                                       /* the value beyond a wall */
    struct conjugate asked;                              /* as far as it is numbers */
    int64_t stop; /* visit returns false after so many steps; 0: never */
    bool blind, has_metric, down;
    double h[VARIABLES][VARIABLES]; /* H, M = H H' */
};

/* The last search, as its callbacks saw it. */
static struct {
    int64_t calls, visits, known; /* the first `known` steps are recorded */
    int64_t at[TRIALS + 1];       /* which trials visit tells of; 0: the start */
    double trial[TRIALS][VARIABLES], last[VARIABLES], mean[VARIABLES];
} trace;

static double function_value(void *context, const double *x, double *gradient)
{
    const struct function *function = context;
    if (trace.calls < TRIALS && function->n <= VARIABLES)
        memcpy(trace.trial[trace.calls], x, (size_t)function->n * sizeof *x);
    trace.calls++;
    return function->value(function, x, gradient);
}

/* v <- H' v, or H v (second). */
static void function_half(const struct function *function, bool second, double *v)
{
    double product[VARIABLES] = {0};
    for (int64_t i = 0; i < function->n; i++)
        for (int64_t j = 0; j < function->n; j++)
            product[i] += (second ? function->h[i][j] : function->h[j][i]) * v[j];
    memcpy(v, product, (size_t)function->n * sizeof *v);
}

static double function_metric(void *context, double *v)
{
    const struct function *function = context;
    function_half(function, false, v);
    const double length = check_norm(v, function->n);
    function_half(function, true, v);
    return length * length;
}

/* The point is the trial before, as only its gradient is known.  trace.mean: of this point and the
 * one before. */
static bool function_visit(void *context, const double *x, int64_t iteration)
{
    const struct function *function = context;
    const int64_t s = ++trace.visits;
    CHECK_INT(iteration, s, "the number of a visit");
    for (int64_t i = 0; i < function->n; i++) {
        trace.mean[i] = s == 1 ? x[i] : (trace.last[i] + x[i]) / 2;
        trace.last[i] = x[i];
    }
    if (trace.calls <= TRIALS) {
        trace.at[trace.known = s] = trace.calls - 1;
        for (int64_t i = 0; i < function->n; i++)
            CHECK_NEAR(x[i], trace.trial[trace.calls - 1][i], 1e-13, "the point after %d", (int)s);
    }
    return s != function->stop;
}

/* |H' g| */
static double metric_length(struct function *function, const double *gradient)
{
    double v[VARIABLES];
    memcpy(v, gradient, (size_t)function->n * sizeof *v);
    if (function->has_metric)
        function_half(function, false, v);
    return check_norm(v, function->n);
}

/* Scales that may be unlike, and fourth powers between neighbours: convex. */
static double bowl(const struct function *function, const double *x, double *gradient)
{
    double value = 0;
    for (int64_t i = 0; i < function->n; i++) {
        double z = x[i] - function->minimum[i % VARIABLES], scale = function->scale[i % VARIABLES];
        double between = i > 0 ? x[i] - x[i - 1] : 0, cube = function->fourth * pow(between, 3);
        value += scale * z * z / 2 + cube * between / 4;
        gradient[i] = scale * z + cube;
        if (i > 0)
            gradient[i - 1] -= cube;
    }
    return value;
}

static double rosenbrock(const struct function *function, const double *x, double *gradient)
{
    double value = gradient[0] = 0;
    for (int64_t i = 0; i + 1 < function->n; i++) {
        double a = x[i + 1] - x[i] * x[i], b = 1 - x[i];
        value += 100 * a * a + b * b;
        gradient[i] += -400 * a * x[i] - 2 * b;
        gradient[i + 1] = 200 * a;
    }
    return value;
}

/* -log(1 - x) - 5 x: the minimum 4/5 is before the wall 1. */
static double barrier(const struct function *function, const double *x, double *gradient)
{
    gradient[0] = 1 / (1 - x[0]) - 5;
    return x[0] < 1 ? -log(1 - x[0]) - 5 * x[0] : function->beyond;
}

/* x^2 with a gradient that is wrong, or -x, down for ever. */
static double hopeless(const struct function *function, const double *x, double *gradient)
{
    gradient[0] = function->down ? -1 : -2 * x[0];
    return function->down ? -x[0] : x[0] * x[0];
}

/* Each step leads down, far enough and not too far, from a point that was not good enough. */
static void check_steps(struct function *function, double goal)
{
    const int64_t n = function->n;
    for (int64_t s = 1; s <= trace.known; s++) {
        const double *from = trace.trial[trace.at[s - 1]], *to = trace.trial[trace.at[s]];
        double g[VARIABLES], there[VARIABLES], along = 0, left = 0;
        double value = function->value(function, from, g);
        double new = function->value(function, to, there), length = metric_length(function, g);
        for (int64_t i = 0; i < n; i++) {
            along += g[i] * (to[i] - from[i]);
            left += there[i] * (to[i] - from[i]);
        }
        /* The difference of two points knows the step to some digits only. */
        double sizes = (check_norm(g, n) + check_norm(there, n)) * check_norm(to, n);
        double slack = 1e-9 * fabs(along) + 1e-15 * sizes;
        CHECK(along < slack && new <= value + 1e-4 * along + slack, "step %d: %g", (int)s, new);
        left -= function->asked.remains * along;
        if (s < trace.known || trace.calls < function->asked.evaluations) /* not cut short */
            CHECK(fabs(left) <= fabs(along) / 4 + slack, "step %d: %g more", (int)s, left / along);
        CHECK(length > goal * (1 - 1e-9), "step %d from %g", (int)s, length);
    }
}

static int search(struct function *function, double *x, struct descent_result *result)
{
    struct error err = {0};
    struct conjugate problem = function->asked;
    static double g[MANY];
    static float d[MANY];
    problem.n = function->n;
    problem.g = g;
    problem.d = d;
    problem.value = function_value;
    problem.metric = function->has_metric ? function_metric : NULL;
    problem.visit = function->blind ? NULL : function_visit;
    problem.context = function;
    problem.threads = problem.threads > 1 ? problem.threads : 1;
    trace.calls = trace.visits = trace.known = 0;
    const int status = conjugate_minimise(&problem, x, result, &err);
    CHECK(status == 0 || (status == -1 && err.message[0]), "%d without a message", status);
    return status;
}

/* The end of a search from x, and what must hold of each. */
static struct descent_result find_minimum(struct function *function, double *x)
{
    struct descent_result result = {0};
    const struct conjugate *asked = &function->asked;
    double g[VARIABLES], start = function->value(function, x, g);
    const double goal = fmax(asked->gradient, asked->reduction * metric_length(function, g));
    CHECK_INT(search(function, x, &result), 0, "the status");
    const int64_t steps = result.iterations;
    CHECK_INT(result.evaluations, trace.calls, "evaluations");
    CHECK(steps < trace.calls && trace.calls <= asked->evaluations, "%d steps", (int)steps);
    CHECK(function->blind || steps == trace.visits, "%d iterations", (int)steps);
    CHECK(isfinite(result.value) && result.value <= start, "from %g to %g", start, result.value);
    const bool limit = result.gradient > goal && result.evaluations == asked->evaluations;
    CHECK(result.converged || limit, "an end at |H'g| %g", result.gradient);
    /* Where x is a mean, the numbers are of the last point. */
    const bool mean = steps > 0 && (steps == asked->iterations || steps == function->stop);
    double value = function->value(function, mean ? trace.trial[trace.calls - 1] : x, g);
    CHECK_NEAR(result.value, value, 1e-13, "the value at x");
    /* Back from trials that were in vain, x has the rounding of the longest. */
    const bool back = steps > 0 && !mean && trace.at[trace.known] != trace.calls - 1;
    CHECK_NEAR(result.gradient, metric_length(function, g), back ? 1e-6 : 1e-12, "|H'g| at x");
    check_steps(function, goal);
    return result;
}

/* A bowl of fourth powers too, or a quadratic with scales from 10^-range to 10^range. */
static struct function bowl_make(double range, struct conjugate asked)
{
    struct random g = random_seeded(21, 0);
    struct function function = {
        .n = range > 0 ? VARIABLES : FEW, .value = bowl, .fourth = !(range > 0), .asked = asked};
    for (int i = 0; i < VARIABLES; i++) {
        function.scale[i] = range > 0 ? pow(10, range * (i / 24.5 - 1)) : 0.2 + i * 3 % 7;
        function.minimum[i] = random_normal(&g) * (range > 0 ? 1 : 3);
    }
    return function;
}

/* H: `size` times a matrix that is not symmetric; 0: no metric. */
static void metric_random(struct function *function, double size)
{
    struct random g = random_seeded(22, 0);
    function->has_metric = size > 0;
    for (int64_t i = 0; i < function->n; i++)
        for (int64_t j = 0; j < function->n; j++)
            function->h[i][j] = size > 0 ? size * ((i == j) + 0.3 * random_normal(&g)) : i == j;
}

/* A minimum that must be reached. */
static struct descent_result reach(struct function *function, double *x)
{
    struct descent_result result = find_minimum(function, x);
    const double goal = function->asked.gradient > 0 ? function->asked.gradient : 1e-5;
    CHECK(result.converged && result.gradient <= goal, "|H'g| of %g", result.gradient);
    return result;
}

static void test_known(double remains)
{
    const struct conjugate asked = {.remains = remains, .gradient = 1e-5, .evaluations = 20000};
    struct function function = bowl_make(1.5, asked);
    double x[VARIABLES] = {0};
    check_group("a quadratic of unlike scales, %g remains", remains);
    struct descent_result result = reach(&function, x);
    CHECK(result.evaluations < 2 * result.iterations, "%d steps", (int)result.iterations);
    for (int i = 0; i < VARIABLES; i++) /* |x - minimum| <= |g| / 10^-1.5 */
        CHECK_NEAR(x[i], function.minimum[i], 4e-4, "variable %d", i);
    function.value = rosenbrock;
    for (function.n = 2; function.n <= VARIABLES; function.n += VARIABLES - 2) {
        check_group("Rosenbrock's function of %d, %g remains", (int)function.n, remains);
        for (int i = 0; i < VARIABLES; i++)
            x[i] = i % 2 ? 1 : -1.2;
        reach(&function, x);
        CHECK(function.n > 2 || hypot(x[0] - 1, x[1] - 1) < 1e-4, "at %g, %g", x[0], x[1]);
    }
    check_group("a convex quartic, %g remains", remains);
    function = bowl_make(0, asked);
    reach(&function, memset(x, 0, sizeof x));
    check_group("where the last digits hide the way on, %g remains", remains);
    function.asked.gradient = 0;
    reach(&function, memset(x, 0, sizeof x));
    check_group("a start at the minimum, %g remains", remains);
    function = bowl_make(2, asked);
    function.asked.gradient = remains;
    metric_random(&function, remains);
    CHECK_INT(reach(&function, memcpy(x, function.minimum, sizeof x)).evaluations, 1, "trials");
    CHECK(memcmp(x, function.minimum, sizeof x) == 0, "it is left");
}

/* However soon it must end: an x no worse than the start, with its numbers. */
static void test_limit(double remains)
{
    for (int way = 0; way < 3; way++) {
        const char *name = way == 0 ? "" : way == 1 ? ", a metric" : ", down for ever";
        struct function function = {.n = way < 2 ? 2 : 1, .value = way < 2 ? rosenbrock : hopeless};
        function.asked.remains = remains;
        function.down = true;
        metric_random(&function, way == 1 ? 0.1 : 0);
        check_group("a limit of evaluations%s, %g remains", name, remains);
        for (int limit = 1; limit < 60; limit += way < 2 ? 1 : 25) {
            double x[] = {-1.2, 1};
            function.asked.evaluations = limit;
            struct descent_result result = find_minimum(&function, x);
            CHECK(!result.converged, "converged after %d", (int)result.evaluations);
            CHECK(limit > 1 || (x[0] == -1.2 && x[1] == 1), "one evaluation goes nowhere");
        }
    }
}

/* A loop with M = H H' written out, that takes only the ends of steps from the search: all trials
 * lie along d, which has seven digits there. */
static void test_directions(struct function *function, const char *name, double size, double *x)
{
    const int n = (int)function->n;
    const double restart = 0.2; /* least cosine of d and -M g in the metric, else -M g */
    double plain[FEW], d[FEW] = {0}, before = 0, length = 0, g[FEW];
    check_group("directions, %s, metric %g, %g remains", name, size, function->asked.remains);
    memcpy(plain, x, (size_t)n * sizeof *x);
    metric_random(function, size);
    find_minimum(function, x);
    CHECK(trace.known >= 6, "the way is too short to tell: %d", (int)trace.known);
    for (int64_t s = 1; s <= trace.known; s++) {
        double mg[FEW] = {0}, decrease = 0, slant = 0, t = 0;
        function->value(function, plain, g);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n * n; j++) /* M_ij = sum of h_ik h_jk */
                mg[i] += function->h[i][j % n] * function->h[j / n][j % n] * g[j / n];
            decrease += g[i] * mg[i];
            slant += d[i] * g[i];
        }
        double beta = s > 1 ? decrease / (slant - before) : 0; /* length: d' M^-1 d */
        length = decrease - 2 * beta * slant + beta * beta * length;
        const bool anew = decrease - beta * slant < restart * sqrt(decrease * length);
        length = anew ? decrease : length;
        beta = anew ? 0 : beta;
        before = beta * slant - decrease;
        for (int i = 0; i < n; i++)
            d[i] = beta * d[i] - mg[i];
        for (int64_t trial = trace.at[s - 1] + 1; trial <= trace.at[s]; trial++) {
            t = 0;
            for (int i = 0; i < n; i++)
                t += (trace.trial[trial][i] - plain[i]) * g[i] / before;
            for (int i = 0; i < n; i++)
                CHECK_NEAR(trace.trial[trial][i], plain[i] + t * d[i], 1e-6, "step %d", (int)s);
            CHECK(t > 0, "step %d goes back", (int)s);
        }
        for (int i = 0; i < n; i++) {
            const double end = trace.trial[trace.at[s]][i];
            d[i] = (end - plain[i]) / t;
            plain[i] = end;
        }
    }
}

static void test_metric(double remains)
{
    struct conjugate asked = {.remains = remains, .gradient = 1e-6, .evaluations = 300};
    struct function function = bowl_make(4, asked);
    double x[VARIABLES] = {0}, g[VARIABLES];
    check_group("a good metric, %g remains", remains);
    CHECK(!find_minimum(&function, x).converged, "without");
    metric_random(&function, 1);
    memset(function.h, 0, sizeof function.h);
    for (int i = 0; i < VARIABLES; i++) /* H' scale H = 1 */
        function.h[i][(i + 1) % VARIABLES] = 1 / sqrt(function.scale[i]);
    int64_t steps = reach(&function, memset(x, 0, sizeof x)).iterations;
    CHECK(steps <= 40, "with: %d steps", (int)steps);
    check_group("a goal for |H'g|, %g remains", remains);
    function = bowl_make(0, asked);
    metric_random(&function, 0.01);
    function.value(&function, memset(x, 0, sizeof x), g);
    function.asked.reduction = 1 / 300.0; /* asked.gradient is less */
    const double goal = metric_length(&function, g) / 300;
    struct descent_result result = find_minimum(&function, x);
    function.value(&function, x, g);
    CHECK(result.converged && result.gradient <= goal, "|H'g| %g", result.gradient);
    CHECK(check_norm(g, FEW) > goal, "the same by |g|: nothing is shown");
}

/* Ends after n steps, asked for beforehand or by visit: the mean of the last two points. */
static void test_means(double remains)
{
    struct conjugate asked = {.remains = remains, .evaluations = 100};
    struct function function = bowl_make(0, asked);
    double x[FEW];
    check_group("an end at a mean, %g remains", remains);
    metric_random(&function, 0.5);
    for (int n = 1, way = 0; n <= 8; n += way == 2, way = (way + 1) % 3) {
        function.blind = way == 1; /* iterations, with visits and without; visit */
        function.asked.iterations = way < 2 ? n : 0;
        function.stop = way == 2 ? n : 0;
        struct descent_result result = find_minimum(&function, memset(x, 0, sizeof x));
        CHECK(result.converged && result.iterations == n, "another end than after %d", n);
        for (int i = 0; i < FEW; i++)
            CHECK_NEAR(x[i], trace.mean[i], 1e-14, "the mean after %d, variable %d", n, i);
    }
}

/* The curvature along u = H'g / |H'g| of f(x + H u), of which d = -H H'g is |H'g| times. */
static void test_curvature(double remains, bool metric)
{
    struct conjugate asked = {.remains = remains, .evaluations = 100, .iterations = 1};
    struct function function = bowl_make(3, asked);
    double x[VARIABLES] = {0}, g[VARIABLES], d[VARIABLES], there[VARIABLES];
    check_group("the curvature is known%s, %g remains", metric ? ", a metric" : "", remains);
    metric_random(&function, metric ? 0.02 : 0);
    function.value(&function, x, g);
    memcpy(d, g, sizeof d);
    if (metric)
        function_metric(&function, d);
    function.value(&function, d, there); /* the gradient at M g, from 0 */
    for (int i = 0; i < VARIABLES; i++)
        function.asked.curvature += d[i] * (there[i] - g[i]) / pow(metric_length(&function, g), 2);
    CHECK_INT(find_minimum(&function, x).evaluations, 2, "evaluations: the start and a step");
    const double t = (1 - remains) / function.asked.curvature;
    for (int i = 0; i < VARIABLES; i++)
        CHECK_NEAR(trace.trial[1][i], -t * d[i], 1e-6, "the first trial, variable %d", i);
    check_group("the curvature is wrong%s, %g remains", metric ? ", a metric" : "", remains);
    function.asked.curvature *= 1e-4;
    find_minimum(&function, memset(x, 0, sizeof x));
}

/* No step goes where the value is not finite, nor where it is larger. */
static void test_walls(double remains)
{
    struct conjugate asked = {.remains = remains, .gradient = 1e-6, .evaluations = 999};
    struct function function = {.n = 1, .value = barrier, .asked = asked};
    struct descent_result result;
    for (int i = 0; i < 3; i++) {
        double x[] = {0, 2};
        function.beyond = i == 0 ? NAN : i == 1 ? INFINITY : -INFINITY;
        check_group("a value of %g beyond a wall, %g remains", function.beyond, remains);
        reach(&function, x);
        CHECK_NEAR(x[0], 0.8, 1e-7, "the minimum before the wall");
        CHECK(trace.trial[1][0] >= 1, "a first trial at %g", trace.trial[1][0]);
        CHECK_INT(search(&function, x + 1, &result), -1, "a start beyond the wall");
    }
    check_group("no step makes it smaller, %g remains", remains);
    double x[] = {1};
    function.value = hopeless;
    CHECK_INT(find_minimum(&function, x).iterations, 0, "iterations");
}

/* (s x_0 - 1)^2 + (s x_1 - 2)^2, in the metric in which it is round. */
static double scaled(const struct function *function, const double *x, double *gradient)
{
    const double s = function->scale[0], a = s * x[0] - 1, b = s * x[1] - 2;
    gradient[0] = 2 * s * a;
    gradient[1] = 2 * s * b;
    return a * a + b * b;
}

/* Single precision has no room for the lengths of these directions. */
static void test_scale(double scale)
{
    struct function function = {.n = 2,
                                .value = scaled,
                                .has_metric = true,
                                .scale = {scale},
                                .blind = true,
                                .asked = {.reduction = 1e-9, .evaluations = 100}};
    struct descent_result result = {0};
    double x[VARIABLES] = {0};
    check_group("a scale of %g", scale);
    function.h[0][0] = function.h[1][1] = 1 / scale;
    CHECK_INT(search(&function, x, &result), 0, "the status");
    CHECK(result.converged, "an end at %g", result.gradient);
    CHECK_NEAR(scale * x[0], 1, 1e-8, "x");
    CHECK_NEAR(scale * x[1], 2, 1e-8, "y");
}

static void test_threads(int64_t iterations)
{
    static double x[2][MANY];
    struct conjugate asked = {.reduction = 1e-6, .evaluations = 60, .iterations = iterations};
    struct function function = bowl_make(0, asked);
    struct descent_result first = {0}, result = {0};
    check_group("any number of threads, %s", iterations > 0 ? "a mean" : "a minimum");
    function.n = MANY;
    function.blind = true;
    for (int threads = 1; threads <= 5; threads += threads < 2 ? 1 : 3) {
        function.asked.threads = threads;
        CHECK_INT(search(&function, memset(x[threads > 1], 0, sizeof *x), &result), 0, "status");
        first = threads > 1 ? first : result;
        CHECK(memcmp(x[0], x[threads > 1], sizeof *x) == 0, "other numbers by %d threads", threads);
        CHECK(result.value == first.value && result.gradient == first.gradient, "another result");
    }
}

int main(void)
{
    for (int way = 0; way < 4; way++) {
        const struct conjugate asked = {.remains = way / 2 / 2.0, .evaluations = 25};
        double x[FEW] = {0}, corner[] = {-1.2, 1};
        struct function function = {.n = 2, .value = rosenbrock, .asked = asked};
        test_directions(&function, "Rosenbrock's", way % 2 * 0.1, corner);
        function = bowl_make(0, asked);
        test_directions(&function, "a quartic", way % 2 * 0.5, x);
        test_curvature(asked.remains, way % 2);
    }
    for (int way = 0; way < 2; way++) {
        test_known(way / 2.0);
        test_limit(way / 2.0);
        test_metric(way / 2.0);
        test_means(way / 2.0);
        test_walls(way / 2.0);
        test_threads(way ? 4 : 0);
        test_scale(way ? 1e60 : 1e-60);
    }
    check_group("bytes: one and a half tables, and little else");
    for (int64_t n = 1; n <= 1000000; n *= 10)
        CHECK(conjugate_bytes(n) >= 12.0 * (double)n && conjugate_bytes(n + 1) > conjugate_bytes(n),
              "%g of %d", conjugate_bytes(n), (int)n);
    CHECK(conjugate_bytes(1000000) < 13e6, "%g bytes", conjugate_bytes(1000000));
    return check_finish();
}
