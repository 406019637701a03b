/* Noise rates from a network that learns q(x, k) = P(f = 1 | x, k shown).
 *
 * mlp (Algorithm 3, eq. 6): x_k is the example at the percentile 100 (1 - 1/(2K)) of q(., k) over
 * all rounds, one of those whose label is almost surely k, and
 *
 *   1 - rho1 = mean over k of q(x_k, k),   rho0 = mean over k and l /= k of q(x_k, l)
 *
 * The paper says 89 % for any K; but a class is 1/K of the rounds, so for K >= 10 that example is
 * not of class k, and rho1 comes out far too large.
 *
 * mlp-authors, what the authors' program does instead: only the pairs (x, label shown) are looked
 * at, and for i = 0, 1 the pair at the 89th percentile of P(f = i) gives P(f = 1), which is rho0
 * for i = 0 and 1 - rho1 for i = 1.  It fails when fewer than 11 % of the rounds are wrong.
 *
 * The network sees x and after it the label: features d+1 .. d+K, one of which is 1, or for the
 * authors' variant one feature d+1, which is 0 .. K-1.  Its two outputs are f = 0 and f = 1.  A
 * tenth of the rounds is not learnt from, as in the paper's section 4.
 *
 * Percentiles are numpy's "higher": of n sorted numbers the one in place ceil((n - 1) percentile /
 * 100), from 0.  The authors' program takes the largest number below it, which is what is done here
 * for their variant.  It also overwrites the probabilities that it leaves out with zeros, in place,
 * for i = 0 before it looks at i = 1, so that a rate sometimes comes out as exactly 0; that is not
 * done here. */
#include "learners/bandit/noise_rate_mlp.h"

#include "common/base/memory.h"
#include "common/base/order.h"
#include "common/base/random.h"
#include "learners/mlp/mlp.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { RATE_MLP_USE_SPLIT = 0x3178 }; /* of the seed */
enum { RATE_MLP_OUTPUTS = 2 };        /* f = 0, f = 1 */

/* Probabilities of all rounds are held for so many labels at once, which bounds the memory.  No
 * reason for this number but that it works. */
enum { RATE_MLP_LABELS_AT_ONCE = 16 };

_Static_assert((int)NOISE_RATE_MOST_LAYERS == (int)MLP_MOST_LAYERS
                   && (int)NOISE_RATE_MOST_UNITS == (int)MLP_MOST_UNITS,
               "one is handed on as the other");

struct rate_mlp {
    const struct problem *rounds;
    int64_t classes;
    bool authors;
    int threads;
    int64_t *order;        /* of the rounds; the first `learnt` of them are learnt from */
    int64_t learnt;        /* rounds */
    struct problem inputs; /* those, beside the label shown; label: f */
    struct problem unit;   /* all rounds' examples, without labels; not for the authors' variant */
    int32_t *index;        /* workspace: one example and its label */
    double *value;         /* the same */
    struct mlp *mlp;
};

/* ---- what the network sees ---- */

/* Append the example of round i, when `labelled` with the label after its features. */
static int rate_mlp_append(struct rate_mlp *e, struct problem *to, int64_t i, bool labelled,
                           struct error *err)
{
    struct example x = problem_example(e->rounds, i);
    int64_t size = x.size, bias = example_has_bias(&x), d = e->rounds->d;
    if (size > 0) {
        memcpy(e->index, x.index, (size_t)size * sizeof *x.index);
        memcpy(e->value, x.value, (size_t)size * sizeof *x.value);
    }
    if (labelled) {
        int64_t at = size - bias; /* the bias entry stays the last */
        if (bias) {
            e->index[size] = 0;
            e->value[size] = e->value[at];
        }
        e->index[at] = (int32_t)(d + 1 + (e->authors ? 0 : x.label));
        e->value[at] = e->authors ? (double)x.label : 1;
        size++;
    }
    return problem_append_example(to,
                                  &(struct example){.label = x.feedback.f,
                                                    .line = x.line,
                                                    .size = size,
                                                    .index = e->index,
                                                    .value = e->value},
                                  err);
}

/* Entries of the longest example. */
static int64_t rate_mlp_longest(const struct problem *rounds)
{
    int64_t longest = 0;
    for (int64_t i = 0; i < rounds->n; i++) {
        int64_t size = problem_example(rounds, i).size;
        longest = size > longest ? size : longest;
    }
    return longest;
}

/* Shuffle the rounds, and append the first nine tenths of them to the network's inputs. */
static int rate_mlp_make_inputs(struct rate_mlp *e, int64_t seed, struct error *err)
{
    const int64_t n = e->rounds->n;
    if (problem_reserve(&e->inputs, n, e->rounds->nnz + n, err) != 0)
        return -1;
    struct random g = random_seeded((uint64_t)seed, RATE_MLP_USE_SPLIT);
    for (int64_t i = 0; i < n; i++)
        e->order[i] = i;
    random_shuffle(&g, e->order, n);
    e->learnt = n - n / 10;
    for (int64_t i = 0; i < e->learnt; i++) {
        if (rate_mlp_append(e, &e->inputs, e->order[i], true, err) != 0)
            return -1;
    }
    /* Also where the last label was never shown. */
    e->inputs.d = (int32_t)(e->rounds->d + (e->authors ? 1 : e->classes));
    return 0;
}

