# A table in CSV to LIBSVM text and back, by every awk that is here; scaling; and a whole run with names.
. "$top/tests/checks.sh"
examples=$top/examples

# A byte order mark, quotes, commas and quotes in quotes, CRLF, an empty line, missing cells, a number that is
# a word, zeros, blanks around cells.
printf '\357\273\277species,width,"my ""colour""",n,zip\r\ncat,1.5, red ,0,"1,5"\r\n' > table.csv
printf '"a, b",,green,2,7\r\ncat,+3e2,red,-1,8\r\n\r\n"x""y",0.5,NA,.3,"1,5"\r\n' >> table.csv
cat > data.wanted << 'end'
1 1:1.5 2:1 4:1
2 3:2 5:1 6:1 7:1
1 1:3e2 2:1 3:-1 8:1
3 1:0.5 3:.3 4:1 9:1
end
printf '1 cat\n2 a, b\n3 x"y\n' > names.wanted
tr '|' '\t' > features.wanted << 'end'
0|species
1|width
2|my "colour"|red
3|n
4|zip|1,5
5|width|
6|my "colour"|green
7|zip|7
8|zip|8
9|my "colour"|
end
cat > back.wanted << 'end'
species,width,"my ""colour""",n,zip
cat,1.5,red,0,"1,5"
"a, b",,green,2,7
cat,3e2,red,-1,8
"x""y",0.5,,.3,"1,5"
end
# Columns in another order, one that is not known, a category and a label that are not; then without labels.
printf 'zip,n,species,more,"my ""colour""",width\n8,1,dog,5,blue,\n9,2,cat,5,red,1\n' > test.csv
printf '? 3:1 5:1 8:1\n1 1:1 2:1 3:2\n' > test.wanted
printf 'n;width\n1;2\n' > unlabelled.csv
cat > unknown.wanted << 'end'
column zip: cells that the known files do not have: 1
column species: cells that the known files do not have: 1
column more: cells that the known files do not have: 2
column my "colour": cells that the known files do not have: 1
end
cat > absent.wanted << 'end'
no column my "colour": its features are 0
no column zip: its features are 0
end

