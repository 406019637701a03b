/* Any bytes as a file of names: refused with a reason, or labels that ascend, each with a name that
 * prints on one line and is found again. */
#include "common/data/names.h"
#include "driver.h"

#include <string.h>

const char *const fuzz_seeds[] = {
    "1 cat\n2 dog\n",
    "# names\n\n-2147483648\tone and only \r\n7 x # y\n3 \303\274",
    "2 a\n1 b\n2 c\n",
    "\357\273\2771 a\n",
    "1 \n",
    "5 a\tb\n",
};
const int fuzz_seed_count = sizeof fuzz_seeds / sizeof *fuzz_seeds;

/* No control bytes, and no blank at either end. */
static bool is_plain(const char *name)
{
    const size_t length = strlen(name);
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)name[i] < 0x20 || name[i] == 0x7f)
            return false;
    return length > 0 && name[0] != ' ' && name[length - 1] != ' ';
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct names names;
    struct error err = {0};
    if (names_read(fuzz_input_file(data, size), &names, &err) != 0) {
        fuzz_require(err.message[0] != '\0' && err.file[0] != '\0');
        names_free(&names);
        return 0;
    }
    fuzz_require(names.count > 0 && names.count <= (int64_t)size);
    for (int64_t i = 0; i < names.count; i++) {
        const struct name *name = &names.name[i];
        fuzz_require(is_plain(name->text) && name->line > 0);
        fuzz_require(i == 0 || name[-1].label < name->label);
        fuzz_require(names_require(&names, name->label, &err) == name);
        if (name->label < INT32_MAX && (i + 1 == names.count || name[1].label > name->label + 1))
            fuzz_require(!names_require(&names, name->label + 1, &err) && err.message[0] != '\0');
    }
    names_free(&names);
    return 0;
}
