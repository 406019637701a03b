#include "common/data/example.h"

#include "common/base/number.h"

#include <math.h>

static inline bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* The places where a line, or a token, may end. */
static inline bool at_line_end(const char *p)
{
    return *p == '\n' || (*p == '\r' && p[1] == '\n');
}

static inline bool at_token_end(const char *p)
{
    return is_blank(*p) || at_line_end(p);
}

static const char *next_line(const char *p, const char *end)
{
    return (const char *)memchr(p, '\n', (size_t)(end - p)) + 1;
}

static int refuse(struct error *err, const char *line, const char *token, const char *reason)
{
    const char *end = token;
    char quoted[ERROR_QUOTE];
    while (!at_token_end(end))
        end++;
    if (end > token && memchr(token, '\0', (size_t)(end - token)))
        reason = "a NUL byte (is this a text file?)";
    return error_at(err, NULL, 0, token - line + 1, "%s: \"%s\"", reason,
                    error_quote(token, (size_t)(end - token), quoted));
}

/* A comment may hold anything but this: a file that does is none of text. */
static int refuse_nul(struct error *err, const char *line, const char *comment)
{
    return error_at(err, NULL, 0, comment + strlen(comment) - line + 1,
                    "a NUL byte (is this a text file?)");
}

/* Why the token is no feature.  Kept out of the loop: it runs once. */
static int refuse_feature(struct error *err, const char *line, const char *token, int64_t previous,
                          bool zero_based)
{
    const char *p;
    int64_t index;
    double value;
    if (strncmp(token, "qid:", 4) == 0)
        return refuse(err, line, token, "query ids (qid) belong to ranking; remove them");
    switch (number_read_int(token, &p, INT64_MIN, INT64_MAX, &index)) {
    case NUMBER_NONE:
        return refuse(err, line, token, "expected index:value");
    case NUMBER_OVERFLOW:
        return refuse(err, line, token, "the index is larger than 2147483647");
    default:
        break;
    }
    if (*p != ':')
        return refuse(err, line, token, "expected index:value");
    if (*token == '+' || index < 0)
        return refuse(err, line, token, "an index has no sign");
    if (index == 0 && !zero_based)
        return refuse(err, line, token,
                      "index 0: indices start at 1 (--zero-based reads a file that starts at 0)");
    if (index > INT32_MAX - zero_based)
        return refuse(err, line, token, "the index is larger than 2147483647");
    if (index + zero_based <= previous) {
        char reason[96];
        snprintf(reason, sizeof reason, "index %lld after %lld: indices must increase",
                 (long long)index, (long long)(previous - zero_based));
        return refuse(err, line, token, reason);
    }
    switch (number_read(p + 1, &p, &value)) {
    case NUMBER_OVERFLOW:
        return refuse(err, line, token, "the value is too large for a double");
    case NUMBER_NONE:
        return refuse(err, line, token, "the value is not a finite decimal number");
    default:
        return refuse(err, line, token, "unexpected characters behind the value");
    }
}

/* Most values are short: at most 7 digits before the point and 8 behind it are below 2^53, and
 * their quotient is one correctly rounded division.  q: behind the digits of `whole`.  Returns the
 * end of the token, or NULL when it is longer than that, or no number. */
static inline const char *read_fraction(const char *q, double whole, double *value)
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

/* A feature whose index and whole part lie in the next 8 bytes, as nearly all do: one load serves
 * both, and the time between one feature and the next, which is all waiting for the last one's end,
 * is a third less.  NULL: something else. */
static inline const char *read_short_feature(const char *p, int64_t *index, double *value)
{
    uint64_t chunk = number_load8(p), others = number_others8(chunk), next = others & (others - 1);
    if (next == 0)
        return NULL;
    int colon = __builtin_ctzll(others) >> 3, end = __builtin_ctzll(next) >> 3,
        digits = end - colon - 1;
    if (colon == 0 || digits == 0 || p[colon] != ':')
        return NULL;
    *index = (int64_t)number_value8(chunk, colon);
    return read_fraction(p + end, (double)number_value8(chunk >> (8 * colon + 8), digits), value);
}

/* Any feature.  NULL: it is malformed (refuse_feature says how). */
static inline const char *read_feature(const char *p, int64_t *index, double *value)
{
    const char *end = read_short_feature(p, index, value);
    if (end)
        return end;
    if (*p < '0' || *p > '9' || number_read_int(p, &p, 0, INT32_MAX, index) != NUMBER_OK
        || *p != ':')
        return NULL;
    p++;
    uint64_t chunk = number_load8(p + (*p == '-'));
    int n = number_digits8(chunk);
    if (n > 0 && n < 8
        && (end = read_fraction(p + (*p == '-') + n, (double)number_value8(chunk, n), value))
               != NULL) {
        if (*p == '-')
            *value = -*value;
        return end;
    }
    return number_read(p, &end, value) == NUMBER_OK && at_token_end(end) ? end : NULL;
}

