/* The rounds that go on from a minimum (learners/forward/forward_settle.h) and with another matrix
 * (forward_change) against the learner's rounds in a plain loop:
 *
 *   settled   s = delta + the sum of g^2 over one pass at the same weights, no decay due
 *   round     s += g^2,  w /= 1 + n lambda eta / sqrt(s) for the n rounds since the last one of its
 *             feature,  w -= eta g / sqrt(s) */
#include "check.h"
#include "common/base/memory.h"
#include "forward_plain.h"
#include "learners/forward/forward_minimum.h"
#include "learners/forward/forward_settle.h"

#include <string.h>

/* The learner's rounds in a plain loop, as forward.c has them. */
struct plain {
    const struct set *set;
    const double *c;
    double lambda, eta;
    double w[D * CLASSES], s[D * CLASSES]; /* w after the last round of its feature */
    int64_t since[D];                      /* rounds that its decay is due for */
    struct round_counts counts;
};

/* The gradient's factors of a round, which is counted.  False: the label cannot be. */
static bool plain_round(struct plain *plain, const struct example *x, int32_t y, double *factor)
{
    const int K = plain->set->classes;
    double p[CLASSES], q = 0;
    find_scores(plain->set, plain->w, x, p);
    const double all = log_sum(NULL, p, K);
    for (int k = 0; k < K; k++) {
        p[k] = exp(p[k] - all);
        q += plain->c[y * K + k] * p[k];
    }
    plain->counts.rounds++;
    plain->counts.mistakes += weights_best(p, K) != y;
    plain->counts.updates += q > 0;
    for (int k = 0; k < plain->set->columns && q > 0; k++) {
        int class = K > 2 ? k : 1;
        factor[k] = p[class] - plain->c[y * K + class] * p[class] / q;
    }
    return q > 0;
}

/* One pass at the same weights. */
static void plain_settle(struct plain *plain, const int64_t *subset, int64_t n)
{
    const int columns = plain->set->columns;
    double factor[CLASSES];
    plain->counts = (struct round_counts){0};
    for (int i = 0; i < D * columns; i++)
        plain->s[i] = 0.01;
    for (int j = 0; j < D; j++)
        plain->since[j] = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t at = subset ? subset[i] : i;
        struct example x = problem_example(&plain->set->problem, at);
        if (!plain_round(plain, &x, plain->set->y[at], factor))
            continue;
        for (int64_t e = 0; e < x.size; e++)
            for (int k = 0; k < columns; k++)
                plain->s[x.index[e] * columns + k] += factor[k] * x.value[e] * factor[k]
                                                      * x.value[e];
    }
}

static void plain_learn(struct plain *plain, int64_t i)
{
    const int columns = plain->set->columns;
    struct example x = problem_example(&plain->set->problem, i);
    double factor[CLASSES];
    bool possible = plain_round(plain, &x, plain->set->y[i], factor);
    for (int j = 0; j < D; j++)
        plain->since[j]++;
    for (int64_t e = 0; possible && e < x.size; e++) {
        int32_t j = x.index[e];
        for (int k = 0; k < columns; k++) {
            double g = factor[k] * x.value[e], *w = &plain->w[j * columns + k],
                   *s = &plain->s[j * columns + k];
            *s += g * g;
            *w /= 1 + (double)plain->since[j] * plain->lambda * plain->eta / sqrt(*s);
            *w -= plain->eta * g / sqrt(*s);
        }
        plain->since[j] = 0;
    }
}

static void check_plain(const struct plain *plain, const struct forward *f, int round)
{
    const int columns = plain->set->columns;
    double w[MOST];
    learner_weights(f, plain->set, w);
    for (int i = 0; i < D * columns; i++)
        CHECK_NEAR(w[i],
                   plain->w[i]
                       / (1
                          + (double)plain->since[i / columns] * plain->lambda * plain->eta
                                / sqrt(plain->s[i])),
                   1e-12, "round %d, weight %d", round, i);
    struct round_counts counts = forward_counts(f);
    CHECK_INT(counts.rounds, plain->counts.rounds, "round %d: rounds", round);
    CHECK_INT(counts.mistakes, plain->counts.mistakes, "round %d: mistakes", round);
    CHECK_INT(counts.updates, plain->counts.updates, "round %d: updates", round);
}

/* After settling each weight goes on as if the examples had been seen once; part: of the examples,
 * and a label that cannot be. */
