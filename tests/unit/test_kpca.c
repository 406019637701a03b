/* Kernel principal components (learners/features/kpca.h) against a plain implementation: centred
 * kernel matrix, Jacobi's eigenvectors; with landmarks, of many examples and of little. */
#include "check.h"
#include "common/base/random.h"
#include "jacobi.h"
#include "kpca_examples.h"
#include "learners/features/kpca.h"

#include <stdlib.h>
#include <string.h>

enum { N = 45, NEW = 20, D = 6 }; /* examples, new ones, dimensions */

/* ---- a plain implementation ---- */

static double *new_matrix(int64_t n, int64_t m)
{
    double *a = calloc((size_t)(n * m), sizeof *a);
    if (!a)
        exit(1);
    return a;
}

static double plain_kernel(const struct kernel *k, const struct problem *p, int64_t i,
                           const struct problem *q, int64_t j)
{
    double u[F] = {0}, v[F] = {0}, product = 0, distance = 0;
    struct example x = problem_example(p, i), y = problem_example(q, j);
    for (int64_t e = 0; e < x.size; e++)
        u[x.index[e] - 1] = x.value[e];
    for (int64_t e = 0; e < y.size; e++)
        v[y.index[e] - 1] = y.value[e];
    for (int f = 0; f < F; f++) {
        product += u[f] * v[f];
        distance += (u[f] - v[f]) * (u[f] - v[f]);
    }
    switch (k->type) {
    case KERNEL_LINEAR:
        return product;
    case KERNEL_POLYNOMIAL:
        return pow(k->gamma * product + k->coef0, (double)k->degree);
    case KERNEL_RBF:
        return exp(-k->gamma * distance);
    default:
        return tanh(k->gamma * product + k->coef0);
    }
}

/* y: rows of `some` x D, by the definition.  value: out, D. */
static void plain_kpca(const struct kernel *kernel, const struct problem *p,
                       const struct problem *some, double *value, double *y)
{
    int64_t n = p->n;
    double *k = new_matrix(n, n), *v = new_matrix(n, n), *mean = new_matrix(n, 1), all = 0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++)
            mean[i] += (k[i * n + j] = plain_kernel(kernel, p, i, p, j)) / (double)n;
        all += mean[i] / (double)n;
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            k[i * n + j] += all - mean[i] - mean[j];
    jacobi(n, k, v);
    for (int64_t c = 0; c < D; c++) {
        int64_t at = 0;
        for (int64_t i = 1; i < n; i++)
            if (k[i * n + i] > k[at * n + at])
                at = i;
        value[c] = k[at * n + at];
        k[at * n + at] = -1; /* taken */
        for (int64_t s = 0; s < some->n; s++) {
            double of_new = 0, sum = 0;
            for (int64_t i = 0; i < n; i++)
                of_new += plain_kernel(kernel, p, i, some, s) / (double)n;
            for (int64_t i = 0; i < n; i++)
                sum += v[i * n + at] / sqrt(value[c])
                       * (plain_kernel(kernel, p, i, some, s) - of_new - mean[i] + all);
            y[s * D + c] = sum;
        }
    }
    free(k), free(v), free(mean);
}

/* ---- the library ---- */

/* What a model says: rows of `some` x columns. */
static double *project(const struct kernel_model *m, const struct problem *some)
{
    struct kernel_data a, b;
    double *k = new_matrix(some->n, m->sv.n), *y = new_matrix(some->n, m->columns);
    if (kernel_data_make(some, NULL, &a, NULL) != 0 || kernel_data_make(&m->sv, &a, &b, NULL) != 0
        || kernel_block(&m->kernel, kernel_all(&a), kernel_all(&b), k, 1, NULL) != 0)
        exit(1);
    for (int64_t s = 0; s < some->n; s++)
        for (int64_t c = 0; c < m->columns; c++) {
            double sum = -m->rho[c];
            for (int64_t i = 0; i < m->sv.n; i++)
                sum += m->coef[i * m->columns + c] * k[s * m->sv.n + i];
            y[s * m->columns + c] = sum;
        }
    kernel_data_free(&a);
    kernel_data_free(&b);
    free(k);
    return y;
}

