/* A learner from bandit feedback (learners/bandit/bandit.h) from outside: the lists of rules and
 * parameters, how much memory it says that it takes, and what it refuses. */
#include "bandit_plain.h"
#include "check.h"
#include "common/linear/covariance.h"
#include "learners/bandit/bandit_rule.h"
#include "learners/bandit/noise_rate.h"

#include <string.h>

/* ---- rules ---- */

/* b = a but for this parameter. */
static void change(const struct bandit_parameter *p, const struct bandit_options *a,
                   struct bandit_options *b)
{
    *b = *a;
    void *value = (char *)b + p->offset;
    switch (p->type) {
    case BANDIT_INT:
    case BANDIT_CHOICE:
        ++*(int64_t *)value;
        break;
    case BANDIT_FLAG:
        *(bool *)value = !*(bool *)value;
        break;
    case BANDIT_NUMBER:
        *(double *)value += 0.25;
        break;
    case BANDIT_RATES:
        ((double *)value)[1] += 0.25;
        break;
    case BANDIT_LAYERS:
        ++((struct noise_rate_network *)value)->hidden[1];
        break;
    }
}

/* Rules stand in both lists in the same order; a parameter is found by its option where its rule
 * was chosen, means nothing for those without it, and is compared alone. */
static void check_rules(void)
{
    struct bandit_options options = {.estimator = NOISE_RATE_MLP, .network = {.layers = 2}}, other;
    check_group("rules and their parameters");
    for (int i = 0; bandit_rules[i] || bandit_rule_names[i]; i++) {
        options.rule = bandit_rules[i];
        CHECK(options.rule && strcmp(options.rule->name, bandit_rule_names[i]) == 0, "rule %d", i);
        CHECK(bandit_find_parameter(&options, "gamma") == bandit_common_parameters, "gamma");
        CHECK(!bandit_find_parameter(&options, "quiet") && bandit_uses(&options, "quiet"),
              "an option that is no parameter");
        for (const struct bandit_parameter *p = options.rule->parameters; p && p->option; p++) {
            CHECK(bandit_find_parameter(&options, p->option) == p, "%s", p->option);
            change(p, &options, &other);
            CHECK(!bandit_parameter_same(p, &options, &other), "%s differs", p->option);
            for (const struct bandit_parameter *q = options.rule->parameters; q->option; q++)
                CHECK(q == p || bandit_parameter_same(q, &options, &other), "%s is the same",
                      q->option);
        }
        CHECK(bandit_uses(&options, "eta") == (options.rule == &bandit_nsm_rule), "eta");
        CHECK(bandit_uses(&options, "epochs") == (options.rule == &bandit_rcine_rule), "epochs");
    }
    options.rule = &bandit_rcine_rule;
    options.estimator = NOISE_RATE_MARGIN;
    CHECK(!bandit_uses(&options, "epochs") && bandit_uses(&options, "period"), "no network");
}

/* ---- memory ---- */

/* Tables of K columns and d + 1 rows, counted from what each learner keeps; a full matrix, or the
 * first layer of a network, besides. */
static void check_bytes(void)
{
    static const struct {
        struct bandit_options options;
        int tables;
    } of[] = {
        {{.rule = &bandit_rcnbf_rule}, 2},
        {{.rule = &bandit_rcnbf_rule, .average = true}, 3},
        {{.rule = &bandit_rcnbf_rule, .play_average = true}, 3},
        {{.rule = &bandit_rcnbf_rule, .average = true, .play_average = true}, 3},
        {{.rule = &bandit_rcnbf_rule, .full = true}, 2},
        {{.rule = &bandit_bpa_rule, .estimator = NOISE_RATE_MARGIN}, 2},
        {{.rule = &bandit_rcine_rule, .estimator = NOISE_RATE_MARGIN}, 2 + NOISE_RATE_TABLES},
        {{.rule = &bandit_rcine_rule,
          .estimator = NOISE_RATE_MLP,
          .network = {.layers = 2, .hidden = {40, 7}}},
         2},
        {{.rule = &bandit_nsm_rule}, 3},
        {{.rule = &bandit_nsm_rule, .average = true}, 4},
        {{.rule = &bandit_soba_rule}, 3},
        {{.rule = &bandit_soba_rule, .full = true}, 2},
    };
    check_group("bytes of a learner");
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        bool full = of[i].options.rule == &bandit_soba_rule && of[i].options.full;
        double want = of[i].tables * weights_bytes(3, 20)
                      + (full ? covariance_bytes(COVARIANCE_FULL, 1, 62) : 0)
                      + (of[i].options.network.layers > 0 ? 3 * weights_bytes(40, 20 + 3) : 0);
        CHECK_NEAR(bandit_bytes(&of[i].options, 3, 20), want, 0, "case %d", (int)i);
    }
}

