/* Any bytes as LIBSVM text, and as a bandit log: refused with a place, or examples that obey the
 * format's promises. */
#include "common/base/memory.h"
#include "common/base/number.h"
#include "common/data/problem.h"
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

/* What the format promises of every example that was accepted. */
static void check_examples(const struct problem *p, const struct example_format *format)
{
    for (int64_t i = 0; i < p->n; i++) {
        struct example x = problem_example(p, i);
        const struct feedback *said = &x.feedback;
        int64_t features = x.size - (format->bias >= 0), previous = 0;
        fuzz_require(features >= 0);
        fuzz_require(x.label == EXAMPLE_UNLABELLED ? format->unlabelled
                                                   : x.label >= INT32_MIN && x.label <= INT32_MAX);
        if (format->log) {
            fuzz_require(said->f == 0 || said->f == 1);
            fuzz_require(said->p > 0 ? said->p <= 1 : format->no_propensity);
        }
        for (int64_t j = 0; j < x.size; j++) {
            fuzz_require(isfinite(x.value[j]));
            fuzz_require(j >= features || x.index[j] > previous);
            previous = x.index[j];
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct example_format formats[] = {
        {.bias = -1},
        {.bias = 1, .unit_length = true, .unlabelled = true, .zero_based = true},
        {.bias = -1, .log = true},
        {.bias = 1, .log = true, .no_propensity = true},
    };
    /* Kept from input to input, as making their first, large arrays is most of the work. */
    static struct problem problems[4];
    char *text = memory_new((int64_t)size + 1 + NUMBER_PAD, 1, NULL);
    fuzz_require(text);
    if (size)
        memcpy(text, data, size);
    text[size] = '\n';
    for (int f = 0; f < 4; f++) {
        struct problem *p = &problems[f];
        struct error err = {0};
        problem_clear(p);
        if (problem_append_text(p, text, text + size + 1, &formats[f], &err) != 0)
            fuzz_require(err.line > 0 && err.column > 0 && err.message[0] != '\0');
        check_examples(p, &formats[f]);
    }
    memory_free(text);
    return 0;
}
