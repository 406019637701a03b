/* Stand-ins for missing values and heavy tails, against plain loops over a table; single values
 * that are nearly all of a line. */
#include "check.h"
#include "common/base/memory.h"
#include "common/base/random.h"
#include "common/data/odd_values.h"

#include <stdlib.h>

enum { MOST = ODD_VALUES_LINES, COLUMNS = 8 };

/* Rows of values, 0 where a line leaves the feature out. */
struct table {
    int n;
    double value[MOST][COLUMNS];
};

/* ---- plain loops ---- */

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static bool alike(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fabs(a);
}

/* Does v, the least of a column's values or the largest, stand for a missing one? */
static bool plain_stands_in(const struct table *t, int j, double v, struct odd_stand_in *found)
{
    int values = 0, occurs = 0, others = 0, distinct = 0;
    double other[MOST], nearest = INFINITY;
    for (int i = 0; i < t->n; i++) {
        const double x = t->value[i][j];
        values += x != 0;
        if (alike(v, x))
            occurs++;
        else
            other[others++] = x;
    }
    if (values < 20 || occurs < 5 || 100 * occurs < values || others == 0)
        return false;
    qsort(other, (size_t)others, sizeof *other, compare);
    for (int i = 0; i < others; i++) {
        nearest = fmin(nearest, fabs(other[i] - v));
        distinct += i == 0 || !alike(other[i], other[i - 1]);
    }
    *found = (struct odd_stand_in){.index = j + 1,
                                   .value = v,
                                   .share = (double)occurs / t->n,
                                   .from = other[0],
                                   .to = other[others - 1]};
    return distinct >= 3 && nearest > 3 * (found->to - found->from)
           && (v < found->from || v > found->to);
}

/* Has column j at least a quarter of the values that a column has in the mean?  Columns of zeros
 * are none. */
static bool plain_is_common(const struct table *t, int j)
{
    int values = 0, columns = 0, mine = 0;
    for (int c = 0; c < COLUMNS; c++) {
        const int before = values;
        for (int i = 0; i < t->n; i++)
            values += t->value[i][c] != 0;
        columns += values > before;
        if (c == j)
            mine = values - before;
    }
    return 4 * columns * mine >= values;
}

static bool plain_has_tails(const struct table *t, int j, struct odd_tails *found)
{
    int n = 0;
    double x[MOST], distance[MOST];
    bool negative = false;
    for (int i = 0; i < t->n; i++)
        if (t->value[i][j] != 0) {
            x[n++] = t->value[i][j];
            negative |= t->value[i][j] < 0;
        }
    if (n < 100)
        return false;
    qsort(x, (size_t)n, sizeof *x, compare);
    const double median = x[(n - 1) / 2];
    for (int i = 0; i < n; i++)
        distance[i] = fabs(x[i] - median);
    qsort(distance, (size_t)n, sizeof *distance, compare);
    const double far = distance[n - (n < 300 ? 3 : n / 100)], most = distance[n - 1 - n / 10],
                 half = distance[(n - 1) / 2];
    *found = (struct odd_tails){.index = j + 1, .times = far / half, .negative = negative};
    return half > 1e-12 * fabs(median) && far > 50 * half && far > 3 * most
           && far > 10 * fabs(median);
}

static struct odd_values plain(const struct table *t)
{
    struct odd_values found = {0};
    for (int j = COLUMNS - 1; j >= 0; j--) {
        double least = INFINITY, largest = -INFINITY;
        struct odd_stand_in stand_in;
        struct odd_tails tails;
        for (int i = 0; i < t->n; i++)
            if (t->value[i][j] != 0) {
                least = fmin(least, t->value[i][j]);
                largest = fmax(largest, t->value[i][j]);
            }
        if (isinf(least))
            continue;
        if (plain_stands_in(t, j, least, &stand_in) || plain_stands_in(t, j, largest, &stand_in)) {
            stand_in.features = found.stand_in.features + 1;
            found.stand_in = stand_in;
        } else if (plain_is_common(t, j) && plain_has_tails(t, j, &tails)) {
            tails.features = found.tails.features + 1;
            found.tails = tails;
        }
    }
    return found;
}

