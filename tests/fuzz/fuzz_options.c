/* Any words as a command line, a word a line of the input: a usage error, or values in their ranges
 * and file names that are among the words.  Lists of labels and of layers, which programs read from
 * such values, are tried as well. */
#include "common/data/labels.h"
#include "common/program/options.h"
#include "driver.h"
#include "learners/bandit/noise_rate.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const fuzz_seeds[] = {
    "-f\n-n\n7\n-x0.5\n--choice=two\ndata\nmodel\n",
    "-fn3\n--number\n-1e3\n--words\na\n--words=b\n--numbers\n1,2.5,1e3\n--\n-data\n",
    "--text=1-3,7,-2--1\n-n\n-5\n-n\n-5\ndata\n-f\n",
    "--text\n128,16\n--flag=1\n",
    "-n\n9007199254740993\ndata\n",
    "--numbers=1,1\n",
    "--text=2147483647-2147483647\n-\n",
    "--version\n",
    "-h",
    "data\ndata\n",
};
const int fuzz_seed_count = sizeof fuzz_seeds / sizeof *fuzz_seeds;

enum { MOST_ARGUMENTS = 64, MOST_WORDS = 3 };

static const char *const choices[] = {"one", "two", "three", NULL};

struct values {
    bool flag;
    int64_t integer, choice;
    double number;
    const char *text;
    struct option_words words;
    struct option_numbers numbers;
};

/* Parse with the two standard outputs thrown away. */
static int parse_silently(const struct program *program, int argc, char **argv, const char **word)
{
    static int nowhere = -1, out, err;
    if (nowhere < 0) {
        nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
        out = fcntl(1, F_DUPFD_CLOEXEC, 3);
        err = fcntl(2, F_DUPFD_CLOEXEC, 3);
    }
    fuzz_require(dup2(nowhere, 1) == 1 && dup2(nowhere, 2) == 2);
    int status = options_parse(program, argc, argv, word);
    fuzz_require((out < 0 || dup2(out, 1) == 1) && (err < 0 || dup2(err, 2) == 2));
    return status;
}

static void check_values(const struct values *v)
{
    fuzz_require(v->integer >= -5 && v->integer <= 1000000);
    fuzz_require(v->choice >= 0 && v->choice < 3);
    fuzz_require(v->number >= -1e300 && v->number <= 1e300);
    fuzz_require(v->words.count >= 0 && v->words.count <= OPTION_MOST_WORDS);
    fuzz_require(v->numbers.count >= 0 && v->numbers.count <= OPTION_MOST_NUMBERS);
    for (int i = 0; i < v->numbers.count; i++) {
        fuzz_require(v->numbers.value[i] > 0 && v->numbers.value[i] <= 1e300);
        fuzz_require(i == 0 || v->numbers.value[i] > v->numbers.value[i - 1]);
    }
}

/* Of file names there are one or two, in the order of the command line and at its end; the output
 * is not the input. */
static void check_words(const char *const *word, int argc, char **argv)
{
    int words = 0;
    while (words < MOST_WORDS && word[words])
        words++;
    fuzz_require(words >= 1 && words < MOST_WORDS);
    for (int i = 0; i < words; i++)
        fuzz_require(word[i] == argv[argc - words + i]);
    struct stat st;
    if (words == 1 || strcmp(word[0], "-") == 0 || strchr(word[0], '/'))
        return;
    if (stat(word[0], &st) != 0 || S_ISREG(st.st_mode)) /* no folder and no device */
        fuzz_require(strcmp(word[0], word[1]) != 0);
}

/* Does the text hold a number of five digits or more?  As a label that stands for memory and time,
 * not for a fault; only 2147483647 and 2147483648, where the range ends, may pass. */
static bool is_slow(const char *text)
{
    while (*text) {
        size_t digits = strspn(text, "0123456789");
        bool last = digits == 10 && strncmp(text, "214748364", 9) == 0
                    && (text[9] == '7' || text[9] == '8');
        if (digits > 4 && !last)
            return true;
        text += digits > 0 ? digits : 1;
    }
    return false;
}

