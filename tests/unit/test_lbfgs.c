/* L-BFGS against what its header says: known minima, and a plain loop with the inverse Hessian
 * written out. */
#include "check.h"
#include "common/base/random.h"
#include "common/linalg/lbfgs.h"

#include <stdlib.h>
#include <string.h>

enum { VARIABLES = 50, TRIALS = 400 };

/* What is minimised, and where it was asked for. */
struct function {
    int64_t n;
    double (*value)(const struct function *function, const double *x, double *gradient);
    double scale[VARIABLES], minimum[VARIABLES], direction[VARIABLES], least; /* of the quadratic */
    double wall, beyond; /* of the line: the value beyond the wall */
    int64_t calls;
    double trial[TRIALS][8]; /* the first variables of each x */
};

static double function_value(void *context, const double *x, double *gradient)
{
    struct function *function = context;
    for (int64_t i = 0; function->calls < TRIALS && i < function->n && i < 8; i++)
        function->trial[function->calls][i] = x[i];
    function->calls++;
    return function->value(function, x, gradient);
}

/* least + 1/2 sum of a_i z_i^2, z = x - minimum mirrored at the plane across `direction` (a unit
 * vector), so that no axis is an eigenvector. */
static double quadratic(const struct function *function, const double *x, double *gradient)
{
    double z[VARIABLES], along = 0, value = 0;
    for (int64_t i = 0; i < function->n; i++)
        along += function->direction[i] * (x[i] - function->minimum[i]);
    for (int64_t i = 0; i < function->n; i++)
        z[i] = x[i] - function->minimum[i] - 2 * along * function->direction[i];
    along = 0;
    for (int64_t i = 0; i < function->n; i++) {
        value += function->scale[i] * z[i] * z[i] / 2;
        gradient[i] = function->scale[i] * z[i];
        along += function->direction[i] * gradient[i];
    }
    for (int64_t i = 0; i < function->n; i++)
        gradient[i] -= 2 * along * function->direction[i];
    return function->least + value;
}

static double rosenbrock(const struct function *function, const double *x, double *gradient)
{
    double value = 0;
    for (int64_t i = 0; i < function->n; i++)
        gradient[i] = 0;
    for (int64_t i = 0; i + 1 < function->n; i++) {
        double a = x[i + 1] - x[i] * x[i], b = 1 - x[i];
        value += 100 * a * a + b * b;
        gradient[i] += -400 * a * x[i] - 2 * b;
        gradient[i + 1] += 200 * a;
    }
    return value;
}

/* Not a quadratic, but convex: quarters of fourth powers between neighbours. */
static double quartic(const struct function *function, const double *x, double *gradient)
{
    double value = 0;
    for (int64_t i = 0; i < function->n; i++)
        gradient[i] = 0;
    for (int64_t i = 0; i < function->n; i++) {
        double z = x[i] - function->minimum[i], between = i > 0 ? x[i] - x[i - 1] : 0;
        value += function->scale[i] * z * z / 2 + between * between * between * between / 4;
        gradient[i] += function->scale[i] * z + between * between * between;
        if (i > 0)
            gradient[i - 1] -= between * between * between;
    }
    return value;
}

/* (x - minimum)^2, but `beyond` where x > wall. */
static double walled(const struct function *function, const double *x, double *gradient)
{
    double z = x[0] - function->minimum[0];
    gradient[0] = x[0] > function->wall ? NAN : 2 * z;
    return x[0] > function->wall ? function->beyond : z * z;
}

/* -log(1 - x) - 5 x: the minimum 4/5 is before the wall 1, and a first step of length 1 is not. */
static double barrier(const struct function *function, const double *x, double *gradient)
{
    gradient[0] = 1 / (1 - x[0]) - 5;
    return x[0] < 1 ? -log(1 - x[0]) - 5 * x[0] : function->beyond;
}

/* x^2 with a gradient that is wrong. */
static double uphill(const struct function *function, const double *x, double *gradient)
{
    (void)function;
    gradient[0] = -2 * x[0];
    return x[0] * x[0];
}

/* Down for ever. */
static double slope(const struct function *function, const double *x, double *gradient)
{
    (void)function;
    gradient[0] = -1;
    return -x[0];
}

