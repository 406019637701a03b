/* The SVM that takes the place of softmax regression beside plain loops and machines that are
 * solved precisely, and what it is made of: the weights of labels, the temperature of any scores,
 * and the comparison of decisions.  Above all it must not look better than it is. */
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
    const struct estimate_options automatic = {
        .fit = {.lambda = -1, .steps = -1}, .map = ESTIMATE_AUTO, .predicts = true};
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
    CHECK(estimate_wants_svm(&options, problem) == wanted, "%s, no p", what);
    options.predicts = false;
    CHECK(!estimate_wants_svm(&options, problem), "%s, nothing to predict", what);
    options.takes_svm = true;
    CHECK(estimate_wants_svm(&options, problem), "%s, to be taken, with nothing to predict", what);
    options = automatic;
    options.fit.lambda = 0.01;
    CHECK(!estimate_wants_svm(&options, problem), "%s, a given lambda", what);
    options = automatic;
    options.fit.steps = 5;
    CHECK(!estimate_wants_svm(&options, problem), "%s, given steps", what);
    options.fit.steps = 0;
    CHECK(!estimate_wants_svm(&options, problem), "%s, to the minimum", what);
    options.takes_svm = true;
    CHECK(estimate_wants_svm(&options, problem), "%s, to be taken, to the minimum", what);
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
    struct labels labels;
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

/* Without texts as yet. */
static struct texts *texts_start(int64_t K, struct random *g)
{
    static struct texts t;
    struct error err = {0};
    char names[16];
    memset(&t, 0, sizeof t);
    t.K = K;
    snprintf(names, sizeof names, "1-%d", (int)K);
    CHECK(labels_parse(names, &t.labels, &err) == 0, "%s", err.message);
    random_matrix(g, K, t.c);
    return &t;
}

static struct texts *texts_make(const struct plan *plan)
{
    static const double sure[] = {0, 2, 20}, noise[] = {0.1, 1, 1};
    struct random g = random_seeded(12, (uint64_t)plan->K);
    const int64_t K = plan->K;
    struct texts *t = texts_start(K, &g);
    t->own = plan->weights ? t->weight : NULL;
    for (int i = 0; i < N; i++) {
        const int64_t class = random_below(&g, K);
        double score[CLASSES];
        append_text(t, &g, class, plan->lengths ? 0.5 + 2 * random_uniform(&g) : 1, plan->bias);
        t->y[i] = draw_label(&g, K, t->c, class);
        t->weight[i] = (t->y[i] == class ? 0.6 : 1.4) * (0.2 + random_uniform(&g));
        t->share[class] += 1. / N;
        for (int64_t k = 0; k < K; k++)
            score[k] = (k == class ? sure[plan->belief] : 0)
                       + noise[plan->belief] * random_normal(&g);
        softmax(K, score, 1, t->p + i * K);
    }
    return t;
}

static void texts_free(struct texts *t)
{
    problem_free(&t->problem);
    labels_free(&t->labels);
}

/* What estimates say. */
static const double UNEXPLAINED = 0.4, LAMBDA = 1e-4, TEMPERATURE = 1;
enum { STEPS = 5 };

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
    e->lambda = LAMBDA;
    e->steps = STEPS;
    e->temperature = TEMPERATURE;
    e->likelihood = -1;
}

static void estimate_texts(const struct texts *t, bool takes, int threads, struct estimate *e)
{
    const struct estimate_options options = options_of(t, takes, threads);
    struct error err = {0};
    start_estimate(t, e);
    CHECK(estimate_try_svm(&t->problem, t->y, &t->labels, &options, e, &err) == 0, "%s",
          err.message);
}

/* ---- parts of the texts, by plain code ---- */

/* All texts, or those outside a fold, and folds of them. */
struct part {
    const struct texts *t;
    int64_t n, example[N], fold[N];
    int32_t y[N];
    double own[N];
};

static void assign_folds(const struct texts *t, const int32_t *y, int64_t n, int64_t *fold)
{
    const int64_t seed = options_of(t, true, 1).fit.seed;
    CHECK(folds_assign(y, n, t->K, CROSSFIT_FOLDS, seed, fold, NULL) == 0, "folds");
}

