/* arow-train: online learners on LIBSVM text, from a file or a pipe, of any size. */
#include "common/base/input.h"
#include "common/base/output.h"
#include "common/base/parallel.h"
#include "common/program/option_rows.h"
#include "common/program/options.h"
#include "common/program/program.h"
#include "learners/online/online_run.h"

#include <stdio.h>
#include <string.h>

struct settings {
    struct online_options learner;
    struct online_file file;
    const char *labels, *resume;
    bool no_shuffle, stream, quiet;
    int64_t passes, folds, threads, unit_length;
};

struct job {
    const struct program *program;
    struct settings set;
    const char *model;
    struct online_run run;
};

/* Has the learner a use for this option? */
static bool uses(int64_t rule, const char *name)
{
    static const struct {
        const char *name;
        unsigned rules;
    } used_by[] = {
        {"regularizer", 1u << ONLINE_AROW | 1u << ONLINE_AROW_HINGE},
        {"competitors", 1u << ONLINE_AROW | 1u << ONLINE_AROW_HINGE},
        {"form", 1u << ONLINE_AROW | 1u << ONLINE_AROW_HINGE | 1u << ONLINE_CW | 1u << ONLINE_SOP},
        {"aggressiveness", 1u << ONLINE_PA1 | 1u << ONLINE_PA2},
        {"phi", 1u << ONLINE_CW},
        {"prior", 1u << ONLINE_SOP},
        {"eta", 1u << ONLINE_ADAGRAD_RDA},
        {"lambda", 1u << ONLINE_ADAGRAD_RDA},
        {"delta", 1u << ONLINE_ADAGRAD_RDA},
    };
    for (size_t i = 0; i < sizeof used_by / sizeof *used_by; i++)
        if (strcmp(used_by[i].name, name) == 0)
            return used_by[i].rules >> rule & 1;
    return true;
}

/* Options without a meaning for the learner are named, not silently ignored. */
static void note_unused(const struct program *program, const struct settings *s)
{
    for (int i = 0; i < program->count && !s->quiet; i++)
        if (program->options[i].given && !uses(s->learner.rule, program->options[i].name))
            fprintf(stderr, "%s: note: --%s has no meaning for %s\n", program->name,
                    program->options[i].name, online_rules[s->learner.rule]);
}

/* What only several options together can tell.  OPTIONS_GO or a status. */
static int check(const struct program *program, struct settings *s, const char *data,
                 const char *model)
{
    if (s->learner.rule == ONLINE_SOP && s->learner.form == COVARIANCE_DROP)
        return options_refuse(program, "sop has the forms diag and full");
    if (s->folds > 0 && (s->stream || s->resume))
        return options_refuse(program,
                              "-v holds the data and starts afresh: it does not go with %s",
                              s->stream ? "--stream" : "-m");
    if (s->folds > 0 && model)
        return options_refuse(program, "-v writes no model: a model file does not go with it");
    if (s->stream && s->passes > 1 && !input_is_file(data))
        return options_refuse(
            program,
            "several passes over a pipe need it held in memory: --stream does not go with -i %lld",
            (long long)s->passes);
    if (!model && strcmp(data, "-") == 0 && s->folds == 0)
        return options_refuse(program, "data from standard input: name the model file");
    if (s->file.bias < 0)
        s->file.bias = -1;
    return OPTIONS_GO;
}

