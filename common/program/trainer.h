/* The frame of an X-train program: everything around the learner.
 *
 * A program fills a struct trainer, usually the first member of a struct with settings of its own,
 * and calls trainer_main, which
 *
 *   1  parses the options;
 *   2  refuses those that clash (the table `clashes`, then `check`);
 *   3  names the model file, decides where the report goes, checks that outputs can be written;
 *   4  with -m calls `resume` to load the model, and compares the options given with its own;
 *   5  notes options without a meaning (`uses`);
 *   6  calls `run`, then, without -v, `save`, then `release`, and prints what went wrong, or which
 *      signal ended learning.
 *
 * What `run` puts into `report` is the file of --report, which appears after the model. */
#ifndef COMMON_PROGRAM_TRAINER_H
#define COMMON_PROGRAM_TRAINER_H

#include "common/base/error.h"
#include "common/base/findings.h"
#include "common/base/milestones.h"
#include "common/base/progress.h"
#include "common/data/bad_lines.h"
#include "common/data/data_form.h"
#include "common/data/feature_numbers.h"
#include "common/data/labels.h"
#include "common/data/problem.h"
#include "common/kernel/feature_map.h"
#include "common/program/option_rows.h"
#include "common/program/options.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum {
    TRAINER_WHY_NOT = 128,
    TRAINER_STATED_FEATURES = 1000 /* for which the memory of what grows with them is reported: a
                                      number that is easily multiplied */
};

struct trainer {
    struct program program;             /* name, texts and option table */
    const struct option_clash *clashes; /* up to one without an option; NULL: none */
    const char *const *alone; /* options for one rank only (program_check_ranks); NULL: the program
                                 is not one for several */

    /* Hooks.  `run` is required, so is `save` of a program that writes a model, and `mistakes` of
     * one that calls trainer_watch; the others may be NULL.  0, or -1 with err (from error_usage
     * where the command line is wrong). */
    int (*check)(struct trainer *t, struct error *err);
    int (*resume)(struct trainer *t, struct error *err);         /* sets had and had_labels */
    bool (*agrees)(const struct trainer *t, const char *option); /* with the model?  For
                                                                    options without `had` */
    int (*run)(struct trainer *t, struct error *err);
    int (*save)(struct trainer *t, struct error *err); /* write the model of what was learnt */
    void (*release)(struct trainer *t);
    int64_t (*mistakes)(const struct trainer *t); /* of the examples that were learnt from; for the
                                                     lines of a stream */
    /* Does the run use this option, which is given?  why_not: out, if not: completes the note
     * "--OPTION has no meaning ...". */
    bool (*uses)(const struct trainer *t, const char *option, char why_not[TRAINER_WHY_NOT]);

    /* Set by the program: before trainer_main or by `check`, and `also` by `run`. */
    bool keep_lengths;     /* of examples in memory (struct example_format) */
    bool stdout_taken;     /* something else goes to standard output */
    bool iterative;        /* there is no model before training ends */
    bool minds_offset;     /* features that hardly vary beside an offset do it harm */
    struct output *also;   /* one more file that `run` writes, to appear at the end; or NULL */
    int64_t fewest_groups; /* of --groups, for folds other than those of -v; 0: there are none */

    /* Values of the options that all trainers have. */
    struct data_form form; /* after `resume`: that of the model */
    int64_t unit_length;   /* as given; the same as a bool is in form */
    int64_t folds;         /* 0: train */
    int64_t threads;
    bool quiet;
    int64_t save_every, skip_bad;
    const char *labels_given, *resume_given, *weights_given, *groups_given;
    const char *report_given;
    const char *fold_predictions; /* of -v (fold_predictions.h) */
    bool fold_scores;
    int64_t map_kind, map_dims; /* --map, --map-dims (0: not given) ... */
    double map_gamma; /* ... and --map-gamma, for trainers that have them (trainer_map.h) */

