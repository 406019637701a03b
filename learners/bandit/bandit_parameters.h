/* The parameters of the bandit learners' rules, each described once: by its option, its keyword in
 * the model file, its type and its place in struct bandit_options.  Saving, loading, and what a
 * program says of options that mean nothing or disagree all follow from that. */
#ifndef LEARNERS_BANDIT_BANDIT_PARAMETERS_H
#define LEARNERS_BANDIT_BANDIT_PARAMETERS_H

#include "common/model/model.h"
#include "common/model/model_writer.h"
#include "learners/bandit/bandit_options.h"

#include <stddef.h>

enum bandit_parameter_type {
    BANDIT_INT,    /* int64_t in lowest .. highest */
    BANDIT_NUMBER, /* double in lowest .. highest */
    BANDIT_FLAG,   /* bool; in the model 0 or 1, or one of the two words in `choices` */
    BANDIT_CHOICE, /* int64_t: position in choices */
    BANDIT_LAYERS, /* hidden layers of a struct noise_rate_network */
    BANDIT_RATES   /* double[2]: rho0, rho1 */
};

/* A member of struct bandit_options, of all rules or of some: one description, by which models are
 * saved and loaded and the program checks what it is given. */
struct bandit_parameter {
    const char *option;  /* the program's long option */
    const char *keyword; /* in the model file; NULL: not there */
    enum bandit_parameter_type type;
    size_t offset;                                      /* in struct bandit_options */
    double lowest, highest;                             /* in a model file */
    const char *const *choices;                         /* NULL-terminated */
    bool (*used)(const struct bandit_options *options); /* NULL: always */
};

/* The first members of a row. */
#define BANDIT_PARAMETER(Option, Keyword, Type, member)       \
    .option = (Option), .keyword = (Keyword), .type = (Type), \
    .offset = offsetof(struct bandit_options, member)

/* Those of all rules, ended by one without an option. */
extern const struct bandit_parameter bandit_common_parameters[];

/* For these options, has the parameter a use? */
bool bandit_parameter_used(const struct bandit_parameter *parameter,
                           const struct bandit_options *options);

bool bandit_parameter_same(const struct bandit_parameter *parameter, const struct bandit_options *a,
                           const struct bandit_options *b);

/* Write those of the table that are used, in its order. */
void bandit_parameters_put(const struct bandit_parameter *table,
                           const struct bandit_options *options, struct model_writer *writer);

/* Read them.  A parameter whose use depends on another one stands after it.  0 or -1. */
int bandit_parameters_get(const struct bandit_parameter *table, const struct model *model,
                          struct bandit_options *options, struct error *err);

#endif
