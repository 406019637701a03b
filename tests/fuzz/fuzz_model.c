/* Any bytes as a linear model: refused with a reason, or a model of finite numbers, from which an
 * online learner or one from right-or-wrong answers goes on, or says why it cannot.  What a learner
 * writes can be read, and read and written again it is the same. */
#include "common/base/input.h"
#include "common/base/memory.h"
#include "common/model/mapped_scores.h"
#include "common/model/model.h"
#include "driver.h"
#include "learners/bandit/bandit.h"
#include "learners/forward/forward.h"
#include "learners/online/online.h"

#include <math.h>
#include <string.h>

const char *const fuzz_seeds[] = {
    "solver_type MCSVM_CS\nnr_class 3\nlabel 1 2 3\nnr_feature 2\nbias 1\nw\n0.5 -1 2 \n1e-5 0 0 "
    "\n0 0 0.25 \n",
    "solver_type L2R_L2LOSS_SVC_DUAL\nnr_class 2\nlabel 2 1\nnr_feature 2\nbias -1\nw\n0.5 \n-0.25 "
    "\nlibdoubt 1\nlearner arow\nseed 1\n"
    "unit_length 0\nzero_based 0\nform diag\nr 1\nk 1\naverage 0\nrounds 2\nmistakes 2\nupdates "
    "2\nsigma\n0.5 \n0.5 \nend\n",
    "solver_type L2R_L2LOSS_SVC_DUAL\nnr_class 2\nlabel 2 1\nnr_feature 2\nbias -1\nw\n0.5 \n-0.25 "
    "\nlibdoubt 1\nlearner sop\nseed 1\n"
    "unit_length 1\nzero_based 0\nform full\na 1\naverage 1\nrounds 2\nmistakes 2\nupdates "
    "2\nsigma\n0.5 0 \n0 0.5 \nv\n1 \n2 \nsum\n0 \n0 \nend\n",
    "solver_type MCSVM_CS\nnr_class 3\nlabel 1 2 3\nnr_feature 1\nbias -1\nw\n0 0 0 \nlibdoubt "
    "1\nlearner adagrad-rda\nseed 1\nunit_length 0\n"
    "zero_based 1\neta 0.1\nlambda 0\ndelta 1\naverage 1\nrounds 1\nmistakes 1\nupdates 1\nu\n1 1 "
    "1 \nsquares\n1 1 1 \nsum\n0 0 0 \nlast\n0 0 0 \nend\n",
    "solver_type MCSVM_CS\nnr_class 3\nlabel 1 2 3\nnr_feature 1\nbias 1\nw\n0.5 0 -1 \n0 0.25 0 "
    "\nlibdoubt 1\nlearner forward\nseed 1\nunit_length 1\nzero_based 0\n"
    "eta 0.5\nlambda 0.01\ndelta 0.01\naverage 0\nrounds 3\nmistakes 1\nupdates 3\nmu\n0.5 0 -1 "
    "\n0 0.25 0 \nsquares\n1 1 2 \n1 1 1 \nseen\n3 \n2 \nconfusion\n"
    "0.75 0 0.5 \n0.25 1 0 \n0 0 0.5 \nend\n",
    "solver_type L2R_L2LOSS_SVC_DUAL\nnr_class 2\nlabel 2 1\nnr_feature 2\nbias -1\nw\n0.5 \n-0.25 "
    "\nlibdoubt 1\nlearner forward\nseed 1\nunit_length 0\nzero_based 0\n"
    "eta 0.5\nlambda 0\ndelta 0.01\naverage 0\nrounds 2\nmistakes 2\nupdates 2\nmu\n0.5 \n-0.25 "
    "\nsquares\n1 \n0.5 \nseen\n0 \n0 \nconfusion\n0.75 0.25 \n0.25 0.75 \nend\n",
    "solver_type MCSVM_CS\nnr_class 3\nlabel 1 2 3\nnr_feature 2\nbias -1\nw\n"
    "-0.7361 -0.2828 0 \n-0.5681 -0.2828 -0.2 \nlibdoubt 1\nlearner rcine\nseed 1\n"
    "unit_length 1\nzero_based 0\ngamma 0.1\nweights average\nplay_average 0\nperiod 20000\n"
    "estimator mlp\nhidden 4,2\ndropout 0.2\nepochs 70\nrounds 5\ndrawn 5\nrho0 0\nrho1 0\n"
    "current\n-0.9361 -0.7071 0 \n-0.9681 -0.7071 -1 \nsum\n-1 -2.121 0 \n-2 -2.121 -4 \nsaid\n"
    "0 0 \n0 0 \nend\n",
    "solver_type L2R_L2LOSS_SVC_DUAL\nnr_class 2\nlabel 2 1\nnr_feature 2\nbias -1\nw\n"
    "-0.1302 \n-1.673 \nlibdoubt 1\nlearner nsm\nseed 1\nunit_length 1\nzero_based 0\n"
    "gamma 0.1\nweights last\nplay_average 0\neta 0.5\nrounds 3\ndrawn 3\nrho0 0\nrho1 0\n"
    "current\n0.06509 -0.06509 \n0.8364 -0.8364 \nsquares\n0.7375 0.7375 \n0.142 0.142 \nend\n",
    "solver_type MCSVM_CS\nnr_class 3\nlabel 1 2 3\nnr_feature 2\nbias -1\nw\n"
    "-0.9361 -0.7071 0 \n-0.9681 -0.7071 -1 \nlibdoubt 1\nlearner banditron\nseed 1\n"
    "unit_length 1\nzero_based 0\ngamma 0.1\nweights last\nplay_average 0\nrounds 5\ndrawn 5\n"
    "rho0 0\nrho1 0\nend\n",
    "solver_type L2R_L2LOSS_SVC_DUAL\nnr_class 2\nlabel 2 1\nnr_feature 2\nbias 1\nw\n"
    "-0.9562 \n-0.6283 \n-0.9562 \nlibdoubt 1\nlearner soba\nseed 1\nunit_length 1\n"
    "zero_based 0\ngamma 0.1\nweights average\nplay_average 1\na 1\nfull 0\nmargins 0\n"
    "rounds 3\ndrawn 3\nrho0 0\nrho1 0\ncurrent\n0.4781 -0.4781 \n0.3141 -0.3141 \n"
    "0.4781 -0.4781 \nsum\n0 0 \n0 0 \n0 0 \nsigma\n0.6813 0.6813 \n0.8953 0.8953 \n"
    "0.6813 0.6813 \nend\n",
    "solver_type MCSVM_CS\nnr_class 3\nlabel 1 2 3\nnr_class 20\nnr_feature 1\nbias -1\nw\n"
    "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 \nlibdoubt 1\nlearner perceptron\n"
    "seed 1\nunit_length 0\nzero_based 0\naverage 0\nrounds 1\nmistakes 1\nupdates 1\nend\n",
    "map nystrom\nsolver_type L2R_L2LOSS_SVC_DUAL\nnr_class 2\nlabel 2 1\nnr_feature 2\nbias 1\nw\n"
    "0.5 \n-0.25 \n1 \nlibdoubt 1\nlearner perceptron\nseed 1\nunit_length 0\nzero_based 0\n"
    "map_dims 2\nmap_gamma 0.5\nmap_scales\n1 \n0 \n2.5 \nlandmarks 2\n1:1 3:0.5\n2:-1\n"
    "average 0\nrounds 1\nmistakes 1\nupdates 1\nend\n",
    "map nystrom\nsolver_type L2R_L2LOSS_SVC_DUAL\nnr_class 2\nlabel 2 1\nnr_feature 2\nbias 1\nw\n"
    "0.5 \n-0.25 \n1 \nlibdoubt 1\nlearner perceptron\nseed 1\nunit_length 0\nzero_based 0\n"
    "map_dims 2\nmap_gamma 0.5\nmap_metric 2\n1:2\n1:-1 5:0.5\nlandmarks 2\n1:1 5:0.5\n1:0 5:-1\n"
    "average 0\nrounds 1\nmistakes 1\nupdates 1\nend\n",
    "map fourier\nsolver_type MCSVM_CS\nnr_class 3\nlabel 1 2 3\nnr_feature 1\nbias -1\nw\n0.5 1 "
    "-1 \n"
    "libdoubt 1\nlearner perceptron\nseed 1\nunit_length 1\nzero_based 0\nmap_dims 1\n"
    "map_gamma 2\nmap_seed 3\naverage 0\nrounds 1\nmistakes 1\nupdates 1\nend\n",
};
const int fuzz_seed_count = sizeof fuzz_seeds / sizeof *fuzz_seeds;

