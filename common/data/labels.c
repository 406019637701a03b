/* A set in a sorted array that can grow in any order (Bentley and Saxe, Decomposable searching
 * problems, 1980).
 *
 * After the sorted part come the labels that arrived out of order, `unsettled` of them, in sorted
 * runs whose lengths are the powers of two in that number: 13 unsettled labels are runs of 8, 4 and
 * 1.  A new label is a run of 1, and while the last two runs have the same length they are merged.
 * So each label is moved O(log n) times whatever the order; inserting each in its place would move
 * O(n) others. */
#include "common/data/labels.h"

#include "common/base/findings.h"
#include "common/base/memory.h"
#include "common/base/number.h"
#include "common/base/reduce.h"

#include <assert.h>
#include <string.h>

/* Examples that are more than a sample of the format; no reason but that it works. */
enum { LABELS_TELLING = 50 };

/* The first position of run[0 .. size) whose label is not smaller, or size. */
static int64_t labels_lower_bound(const int32_t *run, int64_t size, int64_t label)
{
    int64_t low = 0, high = size;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (run[middle] < label)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The length of the last run, 0 when all is settled: the lowest bit of their number. */
static int64_t labels_last_run(int64_t unsettled)
{
    return unsettled & -unsettled;
}

int64_t labels_find(const struct labels *labels, int64_t label)
{
    assert(labels->unsettled == 0);
    int64_t k = labels_lower_bound(labels->value, labels->count, label);
    return k < labels->count && labels->value[k] == label ? k : -1;
}

bool labels_contain(const struct labels *labels, int64_t label)
{
    int64_t end = labels->count, unsettled = labels->unsettled;
    while (end > 0) {
        int64_t size = unsettled > 0 ? labels_last_run(unsettled) : end;
        const int32_t *run = labels->value + end - size;
        int64_t k = labels_lower_bound(run, size, label);
        if (k < size && run[k] == label)
            return true;
        end -= size;
        unsettled &= unsettled - 1; /* clears the lowest bit, which is the last run */
    }
    return false;
}

/* Merge two neighbouring runs, value[0 .. left) and the `right` labels after it, from their ends.
 * spare: workspace for `right` labels.  When the right run is used up, what remains of the left one
 * is in its place already. */
static void labels_merge(int32_t *value, int64_t left, int64_t right, int32_t *spare)
{
    if (left == 0 || right == 0)
        return;
    memcpy(spare, value + left, (size_t)right * sizeof *value);
    int64_t at = left + right;
    while (right > 0)
        value[--at] = left > 0 && value[left - 1] > spare[right - 1] ? value[--left]
                                                                     : spare[--right];
}

int64_t labels_require(const struct labels *labels, int64_t label, const char *file, int64_t line,
                       struct error *err)
{
    int64_t k = labels_find(labels, label);
    if (k < 0)
        error_at(err, file, line, 1, "label %lld is not among the %lld classes", (long long)label,
                 (long long)labels->count);
    return k;
}

int labels_require_several(const struct labels *labels, struct error *err)
{
    if (labels->count >= 2)
        return 0;
    if (labels->count == 0)
        return error_set(err, "no class");
    return error_set(err,
                     "only one class, %ld: at least two are needed (--labels names all classes)",
                     (long)labels->value[0]);
}

void labels_warn_many(const struct labels *labels, int64_t examples, const struct findings *to)
{
    if (examples >= LABELS_TELLING && 2 * labels->count > examples)
        findings_warn(to,
                      "%lld classes for %lld examples: is the first number of each line its class?",
                      (long long)labels->count, (long long)examples);
}

int labels_from(const int32_t *value, int64_t count, struct labels *labels, struct error *err)
{
    for (int64_t k = 0; k < count; k++)
        if (labels_add(labels, value[k], err) != 0) {
            labels_free(labels);
            return -1;
        }
    labels_settle(labels);
    return 0;
}

int labels_add(struct labels *labels, int32_t label, struct error *err)
{
    const bool largest = labels->unsettled == 0
                         && (labels->count == 0 || labels->value[labels->count - 1] < label);
    if (!largest && labels_contain(labels, label))
        return 0;
    int32_t *value = memory_reserve(labels->value, &labels->capacity, labels->count + 1,
                                    sizeof *value, err);
    if (!value)
        return -1;
    labels->value = value;
    if (!largest) {
        int32_t *spare = memory_reserve(labels->spare, &labels->spare_capacity,
                                        labels->unsettled + 1, sizeof *spare, err);
        if (!spare)
            return -1;
        labels->spare = spare;
        labels->unsettled++;
    }
    value[labels->count++] = label;
    for (int64_t size = 1; size < labels_last_run(labels->unsettled); size *= 2)
        labels_merge(value + labels->count - 2 * size, size, size, labels->spare);
    assert(labels->unsettled <= labels->count);
    return 0;
}

void labels_settle(struct labels *labels)
{
    int64_t last = 0; /* the length of the last run, into which the others are merged */
    while (labels->unsettled > 0) {
        int64_t size = labels_last_run(labels->unsettled);
        labels_merge(labels->value + labels->count - last - size, size, last, labels->spare);
        last += size;
        labels->unsettled -= size;
    }
    labels_merge(labels->value, labels->count - last, last, labels->spare);
    memory_free(labels->spare);
    labels->spare = NULL;
    labels->spare_capacity = 0;
}

/* Labels in a range: more is a typing error. */
enum { LABELS_LONGEST_RANGE = 10000000 };

/* Read `7` or `1-10` at *p and move *p after it.  Returns whether there is one. */
static bool labels_parse_range(const char **p, int64_t *first, int64_t *last)
{
    if (number_read_int(*p, p, INT32_MIN, INT32_MAX, first) != NUMBER_OK)
        return false;
    *last = *first;
    if (**p == '-' && number_read_int(*p + 1, p, INT32_MIN, INT32_MAX, last) != NUMBER_OK)
        return false;
    return *last >= *first;
}

/* Read a list into `found`, not settled.  0 or -1. */
static int labels_parse_list(const char *text, struct labels *found, struct error *err)
{
    const char *p = text;
    do {
        int64_t first, last;
        if (!labels_parse_range(&p, &first, &last))
            goto malformed;
        if (last - first >= LABELS_LONGEST_RANGE)
            return error_usage(err, "--labels: a range of labels in \"%s\" has more than %d", text,
                               LABELS_LONGEST_RANGE);
        for (int64_t label = first; label <= last; label++) {
            if (labels_contain(found, label))
                return error_usage(err, "--labels: label %lld is named twice in \"%s\"",
                                   (long long)label, text);
            if (labels_add(found, (int32_t)label, err) != 0)
                return -1;
        }
    } while (*p++ == ',');
    if (p[-1] == '\0')
        return found->count >= 2
                   ? 0
                   : error_usage(err, "--labels names one class: at least two are needed");
malformed:
    return error_usage(err, "--labels: \"%s\" is not a list of labels (like 1,2,7 or 1-10)", text);
}

int labels_parse(const char *text, struct labels *labels, struct error *err)
{
    struct labels found = {0};
    if (labels_parse_list(text, &found, err) != 0) {
        labels_free(&found);
        return -1;
    }
    labels_settle(&found);
    *labels = found;
    return 0;
}

int labels_share(struct labels *labels, struct error *err)
{
    const int64_t mine = labels->count, first = reduce_before(mine), all = reduce_count(mine);
    int32_t *value = memory_new(all, sizeof *value, err);
    if (!value)
        return -1;
    if (mine > 0)
        memcpy(value + first, labels->value, (size_t)mine * sizeof *value);
    reduce_gather(value, sizeof *value, first, mine);
    int status = -1;
    for (int64_t i = 0; i < all; i++)
        if (labels_add(labels, value[i], err) != 0)
            goto done;
    status = 0;
done:
    labels_settle(labels);
    memory_free(value);
    return status;
}

int labels_copy(const struct labels *from, struct labels *to, struct error *err)
{
    int32_t *value = memory_new(from->count, sizeof *value, err);
    if (!value)
        return -1;
    if (from->count)
        memcpy(value, from->value, (size_t)from->count * sizeof *value);
    *to = (struct labels){.count = from->count, .capacity = from->count, .value = value};
    return 0;
}

bool labels_equal(const struct labels *a, const struct labels *b)
{
    return a->count == b->count
           && (a->count == 0
               || memcmp(a->value, b->value, (size_t)a->count * sizeof *a->value) == 0);
}

void labels_free(struct labels *labels)
{
    memory_free(labels->value);
    memory_free(labels->spare);
    *labels = (struct labels){0};
}
