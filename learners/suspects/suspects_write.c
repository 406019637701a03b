/* Data are copied line by line, with comments, blank lines and numbers as they stand. */
#include "learners/suspects/suspects_write.h"

#include "common/base/number.h"
#include "common/base/reduce.h"
#include "common/data/stream.h"

#include <string.h>

/* ---- the list and the scores ---- */

/* A tab and the label or name of a class. */
static void suspects_write_class(const struct suspects *s, int64_t k,
                                 const struct name *const *name, struct output *out)
{
    char number[NUMBER_TEXT + 1];
    const char *text = number;
    if (name)
        text = name[k]->text;
    else
        *number_write_int(number, s->data->labels.value[k]) = '\0';
    output_write(out, "\t", 1);
    output_write(out, text, (int64_t)strlen(text));
}

void suspects_write_list(const struct suspects *s, int64_t count, const struct name *const *name,
                         struct output *out)
{
    const struct problem *p = &s->data->problem;
    for (int64_t place = 0; place < p->n; place++) {
        const struct suspicion *is = &s->list[place];
        const bool listed = count >= 0 ? place < count : suspects_is_below(s, is);
        if (!listed)
            break;
        char text[NUMBER_TEXT + 1];
        *number_write(text, is->score) = '\0';
        output_text(out, "%lld", (long long)p->line[is->i]);
        suspects_write_class(s, s->data->y[is->i], name, out);
        suspects_write_class(s, is->suggested, name, out);
        output_text(out, "\t%s\n", text);
    }
}

void suspects_write_weights(struct suspects *s, struct output *out)
{
    suspects_sort_by_line(s);
    for (int64_t i = 0; i < s->data->problem.n; i++) {
        char text[NUMBER_TEXT + 1], *end = number_write(text, s->list[i].score);
        *end++ = '\n';
        output_write(out, text, end - text);
    }
}

/* ---- the data ---- */

/* The data, read once more. */
struct suspects_copy {
    const struct suspects *s; /* by line */
    const char *path;
    bool relabel;
    struct example_format format;
    struct output *out;
    int64_t done; /* examples */
};

static int suspects_refuse_changed(const struct suspects_copy *copy, struct error *err)
{
    return error_at(err, copy->path, 0, 0, "the file has changed while it was read");
}

/* The next example: its line, or none, or its line with another label.  0 or -1. */
static int suspects_copy_example(struct suspects_copy *copy, const char *line, int64_t size,
                                 int64_t label, struct error *err)
{
    const struct suspects *s = copy->s;
    const struct problem *problem = &s->data->problem;
    if (copy->done >= problem->n || problem->label[copy->done] != label)
        return suspects_refuse_changed(copy, err);
    const struct suspicion *is = &s->list[copy->done++];
    if (!suspects_is_below(s, is))
        output_write(copy->out, line, size);
    else if (copy->relabel)
        output_relabelled(copy->out, line, size, s->data->labels.value[is->suggested]);
    return 0;
}

/* The lines of a chunk; those that hold no example stay.  0 or -1. */
static int suspects_copy_chunk(struct suspects_copy *copy, const struct chunk *chunk,
                               struct error *err)
{
    const char *end = chunk->text + chunk->text_size;
    struct example x;
    for (const char *p = chunk->text; p < end;) {
        const char *line = p;
        if (example_parse(&p, end, &copy->format, NULL, NULL, &x, err) != 1)
            output_write(copy->out, line, p - line);
        else if (suspects_copy_example(copy, line, p - line, x.label, err) != 0)
            return -1;
    }
    return 0;
}

/* What the first rank does.  0 or -1. */
static int suspects_copy_data(struct suspects_copy *copy, struct error *err)
{
    const struct stream_options options = {.format = copy->format, .threads = 1};
    struct stream *stream = stream_open(copy->path, &options, err);
    struct chunk *chunk;
    int status = stream ? 1 : -1;
    while (status > 0 && !copy->out->failed) {
        status = stream_next(stream, &chunk, err);
        if (status > 0 && suspects_copy_chunk(copy, chunk, err) != 0)
            status = -1;
    }
    stream_close(stream);
    if (status == 0 && copy->done < copy->s->data->problem.n)
        return suspects_refuse_changed(copy, err);
    return status < 0 ? -1 : 0;
}

int suspects_write_data(struct suspects *s, const char *path, bool relabel, struct output *out,
                        struct error *err)
{
    struct suspects_copy copy = {.s = s,
                                 .path = path,
                                 .relabel = relabel,
                                 .format = {.labels_only = true, .bias = -1},
                                 .out = out};
    suspects_sort_by_line(s);
    return reduce_rank() == 0 ? suspects_copy_data(&copy, err) : 0;
}
