/* One line of LIBSVM text -> one sparse example: the only tokenizer of data.
 *
 *     <label> <index>:<value> <index>:<value> ... [# comment]
 *     <label>:<feedback>:<propensity> <index>:<value> ...         in a bandit log
 *
 * Strict: a line that is not exactly of this form is refused with a column and a reason; nothing is
 * guessed. */
#ifndef COMMON_DATA_EXAMPLE_H
#define COMMON_DATA_EXAMPLE_H

#include "common/base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct bad_lines;

#define EXAMPLE_UNLABELLED INT64_MIN /* the label of a line that starts with `?` */

/* What a line of a bandit log says beside its label, which is the label that was shown. */
struct feedback {
    int f;    /* was it right?  1 or 0 (-1 in the text is 0) */
    double p; /* the probability with which it was shown, 0 < p <= 1; 0: the line does not say */
};

/* A view of one example; the arrays belong to whoever made it. */
struct example {
    int64_t label; /* in the range of int32, or EXAMPLE_UNLABELLED */
    int64_t line;  /* of the file, 1-based */
    int64_t size;  /* number of entries */

    /* size entries, ascending, 1 .. 2^31-1; the bias, if any, is the last entry and has index 0. */
    const int32_t *index;
    const double *value; /* size entries, finite */

    double length; /* before it was brought to length 1 (struct example_format); 0: it was not */
    struct feedback feedback; /* of a line of a bandit log */
};

static inline bool example_has_bias(const struct example *x)
{
    return x->size > 0 && x->index[x->size - 1] == 0;
}

/* The largest index of an example, 0 when there is none. */
static inline int32_t example_largest_index(const struct example *x)
{
    const int64_t n = x->size - example_has_bias(x);
    return n > 0 ? x->index[n - 1] : 0;
}

/* How many of its entries, but for the bias, belong to features below j. */
static inline int64_t example_count_below(const struct example *x, int64_t j)
{
    int64_t low = 0, high = x->size - example_has_bias(x);
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (x->index[middle] < j)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Its entries of features first .. end-1, without the bias: a view. */
static inline struct example example_between(const struct example *x, int64_t first, int64_t end)
{
    struct example part = *x;
    const int64_t from = example_count_below(x, first);
    part.size = example_count_below(x, end) - from;
    if (part.size > 0) {
        part.index += from;
        part.value += from;
    }
    return part;
}

static inline double example_squared_norm(const struct example *x)
{
    double sum = 0;
    for (int64_t e = 0; e < x->size; e++)
        sum += x->value[e] * x->value[e];
    return sum;
}

/* u'v by merging their indices. */
static inline double example_product(const struct example *u, const struct example *v)
{
    double sum = 0;
    for (int64_t i = 0, j = 0; i < u->size && j < v->size;) {
        /* The bias, index 0, comes last: minus 1 it is the largest unsigned number. */
        uint32_t p = (uint32_t)u->index[i] - 1, q = (uint32_t)v->index[j] - 1;
        if (p == q)
            sum += u->value[i++] * v->value[j++];
        else if (p < q)
            i++;
        else
            j++;
    }
    return sum;
}

struct problem;

/* Features that are made of the examples where they are read: kernel/feature_map.h. */
struct example_map {
    /* raw: the examples, without a bias.  mapped: in and out, emptied, its memory used again;
     * `bias` as in struct example_format.  Called on several threads at once.  0 or -1. */
    int (*apply)(struct example_map *map, const struct problem *raw, double bias,
                 struct problem *mapped, struct error *err);
    int64_t dims; /* features of a mapped example */
};

/* How lines are read and what is done to each example. */
struct example_format {
    bool zero_based;    /* indices start at 0 in the file: 1 is added to each */
    bool unlabelled;    /* the label `?` is allowed */
    bool labels_only;   /* stop after the label (to scan a file for its classes) */
    bool log;           /* lines of a bandit log */
    bool no_propensity; /* of a log: lines need not give p */
    bool no_label;      /* lines hold features only (in models); the label is EXAMPLE_UNLABELLED */
    bool unit_length;   /* scale to Euclidean length 1, bias included; a zero vector stays */
    bool keep_lengths;  /* problems keep the lengths that examples had before */
    double bias;        /* < 0: none; else the value of an entry with index 0 after the others */
    struct bad_lines *bad;   /* lines that may be skipped, for readers of whole inputs (stream.h);
                                NULL: none, the first is an error */
    bool *cut;               /* set by stream.h where a pipe, or a log, ends without a newline: what
                                wrote it may have died, and its last value may lack digits, which no
                                reader can tell.  A file that people write may end so.  NULL:
                                nobody asks */
    struct example_map *map; /* applied by stream.h, before the bias is added; NULL: none */
};

/* Scale n values to Euclidean length 1, without overflow or underflow on the way; zeros stay.
 * Returns the length they had, which may be infinite. */
double example_unit_length(double *value, int64_t n);

/* Parse the line that starts at *p.
 *
 * p             in and out: moved to the next line (after an error: undefined)
 * end           of the text, which must end with '\n' and have NUMBER_PAD readable bytes after it;
 *               *p < end
 * index, value  out: space for (length of the line) / 2 entries each, which no line exceeds, the
 *               bias included
 * out           label, size, length and feedback are set; index, value and line are left alone
 * Returns 1: an example; 0: an empty line or a comment; -1: err has column and message.
 * O(length). */
int example_parse(const char **p, const char *end, const struct example_format *format,
                  int32_t *index, double *value, struct example *out, struct error *err);

#endif
