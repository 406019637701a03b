/* Rounds of a live loop that wait for feedback (learners/bandit/open_rounds.h), beside a plain
 * queue. */
#include "check.h"
#include "common/base/number.h"
#include "common/base/random.h"
#include "learners/bandit/open_rounds.h"

#include <string.h>

enum { IDS = 300, TEXT = 32 };

/* Of a round beside its text: the bytes after it, a slot, a bucket. */
static const double OF_A_ROUND = NUMBER_PAD + sizeof(struct open_round) + sizeof(int64_t);

/* What should be in the table: ids from the oldest to the newest. */
struct queue {
    int64_t id[IDS], size[IDS], count;
};

static int64_t queue_find(const struct queue *queue, int64_t id)
{
    int64_t at = 0;
    while (at < queue->count && queue->id[at] != id)
        at++;
    return at < queue->count ? at : -1;
}

static void queue_remove(struct queue *queue, int64_t at)
{
    queue->count--;
    memmove(queue->id + at, queue->id + at + 1, (size_t)(queue->count - at) * sizeof *queue->id);
    memmove(queue->size + at, queue->size + at + 1,
            (size_t)(queue->count - at) * sizeof *queue->size);
}

/* `?id` and some blanks, so that questions differ in length. */
static int64_t write_question(int64_t id, char *text, int64_t *id_size)
{
    *id_size = snprintf(text, TEXT, "?%d", (int)id) - 1;
    return snprintf(text, TEXT, "?%d%*s\n", (int)id, (int)(id % 7), "");
}

static void compare_queue(const char *name, int step, struct open_rounds *table,
                          const struct queue *queue)
{
    char text[TEXT], feedback[TEXT];
    int64_t id_size;
    for (int64_t id = 0; id < IDS; id++) {
        int64_t size = write_question(id, text, &id_size);
        snprintf(feedback, TEXT, "!%d\t1\n", (int)id); /* another byte stands behind the id */
        const struct open_round *round = open_rounds_find(table, feedback + 1, id_size);
        CHECK((round != NULL) == (queue_find(queue, id) >= 0), "%s, step %d: round %d", name, step,
              (int)id);
        CHECK(!round
                  || (round->size == size && round->id_size == id_size
                      && memcmp(round->text, text, (size_t)size) == 0 && round->text[size] == 0),
              "%s, step %d: text of round %d", name, step, (int)id);
    }
}

/* Random questions and answers; the oldest are forgotten when there are `most` or they take
 * `bytes`. */
static void check_open(const char *name, int64_t most, double bytes, int steps)
{
    struct random g = random_seeded(3, (uint64_t)most);
    struct open_rounds *table = open_rounds_new(most, bytes, NULL);
    struct queue queue = {.count = 0};
    check_group("open rounds, %s", name);
    CHECK(table, "memory");
    for (int step = 0; table && step < steps; step++) {
        char text[TEXT];
        int64_t id = random_below(&g, IDS), at = queue_find(&queue, id), id_size, forgotten = -1,
                size = write_question(id, text, &id_size);
        if (at >= 0) {
            open_rounds_remove(table, open_rounds_find(table, text + 1, id_size));
            queue_remove(&queue, at);
        } else {
            int64_t gone = 0;
            for (double sum = 0; queue.count > 0; gone++) {
                sum = (double)size + OF_A_ROUND;
                for (int64_t i = 0; i < queue.count; i++)
                    sum += (double)queue.size[i] + OF_A_ROUND;
                if (queue.count < most && sum <= bytes)
                    break;
                queue_remove(&queue, 0);
            }
            CHECK(open_rounds_add(table, text, size, id_size, &forgotten, NULL), "memory");
            CHECK_INT(forgotten, gone, "%s, step %d: forgotten", name, step);
            queue.id[queue.count] = id;
            queue.size[queue.count++] = size;
        }
        if (step < 70 || step % 50 == 0)
            compare_queue(name, step, table, &queue);
    }
    if (table)
        compare_queue(name, steps, table, &queue);
    open_rounds_free(table);
}

int main(void)
{
    check_open("one", 1, 1e9, 100);
    check_open("no more than fit in the first table", 64, 1e9, 400);
    check_open("as many as a second one has", 128, 1e9, 500);
    check_open("a number between two tables", 100, 1e9, 500);
    check_open("any number", 1000, 1e9, 700);
    check_open("few bytes", 1000, 470, 300);
    check_open("no bytes, but always one", 5, 0, 50);
    check_open("bytes that are often just enough", 1000, 3 * (8 + OF_A_ROUND), 300);
    return check_finish();
}
