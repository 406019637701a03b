/* EM from the confident joint and from even noise, and from anchors where the ends of these
 * disagree; once more with diagonals that lead, where those of the best end do not; then the prior
 * by held-out likelihood.  An estimate that goes on has one climb and the prior, and is moved only
 * as far towards its end as the labels ask.  Constants are climb.h's and em_prior.h's. */
#include "learners/estimate/scores_estimate.h"

#include "common/base/memory.h"
#include "common/data/paired.h"
#include "learners/estimate/climb.h"
#include "learners/estimate/matrix_estimate.h"
#include "learners/noise/chance.h"
#include "learners/noise/em_prior.h"
#include "learners/noise/start.h"

#include <math.h>
#include <string.h>

enum {
    SCORES_LAST = 2,  /* rounds after the climbs, before and after the choice of the prior */
    SCORES_HALVES = 6 /* halvings of a way: 1/64 of it is little beside standard errors */
};

/* EM from climb->c, while the likelihood grows. */
static void scores_climb(struct em *em, const double *s, struct climb *climb,
                         struct progress *progress)
{
    double temperature, likelihood = -INFINITY;
    for (int round = 0; round < CLIMB_ROUNDS; round++) {
        const double before = likelihood;
        likelihood = em_temperature(em, s, climb->c, EM_STEPS, climb->c, &temperature);
        progress_step_expected(progress);
        if (!(likelihood >= before + CLIMB_LEAST_GAIN))
            break;
    }
    climb_note(em, likelihood, climb);
}

/* m->c, m->joint, m->disagreement and m->led.  progress: of rounds; may be NULL.  0 or -1. */
static int scores_find_matrix(struct em *em, const double *s, struct estimate_matrix *m,
                              struct progress *progress, struct error *err)
{
    const int64_t K = em->K, cells = K * K;
    struct climb climb[CLIMB_STARTS];
    int starts = CLIMB_ANCHORS, best = CLIMB_JOINT, status = -1;
    double temperature;
    double *block = climbs_new(K, climb, err);
    if (!block)
        return -1;
    start_identity(m->c, K);
    em_probabilities(em, s, m->c, 1);
    if (start_confident_joint(em, m->joint, err) != 0)
        goto done;
    memcpy(climb[CLIMB_JOINT].c, m->joint, (size_t)cells * sizeof *m->c);
    start_even_noise(em, climb[CLIMB_EVEN].c);
    for (int start = 0; start < starts; start++) {
        if (start == CLIMB_ANCHORS) {
            em_temperature(em, s, m->c, 0, NULL, &temperature);
            if (start_anchors(em, climb[CLIMB_ANCHORS].c, err) != 0)
                goto done;
        }
        progress_expect(progress, (CLIMB_STARTS + 1 - start) * CLIMB_ROUNDS + SCORES_LAST);
        scores_climb(em, s, &climb[start], progress);
        if (climb_is_better(&climb[start], &climb[best]))
            best = start;
        if (start == CLIMB_EVEN) {
            m->disagreement = climb_disagreement(climb[CLIMB_JOINT].c, climb[CLIMB_EVEN].c, K,
                                                 climb[CLIMB_EVEN].share);
            if (!(m->disagreement < ESTIMATE_DISAGREEMENT))
                starts = CLIMB_STARTS;
        }
    }
    em->leads = true;
    m->led = em_let_lead(climb[best].c, K);
    if (m->led) {
        progress_expect(progress, CLIMB_ROUNDS + SCORES_LAST);
        scores_climb(em, s, &climb[best], progress);
    }
    memcpy(m->c, climb[best].c, (size_t)cells * sizeof *m->c);
    status = 0;
done:
    memory_free(block);
    return status;
}

/* The prior, and c and its temperature by it.  0 or -1. */
static int scores_settle(struct em *em, const double *s, double *c, double *temperature,
                         struct progress *progress, struct error *err)
{
    progress_expect(progress, SCORES_LAST);
    em_temperature(em, s, c, EM_STEPS, c, temperature);
    progress_step_expected(progress);
    if (em_choose_prior(em, c, err) != 0)
        return -1;
    progress_expect(progress, 1);
    em_temperature(em, s, c, EM_STEPS, c, temperature);
    progress_step_expected(progress);
    return 0;
}

/* ---- from another estimate on ---- */

