/* kpca-train: kernel principal components of LIBSVM text, as a model for kpca-project. */
#include "common/base/input.h"
#include "common/base/memory.h"
#include "common/base/number.h"
#include "common/base/output.h"
#include "common/base/parallel.h"
#include "common/data/problem_file.h"
#include "common/kernel/isolated.h"
#include "common/program/option_rows.h"
#include "common/program/options.h"
#include "common/program/program.h"
#include "learners/features/kpca.h"

#include <stdio.h>
#include <string.h>

struct kpca_train {
    const char *data, *model;
    struct kpca_options options;
    struct example_format format;
    struct program_voice voice;
    FILE *info; /* where the report goes; NULL: nowhere */
};

/* What the dimensions that were found hold: of the variance or, with fewer landmarks than examples,
 * of what these explain of it. */
static void kpca_train_print(FILE *to, int64_t count, bool approximate,
                             const struct kpca_report *report)
{
    char dimensions[NUMBER_COUNTED];
    number_counted(count, "dimension", dimensions);
    if (report->variance <= report->all * (1 + 1e-9)) /* but for rounding */
        fprintf(to, "%s %s %.4g%% of the variance%s\n", dimensions, count == 1 ? "holds" : "hold",
                100 * report->variance / report->all,
                approximate ? " that the landmarks explain" : "");
    else
        fprintf(to,
                "%s; there is no share of the variance to tell, as the kernel is not positive "
                "semidefinite\n",
                dimensions);
}

static int kpca_train_run(struct kpca_train *job, struct error *err)
{
    struct kpca_options *o = &job->options;
    struct problem problem = {0};
    struct kernel_model model = {0};
    struct kpca_report report;
    char text[32], found[NUMBER_COUNTED];
    int status = -1;
    if (output_check(job->model, err) != 0
        || problem_hold(job->data, &job->format, o->threads, &problem, err) != 0)
        return -1;
    if (o->kernel.gamma == 0)
        o->kernel.gamma = 1 / (double)(problem.d > 0 ? problem.d : 1);
    const int64_t n = problem.n, landmarks = kpca_landmarks(o, n);
    double bytes = problem_bytes((double)n, (double)problem.nnz, false) + kpca_bytes(o, &problem);
    if (job->info) {
        char examples[NUMBER_COUNTED], features[NUMBER_COUNTED];
        fprintf(job->info, "%s, %s; ", number_counted(n, "example", examples),
                number_counted(problem.d, "feature", features));
        if (landmarks > 0)
            fprintf(job->info, "%s; ", number_counted(landmarks, "landmark", found));
        fprintf(job->info, "memory: %s\n", memory_text(bytes, text));
        fflush(job->info);
    }
    if (memory_check(bytes,
                     landmarks > 0 ? "the work with these landmarks"
                                   : "the kernel matrix (-n works with landmarks)",
                     err)
        == 0) {
        struct progress progress = progress_start(job->voice.quiet, "rows");
        progress_phase(&progress, "kernel matrix");
        status = kpca_train(&problem, o, &model, &report, &progress, err);
    }
    problem_free(&problem);
    if (status != 0) {
        error_name(err, input_name(job->data));
        goto done;
    }
    if (o->kernel.type == KERNEL_RBF) {
        const struct findings to = program_findings(&job->voice);
        isolated_warn(&to, report.isolated, n, "examples", landmarks > 0 ? "landmarks" : "others",
                      o->kernel.gamma);
    }
    model.unit_length = job->format.unit_length;
    model.zero_based = job->format.zero_based;
    if (job->info)
        kpca_train_print(job->info, model.columns, landmarks > 0 && landmarks < n, &report);
    if (!job->voice.quiet && model.columns < o->dimensions)
        program_note(job->voice.name, "%s instead of %lld: there is nothing in the others",
                     number_counted(model.columns, "dimension", found), (long long)o->dimensions);
    status = kernel_model_write(job->model, KERNEL_MODEL_COMPONENTS, &model, err);
done:
    kernel_model_free(&model);
    return status;
}

/* Notes of parameters that the kernel does not have. */
static void kpca_train_note_parameters(const struct program *program, const struct kernel *kernel)
{
    for (int i = 0; i < program->count; i++)
        if (program->options[i].given && !kernel_has(kernel, program->options[i].name))
            program_note(program->name, "--%s has no meaning with -t %s", program->options[i].name,
                         kernel_names[kernel->type]);
}

int main(int argc, char **argv)
{
    int64_t threads = parallel_processors(), unit_length;
    bool cut = false;
    struct kpca_train job = {.format = {.bias = -1, .unlabelled = true, .cut = &cut}};
    struct kpca_options *o = &job.options;
    struct option table[] = {
        {ROW_INT('D', "dimensions", &o->dimensions, "dims", 1, INT32_MAX), .by_default = "100",
         .help =
             "number of components, at most: those of largest variance; by default no more than "
             "-n"},
        {ROW_INT('n', "landmarks", &o->landmarks, "count", 1, INT32_MAX),
         .help =
             "approximate with this many landmarks, examples drawn at random (default: none for up "
             "to 10000 examples, else 2000, or twice -D)"},
        OPTIONS_OF_KERNEL(&o->kernel),
        OPTION_LENGTH(&unit_length),
        OPTION_ZERO_BASED(&job.format.zero_based),
        OPTION_SEED(&o->seed),
        OPTION_THREADS(&threads),
        OPTION_QUIET(&job.voice.quiet),
    };
    struct program program = {
        .name = "kpca-train",
        .words = "data model",
        .files = "rw",
        .summary = "Find the kernel principal components of LIBSVM text.",
        .details = "Writes a model with which kpca-project turns examples into few dense features; "
                   "labels have no influence. For up to 10000 examples the leading eigenvectors of "
                   "the whole kernel matrix are found; for more, or with -n, they are approximated "
                   "by landmarks. With as many landmarks as examples the result is exact.",
        .see_also = "kpca-project(1), fourier(1)",
        .examples = "  kpca-train -D 20 -g 0.002 data/digits.test digits.kpca\n  kpca-train -D 20 "
                    "-n 500 -g 0.002 data/digits.train digits.kpca\n"
                    "  kpca-project data/digits.train digits.kpca digits.projected\n",
        .fewest_words = 2,
        .most_words = 2,
        .options = table,
        .count = sizeof table / sizeof *table};
    const char *word[3];
    struct error err = {0};
    program_start();
    int go = options_parse(&program, argc, argv, word);
    if (go != OPTIONS_GO)
        return go;
    if (o->landmarks > 0 && o->landmarks < o->dimensions) {
        if (options_find(&program, "dimensions")->given)
            return options_refuse(
                &program, "-n %lld landmarks give at most as many dimensions: -D %lld is too many",
                (long long)o->landmarks, (long long)o->dimensions);
        o->dimensions = o->landmarks;
    }
    o->kernel.type %= KERNELS;
    o->threads = (int)threads;
    job.voice.name = program.name;
    job.data = word[0];
    job.model = word[1];
    job.format.unit_length = unit_length == 1;
    if (!job.voice.quiet) {
        kpca_train_note_parameters(&program, &o->kernel);
        job.info = strcmp(job.model, "-") == 0 ? stderr : stdout;
    }
    const int failed = kpca_train_run(&job, &err) != 0;
    program_warn_cut(program.name, NULL, !failed && cut, word[0]);
    return program_end(&program, failed, &err);
}
