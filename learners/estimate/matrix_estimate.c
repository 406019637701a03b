/* The search for the matrix: climbs from several starting points, the best of their ends, the names
 * of its classes, the prior.
 *
 * EM alone, with the scores of one fit, would keep what that fit has learnt wrong; a gradient step
 * on C and W together would need a rate.  Alternating full fits with EM has nothing to tune but
 * when to stop, and each fit starts near the last. */
#include "learners/estimate/matrix_estimate.h"

#include "common/base/memory.h"
#include "common/base/reduce.h"
#include "common/data/paired.h"
#include "learners/noise/calibration.h"
#include "learners/noise/chance.h"
#include "learners/noise/em_prior.h"
#include "learners/noise/reliability.h"
#include "learners/noise/start.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    ESTIMATE_CHANCE_ROUNDS = 2, /* of estimate_test_chance, at most */
    ESTIMATE_ANCHOR_ROUNDS = 4  /* before the climb from anchors: no reason but that it works */
};

/* A class has changed places when a rival leads its column by this; ends that differ by less than
 * this in their examples of such classes are level.  No reason but that they work. */
static const double estimate_clear_lead = 0.1, estimate_level = 0.01;

/* Examples of a class whose noise is identifiable.  A rule of thumb: of fewer, a noise rate of a
 * fifth makes less than one label wrong. */
static const double estimate_fewest = 5;
static const double estimate_lost = 0.1; /* of the examples with its label, a class has at least so
                                            many, or is lost: no reason but that it works */

/* ---- the search for the matrix ---- */

/* Fits through the matrix c (in, out), and EM on their scores.  at: number of lambda.  chooses: the
 * number of steps too.  likelihood: out, of held-out labels.  0 or -1. */
static int estimate_round(struct crossfit *f, double *c, int64_t at, bool chooses,
                          double *likelihood, struct error *err)
{
    double temperature;
    if ((chooses ? crossfit_choose_steps(f, c, at, err) : crossfit_scores(f, c, at, err)) != 0)
        return -1;
    *likelihood = em_temperature(&f->em, f->now.s, c, EM_STEPS, c, &temperature);
    return 0;
}

/* More rounds, after one that ended with this likelihood (in; out: of the last one).  0 or -1. */
static int estimate_climb(struct crossfit *f, double *c, int64_t at, double *likelihood,
                          struct error *err)
{
    for (int round = 1; round < ESTIMATE_ROUNDS; round++) {
        const double before = *likelihood;
        if (estimate_round(f, c, at, false, likelihood, err) != 0)
            return -1;
        if (!(*likelihood >= before + ESTIMATE_LEAST_GAIN))
            break;
    }
    return 0;
}

/* Rounds of fits and anchors: the classifier gets better with the matrix, its anchors purer.
 * c: in, out.  0 or -1. */
static int estimate_follow_anchors(struct crossfit *f, double *c, int64_t at, struct error *err)
{
    double temperature;
    for (int round = 0; round < ESTIMATE_ANCHOR_ROUNDS; round++) {
        if (crossfit_scores(f, c, at, err) != 0)
            return -1;
        em_temperature(&f->em, f->now.s, c, 0, NULL, &temperature);
        if (start_anchors(&f->em, c, err) != 0)
            return -1;
    }
    return 0;
}

double *estimate_new_ends(int64_t K, struct estimate_end end[ESTIMATE_STARTS], struct error *err)
{
    const int64_t cells = K * K;
    double *block = memory_new(ESTIMATE_STARTS * (cells + K), sizeof *block, err);
    if (!block)
        return NULL;
    for (int s = 0; s < ESTIMATE_STARTS; s++) {
        double *c = block + s * (cells + K);
        end[s] = (struct estimate_end){.c = c, .share = c + cells};
    }
    return block;
}

void estimate_note_end(const struct em *em, double likelihood, struct estimate_end *end)
{
    const int64_t K = em->K;
    const double *c = end->c;
    end->likelihood = likelihood;
    em_shares(em, c, end->share);
    end->displaced = 0;
    for (int64_t k = 0; k < K; k++)
        if (reliability_rival(c, K, k) > c[k * K + k] + estimate_clear_lead)
            end->displaced += end->share[k];
    end->lead = 0;
    if (end->plain) {
        struct paired gain = {0};
        for (int64_t i = 0; i < em->n; i++)
            paired_add(&gain, em_weight(em, i) * (em_log_label(em, c, i) - end->plain[i]));
        end->lead = paired_errors(&gain);
    }
}

