# The experiments' texts: RESULTS.md has its 31 rows, its score is their count, and every command and link in
# it leads to a file; each folder's README is of at most 80 lines; the numbers that README.md quotes are those of
# the text files, by experiments/quoted.txt; DATA.md has the checksums of the data that the tree ships.
# A paper's folder that is not there is skipped.
# shellcheck disable=SC2013 # names and links are words
. "$top/tests/checks.sh"
experiments=$top/experiments

# The rows: | N | what | claim | its number | ours | holds | command | minutes | link |
awk -F ' *[|] *' '
    /^\| *[0-9]+ *\|/ {
        rows++
        if ($2 != rows) print "FAIL RESULTS.md: row " $2 " follows row " rows - 1
        split($7, word, " ")
        verdict = word[1]
        gsub(/\*/, "", verdict)
        if ($7 ~ /not run/) verdict = "not run"
        if (verdict != "yes" && verdict != "partly" && verdict != "no" && verdict != "not run")
            print "FAIL RESULTS.md: row " rows ": does it hold? " $7
        count[verdict]++
    }
    /^\*\*Score/ { score = $0 }
    END {
        if (rows != 31) print "FAIL RESULTS.md has " rows + 0 " rows, not 31"
        want = count["yes"] + 0 " hold, " count["partly"] + 0 " hold partly, " count["no"] + 0 " do not, " count["not run"] + 0 " not run"
        if (index(score, want)) print "ok score"
        else print "FAIL RESULTS.md: the score is: " want
    }' "$experiments/RESULTS.md"

for page in RESULTS.md DATA.md README.md uma/README.md arow/README.md bandit/README.md musvm/README.md forward/README.md \
    compare/README.md; do
    [ -f "$experiments/$page" ] || { echo "skip experiments/$page is not there"; continue; }
    folder=$(dirname "$experiments/$page")
    for link in $(grep -o '](\([^)]*\))' "$experiments/$page" | sed 's/^](//; s/)$//; s/#.*//' | grep -v '^http' | sort -u); do
        [ -e "$folder/$link" ] || [ ! -d "$folder/$(dirname "$link")" ] || echo "FAIL experiments/$page: nothing is at $link"
    done
    for script in $(grep -o 'experiments/[a-z_]*/[a-z_0-9]*\.sh' "$experiments/$page" | sort -u); do
        [ -f "$top/$script" ] || [ ! -d "$top/$(dirname "$script")" ] || echo "FAIL experiments/$page: there is no $script"
    done
    case $page in */*)
        [ "$(wc -l < "$experiments/$page")" -le 80 ] || echo "FAIL experiments/$page has more than 80 lines" ;;
    esac
    echo "ok $page"
done

# quoted.txt: page, quotation with {} for each number, text file, awk program that prints the numbers
fold_lines() { tr '\n' ' ' < "$1" | tr -s ' '; }
quotes=0
while IFS='	' read -r page quote file program; do
    case $page in '#'* | '') continue ;; esac
    numbers=$(awk -F '\t' "$program" "$experiments/$file")
    text=$(printf '%s\n' "$quote" | awk -v numbers="$numbers" '{
        n = split(numbers, x, " ")
        for (i = 1; i <= n; i++) sub(/\{\}/, x[i])
        print
    }')
    case $text in
    *'{}'*) echo "FAIL quoted.txt: $file has no number for: $quote" ;;
    *)
        if fold_lines "$top/$page" | grep -qF -- "$text"; then
            quotes=$((quotes + 1))
        else
            echo "FAIL $page does not say: $text ($file)"
        fi ;;
    esac
done < "$experiments/quoted.txt"
[ "$quotes" -ge 8 ] && echo "ok $quotes quotations"

for part in digits.train digits.test letter.train letter.test iris.train iris.test; do
    sum=$(sha256sum < "$top/data/$part" 2> where | cut -d ' ' -f 1)
    [ -z "$sum" ] || grep -q "^$sum  $part\$" "$experiments/DATA.md"
    verdict "checksum of data/$part" $? 'DATA.md has another'
done
