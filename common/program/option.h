/* One row of a program's option table, and what a program says of itself. */
#ifndef COMMON_PROGRAM_OPTION_H
#define COMMON_PROGRAM_OPTION_H

#include <stdbool.h>
#include <stdint.h>

enum option_type {
    OPTION_FLAG,    /* bool: no argument */
    OPTION_INT,     /* int64_t in lowest .. highest */
    OPTION_NUMBER,  /* double in lowest .. highest */
    OPTION_CHOICE,  /* int64_t: position of the word in choices, a NULL-terminated list */
    OPTION_TEXT,    /* const char *, NULL when not given */
    OPTION_WORDS,   /* struct option_words: may be given several times */
    OPTION_NUMBERS, /* struct option_numbers: an ascending list with commas, each in lowest ..
                       highest */
};

/* Ends of ranges.  Doubles: no bound, and "> 0", where 1/x is finite; whole numbers: all that a
 * double holds. */
#define OPTION_UNBOUNDED 1e300
#define OPTION_ABOVE_0 1e-300
#define OPTION_LARGEST_INT 9007199254740991.0

/* What a run does with the file that a text option names. */
enum option_file { OPTION_NO_FILE, OPTION_READS, OPTION_WRITES, OPTION_APPENDS };

enum { OPTION_MOST_WORDS = 1024 };
struct option_words {
    int count;
    const char *word[OPTION_MOST_WORDS];
};

enum { OPTION_MOST_NUMBERS = 256 };
struct option_numbers {
    int count;
    double value[OPTION_MOST_NUMBERS];
};

struct option {
    char letter;      /* 0: none */
    const char *name; /* the long name, without dashes */
    enum option_type type;
    void *value;          /* where it goes, by type */
    const char *argument; /* its name in the help, "r" */
    const char
        *by_default; /* text of the default, parsed like an argument; NULL: the variable's own */
    const char *help;
    double lowest, highest;
    const char *const
        *choices;     /* NULL-terminated; of an option with a file: words that name none, or NULL */
    const char *hint; /* of choices: what the refusal of another word adds, or NULL */
    enum option_file file;
    const void *had;   /* a variable of the same type, or a bool for a flag: the value of the model
                          gone on from, with which the option must agree (trainer.h).  NULL: none */
    const char *users; /* the learners that have a use for it, "arow, cw"; NULL: all */
    bool given;        /* out */
    const char *text;  /* out: as given */
};

struct program {
    const char *name;
    const char *words; /* "training_file [model_file]" */
    const char *files; /* `r` or `w` for each word: a file that is read or written; the last stands
                          for all that follow */
    const char *summary;  /* one sentence */
    const char *details;  /* for the man page, may be NULL: paragraphs, separated by empty lines */
    const char *examples; /* command lines, a line each, may be NULL */
    const char *diagnostics; /* its own warnings and what they mean, may be NULL */
    const char *see_also;    /* other pages, "suspects(1), confusion(1)", may be NULL */
    const char *papers;      /* where its method is described, may be NULL */
    int fewest_words, most_words;
    struct option *options;
    int count;
    const struct program *const
        *kinds; /* NULL-terminated, for help and man page: what the first word chooses, each with a
                   table of its own and a name of two words, "synth toy".  May be NULL */
};

extern const char *const option_zero_one[]; /* "0", "1" */

#endif
