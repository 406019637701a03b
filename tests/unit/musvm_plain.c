/* The plain-loop reference of MU-SVM; its notation is in musvm_plain.h. */
#include "musvm_plain.h"

#include "common/base/memory.h"

#include <math.h>
#include <string.h>

/* Whether an element is at 0 or at its cap is told within this part of the cost. */
static const double AT = 1e-8;

double musvm_plain_kernel(const struct kernel *kernel, const struct example *u,
                          const struct example *v)
{
    double dot = 0, distance = 0;
    for (int64_t a = 0, b = 0; a < u->size || b < v->size;) {
        int32_t i = a < u->size ? u->index[a] : INT32_MAX,
                j = b < v->size ? v->index[b] : INT32_MAX;
        double p = i <= j ? u->value[a++] : 0, q = j <= i ? v->value[b++] : 0;
        dot += p * q;
        distance += (p - q) * (p - q);
    }
    switch (kernel->type) {
    case KERNEL_POLYNOMIAL:
        return pow(kernel->gamma * dot + kernel->coef0, (double)kernel->degree);
    case KERNEL_RBF:
        return exp(-kernel->gamma * distance);
    case KERNEL_SIGMOID:
        return tanh(kernel->gamma * dot + kernel->coef0);
    default:
        return dot;
    }
}

int musvm_plain_new(const struct musvm_task *task, const struct kernel *kernel,
                    const struct musvm_options *options, struct musvm_plain *plain,
                    struct error *err)
{
    const int64_t N = task->n + task->m;
    *plain = (struct musvm_plain){.n = task->n,
                                  .m = task->m,
                                  .K = task->classes,
                                  .y = task->y,
                                  .delta = options->delta,
                                  .without = -1};
    plain->kernel = memory_new(N * N, sizeof *plain->kernel, err);
    plain->cost = memory_new(N, sizeof *plain->cost, err);
    plain->alpha = memory_new(N * plain->K, sizeof *plain->alpha, err);
    if (!plain->kernel || !plain->cost || !plain->alpha || plain->K > MUSVM_PLAIN_CLASSES) {
        musvm_plain_free(plain);
        return -1;
    }
    for (int64_t i = 0; i < N; i++) {
        struct example u = problem_example(task->samples, i);
        for (int64_t j = 0; j < N; j++) {
            struct example v = problem_example(task->samples, j);
            plain->kernel[i * N + j] = musvm_plain_kernel(kernel, &u, &v);
        }
        plain->cost[i] = options->C_star;
        if (i < task->n)
            plain->cost[i] = options->C * (options->factor ? options->factor[i] : 1);
    }
    return 0;
}

void musvm_plain_free(struct musvm_plain *plain)
{
    memory_free(plain->kernel);
    memory_free(plain->cost);
    memory_free(plain->alpha);
    *plain = (struct musvm_plain){.n = 0};
}

/* ---- the solver ---- */

/* Not fmax, which is a call here. */
static double positive(double v)
{
    return v > 0 ? v : 0;
}

static double row_at(int64_t n, double a, const double *b, double d, const double *cap, double nu,
                     double *g)
{
    double sum = 0;
    for (int64_t l = 0; l < n; l++) {
        double v = (positive(nu - b[l] - d) - positive(b[l] - nu)) / a;
        g[l] = v < cap[l] ? v : cap[l];
        sum += g[l];
    }
    return sum;
}

void musvm_plain_project(int64_t n, double a, const double *b, double d, const double *cap,
                         double *g)
{
    double low = b[0], high = b[0] + d + a * cap[0];
    for (int64_t l = 1; l < n; l++) {
        low = fmin(low, b[l]);                    /* nothing is above 0 */
        high = fmax(high, b[l] + d + a * cap[l]); /* all are at their caps */
    }
    for (;;) {
        double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high)
            break;
        if (row_at(n, a, b, d, cap, middle, g) < 0)
            low = middle;
        else
            high = middle;
    }
    double below = row_at(n, a, b, d, cap, low, g);
    if (row_at(n, a, b, d, cap, high, g) > -below)
        row_at(n, a, b, d, cap, low, g);
}

static double e(const struct musvm_plain *s, int64_t i, int64_t l)
{
    return i < s->n && l != s->y[i];
}

static double cap(const struct musvm_plain *s, int64_t i, int64_t l)
{
    return i < s->n && l != s->y[i] ? 0 : s->cost[i];
}

