/* Lines are those of stream_line.h; what each must hold depends on the first one. */
#include "common/model/predictions.h"

#include "common/base/memory.h"
#include "common/data/stream_line.h"

#include <math.h>
#include <string.h>

/* How far from 1 the probabilities of a line may sum: each may err by 5e-4, as three decimals do.
 * With 200 classes and more that would be anything, so no farther than a tenth.  What is farther
 * off is no probability but a score, or a row of another file. */
static double predictions_tolerance(const struct predictions *p)
{
    return fmin(5e-4 * (double)p->columns, 0.1);
}

/* The sum is rounded, too: a line that is off by just the tolerance is within it. */
static const double predictions_rounding = 1e-9;

/* What is most often given in place of probabilities: of this toolkit only the forward programs
 * write these. */
static const char predictions_scores[] = " (are they scores?)";

/* ---- the first line ---- */

/* Say more of a label of the first line that is no whole number.  Returns -1. */
static int predictions_explain_head(struct error *err)
{
    const size_t used = strlen(err->message);
    snprintf(err->message + used, sizeof err->message - used,
             " (the labels are those of the data: 1 for 1.0, numbers for words)");
    return -1;
}

/* The labels of the first line, after the word `labels`. */
static int predictions_read_head(struct predictions *p, struct error *err)
{
    int64_t label;
    int status;
    p->has_head = true;
    while ((status = text_int(&p->text, INT32_MIN, INT32_MAX, &label, err)) > 0) {
        int32_t *more = memory_reserve(p->head, &p->head_capacity, p->columns + 1, sizeof *more,
                                       err);
        if (!more)
            return -1;
        p->head = more;
        p->head[p->columns++] = (int32_t)label;
    }
    if (status < 0)
        return predictions_explain_head(err);
    p->score = memory_new(p->columns, sizeof *p->score, err);
    return p->score ? 0 : -1;
}

int predictions_open(struct predictions *p, const char *path, struct error *err)
{
    const struct stream_options options = {.threads = 1, .text_only = true};
    *p = (struct predictions){0};
    if (!(p->stream = stream_open(path, &options, err)))
        return -1;
    p->text.name = stream_name(p->stream);
    const int status = stream_line(p->stream, &p->text, err);
    if (status <= 0)
        return status;
    if (text_token(&p->text) && text_is(&p->text, "labels"))
        return predictions_read_head(p, err);
    p->text.token = p->text.p = p->text.line;
    p->pending = true;
    return 0;
}

/* ---- predictions ---- */

/* A score that must be a probability. */
static int predictions_check_score(const struct predictions *p, double score, struct error *err)
{
    if (score >= 0 && score <= 1 + predictions_tolerance(p))
        return 0;
    return text_refuse(&p->text, err, "not a probability: %g%s", score, predictions_scores);
}

/* A line that must be a label of the head and probabilities. */
static int predictions_check_line(struct predictions *p, struct error *err)
{
    struct text start = p->text;
    const int64_t predicted = labels_find(&p->labels, p->label);
    double sum = 0, largest = 0, of_predicted = 0;
    start.p = start.line;
    text_token(&start);
    if (predicted < 0)
        return text_refuse(&start, err, "label %lld is not among the %lld of the first line",
                           (long long)p->label, (long long)p->columns);
    for (int64_t k = 0; k < p->columns; k++) {
        sum += p->score[k];
        largest = fmax(largest, p->score[k]);
        if (p->class[k] == predicted)
            of_predicted = p->score[k];
    }
    if (!(fabs(sum - 1) <= predictions_tolerance(p) + predictions_rounding))
        return text_refuse(&start, err,
                           "the probabilities sum to %g, not to 1 within %g (are they scores, or "
                           "rounded to fewer than three decimals?)",
                           sum, predictions_tolerance(p));
    p->unlikely += of_predicted < largest;
    p->certain += largest >= 1;
    return 0;
}

/* Say more of a label that is no whole number.  Returns -1. */
static int predictions_explain_label(const struct predictions *p, struct error *err)
{
    const size_t used = strlen(err->message);
    const char *why = "names are written by --names: predict without it";
    if (p->columns > 0)
        why = "a line is the predicted label, and then a score of each class";
    else if (*p->text.token == '?' && p->text.p == p->text.token + 1)
        why = "--skip-bad writes ? for a line that it skips";
    snprintf(err->message + used, sizeof err->message - used, " (%s)", why);
    return -1;
}

/* Is the line `?` alone? */
static bool predictions_is_gap(const struct predictions *p)
{
    struct text line = p->text;
    return text_token(&line) && text_is(&line, "?") && !text_token(&line);
}

int predictions_next(struct predictions *p, struct error *err)
{
    int status = p->pending ? 1 : stream_line(p->stream, &p->text, err);
    p->pending = false;
    if (status <= 0)
        return status;
    if (p->gaps && predictions_is_gap(p)) {
        p->label = EXAMPLE_UNLABELLED;
        return 1;
    }
    status = text_int(&p->text, INT32_MIN, INT32_MAX, &p->label, err);
    if (status <= 0)
        return status < 0 ? predictions_explain_label(p, err)
                          : text_refuse(&p->text, err, "a label was expected");
    for (int64_t k = 0; k < p->columns; k++) {
        if ((status = text_number(&p->text, &p->score[k], err)) < 0)
            return -1;
        if (status == 0)
            return text_refuse(&p->text, err, "the line ends where score %lld of %lld should be",
                               (long long)(k + 1), (long long)p->columns);
        if (p->probability && predictions_check_score(p, p->score[k], err) != 0)
            return -1;
    }
    if (text_token(&p->text))
        return text_refuse(&p->text, err,
                           p->columns > 0 ? "more scores than labels in the first line"
                                          : "one label a line was expected");
    if (p->probability && predictions_check_line(p, err) != 0)
        return -1;
    return 1;
}

int predictions_require_probabilities(struct predictions *p, struct error *err)
{
    struct text start = p->text;
    start.token = start.line;
    if (!p->has_head)
        return text_refuse(&start, err,
                           "the first line must be `labels` and the classes, as of `-b 1`");
    if (labels_from(p->head, p->columns, &p->labels, err) != 0)
        return -1;
    if (p->labels.count != p->columns)
        return text_refuse(&start, err, "a label is named twice");
    if (p->columns < 2)
        return text_refuse(&start, err, "at least two labels are needed");
    if (!(p->class = memory_new(p->columns, sizeof *p->class, err)))
        return -1;
    for (int64_t k = 0; k < p->columns; k++)
        p->class[k] = labels_find(&p->labels, p->head[k]);
    p->probability = true;
    return 0;
}

void predictions_close(struct predictions *p)
{
    stream_close(p->stream);
    labels_free(&p->labels);
    memory_free(p->class);
    memory_free(p->head);
    memory_free(p->score);
    *p = (struct predictions){0};
}
