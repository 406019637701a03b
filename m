solver_type L2R_L2LOSS_SVC_DUAL
nr_class 2
label 2 1
nr_feature 2
bias -1
w
-0.5 
0.5 
libdoubt 1
learner arow
seed 1
unit_length 0
zero_based 0
form diag
r 1
k 1
average 0
rounds 2
mistakes 2
updates 2
sigma
0.5 
0.5 
end
