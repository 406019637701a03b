/* suspects: the lines of a data file whose labels are probably wrong; or the data without them, or
 * a weight for each example. */
#include "common/base/input.h"
#include "common/base/memory.h"
#include "common/base/number.h"
#include "common/base/output.h"
#include "common/base/parallel.h"
#include "common/base/reduce.h"
#include "common/data/names.h"
#include "common/data/stream.h"
#include "common/model/confusion_option.h"
#include "common/program/disk_option.h"
#include "common/program/option_rows.h"
#include "common/program/options.h"
#include "common/program/program.h"
#include "common/program/run_report.h"
#include "learners/forward/calibration.h"
#include "learners/forward/cross_scores.h"
#include "learners/forward/label_weights.h"
#include "learners/forward/predictions_file.h"
#include "learners/forward/sampled_estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct suspects {
    const char *path, *predictions, *confusion, *labels, *names_given;
    struct names names;
    const struct name **name; /* of each class; NULL: labels are written as numbers */
    struct example_format format;
    struct estimate_options estimate;
    const char *disk_given;
    int64_t sample;
    struct predictions_file file;
    struct cross_scores cross; /* where the estimate is from a sample; */
    struct calibration calibration;
    struct suspicion_sums sums;
    struct suspicion_weights exponents;
    struct suspicion *suspect; /* n, by rank; to write data, in the order of the file */
    double *scores;            /* workspace for one example: 3 K */
    struct output out;
    struct report found; /* --report */
    int64_t count;       /* -n; < 0: those below the threshold */
    double threshold;
    bool clean, relabel, writes_weights, quiet;
};

/* Are features of a kernel asked for, which need all data in memory? */
static bool suspects_maps(const struct suspects *job)
{
    return job->estimate.map == ESTIMATE_RBF;
}

static int suspects_by_line(const void *a, const void *b)
{
    const struct suspicion *u = a, *v = b;
    return (u->i > v->i) - (u->i < v->i);
}

/* An example with given probabilities, which may be changed. */
static void suspects_find_given(void *context, int64_t i, double *plain)
{
    struct suspects *job = context;
    const struct noisy_file *file = &job->file.data;
    const struct estimate *e = &file->estimate;
    const int64_t K = e->classes;
    const int32_t y = file->y[i];
    double *s = job->scores, *p = s + K, *r = p + K;
    memcpy(s, plain, (size_t)K * sizeof *s);
    predictions_file_scores(s, K);
    em_log_likelihood(e->c + y * K, K, s, e->temperature, p);
    job->suspect[i] = suspicion_of(i, e->c, K, p, plain, y, &job->file.weights, r);
}

/* Examples whose probabilities were estimated from their features. */
static void suspects_find_estimated(struct suspects *job)
{
    const struct noisy_file *file = &job->file.data;
    const struct estimate *e = &file->estimate;
    const int64_t K = e->classes;
    const struct suspicion_weights weights = suspicion_weigh(e->c, K, e->p, file->y, e->n,
                                                             e->unexplained, false);
    for (int64_t i = 0; i < e->n; i++) {
        const double *p = e->p + i * K;
        job->suspect[i] = suspicion_of(i, e->c, K, p, p, file->y[i], &weights, job->scores);
    }
}

/* Called for each example by the two passes of suspects_find_crossed. */
static void suspects_sum_crossed(void *context, int64_t i, const double *p)
{
    struct suspects *job = context;
    const struct noisy_file *file = &job->file.data;
    const int64_t K = file->labels.count;
    suspicion_add(&job->sums, file->estimate.c, K, p, file->y[i]);
    calibration_add(&job->calibration, file->estimate.c, K, p, weights_best(p, K), file->y[i], 1);
}

static void suspects_score_crossed(void *context, int64_t i, const double *p)
{
    struct suspects *job = context;
    const struct noisy_file *file = &job->file.data;
    job->suspect[i] = suspicion_of(i, file->estimate.c, file->labels.count, p, p, file->y[i],
                                   &job->exponents, job->scores);
}

/* Examples of which a sample was estimated from. */
static int suspects_find_crossed(struct suspects *job, struct error *err)
{
    struct noisy_file *file = &job->file.data;
    if (cross_scores_fit(&job->cross, &file->problem, file->y, &file->labels, &file->estimate,
                         &job->estimate.fit, err)
            != 0
        || cross_scores_pass(&job->cross, suspects_sum_crossed, job, err) != 0)
        return -1;
    job->exponents = suspicion_settle(&job->sums, calibration_unexplained(&job->calibration),
                                      false);
    return cross_scores_pass(&job->cross, suspects_score_crossed, job, err);
}