/* The same up to the signs of the dimensions, relative to the spread of the first. */
static void compare(const char *what, int64_t rows, const double *got, const double *want,
                    double scale, double tolerance)
{
    for (int64_t c = 0; c < D; c++) {
        double same = 0, opposite = 0;
        for (int64_t s = 0; s < rows; s++) {
            same = fmax(same, fabs(got[s * D + c] - want[s * D + c]));
            opposite = fmax(opposite, fabs(got[s * D + c] + want[s * D + c]));
        }
        CHECK(fmin(same, opposite) <= tolerance * scale, "%s, dimension %lld: off by %g of %g",
              what, (long long)c, fmin(same, opposite), scale);
    }
}

/* In each dimension the coefficient of largest magnitude is positive. */
static void check_signs(const struct kernel_model *m)
{
    for (int64_t c = 0; c < m->columns; c++) {
        double highest = 0, lowest = 0;
        for (int64_t i = 0; i < m->sv.n; i++) {
            highest = fmax(highest, m->coef[i * m->columns + c]);
            lowest = fmin(lowest, m->coef[i * m->columns + c]);
        }
        CHECK(highest >= -lowest, "dimension %lld: coefficients from %g to %g", (long long)c,
              lowest, highest);
    }
}

/* The landmarks are the first of a shuffled order, in the order in which they stand. */
static void check_landmarks(const struct problem *p, const struct kernel_model *m, uint64_t seed)
{
    struct random g = random_seeded(seed, 0);
    int64_t *order = calloc((size_t)p->n, sizeof *order),
            *rank = calloc((size_t)p->n, sizeof *rank), at = 0;
    if (!order || !rank)
        exit(1);
    int32_t d = 0;
    for (int64_t i = 0; i < p->n; i++)
        order[i] = i;
    random_shuffle(&g, order, p->n);
    for (int64_t i = 0; i < p->n; i++)
        rank[order[i]] = i;
    for (int64_t i = 0; i < p->n; i++) {
        if (rank[i] >= m->sv.n)
            continue;
        struct example want = problem_example(p, i), got = problem_example(&m->sv, at++);
        CHECK(got.size == want.size
                  && memcmp(got.index, want.index, (size_t)want.size * sizeof *want.index) == 0
                  && memcmp(got.value, want.value, (size_t)want.size * sizeof *want.value) == 0,
              "landmark %lld is example %lld", (long long)at, (long long)i);
        CHECK(got.label == EXAMPLE_UNLABELLED && got.line == want.line,
              "landmark %lld has label %lld", (long long)at, (long long)got.label);
        d = example_largest_index(&want) > d ? example_largest_index(&want) : d;
    }
    CHECK_INT(m->sv.d, d, "largest index of the landmarks");
    CHECK_INT(m->sv.nnz, m->sv.row_start[m->sv.n], "entries of the landmarks");
    free(order), free(rank);
}

