/* The estimates of noise rates (learners/bandit/noise_rate.h) against the same by plain loops, on
 * few rounds: what is counted, to the last answer; how close to the true rates the estimates come
 * is test_noise_rate's.  Examples are drawn from a handful, so that there are ties. */
#include "bandit_plain.h"
#include "check.h"
#include "common/base/memory.h"
#include "common/base/random.h"
#include "learners/bandit/bandit_rule.h"
#include "learners/bandit/noise_rate.h"
#include "learners/mlp/mlp.h"

#include <stdlib.h>
#include <string.h>

enum { FEATURES = 4, WIDTH = FEATURES + 1, MOST_CLASSES = 18, MOST = 240, KINDS = 7 };

/* n rounds of the examples below; a bias entry stands last or alone, and one of the examples is
 * empty.  Answers are random. */
static void draw_rounds(struct problem *rounds, uint64_t seed, int64_t n, int64_t K, bool empty)
{
    static const int32_t index[KINDS][3] = {{1, 2, 0}, {2, 4}, {1, 3, 0}, {3}, {1, 2, 4}, {0}, {0}};
    static const double value[KINDS][3] = {
        {0.5, -1, 0.7}, {1.5, 0.3}, {-0.8, 0.4, 0.7}, {-2}, {0.2, 0.9, 0.1}, {0.6}, {0}};
    static const int64_t size[KINDS] = {3, 2, 3, 1, 3, 1, 0};
    struct random g = random_seeded(seed, 2024);
    *rounds = (struct problem){.log = true};
    for (int64_t i = 0; i < n; i++) {
        int64_t kind = empty && random_below(&g, 4) > 0 ? KINDS - 1 : random_below(&g, KINDS),
                shown = random_below(&g, 2) ? kind % K : random_below(&g, K);
        struct example x = {.label = shown,
                            .line = i + 1,
                            .size = size[kind],
                            .index = index[kind],
                            .value = value[kind],
                            .feedback = {random_uniform(&g) < (shown == kind % K ? 0.8 : 0.3), 1}};
        CHECK(problem_append_example(rounds, &x, NULL) == 0, "memory");
    }
}

/* As the estimate ends: none below 0, their sum at most 0.9. */
static void clip(double rho[2])
{
    for (int i = 0; i < 2; i++)
        rho[i] = fmax(rho[i], 0);
    double sum = rho[0] + rho[1], factor = sum > 0.9 ? 0.9 / sum : 1;
    rho[0] *= factor;
    rho[1] *= factor;
}

/* ---- margin ---- */

struct judged {
    double lead;
    int64_t round;
    bool same;
};

/* NSM's average of three epochs over one half of the rounds, shuffled, judges the other: those of
 * large lead are added to counts. */
static void judge_half(const struct problem *rounds, int64_t K, uint64_t seed, const double rho[2],
                       int64_t half, double counts[2][2])
{
    const struct bandit_options options = {
        .rule = &bandit_nsm_rule, .rho = {rho[0], rho[1]}, .eta = 0.5, .prior = 1, .average = true};
    struct random g = random_seeded(seed, (uint64_t)half + 1), split = random_seeded(seed, 3);
    int64_t shuffled[MOST], order[MOST], learnt = 0, count = 0;
    struct judged judged[MOST];
    double w[MOST_CLASSES * WIDTH];
    struct bandit_plain plain;
    bool good = bandit_plain_new(&options, K, FEATURES, &plain, NULL) == 0;
    CHECK(good, "memory");
    if (!good)
        return;
    for (int64_t i = 0; i < rounds->n; i++)
        shuffled[i] = i;
    random_shuffle(&split, shuffled, rounds->n);
    for (int64_t place = 0; place < rounds->n; place++)
        if ((place < (rounds->n + 1) / 2) == (half == 0))
            order[learnt++] = shuffled[place];
    for (int epoch = 0; epoch < 3; epoch++) {
        random_shuffle(&g, order, learnt);
        for (int64_t i = 0; i < learnt; i++) {
            struct example x = problem_example(rounds, order[i]);
            bandit_plain_learn(&plain, &x, x.label, 1, x.feedback.f);
        }
    }
    bandit_plain_average(&plain, w);
    for (int64_t place = 0; place < rounds->n; place++) {
        if ((place < (rounds->n + 1) / 2) == (half == 0))
            continue;
        const int64_t i = shuffled[place];
        struct example x = problem_example(rounds, i);
        double score[MOST_CLASSES] = {0}, second = -HUGE_VAL;
        int64_t best = 0;
        for (int64_t k = 0; k < K; k++) {
            for (int64_t e = 0; e < x.size; e++)
                score[k] += w[k * WIDTH + x.index[e]] * x.value[e];
            best = score[k] > score[best] ? k : best;
        }
        for (int64_t k = 0; k < K; k++)
            second = k != best ? fmax(second, score[k]) : second;
        struct judged next = {score[best] - second, i, best == x.label};
        int64_t at = count++;
        for (; at > 0
               && (judged[at - 1].lead < next.lead /* of equals the earlier round is first */
                   || (judged[at - 1].lead <= next.lead && judged[at - 1].round > i));
             at--)
            judged[at] = judged[at - 1];
        judged[at] = next;
    }
    for (int64_t i = 0; i < count / 2; i++)
        if (!judged[i].same || i < count / 4)
            counts[judged[i].same][rounds->feedback[judged[i].round].f]++;
    bandit_plain_free(&plain);
}

