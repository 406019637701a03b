/* The suspicion of every example of a noisy file: how probable it is that its label is right, and
 * which class is likelier (suspicion.h).
 *
 *     suspects_find or suspects_find_given; suspects_report_table (suspects_table.h) and what
 *     suspects_write.h writes; suspects_free */
#ifndef LEARNERS_SUSPECTS_SUSPECTS_H
#define LEARNERS_SUSPECTS_SUSPECTS_H

#include "learners/estimate/noisy_file.h"
#include "learners/estimate/predictions_file.h"
#include "learners/noise/suspicion.h"

struct suspects {
    const struct noisy_file *data;
    double threshold;       /* a label with a lower score is a suspect */
    struct suspicion *list; /* n, by rank; suspects_sort_by_line changes that */
};

/* By the cross-fitted probabilities of the estimate in `data`.  Where the estimate is of a sample,
 * or the data are on disk, models are fitted anew with its matrix, lambda and steps
 * (cross_scores.h).
 *
 * data       borrowed
 * options    of these fits: seed, threads and progress are used
 * s          threshold is set; out: the rest; free with suspects_free, also after an error
 * O(n K log n) and these fits.  0 or -1. */
int suspects_find(const struct noisy_file *data, const struct crossfit_options *options,
                  struct suspects *s, struct error *err);

/* The same by the probabilities of a file, of which one more pass is made. */
int suspects_find_given(const struct predictions_file *file, struct suspects *s, struct error *err);

/* Is this score below the threshold? */
static inline bool suspects_is_below(const struct suspects *s, const struct suspicion *is)
{
    return is->score < s->threshold;
}

/* Put the list into the order of the data. */
void suspects_sort_by_line(struct suspects *s);

void suspects_free(struct suspects *s);

#endif
