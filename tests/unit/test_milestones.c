/* common/base/milestones.h: when it tells, when it saves, when it stops. */
#include "common/base/milestones.h"
#include "tests/unit/check.h"

#include <string.h>

struct seen {
    struct milestones *m;
    char told[128], saved[128];
};

static void add(char list[128], int64_t done)
{
    const size_t used = strlen(list);
    snprintf(list + used, 128 - used, " %lld", (long long)done);
}

static void tell(void *context, int64_t done)
{
    struct seen *seen = context;
    add(seen->told, done);
}

static void save(void *context)
{
    struct seen *seen = context;
    add(seen->saved, seen->m->done);
}

/* Count 20 examples. */
static struct seen count_twenty(bool tells, int64_t save_every)
{
    struct milestones m = {.save_every = save_every, .save = save, .tell = tells ? tell : NULL};
    struct seen seen = {.m = &m};
    m.context = &seen;
    for (int i = 0; i < 20; i++)
        milestones_count(&m);
    CHECK_INT(m.done, 20, "examples");
    seen.m = NULL;
    return seen;
}

static void test_counts(void)
{
    static const struct {
        bool tells;
        int64_t save_every;
        const char *told, *saved;
    } known[] = {{false, 0, "", ""},
                 {true, 0, " 1 2 4 8 16", ""},
                 {false, 6, "", " 6 12 18"},
                 {true, 7, " 1 2 4 8 16", " 7 14"},
                 {true, 4, " 1 2 4 8 16", " 4 8 12 16 20"},
                 {true, 1000, " 1 2 4 8 16", ""},
                 {false, 1, "", " 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20"}};
    check_group("milestones are told of and saved at");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const struct seen seen = count_twenty(known[i].tells, known[i].save_every);
        CHECK(strcmp(seen.told, known[i].told) == 0, "told:%s", seen.told);
        CHECK(strcmp(seen.saved, known[i].saved) == 0, "saved:%s", seen.saved);
    }
}

static void test_far(void)
{
    check_group("milestones far away");
    struct milestones m = {.tell = tell, .done = INT64_MAX - 2, .next = INT64_MAX};
    struct seen seen = {.m = &m};
    m.context = &seen;
    milestones_count(&m);
    CHECK(seen.told[0] == '\0', "told:%s", seen.told);
    milestones_reach(&m);
    CHECK(m.next > m.done, "the next is ahead");
}

static void test_stop(void)
{
    check_group("a stop");
    struct stop stop = {.fd = -1};
    struct milestones m = {.stop = &stop};
    CHECK(!milestones_stop(NULL) && !milestones_stop(&m) && !m.stopped, "none yet");
    stop.signal = 15;
    CHECK(milestones_stop(&m) && m.stopped, "it is seen");
    milestones_count(NULL);
}

int main(void)
{
    test_counts();
    test_far();
    test_stop();
    return check_finish();
}
