/* What is said, in its order: before the estimate, if it is from a sample; after it the matrix or,
 * where that was given, what the labels say against it; the classifier; and whether neighbours in
 * the file are alike. */
#include "learners/estimate/told_estimate.h"

#include "common/base/memory.h"
#include "common/base/reduce.h"
#include "common/data/disk.h"
#include "common/data/folds.h"
#include "learners/estimate/estimate_report.h"
#include "learners/estimate/sampled_estimate.h"

/* Refuse too few examples to choose lambda with, where the matrix is given: crossfit_start, which
 * refuses them too, speaks of an estimate. */
static int told_estimate_check(const struct problem *problem, const double *known,
                               const struct estimate_options *options, struct error *err)
{
    const int64_t n = reduce_count(problem->n);
    if (!known || options->fit.lambda >= 0 || n >= FOLDS_DEFAULT)
        return 0;
    return error_set(err,
                     "lambda is chosen by held-out labels, of %d examples at least; there %s %lld "
                     "(-t linear --lambda gives it)",
                     FOLDS_DEFAULT, n == 1 ? "is" : "are", (long long)n);
}

/* Which of matrix and lambda are to be found. */
static const char *told_estimate_found(const double *known, const struct estimate_options *options)
{
    if (known)
        return "lambda";
    return options->predicts && options->fit.lambda < 0 ? "the matrix and lambda" : "the matrix";
}

int told_estimate(const struct labelled *data, const double *known,
                  const struct estimate_options *options, int64_t asked, const struct findings *to,
                  struct estimate *e, struct error *err)
{
    const struct problem *problem = data->problem;
    struct progress *progress = options->fit.progress;
    if (told_estimate_check(problem, known, options, err) != 0)
        return -1;
    disk_say_sample(to->out, told_estimate_found(known, options),
                    sampled_count(problem, data->labels->count, known != NULL, options, asked),
                    problem->n);
    progress_phase(progress, known ? "choosing lambda" : "estimating the noise");
    const int status = sampled_estimate(data, known, options, asked, e, err);
    progress_wipe(progress);
    if (status != 0)
        return -1;
    memory_free(e->p); /* large, and no longer needed */
    e->p = NULL;
    estimate_tell_linear(options, to);
    if (known)
        estimate_check_given(e, to);
    else
        estimate_report_matrix(e, data->labels, to);
    if (options->predicts)
        estimate_print_choices(e, to);
    return estimate_note_neighbours(data, options->fit.seed, to, err);
}
