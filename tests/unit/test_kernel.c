/* Kernels against plain loops, bit for bit: dense and sparse examples, any block, any number of
 * threads. */
#include "check.h"
#include "common/base/elementary.h"
#include "common/base/memory.h"
#include "common/base/number.h"
#include "common/base/random.h"
#include "common/kernel/kernel.h"
#include "common/kernel/kernel_rows.h"

#include <stdlib.h>
#include <string.h>

/* n examples with about `share` of d features, maybe a bias; `offset` is added to each index. */
static struct problem make_problem(struct random *g, int64_t n, int32_t d, double share,
                                   int32_t offset, bool bias)
{
    struct problem p = {0};
    if (problem_reserve(&p, n, n * (d + 1), NULL) != 0)
        exit(1);
    for (int64_t i = 0; i < n; i++) {
        for (int32_t j = 1; j <= d; j++)
            if (random_uniform(g) < share || j == d) {
                p.index[p.nnz] = j + offset;
                p.value[p.nnz++] = random_uniform(g) * 2 - 1;
                p.d = j + offset;
            }
        if (bias) {
            p.index[p.nnz] = 0;
            p.value[p.nnz++] = 0.5;
        }
        p.label[i] = p.line[i] = 1;
        p.row_start[++p.n] = p.nnz;
    }
    return p;
}

static double value_at(const struct example *x, int32_t index)
{
    for (int64_t j = 0; j < x->size; j++)
        if (x->index[j] == index)
            return x->value[j];
    return 0;
}

/* u'v over the entries of u, which come in order, the bias last. */
static double plain_product(const struct example *u, const struct example *v)
{
    double sum = 0;
    for (int64_t j = 0; j < u->size; j++)
        sum += u->value[j] * value_at(v, u->index[j]);
    return sum;
}

static double plain_kernel(const struct kernel *k, const struct example *u, const struct example *v)
{
    double product = plain_product(u, v), result = 1;
    switch (k->type) {
    case KERNEL_LINEAR:
        return product;
    case KERNEL_POLYNOMIAL:
        for (int64_t i = 0; i < k->degree; i++)
            result *= k->gamma * product + k->coef0;
        return result;
    case KERNEL_RBF:
        return exp(-k->gamma * fmax(0, plain_product(u, u) + plain_product(v, v) - 2 * product));
    default:
        return tanh(k->gamma * product + k->coef0);
    }
}