/* How many features a live loop may take: what fits, but no fewer than there are. */
static void check_most_features(void)
{
    const struct bandit_options options = {.rule = &bandit_nsm_rule, .eta = 1},
                                full = {.rule = &bandit_soba_rule, .prior = 1, .full = true};
    struct labels labels = {.count = 0};
    check_group("the most features");
    for (int32_t label = 1; label <= 3; label++)
        CHECK_INT(labels_add(&labels, label, NULL), 0, "memory");
    struct bandit *b = bandit_new(&options, &labels, NULL),
                  *limited = bandit_new(&full, &labels, NULL);
    CHECK(b && limited && bandit_grow(b, 50, NULL) == 0, "memory");
    if (b && limited) {
        CHECK_INT(bandit_most_features(b, 1), 50, "those that it has");
        CHECK_NEAR((double)bandit_most_features(b, bandit_bytes(&options, 3, 100000)), 1e5, 100,
                   "those that fit");
        CHECK_INT(bandit_most_features(b, 1e300), INT32_MAX, "all");
        CHECK_INT(bandit_most_features(limited, 1), INT32_MAX, "what the rule itself refuses");
    }
    bandit_free(b);
    bandit_free(limited);
    labels_free(&labels);
}

/* ---- what is refused ---- */

/* What is exactly at a limit is made; what is beyond is refused with its message and leaves the
 * learner as it was. */
static void check_limits(void)
{
    struct bandit_options options = {.rule = &bandit_soba_rule, .prior = 1, .full = true};
    const struct example far = {
        .line = 7, .size = 1, .index = (const int32_t[]){2500}, .value = (const double[]){1}};
    struct labels labels = {.count = 0};
    struct error err = {.line = 0};
    check_group("limits of a learner");
    CHECK(labels_add(&labels, 1, NULL) == 0 && !bandit_new(&options, &labels, &err), "one class");
    CHECK(labels_add(&labels, 2, NULL) == 0, "memory");
    struct bandit *b = bandit_new(&options, &labels, &err);
    CHECK(b && bandit_grow(b, 60, &err) == 0 && bandit_features(b) == 60, "a small full matrix: %s",
          err.message);
    CHECK(b && bandit_grow(b, BANDIT_MOST_FULL / 2, &err) == -1, "a large one");
    CHECK(strcmp(err.message, "the full matrix of soba is for at most 5000 weights; there are 2500 "
                              "features and a bias x 2 classes")
              == 0,
          "%s", err.message);
    if (b)
        CHECK_INT(bandit_features(b), 60, "features");
    err = (struct error){.line = 0};
    CHECK(b && bandit_score(b, &far, &err) == 0 && bandit_learn(b, &far, 0, 1, 1, &err) == -1,
          "an example with too many features");
    CHECK_INT(err.line, 7, "its line");
    CHECK(b && bandit_learn(b, &far, 0, 1, 1, NULL) == -1, "and nobody to tell");
    bandit_free(b);
    options.full = false;
    b = bandit_new(&options, &labels, &err);
    err = (struct error){.line = 0};
    CHECK(b && bandit_grow(b, INT64_C(1) << 50, &err) == -1,
          "more features than any machine holds");
    CHECK(strstr(err.message, "for a model of 1125899906842624 features x 2 classes: "), "%s",
          err.message);
    bandit_free(b);
    labels_free(&labels);
}

/* rcine keeps rounds; how long they will be is told from the first hundred. */
static void check_kept(void)
{
    const struct bandit_options options = {
        .rule = &bandit_rcine_rule, .prior = 1, .period = INT64_C(1000000000000), .average = true};
    const struct example x = {
        .line = 8, .size = 1, .index = (const int32_t[]){3}, .value = (const double[]){1}};
    struct labels labels = {.count = 0};
    struct error err = {.line = 0};
    struct weights w = {.rows = 0};
    check_group("rounds that are kept");
    CHECK(labels_parse("1-2", &labels, NULL) == 0, "labels");
    struct bandit *b = bandit_new(&options, &labels, &err);
    for (int t = 1; b && t <= 102; t++) /* a live run goes on after a line that is refused */
        CHECK_INT(bandit_score(b, &x, &err) == 0 ? bandit_learn(b, &x, 0, 0.5, 1, &err) : -1,
                  t <= 100 ? 0 : -1, "round %d", t);
    CHECK(strstr(err.message, "for the rounds between two estimates: "), "%s", err.message);
    CHECK(b && bandit_weights(b, &w, NULL) == 0 && w.rows == 4 && bandit_features(b) == 3,
          "%d rows of weights", (int)w.rows);
    weights_free(&w);
    bandit_free(b);
    labels_free(&labels);
}

