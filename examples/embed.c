/* LIBDOUBT as a library: load a model, linear or of features by a map, and predict the label of a
 * line of LIBSVM text.
 *
 *     make build/examples/embed
 *     ./forward-train data/iris.train model
 *     build/examples/embed model '? 1:0.2 2:-0.3 3:0.6 4:0.8'
 *
 * After `make install`: cc embed.c $(pkg-config --cflags --libs libdoubt)
 * (with -std=c11 also -D_POSIX_C_SOURCE=200809L).  C++ includes the headers in extern "C" { ... }.
 * For a shared library the objects must be position-independent: make CFLAGS='-O2 -fPIC'.
 *
 * Threads may share a model, and what mapped_scores_make has made of it; each needs its own line,
 * scores and error.  Whatever a function has filled is freed by the caller, also after an error. */
#include "common/base/memory.h"
#include "common/base/number.h"
#include "common/data/example.h"
#include "common/data/problem.h"
#include "common/model/mapped_scores.h"
#include "common/model/model.h"

#include <string.h>

enum { LINE = 2048 };

/* The scores of an example whose features are made by a map: those of a problem of one example.
 * Where there are more lines, the first step is done once.  0 or -1. */
static int embed_score_mapped(struct model *model, const struct example *x, double *scores,
                              struct error *err)
{
    struct mapped_scores mapped = {.columns = 0};
    struct problem line = {.n = 0};
    int status = mapped_scores_make(model, 1, &mapped, err);
    if (status == 0)
        status = problem_append_example(&line, x, err);
    if (status == 0)
        status = mapped_scores_of(&mapped, &line, scores, err);
    problem_free(&line);
    mapped_scores_free(&mapped);
    return status;
}

int main(int argc, char **argv)
{
    char text[LINE + NUMBER_PAD] = ""; /* NUMBER_PAD: the parser looks beyond the newline */
    int32_t index[LINE / 2];
    double value[LINE / 2], *scores = NULL;
    const char *p = text;
    struct model model = {0};
    struct example x = {.index = index, .value = value};
    struct error err = {0};
    int status = 1;
    if (argc != 3 || snprintf(text, LINE, "%s\n", argv[2]) >= LINE) {
        fprintf(stderr, "usage: embed MODEL LINE, at most %d bytes\n", LINE - 2);
        return 2;
    }
    if (model_read(argv[1], 1, false, &model, &err) != 0
        || !(scores = memory_new(model.w.stride, sizeof *scores, &err)))
        goto done;

    /* Read the line as the training data were; a model of LIBLINEAR's own has no such entries.  A
     * map adds the bias itself. */
    const bool maps = model.map.kind != FEATURE_MAP_NONE;
    struct example_format format = {.unlabelled = true, .bias = maps ? -1 : model.bias};
    if (model.entries > 0
        && (model_flag(&model, "unit_length", &format.unit_length, &err) != 0
            || model_flag(&model, "zero_based", &format.zero_based, &err) != 0))
        goto done;
    int found = example_parse(&p, text + strlen(text), &format, index, value, &x, &err);
    if (found == 0)
        error_set(&err, "the line has no example");
    if (found != 1)
        goto done;

    if (!maps)
        weights_scores(&model.w, &x, scores);
    else if (embed_score_mapped(&model, &x, scores, &err) != 0)
        goto done;
    if (model.classes == 2) /* one score, which speaks for the first label if it is positive */
        printf("%d\n", model.label[scores[0] > 0 ? 0 : 1]);
    else
        printf("%d\n", model.label[weights_best(scores, model.classes)]);
    status = 0;
done:
    if (status != 0)
        error_print(stderr, "embed", &err);
    memory_free(scores);
    model_free(&model);
    return status;
}
