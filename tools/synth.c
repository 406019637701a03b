/* synth: made-up data and noise for experiments, the same bytes on every machine.
 *
 *     toy     the toy set of the UMA papers (Louche and Ralaivola 2015, section 4.1)
 *     synsep  the linearly separable texts of the bandit papers (Kakade, Shalev-Shwartz and Tewari
 *             2008)
 *     gauss   classes with normal features
 *     noise   confusion matrices: the family C_i of that section, or class-dependent flips
 *
 * Each kind has a struct of parameters, a function `describe` that fills its option table, a
 * function `make` that writes the data, and a row in main's table. */
#include "common/base/memory.h"
#include "common/base/number.h"
#include "common/base/random.h"
#include "common/model/confusion.h"
#include "common/program/option_rows.h"
#include "common/program/options.h"
#include "common/program/program.h"

#include <math.h>
#include <string.h>

struct toy {
    int64_t classes, examples, seed, part;
    double margin;
};

struct synsep {
    int64_t classes, features, examples, keywords, words, seed, part;
};

struct gauss {
    int64_t classes, features, examples, seed, part;
    double spread;
};

struct noise {
    double step, flip, spread;
    const char *list; /* of labels */
    int64_t seed, orientation;
};

enum { MOST_OPTIONS = 8 };

/* A kind of data: its texts and options, its parameters, and the function that makes it. */
struct kind {
    struct program program;
    struct option option[MOST_OPTIONS];
    bool quiet;
    struct toy toy;
    struct synsep synsep;
    struct gauss gauss;
    struct noise noise;
    /* Write it.  0 or -1. */
    int (*make)(const struct kind *kind, struct output *out, struct error *err);
};

/* Give a kind its texts and a copy of its option table. */
static void synth_describe(struct kind *kind, struct program program, const struct option *table,
                           size_t count)
{
    memcpy(kind->option, table, count * sizeof *table);
    kind->program = program;
    kind->program.options = kind->option;
    kind->program.count = (int)count;
}

/* ---- toy ----
 *
 * K weight vectors and all examples are uniform on the unit circle; the label is the class of the
 * largest <w_k, x>, and an example that is nearer than the margin to the boundary of its class is
 * drawn again.  (The paper leaves out what is "too close to the decision boundaries".  The margin
 * of its Definition 2 is the lead of the largest product; with that, most draws of ten classes
 * leave some class without examples, which the paper says never occurred.) */

/* A uniform point on the unit circle: a uniform point in the disc, scaled to length 1.  Products,
 * quotients and square roots are rounded alike on every machine, sines are not. */
static void synth_draw_direction(struct random *g, double x[2])
{
    double square;
    do {
        x[0] = 2 * random_uniform(g) - 1;
        x[1] = 2 * random_uniform(g) - 1;
        square = x[0] * x[0] + x[1] * x[1];
    } while (square > 1); /* it is never 0, as in random_normal */
    x[0] /= sqrt(square);
    x[1] /= sqrt(square);
}

/* The class of x, or -1 when x is nearer than the margin to the boundary with another class, the
 * line <w_best - w_k, x> = 0. */
static int64_t synth_toy_class(const struct toy *toy, const double *w, const double x[2])
{
    int64_t best = 0;
    for (int64_t k = 1; k < toy->classes; k++)
        if ((w[2 * k] - w[2 * best]) * x[0] + (w[2 * k + 1] - w[2 * best + 1]) * x[1] > 0)
            best = k;
    for (int64_t k = 0; k < toy->classes; k++) {
        double a = w[2 * best] - w[2 * k], b = w[2 * best + 1] - w[2 * k + 1];
        if (k != best && a * x[0] + b * x[1] < toy->margin * sqrt(a * a + b * b))
            return -1;
    }
    return best;
}

/* Draw all weight vectors, again until the margin leaves a region to every class: it gets HITS of
 * PROBES x K random points, so that a thousand examples hardly ever miss a class.  w: out, K x 2.
 */
static int synth_toy_draw_classes(const struct toy *toy, double *w, struct error *err)
{
    enum { TRIES = 500 /* no reason but that it works */, PROBES = 100, HITS = 5 };
    const int64_t K = toy->classes;
    struct random g = random_seeded((uint64_t)toy->seed, RANDOM_TOY);
    int64_t *hits = memory_new(K, sizeof *hits, err), missing = K;
    if (!hits)
        return -1;
    for (int try = 0; try < TRIES && missing > 0; try++) {
        missing = K;
        for (int64_t k = 0; k < K; k++) {
            synth_draw_direction(&g, w + 2 * k);
            hits[k] = 0;
        }
        for (int64_t i = 0; i < PROBES * K; i++) {
            double x[2];
            synth_draw_direction(&g, x);
            int64_t k = synth_toy_class(toy, w, x);
            if (k >= 0 && ++hits[k] == HITS)
                missing--;
        }
    }
    memory_free(hits);
    if (missing > 0)
        return error_set(
            err, "%lld classes do not all fit at a margin of %g: take fewer, or a smaller margin",
            (long long)K, toy->margin);
    return 0;
}