/* Exchange columns k and q of c, and in `from`, if it is not NULL, where they came from. */
static void estimate_swap_columns(double *c, int64_t K, int64_t k, int64_t q, int64_t *from)
{
    for (int64_t l = 0; l < K; l++) {
        const double swap = c[l * K + k];
        c[l * K + k] = c[l * K + q];
        c[l * K + q] = swap;
    }
    if (from) {
        const int64_t swap = from[k];
        from[k] = from[q];
        from[q] = swap;
    }
}

bool estimate_put_in_place(double *c, int64_t K, int64_t *from)
{
    bool again = true, any = false;
    if (from)
        for (int64_t k = 0; k < K; k++)
            from[k] = k;
    while (again) {
        again = false;
        for (int64_t k = 0; k < K; k++)
            for (int64_t q = 0; q < k; q++)
                if (c[k * K + q] * c[q * K + k] > c[k * K + k] * c[q * K + q]) {
                    estimate_swap_columns(c, K, k, q, from);
                    again = any = true;
                }
    }
    return any;
}

/* The first round from a starting point, end->c.  0 or -1. */
static int estimate_begin(struct crossfit *f, bool chooses, int64_t at, struct estimate_end *end,
                          struct error *err)
{
    double likelihood;
    if (crossfit_forget(f, err) != 0
        || estimate_round(f, end->c, at, chooses, &likelihood, err) != 0)
        return -1;
    estimate_note_end(&f->em, likelihood, end);
    return 0;
}

/* The rounds after it.  0 or -1. */
static int estimate_go_on(struct crossfit *f, int64_t at, struct estimate_end *end,
                          struct error *err)
{
    double likelihood = end->likelihood;
    if (estimate_climb(f, end->c, at, &likelihood, err) != 0)
        return -1;
    estimate_note_end(&f->em, likelihood, end);
    return 0;
}

bool estimate_better(const struct estimate_end *a, const struct estimate_end *b)
{
    if (a->displaced < b->displaced - estimate_level)
        return true;
    return a->displaced < b->displaced + estimate_level && a->likelihood > b->likelihood;
}

double estimate_disagree(const double *a, const double *b, int64_t K, const double *share)
{
    double sum = 0;
    for (int64_t k = 0; k < K; k++)
        for (int64_t q = 0; q < K; q++)
            sum += share[q] * fabs(a[k * K + q] - b[k * K + q]) / 2;
    return sum;
}

/* From the matrices of the first two starting points on.  The best end, or NULL with err.
 *
 * A fit to the minimum goes on from the weights of the fit before it, whatever matrix that was
 * through: so the order of the climbs decides from which weights each goes on, and with these the
 * last bits of all that follows.  Even noise, which begins last, goes on first: then the weights
 * are its own, and only the joint, which comes after it, goes on from zero.  Two that one round has
 * brought together have much the same weights, and either goes on from those.  (Fits of a given
 * number of steps begin at zero anyway.)  That number is the joint's for even noise, too, but
 * anchors choose their own. */
static struct estimate_end *estimate_try_starts(struct crossfit *f, int64_t at,
                                                struct estimate_end *end, double *disagreement,
                                                struct error *err)
{
    struct estimate_end *joint = &end[ESTIMATE_JOINT], *even = &end[ESTIMATE_EVEN],
                        *anchors = &end[ESTIMATE_ANCHORS];
    if (estimate_begin(f, true, at, joint, err) != 0
        || estimate_begin(f, false, at, even, err) != 0)
        return NULL;
    struct estimate_end *best = estimate_better(even, joint) ? even : joint;
    *disagreement = estimate_disagree(joint->c, even->c, f->K, even->share);
    if (*disagreement < ESTIMATE_DISAGREEMENT) {
        crossfit_expect(f, 2 * ESTIMATE_ROUNDS - 1, 0, at);
        return estimate_go_on(f, at, best, err) == 0 ? best : NULL;
    }
    if (estimate_go_on(f, at, even, err) != 0 /* from its own weights: see above */
        || crossfit_forget(f, err) != 0 || estimate_go_on(f, at, joint, err) != 0)
        return NULL;
    best = estimate_better(even, joint) ? even : joint;
    *disagreement = estimate_disagree(joint->c, even->c, f->K, even->share);
    if (!(*disagreement < ESTIMATE_DISAGREEMENT)) {
        if (crossfit_forget(f, err) != 0 || estimate_follow_anchors(f, anchors->c, at, err) != 0
            || estimate_begin(f, true, at, anchors, err) != 0
            || estimate_go_on(f, at, anchors, err) != 0)
            return NULL;
        if (estimate_better(anchors, best))
            best = anchors;
    }
    /* The weights may be those of another climb than the best. */
    return crossfit_forget(f, err) == 0 ? best : NULL;
}

