/* A search for the minimum while it goes on: what forward_minimum.c shares with the loss and its
 * metric, and these with the sums over the examples, by parts, by slices and transposed. */
#ifndef LEARNERS_FORWARD_FORWARD_MINIMUM_STATE_H
#define LEARNERS_FORWARD_FORWARD_MINIMUM_STATE_H

#include "common/base/order.h"
#include "common/base/parallel.h"
#include "common/data/rows.h"
#include "learners/forward/forward_minimum.h"
#include "learners/forward/forward_state.h"

enum {
    MINIMUM_PARTS = 16,  /* of the examples: no reason but that it is enough for the threads of most
                            machines */
    MINIMUM_SLICES = 64, /* of the features: enough for threads to share evenly */
    MINIMUM_SLICES_AT_ONCE = 16, /* of these, where each thread sums one: no reason but that it is
                                    enough for the threads of most machines */
    MINIMUM_BLOCK = 256, /* examples whose p - r one thread writes: no reason but that it works */
    MINIMUM_DENSE_ROWS = 96, /* examples in a product of matrices: no reason but that with 1000
                                features they take .8 MB */
    MINIMUM_CELLS = 16384,   /* numbers of a table that one thread does at a time: no reason but
                                that it works */
    MINIMUM_HELD = 1 << 18   /* numbers of p - r that are held at once: 2 MB; no reason but that it
                                works */
};

/* How the sums over the examples are taken. */
enum minimum_way { MINIMUM_BY_PARTS, MINIMUM_BY_SLICES, MINIMUM_BY_TRANSPOSED };

/* What one part of the examples adds to the sums. */
struct minimum_part {
    struct weights gradient;
    double *scores, *probability; /* workspace of one example: stride, K; where the examples are
                                     dense, scores are those of a block */
    double *x;                    /* the features of a block of dense examples */
    struct rows rows;
    double loss;
    struct error err;
};

/* p - r of the examples that are held. */
struct minimum_directions {
    struct weights table; /* most rows; on several ranks then one for each feature, which
                             minimum_transposed speaks of */
    double *loss;         /* of each block of examples (minimum_cut) */
    double first_loss[MINIMUM_BLOCK]; /* log q of each example of this rank's first block, by which
                                         the sum of a rank before goes on (minimum_cut) */
    double *probability;              /* workspace, K for each block that is held */
    struct rows rows;                 /* of the examples that are held */
    int64_t most;                     /* examples that may be held at once: all if transposed */
    int64_t first, held;              /* the first example that is held now; how many are */
};

/* Of the features, with about as many entries each. */
struct minimum_slices {
    int64_t count, first_row[MINIMUM_SLICES + 1];
    int32_t *ends; /* directions.most x (count - 1): where each slice but the last ends among an
                      example's entries; NULL: transposed */
};

/* The entries of the examples feature by feature.  On every rank but the first each feature has one
 * more entry, before the others, which carries the sum of the ranks before: its value is 1, and its
 * example is n + the feature's row, where directions.table receives that sum. */
struct minimum_transposed {
    int64_t *start;   /* rows + 1: where the entries of each feature begin */
    int32_t *example; /* of each entry, as its place in the subset */
    double *value;    /* of each entry */
};

/* A search.  All tables have the narrow stride. */
struct minimum_task {
    struct forward *f;
    const struct problem *problem;
    const int32_t *y;
    const int64_t *subset;
    enum minimum_way way;
    int64_t n;
    int64_t before, all;       /* examples of the ranks before this one (reduce.h); of all ranks */
    int64_t continued;         /* by parts: the one that begins on a rank before, or -1 */
    int64_t slice;             /* the one that is summed now; with several ranks */
    int64_t tables;            /* parts that are summed at once: all, or on disk some */
    int64_t first;             /* the first of the parts that are summed now */
    bool dense;                /* all examples have the features 1 .. d */
    double total;              /* of the examples' weights; n where they have none */
    struct minimum_part *part; /* tables, or NULL; each holds an error, too large for the stack */
    struct minimum_directions directions;
    struct minimum_slices slices;
    struct minimum_transposed transposed;
    double *gradient;                     /* of the present evaluation */
    double *squares;                      /* workspace, a sum of squares for each block of cells */
    const double *table;                  /* whose squares minimum_squares_block sums */
    struct weights w;                     /* W where F was evaluated last */
    double *factor;                       /* L, rows x rows, or NULL */
    const struct steep_directions *steep; /* of the metric where there is no L; NULL: no metric */
    double *products;                     /* workspace of steep_apply */
    double goal; /* |gradient| at which the search stops; 0: not known yet */
    struct forward_minimum *minimum;
    struct error err; /* why it has failed */
    bool failed;
};

static inline int64_t minimum_cells(const struct minimum_task *t)
{
    return t->w.rows * t->w.stride;
}