/* A minimum from x, and what must hold of each. */
static struct descent_result find_minimum(struct function *function, double gradient,
                                          int64_t evaluations, double *x)
{
    struct error err = {0};
    struct lbfgs problem = {.n = function->n,
                            .value = function_value,
                            .context = function,
                            .threads = 1,
                            .gradient = gradient,
                            .evaluations = evaluations};
    struct descent_result result = {0};
    double g[VARIABLES];
    double start = function->value(function, x, g);
    function->calls = 0;
    CHECK(lbfgs_minimise(&problem, x, &result, &err) == 0, "a minimum: %s", err.message);
    CHECK_INT(result.evaluations, function->calls, "evaluations");
    CHECK(result.evaluations >= 1 && result.evaluations <= evaluations, "%d evaluations of %d",
          (int)result.evaluations, (int)evaluations);
    CHECK(result.iterations < result.evaluations, "%d iterations of %d evaluations",
          (int)result.iterations, (int)result.evaluations);
    CHECK(result.value == function->value(function, x, g), "the value at x, %.17g", result.value);
    CHECK(isfinite(result.value) && result.value <= start, "from %g to %g", start, result.value);
    CHECK(fabs(result.gradient - check_norm(g, function->n)) <= 1e-13 * result.gradient,
          "the length of the gradient at x, %g", result.gradient);
    CHECK(result.converged || result.evaluations == evaluations,
          "an end after %d evaluations of %d", (int)result.evaluations, (int)evaluations);
    CHECK(result.converged || result.gradient > gradient, "a small gradient, and no end");
    return result;
}

/* Scales from 1e-2 to 1e2. */
static struct function quadratic_make(double least)
{
    struct random g = random_seeded(21, 0);
    struct function function = {.n = VARIABLES, .value = quadratic, .least = least};
    for (int i = 0; i < VARIABLES; i++) {
        function.scale[i] = pow(10, -2 + 4.0 * i / (VARIABLES - 1));
        function.minimum[i] = random_normal(&g);
        function.direction[i] = random_normal(&g);
    }
    double length = check_norm(function.direction, VARIABLES);
    for (int i = 0; i < VARIABLES; i++)
        function.direction[i] /= length;
    return function;
}

static void test_quadratic(void)
{
    check_group("a quadratic of unlike scales");
    struct function function = quadratic_make(0);
    double x[VARIABLES] = {0}, again[VARIABLES] = {0};
    struct descent_result result = find_minimum(&function, 1e-8, 5000, x);
    CHECK(result.converged && result.gradient <= 1e-8, "gradient %g", result.gradient);
    CHECK(10 * result.evaluations < 15 * result.iterations, "%d evaluations in %d iterations",
          (int)result.evaluations, (int)result.iterations);
    for (int i = 0; i < VARIABLES; i++)
        CHECK_NEAR(x[i], function.minimum[i], 1e-6, "variable %d",
                   i); /* |x - minimum| <= |g| / 1e-2 */
    struct descent_result second = find_minimum(&function, 1e-8, 5000, again);
    CHECK(memcmp(x, again, sizeof x) == 0, "again: another minimum");
    CHECK(second.value == result.value && second.gradient == result.gradient
              && second.iterations == result.iterations && second.evaluations == result.evaluations,
          "again: other numbers");
}

/* Where the gradient says down it is up: no step makes it smaller, and it says so.  And where the
 * value's last digits hide the way on, it goes as far as they tell. */
static void test_no_smaller(void)
{
    check_group("no step makes it smaller");
    struct function function = {.n = 1, .value = uphill};
    double x[VARIABLES] = {1};
    struct descent_result result = find_minimum(&function, 1e-9, 10000, x);
    CHECK(result.converged && result.iterations == 0 && x[0] == 1,
          "converged at %g after %d evaluations", x[0], (int)result.evaluations);
    CHECK_INT(result.evaluations, 1 + 40, "evaluations: the start and forty steps");
    function = quadratic_make(1000);
    x[0] = 0;
    result = find_minimum(&function, 0, 5000, x);
    CHECK(result.value - 1000 < 1e-9, "%g above the minimum", result.value - 1000);
}