/* Points with labels; those within the margin are drawn again. */
static int synth_toy_make(const struct kind *kind, struct output *out, struct error *err)
{
    const struct toy *toy = &kind->toy;
    double *w = memory_new(toy->classes, 2 * sizeof *w, err);
    if (!w || synth_toy_draw_classes(toy, w, err) != 0) {
        memory_free(w);
        return -1;
    }
    struct random g = random_seeded((uint64_t)toy->seed, RANDOM_TOY + 1 + (uint64_t)toy->part);
    int64_t left_out = 0;
    for (int64_t i = 0; i < toy->examples; i++) {
        if (out->failed)
            break;
        double x[2];
        int64_t k;
        for (;; left_out++) {
            synth_draw_direction(&g, x);
            if ((k = synth_toy_class(toy, w, x)) >= 0)
                break;
        }
        char line[3 * NUMBER_TEXT], *p = number_write_int(line, k + 1);
        memcpy(p, " 1:", 3);
        p = number_write(p + 3, x[0]);
        memcpy(p, " 2:", 3);
        p = number_write(p + 3, x[1]);
        *p++ = '\n';
        output_write(out, line, p - line);
    }
    memory_free(w);
    if (!kind->quiet) {
        char examples[NUMBER_COUNTED], classes[NUMBER_COUNTED];
        fprintf(stderr, "%s of %s; left out within the margin: %lld\n",
                number_counted(toy->examples, "example", examples),
                number_counted(toy->classes, "class", classes), (long long)left_out);
    }
    return 0;
}

/* Options and texts of `synth toy`. */
static void synth_toy_describe(struct kind *kind)
{
    struct toy *toy = &kind->toy;
    const struct option table[] = {
        {ROW_INT('k', "classes", &toy->classes, "k", 2, 100), .by_default = "10",
         .help = "classes; their labels are 1 .. k"},
        {ROW_INT('n', "examples", &toy->examples, "n", 1, OPTION_LARGEST_INT), .by_default = "1000",
         .help = "examples"},
        {ROW_NUMBER(0, "margin", &toy->margin, "m", 0, 1), .by_default = "0.025",
         .help = "examples nearer than this to the boundary of their class are drawn again"},
        {ROW_INT(0, "part", &toy->part, "n", 0, OPTION_LARGEST_INT), .by_default = "0",
         .help = "0, 1, 2 ...: other examples of the same classes, for a test set"},
        OPTION_SEED(&toy->seed),
        OPTION_QUIET(&kind->quiet),
    };
    const struct program program = {
        .name = "synth toy",
        .words = "> data",
        .summary =
            "Points on the unit circle, labelled by random directions: the UMA papers' toy set.",
        .details =
            "Weight vectors and points are uniform on the unit circle; the label of a point is the "
            "class whose weight vector has the largest product with it. Weight vectors are drawn "
            "again until the margin leaves a region to each class. The seed fixes the classes; "
            "seed and part fix the points.",
        .examples = "  synth toy -S 7 > train && synth toy -S 7 --part 1 -n 10000 > test\n"};
    synth_describe(kind, program, table, sizeof table / sizeof *table);
    kind->make = synth_toy_make;
}

/* ---- synsep ----
 *
 * A text is a set of words.  The first 30 % of the vocabulary are key words, divided among the
 * classes; a text has some key words of its own class, none of the others, and some of the common
 * words.  Counting key words of each class tells the class, with a margin: the data are linearly
 * separable.  (Kakade et al. describe the data without all its numbers; the defaults are ours.) */

/* Mark `count` more of the words first .. first + n - 1, at random. */
static void synth_draw_words(struct random *g, char *marked, int64_t first, int64_t n,
                             int64_t count)
{
    while (count > 0) {
        int64_t j = first + random_below(g, n);
        count -= !marked[j];
        marked[j] = 1;
    }
}

