# Compare a model of arow-train with one epoch of a golden case.
#   awk -v epoch=E -v weights=mu|mu_avg -f golden_arow.awk case.txt model
# Weights, covariance, counts and the further state must agree to 1e-12, absolute plus relative.  Prints what
# differs; exit status 1 then.
FNR == 1 { file++ }
file == 1 && $1 == "dim" { d = $2 }
file == 1 && $1 == "option" { option[$2] = $3 }
file == 1 && $1 == "epoch" && $2 <= epoch && ($3 == "mistakes" || $3 == "updates") { count[$3] += $4 }
file == 1 && $1 == "epoch" && $2 == epoch {
    for (i = 4; i <= NF; i++) golden[$3, i - 3] = $i
    size[$3] = NF - 3
    next
}
file == 1 { next }

$1 == "nr_class" { K = $2 == 2 ? 1 : $2 }
/^[a-z]/ { block = NF == 1 ? $1 : ""; row = 0; if (NF > 1) value[$1] = $2; next }
block != "" {
    row++
    for (i = 1; i <= NF; i++) cell[block, row, i] = $i
    columns[block] = NF
    rows[block] = row
}

function compare(name, n, got, want) {
    compared++
    difference = got - want
    if (difference < 0) difference = -difference
    bound = 1e-12 * (1 + (want < 0 ? -want : want))
    if (!(difference <= bound)) { printf "%s %d: %.17g, golden %.17g\n", name, n, got, want; bad = 1 }
}

# Golden tables are [class][feature]; in a model a row is a feature.
function compare_table(name, block,   k, j) {
    if (!((name, 1) in golden)) return
    if (rows[block] != d || columns[block] != K) {
        print block ": wrong shape " rows[block] " x " columns[block]
        bad = 1
        return
    }
    for (k = 1; k <= K; k++)
        for (j = 1; j <= d; j++)
            compare(name, (k - 1) * d + j, cell[block, j, k], golden[name, (k - 1) * d + j])
}

END {
    compare_table(weights, "w")
    if (option["cov"] == "full" || option["cov"] == "block") {
        for (i = 1; i <= K * d; i++)
            for (j = 1; j <= d; j++)
                compare("sigma", i, cell["sigma", i, j], golden["sigma", (i - 1) * d + j])
    } else {
        compare_table("sigma", "sigma")
    }
    compare_table("v", "v")
    compare_table("u", "u")
    compare_table("s", "squares")
    compare("mistakes", 1, value["mistakes"], count["mistakes"])
    compare("updates", 1, value["updates"], count["updates"])
    if (compared < d * K + 2) { print "only " compared " numbers compared"; bad = 1 }
    exit bad
}
