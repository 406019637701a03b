# CSV to LIBSVM text, by any POSIX awk.  libsvm2csv.awk is the way back.
#
#   awk -v names=NAMES -v features=FEATURES -f csv2libsvm.awk train.csv > train
#   awk -v names=NAMES -v features=FEATURES -v known=1 -f csv2libsvm.awk test.csv > test
#
# label=COLUMN    name or number of the label's column (default: the last one that is not dropped)
# names=FILE      labels are words, numbered in the order in which they come: lines `number name`
# features=FILE   what the features are: lines `number TAB column`, or `number TAB column TAB word`
# known=1         read these files instead of writing them: other words are left out, other labels are `?`
# categories=A,B  columns whose numbers are words, too
# drop=A,B        columns that are left out: row numbers, names
# header=0        no header: columns are c1, c2, ...; 1: a header, be it of numbers
# sep=C           the separator (default: a comma)
#
# A number is the value of its column's feature.  A word is a feature of its own, with the value 1 where it
# stands, and so is "missing": an empty cell, NA, NaN or ?.  Quotes are those of RFC 4180, within one line.
# A label 1.0 is 1, as tables have it where another label was missing.

function fail(why) {
    print (NR ? (FILENAME ~ /^-?$/ ? "<stdin>" : FILENAME) ":" FNR ": " : "") why | "cat 1>&2"
    failed = 1
    exit 1
}

# Cut a line into c[1 .. n]; blanks around a cell do not count, and quotes keep separators in it.
function cut(line, c,   part, parts, i, n) {
    parts = split(line, part, sep)
    for (i = 1; i <= parts; i++) {
        c[++n] = part[i]
        while (c[n] ~ /^ *"/ && (open = gsub(/"/, "&", c[n]) % 2) && i < parts) c[n] = c[n] sep part[++i]
        gsub(/^ +| +$/, "", c[n])
        if (c[n] ~ /\t/) fail("a tab in a cell; where tabs separate: -v sep='\\t'")
        if (c[n] !~ /^"/) continue
        if (open) fail("a quote is not closed in its line")
        if (c[n] !~ /^"([^"]|"")*"$/) fail("text after a closing quote")
        c[n] = substr(c[n], 2, length(c[n]) - 2)
        gsub(/""/, "\"", c[n])
    }
    return n
}

# The number of a word of column j in a table: a new one, also written to the file, or with known=1 perhaps
# none, "?".
function number(word, table, file, between, j) {
    if (!(word in table) && !known) {
        table[word] = ++count[file]
        distinct[j]++
        if (file != "") print table[word] between word > file
    }
    if (!(word in table)) strange[j]++
    return (word in table) ? table[word] : "?"
}
function read(file, table,   line, at, status) {
    while ((status = (getline line < file)) > 0) {
        at = match(line, /[ \t]/)
        table[substr(line, at + 1)] = substr(line, 1, at - 1)
    }
    if (status < 0) fail(file " cannot be read")
}

function is_number(cell) { return cell ~ /^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?$/ }

BEGIN {
    if (sep == "") sep = ","
    if (known && features == "") fail("known=1 needs features=FILE")
    if (known) read(features, feature)
    if (known && names != "") read(names, name)
    for (word in feature) if (feature[word] == 0 && label == "") label = word
    for (j = split(categories, list, ","); j > 0; j--) is_word[list[j]]
    for (j = split(drop, list, ","); j > 0; j--) is_dropped[list[j]]
}

{ if (NR == 1) sub(/^\357\273\277/, ""); sub(/\r$/, "") } # a byte order mark; a line end of Windows
$0 == "" { next }

