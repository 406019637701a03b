/* The network beside numbers from elsewhere (tests/golden/bandit/mlp.txt): probabilities, loss,
 * gradients with and without dropout, and steps of AdaGrad. */
#include "check.h"
#include "learners/mlp/mlp_state.h"
#include "mlp_examples.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 64, PATH = 512 };

static const double TOLERANCE = 1e-12;

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

int main(void)
{
    check_golden();
    return check_finish();
}
