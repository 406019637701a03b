# Make a manual page from a page in Markdown; man/pages.sh calls it.
#
# section, version, kind, name, see   what the page says of itself
# wanted                              sections to take, |one|another|; empty: all
#
# What stands before the first section becomes DESCRIPTION.  A row of a table becomes an item, its first
# column the tag; links become their text.

function roff(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    return text
}
# Text with its marks: `code`, **strong**, [text](address).
function prose(text,    out, address, words) {
    # A link alone in parentheses is for readers of the tree, but for a program's [page].
    gsub(/ \(\[page\]/, " (\002", text)
    gsub(/ \(\[[^]]*\]\([^)]*\)\)/, "", text)
    gsub(/\002/, "[page]", text)
    while (match(text, /!?\[[^]]*\]\([^)]*\)/)) {
        words = address = substr(text, RSTART, RLENGTH)
        sub(/^!?\[/, "", words)
        sub(/\]\(.*/, "", words)
        sub(/.*\]\(/, "", address)
        sub(/\)$/, "", address)
        text = substr(text, 1, RSTART - 1) (words == "page" ? address : words) substr(text, RSTART + RLENGTH)
    }
    text = roff(text)
    while (match(text, /`[^`]*`|\*\*[^*]*\*\*/)) {
        words = substr(text, RSTART, RLENGTH)
        gsub(/^(`|\*\*)|(`|\*\*)$/, "", words)
        out = out substr(text, 1, RSTART - 1) "\\fB" words "\\fR"
        text = substr(text, RSTART + RLENGTH)
    }
    return out text
}
# A line of output; roff takes a dot or an apostrophe at its start for a request.
function put(text) { print (text ~ /^[.']/ ? "\\&" : "") text }
# A paragraph is collected first: a mark may begin in one line and end in the next.
function flush() {
    if (text != "") put(prose(text))
    text = ""
}
function block(inside) {
    flush()
    if (inside == code) return
    print inside ? ".PP\n.nf" : ".fi\n.PP"
    code = inside
}
# A row of a table: an item.
function row(line,    cell, n, i, given) {
    gsub(/\\\|/, "\001", line)
    n = split(line, cell, /[ ]*\|[ ]*/)
    for (i = 2; i < n; i++) gsub(/\001/, "|", cell[i])
    print ".TP"
    put(prose(cell[2]))
    for (i = 3; i < n; i++) {
        if (cell[i] == "") continue
        if (given) print ".br"
        put(prose(cell[i]))
        given = 1
    }
}

BEGIN {
    printf ".TH LIBDOUBT %s \"\" \"LIBDOUBT %s\" \"%s\"\n.SH NAME\n", section, version, kind
    print "libdoubt \\- " roff(name)
    print ".SH DESCRIPTION"
    taken = 1
}
/^# / { next }
/^## / && !fence {
    block(0)
    title = substr($0, 4)
    taken = wanted == "" || index(wanted, "|" title "|") > 0
    begun = 1
    if (taken) print ".SH " toupper(roff(title))
    next
}
# Before the first section of a page that is not taken whole: its first paragraph.
!begun && wanted != "" && /^$/ && described { flush(); taken = 0 }
!taken { next }
/^```/ { fence = !fence; block(fence); next }
fence { put("  " roff($0)); next }
/^    / { block(1); put(roff(substr($0, 3))); next }
{ if ($0 != "" && code) block(0) }
/^\|/ { flush(); if (++rows > 2) row($0); next } # not the head of a table and the line below it
{ rows = 0 }
/^$/ { flush(); if (!code) print ".PP"; next }
/^\* / { flush(); print ".IP \\(bu 2"; text = substr($0, 3); next }
{ sub(/^ +/, ""); text = text (text == "" ? "" : " ") $0; described = 1 }
END { block(0); print ".SH SEE ALSO"; print see }
