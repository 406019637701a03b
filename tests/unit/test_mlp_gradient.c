/* Gradients of the network against differences of its loss, for networks of several shapes, with
 * and without dropout; softmax; steps by the formula, which leave alone what the minibatch lacks;
 * masks. */
#include "check.h"
#include "learners/mlp/mlp_state.h"
#include "mlp_examples.h"

#include <string.h>

/* Of a row that is wider than n only n numbers are read and written. */
static void check_softmax(void)
{
    check_group("softmax");
    double z[] = {1, -2, 3, 7};
    const double sum = exp(1) + exp(-2) + exp(3), want[] = {exp(1), exp(-2), exp(3)};
    CHECK_NEAR(mlp_softmax(z, 3), log(sum), 1e-15, "log of the sum");
    for (int k = 0; k < 3; k++)
        CHECK_NEAR(z[k], want[k] / sum, 1e-15, "class %d", k);
    CHECK_NEAR(z[3], 7, 0, "what comes behind");
    z[1] = NAN;
    CHECK(isnan(mlp_softmax(z, 3)), "not a number");
}

/* Units that are 0, below it or dropped are left out: the next layer sees nothing of them, and no
 * gradient comes back.  What is not a number is not hidden. */
static void check_activate(void)
{
    enum { UNITS = 6 };
    const double z[UNITS] = {1.5, 0, -1, NAN, -0.0, 4};
    const unsigned char keep[UNITS] = {0, 1, 1, 1, 1, 1};
    int32_t index[UNITS];
    double value[UNITS];
    check_group("activation");
    CHECK_INT(mlp_activate(z, UNITS, NULL, 2, index, value), 3, "all are kept");
    CHECK(index[0] == 0 && index[1] == 3 && index[2] == 5, "which");
    CHECK(value[0] == 1.5 && isnan(value[1]) && value[2] == 4, "as they are");
    CHECK_INT(mlp_activate(z, UNITS, keep, 2, index, value), 2, "the first is dropped");
    CHECK(index[0] == 3 && index[1] == 5, "which");
    CHECK(isnan(value[0]) && value[1] == 8, "twice as large");
}

/* A derivative by the difference of two losses. */
static double slope(struct mlp_trainer *t, const struct example *x, int64_t n, double *w)
{
    const double h = 1e-5;
    double there = *w, above = 0, below = 0;
    *w = there + h;
    CHECK(mlp_gradient(t, x, n, &above, NULL) == 0, "memory");
    *w = there - h;
    CHECK(mlp_gradient(t, x, n, &below, NULL) == 0, "memory");
    *w = there;
    return (above - below) / (2 * h);
}

static void check_gradient(const struct mlp_options *options, int32_t d, bool bias)
{
    enum { N = 9 };
    struct random g = {11};
    struct problem problem;
    struct mlp mlp;
    struct mlp_trainer t;
    struct example x[N];
    double loss = 0;
    check_group("gradient, %d features%s, %d hidden layers from %d units, %d outputs, dropout %g",
                (int)d, bias ? " and a bias" : "", (int)options->layers, (int)options->hidden[0],
                (int)options->outputs, options->dropout);
    draw_examples(&problem, &g, N, d, options->outputs, 0.4, bias);
    for (int64_t i = 0; i < N; i++)
        x[i] = problem_example(&problem, i);
    CHECK(mlp_make(&mlp, d, options, NULL) == 0
              && mlp_trainer_make(&t, &mlp, options, 1, NULL) == 0,
          "memory");
    mlp_start(&mlp, &g);
    for (int64_t l = 0; l < mlp.layers; l++)
        for (int64_t k = 0; k < mlp.layer[l].units; k++)
            mlp.layer[l].b.w[k] = 0.3 * random_normal(&g);
    mlp_draw_masks(&t, N, &g);
    for (int64_t l = 0; l < mlp.layers; l++) {
        struct mlp_layer *layer = &mlp.layer[l];
        int64_t present = 0;
        for (int64_t i = 0; i <= layer->w.rows; i++) {
            double row[80], *w = i < layer->w.rows ? layer->w.w + i * layer->w.stride : layer->b.w;
            CHECK(mlp_gradient(&t, x, N, &loss, NULL) == 0, "memory");
            const double *got = i < layer->w.rows ? mlp_gradient_row(&t, l, i) : t.layer[l].gb.w;
            present += got != NULL && i < layer->w.rows;
            for (int64_t k = 0; k < layer->w.stride; k++)
                row[k] = got ? got[k] : 0; /* the differences below overwrite it */
            for (int64_t k = 0; k < layer->units; k++)
                CHECK_NEAR(row[k], slope(&t, x, N, w + k), 1e-8, "layer %d, row %d of %d, unit %d",
                           (int)l, (int)i, (int)layer->w.rows, (int)k);
            for (int64_t k = layer->units; k < layer->w.stride; k++)
                CHECK(row[k] == 0, "layer %d, row %d: padding", (int)l, (int)i);
        }
        CHECK(l > 0 || present <= d - d / 5 + bias, "%d of %d features have a gradient",
              (int)present, (int)d);
        CHECK(l > 0 || (mlp_gradient_row(&t, 0, 0) != NULL) == bias, "the bias entry's");
    }
    mlp_trainer_release(&t);
    mlp_release(&mlp);
    problem_free(&problem);
}

