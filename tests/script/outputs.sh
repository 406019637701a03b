# The bytes that the programs write are those of tests/golden/outputs.sums: not only for any number
# of threads and on any machine, but from one version to the next.  A change that means to write other
# bytes replaces the file (tests/outputs . | sort -k2) and says why.
if sums=$("$top/tests/outputs" "$BIN" 2> err); then
    echo 'ok every program ran'
else
    echo "FAIL every program runs: $(cat err)"
fi
printf '%s\n' "$sums" | sort -k2 > sums
cut -d' ' -f2 sums "$top/tests/golden/outputs.sums" | sort -u | while read -r output; do
    now=$(grep " $output\$" sums)
    then=$(grep " $output\$" "$top/tests/golden/outputs.sums")
    if [ "$now" = "$then" ]; then
        echo "ok $output"
    else
        echo "FAIL $output: expected '$then', got '$now'"
    fi
done