convert() { $awk -v names=names -v features=features "$@"; }
refuse() { # NAME TEXT MESSAGE OPTION...: the table TEXT is refused
    name=$1 message=$3
    # shellcheck disable=SC2059 # the text has escapes
    printf "$2" > bad.csv
    shift 3
    $awk "$@" -f "$examples/csv2libsvm.awk" bad.csv > out 2> err < /dev/null
    check "$awk: $name" "$? $(cat err)" "1 bad.csv:$message"
}
each_awk() {
    convert -v label=species -v categories=zip -f "$examples/csv2libsvm.awk" table.csv > data.txt
    same "$awk: data" data.txt data.wanted
    same "$awk: names" names names.wanted
    same "$awk: features" features features.wanted
    convert -f "$examples/libsvm2csv.awk" data.txt > back
    same "$awk: back" back back.wanted
    rm names features
    convert -v label=1 -v categories=zip -f "$examples/csv2libsvm.awk" back > again
    same "$awk: there again" again data.wanted
    convert -v known=1 -v categories=zip -f "$examples/csv2libsvm.awk" test.csv > test.txt 2> err
    same "$awk: test data" test.txt test.wanted
    check "$awk: what is not known" "$(cat err)" "$(cat unknown.wanted)"
    same "$awk: names are left alone" names names.wanted
    convert -v known=1 -v sep=';' -f "$examples/csv2libsvm.awk" unlabelled.csv > out 2> err
    check "$awk: no label" "$(cat out)" '? 1:2 3:1'
    check "$awk: columns that are not there" "$(sort err)" "$(cat absent.wanted)"

    # A header of numbers is a row, more likely; header=1 says that it is none.
    printf '1,0,5\n' > rows
    $awk -f "$examples/csv2libsvm.awk" rows > out 2> err
    check "$awk: no header" "$? $(cat err)" \
        '1 rows:1: a line of numbers is no header: -v header=0, else header=1'
    printf '2019,2020,5\n1,2,3\n' | $awk -v header=1 -f "$examples/csv2libsvm.awk" > out
    check "$awk: a header of numbers" "$(cat out)" '3 1:1 2:2'
    printf 'x,x,y\n1,2,3\n' > rows
    $awk -f "$examples/csv2libsvm.awk" rows > out 2> err
    check "$awk: a name twice" "$? $(cat err)" '1 rows:1: two columns x'

    # Columns that are left out; the label is the last of the others.
    printf 'id,a,who,b,note\nr1,2,ann,1.0,x\nr2,3,ben,-7.,y\n' > rows
    $awk -v features=f -v drop=id,who,note -f "$examples/csv2libsvm.awk" rows > out
    check "$awk: columns left out" "$(cat out f)" "$(printf '1 1:2\n-7 1:3\n1\ta\n0\tb')"
    printf 'a,new,b\n4,dog,2\n' > rows
    $awk -v features=f -v known=1 -v drop=id,new -f "$examples/csv2libsvm.awk" rows > out 2> err
    check "$awk: left out of test data" "$(cat out err)" '2 1:4'
    printf 'a,b\n1,1\n<50,2\n,1\n1O,2\n' | $awk -f "$examples/csv2libsvm.awk" > out 2> err
    check "$awk: words among numbers" "$(cat err)" \
        'column a: a word among numbers, such as "<50", is a feature of its own: 2'
    refuse 'a label without a name' 'a,b,\n1,2,\n' '1: the last column has no name: -v label=NAME, or take '\
'away the separator at the end of the lines'
    refuse 'no such column to drop' 'a,b\n1,2\n' '1: no column id' -v drop=id
    refuse 'no such category' 'a,b\n1,2\n' '1: no column zipp' -v categories=zipp
    printf 'x;y\n1,5;1\n2,5;2\n' | $awk -v sep=';' -f "$examples/csv2libsvm.awk" > out 2> err
    check "$awk: decimal commas" "$(cat out err)" \
        "$(printf '1 1:1\n2 2:1\ncolumn x: numbers with a decimal comma are taken for words')"

    # Cells that hardly repeat tell nothing as features.
    $awk 'BEGIN { print "text,kind,b"; while (i++ < 10) print "a text " i "," i % 3 " m," i % 2 }' > rows
    $awk -f "$examples/csv2libsvm.awk" rows 2>&1 > out | sed 's/ (.*//' > err
    check "$awk: a column of texts" "$(cat err)" \
        'column text: 10 words in 10 rows are as many features, of which little can be learnt'
    $awk -v drop=text -f "$examples/csv2libsvm.awk" rows 2> err > out
    check "$awk: without it" "$(cat err)" ''

    # Without header, names or features: integers stay as they are, the label is last.
    printf '1,0,-3\n0.50,2.25,+7\n' | $awk -v header=0 -f "$examples/csv2libsvm.awk" > out
    check "$awk: integer labels" "$(cat out)" "$(printf -- '-3 1:1\n+7 1:0.50 2:2.25')"
    printf '# three\n-3 1:1 # one\n\n? 2:2.25\r\n' \
        | $awk -v columns=2 -v header=0 -f "$examples/libsvm2csv.awk" > out
    check "$awk: back without files" "$(cat out)" "$(printf '1,0,-3\n0,2.25,')"
    printf '1 1:1\n' | $awk -v columns=2 -v sep=';' -f "$examples/libsvm2csv.awk" > out
    check "$awk: another separator" "$(cat out)" "$(printf '1;2;label\n1;0;1')"

    refuse 'an open quote' 'a,b\n"1,2\n' '2: a quote is not closed in its line'
    refuse 'text after a quote' 'a,b\n"1"x,2\n' '2: text after a closing quote'
    refuse 'a cell too few' 'a,b\n1,2\n3\n' '3: not as many cells as columns: 2'
    refuse 'words as labels' 'a,b\n1,x\n' '2: label x: words need -v names=FILE'
    refuse 'a label between numbers' 'a,b\n1,1.05\n' \
        '2: label 1.05: not a whole number (-v names=FILE numbers labels, -v label=NAME names their column)'
    refuse 'no such label' 'a,b\n1,2\n' '1: no column c' -v label=c
    refuse 'a table with tabs' 'a\tb\n1\t2\n' "1: a tab in a cell; where tabs separate: -v sep='\\t'"
    only="1: one column only; -v sep=';' names the separator"
    refuse 'a table with blanks' 'a b\n1 2\n' "$only" -v names=/dev/null
    refuse 'a table with semicolons, whose label is named' 'a;b\n1;2\n' "$only" -v label=1
    printf 'kind\tn\n1\t2\n' | $awk -v sep='\t' -v label=kind -f "$examples/csv2libsvm.awk" > out
    check "$awk: tabs" "$(cat out)" '1 1:2'
    printf 'kind\n3\n' | $awk -v label=kind -f "$examples/csv2libsvm.awk" > out
    check "$awk: labels only" "$(cat out)" '3'
    $awk -v known=1 -f "$examples/csv2libsvm.awk" table.csv > out 2> err
    check "$awk: nothing to know" "$? $(cat err)" '1 known=1 needs features=FILE'
    printf 'a,b\n1,x\n' | $awk -f "$examples/csv2libsvm.awk" > out 2> err
    check "$awk: an error in a pipe" "$? $(cat err)" '1 <stdin>:2: label x: words need -v names=FILE'
    $awk -f "$examples/libsvm2csv.awk" /dev/null > out 2> err
    check "$awk: back to what" "$? $(cat err)" '1 -v features=FILE or -v columns=N is needed'
    $awk -v features=missing -f "$examples/libsvm2csv.awk" /dev/null > out 2> err
    check "$awk: back, no features" "$? $(cat err)" '1 missing cannot be read'
    printf '1 9:1\n' > strange
    convert -f "$examples/libsvm2csv.awk" strange > out 2> err
    check "$awk: label of no name" "$?" 0
    printf '1 10:1\n' > strange
    convert -f "$examples/libsvm2csv.awk" strange > out 2> err
    check "$awk: a feature of no column" "$? $(cat err)" '1 strange:1: no column has feature 10'
    printf '4 1:1\n' > strange
    convert -f "$examples/libsvm2csv.awk" strange > out 2> err
    check "$awk: a label without a name" "$? $(cat err)" '1 strange:1: label 4 has no name'

    printf '# a\n1 1:2 3:-4\n2 1:-8 2:0\n' > train
    printf '1 1:4 2:5 3:8 # b\n' > test
    for set in train test; do $awk -f "$examples/scale.awk" train $set; done > out
    check "$awk: scale" "$(cat out)" "$(printf '1 1:0.25 3:-1\n2 1:-1\n1 1:0.5 3:2')"
    $awk -f "$examples/scale.awk" train > out 2> err
    check "$awk: scale by what" "$? $(cat out err)" \
        '1 scale.awk: two files: that of the factors, and the one to scale'
    : > empty
    echo '# nothing' > comment
    $awk -f "$examples/scale.awk" empty test > out 2> err
    check "$awk: scale by an empty file" "$? $(cat out err)" \
        '1 scale.awk: no line in one of empty and test'
    $awk -f "$examples/scale.awk" comment test > out 2> err
    check "$awk: scale by comments" "$? $(cat out err)" '1 scale.awk: no line of data in comment'
    printf '\357\273\277? 1:.5 2:-1e-3\r\n+1 3:2.\n-1.5\n' > every
    check "$awk: scale what is LIBSVM text" "$($awk -f "$examples/scale.awk" every every | xargs)" \
        '? 1:1 2:-1 +1 3:1 -1.5'
    for text in a,b,c 1,2,3 '1, 2, 3'; do
        printf '# table\n%s\n' "$text" > table
        $awk -f "$examples/scale.awk" train table > out 2> err
        check "$awk: scale $text" "$? $(cat out err)" \
            "1 scale.awk: table:2: the label is not a number: \"${text%% *}\""
    done
    for entry in 2 1: :2 1:2:3 1:nan 1:. a:1 '1:2,'; do
        printf '1 1:1\n1 %s\n' "$entry" > table
        $awk -f "$examples/scale.awk" table train > out 2> err
        check "$awk: scale by $entry" "$? $(cat out err)" \
            "1 scale.awk: table:2: expected index:value: \"$entry\""
    done
}
for awk in awk mawk gawk 'gawk --posix' 'busybox awk' original-awk bwk; do
    $awk 'BEGIN { exit }' 2> /dev/null < /dev/null && each_awk
