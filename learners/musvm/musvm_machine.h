/* Multiclass machines of MU-SVM's solver (musvm.h): all classes in one problem, or several problems
 * of two classes put together.
 *
 *   whole   one problem: MU-SVM, M-SVM; one function a class
 *   ova     one against the rest, K problems; one function a class
 *   ovo     one against one, K (K - 1) / 2 problems, (0,1) (0,2) .. (K-2,K-1), each without the
 *           other classes' samples; a function > 0 votes for the first of its pair
 *
 * A problem of two classes is the binary U-SVM without a bias, of cost C and C* (Weston et al.
 * 2006): MU-SVM with two classes, C / 2 and C* / 2 has f_1 - f_2 of it, and half its objective (the
 * paper's proposition 2 with its scale put right).  Where K is 2, ova and ovo are that one problem,
 * kept as two functions, f / 2 and -f / 2.  With `semi` the samples behind the training set are no
 * universum but unlabelled examples: see s3vm.h. */
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
    bool semi;                   /* of ova */
    bool linear;                 /* the kernel is: the machine has weights, but for ovo */
    struct musvm_options solver; /* but the costs */
};

int64_t musvm_parts(const struct musvm_plan *plan, int64_t classes);   /* how many problems */
int64_t musvm_columns(const struct musvm_plan *plan, int64_t classes); /* how many functions */
bool musvm_votes(const struct musvm_plan *plan,
                 int64_t classes); /* are they of pairs?  (Three classes have as many pairs.) */

/* The class that a sample's functions say: of the largest, or of most votes; the lowest of equals.
 * votes: room, classes. */
int64_t musvm_decide(const struct musvm_plan *plan, int64_t classes, const double *f,
                     double *votes);

/* One of the problems, and where its solver stands. */
struct musvm_part {
    const struct musvm_plan *plan;
    int64_t index, columns; /* among the parts; of the machine */
    int64_t first, second;  /* of ova and ovo: the classes; second < 0: the rest */
    struct musvm_task task;
    struct musvm_options options;
    struct musvm_point point;
    struct musvm_result result; /* objectives as the binary SVM has them */
    int64_t n, m; /* training samples that take part, samples behind the training set */
    int32_t *y;   /* ova, ovo */
    double *factor;
};

/* Problem `index` of a task.  factor: n, of C of the task's training samples (0: left out); NULL:
 * 1.  The task is borrowed.  0 or -1 (memory). */
int musvm_part_make(const struct musvm_plan *plan, const struct musvm_task *task,
                    const double *factor, int64_t index, struct musvm_part *part,
                    struct error *err);
void musvm_part_free(struct musvm_part *part);

/* Solve it, from where it stands on.  0, or -1 with err (see musvm_solve). */
int musvm_part_solve(struct musvm_part *part, const struct musvm_costs *costs, struct error *err);

/* The functions of training sample i that this part makes, into their places among all columns of
 * f. */
void musvm_part_values(const struct musvm_part *part, int64_t i, double *f);

/* A trained machine. */
struct musvm_machine {
    int64_t parts, columns;
    bool votes;       /* musvm_votes */
    double *coef;     /* (n + m) x columns: f_c(x) = sum over i of coef[i][c] k(x_i, x) */
    struct weights w; /* linear, not votes: columns; else no rows */
    struct musvm_result
        result;             /* sums over the parts; the largest violation; have all converged? */
    struct musvm_part only; /* of one part: its problem as the solver left it */
    int64_t support, bounded,
        universum_support; /* training samples with a coefficient that is not 0, those at their cap,
                              and samples behind the training set */
};

/* Train all parts, on several threads when kernel rows are whole.  progress: may be NULL.  machine:
 * out; free with musvm_machine_free.  Same numbers for any number of threads.  0, or -1 with
 * err. */
int musvm_machine_train(const struct musvm_plan *plan, const struct musvm_task *task,
                        const double *factor, const struct musvm_costs *costs, int threads,
                        struct progress *progress, struct musvm_machine *machine,
                        struct error *err);
void musvm_machine_free(struct musvm_machine *machine);

#endif
