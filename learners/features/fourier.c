/* Random Fourier features, as told in fourier.h.  Rows of a are drawn when the data have their
 * feature, each by a generator of its own: what is drawn does not depend on when. */
#include "learners/features/fourier.h"

#include "common/base/elementary.h"
#include "common/base/memory.h"
#include "common/base/random.h"

#include <math.h>

enum { USE_PHASE = 1, USE_ROWS = 2 }; /* of the seed: row j is use USE_ROWS + j */

int fourier_make(int64_t dims, double gamma, int64_t seed, struct fourier *f, struct error *err)
{
    const double two_pi = 6.283185307179586;
    *f = (struct fourier){.dims = dims, .seed = seed, .gamma = gamma, .a = weights_make(dims, 0)};
    if (!(f->b = memory_new(dims, sizeof *f->b, err)))
        return -1;
    struct random g = random_seeded((uint64_t)seed, USE_PHASE);
    for (int64_t j = 0; j < dims; j++)
        f->b[j] = two_pi * random_uniform(&g);
    return 0;
}

int fourier_grow(struct fourier *f, int64_t d, struct error *err)
{
    const int64_t had = f->a.rows;
    if (d < had)
        return 0;
    if (memory_check(weights_bytes(f->dims, d), "the map of random features", err) != 0
        || weights_grow(&f->a, d, err) != 0)
        return -1;
    for (int64_t i = had; i < f->a.rows; i++) {
        struct random g = random_seeded((uint64_t)f->seed, USE_ROWS + (uint64_t)i);
        for (int64_t j = 0; j < f->dims; j++)
            f->a.w[i * f->a.stride + j] = sqrt(2 * f->gamma) * random_normal(&g);
    }
    return 0;
}

int fourier_map(const struct fourier *f, const struct problem *some, double *z, struct error *err)
{
    const double scale = sqrt(2 / (double)f->dims);
    int status = -1;
    double *scores = memory_new(f->a.stride, sizeof *scores, err);
    if (!scores)
        return -1;
    for (int64_t i = 0; i < some->n; i++, z += f->dims) {
        struct example x = problem_example(some, i);
        weights_scores(&f->a, &x, scores);
        for (int64_t j = 0; j < f->dims; j++) {
            if (!isfinite(scores[j])) {
                error_at(err, NULL, x.line, 0, "its values are too large for this gamma");
                goto done;
            }
            z[j] = scale * elementary_cos(scores[j] + f->b[j]);
        }
    }
    status = 0;
done:
    memory_free(scores);
    return status;
}

int fourier_problem(const struct fourier *f, const struct problem *problem, struct problem *mapped,
                    struct error *err)
{
    double *z = NULL;
    int32_t *index = NULL;
    int status = -1;
    if (!(z = memory_new(f->dims, sizeof *z, err))
        || !(index = memory_new(f->dims, sizeof *index, err))
        || problem_reserve(mapped, problem->n, problem->n * f->dims, err) != 0)
        goto done;
    for (int64_t j = 0; j < f->dims; j++)
        index[j] = (int32_t)(j + 1);
    for (int64_t i = 0; i < problem->n; i++) {
        struct problem one = problem_part(problem, i, 1);
        struct example x = {.label = problem->label[i],
                            .line = problem->line[i],
                            .size = f->dims,
                            .index = index,
                            .value = z};
        if (fourier_map(f, &one, z, err) != 0 || problem_append_example(mapped, &x, err) != 0)
            goto done;
    }
    status = 0;
done:
    memory_free(z);
    memory_free(index);
    return status;
}

void fourier_free(struct fourier *f)
{
    memory_free(f->b);
    weights_free(&f->a);
}
