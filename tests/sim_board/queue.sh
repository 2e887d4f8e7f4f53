#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The queue of jobs: two jobs of which one or the other fails, also where programs may be packed, and how much later than the last
# result of one the first packet of the next moves.
# timeout: 900
set -euo pipefail

# shellcheck source=tests/sim_board/device_lib.sh
source "$TOP/tests/sim_board/device_lib.sh"

device tiny-queue-packed tiny --set job_queue=on --set packed_programs=on --set memory_width=512 --set row_bus_width=256
"$BUILD/tests/tool/queue-test" "$DEVICE" || fail "two jobs with packed programs"
device tiny-queue tiny --set job_queue=on
for seed in 1 2; do
    "$BUILD/tests/tool/queue-test" "$DEVICE" "$seed" || fail "two jobs, seed $seed"
done

# at_most WHAT LIMIT NUMBER
at_most() {
    (($3 <= $2)) || fail "$1: $3 cycles, at most $2"
}

# Jobs of some 1,000 cycles: four, and a hundred.
job=(spmm --rows 8 --k 64 --n 32 --density 0.5)
alone=$("$TULLE_SIM" "${job[@]}" "${DEVICE_OPTIONS[@]}" | awk '$1 == "cycles" { print $2 + 0 }')
for jobs in 4 100; do
    agrees "${job[@]}" --jobs "$jobs"
    all=$(awk '$1 == "jobs" { print $3 }' "$TMPDIR/agrees.log")
    gap=$(awk '$1 == "between" { print $2 }' "$TMPDIR/agrees.log")
    at_most "from the last result of one of $jobs jobs to the next packet" 60 "$gap"
    at_most "$jobs jobs of $alone cycles" $((jobs * alone * 110 / 100)) "$all"
done
# The cycle model knows a job that waited.
read -r last model < <(awk '$1 == "the" { print $3 + 0, $6 }' "$TMPDIR/agrees.log")
at_most "a job that waited, against the model's" $((model * 105 / 100)) "$last"
at_most "the model's of a job that waited, against" $((last * 105 / 100)) "$model"
finish
