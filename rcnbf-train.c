/* rcnbf-train: a linear multiclass classifier from noisy bandit feedback: simulated, logged, or
 * live over a pipe. */
#include "common/base/input.h"
#include "common/base/memory.h"
#include "common/base/output.h"
#include "common/program/log_options.h"
#include "common/program/program.h"
#include "common/program/round_trainer.h"
#include "common/program/trainer_map.h"
#include "learners/bandit/bandit_live.h"
#include "learners/bandit/bandit_log.h"
#include "learners/bandit/bandit_parameters.h"
#include "learners/bandit/bandit_report.h"
#include "learners/bandit/bandit_rule.h"
#include "learners/bandit/bandit_simulate.h"
#include "learners/bandit/rcine.h"

#include <string.h>
#include <unistd.h>

enum { MOST_REFUSALS = 20 }; /* of a live loop that are shown, a screenful; all are counted */

/* Where feedback comes from. */
enum source { SIMULATED, LOGGED, LIVE };

struct rcnbf_train {
    struct trainer trainer;        /* first, so that a hook can cast it back */
    struct bandit_options options; /* as given; with -m see rcnbf_train_options_of */
    int64_t rule, weights, play;
    const char *rates_given, *noise_given, *propensity_given, *hidden_given, *trace, *record;
    double noise[2], assumed[2], least_p, held_out;
    struct log_propensity propensity;
    bool interactive;
    int64_t most_open, most_features;

    enum source source;
    struct round_trainer data;
    struct bandit *learner;
    int64_t drawn;                  /* rounds before this run, which fix the next random numbers */
    struct bandit_counts simulated; /* rounds of this run, by source */
    struct bandit_log_counts logged;
    struct bandit_live_counts live;
    struct output trace_file;
    int64_t refused;
};

/* The program that a hook's trainer is part of. */
static struct rcnbf_train *rcnbf_train_of(const struct trainer *t)
{
    return (struct rcnbf_train *)(void *)t;
}

/* ---- options together ---- */

/* Refuse options without a meaning for the source of this run, the first of the option table
 * first. */
static int rcnbf_train_refuse_other_sources(const struct rcnbf_train *r, struct error *err)
{
    static const char *const of_log[] = {"propensity", "least-p", "hold-out", NULL};
    static const char *const of_live[] = {"open", "most-features", "record", NULL};
    static const char *const not_of_log[] = {"noise",  "random-order", "open", "most-features",
                                             "record", "trace",        NULL};
    static const char *const not_of_live[] = {"noise",      "rounds",   "random-order",
                                              "propensity", "least-p",  "hold-out",
                                              "trace",      "skip-bad", NULL};
    const struct program *program = &r->trainer.program;
    if (r->source == LOGGED)
        return options_refuse_any(program, not_of_log, "with --log", err);
    if (r->source == LIVE)
        return options_refuse_any(program, not_of_live, "with --interactive", err);
    if (options_refuse_any(program, of_log, "without --log", err) != 0)
        return -1;
    return options_refuse_any(program, of_live, "without --interactive", err);
}

/* Parse options whose values are lists or words. */
static int rcnbf_train_parse_texts(struct rcnbf_train *r, struct error *err)
{
    if (log_options_assumed(r->rates_given, r->assumed, err) != 0)
        return -1;
    if (r->record && strcmp(r->record, "-") == 0)
        return error_usage(err, "--record: standard output has the replies; name a file");
    if (log_options_rates(r->noise_given, r->noise) != 0)
        return error_usage(err, "--noise: \"%s\" is not r0,r1 with both in [0, 1]", r->noise_given);
    if (noise_rate_parse_layers(r->hidden_given, &r->options.network) != 0)
        return error_usage(err,
                           "--hidden: \"%s\" is not a list of at most %d numbers in 1 .. %d with "
                           "at most %d weights between them",
                           r->hidden_given, NOISE_RATE_MOST_LAYERS, NOISE_RATE_MOST_UNITS,
                           NOISE_RATE_MOST_WEIGHTS);
    return log_options_propensity(r->propensity_given, &r->propensity, err);
}

