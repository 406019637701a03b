# The Makefile's other targets, in a copy of the checkout whose name has a blank, with programs that are built already: folders that
# are absolute, clean, install, dist.
check() {
    if [ "$2" = "$3" ]; then echo "ok $1"; else echo "FAIL $1: expected $3, got $2"; fi
}
# Options of a make that runs this are not for those below.
unset MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL BUILD CFLAGS LDFLAGS CPPFLAGS
make=make
command -v gmake > /dev/null && make=gmake
here=$(pwd)
mkdir 'a copy'
(cd "$top" && find . \( -name .git -o -name build -o -name '*.o' \) -prune -o -type f -print) | grep -v -x -f "$top/.gitignore" > files
programs=$(sed -n 's,^/\(.*[^/]\)$,\1,p' "$top/.gitignore")
for name in $programs; do echo "./$name"; done > products
grep -v -x -F -f products files | (cd "$top" && tar cf - -T -) 2> err | (cd 'a copy' && tar xf -)
cd 'a copy' || exit

# Tests by absolute names, from a folder with a blank.
printf '## data with a blank before them\n$ arow-train -q $data/iris.train m && tail -n 1 m\n> end\n' > tests/cli/usage.test
sh tests/run "$BIN" "$tests" usage.test > "$here/out" 2>&1; check 'absolute folders: tests' "$(cat "$here/out")" '1 passed, 0 failed'
for wrong in 'BUILD=a b' 'BIN=a b/' BUILD=. BUILD= BUILD=/ BUILD=../ BUILD=tests BUILD=./bench/; do
    $make -n clean "$wrong" > "$here/out" 2>&1; check "$wrong is refused" $? 2
done

# What make clean would remove.
$make -n clean BUILD="$here/objects" BIN="$here/programs" > "$here/out"
check 'clean: BUILD' "$(cut -d' ' -f3 "$here/out")" "$here/objects"
check 'clean: BIN' "$(tr ' ' '\n' < "$here/out" | grep -c "^$here/programs/")" "$(echo "$programs" | wc -l | tr -d ' ')"

# As if all had been built here: newer than every source.
mkdir -p "$here/built"
for name in $programs; do cp "$BIN$name" "$here/built/$name"; done
old="-o $here/objects/libdoubt.a $(for name in $programs; do echo "-o $here/built/$name"; done)"
(umask 077; $make -s install $old BUILD="$here/objects" BIN="$here/built" DESTDIR="$here/root dir" PREFIX=/opt/x) > "$here/out" 2>&1
check 'install: status' $? 0
check 'install: closed to others' "$(cd "$here/root dir/opt/x" && find . ! -perm -005 -type d)$(cd "$here/root dir/opt/x/bin" && find . ! -perm -005)" ''
check 'install: programs' "$(ls "$here/root dir/opt/x/bin" | sort)" "$(echo "$programs" | sort)"
check 'install: pages' "$(ls "$here/root dir/opt/x/share/man/man1" | sed 's/\.1$//' | sort)" "$(echo "$programs" | sort)"

# A tarball of an unpacked tarball holds the same files.
mkdir -p build/common && echo object > build/common/x.o
$make -s dist > "$here/out" 2>&1; check 'dist: status' $? 0
(cd "$here" && gzip -dc 'a copy/build/'libdoubt-*.tar.gz | tar xf -)
diff -r . "$here"/libdoubt-* > "$here/out"; check 'dist: all files and no product' "$(cat "$here/out")" 'Only in .: build'
