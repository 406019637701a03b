/* The whole of an X-predict program: options, model, prediction, report.  Each reads the linear
 * models of all our train programs, and LIBLINEAR's. */
#ifndef COMMON_PROGRAM_PREDICT_MAIN_H
#define COMMON_PROGRAM_PREDICT_MAIN_H

#include "common/base/findings.h"
#include "common/model/predict_file.h"
#include "common/program/options.h"

/* What a program writes besides the labels, with options of its own. */
struct predict_addition {
    struct option *options; /* count rows, after those of all predictors */
    int count;
    const char *details; /* for the man page, after those of all predictors */
    /* Do the options fit together and with the test file?  May change `options`.  0, or -1 with
     * error_usage. */
    int (*check)(void *context, const char *test, struct predict_options *options,
                 struct error *err);
    /* Before prediction, so that errors are found before any output appears.  0 or -1. */
    int (*begin)(void *context, const struct predict_model *model, const char *test,
                 const struct predict_options *options, struct error *err);
    /* What it found, for --report, and warnings, before any output appears; may be NULL. */
    void (*report)(const void *context, const struct findings *to);
    /* Print a report in place of the accuracy; NULL, or false: it does not, but the accuracy is to
     * be printed. */
    bool (*print)(const void *context, FILE *out);
    /* After the labels were written: let the output appear.  0 or -1.  NULL: there is none. */
    int (*finish)(void *context, struct error *err);
    /* Does that go to standard output?  Then the report goes to standard error; may be NULL. */
    bool (*takes_stdout)(const void *context);
    void *context;
};

struct predict_program {
    const char *name, *summary, *see_also, *examples;
    const char *svm_type; /* of the kernel models that it reads beside linear ones; NULL: none */
    const struct predict_addition *addition; /* may be NULL */
    bool probabilities; /* its own models have a temperature: -b 1 writes probabilities */
};

/* Returns the exit status. */
int predict_main(const struct predict_program *program, int argc, char **argv);

#endif
