/* The list of suspects from an estimate of all examples, and of a sample, by the formulas of
 * suspicion.h; and what its table says. */
#include "check.h"
#include "forward_drawn.h"
#include "learners/estimate/cross_scores.h"
#include "learners/noise/calibration.h"
#include "learners/suspects/suspects_table.h"

#include <string.h>

enum { N = 300, K = 3 };

static const double c[K * K] = {0.7, 0.1, 0.1, 0.1, 0.8, 0.3, 0.2, 0.1, 0.6};

/* ---- scores ---- */

/* The list by these probabilities, n x K: v is the part of their differences from the labels that
 * is not chance, and counts as suspicion.h has it.  list: out. */
static void list_plainly(const double *p, const int32_t *y, double v, struct suspicion *list)
{
    double explained = 0, disagreement = 0, r[K];
    for (int i = 0; i < N; i++) {
        double observed = 0;
        for (int k = 0; k < K; k++)
            observed += c[y[i] * K + k] * p[i * K + k];
        explained += 1 - c[y[i] * K + y[i]] * p[i * K + y[i]] / observed;
        disagreement += 1 - p[i * K + y[i]];
    }
    const double a = fmax(v, 0.1) * fmax(1 - explained / disagreement, 0) / 2;
    for (int i = 0; i < N; i++)
        list[i] = suspicion_of(i, c, K, p + i * K, p + i * K, y[i],
                               &(struct suspicion_weights){.margin = a}, r);
    CHECK_INT(suspicion_sort(list, N, NULL), 0, "sorted");
}

/* Is what suspects_find finds this list? */
static void check_list(const struct noisy_file *file, const struct suspicion *want)
{
    const struct crossfit_options options = {.seed = 3, .threads = 2};
    struct suspects s = {.threshold = 0.5};
    struct error err = {0};
    CHECK(suspects_find(file, &options, &s, &err) == 0, "%s", err.message);
    for (int place = 0; s.list && place < N; place++) {
        CHECK_INT(s.list[place].i, want[place].i, "place %d", place);
        CHECK_INT(s.list[place].suggested, want[place].suggested, "place %d", place);
        CHECK_NEAR(s.list[place].score, want[place].score, 1e-9, "place %d", place);
    }
    suspects_free(&s);
}

/* For cross_scores_pass. */
static void keep(void *context, int64_t i, const double *p)
{
    memcpy((double *)context + i * K, p, K * sizeof *p);
}

/* The part of the differences between the labels and p through c that is not chance. */
static double find_unexplained(const double *p, const int32_t *y)
{
    struct calibration calibration = {0};
    for (int i = 0; i < N; i++)
        calibration_add(&calibration, c, K, p + i * K, weights_best(p + i * K, K), y[i], 1);
    return calibration_unexplained(&calibration);
}

static void test_scores(void)
{
    static double p[N * K];
    static struct suspicion want[N];
    double matrix[K * K];
    struct drawn drawn;
    check_group("scores by an estimate of all examples");
    drawn_make(5, N, K, 2, c, &drawn);
    memcpy(matrix, c, sizeof c);
    /* More labels are right than the matrix says, which it leaves unexplained. */
    for (int i = 0; i < N; i += 10)
        drawn.y[i] = drawn.truth[i];
    struct noisy_file file = {.problem = drawn.problem,
                              .labels = drawn.labels,
                              .y = drawn.y,
                              .estimate = {.n = N,
                                           .classes = K,
                                           .matrix.c = matrix,
                                           .p = p,
                                           .classifier.lambda = 1e-2,
                                           .classifier.temperature = 1,
                                           .unexplained = 0.9}};
    const struct labelled examples = noisy_file_examples(&file);
    const struct crossfit_options options = {.seed = 3, .threads = 1};
    struct cross_scores scores = {.problem = NULL};
    struct error err = {0};

    CHECK(cross_scores_fit(&scores, &examples, &file.estimate, &options, &err) == 0
              && cross_scores_pass(&scores, keep, p, &err) == 0,
          "%s", err.message);
    cross_scores_free(&scores);
    list_plainly(p, drawn.y, 0.9, want);
    check_list(&file, want);

    /* With an estimate of a sample, p is of new fits to all examples, and so is what they leave
     * unexplained; the sample's own p is of other examples. */
    check_group("scores by an estimate of a sample, and of data on disk");
    const double v = find_unexplained(p, drawn.y);
    CHECK(v > 0.2 && v < 0.8, "%g tells the three parts apart", v);
    list_plainly(p, drawn.y, v, want);
    file.estimate.n = N / 2;
    file.estimate.p = NULL;
    check_list(&file, want);
    file.estimate.n = N;
    CHECK_INT(problem_to_disk(&file.problem, ".", NULL), 0, "to disk");
    check_list(&file, want);
    drawn.problem = file.problem;
    drawn_free(&drawn);
}

