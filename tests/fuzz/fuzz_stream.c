/* Any bytes as a file that is read in chunks, of any size: the same examples, or the same error at
 * the same place, as when all of it is parsed at once.  The last byte says how large a chunk is and
 * how many threads read. */
#include "common/base/input.h"
#include "common/base/memory.h"
#include "common/base/number.h"
#include "common/data/stream.h"
#include "driver.h"

#include <string.h>

const char *const fuzz_seeds[] = {
    "1 1:0.5 3:-2 10:1e-3\n-1 2:1\n+7 5:.5 # note\n\x04",
    "# head\n\n2 1:1 2:2 3:3\r\n? 4:4\n1\n\x11",
    "\357\273\2773 1:1\n4 2:1 3:1\n5 4:1\n\x47",
    "1 1:1\n2 1:1\n3 1:x\n4 1:1\n\x0a",
    "\x1f\x8b\x08 gzip\n\x03",
    "1 1:1 2:2 3:3 4:4 5:5 6:6 7:7 8:8 9:9 10:10\n2\n\x85",
    "\n\n#\n\x20",
};
const int fuzz_seed_count = sizeof fuzz_seeds / sizeof *fuzz_seeds;

static const struct example_format format = {.bias = 1, .unlabelled = true};

/* Parse all of the text as one piece: 0, or -1 with err. */
static int parse_whole(const char *name, const uint8_t *data, size_t size, struct problem *p,
                       struct error *err)
{
    char *text = memory_new((int64_t)size + 1 + NUMBER_PAD, 1, NULL);
    fuzz_require(text);
    memcpy(text, data, size);
    char *end = text + size;
    if (size > 0 && end[-1] != '\n')
        *end++ = '\n';
    int64_t skip = input_start(name, text, (int64_t)size, err);
    int status = skip < 0 ? -1 : problem_append_text(p, text + skip, end, &format, err);
    if (status == 0 && p->n == 0)
        status = error_at(err, name, 0, 0, "no examples found");
    memory_free(text);
    return status;
}

/* Do the examples of a chunk follow as number `first` and on? */
static void check_chunk(const struct problem *whole, int64_t first, const struct problem *part)
{
    fuzz_require(first + part->n <= whole->n);
    for (int64_t i = 0; i < part->n; i++) {
        struct example a = problem_example(whole, first + i), b = problem_example(part, i);
        fuzz_require(a.label == b.label && a.line == b.line && a.size == b.size);
        for (int64_t j = 0; j < a.size; j++)
            fuzz_require(a.index[j] == b.index[j]);
        fuzz_require(memcmp(a.value, b.value, (size_t)a.size * sizeof *a.value) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* Kept from input to input, as making its first, large arrays is most of the work. */
    static struct problem whole;
    struct error whole_error = {0}, err = {0};
    struct chunk *chunk;
    int64_t first = 0;
    int status;
    if (size == 0)
        return 0;
    uint8_t cut = data[--size];
    struct stream_options options = {
        .format = format, .chunk = 1 + cut % 64, .threads = cut < 240 ? 0 : 1 + cut % 2};
    const char *path = fuzz_input_file(data, size);
    problem_clear(&whole);
    int expected = parse_whole(path, data, size, &whole, &whole_error);
    struct stream *stream = stream_open(path, &options, &err);
    fuzz_require(stream);
    while ((status = stream_next(stream, &chunk, &err)) > 0) {
        check_chunk(&whole, first, &chunk->problem);
        first += chunk->problem.n;
    }
    fuzz_require(status == expected);
    if (status == 0)
        fuzz_require(first == whole.n);
    else {
        /* Of a long line with a NUL byte no more is read: the message may quote less of it. */
        if (strncmp(err.message, "a NUL byte", 10) != 0)
            fuzz_require(strcmp(err.message, whole_error.message) == 0);
        fuzz_require(err.line == whole_error.line && err.column == whole_error.column);
        fuzz_require(strcmp(err.file, path) == 0);
    }
    stream_close(stream);
    return 0;
}
