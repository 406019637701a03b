/* arow-train: online learning from LIBSVM text of any size, a file or a pipe. */
#include "common/base/reduce.h"
#include "common/program/fold_predictions.h"
#include "common/program/pass_trainer.h"
#include "common/program/trainer_map.h"
#include "learners/online/online.h"

#include <stdatomic.h>
#include <string.h>

enum { RULES_TEXT = 128 /* bytes of the names of all rules */ };

struct arow_train {
    struct trainer trainer; /* first, so that a hook can cast it back */
    struct pass_trainer passes;
    struct online_options options, had; /* had: those of the -m model */
    struct online *learner;
    _Atomic bool fold_left; /* -v: some fold has weights other than 0 */
};

/* The program that a hook's trainer is part of. */
static struct arow_train *arow_train_of(const struct trainer *t)
{
    return (struct arow_train *)(void *)t;
}

/* Refuse -W with a rule that knows no weights. */
static int arow_train_check_weights(const struct trainer *t, int64_t rule, struct error *err)
{
    if (!t->weights_given || online_uses(rule, TRAINER_WEIGHTS))
        return 0;
    return error_usage(err, "%s knows no weights of examples: -W does not go with it",
                       online_rule_names[rule]);
}

static int arow_train_check(struct trainer *t, struct error *err)
{
    const struct arow_train *a = arow_train_of(t);
    char joiners[RULES_TEXT];
    if (online_check(&a->options, NULL, err) != 0) {
        err->usage = true;
        return -1;
    }
    if (reduce_ranks() > 1 && !online_joins(&a->options))
        return error_usage(err, "several ranks need -f diag, no -A, and one of the rules %s",
                           online_joiners(joiners, sizeof joiners));
    if (!t->resume_given && arow_train_check_weights(t, a->options.rule, err) != 0)
        return -1;
    return pass_trainer_check(t, &a->passes, err);
}

/* The hook `uses`: by the rule of the model, where there is one. */
static bool arow_train_uses(const struct trainer *t, const char *option,
                            char why_not[TRAINER_WHY_NOT])
{
    const struct arow_train *a = arow_train_of(t);
    int64_t rule = a->learner ? a->had.rule : a->options.rule;
    snprintf(why_not, TRAINER_WHY_NOT, "for %s", online_rule_names[rule]);
    return online_uses(rule, option);
}

/* Load the -m model. */
static int arow_train_resume(struct trainer *t, struct error *err)
{
    struct arow_train *a = arow_train_of(t);
    struct model model = {0};
    if (model_read(t->resume_given, (int)t->threads, true, &model, err) != 0)
        return -1;
    t->map = model_take_map(&model);
    a->learner = online_load(&model, &t->had, err);
    model_free(&model);
    if (!a->learner)
        return -1;
    a->had = *online_get_options(a->learner);
    t->had_labels = online_labels(a->learner);
    return arow_train_check_weights(t, a->had.rule, err);
}

static double arow_train_model_bytes(const struct trainer *t, int64_t classes, int64_t d,
                                     const struct problem *problem)
{
    (void)problem;
    return online_bytes(&arow_train_of(t)->options, classes, d, t->folds != 0);
}

/* Is nothing left of what was learnt? */
static bool arow_train_is_empty(const struct online *o, const struct weights *w)
{
    return weights_are_zero(w) && online_counts(o).updates > 0;
}

/* ---- data in memory ---- */

/* Weights learnt from all folds but one, for -v. */
static int arow_train_fit_fold(const void *context, const int64_t *subset, int64_t n,
                               struct weights *w, struct error *err)
{
    const struct pass_fold *fold = context;
    struct arow_train *a = arow_train_of(fold->trainer);
    struct online *o = online_new(&a->options, &fold->trainer->labels, err);
    if (!o)
        return -1;
    const struct round_learner learner = online_learner(o);
    int status = passes_over_problem(&learner, fold->problem, fold->y, subset, n, &fold->passes,
                                     err);
    if (status == 0)
        status = online_weights(o, w, err);
    if (status == 0 && !arow_train_is_empty(o, w))
        atomic_store(&a->fold_left, true);
    online_free(o);
    return status;
}

/* A new learner, unless a model was loaded. */
static int arow_train_make_learner(struct trainer *t, struct error *err)
{
    struct arow_train *a = arow_train_of(t);
    if (!a->learner)
        a->learner = online_new(&a->options, &t->labels, err);
    return a->learner ? 0 : -1;
}

static int arow_train_train_held(struct trainer *t, const struct problem *problem, const int32_t *y,
                                 struct error *err)
{
    struct arow_train *a = arow_train_of(t);
    if (t->folds != 0)
        return pass_trainer_validate(t, &a->passes, problem, y, arow_train_fit_fold, err);
    if (arow_train_make_learner(t, err) != 0)
        return -1;
    const struct round_learner learner = online_learner(a->learner);
    return pass_trainer_over_problem(t, &a->passes, &learner, problem, y, err);
}

