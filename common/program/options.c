/* One pass over the words of the command line.  It stops at the first error: further messages would
 * only guess at what was meant. */
#include "common/program/options.h"

#include "common/base/error.h"
#include "common/base/input.h"
#include "common/base/number.h"
#include "common/base/same_file.h"
#include "common/program/options_completion.h"
#include "common/program/options_help.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *const option_zero_one[] = {"0", "1", NULL};

enum { OPTIONS_NAME = 64, OPTIONS_RANGE = 96 }; /* bytes of the texts of messages below */

int options_refuse(const struct program *program, const char *format, ...)
{
    char reason[1024], line[ERROR_ESCAPED(sizeof reason)];
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    error_escape(reason, line);
    fprintf(stderr, "%s: %s; see %s -h\n", program->name, line, program->name);
    return EXIT_USAGE;
}

/* The name of an option in a message: "-r (--regularizer)". */
static const char *options_title(const struct option *o, char out[OPTIONS_NAME])
{
    if (o->letter)
        snprintf(out, OPTIONS_NAME, "-%c (--%s)", o->letter, o->name);
    else
        snprintf(out, OPTIONS_NAME, "--%s", o->name);
    return out;
}

/* The range of a value in a message: "a whole number in 1 .. 256". */
static void options_range_text(const struct option *o, char out[OPTIONS_RANGE])
{
    if (o->type == OPTION_INT && o->highest >= OPTION_LARGEST_INT)
        snprintf(out, OPTIONS_RANGE, "a whole number of at least %.0f", o->lowest);
    else if (o->type == OPTION_INT)
        snprintf(out, OPTIONS_RANGE, "a whole number in %.0f .. %.0f", o->lowest, o->highest);
    else if (o->lowest <= -OPTION_UNBOUNDED)
        snprintf(out, OPTIONS_RANGE, "a number");
    else if (o->highest >= OPTION_UNBOUNDED)
        snprintf(out, OPTIONS_RANGE,
                 o->lowest > 0 ? "a number > 0 (at least %g)" : "a number >= %g", o->lowest);
    else
        snprintf(out, OPTIONS_RANGE, "a number in [%g, %g]", o->lowest, o->highest);
}

/* Is the value a number beyond a limit that options_range_text does not name? */
static bool options_is_too_large(const struct option *o, const char *text)
{
    const double limit = o->type == OPTION_INT ? OPTION_LARGEST_INT : OPTION_UNBOUNDED;
    double v;
    if (o->type != OPTION_INT && o->type != OPTION_NUMBER)
        return false;
    const enum number_status status = number_from_word(text, &v);
    if (status == NUMBER_NONE)
        return false;
    if (status == NUMBER_OVERFLOW)
        v = *text == '-' ? -HUGE_VAL : HUGE_VAL;
    return (o->highest >= limit && v > limit) || (o->lowest <= -limit && v < -limit);
}

/* Parse "0.1,1,10".  0 or -1. */
static int options_set_numbers(const struct option *o, const char *text)
{
    struct option_numbers *list = o->value;
    list->count = 0;
    for (;;) {
        char word[64];
        size_t length = strcspn(text, ",");
        double v;
        if (length >= sizeof word || list->count == OPTION_MOST_NUMBERS)
            return -1;
        snprintf(word, sizeof word, "%.*s", (int)length, text);
        if (number_from_word(word, &v) != 0 || v < o->lowest || v > o->highest
            || (list->count > 0 && !(v > list->value[list->count - 1])))
            return -1;
        list->value[list->count++] = v;
        if (!text[length])
            return 0;
        text += length + 1;
    }
}

/* Set an option from text: 0, or -1. */
static int options_set(const struct option *o, const char *text)
{
    int64_t i;
    double v;
    switch (o->type) {
    case OPTION_FLAG:
        *(bool *)o->value = true;
        return 0;
    case OPTION_INT:
        if (number_int_from_word(text, (int64_t)o->lowest, (int64_t)o->highest, &i) != 0)
            return -1;
        *(int64_t *)o->value = i;
        return 0;
    case OPTION_NUMBER:
        if (number_from_word(text, &v) != 0 || v < o->lowest || v > o->highest)
            return -1;
        *(double *)o->value = v;
        return 0;
    case OPTION_CHOICE:
        for (i = 0; o->choices[i]; i++)
            if (strcmp(text, o->choices[i]) == 0) {
                *(int64_t *)o->value = i;
                return 0;
            }
        return -1;
    case OPTION_TEXT:
        *(const char **)o->value = text;
        return 0;
    case OPTION_WORDS: {
        struct option_words *words = o->value;
        assert(words->count < OPTION_MOST_WORDS);
        words->word[words->count++] = text;
        return 0;
    }
    case OPTION_NUMBERS:
        return options_set_numbers(o, text);
    }
    return -1;
}