/* Settings that follow from the options. */
static void rcnbf_train_settle(struct rcnbf_train *r)
{
    struct trainer *t = &r->trainer;
    struct bandit_options *o = &r->options;
    o->rule = bandit_rules[r->rule];
    o->seed = t->form.seed;
    o->threads = (int)t->threads;
    o->average = r->weights == 0;
    o->play_average = r->play == 1;
    if (o->period == 0)
        o->period = rcine_usual_period(o->gamma);
    memcpy(o->rho, r->assumed, sizeof o->rho);
    r->data.no_propensity = r->propensity_given != NULL;
    r->data.holds_out = r->data.log && r->held_out > 0;
    t->stdout_taken = r->interactive;
}

static int rcnbf_train_check(struct trainer *t, struct error *err)
{
    struct rcnbf_train *r = rcnbf_train_of(t);
    if (r->data.log && r->interactive)
        return error_usage(err,
                           "--log and --interactive are two sources of feedback: give one of them");
    r->source = SIMULATED;
    if (r->data.log)
        r->source = LOGGED;
    if (r->interactive)
        r->source = LIVE;
    if (rcnbf_train_refuse_other_sources(r, err) != 0 || rcnbf_train_parse_texts(r, err) != 0)
        return -1;
    if (r->interactive && !t->labels_given && !t->resume_given)
        return error_usage(err, "--interactive needs the classes: --labels names them");
    if (r->interactive && t->model && strcmp(t->model, "-") == 0)
        return error_usage(err, "standard output is taken: name the model file");
    rcnbf_train_settle(r);
    return 0;
}

/* The options of the learner: those of the -m model, where there is one. */
static const struct bandit_options *rcnbf_train_options_of(const struct rcnbf_train *r)
{
    return r->learner ? bandit_get_options(r->learner) : &r->options;
}

/* The hook `uses`. */
static bool rcnbf_train_uses(const struct trainer *t, const char *option,
                             char why_not[TRAINER_WHY_NOT])
{
    const struct rcnbf_train *r = rcnbf_train_of(t);
    const struct bandit_options *o = rcnbf_train_options_of(r);
    if (r->data.log && (strcmp(option, "gamma") == 0 || strcmp(option, "play") == 0)) {
        snprintf(why_not, TRAINER_WHY_NOT, "with --log: the labels were chosen by others");
        return false;
    }
    if (o->rule->estimates_rates)
        snprintf(why_not, TRAINER_WHY_NOT, "for %s by %s", o->rule->name,
                 noise_rate_estimators[o->estimator]);
    else
        snprintf(why_not, TRAINER_WHY_NOT, "for %s", o->rule->name);
    /* A learner without rates of its own: they still correct the estimate on the held-out tail. */
    if (strcmp(option, "rates") == 0 && r->data.holds_out && !o->rule->estimates_rates)
        return true;
    return bandit_uses(o, option);
}

/* ---- continuing from a model ---- */

/* Load the -m model. */
static int rcnbf_train_resume(struct trainer *t, struct error *err)
{
    struct rcnbf_train *r = rcnbf_train_of(t);
    struct model model = {0};
    struct bandit_file file;
    if (model_read(t->resume_given, (int)t->threads, true, &model, err) != 0)
        return -1;
    t->map = model_take_map(&model);
    r->learner = bandit_load(&model, trainer_given(t, "seed") ? t->form.seed : -1, (int)t->threads,
                             &file, err);
    model_free(&model);
    if (!r->learner)
        return -1;
    r->drawn = file.drawn;
    t->had = file.form;
    t->had_labels = bandit_labels(r->learner);
    return 0;
}

/* The hook `agrees`: the parameters of the rule. */
static bool rcnbf_train_agrees(const struct trainer *t, const char *option)
{
    const struct rcnbf_train *r = rcnbf_train_of(t);
    const struct bandit_options *had = bandit_get_options(r->learner);
    const struct bandit_parameter *parameter = bandit_find_parameter(had, option);
    if (strcmp(option, "learner") == 0)
        return r->options.rule == had->rule;
    return !parameter || bandit_parameter_same(parameter, &r->options, had);
}

