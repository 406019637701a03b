# Scale each feature of LIBSVM text to [-1, 1] (0 stays 0) by its largest absolute value in a first file.
#
#   awk -f scale.awk train train > train.scaled
#   awk -f scale.awk train test > test.scaled       the same factors

function absolute(x) { return x < 0 ? -x : x }

function fail(why) {
    print "scale.awk: " why | "cat 1>&2"
    failed = 1
    exit 1
}

# A table of other form (CSV) is one word a line, and would pass through as a label.
function check_line(    i) {
    if ($1 !~ /^([-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?|\?)$/)
        fail(FILENAME ":" FNR ": the label is not a number: \"" $1 "\"")
    for (i = 2; i <= NF; i++)
        if ($i !~ /^[0-9]+:[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?$/)
            fail(FILENAME ":" FNR ": expected index:value: \"" $i "\"")
}

BEGIN { if (ARGC != 3) fail("two files: that of the factors, and the one to scale") }
# Of an empty file awk sees no line: the other one would count as the first.
FNR == 1 && ++file == 2 && !lines { fail("no line of data in " ARGV[1]) }
FNR == 1 { sub(/^\357\273\277/, "") } # a byte order mark
{ sub(/\r$/, ""); sub(/(^|[ \t])#.*/, "") }
NF == 0 { next }
{ check_line() }
file == 1 {
    lines++
    for (i = 2; i <= NF; i++) {
        split($i, entry, ":")
        if (absolute(entry[2]) > most[entry[1]]) most[entry[1]] = absolute(entry[2])
    }
    next
}
{
    printf "%s", $1
    for (i = 2; i <= NF; i++) {
        split($i, entry, ":")
        if (most[entry[1]] > 0) printf " %s:%.6g", entry[1], entry[2] / most[entry[1]]
    }
    print ""
}

END { if (!failed && file < 2) fail("no line in one of " ARGV[1] " and " ARGV[2]) }