static void check_kernel(const struct problem *p, const struct problem *some,
                         const struct kernel *kernel)
{
    check_group("kernel PCA, %s", kernel_names[kernel->type]);
    struct kpca_options o = {.kernel = *kernel, .dimensions = D, .seed = 1, .threads = 1};
    struct kpca_report report, other;
    struct kernel_model m = train(p, o, &report);
    double value[D], kept = 0, *y = project(&m, p), *y_new = project(&m, some),
                     *plain = new_matrix(N, D), *plain_new = new_matrix(NEW, D);
    int64_t columns = m.columns;
    CHECK_INT(columns, kernel->type == KERNEL_LINEAR ? F : D,
              "dimensions"); /* the linear one has no more than the features */
    if (columns < D) {       /* compare in a table of D columns */
        free(y), free(y_new);
        y = new_matrix(N, D), y_new = new_matrix(NEW, D);
        double *a = project(&m, p), *b = project(&m, some);
        for (int64_t s = 0; s < N; s++)
            memcpy(y + s * D, a + s * columns, (size_t)columns * sizeof *y);
        for (int64_t s = 0; s < NEW; s++)
            memcpy(y_new + s * D, b + s * columns, (size_t)columns * sizeof *y);
        free(a), free(b);
    }
    plain_kpca(kernel, p, p, value, plain);
    plain_kpca(kernel, p, some, value, plain_new);
    for (int64_t c = columns; c < D; c++) { /* nothing but rounding there */
        for (int64_t s = 0; s < N; s++)
            plain[s * D + c] = 0;
        for (int64_t s = 0; s < NEW; s++)
            plain_new[s * D + c] = 0;
    }
    compare("examples", N, y, plain, sqrt(value[0]), 1e-9);
    compare("new examples", NEW, y_new, plain_new, sqrt(value[0]), 1e-9);

    for (int64_t c = 0; c < columns; c++) {
        double sum = 0;
        kept += value[c];
        for (int64_t i = 0; i < N; i++)
            sum += m.coef[i * columns + c];
        CHECK_NEAR(sum, 0, 1e-12, "sum of the coefficients of dimension %lld", (long long)c);
        for (int64_t e = 0; e < columns; e++) {
            double covariance = 0, mean = 0;
            for (int64_t s = 0; s < N; s++) {
                covariance += y[s * D + c] * y[s * D + e] / N;
                mean += y[s * D + c] / N;
            }
            CHECK(fabs(covariance - (c == e ? value[c] / N : 0)) <= 1e-12 * value[0],
                  "covariance of %lld and %lld", (long long)c, (long long)e);
            CHECK(fabs(mean) <= 1e-12 * sqrt(value[0]), "mean of %lld", (long long)c);
        }
    }
    check_signs(&m);
    CHECK(fabs(report.variance - kept) <= 1e-12 * kept,
          "the sum of the eigenvalues: %g, plainly %g", report.variance, kept);

    for (int threads = 2; threads <= 4; threads++) {
        o.threads = threads;
        struct kernel_model more = train(p, o, &other);
        CHECK(same_model(&m, &more), "%d threads", threads);
        kernel_model_free(&more);
    }
    o.landmarks = N; /* all examples: the exact one, as near as a root of rounding allows; a kernel
                        that is not positive has no such features */
    struct kernel_model all = train(p, o, &other);
    if (kernel->type != KERNEL_SIGMOID) {
        CHECK_INT(all.columns, columns, "dimensions");
        double *again = project(&all, some), *table = new_matrix(NEW, D);
        for (int64_t s = 0; s < NEW && all.columns == columns; s++)
            memcpy(table + s * D, again + s * columns, (size_t)columns * sizeof *table);
        compare("all examples as landmarks", NEW, table, y_new, sqrt(value[0]), 1e-6);
        CHECK_NEAR(other.variance / report.variance, 1, 1e-6,
                   "variance with all examples as landmarks");
        free(again), free(table);
    }
    kernel_model_free(&all);
    o.landmarks = 20; /* fewer: still uncorrelated and centred */
    struct kernel_model few = train(p, o, &other);
    double *z = project(&few, p);
    CHECK_INT(few.sv.n, 20, "landmarks");
    check_landmarks(p, &few, 1);
    check_signs(&few);
    double squares = 0;
    for (int64_t i = 0; i < N * few.columns; i++)
        squares += z[i] * z[i];
    CHECK(fabs(squares - other.variance) <= 1e-9 * other.variance,
          "landmarks: variance %g, of the projections %g", other.variance, squares);
    for (int64_t c = 0; c < few.columns; c++)
        for (int64_t e = 0; e <= c; e++) {
            double covariance = 0, mean = 0;
            for (int64_t s = 0; s < N; s++) {
                covariance += z[s * few.columns + c] * z[s * few.columns + e];
                mean += z[s * few.columns + c] / N;
            }
            CHECK(e == c || fabs(covariance) <= 1e-9 * value[0],
                  "landmarks: covariance of %lld and %lld: %g", (long long)c, (long long)e,
                  covariance);
            CHECK(fabs(mean) <= 1e-9 * sqrt(value[0]), "landmarks: mean of %lld: %g", (long long)c,
                  mean);
        }
    CHECK(kernel->type == KERNEL_SIGMOID || other.variance <= report.variance * (1 + 1e-9),
          "landmarks find no more than there is");
    free(z);
    kernel_model_free(&few);
    kernel_model_free(&m);
    free(y), free(y_new), free(plain), free(plain_new);
}

