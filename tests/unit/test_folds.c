/* Folds, and cross-validation of a linear classifier by them. */
#include "check.h"
#include "common/base/error.h"
#include "common/base/memory.h"
#include "common/base/random.h"
#include "common/data/copies.h"
#include "common/data/folds.h"
#include "common/linear/cross_validation.h"

#include <stdlib.h>
#include <string.h>

/* folds_assign of examples of which none are copies. */
static int assign(const int32_t *y, int64_t n, int64_t classes, int64_t folds, int64_t seed,
                  int64_t *fold, struct error *err)
{
    const struct fold_examples all = {.n = n, .classes = classes, .y = y};
    return folds_assign(&all, folds, seed, fold, err);
}

static void check_folds(void)
{
    enum { N = 1003, K = 5, FOLDS = 7 };
    static int32_t y[N];
    static int64_t fold[N], again[N];
    struct random g = {9};
    int64_t of_class[K] = {0}, in_fold[FOLDS] = {0}, both[K][FOLDS] = {{0}};
    check_group("stratified folds");
    for (int i = 0; i < N; i++) {
        y[i] = (int32_t)(random_uniform(&g) * random_uniform(&g) * K);
        of_class[y[i]]++;
    }
    CHECK(assign(y, N, K, FOLDS, 1, fold, NULL) == 0 && assign(y, N, K, FOLDS, 1, again, NULL) == 0,
          "assigned");
    CHECK(memcmp(fold, again, sizeof fold) == 0, "the same seed, the same folds");
    for (int i = 0; i < N; i++) {
        in_fold[fold[i]]++;
        both[y[i]][fold[i]]++;
    }
    for (int f = 0; f < FOLDS; f++) {
        CHECK(in_fold[f] == N / FOLDS || in_fold[f] == N / FOLDS + 1, "size of fold %d: %lld", f,
              (long long)in_fold[f]);
        for (int k = 0; k < K; k++)
            CHECK(both[k][f] >= of_class[k] / FOLDS && both[k][f] <= of_class[k] / FOLDS + 1,
                  "class %d in fold %d", k, f);
    }
    CHECK(assign(y, N, K, FOLDS, 2, again, NULL) == 0 && memcmp(fold, again, sizeof fold) != 0,
          "another seed, other folds");
    struct error err = {0};
    CHECK(assign(y, 3, K, 4, 1, fold, &err) == -1
              && strcmp(err.message, "4 folds need at least as many examples; there are 3") == 0,
          "too many: %s", err.message);
    CHECK(assign(y, 3, K, 1, 1, fold, &err) == -1
              && strcmp(err.message, "1 folds need at least as many examples; there are 3") == 0,
          "too few: %s", err.message);
    CHECK(assign(y, 3, K, 3, 1, fold, NULL) == 0, "just as many as there are");
    CHECK(assign(y, 3, K, 2, 1, fold, NULL) == 0, "as few as there may be");
}

/* ---- copies ---- */

enum { COPIES_POINTS = 120, COPIES_TIMES = 3, COPIES_N = COPIES_POINTS * COPIES_TIMES };

/* Each point three times, far apart in the file, with its class or, of `others` copies, the other
 * one; where `odd` is not 0, all copies are told apart by a feature. */
static void make_copies(struct problem *problem, int32_t *y, int others, double odd)
{
    *problem = (struct problem){0};
    for (int i = 0; i < COPIES_N; i++) {
        const int point = i % COPIES_POINTS;
        const int32_t index[] = {1 + point % 7, 9, 10};
        const double value[] = {1 + point, 0.5, odd * i};
        const struct example x = {.index = index, .value = value, .size = odd > 0 ? 3 : 2};
        CHECK_INT(problem_append_example(problem, &x, NULL), 0, "example %d", i);
        y[i] = (point % 2 + (i >= COPIES_N - others)) % 2;
    }
}

/* Folds of all examples; together: copies are. */
static void assign_copies(const struct problem *problem, const int32_t *y, bool together,
                          int64_t folds, int64_t *fold)
{
    struct fold_examples all = {.n = problem->n, .classes = 2, .y = y};
    struct error err = {0};
    int64_t *first = NULL;
    if (together)
        CHECK(copies_find(problem, y, &first, &err) == 0, "%s", err.message);
    all.first = first;
    CHECK(folds_assign(&all, folds, 3, fold, &err) == 0, "%s", err.message);
    memory_free(first);
}

