/* Kernel ridge regression beside plain loops: normal equations with an inverse, and what the two
 * readings make of the labels one by one. */
#include "check.h"
#include "common/base/memory.h"
#include "learners/features/map_kernel.h"
#include "learners/features/ridge_folds.h"
#include "learners/forward/decisions.h"
#include "learners/forward/em.h"
#include "learners/forward/kernel_ridge.h"
#include "learners/forward/rest_of_fold.h"
#include "ridge_plain.h"

/* Noisy labels of points in the plane and what is known of them. */
struct task {
    struct problem problem;
    int32_t y[MOST];
    int64_t fold[MOST];
    double weight[MOST], c[CLASSES * CLASSES], share[CLASSES], p[MOST * CLASSES];
    double other_c[CLASSES * CLASSES], other_share[CLASSES]; /* found after the first regression, */
    bool revises;                                            /* if this is true */
    struct rest_of_fold rest[RIDGE_FOLDS];                   /* by random probabilities */
    double rest_p[RIDGE_FOLDS][MOST * CLASSES];              /* the same, of all examples */
    struct kernel_ridge_basis basis;
};

/* Add a point of a true class, which lie around corners of a polygon. */
static void task_add(struct task *t, struct random *g, int64_t class)
{
    const int64_t i = t->problem.n, K = t->basis.classes;
    const int32_t index[] = {1, 2};
    double value[2], score[CLASSES], cumulated = 0;
    for (int axis = 0; axis < 2; axis++)
        value[axis] = 0.9 * random_normal(g);
    value[0] += 1.5 * cos(6.28 * (double)class / (double)K);
    value[1] += 1.5 * sin(6.28 * (double)class / (double)K);
    for (int64_t k = 0; k < K; k++) {
        const double u = value[0] - 1.5 * cos(6.28 * (double)k / (double)K),
                     v = value[1] - 1.5 * sin(6.28 * (double)k / (double)K);
        score[k] = -0.5 * (u * u + v * v) + 0.5 * random_normal(g);
    }
    softmax(K, score, 1, t->p + i * K);
    const double u = random_uniform(g);
    t->y[i] = 0;
    while (t->y[i] < K - 1 && (cumulated += t->c[t->y[i] * K + class]) < u)
        t->y[i]++;
    t->weight[i] = i % 5 == 0 ? 0 : 2 * random_uniform(g);
    t->fold[i] = random_below(g, RIDGE_FOLDS);
    const struct example x = {.index = index, .value = value, .size = 2, .label = t->y[i]};
    CHECK(problem_append_example(&t->problem, &x, NULL) == 0, "memory");
}

/* Probabilities of true classes by which the rest of each fold is read: in the rest one after the
 * other, in rest_p each at its example. */
static void task_make_rests(struct task *t, struct random *g)
{
    const int64_t n = t->problem.n, K = t->basis.classes;
    const struct rest_source all = {n, t->y, t->basis.weight, t->fold};
    for (int fold = 0; fold < RIDGE_FOLDS; fold++) {
        struct rest_of_fold *rest = &t->rest[fold];
        rest_free(rest);
        CHECK(rest_make(&all, fold, rest, NULL) == 0
                  && (rest->p = memory_new(n * K, sizeof *rest->p, NULL)),
              "memory");
        for (int64_t place = 0; place < rest->n; place++) {
            double *p = t->rest_p[fold] + rest->example[place] * K, score[CLASSES];
            for (int64_t k = 0; k < K; k++)
                score[k] = 2 * random_normal(g) + 3 * (k == t->y[rest->example[place]]);
            softmax(K, score, 1, p);
            memcpy(rest->p + place * K, p, (size_t)K * sizeof *p);
        }
    }
    t->basis.rest = t->rest;
}

static void task_free(struct task *t)
{
    for (int fold = 0; fold < RIDGE_FOLDS; fold++)
        rest_free(&t->rest[fold]);
    problem_free(&t->problem);
}

static void random_shares(struct random *g, int64_t K, double *share)
{
    double all = 0;
    for (int64_t q = 0; q < K; q++)
        all += share[q] = 0.1 + random_uniform(g);
    for (int64_t q = 0; q < K; q++)
        share[q] /= all;
}

static struct task *task_make(int64_t n, int64_t K, int64_t dims, uint64_t seed)
{
    static struct task t;
    struct random g = random_seeded(seed, 2);
    memset(&t, 0, sizeof t);
    random_matrix(&g, K, t.c);
    random_shares(&g, K, t.share);
    t.basis = (struct kernel_ridge_basis){.problem = &t.problem,
                                          .y = t.y,
                                          .fold = t.fold,
                                          .classes = K,
                                          .c = t.c,
                                          .share = t.share,
                                          .p = t.p,
                                          .unexplained = 0.4,
                                          .kernel = {.gamma = 0.8},
                                          .dims = dims,
                                          .seed = 3,
                                          .threads = 1};
    for (int64_t i = 0; i < n; i++)
        task_add(&t, &g, random_below(&g, K));
    random_matrix(&g, K, t.other_c);
    random_shares(&g, K, t.other_share);
    return &t;
}

enum { NO_FOLD = -1 };

