/* What is left by a fold knows nothing of its labels.  (test_svm_estimate.c has the probabilities
 * beside plain loops.) */
#include "forward_plain.h"
#include "learners/estimate/cross_scores.h"
#include "learners/noise/em_prior.h"

enum { EXAMPLES = 240 };

struct task {
    struct set set;
    struct labels labels;
    struct estimate e;
    double c[CLASSES * CLASSES], weight[EXAMPLES];
    int64_t fold[EXAMPLES];
    struct forward_metric metric;
    struct labelled data;
    struct cross_scores_task regression;
};

static struct task *task_make(int classes, bool weighted)
{
    static struct task t;
    struct error err = {0};
    memset(&t, 0, sizeof t);
    t.set = set_make(3, EXAMPLES, classes, FEATURES, NULL);
    for (int32_t k = 0; k < classes; k++)
        labels_add(&t.labels, k, NULL);
    matrix_make(5, classes, 0.7, t.c);
    t.e = (struct estimate){.n = EXAMPLES,
                            .classes = classes,
                            .matrix.c = t.c,
                            .classifier.lambda = 1e-3,
                            .classifier.temperature = 1.5};
    for (int64_t i = 0; i < EXAMPLES; i++) {
        t.fold[i] = i * 7 % 5 % FOLDS_DEFAULT;
        t.weight[i] = 0.5 + (double)(i % 4);
    }
    t.data = (struct labelled){.problem = &t.set.problem, .y = t.set.y, .labels = &t.labels};
    t.regression = (struct cross_scores_task){.data = &t.data,
                                              .weight = weighted ? t.weight : NULL,
                                              .estimate = &t.e,
                                              .metric = &t.metric,
                                              .threads = 1};
    CHECK(forward_metric_make(&t.set.problem, t.regression.weight, &t.metric, 1, &err) == 0, "%s",
          err.message);
    return &t;
}

static void task_free(struct task *t)
{
    forward_metric_free(&t->metric);
    labels_free(&t->labels);
    set_free(&t->set);
}

/* Its examples in their order, with what is known of them. */
static void check_examples(const struct task *t, const struct rest_of_fold *rest, int64_t left_out)
{
    int64_t place = 0;
    CHECK((rest->weight != NULL) == (t->regression.weight != NULL), "weights");
    for (int64_t i = 0; i < EXAMPLES; i++) {
        if (t->fold[i] == left_out)
            continue;
        CHECK_INT(rest->example[place], i, "example %d", (int)place);
        CHECK_INT(rest->y[place], t->set.y[i], "its label");
        CHECK_INT(rest->fold[place], t->fold[i], "its fold");
        CHECK(!rest->weight || rest->weight[place] == t->weight[i], "its weight");
        place++;
    }
    CHECK_INT(rest->n, place, "examples");
}

static void test_examples(bool weighted)
{
    check_group("examples of a rest%s", weighted ? ", with weights" : "");
    struct task *t = task_make(3, weighted);
    const struct rest_source from = {EXAMPLES, t->set.y, t->regression.weight, t->fold};
    for (int64_t left_out = FOLDS_ALL; left_out < FOLDS_DEFAULT; left_out++) {
        struct rest_of_fold rest;
        struct error err = {0};
        CHECK(rest_make(&from, left_out, &rest, &err) == 0, "%s", err.message);
        check_examples(t, &rest, left_out);
        rest_free(&rest);
    }
    task_free(t);
}

/* The probabilities that the rest of fold 1 has. */
static void regress(const struct task *t, double *p)
{
    struct error err = {0};
    struct rest_of_fold rest;
    CHECK(cross_scores_of_rest(&t->regression, t->fold, 1, 1, &rest, &err) == 0, "%s", err.message);
    memcpy(p, rest.p, (size_t)(rest.n * t->e.classes) * sizeof *p);
    rest_free(&rest);
}

