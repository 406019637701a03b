/* The SVM that takes the place of softmax regression must not look better than it is: what it is
 * said to be worth does not depend on the probabilities that labels had a part in, nor on a matrix
 * of its own where noise is not of the class, and of labels that are pure chance it is worth no
 * more than chance. */
#include "check.h"
#include "svm_parts.h"

/* The SVM that is judged is another than the one that is taken: p, which the labels of the judged
 * folds have a part in, says nothing to it. */
static void test_independence(void)
{
    struct plan plan = {.K = 4, .belief = VAGUE};
    struct estimate vague, sure;
    check_group("the SVM's likelihood is the same whatever p is");
    struct texts *t = texts_make(&plan);
    estimate_texts(t, true, 1, &vague);
    for (int64_t i = 0; i < N; i++)
        for (int64_t k = 0; k < t->K; k++)
            t->p[i * t->K + k] = k == t->y[i] ? 0.97 : 0.03 / (double)(t->K - 1);
    estimate_texts(t, true, 1, &sure);
    CHECK_NEAR(sure.svm.likelihood, vague.svm.likelihood, 0, "the likelihood");
    CHECK(sure.svm.softmax_likelihood > vague.svm.softmax_likelihood + 0.1
              && sure.svm.lead < vague.svm.lead - 1,
          "p counts for softmax regression");
    estimate_free(&vague);
    estimate_free(&sure);
    texts_free(t);
}

/* Where the labels do not fit the matrix, both classifiers are judged through it, as through one
 * that is known. */
static void test_misfit(void)
{
    struct plan plan = {.K = 4, .belief = VAGUE};
    struct estimate own, misfit, known;
    check_group("which matrix judges");
    struct texts *t = texts_make(&plan);
    estimate_texts(t, true, 1, &own);
    t->misfit = 1e-9;
    estimate_texts(t, true, 1, &misfit);
    t->known = true;
    estimate_texts(t, true, 1, &known);
    CHECK_NEAR(misfit.svm.softmax_likelihood, known.svm.softmax_likelihood, 0,
               "softmax regression");
    CHECK_NEAR(misfit.svm.likelihood, known.svm.likelihood, 0, "the SVM");
    CHECK(fabs(own.svm.likelihood - misfit.svm.likelihood) > 1e-3, "the SVM's own matrix: %g, %g",
          own.svm.likelihood, misfit.svm.likelihood);
    estimate_free(&own);
    estimate_free(&misfit);
    estimate_free(&known);
    texts_free(t);
}

enum { FEW = 30 }; /* words, so that many texts are the same */

/* Texts of one of the few words each, and labels that are pure chance.  chance: out, the mean
 * log-likelihood of the labels by chance. */
static struct texts *make_chance(int64_t K, uint64_t seed, double *chance)
{
    struct random g = random_seeded(17, seed);
    struct texts *t = texts_start(K, &g);
    for (int64_t cell = 0; cell < K * K; cell++) /* so noisy that v follows p */
        t->c[cell] = (cell % (K + 1) == 0 ? 0.2 : 0) + 0.8 / (double)K;
    *chance = 0;
    for (int i = 0; i < N; i++) {
        const int32_t word = 1 + (int32_t)random_below(&g, FEW);
        const double value = 1;
        const struct example x = {.index = &word, .value = &value, .size = 1};
        double observed = 0;
        CHECK(problem_append_example(&t->problem, &x, NULL) == 0, "memory");
        t->y[i] = draw_label(&g, K, t->c, random_below(&g, K));
        for (int64_t k = 0; k < K; k++)
            observed += t->c[t->y[i] * K + k] / (double)K;
        *chance += log(observed) / N;
    }
    for (int64_t k = 0; k < K; k++)
        t->share[k] = 1 / (double)K;
    return t;
}

/* There is nothing to learn: what the SVM says of held-out examples is worth no more than chance,
 * which as the largest of each fold's likelihoods over accuracies gives about 3/2n in the mean,
 * .005.  By weights of cross-fitted p, which the labels of the judged fold have a part in, labels
 * would be kept that agree with these. */
static void test_chance(int64_t K)
{
    enum { SEEDS = 20 };
    static struct part all;
    double excess = 0, lead = 0;
    int behind = 0, left = 0; /* taken though it is behind, and not taken */
    check_group("labels that are pure chance, %d classes", (int)K);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct estimate e;
        double chance;
        struct texts *t = make_chance(K, seed, &chance);
        part_make(t, -1, &all);
        part_regress(&all, t->p);
        estimate_texts(t, false, 2, &e);
        excess += (e.svm.likelihood - chance) / SEEDS;
        lead += e.svm.lead / SEEDS;
        CHECK(fabs(e.svm.lead) < 3, "a lead of %g, seed %d", e.svm.lead, (int)seed);
        CHECK((e.classifier.kind == ESTIMATE_SVM) == (e.svm.lead > -CROSSFIT_ERRORS),
              "is it taken, with a lead of %g?", e.svm.lead);
        behind += e.classifier.kind == ESTIMATE_SVM && e.svm.lead < 0;
        left += e.classifier.kind == ESTIMATE_SOFTMAX;
        estimate_free(&e);
        texts_free(t);
    }
    CHECK(behind > 0 && left > 0, "leads on both sides of where it is taken: %d, %d", behind, left);
    CHECK(excess < 0.01, "likelier than by chance, by %g", excess);
    CHECK(fabs(lead) < 0.45, "a mean lead of %g", lead);
}

int main(void)
{
    test_independence();
    test_misfit();
    for (int64_t K = 2; K <= CLASSES; K++)
        test_chance(K);
    return check_finish();
}
