/* The plain-loop reference of UMA; its notation is in uma_plain.h. */
#include "uma_plain.h"

#include "common/base/memory.h"
#include "common/base/random.h"

#include <math.h>
#include <string.h>

struct pair {
    int64_t p, q;
    double norm, criterion;
    double reach; /* what the norm could be if nothing cancelled in z */
};

struct loop {
    const struct uma_data *data;
    int64_t n, K, width; /* width: d + 1 */
    const struct uma_options *options;
    struct random random;
    double alpha, size;          /* of the present W: alpha as it counts, Frobenius norm */
    double *w, *sum, *best;      /* K x width; sum over the iterates; the best iterate */
    int64_t *predicted, *member; /* n: class; p of the A_p that the example is in, -1: in none */
    double *gamma;               /* K x K x width: [p][k] */
    int64_t *count; /* K x K: examples in A_p observed k; of estimate_error, predicted p */
    double *squares, *lengths; /* K x K: their sum of ||x||^2, of ||x|| */
    struct pair *pairs;        /* K x K: eligible, not yet rejected */
    int64_t pair_count;
    double *z;     /* width */
    double *score; /* K: of an example, then of z */
    bool *error;   /* K: E */
    double *tau;   /* K */
    struct uma_plain *plain;
};

static struct example example_of(const struct loop *s, int64_t i)
{
    return problem_example(s->data->problem, uma_data_place(s->data, i));
}

/* Note that a was compared with b.  Equal numbers are another matter: they are equal for a reason
 * (weights that nothing has touched, or all in the same way), and the rules for ties are tested. */
static void compared(struct loop *s, double a, double b, double unit)
{
    if (a != b && unit > 0)
        s->plain->closest = fmin(s->plain->closest, fabs(a - b) / unit);
}

static double norm(const double *a, int64_t count)
{
    double sum = 0;
    for (int64_t j = 0; j < count; j++)
        sum += a[j] * a[j];
    return sqrt(sum);
}

static double example_length(const struct example *x)
{
    return norm(x->value, x->size);
}

static void set_alpha(struct loop *s)
{
    bool zero = true;
    for (int64_t j = 0; j < s->K * s->width; j++)
        zero = zero && s->w[j] == 0;
    s->size = norm(s->w, s->K * s->width);
    s->alpha = zero                         ? 0
               : s->options->alpha_relative ? s->options->alpha * s->size
                                            : s->options->alpha;
}

/* Predictions and the sets A_p. */
static void assign_examples(struct loop *s)
{
    for (int64_t i = 0; i < s->n; i++) {
        struct example x = example_of(s, i);
        int64_t best = 0;
        double second = -HUGE_VAL;
        for (int64_t k = 0; k < s->K; k++) {
            s->score[k] = 0;
            for (int64_t e = 0; e < x.size; e++)
                s->score[k] += x.value[e] * s->w[k * s->width + x.index[e]];
            if (s->score[k] > s->score[best])
                best = k;
        }
        for (int64_t k = 0; k < s->K; k++) {
            if (k != best)
                second = fmax(second, s->score[k]);
        }
        double ahead = s->score[best] - second, unit = s->size * example_length(&x);
        compared(s, ahead, 0, unit);
        compared(s, ahead, s->alpha, unit);
        s->predicted[i] = best;
        s->member[i] = ahead >= s->alpha ? best : -1;
    }
}

/* The estimated error of the present W. */
static double estimate_error(struct loop *s)
{
    double sum = 0;
    memset(s->count, 0, (size_t)(s->K * s->K) * sizeof *s->count);
    for (int64_t i = 0; i < s->n; i++)
        s->count[s->predicted[i] * s->K + uma_data_observed(s->data, i)]++;
    for (int64_t p = 0; p < s->K; p++) {
        for (int64_t k = 0; k < s->K; k++)
            sum += (double)s->count[p * s->K + k] * s->data->inverse[p * s->K + k];
    }
    return 1 - sum / (double)s->n;
}

/* All Gamma^p_k, from nothing. */
static void sum_examples(struct loop *s)
{
    int64_t cells = s->K * s->K;
    memset(s->gamma, 0, (size_t)(cells * s->width) * sizeof *s->gamma);
    memset(s->count, 0, (size_t)cells * sizeof *s->count);
    memset(s->squares, 0, (size_t)cells * sizeof *s->squares);
    memset(s->lengths, 0, (size_t)cells * sizeof *s->lengths);
    for (int64_t i = 0; i < s->n; i++) {
        if (s->member[i] < 0)
            continue;
        struct example x = example_of(s, i);
        int64_t cell = s->member[i] * s->K + uma_data_observed(s->data, i);
        double length = example_length(&x);
        for (int64_t e = 0; e < x.size; e++)
            s->gamma[cell * s->width + x.index[e]] += x.value[e] / (double)s->n;
        s->count[cell]++;
        s->squares[cell] += length * length;
        s->lengths[cell] += length;
    }
}