/* ---- the data and the learner ---- */

static double rcnbf_train_bytes(const struct trainer *t, int64_t classes, int64_t d)
{
    return bandit_bytes(rcnbf_train_options_of(rcnbf_train_of(t)), classes, d);
}

static void rcnbf_train_say_memory(struct trainer *t, double data, int64_t d)
{
    const struct findings to = trainer_findings(t);
    bandit_report_memory(&to, rcnbf_train_options_of(rcnbf_train_of(t)), t->labels.count, data, d,
                         !t->form.map);
}

/* A new learner, unless a model was loaded.  Behind a map it has all features from the start: so
 * the model file of a run without a round has, too. */
static int rcnbf_train_start_learner(struct rcnbf_train *r, struct error *err)
{
    const struct example_map *map = r->trainer.form.map;
    if (!r->learner)
        r->learner = bandit_new(&r->options, &r->trainer.labels, err);
    if (!r->learner)
        return -1;
    return map ? bandit_grow(r->learner, map->dims, err) : 0;
}

/* The data, which may be rounds of a log, and the learner.  source: out. */
static int rcnbf_train_open(struct rcnbf_train *r, struct bandit_source *source, struct error *err)
{
    struct trainer *t = &r->trainer;
    if (round_trainer_open(t, &r->data, err) != 0)
        return -1;
    *source = (struct bandit_source){.held = r->data.held ? &r->data.problem : NULL,
                                     .path = t->data,
                                     .format = r->data.format,
                                     .threads = (int)t->threads,
                                     .rounds = r->data.rounds,
                                     .random_order = r->data.random_order,
                                     .seed = t->form.seed,
                                     .drawn = r->drawn,
                                     .progress = &t->progress,
                                     .milestones = &t->milestones};
    return rcnbf_train_start_learner(r, err);
}

/* ---- the three sources of feedback ---- */

/* Warn of rounds that are too few to learn from, or have no features, unless a signal or the -m
 * model explains it.  Of data in memory the lack of features has been told already. */
static void rcnbf_train_warn_of_rounds(struct rcnbf_train *r, int64_t rounds)
{
    const struct findings to = trainer_findings(&r->trainer);
    if (r->trainer.milestones.stopped || r->trainer.resume_given)
        return;
    bandit_warn_rounds(&to, rounds, r->trainer.labels.count, r->data.n);
    if (!r->data.held)
        trainer_warn_features(&r->trainer, bandit_features(r->learner));
}

/* Learn from simulated feedback. */
static int rcnbf_train_simulate(struct rcnbf_train *r, struct error *err)
{
    struct trainer *t = &r->trainer;
    struct bandit_source source;
    struct bandit_counts *c = &r->simulated;
    struct bandit_simulation simulation = {.seed = t->form.seed,
                                           .drawn = r->drawn,
                                           .noise = {r->noise[0], r->noise[1]},
                                           .trace = r->trace ? &r->trace_file : NULL};
    t->also = r->trace ? &r->trace_file : NULL;
    if (rcnbf_train_open(r, &source, err) != 0
        || (r->trace && output_open(&r->trace_file, r->trace, err) != 0)
        || trainer_watch(t, r->data.held ? TRAINER_HELD : TRAINER_STREAM, err) != 0
        || bandit_simulate(r->learner, &source, &simulation, c, err) != 0)
        return -1;
    progress_wipe(&t->progress);
    const struct findings to = trainer_findings(t);
    bandit_report_simulated(&to, c);
    rcnbf_train_warn_of_rounds(r, c->rounds);
    bandit_report_rates(&to, r->learner, c->rounds);
    return 0;
}

