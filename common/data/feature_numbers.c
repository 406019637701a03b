/* A set of bits, and counts of those below each block of eight words: the number of a feature is
 * found in the time of a few words, in a sixtieth of what a table of one double a feature takes. */
#include "common/data/feature_numbers.h"

#include "common/base/memory.h"

#include <stdbool.h>

enum { NUMBERS_BLOCK = 8 }; /* words */

/* How many bits of a word are set: sums of 2, 4 and 8 bits side by side, then all of these in the
 * highest.  Without an option for newer processors __builtin_popcountll is a call. */
static int32_t feature_numbers_bits(uint64_t word)
{
    word -= word >> 1 & UINT64_C(0x5555555555555555);
    word = (word & UINT64_C(0x3333333333333333)) + (word >> 2 & UINT64_C(0x3333333333333333));
    word = (word + (word >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (int32_t)(word * UINT64_C(0x0101010101010101) >> 56);
}

int64_t feature_numbers_words(const struct feature_numbers *numbers)
{
    return numbers->d / FEATURE_NUMBERS_WORD + 1;
}

int feature_numbers_start(struct feature_numbers *numbers, int32_t d, struct error *err)
{
    *numbers = (struct feature_numbers){.d = d};
    const int64_t words = feature_numbers_words(numbers);
    if ((numbers->occurs = memory_new(words, sizeof *numbers->occurs, err))
        && (numbers->before = memory_new(words / NUMBERS_BLOCK + 1, sizeof *numbers->before, err)))
        return 0;
    feature_numbers_free(numbers);
    return -1;
}

/* numbers->count and numbers->before. */
static void feature_numbers_add_up(struct feature_numbers *numbers)
{
    const int64_t words = feature_numbers_words(numbers);
    numbers->occurs[0] &= ~UINT64_C(1); /* the bias is no feature */
    for (int64_t word = 0; word < words; word++) {
        if (word % NUMBERS_BLOCK == 0)
            numbers->before[word / NUMBERS_BLOCK] = numbers->count;
        numbers->count += feature_numbers_bits(numbers->occurs[word]);
    }
}

/* numbers->original.  0 or -1. */
static int feature_numbers_list(struct feature_numbers *numbers, struct error *err)
{
    int64_t listed = 0;
    if (!(numbers->original = memory_new(numbers->count, sizeof *numbers->original, err)))
        return -1;
    for (int64_t word = 0; word < feature_numbers_words(numbers); word++) {
        uint64_t left = numbers->occurs[word];
        for (int64_t bit = 0; left; bit++, left >>= 1)
            if (left & 1)
                numbers->original[listed++] = (int32_t)(word * FEATURE_NUMBERS_WORD + bit);
    }
    return 0;
}

int feature_numbers_count(struct feature_numbers *numbers, struct error *err)
{
    feature_numbers_add_up(numbers);
    if (numbers->count == 0 || numbers->count == numbers->d) {
        feature_numbers_free(numbers);
        return 0;
    }
    if (feature_numbers_list(numbers, err) == 0)
        return 0;
    feature_numbers_free(numbers);
    return -1;
}

static bool feature_numbers_any(const struct feature_numbers *numbers)
{
    return numbers && numbers->count > 0;
}

/* The number of an index, which is 0 where it does not occur, as is that of the bias. */
static int32_t feature_numbers_find(const struct feature_numbers *numbers, int64_t index)
{
    const int64_t word = index / FEATURE_NUMBERS_WORD, block = word / NUMBERS_BLOCK;
    const uint64_t bit = UINT64_C(1) << index % FEATURE_NUMBERS_WORD;
    if (index > numbers->d || !(numbers->occurs[word] & bit))
        return 0;
    int32_t number = numbers->before[block] + 1;
    for (int64_t w = block * NUMBERS_BLOCK; w < word; w++)
        number += feature_numbers_bits(numbers->occurs[w]);
    return number + feature_numbers_bits(numbers->occurs[word] & (bit - 1));
}

void feature_numbers_put(const struct feature_numbers *numbers, int32_t *index, int64_t count)
{
    for (int64_t e = 0; e < count; e++)
        index[e] = feature_numbers_find(numbers, index[e]);
}

int64_t feature_numbers_of(const struct feature_numbers *numbers, int64_t index)
{
    return feature_numbers_any(numbers) ? feature_numbers_find(numbers, index) : index;
}

int64_t feature_numbers_original(const struct feature_numbers *numbers, int64_t number)
{
    return feature_numbers_any(numbers) && number > 0 ? numbers->original[number - 1] : number;
}

int64_t feature_numbers_in_file(const struct feature_numbers *numbers, int64_t number,
                                bool zero_based)
{
    return feature_numbers_original(numbers, number) - zero_based;
}

int64_t feature_numbers_d(const struct feature_numbers *numbers, int64_t d)
{
    return feature_numbers_any(numbers) ? numbers->d : d;
}

void feature_numbers_free(struct feature_numbers *numbers)
{
    memory_free(numbers->occurs);
    memory_free(numbers->before);
    memory_free(numbers->original);
    *numbers = (struct feature_numbers){0};
}
