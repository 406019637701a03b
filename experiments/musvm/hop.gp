# A picture of histograms of projections, for hop.sh: tmp holds M-SVM.hop and MU-SVM.hop, written by
# musvm-predict --hop; names: of the classes, ascending.
learners = "M-SVM MU-SVM"
train_colour = c_musvm
universum_colour = c_perceptron

set datafile missing NaN
K = words(names)
# A column of histograms is 225 pixels wide, that of the bars 260.
total = 60 + 225. * K + 260

# Columns: 1 set, 2 class, 3 projection, 4 predicted.  The classes are those of the universum, in its order.
array hop[2]
do for [l = 1:2] { hop[l] = tmp . "/" . word(learners, l) . ".hop" }
array class[K]
k = 0
stats hop[1] every ::1 using (strcol(1) eq "universum" && k < K ? (k = k + 1, class[k] = $2) : $2) nooutput
place(label) = sum [k = 1:K] (class[k] == label ? k : 0)
of(set, k) = strcol(1) eq set && $2 == class[k] ? $3 : NaN

array training[K] # samples of each class
do for [k = 1:K] {
    stats hop[1] every ::1 using (of("train", k)) name "T" nooutput
    training[k] = T_records
}
stats hop[1] every ::1 using (of("universum", 1)) name "U" nooutput

# One range and one width of bins for all; 0 and, mostly, the borders are in the middle of one, as the solver leaves a little on either side of them.
least = -1.2
most = 1.2
do for [l = 1:2] {
    stats hop[l] every ::1 using 3 name "P" nooutput
    least = P_min < least ? P_min : least
    most = P_max > most ? P_max : most
}
width = most - least > 8 ? .2 : .1
bin(x) = width * floor(x / width + .5)

set style fill transparent solid .55 noborder
set boxwidth width
set grid ytics back lt 1 lw 1 lc rgb "#dddddd"
set tics nomirror
set border 3
do for [side = -1:1:2] { set arrow from side,graph 0 to side,graph 1 nohead dt 2 lc rgb "#555555" front }
unset key
set label 1 "training samples of the class" at screen .49,.945 right tc rgb train_colour font "sans-serif Bold,12"
set label 2 "universum, on the class" at screen .51,.945 left tc rgb universum_colour font "sans-serif Bold,12"
set xrange [bin(least) - width : bin(most) + width]
set yrange [0:1]
set ytics .2
set xtics 1
set mxtics 2
set multiplot title heading font "sans-serif,13"
do for [l = 1:2] {
    set tmargin at screen l == 1 ? .87 : .42
    set bmargin at screen l == 1 ? .55 : .10
    numbers = hop[l]
    do for [k = 1:K] {
        set lmargin at screen (60 + 225 * (k - 1)) / total
        set rmargin at screen (60 + 225 * k - 25) / total
        set title word(learners, l) . ": " . word(names, k) offset 0,-.5
        set format y (k == 1 ? "%g" : "")
        set xlabel (l == 2 ? "projection" : "")
        set ylabel (k == 1 ? "share of the samples" : "")
        plot numbers every ::1 using (bin(of("universum", k))):(1. / U_records) smooth frequency with boxes lc rgb universum_colour, \
             numbers every ::1 using (bin(of("train", k))):(1. / training[k]) smooth frequency with boxes lc rgb train_colour
        unset label
    }
}
# The labels that prediction finds for the universum; the line: as many of each.  Where a lead is below what the solver leaves to chance (-e), the bar is light.
label(lead) = strcol(1) eq "universum" && $2 == $4 && $3 >= lead ? place($2) : NaN
set lmargin at screen (total - 225) / total
set rmargin at screen (total - 15) / total
set boxwidth .6
unset arrow
set xrange [.5:K + .5]
set yrange [0:U_records]
set format y "%g"
set ytics autofreq
unset mxtics
set xtics () nomirror
do for [k = 1:K] { set xtics add (word(names, k) k) }
set ylabel ""
do for [l = 1:2] {
    set tmargin at screen l == 1 ? .87 : .42
    set bmargin at screen l == 1 ? .55 : .10
    numbers = hop[l]
    set title word(learners, l) . ": labels of the universum" offset 0,-.5
    set xlabel (l == 2 ? "predicted (dark: lead 0.001 or more)" : "")
    plot numbers every ::1 using (label(-1)):(1) smooth frequency with boxes fs solid .25 lc rgb universum_colour, \
         numbers every ::1 using (label(.001)):(1) smooth frequency with boxes fs solid .75 lc rgb universum_colour, \
         1. * U_records / K with lines dt 2 lc rgb "#555555"
}
unset multiplot
