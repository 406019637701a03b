/* Forward's rounds against what its documents say: the gradient of its loss by central differences,
 * a plain loop that decays every weight in every round, no matrix and the identity, and labels that
 * cannot be.
 *
 *   loss of a round    -log sum_q C[y][q] p_q,  p = softmax(W x); two classes: p = softmax(0, w.x)
 *   scores             of the weights as the last round of each feature left them: a decay that is
 *                      due comes with the step
 *   step               s += g^2,  w -= eta g / sqrt(s),  s = delta at first
 *   penalty            w /= 1 + n lambda eta / sqrt(s) for n rounds; s is that after the step that
 *                      ends them, when there is one */
#include "check.h"
#include "forward_samples.h"
#include "learners/forward/forward.h"

/* ---- the loss ---- */

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

int main(void)
{
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
    }
    return check_finish();
}
