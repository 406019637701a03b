/* A line of LIBSVM text as an example (common/data/example.h): what is read of it and what is
 * refused, at which column; unit length, largest index and squared norm. */
#include "check.h"
#include "common/base/number.h"
#include "common/data/example.h"

#include <string.h>

/* What a line gives, as text: "label index:value ...", "-" when there is no example in it, and for
 * a line that is refused "column message".  Letters say how it is read: z zero-based, u unlabelled
 * lines may be there, n none has a label, l labels only, f a bandit log, p its propensities may be
 * missing, b a bias of 0, B of 2.5. */
static const char *parse_line(const char *line, const char *how, char *out)
{
    char text[200] = "";
    int32_t index[40];
    double value[40];
    struct example x = {0};
    struct error err = {0};
    struct example_format format = {.bias = -1};
    format.zero_based = strchr(how, 'z') != NULL;
    format.unlabelled = strchr(how, 'u') != NULL;
    format.no_label = strchr(how, 'n') != NULL;
    format.labels_only = strchr(how, 'l') != NULL;
    format.log = strchr(how, 'f') != NULL;
    format.no_propensity = strchr(how, 'p') != NULL;
    if (strchr(how, 'b') || strchr(how, 'B'))
        format.bias = strchr(how, 'b') ? 0 : 2.5;
    const int size = snprintf(text, sizeof text - NUMBER_PAD, "%s\n7 8:9\n", line);
    const char *p = text, *end = text + size;
    int status = example_parse(&p, end, &format, index, value, &x, &err);
    out[0] = '\0';
    if (status < 0) {
        sprintf(out, "%lld %s", (long long)err.column, err.message);
        return out;
    }
    CHECK(p == text + strlen(line) + 1, "\"%s\": the next line begins %d bytes from there", line,
          (int)(p - text - (int64_t)strlen(line)) - 1);
    if (status == 0)
        return strcpy(out, "-");
    int used = x.label == EXAMPLE_UNLABELLED ? sprintf(out, "?")
                                             : sprintf(out, "%lld", (long long)x.label);
    if (format.log)
        used += sprintf(out + used, ":%d:%.17g", x.feedback.f, x.feedback.p);
    for (int64_t j = 0; j < x.size; j++)
        used += sprintf(out + used, " %d:%.17g", (int)index[j], value[j]);
    return out;
}

