/* In two steps, as a file may name the classes, and may need them from elsewhere. */
#include "common/model/confusion_option.h"

#include "common/base/input.h"
#include "common/base/number.h"

#include <math.h>
#include <string.h>

const char *const confusion_option_words[] = {"identity", "estimate", NULL};

bool confusion_option_estimates(const char *given)
{
    return strcmp(given, "estimate") == 0;
}

static bool confusion_option_is_file(const char *given)
{
    return strcmp(given, "identity") != 0 && !confusion_option_estimates(given);
}

int confusion_option_read(const char *given, const char *labels_source, struct confusion *C,
                          struct labels *labels, struct error *err)
{
    if (!confusion_option_is_file(given))
        return 0;
    if (confusion_read(given, C, err) != 0)
        return -1;
    return confusion_settle_labels(C, input_name(given), labels_source, labels, err);
}

static int confusion_option_identity(struct confusion *C, const struct labels *labels,
                                     struct error *err)
{
    if (confusion_make(labels, C, err) != 0)
        return -1;
    for (int64_t k = 0; k < C->classes; k++)
        C->c[k * C->classes + k] = 1;
    return 0;
}

int confusion_option_complete(const char *given, const char *labels_source, struct confusion *C,
                              const struct labels *labels, struct error *err)
{
    if (!C->c)
        return confusion_option_identity(C, labels, err);
    if (C->labels.count > 0)
        return 0;
    if (C->classes != labels->count)
        return error_at(err, input_name(given), 0, 0,
                        "%lld classes, but there %s %lld %s (a head with `label` names the "
                        "classes)",
                        (long long)C->classes, labels->count == 1 ? "is" : "are",
                        (long long)labels->count, labels_source);
    return labels_copy(labels, &C->labels, err);
}

char *confusion_option_unseen(int64_t unseen, char text[CONFUSION_OPTION_TEXT])
{
    char classes[NUMBER_COUNTED];
    snprintf(text, CONFUSION_OPTION_TEXT, "%s %s no count: %s taken as labelled right",
             number_counted(unseen, "class", classes), unseen == 1 ? "has" : "have",
             unseen == 1 ? "it is" : "they are");
    return text;
}

/* Are columns q and r of c alike?  From row q on, which is where most differ. */
static bool confusion_option_same(const double *c, int64_t K, int64_t q, int64_t r)
{
    for (int64_t i = 0; i < K; i++) {
        const int64_t p = (q + i) % K;
        if (fabs(c[p * K + q] - c[p * K + r]) > 1e-6)
            return false;
    }
    return true;
}

bool confusion_option_alike(const double *c, const struct labels *labels,
                            char text[CONFUSION_OPTION_TEXT])
{
    const int64_t K = labels->count;
    for (int64_t q = 0; q < K; q++)
        for (int64_t r = q + 1; r < K; r++)
            if (confusion_option_same(c, K, q, r)) {
                snprintf(text, CONFUSION_OPTION_TEXT,
                         "the columns of classes %ld and %ld are alike: no label tells these "
                         "classes apart",
                         (long)labels->value[q], (long)labels->value[r]);
                return true;
            }
    return false;
}
