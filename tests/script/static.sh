# make static: a static program with musl chooses the widest vectors that the processor has, as one with
# the usual libc does.  (.ci/platforms builds all programs so, and compares their outputs.)
. "$top/tests/checks.sh"
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES LDFLAGS
make='make'
command -v gmake > /dev/null && make=gmake
$make -n -C "$top" --no-print-directory static BUILD=build 2>&1 | head -n 1 |
    grep -q 'CC="musl-gcc" .*-static'
verdict 'make static: links with musl, statically' $? 'it does not'
if ! command -v musl-gcc > /dev/null; then
    echo 'skip static programs: there is no musl-gcc'
    exit 0
fi
cd "$top" || exit
here=$OLDPWD
musl-gcc -static -O2 -std=c11 -D_XOPEN_SOURCE=700 -ffp-contract=off -I. tests/unit/test_vectors.c \
    common/base/random.c -lm -o "$here/vectors" 2> "$here/err"
verdict 'static: linked' $? "$(cat "$here/err")"
check 'static: the versions that the processor can take' "$("$here/vectors")" "$("$tests/test_vectors")"
# On a processor without wide vectors there are two versions: the one that is taken, and any x86-64's.
if command -v qemu-x86_64 > /dev/null && [ "$(uname -m)" = x86_64 ]; then
    check 'static: a processor without AVX' "$(qemu-x86_64 -cpu qemu64 "$here/vectors" | tail -n 1)" \
        '2 passed, 0 failed'
else
    echo 'skip static programs without AVX: there is no qemu-x86_64'
fi