/* z = z_pq */
static void form_z(struct loop *s, int64_t p, int64_t q)
{
    memset(s->z, 0, (size_t)s->width * sizeof *s->z);
    for (int64_t k = 0; k < s->K; k++) {
        const double *gamma = s->gamma + (p * s->K + k) * s->width;
        if (s->count[p * s->K + k] == 0)
            continue;
        for (int64_t j = 0; j < s->width; j++)
            s->z[j] += s->data->inverse[q * s->K + k] * gamma[j];
    }
}

/* List the eligible pairs, by p, then q. */
static void list_pairs(struct loop *s)
{
    const double *pi = s->plain->result.proportion;
    s->pair_count = 0;
    for (int64_t p = 0; p < s->K; p++) {
        for (int64_t q = 0; q < s->K; q++) {
            if (p == q || (s->options->strategy == UMA_CONFUSION && pi[q] <= 0))
                continue;
            double variance = 0, reach = 0;
            for (int64_t k = 0; k < s->K; k++) {
                double c = s->data->inverse[q * s->K + k];
                variance += c * c * s->squares[p * s->K + k];
                reach += fabs(c) * s->lengths[p * s->K + k];
            }
            double n = (double)s->n,
                   least = s->options->sigmas * sqrt(variance * (1 + UMA_TIE)) / n;
            form_z(s, p, q);
            struct pair pair = {.p = p, .q = q, .norm = norm(s->z, s->width), .reach = reach / n};
            pair.criterion = s->options->strategy == UMA_CONFUSION ? pair.norm / pi[q] : pair.norm;
            if (fabs(pair.norm - least) > UMA_TIE * least) /* equal by rule, not by rounding */
                compared(s, pair.norm, least, pair.reach);
            if (pair.norm > fmax(0, least))
                s->pairs[s->pair_count++] = pair;
        }
    }
}

/* Where in the list the strategy's next pair is. */
static int64_t next_pair(struct loop *s)
{
    if (s->options->strategy == UMA_RANDOM)
        return random_below(&s->random, s->pair_count);
    double highest = 0;
    int64_t best = 0;
    for (int64_t i = 0; i < s->pair_count; i++)
        highest = fmax(highest, s->pairs[i].criterion);
    while (s->pairs[best].criterion < highest * (1 - UMA_TIE))
        best++;
    const struct pair *a = &s->pairs[best];
    for (int64_t i = 0; i < s->pair_count; i++) {
        const struct pair *b = &s->pairs[i];
        if (b->criterion < highest * (1 - UMA_TIE))
            compared(s, a->criterion, b->criterion,
                     fmax(a->reach * a->criterion / a->norm, b->reach * b->criterion / b->norm));
    }
    return best;
}

/* E of z = z_pq, and whether the pair passes the check: whether there is somebody in E for the step
 * to take z from. */
static bool check_pair(struct loop *s, const struct pair *pair)
{
    double bound = s->options->check == UMA_PAPER ? s->alpha : 0;
    bool any = false;
    for (int64_t k = 0; k < s->K; k++) {
        s->score[k] = 0;
        for (int64_t j = 0; j < s->width; j++)
            s->score[k] += s->w[k * s->width + j] * s->z[j];
    }
    for (int64_t r = 0; r < s->K; r++) {
        double ahead = s->score[r] - s->score[pair->q];
        s->error[r] = r != pair->q && ahead >= bound;
        any = any || s->error[r];
        if (r != pair->q && (r == pair->p || s->options->step != UMA_PERCEPTRON))
            compared(s, ahead, bound, s->size * pair->reach);
    }
    return s->options->check == UMA_NONE
           || (s->options->step == UMA_PERCEPTRON ? s->error[pair->p] : any);
}