/* Over the mean of all that are not in a fold. */
static double weight_without(const struct task *t, int64_t left_out, int64_t i)
{
    double total = 0, count = 0;
    if (!t->basis.weight)
        return 1;
    for (int64_t j = 0; j < t->problem.n; j++)
        if (t->fold[j] != left_out) {
            total += t->basis.weight[j];
            count++;
        }
    return t->basis.weight[i] * (count / total);
}

static double own_weight(const struct task *t, int64_t i)
{
    return weight_without(t, NO_FOLD, i);
}

/* The folds, from the first on, that have 1500 examples; or all. */
static int folds_that_judge(const struct task *t)
{
    int64_t judged = 0;
    int judges = 0;
    while (judges < RIDGE_FOLDS && judged < 1500) {
        for (int64_t i = 0; i < t->problem.n; i++)
            judged += t->fold[i] == judges;
        judges++;
    }
    return judges;
}

/* ---- the readings of the labels ---- */

/* A regression: what it learns from, and what the choice of its ridge comes to. */
struct regression {
    double weight[MOST], target[MOST * CLASSES]; /* v times the examples' own weights; t */
    double ridge, likelihood;
    bool greedy; /* a smaller ridge, behind one that is no better, would have a larger likelihood */
    double score[MOST * CLASSES]; /* held out */
    int less, more;               /* examples whose sum of lenient scores is below 1, above 1 */
};

struct plain {
    struct table table;
    struct regression first, strict, lenient;    /* first: the strict one by softmax regression */
    double likelihood, softmax_likelihood, lead; /* of the rests */
    double p[MOST * CLASSES]; /* by the regression before; those of the classifier at the end, */
    double temperature;       /* and theirs */
};

/* What is found of the noise after the first strict regression. */
static void revise(struct task *t)
{
    t->basis.c = t->other_c;
    t->basis.share = t->other_share;
    t->basis.unexplained = 0.7;
}

/* r: out, the posterior of the true class. */
static void plain_posterior(const struct task *t, int64_t i, const double *p, double *r)
{
    const int64_t K = t->basis.classes;
    const double *row = t->basis.c + t->y[i] * K;
    double sum = 0;
    for (int64_t k = 0; k < K; k++)
        sum += r[k] = row[k] * p[i * K + k];
    for (int64_t k = 0; k < K; k++)
        r[k] /= sum;
}

/* a = v (1 - u) / 2. */
static double margin_weight(const struct task *t, int64_t left_out, const double *p)
{
    const int64_t K = t->basis.classes;
    double explained = 0, disagreement = 0, r[CLASSES];
    for (int64_t i = 0; i < t->problem.n; i++) {
        if (t->fold[i] == left_out)
            continue;
        plain_posterior(t, i, p, r);
        explained += 1 - r[t->y[i]];
        disagreement += 1 - p[i * K + t->y[i]];
    }
    return t->basis.unexplained * (1 - explained / disagreement) / 2;
}

/* s: out, K: r^(1-a) h^a. */
static void class_scores(const struct task *t, int64_t i, const double *p, double a, double *s)
{
    const int64_t K = t->basis.classes;
    double r[CLASSES];
    plain_posterior(t, i, p, r);
    for (int64_t k = 0; k < K; k++) {
        double rival = 0;
        for (int64_t l = 0; l < K; l++)
            rival = l != k ? fmax(rival, p[i * K + l]) : rival;
        s[k] = pow(r[k], 1 - a) * pow((1 + p[i * K + k] - rival) / 2, a);
    }
}

/* A fold that is left out has the weight 0. */
static void read_without(const struct task *t, int64_t left_out, const double *p,
                         struct regression *r)
{
    const int64_t n = t->problem.n, K = t->basis.classes;
    const double a = margin_weight(t, left_out, p);
    double sum[CLASSES] = {0}, total = 0, s[CLASSES];
    for (int64_t i = 0; i < n; i++) {
        r->weight[i] = 0;
        if (t->fold[i] == left_out)
            continue;
        class_scores(t, i, p, a, s);
        r->weight[i] = weight_without(t, left_out, i) * s[t->y[i]];
        for (int64_t k = 0; k < K; k++)
            r->target[i * K + k] = k == t->y[i];
        sum[t->y[i]] += r->weight[i];
        total += weight_without(t, left_out, i);
    }
    for (int64_t i = 0; i < n; i++) {
        const double tenth = t->basis.share[t->y[i]] * total / 10;
        if (t->fold[i] != left_out && sum[t->y[i]] < tenth)
            r->weight[i] = fmin(r->weight[i] * tenth / sum[t->y[i]],
                                weight_without(t, left_out, i));
    }
}

static void read_strictly(const struct task *t, const double *p, struct regression *r)
{
    read_without(t, NO_FOLD, p, r);
}

/* sum: out, n: S. */
static void read_targets(const struct task *t, const double *p, struct regression *r, double *sum)
{
    const int64_t K = t->basis.classes;
    const double a = margin_weight(t, NO_FOLD, p);
    for (int64_t i = 0; i < t->problem.n; i++) {
        double s[CLASSES];
        sum[i] = 0;
        class_scores(t, i, p, a, s);
        for (int64_t k = 0; k < K; k++)
            sum[i] += s[k];
        for (int64_t k = 0; k < K; k++)
            r->target[i * K + k] = s[k] / sum[i];
    }
}

