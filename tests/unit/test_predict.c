/* Votes, and probabilities beside softmax by a plain loop: their order, and the class that they
 * speak for where they hardly differ. */
#include "check.h"
#include "common/base/random.h"
#include "common/model/predict.h"

#include <math.h>

enum { K = 5 };

/* By hand: of the pairs 0 1, 0 2, 0 3, 1 2, 1 3, 2 3 the classes 1, 0, 3, 1, 3, 3 are voted for, as
 * a value of 0 is a vote for the second. */
static void test_votes(void)
{
    static const double f[] = {0, 2, -1, 3, 0, -2}, want[] = {1, 2, 0, 3};
    double votes[4];
    check_group("votes of pairs");
    predict_votes(f, 4, votes);
    for (int k = 0; k < 4; k++)
        CHECK_NEAR(votes[k], want[k], 0, "class %d", k);
}

/* Where the first of the largest numbers is. */
static int64_t first_largest(const double *p, int64_t n)
{
    int64_t best = 0;
    for (int64_t k = 1; k < n; k++)
        best = p[k] > p[best] ? k : best;
    return best;
}

static void check_probabilities(const struct predict_model *model, const double *scores,
                                const char *what)
{
    const bool is_signed = model->columns == 1;
    const double two[] = {0, scores[0]}, *s = is_signed ? two : scores;
    const int64_t choice = predict_choice(model, scores);
    double p[K], total = 0;
    predict_probabilities(model, scores, p);
    for (int64_t k = 0; k < model->classes; k++)
        total += exp(model->temperature * s[k]);
    for (int64_t k = 0; k < model->classes; k++)
        CHECK_NEAR(p[k], exp(model->temperature * s[k]) / total, 1e-13, "%s: class %d", what,
                   (int)k);
    CHECK_INT(first_largest(p, model->classes), is_signed ? 1 - choice : choice,
              "%s: the class with the largest", what);
}

/* Scores that differ by so little that their exponentials do not. */
static void test_probabilities(void)
{
    static const double temperatures[] = {0.25, 1, 4};
    struct random g = random_seeded(31, 1);
    check_group("probabilities");
    for (int t = 0; t < 3; t++) {
        const struct predict_model two = {.classes = 2,
                                          .columns = 1,
                                          .temperature = temperatures[t]},
                                   several = {
                                       .classes = K, .columns = K, .temperature = temperatures[t]};
        static const double near[] = {0, 1e-20, -1e-20, 1e-16, -1e-16};
        for (int i = 0; i < 5; i++)
            check_probabilities(&two, &near[i], "two classes, hardly a score");
        for (int i = 0; i < 200; i++) {
            double scores[K];
            for (int k = 0; k < K; k++)
                scores[k] = 2 * random_normal(&g);
            check_probabilities(&two, scores, "two classes");
            check_probabilities(&several, scores, "several classes");
            const int64_t best = random_below(&g, K);
            for (int k = 0; k < K; k++)
                scores[k] = k == best ? 0 : -1e-17 * (double)random_below(&g, 3);
            check_probabilities(&several, scores, "classes that hardly differ");
        }
    }
}

int main(void)
{
    test_votes();
    test_probabilities();
    return check_finish();
}
