/* The progress line: how much is done, how fast, and how much longer it will take at that rate. */
#include "common/base/progress.h"

#include "common/base/elementary.h"

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
    return (struct progress){
        .shown = !quiet && isatty(STDERR_FILENO), .items = items, .started = now, .drawn = now};
}

enum { BAR = 12 }; /* characters: a line is to fit in 80 */

/* For whoever counts a step, on any thread. */
static pthread_mutex_t progress_lock = PTHREAD_MUTEX_INITIALIZER;

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

/* `minimizing [########....]  67%  `, or the phase alone when the share is unknown. */
static void progress_begin_line(const struct progress *p, double share)
{
    if (p->phase)
        fprintf(stderr, "%s  ", p->phase);
    if (!(share > 0))
        return;
    char bar[BAR + 1];
    for (int i = 0; i < BAR; i++)
        bar[i] = i < share * BAR ? '#' : '.';
    bar[BAR] = '\0';
    fprintf(stderr, "[%s] %3.0f%%  ", bar, share * 100);
}

/* `  0:05 left`, or how long it has taken.  bound: before the time left, "at most " or "". */
static void progress_end_line(const struct progress *p, double share, const char *bound)
{
    const double elapsed = p->drawn - p->started;
    const double seconds = share > 0 ? elapsed * (1 - share) / share : elapsed;
    fprintf(stderr, "  %s%.0f:%02.0f %s", bound, (double)(int64_t)(seconds / 60),
            (double)((int64_t)seconds % 60), share > 0 ? "left" : "so far");
}

void progress_phase(struct progress *p, const char *phase)
{
    p->phase = phase;
    p->started = p->drawn = progress_clock();
    p->steps = 0;
    p->first = 0;
    p->most = p->later = 0;
    if (p->shown)
        fprintf(stderr, "%s%s ...", progress_erase, phase);
}

void progress_toward(struct progress *p, int64_t done, const char *what, double value, double stop)
{
    if (!(p->first > 0))
        p->first = value;
    if (!progress_due(p))
        return;
    double share = elementary_log(p->first / value) / elementary_log(p->first / stop);
    if (!(share < 0.99)) /* the end is not reached before it is said */
        share = 0.99;
    progress_begin_line(p, share);
    fprintf(stderr, "%lld %s, %s %.2g > %.2g", (long long)done, p->items, what, value, stop);
    progress_end_line(p, share, "");
}

void progress_update(struct progress *p, int64_t done, double share)
{
    if (!progress_due(p))
        return;
    progress_begin_line(p, share);
    fprintf(stderr, "%lld", (long long)done);
    if (share > 0)
        fprintf(stderr, "/%.0f", (double)done / share);
    fprintf(stderr, " %s  %.3g/s", p->items, (double)done / (p->drawn - p->started));
    progress_end_line(p, share, "");
}

void progress_step(struct progress *p, int64_t all)
{
    pthread_mutex_lock(&progress_lock);
    p->steps++;
    progress_update(p, p->steps, (double)p->steps / (double)all);
    pthread_mutex_unlock(&progress_lock);
}

void progress_expect(struct progress *p, int64_t steps)
{
    if (p)
        p->most = p->steps + steps + p->later;
}

/* No bar: it would jump where the work ends early. */
void progress_step_expected(struct progress *p)
{
    if (!p)
        return;
    pthread_mutex_lock(&progress_lock);
    p->steps++;
    if (progress_due(p)) {
        progress_begin_line(p, -1);
        fprintf(stderr, "%lld of at most %lld %s  %.3g/s", (long long)p->steps, (long long)p->most,
                p->items, (double)p->steps / (p->drawn - p->started));
        progress_end_line(p, (double)p->steps / (double)p->most, "at most ");
    }
    pthread_mutex_unlock(&progress_lock);
}

void progress_wipe(struct progress *p)
{
    if (p->shown && (p->phase || p->drawn > p->started))
        fputs(progress_erase, stderr);
}
