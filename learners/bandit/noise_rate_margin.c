/* The rounds are split into two halves, at random: in a log the classes may stand in turn.  NSM
 * (nsm_step.h) learns from one of them.  The rounds of the other are sorted by their margins, the
 * lead of the best score over the second, largest first; where the margin is large the best label
 * is taken for the true one:
 *
 *   1 - rho1   the mean of f where the best label was shown, over the first quarter
 *   rho0       the mean of f where another label was shown, over the first half
 *
 * The half holds more errors of the classifier than the quarter, but rounds in which another label
 * was shown are few, and an error of the classifier spoils one of these only if the label shown is
 * the right one.  Then the halves change places, and the counts of both are added up, together with
 * those of earlier estimates at half their weight (no reason for a half but that it works).
 *
 * Cross-fitting, because a classifier fits the noise of the rounds that it has learnt from.  Why
 * not the network: its estimates are farther from the truth, and take 5 s where this takes 0.03 s
 * (experiments/bandit/README.md). */
#include "learners/bandit/noise_rate_margin.h"

#include "common/base/memory.h"
#include "common/base/order.h"
#include "common/base/parallel.h"
#include "common/base/random.h"
#include "common/linear/average.h"
#include "learners/bandit/nsm_step.h"

#include <stdlib.h>
#include <string.h>

enum { MARGIN_HALVES = 2 };
enum { MARGIN_EPOCHS = 3 };           /* no reason but that it works */
static const double margin_eta = 0.5; /* the better of 0.1 and 0.5 for NSM on optdigits */

/* With a rate of 0 a single round with false feedback would be infinitely unlikely.  No reason for
 * the number but that it works. */
static const double margin_least_rate = 0.02;

/* Before the first estimate: to assume too much noise does less harm than too little.  No reason
 * for the number but that it works. */
static const double margin_unknown_rate = 0.3;

struct margin_judgement {
    double lead; /* of the best score over the second */
    int64_t round;
    bool same; /* was the best label shown? */
};

struct margin {
    const struct problem *rounds;
    int64_t classes;
    uint64_t seed;
    int64_t *order;                    /* n: the rounds, shuffled; one half, then the other */
    double rho[2];                     /* that NSM assumes */
    double count[MARGIN_HALVES][2][2]; /* as in struct noise_rates, of the half that was judged */
};

/* What one half needs while it is learnt from and the other judged. */
struct margin_fit {
    struct weights w, s, sum; /* as nsm_learn wants them */
    double *scores;
    int64_t *order; /* of the rounds that are learnt from */
    struct margin_judgement *judgement;
};

/* Rounds of the half that has no fewer than the other. */
static int64_t margin_larger_half(const struct margin *m)
{
    return m->rounds->n - m->rounds->n / MARGIN_HALVES;
}

/* Allocate.  0, or -1; margin_fit_free in both cases. */
static int margin_fit_start(struct margin_fit *fit, const struct margin *m, struct error *err)
{
    const int64_t d = m->rounds->d, larger = margin_larger_half(m);
    fit->w = fit->sum = weights_make(m->classes, 0);
    fit->s = weights_make(m->classes, NSM_SQUARES);
    fit->scores = memory_new(fit->w.stride, sizeof *fit->scores, err);
    if (!fit->scores)
        return -1;
    fit->order = memory_new(larger, sizeof *fit->order, err);
    if (!fit->order)
        return -1;
    fit->judgement = memory_new(larger, sizeof *fit->judgement, err);
    if (!fit->judgement)
        return -1;
    if (weights_grow(&fit->w, d, err) != 0 || weights_grow(&fit->s, d, err) != 0)
        return -1;
    return weights_grow(&fit->sum, d, err);
}

static void margin_fit_free(struct margin_fit *fit)
{
    memory_free(fit->judgement);
    memory_free(fit->order);
    memory_free(fit->scores);
    weights_free(&fit->w);
    weights_free(&fit->s);
    weights_free(&fit->sum);
}

/* Largest lead first; of equals, the earlier round: a total order, so every qsort gives the
 * same. */
static int margin_by_lead(const void *a, const void *b)
{
    const struct margin_judgement *p = a, *q = b;
    return order_by(q->lead, p->lead, p->round, q->round);
}

/* scores: workspace, stride of w. */
static struct margin_judgement margin_judge(const struct weights *w, const struct problem *rounds,
                                            int64_t round, double *scores)
{
    struct example x = problem_example(rounds, round);
    weights_scores(w, &x, scores);
    int64_t best = scores[1] > scores[0], second = 1 - best;
    for (int64_t k = 2; k < w->columns; k++) {
        if (scores[k] > scores[best]) {
            second = best;
            best = k;
        } else if (scores[k] > scores[second]) {
            second = k;
        }
    }
    return (struct margin_judgement){
        .lead = scores[best] - scores[second], .round = round, .same = best == x.label};
}

