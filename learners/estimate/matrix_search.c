/* Climbs by turns of fits and EM, from one starting point after the other.
 *
 * EM alone, with the scores of one fit, would keep what that fit has learnt wrong; a gradient step
 * on C and W together would need a rate.  Alternating full fits with EM has nothing to tune but
 * when to stop, and each fit starts near the last. */
#include "learners/estimate/matrix_search.h"

#include "common/base/memory.h"
#include "learners/estimate/climb.h"
#include "learners/noise/chance.h"
#include "learners/noise/em_prior.h"
#include "learners/noise/start.h"

#include <string.h>

/* Fits through the matrix c, and the probabilities by them at the best temperature: f->em.p.  0 or
 * -1. */
static int matrix_predict(struct crossfit *f, const double *c, struct error *err)
{
    double temperature;
    if (crossfit_scores(f, c, err) != 0)
        return -1;
    em_temperature(&f->em, f->now.s, c, 0, NULL, &temperature);
    return 0;
}

/* Fits through the matrix c (in, out), and EM on their scores.  chooses: the number of steps
 * too.  likelihood: out, of held-out labels.  0 or -1. */
static int matrix_round(struct crossfit *f, double *c, bool chooses, double *likelihood,
                        struct error *err)
{
    double temperature;
    if ((chooses ? crossfit_choose_steps(f, c, err) : crossfit_scores(f, c, err)) != 0)
        return -1;
    *likelihood = em_temperature(&f->em, f->now.s, c, EM_STEPS, c, &temperature);
    return 0;
}

/* More rounds, after one that ended with this likelihood (in; out: of the last one).  0 or -1. */
static int matrix_climb(struct crossfit *f, double *c, double *likelihood, struct error *err)
{
    for (int round = 1; round < CLIMB_ROUNDS; round++) {
        const double before = *likelihood;
        if (matrix_round(f, c, false, likelihood, err) != 0)
            return -1;
        if (!(*likelihood >= before + CLIMB_LEAST_GAIN))
            break;
    }
    return 0;
}

int matrix_improve(struct crossfit *f, double *c, struct error *err)
{
    double likelihood;
    if (matrix_round(f, c, true, &likelihood, err) != 0)
        return -1;
    return matrix_climb(f, c, &likelihood, err);
}

/* Rounds of fits and anchors: the classifier gets better with the matrix, its anchors purer.
 * c: in, out.  0 or -1. */
static int matrix_follow_anchors(struct crossfit *f, double *c, struct error *err)
{
    for (int round = 0; round < MATRIX_ANCHOR_ROUNDS; round++)
        if (matrix_predict(f, c, err) != 0 || start_anchors(&f->em, c, err) != 0)
            return -1;
    return 0;
}

/* The first round from a starting point, climb->c.  0 or -1. */
static int matrix_begin(struct crossfit *f, bool chooses, struct climb *climb, struct error *err)
{
    double likelihood;
    if (crossfit_forget(f, err) != 0 || matrix_round(f, climb->c, chooses, &likelihood, err) != 0)
        return -1;
    climb_note(&f->em, likelihood, climb);
    return 0;
}

/* The rounds after it.  0 or -1. */
static int matrix_go_on(struct crossfit *f, struct climb *climb, struct error *err)
{
    double likelihood = climb->likelihood;
    if (matrix_climb(f, climb->c, &likelihood, err) != 0)
        return -1;
    climb_note(&f->em, likelihood, climb);
    return em_held_out_lead(&f->em, climb->c, climb->plain, &climb->held_out_lead, err);
}

/* The better of the climbs from the first two starting points.  disagreement: out, of the two. */
static struct climb *matrix_compare_starts(const struct crossfit *f, struct climb *climb,
                                           double *disagreement)
{
    struct climb *joint = &climb[CLIMB_JOINT], *even = &climb[CLIMB_EVEN];
    *disagreement = climb_disagreement(joint->c, even->c, f->K, even->share);
    return climb_is_better(even, joint) ? even : joint;
}

/* Climb from the matrices of the first two starting points.  The best climb, or NULL with err.
 *
 * A fit to the minimum goes on from the weights of the fit before it, whatever matrix that was
 * through.  So the order of the climbs decides the last bits of all that follows:
 *
 *   even noise begins last and goes on first, so from its own weights;
 *   the joint goes on after it, from zero;
 *   where one round has brought the two together their weights are nearly the same, and the better
 *   one goes on from them as they are.
 *
 * Fits of a given number of steps begin at zero anyway.  The joint chooses that number, for even
 * noise too; anchors choose their own. */
static struct climb *matrix_try_starts(struct crossfit *f, struct climb *climb,
                                       double *disagreement, struct error *err)
{
    struct climb *joint = &climb[CLIMB_JOINT], *even = &climb[CLIMB_EVEN],
                 *anchors = &climb[CLIMB_ANCHORS];
    if (matrix_begin(f, true, joint, err) != 0 || matrix_begin(f, false, even, err) != 0)
        return NULL;
    struct climb *best = matrix_compare_starts(f, climb, disagreement);
    if (*disagreement < ESTIMATE_DISAGREEMENT) {
        crossfit_expect(f, 2 * CLIMB_ROUNDS - 1, 0);
        return matrix_go_on(f, best, err) == 0 ? best : NULL;
    }
    if (matrix_go_on(f, even, err) != 0 /* from its own weights: see above */
        || crossfit_forget(f, err) != 0 || matrix_go_on(f, joint, err) != 0)
        return NULL;
    best = matrix_compare_starts(f, climb, disagreement);
    if (!(*disagreement < ESTIMATE_DISAGREEMENT)) {
        if (crossfit_forget(f, err) != 0 || matrix_follow_anchors(f, anchors->c, err) != 0
            || matrix_begin(f, true, anchors, err) != 0 || matrix_go_on(f, anchors, err) != 0)
            return NULL;
        if (climb_is_better(anchors, best))
            best = anchors;
    }
    /* The weights may be those of another climb than the best. */
    return crossfit_forget(f, err) == 0 ? best : NULL;
}

