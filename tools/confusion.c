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

/* The examples of two files of the same length. */
struct pairs {
    const char *truth_name;
    struct problem truth; /* labels alone */
    bool cut;             /* these end in the middle of a line (example.h) */
    struct predicted predicted;
    int64_t labelled; /* examples with a true label */
    int64_t count;    /* of these, with a predicted one, too */
};

/* Has example i both a true and a predicted label? */
static bool pairs_has(const struct pairs *pairs, int64_t i)
{
    return pairs->truth.label[i] != EXAMPLE_UNLABELLED
           && pairs->predicted.label[i] != EXAMPLE_UNLABELLED;
}

/* Read both files.  pairs: zero before; free with pairs_free either way.  0, or -1 with err: the
 * files differ in length, or have no pair. */
static int pairs_read(const char *truth, const char *predicted, struct pairs *pairs,
                      struct error *err)
{
    /* Only the labels of the data are read, not the features. */
    const struct example_format format = {
        .labels_only = true, .unlabelled = true, .bias = -1, .cut = &pairs->cut};
    pairs->truth_name = input_name(truth);
    if (problem_hold(truth, &format, 1, &pairs->truth, err) != 0
        || predicted_read(&pairs->predicted, predicted, err) != 0)
        return -1;
    const int64_t n = pairs->truth.n;
    if (n != pairs->predicted.n)
        return error_set(err, "%s has %lld examples, but %s has %lld predictions",
                         pairs->truth_name, (long long)n, pairs->predicted.name,
                         (long long)pairs->predicted.n);
    for (int64_t i = 0; i < n; i++) {
        pairs->labelled += pairs->truth.label[i] != EXAMPLE_UNLABELLED;
        pairs->count += pairs_has(pairs, i);
    }
    if (pairs->labelled == 0)
        return error_at(err, pairs->truth_name, 0, 0, "no example has a label");
    if (pairs->count == 0)
        return error_at(err, pairs->predicted.name, 0, 0,
                        "no example with a label has a prediction");
    return 0;
}

static void pairs_free(struct pairs *pairs)
{
    memory_free(pairs->predicted.label);
    problem_free(&pairs->truth);
}

/* Without --labels: the labels that occur in truth or predictions. */
static int pairs_find_labels(const struct pairs *pairs, struct labels *labels, struct error *err)
{
    if (problem_add_labels(&pairs->truth, labels, err) != 0)
        return -1;
    for (int64_t i = 0; i < pairs->truth.n; i++)
        if (pairs_has(pairs, i) && labels_add(labels, (int32_t)pairs->predicted.label[i], err) != 0)
            return -1;
    labels_settle(labels);
    return 0;
}

/* counts[p*K + q] += examples predicted as class p whose true class is q.  0, or -1 with err: a
 * label that is no class. */
static int pairs_add_counts(const struct pairs *pairs, const struct labels *labels, int64_t *counts,
                            struct error *err)
{
    const struct problem *truth = &pairs->truth;
    const struct predicted *predicted = &pairs->predicted;
    for (int64_t i = 0; i < truth->n; i++) {
        if (!pairs_has(pairs, i))
            continue;
        int64_t q = labels_require(labels, truth->label[i], pairs->truth_name, truth->line[i], err);
        int64_t p = q < 0 ? -1
                          : labels_require(labels, predicted->label[i], predicted->name,
                                           i + 1 + predicted->head, err);
        if (p < 0)
            return -1;
        counts[p * labels->count + q]++;
    }
    return 0;
}

/* ---- the program ---- */

struct confusion_main {
    const char *list;        /* --labels */
    const char *predictions; /* -p: probabilities of the classes; NULL: from the features */
    struct labels labels;    /* of --labels, or none */
    struct noisy_file_options options;
    bool from_noisy, rows_true;
    struct program_voice voice;
};

