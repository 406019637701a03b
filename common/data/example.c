/* The tokenizer of data lines.
 *
 * Reading is the first cost of most runs, so the loop over features only finds out whether a
 * feature is well formed, by the fast paths that fit almost all numbers; when it is not, a slow
 * second look at the same token (example_refuse_feature) says why.  The text ends with '\n' and
 * NUMBER_PAD zero bytes, so that nothing here checks for its end. */
#include "common/data/example.h"

#include "common/base/number.h"
#include "common/data/example_label.h"
#include "common/data/example_token.h"

#include <assert.h>
#include <math.h>

/* The place after the next newline. */
static const char *example_next_line(const char *p, const char *end)
{
    return (const char *)memchr(p, '\n', (size_t)(end - p)) + 1;
}

/* Fill err with a reason, the token, and its column in the line.  Returns -1. */
static int example_refuse(struct error *err, const char *line, const char *token,
                          const char *reason)
{
    const char *end = token;
    char quoted[ERROR_QUOTE];
    while (!example_at_token_end(end))
        end++;
    if (end > token && memchr(token, '\0', (size_t)(end - token)))
        reason = "a NUL byte (is this a text file?)";
    return error_at(err, NULL, 0, token - line + 1, "%s: \"%s\"", reason,
                    error_quote(token, (size_t)(end - token), quoted));
}

/* A comment may hold anything but a NUL byte, which no text file has.  Returns -1. */
static int example_refuse_nul(struct error *err, const char *line, const char *comment)
{
    return error_at(err, NULL, 0, comment + strlen(comment) - line + 1,
                    "a NUL byte (is this a text file?)");
}

/* The token has no colon.  A number after the label: the file has columns.  Returns -1. */
static int example_refuse_colon(struct error *err, const char *line, const char *token,
                                int64_t previous, const struct example_format *format)
{
    const char *p;
    double value;
    if (previous > 0 || format->no_label || format->log || format->bad
        || number_read(token, &p, &value) != NUMBER_OK || !example_at_token_end(p))
        return example_refuse(err, line, token, "expected index:value");
    return example_refuse(
        err, line, token,
        "expected index:value (columns with the label in front are turned by: awk "
        "'{s=$1; for(i=2;i<=NF;i++) if($i!=0) s=s\" \"(i-1)\":\"$i; print s}' FILE)");
}

/* Say why the token is not a feature, or not one that may come after index `previous`.  Returns
 * -1. */
static int example_refuse_feature(struct error *err, const char *line, const char *token,
                                  int64_t previous, const struct example_format *format)
{
    const bool zero_based = format->zero_based;
    const char *p;
    int64_t index;
    double value;
    if (strncmp(token, "qid:", 4) == 0)
        return example_refuse(err, line, token, "query ids (qid) are for ranking; remove them");
    switch (number_read_int(token, &p, INT64_MIN, INT64_MAX, &index)) {
    case NUMBER_NONE:
        return example_refuse_colon(err, line, token, previous, format);
    case NUMBER_OVERFLOW:
        return example_refuse(err, line, token, "the index is larger than 2147483647");
    default:
        break;
    }
    if (*p != ':')
        return example_refuse_colon(err, line, token, previous, format);
    if (*token == '+' || *token == '-')
        return example_refuse(err, line, token, "an index must not have a sign");
    if (index == 0 && !zero_based)
        return example_refuse(
            err, line, token,
            "index 0: indices start at 1 (--zero-based reads a file that starts at 0)");
    if (index > INT32_MAX - zero_based)
        return example_refuse(err, line, token, "the index is larger than 2147483647");
    if (index + zero_based <= previous) {
        char reason[96];
        snprintf(reason, sizeof reason, "index %lld after %lld: indices must increase",
                 (long long)index, (long long)(previous - zero_based));
        return example_refuse(err, line, token, reason);
    }
    switch (number_read(p + 1, &p, &value)) {
    case NUMBER_OVERFLOW:
        return example_refuse(err, line, token, "the value is too large for a double");
    case NUMBER_NONE:
        return example_refuse(err, line, token, "the value is not a finite decimal number");
    default:
        return example_refuse(
            err, line, token,
            *p == ','
                ? "unexpected characters after the value (decimals follow a point, not a comma)"
                : "unexpected characters after the value");
    }
}

