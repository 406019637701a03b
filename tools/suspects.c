/* suspects: the lines of a data file whose labels are probably wrong; or the data without them, or
 * a weight for each example. */
#include "common/base/input.h"
#include "common/base/memory.h"
#include "common/base/output.h"
#include "common/base/parallel.h"
#include "common/base/reduce.h"
#include "common/data/names.h"
#include "common/model/confusion_option.h"
#include "common/program/disk_option.h"
#include "common/program/option_rows.h"
#include "common/program/options.h"
#include "common/program/program.h"
#include "common/program/run_report.h"
#include "learners/estimate/estimate_report.h"
#include "learners/estimate/predictions_file.h"
#include "learners/suspects/suspects_table.h"
#include "learners/suspects/suspects_write.h"

struct suspects_main {
    const char *path, *predictions, *labels, *names_given;
    struct names names;
    const struct name **name; /* of each class; NULL: labels are written as numbers */
    struct noisy_file_options options;
    struct predictions_file file;
    struct suspects suspects;
    struct output out;
    struct program_voice voice;
    int64_t count; /* -n; < 0: those below the threshold */
    bool clean, relabel, writes_weights;
};

static int suspects_main_estimate(struct suspects_main *job, struct error *err)
{
    if (job->predictions)
        return predictions_file_estimate(job->path, job->predictions, job->options.confusion,
                                         &job->options.estimate.fit, &job->file, err);
    return noisy_file_estimate(job->path, &job->options, &job->file.data, err);
}

/* Find the name of each class.  0 or -1. */
static int suspects_main_find_names(struct suspects_main *job, struct error *err)
{
    const struct labels *labels = &job->file.data.labels;
    if (!job->names_given)
        return 0;
    if (!(job->name = memory_new(labels->count, sizeof *job->name, err)))
        return -1;
    for (int64_t k = 0; k < labels->count; k++)
        if (!(job->name[k] = names_require(&job->names, labels->value[k], err)))
            return -1;
    return 0;
}

/* The suspicion of every example.  0 or -1. */
static int suspects_main_score(struct suspects_main *job, struct error *err)
{
    return job->predictions
               ? suspects_find_given(&job->file, &job->suspects, err)
               : suspects_find(&job->file.data, &job->options.estimate.fit, &job->suspects, err);
}

/* Warn of labels that a matrix, which was given, says cannot be. */
static void suspects_main_check_labels(const struct noisy_file *data, const struct findings *to)
{
    const int64_t K = data->labels.count, n = data->problem.n;
    int64_t impossible = 0;
    for (int64_t i = 0; i < n; i++) {
        const double *row = data->estimate.matrix.c + data->y[i] * K;
        int64_t k = 0;
        while (k < K && !(row[k] > 0))
            k++;
        impossible += k == K;
    }
    if (impossible > 0)
        findings_warn(to,
                      "%lld of %lld examples have a label that the matrix says cannot be: they "
                      "count as wrong",
                      (long long)impossible, (long long)n);
}

/* The report of what was found.  0, or -1 (memory). */
static int suspects_main_say(struct suspects_main *job, struct error *err)
{
    const struct noisy_file *data = &job->file.data;
    const bool lists = !job->clean && !job->relabel && !job->writes_weights;
    const struct suspects_table table = {.names = job->names_given ? &job->names : NULL,
                                         .cleans = job->clean,
                                         .lists = lists && job->count < 0};
    const struct findings to = program_findings(&job->voice);
    char text[CONFUSION_OPTION_TEXT];
    report_count(to.report, REPORT_EXAMPLES, data->problem.n);
    report_labels(to.report, data->labels.value, data->labels.count);
    feature_map_report(data->estimate.input.map, to.report);
    estimate_tell_linear(&job->options.estimate, &to);
    if (job->predictions)
        predictions_file_check(&job->file, &to);
    if (confusion_option_estimates(job->options.confusion)) {
        estimate_report_matrix(&data->estimate, &data->labels, &to);
    } else {
        estimate_check_given(&data->estimate, &to);
        if (confusion_option_alike(data->estimate.matrix.c, &data->labels, text))
            findings_warn(&to, "%s: %s", input_name(job->options.confusion), text);
        suspects_main_check_labels(data, &to);
    }
    if (data->unseen > 0)
        findings_warn(&to, "%s: %s", input_name(job->options.confusion),
                      confusion_option_unseen(data->unseen, text));
    const struct labelled examples = noisy_file_examples(data);
    if (!job->predictions
        && estimate_note_neighbours(&examples, job->options.estimate.fit.seed, &to, err) != 0)
        return -1;
    return suspects_report_table(&job->suspects, &table, &to, err);
}

/* What was asked for.  0 or -1. */
static int suspects_main_write(struct suspects_main *job, struct error *err)
{
    if (job->clean || job->relabel)
        return suspects_write_data(&job->suspects, job->path, job->relabel, &job->out, err);
    if (job->writes_weights)
        suspects_write_weights(&job->suspects, &job->out);
    else
        suspects_write_list(&job->suspects, job->count, job->name, &job->out);
    return 0;
}

