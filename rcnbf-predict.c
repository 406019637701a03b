/* rcnbf-predict: labels for LIBSVM text from a model of rcnbf-train, or from a linear one of LIBLINEAR's. */
#include "common/predict.h"
#include "learners/bandit.h"

int main(int argc, char **argv)
{
    return predict_main("rcnbf-predict", "Predict labels with a linear model of rcnbf-train's or of LIBLINEAR's.", bandit_rules, NULL, argc, argv);
}
