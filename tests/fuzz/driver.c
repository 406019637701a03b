/* Runs a fuzz target without a fuzzing engine: fixed mutations of its seeds, the same on every
 * machine.  `fuzz_NAME FOLDER DICTIONARY` writes what libFuzzer starts from instead: the seeds, a
 * file each, and the pieces of text to put together. */
#include "driver.h"

#include "../unit/check.h"
#include "common/base/random.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 10000, LONGEST = 4096 };

/* Tokens that have been trouble somewhere. */
static const char *const trouble[] = {"nan",
                                      "inf",
                                      "-1",
                                      "0",
                                      ":",
                                      "1e999",
                                      "1e-999",
                                      "2147483647",
                                      "2147483648",
                                      "99999999999999999999",
                                      "\n",
                                      "\r",
                                      " ",
                                      "#",
                                      "?",
                                      "1:",
                                      ":1",
                                      "\t",
                                      "-",
                                      ".",
                                      "end\n",
                                      "w\n",
                                      "libdoubt 1\n",
                                      "nr_class 2",
                                      "nr_feature 2147483647",
                                      "\0",
                                      "+",
                                      "e",
                                      "1.7976931348623157e308"};

static size_t mutate(struct random *g, char *text, size_t size)
{
    for (int64_t edits = 1 + random_below(g, 4); edits > 0; edits--) {
        size_t at = (size_t)random_below(g, (int64_t)size + 1);
        const char *token = trouble[random_below(g, sizeof trouble / sizeof *trouble)];
        size_t length = *token ? strlen(token) : 1, cut = (size_t)random_below(g, 20);
        switch (random_below(g, 5)) {
        case 0: /* insert */
            if (size + length < LONGEST) {
                memmove(text + at + length, text + at, size - at);
                memcpy(text + at, token, length);
                size += length;
            }
            break;
        case 1: /* overwrite */
            if (at + length <= size)
                memcpy(text + at, token, length);
            break;
        case 2: /* remove */
            if (cut > size - at)
                cut = size - at;
            memmove(text + at, text + at + cut, size - at - cut);
            size -= cut;
            break;
        case 3: /* any byte */
            if (at < size)
                text[at] = (char)random_next(g);
            break;
        default: /* cut off */
            if (random_below(g, 8) == 0)
                size = at;
        }
    }
    return size;
}

/* The input that is tried, for the report. */
static volatile sig_atomic_t at_input;

/* A broken promise aborts; the count of what passed and failed must come all the same.  Not before
 * standard output is whole: abort was called by fuzz_broken, not amid a printf. */
static void report_abort(int signal_number)
{
    (void)signal_number;
    check_fail(__FILE__, __LINE__, "an abort", "none", "input %d", (int)at_input);
    _exit(check_finish());
}

static int write_seeds(const char *folder)
{
    for (int i = 0; i < fuzz_seed_count; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/seed%d", folder, i);
        FILE *f = fopen(path, "w");
        if (!f || fputs(fuzz_seeds[i], f) == EOF || fclose(f) != 0) {
            perror(path);
            return 1;
        }
    }
    return 0;
}

/* `"text"`, as libFuzzer reads it; of more than 64 bytes it takes nothing. */
static void write_piece(FILE *f, const char *text, size_t size)
{
    if (size == 0 || size > 64)
        return;
    putc('"', f);
    for (size_t i = 0; i < size; i++)
        fprintf(f, "\\x%02x", (unsigned char)text[i]);
    fputs("\"\n", f);
}

/* What is trouble, and every line of the seeds. */
static int write_dictionary(const char *path)
{
    FILE *f = fopen(path, "w");
    for (size_t i = 0; f && i < sizeof trouble / sizeof *trouble; i++)
        write_piece(f, trouble[i], strlen(trouble[i]));
    for (int i = 0; f && i < fuzz_seed_count; i++)
        for (const char *line = fuzz_seeds[i]; *line;) {
            size_t size = strcspn(line, "\n");
            size += line[size] == '\n';
            write_piece(f, line, size);
            line += size;
        }
    if (!f || ferror(f) || fclose(f) != 0) {
        perror(path);
        return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct random g = {1};
    if (argc == 3)
        return write_seeds(argv[1]) || write_dictionary(argv[2]);
    signal(SIGABRT, report_abort);
    check_group("%d mutated inputs", (int)ROUNDS);
    for (int i = 0; i < ROUNDS; i++) {
        char text[LONGEST + 64];
        const char *seed = fuzz_seeds[i % fuzz_seed_count];
        size_t size = strlen(seed);
        memcpy(text, seed, size);
        if (i >= fuzz_seed_count)
            size = mutate(&g, text, size);
        uint8_t *exact = malloc(size ? size
                                     : 1); /* so that a sanitizer sees a step beyond the end */
        if (!exact)
            return 1;
        memcpy(exact, text, size);
        at_input = i;
        LLVMFuzzerTestOneInput(exact, size);
        check_pass();
        free(exact);
    }
    return check_finish();
}