/* ---- streams ---- */

static int arow_train_train_streamed(struct trainer *t, struct error *err)
{
    struct arow_train *a = arow_train_of(t);
    if (arow_train_make_learner(t, err) != 0)
        return -1;
    const struct round_learner learner = online_learner(a->learner);
    return pass_trainer_over_stream(t, &a->passes, &learner, err);
}

/* ---- the whole ---- */

static int arow_train_save(struct trainer *t, struct error *err)
{
    return online_save(arow_train_of(t)->learner, &t->form, t->model, (int)t->threads, err);
}

static int64_t arow_train_mistakes(const struct trainer *t)
{
    return online_counts(arow_train_of(t)->learner).mistakes;
}

/* Has no mistake led to an update? */
static bool arow_train_is_unlearnt(const struct online *o)
{
    const struct round_counts counts = online_counts(o);
    return counts.updates == 0 && counts.mistakes > 0;
}

/* Warn if a model is empty: of features, but nothing was learnt, or an L1 penalty has left nothing;
 * with -v, if it has in no fold.  0 or -1. */
static int arow_train_warn_empty(struct arow_train *a, struct error *err)
{
    const bool penalised = a->options.rule == ONLINE_ADAGRAD_RDA && a->options.lambda > 0,
               unlearnt = a->learner && arow_train_is_unlearnt(a->learner);
    if (!penalised && !unlearnt)
        return 0;
    bool empty = !atomic_load(&a->fold_left);
    if (a->learner) {
        struct weights w;
        if (online_weights(a->learner, &w, err) != 0)
            return -1;
        empty = arow_train_is_empty(a->learner, &w);
        if (unlearnt && w.rows > 1)
            trainer_warn(&a->trainer, "nothing was learnt: all values are 0, or their squares are");
        weights_free(&w);
    }
    if (empty)
        trainer_warn(&a->trainer, "all weights are 0: the penalty, --lambda %g, is too large",
                     a->options.lambda);
    return 0;
}

static int arow_train_run(struct trainer *t, struct error *err)
{
    struct arow_train *a = arow_train_of(t);
    if (a->learner)
        a->options = a->had;
    return pass_trainer_run(t, &a->passes, err) == 0 ? arow_train_warn_empty(a, err) : -1;
}

static void arow_train_release(struct trainer *t)
{
    online_free(arow_train_of(t)->learner);
}

static const char *const details =
    "One pass by default. A regular file that fits in memory is shuffled before each pass; a pipe "
    "(`-`: standard input), a larger file, and any file with --stream are read in file order. A "
    "pipe is streamed in constant memory when its classes are known (--labels, or -m) and only one "
    "pass is made; otherwise it is held in memory. The model file (default: the name of the "
    "training file + .model, in the current folder) is read by liblinear-predict too, unless "
    "--map is given; it also holds what -m needs to continue exactly where training ended.";

/* Options of LIBSVM and LIBLINEAR that mean nothing here. */
static bool arow_train_foreign(const char *option, const char *next, char instead[OPTION_INSTEAD])
{
    if (strcmp(option, "-e") == 0)
        snprintf(instead, OPTION_INSTEAD, "-e: leave it out; -i sets the number of passes");
    else if (strcmp(option, "-t") == 0)
        snprintf(
            instead, OPTION_INSTEAD,
            "-t: leave it out; --map nystrom or --map fourier makes features of the RBF kernel");
    else if (strcmp(option, "-g") == 0)
        snprintf(instead, OPTION_INSTEAD, "-g: gamma is --map-gamma, of --map");
    else if (strcmp(option, "-C") == 0)
        snprintf(instead, OPTION_INSTEAD, "-C: leave it out; -v tells which -r is best");
    else if (strcmp(option, "-b") == 0)
        snprintf(instead, OPTION_INSTEAD, "-b: leave it out; arow-predict -b 1 writes scores");
    else
        return options_is_shrinking(option, next, instead)
               || options_is_class_weight(option, instead);
    return true;
}

static const char *const examples =
    "  arow-train -A -r 10 data/letter.train letter.model\n"
    "  gzip -c data/digits.train | zcat | arow-train --labels 0-9 - digits.model\n"
    "  arow-train -v 5 -r 0.1 data/digits.train\n";

