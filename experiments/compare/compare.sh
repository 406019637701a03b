#!/bin/sh
# All learners on the same noisy data: a comparison that none of the papers has.
#
#   usage: experiments/compare/compare.sh DATA_FOLDER
#
# Writes compare.txt (all cells), ranks.txt (mean ranks) and ranks.svg (critical-difference diagram).
# From the environment, beside what lib.sh names: SETS, KINDS, SEEDS, GROUPS_RUN, LINES as below;
# SETS='' makes the tables only, of all that RUNS holds.  In the tree that is also `forward -t auto` and
# the group svm with KINDS=pair:0.45 SETS='optdigits usps letter mnist' SEEDS='1 2 3 4 5'.
#
# A cell is a data set and a kind of noise: class-dependent 30 % and 50 % (another random matrix for
# each seed), uniform 20 % and 40 %, clean.  A seed draws LINES lines of the training set (all of them
# where there are fewer), the changes of labels, and the order of the examples.  Every learner gets the
# same lines, at unit length, without bias; the whole test set is predicted, with its true labels.
# LINES is 5000 for the sake of the kernel machines; experiments/forward has linear learners on the
# whole training sets.
#
# Learners, in groups that are run together.  "by CV": chosen by 3-fold cross-validation on the noisy
# labels of seed 1, in each cell, and used for its other seeds; for the kernel machines and musvm-train
# on 1500 of the lines.
#   forward   forward-train, nothing known: -t linear, -t rbf, -t auto; and with the true matrix:
#             -c C -t linear, -c C -t rbf
#   uma       uma-train -e 0 with the true matrix, and with one counted on the first 5 % of the lines,
#             whose true labels are then known; --ridge 0.1 where that is refused as singular
#   online    arow-train -i 5, last weights and averaged (-A): arow, arow-hinge (r by CV), perceptron,
#             pa1 (C by CV), cw (phi by CV), adagrad-rda (eta by CV)
#   liblinear liblinear-train -s 0 and -s 4, C by CV; and confident learning: 3-fold probabilities of
#             -s 0, for each pair of classes as many examples dropped as the confident joint says, by
#             margin, then -s 0 on the rest
#   features  liblinear-train -s 0 and confident learning, likewise, on 500 Nystrom features of the RBF kernel
#             (kpca-train -n 500), with the gamma and scales that forward-train -t rbf chooses
#   svm       svm-train, RBF kernel, C and gamma by CV; and suspects --clean, then the same svm-train
#   msvm      musvm-train -s m-svm, -t linear (C by CV) and -t rbf (C and gamma by CV)
#
# compare.txt, tab separated: set; noise; learner; accuracy in %, mean and standard deviation over the
# seeds; number of seeds; processor seconds of training, mean; those of the choice by CV (seed 1; 0
# where training chooses by itself or nothing is chosen); accuracies by seed; what was chosen.
# ranks.txt, over the cells in which all learners were run that know nothing but the noisy labels: their
# mean rank, mean accuracy, and median seconds of training with the choice; then those that know more, for
# which a rank would be unfair: mean accuracy and seconds.
# shellcheck disable=SC2086  # options stand in plain strings, unquoted on purpose
set -eu
. "$(dirname "$0")/../lib/lib.sh"
begin "$@"
if [ -n "$QUICK" ]; then
    SETS=digits KINDS=class:0.5 SEEDS=1 LINES=500 FEW=300
fi
SETS=${SETS-optdigits usps r8 letter amazon_domain r52 mnist}
KINDS=${KINDS:-class:0.3 class:0.5 uniform:0.2 uniform:0.4 clean:0}
SEEDS=${SEEDS:-1 2 3}
GROUPS_RUN=${GROUPS_RUN:-online liblinear features uma svm msvm forward}
LINES=${LINES:-5000} FEW=${FEW:-1500}

# ---- data ----

