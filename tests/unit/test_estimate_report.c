/* What is said of an estimate that is made up: which warnings, from where on, and which lines. */
#include "check.h"
#include "common/data/problem.h"
#include "learners/estimate/estimate_report.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { K = 3 };

/* What was told of an estimate: lines, the keys of the report, warnings and notes. */
struct told {
    char lines[1024], report[2048], warnings[4096], notes[1024];
};

static void tell_warning(void *context, const char *text)
{
    struct told *told = context;
    strncat(told->warnings, text, sizeof told->warnings - strlen(told->warnings) - 1);
}

static void tell_note(void *context, const char *text)
{
    struct told *told = context;
    strncat(told->notes, text, sizeof told->notes - strlen(told->notes) - 1);
}

/* The whole of a file, with a NUL. */
static void read_all(FILE *in, char *text, size_t size)
{
    rewind(in);
    text[fread(text, 1, size - 1, in)] = '\0';
}

/* An estimate of classes 4, 7 and 9, whose noise is .1, .2 and 0, with nothing to warn of. */
struct made {
    double c[K * K], share[K], standard_error[K];
    bool doubtful[K];
    struct estimate e;
};

static void make(struct made *made)
{
    *made = (struct made){.c = {.9, .2, 0, .1, .8, 0, 0, 0, 1},
                          .share = {.5, .25, .25},
                          .standard_error = {.01, .02, .005}};
    made->e = (struct estimate){.n = 100,
                                .classes = K,
                                .matrix.c = made->c,
                                .share = made->share,
                                .matrix.standard_error = made->standard_error,
                                .matrix.doubtful = made->doubtful,
                                .likelihood = -.75,
                                .classifier.lambda = .001,
                                .matrix.disagreement = .049};
}

enum what { MATRIX, GIVEN, CHOICES };

static struct told tell(const struct estimate *e, enum what what)
{
    static int32_t value[K] = {4, 7, 9};
    const struct labels labels = {.count = K, .value = value};
    struct told told = {"", "", "", ""};
    char path[] = "/tmp/test_estimate_report.XXXXXX";
    const int descriptor = mkstemp(path);
    struct report report = {.path = path};
    struct error err = {0};
    const struct findings to = {.out = tmpfile(),
                                .report = &report,
                                .warn = tell_warning,
                                .note = tell_note,
                                .context = &told};
    CHECK(descriptor >= 0 && to.out && report_open(&report, &err) == 0, "files: %s", err.message);
    if (what == MATRIX)
        estimate_report_matrix(e, &labels, &to);
    else if (what == GIVEN)
        estimate_check_given(e, &to);
    else {
        estimate_print_choices(e, &to);
        estimate_report_choices(e, &report);
    }
    CHECK(report_flush(&report, &err) == 0 && report_commit(&report, &err) == 0, "%s", err.message);
    FILE *in = fopen(path, "r");
    read_all(to.out, told.lines, sizeof told.lines);
    if (in) {
        read_all(in, told.report, sizeof told.report);
        fclose(in);
    }
    fclose(to.out);
    close(descriptor);
    unlink(path);
    return told;
}

static void check_text(const char *got, const char *want, const char *what)
{
    CHECK(strcmp(got, want) == 0, "%s: \"%s\"", what, got);
}

static void check_has(const char *got, const char *want, const char *what)
{
    CHECK(strstr(got, want) != NULL, "%s: no \"%s\" in \"%s\"", what, want, got);
}

/* ---- the matrix ---- */

static void test_table(void)
{
    struct made made;
    check_group("the table of a matrix");
    make(&made);
    struct told told = tell(&made.e, MATRIX);
    check_text(told.lines,
               "estimated from the labels: mean log-likelihood -0.75\n"
               "class          share  noise rate +- standard error\n"
               "4             0.5000  0.1000 +- 0.0100\n"
               "7             0.2500  0.2000 +- 0.0200\n"
               "9             0.2500  0.0000 +- 0.0050\n",
               "lines");
    check_text(told.warnings, "", "warnings");
    check_has(told.report, "likelihood\t-0.75\n", "report");
    check_has(told.report, "class.4.share\t0.5\n", "report");
    check_has(told.report, "class.9.noise_rate\t0\n", "report");
    check_has(told.report, "class.7.noise_rate.se\t0.02", "report");
    check_has(told.report, "class.7.identifiable\t1\n", "report");
    made.e.matrix.gamma = 2;
    told = tell(&made.e, MATRIX);
    check_has(told.lines, "labels, through random Fourier features: mean", "random features");
    check_has(told.report, "fourier_gamma\t2\n", "report");
}

