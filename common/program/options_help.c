/* The help is laid out for a terminal of 100 columns; the page is roff with man's macros, its
 * sections in the usual order.  Both come from the same table, so neither can miss an option. */
#include "common/program/options_help.h"

#include "common/base/error.h"
#include "common/program/option_rows.h"
#include "common/program/version.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum {
    HELP_LEFT = 23,              /* columns of an option's names, */
    HELP_INDENT = HELP_LEFT + 3, /* and those before what is said of it */
    HELP_COLUMNS = 100,
    HELP_NAMES = 96, /* bytes of an option's names */
    HELP_TEXT = 2048 /* and of what is said of it */
};

static const char *const help_shells[] = {"bash", "zsh", NULL};

/* clang-format off */
const struct option options_of_all[] = {
    {ROW_FLAG('h', "help", NULL), .help = "print the options"},
    {ROW_FLAG(0, "version", NULL), .help = "print name and version"},
    {ROW_FLAG(0, "man", NULL), .help = "print the manual page, as roff"},
    {ROW_CHOICE(0, "completion", NULL, "bash|zsh", help_shells),
     .help = "print a script that completes the command line in this shell"}};
/* clang-format on */
enum { OPTIONS_OF_ALL = sizeof options_of_all / sizeof *options_of_all };

const struct option *options_row(const struct program *p, int i)
{
    if (i < p->count)
        return &p->options[i];
    i -= p->count;
    if (i == OPTION_COMPLETION && strchr(p->name, ' ')) /* one script completes all kinds */
        i++;
    return i < OPTIONS_OF_ALL ? &options_of_all[i] : NULL;
}

const char *options_kind(const struct program *kind)
{
    return strchr(kind->name, ' ') + 1;
}

int options_written(const struct program *program)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return 0;
    struct error err = {0};
    error_system(&err, "<stdout>");
    error_print(stderr, program->name, &err);
    return 1;
}

/* "-r, --regularizer r" */
static void help_left(const struct option *o, char out[HELP_NAMES])
{
    int n = o->letter ? snprintf(out, HELP_NAMES, "-%c, --%s", o->letter, o->name)
                      : snprintf(out, HELP_NAMES, "    --%s", o->name);
    if (o->type != OPTION_FLAG)
        snprintf(out + n, HELP_NAMES - (size_t)n, " %s", o->argument);
}

/* Not where the argument's name already lists them, "0|1". */
static bool help_lists_choices(const struct option *o)
{
    return o->type == OPTION_CHOICE && !strchr(o->argument, '|');
}

/* Append three texts to the first `length` bytes of out.  Returns its length. */
static int help_add(char out[HELP_TEXT], int length, const char *before, const char *text,
                    const char *after)
{
    length += snprintf(out + length, HELP_TEXT - (size_t)length, "%s%s%s", before, text, after);
    assert(length < HELP_TEXT); /* else HELP_TEXT is too small */
    return length;
}

/* What the option does, its choices, its default, and the learners that use it. */
static void help_right(const struct option *o, char out[HELP_TEXT])
{
    int n = help_add(out, 0, o->help, "", "");
    if (help_lists_choices(o))
        for (int i = 0; o->choices[i]; i++)
            n = help_add(out, n, i ? " | " : ": ", o->choices[i], "");
    if (o->by_default)
        n = help_add(out, n, " (default ", o->by_default, ")");
    if (o->users)
        help_add(out, n, " [", o->users, "]");
}

/* Print text that starts at the indent, wrapped before the last column. */
static void help_put_wrapped(const char *text)
{
    int column = HELP_INDENT;
    for (const char *word = text; *word;) {
        int length = (int)strcspn(word, " ");
        if (column > HELP_INDENT && column + 1 + length > HELP_COLUMNS) {
            printf("\n%*s", HELP_INDENT, "");
            column = HELP_INDENT;
        }
        printf("%s%.*s", column > HELP_INDENT ? " " : "", length, word);
        column += length + (column > HELP_INDENT);
        word += length + (word[length] == ' ');
    }
    putchar('\n');
}

