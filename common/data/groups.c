/* Examples are sorted by the hash of the name, so that those of a group stand side by side. */
#include "common/data/groups.h"

#include "common/base/input.h"
#include "common/base/memory.h"
#include "common/base/number.h"
#include "common/data/example_lines.h"

#include <stdlib.h>

/* FNV-1a. */
static uint64_t groups_hash(const char *name, const char *end)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; name < end; name++)
        hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
    return hash;
}

int groups_read(const char *path, int64_t n, uint64_t **group, struct error *err)
{
    struct example_lines lines;
    int status = -1;
    if (!(*group = memory_new(n, sizeof **group, err))
        || example_lines_open(&lines, path, "groups", NULL, err) != 0)
        return -1;
    for (int64_t i = 0; i < n; i++) {
        if (example_lines_next(&lines, err) != 0)
            goto done;
        if (!text_rest(&lines.text)) {
            text_refuse(&lines.text, err, "the name of a group was expected");
            goto done;
        }
        (*group)[i] = groups_hash(lines.text.token, lines.text.p);
    }
    status = example_lines_end(&lines, err);
done:
    example_lines_close(&lines);
    return status;
}

struct group_key {
    uint64_t group;
    int64_t place;
};

static int groups_order(const void *a, const void *b)
{
    const struct group_key *u = a, *v = b;
    if (u->group != v->group)
        return u->group < v->group ? -1 : 1;
    return (u->place > v->place) - (u->place < v->place);
}

int groups_first(const uint64_t *group, int64_t n, int64_t folds, const char *path, int64_t **first,
                 struct error *err)
{
    struct group_key *key = memory_new(n, sizeof *key, err);
    char counted[NUMBER_COUNTED];
    int64_t start = 0, groups = 0;
    *first = memory_new(n, sizeof **first, err);
    if (!key || !*first) {
        memory_free(key);
        return -1;
    }
    for (int64_t i = 0; i < n; i++)
        key[i] = (struct group_key){group[i], i};
    qsort(key, (size_t)n, sizeof *key, groups_order);
    for (int64_t i = 0; i < n; i++) {
        if (i == 0 || key[i].group != key[start].group) {
            start = i;
            groups++;
        }
        (*first)[key[i].place] = key[start].place;
    }
    memory_free(key);
    if (groups >= folds)
        return 0;
    return error_at(err, input_name(path), 0, 0,
                    "%s: cross-validation in folds needs at least %lld",
                    number_counted(groups, "group", counted), (long long)folds);
}

int groups_note_large(const struct fold_examples *examples, const struct labels *labels,
                      const struct findings *to, struct error *err)
{
    struct findings_list list = {0};
    bool *large = memory_new(labels->count, sizeof *large, err);
    if (!large || folds_find_large_groups(examples, large, err) != 0) {
        memory_free(large);
        return -1;
    }
    for (int64_t k = 0; k < labels->count; k++)
        if (large[k])
            findings_list_add(&list, "%ld", (long)labels->value[k]);
    if (list.count > 0)
        findings_note(to,
                      "one group has more than half of the examples of these classes; those are "
                      "dealt to the folds one by one: %s",
                      findings_list_text(&list));
    memory_free(large);
    return 0;
}
