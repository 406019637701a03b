/* The SVM that takes the place of softmax regression beside plain loops and machines that are
 * solved precisely, and what it is made of: the weights of labels, the temperature of any scores,
 * and the comparison of decisions. */
#include "check.h"
#include "common/base/memory.h"
#include "learners/forward/decisions.h"
#include "learners/forward/em.h"
#include "learners/forward/label_weights.h"
#include "learners/forward/svm_estimate.h"
#include "learners/musvm/musvm.h"
#include "ridge_plain.h"

enum { N = 300, WORDS = 3000, OWN = 60, LONGEST = 80 };

/* Exponents of temperatures from -1 to 5, a hundredth apart. */
enum { EXPONENTS = 601 };

/* Of example i, over the mean of all. */
static double own_weight(const double *weight, int64_t n, int64_t i)
{
    double total = 0;
    for (int64_t j = 0; weight && j < n; j++)
        total += weight[j];
    return weight ? weight[i] * ((double)n / total) : 1;
}

static int32_t draw_label(struct random *g, int64_t K, const double *c, int64_t class)
{
    const double u = random_uniform(g);
    double cumulated = 0;
    int32_t y = 0;
    while (y < K - 1 && (cumulated += c[y * K + class]) < u)
        y++;
    return y;
}

/* ---- weights of labels ---- */

/* r: out, the posterior of the true class. */
static void plain_posterior(const struct label_noise *noise, int64_t i, const double *p, double *r)
{
    const int64_t K = noise->classes;
    double sum = 0;
    for (int64_t k = 0; k < K; k++)
        sum += r[k] = noise->c[noise->y[i] * K + k] * p[i * K + k];
    for (int64_t k = 0; k < K; k++)
        r[k] /= sum;
}

/* a = v (1 - u) / 2. */
static double margin_weight(const struct label_noise *noise, const double *p)
{
    double explained = 0, disagreement = 0, r[CLASSES];
    for (int64_t i = 0; i < noise->n; i++) {
        plain_posterior(noise, i, p, r);
        explained += 1 - r[noise->y[i]];
        disagreement += 1 - p[i * noise->classes + noise->y[i]];
    }
    return fmax(noise->unexplained, 0.1) * (1 - fmin(explained / disagreement, 1)) / 2;
}

/* r^(1-a) h^a of the label. */
static double label_score(const struct label_noise *noise, int64_t i, const double *p, double a)
{
    const int64_t K = noise->classes, y = noise->y[i];
    double r[CLASSES], rival = 0;
    plain_posterior(noise, i, p, r);
    for (int64_t k = 0; k < K; k++)
        rival = k != y ? fmax(rival, p[i * K + k]) : rival;
    return pow(r[y], 1 - a) * pow((1 + p[i * K + y] - rival) / 2, a);
}

/* What became of the labels of the classes. */
struct plain_lifts {
    int lifted, capped;
};

static struct plain_lifts plain_weights(const struct label_noise *noise, const double *p, double *v)
{
    const double a = margin_weight(noise, p);
    double sum[CLASSES] = {0};
    struct plain_lifts lifts = {0, 0};
    for (int64_t i = 0; i < noise->n; i++) {
        v[i] = own_weight(noise->weight, noise->n, i) * label_score(noise, i, p, a);
        sum[noise->y[i]] += v[i];
    }
    for (int64_t i = 0; i < noise->n; i++) {
        const double tenth = noise->share[noise->y[i]] * (double)noise->n / 10,
                     most = own_weight(noise->weight, noise->n, i);
        if (sum[noise->y[i]] >= tenth || sum[noise->y[i]] <= 0)
            continue;
        v[i] *= tenth / sum[noise->y[i]];
        lifts.lifted += v[i] < most;
        lifts.capped += v[i] > most;
        v[i] = fmin(v[i], most);
    }
    return lifts;
}