/* Euclidean length without overflow or underflow on the way. */
static double length(const double *value, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += value[i] * value[i];
    if (sum > 1e-280 && sum < 1e300)
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

void example_unit_length(double *value, int64_t n)
{
    double norm = length(value, n);
    if (isinf(norm)) { /* only beyond 1e308 / sqrt(n): shrink first */
        for (int64_t i = 0; i < n; i++)
            value[i] *= 0x1p-40;
        norm = length(value, n);
    }
    for (int64_t i = 0; norm > 0 && i < n; i++)
        value[i] /= norm;
}

/* The `:<feedback>:<propensity>` behind the label of a bandit log, at p.  Returns its end, or NULL
 * with err. */
static const char *read_feedback(const char *line, const char *token, const char *p,
                                 bool no_propensity, struct feedback *out, struct error *err)
{
    int64_t f;
    if (*p != ':' || number_read_int(p + 1, &p, INT64_MIN, INT64_MAX, &f) != NUMBER_OK
        || (*p != ':' && !at_token_end(p))) {
        refuse(err, line, token, "expected label:feedback:propensity");
        return NULL;
    }
    if (f < -1 || f > 1) {
        refuse(err, line, token, "the feedback is none of 1, 0 and -1");
        return NULL;
    }
    *out = (struct feedback){f == 1, 0};
    if (*p != ':') {
        if (no_propensity)
            return p;
        refuse(err, line, token, "no propensity (-p gives one to lines without)");
        return NULL;
    }
    if (number_read(p + 1, &p, &out->p) != NUMBER_OK || !at_token_end(p)) {
        refuse(err, line, token, "the propensity is not a number");
        return NULL;
    }
    if (!(out->p > 0 && out->p <= 1)) {
        refuse(err, line, token, "the propensity is not in (0, 1]");
        return NULL;
    }
    return p;
}

int example_parse(const char **start, const char *end, const struct example_format *format,
                  int32_t *index, double *value, struct example *out, struct error *err)
{
    const char *line = *start, *p = line;
    while (is_blank(*p))
        p++;
    if (at_line_end(p) || *p == '#') {
        *start = next_line(p, end);
        return memchr(p, '\0', (size_t)(*start - p)) ? refuse_nul(err, line, p) : 0;
    }

    const char *token = p;
    if (format->no_label) {
        out->label = EXAMPLE_UNLABELLED;
    } else if (*p == '?' && at_token_end(p + 1)) {
        if (!format->unlabelled)
            return refuse(err, line, token,
                          "only files to be predicted may have lines without a label");
        out->label = EXAMPLE_UNLABELLED;
        p++;
    } else {
        enum number_status status = number_read_int(p, &p, INT32_MIN, INT32_MAX, &out->label);
        if (status == NUMBER_NONE || !(at_token_end(p) || (format->log && *p == ':')))
            return refuse(err, line, token, "the label is not an integer");
        if (status == NUMBER_OVERFLOW)
            return refuse(err, line, token, "the label is not in the range of 32-bit integers");
        if (format->log
            && !(p = read_feedback(line, token, p, format->no_propensity, &out->feedback, err)))
            return -1;
    }
    out->size = 0;
    if (format->labels_only) {
        *start = next_line(p, end);
        return 1;
    }

    int64_t n = 0, previous = 0;
    for (;;) {
        while (is_blank(*p))
            p++;
        if (at_line_end(p) || *p == '#')
            break;
        int64_t j;
        token = p;
        p = read_feature(p, &j, &value[n]);
        if (!p || (j += format->zero_based) <= previous || j > INT32_MAX)
            return refuse_feature(err, line, token, previous, format->zero_based);
        index[n++] = (int32_t)j;
        previous = j;
    }
    if (format->bias >= 0) {
        index[n] = 0;
        value[n++] = format->bias;
    }
    if (format->unit_length)
        example_unit_length(value, n);
    out->size = n;
    *start = *p == '#' ? next_line(p, end) : p + 1 + (*p == '\r');
    return *p == '#' && memchr(p, '\0', (size_t)(*start - p)) ? refuse_nul(err, line, p) : 1;
}
