/* Gammas are tried from the smoothest kernel on, until one or two in a row are worse than the best:
 * those that are too narrow need not be tried.  Lengths and scales are chosen by few examples,
 * which find a gamma, too.  The best gamma for all examples is not far from it: the search with all
 * of them begins with the next smoother one. */
#include "learners/features/map_choice.h"

#include "common/base/memory.h"
#include "common/base/order.h"
#include "common/base/random.h"
#include "learners/features/map_kernel.h"
#include "learners/features/relevance.h"

#include <math.h>
#include <string.h>

enum {
    CHOICE_FEW = 2000, /* examples that say where to begin: a rule of thumb.  With more, lengths and
                          scales are judged better, and take as much longer */
    CHOICE_DIMS = 500, /* of a map that is tried: with fewer too smooth a kernel looks best */
    CHOICE_WORSE = 2,  /* gammas in a row whose error is larger than the best; of more than
                          CHOICE_FEW examples, which err less and take longer, one */
    CHOICE_SLOPES = 500 /* examples at most, at which derivatives are taken: a rule of thumb.  Their
                           time is in proportion, and a mean of squares varies little with more */
};

/* By how many standard errors of the difference an error must be less.
 *
 * For a narrower kernel, as for a smaller lambda (crossfit.h): of two with nearly the same squared
 * error the smoother one is right more often (1200 lines of letter: 83.1 % in place of 80.4).
 *
 * For scales, which are as many numbers as there are features: on tables and mixtures of 300 to
 * 1500 lines, those ahead by 1.3 to 2 gained 2 to 7 points, and some ahead by .6 and 1.0 lost 22
 * and 7.  More classes must be right, too: else scales lost up to 3 points, on images and ordered
 * classes.  For a metric, which has a number for each pair of features, by a standard error, too.
 *
 * For lengths beyond 3: the better of two for 2000 examples need not be so for all, which tell of
 * smaller distances.  (Letters, 50 % wrong: 2000 are better at unit length by 1 to 2, 16000 at
 * their lengths by 8 to 9.) */
static const double choice_lengths_ahead = 3, choice_narrower_ahead = 0.5, choice_scales_ahead = 1,
                    choice_right_ahead = 0.5, choice_metric_ahead = 1;

/* The searches whose losses are kept. */
enum {
    CHOICE_PLAIN,
    CHOICE_AT_LENGTH,
    CHOICE_DEVIATION,
    CHOICE_RELEVANCE,
    CHOICE_METRIC,
    CHOICE_SEARCHES
};

/* A kernel, and how it does. */
struct choice_kernel {
    bool at_length; /* of the examples at their lengths */
    struct feature_metric metric;
    struct trial_result best;
};

/* With either lengths. */
struct choice_pair {
    struct choice_kernel better, other; /* their losses: CHOICE_PLAIN, CHOICE_AT_LENGTH */
    bool open;                          /* all examples might choose the other one */
};

struct choice {
    struct trial trial;
    int64_t d;                                   /* features of the data */
    struct trial_losses losses[CHOICE_SEARCHES]; /* of the gamma that each has chosen */
};

static void choice_free(struct choice *c)
{
    trial_free(&c->trial);
    for (int search = 0; search < CHOICE_SEARCHES; search++)
        trial_losses_free(&c->losses[search]);
}

static int choice_start(struct choice *c, int64_t n, int64_t dims, int64_t classes,
                        struct error *err)
{
    if (trial_start(&c->trial, n, dims, classes, err) != 0)
        return -1;
    for (int search = 0; search < CHOICE_SEARCHES; search++)
        if (trial_losses_make(n, &c->losses[search], err) != 0)
            return -1;
    return 0;
}

/* The smoothest gamma, from number `first` on, than which no narrower kernel is clearly better, and
 * its ridge.  best, losses: out.  0, FEATURE_MAP_UNFIT (no gamma fits) or -1. */