static void check_margin(int64_t n, int64_t K, bool empty, struct noise_rates before, bool known)
{
    struct problem rounds;
    struct noise_rates got = before, want = before;
    struct error err = {.line = 0};
    double rho[2];
    const uint64_t seed = (uint64_t)(n + K);
    draw_rounds(&rounds, seed, n, K, empty);
    CHECK(noise_rate_estimate(NOISE_RATE_MARGIN, &rounds, K, NULL, (int64_t)seed, 1, &got, &err)
              == 0,
          "%s", err.message);
    for (int i = 0; i < 2; i++)
        rho[i] = known ? fmax(before.rho[i], 0.02) : 0.3;
    for (int cell = 0; cell < 4; cell++)
        want.count[cell / 2][cell % 2] /= 2;
    for (int64_t half = 0; half < 2; half++)
        judge_half(&rounds, K, seed, rho, half, want.count);
    for (int i = 0; i < 2; i++)
        if (want.count[i][0] + want.count[i][1] > 0)
            want.rho[i] = want.count[i][1 - i] / (want.count[i][0] + want.count[i][1]);
    clip(want.rho);
    for (int i = 0; i < 2; i++) {
        for (int f = 0; f < 2; f++)
            CHECK(fabs(got.count[i][f] - want.count[i][f]) <= 0,
                  "%d rounds, %d classes: %g answers of kind %d %d, want %g", (int)n, (int)K,
                  got.count[i][f], i, f, want.count[i][f]);
        CHECK_NEAR(got.rho[i], want.rho[i], 1e-15, "%d rounds, %d classes: rho%d", (int)n, (int)K,
                   i);
    }
    problem_free(&rounds);
}

static void check_margins(void)
{
    const struct noise_rates none = {.rho = {0, 0}},
                             low = {.rho = {0.001, 0.25}, .count = {{3, 1}, {0, 5}}},
                             high = {.rho = {0.4, 0.02}, .count = {{0, 1}, {2, 7}}};
    for (int64_t K = 2; K <= 5; K += K == 2 ? 1 : 2) {
        check_group("noise rates by margin and by plain loops, %d classes", (int)K);
        for (int64_t n = NOISE_RATE_FEWEST; n < NOISE_RATE_FEWEST + 28; n++) {
            check_margin(n, K, false, none, false);
            check_margin(n, K, n % 2, n % 3 ? low : high, true);
        }
        for (int cell = 0; cell < 4; cell++) { /* whatever was counted, something is known */
            struct noise_rates one = {.rho = {0.1, 0.05}};
            one.count[cell / 2][cell % 2] = 1;
            check_margin(45, K, false, one, true);
        }
    }
}

/* Where every round shows the best label, nothing is known of feedback to others: rho0 stays; and
 * the network cannot tell the rates apart: both stay. */
