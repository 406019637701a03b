# CSV to LIBSVM text, by any POSIX awk.  libsvm2csv.awk is the way back.
#
#   awk -v names=NAMES -v features=FEATURES -f csv2libsvm.awk train.csv > train
#   awk -v names=NAMES -v features=FEATURES -v known=1 -f csv2libsvm.awk test.csv > test
#
# label=COLUMN    name or number of the label's column (default: the last one)
# names=FILE      labels are words, numbered in the order in which they come: lines `number name`
# features=FILE   what the features are: lines `number TAB column`, or `number TAB column TAB word`
# known=1         read these files instead of writing them: other words are left out, other labels are `?`
# categories=A,B  columns whose numbers are words, too          header=0  no header: columns are c1, c2, ...
# sep=C           the separator (default: a comma)
#
# A number is the value of its column's feature.  A word is a feature of its own, with the value 1 where it
# stands, and so is "missing": an empty cell, NA, NaN or ?.  Quotes are those of RFC 4180, within one line.

function fail(why) { print FILENAME ":" FNR ": " why | "cat 1>&2"; failed = 1; exit 1 }

# Cut a line into c[1 .. n]; blanks around a cell without quotes do not count.
function cut(line, c,   n, j, at) {
    if (!index(line, "\"")) {
        n = split(line, c, sep)
        for (j = 1; j <= n; j++) { sub(/^ +/, "", c[j]); sub(/ +$/, "", c[j]) }
        return n
    }
    for (n = 1; ; n++) {
        sub(/^ +/, "", line)
        if (line ~ /^"/) {
            if (!match(line, /^"([^"]|"")*"/)) fail("a quote is not closed in its line")
            c[n] = substr(line, 2, RLENGTH - 2)
            gsub(/""/, "\"", c[n])
            line = substr(line, RLENGTH + 1)
            sub(/^ +/, "", line)
            at = line != ""
            if (at && substr(line, 1, 1) != sep) fail("text behind a closing quote")
        } else {
            at = index(line, sep)
            c[n] = at ? substr(line, 1, at - 1) : line
            sub(/ +$/, "", c[n])
        }
        if (c[n] ~ /\t/) fail("a tab in a cell")
        if (!at) return n
        line = substr(line, at + 1)
    }
}

function read(file, into,   line, at, status) {
    while ((status = (getline line < file)) > 0) {
        at = match(line, /[ \t]/)
        into[substr(line, at + 1)] = substr(line, 1, at - 1)
    }
    if (status < 0) fail(file " cannot be read")
}

# The number of a feature, 0 if it is not known; of a label, "?".
function number(key) {
    if (!(key in feature) && !known) {
        feature[key] = ++features_count
        if (features != "") print feature[key] "\t" key > features
    }
    return (key in feature) ? feature[key] : unknown(0)
}
function class(word) {
    if (is_missing(word)) return "?"
    if (names == "") return word ~ /^[-+]?[0-9]+$/ ? word : fail("label " word ": words need -v names=FILE")
    if (!(word in name) && !known) print (name[word] = ++names_count) " " word > names
    return (word in name) ? name[word] : unknown("?")
}
function is_missing(word) { return word == "" || word ~ /^(NA|NaN|nan|[?])$/ }
function unknown(value) { strange++; return value }

BEGIN {
    numeric = "^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?$"
    if (sep == "") sep = ","
    if (header == "") header = 1
    if (known) {
        if (features == "") fail("known=1 needs features=FILE")
        read(features, feature)
        if (names != "") read(names, name)
    }
    for (j = split(categories, list, ","); j > 0; j--) is_word[list[j]]
}

NR == 1 { sub(/^\357\273\277/, "") } # a byte order mark
{ sub(/\r$/, "") }
$0 == "" { next }

!columns {
    columns = cut($0, column)
    for (j = 1; j <= columns && !header; j++) column[j] = "c" j
    for (word in feature) if (feature[word] == 0 && label == "") label = word
    for (j = 1; j <= columns; j++) if (column[j] == label) at_label = j
    if (!at_label && label ~ /^[0-9]+$/ && label + 0 <= columns) at_label = label + 0
    if (!at_label && label == "") at_label = columns
    if (!at_label && !known) fail("no column " label)
    if (header) next
}

{
    if (cut($0, cell) != columns) fail("not as many cells as columns: " columns)
    size = 0
    for (j = 1; j <= columns; j++) {
        if (j == at_label) {
            if (!known && features != "" && !written++) print 0 "\t" column[j] > features
            continue
        }
        if (is_missing(cell[j])) cell[j] = ""
        one = cell[j] !~ numeric || column[j] in is_word
        k = number(one ? column[j] "\t" cell[j] : column[j])
        if (!k || (!one && cell[j] + 0 == 0)) continue
        sub(/^[+]/, "", cell[j])
        for (i = ++size; i > 1 && index_at[i - 1] > k; i--) {
            index_at[i] = index_at[i - 1]
            value_at[i] = value_at[i - 1]
        }
        index_at[i] = k + 0
        value_at[i] = one ? 1 : cell[j]
    }
    printf "%s", at_label ? class(cell[at_label]) : "?"
    for (i = 1; i <= size; i++) printf " %d:%s", index_at[i], value_at[i]
    print ""
}

END {
    if (failed) exit 1
    if (strange) print strange " labels or words are not known" | "cat 1>&2"
}
