/* The classes' labels: in any order, repeated, and in time. */
#include "check.h"
#include "common/base/error.h"
#include "common/base/random.h"
#include "common/data/labels.h"

#include <string.h>
#include <time.h>

static void check_labels(void)
{
    check_group("labels");
    struct labels l = {0};
    CHECK(labels_parse("5,-3--1,7", &l, NULL) == 0 && l.count == 5 && l.value[0] == -3
              && l.value[4] == 7,
          "5,-3--1,7");
    CHECK_INT(labels_find(&l, -2), 1, "position of -2");
    CHECK_INT(labels_find(&l, 6), -1, "position of 6");
    CHECK_INT(labels_find(&l, INT64_MIN), -1, "position of no label");
    labels_free(&l);
    static const char *const bad[] = {"",    ",",   "1,",  "1,,2",       "1-",         "a",
                                      "1,1", "3-1", "1 2", "1-99999999", "2147483648", "1,2x"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct error err;
        CHECK(labels_parse(bad[i], &l, &err) == -1 && err.usage && l.value == NULL,
              "\"%s\" is refused", bad[i]);
    }
    CHECK(labels_parse("-2147483648,2147483647", &l, NULL) == 0 && l.count == 2
              && l.value[0] == INT32_MIN && l.value[1] == INT32_MAX,
          "the ends");
    struct labels copy = {0};
    CHECK(labels_copy(&l, &copy, NULL) == 0 && labels_equal(&l, &copy), "a copy");
    copy.value[1]--;
    CHECK(!labels_equal(&l, &copy), "another last label");
    copy.count--;
    CHECK(!labels_equal(&l, &copy) && !labels_equal(&copy, &l), "another count");
    labels_free(&copy);
    CHECK(labels_copy(&copy, &copy, NULL) == 0 && copy.count == 0 && labels_equal(&copy, &copy),
          "a copy of none");
    labels_free(&copy);
    labels_free(&l);
    struct error err;
    CHECK(labels_add(&l, 4, &err) == 0, "%s", err.message);
    CHECK(labels_require(&l, 4, "f", 2, &err) == 0, "4 is there");
    CHECK(labels_require(&l, 5, "f", 2, &err) == -1 && err.line == 2 && err.column == 1
              && strcmp(err.message, "label 5 is not among the 1 classes") == 0,
          "%s", err.message);
    CHECK(labels_require_several(&l, &err) == -1 && strstr(err.message, "only one class, 4:"), "%s",
          err.message);
    CHECK(labels_add(&l, 3, NULL) == 0 && labels_require_several(&l, &err) == 0, "two are several");
    labels_free(&l);
    CHECK(labels_require_several(&l, &err) == -1 && strcmp(err.message, "no class") == 0, "%s",
          err.message);
    CHECK(labels_parse("1-10000001", &l, &err) == -1 && err.usage, "more than ten million labels");
    CHECK(labels_parse("9,7,8,5,3,4,7,9", &l, &err) == -1 && err.usage
              && strstr(err.message, "label 7 is named twice"),
          "%s", err.message);
    CHECK(labels_parse("4-4", &l, &err) == -1 && err.usage && strstr(err.message, "one class"),
          "%s", err.message);
}

/* Labels in any order, some several times, against a table of what was added. */
static void check_adding_labels(void)
{
    enum { RANGE = 700 };
    struct random g = {12};
    check_group("labels in any order");
    for (int count = 0; count <= RANGE; count += 1 + count / 5) {
        bool there[RANGE] = {false};
        struct labels l = {0}, copy = {0};
        for (int part = 0; part < 2; part++) { /* what is settled is added to */
            for (int i = 0; i < count; i++) {
                int32_t label = (int32_t)random_below(&g, RANGE);
                there[label] = true;
                CHECK(labels_add(&l, label - RANGE / 2, NULL) == 0, "memory");
                CHECK(labels_contain(&l, label - RANGE / 2), "%d is there at once",
                      label - RANGE / 2);
            }
            for (int32_t label = 0; label < RANGE; label++)
                CHECK(labels_contain(&l, label - RANGE / 2) == there[label], "%d before", label);
            labels_settle(&l);
            int64_t k = 0;
            for (int32_t label = 0; label < RANGE; label++)
                CHECK(labels_find(&l, label - RANGE / 2) == (there[label] ? k++ : -1), "%d", label);
            CHECK_INT(l.count, k, "labels in all");
        }
        CHECK(labels_from(l.value, l.count, &copy, NULL) == 0 && labels_equal(&l, &copy), "a copy");
        labels_free(&copy);
        labels_free(&l);
    }
}

/* Seconds of processor time that N labels take, each `step` behind the one before. */
static double time_of_labels(int32_t step)
{
    enum { N = 400000 };
    struct labels l = {0};
    clock_t start = clock();
    for (int32_t i = 0; i < N; i++)
        CHECK(labels_add(&l, i * step, NULL) == 0, "memory");
    labels_settle(&l);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    CHECK(l.count == N && l.value[0] == (step < 0 ? (N - 1) * step : 0), "%d labels", N);
    labels_free(&l);
    return seconds;
}

/* Moving half of them for each, they took 6 seconds; the bound is far from both. */
static void check_time_of_labels(void)
{
    check_group("labels that descend");
    double up = time_of_labels(1), down = time_of_labels(-1);
    CHECK(down <= 10 * up + 0.7, "%.3g s, ascending %.3g s", down, up);
}

int main(void)
{
    check_labels();
    check_adding_labels();
    check_time_of_labels();
    return check_finish();
}