/* The table says what the probabilities are by, where that is not the features as they are. */
static void test_features(void)
{
    struct made made;
    struct feature_map map = {.dims = 40, .gamma = .5};
    double number = 1;
    check_group("the features in the table");
    make(&made);
    made.e.input.map = &map;
    check_has(
        tell(&made.e, MATRIX).lines,
        "labels; probabilities by 40 Nystrom features, gamma 0.5: mean log-likelihood -0.75\n",
        "a map");
    map.metric.scale = &number;
    made.e.input.at_length = true;
    check_has(tell(&made.e, MATRIX).lines,
              "gamma 0.5 (not at unit length), of scaled features: mean", "scales and lengths");
    map.metric = (struct feature_metric){.d = 1, .triangle = &number};
    check_has(tell(&made.e, MATRIX).lines,
              "gamma 0.5 (not at unit length), in a metric of the features: mean", "a metric");
    map.metric = (struct feature_metric){.d = 0};
    made.e.input.at_length = false;
    made.e.classifier.kind = ESTIMATE_RIDGE;
    check_has(tell(&made.e, MATRIX).lines,
              "labels: mean log-likelihood -0.75; probabilities by kernel ridge regression on 40 "
              "Nystrom features, gamma 0.5\n",
              "kernel ridge regression");
}

/* Lengths and a bias in place of unit length are features, too. */
static void test_lengths(void)
{
    static const int32_t index[] = {1, 0};
    static const double value[] = {3, 10};
    const struct example x = {.index = index, .value = value, .size = 2};
    struct made made;
    check_group("lengths in the table and among the choices");
    make(&made);
    CHECK(problem_append_example(&made.e.input.lengthed, &x, NULL) == 0, "memory");
    made.e.input.bias = 10;
    check_has(tell(&made.e, MATRIX).lines,
              "labels, not at unit length, with a bias (-l 0 -B 10): mean", "the table");
    const struct told told = tell(&made.e, CHOICES);
    check_text(told.lines, "lambda 0.001, not at unit length, with a bias (-l 0 -B 10)\n", "lines");
    check_text(told.report, "lengths\t1\n", "report");
    problem_free(&made.e.input.lengthed);
}

/* A matrix that was passed over is told of where it has noise worth telling. */
static void test_passed_over(void)
{
    struct made made;
    check_group("a matrix that was passed over");
    make(&made);
    made.e.matrix.passed_over = .049;
    check_text(tell(&made.e, MATRIX).warnings, "", "too little");
    made.e.matrix.passed_over = .312;
    check_text(tell(&made.e, MATRIX).warnings,
               "no noise was found, but a matrix by which 31 % of the labels are wrong explains "
               "them about as well",
               "a warning");
}

/* Starting points that disagree about a label in twenty are told of, not less. */
static void test_disagreement(void)
{
    struct made made;
    check_group("starting points that disagree");
    make(&made);
    made.e.matrix.disagreement = .0499;
    check_text(tell(&made.e, MATRIX).warnings, "", "less than a label in twenty");
    made.e.matrix.disagreement = .05;
    check_has(tell(&made.e, MATRIX).warnings, "explain 5 % of the labels by different classes",
              "one in twenty");
}

static void test_doubtful(void)
{
    struct made made;
    check_group("classes that are not identifiable");
    make(&made);
    made.doubtful[1] = true;
    struct told told = tell(&made.e, MATRIX);
    check_text(told.warnings,
               "noise of class 7 is not identifiable from these labels: treat its column with "
               "caution",
               "one");
    check_has(told.report, "class.7.identifiable\t0\n", "report");
    made.doubtful[2] = true;
    check_text(tell(&made.e, MATRIX).warnings,
               "noise of 2 classes is not identifiable from these labels: treat their columns with "
               "caution: 7 9",
               "two");
}

