/* Learning from bandit feedback beside its plain reference, on random data: the same labels shown,
 * the same weights to TOLERANCE of the largest.
 *
 * Every setup meets every learner, with the last weights, with the average, and with the average
 * played; on policy, by a log with any p, and with answers that come late, in any order or never.
 * Two scores that differ by rounding only may be ordered either way, and the reference measures how
 * near it came to that (`closest`).  For two learners this is no accident: bpa puts scores at
 * exactly 0 or -1, so that classes tie but for rounding where an example has one feature; and nsm's
 * steps have about the length eta whatever the gradient's when examples are long, so that classes
 * that were never right differ by next to nothing.  There the label is not compared, and the
 * reference goes on with the library's; neither learns from which class is greedy.  All other
 * decisions must be clear: the seeds are such that they are.  Exact ties between equal rows
 * (classes that nothing has moved, zero vectors, new features) are compared.
 *
 * Then the paper's lemmas: by adding up everything that can happen, which leaves rounding only;
 * and, with the library's own choices, by drawing, to 4 standard errors, with fixed seeds. */
#include "bandit_plain.h"
#include "check.h"
#include "common/base/memory.h"
#include "common/base/random.h"
#include "learners/bandit/bandit_log.h"

#include <string.h>

enum { CLASSES = 17, FEATURES = 40, CELLS = CLASSES * (FEATURES + 1), OPEN = 6, MOST_FULL = 110 };
#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static const double TOLERANCE = 1e-9, UNDECIDED = 1e-9;

struct setup {
    const char *name;
    int64_t K, n;
    int32_t d;
    double density;
    bool bias,
        empty;     /* a bias entry, index 0, behind the others; some examples without any entry */
    bool late;     /* features come into use one after the other */
    double length; /* values are within +-length */
    double gamma, noise[2], rho[2];
    double prior, eta;
    uint64_t seed;
};

static const struct setup setups[] = {
    {.name = "2 classes, 1 feature",
     .K = 2,
     .n = 150,
     .d = 1,
     .density = 1,
     .length = 1,
     .gamma = 0.3,
     .noise = {0.1, 0.2},
     .rho = {0.1, 0.2},
     .prior = 1,
     .eta = 0.5,
     .seed = 1},
    {.name = "2 classes, 40 features",
     .K = 2,
     .n = 150,
     .d = 40,
     .density = 0.5,
     .late = true,
     .length = 1,
     .gamma = 0.1,
     .noise = {0.2, 0.2},
     .rho = {0.2, 0.2},
     .prior = 1,
     .eta = 0.5,
     .seed = 2},
    {.name = "3 classes, sparse, bias, late features",
     .K = 3,
     .n = 200,
     .d = 30,
     .density = 0.15,
     .bias = true,
     .empty = true,
     .late = true,
     .length = 2,
     .gamma = 0.3,
     .noise = {0.2, 0.4},
     .rho = {0.2, 0.4},
     .prior = 0.5,
     .eta = 0.1,
     .seed = 3},
    {.name = "3 classes, 2 features, no noise",
     .K = 3,
     .n = 150,
     .d = 2,
     .density = 0.8,
     .empty = true,
     .length = 1,
     .gamma = 0.05,
     .prior = 2,
     .eta = 1,
     .seed = 4},
    {.name = "3 classes, nothing explored",
     .K = 3,
     .n = 150,
     .d = 6,
     .density = 0.9,
     .bias = true,
     .length = 1,
     .noise = {0.1, 0.1},
     .rho = {0.05, 0.1},
     .prior = 1,
     .eta = 0.5,
     .seed = 5},
    {.name = "5 classes, rates not those of the noise",
     .K = 5,
     .n = 200,
     .d = 12,
     .density = 0.6,
     .bias = true,
     .length = 1,
     .gamma = 0.2,
     .noise = {0.3, 0.3},
     .rho = {0.1, 0.5},
     .prior = 1,
     .eta = 0.5,
     .seed = 6},
    {.name = "5 classes, all explored, late features",
     .K = 5,
     .n = 200,
     .d = 20,
     .density = 0.3,
     .empty = true,
     .late = true,
     .length = 5,
     .gamma = 1,
     .noise = {0.1, 0.3},
     .rho = {0.1, 0.3},
     .prior = 1,
     .eta = 0.5,
     .seed = 7},
    {.name = "10 classes, bias",
     .K = 10,
     .n = 250,
     .d = 8,
     .density = 1,
     .bias = true,
     .length = 1,
     .gamma = 0.3,
     .noise = {0.15, 0.15},
     .rho = {0.15, 0.15},
     .prior = 1,
     .eta = 0.5,
     .seed = 8},
    {.name = "10 classes, sparse, late features",
     .K = 10,
     .n = 250,
     .d = 40,
     .density = 0.1,
     .bias = true,
     .empty = true,
     .late = true,
     .length = 1,
     .gamma = 0.5,
     .noise = {0.4, 0.4},
     .rho = {0.4, 0.4},
     .prior = 0.1,
     .eta = 2,
     .seed = 9},
    {.name = "17 classes, 5 features",
     .K = 17,
     .n = 250,
     .d = 5,
     .density = 0.7,
     .empty = true,
     .late = true,
     .length = 1,
     .gamma = 0.4,
     .noise = {0.1, 0.1},
     .rho = {0.2, 0},
     .prior = 1,
     .eta = 0.5,
     .seed = 10},
    {.name = "17 classes, 40 features",
     .K = 17,
     .n = 250,
     .d = 40,
     .density = 0.4,
     .bias = true,
     .length = 0.3,
     .gamma = 0.2,
     .noise = {0.2, 0.3},
     .rho = {0.2, 0.3},
     .prior = 1,
     .eta = 0.5,
     .seed = 11},
    {.name = "17 classes, long examples, late features",
     .K = 17,
     .n = 250,
     .d = 33,
     .density = 0.2,
     .empty = true,
     .late = true,
     .length = 100,
     .gamma = 0.3,
     .noise = {0, 0.5},
     .rho = {0.01, 0.5},
     .prior = 10,
     .eta = 0.5,
     .seed = 12},
};

