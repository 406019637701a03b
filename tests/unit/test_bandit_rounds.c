/* Rounds of bandit feedback: where they come from (learners/bandit/bandit_source.h), noisy answers,
 * and what is told of them. */
#include "check.h"
#include "common/base/random.h"
#include "learners/bandit/bandit_report.h"
#include "learners/bandit/bandit_rule.h"
#include "learners/bandit/bandit_simulate.h"
#include "learners/bandit/bandit_source.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- where rounds come from ---- */

enum { MOST_SEEN = 64 };

struct seen {
    int64_t count, label[MOST_SEEN];
    int64_t last;      /* the round that fails; 0: none */
    struct stop *stop; /* not NULL: in that round a signal comes instead */
};

static int see(void *context, const struct example *x, struct error *err)
{
    struct seen *seen = context;
    seen->label[seen->count++] = x->label;
    if (seen->count != seen->last)
        return 0;
    if (!seen->stop)
        return error_at(err, NULL, x->line, 0, "enough");
    seen->stop->signal = 15;
    return 0;
}

/* The labels of the rounds; an expected label is that of example expected[t % period]. */
static void check_source(const char *name, const struct bandit_source *source, int64_t want,
                         int64_t period)
{
    struct seen seen = {.count = 0};
    struct error err = {.line = 0};
    CHECK_INT(bandit_source_run(source, see, &seen, &err), 0, "%s: %s", name, err.message);
    CHECK_INT(seen.count, want, "%s: rounds", name);
    for (int64_t t = 0; t < seen.count; t++)
        CHECK_INT(seen.label[t], t % period + 1, "%s: label of round %d", name, (int)t);
}

/* A signal in a round makes it the last one, and what is wrong with the data after it is no error;
 * one that came before leaves no round.  rounds: of the source. */
static void check_stops(const char *name, struct bandit_source source, int64_t rounds)
{
    source.rounds = rounds;
    for (int64_t last = 0; last <= 6; last += 3) {
        struct stop stop = {.signal = last == 0 ? 15 : 0, .fd = -1};
        struct milestones milestones = {.stop = &stop};
        struct seen seen = {.last = last, .stop = &stop};
        struct error err = {.line = 0};
        source.milestones = &milestones;
        CHECK_INT(bandit_source_run(&source, see, &seen, &err), 0, "%s, a stop: %s", name,
                  err.message);
        CHECK_INT(seen.count, last, "%s: rounds to the stop", name);
        CHECK_INT(milestones.done, last, "%s: rounds that count", name);
        CHECK(milestones.stopped, "%s: it was stopped", name);
    }
}

enum { SOURCE = 7 }; /* examples of a source */

static const int64_t source_rounds[] = {0,          1,          SOURCE - 1,    SOURCE,
                                        SOURCE + 1, 3 * SOURCE, 3 * SOURCE + 2};

/* The same examples in memory and in a file, whose name is made of path. */
static void make_sources(struct problem *held, char *path)
{
    const int fd = mkstemp(path);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    for (int i = 0; i < SOURCE; i++) {
        const struct example x = {.label = i + 1,
                                  .line = i + 1,
                                  .size = 1,
                                  .index = (const int32_t[]){1},
                                  .value = (const double[]){1}};
        CHECK(problem_append_example(held, &x, NULL) == 0, "memory");
        CHECK(file && fprintf(file, "%d 1:1\n", i + 1) > 0, "a file");
    }
    CHECK(file && fclose(file) == 0, "a file");
}

/* Any number of rounds, a round that fails, and a signal.  file: that errors name. */
static void check_kind(const char *name, struct bandit_source source, const char *file)
{
    struct seen seen = {.last = 5};
    struct error err = {.line = 0};
    for (size_t r = 0; r < sizeof source_rounds / sizeof *source_rounds; r++) {
        source.rounds = source_rounds[r];
        check_source(name, &source, source.rounds > 0 ? source.rounds : SOURCE, SOURCE);
    }
    CHECK_INT(bandit_source_run(&source, see, &seen, &err), -1, "%s: a round that fails", name);
    CHECK_INT(seen.count, 5, "%s: rounds up to that", name);
    CHECK_INT(err.line, 5, "%s: line", name);
    CHECK(strcmp(err.file, file) == 0, "%s: file \"%s\"", name, err.file);
}

/* A file that goes wrong is an error in a run that comes so far. */
static void check_bad_line(struct bandit_source source)
{
    FILE *file = fopen(source.path, "a");
    CHECK(file && fputs("x 1:1\n", file) >= 0 && fclose(file) == 0, "a file");
    for (size_t r = 0; r < sizeof source_rounds / sizeof *source_rounds; r++) {
        const int64_t rounds = source_rounds[r];
        const bool before = rounds > 0 && rounds <= SOURCE;
        struct seen seen = {.count = 0};
        struct error err = {.line = 0};
        source.rounds = rounds;
        CHECK_INT(bandit_source_run(&source, see, &seen, &err), before ? 0 : -1,
                  "a bad line, %d rounds", (int)rounds);
        CHECK(err.line == (before ? 0 : SOURCE + 1), "a bad line, %d rounds: line %d", (int)rounds,
              (int)err.line);
        CHECK_INT(seen.count, before ? rounds : SOURCE, "a bad line, %d rounds: before it",
                  (int)rounds);
    }
}