static void check_blocks(const char *name, const struct problem *p, const struct problem *q,
                         bool dense)
{
    static const struct kernel kernels[] = {{KERNEL_LINEAR, 0, 0, 0},
                                            {KERNEL_POLYNOMIAL, 3, 0.5, 1},
                                            {KERNEL_POLYNOMIAL, 0, 0.5, 1},
                                            {KERNEL_RBF, 0, 0.25, 0},
                                            {KERNEL_SIGMOID, 0, 0.1, -1}};
    for (size_t t = 0; t < sizeof kernels / sizeof *kernels; t++) {
        const struct kernel *k = &kernels[t];
        check_group("%s kernel of %s examples", kernel_names[k->type], name);
        struct kernel_data a, b;
        CHECK(kernel_data_make(p, NULL, &a, NULL) == 0 && kernel_data_make(q, &a, &b, NULL) == 0,
              "memory");
        CHECK((a.dense != NULL) == dense && (b.dense != NULL) == dense, "the form");
        double *whole = calloc((size_t)(p->n * q->n), sizeof *whole),
               *cut = calloc((size_t)(p->n * q->n), sizeof *cut);
        double *self = calloc((size_t)(p->n * p->n), sizeof *self);
        CHECK(kernel_block(k, kernel_all(&a), kernel_all(&b), whole, 1, NULL) == 0, "memory");
        for (int64_t i = 0; i < p->n; i++)
            for (int64_t j = 0; j < q->n; j++) {
                struct example u = problem_example(p, i), v = problem_example(q, j);
                CHECK(fabs(whole[i * q->n + j] - plain_kernel(k, &u, &v))
                          <= 1e-15 * fmax(1, fabs(whole[i * q->n + j])),
                      "value %lld, %lld: %.17g, plainly %.17g", (long long)i, (long long)j,
                      whole[i * q->n + j], plain_kernel(k, &u, &v));
            }
        for (int threads = 1; threads <= 4;
             threads++) /* rows by 1, 2, ... at a time, columns by 37 */
            for (int64_t i = 0, rows = 1; i < p->n; i += rows, rows++)
                for (int64_t j = 0; j < q->n; j += 37) {
                    int64_t i1 = i + rows < p->n ? i + rows : p->n,
                            j1 = j + 37 < q->n ? j + 37 : q->n;
                    const struct kernel_part some = {&a, i, i1}, others = {&b, j, j1};
                    CHECK(kernel_block(k, some, others, cut, threads, NULL) == 0, "memory");
                    for (int64_t r = i; r < i1; r++)
                        CHECK(!memcmp(cut + (r - i) * (j1 - j), whole + r * q->n + j,
                                      (size_t)(j1 - j) * sizeof *cut),
                              "row %lld from column %lld on, %d threads", (long long)r,
                              (long long)j, threads);
                }
        CHECK(kernel_block(k, kernel_all(&a), kernel_all(&a), self, 2, NULL) == 0, "memory");
        for (int64_t i = 0; i < p->n; i++) {
            CHECK(k->type != KERNEL_RBF || (self[i * p->n + i] >= 1 && self[i * p->n + i] <= 1),
                  "exp(0)");
            for (int64_t j = 0; j < i; j++)
                CHECK(!memcmp(&self[i * p->n + j], &self[j * p->n + i], sizeof *self),
                      "k(u, v) = k(v, u), %lld, %lld", (long long)i, (long long)j);
        }
        free(whole), free(cut), free(self);
        kernel_data_free(&a);
        kernel_data_free(&b);
    }
}

/* The same examples kept dense, spread out and walked through: the same bytes. */
static void check_forms(const struct problem *p)
{
    check_group("kernels, dense and sparse");
    struct problem far = *p, mixed = *p;
    far.index = malloc((size_t)p->nnz * sizeof *far.index);
    for (int64_t i = 0; i < p->nnz; i++)
        far.index[i] = p->index[i] ? p->index[i] + 2000000000 : 0; /* too far to be spread out */
    far.d = p->d + 2000000000;
    mixed.d = 500000; /* sparse, as it seems */
    const struct problem *problems[] = {p, &mixed, &far};
    double *values[3];
    const struct kernel k = {KERNEL_RBF, 0, 0.01, 0};
    for (int t = 0; t < 3; t++) {
        struct kernel_data data;
        values[t] = malloc((size_t)(p->n * p->n) * sizeof(double));
        CHECK(kernel_data_make(problems[t], NULL, &data, NULL) == 0
                  && (data.dense != NULL) == (t == 0),
              "form %d", t);
        CHECK(kernel_block(&k, kernel_all(&data), kernel_all(&data), values[t], 2, NULL) == 0,
              "memory");
        CHECK(!memcmp(values[t], values[0], (size_t)(p->n * p->n) * sizeof(double)),
              "form %d gives other bytes", t);
        kernel_data_free(&data);
    }
    for (int t = 0; t < 3; t++)
        free(values[t]);
    free(far.index);
}

/* Rows from a cache of every size, in an order that comes back to old and to new ones: always the
 * same numbers, and a row stays where it is until as many others as fit have been asked for behind
 * it. */
