/* rcnbf-predict: labels for LIBSVM text with a linear model of rcnbf-train or LIBLINEAR. */
#include "common/program/predict_main.h"
#include "learners/bandit/bandit.h"

int main(int argc, char **argv)
{
    static const struct predict_program program = {
        .name = "rcnbf-predict",
        .summary = "Predict labels with a linear model of rcnbf-train or LIBLINEAR.",
        .see_also = "rcnbf-train(1)",
        .examples = "  rcnbf-train data/iris.train iris.model && rcnbf-predict data/iris.test "
                    "iris.model labels\n",
        .learners = bandit_rule_names};
    return predict_main(&program, argc, argv);
}
