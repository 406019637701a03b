/* Writing linear models.  Nearly all time is formatting numbers, so rows are formatted on several
 * threads, a batch of tasks at a time, and written in order. */
#include "common/model/model_writer.h"

#include "common/base/memory.h"
#include "common/base/number.h"
#include "common/base/order.h"
#include "common/base/parallel.h"
#include "common/data/feature_numbers.h"
#include "common/kernel/feature_map.h"

#include <math.h>
#include <stdatomic.h>

int model_begin(struct model_writer *writer, const char *path, const struct labels *labels,
                int64_t columns, int64_t d, const struct data_form *form, int threads,
                struct error *err)
{
    *writer = (struct model_writer){.labels = *labels,
                                    .d = form->map ? d : feature_numbers_d(form->numbers, d),
                                    .bias = form->bias < 0 ? -1 : form->bias,
                                    .numbers = form->numbers,
                                    .maps = form->map != NULL,
                                    .threads = threads};
    struct output *out = &writer->out;
    if (output_open(out, path, err) != 0)
        return -1;
    if (form->map)
        model_put_word(writer, "map", feature_map_names[feature_map_of(form->map)->kind]);
    output_text(out, "solver_type %s\nnr_class %lld\nlabel",
                columns == 1 ? "L2R_L2LOSS_SVC_DUAL" : "MCSVM_CS", (long long)labels->count);
    /* With one weight vector a positive score means the first label, which is the larger one. */
    for (int64_t k = 0; k < labels->count; k++)
        output_text(out, " %ld", (long)labels->value[columns == 1 ? labels->count - 1 - k : k]);
    output_text(out, "\nnr_feature %lld\n", (long long)writer->d);
    model_put_number(writer, "bias", writer->bias);
    return 0;
}

/* Tasks of a batch at most; numbers that a task formats, or one row if that has more.  No reason
 * but that they work. */
enum { TASKS = 64, NUMBERS = 4096 };

/* A batch: rows first .. of `rows`, rows_per_task for each task. */
struct model_rows_batch {
    int64_t first, rows, columns, rows_per_task;
    model_row *row;
    const void *context;
    char *text[TASKS]; /* out, of a task: size bytes */
    int64_t size[TASKS];
    double *numbers[TASKS]; /* of a task: columns, for `row` */
    _Atomic int bad;        /* out: a number is not finite */
};

/* Format the rows of one task. */
static void model_format_task(void *argument, int64_t task)
{
    struct model_rows_batch *f = argument;
    char *p = f->text[task];
    const int64_t from = f->first + task * f->rows_per_task,
                  to = order_least(from + f->rows_per_task, f->rows);
    for (int64_t i = from; i < to; i++) {
        const double *number = f->row(f->context, i, f->numbers[task]);
        for (int64_t k = 0; k < f->columns; k++) {
            if (!isfinite(number[k])) {
                atomic_store(&f->bad, 1);
                return;
            }
            p = number_write(p, number[k]);
            *p++ = ' ';
        }
        *p++ = '\n';
    }
    f->size[task] = p - f->text[task];
}

int model_put_rows(struct model_writer *writer, const char *keyword, int64_t rows, int64_t columns,
                   model_row *row, const void *context, struct error *err)
{
    struct model_rows_batch f = {
        .rows = rows, .columns = columns, .row = row, .context = context, .rows_per_task = 1};
    if (columns == 0)
        f.rows_per_task = NUMBERS;
    else if (columns < NUMBERS)
        f.rows_per_task = NUMBERS / columns;
    /* Four tasks for each thread, so that none waits long for the others. */
    const int64_t wanted = writer->threads > 1 ? 4 * writer->threads : 1,
                  tasks = order_least(order_least(wanted, TASKS), rows / f.rows_per_task + 1);
    int status = -1;
    for (int64_t t = 0; t < tasks; t++) {
        f.text[t] = memory_new(f.rows_per_task * (columns * (NUMBER_TEXT + 1) + 1), 1, err);
        if (!f.text[t])
            goto done;
        f.numbers[t] = memory_new(columns, sizeof(double), err);
        if (!f.numbers[t])
            goto done;
    }
    output_text(&writer->out, "%s\n", keyword);
    for (; f.first < rows; f.first += tasks * f.rows_per_task) {
        const int64_t now = order_least(parallel_parts(rows - f.first, f.rows_per_task), tasks);
        parallel_for(writer->threads, now, model_format_task, &f);
        if (f.bad) {
            error_set(err, "a number of the model (%s) is not finite; no model is written",
                      keyword);
            goto done;
        }
        for (int64_t t = 0; t < now; t++)
            output_write(&writer->out, f.text[t], f.size[t]);
        if (writer->out.failed) /* output_commit reports it; the rest would be made in vain */
            break;
    }
    status = 0;
done:
    for (int64_t t = 0; t < tasks; t++) {
        memory_free(f.text[t]);
        memory_free(f.numbers[t]);
    }
    return status;
}

/* Rows by the number of the feature. */
struct model_features {
    const struct model_writer *writer;
    int64_t columns;
    model_row *row;
    const void *context;
    double absent;
};