/* Class 0 has many labels, class 1 doubtful ones, class 2 few, and class 3 none that is right. */
static void test_label_weights(bool weighted, double unexplained)
{
    enum { K = 4 };
    static const double c[K * K] = {.7, .1, .1, .3, .1, .7, .2, .3, .1, .1, .6, .4, .1, .1, .1, 0};
    static const double share[K] = {.3, .3, .3, .1};
    double p[N * K], v[N], want[N], weight[N];
    int32_t y[N];
    struct error err = {0};
    struct random g = random_seeded(4, 1);
    struct label_noise noise = {N, K, y, weighted ? weight : NULL, c, share, unexplained};
    check_group("weights of labels, %sunexplained %g", weighted ? "own weights, " : "",
                unexplained);
    for (int i = 0; i < N; i++) {
        double score[K];
        y[i] = i < 200 ? 0 : i < 260 ? 1 : i < 270 ? 2 : 3;
        weight[i] = i % 7 == 0 ? 0 : 2 * random_uniform(&g);
        for (int k = 0; k < K; k++)
            score[k] = 2 * random_normal(&g) - (k == y[i] && k == 1 ? 5 : 0);
        softmax(K, score, 1, p + i * K);
    }
    const struct plain_lifts lifts = plain_weights(&noise, p, want);
    CHECK(lifts.lifted > 40 && lifts.capped > 0 && lifts.capped < 10, "%d lifted, %d capped",
          lifts.lifted, lifts.capped);
    CHECK(label_weights(&noise, p, v, &err) == 0, "%s", err.message);
    check_numbers(v, want, N, 1e-12, "weight of label");
    for (int i = 270; i < N; i++)
        CHECK_NEAR(v[i], 0, 0, "a label that cannot be right, %d", i);
    const double unit = label_weights_unit(noise.weight, N);
    for (int i = 0; i < N; i++)
        CHECK_NEAR(unit * (weighted ? weight[i] : 1), own_weight(noise.weight, N, i), 1e-12,
                   "weight of example %d", i);
}

/* ---- when an SVM is tried ---- */

/* n examples of `size` entries each, with features up to d. */
static struct problem *some_rows(int64_t n, int64_t size, int64_t d)
{
    static struct problem problem;
    int32_t index[LONGEST];
    double value[LONGEST];
    problem = (struct problem){0};
    for (int64_t i = 0; i < n; i++) {
        for (int64_t e = 0; e < size; e++) {
            index[e] = (int32_t)(d - (size - 1 - e) * (d / size) - (e < size - 1 ? i % 2 : 0));
            value[e] = 1;
        }
        const struct example x = {.index = index, .value = value, .size = size};
        CHECK(problem_append_example(&problem, &x, NULL) == 0, "memory");
    }
    CHECK_INT(problem.d, d, "features");
    return &problem;
}

/* early: is softmax regression stopped early? */
static void check_wants(const struct problem *problem, bool wanted, bool early, const char *what)
{
    const struct estimate_options automatic = {.fit = {.lambda = -1, .steps = -1},
                                               .map = ESTIMATE_AUTO};
    struct feature_map map = {0};
    struct estimate_options options = automatic;
    CHECK(estimate_wants_svm(&options, problem) == wanted, "%s", what);
    options.map = ESTIMATE_LINEAR;
    CHECK(!estimate_wants_svm(&options, problem), "%s, no map", what);
    options.map = ESTIMATE_RBF;
    CHECK(!estimate_wants_svm(&options, problem), "%s, a map", what);
    options.takes_svm = true;
    CHECK(estimate_wants_svm(&options, problem), "%s, to be taken", what);
    options = automatic;
    options.ridge_map = &map;
    CHECK(!estimate_wants_svm(&options, problem), "%s, a map that is given", what);
    options = automatic;
    options.map_dims = 1;
    CHECK(estimate_wants_svm(&options, problem) == early, "%s, no map of one feature", what);
    options = automatic;
    options.matrix_only = true;
    CHECK(!estimate_wants_svm(&options, problem), "%s, no classifier", what);
    options = automatic;
    options.fit.lambda = 0.01;
    CHECK(!estimate_wants_svm(&options, problem), "%s, a given lambda", what);
    options = automatic;
    options.fit.steps = 5;
    CHECK(!estimate_wants_svm(&options, problem), "%s, given steps", what);
    options.fit.steps = 0;
    CHECK(!estimate_wants_svm(&options, problem), "%s, to the minimum", what);
}

static void test_wants(void)
{
    static const struct {
        int64_t n, size, d;
        bool wanted, early;
        const char *what;
    } cases[] = {{300, 20, 3000, true, true, "sparse, many features"},
                 {3000, 5, 100, false, false, "sparse, few features"},
                 {30, 60, 60, false, true, "dense, too few examples for the metric"},
                 {300, 60, 60, false, false, "dense"}};
    check_group("when an SVM is tried");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct problem *problem = some_rows(cases[i].n, cases[i].size, cases[i].d);
        check_wants(problem, cases[i].wanted, cases[i].early, cases[i].what);
        problem_free(problem);
    }
}