# prepare SET SEED KIND: $tmp/true, $tmp/noisy, $tmp/C, $tmp/test.  Lines at unit length are kept in a
# folder beside RUNS.
prepare() {
    cache=$(dirname "$RUNS")/compare.cache
    mkdir -p "$cache"
    if ! [ -f "$cache/$1.test" ]; then
        unpack "$1.test" | unit_length > "$tmp/part"
        mv "$tmp/part" "$cache/$1.test"
    fi
    if ! [ -f "$cache/$1.$2" ]; then
        unpack "$1.train" > "$tmp/all"
        order "$(lines_of "$tmp/all")" "$2" | head -n "$LINES" > "$tmp/drawn"
        pick "$tmp/all" "$tmp/drawn" | unit_length > "$tmp/part"
        mv "$tmp/part" "$cache/$1.$2"
    fi
    cp "$cache/$1.test" "$tmp/test"
    cp "$cache/$1.$2" "$tmp/true"
    add_noise "$3" "$2" "$tmp/true" "$tmp/C" > "$tmp/noisy"
    head -n "$FEW" "$tmp/noisy" > "$tmp/few"
}

# scale FILE: its features as the kernel of $tmp/model sees them: times factors, by a metric, or as they are.
scale() {
    awk -v model="$tmp/model" -v CONVFMT=%.9g '
        FILENAME == model {
            if ($1 == "map_scales") there = 1
            else if (there && NF == 1) factor[++d] = $1
            else there = 0
            if ($1 == "map_metric") rows = $2
            else if (rows-- > 0) { # row m: what 1 of its last feature adds to each
                for (f = 1; f <= NF; f++) { split($f, x, ":"); index_of[f] = x[1]; add[NF, f] = x[2] }
                place[x[1]] = m = NF
            }
            next
        }
        m {
            for (i = 1; i <= m; i++) z[i] = 0
            for (f = 2; f <= NF; f++) {
                split($f, x, ":")
                for (i = 1; i <= place[x[1]]; i++) z[i] += x[2] * add[place[x[1]], i]
            }
            $0 = $1
            for (i = 1; i <= m; i++) $0 = $0 " " index_of[i] ":" z[i]
        }
        { for (f = 2; f <= NF && d; f++) { split($f, x, ":"); $f = x[1] ":" x[2] * factor[x[1]] } print }' \
        "$tmp/model" "$1" > "$tmp/scaled"
    mv "$tmp/scaled" "$1"
}

# map_features SEED: Nystrom features take the place of those in $tmp/noisy and $tmp/test.  The kernel does
# not depend on the matrix or lambda of the run that chooses it, so these are given.
map_features() {
    gamma=$("$PROGRAMS/forward-train" -T 1 -S "$1" -t rbf -c identity --lambda 1 "$tmp/noisy" "$tmp/model" |
        sed -n 's/^lambda .* gamma \([^ ,]*\).*/\1/p')
    scale "$tmp/noisy"
    scale "$tmp/test"
    "$PROGRAMS/kpca-train" -q -T 1 -S "$1" -n 500 -D 500 -g "$gamma" "$tmp/noisy" "$tmp/components"
    for file in noisy test; do
        "$PROGRAMS/kpca-project" -q -T 1 "$tmp/$file" "$tmp/components" "$tmp/mapped"
        mv "$tmp/mapped" "$tmp/$file"
    done
}

# ---- the choice by cross-validation ----

