/* The names stay in the text of the file; each is ended there by a NUL.  Sorted by label, so that
 * one is found in O(log count). */
#include "common/data/names.h"

#include "common/base/memory.h"
#include "common/base/order.h"

#include <stdlib.h>
#include <string.h>

/* By label, then by line. */
static int names_compare(const void *a, const void *b)
{
    const struct name *u = a, *v = b;
    return order_by(u->label, v->label, u->line, v->line);
}

/* The rest of the line as a name.  0 or -1. */
static int names_read_one(struct names *names, int64_t label, struct error *err)
{
    struct text *text = &names->text;
    if (!text_rest(text))
        return text_refuse(text, err, "no name follows the label");
    char *name = text->block + (text->token - text->block);
    char *end = text->block + (text->p - text->block);
    for (; text->token < end; text->token++)
        if ((unsigned char)*text->token < 0x20 || *text->token == 0x7f)
            return text_refuse(text, err, "a control character in a name");
    *end = '\0';
    struct name *more = memory_reserve(names->name, &names->capacity, names->count + 1,
                                       sizeof *more, err);
    if (!more)
        return -1;
    names->name = more;
    more[names->count++] = (struct name){(int32_t)label, text->number, name};
    return 0;
}

/* By name, then by line. */
static int names_compare_text(const void *a, const void *b)
{
    const struct name *u = *(const struct name *const *)a, *v = *(const struct name *const *)b;
    const int by_name = strcmp(u->text, v->text);
    return by_name != 0 ? by_name : (u->line > v->line) - (u->line < v->line);
}

/* No name is that of two labels, which could not be told apart.  0 or -1. */
static int names_check_unique(const struct names *names, struct error *err)
{
    const struct name **by_text = memory_new(names->count, sizeof *by_text, err);
    int status = -1;
    if (!by_text)
        return -1;
    for (int64_t i = 0; i < names->count; i++)
        by_text[i] = &names->name[i];
    qsort(by_text, (size_t)names->count, sizeof *by_text, names_compare_text);
    for (int64_t i = 1; i < names->count; i++)
        if (strcmp(by_text[i]->text, by_text[i - 1]->text) == 0) {
            error_at(err, names->text.name, by_text[i]->line, 0,
                     "label %ld has the name of label %ld, in line %lld", (long)by_text[i]->label,
                     (long)by_text[i - 1]->label, (long long)by_text[i - 1]->line);
            goto done;
        }
    status = 0;
done:
    memory_free(by_text);
    return status;
}

int names_read(const char *path, struct names *names, struct error *err)
{
    *names = (struct names){.count = 0};
    if (text_open(&names->text, path, err) != 0)
        return -1;
    while (text_line_of_data(&names->text)) {
        int64_t label;
        if (text_int(&names->text, INT32_MIN, INT32_MAX, &label, err) < 0
            || names_read_one(names, label, err) != 0)
            return -1;
    }
    if (names->count == 0)
        return error_at(err, names->text.name, 0, 0, "no names found");
    qsort(names->name, (size_t)names->count, sizeof *names->name, names_compare);
    for (int64_t i = 1; i < names->count; i++)
        if (names->name[i].label == names->name[i - 1].label)
            return error_at(err, names->text.name, names->name[i].line, 0,
                            "label %ld has a name already, in line %lld",
                            (long)names->name[i].label, (long long)names->name[i - 1].line);
    return names_check_unique(names, err);
}

/* NULL: the label has no name. */
static const struct name *names_find(const struct names *names, int32_t label)
{
    const struct name key = {.label = label};
    int64_t first = 0, end = names->count; /* the first with a label that is not below */
    while (first < end) {
        const int64_t middle = first + (end - first) / 2;
        if (names_compare(&names->name[middle], &key) < 0)
            first = middle + 1;
        else
            end = middle;
    }
    return first < names->count && names->name[first].label == label ? &names->name[first] : NULL;
}

const struct name *names_require(const struct names *names, int32_t label, struct error *err)
{
    const struct name *name = names_find(names, label);
    if (!name)
        error_at(err, names->text.name, 0, 0, "label %ld has no name", (long)label);
    return name;
}

void names_print(FILE *out, const struct names *names, int32_t label)
{
    const struct name *name = names_find(names, label);
    if (name)
        fprintf(out, "  %s", name->text);
}

void names_free(struct names *names)
{
    text_close(&names->text);
    memory_free(names->name);
    *names = (struct names){0};
}
