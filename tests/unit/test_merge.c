/* Merging: the formulas cell by cell, associativity, second rounds, and what one part alone
 * gives. */
#include "check.h"
#include "common/base/memory.h"
#include "common/base/random.h"
#include "learners/online/online_merge.h"
#include "learners/online/online_state.h"

enum { D = 15, K = 4, PARTS = 3 };

/* Train `o` on random examples of features first .. last and, every second one, of the bias, which
 * is feature 0. */
static void learn(struct online *o, uint64_t seed, int32_t first, int32_t last)
{
    struct random g = {seed};
    for (int i = 0; i < 60; i++) {
        int32_t index[D + 1] = {0};
        double value[D + 1] = {0.5};
        int64_t n = i % 2;
        for (int32_t j = first; j <= last; j++)
            if (random_below(&g, 2)) {
                index[n] = j;
                value[n++] = random_uniform(&g) * 2 - 1;
            }
        struct example x = {.line = i + 1, .size = n, .index = index, .value = value};
        CHECK(online_learn(o, &x, (int32_t)random_below(&g, K), 1, NULL) == 0, "round %d", i);
    }
}

static struct online *new_learner(bool average)
{
    struct online_options options = {.rule = ONLINE_AROW,
                                     .form = COVARIANCE_DIAG,
                                     .r = 0.7,
                                     .phi = 1,
                                     .k = 1,
                                     .average = average};
    struct labels labels = {0};
    labels_parse("1-4", &labels, NULL);
    struct online *o = online_new(&options, &labels, NULL);
    labels_free(&labels);
    return o;
}

static struct online *merge(enum online_merge_rule rule, const struct online *base,
                            struct online *const *part, int n)
{
    struct online_merge *m = online_merge_new(rule, base, NULL);
    for (int i = 0; i < n; i++)
        CHECK(online_merge_add(m, part[i], NULL) == 0, "part %d", i);
    struct online *o = online_merge_finish(m, NULL);
    online_merge_free(m);
    return o;
}

/* A cell of weights; beyond their rows they are 0. */
static double weight_of(const struct weights *w, int64_t j, int64_t k)
{
    return j < w->rows ? w->w[j * w->stride + k] : 0;
}

/* A variance of a part; where the part has no such row it stands at the prior. */
static double variance_of(const struct online *o, int64_t j, int64_t k)
{
    return o && j < o->mu.rows ? o->sigma.diagonal.w[j * o->mu.stride + k] : 1;
}

/* The header's formulas, plainly, for weights of the base, the parts and the result. */
static void check_weights(const char *name, enum online_merge_rule rule, const struct online *base,
                          struct online *const *part, const struct online *got,
                          const struct weights *w_0, const struct weights *w,
                          const struct weights *w_got)
{
    for (int64_t j = 0; j <= D; j++)
        for (int64_t k = 0; k < K; k++) {
            double mu_0 = weight_of(w_0, j, k), s_0 = variance_of(base, j, k), mean = 0,
                   precision = 0, weighted = 0, added = 0, shifted = 0;
            for (int p = 0; p < PARTS; p++) {
                double mu = weight_of(&w[p], j, k), s = variance_of(part[p], j, k);
                mean += mu / PARTS;
                precision += 1 / s;
                weighted += mu / s;
                added += 1 / s - 1 / s_0;
                shifted += (1 / s - 1 / s_0) * (mu - mu_0);
            }
            double want_mu, want_precision;
            if (rule == ONLINE_MERGE_DELTA) {
                want_precision = 1 / s_0 + added;
                want_mu = added > 0 ? mu_0 + shifted / added : mu_0;
            } else if (rule == ONLINE_MERGE_AVERAGE) {
                want_precision = precision / PARTS;
                want_mu = mean;
            } else {
                want_precision = precision - (PARTS - 1) / s_0;
                want_mu = (weighted - (PARTS - 1) * mu_0 / s_0) / want_precision;
            }
            CHECK_NEAR(weight_of(w_got, j, k), want_mu, 1e-10, "%s %lld of class %lld", name,
                       (long long)j, (long long)k);
            CHECK_NEAR(1 / variance_of(got, j, k), want_precision, 1e-10,
                       "precision %lld of class %lld", (long long)j, (long long)k);
        }
}

/* Both the last weights and those to predict with, which are averaged where -A is used. */
static void check_formula(enum online_merge_rule rule, const struct online *base,
                          struct online *const *part, const struct online *got)
{
    struct weights mu[PARTS], w[PARTS], w_0 = {0}, w_got = {0};
    const struct weights mu_0 = base ? base->mu : (struct weights){0};
    bool made = (!base || online_weights(base, &w_0, NULL) == 0)
                && online_weights(got, &w_got, NULL) == 0;
    for (int p = 0; p < PARTS; p++) {
        mu[p] = part[p]->mu;
        made &= online_weights(part[p], &w[p], NULL) == 0;
    }
    CHECK(made, "memory");
    check_weights("weight", rule, base, part, got, &mu_0, mu, &got->mu);
    check_weights("weight to predict with,", rule, base, part, got, &w_0, w, &w_got);
    weights_free(&w_0);
    weights_free(&w_got);
    for (int p = 0; p < PARTS; p++)
        weights_free(&w[p]);
}