static int suspects_main_run(struct suspects_main *job, struct error *err)
{
    const struct findings to = program_findings(&job->voice);
    struct progress progress = progress_start(job->voice.quiet,
                                              job->predictions ? "rounds" : "fits");
    progress_phase(&progress, "estimating the noise");
    job->options.estimate.fit.progress = &progress;
    job->options.to = &to;
    int status = suspects_main_estimate(job, err);
    if (status == 0
        && (suspects_main_find_names(job, err) != 0 || suspects_main_score(job, err) != 0))
        status = -1;
    progress_wipe(&progress);
    if (status != 0 || output_open(&job->out, "-", err) != 0 || suspects_main_say(job, err) != 0
        || suspects_main_write(job, err) != 0 || run_report_finish(&job->voice.report, err) != 0
        || output_commit(&job->out, err) != 0)
        return -1;
    return report_commit(&job->voice.report, err);
}

/* Do the options go together?  Sets job->path and settles the map.  0, or -1 with err, a usage
 * error. */
static int suspects_main_check(struct suspects_main *job, const struct program *program,
                               const char *path, struct error *err)
{
    static const struct option_clash clashes[] = {
        {"clean", "count", "goes by --threshold"},
        {"relabel", "count", "goes by --threshold"},
        {"weights", "count", "writes the score of every example"},
        {"weights", "clean", "writes scores"},
        {"weights", "relabel", "writes scores"},
        {"clean", "relabel", "leaves lines out"},
        {"weights", "threshold", "writes the score of every example"},
        {0}};
    static const char *const alone[] = {"predictions", "disk", "sample", "groups", NULL};
    static const char *const of_features[] = {"map",    "map-dims", "map-gamma",   "features",
                                              "labels", "bias",     "unit-length", "zero-based",
                                              "sample", "disk",     "groups",      NULL};
    const struct findings to = program_findings(&job->voice);
    const bool rewrites = job->clean || job->relabel;
    if (!(job->path = reduce_path(path, err))
        || program_check_ranks(program, job->path, alone, err) != 0)
        return -1;
    if (job->predictions && options_refuse_any(program, of_features, "with -p", err) != 0)
        return -1;
    if (noisy_file_settle(&job->options, options_find(program, "map")->given,
                          options_find(program, "unit-length")->given, err)
            != 0
        || options_refuse_clashes(program, clashes, false, err) != 0)
        return -1;
    if (rewrites && reduce_has_shards())
        return error_usage(err, "--clean and --relabel need one file for all ranks");
    if (rewrites && input_is_pipe(job->path))
        return error_usage(err, "--clean and --relabel read the data twice: they need a file");
    if ((rewrites || job->writes_weights) && job->names_given)
        return error_usage(err, "--names is of the list: data and weights hold numbers");
    if (!confusion_option_estimates(job->options.confusion)
        && options_find(program, "features")->given)
        findings_note(&to, "--features has no meaning with a matrix that is given");
    return 0;
}

static void suspects_main_release(struct suspects_main *job)
{
    output_abandon(&job->out);
    report_abandon(&job->voice.report);
    predictions_file_free(&job->file);
    names_free(&job->names);
    memory_free(job->name);
    suspects_free(&job->suspects);
}

static const char *const details =
    "No clean label is needed. Writes `line given suggested score`, separated by tabs, the "
    "most suspicious first: `line` counts lines of the data, the score is the probability "
    "that the given label is right. It is r^(1-a) h^a. r is the probability that it is right by "
    "the confusion matrix and the predictions; h = (1 + m) / 2, where m is how far the given label "
    "leads the likeliest other one without that matrix; a, from 0 to 0.5, is larger the more "
    "labels and predictions disagree beyond what the matrix and chance explain. Predictions are "
    "cross-fitted in ten folds (three where the weights of ten are too large for data on disk); "
    "where a kernel is taken, they are pooled with those of the linear model, in the shares that "
    "make the labels likeliest. A table with a line for each label goes to standard error, and a "
    "note of the -n that lists as many labels as are expected to be wrong, if that is clearly "
    "more. With --clean or --relabel the data are written instead, unchanged but for these "
    "examples, a byte order mark, which is dropped, and a last line without a newline, which "
    "gets one; with --weights only the scores, of all examples and in their order.\n\n"
    "With -p the predictions come from a file: a line `labels l1 ... lK`, then for each "
    "example a label and K probabilities that sum to 1 within 0.0005 K, as three decimals do. The "
    "classifier must not have learnt from the example that it predicts (cross-validation). The "
    "temperature of the probabilities and the confusion matrix are estimated from the labels, from "
    "a random sample where there are more than 4 million probabilities; the list is in the order "
    "of sqrt(r h) times the tenth root of r / (1 - r), and scores are smoothed so that they do not "
    "fall along it. A file of predictions is read twice, and what comes from a pipe is held in 4 "
    "bytes for each probability.";