/* Texts of a random class each. */
static int synth_synsep_make(const struct kind *kind, struct output *out, struct error *err)
{
    const struct synsep *synsep = &kind->synsep;
    const int64_t own = synsep->features * 3 / 10 / synsep->classes, keys = own * synsep->classes;
    if (synsep->keywords > own)
        return error_usage(err, "--keywords: %lld, but a class has %lld of its own",
                           (long long)synsep->keywords, (long long)own);
    if (synsep->words > synsep->features - keys)
        return error_usage(err, "--words: %lld, but there are %lld common ones",
                           (long long)synsep->words, (long long)(synsep->features - keys));
    char *marked = memory_new(synsep->features, 1, err);
    if (!marked)
        return -1;
    struct random g = random_seeded((uint64_t)synsep->seed, RANDOM_SYNSEP + (uint64_t)synsep->part);
    for (int64_t i = 0; i < synsep->examples; i++) {
        if (out->failed)
            break;
        int64_t k = random_below(&g, synsep->classes);
        memset(marked, 0, (size_t)synsep->features);
        synth_draw_words(&g, marked, k * own, own, synsep->keywords);
        synth_draw_words(&g, marked, keys, synsep->features - keys, synsep->words);
        output_text(out, "%lld", (long long)k + 1);
        for (int64_t j = 0; j < synsep->features; j++)
            if (marked[j])
                output_text(out, " %lld:1", (long long)j + 1);
        output_text(out, "\n");
    }
    memory_free(marked);
    return 0;
}

/* Options and texts of `synth synsep`. */
static void synth_synsep_describe(struct kind *kind)
{
    struct synsep *synsep = &kind->synsep;
    const struct option table[] = {
        {ROW_INT('k', "classes", &synsep->classes, "k", 2, 1000000), .by_default = "9",
         .help = "classes; their labels are 1 .. k"},
        {ROW_INT('d', "features", &synsep->features, "d", 10, 100000000), .by_default = "400",
         .help = "words in the vocabulary; 30 % of them are key words"},
        {ROW_INT('n', "examples", &synsep->examples, "n", 1, OPTION_LARGEST_INT),
         .by_default = "100000", .help = "texts"},
        {ROW_INT(0, "keywords", &synsep->keywords, "n", 1, 100000000), .by_default = "10",
         .help = "key words in a text, of its class"},
        {ROW_INT(0, "words", &synsep->words, "n", 0, 100000000), .by_default = "20",
         .help = "common words in a text"},
        {ROW_INT(0, "part", &synsep->part, "n", 0, OPTION_LARGEST_INT), .by_default = "0",
         .help = "0, 1, 2 ...: other texts, for a test set"},
        OPTION_SEED(&synsep->seed),
        OPTION_QUIET(&kind->quiet),
    };
    const struct program program = {
        .name = "synth synsep",
        .words = "> data",
        .summary =
            "Linearly separable texts of key words and common words: the bandit papers' SynSep.",
        .details = "A feature is a word, with the value 1 if the text has it. Each class has key "
                   "words of its own; a text has some of those and some common words.",
        .examples = "  synth synsep > train && synth synsep --part 1 -n 10000 > test\n"};
    synth_describe(kind, program, table, sizeof table / sizeof *table);
    kind->make = synth_synsep_make;
}

/* ---- gauss ----
 *
 * All features are normal with variance 1, around the mean of the class; the means are normal too.
 * The best classifier is linear and wrong where the classes overlap. */

static int synth_gauss_make(const struct kind *kind, struct output *out, struct error *err)
{
    const struct gauss *gauss = &kind->gauss;
    const int64_t d = gauss->features;
    struct random g = random_seeded((uint64_t)gauss->seed, RANDOM_GAUSS);
    if (memory_check(8 * (double)gauss->classes * (double)d, "the means of the classes", err) != 0)
        return -1;
    double *mean = memory_new(gauss->classes * d, sizeof *mean, err);
    if (!mean)
        return -1;
    for (int64_t i = 0; i < gauss->classes * d; i++)
        mean[i] = gauss->spread * random_normal(&g);
    g = random_seeded((uint64_t)gauss->seed, RANDOM_GAUSS + 1 + (uint64_t)gauss->part);
    for (int64_t i = 0; i < gauss->examples; i++) {
        if (out->failed)
            break;
        const int64_t k = random_below(&g, gauss->classes);
        output_text(out, "%lld", (long long)k + 1);
        for (int64_t j = 0; j < d; j++) {
            char text[NUMBER_ENTRY];
            const double value = mean[k * d + j] + random_normal(&g);
            output_write(out, text, number_write_entry(text, j + 1, value) - text);
        }
        output_text(out, "\n");
    }
    memory_free(mean);
    return 0;
}

