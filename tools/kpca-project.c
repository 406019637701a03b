/* kpca-project: LIBSVM text projected on the kernel principal components that kpca-train found. */
#include "common/base/parallel.h"
#include "common/program/option_rows.h"
#include "common/program/options.h"
#include "common/program/program.h"
#include "learners/features/kpca.h"

int main(int argc, char **argv)
{
    int64_t threads = parallel_processors();
    bool cut = false;
    struct kpca_projection options = {.cut = &cut};
    struct option table[] = {
        OPTION_ZERO_BASED(&options.zero_based),
        OPTION_THREADS(&threads),
        OPTION_QUIET(&options.quiet),
    };
    struct program program = {
        .name = "kpca-project",
        .words = "data model output",
        .files = "rrw",
        .summary = "Project LIBSVM text on kernel principal components.",
        .details =
            "Reads LIBSVM text (`-`: standard input) and writes `label 1:y1 2:y2 ...` (`-`: "
            "standard output) for each example, one feature per component of the model, which "
            "kpca-train has written. Labels pass through; a label may be `?`.",
        .see_also = "kpca-train(1)",
        .examples = "  kpca-train -q -D 20 -g 0.002 data/digits.test digits.kpca\n  kpca-project "
                    "data/digits.train digits.kpca digits.projected\n"
                    "  kpca-project data/digits.train digits.kpca - | arow-train --labels 0-9 - "
                    "digits.model\n",
        .fewest_words = 3,
        .most_words = 3,
        .options = table,
        .count = sizeof table / sizeof *table};
    const char *word[4];
    struct error err = {0};
    program_start();
    int go = options_parse(&program, argc, argv, word);
    if (go != OPTIONS_GO)
        return go;
    options.threads = (int)threads;
    struct kernel_model model = {0};
    int failed = kernel_model_read(word[1], KERNEL_MODEL_COMPONENTS, options.threads, &model, &err)
                     != 0
                 || kpca_project_file(&model, word[0], word[2], &options, &err) != 0;
    kernel_model_free(&model);
    program_warn_cut(program.name, NULL, !failed && cut, word[0]);
    return program_end(&program, failed, &err);
}
