#include "learners/forward/noisy_file.h"

#include "common/base/input.h"
#include "common/base/memory.h"
#include "common/data/problem_file.h"
#include "common/model/confusion.h"

#include <string.h>

static int find_classes(const char *path, struct confusion *known, const char *confusion,
                        struct noisy_file *file, struct error *err)
{
    if (confusion
        && (confusion_read(confusion, known, err) != 0
            || confusion_settle_labels(known, input_name(confusion), &file->labels, err) != 0))
        return -1;
    if (file->labels.count == 0 && problem_labels(&file->problem, &file->labels, err) != 0)
        return -1;
    if (confusion && known->classes != file->labels.count)
        return error_at(err, input_name(confusion), 0, 0,
                        "%lld classes, but there are %lld (a head with `label` names the classes)",
                        (long long)known->classes, (long long)file->labels.count);
    if (labels_require_several(&file->labels, err) != 0
        || !(file->y = memory_new(file->problem.n, sizeof *file->y, err)))
        return -1;
    return problem_classes(&file->problem, &file->labels, input_name(path), file->y, err);
}

int noisy_file_estimate(const char *path, const struct example_format *format,
                        const char *confusion, const struct estimate_options *given,
                        struct noisy_file *file, struct error *err)
{
    struct confusion known = {.classes = 0};
    struct estimate_options options = *given;
    int status = problem_read(path, format, options.threads, 0, &file->problem, err) != 0
                         || find_classes(path, &known, confusion, file, err) != 0
                     ? -1
                     : 0;
    const struct problem *p = &file->problem;
    if (status == 0) {
        options.features = confusion              ? 0
                           : options.features < 0 ? estimate_usual_features(p->d)
                                                  : options.features;
        status = memory_check(problem_bytes((double)p->n, (double)p->nnz, false)
                                  + estimate_bytes(&options, p, file->labels.count),
                              "estimating from the labels", err);
    }
    if (status == 0)
        status = confusion ? estimate_probabilities(p, file->y, &file->labels, known.c, &options,
                                                    &file->estimate, err)
                           : estimate_confusion(p, file->y, &file->labels, &options,
                                                &file->estimate, err);
    if (status != 0 && err && !err->file[0])
        snprintf(err->file, sizeof err->file, "%s", input_name(path));
    confusion_free(&known);
    return status;
}

void noisy_file_free(struct noisy_file *file)
{
    estimate_free(&file->estimate);
    memory_free(file->y);
    labels_free(&file->labels);
    problem_free(&file->problem);
}
