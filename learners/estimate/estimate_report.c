/* The lines of the table, of the choices and of the warnings, each written in one place. */
#include "learners/estimate/estimate_report.h"

#include "common/base/number.h"
#include "common/base/reduce.h"
#include "common/data/neighbours.h"
#include "common/data/odd_values.h"

enum { ESTIMATE_MAP_TEXT = 120, ESTIMATE_OTHERS_TEXT = NUMBER_COUNTED + 16 };

/* Noise that may have been missed, from which on it is warned of.  A rule of thumb: unless classes
 * overlap, it is at most .015 on clean labels, and on noisy ones about what there is
 * (experiments/forward/choices.md). */
static const double estimate_worth_telling = 0.05;

static const char *estimate_metric_text(const struct feature_metric *metric)
{
    if (metric->triangle)
        return ", in a metric of the features";
    return metric->scale ? ", of scaled features" : "";
}

/* What the classifier has in place of the examples, in words: features of a map, or lengths and a
 * bias; "" for the examples as they are.  text: out.  Returns text. */
static char *estimate_map_text(const struct estimate *e, char text[ESTIMATE_MAP_TEXT])
{
    const struct estimate_input *input = &e->input;
    text[0] = '\0';
    if (input->map)
        snprintf(text, ESTIMATE_MAP_TEXT, "%lld Nystrom features, gamma %.6g%s%s",
                 (long long)input->map->dims, input->map->gamma,
                 input->at_length ? " (not at unit length)" : "",
                 estimate_metric_text(&input->map->metric));
    else if (input->lengthed.n > 0)
        snprintf(text, ESTIMATE_MAP_TEXT, "not at unit length, with a bias (-l 0 -B %g)%s",
                 input->bias, input->scale ? ", of scaled features" : "");
    return text;
}

/* ---- the matrix ---- */

static void estimate_report_numbers(const struct estimate *e, const struct labels *labels,
                                    struct report *report)
{
    const int64_t K = e->classes;
    report_number(report, REPORT_LIKELIHOOD, e->likelihood);
    report_number(report, REPORT_FOURIER_GAMMA, e->matrix.gamma);
    for (int64_t k = 0; k < K; k++) {
        const int64_t label = labels->value[k];
        report_number_of(report, REPORT_CLASS_SHARE, label, e->share[k]);
        report_number_of(report, REPORT_CLASS_NOISE_RATE, label, 1 - e->matrix.c[k * K + k]);
        report_number_of(report, REPORT_CLASS_NOISE_RATE_SE, label, e->matrix.standard_error[k]);
        report_count_of(report, REPORT_CLASS_IDENTIFIABLE, label, !e->matrix.doubtful[k]);
    }
}

static void estimate_print_matrix(const struct estimate *e, const struct labels *labels, FILE *out)
{
    const int64_t K = e->classes;
    char map[ESTIMATE_MAP_TEXT];
    fprintf(out, "estimated from the labels%s",
            e->matrix.gamma > 0 ? ", through random Fourier features" : "");
    estimate_map_text(e, map);
    if (e->input.map && e->classifier.kind == ESTIMATE_SOFTMAX)
        fprintf(out, "; probabilities by %s", map);
    else if (!e->input.map && map[0])
        fprintf(out, ", %s", map);
    fprintf(out, ": mean log-likelihood %.6g", e->likelihood);
    if (e->classifier.kind == ESTIMATE_RIDGE) /* after the likelihood, that of softmax regression */
        fprintf(out, "; probabilities by kernel ridge regression on %s", map);
    fprintf(out, "\nclass          share  noise rate +- standard error\n");
    for (int64_t k = 0; k < K; k++)
        fprintf(out, "%-12ld %7.4f  %.4f +- %.4f\n", (long)labels->value[k], e->share[k],
                1 - e->matrix.c[k * K + k], e->matrix.standard_error[k]);
}

/* Of classifier and matrix together.  by_chance: what that means; before, after: what is said of a
 * misfit beside its usual causes. */
