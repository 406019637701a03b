/* Signals: by default a handler removes unfinished outputs and lets the signal end the program.
 * What can stop after an example, and save its model first, asks for another handler
 * (program_catch_stops): it sets a flag, and writes into a pipe that a live loop polls (the
 * self-pipe trick), as little else is safe in a handler. */
#include "common/program/program.h"

#include "common/base/input.h"
#include "common/base/memory.h"
#include "common/base/output.h"
#include "common/base/reduce.h"
#include "common/data/stream.h"
#include "common/program/option_rows.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const int stops[] = {SIGTERM, SIGINT, SIGHUP};
static const char *const stop_names[] = {"SIGTERM", "SIGINT", "SIGHUP"};
enum { STOPS = sizeof stops / sizeof *stops };

const char *program_signal_name(int signal_number)
{
    for (int i = 0; i < STOPS; i++)
        if (stops[i] == signal_number)
            return stop_names[i];
    return "a signal";
}

/* Install the handler for the signals in `stops`, except those that are ignored (nohup).  0 or -1.
 */
static int program_handle_stops(void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < STOPS; i++) {
        struct sigaction before;
        if (sigaction(stops[i], NULL, &before) != 0
            || (before.sa_handler != SIG_IGN && sigaction(stops[i], &action, NULL) != 0))
            return -1;
    }
    return 0;
}

/* Volatile, so that a handler that finds the name, which is set last, finds the others set. */
static const char *volatile at_stop_name, *volatile at_stop_why; /* NULL: nothing is said */
static volatile bool at_stop_terminal; /* a progress line may stand there */

/* In a handler: print without stdio. */
static void program_say_stopped(int signal_number)
{
    char text[512];
    const char *const parts[] = {at_stop_terminal ? "\r\033[K" : "",
                                 at_stop_name,
                                 ": stopped by ",
                                 program_signal_name(signal_number),
                                 ": ",
                                 at_stop_why,
                                 "\n"};
    size_t used = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const size_t size = strlen(parts[i]);
        if (size > sizeof text - used)
            return;
        memcpy(text + used, parts[i], size);
        used += size;
    }
    (void)!write(STDERR_FILENO, text, used);
}

/* SA_RESETHAND has restored the signal's default, so raise ends the program when this returns. */
static void program_stop_now(int signal_number)
{
    if (at_stop_name)
        program_say_stopped(signal_number);
    output_remove_unfinished();
    raise(signal_number);
}

void program_say_at_stop(const char *name, const char *why)
{
    at_stop_terminal = isatty(STDERR_FILENO);
    at_stop_why = why;
    at_stop_name = name;
}

void program_start(void)
{
    memory_start();
    reduce_start();
    /* The next file opened would get the descriptor of a closed standard stream.  So open
     * /dev/null there, in the wrong mode, so that using the stream fails. */
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            (void)!open("/dev/null", fd == 1 ? O_RDONLY : O_WRONLY);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    (void)program_handle_stops(program_stop_now, (int)SA_RESETHAND);
}

static struct stop stop = {.fd = -1};
static int stop_writes = -1; /* the other end of its pipe */

static void program_tell_stop(int signal_number)
{
    int saved = errno, none = 0;
    atomic_compare_exchange_strong(&stop.signal, &none, signal_number);
    (void)!write(stop_writes, "", 1);
    errno = saved;
}

const struct stop *program_catch_stops(bool interrupts, struct error *err)
{
    int ends[2];
    if (pipe(ends) != 0 || fcntl(ends[1], F_SETFL, O_NONBLOCK) != 0) {
        error_system(err, "a pipe for signals");
        return NULL;
    }
    stop.fd = ends[0];
    stop_writes = ends[1];
    if (program_handle_stops(program_tell_stop, interrupts ? 0 : SA_RESTART) != 0) {
        error_system(err, "signals");
        return NULL;
    }
    return &stop;
}

bool program_strict;
static bool program_warned;

/* A line `PROGRAM: KIND: TEXT` on standard error, written at once, whatever the text holds. */
static void program_print(const char *name, const char *kind, const char text[PROGRAM_MESSAGE])
{
    char line[ERROR_ESCAPED(PROGRAM_MESSAGE)];
    error_escape(text, line);
    fprintf(stderr, "%s: %s: %s\n", name, kind, line);
}