choose() { # SET KIND LEARNER > value, seconds
    prepare "$1" 1 "$2"
    [ "$3" != features ] || map_features 1
    clock
    before=$cpu
    arow="$PROGRAMS/arow-train -q -T 1 -S 1 -l 0 -i 5 -v 3"
    case $3 in
    arow*-A) value=$(grid "$arow -A -s ${3%-A} -r @ $tmp/noisy" .1 1 10 100 1000) ;;
    arow*) value=$(grid "$arow -s $3 -r @ $tmp/noisy" .1 1 10 100 1000) ;;
    pa1-A) value=$(grid "$arow -A -s pa1 -c @ $tmp/noisy" .001 .01 .1 1) ;;
    pa1) value=$(grid "$arow -s pa1 -c @ $tmp/noisy" .001 .01 .1 1) ;;
    cw-A) value=$(grid "$arow -A -s cw -p @ $tmp/noisy" .01 .1 .5 1 2) ;;
    cw) value=$(grid "$arow -s cw -p @ $tmp/noisy" .01 .1 .5 1 2) ;;
    adagrad-rda-A) value=$(grid "$arow -A -s adagrad-rda --eta @ $tmp/noisy" .01 .1 1) ;;
    adagrad-rda) value=$(grid "$arow -s adagrad-rda --eta @ $tmp/noisy" .01 .1 1) ;;
    liblinear-*) value=$(grid "liblinear-train -q -s ${3#*-} -c @ -v 3 $tmp/noisy" .01 .1 1 10) ;;
    features) value=$(grid "liblinear-train -q -s 0 -c @ -v 3 $tmp/noisy" .1 1 10 100) ;;
    svm) value=$(grid "svm-train -q -v 3 @ $tmp/few" "-c .1 -g .5" "-c .1 -g 2" "-c .1 -g 8" \
        "-c .1 -g 32" "-c 1 -g .5" "-c 1 -g 2" "-c 1 -g 8" "-c 1 -g 32" "-c 10 -g .5" "-c 10 -g 2" \
        "-c 10 -g 8" "-c 10 -g 32") ;;
    msvm-linear) value=$(grid "$PROGRAMS/musvm-train -q -T 1 -s m-svm -t linear -v 3 @ $tmp/few" \
        "-c .01" "-c .1" "-c 1" "-c 10") ;;
    msvm-rbf) value=$(grid "$PROGRAMS/musvm-train -q -T 1 -s m-svm -t rbf -v 3 @ $tmp/few" \
        "-c .1 -g .5" "-c .1 -g 2" "-c .1 -g 8" "-c .1 -g 32" "-c 1 -g .5" "-c 1 -g 2" "-c 1 -g 8" \
        "-c 1 -g 32" "-c 10 -g .5" "-c 10 -g 2" "-c 10 -g 8" "-c 10 -g 32") ;;
    esac
    clock
    tabs "$value" "$(minus "$cpu" "$before")"
}
chosen() { # LEARNER of this set and kind
    awk -F '\t' -v set="$set" -v kind="$kind" -v learner="$1" '
        $1 == "choice" && $2 == set && $3 == kind && $4 == learner { print $5 }' "$RUNS"
}

# ---- learners ----