static void estimate_warn_of_fit(const struct estimate *e, const char *by_chance,
                                 const char *before, const char *after, const struct findings *to)
{
    if (e->by_chance)
        findings_warn(to, "held-out labels are predicted no better than by chance: %s", by_chance);
    if (e->poor_gamma > 0)
        findings_warn(to,
                      "held-out labels are likelier by a linear classifier than through a kernel "
                      "with gamma %g: try another gamma, or -t auto",
                      e->poor_gamma);
    if (e->misfit > 0)
        findings_warn(to,
                      "the labels are %.1f points further from the predicted probabilities than "
                      "chance allows: %sthe noise depends on the example, or the %s%s",
                      100 * e->misfit, before,
                      e->p_given ? "probabilities are poor, or of examples that were learnt from"
                                 : "features are too poor",
                      after);
}

static void estimate_warn_of_doubtful(const struct estimate *e, const struct labels *labels,
                                      const struct findings *to)
{
    struct findings_list doubtful = {0};
    for (int64_t k = 0; k < e->classes; k++)
        if (e->matrix.doubtful[k])
            findings_list_add(&doubtful, "%ld", (long)labels->value[k]);
    if (doubtful.count == 1)
        findings_warn(to,
                      "noise of class %s is not identifiable from these labels: treat its column "
                      "with caution",
                      findings_list_text(&doubtful));
    else if (doubtful.count > 1)
        findings_warn(to,
                      "noise of %lld classes is not identifiable from these labels: treat their "
                      "columns with caution: %s",
                      (long long)doubtful.count, findings_list_text(&doubtful));
}

void estimate_report_matrix(const struct estimate *e, const struct labels *labels,
                            const struct findings *to)
{
    if (e->by_chance && !e->p_given) {
        estimate_warn_of_fit(e, "there may be nothing to learn here, and labels are taken as right",
                             "", "", to);
        return;
    }
    estimate_report_numbers(e, labels, to->report);
    if (to->out)
        estimate_print_matrix(e, labels, to->out);
    estimate_warn_of_fit(e, "there may be nothing to learn here, and noise rates mean nothing", "",
                         "; noise rates may be far off", to);
    estimate_warn_of_doubtful(e, labels, to);
    if (e->matrix.passed_over >= estimate_worth_telling)
        findings_warn(to,
                      "no noise was found, but a matrix by which %.0f %% of the labels are wrong "
                      "explains them about as well",
                      100 * e->matrix.passed_over);
    if (e->matrix.disagreement >= ESTIMATE_DISAGREEMENT)
        findings_warn(to,
                      "EM from two starting points found matrices that explain %.0f %% of the "
                      "labels by different classes: the matrix may be wrong by more than its "
                      "standard errors",
                      100 * e->matrix.disagreement);
}

void estimate_check_given(const struct estimate *e, const struct findings *to)
{
    estimate_warn_of_fit(e, "there may be nothing to learn here",
                         "the matrix given is not theirs, ", "", to);
}

/* ---- the data ---- */

int estimate_note_neighbours(const struct labelled *data, int64_t seed, const struct findings *to,
                             struct error *err)
{
    struct neighbours found;
    if (data->first || data->problem->disk || reduce_ranks() > 1)
        return 0;
    if (neighbours_find(data, seed, &found, err) != 0)
        return -1;
    if (neighbours_are_alike(&found))
        findings_note(
            to,
            "lines that follow each other are alike (in %lld of %lld pairs the next one is "
            "nearer than %d others of its class): wrong labels that they share are not "
            "found, unless --groups names lines that belong together",
            (long long)found.nearest, (long long)found.asked, NEIGHBOURS_OTHERS);
    return 0;
}

/* After a warning of one of these features.  text: out.  Returns text. */
static char *estimate_others_text(int64_t features, char text[ESTIMATE_OTHERS_TEXT])
{
    char counted[NUMBER_COUNTED];
    text[0] = '\0';
    if (features > 1)
        snprintf(text, ESTIMATE_OTHERS_TEXT, " (also %s)",
                 number_counted(features - 1, "other feature", counted));
    return text;
}

static void estimate_warn_of_stand_in(const struct odd_stand_in *odd, int64_t feature,
                                      const struct findings *to)
{
    char others[ESTIMATE_OTHERS_TEXT];
    findings_warn(to,
                  "feature %lld is %g in %.3g %% of the lines, and from %g to %g in the others: "
                  "if that means missing, leave it out there and mark these lines by a feature "
                  "of their own%s",
                  (long long)feature, odd->value, 100 * odd->share, odd->from, odd->to,
                  estimate_others_text(odd->features, others));
}

