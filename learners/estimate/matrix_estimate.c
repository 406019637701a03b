/* The steps of an estimate one after the other (estimate_run): the first lambda, the matrix,
 * lambda, EM and the prior with it, the number of steps; then what is to be said of the result. */
#include "learners/estimate/matrix_estimate.h"

#include "common/base/memory.h"
#include "common/base/reduce.h"
#include "learners/estimate/matrix_search.h"
#include "learners/noise/calibration.h"
#include "learners/noise/chance.h"
#include "learners/noise/design_effect.h"
#include "learners/noise/em_prior.h"
#include "learners/noise/reliability.h"
#include "learners/noise/start.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Examples of a class whose noise is identifiable.  A rule of thumb: of fewer, a noise rate of a
 * fifth makes less than one label wrong. */
static const double estimate_fewest = 5;
static const double estimate_lost = 0.1; /* of the examples with its label, a class has at least so
                                            many, or is lost: no reason but that it works */

/* Is a class lost: a common label, of at least half of an even share of the examples, of which the
 * estimate leaves hardly anything?  labelled, true_share: of the examples. */
static bool estimate_is_lost(double labelled, double true_share, int64_t K)
{
    return labelled * 2 * (double)K >= 1 && true_share < estimate_lost * labelled;
}

/* e->matrix.lost, doubtful and thin, by the rest of e.  0 or -1. */
static int estimate_find_doubtful(const struct em *em, bool has_joint, struct estimate *e,
                                  struct error *err)
{
    const int64_t K = em->K;
    struct estimate_matrix *m = &e->matrix;
    /* A larger prior is chosen where all classes have much the same noise.  That a class has few
     * examples, or a rival in its column of the joint, is then no reason for doubt. */
    const bool alone = em->prior <= EM_FIRST_PRIOR;
    double *labelled = memory_new(K, sizeof *labelled, err);
    if (!labelled)
        return -1;
    em_label_shares(em, labelled);
    m->thin = false;
    for (int64_t k = 0; k < K; k++) {
        const bool thin = e->share[k] * em->total < estimate_fewest
                          || (has_joint
                              && reliability_is_rivalled(m->joint, K, k, m->standard_error[k]));
        m->lost[k] = estimate_is_lost(labelled[k], e->share[k], K);
        m->doubtful[k] = (alone && thin)
                         || reliability_is_rivalled(m->c, K, k, m->standard_error[k]) || m->lost[k];
        m->thin |= thin;
    }
    memory_free(labelled);
    return 0;
}

int estimate_summarise(const struct em *em, bool has_joint, struct estimate *e, struct error *err)
{
    const int64_t K = em->K;
    double *standard_error = e->matrix.standard_error, effect;
    struct calibration calibration = {0};
    for (int64_t i = 0; i < em->n; i++) {
        const double *p = em->p + i * K;
        calibration_add(&calibration, e->matrix.c, K, p, weights_best(p, K), em->y[i],
                        em_weight(em, i));
    }
    if (design_effect_find(em, e->matrix.c, &effect, err) != 0)
        return -1;
    calibration_scale(&calibration, effect);
    e->misfit = calibration_excess(&calibration);
    e->unexplained = calibration_unexplained(&calibration);
    em_shares(em, e->matrix.c, e->share);
    if (reliability_standard_errors(em, e->matrix.c, e->share, standard_error, err) != 0)
        return -1;
    for (int64_t k = 0; k < K; k++)
        standard_error[k] = fmin(1, sqrt(effect) * standard_error[k]);
    if (estimate_find_doubtful(em, has_joint, e, err) != 0)
        return -1;
    estimate_pass_over(e, e->matrix.passed_over);
    return 0;
}

/* f->now.steps by decisions through e->matrix.c; where that is another number, what depends on it:
 * f->em.p, e->likelihood, and of e->classifier steps_by_decisions and temperature.  0 or -1. */
static int estimate_decide_steps(struct crossfit *f, struct estimate *e, struct error *err)
{
    const int64_t steps = crossfit_decide_steps(f, e->matrix.c);
    if (steps == f->now.steps)
        return 0;
    f->now.steps = steps;
    e->classifier.steps_by_decisions = true;
    if (crossfit_scores(f, e->matrix.c, err) != 0)
        return -1;
    e->likelihood = em_temperature(&f->em, f->now.s, e->matrix.c, 0, NULL,
                                   &e->classifier.temperature);
    return 0;
}

/* Does a wrong label share the lead of a column, as if it would lead if it might? */
static bool estimate_is_pressed(const double *c, int64_t K)
{
    for (int64_t k = 0; k < K; k++)
        if (reliability_rival(c, K, k) >= c[k * K + k])
            return true;
    return false;
}

/* EM from e->matrix.c (in, out) on the scores of the lambda that was chosen.  The fits may have
 * found classes under each other's names.  Columns that their diagonals must lead cannot show an
 * exchange: so if they are pressed EM runs with free ones too, and where these show one e->matrix.c
 * and f->now get the right names.  0 or -1. */
