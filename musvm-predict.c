/* musvm-predict: labels for LIBSVM text with a model of musvm-train, or a linear one of LIBLINEAR;
 * and projections for histograms. */
#include "common/base/input.h"
#include "common/base/output.h"
#include "common/model/kernel_model.h"
#include "common/program/option_rows.h"
#include "common/program/predict_main.h"
#include "learners/musvm/projections.h"

#include <string.h>
#include <unistd.h>

struct histogram {
    const char *file, *universum; /* NULL: none */
    struct output out;
};

static int musvm_predict_check(void *context, const char *test, struct predict_options *options,
                               struct error *err)
{
    const struct histogram *h = context;
    (void)options;
    if (h->universum && !h->file)
        return error_usage(err, "--universum goes with --hop");
    if (h->file && input_is_pipe(test))
        return error_usage(err, "--hop reads the test file twice: it must be a regular file");
    return 0;
}

static int musvm_predict_begin(void *context, const struct predict_model *model, const char *test,
                               const struct predict_options *options, struct error *err)
{
    struct histogram *h = context;
    if (!h->file)
        return 0;
    if (output_open(&h->out, h->file, err) != 0
        || projections_write(model, test, h->universum, options, &h->out, err) != 0)
        return -1;
    return output_flush(&h->out, err);
}

static int musvm_predict_finish(void *context, struct error *err)
{
    struct histogram *h = context;
    return h->file ? output_commit(&h->out, err) : 0;
}

static bool musvm_predict_takes_stdout(const void *context)
{
    const struct histogram *h = context;
    return h->file && strcmp(h->file, "-") == 0;
}

int main(int argc, char **argv)
{
    struct histogram histogram = {.out = {.fd = -1}};
    struct option options[] = {
        {ROW_OUTPUT(0, "hop", &histogram.file, "file"),
         .help = "also write each test example's projection on its own class, for histograms of "
                 "projections"},
        {ROW_INPUT(0, "universum", &histogram.universum, "file"),
         .help =
             "with --hop: also write the projections of these samples on every class; their labels "
             "are ignored"},
    };
    struct predict_addition projections = {
        .options = options,
        .count = sizeof options / sizeof *options,
        .details =
            " Kernel models of musvm-train are read too.\n\n"
            "--hop writes projections, from which histograms are made, as a tab-separated table "
            "with the header `set class projection predicted`. It has a line with set `train` for "
            "each example of the test file (usually the training set) whose label the model has, "
            "and a line with set `universum` for each universum sample and class. The projection "
            "on a class is its score minus the largest score of another class.",
        .check = musvm_predict_check,
        .begin = musvm_predict_begin,
        .finish = musvm_predict_finish,
        .takes_stdout = musvm_predict_takes_stdout,
        .context = &histogram};
    const struct predict_program program = {
        .name = "musvm-predict",
        .summary = "Predict labels with a model of musvm-train, or a linear one of LIBLINEAR.",
        .see_also = "musvm-train(1)",
        .examples = "  musvm-train data/iris.train iris.model && musvm-predict -b 1 data/iris.test "
                    "iris.model scores\n",
        .svm_type = KERNEL_MODEL_CLASSIFIER,
        .addition = &projections};
    int status = predict_main(&program, argc, argv);
    output_abandon(&histogram.out);
    return status;
}
