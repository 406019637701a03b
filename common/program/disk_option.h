/* --disk and --sample: data that do not fit in memory (common/data/disk.h). */
#ifndef COMMON_PROGRAM_DISK_OPTION_H
#define COMMON_PROGRAM_DISK_OPTION_H

#include "common/program/option_rows.h"

/* clang-format off */
#define OPTION_DISK(variable, otherwise) \
    {ROW_TEXT(0, "disk", variable, "folder"), \
     .help = "keep the entries of the data in a temporary file in this folder, and read them again " \
             "in every pass (default: only where they do not fit in memory; in $TMPDIR, else in " \
             otherwise ")"}
#define OPTION_SAMPLE(variable) \
    {ROW_INT(0, "sample", variable, "n", 3, OPTION_LARGEST_INT), \
     .help = "estimate from n of the examples, drawn at random by -S (default: from all in memory; " \
             "from 50000 where they are on disk, or as many of these as fit)"}
/* clang-format on */

#endif
