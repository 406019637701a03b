#include "common/base/parallel.h"

#include <stdatomic.h>
#include <unistd.h>

/* The stack of a thread.  No frame is larger than 24 KB (-Wframe-larger-than in the Makefile), and
 * sanitizers double what a chain of calls takes.  What the systems give of themselves differs: 128
 * KB (musl), or what `ulimit -s` allows the main thread (glibc: 8 MB mostly, but 64 KB where
 * somebody says so).  More than PTHREAD_STACK_MIN everywhere (16 to 192 KB); only what is used
 * becomes memory. */
enum { THREAD_STACK = 512 * 1024 };

enum { MOST_THREADS = 256 };

struct loop {
    int64_t n;
    _Atomic int64_t next;
    void (*body)(void *context, int64_t i);
    void *context;
};

static void *run_loop(void *argument)
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

int parallel_thread_start(pthread_t *thread, void *(*run)(void *argument), void *argument)
{
    pthread_attr_t attributes;
    int status = pthread_attr_init(&attributes);
    if (status != 0)
        return status;
    status = pthread_attr_setstacksize(&attributes, THREAD_STACK);
    if (status == 0)
        status = pthread_create(thread, &attributes, run, argument);
    pthread_attr_destroy(&attributes);
    return status;
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
    while (helpers < threads - 1 && parallel_thread_start(&helper[helpers], run_loop, &loop) == 0)
        helpers++;
    run_loop(&loop);
    for (int i = 0; i < helpers; i++)
        pthread_join(helper[i], NULL);
}
