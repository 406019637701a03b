/* Threads, only where the result is the same for any number of them. */
#ifndef COMMON_BASE_PARALLEL_H
#define COMMON_BASE_PARALLEL_H

#include <pthread.h>
#include <stdint.h>

/* The processors there are, at least 1. */
int parallel_processors(void);

/* Start a thread with the stack that this library's threads need, the same on every system.  All
 * threads are started here.  0, or an errno value as of pthread_create. */
int parallel_thread_start(pthread_t *thread, void *(*run)(void *argument), void *argument);

/* Call body(context, i) once for each i in 0 .. n-1, on at most `threads` threads (the caller's
 * included), in any order.  Returns when all are done.  Where no thread can be had, the caller does
 * the work.  body must not depend on the order. */
void parallel_for(int threads, int64_t n, void (*body)(void *context, int64_t i), void *context);

#endif