# learn NAME CHOICE PREDICTOR COMMAND...: a line of results
learn() {
    learner=$1 choice=$2 predictor=$3
    shift 3
    clock
    before=$cpu
    "$@" > "$tmp/out" 2> "$tmp/err" || { cat "$tmp/err" >&2; exit 1; }
    clock
    spent=$(minus "$cpu" "$before")
    tabs "$learner" "$(accuracy $predictor)" "$spent" "$choice"
}
ours() { # NAME CHOICE PROGRAM OPTIONS
    learn "$1" "$2" "$PROGRAMS/$3-predict -q -T 1" "$PROGRAMS/$3-train" -q -T 1 $4 "$tmp/noisy" "$tmp/model"
}
uma() { # NAME MATRIX
    if ! "$PROGRAMS/uma-train" -q -T 1 -e 0 -i 1 -c "$2" "$tmp/noisy" "$tmp/model" 2> "$tmp/err"; then
        grep -q singular "$tmp/err" || { cat "$tmp/err" >&2; exit 1; }
        ours "$1" '--ridge 0.1' uma "-S $seed -e 0 --ridge 0.1 -c $2"
    else
        ours "$1" '' uma "-S $seed -e 0 -c $2"
    fi
}
online() { # NAME RULE OPTION: last weights and averaged
    for average in '' -A; do
        value=
        [ -z "$3" ] || value="$3 $(chosen "$2${average}")"
        ours "$1${average:+ $average}" "$value" arow "-S $seed -l 0 -i 5 -s $2 $average $value"
    done
}
# Three folds of liblinear-train -s 0 -c C: $tmp/probabilities, in the order of the lines.
cross_fit() {
    : > "$tmp/crossed"
    for fold in 0 1 2; do
        awk -v fold=$fold 'NR % 3 != fold' "$tmp/noisy" > "$tmp/fold.train"
        awk -v fold=$fold 'NR % 3 == fold' "$tmp/noisy" > "$tmp/fold.test"
        liblinear-train -q -s 0 -c "$1" "$tmp/fold.train" "$tmp/fold.model" > "$tmp/log"
        liblinear-predict -b 1 "$tmp/fold.test" "$tmp/fold.model" "$tmp/fold.out" > "$tmp/log"
        awk -v fold=$fold 'FNR == 1 { for (k = 2; k <= NF; k++) label[k] = $k; next }
            { line = (FNR - 2) * 3 + (fold == 0 ? 3 : fold)
              for (k = 2; k <= NF; k++) printf "%d %s %s\n", line, label[k], $k
            }' "$tmp/fold.out" >> "$tmp/crossed"
    done
}
# Which lines confident learning keeps (Northcutt, Jiang and Chuang 2021: prune by noise rate).
confident_keep() {
    sort -s -k 1,1n "$tmp/crossed" | awk -v noisy="$tmp/noisy" '
        BEGIN { while ((getline line < noisy) > 0) { split(line, f, " "); y[++n] = f[1]; count[f[1]]++ } }
        { p[$1, $2] = $3; if ($2 == y[$1]) sum[$2] += $3 }
        END {
            for (c in count) at[c] = sum[c] / count[c]
            for (i = 1; i <= n; i++) {
                best = ""
                for (c in count) if (p[i, c] >= at[c] && (best == "" || p[i, c] > p[i, best])) best = c
                if (best != "") { joint[y[i], best]++; rows[y[i]]++ }
            }
            for (a in count) for (b in count) if (a != b && joint[a, b] > 0) {
                drop = int(joint[a, b] / rows[a] * count[a] + 0.5)
                for (i = 1; i <= n; i++) if (y[i] == a) print a, b, drop, p[i, b] - p[i, a], i
            }
        }' | sort -s -k 1,1 -k 2,2 -k 4,4gr -k 5,5n |
        awk '{ pair = $1 " " $2; if (pair != last) k = 0; last = pair; if (++k <= $3) print $5 }' |
        sort -un > "$tmp/dropped"
    awk -v dropped="$tmp/dropped" '
        FILENAME == dropped { drop[$1]; next }
        !(FNR in drop)' "$tmp/dropped" "$tmp/noisy"
}
# spend SECONDS COMMAND...: the line of results of learn, with so many seconds more; no pipe, which would hide
# that a program failed
spend() {
    extra=$1
    shift
    "$@" > "$tmp/line"
    awk -F '\t' -v OFS='\t' -v extra="$extra" '{ $3 = $3 + extra; print }' "$tmp/line"
}