int options_print_help(const struct program *p)
{
    printf("Usage: %s%s [options] %s\n%s\n", p->name, p->kinds ? " KIND" : "", p->words,
           p->summary);
    if (p->kinds) {
        printf("\nKinds (%s KIND -h: its options):\n", p->name);
        for (int i = 0; p->kinds[i]; i++)
            printf("  %-*s %s\n", HELP_LEFT, options_kind(p->kinds[i]), p->kinds[i]->summary);
    }
    printf("\nOptions:\n");
    const struct option *o;
    for (int i = 0; (o = options_row(p, i)); i++) {
        char left[HELP_NAMES], right[HELP_TEXT];
        help_left(o, left);
        help_right(o, right);
        if (strlen(left) > HELP_LEFT)
            printf("  %s\n%*s", left, HELP_INDENT, "");
        else
            printf("  %-*s ", HELP_LEFT, left);
        help_put_wrapped(right);
    }
    if (p->examples)
        printf("\nExamples:\n%s", p->examples);
    return options_written(p);
}

int options_print_version(const struct program *p)
{
    printf("%s (LIBDOUBT) " LIBDOUBT_VERSION "\n", p->name);
    return options_written(p);
}

/* ---- the page ---- */

/* Print text with roff's special characters escaped: `-` would be a hyphen, `\` an escape, a dot or
 * a quote at the start of a line a request. */
static void man_put(const char *text)
{
    bool begins = true;
    for (; *text; text++) {
        if (begins && (*text == '.' || *text == '\''))
            fputs("\\&", stdout);
        if (*text == '-')
            fputs("\\-", stdout);
        else if (*text == '\\')
            fputs("\\e", stdout);
        else
            putchar(*text);
        begins = *text == '\n';
    }
}

/* A section of plain paragraphs; nothing if text is NULL. */
static void man_put_section(const char *title, const char *text)
{
    if (!text)
        return;
    printf(".SH %s\n", title);
    man_put(text);
    putchar('\n');
}

static void man_put_option(const struct option *o)
{
    char left[HELP_NAMES], right[HELP_TEXT];
    help_left(o, left);
    help_right(o, right);
    printf(".TP\n.B ");
    man_put(left + strspn(left, " "));
    putchar('\n');
    man_put(right);
    putchar('\n');
}

static void man_put_kinds(const struct program *p)
{
    if (!p->kinds)
        return;
    printf(".SH KINDS\n");
    for (int i = 0; p->kinds[i]; i++) {
        printf(".SS %s\n", options_kind(p->kinds[i]));
        man_put(p->kinds[i]->summary);
        putchar('\n');
        man_put(p->kinds[i]->details);
        putchar('\n');
        for (int j = 0; j < p->kinds[i]->count; j++)
            man_put_option(&p->kinds[i]->options[j]);
    }
}

int options_print_man(const struct program *p)
{
    printf(".TH %s 1 \"\" \"LIBDOUBT " LIBDOUBT_VERSION "\" \"User Commands\"\n", p->name);
    printf(".SH NAME\n%s \\- ", p->name);
    man_put(p->summary);
    printf("\n.SH SYNOPSIS\n.B %s\n%s[options] ", p->name, p->kinds ? "KIND " : "");
    man_put(p->words);
    putchar('\n');
    man_put_section("DESCRIPTION", p->details);
    man_put_kinds(p);
    printf(".SH OPTIONS\n");
    const struct option *o;
    for (int i = 0; (o = options_row(p, i)); i++)
        man_put_option(o);
    man_put_section("FILES",
                    "A file name `-` stands for standard input or standard output. Data are LIBSVM "
                    "text, one example per line: `label index:value ...`, indices ascending; text "
                    "after a # at the start of a line or after a blank is ignored. An output file "
                    "appears whole or not at all. The formats of data, models, matrices and logs "
                    "are described in libdoubt(5).");
    man_put_section(
        "EXIT STATUS",
        "0: done; 1: an error in the data, a model, or in reading or writing; 2: a usage "
        "error; 3: done, but with a warning, where --strict is given; 128 + n: stopped by signal "
        "n.");
    man_put_section("DIAGNOSTICS",
                    "An error is one line on standard error, `PROGRAM: FILE:LINE:COL: reason`, and "
                    "no output file is touched. (Where only the report on standard output fails, "
                    "the files are whole.) Lines that begin with `PROGRAM: warning:` say what "
                    "makes a result doubtful, those with `PROGRAM: note:` what was ignored or done "
                    "differently than asked.");
    if (p->diagnostics) {
        printf(".PP\n");
        man_put(p->diagnostics);
        putchar('\n');
    }
    if (p->examples) {
        printf(".SH EXAMPLES\n.nf\n");
        man_put(p->examples);
        printf(".fi\n");
    }
    man_put_section("SEE ALSO", p->see_also);
    man_put_section("REFERENCES", p->papers);
    return options_written(p);
}