    /* Set by trainer_main. */
    const char *data, *model; /* files; model: NULL with -v */
    struct labels labels;     /* of --labels or the -m model; count 0: not known yet */
    FILE *results;            /* standard output; standard error when an output goes there */
    FILE *out;                /* same as results; NULL with -q */
    struct progress progress;
    struct bad_lines bad;
    bool cut; /* the data end in the middle of a line (struct example_format) */
    struct milestones milestones;
    int64_t had_mistakes;  /* before the first milestone */
    bool saved;            /* the model of all that was learnt: see trainer_save */
    struct report *report; /* &report_file: `run` adds to it through a const trainer too */
    struct report report_file;
    struct output fold_file; /* of --fold-predictions: written by `run`, it appears at the end */

    /* What examples are weighted, grouped, numbered and mapped by. */
    double *weight; /* of the examples in memory, all > 0 (trainer_read_beside); NULL: 1 */
    int64_t *first; /* the first of each one's group (groups.h); NULL: there are none */
    struct feature_numbers numbers; /* of data in memory or on disk (trainer_number) */
    struct feature_map map; /* of the options, or moved out of the -m model by `resume`; form.map
                               points to it, unless it is none */

    /* Of the -m model; `had` in the rows below points here. */
    struct data_form had;
    int64_t had_unit_length;
    const struct labels *had_labels; /* borrowed */
};

/* A trainer with the default number of threads. */
struct trainer trainer_start(void);

/* Returns the exit status. */
int trainer_main(struct trainer *t, int argc, char **argv);

/* Read the files beside the data that -W and --groups name, and drop the examples of weight 0.  y:
 * of all examples; out: of those that are left.  0 or -1. */
int trainer_read_beside(struct trainer *t, struct problem *problem, int32_t *y, struct error *err);

/* Number the features that occur anew, in memory or on disk, and have the model's writer give them
 * their indices again.  Nothing for features of a map.  After trainer_read_beside, which may drop
 * the largest.  0 or -1. */
int trainer_number(struct trainer *t, struct problem *problem, struct error *err);

/* The largest index of the data, which problem->d is no more after trainer_number. */
int64_t trainer_features(const struct trainer *t, const struct problem *problem);

/* The features for which the memory of a stream's learner is reported: those of the map, else
 * TRAINER_STATED_FEATURES. */
int64_t trainer_stated_features(const struct trainer *t);

/* Can this output be written again after every few examples?  what: the file, for the message, "the
 * model file".  0, or -1 with err, a usage error: it is standard output or a pipe. */
int trainer_check_saved(const char *path, const char *what, struct error *err);

/* Is the option of this long name given? */
bool trainer_given(const struct trainer *t, const char *option);

/* How lines of the data are read: as t->form and --skip-bad say.  A label that is not in t->labels,
 * if they are known already, makes a line bad.  unmapped: data in memory, for trainer_map_held. */
struct example_format trainer_format(struct trainer *t);
struct example_format trainer_format_unmapped(struct trainer *t);

/* Where the examples come from: memory, a stream, or questions that are still to be asked. */
enum trainer_source { TRAINER_HELD, TRAINER_STREAM, TRAINER_LIVE };

/* Learning from one example after the other begins: from now on a signal stops it after the current
 * example, --save-every saves, and without a terminal a stream's progress is reported at powers of
 * two.  Passes get t->milestones.  0 or -1. */
int trainer_watch(struct trainer *t, enum trainer_source source, struct error *err);

/* Call `save`, once; not if a signal came before the first example.  For a `run` that saves
 * whatever happens afterwards; the model of others is saved when they have returned.  0 or -1. */
int trainer_save(struct trainer *t, struct error *err);

/* The most bytes that held data may take where others are streamed.  Those of a pipe may take all
 * memory, as what was read of it cannot be streamed any more. */
double trainer_data_bytes(const struct trainer *t);

/* Refuse a model, unless there is none to be written, that takes so many bytes in memory where it
 * is read, with rows up to the largest index of the data.  0 or -1. */
int trainer_check_model(const struct trainer *t, double bytes, int64_t features, struct error *err);

/* Refuse more folds of -v than there are examples, before what takes long.  0 or -1. */
int trainer_check_folds(const struct trainer *t, int64_t examples, struct error *err);

