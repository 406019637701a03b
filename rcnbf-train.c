/* rcnbf-train: a linear multiclass classifier from right-or-wrong answers that may be false:
 * simulated, logged, or live over a pipe. */
#include "common/base/input.h"
#include "common/base/memory.h"
#include "common/base/number.h"
#include "common/base/parallel.h"
#include "common/data/problem_file.h"
#include "common/program/option_rows.h"
#include "common/program/options.h"
#include "common/program/program.h"
#include "learners/bandit/bandit_live.h"
#include "learners/bandit/bandit_log.h"
#include "learners/bandit/bandit_rule.h"
#include "learners/bandit/bandit_simulate.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    MODEL_SHARE = 32
}; /* of the memory: what a model that grows in a live loop may take, unless --most-features says
      otherwise */
enum { MOST_REFUSALS = 20 }; /* refused lines of a live loop that are shown; all are counted */
static const double FEWEST_KEPT = 20000, FEWEST_EXPLORED = 2000,
                    MOST_KEPT = 1e12; /* rounds between two estimates of rcine */

struct settings {
    struct bandit_options learner;
    struct bandit_file file;
    const char *labels, *resume, *rates, *noise, *propensity, *hidden, *trace, *record;
    double noise_rates[2], assumed[2], p, least_p, held_out;
    bool random_order, log, interactive, quiet, uniform_p;
    int64_t rule, rounds, most_open, most_features, threads, unit_length, weights, play;
};

struct job {
    const struct program *program;
    struct settings set;
    const char *data, *model;
    FILE *info; /* where the report goes; NULL: nowhere */
    struct example_format format;
    struct labels labels;
    struct bandit *learner;
    struct problem problem; /* when the data is held */
    int64_t n;              /* rounds in one pass over a log, when it is known */
    struct progress progress;
    struct output trace;
    int64_t refused;
    bool learnt; /* the live loop has learnt something, which must not be lost */
};

/* ---- what options mean together ---- */

/* The sources of feedback in which an option means something. */
enum { SIMULATED = 1, LOGGED = 2, LIVE = 4 };

static unsigned sources_of(const char *name)
{
    static const struct {
        const char *name;
        unsigned sources;
    } sources[] = {
        {"noise", SIMULATED},           {"trace", SIMULATED},   {"random-order", SIMULATED},
        {"rounds", SIMULATED | LOGGED}, {"propensity", LOGGED}, {"least-p", LOGGED},
        {"hold-out", LOGGED},           {"open", LIVE},         {"record", LIVE},
        {"most-features", LIVE},
    };
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        if (strcmp(sources[i].name, name) == 0)
            return sources[i].sources;
    return SIMULATED | LOGGED | LIVE;
}

static unsigned source(const struct settings *s)
{
    return s->log ? LOGGED : s->interactive ? LIVE : SIMULATED;
}

/* Are the rates that were given wanted for judging the classifier by the tail of a log, if not for
 * learning? */
static bool judges(const struct settings *s)
{
    return s->log && s->held_out > 0 && !s->learner.rule->estimates_rates;
}

/* Options without a meaning for the learner are named, not silently ignored. */
static void note_unused(const struct program *program, const struct settings *s)
{
    const struct bandit_options *o = &s->learner;
    for (int i = 0; i < program->count && !s->quiet; i++) {
        const struct option *option = &program->options[i];
        bool chooses = strcmp(option->name, "gamma") == 0 || strcmp(option->name, "play") == 0;
        if (option->given && s->log && chooses)
            fprintf(stderr,
                    "%s: note: --%s has no meaning with --log: the labels were chosen by others\n",
                    program->name, option->name);
        else if (option->given && !bandit_uses(o, option->name)
                 && !(judges(s) && strcmp(option->name, "rates") == 0))
            fprintf(stderr, "%s: note: --%s has no meaning for %s%s%s\n", program->name,
                    option->name, o->rule->name, o->rule->estimates_rates ? " by " : "",
                    o->rule->estimates_rates ? noise_rate_estimators[o->estimator] : "");
    }
}