/* Two features, the second of which the model need not know. */
static struct example make_example(void)
{
    static const int32_t index[] = {1, 5};
    static const double value[] = {0.5, -1};
    return (struct example){.line = 1, .size = 2, .index = index, .value = value};
}

struct saved {
    char *text;
    int64_t size;
};

/* What stands in the file that was saved. */
static struct saved read_saved(void)
{
    struct saved saved = {0};
    bool cut;
    fuzz_require(input_read(fuzz_output_path(), &saved.text, &saved.size, &cut, NULL) == 0);
    return saved;
}

/* Takes both. */
static bool same(struct saved a, struct saved b)
{
    bool equal = a.size == b.size && memcmp(a.text, b.text, (size_t)a.size) == 0;
    memory_free(a.text);
    memory_free(b.text);
    return equal;
}

static bool online_saves(const struct online *o, const struct data_form *file)
{
    struct error err = {0};
    if (online_save(o, file, fuzz_output_path(), 1, &err) == 0)
        return true;
    fuzz_require(err.message[0] != '\0');
    return false;
}

/* The learner in the file that was saved, which must have a map if and only if file->map is one. */
static struct online *load_saved_online(const struct data_form *file)
{
    struct model model = {0};
    struct data_form again;
    struct online *o;
    fuzz_require(model_read(fuzz_output_path(), 1, true, &model, NULL) == 0);
    struct feature_map map = model_take_map(&model);
    fuzz_require((map.kind != FEATURE_MAP_NONE) == (file->map != NULL));
    fuzz_require(!file->map || feature_map_equal(&map, feature_map_of(file->map)));
    fuzz_require((o = online_load(&model, &again, NULL)) != NULL);
    feature_map_free(&map);
    model_free(&model);
    return o;
}

