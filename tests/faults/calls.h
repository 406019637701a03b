/* Calls that are counted, on any thread; for the one file of a program that makes them fail. */
#ifndef TESTS_FAULTS_CALLS_H
#define TESTS_FAULTS_CALLS_H

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static _Atomic long calls_made;
static const char *calls_path; /* of the file for their number */

static void calls_report(void)
{
    FILE *file = fopen(calls_path, "w");
    if (file) {
        fprintf(file, "%ld\n", calls_made);
        fclose(file);
    }
}

/* Count a call; its number, from 1.  The file that the environment's `variable` names, if it is
 * set, is given the number of all calls when the program ends. */
static long calls_count(const char *variable)
{
    const long call = atomic_fetch_add(&calls_made, 1) + 1;
    if (call == 1) {
        calls_path = getenv(variable);
        if (calls_path)
            atexit(calls_report);
    }
    return call;
}

/* The number in a variable of the environment; 0: it is not set. */
static long calls_number(const char *variable)
{
    const char *text = getenv(variable);
    return text ? atol(text) : 0;
}

#endif
