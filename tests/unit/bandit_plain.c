/* The plain-loop reference of bandit learners; its notation is in bandit_plain.h. */
#include "bandit_plain.h"

#include "common/base/memory.h"
#include "common/linear/weights.h"

#include <math.h>
#include <string.h>

/* A number that decides something by being at least 0, and the size of what it is a sum of. */
static void decided(struct bandit_plain *s, double difference, double unit)
{
    if (unit > 0)
        s->closest = fmin(s->closest, fabs(difference) / unit);
}

static void set_dense(struct bandit_plain *s, const struct example *x)
{
    memset(s->dense, 0, (size_t)s->width * sizeof *s->dense);
    for (int64_t e = 0; e < x->size; e++)
        s->dense[x->index[e]] = x->value[e];
}

static double dot(const struct bandit_plain *s, const double *a)
{
    double sum = 0;
    for (int64_t j = 0; j < s->width; j++)
        sum += a[j] * s->dense[j];
    return sum;
}

/* What the dot product could be if nothing cancelled. */
static double reach(const struct bandit_plain *s, const double *a)
{
    double sum = 0;
    for (int64_t j = 0; j < s->width; j++)
        sum += fabs(a[j] * s->dense[j]);
    return sum;
}

static bool same_weights(const struct bandit_plain *s, const double *a, const double *b)
{
    for (int64_t j = 0; j < s->width; j++) {
        if (s->dense[j] != 0 && a[j] != b[j])
            return false;
    }
    return true;
}

/* argmax over all classes but one (-1: over all) for the example at hand. */
static int64_t best_class(struct bandit_plain *s, const double *w, int64_t except)
{
    int64_t best = -1;
    for (int64_t k = 0; k < s->K; k++) {
        s->score[k] = dot(s, w + k * s->width);
        if (k != except && (best < 0 || s->score[k] > s->score[best]))
            best = k;
    }
    const double *row = w + best * s->width;
    for (int64_t k = 0; k < s->K; k++) {
        const double *other = w + k * s->width;
        if (k != best && k != except && !same_weights(s, row, other))
            decided(s, s->score[best] - s->score[k], reach(s, row) + reach(s, other));
    }
    return best;
}

int64_t bandit_plain_greedy(struct bandit_plain *s, const double *w, const struct example *x)
{
    set_dense(s, x);
    return best_class(s, w, -1);
}

void bandit_plain_average(const struct bandit_plain *s, double *average)
{
    for (int64_t j = 0; j < s->K * s->width; j++)
        average[j] = s->rounds > 0 ? s->sum[j] / (double)s->rounds : 0;
}

struct bandit_choice bandit_plain_choose(struct bandit_plain *s, const struct example *x, double u)
{
    double gamma = s->options.gamma, K = (double)s->K;
    const double *w = s->w;
    if (s->options.play_average) {
        bandit_plain_average(s, s->g);
        w = s->g;
    }
    struct bandit_choice choice = {.greedy = bandit_plain_greedy(s, w, x)};
    if (u < 1 - gamma) {
        choice.shown = choice.greedy;
    } else {
        choice.shown = (int64_t)floor((u - (1 - gamma)) / gamma * K);
        if (choice.shown > s->K - 1)
            choice.shown = s->K - 1;
    }
    choice.p = gamma / K;
    if (choice.shown == choice.greedy)
        choice.p += 1 - gamma;
    return choice;
}

/* ---- the rules ---- */

double bandit_plain_h(const double rho[2], int f)
{
    double beta = 1 - rho[0] - rho[1];
    return f == 1 ? (1 - rho[0]) / beta : -rho[0] / beta;
}

static void learn_rcnbf(struct bandit_plain *s, int64_t shown, double p, int f)
{
    static const double none[2] = {0, 0};
    double h = bandit_plain_h(s->options.rule == &bandit_rcnbf_rule ? s->options.rho : none, f);
    int64_t greedy = best_class(s, s->w, -1);
    for (int64_t j = 0; j < s->width; j++)
        s->w[shown * s->width + j] += h / p * s->dense[j];
    for (int64_t j = 0; j < s->width; j++)
        s->w[greedy * s->width + j] -= s->dense[j];
}

