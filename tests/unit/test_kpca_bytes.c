/* The memory that kernel principal components are said to take (kpca_bytes of
 * learners/features/kpca.h) beside what is allocated while they are found. */
#include "check.h"
#include "common/base/random.h"
#include "counted_memory.h"
#include "kpca_examples.h"
#include "learners/features/kpca.h"

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
        const double bytes = kpca_bytes(&o, &p);
        counted_start();
        struct kernel_model m = train(&p, o, &report);
        const double taken = counted_most();
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
