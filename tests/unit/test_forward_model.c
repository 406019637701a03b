/* Forward goes on from a model file as if it had never stopped: the same bytes of the model,
 * wherever the rounds are cut. */
#include "check.h"
#include "forward_samples.h"
#include "learners/forward/forward.h"

#include <stdlib.h>
#include <unistd.h>

static bool same_files(const char *a, const char *b)
{
    FILE *one = fopen(a, "r"), *other = fopen(b, "r");
    bool same = one && other;
    while (same) {
        int c = getc(one);
        same = c == getc(other);
        if (c == EOF)
            break;
    }
    if (one)
        fclose(one);
    if (other)
        fclose(other);
    return same;
}

static void test_going_on(int classes, double lambda, bool identity)
{
    check_group("going on, %d classes, lambda %g%s", classes, lambda,
                identity ? ", no matrix" : "");
    struct random g = random_seeded(5, (uint64_t)classes);
    struct error err = {0};
    double c[CLASSES * CLASSES];
    matrix_make(&g, classes, 0.7, c);
    struct forward_options options = forward_usual(lambda, identity ? NULL : c);
    struct data_form file = {.bias = 1, .unit_length = true, .seed = 3}, read;
    struct feature_map none = {.kind = FEATURE_MAP_NONE};
    char whole[] = "/tmp/test_forward_model.XXXXXX", part[] = "/tmp/test_forward_model.XXXXXX",
         rest[] = "/tmp/test_forward_model.XXXXXX";
    char *paths[] = {whole, part, rest};
    for (int i = 0; i < 3; i++) {
        int fd = mkstemp(paths[i]);
        CHECK(fd >= 0 && close(fd) == 0, "a file");
    }
    struct sample samples[ROUNDS];
    struct forward *all = learner_make(&options, classes);
    for (int i = 0; i < ROUNDS; i++) {
        samples[i] = sample_make(&g, classes);
        learner_round(all, &samples[i]);
    }
    CHECK(forward_save(all, &file, whole, 1, &err) == 0, "saving: %s", err.message);
    for (int cut = 0; cut <= ROUNDS; cut += ROUNDS / 3) {
        struct forward *f = learner_make(&options, classes);
        for (int i = 0; i < cut; i++)
            learner_round(f, &samples[i]);
        CHECK(forward_save(f, &file, part, 1, &err) == 0, "saving: %s", err.message);
        forward_free(f);
        f = forward_load_file(part, 1, &read, &none, &err);
        CHECK(f, "loading: %s", err.message);
        if (!f)
            break;
        CHECK(read.bias == 1 && read.unit_length && !read.zero_based && read.seed == 3,
              "what stands beside the learner");
        for (int i = cut; i < ROUNDS; i++)
            learner_round(f, &samples[i]);
        CHECK(forward_save(f, &read, rest, 1, &err) == 0, "saving: %s", err.message);
        CHECK(same_files(whole, rest), "cut after %d rounds: another model", cut);
        const struct forward_options *got = forward_get_options(f);
        CHECK(got->lambda == lambda && got->eta == options.eta && got->delta == options.delta,
              "options");
        forward_free(f);
    }
    forward_free(all);
    for (int i = 0; i < 3; i++)
        unlink(paths[i]);
}

int main(void)
{
    static const int classes[] = {2, 3, 7};
    for (int i = 0; i < 3; i++) {
        test_going_on(classes[i], 0, false);
        test_going_on(classes[i], 1e-3, false);
        test_going_on(classes[i], 1e-3, true);
    }
    return check_finish();
}
