/* Kernel principal components, exact and with landmarks, by the formulas of kpca.h.
 *
 * Exact: the matrix of all kernel values, its largest eigenvalues (dense_eigen).  Landmarks: the
 * features phi of ROWS_AT_ONCE examples at a time add to their scatter S, so that memory is O(L^2)
 * and not O(n L).  Sums are taken of phi less the landmarks' mean, which is near the mean of all:
 * so little is lost when the sums' own part is subtracted at the end. */
#include "learners/features/kpca.h"

#include "common/base/memory.h"
#include "common/base/order.h"
#include "common/base/random.h"
#include "common/kernel/isolated.h"
#include "common/linalg/dense.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

/* Examples whose kernel values are computed together.  No reason for the number but that it works.
 */
enum { ROWS_AT_ONCE = 512 };

int64_t kpca_landmarks(const struct kpca_options *options, int64_t n)
{
    if (options->landmarks > 0)
        return order_least(options->landmarks, n);
    int64_t standard = 2 * options->dimensions > KPCA_LANDMARKS ? 2 * options->dimensions
                                                                : KPCA_LANDMARKS;
    return n > KPCA_LARGEST_EXACT ? order_least(standard, n) : 0;
}

double kpca_bytes(const struct kpca_options *options, const struct problem *problem)
{
    double n = (double)problem->n, l = (double)kpca_landmarks(options, problem->n),
           kept = l > 0 ? l : n;
    double D = fmin((double)options->dimensions, kept),
           matrices = l > 0 ? 3 * l * l + 2 * ROWS_AT_ONCE * l : 2 * n * n;
    double vectors = problem_bytes(kept, (double)problem->nnz / n * kept, false);
    /* 6e3: workspace of dense_eigen a row (dense.h). */
    return 8 * (matrices + 2 * kept * D) + 6e3 * kept + kernel_data_bytes(problem) * (l > 0 ? 2 : 1)
           + vectors;
}

/* What the kernel values so far have shown. */
struct kpca_seen {
    double largest;   /* magnitude */
    int64_t isolated; /* rows */
};

/* Look at rows of kernel values.  itself: the column of the first row's example, that of the next
 * one being the next, or `columns`: they have none.  0, or -1 when a value is not finite. */
static int kpca_see(const double *k, int64_t rows, int64_t columns, int64_t itself,
                    struct kpca_seen *seen, struct error *err)
{
    double zero = 0; /* or NaN, if a value is not finite */
    for (int64_t i = 0; i < rows * columns; i++) {
        zero += 0 * k[i];
        seen->largest = fmax(seen->largest, fabs(k[i]));
    }
    if (!(zero == 0))
        return error_set(err,
                         "a kernel value is not finite: the data are too large for this kernel");
    for (int64_t i = 0; i < rows; i++)
        seen->isolated += isolated_row(k + i * columns, columns, itself + i);
    return 0;
}

/* How many of m eigenvalues, descending, stand out from rounding.  0, with err: none does. */
static int64_t kpca_count_kept(const double *value, int64_t m, int64_t n, double largest,
                               struct error *err)
{
    int64_t kept = 0;
    double least_value = (double)n * DBL_EPSILON * fmax(value[0], largest);
    while (kept < m && value[kept] > least_value)
        kept++;
    if (kept == 0)
        error_set(err, "all examples are the same to this kernel: there is nothing to find");
    return kept;
}

/* Copy these examples (chosen: `count` of them; NULL: the first ones) to the model, as its vectors.
 * 0 or -1 (memory). */
static int kpca_start_model(const struct problem *problem, const int64_t *chosen, int64_t count,
                            struct kernel_model *model, struct error *err)
{
    struct problem *sv = &model->sv;
    int64_t entries = 0;
    for (int64_t i = 0; i < count; i++)
        entries += problem_example(problem, chosen ? chosen[i] : i).size;
    if (problem_reserve(sv, count, entries, err) != 0)
        return -1;
    for (int64_t i = 0; i < count; i++) {
        struct example x = problem_example(problem, chosen ? chosen[i] : i);
        x.label = EXAMPLE_UNLABELLED;
        if (problem_append_example(sv, &x, err) != 0)
            return -1;
    }
    return 0;
}

