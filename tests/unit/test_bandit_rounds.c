/* What stands around a learner from bandit feedback: open rounds (learners/bandit/open_rounds.h)
 * beside a plain queue, where rounds come from (learners/bandit/bandit_source.h) and what is told
 * of them, the lines of a trace, and how much memory a learner says that it takes. */
#include "bandit_plain.h"
#include "check.h"
#include "common/base/memory.h"
#include "common/base/random.h"
#include "common/linear/covariance.h"
#include "learners/bandit/bandit_report.h"
#include "learners/bandit/bandit_rule.h"
#include "learners/bandit/bandit_simulate.h"
#include "learners/bandit/bandit_source.h"
#include "learners/bandit/noise_rate.h"
#include "learners/bandit/open_rounds.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- open rounds ---- */

enum { IDS = 300, TEXT = 32 };

/* Of a round beside its text: the bytes after it, a slot, a bucket. */
static const double OF_A_ROUND = NUMBER_PAD + sizeof(struct open_round) + sizeof(int64_t);

/* What should be in the table: ids from the oldest to the newest. */
struct queue {
    int64_t id[IDS], size[IDS], count;
};

static int64_t queue_find(const struct queue *queue, int64_t id)
{
    int64_t at = 0;
    while (at < queue->count && queue->id[at] != id)
        at++;
    return at < queue->count ? at : -1;
}

static void queue_remove(struct queue *queue, int64_t at)
{
    queue->count--;
    memmove(queue->id + at, queue->id + at + 1, (size_t)(queue->count - at) * sizeof *queue->id);
    memmove(queue->size + at, queue->size + at + 1,
            (size_t)(queue->count - at) * sizeof *queue->size);
}

/* `?id` and some blanks, so that questions differ in length. */
static int64_t write_question(int64_t id, char *text, int64_t *id_size)
{
    *id_size = snprintf(text, TEXT, "?%d", (int)id) - 1;
    return snprintf(text, TEXT, "?%d%*s\n", (int)id, (int)(id % 7), "");
}

static void compare_queue(const char *name, int step, struct open_rounds *table,
                          const struct queue *queue)
{
    char text[TEXT], feedback[TEXT];
    int64_t id_size;
    for (int64_t id = 0; id < IDS; id++) {
        int64_t size = write_question(id, text, &id_size);
        snprintf(feedback, TEXT, "!%d\t1\n", (int)id); /* another byte stands behind the id */
        const struct open_round *round = open_rounds_find(table, feedback + 1, id_size);
        CHECK((round != NULL) == (queue_find(queue, id) >= 0), "%s, step %d: round %d", name, step,
              (int)id);
        CHECK(!round
                  || (round->size == size && round->id_size == id_size
                      && memcmp(round->text, text, (size_t)size) == 0 && round->text[size] == 0),
              "%s, step %d: text of round %d", name, step, (int)id);
    }
}

/* Random questions and answers; the oldest are forgotten when there are `most` or they take
 * `bytes`. */
static void check_open(const char *name, int64_t most, double bytes, int steps)
{
    struct random g = random_seeded(3, (uint64_t)most);
    struct open_rounds *table = open_rounds_new(most, bytes, NULL);
    struct queue queue = {.count = 0};
    check_group("open rounds, %s", name);
    CHECK(table, "memory");
    for (int step = 0; table && step < steps; step++) {
        char text[TEXT];
        int64_t id = random_below(&g, IDS), at = queue_find(&queue, id), id_size, forgotten = -1,
                size = write_question(id, text, &id_size);
        if (at >= 0) {
            open_rounds_remove(table, open_rounds_find(table, text + 1, id_size));
            queue_remove(&queue, at);
        } else {
            int64_t gone = 0;
            for (double sum = 0; queue.count > 0; gone++) {
                sum = (double)size + OF_A_ROUND;
                for (int64_t i = 0; i < queue.count; i++)
                    sum += (double)queue.size[i] + OF_A_ROUND;
                if (queue.count < most && sum <= bytes)
                    break;
                queue_remove(&queue, 0);
            }
            CHECK(open_rounds_add(table, text, size, id_size, &forgotten, NULL), "memory");
            CHECK_INT(forgotten, gone, "%s, step %d: forgotten", name, step);
            queue.id[queue.count] = id;
            queue.size[queue.count++] = size;
        }
        if (step < 70 || step % 50 == 0)
            compare_queue(name, step, table, &queue);
    }
    if (table)
        compare_queue(name, steps, table, &queue);
    open_rounds_free(table);
}

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

