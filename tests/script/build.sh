# The Makefile's targets, and tests/run, in a copy of the checkout whose name has a blank; the programs are
# those that are built already.
# Options of a make that runs this are not for those below.
. "$top/tests/checks.sh"
compile="${CC:-cc} ${CFLAGS:-} ${LDFLAGS:-}"
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
check 'version' "$($make -n dist | sed -n 's,.*/\(.*\)\.tar$,\1,p')" \
    "$(arow-train --version | sed 's/.* /libdoubt-/')"
check 'version: debian/changelog' "$(sed -n '1s/.*(\(.*\)) .*/\1/p' debian/changelog)" \
    "$(arow-train --version | sed 's/.* //')"
$make help | sed -n 's/^  make \(.*\)  .*/\1/p' | tr -s ' ' '\n' | sort > "$here/listed"
$make -pn | sed -n 's/^\.PHONY: //p' | tr ' ' '\n' | sort > "$here/targets"
check 'help: all targets' "$(comm -13 "$here/listed" "$here/targets")" ''

# Folders that are refused.
for wrong in 'BUILD=a b' 'BIN=a b/' BUILD=. BUILD= BUILD=/ BUILD=../ BUILD=tests BUILD=./bench/ BUILD=doc \
    BUILD=tests/unit; do
    $make -n clean "$wrong" > "$here/out" 2>&1; check "$wrong is refused" $? 2
done

# What make clean would remove.
$make -n clean BUILD="$here/objects" BIN="$here/programs" > "$here/out"
check 'clean: BUILD' "$(cut -d' ' -f3 "$here/out")" "$here/objects"
removed=$(tr ' ' '\n' < "$here/out" | grep -v -e '-mpi$' | grep -c "^$here/programs/")
check 'clean: BIN' "$removed" "$(echo "$programs" | wc -l | tr -d ' ')"

# As if all had been built here: newer than every source.
mkdir -p "$here/built" "$here/objects"
for name in $programs; do cp "$BIN$name" "$here/built/$name"; done
cp "${tests%/*}/libdoubt.a" "$here/objects"
old="-o $here/objects/libdoubt.a $(for name in $programs; do echo "-o $here/built/$name"; done)"
# run_make TARGET VARIABLE...; $old is a list of words
run_make() { $make -s $old BUILD="$here/objects" BIN="$here/built" "$@" > "$here/out" 2>&1; }
(umask 077 && run_make install DESTDIR="$here/root dir" PREFIX=/opt/x LIBDIR=/opt/x/lib/cpu)
check 'install: status' $? 0
installed="$here/root dir/opt/x"
closed=$(cd "$installed" && find . ! -perm -005 -type d; cd "$installed/bin" && find . ! -perm -005)
check 'install: closed to others' "$closed" ''
# What is installed for each program: installed_for FOLDER, names without what their kind adds.
installed_for() { (cd "$installed/$1" && ls | sed 's/^_//; s/\.1$//' | sort); }
for folder in bin share/man/man1 share/bash-completion/completions share/zsh/site-functions; do
    check "install: $folder" "$(installed_for $folder)" "$(echo "$programs" | sort)"
done
check 'install: libdoubt(5) and (7)' "$(cd "$installed/share/man" && ls man5 man7 | paste -s -d ' ' -)" \
    'man5: libdoubt.5  man7: libdoubt.7'
# libdoubt(7) and README.md name these by their paths from here; pages have links.
pages=$installed/share/doc/libdoubt
named=$(cd "$top" && grep -ohE '(doc|examples)/[a-z0-9_/-]+\.[a-z]+' README.md man/libdoubt.7 | sort -u)
absent=$(for file in $named; do [ -e "$pages/$file" ] || echo "$file"; done)
check 'install: documents and examples' "$absent" ''
absent=$(cd "$pages" && find . -name '*.md' | while read -r page; do
    grep -o '](\([^)]*\))' "$page" | sed 's/^](//; s/[#)].*//' | grep -v '^http' | while read -r link; do
        [ -e "${page%/*}/$link" ] || echo "$page: $link"
    done
done)
check 'install: what pages link to' "$absent" ''
(unset BIN && PATH="$installed/bin:$PATH" "$pages/examples/matrix.sh") > "$here/out" 2> "$here/err"
verdict 'install: examples run' $? "$(cat "$here/err")"
check 'install: LIBDIR' "$(cd "$installed/lib/cpu" && ls libdoubt.a pkgconfig | paste -s -d ' ' -)" \
    'libdoubt.a  pkgconfig: libdoubt.pc'
run_make uninstall DESTDIR="$here/root dir" PREFIX=/opt/x LIBDIR=/opt/x/lib/cpu
check 'uninstall: what is left' "$(find "$installed" ! -type d)" ''

# examples/embed.c, outside the tree, with what is installed and no more; where there is no pkg-config, its
# flags are read from the file.
run_make install PREFIX="$here/prefix" || cat "$here/out"
cp "$top/examples/embed.c" "$here"
PKG_CONFIG_PATH="$here/prefix/lib/pkgconfig" pkg-config --cflags --libs libdoubt \
    > "$here/flags" 2> "$here/err" ||
    sed -n "s,\\\${libdir},$here/prefix/lib,; s,\\\${includedir},$here/prefix/include,
        s/^Cflags: //p; s/^Libs: //p" "$here/prefix/lib/pkgconfig/libdoubt.pc" > "$here/flags"
# shellcheck disable=SC2046,SC2086 # flags are words
(cd "$here" && $compile embed.c $(cat flags) -o embed) > "$here/out" 2>&1
verdict 'libdoubt.pc: embed.c is linked' $? "$(cat "$here/out")"
arow-train -q "$top/data/iris.train" "$here/model"
arow-predict -q "$top/data/iris.test" "$here/model" "$here/labels"
while read -r line; do "$here/embed" "$here/model" "$line"; done < "$top/data/iris.test" > "$here/embedded"
same 'libdoubt.pc: embed.c predicts' "$here/labels" "$here/embedded"
(cd "$here" && ${CC:-cc} -M $(cat flags) embed.c) | tr ' ' '\n' | grep include/libdoubt/ | sort \
    > "$here/included"
check 'install: headers' "$(find "$here/prefix/include" -type f | sort)" "$(cat "$here/included")"

# A tarball of an unpacked tarball holds the same files, and has the same bytes when it is made again.
$make -s dist > "$here/out" 2>&1; check 'dist: status' $? 0
(cd "$here" && gzip -dc 'a copy/build/'libdoubt-*.tar.gz | tar xf -)
diff -r . "$here"/libdoubt-* > "$here/out"
check 'dist: all files and no product' "$(cat "$here/out")" 'Only in .: build'
if ! command -v git > /dev/null; then
    echo 'skip dist: the same bytes: there is no git'
    exit 0
fi
date='@86400 +0000'
(git init -q . && git add . && GIT_COMMITTER_DATE=$date GIT_AUTHOR_DATE=$date \
    git -c user.name=a -c user.email=a@example.org commit -qm a && $make -s dist) > "$here/out" 2>&1
check 'dist: status in a repository' "$? $(cat "$here/out")" '0 '
cp build/libdoubt-*.tar.gz "$here/first"
touch README.md && sleep 1 && $make -s dist
same 'dist: the same bytes again' build/libdoubt-*.tar.gz "$here/first"
