/* Kernel model files (common/model/kernel_model.h): what was written, here by kernel principal
 * components, is what is read, by any number of threads; another program's and what is not a number
 * are refused. */
#include "check.h"
#include "common/base/random.h"
#include "common/model/kernel_model.h"
#include "kpca_examples.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 45 };

static void check_file(void)
{
    char path[] = "/tmp/test_kernel_model.XXXXXX";
    int fd = mkstemp(path);
    check_group("kernel model files");
    struct random g = {43};
    struct problem p = make_problem(&g, N);
    struct kpca_report report;
    for (int64_t type = 0; type < KERNELS; type++) {
        struct kpca_options o = {.kernel = {type, 2, 1 / 3.0, 0.1}, .dimensions = 7, .threads = 2};
        struct kernel_model m = train(&p, o, &report), back = {0};
        struct error err = {0};
        m.unit_length = type % 2;
        m.zero_based = type / 2;
        CHECK(kernel_model_write(path, "kpca", &m, &err) == 0, "written: %s", err.message);
        for (int threads = 1; threads <= 3; threads++) {
            CHECK(kernel_model_read(path, "kpca", threads, &back, &err) == 0, "read: %s",
                  err.message);
            if (type == KERNEL_LINEAR) /* not in the file */
                back.kernel.gamma = m.kernel.gamma;
            CHECK(same_model(&m, &back), "the %s kernel's model comes back", kernel_names[type]);
            kernel_model_free(&back);
        }
        CHECK(kernel_model_read(path, "mu_svc", 1, &back, &err) == -1
                  && strstr(err.message, "a model of \"kpca\": kpca-project reads it"),
              "of another program");
        m.rho[0] = NAN;
        CHECK(kernel_model_write(path, "kpca", &m, &err) == -1, "not a number is not written");
        kernel_model_free(&m);
    }
    close(fd);
    unlink(path);
    problem_free(&p);
}

int main(void)
{
    check_file();
    return check_finish();
}
