#!/bin/sh
# Make libdoubt.5 (file formats) and libdoubt.7 (which program for what) in a folder: man/pages.sh FOLDER.
# Their text is that of doc/formats.md and README.md.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
version=$(sed -n 's/.*LIBDOUBT_VERSION "\(.*\)"/\1/p' "$top/common/program/version.h")
page() {
    awk -f "$top/man/page.awk" -v section="$1" -v version="$version" -v kind="$2" -v name="$3" \
        -v wanted="$4" -v see="$5" "$top/$6"
}
page 5 'File Formats' 'data, models, confusion matrices, predictions and logs of the LIBDOUBT programs' \
    '' 'libdoubt(7)' doc/formats.md > "$1/libdoubt.5"
page 7 Miscellaneous 'classifiers from labels that may be wrong: which program for which data' \
    '|Which program for my data?|The programs|What to know before you trust it|' \
    'libdoubt(5), forward\-train(1), suspects(1), arow\-train(1), uma\-train(1), rcnbf\-train(1),
musvm\-train(1)' README.md > "$1/libdoubt.7"
