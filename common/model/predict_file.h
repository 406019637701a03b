/* Prediction of a file: one example in, one label out, constant memory.  All threads score chunks
 * of the input; the output is in its order. */
#ifndef COMMON_MODEL_PREDICT_FILE_H
#define COMMON_MODEL_PREDICT_FILE_H

#include "common/base/error.h"
#include "common/data/example.h"
#include "common/data/names.h"
#include "common/model/accuracy_report.h"
#include "common/model/predict.h"

#include <stdbool.h>

struct predict_options {
    struct example_format format; /* bias is set from the model */
    bool scores;                  /* write the scores, or probabilities, as well (-b 1) */
    bool confusion;               /* count the confusion matrix (-m) */
    bool quiet;
    int threads;
    const struct names *names; /* of the labels; NULL: they are written as numbers */
    /* Called for every example, in their order, with the label that is predicted; then nothing is
     * counted.  NULL: their labels are the truth, for the report. */
    void (*judge)(void *judge_context, const struct example *x, int32_t label);
    void *judge_context;
    /* Called when all is predicted, before the output appears; may be NULL.  0 or -1. */
    int (*ready)(void *context, struct error *err);
    void *context;
};

/* Predict a file ("-": standard input) to a file ("-": standard output), which appears whole or not
 * at all.  report: out, zero before; free with accuracy_report_free.  0 or -1. */
int predict_file(const struct predict_model *model, const char *test, const char *output,
                 const struct predict_options *options, struct accuracy_report *report,
                 struct error *err);

#endif
