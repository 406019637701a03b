# examples/grid.sh: cross-validation over a grid, stopped and resumed.
. "$top/tests/checks.sh"
tab=$(printf '\t')
grid=$top/examples/grid.sh
head -n 200 "$top/data/letter.train" > data
mkdir bin

# Notes each call, and fails at the one that the file `fail` names; `slow` makes it wait.
cat > bin/noting-train << 'end'
#!/bin/sh
echo "$*" >> calls
[ "$(wc -l < calls)" != "$(cat fail 2> /dev/null)" ] || { echo 'noting-train: out of luck' >&2; exit 1; }
[ ! -e slow ] || [ "$(wc -l < calls)" -ne 3 ] || sleep 1
exec arow-train "$@"
end
chmod +x bin/noting-train
PATH=$PATH:$PWD/bin
run() { "$grid" -j 1 -v 3 'noting-train -A' -r .1,1,10 -i 1,2 -- data > out 2> err; }

for r in .1 1 10; do
    for i in 1 2; do
        arow-train -q -A -r $r -i $i -v 3 data | sed "s/.* = \(.*\)%/\1$tab-r $r -i $i/"
    done
done | sort -t "$tab" -k 1,1nr -k 2,2 > wanted
run
check 'status' $? 0
same 'the best first' out wanted
check 'every cell once' "$(sort calls | uniq | wc -l) $(wc -l < calls)" '6 6'
run
same 'again: the same table' out wanted
check 'again: nothing is tried' "$(wc -l < calls)" 6

# A trainer that fails in the middle: what was done stays done.
rm calls data.grid
echo 4 > fail
run
check 'a cell fails' "$? $(grep -c . out) $(tail -n 1 err)" "1 0 $grid: noting-train -A -r 1 -i 2 failed"
check 'cells that were done' "$(grep -c "^[0-9]" data.grid)" 3
rm fail
run
same 'resumed' out wanted
check 'resumed: only the others are tried' "$(wc -l < calls)" 7

# Stopped by a signal in the third cell; and a line of the table was not finished.
rm calls data.grid
: > slow
"$grid" -j 1 -v 3 'noting-train -A' -r .1,1,10 -i 1,2 -- data > out 2> err &
pid=$!
n=0
until [ "$(grep -c . calls 2> /dev/null)" = 3 ] || [ $n -gt 100 ]; do sleep 0.05; n=$((n + 1)); done
kill -TERM "$pid"
wait "$pid"
check 'stopped by a signal' "$? $(grep -c "^[0-9]" data.grid)" '143 2'
printf '99%s-r 1 -i' "$tab" >> data.grid
rm slow
run
same 'resumed after a signal' out wanted
check 'resumed: the cell that was stopped is tried again' "$(wc -l < calls)" 7

# More values: cells of both grids are in the table, those of this one are printed.
"$grid" -j 1 -v 3 'noting-train -A' -r 1,5 -i 2 -- data > out
check 'another grid' "$(cut -f 2 out | sort | tr '\n' ,) $(wc -l < calls)" '-r 1 -i 2,-r 5 -i 2, 8'

# A command that fails leaves no cell, and so does not stand in the way of the right one.
"$grid" -j 1 -v 2 -o failed no-such-train -r 1 -- data > out 2> err
check 'a command that is not there' "$? $(wc -l < failed)" '1 1'
"$grid" -j 1 -v 2 -o failed arow-train -r 1 -- data > out 2> err
check 'the right one after it' "$? $(cut -f 2 out) $(wc -l < failed)" '0 -r 1 2'

# Other data, another command, other folds.
cp data other
echo '1 1:1' >> other
for command in '-v 3 -o data.grid|noting-train -A|other' '-v 3|noting-train|data' '|noting-train -A|data'; do
    options=${command%%|*} rest=${command#*|}
    # shellcheck disable=SC2086 # words
    "$grid" -j 1 $options "${rest%|*}" -r 1 -i 1 -- "${rest#*|}" > out 2> err
    check "not of this table: $command" "$? $(sed "s|$grid: ||" err)" \
        '1 data.grid is of another command, data or number of folds (remove it, or use -o)'
done
check 'none of these is tried' "$(wc -l < calls)" 8

# A table elsewhere; a program that prints no accuracy; too few words.
"$grid" -j 1 -v 2 -o elsewhere 'arow-train -s pa' --passes 1,3 -- data > out
check 'a table elsewhere' "$(wc -l < elsewhere) $(wc -l < out) $(wc -l < data.grid)" '3 2 8'
"$grid" -j 1 -o none true -r 1 -- data > out 2> err
check 'no accuracy' "$? $(sed "s|$grid: ||" err)" '1 true -r 1 prints no cross-validation accuracy'
for table in . none/table; do
    "$grid" -j 1 -o $table arow-train -r 1 -- data > out 2> err
    check "no place for a table: $table" "$? $(sed "s|$grid: ||" err)" "1 $table cannot be written"
done
for words in '' 'arow-train' 'arow-train -r 1 data' 'arow-train -r 1 -i -- data' 'arow-train -r 1 --' \
    '-x arow-train -r 1 -- data'; do
    # shellcheck disable=SC2086 # words
    "$grid" -j 1 $words > out 2> err
    check "usage: $words" "$? $(grep -c '^.*: usage: ' err)" '2 1'
done

for values in '' '1,' ',1' '1,,2'; do
    "$grid" -j 1 -o none arow-train -r "$values" -- data > out 2> err
    check "an empty value: $values" "$? $(sed "s|$grid: ||" err)" "2 -r has an empty value: \"$values\""
done

for jobs in x 0 -1 2x; do
    "$grid" -j $jobs -o none arow-train -r 1 -- data > out 2> err
    check "usage: -j $jobs" "$? $(grep -c '^.*: usage: ' err) $(wc -l < err)" '2 1 1'
done

# Examples that take no data.
for example in compare demo recommender; do
    "$top/examples/$example.sh" data > out 2> err
    check "$example.sh: usage" "$? $(grep -c "^usage: .*$example.sh" err)" '2 1'
done
for words in -h 'a.svg b.svg'; do
    # shellcheck disable=SC2086 # words
    "$top/examples/matrix.sh" $words > out 2> err
    check "matrix.sh $words: usage" "$? $(grep -c '^usage: .*matrix.sh ' err)" '2 1'
done

# By GNU parallel the cells are the same.
if parallel --version 2> /dev/null | grep -q '^GNU parallel'; then
    rm data.grid
    "$grid" -v 3 -j 2 'noting-train -A' -r .1,1,10 -i 1,2 -- data > out
    same 'by GNU parallel' out wanted
else
    echo 'skip GNU parallel is not installed'
fi