static void read_leniently(const struct task *t, const double *p, struct regression *r)
{
    double s[MOST];
    read_targets(t, p, r, s);
    r->less = r->more = 0;
    for (int64_t i = 0; i < t->problem.n; i++) {
        const double sum = s[i];
        r->weight[i] = own_weight(t, i) * fmin(1, sum);
        r->less += sum < 1 - 1e-6;
        r->more += sum > 1 + 1e-6;
    }
}

/* ---- a regression ---- */

/* The features of the examples of a task. */
static void table_make(const struct task *t, struct table *table)
{
    const struct kernel_ridge_basis *b = &t->basis;
    struct feature_map map;
    struct error err = {0};
    table->n = t->problem.n;
    table->dims = b->dims;
    table->classes = b->classes;
    CHECK(map_of_kernel(&t->problem, b->dims, b->kernel, b->seed, 1, &map, &err) == 0
              && feature_map_rows(&map, &t->problem, table->phi, &err) == 0,
          "features: %s", err.message);
    feature_map_free(&map);
    memcpy(table->fold, t->fold, sizeof t->fold);
}

static void table_tell(struct table *table, const struct regression *r)
{
    memcpy(table->weight, r->weight, sizeof r->weight);
    memcpy(table->target, r->target, sizeof r->target);
}

/* score[k] = w_k' phi. */
static void plain_scores(const struct table *table, const double *w, int64_t i, double *score)
{
    for (int64_t k = 0; k < table->classes; k++) {
        score[k] = 0;
        for (int64_t j = 0; j < table->dims; j++)
            score[k] += w[j * table->classes + k] * table->phi[i * table->dims + j];
    }
}

/* W' phi of each example by the solution from the other folds.  score: out, n x K. */
static void plain_held_out(const struct table *table, double ridge, double *score)
{
    static double w[RIDGE_FOLDS][WIDTH * CLASSES];
    for (int fold = 0; fold < RIDGE_FOLDS; fold++)
        plain_solve(table, 7U & ~(1U << fold), ridge, w[fold]);
    for (int64_t i = 0; i < table->n; i++)
        plain_scores(table, w[table->fold[i]], i, score + i * table->classes);
}

/* Of the decisions for the folds that judge, by the largest of n x K numbers. */
static double likelihood_of(const struct task *t, const double *score)
{
    const int64_t K = t->basis.classes;
    const int judges = folds_that_judge(t);
    double count[CLASSES * CLASSES] = {0};
    for (int64_t i = 0; i < t->problem.n; i++)
        if (t->fold[i] < judges)
            count[t->y[i] * K + largest(K, score + i * K)] += own_weight(t, i);
    return decisions_likelihood(count, K, t->basis.c);
}

static const double ridges[] = {1, 0.1, 0.01, 0.001};

/* In standard errors, of the decisions by the second ones for the folds that judge. */
static double lead_of(const struct task *t, const double *first, const double *second)
{
    static int32_t y[MOST], of_first[MOST], of_second[MOST];
    static double weight[MOST];
    const int64_t K = t->basis.classes;
    const int judges = folds_that_judge(t);
    struct decisions both = {0, K, y, of_first, of_second, t->basis.weight ? weight : NULL};
    double workspace[3 * CLASSES * CLASSES];
    for (int64_t i = 0; i < t->problem.n; i++) {
        if (t->fold[i] >= judges)
            continue;
        y[both.n] = t->y[i];
        weight[both.n] = t->weight[i];
        of_first[both.n] = (int32_t)largest(K, first + i * K);
        of_second[both.n++] = (int32_t)largest(K, second + i * K);
    }
    return decisions_lead(&both, t->basis.c, workspace);
}

/* The ridge, from number `first` on, and the scores that go with it. */
static void plain_choose(const struct task *t, struct table *table, int first, struct regression *r)
{
    static double score[MOST * CLASSES];
    bool grows = true;
    r->likelihood = -INFINITY;
    r->greedy = false;
    table_tell(table, r);
    for (int s = first; s < 4; s++) {
        plain_held_out(table, ridges[s], score);
        const double likelihood = likelihood_of(t, score);
        grows = grows && likelihood > r->likelihood;
        r->greedy |= !grows && likelihood > r->likelihood;
        if (grows) {
            r->ridge = ridges[s];
            r->likelihood = likelihood;
            memcpy(r->score, score, sizeof score);
        }
    }
}

/* p: out, n x K: the softmax of scores at the likeliest temperature, which is returned. */
static double plain_probabilities(const struct task *t, const double *score, double *p)
{
    static double level[MOST * CLASSES];
    const int64_t n = t->problem.n, K = t->basis.classes;
    struct em em;
    struct error err = {0};
    double temperature = NAN;
    memcpy(level, score, (size_t)(n * K) * sizeof *level);
    for (int64_t i = 0; i < n; i++)
        em_level_scores(K, level + i * K);
    const bool ready = em_start(&em, n, K, t->y, NULL, 1, &err) == 0;
    CHECK(ready, "%s", err.message);
    if (ready) {
        em_weigh(&em, t->basis.weight);
        em_temperature(&em, level, t->basis.c, 0, NULL, &temperature);
    }
    em_free(&em);
    for (int64_t i = 0; i < n; i++)
        softmax(K, score + i * K, temperature, p + i * K);
    return temperature;
}

