#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tulle run and explain on a simulated device: cycles, efficiency, what tulle-sim and the cycle model say of the same.
# timeout: 900

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
need verilator
# shellcheck source=tests/host_cli/lib.sh
source "$(dirname "$0")/lib.sh"
plain_build

folder=$BUILD/board/tiny
"$TOP/sim/board/build" -o "$folder" tiny
device=sim:$folder
small=(spmm --rows 16 --k 128 --n 64)

does run "${small[@]}" --device "$device" --check --json
cp out result
(($(field cycles result) > 0)) || fail "no cycles: $(cat result)"
awk -v cycles="$(field cycles result)" -v predicted="$(field predicted_cycles result)" \
    -v roofline="$(field roofline_cycles result)" -v efficiency="$(field efficiency result)" \
    -v macs="$(field effective_macs result)" -v utilization="$(field utilization result)" 'BEGIN {
        near = cycles > 0.9 * predicted && cycles < 1.1 * predicted
        e = roofline / cycles - efficiency
        u = macs / (8 * cycles) - utilization
        exit !(near && efficiency < 1 && e < 1e-4 && e > -1e-4 && u < 1e-4 && u > -1e-4)
    }' || fail "these figures do not go together: $(cat result)"

# tulle-sim makes the same operands of the same options.
"$BUILD/bin/tulle-sim" "${small[@]}" --board "$device" --json >other
[[ $(field nnz result) == "$(field nonzeros other)" ]] || fail "other operands: $(cat other)"
[[ $(field effective_macs result) == "$(field effective_macs other)" ]] || fail "other operands: $(cat other)"
[[ $(field roofline_cycles result) == "$(field roofline other)" ]] || fail "another roofline: $(cat other)"

does run "${small[@]}" --device "$device;latency=200;stalls=5" --check --json
(($(field cycles out) > $(field cycles result))) || fail "a slow memory costs nothing: $(cat out)"
# The cycle model with a memory of that bandwidth, of which plans know: they wait for it nearly all the time, and the model is 3 %
# below the device then.
for bandwidth in 2/5 1/64; do
    does run "${small[@]}" --device "$device;bandwidth=$bandwidth" --check --json
    cp out slow
    does run "${small[@]}" --device "model:tiny;timed=1;bandwidth=$bandwidth" --check --json
    awk -v is="$(field cycles slow)" -v model="$(field cycles out)" -v fast="$(field cycles result)" \
        'BEGIN { exit !(is > fast && is < 1.04 * model && is > 0.98 * model) }' || fail "bandwidth=$bandwidth: $(cat slow out)"
done
! "$tulle" run "${small[@]}" --device "model:tiny;bandwidth=1/2" >out 2>&1 || fail "a bandwidth without a clock"
grep -q 'give timed=1 as well' out || fail "$(cat out)"
TULLE_DEVICES="$device;latency=200" "$tulle" run "${small[@]}" --device "$device" --json >slow
(($(field cycles slow) > $(field cycles result))) || fail "settings of TULLE_DEVICES are lost: $(cat slow)"
does run "${small[@]}" --device "$device" --repeat 2 --check --output out.npy
grep -q '^efficiency  *0\.[0-9]' out || fail "no efficiency: $(cat out)"
does run "${small[@]}" --device model:tiny --output model.npy
cmp out.npy model.npy
does run spmv --rows 300 --k 600 --density 0.05 --device "$device" --check --json
does run spmm --left --rows 40 --k 60 --n 9 --device "$device" --check --relu --json
does run conv --in 9x8x20 --batch 2 --out-channels 24 --pad 1 --density 0.5 --device "$device" --check --json
awk -v cycles="$(field cycles out)" -v predicted="$(field predicted_cycles out)" \
    'BEGIN { exit !(cycles > 0.9 * predicted && cycles < 1.1 * predicted) }' || fail "not what was predicted: $(cat out)"
does run conv --in 9x8x6 --kernel 1 --stride 2 --relu --layout nchw --device "$device" --check
does run dwconv --in 9x9x20 --pad 1 --stride 2 --density 0.8 --scale 0.01 --device "$device" --check
does run pool --in 8x8x16 --kernel 2 --stride 2 --pool average --device "$device" --check
"$TOP/sim/board/build" -o "$BUILD/board/tiny-max" tiny --set functions=relu,requantise,max
does run pool --in 11x9x20 --stride 2 --pad 1 --pool max --act-density 0.5 --device "sim:$BUILD/board/tiny-max" --check
does explain "${small[@]}" --device "$device" --measure
grep -q "^chosen: .*, measured [1-9]" out || fail "not measured: $(cat out)"

# A container, and a memory that does not answer.
"$tulle" pack --sim "$folder" -o tiny.tulle
does run "${small[@]}" --device "sim:$PWD/tiny.tulle" --check
echo before >keep.npy
refuses 1 'not done in 1 s; allow more with --timeout' run "${small[@]}" --device "$device;fault=dead:read" \
    --output keep.npy --timeout 1
refuses 1 'the device ended the job with read_slave_error' run "${small[@]}" --device "$device;fault=slverr:read" \
    --output keep.npy --save op
[[ $(<keep.npy) == before ]] || fail "no result, and an output written"

# Simulated devices of the search path are listed by their names.
TULLE_BOARDS=$BUILD/board "$tulle" devices >out
grep -q '^sim:tiny  *variant tiny ' out || fail "simulated devices are not listed: $(cat out)"

# The bar follows the cycles of a long run: it stands at several places of the step. The other steps are three fifths.
TERM=xterm script -qec "'$tulle' run spmm --rows 96 --k 512 --n 512 --density 0.5 --device '$device' >out" /dev/null </dev/null >seen ||
    fail "on a terminal: $(cat seen)"
places=$(grep -ao '\[[#-]*\] running' seen | sort -u | wc -l)
((places >= 4)) || fail "the bar stands at $places places while the product runs"

# The driver is found beside an installed command, too.
mkdir -p there/bin there/lib
cp "$tulle" there/bin
cp "$DRIVER" there/lib
tulle=$PWD/there/bin/tulle
does run "${small[@]}" --device model:tiny --check
rm there/lib/libtulle-icd.so
refuses 1 '' run "${small[@]}" --device model:tiny
OCL_ICD_VENDORS=$DRIVER does run "${small[@]}" --device model:tiny --check
