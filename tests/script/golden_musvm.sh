# The golden cases of MU-SVM through the command line: projections, and the labels of test samples.
cases=$top/tests/golden/musvm
for case in "$cases"/*.case; do
    name=$(basename "$case" .case)
    options=$(awk '
        $1 == "kernel" { print "-t", $2; if ($2 == "rbf") print "-g", $3 }
        $1 == "option" && $2 == "C" { print "-c", $3 }
        $1 == "option" && $2 == "C_star" && universum { print "-y", $3 }
        $1 == "option" && $2 == "delta" { print "-p", $3 }
        $1 == "universum" { universum = 1 }' "$case")
    train=$cases/$(sed -n 's/^train //p' "$case")
    universum=$(sed -n "s|^universum |$cases/|p" "$case")
    # $options is a list of words
    if musvm-train -q -e 1e-9 $options ${universum:+-u "$universum"} "$train" model 2> err \
            && musvm-predict -q --hop hop ${universum:+--universum "$universum"} "$train" model labels \
                > report 2> err \
            && musvm-predict -q "$cases/$(sed -n 's/^test //p' "$case")" model labels > report 2> err && awk '
        function near(what, got, want) {
            if (!(got - want <= 2e-7 && want - got <= 2e-7)) { print what ": " got ", golden " want; bad = 1 }
        }
        FNR == 1 { file++ }
        file == 1 && $1 == "classes" { K = $2 }
        file == 1 && $1 == "samples" { n = $2; m = $3; tests = $4 }
        file == 1 && $1 == "predicted" { for (i = 2; i <= NF; i++) label[i - 1] = $i }
        file == 1 && $1 == "hop_train" { for (i = 2; i <= NF; i++) own[i - 1] = $i }
        file == 1 && $1 == "hop_universum" { for (k = 2; k <= NF; k++) every[++e] = $k }
        file == 2 && $1 == "train" { near("projection of " ++i_train, $3, own[i_train]) }
        file == 2 && $1 == "universum" {
            near("projection of universum " ++i_universum, $3, every[i_universum])
            order += $2 != (i_universum - 1) % K + 1
        }
        file == 3 { right += $1 == label[FNR] }
        END {
            if (order || i_train != n || i_universum != m * K || right != tests || n == 0) {
                print i_train, i_universum " projections, " order " out of order, " right " labels the same"
                bad = 1
            }
            exit bad
        }' "$case" hop labels > differences; then
        echo "ok $name"
    else
        echo "FAIL $name: $(cat err) $(head -n 3 differences)"
    fi
done
