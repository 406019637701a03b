/* The list of rules (bandit_rule.h) as arrays, and the option that goes with a parameter. */
#include "learners/bandit/bandit_rule.h"

#include <string.h>

#define BANDIT_POINTER(name) &bandit_##name##_rule,
const struct bandit_rule *const bandit_rules[] = {BANDIT_RULES(BANDIT_POINTER) NULL};

#define BANDIT_NAME(name) #name,
const char *const bandit_rule_names[] = {BANDIT_RULES(BANDIT_NAME) NULL};

/* The row of a table; NULL where there is none, or no table. */
static const struct bandit_parameter *bandit_find_row(const struct bandit_parameter *table,
                                                      const char *option)
{
    for (const struct bandit_parameter *p = table; p && p->option; p++) {
        if (strcmp(p->option, option) == 0)
            return p;
    }
    return NULL;
}

const struct bandit_parameter *bandit_find_parameter(const struct bandit_options *options,
                                                     const char *option)
{
    const struct bandit_parameter *p = bandit_find_row(bandit_common_parameters, option);
    if (!p)
        p = bandit_find_row(options->rule->parameters, option);
    return p && bandit_parameter_used(p, options) ? p : NULL;
}

bool bandit_uses(const struct bandit_options *options, const char *option)
{
    if (bandit_find_parameter(options, option))
        return true;
    for (int i = 0; bandit_rules[i]; i++) {
        if (bandit_find_row(bandit_rules[i]->parameters, option))
            return false;
    }
    return true;
}