static int choice_search(struct choice *c, const struct trial_metrics *metrics, size_t first,
                         struct trial_result *best, struct trial_losses *losses, struct error *err)
{
    double least = INFINITY;
    const int patience = c->trial.problem.n > CHOICE_FEW ? 1 : CHOICE_WORSE;
    bool told = false; /* why a gamma does not fit */
    int worse = 0;
    *best = (struct trial_result){.error = INFINITY};
    for (size_t g = first; g < trial_gammas(); g++) {
        if (worse == patience)
            break;
        struct trial_result result;
        struct trial_losses *its;
        const int status = trial_judge(&c->trial, metrics, g, &result, &its, err);
        if (status == -1)
            return -1;
        if (status == FEATURE_MAP_UNFIT) {
            told = true;
            continue;
        }
        worse++;
        if (!(result.error < least))
            continue;
        least = result.error;
        worse = 0;
        if (isinf(best->error)
            || trial_lead(losses->error, its->error, c->trial.problem.n) > choice_narrower_ahead) {
            trial_losses_swap(losses, its);
            *best = result;
        }
    }
    if (isfinite(best->error))
        return 0;
    if (!told)
        error_set(err, "no kernel fits the features");
    return FEATURE_MAP_UNFIT;
}

/* ---- lengths ---- */

static void choice_swap(struct choice_pair *pair)
{
    const struct choice_kernel swap = pair->better;
    pair->better = pair->other;
    pair->other = swap;
}

/* Draw few examples, as they are or at the lengths that they had, whichever is better.  pair: out.
 * 0, FEATURE_MAP_UNFIT or -1. */
static int choice_lengths(struct choice *c, const struct trial_examples *examples, int64_t few,
                          struct choice_pair *pair, struct error *err)
{
    struct choice_kernel *better = &pair->better, *other = &pair->other;
    const struct trial_metrics none = trial_metrics_alike(NULL);
    struct trial_losses *plain = &c->losses[CHOICE_PLAIN], *lengthed = &c->losses[CHOICE_AT_LENGTH];
    *pair = (struct choice_pair){.other.at_length = true};
    if (trial_draw(&c->trial, examples, few, false, err) != 0)
        return -1;
    int status = choice_search(c, &none, 0, &better->best, plain, err);
    if (status == -1 || !examples->problem->keeps_lengths)
        return status;
    if (trial_draw(&c->trial, examples, few, true, err) != 0
        || choice_search(c, &none, 0, &other->best, lengthed, err) == -1)
        return -1;
    /* Lengths of 1 but for rounding are no choice.  1e-6 is a rule of thumb: about what rounding
     * makes of the error, and nothing beside what lengths may gain. */
    const double rounding = 1e-6 * better->best.error,
                 gain = better->best.error - other->best.error;
    if (isfinite(gain) && fabs(gain) > rounding)
        pair->open = fabs(trial_lead(plain->error, lengthed->error, few)) <= choice_lengths_ahead;
    if (isinf(gain) ? gain > 0 : gain > rounding) {
        choice_swap(pair);
        trial_losses_swap(plain, lengthed);
    } else if (trial_draw(&c->trial, examples, few, false, err) != 0)
        return -1;
    return isfinite(better->best.error) ? 0 : FEATURE_MAP_UNFIT;
}

/* ---- scales ---- */

/* At most CHOICE_SLOPES of the trial's examples that are not in a fold (FOLDS_ALL: of all), drawn
 * at random.  some: out, instead of what it had.  0 or -1. */
static int choice_draw_slopes(const struct trial *t, int64_t left_out, struct problem *some,
                              struct error *err)
{
    const int64_t n = t->problem.n, *start = t->ridge.start,
                  held = left_out == FOLDS_ALL ? 0 : start[left_out + 1] - start[left_out];
    struct random g = random_seeded((uint64_t)t->seed, RANDOM_SAMPLE);
    int64_t left = n - held, wanted = order_least(left, CHOICE_SLOPES);
    problem_clear(some);
    for (int64_t i = 0; i < n; i++) {
        if (t->fold[i] == left_out)
            continue;
        if (random_takes(&g, left, wanted)) {
            if (problem_append_from(some, &t->problem, i, false, err) != 0)
                return -1;
            wanted--;
        }
        left--;
    }
    return 0;
}

