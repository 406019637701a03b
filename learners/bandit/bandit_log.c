#include "learners/bandit/bandit_log.h"

#include "common/base/memory.h"
#include "learners/bandit/bandit_rule.h"

#include <math.h>

void bandit_value_add(struct bandit_value *value, bool same, double p, double h)
{
    value->rounds++;
    if (!same)
        return;
    double w = 1 / p;
    value->w += w;
    value->wh += w * h;
    value->w2 += w * w;
    value->w2h += w * w * h;
    value->w2h2 += w * w * h * h;
}

struct bandit_estimate bandit_value_estimate(const struct bandit_value *v)
{
    double n = (double)v->rounds, ips = v->wh / n, snips = v->wh / v->w;
    double ips_variance = v->w2h2 / n - ips * ips,
           snips_variance = v->w2h2 - 2 * snips * v->w2h + snips * snips * v->w2;
    return (struct bandit_estimate){ips, sqrt(ips_variance > 0 ? ips_variance : 0) / sqrt(n), snips,
                                    sqrt(snips_variance > 0 ? snips_variance : 0) / v->w};
}

struct player {
    struct bandit *b;
    const struct bandit_replay *replay;
    struct bandit_log_counts *counts;
    struct weights judge; /* the classifier as it was when the tail began */
    double *scores;
};

/* Judge a round of the tail before it is learnt from. */
static int hold_out(struct player *s, const struct example *x, int64_t shown, double p,
                    struct error *err)
{
    if (s->counts->rounds == s->replay->head
        && (bandit_weights(s->b, &s->judge, err) != 0
            || !(s->scores = memory_new(s->judge.stride, sizeof *s->scores, err))))
        return -1;
    weights_scores(&s->judge, x, s->scores);
    const double *rho = bandit_get_options(s->b)->rule->estimates_rates ? bandit_rates(s->b)
                                                                        : s->replay->rho;
    bandit_value_add(&s->counts->value,
                     weights_best(s->scores, bandit_labels(s->b)->count) == shown, p,
                     bandit_h(rho, x->feedback.f));
    return 0;
}

static int learn(void *context, const struct example *x, struct error *err)
{
    struct player *s = context;
    struct bandit_log_counts *c = s->counts;
    double p = x->feedback.p > 0 ? x->feedback.p : s->replay->p;
    int64_t shown = labels_require(bandit_labels(s->b), x->label, NULL, x->line, err);
    if (shown < 0)
        return -1;
    c->shown[shown]++;
    c->small += p * BANDIT_SMALL_P < 1;
    p = p > s->replay->least_p ? p : s->replay->least_p;
    if ((c->rounds >= s->replay->head && c->rounds < s->replay->n
         && hold_out(s, x, shown, p, err) != 0)
        || bandit_score(s->b, x, err) != 0
        || bandit_learn(s->b, x, shown, p, x->feedback.f, err) != 0)
        return -1;
    c->rounds++;
    c->right += x->feedback.f;
    return 0;
}

int bandit_replay(struct bandit *b, const struct bandit_source *source,
                  const struct bandit_replay *replay, struct bandit_log_counts *counts,
                  struct error *err)
{
    struct player s = {.b = b,
                       .replay = replay,
                       .counts = counts,
                       .judge = weights_make(bandit_labels(b)->count, 0)};
    int status = source->held ? bandit_grow(b, source->held->d, err) : 0;
    if (status == 0)
        status = bandit_source_run(source, learn, &s, err);
    weights_free(&s.judge);
    memory_free(s.scores);
    return status;
}
