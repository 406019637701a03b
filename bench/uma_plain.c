/* uma_plain [options] DATA CONFUSION: UMA written plainly, as the tests have it, against uma_train:
 * how many times slower, and whether every pair, every count of passed-over pairs and the weights
 * are the same. */
#include "tests/unit/uma_plain.h"

#include "common/base/memory.h"
#include "common/base/parallel.h"
#include "common/data/problem_file.h"
#include "common/linalg/dense.h"
#include "common/model/confusion.h"
#include "common/program/option_rows.h"
#include "common/program/options.h"

#include <math.h>

static void bench_uma_report(const char *name, const struct uma_plain *run, double seconds)
{
    int64_t updates = run->result.iterations;
    printf("%s: %lld updates, stop %s, %.3f s, %.6f s an iteration\n", name, (long long)updates,
           uma_stops[run->result.stop], seconds, seconds / (double)(updates > 0 ? updates : 1));
}

static void bench_uma_compare(const struct uma_plain *plain, const struct uma_plain *fast,
                              int64_t weights)
{
    const struct uma_result *a = &plain->result, *b = &fast->result;
    int64_t t = 0, least = a->iterations < b->iterations ? a->iterations : b->iterations;
    double largest = 0, apart = 0;
    while (t < least && plain->updates[t].p == fast->updates[t].p
           && plain->updates[t].q == fast->updates[t].q
           && plain->updates[t].rejected == fast->updates[t].rejected)
        t++;
    for (int64_t j = 0; j < weights; j++) {
        largest = fmax(largest, fabs(a->w[j]));
        apart = fmax(apart, fabs(a->w[j] - b->w[j]));
    }
    if (t < least || a->iterations != b->iterations || a->stop != b->stop)
        printf("DIFFERENT after update %lld\n", (long long)t);
    else
        printf("all pairs are the same\n");
    printf("weights: %.3g apart, the largest is %.3g; closest decision of the plain loop: %.3g\n",
           apart, largest, plain->closest);
}

static int bench_uma_run(const char *data, const char *confusion, struct uma_options *options,
                         struct error *err)
{
    const struct example_format format = {.bias = -1, .unit_length = true};
    struct problem problem = {0};
    struct confusion C = {0};
    struct uma_plain plain = {0}, fast = {0};
    int32_t *y = NULL;
    double *inverse = NULL, rcond;
    int status = -1;
    if (problem_read(data, &format, options->threads, 0, &problem, err) != 0
        || confusion_read(confusion, &C, err) != 0 || !(y = memory_new(problem.n, sizeof *y, err))
        || problem_classes(&problem, &C.labels, data, y, err) != 0
        || !(inverse = memory_new(C.classes * C.classes, sizeof *inverse, err))
        || dense_invert(C.classes, C.c, inverse, &rcond, options->threads, err) != 0)
        goto done;
    const struct uma_data given = {
        .problem = &problem, .y = y, .n = problem.n, .K = C.classes, .inverse = inverse};
    double start = progress_clock();
    if (uma_fast(&given, options, &fast, err) != 0)
        goto done;
    double fast_seconds = progress_clock() - start;
    bench_uma_report("uma_train", &fast, fast_seconds);
    start = progress_clock();
    if (uma_plain(&given, options, &plain, err) != 0)
        goto done;
    double plain_seconds = progress_clock() - start;
    bench_uma_report("plain    ", &plain, plain_seconds);
    printf("ratio %.1f\n", plain_seconds / fast_seconds);
    bench_uma_compare(&plain, &fast, C.classes * ((int64_t)problem.d + 1));
    status = 0;
done:
    uma_plain_free(&plain);
    uma_plain_free(&fast);
    memory_free(y);
    memory_free(inverse);
    confusion_free(&C);
    problem_free(&problem);
    return status;
}

int main(int argc, char **argv)
{
    struct uma_options o = {.iterate = UMA_LAST};
    int64_t threads = parallel_processors();
    struct option table[] = {
        {ROW_CHOICE('s', "strategy", &o.strategy, "strategy", uma_strategies),
         .by_default = "error", .help = "as in uma-train"},
        {ROW_CHOICE('u', "update", &o.step, "update", uma_steps), .by_default = "perceptron",
         .help = "as in uma-train"},
        {ROW_CHOICE(0, "check", &o.check, "check", uma_checks), .by_default = "skip",
         .help = "as in uma-train"},
        {ROW_INT('i', "iterations", &o.iterations, "iterations", 1, 1e9), .by_default = "1000",
         .help = "at most"},
        {ROW_NUMBER('M', "tables", &o.table_bytes, "bytes", 0, OPTION_UNBOUNDED),
         .by_default = "4e9", .help = "what uma_train's tables may take"},
        OPTION_SEED(&o.seed),
        OPTION_THREADS(&threads),
    };
    struct program program = {.name = "uma_plain",
                              .words = "data confusion_file",
                              .summary = "UMA written plainly against uma_train.",
                              .fewest_words = 2,
                              .most_words = 2,
                              .options = table,
                              .count = sizeof table / sizeof *table};
    const char *word[3];
    struct error err = {0};
    int go = options_parse(&program, argc, argv, word);
    if (go != OPTIONS_GO)
        return go;
    o.threads = (int)threads;
    if (bench_uma_run(word[0], word[1], &o, &err) == 0)
        return 0;
    error_print(stderr, program.name, &err);
    return 1;
}
