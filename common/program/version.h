/* The version, in the one place where it stands: the Makefile reads it from here. */
#ifndef COMMON_PROGRAM_VERSION_H
#define COMMON_PROGRAM_VERSION_H

#define LIBDOUBT_VERSION "0.1.0"

#endif
