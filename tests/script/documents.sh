# What the documents say is true: commands run, and print what the page shows below them; links lead
# somewhere; options exist.
#
# How README.md and the pages in doc/ are written:
#
#   indented by four blanks   a line `$ COMMAND` (a backslash at its end: it goes on in the next
#                             line), and below it what the command prints, output and errors
#                             together.  If nothing is below it, its output is not checked.  A line
#                             `...` stands for any lines, `...` at the end of a line for any text.
#   ```text  ```python        no commands: formulas, files, other languages
#   ```sh needs NAME...       commands that need more than this toolkit: if every NAME is an
#                             installed program, the lines that start with `$ ` are run like those
#                             above; otherwise the fence is skipped
#
# The commands of a page are run from its top to its end in one folder, with the programs on the
# PATH, and with data/ and examples/.  Other fences, and indented lines that are neither command nor
# output, are errors: so no command escapes.

# Links and options are words without blanks.
# shellcheck disable=SC2013
. "$top/tests/checks.sh"

# split PAGE OUT: writes OUT/NNN.command, OUT/NNN.shown where something is shown, OUT/NNN.needs in a
# fence.
split() {
    awk -v out="$2" '
        function wrong(what) { print "FAIL " FILENAME ":" FNR ": " what }
        function begin(text) {
            file = sprintf("%s/%03d", out, ++n)
            if (fence) print needs > (file ".needs")
            command = text
            resume()
        }
        # A command that ends in a backslash waits for its next line.
        function resume() {
            waits = sub(/\\$/, "", command)
            if (!waits) print command > (file ".command")
        }
        /^```/ && fence { fence = 0; file = ""; next }
        /^```/ {
            fence = 1
            runs = sub(/^```sh needs /, "")
            needs = $0
            if (!runs && !/^```(text|python)$/) wrong("a fence is text, python or `sh needs NAME...`: " $0)
            next
        }
        { text = $0 }
        fence ? !runs : !sub(/^    /, "", text) { file = ""; next }
        waits { sub(/^ */, "", text); command = command text; resume(); next }
        text ~ /^\$ / { begin(substr(text, 3)); next }
        file != "" { print text > (file ".shown"); next }
        !fence { wrong("indented, but no command: " text) }' "$1"
}

# alike SHOWN PRINTED: by the rules above; blanks at the ends of lines do not count.
alike() {
    awk '
        { sub(/[ \t]+$/, "") }
        FNR == NR { shown[++n] = $0; next }
        { printed[++m] = $0 }
        function line(a, b) { return sub(/\.\.\.$/, "", a) ? substr(b, 1, length(a)) == a : a == b }
        function rest(i, j, k) {
            if (i > n) return j > m
            if (shown[i] == "...") {
                for (k = j; k <= m + 1; k++) if (rest(i + 1, k)) return 1
                return 0
            }
            return j <= m && line(shown[i], printed[j]) && rest(i + 1, j + 1)
        }
        END { exit !rest(1, 1) }' "$1" "$2"
}

# there NAME...: all are programs here.
there() {
    for name; do command -v "$name" > /dev/null || return 1; done
}

