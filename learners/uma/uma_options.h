/* UMA's options, their names, and what counts as a tie.  The formulas are in uma.h. */
#ifndef LEARNERS_UMA_UMA_OPTIONS_H
#define LEARNERS_UMA_UMA_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* Ranks that differ by less, relatively, are equal, and so are ||z||^2 and sigmas^2 sigma^2:
 * duplicated examples make ties that rounding would decide otherwise.  (Ties of scores, and of <w_r
 * - w_q, z> with 0, are decided by rounding.)  No reason for the number but that it works. */
#define UMA_TIE 1e-12

enum uma_strategy { UMA_ERROR, UMA_CONFUSION, UMA_RANDOM };
enum uma_step { UMA_PERCEPTRON, UMA_UNIFORM, UMA_WORST };
enum uma_check { UMA_SKIP, UMA_NONE, UMA_PAPER };
enum uma_iterate { UMA_BEST, UMA_LAST, UMA_AVERAGE };
enum uma_stop { UMA_TOL, UMA_NO_VIOLATION, UMA_MAX_ITER };

/* Their names, in the order above, NULL-terminated. */
extern const char *const uma_strategies[];
extern const char *const uma_steps[];
extern const char *const uma_checks[];
extern const char *const uma_iterates[];
extern const char *const uma_stops[];

struct uma_options {
    int64_t strategy, step, check, iterate; /* the enums above */
    double alpha;                           /* margin of A_p, >= 0 */
    bool alpha_relative;                    /* alpha times the Frobenius norm of W */
    int64_t iterations;                     /* at most, >= 0 */
    double sigmas;                          /* >= 0; 0: only z_pq = 0 is too small */
    int64_t seed;                           /* of the random strategy, and of folds */
    double table_bytes;                     /* what the tables of z may take */
    int threads;
};

#endif
