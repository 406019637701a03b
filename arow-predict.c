/* arow-predict: labels for LIBSVM text from a model of arow-train, or from a linear one of LIBLINEAR's. */
#include "common/predict.h"
#include "learners/online.h"

int main(int argc, char **argv)
{
    return predict_main("arow-predict", "Predict labels with a linear model of arow-train's or of LIBLINEAR's.", online_rules, NULL, argc, argv);
}