/* The score of every example, and its likeliest class; by rank. */
static int suspects_find(struct suspects *job, struct error *err)
{
    const int64_t n = job->file.data.problem.n, K = job->file.data.labels.count;
    if (!(job->scores = memory_new(3 * K, sizeof *job->scores, err))
        || !(job->suspect = memory_new(n, sizeof *job->suspect, err)))
        return -1;
    int status = 0;
    if (job->predictions)
        status = predictions_file_pass(&job->file, suspects_find_given, job, err);
    else if (job->file.data.estimate.n < n || job->file.data.problem.disk)
        status = suspects_find_crossed(job, err);
    else
        suspects_find_estimated(job);
    if (status != 0)
        return -1;
    return suspicion_sort(job->suspect, n, err);
}

/* What the table says of a class. */
struct suspects_row {
    int64_t examples; /* with this label, */
    int64_t below;    /* of these, with a score below the threshold */
    double wrong;     /* how many of the labels are expected to be wrong, */
    double variance;  /* and the variance of that number */
};

/* rows: K, zero before; out. */
static void suspects_count_rows(const struct suspects *job, struct suspects_row *rows)
{
    const struct noisy_file *file = &job->file.data;
    for (int64_t s = 0; s < file->problem.n; s++) {
        const struct suspicion *is = &job->suspect[s];
        struct suspects_row *row = &rows[file->y[is->i]];
        row->examples++;
        row->below += is->score < job->threshold;
        row->wrong += 1 - is->score;
        row->variance += is->score * (1 - is->score);
    }
}

static const double suspects_usual_threshold = 0.5; /* a lower one is asked for */
static const double suspects_errors = 2; /* standard errors of how many are wrong: chance seldom
                                            makes as much */

/* Where wrong labels are hard to tell, few scores are below the threshold: so short a list must not
 * pass for that of clean data. */
static void suspects_note_doubt(const struct suspects *job, const struct suspects_row *all)
{
    const int64_t wrong = llround(all->wrong);
    char expected[NUMBER_COUNTED];
    if (job->quiet || job->count >= 0 || job->clean || job->relabel || job->writes_weights
        || job->threshold < suspects_usual_threshold
        || all->wrong - (double)all->below <= suspects_errors * sqrt(all->variance))
        return;
    fprintf(stderr, "suspects: note: %s expected, %lld listed: -n %lld lists as many\n",
            number_counted(wrong, "wrong label", expected), (long long)all->below,
            (long long)wrong);
}

/* A classifier of what --clean leaves may have lost a class of which hardly a label is left. */
static void suspects_warn_of_lost(struct suspects *job, int64_t k, const struct suspects_row *row)
{
    const struct noisy_file *file = &job->file.data;
    const double size = file->estimate.share[k] * (double)file->problem.n;
    const int64_t left = row->examples - row->below;
    if (job->clean && row->examples > 0 && size >= 1 && (double)left < size * LABEL_WEIGHTS_LEAST)
        program_warn("suspects", &job->found,
                     "class %ld: %lld of its %lld labels are left, though some %.0f examples are "
                     "of it: a lower --threshold leaves more",
                     (long)file->labels.value[k], (long long)left, (long long)row->examples, size);
}

/* Print and report the table of the classes.  0, or -1 (memory). */
static int suspects_print_table(struct suspects *job, struct error *err)
{
    const struct noisy_file *file = &job->file.data;
    const int64_t K = file->labels.count;
    struct suspects_row all = {0}, *rows = memory_new(K, sizeof *rows, err);
    if (!rows)
        return -1;
    suspects_count_rows(job, rows);
    if (!job->quiet)
        fprintf(stderr, "label     examples  expected wrong  below %g%s\n", job->threshold,
                job->name ? "  name" : "");
    for (int64_t k = 0; k < K; k++) {
        const struct suspects_row *row = &rows[k];
        const int32_t label = file->labels.value[k];
        if (!job->quiet) {
            fprintf(stderr, "%-9ld %8lld  %14.1f  %9lld", (long)label, (long long)row->examples,
                    row->wrong, (long long)row->below);
            names_print(stderr, &job->names, label);
            fputc('\n', stderr);
        }
        report_count_of(&job->found, REPORT_CLASS_EXAMPLES, label, row->examples);
        report_number_of(&job->found, REPORT_CLASS_EXPECTED_WRONG, label, row->wrong);
        report_count_of(&job->found, REPORT_CLASS_SUSPECTS, label, row->below);
        all.wrong += row->wrong;
        all.variance += row->variance;
        all.below += row->below;
    }
    report_count(&job->found, REPORT_SUSPECTS, all.below);
    for (int64_t k = 0; k < K; k++)
        suspects_warn_of_lost(job, k, &rows[k]);
    suspects_note_doubt(job, &all);
    memory_free(rows);
    return 0;
}

