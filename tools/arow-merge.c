/* arow-merge: one model from those that arow-train learnt from parts of the data, for example on
 * several machines. */
#include "common/base/input.h"
#include "common/base/memory.h"
#include "common/base/parallel.h"
#include "common/base/same_file.h"
#include "common/program/option_rows.h"
#include "common/program/options.h"
#include "common/program/program.h"
#include "learners/online/online_merge.h"

/* map: out, of the model; free with feature_map_free. */
static struct online *arow_merge_load(const char *path, int threads, struct data_form *file,
                                      struct feature_map *map, struct error *err)
{
    struct model model = {0};
    if (model_read(path, threads, true, &model, err) != 0)
        return NULL;
    *map = model_take_map(&model);
    struct online *o = online_load(&model, file, err);
    model_free(&model);
    return o;
}

struct arow_merge {
    struct online_merge *merge;
    struct data_form form;  /* of the last model */
    struct feature_map map; /* of the first model */
    bool any;               /* has there been a model? */
};

/* Do a model's data have the form and the map of those before? */
static int arow_merge_compare(const struct arow_merge *m, const struct data_form *form,
                              const struct feature_map *map, struct error *err)
{
    if (!feature_map_equal(map, &m->map))
        return error_set(err, "its map differs from that of the other models");
    if (form->bias < m->form.bias || form->bias > m->form.bias
        || form->unit_length != m->form.unit_length || form->zero_based != m->form.zero_based)
        return error_set(
            err, "its bias, unit length or first index differs from that of the other models");
    return 0;
}

/* Add the model of a part. */
static int arow_merge_add(struct arow_merge *m, const char *path, int threads, struct error *err)
{
    struct data_form form;
    struct feature_map map = {.kind = FEATURE_MAP_NONE};
    struct online *part = arow_merge_load(path, threads, &form, &map, err);
    int status = -1;
    if (!part)
        goto done;
    if (online_merge_add(m->merge, part, err) != 0
        || (m->any && arow_merge_compare(m, &form, &map, err) != 0)) {
        error_name(err, input_name(path));
        goto done;
    }
    if (!m->any) {
        m->map = map;
        map = (struct feature_map){.kind = FEATURE_MAP_NONE};
    }
    m->form = form;
    m->any = true;
    status = 0;
done:
    feature_map_free(&map);
    online_free(part);
    return status;
}

/* Refuse a model that is named twice, as `arow-merge *.model merged.model` may do through a link:
 * all that it learnt would count twice. */
static int arow_merge_check_parts(const char *const *path, struct error *err)
{
    for (int i = 0; path[i]; i++)
        for (int j = 0; j < i; j++) {
            const struct file_use a = {.path = path[j]}, b = {.path = path[i]};
            if (same_file(&a, &b))
                return error_usage(err, "%s and %s are the same file: it would count twice",
                                   path[j], path[i]);
        }
    return 0;
}

static int arow_merge_run(const char **path, enum online_merge_rule rule, const char *base_path,
                          int threads, bool quiet, struct error *err)
{
    char models[NUMBER_COUNTED], rounds[NUMBER_COUNTED];
    struct arow_merge m = {.map = {.kind = FEATURE_MAP_NONE}, .any = base_path != NULL};
    struct online *base = NULL, *merged = NULL;
    int status = -1, parts = 0;
    if (arow_merge_check_parts(path, err) != 0)
        goto done;
    if (base_path && !(base = arow_merge_load(base_path, threads, &m.form, &m.map, err)))
        goto done;
    if (!(m.merge = online_merge_new(rule, base, err))) {
        error_name(err, base_path ? input_name(base_path) : NULL);
        goto done;
    }
    for (; path[parts]; parts++)
        if (arow_merge_add(&m, path[parts], threads, err) != 0)
            goto done;
    if (!(merged = online_merge_finish(m.merge, err)))
        goto done;
    m.form.map = m.map.kind != FEATURE_MAP_NONE ? &m.map.base : NULL;
    status = online_save(merged, &m.form, "-", threads, err);
    if (status == 0 && !quiet)
        fprintf(stderr, "%s of %s in all\n", number_counted(parts, "model", models),
                number_counted(online_counts(merged).rounds, "round", rounds));
done:
    feature_map_free(&m.map);
    online_free(merged);
    online_free(base);
    online_merge_free(m.merge);
    return status;
}

int main(int argc, char **argv)
{
    int64_t rule, threads = parallel_processors();
    const char *base = NULL;
    bool quiet = false;
    struct option table[] = {
        {ROW_CHOICE('s', "rule", &rule, "rule", online_merge_rules), .by_default = "delta",
         .help = "how to merge"},
        {ROW_INPUT('m', "base", &base, "model"),
         .help =
             "the model that all parts continued from (default: none, they started from scratch)"},
        OPTION_THREADS(&threads),
        OPTION_QUIET(&quiet),
    };
    struct program program = {
        .name = "arow-merge",
        .words = "model... > model",
        .files = "r",
        .summary = "Merge models that arow-train learnt from parts of the data.",
        .details = "The parts must agree in learner, options and classes, and have a diagonal "
                   "covariance (arow, arow-hinge or cw with -f diag). delta weights each part's "
                   "shift by the precision that the part added, and may be repeated: train the "
                   "parts, merge, continue training with -m merged, merge again with -m merged. "
                   "average is the plain mean. product multiplies the Gaussians, and is not for "
                   "repeated merging. A model that is named twice is refused.",
        .see_also = "arow-train(1)",
        .examples = "  split -n l/4 data/digits.train part.\n"
                    "  for part in part.??; do arow-train --labels 0-9 $part; done\n"
                    "  arow-merge part.??.model > merged.model\n",
        .fewest_words = 1,
        .most_words = -1,
        .options = table,
        .count = sizeof table / sizeof *table};
    struct error err = {0};
    program_start();
    const char **word = memory_new(argc + 1, sizeof *word, &err);
    if (!word)
        return program_end(&program, 1, &err);
    int go = options_parse(&program, argc, argv, word);
    if (go == OPTIONS_GO)
        go = program_end(
            &program,
            arow_merge_run(word, (enum online_merge_rule)rule, base, (int)threads, quiet, &err)
                != 0,
            &err);
    memory_free(word);
    return go;
}
