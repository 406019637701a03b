/* What a learner is given in passes over a problem: every example once a pass with its own class
 * and weight, in an order that goes on where an earlier run ended.  Of a stream those that weigh
 * something; of both no more after a signal. */
#include "check.h"
#include "common/linear/passes.h"

#include <stdlib.h>
#include <unistd.h>

enum { N = 40, SUBSET = 25, PASSES = 3 };

/* Writes down what it is given. */
struct listener {
    int64_t d;
    struct round_counts counts;
    int64_t seen[N * PASSES];
    bool good;         /* class and weight are the example's */
    int64_t last;      /* the round in which a signal comes; 0: in none */
    struct stop *stop; /* for that */
    int64_t reported;  /* rounds of the passes that were reported */
    int64_t passes;    /* how many were */
};

static int listen_grow(void *learner, int64_t d, struct error *err)
{
    (void)err;
    ((struct listener *)learner)->d = d;
    return 0;
}

static int listen_learn(void *learner, const struct example *x, int32_t y, double weight,
                        struct error *err)
{
    struct listener *l = learner;
    const int64_t i = x->line - 1;
    (void)err;
    l->seen[l->counts.rounds++] = i;
    l->good = l->good && y == i % 3 && check_near(weight, 1 + (double)i, 0);
    if (l->counts.rounds == l->last)
        l->stop->signal = 15;
    return 0;
}

static struct round_counts listen_counts(const void *learner)
{
    return ((const struct listener *)learner)->counts;
}

static void listen_report(void *context, int64_t pass, struct round_counts counts)
{
    struct listener *l = context;
    CHECK_INT(pass, ++l->passes, "number of the pass");
    l->reported += counts.rounds;
}

/* More passes, as p says, over these examples (NULL: all). */
static void run_passes(struct listener *l, const struct problem *problem, const int64_t *subset,
                       int64_t n, struct passes p)
{
    const struct round_learner learner = {l, listen_grow, listen_learn, listen_counts, NULL};
    int32_t y[N];
    double weight[N];
    for (int i = 0; i < N; i++) {
        y[i] = i % 3;
        weight[i] = 1 + i;
    }
    p.weight = weight;
    CHECK_INT(passes_over_problem(&learner, problem, y, subset, n, &p, NULL), 0, "passes");
}

static void run(struct listener *l, const struct problem *problem, const int64_t *subset, int64_t n,
                int64_t passes, bool shuffle, int64_t seed)
{
    run_passes(l, problem, subset, n,
               (struct passes){.count = passes, .shuffle = shuffle, .seed = seed});
}

/* Is each of these examples given once in each pass? */
static void check_seen(const struct listener *l, const int64_t *subset, int64_t n, int64_t passes)
{
    CHECK_INT(l->counts.rounds, n * passes, "rounds");
    CHECK(l->good, "classes and weights are those of the examples");
    for (int64_t pass = 0; pass < passes; pass++) {
        int times[N] = {0};
        for (int64_t t = 0; t < n; t++)
            times[l->seen[pass * n + t]]++;
        for (int64_t t = 0; t < n; t++)
            CHECK_INT(times[subset ? subset[t] : t], 1, "pass %d", (int)pass);
    }
}

static bool same_order(const int64_t *a, const int64_t *b, int64_t n)
{
    bool same = true;
    for (int64_t t = 0; t < n; t++)
        same = same && a[t] == b[t];
    return same;
}

/* ---- a stream, and signals ---- */

struct files {
    char data[32], weights[32];
};

/* An empty file at a path of its own: "/tmp/...XXXXXX". */
static void make_file(char *path)
{
    const int fd = mkstemp(path);
    CHECK(fd >= 0 && close(fd) == 0, "a file");
}

/* N lines of class i % 3 and weight 1 + i, but 0 where i % 4 = 3; then, where `bad`, one that is
 * none. */
static void write_files(const struct files *files, bool bad)
{
    FILE *data = fopen(files->data, "w"), *weights = fopen(files->weights, "w");
    CHECK(data && weights, "files");
    for (int i = 0; data && weights && i < N; i++) {
        fprintf(data, "%d 7:1\n", i % 3);
        fprintf(weights, "%d\n", i % 4 == 3 ? 0 : 1 + i);
    }
    if (bad && data && weights) {
        fputs("0 seven\n", data);
        fputs("one\n", weights);
    }
    CHECK(data && weights && fclose(data) == 0 && fclose(weights) == 0, "files");
}

/* PASSES passes over the files with a signal in this round, or, where last is 0, without one. */
static void run_stream(const struct files *files, int64_t last, struct listener *l,
                       struct milestones *milestones, struct class_runs *runs)
{
    struct stop stop = {.fd = -1};
    const struct round_learner learner = {l, listen_grow, listen_learn, listen_counts, NULL};
    const struct example_format format = {.bias = -1};
    struct labels labels = {.count = 0};
    struct error err = {.line = 0};
    *l = (struct listener){.good = true, .last = last, .stop = &stop};
    *milestones = (struct milestones){.stop = &stop};
    const struct passes p = {.count = PASSES,
                             .weights_file = files->weights,
                             .runs = runs,
                             .milestones = milestones,
                             .report = listen_report,
                             .context = l};
    CHECK_INT(labels_parse("0-2", &labels, NULL), 0, "labels");
    CHECK_INT(passes_over_stream(&learner, &labels, files->data, &format, 1, &p, &err), 0, "%s",
              err.message);
    CHECK(l->good, "classes and weights are those of the lines");
    labels_free(&labels);
}