int main(int argc, char **argv)
{
    static const struct option_clash clashes[] = {PASS_TRAINER_CLASHES, {0}};
    static const char *const alone[] = {"folds",    "model",      TRAINER_WEIGHTS,
                                        "skip-bad", "save-every", "stream",
                                        "map",      "groups",     NULL};
    struct arow_train a = {.trainer = trainer_start(),
                           .passes = {.bytes = arow_train_model_bytes,
                                      .train_held = arow_train_train_held,
                                      .train_streamed = arow_train_train_streamed}};
    struct trainer *t = &a.trainer;
    struct online_options *o = &a.options, *had = &a.had;
    struct option table[] = {
        {ROW_CHOICE('s', "learner", &o->rule, "learner", online_rule_names), .by_default = "arow",
         .had = &had->rule, .hint = "LIBLINEAR's solvers are other learners",
         .help = "the learning rule"},
        {ROW_NUMBER('r', "regularizer", &o->r, "r", OPTION_ABOVE_0, OPTION_UNBOUNDED),
         .by_default = "1", .had = &had->r,
         .help = "r of AROW: the larger it is, the smaller are the updates"},
        {ROW_NUMBER('c', "aggressiveness", &o->C, "C", OPTION_ABOVE_0, OPTION_UNBOUNDED),
         .by_default = "1", .had = &had->C,
         .help = "C of PA: the largest step (pa1), or a soft limit on steps (pa2)"},
        {ROW_NUMBER('p', "phi", &o->phi, "phi", OPTION_ABOVE_0, OPTION_UNBOUNDED),
         .by_default = "1", .had = &had->phi, .help = "confidence parameter phi of CW"},
        {ROW_NUMBER('a', "prior", &o->a, "a", OPTION_ABOVE_0, OPTION_UNBOUNDED), .by_default = "1",
         .had = &had->a, .help = "the inverse covariance starts as a times the identity"},
        {ROW_NUMBER(0, "eta", &o->eta, "eta", OPTION_ABOVE_0, OPTION_UNBOUNDED),
         .by_default = "0.1", .had = &had->eta, .help = "step size"},
        {ROW_NUMBER(0, "lambda", &o->lambda, "lambda", 0, OPTION_UNBOUNDED), .by_default = "0",
         .had = &had->lambda, .help = "L1 penalty"},
        {ROW_NUMBER(0, "delta", &o->delta, "delta", OPTION_ABOVE_0, OPTION_UNBOUNDED),
         .by_default = "1", .had = &had->delta,
         .help = "added to the root of the sum of squared gradients"},
        {ROW_INT('k', "competitors", &o->k, "k", 0, INT32_MAX), .by_default = "1", .had = &had->k,
         .help = "number of wrong classes in an update; 0: all"},
        {ROW_CHOICE('f', "form", &o->form, "form", online_forms), .by_default = "diag",
         .had = &had->form, .help = "form of the covariance"},
        {ROW_INT('i', "passes", &a.passes.passes, "passes", 1, 1000000), .by_default = "1",
         .help = "number of passes over the data"},
        {ROW_FLAG('A', "average", &o->average), .had = &had->average,
         .help = "predict with the average of the weights over all rounds; steadier under label "
                 "noise"},
        PASS_TRAINER_ROWS(t, &a.passes),
        TRAINER_FORM_ROWS(t, "the -m model, or of the data", "0"),
        TRAINER_MAP_ROWS(t),
        OPTION_FOLDS(&t->folds),
        OPTION_GROUPS(&t->groups_given, " of -v"),
        FOLD_PREDICTIONS_ROWS(t),
        TRAINER_RUN_ROWS(t),
    };
    enum { ROWS = sizeof table / sizeof *table };
    char users[ROWS][RULES_TEXT];
    for (int i = 0; i < ROWS; i++)
        table[i].users = online_users(table[i].name, users[i], sizeof *users);
    t->program = (struct program){
        .name = "arow-train",
        TRAINER_WORDS,
        .summary =
            "Learn a linear classifier online with AROW, or one of its baselines, from LIBSVM "
            "text.",
        .details = details,
        .see_also = "arow-predict(1), arow-merge(1), forward-train(1)",
        .papers =
            "Crammer, Kulesza and Dredze, Adaptive regularization of weight vectors, Machine "
            "Learning 91, 2013. Crammer, Dekel, Keshet, Shalev-Shwartz and Singer, Online passive-"
            "aggressive algorithms, JMLR 7, 2006. Dredze, Crammer and Pereira, Confidence-weighted "
            "linear classification, ICML 2008. Cesa-Bianchi, Conconi and Gentile, A second-order "
            "perceptron algorithm, SIAM J. Comput. 34, 2005. Duchi, Hazan and Singer, Adaptive "
            "subgradient methods, JMLR 12, 2011.",
        .examples = examples,
        .foreign = arow_train_foreign,
        .options = table,
        .count = ROWS};
    t->clashes = clashes;
    t->alone = alone;
    t->check = arow_train_check;
    t->uses = arow_train_uses;
    t->resume = arow_train_resume;
    t->run = arow_train_run;
    t->save = arow_train_save;
    t->mistakes = arow_train_mistakes;
    t->minds_offset = true;
    t->release = arow_train_release;
    return trainer_main(t, argc, argv);
}