done
awk='awk'

# A whole run: what is predicted and suspected is printed by name.
awk 'BEGIN { print "size,kind" } { split($4, p, ":"); print p[2] "," ($1 < 3 ? "an iris" : "another") }' \
    "$top/data/iris.train" > flowers.csv
convert -f "$examples/csv2libsvm.awk" flowers.csv > flowers
arow-train -q -i 5 -B 1 flowers model
arow-predict -q --names names flowers model out > printed
check 'predictions are names' "$(sort -u out)" "$(printf 'an iris\nanother')"
tail -n +2 flowers.csv | cut -d, -f2 | paste -d, - out \
    | awk -F, '$1 == $2 { n++ } END { printf "Accuracy = %g%% (%d/%d)\n", 100 * n / NR, n, NR }' \
    | cmp -s - printed
verdict 'as many are right as the predictor says' $? "$(cat printed)"
suspects -q --names names -n 4 flowers | awk -F '\t' '
    NR == FNR { split($0, cell, ","); kind[FNR - 1] = cell[2]; next } kind[$1] != $2' flowers.csv - > wrong
check 'suspects name the lines of the table' "$(cat wrong)" ''
printf 'a,b\n1e999,2\n' | awk -f "$examples/csv2libsvm.awk" > out 2> err
check 'a number that is too large' "$? $(cat err)" '1 <stdin>:2: a number too large: 1e999'
printf 'a,b\n' | awk -f "$examples/csv2libsvm.awk" > out 2> err
check 'a header alone' "$? $(cat err)" '1 <stdin>:1: no line of data'