/* ---- the table ---- */

struct told {
    char warnings[512], notes[512];
};

static void warn(void *context, const char *text)
{
    struct told *told = context;
    strncat(told->warnings, text, sizeof told->warnings - strlen(told->warnings) - 1);
}

static void note(void *context, const char *text)
{
    struct told *told = context;
    strncat(told->notes, text, sizeof told->notes - strlen(told->notes) - 1);
}

/* What is told of n examples, whose place in the list is their number. */
static struct told tell(const struct noisy_file *file, struct suspicion *list, double threshold,
                        const struct suspects_table *table)
{
    struct told told = {"", ""};
    struct report report = {0};
    const struct suspects s = {.data = file, .threshold = threshold, .list = list};
    const struct findings to = {.report = &report, .warn = warn, .note = note, .context = &told};
    CHECK_INT(suspects_report_table(&s, table, &to, NULL), 0, "memory");
    return told;
}

/* Of n labels with a score of 3/4 each, n/4 are expected to be wrong, with a standard error of
 * sqrt(3 n) / 4.  Two of these are 3 for n = 12, as many as are expected. */
static void test_note(void)
{
    static const struct suspects_table table = {.lists = true}, other = {.cleans = false};
    int32_t value[2] = {4, 7}, y[14];
    double share[2] = {0.5, 0.5};
    struct suspicion list[14];
    struct noisy_file file = {
        .labels = {.count = 2, .value = value}, .y = y, .estimate = {.classes = 2, .share = share}};
    check_group("a note on labels that are expected to be wrong but not listed");
    for (int i = 0; i < 14; i++) {
        list[i] = (struct suspicion){.i = i, .score = 0.75};
        y[i] = i % 2;
    }
    for (int n = 12; n <= 14; n++) {
        file.problem.n = n;
        const struct told told = tell(&file, list, 0.5, &table);
        const char *want = n == 12   ? ""
                           : n == 13 ? "3 wrong labels expected, 0 listed: -n 3 lists as many"
                                     : "4 wrong labels expected, 0 listed: -n 4 lists as many";
        CHECK(strcmp(told.notes, want) == 0, "%d examples: %s", n, told.notes);
        /* A short list was asked for by a low threshold, and need not be one. */
        CHECK(*tell(&file, list, 0.49, &table).notes == '\0', "a low threshold");
        CHECK(*tell(&file, list, 0.5, &other).notes == '\0', "nothing is listed");
    }
}

/* Of the class with the label 1 none of 5 labels is left, of the label 4 one of 5, which is a tenth
 * of its estimated size, 10.  No label is 2; and hardly an example is of the class of the label 3,
 * so that nothing is lost with its label. */
static void test_warning(void)
{
    static const struct suspects_table table = {.cleans = true}, other = {.lists = true};
    static const char want[] = "class 1: 0 of its 5 labels are left, though some 10 examples are "
                               "of it: a lower --threshold leaves more";
    int32_t value[5] = {1, 2, 3, 4, 5}, y[40];
    double share[5] = {0.25, 0.25, 0.02, 0.25, 0.23};
    struct suspicion list[40];
    struct noisy_file file = {.problem = {.n = 40},
                              .labels = {.count = 5, .value = value},
                              .y = y,
                              .estimate = {.classes = 5, .share = share}};
    check_group("a warning of a class that is lost");
    for (int i = 0; i < 40; i++) {
        y[i] = i < 5 ? 0 : i < 6 ? 2 : i < 11 ? 3 : 4;
        list[i] = (struct suspicion){.i = i, .score = i < 10 ? 0.25 : 0.75};
    }
    CHECK(strcmp(tell(&file, list, 0.5, &table).warnings, want) == 0, "%s",
          tell(&file, list, 0.5, &table).warnings);
    CHECK(*tell(&file, list, 0.5, &other).warnings == '\0', "nothing is taken out");
}

int main(void)
{
    test_scores();
    test_note();
    test_warning();
    return check_finish();
}