/* Options and texts of `synth gauss`. */
static void synth_gauss_describe(struct kind *kind)
{
    struct gauss *gauss = &kind->gauss;
    const struct option table[] = {
        {ROW_INT('k', "classes", &gauss->classes, "k", 2, 1000000), .by_default = "4",
         .help = "classes; their labels are 1 .. k"},
        {ROW_INT('d', "features", &gauss->features, "d", 1, 1000000), .by_default = "10",
         .help = "features"},
        {ROW_INT('n', "examples", &gauss->examples, "n", 1, OPTION_LARGEST_INT),
         .by_default = "1000", .help = "examples"},
        {ROW_NUMBER(0, "spread", &gauss->spread, "s", 0, 1000000), .by_default = "1",
         .help = "standard deviation of the classes' means, in each feature"},
        {ROW_INT(0, "part", &gauss->part, "n", 0, OPTION_LARGEST_INT), .by_default = "0",
         .help = "0, 1, 2 ...: other examples of the same classes, for a test set"},
        OPTION_SEED(&gauss->seed),
        OPTION_QUIET(&kind->quiet),
    };
    const struct program program = {
        .name = "synth gauss",
        .words = "> data",
        .summary = "Classes with normal features, which overlap.",
        .details = "Each feature is normal with variance 1 around the mean of the example's class; "
                   "the means are normal around 0. The best classifier is linear. The seed fixes "
                   "the means; seed and part fix the examples.",
        .examples = "  synth gauss -S 7 > train && synth gauss -S 7 --part 1 > test\n"};
    synth_describe(kind, program, table, sizeof table / sizeof *table);
    kind->make = synth_gauss_make;
}

/* ---- noise ---- */

/* C_i = Psi(I + i N), N = (M - I) / 10, M uniform with its rows normalised; Psi replaces
 * negative entries by 0 and normalises the rows.  Rows are true classes.  (The paper rejects a
 * singular M; a random one is singular with probability 0.) c: out, K x K, c[p*K + q] = P(observed
 * p | true q), so each row becomes a column. */
static void synth_noise_family(const struct noise *noise, int64_t K, double *c)
{
    struct random g = random_seeded((uint64_t)noise->seed, RANDOM_NOISE);
    for (int64_t q = 0; q < K; q++) {
        double sum = 0, total = 0;
        for (int64_t p = 0; p < K; p++)
            sum += c[p * K + q] = random_uniform(&g);
        for (int64_t p = 0; p < K; p++) {
            double m = c[p * K + q] / sum, identity = p == q,
                   entry = identity + noise->step * ((m - identity) / 10);
            total += c[p * K + q] = entry > 0 ? entry : 0;
        }
        for (int64_t p = 0; p < K; p++)
            c[p * K + q] /= total;
    }
}

/* Column q has 1 - r_q on its diagonal and r_q spread over the others in proportion to u^3, u
 * uniform: some confusions are much likelier than others.  r_q is uniform in flip (1 -+ spread). */
static void synth_noise_flips(const struct noise *noise, int64_t K, double *c)
{
    struct random g = random_seeded((uint64_t)noise->seed, RANDOM_NOISE);
    for (int64_t q = 0; q < K; q++) {
        double r = noise->flip * (1 + noise->spread * (2 * random_uniform(&g) - 1)), sum = 0;
        for (int64_t p = 0; p < K; p++) {
            double u = random_uniform(&g);
            c[p * K + q] = p == q ? 0 : u * u * u;
            sum += c[p * K + q];
        }
        for (int64_t p = 0; p < K; p++)
            c[p * K + q] = p == q ? 1 - r : r * (c[p * K + q] / sum);
    }
}

/* Do the options go together?  0, or -1 with err, a usage error. */
static int synth_noise_check(const struct kind *kind, bool by_flip, struct error *err)
{
    const struct noise *noise = &kind->noise;
    const bool by_step = options_find(&kind->program, "step")->given;
    if (by_step == by_flip)
        return error_usage(err, by_step ? "-i and --flip are two kinds of noise: give one of them"
                                        : "-i or --flip says which noise");
    if (!by_flip && options_find(&kind->program, "spread")->given)
        return error_usage(err, "--spread belongs to --flip");
    if (by_flip && noise->flip * (1 + noise->spread) >= 1)
        return error_usage(err, "--flip: no class may lose all its labels: the rate, spread "
                                "included, must be below 1");
    return 0;
}

