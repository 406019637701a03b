/* Each example counts once, by its label; what is expected is the sum of 1 - score. */
#include "learners/suspects/suspects_table.h"

#include "common/base/memory.h"
#include "common/base/number.h"
#include "learners/noise/label_weights.h"

#include <math.h>

static const double suspects_usual_threshold = 0.5; /* a lower one is asked for */
static const double suspects_errors = 2; /* standard errors of how many are wrong: chance seldom
                                            makes as much */

/* What the table says of a class. */
struct suspects_row {
    int64_t examples; /* with this label */
    int64_t below;    /* examples with this label and a score below the threshold */
    double wrong;     /* expected number of wrong labels */
    double variance;  /* of that number */
};

/* rows: K, zero before; out. */
static void suspects_count_rows(const struct suspects *s, struct suspects_row *rows)
{
    for (int64_t place = 0; place < s->data->problem.n; place++) {
        const struct suspicion *is = &s->list[place];
        struct suspects_row *row = &rows[s->data->y[is->i]];
        row->examples++;
        row->below += suspects_is_below(s, is);
        row->wrong += 1 - is->score;
        row->variance += is->score * (1 - is->score);
    }
}

static void suspects_print_row(FILE *out, const struct names *names, int32_t label,
                               const struct suspects_row *row)
{
    fprintf(out, "%-9ld %8lld  %14.1f  %9lld", (long)label, (long long)row->examples, row->wrong,
            (long long)row->below);
    if (names)
        names_print(out, names, label);
    fputc('\n', out);
}

static void suspects_report_row(struct report *found, int32_t label, const struct suspects_row *row)
{
    report_count_of(found, REPORT_CLASS_EXAMPLES, label, row->examples);
    report_number_of(found, REPORT_CLASS_EXPECTED_WRONG, label, row->wrong);
    report_count_of(found, REPORT_CLASS_SUSPECTS, label, row->below);
}

/* A class of which hardly a label is left may be lost to a classifier of what is written. */
static void suspects_warn_lost(const struct suspects *s, int64_t k, const struct suspects_row *row,
                               const struct findings *to)
{
    const double size = s->data->estimate.share[k] * (double)s->data->problem.n;
    const int64_t left = row->examples - row->below;
    if (row->examples > 0 && size >= 1 && (double)left < size * LABEL_WEIGHTS_LEAST)
        findings_warn(to,
                      "class %ld: %lld of its %lld labels are left, though some %.0f examples are "
                      "of it: a lower --threshold leaves more",
                      (long)s->data->labels.value[k], (long long)left, (long long)row->examples,
                      size);
}

/* Where wrong labels are hard to tell, few scores are below the threshold: so short a list must not
 * pass for that of clean data. */
static void suspects_note_doubt(const struct suspects *s, const struct suspects_row *all,
                                const struct findings *to)
{
    const int64_t wrong = llround(all->wrong);
    char expected[NUMBER_COUNTED];
    if (s->threshold >= suspects_usual_threshold
        && all->wrong - (double)all->below > suspects_errors * sqrt(all->variance))
        findings_note(to, "%s expected, %lld listed: -n %lld lists as many",
                      number_counted(wrong, "wrong label", expected), (long long)all->below,
                      (long long)wrong);
}

int suspects_report_table(const struct suspects *s, const struct suspects_table *table,
                          const struct findings *to, struct error *err)
{
    const struct labels *labels = &s->data->labels;
    struct suspects_row all = {0}, *rows = memory_new(labels->count, sizeof *rows, err);
    if (!rows)
        return -1;
    suspects_count_rows(s, rows);
    findings_say(to, "label     examples  expected wrong  below %g%s", s->threshold,
                 table->names ? "  name" : "");
    for (int64_t k = 0; k < labels->count; k++) {
        if (to->out)
            suspects_print_row(to->out, table->names, labels->value[k], &rows[k]);
        suspects_report_row(to->report, labels->value[k], &rows[k]);
        all.wrong += rows[k].wrong;
        all.variance += rows[k].variance;
        all.below += rows[k].below;
    }
    report_count(to->report, REPORT_SUSPECTS, all.below);
    for (int64_t k = 0; k < labels->count; k++)
        if (table->cleans)
            suspects_warn_lost(s, k, &rows[k], to);
    if (table->lists)
        suspects_note_doubt(s, &all, to);
    memory_free(rows);
    return 0;
}