/* Report what the rounds of a log told. */
static void rcnbf_train_report_replay(struct rcnbf_train *r, const struct bandit_replay *how)
{
    struct trainer *t = &r->trainer;
    const struct bandit_log_counts *c = &r->logged;
    const struct findings to = trainer_findings(t);
    bandit_warn_log(&to, c, &t->labels, t->resume_given != NULL, how->least_p > 0);
    rcnbf_train_warn_of_rounds(r, c->rounds);
    bandit_report_log(&to, c);
    if (how->head < how->n)
        bandit_report_value(&to, &c->value, how->head, c->rounds > how->n);
    else if (r->data.holds_out)
        trainer_note(
            t, "nothing is held out: that share of so few rounds (--hold-out) is less than one");
    bandit_report_rates(&to, r->learner, c->rounds);
}

/* Learn from a log. */
static int rcnbf_train_replay(struct rcnbf_train *r, struct error *err)
{
    struct trainer *t = &r->trainer;
    struct bandit_source source;
    struct bandit_log_counts *c = &r->logged;
    if (rcnbf_train_open(r, &source, err) != 0)
        return -1;
    const int64_t n = r->data.n;
    const struct bandit_replay how = {.p = log_options_p(&r->propensity, t->labels.count),
                                      .least_p = r->least_p,
                                      .rho = {r->assumed[0], r->assumed[1]},
                                      .n = n,
                                      .head = n - (int64_t)(r->held_out * (double)n)};
    if (trainer_watch(t, r->data.held ? TRAINER_HELD : TRAINER_STREAM, err) != 0
        || !(c->shown = memory_new(t->labels.count, sizeof *c->shown, err)))
        return -1;
    int status = bandit_replay(r->learner, &source, &how, c, err);
    progress_wipe(&t->progress);
    if (status == 0)
        rcnbf_train_report_replay(r, &how);
    memory_free(c->shown);
    return status;
}

/* Called for each live line that is refused. */
static void rcnbf_train_refuse_line(void *context, const struct error *why)
{
    struct rcnbf_train *r = context;
    const char *name = r->trainer.program.name;
    if (++r->refused <= MOST_REFUSALS)
        error_print(stderr, name, why);
    if (r->refused == MOST_REFUSALS + 1)
        trainer_note(&r->trainer, "more lines that are refused are counted, not shown");
}

/* Open what questions come from, and the log that rounds are appended to. */
static int rcnbf_train_open_live(struct rcnbf_train *r, struct bandit_live *live, struct error *err)
{
    struct trainer *t = &r->trainer;
    const struct findings to = trainer_findings(t);
    enum bandit_live_mended mended;
    if ((live->in = bandit_live_open_questions(t->data, err)) < 0)
        return -1;
    if (!r->record)
        return 0;
    live->record = bandit_live_open_record(r->record, &t->labels, live->format.zero_based, &mended,
                                           err);
    if (live->record < 0)
        return -1;
    bandit_warn_mended(&to, r->record, mended);
    return 0;
}

/* Learn live: reply to questions, learn from the feedback. */
static int rcnbf_train_serve(struct rcnbf_train *r, struct error *err)
{
    struct trainer *t = &r->trainer;
    struct bandit_live_counts *c = &r->live;
    struct bandit_live live = {.out = STDOUT_FILENO,
                               .in_name = input_name(t->data),
                               .out_name = "<stdout>",
                               .record = -1,
                               .record_name = r->record,
                               .format = trainer_format(t),
                               .most_open = r->most_open,
                               .most_features = r->most_features,
                               .seed = t->form.seed,
                               .drawn = r->drawn,
                               .milestones = &t->milestones,
                               .refuse = rcnbf_train_refuse_line,
                               .context = r};
    if (trainer_map_streamed(t, err) != 0 || rcnbf_train_start_learner(r, err) != 0
        || trainer_watch(t, TRAINER_LIVE, err) != 0)
        return -1;
    live.stop = t->milestones.stop->fd;
    if (live.most_features == 0)
        live.most_features = bandit_live_most_features(r->learner, t->form.map ? &t->map : NULL);
    if (rcnbf_train_open_live(r, &live, err) != 0)
        return -1;
    report_labels(t->report, t->labels.value, t->labels.count);
    rcnbf_train_say_memory(t, 0, trainer_stated_features(t));
    int status = bandit_live_run(r->learner, &live, c, err);
    if (live.record >= 0 /* the error that ended the loop stands */
        && bandit_live_close_record(live.record, r->record, status == 0 ? err : NULL) != 0)
        status = -1;
    const struct findings to = trainer_findings(t);
    bandit_report_live(&to, c);
    if (status == 0 && c->learnt == 0 && t->milestones.stop->signal == 0 && !t->resume_given)
        trainer_warn(t, "no feedback came: nothing was learnt");
    bandit_report_rates(&to, r->learner, c->learnt);
    return status;
}

