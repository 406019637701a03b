/* forward-predict: labels for LIBSVM text with a linear model of forward-train or LIBLINEAR. */
#include "common/program/predict_main.h"

int main(int argc, char **argv)
{
    static const char *const learners[] = {"forward", NULL};
    static const struct predict_program program = {
        .name = "forward-predict",
        .summary = "Predict labels with a linear model of forward-train or LIBLINEAR.",
        .see_also = "forward-train(1)",
        .examples = "  forward-train data/iris.train iris.model && forward-predict -m "
                    "data/iris.test iris.model labels\n",
        .learners = learners,
        .probabilities = true};
    return predict_main(&program, argc, argv);
}