static void check_one_label(void)
{
    struct problem rounds = {.log = true};
    struct noise_rates rates = {.rho = {0.1, 0.3}};
    struct error err = {.line = 0};
    check_group("noise rates by margin of one label, which is always right");
    for (int64_t i = 0; i < NOISE_RATE_FEWEST; i++)
        CHECK_INT(problem_append_example(&rounds,
                                         &(struct example){.size = 1,
                                                           .index = (const int32_t[]){1},
                                                           .value = (const double[]){1},
                                                           .feedback = {1, 1}},
                                         NULL),
                  0, "memory");
    CHECK(noise_rate_estimate(NOISE_RATE_MARGIN, &rounds, 2, NULL, 1, 1, &rates, &err) == 0, "%s",
          err.message);
    CHECK_NEAR(rates.rho[0], 0.1, 0, "rho0");
    CHECK_NEAR(rates.rho[1], 0, 0, "rho1");
    CHECK_NEAR(rates.count[0][0] + rates.count[0][1], 0, 0, "feedback to others");

    check_group("noise rates by a network of one label");
    const struct noise_rate_network network = {.layers = 1, .hidden = {2}, .epochs = 1};
    rates = (struct noise_rates){.rho = {0.1, 0.3}};
    CHECK_INT(noise_rate_estimate(NOISE_RATE_MLP, &rounds, 2, &network, 1, 1, &rates, &err), 0,
              "%s", err.message);
    CHECK_NEAR(rates.rho[0], 0.1, 0, "rho0");
    CHECK_NEAR(rates.rho[1], 0.3, 0, "rho1");
    rounds.label[0] = 1; /* another label, shown once, is enough for an estimate */
    CHECK_INT(noise_rate_estimate(NOISE_RATE_MLP, &rounds, 2, &network, 1, 1, &rates, &err), 0,
              "%s", err.message);
    CHECK(fabs(rates.rho[0] - 0.1) > 1e-6 && fabs(rates.rho[1] - 0.3) > 1e-6,
          "two labels: rho0 %g, rho1 %g", rates.rho[0], rates.rho[1]);
    problem_free(&rounds);
}

/* ---- a network ---- */

/* Round i as the network sees it, with label k: 0 .. K-1 one-hot behind the features, or one
 * number; bias last. */
static void append_input(struct problem *to, const struct problem *rounds, int64_t i, int64_t k,
                         bool authors)
{
    struct example x = problem_example(rounds, i);
    int32_t index[FEATURES + 2];
    double value[FEATURES + 2];
    int64_t size = 0;
    for (int64_t e = 0; e < x.size; e++)
        if (x.index[e] > 0) {
            index[size] = x.index[e];
            value[size++] = x.value[e];
        }
    index[size] = (int32_t)(rounds->d + 1 + (authors ? 0 : k));
    value[size++] = authors ? (double)k : 1;
    if (x.size > 0 && x.index[x.size - 1] == 0) {
        index[size] = 0;
        value[size++] = x.value[x.size - 1];
    }
    CHECK(
        problem_append_example(
            to,
            &(struct example){.label = x.feedback.f, .size = size, .index = index, .value = value},
            NULL)
            == 0,
        "memory");
}

