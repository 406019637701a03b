/* The shape and the start of a network, and what is refused: networks that are too large, options
 * out of range, data that cannot be learnt from. */
#include "check.h"
#include "learners/mlp/mlp_state.h"
#include "mlp_examples.h"

#include <string.h>

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

static void check_bad_options(void)
{
    struct problem data;
    check_group("options out of range");
    draw_xor(&data, 1, 40);
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
        struct error err = {0};
        CHECK(mlp_train(&data, &bad[i], 1, &mlp, &err) == -1 && !mlp && err.message[0],
              "case %d: %s", i, err.message);
    }
    problem_free(&data);
}

static void check_option_limits(void)
{
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
         "AdaGrad's rate and delta are greater than 0 and at most 1e+300"},
        {{.layers = 1, .hidden = {1}, .outputs = 2, .rate = 1, .delta = 0},
         "AdaGrad's rate and delta are greater than 0 and at most 1e+300"},
        {{.layers = 1, .hidden = {1}, .outputs = 2, .rate = 1.01e300, .delta = 1},
         "AdaGrad's rate and delta are greater than 0 and at most 1e+300"},
        {{.layers = 1, .hidden = {1}, .outputs = 2, .rate = 1, .delta = 1.01e300},
         "AdaGrad's rate and delta are greater than 0 and at most 1e+300"},
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
        struct error err = {0};
        CHECK_INT(mlp_check(&limit[i].options, &err), limit[i].reason ? -1 : 0, "case %d", (int)i);
        CHECK(strcmp(err.message, limit[i].reason ? limit[i].reason : "") == 0, "case %d: %s",
              (int)i, err.message);
    }
}

static void check_bad_data(void)
{
    check_group("data that cannot be learnt from");
    struct problem data;
    draw_xor(&data, 1, 40);
    static const char *const reason[] = {
        "a network cannot learn from no example", "class 2 of a network with 2 outputs",
        "class -1 of a network with 2 outputs",
        "the loss of the network is not finite: its inputs are too large"};
    for (int i = 0; i < 4; i++) {
        struct mlp *mlp = NULL;
        struct problem changed = data;
        struct error err = {0};
        int64_t label = data.label[3];
        const double value[] = {data.value[3], data.value[4]};
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
        data.value[3] = value[0], data.value[4] = value[1];
    }
    mlp_free(NULL);

    /* Whichever example is too large: also one of those that are held out. */
    data.n = 8;
    for (int64_t i = 0; i < data.n; i++) {
        struct mlp_options options = PLAIN;
        struct mlp *mlp = NULL;
        struct error err = {0};
        const double value[] = {data.value[3 * i], data.value[3 * i + 1]};
        options.validation = 0.5;
        options.epochs = 1;
        data.value[3 * i] = 1e308, data.value[3 * i + 1] = -1e308;
        CHECK(mlp_train(&data, &options, 1, &mlp, &err) == -1 && !mlp
                  && strcmp(err.message, reason[3]) == 0,
              "example %d: %s", (int)i, err.message);
        mlp_free(mlp);
        data.value[3 * i] = value[0], data.value[3 * i + 1] = value[1];
    }
    problem_free(&data);
}

int main(void)
{
    check_shape();
    check_bad_options();
    check_option_limits();
    check_bad_data();
    return check_finish();
}
