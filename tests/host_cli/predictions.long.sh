#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The cycles that users are told before a run are within 5 % of those that the simulated base takes: windows with borders of every
# kind, groups, dilation, activations with zeros, nearly empty matrices, vectors. And of those of the simulated graph, for the sums
# of clusters whose short packets take turns on the row bus.
# timeout: 1500

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
need verilator
# shellcheck source=tests/host_cli/lib.sh
source "$(dirname "$0")/lib.sh"
plain_build

"$TOP/sim/board/build" -o "$BUILD/board/base" base
device=sim:$BUILD/board/base

# predicts LEAST OPERATOR ARGUMENT...: also, the efficiency is at least so many hundredths.
predicts() {
    does explain "${@:2}" --device "$device" --measure --json
    awk -v least="$1" -v what="${*:2}" '
        function number(name) { match($0, "\"" name "\": [0-9.]+"); return substr($0, RSTART + length(name) + 4, RLENGTH - length(name) - 4) + 0 }
        { predicted = number("predicted_cycles"); cycles = number("cycles"); efficiency = number("efficiency") }
        END {
            ratio = cycles ? predicted / cycles : 0
            printf "%-80s %d cycles, predicted %.3f of them, efficiency %.3f\n", what, cycles, ratio, efficiency
            exit !(ratio >= 0.95 && ratio <= 1.05 && efficiency * 100 >= least)
        }' out || fail "${*:2}"
}

predicts 0 conv --in 9x8x64 --pad 1 --density 0.3
predicts 0 conv --in 14x14x64 --kernel 1x7 --pad 0x3 --density 0.3
predicts 0 conv --in 55x55x3 --kernel 11 --stride 4 --density 0.5
predicts 0 conv --in 14x14x64 --pad 1 --density 0.3 --act-density 0.4
predicts 0 dwconv --in 28x28x128 --pad 1 --density 0.5
predicts 75 dwconv --in 14x14x480 --kernel 5 --stride 2 --pad 2 --density 1
predicts 85 conv --in 33x33x64 --dilation 6 --pad 6 --density 0.2
predicts 85 conv --in 28x28x128 --pad 1 --groups 32 --out-channels 128 --density 1
predicts 0 pool --in 28x28x64 --kernel 3 --stride 2 --pad 1 --pool average
predicts 60 spmm --rows 64 --k 512 --n 2048 --density 0.02
predicts 0 spmv --rows 2000 --k 2000 --graph 30000
predicts 0 spmm --left --rows 2000 --k 2000 --graph 30000 --n 16

# Sums that begin with what is read from memory: biases, and sums of the k steps before.
{
    printf '%%%%MatrixMarket matrix array integer general\n512 1\n'
    seq 512
} >bias.mtx
predicts 0 spmm --rows 64 --k 512 --n 512 --density 0.02 --bias bias.mtx
predicts 0 conv --in 14x14x64 --out-channels 512 --kernel 1 --density 0.05 --bias bias.mtx
predicts 0 conv --in 14x14x16 --out-channels 512 --density 0.05 --bias bias.mtx
predicts 0 spmm --rows 16 --k 8192 --n 4096 --density 0.001 --mapping is --split mm

# cycles ARGUMENT...: of a run.
cycles() {
    does run "$@" --device "$device" --check --json
    grep -o '"cycles": [0-9]*' out | grep -o '[0-9]*$'
}

# A sparse matrix on the left goes vector by vector where that is faster, and faster than as many jobs.
graph=(--rows 2000 --k 2000 --graph 30000)
one=$(cycles spmv "${graph[@]}") sixteen=$(cycles spmm --left "${graph[@]}" --n 16)
echo "a graph with 16 columns: $sixteen cycles, 16 times a vector's $one"
((10 * sixteen <= 9 * 16 * one)) || fail "16 columns of a graph take $sixteen cycles, and a vector $one"

"$TOP/sim/board/build" -o "$BUILD/board/graph" graph
device=sim:$BUILD/board/graph
predicts 33 spmv --rows 40000 --k 200000 --density 0.00003