# run_page NAME: of the top folder.
run_page() {
    rm -rf page commands
    mkdir page commands
    ln -s "$top/data" "$top/examples" page
    split "$top/$1" "$PWD/commands"
    : > skipped
    for file in commands/*.command; do
        step=${file%.command}
        # shellcheck disable=SC2046 # the names are words
        if [ -f "$step.needs" ] && ! there $(cat "$step.needs"); then
            cat "$step.needs" >> skipped
            continue
        fi
        (cd page && sh "../$file") > printed 2>&1 < /dev/null
        status=$?
        if [ $status -ne 0 ]; then
            printf 'FAIL %s: %s: exit status %d\n' "$1" "$(cat "$file")" $status
            cat printed
        elif [ -f "$step.shown" ] && ! alike "$step.shown" printed; then
            printf 'FAIL %s: %s: the page (-) and what it prints (+):\n' "$1" "$(cat "$file")"
            diff -u "$step.shown" printed | tail -n +3
        else
            printf 'ok %s: %s\n' "$1" "$(cat "$file")"
        fi
    done
    sort -u skipped | sed "s|.*|skip $1: commands that need &|"
}

pages='README.md doc/*.md'
for page in $(cd "$top" && ls $pages); do
    # The commands of these two take as long as all others.
    case $page in doc/faq.md | doc/uma.md) wants_long ;; esac && run_page "$page"
    # Lines of text have at most 110 columns; tables may be longer.
    awk -v page="$page" '
        !/^\|/ && length($0) > 110 { print "FAIL " page ":" NR ": longer than 110 columns" }' "$top/$page"
    # Links within the repository: the file is there, and so is the heading.
    folder=$(dirname "$page")
    for link in $(grep -o '](\([^)]*\))' "$top/$page" | sed 's/^](//; s/)$//' | grep -v '^http'); do
        file=${link%%#*} heading=${link#"${link%%#*}"}
        target=$top/$folder/${file:-$(basename "$page")}
        if [ ! -e "$target" ]; then
            echo "FAIL $page: nothing is at $link"
        elif [ -n "$heading" ]; then
            # A heading's anchor: lower case, no punctuation, a dash for each blank.
            sed -n 's/^##* //p' "$target" | tr '[:upper:]' '[:lower:]' |
                sed 's/[^a-z0-9 _-]//g; s/ /-/g; s/^/#/' | grep -qx -- "$heading" ||
                echo "FAIL $page: no heading is at $link"
        fi
    done
done
[ "$(wc -l < "$top/README.md")" -le 150 ] || echo 'FAIL README.md has more than 150 lines'

programs=$(cd "$tests/faulty" && ls | grep -v '\.')

# Long options that the pages name are options of a program of ours, or of Vowpal Wabbit.
{
    printf '%s\n' --oaa --cb
    for program in $programs 'synth toy' 'synth synsep' 'synth gauss' 'synth noise'; do $program -h; done
} | grep -o -- '--[a-z][a-z0-9-]*' | sort -u > options
for page in $(cd "$top" && ls $pages); do
    for option in $(
        sed '/^```sh needs/,/^```$/d; /^```python/,/^```$/d' "$top/$page" |
            grep -o -- '`[^`]*`\|^    \$ .*' | grep -o -- '--[a-z][a-z0-9-]*' | sort -u
    ); do
        grep -qx -- "$option" options || echo "FAIL $page: no program has $option"
    done
done

# doc/faq.md has every warning of the sources: in each, the first piece of at least 12 characters
# between numbers and names is looked for, up to 30 characters of it.
cat "$top"/*.c "$top"/tools/*.c "$top"/common/*/*.c "$top"/learners/*/*.c | tr '\n' ' ' | sed 's/" *"//g' |
    grep -o '\(trainer_warn([^"]*\|findings_warn([a-z&]*, *\)"[^"]*"\|warning: [^"]*"' |
    sed 's/^[a-z]*_warn([^"]*"//; s/^warning: //; s/"$//; s/\\n$//' |
    awk -F '%[-0-9.*]*l*[a-z%]' '{
        for (i = 1; i <= NF; i++) if (length($i) >= 12) { print substr($i, 1, 30); next }
    }' | sort -u > warnings
[ "$(wc -l < warnings)" -ge 10 ] || echo 'FAIL the warnings of the sources are not found'
while IFS= read -r words; do
    if grep -qF -- "$words" "$top/doc/faq.md"; then
        echo "ok faq: $words"
    else
        echo "FAIL doc/faq.md: no warning has the words: $words"
    fi
done < warnings

# missing PROGRAM: options of the help text in standard input that its page does not have; there, a
# backslash stands before each dash.
missing() {
    awk -v page="$top/man/$1.1" -v program="$1" '
        BEGIN {
            while ((getline line < page) > 0) text = text line "\n"
            if (text == "") print "FAIL man/" program ".1 cannot be read"
        }
        /^ .*--[a-z]/ {
            name = $0
            sub(/.*--/, "", name)
            sub(/[^a-z-].*/, "", name)
            words = name
            gsub(/-/, "\\-", words)
            if (!index(text, words)) print "FAIL man/" program ".1 has no --" name
        }'
}