/* "0.2,0.1" -> two rates in [0, 1].  0 or -1. */
static int parse_rates(const char *text, double rates[2])
{
    char word[2][64];
    const char *comma = strchr(text, ',');
    if (!comma || comma - text >= (int)sizeof *word || strlen(comma + 1) >= sizeof *word)
        return -1;
    snprintf(word[0], sizeof word[0], "%.*s", (int)(comma - text), text);
    snprintf(word[1], sizeof word[1], "%s", comma + 1);
    for (int i = 0; i < 2; i++)
        if (number_from_word(word[i], &rates[i]) != 0 || !(rates[i] >= 0 && rates[i] <= 1))
            return -1;
    return 0;
}

/* Enough rounds, and enough of them explored, but no more than the option may be; where nothing is
 * explored no number is enough. */
static int64_t default_period(double gamma)
{
    double explored = gamma > 0 ? FEWEST_EXPLORED / gamma : 0,
           rounds = explored > FEWEST_KEPT ? explored : FEWEST_KEPT;
    return (int64_t)(rounds < MOST_KEPT ? rounds : MOST_KEPT);
}

/* What only several options together can tell.  OPTIONS_GO or a status. */
static int check(const struct program *program, struct settings *s, const char *data,
                 const char *model)
{
    struct bandit_options *o = &s->learner;
    o->rule = bandit_rules[s->rule];
    if (s->log && s->interactive)
        return options_refuse(
            program, "--log and --interactive are two sources of feedback: give one of them");
    for (int i = 0; i < program->count; i++)
        if (program->options[i].given && !(sources_of(program->options[i].name) & source(s)))
            return options_refuse(program, "--%s has no meaning %s", program->options[i].name,
                                  s->log           ? "with --log"
                                  : s->interactive ? "with --interactive"
                                  : sources_of(program->options[i].name) == LIVE
                                      ? "without --interactive"
                                      : "without --log");
    if (parse_rates(s->rates, s->assumed) != 0 || !(s->assumed[0] + s->assumed[1] < 1))
        return options_refuse(
            program, "--rates: \"%s\" is not r0,r1 with both in [0, 1] and r0 + r1 < 1", s->rates);
    if (parse_rates(s->noise, s->noise_rates) != 0)
        return options_refuse(program, "--noise: \"%s\" is not r0,r1 with both in [0, 1]",
                              s->noise);
    if (noise_rate_parse_layers(s->hidden, &o->network) != 0)
        return options_refuse(program,
                              "--hidden: \"%s\" is not a list of at most %d numbers in 1 .. %d "
                              "with at most %d weights between them",
                              s->hidden, NOISE_RATE_MOST_LAYERS, NOISE_RATE_MOST_UNITS,
                              NOISE_RATE_MOST_WEIGHTS);
    s->uniform_p = s->propensity && strcmp(s->propensity, "uniform") == 0;
    if (s->propensity && !s->uniform_p
        && (number_from_word(s->propensity, &s->p) != 0 || !(s->p > 0 && s->p <= 1)))
        return options_refuse(program,
                              "--propensity: \"%s\" is neither a number in (0, 1] nor \"uniform\"",
                              s->propensity);
    if (s->interactive && !s->labels && !s->resume)
        return options_refuse(program, "--interactive needs the classes: --labels names them");
    if (s->resume && strcmp(s->resume, "-") == 0 && strcmp(data, "-") == 0)
        return options_refuse(program,
                              "the model to go on from and the data cannot both be standard input");
    if (!model && strcmp(data, "-") == 0)
        return options_refuse(program, "data from standard input: name the model file");
    if (model && strcmp(model, "-") == 0
        && (s->interactive || (s->trace && strcmp(s->trace, "-") == 0)))
        return options_refuse(program, "standard output is taken: name the model file");
    if (s->file.bias < 0)
        s->file.bias = -1;
    if (o->period == 0)
        o->period = default_period(o->gamma);
    memcpy(o->rho, s->assumed, sizeof o->rho);
    o->average = s->weights == 0;
    o->play_average = s->play == 1;
    return OPTIONS_GO;
}