/* The strict reading of each rest, with the ridge that was chosen: its likelihood and lead. */
static void plain_compare(struct task *t, struct plain *plain)
{
    static double score[MOST * CLASSES], all[MOST * CLASSES];
    static struct regression rest;
    for (int fold = 0; fold < folds_that_judge(t); fold++) {
        read_without(t, fold, t->rest_p[fold], &rest);
        table_tell(&plain->table, &rest);
        plain_held_out(&plain->table, plain->first.ridge, score);
        for (int64_t i = 0; i < t->problem.n; i++)
            if (t->fold[i] == fold)
                memcpy(all + i * t->basis.classes, score + i * t->basis.classes,
                       (size_t)t->basis.classes * sizeof *all);
    }
    plain->likelihood = likelihood_of(t, all);
    plain->softmax_likelihood = likelihood_of(t, t->p);
    plain->lead = lead_of(t, t->p, all);
}

/* The strict reading by softmax regression; the lenient one by that, with a ridge no more than one
 * before its ridge; its targets by its own, with
 * weights and ridge as they are; and the strict one by that, with its ridge as it is. */
static const struct plain *plain_make(struct task *t)
{
    static struct plain plain;
    static double mean[MOST * CLASSES], unused[MOST];
    int first = 0;
    table_make(t, &plain.table);
    read_strictly(t, t->p, &plain.first);
    plain_choose(t, &plain.table, 0, &plain.first);
    plain_compare(t, &plain);
    if (t->revises)
        revise(t);
    while (first < 2 && ridges[first + 1] > 1.5 * plain.first.ridge) /* one before it */
        first++;
    plain_probabilities(t, plain.first.score, plain.p);
    read_leniently(t, plain.p, &plain.lenient);
    plain_choose(t, &plain.table, first, &plain.lenient);
    plain_probabilities(t, plain.lenient.score, plain.p);
    read_targets(t, plain.p, &plain.lenient, unused);
    table_tell(&plain.table, &plain.lenient);
    plain_held_out(&plain.table, plain.lenient.ridge, plain.lenient.score);
    plain_probabilities(t, plain.lenient.score, plain.p);
    plain.strict = plain.first;
    read_strictly(t, plain.p, &plain.strict);
    table_tell(&plain.table, &plain.strict);
    plain_held_out(&plain.table, plain.strict.ridge, plain.strict.score);
    for (int64_t cell = 0; cell < t->problem.n * t->basis.classes; cell++)
        mean[cell] = (plain.strict.score[cell] + plain.lenient.score[cell]) / 2;
    plain.temperature = plain_probabilities(t, mean, plain.p);
    return &plain;
}

/* ---- what the library finds beside it ---- */

static int choose(const struct kernel_ridge_basis *basis, struct kernel_ridge *ridge,
                  struct error *err)
{
    return kernel_ridge_begin(basis, ridge, err) == 0 ? kernel_ridge_finish(basis, ridge, err) : -1;
}

static void check_reading(const struct kernel_ridge_reading *got, const struct regression *want,
                          const struct table *table, const char *which)
{
    const int64_t K = table->classes;
    CHECK_NEAR(got->ridge, want->ridge, 1e-12, "the %s ridge", which);
    for (int64_t i = 0; i < table->n; i++) {
        CHECK_NEAR(got->weight[i], want->weight[i], 1e-8, "the %s weight %d", which, (int)i);
        for (int64_t k = 0; got->target && k < K; k++)
            CHECK_NEAR(got->target[i * K + k], want->target[i * K + k], 1e-8,
                       "the %s target %d of class %d", which, (int)i, (int)k);
    }
}

static void check_mapped(const struct problem *mapped, const struct table *table)
{
    CHECK_INT(mapped->n, table->n, "examples");
    CHECK_INT(mapped->d, table->dims, "features");
    for (int64_t i = 0; i < table->n; i++) {
        const struct example x = problem_example(mapped, i);
        CHECK_INT(x.size, table->dims, "the size of example %d", (int)i);
        for (int64_t j = 0; j < table->dims; j++)
            CHECK(x.index[j] == j + 1 && x.value[j] == table->phi[i * table->dims + j],
                  "feature %d of example %d", (int)j, (int)i);
    }
}

/* The temperature is one of a search with few steps, so that small differences of scores leave it
 * as it is. */
static void check_probabilities(const struct kernel_ridge *got, const struct plain *want)
{
    CHECK_NEAR(got->temperature, want->temperature, 1e-8, "the temperature");
    check_numbers(got->p, want->p, want->table.n * want->table.classes, 1e-8, "p");
}

/* The weights of a model: one column for two classes, their difference. */
static void check_model(const struct weights *w, const double *want, const struct table *table)
{
    const int64_t K = table->classes, columns = K == 2 ? 1 : K;
    CHECK_INT(w->columns, columns, "columns");
    CHECK_INT(w->rows, table->dims + 1, "rows");
    for (int64_t k = 0; k < columns; k++)
        CHECK(w->w[k] == 0, "no bias of class %d", (int)k);
    for (int64_t j = 0; j < table->dims; j++)
        for (int64_t k = 0; k < columns; k++) {
            const double *row = want + j * K, one = K == 2 ? row[1] - row[0] : row[k];
            CHECK_NEAR(w->w[(j + 1) * w->stride + k], one, 1e-8, "weight %d of class %d",
                       (int)j + 1, (int)k);
        }
}

