/* confusion: the confusion matrix of a classifier, from its predictions for examples whose true
 * labels are known; or of noisy labels, from these alone. */
#include "common/model/confusion.h"

#include "common/base/input.h"
#include "common/base/memory.h"
#include "common/base/parallel.h"
#include "common/base/reduce.h"
#include "common/data/problem_file.h"
#include "common/model/predictions.h"
#include "common/program/disk_option.h"
#include "common/program/option_rows.h"
#include "common/program/options.h"
#include "common/program/program.h"
#include "common/program/run_report.h"
#include "learners/estimate/estimate_report.h"
#include "learners/estimate/predictions_file.h"

#include <math.h>
#include <string.h>

/* The labels that were predicted. */
struct predicted {
    const char *name; /* of the file */
    int64_t *label;   /* n; EXAMPLE_UNLABELLED: none, the line is `?` */
    int64_t n, capacity;
    int64_t head; /* lines before the first label: 0 or 1 */
};

static int predicted_read(struct predicted *predicted, const char *path, struct error *err)
{
    struct predictions predictions;
    int status = predictions_open(&predictions, path, err);
    predicted->name = input_name(path);
    predicted->head = predictions.has_head;
    predictions.gaps = true;
    if (status != 0)
        goto done;
    while ((status = predictions_next(&predictions, err)) > 0) {
        int64_t *more = memory_reserve(predicted->label, &predicted->capacity, predicted->n + 1,
                                       sizeof *more, err);
        if (!more) {
            status = -1;
            goto done;
        }
        predicted->label = more;
        predicted->label[predicted->n++] = predictions.label;
    }
done:
    predictions_close(&predictions);
    return status;
}

/* Has example i both a true and a predicted label? */
static bool confusion_is_pair(const struct problem *truth, const struct predicted *predictions,
                              int64_t i)
{
    return truth->label[i] != EXAMPLE_UNLABELLED && predictions->label[i] != EXAMPLE_UNLABELLED;
}

/* counts[p*K + q] += examples predicted as class p whose true class is q; those that are no pairs
 * are skipped. */
static int confusion_count_pairs(const struct problem *truth, const char *truth_name,
                                 const struct predicted *predictions, const struct labels *labels,
                                 int64_t *counts, struct error *err)
{
    for (int64_t i = 0; i < truth->n; i++) {
        if (!confusion_is_pair(truth, predictions, i))
            continue;
        int64_t q = labels_require(labels, truth->label[i], truth_name, truth->line[i], err);
        int64_t p = q < 0 ? -1
                          : labels_require(labels, predictions->label[i], predictions->name,
                                           i + 1 + predictions->head, err);
        if (p < 0)
            return -1;
        counts[p * labels->count + q]++;
    }
    return 0;
}

/* Without --labels: the labels that occur in truth or predictions. */
static int confusion_find_labels(const struct problem *truth, const struct predicted *predictions,
                                 struct labels *labels, struct error *err)
{
    if (problem_add_labels(truth, labels, err) != 0)
        return -1;
    for (int64_t i = 0; i < truth->n; i++)
        if (confusion_is_pair(truth, predictions, i)
            && labels_add(labels, (int32_t)predictions->label[i], err) != 0)
            return -1;
    labels_settle(labels);
    return 0;
}

/* Where what is found goes: with `quiet` warnings only to standard error; all to the report. */
struct confusion_report {
    struct report *report;
    bool quiet;
};

static void confusion_warn(void *context, const char *text)
{
    const struct confusion_report *to = context;
    program_warn("confusion", to->report, "%s", text);
}

static void confusion_note(void *context, const char *text)
{
    const struct confusion_report *to = context;
    if (!to->quiet)
        program_note("confusion", "%s", text);
}