/* Examples drawn at random: the same whether a run makes all rounds or goes on from another. */
static void check_random_order(const struct problem *held)
{
    struct bandit_source any = {.held = held, .rounds = 30, .random_order = true, .seed = 5};
    struct random g = random_seeded(5, BANDIT_USE_ORDER);
    struct seen before = {.count = 0}, after = {.count = 0};
    check_group("the source of rounds, at random");
    CHECK(bandit_source_run(&any, see, &before, NULL) == 0 && before.count == 30, "%d rounds",
          (int)before.count);
    for (int64_t t = 0; t < before.count; t++)
        CHECK_INT(before.label[t], random_below(&g, SOURCE) + 1, "label of round %d", (int)t);
    any.drawn = 11;
    any.rounds = 19;
    CHECK(bandit_source_run(&any, see, &after, NULL) == 0 && after.count == 19, "%d rounds",
          (int)after.count);
    for (int64_t t = 0; t < after.count; t++)
        CHECK_INT(after.label[t], before.label[t + 11], "going on, label of round %d", (int)t);
}

static void check_sources(void)
{
    struct problem held = {0};
    char path[] = "/tmp/test_bandit_rounds.XXXXXX";
    const struct bandit_source of_held = {.held = &held},
                               of_file = {.path = path, .threads = 1, .format = {.bias = -1}};
    struct seen seen = {.count = 0};
    check_group("the source of rounds");
    make_sources(&held, path);
    check_kind("held", of_held, "");
    check_kind("a file", of_file, path);
    check_bad_line(of_file);
    check_stops("held", of_held, 2 * SOURCE);
    check_stops("a file", of_file, 2 * SOURCE);
    unlink(path);
    CHECK_INT(bandit_source_run(&of_file, see, &seen, NULL), -1, "a file that is not there");
    CHECK_INT(seen.count, 0, "a file that is not there: rounds");
    check_random_order(&held);
    problem_free(&held);
}

/* ---- answers ---- */

static void check_answers(void)
{
    static const double noise[2] = {0.25, 0.5};
    check_group("noisy answers");
    for (int right = 0; right <= 1; right++) {
        CHECK_INT(bandit_noisy_feedback(noise, right, nextafter(noise[right], 0)), !right,
                  "just below the rate, right %d", right);
        CHECK_INT(bandit_noisy_feedback(noise, right, noise[right]), right, "at the rate, right %d",
                  right);
    }
}

/* A signal before the first round: no error, and no line of the learning curve, which would be 0/0.
 */
static void check_stopped_simulation(void)
{
    const struct bandit_options options = {.rule = &bandit_banditron_rule};
    struct stop stop = {.signal = 15, .fd = -1};
    struct milestones milestones = {.stop = &stop};
    struct problem held = {0};
    struct labels labels = {.count = 0};
    struct output trace;
    struct bandit_counts counts = {.rounds = -1};
    char path[] = "/tmp/test_bandit_rounds.XXXXXX";
    const int fd = mkstemp(path);
    check_group("a simulation that is stopped before its first round");
    CHECK(fd >= 0 && output_open(&trace, path, NULL) == 0, "a file");
    CHECK_INT(problem_append_example(&held, &(struct example){.label = 1}, NULL), 0, "memory");
    CHECK_INT(labels_parse("1-3", &labels, NULL), 0, "labels");
    struct bandit *b = bandit_new(&options, &labels, NULL);
    const struct bandit_source source = {.held = &held, .milestones = &milestones};
    const struct bandit_simulation simulation = {.trace = &trace};
    CHECK(b && bandit_simulate(b, &source, &simulation, &counts, NULL) == 0, "no error");
    CHECK_INT(counts.rounds, 0, "rounds");
    struct stat st;
    CHECK(output_commit(&trace, NULL) == 0 && stat(path, &st) == 0 && st.st_size == 0,
          "an empty trace");
    close(fd);
    unlink(path);
    bandit_free(b);
    labels_free(&labels);
    problem_free(&held);
}

/* ---- what is told of them ---- */

/* Rounds can be stopped before the first, whose errors would be 0/0. */
static void check_told(void)
{
    static const struct bandit_counts none = {.rounds = 0},
                                      some = {.rounds = 8, .shown_wrong = 6, .greedy_wrong = 1};
    struct report report = {.path = NULL};
    const struct findings to = {.out = tmpfile(), .report = &report};
    char line[128] = "";
    check_group("what is told of rounds");
    CHECK(to.out, "a file");
    if (!to.out)
        return;
    bandit_report_simulated(&to, &none);
    CHECK_INT(ftell(to.out), 0, "bytes of no rounds");
    bandit_report_simulated(&to, &some);
    rewind(to.out);
    CHECK(fgets(line, sizeof line, to.out)
              && strcmp(line, "8 rounds: error on shown labels 75%, error of the argmax 12.5%\n")
                     == 0,
          "%s", line);
    fclose(to.out);
}

int main(void)
{
    check_sources();
    check_stopped_simulation();
    check_answers();
    check_told();
    return check_finish();
}