void musvm_plain_f(const struct musvm_plain *s, int64_t i, double *f)
{
    const int64_t N = s->n + s->m;
    for (int64_t l = 0; l < s->K; l++)
        f[l] = 0;
    for (int64_t j = 0; j < N; j++) {
        for (int64_t l = 0; l < s->K; l++)
            f[l] += s->kernel[i * N + j] * s->alpha[j * s->K + l];
    }
}

static void solve_row(struct musvm_plain *s, int64_t i)
{
    double *a = s->alpha + i * s->K, A = s->kernel[i * (s->n + s->m) + i];
    double b[MUSVM_PLAIN_CLASSES], caps[MUSVM_PLAIN_CLASSES];
    if (A <= 0) {
        for (int64_t l = 0; l < s->K; l++)
            a[l] = i >= s->n || s->K == 1 ? 0
                   : l == s->y[i]         ? s->cost[i]
                                          : -s->cost[i] / (double)(s->K - 1);
        return;
    }
    musvm_plain_f(s, i, b);
    for (int64_t l = 0; l < s->K; l++) {
        b[l] += e(s, i, l) - A * a[l];
        caps[l] = cap(s, i, l);
    }
    musvm_plain_project(s->K, A, b, i < s->n ? 0 : s->delta, caps, a);
}

static double row_violation(const struct musvm_plain *s, int64_t i)
{
    double f[MUSVM_PLAIN_CLASSES], most = -HUGE_VAL, least = HUGE_VAL, d = i < s->n ? 0 : s->delta;
    const double *a = s->alpha + i * s->K;
    musvm_plain_f(s, i, f);
    for (int64_t l = 0; l < s->K; l++) {
        double v = f[l] + e(s, i, l);
        most = fmax(most, v + d * (a[l] > 0));
        if (a[l] < cap(s, i, l))
            least = fmin(least, v + d * (a[l] >= 0));
    }
    return fmax(0, most - least);
}

double musvm_plain_violation(const struct musvm_plain *s)
{
    double most = 0;
    for (int64_t i = 0; i < s->n + s->m; i++) {
        if (i != s->without)
            most = fmax(most, row_violation(s, i));
    }
    return most;
}

double musvm_plain_solve(struct musvm_plain *s, double eps, int64_t most)
{
    double violation = musvm_plain_violation(s);
    for (int64_t sweep = 0; sweep < most && violation > eps; sweep++) {
        for (int64_t i = 0; i < s->n + s->m; i++) {
            if (i != s->without)
                solve_row(s, i);
        }
        violation = musvm_plain_violation(s);
    }
    return violation;
}

/* ---- objectives ---- */

/* tr(a'K a) = sum of |w_l|^2 */
static double norm(const struct musvm_plain *s)
{
    double f[MUSVM_PLAIN_CLASSES], sum = 0;
    for (int64_t i = 0; i < s->n + s->m; i++) {
        musvm_plain_f(s, i, f);
        for (int64_t l = 0; l < s->K; l++)
            sum += s->alpha[i * s->K + l] * f[l];
    }
    return sum;
}

double musvm_plain_objective(const struct musvm_plain *s)
{
    double sum = -norm(s) / 2;
    for (int64_t i = 0; i < s->n + s->m; i++) {
        for (int64_t l = 0; l < s->K; l++) {
            double a = s->alpha[i * s->K + l];
            sum -= a * e(s, i, l);
            if (i >= s->n)
                sum -= s->delta * fmax(0, a);
        }
    }
    return sum;
}

double musvm_plain_primal(const struct musvm_plain *s)
{
    double f[MUSVM_PLAIN_CLASSES], sum = norm(s) / 2;
    for (int64_t i = 0; i < s->n + s->m; i++) {
        double most = -HUGE_VAL;
        if (i == s->without)
            continue;
        musvm_plain_f(s, i, f);
        for (int64_t l = 0; l < s->K; l++)
            most = fmax(most, f[l] + e(s, i, l));
        for (int64_t k = 0; k < s->K; k++) {
            if (i >= s->n)
                sum += s->cost[i] * fmax(0, most - f[k] - s->delta);
            else if (k == s->y[i])
                sum += s->cost[i] * fmax(0, most - f[k]);
        }
    }
    return sum;
}

bool musvm_plain_wrong(int64_t K, const double *f, int64_t y)
{
    for (int64_t l = 0; l < K; l++) {
        if (l != y && f[l] >= f[y])
            return true;
    }
    return false;
}

/* ---- leaving one out ---- */

/* Elimination with the largest pivot of what is left: A x = b for each of m columns of b (n x m),
 * which become x.  Pivots at or below `nothing` of the first are taken for 0, their unknowns too.
 * order: room for n. */
