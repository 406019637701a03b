/* Forward against what its documents say: the gradient of its loss by central differences, a plain
 * loop that decays every weight in every round, and what the estimate of the confusion matrix is
 * worth on data that were drawn from the model itself.
 *
 *   loss of a round    -log sum_q C[y][q] p_q,  p = softmax(W x); two classes: p = softmax(0, w.x)
 *   scores             of the weights as the last round of each feature left them: a decay that is
 *                      due comes with the step
 *   step               s += g^2,  w -= eta g / sqrt(s),  s = delta at first
 *   penalty            w /= 1 + n lambda eta / sqrt(s) for n rounds; s is that after the step that
 *                      ends them, when there is one */
#include "check.h"
#include "common/base/memory.h"
#include "common/base/random.h"
#include "learners/forward/confusion_estimate.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FEATURES = 8, D = FEATURES + 1, CLASSES = 7, ROUNDS = 150 }; /* feature 0 is the bias */

/* ---- examples ---- */

struct sample {
    int32_t index[D];
    double value[D];
    double x[D]; /* the same, dense */
    int size, y;
};

/* A feature in two, the last in ten; the bias behind the others in half of the samples. */
static struct sample sample_make(struct random *g, int classes)
{
    struct sample sample = {.size = 0};
    for (int j = 1; j <= D; j++) {
        int feature = j < D ? j : 0;
        if (random_uniform(g) < (j == FEATURES ? 0.1 : 0.5)) {
            sample.index[sample.size] = feature;
            sample.value[sample.size] = sample.x[feature] = random_normal(g);
            sample.size++;
        }
    }
    sample.y = (int)random_below(g, classes);
    return sample;
}

static struct example sample_example(const struct sample *sample)
{
    return (struct example){.label = sample->y,
                            .line = 1,
                            .size = sample->size,
                            .index = sample->index,
                            .value = sample->value};
}

/* Columns that sum to 1, right with probability `right`, the rest by chance. */
static void matrix_make(struct random *g, int classes, double right, double *c)
{
    for (int q = 0; q < classes; q++) {
        double total = 0;
        for (int k = 0; k < classes; k++)
            total += c[k * classes + q] = k == q ? 0 : 0.05 + random_uniform(g);
        for (int k = 0; k < classes; k++)
            c[k * classes + q] = k == q ? right : c[k * classes + q] * (1 - right) / total;
    }
}

static struct labels labels_make(int64_t classes)
{
    struct labels labels = {0};
    for (int32_t k = 0; k < classes; k++)
        labels_add(&labels, k, NULL);
    return labels;
}

static struct forward *learner_make(const struct forward_options *options, int classes)
{
    struct error err = {0};
    struct labels labels = labels_make(classes);
    struct forward *f = forward_new(options, &labels, &err);
    CHECK(f && forward_grow(f, FEATURES, &err) == 0, "a learner: %s", err.message);
    labels_free(&labels);
    return f;
}

static bool learner_round(struct forward *f, const struct sample *sample)
{
    struct error err = {0};
    struct example x = sample_example(sample);
    bool learnt = forward_learn(f, &x, sample->y, 1, &err) == 0;
    CHECK(learnt, "a round: %s", err.message);
    return learnt;
}

/* w: out, zero where the learner has no row yet. */
static void learner_weights(const struct forward *f, double w[D][CLASSES])
{
    struct error err = {0};
    struct weights weights = {0};
    memset(w, 0, D * sizeof *w);
    CHECK(forward_weights(f, &weights, &err) == 0, "weights: %s", err.message);
    for (int64_t j = 0; j < weights.rows && j < D; j++)
        for (int64_t k = 0; k < weights.columns && k < CLASSES; k++)
            w[j][k] = weights.w[j * weights.stride + k];
    weights_free(&weights);
}

/* ---- the loss ---- */

static void find_probabilities(int classes, double w[D][CLASSES], const double *x, double *p)
{
    double total = 0;
    for (int k = 0; k < classes; k++) {
        double score = 0;
        for (int j = 0; j < D; j++)
            score += x[j] * (classes > 2 ? w[j][k] : k == 1 ? w[j][0] : 0);
        total += p[k] = exp(score);
    }
    for (int k = 0; k < classes; k++)
        p[k] /= total;
}

