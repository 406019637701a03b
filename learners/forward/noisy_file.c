/* Classes come from the user, from the head of the matrix's file, or from the data, in this order;
 * the rest is confusion_estimate.h's. */
#include "learners/forward/noisy_file.h"

#include "common/base/input.h"
#include "common/base/memory.h"
#include "common/data/problem_file.h"
#include "common/model/confusion_option.h"

int noisy_file_classes(const char *path, const char *confusion, const char *labels_source,
                       struct confusion *C, struct noisy_file *file, struct error *err)
{
    const char *source = file->labels.count > 0 ? labels_source : "in the data";
    if (confusion_option_read(confusion, C, &file->labels, err) != 0
        || (file->labels.count == 0 && problem_labels(&file->problem, &file->labels, err) != 0)
        || labels_require_several(&file->labels, err) != 0)
        return -1;
    if (!confusion_option_estimates(confusion)
        && confusion_option_complete(confusion, source, C, &file->labels, err) != 0)
        return -1;
    if (!(file->y = memory_new(file->problem.n, sizeof *file->y, err)))
        return -1;
    return problem_classes(&file->problem, &file->labels, input_name(path), file->y, err);
}

int noisy_file_estimate(const char *path, const struct example_format *format,
                        const char *confusion, const struct estimate_options *options,
                        struct noisy_file *file, struct error *err)
{
    struct confusion C = {.classes = 0};
    int status = -1;
    if (problem_read(path, format, options->fit.threads, 0, &file->problem, err) == 0
        && noisy_file_classes(path, confusion, "in --labels", &C, file, err) == 0)
        status = estimate_noise(&file->problem, file->y, &file->labels, C.c, options,
                                &file->estimate, err);
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
}
