/* Any bytes as what a peer says to a live loop: every line is served or refused with a place, what
 * is answered is well formed, what was learnt is in the record, and the record is a bandit log that
 * teaches the same. */
#include "common/base/number.h"
#include "driver.h"
#include "learners/bandit/bandit_live.h"
#include "learners/bandit/bandit_log.h"
#include "learners/bandit/bandit_rule.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const fuzz_seeds[] = {
    "? 1:0.5 3:-2\n1\n? 2:1 # note\n0\n?\n-\n? 1:1\n? 1:2\n1\n",
    "?a 1:1\n?b 2:1\r\n!a 1\r\n!b 0\n?a 3:1\n!a -\n!a 1\n",
    "?1 1:1\n?2 2:1\n?3 3:1\n?4 4:1\n!1 1\n!4 1\n!3 0\n\n# comment\n.\n? 1:1\n",
    "\x1f\x8b\x08 gzip\n",
    "? 300:1\n1\n? 301:1\n1\n? 2147483647:1\n0\n",
    "hello\n? 1:x\n! 1\n!a 2\n1 1\n? 1:1\n1",
    /* Rounds enough for rcine to estimate, which a size of 145 chooses. */
    "? 1:1\n1\n?\n0\n? 1:1\n1\n?\n0\n? 1:1\n1\n?\n0\n? 1:1\n1\n?\n0\n"
    "? 1:1\n1\n?\n0\n? 1:1\n1\n?\n0\n? 1:1\n1\n?\n0\n? 1:1\n1\n?\n0\n"
    "? 1:1\n1\n?\n0\n? 1:1\n1\n?\n0\n? 1:1\n1\n?\n0\n? 1:1\n1\n?\n0\n#",
};
const int fuzz_seed_count = sizeof fuzz_seeds / sizeof *fuzz_seeds;

enum { MOST_FEATURES = 300 }; /* few, so that large indices take no time */
enum { IN, OUT, RECORD, FILES };

/* The files of all inputs of a run, which have no name. */
static int file[FILES];

static void open_files(void)
{
    static bool opened;
    for (int i = 0; i < FILES && !opened; i++) {
        file[i] = open(fuzz_output_path(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        fuzz_require(file[i] >= 0 && unlink(fuzz_output_path()) == 0);
    }
    opened = true;
    for (int i = 0; i < FILES; i++)
        fuzz_require(ftruncate(file[i], 0) == 0 && lseek(file[i], 0, SEEK_SET) == 0);
}

static void refuse(void *context, const struct error *why)
{
    (void)context;
    fuzz_require(why->line > 0 && why->column >= 0 && why->message[0] != '\0');
}

/* Every line of the answers ends with a label from 1 to 3 and a probability. */
static void check_answers(void)
{
    char line[512];
    int copy = dup(file[OUT]);
    FILE *f = copy < 0 ? NULL : fdopen(copy, "r");
    fuzz_require(f);
    rewind(f);
    while (fgets(line, sizeof line, f)) {
        char *p = strrchr(line, ' '), *end;
        fuzz_require(p && p > line && p[-1] >= '1' && p[-1] <= '3'
                     && (p - 1 == line || p[-2] == ' '));
        double probability = strtod(p + 1, &end);
        fuzz_require(*end == '\n' && probability > 0 && probability <= 1);
    }
    fclose(f);
}

/* The record as a log in memory. */
static struct problem read_record(struct example_format format)
{
    struct error err = {0};
    struct problem log = {0};
    off_t size = lseek(file[RECORD], 0, SEEK_END);
    char *text = calloc((size_t)size + NUMBER_PAD + 1, 1);
    fuzz_require(text && pread(file[RECORD], text, (size_t)size, 0) == size);
    format.log = true;
    fuzz_require(problem_append_text(&log, text, text + size, &format, &err) == 0);
    free(text);
    return log;
}

/* Each answer is in the record, and whoever learns from that comes to the same weights. */
static void check_record(const struct bandit *b, const struct example_format *format,
                         int64_t answers)
{
    int64_t shown[3] = {0};
    struct error err = {0};
    struct bandit_log_counts counts = {.shown = shown};
    if (answers == 0) {
        fuzz_require(lseek(file[RECORD], 0, SEEK_END) == 0);
        return;
    }
    struct problem log = read_record(*format);
    fuzz_require(log.n == answers);
    struct bandit *other = bandit_new(bandit_get_options(b), bandit_labels(b), &err);
    struct bandit_source source = {.held = &log, .threads = 1};
    struct bandit_replay replay = {.p = 1, .head = log.n, .n = log.n};
    fuzz_require(other && bandit_replay(other, &source, &replay, &counts, &err) == 0);
    struct weights w = {0}, v = {0};
    fuzz_require(bandit_weights(b, &w, &err) == 0 && bandit_weights(other, &v, &err) == 0);
    fuzz_require(v.rows <= w.rows && w.rows <= MOST_FEATURES + 1);
    for (int64_t j = 0; j < v.rows; j++)
        for (int64_t k = 0; k < 3; k++) {
            double lived = w.w[j * w.stride + k], replayed = v.w[j * v.stride + k];
            fuzz_require(isfinite(lived) && !(lived < replayed || lived > replayed));
        }
    weights_free(&w);
    weights_free(&v);
    bandit_free(other);
    problem_free(&log);
}

static void try_as(const uint8_t *data, size_t size, const struct bandit_options *options,
                   const struct example_format *format)
{
    int32_t value[] = {1, 2, 3};
    struct labels labels = {.count = 3, .value = value};
    struct error err = {0};
    struct bandit_live_counts counts;
    open_files();
    struct bandit_live live = {.in = file[IN],
                               .out = file[OUT],
                               .in_name = "in",
                               .out_name = "out",
                               .stop = -1,
                               .record = file[RECORD],
                               .record_name = "record",
                               .format = *format,
                               .most_open = 3,
                               .most_features = MOST_FEATURES,
                               .seed = 1,
                               .refuse = refuse};
    fuzz_require(pwrite(file[IN], data, size, 0) == (ssize_t)size);
    struct bandit *b = bandit_new(options, &labels, &err);
    fuzz_require(b);
    if (bandit_live_run(b, &live, &counts, &err) != 0) /* only where it is no text at all */
        fuzz_require(size >= 2 && memcmp(data, "\x1f\x8b", 2) == 0 && strstr(err.message, "gzip"));
    fuzz_require(counts.learnt <= counts.questions && counts.right <= counts.learnt);
    fuzz_require(counts.forgotten <= counts.questions);
    check_answers();
    check_record(b, format, counts.learnt);
    bandit_free(b);
}

/* The size of the input chooses the rule, and which of the two ways to keep weights and format. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct example_format formats[] = {
        {.bias = -1, .unit_length = true},
        {.bias = 1, .unit_length = true, .zero_based = true},
    };
    const int way = size / 6 % 2;
    const struct bandit_options options = {.rule = bandit_rules[size % 6],
                                           .gamma = 0.5,
                                           .prior = 1,
                                           .eta = 0.5,
                                           .period = 20,
                                           .threads = 1,
                                           .average = way == 0,
                                           .play_average = way == 1};
    try_as(data, size, &options, &formats[way]);
    return 0;
}
