# Same input, options and seed: same bytes for any number of threads, a file or a pipe, quiet or not, any
# locale, LF or CRLF.
. "$top/tests/checks.sh"
for data in letter.train digits.train iris.train; do
    file=$top/data/$data
    labels=0-9
    [ $data = letter.train ] && labels=1-26
    [ $data = iris.train ] && labels=1-3
    arow-train -q -A -T 1 "$file" one
    for threads in 2 3 4 16; do
        arow-train -q -A -T $threads "$file" more
        same "$data threads $threads" one more
    done
    arow-train -A "$file" loud > out
    same "$data -q" one loud
    LC_ALL=de_DE.UTF-8 LANG=de_DE.UTF-8 arow-train -q -A "$file" german
    same "$data comma locale" one german
    sed 's/$/\r/' "$file" > crlf
    arow-train -q -A crlf carriage
    same "$data CRLF" one carriage

    arow-train -q -A --no-shuffle "$file" ordered
    cmp -s one ordered && echo "FAIL $data: the order makes no difference"
    arow-train -q -A --no-shuffle --stream "$file" streamed
    same "$data --stream" ordered streamed
    arow-train -q -A - held < "$file"
    same "$data pipe, held" ordered held
    cat "$file" | arow-train -q -A --labels $labels - piped
    same "$data pipe, streamed" ordered piped
    (while read -r line; do echo "$line"; done < "$file") | arow-train -q -A --labels $labels -T 1 - dribbled
    same "$data pipe, line by line" ordered dribbled
    arow-train -q -A --no-shuffle -i 3 "$file" three
    arow-train -q -A --no-shuffle -i 3 --stream "$file" three_streamed
    same "$data three passes streamed" three three_streamed
    arow-train -q -A -i 3 - three_held < "$file"
    same "$data three passes over a pipe" three three_held

    test=${file%train}test
    arow-predict -q -T 1 -b 1 "$test" one scores > /dev/null
    arow-predict -q -T 4 -b 1 "$test" one scores4 > /dev/null
    same "$data scores, threads" scores scores4
    arow-predict -b 1 - one - < "$test" > scores_piped 2> /dev/null
    same "$data scores, pipe" scores scores_piped
    arow-train -v 5 -T 1 -q "$file" > fold1
    arow-train -v 5 -T 4 -q "$file" > fold4
    same "$data cross-validation, threads" fold1 fold4
    label-noise -q -T 1 "$file" > noisy
    label-noise -q -T 4 - < "$file" > noisy_piped
    same "$data label-noise, pipe" noisy noisy_piped
    cut -d' ' -f2- "$file" > features
    cut -d' ' -f2- noisy > noisy_features
    same "$data label-noise, features" features noisy_features
    synth noise -q --flip 0.3 --labels $labels > matrix
    label-noise -q -c matrix -T 1 "$file" > noisy
    LC_ALL=de_DE.UTF-8 label-noise -c matrix -T 4 - < "$file" > noisy_piped 2> /dev/null
    same "$data label-noise -c, pipe" noisy noisy_piped
    sed 's/$/\r/' matrix > matrix_crlf
    sed 1,4d matrix > matrix_bare
    label-noise -q -c matrix_crlf crlf | tr -d '\r' > noisy_crlf
    same "$data label-noise -c, CRLF" noisy noisy_crlf
    label-noise -q -c matrix_bare "$file" > noisy_bare
    same "$data label-noise -c, no head" noisy noisy_bare
done
arow-train -q -S 2 "$top/data/iris.train" seed2
cmp -s one seed2 && echo "FAIL the seed makes no difference" || echo "ok seed"

# Of libm only what IEEE 754 rounds correctly (sqrt) or what is exact (ldexp): the last place of the
# others differs between machines.
if objects=$(nm -u "$tests/../libdoubt.a" "$tests"/../*.o "$tests"/../tools/*.o 2> nm.err); then
    names='a?(sin|cos|tan)h?|atan2|exp(2|m1)?|log(2|10|1p)?|pow|cbrt|hypot|erfc?|[lt]gamma|fma'
    inexact=$(echo "$objects" | grep -oE " U ($names)[fl]?\$" | sort -u | tr -d '\n')
    if [ -z "$inexact" ]; then echo "ok libm"; else echo "FAIL libm: these are called:$inexact"; fi
else
    echo "skip libm: no nm that reads these objects"
fi
