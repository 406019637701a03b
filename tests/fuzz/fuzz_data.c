/* Any bytes as LIBSVM text, and as a bandit log: refused with a place, or examples that obey the format's promises. */
#include "../../common/memory.h"
#include "../../common/number.h"
#include "../../common/problem.h"
#include "driver.h"

#include <math.h>
#include <string.h>

const char *const fuzz_seeds[] = {
    "1 1:0.5 3:-2 10:1e-3\n-1 2:1\n+7 5:.5 # note\n",
    "# head\n\n2 1:1 2:2 3:3\r\n? 4:4\n1\n",
    "3 1:0.123456789012345678 2147483647:1e22\n-2147483648 1:12345678.12345678\n",
    "1 1:00000000000000000000000000000001 2:1.7976931348623157e308 7:4.9e-324",
    "1:1:0.5 1:1\n-2:0:1 2:1\n3:-1:1e-5 # none\n+4:+1:.25\n5:1 1:1\n",
};
const int fuzz_seed_count = sizeof fuzz_seeds / sizeof *fuzz_seeds;

static int obeys(const struct problem *p, const struct example_format *format)
{
    for (int64_t i = 0; i < p->n; i++) {
        struct example x = problem_example(p, i);
        int64_t features = x.size - (format->bias >= 0), previous = 0;
        if (features < 0 || (x.label != EXAMPLE_UNLABELLED && (x.label < INT32_MIN || x.label > INT32_MAX)))
            return 0;
        const struct feedback *said = &x.feedback;
        if (format->log && ((said->f != 0 && said->f != 1) || !(said->p > 0 ? said->p <= 1 : format->no_propensity)))
            return 0;
        for (int64_t j = 0; j < x.size; previous = x.index[j++])
            if (!isfinite(x.value[j]) || (j < features && x.index[j] <= previous))
                return 0;
    }
    return 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct example_format formats[] = {{.bias = -1}, {.bias = 1, .unit_length = true, .unlabelled = true, .zero_based = true},
                                                   {.bias = -1, .log = true}, {.bias = 1, .log = true, .no_propensity = true}};
    char *text = memory_new((int64_t)size + 1 + NUMBER_PAD, 1, NULL);
    int sound = text != NULL;
    if (size)
        memcpy(text, data, size);
    text[size] = '\n';
    for (int f = 0; f < 4; f++) {
        struct problem p = {0};
        struct error err = {0};
        if (problem_append_text(&p, text, text + size + 1, &formats[f], &err) != 0)
            sound &= err.line > 0 && err.column > 0 && err.message[0] != '\0';
        sound &= obeys(&p, &formats[f]);
        problem_free(&p);
    }
    memory_free(text);
    return sound ? 0 : 1;
}