/* Other labels of the fold that is left out change no bit; those of the rest do. */
static void test_labels(int classes)
{
    static double p[EXAMPLES * CLASSES], other[EXAMPLES * CLASSES];
    check_group("labels of the fold that is left out, %d classes", classes);
    struct task *t = task_make(classes, false);
    int64_t rows = 0;
    regress(t, p);
    for (int64_t i = 0; i < EXAMPLES; i++) {
        rows += t->fold[i] != 1;
        if (t->fold[i] == 1)
            t->set.y[i] = (t->set.y[i] + 1) % classes;
    }
    regress(t, other);
    CHECK(memcmp(p, other, (size_t)(rows * classes) * sizeof *p) == 0, "they have no part in p");
    for (int64_t row = 0; row < rows; row++) {
        double sum = 0;
        for (int k = 0; k < classes; k++)
            sum += p[row * classes + k];
        CHECK_NEAR(sum, 1, 1e-12, "the sum of row %d", (int)row);
    }
    for (int64_t i = 0; i < EXAMPLES; i++)
        if (t->fold[i] == 2)
            t->set.y[i] = (t->set.y[i] + 1) % classes;
    regress(t, other);
    CHECK(memcmp(p, other, (size_t)(rows * classes) * sizeof *p) != 0,
          "those of another fold have");
    task_free(t);
}

/* Of every four examples in a row the last three repeat the first. */
static void test_copies(void)
{
    static int64_t first[EXAMPLES];
    struct error err = {0};
    struct rest_of_fold rest;
    int64_t together = 0;
    check_group("copies in the rest of a fold");
    struct task *t = task_make(3, false);
    for (int64_t i = 0; i < EXAMPLES; i++) {
        first[i] = i / 4 * 4;
        t->fold[i] = i / 4 % FOLDS_DEFAULT;
        t->set.y[i] = t->set.y[first[i]];
    }
    t->data.first = first;
    CHECK(cross_scores_of_rest(&t->regression, t->fold, 1, 1, &rest, &err) == 0, "%s", err.message);
    for (int64_t place = 1; place < rest.n; place++)
        if (first[rest.example[place]] == first[rest.example[place - 1]]) {
            CHECK_INT(rest.fold[place], rest.fold[place - 1], "example %d",
                      (int)rest.example[place]);
            together++;
        }
    CHECK_INT(together, rest.n * 3 / 4, "neighbours that are copies");
    for (int64_t fold = 0; fold < FOLDS_DEFAULT; fold++) {
        int64_t size = 0;
        for (int64_t place = 0; place < rest.n; place++)
            size += rest.fold[place] == fold;
        CHECK(size > rest.n / 4 && size < rest.n / 2, "fold %d has %d examples", (int)fold,
              (int)size);
    }
    rest_free(&rest);
    task_free(t);
}

/* c: out, the matrix that fits these probabilities of the rest of fold 1, in folds of its own. */
static void fit_matrix(const struct task *t, const double *p, int threads, double *c)
{
    struct error err = {0};
    struct rest_of_fold rest;
    const struct rest_source from = {EXAMPLES, t->set.y, t->regression.weight, t->fold};
    CHECK(rest_make(&from, 1, &rest, &err) == 0, "%s", err.message);
    for (int64_t place = 0; place < rest.n; place++)
        rest.fold[place] = place % FOLDS_DEFAULT;
    CHECK(rest_estimate_matrix(&rest, t->e.classes, p, t->c, threads, c, &err) == 0, "%s",
          err.message);
    rest_free(&rest);
}

/* The matrix knows nothing of the labels of the fold that is left out; no bit of it depends on
 * threads, and little on how large all weights are. */