/* Are the labels likelier by `log` than by `other`, beyond chance and by at least so much in the
 * mean?  Less would not do: of two classes, probabilities near 1/2 without noise explain labels as
 * well as sure ones with the right matrix (experiments/forward/choices.md). */
static bool scores_are_likelier(const struct em *em, const double *log, const double *other,
                                double least)
{
    struct paired gain = {0};
    for (int64_t i = 0; i < em->n; i++)
        paired_add(&gain, em_weight(em, i) * (log[i] - other[i]));
    return gain.sum >= least * em->total && paired_errors(&gain) > CHANCE_ERRORS;
}

/* c: out, the matrix at this part of the way between two. */
static void scores_between(int64_t cells, const double *from, const double *to, double way,
                           double *c)
{
    for (int64_t cell = 0; cell < cells; cell++)
        c[cell] = from[cell] + way * (to[cell] - from[cell]);
}

/* Move c (in, out) towards the matrix `to`, if the labels are clearly likelier by that: beyond
 * chance, and by as much as a round of a climb must gain.  c moves as far as it takes for the rest
 * of the lead to be chance, and em->p is left at the best temperature of c.  from: K x K, log: 2 n,
 * both workspace.  Has c moved? */
static bool scores_approach(struct em *em, const double *s, const double *to, double *c,
                            double *from, double *log)
{
    const int64_t cells = em->K * em->K;
    double *other = log + em->n, near = 0, far = 1, temperature;
    em_log_labels(em, s, to, log);
    em_log_labels(em, s, c, other);
    if (!scores_are_likelier(em, log, other, CLIMB_LEAST_GAIN))
        return false;
    memcpy(from, c, (size_t)cells * sizeof *c);
    for (int half = 0; half < SCORES_HALVES; half++) {
        const double way = (near + far) / 2;
        scores_between(cells, from, to, way, c);
        em_log_labels(em, s, c, other);
        if (scores_are_likelier(em, log, other, 0))
            near = way;
        else
            far = way;
    }
    scores_between(cells, from, to, far, c);
    em_temperature(em, s, c, 0, NULL, &temperature);
    return true;
}

int estimate_continue_from_scores(struct em *em, const double *s, struct estimate *e,
                                  struct error *err)
{
    const int64_t K = em->K, cells = K * K;
    double temperature;
    int status = -1;
    double *block = memory_new(3 * cells + K + 2 * em->n, sizeof *block, err);
    if (!block)
        return -1;
    double *joint = block + cells, *from = joint + cells, *log = from + cells;
    struct climb climb = {.c = block, .share = log + 2 * em->n};
    memcpy(climb.c, e->matrix.c, (size_t)cells * sizeof *climb.c);
    em->prior = EM_FIRST_PRIOR;
    em->leads = true;
    scores_climb(em, s, &climb, NULL);
    if (start_confident_joint(em, joint, err) != 0
        || scores_settle(em, s, climb.c, &temperature, NULL, err) != 0)
        goto done;
    em_shares(em, climb.c, climb.share);
    status = 0;
    if (climb_noise(climb.c, K, climb.share) < climb_noise(e->matrix.c, K, e->share)
        && scores_approach(em, s, climb.c, e->matrix.c, from, log)) {
        memcpy(e->matrix.joint, joint, (size_t)cells * sizeof *e->matrix.joint);
        e->matrix.gamma = 0;
        status = estimate_summarise(em, true, e, err);
    }
done:
    memory_free(block);
    return status;
}

/* ---- from nothing ---- */

int estimate_from_scores(struct em *em, const double *s, const double *known, struct estimate *e,
                         struct progress *progress, struct error *err)
{
    int status = estimate_allocate(em->n, em->K, known, e, err);
    em->prior = EM_FIRST_PRIOR;
    if (status == 0 && known) {
        progress_expect(progress, 1);
        em_temperature(em, s, e->matrix.c, 0, NULL, &e->classifier.temperature);
        progress_step_expected(progress);
    } else if (status == 0) {
        status = scores_find_matrix(em, s, &e->matrix, progress, err);
        if (status == 0)
            status = scores_settle(em, s, e->matrix.c, &e->classifier.temperature, progress, err);
    }
    if (status == 0) {
        e->likelihood = em_probabilities(em, s, e->matrix.c, e->classifier.temperature);
        status = estimate_summarise(em, !known, e, err);
    }
    if (status == 0)
        status = chance_test(em, known, &e->by_chance, err);
    if (status != 0)
        estimate_free(e);
    return status;
}
