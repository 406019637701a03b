/* The values of each feature are gathered and sorted; a block of features at a time, so that memory
 * does not depend on how wide the data are.
 *
 * Zeros, written or not, are counted and not held: what is found is the same in either form, and
 * sparse data cost as much as their entries.  They are values to a stand-in, which must be far from
 * 0 too, but not to the tails: half of the values of a sparse feature would have the distance 0. */
#include "common/data/odd_values.h"

#include "common/base/memory.h"
#include "common/base/order.h"
#include "common/base/random.h"
#include "common/data/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ODD_ENTRIES = 1 << 20 }; /* at a time: no reason but that it works */

/* A stand-in.  Rules of thumb, but for the last: on 15 sets, and on samples of nine distributions,
 * no value that occurs so often was further from the others than half their range (Poisson, 150
 * lines).  As far as their range costs accuracy already, and an age of -999 beside 0 .. 100 is 9.99
 * ranges away. */
enum { ODD_VALUES = 20, ODD_OCCURS = 5, ODD_ONE_IN = 100, ODD_OTHERS = 3 };
static const double odd_values_ranges = 3;

/* Heavy tails.  The hundredth of the values that is furthest from the median, not one value: a line
 * that is wrong is no tail.  The least distance of these is more than
 *
 *   50 times that of half of the values.  It is 8 times that of exponential values; lognormal ones
 *      16 with sigma 1 (in samples of 150 to 300 at most 50), 41 with 1.5, 118 with 2; Cauchy 65.
 *      Measured on three classes of six lognormal features, 20 % of the labels wrong: logarithms
 *      gain 1 point with sigma 1, 9 with 1.5, 10 with 2.
 *   3 times that of nine tenths.  Of pixels that are nearly all alike (mnist, usps: up to 41 and
 *      492 times that of half) it is 1.6 times, as the others have the same bound; lognormal ones
 *      with sigma 2 9, Cauchy 10.
 *   10 times the median's from 0.  Of values about another number (two features of isolet, about
 *      -1) the logarithm tells no more.
 *
 * A feature with fewer than a quarter of the values that features have in the mean tells too little
 * beside the others to be named: pixels at the edge of a picture, where few have anything, have the
 * tails that make these pixels.  Measured on Fashion-MNIST: none to four of 784 in 2000 lines, with
 * 5 to 9 % of the lines where the mean has half. */
enum {
    ODD_TAIL_VALUES = 100,
    ODD_TAIL_ONE_IN = 100,
    ODD_TAIL_LEAST = 3,
    ODD_TAIL_MEAN = 4,
    ODD_MOST_IN = 10
};
static const double odd_values_halves = 50, odd_values_most = 3, odd_values_medians = 10;

/* Lines of which one value is nearly all: rules of thumb.  Its square is 99 hundredths of the sum
 * of squares or more, so that the others turn the line by less than 6 degrees, and there are ten or
 * more.  One line in a hundred is enough.  Of 50 sets, texts among them, two have so many, both
 * made with heavy tails, and one has three such lines. */
enum { ODD_LINE_VALUES = 10, ODD_LINES_ONE_IN = 100 };
static const double odd_values_single = 0.99;

/* Values that differ by rounding are one: a length was divided by and multiplied with. */
static const double odd_values_rounding = 1e-12;

/* The values of a feature. */
struct odd_feature {
    int32_t index;
    int64_t count, zeros;
    const double *value; /* count: those that are not 0, ascending */
};

/* The examples that are looked at. */
struct odd_lines {
    const struct problem *problem; /* in memory */
    int64_t count;
    int64_t *chosen; /* count: places in the problem */
    int32_t *end;    /* d + 1: of feature j, how many values are not 0 or, before, are nearly all of
                        a line; once its block is gathered, where they end in it */
    double *value;   /* a block's */
    int64_t fewest;  /* values of a feature whose tails are told of */
};

static int odd_values_order(const void *a, const void *b)
{
    return order_by(*(const double *)a, *(const double *)b, 0, 0);
}

/* ---- a feature ---- */

static bool odd_values_alike(double a, double b)
{
    return fabs(a - b) <= odd_values_rounding * fabs(a);
}

/* Value e, the smallest first; or with sign -1, that of the values times -1. */
static double odd_values_at(const struct odd_feature *f, int sign, int64_t e)
{
    return sign > 0 ? f->value[e] : -f->value[f->count - 1 - e];
}

/* Does the smallest value, of the values times the sign, stand for a missing one?  found: out: if
 * so, all but the number of features. */
