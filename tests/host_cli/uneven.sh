#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The cycles that users are told before a run are within 5 % of those of the run where tiles of a product differ most: rows that are dealt
# in the order of their weights, and tiles or passes whose loads take longer than their multiplications.

# shellcheck source=tests/host_cli/lib.sh
source "$(dirname "$0")/lib.sh"
plain_build

# predicts VARIANT ARGUMENT...
predicts() {
    does explain spmm --left "${@:2}" --device "model:$1;timed=1" --measure --json
    awk -v what="$*" '
        function number(name) { match($0, "\"" name "\": [0-9.]+"); return substr($0, RSTART + length(name) + 4, RLENGTH - length(name) - 4) + 0 }
        { predicted = number("predicted_cycles"); cycles = number("cycles") }
        END {
            printf "%-80s %d cycles, predicted %d\n", what, cycles, predicted
            exit !(cycles && predicted >= 0.95 * cycles && predicted <= 1.05 * cycles)
        }' out || fail "$*"
}

predicts graph --rows 8000 --k 8000 --graph 100000 --n 16
predicts graph --rows 16000 --k 16000 --graph 400000 --n 64
predicts tiny --rows 3000 --k 3000 --graph 20000 --n 64
predicts tiny --rows 3000 --k 3000 --block 4 --density 0.02 --n 64
predicts tiny --rows 3000 --k 3000 --density 0.01 --n 64
