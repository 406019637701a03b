/* The memory that kernel principal components are said to take (kpca_bytes of
 * learners/features/kpca.h) beside what is allocated while they are found. */
#include "check.h"
#include "common/base/random.h"
#include "kpca_examples.h"
#include "learners/features/kpca.h"

#include <stdlib.h>
#include <string.h>

/* The library's allocator with a count. */
static void counted_free(void *block);
#define MEMORY_TEST
#define free counted_free
#include "common/base/memory.c"
#undef calloc
#undef realloc
#undef free

/* Bytes that are held, and the most that were; each block has its size in front of it. */
static _Atomic int64_t held, most;
enum { BEFORE = 16 }; /* keeps the alignment */

void *test_realloc(void *block, size_t size)
{
    char *old = block ? (char *)block - BEFORE : NULL;
    const size_t had = old ? *(size_t *)(void *)old : 0;
    char *new = realloc(old, size + BEFORE);
    if (!new)
        return NULL;
    *(size_t *)(void *)new = size;
    held += (int64_t)size - (int64_t)had;
    if (held > most)
        most = held;
    return new + BEFORE;
}

void *test_calloc(size_t count, size_t size)
{
    void *block = test_realloc(NULL, count * size);
    return block ? memset(block, 0, count * size) : NULL;
}

static void counted_free(void *block)
{
    if (!block)
        return;
    held -= (int64_t) * (size_t *)(void *)((char *)block - BEFORE);
    free((char *)block - BEFORE);
}

/* What is allocated at once while training is what kpca_bytes says: no more, and more than half of
 * it, as it counts the workspace of eigenvectors generously. */
static void check_bytes(void)
{
    struct random g = {43};
    static const struct {
        int64_t n, dimensions, landmarks;
    } of[] = {{600, 7, 0}, {600, 1000, 0}, {600, 7, 500}, {600, 1000, 500}, {3000, 7, 100}};
    check_group("kernel PCA: bytes");
    for (size_t t = 0; t < sizeof of / sizeof *of; t++) {
        const struct kpca_options o = {.kernel = {KERNEL_RBF, 0, 0.1, 0},
                                       .dimensions = of[t].dimensions,
                                       .landmarks = of[t].landmarks,
                                       .seed = 1,
                                       .threads = 1};
        struct problem p = make_problem(&g, of[t].n);
        struct kpca_report report;
        const double before = (double)held, bytes = kpca_bytes(&o, &p);
        most = held;
        struct kernel_model m = train(&p, o, &report);
        const double taken = (double)most - before;
        CHECK(taken <= bytes && taken > bytes / 2, "case %d: %g bytes of %g are allocated", (int)t,
              taken, bytes);
        kernel_model_free(&m);
        problem_free(&p);
    }
}

int main(void)
{
    check_bytes();
    return check_finish();
}
