/* Noise rates of bandit feedback, as they are estimated (noise_rate.h). */
#ifndef LEARNERS_BANDIT_NOISE_RATES_H
#define LEARNERS_BANDIT_NOISE_RATES_H

struct noise_rates {
    double rho[2];      /* rho0, rho1 */
    double count[2][2]; /* of margin, count[same][f]: rounds with feedback f in which another label
                          than the classifier's was shown (same = 0), and in which it was (1) */
};

#endif