# liblinear-train -s 0, and confident learning by its probabilities: C, what the features are called
confident() {
    learn "liblinear -s 0$2" "-c $1" liblinear-predict \
        liblinear-train -q -s 0 -c "$1" "$tmp/noisy" "$tmp/model"
    clock
    from=$cpu
    cross_fit "$1"
    confident_keep > "$tmp/kept"
    clock
    extra=$(minus "$cpu" "$from")
    spend "$extra" \
        learn "confident learning, liblinear -s 0$2" "-c $1, $(lines_of "$tmp/kept") kept" liblinear-predict \
        liblinear-train -q -s 0 -c "$1" "$tmp/kept" "$tmp/model"
}
run() { # SET KIND SEED GROUP
    set=$1 kind=$2 seed=$3
    prepare "$set" "$seed" "$kind"
    case $4 in
    forward)
        ours 'forward -t linear' '' forward "-S $seed -t linear"
        ours 'forward -t rbf' '' forward "-S $seed -t rbf"
        ours 'forward -t auto' '' forward "-S $seed -t auto"
        ours 'forward -c C -t linear' '' forward "-S $seed -c $tmp/C -t linear"
        ours 'forward -c C -t rbf' '' forward "-S $seed -c $tmp/C -t rbf" ;;
    uma)
        uma 'UMA -c C' "$tmp/C"
        clean=$(awk 'END { print int(NR / 20) }' "$tmp/true")
        head -n "$clean" "$tmp/true" > "$tmp/clean"
        head -n "$clean" "$tmp/noisy" | cut -d ' ' -f 1 > "$tmp/seen"
        "$PROGRAMS/confusion" -q --labels "$(labels_of "$tmp/true")" "$tmp/clean" "$tmp/seen" > "$tmp/counted"
        uma 'UMA, 5 % clean labels' "$tmp/counted" ;;
    online)
        online arow arow -r
        online arow-hinge arow-hinge -r
        online perceptron perceptron ''
        online pa1 pa1 -c
        online cw cw -p
        online adagrad-rda adagrad-rda --eta ;;
    liblinear)
        C=$(chosen liblinear-4)
        learn 'liblinear -s 4' "-c $C" liblinear-predict \
            liblinear-train -q -s 4 -c "$C" "$tmp/noisy" "$tmp/model"
        confident "$(chosen liblinear-0)" '' ;;
    features)
        map_features "$seed"
        confident "$(chosen features)" ', features' ;;
    svm)
        value=$(chosen svm)
        learn 'svm-train RBF' "$value" svm-predict svm-train -q $value "$tmp/noisy" "$tmp/model"
        clock
        from=$cpu
        "$PROGRAMS/suspects" -q -T 1 -S "$seed" --clean "$tmp/noisy" > "$tmp/kept" 2> "$tmp/err"
        clock
        extra=$(minus "$cpu" "$from")
        spend "$extra" \
            learn 'suspects --clean, svm-train RBF' "$value, $(lines_of "$tmp/kept") kept" svm-predict \
            svm-train -q $value "$tmp/kept" "$tmp/model" ;;
    msvm)
        value=$(chosen msvm-linear)
        ours 'M-SVM linear' "$value" musvm "-s m-svm -t linear $value"
        value=$(chosen msvm-rbf)
        ours 'M-SVM RBF' "$value" musvm "-s m-svm -t rbf $value" ;;
    esac
}

# ---- what is run ----

choices() { # of GROUP
    case $1 in
    online) echo arow arow-A arow-hinge arow-hinge-A pa1 pa1-A cw cw-A adagrad-rda adagrad-rda-A ;;
    liblinear) echo liblinear-0 liblinear-4 ;;
    features) echo features ;;
    svm) echo svm ;;
    msvm) echo msvm-linear msvm-rbf ;;
    esac
}
choose_line() { choose "$2" "$3" "$4"; }
groups=
for group in $GROUPS_RUN; do
    case $group in
    liblinear | features) program=liblinear-train ;;
    svm) program=svm-train ;;
    *) program='sh' ;;
    esac
    if command -v $program > "$tmp/where"; then groups="$groups $group"
    else echo "$name: $program is not installed: its lines are missing" >&2
    fi
done
for set in $SETS; do for group in $groups; do for kind in $KINDS; do
    for learner in $(choices "$group"); do tabs choice "$set" "$kind" "$learner"; done
done; done; done > "$tmp/list"
work choose_line "$tmp/list"
for set in $SETS; do for group in $groups; do for seed in $SEEDS; do for kind in $KINDS; do
    tabs "$set" "$kind" "$seed" "$group"
done; done; done; done > "$tmp/list"
work run "$tmp/list"

# ---- tables ----

