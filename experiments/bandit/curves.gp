# Panels of a set each, at a noise.  By curves.sh: words `sets` and `noises`, one for each panel; `by`, set or
# noise, what tells the panels apart; `heading`; the file `curves`, of these panels alone.
learners = "bpa soba rcnbf banditron rcine rcnbf-average nsm"
titles = "BPA SOBA RCNBF Banditron RCINE 'RCNBF, average' NSM"
array colour[7] = [c_bpa, c_soba, c_rcnbf, c_banditron, c_rcine, c_rcnbf_average, c_nsm]
array dashes[7] = [1, 1, 1, 2, 3, 1, 1] # without noise the third to the fifth are the same

# Columns: 1 set, 2 noise, 3 learner, 4 rounds, 5 error
error(name, noise, learner) = (strcol(1) eq name && strcol(2) eq noise && strcol(3) eq learner && $5 > 0) ? $5 : NaN
stats curves using 4:($5 > 0 ? $5 : NaN) nooutput
first = STATS_min_x
last = STATS_max_x
least = STATS_min_y

set logscale xy
set xrange [first:last]
set yrange [least * .9:1]
set format x "10^{%L}"
set ytics ("1" 1, ".5" .5, ".2" .2, ".1" .1, ".05" .05, ".02" .02, ".01" .01, ".005" .005, ".002" .002, ".001" .001, ".0005" .0005, ".0002" .0002)
set termoption enhanced
unset key
set multiplot layout 2,4 margins .05,.98,.09,.88 spacing .05,.14 title heading . ": share of wrong labels among those shown so far, mean of the runs" font ",14"
do for [n = 1 : words(noises)] {
    name = word(sets, n)
    noise = word(noises, n)
    comma = strstrt(noise, ",")
    set title by eq "set" ? name : "ρ_0 = " . noise[1 : comma - 1] . ", ρ_1 = " . noise[comma + 1 : *]
    set xlabel n > 3 ? "rounds" : ""
    plot for [l = 1 : words(learners)] curves using 4:(error(name, noise, word(learners, l))) with linespoints pt 7 ps .25 lw 2 dt dashes[l] lc rgb colour[l] notitle
    if (n == 3) {
        # the legend, in the room of one more panel
        unset title; unset xlabel; unset border; unset tics; unset grid
        set key center center Left reverse samplen 4 spacing 1.4 maxcols 1 font ",13"
        plot for [l = 1 : words(learners)] 2 * last with lines lw 2 dt dashes[l] lc rgb colour[l] title word(titles, l)
        unset key; set border 3; set grid lc rgb '#dddddd' lw 0.5; set xtics nomirror
        set ytics nomirror ("1" 1, ".5" .5, ".2" .2, ".1" .1, ".05" .05, ".02" .02, ".01" .01, ".005" .005, ".002" .002, ".001" .001, ".0005" .0005, ".0002" .0002)
    }
}
unset multiplot
