/* Continuing from a model: its options hold, and those that are given must agree with them. */
#include "common/program/trainer_state.h"

#include <assert.h>

/* Is the option's value that of the model? */
static bool trainer_same(const struct option *o)
{
    switch (o->type) {
    case OPTION_FLAG:
        return *(const bool *)o->value == *(const bool *)o->had;
    case OPTION_INT:
    case OPTION_CHOICE:
        return *(const int64_t *)o->value == *(const int64_t *)o->had;
    case OPTION_NUMBER: {
        double a = *(const double *)o->value, b = *(const double *)o->had;
        return !(a < b || a > b);
    }
    default:
        assert(false && "options of other types are compared by `agrees`");
        return false;
    }
}

/* The model's options are used, so those given must agree with them. */
static int trainer_agree(struct trainer *t, struct error *err)
{
    for (int i = 0; i < t->program.count; i++) {
        const struct option *o = &t->program.options[i];
        char why_not[TRAINER_WHY_NOT];
        if (!o->given || (t->uses && !t->uses(t, o->name, why_not)))
            continue;
        if (o->had ? !trainer_same(o) : t->agrees && !t->agrees(t, o->name))
            return error_usage(err,
                               "--%s differs from that of the model to go on from (leave it out: "
                               "the model's options hold)",
                               o->name);
    }
    if (t->labels.count > 0 && !labels_equal(&t->labels, t->had_labels))
        return error_usage(err, "--labels differs from the classes of the model to go on from, "
                                "which can neither gain nor lose one");
    return 0;
}

int trainer_resume(struct trainer *t, struct error *err)
{
    if (t->resume(t, err) != 0)
        return -1;
    t->had_unit_length = t->had.unit_length;
    if (trainer_agree(t, err) != 0)
        return -1;
    if (trainer_given(t, "seed"))
        t->had.seed = t->form.seed;
    t->had.final = t->form.final;
    t->form = t->had;
    t->form.map = t->map.kind != FEATURE_MAP_NONE ? &t->map.base : NULL;
    labels_free(&t->labels);
    return labels_copy(t->had_labels, &t->labels, err);
}