/* ---- the program ---- */

static int rcnbf_train_learn(struct rcnbf_train *r, struct error *err)
{
    switch (r->source) {
    case LOGGED:
        return rcnbf_train_replay(r, err);
    case LIVE:
        return rcnbf_train_serve(r, err);
    case SIMULATED:
        break;
    }
    return rcnbf_train_simulate(r, err);
}

/* The hook `save`. */
static int rcnbf_train_save(struct trainer *t, struct error *err)
{
    const struct rcnbf_train *r = rcnbf_train_of(t);
    const struct bandit_file file = {.form = t->form,
                                     .drawn = r->drawn + r->simulated.rounds + r->live.questions};
    return bandit_save(r->learner, &file, t->model, (int)t->threads, err);
}

/* The hook `mistakes`: rounds whose label was not right, by their feedback where nothing else is
 * known. */
static int64_t rcnbf_train_mistakes(const struct trainer *t)
{
    const struct rcnbf_train *r = rcnbf_train_of(t);
    return r->simulated.shown_wrong + r->logged.rounds - r->logged.right;
}

/* What a live loop has learnt is saved, whatever ended it.  status, err: how it ended. */
static int rcnbf_train_save_live(struct rcnbf_train *r, int status, struct error *err)
{
    struct trainer *t = &r->trainer;
    struct error save_error = {0};
    if (trainer_save(t, &save_error) == 0)
        return status;
    if (status != 0) {
        error_name(err, input_name(t->data));
        error_print(stderr, t->program.name, err);
    }
    *err = save_error;
    return -1;
}

static int rcnbf_train_run(struct trainer *t, struct error *err)
{
    struct rcnbf_train *r = rcnbf_train_of(t);
    const struct bandit_options *o = rcnbf_train_options_of(r);
    const bool corrects = bandit_uses(o, "rates") && o->rho[0] + o->rho[1] > 0,
               flips = r->noise[0] + r->noise[1] > 0;
    if (!r->data.log && o->gamma <= 0 && (corrects || flips))
        trainer_warn(t, "without exploration (-g 0) the learner cannot recover from early mistakes "
                        "in noisy feedback");
    t->progress = progress_start(t->quiet, "rounds");
    int status = rcnbf_train_learn(r, err);
    progress_wipe(&t->progress);
    if (r->source != LIVE || (status != 0 && r->live.learnt == 0))
        return status;
    return rcnbf_train_save_live(r, status, err);
}

static void rcnbf_train_release(struct trainer *t)
{
    struct rcnbf_train *r = rcnbf_train_of(t);
    problem_free(&r->data.problem);
    bandit_free(r->learner);
}

static const char *const details =
    "Feedback comes from one of three sources. By default the training file is labelled, and the "
    "feedback is simulated: a label is shown, compared with that of the file, and right or "
    "wrong flipped with the probabilities of -x. With --log the file is a log of rounds in which "
    "another policy showed labels with known probabilities (propensities). With --interactive "
    "questions and feedback come over a pipe: `? index:value ...` has the reply `label "
    "probability`, and `1`, `0` or `-` (there is none) may follow; `?id index:value ...` has the "
    "reply `id label probability`, and `!id 1` may follow at any time. The model is saved at `.`, "
    "at the end of input, when the other end of the pipe is closed, and on SIGTERM, SIGINT and "
    "SIGHUP.\n\n"
    "If the noise rates are not known well, assume too much noise rather than too little: only 1 - "
    "r0 - r1 determines what is learnt in the end, and with a value that is too large feedback "
    "that says right pushes its class down. The model (default: the name of the training file + "
    ".model, in the current folder) is read by liblinear-predict too, unless --map is given.";