/* ---- the same of a problem ---- */

/* How a table becomes a problem. */
enum form { SPARSE, ZEROS, AT_UNIT_LENGTH, ON_DISK, FORMS };

/* Examples with a bias, which has no part in it. */
static void make_problem(const struct table *t, enum form form, struct problem *problem)
{
    *problem = (struct problem){.keeps_lengths = form == AT_UNIT_LENGTH};
    for (int i = 0; i < t->n; i++) {
        int32_t index[COLUMNS + 1];
        double value[COLUMNS + 1];
        int size = 0;
        for (int j = 0; j < COLUMNS; j++)
            if (t->value[i][j] != 0 || form == ZEROS) {
                index[size] = j + 1;
                value[size++] = t->value[i][j];
            }
        index[size] = 0;
        value[size++] = i < 50 ? -999 : i;
        struct example x = {.index = index, .value = value, .size = size};
        if (form == AT_UNIT_LENGTH)
            x.length = example_unit_length(value, size);
        CHECK_INT(problem_append_example(problem, &x, NULL), 0, "example %d", i);
    }
    if (form == ON_DISK)
        CHECK_INT(problem_to_disk(problem, ".", NULL), 0, "to disk");
}

static void check_same(const struct odd_values *got, const struct odd_values *want, double within,
                       const char *what)
{
    const struct odd_stand_in *s = &got->stand_in, *wants = &want->stand_in;
    const struct odd_tails *t = &got->tails, *wantt = &want->tails;
    CHECK_INT(s->features, wants->features, "%s: stand-ins", what);
    CHECK_INT(s->index, wants->index, "%s: the first", what);
    CHECK_NEAR(s->value, wants->value, within, "%s: value", what);
    CHECK_NEAR(s->share, wants->share, 1e-15, "%s: share", what);
    CHECK_NEAR(s->from, wants->from, within, "%s: from", what);
    CHECK_NEAR(s->to, wants->to, within, "%s: to", what);
    CHECK_INT(t->features, wantt->features, "%s: tails", what);
    CHECK_INT(t->index, wantt->index, "%s: the first", what);
    CHECK_NEAR(t->times, wantt->times, within, "%s: times", what);
    CHECK_INT(t->negative, wantt->negative, "%s: below 0", what);
}

/* A table in all forms. */
static void check_table(const struct table *t, const char *what)
{
    static const char *const name[] = {"sparse", "with zeros", "at unit length", "on disk"};
    struct odd_values want = plain(t);
    for (int form = 0; form < FORMS; form++) {
        struct problem problem;
        struct odd_values found = {.tails = {.features = 7}};
        char text[64];
        make_problem(t, form, &problem);
        CHECK_INT(odd_values_find(&problem, form, &found, NULL), 0, "found");
        snprintf(text, sizeof text, "%s, %s", what, name[form]);
        check_same(&found, &want, form == AT_UNIT_LENGTH ? 1e-9 : 0, text);
        problem_free(&problem);
    }
}

/* ---- made columns ---- */

enum { COLUMN_KINDS = 8 };

/* A value of some kind, with tails by the size. */
static double draw(struct random *g, int kind, double size)
{
    switch (kind) {
    case 0:
        return random_normal(g);
    case 1:
        return exp(size * random_normal(g));
    case 2:
        return random_normal(g) / random_normal(g);
    case 3:
        return (double)random_below(g, 3);
    case 4:
        return 5 + (double)random_below(g, 40);
    case 5:
        return random_uniform(g) < 0.95 ? 0 : -random_uniform(g);
    case 6:
        return -1 + 1e-3 * exp(size * random_normal(g));
    default:
        return (double)(1 + random_below(g, 2));
    }
}

