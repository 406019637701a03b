/* The label that a learner from bandit feedback shows, and its probability, for the ends of what
 * the random number u may be and between them, beside the plain reference. */
#include "bandit_draws.h"
#include "bandit_plain.h"
#include "check.h"
#include "learners/bandit/bandit.h"

/* The ends of what u may be: every label is one of the K, the library's that of the reference. */
static void test_choice(void)
{
    static const int64_t classes[] = {2, 3, 7, 10};
    static const double gammas[] = {0, 1e-20, 1e-3, 0.1, 0.3, 0.9, 1};
    struct example x = {.size = 0};
    struct bandit_plain plain;
    check_group("the label for every u");
    for (int i = 0; i < COUNT(classes) * COUNT(gammas); i++) {
        struct bandit_options options = {.rule = &bandit_rcnbf_rule,
                                         .gamma = gammas[i / COUNT(classes)],
                                         .prior = 1,
                                         .eta = 0.5,
                                         .period = 1000000,
                                         .threads = 1};
        int64_t K = classes[i % COUNT(classes)];
        double border = 1 - options.gamma, total = 0, us[] = {0,
                                                              nextafter(border, 0),
                                                              border,
                                                              nextafter(border, 1),
                                                              border + options.gamma / 2,
                                                              nextafter(1, 0)};
        bool good = bandit_plain_new(&options, K, 1, &plain, NULL) == 0;
        CHECK(good, "memory");
        struct bandit *b = good ? library_new(&options, K) : NULL;
        good = b && bandit_score(b, &x, NULL) == 0;
        CHECK(good, "a score");
        for (int j = 0; good && j < COUNT(us); j++) {
            if (us[j] >= 1)
                continue;
            struct bandit_choice got = bandit_choose(b, us[j]),
                                 want = bandit_plain_choose(&plain, &x, us[j]);
            CHECK(got.shown >= 0 && got.shown < K, "%d classes, gamma %g, u %.17g: label %d",
                  (int)K, options.gamma, us[j], (int)got.shown);
            CHECK_INT(got.shown, want.shown, "%d classes, gamma %g, u %.17g", (int)K, options.gamma,
                      us[j]);
            CHECK_NEAR(got.p, want.p, 1e-15, "%d classes, gamma %g, u %.17g: p", (int)K,
                       options.gamma, us[j]);
        }
        /* a u in the middle of what belongs to each label */
        for (int64_t k = 0; good && options.gamma >= 1e-3 && k < K; k++) {
            struct bandit_choice got = bandit_choose(
                b, border + ((double)k + 0.5) / (double)K * options.gamma);
            CHECK_INT(got.shown, k, "%d classes, gamma %g: label", (int)K, options.gamma);
            total += got.p;
        }
        if (good && options.gamma >= 1e-3)
            CHECK_NEAR(total, 1, 1e-14, "%d classes, gamma %g: sum of p", (int)K, options.gamma);
        bandit_free(b);
        if (plain.w)
            bandit_plain_free(&plain);
    }
}

/* Where the best label is the last, known by hand: below 1 - gamma it is shown, from there on the
 * labels have equal parts of what is left, the first one first. */
static void test_border(void)
{
    enum { K = 4 };
    static const int32_t index[] = {1};
    static const double value[] = {1}, gamma = 0.25; /* exact, as is a quarter of it */
    const struct example x = {.size = 1, .index = index, .value = value};
    const struct bandit_options options = {
        .rule = &bandit_rcnbf_rule, .gamma = gamma, .prior = 1, .eta = 0.5, .threads = 1};
    check_group("the best label and the others");
    struct bandit *b = library_new(&options, K);
    if (!b)
        return;
    CHECK(bandit_score(b, &x, NULL) == 0 && bandit_learn(b, &x, K - 1, 1, 1, NULL) == 0
              && bandit_score(b, &x, NULL) == 0,
          "a round");
    const struct {
        double u;
        int64_t shown;
    } cases[] = {{0, K - 1},  {nextafter(0.75, 0), K - 1},
                 {0.75, 0},   {nextafter(0.8125, 0), 0},
                 {0.8125, 1}, {0.875, 2},
                 {0.9375, 3}, {nextafter(1, 0), 3}};
    for (int i = 0; i < COUNT(cases); i++) {
        const struct bandit_choice got = bandit_choose(b, cases[i].u);
        CHECK_INT(got.greedy, K - 1, "u %.17g: the best", cases[i].u);
        CHECK_INT(got.shown, cases[i].shown, "u %.17g", cases[i].u);
        CHECK_NEAR(got.p, cases[i].shown == K - 1 ? 0.8125 : 0.0625, 1e-15, "u %.17g: p",
                   cases[i].u);
    }
    bandit_free(b);
}

int main(void)
{
    test_choice();
    test_border();
    return check_finish();
}