static void eliminate(int64_t n, int64_t m, double *A, double *b, double nothing, int64_t *order)
{
    double first = 0;
    int64_t rank = 0;
    for (int64_t j = 0; j < n; j++)
        order[j] = j;
    for (; rank < n; rank++) {
        int64_t row = rank, column = rank;
        for (int64_t i = rank; i < n; i++) {
            for (int64_t j = rank; j < n; j++) {
                if (fabs(A[i * n + j]) > fabs(A[row * n + column])) {
                    row = i;
                    column = j;
                }
            }
        }
        double pivot = A[row * n + column];
        first = fmax(first, fabs(pivot));
        if (fabs(pivot) <= nothing * first)
            break;
        for (int64_t i = 0; i < n; i++) {
            double t = A[i * n + rank];
            A[i * n + rank] = A[i * n + column];
            A[i * n + column] = t;
        }
        int64_t place = order[rank];
        order[rank] = order[column];
        order[column] = place;
        for (int64_t j = 0; j < n; j++) {
            double t = A[rank * n + j];
            A[rank * n + j] = A[row * n + j];
            A[row * n + j] = t;
        }
        for (int64_t j = 0; j < m; j++) {
            double t = b[rank * m + j];
            b[rank * m + j] = b[row * m + j];
            b[row * m + j] = t;
        }
        for (int64_t i = rank + 1; i < n; i++) {
            double factor = A[i * n + rank] / pivot;
            for (int64_t j = rank; j < n; j++)
                A[i * n + j] -= factor * A[rank * n + j];
            for (int64_t j = 0; j < m; j++)
                b[i * m + j] -= factor * b[rank * m + j];
        }
    }
    for (int64_t c = 0; c < m; c++) {
        for (int64_t i = n - 1; i >= 0; i--) {
            for (int64_t j = i + 1; j < rank; j++)
                b[i * m + c] -= A[i * n + j] * b[j * m + c];
            b[i * m + c] = i < rank ? b[i * m + c] / A[i * n + i] : 0;
        }
    }
    /* Put the unknowns back in their places. */
    for (int64_t i = 0; i < n; i++) {
        while (order[i] != i) {
            int64_t k = order[i];
            for (int64_t c = 0; c < m; c++) {
                double t = b[i * m + c];
                b[i * m + c] = b[k * m + c];
                b[k * m + c] = t;
            }
            order[i] = order[k];
            order[k] = k;
        }
    }
}

int musvm_plain_kind(const struct musvm_plain *s, int64_t i)
{
    const double *a = s->alpha + i * s->K, C = s->cost[i];
    if (i < s->n)
        return C <= 0 || a[s->y[i]] <= AT * C ? 0 : a[s->y[i]] < C - AT * C ? 1 : 2;
    for (int64_t l = 0; l < s->K; l++) {
        if (a[l] > AT * C && a[l] < C - AT * C)
            return 1;
    }
    return 0;
}

/* k_ij of the places i and j in list */
static double among(const struct musvm_plain *s, const int64_t *list, int64_t i, int64_t j)
{
    return s->kernel[list[i] * (s->n + s->m) + list[j]];
}

static void theorem(const struct musvm_plain *s, int64_t p, const int64_t *list,
                    const double *inverse, double *s2, double *rhs, bool *wrong)
{
    const int64_t N = s->n + s->m;
    double f[MUSVM_PLAIN_CLASSES];
    for (int64_t t = 0; t < s->n; t++) {
        double square = 0, d = 0;
        int kind = musvm_plain_kind(s, t);
        s2[t] = rhs[t] = 0;
        wrong[t] = false;
        if (kind == 0)
            continue;
        musvm_plain_f(s, t, f);
        for (int64_t l = 0; l < s->K; l++) {
            double a = s->alpha[t * s->K + l];
            square += a * a;
            rhs[t] += a * f[l];
        }
        if (kind == 2) {
            d = s->kernel[t * N + t];
            for (int64_t i = 0; i < p; i++) {
                for (int64_t j = 0; j < p; j++)
                    d -= s->kernel[t * N + list[i]] * inverse[i * p + j]
                         * s->kernel[t * N + list[j]];
            }
        }
        for (int64_t i = 0; kind == 1 && i < p; i++) {
            if (list[i] == t)
                d = 1 / inverse[i * p + i];
        }
        s2[t] = square * d;
        wrong[t] = s2[t] >= rhs[t];
    }
}