/* Going on: the model's options hold; one given here must agree.  OPTIONS_GO or a status. */
static int check_resumed(const struct program *program, const struct settings *s,
                         const struct bandit_options *had, const struct bandit_file *file)
{
    const struct {
        const char *name;
        bool same;
    } agree[] = {
        {"learner", s->learner.rule == had->rule},
        {"bias", !(s->file.bias < file->bias || s->file.bias > file->bias)},
        {"unit-length", s->file.unit_length == file->unit_length},
        {"zero-based", s->file.zero_based == file->zero_based},
    };
    const char *differs = NULL;
    for (size_t i = 0; i < sizeof agree / sizeof *agree; i++) {
        if (!differs && options_find(program, agree[i].name)->given && !agree[i].same)
            differs = agree[i].name;
    }
    for (int i = 0; i < program->count; i++) {
        const struct option *option = &program->options[i];
        const struct bandit_parameter *parameter = bandit_find_parameter(had, option->name);
        if (!differs && option->given && parameter
            && !bandit_parameter_same(parameter, &s->learner, had))
            differs = option->name;
    }
    if (!differs)
        return OPTIONS_GO;
    return options_refuse(program,
                          "--%s differs from that of the model to go on from (leave it out: the "
                          "model's options hold)",
                          differs);
}

/* Read the model to go on from.  OPTIONS_GO, EXIT_USAGE, or 1 with err. */
static int resume(struct job *job, struct error *err)
{
    struct settings *s = &job->set;
    struct model model = {0};
    struct bandit_file file;
    if (model_read(s->resume, (int)s->threads, 1, &model, err) != 0)
        return 1;
    job->learner = bandit_load(&model,
                               options_find(job->program, "seed")->given ? s->file.seed : -1,
                               (int)s->threads, &file, err);
    model_free(&model);
    if (!job->learner)
        return 1;
    struct bandit_options had = *bandit_get_options(job->learner);
    int status = check_resumed(job->program, s, &had, &file);
    if (status != OPTIONS_GO)
        return status;
    if (job->labels.count > 0 && !labels_equal(&job->labels, bandit_labels(job->learner)))
        return options_refuse(job->program,
                              "--labels differs from the classes of the model to go on from");
    labels_free(&job->labels);
    s->learner = had;
    s->file = file;
    return labels_copy(bandit_labels(job->learner), &job->labels, err) == 0 ? OPTIONS_GO : 1;
}

/* ---- the data ---- */

static void say_memory(struct job *job, double data, int64_t d)
{
    char data_text[32], model_text[32];
    const struct bandit_options *o = &job->set.learner;
    if (!job->info)
        return;
    fprintf(job->info, "%lld classes; memory: ", (long long)job->labels.count);
    if (data > 0)
        fprintf(job->info, "%s for the data, %s for the model", memory_text(data, data_text),
                memory_text(bandit_bytes(o, job->labels.count, d), model_text));
    else
        fprintf(job->info, "%s for 1000 features, growing with them",
                memory_text(bandit_bytes(o, job->labels.count, 1000), model_text));
    fprintf(job->info, o->rule->estimates_rates ? ", and %lld rounds are kept\n" : "\n",
            (long long)o->period);
}

/* Hold the data, which gives the classes where nothing else has.  0, -1, or PROBLEM_TOO_LARGE. */
static int hold(struct job *job, struct error *err)
{
    struct settings *s = &job->set;
    struct problem *problem = &job->problem;
    bool again = input_is_file(job->data); /* what cannot be read again must be held */
    int status = problem_read(job->data, &job->format, (int)s->threads,
                              again ? 0.8 * memory_limit() : 0, problem, err);
    if (status != 0)
        return status;
    job->n = problem->n;
    if (job->labels.count == 0 && problem_labels(problem, &job->labels, err) != 0)
        return -1;
    double bytes = problem_bytes((double)problem->n, (double)problem->nnz, s->log);
    say_memory(job, bytes, problem->d);
    return memory_check(bytes + bandit_bytes(&s->learner, job->labels.count, problem->d),
                        "the data and the model", err);
}

/* Read it in chunks: the classes, and the rounds of a log that has a tail, must be known before. */
static int plan_stream(struct job *job, struct error *err)
{
    struct labels found = {0};
    bool counts = job->set.log && job->set.held_out > 0;
    if ((job->labels.count == 0 || counts)
        && problem_scan(job->data, &job->format, (int)job->set.threads, &found, &job->n, err) != 0)
        return -1;
    if (job->labels.count == 0)
        job->labels = found;
    else
        labels_free(&found);
    say_memory(job, 0, 0);
    return 0;
}

