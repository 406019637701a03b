/* Lines go straight to an output, which keeps them in its buffer: no memory of its own, and the
 * file appears whole or not at all. */
#include "common/base/report.h"

#include "common/base/number.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const char *const report_keys[] = {
#define REPORT_TEXT(Name, Text) Text,
    REPORT_KEYS(REPORT_TEXT)
#undef REPORT_TEXT
};

int report_open(struct report *report, struct error *err)
{
    return report->path ? output_open(&report->out, report->path, err) : 0;
}

/* ---- parts of a line ---- */

/* The key and a tab, `*` replaced.  False: no report is open. */
static bool report_begin_line(struct report *report, enum report_key key, const char *of)
{
    const char *text = report_keys[key], *star = strchr(text, '*');
    assert(!star == !of);
    if (!report->out.buffer)
        return false;
    if (of) {
        output_write(&report->out, text, star - text);
        output_write(&report->out, of, (int64_t)strlen(of));
        text = star + 1;
    }
    output_write(&report->out, text, (int64_t)strlen(text));
    output_write(&report->out, "\t", 1);
    return true;
}

/* The same for a number in place of `*`. */
static bool report_begin_numbered(struct report *report, enum report_key key, int64_t of)
{
    char text[NUMBER_TEXT + 1];
    *number_write_int(text, of) = '\0';
    return report_begin_line(report, key, text);
}

static void report_put_number(struct report *report, double value)
{
    char text[NUMBER_TEXT + 1], *end = number_write(text, value);
    *end++ = '\n';
    output_write(&report->out, text, end - text);
}

/* A count, and what separates it from what follows. */
static void report_put_count(struct report *report, int64_t value, char separator)
{
    char text[NUMBER_TEXT + 1], *end = number_write_int(text, value);
    *end++ = separator;
    output_write(&report->out, text, end - text);
}

static void report_put_text(struct report *report, const char *text)
{
    char byte[5];
    for (; *text; text++)
        output_text(&report->out, "%s", error_byte(*text, byte));
    output_write(&report->out, "\n", 1);
}

/* ---- lines ---- */

void report_number(struct report *report, enum report_key key, double value)
{
    if (isfinite(value) && report_begin_line(report, key, NULL))
        report_put_number(report, value);
}

void report_count(struct report *report, enum report_key key, int64_t value)
{
    if (report_begin_line(report, key, NULL))
        report_put_count(report, value, '\n');
}

void report_text(struct report *report, enum report_key key, const char *value)
{
    if (report_begin_line(report, key, NULL))
        report_put_text(report, value);
}

void report_number_of(struct report *report, enum report_key key, int64_t of, double value)
{
    if (isfinite(value) && report_begin_numbered(report, key, of))
        report_put_number(report, value);
}

void report_count_of(struct report *report, enum report_key key, int64_t of, int64_t value)
{
    if (report_begin_numbered(report, key, of))
        report_put_count(report, value, '\n');
}

void report_text_of(struct report *report, enum report_key key, const char *of, const char *value)
{
    if (report_begin_line(report, key, of))
        report_put_text(report, value);
}

void report_counts_of(struct report *report, enum report_key key, int64_t of, const int64_t *value,
                      int64_t n)
{
    if (!report_begin_numbered(report, key, of))
        return;
    for (int64_t i = 0; i < n; i++)
        report_put_count(report, value[i], i + 1 < n ? ' ' : '\n');
}

void report_labels(struct report *report, const int32_t *label, int64_t count)
{
    report_count(report, REPORT_CLASSES, count);
    if (!report_begin_line(report, REPORT_LABELS, NULL))
        return;
    for (int64_t k = 0; k < count; k++)
        report_put_count(report, label[k], k + 1 < count ? ' ' : '\n');
}

void report_warning(struct report *report, const char *text)
{
    report->warnings++;
    report_text(report, REPORT_WARNING, text);
}

/* ---- its end ---- */

int report_flush(struct report *report, struct error *err)
{
    return report->path ? output_flush(&report->out, err) : 0;
}

int report_commit(struct report *report, struct error *err)
{
    return report->path ? output_commit(&report->out, err) : 0;
}

void report_abandon(struct report *report)
{
    output_abandon(&report->out);
}
