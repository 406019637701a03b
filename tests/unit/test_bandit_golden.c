/* Learning from bandit feedback against numbers from elsewhere: every case in tests/golden/bandit
 * (the README there says what a case holds), by the plain reference and by the library.
 *
 * No decision in these cases is nearer than 1e-9, or else it is an exact tie between equal rows, so
 * labels have to be the same, and weights near to TOLERANCE of the largest.  The library gives the
 * last weights or the average, as its options say, so it learns a case twice; one that plays the
 * average is followed by a learner without one, which is told what was shown. */
#include "bandit_plain.h"
#include "check.h"
#include "common/data/problem_file.h"
#include "learners/bandit/bandit_log.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 64, PATH = 512, ROUNDS = 256, CLASSES = 8, FEATURES = 16 };

static const double TOLERANCE = 1e-12;

struct round {
    double u, v, p;
    int64_t greedy, shown, f, flipped; /* labels from 1 */
};

struct golden {
    char data[NAME], log[NAME]; /* one of them */
    int64_t K, d, rounds;
    struct bandit_options options;
    double noise[2];
    struct round round[ROUNDS]; /* of a log: greedy only */
    double w[CLASSES][FEATURES], average[CLASSES][FEATURES];
    int64_t wrong_shown, wrong_greedy;
    double margin_sum; /* NAN: none */
    double value_rho[2], ips, ips_error, snips;
    int64_t rounds_read, w_read, average_read, value_read;
};

/* ---- reading ---- */

static bool read_number(FILE *file, double *out)
{
    return fscanf(file, "%lf", out) == 1;
}

static bool read_integer(FILE *file, int64_t *out)
{
    return fscanf(file, "%" SCNd64, out) == 1;
}

static bool read_word(FILE *file, char out[NAME])
{
    return fscanf(file, "%63s", out) == 1;
}

static bool read_count(FILE *file, int64_t most, int64_t *out)
{
    return read_integer(file, out) && *out > 0 && *out <= most;
}

static bool read_learner(FILE *file, const struct bandit_rule **rule)
{
    char name[NAME];
    if (!read_word(file, name))
        return false;
    for (int i = 0; bandit_rules[i]; i++) {
        *rule = bandit_rules[i];
        if (strcmp(name, bandit_rules[i]->name) == 0)
            return true;
    }
    return false;
}

static bool read_option(FILE *file, struct bandit_options *options)
{
    char name[NAME];
    double value;
    if (!read_word(file, name) || !read_number(file, &value))
        return false;
    if (strcmp(name, "gamma") == 0)
        options->gamma = value;
    else if (strcmp(name, "rho0") == 0)
        options->rho[0] = value;
    else if (strcmp(name, "rho1") == 0)
        options->rho[1] = value;
    else if (strcmp(name, "prior") == 0)
        options->prior = value;
    else if (strcmp(name, "full") == 0)
        options->full = value != 0;
    else if (strcmp(name, "eta") == 0)
        options->eta = value;
    else if (strcmp(name, "play_average") == 0)
        options->play_average = value != 0;
    else
        return false;
    return true;
}

static bool read_row(FILE *file, const struct golden *golden, double table[CLASSES][FEATURES],
                     int64_t *rows)
{
    bool good = *rows < golden->K;
    for (int64_t j = 0; good && j < golden->d; j++)
        good = read_number(file, &table[*rows][j]);
    ++*rows;
    return good;
}

/* One line of a case, its first word read; the sizes stand before what needs them. */
static bool read_item(FILE *file, const char *key, struct golden *golden)
{
    if (strcmp(key, "data") == 0)
        return read_word(file, golden->data);
    if (strcmp(key, "log") == 0)
        return read_word(file, golden->log);
    if (strcmp(key, "learner") == 0)
        return read_learner(file, &golden->options.rule);
    if (strcmp(key, "classes") == 0)
        return read_count(file, CLASSES, &golden->K);
    if (strcmp(key, "features") == 0)
        return read_count(file, FEATURES, &golden->d);
    if (strcmp(key, "rounds") == 0)
        return read_count(file, ROUNDS, &golden->rounds);
    if (strcmp(key, "option") == 0)
        return read_option(file, &golden->options);
    if (strcmp(key, "noise") == 0)
        return read_number(file, &golden->noise[0]) && read_number(file, &golden->noise[1]);
    if (strcmp(key, "round") == 0 && golden->rounds_read < golden->rounds) {
        struct round *r = &golden->round[golden->rounds_read++];
        return read_number(file, &r->u) && read_number(file, &r->v)
               && read_integer(file, &r->greedy) && read_integer(file, &r->shown)
               && read_integer(file, &r->f) && read_integer(file, &r->flipped)
               && read_number(file, &r->p);
    }
    if (strcmp(key, "greedy") == 0) {
        while (golden->rounds_read < golden->rounds
               && read_integer(file, &golden->round[golden->rounds_read].greedy))
            golden->rounds_read++;
        return golden->rounds_read == golden->rounds;
    }
    if (strcmp(key, "w") == 0)
        return read_row(file, golden, golden->w, &golden->w_read);
    if (strcmp(key, "average") == 0)
        return read_row(file, golden, golden->average, &golden->average_read);
    if (strcmp(key, "wrong_shown") == 0)
        return read_integer(file, &golden->wrong_shown);
    if (strcmp(key, "wrong_greedy") == 0)
        return read_integer(file, &golden->wrong_greedy);
    if (strcmp(key, "margin_sum") == 0)
        return read_number(file, &golden->margin_sum);
    golden->value_read++;
    if (strcmp(key, "value_rho") == 0)
        return read_number(file, &golden->value_rho[0]) && read_number(file, &golden->value_rho[1]);
    if (strcmp(key, "ips") == 0)
        return read_number(file, &golden->ips);
    if (strcmp(key, "ips_error") == 0)
        return read_number(file, &golden->ips_error);
    if (strcmp(key, "snips") == 0)
        return read_number(file, &golden->snips);
    return false;
}