/* How many copies are not in the fold of the first. */
static int64_t count_apart(const int64_t *fold)
{
    int64_t apart = 0;
    for (int i = 0; i < COPIES_N; i++)
        apart += fold[i] != fold[i % COPIES_POINTS];
    return apart;
}

static void check_copies(void)
{
    struct problem problem;
    int32_t y[COPIES_N];
    int64_t fold[COPIES_N], plain[COPIES_N], in_fold[4] = {0};
    check_group("folds of examples that occur three times");
    make_copies(&problem, y, 0, 0);
    assign_copies(&problem, y, true, 4, fold);
    assign_copies(&problem, y, false, 4, plain);
    CHECK_INT(count_apart(fold), 0, "copies in several folds");
    CHECK(count_apart(plain) > COPIES_POINTS, "dealt out one by one they are");
    for (int i = 0; i < COPIES_N; i++)
        in_fold[fold[i]]++;
    for (int f = 0; f < 4; f++)
        CHECK_INT(in_fold[f], COPIES_N / 4, "examples in fold %d", f);
    CHECK_INT(problem_to_disk(&problem, ".", NULL), 0, "to disk");
    assign_copies(&problem, y, true, 4, plain);
    CHECK(memcmp(fold, plain, sizeof fold) == 0, "on disk as in memory");
    problem_free(&problem);

    check_group("copies whose labels differ, and examples that only look like copies");
    const struct {
        int others;
        double odd;
        bool together;
    } cases[] = {{12, 0, true}, {13, 0, false}, {0, 1e-9, false}};
    for (int c = 0; c < 3; c++) {
        make_copies(&problem, y, cases[c].others, cases[c].odd);
        assign_copies(&problem, y, true, 4, fold);
        assign_copies(&problem, y, false, 4, plain);
        if (cases[c].together)
            CHECK(count_apart(fold) <= cases[c].others, "case %d", c);
        else
            CHECK(count_apart(fold) > COPIES_POINTS, "case %d", c);
        CHECK((memcmp(fold, plain, sizeof fold) == 0) == !cases[c].together,
              "folds as of other examples, case %d", c);
        problem_free(&problem);
    }
}

/* A fold for what is most of a class would leave none of it to learn from. */
static void check_many_copies(void)
{
    struct problem problem = {0};
    int32_t y[60];
    int64_t fold[60], in_fold[2][3] = {{0}};
    check_group("an example that is most of its class, and many without features");
    for (int i = 0; i < 60; i++) {
        const int32_t index = i < 21 ? 1 : 1 + i;
        const double value = 1;
        const struct example x = {.index = &index, .value = &value, .size = i < 50};
        CHECK_INT(problem_append_example(&problem, &x, NULL), 0, "example %d", i);
        y[i] = i >= 30;
    }
    assign_copies(&problem, y, true, 3, fold);
    for (int i = 0; i < 60; i++)
        if (i < 21 || i >= 50)
            in_fold[y[i]][fold[i]]++;
    for (int f = 0; f < 3; f++)
        for (int k = 0; k < 2; k++)
            CHECK(in_fold[k][f] > 0, "none of class %d in fold %d", k, f);
    problem_free(&problem);
}

/* Folds with these copies. */
static void assign_grouped(const int32_t *y, const int64_t *first, int64_t n, int64_t folds,
                           int64_t *fold)
{
    const struct fold_examples all = {.n = n, .classes = 2, .y = y, .first = first};
    CHECK_INT(folds_assign(&all, folds, 5, fold, NULL), 0, "assigned");
}