/* Allocate coef and rho of so many dimensions.  0 or -1 (memory). */
static int kpca_start_functions(struct kernel_model *model, int64_t columns, struct error *err)
{
    model->columns = columns;
    if (!(model->rho = memory_new(columns, sizeof *model->rho, err))
        || !(model->coef = memory_new(model->sv.n * columns, sizeof *model->coef, err)))
        return -1;
    return 0;
}

/* Eigenvectors have no sign: make the coefficient of largest magnitude positive, the first of
 * equals. */
static void kpca_fix_signs(struct kernel_model *model)
{
    int64_t D = model->columns;
    for (int64_t c = 0; c < D; c++) {
        int64_t at = 0;
        for (int64_t i = 1; i < model->sv.n; i++)
            if (fabs(model->coef[i * D + c]) > fabs(model->coef[at * D + c]))
                at = i;
        if (model->coef[at * D + c] > 0)
            continue;
        for (int64_t i = 0; i < model->sv.n; i++)
            model->coef[i * D + c] = -model->coef[i * D + c];
        model->rho[c] = -model->rho[c];
    }
}

/* What the steps of a run share. */
struct kpca_run {
    const struct kpca_options *o;
    struct progress *progress;
    struct kpca_seen seen;
};

/* k: out, n x n, the kernel values of all pairs of examples.  0 or -1. */
static int kpca_fill_matrix(struct kpca_run *run, const struct kernel_data *data, double *k,
                            struct error *err)
{
    int64_t n = data->problem->n;
    for (int64_t i = 0; i < n; i += ROWS_AT_ONCE) {
        int64_t to = order_least(i + ROWS_AT_ONCE, n);
        const struct kernel_part rows = {data, i, to};
        if (kernel_block(&run->o->kernel, rows, kernel_all(data), k + i * n, run->o->threads, err)
                != 0
            || kpca_see(k + i * n, to - i, n, i, &run->seen, err) != 0)
            return -1;
        progress_update(run->progress, to, (double)to / (double)n);
    }
    return 0;
}

/* ---- exact ---- */

/* K becomes Kc.  mean: out, n row means of K.  Returns the trace of Kc. */
static double kpca_centre(int64_t n, double *k, double *mean)
{
    double all = 0, trace = 0;
    for (int64_t i = 0; i < n; i++) {
        mean[i] = 0;
        for (int64_t j = 0; j < n; j++)
            mean[i] += k[i * n + j];
        mean[i] /= (double)n;
        all += mean[i];
    }
    all /= (double)n;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++)
            k[i * n + j] = (k[i * n + j] - (mean[i] + mean[j])) + all;
        trace += k[i * n + i];
    }
    return trace;
}

/* Fill model and report.  0 or -1; the caller frees. */
static int kpca_train_exact(struct kpca_run *run, const struct problem *problem,
                            struct kernel_model *model, struct kpca_report *report,
                            struct error *err)
{
    const struct kpca_options *o = run->o;
    int64_t n = problem->n, m = order_least(o->dimensions, n);
    struct kernel_data data = {0};
    double *k = NULL, *value = NULL, *mean = NULL, *vector = NULL;
    int status = -1;
    if (kpca_start_model(problem, NULL, n, model, err) != 0
        || kernel_data_make(problem, NULL, &data, err) != 0
        || !(k = memory_resize(NULL, n * n, sizeof *k, err))
        || !(value = memory_new(m, sizeof *value, err))
        || !(mean = memory_new(n, sizeof *mean, err))
        || !(vector = memory_resize(NULL, m * n, sizeof *vector, err))
        || kpca_fill_matrix(run, &data, k, err) != 0)
        goto done;
    kernel_data_free(&data);
    report->isolated = run->seen.isolated;
    report->all = kpca_centre(n, k, mean);
    progress_phase(run->progress, "eigenvectors");
    if (dense_eigen(n, k, m, value, vector, o->threads, err) != 0)
        goto done;
    int64_t kept = kpca_count_kept(value, m, n, run->seen.largest, err);
    if (kept == 0 || kpca_start_functions(model, kept, err) != 0)
        goto done;
    for (int64_t c = 0; c < kept; c++) {
        const double *u = vector + c * n;
        double sum = 0, root = sqrt(value[c]);
        for (int64_t i = 0; i < n; i++)
            sum += u[i];
        for (int64_t i = 0; i < n; i++) {
            double coef = (u[i] - sum / (double)n) / root;
            model->coef[i * kept + c] = coef;
            model->rho[c] += coef * mean[i];
        }
        report->variance += value[c];
    }
    status = 0;
done:
    kernel_data_free(&data);
    memory_free(k);
    memory_free(value);
    memory_free(mean);
    memory_free(vector);
    return status;
}