static void test_settle(int classes, double lambda, bool part, bool learnt)
{
    check_group("settled, %d classes, lambda %g%s%s", classes, lambda, part ? ", a part" : "",
                learnt ? ", after rounds" : "");
    struct set set = set_make(18, 300, classes, FEATURES, NULL);
    int64_t subset[100];
    for (int i = 0; i < 100; i++)
        subset[i] = 299 - 2 * i;
    set.problem.nnz = set.problem.row_start[300] =
        set.problem.row_start[299]; /* the last has no entries: scores of 0, the smallest class */
    set.y[299] = 1;
    double c[CLASSES * CLASSES], before[MOST], w[MOST];
    matrix_make(19, classes, 0.7, c);
    for (int q = 0; part && classes > 2 && q < classes; q++) {
        c[classes + q] += c[q];
        c[q] = 0;
    }
    struct forward *f = learner_make(&set, c, lambda);
    if (learnt)
        learner_learn(f, &set, 0, 150);
    const int64_t n = part ? 100 : 300;
    learner_minimise(f, &set, part ? subset : NULL, n, NULL, 1e-3, 6, 1);
    learner_weights(f, &set, before);
    struct error err = {0};
    struct round_counts counts[2];
    for (int final = 1; final >= 0; final--) {
        CHECK_INT(
            forward_settle(f, &set.problem, set.y, NULL, part ? subset : NULL, n, final, &err), 0,
            "memory");
        counts[final] = forward_counts(f);
    }
    learner_weights(f, &set, w);
    CHECK(memcmp(w, before, (size_t)(D * set.columns) * sizeof *w) == 0, "settling moves nothing");
    CHECK_INT(counts[0].rounds, n, "rounds");
    CHECK(memcmp(&counts[0], &counts[1], sizeof *counts) == 0, "the counts of a final model");
    struct plain plain = {.set = &set, .c = c, .lambda = lambda, .eta = 0.5};
    memcpy(plain.w, w, (size_t)(D * set.columns) * sizeof *w);
    plain_settle(&plain, part ? subset : NULL, n);
    check_plain(&plain, f, 0);
    for (int i = 0; i < 40; i++) {
        int64_t at = (7 * i + 299) % 300;
        learner_learn(f, &set, at, at + 1);
        plain_learn(&plain, at);
        check_plain(&plain, f, i + 1);
    }
    forward_free(f);
    set_free(&set);
}

/* Another matrix and lambda: the weights stay (after rounds: with the decays of the old lambda that
 * are due), and what comes is by the new ones. */
static void test_change(int classes, bool learnt)
{
    check_group("another matrix, %d classes%s", classes, learnt ? ", after rounds" : "");
    struct set set = set_make(20, 300, classes, FEATURES, NULL);
    double c[CLASSES * CLASSES], to[CLASSES * CLASSES], scratch[CLASSES * CLASSES], before[MOST],
        w[MOST], g[MOST];
    const size_t bytes = (size_t)(D * set.columns) * sizeof *w;
    double *moment = moment_make(&set, true);
    matrix_make(21, classes, 0.8, c);
    matrix_make(22, classes, 0.6, to);
    memcpy(scratch, to, sizeof scratch);
    struct forward *f = learner_make(&set, c, 1e-2);
    if (learnt)
        learner_learn(f, &set, 0, 150);
    else
        learner_minimise(f, &set, NULL, 300, moment, 1e-7, 1000, 1);
    learner_weights(f, &set, before);
    forward_change(f, scratch, 1e-3, 0);
    memset(scratch, 0, sizeof scratch); /* it was copied */
    learner_weights(f, &set, w);
    for (int i = 0; i < D * set.columns; i++)
        CHECK_NEAR(w[i], before[i], 1e-13, "weight %d stays", i);
    const struct forward_options *options = forward_get_options(f);
    CHECK(options->lambda == 1e-3, "lambda %g", options->lambda);
    CHECK(options->confusion
              && memcmp(options->confusion, to, (size_t)(classes * classes) * sizeof *to) == 0,
          "the matrix");
    struct descent_result result =
        learner_minimise(f, &set, NULL, 300, moment, 1e-7, 1000, 1).result;
    learner_weights(f, &set, w);
    CHECK(result.converged && memcmp(w, before, bytes) != 0, "another minimum");
    CHECK_NEAR(result.value / objective(&set, NULL, 300, to, 1e-3, w), 1, 5e-13, "the value");
    struct error err = {0};
    find_gradient(&set, NULL, 300, to, 1e-3, NULL, w, g);
    CHECK(check_norm(g, D * set.columns) < 1e-6, "a gradient of %g",
          check_norm(g, D * set.columns));
    matrix_identity(classes, scratch); /* there is one minimum again, wherever it came from */
    forward_change(f, scratch, 1e-2, 0);
    learner_minimise(f, &set, NULL, 300, moment, 1e-8, 1000, 1);
    learner_weights(f, &set, w);
    struct forward *fresh = learner_make(&set, NULL, 1e-2);
    learner_minimise(fresh, &set, NULL, 300, moment, 1e-8, 1000, 1);
    learner_weights(fresh, &set, before);
    for (int i = 0; i < D * set.columns; i++)
        CHECK_NEAR(w[i], before[i], 1e-6, "weight %d of no matrix", i);
    forward_free(fresh);
    forward_change(f, to, 1e-3, 0); /* rounds, too */
    CHECK_INT(forward_settle(f, &set.problem, set.y, NULL, NULL, 300, false, &err), 0, "memory");
    learner_weights(f, &set, w);
    struct plain plain = {.set = &set, .c = to, .lambda = 1e-3, .eta = 0.5};
    memcpy(plain.w, w, bytes);
    plain_settle(&plain, NULL, 300);
    for (int i = 0; i < 10; i++) {
        learner_learn(f, &set, i, i + 1);
        plain_learn(&plain, i);
        check_plain(&plain, f, i + 1);
    }
    forward_free(f);
    memory_free(moment);
    set_free(&set);
}

int main(void)
{
    static const int classes[] = {2, 3, 7};
    for (int i = 0; i < 3; i++) {
        const int K = classes[i];
        test_settle(K, 0, false, false);
        test_settle(K, 1e-2, false, false);
        test_settle(K, 1e-2, false, true);
        test_settle(K, 1e-3, true, false);
        test_change(K, false);
        test_change(K, true);
    }
    return check_finish();
}
