/* How much less examples of groups tell. */
#include "check.h"
#include "common/base/random.h"
#include "learners/noise/design_effect.h"

enum { K = 3, N = 240, TOGETHER = 4 };

static const double c[K * K] = {.8, .1, .1, .1, .8, .1, .1, .1, .8};

/* Probabilities of all examples, groups of TOGETHER that stand side by side, and labels: each wrong
 * with probability 1/5; or the same for the whole group, whose probabilities are the same, too. */
static void make(struct em *em, int32_t *y, int64_t *first, bool same)
{
    struct random g = random_seeded(5, 1);
    for (int i = 0; i < N; i++) {
        first[i] = i / TOGETHER * TOGETHER;
        if (same && i % TOGETHER > 0) {
            y[i] = y[i - 1];
            for (int k = 0; k < K; k++)
                em->p[i * K + k] = em->p[(i - 1) * K + k];
            continue;
        }
        const double sure = 0.5 + random_uniform(&g) / 2;
        for (int k = 0; k < K; k++)
            em->p[i * K + k] = k == i % K ? sure : (1 - sure) / (K - 1);
        y[i] = (int32_t)((i + (random_uniform(&g) < 0.2)) % K);
    }
}

/* By the definition, group by group. */
static double effect_plain(const struct em *em)
{
    double squares = 0, together = 0;
    for (int start = 0; start < N; start += TOGETHER) {
        double sum = 0;
        for (int i = start; i < start + TOGETHER; i++) {
            const double *p = em->p + i * K;
            int a = 0;
            double q = 0;
            for (int k = 1; k < K; k++)
                a = p[k] > p[a] ? k : a;
            for (int k = 0; k < K; k++)
                q += c[a * K + k] * p[k];
            const double e = (em->y[i] == a ? 1 - q : -q) * em_weight(em, i);
            sum += e;
            squares += e * e;
        }
        together += sum * sum;
    }
    return fmax(1, together / squares);
}

int main(void)
{
    int32_t y[N] = {0};
    int64_t first[N];
    double weight[N], effect;
    struct em em;
    check_group("no groups");
    CHECK_INT(em_start(&em, N, K, y, NULL, 1, NULL), 0, "memory");
    make(&em, y, first, true);
    CHECK_INT(design_effect_find(&em, c, &effect, NULL), 0, "found");
    CHECK_NEAR(effect, 1, 0, "none");

    check_group("copies");
    em.first = first;
    CHECK_INT(design_effect_find(&em, c, &effect, NULL), 0, "found");
    CHECK_NEAR(effect, TOGETHER, 1e-12, "as many");

    check_group("copies with weights");
    for (int i = 0; i < N; i++)
        weight[i] = 1 + i % 3;
    em_weigh(&em, weight);
    CHECK_INT(design_effect_find(&em, c, &effect, NULL), 0, "found");
    CHECK_NEAR(effect, effect_plain(&em), 1e-12, "by the definition");
    CHECK(effect > 2 && effect < TOGETHER, "fewer: %g", effect);

    check_group("labels of a group that are wrong one by one");
    em_weigh(&em, NULL);
    make(&em, y, first, false);
    CHECK_INT(design_effect_find(&em, c, &effect, NULL), 0, "found");
    CHECK_NEAR(effect, effect_plain(&em), 1e-12, "by the definition");
    CHECK(effect >= 1 && effect < 1.5, "about 1: %g", effect);

    check_group("groups in which a wrong label makes up for a right one");
    for (int i = 0; i < N; i++) {
        const double p[K] = {.55, .45, 0};
        for (int k = 0; k < K; k++)
            em.p[i * K + k] = p[k];
        y[i] = i % 2;
    }
    CHECK_NEAR(effect_plain(&em), 1, 1e-12, "by the definition");
    CHECK_INT(design_effect_find(&em, c, &effect, NULL), 0, "found");
    CHECK_NEAR(effect, 1, 1e-12, "never less than 1");
    em_free(&em);
    return check_finish();
}
