/* Any bytes as a confusion matrix: refused with a place, or columns that are probabilities and survive writing and reading to the bit. */
#include "../../common/confusion.h"
#include "driver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const fuzz_seeds[] = {
    "confusion 1\nnr_class 3\nlabel 2 1 -3\nrows true\n0.5 0.25 0.25\n0.125 0.75 0.125\n0 0.5 0.5\n",
    "confusion 1\nnr_class 2\nlabel 1 2\nrows observed\n30 1 # counts\n2 0\n",
    "# no head\n0.9 0\n1e-1 1\n",
    "7 3 0\n0 2 0\r\n1 0 0",
};
const int fuzz_seed_count = sizeof fuzz_seeds / sizeof *fuzz_seeds;

/* One file for all inputs of a run and one for what is written, removed when the program ends. */
static char path[] = "/tmp/fuzz_confusion.XXXXXX", written[] = "/tmp/fuzz_confusion_out.XXXXXX";

static void remove_files(void)
{
    unlink(path);
    unlink(written);
}

static int obeys(const struct confusion *c)
{
    if (c->classes < 1 || c->unseen < 0 || c->unseen > c->classes || (c->labels.count != 0 && c->labels.count != c->classes))
        return 0;
    for (int64_t k = 1; k < c->labels.count; k++)
        if (c->labels.value[k - 1] >= c->labels.value[k])
            return 0;
    for (int64_t q = 0; q < c->classes; q++) {
        double sum = 0;
        for (int64_t p = 0; p < c->classes; p++) {
            double share = c->c[p * c->classes + q];
            if (!(share >= 0) || signbit(share))
                return 0;
            sum += share;
        }
        if (fabs(sum - 1) > 4e-16 * (double)c->classes)
            return 0;
    }
    return 1;
}

static int survives(const struct confusion *c)
{
    struct output out;
    struct confusion back = {0};
    int same = 0;
    if (output_open(&out, written, NULL) != 0)
        return 0;
    confusion_write(c, c->unseen == 0, &out);
    if (output_commit(&out, NULL) == 0 && confusion_read(written, &back, NULL) == 0)
        same = labels_equal(&back.labels, &c->labels) && memcmp(back.c, c->c, (size_t)(c->classes * c->classes) * sizeof *c->c) == 0;
    confusion_free(&back);
    return same;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int fd = -1;
    if (fd < 0) {
        int other = mkstemp(written);
        fd = mkstemp(path);
        if (fd < 0 || other < 0 || close(other) != 0)
            return 1;
        atexit(remove_files);
    }
    if (ftruncate(fd, 0) != 0 || pwrite(fd, data, size, 0) != (ssize_t)size)
        return 1;
    struct confusion c = {0};
    struct error err = {0};
    if (confusion_read(path, &c, &err) != 0)
        return err.message[0] == '\0' || err.line < 1 || err.column < 1 || c.c || c.labels.value;
    int sound = obeys(&c) && (c.labels.count == 0 || survives(&c));
    confusion_free(&c);
    return sound ? 0 : 1;
}
