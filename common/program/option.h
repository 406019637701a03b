/* A row of a program's option table, and the texts of its help and manual page. */
#ifndef COMMON_PROGRAM_OPTION_H
#define COMMON_PROGRAM_OPTION_H

#include "common/base/number.h"

#include <stdbool.h>
#include <stdint.h>

enum option_type {
    OPTION_FLAG,    /* bool: no argument */
    OPTION_INT,     /* int64_t in lowest .. highest */
    OPTION_NUMBER,  /* double in lowest .. highest */
    OPTION_CHOICE,  /* int64_t: position of the word in choices, a NULL-terminated list */
    OPTION_TEXT,    /* const char *, NULL when not given */
    OPTION_WORDS,   /* struct option_words: may be given several times */
    OPTION_NUMBERS, /* struct option_numbers: an ascending list, separated by commas, each in
                       lowest .. highest */
};

/* Ends of ranges: no bound; above 0; 2^53 - 1, the last whole number that no other rounds to. */
#define OPTION_UNBOUNDED 1e300
#define OPTION_ABOVE_0 NUMBER_ABOVE_0
#define OPTION_LARGEST_INT 9007199254740991.0

/* What a run does with the file that a text option names. */
enum option_file { OPTION_NO_FILE, OPTION_READS, OPTION_WRITES, OPTION_APPENDS };

enum { OPTION_MOST_WORDS = 1024 }; /* one for each class, say */
struct option_words {
    int count;
    const char *word[OPTION_MOST_WORDS];
};

enum { OPTION_MOST_NUMBERS = 256 }; /* of a grid: far more than anyone waits for */
struct option_numbers {
    int count;
    double value[OPTION_MOST_NUMBERS];
};

struct option {
    char letter;      /* 0: none */
    const char *name; /* the long name, without dashes */
    enum option_type type;
    void *value;            /* where the parsed value goes, by type */
    const char *argument;   /* its name in the help, "r" */
    const char *by_default; /* parsed like an argument; NULL: the variable keeps its value */
    const char *help;
    double lowest, highest;
    const char *const
        *choices;     /* NULL-terminated; if `file` is set: words that are no file names, or NULL */
    const char *hint; /* added to the error message when a word is none of choices, or NULL */
    enum option_file file;
    const void *had;   /* a variable of the same type: the value in the -m model, with which the
                          option must agree (trainer.h); NULL: none */
    const char *users; /* the learners that use it, "arow, cw"; NULL: all */
    bool given;        /* out */
    const char *text;  /* out: the argument as given */
};

enum { OPTION_INSTEAD = 160 };

struct program {
    const char *name;
    const char *words; /* "training_file [model_file]" */
    const char *files; /* `r` or `w` for each word: a file that is read or written; the last letter
                          holds for all further words */
    const char *summary;  /* one sentence */
    const char *details;  /* for the man page, may be NULL: paragraphs, separated by empty lines */
    const char *examples; /* command lines, one per line, may be NULL */
    const char *diagnostics;      /* the program's warnings and what they mean, may be NULL */
    const char *see_also;         /* other pages, "suspects(1), confusion(1)", may be NULL */
    const char *papers;           /* where its method is described, may be NULL */
    int fewest_words, most_words; /* most_words < 0: any number */
    /* Is `option`, followed by the word `next` (NULL: none), another program's way to say
     * something, svm-train's perhaps?  Then *instead is what to write here.  NULL: nothing is
     * known. */
    bool (*foreign)(const char *option, const char *next, char instead[OPTION_INSTEAD]);
    struct option *options;
    int count;
    const struct program *const
        *kinds; /* NULL-terminated, for help and man page: the kinds that the first word chooses
                   from, each with its own table and a name of two words, "synth toy"; or NULL */
};

extern const char *const option_zero_one[]; /* "0", "1" */

#endif
