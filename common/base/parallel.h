/* Threads, used only where the result is the same for any number of them. */
#ifndef COMMON_BASE_PARALLEL_H
#define COMMON_BASE_PARALLEL_H

#include "common/base/error.h"

#include <pthread.h>
#include <stdint.h>

/* How many parts of `size` n items make, the last of them perhaps smaller. */
static inline int64_t parallel_parts(int64_t n, int64_t size)
{
    return (n + size - 1) / size;
}

/* The number of processors, at least 1; with several ranks on this machine (reduce.h), a rank's
 * share of them. */
int parallel_processors(void);

/* Start a thread with the stack size that this library's threads need, the same on every system;
 * every thread is started here.  0, or an errno value as pthread_create returns it. */
int parallel_thread_start(pthread_t *thread, void *(*run)(void *argument), void *argument);

/* Call body(context, i) once for each i in 0 .. n-1, in any order, on at most `threads` threads (>=
 * 1, the caller's included).  Returns when all calls have returned.  Where no thread can be
 * started, the caller does all the work.  The result of body must not depend on the order. */
void parallel_for(int threads, int64_t n, void (*body)(void *context, int64_t i), void *context);

/* The same for a body that can fail (0 or -1).  Once i has failed, no larger one is begun.  0, or
 * -1 with the error of the smallest i that failed: the same for any number of threads. */
int parallel_try(int threads, int64_t n, int (*body)(void *context, int64_t i, struct error *err),
                 void *context, struct error *err);

#endif
