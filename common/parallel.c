#include "parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { MOST_THREADS = 256 };

struct loop {
    int64_t n;
    _Atomic int64_t next;
    void (*body)(void *context, int64_t i);
    void *context;
};

static void *run(void *argument)
{
    struct loop *loop = argument;
    for (;;) {
        int64_t i = atomic_fetch_add(&loop->next, 1);
        if (i >= loop->n)
            return NULL;
        loop->body(loop->context, i);
    }
}

int parallel_processors(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > MOST_THREADS ? MOST_THREADS : (int)n;
}

void parallel_for(int threads, int64_t n, void (*body)(void *context, int64_t i), void *context)
{
    struct loop loop = {.n = n, .body = body, .context = context};
    pthread_t helper[MOST_THREADS];
    int helpers = 0;
    if (threads > MOST_THREADS)
        threads = MOST_THREADS;
    if (threads > n)
        threads = (int)n;
    while (helpers < threads - 1 && pthread_create(&helper[helpers], NULL, run, &loop) == 0)
        helpers++;
    run(&loop);
    for (int i = 0; i < helpers; i++)
        pthread_join(helper[i], NULL);
}
