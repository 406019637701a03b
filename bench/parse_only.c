/* parse_only FILE [threads]: read LIBSVM text, every number exact, and say how fast; nothing is
 * learnt. */
#include "common/base/progress.h"
#include "common/data/stream.h"

#include <stdlib.h>

int main(int argc, char **argv)
{
    struct error err = {0};
    struct stream_options options = {.format = {.bias = -1},
                                     .threads = argc > 2 ? atoi(argv[2]) : 1};
    if (argc < 2 || options.threads < 1) {
        fprintf(stderr, "usage: parse_only FILE [threads]\n");
        return 2;
    }
    double start = progress_clock();
    struct stream *stream = stream_open(argv[1], &options, &err);
    struct chunk *chunk;
    int64_t examples = 0, entries = 0;
    int status = stream ? 1 : -1;
    while (status > 0 && (status = stream_next(stream, &chunk, &err)) > 0) {
        examples += chunk->problem.n;
        entries += chunk->problem.nnz;
    }
    double seconds = progress_clock() - start;
    if (status == 0)
        printf("%lld examples, %lld entries: %.0f MB/s\n", (long long)examples, (long long)entries,
               (double)stream_size(stream) / seconds / 1e6);
    else
        error_print(stderr, "parse_only", &err);
    stream_close(stream);
    return status == 0 ? 0 : 1;
}