/* Agreement and confusion rate; warn of classes without an example. */
static void confusion_main_report_counts(struct confusion_main *job, const struct confusion *c,
                                         const int64_t *counts, const char *truth_name)
{
    const struct findings to = program_findings(&job->voice);
    const int64_t K = c->classes;
    int64_t examples = 0, agreed = 0;
    for (int64_t q = 0; q < K; q++) {
        int64_t column = 0;
        for (int64_t p = 0; p < K; p++)
            column += counts[p * K + q];
        examples += column;
        agreed += counts[q * K + q];
        if (column == 0)
            findings_warn(&to, "class %ld has no example in %s: its column is the identity's",
                          (long)c->labels.value[q], truth_name);
    }
    const double off_diagonal = confusion_off_diagonal(c), rate = off_diagonal / sqrt((double)K);
    findings_say(&to, "Agreement = %g%% (%lld/%lld)\nConfusion rate = %g (||offdiag||_F = %g)",
                 100 * (double)agreed / (double)examples, (long long)agreed, (long long)examples,
                 rate, off_diagonal);
    report_labels(to.report, c->labels.value, K);
    report_count(to.report, REPORT_LABELLED, examples);
    report_count(to.report, REPORT_CORRECT, agreed);
    report_number(to.report, REPORT_ACCURACY, (double)agreed / (double)examples);
    report_number(to.report, REPORT_CONFUSION_RATE, rate);
}

/* Let the matrix appear, then the report, which is written before.  0 or -1. */
static int confusion_main_finish(struct report *report, struct output *out, struct error *err)
{
    if (run_report_finish(report, err) != 0 || output_commit(out, err) != 0)
        return -1;
    return report_commit(report, err);
}

/* Write the matrix counted from true labels and predictions. */
static int confusion_main_run_counted(struct confusion_main *job, const char *truth,
                                      const char *predicted, struct error *err)
{
    const struct findings to = program_findings(&job->voice);
    struct labels *labels = &job->labels;
    struct pairs pairs = {0};
    struct confusion confusion = {0};
    struct output out = {.fd = -1};
    int64_t *counts = NULL;
    int status = -1;
    if (pairs_read(truth, predicted, &pairs, err) != 0
        || (labels->count == 0 && pairs_find_labels(&pairs, labels, err) != 0))
        goto done;
    const int64_t K = labels->count;
    if (memory_check((double)K * (double)K * 16, "the confusion matrix", err) != 0
        || !(counts = memory_new(K * K, sizeof *counts, err)))
        goto done;
    if (pairs_add_counts(&pairs, labels, counts, err) != 0
        || confusion_from_counts(counts, labels, &confusion, err) != 0
        || output_open(&out, "-", err) != 0)
        goto done;
    confusion_write(&confusion, job->rows_true, &out);
    if (pairs.cut)
        findings_warn(&to, STREAM_CUT_TEXT, pairs.truth_name);
    confusion_main_report_counts(job, &confusion, counts, pairs.truth_name);
    if (pairs.count < pairs.labelled)
        findings_note(&to, "%lld of %lld examples with a label have no prediction (?)",
                      (long long)(pairs.labelled - pairs.count), (long long)pairs.labelled);
    status = confusion_main_finish(&job->voice.report, &out, err);
done:
    output_abandon(&out);
    confusion_free(&confusion);
    memory_free(counts);
    pairs_free(&pairs);
    return status;
}

/* Estimate the matrix from the noisy labels of a file, and write it. */
static int confusion_main_run_noisy(struct confusion_main *job, const char *path, struct error *err)
{
    const struct findings to = program_findings(&job->voice);
    struct noisy_file_options *options = &job->options;
    struct predictions_file both = {.data = {.labels = job->labels}};
    struct noisy_file *file = &both.data;
    struct confusion confusion = {0};
    struct output out = {.fd = -1};
    struct progress progress = progress_start(job->voice.quiet,
                                              job->predictions ? "rounds" : "fits");
    progress_phase(&progress, "estimating the noise");
    options->estimate.fit.progress = &progress;
    options->to = &to;
    job->labels = (struct labels){0}; /* they are the file's now */
    int status = job->predictions ? predictions_file_estimate(
                     path, job->predictions, options->confusion, &options->estimate.fit, &both, err)
                                  : noisy_file_estimate(path, options, file, err);
    progress_wipe(&progress);
    const int64_t K = file->labels.count;
    if (status == 0
        && (confusion_make(&file->labels, &confusion, err) != 0
            || output_open(&out, "-", err) != 0))
        status = -1;
    if (status == 0) {
        memcpy(confusion.c, file->estimate.matrix.c, (size_t)(K * K) * sizeof *confusion.c);
        confusion_write(&confusion, job->rows_true, &out);
        report_count(to.report, REPORT_EXAMPLES, file->problem.n);
        report_labels(to.report, file->labels.value, K);
        estimate_tell_linear(&options->estimate, &to);
        if (job->predictions)
            predictions_file_check(&both, &to);
        estimate_report_matrix(&file->estimate, &file->labels, &to);
        const struct labelled examples = noisy_file_examples(file);
        if (!job->predictions)
            status = estimate_note_neighbours(&examples, options->estimate.fit.seed, &to, err);
        if (status == 0)
            status = confusion_main_finish(&job->voice.report, &out, err);
    }
    output_abandon(&out);
    confusion_free(&confusion);
    predictions_file_free(&both);
    return status;
}