/* Three of four lines weigh something. */
static void test_stream(void)
{
    enum { WEIGHED = N * 3 / 4 };
    struct listener l = {.good = true};
    struct milestones milestones;
    struct files files = {"/tmp/test_passes.XXXXXX", "/tmp/test_passes.XXXXXX"};
    check_group("a stream");
    make_file(files.data);
    make_file(files.weights);
    write_files(&files, false);
    struct class_runs runs = {0};
    int64_t of_first = 1;
    run_stream(&files, 0, &l, &milestones, &runs);
    for (int64_t r = 1; r < WEIGHED; r++)
        of_first += l.seen[r] % 3 != l.seen[r - 1] % 3;
    CHECK_INT(runs.examples, WEIGHED, "examples whose order is told of: those of the first pass");
    CHECK_INT(runs.runs, of_first, "runs of one class among them");
    CHECK_INT(l.counts.rounds, WEIGHED * PASSES, "rounds");
    for (int64_t t = 0; t < l.counts.rounds; t++)
        CHECK_INT(l.seen[t], t % WEIGHED / 3 * 4 + t % 3, "round %d", (int)t);
    CHECK_INT(milestones.done, WEIGHED * PASSES, "what counts");
    CHECK(!milestones.stopped, "nothing stops it");
    CHECK_INT(l.passes, PASSES, "passes that are reported");
    CHECK_INT(l.reported, WEIGHED * PASSES, "their rounds");

    check_group("a stream that is stopped");
    run_stream(&files, WEIGHED + 5, &l, &milestones, NULL);
    CHECK_INT(l.counts.rounds, WEIGHED + 5, "rounds");
    CHECK_INT(milestones.done, WEIGHED + 5, "what counts");
    CHECK(milestones.stopped, "it was stopped");
    CHECK_INT(l.passes, 1, "a pass that is not whole is not reported");
    CHECK_INT(l.reported, WEIGHED, "rounds of the first");

    check_group("a stream that is stopped before a bad line");
    write_files(&files, true);
    run_stream(&files, WEIGHED, &l, &milestones, NULL);
    CHECK_INT(l.counts.rounds, WEIGHED, "rounds");
    CHECK_INT(l.passes, 0, "passes that are reported");
    unlink(files.data);
    unlink(files.weights);
}

static void test_held_stop(const struct problem *problem)
{
    struct stop stop = {.fd = -1};
    struct milestones milestones = {.stop = &stop};
    struct listener l = {.good = true, .last = N + 5, .stop = &stop};
    check_group("in memory, stopped");
    run_passes(
        &l, problem, NULL, N,
        (struct passes){
            .count = PASSES, .milestones = &milestones, .report = listen_report, .context = &l});
    CHECK_INT(l.counts.rounds, N + 5, "rounds");
    CHECK_INT(milestones.done, N + 5, "what counts");
    CHECK_INT(l.passes, 1, "a pass that is not whole is not reported");
    CHECK_INT(l.reported, N, "rounds of the first");
}

int main(void)
{
    static struct listener whole, parts, other, part;
    static const int32_t index[] = {7};
    static const double value[] = {1};
    struct problem problem = {0};
    int64_t subset[SUBSET];
    check_group("in file order");
    for (int i = 0; i < N; i++) {
        const struct example x = {.line = i + 1, .size = 1, .index = index, .value = value};
        CHECK_INT(problem_append_example(&problem, &x, NULL), 0, "memory");
    }
    for (int i = 0; i < SUBSET; i++)
        subset[i] = N - 1 - i;
    part.good = whole.good = parts.good = other.good = true;
    run(&part, &problem, subset, SUBSET, PASSES, false, 1);
    check_seen(&part, subset, SUBSET, PASSES);
    CHECK_INT(part.d, 7, "features");
    for (int64_t t = 0; t < SUBSET * PASSES; t++)
        CHECK_INT(part.seen[t], subset[t % SUBSET], "round %d", (int)t);

    check_group("in random order");
    run(&whole, &problem, NULL, N, PASSES, true, 1);
    check_seen(&whole, NULL, N, PASSES);
    for (int64_t pass = 0; pass + 1 < PASSES; pass++)
        CHECK(!same_order(whole.seen + pass * N, whole.seen + (pass + 1) * N, N),
              "another order in pass %d", (int)pass + 1);
    /* One pass after the other, as when a model is trained on: the same rounds. */
    for (int pass = 0; pass < PASSES; pass++)
        run(&parts, &problem, NULL, N, 1, true, 1);
    CHECK(same_order(parts.seen, whole.seen, N * PASSES), "goes on as in one run");
    run(&other, &problem, NULL, N, 1, true, 2);
    CHECK(!same_order(other.seen, whole.seen, N), "another order by another seed");
    part = (struct listener){.good = true};
    run(&part, &problem, subset, SUBSET, PASSES, true, 1);
    check_seen(&part, subset, SUBSET, PASSES);
    test_held_stop(&problem);
    problem_free(&problem);
    test_stream();
    return check_finish();
}