/* A column, some values of which are missing. */
static void draw_column(struct random *g, struct table *t, int j)
{
    static const double code[] = {-999, 9999, 9, -1, -60};
    const int kind = (int)random_below(g, COLUMN_KINDS);
    const double size = 3 * random_uniform(g), v = code[random_below(g, 5)];
    const double share = random_below(g, 2) ? 0.15 * random_uniform(g) : 0,
                 left_out = random_below(g, 2) ? random_uniform(g) : 0;
    for (int i = 0; i < t->n; i++) {
        t->value[i][j] = random_uniform(g) < share ? v : draw(g, kind, size);
        if (random_uniform(g) < left_out)
            t->value[i][j] = 0;
    }
}

static void check_drawn(void)
{
    static const int count[] = {1, 19, 20, 21, 45, 60, 99, 100, 101, 250, 299, 300, 500, MOST};
    enum { COUNTS = sizeof count / sizeof *count };
    struct table *t = memory_new(1, sizeof *t, NULL);
    struct random g = {11};
    int stand_ins = 0, tails = 0;
    check_group("drawn columns");
    for (int trial = 0; t && trial < 8 * COUNTS; trial++) {
        char what[32];
        t->n = count[trial % COUNTS];
        for (int j = 0; j < COLUMNS; j++)
            draw_column(&g, t, j);
        snprintf(what, sizeof what, "trial %d", trial);
        check_table(t, what);
        const struct odd_values found = plain(t);
        stand_ins += found.stand_in.features > 0;
        tails += found.tails.features > 0;
    }
    CHECK(stand_ins > 20 && stand_ins < 100, "stand-ins in %d", stand_ins);
    CHECK(tails > 20 && tails < 100, "tails in %d", tails);
    memory_free(t);
}

/* ---- the rules, one by one ---- */

/* Of n rows of one column: v in the first `occurs`, then the others in turn. */
static struct odd_values find(int n, int occurs, double v, int others, const double *other)
{
    struct table *t = memory_new(1, sizeof *t, NULL);
    struct problem problem;
    struct odd_values found = {0};
    CHECK(t != NULL, "memory");
    t->n = n;
    for (int i = 0; i < n; i++)
        t->value[i][0] = i < occurs ? v : other[(i - occurs) % others];
    make_problem(t, SPARSE, &problem);
    CHECK_INT(odd_values_find(&problem, 1, &found, NULL), 0, "found");
    problem_free(&problem);
    const struct odd_values want = plain(t);
    check_same(&found, &want, 0, "plain loops");
    memory_free(t);
    return found;
}

