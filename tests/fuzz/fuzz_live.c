/* Any bytes as what a peer says to a live loop: every line is served or refused with a place, what is answered is well formed, what was learnt is in the record, and the
 * record is a bandit log that teaches the same. */
#include "../../learners/bandit_live.h"
#include "../../learners/bandit_log.h"
#include "driver.h"

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
    "hello\n? 1:x\n! 1\n!a 2\n1 1\n? 1:1\n1",
};
const int fuzz_seed_count = sizeof fuzz_seeds / sizeof *fuzz_seeds;

enum { IN, OUT, RECORD, FILES };

/* The files of all inputs of a run, which have no name. */
static int file[FILES];

static int open_files(void)
{
    for (int i = 0; i < FILES; i++) {
        char path[] = "/tmp/fuzz_live.XXXXXX";
        if ((file[i] = mkstemp(path)) < 0 || unlink(path) != 0)
            return -1;
    }
    return 0;
}

/* Large indices stand for memory and time, not for a fault; only the largest, which is refused, may pass. */
static bool is_slow(const uint8_t *data, size_t size)
{
    for (size_t i = 0, digits; i < size; i += digits + 1) {
        for (digits = 0; i + digits < size && data[i + digits] >= '0' && data[i + digits] <= '9'; digits++)
            ;
        if (digits > 4 && !(digits == 10 && memcmp(data + i, "2147483647", 10) == 0))
            return true;
    }
    return false;
}

static void refuse(void *context, const struct error *why)
{
    int *sound = context;
    *sound = *sound && why->line > 0 && why->column >= 0 && why->message[0] != '\0';
}

/* Every line of the answers ends with a label from 1 to 3 and a probability. */
static bool answers_obey(void)
{
    char line[512];
    bool sound = true;
    int copy = dup(file[OUT]);
    FILE *f = copy < 0 ? NULL : fdopen(copy, "r");
    if (!f)
        return false;
    rewind(f);
    while (sound && fgets(line, sizeof line, f)) {
        char *p = strrchr(line, ' '), *end;
        sound = p && p > line && p[-1] >= '1' && p[-1] <= '3' && (p - 1 == line || p[-2] == ' ');
        if (sound) {
            double probability = strtod(p + 1, &end);
            sound = *end == '\n' && probability > 0 && probability <= 1;
        }
    }
    fclose(f);
    return sound;
}

/* The same weights from the record. */
static bool record_teaches(const struct bandit *b, const struct bandit_options *options, const struct labels *labels, struct example_format format,
                           int64_t answers)
{
    int64_t shown[3] = {0};
    struct error err = {0};
    struct bandit_log_counts counts = {.shown = shown};
    struct bandit_replay replay = {.p = 1};
    struct problem log = {0};
    bool sound = true;
    off_t size = lseek(file[RECORD], 0, SEEK_END);
    if (answers == 0)
        return size == 0;
    char *text = calloc((size_t)size + 64, 1);
    format.log = true;
    if (!text || pread(file[RECORD], text, (size_t)size, 0) != size || problem_append_text(&log, text, text + size, &format, &err) != 0 || log.n != answers)
        sound = false;
    free(text);
    struct bandit *other = bandit_new(options, labels, &err);
    struct bandit_source source = {.held = &log, .threads = 1};
    replay.head = replay.n = log.n;
    sound = sound && other && bandit_replay(other, &source, &replay, &counts, &err) == 0;
    struct weights w = {0}, v = {0};
    sound = sound && bandit_weights(b, &w, &err) == 0 && bandit_weights(other, &v, &err) == 0;
    for (int64_t j = 0; sound && j < v.rows; j++)
        for (int64_t k = 0; k < 3; k++)
            sound = sound && j < w.rows && isfinite(w.w[j * w.stride + k]) && !(fabs(w.w[j * w.stride + k] - v.w[j * v.stride + k]) > 0);
    weights_free(&w);
    weights_free(&v);
    bandit_free(other);
    problem_free(&log);
    return sound;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool open;
    static const struct example_format formats[] = {{.bias = -1, .unit_length = true}, {.bias = 1, .unit_length = true, .zero_based = true}};
    int32_t value[] = {1, 2, 3};
    struct labels labels = {.count = 3, .value = value};
    if (!open && open_files() != 0)
        return 1;
    open = true;
    if (is_slow(data, size))
        return 0;
    int sound = 1;
    for (int i = 0; i < 2 && sound; i++) {
        struct bandit_options options = {.rule = ((int64_t)size + 3 * i) % 6, .gamma = 0.5, .prior = 1, .eta = 0.5, .period = 20, .average = i == 0, .play_average = i == 1};
        struct error err = {0};
        struct bandit_live_counts counts;
        struct bandit_live live = {.in = file[IN], .out = file[OUT], .in_name = "in", .out_name = "out", .stop = -1, .record = file[RECORD], .record_name = "record",
                                   .format = formats[i], .most_open = 3, .most_features = 9999, .seed = 1, .refuse = refuse, .context = &sound};
        for (int f = 0; f < FILES; f++)
            if (ftruncate(file[f], 0) != 0 || lseek(file[f], 0, SEEK_SET) != 0)
                return 1;
        if (pwrite(file[IN], data, size, 0) != (ssize_t)size)
            return 1;
        struct bandit *b = bandit_new(&options, &labels, &err);
        sound = sound && b && bandit_live_run(b, &live, &counts, &err) == 0 && counts.answers <= counts.questions && counts.right <= counts.answers
            && counts.forgotten <= counts.questions && answers_obey() && record_teaches(b, &options, &labels, formats[i], counts.answers);
        bandit_free(b);
    }
    return sound ? 0 : 1;
}
