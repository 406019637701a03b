/* suspects: the lines of a data file whose labels are probably wrong; or the data without them. */
#include "common/base/input.h"
#include "common/base/memory.h"
#include "common/base/number.h"
#include "common/base/order.h"
#include "common/base/output.h"
#include "common/base/parallel.h"
#include "common/data/stream.h"
#include "common/model/confusion_option.h"
#include "common/program/option_rows.h"
#include "common/program/options.h"
#include "common/program/program.h"
#include "learners/forward/noisy_file.h"

#include <stdlib.h>
#include <string.h>

struct suspect {
    double score; /* posterior probability that the given label is the true class */
    int64_t i;
    int32_t suggested; /* class */
};

struct suspects {
    const char *path, *confusion, *labels;
    struct example_format format;
    struct estimate_options estimate;
    struct noisy_file file;
    struct suspect *suspect; /* n, in file order, then by score */
    struct output out;
    int64_t count; /* -n; < 0: those below the threshold */
    double threshold;
    bool clean, relabel, quiet;
};

static int suspects_by_score(const void *a, const void *b)
{
    const struct suspect *u = a, *v = b;
    return order_by(u->score, v->score, u->i, v->i);
}

/* The score of every example, and its likeliest class. */
static int suspects_find(struct suspects *job, struct error *err)
{
    const struct estimate *e = &job->file.estimate;
    const int64_t K = e->classes;
    double *r = memory_new(K, sizeof *r, err);
    int status = -1;
    if (!r || !(job->suspect = memory_new(e->n, sizeof *job->suspect, err)))
        goto done;
    for (int64_t i = 0; i < e->n; i++) {
        const int32_t y = job->file.y[i];
        em_posterior(e->c, K, e->p + i * K, y, r);
        job->suspect[i] = (struct suspect){r[y], i, (int32_t)weights_best(r, K)};
    }
    status = 0;
done:
    memory_free(r);
    return status;
}

/* For each class: examples with this label, how many of these labels are expected to be wrong, and
 * how many have a score below the threshold. */
static void suspects_print_table(const struct suspects *job)
{
    const int64_t K = job->file.estimate.classes;
    fprintf(stderr, "label     examples  expected wrong  below %g\n", job->threshold);
    for (int64_t k = 0; k < K; k++) {
        int64_t examples = 0, below = 0;
        double wrong = 0;
        for (int64_t i = 0; i < job->file.estimate.n; i++)
            if (job->file.y[i] == k) {
                examples++;
                wrong += 1 - job->suspect[i].score;
                below += job->suspect[i].score < job->threshold;
            }
        fprintf(stderr, "%-9ld %8lld  %14.1f  %9lld\n", (long)job->file.labels.value[k],
                (long long)examples, wrong, (long long)below);
    }
}

/* Write the list, the most suspicious first. */
static void suspects_write_list(struct suspects *job)
{
    const struct problem *p = &job->file.problem;
    const struct labels *labels = &job->file.labels;
    qsort(job->suspect, (size_t)p->n, sizeof *job->suspect, suspects_by_score);
    for (int64_t s = 0; s < p->n; s++) {
        const struct suspect *suspect = &job->suspect[s];
        const bool listed = job->count >= 0 ? s < job->count : suspect->score < job->threshold;
        if (!listed)
            break;
        char text[NUMBER_TEXT + 1];
        *number_write(text, suspect->score) = '\0';
        output_text(&job->out, "%lld\t%ld\t%ld\t%s\n", (long long)p->line[suspect->i],
                    (long)p->label[suspect->i], (long)labels->value[suspect->suggested], text);
    }
}

static int suspects_refuse_changed(const struct suspects *job, struct error *err)
{
    return error_at(err, job->path, 0, 0, "the file has changed while it was read");
}

/* Read the data again and write them without the examples below the threshold, or with the
 * suggested label there. */
static int suspects_write_data(struct suspects *job, struct error *err)
{
    const struct stream_options options = {.format = {.labels_only = true, .bias = -1},
                                           .threads = 1};
    struct stream *stream = stream_open(job->path, &options, err);
    struct chunk *chunk;
    int64_t i = 0;
    int status = stream ? 1 : -1;
    while (stream && !job->out.failed && (status = stream_next(stream, &chunk, err)) > 0) {
        const char *end = chunk->text + chunk->text_size;
        struct example x;
        for (const char *p = chunk->text; p < end;) {
            const char *line = p;
            if (example_parse(&p, end, &options.format, NULL, NULL, &x, err) != 1) {
                output_write(&job->out, line, p - line);
                continue;
            }
            if (i >= job->file.problem.n || job->file.problem.label[i] != x.label) {
                stream_close(stream);
                return suspects_refuse_changed(job, err);
            }
            const struct suspect *suspect = &job->suspect[i++];
            if (!(suspect->score < job->threshold))
                output_write(&job->out, line, p - line);
            else if (job->relabel)
                output_relabelled(&job->out, line, p - line,
                                  job->file.labels.value[suspect->suggested]);
        }
    }
    stream_close(stream);
    if (status == 0 && i < job->file.problem.n)
        return suspects_refuse_changed(job, err);
    return status < 0 ? -1 : 0;
}

