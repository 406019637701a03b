/* What a fuzz target gives to the driver. */
#ifndef TESTS_FUZZ_DRIVER_H
#define TESTS_FUZZ_DRIVER_H

#include <stddef.h>
#include <stdint.h>

/* Returns 0 when all that must hold of this input holds.  Crashes, and what sanitizers see, speak for themselves. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern const char *const fuzz_seeds[];
extern const int fuzz_seed_count;

#endif
