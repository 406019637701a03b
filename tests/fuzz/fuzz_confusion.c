/* Any bytes as a confusion matrix: refused with a place, or columns that are probabilities and
 * survive writing and reading to the bit. */
#include "common/model/confusion.h"
#include "driver.h"

#include <math.h>
#include <string.h>

const char *const fuzz_seeds[] = {
    "confusion 1\nnr_class 3\nlabel 2 1 -3\nrows true\n0.5 0.25 0.25\n0.125 0.75 0.125\n0 0.5 "
    "0.5\n",
    "confusion 1\nnr_class 2\nlabel 1 2\nrows observed\n30 1 # counts\n2 0\n",
    "# no head\n0.9 0\n1e-1 1\n",
    "7 3 0\n0 2 0\r\n1 0 0",
};
const int fuzz_seed_count = sizeof fuzz_seeds / sizeof *fuzz_seeds;

/* Columns are probabilities, labels ascend. */
static void check_matrix(const struct confusion *c)
{
    fuzz_require(c->classes >= 1 && c->unseen >= 0 && c->unseen <= c->classes);
    fuzz_require(c->labels.count == 0 || c->labels.count == c->classes);
    for (int64_t k = 1; k < c->labels.count; k++)
        fuzz_require(c->labels.value[k - 1] < c->labels.value[k]);
    for (int64_t q = 0; q < c->classes; q++) {
        double sum = 0;
        for (int64_t p = 0; p < c->classes; p++) {
            double share = c->c[p * c->classes + q];
            fuzz_require(share >= 0 && !signbit(share));
            sum += share;
        }
        fuzz_require(fabs(sum - 1) <= 4e-16 * (double)c->classes);
    }
}

/* Written and read again, it is the same to the bit. */
static void check_writing(const struct confusion *c)
{
    const char *written = fuzz_output_path();
    struct output out;
    struct confusion back = {0};
    fuzz_require(output_open(&out, written, NULL) == 0);
    confusion_write(c, c->unseen == 0, &out);
    fuzz_require(output_commit(&out, NULL) == 0);
    fuzz_require(confusion_read(written, &back, NULL) == 0);
    fuzz_require(labels_equal(&back.labels, &c->labels));
    fuzz_require(memcmp(back.c, c->c, (size_t)(c->classes * c->classes) * sizeof *c->c) == 0);
    confusion_free(&back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct confusion c = {0};
    struct error err = {0};
    if (confusion_read(fuzz_input_file(data, size), &c, &err) == 0) {
        check_matrix(&c);
        if (c.labels.count > 0)
            check_writing(&c);
        confusion_free(&c);
    } else {
        fuzz_require(err.message[0] != '\0' && err.line > 0 && err.column > 0);
        fuzz_require(!c.c && !c.labels.value);
    }
    return 0;
}
