/* What the tests of map_choice.h share.  It includes the source, for its constants and steps. */
#ifndef TESTS_UNIT_MAP_CHOICE_CASES_H
#define TESTS_UNIT_MAP_CHOICE_CASES_H

#include "check.h"
#include "common/base/random.h"
#include "learners/features/map_choice.c"

enum { D = 60, MORE = CHOICE_FEW + 600 };

/* Folds at random, the same in all calls. */
static inline const int64_t *some_folds(void)
{
    static int64_t fold[MORE];
    struct random g = random_seeded(30, 1);
    for (int i = 0; i < MORE; i++)
        fold[i] = random_below(&g, FOLDS_DEFAULT);
    return fold;
}

/* By how many standard errors of the difference the second losses are less. */
static inline double plain_lead(const double *first, const double *second, int64_t n)
{
    double gain = 0, squares = 0;
    for (int64_t i = 0; i < n; i++) {
        gain += first[i] - second[i];
        squares += (first[i] - second[i]) * (first[i] - second[i]);
    }
    return squares > 0 ? gain / sqrt(squares) : 0;
}

/* Which of MORE examples of two features are the few that are drawn.  few: out, MORE. */
static inline void find_few(const struct trial_examples *examples, bool *few)
{
    struct trial trial = {.seed = 3, .threads = 1};
    struct error err = {0};
    int drawn = 0;
    CHECK(trial_start(&trial, MORE, D, 2, &err) == 0
              && trial_draw(&trial, examples, CHOICE_FEW, false, &err) == 0,
          "%s", err.message);
    for (int i = 0; i < MORE; i++) {
        const double *value = examples->problem->value + 2 * (ptrdiff_t)i;
        few[i] = drawn < trial.problem.n
                 && memcmp(value, trial.problem.value + 2 * (ptrdiff_t)drawn, sizeof *value) == 0;
        drawn += few[i];
    }
    trial_free(&trial);
    CHECK_INT(drawn, CHOICE_FEW, "found");
}

/* What `few` of the examples say of lengths.  c: out; free it with choice_free. */
static inline void judge_lengths(const struct trial_examples *examples, int64_t few,
                                 struct choice *c, struct choice_pair *pair)
{
    struct error err = {0};
    *c = (struct choice){.trial = {.seed = 3, .threads = 2}, .d = examples->problem->d};
    CHECK(choice_start(c, examples->problem->n, D, examples->classes, &err) == 0
              && choice_lengths(c, examples, few, pair, &err) == 0,
          "%s", err.message);
}

#endif