static double loss(int classes, double w[D][CLASSES], const double *c, const struct sample *sample)
{
    double p[CLASSES], q = 0;
    find_probabilities(classes, w, sample->x, p);
    for (int k = 0; k < classes; k++)
        q += c[sample->y * classes + k] * p[k];
    return -log(q);
}

/* A round moves w by m = -eta g / sqrt(s + g^2), so g^2 = m^2 s / (eta^2 - m^2); s goes on from
 * there. */
static void test_gradient(int classes)
{
    check_group("the gradient, %d classes", classes);
    struct random g = random_seeded(1, (uint64_t)classes);
    double c[CLASSES * CLASSES], before[D][CLASSES], after[D][CLASSES], s[D][CLASSES];
    matrix_make(&g, classes, 0.6, c);
    struct forward_options options = forward_usual(0, c);
    options.delta = 1;
    struct forward *f = learner_make(&options, classes);
    const int columns = classes > 2 ? classes : 1;
    for (int j = 0; j < D; j++)
        for (int k = 0; k < columns; k++)
            s[j][k] = options.delta;
    learner_weights(f, before);
    for (int i = 0; i < 40; i++) {
        struct sample sample = sample_make(&g, classes);
        learner_round(f, &sample);
        learner_weights(f, after);
        for (int j = 0; j < D; j++) {
            for (int k = 0; k < columns; k++) {
                double moved = after[j][k] - before[j][k], w = before[j][k], h = 1e-5;
                double square = moved * moved * s[j][k]
                                / (options.eta * options.eta - moved * moved);
                before[j][k] = w + h;
                double more = loss(classes, before, c, &sample);
                before[j][k] = w - h;
                double less = loss(classes, before, c, &sample);
                before[j][k] = w;
                CHECK_NEAR(moved > 0 ? -sqrt(square) : sqrt(square), (more - less) / (2 * h), 1e-7,
                           "round %d, feature %d, column %d", i, j, k);
                s[j][k] += square;
            }
        }
        memcpy(before, after, sizeof before);
    }
    CHECK_INT(forward_counts(f).updates, 40, "updates");
    forward_free(f);
}

/* ---- a plain loop ---- */

struct plain {
    const struct forward_options *options;
    int classes, columns;
    double w[D][CLASSES]; /* after the last round of its feature */
    double s[D][CLASSES];
    int64_t since[D]; /* rounds that its decay is due for */
    int64_t mistakes;
};

static void plain_make(const struct forward_options *options, int classes, struct plain *plain)
{
    *plain = (struct plain){
        .options = options, .classes = classes, .columns = classes > 2 ? classes : 1};
    for (int j = 0; j < D; j++)
        for (int k = 0; k < CLASSES; k++)
            plain->s[j][k] = options->delta;
}

static void plain_weights(const struct plain *plain, double w[D][CLASSES])
{
    const struct forward_options *o = plain->options;
    for (int j = 0; j < D; j++)
        for (int k = 0; k < CLASSES; k++)
            w[j][k] = plain->w[j][k]
                      / (1 + (double)plain->since[j] * o->lambda * o->eta / sqrt(plain->s[j][k]));
}

static void plain_learn(struct plain *plain, const struct sample *sample)
{
    const struct forward_options *o = plain->options;
    const int K = plain->classes;
    double p[CLASSES], q = 0, largest = 0;
    int best = 0;
    for (int j = 0; j < D; j++)
        plain->since[j]++;
    find_probabilities(K, plain->w, sample->x, p);
    for (int k = 0; k < K; k++) {
        q += (o->confusion ? o->confusion[sample->y * K + k] : k == sample->y) * p[k];
        if (p[k] > largest) {
            largest = p[k];
            best = k;
        }
    }
    plain->mistakes += best != sample->y;
    for (int i = 0; q > 0 && i < sample->size; i++) {
        int j = sample->index[i];
        for (int k = 0; k < plain->columns; k++) {
            int class = K > 2 ? k : 1;
            double c = o->confusion ? o->confusion[sample->y * K + class] : class == sample->y;
            double g = (p[class] - c * p[class] / q) * sample->value[i];
            plain->s[j][k] += g * g;
            plain->w[j][k] /= 1
                              + (double)plain->since[j] * o->lambda * o->eta / sqrt(plain->s[j][k]);
            plain->w[j][k] -= o->eta * g / sqrt(plain->s[j][k]);
        }
        plain->since[j] = 0;
    }
}

