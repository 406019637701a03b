/* label-noise: LIBSVM text with some labels replaced by others; everything else passes through byte
 * for byte, but for a byte order mark, which is dropped, and a last line without a newline, which
 * gets one.
 *
 *   -r rate   With probability `rate` a label becomes one of the K-1 others, all equally likely.
 *             Two numbers are drawn for every example whether it is changed or not, so which
 *             examples are changed does not depend on the labels.
 *   -c file   A label q becomes p with probability C[p,q] of a confusion matrix.  One number u is
 *             drawn for every example; p is the first class at which the sum of column q is above
 *             u. */
#include "common/base/input.h"
#include "common/base/memory.h"
#include "common/base/number.h"
#include "common/base/output.h"
#include "common/base/parallel.h"
#include "common/base/random.h"
#include "common/data/problem_file.h"
#include "common/data/stream.h"
#include "common/model/confusion.h"
#include "common/model/confusion_option.h"
#include "common/program/option_rows.h"
#include "common/program/options.h"
#include "common/program/program.h"

#include <string.h>

struct noise {
    double rate;
    struct confusion confusion; /* classes = 0: noise by rate */
    const char *confusion_name;
    double *sums; /* K x K: sums[q*K + p] = sum of C[0,q] .. C[p,q] */
    struct random random;
    struct labels labels;
    struct output out;
    int64_t examples, changed;
};