/* From now on all columns are led by their diagonals (em.h).  The end that is kept first gets the
 * names of its classes right.  If a wrong label leads a column even then, *led is true, and one
 * more climb, with the number of steps that was chosen last, starts from the nearest matrix where
 * none does.  led: out.  0 or -1. */
static int estimate_let_lead(struct crossfit *f, int64_t at, struct estimate_end *end, bool *led,
                             struct error *err)
{
    bool changed = estimate_put_in_place(end->c, f->K, NULL);
    f->em.leads = true;
    *led = em_let_lead(end->c, f->K);
    if (*led) {
        changed = true;
        if (estimate_begin(f, false, at, end, err) != 0 || estimate_go_on(f, at, end, err) != 0)
            return -1;
    }
    return changed ? crossfit_forget(f, err) : 0;
}

/* by_chance: out: does plain softmax regression, of which f->em.p is, predict labels by chance
 * (chance.h)?  Then one with the strongest penalty of the grid is asked, too, unless lambda is
 * given: of few examples, or much noise, it tells more.  identity: K x K; at: number of lambda, of
 * which f->now is in the end, too.  0 or -1. */
static int estimate_test_chance(struct crossfit *f, const double *identity, int64_t at,
                                bool *by_chance, struct error *err)
{
    double temperature;
    if (chance_test(&f->em, NULL, by_chance, err) != 0)
        return -1;
    if (!*by_chance || f->options.lambda >= 0)
        return 0;
    if (crossfit_scores(f, identity, 0, err) != 0)
        return -1;
    em_temperature(&f->em, f->now.s, identity, 0, NULL, &temperature);
    return chance_test(&f->em, NULL, by_chance, err) == 0 ? crossfit_scores(f, identity, at, err)
                                                          : -1;
}

/* m->c (in: the identity), m->joint, m->led, m->disagreement and by_chance.  at: number of lambda.
 * 0 or -1.
 *
 * All begins with plain softmax regression, by which chance is tested: a later fit names its
 * classes by the labels that they agree with, which would then agree by more than chance
 * (chance.h).
 *
 * The matrix is the identity where that alone makes the labels likelier: of noise near the
 * boundary, which no matrix describes, EM would take some for noise of the class.  Where it does so
 * by less than half a standard error the matrix is kept: of few labels with noise the identity may
 * be ahead by chance, and would say with a small standard error that there is none. */
static int estimate_find_matrix(struct crossfit *f, struct estimate_matrix *m, bool *by_chance,
                                int64_t at, struct error *err)
{
    const int64_t K = f->K, cells = K * K;
    struct estimate_end end[ESTIMATE_STARTS], *best;
    double *block = NULL, *plain = memory_new(f->em.n, sizeof *plain, err);
    int status = -1;
    if (!plain || !(block = estimate_new_ends(K, end, err))
        || crossfit_choose_steps(f, m->c, at, err) != 0)
        goto done;
    em_log_labels(&f->em, f->now.s, m->c, plain);
    if (estimate_test_chance(f, m->c, at, by_chance, err) != 0)
        goto done;
    for (int start = 0; start < ESTIMATE_STARTS; start++)
        end[start].plain = plain;
    em_probabilities(&f->em, f->now.s, m->c, 1);
    if (start_confident_joint(&f->em, m->joint, err) != 0)
        goto done;
    memcpy(end[ESTIMATE_JOINT].c, m->joint, (size_t)cells * sizeof *m->c);
    start_even_noise(&f->em, end[ESTIMATE_EVEN].c);
    start_identity(end[ESTIMATE_ANCHORS].c, K); /* whose fit finds the first anchors */
    if (!(best = estimate_try_starts(f, at, end, &m->disagreement, err)))
        goto done;
    if (estimate_let_lead(f, at, best, &m->led, err) != 0)
        goto done;
    if (best->lead >= -CROSSFIT_ERRORS)
        memcpy(m->c, best->c, (size_t)cells * sizeof *m->c);
    status = 0;
done:
    memory_free(block);
    memory_free(plain);
    return status;
}

