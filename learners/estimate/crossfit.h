/* Cross-fitted scores: each example is scored by a classifier that has not seen it.
 *
 * There are three folds, or as many as asked for; for each of them `forward` with a matrix C is
 * fitted on the others (forward_minimum.h), and scores the fold.  The mean log-likelihood of the
 * labels by these scores, at the best of three temperatures, is the held-out likelihood: by it the
 * penalty lambda is chosen, unless the decisions of another one are clearly better or worse
 * (decisions.h), and, where the search is to be stopped early, its number of steps.  Finally
 * another number of steps is taken if its decisions are clearly better: after the best step for
 * decisions, probabilities of noisy labels still improve.
 *
 * The temperatures are 1/2, 1 and 2, not all that EM then tries (em.h).  Without any, a weak
 * penalty would be preferred for its larger scores; with all, scores that a strong penalty or too
 * few steps have shrunk would look as good as any, and through C it is the small classes that a
 * shrunken softmax loses.  Measured on 300 lines of usps, 20 to 40 % wrong: 74 % where this choice
 * has 78.
 *
 * Same numbers for any number of threads.
 *
 * With several ranks (reduce.h) each fits and scores with its own examples; labels, folds and
 * scores of all examples are on every rank, and so is what is computed from them (em.h): 8 n (8/3
 * K + 20) bytes for n examples in all, 8 n (4 K + 20) in fine folds, of which a rank receives 8 n K
 * after each fit. */
#ifndef LEARNERS_ESTIMATE_CROSSFIT_H
#define LEARNERS_ESTIMATE_CROSSFIT_H

#include "common/base/progress.h"
#include "common/data/folds.h"
#include "common/data/labelled.h"
#include "learners/forward/forward_minimum.h"
#include "learners/noise/em.h"

#include <math.h>
#include <stdbool.h>

enum {
    CROSSFIT_ENOUGH = 1500,     /* held-out examples to judge by: folds are added until there are so
                                   many; no reason but that it works */
    CROSSFIT_EVALUATIONS = 200, /* of a fit, at most: no reason but that it works */
    CROSSFIT_FIRST = 6, /* number of lambda 1e-4, with which searches begin: no reason but that
                           it works */
    CROSSFIT_FIRST_TRIES = 5, /* of crossfit_first_lambda, at most */
    CROSSFIT_STEPS = 200,     /* of a fit that is to be stopped early, at most; a path has a row for
                                 each.  A rule of thumb: far more than are best (below) */
    CROSSFIT_NOTED = 16       /* first steps of a path whose decisions are noted, to choose from; on
                                 text 2 to 12 steps have the largest likelihood */
};

/* A lead of so many standard errors is enough.  It is asked of
 *
 *   the likelihood of held-out labels, for another lambda or for examples at their lengths, unless
 *   decisions clearly tell (below);
 *   the same likelihood, for softmax regression through a map;
 *   the decisions of softmax regression, for an SVM to be refused (svm_estimate.h).
 *
 * No reason but that it works for lambda.  Measured for lengths: where they were ahead by this to
 * 2, they were worse by up to 3 points, better by up to 65 (experiments/forward/choices.md). */
#define CROSSFIT_ERRORS 0.5

/* Standard errors by which decisions (decisions.h) clearly tell.  With many classes a penalty that
 * suits them shrinks the scores by more than a temperature of 2 can mend, and the likelihood
 * prefers one that is too weak; of examples at their lengths, too, decisions tell more
 * (experiments/forward/choices.md). */
#define CROSSFIT_CLEAR 2

/* Is the second of two classifiers, with another lambda or of examples at their lengths, to be
 * preferred?  Its decisions have the say where they clearly tell, for it or against it; elsewhere
 * its probabilities.  likelihood, decisions: by how many standard errors held-out labels are
 * likelier by its probabilities, and by its decisions, than by those of the first. */
static inline bool crossfit_prefers(double likelihood, double decisions)
{
    return fabs(decisions) > CROSSFIT_CLEAR ? decisions > 0 : likelihood > CROSSFIT_ERRORS;
}

