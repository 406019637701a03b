/* Training of the network: it learns what no linear rule can, goes through the epochs as it is
 * described, keeps the best of them, and gives the same bytes by any number of threads. */
#include "check.h"
#include "learners/mlp/mlp_state.h"
#include "mlp_examples.h"

#include <stdlib.h>
#include <string.h>

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
        memset(q, 0, sizeof q);
        CHECK(mlp_predict(one, &problem, 39, WAYS, threads, q, NULL) == 0
                  && memcmp(p, q, sizeof p) == 0,
              "prediction on %d", threads);
        mlp_free(mlp);
    }
    struct mlp_options small = PLAIN;
    small.outputs = 3;
    small.batch = problem.n;
    struct mlp *two[2] = {train(&problem, &small, 1), NULL};
    small.batch = INT32_MAX; /* memory is taken for no more examples than there are */
    two[1] = train(&problem, &small, 0);
    CHECK(same(two[0], two[1]), "no thread is one, the largest minibatch has all examples");
    mlp_free(two[0]), mlp_free(two[1]);
    memset(q, 0, sizeof q);
    CHECK(mlp_predict(one, &problem, 39, WAYS, 0, q, NULL) == 0 && memcmp(p, q, sizeof p) == 0,
          "prediction on no thread, which is one");
    problem.n = 2;
    memset(q, 0, sizeof q);
    CHECK(mlp_predict(one, &problem, 39, WAYS, 4, q, NULL) == 0
              && memcmp(p, q, 2 * WAYS * 3 * sizeof *p) == 0,
          "more threads than examples");

    check_group("prediction beside one more entry");
    CHECK(mlp_predict(one, &problem, 0, 0, 1, q, NULL) == 0, "memory");
    for (int k = 0; k < 3; k++)
        CHECK(q[k] == p[2 * 3 + k], "entry 41 is beyond the network"); /* of ways 39, 40, 41 */
    for (int32_t entry = 39; entry <= 40; entry++) { /* the last but one, and the last */
        struct problem with = {0};
        struct example x = problem_example(&problem, 0);
        int32_t index[64];
        double value[64];
        memcpy(index, x.index, (size_t)x.size * sizeof *index);
        memcpy(value, x.value, (size_t)x.size * sizeof *value);
        index[x.size] = entry;
        value[x.size] = 1;
        append(&with, 0, x.size + 1, index, value);
        CHECK(mlp_predict(one, &with, 0, 0, 1, q, NULL) == 0, "memory");
        for (int k = 0; k < 3; k++)
            CHECK_NEAR(p[(entry - 39) * 3 + k], q[k], 1e-14, "entry %d, class %d", (int)entry, k);
        problem_free(&with);
    }
    problem_free(&problem);
    mlp_free(one);
}

int main(void)
{
    check_training();
    check_epochs();
    check_threads();
    return check_finish();
}
