/* Rounds of a log are learnt from as they come; those of the tail are judged before, by a copy of
 * the weights that is made at its first round.  The estimates are computed from a few sums, so
 * nothing is kept of a round, and a log may be longer than memory. */
#include "learners/bandit/bandit_log.h"

#include "common/base/memory.h"
#include "learners/bandit/bandit_rule.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

void bandit_value_add(struct bandit_value *value, bool same, double p, double h)
{
    value->rounds++;
    value->right += h > 0;
    value->h += h;
    value->h2 += h * h;
    if (!same)
        return;
    double w = 1 / p;
    value->w += w;
    value->wh += w * h;
    value->w2 += w * w;
    value->w2h += w * w * h;
    value->w2h2 += w * w * h * h;
}

/* The root of a variance, which rounding may have taken below 0; NaN remains. */
static double bandit_log_deviation(double variance)
{
    return sqrt(variance < 0 ? 0 : variance);
}

struct bandit_estimate bandit_value_estimate(const struct bandit_value *v)
{
    double n = (double)v->rounds, ips = v->wh / n, snips = v->wh / v->w;
    double ips_variance = v->w2h2 / n - ips * ips;
    double snips_variance = v->w2h2 - 2 * snips * v->w2h + snips * snips * v->w2;
    double logged = v->h / n, logged_variance = v->h2 / n - logged * logged;
    double w = v->w / n, w_variance = v->w2 / n - w * w;
    if (!isfinite(v->w2) || !isfinite(v->w2h2))
        ips = ips_variance = snips = snips_variance = NAN;
    if (v->rounds < 2)
        ips_variance = snips_variance = logged_variance = NAN;
    return (struct bandit_estimate){.logged = logged,
                                    .logged_error = bandit_log_deviation(logged_variance) / sqrt(n),
                                    .ips = ips,
                                    .ips_error = bandit_log_deviation(ips_variance) / sqrt(n),
                                    .snips = snips,
                                    .snips_error = bandit_log_deviation(snips_variance) / v->w,
                                    .w = w,
                                    .w_error = bandit_log_deviation(w_variance) / sqrt(n),
                                    .rounds = v->rounds};
}

static const char *bandit_estimate_text(const char *what, double value, double error,
                                        const char *why_not, char *out)
{
    if (isfinite(error))
        snprintf(out, BANDIT_ESTIMATE_TEXT, "%s = %.6g +- %.4g", what, value, error);
    else if (isfinite(value))
        snprintf(out, BANDIT_ESTIMATE_TEXT, "%s = %.6g (of one round)", what, value);
    else
        snprintf(out, BANDIT_ESTIMATE_TEXT, "%s = undefined (%s)", what, why_not);
    return out;
}

static const char bandit_too_small[] = "a propensity is too small: --least-p bounds that";

const char *bandit_logged_text(const struct bandit_estimate *e, char *out)
{
    return bandit_estimate_text("logging policy", e->logged, e->logged_error, "", out);
}

const char *bandit_ips_text(const struct bandit_estimate *e, char *out)
{
    return bandit_estimate_text("IPS", e->ips, e->ips_error, bandit_too_small, out);
}

const char *bandit_snips_text(const struct bandit_estimate *e, const char *unshown, char *out)
{
    return bandit_estimate_text("SNIPS", e->snips, e->snips_error,
                                isfinite(e->ips) ? unshown : bandit_too_small, out);
}

/* When the mean of w is too far from 1 to be chance.  In 28 800 logs of 100 to 10 000 rounds with
 * right propensities, by policies uniform, greedy but for 2 to 30 %, and softmax, it never was
 * above 1 by so much; below 1 it was where a few rounds with small propensities were to come, and
 * did not: then IPS is too small, and its standard error, too. */
static const double bandit_doubt_errors = 5, bandit_doubt_least = 0.1;
enum { BANDIT_DOUBT_ROUNDS = 100 };

const char *bandit_doubt_text(const struct bandit_estimate *e, bool bounded, char *out)
{
    const double off = fabs(e->w - 1);
    const bool above = e->w > 1;
    /* With w = 0 SNIPS says why it is undefined; NaN and infinity are not above anything. */
    if (e->rounds < BANDIT_DOUBT_ROUNDS || e->w == 0 || (bounded && !above)
        || !(off > bandit_doubt_least && off > bandit_doubt_errors * e->w_error))
        return NULL;
    snprintf(out, BANDIT_DOUBT_TEXT,
             "the inverse propensities of the classifier's labels sum to %.3g +- %.2g a round, not "
             "to 1: the propensities are %s",
             e->w, e->w_error,
             above ? "too small" : "too large, or the log hardly ever shows some of these labels");
    return out;
}

