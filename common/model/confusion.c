/* Confusion matrices: reading with many checks, because these files are written by hand.
 *
 * The numbers are put into the order of the ascending labels, and transposed for `rows true`, as
 * they are read; then it is decided whether they are counts or probabilities.  A message about a
 * column goes back to the text to name the line and column of its first entry. */
#include "common/model/confusion.h"

#include "common/base/memory.h"
#include "common/base/number.h"
#include "common/base/text.h"

#include <assert.h>
#include <math.h>
#include <string.h>

const char *const confusion_rows[] = {"observed", "true", NULL};

/* A file while it is read. */
struct confusion_reader {
    struct text text;
    struct text body; /* a copy of text as it was before the rows, to find an entry again */
    bool head, rows_true;
    int64_t *rank; /* K: the position in ascending order of the k-th label of the file */
    struct confusion c;
};

/* Go to the next line, which must start with this keyword.  0 or -1, as all readers below. */
static int confusion_expect(struct confusion_reader *r, const char *keyword, struct error *err)
{
    if (text_line_of_data(&r->text) && text_token(&r->text) && text_is(&r->text, keyword))
        return 0;
    return text_refuse(&r->text, err, "a line with `%s` was expected", keyword);
}

static int confusion_expect_line_end(struct confusion_reader *r, struct error *err)
{
    if (!text_token(&r->text))
        return 0;
    return text_refuse(&r->text, err, "unexpected text at the end of the line");
}

/* The labels, in any order, and their ranks. */
static int confusion_read_labels(struct confusion_reader *r, struct error *err)
{
    struct confusion *c = &r->c;
    for (int64_t k = 0; k < c->classes; k++) {
        int64_t label;
        int status = text_int(&r->text, INT32_MIN, INT32_MAX, &label, err);
        if (status < 0)
            return -1;
        if (status == 0)
            return text_refuse(&r->text, err, "the line ends where label %lld of %lld should be",
                               (long long)(k + 1), (long long)c->classes);
        if (labels_contain(&c->labels, label))
            return text_refuse(&r->text, err, "label %lld is named twice", (long long)label);
        if (labels_add(&c->labels, (int32_t)label, err) != 0)
            return -1;
        r->rank[k] = label; /* the rank itself is known when all labels are */
    }
    labels_settle(&c->labels);
    for (int64_t k = 0; k < c->classes; k++)
        r->rank[k] = labels_find(&c->labels, r->rank[k]);
    return confusion_expect_line_end(r, err);
}

/* Allocate for K classes, if the rest of the file can hold K x K numbers, of a digit and a
 * separator each.  The labels are taken to be in order. */
static int confusion_allocate(struct confusion_reader *r, int64_t K, struct error *err)
{
    if ((double)K * (double)K * 2 > (double)(r->text.end - r->text.line))
        return text_refuse(&r->text, err, "the file is too short for %lld x %lld numbers",
                           (long long)K, (long long)K);
    r->c.classes = K;
    r->c.c = memory_new(K * K, sizeof *r->c.c, err);
    if (!r->c.c)
        return -1;
    r->rank = memory_new(K, sizeof *r->rank, err);
    if (!r->rank)
        return -1;
    for (int64_t k = 0; k < K; k++)
        r->rank[k] = k;
    return 0;
}

/* The head, after the word `confusion`. */
static int confusion_read_head(struct confusion_reader *r, struct error *err)
{
    int64_t version, K;
    if (text_int(&r->text, 1, 1, &version, err) <= 0)
        return text_refuse(&r->text, err,
                           "`confusion 1` was expected: no other version of the format is known");
    if (confusion_expect_line_end(r, err) != 0 || confusion_expect(r, "nr_class", err) != 0)
        return -1;
    const int status = text_int(&r->text, 1, INT32_MAX, &K, err);
    if (status < 0)
        return -1;
    if (status == 0)
        return text_refuse(&r->text, err, "nr_class needs the number of classes");
    if (confusion_allocate(r, K, err) != 0 || confusion_expect_line_end(r, err) != 0
        || confusion_expect(r, "label", err) != 0 || confusion_read_labels(r, err) != 0
        || confusion_expect(r, "rows", err) != 0)
        return -1;
    text_token(&r->text);
    r->rows_true = text_is(&r->text, confusion_rows[1]);
    if (!r->rows_true && !text_is(&r->text, confusion_rows[0]))
        return text_refuse(&r->text, err, "`rows observed` or `rows true` was expected");
    return confusion_expect_line_end(r, err);
}

/* Without a head the first row tells how many classes there are; it will be read again as a row. */
static int confusion_count_columns(struct confusion_reader *r, struct error *err)
{
    struct text row = r->text;
    int64_t K = 0;
    while (text_token(&row))
        K++;
    if (confusion_allocate(r, K, err) != 0)
        return -1;
    r->text.next = r->text.line;
    r->text.number--;
    return 0;
}

