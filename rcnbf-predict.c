/* rcnbf-predict: labels for LIBSVM text with a linear model of rcnbf-train or LIBLINEAR; with
 * --log, for a bandit log, by which the model is judged (learners/bandit/bandit_log.h has the
 * formulas). */
#include "common/base/memory.h"
#include "common/base/number.h"
#include "common/program/log_options.h"
#include "common/program/option_rows.h"
#include "common/program/predict_main.h"
#include "learners/bandit/bandit.h"
#include "learners/bandit/bandit_log.h"
#include "learners/bandit/bandit_report.h"

struct judgement {
    bool log;
    const char *propensity_given, *rates_given;
    struct log_propensity propensity;
    double least_p, rates[2];
    double p;             /* of a line that has none */
    struct labels labels; /* of the model */
    int64_t unknown;      /* rounds that showed another label */
    struct bandit_log_counts counts;
};

/* Count a round of the log. */
static void rcnbf_predict_judge(void *context, const struct example *x, int32_t label)
{
    struct judgement *j = context;
    struct bandit_log_counts *c = &j->counts;
    const int64_t shown = labels_find(&j->labels, x->label);
    const double p = bandit_log_count(c, &x->feedback, shown, j->p, j->least_p);
    j->unknown += shown < 0;
    bandit_value_add(&c->value, x->label == label, p, bandit_h(j->rates, x->feedback.f));
}

static int rcnbf_predict_check(void *context, const char *test, struct predict_options *options,
                               struct error *err)
{
    struct judgement *j = context;
    (void)test;
    if (log_options_assumed(j->rates_given, j->rates, err) != 0)
        return -1;
    if (!j->log && (j->propensity_given || j->least_p > 0 || j->rates[0] + j->rates[1] > 0))
        return error_usage(err, "-p, --least-p and -r have no meaning without --log");
    if (!j->log)
        return 0;
    if (options->confusion)
        return error_usage(err, "-m needs the true labels, which a log does not have");
    options->format.log = true;
    options->format.no_propensity = j->propensity_given != NULL;
    options->judge = rcnbf_predict_judge;
    options->judge_context = j;
    return log_options_propensity(j->propensity_given, &j->propensity, err);
}

static int rcnbf_predict_begin(void *context, const struct predict_model *model, const char *test,
                               const struct predict_options *options, struct error *err)
{
    struct judgement *j = context;
    (void)test;
    (void)options;
    j->p = log_options_p(&j->propensity, model->classes);
    if (!(j->counts.shown = memory_new(model->classes, sizeof *j->counts.shown, err)))
        return -1;
    return labels_from(model->label, model->classes, &j->labels, err);
}

/* The values of both policies, for --report, and the warnings of bandit_report.h. */
static void rcnbf_predict_report(const void *context, const struct findings *to)
{
    const struct judgement *j = context;
    if (!j->log)
        return;
    const struct bandit_estimate e = bandit_value_estimate(&j->counts.value);
    struct report *report = to->report;
    report_count(report, REPORT_ROUNDS, j->counts.rounds);
    report_number(report, REPORT_LOGGED, e.logged);
    report_number(report, REPORT_LOGGED_SE, e.logged_error);
    report_number(report, REPORT_IPS, e.ips);
    report_number(report, REPORT_IPS_SE, e.ips_error);
    report_number(report, REPORT_SNIPS, e.snips);
    report_number(report, REPORT_SNIPS_SE, e.snips_error);
    bandit_warn_judged(to, &j->counts, j->labels.count, j->least_p > 0);
    if (j->unknown > 0)
        findings_warn(to, "labels that the model does not know, and never predicts: %lld of %lld",
                      (long long)j->unknown, (long long)j->counts.rounds);
}

/* The same values for people. */
static bool rcnbf_predict_print(const void *context, FILE *out)
{
    const struct judgement *j = context;
    if (!j->log)
        return false;
    const struct bandit_estimate e = bandit_value_estimate(&j->counts.value);
    char rounds[NUMBER_COUNTED], text[BANDIT_ESTIMATE_TEXT];
    fprintf(out, "%s\n", number_counted(j->counts.rounds, "round", rounds));
    fprintf(out, "%s\n", bandit_logged_text(&e, text));
    fprintf(out, "%s\n", bandit_ips_text(&e, text));
    fprintf(out, "%s\n", bandit_snips_text(&e, "no label that the model predicts was shown", text));
    return true;
}

int main(int argc, char **argv)
{
    struct judgement judgement = {.log = false};
    struct option options[] = {
        {ROW_FLAG(0, "log", &judgement.log),
         .help = "the test file is a bandit log: print what the model would have earned in it, and "
                 "what was earned"},
        LOG_OPTION_ROWS(&judgement.propensity_given, &judgement.least_p),
        {ROW_TEXT('r', "rates", &judgement.rates_given, "r0,r1"), .by_default = "0,0",
         .help = "noise rates of the feedback, for which the values are corrected: how often a "
                 "wrong label is called right (rho0) and a right one wrong (rho1)"},
    };
    const struct predict_addition log = {
        .options = options,
        .count = sizeof options / sizeof *options,
        .details =
            "\n\n"
            "With --log the test file is a log of rounds in which some policy showed labels with "
            "known probabilities (propensities), and in place of the accuracy three values are "
            "printed, each with its standard error: the share of right labels of the logging "
            "policy, and two estimates of that share for the model (IPS and SNIPS: inverse "
            "propensities, plain and self-normalized). The log must not be one that the model was "
            "trained on.",
        .check = rcnbf_predict_check,
        .begin = rcnbf_predict_begin,
        .report = rcnbf_predict_report,
        .print = rcnbf_predict_print,
        .context = &judgement};
    const struct predict_program program = {
        .name = "rcnbf-predict",
        .summary = "Predict labels with a linear model of rcnbf-train or LIBLINEAR, or judge one "
                   "on a bandit log.",
        .see_also = "rcnbf-train(1)",
        .examples = "  rcnbf-train -s nsm --random-order -i 20000 data/iris.train iris.model\n"
                    "  rcnbf-predict data/iris.test iris.model labels\n"
                    "  rcnbf-predict --log clicks.blog clicks.model labels\n",
        .addition = &log};
    const int status = predict_main(&program, argc, argv);
    labels_free(&judgement.labels);
    memory_free(judgement.counts.shown);
    return status;
}