/* From now on all columns are led by their diagonals (em.h).  The climb that is kept first gets the
 * names of its classes right.  If a wrong label leads a column even then, *led is true, and one
 * more climb, with the number of steps that was chosen last, starts from the nearest matrix where
 * none does.  led: out.  0 or -1. */
static int matrix_let_lead(struct crossfit *f, struct climb *climb, bool *led, struct error *err)
{
    bool changed = climb_name_classes(climb->c, f->K, NULL);
    f->em.leads = true;
    *led = em_let_lead(climb->c, f->K);
    if (*led) {
        changed = true;
        if (matrix_begin(f, false, climb, err) != 0 || matrix_go_on(f, climb, err) != 0)
            return -1;
    }
    return changed ? crossfit_forget(f, err) : 0;
}

/* Are held-out labels clearly likelier without noise than through the matrix of this climb?  With
 * few examples for K^2 numbers it has learnt the labels by heart. */
static bool matrix_is_overfitted(const struct climb *climb)
{
    return climb->held_out_lead < -CROSSFIT_CLEAR;
}

/* One climb from even noise, as plain softmax regression finds it, with the strongest prior, which
 * all but keeps it even.  identity: K x K.  0 or -1. */
static int matrix_keep_even(struct crossfit *f, const double *identity, struct climb *climb,
                            struct error *err)
{
    f->em.prior = EM_LAST_PRIOR;
    crossfit_expect(f, CLIMB_ROUNDS - 1, 2);
    if (crossfit_forget(f, err) != 0 || crossfit_choose_steps(f, identity, err) != 0)
        return -1;
    em_probabilities(&f->em, f->now.s, identity, 1);
    start_even_noise(&f->em, climb->c);
    if (matrix_begin(f, true, climb, err) != 0 || matrix_go_on(f, climb, err) != 0)
        return -1;
    return crossfit_forget(f, err);
}

/* by_chance: out: does plain softmax regression, of which f->em.p is, predict labels by chance
 * (chance.h)?  Then one with the strongest penalty of the grid is asked, too, unless lambda is
 * given: of few examples, or much noise, it tells more.  identity: K x K.  0 or -1. */
static int matrix_test_chance(struct crossfit *f, const double *identity, bool *by_chance,
                              struct error *err)
{
    const int64_t at = f->now.at;
    if (chance_test(&f->em, NULL, by_chance, err) != 0)
        return -1;
    if (!*by_chance || f->options.lambda >= 0)
        return 0;
    f->now.at = crossfit_strongest(f);
    if (matrix_predict(f, identity, err) != 0 || chance_test(&f->em, NULL, by_chance, err) != 0)
        return -1;
    f->now.at = at;
    return crossfit_scores(f, identity, err);
}

int matrix_find(struct crossfit *f, struct estimate_matrix *m, bool *by_chance, struct error *err)
{
    const int64_t K = f->K, cells = K * K;
    struct climb climb[CLIMB_STARTS], *best;
    double *block = NULL, *plain = memory_new(f->em.n, sizeof *plain, err);
    int status = -1;
    if (!plain || !(block = climbs_new(K, climb, err)) || crossfit_choose_steps(f, m->c, err) != 0)
        goto done;
    em_log_labels(&f->em, f->now.s, m->c, plain);
    if (matrix_test_chance(f, m->c, by_chance, err) != 0)
        goto done;
    for (int start = 0; start < CLIMB_STARTS; start++)
        climb[start].plain = plain;
    em_probabilities(&f->em, f->now.s, m->c, 1);
    if (start_confident_joint(&f->em, m->joint, err) != 0)
        goto done;
    memcpy(climb[CLIMB_JOINT].c, m->joint, (size_t)cells * sizeof *m->c);
    start_even_noise(&f->em, climb[CLIMB_EVEN].c);
    start_identity(climb[CLIMB_ANCHORS].c, K); /* whose fit finds the first anchors */
    if (!(best = matrix_try_starts(f, climb, &m->disagreement, err)))
        goto done;
    if (matrix_let_lead(f, best, &m->led, err) != 0)
        goto done;
    if (matrix_is_overfitted(best)) {
        best = &climb[CLIMB_EVEN];
        m->led = false;
        if (matrix_keep_even(f, m->c, best, err) != 0)
            goto done;
    }
    status = 0;
    if (matrix_is_overfitted(best))
        goto done;
    if (best->lead >= -CROSSFIT_ERRORS)
        memcpy(m->c, best->c, (size_t)cells * sizeof *m->c);
    else if (best->lead > -CROSSFIT_CLEAR)
        m->passed_over = climb_noise(best->c, K, best->share);
done:
    memory_free(block);
    memory_free(plain);
    return status;
}
