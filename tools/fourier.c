/* fourier: LIBSVM text mapped to random Fourier features. */
#include "learners/features/fourier.h"

#include "common/base/parallel.h"
#include "common/data/feature_file.h"
#include "common/program/option_rows.h"
#include "common/program/options.h"
#include "common/program/program.h"

#include <pthread.h>

/* The map grows when a new feature occurs: a read-write lock, exclusive while it grows. */
struct shared {
    struct fourier fourier;
    pthread_rwlock_t lock;
};

/* A feature_map: z of a chunk, by as many threads as there are. */
static int fourier_map_some(void *context, const struct problem *some, double *z, struct error *err)
{
    struct shared *shared = context;
    pthread_rwlock_rdlock(&shared->lock);
    int status = 0;
    if (some->d >= shared->fourier.a.rows) {
        pthread_rwlock_unlock(&shared->lock);
        pthread_rwlock_wrlock(&shared->lock);
        status = fourier_grow(&shared->fourier, some->d, err);
        pthread_rwlock_unlock(&shared->lock);
        pthread_rwlock_rdlock(&shared->lock);
    }
    if (status == 0)
        status = fourier_map(&shared->fourier, some, z, err);
    pthread_rwlock_unlock(&shared->lock);
    return status;
}

int main(int argc, char **argv)
{
    int64_t threads = parallel_processors(), dims, seed, unit_length;
    double gamma;
    struct shared shared = {.fourier = {.b = NULL}};
    struct feature_map features = {
        .map = fourier_map_some, .context = &shared, .format = {.bias = -1}};
    struct option table[] = {
        {ROW_INT('D', "dims", &dims, "dims", 1, 1000000),
         .help = "number of features to write (required)"},
        {ROW_NUMBER('g', "gamma", &gamma, "gamma", OPTION_ABOVE_0, OPTION_UNBOUNDED),
         .help = "gamma of the kernel exp(-gamma |u-v|^2) (required)"},
        OPTION_UNIT_LENGTH(&unit_length, "0"),
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
    pthread_rwlock_init(&shared.lock, NULL);
    int failed = fourier_make(dims, gamma, seed, &shared.fourier, &err) != 0
                 || feature_file(&features, word[0], "-", &err) != 0;
    pthread_rwlock_destroy(&shared.lock);
    fourier_free(&shared.fourier);
    return program_end(program.name, failed, &err);
}
