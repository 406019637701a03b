/* uma-predict: labels for LIBSVM text with a linear model of uma-train or LIBLINEAR. */
#include "common/program/predict_main.h"

int main(int argc, char **argv)
{
    static const struct predict_program program = {
        .name = "uma-predict",
        .summary = "Predict labels with a linear model of uma-train or LIBLINEAR.",
        .see_also = "uma-train(1)",
        .examples = "  uma-train -c identity data/iris.train iris.model && uma-predict "
                    "data/iris.test iris.model labels\n"};
    return predict_main(&program, argc, argv);
}