/* rcine makes no estimate in so few rounds: up to then it is rcnbf with rates 0. */
static const struct {
    const char *name;
    const struct bandit_rule *rule;
    bool full;
} learners[] = {{"rcnbf", &bandit_rcnbf_rule, false},
                {"rcine", &bandit_rcine_rule, false},
                {"banditron", &bandit_banditron_rule, false},
                {"bpa", &bandit_bpa_rule, false},
                {"soba", &bandit_soba_rule, false},
                {"soba full", &bandit_soba_rule, true},
                {"nsm", &bandit_nsm_rule, false}};

static const struct {
    const char *name;
    bool average, play_average;
} kinds[] = {{"last", false, false}, {"average", true, false}, {"play average", true, true}};

enum mode { ON_POLICY, LOG, DELAYED };
static const char *const modes[] = {"on policy", "log", "delayed"};

/* What happened in all the runs: they should not all have been of one kind. */
static struct {
    int64_t rounds, undecided, right, explored, accepted, soba_right, late;
} seen;

struct data {
    const struct setup *setup;
    struct problem problem; /* labels are classes */
};

/* A round whose answer has not come yet. */
struct open {
    int64_t i;
    struct bandit_choice choice;
    int f;
};

/* ---- data ---- */

/* Examples of a linear teacher. */
static bool data_make(struct data *data, const struct setup *setup)
{
    struct random g = random_seeded(2019, setup->seed);
    struct problem *problem = &data->problem;
    double teacher[CELLS];
    *data = (struct data){.setup = setup};
    bool good = problem_reserve(problem, setup->n, setup->n * (setup->d + 1), NULL) == 0;
    CHECK(good, "memory");
    for (int64_t j = 0; j < CELLS; j++)
        teacher[j] = 2 * random_uniform(&g) - 1;
    for (int64_t i = 0; good && i < setup->n; i++) {
        int32_t index[FEATURES + 1],
            most = setup->late ? (int32_t)fmin(setup->d, 1 + (double)(2 * setup->d * i / setup->n))
                               : setup->d;
        double value[FEATURES + 1], highest = -HUGE_VAL;
        struct example x = {.line = i + 1, .index = index, .value = value};
        bool empty = setup->empty && random_below(&g, 12) == 0;
        for (int32_t j = 1; !empty && j <= most; j++) {
            if (random_uniform(&g) < setup->density) {
                index[x.size] = j;
                value[x.size++] = setup->length * (2 * random_uniform(&g) - 1);
            }
        }
        if (setup->bias && !empty) {
            index[x.size] = 0;
            value[x.size++] = setup->length
                              * (0.4 + 0.6 * random_uniform(&g)); /* not the same for all: examples
                                                                     of the bias alone would tie */
        }
        for (int64_t k = 0; k < setup->K; k++) {
            double score = 0;
            for (int64_t e = 0; e < x.size; e++)
                score += teacher[k * (FEATURES + 1) + index[e]] * value[e];
            if (score > highest) {
                highest = score;
                x.label = k;
            }
        }
        good = problem_append_example(problem, &x, NULL) == 0;
        CHECK(good, "memory");
    }
    return good;
}

