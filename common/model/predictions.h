/* The output of a predictor, of this toolkit, LIBSVM or LIBLINEAR: a label a line; with `-b 1` a
 * first line `labels l1 ... lK`, and K scores after each label.  Read line by line, in constant
 * memory.
 *
 *     predictions_open; while (predictions_next > 0): label, score; predictions_close
 */
#ifndef COMMON_MODEL_PREDICTIONS_H
#define COMMON_MODEL_PREDICTIONS_H

#include "common/base/error.h"
#include "common/base/text.h"
#include "common/data/labels.h"
#include "common/data/stream.h"

#include <stdbool.h>
#include <stdint.h>

struct predictions {
    struct stream *stream;
    struct text text; /* the current line, for messages */
    bool pending;     /* the current line is still to be returned */
    bool has_head;    /* there is a first line with labels */
    int64_t columns;  /* how many labels that has; 0 without it */
    int32_t *head;    /* columns: these labels, in the order of the file */
    int64_t head_capacity;
    bool gaps;     /* set by the caller: a line may be `?`, which --skip-bad writes */
    int64_t label; /* of the last prediction; EXAMPLE_UNLABELLED: the line is `?` */
    double *score; /* columns: its scores, finite; of a line `?` those of the line before */

    /* After predictions_require_probabilities; else zero. */
    bool probability;     /* scores must be probabilities */
    struct labels labels; /* the labels of the head, ascending */
    int64_t *class;       /* columns: the position of each column's label among these */
    int64_t unlikely;     /* lines so far with a class likelier than the predicted label */
    int64_t certain;      /* lines so far with a class of probability 1 */
};

/* Open a file, or standard input for "-", and read its head.  predictions: out; close with
 * predictions_close, also after an error.  0 or -1. */
int predictions_open(struct predictions *predictions, const char *path, struct error *err);

/* From now on a line must hold a label of the head and K probabilities that sum to 1.  After this
 * call labels are those of the head; a file without a head is refused, and a head that names a
 * label twice or fewer than two.  0 or -1. */
int predictions_require_probabilities(struct predictions *predictions, struct error *err);

/* The next prediction.  1; 0: the end, and text is where a further line would be; -1: err, with
 * FILE:LINE:COL. */
int predictions_next(struct predictions *predictions, struct error *err);

/* A no-op on a zeroed struct. */
void predictions_close(struct predictions *predictions);

#endif
