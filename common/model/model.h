/* Reading linear model files: LIBLINEAR's head and weights exactly, then a trailer of our own.
 *
 *     solver_type, nr_class, label, nr_feature, bias, w, d rows (d + 1 with a bias)
 *     libdoubt 1
 *     keyword value          <- entries: a line each
 *     keyword                <- blocks: the keyword alone, then rows of numbers
 *     1 2 3
 *     end
 *
 * A model of mapped features starts with a line `map nystrom` or `map fourier`, and its trailer has
 * map_dims, map_gamma and map_seed or `landmarks D`, below which stand D lines of index:value
 * pairs; if the kernel does not see the data's features as they are (feature_metric.h), also a
 * block map_scales of factors, or `map_metric d` and d lines of pairs below it, the rows of L. */
#ifndef COMMON_MODEL_MODEL_H
#define COMMON_MODEL_MODEL_H

#include "common/base/error.h"
#include "common/data/data_form.h"
#include "common/data/labels.h"
#include "common/kernel/feature_map.h"
#include "common/linear/weights.h"

#include <stdbool.h>
#include <stdint.h>

enum { MODEL_KEYWORD = 32 }; /* bytes of one, in a model file */

struct model_entry {
    char keyword[MODEL_KEYWORD];
    char *text; /* the value, NUL-terminated, at most to the end of the line */
    int64_t line;
};

struct model_block {
    char keyword[MODEL_KEYWORD];
    int64_t line, rows, columns;
    bool kept;      /* with keep_state, or needed for prediction too */
    double *number; /* rows x columns if kept, else undefined */
};

struct model {
    char file[256];  /* where it was read from */
    char solver[32]; /* solver_type */
    int64_t classes; /* nr_class */
    int32_t *label;  /* classes, in the file's order */
    int64_t d;       /* nr_feature */
    double bias;     /* < 0: none */

    /* What the d features are made of; kind FEATURE_MAP_NONE: they are those of the data. */
    struct feature_map map;

    /* Rows 0 .. d (row 0: the bias), `classes` columns; for two classes one column, and a positive
     * score means label[0]. */
    struct weights w;

    /* The trailer; a model of LIBLINEAR's has no entries. */
    int64_t entries, blocks, entries_capacity, blocks_capacity;
    struct model_entry *entry;
    struct model_block *block;
};

/* Read and check a whole model ("-": standard input).
 *
 * keep_state  false: the blocks of the trailer are checked but not kept: prediction has no use for
 *             them
 * model       out, zero before; free with model_free
 *
 * No more is allocated than the size of the file justifies.  0, or -1 with FILE:LINE. */
int model_read(const char *path, int threads, bool keep_state, struct model *model,
               struct error *err);

/* The same of a text that has just been opened (text.h), from which nothing is taken. */
struct text;
int model_read_text(const struct text *text, int threads, bool keep_state, struct model *model,
                    struct error *err);

/* Has the trailer this entry? */
bool model_has(const struct model *model, const char *keyword);

/* The value of an entry of the trailer.  word: borrowed from the model.  0, or -1 with FILE:LINE
 * when it is absent, malformed or not in lowest .. highest. */
int model_word(const struct model *model, const char *keyword, const char **word,
               struct error *err);
int model_int(const struct model *model, const char *keyword, int64_t lowest, int64_t highest,
              int64_t *value, struct error *err);
int model_number(const struct model *model, const char *keyword, double lowest, double highest,
                 double *value, struct error *err);

/* The same for 0 or 1. */
int model_flag(const struct model *model, const char *keyword, bool *flag, struct error *err);

/* The position of an entry's value in a NULL-terminated list of words.  0, or -1 with err (the
 * file, without a line): it is absent, or none of them. */
int model_choice(const struct model *model, const char *keyword, const char *const *choices,
                 int64_t *value, struct error *err);

/* Move the map out of a model: what is left is one of d features of any kind.  Whoever uses a model
 * takes its map, if only to refuse it; model_form refuses a model that still has one. */
struct feature_map model_take_map(struct model *model);

/* What model_put_form has written, and the bias, to go on from the model: a final one is refused,
 * and one that still has its map.  form: out; map and numbers are NULL, and the caller sets map to
 * the one that was taken.  0, or -1 with err. */
int model_form(const struct model *model, struct data_form *form, struct error *err);

/* The classes, ascending.  labels: out, empty before.  0, or -1 when the file has them in another
 * order than the models that we write. */
int model_labels(const struct model *model, struct labels *labels, struct error *err);

/* A block of the trailer, which must have this shape; one without rows has no columns.  NULL with
 * err. */
const struct model_block *model_find_block(const struct model *model, const char *keyword,
                                           int64_t rows, int64_t columns, struct error *err);

/* Fill a table from a block of rows 1 .. d and, with a bias, row 0 last.  table: made for the
 * columns that the block must have; grown here.  0 or -1. */
int model_read_table(const struct model *model, const char *keyword, struct weights *table,
                     struct error *err);

void model_free(struct model *model);

#endif