static void check_sources(void)
{
    enum { N = 7 };
    static const int64_t rounds[] = {0, 1, N - 1, N, N + 1, 3 * N, 3 * N + 2};
    struct problem held = {0};
    char path[] = "/tmp/test_bandit_rounds.XXXXXX";
    int fd = mkstemp(path);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    check_group("the source of rounds");
    CHECK(file, "a file");
    for (int64_t i = 0; i < N; i++) {
        CHECK(problem_append_example(&held,
                                     &(struct example){.label = i + 1,
                                                       .line = i + 1,
                                                       .size = 1,
                                                       .index = (const int32_t[]){1},
                                                       .value = (const double[]){1}},
                                     NULL)
                  == 0,
              "memory");
        if (file)
            fprintf(file, "%d 1:1\n", (int)i + 1);
    }
    if (!file || fclose(file) != 0)
        return;
    struct bandit_source from[] = {{.held = &held},
                                   {.path = path, .threads = 1, .format = {.bias = -1}}};
    for (int kind = 0; kind < 2; kind++) {
        const char *name = kind == 0 ? "held" : "a file";
        for (size_t r = 0; r < sizeof rounds / sizeof *rounds; r++) {
            from[kind].rounds = rounds[r];
            check_source(name, &from[kind], rounds[r] > 0 ? rounds[r] : N, N);
        }
        struct seen seen = {.last = 5};
        struct error err = {.line = 0};
        CHECK_INT(bandit_source_run(&from[kind], see, &seen, &err), -1, "%s: a round that fails",
                  name);
        CHECK_INT(seen.count, 5, "%s: rounds up to that", name);
        CHECK_INT(err.line, 5, "%s: line", name);
        CHECK(strcmp(err.file, kind == 0 ? "" : path) == 0, "%s: file \"%s\"", name, err.file);
    }
    /* A file that goes wrong is an error in a run that comes so far. */
    file = fopen(path, "a");
    CHECK(file && fputs("x 1:1\n", file) >= 0 && fclose(file) == 0, "a file");
    for (size_t r = 0; r < sizeof rounds / sizeof *rounds; r++) {
        struct seen seen = {.count = 0};
        struct error err = {.line = 0};
        from[1].rounds = rounds[r];
        const bool before = rounds[r] > 0 && rounds[r] <= N;
        CHECK_INT(bandit_source_run(&from[1], see, &seen, &err), before ? 0 : -1,
                  "a bad line, %d rounds", (int)rounds[r]);
        CHECK(err.line == (before ? 0 : N + 1), "a bad line, %d rounds: line %d", (int)rounds[r],
              (int)err.line);
        CHECK_INT(seen.count, before ? rounds[r] : N, "a bad line, %d rounds: before it",
                  (int)rounds[r]);
    }
    for (int kind = 0; kind < 2; kind++)
        check_stops(kind == 0 ? "held" : "a file", from[kind], 2 * N);
    unlink(path);
    struct bandit_source none = {.path = path, .threads = 1, .format = {.bias = -1}};
    struct seen seen = {.count = 0};
    CHECK_INT(bandit_source_run(&none, see, &seen, NULL), -1, "a file that is not there");
    CHECK_INT(seen.count, 0, "a file that is not there: rounds");

    check_group("the source of rounds, at random");
    struct bandit_source any = {.held = &held, .rounds = 30, .random_order = true, .seed = 5};
    struct random g = random_seeded(5, BANDIT_USE_ORDER);
    struct seen before = {.count = 0}, after = {.count = 0};
    CHECK(bandit_source_run(&any, see, &before, NULL) == 0 && before.count == 30, "%d rounds",
          (int)before.count);
    for (int64_t t = 0; t < before.count; t++)
        CHECK_INT(before.label[t], random_below(&g, N) + 1, "label of round %d", (int)t);
    any.drawn = 11;
    any.rounds = 19;
    CHECK(bandit_source_run(&any, see, &after, NULL) == 0 && after.count == 19, "%d rounds",
          (int)after.count);
    for (int64_t t = 0; t < after.count; t++)
        CHECK_INT(after.label[t], before.label[t + 11], "going on, label of round %d", (int)t);
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

/* ---- rules ---- */

/* b = a but for this parameter. */
static void change(const struct bandit_parameter *p, const struct bandit_options *a,
                   struct bandit_options *b)
{
    *b = *a;
    void *value = (char *)b + p->offset;
    switch (p->type) {
    case BANDIT_INT:
    case BANDIT_CHOICE:
        ++*(int64_t *)value;
        break;
    case BANDIT_FLAG:
        *(bool *)value = !*(bool *)value;
        break;
    case BANDIT_NUMBER:
        *(double *)value += 0.25;
        break;
    case BANDIT_RATES:
        ((double *)value)[1] += 0.25;
        break;
    case BANDIT_LAYERS:
        ++((struct noise_rate_network *)value)->hidden[1];
        break;
    }
}

/* Rules stand in both lists in the same order; a parameter is found by its option where its rule
 * was chosen, means nothing for those without it, and is compared alone. */
static void check_rules(void)
{
    struct bandit_options options = {.estimator = NOISE_RATE_MLP, .network = {.layers = 2}}, other;
    check_group("rules and their parameters");
    for (int i = 0; bandit_rules[i] || bandit_rule_names[i]; i++) {
        options.rule = bandit_rules[i];
        CHECK(options.rule && strcmp(options.rule->name, bandit_rule_names[i]) == 0, "rule %d", i);
        CHECK(bandit_find_parameter(&options, "gamma") == bandit_common_parameters, "gamma");
        CHECK(!bandit_find_parameter(&options, "quiet") && bandit_uses(&options, "quiet"),
              "an option that is no parameter");
        for (const struct bandit_parameter *p = options.rule->parameters; p && p->option; p++) {
            CHECK(bandit_find_parameter(&options, p->option) == p, "%s", p->option);
            change(p, &options, &other);
            CHECK(!bandit_parameter_same(p, &options, &other), "%s differs", p->option);
            for (const struct bandit_parameter *q = options.rule->parameters; q->option; q++)
                CHECK(q == p || bandit_parameter_same(q, &options, &other), "%s is the same",
                      q->option);
        }
        CHECK(bandit_uses(&options, "eta") == (options.rule == &bandit_nsm_rule), "eta");
        CHECK(bandit_uses(&options, "epochs") == (options.rule == &bandit_rcine_rule), "epochs");
    }
    options.rule = &bandit_rcine_rule;
    options.estimator = NOISE_RATE_MARGIN;
    CHECK(!bandit_uses(&options, "epochs") && bandit_uses(&options, "period"), "no network");
}

/* ---- memory ---- */

/* Tables of K columns and d + 1 rows, counted from what each learner keeps; a full matrix, or the
 * first layer of a network, besides. */
static void check_bytes(void)
{
    static const struct {
        struct bandit_options options;
        int tables;
    } of[] = {
        {{.rule = &bandit_rcnbf_rule}, 2},
        {{.rule = &bandit_rcnbf_rule, .average = true}, 3},
        {{.rule = &bandit_rcnbf_rule, .play_average = true}, 3},
        {{.rule = &bandit_rcnbf_rule, .average = true, .play_average = true}, 3},
        {{.rule = &bandit_rcnbf_rule, .full = true}, 2},
        {{.rule = &bandit_bpa_rule, .estimator = NOISE_RATE_MARGIN}, 2},
        {{.rule = &bandit_rcine_rule, .estimator = NOISE_RATE_MARGIN}, 2 + NOISE_RATE_TABLES},
        {{.rule = &bandit_rcine_rule,
          .estimator = NOISE_RATE_MLP,
          .network = {.layers = 2, .hidden = {40, 7}}},
         2},
        {{.rule = &bandit_nsm_rule}, 3},
        {{.rule = &bandit_nsm_rule, .average = true}, 4},
        {{.rule = &bandit_soba_rule}, 3},
        {{.rule = &bandit_soba_rule, .full = true}, 2},
    };
    check_group("bytes of a learner");
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        bool full = of[i].options.rule == &bandit_soba_rule && of[i].options.full;
        double want = of[i].tables * weights_bytes(3, 20)
                      + (full ? covariance_bytes(COVARIANCE_FULL, 1, 62) : 0)
                      + (of[i].options.network.layers > 0 ? 3 * weights_bytes(40, 20 + 3) : 0);
        CHECK_NEAR(bandit_bytes(&of[i].options, 3, 20), want, 0, "case %d", (int)i);
    }
}

