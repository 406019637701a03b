/* The confusion matrix that a user names: a file, `identity`, or `estimate`. */
#ifndef COMMON_MODEL_CONFUSION_OPTION_H
#define COMMON_MODEL_CONFUSION_OPTION_H

#include "common/base/error.h"
#include "common/data/labels.h"
#include "common/model/confusion.h"

#include <stdbool.h>

/* The words that name no file, NULL-terminated. */
extern const char *const confusion_option_words[];

bool confusion_option_estimates(const char *given);

/* Read the matrix, where `given` names a file; its head may name the classes.  labels: in and out,
 * those that are known (then the file's must agree), or count 0.  labels_source: where they come
 * from, "in --labels", for the messages.  C: out, zero before.  0 or -1. */
int confusion_option_read(const char *given, const char *labels_source, struct confusion *C,
                          struct labels *labels, struct error *err);

/* Once the classes are known: make the identity if no matrix was read, else give C these labels if
 * it has none; a matrix of another size is refused.  labels_source: as above.  0 or -1. */
int confusion_option_complete(const char *given, const char *labels_source, struct confusion *C,
                              const struct labels *labels, struct error *err);

/* What to warn of, after the name of the file, where `unseen` classes (struct confusion) have no
 * count there.  text: out.  Returns text. */
enum { CONFUSION_OPTION_TEXT = 192 };
char *confusion_option_unseen(int64_t unseen, char text[CONFUSION_OPTION_TEXT]);

/* Are the columns of two classes alike, to within the 1e-6 to which a file's columns sum to 1?
 *
 * c       K x K, of these classes
 * text    out, if so: what to warn of, after the name of the file, of the first two
 * O(K^2) time, unless columns are nearly alike. */
bool confusion_option_alike(const double *c, const struct labels *labels,
                            char text[CONFUSION_OPTION_TEXT]);

#endif