/* left_out: a fold of all texts, the others of which are divided anew; or -1. */
static void part_make(const struct texts *t, int64_t left_out, struct part *part)
{
    int64_t fold[N];
    assign_folds(t, t->y, N, fold);
    part->t = t;
    part->n = 0;
    for (int64_t i = 0; i < N; i++) {
        if (fold[i] == left_out)
            continue;
        part->example[part->n] = i;
        part->y[part->n] = t->y[i];
        part->own[part->n++] = t->weight[i];
    }
    assign_folds(t, part->y, part->n, part->fold);
}

static struct label_noise part_noise(const struct part *part)
{
    const struct texts *t = part->t;
    return (struct label_noise){part->n, t->K,     part->y,    t->own ? part->own : NULL,
                                t->c,    t->share, UNEXPLAINED};
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

/* p of a fold by softmax regression of the others, as the estimate says. */
static void regress_fold(const struct part *part, int64_t fold, const struct forward_metric *metric,
                         double *p)
{
    const struct texts *t = part->t;
    struct forward_options options = forward_usual(LAMBDA, t->c);
    struct forward_minimum minimum = {.weight = t->own,
                                      .epsilon = FORWARD_EPSILON,
                                      .evaluations = 200,
                                      .metric = metric,
                                      .threads = 1};
    struct weights w = {0};
    struct error err = {0};
    int64_t subset[N], count = 0;
    options.steps = STEPS;
    for (int64_t at = 0; at < part->n; at++)
        if (part->fold[at] != fold)
            subset[count++] = part->example[at];
    struct forward *learner = forward_new(&options, &t->labels, &err);
    CHECK(learner
              && forward_minimise(learner, &t->problem, t->y, subset, count, &minimum, &err) == 0
              && forward_weights(learner, &w, &err) == 0,
          "%s", err.message);
    for (int64_t at = 0; at < part->n; at++) {
        double score[CLASSES + 1] = {0}; /* before a column for two classes, that of the first */
        if (part->fold[at] != fold)
            continue;
        plain_scores(&w, &t->problem, part->example[at], score + (t->K == 2));
        softmax(t->K, score, TEMPERATURE, p + at * t->K);
    }
    weights_free(&w);
    forward_free(learner);
}

/* p: out, held out by the folds of the part. */
static void part_regress(const struct part *part, double *p)
{
    struct forward_metric metric;
    struct error err = {0};
    CHECK(forward_metric_make(&part->t->problem, part->t->own, &metric, 1, &err) == 0, "%s",
          err.message);
    for (int64_t fold = 0; fold < CROSSFIT_FOLDS; fold++)
        regress_fold(part, fold, &metric, p);
    forward_metric_free(&metric);
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

/* The machine of the texts of the part outside a fold (-1: all), which it has alone.  v: of the
 * labels of the part; w: out.  Returns the objective of the primal. */
static double solve_precisely(const struct part *part, int64_t left_out, const double *v,
                              struct weights *w)
{
    struct problem problem = {0};
    int32_t y[N];
    double factor[N];
    for (int64_t at = 0; at < part->n; at++) {
        if (part->fold[at] == left_out)
            continue;
        y[problem.n] = part->y[at];
        factor[problem.n] = v[at];
        CHECK(problem_append_from(&problem, &part->t->problem, part->example[at], false, NULL) == 0,
              "memory");
    }
    const struct musvm_task task = {
        .n = problem.n, .classes = part->t->K, .y = y, .samples = &problem};
    const struct musvm_options options = {
        .C = plain_cost(part->t), .factor = factor, .eps = 1e-4, .shrinking = true, .seed = 1};
    struct musvm_point point = {0};
    struct musvm_result result = {0};
    struct error err = {0};
    CHECK(musvm_point_make(&task, &point, &err) == 0
              && musvm_solve(&task, &options, &point, &result, &err) == 0 && result.converged,
          "%s", err.message);
    *w = point.w;
    point.w = (struct weights){0};
    musvm_point_free(&point);
    problem_free(&problem);
    return result.primal;
}

/* Both rounds.  p: held out; v: out, of the last machine; w: out.  Returns its objective. */
static double learn_precisely(const struct part *part, const double *p, double *v,
                              struct weights *w)
{
    static double score[N * CLASSES], own[N * CLASSES];
    const int64_t K = part->t->K;
    const struct label_noise noise = part_noise(part);
    plain_weights(&noise, p, v);
    for (int64_t fold = 0; fold < CROSSFIT_FOLDS; fold++) {
        solve_precisely(part, fold, v, w);
        for (int64_t at = 0; at < part->n; at++)
            if (part->fold[at] == fold)
                plain_scores(w, &part->t->problem, part->example[at], score + at * K);
        weights_free(w);
    }
    const double exponent = plain_exponent(&noise, score);
    for (int64_t at = 0; at < part->n; at++)
        softmax(K, score + at * K, exp2(exponent), own + at * K);
    plain_weights(&noise, own, v);
    return solve_precisely(part, -1, v, w);
}

/* score: out, n x K, of each fold by an SVM that knows nothing of its labels. */
static void judge_precisely(const struct texts *t, double *score)
{
    static double p[N * CLASSES];
    static struct part part;
    int64_t fold[N];
    double v[N];
    assign_folds(t, t->y, N, fold);
    for (int64_t f = 0; f < CROSSFIT_FOLDS; f++) {
        struct weights w;
        part_make(t, f, &part);
        part_regress(&part, p);
        learn_precisely(&part, p, v, &w);
        for (int64_t i = 0; i < N; i++)
            if (fold[i] == f)
                plain_scores(&w, &t->problem, i, score + i * t->K);
        weights_free(&w);
    }
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

/* svm.w is about the minimum for the weights of the labels of the second round, times the
 * temperature of held-out scores.  exponent: of that temperature. */
static void check_machine(const struct texts *t, struct estimate *e, double exponent)
{
    static struct primal primal;
    static struct part all;
    const struct weights *w = estimate_weights(e);
    struct weights precise;
    double v[N];
    CHECK(w == &e->svm.w, "a classifier of weights");
    if (!w)
        return;
    CHECK_INT(w->columns, t->K == 2 ? 1 : t->K, "columns");
    CHECK_INT(w->rows, t->problem.d + 1, "features and the bias");
    part_make(t, -1, &all);
    CHECK(exponent > -0.9 && exponent < 4.9, "a temperature within bounds, %g", exponent);
    const double want = learn_precisely(&all, t->p, v, &precise);
    primal.cost = plain_cost(t);
    primal.v = v;
    primal_of(t, w, &primal);
    const double factor = best_factor(&primal), got = primal_at(&primal, factor);
    CHECK(got >= want * (1 - 1e-3) && got <= want * 1.02, "the objective is %g, not %g", got, want);
    CHECK(fabs(log2(factor) + exponent) < 0.08, "the temperature, %g and %g", -log2(factor),
          exponent);
    int agree = 0;
    for (int64_t i = 0; i < N; i++) {
        double score[CLASSES];
        plain_scores(&precise, &t->problem, i, score);
        agree += largest(t->K, score) == largest(t->K, primal.score + i * t->K);
    }
    CHECK(agree >= 0.97 * N, "decisions like those at the minimum: %d", agree);
    weights_free(&precise);
}

/* ---- softmax regression or SVM ---- */

/* Nothing but e->svm is another than at the start. */
static void check_left(const struct texts *t, struct estimate *e)
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

static void check_same(const struct estimate *got, const struct estimate *want, double tolerance,
                       const char *what)
{
    const struct weights *w = &got->svm.w, *other = &want->svm.w;
    CHECK_NEAR(got->svm.cost, want->svm.cost, tolerance, "%s: cost", what);
    CHECK_NEAR(got->svm.likelihood, want->svm.likelihood, tolerance, "%s: likelihood", what);
    CHECK_NEAR(got->svm.softmax_likelihood, want->svm.softmax_likelihood, tolerance,
               "%s: the other likelihood", what);
    CHECK_NEAR(got->lambda, want->lambda, tolerance, "%s: lambda", what);
    CHECK_NEAR(got->svm.lead, want->svm.lead, tolerance, "%s: lead", what);
    CHECK(w->w && w->rows == other->rows && w->columns == other->columns, "%s: the table", what);
    for (int64_t j = 0; w->rows == other->rows && j < w->rows; j++)
        for (int64_t k = 0; k < w->columns; k++)
            CHECK_NEAR(w->w[j * w->stride + k], other->w[j * other->stride + k], tolerance,
                       "%s: weight %d of class %d", what, (int)j, (int)k);
}

/* What is said of both is what precise machines say, whose decisions differ for few examples. */
static void check_judged(const struct texts *t, const struct estimate *e, const double *score)
{
    const struct decisions_scores both = {N, t->K, t->y, t->p, score, t->own};
    struct decisions_result want = {0};
    struct error err = {0};
    CHECK(decisions_compare(&both, t->c, &want, &err) == 0, "%s", err.message);
    CHECK_NEAR(e->svm.softmax_likelihood, want.first, 1e-12, "softmax regression's likelihood");
    CHECK_NEAR(e->svm.likelihood, want.second, 0.02, "the SVM's likelihood");
    CHECK_NEAR(e->svm.lead, want.lead, 0.7, "its lead");
}

/* Of classifier and numbers where the SVM is taken. */
static void check_taken(const struct texts *t, const struct estimate *e)
{
    const double cost = plain_cost(t);
    CHECK_INT(e->classifier, ESTIMATE_SVM, "it is taken");
    CHECK_NEAR(e->svm.cost, cost, 1e-12, "the cost");
    CHECK_NEAR(e->temperature, 1, 0, "the temperature is in the weights");
    CHECK_NEAR(e->lambda, 1 / (cost * N), 1e-12, "lambda");
    CHECK_INT(e->steps, 0, "steps");
    CHECK_NEAR(e->svm.lambda, LAMBDA, 0, "lambda of softmax regression");
    CHECK_INT(e->svm.steps, STEPS, "steps of softmax regression");
    CHECK(memcmp(e->p, t->p, (size_t)(N * t->K) * sizeof *e->p) == 0, "p stays");
}

/* The SVM when it is to be taken, and whether it is when it is not. */
static void test_texts(const struct plan *plan)
{
    static double score[N * CLASSES];
    struct texts *t = texts_make(plan);
    const struct label_noise noise = noise_of(t);
    struct estimate taken, tried;
    check_group("%s", plan->name);
    judge_precisely(t, score);
    estimate_texts(t, true, 2, &taken);
    check_taken(t, &taken);
    check_machine(t, &taken, plain_exponent(&noise, score));
    check_judged(t, &taken, score);

    const bool better = plan->belief == VAGUE;
    CHECK(better ? taken.svm.lead > 1 : taken.svm.lead < -1.5, "which one is better, %g",
          taken.svm.lead);
    estimate_texts(t, false, 1, &tried);
    CHECK(tried.svm.cost == taken.svm.cost && tried.svm.likelihood == taken.svm.likelihood
              && tried.svm.softmax_likelihood == taken.svm.softmax_likelihood
              && tried.svm.lead == taken.svm.lead,
          "the same is tried");
    if (better) {
        check_taken(t, &tried);
        check_same(&tried, &taken, 0, "taken by itself");
    } else {
        check_left(t, &tried);
    }
    estimate_free(&taken);
    estimate_free(&tried);
    texts_free(t);
}

/* ---- honesty ---- */

/* The SVM that is judged is another than the one that is taken: p, which the labels of the judged
 * folds have a part in, says nothing to it. */
static void test_independence(void)
{
    struct plan plan = {.K = 4, .belief = VAGUE};
    struct estimate vague, sure;
    check_group("the SVM's likelihood is the same whatever p is");
    struct texts *t = texts_make(&plan);
    estimate_texts(t, true, 1, &vague);
    for (int64_t i = 0; i < N; i++)
        for (int64_t k = 0; k < t->K; k++)
            t->p[i * t->K + k] = k == t->y[i] ? 0.97 : 0.03 / (double)(t->K - 1);
    estimate_texts(t, true, 1, &sure);
    CHECK_NEAR(sure.svm.likelihood, vague.svm.likelihood, 0, "the likelihood");
    CHECK(sure.svm.softmax_likelihood > vague.svm.softmax_likelihood + 0.1
              && sure.svm.lead < vague.svm.lead - 1,
          "p counts for softmax regression");
    estimate_free(&vague);
    estimate_free(&sure);
    texts_free(t);
}

enum { FEW = 30 }; /* words, so that many texts are the same */

/* Texts of one of the few words each, and labels that are pure chance.  chance: out, the mean
 * log-likelihood of the labels by chance. */
static struct texts *make_chance(int64_t K, uint64_t seed, double *chance)
{
    struct random g = random_seeded(17, seed);
    struct texts *t = texts_start(K, &g);
    for (int64_t cell = 0; cell < K * K; cell++) /* so noisy that v follows p */
        t->c[cell] = (cell % (K + 1) == 0 ? 0.2 : 0) + 0.8 / (double)K;
    *chance = 0;
    for (int i = 0; i < N; i++) {
        const int32_t word = 1 + (int32_t)random_below(&g, FEW);
        const double value = 1;
        const struct example x = {.index = &word, .value = &value, .size = 1};
        double observed = 0;
        CHECK(problem_append_example(&t->problem, &x, NULL) == 0, "memory");
        t->y[i] = draw_label(&g, K, t->c, random_below(&g, K));
        for (int64_t k = 0; k < K; k++)
            observed += t->c[t->y[i] * K + k] / (double)K;
        *chance += log(observed) / N;
    }
    for (int64_t k = 0; k < K; k++)
        t->share[k] = 1 / (double)K;
    return t;
}

/* There is nothing to learn: what the SVM says of held-out examples is worth no more than chance,
 * which as the largest of the likelihoods over accuracies gives about 1/2n in the mean.  By weights
 * of cross-fitted p, which the labels of the judged fold have a part in, labels would be kept that
 * agree with these. */
static void test_chance(int64_t K)
{
    enum { SEEDS = 20 };
    static struct part all;
    double excess = 0, lead = 0;
    int behind = 0, left = 0; /* taken though it is behind, and not taken */
    check_group("labels that are pure chance, %d classes", (int)K);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct estimate e;
        double chance;
        struct texts *t = make_chance(K, seed, &chance);
        part_make(t, -1, &all);
        part_regress(&all, t->p);
        estimate_texts(t, false, 2, &e);
        excess += (e.svm.likelihood - chance) / SEEDS;
        lead += e.svm.lead / SEEDS;
        CHECK(fabs(e.svm.lead) < 3, "a lead of %g, seed %d", e.svm.lead, (int)seed);
        CHECK((e.classifier == ESTIMATE_SVM) == (e.svm.lead > -CROSSFIT_ERRORS),
              "is it taken, with a lead of %g?", e.svm.lead);
        behind += e.classifier == ESTIMATE_SVM && e.svm.lead < 0;
        left += e.classifier == ESTIMATE_SOFTMAX;
        estimate_free(&e);
        texts_free(t);
    }
    CHECK(behind > 0 && left > 0, "leads on both sides of where it is taken: %d, %d", behind, left);
    CHECK(excess < 0.005, "likelier than by chance, by %g", excess);
    CHECK(fabs(lead) < 0.45, "a mean lead of %g", lead);
}

/* ---- what makes no difference ---- */

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
    texts_free(t);
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
        CHECK_INT(estimate_try_svm(&t->problem, t->y, &t->labels, &options, &e, &err), 0, "%s",
                  err.message);
        CHECK_INT(e.classifier, ESTIMATE_SOFTMAX, "lengths times %g", factors[f]);
        CHECK_NEAR(e.svm.cost, 0, 0, "lengths times %g", factors[f]);
        estimate_free(&e);
    }
    texts_free(t);
}

/* ---- the temperature of any scores, and decisions ---- */

/* scale: of the scores. */
static void test_calibrate(int64_t K, bool weighted, double scale)
{
    static double score[N * CLASSES], level[N * CLASSES];
    double c[CLASSES * CLASSES], weight[N], p[CLASSES], temperature = NAN;
    int32_t y[N];
    struct random g = random_seeded(15, (uint64_t)K);
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
    double *got = em_calibrate(N, K, y, noise.weight, 1, c, level, &temperature, &err);
    CHECK(got != NULL, "%s", err.message);
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
    memory_free(got);
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
    test_independence();
    for (int64_t K = 2; K <= CLASSES; K++)
        test_chance(K);
    test_limits();
    return check_finish();
}