/* Do options and files go together?  word: the names of the files.  The map is settled.  0, or -1
 * with err, a usage error. */
static int confusion_main_check(struct confusion_main *job, const struct program *program,
                                const char **word, struct error *err)
{
    static const char *const alone[] = {"predictions", "disk", "sample", "groups", NULL};
    static const char *const of_noisy[] = {
        "predictions", "map",         "map-dims",   "map-gamma", "features", "sample", "disk",
        "bias",        "unit-length", "zero-based", "seed",      "groups",   NULL};
    static const char *const of_features[] = {"map",        "map-dims", "map-gamma", "features",
                                              "sample",     "disk",     "bias",      "unit-length",
                                              "zero-based", "labels",   "groups",    NULL};
    if (job->from_noisy != !word[1])
        return error_usage(err, job->from_noisy ? "--from-noisy reads one file"
                                                : "two files are needed, truth and predicted");
    if (!job->from_noisy && reduce_ranks() > 1)
        return error_usage(err, "several ranks work with --from-noisy only");
    if (!(word[0] = reduce_path(word[0], err))
        || program_check_ranks(program, word[0], alone, err) != 0)
        return -1;
    if ((!job->from_noisy
         && options_refuse_any(program, of_noisy, "without --from-noisy", err) != 0)
        || (options_find(program, "predictions")->given
            && options_refuse_any(program, of_features, "with -p", err) != 0))
        return -1;
    return noisy_file_settle(&job->options, options_find(program, "map")->given,
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
    struct confusion_main job = {
        .voice = {.name = "confusion"},
        .options = {
            .format = {.bias = -1},
            .confusion = "estimate",
            .estimate = {.fit = {.lambda = -1, .steps = -1}, .features = -1, .matrix_only = true}}};
    struct option table[] = {
        OPTION_ROWS(&orientation),
        {ROW_FLAG(0, "from-noisy", &job.from_noisy),
         .help = "estimate the confusion matrix of the noisy labels in one file"},
        {ROW_INPUT('p', "predictions", &job.predictions, "file"),
         .help =
             "with --from-noisy: out-of-sample probabilities of any classifier, as svm-predict -b "
             "1 and liblinear-predict -b 1 write them; the data may then be labels only"},
        ESTIMATE_MAP_ROWS(&job.options.estimate.map, &job.options.estimate.map_dims,
                          &job.options.estimate.map_gamma,
                          ".  Without -t also linear with --disk and --sample"),
        OPTION_FEATURES(&job.options.estimate.features, " with -t linear"),
        OPTION_SAMPLE(&job.options.sample),
        OPTION_GROUPS(&job.options.groups, ""),
        OPTION_DISK(&job.options.disk, "the current folder"),
        OPTION_BIAS(&job.options.format.bias),
        OPTION_UNIT_LENGTH(&unit_length, "1"),
        OPTION_ZERO_BASED(&job.options.format.zero_based),
        OPTION_SEED(&job.options.estimate.fit.seed),
        OPTION_THREADS(&threads),
        {ROW_TEXT(0, "labels", &job.list, "list"),
         .help = "the classes, for example 1,2,7 or 1-10 (default: those that occur)"},
        OPTION_REPORT(&job.voice.report.path),
        OPTION_QUIET(&job.voice.quiet),
        OPTION_STRICT,
    };
    struct program program = {
        .name = job.voice.name,
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
    program_start();
    int go = options_parse(&program, argc, argv, word);
    if (go != OPTIONS_GO)
        return go;
    if (confusion_main_check(&job, &program, word, &err) != 0)
        return program_end(&program, 1, &err);
    int status = job.list ? labels_parse(job.list, &job.labels, &err) : 0;
    job.rows_true = orientation == 1;
    job.options.format.unit_length = unit_length == 1;
    job.options.estimate.fit.threads = (int)threads;
    program_say_at_stop(program.name, "the output is not finished");
    if (status == 0)
        status = run_report_begin(&job.voice.report, &program, word, &err);
    if (status == 0)
        status = job.from_noisy ? confusion_main_run_noisy(&job, word[0], &err)
                                : confusion_main_run_counted(&job, word[0], word[1], &err);
    report_abandon(&job.voice.report);
    labels_free(&job.labels);
    return program_end(&program, status != 0, &err);
}