/* By a regression on examples as the kernel sees them by this metric (NULL: as they are), their
 * relevances or, with `full`, products: of all but each fold, and of all.  found: out; free them
 * also after an error.  0, FEATURE_MAP_UNFIT or -1. */
static int choice_relevances(struct choice *c, const struct feature_metric *metric,
                             const struct trial_result *best, bool full,
                             struct feature_metric found[TRIAL_SETS], struct error *err)
{
    const int64_t K = c->trial.ridge.classes, d = c->d;
    const int threads = c->trial.threads;
    struct feature_map map; /* the sums of the folds do not depend on which one is left out */
    struct problem some = {0};
    double *relevance = memory_new(d, sizeof *relevance, err),
           *product = full ? memory_new(d * d, sizeof *product, err) : NULL;
    int status = relevance && (product || !full) ? trial_fit(&c->trial, metric, best->g, &map, err)
                                                 : -1;
    if (status != 0)
        goto done;
    for (int64_t set = 0; status == 0 && set < TRIAL_SETS; set++) {
        const int64_t left_out = set == TRIAL_ALL ? FOLDS_ALL : set;
        status = -1;
        if (choice_draw_slopes(&c->trial, left_out, &some, err) != 0
            || trial_solve(&c->trial, left_out, best->ridge, err) != 0
            || feature_map_fold(&map, K, c->trial.ridge.w, threads, err) != 0
            || relevance_of_features(&map, &some, c->trial.ridge.w, K, d, threads, relevance,
                                     product, err)
                   != 0)
            break;
        status = full ? feature_metric_of_product(product, d, threads, &found[set], err)
                      : feature_metric_of_scale(relevance, d, &found[set], err);
    }
    problem_free(&some);
    feature_map_free(&map);
done:
    memory_free(relevance);
    memory_free(product);
    return status;
}

/* Are the losses of a search less than those kept as CHOICE_PLAIN, by so many standard errors? */
static bool choice_is_ahead(const struct choice *c, int search, double error, double right)
{
    const struct trial_losses *plain = &c->losses[CHOICE_PLAIN], *losses = &c->losses[search];
    const int64_t n = c->trial.problem.n;
    return trial_lead(plain->error, losses->error, n) > error
           && trial_lead(plain->wrong, losses->wrong, n) > right;
}

static bool choice_scales_are_ahead(const struct choice *c, int search)
{
    return choice_is_ahead(c, search, choice_scales_ahead, choice_right_ahead);
}

/* Take what a search has found by a metric. */
static void choice_take(struct choice *c, int search, const struct trial_result *result,
                        struct feature_metric *metric, struct choice_kernel *kernel)
{
    const struct feature_metric swap = kernel->metric;
    trial_losses_swap(&c->losses[CHOICE_PLAIN], &c->losses[search]);
    kernel->best = *result;
    kernel->metric = *metric;
    *metric = swap;
}

static void choice_free_metrics(struct feature_metric metric[TRIAL_SETS])
{
    for (int set = 0; set < TRIAL_SETS; set++)
        feature_metric_free(&metric[set]);
}

static int choice_unit_deviations(const struct choice *c, struct feature_metric *deviation,
                                  struct error *err)
{
    const int64_t d = c->d;
    double *scale = memory_new(d, sizeof *scale, err);
    int status = -1;
    if (scale && relevance_unit_deviations(&c->trial.problem, d, scale, err) == 0)
        status = feature_metric_of_scale(scale, d, deviation, err);
    memory_free(scale);
    return status;
}

/* Scales by standard deviations, then by relevances with these scales or without, whichever are
 * better: taken if they are clearly better than none.  kernel: without a metric; out: with those of
 * all examples, if they are taken.  Not of sparse data.  0 or -1. */