/* LIBSVM's -c and -v have no counterpart here, and -h is for help. */
static bool rcnbf_train_foreign(const char *option, const char *next, char instead[OPTION_INSTEAD])
{
    if (options_is_cost(option, next))
        snprintf(instead, OPTION_INSTEAD, "-c: leave -c %.40s out; there is no cost here", next);
    else if (strcmp(option, "-v") == 0)
        snprintf(instead, OPTION_INSTEAD,
                 "-v: leave it out; each round is predicted before it is learnt from, and of a log "
                 "--hold-out keeps a tail");
    else
        return options_is_shrinking(option, next, instead);
    return true;
}

static const char *const examples =
    "  rcnbf-train -r 0.2,0.4 -x 0.2,0.4 --random-order -i 1000000 data/digits.train "
    "digits.model\n"
    "  rcnbf-train --log -r 0.1,0.1 clicks.blog clicks.model\n"
    "  rcnbf-train --interactive --labels 1-5 -s rcine -L live.blog - live.model\n";

int main(int argc, char **argv)
{
    static const char *const iterates[] = {"average", "last", NULL};
    static const char *const plays[] = {"current", "average", NULL};
    struct rcnbf_train r = {
        .trainer = trainer_start(),
        .data = {.bytes = rcnbf_train_bytes, .say_memory = rcnbf_train_say_memory}};
    struct trainer *t = &r.trainer;
    struct bandit_options *o = &r.options;
    struct option table[] = {
        {ROW_CHOICE('s', "learner", &r.rule, "learner", bandit_rule_names), .by_default = "rcnbf",
         .help = "the learning rule"},
        {ROW_NUMBER('g', "gamma", &o->gamma, "gamma", 0, 1), .by_default = "0.1",
         .help = "exploration rate: the share of rounds that show a random label"},
        {ROW_TEXT('r', "rates", &r.rates_given, "r0,r1"), .by_default = "0,0",
         .help = "noise rates that the learner assumes: how often a wrong label is called right "
                 "(rho0) and a right one wrong (rho1)"},
        {ROW_TEXT('x', "noise", &r.noise_given, "r0,r1"), .by_default = "0,0",
         .help = "noise rates of the simulated feedback"},
        {ROW_INT('i', "rounds", &r.data.rounds, "rounds", 1, OPTION_LARGEST_INT),
         .help = "number of rounds; the data are repeated, in the order of the file, as needed "
                 "(default: one pass)"},
        {ROW_FLAG(0, "random-order", &r.data.random_order),
         .help = "draw the example of each round at random, with replacement"},
        {ROW_CHOICE('w', "weights", &r.weights, "iterate", iterates), .by_default = "average",
         .help = "the weights in the model"},
        {ROW_CHOICE(0, "play", &r.play, "iterate", plays), .by_default = "current",
         .help = "the weights that choose the labels to show"},
        {ROW_INT('n', "period", &o->period, "rounds", NOISE_RATE_FEWEST, (double)RCINE_MOST_PERIOD),
         .help = "rounds between two estimates of the noise rates by rcine (default: 20000, or "
                 "2000/gamma if that is more)"},
        {ROW_CHOICE(0, "estimator", &o->estimator, "name", noise_rate_estimators),
         .by_default = "margin", .help = "how rcine estimates the noise rates"},
        {ROW_TEXT(0, "hidden", &r.hidden_given, "units"), .by_default = "128,128",
         .help = "sizes of the hidden layers in the network of the mlp estimators"},
        {ROW_NUMBER(0, "dropout", &o->network.dropout, "share", 0, NOISE_RATE_MOST_DROPOUT),
         .by_default = "0.2", .help = "dropout rate of that network"},
        {ROW_INT(0, "epochs", &o->network.epochs, "epochs", 1, NOISE_RATE_MOST_EPOCHS),
         .by_default = "70", .help = "training epochs of that network"},
        {ROW_NUMBER('a', "prior", &o->prior, "a", OPTION_ABOVE_0, OPTION_UNBOUNDED),
         .by_default = "1", .help = "the matrix of soba starts as a times the identity"},
        {ROW_FLAG(0, "soba-full", &o->full),
         .help = "soba with a full matrix instead of a diagonal one: at most 5000 weights"},
        {ROW_NUMBER(0, "eta", &o->eta, "eta", OPTION_ABOVE_0, OPTION_UNBOUNDED),
         .by_default = "0.5", .help = "step size of nsm"},
        {ROW_FLAG(0, "log", &r.data.log),
         .help = "the input is a bandit log: label:feedback:propensity index:value ..."},
        LOG_OPTION_ROWS(&r.propensity_given, &r.least_p),
        {ROW_NUMBER(0, "hold-out", &r.held_out, "share", 0, 0.9), .by_default = "0.1",
         .help =
             "share of a log, at its end, on which the classifier learnt from the rounds before is "
             "evaluated (IPS, SNIPS); then these rounds are learnt from too"},
        {ROW_FLAG(0, "interactive", &r.interactive),
         .help = "reply to questions on standard input, learn from the feedback"},
        {ROW_INT('Q', "open", &r.most_open, "n", 1, 1e9), .by_default = "100000",
         .help = "how many questions with an id may wait for feedback; beyond that, or an eighth "
                 "of the memory, the oldest is forgotten"},
        {ROW_INT(0, "most-features", &r.most_features, "n", 1, INT32_MAX),
         .help = "refuse live lines with a larger index (default: as many as fit in 1/32 of "
                 "the memory, or the features of the model if those are more)"},
        {ROW_APPENDED('L', "record", &r.record, "file"),
         .help = "append every round with feedback to this bandit log"},
        {ROW_OUTPUT(0, "trace", &r.trace, "file"),
         .help = "write a learning curve, ten lines per decade of rounds: rounds, error on shown "
                 "labels, error of the argmax, noise rates"},
        TRAINER_RESUME_ROWS(t),
        TRAINER_FORM_ROWS(t, "the -m model, or of the data", "1"),
        TRAINER_MAP_ROWS(t),
        TRAINER_RUN_ROWS(t),
    };
    t->program = (struct program){
        .name = "rcnbf-train",
        TRAINER_WORDS,
        .summary = "Learn a linear classifier online from noisy bandit feedback: only right or "
                   "wrong, and sometimes false.",
        .details = details,
        .diagnostics =
            "`without exploration`: the learner cannot recover from early mistakes; use -g 0.01 "
            "or more. `never shown`: nothing can be learnt of these labels. `a propensity "
            "below`: such rounds outweigh all others; --least-p bounds that. `the inverse "
            "propensities`: IPS and SNIPS are wrong, as the propensities are.",
        .see_also = "rcnbf-predict(1)",
        .papers =
            "Agarwal and Manwani, Learning multiclass classifier under noisy bandit feedback, PAKDD"
            " 2021. Kakade, Shalev-Shwartz and Tewari, Efficient bandit algorithms for online "
            "multiclass prediction, ICML 2008. Beygelzimer, Orabona and Zhang, Efficient online "
            "bandit multiclass learning with O(sqrt T) regret, ICML 2017.",
        .examples = examples,
        .options = table,
        .foreign = rcnbf_train_foreign,
        .count = sizeof table / sizeof *table};
    t->check = rcnbf_train_check;
    t->uses = rcnbf_train_uses;
    t->resume = rcnbf_train_resume;
    t->agrees = rcnbf_train_agrees;
    t->run = rcnbf_train_run;
    t->save = rcnbf_train_save;
    t->mistakes = rcnbf_train_mistakes;
    t->minds_offset = true;
    t->release = rcnbf_train_release;
    return trainer_main(t, argc, argv);
}
