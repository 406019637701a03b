/* Distances are those of the examples as they are, by |u|^2 + |v|^2 - 2 u'v. */
#include "common/data/neighbours.h"

#include "common/base/memory.h"
#include "common/base/order.h"
#include "common/base/random.h"
#include "common/data/folds.h"

enum { NEIGHBOURS_FEWEST = 100 }; /* pairs that tell: a share of a half is then off by .05 */

/* Squared distances that are this small a part of the squared norms are rounding. */
static const double neighbours_rounding = 1e-12;

/* The squared distance; 0 where they are equal. */
static double neighbours_distance(const struct problem *problem, int64_t i, int64_t j)
{
    const struct example u = problem_example(problem, i), v = problem_example(problem, j);
    const double squares = example_squared_norm(&u) + example_squared_norm(&v),
                 distance = squares - 2 * example_product(&u, &v);
    return distance > neighbours_rounding * squares ? distance : 0;
}

/* Compare the example after i with others of its label.
 *
 * of     those with the label, `count` of them */
static void neighbours_ask(const struct problem *problem, int64_t i, const int64_t *of,
                           int64_t count, struct random *g, struct neighbours *found)
{
    const double next = neighbours_distance(problem, i, i + 1);
    bool nearest = true;
    if (count < NEIGHBOURS_OTHERS || !(next > 0))
        return;
    for (int other = 0; other < NEIGHBOURS_OTHERS; other++) {
        const int64_t j = of[random_below(g, count)];
        if (j != i && j != i + 1 && neighbours_distance(problem, i, j) <= next)
            nearest = false;
    }
    found->asked++;
    found->nearest += nearest;
}

int neighbours_find(const struct labelled *data, int64_t seed, struct neighbours *found,
                    struct error *err)
{
    const struct problem *problem = data->problem;
    const int64_t n = problem->n, K = data->labels->count, last = n - 1,
                  asked = order_least(last, NEIGHBOURS_ASKED);
    struct random g = random_seeded((uint64_t)seed, RANDOM_SAMPLE);
    int64_t *order = memory_new(n, sizeof *order, err); /* the examples by label */
    int64_t *start = memory_new(K + 2, sizeof *start, err);
    *found = (struct neighbours){0};
    const bool ready = order && start;
    if (ready)
        folds_list_classes(data->y, n, K, order, start);
    for (int64_t i = 0, left = asked; ready && left > 0; i++) {
        if (!random_takes(&g, last - i, left))
            continue;
        const int64_t k = data->y[i + 1];
        left--;
        neighbours_ask(problem, i, order + start[k], start[k + 1] - start[k], &g, found);
    }
    memory_free(order);
    memory_free(start);
    return ready ? 0 : -1;
}

bool neighbours_are_alike(const struct neighbours *found)
{
    return found->asked >= NEIGHBOURS_FEWEST && 2 * found->nearest > found->asked;
}
