/* Rows of option tables: the first members of a row by its type, and whole rows that several
 * programs have.
 *
 * A table of a program:
 *
 *     {ROW_NUMBER('r', "regularizer", &r, "r", OPTION_ABOVE_0, OPTION_UNBOUNDED),
 *      .by_default = "1", .help = "r of arow: larger takes smaller steps"},
 *
 * that is: letter (0: none), long name, the variable, the name of its argument in the help, and the
 * range or the choices. */
#ifndef COMMON_PROGRAM_OPTION_ROWS_H
#define COMMON_PROGRAM_OPTION_ROWS_H

#include "common/program/option.h"

/* clang-format off */

#define ROW_FIRST(Letter, Name, Type, Variable) \
    .letter = (Letter), .name = (Name), .type = (Type), .value = (Variable)

#define ROW_FLAG(letter, name, variable) ROW_FIRST(letter, name, OPTION_FLAG, variable)
#define ROW_INT(letter, name, variable, Argument, Lowest, Highest) \
    ROW_FIRST(letter, name, OPTION_INT, variable), .argument = (Argument), .lowest = (Lowest), \
    .highest = (Highest)
#define ROW_NUMBER(letter, name, variable, Argument, Lowest, Highest) \
    ROW_FIRST(letter, name, OPTION_NUMBER, variable), .argument = (Argument), .lowest = (Lowest), \
    .highest = (Highest)
#define ROW_NUMBERS(letter, name, variable, Argument, Lowest, Highest) \
    ROW_FIRST(letter, name, OPTION_NUMBERS, variable), .argument = (Argument), .lowest = (Lowest), \
    .highest = (Highest)
#define ROW_CHOICE(letter, name, variable, Argument, Choices) \
    ROW_FIRST(letter, name, OPTION_CHOICE, variable), .argument = (Argument), .choices = (Choices)
#define ROW_TEXT(letter, name, variable, Argument) \
    ROW_FIRST(letter, name, OPTION_TEXT, variable), .argument = (Argument)
#define ROW_WORDS(letter, name, variable, Argument) \
    ROW_FIRST(letter, name, OPTION_WORDS, variable), .argument = (Argument)
/* The name of a file that is read, written, or appended to. */
#define ROW_INPUT(letter, name, variable, Argument) \
    ROW_TEXT(letter, name, variable, Argument), .file = OPTION_READS
#define ROW_OUTPUT(letter, name, variable, Argument) \
    ROW_TEXT(letter, name, variable, Argument), .file = OPTION_WRITES

#define ROW_APPENDED(letter, name, variable, Argument) \
    ROW_TEXT(letter, name, variable, Argument), .file = OPTION_APPENDS

/* ---- of all programs, or many ---- */

#define OPTION_QUIET(variable) \
    {ROW_FLAG('q', "quiet", variable), \
     .help = "no report and no notes, only results and errors; changes no number"}
#define OPTION_THREADS(variable) \
    {ROW_INT('T', "threads", variable, "threads", 1, 256), \
     .help = "number of threads (default: all processors); results do not depend on it"}
#define OPTION_SEED(variable) \
    {ROW_INT('S', "seed", variable, "seed", 0, OPTION_LARGEST_INT), .by_default = "1", \
     .help = "of the random number generator"}
#define OPTION_LABELS(variable, otherwise) \
    {ROW_TEXT(0, "labels", variable, "list"), \
     .help = "the classes, like 1,2,7 or 1-10 (default: those of " otherwise ")"}
#define ROW_BIAS(variable) \
    ROW_NUMBER('B', "bias", variable, "bias", -OPTION_UNBOUNDED, OPTION_UNBOUNDED), \
    .by_default = "-1", .help = "value of a constant feature behind the others; negative: none"
#define OPTION_BIAS(variable) {ROW_BIAS(variable)}
#define ROW_UNIT_LENGTH(variable, usual) \
    ROW_CHOICE('l', "unit-length", variable, "0|1", option_zero_one), .by_default = usual, \
    .help = "1: scale each example, bias included, to Euclidean length 1"
#define OPTION_UNIT_LENGTH(variable, usual) {ROW_UNIT_LENGTH(variable, usual)}
#define OPTION_FOLDS(variable) \
    {ROW_INT('v', "folds", variable, "n", 2, 1000000), \
     .help = "n-fold stratified cross-validation; no model is written"}
#define ROW_ZERO_BASED(variable) \
    ROW_FLAG('Z', "zero-based", variable), \
    .help = "indices in the data start at 0 (1 is added to each)"
#define OPTION_ZERO_BASED(variable) {ROW_ZERO_BASED(variable)}

/* ---- of programs with a kernel: struct kernel ---- */

/* As svm-train has them; gamma stays what it was (0, say) when it is not given. */
#define OPTIONS_OF_KERNEL(kernel) \
    {ROW_CHOICE('t', "kernel", &(kernel)->type, "kernel", kernel_names), .by_default = "rbf", \
     .help = "u'v, (gamma u'v + coef0)^degree, exp(-gamma |u-v|^2), or tanh(gamma u'v + coef0)"}, \
    {ROW_INT('d', "degree", &(kernel)->degree, "degree", 0, INT32_MAX), .by_default = "3", \
     .help = "of the polynomial"}, \
    {ROW_NUMBER('g', "gamma", &(kernel)->gamma, "gamma", OPTION_ABOVE_0, OPTION_UNBOUNDED), \
     .help = "of all kernels but the linear one (default: 1 / number of features)"}, \
    {ROW_NUMBER('r', "coef0", &(kernel)->coef0, "coef0", -OPTION_UNBOUNDED, OPTION_UNBOUNDED), \
     .by_default = "0", .help = "of polynomial and sigmoid"}

/* ---- of programs that write or estimate confusion matrices ---- */

#define OPTION_ROWS(variable) \
    {ROW_CHOICE('o', "rows", variable, "which", confusion_rows), .by_default = "observed", \
     .help = "what a row stands for: a label as observed (columns sum to 1) or a true label " \
             "(rows sum to 1)"}
#define OPTION_FEATURES(variable) \
    {ROW_INT(0, "features", variable, "n", 0, 1000000), \
     .help = "the matrix is also estimated with n random Fourier features, and the estimate with " \
             "the larger likelihood is kept (default: 300 if the data have up to 100 features, " \
             "else 0)"}

#endif
