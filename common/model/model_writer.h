/* Writing linear model files (format: model.h), whole or not at all; a number that is not finite is
 * refused.
 *
 *     model_begin, model_put_table "w", model_put_trailer, keywords and blocks, model_finish;
 *     model_abandon at any point */
#ifndef COMMON_MODEL_MODEL_WRITER_H
#define COMMON_MODEL_MODEL_WRITER_H

#include "common/base/error.h"
#include "common/base/output.h"
#include "common/data/data_form.h"
#include "common/data/labels.h"
#include "common/linear/weights.h"

#include <stdint.h>

struct model_writer {
    struct output out;
    struct labels labels; /* borrowed; ascending */
    int64_t d;            /* of the data */
    double bias;
    const struct feature_numbers *numbers; /* borrowed, as in struct data_form */
    bool maps;                             /* the rows of tables are features of a map */
    int threads;
};

/* A source of rows of numbers: returns the numbers of row i (model_put_rows), or of feature i
 * (model_put_features).  They may be put into buffer, which has the length of a row.  Called on
 * several threads at once. */
typedef const double *model_row(const void *context, int64_t i, double *buffer);

/* Open the target and write the head.
 *
 * labels   borrowed until model_finish or model_abandon
 * columns  K, or 1 for two classes with one weight vector
 * d        of the tables, which have a row for each feature 1 .. d
 * form     its bias, < 0: none; its map, which makes LIBLINEAR refuse the model; its numbers, in
 *          place of which the file has the indices of the data
 * 0 or -1. */
int model_begin(struct model_writer *writer, const char *path, const struct labels *labels,
                int64_t columns, int64_t d, const struct data_form *form, int threads,
                struct error *err);

/* A line with a keyword and rows of `columns` numbers below it.  0, or -1 with err: no memory, or a
 * number is not finite. */
int model_put_rows(struct model_writer *writer, const char *keyword, int64_t rows, int64_t columns,
                   model_row *row, const void *context, struct error *err);

/* The same of rows for the features of the data and, with a bias, for that, which is the last.
 *
 * row     by the number j of the feature, 0 for the bias
 * absent  every number of a feature that does not occur (number_features.h) */
int model_put_features(struct model_writer *writer, const char *keyword, int64_t columns,
                       model_row *row, const void *context, double absent, struct error *err);

/* The same of a table of d + 1 rows, where `absent` is its initial value. */
int model_put_table(struct model_writer *writer, const char *keyword, const struct weights *table,
                    struct error *err);

/* The block `w`, what LIBLINEAR reads: the weights or, of two columns, the second less the first.
 * 0 or -1. */
int model_put_weights(struct model_writer *writer, const struct weights *w, struct error *err);

void model_put_trailer(struct model_writer *writer); /* between `w` and the first keyword */
void model_put_word(struct model_writer *writer, const char *keyword, const char *word);
void model_put_int(struct model_writer *writer, const char *keyword, int64_t value);
void model_put_number(struct model_writer *writer, const char *keyword, double value);

/* seed, unit_length, zero_based, and what the map is made of; the bias stands in the head. */
void model_put_form(struct model_writer *writer, const struct data_form *form);

/* Write `end` and put the file into place (output_commit).  0 or -1. */
int model_finish(struct model_writer *writer, struct error *err);

/* Give up: the target stays as it was. */
void model_abandon(struct model_writer *writer);

#endif
