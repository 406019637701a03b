/* Parallel loops: every item once, on the threads that there are. */
#include "check.h"
#include "common/base/parallel.c" /* for how many threads were started */

#include <pthread.h>
#include <string.h>
#include <time.h>

static void add_one(void *context, int64_t i)
{
    ((int *)context)[i]++;
}

static void record_thread(void *context, int64_t i)
{
    ((pthread_t *)context)[i] = pthread_self();
}

/* A loop within a body. */
static void add_row(void *context, int64_t i)
{
    parallel_for(3, 50, add_one, (int *)context + 50 * i);
}

/* Slow enough for a thread that sleeps to wake up. */
static void record_slowly(void *context, int64_t i)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000 * 1000}, NULL);
    record_thread(context, i);
}

/* A loop within a body whose items tell what thread does them. */
static void record_row(void *context, int64_t i)
{
    parallel_for(2, 10, record_slowly, (pthread_t *)context + 10 * i);
}

/* How many of n threads are different ones. */
static int64_t count_threads(const pthread_t *thread, int64_t n)
{
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t same = 0;
        while (same < i && !pthread_equal(thread[same], thread[i]))
            same++;
        count += same == i;
    }
    return count;
}

/* Many short loops; *wrong items are not done once. */
static void *run_loops(void *wrong)
{
    for (int round = 0; round < 200; round++) {
        int done[8] = {0};
        parallel_for(2, 8, add_one, done);
        for (int i = 0; i < 8; i++)
            *(int *)wrong += done[i] != 1;
    }
    return NULL;
}

/* Bodies that wait for each other: none returns before all of them have begun, each on a thread of
 * its own. */
struct meeting {
    pthread_mutex_t lock;
    pthread_cond_t complete;
    int wanted, there;
    bool missed; /* some did not come in ten seconds */
};

static void meeting_start(struct meeting *m, int wanted)
{
    *m = (struct meeting){.wanted = wanted};
    pthread_mutex_init(&m->lock, NULL);
    pthread_cond_init(&m->complete, NULL);
}

static void meeting_check(struct meeting *m, const char *name)
{
    CHECK(!m->missed, "%s", name);
    CHECK_INT(m->there, m->wanted, "%s: bodies", name);
    pthread_mutex_destroy(&m->lock);
    pthread_cond_destroy(&m->complete);
}

static void meet(void *context, int64_t i)
{
    struct meeting *m = context;
    struct timespec until;
    (void)i;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 10;
    pthread_mutex_lock(&m->lock);
    if (++m->there == m->wanted)
        pthread_cond_broadcast(&m->complete);
    while (m->there < m->wanted && !m->missed)
        m->missed = pthread_cond_timedwait(&m->complete, &m->lock, &until) != 0;
    pthread_mutex_unlock(&m->lock);
}

static void *meet_two(void *m)
{
    parallel_for(2, 2, meet, m);
    return NULL;
}

/* The first body has a loop of two that meet, the others have nothing to do. */
static void meet_within(void *m, int64_t i)
{
    if (i == 0)
        meet_two(m);
}

/* Both bodies are under way when the caller's returns; some time after that the other one has a
 * loop of two that meet, one of which can only be the caller, who waits for it. */
struct late_meeting {
    struct meeting both, late;
    pthread_t caller;
};

static void meet_late(void *context, int64_t i)
{
    struct late_meeting *l = context;
    meet(&l->both, i);
    if (pthread_equal(pthread_self(), l->caller))
        return;
    nanosleep(&(struct timespec){.tv_nsec = 3000 * 1000}, NULL);
    meet_two(&l->late);
}

/* Meetings of so many, or until one is missed, which takes long enough.  body: of the loop. */
static void meet_often(int threads, void (*body)(void *context, int64_t i), int wanted, int rounds,
                       const char *name)
{
    struct meeting m = {.missed = false};
    for (int round = 0; round < rounds; round++) {
        if (m.missed)
            return;
        meeting_start(&m, wanted);
        parallel_for(threads, threads, body, &m);
        meeting_check(&m, name);
    }
}

/* No loop is under way, and so many threads have been started for all until now. */
static void check_pool(int helpers)
{
    CHECK(pool.loops == NULL, "a loop is left");
    CHECK_INT(pool.asked, 0, "helpers that are asked for");
    CHECK_INT(pool.helpers, helpers, "helpers");
}

/* The first of all loops, as threads that have been started stay. */
static void check_meetings_within(void)
{
    struct late_meeting l = {.caller = pthread_self()};
    check_group("bodies of a loop in a loop, side by side");
    meet_often(1, meet_within, 2, 1, "within one thread");
    meet_often(2, meet_within, 2, 100, "within two threads");
    meeting_start(&l.both, 2);
    meeting_start(&l.late, 2);
    parallel_for(2, 2, meet_late, &l);
    meeting_check(&l.both, "on two threads");
    meeting_check(&l.late, "with a caller that waits");
    check_pool(1);
}