struct crossfit_options {
    const double *weight; /* n: of the examples, > 0, with which their losses and likelihoods count;
                             NULL: 1 */
    double lambda;        /* L2 penalty; < 0: the one that held-out labels prefer */
    bool scales_lambda;   /* lambda is meant for unit length: f->decades are added to it */
    int64_t steps;        /* of the search from zero weights; 0: run to the minimum; < 0: where the
                             features are too many for the metric of forward_minimum.h, the number
                             with the best held-out likelihood, else 0 */
    int64_t folds;        /* 0: FOLDS_DEFAULT; else at most FOLDS_FINE, for a lambda that is given:
                             the fits are then taken to be the last, and end nearer the minimum */
    int64_t seed;         /* of the folds; and of landmarks and samples, where there is a map */
    int threads;
    struct progress *progress; /* of fits; may be NULL */
};

/* Held-out likelihoods on the path of one fold's search. */
struct crossfit_path {
    int64_t steps, best; /* steps made; the one with the largest likelihood */
    double largest;      /* that likelihood */
    double likelihood[CROSSFIT_STEPS][EM_TEMPERATURES]; /* sums over the fold */
    double *judged; /* of each held-out example, the log-likelihoods of the current step */
    double *workspace;
};

/* A fold: its examples, which are held out, and the fit to those of the other folds.  A place is
 * one in `order` of struct crossfit. */
struct crossfit_fold {
    int64_t first, last;         /* places of its examples: first .. last-1 */
    int64_t own_first, own_last; /* of these, the places of this rank's */
    int64_t *subset, trained;    /* this rank's examples of the other folds, as numbers in the
                                    problem; how many they are */
    struct forward *learner;     /* with the weights of the last fit; NULL after one that ends at a
                                    step, whose weights nothing goes on from */
    struct crossfit_path path;
};

/* Held-out scores with one lambda: of all examples, in their order; or of those in the folds that
 * judge, place by place. */
struct crossfit_trial {
    bool of_judges;                /* the latter */
    int64_t rows;                  /* how many examples */
    int64_t at;                    /* number of its lambda (crossfit_lambda) */
    double *s;                     /* rows x K: the scores, less the largest of the example */
    int64_t steps;                 /* of its fits, the same in all folds: as in the options or as
                                      chosen; 0: to the minimum, from the weights of the last fit */
    int64_t fold_best[FOLDS_FINE]; /* where that was chosen: the best number of each fold alone */
    int32_t *decision;             /* CROSSFIT_NOTED x rows: what the first steps of the paths
                                      decide; NULL where the number of steps is not to be chosen */
    int64_t noted;                 /* so many of these steps have been made in all folds */
};

/* The examples of the folds that judge, place by place, and what is decided of them. */
struct crossfit_judged {
    int32_t *y;           /* labels */
    int32_t *now, *other; /* decisions by the trials of these names */
    double *weight;       /* em_weight of each */
    double *workspace;    /* 3 K x K, for decisions_lead */
};

struct crossfit {
    struct crossfit_options options;

    /* The examples: those of the problem are this rank's, n are on all ranks. */
    const struct problem *problem;
    const struct labels *labels;
    int64_t n, K;
    int64_t before; /* examples of the ranks before this one */
    int32_t *y;     /* n */

    /* The folds. */
    int64_t folds;
    int64_t judges;             /* lambda is chosen by this many folds, the first ones */
    int64_t *fold_of;           /* n: number of each example's fold */
    int64_t *order;             /* n: the examples, fold after fold */
    struct crossfit_fold *fold; /* folds */

    /* How fits are made. */
    struct forward_metric metric; /* see forward_metric.h */
    int64_t decades;              /* of the spread of the features (feature_sizes.h) above 1; 0
                                     where they are too many for the metric of forward_minimum.h */
    int64_t common;      /* decades of the lengths that all examples have in common; 0 where decades
                            is known */
    bool stops_early;    /* the number of steps is to be chosen */
    int at_once;         /* fits that are made side by side */
    float *step_scores;  /* at the current step of a path: of all examples, place by place, where
                            folds are fitted side by side, else of those of one fold */
    float *point_scores; /* the same at the point that the step has led to */

