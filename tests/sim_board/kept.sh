#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What storage units hold over jobs, on both models and on Verilated devices, with and without a queue of jobs.
# timeout: 900
set -euo pipefail

# shellcheck source=tests/sim_board/device_lib.sh
source "$TOP/tests/sim_board/device_lib.sh"

# kept BOARD VARIANT [KEY=VALUE...]
kept() {
    local seed
    for seed in 1 2; do
        "$BUILD/tests/tool/kept-test" "$1" "$2" "$seed" "${@:3}" || fail "$*, seed $seed"
    done
}

kept model tiny kept_weights=on
kept timed tiny kept_weights=on
kept model base kept_weights=on packed_programs=on
kept timed tiny kept_weights=on job_queue=on
device tiny-kept tiny --set kept_weights=on
kept "sim:$DEVICE" tiny kept_weights=on
device tiny-kept-queue tiny --set kept_weights=on --set job_queue=on
kept "sim:$DEVICE" tiny kept_weights=on job_queue=on
finish
