#include "learners/bandit/noise_rate.h"

#include "common/base/memory.h"
#include "common/base/number.h"
#include "common/base/order.h"
#include "common/base/parallel.h"
#include "common/base/random.h"
#include "common/linear/average.h"
#include "learners/bandit/noise_rate_mlp.h"
#include "learners/bandit/nsm.h"

#include <stdlib.h>
#include <string.h>

const char *const noise_rate_estimators[] = {"margin", "mlp", "mlp-authors", NULL};

enum { HALVES = 2 };

/* ---- margin ---- */

enum { EPOCHS = 3 };
static const double ETA = 0.5;
static const double LEAST_RATE =
    0.02; /* a rate of 0 would make one false answer infinitely surprising */
static const double UNKNOWN_RATE =
    0.3; /* before the first estimate: too much noise does less harm than too little */

struct judged {
    double lead; /* of the best score over the second */
    int64_t round;
    bool same; /* was the best label shown? */
};

struct margin {
    const struct problem *rounds;
    int64_t classes;
    uint64_t seed;
    double rho[2];             /* that NSM takes for true */
    double said[HALVES][2][2]; /* as in struct noise_rates, of the half that was judged */
    struct error error[HALVES];
    int status[HALVES];
};

/* Largest lead first; of equals, the earlier round: a total order, so every qsort gives the
 * same. */
static int by_lead(const void *a, const void *b)
{
    const struct judged *p = a, *q = b;
    return order_by(q->lead, p->lead, p->round, q->round);
}

static void judge(const struct weights *w, const struct example *x, double *scores,
                  struct judged *out)
{
    weights_scores(w, x, scores);
    int64_t best = scores[1] > scores[0], second = 1 - best;
    for (int64_t k = 2; k < w->columns; k++) {
        if (scores[k] > scores[best]) {
            second = best;
            best = k;
        } else if (scores[k] > scores[second]) {
            second = k;
        }
    }
    out->lead = scores[best] - scores[second];
    out->same = best == x->label;
}

/* Learn from the rounds of one half (every second one, from `half` on), judge the other. */
static int fit_and_judge(struct margin *m, int64_t half, struct error *err)
{
    const struct problem *rounds = m->rounds;
    const int64_t learnt = (rounds->n + 1 - half) / 2, judged = rounds->n - learnt;
    struct weights w = weights_make(m->classes, 0), s = weights_make(m->classes, NSM_SQUARES),
                   sum = weights_make(m->classes, 0);
    double *scores = memory_new(w.stride, sizeof *scores, err);
    int64_t *order = scores ? memory_new(learnt, sizeof *order, err) : NULL;
    struct judged *judgement = order ? memory_new(judged, sizeof *judgement, err) : NULL;
    int status = -1;
    if (!judgement || weights_grow(&w, rounds->d, err) != 0 || weights_grow(&s, rounds->d, err) != 0
        || weights_grow(&sum, rounds->d, err) != 0)
        goto done;
    for (int64_t i = 0; i < learnt; i++)
        order[i] = 2 * i + half;
    struct random g = random_seeded(m->seed, (uint64_t)half + 1);
    for (int64_t epoch = 0; epoch < EPOCHS; epoch++) {
        random_shuffle(&g, order, learnt);
        for (int64_t i = 0; i < learnt; i++) {
            struct example x = problem_example(rounds, order[i]);
            weights_scores(&w, &x, scores);
            nsm_learn(&w, &s, &sum, epoch * learnt + i, &x, scores, x.label, x.feedback.f, m->rho,
                      ETA);
        }
    }
    average_take(&w, &sum, EPOCHS * learnt);
    for (int64_t i = 0; i < judged; i++) {
        struct example x = problem_example(rounds, 2 * i + 1 - half);
        judgement[i].round = 2 * i + 1 - half;
        judge(&w, &x, scores, &judgement[i]);
    }
    qsort(judgement, (size_t)judged, sizeof *judgement, by_lead);
    for (int64_t i = 0; i < judged / 2; i++)
        if (!judgement[i].same || i < judged / 4)
            m->said[half][judgement[i].same][rounds->feedback[judgement[i].round].f]++;
    status = 0;
done:
    memory_free(judgement);
    memory_free(order);
    memory_free(scores);
    weights_free(&w);
    weights_free(&s);
    weights_free(&sum);
    return status;
}