static void check_gradients(void)
{
    static const struct mlp_options shapes[] = {
        {.layers = 1, .hidden = {3}, .outputs = 2},
        {.layers = 1, .hidden = {8}, .outputs = 11},
        {.layers = 2, .hidden = {9, 17}, .outputs = 3},
        {.layers = 2, .hidden = {70, 12}, .outputs = 2},
        {.layers = 4, .hidden = {6, 1, 4, 5}, .outputs = 4}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct mlp_options options = shapes[i];
        options.rate = options.delta = 1, options.batch = 10, options.epochs = 1;
        for (int way = 0; way < 4; way++) {
            options.dropout = way % 2 ? 0.3 : 0;
            check_gradient(&options, i == 1 ? 30 : 7, way / 2);
        }
    }
}

/* A step leaves alone what the minibatch lacks: w and s, byte for byte. */
static void check_sparse_step(void)
{
    struct mlp_options options = {.layers = 1,
                                  .hidden = {5},
                                  .outputs = 2,
                                  .rate = 0.1,
                                  .delta = 1e-6,
                                  .batch = 1,
                                  .epochs = 1};
    struct random g = {3};
    struct mlp mlp;
    struct mlp_trainer t;
    int32_t index[] = {2, 900};
    double value[] = {1, -2}, loss = 0, before[901][5];
    check_group("a step touches the rows that are there");
    CHECK(mlp_make(&mlp, 1000, &options, NULL) == 0
              && mlp_trainer_make(&t, &mlp, &options, 1, NULL) == 0,
          "memory");
    mlp_start(&mlp, &g);
    struct weights *w = &mlp.layer[0].w, *s = &t.layer[0].s;
    for (int64_t i = 0; i <= 900; i++)
        memcpy(before[i], w->w + i * w->stride, sizeof *before);
    for (int64_t size = 2; size > 0; size--) { /* then one entry alone */
        struct example x = {.label = 1, .size = size, .index = index, .value = value};
        CHECK(mlp_gradient(&t, &x, 1, &loss, NULL) == 0, "memory");
        CHECK((mlp_gradient_row(&t, 0, 900) != NULL) == (size == 2) && !mlp_gradient_row(&t, 0, 3),
              "rows of a gradient");
        mlp_step(&t);
    }
    int64_t changed = 0;
    for (int64_t i = 0; i <= 900; i++)
        if (memcmp(before[i], w->w + i * w->stride, sizeof *before) != 0
            || s->w[i * s->stride] != 0)
            changed++;
    CHECK_INT(changed, 2, "rows");
    mlp_trainer_release(&t);
    mlp_release(&mlp);
}

/* How many units each example drops, and how many of those that another one drops; of n examples
 * only, and without dropout nothing is drawn. */