static struct bandit *library_new(const struct bandit_options *options, int64_t K)
{
    struct labels labels = {.count = 0};
    struct error err = {.line = 0};
    bool good = true;
    for (int64_t k = 0; good && k < K; k++)
        good = labels_add(&labels, (int32_t)(3 * k - 4), &err) == 0;
    struct bandit *b = good ? bandit_new(options, &labels, &err) : NULL;
    if (!b)
        CHECK(false, "library: %s", err.message);
    labels_free(&labels);
    return b;
}

/* A class drawn with the chances p[0 .. K). */
static int64_t draw_class(struct random *g, int64_t K, const double *p)
{
    double u = random_uniform(g);
    int64_t k = 0;
    while (k < K - 1 && u >= p[k])
        u -= p[k++];
    return k;
}

/* Is the answer "right"?  It may lie. */
static int draw_answer(struct random *g, bool right, const double noise[2])
{
    bool flipped = random_uniform(g) < noise[right];
    return right != flipped;
}

/* ---- comparison ---- */

static void compare_weights(const char *name, int64_t t, const struct bandit *b,
                            const struct bandit_plain *plain)
{
    double got[CELLS], want[CELLS], largest = 0;
    struct error err = {.line = 0};
    int64_t cells = plain->K * plain->width;
    int status = bandit_plain_library(b, plain->K, plain->width, got, &err);
    CHECK_INT(status, 0, "%s: %s", name, err.message);
    if (status != 0)
        return;
    if (plain->options.average)
        bandit_plain_average(plain, want);
    else
        memcpy(want, plain->w, (size_t)cells * sizeof *want);
    for (int64_t i = 0; i < cells; i++)
        largest = fmax(largest, fabs(want[i]));
    for (int64_t i = 0; i < cells; i++)
        CHECK(fabs(got[i] - want[i]) <= TOLERANCE * largest,
              "%s, round %d: weight %d of class %d, %.17g instead of %.17g", name, (int)t + 1,
              (int)(i % plain->width), (int)(i / plain->width), got[i], want[i]);
}

/* Both learn.  The library is scored anew, as it must be when another example came in between. */
static int learn(const char *name, struct bandit *b, struct bandit_plain *plain,
                 const struct example *x, const struct open *open, struct error *err)
{
    double before = plain->margin_sum;
    if (bandit_score(b, x, err) != 0
        || bandit_learn(b, x, open->choice.shown, open->choice.p, open->f, err) != 0)
        return -1;
    plain->closest = HUGE_VAL;
    bandit_plain_learn(plain, x, open->choice.shown, open->choice.p, open->f);
    CHECK(plain->closest > UNDECIDED,
          "%s: data that leave no step to rounding (%g): try another seed", name, plain->closest);
    if (plain->options.rule == &bandit_soba_rule && open->f == 1) {
        seen.soba_right++;
        seen.accepted += plain->margin_sum != before;
    }
    return 0;
}