static const double *model_feature_row(const void *context, int64_t i, double *buffer)
{
    const struct model_features *f = context;
    const int64_t j = weights_feature_at(i, f->writer->d + 1),
                  number = feature_numbers_of(f->writer->maps ? NULL : f->writer->numbers, j);
    if (j == 0 || number > 0)
        return f->row(f->context, number, buffer);
    for (int64_t k = 0; k < f->columns; k++)
        buffer[k] = f->absent;
    return buffer;
}

int model_put_features(struct model_writer *writer, const char *keyword, int64_t columns,
                       model_row *row, const void *context, double absent, struct error *err)
{
    const struct model_features f = {writer, columns, row, context, absent};
    return model_put_rows(writer, keyword, writer->d + (writer->bias >= 0), columns,
                          model_feature_row, &f, err);
}

static const double *model_table_row(const void *context, int64_t j, double *buffer)
{
    const struct weights *w = context;
    (void)buffer;
    return w->w + j * w->stride;
}

int model_put_table(struct model_writer *writer, const char *keyword, const struct weights *table,
                    struct error *err)
{
    return model_put_features(writer, keyword, table->columns, model_table_row, table,
                              table->initial, err);
}

int model_put_weights(struct model_writer *writer, const struct weights *w, struct error *err)
{
    struct weights one = {0};
    if (w->columns != 2)
        return model_put_table(writer, "w", w, err);
    int status = weights_difference(w, &one, err);
    if (status == 0)
        status = model_put_table(writer, "w", &one, err);
    weights_free(&one);
    return status;
}

void model_put_trailer(struct model_writer *writer)
{
    model_put_int(writer, "libdoubt", 1);
}

void model_put_word(struct model_writer *writer, const char *keyword, const char *word)
{
    output_text(&writer->out, "%s %s\n", keyword, word);
}

void model_put_int(struct model_writer *writer, const char *keyword, int64_t value)
{
    output_text(&writer->out, "%s %lld\n", keyword, (long long)value);
}

void model_put_number(struct model_writer *writer, const char *keyword, double value)
{
    char text[NUMBER_TEXT + 1];
    *number_write(text, value) = '\0';
    output_text(&writer->out, "%s %s\n", keyword, text);
}

/* A line `index:value ...`. */
static void model_put_entries(struct model_writer *writer, const int32_t *index,
                              const double *value, int64_t size)
{
    for (int64_t e = 0; e < size; e++) {
        const int64_t original = feature_numbers_original(writer->numbers, index[e]);
        char text[NUMBER_ENTRY], *end = number_write_entry(text, original, value[e]);
        const char *start = e > 0 ? text : text + 1; /* no blank before the first */
        output_write(&writer->out, start, end - start);
    }
    output_text(&writer->out, "\n");
}

/* Each landmark, below a line that counts them. */
static void model_put_landmarks(struct model_writer *writer, const struct problem *landmarks)
{
    model_put_int(writer, "landmarks", landmarks->n);
    for (int64_t i = 0; i < landmarks->n; i++) {
        const struct example x = problem_example(landmarks, i);
        model_put_entries(writer, x.index, x.value, x.size);
    }
}

/* The rows of L, below a line that counts them. */
static void model_put_metric(struct model_writer *writer, const struct feature_metric *metric)
{
    model_put_int(writer, "map_metric", metric->d);
    for (int64_t j = 0; j < metric->d; j++)
        model_put_entries(writer, metric->index, metric->triangle + feature_metric_numbers(j),
                          j + 1);
}

/* The factors of the data's features, a line each: 0 of one that does not occur. */
static void model_put_scales(struct model_writer *writer, const struct feature_map *map)
{
    const struct feature_numbers *numbers = writer->numbers;
    const int64_t d = feature_numbers_d(numbers, map->metric.d);
    char text[NUMBER_TEXT + 1];
    output_text(&writer->out, "map_scales\n");
    for (int64_t j = 1; j <= d; j++) {
        const int64_t number = feature_numbers_of(numbers, j);
        char *end = number_write(text,
                                 number > 0 ? feature_metric_factor(&map->metric, number) : 0);
        *end++ = '\n';
        output_write(&writer->out, text, end - text);
    }
}

/* What the features of a map are made of, besides the map's name in the head. */
static void model_put_map(struct model_writer *writer, const struct feature_map *map)
{
    model_put_int(writer, "map_dims", map->dims);
    model_put_number(writer, "map_gamma", map->gamma);
    if (map->metric.scale)
        model_put_scales(writer, map);
    if (map->metric.triangle)
        model_put_metric(writer, &map->metric);
    if (map->kind == FEATURE_MAP_FOURIER)
        model_put_int(writer, "map_seed", map->seed);
    else
        model_put_landmarks(writer, &map->landmarks);
}

void model_put_form(struct model_writer *writer, const struct data_form *form)
{
    model_put_int(writer, "seed", form->seed);
    model_put_int(writer, "unit_length", form->unit_length);
    model_put_int(writer, "zero_based", form->zero_based);
    if (form->final)
        model_put_int(writer, "final", 1);
    if (form->map)
        model_put_map(writer, feature_map_of(form->map));
}

int model_finish(struct model_writer *writer, struct error *err)
{
    output_text(&writer->out, "end\n");
    return output_commit(&writer->out, err);
}

void model_abandon(struct model_writer *writer)
{
    output_abandon(&writer->out);
}