/* Go on from the model, whose map was taken, by one round, which may find that the numbers are too
 * large. */
static void try_online(const struct model *model, struct feature_map *map)
{
    struct example x = make_example();
    struct data_form file;
    struct error err = {0};
    struct online *again, *o = online_load(model, &file, &err);
    fuzz_require(o || err.message[0] != '\0');
    if (!o)
        return;
    if (map->kind != FEATURE_MAP_NONE) {
        file.map = &map->base;
        x.size = 1; /* a map has one feature at least */
    }
    if (online_saves(o, &file)) {
        struct saved first = read_saved();
        again = load_saved_online(&file);
        fuzz_require(online_saves(again, &file) && same(first, read_saved()));
        online_free(again);
    }
    if (online_learn(o, &x, 0, 1, &err) != 0)
        fuzz_require(err.message[0] != '\0');
    else if (online_saves(o, &file))
        online_free(load_saved_online(&file));
    online_free(o);
}

static bool forward_saves(const struct forward *f, const struct data_form *form)
{
    struct error err = {0};
    if (forward_save(f, form, fuzz_output_path(), 1, &err) == 0)
        return true;
    fuzz_require(err.message[0] != '\0');
    return false;
}

/* The same of forward. */
static void try_forward(const struct model *model)
{
    const char *path = fuzz_output_path();
    const struct example x = make_example();
    struct data_form form;
    struct error err = {0};
    struct feature_map none = {.kind = FEATURE_MAP_NONE};
    struct forward *again, *f = forward_load(model, &form, &err);
    fuzz_require(f || err.message[0] != '\0');
    if (!f)
        return;
    if (forward_saves(f, &form)) {
        struct saved first = read_saved();
        fuzz_require((again = forward_load_file(path, 1, &form, &none, &err)) != NULL);
        fuzz_require(forward_saves(again, &form) && same(first, read_saved()));
        forward_free(again);
    }
    if (forward_learn(f, &x, 0, 1, &err) != 0)
        fuzz_require(err.message[0] != '\0');
    else if (forward_saves(f, &form)) {
        fuzz_require((again = forward_load_file(path, 1, &form, &none, &err)) != NULL);
        forward_free(again);
    }
    forward_free(f);
}