static void test_rosenbrock(void)
{
    check_group("Rosenbrock's function");
    struct function function = {.n = 2, .value = rosenbrock};
    double x[VARIABLES] = {-1.2, 1};
    struct descent_result result = find_minimum(&function, 1e-9, 200, x);
    CHECK(result.converged, "converged");
    CHECK_NEAR(x[0], 1, 1e-8, "x");
    CHECK_NEAR(x[1], 1, 1e-8, "y");
    function.n = VARIABLES;
    for (int i = 0; i < VARIABLES; i++)
        x[i] = i % 2 ? 1 : -1.2;
    result = find_minimum(&function, 1e-9, 5000, x);
    CHECK(result.converged, "converged, %d variables", VARIABLES);
    for (int i = 0; i < VARIABLES && result.value < 1;
         i++) /* there is another minimum, of value 4 or so */
        CHECK_NEAR(x[i], 1, 1e-7, "variable %d", i);
}

/* However soon it must end: some x no worse than the start, with its numbers. */
static void test_limit(void)
{
    check_group("a limit of evaluations");
    for (int limit = 1; limit <= 30; limit++) {
        struct function function = {.n = 2, .value = rosenbrock};
        double x[] = {-1.2, 1};
        struct descent_result result = find_minimum(&function, 1e-9, limit, x);
        CHECK(!result.converged, "converged after %d", limit);
        CHECK_INT(result.evaluations, limit, "evaluations");
        CHECK(limit > 1 || (x[0] == -1.2 && x[1] == 1 && result.iterations == 0),
              "one evaluation goes nowhere");
        function = (struct function){.n = 1, .value = slope};
        x[0] = 0;
        result = find_minimum(&function, 0.5, limit, x);
        CHECK(!result.converged, "down for ever, converged after %d", limit);
    }
}

static void test_start(void)
{
    check_group("a start at the minimum");
    struct function function = quadratic_make(3);
    double x[VARIABLES], ends[] = {NAN, INFINITY, -INFINITY};
    for (int gradient = 0; gradient < 2; gradient++) {
        memcpy(x, function.minimum, sizeof x);
        struct descent_result result = find_minimum(&function, gradient, 100, x);
        CHECK_INT(result.evaluations, 1, "evaluations");
        CHECK_INT(result.iterations, 0, "iterations");
        CHECK(result.converged && result.value == 3 && memcmp(x, function.minimum, sizeof x) == 0,
              "it stays");
    }
    check_group("a start that is not finite");
    for (int i = 0; i < 3; i++) {
        struct error err = {0};
        struct descent_result result = {0};
        struct function line = {.n = 1, .value = walled, .wall = 0, .beyond = ends[i]};
        struct lbfgs problem = {.n = 1,
                                .value = function_value,
                                .context = &line,
                                .threads = 1,
                                .gradient = 1e-9,
                                .evaluations = 100};
        x[0] = 1;
        CHECK(lbfgs_minimise(&problem, x, &result, &err) == -1 && err.message[0],
              "a start at %g is refused", ends[i]);
    }
}

/* No step goes where the value or the gradient is not finite, however small it claims to be. */
static void test_not_finite(void)
{
    static const double beyond[] = {NAN, INFINITY, -INFINITY, 0}; /* 0: the gradient alone */
    for (int i = 0; i < 4; i++) {
        check_group("a value of %g on the way", beyond[i]);
        struct function function = {
            .n = 1, .value = walled, .minimum = {3}, .wall = 1.3, .beyond = beyond[i]};
        double x[] = {0};
        struct descent_result result = find_minimum(&function, 1e-9, 1000, x);
        CHECK(x[0] <= function.wall, "x = %g is beyond the wall", x[0]);
        CHECK(result.converged, "converged");
        CHECK_NEAR(x[0], function.wall, 1e-9, "where no step makes it smaller");
        function = (struct function){.n = 1, .value = barrier, .beyond = beyond[i]};
        x[0] = 0;
        result = find_minimum(&function, 1e-9, 1000, x);
        CHECK(result.converged, "converged before the wall");
        CHECK_NEAR(x[0], 0.8, 1e-9, "the minimum before the wall");
    }
}

/* ---- the steps ---- */

/* H from the last LBFGS_PAIRS pairs, written out: from s'y / y'y of the last, H = (I - s y'/s'y) H
 * (I - y s'/s'y) + s s'/s'y for each.  d: out, -H g. */