static void check_groups(void)
{
    int32_t y[24];
    int64_t first[24], fold[24], plain[24], in_fold[5] = {0};

    check_group("groups of one example");
    for (int i = 0; i < 24; i++) {
        y[i] = i % 3 == 0;
        first[i] = i;
    }
    /* Whether one has looked for copies or not: there are none. */
    assign_grouped(y, first, 24, 5, fold);
    assign_grouped(y, NULL, 24, 5, plain);
    CHECK(memcmp(fold, plain, sizeof fold) == 0, "folds as without groups");

    check_group("a group that is half of its class");
    for (int i = 0; i < 16; i++) {
        y[i] = i % 2;
        first[i] = i % 2 == 0 && i < 8 ? 0 : i;
    }
    /* Of class 0 four are copies, and the other four make up for them in the other fold. */
    assign_grouped(y, first, 16, 2, fold);
    for (int i = 0; i < 16; i += 2)
        CHECK_INT(fold[i], i < 8 ? fold[0] : 1 - fold[0], "example %d", i);

    check_group("a group that is most of the last class");
    for (int i = 0; i < 24; i++) {
        y[i] = i >= 12;
        first[i] = i >= 12 && i < 20 ? 12 : i;
    }
    assign_grouped(y, first, 24, 3, fold);
    assign_grouped(y, NULL, 24, 3, plain);
    CHECK(memcmp(fold, plain, sizeof fold) == 0, "folds as without groups");

    check_group("fewer groups than folds");
    for (int i = 0; i < 12; i++) {
        y[i] = i / 6;
        first[i] = i / 3 * 3;
    }
    /* None is more than half of its class; but four groups would leave a fold empty. */
    assign_grouped(y, first, 12, 5, fold);
    assign_grouped(y, NULL, 12, 5, plain);
    for (int i = 0; i < 12; i++)
        in_fold[fold[i]]++;
    for (int f = 0; f < 5; f++)
        CHECK(in_fold[f] > 0, "none in fold %d", f);
    CHECK(memcmp(fold, plain, 12 * sizeof *fold) == 0, "folds as without groups");

    check_group("as many groups as folds");
    memset(in_fold, 0, sizeof in_fold);
    assign_grouped(y, first, 12, 4, fold);
    for (int i = 0; i < 12; i++) {
        CHECK_INT(fold[i], fold[first[i]], "example %d", i);
        in_fold[fold[i]]++;
    }
    for (int f = 0; f < 4; f++)
        CHECK_INT(in_fold[f], 3, "in fold %d", f);

    check_group("a class after one that is not even");
    for (int i = 0; i < 16; i++) {
        y[i] = i >= 10;
        first[i] = i < 5 ? 0 : i;
    }
    /* Five of class 0 are copies, so that another fold has but two of it; class 1 is dealt out
     * evenly all the same. */
    memset(in_fold, 0, sizeof in_fold);
    assign_grouped(y, first, 16, 3, fold);
    for (int i = 10; i < 16; i++)
        in_fold[fold[i]]++;
    for (int f = 0; f < 3; f++)
        CHECK_INT(in_fold[f], 2, "of class 1 in fold %d", f);
}

/* Which classes have a group that is most of them. */
static void check_large(const struct fold_examples *x, const bool *want)
{
    bool large[3] = {true, true, true};
    CHECK_INT(folds_find_large_groups(x, large, NULL), 0, "found");
    for (int64_t k = 0; k < x->classes; k++)
        CHECK(large[k] == want[k], "a large group of class %lld: %d", (long long)k, large[k]);
}