static int choose(const char *name, int64_t t, struct bandit *b, struct bandit_plain *plain,
                  const struct example *x, double u, struct bandit_choice *choice,
                  struct error *err)
{
    if (bandit_score(b, x, err) != 0)
        return -1;
    *choice = bandit_choose(b, u);
    plain->closest = HUGE_VAL;
    struct bandit_choice want = bandit_plain_choose(plain, x, u);
    seen.rounds++;
    /* NSM's steps for long examples round to the same number from different gradients: what is an
     * exact tie with one exponential is none with another. */
    double lead = plain->score[want.greedy] - plain->score[choice->greedy];
    bool tied = plain->options.rule == &bandit_nsm_rule && choice->greedy != want.greedy
                && lead <= UNDECIDED * fabs(plain->score[want.greedy]);
    if (plain->closest <= UNDECIDED || tied) {
        seen.undecided++;
        CHECK(plain->options.rule == &bandit_bpa_rule || plain->options.rule == &bandit_nsm_rule,
              "%s, round %d: data that leave no choice to rounding (%g): try another seed", name,
              (int)t + 1, plain->closest);
        return 0;
    }
    CHECK_INT(choice->greedy, want.greedy, "%s, round %d: greedy", name, (int)t + 1);
    CHECK_INT(choice->shown, want.shown, "%s, round %d: shown", name, (int)t + 1);
    CHECK(fabs(choice->p - want.p) <= 1e-12 * want.p, "%s, round %d: p, %.17g instead of %.17g",
          name, (int)t + 1, choice->p, want.p);
    seen.explored += want.shown != want.greedy;
    return 0;
}

/* Any p with which the logging policy may have shown its label. */
static struct bandit_choice draw_logged(struct random *g, int64_t K)
{
    double policy[CLASSES], sum = 0;
    for (int64_t k = 0; k < K; k++) {
        double u = random_uniform(g);
        policy[k] = 0.05 + u * u * u;
        sum += policy[k];
    }
    for (int64_t k = 0; k < K; k++)
        policy[k] /= sum;
    int64_t shown = draw_class(g, K, policy);
    return (struct bandit_choice){.shown = shown, .p = policy[shown]};
}

static int run_rounds(const char *name, const struct data *data, enum mode mode, struct bandit *b,
                      struct bandit_plain *plain, struct error *err)
{
    const struct setup *setup = data->setup;
    struct random g = random_seeded(7, setup->seed);
    struct open open[OPEN];
    int64_t waiting = 0;
    if (mode == LOG && bandit_grow(b, setup->d, err) != 0)
        return -1;
    for (int64_t t = 0; t < setup->n; t++) {
        struct example x = problem_example(&data->problem, t);
        struct open round = {.i = t};
        if (choose(name, t, b, plain, &x, random_uniform(&g), &round.choice, err) != 0)
            return -1;
        if (mode == LOG)
            round.choice = draw_logged(&g, setup->K);
        round.f = draw_answer(&g, round.choice.shown == x.label, setup->noise);
        seen.right += round.f;
        open[waiting++] = round;
        /* answers: at once; or late, one of those that are open and now and then two or none; the
         * last of the table must go, and may stay without an answer */
        int64_t answers = mode != DELAYED                        ? 1
                          : t == setup->n - 1 || waiting == OPEN ? waiting
                                                                 : random_below(&g, 3);
        for (; answers > 0 && waiting > 0; answers--) {
            int64_t a = random_below(&g, waiting);
            struct example of = problem_example(&data->problem, open[a].i);
            bool never = mode == DELAYED && random_below(&g, 10) == 0;
            seen.late += t - open[a].i > 2;
            if (!never && learn(name, b, plain, &of, &open[a], err) != 0)
                return -1;
            open[a] = open[--waiting];
        }
        if (t < 3 || t % 40 == 0)
            compare_weights(name, t, b, plain);
    }
    compare_weights(name, setup->n - 1, b, plain);
    return 0;
}

static void run_case(const struct data *data, const struct bandit_options *options, enum mode mode,
                     const char *name)
{
    const struct setup *setup = data->setup;
    struct bandit_plain plain;
    struct error err = {.line = 0};
    bool good = bandit_plain_new(options, setup->K, setup->d, &plain, NULL) == 0;
    CHECK(good, "memory");
    struct bandit *b = good ? library_new(options, setup->K) : NULL;
    if (b)
        CHECK_INT(run_rounds(name, data, mode, b, &plain, &err), 0, "%s: %s", name, err.message);
    bandit_free(b);
    if (good)
        bandit_plain_free(&plain);
}