static void check_rows(const struct problem *p)
{
    static const int order[] = {0, 1, 2, 0, 3, 1, 4, 4, 2, 5, 0, 6, 3, 3, 1, 0, 49, 48, 49, 0};
    const struct kernel k = {KERNEL_RBF, 0, 0.25, 0};
    const int64_t n = p->n;
    struct kernel_data data;
    double *whole = malloc((size_t)(n * n) * sizeof *whole);
    check_group("rows of a kernel matrix, kept and made again");
    CHECK(kernel_data_make(p, NULL, &data, NULL) == 0, "memory");
    CHECK(kernel_block(&k, kernel_all(&data), kernel_all(&data), whole, 1, NULL) == 0, "memory");
    CHECK(kernel_rows_bytes(n, 0) == 16.0 * (double)n, "two rows at least");
    CHECK(kernel_rows_bytes(n, 8.0 * 7.9 * (double)n) == 56.0 * (double)n, "rows that fit");
    CHECK(kernel_rows_bytes(n, 1e9) == 8.0 * (double)(n * n), "all of them");
    CHECK(kernel_rows_bytes(0, 1e9) == 0, "none");
    const int64_t rooms[] = {0, 1, 2, 3, 4, 5, 6, n - 1, n};
    for (size_t r = 0; r < sizeof rooms / sizeof *rooms; r++) {
        const int64_t room = rooms[r], fit = room < 2 ? 2 : room;
        struct error err = {0};
        struct kernel_rows *rows = kernel_rows_new(&k, &data, 8.0 * (double)(room * n), 2, &err);
        CHECK(rows != NULL, "%s", err.message);
        if (!rows)
            continue;
        CHECK(kernel_rows_threads(rows, 3) == (room == n ? 3 : 1), "room for %lld",
              (long long)room);
        for (int64_t i = 0; i < n; i++)
            CHECK(kernel_rows_diagonal(rows)[i] == whole[i * n + i], "diagonal %lld", (long long)i);
        const double *place[50] = {0};
        for (size_t t = 0; t < sizeof order / sizeof *order; t++) {
            const double *row = kernel_rows_get(rows, order[t], &err);
            CHECK(row && !memcmp(row, whole + order[t] * n, (size_t)n * sizeof *row),
                  "row %d, room for %lld", order[t], (long long)room);
            bool other[50] = {false}; /* rows asked for since the last time */
            int64_t others = 0, last = (int64_t)t - 1;
            for (; last >= 0 && order[last] != order[t]; last--)
                if (!other[order[last]]) {
                    other[order[last]] = true;
                    others++;
                }
            if (last >= 0 && others < fit)
                CHECK(row == place[order[t]], "row %d is made again, room for %lld", order[t],
                      (long long)room);
            place[order[t]] = row;
        }
        int64_t i, j;
        CHECK(!kernel_rows_negative(rows, &i, &j), "a positive kernel");
        kernel_rows_free(rows);
    }
    kernel_rows_free(NULL);
    free(whole);
    kernel_data_free(&data);

    check_group("dense where one entry in eight is there, and what that takes");
    CHECK_INT((int64_t)kernel_data_bytes(&(struct problem){.n = 3, .d = 7, .nnz = 3}), 216,
              "dense");
    CHECK_INT((int64_t)kernel_data_bytes(&(struct problem){.n = 3, .d = 7, .nnz = 2}), 24,
              "sparse");
    CHECK_INT((int64_t)kernel_data_bytes(&(struct problem){.n = 3, .d = 8, .nnz = 3}), 24, "wider");

    /* Of 1, 2 and 3 on a line.  Less 1.5, the product of 1 with itself is negative; less 0.5, that
     * of 1 and 2 is too large for theirs with themselves. */
    check_group("kernels that are not positive or not finite");
    struct problem line = {0};
    const int32_t one = 1;
    for (int v = 1; v <= 3; v++) {
        const double value = v;
        const struct example x = {.size = 1, .index = &one, .value = &value};
        CHECK(problem_append_example(&line, &x, NULL) == 0, "memory");
    }
    static const struct {
        double coef0;
        int64_t i, j;
    } known[] = {{0, -1, -1}, {1, -1, -1}, {-0.5, 1, 0}, {-1, 1, 0}, {-1.5, 0, 0}, {-9.5, 0, 0}};
    for (size_t t = 0; t < sizeof known / sizeof *known; t++) {
        const struct kernel shifted = {KERNEL_POLYNOMIAL, 1, 1, known[t].coef0};
        int64_t i = 9, j = 9;
        CHECK(kernel_data_make(&line, NULL, &data, NULL) == 0, "memory");
        struct kernel_rows *rows = kernel_rows_new(&shifted, &data, 1e6, 1, NULL);
        CHECK(rows && kernel_rows_negative(rows, &i, &j) == (known[t].i >= 0), "and %g",
              known[t].coef0);
        CHECK(known[t].i < 0 || (i == known[t].i && j == known[t].j), "and %g: %lld, %lld",
              known[t].coef0, (long long)i, (long long)j);
        kernel_rows_free(rows);
        kernel_data_free(&data);
    }
    const struct kernel linear = {KERNEL_LINEAR, 0, 0, 0};
    for (int far = 0; far < 3; far++) { /* one number on the diagonal, no other */
        static const int turns[] = {2, 1, 2, 0, 1, 0};
        struct error err = {0};
        for (int i = 0; i < 3; i++)
            line.value[i] = i == far ? 1e200 : i + 1;
        CHECK(kernel_data_make(&line, NULL, &data, NULL) == 0, "memory");
        CHECK(!kernel_rows_new(&linear, &data, 1e6, 1, &err)
                  && strstr(err.message, "a kernel value is not finite") == err.message,
              "all rows with row %d: %s", far, err.message);
        struct kernel_rows *rows = kernel_rows_new(&linear, &data, 0, 1, &err);
        CHECK(rows, "%s", err.message);
        for (size_t t = 0; t < sizeof turns / sizeof *turns && rows; t++) {
            const double *row = kernel_rows_get(rows, turns[t], &err);
            CHECK(turns[t] == far ? !row : row && row[far] == (turns[t] + 1) * 1e200, "turn %zu",
                  t);
        }
        kernel_rows_free(rows);
        kernel_data_free(&data);
    }
    problem_free(&line);
}