static void suspects_warn(void *context, const char *text)
{
    (void)context;
    fprintf(stderr, "suspects: warning: %s\n", text);
}

static int suspects_run(struct suspects *job, struct error *err)
{
    struct progress progress = progress_start(job->quiet, "fits");
    job->estimate.fit.progress = &progress;
    int status = noisy_file_estimate(job->path, &job->format, job->confusion, &job->estimate,
                                     &job->file, err);
    progress_wipe(&progress);
    if (status != 0 || suspects_find(job, err) != 0 || output_open(&job->out, "-", err) != 0)
        return -1;
    if (!job->quiet) {
        if (confusion_option_estimates(job->confusion)) {
            estimate_print(&job->file.estimate, &job->file.labels, stderr);
            estimate_warn(&job->file.estimate, &job->file.labels, suspects_warn, NULL);
        }
        suspects_print_table(job);
    }
    if (!job->clean && !job->relabel)
        suspects_write_list(job);
    else if (suspects_write_data(job, err) != 0)
        return -1;
    return output_commit(&job->out, err);
}

int main(int argc, char **argv)
{
    int64_t unit_length, threads = parallel_processors();
    struct suspects job = {.out = {.fd = -1},
                           .count = -1,
                           .estimate = {.fit = {.lambda = -1, .steps = -1}, .features = -1}};
    struct option table[] = {
        {ROW_INPUT('c', "confusion", &job.confusion, "file"), .choices = confusion_option_words,
         .by_default = "estimate",
         .help = "the confusion matrix of the labels; estimate: estimate it from the labels"},
        {ROW_INT('n', "count", &job.count, "count", 0, OPTION_LARGEST_INT),
         .help = "list this many (default: those whose score is below the threshold)"},
        {ROW_FLAG(0, "clean", &job.clean),
         .help = "write the data without the examples whose score is below the threshold"},
        {ROW_FLAG(0, "relabel", &job.relabel),
         .help = "write the data, with the suggested label where the score is below the threshold"},
        {ROW_NUMBER(0, "threshold", &job.threshold, "p", 0, 1), .by_default = "0.5",
         .help = "threshold on the score, the probability that a label is right"},
        OPTION_FEATURES(&job.estimate.features),
        OPTION_LABELS(&job.labels, "the confusion file, or of the data"),
        OPTION_BIAS(&job.format.bias),
        OPTION_UNIT_LENGTH(&unit_length, "1"),
        OPTION_ZERO_BASED(&job.format.zero_based),
        OPTION_SEED(&job.estimate.fit.seed),
        OPTION_THREADS(&threads),
        OPTION_QUIET(&job.quiet),
    };
    struct program program = {
        .name = "suspects",
        .words = "data > list",
        .files = "r",
        .summary =
            "List the examples whose labels are probably wrong, or write the data without them.",
        .details =
            "No clean label is needed. Writes `line given suggested score`, separated by tabs, the "
            "most suspicious first: `line` counts lines of the data, the score is the probability "
            "that the given label is right, by cross-fitted predictions and the confusion matrix. "
            "A table with a line for each label goes to standard error. With --clean or --relabel "
            "the data are written instead, unchanged but for these examples.",
        .see_also = "forward-train(1), confusion(1)",
        .papers = "Northcutt, Jiang and Chuang, Confident learning, JAIR 70, 2021.",
        .examples = "  label-noise -r 0.2 data/digits.train > noisy && suspects -n 20 noisy\n"
                    "  suspects --clean noisy > kept && suspects --relabel --threshold 0.1 noisy > "
                    "mended\n",
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
    job.path = word[0];
    if (strcmp(job.confusion, "-") == 0 && strcmp(job.path, "-") == 0)
        return options_refuse(&program,
                              "data and confusion matrix cannot both come from standard input");
    if ((job.clean || job.relabel) && job.count >= 0)
        return options_refuse(&program,
                              "-n is of the list: --clean and --relabel go by --threshold");
    if ((job.clean || job.relabel) && !input_is_file(job.path))
        return options_refuse(&program,
                              "--clean and --relabel read the data twice: they need a file");
    int status = job.labels ? labels_parse(job.labels, &job.file.labels, &err) : 0;
    if (status > 0)
        return options_refuse(&program, "--labels: %s", err.message);
    job.format.unit_length = unit_length == 1;
    job.estimate.fit.threads = (int)threads;
    int failed = status != 0 || suspects_run(&job, &err) != 0;
    output_abandon(&job.out);
    noisy_file_free(&job.file);
    memory_free(job.suspect);
    return program_end(program.name, failed, &err);
}