/* The usage error of a value that options_set does not take. */
static int options_refuse_value(const struct program *program, const struct option *o,
                                const char *text)
{
    char name[OPTIONS_NAME], range[OPTIONS_RANGE], list[256] = "";
    if (o->type == OPTION_CHOICE) {
        for (int i = 0; o->choices[i]; i++) {
            size_t used = strlen(list);
            snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", o->choices[i]);
        }
        return options_refuse(program, "%s: \"%.40s\" is none of %s%s%s%s", options_title(o, name),
                              text, list, o->hint ? " (" : "", o->hint ? o->hint : "",
                              o->hint ? ")" : "");
    }
    if (options_is_too_large(o, text))
        return options_refuse(program, "%s: \"%.40s\" is too large", options_title(o, name), text);
    options_range_text(o, range);
    return options_refuse(program, "%s: \"%.40s\" is not %s%s", options_title(o, name), text, range,
                          o->type == OPTION_NUMBERS ? " or an ascending list of such, like 1,2,5"
                                                    : "");
}

/* The name of a file that is written: "-" where it is another name of standard output.  Otherwise a
 * report could get into the file that standard output is redirected to, or that file be replaced
 * by a new one. */
static const char *options_output(const char *path)
{
    return strcmp(path, "/dev/stdout") == 0 || strcmp(path, "/dev/fd/1") == 0 ? "-" : path;
}

/* Set an option that the command line gives; text: its value, NULL for a flag.  OPTIONS_GO or
 * EXIT_USAGE. */
static int options_give(const struct program *program, struct option *o, const char *text)
{
    char name[OPTIONS_NAME];
    if (o->file == OPTION_WRITES || o->file == OPTION_APPENDS)
        text = options_output(text);
    if (o->given && text && o->type != OPTION_WORDS && strcmp(o->text, text) != 0)
        return options_refuse(program, "%s is given twice, as %.40s and as %.40s",
                              options_title(o, name), o->text, text);
    if (o->type == OPTION_WORDS
        && ((const struct option_words *)o->value)->count == OPTION_MOST_WORDS)
        return options_refuse(program, "%s is given more than %d times", options_title(o, name),
                              OPTION_MOST_WORDS);
    if (o->type == OPTION_TEXT && o->file == OPTION_NO_FILE && !*text)
        return options_refuse(program, "%s: its value is empty", options_title(o, name));
    if (options_set(o, text) != 0)
        return options_refuse_value(program, o, text);
    o->given = true;
    o->text = text;
    return OPTIONS_GO;
}

/* ---- parsing ---- */

static struct option *options_find_long(const struct program *p, const char *name, size_t length)
{
    for (int i = 0; i < p->count; i++)
        if (strlen(p->options[i].name) == length && memcmp(p->options[i].name, name, length) == 0)
            return &p->options[i];
    return NULL;
}

const struct option *options_find(const struct program *program, const char *name)
{
    return options_find_long(program, name, strlen(name));
}

static struct option *options_find_letter(const struct program *p, char letter)
{
    for (int i = 0; i < p->count; i++)
        if (p->options[i].letter == letter)
            return &p->options[i];
    return NULL;
}

/* Print the completion script for a shell. */
static int options_complete(const struct program *program, const char *shell)
{
    int64_t zsh;
    struct option o = options_of_all[OPTION_COMPLETION];
    if (strchr(program->name, ' ')) /* `synth noise`: the script of synth knows its kinds */
        return options_refuse(program, "--%s stands before the kind", o.name);
    o.value = &zsh;
    if (!shell)
        return options_refuse(program, "--%s needs a value", o.name);
    int status = options_give(program, &o, shell);
    if (status != OPTIONS_GO)
        return status;
    return zsh ? options_print_zsh(program) : options_print_bash(program);
}

/* Parse `--name`, `--name=value` or `--name value`.  text: without dashes; *a: its index in argv,
 * incremented when the next word is its value. */