/* Agreement and confusion rate; warn of classes without an example. */
static void confusion_report_counts(const struct confusion *c, const int64_t *counts,
                                    const char *truth_name, struct confusion_report *to)
{
    const int64_t K = c->classes;
    int64_t examples = 0, agreed = 0;
    for (int64_t q = 0; q < K; q++) {
        int64_t column = 0;
        for (int64_t p = 0; p < K; p++)
            column += counts[p * K + q];
        examples += column;
        agreed += counts[q * K + q];
        if (column == 0)
            program_warn("confusion", to->report,
                         "class %ld has no example in %s: its column is the identity's",
                         (long)c->labels.value[q], truth_name);
    }
    const double off_diagonal = confusion_off_diagonal(c), rate = off_diagonal / sqrt((double)K);
    if (!to->quiet)
        fprintf(stderr, "Agreement = %g%% (%lld/%lld)\nConfusion rate = %g (||offdiag||_F = %g)\n",
                100 * (double)agreed / (double)examples, (long long)agreed, (long long)examples,
                rate, off_diagonal);
    report_labels(to->report, c->labels.value, K);
    report_count(to->report, REPORT_LABELLED, examples);
    report_count(to->report, REPORT_CORRECT, agreed);
    report_number(to->report, REPORT_ACCURACY, (double)agreed / (double)examples);
    report_number(to->report, REPORT_CONFUSION_RATE, rate);
}

/* Let the matrix appear, then the report, which is written before.  0 or -1. */
static int confusion_finish(struct report *report, struct output *out, struct error *err)
{
    if (run_report_finish(report, err) != 0 || output_commit(out, err) != 0)
        return -1;
    return report_commit(report, err);
}

/* Write the matrix counted from true labels and predictions. */
static int confusion_run_counted(const char *truth_path, const char *predicted_path,
                                 struct labels *labels, bool rows_true, struct confusion_report *to,
                                 struct error *err)
{
    /* Only the labels of the data are read, not the features. */
    const struct example_format format = {.labels_only = true, .unlabelled = true, .bias = -1};
    const char *truth_name = input_name(truth_path);
    struct problem truth = {0};
    struct predicted predictions = {0};
    struct confusion confusion = {0};
    struct output out = {.fd = -1};
    int64_t *counts = NULL, labelled = 0, pairs = 0;
    int status = -1;

    if (problem_hold(truth_path, &format, 1, &truth, err) != 0
        || predicted_read(&predictions, predicted_path, err) != 0)
        goto done;
    if (truth.n != predictions.n) {
        error_set(err, "%s has %lld examples, but %s has %lld predictions", truth_name,
                  (long long)truth.n, predictions.name, (long long)predictions.n);
        goto done;
    }
    for (int64_t i = 0; i < truth.n; i++) {
        labelled += truth.label[i] != EXAMPLE_UNLABELLED;
        pairs += confusion_is_pair(&truth, &predictions, i);
    }
    if (pairs == 0) {
        error_at(err, labelled > 0 ? predictions.name : truth_name, 0, 0,
                 labelled > 0 ? "no example with a label has a prediction"
                              : "no example has a label");
        goto done;
    }
    if (labels->count == 0 && confusion_find_labels(&truth, &predictions, labels, err) != 0)
        goto done;
    const int64_t K = labels->count;
    if (memory_check((double)K * (double)K * 16, "the confusion matrix", err) != 0
        || !(counts = memory_new(K * K, sizeof *counts, err)))
        goto done;
    if (confusion_count_pairs(&truth, truth_name, &predictions, labels, counts, err) != 0
        || confusion_from_counts(counts, labels, &confusion, err) != 0
        || output_open(&out, "-", err) != 0)
        goto done;
    confusion_write(&confusion, rows_true, &out);
    confusion_report_counts(&confusion, counts, truth_name, to);
    if (pairs < labelled && !to->quiet)
        program_note("confusion", "%lld of %lld examples with a label have no prediction (?)",
                     (long long)(labelled - pairs), (long long)labelled);
    status = confusion_finish(to->report, &out, err);
done:
    output_abandon(&out);
    confusion_free(&confusion);
    memory_free(counts);
    memory_free(predictions.label);
    problem_free(&truth);
    return status;
}