static bool read_golden(const char *path, struct golden *golden)
{
    char key[NAME];
    bool good = true;
    FILE *file = fopen(path, "r");
    *golden = (struct golden){
        .options = {.gamma = 0.1, .prior = 1, .eta = 0.5, .period = 20000, .threads = 1},
        .margin_sum = NAN};
    while (file && good && read_word(file, key)) {
        good = read_item(file, key, golden);
        CHECK(good, "%s: %s", path, key);
    }
    bool log = golden->log[0] != 0;
    good = good && file && golden->K > 1 && golden->rounds_read == golden->rounds
           && golden->w_read == golden->K && golden->average_read == (log ? 0 : golden->K)
           && golden->value_read == (log ? 4 : 0) && log == (golden->data[0] == 0);
    CHECK(good, "%s: can be read and is whole", path);
    if (file)
        fclose(file);
    return good;
}

static bool read_data(const char *folder, const struct golden *golden, struct problem *problem)
{
    bool log = golden->log[0] != 0;
    const struct example_format format = {.bias = -1, .log = log};
    struct error err = {.line = 0};
    char path[PATH + NAME];
    snprintf(path, sizeof path, "%s/%s", folder, log ? golden->log : golden->data);
    int status = problem_read(path, &format, 1, 0, problem, &err);
    CHECK_INT(status, 0, "%s: %s", path, err.message);
    bool good = status == 0 && problem->d == golden->d && problem->n > 0
                && (!log || (problem->log && problem->n == golden->rounds));
    CHECK(good, "%s: %d examples, %d features", path, (int)problem->n, (int)problem->d);
    return good;
}

static struct bandit *library_new(const struct golden *golden, bool average)
{
    struct bandit_options options = golden->options;
    struct labels labels = {.count = 0};
    struct error err = {.line = 0};
    bool good = true;
    options.average = average;
    options.play_average = average && options.play_average;
    for (int64_t k = 1; good && k <= golden->K; k++)
        good = labels_add(&labels, (int32_t)k, &err) == 0;
    struct bandit *b = good ? bandit_new(&options, &labels, &err) : NULL;
    CHECK(b != NULL, "library: %s", err.message);
    labels_free(&labels);
    return b;
}

/* ---- comparison ---- */

/* got: K x (d + 1), place 0 the bias */
static void compare_weights(const char *name, const struct golden *golden, const double *got,
                            const double want[CLASSES][FEATURES])
{
    double largest = 0;
    for (int64_t k = 0; k < golden->K; k++) {
        for (int64_t j = 0; j < golden->d; j++)
            largest = fmax(largest, fabs(want[k][j]));
    }
    for (int64_t k = 0; k < golden->K; k++) {
        const double *row = got + k * (golden->d + 1);
        CHECK(row[0] == 0, "%s: a bias of class %d from data without", name, (int)k + 1);
        for (int64_t j = 0; j < golden->d; j++)
            CHECK(fabs(row[j + 1] - want[k][j]) <= TOLERANCE * largest,
                  "%s %d of class %d: %.17g instead of %.17g", name, (int)j + 1, (int)k + 1,
                  row[j + 1], want[k][j]);
    }
}

static void compare_library(const char *name, const struct golden *golden, const struct bandit *b,
                            const double want[CLASSES][FEATURES])
{
    double w[CLASSES * (FEATURES + 1)];
    struct error err = {.line = 0};
    int status = bandit_plain_library(b, golden->K, golden->d + 1, w, &err);
    CHECK_INT(status, 0, "%s: %s", name, err.message);
    if (status == 0)
        compare_weights(name, golden, w, want);
}

