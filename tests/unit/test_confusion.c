/* Confusion matrices: what their files may look like, what is refused and where, and that writing
 * and reading is exact. */
#include "check.h"
#include "common/base/memory.h"
#include "common/base/random.h"
#include "common/model/confusion.h"
#include "common/model/confusion_option.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[] = "/tmp/test_confusion.XXXXXX";

static int put_file(const char *text, size_t size)
{
    FILE *f = fopen(path, "wb");
    return f && fwrite(text, 1, size, f) == size && fclose(f) == 0 ? 0 : -1;
}

static int read_bytes(const char *text, size_t size, struct confusion *c, struct error *err)
{
    *c = (struct confusion){0};
    *err = (struct error){0};
    CHECK(put_file(text, size) == 0, "the test's file");
    return confusion_read(path, c, err);
}

static int read_text(const char *text, struct confusion *c, struct error *err)
{
    return read_bytes(text, strlen(text), c, err);
}

/* The text is taken, and C is exactly this, with these labels (NULL: none). */
static void check_read(const char *text, int64_t K, const int32_t *label, const double *want,
                       int64_t unseen)
{
    struct confusion c;
    struct error err;
    int status = read_text(text, &c, &err);
    CHECK(status == 0, "refused: %lld:%lld: %s", (long long)err.line, (long long)err.column,
          err.message);
    if (status != 0)
        return;
    CHECK_INT(c.classes, K, "classes");
    CHECK_INT(c.labels.count, label ? K : 0, "labels");
    CHECK_INT(c.unseen, unseen, "classes without examples");
    for (int64_t k = 0; label && k < K; k++)
        CHECK_INT(c.labels.value[k], label[k], "label %lld", (long long)k);
    for (int64_t i = 0; i < K * K; i++)
        CHECK(memcmp(&c.c[i], &want[i], sizeof *want) == 0, "entry %lld is %.17g, not %.17g",
              (long long)i, c.c[i], want[i]);
    confusion_free(&c);
}

static void check_refused(const char *text, int64_t line, int64_t column, const char *message)
{
    struct confusion c;
    struct error err;
    CHECK(read_text(text, &c, &err) == -1, "taken: %s", text);
    CHECK(c.c == NULL && c.labels.value == NULL, "outputs are touched");
    CHECK(strcmp(err.file, path) == 0, "file \"%s\"", err.file);
    CHECK(err.line == line && err.column == column && strcmp(err.message, message) == 0,
          "%lld:%lld: %s", (long long)err.line, (long long)err.column, err.message);
    confusion_free(&c);
}

static void check_forms(void)
{
    static const int32_t labels[] = {-3, 2, 7};
    /* Columns sum to 1 in binary: nothing may move. */
    static const double c[] = {0.5, 0.125, 0, 0.25, 0.75, 0.5, 0.25, 0.125, 0.5};
    check_group("confusion: rows observed");
    check_read("confusion 1\nnr_class 3\nlabel -3 2 7\nrows observed\n0.5 0.125 0\n.25 .75 .5\n.25 "
               ".125 .5\n",
               3, labels, c, 0);
    check_group("confusion: rows true");
    check_read("confusion 1\nnr_class 3\nlabel -3 2 7\nrows true\n0.5 0.25 0.25\n0.125 0.75 "
               "0.125\n0 0.5 0.5\n",
               3, labels, c, 0);
    check_group("confusion: labels in another order");
    /* Label 7 first, then -3, then 2: rows and columns of the two files above moved alike. */
    check_read("confusion 1\nnr_class 3\nlabel 7 -3 2\nrows observed\n.5 .25 .125\n0 .5 .125\n.5 "
               ".25 .75\n",
               3, labels, c, 0);
    check_read(
        "confusion 1\nnr_class 3\nlabel 7 -3 2\nrows true\n.5 0 .5\n.25 .5 .25\n.125 .125 .75\n", 3,
        labels, c, 0);
    check_group("confusion: no head");
    check_read("0.5 0.125 0\n.25 .75 .5\n.25 .125 .5\n", 3, NULL, c, 0);
    check_group("confusion: comments, CRLF, byte order mark, tabs, no last newline");
    check_read("\xef\xbb\xbf# a note\r\n\r\nconfusion\t1 # version\r\nnr_class 3\r\n  label -3 2 7 "
               "\r\n#\r\nrows observed\r\n0.5 0.125 0 # -3\r\n"
               " \t\r\n.25\t.75 +.5\r\n25e-2 .125 .5",
               3, labels, c, 0);
    check_read("\n# no head\n0.5 0.125 -0\n.25 .75 .5 #\n.25 .125 .5\r\n# end", 3, NULL, c, 0);

    check_group("confusion: one class");
    static const int32_t seven[] = {7};
    static const double one[] = {1};
    check_read("confusion 1\nnr_class 1\nlabel 7\nrows true\n1\n", 1, seven, one, 0);
    check_read("1", 1, NULL, one, 0);
    check_read("12", 1, NULL, one, 0);
}

