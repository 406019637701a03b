# Figures 1a and 1b of the UMA papers, for toy.sh, from its numbers.
set ylabel "norm of the off-diagonal test confusion matrix"
set yrange [0:3.2]
set errorbars small

# Columns: 4 x, 6 mean, 7 standard deviation.  Some curves are moved by a little, or their bars hide each other.
x(f, learner, shift) = (strcol(1) eq f && strcol(2) eq learner && strcol(4) ne "-") ? real(strcol(4)) + shift : NaN

if (figure eq "a") {
set title "UMA given the true C_i, and the perceptron (C = I): mean and standard deviation over the runs"
set xlabel "noise ||C_i - diag(C_i)||_F: i = 1, 2, .. 11 and, close together at the right, 12 to 20"
set xrange [0:1.25]
set key outside below vertical maxrows 3 Left reverse; set bmargin 8
plot \
     numbers using (x("a", "perceptron last", -.004)):6:7 with yerrorlines lw 1.5 pt 5 ps .8 lc rgb c_perceptron title "perceptron, last of 300 iterations", \
     numbers using (x("a", "perceptron best", 0)):6 with linespoints lw 1.5 dt 2 pt 4 ps .8 lc rgb c_perceptron title "perceptron, best of 300", \
     numbers using (x("a", "perceptron defaults", 0)):6 with linespoints lw 1.5 dt 3 pt 1 ps .8 lc rgb c_perceptron title "perceptron, defaults", \
     numbers using (x("a", "UMA last", .004)):6:7 with yerrorlines lw 1.5 pt 7 ps .8 lc rgb c_uma title "UMA, last of 300 iterations", \
     numbers using (x("a", "UMA best", 0)):6 with linespoints lw 1.5 dt 2 pt 6 ps .8 lc rgb c_uma title "UMA, best of 300", \
     numbers using (x("a", "UMA defaults", 0)):6 with linespoints lw 1.5 dt 3 pt 2 ps .8 lc rgb c_uma title "UMA, defaults"

} else {
set title "Labels changed by M, UMA given C_i: mean and standard deviation over the runs"
set xlabel "rho = 1 - i/10: noise over-estimated at the left of 0, under-estimated at the right"
set xrange [-1.05:1.05]
set yrange [1:3.2]
set key inside bottom right vertical maxrows 3
plot \
     numbers using (x("b", "UMA last", .01)):6:7 with yerrorlines lw 1.5 pt 7 ps .8 lc rgb c_uma title "1000 examples, last of 300 iterations", \
     numbers using (x("b", "UMA best", -.01)):6:7 with yerrorlines lw 1.5 pt 6 ps .8 lc rgb c_uma_random title "1000 examples, best of 300", \
     numbers using (x("c", "UMA last", 0)):6:7 with yerrorlines lw 1.5 pt 9 ps .8 lc rgb c_full title "50000 examples, last of 300 iterations"
}
