/* uma-predict: labels for LIBSVM text from a model of uma-train, or from a linear one of LIBLINEAR's. */
#include "common/predict.h"

int main(int argc, char **argv)
{
    static const char *const learners[] = {"uma", NULL};
    return predict_main("uma-predict", "Predict labels with a linear model of uma-train's or of LIBLINEAR's.", learners, NULL, argc, argv);
}