/* The new class of an example of class k. */
static int64_t label_noise_draw_class(struct noise *noise, int64_t k)
{
    double u = random_uniform(&noise->random);
    if (noise->confusion.classes == 0) {
        int64_t other = noise->labels.count > 1
                            ? random_below(&noise->random, noise->labels.count - 1)
                            : 0;
        return u < noise->rate ? other + (other >= k) : k;
    }
    const double *sums = noise->sums + k * noise->confusion.classes;
    int64_t low = 0, high = noise->confusion.classes - 1;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (sums[middle] > u)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Cumulative sums of the columns of C, for draw_class. */
static int label_noise_make_sums(struct noise *noise, struct error *err)
{
    const int64_t K = noise->confusion.classes;
    noise->sums = memory_new(K * K, sizeof *noise->sums, err);
    if (!noise->sums)
        return -1;
    for (int64_t q = 0; q < K; q++) {
        const double *column = noise->confusion.c + q;
        double sum = 0, *sums = noise->sums + q * K;
        int64_t last = 0; /* the last class that can be drawn */
        for (int64_t p = 0; p < K; p++) {
            sums[p] = sum += column[p * K];
            if (column[p * K] > 0)
                last = p;
        }
        for (int64_t p = last; p < K; p++)
            sums[p] = 1; /* rounding may have left it below 1, and u between the two */
    }
    return 0;
}

/* Write lines with noise; text: lines that have been parsed once without an error. */
static int label_noise_add_noise(struct noise *noise, const char *text, const char *end,
                                 const char *name, int64_t line, struct error *err)
{
    const struct example_format format = {.labels_only = true, .bias = -1};
    struct example x;
    for (const char *p = text; p < end; line++) {
        const char *start = p;
        if (example_parse(&p, end, &format, NULL, NULL, &x, err) != 1) {
            output_write(&noise->out, start, p - start);
            continue;
        }
        int64_t k = labels_require(&noise->labels, x.label, name, line, err);
        if (k < 0)
            return -1;
        int64_t other = label_noise_draw_class(noise, k);
        noise->examples++;
        if (other != k) {
            noise->changed++;
            output_relabelled(&noise->out, start, p - start, noise->labels.value[other]);
        } else {
            output_write(&noise->out, start, p - start);
        }
    }
    return 0;
}

/* Are there the classes of the matrix, or at least two where labels are to be replaced? */
static int label_noise_check_classes(const struct noise *noise, const char *name, struct error *err)
{
    if (noise->confusion.classes > 0) {
        if (noise->labels.count != noise->confusion.classes)
            return error_at(
                err, noise->confusion_name, 0, 0,
                "a matrix of %lld classes, but there %s %lld (--labels names all classes)",
                (long long)noise->confusion.classes, noise->labels.count == 1 ? "is" : "are",
                (long long)noise->labels.count);
        return 0;
    }
    if (noise->labels.count >= 2 || noise->rate <= 0)
        return 0;
    return error_at(err, name, 0, 0,
                    "only one class: there is no other label (--labels names all classes)");
}

/* Add noise to each chunk of a stream as it comes. */
static int label_noise_stream(struct noise *noise, struct stream *stream, const char *name,
                              struct error *err)
{
    int64_t lines = 0;
    struct chunk *chunk;
    int status;
    while ((status = stream_next(stream, &chunk, err)) > 0) {
        if (label_noise_add_noise(noise, chunk->text, chunk->text + chunk->text_size, name,
                                  lines + 1, err)
            != 0)
            return -1;
        lines += chunk->problem.lines;
        if (noise->out.failed) /* output_commit will say so */
            return 0;
    }
    return status;
}

/* The text of a stream that cannot be read twice. */
struct held_text {
    char *text; /* size bytes, and NUMBER_PAD zeros */
    int64_t size, capacity;
};

/* Append a chunk, and find its labels.  0 or -1 (memory). */
static int label_noise_append(struct noise *noise, struct held_text *held,
                              const struct chunk *chunk, struct error *err)
{
    const int64_t needed = held->size + chunk->text_size + NUMBER_PAD;
    if (memory_check((double)needed, "the text of a pipe without --labels", err) != 0)
        return -1;
    char *text = memory_reserve(held->text, &held->capacity, needed, 1, err);
    if (!text)
        return -1;
    held->text = text;
    memcpy(text + held->size, chunk->text, (size_t)chunk->text_size);
    held->size += chunk->text_size;
    memset(text + held->size, 0, NUMBER_PAD);
    return problem_add_labels(&chunk->problem, &noise->labels, err);
}

/* Hold all text of a stream, whose labels are the classes, then add noise. */
static int label_noise_hold(struct noise *noise, struct stream *stream, const char *name,
                            struct error *err)
{
    struct held_text held = {.size = 0};
    struct chunk *chunk;
    int status;
    while ((status = stream_next(stream, &chunk, err)) > 0)
        if (label_noise_append(noise, &held, chunk, err) != 0)
            break;
    labels_settle(&noise->labels);
    if (status == 0 && label_noise_check_classes(noise, name, err) == 0)
        status = label_noise_add_noise(noise, held.text, held.text + held.size, name, 1, err);
    else
        status = -1;
    memory_free(held.text);
    return status;
}

/* The classes of a file are found by reading it twice; a pipe is held if they are not known. */
static int label_noise_run(struct noise *noise, const char *path,
                           const struct example_format *format, int threads, struct error *err)
{
    const char *name = input_name(path);
    const struct stream_options options = {.format = *format, .threads = threads};
    if (noise->labels.count == 0 && input_is_file(path)
        && problem_scan(path, format, threads, &noise->labels, NULL, err) != 0)
        return -1;
    const bool known = noise->labels.count > 0;
    if (known && label_noise_check_classes(noise, name, err) != 0)
        return -1;
    struct stream *stream = stream_open(path, &options, err);
    if (!stream)
        return -1;
    int status = known ? label_noise_stream(noise, stream, name, err)
                       : label_noise_hold(noise, stream, name, err);
    stream_close(stream);
    return status;
}

/* Read the confusion file.  Its labels are the classes; where it has none, those of --labels or of
 * the data are. */
static int label_noise_read_confusion(struct noise *noise, const char *path, struct error *err)
{
    noise->confusion_name = input_name(path);
    if (confusion_read(path, &noise->confusion, err) != 0 || label_noise_make_sums(noise, err) != 0)
        return -1;
    return confusion_settle_labels(&noise->confusion, noise->confusion_name, "in --labels",
                                   &noise->labels, err);
}

int main(int argc, char **argv)
{
    int64_t seed, threads = parallel_processors();
    const char *labels = NULL, *confusion = NULL;
    bool quiet = false, cut = false;
    struct noise noise = {.out = {.fd = -1}};
    struct example_format format = {.bias = -1, .cut = &cut};
    struct option table[] = {
        {ROW_NUMBER('r', "rate", &noise.rate, "rate", 0, 1), .by_default = "0.2",
         .help = "probability that a label is replaced by another one, all equally likely"},
        {ROW_INPUT('c', "confusion", &confusion, "file"),
         .help = "draw the labels from the confusion matrix in this file instead; identity and "
                 "estimate are no keywords here"},
        OPTION_LABELS(&labels, "the confusion matrix, else of the data"),
        OPTION_ZERO_BASED(&format.zero_based),
        OPTION_SEED(&seed),
        OPTION_THREADS(&threads),
        OPTION_QUIET(&quiet),
    };
    struct program program = {
        .name = "label-noise",
        .words = "data > noisy",
        .files = "r",
        .summary = "Add label noise to LIBSVM text.",
        .details = "Writes the data with noisy labels to standard output; features and comments "
                   "pass through byte for byte. Standard error reports how many labels were "
                   "changed. A confusion matrix (as written by `confusion` and `synth noise`) "
                   "holds the probabilities of the new labels for each old one; without a header "
                   "its classes are in ascending order.",
        .see_also = "synth(1), confusion(1)",
        .examples = "  label-noise -r 0.2 -S 7 data/letter.train > noisy\n"
                    "  synth noise --flip 0.3 --labels 0-9 > matrix && label-noise -c matrix "
                    "data/digits.train > noisy\n",
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
    if (confusion && options_find(&program, "rate")->given)
        return options_refuse(&program, "-r and -c are two kinds of noise: give one of them");
    if (labels && labels_parse(labels, &noise.labels, &err) != 0)
        return program_end(&program, 1, &err);
    noise.random = random_seeded((uint64_t)seed, 0);
    int failed = (confusion && label_noise_read_confusion(&noise, confusion, &err) != 0)
                 || output_open(&noise.out, "-", &err) != 0
                 || label_noise_run(&noise, word[0], &format, (int)threads, &err) != 0
                 || output_commit(&noise.out, &err) != 0;
    output_abandon(&noise.out);
    char text[CONFUSION_OPTION_TEXT];
    if (!failed && noise.confusion.unseen > 0)
        program_warn(program.name, NULL, "%s: %s", noise.confusion_name,
                     confusion_option_unseen(noise.confusion.unseen, text));
    confusion_free(&noise.confusion);
    memory_free(noise.sums);
    labels_free(&noise.labels);
    if (!failed && !quiet)
        fprintf(stderr, "%lld of %lld labels changed (%.4g%%)\n", (long long)noise.changed,
                (long long)noise.examples, 100 * (double)noise.changed / (double)noise.examples);
    program_warn_cut(program.name, NULL, !failed && cut, word[0]);
    return program_end(&program, failed, &err);
}
