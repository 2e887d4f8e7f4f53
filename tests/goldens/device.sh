#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The integer test data of CMSIS-NN on the variant networks, and on the same with activations of 16 bits, as the functional
# model has them: what libtulle has an operator for is right in every element, and the reasons for the rest are known.
# timeout: 300

# shellcheck source=tests/goldens/lib.sh
source "$TOP/tests/goldens/lib.sh"
# shellcheck source=tests/goldens/device/lib.sh
source "$TOP/tests/goldens/device/lib.sh"

# left_out WORDS: how many cases are, for such a reason.
left_out() {
    awk -v words="$1" '/^left out/ { reasons = 1 } reasons && index($0, words) { n++ } END { print n + 0 }' out
}

# known CASES WORDS
known() {
    (($(left_out "$2") == $1)) || fail "$(left_out "$2") cases are left out for '$2', not $1"
}

export TULLE_DEVICES="model:networks"
compares 84 27780 --device 0
known 4 'average-pool: exclude_padding'
known 35 'another width'
TULLE_DEVICES="model:networks;set=data_width=16;set=acc_width=48;set=plain_weights=off" compares 41 7907 --device 0
known 2 'average-pool: exclude_padding'
# A device that lacks a rounding does other sums.
TULLE_DEVICES="model:networks;set=softmax=0;set=roundings=off" run 0 --device 0 cmsis
(($(left_out 'rounds halves up only') > 50)) || fail "networks without roundings computes two steps"
