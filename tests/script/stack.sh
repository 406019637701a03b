# A main stack of 64 KB is enough for every program, and what its threads need they have.
# The environment lies on the stack too: without it.  Sanitizers take more (and much address space).
small() {
    (ulimit -s "$stack" && env -i PATH="$PATH" "$@") > said 2>&1
}
stack=64
if ! (ulimit -v 1000000; arow-train --version) > said 2>&1 || ! small arow-train --version; then
    echo "skip a small stack does not go with this build: $(head -n 1 said | cut -c 1-80)"
    echo 'ok skipped'
    exit
fi
works() {
    small "$@"
    status=$?
    if [ "$status" -eq 0 ]; then echo "ok $*"; else echo "FAIL $*: status $status: $(head -n 1 said)"; fi
}
cp "$top/data/iris.train" train
cp "$top/data/iris.test" test
awk 'NR % 3 == 0' train > few
awk '$1 < 3' train > two
cut -d' ' -f1 test > truth
for learner in adagrad-rda arow-hinge perceptron pa pa1 pa2 cw arow; do
    works arow-train -s $learner train arow
done
works arow-train -s sop two sop
works arow-train -v 3 -T 4 train
works arow-train -f full train full
works arow-train --stream -T 4 train streamed
for type in mu-svm m-svm svm-ova svm-ovo u-svm-ova u-svm-ovo s3vm-ova; do
    case $type in *u-svm*) universum='-u test' ;; s3vm*) universum='-u test' ;; *) universum= ;; esac
    works musvm-train -s $type $universum train musvm
    works musvm-train -s $type $universum -v 3 -T 4 train
done
for kernel in linear polynomial rbf sigmoid; do
    works musvm-train -t $kernel -b -g 0.1 few musvm
done
works musvm-train -C span -T 4 --grid-c 0.1,1 few musvm
works musvm-train -C loo-local -T 4 --grid-c 0.1,1 few musvm
for strategy in error confusion random; do
    works uma-train -s $strategy train uma
done
works forward-train -c identity train forward
works forward-train --confusion-out matrix train forward
works forward-train -v 3 -T 4 train
for learner in rcnbf banditron bpa soba nsm 'rcine -n 100' 'rcine -n 100 --estimator mlp --epochs 2' \
    'rcine -n 100 --estimator mlp-authors --epochs 2'; do
    works rcnbf-train -s $learner --labels 1-3 train rcnbf
done
for family in arow forward musvm uma rcnbf; do
    works $family-predict -T 4 test $family out
done
cp arow twin
works arow-merge arow twin
works confusion truth truth
works fourier -D 20 -g 1 train
works kpca-train -D 5 train kpca
works kpca-project test kpca out
works label-noise train
works suspects train
works synth toy
works universum train