# The manual pages are those of the programs, and have all options; the examples of -h run.
for program in $programs; do
    $program --man > page.1
    if cmp -s page.1 "$top/man/$program.1"; then
        echo "ok man/$program.1"
    else
        echo "FAIL man/$program.1 is not what $program --man prints: make man"
    fi
    $program -h | missing "$program"
done
sh "$top/man/pages.sh" .
for page in libdoubt.5 libdoubt.7; do
    cmp -s "$page" "$top/man/$page"
    verdict "man/$page" $? 'it is not what man/pages.sh makes of the documents: make man'
done
for kind in toy synsep gauss noise; do
    synth $kind -h | missing synth
done
# On the first lines of each data set: whether the results are right is tested elsewhere.  Of each program the
# first example, unless nothing is to be left out.
examples=1
[ -z "${TEST_ALL:-}" ] || examples=99
mkdir data
for file in "$top"/data/*.*; do head -n 400 "$file" > "data/${file##*/}"; done
gzip -c data/digits.train > big.gz
for program in $(echo "$programs" | grep -v predict) 'synth toy' 'synth synsep' 'synth gauss' \
    'synth noise'; do
    $program -h | sed -n '/^Examples:/,$s/^  //p' | head -n $examples > commands.list
    [ -s commands.list ] || echo "FAIL $program has no examples"
    cp data/digits.train train
    sed 's/ /:1:0.1 /' train > clicks.blog
    while read -r command; do
        if sh -c "$command" > out 2> err < /dev/null; then
            echo "ok $program -h: $command"
        else
            echo "FAIL $program -h: $command: $(cat err)"
        fi
    done < commands.list
done
# The longer examples, 15 seconds of processor time, when nothing is to be left out.
longer_examples() {
    # The demonstration shows three accuracies, each higher than the one before, and suspects finds more
    # than 200 of the 235 wrong labels.
    demo=$("$top/examples/demo.sh" 2> /dev/null)
    if echo "$demo" | awk '
        /Accuracy/ { a[++n] = substr($4, 1) + 0 }
        { found = $1 + 0 }
        END { exit !(n == 3 && a[2] > a[1] && a[3] > a[2] && found > 200) }'
    then
        echo 'ok demo'
    else
        echo "FAIL demo: $demo"
    fi
    # The example with few labels: learning through the confusion matrix beats ignoring the noise.
    few=$("$top/examples/few_labels.sh" digits 2>&1)
    if echo "$few" | awk '
        /\(f_y\)/ { ignored = $(NF - 1) + 0 }
        /\(UMA\)/ { uma = $(NF - 1) + 0 }
        END { exit !(ignored > 50 && uma > ignored + 5) }'
    then
        echo 'ok few_labels'
    else
        echo "FAIL few_labels: $few"
    fi
    # The recommender: learners that know that clicks are noisy show more of what is wanted, and never
    # more than their exploration allows.
    shop=$("$top/examples/recommender.sh" 2>&1)
    if echo "$shop" | awk '
        /%$/ && NF > 4 { right[$1] = $(NF - 3); kept[$1] = $(NF - 1) }
        END {
            exit !(right["banditron"] > 40 && right["rcnbf"] > right["banditron"] &&
                right["nsm"] > right["rcnbf"] + 10 && right["nsm"] <= 82 &&
                kept["nsm"] > kept["banditron"])
        }'
    then
        echo 'ok recommender'
    else
        echo "FAIL recommender: $shop"
    fi
}
[ -z "${TEST_ALL:-}" ] || longer_examples
# The picture's numbers: what is found is near what the labels were drawn from.
matrix=$("$top/examples/matrix.sh" 2>&1)
if echo "$matrix" | awk '/mean error/ { error = $10 + 0 } END { exit !(error > 0 && error < 0.015) }'; then
    echo 'ok matrix'
else
    echo "FAIL matrix: $matrix"
fi
