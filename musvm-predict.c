/* musvm-predict: labels for LIBSVM text from a model of musvm-train, or from a linear one of
 * LIBLINEAR's. */
#include "common/model/predict.h"

int main(int argc, char **argv)
{
    static const char *const learners[] = {"mu-svm",    "m-svm",     "svm-ova",  "svm-ovo",
                                           "u-svm-ova", "u-svm-ovo", "s3vm-ova", NULL};
    static const struct predict_program program = {
        .name = "musvm-predict",
        .summary =
            "Predict labels with a model of musvm-train's, or with a linear one of LIBLINEAR's.",
        .learners = learners,
        .svm_type = "mu_svc",
        .projections = true};
    return predict_main(&program, argc, argv);
}
