/* The table of online rules.  A rule is a row here and a file (first_order.c and arow.c hold
 * several) which defines
 *
 *     const struct online_rule online_IDENTIFIER_rule = {...};      (online_state.h)
 *
 * ONLINE_CONSTANT is the rule's number; NAME its name in -s and model files. */
#ifndef LEARNERS_ONLINE_ONLINE_RULES_H
#define LEARNERS_ONLINE_ONLINE_RULES_H

/* clang-format off */
#define ONLINE_RULES(RULE) \
    /*   CONSTANT     IDENTIFIER   NAME */ \
    RULE(AROW,        arow,        "arow") \
    RULE(AROW_HINGE,  arow_hinge,  "arow-hinge") \
    RULE(PERCEPTRON,  perceptron,  "perceptron") \
    RULE(PA,          pa,          "pa") \
    RULE(PA1,         pa1,         "pa1") \
    RULE(PA2,         pa2,         "pa2") \
    RULE(CW,          cw,          "cw") \
    RULE(SOP,         sop,         "sop") \
    RULE(ADAGRAD_RDA, adagrad_rda, "adagrad-rda")
/* clang-format on */

#endif
