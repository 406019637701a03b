#include "labels.h"

#include "memory.h"
#include "number.h"

#include <string.h>

/* The first position whose label is not smaller. */
static int64_t lower_bound(const struct labels *labels, int64_t label)
{
    int64_t low = 0, high = labels->count;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (labels->value[middle] < label)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int64_t labels_find(const struct labels *labels, int64_t label)
{
    int64_t k = lower_bound(labels, label);
    return k < labels->count && labels->value[k] == label ? k : -1;
}

int64_t labels_require(const struct labels *labels, int64_t label, const char *file, int64_t line, struct error *err)
{
    int64_t k = labels_find(labels, label);
    if (k < 0)
        error_at(err, file, line, 1, "label %lld is not among the %lld classes", (long long)label, (long long)labels->count);
    return k;
}

int labels_require_several(const struct labels *labels, struct error *err)
{
    if (labels->count >= 2)
        return 0;
    return error_set(err, labels->count ? "only one class, %ld: there is nothing to tell apart (--labels names all classes)" : "no class",
                     labels->count ? (long)labels->value[0] : 0L);
}

int labels_from(const int32_t *value, int64_t count, struct labels *labels, struct error *err)
{
    for (int64_t k = 0; k < count; k++)
        if (labels_add(labels, value[k], err) != 0) {
            labels_free(labels);
            return -1;
        }
    return 0;
}

int labels_add(struct labels *labels, int32_t label, struct error *err)
{
    int64_t k = lower_bound(labels, label);
    if (k < labels->count && labels->value[k] == label)
        return 0;
    int32_t *value = memory_reserve(labels->value, &labels->capacity, labels->count + 1, sizeof *value, err);
    if (!value)
        return -1;
    labels->value = value;
    memmove(value + k + 1, value + k, (size_t)(labels->count - k) * sizeof *value);
    value[k] = label;
    labels->count++;
    return 0;
}

int labels_parse(const char *text, struct labels *labels, struct error *err)
{
    const char *p = text;
    struct labels found = {0};
    int status = 1;
    do {
        int64_t first, last;
        if (number_read_int(p, &p, INT32_MIN, INT32_MAX, &first) != NUMBER_OK)
            goto malformed;
        last = first;
        if (*p == '-' && number_read_int(p + 1, &p, INT32_MIN, INT32_MAX, &last) != NUMBER_OK)
            goto malformed;
        if (last < first || last - first >= 10000000)
            goto malformed;
        for (; first <= last; first++) {
            if (labels_find(&found, first) >= 0) {
                error_set(err, "label %lld is named twice in \"%s\"", (long long)first, text);
                goto fail;
            }
            if ((status = labels_add(&found, (int32_t)first, err)) != 0)
                goto fail;
            status = 1;
        }
    } while (*p++ == ',');
    if (p[-1] != '\0')
        goto malformed;
    *labels = found;
    return 0;

malformed:
    error_set(err, "\"%s\" is no list of labels (like 1,2,7 or 1-10)", text);
fail:
    labels_free(&found);
    return status;
}

int labels_copy(const struct labels *from, struct labels *to, struct error *err)
{
    int32_t *value = memory_new(from->count, sizeof *value, err);
    if (!value)
        return -1;
    if (from->count)
        memcpy(value, from->value, (size_t)from->count * sizeof *value);
    *to = (struct labels){from->count, from->count, value};
    return 0;
}

int labels_equal(const struct labels *a, const struct labels *b)
{
    return a->count == b->count && (a->count == 0 || memcmp(a->value, b->value, (size_t)a->count * sizeof *a->value) == 0);
}

void labels_free(struct labels *labels)
{
    memory_free(labels->value);
    *labels = (struct labels){0};
}
