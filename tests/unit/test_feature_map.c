/* What maps of both kinds have in common: the same numbers for one example, a table and a problem
 * and by any number of threads; folding, defaults, values that are too large, and models with a
 * map. */
#include "check.h"
#include "common/base/random.h"
#include "common/kernel/feature_map.h"
#include "feature_map_cases.h"
#include "learners/online/online.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One example, blocks, a table, a problem, any number of threads: the same numbers. */
static void test_same(int64_t kind)
{
    enum { N = 700, D = 75 };
    check_group("the same numbers, %s", feature_map_names[kind]);
    struct problem problem = problem_make(N, 9, 1, 4), mapped = {.n = 0};
    struct feature_map map;
    double *phi = malloc(sizeof(double) * N * D), one[D];
    float *table = malloc(sizeof(float) * N * D);
    if (map_ready(kind, D, 0.1, &problem, &map)
        && feature_map_rows(&map, &problem, phi, NULL) == 0) {
        for (int64_t i = 0; i < N; i += 13) {
            const struct example x = problem_example(&problem, i);
            CHECK(map_one(&map, &x, one, NULL) == 0 && memcmp(one, phi + i * D, sizeof one) == 0,
                  "example %d alone", (int)i);
        }
        for (int threads = 1; threads <= 5; threads += 2) {
            bool same = feature_map_table(&map, &problem, table, threads, NULL) == 0;
            for (int64_t c = 0; c < N * D; c++)
                same &= !(table[c] < (float)phi[c] || table[c] > (float)phi[c]);
            CHECK(same, "a table by %d threads", threads);
            CHECK(feature_map_problem(&map, &problem, 2, threads, &mapped, NULL) == 0,
                  "a problem by %d threads", threads);
            CHECK(mapped.n == N && mapped.nnz == N * (D + 1) && mapped.d == D, "its size");
            for (int64_t i = 0; i < N; i++) {
                const struct example x = problem_example(&mapped, i);
                CHECK(x.size == D + 1 && x.index[0] == 1 && x.index[D - 1] == D && x.index[D] == 0
                          && x.value[D] == 2 && x.label == problem.label[i]
                          && x.line == problem.line[i]
                          && memcmp(x.value, phi + i * D, D * sizeof *phi) == 0,
                      "example %d by %d threads", (int)i, threads);
            }
        }
    }
    feature_map_free(&map);
    problem_free(&mapped);
    problem_free(&problem);
    free(table);
    free(phi);
}

/* The memory of mapped examples is used again, for fewer and for more. */
static void test_memory_again(void)
{
    enum { D = 5 };
    static const int n[] = {20, 3, 25, 40, 21};
    check_group("memory used again");
    struct problem mapped = {.n = 0};
    for (size_t t = 0; t < sizeof n / sizeof *n; t++) {
        struct problem problem = problem_make(n[t], 9, 1, t + 1);
        struct feature_map map;
        double phi[D];
        if (map_ready(FEATURE_MAP_FOURIER, D, 0.1, &problem, &map)
            && feature_map_problem(&map, &problem, -1, 1, &mapped, NULL) == 0) {
            const struct example last = problem_example(&problem, n[t] - 1);
            const struct example x = problem_example(&mapped, n[t] - 1);
            CHECK(map_one(&map, &last, phi, NULL) == 0 && mapped.n == n[t] && x.line == last.line
                      && memcmp(x.value, phi, sizeof phi) == 0,
                  "%d examples", n[t]);
        }
        feature_map_free(&map);
        problem_free(&problem);
    }
    problem_free(&mapped);
}

/* W'phi = V'basis. */
static void test_fold(int64_t kind)
{
    enum { N = 40, D = 30, K = 3 };
    check_group("folding, %s", feature_map_names[kind]);
    struct problem problem = problem_make(N, 5, 1, 6);
    struct feature_map map;
    struct random g = random_seeded(1, 1);
    double phi[N * D], basis[N * D], w[D * K], v[D * K];
    for (int c = 0; c < D * K; c++)
        v[c] = w[c] = random_normal(&g);
    if (map_ready(kind, D, 0.3, &problem, &map) && feature_map_rows(&map, &problem, phi, NULL) == 0
        && feature_map_basis(&map, &problem, basis, NULL) == 0) {
        CHECK(feature_map_fold(&map, K, v, 2, NULL) == 0, "folded");
        for (int i = 0; i < N; i++)
            for (int k = 0; k < K; k++) {
                double score = 0, folded = 0;
                for (int j = 0; j < D; j++) {
                    score += phi[i * D + j] * w[j * K + k];
                    folded += basis[i * D + j] * v[j * K + k];
                }
                CHECK_NEAR(folded, score, 1e-10, "example %d, class %d", i, k);
            }
    }
    feature_map_free(&map);
    problem_free(&problem);
}

