/* An estimate of all examples has their probabilities.  Otherwise passes make them, one example at
 * a time: from the file of predictions, or by the cross-fits of the sample. */
#include "learners/suspects/suspects.h"

#include "common/base/memory.h"
#include "learners/estimate/cross_scores.h"
#include "learners/noise/calibration.h"

#include <stdlib.h>
#include <string.h>

/* What the passes over examples work on. */
struct suspects_search {
    const struct noisy_file *data;
    struct suspicion *list;
    struct suspicion_weights weights;
    double *workspace; /* 3 K */
    struct suspicion_sums sums;
    struct calibration calibration;
};

/* ---- given probabilities ---- */

/* plain: K, the probabilities of example i as the file has them. */
static void suspects_score_given(void *context, int64_t i, double *plain)
{
    const struct suspects_search *search = context;
    const struct estimate *e = &search->data->estimate;
    const int64_t K = e->classes;
    const int32_t y = search->data->y[i];
    double *s = search->workspace, *p = s + K, *r = p + K;
    memcpy(s, plain, (size_t)K * sizeof *s);
    em_score_probabilities(K, s);
    em_log_likelihood(e->matrix.c + y * K, K, s, e->classifier.temperature, p);
    search->list[i] = suspicion_of(i, e->matrix.c, K, p, plain, y, &search->weights, r);
}

/* ---- an estimate of all examples ---- */

static void suspects_score_estimated(struct suspects_search *search)
{
    const struct estimate *e = &search->data->estimate;
    const int32_t *y = search->data->y;
    const int64_t K = e->classes;
    search->weights = suspicion_weigh(e->matrix.c, K, e->p, y, e->n, e->unexplained, false);
    for (int64_t i = 0; i < e->n; i++) {
        const double *p = e->p + i * K;
        search->list[i] = suspicion_of(i, e->matrix.c, K, p, p, y[i], &search->weights,
                                       search->workspace);
    }
}

/* ---- an estimate of a sample ---- */

static void suspects_sum_crossed(void *context, int64_t i, const double *p)
{
    struct suspects_search *search = context;
    const struct estimate *e = &search->data->estimate;
    const int64_t K = e->classes;
    const int32_t y = search->data->y[i];
    suspicion_add(&search->sums, e->matrix.c, K, p, y);
    calibration_add(&search->calibration, e->matrix.c, K, p, weights_best(p, K), y, 1);
}

static void suspects_score_crossed(void *context, int64_t i, const double *p)
{
    const struct suspects_search *search = context;
    const struct estimate *e = &search->data->estimate;
    search->list[i] = suspicion_of(i, e->matrix.c, e->classes, p, p, search->data->y[i],
                                   &search->weights, search->workspace);
}

/* Two passes: the weights depend on sums over all examples.  0 or -1. */
static int suspects_cross(struct suspects_search *search, const struct crossfit_options *options,
                          struct error *err)
{
    const struct noisy_file *data = search->data;
    const struct labelled all = noisy_file_examples(data);
    const struct labelled examples = labelled_with(&all,
                                                   estimate_examples(&data->estimate, all.problem));
    struct cross_scores scores = {.problem = NULL};
    int status = cross_scores_fit(&scores, &examples, &data->estimate, options, err);
    if (status == 0)
        status = cross_scores_pass(&scores, suspects_sum_crossed, search, err);
    if (status == 0) {
        search->weights = suspicion_settle(&search->sums,
                                           calibration_unexplained(&search->calibration), false);
        status = cross_scores_pass(&scores, suspects_score_crossed, search, err);
    }
    cross_scores_free(&scores);
    return status;
}

/* ---- the whole ---- */

/* search: out; its workspace is to be freed, also after an error.  0 or -1. */
static int suspects_start(const struct noisy_file *data, struct suspects *s,
                          struct suspects_search *search, struct error *err)
{
    s->data = data;
    *search = (struct suspects_search){.data = data};
    if (!(search->workspace = memory_new(3 * data->labels.count, sizeof(double), err))
        || !(s->list = memory_new(data->problem.n, sizeof *s->list, err)))
        return -1;
    search->list = s->list;
    return 0;
}

int suspects_find(const struct noisy_file *data, const struct crossfit_options *options,
                  struct suspects *s, struct error *err)
{
    struct suspects_search search;
    int status = suspects_start(data, s, &search, err);
    if (status == 0 && (data->estimate.n < data->problem.n || data->problem.disk))
        status = suspects_cross(&search, options, err);
    else if (status == 0)
        suspects_score_estimated(&search);
    memory_free(search.workspace);
    return status == 0 ? suspicion_sort(s->list, data->problem.n, err) : -1;
}

int suspects_find_given(const struct predictions_file *file, struct suspects *s, struct error *err)
{
    struct suspects_search search;
    int status = suspects_start(&file->data, s, &search, err);
    search.weights = file->weights;
    if (status == 0)
        status = predictions_file_pass(file, suspects_score_given, &search, err);
    memory_free(search.workspace);
    return status == 0 ? suspicion_sort(s->list, file->data.problem.n, err) : -1;
}

static int suspects_compare_lines(const void *a, const void *b)
{
    const struct suspicion *u = a, *v = b;
    return (u->i > v->i) - (u->i < v->i);
}

void suspects_sort_by_line(struct suspects *s)
{
    qsort(s->list, (size_t)s->data->problem.n, sizeof *s->list, suspects_compare_lines);
}

void suspects_free(struct suspects *s)
{
    memory_free(s->list);
    s->list = NULL;
}
