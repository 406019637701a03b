/* A parallel loop whose indices are cut into shares, one for each thread.  A thread begins with the
 * same share in every loop, so that it mostly finds in its caches what it read and wrote in the
 * last one: r8 takes 7 % less time on two threads than with one counter for all.  Bodies may take
 * different times, so whoever has done its share goes on with what is left of the others.
 *
 * Loops are often shorter than the start of a thread takes (20 to 250 microseconds), so threads
 * that have helped once stay until the process ends, and help the next loop that asks for them; the
 * caller never waits for one that has not yet woken.  Waking takes long, too, and one loop mostly
 * follows another, so a helper that runs out of work first looks for more for a moment, unless
 * there are more threads than processors.  The caller does not: where other programs keep the
 * processors busy, one that looks yields its turn while it could go on.  A loop in the body of
 * another adds no threads but those that it would use alone: more threads than processors would
 * take turns. */
#include "common/base/parallel.h"

#include "common/base/memory.h"
#include "common/base/progress.h"
#include "common/base/reduce.h"

#include <assert.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

/* Bytes of a thread's stack.  No frame is larger than 24 KB (-Wframe-larger-than in the Makefile),
 * and sanitizers double what a chain of calls takes.  The systems' own sizes differ: 128 KB (musl),
 * or what `ulimit -s` allows the main thread (glibc: usually 8 MB, but 64 KB where the limit says
 * so).  More than PTHREAD_STACK_MIN everywhere (16 to 192 KB); only what is used becomes memory. */
enum { THREAD_STACK = 512 * 1024 };

enum {
    MOST_THREADS = 256, /* of one loop, and helpers in all; no reason but that it works */
    MOST_SHARES = 16 /* of one loop, 1 KB of its caller's stack; more threads than that begin with
                        the same ones: no reason but that it works */
};

/* Seconds for which a helper looks for work before it sleeps: about what waking it takes.  Measured
 * on r8, r52 and amazon_domain: 25 to 100 microseconds are equally good. */
static const double parallel_patience = 50e-6;

/* Indices that one thread begins with. */
struct parallel_share {
    /* The first that nobody has taken; may run past end.  In a cache line of its own. */
    _Alignas(MEMORY_LINE) _Atomic int64_t next;
    int64_t end;
};

/* A loop under way, in its caller's frame. */
struct parallel_loop {
    struct parallel_share share[MOST_SHARES];
    int shares; /* 0 .. MOST_SHARES */
    void (*body)(void *context, int64_t i);
    void *context;
    struct parallel_loop *within; /* the loop in whose body this one was called; NULL: none */
    /* The rest is guarded by the pool's lock. */
    int wanted;                      /* helpers that may still join */
    int working;                     /* helpers that have joined and not yet left */
    struct parallel_loop *next_loop; /* in the pool */
};

/* The loop whose body this thread is in; NULL: none. */
static _Thread_local struct parallel_loop *parallel_inside;

/* 1, 2, ... of the helpers, 0 of all other threads: the share that it begins with. */
static _Thread_local int parallel_number;

/* The helpers of this process and the loops that are under way: several where bodies have loops of
 * their own, or where threads of a program that uses the library call it side by side. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t call; /* a loop wants helpers */
    pthread_cond_t left; /* for callers that wait: the last helper of some loop has left it, or a
                            loop wants helpers */
    struct parallel_loop *loops; /* oldest first: outer loops before those in their bodies */
    int helpers;                 /* threads that were started */
    int asked;    /* the sum of wanted and working over the loops that are within no other */
    int waiting;  /* callers that sleep until `left` is signalled */
    int looking;  /* helpers that look for work: the next loop need not wake them */
    bool crowded; /* there are as many helpers as processors: none looks */
    _Atomic int64_t calls; /* how many loops have called for helpers so far; read without the lock
                              by those that look */
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER,
          .call = PTHREAD_COND_INITIALIZER,
          .left = PTHREAD_COND_INITIALIZER};