static void check_counts(void)
{
    static const int32_t labels[] = {1, 2, 3};
    check_group("confusion: counts");
    static const double c[] = {3.0 / 4, 0.0 / 3, 0, 1.0 / 4, 2.0 / 3, 0, 0.0 / 4, 1.0 / 3, 1};
    check_read("confusion 1\nnr_class 3\nlabel 1 2 3\nrows observed\n3 0 0\n1 2 0\n0 1 0\n", 3,
               labels, c, 1);
    check_read("confusion 1\nnr_class 3\nlabel 1 2 3\nrows true\n3 1 0\n0 2 1\n0 0 0\n", 3, labels,
               c, 1);
    check_read("confusion 1\nnr_class 3\nlabel 1 3 2\nrows true\n3 0 1\n0 0 0\n0 1 2\n", 3, labels,
               c, 1);
    check_read("3.0 0 0\n1 2e0 0\n0 1 0\n", 3, NULL, c, 1);
    static const double identity[] = {1, 0, 0, 1};
    check_read("1 0\n0 1\n", 2, NULL, identity, 0);
    /* Shares that happen to be whole are shares: their columns sum to 1. */
    static const double always_first[] = {1, 1, 0, 0};
    check_read("1 1\n0 0\n", 2, NULL, always_first, 0);

    check_group("confusion: from counts");
    static const int64_t counts[] = {3, 0, 0, 1, 2, 0, 0, 1, 0};
    int32_t value[] = {1, 2, 3};
    struct labels set = {.count = 3, .value = value};
    struct confusion made = {0};
    CHECK(confusion_from_counts(counts, &set, &made, NULL) == 0, "made");
    CHECK(memcmp(made.c, c, sizeof c) == 0, "C");
    CHECK(labels_equal(&made.labels, &set) && made.labels.value != value, "labels are copied");
    CHECK_INT(made.unseen, 1, "classes without examples");
    CHECK_NEAR(confusion_off_diagonal(&made), sqrt(1.0 / 16 + 1.0 / 9), 1e-15, "off the diagonal");
    confusion_free(&made);
    confusion_free(&made);
}

