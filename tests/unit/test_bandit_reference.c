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
 * (classes that nothing has moved, zero vectors, new features) are compared. */
#include "bandit_data.h"
#include "bandit_plain.h"
#include "check.h"
#include "learners/bandit/bandit.h"

#include <string.h>

enum { OPEN = 6, MOST_FULL = 110 }; /* open rounds; numbers of W that a full matrix is taken for */

static const double UNDECIDED = 1e-9;

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

/* A round whose answer has not come yet. */
struct open {
    int64_t i;
    struct bandit_choice choice;
    int f;
};

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

int main(void)
{
    for (int i = 0; i < COUNT(setups); i++)
        test_setup(&setups[i]);
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
