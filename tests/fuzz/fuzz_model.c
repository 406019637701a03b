/* Any bytes as a model: refused with a reason, or a model of finite numbers that can be gone on from or says why not. */
#include "../../common/model.h"
#include "../../learners/online.h"
#include "driver.h"

#include <math.h>

const char *const fuzz_seeds[] = {
    "solver_type MCSVM_CS\nnr_class 3\nlabel 1 2 3\nnr_feature 2\nbias 1\nw\n0.5 -1 2 \n1e-5 0 0 \n0 0 0.25 \n",
    "solver_type L2R_L2LOSS_SVC_DUAL\nnr_class 2\nlabel 2 1\nnr_feature 2\nbias -1\nw\n0.5 \n-0.25 \nlibdoubt 1\nlearner arow\nseed 1\n"
    "unit_length 0\nzero_based 0\nform diag\nr 1\nk 1\naverage 0\nrounds 2\nmistakes 2\nupdates 2\nsigma\n0.5 \n0.5 \nend\n",
    "solver_type L2R_L2LOSS_SVC_DUAL\nnr_class 2\nlabel 2 1\nnr_feature 2\nbias -1\nw\n0.5 \n-0.25 \nlibdoubt 1\nlearner sop\nseed 1\n"
    "unit_length 1\nzero_based 0\nform full\na 1\naverage 1\nrounds 2\nmistakes 2\nupdates 2\nsigma\n0.5 0 \n0 0.5 \nv\n1 \n2 \nsum\n0 \n0 \nend\n",
    "solver_type MCSVM_CS\nnr_class 3\nlabel 1 2 3\nnr_feature 1\nbias -1\nw\n0 0 0 \nlibdoubt 1\nlearner adagrad-rda\nseed 1\nunit_length 0\n"
    "zero_based 1\neta 0.1\nlambda 0\ndelta 1\naverage 1\nrounds 1\nmistakes 1\nupdates 1\nu\n1 1 1 \nsquares\n1 1 1 \nsum\n0 0 0 \nlast\n0 0 0 \nend\n",
    "solver_type MCSVM_CS\nnr_class 3\nlabel 1 2 3\nnr_feature 1\nbias 1\nw\n0.5 0 -1 \n0 0.25 0 \nlibdoubt 1\nlearner forward\nseed 1\nunit_length 1\nzero_based 0\n"
    "eta 0.5\nlambda 0.01\ndelta 0.01\naverage 0\nrounds 3\nmistakes 1\nupdates 3\nmu\n0.5 0 -1 \n0 0.25 0 \nsquares\n1 1 2 \n1 1 1 \nseen\n3 \n2 \nconfusion\n"
    "0.75 0 0.5 \n0.25 1 0 \n0 0 0.5 \nend\n",
    "solver_type L2R_L2LOSS_SVC_DUAL\nnr_class 2\nlabel 2 1\nnr_feature 2\nbias -1\nw\n0.5 \n-0.25 \nlibdoubt 1\nlearner forward\nseed 1\nunit_length 0\nzero_based 0\n"
    "eta 0.5\nlambda 0\ndelta 0.01\naverage 0\nrounds 2\nmistakes 2\nupdates 2\nmu\n0.5 \n-0.25 \nsquares\n1 \n0.5 \nseen\n0 \n0 \nconfusion\n0.75 0.25 \n0.25 0.75 \nend\n",
};
const int fuzz_seed_count = sizeof fuzz_seeds / sizeof *fuzz_seeds;

/* Go on from the model by one round, which may find that the numbers are too large, or be told why
 * not. */
static void check_going_on(const struct model *model)
{
    struct online_file file;
    struct error err = {0};
    struct online *o = online_load(model, &file, &err);
    fuzz_require(o || err.message[0] != '\0');
    if (!o)
        return;
    int32_t index[] = {1, 5};
    double value[] = {0.5, -1};
    struct example x = {.line = 1, .size = 2, .index = index, .value = value};
    if (online_learn(o, &x, 0, &err) < 0)
        fuzz_require(err.message[0] != '\0');
    online_free(o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct model model = {0};
    struct error err = {0};
    if (model_read(fuzz_input_file(data, size), 1, 1, &model, &err) != 0) {
        fuzz_require(err.message[0] != '\0' && !model.label && !model.entry && !model.block);
        return 0;
    }
    for (int64_t i = 0; i < model.w.rows; i++)
        for (int64_t k = 0; k < model.w.columns; k++)
            fuzz_require(isfinite(model.w.w[i * model.w.stride + k]));
    check_going_on(&model);
    model_free(&model);
    return 0;
}
