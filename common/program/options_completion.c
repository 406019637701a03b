/* A completion script needs the option table only: it never runs the program, and needs no package
 * of completions.  In bash, one `case` over the word before the cursor decides what may follow; in
 * zsh, _arguments does. */
#include "common/program/options_completion.h"

#include "common/program/options_help.h"

#include <stdio.h>

/* The name of the shell's function: "_forward_train". */
static void completion_put_function(const struct program *p)
{
    putchar('_');
    for (const char *c = p->name; *c; c++)
        putchar(*c == '-' || *c == ' ' ? '_' : *c);
}

static void completion_put_list(const char *const *words)
{
    for (int i = 0; words[i]; i++)
        printf("%s%s", i ? " " : "", words[i]);
}

/* The kinds of a program, of which the first word must be one. */
static void completion_put_kinds(const struct program *p)
{
    if (!p->kinds)
        return;
    for (int i = 0; p->kinds[i]; i++)
        printf("%s ", options_kind(p->kinds[i]));
}

/* Is there nothing to suggest for the option's value?  Any number or text may be one. */
static bool completion_is_free(const struct option *o)
{
    return o->type != OPTION_FLAG && !o->choices && o->file == OPTION_NO_FILE;
}

/* The body of the function: `put` for the program's table.  Of a program with kinds, that is the
 * last branch of a `case`; where the first word is a kind, `which` is 1:KIND, and the branch does
 * `shift`, then `put` for that kind's table. */
static void completion_put_tables(const struct program *p, const char *which, const char *shift,
                                  void (*put)(const struct program *))
{
    if (!p->kinds) {
        put(p);
        return;
    }
    printf("    case %s in\n", which);
    for (int i = 0; p->kinds[i]; i++) {
        printf("    1:%s)\n%s", options_kind(p->kinds[i]), shift);
        put(p->kinds[i]);
        printf("    ;;\n");
    }
    printf("    *)\n");
    put(p);
    printf("    ;;\n    esac\n");
}

/* ---- bash ---- */

/* "-r | --regularizer", a pattern of `case`. */
static void bash_put_pattern(const struct option *o)
{
    if (o->letter)
        printf("-%c | ", o->letter);
    printf("--%s", o->name);
}

/* Set `words` and `files` to what may follow `option`, for the options of one table. */
static void bash_put_case(const struct program *p)
{
    const struct option *o;
    int rest = 0;
    printf("    case $option in\n");
    for (int i = 0; (o = options_row(p, i)); i++) {
        if (o->type == OPTION_FLAG || completion_is_free(o))
            continue;
        printf("    ");
        bash_put_pattern(o);
        putchar(')');
        if (o->choices) {
            printf(" words='");
            completion_put_list(o->choices);
            putchar('\'');
        }
        printf("%s ;;\n", o->file == OPTION_NO_FILE ? "" : " files=yes");
    }
    for (int i = 0; (o = options_row(p, i)); i++) {
        if (!completion_is_free(o))
            continue;
        printf("%s", rest++ ? " | " : "    ");
        bash_put_pattern(o);
    }
    if (rest)
        printf(") ;;\n");
    printf("    *)\n        words='");
    completion_put_kinds(p);
    for (int i = 0; (o = options_row(p, i)); i++) {
        if (o->letter)
            printf("-%c ", o->letter);
        printf("--%s ", o->name);
    }
    printf("'\n%s        ;;\n    esac\n",
           p->most_words == 0 ? "" : "        [[ $word == -* ]] || words= files=yes\n");
}

int options_print_bash(const struct program *p)
{
    printf("# Completion of %s in bash, made by `%s --completion bash`.\n", p->name, p->name);
    completion_put_function(p);
    printf("()\n{\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]}\n"
           "    local words= files= IFS=$' \\t\\n'\n"
           "    if [[ $word == = ]]; then # to bash, --name=value is three words\n"
           "        word=\n"
           "    elif [[ $option == = ]]; then\n"
           "        option=${COMP_WORDS[COMP_CWORD - 2]}\n"
           "    fi\n");
    completion_put_tables(p, "$((COMP_CWORD > 1)):${COMP_WORDS[1]}", "", bash_put_case);
    /* Where no word fits, files are left to readline, which knows about quotes. */
    printf("    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
           "    if [[ $files && ${#COMPREPLY[@]} -eq 0 ]]; then\n"
           "        compopt -o default\n"
           "    elif [[ $files ]]; then\n"
           "        mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- \"$word\")\n"
           "        compopt -o filenames\n"
           "    fi\n"
           "}\n"
           "complete -F ");
    completion_put_function(p);
    printf(" %s\n", p->name);
    return options_written(p);
}

/* ---- zsh ---- */

/* Text within a quoted argument of _arguments. */
static void zsh_put(const char *text)
{
    for (; *text; text++) {
        if (*text == '\'') {
            fputs("'\\''", stdout);
            continue;
        }
        if (*text == '\\' || *text == ':' || *text == '[' || *text == ']')
            putchar('\\');
        putchar(*text);
    }
}

/* The value of an option: its name and what it may be. */
static void zsh_put_value(const struct option *o)
{
    putchar(':');
    zsh_put(o->argument);
    putchar(':');
    if (o->choices && o->file != OPTION_NO_FILE) {
        printf("{_alternative \"words\\:word\\:(");
        completion_put_list(o->choices);
        printf(")\" \"files\\:file\\:_files\"}");
    } else if (o->choices) {
        putchar('(');
        completion_put_list(o->choices);
        putchar(')');
    } else {
        printf("%s", o->file == OPTION_NO_FILE ? " " : "_files");
    }
}

/* '(-r --regularizer)'{-r+,--regularizer=}'[help]:r: ' */
static void zsh_put_option(const struct option *o)
{
    const bool valued = o->type != OPTION_FLAG;
    printf(" \\\n        ");
    if (o->type == OPTION_WORDS)
        printf("'*'");
    else if (o->letter)
        printf("'(-%c --%s)'", o->letter, o->name);
    if (o->letter)
        printf("{-%c%s,--%s%s}", o->letter, valued ? "+" : "", o->name, valued ? "=" : "");
    else
        printf("--%s%s", o->name, valued ? "=" : "");
    printf("'[");
    zsh_put(o->help);
    putchar(']');
    if (valued)
        zsh_put_value(o);
    putchar('\'');
}

static void zsh_put_arguments(const struct program *p)
{
    const struct option *o;
    printf("    _arguments -s -S -A '-*'");
    for (int i = 0; (o = options_row(p, i)); i++)
        zsh_put_option(o);
    if (p->kinds) {
        printf(" \\\n        ':kind:(");
        completion_put_kinds(p);
        printf(")'");
    } else if (p->most_words != 0) {
        printf(" \\\n        '*:file:_files'");
    }
    putchar('\n');
}

int options_print_zsh(const struct program *p)
{
    printf("#compdef %s\n# Completion of %s in zsh, made by `%s --completion zsh`.\n", p->name,
           p->name, p->name);
    completion_put_function(p);
    printf("()\n{\n");
    completion_put_tables(p, "$((CURRENT > 2)):$words[2]", "    shift words\n    ((CURRENT--))\n",
                          zsh_put_arguments);
    /* A file of $fpath is loaded when its function is called first; other scripts are sourced. */
    printf("}\nif [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n    ");
    completion_put_function(p);
    printf(" \"$@\"\nelse\n    compdef ");
    completion_put_function(p);
    printf(" %s\nfi\n", p->name);
    return options_written(p);
}