/* Any misfit that is significant is told of, with its causes: of features, or of probabilities that
 * are another classifier's; of a matrix that was given, that it may not be theirs. */
static void test_misfit(void)
{
    struct made made;
    check_group("labels that do not fit");
    make(&made);
    made.e.misfit = .015;
    struct told told = tell(&made.e, MATRIX);
    check_text(told.warnings,
               "the labels are 1.5 points further from the predicted probabilities than chance "
               "allows: the noise depends on the example, or the features are too poor; noise "
               "rates may be far off",
               "an estimate");
    check_text(tell(&made.e, GIVEN).warnings,
               "the labels are 1.5 points further from the predicted probabilities than chance "
               "allows: the matrix given is not theirs, the noise depends on the example, or the "
               "features are too poor",
               "a matrix that was given");
    made.e.p_given = true;
    check_has(tell(&made.e, MATRIX).warnings,
              "or the probabilities are poor, or of examples that were learnt from; noise rates",
              "probabilities that were given");
}

/* Of labels by chance no noise rate is known: no table, no key, and no warning about the matrix.
 * With another classifier's probabilities the matrix stays, and is said to mean nothing. */
static void test_chance(void)
{
    struct made made;
    check_group("labels by chance");
    make(&made);
    made.e.by_chance = true;
    made.e.matrix.disagreement = .5;
    made.doubtful[0] = true;
    struct told told = tell(&made.e, MATRIX);
    check_text(told.warnings,
               "held-out labels are predicted no better than by chance: there may be nothing to "
               "learn here, and labels are taken as right",
               "warnings");
    check_text(told.lines, "", "lines");
    check_text(told.report, "", "report");
    check_text(tell(&made.e, GIVEN).warnings,
               "held-out labels are predicted no better than by chance: there may be nothing to "
               "learn here",
               "with a matrix that was given");
    made.e.p_given = true;
    made.e.matrix.disagreement = 0;
    made.doubtful[0] = false;
    told = tell(&made.e, MATRIX);
    check_text(told.warnings,
               "held-out labels are predicted no better than by chance: there may be nothing to "
               "learn here, and noise rates mean nothing",
               "with probabilities that were given");
    check_has(told.lines, "class          share", "the table");
}

/* ---- the choices ---- */

static void test_choices(void)
{
    struct made made;
    check_group("lambda and steps");
    make(&made);
    struct told told = tell(&made.e, CHOICES);
    check_text(told.lines, "lambda 0.001\n", "to the minimum");
    check_text(told.report, "", "report");
    made.e.classifier.steps = 1;
    check_text(tell(&made.e, CHOICES).lines, "lambda 0.001, 1 step\n", "one step");
    made.e.classifier.steps = 20;
    check_text(tell(&made.e, CHOICES).lines, "lambda 0.001, 20 steps\n", "twenty");
}

/* Another classifier is said to be taken or not; that chance could have made its lead, where the
 * one that is taken is the less likely. */
static void test_others(void)
{
    struct made made;
    check_group("another classifier");
    make(&made);
    made.e.ridge.strict.ridge = .1;
    made.e.ridge.softmax_likelihood = -1;
    made.e.ridge.likelihood = -.5;
    struct told told = tell(&made.e, CHOICES);
    check_text(told.lines,
               "lambda 0.001\nheld-out decisions: log-likelihood -1.0000 by softmax regression, "
               "-0.5000 by kernel ridge regression (ridge 0.1): the former is taken (chance could "
               "make as much)\n",
               "likelier, but not taken");
    check_text(told.report, "ridge\t0\n", "report");
    made.e.classifier.kind = ESTIMATE_RIDGE;
    told = tell(&made.e, CHOICES);
    check_has(told.lines, "(ridge 0.1): the latter is taken\n", "likelier, and taken");
    check_has(told.report, "ridge\t0.1", "report");
    made.e.ridge.likelihood = -2;
    check_has(tell(&made.e, CHOICES).lines, "the latter is taken (chance could make as much)\n",
              "less likely, but taken");
    make(&made);
    made.e.svm = (struct estimate_svm){.cost = 4, .likelihood = -1.5, .softmax_likelihood = -1};
    told = tell(&made.e, CHOICES);
    check_has(told.lines, "-1.5000 by a multiclass SVM (C 4): the former is taken\n", "an SVM");
    check_text(told.report, "svm\t0\n", "report");
    made.e.svm.likelihood = -.5;
    made.e.classifier.kind = ESTIMATE_SVM;
    told = tell(&made.e, CHOICES);
    check_has(told.lines, "(C 4): the latter is taken\n", "an SVM that is taken");
    check_text(told.report, "svm\t4\n", "report");
}

