/* Scores of examples by classifiers that have not seen them, and how likely they make the labels:
 * what confusion_estimate.c stands on.  The formulas are in confusion_estimate.h.  Same numbers for
 * any number of threads. */
#ifndef LEARNERS_FORWARD_CROSSFIT_H
#define LEARNERS_FORWARD_CROSSFIT_H

#include "learners/forward/confusion_estimate.h"

enum {
    CROSSFIT_FOLDS = 3,
    CROSSFIT_STEPS = 200,      /* of a fit that is followed, at most */
    CROSSFIT_TEMPERATURES = 13 /* at which each of its steps is looked at */
};

/* How likely each step of a fit makes the labels of the fold that it has not seen. */
struct crossfit_path {
    int64_t steps, best;                                      /* steps made; the best of them */
    double largest;                                           /* likelihood of that */
    double likelihood[CROSSFIT_STEPS][CROSSFIT_TEMPERATURES]; /* sums over the fold */
    double *room; /* for each block of examples its sums, and scores of one example */
};

struct crossfit {
    const struct problem *problem;
    const int32_t *y;
    const struct labels *labels;
    const struct estimate_options *options;
    int64_t n, K, parts; /* parts of the examples that EM counts by themselves */
    int threads,
        at_once; /* fits that are made at once: all, or one after the other on all threads */
    int64_t *fold;
    int64_t *subset[CROSSFIT_FOLDS],
        trained[CROSSFIT_FOLDS];             /* the examples of all folds but one */
    struct forward *learner[CROSSFIT_FOLDS]; /* of those, with the weights of the last fit */
    double *second_moment;                   /* see forward_minimum.h */
    double *s, *other; /* n x K: scores less the largest of the example; room, for those of another
                          lambda and the like */
    double *p;         /* n x K: softmax of scores at the last temperature */
    double *sum;       /* of a block */
    struct crossfit_path *path; /* of each fold */
    double temperatures[CROSSFIT_TEMPERATURES];
    bool stops_early; /* the number of steps is chosen, with lambda */
    int64_t
        steps; /* of a fit, from weights 0; 0: to the minimum, from the weights of the last fit */
    double prior;     /* of EM: examples a class */
    int64_t left_out; /* of EM: a fold; -1: none */
    /* of the fit at hand */
    const double *c;
    double lambda, temperature;
    bool follows;
    double *out;
    struct error *error; /* of a fold; message "" when all is well */
};

/* Free with crossfit_free.  0 or -1. */
int crossfit_start(struct crossfit *f, const struct problem *problem, const int32_t *y,
                   const struct labels *labels, const struct estimate_options *options,
                   struct error *err);

/* The next fit begins with weights 0, not with those of the last.  0 or -1. */
int crossfit_forget(struct crossfit *f, struct error *err);

/* Lambda number `at` of a grid from 0.1 down to 1e-7, or the one that was asked for. */
double crossfit_lambda(const struct crossfit *f, int64_t at);

/* The best lambda, downhill from *at, and where fits are stopped early the number of steps
 * (f->steps) that is best with it: scores left in f->s.  Returns the likelihood, or NAN with
 * err. */
double crossfit_choose_lambda(struct crossfit *f, const double *c, int64_t *at, struct error *err);

/* The same with lambda number `at`: only the number of steps is chosen, where that is. */
double crossfit_choose_steps(struct crossfit *f, const double *c, int64_t at, struct error *err);

/* f->p of scores s at a temperature; returns the mean log-likelihood with c. */
double crossfit_probabilities(struct crossfit *f, double *s, const double *c, double temperature);

/* The temperature of scores s of the largest likelihood, by golden section: with the matrix
 * `start`, or with what `steps` of EM make of it.  c: out, that matrix, may be `start`; NULL: not
 * wanted.  f->p is left at that temperature.  Returns the likelihood, or NAN with err. */
double crossfit_temperature(struct crossfit *f, double *s, const double *start, int64_t steps,
                            double *c, double *temperature, struct error *err);

/* One step of EM for c, f->p as it is.  Returns the mean log-likelihood before it.  room: parts
 * times K x K + 1. */
double crossfit_em(const struct crossfit *f, double *c, double *room);

/* P(observed) from the row c of the label and an example's probabilities, never 0. */
double crossfit_observed(const double *c, int64_t K, const double *p);

/* Counts, and on top the prior's examples: a class is as right as all are, and else anything. */
void crossfit_add_prior(double *count, int64_t K, double prior);

/* Columns that sum to 1. */
void crossfit_normalise(double *count, int64_t K);

double crossfit_bytes(int64_t n, int64_t nnz, int64_t classes, int64_t d, int threads);

void crossfit_free(struct crossfit *f);

#endif