/* Several passes, weights compared after every round. */
static void test_plain(int classes, double lambda, bool identity)
{
    check_group("a plain loop, %d classes, lambda %g%s", classes, lambda,
                identity ? ", no matrix" : "");
    struct random g = random_seeded(2, (uint64_t)classes);
    double c[CLASSES * CLASSES], got[D][CLASSES], want[D][CLASSES];
    matrix_make(&g, classes, 0.7, c);
    if (!identity) /* class 0 is never observed as class 1 */
        c[0] += c[classes], c[classes] = 0;
    struct forward_options options = forward_usual(lambda, identity ? NULL : c);
    struct sample samples[ROUNDS];
    for (int i = 0; i < ROUNDS; i++)
        samples[i] = sample_make(&g, classes);
    struct plain plain;
    plain_make(&options, classes, &plain);
    struct forward *f = learner_make(&options, classes);
    for (int i = 0; i < 3 * ROUNDS && learner_round(f, &samples[i % ROUNDS]); i++) {
        plain_learn(&plain, &samples[i % ROUNDS]);
        learner_weights(f, got);
        plain_weights(&plain, want);
        for (int j = 0; j < D; j++)
            for (int k = 0; k < plain.columns; k++)
                CHECK_NEAR(got[j][k], want[j][k], 1e-12, "round %d, feature %d, column %d", i, j,
                           k);
        CHECK_INT(forward_counts(f).mistakes, plain.mistakes, "round %d: mistakes", i);
    }
    CHECK_INT(forward_counts(f).rounds, 3 * ROUNDS, "rounds");
    forward_free(f);
}

/* The matrix that is the identity and no matrix at all: to the last bit; and its gradient is that
 * of softmax regression, p - [y]. */
static void test_identity(int classes)
{
    check_group("the identity, %d classes", classes);
    struct random g = random_seeded(3, (uint64_t)classes);
    double c[CLASSES * CLASSES] = {0}, a[D][CLASSES], b[D][CLASSES];
    for (int k = 0; k < classes; k++)
        c[k * classes + k] = 1;
    struct forward_options with = forward_usual(1e-4, c), without = forward_usual(1e-4, NULL);
    struct forward *one = learner_make(&with, classes), *other = learner_make(&without, classes);
    for (int i = 0; i < ROUNDS; i++) {
        struct sample sample = sample_make(&g, classes);
        learner_round(one, &sample);
        learner_round(other, &sample);
    }
    learner_weights(one, a);
    learner_weights(other, b);
    CHECK(memcmp(a, b, sizeof a) == 0, "equal weights");
    forward_free(one);
    forward_free(other);
}

/* A label that no class is observed as teaches nothing, and is no reason to stop. */
static void test_impossible(int classes)
{
    check_group("a label that cannot be, %d classes", classes);
    struct random g = random_seeded(4, (uint64_t)classes);
    double c[CLASSES * CLASSES] = {0}, before[D][CLASSES], after[D][CLASSES];
    for (int q = 0; q < classes; q++)
        c[(q > 0 ? q : 1) * classes + q] = 1; /* 0 is observed as 1 */
    struct forward_options options = forward_usual(0, c);
    struct forward *f = learner_make(&options, classes);
    int possible = 0;
    for (int i = 0; i < ROUNDS; i++) {
        struct sample sample = sample_make(&g, classes);
        learner_weights(f, before);
        learner_round(f, &sample);
        learner_weights(f, after);
        if (sample.y == 0)
            CHECK(memcmp(before, after, sizeof before) == 0, "round %d changes something", i);
        possible += sample.y > 0;
    }
    for (int j = 0; j < D; j++)
        for (int k = 0; k < CLASSES; k++)
            CHECK(isfinite(after[j][k]), "weight %d of %d", k, j);
    CHECK_INT(forward_counts(f).rounds, ROUNDS, "rounds");
    CHECK_INT(forward_counts(f).updates, possible, "updates");
    forward_free(f);
}