static void compare_choice(const char *name, int64_t t, struct bandit_choice choice,
                           const struct round *want)
{
    CHECK_INT(choice.greedy + 1, want->greedy, "%s, round %d: greedy", name, (int)t + 1);
    CHECK_INT(choice.shown + 1, want->shown, "%s, round %d: shown", name, (int)t + 1);
    CHECK_NEAR(choice.p, want->p, TOLERANCE, "%s, round %d: p", name, (int)t + 1);
}

/* What the second uniform number makes of the answer. */
static void check_answers(const struct golden *golden, const struct problem *problem)
{
    int64_t wrong_shown = 0, wrong_greedy = 0;
    for (int64_t t = 0; t < golden->rounds; t++) {
        const struct round *r = &golden->round[t];
        int64_t y = problem->label[t % problem->n];
        bool right = r->shown == y, flipped = r->v < golden->noise[right];
        CHECK_INT(r->flipped, flipped, "round %d: flipped", (int)t + 1);
        CHECK_INT(r->f, right != flipped, "round %d: answer", (int)t + 1);
        wrong_shown += !right;
        wrong_greedy += r->greedy != y;
    }
    CHECK_INT(wrong_shown, golden->wrong_shown, "wrong labels shown");
    CHECK_INT(wrong_greedy, golden->wrong_greedy, "wrong greedy labels");
}

static void run_plain(const struct golden *golden, const struct problem *problem)
{
    struct bandit_plain plain;
    double average[CLASSES * (FEATURES + 1)];
    int status = bandit_plain_new(&golden->options, golden->K, golden->d, &plain, NULL);
    CHECK_INT(status, 0, "plain: memory");
    if (status != 0)
        return;
    for (int64_t t = 0; t < golden->rounds; t++) {
        const struct round *r = &golden->round[t];
        struct example x = problem_example(problem, t % problem->n);
        struct bandit_choice choice = bandit_plain_choose(&plain, &x, r->u);
        compare_choice("plain", t, choice, r);
        bandit_plain_learn(&plain, &x, choice.shown, choice.p, (int)r->f);
    }
    CHECK(plain.closest > 1e-9, "plain: a decision by %g", plain.closest);
    bandit_plain_average(&plain, average);
    compare_weights("plain: weight", golden, plain.w, golden->w);
    compare_weights("plain: average", golden, average, golden->average);
    if (!isnan(golden->margin_sum))
        CHECK_NEAR(plain.margin_sum, golden->margin_sum, TOLERANCE, "plain: sum of margins");
    bandit_plain_free(&plain);
}

/* average: choose, perhaps by it, and compare the average; else compare the last weights, and let
 * others choose where the average is played. */
static void run_library(const struct golden *golden, const struct problem *problem, bool average)
{
    const char *name = average ? "library, average" : "library, weight";
    struct bandit *b = library_new(golden, average);
    struct error err = {.line = 0};
    bool chooses = average || !golden->options.play_average;
    int status = b ? 0 : -1;
    for (int64_t t = 0; status == 0 && t < golden->rounds; t++) {
        const struct round *r = &golden->round[t];
        struct example x = problem_example(problem, t % problem->n);
        struct bandit_choice choice = {.shown = r->shown - 1, .p = r->p};
        status = bandit_score(b, &x, &err);
        if (status == 0 && chooses) {
            choice = bandit_choose(b, r->u);
            compare_choice(name, t, choice, r);
        }
        if (status == 0)
            status = bandit_learn(b, &x, choice.shown, choice.p, (int)r->f, &err);
    }
    CHECK_INT(status, 0, "%s: %s", name, err.message);
    if (status == 0)
        compare_library(name, golden, b, average ? golden->average : golden->w);
    bandit_free(b);
}

/* ---- logs ---- */

static void run_log_plain(const struct golden *golden, const struct problem *problem)
{
    struct bandit_plain plain;
    double weight[ROUNDS], h[ROUNDS];
    struct bandit_value sums = {.rounds = 0};
    int status = bandit_plain_new(&golden->options, golden->K, golden->d, &plain, NULL);
    CHECK_INT(status, 0, "plain: memory");
    if (status != 0)
        return;
    for (int64_t t = 0; t < golden->rounds; t++) {
        struct example x = problem_example(problem, t);
        CHECK_INT(bandit_plain_greedy(&plain, plain.w, &x) + 1, golden->round[t].greedy,
                  "plain, round %d: greedy", (int)t + 1);
        bandit_plain_learn(&plain, &x, x.label - 1, x.feedback.p, x.feedback.f);
    }
    compare_weights("plain: weight", golden, plain.w, golden->w);
    for (int64_t t = 0; t < golden->rounds; t++) {
        struct example x = problem_example(problem, t);
        bool same = bandit_plain_greedy(&plain, plain.w, &x) == x.label - 1;
        weight[t] = same ? 1 / x.feedback.p : 0;
        h[t] = bandit_plain_h(golden->value_rho, x.feedback.f);
        bandit_value_add(&sums, same, x.feedback.p, h[t]);
    }
    CHECK(plain.closest > 1e-9, "plain: a decision by %g", plain.closest);
    struct bandit_plain_value value = bandit_plain_value(golden->rounds, weight, h);
    CHECK_NEAR(value.ips, golden->ips, TOLERANCE, "plain: IPS");
    CHECK_NEAR(value.ips_error, golden->ips_error, TOLERANCE, "plain: error of IPS");
    CHECK_NEAR(value.snips, golden->snips, TOLERANCE, "plain: SNIPS");
    CHECK_INT(sums.rounds, golden->rounds, "library: rounds of a value");
    struct bandit_estimate estimate = bandit_value_estimate(&sums);
    CHECK_NEAR(estimate.snips_error, value.snips_error, TOLERANCE, "library: error of SNIPS");
    bandit_plain_free(&plain);
}