!columns {
    columns = cut($0, column)
    if (columns == 1 && (label == "" || /[;|]/)) fail("one column only; -v sep=';' names the separator")
    for (j = 1; j <= columns; j++) {
        numbers += is_number(column[j])
        if (header == "0") column[j] = "c" j
        if (column[j] in stands) fail("two columns " column[j])
        stands[column[j]]
        if (column[j] == label || (label == "" && !(column[j] in is_dropped))) at_label = j
    }
    if (header == "" && numbers == columns) fail("a line of numbers is no header: -v header=0, else header=1")
    if (!at_label && label ~ /^[0-9]+$/ && label + 0 <= columns) at_label = label + 0
    if (!at_label && !known) fail("no column " label)
    if (at_label && label == "" && column[at_label] == "")
        fail("the last column has no name: -v label=NAME, or take away the separator at the end of the lines")
    for (word in feature) {
        sub(/\t.*/, "", word)
        if (word != label && !(word in stands)) absent[word]
    }
    if (!known) {
        for (word in is_word) if (!(word in stands)) fail("no column " word)
        for (word in is_dropped) if (!(word in stands)) fail("no column " word)
    }
    if (header != "0") next
}

{
    rows++
    if (cut($0, cell) != columns) fail("not as many cells as columns: " columns)
    size = 0
    for (j = 1; j <= columns; j++) {
        if (cell[j] ~ /^(NA|NaN|nan|[?])$/) cell[j] = ""
        if (column[j] in is_dropped) continue
        if (j == at_label) {
            if (!known && features != "" && !written++) print 0 "\t" column[j] > features
            continue
        }
        one = !is_number(cell[j]) || column[j] in is_word
        if (!one) numeric[j]++
        else if (cell[j] != "" && !(column[j] in is_word) && !words[j]++) like[j] = cell[j]
        if (!(column[j] in is_word) && cell[j] ~ /^[-+]?[0-9]+,[0-9]+$/) commas[column[j]]
        k = number(one ? column[j] "\t" cell[j] : column[j], feature, features, "\t", j)
        if (!one && (cell[j] + 0 > 1.7e308 || cell[j] + 0 < -1.7e308)) fail("a number too large: " cell[j])
        if (k == "?" || (!one && cell[j] + 0 == 0)) continue
        sub(/^[+]/, "", cell[j])
        for (i = ++size; i > 1 && at[i - 1] > k + 0; i--) { at[i] = at[i - 1]; value[i] = value[i - 1] }
        at[i] = k + 0 # in ascending order
        value[i] = one ? 1 : cell[j]
    }
    class = at_label ? cell[at_label] : ""
    if (names == "" && class ~ /^[-+]?[0-9]+[.]0*$/) sub(/[.].*/, "", class)
    if (class != "" && names != "") class = number(class, name, names, " ", at_label)
    else if (class ~ /^[-+]?[0-9.]+$/ && class !~ /^[-+]?[0-9]+$/)
        fail("label " class ": not a whole number (-v names=FILE numbers labels, -v label=NAME names their column)")
    else if (class !~ /^([-+]?[0-9]+)?$/) fail("label " class ": words need -v names=FILE")
    printf "%s", (class == "" ? "?" : class)
    for (i = 1; i <= size; i++) printf " %d:%s", at[i], value[i]
    print ""
}

END {
    if (failed) exit 1
    if (!rows) fail("no line of data")
    for (word in absent) print "no column " word ": its features are 0" | "cat 1>&2"
    for (j = 1; j <= columns; j++) {
        if (strange[j])
            print "column " column[j] ": cells that the known files do not have: " strange[j] | "cat 1>&2"
        if (column[j] in commas)
            print "column " column[j] ": numbers with a decimal comma are taken for words" | "cat 1>&2"
        else if (numeric[j] && words[j])
            print "column " column[j] ": a word among numbers, such as \"" like[j] \
                "\", is a feature of its own: " words[j] | "cat 1>&2"
        # In ten rows and more, one that half of the rows do not share is a text, a name or a row number.
        else if (rows >= 10 && 2 * distinct[j] > rows && j != at_label)
            print "column " column[j] ": " distinct[j] " words in " rows " rows are as many features, of which" \
                " little can be learnt (of texts, doc/faq.md makes features; -v drop=" column[j] " leaves it out)" \
                | "cat 1>&2"
    }
}
