/* The network: numbers from elsewhere (tests/golden/bandit/mlp.txt), gradients against differences
 * of the loss, training, threads. */
#include "check.h"
#include "learners/mlp/mlp_state.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 64, PATH = 512 };

static const double TOLERANCE = 1e-12;

static void append(struct problem *problem, int64_t label, int64_t size, const int32_t *index,
                   const double *value)
{
    struct example x = {.label = label, .size = size, .index = index, .value = value};
    CHECK(problem_append_example(problem, &x, NULL) == 0, "memory");
}

/* ---- golden numbers ---- */

/* Find an item of the golden file: `NAME COUNT NUMBER ...`. */
static const double *golden(const char *name, int64_t count)
{
    static double number[MOST];
    char path[PATH], word[MOST];
    const char *top = getenv("top"); /* set by tests/run */
    snprintf(path, sizeof path, "%s/tests/golden/bandit/mlp.txt", top ? top : ".");
    FILE *file = fopen(path, "r");
    int64_t size = 0;
    bool found = false;
    while (file && !found && fscanf(file, "%63s %" SCNd64, word, &size) == 2 && size <= MOST) {
        found = strcmp(word, name) == 0 && size == count;
        for (int64_t i = 0; i < size; i++)
            found = fscanf(file, "%lf", &number[i]) == 1 && found;
    }
    if (file)
        fclose(file);
    CHECK(found, "%s in %s", name, path);
    return number;
}

static const double *golden_of(const char *prefix, int64_t layer, int64_t count)
{
    char name[2 * MOST];
    snprintf(name, sizeof name, "%s%lld", prefix, (long long)layer + 1);
    return golden(name, count);
}

/* Row i of layer l as the golden file has it: features count from 1. */
static int64_t row_of(int64_t l, int64_t i)
{
    return l == 0 ? i + 1 : i;
}

static void compare_weights(const struct mlp *mlp, const char *w, const char *b)
{
    for (int64_t l = 0; l < mlp->layers; l++) {
        const struct mlp_layer *layer = &mlp->layer[l];
        const double *want = golden_of(w, l, layer->inputs * layer->units);
        for (int64_t i = 0; i < layer->inputs; i++)
            for (int64_t k = 0; k < layer->units; k++)
                CHECK_NEAR(layer->w.w[row_of(l, i) * layer->w.stride + k],
                           want[i * layer->units + k], TOLERANCE, "%s%d, input %d, unit %d", w,
                           (int)l + 1, (int)i, (int)k);
        want = golden_of(b, l, layer->units);
        for (int64_t k = 0; k < layer->units; k++)
            CHECK_NEAR(layer->b.w[k], want[k], TOLERANCE, "%s%d, unit %d", b, (int)l + 1, (int)k);
    }
}

static void compare_gradient(const struct mlp_trainer *t, double loss, const char *prefix,
                             const int64_t *class)
{
    char name[MOST], dw[MOST], db[MOST];
    snprintf(name, sizeof name, "%sloss", prefix);
    CHECK_NEAR(loss, *golden(name, 1), TOLERANCE, "%s", name);
    snprintf(name, sizeof name, "%sprobability", prefix);
    const double *want = golden(name, 3 * 2);
    const struct weights *last =
        &t->layer[t->mlp->layers - 1].delta; /* (probability - [class]) / 3 */
    for (int64_t e = 0; e < 3; e++)
        for (int64_t k = 0; k < 2; k++)
            CHECK_NEAR(last->w[e * last->stride + k] * 3 + (class[e] == k), want[e * 2 + k],
                       TOLERANCE, "%s %d of example %d", name, (int)k, (int)e);
    snprintf(dw, sizeof dw, "%sdw", prefix);
    snprintf(db, sizeof db, "%sdb", prefix);
    for (int64_t l = 0; l < t->mlp->layers; l++) {
        const struct mlp_layer *layer = &t->mlp->layer[l];
        want = golden_of(dw, l, layer->inputs * layer->units);
        for (int64_t i = 0; i < layer->inputs; i++) {
            const double *row = mlp_gradient_row(t, l, row_of(l, i));
            for (int64_t k = 0; k < layer->units; k++)
                CHECK_NEAR(row ? row[k] : 0, want[i * layer->units + k], TOLERANCE,
                           "%s%d, input %d, unit %d", dw, (int)l + 1, (int)i, (int)k);
        }
        want = golden_of(db, l, layer->units);
        for (int64_t k = 0; k < layer->units; k++)
            CHECK_NEAR(t->layer[l].gb.w[k], want[k], TOLERANCE, "%s%d, unit %d", db, (int)l + 1,
                       (int)k);
    }
}

