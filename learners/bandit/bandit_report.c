/* The lines of the report, of --report and of the warnings, each written in one place. */
#include "learners/bandit/bandit_report.h"

#include "common/base/memory.h"
#include "common/base/number.h"
#include "learners/bandit/bandit_rule.h"

/* ---- of all sources ---- */

void bandit_report_memory(const struct findings *to, const struct bandit_options *o, int64_t K,
                          double data, int64_t d, bool grows)
{
    char data_text[32], model_text[32], classes[NUMBER_COUNTED], features[NUMBER_COUNTED];
    char kept[64] = "";
    const int64_t limit = bandit_feature_limit(o, K); /* < 0: the first example will be refused */
    if (grows && !(data > 0) && d > limit)
        d = limit > 0 ? limit : 0;
    if (o->rule->estimates_rates)
        snprintf(kept, sizeof kept, ", and %lld rounds are kept", (long long)o->period);
    memory_text(bandit_bytes(o, K, d), model_text);
    number_counted(K, "class", classes);
    if (data > 0)
        findings_say(to, "%s; memory: %s for the data, %s for the model%s", classes,
                     memory_text(data, data_text), model_text, kept);
    else
        findings_say(to, "%s; memory: %s for %s%s%s", classes, model_text,
                     number_counted(d, "feature", features), grows ? ", growing with them" : "",
                     kept);
}

void bandit_warn_rounds(const struct findings *to, int64_t rounds, int64_t K, int64_t n)
{
    char seen[NUMBER_COUNTED];
    number_counted(rounds, "round", seen);
    if (rounds < K)
        findings_warn(to, "%s for %lld classes: some class was never shown", seen, (long long)K);
    else if (rounds < n)
        findings_warn(to, "%s for %lld examples: some were never used (-i)", seen, (long long)n);
}

void bandit_report_rates(const struct findings *to, const struct bandit *b, int64_t rounds)
{
    const double *rho = bandit_rates(b);
    const struct bandit_options *o = bandit_get_options(b);
    if (!o->rule->estimates_rates)
        return;
    if (rounds >= o->period)
        findings_say(to, "estimated noise rates: rho0 = %.4g, rho1 = %.4g", rho[0], rho[1]);
    else
        findings_warn(to,
                      "the noise rates were not estimated: %lld rounds are fewer than the period, "
                      "%lld (-n); rho0 = %.4g and rho1 = %.4g %s",
                      (long long)rounds, (long long)o->period, rho[0], rho[1],
                      rho[0] + rho[1] > 0 ? "are those of the model (-m)" : "were assumed");
    for (int f = 0; f < 2; f++)
        report_number_of(to->report, REPORT_RATE, f, rho[f]);
}

/* ---- simulated feedback ---- */

void bandit_report_simulated(const struct findings *to, const struct bandit_counts *c)
{
    const double shown = (double)c->shown_wrong / (double)c->rounds,
                 argmax = (double)c->greedy_wrong / (double)c->rounds;
    char rounds[NUMBER_COUNTED];
    if (c->rounds > 0)
        findings_say(to, "%s: error on shown labels %.4g%%, error of the argmax %.4g%%",
                     number_counted(c->rounds, "round", rounds), 100 * shown, 100 * argmax);
    report_count(to->report, REPORT_ROUNDS, c->rounds);
    report_number(to->report, REPORT_ERROR_SHOWN, shown);
    report_number(to->report, REPORT_ERROR_ARGMAX, argmax);
}

/* ---- a log ---- */

void bandit_report_log(const struct findings *to, const struct bandit_log_counts *c)
{
    char rounds[NUMBER_COUNTED];
    findings_say(to, "%s, %lld of them right", number_counted(c->rounds, "round", rounds),
                 (long long)c->right);
    report_count(to->report, REPORT_ROUNDS, c->rounds);
    report_count(to->report, REPORT_RIGHT, c->right);
}

static void bandit_warn_small(const struct findings *to, const struct bandit_log_counts *c)
{
    char small[NUMBER_COUNTED];
    if (c->small > 0)
        findings_warn(to,
                      "a propensity below 1/%d in %s: each weighs more than %d others (--least-p "
                      "bounds that)",
                      BANDIT_SMALL_P, number_counted(c->small, "round", small), BANDIT_SMALL_P);
}

static void bandit_warn_unseen(const struct findings *to, const struct bandit_log_counts *c,
                               const struct labels *labels)
{
    struct findings_list never = {0};
    for (int64_t k = 0; k < labels->count; k++)
        if (c->shown[k] == 0)
            findings_list_add(&never, "%ld", (long)labels->value[k]);
    if (never.count > 0)
        findings_warn(to, "labels that were never shown, nothing can be learnt of them: %s",
                      findings_list_text(&never));
}

