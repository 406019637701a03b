/* Texts of the command line -> numbers, with what may be said of them. */
#include "common/program/log_options.h"

#include "common/base/number.h"

#include <string.h>

int log_options_rates(const char *text, double rates[2])
{
    char word[2][64];
    const char *comma = strchr(text, ',');
    if (!comma || comma - text >= (int)sizeof *word || strlen(comma + 1) >= sizeof *word)
        return -1;
    snprintf(word[0], sizeof word[0], "%.*s", (int)(comma - text), text);
    snprintf(word[1], sizeof word[1], "%s", comma + 1);
    for (int i = 0; i < 2; i++)
        if (number_from_word(word[i], &rates[i]) != 0 || !(rates[i] >= 0 && rates[i] <= 1))
            return -1;
    return 0;
}

int log_options_assumed(const char *text, double rates[2], struct error *err)
{
    if (log_options_rates(text, rates) != 0 || !(rates[0] + rates[1] < 1))
        return error_usage(err, "--rates: \"%s\" is not r0,r1 with both in [0, 1] and r0 + r1 < 1",
                           text);
    return 0;
}

int log_options_propensity(const char *text, struct log_propensity *propensity, struct error *err)
{
    *propensity = (struct log_propensity){.uniform = text && strcmp(text, "uniform") == 0};
    if (!text || propensity->uniform)
        return 0;
    if (number_from_word(text, &propensity->p) != 0 || !(propensity->p > 0 && propensity->p <= 1))
        return error_usage(
            err, "--propensity: \"%s\" is neither a number in (0, 1] nor \"uniform\"", text);
    return 0;
}

double log_options_p(const struct log_propensity *propensity, int64_t classes)
{
    return propensity->uniform ? 1 / (double)classes : propensity->p;
}