/* The steps tau_r for a pair whose E is known. */
static void choose_steps(struct loop *s, const struct pair *pair)
{
    int64_t members = 0, worst = -1;
    for (int64_t r = 0; r < s->K; r++) {
        s->tau[r] = 0;
        members += s->error[r];
        if (s->error[r] && (worst < 0 || s->score[r] > s->score[worst]))
            worst = r;
    }
    if (s->options->step == UMA_PERCEPTRON || members == 0) {
        s->tau[pair->p] = -1;
    } else if (s->options->step == UMA_WORST) {
        s->tau[worst] = -1;
        for (int64_t r = 0; r < s->K; r++) {
            if (s->error[r])
                compared(s, s->score[r], s->score[worst], s->size * pair->reach);
        }
    } else {
        for (int64_t r = 0; r < s->K; r++)
            s->tau[r] = s->error[r] ? -1 / (double)members : 0;
    }
    s->tau[pair->q] = 1;
}

/* The first pair in the strategy's order that passes the check, with its z and tau; false: none is
 * left. */
static bool choose_pair(struct loop *s, struct pair *chosen, int64_t *rejected)
{
    *rejected = 0;
    while (s->pair_count > 0) {
        int64_t next = next_pair(s);
        *chosen = s->pairs[next];
        form_z(s, chosen->p, chosen->q);
        if (check_pair(s, chosen)) {
            choose_steps(s, chosen);
            return true;
        }
        s->pair_count--;
        for (int64_t i = next; i < s->pair_count; i++)
            s->pairs[i] = s->pairs[i + 1];
        ++*rejected;
    }
    return false;
}

static int append_update(struct uma_plain *plain, int64_t *capacity,
                         const struct uma_update *update, double criterion, struct error *err)
{
    int64_t t = plain->result.iterations;
    if (t == *capacity) {
        int64_t more = 2 * t + 16;
        struct uma_update *updates = memory_resize(plain->updates, more, sizeof *updates, err);
        if (!updates)
            return -1;
        plain->updates = updates;
        double *criteria = memory_resize(plain->criterion, more, sizeof *criteria, err);
        if (!criteria)
            return -1;
        plain->criterion = criteria;
        *capacity = more;
    }
    plain->updates[t] = *update;
    plain->criterion[t] = criterion;
    plain->result.iterations = t + 1;
    return 0;
}

/* All iterations; what is left in s: w, sum, best. */
static int run(struct loop *s, struct error *err)
{
    struct uma_result *result = &s->plain->result;
    int64_t cells = s->K * s->width, capacity = 0, rejected, best_update = 0;
    double best_error = NAN;
    for (;;) {
        struct pair pair;
        set_alpha(s);
        assign_examples(s);
        double error = estimate_error(s);
        int64_t t = result->iterations;
        result->last_error = error;
        if (t > 0) {
            s->plain->updates[t - 1].error = error;
            for (int64_t j = 0; j < cells; j++)
                s->sum[j] += s->w[j];
        }
        if (t <= 1 || error < best_error) {
            best_error = error;
            best_update = t;
            memcpy(s->best, s->w, (size_t)cells * sizeof *s->best);
        }
        result->stop = UMA_MAX_ITER;
        if (t == s->options->iterations)
            break;
        sum_examples(s);
        list_pairs(s);
        result->stop = UMA_TOL;
        if (s->pair_count == 0)
            break;
        result->stop = UMA_NO_VIOLATION;
        if (!choose_pair(s, &pair, &rejected))
            break;
        for (int64_t k = 0; k < s->K; k++) {
            for (int64_t j = 0; j < s->width; j++)
                s->w[k * s->width + j] += s->tau[k] * s->z[j];
        }
        struct uma_update update = {.iteration = t + 1,
                                    .p = pair.p,
                                    .q = pair.q,
                                    .norm = pair.norm,
                                    .rejected = rejected,
                                    .error = NAN};
        if (append_update(s->plain, &capacity, &update, pair.criterion, err) != 0)
            return -1;
    }
    bool best = s->options->iterate == UMA_BEST;
    result->chosen = best ? best_update : result->iterations;
    result->error = best ? best_error : result->last_error;
    if (s->options->iterate == UMA_AVERAGE && result->iterations > 0) {
        for (int64_t j = 0; j < cells; j++)
            s->w[j] = s->sum[j] / (double)result->iterations;
        assign_examples(s);
        result->error = estimate_error(s);
    }
    return 0;
}

/* pi = C^-1 (shares of the observed labels) */
static void estimate_proportions(const struct loop *s, double *pi)
{
    for (int64_t k = 0; k < s->K; k++) {
        int64_t count = 0;
        for (int64_t i = 0; i < s->n; i++)
            count += uma_data_observed(s->data, i) == k;
        for (int64_t q = 0; q < s->K; q++)
            pi[q] += s->data->inverse[q * s->K + k] * (double)count / (double)s->n;
    }
}