/* The mean of both W. */
static void check_mean(const struct kernel_ridge *ridge, const struct plain *plain)
{
    static struct table table;
    static double w[WIDTH * CLASSES], lenient[WIDTH * CLASSES];
    table = plain->table;
    table_tell(&table, &plain->strict);
    plain_solve(&table, 7, plain->strict.ridge, w);
    table_tell(&table, &plain->lenient);
    plain_solve(&table, 7, plain->lenient.ridge, lenient);
    for (int64_t cell = 0; cell < table.dims * table.classes; cell++)
        w[cell] = (w[cell] + lenient[cell]) / 2;
    check_model(&ridge->mean, w, &table);
}

static void check_map(const struct task *t, const struct kernel_ridge *ridge)
{
    const struct kernel_ridge_basis *b = &t->basis;
    struct feature_map map;
    CHECK(map_of_kernel(&t->problem, b->dims, b->kernel, b->seed, 1, &map, NULL) == 0
              && feature_map_equal(ridge->map, &map),
          "the map");
    feature_map_free(&map);
}

/* What is known after the first strict regression. */
static void check_first(const struct task *t, const struct kernel_ridge *got,
                        const struct plain *want)
{
    const int64_t n = t->problem.n, K = t->basis.classes;
    double level[CLASSES];
    CHECK_NEAR(got->likelihood, want->likelihood, 1e-9, "the likelihood");
    CHECK_NEAR(got->softmax_likelihood, want->softmax_likelihood, 1e-9, "that of softmax");
    CHECK_NEAR(got->lead, want->lead, 1e-6, "the lead");
    for (int64_t i = 0; i < n; i++) {
        memcpy(level, want->first.score + i * K, (size_t)K * sizeof *level);
        em_level_scores(K, level);
        check_numbers(got->scores + i * K, level, K, 1e-8, "a score");
    }
    CHECK(!got->p && got->mean.rows == 0, "no classifier yet");
}

/* Without rests the first strict regression is compared as it is. */
static void check_without_rests(const struct task *t, const struct plain *want)
{
    struct kernel_ridge_basis basis = t->basis;
    struct kernel_ridge got;
    struct error err = {0};
    basis.rest = NULL;
    const bool ready = kernel_ridge_begin(&basis, &got, &err) == 0;
    CHECK(ready, "%s", err.message);
    if (ready) {
        CHECK_NEAR(got.likelihood, want->first.likelihood, 1e-9, "the likelihood without rests");
        CHECK_NEAR(got.softmax_likelihood, want->softmax_likelihood, 1e-9, "that of softmax");
        CHECK_NEAR(got.lead, lead_of(t, t->p, want->first.score), 1e-6, "the lead without rests");
    }
    kernel_ridge_free(&got);
}

/* Everything beside the plain loops, whose results are returned. */
static const struct plain *check_task(struct task *t)
{
    struct kernel_ridge got;
    struct error err = {0};
    struct random g = random_seeded(8, 2);
    task_make_rests(t, &g);
    const struct kernel_ridge_basis basis = t->basis;
    const struct plain *want = plain_make(t);
    t->basis = basis;
    check_without_rests(t, want);
    int code = kernel_ridge_begin(&t->basis, &got, &err);
    if (code == 0) {
        check_first(t, &got, want);
        if (t->revises)
            revise(t);
        code = kernel_ridge_finish(&t->basis, &got, &err);
    }
    CHECK_INT(code, 0, "%s", err.message);
    if (code == 0) {
        check_map(t, &got);
        check_mapped(&got.mapped, &want->table);
        CHECK(got.lenient.target != NULL, "targets of the lenient reading");
        check_reading(&got.strict, &want->strict, &want->table, "strict");
        check_reading(&got.lenient, &want->lenient, &want->table, "lenient");
        CHECK(!got.scores, "the first scores are given back");
        check_probabilities(&got, want);
        check_mean(&got, want);
    }
    kernel_ridge_free(&got);
    return want;
}

/* The lenient scores of examples sum to less than 1, or to more, though never those of two classes
 * (Hoelder's inequality: their r and their h sum to 1).  Returns how many to less. */
static int test_kernel_ridge(int64_t n, int64_t K, int64_t dims, bool weighted)
{
    check_group("%d examples, %d classes, %d landmarks%s", (int)n, (int)K, (int)dims,
                weighted ? ", own weights" : "");
    struct task *t = task_make(n, K, dims, 1);
    t->basis.weight = weighted ? t->weight : NULL;
    t->basis.unexplained = weighted ? 0.9 : 0.4;
    const struct regression *lenient = &check_task(t)->lenient;
    CHECK((lenient->more > 0) == (K > 2), "%d sums above 1", lenient->more);
    task_free(t);
    return lenient->less;
}