results | awk -F '\t' "$AWK"'
    BEGIN { OFS = "\t"; print "# set", "noise", "learner", "mean", "std", "seeds", "s training",
        "s choice", "accuracies", "chosen" }
    $1 == "choice" { seconds[$2, $3, $4] = $6; next }
    {
        key = $1 FS $2 FS $5
        if (!(key in n)) { order[++keys] = key; group[key] = $4 }
        v[key, ++n[key]] = $6; s[key] += $7; choice[key] = $8
    }
    function code(learner, kind) { # the name of its choice
        if (group[learner] == "svm") return "svm"
        if (kind == "M-SVM linear") return "msvm-linear"
        if (kind == "M-SVM RBF") return "msvm-rbf"
        if (kind ~ /features$/) return "features"
        if (kind ~ /^confident/) return "liblinear-0"
        if (kind ~ /^liblinear/) return "liblinear-" substr(kind, length(kind))
        sub(/ -A$/, "-A", kind)
        return kind
    }
    END {
        for (k = 1; k <= keys; k++) {
            key = order[k]; list = ""
            split(key, part, FS)
            for (i = 1; i <= n[key]; i++) {
                x[i] = v[key, i]
                list = list (i > 1 ? " " : "") sprintf("%.2f", x[i])
            }
            c = seconds[part[1], part[2], code(key, part[3])]
            print key, sprintf("%.2f", mean(x, n[key])), sprintf("%.2f", deviation(x, n[key])), n[key],
                sprintf("%.2f", s[key] / n[key]), sprintf("%.2f", c), list, choice[key]
        }
    }' > "$OUT/compare.txt"

# Ranks over the cells in which all learners were run that know noisy labels alone, and the critical
# difference of Nemenyi (Demsar 2006), 5 %: the studentized range of k normal variables, by integration.
awk -F '\t' '
    function median(list, n, i, j, t, a) {
        n = split(list, a, " ")
        for (i = 2; i <= n; i++)
            for (j = i; j > 1 && a[j] + 0 < a[j - 1] + 0; j--) { t = a[j]; a[j] = a[j - 1]; a[j - 1] = t }
        return n % 2 ? a[(n + 1) / 2] : (a[n / 2] + a[n / 2 + 1]) / 2
    }
    function normal(x, t, y) { # Abramowitz and Stegun 26.2.17
        t = 1 / (1 + 0.2316419 * (x < 0 ? -x : x))
        y = 1.781477937 + t * (-1.821255978 + t * 1.330274429)
        y = exp(-x * x / 2) / 2.506628274631 * t * (0.319381530 + t * (-0.356563782 + t * y))
        return x < 0 ? y : 1 - y
    }
    function range_below(q, k, z, s) {
        for (z = -8; z <= 8; z += 0.02)
            s += 0.02 * exp(-z * z / 2) / 2.506628274631 * (normal(z) - normal(z - q)) ^ (k - 1)
        return k * s
    }
    function quantile(k, low, high, mid) {
        low = 2; high = 8
        while (high - low > 1e-4) {
            mid = (low + high) / 2
            if (range_below(mid, k) < 0.95) low = mid
            else high = mid
        }
        return low
    }
    /^#/ { next }
    {
        cell = $1 FS $2; cells[cell]; a[cell, $3] = $4; spent[cell, $3] = $7 + $8
        informed = $3 ~ /-c C|clean labels/
        if (!($3 in known)) { known[$3] = informed; if (informed) more[++m] = $3; else name[++k] = $3 }
    }
    function add(cell, learner) {
        sum[learner] += a[cell, learner]; count[learner]++
        seconds[learner] = seconds[learner] " " spent[cell, learner]
    }
    END {
        for (cell in cells) {
            whole = 1
            for (i = 1; i <= k; i++) if (!((cell, name[i]) in a)) whole = 0
            if (!whole) continue
            N++
            for (i = 1; i <= m; i++) if ((cell, more[i]) in a) add(cell, more[i])
            for (i = 1; i <= k; i++) {
                add(cell, name[i])
                better = level = 0
                for (j = 1; j <= k; j++) {
                    better += a[cell, name[j]] > a[cell, name[i]]
                    level += a[cell, name[j]] == a[cell, name[i]]
                }
                rank[name[i]] += better + (level + 1) / 2
            }
        }
        if (!N) exit
        cd = quantile(k) * sqrt(k * (k + 1) / (12 * N))
        printf "# %d learners, %d cells, critical difference %.2f\n", k, N, cd
        print "# learner\tmean rank\tmean accuracy\tmedian s"
        for (i = 1; i <= k; i++)
            printf "%s\t%.2f\t%.2f\t%.2f\n", name[i], rank[name[i]] / N, sum[name[i]] / count[name[i]],
                median(seconds[name[i]]) | "sort -s -t \"\t\" -k 2,2n"
        close("sort -s -t \"\t\" -k 2,2n")
        for (i = 1; i <= m; i++)
            printf "%s\t-\t%.2f\t%.2f\n", more[i], sum[more[i]] / count[more[i]], median(seconds[more[i]])
    }' "$OUT/compare.txt" > "$OUT/ranks.txt"