void program_note_args(const char *name, const char *format, va_list args)
{
    char text[PROGRAM_MESSAGE];
    vsnprintf(text, sizeof text, format, args);
    program_print(name, "note", text);
}

void program_warn_args(const char *name, struct report *report, const char *format, va_list args)
{
    char text[PROGRAM_MESSAGE];
    vsnprintf(text, sizeof text, format, args);
    program_warned = true;
    if (report)
        report_warning(report, text);
    program_print(name, "warning", text);
}

void program_note(const char *name, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    program_note_args(name, format, args);
    va_end(args);
}

void program_warn(const char *name, struct report *report, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    program_warn_args(name, report, format, args);
    va_end(args);
}

void program_warn_cut(const char *name, struct report *report, bool cut, const char *data)
{
    if (cut)
        program_warn(name, report, STREAM_CUT_TEXT, input_name(data));
}

static void program_warn_text(void *context, const char *text)
{
    struct program_voice *voice = context;
    program_warn(voice->name, &voice->report, "%s", text);
}

static void program_note_text(void *context, const char *text)
{
    const struct program_voice *voice = context;
    if (!voice->quiet)
        program_note(voice->name, "%s", text);
}

struct findings program_findings(struct program_voice *voice)
{
    return (struct findings){.out = voice->quiet ? NULL : stderr,
                             .report = &voice->report,
                             .warn = program_warn_text,
                             .note = program_note_text,
                             .context = voice};
}

void program_tell_skipped(const char *name, const struct error *why)
{
    struct error skipped = *why;
    const size_t used = strlen(skipped.message);
    snprintf(skipped.message + used, sizeof skipped.message - used, " (line skipped)");
    error_print(stderr, name, &skipped);
}

void program_line_buffer(void)
{
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
}

/* All lines must have been written.  Where an earlier one was not, errno has changed since: one
 * more newline finds the reason.  0 or -1. */
static int program_flush(struct error *err)
{
    if (!ferror(stdout))
        return fflush(stdout) == 0 ? 0 : error_system(err, "<stdout>");
    clearerr(stdout);
    if (putchar('\n') == EOF || fflush(stdout) != 0)
        return error_system(err, "<stdout>");
    return error_at(err, "<stdout>", 0, 0, "a line could not be written");
}

int program_end(const struct program *program, int failed, const struct error *err)
{
    struct error why = {0};
    if (failed && err->usage)
        return options_refuse(program, "%s", err->message);
    if (failed)
        why = *err;
    else
        failed = program_flush(&why);
    const enum reduce_ending ending = reduce_end(failed, &why);
    if (ending != REDUCE_GOOD)
        error_print(stderr, program->name, &why);
    if (ending == REDUCE_ALONE)
        reduce_abort();
    if (ending == REDUCE_FAILED)
        return 1;
    return program_strict && program_warned ? EXIT_WARNED : 0;
}

int program_check_ranks(const struct program *program, const char *data, const char *const *alone,
                        struct error *err)
{
    struct stat st;
    if (reduce_ranks() == 1)
        return 0;
    for (; *alone; alone++)
        if (options_find(program, *alone)->given)
            return error_usage(err, "--%s works on one rank: run it without mpirun, or with -n 1",
                               *alone);
    if (reduce_has_shards())
        return 0;
    if (strcmp(data, "-") == 0 || (stat(data, &st) == 0 && !S_ISREG(st.st_mode)))
        return error_usage(err,
                           "%s cannot be shared: several ranks read parts of a regular file, or "
                           "each a file of its own, whose name has %%r for the rank's number",
                           input_name(data));
    return 0;
}

int program_name_model(const struct program *program, const char **word, char buffer[PROGRAM_NAME])
{
    if (word[1])
        return OPTIONS_GO;
    const char *slash = strrchr(word[0], '/');
    if (snprintf(buffer, PROGRAM_NAME, "%s.model", slash ? slash + 1 : word[0]) >= PROGRAM_NAME)
        return options_refuse(program, "the file name is too long; name the model file");
    word[1] = buffer;
    word[2] = NULL;
    return options_check_files(program, word);
}