static void fit_half(void *context, int64_t half)
{
    struct margin *m = context;
    m->status[half] = fit_and_judge(m, half, &m->error[half]);
}

static int by_margin(const struct problem *rounds, int64_t classes, int64_t seed, int threads,
                     struct noise_rates *rates, struct error *err)
{
    struct margin m = {.rounds = rounds, .classes = classes, .seed = (uint64_t)seed};
    bool known = rates->said[0][0] + rates->said[0][1] + rates->said[1][0] + rates->said[1][1] > 0;
    for (int i = 0; i < 2; i++)
        m.rho[i] = !known ? UNKNOWN_RATE : rates->rho[i] > LEAST_RATE ? rates->rho[i] : LEAST_RATE;
    parallel_for(threads, HALVES, fit_half, &m);
    for (int half = 0; half < HALVES; half++)
        if (m.status[half] != 0) {
            if (err)
                *err = m.error[half];
            return -1;
        }
    for (int same = 0; same <= 1; same++) {
        double *said = rates->said[same];
        for (int f = 0; f <= 1; f++)
            said[f] = said[f] / 2 + m.said[0][same][f] + m.said[1][same][f];
        if (said[0] + said[1] > 0) /* else nothing is known, and the rate stays */
            rates->rho[same] = said[1 - same] / (said[0] + said[1]);
    }
    return 0;
}

/* ---- any ---- */

int noise_rate_parse_layers(const char *text, struct noise_rate_network *network)
{
    char word[32];
    int64_t weights = 0;
    network->layers = 0;
    for (const char *p = text;; p++) {
        size_t size = strcspn(p, ",");
        if (network->layers == NOISE_RATE_MOST_LAYERS || size >= sizeof word)
            return 1;
        memcpy(word, p, size);
        word[size] = '\0';
        int64_t *units = &network->hidden[network->layers++];
        if (number_int_from_word(word, 1, NOISE_RATE_MOST_UNITS, units) != 0)
            return 1;
        if (network->layers > 1)
            weights += units[-1] * units[0];
        if (weights > NOISE_RATE_MOST_WEIGHTS)
            return 1;
        p += size;
        if (*p == '\0')
            return 0;
    }
}

void noise_rate_layers_text(const struct noise_rate_network *network,
                            char text[NOISE_RATE_LAYERS_TEXT])
{
    int used = 0;
    for (int64_t l = 0; l < network->layers; l++)
        used += snprintf(text + used, (size_t)(NOISE_RATE_LAYERS_TEXT - used), "%s%d",
                         l > 0 ? "," : "", (int)network->hidden[l]);
}

static void clip(double rho[2])
{
    static const double most = 0.9;
    for (int i = 0; i < 2; i++)
        rho[i] = rho[i] > 0 ? rho[i] : 0;
    double sum = rho[0] + rho[1];
    for (int i = 0; i < 2 && sum > most; i++)
        rho[i] *= most / sum;
}

/* What is there already, but for rounding, stays: estimating twice gives the same. */
static void bring_to_unit_length(struct problem *rounds)
{
    for (int64_t i = 0; i < rounds->n; i++) {
        struct example x = problem_example(rounds, i);
        double square = example_squared_norm(&x);
        if (!(square > 1 - 1e-12 && square < 1 + 1e-12))
            example_unit_length(rounds->value + rounds->row_start[i], x.size);
    }
}

int noise_rate_estimate(enum noise_rate_estimator estimator, struct problem *rounds,
                        int64_t classes, const struct noise_rate_network *network, int64_t seed,
                        int threads, struct noise_rates *rates, struct error *err)
{
    if (rounds->n < NOISE_RATE_FEWEST)
        return error_set(err, "noise rates need at least %d rounds; there are %lld",
                         NOISE_RATE_FEWEST, (long long)rounds->n);
    bring_to_unit_length(rounds);
    int status = estimator == NOISE_RATE_MARGIN
                     ? by_margin(rounds, classes, seed, threads, rates, err)
                     : noise_rate_mlp(rounds, classes, estimator == NOISE_RATE_MLP_AUTHORS, network,
                                      seed, threads, rates->rho, err);
    clip(rates->rho);
    return status;
}
