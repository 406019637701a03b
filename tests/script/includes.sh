# How the sources are laid out: includes go down from room to room and in no circle; how every file looks.
#
# A room is a folder.  Next to it stand the rooms that its files may include besides their own; `library` is
# all of common/ but common/program, which belongs to the programs.  Programs and tools may include anything.
rooms='
common/base         -
common/linalg       common/base
common/data         common/base
common/linear       common/base common/data
common/kernel       common/base common/linalg common/data
common/model        common/base common/linalg common/data common/linear common/kernel
common/program      library
learners/features   library
learners/online     library
learners/mlp        library
learners/uma        library
learners/musvm      library
learners/noise      library
learners/forward    library learners/noise
learners/estimate   library learners/noise learners/forward learners/features learners/musvm
learners/suspects   library learners/noise learners/estimate
learners/bandit     library learners/mlp
'
library='common/base common/linalg common/data common/linear common/kernel common/model'
echo "$rooms" | sed "s,library,$library,; /^\$/d" > table

# The files in this folder whose names end so, without products: files SUFFIX...
files() {
    for suffix; do
        find . \( -name .git -o -name build \) -prune -o -type f -name "*.$suffix" -print
    done | sed 's,^\./,,' | sort
}

# `FROM TO` of each #include "TO" in the programs, tools/, common/ and learners/ of a tree.
includes() {
    (cd "$1" && files c h | grep -v -e '^tests/' -e '^bench/' -e '^examples/' | xargs awk -F '"' '
        /^ *# *include *"/ { print FILENAME, $2 }')
}

# What is wrong with the includes of a tree, a line each.
offences() {
    includes "$1" > pairs
    while read -r from to; do
        [ -e "$1/$to" ] || echo "$from includes $to, which is not there (seen from the top of the tree)"
    done < pairs
    awk '
        function room(file) {
            return file ~ /^(common|learners)\// ? substr(file, 1, match(file, /\/[^\/]*$/) - 1) : ""
        }
        FILENAME == "table" { known[$1]; may[$1, $1]; for (i = 2; i <= NF; i++) may[$1, $i]; next }
        { from = room($1); to = room($2) }
        from == "" { next }
        !(from in known) { print $1 ": " from " is not in the table of rooms"; next }
        to != "" && !((from, to) in may) { print $1 " includes " $2 ", which is not below it" }' table pairs
    # A module is X.c with X.h; the private header X_state.h is of X.
    sed 's/\.[ch] / /; s/\.[ch]$//; s/_state / /; s/_state$//' pairs | sort -u | tsort 2>&1 > order \
        | sed 's/^tsort: -: .*/a circle:/; s/^tsort: /    /'
}

# Each kind of offence, in a tree that is right but for one include: try WHAT FILE INCLUDED MESSAGE.
try() {
    rm -rf tree
    for file in common/base/error.h common/data/a.h common/data/a_state.h common/data/b.h learners/mlp/mlp.h \
        common/program/options.h learners/forward/forward.h tools/tool.c "$2"; do
        mkdir -p "tree/${file%/*}"
        : > "tree/$file"
    done
    printf '#include <stdio.h>\n#include "common/base/error.h"\n' > tree/common/data/a.h
    printf '#include "common/data/a.h"\n' > tree/common/data/a_state.h
    printf '#include "common/data/a_state.h"\n' | tee tree/common/data/a.c > tree/common/data/b.h
    printf '#include "common/data/b.h"\n' > tree/learners/mlp/mlp.h
    printf '#include "learners/mlp/mlp.h"\n#include "common/program/options.h"\n' > tree/tools/tool.c
    printf '# include "%s"\n' "$3" >> "tree/$2"
    offences tree > found
    if [ "$(head -n 1 found)" = "$4" ]; then echo "ok $1"; else echo "FAIL $1: $(cat found)"; fi
}
down=', which is not below it'
try 'all is right' common/data/a.c common/data/a.h ''
try 'up' common/base/error.h common/data/b.h "common/base/error.h includes common/data/b.h$down"
try 'beside' learners/forward/f.c learners/mlp/mlp.h "learners/forward/f.c includes learners/mlp/mlp.h$down"
try 'of the programs' learners/mlp/m.c common/program/options.h \
    "learners/mlp/m.c includes common/program/options.h$down"
try 'a new room' learners/new/n.c common/base/error.h \
    'learners/new/n.c: learners/new is not in the table of rooms'
try 'no room' common/n.c common/base/error.h 'common/n.c: common is not in the table of rooms'
try 'from elsewhere' common/data/b.h a.h \
    'common/data/b.h includes a.h, which is not there (seen from the top of the tree)'
try 'a circle' common/data/a.c common/data/b.h 'a circle:'

offences "$top" > found
sed 's/^[^ ]/FAIL &/' found
[ -s found ] || echo 'ok includes go down'

# ---- how files look ----

(cd "$top" && files c | xargs awk '
    FNR == 1 && !/^\/\*/ { print "FAIL " FILENAME " does not open with a comment" }') > found
cat found
[ -s found ] || echo 'ok every source opens with a comment'

# In columns, not bytes.  A line of a table starts with |.
(cd "$top" && files c h sh md | xargs awk '
    { text = $0; gsub(/[\200-\277]/, "", text) }
    length(text) > 110 && !/^[|]/ { if (!n[FILENAME]++) line[FILENAME] = FNR }
    END {
        for (file in n)
            print "FAIL " file ": " n[file] " lines of more than 110 columns, the first is " line[file]
    }') | sort > found
cat found
[ -s found ] || echo 'ok no line has more than 110 columns'

# An error leaves a loop where it is found, in a line that says so.
(cd "$top" && files c h | grep -v '^tests/' | xargs awk '
    /^ *for \(.*&& !?[a-z_>.-]*(status|failed|error)[^a-z_]/ {
        print "FAIL " FILENAME ":" FNR ": the status of its body in the header of a loop" }') > found
cat found
[ -s found ] || echo 'ok no loop has the status of its body in its header'