/* Hold the data or stream it, whichever the options and its size ask for. */
static int open_source(struct job *job, struct bandit_source *source, struct error *err)
{
    struct settings *s = &job->set;
    bool regular = input_is_file(job->data),
         known = job->labels.count > 0 && !(s->log && s->held_out > 0);
    bool once = s->rounds == 0 && !s->random_order;
    *source = (struct bandit_source){.path = job->data,
                                     .format = job->format,
                                     .threads = (int)s->threads,
                                     .rounds = s->rounds,
                                     .random_order = s->random_order,
                                     .seed = s->file.seed,
                                     .drawn = s->file.drawn,
                                     .progress = &job->progress};
    if (once && (regular || known))
        return plan_stream(job, err);
    int status = hold(job, err);
    if (status != PROBLEM_TOO_LARGE) {
        source->held = &job->problem;
        return status;
    }
    if (s->random_order)
        return error_set(err, "it does not fit in memory, where --random-order needs it");
    if (!s->quiet)
        fprintf(stderr, "%s: note: %s does not fit in memory; it is streamed\n", job->program->name,
                job->data);
    return plan_stream(job, err);
}

static int start_learner(struct job *job, struct error *err)
{
    if (!job->learner)
        job->learner = bandit_new(&job->set.learner, &job->labels, err);
    return job->learner ? 0 : -1;
}

/* ---- the three sources of feedback ---- */

static void report_rates(const struct job *job)
{
    const double *rho = bandit_rates(job->learner);
    if (job->info && job->set.learner.rule->estimates_rates)
        fprintf(job->info, "estimated noise rates: rho0 = %.4g, rho1 = %.4g\n", rho[0], rho[1]);
}

static int simulate(struct job *job, struct error *err)
{
    struct settings *s = &job->set;
    struct bandit_source source;
    struct bandit_counts c;
    struct bandit_simulation simulation = {
        .seed = s->file.seed, .drawn = s->file.drawn, .trace = s->trace ? &job->trace : NULL};
    memcpy(simulation.noise, s->noise_rates, sizeof simulation.noise);
    if (open_source(job, &source, err) != 0 || start_learner(job, err) != 0
        || (s->trace && output_open(&job->trace, s->trace, err) != 0)
        || bandit_simulate(job->learner, &source, &simulation, &c, err) != 0)
        return -1;
    s->file.drawn += c.rounds;
    progress_wipe(&job->progress);
    if (job->info)
        fprintf(job->info,
                "%lld rounds: error on shown labels %.4g%%, error of the argmax %.4g%%\n",
                (long long)c.rounds, 100 * (double)c.shown_wrong / (double)c.rounds,
                100 * (double)c.greedy_wrong / (double)c.rounds);
    report_rates(job);
    return s->trace ? output_commit(&job->trace, err) : 0;
}

static void warn_log(const struct job *job, const struct bandit_log_counts *c)
{
    const char *name = job->program->name;
    if (job->set.quiet)
        return;
    if (c->small > 0)
        fprintf(stderr,
                "%s: warning: %lld rounds have a propensity below 1/%d: each weighs more than %d "
                "others (--least-p bounds that)\n",
                name, (long long)c->small, BANDIT_SMALL_P, BANDIT_SMALL_P);
    int64_t never = 0;
    for (int64_t k = 0; k < job->labels.count && !job->set.resume; k++)
        if (c->shown[k] == 0 && ++never == 1)
            fprintf(stderr, "%s: warning: label %ld was never shown: nothing can be learnt of it\n",
                    name, (long)job->labels.value[k]);
    if (never > 1)
        fprintf(stderr, "%s: warning: nor were %lld other labels\n", name, (long long)never - 1);
}

static void report_value(const struct job *job, const struct bandit_value *value, int64_t head)
{
    struct bandit_estimate e = bandit_value_estimate(value);
    if (!job->info || head == job->n)
        return;
    if (value->rounds == 0) {
        fprintf(job->info,
                "no estimate of the accuracy: the rounds end before those that are held out, from "
                "%lld on\n",
                (long long)head + 1);
        return;
    }
    fprintf(job->info,
            "accuracy of the classifier of the first %lld rounds, by the %lld rounds behind "
            "them:\nIPS = %.6g +- %.4g\n",
            (long long)head, (long long)value->rounds, e.ips, e.ips_error);
    if (value->w > 0)
        fprintf(job->info, "SNIPS = %.6g +- %.4g\n", e.snips, e.snips_error);
    else
        fprintf(job->info, "SNIPS = undefined (no label that it would have shown was shown)\n");
}