static bool odd_values_stands_in(const struct odd_feature *f, int sign, struct odd_stand_in *found)
{
    const double least = odd_values_at(f, sign, 0);
    int64_t occurs = 1, distinct = f->zeros > 0;
    while (occurs < f->count && odd_values_alike(least, odd_values_at(f, sign, occurs)))
        occurs++;
    if (f->count < ODD_VALUES || occurs < ODD_OCCURS || occurs * ODD_ONE_IN < f->count
        || occurs == f->count)
        return false;
    double from = odd_values_at(f, sign, occurs), to = odd_values_at(f, sign, f->count - 1);
    if (f->zeros > 0) {
        from = fmin(from, 0);
        to = fmax(to, 0);
    }
    if (!(from - least > odd_values_ranges * (to - from)))
        return false;
    for (int64_t e = occurs; e < f->count && distinct < ODD_OTHERS; e++)
        distinct += !odd_values_alike(odd_values_at(f, sign, e), odd_values_at(f, sign, e - 1));
    *found = (struct odd_stand_in){.index = f->index,
                                   .value = sign * least,
                                   .share = (double)occurs / (double)(f->count + f->zeros),
                                   .from = sign > 0 ? from : 0 - to,
                                   .to = sign > 0 ? to : 0 - from};
    return distinct >= ODD_OTHERS;
}

/* Are there `fewest` values, and are their tails heavy?  found: out: if so, all but the number of
 * features. */
static bool odd_values_has_tails(const struct odd_feature *f, int64_t fewest,
                                 struct odd_tails *found)
{
    const int64_t n = f->count, furthest = n < ODD_TAIL_LEAST * ODD_TAIL_ONE_IN
                                               ? ODD_TAIL_LEAST
                                               : n / ODD_TAIL_ONE_IN;
    double far = 0, most = 0, half = 0;
    if (n < fewest)
        return false;
    const double median = f->value[(n - 1) / 2];
    /* From the furthest on; the last one is half of the values away. */
    for (int64_t low = 0, high = n - 1, rank = 1; rank <= n - (n - 1) / 2; rank++) {
        const double below = median - f->value[low], above = f->value[high] - median;
        half = fmax(below, above);
        if (below > above)
            low++;
        else
            high--;
        if (rank == furthest)
            far = half;
        if (rank == n / ODD_MOST_IN + 1)
            most = half;
    }
    if (!(half > odd_values_rounding * fabs(median) && far > odd_values_halves * half
          && far > odd_values_most * most && far > odd_values_medians * fabs(median)))
        return false;
    *found = (struct odd_tails){
        .index = f->index, .times = far / half, .negative = f->value[0] < 0};
    return true;
}

/* Look at a feature; at its tails if it has `fewest` values.  found: in and out. */
static void odd_values_judge(const struct odd_feature *f, int64_t fewest, struct odd_values *found)
{
    struct odd_stand_in stand_in;
    struct odd_tails tails;
    if (odd_values_stands_in(f, 1, &stand_in) || odd_values_stands_in(f, -1, &stand_in)) {
        if (found->stand_in.features == 0)
            found->stand_in = stand_in;
        found->stand_in.features++;
    } else if (odd_values_has_tails(f, fewest, &tails)) {
        if (found->tails.features == 0)
            found->tails = tails;
        found->tails.features++;
    }
}

/* ---- the examples ---- */

/* The place of the value that is nearly all of an example; -1: none is. */
static int64_t odd_values_find_single(const struct example *x)
{
    int64_t largest = 0, count = 0;
    const int64_t size = x->size - example_has_bias(x);
    double squares = 0; /* over that of the largest, which might overflow */
    for (int64_t e = 1; e < size; e++)
        if (fabs(x->value[e]) > fabs(x->value[largest]))
            largest = e;
    for (int64_t e = 0; e < size; e++) {
        const double part = x->value[e] / x->value[largest];
        count += x->value[e] != 0;
        squares += part * part;
    }
    return count >= ODD_LINE_VALUES && odd_values_single * squares <= 1 ? largest : -1;
}

/* The part of the examples of which one value is nearly all, as struct odd_values has it.
 * lines->end: 0 before and after. */
static double odd_values_singles(const struct odd_lines *lines)
{
    int64_t singles = 0, most = 0;
    for (int64_t i = 0; i < lines->count; i++) {
        const struct example x = problem_example(lines->problem, lines->chosen[i]);
        const int64_t e = odd_values_find_single(&x);
        if (e < 0)
            continue;
        singles++;
        if (++lines->end[x.index[e]] > most)
            most = lines->end[x.index[e]];
    }
    memset(lines->end, 0, ((size_t)lines->problem->d + 1) * sizeof *lines->end);
    return singles > 0 && singles * ODD_LINES_ONE_IN >= lines->count && 2 * most <= singles
               ? (double)singles / (double)lines->count
               : 0;
}

