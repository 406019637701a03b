/* The prior that is chosen (learners/noise/em_prior.h): the one by which what EM makes of the other
 * folds makes a fold's labels likeliest, by a plain loop; what it depends on; and how far such
 * labels are likelier than by other probabilities. */
#include "check.h"
#include "common/base/random.h"
#include "learners/noise/em_prior.h"

#include <string.h>

enum { K = 3, N = 300 };

static const double priors[] = {EM_FIRST_PRIOR, 100, 1000};

/* Noise of the same rate in all classes, and of rates that differ by a little and by much. */
static const double even[] = {.7, .15, .15, .15, .7, .15, .15, .15, .7},
                    near[] = {.75, .12, .2, .15, .8, .2, .1, .08, .6},
                    far[] = {.98, .25, .01, .01, .5, .01, .01, .25, .98};

/* Mean log-likelihood of each fold's labels, by the definition.  log_label: out, N. */
static double plain_likelihood(struct em *em, const double *start, double prior, double *log_label)
{
    double sum = 0, total = 0;
    em->prior = prior;
    for (int fold = 0; fold < FOLDS_DEFAULT; fold++) {
        double c[K * K];
        memcpy(c, start, sizeof c);
        for (int step = 0; step < EM_STEPS; step++)
            em_step(em, c, fold, NULL);
        for (int i = 0; i < N; i++) {
            double q = 0;
            if (em->fold[i] != fold)
                continue;
            for (int k = 0; k < K; k++)
                q += c[em->y[i] * K + k] * em->p[i * K + k];
            log_label[i] = log(q);
            sum += (em->weight ? em->weight[i] : 1) * log_label[i];
            total += em->weight ? em->weight[i] : 1;
        }
    }
    return sum / total;
}

/* Labels drawn through a matrix.  want: which prior is chosen. */
static void test_choice(const char *name, const double *c, uint64_t seed, bool weighted, int want)
{
    struct random g = random_seeded(seed, 1);
    int32_t y[N];
    int64_t fold[N];
    double weight[N], likelihood[3], log_label[N], other[N], lead = 0, sum = 0, squares = 0;
    struct em em;
    struct error err = {0};
    check_group("the prior, %s%s", name, weighted ? ", weights" : "");
    CHECK(em_start(&em, N, K, y, fold, 1, &err) == 0, "%s", err.message);
    for (int i = 0; i < N; i++) {
        const int64_t class = random_below(&g, K);
        double u = random_uniform(&g);
        for (y[i] = 0; y[i] < K - 1 && (u -= c[y[i] * K + class]) > 0; y[i]++)
            ;
        fold[i] = i % FOLDS_DEFAULT;
        weight[i] = i % 2 ? 0.1 : 3;
        for (int k = 0; k < K; k++)
            em.p[i * K + k] = k == class ? 0.9 : 0.05;
    }
    em_weigh(&em, weighted ? weight : NULL);
    int best = 0;
    for (int which = 0; which < 3; which++) {
        likelihood[which] = plain_likelihood(&em, even, priors[which], log_label);
        best = likelihood[which] > likelihood[best] ? which : best;
    }
    CHECK_INT(em_choose_prior(&em, even, &err), 0, "%s", err.message);
    CHECK_NEAR(em.prior, priors[best], 0, "the likeliest: %g, %g, %g", likelihood[0], likelihood[1],
               likelihood[2]);
    CHECK_INT(best, want, "which");
    plain_likelihood(&em, c, EM_FIRST_PRIOR, log_label);
    for (int i = 0; i < N; i++) {
        other[i] = log(y[i] == 0 ? 0.5 : 0.25);
        const double gain = (weighted ? weight[i] : 1) * (log_label[i] - other[i]);
        sum += gain;
        squares += gain * gain;
    }
    CHECK_INT(em_held_out_lead(&em, c, other, &lead, &err), 0, "%s", err.message);
    CHECK_NEAR(lead, sum / sqrt(squares), 1e-9, "the lead of held-out labels");
    em_free(&em);
}

int main(void)
{
    test_choice("one rate", even, 5, false, 2);
    test_choice("rates that differ a little", near, 5, false, 1);
    test_choice("rates that differ much", far, 5, false, 0);
    test_choice("other labels", near, 4, false, 0);
    test_choice("other labels", near, 4, true, 2);
    return check_finish();
}
