/* A data set: compressed sparse rows, in memory; or with its entries on disk, where rows.h reads
 * them and problem_example does not. */
#ifndef COMMON_DATA_PROBLEM_H
#define COMMON_DATA_PROBLEM_H

#include "common/base/error.h"
#include "common/base/vectors.h"
#include "common/data/example.h"
#include "common/data/labels.h"

#include <stdint.h>

struct entry_file;
struct feature_numbers;

struct problem {
    int64_t n;          /* examples */
    int64_t nnz;        /* entries */
    int64_t lines;      /* lines of text that were read, examples or not */
    int32_t d;          /* the largest index */
    int64_t *label;     /* n: as in struct example */
    int64_t *line;      /* n: where in the file */
    int64_t *row_start; /* n + 1: entries of example i are row_start[i] .. row_start[i+1]-1 */
    int32_t *index;     /* nnz; NULL on disk */
    double *value;      /* nnz; NULL on disk */
    int64_t rows_capacity, entries_capacity;
    bool dense; /* all examples have the same indices, which stand once (problem_make_dense) */

    /* Do examples have feedback, of a bandit log?  Set by the caller before the first example, or
     * by the first text that is appended. */
    bool log;
    struct feedback *feedback; /* n if log, else NULL */

    /* The lengths that examples had (struct example), if the format asks for them; set as log is.
     */
    bool keeps_lengths;
    double *length; /* n if keeps_lengths, else NULL */

    struct entry_file *disk; /* the entries, in their order; NULL: they are in memory */
    const struct feature_numbers *numbers; /* borrowed: to be put in place of the indices on disk
                                              (feature_numbers.h); NULL: none are */
};

/* Make space for `rows` more examples and `entries` more entries.  0 or -1. */
int problem_reserve(struct problem *problem, int64_t rows, int64_t entries, struct error *err);

/* Parse a text (terminated as example_parse needs it) and append its examples; line numbers
 * continue from problem->lines.  0, or -1 with err->line set; the examples before that line are
 * kept. */
int problem_append_text(struct problem *problem, const char *text, const char *end,
                        const struct example_format *format, struct error *err);

/* The same from *text on, so that a bad line can be skipped: after an error, *text is the start of
 * that line.  A label that format->bad does not know is an error. */
int problem_append_lines(struct problem *problem, const char **text, const char *end,
                         const struct example_format *format, struct error *err);

/* Make this n examples with `entries` entries each: their labels, lines and values, and the indices
 * that all of them have, are to be set by the caller.  8 bytes an entry; nothing can be appended.
 * problem: empty, or made so before (its memory is used again).  0 or -1. */
int problem_make_dense(struct problem *problem, int64_t n, int64_t entries, struct error *err);

/* Append one example.  0 or -1. */
int problem_append_example(struct problem *problem, const struct example *x, struct error *err);

/* Append example i of another problem, as it is or, where `from` keeps lengths, at the length that
 * it had.  0 or -1. */
int problem_append_from(struct problem *problem, const struct problem *from, int64_t i,
                        bool at_length, struct error *err);

/* Append an example at the length that it had, if that is finite.  0 or -1. */
int problem_append_at_length(struct problem *problem, const struct example *x, struct error *err);

/* Append a bias to the last example.  0 or -1. */
int problem_append_bias(struct problem *problem, double bias, struct error *err);

/* Append all examples of another problem, with problem->lines added to their line numbers.  0 or
 * -1. */
int problem_append(struct problem *problem, const struct problem *from, struct error *err);

/* Move the entries to a temporary file in this folder, to which those of further examples are
 * appended by problem_append.  0, or -1 with err; the problem is then unchanged. */
int problem_to_disk(struct problem *problem, const char *folder, struct error *err);

/* Drop the examples whose weight is not above 0; d becomes the largest index of the others.  The
 * problem is in memory.  weight: n. */
void problem_drop(struct problem *problem, const double *weight);

/* Drop the examples but keep the memory. */
void problem_clear(struct problem *problem);

/* Add the distinct labels (except `?`), of all ranks (reduce.h), to a set, and settle it.  0 or
 * -1. */
int problem_labels(const struct problem *problem, struct labels *labels, struct error *err);

/* The same for a part of the data: the caller settles the set after the last part. */
int problem_add_labels(const struct problem *problem, struct labels *labels, struct error *err);

/* y[i] = the position of example i's label in a settled set (n entries, out).  0, or -1 with
 * FILE:LINE when a label is not in it, on any rank. */
int problem_classes(const struct problem *problem, const struct labels *labels, const char *file,
                    int32_t *y, struct error *err);

/* A view of example i; the entries are in memory. */
static inline struct example problem_example(const struct problem *problem, int64_t i)
{
    int64_t first = problem->row_start[i];
    return (struct example){.label = problem->label[i],
                            .line = problem->line[i],
                            .size = problem->row_start[i + 1] - first,
                            .index = problem->index + (problem->dense ? 0 : first),
                            .value = problem->value + first,
                            .length = problem->keeps_lengths ? problem->length[i] : 0,
                            .feedback = problem->log ? problem->feedback[i] : (struct feedback){0}};
}

/* A view of n examples from `first` on.  Not to be appended to, or freed. */
static inline struct problem problem_part(const struct problem *problem, int64_t first, int64_t n)
{
    struct problem part = *problem;
    part.n = n;
    part.label += first;
    part.line += first;
    part.row_start += first;
    if (part.log)
        part.feedback += first;
    if (part.keeps_lengths)
        part.length += first;
    return part;
}

/* Ask for the first cache lines of an example that will be used soon: four of values and two of
 * indices, 32 entries.  No reason for these numbers but that they work. */
static inline void problem_prefetch(const struct problem *problem, int64_t i)
{
    int64_t first = problem->row_start[i];
    for (int64_t line = 0; line < 4; line++)
        PREFETCH(problem->value + first + 8 * line);
    for (int64_t line = 0; line < 2; line++)
        PREFETCH(problem->index + first + 16 * line);
}

/* Bytes that n examples with nnz entries take, of a bandit log or not, without their lengths; of a
 * dense problem. */
double problem_bytes(double n, double nnz, bool log);
double problem_dense_bytes(double n, double entries, bool log);

/* Bytes of n examples with nnz entries in memory, held with all that this problem holds; and of its
 * own. */
double problem_bytes_like(const struct problem *problem, double n, double nnz);
double problem_bytes_held(const struct problem *problem);

void problem_free(struct problem *problem);

#endif