/* Cut the indices 0 .. n-1 into shares. */
static void parallel_cut(struct parallel_loop *loop, int64_t n, int shares)
{
    loop->shares = shares;
    for (int s = 0; s < shares; s++) {
        atomic_init(&loop->share[s].next, n * s / shares);
        loop->share[s].end = n * (s + 1) / shares;
    }
}

/* Bodies of a share until none is left. */
static void parallel_run_share(const struct parallel_loop *loop, struct parallel_share *share)
{
    int64_t i = atomic_fetch_add(&share->next, 1);
    while (i < share->end) {
        loop->body(loop->context, i);
        i = atomic_fetch_add(&share->next, 1);
    }
}

/* What each thread of a loop does: its own share, and then the others. */
static void parallel_run(struct parallel_loop *loop)
{
    struct parallel_loop *outer = parallel_inside;
    parallel_inside = loop;
    for (int s = 0; s < loop->shares; s++)
        parallel_run_share(loop, &loop->share[(parallel_number + s) % loop->shares]);
    parallel_inside = outer;
}

/* Is the loop in a body of `outer`, or in one of a loop that is?  NULL: any is. */
static bool parallel_is_within(const struct parallel_loop *loop, const struct parallel_loop *outer)
{
    while (loop != NULL && loop != outer)
        loop = loop->within;
    return loop == outer;
}

/* A loop within `outer` that wants helpers.  NULL: there is none. */
static struct parallel_loop *parallel_find(const struct parallel_loop *outer)
{
    struct parallel_loop *loop = pool.loops;
    while (loop != NULL && (loop->wanted == 0 || !parallel_is_within(loop, outer)))
        loop = loop->next_loop;
    return loop;
}

/* Before a helper sleeps: look, until this time at most, whether a loop calls for helpers.  Has one
 * called?  The lock is held before and after, and not while it looks. */
static bool parallel_look(double until)
{
    const int64_t calls = pool.calls;
    pool.looking++;
    pthread_mutex_unlock(&pool.lock);
    while (pool.calls == calls && progress_clock() < until)
        sched_yield();
    pthread_mutex_lock(&pool.lock);
    if (pool.calls != calls)
        return true;
    pool.looking--;
    return false;
}

/* Help a loop that wants it.  The lock is held before and after. */
static void parallel_join(struct parallel_loop *loop)
{
    loop->wanted--;
    loop->working++;
    pthread_mutex_unlock(&pool.lock);
    parallel_run(loop);
    pthread_mutex_lock(&pool.lock);
    if (loop->within == NULL)
        pool.asked--;
    if (--loop->working == 0)
        pthread_cond_broadcast(&pool.left);
}

/* A helper's life: to join whatever loop wants helpers; to look for a moment, and then to sleep,
 * while none does. */
static _Noreturn void *parallel_help(void *number)
{
    double until = 0;
    parallel_number = (int)(intptr_t)number;
    pthread_mutex_lock(&pool.lock);
    for (;;) {
        struct parallel_loop *loop = parallel_find(NULL);
        if (loop != NULL) {
            parallel_join(loop);
            until = progress_clock() + parallel_patience;
        } else if (pool.crowded || !parallel_look(until)) {
            pthread_cond_wait(&pool.call, &pool.lock);
        }
    }
}

int parallel_processors(void)
{
    const long n = sysconf(_SC_NPROCESSORS_ONLN) / reduce_neighbours();
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

/* One more helper.  It takes no signals: they are for the threads of the program, whose calls they
 * are to interrupt. */
static bool parallel_add_helper(void)
{
    sigset_t all;
    sigset_t before;
    pthread_t helper;
    void *number = (void *)(intptr_t)(pool.helpers + 1);
    sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0)
        return false;
    const bool started = parallel_thread_start(&helper, parallel_help, number) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (started)
        pthread_detach(helper);
    return started;
}

