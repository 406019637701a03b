# musvm-train, the binary machines and -C: same bytes whatever the threads and the room for kernel rows;
# LIBLINEAR's models where they do the same; the tables of -C against runs of their own.
# Four digits that are often taken for one another, and others.
. "$top/tests/checks.sh"
awk '($1 == 1 || $1 == 3 || $1 == 8 || $1 == 9) && ++n <= 60' "$top/data/digits.train" > few
awk '($1 == 0 || $1 == 2 || $1 == 5) && ++n <= 40 { $1 = "?"; print }' "$top/data/digits.train" > others

# ---- same bytes ----

for options in '-s svm-ova' '-s svm-ovo' '-s svm-ovo -t linear -c 0.01 -l 1' '-s u-svm-ova -u others' \
    '-s u-svm-ovo -u others -p 0.05' '-s u-svm-ova -t linear -c 0.01 -u others -B 1' \
    '-s s3vm-ova -u others' '-s s3vm-ova -t linear -c 0.01 -u others -w 1:2'; do
    # $options is a list of words
    musvm-train -q -g 0.002 -T 1 $options few one 2> err || echo "FAIL $options: $(cat err)"
    for more in '-T 3 -M 0' '-T 2' '-T 16'; do
        musvm-train -q -g 0.002 $options $more few other
        same "$options $more" one other
        wants_long || break
    done
    musvm-train -q -v 5 -g 0.002 $options -T 1 few > folds
    musvm-train -q -v 5 -g 0.002 $options -T 4 -M 0 few > folds4
    same "$options folds" folds folds4
    musvm-predict -q few one labels > report
    awk '{ exit !($3 + 0 > 90) }' report
    verdict "$options learns" $? "$(cat report)"
done
for options in '-C cv -s m-svm' '-C cv -u others' '-C cv -s u-svm-ova -u others -v 3' \
    '-C cv -s u-svm-ovo -u others -v 3' '-C cv -s s3vm-ova -u others -v 3' '-C cv -t linear -u others -v 3' \
    '-C span -u others' '-C loo-local -u others' '-C span -t linear -l 1 -u others'; do
    grids='--grid-c 0.01,0.1,1 --grid-p 0,0.1'
    case $options in *linear*) ;; *) grids="$grids --grid-g 0.0005,0.002" ;; esac
    musvm-train -q -T 1 $grids $options -j table few one 2> err || echo "FAIL $options: $(cat err)"
    for more in '-T 3 -M 0' '-T 2' '-T 16'; do
        musvm-train -q $grids $options $more -j table2 few other
        same "$options $more" one other
        same "$options $more, table" table table2
        wants_long || break
    done
done

# ---- -C: its counts are those of runs of their own, its model is that of the values that it names ----

# The table without its head, tab separated: step C gamma Delta wrong of ...
rows() {
    sed 1d "$1" | awk -v step="$2" '$1 == step { print $2, $3, $4, $5 }'
}
wrong_of() { # of 100 - accuracy
    awk -v n="$(grep -c . few)" '/Cross/ { printf "%.0f\n", n * (1 - $5 / 100) }'
}
chosen() { # options of the values that a table has chosen
    awk -F '\t' '$8 == "*" { c = $2; g = $3; if ($1 == 2) p = $4 }
        END { print "-c", c, g == "-" ? "" : "-g " g, "-p", p + 0 }' "$1"
}
grids='--grid-c 0.01,0.1,1,10 --grid-g 0.0005,0.004 --grid-p 0,0.1,0.5'
for type in mu-svm u-svm-ova u-svm-ovo; do
    case $type in mu-svm) without=m-svm ;; *) without=${type#u-} ;; esac
    musvm-train -q -s $type -e 1e-6 -C cv -v 5 -u others $grids -j table few model > chosen
    rows table 1 | while read -r C gamma delta wrong; do
        alone=$(musvm-train -q -s $without -e 1e-6 -v 5 -c "$C" -g "$gamma" few | wrong_of)
        [ "$wrong" = "$alone" ] || echo "FAIL -C cv, $type: C $C, gamma $gamma: $wrong wrong, alone $alone"
    done
    rows table 2 | while read -r C gamma delta wrong; do
        alone=$(musvm-train -q -s $type -u others -e 1e-6 -v 5 -c "$C" -g "$gamma" -p "$delta" few | wrong_of)
        [ "$wrong" = "$alone" ] || echo "FAIL -C cv, $type: Delta $delta: $wrong wrong, alone $alone"
    done
    check "-C cv, $type: lines of its table" "$(grep -c . table)" 12
    musvm-train -q -s $type -u others -e 1e-6 $(chosen table) few again
    same "-C cv, $type: its model" model again
done
musvm-train -q -s s3vm-ova -e 1e-6 -C cv -t linear -v 3 -u others --grid-c 0.001,0.01,0.1 -j table \
    few model > chosen
musvm-train -q -s s3vm-ova -e 1e-6 -t linear -u others $(chosen table) few again
same '-C cv, s3vm-ova: its model' model again
bounded() { sed "s|.*$name (\\([0-9]*\\)/.*|\\1|" bound; } # what the bound of that name counts as wrong
for how in span loo-local; do
    case $how in span) name='theorem 4' ;; *) name=element-wise ;; esac
    musvm-train -q -e 1e-6 -C $how -u others $grids -j table few model > chosen
    rows table 1 | while read -r C gamma delta wrong; do
        musvm-train -q -s m-svm -e 1e-6 -b -c "$C" -g "$gamma" few none > bound
        [ "$wrong" = "$(bounded)" ] || echo "FAIL -C $how: C $C, gamma $gamma: $wrong wrong: $(cat bound)"
    done
    rows table 2 | while read -r C gamma delta wrong; do
        musvm-train -q -e 1e-6 -b -c "$C" -g "$gamma" -p "$delta" -u others few none > bound
        [ "$wrong" = "$(bounded)" ] || echo "FAIL -C $how: Delta $delta: $wrong wrong: $(cat bound)"
    done
    check "-C $how: lines of its table" "$(grep -c . table)" 12
    musvm-train -q -u others -e 1e-6 $(chosen table) few again
    same "-C $how: its model" model again