/* The network of the golden file. */
static void load_golden(struct mlp *mlp, const struct mlp_options *options)
{
    CHECK(mlp_make(mlp, 7, options, NULL) == 0, "memory");
    for (int64_t l = 0; l < mlp->layers; l++) {
        struct mlp_layer *layer = &mlp->layer[l];
        const double *from = golden_of("w", l, layer->inputs * layer->units);
        for (int64_t i = 0; i < layer->inputs; i++)
            memcpy(layer->w.w + row_of(l, i) * layer->w.stride, from + i * layer->units,
                   (size_t)layer->units * sizeof *from);
        memcpy(layer->b.w, golden_of("b", l, layer->units), (size_t)layer->units * sizeof *from);
    }
}

static void check_golden(void)
{
    static const double sizes[] = {7, 6, 5, 2};
    struct mlp_options options = {.layers = 2,
                                  .hidden = {6, 5},
                                  .outputs = 2,
                                  .rate = 0.01,
                                  .delta = 1e-6,
                                  .batch = 3,
                                  .epochs = 1};
    struct problem problem = {0};
    struct mlp mlp;
    struct mlp_trainer t;
    struct example x[3];
    int64_t class[3];
    double p[6], loss = 0;
    check_group("golden numbers, no dropout");
    CHECK(memcmp(golden("sizes", 4), sizes, sizeof sizes) == 0, "sizes");
    for (int i = 0; i < 3; i++)
        class[i] = (int64_t)golden("f", 3)[i];
    const double *dense = golden("x", 3 * 7);
    for (int64_t i = 0; i < 3; i++) {
        int32_t index[7];
        double value[7];
        int64_t size = 0;
        for (int32_t j = 0; j < 7; j++) {
            index[size] = j + 1;
            value[size] = dense[i * 7 + j];
            size += value[size] != 0;
        }
        append(&problem, class[i], size, index, value);
    }
    for (int64_t i = 0; i < 3; i++)
        x[i] = problem_example(&problem, i);
    load_golden(&mlp, &options);
    CHECK(mlp_trainer_make(&t, &mlp, &options, 1, NULL) == 0
              && mlp_gradient(&t, x, 3, &loss, NULL) == 0,
          "memory");
    compare_gradient(&t, loss, "", class);
    CHECK_NEAR(mlp_loss(&t, x, 3) / 3, *golden("loss", 1), TOLERANCE, "mlp_loss");
    CHECK(mlp_predict(&mlp, &problem, 0, 0, 1, p, NULL) == 0, "memory");
    const double *want = golden("probability", 6);
    for (int i = 0; i < 6; i++)
        CHECK_NEAR(p[i], want[i], TOLERANCE, "mlp_predict %d", i);
    mlp_trainer_release(&t);

    check_group("golden numbers, dropout and AdaGrad");
    options.dropout = 0.2;
    CHECK(mlp_trainer_make(&t, &mlp, &options, 1, NULL) == 0, "memory");
    for (int64_t l = 1; l < mlp.layers; l++) {
        const double *mask = golden_of("mask", l - 1, 3 * mlp.layer[l].inputs);
        for (int64_t i = 0; i < 3 * mlp.layer[l].inputs; i++)
            t.layer[l].keep[i] = mask[i] != 0;
    }
    CHECK(mlp_gradient(&t, x, 3, &loss, NULL) == 0, "memory");
    compare_gradient(&t, loss, "dropped-", class);
    CHECK_NEAR(mlp_loss(&t, x, 3) / 3, *golden("loss", 1), TOLERANCE, "mlp_loss does not drop");
    for (int step = 0; step < 3; step++) {
        CHECK(mlp_gradient(&t, x, 3, &loss, NULL) == 0, "memory");
        CHECK_NEAR(loss, golden("step-loss", 3)[step], TOLERANCE, "loss before step %d", step + 1);
        mlp_step(&t);
    }
    compare_weights(&mlp, "step-w", "step-b");
    mlp_trainer_release(&t);
    mlp_release(&mlp);
    problem_free(&problem);
}

