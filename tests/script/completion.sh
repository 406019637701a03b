# What --completion prints: in bash and in zsh it offers exactly the options of -h and of the manual
# page, and in bash the words and files that an option takes.  The shells themselves run the scripts.
. "$top/tests/checks.sh"
programs=$(cd "$top/man" && ls -- *.1 | sed 's/\.1$//')

# The names of options, one per line and sorted, in the help of PROGRAM [KIND].
of_help() {
    "$@" -h | awk '/^  (-., |    )--/ { if (sub(/,$/, "", $1)) print $1 "\n" $2; else print $1 }' | sort
}
# And in its manual page: there, what all kinds have is in a section of its own, with --completion, which no
# kind has.
of_page() {
    "$1" --man | awk -v kind="${2:-}" '
        /^\.S[HS]/ { taken = /^\.SH OPTIONS/ || kind != "" && $0 == ".SS " kind }
        taken && /^\.B \\-/ {
            gsub(/\\/, "")
            if (kind != "" && $2 == "--completion") next
            if (sub(/,$/, "", $2)) print $2 "\n" $3; else print $2
        }' | sort
}

# in_bash PROGRAM WORD...: what bash offers for the last word, one per line and sorted, and first what it is
# asked to do about files.
cat > complete.bash <<'EOF'
compopt() { echo "files: $2"; }
source <("$1" --completion bash)
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
"$(complete -p "$1" | sed 's/.*-F \([^ ]*\) .*/\1/')"
[ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\n' "${COMPREPLY[@]}" | sort
EOF
in_bash() { bash --norc complete.bash "$@"; }
# offers EXPECTED PROGRAM WORD...
offers() {
    expected=$1
    shift
    check "bash: $*" "$(in_bash "$@" | paste -s -d ' ' -)" "$expected"
}

# The names of options that are given to _arguments in zsh: of '(-c --confusion)-c+[help]:file:_files', -c.
cat > complete.zsh <<'EOF'
_arguments() { print -rl -- "$@" }
compdef() { function=$1 }
source <("$1" --completion zsh)
words=("$@") CURRENT=$#
$function
EOF
in_zsh() {
    zsh -f complete.zsh "$@" | sed -n 's/^([^)]*)//; s/^\*//; s/^\(--*[a-zA-Z0-9-]*\)[+=]*\[.*/\1/p' | sort
}

for program in $programs 'synth toy' 'synth synsep' 'synth gauss' 'synth noise'; do
    of_help $program > help
    of_page $program > page
    [ -s help ] || echo "FAIL $program -h: no options are found"
    same "$program: the page names the options of -h" help page
    if command -v bash > /dev/null; then
        in_bash $program - > offered
        same "$program: bash offers the options of -h" help offered
    fi
    if command -v zsh > /dev/null; then
        in_zsh $program - > offered
        same "$program: zsh offers the options of -h" help offered
    fi
done
command -v zsh > /dev/null || echo 'skip completion in zsh: there is no zsh'
if ! command -v bash > /dev/null; then
    echo 'skip completion in bash: there is no bash'
    exit 0
fi

mkdir files && mv complete.bash files && cd files && touch data eps || exit
offers 'arow arow-hinge' arow-train -s aro
offers 'arow arow-hinge' arow-train --learner = aro
offers '' arow-train -r ''
offers '--labels --lambda --learner' arow-train -q --l
offers 'files: default' arow-train d
offers 'files: default' arow-train -m ''
offers 'files: filenames eps estimate' forward-train -c e
offers 'files: default' forward-train -c d
offers '0 1' forward-train -l ''
offers 'bash zsh' synth --completion ''
offers 'noise' synth n
offers '--keywords' synth synsep --k
offers 'observed true' synth noise -o ''
offers '' synth toy d