/* An empty table for weights, with the narrow stride. */
static inline struct weights minimum_table(const struct forward *f)
{
    struct weights table = weights_make(f->columns, 0);
    table.stride = weights_narrow(f->columns);
    return table;
}

static inline int64_t minimum_count_cell_blocks(int64_t cells)
{
    return parallel_parts(cells, MINIMUM_CELLS);
}

static inline int64_t minimum_block_end(const struct minimum_task *t, int64_t block)
{
    return order_least((block + 1) * MINIMUM_CELLS, minimum_cells(t));
}

/* The place in the problem of example i. */
static inline int64_t minimum_place(const struct minimum_task *t, int64_t i)
{
    return t->subset ? t->subset[i] : i;
}

static inline struct example minimum_example(const struct minimum_task *t, struct rows *rows,
                                             int64_t i)
{
    return rows_example(rows, minimum_place(t, i));
}

/* Examples of this rank's first block that are on the ranks before.
 *
 * The examples of all ranks are cut into blocks, whose losses are summed first, so that the sum is
 * the same for any number of threads and ranks.  A block may be in two parts, or more, for one of
 * two reasons:
 *
 *     transposed, several ranks               by slices, one rank (where cut is 0)
 *
 *     blocks of all ranks                     blocks
 *     |       |       |       |       |       |   0   |   1   |   2   |   3   |
 *     000000000000111111111111111122222       aaaaaaaaaaaabbbbbbbbbbbbccccccccc
 *             |   0   |   1   |   2   |       pieces a, b, c: the examples that are held at once,
 *             |cut|   blocks of rank 1        read one piece after the other
 *
 * Left, rank 0 hands its sum of the block that it has begun on to rank 1 (minimum_sum_blocks),
 * which goes on with it, example by example: by first_loss, as it has summed its own part from 0.
 * Right, loss[1] is what piece a has of block 1 until piece b goes on with it
 * (minimum_write_block). */
static inline int64_t minimum_cut(const struct minimum_task *t)
{
    return t->before % MINIMUM_BLOCK;
}

static inline int64_t minimum_count_blocks(const struct minimum_task *t)
{
    return parallel_parts(minimum_cut(t) + t->n, MINIMUM_BLOCK);
}

/* The way for n examples, of which a subset may be summed. */
enum minimum_way minimum_choose_way(int64_t n, int64_t nnz, int64_t d, int64_t columns, bool disk);

/* ---- F and the metric (forward_minimum_value.c) ---- */

/* t->factor, L, where there is a second moment that has one; or t->steep and its workspace.  0 or
 * -1. */
int minimum_make_metric(struct minimum_task *t, struct error *err);

/* table <- L^-1 table, or L'^-1 table. */
void minimum_solve(struct minimum_task *t, bool transposed, double *table);

/* The sum of the squares of a table's cells. */
double minimum_sum_squares(struct minimum_task *t, const double *table);

/* gradient <- M gradient, M = (L L')^-1 or that of steep_directions.h, or without a metric as it
 * is.  Returns gradient'M gradient. */
double minimum_apply_metric(struct minimum_task *t, double *gradient);

/* F at t->w, and its gradient with respect to W. */
double minimum_value_at_w(struct minimum_task *t, double *gradient);

/* ---- the sums over the examples ---- */

/* p - r of example i at t->w, times its weight.  direction: out, stride; probability: workspace, K.
 * Returns its log q, times its weight, or -INFINITY when its label is impossible. */
double minimum_direction(const struct minimum_task *t, int64_t i, const struct example *x,
                         double *direction, double *probability);

/* t->gradient of the loss's sum over the examples, each way.  Returns that sum; rows_check tells
 * whether all could be read. */
double minimum_add_parts(struct minimum_task *t);
double minimum_add_slices(struct minimum_task *t);
double minimum_add_transposed(struct minimum_task *t);

/* What the last two need.  0 or -1. */
int minimum_make_slices(struct minimum_task *t, struct error *err);
int minimum_transpose(struct minimum_task *t, struct error *err);

/* ---- what these two share (forward_minimum_directions.c) ---- */

/* t->directions, for directions.most examples, and as many rows more for sums of other ranks.  0 or
 * -1. */
int minimum_make_directions(struct minimum_task *t, int64_t sums, struct error *err);

/* start[j + 1]: in: entries that feature j has besides; start[0 .. rows]: out: entries of the
 * features before j. */
void minimum_count_entries(struct minimum_task *t, int64_t *start);

/* The slices, by start; those of the first rank on all. */
void minimum_cut_features(struct minimum_slices *slices, const int64_t *start, int64_t rows,
                          int64_t count);

/* Loss, p - r and ends of those examples that are held of a block, the first of them number 0.
 * context: struct minimum_task. */
void minimum_write_block(void *context, int64_t number);

/* The sum of the losses of all blocks, of which one may be cut between ranks. */
double minimum_sum_blocks(const struct minimum_task *t);

#endif
