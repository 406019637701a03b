/* The SVM that takes the place of softmax regression (learners/estimate/svm_estimate.h) beside
 * machines that are solved precisely: its weights, what it is said to be worth, and when it is
 * taken. */
#include "check.h"
#include "learners/estimate/rest_of_fold.h"
#include "learners/estimate/svm_estimate.h"
#include "learners/musvm/musvm.h"
#include "learners/noise/decisions.h"
#include "svm_parts.h"

/* ---- machines that are solved precisely ---- */

static struct label_noise noise_of(const struct texts *t)
{
    return (struct label_noise){N, t->K, t->y, t->own, t->c, t->share, UNEXPLAINED};
}

static struct label_noise part_noise(const struct part *part)
{
    const struct texts *t = part->t;
    return (struct label_noise){part->n, t->K,     part->y,    t->own ? part->own : NULL,
                                t->c,    t->share, UNEXPLAINED};
}

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

/* Both rounds.  p: held out; own: out, probabilities by the machines of the first; v: out, of the
 * last machine; w: out.  Returns its objective. */
static double learn_precisely(const struct part *part, const double *p, double *own, double *v,
                              struct weights *w)
{
    static double score[N * CLASSES];
    const int64_t K = part->t->K;
    const struct label_noise noise = part_noise(part);
    plain_weights(&noise, p, v);
    for (int64_t fold = 0; fold < FOLDS_DEFAULT; fold++) {
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

/* What SVMs say that know nothing of the labels of the fold that is judged. */
struct judged {
    double score[N * CLASSES];                     /* n x K, of each fold */
    double c[FOLDS_DEFAULT][2][CLASSES * CLASSES]; /* the matrices that fit softmax regression
                                                       and SVM */
    int64_t fold[N];
};

/* c: out, the matrix that fits these probabilities of a part. */
static void fit_matrix(const struct part *part, const double *p, double *c)
{
    struct part copy = *part;
    const struct texts *t = part->t;
    const struct rest_of_fold rest = {
        .n = copy.n, .y = copy.y, .weight = t->own ? copy.own : NULL, .fold = copy.fold};
    CHECK(rest_estimate_matrix(&rest, t->K, p, t->c, 1, c, NULL) == 0, "memory");
}

static void judge_precisely(const struct texts *t, struct judged *judged)
{
    static double p[N * CLASSES], own[N * CLASSES];
    static struct part part;
    double v[N];
    assign_folds(t, t->y, N, judged->fold);
    for (int64_t f = 0; f < FOLDS_DEFAULT; f++) {
        struct weights w;
        part_make(t, f, &part);
        part_regress(&part, p);
        learn_precisely(&part, p, own, v, &w);
        fit_matrix(&part, p, judged->c[f][0]);
        fit_matrix(&part, own, judged->c[f][1]);
        for (int64_t i = 0; i < N; i++)
            if (judged->fold[i] == f)
                plain_scores(&w, &t->problem, i, judged->score + i * t->K);
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
    static double own[N * CLASSES];
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
    const double want = learn_precisely(&all, t->p, own, v, &precise);
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
    CHECK(e->n == N && e->classes == K && e->classifier.lambda == start.classifier.lambda
              && e->classifier.steps == start.classifier.steps
              && e->classifier.temperature == start.classifier.temperature
              && e->classifier.kind == ESTIMATE_SOFTMAX && e->matrix.gamma == 0
              && e->likelihood == start.likelihood && e->unexplained == start.unexplained
              && e->matrix.disagreement == 0 && e->misfit == 0,
          "the numbers stay");
    CHECK(!e->input.map && !e->input.at_length && !e->matrix.led && !e->matrix.thin
              && e->input.lengthed.n == 0 && e->input.mapped.n == 0 && e->ridge.strict.ridge == 0
              && !e->ridge.p,
          "there is nothing new");
    CHECK(memcmp(e->matrix.c, start.matrix.c, (size_t)(K * K) * sizeof *e->matrix.c) == 0
              && memcmp(e->matrix.joint, start.matrix.joint,
                        (size_t)(K * K) * sizeof *e->matrix.joint)
                     == 0
              && memcmp(e->p, start.p, (size_t)(N * K) * sizeof *e->p) == 0
              && memcmp(e->share, start.share, (size_t)K * sizeof *e->share) == 0
              && memcmp(e->matrix.standard_error, start.matrix.standard_error,
                        (size_t)K * sizeof *e->matrix.standard_error)
                     == 0
              && memcmp(e->matrix.doubtful, start.matrix.doubtful,
                        (size_t)K * sizeof *e->matrix.doubtful)
                     == 0,
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
    CHECK_NEAR(got->classifier.lambda, want->classifier.lambda, tolerance, "%s: lambda", what);
    CHECK_NEAR(got->svm.lead, want->svm.lead, tolerance, "%s: lead", what);
    CHECK(w->w && w->rows == other->rows && w->columns == other->columns, "%s: the table", what);
    for (int64_t j = 0; w->rows == other->rows && j < w->rows; j++)
        for (int64_t k = 0; k < w->columns; k++)
            CHECK_NEAR(w->w[j * w->stride + k], other->w[j * other->stride + k], tolerance,
                       "%s: weight %d of class %d", what, (int)j, (int)k);
}

/* What is said of both is what precise machines say, whose decisions differ for few examples: fold
 * by fold, through the matrix that is known, or matrices of their own. */
static void check_judged(const struct texts *t, const struct estimate *e,
                         const struct judged *judged)
{
    struct decisions_tally tally = {0};
    for (int64_t fold = 0; fold < FOLDS_DEFAULT; fold++) {
        double weight[N];
        const struct decisions_scores scores = {N, t->K, t->y, t->p, judged->score, weight};
        const double *first_c = t->known ? t->c : judged->c[fold][0],
                     *second_c = t->known ? t->c : judged->c[fold][1];
        for (int64_t i = 0; i < N; i++)
            weight[i] = (judged->fold[i] == fold) * (t->own ? t->own[i] : 1);
        CHECK(decisions_add(&scores, first_c, second_c, &tally, NULL) == 0, "memory");
    }
    const struct decisions_result want = decisions_result(&tally);
    CHECK_NEAR(e->svm.softmax_likelihood, want.first, 1e-9, "softmax regression's likelihood");
    CHECK_NEAR(e->svm.likelihood, want.second, 0.02, "the SVM's likelihood");
    CHECK_NEAR(e->svm.lead, want.lead, 0.7, "its lead");
}

/* Of classifier and numbers where the SVM is taken. */
static void check_taken(const struct texts *t, const struct estimate *e)
{
    const double cost = plain_cost(t);
    CHECK_INT(e->classifier.kind, ESTIMATE_SVM, "it is taken");
    CHECK_NEAR(e->svm.cost, cost, 1e-12, "the cost");
    CHECK_NEAR(e->classifier.temperature, 1, 0, "the temperature is in the weights");
    CHECK_NEAR(e->classifier.lambda, 1 / (cost * N), 1e-12, "lambda");
    CHECK_INT(e->classifier.steps, 0, "steps");
    CHECK_NEAR(e->svm.softmax.lambda, LAMBDA, 0, "lambda of softmax regression");
    CHECK_INT(e->svm.softmax.steps, STEPS, "steps of softmax regression");
    CHECK(memcmp(e->p, t->p, (size_t)(N * t->K) * sizeof *e->p) == 0, "p stays");
}

/* The SVM when it is to be taken, and whether it is when it is not. */
static void test_texts(const struct plan *plan, bool known)
{
    static struct judged judged;
    check_group("%s%s", plan->name, known ? ", a matrix that is known" : "");
    struct texts *t = texts_make(plan);
    const struct label_noise noise = noise_of(t);
    struct estimate taken, tried;
    t->known = known;
    judge_precisely(t, &judged);
    estimate_texts(t, true, 2, &taken);
    check_taken(t, &taken);
    check_machine(t, &taken, plain_exponent(&noise, judged.score));
    check_judged(t, &taken, &judged);

    const bool better = plan->belief == VAGUE;
    CHECK(better ? taken.svm.lead > 1 : taken.svm.lead < -1, "which one is better, %g",
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

static void test_same(void)
{
    const struct plan plan = {.K = 4, .belief = FAIR, .lengths = true};
    struct estimate one, other;
    check_group("threads, and weights that are all equal");
    struct texts *t = texts_make(&plan);
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

int main(void)
{
    static const struct plan plans[] = {
        {"4 classes, a vague softmax regression", 4, VAGUE, false, false, false},
        {"4 classes, a sure one", 4, SURE, false, false, false},
        {"4 classes, lengths and weights, vague", 4, VAGUE, true, false, true},
        {"2 classes, vague", 2, VAGUE, false, false, false},
        {"2 classes, lengths and a bias, sure", 2, SURE, true, true, false},
        {"5 classes, a bias and weights, sure", 5, SURE, false, true, true}};
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++)
        for (int known = 0; known < 2; known++)
            test_texts(plans + i, known);
    test_same();
    return check_finish();
}
