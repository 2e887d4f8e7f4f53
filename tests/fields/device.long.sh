#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The cases of gen/isa/evidence.tsv and every reserved bit on a Verilated device, which must give what the models give.
# timeout: 1200
set -euo pipefail

# shellcheck source=tests/sim_board/lib.sh
source "$TOP/tests/sim_board/lib.sh"

keys=()
while read -r key; do
    keys+=(--set "$key")
done <"$TOP/tests/fields/variant"
"$TOP/sim/board/build" -o "$BOARDS/fields" tiny "${keys[@]}"
cd "$TOP"
"$BUILD/tests/tool/fields-test" "$BOARDS/fields" || fail "fields"
# Joins of two tensors: all three, with a vector and without, whatever the memory does.
for seed in 0 1 2 3 4 5; do
    "$BUILD/bin/tulle-sim" join --board "sim:$BOARDS/fields" --rows 30 --n 22 --seed "$seed" --stalls "$seed" || fail "join, seed $seed"
done
# Softmax of rows of all lengths.
for n in 1 2 7 8 100 255; do
    "$BUILD/bin/tulle-sim" softmax --board "sim:$BOARDS/fields" --rows 5 --n "$n" --seed "$n" --stalls "$((n % 3))" || fail "softmax, rows of $n"
done
finish