/* ---- going on ---- */

static bool same_files(const char *a, const char *b)
{
    FILE *one = fopen(a, "r"), *other = fopen(b, "r");
    bool same = one && other;
    while (same) {
        int c = getc(one);
        same = c == getc(other);
        if (c == EOF)
            break;
    }
    if (one)
        fclose(one);
    if (other)
        fclose(other);
    return same;
}

static void test_going_on(int classes, double lambda, bool identity)
{
    check_group("going on, %d classes, lambda %g%s", classes, lambda,
                identity ? ", no matrix" : "");
    struct random g = random_seeded(5, (uint64_t)classes);
    struct error err = {0};
    double c[CLASSES * CLASSES];
    matrix_make(&g, classes, 0.7, c);
    struct forward_options options = forward_usual(lambda, identity ? NULL : c);
    struct data_form file = {.bias = 1, .unit_length = true, .seed = 3}, read;
    struct feature_map none = {.kind = FEATURE_MAP_NONE};
    char whole[] = "/tmp/test_forward.XXXXXX", part[] = "/tmp/test_forward.XXXXXX",
         rest[] = "/tmp/test_forward.XXXXXX";
    char *paths[] = {whole, part, rest};
    for (int i = 0; i < 3; i++) {
        int fd = mkstemp(paths[i]);
        CHECK(fd >= 0 && close(fd) == 0, "a file");
    }
    struct sample samples[ROUNDS];
    struct forward *all = learner_make(&options, classes);
    for (int i = 0; i < ROUNDS; i++) {
        samples[i] = sample_make(&g, classes);
        learner_round(all, &samples[i]);
    }
    CHECK(forward_save(all, &file, whole, 1, &err) == 0, "saving: %s", err.message);
    for (int cut = 0; cut <= ROUNDS; cut += ROUNDS / 3) {
        struct forward *f = learner_make(&options, classes);
        for (int i = 0; i < cut; i++)
            learner_round(f, &samples[i]);
        CHECK(forward_save(f, &file, part, 1, &err) == 0, "saving: %s", err.message);
        forward_free(f);
        f = forward_load_file(part, 1, &read, &none, &err);
        CHECK(f, "loading: %s", err.message);
        if (!f)
            break;
        CHECK(read.bias == 1 && read.unit_length && !read.zero_based && read.seed == 3,
              "what stands beside the learner");
        for (int i = cut; i < ROUNDS; i++)
            learner_round(f, &samples[i]);
        CHECK(forward_save(f, &read, rest, 1, &err) == 0, "saving: %s", err.message);
        CHECK(same_files(whole, rest), "cut after %d rounds: another model", cut);
        const struct forward_options *got = forward_get_options(f);
        CHECK(got->lambda == lambda && got->eta == options.eta && got->delta == options.delta,
              "options");
        forward_free(f);
    }
    forward_free(all);
    for (int i = 0; i < 3; i++)
        unlink(paths[i]);
}

/* ---- the estimate ---- */

struct drawn {
    struct problem problem;
    int32_t *y, *truth;
    struct labels labels;
};

/* x normal with a bias, the true class by softmax of W x, the label by c.  What the learner sees is
 * a third of x, of length 1 or so. */
static void drawn_make(uint64_t seed, int n, int classes, double scale, const double *c,
                       struct drawn *drawn)
{
    struct random weights = random_seeded(9, (uint64_t)classes), g = random_seeded(seed, 7);
    double w[D][CLASSES];
    for (int j = 0; j < D; j++)
        for (int k = 0; k < classes; k++)
            w[j][k] = scale * random_normal(&weights) * (j > 0);
    if (classes == 2)
        for (int j = 0; j < D; j++)
            w[j][0] = w[j][1] - w[j][0];
    *drawn = (struct drawn){.labels = labels_make(classes)};
    drawn->y = calloc((size_t)n, sizeof *drawn->y);
    drawn->truth = calloc((size_t)n, sizeof *drawn->truth);
    for (int i = 0; i < n; i++) {
        double x[D], p[CLASSES], u;
        int32_t index[D];
        for (int j = 1; j < D; j++) {
            index[j - 1] = j;
            x[j] = random_normal(&g);
        }
        index[D - 1] = 0;
        x[0] = 1;
        find_probabilities(classes, w, x, p);
        int q = 0, k = 0;
        for (u = random_uniform(&g); q < classes - 1 && u >= p[q]; q++)
            u -= p[q];
        for (u = random_uniform(&g); k < classes - 1 && u >= c[k * classes + q]; k++)
            u -= c[k * classes + q];
        drawn->truth[i] = q;
        drawn->y[i] = k;
        double value[D];
        for (int j = 0; j < D; j++)
            value[j] = x[(j + 1) % D] / 3;
        struct example example = {
            .label = k, .line = i + 1, .size = D, .index = index, .value = value};
        CHECK(problem_append_example(&drawn->problem, &example, NULL) == 0, "memory");
    }
}

