/* The classifier in place of softmax regression, learnt from a part of weighted examples: for the
 * folds of a cross-validation. */
#include "check.h"
#include "common/linear/weights.h"
#include "learners/estimate/confusion_estimate.h"
#include "learners/features/map_kernel.h"
#include "words.h"

#include <string.h>

enum { N = 240, DIMS = 20 };

static const double c[K * K] = {.7, .1, .1, .1, .1, .7, .1, .1, .1, .1, .7, .1, .1, .1, .1, .7};

/* Texts with labels and weights. */
struct weighted {
    struct problem problem;
    int32_t y[N];
    double weight[N];
};

/* w: out, by a subset of the examples, with their weights unless they are to count alike. */
static void learn_part(const struct weighted *from, const struct estimate *e, const int64_t *subset,
                       int64_t n, bool weighted, struct weights *w)
{
    struct labels labels = {0};
    struct error err = {0};
    const struct labelled data = {.problem = &from->problem, .y = from->y, .labels = &labels};
    const struct estimate_options options = {.map = ESTIMATE_AUTO,
                                             .predicts = true,
                                             .map_dims = DIMS,
                                             .fit = {.weight = weighted ? from->weight : NULL,
                                                     .lambda = -1,
                                                     .steps = -1,
                                                     .seed = 1,
                                                     .threads = 1}};
    CHECK(labels_parse("0-3", &labels, &err) == 0, "%s", err.message);
    CHECK(estimate_classifier_of(e, &data, &options, subset, n, w, &err) == 0, "%s", err.message);
    labels_free(&labels);
}

static bool same_weights(const struct weights *a, const struct weights *b)
{
    if (a->rows != b->rows || a->stride != b->stride)
        return false;
    return memcmp(a->w, b->w, (size_t)(a->rows * a->stride) * sizeof *a->w) == 0;
}

/* Two examples in three, with weights of their own, are learnt from as if there were no others: to
 * the same bytes as from data that hold these alone.  That their weights count at all is told by
 * the same part without weights. */
static void test_part(const char *name, const struct weighted *all, const struct estimate *e)
{
    static struct weighted part;
    struct weights of_part = {0}, alone = {0}, even = {0};
    int64_t subset[N], every[N], n = 0;
    check_group("a part of weighted examples, %s", name);
    part.problem = (struct problem){0};
    for (int64_t i = 0; i < N; i++) {
        if (i % 3 == 0)
            continue;
        CHECK(problem_append_from(&part.problem, &all->problem, i, false, NULL) == 0, "memory");
        part.y[n] = all->y[i];
        part.weight[n] = all->weight[i];
        subset[n] = i;
        every[n] = n;
        n++;
    }
    learn_part(all, e, subset, n, true, &of_part);
    learn_part(&part, e, every, n, true, &alone);
    learn_part(all, e, subset, n, false, &even);
    CHECK(of_part.rows > 1 && same_weights(&of_part, &alone),
          "other weights than from these examples alone");
    CHECK(!same_weights(&of_part, &even), "the weights of the examples say nothing");
    weights_free(&of_part);
    weights_free(&alone);
    weights_free(&even);
    problem_free(&part.problem);
}

int main(void)
{
    static struct weighted all;
    static double copy[K * K];
    struct feature_map map = {0};
    struct error err = {0};
    const struct map_kernel kernel = {.gamma = 0.5};
    const struct estimate svm = {.n = N,
                                 .classes = K,
                                 .matrix.c = copy,
                                 .classifier.kind = ESTIMATE_SVM,
                                 .svm.softmax = {.lambda = 1e-3, .steps = 5}},
                          ridge = {.n = N,
                                   .classes = K,
                                   .matrix.c = copy,
                                   .classifier.kind = ESTIMATE_RIDGE,
                                   .input.map = &map};
    check_group("texts and a map");
    memcpy(copy, c, sizeof copy);
    make_words(5, 0.4, N, &all.problem, all.y);
    for (int i = 0; i < N; i++)
        all.weight[i] = 1 + i % 5;
    CHECK(map_of_kernel(&all.problem, DIMS, kernel, 1, 1, &map, &err) == 0, "%s", err.message);
    test_part("an SVM", &all, &svm);
    test_part("kernel ridge regression", &all, &ridge);
    feature_map_free(&map);
    problem_free(&all.problem);
    return check_finish();
}
