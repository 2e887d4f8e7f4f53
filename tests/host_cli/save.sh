#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tulle run --save and --load: the same results without planning, and what an operator that was loaded is not for.

# shellcheck source=tests/host_cli/lib.sh
source "$(dirname "$0")/lib.sh"
plain_build
here=(--device model:tiny)
small=(spmm --rows 16 --k 128 --n 64)

does run "${small[@]}" "${here[@]}" --save op --output first.npy --json
plan=$(field plan out)
does run spmm "${here[@]}" --load op --output second.npy --json
cmp first.npy second.npy
[[ $(field plan out) == "$plan" && $(field m out) == 16 && $(field k out) == 128 && $(field n out) == 64 ]] ||
    fail "another operator: $(cat out)"
does run spmm "${here[@]}" --load op --check
does explain "${small[@]}" "${here[@]}" --save other
cmp op other
does run "${small[@]}" --left "${here[@]}" --save left
does run spmm --left "${here[@]}" --load left --check
does run spmv --rows 30 --k 50 "${here[@]}" --save vector --scale 0.01
does run spmv "${here[@]}" --load vector --check --scale 0.01

refuses 1 'op: error: this is an operator of spmm without --left' run spmv "${here[@]}" --load op
refuses 1 'op: error: this is an operator of spmm without --left' run spmm --left "${here[@]}" --load op
refuses 1 'vector: error: this is an operator of spmv' run spmm "${here[@]}" --load vector
refuses 1 'is 17 by --rows, and 16 by op' run spmm "${here[@]}" --load op --rows 17
refuses 1 'does not match the options' run spmm "${here[@]}" --load op --check --seed 2
refuses 1 'does not match the options' run spmm "${here[@]}" --load op --check --output-type int8
refuses 1 '' run spmm --device model:base --load op
head -c 1000 op >short
refuses 1 'short' run spmm "${here[@]}" --load short
head -c 3000 /dev/zero >zeros
refuses 1 'zeros' run spmm "${here[@]}" --load zeros

# The right sizes and the wrong values: that is what --check is for.
cat >w.mtx <<'END'
%%MatrixMarket matrix coordinate integer general
2 2 2
1 1 3
2 2 4
END
sed '4s/4$/5/' w.mtx >v.mtx
does run spmm --rows 1 --weights w.mtx "${here[@]}" --save w
does run spmm --weights w.mtx "${here[@]}" --load w --check --output keep.npy
echo before >keep.npy
refuses 1 'wrong: row 0, column 1 of the result is' run spmm --weights v.mtx "${here[@]}" --load w --check --output keep.npy
[[ $(<keep.npy) == before ]] || fail "a wrong result was written"