/* Before any loop on more than two threads. */
static void check_meetings(void)
{
    struct meeting m;
    pthread_t other;
    check_group("bodies side by side");
    meeting_start(&m, 4);
    CHECK_INT(parallel_thread_start(&other, meet_two, &m), 0, "a second caller");
    meet_two(&m);
    pthread_join(other, NULL);
    meeting_check(&m, "two callers");
    check_pool(2);
    for (int threads = 2; threads <= 5; threads++)
        meet_often(threads, meet, threads, 20, "as many as there are threads");
    check_pool(4);
}

static void check_items(void)
{
    check_group("a parallel loop does each item once");
    int done[1000] = {0};
    parallel_for(7, 1000, add_one, done);
    for (int i = 0; i < 1000; i++)
        CHECK_INT(done[i], 1, "item %d", i);
}

/* Before any loop on more than two threads. */
static void check_threads_of_inner_loops(void)
{
    check_group("loops in a loop on two threads");
    pthread_t ran[5 * 10];
    parallel_for(2, 5, record_row, ran);
    CHECK(count_threads(ran, 5 * 10) <= 2, "%lld threads", (long long)count_threads(ran, 5 * 10));
}

static void check_threads(void)
{
    check_group("threads");
    int table[20 * 50] = {0};
    parallel_for(4, 20, add_row, table);
    for (int i = 0; i < 20 * 50; i++)
        CHECK_INT(table[i], 1, "item %d of loops in a loop", i);
    pthread_t other;
    int wrong[2] = {0};
    CHECK_INT(parallel_thread_start(&other, run_loops, &wrong[1]), 0, "a second caller");
    run_loops(&wrong[0]);
    pthread_join(other, NULL);
    CHECK_INT(wrong[0] + wrong[1], 0, "items of two callers' loops");
    CHECK_INT(parallel_parts(0, 4), 0, "no items");
    CHECK_INT(parallel_parts(1, 4), 1, "one item");
    CHECK_INT(parallel_parts(8, 4), 2, "two full parts");
    CHECK_INT(parallel_parts(9, 4), 3, "two full parts and an item");
    pthread_t ran[4];
    parallel_for(1, 4, record_thread, ran);
    for (int i = 0; i < 4; i++)
        CHECK(pthread_equal(ran[i], pthread_self()), "one thread is the caller's, item %d", i);
    parallel_for(4, 1, record_thread, ran);
    CHECK(pthread_equal(ran[0], pthread_self()), "one item is the caller's");
    int done[300] = {0};
    parallel_for(1000, 300, add_one, done);
    for (int i = 0; i < 300; i++)
        CHECK_INT(done[i], 1, "item %d on more threads than there may be", i);
    parallel_for(3, 0, add_one, NULL);
    CHECK(pool.helpers < MOST_THREADS, "%d helpers", pool.helpers);
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    CHECK_INT(parallel_processors(), processors > MOST_THREADS ? MOST_THREADS : processors,
              "processors");
}

/* Seconds, of all threads of the process. */
static double processor_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check_sleep(void)
{
    check_group("threads that find no work sleep");
    int done[2] = {0};
    struct meeting m;
    pthread_mutex_lock(&pool.lock);
    pool.crowded = false;
    pthread_mutex_unlock(&pool.lock);
    meeting_start(&m, 2);
    meet_two(&m);
    meeting_check(&m, "a helper that has just worked");
    double start = processor_time();
    nanosleep(&(struct timespec){.tv_nsec = 100 * 1000 * 1000}, NULL);
    CHECK(processor_time() - start < 0.05, "after a loop: %g s", processor_time() - start);
    parallel_for(2, 2, add_one, done);
    CHECK_INT(done[0] + done[1], 2, "items after they have slept");
}

/* Items 40, 41 .. fail, the smallest after the others. */
struct attempt {
    int begun[100];
};

static int fail_late(void *context, int64_t i, struct error *err)
{
    struct attempt *a = context;
    a->begun[i]++;
    if (i < 40)
        return 0;
    nanosleep(&(struct timespec){.tv_nsec = i == 40 ? 5000 * 1000 : 0}, NULL);
    return error_set(err, "item %lld", (long long)i);
}

static void check_failures(void)
{
    check_group("a parallel loop that fails");
    for (int threads = 1; threads <= 4; threads++) {
        struct attempt a = {{0}};
        struct error err = {0};
        CHECK_INT(parallel_try(threads, 40, fail_late, &a, &err), 0, "none fails");
        CHECK(err.message[0] == '\0', "no error: %s", err.message);
        CHECK_INT(parallel_try(threads, 100, fail_late, &a, &err), -1, "%d threads", threads);
        CHECK(strcmp(err.message, "item 40") == 0, "%d threads: %s", threads, err.message);
        CHECK_INT(parallel_try(threads, 100, fail_late, &a, NULL), -1, "nobody asks why");
        for (int i = 0; i < 40; i++)
            CHECK_INT(a.begun[i], 3, "item %d before the failure", i);
        if (threads == 1)
            CHECK_INT(a.begun[41], 0, "an item after the failure");
    }
}

int main(void)
{
    check_meetings_within();
    check_threads_of_inner_loops();
    check_meetings();
    check_items();
    check_threads();
    check_sleep();
    check_failures();
    return check_finish();
}
