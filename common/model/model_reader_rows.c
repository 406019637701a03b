/* Rows of numbers, which are nearly all of a file: found by their newlines, parsed on several
 * threads. */
#include "common/base/number.h"
#include "common/base/order.h"
#include "common/base/parallel.h"
#include "common/model/model_reader_state.h"

enum { MODEL_TASK_ROWS = 64 }; /* that a thread parses at a time; no reason but that it works */

bool model_starts_row(const char *p)
{
    p = number_skip_blanks(p);
    return (*p >= '0' && *p <= '9') || *p == '-' || *p == '+' || *p == '.';
}

/* Parse the rows of a task, up to the first malformed one.  0 or -1. */
static int model_parse_task(void *context, int64_t task, struct error *err)
{
    const struct model_rows *rows = context;
    const int64_t last = order_least((task + 1) * MODEL_TASK_ROWS, rows->count);
    for (int64_t i = task * MODEL_TASK_ROWS; i < last; i++) {
        const char *end = number_read_row(rows->start[i], rows->columns,
                                          rows->place(rows->context, rows->first + i));
        if (!end || *end != '\n')
            return error_at(err, rows->file, rows->first_line + i, 0,
                            "a row of %lld finite numbers was expected", (long long)rows->columns);
    }
    return 0;
}

int64_t model_take_rows(struct model_reader *r, int64_t most, bool all, const char **start)
{
    int64_t n = 0;
    while (n < most && r->p < r->end) {
        if (!all && !model_starts_row(r->p))
            break;
        start[n++] = r->p;
        model_next_line(r);
    }
    if (n > 0 && r->p == r->end && r->at_end && r->cut) {
        r->line--;
        return model_refuse(r, "the file ends in the middle of a block of numbers");
    }
    return n;
}

int model_parse_rows(struct model_reader *r, struct model_rows *rows)
{
    rows->file = r->model->file;
    rows->first_line = r->line - rows->count;
    return parallel_try(r->threads, parallel_parts(rows->count, MODEL_TASK_ROWS), model_parse_task,
                        rows, r->err);
}
