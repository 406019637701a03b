/* Values are looked at up to the first that is not 0: few, unless the example is isolated. */
#include "common/kernel/isolated.h"

bool isolated_row(const double *row, int64_t count, int64_t itself)
{
    int64_t j = 0;
    while (j < count && (j == itself || !(row[j] > 0)))
        j++;
    return j == count;
}

void isolated_warn(const struct findings *to, int64_t isolated, int64_t n, const char *examples,
                   const char *others, double gamma)
{
    if (10 * isolated > n)
        findings_warn(to,
                      "%lld of %lld %s have a kernel value of 0 with all %s: gamma, %g, is too "
                      "large",
                      (long long)isolated, (long long)n, examples, others, gamma);
}
