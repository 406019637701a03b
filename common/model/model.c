/* What a model that was read says of itself: the entries and blocks of its trailer. */
#include "common/model/model.h"

#include "common/base/memory.h"
#include "common/base/number.h"

#include <string.h>

/* The entry of a keyword, or NULL with err. */
static const struct model_entry *model_find_entry(const struct model *model, const char *keyword,
                                                  struct error *err)
{
    for (int64_t i = 0; i < model->entries; i++)
        if (strcmp(model->entry[i].keyword, keyword) == 0)
            return &model->entry[i];
    if (model->entries == 0)
        error_at(err, model->file, 0, 0,
                 "this model has no LIBDOUBT trailer: it can predict, but training cannot resume "
                 "from it");
    else
        error_at(err, model->file, 0, 0, "the trailer has no `%s`", keyword);
    return NULL;
}

bool model_has(const struct model *model, const char *keyword)
{
    return model_find_entry(model, keyword, NULL) != NULL;
}

static int model_refuse_entry(const struct model *model, const struct model_entry *entry,
                              struct error *err)
{
    return error_at(err, model->file, entry->line, 0,
                    "the value of `%s` is malformed or out of range", entry->keyword);
}

int model_word(const struct model *model, const char *keyword, const char **word, struct error *err)
{
    const struct model_entry *entry = model_find_entry(model, keyword, err);
    if (!entry)
        return -1;
    *word = entry->text;
    return 0;
}

int model_int(const struct model *model, const char *keyword, int64_t lowest, int64_t highest,
              int64_t *value, struct error *err)
{
    const struct model_entry *entry = model_find_entry(model, keyword, err);
    if (!entry)
        return -1;
    if (number_int_from_word(entry->text, lowest, highest, value) != 0)
        return model_refuse_entry(model, entry, err);
    return 0;
}

int model_number(const struct model *model, const char *keyword, double lowest, double highest,
                 double *value, struct error *err)
{
    const struct model_entry *entry = model_find_entry(model, keyword, err);
    double v;
    if (!entry)
        return -1;
    if (number_from_word(entry->text, &v) != 0 || v < lowest || v > highest)
        return model_refuse_entry(model, entry, err);
    *value = v;
    return 0;
}

int model_flag(const struct model *model, const char *keyword, bool *flag, struct error *err)
{
    int64_t value;
    if (model_int(model, keyword, 0, 1, &value, err) != 0)
        return -1;
    *flag = value;
    return 0;
}

int model_choice(const struct model *model, const char *keyword, const char *const *choices,
                 int64_t *value, struct error *err)
{
    const char *word;
    if (model_word(model, keyword, &word, err) != 0)
        return -1;
    for (*value = 0; choices[*value]; ++*value)
        if (strcmp(word, choices[*value]) == 0)
            return 0;
    return error_at(
        err, model->file, 0, 0,
        "`%s %.40s` is not known here: the model is another program's, or newer than this one",
        keyword, word);
}

struct feature_map model_take_map(struct model *model)
{
    const struct feature_map map = model->map;
    model->map = (struct feature_map){.kind = FEATURE_MAP_NONE};
    return map;
}

int model_form(const struct model *model, struct data_form *form, struct error *err)
{
    if (model_has(model, "final"))
        return error_at(err, model->file, 0, 0,
                        "training cannot go on from this model: it holds only what prediction "
                        "needs (written with --final, or learnt on features that were made from "
                        "the data)");
    if (model->map.kind != FEATURE_MAP_NONE)
        return error_at(err, model->file, 0, 0,
                        "this model has a map: its features are not those of the data");
    form->bias = model->bias;
    form->final = false;
    form->map = NULL;
    form->numbers = NULL;
    if (model_flag(model, "unit_length", &form->unit_length, err) != 0
        || model_flag(model, "zero_based", &form->zero_based, err) != 0)
        return -1;
    return model_int(model, "seed", 0, NUMBER_LARGEST_INT, &form->seed, err);
}

int model_labels(const struct model *model, struct labels *labels, struct error *err)
{
    if (labels_from(model->label, model->classes, labels, err) != 0)
        return -1;
    for (int64_t k = 0; k < model->classes; k++)
        if (model->label[k] != labels->value[model->classes == 2 ? 1 - k : k]) {
            labels_free(labels);
            return error_at(
                err, model->file, 0, 0,
                "the labels are not in the order of LIBDOUBT's models (ascending; of two, the "
                "larger first)");
        }
    return 0;
}

const struct model_block *model_find_block(const struct model *model, const char *keyword,
                                           int64_t rows, int64_t columns, struct error *err)
{
    for (int64_t i = 0; i < model->blocks; i++) {
        const struct model_block *block = &model->block[i];
        if (strcmp(block->keyword, keyword) != 0)
            continue;
        if (block->rows == rows && (block->columns == columns || rows == 0))
            return block;
        error_at(err, model->file, block->line, 0, "`%s` has %lld x %lld numbers, not %lld x %lld",
                 keyword, (long long)block->rows, (long long)block->columns, (long long)rows,
                 (long long)columns);
        return NULL;
    }
    error_at(err, model->file, 0, 0, "the trailer has no `%s`", keyword);
    return NULL;
}

int model_read_table(const struct model *model, const char *keyword, struct weights *table,
                     struct error *err)
{
    int64_t rows = model->d + (model->bias >= 0);
    const struct model_block *block = model_find_block(model, keyword, rows, table->columns, err);
    if (!block || weights_grow(table, model->d, err) != 0)
        return -1;
    for (int64_t i = 0; i < rows; i++)
        memcpy(table->w + weights_feature_at(i, table->rows) * table->stride,
               block->number + i * block->columns, (size_t)block->columns * sizeof(double));
    return 0;
}

void model_free(struct model *model)
{
    for (int64_t i = 0; i < model->entries; i++)
        memory_free(model->entry[i].text);
    for (int64_t i = 0; i < model->blocks; i++)
        memory_free(model->block[i].number);
    memory_free(model->entry);
    memory_free(model->block);
    memory_free(model->label);
    memory_free(model->w.block);
    feature_map_free(&model->map);
    *model = (struct model){0};
}