/* ---- texts ---- */

/* What softmax regression knows of the true classes. */
enum belief { VAGUE, FAIR, SURE };

/* Texts of K classes, and what is known of their labels. */
struct texts {
    struct problem problem;
    int64_t K;
    int32_t y[N];
    double p[N * CLASSES], c[CLASSES * CLASSES], share[CLASSES], weight[N];
    const double *own; /* weight, or NULL */
};

/* How texts are made. */
struct plan {
    const char *name;
    int64_t K;
    enum belief belief;
    bool lengths, bias, weights; /* lengths other than 1, a bias, own weights */
};

/* Words that any text may have, of which the first belong to the classes. */
static void append_text(struct texts *t, struct random *g, int64_t class, double length, bool bias)
{
    int32_t index[LONGEST];
    double value[LONGEST];
    int size = 0;
    for (int32_t j = 1; j <= WORDS && size < LONGEST - 1; j++)
        if (random_uniform(g) < ((j - 1) / OWN == class ? 0.07 : 0.004))
            index[size++] = j;
    for (int e = 0; e < size; e++)
        value[e] = length / sqrt(size);
    if (bias) {
        index[size] = 0;
        value[size++] = 0.7;
    }
    const struct example x = {.index = index, .value = value, .size = size};
    CHECK(problem_append_example(&t->problem, &x, NULL) == 0, "memory");
}

static struct texts *texts_make(const struct plan *plan)
{
    static struct texts t;
    static const double sure[] = {0, 2, 20}, noise[] = {0.1, 1, 1};
    struct random g = random_seeded(12, (uint64_t)plan->K);
    const int64_t K = plan->K;
    memset(&t, 0, sizeof t);
    t.K = K;
    t.own = plan->weights ? t.weight : NULL;
    random_matrix(&g, K, t.c);
    for (int i = 0; i < N; i++) {
        const int64_t class = random_below(&g, K);
        double score[CLASSES];
        append_text(&t, &g, class, plan->lengths ? 0.5 + 2 * random_uniform(&g) : 1, plan->bias);
        t.y[i] = draw_label(&g, K, t.c, class);
        t.weight[i] = (t.y[i] == class ? 0.6 : 1.4) * (0.2 + random_uniform(&g));
        t.share[class] += 1. / N;
        for (int64_t k = 0; k < K; k++)
            score[k] = (k == class ? sure[plan->belief] : 0)
                       + noise[plan->belief] * random_normal(&g);
        softmax(K, score, 1, t.p + i * K);
    }
    return &t;
}

static const double UNEXPLAINED = 0.4;

static struct label_noise noise_of(const struct texts *t)
{
    return (struct label_noise){N, t->K, t->y, t->own, t->c, t->share, UNEXPLAINED};
}

static struct estimate_options options_of(const struct texts *t, bool takes, int threads)
{
    return (struct estimate_options){
        .fit = {.weight = t->own, .lambda = -1, .steps = -1, .seed = 3, .threads = threads},
        .map = ESTIMATE_AUTO,
        .takes_svm = takes};
}

/* e: out: an estimate as softmax regression leaves it. */
static void start_estimate(const struct texts *t, struct estimate *e)
{
    struct error err = {0};
    CHECK(estimate_allocate(N, t->K, t->c, e, &err) == 0
              && (e->p = memory_new(N * t->K, sizeof *e->p, &err)) != NULL,
          "%s", err.message);
    memcpy(e->p, t->p, (size_t)(N * t->K) * sizeof *e->p);
    memcpy(e->share, t->share, (size_t)t->K * sizeof *e->share);
    e->unexplained = UNEXPLAINED;
    e->lambda = 0.125;
    e->steps = 7;
    e->temperature = 3;
    e->likelihood = -1;
}

static void estimate_texts(const struct texts *t, bool takes, int threads, struct estimate *e)
{
    const struct estimate_options options = options_of(t, takes, threads);
    struct error err = {0};
    start_estimate(t, e);
    CHECK(estimate_try_svm(&t->problem, t->y, &options, e, &err) == 0, "%s", err.message);
}

