/* The sum of g is piecewise linear in its multiplier nu: sort the breakpoints, walk along nu to the
 * piece with the zero, solve there.  That is exact, and has no step size or tolerance to choose. */
#include "learners/musvm/musvm_row.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>

enum { MUSVM_SHORT = 50 }; /* numbers that insertion puts in order sooner than a heap: measured */

/* ---- numbers, largest first ---- */

/* What was taken is at the end of v, the k-th largest, from 0, at v[n - 1 - k]; the others are a
 * heap before it, in which none is larger than that at half of its place. */
struct musvm_largest {
    double *v;
    int64_t n, taken;
};

/* Move v[at - 1] down to its place in a heap of n numbers, counted from 1. */
static void musvm_largest_sift(double *v, int64_t n, int64_t at)
{
    const double moved = v[at - 1];
    for (int64_t below = 2 * at; below <= n; below = 2 * at) {
        below += below < n && v[below] > v[below - 1];
        if (!(v[below - 1] > moved))
            break;
        v[at - 1] = v[below - 1];
        at = below;
    }
    v[at - 1] = moved;
}

/* O(n). */
static struct musvm_largest musvm_largest_of(double *v, int64_t n)
{
    for (int64_t at = n / 2; at > 0; at--)
        musvm_largest_sift(v, n, at);
    return (struct musvm_largest){v, n, 0};
}

/* The k-th largest, k = 0 .. n-1; those before it must have been asked for.  O(log n). */
static double musvm_largest_get(struct musvm_largest *of, int64_t k)
{
    if (k == of->taken) {
        const int64_t last = of->n - ++of->taken;
        const double top = of->v[0];
        of->v[0] = of->v[last];
        of->v[last] = top;
        musvm_largest_sift(of->v, last, 1);
    }
    return of->v[of->n - 1 - k];
}

/* Upwards. */
static void musvm_sort(double *v, int64_t n)
{
    if (n > MUSVM_SHORT) {
        struct musvm_largest of = musvm_largest_of(v, n);
        for (int64_t k = 0; k < n; k++)
            musvm_largest_get(&of, k);
        return;
    }
    for (int64_t i = 1; i < n; i++) {
        const double moved = v[i];
        int64_t at = i;
        for (; at > 0 && v[at - 1] > moved; at--)
            v[at] = v[at - 1];
        v[at] = moved;
    }
}

/* ---- rows ---- */

void musvm_project_training(int64_t n, double a, const double *b, int64_t y, double C, double *g,
                            double *work)
{
    assert(y >= 0 && y < n && a > 0);
    int64_t count = 0;
    for (int64_t l = 0; l < n; l++)
        if (b[l] > b[y])
            work[count++] = b[l];
    struct musvm_largest others = musvm_largest_of(work, count);

    /* nu if the cap is not reached: the mean of b_y and of all b_l above nu. */
    double sum = 0, nu = b[y];
    for (int64_t k = 0; k < count && musvm_largest_get(&others, k) > nu; k++) {
        sum += musvm_largest_get(&others, k);
        nu = (sum + b[y]) / (double)(k + 2);
    }

    const bool capped = nu - b[y] > a * C;
    double from = 0; /* what b and nu are counted from: a C may be lost beside them */
    if (capped) {    /* nu such that the others sum to -C */
        from = musvm_largest_get(&others, 0);
        sum = 0;
        nu = -INFINITY;
        for (int64_t k = 0; k < count && musvm_largest_get(&others, k) - from > nu; k++) {
            sum += musvm_largest_get(&others, k) - from;
            nu = (sum - a * C) / (double)(k + 1);
        }
    }

    double total = 0;
    for (int64_t l = 0; l < n; l++) {
        if (l == y)
            continue;
        g[l] = b[l] - from > nu ? -(b[l] - from - nu) / a : 0;
        total -= g[l];
    }
    g[y] = capped || total > C ? C : total; /* exactly C, or the row would seem free to move */
}

/* g_l of musvm_project. */
static double musvm_row_value(double a, double b, double d, double cap, double nu)
{
    double up = nu - b - d, down = b - nu, g = ((up > 0 ? up : 0) - (down > 0 ? down : 0)) / a;
    return g < cap ? g : cap;
}

/* nu of musvm_project, with the same arguments.
 *
 * The sum of the g_l grows with nu from below 0, and is linear between breakpoints: g_l grows with
 * slope 1/a below b_l, is 0 up to b_l + d, grows again up to b_l + d + a cap_l, and stays at cap_l.
 * So the slope of the sum is (how many are below b_l + how many are between b_l + d and the cap) /
 * a. Walk upwards through the breakpoints until the sum is not negative. */
static double musvm_row_multiplier(int64_t n, double a, const double *b, double d,
                                   const double *cap, double *work)
{
    double *below = work, *above = work + n, *full = work + 2 * n;
    for (int64_t l = 0; l < n; l++) {
        below[l] = b[l];
        above[l] = b[l] + d;
        full[l] = b[l] + d + a * cap[l];
    }
    musvm_sort(below, n);
    musvm_sort(above, n);
    musvm_sort(full, n);
    int64_t p = 0, q = 0, r = 0; /* breakpoints of each kind up to nu */
    double nu = below[0], sum = 0;
    for (int64_t l = 0; l < n; l++)
        sum += (nu - b[l]) / a;
    while (sum < 0 && r < n) {
        double next = full[r];
        next = q < n && above[q] < next ? above[q] : next;
        next = p < n && below[p] < next ? below[p] : next;
        double slope = (double)((n - p) + (q - r)) / a, reached = sum + slope * (next - nu);
        if (reached >= 0 && slope > 0)
            return nu - sum / slope;
        sum = reached;
        nu = next;
        while (p < n && below[p] <= nu)
            p++;
        while (q < n && above[q] <= nu)
            q++;
        while (r < n && full[r] <= nu)
            r++;
    }
    return nu;
}

void musvm_project(int64_t n, double a, const double *b, double d, const double *cap, double *g,
                   double *work)
{
    assert(n > 0 && a > 0 && d >= 0);
    const double nu = musvm_row_multiplier(n, a, b, d, cap, work);
    for (int64_t l = 0; l < n; l++)
        g[l] = musvm_row_value(a, b[l], d, cap[l], nu);
}

void musvm_absorb_rounding(double *g, int64_t n)
{
    int64_t lowest = 0;
    double sum = 0;
    for (int64_t l = 0; l < n; l++)
        lowest = g[l] < g[lowest] ? l : lowest;
    for (int64_t l = 0; l < n; l++)
        sum += l == lowest ? 0 : g[l];
    if (g[lowest] < 0)
        g[lowest] = -sum;
}