/* What is chosen where nothing is said. */
static void test_defaults(void)
{
    enum { N = 31, D = 7 };
    check_group("defaults");
    struct problem problem = problem_make(N, D, 3, 2);
    double x[N][D + 1] = {{0}}, variance = 0;
    for (int i = 0; i < N; i++) {
        const struct example e = problem_example(&problem, i);
        for (int64_t j = 0; j < e.size; j++)
            x[i][e.index[j]] = e.value[j];
    }
    for (int j = 1; j <= D; j++) {
        double mean = 0;
        for (int i = 0; i < N; i++)
            mean += x[i][j] / N;
        for (int i = 0; i < N; i++)
            variance += (x[i][j] - mean) * (x[i][j] - mean) / N;
    }
    struct feature_map nystrom = feature_map_make(FEATURE_MAP_NYSTROM, 0, 0, 1),
                       fourier = feature_map_make(FEATURE_MAP_FOURIER, 0, 0, 1);
    CHECK(feature_map_needs_data(&nystrom) && feature_map_needs_data(&fourier), "open");
    CHECK(feature_map_fit(&nystrom, &problem, NULL) == 0
              && feature_map_fit(&fourier, &problem, NULL) == 0,
          "fitted");
    CHECK(!feature_map_needs_data(&nystrom) && !feature_map_needs_data(&fourier), "fitted");
    CHECK_NEAR(nystrom.gamma, 1 / variance, 1e-12, "gamma");
    CHECK(fourier.gamma == nystrom.gamma, "the same gamma");
    CHECK_INT(nystrom.dims, N / 2, "landmarks");
    CHECK_INT(fourier.dims, FEATURE_MAP_USUAL_DIMS, "features");
    CHECK(feature_map_equal(&nystrom, &nystrom) && !feature_map_equal(&nystrom, &fourier),
          "equal to itself only");
    struct feature_map other = feature_map_make(FEATURE_MAP_NYSTROM, 0, 0, 2);
    CHECK(feature_map_fit(&other, &problem, NULL) == 0 && !feature_map_equal(&nystrom, &other),
          "other landmarks");
    struct feature_map known = feature_map_make(FEATURE_MAP_FOURIER, 3, 0.5, 1);
    CHECK(!feature_map_needs_data(&known), "all is said");
    CHECK(feature_map_most_features(&known, 1e6) > 100
              && feature_map_most_features(&known, 1e6) < 100000
              && feature_map_most_features(&nystrom, 1) == INT32_MAX,
          "what fits");
    feature_map_free(&nystrom);
    feature_map_free(&fourier);
    feature_map_free(&other);
    feature_map_free(&known);
    problem_free(&problem);
}

static void test_too_large(void)
{
    check_group("values too large");
    struct feature_map f;
    struct error err = {0};
    struct problem huge = problem_make(600, 3, 1e308, 1), small = problem_make(5, 3, 1, 1);
    double *z = malloc(600 * 4 * sizeof *z);
    if (fourier_ready(4, 100, 1, 3, &f))
        CHECK(feature_map_rows(&f, &huge, z, &err) != 0 && err.message[0] && err.line == 1,
              "refused, with its line: %s, %d", err.message, (int)err.line);
    feature_map_free(&f);
    f = feature_map_make(FEATURE_MAP_NYSTROM, 4, 1, 1);
    CHECK(feature_map_fit(&f, &huge, &err) == 0 && feature_map_prepare(&f, 1, &err) != 0
              && strstr(err.message, "landmarks"),
          "landmarks: %s", err.message);
    feature_map_free(&f);
    f = feature_map_make(FEATURE_MAP_NYSTROM, 4, 0, 1);
    CHECK(feature_map_fit(&f, &huge, &err) != 0 && strstr(err.message, "too large"), "gamma: %s",
          err.message);
    feature_map_free(&f);
    if (map_ready(FEATURE_MAP_NYSTROM, 4, 1, &small, &f)) {
        struct problem mapped = {.n = 0};
        err = (struct error){0};
        CHECK(feature_map_problem(&f, &huge, -1, 3, &mapped, &err) != 0 && err.line == 1,
              "the first line in error: %d", (int)err.line);
        problem_free(&mapped);
    }
    feature_map_free(&f);
    problem_free(&huge);
    problem_free(&small);
    free(z);
}

