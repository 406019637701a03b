/* Any bytes as a kernel model, of dimensions or of classes: refused with a reason, or a model of finite numbers that is written and read back the same and projects or
 * votes. */
#include "../../common/kernel_model.h"
#include "../../common/memory.h"
#include "../../common/predict.h"
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
    "svm_type mu_svc\nkernel_type rbf\ngamma 0.5\nnr_class 3\ntotal_sv 2\nlabel -1 0 7\nunit_length 0\nzero_based 0\nSV\n0.5 -1 0.5 1:0.5 7:2\n-0.5 1 -.5 2:3\n",
    "svm_type mu_svc\nkernel_type linear\nnr_class 2\ntotal_sv 1\nlabel 1 2\nSV\n0.5 -.5 1:1\n",
    "svm_type ovo_svc\nkernel_type rbf\ngamma 0.5\nnr_class 3\ntotal_sv 2\nlabel 1 2 3\nunit_length 1\nzero_based 0\nSV\n1 1 0 1:1\n-1 0 1 2:1\n",
    "nr_class 4\nsvm_type ovo_svc\nlabel 1 2 3 4\nkernel_type linear\ntotal_sv 1\nSV\n1 2 3 4 5 6 1:1\n",
    "svm_type ovo_svc\nkernel_type linear\nnr_class 2\ntotal_sv 1\nlabel 1 2\nSV\n1e308 1:1e10\n",
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
        && a->classes == b->classes && a->votes == b->votes && !a->label == !b->label && !a->rho == !b->rho
        && (!a->label || !memcmp(a->label, b->label, (size_t)a->classes * sizeof *a->label))
        && (!a->rho || !memcmp(a->rho, b->rho, (size_t)a->columns * sizeof(double))) && !memcmp(a->coef, b->coef, (size_t)(a->sv.n * a->columns) * sizeof(double))
        && !memcmp(a->sv.row_start, b->sv.row_start, (size_t)(a->sv.n + 1) * sizeof(int64_t))
        && (a->sv.nnz == 0 || !memcmp(a->sv.value, b->sv.value, (size_t)a->sv.nnz * sizeof(double)));
}

/* Coefficients as the head says, and classes in order. */
static bool is_sound(const struct kernel_model *m)
{
    bool sound = m->columns > 0 && m->sv.n > 0 && !m->rho == !!m->label && finite(m->coef, m->sv.n * m->columns) && finite(m->sv.value, m->sv.nnz);
    if (!m->label)
        return sound && !m->votes && finite(m->rho, m->columns);
    for (int64_t k = 1; k < m->classes; k++)
        sound = sound && m->label[k - 1] < m->label[k];
    return sound && m->columns == (m->votes ? m->classes * (m->classes - 1) / 2 : m->classes);
}

/* A kernel value, and the functions of the model's first vector. */
static bool works(const struct kernel_model *m)
{
    struct error err = {0};
    struct kernel_data vectors;
    double value, *k = memory_new(m->sv.n, sizeof *k, &err), *f = memory_new(m->columns, sizeof *f, &err);
    double *votes = memory_new(m->classes, sizeof *votes, &err), sum = 0;
    bool sound = false;
    if (k && f && votes && kernel_data_make(&m->sv, NULL, &vectors, &err) == 0) {
        const struct problem one = problem_part(&m->sv, 0, 1);
        sound = kernel_block(&m->kernel, &vectors, 0, 1, &vectors, m->sv.n - 1, m->sv.n, &value, 1, 1, &err) == 0
             && kernel_model_values(m, &vectors, &one, k, f, &err) == 0;
        if (sound && m->votes) {
            predict_votes(f, m->classes, votes);
            for (int64_t c = 0; c < m->classes; c++)
                sum += votes[c];
            sound = !(sum < (double)m->columns || sum > (double)m->columns);
        }
        kernel_data_free(&vectors);
    }
    memory_free(k);
    memory_free(f);
    memory_free(votes);
    return sound;
}

static bool try_as(const char *type)
{
    struct kernel_model model = {0}, again = {0};
    struct error err = {0};
    if (kernel_model_read(path, type, 1, &model, &err) != 0)
        return err.message[0] != '\0' && err.file[0] != '\0' && !model.rho && !model.label && !model.coef && !model.sv.value;
    bool sound = is_sound(&model) && kernel_model_write(copy, type, &model, &err) == 0 && kernel_model_read(copy, type, 2, &again, &err) == 0 && same(&model, &again)
              && works(&model);
    kernel_model_free(&again);
    kernel_model_free(&model);
    return sound;
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
    return try_as("kpca") && try_as("mu_svc") ? 0 : 1;
}
