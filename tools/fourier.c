/* fourier: LIBSVM text mapped to random Fourier features. */
#include "common/base/parallel.h"
#include "common/data/feature_file.h"
#include "common/kernel/feature_map.h"
#include "common/program/option_rows.h"
#include "common/program/options.h"
#include "common/program/program.h"

/* For feature_file: z of some examples of a chunk. */
static int fourier_map_some(void *context, const struct problem *some, double *z, struct error *err)
{
    return feature_map_rows(context, some, z, err);
}

int main(int argc, char **argv)
{
    int64_t threads = parallel_processors(), dims, seed, unit_length;
    double gamma;
    bool cut = false;
    struct feature_map map = {.kind = FEATURE_MAP_FOURIER};
    struct feature_file features = {
        .map = fourier_map_some, .context = &map, .format = {.bias = -1, .cut = &cut}};
    struct option table[] = {
        {ROW_INT('D', "dims", &dims, "dims", 1, FEATURE_MAP_MOST_DIMS),
         .help = "number of features to write (required)"},
        {ROW_NUMBER('g', "gamma", &gamma, "gamma", OPTION_ABOVE_0, OPTION_UNBOUNDED),
         .help = "gamma of the kernel exp(-gamma |u-v|^2) (required)"},
        OPTION_LENGTH(&unit_length),
        OPTION_ZERO_BASED(&features.format.zero_based),
        OPTION_SEED(&seed),
        OPTION_THREADS(&threads),
        OPTION_QUIET(&features.quiet),
    };
    struct program program = {
        .name = "fourier",
        .words = "data > features",
        .files = "r",
        .summary = "Map LIBSVM text to random Fourier features: an RBF kernel for linear learners.",
        .details = "Writes `label 1:z1 ... D:zD` for each example; labels pass through and may be "
                   "`?`. Nothing is fitted: with the same seed, -D and -g, training and test data "
                   "are mapped alike. The data are streamed. The inner product of two examples' "
                   "features approximates their RBF kernel.",
        .see_also = "kpca-train(1)",
        .papers = "Rahimi and Recht, Random features for large-scale kernel machines, NIPS 2007.",
        .examples = "  fourier -D 500 -g 0.002 data/digits.train > train && fourier -D 500 -g "
                    "0.002 data/digits.test > test\n"
                    "  arow-train -A train model && arow-predict test model labels\n",
        .fewest_words = 1,
        .most_words = 1,
        .options = table,
        .count = sizeof table / sizeof *table};
    const char *word[2];
    struct error err = {0};
    program_start();
    int go = options_parse(&program, argc, argv, word);
    if (go != OPTIONS_GO)
        return go;
    if (!options_find(&program, "dims")->given || !options_find(&program, "gamma")->given)
        return options_refuse(&program, "-D and -g are needed");
    features.columns = dims;
    features.format.unit_length = unit_length == 1;
    features.threads = (int)threads;
    map = feature_map_make(FEATURE_MAP_FOURIER, dims, gamma, seed);
    int failed = feature_map_prepare(&map, 1, &err) != 0
                 || feature_file(&features, word[0], "-", &err) != 0;
    feature_map_free(&map);
    program_warn_cut(program.name, NULL, !failed && cut, word[0]);
    return program_end(&program, failed, &err);
}