static void check_lines(void)
{
    static const struct {
        const char *how, *line, *want;
    } known[] = {
        {"", "1 1:1", "1 1:1"},
        {"", " \t-3\t1:2 \t 3:4 \t", "-3 1:2 3:4"},
        {"", "+2147483647 2147483647:1", "2147483647 2147483647:1"},
        {"", "-2147483648", "-2147483648"},
        {"", "-2147483649", "1 the label is not in the range of 32-bit integers: \"-2147483649\""},
        {"", " 1x", "2 the label is not an integer: \"1x\""},
        {"", "1\r", "1"},
        {"", "1 2:3\r", "1 2:3"},
        {"", "1\r\r", "1 the label is not an integer: \"1\\x0d\""},
        {"", "\r", "-"},
        {"", " \t", "-"},
        {"", "", "-"},
        {"", " # 1 1:1", "-"},
        {"", "1 1:1 # 2:2", "1 1:1"},
        {"", "1 1:1 #\r", "1 1:1"},
        /* values, short and long: read in one step, in two, or by the general way */
        {"", "1 1:0 2:-0 3:12345678 4:1234567 5:123456",
         "1 1:0 2:-0 3:12345678 4:1234567 5:123456"},
        {"", "1 1:0.5 2:-0.5 3:.5 4:5. 5:-.25 6:+1.5", "1 1:0.5 2:-0.5 3:0.5 4:5 5:-0.25 6:1.5"},
        {"", "1 1:1.23456789 2:1.2345678 3:1.2345678901",
         "1 1:1.2345678899999999 2:1.2345678 3:1.2345678900999999"},
        {"", "1 1:1234567.25 2:-1234567.25 3:12345678.25",
         "1 1:1234567.25 2:-1234567.25 3:12345678.25"},
        {"", "1 1:1e3 2:-1e-3 3:1.5E2 4:2.5", "1 1:1000 2:-0.001 3:150 4:2.5"},
        {"", "1 1:1\t2:2.5\t3:-1.5\t123456:1", "1 1:1 2:2.5 3:-1.5 123456:1"},
        {"", "1 99999:7 1234567:8 12345678:9 123456789:-9.5",
         "1 99999:7 1234567:8 12345678:9 123456789:-9.5"},
        {"", "1 007:1", "1 7:1"},
        /* what is refused, and where */
        {"", "1 :1", "3 expected index:value: \":1\""},
        {"", "1 1",
         "3 expected index:value (columns with the label in front are turned by: awk '{s=$1; "
         "for(i=2;i<=NF;"
         "i++) if($i!=0) s=s\" \"(i-1)\":\"$i; print s}' FILE): \"1\""},
        {"", "1 1:1 1", "7 expected index:value: \"1\""},
        {"n", "1", "1 expected index:value: \"1\""},
        {"", "1 1:", "3 the value is not a finite decimal number: \"1:\""},
        {"", "1 1:-", "3 the value is not a finite decimal number: \"1:-\""},
        {"", "1 1:.", "3 the value is not a finite decimal number: \"1:.\""},
        {"", "1 1:--1", "3 the value is not a finite decimal number: \"1:--1\""},
        {"", "1 1:1.5.", "3 unexpected characters after the value: \"1:1.5.\""},
        {"", "1 1:1:1", "3 unexpected characters after the value: \"1:1:1\""},
        {"", "1 1:-1e999", "3 the value is too large for a double: \"1:-1e999\""},
        {"", "1 -1:1", "3 an index must not have a sign: \"-1:1\""},
        {"", "1 +1:1", "3 an index must not have a sign: \"+1:1\""},
        {"", "1 0:1",
         "3 index 0: indices start at 1 (--zero-based reads a file that starts at 0): \"0:1\""},
        {"", "1 2147483648:1", "3 the index is larger than 2147483647: \"2147483648:1\""},
        {"", "1 99999999999999999999:1",
         "3 the index is larger than 2147483647: \"99999999999999999999:1\""},
        {"", "1 5:1 5:1", "7 index 5 after 5: indices must increase: \"5:1\""},
        {"", "1 5:1 4:1", "7 index 4 after 5: indices must increase: \"4:1\""},
        {"", "1 qid:1", "3 query ids (qid) are for ranking; remove them: \"qid:1\""},
        {"", "1 qi:1", "3 expected index:value: \"qi:1\""},
        {"z", "1 0:1 1:2 2147483646:3", "1 1:1 2:2 2147483647:3"},
        {"z", "1 2147483647:3", "3 the index is larger than 2147483647: \"2147483647:3\""},
        {"z", "1 4:1 4:1", "7 index 4 after 4: indices must increase: \"4:1\""},
        {"z", "1 0:1 0:1", "7 index 0 after 0: indices must increase: \"0:1\""},
        {"z", "1 -1:1", "3 an index must not have a sign: \"-1:1\""},
        /* lines without a label, and nothing but labels */
        {"", "? 1:1", "1 only files to be predicted may have lines without a label: \"?\""},
        {"u", "? 1:1", "? 1:1"},
        {"u", "?", "?"},
        {"u", "?1 1:1", "1 the label is not an integer: \"?1\""},
        {"u", "2 1:1", "2 1:1"},
        {"u", "1:4.6 2:1",
         "1 the label is not an integer (of lines that have none it is ?: sed 's/^/? /' FILE): "
         "\"1:4.6\""},
        {"", "1:4.6 2:1",
         "1 the label is not an integer (a line begins with its label): \"1:4.6\""},
        {"u", "1:x", "1 the label is not an integer: \"1:x\""},
        {"n", "1:1 2:2", "? 1:1 2:2"},
        {"l", "4 this is not read", "4"},
        {"l", "x",
         "1 the label is not an integer (where labels are words without blanks, they are numbered, "
         "and listed in "
         "the file names, by: "
         "awk 'BEGIN {while ((getline < \"names\") > 0) k[$2]=n=$1} !($1 in k) {k[$1]=++n; "
         "print n,$1 >> \"names\"} {$1=k[$1]} 1' FILE): \"x\""},
        {"", "5,1,2",
         "1 the label is not an integer (CSV with the label in front is turned by: awk -F, "
         "'{s=$1; for(i=2;i<=NF;i++) if($i!=0) s=s\" \"(i-1)\":\"$i; print s}' FILE): \"5,1,2\""},
        {"f", "x:1:1", "1 the label is not an integer: \"x:1:1\""},
        /* the bias comes last, 0 too */
        {"b", "1 3:1", "1 3:1 0:0"},
        {"B", "1", "1 0:2.5"},
        {"zB", "1 0:1", "1 1:1 0:2.5"},
        /* logs */
        {"f", "3:1:0.5 1:1", "3:1:0.5 1:1"},
        {"f", "3:0:1", "3:0:1"},
        {"f", "3:-1:0.25 2:1", "3:0:0.25 2:1"},
        {"f", " 3:2:0.5", "2 the feedback is not 1, 0 or -1: \"3:2:0.5\""},
        {"f", "3:-2:0.5", "1 the feedback is not 1, 0 or -1: \"3:-2:0.5\""},
        {"f", "3:1:0", "1 the propensity is not in (0, 1]: \"3:1:0\""},
        {"f", "3:1:1.001", "1 the propensity is not in (0, 1]: \"3:1:1.001\""},
        {"f", "3:1:-1", "1 the propensity is not in (0, 1]: \"3:1:-1\""},
        {"f", "3:1:", "1 the propensity is not a number: \"3:1:\""},
        {"f", "3:1:0.5x", "1 the propensity is not a number: \"3:1:0.5x\""},
        {"f", "3:1 1:1", "1 no propensity (-p sets one for lines without it): \"3:1\""},
        {"f", "3 1:1",
         "1 expected label:feedback:propensity, as 3:1:0.5 (1: right, 0: wrong): \"3\""},
        {"f", "3: 1:1",
         "1 expected label:feedback:propensity, as 3:1:0.5 (1: right, 0: wrong): \"3:\""},
        {"f", "3:1x:1",
         "1 expected label:feedback:propensity, as 3:1:0.5 (1: right, 0: wrong): \"3:1x:1\""},
        {"fp", "3:1 1:1", "3:1:0 1:1"},
        {"fp", "3:0", "3:0:0"},
        {"fp", "3:1:0.5", "3:1:0.5"},
        {"", "3:1:0.5",
         "1 the label is not an integer (a bandit log is read by rcnbf-train --log and "
         "rcnbf-predict "
         "--log): \"3:1:0.5\""},
    };
    char got[800];
    check_group("lines, read and refused");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        parse_line(known[i].line, known[i].how, got);
        CHECK(strcmp(got, known[i].want) == 0, "\"%s\" (%s) is %s, not %s", known[i].line,
              known[i].how, got, known[i].want);
    }
}