/* Going on: the model's options hold; one given here must agree.  OPTIONS_GO or a status. */
static int check_resumed(const struct program *program, const struct online_options *asked,
                         const struct online_options *had, const struct settings *s,
                         const struct online_file *file)
{
    const struct {
        const char *name;
        bool same;
    } agree[] = {
        {"learner", asked->rule == had->rule},
        {"form", asked->form == had->form},
        {"regularizer", !(asked->r < had->r || asked->r > had->r)},
        {"aggressiveness", !(asked->C < had->C || asked->C > had->C)},
        {"phi", !(asked->phi < had->phi || asked->phi > had->phi)},
        {"prior", !(asked->a < had->a || asked->a > had->a)},
        {"eta", !(asked->eta < had->eta || asked->eta > had->eta)},
        {"lambda", !(asked->lambda < had->lambda || asked->lambda > had->lambda)},
        {"delta", !(asked->delta < had->delta || asked->delta > had->delta)},
        {"competitors", asked->k == had->k},
        {"average", asked->average == had->average},
        {"bias", !(s->file.bias < file->bias || s->file.bias > file->bias)},
        {"unit-length", s->file.unit_length == file->unit_length},
        {"zero-based", s->file.zero_based == file->zero_based},
    };
    for (size_t i = 0; i < sizeof agree / sizeof *agree; i++)
        if (options_find(program, agree[i].name)->given && uses(had->rule, agree[i].name)
            && !agree[i].same)
            return options_refuse(program,
                                  "--%s differs from that of the model to go on from (leave it "
                                  "out: the model's options hold)",
                                  agree[i].name);
    return OPTIONS_GO;
}

/* Read the model to go on from.  OPTIONS_GO, EXIT_USAGE, or 1 with err. */
static int resume(struct job *job, struct error *err)
{
    struct settings *s = &job->set;
    struct online_file file;
    job->run.online = online_load_file(s->resume, (int)s->threads, &file, err);
    if (!job->run.online)
        return 1;
    struct online_options had = *online_get_options(job->run.online);
    int status = check_resumed(job->program, &s->learner, &had, s, &file);
    if (status != OPTIONS_GO)
        return status;
    if (options_find(job->program, "seed")->given)
        file.seed = s->file.seed;
    if (job->run.labels.count > 0
        && !labels_equal(&job->run.labels, online_labels(job->run.online)))
        return options_refuse(job->program,
                              "--labels differs from the classes of the model to go on from");
    labels_free(&job->run.labels);
    s->learner = had;
    s->file = file;
    return labels_copy(online_labels(job->run.online), &job->run.labels, err) == 0 ? OPTIONS_GO : 1;
}

static int run(struct job *job, struct error *err)
{
    struct settings *s = &job->set;
    s->file.unit_length = s->unit_length == 1;
    int status = s->labels ? labels_parse(s->labels, &job->run.labels, err) : 0;
    if (status != 0)
        return status > 0 ? options_refuse(job->program, "--labels: %s", err->message) : 1;
    if (s->folds == 0 && output_check(job->model, err) != 0)
        return 1;
    if (s->resume && (status = resume(job, err)) != OPTIONS_GO)
        return status;
    note_unused(job->program, s);
    struct online_run *r = &job->run;
    r->learner = s->learner;
    r->seed = s->file.seed;
    r->format = (struct example_format){
        .zero_based = s->file.zero_based, .unit_length = s->file.unit_length, .bias = s->file.bias};
    r->progress = progress_start(s->quiet, "examples");
    int failed = online_run(r, err) != 0;
    progress_wipe(&r->progress);
    if (failed && !err->file[0])
        snprintf(err->file, sizeof err->file, "%s", input_name(r->data));
    return failed
           || (s->folds == 0
               && online_save(r->online, &s->file, job->model, (int)s->threads, err) != 0);
}

