# The Makefile's targets, and tests/run, in a copy of the checkout whose name has a blank; the programs are
# those that are built already.
# Options of a make that runs this are not for those below.
. "$top/tests/checks.sh"
unset TEST_TIMES TEST_ALL MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL BUILD CFLAGS LDFLAGS CPPFLAGS V
make='make'
command -v gmake > /dev/null && make=gmake
here=$(pwd)
mkdir 'a copy'
(cd "$top" && find . \( -name .git -o -name build -o -name '*.o' \) -prune -o -type f -print) \
    | grep -v -x -F -f "$top/.gitignore" > files
programs=$(sed -n 's,^/\(.*[^/]\)$,\1,p' "$top/.gitignore")
for name in $programs; do echo "./$name"; done > products
grep -v -x -F -f products files | (cd "$top" && tar cf - -T -) 2> err | (cd 'a copy' && tar xf -)
cd 'a copy' || exit

# Tests by absolute names, from a folder with a blank.
block='## data with a blank before them\n$ arow-train -q $data/iris.train m && tail -n 1 m\n> end\n'
printf "$block" > tests/cli/usage.test
sh tests/run "$BIN" "$tests" usage.test > "$here/out" 2>&1
check 'absolute folders: tests' "$(cat "$here/out")" '1 passed, 0 failed'

# A case file with a line that is nothing, and one with nothing to run.
for line in 'stray' '>x' '2>x' '?1' '? x' '#x' ' > x' '## nothing to run'; do
    printf "$block%s\n" "$line" > tests/cli/usage.test
    sh tests/run "$BIN" "$tests" usage.test > "$here/out" 2>&1
    check "a case file with: $line" "$(head -n 1 "$here/out" | cut -d: -f1,2)" 'FAIL usage.test:4'
done

# One line a command; with V=1 all of it, with -s nothing.  The version has one source.
object=build/common/base/error.o
check 'make' "$($make $object)" 'CC  common/base/error.o'
check 'make again' "$($make $object)" "$make: '$object' is up to date."
touch common/base/error.h
check 'make -s, a new header' "$($make -s $object; $make -q $object; echo $?)" 0
touch common/base/error.h
check 'make V=1' "$($make V=1 $object | sed 's/.* -c //')" "-o $object common/base/error.c"
check 'version' "$($make -n dist | sed -n 's/.* > \(.*\)\.tar.gz .*/\1/p')" \
    "$(arow-train --version | sed 's/.* /libdoubt-/')"
$make help | sed -n 's/^  make \(.*\)  .*/\1/p' | tr -s ' ' '\n' | sort > "$here/listed"
$make -pn | sed -n 's/^\.PHONY: //p' | tr ' ' '\n' | sort > "$here/targets"
check 'help: all targets' "$(comm -13 "$here/listed" "$here/targets")" ''

# Folders that are refused.
for wrong in 'BUILD=a b' 'BIN=a b/' BUILD=. BUILD= BUILD=/ BUILD=../ BUILD=tests BUILD=./bench/; do
    $make -n clean "$wrong" > "$here/out" 2>&1; check "$wrong is refused" $? 2
done

# What make clean would remove.
$make -n clean BUILD="$here/objects" BIN="$here/programs" > "$here/out"
check 'clean: BUILD' "$(cut -d' ' -f3 "$here/out")" "$here/objects"
removed=$(tr ' ' '\n' < "$here/out" | grep -c "^$here/programs/")
check 'clean: BIN' "$removed" "$(echo "$programs" | wc -l | tr -d ' ')"

# As if all had been built here: newer than every source.
mkdir -p "$here/built"
for name in $programs; do cp "$BIN$name" "$here/built/$name"; done
old="-o $here/objects/libdoubt.a $(for name in $programs; do echo "-o $here/built/$name"; done)"
# $old is a list of words
(umask 077
    $make -s install $old BUILD="$here/objects" BIN="$here/built" DESTDIR="$here/root dir" PREFIX=/opt/x) \
    > "$here/out" 2>&1
check 'install: status' $? 0
installed="$here/root dir/opt/x"
closed=$(cd "$installed" && find . ! -perm -005 -type d; cd "$installed/bin" && find . ! -perm -005)
check 'install: closed to others' "$closed" ''
check 'install: programs' "$(ls "$installed/bin" | sort)" "$(echo "$programs" | sort)"
pages=$(ls "$installed/share/man/man1" | sed 's/\.1$//' | sort)
check 'install: pages' "$pages" "$(echo "$programs" | sort)"
check 'install: libdoubt(5) and (7)' "$(cd "$installed/share/man" && ls man5 man7 | paste -s -d ' ' -)" \
    'man5: libdoubt.5  man7: libdoubt.7'

# A tarball of an unpacked tarball holds the same files.
$make -s dist > "$here/out" 2>&1; check 'dist: status' $? 0
(cd "$here" && gzip -dc 'a copy/build/'libdoubt-*.tar.gz | tar xf -)
diff -r . "$here"/libdoubt-* > "$here/out"
check 'dist: all files and no product' "$(cat "$here/out")" 'Only in .: build'