static int choice_try_scales(struct choice *c, struct choice_kernel *kernel, struct error *err)
{
    const struct trial_result *plain = &kernel->best;
    const size_t first = plain->g > 0 ? plain->g - 1 : 0;
    struct feature_metric deviation = {0}, relevance[TRIAL_SETS] = {{0}};
    const struct trial_metrics by_deviation = trial_metrics_alike(&deviation),
                               by_relevance = trial_metrics_each(relevance);
    struct trial_result deviating, relevant = {.error = INFINITY};
    int status = -1;
    if (!c->trial.dense)
        return 0;
    if (choice_unit_deviations(c, &deviation, err) != 0
        || choice_search(c, &by_deviation, first, &deviating, &c->losses[CHOICE_DEVIATION], err)
               == -1)
        goto done;
    const bool deviates = deviating.error < plain->error;
    status = choice_relevances(c, deviates ? &deviation : NULL, deviates ? &deviating : plain,
                               false, relevance, err);
    if (status == 0)
        status = choice_search(c, &by_relevance, first, &relevant, &c->losses[CHOICE_RELEVANCE],
                               err);
    if (status == -1)
        goto done;
    status = 0;
    if (relevant.error < deviating.error) {
        if (choice_scales_are_ahead(c, CHOICE_RELEVANCE))
            choice_take(c, CHOICE_RELEVANCE, &relevant, &relevance[TRIAL_ALL], kernel);
    } else if (isfinite(deviating.error) && choice_scales_are_ahead(c, CHOICE_DEVIATION)) {
        choice_take(c, CHOICE_DEVIATION, &deviating, &deviation, kernel);
    }
done:
    feature_metric_free(&deviation);
    choice_free_metrics(relevance);
    return status;
}

/* ---- a metric ---- */

/* A metric of more numbers than there are examples is not tried: a rule of thumb. */
static bool choice_tries_metric(int64_t d, int64_t n)
{
    return feature_metric_numbers(d) <= n;
}

/* Products of derivatives, in place of these scales: taken if they are clearly better.  Not of
 * sparse data.  0 or -1. */
static int choice_try_metric(struct choice *c, struct choice_kernel *kernel, struct error *err)
{
    struct feature_metric product[TRIAL_SETS] = {{0}};
    const struct trial_metrics by_product = trial_metrics_each(product);
    struct trial_result result;
    if (!c->trial.dense || !choice_tries_metric(c->d, c->trial.problem.n))
        return 0;
    int status = choice_relevances(c, &kernel->metric, &kernel->best, true, product, err);
    if (status == 0)
        status = choice_search(c, &by_product, kernel->best.g, &result, &c->losses[CHOICE_METRIC],
                               err);
    if (status == 0 && choice_is_ahead(c, CHOICE_METRIC, choice_metric_ahead, choice_metric_ahead))
        choice_take(c, CHOICE_METRIC, &result, &product[TRIAL_ALL], kernel);
    choice_free_metrics(product);
    return status == -1 ? -1 : 0;
}

/* ---- all of it ---- */

/* For a kernel that is the best for few examples, which are drawn: their scales, and the gamma for
 * all examples, which are drawn then.  0, FEATURE_MAP_UNFIT or -1. */
static int choice_go_on(struct choice *c, const struct trial_examples *examples,
                        struct choice_kernel *kernel, struct error *err)
{
    const struct trial_metrics metrics = trial_metrics_alike(&kernel->metric);
    const int64_t n = examples->problem->n;
    if (choice_try_scales(c, kernel, err) != 0)
        return -1;
    if (c->trial.problem.n == n)
        return 0;
    const size_t first = kernel->best.g > 0 ? kernel->best.g - 1 : 0;
    if (trial_draw(&c->trial, examples, n, kernel->at_length, err) != 0)
        return -1;
    return choice_search(c, &metrics, first, &kernel->best, &c->losses[CHOICE_PLAIN], err);
}

/* Go on with the other lengths, too, and take them if they turn out to be better by more than
 * `ahead` standard errors.  0 or -1. */
static int choice_other_lengths(struct choice *c, const struct trial_examples *examples,
                                int64_t few, double ahead, struct choice_pair *pair,
                                struct error *err)
{
    struct trial_losses *losses = &c->losses[CHOICE_PLAIN], *kept = &c->losses[CHOICE_AT_LENGTH];
    const int64_t n = examples->problem->n;
    trial_losses_swap(losses, kept);
    int status = trial_draw(&c->trial, examples, few, pair->other.at_length, err);
    if (status == 0)
        status = choice_go_on(c, examples, &pair->other, err);
    if (status == 0 && trial_lead(kept->error, losses->error, n) > ahead) {
        choice_swap(pair);
    } else if (status != -1) {
        trial_losses_swap(losses, kept);
        status = trial_draw(&c->trial, examples, n, pair->better.at_length, err);
    }
    return status;
}

