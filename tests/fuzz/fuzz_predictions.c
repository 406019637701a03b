/* Any bytes as the output of an X-predict, with or without scores, as confusion reads it: refused
 * with a place, or a label for each line. */
int confusion_main(int argc, char **argv);
#define main confusion_main /* the reader is the program's own */
#include "tools/confusion.c"
#undef main
#include "driver.h"

const char *const fuzz_seeds[] = {
    "1\n-2\n3\n",
    "labels 1 2 3\n1 0.5 -1 2e-3\n3 0 1 2\n",
    "labels -1 1\r\n1 -0.5 .5\r\n-1 1 -1",
    "\357\273\2777 # note\n2147483647\n",
    "labels\n1\n",
};
const int fuzz_seed_count = sizeof fuzz_seeds / sizeof *fuzz_seeds;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_input_file(data, size);
    struct predictions predictions = {0};
    struct error err = {0};
    int64_t lines = size > 0 && data[size - 1] != '\n';
    for (size_t i = 0; i < size; i++)
        lines += data[i] == '\n';
    if (predictions_read(&predictions, path, &err) == 0)
        fuzz_require(predictions.head + predictions.n == lines);
    else
        fuzz_require(err.message[0] != '\0' && err.line > 0 && err.column > 0);
    memory_free(predictions.label);
    return 0;
}
