/* q(x, k) = P(f = 1 | x, k shown) by a network, and the noise rates from it.
 *
 * The network sees x and behind it the label: features d+1 .. d+K, one of which is 1, or for the
 * authors' variant one feature d+1, which is 0 .. K-1.  Its two outputs are f = 0 and f = 1.  As in
 * the paper's section 4 a tenth of the rounds is not learnt from, a tenth of the rest is for
 * validation, minibatches are of 128, AdaGrad has rate 0.01 and delta 1e-6.
 *
 * Percentiles are numpy's "higher": of n sorted numbers the one in place ceil((n - 1) percentile /
 * 100), from 0.  The authors' program takes the largest number BELOW it, which is what is done here
 * for their variant.  It also overwrites the probabilities that it leaves out with zeros, in place,
 * for i = 0 before it looks at i = 1, so that a rate sometimes comes out as exactly 0; that is not
 * done here. */
#include "learners/bandit/noise_rate_mlp.h"

#include "common/base/memory.h"
#include "common/base/order.h"
#include "common/base/random.h"
#include "learners/mlp/mlp.h"

#include <stdlib.h>
#include <string.h>

enum { USE_SPLIT = 0x3178 };  /* of the seed */
enum { LABELS_AT_ONCE = 16 }; /* the probabilities of all rounds are there for so many labels */
enum { OUTPUTS = 2 };
_Static_assert((int)NOISE_RATE_MOST_LAYERS == (int)MLP_MOST_LAYERS
                   && (int)NOISE_RATE_MOST_UNITS == (int)MLP_MOST_UNITS,
               "one is handed on as the other");

struct estimate {
    const struct problem *rounds;
    int64_t classes;
    bool authors;
    int threads;
    int64_t *order; /* of the rounds; the first `learnt` of them are learnt from */
    int64_t learnt;
    struct problem inputs; /* those, beside the label shown; label: f */
    struct problem unit;   /* all rounds' examples, without labels; not for the authors' variant */
    int32_t *index;        /* room for one example and its label */
    double *value;
    struct mlp *mlp;
};

/* ---- what the network sees ---- */