/* The rest of a value whose digits before the point are `whole`; q is the place after them.  Most
 * values are short: with at most 7 digits before the point and 8 after it, the digits are a number
 * below 2^53, and one correctly rounded division gives the value.  Returns the end of the token, or
 * NULL when it is longer or malformed. */
static inline const char *example_read_fraction(const char *q, double whole, double *value)
{
    if (*q == '.') {
        uint64_t chunk = number_load8(q + 1);
        int n = number_digits8(chunk);
        if (n == 0)
            return NULL;
        whole = (whole * number_power10[n] + (double)number_value8(chunk, n)) / number_power10[n];
        q += 1 + n;
    }
    *value = whole;
    return *q == ' ' || *q == '\n' ? q : NULL;
}

/* A feature whose index and digits before the point, with the bytes that end them, are in the next
 * 8 bytes, as nearly all are.  One load then serves both.  Where one feature starts is only known
 * when the one before has been read, and that chain was measured to be a third shorter in this way.
 * Returns the end of the token, or NULL for anything else. */
static inline const char *example_read_short_feature(const char *p, int64_t *index, double *value)
{
    uint64_t chunk = number_load8(p), others = number_others8(chunk), next = others & (others - 1);
    if (next == 0)
        return NULL;
    int colon = __builtin_ctzll(others) >> 3, end = __builtin_ctzll(next) >> 3,
        digits = end - colon - 1;
    if (colon == 0 || digits == 0 || p[colon] != ':')
        return NULL;
    *index = (int64_t)number_value8(chunk, colon);
    return example_read_fraction(p + end, (double)number_value8(chunk >> (8 * colon + 8), digits),
                                 value);
}

/* Any feature.  Returns the end of the token, or NULL when it is malformed. */
static inline const char *example_read_feature(const char *p, int64_t *index, double *value)
{
    const char *end = example_read_short_feature(p, index, value);
    if (end)
        return end;
    if (*p < '0' || *p > '9' || number_read_int(p, &p, 0, INT32_MAX, index) != NUMBER_OK
        || *p != ':')
        return NULL;
    p++;
    const bool negative = *p == '-';
    const char *digits = p + negative;
    uint64_t chunk = number_load8(digits);
    int n = number_digits8(chunk);
    if (n > 0 && n < 8) {
        end = example_read_fraction(digits + n, (double)number_value8(chunk, n), value);
        if (end) {
            if (negative)
                *value = -*value;
            return end;
        }
    }
    return number_read(p, &end, value) == NUMBER_OK && example_at_token_end(end) ? end : NULL;
}

/* Euclidean length without overflow or underflow on the way; infinite only if the length is. */
static double example_length(const double *value, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += value[i] * value[i];
    if (sum > 1e-280 && sum < 1e300) /* no square has overflowed, or lost digits that count */
        return sqrt(sum);
    double largest = 0;
    for (int64_t i = 0; i < n; i++)
        if (fabs(value[i]) > largest)
            largest = fabs(value[i]);
    if (largest == 0)
        return 0;
    sum = 0;
    for (int64_t i = 0; i < n; i++) {
        double v = value[i] / largest;
        sum += v * v;
    }
    return largest * sqrt(sum);
}

double example_unit_length(double *value, int64_t n)
{
    double norm = example_length(value, n);
    const double length = norm;
    if (isinf(norm)) {
        /* Finite values may have a length that no double holds: shrink them first. */
        for (int64_t i = 0; i < n; i++)
            value[i] *= 0x1p-40;
        norm = example_length(value, n);
    }
    if (!(norm > 0))
        return length;
    for (int64_t i = 0; i < n; i++)
        value[i] /= norm;
    return length;
}

/* The `:<feedback>:<propensity>` after the label of a bandit log, at p.  Returns its end, or NULL
 * with err. */
