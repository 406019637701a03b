/* MU-SVM of two classes is a binary U-SVM at twice the costs, which is solved by coordinate descent
 * on its dual. */
#include "check.h"
#include "common/base/random.h"
#include "learners/musvm/musvm.h"
#include "musvm_odd_sets.h"
#include "musvm_plain.h"

enum { SWEEPS = 30000 };

/* minimise 1/2 |w|^2 + C sum_i max(0, 1 - y_i f(x_i)) + C* sum_u max(0, |f(x_u)| - Delta); f =
 * sum_j b_j k(x_j, .), b_i y_i in [0, C], b_u in [-C*, C*] */
static void binary(const struct set *set, const double *kernel, double C, double C_star,
                   double delta, double *b)
{
    const int64_t N = set->n + set->m;
    for (int64_t i = 0; i < N; i++)
        b[i] = 0;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double moved = 0;
        for (int64_t i = 0; i < N; i++) {
            double f = 0, A = kernel[i * N + i], old = b[i];
            for (int64_t j = 0; j < N; j++)
                f += b[j] * kernel[i * N + j];
            if (i < set->n) {
                double y = set->y[i] == 0 ? 1 : -1;
                b[i] = y * fmax(0, fmin(C, y * old + (1 - y * f) / A));
            } else {
                double rest = A * old - f; /* A b should be -delta .. delta away from this */
                double v = rest > delta ? rest - delta : rest < -delta ? rest + delta : 0;
                b[i] = fmax(-C_star, fmin(C_star, v / A));
            }
            moved = fmax(moved, fabs(b[i] - old) * A);
        }
        if (moved < 1e-14)
            break;
    }
}

static void test_binary(void)
{
    enum { n = 12, m = 6, N = n + m };
    check_group("two classes are a binary U-SVM");
    for (int64_t k = 0; k < 3; k++) {
        for (int64_t seed = 0; seed < 6; seed++) {
            struct random g = random_seeded(5, (uint64_t)(10 * k + seed));
            const double C = seed % 2 == 0 ? 1 : 20, C_star = 0.1 + (double)seed,
                         delta = 0.05 * (double)(seed % 3);
            struct musvm_options options = {.C = C / 2,
                                            .C_star = C_star / 2,
                                            .delta = delta,
                                            .eps = EPS,
                                            .shrinking = true,
                                            .seed = 1};
            struct set set;
            struct musvm_plain plain;
            struct kernel_data data;
            struct musvm_point point = {.alpha = NULL};
            struct musvm_result result;
            struct error err = {.line = 0};
            double b[N];
            make_set(&g, n, m, 2, 3, 0, &set);
            struct musvm_task task = {
                .n = n, .m = m, .classes = 2, .y = set.y, .samples = &set.samples};
            if (musvm_plain_new(&task, &kernels[k], &options, &plain, &err) != 0
                || kernel_data_make(&set.samples, NULL, &data, &err) != 0
                || !(task.rows = kernel_rows_new(&kernels[k], &data, 1e6, 1, &err))
                || musvm_point_make(&task, &point, &err) != 0) {
                CHECK(false, "memory");
                return;
            }
            binary(&set, plain.kernel, C, C_star, delta, b);
            if (solve("whole", &task, &options, &point, &result)) {
                for (int64_t i = 0; i < N; i++) {
                    double f = 0;
                    for (int64_t j = 0; j < N; j++)
                        f += b[j] * plain.kernel[i * N + j];
                    CHECK_NEAR(point.f[i] - point.f[N + i], f, 1e-6, "kernel %d, seed %d: f(x_%d)",
                               (int)k, (int)seed, (int)i);
                }
            }
            musvm_point_free(&point);
            kernel_rows_free(task.rows);
            kernel_data_free(&data);
            musvm_plain_free(&plain);
            problem_free(&set.samples);
        }
    }
}

int main(void)
{
    test_binary();
    return check_finish();
}
