# Every golden case of UMA through the command line: the trace, the weights, the predictions, the shares, the
# reason to stop.
cases=$top/tests/golden/uma
for case in "$cases"/*.case; do
    name=$(basename "$case" .case)
    data=$cases/$(sed -n 's/^data //p' "$case")
    options=$(awk '$1 == "option" {
        if ($2 == "strategy") print "-s", $3
        if ($2 == "step") print "-u", $3
        if ($2 == "check") print "--check", $3
        if ($2 == "alpha") print "-a", $3
        if ($2 == "alpha_relative" && $3 == 1) print "--alpha-relative"
        if ($2 == "iterations") print "-i", $3
        if ($2 == "sigmas") print "-e", $3
        if ($2 == "seed") print "-S", $3 }' "$case")
    # $options is a list of words
    matrix=$cases/$(sed -n 's/^confusion //p' "$case")
    if uma-train -q -l 0 -w last $options -c "$matrix" --trace trace "$data" model 2> err \
            && uma-predict -q "$data" model labels > report && awk '
        function near(what, got, want) {
            difference = got > want ? got - want : want - got
            if (!(difference <= 1e-10 * (1 + (want < 0 ? -want : want)))) {
                print what ": " got ", golden " want
                bad = 1
            }
        }
        FNR == 1 { file++ }
        file == 1 && $1 == "update" { updates++; p[updates] = $2; q[updates] = $3; norm[updates] = $4 }
        file == 1 && $1 == "w" { k++; for (j = 1; j < NF; j++) w[j, k] = $(j + 1); d = NF - 1 }
        file == 1 && $1 == "predicted" { for (i = 2; i <= NF; i++) label[i - 1] = $i; n = NF - 1 }
        file == 1 && $1 == "proportion" { for (i = 2; i <= NF; i++) share[i - 1] = $i }
        file == 1 && $1 ~ /^(stop|error)$/ { golden[$1] = $2 }
        file == 2 {
            if ($1 != p[FNR] || $2 != q[FNR]) { print "update " FNR ": " $1, $2; bad = 1 }
            near("norm " FNR, $3, norm[FNR])
            last = FNR
        }
        file == 3 { row = block != "" && $1 !~ /^[a-z]/ ? row + 1 : 0; if (NF == 1) block = $1 }
        file == 3 && block == "w" && row > 0 {
            for (c = 1; c <= NF; c++) near("w " row " " c, $c, w[row, c])
            rows = row
        }
        file == 3 && block == "proportion" && row > 0 {
            for (c = 1; c <= NF; c++) near("share " c, $c, share[c])
        }
        file == 3 && $1 == "stop" && $2 != golden["stop"] { print "stop " $2; bad = 1 }
        file == 3 && $1 == "estimated_error" { near("error", $2, golden["error"]) }
        file == 3 && $1 == "iterations" && $2 != updates { print $2 " iterations"; bad = 1 }
        file == 4 { same += $1 == label[FNR] }
        END {
            if (last != updates || rows != d || same != n || d == 0) {
                print last " updates, " rows " rows, " same " labels the same"
                bad = 1
            }
            exit bad
        }' "$case" trace model labels > differences; then
        echo "ok $name"
    else
        echo "FAIL $name: $(cat err) $(head -n 3 differences)"
    fi
done
