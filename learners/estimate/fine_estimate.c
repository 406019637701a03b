/* Fits to nine tenths (crossfit.h with FOLDS_FINE folds) with the lambda of the estimate: their
 * paths choose the number of steps, and their held-out scores become p.  Three of the ten folds
 * choose the number as well as ten do, of thousands of examples: experiments/forward/choices.md. */
#include "learners/estimate/fine_estimate.h"

#include "common/base/memory.h"
#include "learners/estimate/matrix_estimate.h"

#include <assert.h>

/* The fits of these folds, with the estimate's lambda. */
static struct crossfit_options estimate_fine_options(const struct crossfit_options *options,
                                                     const struct estimate *e)
{
    struct crossfit_options fine = *options;
    fine.lambda = e->classifier.lambda;
    fine.scales_lambda = false;
    fine.folds = FOLDS_FINE;
    return fine;
}

int estimate_fine_steps(const struct labelled *data, const struct crossfit_options *options,
                        struct estimate *e, struct error *err)
{
    struct crossfit_options fine = estimate_fine_options(options, e);
    struct crossfit f;
    double *p = NULL;
    fine.steps = -1;
    if (crossfit_start(&f, data, &fine, err) != 0)
        return -1;
    assert(f.stops_early);
    progress_expect(options->progress, 2 * f.judges); /* on the path, and by the same steps */
    if (crossfit_judge_steps(&f, e->matrix.c, err) == 0
        && (p = em_calibrate(f.other.rows, f.K, f.judged.y, f.judged.weight, options->threads,
                             e->matrix.c, f.other.s, &e->classifier.temperature, err)))
        e->classifier.steps = f.other.steps;
    crossfit_free(&f);
    const int status = p ? 0 : -1;
    memory_free(p);
    return status;
}

int estimate_fine_probabilities(const struct labelled *data, const struct crossfit_options *options,
                                struct estimate *e, struct error *err)
{
    struct crossfit_options fine = estimate_fine_options(options, e);
    struct estimate anew;
    fine.steps = e->classifier.steps;
    if (estimate_make(data, e->matrix.c, ESTIMATE_MATRIX, &fine, &anew, err) != 0)
        return -1;
    double *swap = e->p;
    e->p = anew.p;
    anew.p = swap;
    estimate_free(&anew);
    return 0;
}
