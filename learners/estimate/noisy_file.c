/* Classes come from the user, from the head of the matrix's file, or from the data, in this order;
 * the rest is confusion_estimate.h's. */
#include "learners/estimate/noisy_file.h"

#include "common/base/input.h"
#include "common/base/memory.h"
#include "common/base/number.h"
#include "common/base/reduce.h"
#include "common/data/disk.h"
#include "common/data/folds.h"
#include "common/data/groups.h"
#include "common/data/number_features.h"
#include "common/data/stream.h"
#include "common/model/confusion_option.h"
#include "learners/estimate/cross_scores.h"
#include "learners/estimate/estimate_report.h"
#include "learners/estimate/sampled_estimate.h"

int noisy_file_classes(const char *path, const char *confusion, const char *labels_source,
                       struct confusion *C, struct noisy_file *file, struct error *err)
{
    const char *source = file->labels.count > 0 ? labels_source : "in the data";
    if (confusion_option_read(confusion, labels_source, C, &file->labels, err) != 0
        || (file->labels.count == 0 && problem_labels(&file->problem, &file->labels, err) != 0)
        || labels_require_several(&file->labels, err) != 0)
        return -1;
    file->unseen = C->unseen;
    if (!confusion_option_estimates(confusion)
        && confusion_option_complete(confusion, source, C, &file->labels, err) != 0)
        return -1;
    if (!(file->y = memory_new(file->problem.n, sizeof *file->y, err)))
        return -1;
    return problem_classes(&file->problem, &file->labels, input_name(path), file->y, err);
}

/* Number the features that occur anew (number_features.h).  0, or -1 with err: no example of any
 * rank has a feature, and then nothing can tell a wrong label. */
static int noisy_file_number(struct noisy_file *file, struct error *err)
{
    if (reduce_count(file->problem.nnz) == 0)
        return error_set(err, "no example has a feature (labels alone need probabilities: -p)");
    return number_features(&file->problem, &file->numbers, err);
}

/* Make the examples of all ranks, without their entries, those of the file.  0 or -1. */
static int noisy_file_gather(struct noisy_file *file, struct error *err)
{
    struct problem *mine = &file->problem, all = {.d = mine->d};
    const int64_t n = reduce_count(mine->n), before = reduce_before(mine->n);
    /* Lines of shards are counted through all of them. */
    const int64_t lines = reduce_has_shards() ? reduce_before(mine->lines) : 0;
    int32_t *y = NULL;
    all.nnz = reduce_count(mine->nnz);
    all.lines = reduce_count(mine->lines);
    all.n = n;
    if (!(y = memory_new(n, sizeof *y, err)) || !(all.label = memory_new(n, sizeof *all.label, err))
        || !(all.line = memory_new(n, sizeof *all.line, err))) {
        memory_free(y);
        problem_free(&all);
        return -1;
    }
    for (int64_t i = 0; i < mine->n; i++) {
        y[before + i] = file->y[i];
        all.label[before + i] = mine->label[i];
        all.line[before + i] = lines + mine->line[i];
    }
    reduce_gather(y, sizeof *y, before, mine->n);
    reduce_gather(all.label, sizeof *all.label, before, mine->n);
    reduce_gather(all.line, sizeof *all.line, before, mine->n);
    memory_free(file->y);
    file->y = y;
    problem_free(mine);
    *mine = all;
    return 0;
}

/* ---- on disk, where memory lacks ---- */

/* Are features of a kernel asked for, which need all data in memory? */
static bool noisy_file_maps(const struct noisy_file_options *options)
{
    return options->estimate.map == ESTIMATE_RBF;
}

/* Bytes of the estimate and of what is made of it, beside the data. */
static double noisy_file_bytes(const struct noisy_file_options *options,
                               const struct noisy_file *file)
{
    const struct problem *problem = &file->problem;
    const struct estimate_options *e = &options->estimate;
    const int64_t K = file->labels.count;
    const double groups = options->groups ? sizeof *file->first : 0,
                 caller = (options->beside + groups) * (double)problem->n;
    if (options->sample == 0 && !problem->disk)
        return caller
               + estimate_noise_bytes(e, problem, K,
                                      !confusion_option_estimates(options->confusion));
    return caller + sampled_lengthened_bytes(problem, e)
           + (e->matrix_only ? 0 : cross_scores_bytes(problem, K, e->fit.threads));
}

/* The first line of the report, for data on disk. */
static void noisy_file_say_size(FILE *out, const struct noisy_file *file, double bytes)
{
    const struct problem *problem = &file->problem;
    const int64_t d = feature_numbers_d(&file->numbers, problem->d);
    char examples[NUMBER_COUNTED], features[NUMBER_COUNTED], memory[32], disk[DISK_TEXT];
    fprintf(out, "%s, %s, %lld classes; memory: %s%s\n",
            number_counted(problem->n, "example", examples), number_counted(d, "feature", features),
            (long long)file->labels.count, memory_text(bytes, memory), disk_text(problem, disk));
}