/* Append round i, if `labelled` with the label behind its features. */
static int append(struct estimate *e, struct problem *to, int64_t i, bool labelled,
                  struct error *err)
{
    struct example x = problem_example(e->rounds, i);
    int64_t size = x.size, bias = size > 0 && x.index[size - 1] == 0, d = e->rounds->d;
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

static int prepare(struct estimate *e, int64_t seed, struct error *err)
{
    int64_t n = e->rounds->n, longest = 0;
    if (e->classes < 2 || e->rounds->d + e->classes > INT32_MAX)
        return error_set(err,
                         "%lld features and %lld classes are too many for a network, or too few",
                         (long long)e->rounds->d, (long long)e->classes);
    for (int64_t i = 0; i < n; i++)
        longest = problem_example(e->rounds, i).size > longest ? problem_example(e->rounds, i).size
                                                               : longest;
    e->order = memory_new(n, sizeof *e->order, err);
    e->index = memory_new(longest + 1, sizeof *e->index, err);
    e->value = memory_new(longest + 1, sizeof *e->value, err);
    if (!e->order || !e->index || !e->value
        || problem_reserve(&e->inputs, n, e->rounds->nnz + n, err) != 0)
        return -1;
    struct random g = random_seeded((uint64_t)seed, USE_SPLIT);
    for (int64_t i = 0; i < n; i++)
        e->order[i] = i;
    random_shuffle(&g, e->order, n);
    e->learnt = n - n / 10;
    for (int64_t i = 0; i < e->learnt; i++)
        if (append(e, &e->inputs, e->order[i], true, err) != 0)
            return -1;
    e->inputs.d =
        (int32_t)(e->rounds->d
                  + (e->authors ? 1 : e->classes)); /* also where the last label was never shown */
    if (e->authors)
        return 0;
    if (problem_reserve(&e->unit, n, e->rounds->nnz + 1, err) != 0)
        return -1;
    for (int64_t i = 0; i < n; i++)
        if (append(e, &e->unit, i, false, err) != 0)
            return -1;
    return 0;
}

static int train(struct estimate *e, const struct noise_rate_network *network, int64_t seed,
                 struct error *err)
{
    struct mlp_options options = {.layers = network->layers,
                                  .outputs = OUTPUTS,
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

struct ranked {
    double p;
    int64_t i;
};

static int ascending(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    return order_by(a->p, b->p, a->i, b->i);
}

/* Sort the n numbers p[i * step]. */
static void rank(const double *p, int64_t step, int64_t n, struct ranked *ranked)
{
    for (int64_t i = 0; i < n; i++)
        ranked[i] = (struct ranked){p[i * step], i};
    qsort(ranked, (size_t)n, sizeof *ranked, ascending);
}

/* The place of the percentile 100 (1 - part/whole) in n sorted numbers, in whole numbers, as ceil
 * of a rounded product may be one too many. */
static int64_t find_place(int64_t n, int64_t part, int64_t whole)
{
    return n - 1 - (n - 1) / whole * part - (n - 1) % whole * part / whole;
}

/* ---- Algorithm 3 ---- */

/* example[k] = x_k, of every label.  p: room, rounds x LABELS_AT_ONCE x OUTPUTS. */
static int find_examples(const struct estimate *e, double *p, struct ranked *ranked,
                         int64_t *example, struct error *err)
{
    int64_t n = e->rounds->n, K = e->classes;
    for (int64_t first = 0; first < K; first += LABELS_AT_ONCE) {
        int64_t count = K - first < LABELS_AT_ONCE ? K - first : LABELS_AT_ONCE;
        if (mlp_predict(e->mlp, &e->unit, e->rounds->d + 1 + first, count, e->threads, p, err) != 0)
            return -1;
        for (int64_t k = 0; k < count; k++) {
            rank(p + k * OUTPUTS + 1, count * OUTPUTS, n, ranked);
            example[first + k] = ranked[find_place(n, 1, 2 * K)].i;
        }
    }
    return 0;
}

/* Mean of q(x_k, k) and of q(x_k, l).  A label that was never shown is left out, as nothing is
 * known of q there.  p: room, K x OUTPUTS. */
static int find_means(const struct estimate *e, const bool *shown, const int64_t *example,
                      double *p, double rho[2], struct error *err)
{
    double right = 0, wrong = 0, count = 0;
    for (int64_t k = 0; k < e->classes; k++) {
        if (!shown[k])
            continue;
        int64_t i = example[k];
        struct problem one = problem_part(&e->unit, i, 1); /* x_k */
        if (mlp_predict(e->mlp, &one, e->rounds->d + 1, e->classes, 1, p, err) != 0)
            return -1;
        count++;
        for (int64_t l = 0; l < e->classes; l++)
            if (shown[l])
                *(l == k ? &right : &wrong) += p[l * OUTPUTS + 1];
    }
    if (count < 2)
        return 0; /* the rates cannot be told apart, and stay */
    rho[0] = wrong / (count * (count - 1));
    rho[1] = 1 - right / count;
    return 0;
}

static int estimate_all(const struct estimate *e, double rho[2], struct error *err)
{
    int64_t n = e->rounds->n, K = e->classes, room = n * (K < LABELS_AT_ONCE ? K : LABELS_AT_ONCE);
    double *p = memory_new(room > K ? room : K, OUTPUTS * sizeof *p, err);
    struct ranked *ranked = memory_new(n, sizeof *ranked, err);
    int64_t *example = memory_new(K, sizeof *example, err);
    bool *shown = memory_new(K, sizeof *shown, err);
    int status = p && ranked && example && shown ? find_examples(e, p, ranked, example, err) : -1;
    for (int64_t i = 0; i < n && status == 0; i++)
        shown[e->rounds->label[i]] = true;
    if (status == 0)
        status = find_means(e, shown, example, p, rho, err);
    memory_free(p);
    memory_free(ranked);
    memory_free(example);
    memory_free(shown);
    return status;
}

/* ---- the authors' program ---- */

static int estimate_as_authors(const struct estimate *e, double rho[2], struct error *err)
{
    int64_t n = e->inputs.n;
    double *p = memory_new(n, OUTPUTS * sizeof *p, err);
    struct ranked *ranked = memory_new(n, sizeof *ranked, err);
    int status = p && ranked ? mlp_predict(e->mlp, &e->inputs, 0, 0, e->threads, p, err) : -1;
    for (int f = 0; f < OUTPUTS && status == 0; f++) {
        rank(p + f, OUTPUTS, n, ranked);
        int64_t place = find_place(n, 11, 100), at = place;
        while (at > 0 && ranked[at].p == ranked[place].p)
            at--;
        rho[f] = p[ranked[at].i * OUTPUTS + (1 - f)]; /* rho0 = P(f = 1) where f = 0 is likely, rho1
                                                         = P(f = 0) where f = 1 is */
    }
    memory_free(p);
    memory_free(ranked);
    return status;
}

int noise_rate_mlp(const struct problem *rounds, int64_t classes, bool authors,
                   const struct noise_rate_network *network, int64_t seed, int threads,
                   double rho[2], struct error *err)
{
    struct estimate e = {
        .rounds = rounds, .classes = classes, .authors = authors, .threads = threads};
    double found[2] = {rho[0], rho[1]};
    int status = prepare(&e, seed, err);
    if (status == 0)
        status = train(&e, network, seed, err);
    if (status == 0)
        status = authors ? estimate_as_authors(&e, found, err) : estimate_all(&e, found, err);
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
