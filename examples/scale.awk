# Scale each feature of LIBSVM text to [-1, 1] (0 stays 0) by its largest absolute value in a first file.
#
#   awk -f scale.awk train train > train.scaled
#   awk -f scale.awk train test > test.scaled       the same factors

function absolute(x) { return x < 0 ? -x : x }

BEGIN {
    if (ARGC != 3) {
        print "scale.awk: two files: that of the factors, and the one to scale" | "cat 1>&2"
        exit 1
    }
}
FNR == 1 { file++ }
{ sub(/\r$/, ""); sub(/(^|[ \t])#.*/, "") }
NF == 0 { next }
file == 1 {
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