const char *bandit_rates_text(const struct bandit_estimate *e, char *out)
{
    const double off = fmax(0 - e->logged, e->logged - 1);
    if (e->rounds < BANDIT_DOUBT_ROUNDS || !(off > bandit_doubt_errors * e->logged_error))
        return NULL;
    snprintf(out, BANDIT_DOUBT_TEXT,
             "by the noise rates %.3g +- %.2g of the labels that were shown are right, which is no "
             "share: the rates are not those of this log",
             e->logged, e->logged_error);
    return out;
}

bool bandit_all_right(int64_t right, int64_t rounds)
{
    return right == rounds && rounds >= BANDIT_DOUBT_ROUNDS;
}

struct bandit_log_run {
    struct bandit *b;
    const struct bandit_replay *replay;
    struct bandit_log_counts *counts;
    struct weights judge; /* the classifier as it was when the tail began; before: no rows */
    double *scores;       /* by it; NULL before */
    const double *rho;    /* the rates for h in the tail: what they are when a round is judged */
};

/* Copy the classifier that judges the tail.  The noise rates are those of the learner, assumed or
 * estimated, or the caller's where its rule has none. */
static int bandit_log_start_tail(struct bandit_log_run *run, struct error *err)
{
    const struct bandit_options *options = bandit_get_options(run->b);
    const bool own = options->rule->estimates_rates || bandit_uses(options, "rates");
    run->rho = own ? bandit_rates(run->b) : run->replay->rho;
    if (bandit_weights(run->b, &run->judge, err) != 0)
        return -1;
    run->scores = memory_new(run->judge.stride, sizeof *run->scores, err);
    return run->scores ? 0 : -1;
}

double bandit_log_count(struct bandit_log_counts *c, const struct feedback *feedback, int64_t shown,
                        double p, double least_p)
{
    const double stated = feedback->p > 0 ? feedback->p : p,
                 used = stated > least_p ? stated : least_p;
    c->rounds++;
    c->right += feedback->f;
    c->small += used * BANDIT_SMALL_P < 1;
    c->certain += stated >= 1;
    if (shown >= 0)
        c->shown[shown]++;
    return used;
}

/* Judge a round of the tail. */
static void bandit_log_judge(struct bandit_log_run *run, const struct example *x, int64_t shown,
                             double p)
{
    assert(run->scores);
    weights_scores(&run->judge, x, run->scores);
    bool same = weights_best(run->scores, run->judge.columns) == shown;
    bandit_value_add(&run->counts->value, same, p, bandit_h(run->rho, x->feedback.f));
}

/* Judge, when in the tail; learn. */
static int bandit_log_round(void *context, const struct example *x, struct error *err)
{
    struct bandit_log_run *run = context;
    const struct bandit_replay *replay = run->replay;
    struct bandit_log_counts *c = run->counts;
    int64_t shown = labels_require(bandit_labels(run->b), x->label, NULL, x->line, err);
    if (shown < 0)
        return -1;
    const int64_t round = c->rounds;
    const double p = bandit_log_count(c, &x->feedback, shown, replay->p, replay->least_p);
    if (round == replay->head && round < replay->n && bandit_log_start_tail(run, err) != 0)
        return -1;
    if (round >= replay->head && round < replay->n)
        bandit_log_judge(run, x, shown, p);
    if (bandit_score(run->b, x, err) != 0)
        return -1;
    return bandit_learn(run->b, x, shown, p, x->feedback.f, err);
}

int bandit_replay(struct bandit *b, const struct bandit_source *source,
                  const struct bandit_replay *replay, struct bandit_log_counts *counts,
                  struct error *err)
{
    struct bandit_log_run run = {.b = b, .replay = replay, .counts = counts};
    int status = source->held ? bandit_grow(b, source->held->d, err) : 0;
    if (status == 0)
        status = bandit_source_run(source, bandit_log_round, &run, err);
    weights_free(&run.judge);
    memory_free(run.scores);
    return status;
}