/* A note of the option that made the map linear, a warning of lack of memory: another machine would
 * do better. */
static void test_linear(void)
{
    struct told told = {"", "", "", ""};
    struct report report = {0};
    const struct findings to = {
        .report = &report, .warn = tell_warning, .note = tell_note, .context = &told};
    struct estimate_options options = {0};
    check_group("a linear map that was not asked for");
    estimate_tell_linear(&options, &to);
    CHECK(!told.warnings[0] && !told.notes[0], "nothing to tell");
    options.linear_for = "-B";
    estimate_tell_linear(&options, &to);
    check_text(told.notes, "with -B this is softmax regression: no kernel is tried", "note");
    CHECK(!told.warnings[0], "an option is no cause for a warning");
    options = (struct estimate_options){.lacks_memory = true};
    told.notes[0] = '\0';
    estimate_tell_linear(&options, &to);
    check_has(told.warnings, "the data do not fit in memory for -t auto", "warning");
    CHECK(!told.notes[0], "no note");
}

static void check_values(const struct problem *problem, const struct example_format *format,
                         const struct feature_numbers *numbers, const char *want, const char *what)
{
    struct told told = {"", "", "", ""};
    struct report report = {0};
    struct error err = {0};
    const struct findings to = {
        .report = &report, .warn = tell_warning, .note = tell_note, .context = &told};
    CHECK_INT(estimate_warn_of_values(problem, format, numbers, 1, &to, &err), 0, "%s",
              err.message);
    check_text(told.warnings, want, what);
}

/* Of a feature the number that the file has; nothing of examples that are not as in the file. */
static void test_values(void)
{
    static const char from1[] =
        "feature 5 is -99 in 5 % of the lines, and from 0 to 9 in the others: if that means "
        "missing, leave it out there and mark these lines by a feature of their own"
        "some values of feature 7 are over a million times as far from its median as half of them "
        "are: log(1 + |x|) with the sign of x may tell more";
    static int32_t original[] = {5, 7};
    const struct feature_numbers numbers = {.count = 2, .original = original};
    struct problem problem = {0};
    struct example_map map = {.dims = 2};
    char from0[sizeof from1];
    check_group("odd values");
    for (int i = 0; i < 200; i++) {
        const double value[] = {i < 10 ? -99 : i % 10, i < 20 ? -1e9 * (i + 1) : i % 7 + 1};
        const struct example x = {
            .index = (const int32_t[]){1, 2}, .value = value, .size = 2, .length = 1};
        CHECK_INT(problem_append_example(&problem, &x, NULL), 0, "example %d", i);
    }
    check_values(&problem, &(struct example_format){0}, &numbers, from1, "as in the file");
    strcpy(from0, from1);
    *strchr(from0, '5') = '4';
    *strchr(from0, '7') = '6';
    check_values(&problem, &(struct example_format){.zero_based = true}, &numbers, from0, "from 0");
    check_values(&problem, &(struct example_format){.unit_length = true}, &numbers, "",
                 "lengths that are not known");
    check_values(&problem, &(struct example_format){.map = &map}, &numbers, "", "mapped");
    problem_free(&problem);
}

int main(void)
{
    test_table();
    test_features();
    test_lengths();
    test_values();
    test_passed_over();
    test_disagreement();
    test_doubtful();
    test_misfit();
    test_chance();
    test_choices();
    test_others();
    test_linear();
    return check_finish();
}
