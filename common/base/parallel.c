/* A parallel loop whose threads take the next index from one atomic counter: bodies may take
 * different times, and with few and large bodies nothing cleverer pays.  Threads are started for
 * each loop and end with it, so there is no pool and no state between calls. */
#include "common/base/parallel.h"

#include <assert.h>
#include <stdatomic.h>
#include <unistd.h>

/* Bytes of a thread's stack.  No frame is larger than 24 KB (-Wframe-larger-than in the Makefile),
 * and sanitizers double what a chain of calls takes.  The systems' own sizes differ: 128 KB (musl),
 * or what `ulimit -s` allows the main thread (glibc: usually 8 MB, but 64 KB where the limit says
 * so).  More than PTHREAD_STACK_MIN everywhere (16 to 192 KB); only what is used becomes memory. */
enum { THREAD_STACK = 512 * 1024 };

enum { MOST_THREADS = 256 }; /* bounds parallel_for's frame; no reason but that it works */

struct parallel_loop {
    int64_t n;
    _Atomic int64_t next; /* the first index that nobody has taken; may run past n */
    void (*body)(void *context, int64_t i);
    void *context;
};

/* What each thread does: bodies until none is left. */
static void *parallel_run(void *argument)
{
    struct parallel_loop *loop = argument;
    for (;;) {
        int64_t i = atomic_fetch_add(&loop->next, 1);
        if (i >= loop->n)
            return NULL;
        loop->body(loop->context, i);
    }
}

int parallel_processors(void)
{
    const long n = sysconf(_SC_NPROCESSORS_ONLN);
    if (n < 1)
        return 1;
    return n > MOST_THREADS ? MOST_THREADS : (int)n;
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
    struct parallel_loop loop = {.n = n, .body = body, .context = context};
    pthread_t helper[MOST_THREADS];
    int helpers = 0;
    assert(threads >= 1 && n >= 0);
    if (threads > MOST_THREADS)
        threads = MOST_THREADS;
    if (threads > n)
        threads = (int)n;
    /* A thread that cannot be started leaves its work to the others. */
    while (helpers < threads - 1
           && parallel_thread_start(&helper[helpers], parallel_run, &loop) == 0)
        helpers++;
    parallel_run(&loop);
    for (int i = 0; i < helpers; i++)
        pthread_join(helper[i], NULL);
}
