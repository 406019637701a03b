/* Multiclass machines from MU-SVM's solver (musvm.h): all classes in one problem, or several
 * problems of two classes combined.
 *
 *   whole   one problem: MU-SVM, M-SVM; one function a class
 *   ova     one against the rest, K problems; one function a class
 *   ovo     one against one, K (K - 1) / 2 problems, (0,1) (0,2) .. (K-2,K-1), each without the
 *           other classes' samples; a function > 0 votes for the first of its pair
 *
 * A problem of two classes is the binary U-SVM without a bias, of cost C and C* (Weston et al.
 * 2006): its f is f_1 - f_2 of MU-SVM with two classes, C / 2 and C* / 2, and its objective twice
 * that one's (the paper's proposition 2 with its scale corrected).  Where K is 2, ova and ovo are
 * that one problem, kept as two functions, f / 2 and -f / 2.  With `semi` the samples after the
 * training set are unlabelled examples instead of a universum: see s3vm.h. */
#ifndef LEARNERS_MUSVM_MUSVM_MACHINE_H
#define LEARNERS_MUSVM_MUSVM_MACHINE_H

#include "common/base/progress.h"
#include "learners/musvm/musvm.h"

enum musvm_scheme { MUSVM_WHOLE, MUSVM_OVA, MUSVM_OVO };

struct musvm_costs {
    double C;
    double C_star; /* < 0: the paper's n C / (m L), of the n samples and L classes of each problem;
                      0 without a universum */
    double delta;
};

/* C* of a problem. */
double musvm_c_star(const struct musvm_costs *costs, int64_t n, int64_t m, int64_t classes);

struct musvm_plan {
    enum musvm_scheme scheme;
    bool semi;                   /* ova only */
    bool linear;                 /* the kernel is linear: the machine has weights, except for ovo */
    struct musvm_options solver; /* all but the costs */
};

/* The usual most_updates of the solver, for n + m samples. */
int64_t musvm_usual_updates(int64_t samples);

/* How many problems, and how many functions. */
int64_t musvm_parts(const struct musvm_plan *plan, int64_t classes);
int64_t musvm_columns(const struct musvm_plan *plan, int64_t classes);

/* Do the functions vote for pairs?  (Not told by their number: three classes have three pairs.) */
bool musvm_votes(const struct musvm_plan *plan, int64_t classes);

/* Bytes that training, and cross-validation before it, take besides the data, the kernel rows and
 * the matrices of leave-one-out estimates, which are checked when their sizes are known
 * (span_bound.h).
 *
 * task     its sizes and samples are read, not its rows
 * in_w     the linear kernel is solved in w, without kernel rows
 * trials   costs that a cross-validation tries; 0: there is none */
double musvm_bytes(const struct musvm_plan *plan, const struct musvm_task *task, bool in_w,
                   int64_t trials, int threads);

/* The class that a sample's functions predict: the one with the largest, or with most votes; of
 * equals the lowest.  votes: workspace, classes. */
int64_t musvm_decide(const struct musvm_plan *plan, int64_t classes, const double *f,
                     double *votes);

/* One of the problems, and its solution so far. */
struct musvm_part {
    const struct musvm_plan *plan;
    int64_t index;         /* among the parts */
    int64_t columns;       /* of the machine */
    int64_t first, second; /* ova and ovo: its two classes; second < 0: the rest */
    struct musvm_task task;
    struct musvm_options options;
    struct musvm_point point;
    struct musvm_result result; /* ova and ovo: objectives of the binary SVM */
    int64_t n, m;             /* training samples that take part; samples after the training set */
    int32_t *y;               /* ova and ovo: the task's labels, 0 and 1 */
    int64_t *place;           /* alone: where its samples are among all; NULL: they are all */
    struct kernel_rows *rows; /* alone: theirs */
    double *factor;           /* ova and ovo: the task's factors of C, 0 for other classes */
};

/* Problem `index` of a task; ova and ovo have one for two classes or more.  factor: n, of C of the
 * task's training samples (0: left out); NULL: 1.  The task is borrowed.  0 or -1 (memory). */
int musvm_part_make(const struct musvm_plan *plan, const struct musvm_task *task,
                    const double *factor, int64_t index, struct musvm_part *part,
                    struct error *err);

/* Where votes are for pairs and there are kernel rows (else nothing is done): drop the samples that
 * are left out, and take the kernel rows of the others only (kernel_rows_part).  Solving is cheaper
 * then, but tells no decision values of samples that are left out.  0, or -1 with err; free the
 * part in both cases. */
int musvm_part_alone(struct musvm_part *part, struct error *err);

void musvm_part_free(struct musvm_part *part);

/* Solve it, starting from its last solution.  0, or -1 with err (see musvm_solve). */
int musvm_part_solve(struct musvm_part *part, const struct musvm_costs *costs, struct error *err);

/* The decision values of training sample i that this part computes, into their places among all
 * columns of f.  Not of a part that is alone. */
void musvm_part_values(const struct musvm_part *part, int64_t i, double *f);

/* A trained machine. */
struct musvm_machine {
    int64_t parts, columns;
    bool votes;                 /* musvm_votes */
    double *coef;               /* (n + m) x columns: f_c(x) = sum over i of coef[i][c] k(x_i, x) */
    struct weights w;           /* linear, not votes: columns; else no rows */
    struct musvm_result result; /* sums over the parts; the largest violation; converged: all */
    struct musvm_part only;     /* with one part: that problem with its solution */
    int64_t support;            /* training samples with a coefficient that is not 0 */
    int64_t bounded;            /* support vectors of the training set that are at their cap */
    int64_t universum_support;  /* samples after the training set with a coefficient not 0 */
};

/* Train all parts, on several threads unless kernel rows are cached (kernel_rows_threads).
 * progress: may be NULL.  machine: out; free with musvm_machine_free.  Same numbers for any number
 * of threads.  0, or -1 with err. */
int musvm_machine_train(const struct musvm_plan *plan, const struct musvm_task *task,
                        const double *factor, const struct musvm_costs *costs, int threads,
                        struct progress *progress, struct musvm_machine *machine,
                        struct error *err);
void musvm_machine_free(struct musvm_machine *machine);

#endif