/* ---- machines that are solved precisely ---- */

static double plain_cost(const struct texts *t)
{
    double squares = 0;
    for (int64_t i = 0; i < N; i++) {
        const struct example x = problem_example(&t->problem, i);
        for (int64_t e = 0; e < x.size; e++)
            squares += x.value[e] * x.value[e];
    }
    return N / squares;
}

/* point: out.  Returns the objective of the primal. */
static double solve_precisely(const struct musvm_task *task, double cost, const double *v,
                              struct musvm_point *point)
{
    const struct musvm_options options = {
        .C = cost, .factor = v, .eps = 1e-4, .shrinking = true, .seed = 1};
    struct musvm_result result = {0};
    struct error err = {0};
    CHECK(musvm_point_make(task, point, &err) == 0
              && musvm_solve(task, &options, point, &result, &err) == 0 && result.converged,
          "%s", err.message);
    return result.primal;
}

/* score: out, one number for each column of w. */
static void plain_scores(const struct weights *w, const struct problem *problem, int64_t i,
                         double *score)
{
    const struct example x = problem_example(problem, i);
    for (int64_t k = 0; k < w->columns; k++) {
        score[k] = 0;
        for (int64_t e = 0; e < x.size; e++)
            if (x.index[e] < w->rows) /* words that no example of the other folds has */
                score[k] += w->w[x.index[e] * w->stride + k] * x.value[e];
    }
}

/* Scores by machines that have seen the other folds only.  v: of the labels; score: out, n x K. */
static void plain_held_out(const struct texts *t, double cost, const double *v, double *score)
{
    int64_t fold[N];
    CHECK(folds_assign(t->y, N, t->K, CROSSFIT_FOLDS, options_of(t, true, 1).fit.seed, fold, NULL)
              == 0,
          "folds");
    for (int64_t f = 0; f < CROSSFIT_FOLDS; f++) {
        struct problem others = {0};
        struct musvm_point point = {0};
        int32_t y[N];
        double factor[N];
        for (int64_t i = 0; i < N; i++) {
            if (fold[i] == f)
                continue;
            y[others.n] = t->y[i];
            factor[others.n] = v[i];
            CHECK(problem_append_from(&others, &t->problem, i, false, NULL) == 0, "memory");
        }
        const struct musvm_task task = {.n = others.n, .classes = t->K, .y = y, .samples = &others};
        solve_precisely(&task, cost, factor, &point);
        for (int64_t i = 0; i < N; i++)
            if (fold[i] == f)
                plain_scores(&point.w, &t->problem, i, score + i * t->K);
        musvm_point_free(&point);
        problem_free(&others);
    }
}

/* The mean log-likelihood of labels by scores at a temperature. */
static double plain_likelihood(const struct label_noise *noise, const double *score,
                               double temperature)
{
    const int64_t K = noise->classes;
    double sum = 0, total = 0, p[CLASSES];
    for (int64_t i = 0; i < noise->n; i++) {
        const double weight = noise->weight ? noise->weight[i] : 1;
        double observed = 0;
        softmax(K, score + i * K, temperature, p);
        for (int64_t k = 0; k < K; k++)
            observed += noise->c[noise->y[i] * K + k] * p[k];
        sum += weight * log(observed);
        total += weight;
    }
    return sum / total;
}

/* The exponent of the likeliest temperature. */
static double plain_exponent(const struct label_noise *noise, const double *score)
{
    double best = -INFINITY, at = NAN;
    for (int step = 0; step < EXPONENTS; step++) {
        const double exponent = step / 100. - 1,
                     likelihood = plain_likelihood(noise, score, exp2(exponent));
        if (likelihood > best) {
            best = likelihood;
            at = exponent;
        }
    }
    return at;
}

/* ---- the weights of an SVM ---- */

/* What the objective of the primal is made of, where w is multiplied by a factor. */
struct primal {
    double cost, squares; /* sum_k |w_k|^2 */
    const double *v;      /* n */
    const int32_t *y;     /* n */
    int64_t K;
    double score[N * CLASSES]; /* n x K */
};

/* From the table that a model holds: of two classes, the difference d of the two, which are d/2 and
 * -d/2 at the minimum. */