/* Find the name of each class.  0 or -1. */
static int suspects_find_names(struct suspects *job, struct error *err)
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

/* Write a tab and the label or name of a class. */
static void suspects_write_class(struct suspects *job, int64_t k)
{
    char number[NUMBER_TEXT + 1];
    const char *text = number;
    if (job->name)
        text = job->name[k]->text;
    else
        *number_write_int(number, job->file.data.labels.value[k]) = '\0';
    output_write(&job->out, "\t", 1);
    output_write(&job->out, text, (int64_t)strlen(text));
}

/* Write the list, the most suspicious first. */
static void suspects_write_list(struct suspects *job)
{
    const struct problem *p = &job->file.data.problem;
    for (int64_t s = 0; s < p->n; s++) {
        const struct suspicion *is = &job->suspect[s];
        const bool listed = job->count >= 0 ? s < job->count : is->score < job->threshold;
        if (!listed)
            break;
        char text[NUMBER_TEXT + 1];
        *number_write(text, is->score) = '\0';
        output_text(&job->out, "%lld", (long long)p->line[is->i]);
        suspects_write_class(job, job->file.data.y[is->i]);
        suspects_write_class(job, is->suggested);
        output_text(&job->out, "\t%s\n", text);
    }
}

/* Write the score of every example, in the order of the file. */
static void suspects_write_weights(struct suspects *job)
{
    const int64_t n = job->file.data.problem.n;
    qsort(job->suspect, (size_t)n, sizeof *job->suspect, suspects_by_line);
    for (int64_t i = 0; i < n; i++) {
        char text[NUMBER_TEXT + 1], *end = number_write(text, job->suspect[i].score);
        *end++ = '\n';
        output_write(&job->out, text, end - text);
    }
}

static int suspects_refuse_changed(const struct suspects *job, struct error *err)
{
    return error_at(err, job->path, 0, 0, "the file has changed while it was read");
}

/* Read the data again and write them without the examples below the threshold, or with the
 * suggested label there. */
static int suspects_write_data(struct suspects *job, struct error *err)
{
    const struct stream_options options = {.format = {.labels_only = true, .bias = -1},
                                           .threads = 1};
    struct stream *stream = stream_open(job->path, &options, err);
    struct chunk *chunk;
    const struct problem *problem = &job->file.data.problem;
    int64_t i = 0;
    int status = stream ? 1 : -1;
    qsort(job->suspect, (size_t)problem->n, sizeof *job->suspect, suspects_by_line);
    while (stream && reduce_rank() == 0 && !job->out.failed
           && (status = stream_next(stream, &chunk, err)) > 0) {
        const char *end = chunk->text + chunk->text_size;
        struct example x;
        for (const char *p = chunk->text; p < end;) {
            const char *line = p;
            if (example_parse(&p, end, &options.format, NULL, NULL, &x, err) != 1) {
                output_write(&job->out, line, p - line);
                continue;
            }
            if (i >= problem->n || problem->label[i] != x.label) {
                stream_close(stream);
                return suspects_refuse_changed(job, err);
            }
            const struct suspicion *is = &job->suspect[i++];
            if (!(is->score < job->threshold))
                output_write(&job->out, line, p - line);
            else if (job->relabel)
                output_relabelled(&job->out, line, p - line,
                                  job->file.data.labels.value[is->suggested]);
        }
    }
    stream_close(stream);
    if (status == 0 && i < problem->n)
        return suspects_refuse_changed(job, err);
    return status < 0 ? -1 : 0;
}

static void suspects_warn(void *context, const char *text)
{
    struct suspects *job = context;
    program_warn("suspects", &job->found, "%s", text);
}

