/* The next milestone is kept as a number, so that an example costs one comparison. */
#include "common/base/milestones.h"

/* The least power of two above `done`; INT64_MAX: there is none. */
static int64_t milestones_next_power(int64_t done)
{
    int64_t power = 1;
    while (power <= done) {
        if (power > INT64_MAX / 2)
            return INT64_MAX;
        power *= 2;
    }
    return power;
}

void milestones_reach(struct milestones *m)
{
    const bool power = (m->done & (m->done - 1)) == 0;
    m->next = INT64_MAX;
    if (m->tell) {
        if (power)
            m->tell(m->context, m->done);
        m->next = milestones_next_power(m->done);
    }
    if (m->save_every > 0) {
        const int64_t rest = m->save_every - m->done % m->save_every;
        if (rest == m->save_every)
            m->save(m->context);
        if (rest < m->next - m->done)
            m->next = m->done + rest;
    }
}