static void primal_of(const struct texts *t, const struct weights *w, struct primal *primal)
{
    const bool two = t->K == 2;
    primal->K = t->K;
    primal->y = t->y;
    primal->squares = 0;
    for (int64_t j = 0; j < w->rows; j++)
        for (int64_t k = 0; k < w->columns; k++)
            primal->squares += w->w[j * w->stride + k] * w->w[j * w->stride + k] / (two ? 2 : 1);
    for (int64_t i = 0; i < N; i++) {
        double *score = primal->score + i * t->K;
        plain_scores(w, &t->problem, i, two ? score + 1 : score);
        if (two) {
            score[1] /= 2;
            score[0] = -score[1];
        }
    }
}

static double primal_at(const struct primal *primal, double factor)
{
    double loss = 0;
    for (int64_t i = 0; i < N; i++) {
        const double *score = primal->score + i * primal->K;
        double most = 0;
        for (int64_t k = 0; k < primal->K; k++)
            if (k != primal->y[i])
                most = fmax(most, 1 + factor * (score[k] - score[primal->y[i]]));
        loss += primal->v[i] * most;
    }
    return factor * factor * primal->squares / 2 + primal->cost * loss;
}

/* The factor at which the objective, which is convex, is least. */
static double best_factor(const struct primal *primal)
{
    double low = 1e-4, high = 1e4;
    while (high > low * (1 + 1e-9)) {
        const double left = cbrt(low * low * high), right = cbrt(low * high * high);
        if (primal_at(primal, left) < primal_at(primal, right))
            high = right;
        else
            low = left;
    }
    return low;
}

/* svm.w is about the minimum for weights of the labels by e->p, times the temperature of p.
 * exponent: of that temperature. */
static void check_machine(const struct texts *t, const struct estimate *e, double exponent)
{
    static struct primal primal;
    const struct label_noise noise = noise_of(t);
    const struct weights *w = estimate_weights(e);
    const struct musvm_task task = {.n = N, .classes = t->K, .y = t->y, .samples = &t->problem};
    struct musvm_point point = {0};
    double v[N];
    CHECK(w == &e->svm.w, "a classifier of weights");
    if (!w)
        return;
    CHECK_INT(w->columns, t->K == 2 ? 1 : t->K, "columns");
    CHECK_INT(w->rows, t->problem.d + 1, "features and the bias");
    plain_weights(&noise, e->p, v);
    primal.cost = plain_cost(t);
    primal.v = v;
    primal_of(t, w, &primal);
    const double factor = best_factor(&primal), got = primal_at(&primal, factor),
                 want = solve_precisely(&task, primal.cost, v, &point);
    CHECK(got >= want * (1 - 1e-3) && got <= want * 1.02, "the objective is %g, not %g", got, want);
    CHECK(fabs(log2(factor) + exponent) < 0.08, "the temperature, %g and %g", -log2(factor),
          exponent);
    int agree = 0;
    for (int64_t i = 0; i < N; i++) {
        double score[CLASSES];
        plain_scores(&point.w, &t->problem, i, score);
        agree += largest(t->K, score) == largest(t->K, primal.score + i * t->K);
    }
    CHECK(agree >= 0.97 * N, "decisions like those at the minimum: %d", agree);
    musvm_point_free(&point);
}

/* ---- probabilities ---- */

/* The decisions by p are those by scores, but for few, and log p goes up with the scores, times the
 * temperature. */
static void check_probabilities(const struct texts *t, const double *p, const double *score,
                                double exponent)
{
    const int64_t K = t->K;
    double product = 0, square = 0, all = 0;
    int agree = 0;
    for (int64_t i = 0; i < N; i++) {
        double sum = 0;
        for (int64_t k = 0; k < K; k++) {
            const double s = score[i * K + k] - score[i * K], l = log(p[i * K + k]) - log(p[i * K]);
            CHECK(isfinite(l), "the probability of class %d for example %d", (int)k, (int)i);
            sum += p[i * K + k];
            product += s * l;
            square += s * s;
            all += l * l;
        }
        CHECK_NEAR(sum, 1, 1e-12, "the sum of example %d", (int)i);
        agree += largest(K, p + i * K) == largest(K, score + i * K);
    }
    CHECK(agree >= 0.97 * N, "decisions that agree: %d", agree);
    CHECK(product * product > 0.995 * square * all, "a correlation of %g",
          product / sqrt(square * all));
    CHECK(fabs(log2(product / square) - exponent) < 0.08, "the temperature, %g and %g",
          log2(product / square), exponent);
}