static void test_tasks(void)
{
    int less = 0;
    less += test_kernel_ridge(90, 3, 30, false);
    less += test_kernel_ridge(90, 3, 30, true);
    less += test_kernel_ridge(80, 2, 25, false);
    less += test_kernel_ridge(80, 2, 25, true);
    less += test_kernel_ridge(120, CLASSES, 40, true);
    less += test_kernel_ridge(1650, 4, 20, false);
    CHECK(less > 0, "a sum below 1");
}

/* The noise is judged anew after the first strict regression. */
static void test_other_noise(bool weighted)
{
    check_group("other noise, after the first regression%s", weighted ? ", own weights" : "");
    struct task *t = task_make(90, 3, 30, 7);
    t->basis.weight = weighted ? t->weight : NULL;
    t->revises = true;
    check_task(t);
    CHECK(t->basis.c == t->other_c, "there was other noise");
    task_free(t);
}

/* A fold of 1500 examples judges alone, in the choice of either ridge, too. */
static void test_one_judge(bool weighted)
{
    check_group("one fold judges%s", weighted ? ", own weights" : "");
    struct task *t = task_make(1650, 3, 20, 9);
    t->basis.weight = weighted ? t->weight : NULL;
    for (int64_t i = 0; i < t->problem.n; i++)
        t->fold[i] = i % 11 == 0 ? 1 + i % 2 : 0;
    CHECK_INT(folds_that_judge(t), 1, "folds");
    check_task(t);
    task_free(t);
}

/* Nothing large is kept where it is left there. */
static void test_left(void)
{
    struct kernel_ridge ridge;
    struct error err = {0};
    check_group("left after the first regression");
    struct task *t = task_make(90, 3, 30, 7);
    CHECK_INT(kernel_ridge_begin(&t->basis, &ridge, &err), 0, "%s", err.message);
    kernel_ridge_leave(&ridge);
    CHECK(!ridge.search && !ridge.scores && ridge.mapped.n == 0, "nothing large");
    CHECK(!ridge.map && !ridge.strict.weight && !ridge.lenient.target, "nothing for the readings");
    CHECK(ridge.likelihood < 0 && ridge.softmax_likelihood < 0 && ridge.strict.ridge > 0,
          "what is known of it");
    kernel_ridge_free(&ridge);
    task_free(t);
}

/* Of tasks that differ by chance, and in how smooth the kernel is, some must take each ridge, and
 * some one that the next does not exceed though another would: in either reading.  The regressions
 * must not always agree. */
static void test_choices(void)
{
    static const double gammas[] = {0.1, 0.01, 0.001};
    int taken[2][4] = {{0}}, greedy[2] = {0}, differ = 0;
    check_group("which ridge");
    for (uint64_t seed = 1; seed <= 24; seed++) {
        struct task *t = task_make(75, 3, 25, seed);
        t->basis.kernel.gamma = gammas[seed % 3];
        const struct plain *plain = check_task(t);
        const struct regression *of[] = {&plain->strict, &plain->lenient};
        for (int which = 0; which < 2; which++) {
            taken[which][lround(-log10(of[which]->ridge))]++;
            greedy[which] += of[which]->greedy;
        }
        differ += plain->strict.ridge != plain->lenient.ridge;
        task_free(t);
    }
    for (int which = 0; which < 2; which++) {
        for (int s = 0; s < 4; s++)
            CHECK(taken[which][s] > 0, "reading %d takes a ridge of 1e-%d", which, s);
        CHECK(greedy[which] > 0, "reading %d takes one that is not the best", which);
    }
    CHECK(differ > 0, "the ridges of a task differ");
}

/* A class that p hardly believes in, so that its weights are to be scaled up, and one that has few
 * examples for its share, one of which would count more than 1. */
static void test_floor(bool weighted)
{
    check_group("a tenth of a class%s", weighted ? ", own weights" : "");
    struct task *t = task_make(90, 3, 30, 5);
    t->basis.weight = weighted ? t->weight : NULL;
    for (int64_t i = 0; i < t->problem.n; i++) {
        const double odd = 1e-4 * (double)(i + 1);
        double *p = t->p + 3 * i;
        t->y[i] = i == 31 || i == 52 ? 2 : (int32_t)(i % 2);
        p[1] = odd;
        p[2] = i == 31 ? 0.95 : odd;
        p[0] = 1 - p[1] - p[2];
    }
    t->share[0] = 0.2;
    t->share[1] = 0.3;
    t->share[2] = 0.5;
    const struct plain *plain = check_task(t);
    const double *weight = plain->first.weight;
    double sum = 0;
    for (int64_t i = 0; i < t->problem.n; i++)
        sum += t->y[i] == 1 ? weight[i] : 0;
    CHECK(weighted || check_near(sum, 0.03 * (double)t->problem.n, 1e-12),
          "class 1 is scaled to its tenth: %g", sum);
    CHECK(weight[31] == own_weight(t, 31) && weight[52] < own_weight(t, 52),
          "one example of class 2 counts fully: %g, %g", weight[31], weight[52]);
    task_free(t);
}

/* ---- without noise of the class ---- */