static void test_matrix(int classes, bool weighted)
{
    static double p[EXAMPLES * CLASSES];
    double c[CLASSES * CLASSES], other[CLASSES * CLASSES];
    check_group("the matrix of a rest, %d classes%s", classes, weighted ? ", weights" : "");
    struct task *t = task_make(classes, weighted);
    const size_t size = (size_t)(classes * classes) * sizeof *c;
    regress(t, p);
    fit_matrix(t, p, 1, c);
    CHECK(memcmp(c, t->c, size) != 0, "not where EM begins");
    fit_matrix(t, p, 3, other);
    CHECK(memcmp(c, other, size) == 0, "the same on three threads");
    for (int64_t i = 0; i < EXAMPLES; i++) {
        t->weight[i] *= t->fold[i] == 1 ? 20 : 4;
        if (t->fold[i] == 1)
            t->set.y[i] = (t->set.y[i] + 1) % classes;
    }
    fit_matrix(t, p, 1, other);
    for (int cell = 0; cell < classes * classes; cell++)
        CHECK_NEAR(other[cell], c[cell], 1e-12, "entry %d without the labels of the fold", cell);
    for (int64_t i = 0; i < EXAMPLES; i++)
        if (t->fold[i] == 2)
            t->set.y[i] = (t->set.y[i] + 1) % classes;
    fit_matrix(t, p, 1, other);
    CHECK(memcmp(c, other, size) != 0, "those of another fold have a part in it");
    task_free(t);
}

/* ---- the matrix beside plain loops ---- */

enum { K = 3 };

/* Column k led by its diagonal: the largest mean of it and of some of the largest other entries
 * takes the place of these, and of what is larger. */
static void plain_lead(double c[K][K], int k)
{
    const double a = c[(k + 1) % K][k], b = c[(k + 2) % K][k], own = c[k][k];
    const double lead = fmax(own, fmax((own + fmax(a, b)) / 2, (own + a + b) / 3));
    for (int l = 0; l < K; l++)
        c[l][k] = l == k || c[l][k] > lead ? lead : c[l][k];
}

/* A step of EM by the examples outside a fold (-1: by all).  unit: what weights are multiplied by.
 */
static void plain_step(const struct rest_of_fold *rest, const double *p, double unit, double prior,
                       int64_t left_out, double c[K][K])
{
    double counts[K][K] = {{0}}, right = 0, all = 0;
    for (int64_t i = 0; i < rest->n; i++) {
        const double *row = c[rest->y[i]], weight = unit * (rest->weight ? rest->weight[i] : 1);
        double q = 0;
        for (int k = 0; k < K; k++)
            q += row[k] * p[i * K + k];
        for (int k = 0; rest->fold[i] != left_out && k < K; k++) {
            counts[rest->y[i]][k] += weight * row[k] * p[i * K + k] / q;
            right += k == rest->y[i] ? weight * row[k] * p[i * K + k] / q : 0;
            all += weight * row[k] * p[i * K + k] / q;
        }
    }
    for (int k = 0; k < K; k++) {
        double sum = 0;
        for (int l = 0; l < K; l++) {
            counts[l][k] += prior * (l == k ? right / all : (1 - right / all) / (K - 1));
            sum += counts[l][k];
        }
        for (int l = 0; l < K; l++)
            c[l][k] = counts[l][k] / sum;
        plain_lead(c, k);
    }
}

/* The log-likelihood of the labels of each fold, through the matrix of the others. */
static double plain_likelihood(const struct rest_of_fold *rest, const double *p, double unit,
                               double prior, const double *start)
{
    double sum = 0;
    for (int64_t fold = 0; fold < FOLDS_DEFAULT; fold++) {
        double c[K][K];
        memcpy(c, start, sizeof c);
        for (int step = 0; step < EM_STEPS; step++)
            plain_step(rest, p, unit, prior, fold, c);
        for (int64_t i = 0; i < rest->n; i++) {
            double q = 0;
            for (int k = 0; k < K; k++)
                q += c[rest->y[i]][k] * p[i * K + k];
            if (rest->fold[i] == fold)
                sum += (rest->weight ? rest->weight[i] : 1) * log(q);
        }
    }
    return sum;
}