static int replay(struct job *job, struct error *err)
{
    struct settings *s = &job->set;
    struct bandit_source source;
    struct bandit_log_counts c = {0};
    if (open_source(job, &source, err) != 0 || start_learner(job, err) != 0)
        return -1;
    struct bandit_replay how = {.p = s->uniform_p ? 1 / (double)job->labels.count : s->p,
                                .least_p = s->least_p,
                                .n = job->n};
    memcpy(how.rho, bandit_uses(&s->learner, "rates") ? s->learner.rho : s->assumed,
           sizeof how.rho);
    how.head = job->n - (int64_t)(s->held_out * (double)job->n);
    c.shown = memory_new(job->labels.count, sizeof *c.shown, err);
    int status = c.shown ? bandit_replay(job->learner, &source, &how, &c, err) : -1;
    progress_wipe(&job->progress);
    if (status == 0) {
        warn_log(job, &c);
        if (job->info)
            fprintf(job->info, "%lld rounds, %lld of them right\n", (long long)c.rounds,
                    (long long)c.right);
        report_value(job, &c.value, how.head);
        report_rates(job);
    }
    memory_free(c.shown);
    return status;
}

static void refuse_line(void *context, const struct error *why)
{
    struct job *job = context;
    if (++job->refused <= MOST_REFUSALS)
        error_print(stderr, job->program->name, why);
    if (job->refused == MOST_REFUSALS)
        fprintf(stderr, "%s: note: more lines that are refused are counted, not shown\n",
                job->program->name);
}

static int serve(struct job *job, struct error *err)
{
    struct settings *s = &job->set;
    struct bandit_live_counts c;
    struct bandit_live live = {.out = STDOUT_FILENO,
                               .in_name = input_name(job->data),
                               .out_name = "<stdout>",
                               .record = -1,
                               .record_name = s->record,
                               .format = job->format,
                               .most_open = s->most_open,
                               .seed = s->file.seed,
                               .drawn = s->file.drawn,
                               .refuse = refuse_line,
                               .context = job};
    bool mended = false;
    if (start_learner(job, err) != 0 || (live.stop = program_catch_stops(err)) < 0)
        return -1;
    live.in = strcmp(job->data, "-") == 0 ? STDIN_FILENO : open(job->data, O_RDONLY);
    if (live.in < 0 && errno == EINTR)
        live.in = open("/dev/null",
                       O_RDONLY); /* it was asked to stop before anybody was there to ask */
    if (live.in < 0)
        return error_system(err, job->data);
    if (s->record && (live.record = bandit_live_open_record(s->record, &mended, err)) < 0)
        return -1;
    if (mended && !s->quiet)
        fprintf(stderr, "%s: note: %s ended in the middle of a line: a newline was added\n",
                job->program->name, s->record);
    live.most_features = s->most_features;
    if (live.most_features == 0)
        live.most_features = bandit_most_features(job->learner, memory_limit() / MODEL_SHARE);
    say_memory(job, 0, 0);
    int status = bandit_live_run(job->learner, &live, &c, err);
    job->learnt = c.learnt > 0;
    struct error close_error = {0};
    if (live.record >= 0 && bandit_live_close_record(live.record, s->record, &close_error) != 0
        && status == 0)
        status = error_take(&close_error, err);
    s->file.drawn += c.questions;
    if (job->info)
        fprintf(job->info,
                "%lld questions, %lld answers, %lld of them right; %lld lines refused, %lld "
                "questions forgotten\n",
                (long long)c.questions, (long long)c.learnt, (long long)c.right,
                (long long)c.refused, (long long)c.forgotten);
    report_rates(job);
    return status;
}

/* ---- the program ---- */