/* Scales, a metric and lengths.  If there are more examples than `few`, all of them may choose
 * other lengths, and a metric is then tried with these.  If few are all, only scales can make the
 * other lengths better: they have to be so clearly, and than what a metric has made of the first.
 * (2000 points of three features, classes by the sign of sin 9 x_1, 30 % of the labels wrong: 95 %
 * right in place of 69.)  pair: as choice_lengths has it.  0 or -1. */
static int choice_refine(struct choice *c, const struct trial_examples *examples, int64_t few,
                         struct choice_pair *pair, struct error *err)
{
    const bool more = few < examples->problem->n, first = pair->better.at_length;
    int status = choice_go_on(c, examples, &pair->better, err);
    if (status == 0 && pair->open && more)
        status = choice_other_lengths(c, examples, few, 0, pair, err);
    if (status == 0)
        status = choice_try_metric(c, &pair->better, err);
    if (status == 0 && pair->open && !more) {
        status = choice_other_lengths(c, examples, few, choice_lengths_ahead, pair, err);
        if (status == 0 && pair->better.at_length != first)
            status = choice_try_metric(c, &pair->better, err);
    }
    return status;
}

int map_choose(const struct trial_examples *examples, int64_t dims, int64_t seed, int threads,
               struct feature_map *map, struct problem *lengthed, struct error *err)
{
    const struct problem *problem = examples->problem;
    const int64_t n = problem->n, few = order_least(n, CHOICE_FEW);
    struct choice c = {.trial = {.seed = seed, .threads = threads}, .d = problem->d};
    struct choice_pair pair = {.open = false};
    struct choice_kernel *chosen = &pair.better;
    struct map_kernel kernel = {.metric = &chosen->metric};
    int status = choice_start(&c, n, order_least(dims, CHOICE_DIMS), examples->classes, err);
    if (status == 0)
        status = choice_lengths(&c, examples, few, &pair, err);
    if (status == 0)
        status = choice_refine(&c, examples, few, &pair, err);
    if (status == 0)
        status = trial_gamma(&c.trial, &chosen->metric, chosen->best.g, &kernel.gamma, err);
    if (chosen->at_length) { /* then all examples were drawn last, at their lengths */
        *lengthed = c.trial.problem;
        c.trial.problem = (struct problem){0};
    }
    choice_free(&c);
    if (status == 0)
        status = map_of_kernel(chosen->at_length ? lengthed : problem, dims, kernel, seed, threads,
                               map, err);
    feature_metric_free(&pair.better.metric);
    feature_metric_free(&pair.other.metric);
    return status;
}

/* Metrics of all sets, that of other lengths, the products of one set, and all examples as one of
 * them sees them. */
static double choice_metric_bytes(const struct problem *problem)
{
    const double n = (double)problem->n, d = (double)problem->d,
                 metric = feature_metric_triangle_bytes(problem->d);
    return choice_tries_metric(problem->d, problem->n)
               ? (TRIAL_SETS + 1) * metric + 8 * d * d + problem_bytes(n, n * d, false)
               : 0;
}

double map_choice_bytes(const struct problem *problem, int64_t classes)
{
    /* Landmarks and slopes are of examples: where these are few and their features many, as genes
     * are, CHOICE_DIMS would count many times what is taken. */
    const int64_t dims = order_least(problem->n, CHOICE_DIMS),
                  slopes = order_least(problem->n, CHOICE_SLOPES);
    const double n = (double)problem->n, row = (double)problem->nnz / n;
    return trial_bytes(problem, dims, classes, 1) + 16 * n * CHOICE_SEARCHES
           + choice_metric_bytes(problem) + 8 * (double)problem->d * (5 + TRIAL_SETS)
           + 2 * problem_bytes((double)slopes, (double)slopes * row, false)
           + relevance_bytes(slopes, dims, problem->d);
}