static void learn_bpa(struct bandit_plain *s, int64_t shown, int f)
{
    double score = dot(s, s->w + shown * s->width), square = dot(s, s->dense);
    if (square == 0)
        return;
    double loss = f == 1 ? fmax(0, -score) : fmax(0, 1 + score);
    for (int64_t j = 0; j < s->width; j++)
        s->w[shown * s->width + j] += (2 * f - 1) * loss / square * s->dense[j];
}

/* solution = A^-1 b for symmetric positive definite A (n x n), by elimination in a copy. */
static void solve(int64_t n, const double *A, const double *b, double *copy, double *solution)
{
    memcpy(copy, A, (size_t)(n * n) * sizeof *copy);
    memcpy(solution, b, (size_t)n * sizeof *solution);
    for (int64_t c = 0; c < n; c++) {
        for (int64_t r = c + 1; r < n; r++) {
            double factor = copy[r * n + c] / copy[c * n + c];
            if (factor == 0)
                continue;
            for (int64_t i = c; i < n; i++)
                copy[r * n + i] -= factor * copy[c * n + i];
            solution[r] -= factor * solution[c];
        }
    }
    for (int64_t r = n - 1; r >= 0; r--) {
        for (int64_t i = r + 1; i < n; i++)
            solution[r] -= copy[r * n + i] * solution[i];
        solution[r] /= copy[r * n + r];
    }
}

/* solution = A^-1 b */
static void apply_inverse(struct bandit_plain *s, const double *b)
{
    int64_t n = s->K * s->width;
    if (s->options.full) {
        solve(n, s->A, b, s->copy, s->solution);
        return;
    }
    for (int64_t j = 0; j < n; j++)
        s->solution[j] = b[j] / s->A[j];
}

static void learn_soba(struct bandit_plain *s, int64_t shown, double p, int f)
{
    int64_t n = s->K * s->width;
    double wz = 0, wg = 0, zAz = 0, terms = 0;
    if (f != 1)
        return;
    int64_t other = best_class(s, s->w, shown);
    for (int64_t k = 0; k < s->K; k++) {
        for (int64_t j = 0; j < s->width; j++)
            s->g[k * s->width + j] = 1 / p * ((k == other) - (k == shown)) * s->dense[j];
    }
    double *z = s->g; /* until it is g again */
    for (int64_t j = 0; j < n; j++) {
        wg += s->w[j] * s->g[j];
        terms += fabs(s->w[j] * s->g[j]);
        z[j] *= sqrt(p);
        wz += s->w[j] * z[j];
    }
    apply_inverse(s, z);
    for (int64_t j = 0; j < n; j++)
        zAz += z[j] * s->solution[j];
    double m = (wz * wz + 2 * wg) / (1 + zAz);
    if (m != 0) /* 0 is exact: scores of features without weights */
        decided(s, m + s->margin_sum, (p * terms * terms + 2 * terms) / (1 + zAz) + s->margin_sum);
    if (m + s->margin_sum < 0)
        return;
    s->margin_sum += m;
    for (int64_t i = 0; i < n; i++) {
        if (!s->options.full)
            s->A[i] += z[i] * z[i];
        for (int64_t j = 0; s->options.full && j < n; j++)
            s->A[i * n + j] += z[i] * z[j];
    }
    for (int64_t j = 0; j < n; j++)
        s->theta[j] -= z[j] / sqrt(p);
    apply_inverse(s, s->theta);
    memcpy(s->w, s->solution, (size_t)n * sizeof *s->w);
}

static void learn_nsm(struct bandit_plain *s, int64_t shown, int f)
{
    const double *rho = s->options.rho;
    double beta = 1 - rho[0] - rho[1], highest = -HUGE_VAL, sum = 0;
    double *pi = s->score;
    for (int64_t k = 0; k < s->K; k++) {
        pi[k] = dot(s, s->w + k * s->width);
        highest = fmax(highest, pi[k]);
    }
    for (int64_t k = 0; k < s->K; k++) {
        pi[k] = exp(pi[k] - highest);
        sum += pi[k];
    }
    for (int64_t k = 0; k < s->K; k++)
        pi[k] /= sum;
    double q = rho[0] + beta * pi[shown];
    double c = (q - f) / fmax(q * (1 - q), 1e-6) * beta * pi[shown];
    for (int64_t k = 0; k < s->K; k++) {
        for (int64_t j = 0; j < s->width; j++) {
            double g = c * ((k == shown) - pi[k]) * s->dense[j];
            s->squares[k * s->width + j] += g * g;
            s->w[k * s->width + j] -= s->options.eta * g / sqrt(s->squares[k * s->width + j]);
        }
    }
}

