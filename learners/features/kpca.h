/* Kernel principal component analysis: the directions, in a kernel's feature space, along which the
 * examples vary most.
 *
 *     y_c(x) = sum over i of coef[i][c] k(x_i, x) - rho[c]
 *
 * c = 1 .. D; the mean of the examples is 0, and the largest variance comes first.
 *
 * Exact (up to KPCA_LARGEST_EXACT examples; Schoelkopf, Smola and Mueller, Nonlinear component
 * analysis as a kernel eigenvalue problem, 1998).  K = k(x_i, x_j) is centred on both sides,
 *
 *     Kc = K - 1m' - m1' + M,   m its row means, M their mean,
 *
 * and with eigenvectors Kc u = lambda u, coef = u / sqrt(lambda) less its mean, and rho = coef'm:
 * as the coefficients of a dimension sum to 0, the mean of k(x_i, x) over i drops out.  The
 * examples' own projections are sqrt(lambda) u.
 *
 * Landmarks (Williams and Seeger, Using the Nystroem method to speed up kernel machines, 2001).  L
 * examples are drawn at random.  With K_L = U diag(l) U' of these,
 *
 *     phi(x) = diag(l)^-1/2 U' k_L(x)
 *
 * are features whose inner products are the kernel's on the landmarks' span.  With mu their mean
 * over all examples, S = sum (phi - mu)(phi - mu)' = W diag(lambda) W' gives coef = U diag(l)^-1/2
 * W and rho = W' mu.  When all examples are landmarks this is the exact one.
 *
 * Eigenvalues up to n eps times the largest (or the largest |k|) are rounding, and left out; so are
 * negative ones, which sigmoid kernels have.  In each dimension the coefficient of largest
 * magnitude is positive. */
#ifndef LEARNERS_FEATURES_KPCA_H
#define LEARNERS_FEATURES_KPCA_H

#include "common/base/error.h"
#include "common/base/progress.h"
#include "common/model/kernel_model.h"

#include <stdbool.h>
#include <stdint.h>

/* The exact way takes 16 n^2 bytes and O(n^3): 1.6 GB at its limit.  No other reason for the
 * numbers but that they work. */
enum { KPCA_LARGEST_EXACT = 10000, KPCA_LANDMARKS = 2000 };

struct kpca_options {
    struct kernel kernel;
    int64_t dimensions; /* D, >= 1; fewer when fewer carry anything */
    int64_t landmarks;  /* 0: none for up to KPCA_LARGEST_EXACT examples, else KPCA_LANDMARKS, or
                         * 2 D when that is more */
    int64_t seed;       /* of the choice of landmarks */
    int threads;
};

struct kpca_report {
    double variance, all; /* sum of the eigenvalues that were kept, of all; these are also negative
                             where the kernel is not positive semidefinite */
    int64_t isolated; /* examples whose kernel values are 0 with all others; with landmarks: with
                         all of these but themselves */
};

/* How many landmarks n examples get: at most n; 0: the exact way. */
int64_t kpca_landmarks(const struct kpca_options *options, int64_t n);

/* Bytes that kpca_train takes besides the problem. */
double kpca_bytes(const struct kpca_options *options, const struct problem *problem);

/* Find the components.
 *
 * model     out, zero before, all but unit_length and zero_based: the kernel, and the examples or
 *           landmarks with their coefficients.  columns: the dimensions that were found, at most D.
 *           Free with kernel_model_free.
 * progress  counts kernel rows
 * 0, or -1: memory; kernel values that are not finite; examples that are all the same to the
 * kernel.  O(n n (n + d + D)), with landmarks O(n L (L + d) + L^3).  Same bytes for any number of
 * threads. */
int kpca_train(const struct problem *problem, const struct kpca_options *options,
               struct kernel_model *model, struct kpca_report *report, struct progress *progress,
               struct error *err);

struct kpca_projection {
    bool zero_based; /* indices in the data start at 0; also when the model says so */
    bool quiet;
    bool *cut; /* as in struct example_format */
    int threads;
};

/* Project a file ("-": standard input) to LIBSVM text `label 1:y_1 ... D:y_D` ("-": standard
 * output), which appears whole or not at all.  Labels pass through, `?` as well.  Constant memory.
 * 0 or -1. */
int kpca_project_file(const struct kernel_model *model, const char *data, const char *output,
                      const struct kpca_projection *options, struct error *err);

#endif
