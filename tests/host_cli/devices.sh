#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Where tulle run finds its device: by what --device says, by the environment, and with a container; devices of other
# widths.

# shellcheck source=tests/host_cli/lib.sh
source "$(dirname "$0")/lib.sh"
plain_build
small=(spmm --rows 16 --k 128 --n 64)

# on WANTED COMMAND...: the device that is said.
on() {
    local wanted=$1
    shift
    does run "${small[@]}" --check --json "$@"
    [[ $(field device out) == "$wanted" ]] || fail "tulle run $*: not on $wanted: $(cat out)"
}

on model:base
on model:tiny --device model:tiny
TULLE_DEVICES=model:odd on model:odd
TULLE_DEVICES=model:odd,model:wide on model:wide --device model:wide
TULLE_DEVICES=model:odd on model:tiny --device model:tiny
# A device of the list keeps its settings, unless others are asked for.
TULLE_DEVICES='model:base,model:tiny;memory=8K' refuses 1 'memory' run "${small[@]}" --device model:tiny
TULLE_DEVICES='model:base,model:tiny;memory=8K' on model:tiny --device 'model:tiny;memory=8M'
TULLE_DEVICES='model:tiny;memory=8M,model:base' refuses 1 'memory' run "${small[@]}" --device 'model:tiny;memory=8K'

# Others' devices are found as the loader finds them: by number and by name.
refuses 1 'OCL_ICD_VENDORS' run "${small[@]}" --device 1
export OCL_ICD_VENDORS=$DRIVER TULLE_DEVICES=model:tiny,model:base
on model:tiny --device 0
on model:base --device 1
refuses 1 'there is no device "2"' run "${small[@]}" --device 2
refuses 1 'there is no device "nosuch"; there are' run "${small[@]}" --device nosuch
TULLE_DEVICES=model:nosuch refuses 1 'TULLE_DEVICES can be used: model:nosuch: ' run "${small[@]}"
TULLE_DEVICES=pcie:00 refuses 1 'pcie:00: 00: neither the path of a socket' run "${small[@]}" --device 0
TULLE_DEVICES=model:tiny,model:none refuses 1 'there are model:tiny; not used: model:none: ' run "${small[@]}" --device nosuch
OCL_ICD_VENDORS=/nowhere refuses 1 '' run "${small[@]}" --device model:tiny
unset OCL_ICD_VENDORS TULLE_DEVICES
# Each kind is taken for one of the driver's.
for kind in model sim pcie serial; do
    refuses 1 "--device $kind:/nowhere: " run "${small[@]}" --device "$kind:/nowhere"
done

# A container says what is on the device, and has to be right.
"$tulle" pack --model tiny -o tiny.tulle
on model:tiny --device model:tiny --container tiny.tulle
refuses 1 'the container is of variant tiny' run "${small[@]}" --device model:base --container tiny.tulle
refuses 1 'nowhere.tulle' run "${small[@]}" --device model:tiny --container nowhere.tulle

# 16 bits hold what 8 do not; wide accumulators give wide results.
matrix 20 40 30 1 | awk 'NR > 2 { $3 = $3 * 200 + 1 } { print }' >w.mtx
matrix 7 20 80 2 | awk 'NR > 2 { $3 = $3 * 250 } { print }' >a.mtx
wide='model:base;set=data_width=16;set=acc_width=48'
does run spmm --weights w.mtx --input a.mtx --device "$wide" --check --output c.mtx --json
[[ $(field output_type out) == int64 ]] || fail "sums of 48 bits in results of $(field output_type out)"
product a.mtx w.mtx | diff - <(numbers c.mtx) || fail "16 bits"
matrix 7 40 90 3 | awk 'NR > 2 { $3 = sprintf("%.0f", $3 * 1000000000) } { print }' >c0.mtx
does run spmm --weights w.mtx --input a.mtx --initial c0.mtx --device "$wide" --check --output c.mtx
product a.mtx w.mtx c0.mtx | diff - <(numbers c.mtx) || fail "sums to begin from, of more than 32 bits"
refuses 1 'is not an integer of 16 bits; --quantise' run spmm --weights c0.mtx --device "$wide"
does run spmm --weights c0.mtx --quantise --device "$wide" --check
refuses 1 'is not an integer of 32 bits' run spmm --weights w.mtx --input a.mtx --initial c0.mtx --quantise --device model:base

# A standard output that is full.
"$tulle" run "${small[@]}" --json >/dev/full 2>err && fail "a full disk, and done"
grep -q 'error: standard output cannot be written' err || fail "$(cat err)"
