#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tulle devices --watch beside a simulated device: the cycles of a job that runs, and those of jobs that have ended. And
# beside a network, with TULLE_DATA: what is seen is the sum of its first layers.
# timeout: 900

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
need verilator
# shellcheck source=tests/host_cli/watched.sh
source "$(dirname "$0")/watched.sh"

"$TOP/sim/board/build" -o "$BUILD/board/tiny" tiny
device=sim:$BUILD/board/tiny
product=(run spmm --rows 64 --k 512 --n 256 --density 0.5 --mapping is --split mm --json --device "$device")

# Cycles so far: more than so many.
runs_past() {
    (($(field running_cycles seen) > $1))
}

"$tulle" "${product[@]}" >one
begin "${product[@]}" --repeat 1000
wait_for runs_past 0
(($(field jobs seen) > 0 || $(field cycles seen) == 0)) || fail "cycles before the first job has ended: $(cat seen)"
wait_for runs_past "$(field running_cycles seen)"
[[ $(field running seen) == true ]] || fail "cycles of no job: $(cat seen)"
(($(field running_cycles seen) <= $(field cycles one) + 4)) || fail "more cycles than the job has, $(field cycles one): $(cat seen)"
wait_for has_jobs 0
agrees_with one cycles effective_macs
[[ $(field device seen) == "$device" && $(field utilization seen) == "$(field utilization one)"* ]] || fail "$(cat seen one)"
end
! sample || fail "a process that was killed: $(cat seen)"

network=${TULLE_DATA:-/nowhere}/models/tflite/pretrainedResnet_quant.tflite
if [[ ! -e $network ]]; then
    echo 'without TULLE_DATA: no network was watched'
    exit 0
fi
head -c 3072 /dev/zero | tr '\0' '\100' >image.bin
begin explain net "$network" --shape input_1_int8.0=1 --input image.bin --device 'model:networks;timed=1'
while kill -0 "$worker" 2>/dev/null; do
    if sample; then echo "$(field jobs seen) $(field cycles seen) $(field effective_macs seen)"; fi
    sleep 0.05
done >during
wait "$worker" || fail "the network: $(cat worker.err)"
awk '
    FNR == NR && NF == 9 && $4 ~ /^[0-9]+$/ { cycles += $4; macs += $7; sum[++layers] = cycles " " macs }
    FNR == NR || !$1 { next }
    !($1 in seen) { seen[$1]; moments++ }
    sum[$1] != $2 " " $3 { print "after " $1 " layers: " $2 " " $3 ", not " sum[$1]; exit bad = 1 }
    END {
        if (!bad && (layers < 10 || moments < 2)) { print layers " layers, " moments " moments"; bad = 1 }
        exit bad
    }' worker.out during >differences || fail "$(cat differences worker.out)"