/* What comes before the rows. */
static int confusion_read_start(struct confusion_reader *r, struct error *err)
{
    if (!text_line_of_data(&r->text))
        return text_refuse(&r->text, err, "the file is empty: no confusion matrix in it");
    text_token(&r->text);
    r->head = text_is(&r->text, "confusion");
    if (r->head)
        return confusion_read_head(r, err);
    if (!strchr("+-.0123456789", *r->text.token))
        return text_refuse(
            &r->text, err,
            "this is not a confusion matrix: `confusion 1` or a row of numbers was expected");
    r->text.token = r->text.p = r->text.line;
    return confusion_count_columns(r, err);
}

/* Row i of the file into the row or column of C that it belongs to. */
static int confusion_read_row(struct confusion_reader *r, int64_t i, struct error *err)
{
    const int64_t K = r->c.classes;
    struct text *text = &r->text;
    for (int64_t j = 0; j < K; j++) {
        double value;
        int status = text_number(text, &value, err);
        if (status < 0)
            return -1;
        if (status == 0)
            return text_refuse(text, err,
                               "row %lld of the matrix ends where number %lld of %lld should be",
                               (long long)(i + 1), (long long)(j + 1), (long long)K);
        if (value < 0)
            return text_refuse(text, err, "an entry of the matrix is below 0");
        /* Counts up to this are exact, and no sum becomes infinite. */
        if (value > (double)NUMBER_LARGEST_INT)
            return text_refuse(text, err, "an entry of the matrix is too large for a count");
        const int64_t p = r->rank[r->rows_true ? j : i], q = r->rank[r->rows_true ? i : j];
        assert(0 <= p && p < K && 0 <= q && q < K);
        r->c.c[p * K + q] = value + 0.0; /* -0 becomes 0 */
    }
    if (text_token(text))
        return text_refuse(text, err, "row %lld of the matrix has more than %lld numbers",
                           (long long)(i + 1), (long long)K);
    return 0;
}

static int confusion_read_rows(struct confusion_reader *r, struct error *err)
{
    const int64_t K = r->c.classes;
    r->body = r->text;
    for (int64_t i = 0; i < K; i++) {
        if (!text_line_of_data(&r->text))
            return text_refuse(&r->text, err, "the file ends where row %lld of %lld should be",
                               (long long)(i + 1), (long long)K);
        if (confusion_read_row(r, i, err) != 0)
            return -1;
    }
    if (text_line_of_data(&r->text))
        return text_refuse(&r->text, err, "unexpected text after the last row of the matrix");
    return 0;
}

static double confusion_column_sum(const struct confusion *c, int64_t q)
{
    double sum = 0;
    for (int64_t p = 0; p < c->classes; p++)
        sum += c->c[p * c->classes + q];
    return sum;
}

static double confusion_row_sum(const struct confusion *c, int64_t p)
{
    double sum = 0;
    for (int64_t q = 0; q < c->classes; q++)
        sum += c->c[p * c->classes + q];
    return sum;
}

/* Up to the rounding of columns that are written with six digits. */
static bool confusion_is_one(double sum)
{
    return fabs(sum - 1) <= 1e-6;
}

/* Are these counts?  Whole numbers are; where each column is a 1 and zeros, normalising it changes
 * nothing. */
static bool confusion_holds_counts(const struct confusion *c)
{
    for (int64_t i = 0; i < c->classes * c->classes; i++)
        if (c->c[i] > floor(c->c[i]))
            return false;
    return true;
}

static void confusion_divide_column(struct confusion *c, int64_t q, double sum)
{
    for (int64_t p = 0; p < c->classes; p++)
        c->c[p * c->classes + q] /= sum;
}

/* Counts become probabilities.  A class without any example gets the identity's column: nothing is
 * known about it, and trusting its label does the least harm. */
static void confusion_normalise_counts(struct confusion *c)
{
    for (int64_t q = 0; q < c->classes; q++) {
        double sum = confusion_column_sum(c, q);
        if (sum > 0) {
            confusion_divide_column(c, q, sum);
        } else {
            c->c[q * c->classes + q] = 1;
            c->unseen++;
        }
    }
}

/* Refuse the matrix because column q does not sum to 1.  The message names the first entry of that
 * column, which is a row of the file with `rows true`.  Returns -1. */
