/* The features that occur in a data set, numbered 1, 2, ... in the order of their indices.
 *
 * Learners hold tables with a row for each feature up to the largest index.  Where text has been
 * hashed, or features were selected elsewhere, most indices may not occur: the data set is numbered
 * anew for the learners (number_features.h), and the model that is written has the indices of the
 * data again (model_writer.h). */
#ifndef COMMON_DATA_FEATURE_NUMBERS_H
#define COMMON_DATA_FEATURE_NUMBERS_H

#include "common/base/error.h"

#include <stdint.h>

enum { FEATURE_NUMBERS_WORD = 64 }; /* bits a word */

struct feature_numbers {
    int32_t d;         /* the largest index of the data */
    int32_t count;     /* features that occur; 0: the data have their own indices */
    uint64_t *occurs;  /* a bit for each index, the lowest of a word first: the feature does */
    int32_t *before;   /* features that occur below each block of eight words */
    int32_t *original; /* count: the index of each, ascending */
};

/* Space for the features up to d, none of which occurs yet: their bits are to be set, then
 * feature_numbers_count called.  numbers: out; free with feature_numbers_free.  0.14 d bytes, most
 * of which are touched only where features occur.  0 or -1. */
int feature_numbers_start(struct feature_numbers *numbers, int32_t d, struct error *err);

/* Of numbers->occurs. */
int64_t feature_numbers_words(const struct feature_numbers *numbers);

static inline void feature_numbers_mark(struct feature_numbers *numbers, int32_t index)
{
    numbers->occurs[index / FEATURE_NUMBERS_WORD] |= UINT64_C(1) << index % FEATURE_NUMBERS_WORD;
}

/* Number the features that occur.  Where all do, or none, *numbers becomes empty.  0 or -1. */
int feature_numbers_count(struct feature_numbers *numbers, struct error *err);

/* Put numbers in place of indices, all of which occur or are 0, the bias. */
void feature_numbers_put(const struct feature_numbers *numbers, int32_t *index, int64_t count);

/* ---- NULL, or empty: the problem has the indices of the data ---- */

/* The number of a feature of the data; 0: it does not occur. */
int64_t feature_numbers_of(const struct feature_numbers *numbers, int64_t index);

/* The index in the data of a feature of the problem. */
int64_t feature_numbers_original(const struct feature_numbers *numbers, int64_t number);

/* The same as the file has it, whose indices start at 0 if zero_based. */
int64_t feature_numbers_in_file(const struct feature_numbers *numbers, int64_t number,
                                bool zero_based);

/* The largest index of the data, of which a problem of d features is made. */
int64_t feature_numbers_d(const struct feature_numbers *numbers, int64_t d);

void feature_numbers_free(struct feature_numbers *numbers);

#endif
