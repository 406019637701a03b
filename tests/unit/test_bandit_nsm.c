/* One step of NSM beside the formula of nsm_step.c, where pi is small, and where scores are too
 * large for their exponentials. */
#include "check.h"
#include "learners/bandit/nsm_step.h"

#include <math.h>

enum { K = 3 };

static const double eta = 0.5, x = 2;

/* The weights and sums of squares after a step from w = 0, for an example with one feature. */
static void check_step(const double *scores, int64_t shown, int f, const double rho[2])
{
    static const int32_t index[] = {1};
    const struct example example = {.size = 1, .index = index, .value = &x};
    struct weights w = weights_make(K, 0), s = weights_make(K, NSM_SQUARES), none = {.w = NULL};
    double given[8] = {0}, pi[K], largest = scores[0], total = 0;
    CHECK(w.stride <= 8 && weights_grow(&w, 1, NULL) == 0 && weights_grow(&s, 1, NULL) == 0,
          "tables");
    for (int k = 0; k < K; k++) {
        given[k] = scores[k];
        largest = fmax(largest, scores[k]);
    }
    for (int k = 0; k < K; k++)
        total += pi[k] = exp(scores[k] - largest);
    for (int k = 0; k < K; k++)
        pi[k] /= total;
    const double beta = 1 - rho[0] - rho[1], q = rho[0] + beta * pi[shown],
                 c = (q - f) / fmax(q * (1 - q), 1e-6) * beta * pi[shown];
    nsm_learn(&w, &s, &none, 0, &example, given, shown, f, rho, eta);
    for (int k = 0; k < K; k++) {
        const double gradient = c * ((k == shown) - pi[k]) * x,
                     squares = NSM_SQUARES + gradient * gradient;
        CHECK_NEAR(s.w[s.stride + k], squares, 1e-12, "sum of squares of class %d", k);
        CHECK_NEAR(w.w[w.stride + k], -eta * gradient / sqrt(squares), 1e-9,
                   "weight of class %d, label %d, f %d", k, (int)shown, f);
        CHECK_NEAR(w.w[k], 0, 0, "the bias of class %d", k);
    }
    weights_free(&w);
    weights_free(&s);
}

int main(void)
{
    static const double rates[][2] = {{0, 0}, {0.1, 0.2}};
    /* Probabilities of about a third; of 1e-5 and 1e-9, on both sides of the least variance; and
     * of 1 and 5e-5 by scores of which no exponential is a number. */
    static const double scores[][K] = {
        {0, 0.5, -0.5}, {0, -11.5, -2}, {0, -20.7, -2}, {-1000, 1000, 990}};
    for (int i = 0; i < 4; i++) {
        check_group("scores %g %g %g", scores[i][0], scores[i][1], scores[i][2]);
        for (int r = 0; r < 2; r++)
            for (int f = 0; f < 2; f++) {
                check_step(scores[i], 1, f, rates[r]);
                check_step(scores[i], 2, f, rates[r]);
            }
    }
    return check_finish();
}