static void check_limits(struct random *g)
{
    check_group("kernel PCA of little");
    struct problem p = make_problem(g, 12);
    struct kpca_options o = {.kernel = {KERNEL_RBF, 0, 0.5, 0}, .dimensions = 100, .threads = 2};
    struct kpca_report report;
    struct progress silent = {0};
    struct error err;
    struct kernel_model m = train(&p, o, &report);
    CHECK_INT(m.columns, 10, "12 examples, two the same: 10 dimensions");
    CHECK_NEAR(report.variance, report.all, 1e-12, "and all of the variance");
    kernel_model_free(&m);
    for (int64_t i = 1; i < p.n; i++) /* now all are as the first */
        p.row_start[i + 1] = p.row_start[i] + p.row_start[1];
    for (int64_t i = p.row_start[1]; i < p.row_start[p.n]; i++) {
        p.index[i] = p.index[i - p.row_start[1]];
        p.value[i] = p.value[i - p.row_start[1]];
    }
    p.nnz = p.row_start[p.n];
    for (o.landmarks = 0; o.landmarks <= 6; o.landmarks += 6)
        for (o.kernel.type = 0; o.kernel.type < KERNELS; o.kernel.type++)
            CHECK(kpca_train(&p, &o, &m, &report, &silent, &err) == -1
                      && strstr(err.message, "the same") && !m.coef,
                  "constant, %s kernel", kernel_names[o.kernel.type]);
    for (int64_t i = 0; i < p.nnz; i++)
        p.value[i] = 1e200 * (double)i;
    for (o.landmarks = 0; o.landmarks <= 6; o.landmarks += 6) {
        o.kernel.type = KERNEL_LINEAR;
        CHECK(kpca_train(&p, &o, &m, &report, &silent, &err) == -1
                  && strstr(err.message, "not finite") && !m.coef,
              "infinite kernel values");
    }
    problem_free(&p);
    CHECK_INT(kpca_landmarks(&(struct kpca_options){.dimensions = 5}, 10000), 0,
              "10000 examples are done exactly");
    CHECK_INT(kpca_landmarks(&(struct kpca_options){.dimensions = 5}, 10001), KPCA_LANDMARKS,
              "more are not");
    CHECK_INT(kpca_landmarks(&(struct kpca_options){.dimensions = 5000}, 20000), 10000,
              "twice the dimensions");
    CHECK_INT(kpca_landmarks(&(struct kpca_options){.dimensions = 1000}, 20000), KPCA_LANDMARKS,
              "twice the dimensions are just these");
    CHECK_INT(kpca_landmarks(&(struct kpca_options){.dimensions = 1001}, 20000), KPCA_LANDMARKS + 2,
              "twice the dimensions are more");
    CHECK_INT(kpca_landmarks(&(struct kpca_options){.dimensions = 9000}, 10001), 10001,
              "no more than examples, of many");
    CHECK_INT(kpca_landmarks(&(struct kpca_options){.landmarks = 50}, 20), 20,
              "no more than examples");
    CHECK_INT(kpca_landmarks(&(struct kpca_options){.landmarks = 1}, 20), 1, "one");
}

/* More examples than are looked at in one go.  With the linear kernel a few landmarks span all
 * features, so the components are those of the plain covariance: centred, uncorrelated, and all of
 * the variance. */
static void check_many(struct random *g)
{
    enum { MANY = 513 };
    struct problem p = make_problem(g, MANY);
    double mean[F + 1] = {0}, total = 0;
    check_group("kernel PCA of many examples");
    for (int64_t e = 0; e < p.nnz; e++) {
        mean[p.index[e]] += p.value[e] / MANY;
        total += p.value[e] * p.value[e];
    }
    for (int64_t f = 1; f <= F; f++)
        total -= MANY * mean[f] * mean[f];
    for (int64_t landmarks = 0; landmarks <= 12; landmarks += 12) {
        struct kpca_options o = {.kernel = {KERNEL_LINEAR, 0, 0, 0},
                                 .dimensions = F,
                                 .landmarks = landmarks,
                                 .seed = 3,
                                 .threads = 1};
        struct kpca_report report;
        struct kernel_model m = train(&p, o, &report);
        double *y = project(&m, &p), before = HUGE_VAL;
        CHECK_INT(m.columns, F, "%d landmarks: dimensions", (int)landmarks);
        CHECK_NEAR(report.all / total, 1, 1e-11, "%d landmarks: all of the variance",
                   (int)landmarks);
        CHECK_NEAR(report.variance / total, 1, 1e-11, "%d landmarks: the variance", (int)landmarks);
        for (int64_t c = 0; c < m.columns; c++) {
            double sum = 0, squares = 0;
            for (int64_t i = 0; i < MANY; i++) {
                sum += y[i * m.columns + c];
                squares += y[i * m.columns + c] * y[i * m.columns + c];
            }
            CHECK(fabs(sum) <= 1e-10 * sqrt(total), "%d landmarks, dimension %d: sum %g",
                  (int)landmarks, (int)c, sum);
            CHECK(squares <= before * (1 + 1e-9),
                  "%d landmarks, dimension %d: variance %g after %g", (int)landmarks, (int)c,
                  squares, before);
            before = squares;
        }
        for (int64_t i = 0; i < MANY; i += 19) { /* distances are those of the features */
            double d = 0, want = 0, x[F + 1] = {0};
            struct example a = problem_example(&p, i), b = problem_example(&p, MANY - 1);
            for (int64_t c = 0; c < m.columns; c++)
                d += pow(y[i * m.columns + c] - y[(MANY - 1) * m.columns + c], 2);
            for (int64_t e = 0; e < a.size; e++)
                x[a.index[e]] += a.value[e];
            for (int64_t e = 0; e < b.size; e++)
                x[b.index[e]] -= b.value[e];
            for (int64_t f = 1; f <= F; f++)
                want += x[f] * x[f];
            CHECK_NEAR(d, want, 1e-9, "%d landmarks: distance of example %d", (int)landmarks,
                       (int)i);
        }
        free(y);
        kernel_model_free(&m);
    }
    problem_free(&p);
}