int musvm_plain_theorem(const struct musvm_plain *s, double *s2, double *rhs, bool *wrong,
                        struct error *err)
{
    const int64_t N = s->n + s->m;
    int64_t p = 0, *list = memory_new(N, sizeof *list, err),
            *order = memory_new(N, sizeof *order, err);
    double *G = memory_new(N * N, sizeof *G, err),
           *inverse = memory_new(N * N, sizeof *inverse, err), mean = 0;
    int status = list && order && G && inverse ? 0 : -1;
    if (status == 0) {
        for (int64_t i = 0; i < N; i++) {
            if (musvm_plain_kind(s, i) == 1)
                list[p++] = i;
        }
        for (int64_t i = 0; i < p; i++)
            mean += among(s, list, i, i) / (double)p;
        for (int64_t i = 0; i < p; i++) {
            for (int64_t j = 0; j < p; j++) {
                G[i * p + j] = among(s, list, i, j) + (i == j) * 1e-10 * mean;
                inverse[i * p + j] = i == j;
            }
        }
        eliminate(p, p, G, inverse, 0, order);
        theorem(s, p, list, inverse, s2, rhs, wrong);
    }
    memory_free(list);
    memory_free(order);
    memory_free(G);
    memory_free(inverse);
    return status;
}

static bool is_free(const struct musvm_plain *s, int64_t i, int64_t l)
{
    double a = s->alpha[i * s->K + l], C = s->cost[i];
    if (i < s->n && l != s->y[i])
        return a < -AT * C;
    return (a > AT * C && a < C - AT * C) || (i >= s->n && a < -AT * C);
}

/* An unknown of the system: what element l of row i takes from its last free one. */
struct unknown {
    int64_t i, l, last;
};

static int64_t list_unknowns(const struct musvm_plain *s, int64_t t, struct unknown *u)
{
    int64_t p = 0;
    for (int64_t i = 0; i < s->n + s->m; i++) {
        int64_t last = -1;
        for (int64_t l = 0; l < s->K; l++) {
            if (is_free(s, i, l))
                last = l;
        }
        for (int64_t l = 0; i != t && l < last; l++) {
            if (is_free(s, i, l))
                u[p++] = (struct unknown){.i = i, .l = l, .last = last};
        }
    }
    return p;
}

/* (e_l - e_last)'(e_k - e_other) */
static double product(const struct unknown *a, const struct unknown *b)
{
    return (a->l == b->l) - (a->l == b->last) - (a->last == b->l) + (a->last == b->last);
}

int musvm_plain_local(const struct musvm_plain *s, double *f, struct error *err)
{
    const int64_t N = s->n + s->m, K = s->K;
    struct unknown *u = memory_new(N * K, sizeof *u, err);
    int64_t *order = memory_new(N * K, sizeof *order, err);
    double *M = memory_new(N * K * N * K, sizeof *M, err), *c = memory_new(N * K, sizeof *c, err);
    int status = u && order && M && c ? 0 : -1;
    for (int64_t t = 0; status == 0 && t < s->n; t++) {
        const double *a = s->alpha + t * K;
        int64_t p = list_unknowns(s, t, u);
        for (int64_t i = 0; i < p; i++) {
            for (int64_t j = 0; j < p; j++)
                M[i * p + j] = s->kernel[u[i].i * N + u[j].i] * product(&u[i], &u[j]);
            c[i] = s->kernel[u[i].i * N + t] * (a[u[i].l] - a[u[i].last]);
        }
        eliminate(p, 1, M, c, 1e-10, order);
        musvm_plain_f(s, t, f + t * K);
        for (int64_t l = 0; l < K; l++)
            f[t * K + l] -= s->kernel[t * N + t] * a[l];
        for (int64_t i = 0; i < p; i++) {
            f[t * K + u[i].l] += s->kernel[t * N + u[i].i] * c[i];
            f[t * K + u[i].last] -= s->kernel[t * N + u[i].i] * c[i];
        }
    }
    memory_free(u);
    memory_free(order);
    memory_free(M);
    memory_free(c);
    return status;
}

int musvm_plain_retrain(const struct musvm_plain *plain, double eps, int64_t most, double *f,
                        struct error *err)
{
    const int64_t K = plain->K, elements = (plain->n + plain->m) * K;
    struct musvm_plain s = *plain;
    s.alpha = memory_new(elements, sizeof *s.alpha, err);
    if (!s.alpha)
        return -1;
    for (s.without = 0; s.without < s.n; s.without++) {
        memcpy(s.alpha, plain->alpha, (size_t)elements * sizeof *s.alpha);
        memset(s.alpha + s.without * K, 0, (size_t)K * sizeof *s.alpha);
        musvm_plain_solve(&s, eps, most);
        musvm_plain_f(&s, s.without, f + s.without * K);
    }
    memory_free(s.alpha);
    return 0;
}
