#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The bench of the PE (pe_tb.v) on the named variants, in Icarus: segments of 1 to 60 entries, heavy PEs, activations
# that are all 0, stalls. SEEDS=N runs N seeds, from FIRST_SEED (1). In Verilator the PE is
# compared with the models in tests/rtl_cluster.
# timeout: 600
set -euo pipefail

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
need iverilog

FIRST_SEED=${FIRST_SEED-1} SEEDS=${SEEDS-1}
CASES=("+length=3 +macs=1" "+length=40 +heavy=3 +dense=100 +stall=0" "+length=1 +macs=2 +stall=0"
    "+length=60 +dense=30 +stall=0" "+length=20 +dense=0" "+length=30 +macs=8 +stall=60 +heavy=2"
    "+length=1 +stall=0 +entries=1" "+length=2 +macs=2 +stall=0 +entries=2"
    "+length=1 +macs=2 +stall=0 +entries=3")
# Of variants with accumulation buffers, besides.
BUFFER_CASES=("+length=1 +stall=0 +buffers=1 +every=4" "+length=1 +macs=2 +stall=0 +buffers=2" "+length=3 +buffers=4 +entries=3"
    "+length=20 +heavy=3 +macs=3 +dense=100 +stall=0 +buffers=3")

# build VARIANT [OPTION]...: the bench.
build() {
    local folder=$TMPDIR/$1 options=(-g2005 -I "$TMPDIR/$1/include" -s pe_tb)
    "$BUILD/bin/tulle-gen" "$@" -o "$folder" >"$TMPDIR/$1.log"
    ! grep -q 'output wire.*move_valid_o' "$folder/rtl/tulle_pe.v" || options+=(-DPE_RING)
    ! grep -q 'partial_stays_i,' "$folder/rtl/tulle_pe.v" || options+=(-DPE_ACCUMULATORS)
    iverilog "${options[@]}" -o "$folder/pe.vvp" "${MODULES[@]/#/$folder/rtl/tulle_}" "$TOP/tests/rtl/pe_tb.v"
}

# play VARIANT ARGUMENT...: one case.
play() {
    local variant=$1 said
    shift
    said=$(vvp -n "$TMPDIR/$variant/pe.vvp" "$@" | grep -v '^$') || true
    [[ $said == 'pe_tb: PASS'* ]] || fail "$variant $*: ${said:-nothing}"
}

MODULES=("${PE_MODULES[@]/%/.v}")
for variant in base base4 odd tiny; do
    build "$variant"
    for ((seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++)); do
        for number in "${!CASES[@]}"; do
            # shellcheck disable=SC2086 # a list of words
            play "$variant" "+seed=$((seed * ${#CASES[@]} + number))" ${CASES[number]}
        done
    done
    echo "$variant: $SEEDS x ${#CASES[@]} cases"
done

CASES+=("${BUFFER_CASES[@]}")
rm -rf "$TMPDIR/tiny"
build tiny --set balance=neighbour --set accumulators=on
for case in "${CASES[@]}"; do
    # shellcheck disable=SC2086 # a list of words
    play tiny "+seed=$FIRST_SEED" $case
done
echo "accumulators: ${#CASES[@]} cases"

# What balancing brings: where one PE of three has four times the weights of each other one, they multiply in 492 of 1000
# cycles without it; with even weights in 860 to 870.
STEADY=(+seed=1 +length=40 +dense=100 +stall=0 +keep=100 +resident=0)
play base "${STEADY[@]}" +heavy=4 +busy=860
play base4 "${STEADY[@]}" +heavy=4 +busy=895
play base "${STEADY[@]}" +busy=980
play base4 "${STEADY[@]}" +busy=985
finish