static void estimate_warn_of_tails(const struct odd_tails *odd, int64_t feature,
                                   const struct findings *to)
{
    char others[ESTIMATE_OTHERS_TEXT], times[32] = "over a million";
    if (odd->times < 1e6)
        snprintf(times, sizeof times, "%.0f", odd->times);
    findings_warn(to,
                  "some values of feature %lld are %s times as far from its median as half of "
                  "them are: %s may tell more%s",
                  (long long)feature, times,
                  odd->negative ? "log(1 + |x|) with the sign of x" : "its logarithm",
                  estimate_others_text(odd->features, others));
}

static void estimate_warn_of_singles(double part, const struct findings *to)
{
    findings_warn(to,
                  "in %.3g %% of the lines a single value, not always of the same feature, makes "
                  "up nearly all of the length: log(1 + |x|) with the sign of x may tell more",
                  100 * part);
}

int estimate_warn_of_values(const struct problem *problem, const struct example_format *format,
                            const struct feature_numbers *numbers, int64_t seed,
                            const struct findings *to, struct error *err)
{
    struct odd_values odd;
    if (reduce_ranks() > 1 || format->map || (format->unit_length && !problem->keeps_lengths))
        return 0;
    if (odd_values_find(problem, seed, &odd, err) != 0)
        return -1;
    if (odd.stand_in.features > 0)
        estimate_warn_of_stand_in(
            &odd.stand_in, feature_numbers_in_file(numbers, odd.stand_in.index, format->zero_based),
            to);
    if (odd.tails.features > 0)
        estimate_warn_of_tails(
            &odd.tails, feature_numbers_in_file(numbers, odd.tails.index, format->zero_based), to);
    else if (odd.single > 0)
        estimate_warn_of_singles(odd.single, to);
    return 0;
}

/* ---- the choices ---- */

void estimate_tell_linear(const struct estimate_options *options, const struct findings *to)
{
    if (options->lacks_memory)
        findings_warn(to,
                      "the data do not fit in memory for -t auto: this is softmax regression, no "
                      "kernel is tried");
    if (options->linear_for)
        findings_note(to, "with %s this is softmax regression: no kernel is tried",
                      options->linear_for);
}

/* Which of two classifiers is taken: the one in place of softmax regression, `what`, or not. */
static void estimate_print_taken(const struct findings *to, const char *what, double softmax,
                                 double other, bool taken)
{
    findings_say(to,
                 "held-out decisions: log-likelihood %.4f by softmax regression, %.4f by %s: %s is "
                 "taken%s",
                 softmax, other, what, taken ? "the latter" : "the former",
                 taken == (other > softmax) ? "" : " (chance could make as much)");
}

void estimate_print_choices(const struct estimate *e, const struct findings *to)
{
    const struct kernel_ridge *ridge = &e->ridge;
    const struct estimate_svm *svm = &e->svm;
    char steps[NUMBER_COUNTED] = "", map[ESTIMATE_MAP_TEXT], what[64];
    if (e->classifier.steps > 0)
        number_counted(e->classifier.steps, "step", steps);
    estimate_map_text(e, map);
    findings_say(to, "lambda %g%s%s%s%s", e->classifier.lambda, e->classifier.steps > 0 ? ", " : "",
                 steps, map[0] ? ", " : "", map);
    if (ridge->strict.ridge > 0) {
        snprintf(what, sizeof what, "kernel ridge regression (ridge %g)", ridge->strict.ridge);
        estimate_print_taken(to, what, ridge->softmax_likelihood, ridge->likelihood,
                             e->classifier.kind == ESTIMATE_RIDGE);
    }
    if (svm->cost > 0) {
        snprintf(what, sizeof what, "a multiclass SVM (C %g)", svm->cost);
        estimate_print_taken(to, what, svm->softmax_likelihood, svm->likelihood,
                             e->classifier.kind == ESTIMATE_SVM);
    }
}

void estimate_report_choices(const struct estimate *e, struct report *report)
{
    const double ridge = e->ridge.strict.ridge, cost = e->svm.cost;
    if (e->input.lengthed.n > 0)
        report_count(report, REPORT_LENGTHS, 1);
    if (ridge > 0) /* tried; 0 is reported where it is not taken */
        report_number(report, REPORT_RIDGE, e->classifier.kind == ESTIMATE_RIDGE ? ridge : 0);
    if (cost > 0)
        report_number(report, REPORT_SVM, e->classifier.kind == ESTIMATE_SVM ? cost : 0);
    feature_map_report(e->input.map, report);
}
