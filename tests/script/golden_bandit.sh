# The golden logs through the command line, by every learner: the last weights after one pass.
cases=$top/tests/golden/bandit
for case in "$cases"/log_*.case; do
    name=$(basename "$case" .case)
    log=$cases/$(sed -n 's/^log //p' "$case")
    options=$(awk '$1 == "learner" { print "-s", $2 }
        $1 == "option" && $2 == "rho0" { rho0 = $3 }
        $1 == "option" && $2 == "rho1" { print "-r", rho0 "," $3 }
        $1 == "option" && $2 == "prior" { print "-a", $3 }
        $1 == "option" && $2 == "full" && $3 == 1 { print "--soba-full" }' "$case")
    rm -f model
    : > differences
    # $options is a list of words
    if rcnbf-train -q --log -l 0 -w last $options "$log" model > out 2> err && awk '
        FNR == 1 { file++ }
        file == 1 && $1 == "classes" { K = $2 }
        file == 1 && $1 == "w" {
            k++; d = NF - 1
            for (j = 1; j <= d; j++) {
                w[j, k] = $(j + 1)
                size = w[j, k] < 0 ? -w[j, k] : w[j, k]
                if (size > largest) largest = size
            }
        }
        file == 2 && $1 == "label" { for (c = 1; c <= K; c++) if ($(c + 1) != c) { print $0; bad = 1 } }
        file == 2 { row = block == "w" && $1 !~ /^[a-z]/ ? row + 1 : 0; if ($1 ~ /^[a-z]/) block = $1 }
        file == 2 && row > 0 {
            rows = row
            if (NF != K) { print "w row " row ": " NF " columns"; bad = 1 }
            for (c = 1; c <= NF; c++) {
                difference = $c > w[row, c] ? $c - w[row, c] : w[row, c] - $c
                if (!(difference <= 1e-10 * largest)) {
                    print "w row " row " " c ": " $c ", golden " w[row, c]
                    bad = 1
                }
            }
        }
        END {
            if (k != K || rows != d || d == 0 || largest == 0) { print rows + 0 " rows"; bad = 1 }
            exit bad
        }' "$case" model > differences; then
        echo "ok $name"
    else
        echo "FAIL $name: $(head -n 1 err) $(head -n 3 differences)"
    fi
done
