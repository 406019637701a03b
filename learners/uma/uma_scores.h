/* UMA's scores <w_k, x_i> of all examples: in memory; or on disk, where the data are, of which a
 * block is read at a time. */
#ifndef LEARNERS_UMA_UMA_SCORES_H
#define LEARNERS_UMA_UMA_SCORES_H

#include "common/base/disk_file.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Examples in a block, and that a thread takes at a time: no reason but that it works. */
enum { UMA_BLOCK = 512 };

struct uma_scores {
    int64_t n, K;
    double *held;           /* n x K; NULL: they are on disk */
    struct disk_file *disk; /* blocks of UMA_BLOCK x K; NULL: they are held */
    double *memory;         /* with disk: a block for each thread */
    double **spare;         /* the blocks of `memory` that no thread uses */
    int64_t spare_count;    /* how many */
    pthread_mutex_t lock;   /* of spare and spare_count; made with disk */
};

/* n x K zeros.  folder: where they go to disk, for so many threads; NULL: they are held.  0 or -1;
 * free as after success. */
int uma_scores_make(struct uma_scores *scores, int64_t n, int64_t K, const char *folder,
                    int threads, struct error *err);

/* 0, or -1 with err if a block could not be read or written: the scores are then wrong. */
int uma_scores_check(const struct uma_scores *scores, struct error *err);

void uma_scores_free(struct uma_scores *scores);

/* Bytes in memory; disk: they are not held, and so many threads look at them. */
double uma_scores_bytes(int64_t n, int64_t K, bool disk, int threads);

/* What one thread sees of them:
 *
 *     struct uma_scores_view view = uma_scores_view(scores, true);
 *     double *score = uma_scores_of(&view, i); ...
 *     uma_scores_end(&view); */
struct uma_scores_view {
    struct uma_scores *scores;
    bool changes, read;
    double *block;   /* UMA_BLOCK x K, on disk */
    int64_t current; /* its number, if it is read */
};

/* changes: what is seen is changed, to be written back; no other thread looks at its blocks
 * meanwhile. */
struct uma_scores_view uma_scores_view(struct uma_scores *scores, bool changes);

/* The K scores of example i, valid until the next call. */
double *uma_scores_of(struct uma_scores_view *view, int64_t i);

void uma_scores_end(struct uma_scores_view *view);

#endif