/* All that the network and the estimates read. */
static int rate_mlp_prepare(struct rate_mlp *e, int64_t seed, struct error *err)
{
    const int64_t n = e->rounds->n, d = e->rounds->d, K = e->classes;
    if (K < 2)
        return error_set(err, "a network for noise rates needs two classes");
    if (d + K > INT32_MAX)
        return error_set(err, "%lld features and %lld classes are too many for a network",
                         (long long)d, (long long)K);
    const int64_t entries = rate_mlp_longest(e->rounds) + 1;
    e->order = memory_new(n, sizeof *e->order, err);
    if (!e->order)
        return -1;
    e->index = memory_new(entries, sizeof *e->index, err);
    if (!e->index)
        return -1;
    e->value = memory_new(entries, sizeof *e->value, err);
    if (!e->value)
        return -1;
    if (rate_mlp_make_inputs(e, seed, err) != 0)
        return -1;
    if (e->authors)
        return 0;
    if (problem_reserve(&e->unit, n, e->rounds->nnz + 1, err) != 0)
        return -1;
    for (int64_t i = 0; i < n; i++) {
        if (rate_mlp_append(e, &e->unit, i, false, err) != 0)
            return -1;
    }
    return 0;
}

/* The paper's minibatches, step and validation share. */
static int rate_mlp_train(struct rate_mlp *e, const struct noise_rate_network *network,
                          int64_t seed, struct error *err)
{
    struct mlp_options options = {.layers = network->layers,
                                  .outputs = RATE_MLP_OUTPUTS,
                                  .dropout = network->dropout,
                                  .rate = 0.01,
                                  .delta = 1e-6,
                                  .batch = 128,
                                  .epochs = network->epochs,
                                  .validation = 0.1,
                                  .seed = seed};
    memcpy(options.hidden, network->hidden, sizeof options.hidden);
    return mlp_train(&e->inputs, &options, e->threads, &e->mlp, err);
}

/* ---- percentiles ---- */

struct rate_ranked {
    double p;
    int64_t i;
};

/* Smallest first, a total order. */
static int rate_mlp_ascending(const void *left, const void *right)
{
    const struct rate_ranked *a = left, *b = right;
    return order_by(a->p, b->p, a->i, b->i);
}

/* Sort the n numbers p[i * step]. */
static void rate_mlp_rank(const double *p, int64_t step, int64_t n, struct rate_ranked *ranked)
{
    for (int64_t i = 0; i < n; i++)
        ranked[i] = (struct rate_ranked){p[i * step], i};
    qsort(ranked, (size_t)n, sizeof *ranked, rate_mlp_ascending);
}

/* The place of the percentile 100 (1 - part/whole) in n sorted numbers; in whole numbers, as ceil
 * of a rounded product may be one too many. */
static int64_t rate_mlp_place(int64_t n, int64_t part, int64_t whole)
{
    assert(n > 0 && part <= whole);
    return n - 1 - (n - 1) / whole * part - (n - 1) % whole * part / whole;
}

/* ---- Algorithm 3 ---- */

/* example[k] = x_k, of every label.  p: workspace, rounds x RATE_MLP_LABELS_AT_ONCE x
 * RATE_MLP_OUTPUTS. */
static int rate_mlp_find_examples(const struct rate_mlp *e, double *p, struct rate_ranked *ranked,
                                  int64_t *example, struct error *err)
{
    const int64_t n = e->rounds->n, K = e->classes;
    for (int64_t first = 0; first < K; first += RATE_MLP_LABELS_AT_ONCE) {
        int64_t count = K - first < RATE_MLP_LABELS_AT_ONCE ? K - first : RATE_MLP_LABELS_AT_ONCE;
        if (mlp_predict(e->mlp, &e->unit, e->rounds->d + 1 + first, count, e->threads, p, err) != 0)
            return -1;
        for (int64_t k = 0; k < count; k++) {
            rate_mlp_rank(p + k * RATE_MLP_OUTPUTS + 1, count * RATE_MLP_OUTPUTS, n, ranked);
            example[first + k] = ranked[rate_mlp_place(n, 1, 2 * K)].i;
        }
    }
    return 0;
}

/* Mean of q(x_k, k) and of q(x_k, l).  A label that was never shown is left out, as nothing is
 * known of q there.  p: workspace, K x RATE_MLP_OUTPUTS. */