/* How many features a live loop may take: what fits, but no fewer than there are. */
static void check_most_features(void)
{
    const struct bandit_options options = {.rule = &bandit_nsm_rule, .eta = 1},
                                full = {.rule = &bandit_soba_rule, .prior = 1, .full = true};
    struct labels labels = {.count = 0};
    check_group("the most features");
    for (int32_t label = 1; label <= 3; label++)
        CHECK_INT(labels_add(&labels, label, NULL), 0, "memory");
    struct bandit *b = bandit_new(&options, &labels, NULL),
                  *limited = bandit_new(&full, &labels, NULL);
    CHECK(b && limited && bandit_grow(b, 50, NULL) == 0, "memory");
    if (b && limited) {
        CHECK_INT(bandit_most_features(b, 1), 50, "those that it has");
        CHECK_NEAR((double)bandit_most_features(b, bandit_bytes(&options, 3, 100000)), 1e5, 100,
                   "those that fit");
        CHECK_INT(bandit_most_features(b, 1e300), INT32_MAX, "all");
        CHECK_INT(bandit_most_features(limited, 1), INT32_MAX, "what the rule itself refuses");
    }
    bandit_free(b);
    bandit_free(limited);
    labels_free(&labels);
}

/* Limits: what is exactly at one is made, what is beyond is refused with its message and leaves the
 * learner as it was. */
