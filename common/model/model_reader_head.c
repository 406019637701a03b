/* The head of a model: that of LIBLINEAR, and the kind of a map. */
#include "common/base/memory.h"
#include "common/base/number.h"
#include "common/model/model_reader_state.h"

#include <string.h>

/* The value of solver_type; the rest of its line is ignored. */
static int model_read_solver(struct model_reader *r)
{
    static const char *const solvers[] = {
        "L2R_LR",   "L2R_L2LOSS_SVC_DUAL", "L2R_L2LOSS_SVC", "L2R_L1LOSS_SVC_DUAL",
        "MCSVM_CS", "L1R_L2LOSS_SVC",      "L1R_LR",         "L2R_LR_DUAL"};
    struct model *m = r->model;
    if (m->solver[0])
        return model_refuse_again(r, "solver_type");
    const size_t length = strcspn(r->p, " \r\n");
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++)
        if (length == strlen(solvers[i]) && memcmp(r->p, solvers[i], length) == 0)
            memcpy(m->solver, solvers[i], length);
    if (!m->solver[0])
        return model_refuse(r, "the solver_type is not a classifier");
    r->p = model_line_end(r, r->p);
    return 0;
}

/* The kind of the map. */
static int model_read_map_kind(struct model_reader *r)
{
    struct feature_map *map = &r->model->map;
    if (map->kind != FEATURE_MAP_NONE)
        return model_refuse_again(r, "map");
    const size_t length = strcspn(r->p, " \r\n");
    for (int64_t kind = FEATURE_MAP_NYSTROM; feature_map_names[kind]; kind++)
        if (length == strlen(feature_map_names[kind])
            && memcmp(r->p, feature_map_names[kind], length) == 0)
            map->kind = kind;
    if (map->kind == FEATURE_MAP_NONE)
        return model_refuse(r, "the map is neither nystrom nor fourier");
    r->p += length;
    return 0;
}

/* The labels, as many as nr_class has said, each once. */
static int model_read_labels(struct model_reader *r)
{
    struct model *m = r->model;
    if (m->label || m->classes == 0)
        return model_refuse(r, "label must come once, after nr_class");
    m->label = memory_new(m->classes, sizeof *m->label, r->err);
    if (!m->label)
        return -1;
    int status = -1;
    struct labels seen = {0};
    for (int64_t k = 0; k < m->classes; k++) {
        int64_t label;
        r->p = number_skip_blanks(r->p);
        if (number_read_int(r->p, &r->p, INT32_MIN, INT32_MAX, &label) != NUMBER_OK) {
            model_refuse(r, "fewer labels than nr_class says");
            goto done;
        }
        if (labels_add(&seen, (int32_t)label, r->err) != 0)
            goto done;
        m->label[k] = (int32_t)label;
    }
    if (seen.count < m->classes) {
        model_refuse(r, "a label appears twice");
        goto done;
    }
    status = 0;
done:
    labels_free(&seen);
    return status;
}

/* What a head has said so far, besides what is in the model. */
struct model_head {
    int64_t features; /* -1: nothing yet */
    bool has_bias;
};

/* The value of a keyword of the head, r->p being its start; r->p is moved after it. */
static int model_read_value(struct model_reader *r, const char *keyword, struct model_head *head)
{
    struct model *m = r->model;
    if (strcmp(keyword, "solver_type") == 0)
        return model_read_solver(r);
    if (strcmp(keyword, "nr_class") == 0) {
        if (m->classes > 0)
            return model_refuse_again(r, keyword);
        const int64_t most = (int64_t)model_remaining(r); /* each label takes a byte or more */
        if (number_read_int(r->p, &r->p, 1, most, &m->classes) != NUMBER_OK)
            return model_refuse(r, "nr_class must be a number of labels that the file can hold");
        return 0;
    }
    if (strcmp(keyword, "label") == 0)
        return model_read_labels(r);
    if (strcmp(keyword, "nr_feature") == 0) {
        if (head->features >= 0)
            return model_refuse_again(r, keyword);
        if (number_read_int(r->p, &r->p, 0, INT32_MAX, &head->features) != NUMBER_OK)
            return model_refuse(r, "nr_feature must be in 0 .. 2147483647");
        return 0;
    }
    if (strcmp(keyword, "bias") == 0) {
        if (head->has_bias)
            return model_refuse_again(r, keyword);
        head->has_bias = true;
        if (number_read(r->p, &r->p, &m->bias) != NUMBER_OK)
            return model_refuse(r, "bias must be a finite number");
        if (m->bias < 0)
            m->bias = -1;
        return 0;
    }
    if (strcmp(keyword, "map") == 0)
        return model_read_map_kind(r);
    if (strcmp(keyword, "svm_type") == 0)
        return model_refuse(r, "this is a kernel model; a linear one was expected (musvm-predict, "
                               "kpca-project or svm-predict may read it)");
    return model_refuse(r, "an unknown keyword before w");
}

int model_read_head(struct model_reader *r)
{
    struct model *m = r->model;
    struct model_head head = {.features = -1};
    m->bias = -1;
    for (;;) {
        char keyword[MODEL_KEYWORD];
        const int status = model_load(r);
        if (status < 0)
            return -1;
        if (status == 0)
            return model_refuse(r, r->line == 1
                                       ? "this is no model: the file is empty"
                                       : "this is not a linear model: it ends before the weights");
        if (model_read_keyword(r, keyword) != 0)
            return -1;
        if (strcmp(keyword, "w") == 0)
            break;
        if (model_read_value(r, keyword, &head) != 0)
            return -1;
        if (*number_skip_blanks(r->p) != '\n')
            return model_refuse(r, "unexpected characters after the value");
        model_next_line(r);
    }
    if (!m->solver[0] || m->classes == 0 || !m->label || head.features < 0)
        return model_refuse(r, "solver_type, nr_class, label and nr_feature must come before w");
    m->d = head.features;
    model_next_line(r);
    return 0;
}
