# examples/embed.c, which links the library by itself: its labels are those of arow-predict.  And the headers
# that are installed, in C++.
. "$top/tests/checks.sh"
embed=${tests%/*}/examples/embed

# Label by label: with a bias, scaled, with two classes, and as LIBLINEAR writes its models.
compare() {
    arow-predict -q "$2" "$3" expected > report
    while read -r line; do "$embed" "$3" "$line"; done < "$2" > labels
    if cmp -s expected labels; then echo "ok $1"; else echo "FAIL $1: $(diff expected labels)"; fi
}
test=$top/data/iris.test
arow-train -q "$top/data/iris.train" model && compare 'three classes' "$test" model
arow-train -q -B 1 -l 1 "$top/data/iris.train" model && compare 'a bias, unit length' "$test" model
sed '/^libdoubt 1$/,$d' model > liblinear && compare "LIBLINEAR's part of it" "$test" liblinear
grep -v '^2' "$top/data/iris.train" > two && arow-train -q two model && compare 'two classes' "$test" model
for map in nystrom fourier; do
    arow-train -q --map $map --map-dims 9 --map-gamma 2 -B 2 "$top/data/iris.train" model
    compare "$map" "$test" model
done
forward-train -q -t rbf "$top/data/iris.train" model && compare 'a kernel' "$test" model

"$embed" model '1 1:a' > out 2> err
[ $? -eq 1 ] && [ "$(wc -l < err)" -eq 1 ]
verdict 'refused' $? "$(cat out err)"

if c++ --version > version 2>&1; then
    { echo 'extern "C" {'; grep '^#include "' "$top/examples/embed.c"; echo '}'; } > embed.cpp
    c++ -std=c++20 -I"$top" -fsyntax-only embed.cpp > out 2>&1
    verdict 'headers in C++' $? "$(cat out)"
else
    echo 'skip there is no C++ compiler'
fi