/* Groups of six: four and two of either class, and in one of them the only example of a third. */
static void check_groups_of_classes(void)
{
    enum { N = 72, SIZE = 6, FOLDS = 4 };
    int32_t y[N];
    int64_t first[N], fold[N], in_fold[2][FOLDS] = {{0}};
    const struct fold_examples all = {.n = N, .classes = 3, .y = y, .first = first};

    check_group("groups of several classes");
    for (int i = 0; i < N; i++) {
        first[i] = i / SIZE * SIZE;
        y[i] = (i % SIZE < 4) != (i / SIZE % 2);
    }
    y[N - 1] = 2;
    CHECK_INT(folds_assign(&all, FOLDS, 5, fold, NULL), 0, "assigned");
    for (int i = 0; i < N; i++) {
        CHECK_INT(fold[i], fold[first[i]], "example %d", i);
        if (y[i] < 2)
            in_fold[y[i]][fold[i]]++;
    }
    /* All have class 0 and go by it: to the fold with the fewest, so that no fold has a whole group
     * of it more than another.  Of class 1 each has at least what three groups have. */
    for (int f = 0; f < FOLDS; f++) {
        CHECK(llabs(in_fold[0][f] - in_fold[0][0]) <= 4, "class 0 in fold %d", f);
        CHECK(in_fold[1][f] >= 6, "class 1 in fold %d", f);
    }

    check_group("a group that is most of one of its classes");
    for (int i = 0; i < N; i++) {
        first[i] = i < 24 ? 0 : i / SIZE * SIZE;
        y[i] = i < 24 ? i % 2 : 0;
    }
    /* All of class 1 is in it: dealt out one by one. */
    check_large(&all, (const bool[]){false, true, false});
    memset(in_fold, 0, sizeof in_fold);
    CHECK_INT(folds_assign(&all, FOLDS, 5, fold, NULL), 0, "assigned");
    for (int i = 1; i < 24; i += 2)
        in_fold[1][fold[i]]++;
    for (int f = 0; f < FOLDS; f++)
        CHECK_INT(in_fold[1][f], 3, "of class 1 in fold %d", f);
    for (int i = 0; i < N; i++)
        if (y[i] == 0)
            CHECK_INT(fold[i], fold[first[i]], "example %d", i);

    check_group("the only example of a class, in a group of another one");
    for (int i = 0; i < N; i++)
        y[i] = i == N - 1;
    for (int seed = 1; seed < 9; seed++) {
        CHECK_INT(folds_assign(&all, FOLDS, seed, fold, NULL), 0, "assigned");
        CHECK_INT(fold[N - 1], fold[first[N - 1]], "its fold");
    }

    check_group("large and small groups of few examples");
    const int32_t few[] = {0, 0, 0, 0, 1, 1, 2, 2, 2};
    const int64_t of[] = {0, 0, 0, 3, 3, 5, 6, 6, 8};
    const struct fold_examples nine = {.n = 9, .classes = 3, .y = few, .first = of};
    check_large(&nine, (const bool[]){true, false, true});
    for (int seed = 1; seed < 9; seed++) {
        CHECK_INT(folds_assign(&nine, 2, seed, fold, NULL), 0, "assigned");
        CHECK_INT(fold[0] + fold[1] + fold[2] + fold[3], 2, "half of class 0 in either fold");
        CHECK_INT(fold[4], fold[3], "together");
        CHECK_INT(fold[5], 1 - fold[4], "where none of the class is yet");
    }
}

/* How many of class k are in the group of example i? */
static int64_t count_together(const struct fold_examples *x, int64_t k, int64_t i)
{
    int64_t together = 0;
    for (int64_t j = 0; j < x->n; j++)
        together += x->y[j] == k && x->first[j] == x->first[i];
    return together;
}

/* Groups and classes at random, of few examples: those of a group that is more than half of a class
 * have no say, all others are in one fold, unless there are fewer groups than folds. */
static void check_any_groups(void)
{
    enum { MOST = 16, K = 4 };
    int32_t y[MOST];
    int64_t first[MOST], fold[MOST], cases[2] = {0};
    struct random g = {12};
    check_group("groups at random");
    for (int round = 0; round < 2000; round++) {
        const struct fold_examples x = {
            .n = 4 + random_below(&g, MOST - 3), .classes = K, .y = y, .first = first};
        const int64_t folds = 2 + random_below(&g, 3), most = 1 + random_below(&g, x.n);
        int64_t of_class[K] = {0}, of[MOST], apart = 0, cards = 0;
        bool want[K] = {false}, large[K], alone[MOST];
        for (int64_t i = 0; i < x.n; i++) {
            of[i] = random_below(&g, most);
            y[i] = (int32_t)random_below(&g, K);
            of_class[y[i]]++;
            first[i] = 0;
            while (of[first[i]] != of[i])
                first[i]++;
        }
        for (int64_t i = 0; i < x.n; i++) {
            const int64_t together = count_together(&x, y[i], i);
            alone[i] = together > 1 && 2 * together > of_class[y[i]];
            want[y[i]] |= alone[i];
            cards += alone[i] || first[i] == i;
        }
        CHECK_INT(folds_find_large_groups(&x, large, NULL), 0, "found");
        for (int k = 0; k < K; k++)
            CHECK(large[k] == want[k], "round %d: a large group of class %d: %d", round, k,
                  large[k]);
        CHECK_INT(folds_assign(&x, folds, round, fold, NULL), 0, "assigned");
        for (int64_t i = 0; i < x.n; i++)
            for (int64_t j = 0; j < i; j++)
                apart += !alone[i] && !alone[j] && first[i] == first[j] && fold[i] != fold[j];
        cases[cards < folds]++;
        if (cards >= folds)
            CHECK_INT(apart, 0, "round %d: pairs of a group in two folds", round);
    }
    CHECK(cases[0] > 1000 && cases[1] > 100, "%d and %d rounds", (int)cases[0], (int)cases[1]);
}

/* ---- who is a copy ---- */

