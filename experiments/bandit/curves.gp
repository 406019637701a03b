# A picture of a set from the output of bandit_curves.sh, which runs this if gnuplot is there.  By hand, for iris:
#   gnuplot -e "set_name = 'iris'" experiments/bandit_curves.gp      from experiments/bandit_curves.dat to experiments/bandit_iris.png
if (!exists("curves")) curves = "experiments/bandit_curves.dat"
if (!exists("folder")) folder = "experiments"
if (!exists("set_name")) set_name = "optdigits"
if (!exists("noises")) noises = "0,0 .15,.15 .4,.4 .2,.4 .4,.2"

learners = "bpa soba rcnbf banditron rcine rcnbf-average nsm"
titles = "BPA SOBA RCNBF Banditron RCINE 'RCNBF --play average' NSM"
colours = "#2a9d4b #8c6bb1 #d62728 #e6a817 #111111 #e377c2 #1b6ca8"
array dashes[7] = [1, 1, 1, 2, 3, 1, 1] # without noise the third to the fifth are the same

set datafile separator "\t"
png = strstrt(GPVAL_TERMINALS, " pngcairo ") ? "pngcairo" : "png"
set terminal @png size 1200,800 font "Sans,10"
set output folder . "/bandit_" . set_name . ".png"

# Columns: 1 set, 2 noise, 3 learner, 4 rounds, 5 error
error(noise, learner) = (strcol(1) eq set_name && strcol(2) eq noise && strcol(3) eq learner && $5 > 0) ? $5 : NaN
stats curves using (strcol(1) eq set_name ? $4 : NaN):(strcol(1) eq set_name && $5 > 0 ? $5 : NaN) nooutput
first = STATS_min_x
last = STATS_max_x
least = STATS_min_y

set logscale xy
set xrange [first:last]
set yrange [least * .9:1]
set format x "10^{%L}"
set ytics ("1" 1, ".5" .5, ".2" .2, ".1" .1, ".05" .05, ".02" .02, ".01" .01, ".005" .005, ".002" .002, ".001" .001)
set grid xtics ytics back lt 1 lw 1 lc rgb "#d8d8d8"
unset key
set multiplot layout 2,3 margins .05,.98,.07,.91 spacing .05,.1 title set_name . ": share of wrong labels among those shown so far, mean of the runs"
do for [n = 1 : words(noises)] {
    noise = word(noises, n)
    comma = strstrt(noise, ",")
    set title "rho_0 = " . noise[1 : comma - 1] . ", rho_1 = " . noise[comma + 1 : *]
    set xlabel n > 2 ? "rounds" : ""
    plot for [l = 1 : words(learners)] curves using 4:(error(noise, word(learners, l))) with lines lw 2 dt dashes[l] lc rgb word(colours, l) notitle
}
# the legend, in the room of one more panel
unset title
unset xlabel
unset border
unset tics
unset grid
set key center center Left reverse samplen 4 spacing 1.6 font "Sans,12"
plot for [l = 1 : words(learners)] 2 * last with lines lw 2 dt dashes[l] lc rgb word(colours, l) title word(titles, l)
unset multiplot