/* Bytes of the scores and the list, and of what is estimated, beside the data. */
static double suspects_bytes(const struct suspects *job)
{
    const struct problem *problem = &job->file.data.problem;
    const int64_t K = job->file.data.labels.count;
    const bool known = !confusion_option_estimates(job->confusion);
    return 2 * (double)problem->n * (double)sizeof *job->suspect
           + (job->sample > 0 || problem->disk
                  ? cross_scores_bytes(problem, K, job->estimate.fit.threads)
                  : estimate_noise_bytes(&job->estimate, problem, K, known));
}

/* The first line of the report, for data on disk. */
static void suspects_say_size(const struct suspects *job, double bytes)
{
    const struct problem *problem = &job->file.data.problem;
    const int64_t d = feature_numbers_d(&job->file.data.numbers, problem->d);
    char examples[NUMBER_COUNTED], features[NUMBER_COUNTED], memory[32], disk[DISK_TEXT];
    fprintf(stderr, "%s, %s, %lld classes; memory: %s%s\n",
            number_counted(problem->n, "example", examples), number_counted(d, "feature", features),
            (long long)job->file.data.labels.count, memory_text(bytes, memory),
            disk_text(problem, disk));
}

/* Move the data to disk if estimating would not fit in memory beside them; what is on disk is then
 * checked and reported.  0 or -1. */
static int suspects_make_room(struct suspects *job, const char *folder, struct error *err)
{
    struct problem *problem = &job->file.data.problem;
    if (!suspects_maps(job) && disk_make_room(problem, suspects_bytes(job), folder, err) != 0)
        return -1;
    if (!problem->disk)
        return 0;
    job->estimate.map = ESTIMATE_LINEAR; /* also where it was to be found out */
    const double most = problem_bytes_held(problem) + suspects_bytes(job);
    if (memory_check(most, "suspects of data on disk", err) != 0)
        return -1;
    if (!job->quiet)
        suspects_say_size(job, most);
    return 0;
}

/* Read the data, into memory or to disk, and estimate from them or a sample; on one rank. */
static int suspects_estimate_alone(struct suspects *job, struct error *err)
{
    struct noisy_file *file = &job->file.data;
    const int threads = job->estimate.fit.threads;
    struct confusion C = {.classes = 0};
    char folder[DISK_FOLDER];
    disk_choose_folder(job->disk_given, NULL, folder);
    int status = suspects_maps(job)
                     ? disk_hold(job->path, &job->format, threads, "-t rbf", &file->problem, err)
                     : disk_read(job->path, &job->format, threads, job->disk_given, folder,
                                 &file->problem, err);
    if (status == 0)
        status = noisy_file_number(file, err);
    if (status == 0)
        status = noisy_file_classes(job->path, job->confusion, "in --labels", &C, file, err);
    if (status == 0)
        status = suspects_make_room(job, folder, err);
    if (status == 0) {
        disk_say_sample(job->quiet ? NULL : stderr, "estimated",
                        sampled_count(&file->problem, file->labels.count, C.c != NULL,
                                      &job->estimate, job->sample),
                        file->problem.n);
        status = sampled_estimate(&file->problem, file->y, &file->labels, C.c, &job->estimate,
                                  job->sample, &file->estimate, err);
    }
    if (status != 0)
        error_name(err, input_name(job->path));
    confusion_free(&C);
    return status;
}

static int suspects_estimate(struct suspects *job, struct error *err)
{
    if (job->predictions)
        return predictions_file_estimate(job->path, job->predictions, job->confusion,
                                         &job->estimate.fit, &job->file, err);
    if (reduce_ranks() > 1)
        return noisy_file_estimate(job->path, &job->format, job->confusion, &job->estimate,
                                   &job->file.data, err);
    return suspects_estimate_alone(job, err);
}

