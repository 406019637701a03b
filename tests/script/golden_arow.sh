# Every golden case of the AROW family, through the command line, after one and after two passes, for both
# sets of labels.
cases=$top/tests/golden/arow
for case in "$cases"/*-*.txt; do
    name=$(basename "$case" .txt)
    options=$(awk '$1 == "option" {
        if ($2 == "algo") print "-s", $3 == "arow-h" ? "arow-hinge" : $3
        if ($2 == "cov") print "-f", $3 == "block" ? "full" : $3
        if ($2 == "k") print "-k", $3 == "all" ? 0 : $3
        if ($2 == "r") print "-r", $3
        if ($2 == "C") print "-c", $3
        if ($2 == "phi") print "-p", $3
        if ($2 == "a") print "-a", $3
        if ($2 == "eta") print "--eta", $3
        if ($2 == "lam") print "--lambda", $3
        if ($2 == "delta") print "--delta", $3 }' "$case")
    data=$(sed -n 's/^file //p' "$case")
    [ "$data" = multi.libsvm ] && data="multi.libsvm multi_odd_labels.libsvm"
    for file in $data; do
        for weights in mu $(grep -q mu_avg "$case" && echo mu_avg); do
            for epoch in 1 2; do
                average=
                [ "$weights" = mu_avg ] && average=-A
                # $options is a list of words
                if arow-train -q --no-shuffle -i $epoch $options $average "$cases/$file" model \
                    && awk -v epoch=$epoch -v weights=$weights -f "$top/tests/golden_arow.awk" "$case" model \
                        > differences; then
                    echo "ok $name $file $weights $epoch"
                else
                    echo "FAIL $name $file $weights epoch $epoch: $(head -n 3 differences)"
                fi
            done
        done
    done
done