static void check_sums(void)
{
    struct confusion c;
    struct error err;
    check_group("confusion: sums near 1");
    CHECK(read_text("0.3333333 0.5\n0.3333333 0.25\n0.3333333 0.25\n", &c, &err) == -1,
          "three rows of two");
    CHECK(read_text("0.3333333 0.5 0\n0.3333333 0.25 0\n0.3333333 0.25 1\n", &c, &err) == 0, "%s",
          err.message);
    for (int64_t p = 0; c.c && p < 3; p++) {
        CHECK_NEAR(c.c[p * 3], 1.0 / 3, 1e-16,
                   "a column that misses 1 by 1e-7 is divided by its sum");
        CHECK(c.c[p * 3 + 1] == (p ? 0.25 : 0.5), "and its neighbour is not touched");
    }
    confusion_free(&c);
#define HEAD(rows) "confusion 1\nnr_class 2\nlabel 5 4\nrows " rows "\n"
    check_group("confusion: sums that miss 1");
    check_refused("0.9 0.2\n0.2 0.8\n", 1, 1,
                  "column 1 of the matrix sums to 1.1, not to 1, and these are not counts: give "
                  "counts, or more decimals");
    check_refused("0.9 0.2\n0.1 0.7\n", 1, 5,
                  "column 2 of the matrix sums to 0.9, not to 1, and these are not counts: give "
                  "counts, or more decimals");
    check_refused("0.900002 0\n0.1 1\n", 1, 1,
                  "column 1 of the matrix sums to 1.000002, not to 1, and these are not counts: "
                  "give counts, or more decimals");
    check_refused("5 1\n0.5 3\n", 1, 1,
                  "column 1 of the matrix sums to 5.5, not to 1, and these are not counts: give "
                  "counts, or more decimals");
    /* The labels' order in the file is not ascending: the place is that of the file. */
    check_refused(HEAD("observed") "# c\n1  0.2\n0 0.7\n", 6, 4,
                  "column 2 of the matrix sums to 0.9, not to 1, and these are not counts: give "
                  "counts, or more decimals");
    check_refused(HEAD("true") "\n1 0\n\n 0.2 0.7\n", 8, 2,
                  "row 2 of the matrix sums to 0.9, not to 1, and these are not counts: give "
                  "counts, or more decimals");
    check_group("confusion: transposed");
    check_refused(
        "0.9 0.1\n0.2 0.8\n", 1, 1,
        "column 1 of the matrix sums to 1.1, not to 1, but the rows do: it looks transposed");
    check_refused(HEAD("observed") "0.8 0.2\n0.1 0.9\n", 5, 5,
                  "column 2 of the matrix sums to 1.1, not to 1, but the rows do: it looks "
                  "transposed; `rows true` would make it right");
    check_refused(HEAD("true") "0.8 0.1\n0.2 0.9\n", 6, 1,
                  "row 2 of the matrix sums to 1.1, not to 1, but the columns do: it looks "
                  "transposed; `rows observed` would make it right");
    struct confusion right;
    CHECK(read_text(HEAD("true") "0.8 0.2\n0.1 0.9\n", &right, &err) == 0, "and so it does");
    confusion_free(&right);
}

