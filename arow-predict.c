/* arow-predict: labels for LIBSVM text with a linear model of arow-train or LIBLINEAR. */
#include "common/program/predict_main.h"

int main(int argc, char **argv)
{
    static const struct predict_program program = {
        .name = "arow-predict",
        .summary = "Predict labels with a linear model of arow-train or LIBLINEAR.",
        .see_also = "arow-train(1)",
        .examples = "  arow-train data/iris.train iris.model && arow-predict data/iris.test "
                    "iris.model labels\n"};
    return predict_main(&program, argc, argv);
}
