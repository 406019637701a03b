/* The progress line: how much is done, how fast, and how much longer it will take at that rate. */
#include "common/base/progress.h"

#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

double progress_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct progress progress_start(bool quiet, const char *items)
{
    double now = progress_clock();
    return (struct progress){!quiet && isatty(STDERR_FILENO), items, now, now, 0};
}

enum { BAR = 20 }; /* characters */

/* Erases the line that the cursor is on. */
static const char progress_erase[] = "\r\033[K";

/* Is it time to draw the line again?  If so, the old one is erased. */
static bool progress_due(struct progress *p)
{
    if (!p->shown)
        return false;
    double now = progress_clock();
    if (now - p->drawn < 0.1)
        return false;
    p->drawn = now;
    fputs(progress_erase, stderr);
    return true;
}

void progress_toward(struct progress *p, int64_t done, const char *what, double value, double stop)
{
    if (progress_due(p))
        fprintf(stderr, "%lld %s  %s %.2g (stops at %.2g)", (long long)done, p->items, what, value,
                stop);
}

void progress_update(struct progress *p, int64_t done, double share)
{
    if (!progress_due(p))
        return;
    double elapsed = p->drawn - p->started;
    if (!(share > 0)) {
        fprintf(stderr, "%lld %s  %.3g/s", (long long)done, p->items, (double)done / elapsed);
        return;
    }
    char bar[BAR + 1];
    for (int i = 0; i < BAR; i++)
        bar[i] = i < share * BAR ? '#' : '.';
    bar[BAR] = '\0';
    double left = elapsed * (1 - share) / share;
    fprintf(stderr, "[%s] %3.0f%%  %.3g %s/s  %.0f:%02.0f left", bar, share * 100,
            (double)done / elapsed, p->items, (double)(int64_t)(left / 60),
            (double)((int64_t)left % 60));
}

void progress_step(struct progress *p, int64_t all)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* there is only one terminal */
    pthread_mutex_lock(&lock);
    p->steps++;
    progress_update(p, p->steps, (double)p->steps / (double)all);
    pthread_mutex_unlock(&lock);
}

void progress_wipe(struct progress *p)
{
    if (p->shown && p->drawn > p->started)
        fputs(progress_erase, stderr);
}
