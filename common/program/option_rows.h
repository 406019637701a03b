/* Rows of option tables: macros that begin a row of each type, and whole rows that several programs
 * share.
 *
 * A row of a program's table:
 *
 *     {ROW_NUMBER('r', "regularizer", &r, "r", OPTION_ABOVE_0, OPTION_UNBOUNDED),
 *      .by_default = "1", .help = "r of arow: larger takes smaller steps"},
 *
 * The arguments of ROW_NUMBER are the letter (0: none), the long name, the variable, the name of
 * the argument in the help, and the range; ROW_CHOICE takes the choices in place of the range. */
#ifndef COMMON_PROGRAM_OPTION_ROWS_H
#define COMMON_PROGRAM_OPTION_ROWS_H

#include "common/program/option.h"

extern bool program_strict; /* --strict; program_end heeds it (program.c) */

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
/* The name of a file to read, write or append to. */
#define ROW_INPUT(letter, name, variable, Argument) \
    ROW_TEXT(letter, name, variable, Argument), .file = OPTION_READS
#define ROW_OUTPUT(letter, name, variable, Argument) \
    ROW_TEXT(letter, name, variable, Argument), .file = OPTION_WRITES
#define ROW_APPENDED(letter, name, variable, Argument) \
    ROW_TEXT(letter, name, variable, Argument), .file = OPTION_APPENDS

/* ---- rows of all programs, or of many ---- */

#define OPTION_QUIET(variable) \
    {ROW_FLAG('q', "quiet", variable), \
     .help = "print only results, warnings and errors, no report or notes"}
#define OPTION_STRICT \
    {ROW_FLAG(0, "strict", &program_strict), \
     .help = "a run that warned ends with exit status 3; what it wrote stays"}
#define OPTION_SKIP_BAD(variable, treated) \
    {ROW_INT(0, "skip-bad", variable, "n", 0, OPTION_LARGEST_INT), .by_default = "0", \
     .help = "skip up to n lines that cannot be read, and report each" treated}
#define OPTION_NAMES(variable) \
    {ROW_INPUT(0, "names", variable, "file"), \
     .help = "write the labels by their names in this file, which has a line `number name` for " \
             "each label"}
#define OPTION_REPORT(variable) \
    {ROW_OUTPUT(0, "report", variable, "file"), \
     .help = "write what the run found as lines of a key, a tab and a value, for scripts"}
#define OPTION_THREADS(variable) \
    {ROW_INT('T', "threads", variable, "threads", 1, 256), \
     .help = "number of threads (default: all processors); results do not depend on it"}
#define OPTION_SEED(variable) \
    {ROW_INT('S', "seed", variable, "seed", 0, OPTION_LARGEST_INT), .by_default = "1", \
     .help = "seed of the random number generator"}
#define OPTION_LABELS(variable, otherwise) \
    {ROW_TEXT(0, "labels", variable, "list"), \
     .help = "the classes, for example 1,2,7 or 1-10 (default: those of " otherwise ")"}
#define ROW_BIAS(variable) \
    ROW_NUMBER('B', "bias", variable, "bias", -OPTION_UNBOUNDED, OPTION_UNBOUNDED), \
    .by_default = "-1", .help = "append a constant feature with this value; negative: none"
#define OPTION_BIAS(variable) {ROW_BIAS(variable)}
#define ROW_UNIT_LENGTH(variable, usual) \
    ROW_CHOICE('l', "unit-length", variable, "0|1", option_zero_one), .by_default = usual, \
    .help = "1: scale each example, bias included, to Euclidean length 1"
#define OPTION_UNIT_LENGTH(variable, usual) {ROW_UNIT_LENGTH(variable, usual)}
#define OPTION_LENGTH(variable) \
    {ROW_CHOICE('l', "unit-length", variable, "0|1", option_zero_one), .by_default = "0", \
     .help = "1: scale each example to Euclidean length 1"}
#define OPTION_FOLDS(variable) \
    {ROW_INT('v', "folds", variable, "n", 2, 1000000), \
     .help = "n-fold stratified cross-validation; no model is written"}