    /* What they say of held-out examples. */
    struct crossfit_trial now;   /* of all, with the best lambda */
    struct crossfit_trial other; /* of the judges, with another lambda: of places 0 .. rows-1 */
    struct crossfit_judged judged;
    struct em em; /* p and counts are given back while fits are made */
};

/* How many folds, from the first on, have CROSSFIT_ENOUGH of n examples; or all.  fold_of: n. */
int64_t crossfit_judges(const int64_t *fold_of, int64_t n);

/* f: out, with lambda number CROSSFIT_FIRST; free with crossfit_free.  The data's problem and
 * labels are borrowed until then.  0 or -1. */
int crossfit_start(struct crossfit *f, const struct labelled *data,
                   const struct crossfit_options *options, struct error *err);

/* Let the next fit start from zero weights, not from those of the last.  0 or -1. */
int crossfit_forget(struct crossfit *f, struct error *err);

/* Lambda number `at` of a grid, two per decade; or the given one.  Number 0 is 0.1, number 12 is
 * 1e-7; f->decades more decades precede number 0. */
double crossfit_lambda(const struct crossfit *f, int64_t at);

/* The number of the largest. */
int64_t crossfit_strongest(const struct crossfit *f);

/* The lambda that searches begin with becomes that of f->now.  For features that are k times as
 * large lambda has to be k^2 times as large, so that 1e-4, which suits unit length, is multiplied
 * by the power of ten nearest to the spread of the features.  Where some are far larger than
 * others, that may be too much.  So 1e-4 is raised by half of these decades, unless all of them or,
 * else, none are better, as in the choice of lambda, through the matrix c.
 *
 * Where features are too many for that, they are at unit length, or of size 1.  But of lengths that
 * all examples have in common, as of measurements far from 0, little is left that tells anything:
 * 1e-4 is lowered by f->common decades, or to the end of the grid.  0 or -1. */
int crossfit_first_lambda(struct crossfit *f, const double *c, struct error *err);

/* Choose the number of steps by the held-out likelihood through the matrix c with the lambda of
 * f->now, where it is to be chosen: f->now, with its steps.  0 or -1. */
int crossfit_choose_steps(struct crossfit *f, const double *c, struct error *err);

/* The same by the judges alone: f->other.  0 or -1. */
int crossfit_judge_steps(struct crossfit *f, const double *c, struct error *err);

/* As crossfit_choose_steps with the best lambda, searched for from that of f->now on, where it is
 * to be chosen.  0 or -1. */
int crossfit_choose_lambda(struct crossfit *f, const double *c, struct error *err);

/* Set f->now.s by fits through c with the lambda and the steps of f->now.  0 or -1. */
int crossfit_scores(struct crossfit *f, const double *c, struct error *err);

/* The number of steps, up to a few more than f->now.steps, whose decisions make the labels clearly
 * likelier (decisions.h) than those of f->now.steps, by most; or f->now.steps.  After
 * crossfit_choose_lambda, through the same matrix c. */
int64_t crossfit_decide_steps(const struct crossfit *f, const double *c);

/* Let class k of f->now be what was class from[k] (K). */
void crossfit_rename(struct crossfit *f, const int64_t *from);

/* For the progress: at most this many rounds of fits with a given number of steps, and such choices
 * of the number, are to come before lambda is chosen, from that of f->now on. */
void crossfit_expect(const struct crossfit *f, int64_t rounds, int64_t choices);

/* Bytes of a struct crossfit with its fits, besides the problem, on as many threads as it can use:
 * what is decided by them must not depend on the threads.  steps: as in the options; folds: their
 * number. */
double crossfit_bytes(int64_t n, int64_t nnz, int64_t classes, int64_t d, int64_t steps,
                      int64_t folds);

void crossfit_free(struct crossfit *f);

#endif
