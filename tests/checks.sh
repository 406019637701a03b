# shellcheck shell=sh
# How the scripts of tests/script report their checks: `ok NAME` or `FAIL NAME: why`, a line each.

# check NAME GOT EXPECTED: are these the same words?
check() {
    if [ "$2" = "$3" ]; then echo "ok $1"; else echo "FAIL $1: expected $3, got $2"; fi
}

# same NAME FILE FILE: do these hold the same bytes?
same() {
    if cmp -s "$2" "$3"; then echo "ok $1"; else echo "FAIL $1: $2 and $3 differ"; fi
}

# verdict NAME $? WHY: did the command before succeed?
verdict() {
    if [ "$2" -eq 0 ]; then echo "ok $1"; else echo "FAIL $1: $3"; fi
}

# Is what takes seconds wanted, too (tests/run)?  Else loops over what is much the same try one of it.
wants_long() { [ -n "${TEST_ALL:-}${TEST_LONG:-}" ]; }