/* Of the decisions by the largest of n x K numbers. */
static double likelihood_of(const struct texts *t, const double *p)
{
    double count[CLASSES * CLASSES] = {0};
    for (int64_t i = 0; i < N; i++)
        count[t->y[i] * t->K + largest(t->K, p + i * t->K)] += t->own ? t->own[i] : 1;
    return decisions_likelihood(count, t->K, t->c);
}

/* Nothing but e->svm is another than at the start. */
static void check_left(const struct texts *t, const struct estimate *e)
{
    struct estimate start;
    const int64_t K = t->K;
    start_estimate(t, &start);
    CHECK(e->n == N && e->classes == K && e->lambda == start.lambda && e->steps == start.steps
              && e->temperature == start.temperature && e->classifier == ESTIMATE_SOFTMAX
              && e->gamma == 0 && e->likelihood == start.likelihood
              && e->unexplained == start.unexplained && e->disagreement == 0 && e->misfit == 0,
          "the numbers stay");
    CHECK(!e->map && !e->at_length && !e->led && !e->thin && e->plain.n == 0 && e->mapped.n == 0
              && e->ridge.strict.ridge == 0 && !e->ridge.p,
          "there is nothing new");
    CHECK(memcmp(e->c, start.c, (size_t)(K * K) * sizeof *e->c) == 0
              && memcmp(e->joint, start.joint, (size_t)(K * K) * sizeof *e->joint) == 0
              && memcmp(e->p, start.p, (size_t)(N * K) * sizeof *e->p) == 0
              && memcmp(e->share, start.share, (size_t)K * sizeof *e->share) == 0
              && memcmp(e->deviation, start.deviation, (size_t)K * sizeof *e->deviation) == 0
              && memcmp(e->doubtful, start.doubtful, (size_t)K * sizeof *e->doubtful) == 0,
          "the arrays stay");
    CHECK(!e->svm.w.w && e->svm.w.rows == 0 && !estimate_weights(e), "no classifier of weights");
    estimate_free(&start);
}

/* The SVM when it is to be taken, and whether it is when it is not. */
static void test_texts(const struct plan *plan)
{
    static double score[N * CLASSES];
    struct texts *t = texts_make(plan);
    const struct label_noise noise = noise_of(t);
    struct estimate taken, tried;
    double v[N];
    const double cost = plain_cost(t);
    check_group("%s", plan->name);
    plain_weights(&noise, t->p, v);
    plain_held_out(t, cost, v, score);
    const double exponent = plain_exponent(&noise, score);
    CHECK(exponent > -0.9 && exponent < 4.9, "a temperature within bounds, %g", exponent);
    estimate_texts(t, true, 2, &taken);
    CHECK_INT(taken.classifier, ESTIMATE_SVM, "it is taken");
    CHECK_NEAR(taken.svm.cost, cost, 1e-12, "the cost");
    CHECK_NEAR(taken.temperature, 1, 0, "the temperature is in the weights");
    CHECK_NEAR(taken.lambda, 1 / (cost * N), 1e-12, "lambda");
    CHECK_INT(taken.steps, 0, "steps");
    check_probabilities(t, taken.p, score, exponent);
    check_machine(t, &taken, exponent);
    CHECK_NEAR(taken.svm.likelihood, likelihood_of(t, taken.p), 1e-12, "its likelihood");
    CHECK_NEAR(taken.svm.softmax_likelihood, likelihood_of(t, t->p), 1e-12, "the other's");

    const bool better = taken.svm.likelihood > taken.svm.softmax_likelihood;
    CHECK(better == (plan->belief == VAGUE), "which one is better");
    estimate_texts(t, false, 1, &tried);
    CHECK_INT(tried.classifier, better ? ESTIMATE_SVM : ESTIMATE_SOFTMAX, "is it taken?");
    CHECK(tried.svm.cost == taken.svm.cost && tried.svm.likelihood == taken.svm.likelihood
              && tried.svm.softmax_likelihood == taken.svm.softmax_likelihood,
          "the same is tried");
    if (better)
        CHECK(memcmp(tried.p, taken.p, (size_t)(N * t->K) * sizeof *tried.p) == 0,
              "the same is taken");
    else
        check_left(t, &tried);
    estimate_free(&taken);
    estimate_free(&tried);
    problem_free(&t->problem);
}