int main(int argc, char **argv)
{
    struct settings s = {.threads = parallel_processors()};
    struct online_options *p = &s.learner;
    const char *rules[ONLINE_FORWARD + 1]; /* forward is uma-train's */
    memcpy(rules, online_rules, sizeof rules);
    rules[ONLINE_FORWARD] = NULL;
    struct option table[] = {
        {ROW_CHOICE('s', "learner", &p->rule, "learner", rules), .by_default = "arow",
         .help = "the learner"},
        {ROW_NUMBER('r', "regularizer", &p->r, "r", OPTION_ABOVE_0, OPTION_UNBOUNDED),
         .by_default = "1", .help = "r of arow and arow-hinge: larger takes smaller steps"},
        {ROW_NUMBER('c', "aggressiveness", &p->C, "C", OPTION_ABOVE_0, OPTION_UNBOUNDED),
         .by_default = "1", .help = "C of pa1 and pa2"},
        {ROW_NUMBER('p', "phi", &p->phi, "phi", OPTION_ABOVE_0, OPTION_UNBOUNDED),
         .by_default = "1", .help = "confidence of cw"},
        {ROW_NUMBER('a', "prior", &p->a, "a", OPTION_ABOVE_0, OPTION_UNBOUNDED), .by_default = "1",
         .help = "a of sop"},
        {ROW_NUMBER(0, "eta", &p->eta, "eta", OPTION_ABOVE_0, OPTION_UNBOUNDED),
         .by_default = "0.1", .help = "step of adagrad-rda"},
        {ROW_NUMBER(0, "lambda", &p->lambda, "lambda", 0, OPTION_UNBOUNDED), .by_default = "0",
         .help = "L1 of adagrad-rda"},
        {ROW_NUMBER(0, "delta", &p->delta, "delta", OPTION_ABOVE_0, OPTION_UNBOUNDED),
         .by_default = "1", .help = "added to the root of the squares in adagrad-rda"},
        {ROW_INT('k', "competitors", &p->k, "k", 0, INT32_MAX), .by_default = "1",
         .help = "wrong classes in one update of arow and arow-hinge; 0: all"},
        {ROW_CHOICE('f', "form", &p->form, "form", online_forms), .by_default = "diag",
         .help = "of the covariance (arow, arow-hinge, cw, sop)"},
        {ROW_INT('i', "passes", &s.passes, "passes", 1, 1000000), .by_default = "1",
         .help = "over the data"},
        {ROW_FLAG('A', "average", &p->average),
         .help =
             "predict with the mean of the weights after each round; steadier under label noise"},
        {ROW_INPUT('m', "model", &s.resume, "model"),
         .help = "go on from this model (its options hold)"},
        {ROW_FLAG(0, "no-shuffle", &s.no_shuffle),
         .help = "file order in every pass (a pipe always has it)"},
        {ROW_FLAG(0, "stream", &s.stream),
         .help = "never hold the data: file order, constant memory"},
        OPTION_LABELS(&s.labels, "the model gone on from, or of the data"),
        OPTION_BIAS(&s.file.bias),
        OPTION_UNIT_LENGTH(&s.unit_length, "0"),
        OPTION_FOLDS(&s.folds),
        OPTION_ZERO_BASED(&s.file.zero_based),
        OPTION_SEED(&s.file.seed),
        OPTION_THREADS(&s.threads),
        OPTION_QUIET(&s.quiet),
    };
    struct program program = {
        .name = "arow-train",
        .words = "training_file [model_file]",
        .files = "rw",
        .summary = "Learn a linear classifier on line with AROW, or one of its baselines, from "
                   "LIBSVM text.",
        .details = "One pass by default. A regular file that fits in memory is shuffled before "
                   "each pass; a pipe (`-`: standard input), a larger file, and "
                   "any file with --stream are read in file order. A pipe is streamed in constant "
                   "memory when its classes are known (--labels, or -m) and one "
                   "pass is asked for; otherwise it is held. The model file (default: the name of "
                   "the training file + .model, in the current folder) is read by "
                   "liblinear-predict too; it also holds what -m needs to go on exactly where "
                   "training ended.",
        .examples = "  arow-train -A -r 10 data/letter.train letter.model\n"
                    "  zcat big.gz | arow-train --labels 0-9 - big.model\n"
                    "  arow-train -v 5 -r 0.1 data/digits.train\n",
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
    struct job job = {.program = &program, .set = s, .model = word[1]};
    job.run = (struct online_run){.program = program.name,
                                  .data = word[0],
                                  .passes = s.passes,
                                  .folds = s.folds,
                                  .stream = s.stream,
                                  .no_shuffle = s.no_shuffle,
                                  .threads = (int)s.threads,
                                  .notes = s.quiet ? NULL : stderr,
                                  .result = stdout};
    if (!s.quiet)
        job.run.info = strcmp(job.model, "-") == 0 ? stderr : stdout;
    int status = run(&job, &err);
    online_run_free(&job.run);
    return status == EXIT_USAGE ? status : program_end(program.name, status, &err);
}