static void append(struct problem *problem, const int32_t *index, const double *value, int64_t size)
{
    const struct example x = {.index = index, .value = value, .size = size};
    CHECK_INT(problem_append_example(problem, &x, NULL), 0, "memory");
}

/* Values that differ by rounding, and zeros that are written, make no difference; another feature
 * does, and so does another label.  Examples without features are nobody's copies, and their labels
 * do not tell whether those of copies agree. */
static void check_who(void)
{
    static const int32_t one[] = {1}, two[] = {2}, both[] = {1, 2};
    static const int32_t y[] = {0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 1};
    static const int64_t want[] = {0, 0, 0, 0, 4, 5, 6, 7, 8, 9, 10};
    const double value[] = {1, nextafter(1, 0), nextafter(1, 2)}, zero[] = {1, 0}, near = 1 + 1e-9;
    struct problem problem = {0};
    int64_t *first;
    check_group("which examples are copies");
    for (int i = 0; i < 3; i++)
        append(&problem, one, &value[i], 1);
    append(&problem, both, zero, 2);
    append(&problem, two, value, 1);
    append(&problem, one, &near, 1);
    append(&problem, two, &near, 1);
    for (int i = 7; i < 11; i++)
        append(&problem, one, zero + 1, i % 2);
    CHECK(copies_find(&problem, y, &first, NULL) == 0 && first, "found");
    for (int i = 0; first && i < 11; i++)
        CHECK_INT(first[i], want[i], "example %d", i);
    memory_free(first);
    problem_free(&problem);
}

/* n examples alike, of which two have another label.  Of the n - 1 that repeat one at most a
 * twentieth may: two of 40. */
static void check_labels_of_copies(void)
{
    static const int32_t index[] = {3};
    static const double value[] = {0.5};
    int32_t y[41];
    check_group("copies of which few have another label");
    for (int n = 40; n <= 41; n++) {
        for (int32_t other = 0; other < 2; other++) {
            struct problem problem = {0};
            int64_t *first;
            for (int i = 0; i < n; i++) {
                append(&problem, index, value, 1);
                y[i] = i == 7 || i == 9 ? other : 1 - other;
            }
            CHECK_INT(copies_find(&problem, y, &first, NULL), 0, "found");
            CHECK((first != NULL) == (n == 41), "%d examples", n);
            for (int i = 0; first && i < n; i++)
                CHECK_INT(first[i], i == 7 || i == 9 ? 7 : 0, "example %d", i);
            memory_free(first);
            problem_free(&problem);
        }
    }
}

/* Of some examples without the first of some copies, and of examples without copies. */
static void check_copies_among_some(void)
{
    static const int64_t first[] = {0, 1, 0, 3, 1, 0, 1, 3}, some[] = {2, 3, 4, 5, 6},
                         want[] = {0, 1, 2, 0, 2};
    int64_t *among;
    check_group("copies among some examples");
    CHECK_INT(copies_among(first, 8, some, 5, &among, NULL), 0, "found");
    CHECK(memcmp(among, want, sizeof want) == 0, "the first of each");
    memory_free(among);
    CHECK(copies_among(NULL, 8, some, 5, &among, NULL) == 0 && !among, "there are none");
}

/* Folds of several sizes, one of them empty. */
static void check_list(void)
{
    static const int64_t fold[] = {3, 0, 3, 1, 0, 3}, want[] = {1, 4, 3, 0, 2, 5},
                         want_start[] = {0, 2, 3, 3, 6};
    int64_t order[6], start[5] = {7, 7, 7, 7, 7};
    check_group("a list of the folds");
    folds_list(fold, 6, 4, order, start);
    CHECK(memcmp(order, want, sizeof order) == 0, "their examples");
    CHECK(memcmp(start, want_start, sizeof start) == 0, "where they start");
}

enum { CV_EXAMPLES = 12, CV_FOLDS = 4 };

struct cv {
    int64_t fold[CV_EXAMPLES];
    bool fails[CV_FOLDS];
};