static void test_setup(const struct setup *setup)
{
    struct data data;
    char name[96];
    check_group("%s", setup->name);
    for (int l = 0; data_make(&data, setup) && l < COUNT(learners); l++) {
        struct bandit_options options = {.rule = learners[l].rule,
                                         .gamma = setup->gamma,
                                         .rho = {setup->rho[0], setup->rho[1]},
                                         .prior = setup->prior,
                                         .full = learners[l].full,
                                         .eta = setup->eta,
                                         .period = 1000000,
                                         .threads = 1};
        for (int kind = 0; kind < COUNT(kinds); kind++) {
            options.average = kinds[kind].average;
            options.play_average = kinds[kind].play_average;
            for (enum mode mode = ON_POLICY; mode <= DELAYED; mode++) {
                snprintf(name, sizeof name, "%s, %s, %s", learners[l].name, kinds[kind].name,
                         modes[mode]);
                if (!options.full || setup->K * (setup->d + 1) <= MOST_FULL)
                    run_case(&data, &options, mode, name);
            }
        }
        problem_free(&data.problem);
    }
    problem_free(&data.problem);
}

/* The ends of what u may be: every label is one of the K, the library's that of the reference. */
static void test_choice(void)
{
    static const int64_t classes[] = {2, 3, 7, 10};
    static const double gammas[] = {0, 1e-20, 1e-3, 0.1, 0.3, 0.9, 1};
    struct example x = {.size = 0};
    struct bandit_plain plain;
    check_group("the label for every u");
    for (int i = 0; i < COUNT(classes) * COUNT(gammas); i++) {
        struct bandit_options options = {.rule = &bandit_rcnbf_rule,
                                         .gamma = gammas[i / COUNT(classes)],
                                         .prior = 1,
                                         .eta = 0.5,
                                         .period = 1000000,
                                         .threads = 1};
        int64_t K = classes[i % COUNT(classes)];
        double border = 1 - options.gamma, total = 0, us[] = {0,
                                                              nextafter(border, 0),
                                                              border,
                                                              nextafter(border, 1),
                                                              border + options.gamma / 2,
                                                              nextafter(1, 0)};
        bool good = bandit_plain_new(&options, K, 1, &plain, NULL) == 0;
        CHECK(good, "memory");
        struct bandit *b = good ? library_new(&options, K) : NULL;
        good = b && bandit_score(b, &x, NULL) == 0;
        CHECK(good, "a score");
        for (int j = 0; good && j < COUNT(us); j++) {
            if (us[j] >= 1)
                continue;
            struct bandit_choice got = bandit_choose(b, us[j]),
                                 want = bandit_plain_choose(&plain, &x, us[j]);
            CHECK(got.shown >= 0 && got.shown < K, "%d classes, gamma %g, u %.17g: label %d",
                  (int)K, options.gamma, us[j], (int)got.shown);
            CHECK_INT(got.shown, want.shown, "%d classes, gamma %g, u %.17g", (int)K, options.gamma,
                      us[j]);
            CHECK_NEAR(got.p, want.p, 1e-15, "%d classes, gamma %g, u %.17g: p", (int)K,
                       options.gamma, us[j]);
        }
        /* a u in the middle of what belongs to each label */
        for (int64_t k = 0; good && options.gamma >= 1e-3 && k < K; k++) {
            struct bandit_choice got = bandit_choose(
                b, border + ((double)k + 0.5) / (double)K * options.gamma);
            CHECK_INT(got.shown, k, "%d classes, gamma %g: label", (int)K, options.gamma);
            total += got.p;
        }
        if (good && options.gamma >= 1e-3)
            CHECK_NEAR(total, 1, 1e-14, "%d classes, gamma %g: sum of p", (int)K, options.gamma);
        bandit_free(b);
        if (plain.w)
            bandit_plain_free(&plain);
    }
}

