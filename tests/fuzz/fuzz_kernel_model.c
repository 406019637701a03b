/* Any bytes as a kernel model: refused with a reason, or a model of finite numbers that is written and read back the same and projects. */
#include "../../common/kernel_model.h"
#include "driver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const fuzz_seeds[] = {
    "svm_type kpca\nkernel_type rbf\ngamma 0.5\ndimensions 2\ntotal_sv 2\nrho 0.25 -1\nunit_length 0\nzero_based 0\nSV\n0.5 -1 1:0.5 7:2\n-0.5 1 2:3\n",
    "svm_type kpca\nkernel_type polynomial\ndegree 3\ngamma 1e-3\ncoef0 1\ndimensions 1\ntotal_sv 3\nrho 0\nunit_length 1\nzero_based 1\nSV\n1 1:1\n-2\n1 2147483647:1\n",
    "total_sv 1\nkernel_type linear\r\ndimensions 3\r\nrho 1 2 3\r\nsvm_type kpca\r\nSV\r\n1e5 -0 .5 3:1\r\n",
    "svm_type kpca\nkernel_type sigmoid\ngamma 0.5\ncoef0 -1\ndimensions 1\ntotal_sv 1\nrho 1\nSV\n0.5 1:1 2:2 3:3 4:4 # five\n",
};
const int fuzz_seed_count = sizeof fuzz_seeds / sizeof *fuzz_seeds;

/* Files for all inputs of a run, removed when the program ends. */
static char path[] = "/tmp/fuzz_kernel.XXXXXX", copy[] = "/tmp/fuzz_kernel.XXXXXX";

static void remove_files(void)
{
    unlink(path);
    unlink(copy);
}

static bool finite(const double *number, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (!isfinite(number[i]))
            return false;
    return true;
}

static bool same(const struct kernel_model *a, const struct kernel_model *b)
{
    return a->kernel.type == b->kernel.type && a->columns == b->columns && a->sv.n == b->sv.n && a->sv.nnz == b->sv.nnz && a->sv.d == b->sv.d
        && !memcmp(a->rho, b->rho, (size_t)a->columns * sizeof(double)) && !memcmp(a->coef, b->coef, (size_t)(a->sv.n * a->columns) * sizeof(double))
        && !memcmp(a->sv.row_start, b->sv.row_start, (size_t)(a->sv.n + 1) * sizeof(int64_t))
        && (a->sv.nnz == 0 || !memcmp(a->sv.value, b->sv.value, (size_t)a->sv.nnz * sizeof(double)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int fd = -1;
    if (fd < 0) {
        fd = mkstemp(path);
        int other = mkstemp(copy);
        if (other >= 0)
            close(other);
        atexit(remove_files);
    }
    if (fd < 0 || ftruncate(fd, 0) != 0 || pwrite(fd, data, size, 0) != (ssize_t)size)
        return 1;
    struct kernel_model model = {0}, again = {0};
    struct error err = {0};
    if (kernel_model_read(path, "kpca", 1, &model, &err) != 0)
        return err.message[0] == '\0' || err.file[0] == '\0' || model.rho || model.coef || model.sv.value;
    bool sound = finite(model.rho, model.columns) && finite(model.coef, model.sv.n * model.columns) && finite(model.sv.value, model.sv.nnz);
    sound = sound && kernel_model_write(copy, "kpca", &model, &err) == 0 && kernel_model_read(copy, "kpca", 2, &again, &err) == 0 && same(&model, &again);
    struct kernel_data vectors;
    double value;
    if (sound && kernel_data_make(&model.sv, NULL, &vectors, &err) == 0) {
        sound = kernel_block(&model.kernel, &vectors, 0, 1, &vectors, model.sv.n - 1, model.sv.n, &value, 1, 1, &err) == 0;
        kernel_data_free(&vectors);
    }
    kernel_model_free(&again);
    kernel_model_free(&model);
    return sound ? 0 : 1;
}