/* ---- gradients ---- */

/* Examples of which some features are absent in all, with a bias entry if wanted. */
static void draw_examples(struct problem *problem, struct random *g, int64_t n, int32_t d,
                          int64_t classes, double density, bool bias)
{
    int32_t *index = calloc((size_t)d + 1, sizeof *index);
    double *value = calloc((size_t)d + 1, sizeof *value);
    *problem = (struct problem){0};
    for (int64_t i = 0; i < n && index && value; i++) {
        int64_t size = 0;
        for (int32_t j = 1; j <= d; j++) {
            if (j % 5 == 3 || random_uniform(g) >= density)
                continue;
            index[size] = j;
            value[size++] = random_normal(g);
        }
        if (bias) {
            index[size] = 0;
            value[size++] = 0.7;
        }
        append(problem, random_below(g, classes), size, index, value);
    }
    problem->d = d;
    free(index), free(value);
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

/* ---- training ---- */

static const struct mlp_options PLAIN = {.layers = 1,
                                         .hidden = {16},
                                         .outputs = 2,
                                         .rate = 0.05,
                                         .delta = 1e-6,
                                         .batch = 16,
                                         .epochs = 30,
                                         .seed = 1};

/* Which class: whether two numbers have the same sign, a bias beside them. */
static void draw_xor(struct problem *problem, uint64_t seed, int64_t n)
{
    struct random g = {seed};
    static const int32_t index[] = {1, 2, 0};
    *problem = (struct problem){0};
    for (int64_t i = 0; i < n; i++) {
        double value[] = {2 * random_uniform(&g) - 1, 2 * random_uniform(&g) - 1, 1};
        append(problem, (value[0] > 0) == (value[1] > 0), 3, index, value);
    }
}

static double accuracy(const struct mlp *mlp, const struct problem *problem)
{
    int64_t right = 0;
    double *p = calloc((size_t)problem->n, 2 * sizeof *p);
    CHECK(p && mlp_predict(mlp, problem, 0, 0, 2, p, NULL) == 0, "memory");
    for (int64_t i = 0; i < problem->n && p; i++) {
        right += (p[2 * i + 1] > p[2 * i]) == problem->label[i];
        CHECK_NEAR(p[2 * i] + p[2 * i + 1], 1, 1e-15, "sum of probabilities");
    }
    free(p);
    return (double)right / (double)problem->n;
}

static bool same(const struct mlp *a, const struct mlp *b)
{
    bool equal = a && b && a->layers == b->layers;
    for (int64_t l = 0; equal && l < a->layers; l++) {
        const struct mlp_layer *x = &a->layer[l], *y = &b->layer[l];
        equal = memcmp(x->w.w, y->w.w, (size_t)(x->w.rows * x->w.stride) * sizeof(double)) == 0
                && memcmp(x->b.w, y->b.w, (size_t)x->b.stride * sizeof(double)) == 0;
    }
    return equal;
}

static struct mlp *train(const struct problem *problem, const struct mlp_options *options,
                         int threads)
{
    struct mlp *mlp = NULL;
    struct error err = {0};
    CHECK(mlp_train(problem, options, threads, &mlp, &err) == 0, "%s", err.message);
    return mlp;
}

static void check_training(void)
{
    struct problem data, fresh;
    check_group("training");
    draw_xor(&data, 1, 2000);
    draw_xor(&fresh, 2, 2000);
    for (int way = 0; way < 4; way++) {
        struct mlp_options options = PLAIN;
        options.dropout = way % 2 ? 0.1 : 0;
        options.validation = way / 2 ? 0.1 : 0;
        struct mlp *mlp = train(&data, &options, 1), *again = train(&data, &options, 1);
        CHECK(same(mlp, again), "the same seed, the same network");
        CHECK(accuracy(mlp, &fresh) > 0.97, "accuracy %g, dropout %g, validation %g",
              accuracy(mlp, &fresh), options.dropout, options.validation);
        mlp_free(again);
        options.seed = 2;
        again = train(&data, &options, 1);
        CHECK(!same(mlp, again), "another seed, another network");
        mlp_free(mlp), mlp_free(again);
    }
    problem_free(&fresh);

    /* Labels without sense: the loss on the validation part soon only grows, so what is kept stays
     * the same; without that part the last epoch is. */
    check_group("the epoch that is kept");
    data.n = 60;
    for (int64_t i = 0; i < data.n; i++)
        data.label[i] = i % 2;
    for (int way = 0; way < 2; way++) {
        struct mlp_options options = PLAIN;
        options.validation = way ? 0.3 : 0;
        struct mlp *early = train(&data, &options, 1);
        options.epochs = 50;
        struct mlp *late = train(&data, &options, 1);
        CHECK(same(early, late) == way, "30 and 50 epochs, validation %g", options.validation);
        mlp_free(early), mlp_free(late);
    }
    problem_free(&data);
}

/* Training as it is described: the examples shuffled once, the first of them put apart, and then
 * for every epoch; the first of the best epochs is kept. */
static void check_epochs(void)
{
    enum { N = 43, MOST_EPOCHS = 9 };
    struct problem noisy, clear = {0};
    int64_t equal = 0; /* epochs with the least loss so far, but not the first */
    check_group("training by plain loops");
    draw_xor(&noisy, 4, N);
    for (int64_t i = 0; i < N; i++) { /* the loss of nearly all soon is exactly 0; two contradict
                                         each other, and go on moving the weights */
        static const int32_t index[] = {1, 2};
        double value = i < 2 ? 1 : i % 2 ? 3000 : -3000;
        append(&clear, i % 2, 1, &index[i < 2], &value);
    }
    for (int64_t way = 0; way < 80; way++) {
        const struct problem data = way < 60 ? noisy : clear;
        struct mlp_options options = {.layers = 1 + way % 2,
                                      .hidden = {5, 3},
                                      .outputs = 2,
                                      .dropout = way % 3 == 2 ? 0.25 : 0,
                                      .rate = 0.3,
                                      .delta = 1e-6,
                                      .batch = way % 5 == 4 ? 3 * N : 7 + way % 4,
                                      .epochs = 1 + way % MOST_EPOCHS,
                                      .validation = 0.15 * (double)(way % 4),
                                      .seed = way};
        struct random start = random_seeded((uint64_t)way, 0x3170),
                      split = random_seeded((uint64_t)way, 0x3171),
                      order = random_seeded((uint64_t)way, 0x3172),
                      masks = random_seeded((uint64_t)way, 0x3173);
        int64_t place[N], apart = (int64_t)floor(options.validation * N);
        double least = HUGE_VAL, loss;
        struct example x[N];
        struct mlp mlp, best;
        struct mlp_trainer t;
        struct mlp *got = train(&data, &options, 1);
        options.batch = options.batch < N ? options.batch : N;
        CHECK(mlp_make(&mlp, data.d, &options, NULL) == 0
                  && mlp_make(&best, data.d, &options, NULL) == 0
                  && mlp_trainer_make(&t, &mlp, &options, 1, NULL) == 0,
              "memory");
        mlp_start(&mlp, &start);
        for (int64_t i = 0; i < N; i++)
            place[i] = i;
        random_shuffle(&split, place, N);
        for (int64_t epoch = 0; epoch < options.epochs; epoch++) {
            double sum = 0;
            random_shuffle(&order, place + apart, N - apart);
            for (int64_t i = 0; i < N; i++)
                x[i] = problem_example(&data, place[i]);
            for (int64_t i = apart, size; i < N; i += size) {
                size = N - i < options.batch ? N - i : options.batch;
                mlp_draw_masks(&t, size, &masks);
                CHECK(mlp_gradient(&t, x + i, size, &loss, NULL) == 0, "memory");
                mlp_step(&t);
            }
            for (int64_t i = 0; i < apart; i++)
                sum += mlp_loss(&t, x + i, 1);
            equal += apart > 0 && sum >= least && sum <= least;
            if (apart > 0 && sum >= least)
                continue;
            least = sum;
            for (int64_t l = 0; l < mlp.layers; l++) {
                memcpy(best.layer[l].w.w, mlp.layer[l].w.w,
                       (size_t)(mlp.layer[l].w.rows * mlp.layer[l].w.stride) * sizeof(double));
                memcpy(best.layer[l].b.w, mlp.layer[l].b.w,
                       (size_t)mlp.layer[l].b.stride * sizeof(double));
            }
        }
        CHECK(same(got, &best), "case %d", (int)way);
        mlp_trainer_release(&t);
        mlp_release(&mlp), mlp_release(&best);
        mlp_free(got);
    }
    CHECK(equal > 5, "%d epochs are as good as the best before", (int)equal);
    struct mlp_options deepest = {.layers = MLP_MOST_LAYERS,
                                  .hidden = {2, 2, 2, 2, 2, 2, 2, 2},
                                  .outputs = 2,
                                  .dropout = 0.5,
                                  .rate = 0.3,
                                  .delta = 1e-6,
                                  .batch = N,
                                  .epochs = 2};
    struct mlp *deep[2] = {train(&noisy, &deepest, 1), train(&noisy, &deepest, 2)};
    CHECK(same(deep[0], deep[1]), "as many layers as there may be");
    mlp_free(deep[0]), mlp_free(deep[1]);
    problem_free(&noisy);
    problem_free(&clear);
}

static void check_threads(void)
{
    struct mlp_options options = {.layers = 2,
                                  .hidden = {700, 780},
                                  .outputs = 3,
                                  .dropout = 0.2,
                                  .rate = 0.01,
                                  .delta = 1e-6,
                                  .batch = 100,
                                  .epochs = 1,
                                  .validation = 0.2,
                                  .seed = 4};
    struct random g = {5};
    struct problem problem;
    enum { N = 150, WAYS = 3 };
    static double p[N * WAYS * 3], q[N * WAYS * 3];
    check_group("the same bytes on any number of threads"); /* the layers are large enough for steps
                                                               to be shared, too */
    draw_examples(&problem, &g, N, 40, 3, 0.5, true);
    struct mlp *one = train(&problem, &options, 1);
    CHECK(mlp_predict(one, &problem, 39, WAYS, 1, p, NULL) == 0, "memory");
    for (int threads = 2; threads <= 4; threads++) {
        struct mlp *mlp = train(&problem, &options, threads);
        CHECK(same(one, mlp), "training on %d", threads);
        CHECK(mlp_predict(one, &problem, 39, WAYS, threads, q, NULL) == 0
                  && memcmp(p, q, sizeof p) == 0,
              "prediction on %d", threads);
        mlp_free(mlp);
    }
    problem.n = 2;
    memset(q, 0, sizeof q);
    CHECK(mlp_predict(one, &problem, 39, WAYS, 4, q, NULL) == 0
              && memcmp(p, q, 2 * WAYS * 3 * sizeof *p) == 0,
          "more threads than examples");

    check_group("prediction beside one more entry");
    CHECK(mlp_predict(one, &problem, 0, 0, 1, q, NULL) == 0, "memory");
    for (int k = 0; k < 3; k++)
        CHECK(q[k] == p[2 * 3 + k], "entry 41 is beyond the network"); /* of ways 39, 40, 41 */
    struct problem with = {0};
    struct example x = problem_example(&problem, 0);
    int32_t index[64];
    double value[64];
    memcpy(index, x.index, (size_t)x.size * sizeof *index);
    memcpy(value, x.value, (size_t)x.size * sizeof *value);
    index[x.size] = 39;
    value[x.size] = 1;
    append(&with, 0, x.size + 1, index, value);
    CHECK(mlp_predict(one, &with, 0, 0, 1, q, NULL) == 0, "memory");
    for (int k = 0; k < 3; k++)
        CHECK_NEAR(p[k], q[k], 1e-14, "entry 39, class %d", k);
    problem_free(&with);
    problem_free(&problem);
    mlp_free(one);
}

/* The weights that a network starts from, of one input or none as well; what would take more than
 * there is, with its bytes. */
static void check_shape(void)
{
    struct mlp_options options = {.layers = 2, .hidden = {3, 9}, .outputs = 2};
    check_group("the start of a network");
    for (int64_t d = 0; d <= 5; d++) {
        struct random g = {17}, same = {17};
        struct mlp mlp;
        const int64_t units[] = {3, 9, 2}, inputs[] = {d, 3, 9};
        CHECK(mlp_make(&mlp, d, &options, NULL) == 0 && mlp.layers == 3, "memory");
        mlp_start(&mlp, &g);
        for (int64_t l = 0; l < 3; l++) {
            const struct mlp_layer *layer = &mlp.layer[l];
            CHECK_INT(layer->w.rows, l == 0 ? d + 1 : inputs[l], "%d features, layer %d: rows",
                      (int)d, (int)l);
            CHECK_INT(layer->inputs, inputs[l], "%d features, layer %d: inputs", (int)d, (int)l);
            CHECK_INT(layer->b.rows, 1, "%d features, layer %d: rows of b", (int)d, (int)l);
            for (int64_t i = 0; i < layer->w.rows; i++)
                for (int64_t k = 0; k < layer->w.stride; k++) {
                    double want = k < units[l]
                                      ? sqrt(2 / fmax(1, (double)inputs[l])) * random_normal(&same)
                                      : 0;
                    CHECK_NEAR(layer->w.w[i * layer->w.stride + k], want, 0,
                               "%d features, layer %d, row %d, unit %d", (int)d, (int)l, (int)i,
                               (int)k);
                }
            for (int64_t k = 0; k < layer->b.stride; k++)
                CHECK_NEAR(layer->b.w[k], 0, 0, "%d features, layer %d: b of unit %d", (int)d,
                           (int)l, (int)k);
        }
        mlp_release(&mlp);
    }

    check_group("a network that is too large");
    for (int apart = 0; apart < 2; apart++) {
        const int64_t d = INT64_C(1) << 36;
        struct mlp_options large = {
            .layers = 2, .hidden = {100, 7}, .outputs = 3, .validation = 0.1 * apart};
        struct error err = {0};
        struct mlp mlp;
        char bytes[64];
        snprintf(bytes, sizeof bytes, " (%.0f bytes) needed",
                 (2 + apart) * weights_bytes(100, d)
                     + (3 + apart) * (weights_bytes(7, 100) + weights_bytes(3, 7)));
        CHECK_INT(mlp_make(&mlp, d, &large, &err), -1, "validation %g", large.validation);
        CHECK(strstr(err.message,
                     " for a network of 68719476736 inputs and 100 units in its first layer: ")
                  && strstr(err.message, bytes),
              "%s, not%s", err.message, bytes);
    }
}

static void check_refusals(void)
{
    struct problem data;
    struct error err;
    draw_xor(&data, 1, 40);
    check_group("options out of range");
    struct mlp_options bad[24];
    int n = 0;
    for (; n < 24; n++)
        bad[n] = PLAIN;
    n = 0;
    bad[n++].layers = 0, bad[n++].layers = -1, bad[n++].layers = MLP_MOST_LAYERS + 1,
    bad[n++].hidden[0] = 0, bad[n++].hidden[0] = INT64_MAX;
    bad[n++].layers = 2; /* the second has no units */
    bad[n++].outputs = 1, bad[n++].outputs = INT64_MAX, bad[n++].dropout = 1,
    bad[n++].dropout = -0.1, bad[n++].dropout = NAN;
    bad[n++].rate = 0, bad[n++].rate = INFINITY, bad[n++].rate = NAN, bad[n++].delta = 0,
    bad[n++].delta = NAN, bad[n++].batch = 0, bad[n++].batch = INT64_MAX;
    bad[n++].epochs = 0, bad[n++].validation = 1, bad[n++].validation = -0.5,
    bad[n++].validation = NAN;
    for (int i = 0; i < n; i++) {
        struct mlp *mlp = NULL;
        err = (struct error){0};
        CHECK(mlp_train(&data, &bad[i], 1, &mlp, &err) == -1 && !mlp && err.message[0],
              "case %d: %s", i, err.message);
    }
    check_group("options at the limits of their range");
    static const struct {
        struct mlp_options options;
        const char *reason; /* NULL: they are fine */
    } limit[] = {
        {{.layers = 1,
          .hidden = {1},
          .outputs = 2,
          .rate = 1e300,
          .delta = 1e300,
          .batch = 1,
          .epochs = 1},
         NULL},
        {{.layers = 8,
          .hidden = {1, 1, 1, 1, 1, 1, 1, 65536},
          .outputs = 65536,
          .dropout = 0.999,
          .rate = 5e-324,
          .delta = 5e-324,
          .batch = INT32_MAX,
          .epochs = INT64_MAX,
          .validation = 0.999},
         NULL},
        {{.layers = 0}, "a network has 1 to 8 hidden layers"},
        {{.layers = 9}, "a network has 1 to 8 hidden layers"},
        {{.layers = 1, .hidden = {0}}, "a hidden layer has 1 to 65536 units"},
        {{.layers = 2, .hidden = {1, 0}}, "a hidden layer has 1 to 65536 units"},
        {{.layers = 2, .hidden = {1, 65537}}, "a hidden layer has 1 to 65536 units"},
        {{.layers = 1, .hidden = {1}, .outputs = 1}, "a network has 2 to 65536 outputs"},
        {{.layers = 1, .hidden = {1}, .outputs = 65537}, "a network has 2 to 65536 outputs"},
        {{.layers = 1, .hidden = {1}, .outputs = 2, .dropout = 1},
         "dropout is at least 0 and below 1"},
        {{.layers = 1, .hidden = {1}, .outputs = 2, .dropout = -5e-324},
         "dropout is at least 0 and below 1"},
        {{.layers = 1, .hidden = {1}, .outputs = 2, .rate = 0, .delta = 1},
         "AdaGrad's rate and delta are greater than 0"},
        {{.layers = 1, .hidden = {1}, .outputs = 2, .rate = 1, .delta = 0},
         "AdaGrad's rate and delta are greater than 0"},
        {{.layers = 1, .hidden = {1}, .outputs = 2, .rate = 1.01e300, .delta = 1},
         "AdaGrad's rate and delta are greater than 0"},
        {{.layers = 1, .hidden = {1}, .outputs = 2, .rate = 1, .delta = 1.01e300},
         "AdaGrad's rate and delta are greater than 0"},
        {{.layers = 1, .hidden = {1}, .outputs = 2, .rate = 1, .delta = 1, .batch = 1},
         "there is at least one epoch, and a minibatch has 1 to 2147483647 examples"},
        {{.layers = 1, .hidden = {1}, .outputs = 2, .rate = 1, .delta = 1, .epochs = 1},
         "there is at least one epoch, and a minibatch has 1 to 2147483647 examples"},
        {{.layers = 1,
          .hidden = {1},
          .outputs = 2,
          .rate = 1,
          .delta = 1,
          .epochs = 1,
          .batch = INT64_C(2147483648)},
         "there is at least one epoch, and a minibatch has 1 to 2147483647 examples"},
        {{.layers = 1,
          .hidden = {1},
          .outputs = 2,
          .rate = 1,
          .delta = 1,
          .epochs = 1,
          .batch = 1,
          .validation = 1},
         "the share of examples for validation is at least 0 and below 1"},
        {{.layers = 1,
          .hidden = {1},
          .outputs = 2,
          .rate = 1,
          .delta = 1,
          .epochs = 1,
          .batch = 1,
          .validation = -5e-324},
         "the share of examples for validation is at least 0 and below 1"},
    };
    for (size_t i = 0; i < sizeof limit / sizeof *limit; i++) {
        err = (struct error){0};
        CHECK_INT(mlp_check(&limit[i].options, &err), limit[i].reason ? -1 : 0, "case %d", (int)i);
        CHECK(strcmp(err.message, limit[i].reason ? limit[i].reason : "") == 0, "case %d: %s",
              (int)i, err.message);
    }

    check_group("data that cannot be learnt from");
    static const char *const reason[] = {
        "a network cannot learn from no example", "class 2 of a network with 2 outputs",
        "class -1 of a network with 2 outputs",
        "the loss of the network is not finite: its inputs are too large"};
    for (int i = 0; i < 4; i++) {
        struct mlp *mlp = NULL;
        struct problem changed = data;
        err = (struct error){0};
        int64_t label = data.label[3];
        double value = data.value[4];
        if (i == 0)
            changed.n = 0;
        else if (i == 3)
            data.value[4] = 1e308, data.value[3] = -1e308;
        else
            data.label[3] = i == 1 ? 2 : -1;
        CHECK(mlp_train(&changed, &PLAIN, 1, &mlp, &err) == -1 && !mlp
                  && strcmp(err.message, reason[i]) == 0,
              "case %d: %s", i, err.message);
        data.label[3] = label;
        data.value[4] = value;
    }
    mlp_free(NULL);
    problem_free(&data);
}

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

int main(void)
{
    check_softmax();
    check_golden();
    check_gradients();
    check_sparse_step();
    check_training();
    check_epochs();
    check_threads();
    check_shape();
    check_refusals();
    return check_finish();
}
