/* universum: samples that belong to no class, by random averaging (Weston, Collobert, Sinz, Bottou
 * and Vapnik 2006; Dhar, Cherkassky and Shah 2019).
 *
 *     each sample is the mean of K examples, one drawn from every class
 *
 * For each sample one random number is drawn per class, in ascending order of the labels, which
 * picks an example uniformly from that class; so fewer samples (-m) are a prefix of more.  Values
 * are summed in that order, feature by feature, and divided by K. */
#include "common/base/input.h"
#include "common/base/memory.h"
#include "common/base/number.h"
#include "common/base/output.h"
#include "common/base/parallel.h"
#include "common/base/random.h"
#include "common/data/problem_file.h"
#include "common/program/option_rows.h"
#include "common/program/options.h"
#include "common/program/program.h"

/* A sum of examples, sparse: entries by ascending index. */
struct sum {
    int64_t size, capacity, value_capacity;
    int32_t *index;
    double *value;
};

struct universum {
    const char *name; /* of the data */
    struct problem problem;
    struct labels labels;
    int64_t *first;  /* K + 1: examples of class k are member[first[k]] .. member[first[k+1]-1] */
    int64_t *member; /* n, in the order of the data */
    struct sum sum, next;
};

/* Group the examples by class (a counting sort). */
static int universum_sort_by_class(struct universum *u, struct error *err)
{
    const int64_t n = u->problem.n, K = u->labels.count;
    u->first = memory_new(K + 1, sizeof *u->first, err);
    u->member = memory_new(n, sizeof *u->member, err);
    int32_t *y = memory_new(n, sizeof *y, err);
    int status = u->first && u->member && y
                     ? problem_classes(&u->problem, &u->labels, u->name, y, err)
                     : -1;
    if (status == 0) {
        for (int64_t i = 0; i < n; i++)
            u->first[y[i]]++;
        for (int64_t k = 1; k <= K; k++)
            u->first[k] += u->first[k - 1];
        for (int64_t i = n - 1; i >= 0; i--) /* first[k] walks down from the end of class k */
            u->member[--u->first[y[i]]] = i;
    }
    memory_free(y);
    return status;
}

static int universum_reserve(struct sum *sum, int64_t size, struct error *err)
{
    int32_t *index = memory_reserve(sum->index, &sum->capacity, size, sizeof *index, err);
    if (!index)
        return -1;
    sum->index = index;
    double *value = memory_reserve(sum->value, &sum->value_capacity, size, sizeof *value, err);
    if (!value)
        return -1;
    sum->value = value;
    return 0;
}

/* to = from + x, by merging: with indices up to 2^31 a dense array would be too large. */
static int universum_add(const struct sum *from, const struct example *x, struct sum *to,
                         struct error *err)
{
    int64_t a = 0, b = 0, size = 0;
    if (universum_reserve(to, from->size + x->size, err) != 0)
        return -1;
    while (a < from->size || b < x->size) {
        if (b >= x->size || (a < from->size && from->index[a] < x->index[b])) {
            to->index[size] = from->index[a];
            to->value[size] = from->value[a++];
        } else {
            bool both = a < from->size && from->index[a] == x->index[b];
            to->index[size] = x->index[b];
            to->value[size] = (both ? from->value[a] : 0) + x->value[b];
            a += both;
            b++;
        }
        size++;
    }
    to->size = size;
    return 0;
}

/* Write sum / K as an example of label 0, without entries that are 0. */
static int universum_write_mean(const struct sum *sum, double K, bool zero_based, const char *name,
                                struct output *out, struct error *err)
{
    output_write(out, "0", 1);
    for (int64_t e = 0; e < sum->size; e++) {
        char text[NUMBER_ENTRY];
        const int64_t index = (int64_t)sum->index[e] - zero_based;
        const double value = sum->value[e] / K;
        if (value - value != 0)
            return error_at(err, name, 0, 0, "feature %ld: an average is too large for a double",
                            (long)index);
        if (value == 0)
            continue;
        output_write(out, text, number_write_entry(text, index, value) - text);
    }
    output_write(out, "\n", 1);
    return 0;
}

