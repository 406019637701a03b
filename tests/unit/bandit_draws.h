/* A learner of the library, and labels and answers drawn at random: what the tests
 * test_bandit_reference, _choice, _value and _lemmas share.  An error is a failed check. */
#ifndef TESTS_UNIT_BANDIT_DRAWS_H
#define TESTS_UNIT_BANDIT_DRAWS_H

#include "bandit_plain.h"
#include "check.h"
#include "common/base/random.h"

/* Classes and features, at most; cells of a table of weights with a bias. */
enum { CLASSES = 17, FEATURES = 40, CELLS = CLASSES * (FEATURES + 1) };

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static const double TOLERANCE = 1e-9;

/* rho0 and rho1. */
static const double rates[][2] = {{0, 0},     {0.15, 0.15}, {0.4, 0.4}, {0.2, 0.4},
                                  {0.4, 0.2}, {0, 0.5},     {0.5, 0.05}};

/* Its labels are odd: -4, -1, 2, ... */
static inline struct bandit *library_new(const struct bandit_options *options, int64_t K)
{
    struct labels labels = {.count = 0};
    struct error err = {.line = 0};
    bool good = true;
    for (int64_t k = 0; good && k < K; k++)
        good = labels_add(&labels, (int32_t)(3 * k - 4), &err) == 0;
    struct bandit *b = good ? bandit_new(options, &labels, &err) : NULL;
    if (!b)
        CHECK(false, "library: %s", err.message);
    labels_free(&labels);
    return b;
}

/* A class drawn with the chances p[0 .. K). */
static inline int64_t draw_class(struct random *g, int64_t K, const double *p)
{
    double u = random_uniform(g);
    int64_t k = 0;
    while (k < K - 1 && u >= p[k])
        u -= p[k++];
    return k;
}

/* Is the answer "right"?  It may lie. */
static inline int draw_answer(struct random *g, bool right, const double noise[2])
{
    bool flipped = random_uniform(g) < noise[right];
    return right != flipped;
}

#endif
