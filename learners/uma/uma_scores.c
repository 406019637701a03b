/* The memory for blocks is made at the start, so that a view never lacks it.  One whose block
 * cannot be read sees zeros; uma_scores_check then tells why. */
#include "learners/uma/uma_scores.h"

#include "common/base/memory.h"
#include "common/base/order.h"

#include <assert.h>
#include <string.h>

/* Examples of a block, which the last may have fewer of. */
static int64_t uma_scores_count(const struct uma_scores *s, int64_t block)
{
    return order_least(s->n - block * UMA_BLOCK, UMA_BLOCK);
}

static int64_t uma_scores_size(const struct uma_scores *s, int64_t examples)
{
    return examples * s->K * (int64_t)sizeof(double);
}

/* 0, or -1 with err. */
static int uma_scores_put(const struct uma_scores *s, const double *block, int64_t number,
                          struct error *err)
{
    return disk_file_write(s->disk, block, uma_scores_size(s, uma_scores_count(s, number)),
                           uma_scores_size(s, number * UMA_BLOCK), err);
}

int uma_scores_make(struct uma_scores *s, int64_t n, int64_t K, const char *folder, int threads,
                    struct error *err)
{
    *s = (struct uma_scores){.n = n, .K = K};
    if (!folder)
        return (s->held = memory_new(n * K, sizeof *s->held, err)) ? 0 : -1;
    if (!(s->disk = disk_file_open(folder, err)))
        return -1;
    pthread_mutex_init(&s->lock, NULL);
    if (!(s->memory = memory_new(threads * UMA_BLOCK * K, sizeof *s->memory, err))
        || !(s->spare = memory_new(threads, sizeof *s->spare, err)))
        return -1;
    for (; s->spare_count < threads; s->spare_count++)
        s->spare[s->spare_count] = s->memory + s->spare_count * UMA_BLOCK * K;
    for (int64_t block = 0; block * UMA_BLOCK < n; block++)
        if (uma_scores_put(s, s->memory, block, err) != 0)
            return -1;
    return 0;
}

int uma_scores_check(const struct uma_scores *s, struct error *err)
{
    return s->disk ? disk_file_check(s->disk, err) : 0;
}

void uma_scores_free(struct uma_scores *s)
{
    memory_free(s->held);
    memory_free(s->memory);
    memory_free(s->spare);
    if (s->disk)
        pthread_mutex_destroy(&s->lock);
    disk_file_free(s->disk);
    *s = (struct uma_scores){0};
}

double uma_scores_bytes(int64_t n, int64_t K, bool disk, int threads)
{
    const double examples = disk ? (double)threads * UMA_BLOCK : (double)n;
    return examples * (double)K * (double)sizeof(double);
}

struct uma_scores_view uma_scores_view(struct uma_scores *s, bool changes)
{
    struct uma_scores_view view = {.scores = s, .changes = changes};
    if (s->held)
        return view;
    pthread_mutex_lock(&s->lock);
    assert(s->spare_count > 0);
    view.block = s->spare[--s->spare_count];
    pthread_mutex_unlock(&s->lock);
    return view;
}

/* Write the block back. */
static void uma_scores_leave(struct uma_scores_view *v)
{
    struct error why = {0};
    if (v->read && v->changes && uma_scores_put(v->scores, v->block, v->current, &why) != 0)
        disk_file_fail(v->scores->disk, &why);
    v->read = false;
}

/* Go to a block. */
static void uma_scores_enter(struct uma_scores_view *v, int64_t block)
{
    const struct uma_scores *s = v->scores;
    struct error why = {0};
    uma_scores_leave(v);
    v->current = block;
    v->read = disk_file_read(s->disk, v->block, uma_scores_size(s, uma_scores_count(s, block)),
                             uma_scores_size(s, block * UMA_BLOCK), &why)
              == 0;
    if (v->read)
        return;
    disk_file_fail(s->disk, &why);
    memset(v->block, 0, (size_t)uma_scores_size(s, UMA_BLOCK));
}

double *uma_scores_of(struct uma_scores_view *v, int64_t i)
{
    const struct uma_scores *s = v->scores;
    if (s->held)
        return s->held + i * s->K;
    if (!v->read || v->current != i / UMA_BLOCK)
        uma_scores_enter(v, i / UMA_BLOCK);
    return v->block + i % UMA_BLOCK * s->K;
}

void uma_scores_end(struct uma_scores_view *v)
{
    struct uma_scores *s = v->scores;
    if (s->held)
        return;
    uma_scores_leave(v);
    pthread_mutex_lock(&s->lock);
    s->spare[s->spare_count++] = v->block;
    pthread_mutex_unlock(&s->lock);
}