void bandit_plain_learn(struct bandit_plain *s, const struct example *x, int64_t shown, double p,
                        int f)
{
    set_dense(s, x);
    const struct bandit_rule *rule = s->options.rule;
    if (rule == &bandit_bpa_rule)
        learn_bpa(s, shown, f);
    else if (rule == &bandit_soba_rule)
        learn_soba(s, shown, p, f);
    else if (rule == &bandit_nsm_rule)
        learn_nsm(s, shown, f);
    else
        learn_rcnbf(s, shown, p, f);
    s->rounds++;
    for (int64_t j = 0; j < s->K * s->width; j++)
        s->sum[j] += s->w[j];
}

/* ---- the rest ---- */

struct bandit_plain_value bandit_plain_value(int64_t n, const double *w, const double *h)
{
    double sum_w = 0, sum_wh = 0, squares = 0, residuals = 0;
    for (int64_t i = 0; i < n; i++) {
        sum_w += w[i];
        sum_wh += w[i] * h[i];
    }
    struct bandit_plain_value value = {.ips = sum_wh / (double)n, .snips = sum_wh / sum_w};
    for (int64_t i = 0; i < n; i++) {
        double deviation = w[i] * h[i] - value.ips, residual = w[i] * (h[i] - value.snips);
        squares += deviation * deviation;
        residuals += residual * residual;
    }
    value.ips_error = sqrt(squares / (double)n) / sqrt((double)n);
    value.snips_error = sqrt(residuals) / sum_w;
    return value;
}

int bandit_plain_new(const struct bandit_options *options, int64_t K, int64_t d,
                     struct bandit_plain *plain, struct error *err)
{
    int64_t width = d + 1, n = K * width;
    bool soba = options->rule == &bandit_soba_rule;
    int64_t matrix = !soba ? 0 : options->full ? n * n : n;
    *plain = (struct bandit_plain){
        .options = *options, .K = K, .width = width, .closest = HUGE_VAL};
    struct bandit_plain *s = plain;
    if (!(s->w = memory_new(n, sizeof *s->w, err)) || !(s->sum = memory_new(n, sizeof *s->sum, err))
        || !(s->g = memory_new(n, sizeof *s->g, err))
        || !(s->dense = memory_new(width, sizeof *s->dense, err))
        || !(s->score = memory_new(K, sizeof *s->score, err))
        || !(s->squares = memory_new(n, sizeof *s->squares, err))
        || !(s->theta = memory_new(n, sizeof *s->theta, err))
        || !(s->solution = memory_new(n, sizeof *s->solution, err))
        || !(s->A = memory_new(matrix, sizeof *s->A, err))
        || !(s->copy = memory_new(matrix, sizeof *s->copy, err))) {
        bandit_plain_free(plain);
        return -1;
    }
    for (int64_t i = 0; i < n; i++) {
        s->squares[i] = 0.01;
        if (soba)
            s->A[options->full ? i * n + i : i] = options->prior;
    }
    return 0;
}

void bandit_plain_free(struct bandit_plain *plain)
{
    void *const blocks[] = {plain->w,     plain->sum, plain->dense, plain->score, plain->squares,
                            plain->theta, plain->g,   plain->A,     plain->copy,  plain->solution};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        memory_free(blocks[i]);
    *plain = (struct bandit_plain){.K = 0};
}

int bandit_plain_library(const struct bandit *b, int64_t K, int64_t width, double *w,
                         struct error *err)
{
    struct weights table;
    if (bandit_weights(b, &table, err) != 0)
        return -1;
    int status = table.columns == K && table.rows <= width
                     ? 0
                     : error_set(err, "%lld columns, %lld rows", (long long)table.columns,
                                 (long long)table.rows);
    for (int64_t i = 0; status == 0 && i < K * width; i++) {
        int64_t k = i / width, j = i % width;
        w[i] = j < table.rows ? table.w[j * table.stride + k] : 0;
    }
    weights_free(&table);
    return status;
}
