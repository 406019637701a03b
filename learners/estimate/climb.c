/* Where a climb stands is told by its likelihood and by its classes: a likelihood alone does not
 * tell a matrix whose classes have changed places from a good one. */
#include "learners/estimate/climb.h"

#include "common/base/memory.h"
#include "common/data/paired.h"
#include "learners/noise/reliability.h"

#include <math.h>

/* A class has changed places when a rival leads its column by this; climbs that differ by less than
 * this in their examples of such classes are level.  No reason but that they work. */
static const double climb_clear_lead = 0.1, climb_level = 0.01;

double *climbs_new(int64_t K, struct climb climb[CLIMB_STARTS], struct error *err)
{
    const int64_t cells = K * K;
    double *block = memory_new(CLIMB_STARTS * (cells + K), sizeof *block, err);
    if (!block)
        return NULL;
    for (int s = 0; s < CLIMB_STARTS; s++) {
        double *c = block + s * (cells + K);
        climb[s] = (struct climb){.c = c, .share = c + cells};
    }
    return block;
}

void climb_note(const struct em *em, double likelihood, struct climb *climb)
{
    const int64_t K = em->K;
    const double *c = climb->c;
    climb->likelihood = likelihood;
    em_shares(em, c, climb->share);
    climb->displaced = 0;
    for (int64_t k = 0; k < K; k++)
        if (reliability_rival(c, K, k) > c[k * K + k] + climb_clear_lead)
            climb->displaced += climb->share[k];
    climb->lead = 0;
    if (climb->plain) {
        struct paired gain = {0};
        for (int64_t i = 0; i < em->n; i++)
            paired_add(&gain, em_weight(em, i) * (em_log_label(em, c, i) - climb->plain[i]));
        climb->lead = paired_errors(&gain);
    }
}

/* Exchange columns k and q of c, and in `from`, if it is not NULL, where they came from. */
static void climb_swap_columns(double *c, int64_t K, int64_t k, int64_t q, int64_t *from)
{
    for (int64_t l = 0; l < K; l++) {
        const double swap = c[l * K + k];
        c[l * K + k] = c[l * K + q];
        c[l * K + q] = swap;
    }
    if (from) {
        const int64_t swap = from[k];
        from[k] = from[q];
        from[q] = swap;
    }
}

bool climb_name_classes(double *c, int64_t K, int64_t *from)
{
    bool again = true, any = false;
    if (from)
        for (int64_t k = 0; k < K; k++)
            from[k] = k;
    while (again) {
        again = false;
        for (int64_t k = 0; k < K; k++)
            for (int64_t q = 0; q < k; q++)
                if (c[k * K + q] * c[q * K + k] > c[k * K + k] * c[q * K + q]) {
                    climb_swap_columns(c, K, k, q, from);
                    again = any = true;
                }
    }
    return any;
}

bool climb_is_better(const struct climb *a, const struct climb *b)
{
    if (a->displaced < b->displaced - climb_level)
        return true;
    return a->displaced < b->displaced + climb_level && a->likelihood > b->likelihood;
}

double climb_noise(const double *c, int64_t K, const double *share)
{
    double right = 0;
    for (int64_t k = 0; k < K; k++)
        right += share[k] * c[k * K + k];
    return 1 - right;
}

double climb_disagreement(const double *a, const double *b, int64_t K, const double *share)
{
    double sum = 0;
    for (int64_t k = 0; k < K; k++)
        for (int64_t q = 0; q < K; q++)
            sum += share[q] * fabs(a[k * K + q] - b[k * K + q]) / 2;
    return sum;
}