static void check_lists(const char *text)
{
    struct labels labels = {0};
    struct error err = {0};
    struct noise_rate_network network = {0};
    char back[NOISE_RATE_LAYERS_TEXT];
    if (is_slow(text))
        return;
    if (labels_parse(text, &labels, &err) == 0)
        fuzz_require(labels.count > 1);
    else
        fuzz_require(err.usage && !labels.value && err.message[0]);
    for (int64_t k = 1; k < labels.count; k++)
        fuzz_require(labels.value[k - 1] < labels.value[k]);
    labels_free(&labels);
    if (noise_rate_parse_layers(text, &network) != 0)
        return;
    struct noise_rate_network again = {0};
    noise_rate_layers_text(&network, back);
    fuzz_require(noise_rate_parse_layers(back, &again) == 0 && again.layers == network.layers);
    for (int64_t l = 0; l < network.layers; l++)
        fuzz_require(network.hidden[l] > 0 && again.hidden[l] == network.hidden[l]);
}

/* Break text, which ends with a newline, into words.  Returns how many. */
static int make_arguments(char *text, char *end, char **argv)
{
    static char name[] = "fuzz";
    int argc = 0;
    argv[argc++] = name;
    for (char *p = text; p < end && argc < MOST_ARGUMENTS; p++) {
        argv[argc++] = p;
        p = memchr(p, '\n', (size_t)(end - p));
        *p = '\0';
    }
    argv[argc] = NULL;
    return argc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct values v = {0};
    struct option table[] = {
        {.letter = 'f', .name = "flag", .type = OPTION_FLAG, .value = &v.flag, .help = "a flag"},
        {.letter = 'n',
         .name = "integer",
         .type = OPTION_INT,
         .value = &v.integer,
         .argument = "n",
         .by_default = "3",
         .lowest = -5,
         .highest = 1000000,
         .help = "a whole number"},
        {.letter = 'x',
         .name = "number",
         .type = OPTION_NUMBER,
         .value = &v.number,
         .argument = "x",
         .by_default = "-1",
         .lowest = -1e300,
         .highest = 1e300,
         .help = "a number"},
        {.name = "choice",
         .type = OPTION_CHOICE,
         .value = &v.choice,
         .argument = "word",
         .by_default = "two",
         .choices = choices,
         .help = "a choice"},
        {.name = "text",
         .type = OPTION_TEXT,
         .value = &v.text,
         .argument = "text",
         .help = "a text"},
        {.name = "words",
         .type = OPTION_WORDS,
         .value = &v.words,
         .argument = "word",
         .help = "words"},
        {.name = "numbers",
         .type = OPTION_NUMBERS,
         .value = &v.numbers,
         .argument = "list",
         .lowest = 1e-300,
         .highest = 1e300,
         .help = "numbers"},
    };
    const struct program program = {.name = "fuzz",
                                    .words = "data [model]",
                                    .files = "rw",
                                    .summary = "A program.",
                                    .fewest_words = 1,
                                    .most_words = MOST_WORDS - 1,
                                    .options = table,
                                    .count = sizeof table / sizeof *table};
    char *argv[MOST_ARGUMENTS + 1];
    const char *word[MOST_WORDS];
    char *text = malloc(size + 1);
    fuzz_require(text);
    if (size)
        memcpy(text, data, size);
    text[size] = '\n';
    for (size_t i = 0; i < size; i++)
        if (text[i] == '\0')
            text[i] = '\n';
    int argc = make_arguments(text, text + size + 1, argv);
    int status = parse_silently(&program, argc, argv, word);
    fuzz_require(status == OPTIONS_GO || status == 0 || status == EXIT_USAGE);
    if (status == OPTIONS_GO) {
        check_values(&v);
        check_words(word, argc, argv);
    }
    if (v.text)
        check_lists(v.text);
    free(text);
    return 0;
}
