#include "common/model/confusion.h"

#include "common/base/memory.h"
#include "common/base/number.h"
#include "common/base/text.h"

#include <math.h>
#include <string.h>

const char *const confusion_rows[] = {"observed", "true", NULL};

/* A file while it is read.  Rows and columns of the file are those of C only after two moves: `rows
 * true` is turned, and its labels, which may stand in any order, are put into ascending order. */
struct reader {
    struct text text;
    struct text body; /* text as it was at the first row: to find the place of an entry again */
    bool head, rows_true;
    int64_t *rank; /* K: the position among the ascending labels of the k-th one in the file */
    struct confusion c;
};

/* Go to the next line, which must start with this keyword. */
static int expect(struct reader *r, const char *keyword, struct error *err)
{
    if (text_line_of_data(&r->text) && text_token(&r->text) && text_is(&r->text, keyword))
        return 0;
    return text_refuse(&r->text, err, "a line with `%s` was expected", keyword);
}

static int expect_line_end(struct reader *r, struct error *err)
{
    return text_token(&r->text)
               ? text_refuse(&r->text, err, "more on this line than there should be")
               : 0;
}

static int read_labels(struct reader *r, struct error *err)
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
        r->rank[k] = label; /* until all are known */
    }
    labels_settle(&c->labels);
    for (int64_t k = 0; k < c->classes; k++)
        r->rank[k] = labels_find(&c->labels, r->rank[k]);
    return expect_line_end(r, err);
}

/* Room for K classes, if the rest of the file can hold their K x K numbers: a digit and a separator
 * each. */
static int make_room(struct reader *r, int64_t K, struct error *err)
{
    if ((double)K * (double)K * 2 > (double)(r->text.end - r->text.line))
        return text_refuse(&r->text, err, "the file is too short for %lld x %lld numbers",
                           (long long)K, (long long)K);
    r->c.classes = K;
    r->c.c = memory_new(K * K, sizeof *r->c.c, err);
    r->rank = r->c.c ? memory_new(K, sizeof *r->rank, err) : NULL;
    for (int64_t k = 0; r->rank && k < K; k++)
        r->rank[k] = k;
    return r->rank ? 0 : -1;
}

/* From behind the word `confusion` on. */
static int read_head(struct reader *r, struct error *err)
{
    int64_t version, K;
    if (text_int(&r->text, 1, 1, &version, err) <= 0)
        return text_refuse(&r->text, err,
                           "`confusion 1` was expected: no other version of the format is known");
    if (expect_line_end(r, err) != 0 || expect(r, "nr_class", err) != 0)
        return -1;
    int status = text_int(&r->text, 1, INT32_MAX, &K, err);
    if (status <= 0)
        return status < 0 ? -1 : text_refuse(&r->text, err, "nr_class needs the number of classes");
    if (make_room(r, K, err) != 0 || expect_line_end(r, err) != 0 || expect(r, "label", err) != 0
        || read_labels(r, err) != 0 || expect(r, "rows", err) != 0)
        return -1;
    text_token(&r->text);
    r->rows_true = text_is(&r->text, confusion_rows[1]);
    if (!r->rows_true && !text_is(&r->text, confusion_rows[0]))
        return text_refuse(&r->text, err, "`rows observed` or `rows true` was expected");
    return expect_line_end(r, err);
}

/* Without a head the first row says how many classes there are; it is read again, as a row. */
static int count_columns(struct reader *r, struct error *err)
{
    struct text row = r->text;
    int64_t K = 0;
    while (text_token(&row))
        K++;
    if (make_room(r, K, err) != 0)
        return -1;
    r->text.next = r->text.line;
    r->text.number--;
    return 0;
}

/* What the file holds before the rows. */
static int read_start(struct reader *r, struct error *err)
{
    if (!text_line_of_data(&r->text))
        return text_refuse(&r->text, err, "the file is empty: no confusion matrix in it");
    text_token(&r->text);
    r->head = text_is(&r->text, "confusion");
    if (r->head)
        return read_head(r, err);
    if (!strchr("+-.0123456789", *r->text.token))
        return text_refuse(
            &r->text, err,
            "this is no confusion matrix: `confusion 1` or a row of numbers was expected");
    r->text.token = r->text.p = r->text.line;
    return count_columns(r, err);
}

static int read_row(struct reader *r, int64_t i, struct error *err)
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
        if (value > 0x1p53) /* a count that is exact; so no sum is infinite */
            return text_refuse(text, err, "an entry of the matrix is too large for a count");
        int64_t p = r->rank[r->rows_true ? j : i], q = r->rank[r->rows_true ? i : j];
        r->c.c[p * K + q] = value + 0.0; /* -0 becomes 0 */
    }
    if (text_token(text))
        return text_refuse(text, err, "row %lld of the matrix has more than %lld numbers",
                           (long long)(i + 1), (long long)K);
    return 0;
}

static int read_rows(struct reader *r, struct error *err)
{
    const int64_t K = r->c.classes;
    r->body = r->text;
    for (int64_t i = 0; i < K; i++) {
        if (!text_line_of_data(&r->text))
            return text_refuse(&r->text, err, "the file ends where row %lld of %lld should be",
                               (long long)(i + 1), (long long)K);
        if (read_row(r, i, err) != 0)
            return -1;
    }
    if (text_line_of_data(&r->text))
        return text_refuse(&r->text, err, "the file should have ended: all %lld rows are there",
                           (long long)K);
    return 0;
}