/* Make the loop known to as many helpers as it wants, and see to it that there are as many as all
 * outer loops together want, and as this one does.  One that cannot be started leaves its work to
 * the others. */
static void parallel_call(struct parallel_loop *loop)
{
    pthread_mutex_lock(&pool.lock);
    struct parallel_loop **end = &pool.loops;
    while (*end != NULL)
        end = &(*end)->next_loop;
    *end = loop;
    if (loop->within == NULL)
        pool.asked += loop->wanted;
    const int enough = loop->within == NULL ? pool.asked : loop->wanted;
    while (pool.helpers < enough && pool.helpers < MOST_THREADS && parallel_add_helper()) {
        pool.helpers++;
        pool.crowded = pool.helpers >= parallel_processors();
    }
    pool.calls++;
    if (loop->wanted > pool.looking + 1)
        pthread_cond_broadcast(&pool.call);
    else if (loop->wanted > pool.looking)
        pthread_cond_signal(&pool.call);
    pool.looking = 0;     /* all of them see that `calls` has changed */
    if (pool.waiting > 0) /* also those that cannot help: they sleep on */
        pthread_cond_broadcast(&pool.left);
    pthread_mutex_unlock(&pool.lock);
}

/* No more helpers; until those at work have left, help the loops in their bodies. */
static void parallel_dismiss(struct parallel_loop *loop)
{
    pthread_mutex_lock(&pool.lock);
    if (loop->within == NULL)
        pool.asked -= loop->wanted;
    loop->wanted = 0;
    while (loop->working > 0) {
        struct parallel_loop *inner = parallel_find(loop);
        if (inner != NULL) {
            parallel_join(inner);
            continue;
        }
        pool.waiting++;
        pthread_cond_wait(&pool.left, &pool.lock);
        pool.waiting--;
    }
    struct parallel_loop **link = &pool.loops;
    while (*link != loop)
        link = &(*link)->next_loop;
    *link = loop->next_loop;
    pthread_mutex_unlock(&pool.lock);
}

void parallel_for(int threads, int64_t n, void (*body)(void *context, int64_t i), void *context)
{
    assert(threads >= 1 && n >= 0);
    if (threads > MOST_THREADS)
        threads = MOST_THREADS;
    if (threads > n)
        threads = (int)n;
    struct parallel_loop loop = {
        .body = body, .context = context, .within = parallel_inside, .wanted = threads - 1};
    parallel_cut(&loop, n, threads < MOST_SHARES ? threads : MOST_SHARES);
    if (threads <= 1) {
        parallel_run(&loop);
        return;
    }
    parallel_call(&loop);
    parallel_run(&loop);
    parallel_dismiss(&loop);
}

/* A loop whose body can fail. */
struct parallel_attempt {
    int (*body)(void *context, int64_t i, struct error *err);
    void *context;
    pthread_mutex_t lock; /* of the members below */
    int64_t failed;       /* the smallest index that has failed; n: none has */
    struct error error;   /* its error */
};

static void parallel_attempt_one(void *context, int64_t i)
{
    struct parallel_attempt *a = context;
    struct error err = {0};
    pthread_mutex_lock(&a->lock);
    const bool vain = i > a->failed;
    pthread_mutex_unlock(&a->lock);
    if (vain || a->body(a->context, i, &err) == 0)
        return;
    pthread_mutex_lock(&a->lock);
    if (i < a->failed) {
        a->failed = i;
        a->error = err;
    }
    pthread_mutex_unlock(&a->lock);
}

int parallel_try(int threads, int64_t n, int (*body)(void *context, int64_t i, struct error *err),
                 void *context, struct error *err)
{
    struct parallel_attempt a = {.body = body, .context = context, .failed = n};
    pthread_mutex_init(&a.lock, NULL);
    parallel_for(threads, n, parallel_attempt_one, &a);
    pthread_mutex_destroy(&a.lock);
    if (a.failed == n)
        return 0;
    if (err)
        *err = a.error;
    return -1;
}
