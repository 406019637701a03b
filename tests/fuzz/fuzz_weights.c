/* Any bytes as a file of weights for five examples: refused with a place, or a weight for each
 * line, and a problem of those examples whose weight is above 0. */
#include "common/base/memory.h"
#include "common/data/example_weights.h"
#include "driver.h"

const char *const fuzz_seeds[] = {
    "1\n2\n3\n4\n5\n",
    "0\n.5\n1e-101\n+1e100\n2.5e-1\n",
    "\357\273\2771e0\r\n \t0 # a note\r\n-0\r\n7\r\n00.25",
    "0\n0\n0\n0\n0\n",
    "1\n1 1\n1\n1\n1\n1\n",
};
const int fuzz_seed_count = sizeof fuzz_seeds / sizeof *fuzz_seeds;

enum { EXAMPLES = 5 };

/* Example i has the features i + 1 .. EXAMPLES, each with the value i + 1, and the class and the
 * group i. */
static void make_problem(struct problem *problem, int32_t *y, uint64_t *group)
{
    for (int32_t i = 0; i < EXAMPLES; i++) {
        int32_t index[EXAMPLES];
        double value[EXAMPLES];
        const struct example x = {
            .label = i, .line = i + 1, .size = EXAMPLES - i, .index = index, .value = value};
        for (int32_t j = i; j < EXAMPLES; j++) {
            index[j - i] = j + 1;
            value[j - i] = i + 1;
        }
        fuzz_require(problem_append_example(problem, &x, NULL) == 0);
        y[i] = i;
        group[i] = (uint64_t)i;
    }
}

/* Each example that is left is as it was. */
static void check_problem(const struct problem *problem, const int32_t *y, const uint64_t *group,
                          const double *weight)
{
    int64_t entries = 0;
    fuzz_require(problem->n > 0 && problem->n <= EXAMPLES && problem->d == EXAMPLES);
    for (int64_t i = 0; i < problem->n; i++) {
        const struct example x = problem_example(problem, i);
        fuzz_require(weight[i] >= EXAMPLE_WEIGHT_LEAST && weight[i] <= EXAMPLE_WEIGHT_MOST);
        fuzz_require(x.label == y[i] && x.line == y[i] + 1 && x.size == EXAMPLES - y[i]);
        fuzz_require(group[i] == (uint64_t)y[i] && (i == 0 || y[i] > y[i - 1]));
        for (int64_t e = 0; e < x.size; e++)
            fuzz_require(x.index[e] == y[i] + e + 1 && x.value[e] > y[i] && x.value[e] < y[i] + 2);
        entries += x.size;
    }
    fuzz_require(problem->nnz == entries);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct problem problem = {.n = 0};
    struct error err = {.line = 0};
    int32_t y[EXAMPLES];
    uint64_t group[EXAMPLES];
    double *weight = NULL;
    make_problem(&problem, y, group);
    if (example_weights_read(fuzz_input_file(data, size), &problem, y, group, &weight, &err) == 0)
        check_problem(&problem, y, group, weight);
    else
        fuzz_require(err.message[0] != '\0' && problem.n == EXAMPLES && !weight);
    memory_free(weight);
    problem_free(&problem);
    return 0;
}