/* Move the data to disk if estimating would not fit in memory beside them; what is on disk is then
 * checked and reported.  0 or -1. */
static int noisy_file_make_room(struct noisy_file_options *options, const char *folder,
                                struct noisy_file *file, struct error *err)
{
    struct problem *problem = &file->problem;
    if (!noisy_file_maps(options)
        && disk_make_room(problem, noisy_file_bytes(options, file), folder, err) != 0)
        return -1;
    if (!problem->disk)
        return 0;
    estimate_lack_memory(&options->estimate);
    const double most = problem_bytes_held(problem) + noisy_file_bytes(options, file);
    if (memory_check(most, "the estimate, with the data on disk", err) != 0)
        return -1;
    if (options->to->out)
        noisy_file_say_size(options->to->out, file, most);
    return 0;
}

/* ---- the whole ---- */

int noisy_file_settle(struct noisy_file_options *options, bool map_given, bool unit_length_given,
                      struct error *err)
{
    struct estimate_options *e = &options->estimate;
    const char *option = NULL;
    if (options->disk)
        option = "--disk";
    else if (options->sample > 0)
        option = "--sample";
    if ((option && estimate_settle_size(e, map_given, option, err) != 0)
        || estimate_settle_map(e, options->format.bias, err) != 0)
        return -1;
    options->format.keep_lengths = estimate_keeps_lengths(e, unit_length_given);
    return 0;
}

/* file->first, if there are groups.  0 or -1. */
static int noisy_file_group(const struct noisy_file_options *options, struct noisy_file *file,
                            struct error *err)
{
    const int64_t n = file->problem.n;
    uint64_t *group = NULL;
    if (!options->groups)
        return 0;
    int status = groups_read(options->groups, n, &group, err);
    if (status == 0)
        status = groups_first(group, n, FOLDS_FINE, options->groups, &file->first, err);
    memory_free(group);
    if (status != 0)
        return -1;
    const struct labelled data = noisy_file_examples(file);
    const struct fold_examples examples = fold_examples_of(&data);
    return groups_note_large(&examples, &file->labels, options->to, err);
}

/* file->problem, its features, its classes and groups; C: as in noisy_file_classes.  0 or -1. */
static int noisy_file_read(const char *path, struct noisy_file_options *options,
                           struct confusion *C, struct noisy_file *file, struct error *err)
{
    struct example_format format = options->format;
    bool cut = false;
    const int threads = options->estimate.fit.threads;
    const bool named = file->labels.count > 0;
    char folder[DISK_FOLDER];
    format.cut = &cut;
    disk_choose_folder(options->disk, NULL, folder);
    int status = noisy_file_maps(options)
                     ? disk_hold(path, &format, threads, "-t rbf", &file->problem, err)
                     : disk_read(path, &format, threads, options->disk, folder, &file->problem,
                                 err);
    if (status == 0 && cut)
        findings_warn(options->to, STREAM_CUT_TEXT, input_name(path));
    if (status == 0)
        status = noisy_file_number(file, err);
    if (status == 0)
        status = noisy_file_classes(path, options->confusion, "in --labels", C, file, err);
    if (status == 0 && !named && !C->c)
        labels_warn_many(&file->labels, reduce_count(file->problem.n), options->to);
    if (status == 0)
        status = noisy_file_group(options, file, err);
    if (status == 0)
        status = noisy_file_make_room(options, folder, file, err);
    if (status == 0)
        status = estimate_warn_of_values(&file->problem, &format, &file->numbers,
                                         options->estimate.fit.seed, options->to, err);
    return status;
}

int noisy_file_estimate(const char *path, struct noisy_file_options *options,
                        struct noisy_file *file, struct error *err)
{
    const struct estimate_options *e = &options->estimate;
    struct confusion C = {.classes = 0};
    int status = noisy_file_read(path, options, &C, file, err);
    if (status == 0) {
        const struct labelled data = noisy_file_examples(file);
        disk_say_sample(
            options->to->out, "estimated",
            sampled_count(&file->problem, file->labels.count, C.c != NULL, e, options->sample),
            file->problem.n);
        status = sampled_estimate(&data, C.c, e, options->sample, &file->estimate, err);
    }
    if (status == 0 && reduce_ranks() > 1)
        status = noisy_file_gather(file, err);
    if (status != 0)
        error_name(err, input_name(path));
    confusion_free(&C);
    return status;
}

void noisy_file_free(struct noisy_file *file)
{
    estimate_free(&file->estimate);
    memory_free(file->y);
    memory_free(file->first);
    labels_free(&file->labels);
    problem_free(&file->problem);
    feature_numbers_free(&file->numbers);
}
