/* forward-predict: labels for LIBSVM text with a model of forward-train, which may be one on
 * features of a kernel, or a linear one of LIBLINEAR. */
#include "common/program/predict_main.h"

int main(int argc, char **argv)
{
    static const struct predict_program program = {
        .name = "forward-predict",
        .summary = "Predict labels with a model of forward-train or a linear one of LIBLINEAR.",
        .see_also = "forward-train(1)",
        .examples = "  forward-train data/iris.train iris.model && forward-predict -m "
                    "data/iris.test iris.model labels\n",
        .probabilities = true};
    return predict_main(&program, argc, argv);
}
