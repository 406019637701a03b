/* The way to forward's minimum (learners/forward/forward_minimum.h): whoever is shown it sees the
 * points whose means are where runs of so many steps end, each step goes down, and with many
 * features the first goes along the gradient in the metric of the steepest directions. */
#include "check.h"
#include "common/base/memory.h"
#include "forward_plain.h"
#include "learners/forward/forward_minimum.h"

#include <string.h>

struct way {
    int64_t steps, enough;
    int columns;
    double w[30][MOST];
};

static bool see(void *context, const struct weights *w, int64_t step)
{
    struct way *way = context;
    CHECK_INT(step, ++way->steps, "the number of a step");
    for (int64_t j = 0; j < w->rows; j++)
        for (int k = 0; k < way->columns; k++)
            way->w[step - 1][j * way->columns + k] = w->w[j * w->stride + k];
    return step < way->enough;
}

/* Whoever is shown the way sees the point after each step; a search that ends there, by the option
 * `steps` or by who is shown it, ends at the mean of the last two.  The points are F's way down:
 * each step leaves a quarter to three quarters of the slope along it. */
static void test_way(int classes, bool with)
{
    check_group("the way, %d classes%s", classes, with ? ", by the moment" : "");
    struct set set = set_make(23, 300, classes, FEATURES, NULL);
    const int size = D * set.columns;
    static struct way way;
    struct error err = {0};
    double c[CLASSES * CLASSES], w[MOST], second[MOST];
    double *moment = moment_make(&set, true);
    matrix_make(24, classes, 0.8, c);
    way = (struct way){.columns = set.columns, .enough = 30};
    struct forward *f = learner_make(&set, c, 1e-3);
    const struct forward_metric metric = {.moment = moment};
    struct forward_minimum minimum = {.measures_mean = true,
                                      .epsilon = 1e-3,
                                      .evaluations = 1000,
                                      .metric = with ? &metric : NULL,
                                      .threads = 2,
                                      .visit = see,
                                      .context = &way};
    CHECK(forward_minimise(f, &set.problem, set.y, NULL, 300, &minimum, &err) == 0, "a way: %s",
          err.message);
    const int64_t steps = way.steps;
    CHECK(steps > 3, "%d steps", (int)steps);
    CHECK_INT(minimum.result.iterations, steps, "steps");
    forward_free(f);
    double last[MOST] = {0}, point[MOST], g[MOST], last_g[MOST], last_value;
    find_gradient(&set, NULL, 300, c, 1e-3, NULL, last, last_g);
    last_value = objective(&set, NULL, 300, c, 1e-3, last);
    for (int64_t s = 1; s <= steps; s++) {
        f = learner_make(&set, NULL, 1);
        forward_change(f, c, 1e-3, s);
        CHECK_INT(forward_get_options(f)->steps, s, "the option");
        struct descent_result result =
            learner_minimise(f, &set, NULL, 300, with ? moment : NULL, 1e-3, 1000, 1).result;
        learner_weights(f, &set, w);
        CHECK_INT(result.iterations, s, "steps");
        CHECK(result.converged, "no end after %d steps", (int)s);
        if (s == 2)
            memcpy(second, w, sizeof second);
        CHECK_NEAR(result.value, objective(&set, NULL, 300, c, 1e-3, w), 1e-12, "the value there");
        double slope = 0, last_slope = 0;
        for (int i = 0; i < size; i++) {
            point[i] = way.w[s - 1][i];
            CHECK_NEAR(w[i], s > 1 ? (last[i] + point[i]) / 2 : point[i], 1e-12,
                       "the end after %d steps, weight %d", (int)s, i);
        }
        find_gradient(&set, NULL, 300, c, 1e-3, NULL, point, g);
        for (int i = 0; i < size; i++) {
            slope += g[i] * (point[i] - last[i]);
            last_slope += last_g[i] * (point[i] - last[i]);
        }
        CHECK(last_slope < 0 && slope / last_slope > 0.2499 && slope / last_slope < 0.7501,
              "step %d leaves %g of %g", (int)s, slope, last_slope);
        const double value = objective(&set, NULL, 300, c, 1e-3, point);
        CHECK(value < last_value, "step %d goes up", (int)s);
        memcpy(last, point, sizeof last);
        memcpy(last_g, g, sizeof last_g);
        last_value = value;
        forward_free(f);
    }
    way.steps = 0, way.enough = 2;
    f = learner_make(&set, c, 1e-3);
    CHECK(forward_minimise(f, &set.problem, set.y, NULL, 300, &minimum, &err) == 0, "a way: %s",
          err.message);
    learner_weights(f, &set, w);
    CHECK(minimum.result.iterations == 2 && memcmp(w, second, (size_t)size * sizeof *w) == 0,
          "left at step 2: another end than of two steps");
    forward_free(f);
    memory_free(moment);
    set_free(&set);
}

