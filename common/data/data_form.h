/* How the data of a model were read, and its seed.  Prediction reads its examples in the same form;
 * training continued from the model (not from a final one) goes on with the same random numbers. */
#ifndef COMMON_DATA_DATA_FORM_H
#define COMMON_DATA_DATA_FORM_H

#include "common/data/example.h"

struct feature_numbers;

struct data_form {
    double bias; /* < 0: none */
    bool unit_length, zero_based;
    int64_t seed;
    bool final; /* the model holds what prediction needs only: training cannot go on from it */
    struct example_map *map;               /* borrowed: a struct feature_map; NULL: none */
    const struct feature_numbers *numbers; /* borrowed: of the data that a model is learnt from, for
                                              its writer; NULL: they have their own indices */
};

static inline struct example_format data_format(const struct data_form *form)
{
    return (struct example_format){.zero_based = form->zero_based, /* C++ keeps the order */
                                   .unit_length = form->unit_length,
                                   .bias = form->bias,
                                   .map = form->map};
}

/* The same for examples that are mapped later, and get their bias then. */
static inline struct example_format data_format_unmapped(const struct data_form *form)
{
    struct example_format format = data_format(form);
    if (form->map)
        format.bias = -1;
    format.map = NULL;
    return format;
}

#endif