static void drawn_free(struct drawn *drawn)
{
    problem_free(&drawn->problem);
    labels_free(&drawn->labels);
    free(drawn->y);
    free(drawn->truth);
}

/* Half the sum of |difference| in a column, mean over columns. */
static double matrix_distance(int classes, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < classes * classes; i++)
        sum += fabs(a[i] - b[i]);
    return sum / 2 / classes;
}

/* What must hold of every estimate. */
static void check_estimate(const struct drawn *drawn, const struct estimate *e)
{
    const int64_t n = e->n, K = e->classes;
    double likelihood = 0, shares = 0;
    CHECK_INT(n, drawn->problem.n, "examples");
    CHECK_INT(K, drawn->labels.count, "classes");
    for (int64_t i = 0; i < n; i++) {
        double total = 0, q = 0;
        for (int64_t k = 0; k < K; k++) {
            CHECK(e->p[i * K + k] >= 0, "p of example %d", (int)i);
            total += e->p[i * K + k];
            q += e->c[drawn->y[i] * K + k] * e->p[i * K + k];
        }
        CHECK_NEAR(total, 1, 1e-12, "the probabilities of example %d", (int)i);
        likelihood += log(q);
    }
    CHECK_NEAR(e->likelihood, likelihood / (double)n, 1e-10, "likelihood");
    for (int64_t q = 0; q < K; q++) {
        double total = 0;
        for (int64_t k = 0; k < K; k++) {
            CHECK(e->c[k * K + q] >= 0, "an entry of column %d", (int)q);
            total += e->c[k * K + q];
        }
        CHECK_NEAR(total, 1, 1e-12, "column %d", (int)q);
        shares += e->share[q];
        CHECK(e->deviation[q] > 0 && isfinite(e->deviation[q]), "deviation %g", e->deviation[q]);
    }
    CHECK_NEAR(shares, 1, 1e-9, "the shares");
    CHECK(e->temperature > 0 && e->lambda >= 0 && e->gamma == 0,
          "temperature %g, lambda %g, gamma %g", e->temperature, e->lambda, e->gamma);
}

static const double three[] = {0.75, 0.1, 0.2, 0.2, 0.85, 0.05, 0.05, 0.05, 0.75},
                    two[] = {0.8, 0.3, 0.2, 0.7};

/* As many fits as were announced at most, or fewer. */
static void check_progress(const struct progress *progress)
{
    CHECK(progress->steps > 0 && progress->steps <= progress->most, "%lld fits of at most %lld",
          (long long)progress->steps, (long long)progress->most);
}

static bool find_estimate(const struct drawn *drawn, const double *c, double lambda, int threads,
                          struct estimate *e)
{
    struct error err = {0};
    struct progress progress = {0};
    struct estimate_options options = {
        .fit = {.lambda = lambda, .seed = 1, .threads = threads, .progress = &progress}};
    *e = (struct estimate){0};
    bool found = estimate_noise(&drawn->problem, drawn->y, &drawn->labels, c, &options, e, &err)
                 == 0;
    CHECK(found, "an estimate: %s", err.message);
    check_progress(&progress);
    return found;
}

/* The matrix is found the better the more examples there are, and is good in itself; noise rates
 * lie within their deviations about as often as they should, with two classes less often, as a
 * deviation takes the other column for known. */