/* A learner of mapped features must not take the features of the data for these: without its map a
 * model is refused. */
static void test_model(void)
{
    check_group("a model with a map is loaded with it or not at all");
    char path[] = "/tmp/test_feature_map.XXXXXX";
    const int fd = mkstemp(path);
    struct labels labels = {0};
    struct error err = {0};
    struct model model = {0};
    struct feature_map made = feature_map_make(FEATURE_MAP_FOURIER, 3, 1, 7);
    struct data_form form = {.bias = -1, .seed = 1, .map = &made.base}, again;
    CHECK(fd >= 0 && close(fd) == 0 && labels_parse("1-3", &labels, NULL) == 0, "a file");
    struct online *o = online_new(&(struct online_options){.rule = ONLINE_PERCEPTRON}, &labels,
                                  NULL);
    const struct example x = {
        .line = 1, .size = 1, .index = (int32_t[]){3}, .value = (double[]){1}};
    CHECK(o && online_learn(o, &x, 0, 1, NULL) == 0, "a learner");
    CHECK(online_save(o, &form, path, 1, &err) == 0, "saved: %s", err.message);
    online_free(o);
    CHECK(model_read(path, 1, true, &model, &err) == 0, "%s", err.message);
    o = online_load(&model, &again, &err);
    CHECK(!o && strstr(err.message, "has a map") && strcmp(err.file, path) == 0, "%s: %s", err.file,
          err.message);
    online_free(o);
    struct feature_map taken = model_take_map(&model);
    CHECK(feature_map_equal(&taken, &made), "the map");
    CHECK((o = online_load(&model, &again, &err)) && !again.map, "without it: %s", err.message);
    online_free(o);
    feature_map_free(&taken);
    model_free(&model);
    labels_free(&labels);
    remove(path);
}

/* Maps that make the same features are equal: the seed matters only where directions are drawn by
 * it, and of landmarks every value does. */
static void test_equal(void)
{
    enum { N = 4 };
    static const int32_t index[] = {1, 3};
    struct problem data = {0};
    struct feature_map map[3];
    check_group("equal maps");
    const struct feature_map fourier = feature_map_make(FEATURE_MAP_FOURIER, 8, 0.5, 1),
                             again = feature_map_make(FEATURE_MAP_FOURIER, 8, 0.5, 1),
                             seed = feature_map_make(FEATURE_MAP_FOURIER, 8, 0.5, 2),
                             gamma = feature_map_make(FEATURE_MAP_FOURIER, 8, 0.25, 1),
                             dims = feature_map_make(FEATURE_MAP_FOURIER, 9, 0.5, 1),
                             none = feature_map_make(FEATURE_MAP_NONE, 0, 0, 1),
                             other = feature_map_make(FEATURE_MAP_NONE, 0, 0, 2);
    CHECK(feature_map_equal(&fourier, &again), "the same");
    CHECK(!feature_map_equal(&fourier, &seed), "another seed");
    CHECK(!feature_map_equal(&fourier, &gamma), "another gamma");
    CHECK(!feature_map_equal(&fourier, &dims), "other dimensions");
    CHECK(feature_map_equal(&none, &other), "no map");
    for (int i = 0; i < N; i++) {
        const double value[] = {i, 1};
        const struct example x = {.line = i + 1, .size = 2, .index = index, .value = value};
        CHECK_INT(problem_append_example(&data, &x, NULL), 0, "memory");
    }
    /* All examples are landmarks, whatever the seed; the last value of the third map is another. */
    for (int m = 0; m < 3; m++) {
        map[m] = feature_map_make(FEATURE_MAP_NYSTROM, N, 0.5, m);
        data.value[data.nnz - 1] = m == 2 ? 2 : 1;
        CHECK_INT(feature_map_fit(&map[m], &data, NULL), 0, "map %d", m);
    }
    CHECK(feature_map_equal(&map[0], &map[1]), "the same landmarks");
    CHECK(!feature_map_equal(&map[0], &map[2]), "another landmark");
    for (int m = 0; m < 3; m++)
        feature_map_free(&map[m]);
    problem_free(&data);
}

int main(void)
{
    test_model();
    test_same(FEATURE_MAP_NYSTROM);
    test_same(FEATURE_MAP_FOURIER);
    test_memory_again();
    test_fold(FEATURE_MAP_NYSTROM);
    test_fold(FEATURE_MAP_FOURIER);
    test_defaults();
    test_too_large();
    test_equal();
    return check_finish();
}
