/* Weights that the estimate has found are taken over; otherwise the loss is minimised, in the
 * metric of the examples.  One pass over the examples then makes the counts.  Where features were
 * brought to one scale, that is undone last, as this pass needs the weights of scaled features. */
#include "learners/estimate/forward_fit.h"

#include "learners/forward/forward_metric.h"
#include "learners/forward/forward_minimum.h"
#include "learners/forward/forward_settle.h"

/* Minimise the loss on all examples, in their metric. */
static int forward_fit_minimise(struct forward *learner, const struct problem *problem,
                                const int32_t *y, struct forward_fit *fit, struct error *err)
{
    struct forward_metric metric;
    struct forward_minimum minimum = {.weight = fit->weight,
                                      .metric = &metric,
                                      .epsilon = FORWARD_EPSILON,
                                      .measures_mean = true,
                                      .evaluations = FORWARD_EVALUATIONS,
                                      .threads = fit->threads,
                                      .progress = fit->progress};
    if (forward_metric_make(problem, fit->weight, &metric, fit->threads, err) != 0)
        return -1;
    const int status = forward_minimise(learner, problem, y, NULL, problem->n, &minimum, err);
    fit->searched = true;
    fit->result = minimum.result;
    forward_metric_free(&metric);
    return status;
}

/* Features were brought to one scale, to be learnt from: w of features as they come.  0 or -1. */
static int forward_fit_undo_scale(struct forward *learner, const struct estimate *e,
                                  struct error *err)
{
    struct weights w;
    int status = -1;
    if (!e->input.scale)
        return 0;
    if (forward_weights(learner, &w, err) == 0) {
        estimate_undo_scale(e, &w);
        status = forward_put_weights(learner, &w, err);
    }
    weights_free(&w);
    return status;
}

int forward_fit(struct forward *learner, const struct problem *problem, const int32_t *y,
                struct forward_fit *fit, struct error *err)
{
    const struct weights *found = estimate_weights(fit->estimate);
    fit->searched = false;
    const int status = found ? forward_put_weights(learner, found, err)
                             : forward_fit_minimise(learner, problem, y, fit, err);
    if (status != 0
        || forward_settle(learner, problem, y, fit->weight, NULL, problem->n, fit->final, err) != 0)
        return -1;
    return forward_fit_undo_scale(learner, fit->estimate, err);
}

double forward_fit_bytes(const struct problem *problem, int64_t classes, int threads)
{
    const int64_t n = problem->n, nnz = problem->nnz, d = problem->d;
    const double search = problem->disk ? forward_minimum_disk_bytes(n, nnz, classes, d, threads)
                                        : forward_minimum_bytes(n, nnz, classes, d);
    return forward_bytes(classes, d) + search;
}