static int rate_mlp_find_means(const struct rate_mlp *e, const bool *shown, const int64_t *example,
                               double *p, double rho[2], struct error *err)
{
    double right = 0, wrong = 0, count = 0;
    for (int64_t k = 0; k < e->classes; k++) {
        if (!shown[k])
            continue;
        struct problem one = problem_part(&e->unit, example[k], 1); /* x_k */
        if (mlp_predict(e->mlp, &one, e->rounds->d + 1, e->classes, 1, p, err) != 0)
            return -1;
        count++;
        for (int64_t l = 0; l < e->classes; l++) {
            if (shown[l])
                *(l == k ? &right : &wrong) += p[l * RATE_MLP_OUTPUTS + 1];
        }
    }
    if (count < 2)
        return 0; /* the rates cannot be told apart, and stay */
    rho[0] = wrong / (count * (count - 1));
    rho[1] = 1 - right / count;
    return 0;
}

static int rate_mlp_estimate(const struct rate_mlp *e, double rho[2], struct error *err)
{
    const int64_t n = e->rounds->n, K = e->classes;
    const int64_t cells = n * (K < RATE_MLP_LABELS_AT_ONCE ? K : RATE_MLP_LABELS_AT_ONCE);
    struct rate_ranked *ranked = NULL;
    int64_t *example = NULL;
    bool *shown = NULL;
    int status = -1;
    double *p = memory_new(cells > K ? cells : K, RATE_MLP_OUTPUTS * sizeof *p, err);
    if (!p)
        goto done;
    ranked = memory_new(n, sizeof *ranked, err);
    if (!ranked)
        goto done;
    example = memory_new(K, sizeof *example, err);
    if (!example)
        goto done;
    shown = memory_new(K, sizeof *shown, err);
    if (!shown)
        goto done;
    if (rate_mlp_find_examples(e, p, ranked, example, err) != 0)
        goto done;
    for (int64_t i = 0; i < n; i++)
        shown[e->rounds->label[i]] = true;
    status = rate_mlp_find_means(e, shown, example, p, rho, err);
done:
    memory_free(p);
    memory_free(ranked);
    memory_free(example);
    memory_free(shown);
    return status;
}

/* ---- the authors' program ---- */

/* The pair of the largest number below the 89th percentile; the first where all are equal. */
static int64_t rate_mlp_below_percentile(const struct rate_ranked *ranked, int64_t n)
{
    int64_t place = rate_mlp_place(n, 11, 100), at = place;
    while (at > 0 && ranked[at].p == ranked[place].p)
        at--;
    return ranked[at].i;
}

static int rate_mlp_estimate_as_authors(const struct rate_mlp *e, double rho[2], struct error *err)
{
    const int64_t n = e->inputs.n;
    struct rate_ranked *ranked = NULL;
    int status = -1;
    double *p = memory_new(n, RATE_MLP_OUTPUTS * sizeof *p, err);
    if (!p)
        goto done;
    ranked = memory_new(n, sizeof *ranked, err);
    if (!ranked)
        goto done;
    if (mlp_predict(e->mlp, &e->inputs, 0, 0, e->threads, p, err) != 0)
        goto done;
    /* rho0 = P(f = 1) where f = 0 is likely, rho1 = P(f = 0) where f = 1 is. */
    for (int f = 0; f < RATE_MLP_OUTPUTS; f++) {
        rate_mlp_rank(p + f, RATE_MLP_OUTPUTS, n, ranked);
        rho[f] = p[rate_mlp_below_percentile(ranked, n) * RATE_MLP_OUTPUTS + (1 - f)];
    }
    status = 0;
done:
    memory_free(p);
    memory_free(ranked);
    return status;
}

double noise_rate_mlp_bytes(double rounds, double entries, int64_t classes, bool authors)
{
    const double labels = classes < RATE_MLP_LABELS_AT_ONCE ? (double)classes
                                                            : (double)RATE_MLP_LABELS_AT_ONCE;
    /* Of the inputs; the orders are this one's and mlp_train's. */
    double bytes = problem_bytes(rounds, entries + rounds, false)
                   + rounds * (double)(2 * sizeof(int64_t) + sizeof(struct rate_ranked));
    if (!authors)
        bytes += problem_bytes(rounds, entries, false);
    return bytes + rounds * (authors ? 1 : labels) * (double)(RATE_MLP_OUTPUTS * sizeof(double));
}

int noise_rate_mlp(const struct problem *rounds, int64_t classes, bool authors,
                   const struct noise_rate_network *network, int64_t seed, int threads,
                   double rho[2], struct error *err)
{
    struct rate_mlp e = {
        .rounds = rounds, .classes = classes, .authors = authors, .threads = threads};
    double found[2] = {rho[0], rho[1]};
    int status = rate_mlp_prepare(&e, seed, err);
    if (status == 0)
        status = rate_mlp_train(&e, network, seed, err);
    if (status == 0 && authors)
        status = rate_mlp_estimate_as_authors(&e, found, err);
    else if (status == 0)
        status = rate_mlp_estimate(&e, found, err);
    if (status == 0)
        memcpy(rho, found, sizeof found);
    mlp_free(e.mlp);
    problem_free(&e.inputs);
    problem_free(&e.unit);
    memory_free(e.order);
    memory_free(e.index);
    memory_free(e.value);
    return status;
}
