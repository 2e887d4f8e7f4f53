#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The integer test data of CMSIS-NN, from the folder TULLE_DATA, against sim/numerics and against the kernels of
# host/net/cpu: no element differs, no case is left out that was compared before, and an arithmetic that is nearly right is
# noticed.

# shellcheck source=tests/goldens/lib.sh
source "$TOP/tests/goldens/lib.sh"
# What was reached. Fewer: the reader leaves out what it should read.
CASES=158
ELEMENTS=113361
CPU_CASES=146
CPU_ELEMENTS=38928

# notices ARGUMENT: a wrong arithmetic changes some results, and not most.
notices() {
    run 1 "$@" cmsis
    [[ ! -s err ]] || fail "goldens $*: $(head err)"
    (($(count differ) > 20 && $(count differ) < 2000)) || fail "goldens $*: $(count differ) elements differ"
    echo "$*: $(count differ) elements differ"
}

# refuses PATTERN: one case, broken, is an error that names the place.
refuses() {
    run 1 broken
    # shellcheck disable=SC2053  # it is a pattern
    [[ $(<err) == $1 ]] || fail "not '$1' but: $(<err)"
}

# broken_case: a copy of a good case to break.
broken_case() {
    rm -rf broken
    mkdir broken
    cp -r cmsis/basic broken/
}

compares $CASES $ELEMENTS
compares $CPU_CASES $CPU_ELEMENTS --cpu

notices --rounding halves-up
notices --rounding halves-to-even
notices --whole
notices --cpu --whole

tensor=broken/basic/basic_input.txt
broken_case
run 0 broken
sed -i '5s/.*/128/' "$tensor"
refuses "$tensor:5: error: not a number of int8_t*"
broken_case
sed -i '5s/.*/1x/' "$tensor"
refuses "$tensor:5: error: not a number of int8_t*"
broken_case
sed -i '$d' "$tensor"
refuses "$tensor:41: error: not a number of int8_t*"
broken_case
echo 0 >>"$tensor"
refuses "$tensor:42: error: more than the 40 numbers*"
broken_case
sed -i '1s/.*/# int8_t 41/' "$tensor"
refuses "$tensor:1: error: 41 numbers, but the keys want 40*"
broken_case
sed -i '1s/.*/# int9_t 40/' "$tensor"
refuses "$tensor:1: error: not '# TYPE COUNT'*"
broken_case
printf '# int8_t 1\0' >"$tensor"
refuses "$tensor: error: has bytes that are no text*"
broken_case
rm broken/basic/basic_weights.txt
refuses "*error: no tensor is called weights*"
broken_case
sed -i '/STRIDE_X/s/1/0/' broken/basic/config.tsv
refuses "broken/basic/config.tsv:20: error: STRIDE_X: a number from 1 *'0' is there*"
broken_case
sed -i '/IN_CH/d' broken/basic/config.tsv
refuses "broken/basic/config.tsv: error: IN_CH: *"
broken_case
echo STRANGE >>broken/basic/config.tsv
refuses "broken/basic/config.tsv:*: error: not a key, a tab and a value: 'STRANGE'*"
broken_case
printf 'BASIC_STRANGE\t1\n' >broken/basic/config.tsv
refuses "*error: no operator has keys as these*"
rm broken/basic/config.tsv
refuses "broken/basic/config.tsv: error: *"
rm -r broken
run 2 broken