int uma_plain(const struct uma_data *data, const struct uma_options *options,
              struct uma_plain *plain, struct error *err)
{
    int64_t n = data->n, K = data->K, width = (int64_t)data->problem->d + 1, cells = K * width;
    struct loop s = {.data = data,
                     .n = n,
                     .K = K,
                     .width = width,
                     .options = options,
                     .random = random_seeded((uint64_t)options->seed, 0),
                     .plain = plain};
    int status = -1;
    *plain = (struct uma_plain){.closest = HUGE_VAL};
    struct uma_result *result = &plain->result;
    if (!(result->w = memory_new(cells, sizeof *result->w, err))
        || !(result->proportion = memory_new(K, sizeof *result->proportion, err))
        || !(s.w = memory_new(cells, sizeof *s.w, err))
        || !(s.sum = memory_new(cells, sizeof *s.sum, err))
        || !(s.best = memory_new(cells, sizeof *s.best, err))
        || !(s.predicted = memory_new(n, sizeof *s.predicted, err))
        || !(s.member = memory_new(n, sizeof *s.member, err))
        || !(s.gamma = memory_new(K * cells, sizeof *s.gamma, err))
        || !(s.count = memory_new(K * K, sizeof *s.count, err))
        || !(s.squares = memory_new(K * K, sizeof *s.squares, err))
        || !(s.lengths = memory_new(K * K, sizeof *s.lengths, err))
        || !(s.pairs = memory_new(K * K, sizeof *s.pairs, err))
        || !(s.z = memory_new(width, sizeof *s.z, err))
        || !(s.score = memory_new(K, sizeof *s.score, err))
        || !(s.error = memory_new(K, sizeof *s.error, err))
        || !(s.tau = memory_new(K, sizeof *s.tau, err)))
        goto done;
    estimate_proportions(&s, result->proportion);
    status = run(&s, err);
    for (int64_t j = 0; status == 0 && j < cells; j++)
        result->w[j] = options->iterate == UMA_BEST ? s.best[j] : s.w[j];
done:
    if (status != 0)
        uma_plain_free(plain);
    void *const blocks[] = {s.w,       s.sum,     s.best,  s.predicted, s.member, s.gamma, s.count,
                            s.squares, s.lengths, s.pairs, s.z,         s.score,  s.error, s.tau};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        memory_free(blocks[i]);
    return status;
}

struct recorder {
    struct uma_plain *plain;
    int64_t capacity;
    int status;
    struct error *err;
};

static void record_update(void *context, const struct uma_update *update)
{
    struct recorder *r = context;
    if (r->status == 0)
        r->status = append_update(r->plain, &r->capacity, update, update->norm, r->err);
}

int uma_fast(const struct uma_data *data, const struct uma_options *options,
             struct uma_plain *plain, struct error *err)
{
    *plain = (struct uma_plain){.closest = HUGE_VAL};
    struct recorder recorder = {.plain = plain, .err = err};
    struct uma_watch watch = {.update = record_update, .context = &recorder};
    struct uma_result result;
    int status = uma_train(data, options, &watch, &result, err);
    if (status == 0) {
        int64_t recorded = plain->result.iterations, K = data->K,
                cells = K * ((int64_t)data->problem->d + 1);
        plain->result = result;
        plain->result.w = memory_new(cells, sizeof *result.w, err);
        plain->result.proportion = memory_new(K, sizeof *result.proportion, err);
        if (!plain->result.w || !plain->result.proportion || recorder.status != 0) {
            status = -1;
        } else if (recorded != result.iterations) {
            status = error_set(err, "%lld updates reported, %lld made", (long long)recorded,
                               (long long)result.iterations);
        } else {
            memcpy(plain->result.w, result.w, (size_t)cells * sizeof *result.w);
            memcpy(plain->result.proportion, result.proportion,
                   (size_t)K * sizeof *result.proportion);
            for (int64_t t = 0; t < recorded && options->strategy == UMA_CONFUSION; t++)
                plain->criterion[t] /= result.proportion[plain->updates[t].q];
        }
        uma_result_free(&result);
    }
    if (status != 0)
        uma_plain_free(plain);
    return status;
}

void uma_plain_free(struct uma_plain *plain)
{
    memory_free(plain->result.w);
    memory_free(plain->result.proportion);
    memory_free(plain->updates);
    memory_free(plain->criterion);
    *plain = (struct uma_plain){.closest = HUGE_VAL};
}