/* Estimate the matrix from the noisy labels of a file, and write it.  predictions: a file with the
 * probabilities of the classes for each example; NULL: they are made from the features. */
static int confusion_run_noisy(const char *path, const char *predictions,
                               struct noisy_file_options *options, struct labels *labels,
                               bool rows_true, struct confusion_report *to, struct error *err)
{
    struct predictions_file both = {.data = {.labels = *labels}};
    struct noisy_file *file = &both.data;
    struct confusion confusion = {0};
    struct output out = {.fd = -1};
    struct progress progress = progress_start(to->quiet, predictions ? "rounds" : "fits");
    progress_phase(&progress, "estimating the noise");
    options->estimate.fit.progress = &progress;
    options->out = to->quiet ? NULL : stderr;
    *labels = (struct labels){0};
    int status = predictions ? predictions_file_estimate(path, predictions, options->confusion,
                                                         &options->estimate.fit, &both, err)
                             : noisy_file_estimate(path, options, file, err);
    progress_wipe(&progress);
    const int64_t K = file->labels.count;
    if (status == 0
        && (confusion_make(&file->labels, &confusion, err) != 0
            || output_open(&out, "-", err) != 0))
        status = -1;
    if (status == 0) {
        memcpy(confusion.c, file->estimate.c, (size_t)(K * K) * sizeof *confusion.c);
        confusion_write(&confusion, rows_true, &out);
        report_count(to->report, REPORT_EXAMPLES, file->problem.n);
        report_labels(to->report, file->labels.value, K);
        const struct findings findings = {.out = options->out,
                                          .report = to->report,
                                          .warn = confusion_warn,
                                          .note = confusion_note,
                                          .context = to};
        estimate_tell_linear(&options->estimate, &findings);
        if (predictions)
            predictions_file_check(&both, &findings);
        estimate_report_matrix(&file->estimate, &file->labels, &findings);
        status = confusion_finish(to->report, &out, err);
    }
    output_abandon(&out);
    confusion_free(&confusion);
    predictions_file_free(&both);
    return status;
}

/* Do options and files go together?  word: the names of the files.  options: of --from-noisy; the
 * map is settled.  0, or -1 with err, a usage error. */
static int confusion_check(const struct program *program, const char **word, bool from_noisy,
                           struct noisy_file_options *options, struct error *err)
{
    static const char *const alone[] = {"predictions", "disk", "sample", NULL};
    static const char *const of_noisy[] = {"predictions", "map",        "map-dims", "map-gamma",
                                           "features",    "sample",     "disk",     "bias",
                                           "unit-length", "zero-based", "seed",     NULL};
    static const char *const of_features[] = {"map",        "map-dims", "map-gamma", "features",
                                              "sample",     "disk",     "bias",      "unit-length",
                                              "zero-based", "labels",   NULL};
    if (from_noisy != !word[1])
        return error_usage(err, from_noisy ? "--from-noisy reads one file"
                                           : "two files are needed, truth and predicted");
    if (!from_noisy && reduce_ranks() > 1)
        return error_usage(err, "several ranks work with --from-noisy only");
    if (!(word[0] = reduce_path(word[0], err))
        || program_check_ranks(program, word[0], alone, err) != 0)
        return -1;
    if ((!from_noisy && options_refuse_any(program, of_noisy, "without --from-noisy", err) != 0)
        || (options_find(program, "predictions")->given
            && options_refuse_any(program, of_features, "with -p", err) != 0))
        return -1;
    return noisy_file_settle(options, options_find(program, "map")->given,
                             options_find(program, "unit-length")->given, err);
}

static const char *const details =
    "truth is LIBSVM text, of which only the labels are read; predicted is what an "
    "X-predict wrote for it, with or without scores. Either may be `-`, standard input. "
    "Entry (p, q) is the share of label p among the predictions for examples of class q. "
    "Lines that are `?` in truth or predicted are left out. For a class without an example the "
    "column is that of the identity, with a warning. Standard error reports how many "
    "predictions agree, and the confusion rate: the Frobenius norm of the matrix without "
    "its diagonal, divided by the square root of the number of classes; in parentheses, "
    "the norm itself.\n\n"
    "With --from-noisy there is one file, of examples with noisy labels, and the matrix is "
    "that of forward-train, which may take features of a kernel (-t linear is faster); with -p, "
    "that of suspects -p. The options from --predictions to --seed apply only then.";