static void check_bad(void)
{
    check_group("confusion: bad heads");
    check_refused("", 1, 1, "the file is empty: no confusion matrix in it");
    check_refused("# nothing\n\n", 3, 1, "the file is empty: no confusion matrix in it");
    check_refused("solver_type MCSVM_CS\n", 1, 1,
                  "this is not a confusion matrix: `confusion 1` or a row of numbers was expected");
    check_refused("confusion\n", 1, 10,
                  "`confusion 1` was expected: no other version of the format is known");
    check_refused("confusion 2\n", 1, 11,
                  "`confusion 1` was expected: no other version of the format is known");
    check_refused("confusion 1x\n", 1, 11,
                  "`confusion 1` was expected: no other version of the format is known");
    check_refused("confusion 1 2\n", 1, 13, "unexpected text at the end of the line");
    check_refused("confusion 1\n", 2, 1, "a line with `nr_class` was expected");
    check_refused("confusion 1\nlabel 1 2\n", 2, 1, "a line with `nr_class` was expected");
    check_refused("confusion 1\nnr_class\n", 2, 9, "nr_class needs the number of classes");
    check_refused("confusion 1\nnr_class 0\n", 2, 10, "a whole number is out of range: \"0\"");
    check_refused("confusion 1\nnr_class two\n", 2, 10, "a whole number was expected: \"two\"");
    check_refused("confusion 1\nnr_class 2 3\nlabel 1 2\n", 2, 12,
                  "unexpected text at the end of the line");
    check_refused("confusion 1\nnr_class 2147483647\nlabel 1 2\n", 2, 10,
                  "the file is too short for 2147483647 x 2147483647 numbers");
    check_refused("confusion 1\nnr_class 2\nlabel 1\nrows true\n", 3, 8,
                  "the line ends where label 2 of 2 should be");
    check_refused("confusion 1\nnr_class 2\nlabel 1 2 3\nrows true\n", 3, 11,
                  "unexpected text at the end of the line");
    check_refused("confusion 1\nnr_class 2\nlabel 4 4\nrows true\n", 3, 9,
                  "label 4 is named twice");
    check_refused("confusion 1\nnr_class 2\nlabel 1 2147483648\n", 3, 9,
                  "a whole number is out of range: \"2147483648\"");
    check_refused("confusion 1\nnr_class 2\nlabel 1 1.5\n", 3, 9,
                  "a whole number was expected: \"1.5\"");
    check_refused("confusion 1\nnr_class 2\nlabel 1 2\n0.5 0.5\n", 4, 1,
                  "a line with `rows` was expected");
    check_refused("confusion 1\nnr_class 2\nlabel 1 2\nrows\n", 4, 5,
                  "`rows observed` or `rows true` was expected");
    check_refused("confusion 1\nnr_class 2\nlabel 1 2\nrows truer\n", 4, 6,
                  "`rows observed` or `rows true` was expected");
    check_refused("confusion 1\nnr_class 2\nlabel 1 2\nrows true 1\n", 4, 11,
                  "unexpected text at the end of the line");

    check_group("confusion: bad matrices");
    check_refused(HEAD("true") "1 0\n", 6, 1, "the file ends where row 2 of 2 should be");
    check_refused(HEAD("true"), 5, 1, "the file ends where row 1 of 2 should be");
    check_refused(HEAD("true") "1 0\n0 1\n\n0 1\n", 8, 1,
                  "unexpected text after the last row of the matrix");
    check_refused("1 0\n0\n# cut\n", 2, 2,
                  "row 2 of the matrix ends where number 2 of 2 should be");
    check_refused("1 0\n0 1 0\n", 2, 5, "row 2 of the matrix has more than 2 numbers");
    check_refused("# nothing\n0 0\n0 0\n", 2, 1, "all entries of the matrix are 0");
    check_refused("1 0 0\n", 1, 1, "the file is too short for 3 x 3 numbers");
    check_refused("1 -0.5\n0 1\n", 1, 3, "an entry of the matrix is below 0");
    check_refused("1 0\n0 nan\n", 2, 3, "a finite decimal number was expected: \"nan\"");
    check_refused("1 0\n0 inf\n", 2, 3, "a finite decimal number was expected: \"inf\"");
    check_refused("1 0\n0 1e999\n", 2, 3, "a finite decimal number is out of range: \"1e999\"");
    check_refused("1 0\n0 1e999x\n", 2, 3, "a finite decimal number was expected: \"1e999x\"");
    check_refused("1 0\n0 0,5\n", 2, 3, "a finite decimal number was expected: \"0,5\"");
    check_refused("1 0\n0 0x1\n", 2, 3, "a finite decimal number was expected: \"0x1\"");
    check_refused("1 0\n0 1#\n", 2, 3, "a finite decimal number was expected: \"1#\"");
    check_refused("1 0\n0 1\r \n", 2, 3, "a finite decimal number was expected: \"1\\x0d\"");
    check_refused("1e300 0\n1 1\n", 1, 1, "an entry of the matrix is too large for a count");

    check_group("confusion: what is no text, no file");
    struct confusion c;
    struct error err;
    CHECK(read_bytes("1 0\n0 1 # \0\n", 12, &c, &err) == -1 && err.line == 2 && err.column == 7,
          "%lld:%lld", (long long)err.line, (long long)err.column);
    CHECK(strcmp(err.message, "a NUL byte (is this a text file?)") == 0, "%s", err.message);
    CHECK(read_text("\x1f\x8b", &c, &err) == -1 && err.line == 1
              && strncmp(err.message, "gzip data", 9) == 0,
          "%s", err.message);
    CHECK(confusion_read("/nowhere/at/all", &c, &err) == -1 && err.line == 0 && err.message[0],
          "a file that is not there");
    CHECK(confusion_read("/", &c, &err) == -1 && err.line == 0 && err.message[0], "a folder");
}

