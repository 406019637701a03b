/* Writing a kernel model, once all of its numbers are known to be finite. */
#include "common/base/number.h"
#include "common/base/output.h"
#include "common/model/kernel_model_state.h"

#include <math.h>
#include <string.h>

/* Write a text and a number. */
static void kernel_model_put_number(struct output *out, const char *before, double value)
{
    char text[NUMBER_TEXT];
    output_write(out, before, (int64_t)strlen(before));
    output_write(out, text, number_write(text, value) - text);
}

static bool kernel_model_all_finite(const double *number, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (!isfinite(number[i]))
            return false;
    return true;
}

static void kernel_model_write_head(struct output *out, const char *type,
                                    const struct kernel_model *m)
{
    const struct kernel *k = &m->kernel;
    output_text(out, "svm_type %s\nkernel_type %s", m->votes ? KERNEL_MODEL_BY_VOTES : type,
                kernel_names[k->type]);
    if (kernel_has(k, "degree"))
        output_text(out, "\ndegree %lld", (long long)k->degree);
    if (kernel_has(k, "gamma"))
        kernel_model_put_number(out, "\ngamma ", k->gamma);
    if (kernel_has(k, "coef0"))
        kernel_model_put_number(out, "\ncoef0 ", k->coef0);
    output_text(out, "\n%s %lld\ntotal_sv %lld\n%s", m->label ? "nr_class" : "dimensions",
                (long long)(m->label ? m->classes : m->columns), (long long)m->sv.n,
                m->label ? "label" : "rho");
    if (m->label)
        for (int64_t c = 0; c < m->classes; c++)
            output_text(out, " %ld", (long)m->label[c]);
    if (m->rho)
        for (int64_t c = 0; c < m->columns; c++)
            kernel_model_put_number(out, " ", m->rho[c]);
    output_text(out, "\nunit_length %d\nzero_based %d\nSV\n", m->unit_length, m->zero_based);
}

/* Vector i: its coefficients and its features. */
static void kernel_model_write_vector(struct output *out, const struct kernel_model *m, int64_t i)
{
    const struct example x = problem_example(&m->sv, i);
    for (int64_t c = 0; c < m->columns; c++)
        kernel_model_put_number(out, c ? " " : "", m->coef[i * m->columns + c]);
    for (int64_t e = 0; e < x.size; e++) {
        char text[NUMBER_ENTRY];
        output_write(out, text, number_write_entry(text, x.index[e], x.value[e]) - text);
    }
    output_write(out, "\n", 1);
}

int kernel_model_write(const char *path, const char *type, const struct kernel_model *m,
                       struct error *err)
{
    struct output out;
    if ((m->rho && !kernel_model_all_finite(m->rho, m->columns))
        || !kernel_model_all_finite(m->coef, m->sv.n * m->columns))
        return error_set(err, "a number of the model is not finite; no model is written");
    if (output_open(&out, path, err) != 0)
        return -1;
    kernel_model_write_head(&out, type, m);
    for (int64_t i = 0; i < m->sv.n; i++) {
        if (out.failed) /* output_commit reports it; the rest would be formatted in vain */
            break;
        kernel_model_write_vector(&out, m, i);
    }
    return output_commit(&out, err);
}