/* ---- landmarks ---- */

/* For qsort. */
static int kpca_ascending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Copy `count` examples, drawn at random, to the model, in the order in which they stand. */
static int kpca_choose_landmarks(const struct problem *problem, int64_t count, int64_t seed,
                                 struct kernel_model *model, struct error *err)
{
    int64_t *order = memory_resize(NULL, problem->n, sizeof *order, err);
    if (!order)
        return -1;
    assert(count <= problem->n);
    struct random g = random_seeded((uint64_t)seed, 0);
    for (int64_t i = 0; i < problem->n; i++)
        order[i] = i;
    random_shuffle(&g, order, problem->n);
    qsort(order, (size_t)count, sizeof *order, kpca_ascending);
    int status = kpca_start_model(problem, order, count, model, err);
    memory_free(order);
    return status;
}

/* phi(x) = map' k_L(x): U diag(l)^-1/2, L x rank, row-major.  NULL when it fails.
 *
 * mean  out, L numbers: the first `rank` are phi's mean over the landmarks */
static double *kpca_make_map(struct kpca_run *run, const struct kernel_data *landmarks,
                             double *mean, int64_t *rank, struct error *err)
{
    int64_t L = landmarks->problem->n;
    double *map = NULL, *k = NULL, *u = NULL, *value = NULL;
    if (!(k = memory_resize(NULL, L * L, sizeof *k, err))
        || !(u = memory_resize(NULL, L * L, sizeof *u, err))
        || !(value = memory_resize(NULL, L, sizeof *value, err))
        || kpca_fill_matrix(run, landmarks, k, err) != 0)
        goto done;
    progress_phase(run->progress, "eigenvectors of the landmarks");
    if (dense_eigen(L, k, L, value, u, run->o->threads, err) != 0)
        goto done;
    memory_free(k);
    k = NULL;
    *rank = kpca_count_kept(value, L, L, run->seen.largest, err);
    if (*rank == 0 || !(map = memory_resize(NULL, L * *rank, sizeof *map, err)))
        goto done;
    for (int64_t c = 0; c < *rank; c++) {
        double root = sqrt(value[c]), sum = 0;
        for (int64_t a = 0; a < L; a++) {
            map[a * *rank + c] = u[c * L + a] / root;
            sum += u[c * L + a];
        }
        mean[c] = sum * root / (double)L;
    }
done:
    memory_free(k);
    memory_free(u);
    memory_free(value);
    return map;
}

/* The scatter of phi over all examples.
 *
 * mean     in: near the mean, so that little is lost by subtracting; out: the mean
 * scatter  rank x rank, zero before; out: S
 * 0 or -1. */
static int kpca_scatter(struct kpca_run *run, const struct kernel_data *data,
                        const struct kernel_data *landmarks, const double *map, int64_t rank,
                        double *mean, double *scatter, struct error *err)
{
    const struct kpca_options *o = run->o;
    int64_t n = data->problem->n, L = landmarks->problem->n;
    int status = -1;
    double *k = NULL, *phi = NULL, *sum = NULL;
    if (!(k = memory_resize(NULL, ROWS_AT_ONCE * L, sizeof *k, err))
        || !(phi = memory_resize(NULL, ROWS_AT_ONCE * rank, sizeof *phi, err))
        || !(sum = memory_new(rank, sizeof *sum, err)))
        goto done;
    for (int64_t first = 0; first < n; first += ROWS_AT_ONCE) {
        int64_t rows = order_least(ROWS_AT_ONCE, n - first);
        const struct kernel_part part = {data, first, first + rows};
        int computed = kernel_block(&o->kernel, part, kernel_all(landmarks), k, o->threads, err);
        /* A landmark has its value with itself here: whether it is isolated is known already. */
        if (computed != 0 || kpca_see(k, rows, L, L, &run->seen, err) != 0)
            goto done;
        for (int64_t i = 0; i < rows; i++)
            for (int64_t c = 0; c < rank; c++)
                phi[i * rank + c] = -mean[c];
        const struct dense_view K = {k, L, 1}, M = {map, rank, 1}, P = {phi, rank, 1},
                                transposed = {phi, 1, rank};
        if (dense_add_product(rows, rank, L, 1, K, M, phi, rank, o->threads, err) != 0
            || dense_add_product(rank, rank, rows, 1, transposed, P, scatter, rank, o->threads, err)
                   != 0)
            goto done;
        for (int64_t i = 0; i < rows; i++)
            for (int64_t c = 0; c < rank; c++)
                sum[c] += phi[i * rank + c];
        progress_update(run->progress, first + rows, (double)(first + rows) / (double)n);
    }
    for (int64_t c = 0; c < rank; c++)
        for (int64_t e = 0; e < rank; e++)
            scatter[c * rank + e] -= sum[c] * sum[e] / (double)n;
    for (int64_t c = 0; c < rank; c++)
        mean[c] += sum[c] / (double)n;
    status = 0;
done:
    memory_free(k);
    memory_free(phi);
    memory_free(sum);
    return status;
}

