/* Prediction with a linear or a kernel model: scores, argmax, and the report that every X-predict
 * prints.
 *
 * One example in, one label out, constant memory; all threads score chunks of the input, the output
 * is in its order. */
#ifndef COMMON_MODEL_PREDICT_H
#define COMMON_MODEL_PREDICT_H

#include "common/base/error.h"
#include "common/data/example.h"
#include "common/data/problem.h"
#include "common/model/model.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Two classes have one score: position 0 of the model's labels when it is > 0, else 1 (a tie is the
 * negative class, as in LIBLINEAR).  Otherwise: the position of the largest score, the lowest of
 * equals. */
int64_t predict_position(const double *scores, int64_t classes);

/* Votes between pairs of classes: f > 0 of the pair (0,1), (0,2) .. (K-2,K-1) is one for the first,
 * else for the second.  f: a number a pair; votes: out, classes. */
void predict_votes(const double *f, int64_t classes, double *votes);

/* What predicts. */
struct predict_model {
    int64_t classes;
    const int32_t *label; /* classes, in the order of the scores; two classes with one score:
                             predict_position */
    int64_t columns;      /* scores of an example: classes, or 1 for two classes */
    double bias;          /* of the examples; < 0: none */
    /* scores: out, examples x columns.  Called on several threads at once, for PREDICT_ROWS
     * examples at most.  0 or -1. */
    int (*score)(const void *context, const struct problem *examples, double *scores,
                 struct error *err);
    const void *context;
};

enum { PREDICT_ROWS = 256 };

/* The scores of some examples, PREDICT_ROWS at most, all finite; an error has the line, the caller
 * knows the file.  0 or -1. */
int predict_scores(const struct predict_model *model, const struct problem *examples,
                   double *scores, struct error *err);

/* The position in model->label of the class that an example's scores speak for. */
int64_t predict_choice(const struct predict_model *model, const double *scores);

struct predict_options {
    struct example_format format; /* bias is set from the model */
    bool scores;                  /* write the scores as well (-b 1) */
    bool confusion;               /* count the confusion matrix (-m) */
    bool quiet;
    int threads;
};

struct predict_report {
    int64_t examples, labelled, correct;
    int64_t unknown; /* labelled with a label that the model does not have: counted as wrong */
    int64_t classes;
    int32_t *label; /* classes, ascending */
    int64_t *count; /* classes x classes, [true][predicted]; NULL unless asked for */
};

/* Predict a file ("-": standard input) to a file ("-": standard output), which appears whole or not
 * at all.  report: out, zero before; free with predict_report_free.  0 or -1. */
int predict_file(const struct predict_model *model, const char *test, const char *output,
                 const struct predict_options *options, struct predict_report *report,
                 struct error *err);

/* `Accuracy = 84.4444% (228/270)`, and the confusion matrix when it was counted. */
void predict_print(FILE *out, const struct predict_report *report);

void predict_report_free(struct predict_report *report);

/* An X-predict program. */
struct predict_program {
    const char *name, *summary;
    const char *const
        *learners; /* names in the `learner` entry that it takes, NULL-terminated (LIBLINEAR's own
                      models, which have none, are always taken); NULL: any */
    const char *svm_type; /* of the kernel models that it takes; NULL: none */
    bool projections;     /* it has --hop and --universum (projections.h) */
};

/* The whole of it: options, prediction, report.  Returns the exit status. */
int predict_main(const struct predict_program *program, int argc, char **argv);

#endif