/* C is the identity, by which all labels are right. */
static struct task *task_of_identity(bool weighted)
{
    struct task *t = task_make(120, 3, 30, 6);
    t->basis.weight = weighted ? t->weight : NULL;
    for (int cell = 0; cell < 9; cell++)
        t->c[cell] = cell % 4 == 0;
    for (int k = 0; k < 3; k++)
        t->share[k] = 1. / 3;
    return t;
}

/* The lenient reading asks for no other class than the label's, and weighs it as the strict reading
 * would by the same probabilities. */
static void check_identity(const struct task *t, const struct plain *plain,
                           const struct kernel_ridge *ridge)
{
    static struct regression strict;
    static double p[MOST * CLASSES];
    double sum[3] = {0};
    plain_probabilities(t, plain->first.score, p);
    read_strictly(t, p, &strict);
    for (int64_t i = 0; i < t->problem.n; i++) {
        for (int64_t k = 0; k < 3; k++)
            CHECK(ridge->lenient.target[3 * i + k] == (k == t->y[i]), "target %d of class %d",
                  (int)i, (int)k);
        CHECK_NEAR(ridge->lenient.weight[i], strict.weight[i], 1e-8, "weight %d", (int)i);
        sum[t->y[i]] += ridge->lenient.weight[i];
    }
    for (int k = 0; k < 3; k++)
        CHECK(sum[k] > (double)t->problem.n / 30, "class %d has its tenth: %g", k, sum[k]);
}

static void test_identity(bool weighted)
{
    struct kernel_ridge ridge;
    struct error err = {0};
    check_group("no noise of the class%s", weighted ? ", own weights" : "");
    struct task *t = task_of_identity(weighted);
    const struct plain *plain = check_task(t);
    const bool ready = choose(&t->basis, &ridge, &err) == 0;
    CHECK(ready, "%s", err.message);
    if (ready)
        check_identity(t, plain, &ridge);
    kernel_ridge_free(&ridge);
    task_free(t);
}

/* The few labels of a large class count fully in the strict reading, but not in the lenient one,
 * where labels have no tenth. */
static void test_few_labels(bool weighted)
{
    check_group("few labels of a class%s", weighted ? ", own weights" : "");
    struct task *t = task_of_identity(weighted);
    for (int64_t i = 9; i < t->problem.n; i++)
        t->y[i] = t->y[i] == 2 ? 0 : t->y[i];
    t->share[0] = t->share[1] = 0.01;
    t->share[2] = 0.98;
    const struct plain *plain = check_task(t);
    int labels = 0;
    for (int64_t i = 0; i < t->problem.n; i++) {
        const double own = own_weight(t, i);
        if (t->y[i] != 2 || own == 0)
            continue;
        labels++;
        CHECK(plain->strict.weight[i] == own, "strict weight %d", (int)i);
        CHECK(plain->lenient.weight[i] < 0.9 * own, "lenient weight %d: %g of %g", (int)i,
              plain->lenient.weight[i], own);
    }
    CHECK(labels > 0, "labels");
    task_free(t);
}

/* ---- weights that cannot be scaled up ---- */

static void check_finite(const double *a, int64_t n, const char *what)
{
    for (int64_t i = 0; i < n; i++)
        CHECK(isfinite(a[i]), "%s %d: %g", what, (int)i, a[i]);
}

/* By C no label is that of class 2, so that its labels have no score in any class; or its labels
 * have no weight of their own. */
static void test_nothing(bool weighted)
{
    struct kernel_ridge ridge;
    struct error err = {0};
    check_group("%s", weighted ? "a class without a weight" : "labels that C rules out");
    struct task *t = task_make(90, 3, 30, 6);
    const int64_t n = t->problem.n;
    t->basis.weight = weighted ? t->weight : NULL;
    for (int64_t i = 0; i < n; i++)
        t->weight[i] = t->y[i] == 2 ? 0 : t->weight[i];
    for (int q = 0; q < 3 && !weighted; q++) {
        t->c[q] += t->c[6 + q];
        t->c[6 + q] = 0;
    }
    const bool ready = choose(&t->basis, &ridge, &err) == 0;
    CHECK(ready, "%s", err.message);
    if (ready) {
        check_finite(ridge.lenient.target, 3 * n, "lenient target");
        check_finite(ridge.p, 3 * n, "p");
        check_finite(ridge.mean.w, ridge.mean.rows * ridge.mean.stride, "W");
    }
    for (int64_t i = 0; ready && i < n; i++) {
        const bool counts = t->y[i] != 2 && own_weight(t, i) > 0;
        CHECK((ridge.strict.weight[i] > 0) == counts, "strict weight %d: %g", (int)i,
              ridge.strict.weight[i]);
        CHECK((ridge.lenient.weight[i] > 0) == counts, "lenient weight %d: %g", (int)i,
              ridge.lenient.weight[i]);
    }
    kernel_ridge_free(&ridge);
    task_free(t);
}

/* ---- threads, errors ---- */

static void check_same_reading(const struct task *t, const struct kernel_ridge_reading *a,
                               const struct kernel_ridge_reading *b, const char *which)
{
    const size_t n = (size_t)t->problem.n, K = (size_t)t->basis.classes, size = sizeof(double);
    CHECK(a->ridge == b->ridge, "the %s ridge", which);
    CHECK(memcmp(a->weight, b->weight, n * size) == 0, "%s weights", which);
    CHECK((a->target == NULL) == (b->target == NULL)
              && (!a->target || memcmp(a->target, b->target, n * K * size) == 0),
          "%s targets", which);
}