static const double rates[][2] = {{0, 0},     {0.15, 0.15}, {0.4, 0.4}, {0.2, 0.4},
                                  {0.4, 0.2}, {0, 0.5},     {0.5, 0.05}};

/* What the sums of a value make of weights and h; and with no label that is the same. */
static void test_value(void)
{
    enum { ROUNDS = 400 };
    struct random g = random_seeded(1, 3);
    check_group("the value of a policy");
    for (int i = 0; i < COUNT(rates); i++) {
        struct bandit_value value = {.rounds = 0}, none = {.rounds = 0};
        double w[ROUNDS], h[ROUNDS];
        for (int64_t t = 0; t < ROUNDS; t++) {
            double p = 0.02 + 0.98 * random_uniform(&g);
            bool same = random_below(&g, 3) == 0;
            w[t] = same ? 1 / p : 0;
            h[t] = bandit_h(rates[i], random_below(&g, 2) == 0);
            bandit_value_add(&value, same, p, h[t]);
            bandit_value_add(&none, false, p, h[t]);
        }
        struct bandit_estimate got = bandit_value_estimate(&value);
        struct bandit_plain_value want = bandit_plain_value(ROUNDS, w, h);
        CHECK_INT(value.rounds, ROUNDS, "rounds");
        CHECK_NEAR(got.ips, want.ips, TOLERANCE, "rates %g, %g: IPS", rates[i][0], rates[i][1]);
        CHECK_NEAR(got.ips_error, want.ips_error, TOLERANCE, "rates %g, %g: error of IPS",
                   rates[i][0], rates[i][1]);
        CHECK_NEAR(got.snips, want.snips, TOLERANCE, "rates %g, %g: SNIPS", rates[i][0],
                   rates[i][1]);
        CHECK_NEAR(got.snips_error, want.snips_error, TOLERANCE, "rates %g, %g: error of SNIPS",
                   rates[i][0], rates[i][1]);
        got = bandit_value_estimate(&none);
        CHECK(got.ips == 0 && got.ips_error == 0 && isnan(got.snips),
              "no label the same: IPS %g +- %g, SNIPS %g", got.ips, got.ips_error, got.snips);
    }
}

/* ---- the lemmas ---- */

/* Mean and standard error of a sum that is added up draw by draw. */
struct mean {
    double sum, squares;
};

static void mean_add(struct mean *mean, double a)
{
    mean->sum += a;
    mean->squares += a * a;
}

static void check_mean(const struct mean *mean, int64_t n, double want, const char *name, int k,
                       int j)
{
    double average = mean->sum / (double)n,
           variance = fmax(0, mean->squares / (double)n - average * average),
           error = sqrt(variance / (double)n);
    CHECK(fabs(average - want) <= 4 * error + 1e-12,
          "%s, class %d, weight %d: mean %g, expected %g, standard error %g", name, k, j, average,
          want, error);
}

/* Lemma 1: the mean of h(f) is 1 where the label is right, 0 where it is wrong. */
static void test_lemma_1(void)
{
    enum { DRAWS = 50000 };
    struct random g = random_seeded(1, 1);
    check_group("Lemma 1");
    for (int i = 0; i < COUNT(rates); i++) {
        const double *rho = rates[i];
        double h[] = {bandit_h(rho, 0), bandit_h(rho, 1)};
        CHECK_NEAR((1 - rho[1]) * h[1] + rho[1] * h[0], 1, 1e-14, "right, rates %g, %g", rho[0],
                   rho[1]);
        CHECK_NEAR(rho[0] * h[1] + (1 - rho[0]) * h[0], 0, 1e-14, "wrong, rates %g, %g", rho[0],
                   rho[1]);
        for (int right = 0; right <= 1; right++) {
            struct mean mean = {0, 0};
            for (int64_t t = 0; t < DRAWS; t++)
                mean_add(&mean, h[draw_answer(&g, right, rho)]);
            check_mean(&mean, DRAWS, right, right ? "right" : "wrong", i, 0);
        }
    }
}

