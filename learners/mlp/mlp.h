/* A small network: dense layers with ReLU, softmax at the end, cross-entropy, AdaGrad on
 * minibatches, dropout.
 *
 *     a_0 = x (sparse)
 *     a_l = ReLU(W_l' a_(l-1) + b_l) * mask_l
 *     probability = softmax(W_L' a_(L-1) + b_L)
 *
 *     mask      while training only, drawn anew for every unit and example: 0 with probability
 *               `dropout`, else 1/(1 - dropout); the input has none
 *     AdaGrad   s += g^2,  w -= rate g / (delta + sqrt(s)),  g the mean gradient over the minibatch
 *               (Duchi, Hazan and Singer 2011)
 *     start     W normal with deviation sqrt(2 / inputs of the layer), b = 0 (He et al. 2015)
 *
 * The same numbers on every machine: exponentials and logarithms are common/base/elementary's. */
#ifndef LEARNERS_MLP_MLP_H
#define LEARNERS_MLP_MLP_H

#include "common/base/error.h"
#include "common/data/problem.h"

#include <stdint.h>

enum { MLP_MOST_LAYERS = 8 /* hidden ones */, MLP_MOST_UNITS = 1 << 16 /* in one layer */ };

struct mlp_options {
    int64_t layers, hidden[MLP_MOST_LAYERS]; /* hidden layers, at least one; units in each, > 0 */
    int64_t outputs;                         /* > 1 */
    double dropout;                          /* of the hidden layers, 0 <= dropout < 1 */
    double rate, delta;                      /* of AdaGrad, > 0 */
    int64_t batch, epochs;                   /* > 0 */
    double validation; /* the share of the examples that is held out; the weights of the epoch with
                        * the least loss on these are kept.  0: those of the last epoch */
    int64_t seed;
};

struct mlp;

/* Train a network that starts from the seed.
 *
 * examples  label[i]: the class, 0 .. outputs-1; features 1 .. examples->d, which the first layer
 *           has weights for, and, perhaps, a bias entry with index 0, which has a row of its own
 *           there (d does not count it as an input)
 * mlp       out, freed by mlp_free; untouched on error
 * Of epochs with equal loss the earlier is kept; a share of less than one example is none.  The
 * examples are shuffled for every epoch, the last minibatch is as large as it comes.  Same bytes
 * for any number of threads.  0, or -1 with err: an option or a label out of range, no example to
 * learn from, memory, a loss that is not finite.  An epoch: O(units of the first layer x entries +
 * examples x products of neighbouring layers' units); rows of features that a minibatch lacks are
 * not touched. */
int mlp_train(const struct problem *examples, const struct mlp_options *options, int threads,
              struct mlp **mlp, struct error *err);

/* Probabilities of the classes, without dropout.
 *
 * first, count  count > 0: each example is taken count times, each time with an entry of value 1
 *               more, of index first + t, t = 0 .. count-1 (the sums over its own entries are
 *               computed once); count 0: as it is, and `first` is not used.  Features that the
 *               network has not seen are left out.
 * p             out, examples x max(1, count) x outputs
 * 0, or -1 (memory). */
int mlp_predict(const struct mlp *mlp, const struct problem *examples, int64_t first, int64_t count,
                int threads, double *p, struct error *err);

void mlp_free(struct mlp *mlp);

#endif
