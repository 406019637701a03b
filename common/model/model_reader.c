/* Reading linear models.
 *
 * A file is read through a window of whole lines, so that a model of gigabytes takes no more memory
 * than its numbers; a pipe, whose size is unknown, is read whole.  What a head promises
 * (classes, features, columns) is compared with the bytes that are left before anything is
 * allocated for it: a malformed file must not exhaust the memory. */
#include "common/base/input.h"
#include "common/base/memory.h"
#include "common/base/text.h"
#include "common/model/model_reader_state.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static double *model_place_in_weights(void *context, int64_t i)
{
    struct weights *w = context;
    return w->w + weights_feature_at(i, w->rows) * w->stride;
}

/* For two classes with a column each, LIBLINEAR's programs use the sign of the first score only;
 * the second column is its negative. */
static int model_keep_first_column(struct weights *w, int64_t d, struct error *err)
{
    struct weights first = weights_make(1, 0);
    if (weights_grow(&first, d, err) != 0)
        return -1;
    for (int64_t j = 0; j <= d; j++)
        first.w[j] = w->w[j * w->stride];
    weights_free(w);
    *w = first;
    return 0;
}

/* The rows of w. */
static int model_read_weights(struct model_reader *r)
{
    struct model *m = r->model;
    int64_t columns = m->classes == 2 && strcmp(m->solver, "MCSVM_CS") != 0 ? 1 : m->classes;
    int64_t rows = m->d + (m->bias >= 0);
    if (model_load(r) < 0)
        return -1;
    if ((double)rows * (double)columns * 2 > model_remaining(r))
        return error_at(r->err, m->file, r->line, 0,
                        "the header promises %lld x %lld weights: more than the file can hold",
                        (long long)rows, (long long)columns);
    m->w = weights_make(columns, 0);
    if (weights_grow(&m->w, m->d, r->err) != 0)
        return -1;
    struct model_rows part = {
        .columns = columns, .place = model_place_in_weights, .context = &m->w};
    part.start = memory_new(model_rows_at_once(rows), sizeof *part.start, r->err);
    if (!part.start)
        return -1;
    int status = -1;
    for (; part.first < rows; part.first += part.count) {
        const int loaded = model_load(r);
        if (loaded == 0)
            model_refuse(r, "the file ends in the middle of a block of numbers");
        if (loaded <= 0)
            goto done;
        part.count = model_take_rows(r, model_rows_at_once(rows - part.first), true, part.start);
        if (part.count < 0 || model_parse_rows(r, &part) != 0)
            goto done;
    }
    status = 0;
    if (m->classes == 2 && columns == 2)
        status = model_keep_first_column(&m->w, m->d, r->err);
done:
    memory_free(part.start);
    return status;
}

/* 0, or -1 with the model freed. */
static int model_read_all(struct model_reader *r)
{
    int status = model_read_head(r);
    if (status == 0)
        status = model_read_weights(r);
    if (status == 0)
        status = model_read_trailer(r);
    if (status == 0)
        status = model_check_map(r);
    if (status != 0)
        model_free(r->model);
    return status;
}

int model_read_text(const struct text *text, int threads, bool keep_state, struct model *model,
                    struct error *err)
{
    struct model_reader r = {.model = model,
                             .fd = -1,
                             .p = text->next,
                             .end = text->end,
                             .at_end = true,
                             .cut = text->cut,
                             .line = 1,
                             .threads = threads,
                             .keep_state = keep_state,
                             .err = err};
    snprintf(model->file, sizeof model->file, "%s", text->name);
    return model_read_all(&r);
}

int model_read(const char *path, int threads, bool keep_state, struct model *model,
               struct error *err)
{
    struct stat st;
    if (!input_is_file(path)) {
        struct text text;
        if (text_open(&text, path, err) != 0)
            return -1;
        const int status = model_read_text(&text, threads, keep_state, model, err);
        text_close(&text);
        return status;
    }
    struct model_reader r = {
        .model = model, .line = 1, .threads = threads, .keep_state = keep_state, .err = err};
    snprintf(model->file, sizeof model->file, "%s", input_name(path));
    r.fd = open(path, O_RDONLY);
    if (r.fd < 0 || fstat(r.fd, &st) != 0)
        return error_system(err, model->file);
    r.left = st.st_size;
    const int status = model_read_all(&r);
    close(r.fd);
    memory_free(r.text);
    return status;
}