static int options_parse_long(const struct program *program, const char *text, char **argv, int *a)
{
    size_t length = strcspn(text, "=");
    if (strcmp(text, "help") == 0)
        return options_print_help(program);
    if (strcmp(text, "man") == 0)
        return options_print_man(program);
    if (strcmp(text, "version") == 0)
        return options_print_version(program);
    if (strcmp(text, "completion") == 0)
        return options_complete(program, argv[*a + 1]);
    if (strncmp(text, "completion=", length + 1) == 0)
        return options_complete(program, text + length + 1);
    struct option *o = options_find_long(program, text, length);
    if (!o)
        return options_refuse(program, "unknown option --%.40s", text);
    if (o->type == OPTION_FLAG) {
        if (text[length])
            return options_refuse(program, "--%s takes no value", o->name);
        return options_give(program, o, NULL);
    }
    if (text[length])
        return options_give(program, o, text + length + 1);
    if (!argv[*a + 1])
        return options_refuse(program, "--%s needs a value", o->name);
    return options_give(program, o, argv[++*a]);
}

/* Parse `-qA`, `-r1` or `-r 1`.  text: without its dash; *a as above. */
static int options_parse_letters(const struct program *program, const char *text, char **argv,
                                 int *a)
{
    for (; *text; text++) {
        int status;
        if (*text == 'h')
            return options_print_help(program);
        struct option *o = options_find_letter(program, *text);
        if (!o)
            return options_refuse(program, "unknown option -%.40s", text);
        if (o->type != OPTION_FLAG) {
            if (!text[1] && !argv[*a + 1])
                return options_refuse(program, "-%c needs a value", o->letter);
            return options_give(program, o, text[1] ? text + 1 : argv[++*a]);
        }
        if ((status = options_give(program, o, NULL)) != OPTIONS_GO)
            return status;
    }
    return OPTIONS_GO;
}

/* ---- files ---- */

/* A file of the run, and its name in a message. */
struct options_named_use {
    struct file_use use; /* path NULL: no file */
    char name[OPTIONS_NAME];
};

/* The name of the i-th word in `training_file [model_file]`, without brackets and dots. */
static void options_word_name(const struct program *p, int i, char out[OPTIONS_NAME])
{
    const char *name = p->words;
    for (; i > 0 && strchr(name, ' ') && name[strcspn(name, " ") + 1] != '>'; i--)
        name += strcspn(name, " ") + 1;
    name += strspn(name, "[");
    snprintf(out, OPTIONS_NAME, "%.*s", (int)strcspn(name, " ]."), name);
}

static bool options_word_is_written(const struct program *p, int i)
{
    const int last = (int)strlen(p->files) - 1;
    return p->files[i < last ? i : last] == 'w';
}

/* Does the option name a file?  Not if it is not given, nor if its value is one of choices:
 * `-c identity`. */
static bool options_names_file(const struct option *o)
{
    if (o->file == OPTION_NO_FILE || !o->given)
        return false;
    if (o->choices)
        for (int i = 0; o->choices[i]; i++)
            if (strcmp(o->text, o->choices[i]) == 0)
                return false;
    return true;
}

/* The i-th file of the run, counting its options, then its words, then standard output.  False:
 * there are no more. */
static bool options_file_at(const struct program *p, const char *const *word, int i,
                            struct options_named_use *file)
{
    *file = (struct options_named_use){.use = {.path = NULL}};
    if (i < p->count) {
        const struct option *o = &p->options[i];
        if (options_names_file(o))
            file->use = (struct file_use){.path = o->text, .written = o->file != OPTION_READS};
        snprintf(file->name, sizeof file->name, "--%s", o->name);
        return true;
    }
    i -= p->count;
    int words = 0;
    while (word[words])
        words++;
    if (i > words)
        return false;
    if (i == words) {
        file->use = (struct file_use){.path = "-", .written = true};
        snprintf(file->name, sizeof file->name, "standard output");
        return true;
    }
    file->use = (struct file_use){.path = word[i], .written = options_word_is_written(p, i)};
    options_word_name(p, i, file->name);
    return true;
}

/* Refuse a file without a name (`$MODEL` was not set), and standard input or a pipe for two files.
 */
static int options_check_names(const struct program *program, const char *const *word)
{
    struct options_named_use file, before;
    for (int i = 0; options_file_at(program, word, i, &file); i++) {
        if (!file.use.path)
            continue;
        if (!*file.use.path)
            return options_refuse(program, "%s: its name is empty", file.name);
        if (file.use.written)
            continue;
        for (int j = 0; j < i && options_file_at(program, word, j, &before); j++) {
            if (!before.use.path || before.use.written)
                continue;
            const bool standard = strcmp(before.use.path, "-") == 0
                                  && strcmp(file.use.path, "-") == 0;
            if (standard || same_pipe(&before.use, &file.use))
                return options_refuse(program, "%s and %s cannot both be %s", before.name,
                                      file.name,
                                      standard ? "standard input" : "read from one pipe");
        }
    }
    return OPTIONS_GO;
}