static void check_stand_in(void)
{
    double with_zero[50];
    static const double ages[] = {1, 20, 41, 7}, zero[] = {0, 20, 41}, two[] = {3, 4},
                        below[] = {-1, -20, -41}, bit[] = {0, 1};
    struct odd_values found;
    check_group("a stand-in");
    found = find(50, 6, -999, 4, ages);
    CHECK_INT(found.stand_in.features, 1, "-999");
    CHECK(found.stand_in.value == -999 && found.stand_in.from == 1 && found.stand_in.to == 41,
          "%g, %g .. %g", found.stand_in.value, found.stand_in.from, found.stand_in.to);
    CHECK_NEAR(found.stand_in.share, 0.12, 1e-15, "of the lines");
    found = find(50, 6, 9999, 3, zero);
    CHECK(found.stand_in.value == 9999 && found.stand_in.from == 0 && found.stand_in.to == 41,
          "%g, %g .. %g", found.stand_in.value, found.stand_in.from, found.stand_in.to);
    found = find(50, 6, 500, 3, below);
    CHECK(found.stand_in.value == 500 && found.stand_in.from == -41 && found.stand_in.to == -1,
          "%g, %g .. %g", found.stand_in.value, found.stand_in.from, found.stand_in.to);
    for (int i = 0; i < 50; i++)
        with_zero[i] = i == 20 ? 0 : 400 + i % 30;
    found = find(50, 6, 2000, 44, with_zero);
    CHECK_INT(found.stand_in.features, 1, "one line leaves the feature out");
    CHECK(found.stand_in.from == 0 && found.stand_in.to == 429, "%g .. %g", found.stand_in.from,
          found.stand_in.to);
    CHECK_INT(find(50, 6, 1700, 44, with_zero).stand_in.features, 0, "from 0 on not far enough");
    for (int i = 0; i < 50; i++)
        with_zero[i] = i == 20 ? 0 : 3 + i % 2;
    CHECK_INT(find(50, 6, -999, 44, with_zero).stand_in.features, 1, "it is a third value");
    found = find(50, 49, -999, 4, ages);
    CHECK_INT(found.stand_in.features, 0, "one other value");
    CHECK_INT(find(50, 47, -999, 4, ages).stand_in.features, 1, "three of them");
    CHECK_INT(find(50, 50, -999, 4, ages).stand_in.features, 0, "no other value");
    CHECK_INT(find(50, 6, -999, 2, two).stand_in.features, 0, "two other values");
    CHECK_INT(find(50, 6, -999, 2, bit).stand_in.features, 0, "0 and 1");
    CHECK_INT(find(50, 20, 1, 2, bit).stand_in.features, 0, "0 and 1 alone");
    CHECK_INT(find(50, 4, -999, 4, ages).stand_in.features, 0, "four times");
    CHECK_INT(find(50, 5, -999, 4, ages).stand_in.features, 1, "five times");
    CHECK_INT(find(600, 5, -999, 4, ages).stand_in.features, 0, "one in 120");
    CHECK_INT(find(500, 5, -999, 4, ages).stand_in.features, 1, "one in a hundred");
    CHECK_INT(find(19, 6, -999, 4, ages).stand_in.features, 0, "19 values");
    CHECK_INT(find(20, 6, -999, 4, ages).stand_in.features, 1, "20 values");
    CHECK_INT(find(50, 6, 1 - 3 * 40, 4, ages).stand_in.features, 0, "three ranges");
    CHECK_INT(find(50, 6, 0.5 - 3 * 40, 4, ages).stand_in.features, 1, "and a half");
    CHECK_INT(find(50, 6, 41 + 3 * 40, 4, ages).stand_in.features, 0, "three ranges above");
    CHECK_INT(find(50, 6, 41.5 + 3 * 40, 4, ages).stand_in.features, 1, "and a half");
}

/* Are the tails heavy in whatever unit? */
static void check_unit(void)
{
    double value[MOST];
    struct random g = {9};
    check_group("units");
    for (int i = 0; i < 200; i++)
        value[i] = exp(3 * random_normal(&g));
    for (int unit = 0; unit < 5; unit++) {
        CHECK_INT(find(200, 0, 0, 200, value).tails.features, 1, "1e-%d", 30 * unit);
        for (int i = 0; i < 200; i++)
            value[i] *= 1e-30;
    }
}

/* Are the tails heavy if `far` of n values are v and more, the others about `middle`? */
static int64_t tails(int n, int far, double v, double middle)
{
    const double other[] = {middle, middle + 1, middle + 2, middle + 3, middle + 4};
    double value[MOST];
    for (int i = 0; i < n; i++)
        value[i] = i < far ? v + i : other[i % 5];
    return find(n, 0, 0, n, value).tails.features;
}

/* Are the tails told of where a hundred of n lines have the feature, and all have another one? */
static int64_t rare_tails(int n)
{
    struct problem problem = {0};
    struct odd_values found = {0};
    for (int i = 0; i < n; i++) {
        const int32_t index[] = {1, 2};
        const double value[] = {2 + i % 5, i < 3 ? 1000 : 1 + i % 5};
        const struct example x = {.index = index, .value = value, .size = i < 100 ? 2 : 1};
        CHECK_INT(problem_append_example(&problem, &x, NULL), 0, "example %d", i);
    }
    CHECK_INT(odd_values_find(&problem, 1, &found, NULL), 0, "found");
    problem_free(&problem);
    return found.tails.features;
}