/* A few rounds that bring W away from 0, and the example whose round is looked at. */
enum { PREFIX = 5, SIZE = 3 };
static const int32_t indices[PREFIX + 1][SIZE] = {{1, 2, 0}, {2, 4, 0}, {1, 3, 0},
                                                  {3, 4, 0}, {1, 4, 0}, {2, 3, 0}};
static const double values[PREFIX + 1][SIZE] = {{0.5, -1, 0.7},   {1.5, 0.3, 0.7},
                                                {-0.8, 0.4, 0.7}, {1.1, -0.6, 0.7},
                                                {0.2, 0.9, 0.7},  {-0.9, 1.3, 0.7}};
enum { WIDTH = 5 }; /* features 1 .. 4 and the bias */

static struct example fixed_example(int i)
{
    return (struct example){.line = i + 1, .size = SIZE, .index = indices[i], .value = values[i]};
}

/* A learner in always the same state, the last example scored. */
static struct bandit *same_state(const struct bandit_options *options, int64_t K)
{
    struct bandit *b = library_new(options, K);
    struct error err = {.line = 0};
    int status = b ? 0 : -1;
    for (int i = 0; status == 0 && i <= PREFIX; i++) {
        struct example x = fixed_example(i);
        status = bandit_score(b, &x, &err);
        if (status == 0 && i < PREFIX)
            status = bandit_learn(b, &x, (i + 1) % K, 0.4 + 0.1 * i, i % 3 == 0, &err);
    }
    if (status == 0)
        return b;
    CHECK(false, "a state to start from: %s", err.message);
    bandit_free(b);
    return NULL;
}

/* step = what one round changes; before: the weights of same_state */
static bool one_step(struct bandit *b, int64_t K, const double *before, int64_t shown, double p,
                     int f, double *step)
{
    struct example x = fixed_example(PREFIX);
    struct error err = {.line = 0};
    int status = bandit_learn(b, &x, shown, p, f, &err);
    if (status == 0)
        status = bandit_plain_library(b, K, WIDTH, step, &err);
    if (status != 0)
        CHECK(false, "a step: %s", err.message);
    for (int64_t i = 0; status == 0 && i < K * WIDTH; i++)
        step[i] -= before[i];
    return status == 0;
}

/* The chances that class k is shown: 1 - gamma more for the greedy one, or very different ones. */
static void set_policy(bool on, double gamma, int64_t K, int64_t greedy, double *policy)
{
    double sum = 0;
    for (int64_t k = 0; k < K; k++) {
        policy[k] = on ? gamma / (double)K + (k == greedy ? 1 - gamma : 0)
                       : (double)(k + 1) * (double)(k + 1);
        sum += policy[k];
    }
    for (int64_t k = 0; k < K; k++)
        policy[k] /= sum;
}

/* Lemma 2: the mean of a round's step is the perceptron's, x for the true class y, -x for the
 * greedy one.  With rates assumed that are not those of the noise it is b x for the true class and
 * a x more for each, b = (1 - noise0 - noise1)/beta, a = (noise0 - rho0)/beta: to banditron a true
 * class is worth less than it should be. */