static int ascending(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* P(f) of all n inputs; sorted: out, in ascending order. */
static void sort_probabilities(const double *p, int64_t n, int f, double *sorted)
{
    for (int64_t i = 0; i < n; i++)
        sorted[i] = p[2 * i + f];
    qsort(sorted, (size_t)n, sizeof *sorted, ascending);
}

/* The rates that the network says, in the authors' way: at the largest number below the
 * percentile. */
static void read_authors(const double *p, int64_t n, double rho[2])
{
    double sorted[MOST];
    for (int f = 0; f < 2; f++) {
        sort_probabilities(p, n, f, sorted);
        int64_t at = (int64_t)ceil((double)(89 * (n - 1)) / 100);
        double found = sorted[at];
        while (at > 0 && sorted[at] >= found)
            at--;
        for (int64_t i = n - 1; i >= 0; i--)
            if (!(p[2 * i + f] < sorted[at]) && !(p[2 * i + f] > sorted[at]))
                rho[f] = p[2 * i + 1 - f];
    }
}

/* How many of n probabilities of f = 1 stand before the i-th in ascending order, of equals the
 * earlier. */
static int64_t count_below(const double *p, int64_t n, int64_t i)
{
    int64_t count = 0;
    for (int64_t j = 0; j < n; j++)
        count += p[2 * j + 1] < p[2 * i + 1] || (j < i && !(p[2 * j + 1] > p[2 * i + 1]));
    return count;
}

/* And by eq. (6).  p: of round i with label k behind it, at (k n + i) 2. */
static void read_all(const double *p, const struct problem *rounds, int64_t K, double rho[2])
{
    double right = 0, wrong = 0, labels = 0;
    int64_t n = rounds->n;
    bool shown[MOST_CLASSES] = {false};
    for (int64_t i = 0; i < n; i++)
        shown[rounds->label[i]] = true;
    for (int64_t k = 0; k < K; k++) {
        int64_t i = 0;
        if (!shown[k])
            continue;
        labels++;
        while (count_below(p + 2 * k * n, n, i) != n - 1 - (n - 1) / (2 * K))
            i++;
        for (int64_t l = 0; l < K; l++)
            if (shown[l])
                *(l == k ? &right : &wrong) += p[2 * (l * n + i) + 1];
    }
    if (labels < 2)
        return;
    rho[0] = wrong / (labels * (labels - 1));
    rho[1] = 1 - right / labels;
}

/* distinct: no two examples are alike, so that each probability has its place. */
static void check_network(int64_t n, int64_t K, int64_t classes, bool authors, double dropout,
                          bool distinct)
{
    static double p[2 * MOST * MOST_CLASSES];
    const struct noise_rate_network network = {
        .layers = 2, .hidden = {5, 3}, .dropout = dropout, .epochs = 3};
    const struct mlp_options options = {.layers = 2,
                                        .hidden = {5, 3},
                                        .outputs = 2,
                                        .dropout = dropout,
                                        .rate = 0.01,
                                        .delta = 1e-6,
                                        .batch = 128,
                                        .epochs = 3,
                                        .validation = 0.1,
                                        .seed = 9};
    struct problem rounds, inputs = {0}, all = {0};
    struct noise_rates got = {.rho = {0.125, 0.25}};
    struct error err = {.line = 0};
    struct mlp *mlp = NULL;
    struct random g = random_seeded(9, 0x3178);
    double want[2] = {0.125, 0.25};
    int64_t order[MOST];
    draw_rounds(&rounds, (uint64_t)n, n, K, false);
    for (int64_t e = 0; distinct && e < rounds.nnz; e++)
        rounds.value[e] *= 1 + 1e-3 * (double)e;
    CHECK(noise_rate_estimate(authors ? NOISE_RATE_MLP_AUTHORS : NOISE_RATE_MLP, &rounds, classes,
                              &network, 9, 1, &got, &err)
              == 0,
          "%s", err.message);
    for (int64_t i = 0; i < n; i++)
        order[i] = i;
    random_shuffle(&g, order, n);
    for (int64_t i = 0; i < n - n / 10; i++)
        append_input(&inputs, &rounds, order[i], rounds.label[order[i]], authors);
    inputs.d = (int32_t)(rounds.d + (authors ? 1 : classes));
    for (int64_t k = 0; k < classes && !authors; k++)
        for (int64_t i = 0; i < n; i++)
            append_input(&all, &rounds, i, k, false);
    bool good = mlp_train(&inputs, &options, 1, &mlp, &err) == 0
                && mlp_predict(mlp, authors ? &inputs : &all, 0, 0, 1, p, &err) == 0;
    CHECK(good, "%s", err.message);
    if (good && authors)
        read_authors(p, inputs.n, want);
    else if (good)
        read_all(p, &rounds, classes, want);
    clip(want);
    for (int i = 0; i < 2; i++)
        CHECK_NEAR(got.rho[i], want[i], 1e-13, "%d rounds, %d classes of which %d are shown: rho%d",
                   (int)n, (int)classes, (int)K, i);
    mlp_free(mlp);
    problem_free(&all);
    problem_free(&inputs);
    problem_free(&rounds);
}

static void check_networks(void)
{
    for (int kind = 0; kind < 4; kind++) {
        const bool authors = kind % 2, distinct = kind / 2;
        check_group("noise rates by a network and by plain loops, %s, %s",
                    authors ? "the authors' way" : "eq. (6)",
                    distinct ? "distinct examples" : "equal ones");
        for (int64_t n = NOISE_RATE_FEWEST; n < 38; n += 1 + authors)
            check_network(n, n % 2 ? 2 : 3, n % 4 < 2 ? 3 : 5, authors, 0, distinct);
        check_network(MOST, 3, 3, authors, 0.2, distinct);
        check_network(MOST - 11, 3, MOST_CLASSES, authors, 0, distinct);
        check_network(101, 16, 16, authors, 0, distinct);
        check_network(150, 17, 17, authors, 0, distinct);
    }
}

/* ---- limits ---- */

static void check_limits(void)
{
    struct problem rounds;
    struct noise_rates rates = {.rho = {0.5, 0.25}};
    struct error err = {.line = 0};
    const struct noise_rate_network network = {.layers = 1, .hidden = {2}, .epochs = 1};
    check_group("noise rates: limits");
    draw_rounds(&rounds, 1, NOISE_RATE_FEWEST - 1, 3, false);
    CHECK(noise_rate_estimate(NOISE_RATE_MARGIN, &rounds, 3, NULL, 1, 1, &rates, &err) == -1,
          "too few rounds");
    CHECK(strcmp(err.message, "noise rates need at least 20 rounds; there are 19") == 0, "%s",
          err.message);
    problem_free(&rounds);
    draw_rounds(&rounds, 1, NOISE_RATE_FEWEST, 2, false);
    rounds.d = INT32_MAX
               - 2; /* one more is too large for an index; so many are too large for memory only */
    CHECK(noise_rate_estimate(NOISE_RATE_MLP, &rounds, 3, &network, 1, 1, &rates, &err) == -1,
          "too large an index");
    CHECK(strcmp(err.message, "2147483645 features and 3 classes are too many for a network") == 0,
          "%s", err.message);
    CHECK(noise_rate_estimate(NOISE_RATE_MLP, &rounds, 1, &network, 1, 1, &rates, &err) == -1,
          "one class");
    CHECK(strcmp(err.message, "a network for noise rates needs two classes") == 0, "%s",
          err.message);
    const struct noise_rate_network wide = {
        .layers = 1, .hidden = {NOISE_RATE_MOST_UNITS}, .epochs = 1};
    CHECK(noise_rate_estimate(NOISE_RATE_MLP, &rounds, 2, &wide, 1, 1, &rates, &err) == -1,
          "a network for that");
    CHECK(strstr(err.message,
                 " for a network of 2147483647 inputs and 65536 units in its first layer: "),
          "%s", err.message);
    CHECK(rates.rho[0] >= 0.5 && rates.rho[1] <= 0.25, "%g and %g", rates.rho[0], rates.rho[1]);
    problem_free(&rounds);
}

/* Examples are brought to unit length, but for those that have it already, up to rounding. */
static void check_lengths(void)
{
    static const double length[] = {1 - 1e-13, 1 + 1e-13, 1 - 1e-11, 1 + 1e-11, 0.5, 3, 0};
    enum { LENGTHS = sizeof length / sizeof *length };
    struct problem rounds = {.log = true};
    struct noise_rates rates = {.rho = {0, 0}};
    check_group("noise rates: lengths of examples");
    for (int64_t i = 0; i < 3 * LENGTHS; i++)
        CHECK(problem_append_example(&rounds,
                                     &(struct example){.label = i % 2,
                                                       .size = 1,
                                                       .index = (const int32_t[]){1},
                                                       .value = &length[i % LENGTHS],
                                                       .feedback = {(int)(i % 2), 1}},
                                     NULL)
                  == 0,
              "memory");
    CHECK(noise_rate_estimate(NOISE_RATE_MARGIN, &rounds, 2, NULL, 1, 1, &rates, NULL) == 0,
          "an estimate");
    for (int64_t i = 0; i < rounds.n; i++) {
        double want = i % LENGTHS < 2 || i % LENGTHS == LENGTHS - 1 ? length[i % LENGTHS] : 1;
        CHECK(rounds.value[i] >= want && rounds.value[i] <= want,
              "example %d: %.17g instead of %.17g", (int)i, rounds.value[i], want);
    }
    problem_free(&rounds);
}

/* ---- layers as text ---- */

static void check_layers(void)
{
    static const struct {
        const char *text;
        int64_t layers; /* 0: refused */
    } of[] = {{"1", 1},
              {"65536", 1},
              {"65537", 0},
              {"0", 0},
              {"", 0},
              {",", 0},
              {"3,", 0},
              {",3", 0},
              {"3,,4", 0},
              {"3 ", 0},
              {"1,2,3,4,5,6,7,8", 8},
              {"1,2,3,4,5,6,7,8,9", 0},
              {"2048,2048", 2},
              {"2048,2049", 0},
              {"1024,1024,3072", 3},
              {"1024,1024,3073", 0},
              {"65536,64", 2},
              {"65536,65", 0},
              {"65536,1,65536,1,65536,1,65536,1", 8}};
    char text[NOISE_RATE_LAYERS_TEXT], digits[40];
    check_group("layers as text");
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        struct noise_rate_network network;
        int refused = noise_rate_parse_layers(of[i].text, &network);
        CHECK_INT(refused, of[i].layers == 0 ? -1 : 0, "\"%s\"", of[i].text);
        if (refused)
            continue;
        CHECK_INT(network.layers, of[i].layers, "\"%s\": layers", of[i].text);
        noise_rate_layers_text(&network, text);
        CHECK(strcmp(text, of[i].text) == 0, "\"%s\" instead of \"%s\"", text, of[i].text);
    }
    /* A word of 31 bytes is read, one of 32 is not. */
    for (int zeros = 30; zeros <= 31; zeros++) {
        struct noise_rate_network network;
        snprintf(digits, sizeof digits, "%0*d", zeros + 1, 7);
        CHECK_INT(noise_rate_parse_layers(digits, &network), zeros == 31 ? -1 : 0,
                  "%d zeros before a digit", zeros);
    }
}

int main(void)
{
    check_margins();
    check_one_label();
    check_networks();
    check_limits();
    check_lengths();
    check_layers();
    return check_finish();
}