/* ---- an estimate ---- */

/* Is a class lost: a common label, of at least half of an even share of the examples, of which the
 * estimate leaves hardly anything?  labelled, true_share: of the examples. */
static bool estimate_is_lost(double labelled, double true_share, int64_t K)
{
    return labelled * 2 * (double)K >= 1 && true_share < estimate_lost * labelled;
}

/* e->matrix.doubtful and e->matrix.thin, by the rest of e.  0 or -1. */
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
        m->doubtful[k] = (alone && thin)
                         || reliability_is_rivalled(m->c, K, k, m->standard_error[k])
                         || estimate_is_lost(labelled[k], e->share[k], K);
        m->thin |= thin;
    }
    memory_free(labelled);
    return 0;
}

int estimate_summarise(const struct em *em, bool has_joint, struct estimate *e, struct error *err)
{
    const int64_t K = em->K;
    struct calibration calibration = {0};
    for (int64_t i = 0; i < em->n; i++) {
        const double *p = em->p + i * K;
        calibration_add(&calibration, e->matrix.c, K, p, weights_best(p, K), em->y[i],
                        em_weight(em, i));
    }
    e->misfit = calibration_excess(&calibration);
    e->unexplained = calibration_unexplained(&calibration);
    em_shares(em, e->matrix.c, e->share);
    if (reliability_standard_errors(em, e->matrix.c, e->share, e->matrix.standard_error, err) != 0)
        return -1;
    return estimate_find_doubtful(em, has_joint, e, err);
}

/* f->now.steps by decisions through e->matrix.c; where that is another number, what depends on it:
 * f->em.p, e->likelihood, and of e->classifier steps_by_decisions and temperature.  at: number of
 * lambda.  0 or -1. */
static int estimate_decide_steps(struct crossfit *f, int64_t at, struct estimate *e,
                                 struct error *err)
{
    const int64_t steps = crossfit_decide_steps(f, e->matrix.c);
    if (steps == f->now.steps)
        return 0;
    f->now.steps = steps;
    e->classifier.steps_by_decisions = true;
    if (crossfit_scores(f, e->matrix.c, at, err) != 0)
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
    if (estimate_put_in_place(c, K, from)) {
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
        rounds += ESTIMATE_ROUNDS - 1;
        choices = 1;
    } else if (given == ESTIMATE_NOTHING) {
        rounds += ESTIMATE_CHANCE_ROUNDS + 1 + ESTIMATE_ANCHOR_ROUNDS
                  + ESTIMATE_STARTS * (ESTIMATE_ROUNDS - 1) + ESTIMATE_ROUNDS;
        choices = 3; /* of plain softmax regression and of two starts */
    }
    crossfit_expect(f, rounds, choices, CROSSFIT_FIRST);
}

/* e->matrix.c, before lambda is chosen.  at: its number until then.  0 or -1. */
static int estimate_before_lambda(struct crossfit *f, enum estimate_given given, int64_t at,
                                  struct estimate *e, struct error *err)
{
    double likelihood;
    if (given == ESTIMATE_NOTHING)
        return estimate_find_matrix(f, &e->matrix, &e->by_chance, at, err);
    if (given == ESTIMATE_MATRIX)
        return 0;
    if (estimate_round(f, e->matrix.c, at, true, &likelihood, err) != 0)
        return -1;
    return estimate_climb(f, e->matrix.c, at, &likelihood, err);
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
    int64_t at;
    f->em.prior = EM_FIRST_PRIOR;
    f->em.leads = given == ESTIMATE_START;
    if (given == ESTIMATE_NOTHING)
        start_identity(e->matrix.c, f->K);
    estimate_expect(f, given);
    if (crossfit_first_lambda(f, e->matrix.c, &at, err) != 0
        || estimate_before_lambda(f, given, at, e, err) != 0)
        return -1;
    crossfit_expect(f, f->stops_early ? 1 : 0, 0, at); /* that of the decisions */
    if (crossfit_choose_lambda(f, e->matrix.c, &at, err) != 0
        || estimate_after_lambda(f, given, e, err) != 0)
        return -1;
    e->classifier.lambda = crossfit_lambda(f, at);
    /* Once more, as em_temperature's is that before the last step of EM. */
    e->likelihood = em_probabilities(&f->em, f->now.s, e->matrix.c, e->classifier.temperature);
    if (f->stops_early && estimate_decide_steps(f, at, e, err) != 0)
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
