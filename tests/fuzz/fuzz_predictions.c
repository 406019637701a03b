/* Any bytes as the output of a predictor: refused with a place, or a label for each line; and as
 * probabilities, then also rows that sum to 1. */
#include "common/model/predictions.h"
#include "driver.h"

#include <math.h>

const char *const fuzz_seeds[] = {
    "1\n-2\n3\n",
    "labels 1 2 3\n1 0.5 -1 2e-3\n3 0 1 2\n",
    "labels 3 1 2\n1 0.5 .25 2.5e-1\n3 0 1 0\n",
    "labels -1 1\r\n1 -0.5 .5\r\n-1 1 -1",
    "labels -1 1\r\n1 .2 .8 \r\n-1 1 0",
    "\357\273\2777 # note\n2147483647\n",
    "labels\n1\n",
};
const int fuzz_seed_count = sizeof fuzz_seeds / sizeof *fuzz_seeds;

/* lines: of the input. */
static void read_all(const char *path, bool probabilities, int64_t lines)
{
    struct predictions p;
    struct error err = {0};
    int64_t n = 0;
    int status = predictions_open(&p, path, &err);
    if (status == 0 && probabilities)
        status = predictions_require_probabilities(&p, &err);
    while (status == 0 && (status = predictions_next(&p, &err)) > 0) {
        double sum = 0;
        for (int64_t k = 0; k < p.columns; k++) {
            fuzz_require(!probabilities || (p.score[k] >= 0 && p.class[k] < p.columns));
            sum += p.score[k];
        }
        fuzz_require(!probabilities
                     || (fabs(sum - 1) < 0.11 && labels_find(&p.labels, p.label) >= 0));
        n++;
        status = 0;
    }
    if (status == 0)
        fuzz_require(p.has_head + n == lines);
    else
        fuzz_require(err.message[0] != '\0' && err.line > 0 && err.column > 0);
    predictions_close(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_input_file(data, size);
    int64_t lines = size > 0 && data[size - 1] != '\n';
    for (size_t i = 0; i < size; i++)
        lines += data[i] == '\n';
    read_all(path, false, lines);
    read_all(path, true, lines);
    return 0;
}