/* M g of steep_directions.h, written out: rows x columns. */
static void steep_metric(const struct steep_directions *steep, int columns, const double *g,
                         double *mg)
{
    for (int64_t j = 0; j < steep->rows * columns; j++)
        mg[j] = g[j];
    for (int c = 0; c < STEEP_DIRECTIONS; c++)
        for (int k = 0; k < columns; k++) {
            double along = 0;
            for (int64_t j = 0; j < steep->rows; j++)
                along += steep->v[j * STEEP_DIRECTIONS + c] * g[j * columns + k];
            for (int64_t j = 0; j < steep->rows; j++)
                mg[j * columns + k] -= (1 - steep->share[c]) * steep->v[j * STEEP_DIRECTIONS + c]
                                       * along;
        }
}

/* With many features the first step goes along -M g, and the length of the gradient is that in the
 * metric. */
static void test_steep(int classes)
{
    enum { N = 300 };
    check_group("in the metric of the steepest directions, %d classes", classes);
    static double w[MOST], g[MOST], mg[MOST];
    struct set set = set_make(37, N, classes, WIDE, NULL);
    const int size = (WIDE + 1) * set.columns;
    struct error err = {0};
    double c[CLASSES * CLASSES], along = 0, squares = 0;
    struct forward_metric metric;
    matrix_make(38, classes, 0.8, c);
    CHECK(forward_metric_make(&set.problem, NULL, &metric, 1, &err) == 0, "a metric: %s",
          err.message);
    CHECK(!metric.moment && metric.steep.share[0] < 1, "there are steep directions");
    struct forward_minimum minimum = {
        .epsilon = 1e-9, .evaluations = 100, .metric = &metric, .threads = 1};
    struct forward *f = learner_make(&set, c, 1e-3);
    forward_change(f, c, 1e-3, 1);
    memset(w, 0, sizeof w);
    find_gradient(&set, NULL, N, c, 1e-3, NULL, w, g);
    steep_metric(&metric.steep, set.columns, g, mg);
    CHECK(forward_minimise(f, &set.problem, set.y, NULL, N, &minimum, &err) == 0, "a step: %s",
          err.message);
    learner_weights(f, &set, w);
    for (int i = 0; i < size; i++)
        along -= w[i] * mg[i];
    along /= check_norm(mg, size) * check_norm(mg, size);
    CHECK(along > 0, "the step is %g", along);
    for (int i = 0; i < size; i++)
        CHECK_NEAR(w[i], -along * mg[i], 1e-7, "weight %d", i); /* as precise as a direction */
    find_gradient(&set, NULL, N, c, 1e-3, NULL, w, g);
    steep_metric(&metric.steep, set.columns, g, mg);
    for (int i = 0; i < size; i++)
        squares += g[i] * mg[i];
    CHECK_NEAR(minimum.result.gradient, sqrt(squares), 1e-9, "the gradient there");
    forward_free(f);
    forward_metric_free(&metric);
    set_free(&set);
}

int main(void)
{
    static const int classes[] = {2, 3, 7};
    for (int i = 0; i < 3; i++)
        for (int with = 0; with < 2; with++)
            test_way(classes[i], with);
    test_steep(2);
    test_steep(3);
    return check_finish();
}