static void check_masks(void)
{
    enum { BATCH = 20, N = 19, UNITS = 1000 };
    struct mlp_options options = {.layers = 2,
                                  .hidden = {UNITS, UNITS},
                                  .outputs = 2,
                                  .dropout = 0.2,
                                  .rate = 1,
                                  .delta = 1,
                                  .batch = BATCH,
                                  .epochs = 1};
    struct random g = {31};
    struct mlp mlp;
    struct mlp_trainer t;
    check_group("masks");
    CHECK(mlp_make(&mlp, 3, &options, NULL) == 0
              && mlp_trainer_make(&t, &mlp, &options, 1, NULL) == 0,
          "memory");
    for (int64_t l = 1; l <= 2; l++)
        memset(t.layer[l].keep, 7, (size_t)BATCH * UNITS);
    mlp_draw_masks(&t, N, &g);
    for (int64_t l = 1; l <= 2; l++) {
        for (int64_t e = 0; e < BATCH; e++) {
            const unsigned char *keep = t.layer[l].keep + e * UNITS,
                                *other = t.layer[l].keep + (e > 0 ? e - 1 : 1) * UNITS;
            int64_t count[2] = {0, 0}, both = 0;
            for (int64_t i = 0; i < UNITS; i++) {
                CHECK(e < N ? keep[i] <= 1 : keep[i] == 7, "layer %d, example %d, unit %d: %d",
                      (int)l, (int)e, (int)i, keep[i]);
                count[keep[i] == 0]++;
                both += keep[i] == 0 && other[i] == 0;
            }
            if (e == N)
                break;
            /* Within five standard deviations: of 1000 with probability 0.2, and with 0.04. */
            CHECK(fabs((double)count[1] - 200) < 63, "layer %d, example %d: %d are dropped", (int)l,
                  (int)e, (int)count[1]);
            CHECK(fabs((double)both - 40) < 31, "layer %d, example %d: %d as in another", (int)l,
                  (int)e, (int)both);
        }
    }
    options.dropout = 0;
    const struct random before = g;
    mlp_draw_masks(&t, N, &g);
    CHECK(memcmp(&before, &g, sizeof g) == 0, "no dropout, nothing is drawn");
    mlp_trainer_release(&t);
    mlp_release(&mlp);
}

/* Three steps by the formula of mlp.h, each row once and each b once, however many rows there are:
 * more than one thread takes at a time.  Minibatches of several sizes lack different features. */
static void check_steps(void)
{
    enum { N = 12, MOST_ROWS = 71, MOST_UNITS = 40 };
    const struct mlp_options options = {.layers = 2,
                                        .hidden = {MOST_UNITS, 33},
                                        .outputs = 3,
                                        .rate = 0.1,
                                        .delta = 1e-3,
                                        .batch = N,
                                        .epochs = 1};
    static double w[3][MOST_ROWS + 1][MOST_UNITS], s[3][MOST_ROWS + 1][MOST_UNITS];
    struct random g = {23};
    struct problem problem;
    struct mlp mlp;
    struct mlp_trainer t;
    struct example x[N];
    double loss = 0;
    int64_t absent = 0;
    check_group("steps by plain loops");
    draw_examples(&problem, &g, N, MOST_ROWS - 1, options.outputs, 0.15, true);
    for (int64_t i = 0; i < N; i++)
        x[i] = problem_example(&problem, i);
    CHECK(mlp_make(&mlp, MOST_ROWS - 1, &options, NULL) == 0
              && mlp_trainer_make(&t, &mlp, &options, 1, NULL) == 0,
          "memory");
    mlp_start(&mlp, &g);
    for (int step = 0; step < 3; step++) {
        CHECK(mlp_gradient(&t, x + step, N - 4 * step, &loss, NULL) == 0, "memory");
        for (int way = 0; way < 2; way++) { /* what should come of a step, then what does */
            if (way == 1)
                mlp_step(&t);
            for (int64_t l = 0; l < mlp.layers; l++) {
                const struct mlp_layer *layer = &mlp.layer[l];
                const struct mlp_trainer_layer *sums = &t.layer[l];
                for (int64_t i = 0; i <= layer->w.rows; i++) {
                    const bool b = i == layer->w.rows;
                    const double *d = b ? sums->gb.w : mlp_gradient_row(&t, l, i),
                                 *at = b ? layer->b.w : layer->w.w + i * layer->w.stride,
                                 *sum = b ? sums->sb.w : sums->s.w + i * sums->s.stride;
                    absent += !d;
                    for (int64_t k = 0; k < layer->units && way == 0; k++) {
                        const double slope = d ? d[k] : 0, squares = sum[k] + slope * slope;
                        s[l][i][k] = squares;
                        w[l][i][k] = at[k] - 0.1 * slope / (1e-3 + sqrt(squares));
                    }
                    for (int64_t k = 0; k < layer->units && way == 1; k++) {
                        CHECK_NEAR(at[k], w[l][i][k], 1e-15, "step %d, layer %d, row %d, unit %d",
                                   step, (int)l, (int)i, (int)k);
                        CHECK_NEAR(sum[k], s[l][i][k], 1e-15,
                                   "step %d, layer %d, row %d, unit %d: squares", step, (int)l,
                                   (int)i, (int)k);
                    }
                }
            }
        }
    }
    CHECK(absent > 20, "%d rows that a minibatch lacks", (int)absent);
    mlp_trainer_release(&t);
    mlp_release(&mlp);
    problem_free(&problem);
}

int main(void)
{
    check_softmax();
    check_activate();
    check_gradients();
    check_sparse_step();
    check_steps();
    check_masks();
    return check_finish();
}