static void check_same(const struct task *t, const struct kernel_ridge *a,
                       const struct kernel_ridge *b)
{
    const size_t n = (size_t)t->problem.n, K = (size_t)t->basis.classes, size = sizeof(double);
    const struct weights *one = &a->mean, *other = &b->mean;
    check_same_reading(t, &a->strict, &b->strict, "strict");
    check_same_reading(t, &a->lenient, &b->lenient, "lenient");
    CHECK(a->temperature == b->temperature, "temperatures");
    CHECK(a->likelihood == b->likelihood && a->softmax_likelihood == b->softmax_likelihood,
          "likelihoods");
    CHECK(memcmp(a->p, b->p, n * K * size) == 0, "probabilities");
    CHECK_INT(a->mapped.nnz, b->mapped.nnz, "entries");
    CHECK(memcmp(a->mapped.value, b->mapped.value, (size_t)a->mapped.nnz * size) == 0, "features");
    CHECK(feature_map_equal(a->map, b->map), "maps");
    CHECK(one->rows == other->rows && one->stride == other->stride
              && memcmp(one->w, other->w, (size_t)(one->rows * one->stride) * size) == 0,
          "models");
}

static void test_threads(void)
{
    struct kernel_ridge ridge[2];
    struct error err = {0};
    bool ready = true;
    check_group("the same on three threads");
    struct task *t = task_make(1650, 4, 60, 2);
    t->basis.weight = t->weight;
    for (int run = 0; run < 2; run++) {
        t->basis.threads = 1 + 2 * run;
        ready = choose(&t->basis, &ridge[run], &err) == 0 && ready;
    }
    CHECK(ready, "%s", err.message);
    if (ready)
        check_same(t, &ridge[0], &ridge[1]);
    for (int run = 0; run < 2; run++)
        kernel_ridge_free(&ridge[run]);
    task_free(t);
}

/* A map that is given serves as one that is made. */
static void test_given_map(void)
{
    struct kernel_ridge made, given;
    struct error err = {0};
    check_group("a map that is given");
    struct task *t = task_make(64, 3, 20, 4);
    bool ready = choose(&t->basis, &made, &err) == 0;
    t->basis.map = made.map;
    t->basis.dims = 1;
    t->basis.kernel.gamma = 100;
    ready = choose(&t->basis, &given, &err) == 0 && ready;
    CHECK(ready, "%s", err.message);
    CHECK(!given.map, "none is made");
    given.map = made.map;
    check_same(t, &made, &given);
    given.map = NULL;
    kernel_ridge_free(&made);
    kernel_ridge_free(&given);
    task_free(t);
}

/* What all weights are multiplied by makes no difference, not even where a ridge would be lost
 * beside them: with as many landmarks as examples the folds leave the system singular but for it.
 */
static void test_scale(void)
{
    static double weight[MOST];
    struct kernel_ridge plain, scaled;
    struct error err = {0};
    check_group("large weights");
    struct task *t = task_make(64, 3, 64, 4);
    for (int64_t i = 0; i < t->problem.n; i++)
        weight[i] = 0x1p100;
    CHECK_INT(choose(&t->basis, &plain, &err), 0, "%s", err.message);
    t->basis.weight = weight;
    CHECK_INT(choose(&t->basis, &scaled, &err), 0, "%s", err.message);
    check_same(t, &plain, &scaled);
    kernel_ridge_free(&plain);
    kernel_ridge_free(&scaled);
    task_free(t);
}

static void test_too_large(void)
{
    struct kernel_ridge ridge;
    struct error err = {0};
    check_group("values that are too large");
    struct task *t = task_make(60, 3, 20, 4);
    for (int64_t e = 0; e < t->problem.nnz; e++)
        t->problem.value[e] *= 1e200;
    CHECK_INT(choose(&t->basis, &ridge, &err), -1, "an error");
    CHECK(err.message[0] != '\0', "a reason");
    kernel_ridge_free(&ridge);
    task_free(t);
}

static void test_bytes(void)
{
    check_group("bytes of the classifier");
    for (double n = 1000; n < 1e6; n *= 10) {
        const double dims = 300, K = 5,
                     held = 8 * n * (2 + 2 * K + dims)
                            + ridge_bytes((int64_t)n, (int64_t)dims, (int64_t)K),
                     bytes = kernel_ridge_bytes((int64_t)n, 20, (int64_t)dims, (int64_t)K);
        CHECK(bytes >= held && bytes < 4 * held, "%g where %g are held", bytes, held);
    }
}

int main(void)
{
    test_tasks();
    test_other_noise(false);
    test_other_noise(true);
    test_one_judge(false);
    test_one_judge(true);
    test_left();
    test_choices();
    test_floor(false);
    test_floor(true);
    test_identity(false);
    test_identity(true);
    test_few_labels(false);
    test_few_labels(true);
    test_nothing(false);
    test_nothing(true);
    test_threads();
    test_given_map();
    test_scale();
    test_too_large();
    test_bytes();
    return check_finish();
}
