/* Any bytes as a kernel model, of dimensions or of classes: refused with a reason, or a model of
 * finite numbers that is written and read back the same and projects or votes. */
#include "common/base/memory.h"
#include "common/model/kernel_model.h"
#include "common/model/predict.h"
#include "driver.h"

#include <math.h>
#include <string.h>

const char *const fuzz_seeds[] = {
    "svm_type kpca\nkernel_type rbf\ngamma 0.5\ndimensions 2\ntotal_sv 2\nrho 0.25 -1\nunit_length "
    "0\nzero_based 0\nSV\n0.5 -1 1:0.5 7:2\n-0.5 1 2:3\n",
    "svm_type kpca\nkernel_type polynomial\ndegree 3\ngamma 1e-3\ncoef0 1\ndimensions 1\ntotal_sv "
    "3\nrho 0\nunit_length 1\nzero_based 1\nSV\n1 1:1\n-2\n1 2147483647:1\n",
    "total_sv 1\nkernel_type linear\r\ndimensions 3\r\nrho 1 2 3\r\nsvm_type kpca\r\nSV\r\n1e5 -0 "
    ".5 3:1\r\n",
    "svm_type kpca\nkernel_type sigmoid\ngamma 0.5\ncoef0 -1\ndimensions 1\ntotal_sv 1\nrho "
    "1\nSV\n0.5 1:1 2:2 3:3 4:4 # five\n",
    "svm_type mu_svc\nkernel_type rbf\ngamma 0.5\nnr_class 3\ntotal_sv 2\nlabel -1 0 "
    "7\nunit_length 0\nzero_based 0\nSV\n0.5 -1 0.5 1:0.5 7:2\n-0.5 1 -.5 2:3\n",
    "svm_type mu_svc\nkernel_type linear\nnr_class 2\ntotal_sv 1\nlabel 1 2\nSV\n0.5 -.5 1:1\n",
    "svm_type ovo_svc\nkernel_type rbf\ngamma 0.5\nnr_class 3\ntotal_sv 2\nlabel 1 2 "
    "3\nunit_length 1\nzero_based 0\nSV\n1 1 0 1:1\n-1 0 1 2:1\n",
    "nr_class 4\nsvm_type ovo_svc\nlabel 1 2 3 4\nkernel_type linear\ntotal_sv 1\nSV\n1 2 3 4 5 6 "
    "1:1\n",
    "svm_type ovo_svc\nkernel_type linear\nnr_class 2\ntotal_sv 1\nlabel 1 2\nSV\n1e308 1:1e10\n",
    "svm_type kpca\nkernel_type linear\ndimensions 1\nnr_class 2\ntotal_sv 1\nrho 0\nSV\n1 1:1\n",
    "svm_type kpca\nkernel_type linear\nnr_class 2\nlabel 1 2\ntotal_sv 1\nSV\n1 -1 1:1\n",
    "svm_type mu_svc\nkernel_type linear\ndimensions 2\ntotal_sv 1\nrho 1 2\nSV\n1 -1 1:1\n",
};
const int fuzz_seed_count = sizeof fuzz_seeds / sizeof *fuzz_seeds;

static void check_finite(const double *number, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        fuzz_require(isfinite(number[i]));
}

/* Coefficients as the head says, and classes in order. */
static void check_model(const struct kernel_model *m, const char *type)
{
    fuzz_require(m->columns > 0 && m->sv.n > 0 && !m->rho == !!m->label);
    fuzz_require(!m->label == (strcmp(type, "mu_svc") != 0) && !m->label == (m->classes == 0));
    check_finite(m->coef, m->sv.n * m->columns);
    check_finite(m->sv.value, m->sv.nnz);
    if (!m->label) {
        fuzz_require(!m->votes);
        check_finite(m->rho, m->columns);
        return;
    }
    for (int64_t k = 1; k < m->classes; k++)
        fuzz_require(m->label[k - 1] < m->label[k]);
    fuzz_require(m->columns == (m->votes ? m->classes * (m->classes - 1) / 2 : m->classes));
}

static bool same_numbers(const double *a, const double *b, int64_t count)
{
    return count == 0 || memcmp(a, b, (size_t)count * sizeof *a) == 0;
}

/* Written and read again, it is the same to the bit. */
static void check_writing(const struct kernel_model *a, const char *type)
{
    const char *path = fuzz_output_path();
    struct kernel_model copy = {0}, *b = &copy;
    struct error err = {0};
    fuzz_require(kernel_model_write(path, type, a, &err) == 0);
    fuzz_require(kernel_model_read(path, type, 2, b, &err) == 0);
    fuzz_require(a->kernel.type == b->kernel.type && a->votes == b->votes);
    fuzz_require(a->columns == b->columns && a->classes == b->classes);
    fuzz_require(a->sv.n == b->sv.n && a->sv.nnz == b->sv.nnz && a->sv.d == b->sv.d);
    fuzz_require(!a->label == !b->label && !a->rho == !b->rho);
    for (int64_t k = 0; a->label && k < a->classes; k++)
        fuzz_require(a->label[k] == b->label[k]);
    fuzz_require(!a->rho || same_numbers(a->rho, b->rho, a->columns));
    fuzz_require(same_numbers(a->coef, b->coef, a->sv.n * a->columns));
    fuzz_require(same_numbers(a->sv.value, b->sv.value, a->sv.nnz));
    for (int64_t i = 0; i <= a->sv.n; i++)
        fuzz_require(a->sv.row_start[i] == b->sv.row_start[i]);
    kernel_model_free(b);
}

/* A kernel value, the functions of the model's first vector, and their votes. */
static void check_values(const struct kernel_model *m)
{
    struct error err = {0};
    struct kernel_data vectors;
    const struct problem one = problem_part(&m->sv, 0, 1);
    double value, sum = 0;
    double *k = memory_new(m->sv.n, sizeof *k, &err), *f = memory_new(m->columns, sizeof *f, &err);
    double *votes = memory_new(m->classes, sizeof *votes, &err);
    fuzz_require(k && f && votes && kernel_data_make(&m->sv, NULL, &vectors, &err) == 0);
    const struct kernel_part first = {&vectors, 0, 1}, last = {&vectors, m->sv.n - 1, m->sv.n};
    fuzz_require(kernel_block(&m->kernel, first, last, &value, 1, &err) == 0);
    fuzz_require(kernel_model_values(m, &vectors, &one, k, f, &err) == 0);
    if (m->votes) {
        predict_votes(f, m->classes, votes);
        for (int64_t c = 0; c < m->classes; c++)
            sum += votes[c];
        fuzz_require(!(sum < (double)m->columns || sum > (double)m->columns));
    }
    kernel_data_free(&vectors);
    memory_free(k);
    memory_free(f);
    memory_free(votes);
}

static void try_as(const char *path, const char *type)
{
    struct kernel_model model = {0};
    struct error err = {0};
    if (kernel_model_read(path, type, 1, &model, &err) != 0) {
        fuzz_require(err.message[0] != '\0' && err.file[0] != '\0');
        fuzz_require(!model.rho && !model.label && !model.coef && !model.sv.value);
        return;
    }
    check_model(&model, type);
    check_writing(&model, type);
    check_values(&model);
    kernel_model_free(&model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_input_file(data, size);
    try_as(path, "kpca");
    try_as(path, "mu_svc");
    return 0;
}
