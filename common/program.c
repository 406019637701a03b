#include "program.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>

void program_start(void)
{
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
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