static const char *example_read_feedback(const char *line, const char *token, const char *p,
                                         bool no_propensity, struct feedback *out,
                                         struct error *err)
{
    int64_t f;
    if (*p != ':' || number_read_int(p + 1, &p, INT64_MIN, INT64_MAX, &f) != NUMBER_OK
        || (*p != ':' && !example_at_token_end(p))) {
        example_refuse(err, line, token,
                       "expected label:feedback:propensity, as 3:1:0.5 (1: right, 0: wrong)");
        return NULL;
    }
    if (f < -1 || f > 1) {
        example_refuse(err, line, token, "the feedback is not 1, 0 or -1");
        return NULL;
    }
    *out = (struct feedback){f == 1, 0};
    if (*p != ':') {
        if (no_propensity)
            return p;
        example_refuse(err, line, token, "no propensity (-p sets one for lines without it)");
        return NULL;
    }
    if (number_read(p + 1, &p, &out->p) != NUMBER_OK || !example_at_token_end(p)) {
        example_refuse(err, line, token, "the propensity is not a number");
        return NULL;
    }
    if (!(out->p > 0 && out->p <= 1)) {
        example_refuse(err, line, token, "the propensity is not in (0, 1]");
        return NULL;
    }
    return p;
}

/* The label at p, and in a bandit log what goes with it.  Returns the place after it, or NULL with
 * err. */
static const char *example_read_label(const char *line, const char *p,
                                      const struct example_format *format, struct example *out,
                                      struct error *err)
{
    const char *token = p;
    if (format->no_label) {
        out->label = EXAMPLE_UNLABELLED;
        return p;
    }
    if (*p == '?' && !format->log && example_at_token_end(p + 1)) {
        out->label = EXAMPLE_UNLABELLED;
        if (format->unlabelled)
            return p + 1;
        example_refuse(err, line, token,
                       "only files to be predicted may have lines without a label");
        return NULL;
    }
    enum number_status status = number_read_int(p, &p, INT32_MIN, INT32_MAX, &out->label);
    if (status == NUMBER_NONE || !(example_at_token_end(p) || (format->log && *p == ':'))) {
        char fault[EXAMPLE_LABEL_FAULT];
        const bool advises = !format->log && !format->bad;
        example_refuse(err, line, token,
                       example_label_fault(token, advises, format->unlabelled, fault));
        return NULL;
    }
    if (status == NUMBER_OVERFLOW) {
        example_refuse(err, line, token, "the label is not in the range of 32-bit integers");
        return NULL;
    }
    if (!format->log)
        return p;
    return example_read_feedback(line, token, p, format->no_propensity, &out->feedback, err);
}

int example_parse(const char **start, const char *end, const struct example_format *format,
                  int32_t *index, double *value, struct example *out, struct error *err)
{
    const char *line = *start, *p = line;
    assert(line < end && end[-1] == '\n');
    while (example_is_blank(*p))
        p++;
    if (example_at_line_end(p) || *p == '#') {
        *start = example_next_line(p, end);
        return memchr(p, '\0', (size_t)(*start - p)) ? example_refuse_nul(err, line, p) : 0;
    }

    p = example_read_label(line, p, format, out, err);
    if (!p)
        return -1;
    out->size = 0;
    if (format->labels_only) {
        *start = example_next_line(p, end);
        return 1;
    }

    int64_t n = 0, previous = 0;
    for (;;) {
        while (example_is_blank(*p))
            p++;
        if (example_at_line_end(p) || *p == '#')
            break;
        int64_t j;
        const char *token = p;
        p = example_read_feature(p, &j, &value[n]);
        if (!p || (j += format->zero_based) <= previous || j > INT32_MAX)
            return example_refuse_feature(err, line, token, previous, format);
        index[n++] = (int32_t)j;
        previous = j;
    }
    if (format->bias >= 0) {
        index[n] = 0;
        value[n++] = format->bias;
    }
    out->length = format->unit_length ? example_unit_length(value, n) : 0;
    out->size = n;
    *start = *p == '#' ? example_next_line(p, end) : p + 1 + (*p == '\r');
    return *p == '#' && memchr(p, '\0', (size_t)(*start - p)) ? example_refuse_nul(err, line, p)
                                                              : 1;
}