static int estimate_refine_matrix(struct crossfit *f, struct estimate *e, struct error *err)
{
    const int64_t K = f->K;
    double temperature, *c = memory_new(K * K, sizeof *c, err);
    int64_t *from = memory_new(K, sizeof *from, err);
    int status = -1;
    if (!c || !from)
        goto done;
    status = 0;
    memcpy(c, e->matrix.c, (size_t)(K * K) * sizeof *c);
    em_temperature(&f->em, f->now.s, e->matrix.c, EM_STEPS, e->matrix.c,
                   &e->classifier.temperature);
    if (!estimate_is_pressed(e->matrix.c, K))
        goto done;
    f->em.leads = false;
    em_temperature(&f->em, f->now.s, c, EM_STEPS, c, &temperature);
    f->em.leads = true;
    if (climb_name_classes(c, K, from)) {
        em_let_lead(c, K);
        crossfit_rename(f, from);
        em_temperature(&f->em, f->now.s, c, EM_STEPS, e->matrix.c, &e->classifier.temperature);
    }
done:
    memory_free(from);
    memory_free(c);
    return status;
}

/* For the progress: the fits before lambda is chosen. */
static void estimate_expect(const struct crossfit *f, enum estimate_given given)
{
    int64_t rounds = f->decades > 0 ? CROSSFIT_FIRST_TRIES : 0, choices = 0;
    if (given == ESTIMATE_START) {
        rounds += MATRIX_IMPROVE_ROUNDS;
        choices = MATRIX_IMPROVE_CHOICES;
    } else if (given == ESTIMATE_NOTHING) {
        rounds += MATRIX_FIND_ROUNDS;
        choices = MATRIX_FIND_CHOICES;
    }
    crossfit_expect(f, rounds, choices);
}

/* e->matrix.c, before lambda is chosen.  0 or -1. */
static int estimate_before_lambda(struct crossfit *f, enum estimate_given given, struct estimate *e,
                                  struct error *err)
{
    if (given == ESTIMATE_NOTHING)
        return matrix_find(f, &e->matrix, &e->by_chance, err);
    return given == ESTIMATE_START ? matrix_improve(f, e->matrix.c, err) : 0;
}

/* The prior, e->matrix.c and e->classifier.temperature when lambda is chosen; f->em.p is left at
 * that.  0 or -1. */
static int estimate_after_lambda(struct crossfit *f, enum estimate_given given, struct estimate *e,
                                 struct error *err)
{
    if (given == ESTIMATE_MATRIX) {
        em_temperature(&f->em, f->now.s, e->matrix.c, 0, NULL, &e->classifier.temperature);
        return 0;
    }
    if (estimate_refine_matrix(f, e, err) != 0 || em_choose_prior(&f->em, e->matrix.c, err) != 0)
        return -1;
    em_temperature(&f->em, f->now.s, e->matrix.c, EM_STEPS, e->matrix.c,
                   &e->classifier.temperature);
    return 0;
}

/* e->matrix.c: in, what is given; out.  All else of e: out.  0 or -1. */
static int estimate_run(struct crossfit *f, enum estimate_given given, struct estimate *e,
                        struct error *err)
{
    f->em.prior = EM_FIRST_PRIOR;
    f->em.leads = given == ESTIMATE_START;
    if (given == ESTIMATE_NOTHING)
        start_identity(e->matrix.c, f->K);
    estimate_expect(f, given);
    if (crossfit_first_lambda(f, e->matrix.c, err) != 0
        || estimate_before_lambda(f, given, e, err) != 0)
        return -1;
    crossfit_expect(f, f->stops_early ? 1 : 0, 0); /* that of the decisions */
    if (crossfit_choose_lambda(f, e->matrix.c, err) != 0
        || estimate_after_lambda(f, given, e, err) != 0)
        return -1;
    e->classifier.lambda = crossfit_lambda(f, f->now.at);
    /* Once more, as em_temperature's is that before the last step of EM. */
    e->likelihood = em_probabilities(&f->em, f->now.s, e->matrix.c, e->classifier.temperature);
    if (f->stops_early && estimate_decide_steps(f, e, err) != 0)
        return -1;
    e->classifier.steps = f->now.steps;
    if (estimate_summarise(&f->em, given == ESTIMATE_NOTHING, e, err) != 0
        || (given == ESTIMATE_MATRIX && chance_test(&f->em, NULL, &e->by_chance, err) != 0))
        return -1;
    e->p = f->em.p;
    f->em.p = NULL;
    return 0;
}

int estimate_make(const struct labelled *data, const double *c, enum estimate_given given,
                  const struct crossfit_options *options, struct estimate *e, struct error *err)
{
    const int64_t n = reduce_count(data->problem->n), K = data->labels->count;
    struct crossfit f = {.n = 0};
    int status = -1;
    assert(!c == (given == ESTIMATE_NOTHING));
    if (estimate_allocate(n, K, c, e, err) != 0 || crossfit_start(&f, data, options, err) != 0)
        goto done;
    status = estimate_run(&f, given, e, err);
    crossfit_free(&f);
done:
    if (status != 0)
        estimate_free(e);
    return status;
}