/* A squared distance of neighbours that rounding makes negative is 0: no rbf value is above 1. */
static void test_near(void)
{
    enum { PAIRS = 500, FEATURES = 3 };
    const struct kernel rbf = {.type = KERNEL_RBF, .gamma = 1};
    struct random g = {43};
    struct problem p = make_problem(&g, 2 * PAIRS, FEATURES, 1, 0, false);
    struct kernel_data data;
    int64_t negative = 0;
    check_group("rbf values of neighbours");
    for (int64_t e = 0; e < p.nnz; e++)
        if (p.value[e] > 0 && e / FEATURES % 2 == 1)
            p.value[e] = p.value[e - FEATURES] * (1 + 1e-15);
        else if (e / FEATURES % 2 == 1)
            p.value[e] = p.value[e - FEATURES];
    CHECK_INT(kernel_data_make(&p, NULL, &data, NULL), 0, "memory");
    for (int64_t i = 0; i < 2 * PAIRS; i += 2) {
        const struct example u = problem_example(&p, i), v = problem_example(&p, i + 1);
        const struct kernel_part one = {&data, i, i + 1}, other = {&data, i + 1, i + 2};
        double k;
        negative += data.square[i] + data.square[i + 1] - 2 * plain_product(&u, &v) < 0;
        CHECK_INT(kernel_block(&rbf, one, other, &k, 1, NULL), 0, "memory");
        CHECK(k <= 1 && k > 1 - 1e-12, "pair %d: %.17g", (int)i / 2, k);
    }
    CHECK(negative > 10, "%d negative distances", (int)negative);
    kernel_data_free(&data);
    problem_free(&p);
}

/* Examples of one direction have k(u, v)^2 = k(u, u) k(v, v) for the linear kernel, but for
 * rounding: it is not taken for one that is not positive semidefinite. */
