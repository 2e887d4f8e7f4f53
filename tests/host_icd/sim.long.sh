#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The driver on simulated devices, from a folder and from a container: the jobs that the functional model runs in the
# short tier, programs from a container of the device, and what becomes of a job when its memory fails.
# timeout: 900

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
need verilator
# shellcheck source=tests/host_icd/lib.sh
source "$TOP/tests/host_icd/lib.sh"
plain_build

tiny_board
"$BUILD/bin/tulle" pack --sim "$folder" --tool verilator="$(verilator --version | awk '{ print $2 }')" -o tiny.tulle
"$BUILD/bin/tulle" inspect tiny.tulle
for place in "$folder" "$PWD/tiny.tulle"; do
    TULLE_ICD_TEST=sim:$place "$BUILD/tests/host_icd" -j1 --filter='jobs/*' || fail "jobs on sim:$place"
done
# With a queue of jobs, which the tests know by the name.
"$TOP/sim/board/build" -o "$TMPDIR/tiny-queue" tiny --set job_queue=on
TULLE_ICD_TEST=sim:$TMPDIR/tiny-queue "$BUILD/tests/host_icd" -j1 --filter='@(jobs|follow)/*' || fail "jobs in a queue"
"$BUILD/bin/tulle" pack --model tiny -o model.tulle
TULLE_ICD_SIM=$folder TULLE_ICD_CONTAINER=tiny.tulle TULLE_ICD_OTHER=model.tulle \
    "$BUILD/tests/tool/icd-sim" -j1 || fail "faults of sim:$folder"
left=("$TMPDIR"/tulle-*)
[[ ! -e ${left[0]} ]] || fail "left behind: ${left[*]}"
