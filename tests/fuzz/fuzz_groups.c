/* Any bytes as a file of groups for five examples: refused with a place, or a group for each. */
#include "common/base/memory.h"
#include "common/data/groups.h"
#include "driver.h"

const char *const fuzz_seeds[] = {
    "a\nb\na\nb\na\n",
    "\357\273\277film 1\r\n \t# 2\t\r\nfilm 1\r\n0\r\n\1",
    "a\na\n\na\na\n",
    "a\nb\nc\nd\ne\nf\n",
};
const int fuzz_seed_count = sizeof fuzz_seeds / sizeof *fuzz_seeds;

enum { EXAMPLES = 5 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_input_file(data, size);
    struct error err = {.line = 0};
    uint64_t *group = NULL;
    int64_t *first = NULL, groups = 0;
    if (groups_read(path, EXAMPLES, &group, &err) != 0) {
        fuzz_require(err.message[0] != '\0');
    } else {
        fuzz_require(groups_first(group, EXAMPLES, 1, path, &first, &err) == 0);
        for (int64_t i = 0; i < EXAMPLES; i++) {
            fuzz_require(0 <= first[i] && first[i] <= i && first[first[i]] == first[i]);
            fuzz_require(group[first[i]] == group[i]);
            groups += first[i] == i;
        }
        memory_free(first);
        fuzz_require(groups_first(group, EXAMPLES, groups, path, &first, &err) == 0);
        memory_free(first);
        const int status = groups_first(group, EXAMPLES, groups + 1, path, &first, &err);
        fuzz_require(status == -1 && err.message[0] != '\0');
    }
    memory_free(group);
    memory_free(first);
    return 0;
}