done
musvm-train -q -C cv -v 3 --grid-c 0.1,1 -g 0.002 few model > chosen
musvm-train -q -C cv -v 3 --grid-c 0.1,1 -g 0.002 - piped < few > chosen
same '-C, pipe' model piped

if ! command -v liblinear-train > liblinear; then
    echo 'skip liblinear-train is not installed (Debian: liblinear-tools)'
    exit
fi

# ---- LIBLINEAR: the dual of the hinge loss, -s 3, is a machine of one class against the rest ----

weights() {
    awk '$1 == "libdoubt" { exit } w { print } $1 == "w" { w = 1 }' "$1" > "$2"
}
for set in iris digits; do
    case $set in iris) C=0.001 ;; *) C=0.00001 ;; esac # where LIBLINEAR comes to its end
    musvm-train -q -s svm-ova -t linear -c $C -e 1e-8 "$top/data/$set.train" ours
    liblinear-train -q -s 3 -c $C -e 1e-8 "$top/data/$set.train" theirs > out
    weights ours ours.w
    weights theirs theirs.w
    # The classes' order may be another: columns are matched by label.
    { grep ^label ours; grep ^label theirs; paste -d ' ' ours.w theirs.w; } | awk '
        NR == 1 { K = NF - 1; for (k = 1; k <= K; k++) l[k] = $(k + 1); next }
        NR == 2 { for (k = 1; k <= K; k++) at[$(k + 1)] = k; next }
        { for (k = 1; k <= K; k++) { if (($k - $(K + at[l[k]])) ^ 2 > 1e-10) bad = 1; n++ } }
        END { exit bad || n < 12 }'
    verdict "$set svm-ova: the weights of liblinear-train -s 3" $? 'they differ'
    musvm-predict -q "$top/data/$set.test" ours labels > report
    liblinear-predict "$top/data/$set.test" ours labels2 > out
    same "$set svm-ova: liblinear-predict" labels labels2
done

# One against one: votes over LIBLINEAR's models of each pair.
for set in iris digits; do
    case $set in iris) C=0.1 ;; *) C=0.001 ;; esac
    musvm-train -q -s svm-ovo -t linear -c $C -e 1e-8 "$top/data/$set.train" ours
    musvm-predict -q "$top/data/$set.test" ours labels > report
    last=$(awk '$1 > last { last = $1 } END { print last }' "$top/data/$set.train")
    first=$(awk 'NR == 1 || $1 < first { first = $1 } END { print first }' "$top/data/$set.train")
    : > ballots
    a=$first
    while [ "$a" -lt "$last" ]; do
        b=$((a + 1))
        while [ "$b" -le "$last" ]; do
            awk -v a="$a" -v b="$b" '$1 == a || $1 == b' "$top/data/$set.train" > pair
            liblinear-train -q -s 3 -c $C -e 1e-8 pair theirs > out
            liblinear-predict "$top/data/$set.test" theirs theirs.labels > out
            cat theirs.labels >> ballots
            b=$((b + 1))
        done
        a=$((a + 1))
    done
    awk -v n="$(grep -c . "$top/data/$set.test")" -v first="$first" -v last="$last" '
        { votes[(NR - 1) % n, $1]++ }
        END {
            for (i = 0; i < n; i++) {
                best = first
                for (k = first; k <= last; k++) if (votes[i, k] > votes[i, best]) best = k
                print best
            }
        }' ballots > labels2
    same "$set svm-ovo: votes of liblinear-train -s 3" labels labels2
    awk '{ exit !($3 + 0 > 80) }' report
    verdict "$set svm-ovo learns" $? "$(cat report)"
done