static void check_limits(void)
{
    struct bandit_options options = {.rule = &bandit_soba_rule, .prior = 1, .full = true};
    struct labels labels = {.count = 0};
    struct error err = {.line = 0};
    check_group("limits of a learner");
    CHECK(labels_add(&labels, 1, NULL) == 0 && !bandit_new(&options, &labels, &err), "one class");
    CHECK(labels_add(&labels, 2, NULL) == 0, "memory");
    struct bandit *b = bandit_new(&options, &labels, &err);
    CHECK(b && bandit_grow(b, 60, &err) == 0 && bandit_features(b) == 60, "a small full matrix: %s",
          err.message);
    CHECK(b && bandit_grow(b, BANDIT_MOST_FULL / 2, &err) == -1, "a large one");
    CHECK(strcmp(err.message, "the full matrix of soba is for at most 5000 weights; there are 2500 "
                              "features and a bias x 2 classes")
              == 0,
          "%s", err.message);
    if (b)
        CHECK_INT(bandit_features(b), 60, "features");
    struct example far = {
        .line = 7, .size = 1, .index = (const int32_t[]){2500}, .value = (const double[]){1}};
    err = (struct error){.line = 0};
    CHECK(b && bandit_score(b, &far, &err) == 0 && bandit_learn(b, &far, 0, 1, 1, &err) == -1,
          "an example with too many features");
    CHECK_INT(err.line, 7, "its line");
    CHECK(b && bandit_learn(b, &far, 0, 1, 1, NULL) == -1, "and nobody to tell");
    bandit_free(b);
    options.full = false;
    b = bandit_new(&options, &labels, &err);
    err = (struct error){.line = 0};
    CHECK(b && bandit_grow(b, INT64_C(1) << 50, &err) == -1,
          "more features than any machine holds");
    CHECK(strstr(err.message, "for a model of 1125899906842624 features x 2 classes: "), "%s",
          err.message);
    bandit_free(b);

    check_group("rounds that are kept"); /* how long they will be is told from the first hundred */
    options = (struct bandit_options){
        .rule = &bandit_rcine_rule, .prior = 1, .period = INT64_C(1000000000000), .average = true};
    struct example x = {
        .line = 8, .size = 1, .index = (const int32_t[]){3}, .value = (const double[]){1}};
    b = bandit_new(&options, &labels, &err);
    err = (struct error){.line = 0};
    for (int t = 1; b && t <= 102; t++) /* a live run goes on after a line that is refused */
        CHECK_INT(bandit_score(b, &x, &err) == 0 ? bandit_learn(b, &x, 0, 0.5, 1, &err) : -1,
                  t <= 100 ? 0 : -1, "round %d", t);
    CHECK(strstr(err.message, "for the rounds between two estimates: "), "%s", err.message);
    struct weights w = {.rows = 0};
    CHECK(b && bandit_weights(b, &w, NULL) == 0 && w.rows == 4 && bandit_features(b) == 3,
          "%d rows of weights", (int)w.rows);
    weights_free(&w);
    bandit_free(b);

    check_group("steps that are not finite");
    options = (struct bandit_options){.rule = &bandit_bpa_rule, .prior = 1};
    b = bandit_new(&options, &labels, &err);
    err = (struct error){.line = 0};
    x.value = (const double[]){1e-155}; /* the square of its length is 1e-310 */
    CHECK(b && bandit_score(b, &x, &err) == 0 && bandit_learn(b, &x, 0, 1, 0, &err) == -1,
          "a step of 1e310");
    CHECK(err.line == 8
              && strcmp(err.message,
                        "a score or a step is not finite: values are too large or too small, or "
                        "1/p is too large")
                     == 0,
          "line %d: %s", (int)err.line, err.message);
    bandit_free(b);
    labels_free(&labels);
}

/* A round that is refused has not been, also for the mean of the weights, which is 0 before the
 * first round. */
