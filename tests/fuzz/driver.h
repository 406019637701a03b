/* What a fuzz target defines, and what it may use.  The same target runs under our own driver
 * (driver.c, in `make test`) and under clang's libFuzzer (`make fuzz`). */
#ifndef TESTS_FUZZ_DRIVER_H
#define TESTS_FUZZ_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Inputs to start from. */
extern const char *const fuzz_seeds[];
extern const int fuzz_seed_count;

/* Try one input.  Always returns 0: engines ignore any other value, so a promise that does not hold
 * must end the process, by fuzz_require. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A promise that must hold for every input; when it does not, say which one and abort. */
#define fuzz_require(condition) \
    ((condition) ? (void)0 : fuzz_broken(__FILE__, __LINE__, #condition))

_Noreturn void fuzz_broken(const char *file, int line, const char *condition);

/* A file that holds these bytes: its path.  Each call replaces what the call before wrote. */
const char *fuzz_input_file(const uint8_t *data, size_t size);

/* A path beside it, for what the code under test writes. */
const char *fuzz_output_path(void);

#endif