static int run(struct job *job, struct error *err)
{
    struct settings *s = &job->set;
    s->file.unit_length = s->unit_length == 1;
    s->learner.seed = s->file.seed;
    s->learner.threads = (int)s->threads;
    int status = s->labels ? labels_parse(s->labels, &job->labels, err) : 0;
    if (status != 0)
        return status > 0 ? options_refuse(job->program, "--labels: %s", err->message) : 1;
    if (output_check(job->model, err) != 0 || (s->trace && output_check(s->trace, err) != 0))
        return 1;
    if (s->resume && (status = resume(job, err)) != OPTIONS_GO)
        return status;
    note_unused(job->program, s);
    const double *rho = s->learner.rho;
    if (!s->log && !s->quiet && s->learner.gamma <= 0
        && rho[0] + rho[1] + s->noise_rates[0] + s->noise_rates[1] > 0)
        fprintf(stderr,
                "%s: warning: with noise and without exploration (-g 0) a wrong start is never "
                "found out\n",
                job->program->name);
    job->format = (struct example_format){.zero_based = s->file.zero_based,
                                          .unit_length = s->file.unit_length,
                                          .bias = s->file.bias,
                                          .log = s->log,
                                          .no_propensity = s->propensity != NULL};
    job->progress = progress_start(s->quiet, "rounds");
    int failed = (s->log           ? replay(job, err)
                  : s->interactive ? serve(job, err)
                                   : simulate(job, err))
                 != 0;
    progress_wipe(&job->progress);
    if (failed && !err->file[0])
        snprintf(err->file, sizeof err->file, "%s", input_name(job->data));
    /* What a live loop has learnt is saved, whatever ended it. */
    struct error save_error = {0};
    if ((!failed || job->learnt)
        && bandit_save(job->learner, &s->file, job->model, (int)s->threads, &save_error) != 0) {
        if (failed)
            error_print(stderr, job->program->name, err);
        *err = save_error;
        failed = 1;
    }
    return failed;
}