static void check_refused(void)
{
    const struct bandit_options options = {.rule = &bandit_banditron_rule, .average = true};
    const struct example x = {
        .line = 3, .size = 1, .index = (const int32_t[]){1}, .value = (const double[]){1}};
    struct labels labels = {.count = 0};
    struct weights w;
    check_group("a round that is refused");
    CHECK(labels_parse("1-3", &labels, NULL) == 0, "labels");
    struct bandit *b = bandit_new(&options, &labels, NULL);
    CHECK(b && bandit_grow(b, 1, NULL) == 0 && bandit_weights(b, &w, NULL) == 0, "no round yet");
    for (int64_t cell = 0; cell < w.rows * w.stride; cell++)
        CHECK_NEAR(w.w[cell], 0, 0, "cell %d before the first round", (int)cell);
    weights_free(&w);
    for (int t = 0; b && t < 4; t++) {
        /* All scores are 0 at first, and the best label is the first; 1/p is then not finite. */
        const double p = t == 0 || t == 2 ? 1e-320 : 1;
        CHECK_INT(bandit_score(b, &x, NULL), 0, "round %d", t);
        CHECK_INT(bandit_learn(b, &x, 1, p, 1, NULL), p < 1 ? -1 : 0, "round %d", t);
    }
    /* By hand: after the first that is not refused w = -1, 1, 0; in the second the label is the
     * best one, and 1/p - 1 is 0.  So the mean is the same. */
    CHECK(b && bandit_weights(b, &w, NULL) == 0, "weights");
    CHECK_NEAR(w.w[w.stride], -1, 1e-15, "class 1");
    CHECK_NEAR(w.w[w.stride + 1], 1, 1e-15, "class 2");
    CHECK_NEAR(w.w[w.stride + 2], 0, 0, "class 3");
    weights_free(&w);
    bandit_free(b);
    labels_free(&labels);
}

/* Nor is it among the rounds that rcine keeps: its feature, larger than all others, would be an
 * input more of the network. */
static void check_refused_kept(void)
{
    enum { PERIOD = 40 };
    const struct bandit_options options = {
        .rule = &bandit_rcine_rule,
        .seed = 1,
        .threads = 1,
        .period = PERIOD,
        .estimator = NOISE_RATE_MLP,
        .network = {.layers = 1, .hidden = {3}, .epochs = 2},
    };
    const struct example far = {
        .size = 1, .index = (const int32_t[]){9}, .value = (const double[]){1}};
    struct labels labels = {.count = 0};
    double rho[2][2] = {{0}};
    check_group("a round that is refused, and kept rounds");
    CHECK(labels_parse("1-3", &labels, NULL) == 0, "labels");
    for (int refuses = 0; refuses < 2; refuses++) {
        struct bandit *b = bandit_new(&options, &labels, NULL);
        for (int t = 0; b && t < PERIOD; t++) {
            const struct example x = {
                .size = 1, .index = (const int32_t[]){1 + t % 3}, .value = (const double[]){1}};
            if (refuses && t == PERIOD / 2)
                CHECK(bandit_score(b, &far, NULL) == 0
                          && bandit_learn(b, &far, 1, 1e-320, 1, NULL) == -1,
                      "1/p is not finite");
            CHECK(bandit_score(b, &x, NULL) == 0
                      && bandit_learn(b, &x, t / 3 % 3, 0.5, t % 4 > 0, NULL) == 0,
                  "round %d", t);
        }
        if (b)
            memcpy(rho[refuses], bandit_rates(b), sizeof rho[refuses]);
        bandit_free(b);
    }
    CHECK(rho[0][0] > 0 && rho[0][1] > 0, "rates %g, %g", rho[0][0], rho[0][1]);
    for (int i = 0; i < 2; i++)
        CHECK_NEAR(rho[1][i], rho[0][i], 0, "rho%d", i);
    labels_free(&labels);
}

int main(void)
{
    check_open("one", 1, 1e9, 100);
    check_open("no more than fit in the first table", 64, 1e9, 400);
    check_open("as many as a second one has", 128, 1e9, 500);
    check_open("a number between two tables", 100, 1e9, 500);
    check_open("any number", 1000, 1e9, 700);
    check_open("few bytes", 1000, 470, 300);
    check_open("no bytes, but always one", 5, 0, 50);
    check_open("bytes that are often just enough", 1000, 3 * (8 + OF_A_ROUND), 300);
    check_sources();
    check_stopped_simulation();
    check_answers();
    check_told();
    check_rules();
    check_bytes();
    check_most_features();
    check_limits();
    check_refused();
    check_refused_kept();
    return check_finish();
}