static void test_consistency(int classes, const double *c)
{
    static const int n[] = {1000, 4000, 16000}, seeds[] = {6, 6, 1};
    double error[3] = {0};
    int within[3] = {0}, rates = 0;
    check_group("more examples, a better matrix, %d classes", classes);
    for (int size = 0; size < 3; size++) {
        for (uint64_t seed = 1; seed <= (uint64_t)seeds[size]; seed++) {
            struct drawn drawn;
            struct estimate e;
            drawn_make(seed, n[size], classes, 1.5, c, &drawn);
            if (find_estimate(&drawn, NULL, 1e-5, 1, &e)) {
                if (seed == 1)
                    check_estimate(&drawn, &e);
                error[size] += matrix_distance(classes, e.c, c) / seeds[size];
                for (int q = 0; size < 2 && q < classes; q++) {
                    double off = fabs(e.c[q * classes + q] - c[q * classes + q]) / e.deviation[q];
                    rates++;
                    for (int wide = 0; wide < 3; wide++)
                        within[wide] += off <= wide + 1;
                    CHECK(!e.doubtful[q], "class %d is told apart", q);
                }
            }
            estimate_free(&e);
            drawn_free(&drawn);
        }
    }
    CHECK(error[2] < error[0] / 2, "error %g with 1000, %g with 16000", error[0], error[2]);
    CHECK(error[1] < error[0] && error[2] < error[1], "errors %g, %g, %g", error[0], error[1],
          error[2]);
    CHECK(error[0] < 0.1 && error[2] < 0.02, "errors %g, %g, %g", error[0], error[1], error[2]);
    CHECK(within[0] > 0.4 * rates && within[0] < 0.95 * rates, "within one deviation: %d of %d",
          within[0], rates);
    CHECK(within[1] > 0.7 * rates && within[2] > 0.8 * rates,
          "within two: %d, within three: %d of %d", within[1], within[2], rates);
}

/* Two of four classes have another one's label about as often as their own.  In seed 3 the climbs
 * from the confident joint and from even noise both miss the matrix. */
static void test_hard(void)
{
    static const double chain[] = {0.5, 0.35, 0,   0.02, 0.1, 0.5,  0,   0.48,
                                   0.4, 0.13, 0.5, 0,    0,   0.02, 0.5, 0.5};
    check_group("labels as often another class's as their own");
    for (uint64_t seed = 2; seed <= 4; seed++) {
        struct drawn drawn;
        struct estimate e;
        drawn_make(seed, 6000, 4, 4, chain, &drawn);
        if (find_estimate(&drawn, NULL, -1, 1, &e)) {
            double error = matrix_distance(4, e.c, chain);
            CHECK(error < 0.1, "seed %d: error %g", (int)seed, error);
            CHECK(e.doubtful[2] || e.doubtful[3], "the classes 2 and 3 are told apart by nothing");
            CHECK((seed == 3) == (e.disagreement > 0.1), "the starting points disagree about %g",
                  e.disagreement);
        }
        estimate_free(&e);
        drawn_free(&drawn);
    }
}

/* Of drawn data with a known matrix: the probabilities are those of the true classes. */
static void test_known(int classes, const double *c)
{
    check_group("a known matrix, %d classes", classes);
    struct drawn drawn;
    struct estimate e;
    drawn_make(11, 6000, classes, 1.5, c, &drawn);
    if (find_estimate(&drawn, c, -1, 2, &e)) {
        check_estimate(&drawn, &e);
        CHECK(memcmp(e.c, c, (size_t)(classes * classes) * sizeof *c) == 0, "the matrix is kept");
        /* In ten parts by p of each class: as many are of it as p says. */
        for (int q = 0; q < classes; q++) {
            double expected[10] = {0}, found[10] = {0}, count[10] = {0};
            for (int64_t i = 0; i < e.n; i++) {
                double p = e.p[i * classes + q];
                int part = p < 1 ? (int)(10 * p) : 9;
                expected[part] += p;
                found[part] += drawn.truth[i] == q;
                count[part]++;
            }
            for (int part = 0; part < 10; part++)
                CHECK(fabs(found[part] - expected[part])
                          < 4 * sqrt(count[part]) * 0.5 + 0.04 * count[part],
                      "class %d, part %d: %g of %g, expected %g", q, part, found[part], count[part],
                      expected[part]);
        }
    }
    estimate_free(&e);
    drawn_free(&drawn);
}

