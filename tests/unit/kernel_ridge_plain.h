/* Kernel ridge regression by plain loops: what the two readings make of the labels one by one, the
 * choice of a ridge by held-out decisions, and the classifier of both; and the comparison of all of
 * it with the library. */
#ifndef TESTS_UNIT_KERNEL_RIDGE_PLAIN_H
#define TESTS_UNIT_KERNEL_RIDGE_PLAIN_H

#include "kernel_ridge_task.h"
#include "learners/features/map_kernel.h"
#include "learners/noise/chance.h"
#include "learners/noise/decisions.h"
#include "learners/noise/em_prior.h"

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
    struct regression first, strict, lenient; /* first: the strict one by softmax regression */

    /* Of the rests: through C, and through matrices of their own. */
    struct decisions_result by_c, by_own;
    double compared[MOST * CLASSES]; /* their scores, in the folds that judge */

    double p[MOST * CLASSES]; /* by the regression before; those of the classifier at the end, */
    double temperature;       /* and theirs */
};

/* What is found of the noise after the first strict regression. */
static inline void revise(struct task *t)
{
    t->basis.c = t->other_c;
    t->basis.share = t->other_share;
    t->basis.unexplained = 0.7;
}

/* r: out, the posterior of the true class. */
static inline void plain_posterior(const struct task *t, int64_t i, const double *p, double *r)
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
static inline double margin_weight(const struct task *t, int64_t left_out, const double *p)
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
static inline void class_scores(const struct task *t, int64_t i, const double *p, double a,
                                double *s)
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
static inline void read_without(const struct task *t, int64_t left_out, const double *p,
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

static inline void read_strictly(const struct task *t, const double *p, struct regression *r)
{
    read_without(t, NO_FOLD, p, r);
}

/* sum: out, n: S. */
static inline void read_targets(const struct task *t, int64_t left_out, const double *p,
                                struct regression *r, double *sum)
{
    const int64_t K = t->basis.classes;
    const double a = margin_weight(t, left_out, p);
    for (int64_t i = 0; i < t->problem.n; i++) {
        double s[CLASSES];
        sum[i] = 0;
        if (t->fold[i] == left_out)
            continue;
        class_scores(t, i, p, a, s);
        for (int64_t k = 0; k < K; k++)
            sum[i] += s[k];
        for (int64_t k = 0; k < K; k++)
            r->target[i * K + k] = s[k] / sum[i];
    }
}

/* A fold that is left out has the weight 0. */
static inline void read_leniently(const struct task *t, int64_t left_out, const double *p,
                                  struct regression *r)
{
    double s[MOST];
    read_targets(t, left_out, p, r, s);
    r->less = r->more = 0;
    for (int64_t i = 0; i < t->problem.n; i++) {
        const double sum = s[i];
        r->weight[i] = weight_without(t, left_out, i) * fmin(1, sum);
        r->less += sum < 1 - 1e-6;
        r->more += sum > 1 + 1e-6;
    }
}

/* ---- a regression ---- */

/* The features of the examples of a task. */
static inline void table_make(const struct task *t, struct table *table)
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

static inline void table_tell(struct table *table, const struct regression *r)
{
    memcpy(table->weight, r->weight, sizeof r->weight);
    memcpy(table->target, r->target, sizeof r->target);
}

/* score[k] = w_k' phi. */
static inline void plain_scores(const struct table *table, const double *w, int64_t i,
                                double *score)
{
    for (int64_t k = 0; k < table->classes; k++) {
        score[k] = 0;
        for (int64_t j = 0; j < table->dims; j++)
            score[k] += w[j * table->classes + k] * table->phi[i * table->dims + j];
    }
}

/* W' phi of each example by the solution from the other folds.  score: out, n x K. */
static inline void plain_held_out(const struct table *table, double ridge, double *score)
{
    static double w[FOLDS_DEFAULT][WIDTH * CLASSES];
    for (int fold = 0; fold < FOLDS_DEFAULT; fold++)
        plain_solve(table, 7U & ~(1U << fold), ridge, w[fold]);
    for (int64_t i = 0; i < table->n; i++)
        plain_scores(table, w[table->fold[i]], i, score + i * table->classes);
}

/* In the folds of the result. */
static inline void plain_held_out_finely(const struct task *t, const struct table *table,
                                         double ridge, double *score)
{
    static double w[WIDTH * CLASSES];
    const int64_t *fine = t->basis.fine;
    if (!fine)
        plain_held_out(table, ridge, score);
    for (int fold = 0; fine && fold < FOLDS_FINE; fold++) {
        plain_solve_without(table, fine, fold, ridge, w);
        for (int64_t i = 0; i < table->n; i++)
            if (fine[i] == fold)
                plain_scores(table, w, i, score + i * table->classes);
    }
}

/* Of the decisions for the folds that judge, by the largest of n x K numbers. */
static inline double likelihood_of(const struct task *t, const double *score)
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

/* The ridge, from number `first` on, and the scores that go with it. */
static inline void plain_choose(const struct task *t, struct table *table, int first,
                                struct regression *r)
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

/* p: out, n x K: the softmax of scores of n labels at the likeliest temperature, which is returned.
 * weight: of the examples, or NULL. */
static inline double probabilities_of(const struct task *t, int64_t n, const int32_t *y,
                                      const double *weight, const double *score, double *p)
{
    static double level[MOST * CLASSES];
    const int64_t K = t->basis.classes;
    struct em em;
    struct error err = {0};
    double temperature = NAN;
    memcpy(level, score, (size_t)(n * K) * sizeof *level);
    for (int64_t i = 0; i < n; i++)
        em_level_scores(K, level + i * K);
    const bool ready = em_start(&em, n, K, y, NULL, 1, &err) == 0;
    CHECK(ready, "%s", err.message);
    if (ready) {
        em_weigh(&em, weight);
        em_temperature(&em, level, t->basis.c, 0, NULL, &temperature);
    }
    em_free(&em);
    for (int64_t i = 0; i < n; i++)
        softmax(K, score + i * K, temperature, p + i * K);
    return temperature;
}

static inline double plain_probabilities(const struct task *t, const double *score, double *p)
{
    return probabilities_of(t, t->problem.n, t->y, t->basis.weight, score, p);
}

/* p: out, at each example of the rest: the probabilities by the strict reading of the rest, held
 * out by its folds. */
static inline void plain_predict_rest(struct task *t, int fold, const struct plain *plain,
                                      double *p)
{
    static struct table table;
    static struct regression strict;
    static double score[MOST * CLASSES], of_rest[MOST * CLASSES];
    const struct rest_of_fold *rest = &t->rest[fold];
    const int64_t K = t->basis.classes, D = plain->table.dims;
    read_without(t, fold, t->rest_p[fold], &strict);
    table = (struct table){.n = rest->n, .dims = D, .classes = K};
    for (int64_t place = 0; place < rest->n; place++) {
        const int64_t i = rest->example[place];
        memcpy(table.phi + place * D, plain->table.phi + i * D, (size_t)D * sizeof *table.phi);
        memcpy(table.target + place * K, strict.target + i * K, (size_t)K * sizeof *table.target);
        table.weight[place] = strict.weight[i];
        table.fold[place] = rest->fold[place];
    }
    plain_held_out(&table, plain->first.ridge, score);
    probabilities_of(t, rest->n, rest->y, rest->weight, score, of_rest);
    for (int64_t place = 0; place < rest->n; place++)
        memcpy(p + rest->example[place] * K, of_rest + place * K, (size_t)K * sizeof *p);
}

/* c: in, where EM begins; out: after its steps without the examples in left_out, by probabilities
 * at each example of the rest. */
static inline void plain_em(const struct task *t, const struct rest_of_fold *rest, const double *p,
                            int64_t left_out, double prior, double *c)
{
    const int64_t K = t->basis.classes;
    double sum = 0, squares = 0;
    for (int64_t place = 0; place < rest->n; place++) {
        const double w = rest->weight ? rest->weight[place] : 1;
        sum += w;
        squares += w * w;
    }
    for (int step = 0; step < EM_STEPS; step++) {
        double count[CLASSES * CLASSES] = {0}, r[CLASSES];
        for (int64_t place = 0; place < rest->n; place++) {
            const int64_t y = rest->y[place];
            const double w = rest->weight ? rest->weight[place] * sum / squares : 1;
            double q = 0;
            if (rest->fold[place] == left_out)
                continue;
            for (int64_t k = 0; k < K; k++)
                q += r[k] = c[y * K + k] * p[rest->example[place] * K + k];
            for (int64_t k = 0; k < K; k++)
                count[y * K + k] += w * r[k] / q;
        }
        em_add_prior(count, K, prior);
        em_normalise(count, K);
        em_let_lead(count, K);
        memcpy(c, count, (size_t)(K * K) * sizeof *c);
    }
}

/* c: out, by EM from that of the task, with the best prior for the folds of the rest. */
static inline void plain_matrix(const struct task *t, const struct rest_of_fold *rest,
                                const double *p, double *c)
{
    static const double priors[] = {10, 100, 1000};
    const int64_t K = t->basis.classes;
    const size_t size = (size_t)(K * K) * sizeof *c;
    double most = -INFINITY, best = 0;
    for (int which = 0; which < 3; which++) {
        double likelihood = 0;
        for (int fold = 0; fold < FOLDS_DEFAULT; fold++) {
            memcpy(c, t->basis.c, size);
            plain_em(t, rest, p, fold, priors[which], c);
            for (int64_t place = 0; place < rest->n; place++) {
                double q = 0;
                for (int64_t k = 0; k < K; k++)
                    q += c[rest->y[place] * K + k] * p[rest->example[place] * K + k];
                if (rest->fold[place] == fold)
                    likelihood += (rest->weight ? rest->weight[place] : 1) * log(q);
            }
        }
        if (likelihood > most) {
            most = likelihood;
            best = priors[which];
        }
    }
    memcpy(c, t->basis.c, size);
    plain_em(t, rest, p, FOLDS_ALL, best, c);
}

/* Add the decisions for a fold by softmax regression and by these scores. */
static inline void plain_add(const struct task *t, int fold, const double *first_c,
                             const double *score, const double *second_c,
                             struct decisions_tally *tally)
{
    static int32_t y[MOST];
    static double weight[MOST], of_softmax[MOST * CLASSES], of_ridge[MOST * CLASSES];
    const int64_t K = t->basis.classes;
    const size_t size = (size_t)K * sizeof *score;
    struct decisions_scores scores = {.K = K,
                                      .y = y,
                                      .first = of_softmax,
                                      .second = of_ridge,
                                      .weight = t->basis.weight ? weight : NULL};
    for (int64_t i = 0; i < t->problem.n; i++) {
        if (t->fold[i] != fold)
            continue;
        y[scores.n] = t->y[i];
        weight[scores.n] = t->weight[i];
        memcpy(of_softmax + scores.n * K, t->p + i * K, size);
        memcpy(of_ridge + scores.n++ * K, score + i * K, size);
    }
    CHECK(decisions_add(&scores, first_c, second_c, tally, NULL) == 0, "memory");
}

/* Softmax regression and these scores, through the matrix of the task. */
static inline struct decisions_result plain_judge(const struct task *t, const double *score)
{
    struct decisions_tally tally = {0};
    for (int fold = 0; fold < folds_that_judge(t); fold++)
        plain_add(t, fold, t->basis.c, score, t->basis.c, &tally);
    return decisions_result(&tally);
}

/* Of the decisions by these scores with the labels of the folds that judge. */
static inline double plain_agreement(const struct task *t, const double *score)
{
    const int64_t K = t->basis.classes;
    const int judges = folds_that_judge(t);
    double count[CLASSES * CLASSES] = {0}, sum = 0, squares = 0;
    for (int64_t i = 0; i < t->problem.n; i++) {
        if (t->fold[i] >= judges)
            continue;
        const double weight = t->basis.weight ? t->basis.weight[i] : 1;
        count[t->y[i] * K + largest(K, score + i * K)] += weight;
        sum += weight;
        squares += weight * weight;
    }
    for (int64_t cell = 0; cell < K * K; cell++)
        count[cell] *= sum / squares;
    return chance_agreement(count, K);
}

/* The mean of both readings of each rest, with the ridge that was chosen, beside softmax
 * regression. */
static inline void plain_compare(struct task *t, struct plain *plain)
{
    static double p[MOST * CLASSES], score[2][MOST * CLASSES];
    static struct regression strict, lenient;
    const int64_t K = t->basis.classes;
    double *all = plain->compared, first_c[CLASSES * CLASSES], second_c[CLASSES * CLASSES];
    struct decisions_tally tally = {0};
    for (int fold = 0; fold < folds_that_judge(t); fold++) {
        plain_matrix(t, &t->rest[fold], t->rest_p[fold], first_c);
        plain_predict_rest(t, fold, plain, p);
        plain_matrix(t, &t->rest[fold], p, second_c);
        read_without(t, fold, p, &strict);
        read_leniently(t, fold, p, &lenient);
        table_tell(&plain->table, &strict);
        plain_held_out(&plain->table, plain->first.ridge, score[0]);
        table_tell(&plain->table, &lenient);
        plain_held_out(&plain->table, plain->first.ridge, score[1]);
        for (int64_t cell = 0; cell < t->problem.n * K; cell++)
            if (t->fold[cell / K] == fold)
                all[cell] = (score[0][cell] + score[1][cell]) / 2;
        plain_add(t, fold, first_c, all, second_c, &tally);
    }
    plain->by_own = decisions_result(&tally);
    plain->by_c = plain_judge(t, all);
}

/* The strict reading by softmax regression; the lenient one by that, with a ridge no more than one
 * before its ridge; its targets by its own, with weights and ridge as they are; and the strict one
 * by that, with its ridge as it is. */
static inline const struct plain *plain_make(struct task *t)
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
    read_leniently(t, NO_FOLD, plain.p, &plain.lenient);
    plain_choose(t, &plain.table, first, &plain.lenient);
    plain_probabilities(t, plain.lenient.score, plain.p);
    read_targets(t, NO_FOLD, plain.p, &plain.lenient, unused);
    table_tell(&plain.table, &plain.lenient);
    plain_held_out_finely(t, &plain.table, plain.lenient.ridge, plain.lenient.score);
    plain_probabilities(t, plain.lenient.score, plain.p);
    plain.strict = plain.first;
    read_strictly(t, plain.p, &plain.strict);
    table_tell(&plain.table, &plain.strict);
    plain_held_out_finely(t, &plain.table, plain.strict.ridge, plain.strict.score);
    for (int64_t cell = 0; cell < t->problem.n * t->basis.classes; cell++)
        mean[cell] = (plain.strict.score[cell] + plain.lenient.score[cell]) / 2;
    plain.temperature = plain_probabilities(t, mean, plain.p);
    return &plain;
}

#endif
