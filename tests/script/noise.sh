# What chance makes, against what it should make: the toy set's geometry, the noise families, the
# frequencies of label-noise -c.
. "$top/tests/checks.sh"

# The toy set.  On the circle each class is an arc, and the gap between two arcs is twice the angle whose
# sine is the margin; 40000 points come near to its ends.
toy() {
    synth toy -q "$@" --part 0 -n 20000 > train
    synth toy -q "$@" --part 1 -n 20000 > test
    awk '{
        split($2, x, ":")
        split($3, y, ":")
        printf "%.12f %s %.17g\n", atan2(y[2], x[2]), $1, x[2] * x[2] + y[2] * y[2] }' train test | sort -g \
        | awk -v margin="$margin" -v classes="$classes" '
        function border(gap) { borders++; if (gap < least || gap > least + 0.005) wrong++ }
        BEGIN { pi = atan2(0, -1); least = 2 * atan2(margin, sqrt(1 - margin * margin)) - 1e-9 }
        { off = $3 - 1; if (off < 0) off = -off; if (off > 1e-15) off_circle++ }
        NR == 1 { first = $1; first_class = $2 }
        NR > 1 && $2 != class { border($1 - angle) }
        { angle = $1; class = $2; seen[$2] }
        END {
            if (class != first_class) border(first + 2 * pi - angle)
            for (k in seen) n++
            if (n == classes && borders == classes && !off_circle && !wrong)
                print "fine"
            else
                print n " classes, " borders " borders,", off_circle + 0 " off the circle,",
                    wrong + 0 " gaps that are not twice the margin"
        }'
}
margin=0.025 classes=10
for seed in 1 2 3; do check "toy, seed $seed" "$(toy -S $seed)" fine; done
margin=0.1 classes=5
check 'toy, other margin' "$(toy -k 5 --margin 0.1)" fine

# The family C_i: with M = C_10, C_i is I + i (M - I)/10 where nothing was cut off, that is up to 10.
synth noise -q -i 10 -S 4 | sed 1,4d > m
for i in 1 2.5 9; do
    synth noise -q -i $i -S 4 | sed 1,4d | paste -d' ' - m | awk -v i=$i '
        function size(d) { return d < 0 ? -d : d }
        {
            for (q = 1; q <= 10; q++) {
                d = size($q - ((q == NR) * (1 - i / 10) + i * $(q + 10) / 10))
                if (d > worst) worst = d
            }
        }
        END { print NR, (worst < 1e-12) }' > out
    check "C_$i" "$(cat out)" '10 1'
done
synth noise -q -i 30 -S 4 | sed 1,4d | awk '
    { for (q = 1; q <= NF; q++) { sum[q] += $q; if (q == NR) trace += $q } }
    END { for (q in sum) if ((sum[q] - 1) ^ 2 > 1e-24) bad++; print bad + 0, trace }' > out
check 'C_30: columns, an empty diagonal' "$(cat out)" '0 0'
# M is uniform with its rows normalised: each entry is 0.1 on average, and a row spreads by 0.0577 or so
# (1/sqrt(12) of twice the mean).
synth noise -q -i 10 -o true --labels 1-200 | sed 1,4d | awk '
    { for (k = 1; k <= NF; k++) { s += $k * 200; ss += $k * $k * 40000 } }
    END { v = ss / NR / NF - (s / NR / NF) ^ 2; print NR, NF, (v > 0.32 && v < 0.35) }' > out
check 'M is uniform' "$(cat out)" '200 200 1'

# Flips: the diagonal is 1 - r_q, r_q uniform around the rate; u^3 has mean 1/4 and mean square 1/7, so shares
# vary by 16/7 - 1 of their squared mean.
synth noise -q --flip 0.3 --labels 1-300 | sed 1,4d | awk '
    {
        for (q = 1; q <= NF; q++)
            if (q == NR) bad += $q != 0.7
            else { s = $q * 299 / 0.3; sum += s; squares += s * s }
    }
    END { n = NR * (NR - 1); v = squares / n - (sum / n) ^ 2; print bad + 0, (v > 1.22 && v < 1.34) }' > out
check 'flips' "$(cat out)" '0 1'
synth noise -q --flip 0.4 --spread 0.5 --labels 1-1000 | sed 1,4d | awk '
    { r = 1 - $NR; s += r; ss += r * r; if (r < 0.2 || r > 0.6) bad++ }
    END {
        m = s / NR
        v = ss / NR - m * m
        print bad + 0, (m > 0.385 && m < 0.415), (v > 0.0118 && v < 0.0149)
    }' > out
check 'flips with a spread' "$(cat out)" '0 1 1'

# label-noise -c: each label of each class as often as the matrix says, within 4 standard errors.
frequencies() {
    sed 1,4d "$1" > rows
    cut -d' ' -f1 "$2" > true_labels
    cut -d' ' -f1 "$3" | paste -d' ' true_labels - | awk -v first="$4" '
        NR == FNR { for (q = 1; q <= NF; q++) c[FNR, q] = $q; K = NF; next }
        { n[$1 - first + 1]++; seen[$2 - first + 1, $1 - first + 1]++ }
        END {
            for (q = 1; q <= K; q++) for (p = 1; p <= K; p++) {
                e = n[q] * c[p, q]; d = seen[p, q] - e; v = e * (1 - c[p, q])
                if (v <= 0) wrong += d > 1e-9 || d < -1e-9
                else if (v >= 4) { z = d / sqrt(v); cells++; squares += z * z; far += z > 4 || z < -4 }
            }
            mean = squares / cells
            print wrong + 0, far + 0, (cells > 50), (mean > 0.7 && mean < 1.3)
        }' rows -
}
synth toy -q -n 20000 > toy.data
for noise in '-i 5' '-i 25 -S 3' '--flip 0.3' '--flip 0.5 --spread 0.8'; do
    synth noise -q $noise > matrix
    label-noise -q -c matrix toy.data > noisy
    check "frequencies, $noise" "$(frequencies matrix toy.data noisy 1)" '0 0 1 1'
    synth noise -q $noise -o true > turned
    label-noise -q -c turned - < toy.data | cmp -s - noisy
    check "turned and through a pipe, $noise" $? 0
done
synth noise -q --flip 0.4 --labels 1-26 > matrix
label-noise -q -S 5 -c matrix "$top/data/letter.train" > noisy
check 'frequencies, letter' "$(frequencies matrix "$top/data/letter.train" noisy 1)" '0 0 1 1'

# There and back: the matrix of what label-noise made is near the one that it was given.
cut -d' ' -f1 noisy > predicted
confusion -q "$top/data/letter.train" predicted | sed 1,4d > found
sed 1,4d matrix | paste -d' ' - found | awk '
    { for (q = 1; q <= 26; q++) bad += ($q - $(q + 26)) ^ 2 > 0.01 }
    END { print NR, bad + 0 }' > out
check 'there and back' "$(cat out)" '26 0'
