/* Classes come from the user, from the head of the matrix's file, or from the data, in this order;
 * the rest is confusion_estimate.h's. */
#include "learners/estimate/noisy_file.h"

#include "common/base/input.h"
#include "common/base/memory.h"
#include "common/base/reduce.h"
#include "common/data/number_features.h"
#include "common/data/problem_file.h"
#include "common/model/confusion_option.h"

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

int noisy_file_number(struct noisy_file *file, struct error *err)
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

int noisy_file_estimate(const char *path, const struct example_format *format,
                        const char *confusion, const struct estimate_options *options,
                        struct noisy_file *file, struct error *err)
{
    struct confusion C = {.classes = 0};
    int status = -1;
    if (problem_hold(path, format, options->fit.threads, &file->problem, err) == 0
        && noisy_file_number(file, err) == 0
        && noisy_file_classes(path, confusion, "in --labels", &C, file, err) == 0) {
        const struct labelled data = noisy_file_examples(file);
        status = estimate_noise(&data, C.c, options, &file->estimate, err);
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
    labels_free(&file->labels);
    problem_free(&file->problem);
    feature_numbers_free(&file->numbers);
}