static int suspects_run(struct suspects *job, struct error *err)
{
    struct progress progress = progress_start(job->quiet, job->predictions ? "rounds" : "fits");
    progress_phase(&progress, "estimating the noise");
    job->estimate.fit.progress = &progress;
    int status = suspects_estimate(job, err);
    if (status == 0 && (suspects_find_names(job, err) != 0 || suspects_find(job, err) != 0))
        status = -1;
    progress_wipe(&progress);
    if (status != 0 || output_open(&job->out, "-", err) != 0)
        return -1;
    const struct noisy_file *data = &job->file.data;
    report_count(&job->found, REPORT_EXAMPLES, data->problem.n);
    report_labels(&job->found, data->labels.value, data->labels.count);
    feature_map_report(data->estimate.map, &job->found);
    if (confusion_option_estimates(job->confusion)) {
        estimate_print(&data->estimate, &data->labels, job->quiet ? NULL : stderr, &job->found);
        estimate_warn(&data->estimate, &data->labels, suspects_warn, job);
    }
    char text[CONFUSION_OPTION_TEXT];
    if (data->unseen > 0)
        program_warn("suspects", &job->found, "%s: %s", input_name(job->confusion),
                     confusion_option_unseen(data->unseen, text));
    if (suspects_print_table(job, err) != 0)
        return -1;
    if (job->writes_weights)
        suspects_write_weights(job);
    else if (!job->clean && !job->relabel)
        suspects_write_list(job);
    else if (suspects_write_data(job, err) != 0)
        return -1;
    if (run_report_finish(&job->found, err) != 0 || output_commit(&job->out, err) != 0)
        return -1;
    return report_commit(&job->found, err);
}

/* Do the options go together?  Sets job->path and settles the map.  0, or -1 with err, a usage
 * error. */
static int suspects_check(struct suspects *job, const struct program *program, const char *path,
                          struct error *err)
{
    static const struct {
        const char *option, *with, *reason;
    } clashes[] = {
        {"clean", "count", "-n is of the list: --clean and --relabel go by --threshold"},
        {"relabel", "count", "-n is of the list: --clean and --relabel go by --threshold"},
        {"weights", "count", "--weights writes the score of every example: -n is of the list"},
        {"weights", "clean", "--weights writes scores, --clean data: they do not go together"},
        {"weights", "relabel", "--weights writes scores, --relabel data: they do not go together"},
        {"clean", "relabel", "--clean leaves lines out, --relabel changes them: choose one"},
        {"weights", "threshold", "--weights writes every score: --threshold does not go with it"},
    };
    static const char *const alone[] = {"predictions", "disk", "sample", NULL};
    static const char *const of_features[] = {"map",    "map-dims", "map-gamma",   "features",
                                              "labels", "bias",     "unit-length", "zero-based",
                                              "sample", "disk"};
    const bool rewrites = job->clean || job->relabel;
    if (!(job->path = reduce_path(path, err))
        || program_check_ranks(program, job->path, alone, err) != 0)
        return -1;
    if (job->predictions)
        for (size_t i = 0; i < sizeof of_features / sizeof *of_features; i++)
            if (options_find(program, of_features[i])->given)
                return error_usage(err, "--%s has no meaning with -p", of_features[i]);
    if (((job->disk_given || job->sample > 0)
         && estimate_settle_size(&job->estimate, options_find(program, "map")->given,
                                 job->disk_given ? "--disk" : "--sample", err)
                != 0)
        || estimate_settle_map(&job->estimate, job->format.bias, err) != 0)
        return -1;
    for (size_t i = 0; i < sizeof clashes / sizeof *clashes; i++)
        if (options_find(program, clashes[i].option)->given
            && options_find(program, clashes[i].with)->given)
            return error_usage(err, "%s", clashes[i].reason);
    if (rewrites && reduce_has_shards())
        return error_usage(err, "--clean and --relabel need one file for all ranks");
    if (rewrites && !input_is_file(job->path))
        return error_usage(err, "--clean and --relabel read the data twice: they need a file");
    if ((rewrites || job->writes_weights) && job->names_given)
        return error_usage(err, "--names is of the list: data and weights hold numbers");
    return 0;
}

static void suspects_release(struct suspects *job)
{
    output_abandon(&job->out);
    report_abandon(&job->found);
    cross_scores_free(&job->cross);
    predictions_file_free(&job->file);
    names_free(&job->names);
    memory_free(job->name);
    memory_free(job->scores);
    memory_free(job->suspect);
}

