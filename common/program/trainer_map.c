/* A stream is mapped by whoever reads it, so that its map must be ready before; data in memory are
 * mapped here.  Without a map there is nothing to do. */
#include "common/program/trainer_map.h"

#include "common/base/memory.h"
#include "common/kernel/isolated.h"

#include <math.h>

/* The start of the line that reports a fitted map: all but the memory. */
static void trainer_map_name(const struct feature_map *map, char text[128])
{
    snprintf(text, 128, "map %s: %lld features, gamma %.6g", feature_map_names[map->kind],
             (long long)map->dims, map->gamma);
}

int trainer_map_streamed(struct trainer *t, struct error *err)
{
    const bool fourier = t->map.kind == FEATURE_MAP_FOURIER;
    char name[128], bytes[32];
    if (!t->form.map)
        return 0;
    if (feature_map_needs_data(&t->map) && !fourier)
        return error_usage(err, "--map nystrom needs the data in memory: for a stream there is "
                                "--map fourier");
    if (feature_map_needs_data(&t->map))
        return error_usage(err, "--map fourier needs --map-gamma where the data are streamed");
    trainer_map_name(&t->map, name);
    feature_map_report(&t->map, t->report);
    memory_text(feature_map_bytes(&t->map, TRAINER_STATED_FEATURES, (int)t->threads), bytes);
    if (fourier)
        trainer_say(t, "%s; memory: %s for data with %d features, growing with them", name, bytes,
                    TRAINER_STATED_FEATURES);
    else
        trainer_say(t, "%s; memory: %s", name, bytes);
    return feature_map_prepare(&t->map, (int)t->threads, err) != 0 ? -1 : 0;
}

/* Report the memory of a fitted map and of what it makes of the data; refuse what does not fit. */
static int trainer_map_plan(const struct trainer *t, const struct problem *problem,
                            struct error *err)
{
    const double map = feature_map_bytes(&t->map, problem->d, (int)t->threads),
                 mapped = feature_map_problem_bytes(&t->map, problem->n, problem->log),
                 data = problem_bytes((double)problem->n, (double)problem->nnz, problem->log);
    char name[128], map_text[32], mapped_text[32];
    trainer_map_name(&t->map, name);
    feature_map_report(&t->map, t->report);
    trainer_say(t, "%s; memory: %s for the map, %s for the mapped data", name,
                memory_text(map, map_text), memory_text(mapped, mapped_text));
    return memory_check(data + map + mapped, "the data, the map and the mapped data", err);
}

/* Examples that are isolated from all landmarks are 0 after the map. */
static void trainer_map_warn_far(struct trainer *t, const struct problem *mapped)
{
    int64_t far = 0;
    for (int64_t i = 0; i < mapped->n; i++) {
        const struct example x = problem_example(mapped, i);
        const int64_t size = x.size - example_has_bias(&x);
        int64_t e = 0;
        while (e < size && !(fabs(x.value[e]) > 0))
            e++;
        far += e == size;
    }
    const struct findings to = trainer_findings(t);
    isolated_warn(&to, far, mapped->n, "examples", "landmarks", t->map.gamma);
}

int trainer_map_held(struct trainer *t, struct problem *problem, struct error *err)
{
    struct problem mapped = {0};
    if (!t->form.map)
        return 0;
    if (feature_map_fit(&t->map, problem, err) != 0 || trainer_map_plan(t, problem, err) != 0)
        return -1;
    if (feature_map_prepare(&t->map, (int)t->threads, err) != 0
        || feature_map_problem(&t->map, problem, t->form.bias, (int)t->threads, &mapped, err)
               != 0) {
        problem_free(&mapped);
        return -1;
    }
    problem_free(problem);
    *problem = mapped;
    if (t->map.kind == FEATURE_MAP_NYSTROM)
        trainer_map_warn_far(t, problem);
    return 0;
}