/* Features of landmarks have the kernel's inner products, so that distances between them are the
 * kernel's, when all dimensions are kept. */
static void check_features(const struct problem *p)
{
    struct kpca_options o = {.kernel = {KERNEL_RBF, 0, 0.1, 0},
                             .dimensions = 19,
                             .landmarks = 19,
                             .seed = 5,
                             .threads = 1};
    struct kpca_report report;
    check_group("kernel PCA, features of landmarks");
    struct kernel_model m = train(p, o, &report);
    double *y = project(&m, &m.sv);
    CHECK_INT(m.columns, 19, "dimensions");
    CHECK_NEAR(report.variance, report.all, 1e-12, "all of the variance");
    check_landmarks(p, &m, 5);
    for (int64_t i = 0; i < m.sv.n; i++)
        for (int64_t j = 0; j < i; j++) {
            double d = 0;
            for (int64_t c = 0; c < m.columns; c++)
                d += pow(y[i * m.columns + c] - y[j * m.columns + c], 2);
            CHECK_NEAR(d, 2 - 2 * plain_kernel(&o.kernel, &m.sv, i, &m.sv, j), 1e-9,
                       "landmarks %d and %d", (int)i, (int)j);
        }
    free(y);
    kernel_model_free(&m);
}

/* 4, -1 and -3, of mean 0 and with the squares' sum 26, or their negatives: the component is x /
 * 26, or -x / 26 so that the coefficient of the first, which is the largest, is positive. */
static void check_first(double sign)
{
    static const double x[] = {4, -1, -3};
    static const int32_t index = 1;
    const struct kpca_options options = {
        .kernel = {.type = KERNEL_LINEAR}, .dimensions = 1, .threads = 1};
    struct problem p = {.n = 0};
    struct kernel_model m = {.columns = 0};
    struct kpca_report report;
    struct progress progress = progress_start(true, "");
    struct error err = {.line = 0};
    check_group("three points on a line, the first %s", sign > 0 ? "above 0" : "below 0");
    for (int i = 0; i < 3; i++) {
        const double value = sign * x[i];
        const struct example one = {.size = 1, .index = &index, .value = &value};
        CHECK_INT(problem_append_example(&p, &one, &err), 0, "%s", err.message);
    }
    CHECK_INT(kpca_train(&p, &options, &m, &report, &progress, &err), 0, "%s", err.message);
    for (int i = 0; i < 3 && m.columns == 1; i++)
        CHECK_NEAR(m.coef[i], x[i] / 26, 1e-14, "coefficient %d", i);
    CHECK_INT(m.columns, 1, "dimensions");
    CHECK_NEAR(report.variance, 26, 1e-14, "its variance");
    kernel_model_free(&m);
    problem_free(&p);
}

int main(void)
{
    static const struct kernel kernels[] = {{KERNEL_LINEAR, 0, 0, 0},
                                            {KERNEL_POLYNOMIAL, 3, 0.2, 1},
                                            {KERNEL_RBF, 0, 0.1, 0},
                                            {KERNEL_SIGMOID, 0, 0.05, 0.1}};
    struct random g = {43};
    struct problem p = make_problem(&g, N), some = make_problem(&g, NEW);
    for (int t = 0; t < KERNELS; t++)
        check_kernel(&p, &some, &kernels[t]);
    check_limits(&g);
    check_many(&g);
    check_features(&p);
    check_first(1);
    check_first(-1);
    problem_free(&p);
    problem_free(&some);
    return check_finish();
}