static void test_equality(void)
{
    enum { LINE = 60, FEATURES = 4 };
    const struct kernel linear = {.type = KERNEL_LINEAR};
    struct random g = {47};
    struct problem p = make_problem(&g, LINE, FEATURES, 1, 0, false);
    struct kernel_data data;
    int64_t i, j, above = 0;
    check_group("examples of one direction");
    for (int64_t e = FEATURES; e < p.nnz; e++)
        p.value[e] = p.value[e % FEATURES] * (1 + (double)(e / FEATURES) / 7);
    CHECK_INT(kernel_data_make(&p, NULL, &data, NULL), 0, "memory");
    struct kernel_rows *rows = kernel_rows_new(&linear, &data, 1e6, 1, NULL);
    CHECK(rows && !kernel_rows_negative(rows, &i, &j), "a linear kernel");
    for (i = 0; rows && i < LINE; i++)
        for (j = 0; j < i; j++) {
            const double k = kernel_rows_get(rows, i, NULL)[j];
            above += k * k > kernel_rows_diagonal(rows)[i] * kernel_rows_diagonal(rows)[j];
        }
    CHECK(above > 10, "%d pairs are above by rounding", (int)above);
    kernel_rows_free(rows);
    kernel_data_free(&data);
    problem_free(&p);
}

/* Which parameters a kernel has. */
static void test_parameters(void)
{
    static const bool has[4][3] = {
        {false, false, false}, {true, true, true}, {true, false, false}, {true, false, true}};
    static const char *const parameter[] = {"gamma", "degree", "coef0"};
    check_group("parameters of kernels");
    for (int type = KERNEL_LINEAR; type <= KERNEL_SIGMOID; type++) {
        const struct kernel kernel = {.type = type};
        for (int i = 0; i < 3; i++)
            CHECK(kernel_has(&kernel, parameter[i]) == has[type][i], "%s: %s", kernel_names[type],
                  parameter[i]);
        CHECK(kernel_has(&kernel, "C"), "%s: what is no parameter of a kernel", kernel_names[type]);
    }
}

/* The vectorised exponentials are those of elementary_exp, however far examples are apart; a
 * distance that rounding makes negative is 0. */
static void test_exponentials(void)
{
    enum { COUNT = 12 };
    static const double distance[COUNT] = {0,    1e-300, 1e-9, 1,   20,  707.9,
                                           708., 708.1,  709,  745, 1e4, 1e300};
    static const double one = 1 + 1e-9;
    double row[COUNT] = {0}, negative = 1 + 1e-9;
    check_group("exponentials");
    for (double gamma = 0.5; gamma <= 2; gamma *= 2) {
        memset(row, 0, sizeof row);
        kernel_rbf_row(gamma, 0, distance, COUNT, row);
        for (int j = 0; j < COUNT; j++)
            CHECK_NEAR(row[j], elementary_exp(-gamma * distance[j]), 0, "gamma %g, distance %g",
                       gamma, distance[j]);
    }
    CHECK(row[COUNT - 1] == 0, "far apart: %g", row[COUNT - 1]);
    kernel_rbf_row(1e9, 1, &one, 1, &negative);
    CHECK(negative == 1, "a distance below 0: %g", negative);
}

int main(void)
{
    struct random g = {41};
    test_parameters();
    test_exponentials();
    for (int bias = 0; bias < 2; bias++) {
        struct problem p = make_problem(&g, 50, 30, 0.7, 0, bias),
                       q = make_problem(&g, 90, 35, 0.7, 0,
                                        bias); /* q has features that p has not */
        check_blocks(bias ? "dense, with a bias," : "dense", &p, &q, true);
        check_forms(&p);
        check_rows(&p);
        problem_free(&q);
        problem_free(&p);
        p = make_problem(&g, 50, 90, 0.05, 0, bias), q = make_problem(&g, 90, 100, 0.05, 0, bias);
        check_blocks(bias ? "sparse, with a bias," : "sparse", &p, &q, false);
        problem_free(&q);
        problem_free(&p);
        p = make_problem(&g, 50, 30, 0.3, 3000000, bias),
        q = make_problem(&g, 90, 30, 0.3, 3000000, false); /* only one side has the bias */
        check_blocks("very sparse", &p, &q, false);
        problem_free(&q);
        /* Both have it, or none; q ends before p has its last feature. */
        q = make_problem(&g, 90, 28, 0.3, 3000000, bias);
        check_blocks(bias ? "very sparse, with a bias," : "very sparse again", &p, &q, false);
        problem_free(&q);
        problem_free(&p);
    }
    test_near();
    test_equality();
    return check_finish();
}