/* What was drawn, and twenty features of each example that say nothing of its class and that few
 * others have: learnt by heart at the minimum. */
static void drawn_widen(struct drawn *drawn)
{
    enum { NOISE = 20, EACH = 200 };
    struct random g = random_seeded(10, 3);
    struct problem wide = {.n = 0};
    for (int64_t i = 0; i < drawn->problem.n; i++) {
        struct example narrow = problem_example(&drawn->problem, i);
        int32_t index[D + NOISE];
        double value[D + NOISE];
        memcpy(index, narrow.index, D * sizeof *index);
        memcpy(value, narrow.value, D * sizeof *value);
        for (int e = 0; e < NOISE; e++) {
            index[D + e] = D + EACH * e + (int32_t)random_below(&g, EACH);
            value[D + e] = random_normal(&g) / 3;
        }
        struct example example = {.label = narrow.label,
                                  .line = narrow.line,
                                  .size = D + NOISE,
                                  .index = index,
                                  .value = value};
        CHECK(problem_append_example(&wide, &example, NULL) == 0, "memory");
    }
    problem_free(&drawn->problem);
    drawn->problem = wide;
}

static bool find_probabilities_by(const struct drawn *drawn, const double *c, double lambda,
                                  int64_t steps, int threads, struct estimate *e)
{
    struct error err = {0};
    struct progress progress = {0};
    struct estimate_options options = {.fit = {.lambda = lambda,
                                               .steps = steps,
                                               .seed = 1,
                                               .threads = threads,
                                               .progress = &progress}};
    *e = (struct estimate){0};
    bool found = estimate_noise(&drawn->problem, drawn->y, &drawn->labels, c, &options, e, &err)
                 == 0;
    CHECK(found, "probabilities: %s", err.message);
    check_progress(&progress);
    return found;
}

/* With many features the number of steps that is chosen is that of the largest likelihood, whoever
 * makes the steps; and what was chosen gives the same when it is asked for. */
static void test_early(int classes, const double *c)
{
    check_group("stopping early, %d classes", classes);
    struct drawn drawn;
    struct estimate e, other;
    drawn_make(13, 1100, classes, 3, c, &drawn);
    for (int i = 1024; i < 1100; i++) /* the likelihood is summed in blocks of 1024: the last alone
                                         would choose otherwise */
        drawn.y[i] = (drawn.y[i] + 1) % classes;
    if (find_probabilities_by(&drawn, c, 1e-7, -1, 1, &e))
        CHECK_INT(e.steps, 0, "steps where features are few");
    estimate_free(&e);
    drawn_widen(&drawn);
    const size_t bytes = (size_t)(drawn.problem.n * classes) * sizeof(double);
    double best = -INFINITY;
    for (int steps = 1; steps <= 20; steps++) {
        if (find_probabilities_by(&drawn, c, 1e-7, steps, 2, &other)) {
            CHECK_INT(other.steps, steps, "steps that were asked for");
            best = other.likelihood > best ? other.likelihood : best;
        }
        estimate_free(&other);
    }
    for (int chosen = 0; chosen < 2; chosen++) {
        if (!find_probabilities_by(&drawn, c, chosen ? -1 : 1e-7, -1, 1, &e))
            break;
        check_estimate(&drawn, &e);
        /* Many examples are judged by one fold, which need not prefer what all three do. */
        CHECK(e.steps > 0 && e.likelihood > best - 3e-3,
              "%d steps, lambda %g: %g, where %g is the best", (int)e.steps, e.lambda, e.likelihood,
              best);
        for (int threads = 2; threads <= 5; threads += 3) {
            if (find_probabilities_by(&drawn, c, e.lambda, e.steps, threads, &other))
                CHECK(memcmp(e.p, other.p, bytes) == 0 && e.likelihood == other.likelihood,
                      "asked for what was chosen, %d threads", threads);
            estimate_free(&other);
            if (find_probabilities_by(&drawn, c, chosen ? -1 : 1e-7, -1, threads, &other))
                CHECK(memcmp(e.p, other.p, bytes) == 0 && e.steps == other.steps
                          && e.lambda == other.lambda,
                      "%d threads choose otherwise", threads);
            estimate_free(&other);
        }
        estimate_free(&e);
    }
    if (find_probabilities_by(&drawn, c, 1e-7, 0, 1, &e))
        CHECK(e.steps == 0 && e.likelihood < best - 0.01, "at the minimum %g, where %g is the best",
              e.likelihood, best);
    estimate_free(&e);
    drawn_free(&drawn);
}