static const char *const details =
    "No clean label is needed. Writes `line given suggested score`, separated by tabs, the "
    "most suspicious first: `line` counts lines of the data, the score is the probability "
    "that the given label is right. It is r^(1-a) h^a: r, the posterior of the given label "
    "through the confusion matrix, by cross-fitted predictions; h = (1 + m) / 2, m the "
    "margin of the given label over the likeliest other one without that matrix; a, up to "
    "half of what the matrix leaves unexplained of the disagreement between labels and "
    "predictions, as far as that is more than chance. A table with a line for each label "
    "goes to standard error, and a note of the -n that lists as many labels as are expected to be "
    "wrong, if that is clearly more. With --clean or --relabel the data are written instead, "
    "unchanged but for these examples, a byte order mark, which is dropped, and a last line "
    "without a newline, which gets one; with --weights only the scores, of all examples and "
    "in their order.\n\n"
    "With -p the predictions come from a file: a line `labels l1 ... lK`, then for each "
    "example a label and K probabilities that sum to 1 within 0.001. The classifier must "
    "not have learnt from the example that it predicts (cross-validation). The temperature "
    "of the probabilities and the confusion matrix are estimated from the labels, from a "
    "random sample where there are more than 4 million probabilities; the order of the "
    "list also counts a tenth of the log-odds of r, and scores are smoothed so that they "
    "do not fall along it. A file of predictions is read twice, and what comes from a pipe "
    "is held in 4 bytes for each probability.";

int main(int argc, char **argv)
{
    int64_t unit_length, threads = parallel_processors();
    struct suspects job = {.out = {.fd = -1},
                           .count = -1,
                           .estimate = {.fit = {.lambda = -1, .steps = -1}, .features = -1}};
    struct option table[] = {
        {ROW_INPUT('c', "confusion", &job.confusion, "file"), .choices = confusion_option_words,
         .by_default = "estimate",
         .help = "the confusion matrix of the labels; estimate: estimate it from the labels"},
        {ROW_INPUT('p', "predictions", &job.predictions, "file"),
         .help = "out-of-sample probabilities of any classifier, as svm-predict -b 1 and "
                 "liblinear-predict -b 1 write them; the data may then be labels only"},
        {ROW_INT('n', "count", &job.count, "count", 0, OPTION_LARGEST_INT),
         .help = "list this many (default: those whose score is below the threshold)"},
        {ROW_FLAG(0, "clean", &job.clean),
         .help = "write the data without the examples whose score is below the threshold"},
        {ROW_FLAG(0, "relabel", &job.relabel),
         .help = "write the data, with the suggested label where the score is below the threshold"},
        {ROW_FLAG(0, "weights", &job.writes_weights),
         .help = "write the score of every example, a line each in the order of the data: weights "
                 "for -W of the train programs"},
        {ROW_NUMBER(0, "threshold", &job.threshold, "p", 0, 1), .by_default = "0.5",
         .help = "threshold on the score, the probability that a label is right"},
        OPTION_NAMES(&job.names_given),
        ESTIMATE_MAP_ROWS(&job.estimate.map, &job.estimate.map_dims, &job.estimate.map_gamma),
        OPTION_FEATURES(&job.estimate.features, " with -t linear"),
        OPTION_SAMPLE(&job.sample),
        OPTION_DISK(&job.disk_given, "the current folder"),
        OPTION_LABELS(&job.labels, "the confusion file, or of the data"),
        OPTION_BIAS(&job.format.bias),
        OPTION_UNIT_LENGTH(&unit_length, "1"),
        OPTION_ZERO_BASED(&job.format.zero_based),
        OPTION_REPORT(&job.found.path),
        OPTION_SEED(&job.estimate.fit.seed),
        OPTION_THREADS(&threads),
        OPTION_QUIET(&job.quiet),
        OPTION_STRICT,
    };
    struct program program = {
        .name = "suspects",
        .words = "data > list",
        .files = "r",
        .summary =
            "List the examples whose labels are probably wrong, or write the data without them.",
        .details = details,
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
    if (suspects_check(&job, &program, word[0], &err) != 0)
        return options_refuse(&program, "%s", err.message);
    int status = job.labels ? labels_parse(job.labels, &job.file.data.labels, &err) : 0;
    if (status > 0)
        return options_refuse(&program, "--labels: %s", err.message);
    job.format.unit_length = unit_length == 1;
    job.format.keep_lengths = estimate_keeps_lengths(&job.estimate,
                                                     options_find(&program, "unit-length")->given);
    job.estimate.fit.threads = (int)threads;
    if (status == 0 && job.names_given)
        status = names_read(job.names_given, &job.names, &err);
    int failed = status != 0 || run_report_begin(&job.found, &program, word, &err) != 0
                 || suspects_run(&job, &err) != 0;
    suspects_release(&job);
    if (failed && err.usage)
        return options_refuse(&program, "%s", err.message);
    return program_end(program.name, failed, &err);
}