/* ---- what makes no difference ---- */

static void check_same(const struct estimate *got, const struct estimate *want, double tolerance,
                       const char *what)
{
    const struct weights *w = &got->svm.w, *other = &want->svm.w;
    CHECK_NEAR(got->svm.cost, want->svm.cost, tolerance, "%s: cost", what);
    CHECK_NEAR(got->svm.likelihood, want->svm.likelihood, tolerance, "%s: likelihood", what);
    CHECK_NEAR(got->svm.softmax_likelihood, want->svm.softmax_likelihood, tolerance,
               "%s: the other likelihood", what);
    CHECK_NEAR(got->lambda, want->lambda, tolerance, "%s: lambda", what);
    check_numbers(got->p, want->p, N * got->classes, tolerance, what);
    CHECK(w->w && w->rows == other->rows && w->columns == other->columns, "%s: the table", what);
    for (int64_t j = 0; w->rows == other->rows && j < w->rows; j++)
        for (int64_t k = 0; k < w->columns; k++)
            CHECK_NEAR(w->w[j * w->stride + k], other->w[j * other->stride + k], tolerance,
                       "%s: weight %d of class %d", what, (int)j, (int)k);
}

static void test_same(void)
{
    const struct plan plan = {.K = 4, .belief = FAIR, .lengths = true};
    struct texts *t = texts_make(&plan);
    struct estimate one, other;
    check_group("threads, and weights that are all equal");
    estimate_texts(t, true, 1, &one);
    estimate_texts(t, true, 3, &other);
    check_same(&other, &one, 0, "three threads");
    estimate_free(&other);
    for (int i = 0; i < N; i++)
        t->weight[i] = 0.3;
    t->own = t->weight;
    estimate_texts(t, true, 1, &other);
    check_same(&other, &one, 1e-9, "weights");
    estimate_free(&other);
    estimate_free(&one);
    problem_free(&t->problem);
}

/* No SVM is tried where the mean square of the lengths is not finite or hardly above 0; memory that
 * is asked for beforehand is at least that of a table of weights. */
static void test_limits(void)
{
    static const double factors[] = {1e200, 1e-205, 0}; /* each times the one before */
    const struct plan plan = {.K = 4, .belief = FAIR};
    struct texts *t = texts_make(&plan);
    const struct estimate_options options = options_of(t, true, 1);
    struct error err = {0};
    check_group("lengths beyond those of an SVM, and memory");
    const double bytes = estimate_svm_bytes(&t->problem, t->K);
    CHECK(bytes >= weights_bytes(t->K, t->problem.d) + 8. * N * (double)t->K && bytes < 1e8,
          "%g bytes", bytes);
    CHECK(estimate_svm_bytes(&t->problem, 2 * t->K) > bytes, "more for more classes");
    for (size_t f = 0; f < sizeof factors / sizeof *factors; f++) {
        struct estimate e;
        start_estimate(t, &e);
        for (int64_t entry = 0; entry < t->problem.nnz; entry++)
            t->problem.value[entry] *= factors[f];
        CHECK_INT(estimate_try_svm(&t->problem, t->y, &options, &e, &err), 0, "%s", err.message);
        CHECK_INT(e.classifier, ESTIMATE_SOFTMAX, "lengths times %g", factors[f]);
        CHECK_NEAR(e.svm.cost, 0, 0, "lengths times %g", factors[f]);
        estimate_free(&e);
    }
    problem_free(&t->problem);
}

/* ---- the temperature of any scores, and decisions ---- */