# The critical-difference diagram: learners on an axis of ranks, a bar where the ranks of neighbours
# differ by less than the critical difference.
awk -F '\t' '
    NR == 1 { for (i = 1; i <= split($0, w, " "); i++) if (w[i] == "difference") cd = w[i + 1]; next }
    /^#/ || $2 == "-" { next }
    { n++; name[n] = $1; rank[n] = $2 }
    function x(r) { return 330 + (r - 1) / (n - 1) * 430 }
    function text(px, py, anchor, t) {
        gsub(/&/, "\\&amp;", t); gsub(/</, "\\&lt;", t)
        printf "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", px, py, anchor, t
    }
    function line(a, b, c, d, w) {
        printf "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" ", a, b, c, d
        printf "stroke=\"#222\" stroke-width=\"%s\"/>\n", w
    }
    END {
        if (n < 2) exit
        for (i = 1; i <= n; i++) for (j = n; j > i; j--) if (rank[j] - rank[i] <= cd) {
            if (j > reached) { bars++; from[bars] = i; to[bars] = j; reached = j }
            break
        }
        half = int((n + 1) / 2); top = 62 + 7 * bars; height = top + 24 + 19 * half
        printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1000 %d\" ", height
        printf "width=\"1000\" height=\"%d\" font-family=\"sans-serif\" font-size=\"13\">\n", height
        printf "<rect width=\"1000\" height=\"%d\" fill=\"#fff\"/>\n", height
        text(530, 18, "middle", "mean rank (1: best); bars join learners that differ by less than " cd)
        line(x(1), 48, x(n), 48, 1.2)
        for (r = 1; r <= n; r++) {
            line(x(r), 44, x(r), 48, 1)
            if (n < 14 || r % 2) text(x(r), 39, "middle", r)
        }
        for (b = 1; b <= bars; b++) line(x(rank[from[b]]) - 2, 50 + 7 * b, x(rank[to[b]]) + 2, 50 + 7 * b, 3)
        for (i = 1; i <= n; i++) {
            left = i <= half; y = top + 19 * (left ? i : n + 1 - i)
            line(x(rank[i]), 48, x(rank[i]), y, 0.7); line(x(rank[i]), y, left ? 318 : 772, y, 0.7)
            text(left ? 314 : 776, y + 4, left ? "end" : "start", sprintf("%s  %.1f", name[i], rank[i]))
        }
        print "</svg>"
    }' "$OUT/ranks.txt" > "$OUT/ranks.svg"

value() { awk -F '\t' -v learner="$1" '$3 == learner { print $4 }' "$OUT/compare.txt"; }
expect 'forward -t linear' "$(value 'forward -t linear')" 80 95
expect 'liblinear -s 0' "$(value 'liblinear -s 0')" 60 90 liblinear-train
expect 'perceptron -A' "$(value 'perceptron -A')" 60 90
expect 'M-SVM RBF' "$(value 'M-SVM RBF')" 55 95
expect 'UMA -c C' "$(value 'UMA -c C')" 60 95
expect 'lines of the diagram' "$(grep -c '<line' "$OUT/ranks.svg")" 30 200