static int confusion_refuse_sum(struct confusion_reader *r, int64_t q, struct error *err)
{
    static const char *const line[] = {"column", "row"};
    struct text *text = &r->body;
    int64_t position = 0; /* of the class in the file */
    while (r->rank[position] != q)
        position++;
    for (int64_t i = r->rows_true ? position : 0; i >= 0; i--)
        text_line_of_data(text);
    for (int64_t j = r->rows_true ? 0 : position; j >= 0; j--)
        text_token(text);

    char sum[96];
    snprintf(sum, sizeof sum, "%s %lld of the matrix sums to %.7g, not to 1", line[r->rows_true],
             (long long)(position + 1), confusion_column_sum(&r->c, q));
    for (int64_t p = 0; p < r->c.classes; p++)
        if (!confusion_is_one(confusion_row_sum(&r->c, p)))
            return text_refuse(text, err,
                               "%s, and these are not counts: give counts, or more decimals", sum);
    char remedy[64] = "";
    if (r->head)
        snprintf(remedy, sizeof remedy, "; `rows %s` would make it right",
                 confusion_rows[!r->rows_true]);
    return text_refuse(text, err, "%s, but the %ss do: it looks transposed%s", sum,
                       line[!r->rows_true], remedy);
}

/* Turn what was read into probabilities: normalise counts, check sums. */
static int confusion_make_shares(struct confusion_reader *r, struct error *err)
{
    struct confusion *c = &r->c;
    if (confusion_holds_counts(c)) {
        confusion_normalise_counts(c);
        if (c->unseen < c->classes)
            return 0;
        text_line_of_data(&r->body);
        return text_refuse(&r->body, err, "all entries of the matrix are 0");
    }
    for (int64_t q = 0; q < c->classes; q++) {
        double sum = confusion_column_sum(c, q);
        if (!confusion_is_one(sum))
            return confusion_refuse_sum(r, q, err);
        /* Sums that differ from 1 by rounding only are left alone, so that a matrix that was
         * written is read back to the bit. */
        if (fabs(sum - 1) > 4e-16 * (double)c->classes)
            confusion_divide_column(c, q, sum);
    }
    return 0;
}

int confusion_read(const char *path, struct confusion *confusion, struct error *err)
{
    struct confusion_reader r = {0};
    if (text_open(&r.text, path, err) != 0)
        return -1;
    int status = confusion_read_start(&r, err);
    if (status == 0)
        status = confusion_read_rows(&r, err);
    if (status == 0)
        status = confusion_make_shares(&r, err);
    text_close(&r.text);
    memory_free(r.rank);
    if (status == 0)
        *confusion = r.c;
    else
        confusion_free(&r.c);
    return status;
}

int confusion_settle_labels(const struct confusion *confusion, const char *name,
                            const char *labels_source, struct labels *labels, struct error *err)
{
    if (confusion->labels.count == 0)
        return 0;
    if (labels->count == 0)
        return labels_copy(&confusion->labels, labels, err);
    if (labels_equal(&confusion->labels, labels))
        return 0;
    return error_at(err, name, 0, 0, "its labels are not those %s", labels_source);
}

int confusion_make(const struct labels *labels, struct confusion *confusion, struct error *err)
{
    const int64_t K = labels->count;
    struct confusion c = {.classes = K};
    if (memory_check((double)K * (double)K * 8, "the confusion matrix", err) != 0
        || !(c.c = memory_new(K * K, sizeof *c.c, err))
        || labels_copy(labels, &c.labels, err) != 0) {
        confusion_free(&c);
        return -1;
    }
    *confusion = c;
    return 0;
}

int confusion_from_counts(const int64_t *counts, const struct labels *labels,
                          struct confusion *confusion, struct error *err)
{
    if (confusion_make(labels, confusion, err) != 0)
        return -1;
    for (int64_t i = 0; i < labels->count * labels->count; i++)
        confusion->c[i] = (double)counts[i];
    confusion_normalise_counts(confusion);
    return 0;
}

void confusion_write(const struct confusion *confusion, bool rows_true, struct output *out)
{
    const int64_t K = confusion->classes;
    assert(confusion->labels.count == K);
    output_text(out, "confusion 1\nnr_class %lld\nlabel", (long long)K);
    for (int64_t k = 0; k < K; k++)
        output_text(out, " %ld", (long)confusion->labels.value[k]);
    output_text(out, "\nrows %s\n", confusion_rows[rows_true]);
    for (int64_t i = 0; i < K; i++)
        for (int64_t j = 0; j < K; j++) {
            char text[NUMBER_TEXT + 1];
            char *end = number_write(text, confusion->c[rows_true ? j * K + i : i * K + j]);
            *end++ = j + 1 < K ? ' ' : '\n';
            output_write(out, text, end - text);
        }
}

double confusion_off_diagonal(const struct confusion *confusion)
{
    double sum = 0;
    for (int64_t p = 0; p < confusion->classes; p++)
        for (int64_t q = 0; q < confusion->classes; q++) {
            double share = confusion->c[p * confusion->classes + q];
            sum += p != q ? share * share : 0;
        }
    return sqrt(sum);
}

void confusion_free(struct confusion *confusion)
{
    memory_free(confusion->c);
    labels_free(&confusion->labels);
    *confusion = (struct confusion){0};
}
