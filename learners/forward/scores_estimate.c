/* EM from the confident joint and from even noise, and from anchors where the ends of these
 * disagree; once more with diagonals that lead, where those of the best end do not; then the prior
 * by held-out likelihood.  An estimate that goes on has one climb and the prior.  Constants are
 * matrix_estimate.h's. */
#include "learners/forward/scores_estimate.h"

#include "common/base/memory.h"
#include "learners/forward/matrix_estimate.h"
#include "learners/forward/start.h"

#include <math.h>
#include <string.h>

enum { SCORES_LAST = 2 }; /* rounds after the climbs, before and after the choice of the prior */

/* EM from end->c, while the likelihood grows. */
static void scores_climb(struct em *em, const double *s, struct estimate_end *end,
                         struct progress *progress)
{
    double temperature, likelihood = -INFINITY;
    for (int round = 0; round < ESTIMATE_ROUNDS; round++) {
        const double before = likelihood;
        likelihood = em_temperature(em, s, end->c, ESTIMATE_EM_STEPS, end->c, &temperature);
        progress_step_expected(progress);
        if (!(likelihood >= before + ESTIMATE_LEAST_GAIN))
            break;
    }
    estimate_note_end(em, likelihood, end);
}

/* e->c, e->joint and e->disagreement.  0 or -1. */
static int scores_find_matrix(struct em *em, const double *s, struct estimate *e,
                              struct progress *progress, struct error *err)
{
    const int64_t K = em->K, cells = K * K;
    struct estimate_end end[ESTIMATE_STARTS];
    int starts = ESTIMATE_ANCHORS, best = ESTIMATE_JOINT, status = -1;
    double temperature;
    double *block = estimate_new_ends(K, end, err);
    if (!block)
        return -1;
    start_identity(e->c, K);
    em_probabilities(em, s, e->c, 1);
    if (start_confident_joint(em, e->joint, err) != 0)
        goto done;
    memcpy(end[ESTIMATE_JOINT].c, e->joint, (size_t)cells * sizeof *e->c);
    start_even_noise(em, end[ESTIMATE_EVEN].c);
    for (int start = 0; start < starts; start++) {
        if (start == ESTIMATE_ANCHORS) {
            em_temperature(em, s, e->c, 0, NULL, &temperature);
            if (start_anchors(em, end[ESTIMATE_ANCHORS].c, err) != 0)
                goto done;
        }
        progress_expect(progress, (ESTIMATE_STARTS + 1 - start) * ESTIMATE_ROUNDS + SCORES_LAST);
        scores_climb(em, s, &end[start], progress);
        if (estimate_better(&end[start], &end[best]))
            best = start;
        if (start == ESTIMATE_EVEN) {
            e->disagreement = estimate_disagree(end[ESTIMATE_JOINT].c, end[ESTIMATE_EVEN].c, K,
                                                end[ESTIMATE_EVEN].share);
            if (!(e->disagreement < ESTIMATE_DISAGREEMENT))
                starts = ESTIMATE_STARTS;
        }
    }
    em->leads = true;
    e->led = em_let_lead(end[best].c, K);
    if (e->led) {
        progress_expect(progress, ESTIMATE_ROUNDS + SCORES_LAST);
        scores_climb(em, s, &end[best], progress);
    }
    memcpy(e->c, end[best].c, (size_t)cells * sizeof *e->c);
    status = 0;
done:
    memory_free(block);
    return status;
}

/* The prior, and all of e that follows from the matrix.  0 or -1. */
static int scores_finish(struct em *em, const double *s, bool known, struct estimate *e,
                         struct progress *progress, struct error *err)
{
    const int64_t steps = known ? 0 : ESTIMATE_EM_STEPS;
    if (!known) {
        progress_expect(progress, SCORES_LAST);
        em_temperature(em, s, e->c, steps, e->c, &e->temperature);
        progress_step_expected(progress);
        if (estimate_choose_prior(em, e->c, err) != 0)
            return -1;
    }
    progress_expect(progress, 1);
    em_temperature(em, s, e->c, steps, e->c, &e->temperature);
    progress_step_expected(progress);
    e->likelihood = em_probabilities(em, s, e->c, e->temperature);
    return estimate_summarise(em, !known, e, err);
}

/* The share of all examples whose label is wrong. */
static double scores_noise(int64_t K, const double *c, const double *share)
{
    double right = 0;
    for (int64_t k = 0; k < K; k++)
        right += share[k] * c[k * K + k];
    return 1 - right;
}

int estimate_continue_from_scores(struct em *em, const double *s, struct estimate *e,
                                  struct error *err)
{
    const int64_t K = em->K, cells = K * K;
    int status = 0;
    double *block = memory_new(cells + K, sizeof *block, err);
    if (!block)
        return -1;
    struct estimate_end end = {.c = block, .share = block + cells};
    memcpy(end.c, e->c, (size_t)cells * sizeof *end.c);
    em->prior = ESTIMATE_FIRST_PRIOR;
    em->leads = true;
    scores_climb(em, s, &end, NULL);
    if (scores_noise(K, end.c, end.share) < scores_noise(K, e->c, e->share)) {
        memcpy(e->c, end.c, (size_t)cells * sizeof *end.c);
        status = scores_finish(em, s, false, e, NULL, err);
    }
    memory_free(block);
    return status;
}

int estimate_from_scores(struct em *em, const double *s, const double *known, struct estimate *e,
                         struct progress *progress, struct error *err)
{
    int status = estimate_allocate(em->n, em->K, known, e, err);
    em->prior = ESTIMATE_FIRST_PRIOR;
    if (status == 0 && !known)
        status = scores_find_matrix(em, s, e, progress, err);
    if (status == 0)
        status = scores_finish(em, s, known != NULL, e, progress, err);
    if (status != 0)
        estimate_free(e);
    return status;
}