static void check_same(const struct online *a, const struct online *b)
{
    struct weights v, w;
    CHECK_INT(a->counts.rounds, b->counts.rounds, "rounds");
    CHECK_INT(a->counts.mistakes, b->counts.mistakes, "mistakes");
    CHECK_INT(a->counts.updates, b->counts.updates, "updates");
    CHECK(online_weights(a, &v, NULL) == 0 && online_weights(b, &w, NULL) == 0 && v.rows == w.rows,
          "weights");
    for (int64_t i = 0; i < a->mu.rows * a->mu.stride; i++) {
        CHECK_NEAR(a->mu.w[i], b->mu.w[i], 1e-12, "weight %lld", (long long)i);
        CHECK_NEAR(v.w[i], w.w[i], 1e-12, "weight to predict with %lld", (long long)i);
        CHECK_NEAR(a->sigma.diagonal.w[i], b->sigma.diagonal.w[i], 1e-12, "variance %lld",
                   (long long)i);
    }
    weights_free(&v);
    weights_free(&w);
}

/* A part that did not go on from the base is refused: fewer rounds or features, or a variance that
 * has grown, whichever it is. */
static void check_descent(void)
{
    check_group("parts that did not go on from the base");
    struct online *base = new_learner(false), *part = new_learner(false),
                  *short_one = new_learner(false);
    learn(base, 1, 1, D);
    learn(part, 1, 1, D);
    learn(short_one, 1, 1, D - 1);
    struct online_merge *m = online_merge_new(ONLINE_MERGE_DELTA, base, NULL);
    CHECK(online_merge_add(m, part, NULL) == 0, "the base itself");
    CHECK(online_merge_add(m, short_one, NULL) == -1, "a feature is lost");
    part->counts.rounds--;
    CHECK(online_merge_add(m, part, NULL) == -1, "a round is lost");
    part->counts.rounds++;
    const int64_t cells = part->mu.rows * part->mu.stride,
                  place[] = {0, K - 1, cells - part->mu.stride + K - 1};
    for (size_t i = 0; i < sizeof place / sizeof *place; i++) {
        double *variance = &part->sigma.diagonal.w[place[i]], was = *variance;
        *variance *= 1 + 1e-10; /* text has 17 digits, but not every writer of models has */
        CHECK(online_merge_add(m, part, NULL) == 0, "variance %lld is rounded",
              (long long)place[i]);
        *variance *= 1 + 1e-8;
        CHECK(online_merge_add(m, part, NULL) == -1, "variance %lld has grown",
              (long long)place[i]);
        *variance = was;
    }
    online_merge_free(m);
    /* Of a base that has met no example with its last feature, too. */
    struct online *wide = new_learner(false);
    learn(wide, 1, 1, D - 1);
    CHECK(online_grow(wide, D, NULL) == 0, "memory");
    m = online_merge_new(ONLINE_MERGE_DELTA, wide, NULL);
    CHECK(online_merge_add(m, short_one, NULL) == -1, "the last feature is lost");
    online_merge_free(m);
    online_free(wide);
    online_free(base);
    online_free(part);
    online_free(short_one);
}

/* The variances of another rule mean something else, also where it has the same parameters. */
static void check_rules(void)
{
    check_group("parts of two rules");
    struct online *part = new_learner(false), *other = new_learner(false);
    other->options.rule = ONLINE_AROW_HINGE;
    struct online_merge *m = online_merge_new(ONLINE_MERGE_DELTA, NULL, NULL);
    CHECK(online_merge_add(m, part, NULL) == 0, "the first");
    CHECK(online_merge_add(m, other, NULL) == -1, "one of another rule");
    other->options.rule = ONLINE_AROW;
    CHECK(online_merge_add(m, other, NULL) == 0, "one of the same");
    online_merge_free(m);
    online_free(part);
    online_free(other);
}

int main(void)
{
    check_descent();
    check_rules();
    for (int average = 0; average < 2; average++)
        for (int rule = 0; rule < 3; rule++) {
            check_group("%s%s", online_merge_rules[rule], average ? ", averaged" : "");
            struct online *part[PARTS];
            for (int p = 0; p < PARTS; p++) {
                part[p] = new_learner(average);
                learn(part[p], (uint64_t)p + 1, 1 + p, D - 2 + p); /* no part sees all features */
            }
            struct online *all = merge((enum online_merge_rule)rule, NULL, part, PARTS);
            check_formula((enum online_merge_rule)rule, NULL, part, all);
            CHECK_INT(all->counts.rounds, 60 * PARTS, "rounds");
            int64_t mistakes = 0, updates = 0;
            for (int p = 0; p < PARTS; p++) {
                mistakes += part[p]->counts.mistakes;
                updates += part[p]->counts.updates;
            }
            CHECK(mistakes > 0 && all->counts.mistakes == mistakes, "mistakes");
            CHECK(updates > 0 && all->counts.updates == updates, "updates");

            struct online *alone = merge((enum online_merge_rule)rule, NULL, part, 1);
            check_same(alone, part[0]);
            if (rule != ONLINE_MERGE_AVERAGE) {
                struct online *swapped[2] = {part[2], part[1]},
                              *pair[2] = {part[0],
                                          merge((enum online_merge_rule)rule, NULL, swapped, 2)};
                struct online *other = merge((enum online_merge_rule)rule, NULL, pair, 2);
                check_same(all, other);
                online_free(pair[1]);
                online_free(other);
            }
            online_free(alone);

            /* A second round: parts that have learnt nothing since give the base back. */
            struct online *nothing[PARTS] = {all, all, all};
            struct online *base_again = merge((enum online_merge_rule)rule, all, nothing, PARTS);
            if (rule != ONLINE_MERGE_PRODUCT)
                check_same(base_again, all);
            check_formula((enum online_merge_rule)rule, all, nothing, base_again);
            online_free(base_again);
            online_free(all);
            for (int p = 0; p < PARTS; p++)
                online_free(part[p]);
        }
    return check_finish();
}