static void check_tails(void)
{
    check_group("heavy tails");
    CHECK_INT(tails(100, 3, 1000, 1), 1, "three of 100");
    CHECK_INT(tails(100, 3, -1000, 1), 1, "below");
    CHECK_INT(tails(100, 2, 1000, 1), 0, "two of 100");
    CHECK_INT(tails(99, 3, 1000, 1), 0, "of 99");
    CHECK_INT(tails(1000, 9, 1000, 1), 0, "nine of a thousand");
    CHECK_INT(tails(1000, 10, 1000, 1), 1, "ten");
    CHECK_INT(tails(1000, 101, 1000, 1), 0, "more than a tenth");
    CHECK_INT(tails(1000, 10, 1000, 200), 0, "about 202");
    CHECK_INT(tails(1000, 10, 40, 1), 0, "not far");
    CHECK_INT(rare_tails(700), 1, "a quarter of the mean");
    CHECK_INT(rare_tails(701), 0, "less");
}

/* ---- the examples that are looked at ---- */

/* A feature beyond all others, and several blocks of features: each line has the numbers of the
 * table, and they come again and again. */
static void check_wide(void)
{
    enum { ROWS = 300, TIMES = 3700 };
    struct table *t = memory_new(1, sizeof *t, NULL);
    struct problem once, problem = {0};
    struct random g = {5};
    struct odd_values found, want;
    int32_t *index = memory_new(COLUMNS * TIMES + 1, sizeof *index, NULL);
    double *value = memory_new(COLUMNS * TIMES + 1, sizeof *value, NULL);
    check_group("more features than are looked at together");
    CHECK(t && index && value, "memory");
    t->n = ROWS;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            t->value[i][j] = j == 6 ? exp(4 * random_normal(&g)) : random_uniform(&g);
    for (int i = 0; i < 20; i++)
        t->value[i][3] = -99;
    for (int i = 0; i < ROWS; i++) {
        for (int e = 0; e < COLUMNS * TIMES; e++) {
            index[e] = e + 1;
            value[e] = t->value[i][e % COLUMNS];
        }
        index[COLUMNS * TIMES] = 100 * COLUMNS * TIMES;
        value[COLUMNS * TIMES] = i < 10 ? 77 : i % 3 + 1;
        const struct example x = {.index = index, .value = value, .size = COLUMNS * TIMES + 1};
        CHECK_INT(problem_append_example(&problem, &x, NULL), 0, "example %d", i);
    }
    make_problem(t, SPARSE, &once);
    CHECK_INT(odd_values_find(&once, 1, &want, NULL), 0, "once");
    CHECK_INT(odd_values_find(&problem, 1, &found, NULL), 0, "again and again");
    CHECK(want.stand_in.features == 1 && want.tails.features == 1, "%lld, %lld",
          (long long)want.stand_in.features, (long long)want.tails.features);
    want.stand_in.features = TIMES + 1;
    want.tails.features = TIMES;
    check_same(&found, &want, 0, "of the first");
    CHECK_INT(problem_to_disk(&problem, ".", NULL), 0, "to disk");
    CHECK_INT(odd_values_find(&problem, 1, &found, NULL), 0, "on disk");
    CHECK_INT(found.tails.features, 0, "fewer lines are looked at, of which no tails are told");
    problem_free(&once);
    problem_free(&problem);
    memory_free(t);
    memory_free(index);
    memory_free(value);
}