int main(int argc, char **argv)
{
    int64_t unit_length, threads = parallel_processors();
    struct suspects_main job = {
        .voice = {.name = "suspects"},
        .out = {.fd = -1},
        .count = -1,
        .options = {.estimate = {.fit = {.lambda = -1, .steps = -1}, .features = -1, .fine = true},
                    .beside = 2 * sizeof(struct suspicion)}};
    struct option table[] = {
        {ROW_INPUT('c', "confusion", &job.options.confusion, "file"),
         .choices = confusion_option_words, .by_default = "estimate",
         .help =
             "the confusion matrix of the labels; estimate: estimate it from the labels; identity: "
             "no noise, which leaves the order by margin"},
        {ROW_INPUT('p', "predictions", &job.predictions, "file"),
         .help = "out-of-sample probabilities of any classifier, as svm-predict -b 1 and "
                 "liblinear-predict -b 1 write them; the data may then be labels only"},
        {ROW_INT('n', "count", &job.count, "count", 0, OPTION_LARGEST_INT),
         .help = "list this many (default: those whose score is below the threshold)"},
        {ROW_FLAG(0, "clean", &job.clean),
         .help = "write the data, which are then a file, without the examples whose score is below "
                 "the threshold"},
        {ROW_FLAG(0, "relabel", &job.relabel),
         .help = "write the data, which are then a file, with the suggested label where the score "
                 "is below the threshold"},
        {ROW_FLAG(0, "weights", &job.writes_weights),
         .help = "write the score of every example, a line each in the order of the data: weights "
                 "for -W of the train programs"},
        {ROW_NUMBER(0, "threshold", &job.suspects.threshold, "p", 0, 1), .by_default = "0.5",
         .help = "threshold on the score, the probability that a label is right"},
        OPTION_NAMES(&job.names_given),
        ESTIMATE_MAP_ROWS(&job.options.estimate.map, &job.options.estimate.map_dims,
                          &job.options.estimate.map_gamma,
                          ".  Without -t also linear with --disk and --sample"),
        OPTION_FEATURES(&job.options.estimate.features, " with -t linear"),
        OPTION_SAMPLE(&job.options.sample),
        OPTION_GROUPS(&job.options.groups, ""),
        OPTION_DISK(&job.options.disk, "the current folder"),
        OPTION_LABELS(&job.labels, "the confusion file, or of the data"),
        OPTION_BIAS(&job.options.format.bias),
        OPTION_UNIT_LENGTH(&unit_length, "1"),
        OPTION_ZERO_BASED(&job.options.format.zero_based),
        OPTION_REPORT(&job.voice.report.path),
        OPTION_SEED(&job.options.estimate.fit.seed),
        OPTION_THREADS(&threads),
        OPTION_QUIET(&job.voice.quiet),
        OPTION_STRICT,
    };
    struct program program = {
        .name = job.voice.name,
        .words = "data > list",
        .files = "r",
        .summary =
            "List the examples whose labels are probably wrong, or write the data without them.",
        .details = details,
        .diagnostics =
            "Warnings of the matrix and of the fit are those of forward-train(1); where labels are "
            "`further from the predicted probabilities than chance allows`, the order of the list "
            "may be good though scores and rates are not. "
            "`labels are left, though some`: of --clean; a classifier of what is written may never "
            "predict this class. `note: 120 wrong labels expected, 80 listed`: it is hard to tell "
            "which, so that fewer have a score below the threshold.",
        .see_also = "forward-train(1), confusion(1)",
        .papers = "Northcutt, Jiang and Chuang, Confident learning, JAIR 70, 2021.",
        .examples = "  label-noise -r 0.2 data/digits.train > noisy && suspects -n 20 noisy\n"
                    "  suspects --clean noisy > kept && suspects --relabel --threshold 0.1 noisy > "
                    "mended\n"
                    "  suspects --weights noisy > w && musvm-train -W w -t rbf noisy model\n",
        .fewest_words = 1,
        .most_words = 1,
        .options = table,
        .count = sizeof table / sizeof *table};
    const char *word[2];
    struct error err = {0};
    program_start();
    int go = options_parse(&program, argc, argv, word);
    if (go != OPTIONS_GO)
        return go;
    if (suspects_main_check(&job, &program, word[0], &err) != 0)
        return program_end(&program, 1, &err);
    int status = job.labels ? labels_parse(job.labels, &job.file.data.labels, &err) : 0;
    job.options.format.unit_length = unit_length == 1;
    job.options.estimate.fit.threads = (int)threads;
    if (status == 0 && job.names_given)
        status = names_read(job.names_given, &job.names, &err);
    program_say_at_stop(program.name, "the output is not finished");
    int failed = status != 0 || run_report_begin(&job.voice.report, &program, word, &err) != 0
                 || suspects_main_run(&job, &err) != 0;
    suspects_main_release(&job);
    return program_end(&program, failed, &err);
}