/* The data of a pipe, which are held, do not fit in memory.  when: the options with which they
 * would be streamed.  Returns -1. */
int trainer_refuse_pipe(const struct trainer *t, const char *when, struct error *err);

/* Report the data's examples and features, and the classes; a warning without a feature, and where
 * most classes can have only one example. */
void trainer_report_data(struct trainer *t, int64_t examples, int64_t features);

/* That warning. */
void trainer_warn_features(const struct trainer *t, int64_t features);

/* A note where a feature is far larger than the others (feature_sizes.h); else, of a learner that
 * minds it, where the features have an offset, beside which they hardly vary, unless a map makes
 * others of them. */
void trainer_note_sizes(const struct trainer *t, const struct problem *problem);

/* -v: `Cross Validation Accuracy = ...` among the results, even with -q, and reported; so many of n
 * examples were predicted right. */
void trainer_print_validation(const struct trainer *t, int64_t correct, int64_t n);

/* Below it: these shares, of 1. */
void trainer_print_errors(const struct trainer *t, double given, double estimated);

/* A warning where an error that is counted through the matrix is below 0. */
void trainer_warn_of_error(const struct trainer *t, double estimated);

/* Where a learner's findings go: lines to t->out, warnings and notes as below. */
struct findings trainer_findings(struct trainer *t);

/* The same for results: lines to t->results, also with -q. */
struct findings trainer_results(struct trainer *t);

/* `PROGRAM: warning: ...` on standard error, also reported (program_warn), and `PROGRAM: note:
 * ...`, this one not with -q. */
void trainer_warn(const struct trainer *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void trainer_note(const struct trainer *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Print a line of the report, unless -q. */
void trainer_say(const struct trainer *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Members of struct program that trainers share. */
#define TRAINER_WORDS \
    .words = "training_file [model_file]", .files = "rw", .fewest_words = 1, .most_words = 2

/* Rows of the options that trainers share.  otherwise: where classes come from without --labels;
 * unit: default of --unit-length. */
/* clang-format off */
#define TRAINER_FORM_ROWS(t, otherwise, unit) \
    OPTION_LABELS(&(t)->labels_given, otherwise), \
    {ROW_BIAS(&(t)->form.bias), .had = &(t)->had.bias}, \
    {ROW_UNIT_LENGTH(&(t)->unit_length, unit), .had = &(t)->had_unit_length}, \
    {ROW_ZERO_BASED(&(t)->form.zero_based), .had = &(t)->had.zero_based}, \
    OPTION_SKIP_BAD(&(t)->skip_bad, "")
#define TRAINER_RESUME_ROWS(t) \
    {ROW_INPUT('m', "model", &(t)->resume_given, "model"), \
     .help = "continue training from this model, with its options"}, \
    {ROW_FLAG(0, "final", &(t)->form.final), \
     .help = "write only what prediction needs: a smaller model, that -m cannot go on from"}, \
    {ROW_INT(0, "save-every", &(t)->save_every, "n", 0, OPTION_LARGEST_INT), .by_default = "0", \
     .help = "also save the model after every n examples; 0: only at the end"}
#define TRAINER_WEIGHTS "example-weights"
#define TRAINER_WEIGHTS_ROW(t) \
    {ROW_INPUT('W', TRAINER_WEIGHTS, &(t)->weights_given, "file"), \
     .help = "weights of the examples, a number >= 0 a line: how often each counts"}
#define TRAINER_WEIGHTS_CLASH \
    {"skip-bad", TRAINER_WEIGHTS, "would shift the weights of the lines after a bad one"}
#define TRAINER_GROUPS_CLASH \
    {"skip-bad", "groups", "would shift the groups of the lines after a bad one"}
#define TRAINER_RUN_ROWS(t) \
    OPTION_REPORT(&(t)->report_given), \
    OPTION_SEED(&(t)->form.seed), \
    OPTION_THREADS(&(t)->threads), \
    OPTION_QUIET(&(t)->quiet), \
    OPTION_STRICT
/* clang-format on */

#endif
