/* The agreement beyond chance (Cohen's kappa, its numerator), and where that does not tell the gain
 * in log-likelihood.  A matrix of many classes fits labels of its own that are drawn at random: so
 * none judges those that it was made from. */
#include "learners/noise/chance.h"

#include "common/base/memory.h"
#include "common/data/paired.h"
#include "common/linear/weights.h"
#include "learners/noise/em_prior.h"
#include "learners/noise/start.h"

#include <math.h>

/* Shares of the n examples: labelled k; of which the classifier says k; both. */
struct chance_shares {
    double labelled, decided, both;
};

static struct chance_shares chance_share_of(const double *count, int64_t K, int64_t k, double n)
{
    struct chance_shares share = {.both = count[k * K + k] / n};
    for (int64_t l = 0; l < K; l++) {
        share.labelled += count[k * K + l] / n;
        share.decided += count[l * K + k] / n;
    }
    return share;
}

static double chance_total(const double *count, int64_t K)
{
    double n = 0;
    for (int64_t cell = 0; cell < K * K; cell++)
        n += count[cell];
    return n;
}

double chance_agreement(const double *count, int64_t K)
{
    const double n = chance_total(count, K);
    double agree = 0, expected = 0, both = 0;
    for (int64_t k = 0; k < K; k++) {
        const struct chance_shares share = chance_share_of(count, K, k, n);
        agree += share.both;
        expected += share.labelled * share.decided;
        both += share.labelled * share.decided * (share.labelled + share.decided);
    }
    const double variance = (expected + expected * expected - both) / n;
    return variance > 0 ? (agree - expected) / sqrt(variance) : 0;
}

double chance_agreement_of(const double *count, int64_t K, const bool *which)
{
    const double n = chance_total(count, K);
    double excess = 0, variance = 0;
    for (int64_t k = 0; k < K; k++) {
        if (!which[k])
            continue;
        const struct chance_shares share = chance_share_of(count, K, k, n);
        const double expected = share.labelled * share.decided;
        excess += share.both - expected;
        variance += expected * (1 - share.labelled) * (1 - share.decided) / n;
    }
    return variance > 0 ? excess / sqrt(variance) : 0;
}

void chance_count(const struct em *em, double *count)
{
    const int64_t K = em->K;
    for (int64_t i = 0; i < em->n; i++)
        count[em->y[i] * K + weights_best(em->p + i * K, K)] += em_weight(em, i);
}

/* lead: in, out: the gains of the labels of this fold (FOLDS_ALL: of all) through c, over their
 * shares. */
static void chance_add_gains(const struct em *em, const double *c, int64_t fold,
                             const double *share, struct paired *lead)
{
    for (int64_t i = 0; i < em->n; i++)
        if (fold == FOLDS_ALL || em->fold[i] == fold)
            paired_add(lead, em_weight(em, i) * (em_log_label(em, c, i) - em_log(share[em->y[i]])));
}

/* The first measure.  c: K x K, or NULL; table: workspace, K x K; share: workspace, K. */
static double chance_lead(const struct em *em, const double *c, double *table, double *share)
{
    struct paired lead = {0};
    em_label_shares(em, share);
    if (c) {
        chance_add_gains(em, c, FOLDS_ALL, share, &lead);
        return paired_errors(&lead);
    }
    for (int64_t fold = 0; fold < FOLDS_DEFAULT; fold++) {
        start_even_noise(em, table);
        em_leave_out(em, fold, table);
        chance_add_gains(em, table, fold, share, &lead);
    }
    return paired_errors(&lead);
}

int chance_test(const struct em *em, const double *c, bool *by_chance, struct error *err)
{
    const int64_t K = em->K;
    double *table = memory_new(K * K, sizeof *table, err),
           *share = memory_new(K, sizeof *share, err);
    int status = -1;
    if (!table || !share)
        goto done;
    chance_count(em, table);
    *by_chance = chance_agreement(table, K) < CHANCE_ERRORS
                 && chance_lead(em, c, table, share) < CHANCE_ERRORS;
    status = 0;
done:
    memory_free(table);
    memory_free(share);
    return status;
}