static bool bandit_saves(const struct bandit *b, const struct bandit_file *file)
{
    struct error err = {0};
    if (bandit_save(b, file, fuzz_output_path(), 1, &err) == 0)
        return true;
    fuzz_require(err.message[0] != '\0');
    return false;
}

/* The learner in the file that was saved. */
static struct bandit *load_saved_bandit(struct bandit_file *file)
{
    struct model model = {0};
    struct bandit *b;
    fuzz_require(model_read(fuzz_output_path(), 1, true, &model, NULL) == 0);
    fuzz_require((b = bandit_load(&model, -1, 1, file, NULL)) != NULL);
    model_free(&model);
    return b;
}

static void try_bandit(const struct model *model)
{
    const struct example x = make_example();
    struct bandit_file file;
    struct error err = {0};
    struct bandit *again, *b = bandit_load(model, -1, 1, &file, &err);
    fuzz_require(b || err.message[0] != '\0');
    if (!b)
        return;
    if (bandit_saves(b, &file)) {
        struct saved first = read_saved();
        again = load_saved_bandit(&file);
        fuzz_require(bandit_saves(again, &file) && same(first, read_saved()));
        bandit_free(again);
    }
    if (bandit_score(b, &x, &err) != 0 || bandit_learn(b, &x, 0, 0.5, 1, &err) != 0)
        fuzz_require(err.message[0] != '\0');
    else if (bandit_saves(b, &file))
        bandit_free(load_saved_bandit(&file));
    bandit_free(b);
}

/* The map of a model: what it promises is there; it maps and scores an example, or says why not. */
static void try_map(struct model *model)
{
    const struct feature_map *map = &model->map;
    const struct example x = make_example();
    struct mapped_scores scores = {.v = NULL};
    struct problem one = {.n = 0};
    struct error err = {0};
    double score[64];
    if (map->kind == FEATURE_MAP_NONE)
        return;
    fuzz_require(map->dims == model->d && map->dims > 0 && map->gamma > 0 && isfinite(map->gamma));
    fuzz_require(map->landmarks.n == (map->kind == FEATURE_MAP_NYSTROM ? map->dims : 0));
    if (model->w.columns > 64)
        return;
    fuzz_require(problem_append_example(&one, &x, NULL) == 0);
    if (mapped_scores_make(model, 1, &scores, &err) != 0
        || mapped_scores_of(&scores, &one, score, &err) != 0)
        fuzz_require(err.message[0] != '\0');
    mapped_scores_free(&scores);
    problem_free(&one);
    fuzz_require(model->map.kind == FEATURE_MAP_NONE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct model model = {0};
    struct error err = {0};
    if (model_read(fuzz_input_file(data, size), 1, true, &model, &err) != 0) {
        fuzz_require(err.message[0] != '\0' && !model.label && !model.entry && !model.block);
        return 0;
    }
    for (int64_t i = 0; i < model.w.rows; i++)
        for (int64_t k = 0; k < model.w.columns; k++)
            fuzz_require(isfinite(model.w.w[i * model.w.stride + k]));
    struct feature_map map = model_take_map(&model);
    try_online(&model, &map);
    try_forward(&model);
    try_bandit(&model);
    model.map = map;
    try_map(&model);
    model_free(&model);
    return 0;
}