/* Labels drawn through a matrix.  prior: that is the likeliest. */
static void test_plain(const char *name, const double *noise, bool weighted, double prior)
{
    static const double start[] = {.6, .2, .2, .2, .6, .2, .2, .2, .6};
    static double p[EXAMPLES * K], weight[EXAMPLES];
    static int32_t y[EXAMPLES];
    static int64_t fold[EXAMPLES];
    const struct rest_of_fold rest = {
        .n = EXAMPLES, .y = y, .weight = weighted ? weight : NULL, .fold = fold};
    struct random g = random_seeded(6, 1);
    struct error err = {0};
    double got[K * K], want[K][K], sum = 0, squares = 0, best = 0, least = -INFINITY;
    check_group("the matrix beside plain loops, %s%s", name, weighted ? ", weights" : "");
    for (int i = 0; i < EXAMPLES; i++) {
        const int64_t class = random_below(&g, K);
        double u = random_uniform(&g);
        for (y[i] = 0; y[i] < K - 1 && (u -= noise[y[i] * K + class]) > 0; y[i]++)
            ;
        fold[i] = i % FOLDS_DEFAULT;
        weight[i] = i % 2 ? 0.1 : 3;
        for (int k = 0; k < K; k++)
            p[i * K + k] = k == class ? 0.8 : 0.1;
        sum += weight[i];
        squares += weight[i] * weight[i];
    }
    const double unit = weighted ? sum / squares : 1;
    for (double trial = EM_FIRST_PRIOR; trial <= 1000; trial *= 10) {
        const double likelihood = plain_likelihood(&rest, p, unit, trial, start);
        best = likelihood > least ? trial : best;
        least = fmax(likelihood, least);
    }
    CHECK_NEAR(best, prior, 0, "the prior");
    memcpy(want, start, sizeof want);
    for (int step = 0; step < EM_STEPS; step++)
        plain_step(&rest, p, unit, best, -1, want);
    CHECK(rest_estimate_matrix(&rest, K, p, start, 1, got, &err) == 0, "%s", err.message);
    for (int cell = 0; cell < K * K; cell++)
        CHECK_NEAR(got[cell], want[cell / K][cell % K], 1e-12, "entry %d", cell);
}

/* All that a rest has. */
static void test_bytes(void)
{
    const struct rest_of_fold rest = {0};
    const size_t each = sizeof *rest.example + sizeof *rest.y + sizeof *rest.weight
                        + sizeof *rest.fold + CLASSES * sizeof *rest.p + sizeof *rest.v;
    check_group("bytes of a rest");
    CHECK(rest_bytes(1000, CLASSES) >= 1000. * (double)each, "%g", rest_bytes(1000, CLASSES));
}

/* As many folds as have 1500 examples. */
static void test_judges(void)
{
    static int64_t fold[4600];
    check_group("folds that judge");
    for (int64_t i = 0; i < 4600; i++)
        fold[i] = i % FOLDS_DEFAULT;
    CHECK_INT(crossfit_judges(fold, 4600), 1, "1534 examples");
    CHECK_INT(crossfit_judges(fold, 4498), 1, "1500 examples");
    CHECK_INT(crossfit_judges(fold, 4497), 2, "1499 examples");
    CHECK_INT(crossfit_judges(fold, 2000), FOLDS_DEFAULT, "all of them are too few");
}

int main(void)
{
    test_examples(false);
    test_examples(true);
    test_labels(2);
    test_labels(4);
    test_copies();
    for (int weighted = 0; weighted < 2; weighted++) {
        test_matrix(2, weighted);
        test_matrix(4, weighted);
    }
    /* Of the last class more labels are wrong in one way than right. */
    static const double even[] = {.7, .15, .15, .15, .7, .15, .15, .15, .7},
                        led[] = {.7, .15, .6, .15, .7, .1, .15, .15, .3};
    for (int weighted = 0; weighted < 2; weighted++) {
        test_plain("one rate", even, weighted, 1000);
        test_plain("a class that another label leads", led, weighted, 10);
    }
    test_bytes();
    test_judges();
    return check_finish();
}
