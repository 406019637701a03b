/* What a learner is given in passes over a problem: every example once a pass with its own class
 * and weight, in an order that goes on where an earlier run ended. */
#include "check.h"
#include "common/linear/passes.h"

enum { N = 40, SUBSET = 25, PASSES = 3 };

/* Writes down what it is given. */
struct listener {
    int64_t d;
    struct round_counts counts;
    int64_t seen[N * PASSES];
    bool good; /* class and weight are the example's */
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
    return 0;
}

static struct round_counts listen_counts(const void *learner)
{
    return ((const struct listener *)learner)->counts;
}

/* `passes` more passes over these examples (NULL: all). */
static void run(struct listener *l, const struct problem *problem, const int64_t *subset, int64_t n,
                int64_t passes, bool shuffle, int64_t seed)
{
    const struct round_learner learner = {l, listen_grow, listen_learn, listen_counts, NULL};
    int32_t y[N];
    double weight[N];
    for (int i = 0; i < N; i++) {
        y[i] = i % 3;
        weight[i] = 1 + i;
    }
    const struct passes p = {.count = passes, .shuffle = shuffle, .seed = seed, .weight = weight};
    CHECK_INT(passes_over_problem(&learner, problem, y, subset, n, &p, NULL), 0, "passes");
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
    problem_free(&problem);
    return check_finish();
}