/* Lengths that overflow or vanish on the way, and what an example tells about itself. */
static void check_lengths(void)
{
    check_group("unit length, largest index, squared norm");
    static const struct {
        double from[3], to[3];
    } known[] = {
        {{3, 4, 0}, {0.6, 0.8, 0}},
        {{0, 0, 0}, {0, 0, 0}},
        {{-2, 0, 0}, {-1, 0, 0}},
        {{3e-140, 4e-140, 0}, {0.6, 0.8, 0}},
        {{3e-200, -4e-200, 0}, {0.6, -0.8, 0}},
        {{3e-320, 4e-320, 0}, {0.6, 0.8, 0}},
        {{3e150, 4e150, 0}, {0.6, 0.8, 0}},
        {{3e200, 4e200, 0}, {0.6, 0.8, 0}},
        {{0, 1e308, -1e308}, {0, 0.70710678118654757, -0.70710678118654757}},
        {{1.7e308, 1.7e308, -1.7e308},
         {0.57735026918962573, 0.57735026918962573, -0.57735026918962573}},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        double value[4] = {known[i].from[0], known[i].from[1], known[i].from[2], 5};
        example_unit_length(value, 3);
        for (int j = 0; j < 3; j++)
            CHECK_NEAR(value[j], known[i].to[j], i == 5 ? 1e-4 : 1e-15, "value %d of vector %zu", j,
                       i);
        CHECK(value[3] == 5, "what is behind the vector");
    }
    static const int32_t index[] = {3, 8, 0};
    static const double value[] = {1, 2, 3};
    static const struct {
        int64_t size, largest, square;
    } sizes[] = {{0, 0, 0}, {1, 3, 1}, {2, 8, 5}, {3, 8, 14}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const struct example x = {.size = sizes[i].size, .index = index, .value = value};
        CHECK_INT(example_largest_index(&x), sizes[i].largest, "the largest index of %zu", i);
        CHECK_INT((int64_t)example_squared_norm(&x), sizes[i].square, "the squared norm of %zu", i);
    }
    const struct example bias = {.size = 1, .index = index + 2, .value = value};
    CHECK_INT(example_largest_index(&bias), 0, "the bias alone");
}

int main(void)
{
    check_lines();
    check_lengths();
    return check_finish();
}