/* A matrix of the kind that was asked for, and its confusion rate on standard error. */
static int synth_noise_make(const struct kind *kind, struct output *out, struct error *err)
{
    const struct noise *noise = &kind->noise;
    const bool by_flip = options_find(&kind->program, "flip")->given;
    struct labels labels = {0};
    struct confusion confusion = {0};
    int status = -1;
    if (synth_noise_check(kind, by_flip, err) != 0 || labels_parse(noise->list, &labels, err) != 0
        || confusion_make(&labels, &confusion, err) != 0)
        goto done;
    if (by_flip)
        synth_noise_flips(noise, confusion.classes, confusion.c);
    else
        synth_noise_family(noise, confusion.classes, confusion.c);
    confusion_write(&confusion, noise->orientation == 1, out);
    const double off_diagonal = confusion_off_diagonal(&confusion);
    if (!kind->quiet)
        fprintf(stderr, "Confusion rate = %g (||offdiag||_F = %g)\n",
                off_diagonal / sqrt((double)confusion.classes), off_diagonal);
    status = 0;
done:
    confusion_free(&confusion);
    labels_free(&labels);
    return status;
}

/* Options and texts of `synth noise`. */
static void synth_noise_describe(struct kind *kind)
{
    struct noise *noise = &kind->noise;
    const struct option table[] = {
        {ROW_NUMBER('i', "step", &noise->step, "step", 0, OPTION_UNBOUNDED),
         .help = "i of the family C_i: 0 is no noise, 10 an entirely random matrix"},
        {ROW_NUMBER(0, "flip", &noise->flip, "rate", 0, 1),
         .help = "probability, below 1, that a label is wrong; some wrong labels are much likelier "
                 "than others"},
        {ROW_NUMBER(0, "spread", &noise->spread, "s", 0, 1), .by_default = "0",
         .help = "each class has its own rate, from --flip times 1-s to --flip times 1+s"},
        OPTION_ROWS(&noise->orientation),
        {ROW_TEXT(0, "labels", &noise->list, "list"), .by_default = "1-10",
         .help = "the classes, for example 1,2,7 or 1-10"},
        OPTION_SEED(&noise->seed),
        OPTION_QUIET(&kind->quiet),
    };
    const struct program program = {
        .name = "synth noise",
        .words = "> confusion_file",
        .summary =
            "Random confusion matrices, for label-noise -c and the option -c of the learners.",
        .details = "With -i the family of the UMA papers: a random stochastic matrix M, N = (M - "
                   "I)/10, C_i = I + i N with negative entries removed and normalised. With "
                   "--flip, label p gets a share of class q's flipped labels that is proportional "
                   "to u^3, u uniform. One of the two must be given. The same seed gives the same "
                   "M for any -i.",
        .examples = "  synth toy > clean && synth noise -i 5 > matrix && label-noise -c matrix "
                    "clean > noisy\n"};
    synth_describe(kind, program, table, sizeof table / sizeof *table);
    kind->make = synth_noise_make;
}

/* ---- the program ---- */

int main(int argc, char **argv)
{
    static void (*const describe_kind[])(struct kind *) = {
        synth_toy_describe, synth_synsep_describe, synth_gauss_describe, synth_noise_describe};
    enum { KINDS = sizeof describe_kind / sizeof *describe_kind };
    struct kind kinds[KINDS] = {0}, *kind = NULL;
    const struct program *programs[KINDS + 1] = {0};
    struct program program = {
        .name = "synth",
        .words = "> data",
        .summary = "Make data and noise for experiments.",
        .details = "Writes LIBSVM text or, for noise, a confusion matrix to standard output: the "
                   "same bytes for the same options on every machine.",
        .see_also = "label-noise(1)",
        .examples = "  synth toy -S 7 > train && synth toy -S 7 --part 1 -n 10000 > test\n"
                    "  synth noise -i 5 -S 7 > matrix && label-noise -c matrix train > noisy\n",
        .kinds = programs};
    char names[128] = "";
    for (int i = 0; i < KINDS; i++) {
        describe_kind[i](&kinds[i]);
        programs[i] = &kinds[i].program;
        const char *name = programs[i]->name + strlen("synth ");
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "", name);
        if (argc > 1 && strcmp(argv[1], name) == 0)
            kind = &kinds[i];
    }
    const char *word[1];
    program_start();
    if (argc > 1 && argv[1][0] != '-' && !kind)
        return options_refuse(&program, "\"%.40s\" is none of %s", argv[1], names);
    int go = kind ? options_parse(&kind->program, argc - 1, argv + 1, word)
                  : options_parse(&program, argc, argv, word);
    if (go != OPTIONS_GO)
        return go;
    if (!kind)
        return options_refuse(&program, "the first word must be one of %s", names);

    struct error err = {0};
    struct output out = {.fd = -1};
    int status = output_open(&out, "-", &err);
    if (status == 0)
        status = kind->make(kind, &out, &err);
    if (status == 0)
        status = output_commit(&out, &err);
    output_abandon(&out);
    return program_end(err.usage ? &kind->program : &program, status != 0, &err);
}