int main(int argc, char **argv)
{
    static const char *const iterates[] = {"average", "last", NULL}, *const plays[] = {"current",
                                                                                       "average",
                                                                                       NULL};
    struct settings s = {.threads = parallel_processors()};
    struct bandit_options *o = &s.learner;
    struct option table[] = {
        {ROW_CHOICE('s', "learner", &s.rule, "learner", bandit_rule_names), .by_default = "rcnbf",
         .help = "the learner"},
        {ROW_NUMBER('g', "gamma", &o->gamma, "gamma", 0, 1), .by_default = "0.1",
         .help = "exploration: the share of rounds that show a random label"},
        {ROW_TEXT('r', "rates", &s.rates, "r0,r1"), .by_default = "0,0",
         .help = "noise rates that the learner assumes: how often a wrong label is called right, a "
                 "right one wrong"},
        {ROW_TEXT('x', "noise", &s.noise, "r0,r1"), .by_default = "0,0",
         .help = "noise put into simulated answers"},
        {ROW_INT('i', "rounds", &s.rounds, "rounds", 1, OPTION_LARGEST_INT),
         .help = "rounds, the data again from the start when it ends (default: one pass)"},
        {ROW_FLAG(0, "random-order", &s.random_order),
         .help = "each round an example at random, with replacement"},
        {ROW_CHOICE('w', "weights", &s.weights, "iterate", iterates), .by_default = "average",
         .help = "the weights in the model"},
        {ROW_CHOICE(0, "play", &s.play, "iterate", plays), .by_default = "current",
         .help = "the weights that choose labels"},
        {ROW_INT('n', "period", &o->period, "rounds", NOISE_RATE_FEWEST, 1e12),
         .help = "of rcine: rounds between two estimates (default: 20000, or 2000/gamma if that is "
                 "more)"},
        {ROW_CHOICE(0, "estimator", &o->estimator, "name", noise_rate_estimators),
         .by_default = "margin", .help = "of rcine"},
        {ROW_TEXT(0, "hidden", &s.hidden, "units"), .by_default = "128,128",
         .help = "hidden layers of the network of the mlp estimators"},
        {ROW_NUMBER(0, "dropout", &o->network.dropout, "share", 0, 0.99), .by_default = "0.2",
         .help = "of that network"},
        {ROW_INT(0, "epochs", &o->network.epochs, "epochs", 1, 100000), .by_default = "70",
         .help = "of that network"},
        {ROW_NUMBER('a', "prior", &o->prior, "a", OPTION_ABOVE_0, OPTION_UNBOUNDED),
         .by_default = "1", .help = "a of soba"},
        {ROW_FLAG(0, "soba-full", &o->full),
         .help = "soba with its whole matrix: at most 5000 weights"},
        {ROW_NUMBER(0, "eta", &o->eta, "eta", OPTION_ABOVE_0, OPTION_UNBOUNDED),
         .by_default = "0.5", .help = "step of nsm"},
        {ROW_FLAG(0, "log", &s.log),
         .help = "the input is a bandit log: label:feedback:propensity index:value ..."},
        {ROW_TEXT('p', "propensity", &s.propensity, "p|uniform"),
         .help = "propensity of a log that has none; uniform: 1/classes"},
        {ROW_NUMBER(0, "least-p", &s.least_p, "p", 0, 1), .by_default = "0",
         .help = "smaller propensities of a log count as this: less variance, some bias"},
        {ROW_NUMBER(0, "hold-out", &s.held_out, "share", 0, 0.9), .by_default = "0.1",
         .help = "tail of a log that judges the classifier of the rounds before it (IPS, SNIPS), "
                 "and is then learnt from too"},
        {ROW_FLAG(0, "interactive", &s.interactive),
         .help = "answer questions on standard input, learn from the answers"},
        {ROW_INT('Q', "open", &s.most_open, "n", 1, 1e9), .by_default = "100000",
         .help = "questions with an id that may wait for their answer; beyond that the oldest is "
                 "forgotten"},
        {ROW_INT(0, "most-features", &s.most_features, "n", 1, INT32_MAX),
         .help = "live lines with a larger index are refused (default: those of the model, or what "
                 "fits in a 32nd of the memory)"},
        {ROW_OUTPUT('L', "record", &s.record, "file"),
         .help = "append every answered round to this bandit log"},
        {ROW_OUTPUT(0, "trace", &s.trace, "file"),
         .help = "rounds, error on shown labels, error of the argmax, noise rates; ten lines a "
                 "power of ten"},
        {ROW_INPUT('m', "model", &s.resume, "model"),
         .help = "go on from this model (its options hold)"},
        OPTION_LABELS(&s.labels, "the model gone on from, or of the data"),
        OPTION_BIAS(&s.file.bias),
        OPTION_UNIT_LENGTH(&s.unit_length, "1"),
        OPTION_ZERO_BASED(&s.file.zero_based),
        OPTION_SEED(&s.file.seed),
        OPTION_THREADS(&s.threads),
        OPTION_QUIET(&s.quiet),
    };
    struct program program = {
        .name = "rcnbf-train",
        .words = "training_file [model_file]",
        .files = "rw",
        .summary = "Learn a linear classifier on line from answers that say only right or wrong, "
                   "and may be false.",
        .details =
            "Answers come from one of three sources. By default the training file is labelled, and "
            "the program plays both sides: it shows a label, finds out whether it "
            "is right, and flips the answer with the probabilities of -x. With --log the file is a "
            "log of rounds in which somebody else showed labels with known "
            "probabilities. With --interactive questions and answers come and go over a pipe: `? "
            "index:value ...` is answered by `label probability`, and `1`, `0` "
            "or `-` (no answer) may follow; `?id index:value ...` is answered by `id label "
            "probability`, and `!id 1` may follow at any time. The model is saved at `.`, "
            "at the end of input, when the peer is gone, and on SIGTERM, SIGINT and SIGHUP.\n\n"
            "If the noise rates are not known well, assume too much noise rather than too little: "
            "only 1 - r0 - r1 matters for where learning ends, and too large "
            "a value makes it forget. The model is read by liblinear-predict too.",
        .examples =
            "  rcnbf-train -r 0.2,0.4 -x 0.2,0.4 --random-order -i 1000000 data/digits.train "
            "digits.model\n"
            "  rcnbf-train --log -r 0.1,0.1 clicks.blog clicks.model\n"
            "  rcnbf-train --interactive --labels 1-5 -s rcine -L clicks.blog - clicks.model\n",
        .fewest_words = 1,
        .most_words = 2,
        .options = table,
        .count = sizeof table / sizeof *table};
    const char *word[3];
    char model[PROGRAM_NAME];
    program_start();
    int go = options_parse(&program, argc, argv, word);
    if (go == OPTIONS_GO)
        go = check(&program, &s, word[0], word[1]);
    if (go != OPTIONS_GO)
        return go;
    if ((go = program_name_model(&program, word, model)) != OPTIONS_GO)
        return go;

    struct error err = {0};
    struct job job = {.program = &program, .set = s, .data = word[0], .model = word[1]};
    if (!s.quiet)
        job.info = strcmp(job.model, "-") == 0 || s.interactive
                           || (s.trace && strcmp(s.trace, "-") == 0)
                       ? stderr
                       : stdout;
    int status = run(&job, &err);
    output_abandon(&job.trace);
    problem_free(&job.problem);
    bandit_free(job.learner);
    labels_free(&job.labels);
    return status == EXIT_USAGE ? status : program_end(program.name, status, &err);
}