#define OPTION_GROUPS(variable, where) \
    {ROW_INPUT(0, "groups", variable, "file"), \
     .help = "a name for each example, one a line: those with the same name, such as the frames of " \
             "one film, stay in one fold" where ", unless they are more than half of their class"}
#define ROW_ZERO_BASED(variable) \
    ROW_FLAG('Z', "zero-based", variable), \
    .help = "indices in the data start at 0 (1 is added to each)"
#define OPTION_ZERO_BASED(variable) {ROW_ZERO_BASED(variable)}

/* ---- rows of programs with a kernel; kernel: a struct kernel * ---- */

/* The letters of svm-train.  Without -g, gamma keeps its value (0, usually). */
#define OPTIONS_OF_KERNEL(kernel) \
    {ROW_CHOICE('t', "kernel", &(kernel)->type, "kernel", kernel_names), .by_default = "rbf", \
     .help = "u'v, (gamma u'v + coef0)^degree, exp(-gamma |u-v|^2) or tanh(gamma u'v + coef0), " \
             "by name or by LIBSVM's number"}, \
    {ROW_INT('d', "degree", &(kernel)->degree, "degree", 0, INT32_MAX), .by_default = "3", \
     .help = "degree of the polynomial kernel"}, \
    {ROW_NUMBER('g', "gamma", &(kernel)->gamma, "gamma", OPTION_ABOVE_0, OPTION_UNBOUNDED), \
     .help = "gamma of all kernels but the linear one (default: 1 / number of features)"}, \
    {ROW_NUMBER('r', "coef0", &(kernel)->coef0, "coef0", -OPTION_UNBOUNDED, OPTION_UNBOUNDED), \
     .by_default = "0", .help = "coef0 of the polynomial and sigmoid kernels"}

/* ---- rows of programs that write or estimate confusion matrices ---- */

#define OPTION_ROWS(variable) \
    {ROW_CHOICE('o', "rows", variable, "which", confusion_rows), .by_default = "observed", \
     .help = "what the rows of the matrix stand for: observed labels (columns sum to 1) or " \
             "true labels (rows sum to 1)"}
/* -t, -D, -g of programs that estimate; words: estimate_map_words of confusion_estimate.h.  unless:
 * with which options the map is linear where -t is not given, a sentence with a blank before it; ""
 * where there are none. */
#define ESTIMATE_MAP_ROWS(map, dims, gamma, unless) \
    {ROW_CHOICE('t', "map", map, "map", estimate_map_words), .by_default = "auto", \
     .help = "linear: the features as they are; rbf: features of the kernel exp(-gamma |u-v|^2), by " \
             "landmarks from the data; auto: the one that makes held-out labels likelier (linear " \
             "with -B, and for text, where the features are many and most of them 0). rbf and auto, " \
             "unless -g or -l is given, also try examples at the lengths that they have. 0 and 2, " \
             "as in LIBSVM, are linear and rbf" unless}, \
    {ROW_INT('D', "map-dims", dims, "dims", 1, FEATURE_MAP_MOST_LANDMARKS), \
     .help = "number of landmarks (default: 500 for softmax regression; for kernel ridge regression " \
             "200 for each class, but 2000 at least and 2500 at most; never more than half the " \
             "examples, nor than fit in 1 GB)"}, \
    {ROW_NUMBER('g', "map-gamma", gamma, "gamma", OPTION_ABOVE_0, OPTION_UNBOUNDED), \
     .help = "gamma of the kernel (default: chosen by ridge regression of the labels, together " \
             "with factors of the features)"}
/* when: with a blank before it, "" in a program without -t. */
#define OPTION_FEATURES(variable, when) \
    {ROW_INT(0, "features", variable, "n", 0, 1000000), \
     .help = "also estimate the matrix with n random Fourier features, and keep the estimate " \
             "with the higher likelihood (default: 300" when " if the data have up to 100 " \
             "features, else 0)"}

#endif
