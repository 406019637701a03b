/* The estimate of sampled_estimate.h for a trainer, which says what it does meanwhile: from how
 * many examples, how far it is, what is found, and what is to be thought of that. */
#ifndef LEARNERS_ESTIMATE_TOLD_ESTIMATE_H
#define LEARNERS_ESTIMATE_TOLD_ESTIMATE_H

#include "common/base/findings.h"
#include "learners/estimate/estimate.h"

/* data, known, options, asked  as in sampled_estimate.h; options->fit.progress, not NULL, has not
 *                              begun.  Where options->predicts, the choice of the classifier is
 *                              told, too
 * estimate                     out, without p; free with estimate_free also after an error
 * 0, or -1 with err, also where lambda is to be chosen and there are too few examples for it. */
int told_estimate(const struct labelled *data, const double *known,
                  const struct estimate_options *options, int64_t asked, const struct findings *to,
                  struct estimate *estimate, struct error *err);

#endif