static void test_posterior(void)
{
    check_group("the posterior");
    struct random g = random_seeded(6, 1);
    for (int classes = 2; classes <= CLASSES; classes++) {
        double c[CLASSES * CLASSES], p[CLASSES], r[CLASSES], total = 0;
        matrix_make(&g, classes, 0.6, c);
        for (int q = 0; q < classes; q++)
            total += p[q] = random_uniform(&g);
        for (int q = 0; q < classes; q++)
            p[q] /= total;
        for (int32_t y = 0; y < classes; y++) {
            double sum = 0;
            for (int q = 0; q < classes; q++)
                sum += c[y * classes + q] * p[q];
            em_posterior(c, classes, p, y, r);
            for (int q = 0; q < classes; q++)
                CHECK_NEAR(r[q], c[y * classes + q] * p[q] / sum, 1e-14,
                           "%d classes, label %d, class %d", classes, (int)y, q);
        }
    }
}

static void test_threads(void)
{
    check_group("threads");
    struct drawn drawn;
    struct estimate one, more;
    drawn_make(12, 700, 3, 1.5, three, &drawn);
    if (find_estimate(&drawn, NULL, -1, 1, &one)) {
        for (int threads = 2; threads <= 5; threads += 3) {
            if (find_estimate(&drawn, NULL, -1, threads, &more)) {
                CHECK(memcmp(one.p, more.p, (size_t)(one.n * 3) * sizeof *one.p) == 0
                          && memcmp(one.c, more.c, sizeof three) == 0,
                      "%d threads: other numbers", threads);
                CHECK(one.lambda == more.lambda && one.temperature == more.temperature
                          && one.likelihood == more.likelihood,
                      "%d threads: other choices", threads);
                CHECK(memcmp(one.deviation, more.deviation, 3 * sizeof *one.deviation) == 0,
                      "%d threads: other deviations", threads);
            }
            estimate_free(&more);
        }
    }
    estimate_free(&one);
    drawn_free(&drawn);
}

/* The estimate of its memory follows what is asked for: features, classes, threads. */
static void test_bytes(void)
{
    check_group("bytes of an estimate");
    const struct problem problem = {.n = 1000, .d = 50, .nnz = 20000};
    struct estimate_options options = {.fit = {.threads = 1}};
    const double least = estimate_noise_bytes(&options, &problem, 3, false),
                 classes = estimate_noise_bytes(&options, &problem, 4, false);
    CHECK(least > 8 * 3 * 1000 && isfinite(least), "%g bytes", least);
    CHECK(classes > least, "more for more classes");
    options.features = 1;
    const double one = estimate_noise_bytes(&options, &problem, 3, false);
    CHECK(one > least, "more for a feature");
    options.features = 300;
    CHECK(estimate_noise_bytes(&options, &problem, 3, false) > one + 2 * 8 * 299 * 1000,
          "more for more features");
}

int main(void)
{
    test_bytes();
    static const int classes[] = {2, 3, 7};
    for (int i = 0; i < 3; i++) {
        test_gradient(classes[i]);
        test_plain(classes[i], 0, true);
        test_plain(classes[i], 0, false);
        test_plain(classes[i], 1e-5, false);
        test_plain(classes[i], 1e-2, false);
        test_plain(classes[i], 1e-2, true);
        test_identity(classes[i]);
        test_impossible(classes[i]);
        test_going_on(classes[i], 0, false);
        test_going_on(classes[i], 1e-3, false);
        test_going_on(classes[i], 1e-3, true);
    }
    test_posterior();
    test_threads();
    test_early(2, two);
    test_early(3, three);
    test_hard();
    test_known(2, two);
    test_known(3, three);
    test_consistency(2, two);
    test_consistency(3, three);
    return check_finish();
}
