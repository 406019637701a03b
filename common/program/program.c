/* Signals: by default a handler removes unfinished outputs and lets the signal end the program.  A
 * live loop, which must save its model first, polls a pipe into which the handler writes (the
 * self-pipe trick), as little else is safe in a handler. */
#include "common/program/program.h"

#include "common/base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const int stops[] = {SIGTERM, SIGINT, SIGHUP};
enum { STOPS = sizeof stops / sizeof *stops };

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

/* SA_RESETHAND has restored the signal's default, so raise ends the program when this returns. */
static void program_stop_now(int signal_number)
{
    output_remove_unfinished();
    raise(signal_number);
}

void program_start(void)
{
    /* The next file opened would get the descriptor of a closed standard stream.  So open
     * /dev/null there, in the wrong mode, so that using the stream fails. */
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            (void)!open("/dev/null", fd == 1 ? O_RDONLY : O_WRONLY);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    (void)program_handle_stops(program_stop_now, (int)SA_RESETHAND);
}

static int stop_pipe[2] = {-1, -1};

static void tell_stop(int signal_number)
{
    int saved = errno;
    (void)signal_number;
    (void)!write(stop_pipe[1], "", 1);
    errno = saved;
}

int program_catch_stops(struct error *err)
{
    if (pipe(stop_pipe) != 0 || fcntl(stop_pipe[1], F_SETFL, O_NONBLOCK) != 0)
        return error_system(err, "a pipe for signals");
    if (program_handle_stops(tell_stop, 0) != 0)
        return error_system(err, "signals");
    return stop_pipe[0];
}

int program_end(const char *name, int failed, const struct error *err)
{
    struct error write_error = {0};
    if (failed)
        error_print(stderr, name, err);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        error_system(&write_error, "<stdout>");
        if (!failed)
            error_print(stderr, name, &write_error);
        return 1;
    }
    return failed ? 1 : 0;
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