/* Draw and write the samples. */
static int universum_write_samples(struct universum *u, int64_t count, uint64_t seed,
                                   bool zero_based, struct output *out, struct error *err)
{
    const int64_t K = u->labels.count;
    struct random g = random_seeded(seed, RANDOM_UNIVERSUM);
    for (int64_t i = 0; i < count; i++) {
        if (out->failed)
            break;
        u->sum.size = 0;
        for (int64_t k = 0; k < K; k++) {
            int64_t drawn =
                u->member[u->first[k] + random_below(&g, u->first[k + 1] - u->first[k])];
            struct example x = problem_example(&u->problem, drawn);
            if (universum_add(&u->sum, &x, &u->next, err) != 0)
                return -1;
            struct sum sum = u->sum;
            u->sum = u->next;
            u->next = sum;
        }
        if (universum_write_mean(&u->sum, (double)K, zero_based, u->name, out, err) != 0)
            return -1;
    }
    return 0;
}

static void universum_free(struct universum *u)
{
    problem_free(&u->problem);
    labels_free(&u->labels);
    memory_free(u->first);
    memory_free(u->member);
    memory_free(u->sum.index);
    memory_free(u->sum.value);
    memory_free(u->next.index);
    memory_free(u->next.value);
}

/* With a single class the "averages" would be its own examples. */
static int universum_check_classes(const struct universum *u, struct error *err)
{
    if (u->labels.count >= 2)
        return 0;
    return error_at(err, u->name, 0, 0, "only one class, %ld: there is no other to average with",
                    (long)u->labels.value[0]);
}

int main(int argc, char **argv)
{
    int64_t count = 0, seed, threads = parallel_processors();
    bool quiet = false, cut = false;
    struct example_format format = {.bias = -1, .cut = &cut};
    struct universum u = {.name = NULL};
    struct output out = {.fd = -1};
    struct option table[] = {
        {ROW_INT('m', "count", &count, "count", 1, OPTION_LARGEST_INT),
         .help = "number of samples (default: as many as the data have examples)"},
        OPTION_ZERO_BASED(&format.zero_based),
        OPTION_SEED(&seed),
        OPTION_THREADS(&threads),
        OPTION_QUIET(&quiet),
    };
    struct program program = {
        .name = "universum",
        .words = "data > random_averages",
        .files = "r",
        .summary = "Make universum samples by random averaging.",
        .details = "Each sample is the mean of one example from every class, drawn uniformly from "
                   "it. Writes LIBSVM text to standard output, with the label 0 and with indices "
                   "from 0 or 1, as in the data. Such samples belong to no class, and a learner "
                   "should assign them to none.",
        .see_also = "musvm-train(1)",
        .examples = "  universum -m 500 -S 7 data/digits.train > digits.universum\n",
        .fewest_words = 1,
        .most_words = 1,
        .options = table,
        .count = sizeof table / sizeof *table};
    const char *word[2];
    char averages[NUMBER_COUNTED], classes[NUMBER_COUNTED], examples[NUMBER_COUNTED];
    struct error err = {0};
    program_start();
    int go = options_parse(&program, argc, argv, word);
    if (go != OPTIONS_GO)
        return go;
    u.name = input_name(word[0]);
    int failed = problem_hold(word[0], &format, (int)threads, &u.problem, &err) != 0
                 || problem_labels(&u.problem, &u.labels, &err) != 0
                 || universum_check_classes(&u, &err) != 0
                 || universum_sort_by_class(&u, &err) != 0;
    if (!options_find(&program, "count")->given)
        count = u.problem.n;
    failed = failed || output_open(&out, "-", &err) != 0
             || universum_write_samples(&u, count, (uint64_t)seed, format.zero_based, &out, &err)
                    != 0
             || output_commit(&out, &err) != 0;
    output_abandon(&out);
    if (!failed && !quiet)
        fprintf(stderr, "%s over %s of %s\n", number_counted(count, "average", averages),
                number_counted(u.labels.count, "class", classes),
                number_counted(u.problem.n, "example", examples));
    universum_free(&u);
    program_warn_cut(program.name, NULL, !failed && cut, word[0]);
    return program_end(&program, failed, &err);
}