static void plain_direction(int n, int pairs, double s[][8], double y[][8], const double *g,
                            double *d)
{
    double h[8][8] = {{0}}, left[8][8];
    for (int p = pairs > LBFGS_PAIRS ? pairs - LBFGS_PAIRS : 0, first = 1; p < pairs; p++) {
        double sy = 0, last = 0, square = 0;
        for (int i = 0; i < n; i++) {
            sy += s[p][i] * y[p][i];
            last += s[pairs - 1][i] * y[pairs - 1][i];
            square += y[pairs - 1][i] * y[pairs - 1][i];
        }
        for (int i = 0; i < n && first; i++)
            h[i][i] = last / square;
        first = 0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                left[i][j] = h[i][j];
                for (int k = 0; k < n; k++)
                    left[i][j] -= s[p][i] * y[p][k] / sy * h[k][j];
            }
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                h[i][j] = left[i][j] + s[p][i] * s[p][j] / sy;
                for (int k = 0; k < n; k++)
                    h[i][j] -= left[i][k] * y[p][k] * s[p][j] / sy;
            }
    }
    for (int i = 0; i < n; i++) {
        d[i] = pairs > 0 ? 0 : -g[i] / check_norm(g, n);
        for (int j = 0; j < n; j++)
            d[i] -= h[i][j] * g[j];
    }
}

/* The same trials, one after another. */
static void plain_minimise(struct function *function, double *x, int64_t trials)
{
    enum { STEPS = 100 };
    const int n = (int)function->n;
    double s[STEPS][8], y[STEPS][8], g[8], next[8], gradient[8], d[8];
    function->calls = 0;
    double value = function_value(function, x, g);
    for (int step = 0; step < STEPS && function->calls < trials; step++) {
        double low = 0, high = INFINITY, t = 1, along = 0, new;
        plain_direction(n, step, s, y, g, d);
        for (int i = 0; i < n; i++)
            along += g[i] * d[i];
        for (;; t = high < INFINITY ? (low + high) / 2 : 2 * t) {
            double there = 0;
            for (int i = 0; i < n; i++)
                next[i] = x[i] + t * d[i];
            new = function_value(function, next, gradient);
            for (int i = 0; i < n; i++)
                there += gradient[i] * d[i];
            if (!isfinite(new) || !(new <= value + 1e-4 * t *along))
                high = t;
            else if (!(there >= 0.9 * along))
                low = t;
            else
                break;
            if (function->calls >= trials)
                return;
        }
        for (int i = 0; i < n; i++) {
            s[step][i] = next[i] - x[i];
            y[step][i] = gradient[i] - g[i];
            x[i] = next[i];
            g[i] = gradient[i];
        }
        value = new;
    }
}

static void test_trials(const char *name, const struct function *given, const double *start,
                        double gradient, int64_t trials, double tolerance)
{
    check_group("steps of a plain loop, %s", name);
    struct function function = *given, other = *given;
    double x[8], plain[8];
    memcpy(x, start, (size_t)function.n * sizeof *x);
    memcpy(plain, start, (size_t)function.n * sizeof *x);
    find_minimum(&function, gradient, trials, x);
    plain_minimise(&other, plain, function.calls);
    CHECK_INT(other.calls, function.calls, "trials");
    CHECK(function.calls >= trials || trials > 100, "the way is too short to tell");
    for (int64_t t = 0; t < function.calls && t < TRIALS; t++)
        for (int64_t i = 0; i < function.n; i++)
            CHECK_NEAR(function.trial[t][i], other.trial[t][i], tolerance, "trial %d, variable %d",
                       (int)t, (int)i);
}

static void test_steps(void)
{
    const double zero[8] = {0}, corner[] = {-1.2, 1};
    struct function function = {.n = 8,
                                .value = quartic,
                                .scale = {1, 2, 0.5, 1, 3, 1, 0.2, 4},
                                .minimum = {1, -2, 3, 0, 1, 5, -1, 2}};
    test_trials("a quartic", &function, zero, 1e-12, 20, 1e-9);
    function = (struct function){.n = 2, .value = rosenbrock};
    test_trials("Rosenbrock's", &function, corner, 1e-12, 20, 1e-6);
    function = (struct function){.n = 1, .value = barrier, .beyond = NAN};
    test_trials("a barrier", &function, zero, 1e-6, 1000, 1e-9);
    check_group("doubling and bisection");
    static const double doubled[] = {0, 1, 2, 4, 8, 16}, halved[] = {0, 1, 0.5, 0.25};
    for (int far = 0; far < 2; far++) {
        double x[] = {0};
        function = (struct function){
            .n = 1, .value = walled, .minimum = {far ? 100 : 0.2}, .wall = 1e9};
        find_minimum(&function, 1e-9, 100, x);
        for (int t = 0; t < (far ? 6 : 4); t++)
            CHECK(function.trial[t][0] == (far ? doubled : halved)[t], "trial %d at %g", t,
                  function.trial[t][0]);
        CHECK_NEAR(x[0], function.minimum[0], 1e-9, "the minimum");
    }
    const double bytes = 8000.0 * (2 * LBFGS_PAIRS + 2);
    CHECK(lbfgs_bytes(1000) >= bytes && lbfgs_bytes(1000) < 1.02 * bytes, "%g bytes",
          lbfgs_bytes(1000));
}

