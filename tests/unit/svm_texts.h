/* Texts with noisy labels, an estimate as softmax regression leaves it, and the SVM that is tried
 * in its place: what the tests test_svm_*.c share.  An error is a failed check. */
#ifndef TESTS_UNIT_SVM_TEXTS_H
#define TESTS_UNIT_SVM_TEXTS_H

#include "common/base/memory.h"
#include "label_noise_plain.h"
#include "learners/estimate/svm_estimate.h"

/* Texts, words, those of a class, and the most that a text has. */
enum { N = 300, WORDS = 3000, OWN = 60, LONGEST = 80 };

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
    bool known;        /* c was given */
    double misfit;     /* of the estimate */
};

/* How texts are made. */
struct plan {
    const char *name;
    int64_t K;
    enum belief belief;
    bool lengths, bias, weights; /* lengths other than 1, a bias, own weights */
};

/* Words that any text may have, of which the first belong to the classes. */
static inline void append_text(struct texts *t, struct random *g, int64_t class, double length,
                               bool bias)
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
static inline struct texts *texts_start(int64_t K, struct random *g)
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

static inline struct texts *texts_make(const struct plan *plan)
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

static inline void texts_free(struct texts *t)
{
    problem_free(&t->problem);
    labels_free(&t->labels);
}

/* What estimates say. */
static const double UNEXPLAINED = 0.4, LAMBDA = 1e-4, TEMPERATURE = 1;

enum { STEPS = 5 };

static inline struct estimate_options options_of(const struct texts *t, bool takes, int threads)
{
    return (struct estimate_options){
        .fit = {.weight = t->own, .lambda = -1, .steps = -1, .seed = 3, .threads = threads},
        .map = ESTIMATE_AUTO,
        .takes_svm = takes};
}

/* e: out: an estimate as softmax regression leaves it. */
static inline void start_estimate(const struct texts *t, struct estimate *e)
{
    struct error err = {0};
    CHECK(estimate_allocate(N, t->K, t->c, e, &err) == 0
              && (e->p = memory_new(N * t->K, sizeof *e->p, &err)) != NULL,
          "%s", err.message);
    memcpy(e->p, t->p, (size_t)(N * t->K) * sizeof *e->p);
    memcpy(e->share, t->share, (size_t)t->K * sizeof *e->share);
    e->unexplained = UNEXPLAINED;
    e->classifier.lambda = LAMBDA;
    e->classifier.steps = STEPS;
    e->classifier.temperature = TEMPERATURE;
    e->likelihood = -1;
    e->misfit = t->misfit;
}

static inline void estimate_texts(const struct texts *t, bool takes, int threads,
                                  struct estimate *e)
{
    const struct labelled data = {.problem = &t->problem, .y = t->y, .labels = &t->labels};
    const struct estimate_options options = options_of(t, takes, threads);
    struct error err = {0};
    start_estimate(t, e);
    CHECK(estimate_try_svm(&data, t->known, &options, e, &err) == 0, "%s", err.message);
}

#endif