int main(int argc, char **argv)
{
    int64_t orientation, threads = parallel_processors(), unit_length;
    const char *list = NULL, *predictions = NULL;
    bool quiet = false, from_noisy = false;
    struct report report = {0};
    struct noisy_file_options options = {
        .format = {.bias = -1},
        .confusion = "estimate",
        .estimate = {.fit = {.lambda = -1, .steps = -1}, .features = -1, .matrix_only = true}};
    struct option table[] = {
        OPTION_ROWS(&orientation),
        {ROW_FLAG(0, "from-noisy", &from_noisy),
         .help = "estimate the confusion matrix of the noisy labels in one file"},
        {ROW_INPUT('p', "predictions", &predictions, "file"),
         .help =
             "with --from-noisy: out-of-sample probabilities of any classifier, as svm-predict -b "
             "1 and liblinear-predict -b 1 write them; the data may then be labels only"},
        ESTIMATE_MAP_ROWS(&options.estimate.map, &options.estimate.map_dims,
                          &options.estimate.map_gamma,
                          ".  Without -t also linear with --disk and --sample"),
        OPTION_FEATURES(&options.estimate.features, " with -t linear"),
        OPTION_SAMPLE(&options.sample),
        OPTION_DISK(&options.disk, "the current folder"),
        OPTION_BIAS(&options.format.bias),
        OPTION_UNIT_LENGTH(&unit_length, "1"),
        OPTION_ZERO_BASED(&options.format.zero_based),
        OPTION_SEED(&options.estimate.fit.seed),
        OPTION_THREADS(&threads),
        {ROW_TEXT(0, "labels", &list, "list"),
         .help = "the classes, for example 1,2,7 or 1-10 (default: those that occur)"},
        OPTION_REPORT(&report.path),
        OPTION_QUIET(&quiet),
        OPTION_STRICT,
    };
    struct program program = {
        .name = "confusion",
        .words = "truth predicted > matrix",
        .files = "r",
        .summary =
            "Count the confusion matrix of predictions; with --from-noisy data > matrix, estimate "
            "that of the labels of one file.",
        .details = details,
        .see_also = "suspects(1), forward-train(1), uma-train(1)",
        .examples = "  arow-train data/letter.train model && arow-predict -q data/letter.test "
                    "model predicted\n"
                    "  confusion data/letter.test predicted > matrix\n"
                    "  label-noise -r 0.2 data/digits.train > noisy && confusion --from-noisy "
                    "noisy > matrix\n",
        .fewest_words = 1,
        .most_words = 2,
        .options = table,
        .count = sizeof table / sizeof *table};
    const char *word[3];
    struct error err = {0};
    struct labels labels = {0};
    program_start();
    int go = options_parse(&program, argc, argv, word);
    if (go != OPTIONS_GO)
        return go;
    if (confusion_check(&program, word, from_noisy, &options, &err) != 0)
        return program_end(&program, 1, &err);
    int status = list ? labels_parse(list, &labels, &err) : 0;
    options.format.unit_length = unit_length == 1;
    options.estimate.fit.threads = (int)threads;
    struct confusion_report to = {&report, quiet};
    program_say_at_stop(program.name, "the output is not finished");
    if (status == 0)
        status = run_report_begin(&report, &program, word, &err);
    if (status == 0 && from_noisy)
        status = confusion_run_noisy(word[0], predictions, &options, &labels, orientation == 1, &to,
                                     &err);
    else if (status == 0)
        status = confusion_run_counted(word[0], word[1], &labels, orientation == 1, &to, &err);
    report_abandon(&report);
    labels_free(&labels);
    return program_end(&program, status != 0, &err);
}