static void run_log_library(const struct golden *golden, const struct problem *problem)
{
    struct bandit *b = library_new(golden, false);
    struct error err = {.line = 0};
    struct bandit_value sums = {.rounds = 0};
    int status = b ? 0 : -1;
    for (int64_t t = 0; status == 0 && t < golden->rounds; t++) {
        struct example x = problem_example(problem, t);
        status = bandit_score(b, &x, &err);
        if (status == 0) {
            CHECK_INT(bandit_choose(b, 0).greedy + 1, golden->round[t].greedy,
                      "library, round %d: greedy", (int)t + 1);
            status = bandit_learn(b, &x, x.label - 1, x.feedback.p, x.feedback.f, &err);
        }
    }
    if (status == 0)
        compare_library("library: weight", golden, b, golden->w);
    for (int64_t t = 0; status == 0 && t < golden->rounds; t++) {
        struct example x = problem_example(problem, t);
        status = bandit_score(b, &x, &err);
        if (status == 0)
            bandit_value_add(&sums, bandit_choose(b, 0).greedy == x.label - 1, x.feedback.p,
                             bandit_h(golden->value_rho, x.feedback.f));
    }
    CHECK_INT(status, 0, "library: %s", err.message);
    if (status == 0) {
        struct bandit_estimate estimate = bandit_value_estimate(&sums);
        CHECK_NEAR(estimate.ips, golden->ips, TOLERANCE, "library: IPS");
        CHECK_NEAR(estimate.ips_error, golden->ips_error, TOLERANCE, "library: error of IPS");
        CHECK_NEAR(estimate.snips, golden->snips, TOLERANCE, "library: SNIPS");
    }
    bandit_free(b);
}

static void run_case(const char *folder, const char *path)
{
    struct golden golden;
    struct problem problem = {.n = 0};
    if (!read_golden(path, &golden))
        return;
    if (read_data(folder, &golden, &problem)) {
        if (golden.log[0] != 0) {
            run_log_plain(&golden, &problem);
            run_log_library(&golden, &problem);
        } else {
            check_answers(&golden, &problem);
            run_plain(&golden, &problem);
            run_library(&golden, &problem, false);
            run_library(&golden, &problem, true);
        }
    }
    problem_free(&problem);
}

static void test_h(const char *folder)
{
    char path[PATH + NAME], key[NAME];
    double rho[2], h[2];
    int64_t rows = 0;
    snprintf(path, sizeof path, "%s/h.txt", folder);
    check_group("h(f)");
    FILE *file = fopen(path, "r");
    while (file && read_word(file, key) && read_number(file, &rho[0]) && read_number(file, &rho[1])
           && read_number(file, &h[0]) && read_number(file, &h[1])) {
        for (int f = 0; f <= 1; f++) {
            CHECK_NEAR(bandit_plain_h(rho, f), h[f], 1e-15, "plain: h(%d) for %g, %g", f, rho[0],
                       rho[1]);
            CHECK_NEAR(bandit_h(rho, f), h[f], 1e-15, "library: h(%d) for %g, %g", f, rho[0],
                       rho[1]);
        }
        rows++;
    }
    CHECK(file && feof(file) && rows > 0, "%s: can be read", path);
    if (file)
        fclose(file);
}

int main(void)
{
    const char *top = getenv("top"); /* set by tests/run */
    char folder[PATH], pattern[PATH + 8];
    glob_t found;
    snprintf(folder, sizeof folder, "%s/tests/golden/bandit", top ? top : ".");
    snprintf(pattern, sizeof pattern, "%s/*.case", folder);
    test_h(folder);
    if (glob(pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++) {
            check_group("%s", strrchr(found.gl_pathv[i], '/') + 1);
            run_case(folder, found.gl_pathv[i]);
        }
        globfree(&found);
    }
    return check_finish();
}
