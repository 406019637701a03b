/* Options that do not go together. */
#include "common/program/options.h"

#include <stdio.h>
#include <string.h>

/* Is the option, or OPTION_MODEL, given?  title: out: its name in a message. */
static bool options_meets(const struct program *program, const char *option, bool model,
                          char title[64])
{
    if (strcmp(option, OPTION_MODEL) == 0) {
        snprintf(title, 64, "%s", option);
        return model;
    }
    const struct option *o = options_find(program, option);
    if (o->letter)
        snprintf(title, 64, "-%c", o->letter);
    else
        snprintf(title, 64, "--%s", o->name);
    return o->given;
}

int options_refuse_clashes(const struct program *program, const struct option_clash *clashes,
                           bool model, struct error *err)
{
    for (const struct option_clash *c = clashes; c && c->option; c++) {
        char option[64], with[64];
        if (options_meets(program, c->option, model, option)
            && options_meets(program, c->with, model, with))
            return error_usage(err, "%s %s: it does not go with %s", option, c->reason, with);
    }
    return 0;
}

int options_refuse_any(const struct program *program, const char *const *names, const char *why,
                       struct error *err)
{
    for (; *names; names++)
        if (options_find(program, *names)->given)
            return error_usage(err, "--%s has no meaning %s", *names, why);
    return 0;
}