static double column_sum(const struct confusion *c, int64_t q)
{
    double sum = 0;
    for (int64_t p = 0; p < c->classes; p++)
        sum += c->c[p * c->classes + q];
    return sum;
}

static double row_sum(const struct confusion *c, int64_t p)
{
    double sum = 0;
    for (int64_t q = 0; q < c->classes; q++)
        sum += c->c[p * c->classes + q];
    return sum;
}

static bool near_one(double sum)
{
    return fabs(sum - 1) <= 1e-6;
}

/* Do these numbers count something?  Whole, and not all of them shares already. */
static bool holds_counts(const struct confusion *c)
{
    bool shares = true;
    for (int64_t i = 0; i < c->classes * c->classes; i++)
        if (c->c[i] > floor(c->c[i]))
            return false;
    for (int64_t q = 0; q < c->classes; q++)
        shares &= near_one(column_sum(c, q));
    return !shares;
}

static void divide_column(struct confusion *c, int64_t q, double sum)
{
    for (int64_t p = 0; p < c->classes; p++)
        c->c[p * c->classes + q] /= sum;
}

/* Counts become shares.  A class without an example gets the identity's column: nothing is known of
 * it, and to take its label as right does the least harm. */
static void normalise_counts(struct confusion *c)
{
    for (int64_t q = 0; q < c->classes; q++) {
        double sum = column_sum(c, q);
        if (sum > 0) {
            divide_column(c, q, sum);
        } else {
            c->c[q * c->classes + q] = 1;
            c->unseen++;
        }
    }
}

/* Refuse the matrix for the column of class q, which is a row of the file with `rows true`, at its
 * first entry. */
static int refuse_sum(struct reader *r, int64_t q, struct error *err)
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
             (long long)(position + 1), column_sum(&r->c, q));
    for (int64_t p = 0; p < r->c.classes; p++)
        if (!near_one(row_sum(&r->c, p)))
            return text_refuse(text, err, "%s, and these are no counts", sum);
    char remedy[64] = "";
    if (r->head)
        snprintf(remedy, sizeof remedy, "; `rows %s` would make it right",
                 confusion_rows[!r->rows_true]);
    return text_refuse(text, err, "%s, but the %ss do: it looks transposed%s", sum,
                       line[!r->rows_true], remedy);
}

static int make_shares(struct reader *r, struct error *err)
{
    struct confusion *c = &r->c;
    if (holds_counts(c)) {
        normalise_counts(c);
        if (c->unseen < c->classes)
            return 0;
        text_line_of_data(&r->body);
        return text_refuse(&r->body, err, "the matrix counts nothing: all its entries are 0");
    }
    for (int64_t q = 0; q < c->classes; q++) {
        double sum = column_sum(c, q);
        if (!near_one(sum))
            return refuse_sum(r, q, err);
        /* Off by no more than rounding: the entries stay as they are, so that what was written is
         * read back to the bit. */
        if (fabs(sum - 1) > 4e-16 * (double)c->classes)
            divide_column(c, q, sum);
    }
    return 0;
}

int confusion_read(const char *path, struct confusion *confusion, struct error *err)
{
    struct reader r = {0};
    if (text_open(&r.text, path, err) != 0)
        return -1;
    int status = read_start(&r, err) == 0 && read_rows(&r, err) == 0 ? make_shares(&r, err) : -1;
    text_close(&r.text);
    memory_free(r.rank);
    if (status == 0)
        *confusion = r.c;
    else
        confusion_free(&r.c);
    return status;
}

int confusion_settle_labels(const struct confusion *confusion, const char *name,
                            struct labels *labels, struct error *err)
{
    if (confusion->labels.count == 0)
        return 0;
    if (labels->count == 0)
        return labels_copy(&confusion->labels, labels, err);
    return labels_equal(&confusion->labels, labels)
               ? 0
               : error_at(err, name, 0, 0, "its labels are not those of --labels");
}

int confusion_from_counts(const int64_t *counts, const struct labels *labels,
                          struct confusion *confusion, struct error *err)
{
    const int64_t K = labels->count;
    struct confusion c = {.classes = K};
    c.c = memory_new(K * K, sizeof *c.c, err);
    if (!c.c || labels_copy(labels, &c.labels, err) != 0) {
        confusion_free(&c);
        return -1;
    }
    for (int64_t i = 0; i < K * K; i++)
        c.c[i] = (double)counts[i];
    normalise_counts(&c);
    *confusion = c;
    return 0;
}

void confusion_write(const struct confusion *confusion, bool rows_true, struct output *out)
{
    const int64_t K = confusion->classes;
    output_text(out, "confusion 1\nnr_class %lld\nlabel", (long long)K);
    for (int64_t k = 0; k < K; k++)
        output_text(out, " %ld", (long)confusion->labels.value[k]);
    output_text(out, "\nrows %s\n", confusion_rows[rows_true]);
    for (int64_t i = 0; i < K; i++)
        for (int64_t j = 0; j < K; j++) {
            char text[NUMBER_TEXT + 1],
                *end = number_write(text, confusion->c[rows_true ? j * K + i : i * K + j]);
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