/* Of propensities and of noise rates that are wrong by the held-out part of a log. */
static void bandit_warn_doubt(const struct findings *to, const struct bandit_value *value,
                              bool bounded)
{
    const struct bandit_estimate e = bandit_value_estimate(value);
    char text[BANDIT_DOUBT_TEXT];
    if (bandit_doubt_text(&e, bounded, text))
        findings_warn(to, "%s", text);
    if (bandit_rates_text(&e, text))
        findings_warn(to, "%s", text);
}

static void bandit_warn_alike(const struct findings *to, const struct bandit_log_counts *c,
                              int64_t K, bool bounded)
{
    const bool all_right = bandit_all_right(c->right, c->rounds) && c->value.rounds > 0;
    int64_t shown = 0;
    for (int64_t k = 0; k < K; k++)
        shown += c->shown[k] > 0;
    if (all_right)
        findings_warn(to,
                      "all of %lld rounds were called right: by these every classifier has the "
                      "same SNIPS (are the wrong ones missing?)",
                      (long long)c->rounds);
    if (c->certain == c->rounds && shown > 1)
        findings_warn(to,
                      "all propensities are 1, though %lld labels were shown: the log does not "
                      "tell how others would have fared, and IPS and SNIPS may be far off",
                      (long long)shown);
    else if (!all_right) /* which would explain it */
        bandit_warn_doubt(to, &c->value, bounded);
}

void bandit_warn_judged(const struct findings *to, const struct bandit_log_counts *c,
                        int64_t classes, bool bounded)
{
    bandit_warn_small(to, c);
    bandit_warn_alike(to, c, classes, bounded);
}

void bandit_warn_log(const struct findings *to, const struct bandit_log_counts *c,
                     const struct labels *labels, bool resumed, bool bounded)
{
    bandit_warn_small(to, c);
    if (!resumed)
        bandit_warn_unseen(to, c, labels);
    if (c->rounds < labels->count)
        return; /* bandit_warn_rounds tells */
    if (c->right == 0)
        findings_warn(to, "none of %lld rounds was called right: no label can be learnt from that",
                      (long long)c->rounds);
    bandit_warn_alike(to, c, labels->count, bounded);
}

void bandit_report_value(const struct findings *to, const struct bandit_value *value, int64_t head,
                         bool goes_on)
{
    const struct bandit_estimate e = bandit_value_estimate(value);
    if (value->rounds == 0) {
        findings_say(to,
                     "no estimate of the accuracy: the rounds end before those that are held out, "
                     "from %lld on",
                     (long long)head + 1);
        return;
    }
    char learnt[NUMBER_COUNTED], judged[NUMBER_COUNTED], text[BANDIT_ESTIMATE_TEXT];
    findings_say(to, "accuracy of the classifier of the first %s%s, by the %s after them:",
                 number_counted(head, "round", learnt), goes_on ? " of the first pass" : "",
                 number_counted(value->rounds, "round", judged));
    findings_say(to, "%s", bandit_ips_text(&e, text));
    report_number(to->report, REPORT_IPS, e.ips);
    report_number(to->report, REPORT_IPS_SE, e.ips_error);
    findings_say(to, "%s",
                 bandit_snips_text(&e, "no label that it would have shown was shown", text));
    report_number(to->report, REPORT_SNIPS, e.snips);
    report_number(to->report, REPORT_SNIPS_SE, e.snips_error);
}

/* ---- a live loop ---- */

void bandit_warn_mended(const struct findings *to, const char *record,
                        enum bandit_live_mended mended)
{
    if (mended == BANDIT_LIVE_DROPPED)
        findings_warn(to, "%s had only the beginning of a line, which was dropped", record);
    if (mended == BANDIT_LIVE_ENDED)
        findings_warn(to,
                      "%s ended in the middle of a line: a newline was added, and its last round "
                      "may be cut short",
                      record);
}

void bandit_report_live(const struct findings *to, const struct bandit_live_counts *c)
{
    findings_say(to,
                 "questions: %lld, feedback: %lld, right: %lld, lines refused: %lld, questions "
                 "forgotten: %lld",
                 (long long)c->questions, (long long)c->learnt, (long long)c->right,
                 (long long)c->refused, (long long)c->forgotten);
    report_count(to->report, REPORT_QUESTIONS, c->questions);
    report_count(to->report, REPORT_FEEDBACK, c->learnt);
    report_count(to->report, REPORT_RIGHT, c->right);
    report_count(to->report, REPORT_REFUSED, c->refused);
    report_count(to->report, REPORT_FORGOTTEN, c->forgotten);
    if (c->refused > 0)
        findings_warn(to, "lines refused, from which nothing is learnt: %lld",
                      (long long)c->refused);
}