/* Fill model and report.  0 or -1; the caller frees. */
static int kpca_train_landmarks(struct kpca_run *run, const struct problem *problem, int64_t L,
                                struct kernel_model *model, struct kpca_report *report,
                                struct error *err)
{
    const struct kpca_options *o = run->o;
    struct kernel_data data = {0}, landmarks = {0};
    double *mean = NULL, *value = NULL, *map = NULL, *scatter = NULL, *vector = NULL;
    int64_t rank;
    int status = -1;
    if (kpca_choose_landmarks(problem, L, o->seed, model, err) != 0
        || kernel_data_make(problem, NULL, &data, err) != 0
        || kernel_data_make(&model->sv, &data, &landmarks, err) != 0)
        goto done;
    if (!(mean = memory_new(L, sizeof *mean, err))
        || !(map = kpca_make_map(run, &landmarks, mean, &rank, err)))
        goto done;
    progress_phase(run->progress, "mapping the examples");
    if (!(scatter = memory_new(rank * rank, sizeof *scatter, err))
        || kpca_scatter(run, &data, &landmarks, map, rank, mean, scatter, err) != 0)
        goto done;
    report->isolated = run->seen.isolated;
    for (int64_t c = 0; c < rank; c++)
        report->all += scatter[c * rank + c];
    const int64_t m = order_least(o->dimensions, rank);
    if (!(value = memory_new(m, sizeof *value, err))
        || !(vector = memory_resize(NULL, m * rank, sizeof *vector, err)))
        goto done;
    progress_phase(run->progress, "eigenvectors");
    if (dense_eigen(rank, scatter, m, value, vector, o->threads, err) != 0)
        goto done;
    int64_t kept = kpca_count_kept(value, m, problem->n, run->seen.largest, err);
    const struct dense_view M = {map, rank, 1}, W = {vector, 1, rank};
    if (kept == 0 || kpca_start_functions(model, kept, err) != 0
        || dense_add_product(L, kept, rank, 1, M, W, model->coef, kept, o->threads, err) != 0)
        goto done;
    for (int64_t c = 0; c < kept; c++) {
        for (int64_t e = 0; e < rank; e++)
            model->rho[c] += vector[c * rank + e] * mean[e];
        report->variance += value[c];
    }
    status = 0;
done:
    kernel_data_free(&data);
    kernel_data_free(&landmarks);
    memory_free(mean);
    memory_free(value);
    memory_free(map);
    memory_free(scatter);
    memory_free(vector);
    return status;
}

int kpca_train(const struct problem *problem, const struct kpca_options *options,
               struct kernel_model *model, struct kpca_report *report, struct progress *progress,
               struct error *err)
{
    struct kpca_run run = {.o = options, .progress = progress};
    int64_t L = kpca_landmarks(options, problem->n);
    *report = (struct kpca_report){0};
    model->kernel = options->kernel;
    int status = L > 0 ? kpca_train_landmarks(&run, problem, L, model, report, err)
                       : kpca_train_exact(&run, problem, model, report, err);
    progress_wipe(progress);
    if (status == 0)
        kpca_fix_signs(model);
    else
        kernel_model_free(model);
    return status;
}
