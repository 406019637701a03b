/* Feedback from a log: rounds in which somebody else showed the labels, with known propensities p
 * (format: common/data/example.h).
 *
 * Learning is that of any round, with the p of the log.  What a classifier would have earned is
 * found without true labels too, off-policy: with w = [greedy = shown]/p, and h by the noise rates,
 *
 *   IPS    mean of w h                 standard error: deviation of w h / sqrt(n)
 *   SNIPS  sum of w h / sum of w       standard error: sqrt(sum of w^2 (h - SNIPS)^2) / sum of w
 *   logging policy   mean of h         standard error: deviation of h / sqrt(n)
 *
 * estimate its accuracy, and that of what was shown (Horvitz and Thompson 1952; Swaminathan and
 * Joachims 2015).  The tail of the log is held out for that: each of its rounds is first judged by
 * the classifier as it was when the tail began, and then learnt from like the others, so the model
 * has learnt from the whole log. */
#ifndef LEARNERS_BANDIT_BANDIT_LOG_H
#define LEARNERS_BANDIT_BANDIT_LOG_H

#include "learners/bandit/bandit.h"
#include "learners/bandit/bandit_source.h"

struct bandit_value {
    int64_t rounds, right;       /* right: with f = 1, which h > 0 tells */
    double w, wh, w2, w2h, w2h2; /* sums of products of w, h and their squares */
    double h, h2;
};

/* Count a round.  same: would the classifier have shown the label that was shown? */
void bandit_value_add(struct bandit_value *value, bool same, double p, double h);

struct bandit_estimate {
    /* NaN where a propensity is so small that sums are not finite; snips also when no label was the
     * same. */
    double ips, ips_error, snips, snips_error;
    double logged, logged_error; /* of the policy that made the log */
    double w, w_error; /* mean of w, whose expectation is 1 if the propensities are right */
    int64_t rounds;
};
struct bandit_estimate bandit_value_estimate(const struct bandit_value *value);

/* "logging policy = VALUE +- ERROR", and the same of IPS and SNIPS, without the error of one round,
 * or that it is undefined and why; unshown: why it is where no label was the same.  out:
 * BANDIT_ESTIMATE_TEXT bytes.  Returns out. */
enum { BANDIT_ESTIMATE_TEXT = 128 };
const char *bandit_logged_text(const struct bandit_estimate *e, char *out);
const char *bandit_ips_text(const struct bandit_estimate *e, char *out);
const char *bandit_snips_text(const struct bandit_estimate *e, const char *unshown, char *out);

/* What is wrong with the propensities, which the mean of w tells, for a warning; NULL where it may
 * be 1.  bounded: small propensities were raised, which takes from w.  out: BANDIT_DOUBT_TEXT
 * bytes.  Returns out or NULL. */
enum { BANDIT_DOUBT_TEXT = 256 };
const char *bandit_doubt_text(const struct bandit_estimate *e, bool bounded, char *out);

/* What is wrong with the noise rates, likewise, which e->logged tells; NULL where it may be a
 * share. */
const char *bandit_rates_text(const struct bandit_estimate *e, char *out);

/* Were all of so many rounds called right?  If only these were logged, IPS is too large; and
 * whatever the reason, every classifier has the same SNIPS. */
bool bandit_all_right(int64_t right, int64_t rounds);

struct bandit_replay {
    double p;       /* propensity of lines that have none */
    double least_p; /* smaller ones count as this: less variance, some bias.  0: none do */
    double rho[2];  /* rates for h of the estimate, where the learner's rule has none of its own */
    int64_t head;   /* rounds before the tail that is held out */
    int64_t n; /* rounds in one pass: the tail is head .. n-1.  head = n: nothing is held out */
};

/* A propensity below 1/1000 is worth a warning: one round then weighs more than a thousand. */
enum { BANDIT_SMALL_P = 1000 };

struct bandit_log_counts {
    int64_t rounds, right;     /* learnt from, or judged; with f = 1 */
    int64_t small;             /* with a propensity below 1/BANDIT_SMALL_P */
    int64_t certain;           /* with the propensity 1 */
    int64_t *shown;            /* K, borrowed: rounds that showed this class; added to */
    struct bandit_value value; /* of the tail */
};

/* Count a round that showed class `shown` (-1: none of the K).  Returns the propensity to learn and
 * judge by: that of the line, or p if it has none, but least_p at least. */
double bandit_log_count(struct bandit_log_counts *counts, const struct feedback *feedback,
                        int64_t shown, double p, double least_p);

/* Learn from the rounds of the source.  counts: in and out, zero but for `shown`.  0, or -1 with
 * err; a label that is no class is an error. */
int bandit_replay(struct bandit *b, const struct bandit_source *source,
                  const struct bandit_replay *replay, struct bandit_log_counts *counts,
                  struct error *err);

#endif