/* Of many, those that the seed draws: what is found is that of these. */
static void check_sample(void)
{
    enum { ROWS = 5 * MOST };
    struct problem problem = {0};
    struct table *t = memory_new(1, sizeof *t, NULL);
    int64_t chosen[MOST];
    struct random g = {3};
    check_group("a sample");
    CHECK(t != NULL, "memory");
    for (int i = 0; i < ROWS; i++) {
        const double value[] = {random_uniform(&g) < 0.1 ? -999 : random_uniform(&g),
                                exp(3 * random_normal(&g))};
        const struct example x = {.index = (const int32_t[]){1, 3}, .value = value, .size = 2};
        CHECK_INT(problem_append_example(&problem, &x, NULL), 0, "example %d", i);
    }
    for (int64_t seed = 1; seed <= 2; seed++) {
        struct odd_values found;
        g = random_seeded((uint64_t)seed, RANDOM_SAMPLE);
        random_sample(&g, ROWS, MOST, chosen);
        t->n = MOST;
        for (int i = 0; i < MOST; i++)
            for (int e = 0; e < 2; e++)
                t->value[i][2 * e] = problem.value[2 * chosen[i] + e];
        const struct odd_values want = plain(t);
        CHECK_INT(odd_values_find(&problem, seed, &found, NULL), 0, "found");
        CHECK(found.stand_in.features == 1 && found.tails.features == 1, "both");
        check_same(&found, &want, 0, "of the sample");
    }
    problem_free(&problem);
    memory_free(t);
}

/* Of a line whose length is infinite the values are not known. */
static void check_infinite(void)
{
    struct problem problem = {.keeps_lengths = true};
    struct odd_values found;
    check_group("an infinite length");
    for (int i = 0; i < 60; i++) {
        double value[] = {i < 6 ? -999 : i % 7 + 1, i < 10 ? 1.7e308 : 0, i < 10 ? 1.7e308 : 1};
        struct example x = {.index = (const int32_t[]){1, 2, 3}, .value = value, .size = 3};
        x.length = example_unit_length(value, 3);
        CHECK_INT(problem_append_example(&problem, &x, NULL), 0, "example %d", i);
    }
    CHECK_INT(odd_values_find(&problem, 1, &found, NULL), 0, "found");
    CHECK_INT(found.stand_in.features, 0, "none is left");
    problem_free(&problem);
}

/* The part of 300 lines of which one value is nearly all, where one in `every` lines has `large`
 * among values of -1 or 1, `values` of them not 0, in any feature or always in the second. */
static double find_singles(int every, double large, int values, bool any)
{
    struct problem problem = {.n = 0};
    struct odd_values found;
    for (int i = 0; i < 300; i++) {
        int32_t index[13];
        double value[13];
        for (int j = 0; j < 12; j++) {
            index[j] = j + 1;
            value[j] = j >= values ? 0 : (i + j) % 2 ? 1 : -1;
        }
        if (i % every == 0)
            value[any ? i / every % values : 1] *= large;
        index[12] = 0;
        value[12] = 1e6; /* the bias has no part in it */
        const struct example x = {.index = index, .value = value, .size = 13};
        CHECK_INT(problem_append_example(&problem, &x, NULL), 0, "example %d", i);
    }
    CHECK_INT(odd_values_find(&problem, 1, &found, NULL), 0, "found");
    problem_free(&problem);
    return found.single;
}

static void check_singles(void)
{
    check_group("single values that are nearly all of a line");
    CHECK_NEAR(find_singles(20, 34, 12, true), 0.05, 1e-15, "one line in 20");
    CHECK_NEAR(find_singles(20, 32, 12, true), 0, 0, "less than 99 hundredths of the squares");
    CHECK_NEAR(find_singles(20, 31, 10, true), 0.05, 1e-15, "ten values");
    CHECK_NEAR(find_singles(20, 34, 9, true), 0, 0, "nine values");
    CHECK_NEAR(find_singles(20, 34, 12, false), 0, 0, "always the same feature");
    CHECK_NEAR(find_singles(100, 34, 12, true), 0.01, 1e-15, "one line in 100");
    CHECK_NEAR(find_singles(150, 34, 12, true), 0, 0, "one line in 150");
    CHECK_NEAR(find_singles(20, 1e200, 12, true), 0.05, 1e-15, "squares that overflow");
}

int main(void)
{
    check_stand_in();
    check_tails();
    check_unit();
    check_drawn();
    check_wide();
    check_sample();
    check_infinite();
    check_singles();
    return check_finish();
}