/* All steps of a function that is made of sums and products: the same bits on every machine. */
static void test_bytes(void)
{
    static const struct {
        int64_t n, evaluations, iterations;
        uint64_t hash; /* FNV-1a of x */
    } known[] = {{1, 3, 2, 0x84b97f00f72c88bbu},    {2, 49, 41, 0x8472d251f33c00e1u},
                 {15, 90, 75, 0x2746060a52e0d700u}, {16, 90, 76, 0xd10ae757dca400fau},
                 {17, 90, 77, 0x37c051db52b6c0f8u}, {50, 90, 72, 0x2a35e649318c27dcu}};
    check_group("the same steps on every machine");
    for (size_t t = 0; t < sizeof known / sizeof *known; t++) {
        struct function function = {.n = known[t].n, .value = rosenbrock};
        if (function.n == 1)
            function = (struct function){.n = 1, .value = walled, .minimum = {0.3}, .wall = 9};
        double x[VARIABLES];
        for (int i = 0; i < VARIABLES; i++)
            x[i] = i % 2 ? 1 : -1.25;
        struct descent_result result = find_minimum(&function, 1e-6, 90, x);
        uint64_t hash = 0;
        for (int64_t i = 0; i < function.n; i++) {
            uint64_t bits;
            memcpy(&bits, &x[i], sizeof bits);
            for (int b = 0; b < 64; b += 8)
                hash = (hash ^ (bits >> b & 255)) * 0x100000001b3u;
        }
        CHECK(hash == known[t].hash, "%d variables: %#llx", (int)function.n,
              (unsigned long long)hash);
        CHECK_INT(result.evaluations, known[t].evaluations, "evaluations of %d", (int)function.n);
        CHECK_INT(result.iterations, known[t].iterations, "iterations of %d", (int)function.n);
    }
}

/* sum of (i mod 7 + 1) (x_i - 1)^2 / 2 + (x_i - 1)^4 / 4, of so many variables that threads share
 * them. */
static double many(void *context, const double *x, double *gradient)
{
    const int64_t n = *(const int64_t *)context;
    double value = 0;
    for (int64_t i = 0; i < n; i++) {
        const double z = x[i] - 1, scale = (double)(i % 7 + 1);
        value += scale * z * z / 2 + z * z * z * z / 4;
        gradient[i] = scale * z + z * z * z;
    }
    return value;
}

static void test_threads(void)
{
    check_group("any number of threads");
    struct error err = {0};
    int64_t n = 200001;
    const size_t bytes = (size_t)n * sizeof(double);
    double *x[3] = {NULL};
    for (int t = 0; t < 3; t++) {
        const struct lbfgs problem = {.n = n,
                                      .value = many,
                                      .context = &n,
                                      .threads = 1 + 2 * t,
                                      .reduction = 1e-6,
                                      .evaluations = 100};
        struct descent_result result = {0};
        x[t] = calloc((size_t)n, sizeof *x[t]);
        CHECK(x[t] && lbfgs_minimise(&problem, x[t], &result, &err) == 0 && result.converged,
              "a minimum: %s", err.message);
        CHECK(result.gradient <= 1e-6 * 5 * sqrt((double)n), "a gradient of %g", result.gradient);
        CHECK(x[t] && x[0] && memcmp(x[t], x[0], bytes) == 0, "other numbers by %d threads",
              1 + 2 * t);
        for (int64_t i = 0; x[t] && i < n; i += 1000)
            CHECK_NEAR(x[t][i], 1, 1e-4, "variable %d", (int)i);
    }
    for (int t = 0; t < 3; t++)
        free(x[t]);
}

int main(void)
{
    test_threads();
    test_quadratic();
    test_no_smaller();
    test_rosenbrock();
    test_limit();
    test_start();
    test_not_finite();
    test_steps();
    test_bytes();
    return check_finish();
}
