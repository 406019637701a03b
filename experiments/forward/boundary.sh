# shellcheck shell=sh
# Noise near the boundary, which no matrix describes; noise.sh and scores.sh read this.
#
# boundary RATE SEED: from $tmp/train, $tmp/noisy, and the labels $tmp/names that are right.  These are the labels
# of softmax regression on $tmp/train; an example gets the second best instead with probability
# 2 RATE (1 - rank / n), ranks by margin, smallest first.
boundary() {
    "$PROGRAMS/forward-train" -q -T 1 -t linear -c identity "$tmp/train" "$tmp/model"
    "$PROGRAMS/forward-predict" -q -T 1 -b 1 "$tmp/train" "$tmp/model" "$tmp/out" > "$tmp/log"
    # line, best label, second best, margin
    awk 'NR == 1 { for (i = 2; i <= NF; i++) name[i] = $i; next }
         {
             second = 0
             for (i = 2; i <= NF; i++)
                 if (name[i] != $1 && (!second || $i > $second)) second = i
             for (i = 2; i <= NF; i++) if (name[i] == $1) first = i
             printf "%d %s %s %.17g\n", NR - 1, $1, name[second], $first - $second
         }' "$tmp/out" | sort -s -k 4,4g | awk -v seed="$2" -v r="$1" -v n="$(wc -l < "$tmp/train")" '
             BEGIN { srand(seed) }
             { print $1, $2, (rand() < 2 * r * (1 - (NR - 1) / n) ? $3 : $2) }' | sort -n > "$tmp/drawn"
    cut -d ' ' -f 2 "$tmp/drawn" > "$tmp/names"
    paste -d ' ' "$tmp/drawn" "$tmp/train" | awk '{ $1 = $2 = $4 = ""; sub(/^ */, ""); print }' |
        tr -s ' ' > "$tmp/noisy"
}
