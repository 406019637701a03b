/* What happens on the way of a run over many examples, which may last for hours or never end: a
 * signal can stop it, its model is saved every so often, and it tells at powers of two how it goes.
 *
 *     for each example:
 *         if (milestones_stop(m)) break;        what was learnt so far is a model
 *         learn
 *         milestones_count(m);                                                         */
#ifndef COMMON_BASE_MILESTONES_H
#define COMMON_BASE_MILESTONES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A request to stop, which the handler of a signal makes. */
struct stop {
    atomic_int signal; /* the first that came; 0: none has yet */
    int fd;            /* readable from then on, for those who wait in poll */
};

struct milestones {
    const struct stop *stop; /* NULL: nothing stops the run */
    int64_t save_every;      /* examples between two calls of `save`; 0: none */
    void (*save)(void *context);
    void (*tell)(void *context, int64_t done); /* at 1, 2, 4, 8 ...; NULL: not at all */
    void *context;
    int64_t done; /* examples so far */
    int64_t next; /* so many are the next milestone */
    bool stopped; /* out: by the signal, and not at the end of the data */
};

/* Is it time to stop?  m: may be NULL. */
static inline bool milestones_stop(struct milestones *m)
{
    if (!m || !m->stop || atomic_load_explicit(&m->stop->signal, memory_order_relaxed) == 0)
        return false;
    m->stopped = true;
    return true;
}

/* Tell and save, as is due after m->done examples. */
void milestones_reach(struct milestones *m);

/* One more example is done.  m: may be NULL. */
static inline void milestones_count(struct milestones *m)
{
    if (m && ++m->done >= m->next)
        milestones_reach(m);
}

#endif
