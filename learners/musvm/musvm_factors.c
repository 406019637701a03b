/* Words become factors of classes, these factors of samples. */
#include "learners/musvm/musvm_factors.h"

#include "common/base/memory.h"
#include "common/base/number.h"

#include <string.h>

/* The largest factor that is accepted, as of the weights of -W. */
static const double musvm_most_factor = 1e100;

/* Parse `label:factor`.  0, or -1 with err. */
static int musvm_factors_parse(const char *text, int64_t *label, double *factor, struct error *err)
{
    char word[64];
    const char *colon = strchr(text, ':');
    if (!colon || colon - text >= (int)sizeof word)
        return error_usage(err, "-w: \"%.40s\" is not label:factor", text);
    snprintf(word, sizeof word, "%.*s", (int)(colon - text), text);
    if (number_int_from_word(word, INT32_MIN, INT32_MAX, label) != 0
        || number_from_word(colon + 1, factor) != 0 || !(*factor > 0))
        return error_usage(err, "-w: \"%.40s\" is not label:factor with a factor above 0", text);
    if (*factor > musvm_most_factor)
        return error_usage(err, "-w: \"%.40s\" has a factor above %g", text, musvm_most_factor);
    return 0;
}

int musvm_factors_check(const char *const *word, int count, struct error *err)
{
    for (int i = 0; i < count; i++) {
        int64_t label, other;
        double factor, its;
        if (musvm_factors_parse(word[i], &label, &factor, err) != 0)
            return -1;
        for (int j = 0; j < i; j++)
            if (musvm_factors_parse(word[j], &other, &its, err) == 0 && other == label
                && (its < factor || its > factor))
                return error_usage(err, "-w: label %lld is given two factors", (long long)label);
    }
    return 0;
}

/* class_factor: in: zeros, out: the factor of each class. */
static int musvm_factors_of_classes(const char *const *word, int count, const struct labels *labels,
                                    const struct findings *to, double *class_factor,
                                    struct error *err)
{
    for (int i = 0; i < count; i++) {
        int64_t label;
        double factor;
        if (musvm_factors_parse(word[i], &label, &factor, err) != 0)
            return -1;
        int64_t k = labels_find(labels, label);
        if (k < 0) {
            findings_warn(to, "class label %lld of -w is not in the data", (long long)label);
            continue;
        }
        class_factor[k] = factor;
    }
    for (int64_t k = 0; k < labels->count; k++)
        if (!(class_factor[k] > 0))
            class_factor[k] = 1;
    return 0;
}

int musvm_factors_make(const char *const *word, int count, const struct labels *labels,
                       const int32_t *y, const double *weight, int64_t n, const struct findings *to,
                       double **factor, struct error *err)
{
    double *of_class = NULL, *made = NULL;
    *factor = NULL;
    if (count == 0 && !weight)
        return 0;
    if (!(of_class = memory_new(labels->count, sizeof *of_class, err))
        || !(made = memory_new(n, sizeof *made, err))
        || musvm_factors_of_classes(word, count, labels, to, of_class, err) != 0) {
        memory_free(of_class);
        memory_free(made);
        return -1;
    }
    for (int64_t i = 0; i < n; i++)
        made[i] = of_class[y[i]] * (weight ? weight[i] : 1);
    memory_free(of_class);
    *factor = made;
    return 0;
}
