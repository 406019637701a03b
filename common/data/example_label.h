/* Why a label is refused that is no integer: what a file with such lines usually is, and a command
 * that turns it into ours. */
#ifndef COMMON_DATA_EXAMPLE_LABEL_H
#define COMMON_DATA_EXAMPLE_LABEL_H

#include <stdbool.h>

enum { EXAMPLE_LABEL_FAULT = 320 }; /* bytes: the longest text that is put together */

/* token       the label; the line goes on after it, up to a newline
 * advises     false: no command that turns the file, as where bad lines are skipped, and the others
 *             are good
 * unlabelled  may lines have no label (example.h)?
 * text        for reasons that are put together
 * Returns the reason: text, or a constant. */
const char *example_label_fault(const char *token, bool advises, bool unlabelled,
                                char text[EXAMPLE_LABEL_FAULT]);

#endif