static void test_step(const struct bandit_options *options, int64_t K, const double noise[2],
                      bool on, struct random *g)
{
    enum { DRAWS = 5000 };
    static const double none[2] = {0, 0};
    const double *rho = options->rule == &bandit_rcnbf_rule ? options->rho : none;
    double beta = 1 - rho[0] - rho[1], slope = (1 - noise[0] - noise[1]) / beta,
           common = (noise[0] - rho[0]) / beta;
    double before[CELLS], step[CELLS], policy[CLASSES], x[WIDTH] = {0};
    char name[96];
    for (int e = 0; e < SIZE; e++)
        x[indices[PREFIX][e]] = values[PREFIX][e];
    struct bandit *b = same_state(options, K);
    if (!b)
        return;
    int64_t greedy = bandit_choose(b, 0).greedy;
    bool good = bandit_plain_library(b, K, WIDTH, before, NULL) == 0;
    CHECK(good, "memory");
    bandit_free(b);
    set_policy(on, options->gamma, K, greedy, policy);
    for (int64_t y = 0; good && y < K; y++) {
        struct mean mean[CELLS] = {{0, 0}};
        double whole[CELLS] = {0};
        bool drawn = y == greedy || y == (greedy + 1) % K;
        snprintf(name, sizeof name, "%d classes, %s policy, %s, true class %d, greedy %d", (int)K,
                 on ? "on" : "off", options->rule->name, (int)y, (int)greedy);
        /* all that can happen, with its chance */
        for (int64_t shown = 0; good && shown < K; shown++) {
            for (int f = 0; good && f <= 1; f++) {
                bool right = shown == y;
                double chance = policy[shown] * (f == right ? 1 - noise[right] : noise[right]);
                b = same_state(options, K);
                good = b && one_step(b, K, before, shown, policy[shown], f, step);
                for (int64_t i = 0; good && i < K * WIDTH; i++)
                    whole[i] += chance * step[i];
                bandit_free(b);
            }
        }
        for (int64_t t = 0; good && drawn && t < DRAWS; t++) {
            b = same_state(options, K);
            if (!b)
                break;
            struct bandit_choice choice = {.greedy = greedy};
            if (on) {
                choice = bandit_choose(b, random_uniform(g));
            } else {
                choice.shown = draw_class(g, K, policy);
                choice.p = policy[choice.shown];
            }
            good = one_step(b, K, before, choice.shown, choice.p,
                            draw_answer(g, choice.shown == y, noise), step);
            for (int64_t i = 0; good && i < K * WIDTH; i++)
                mean_add(&mean[i], step[i]);
            bandit_free(b);
        }
        for (int64_t i = 0; good && i < K * WIDTH; i++) {
            int64_t k = i / WIDTH, j = i % WIDTH;
            double want = (slope * (k == y) - (k == greedy) + common) * x[j];
            CHECK_NEAR(whole[i], want, 1e-11, "%s, class %d, weight %d: over all that can happen",
                       name, (int)k, (int)j);
            if (drawn)
                check_mean(&mean[i], DRAWS, want, name, (int)k, (int)j);
        }
    }
}

static void test_lemma_2(void)
{
    static const int64_t classes[] = {2, 5, 10};
    static const double noise[2] = {0.2, 0.3};
    static const struct {
        const struct bandit_rule *rule;
        double rho[2];
    } assumed[] = {{&bandit_rcnbf_rule, {0.2, 0.3}},
                   {&bandit_rcnbf_rule, {0.05, 0.5}},
                   {&bandit_banditron_rule, {0, 0}}};
    struct random g = random_seeded(1, 2);
    for (int i = 0; i < COUNT(classes); i++) {
        check_group("Lemma 2, %d classes", (int)classes[i]);
        for (int a = 0; a < COUNT(assumed); a++) {
            struct bandit_options options = {.rule = assumed[a].rule,
                                             .gamma = 0.3,
                                             .rho = {assumed[a].rho[0], assumed[a].rho[1]},
                                             .prior = 1,
                                             .eta = 0.5,
                                             .period = 1000000,
                                             .threads = 1};
            for (int on = 0; on <= 1; on++)
                test_step(&options, classes[i], noise, on, &g);
        }
    }
}

int main(void)
{
    for (int i = 0; i < COUNT(setups); i++)
        test_setup(&setups[i]);
    test_choice();
    test_value();
    test_lemma_1();
    test_lemma_2();
    check_group("all that can happen did");
    CHECK(seen.right * 5 > seen.rounds && seen.right * 5 < 4 * seen.rounds,
          "%d answers of %d say right", (int)seen.right, (int)seen.rounds);
    CHECK(seen.explored * 10 > seen.rounds, "%d of %d explored", (int)seen.explored,
          (int)seen.rounds);
    CHECK(seen.undecided * 100 < seen.rounds, "%d of %d choices are rounding's",
          (int)seen.undecided, (int)seen.rounds);
    CHECK(seen.accepted * 10 > seen.soba_right && seen.accepted * 10 < 9 * seen.soba_right,
          "%d of soba's %d steps accepted", (int)seen.accepted, (int)seen.soba_right);
    CHECK(seen.late > 1000, "%d answers came three rounds late or later", (int)seen.late);
    return check_finish();
}