/* Count the values of each feature, and how many a feature must have for its tails to be told of.
 * Returns those of all. */
static int64_t odd_values_count(struct odd_lines *lines)
{
    int64_t all = 0, features = 0;
    for (int64_t i = 0; i < lines->count; i++) {
        const struct example x = problem_example(lines->problem, lines->chosen[i]);
        for (int64_t e = 0; e < x.size - example_has_bias(&x); e++)
            if (x.value[e] != 0) {
                lines->end[x.index[e]]++;
                all++;
            }
    }
    for (int64_t j = 1; j <= lines->problem->d; j++)
        features += lines->end[j] > 0;
    lines->fewest = ODD_TAIL_VALUES;
    if (all > ODD_TAIL_VALUES * ODD_TAIL_MEAN * features)
        lines->fewest = 1
                        + (all - 1) / (ODD_TAIL_MEAN * features); /* all / (4 features), or more */
    return all;
}

/* Gather the values of features first .. end-1. */
static void odd_values_gather(const struct odd_lines *lines, int64_t first, int64_t end)
{
    for (int64_t i = 0; i < lines->count; i++) {
        const struct example all = problem_example(lines->problem, lines->chosen[i]),
                             x = example_between(&all, first, end);
        const double length = lines->problem->keeps_lengths ? x.length : 1;
        for (int64_t e = 0; e < x.size; e++)
            if (x.value[e] != 0)
                lines->value[lines->end[x.index[e]]++] = length * x.value[e];
    }
}

/* Look at a block of features, from `first` on.  found: in and out.  Returns the next one. */
static int64_t odd_values_judge_block(const struct odd_lines *lines, int64_t first,
                                      struct odd_values *found)
{
    int64_t end = first, begin = 0;
    int32_t held = 0;
    for (; end <= lines->problem->d && held + lines->end[end] <= ODD_ENTRIES; end++) {
        const int32_t count = lines->end[end];
        lines->end[end] = held;
        held += count;
    }
    odd_values_gather(lines, first, end);
    for (int64_t j = first; j < end; j++) {
        const int64_t count = lines->end[j] - begin;
        double *value = lines->value + begin;
        begin = lines->end[j];
        if (count < ODD_VALUES)
            continue;
        qsort(value, (size_t)count, sizeof *value, odd_values_order);
        const struct odd_feature f = {
            .index = (int32_t)j, .count = count, .zeros = lines->count - count, .value = value};
        odd_values_judge(&f, lines->fewest, found);
    }
    return end;
}

/* Leave out examples whose values are not known. */
static void odd_values_drop_infinite(struct odd_lines *lines)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < lines->count; i++)
        if (!lines->problem->keeps_lengths || isfinite(lines->problem->length[lines->chosen[i]]))
            lines->chosen[kept++] = lines->chosen[i];
    lines->count = kept;
}

/* How many examples are looked at. */
static int64_t odd_values_lines(const struct problem *problem)
{
    const int64_t most = order_least(problem->n, ODD_VALUES_LINES);
    return problem->disk ? order_least(most, 1 + ODD_ENTRIES / (1 + problem->nnz / problem->n))
                         : most;
}

int odd_values_find(const struct problem *problem, int64_t seed, struct odd_values *found,
                    struct error *err)
{
    struct odd_lines lines = {.problem = problem, .count = odd_values_lines(problem)};
    struct random g = random_seeded((uint64_t)seed, RANDOM_SAMPLE);
    struct problem sample = {.n = 0};
    int status = -1;
    *found = (struct odd_values){0};
    if (!(lines.chosen = memory_new(lines.count, sizeof *lines.chosen, err))
        || !(lines.end = memory_new((int64_t)problem->d + 1, sizeof *lines.end, err)))
        goto done;
    if (problem->disk) {
        if (rows_sample(problem, lines.count, seed, &sample, lines.chosen, err) != 0)
            goto done;
        lines.problem = &sample;
        for (int64_t i = 0; i < sample.n; i++)
            lines.chosen[i] = i;
    } else {
        random_sample(&g, problem->n, lines.count, lines.chosen);
    }
    odd_values_drop_infinite(&lines);
    found->single = odd_values_singles(&lines);
    const int64_t entries = order_least(odd_values_count(&lines), ODD_ENTRIES);
    if (!(lines.value = memory_new(entries, sizeof *lines.value, err)))
        goto done;
    for (int64_t j = 1; j <= problem->d;)
        j = odd_values_judge_block(&lines, j, found);
    status = 0;
done:
    problem_free(&sample);
    memory_free(lines.chosen);
    memory_free(lines.end);
    memory_free(lines.value);
    return status;
}