int options_check_files(const struct program *program, const char *const *word)
{
    struct options_named_use output, other;
    if (options_check_names(program, word) != OPTIONS_GO)
        return EXIT_USAGE;
    for (int i = 0; options_file_at(program, word, i, &output); i++) {
        if (!output.use.path || !output.use.written)
            continue;
        const bool is_standard = strcmp(output.use.path, "-") == 0;
        for (int j = 0; options_file_at(program, word, j, &other); j++) {
            if (j == i || !other.use.path || (other.use.written && j < i))
                continue;
            /* "-" is standard output, and may be unless the program writes there anyway. */
            const bool may_be = !strchr(program->words, '>')
                                && strcmp(other.name, "standard output") == 0;
            if ((is_standard && may_be) || !same_file(&output.use, &other.use))
                continue;
            return options_refuse(
                program, "%s and %s are the same file: the output needs a file of its own%s",
                output.name, other.name, may_be ? ", or is -" : "");
        }
    }
    return OPTIONS_GO;
}

bool options_names_class(const char *option, int64_t *label)
{
    return option[1] == 'w' && number_int_from_word(option + 2, INT32_MIN, INT32_MAX, label) == 0;
}

bool options_is_class_weight(const char *option, char instead[OPTION_INSTEAD])
{
    int64_t label;
    if (!options_names_class(option, &label))
        return false;
    snprintf(instead, OPTION_INSTEAD,
             "%.40s: no weights of classes; -W file has one of each example", option);
    return true;
}

bool options_is_shrinking(const char *option, const char *next, char instead[OPTION_INSTEAD])
{
    if (strcmp(option, "-h") != 0 || !next || (strcmp(next, "0") != 0 && strcmp(next, "1") != 0))
        return false;
    snprintf(instead, OPTION_INSTEAD, "-h is for help here: leave -h %s out", next);
    return true;
}

bool options_is_cost(const char *option, const char *next)
{
    double number;
    return strcmp(option, "-c") == 0 && next && number_from_word(next, &number) == 0
           && !input_is_file(next);
}

/* ---- the whole command line ---- */

/* OPTIONS_GO or EXIT_USAGE. */
static int options_set_defaults(const struct program *program)
{
    for (int i = 0; i < program->count; i++)
        if (program->options[i].by_default
            && options_set(&program->options[i], program->options[i].by_default) != 0)
            return options_refuse(program, "the default of --%s is out of its range",
                                  program->options[i].name);
    return OPTIONS_GO;
}

/* Not "-", which is standard input or output. */
static bool options_is_option(const char *text)
{
    return text[0] == '-' && text[1];
}

/* Parse the word argv[*a], and the next one if that is its value: *a is the last that was parsed.
 * OPTIONS_GO, or the exit status. */
static int options_parse_word(const struct program *program, char **argv, int *a)
{
    const char *text = argv[*a];
    char instead[OPTION_INSTEAD];
    if (program->foreign && program->foreign(text, argv[*a + 1], instead))
        return options_refuse(program, "%s", instead);
    return text[1] == '-' ? options_parse_long(program, text + 2, argv, a)
                          : options_parse_letters(program, text + 1, argv, a);
}

/* The files, which follow the options: there are `words`, at argv.  word: out.  OPTIONS_GO or
 * EXIT_USAGE. */
static int options_take_words(const struct program *program, int words, char **argv,
                              const char **word)
{
    if (words < program->fewest_words)
        return options_refuse(program,
                              words == 0 ? "no file is named: %s" : "a file name is missing: %s",
                              program->words);
    if (program->most_words >= 0 && words > program->most_words)
        return options_refuse(program, "\"%.80s\" is a word too many", argv[program->most_words]);
    for (int i = 0; i < words; i++)
        word[i] = options_word_is_written(program, i) ? options_output(argv[i]) : argv[i];
    word[words] = NULL;
    return options_check_files(program, word);
}

int options_parse(const struct program *program, int argc, char **argv, const char **word)
{
    bool ended = false; /* by `--`, after which any word is a file */
    int a = 1;
    if (options_set_defaults(program) != OPTIONS_GO)
        return EXIT_USAGE;
    for (; a < argc && options_is_option(argv[a]); a++) {
        if (strcmp(argv[a], "--") == 0) {
            ended = true;
            a++;
            break;
        }
        const int status = options_parse_word(program, argv, &a);
        if (status != OPTIONS_GO)
            return status;
    }
    if (!ended)
        for (int i = a + 1; i < argc; i++)
            if (options_is_option(argv[i]))
                return options_refuse(program, "%.40s: options come before the files", argv[i]);
    return options_take_words(program, argc - a, argv + a, word);
}