/* Write in one orientation and read back: the same bits. */
static void check_trip(const struct confusion *c, bool rows_true)
{
    struct output out;
    struct error err = {0};
    struct confusion back = {0};
    CHECK(output_open(&out, path, &err) == 0, "%s", err.message);
    confusion_write(c, rows_true, &out);
    CHECK(output_commit(&out, &err) == 0, "%s", err.message);
    CHECK(confusion_read(path, &back, &err) == 0, "%s", err.message);
    CHECK(labels_equal(&back.labels, &c->labels) && back.unseen == 0, "labels");
    CHECK(back.c && memcmp(back.c, c->c, (size_t)(c->classes * c->classes) * sizeof *c->c) == 0,
          "%lld classes, rows %d", (long long)c->classes, rows_true);
    confusion_free(&back);
}

static void check_trips(void)
{
    check_group("confusion: there and back, to the bit");
    struct random g = {3};
    for (int64_t K = 1; K <= 40; K += 1 + K / 6) {
        struct labels labels = {0};
        int64_t *counts = calloc((size_t)(K * K), sizeof *counts);
        for (int64_t k = 0; k < K; k++)
            CHECK(labels_add(&labels, (int32_t)(random_below(&g, 2000) - 1000), NULL) == 0,
                  "label");
        labels_settle(&labels);
        int64_t classes = labels.count;
        for (int64_t i = 0; counts && i < classes * classes; i++)
            counts[i] = random_below(&g, 3) ? random_below(&g, 1000000) : 0;
        struct confusion c = {0};
        CHECK(counts && confusion_from_counts(counts, &labels, &c, NULL) == 0, "from counts");
        check_trip(&c, false);
        check_trip(&c, true);
        confusion_free(&c);
        labels_free(&labels);
        free(counts);
    }
    check_group("confusion: a large one");
    enum { K = 400 };
    struct labels labels = {0};
    for (int32_t k = 0; k < K; k++)
        labels_add(&labels, k, NULL);
    int64_t *counts = calloc(K * K, sizeof *counts);
    for (int64_t i = 0; counts && i < K * K; i++)
        counts[i] = random_below(&g, 1000);
    struct confusion c = {0};
    CHECK(counts && confusion_from_counts(counts, &labels, &c, NULL) == 0, "from counts");
    check_trip(&c, true);
    confusion_free(&c);
    labels_free(&labels);
    free(counts);
}

/* Columns that differ by no more than what six digits leave are alike. */
static void check_alike(void)
{
    int32_t value[] = {4, 5, 6};
    const struct labels labels = {.count = 3, .value = value};
    static const double apart[] = {0, 0.9e-6, 1.1e-6};
    char text[CONFUSION_OPTION_TEXT];
    check_group("confusion: columns that are alike");
    for (int i = 0; i < 3; i++) {
        const double c[] = {0.2, 0.7, 0.2, 0.3, 0.2, 0.3 + apart[i], 0.5, 0.1, 0.5 - apart[i]};
        CHECK(confusion_option_alike(c, &labels, text) == (i < 2), "%g apart", apart[i]);
        CHECK(i == 2 || strstr(text, "columns of classes 4 and 6 are alike"), "%s", text);
    }
}

int main(void)
{
    int fd = mkstemp(path);
    check_group("confusion: a file for the tests");
    CHECK(fd >= 0 && close(fd) == 0, "%s", path);
    check_forms();
    check_counts();
    check_sums();
    check_bad();
    check_trips();
    check_alike();
    unlink(path);
    return check_finish();
}
