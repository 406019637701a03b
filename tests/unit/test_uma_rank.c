/* The order of UMA's pairs (learners/uma/uma_rank.h) beside a list that is sorted plainly.  What
 * the tables know of the norms is blurred, within the bounds that they state, far more than
 * rounding ever does: so many pairs are in question at once, and the order is the same all the
 * same. */
#include "check.h"
#include "common/base/random.h"
#include "learners/uma/uma_rank.h"

#include <string.h>

enum { N = 60, FEATURES = 4, D = FEATURES + 1, K = 7, SETS = 20 };

struct pair {
    int64_t p, q;
    double rank;
};

struct set {
    struct problem problem;
    double x[N][D], inverse[K * K], proportion[K];
    int32_t y[N], member[N];
};

/* Two rows of C^-1 are equal, so that norms tie, and one is 0; a share may be below 0. */
static void make_set(struct set *set, uint64_t seed)
{
    struct random g = random_seeded(31, seed);
    *set = (struct set){.problem = {0}};
    for (int i = 0; i < N; i++) {
        static const int32_t index[FEATURES] = {1, 2, 3, 4};
        for (int j = 1; j < D; j++)
            set->x[i][j] = 2 * random_uniform(&g) - 1;
        const struct example x = {
            .line = i + 1, .size = FEATURES, .index = index, .value = set->x[i] + 1};
        CHECK_INT(problem_append_example(&set->problem, &x, NULL), 0, "memory");
        set->y[i] = (int32_t)random_below(&g, K);
        set->member[i] = (int32_t)random_below(&g, K) - 1; /* none is in A_6 */
    }
    for (int cell = 0; cell < K * K; cell++)
        set->inverse[cell] = 2 * random_uniform(&g) - 1;
    for (int k = 0; k < K; k++) {
        set->inverse[4 * K + k] = set->inverse[3 * K + k];
        set->inverse[5 * K + k] = 0;
        set->proportion[k] = random_uniform(&g) - 0.2;
    }
}

/* ||z_pq||^2 and sigma_pq^2. */
static double norm2_plainly(const struct set *set, int64_t p, int64_t q, double *sigma2)
{
    double z[D] = {0}, norm2 = 0;
    *sigma2 = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; set->member[i] == p && j < D; j++) {
            const double part = set->inverse[q * K + set->y[i]] * set->x[i][j] / N;
            z[j] += part;
            *sigma2 += part * part;
        }
    for (int j = 0; j < D; j++)
        norm2 += z[j] * z[j];
    return norm2;
}

/* The eligible pairs by p, then q; or the highest rank first.  Returns how many. */
static int64_t list_plainly(const struct set *set, const struct uma_options *options,
                            struct pair *list)
{
    int64_t count = 0;
    for (int64_t p = 0; p < K; p++)
        for (int64_t q = 0; q < K; q++) {
            double sigma2, norm2 = norm2_plainly(set, p, q, &sigma2);
            const bool confusion = options->strategy == UMA_CONFUSION;
            if (p == q || !(norm2 > options->sigmas * options->sigmas * sigma2)
                || (confusion && set->proportion[q] <= 0))
                continue;
            struct pair next = {p, q, sqrt(norm2) / (confusion ? set->proportion[q] : 1)};
            int64_t at = count++;
            for (; at > 0 && options->strategy != UMA_RANDOM && list[at - 1].rank < next.rank; at--)
                list[at] = list[at - 1];
            list[at] = next;
        }
    return count;
}

/* What the tables say of each pair becomes anything within `width` times its squared norm. */
static void blur(const struct set *set, struct uma_tables *t, double width, struct random *g)
{
    for (int64_t p = 0; p < K; p++)
        for (int64_t q = 0; q < K; q++) {
            const int64_t cell = p * t->stride + q;
            double sigma2, norm2 = norm2_plainly(set, p, q, &sigma2);
            t->slack[cell] = width * norm2;
            t->norm2[cell] = fmax(0, norm2 + (2 * random_uniform(g) - 1) * 0.99 * t->slack[cell]);
            t->exact[cell] = width <= 0;
        }
}

/* Take all pairs; those that are not eligible once their norm is summed are passed over. */
static void check_order(const struct set *set, struct uma_tables *t,
                        const struct uma_options *options, const char *name)
{
    struct pair want[K * K];
    struct uma_rank rank;
    struct random g = random_seeded((uint64_t)options->seed, 0);
    double z[D];
    int64_t left = list_plainly(set, options, want), p, q;
    CHECK_INT(uma_rank_make(&rank, t, options, set->proportion, NULL), 0, "memory");
    uma_rank_start(&rank);
    while (uma_rank_next(&rank, &p, &q)) {
        uma_tables_sum(t, p, q, z);
        if (!uma_rank_eligible(&rank, p, q))
            continue;
        CHECK(left > 0, "%s: %d, %d is one too many", name, (int)p, (int)q);
        if (left == 0)
            break;
        const int64_t at = options->strategy == UMA_RANDOM ? random_below(&g, left) : 0;
        CHECK(want[at].p == p && want[at].q == q, "%s: %d, %d instead of %d, %d", name, (int)p,
              (int)q, (int)want[at].p, (int)want[at].q);
        left--;
        memmove(want + at, want + at + 1, (size_t)(left - at) * sizeof *want);
    }
    CHECK_INT(left, 0, "%s: pairs left out", name);
    uma_rank_free(&rank);
}

static void check_sets(enum uma_strategy strategy, double sigmas)
{
    static const double width[] = {0, 1e-3, 0.1, 0.6, 2};
    static struct set set;
    for (int s = 0; s < SETS; s++) {
        struct uma_tables t;
        const struct uma_options options = {.strategy = strategy, .sigmas = sigmas, .seed = s};
        struct random g = random_seeded(32, (uint64_t)s);
        make_set(&set, (uint64_t)s);
        const struct uma_data data = {
            .problem = &set.problem, .y = set.y, .n = N, .K = K, .inverse = set.inverse};
        CHECK_INT(uma_tables_make(&t, &data, true, 1, NULL), 0, "memory");
        for (int i = 0; i < N; i++) {
            t.target[i] = set.member[i];
            if (set.member[i] >= 0)
                t.moved[t.moved_count++] = i;
        }
        uma_tables_move(&t);
        for (size_t w = 0; w < sizeof width / sizeof *width; w++) {
            char name[64];
            snprintf(name, sizeof name, "set %d, width %g", s, width[w]);
            blur(&set, &t, width[w], &g);
            check_order(&set, &t, &options, name);
        }
        uma_tables_free(&t);
        problem_free(&set.problem);
    }
}

int main(void)
{
    for (int strategy = UMA_ERROR; strategy <= UMA_RANDOM; strategy++)
        for (int sigmas = 0; sigmas <= 1; sigmas++) {
            check_group("pairs of strategy %d, of more than %d sigmas", strategy, sigmas);
            check_sets((enum uma_strategy)strategy, sigmas);
        }
    return check_finish();
}
