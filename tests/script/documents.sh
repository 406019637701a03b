# What the documents say is true: the README's commands run, options in its tables exist, the manual pages are those of the programs.
programs=$(cd "$tests/faulty" && ls | grep -v '\.')
for program in $programs; do
    $program --man > page
    if cmp -s page "$top/man/$program.1"; then echo "ok man/$program.1"; else echo "FAIL man/$program.1 is not what $program --man prints: make man"; fi
    for name in $($program -h | sed -n 's/^ .*--\([a-z-]*\).*/\1/p'); do
        grep -q -- "$(printf %s "$name" | sed 's/-/\\\\-/g')" page || echo "FAIL man/$program.1 has no --$name"
    done
done
for kind in toy synsep noise; do
    for name in $(synth $kind -h | sed -n 's/^ .*--\([a-z-]*\).*/\1/p'); do
        grep -q -- "$(printf %s "$name" | sed 's/-/\\\\-/g')" "$top/man/synth.1" || echo "FAIL man/synth.1 has no --$name"
    done
done
ln -s "$top/data" data
sed -n '/^## Quick start/,/^## /s/^    \.\/\(.*\)/\1/p' "$top/README.md" | sed 's/  *#.*//' > commands
[ "$(wc -l < commands)" -ge 4 ] || echo 'FAIL the quick start has lost its commands'
while read -r command; do
    if sh -c "$command" > out 2> err; then echo "ok README: $command"; else echo "FAIL README: $command: $(cat err)"; fi
done < commands
cp "$top/data/digits.train" monday
cp "$top/data/digits.test" tuesday
sed -n '/^\*\*Going on/,/^\*\*Shards/s/^    \(arow.*\)/\1/p' "$top/README.md" | sed 's/  *#.*//' > commands
while read -r command; do
    if sh -c "$command" > out 2> err; then echo "ok README: $command"; else echo "FAIL README: $command: $(cat err)"; fi
done < commands
for program in $(echo "$programs" | grep -v predict) 'synth toy' 'synth synsep' 'synth noise'; do
    $program -h | sed -n '/^Examples:/,$s/^  //p' | sed "s/big.gz/big.gz/" > commands
    [ -s commands ] || echo "FAIL $program has no examples"
    gzip -c "$top/data/digits.train" > big.gz
    cp "$top/data/digits.train" train
    sed 's/ /:1:0.1 /' train > clicks.blog
    while read -r command; do
        if sh -c "$command" > out 2> err < /dev/null; then echo "ok $program -h: $command"; else echo "FAIL $program -h: $command: $(cat err)"; fi
    done < commands
done
# The demonstration shows three accuracies, each higher than the one before, and how many of 235 wrong labels suspects finds.
demo=$("$top/examples/demo.sh" 2> /dev/null)
if echo "$demo" | awk '/Accuracy/ { a[++n] = substr($4, 1) + 0 } { found = $1 + 0 } END { exit !(n == 3 && a[2] > a[1] && a[3] > a[2] && found > 200) }'; then echo 'ok demo'; else echo "FAIL demo: $demo"; fi
# The example with few labels: learning through the confusion matrix beats ignoring the noise.
few=$("$top/examples/few_labels.sh" digits 2>&1)
if echo "$few" | awk '/\(f_y\)/ { ignored = $(NF - 1) + 0 } /\(UMA\)/ { uma = $(NF - 1) + 0 } END { exit !(ignored > 50 && uma > ignored + 5) }'; then echo 'ok few_labels'; else echo "FAIL few_labels: $few"; fi
# The recommender: who knows that clicks lie shows more of what is wanted, and never more than its exploration lets it.
shop=$("$top/examples/recommender.sh" 2>&1)
if echo "$shop" | awk '/%$/ && NF > 4 { right[$1] = $(NF - 3); kept[$1] = $(NF - 1) }
        END { exit !(right["banditron"] > 40 && right["rcnbf"] > right["banditron"] && right["nsm"] > right["rcnbf"] + 10 && right["nsm"] <= 82 && kept["nsm"] > kept["banditron"]) }'
then echo 'ok recommender'; else echo "FAIL recommender: $shop"; fi