static void check_infinite_step(void)
{
    const struct bandit_options options = {.rule = &bandit_bpa_rule, .prior = 1};
    const struct example x = {.line = 8,
                              .size = 1,
                              .index = (const int32_t[]){3},
                              .value = (const double[]){1e-155}}; /* its square is 1e-310 */
    struct labels labels = {.count = 0};
    struct error err = {.line = 0};
    check_group("steps that are not finite");
    CHECK(labels_parse("1-2", &labels, NULL) == 0, "labels");
    struct bandit *b = bandit_new(&options, &labels, &err);
    CHECK(b && bandit_score(b, &x, &err) == 0 && bandit_learn(b, &x, 0, 1, 0, &err) == -1,
          "a step of 1e310");
    CHECK(err.line == 8
              && strcmp(err.message,
                        "a score or a step is not finite: values are too large or too small, or "
                        "1/p is too large")
                     == 0,
          "line %d: %s", (int)err.line, err.message);
    bandit_free(b);
    labels_free(&labels);
}

/* A round that is refused has not been, also for the mean of the weights, which is 0 before the
 * first round. */
static void check_refused(void)
{
    const struct bandit_options options = {.rule = &bandit_banditron_rule, .average = true};
    const struct example x = {
        .line = 3, .size = 1, .index = (const int32_t[]){1}, .value = (const double[]){1}};
    struct labels labels = {.count = 0};
    struct weights w;
    check_group("a round that is refused");
    CHECK(labels_parse("1-3", &labels, NULL) == 0, "labels");
    struct bandit *b = bandit_new(&options, &labels, NULL);
    CHECK(b && bandit_grow(b, 1, NULL) == 0 && bandit_weights(b, &w, NULL) == 0, "no round yet");
    for (int64_t cell = 0; cell < w.rows * w.stride; cell++)
        CHECK_NEAR(w.w[cell], 0, 0, "cell %d before the first round", (int)cell);
    weights_free(&w);
    for (int t = 0; b && t < 4; t++) {
        /* All scores are 0 at first, and the best label is the first; 1/p is then not finite. */
        const double p = t == 0 || t == 2 ? 1e-320 : 1;
        CHECK_INT(bandit_score(b, &x, NULL), 0, "round %d", t);
        CHECK_INT(bandit_learn(b, &x, 1, p, 1, NULL), p < 1 ? -1 : 0, "round %d", t);
    }
    /* By hand: after the first that is not refused w = -1, 1, 0; in the second the label is the
     * best one, and 1/p - 1 is 0.  So the mean is the same. */
    CHECK(b && bandit_weights(b, &w, NULL) == 0, "weights");
    CHECK_NEAR(w.w[w.stride], -1, 1e-15, "class 1");
    CHECK_NEAR(w.w[w.stride + 1], 1, 1e-15, "class 2");
    CHECK_NEAR(w.w[w.stride + 2], 0, 0, "class 3");
    weights_free(&w);
    bandit_free(b);
    labels_free(&labels);
}

/* Nor is it among the rounds that rcine keeps: its feature, larger than all others, would be an
 * input more of the network. */
static void check_refused_kept(void)
{
    enum { PERIOD = 40 };
    const struct bandit_options options = {
        .rule = &bandit_rcine_rule,
        .seed = 1,
        .threads = 1,
        .period = PERIOD,
        .estimator = NOISE_RATE_MLP,
        .network = {.layers = 1, .hidden = {3}, .epochs = 2},
    };
    const struct example far = {
        .size = 1, .index = (const int32_t[]){9}, .value = (const double[]){1}};
    struct labels labels = {.count = 0};
    double rho[2][2] = {{0}};
    check_group("a round that is refused, and kept rounds");
    CHECK(labels_parse("1-3", &labels, NULL) == 0, "labels");
    for (int refuses = 0; refuses < 2; refuses++) {
        struct bandit *b = bandit_new(&options, &labels, NULL);
        for (int t = 0; b && t < PERIOD; t++) {
            const struct example x = {
                .size = 1, .index = (const int32_t[]){1 + t % 3}, .value = (const double[]){1}};
            if (refuses && t == PERIOD / 2)
                CHECK(bandit_score(b, &far, NULL) == 0
                          && bandit_learn(b, &far, 1, 1e-320, 1, NULL) == -1,
                      "1/p is not finite");
            CHECK(bandit_score(b, &x, NULL) == 0
                      && bandit_learn(b, &x, t / 3 % 3, 0.5, t % 4 > 0, NULL) == 0,
                  "round %d", t);
        }
        if (b)
            memcpy(rho[refuses], bandit_rates(b), sizeof rho[refuses]);
        bandit_free(b);
    }
    CHECK(rho[0][0] > 0 && rho[0][1] > 0, "rates %g, %g", rho[0][0], rho[0][1]);
    for (int i = 0; i < 2; i++)
        CHECK_NEAR(rho[1][i], rho[0][i], 0, "rho%d", i);
    labels_free(&labels);
}

int main(void)
{
    check_rules();
    check_bytes();
    check_most_features();
    check_limits();
    check_kept();
    check_infinite_step();
    check_refused();
    check_refused_kept();
    return check_finish();
}