/* scale: of the scores. */
static void test_calibrate(int64_t K, bool weighted, double scale)
{
    static double score[N * CLASSES], level[N * CLASSES];
    double c[CLASSES * CLASSES], weight[N], p[CLASSES], temperature = NAN;
    int32_t y[N];
    struct random g = random_seeded(15, (uint64_t)K);
    struct em em;
    struct error err = {0};
    const struct label_noise noise = {N, K, y, weighted ? weight : NULL, c, NULL, 0};
    check_group("the temperature of scores, %d classes%s, scores of about %g", (int)K,
                weighted ? ", weights" : "", scale);
    random_matrix(&g, K, c);
    for (int i = 0; i < N; i++) {
        const int64_t class = random_below(&g, K);
        y[i] = draw_label(&g, K, c, class);
        weight[i] = 0.1 + 3 * random_uniform(&g);
        for (int64_t k = 0; k < K; k++)
            score[i * K + k] = scale * (7 + (k == class) + 0.5 * random_normal(&g));
    }
    memcpy(level, score, sizeof score);
    CHECK(em_start(&em, N, K, y, NULL, 1, &err) == 0, "%s", err.message);
    em_weigh(&em, noise.weight);
    double *got = em_calibrate(&em, level, c, &temperature);
    CHECK(got && !em.p, "the probabilities are the caller's");
    const double exponent = plain_exponent(&noise, score);
    CHECK(fabs(log2(temperature) - exponent) < 0.08, "exponents %g and %g", log2(temperature),
          exponent);
    CHECK(plain_likelihood(&noise, score, temperature)
              > plain_likelihood(&noise, score, exp2(exponent)) - 1e-4,
          "the likelihood");
    for (int i = 0; got && i < N; i++) {
        softmax(K, score + i * K, temperature, p);
        check_numbers(got + i * K, p, K, 1e-9, "probability");
        CHECK_NEAR(level[i * K + largest(K, score + i * K)], 0, 0, "the largest of %d", i);
    }
    CHECK(em_take(&em, &err) == 0 && em.p && em.p != got, "em has others again");
    memory_free(got);
    em_free(&em);
}

/* Some scores are equal, of which the first decides. */
static void test_compare(int64_t K, bool weighted)
{
    static double score[2][N * CLASSES];
    double c[CLASSES * CLASSES], count[2][CLASSES * CLASSES] = {{0}}, weight[N];
    double workspace[3 * CLASSES * CLASSES];
    int32_t y[N], decision[2][N];
    struct random g = random_seeded(16, (uint64_t)K);
    struct decisions_result got = {0};
    struct error err = {0};
    check_group("decisions by scores, %d classes%s", (int)K, weighted ? ", weights" : "");
    random_matrix(&g, K, c);
    for (int i = 0; i < N; i++) {
        y[i] = (int32_t)random_below(&g, K);
        weight[i] = 0.1 + 3 * random_uniform(&g);
        for (int which = 0; which < 2; which++) {
            double *s = score[which] + i * K;
            for (int64_t k = 0; k < K; k++)
                s[k] = floor(3 * random_uniform(&g)) - 2 + (which + 1) * (k == y[i]);
            decision[which][i] = (int32_t)largest(K, s);
            count[which][y[i] * K + decision[which][i]] += weighted ? weight[i] : 1;
        }
    }
    const double *own = weighted ? weight : NULL;
    const struct decisions_scores scores = {N, K, y, score[0], score[1], own};
    const struct decisions both = {N, K, y, decision[0], decision[1], own};
    CHECK(decisions_compare(&scores, c, &got, &err) == 0, "%s", err.message);
    CHECK_NEAR(got.first, decisions_likelihood(count[0], K, c), 1e-12, "the first one's");
    CHECK_NEAR(got.second, decisions_likelihood(count[1], K, c), 1e-12, "the second one's");
    CHECK_NEAR(got.lead, decisions_lead(&both, c, workspace), 1e-12, "the lead");
    CHECK(got.lead > 0.5 && got.second > got.first, "the second one is better, %g", got.lead);
}

int main(void)
{
    static const struct plan plans[] = {
        {"4 classes, a vague softmax regression", 4, VAGUE, false, false, false},
        {"4 classes, a sure one", 4, SURE, false, false, false},
        {"4 classes, lengths and weights, vague", 4, VAGUE, true, false, true},
        {"2 classes, vague", 2, VAGUE, false, false, false},
        {"2 classes, lengths and a bias, sure", 2, SURE, true, true, false},
        {"5 classes, a bias and weights, sure", 5, SURE, false, true, true}};
    for (int weighted = 0; weighted < 2; weighted++) {
        test_label_weights(weighted, 0.4);
        test_label_weights(weighted, 0); /* counts as 0.1 */
        test_compare(2, weighted);
        test_compare(CLASSES, weighted);
        test_calibrate(2, weighted, 1);
        test_calibrate(CLASSES, weighted, 0.2);
        test_calibrate(CLASSES, weighted, 6);
    }
    test_wants();
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++)
        test_texts(plans + i);
    test_same();
    test_limits();
    return check_finish();
}