/* Learn that a positive feature means class 1; or fail, with the number of the fold left out. */
static int cv_fit(const void *context, const int64_t *subset, int64_t n, struct weights *w,
                  struct error *err)
{
    const struct cv *cv = context;
    bool used[CV_FOLDS] = {false};
    int64_t left_out = 0;
    for (int64_t i = 0; i < n; i++)
        used[cv->fold[subset[i]]] = true;
    while (left_out < CV_FOLDS - 1 && used[left_out])
        left_out++;
    if (used[left_out] || n != CV_EXAMPLES - CV_EXAMPLES / CV_FOLDS)
        return error_set(err, "%d examples in a fit", (int)n);
    if (cv->fails[left_out])
        return error_set(err, "fold %d", (int)left_out);
    *w = weights_make(1, 0);
    if (weights_grow(w, 1, err) != 0)
        return -1;
    w->w[w->stride] = 1;
    return 0;
}

static void check_cross_validation(void)
{
    check_group("cross-validation");
    static const int32_t index[] = {1};
    struct problem p = {.n = 0};
    struct cv cv = {.fails = {false}};
    struct error err = {0};
    int32_t y[CV_EXAMPLES];
    struct cross_validation validation = {.problem = &p,
                                          .examples = {.n = CV_EXAMPLES, .classes = 2, .y = y},
                                          .folds = CV_FOLDS,
                                          .seed = 3,
                                          .fit = cv_fit,
                                          .context = &cv};
    for (int32_t i = 0; i < CV_EXAMPLES; i++) {
        const double value = i % 2 == 0 ? -1 : 1;
        const struct example x = {.size = 1, .index = index, .value = &value};
        y[i] = i % 2 != (i == 5); /* one of them is wrong */
        CHECK(problem_append_example(&p, &x, &err) == 0, "%s", err.message);
    }
    CHECK(assign(y, CV_EXAMPLES, 2, CV_FOLDS, 3, cv.fold, &err) == 0, "%s", err.message);
    for (int failing = 0; failing < 1 << CV_FOLDS; failing++) {
        int64_t correct = 0;
        int first = -1;
        char want[16] = "";
        for (int f = CV_FOLDS - 1; f >= 0; f--) {
            cv.fails[f] = failing >> f & 1;
            if (cv.fails[f])
                first = f;
        }
        if (first >= 0)
            snprintf(want, sizeof want, "fold %d", first);
        for (validation.threads = 1; validation.threads <= 3; validation.threads++) {
            err = (struct error){0};
            CHECK_INT(cross_validate_linear(&validation, &correct, &err), first >= 0 ? -1 : 0,
                      "folds %x fail", (unsigned)failing);
            CHECK(strcmp(err.message, want) == 0, "%s instead of %s", err.message, want);
            CHECK(first >= 0 || correct == CV_EXAMPLES - 1, "%d are right", (int)correct);
        }
    }
    problem_free(&p);
}

/* The scores are those of the models that have not seen the example; a score of 0 is class 0. */
static void check_scores(void)
{
    static const int32_t index[] = {1};
    static const double value[CV_EXAMPLES] = {-2, 1, 0, 3, -1, 2, -3, 1, 0, 2, -1, 4};
    struct problem p = {.n = 0};
    struct cv cv = {.fails = {false}};
    double scores[CV_EXAMPLES];
    int32_t y[CV_EXAMPLES];
    int64_t correct = 0;
    const struct cross_validation validation = {
        .problem = &p,
        .examples = {.n = CV_EXAMPLES, .classes = 2, .y = y},
        .folds = CV_FOLDS,
        .seed = 3,
        .threads = 2,
        .fit = cv_fit,
        .context = &cv,
        .scores = scores};
    check_group("scores of cross-validation");
    for (int32_t i = 0; i < CV_EXAMPLES; i++) {
        const struct example x = {.size = 1, .index = index, .value = &value[i]};
        y[i] = i % 2;
        CHECK(problem_append_example(&p, &x, NULL) == 0, "memory");
    }
    CHECK(assign(y, CV_EXAMPLES, 2, CV_FOLDS, 3, cv.fold, NULL) == 0, "folds");
    CHECK_INT(cross_validate_linear(&validation, &correct, NULL), 0, "validated");
    CHECK_INT(correct, CV_EXAMPLES, "right");
    for (int i = 0; i < CV_EXAMPLES; i++)
        CHECK_NEAR(scores[i], value[i], 0, "example %d", i);
    problem_free(&p);
}

int main(void)
{
    check_folds();
    check_copies();
    check_many_copies();
    check_groups();
    check_groups_of_classes();
    check_any_groups();
    check_who();
    check_labels_of_copies();
    check_copies_among_some();
    check_list();
    check_cross_validation();
    check_scores();
    return check_finish();
}