/* The rounds of a half, and how many. */
static const int64_t *margin_rounds(const struct margin *m, int64_t half, int64_t *count)
{
    const int64_t larger = margin_larger_half(m);
    *count = half == 0 ? larger : m->rounds->n - larger;
    return half == 0 ? m->order : m->order + larger;
}

/* Learn NSM from the rounds of one half; fit->w becomes the mean of its weights. */
static void margin_learn(const struct margin *m, int64_t half, struct margin_fit *fit)
{
    int64_t learnt;
    const int64_t *rounds = margin_rounds(m, half, &learnt);
    memcpy(fit->order, rounds, (size_t)learnt * sizeof *rounds);
    struct random g = random_seeded(m->seed, (uint64_t)half + 1);
    for (int64_t epoch = 0; epoch < MARGIN_EPOCHS; epoch++) {
        random_shuffle(&g, fit->order, learnt);
        for (int64_t i = 0; i < learnt; i++) {
            struct example x = problem_example(m->rounds, fit->order[i]);
            weights_scores(&fit->w, &x, fit->scores);
            nsm_learn(&fit->w, &fit->s, &fit->sum, epoch * learnt + i, &x, fit->scores, x.label,
                      x.feedback.f, m->rho, margin_eta);
        }
    }
    average_take(&fit->w, &fit->sum, MARGIN_EPOCHS * learnt);
}

/* Judge the other half and count the feedback of the rounds whose lead is large. */
static void margin_count(const struct margin *m, int64_t half, struct margin_fit *fit,
                         double count[2][2])
{
    int64_t judged;
    const int64_t *rounds = margin_rounds(m, 1 - half, &judged);
    for (int64_t i = 0; i < judged; i++)
        fit->judgement[i] = margin_judge(&fit->w, m->rounds, rounds[i], fit->scores);
    qsort(fit->judgement, (size_t)judged, sizeof *fit->judgement, margin_by_lead);
    for (int64_t i = 0; i < judged / 2; i++) {
        const struct margin_judgement *j = &fit->judgement[i];
        if (!j->same || i < judged / 4)
            count[j->same][m->rounds->feedback[j->round].f]++;
    }
}

/* Learn from one half, count in the other.  0 or -1. */
static int margin_fit_half(void *context, int64_t half, struct error *err)
{
    struct margin *m = context;
    struct margin_fit fit = {0};
    int status = margin_fit_start(&fit, m, err);
    if (status == 0) {
        margin_learn(m, half, &fit);
        margin_count(m, half, &fit, m->count[half]);
    }
    margin_fit_free(&fit);
    return status;
}

/* The rate that NSM assumes instead of one that was estimated. */
static double margin_assumed(const struct noise_rates *rates, int i)
{
    const double(*count)[2] = rates->count;
    bool known = count[0][0] + count[0][1] + count[1][0] + count[1][1] > 0;
    if (!known)
        return margin_unknown_rate;
    return rates->rho[i] > margin_least_rate ? rates->rho[i] : margin_least_rate;
}

int noise_rate_margin(const struct problem *rounds, int64_t classes, int64_t seed, int threads,
                      struct noise_rates *rates, struct error *err)
{
    struct margin m = {.rounds = rounds,
                       .classes = classes,
                       .seed = (uint64_t)seed,
                       .order = memory_new(rounds->n, sizeof *m.order, err),
                       .rho = {margin_assumed(rates, 0), margin_assumed(rates, 1)}};
    if (!m.order)
        return -1;
    struct random g = random_seeded(m.seed, MARGIN_HALVES + 1); /* 1 and 2 shuffle each half */
    for (int64_t i = 0; i < rounds->n; i++)
        m.order[i] = i;
    random_shuffle(&g, m.order, rounds->n);
    const int status = parallel_try(threads, MARGIN_HALVES, margin_fit_half, &m, err);
    memory_free(m.order);
    if (status != 0)
        return -1;
    for (int same = 0; same <= 1; same++) {
        double *count = rates->count[same];
        for (int f = 0; f <= 1; f++)
            count[f] = count[f] / 2 + m.count[0][same][f] + m.count[1][same][f];
        if (count[0] + count[1] > 0) /* else nothing is known, and the rate stays */
            rates->rho[same] = count[1 - same] / (count[0] + count[1]);
    }
    return 0;
}

double noise_rate_margin_bytes(double rounds)
{
    /* Each round is in the order of all and in that of a half that is learnt from, and is judged
     * once. */
    return rounds * (double)(2 * sizeof(int64_t) + sizeof(struct margin_judgement));
}
