# LIBSVM text to CSV: the way back from csv2libsvm.awk, by any POSIX awk.
#
#   awk -v names=NAMES -v features=FEATURES -f libsvm2csv.awk train > train.csv
#   awk -v columns=64 -f libsvm2csv.awk data > data.csv
#
# names=FILE, features=FILE   as csv2libsvm.awk wrote them
# columns=N                   without features: columns 1 .. N, label last
# header=0, sep=C             no header; the separator (default: a comma)

function fail(why) {
    print (NR ? (FILENAME ~ /^-?$/ ? "<stdin>" : FILENAME) ":" FNR ": " : "") why | "cat 1>&2"
    failed = 1
    exit 1
}

# A cell, with quotes where it needs them.
function quoted(text) {
    if (!index(text, sep) && text !~ /["\r]|^ | $/) return text
    gsub(/"/, "\"\"", text)
    return "\"" text "\""
}

function put(j, text) { printf "%s%s", quoted(text), (j < n ? sep : "\n") }

# A feature: of a column, or of a word in it.
function define(k, what,   at, name) {
    at = index(what, "\t")
    name = at ? substr(what, 1, at - 1) : what
    if (!(name in position)) { column[++n] = name; position[name] = n }
    of[k] = position[name]
    if (at) word[k] = substr(what, at + 1)
    else empty[of[k]] = "0" # no entry: the value is 0
}

BEGIN {
    if (sep == "") sep = ","
    if (header == "") header = 1
    if (features != "") {
        while ((status = (getline line < features)) > 0)
            define(substr(line, 1, index(line, "\t") - 1) + 0, substr(line, index(line, "\t") + 1))
    } else if (columns > 0) {
        for (j = 1; j <= columns; j++) define(j, j "")
        define(0, "label")
    }
    if (status < 0) fail(features " cannot be read")
    if (!n) fail("-v features=FILE or -v columns=N is needed")
    while (names != "" && (status = (getline line < names)) > 0)
        called[substr(line, 1, match(line, / /) - 1)] = substr(line, match(line, / /) + 1)
    if (status < 0) fail(names " cannot be read")
    for (j = 1; j <= n && header; j++) put(j, column[j])
}

{ sub(/\r$/, ""); sub(/(^|[ \t])#.*/, "") }
NF == 0 { next }
{
    for (j = 1; j <= n; j++) cell[j] = empty[j]
    for (i = 2; i <= NF; i++) {
        at = index($i, ":")
        k = substr($i, 1, at - 1) + 0
        if (!(k in of) || !k) fail("no column has feature " k)
        cell[of[k]] = (k in word) ? word[k] : substr($i, at + 1)
    }
    if ($1 != "?" && names != "" && !($1 in called)) fail("label " $1 " has no name")
    cell[of[0]] = names != "" ? called[$1] : $1
    if ($1 == "?") cell[of[0]] = ""
    for (j = 1; j <= n; j++) put(j, cell[j])
}

END { if (failed) exit 1 }
