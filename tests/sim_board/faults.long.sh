#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A memory that fails where the device reads or writes one thing: a named error, nothing wrong in memory, and behind a
# soft reset, or without one, the next job is right. Then a memory that takes nothing for a while.
# timeout: 600
set -euo pipefail

# shellcheck source=tests/sim_board/fuzz_lib.sh
source "$TOP/tests/sim_board/fuzz_lib.sh"

# As tests/fuzz/tool/recipe.h counts them.
slverr=1 decerr=2 dead=3 deaf=4
program=1 status=2 weights=3 input=4 output=5 partial=6
spmm=(operator=1 rows=5 k=16 n=5 held=2 density=50 acts=100)
tile=(operator=0 size=22) # with partial sums from memory
plain=(mutation=0 abuse=0)

# reads SLOT QUEUE SETTING...: every kind of failure, with and without a soft reset behind it.
reads() {
    local slot=$1 queue=$2 reset
    shift 2
    for reset in 0 1; do
        ends_with read_slave_error "$queue" "${plain[@]}" "$@" fault=$slverr where="$slot" writes=0 reset=$reset
        ends_with read_decode_error "$queue" "${plain[@]}" "$@" fault=$decerr where="$slot" writes=0 reset=$reset
        ends_with watchdog 1 "${plain[@]}" "$@" fault=$dead where="$slot" writes=0 reset=$reset
    done
}

reads $program 1 "${spmm[@]}"
reads $weights 2 "${spmm[@]}"
reads $input 2 "${spmm[@]}"
reads $partial 5 "${tile[@]}"
for reset in 0 1; do
    ends_with write_slave_error 4 "${plain[@]}" "${spmm[@]}" fault=$slverr where=$output writes=1 reset=$reset
    ends_with write_decode_error 4 "${plain[@]}" "${spmm[@]}" fault=$decerr where=$output writes=1 reset=$reset
    ends_with watchdog 1 "${plain[@]}" "${spmm[@]}" fault=$dead where=$output writes=1 reset=$reset
    # A record that cannot be written changes nothing of the job.
    for fault in $slverr $decerr $dead; do
        ends_with ok 0 "${plain[@]}" "${spmm[@]}" fault="$fault" where=$status writes=1 reset=$reset
    done
    # Longer than the watchdog, and shorter.
    for writes in 0 1; do
        ends_with watchdog 1 "${plain[@]}" "${spmm[@]}" fault=$deaf writes=$writes moment=300 span=1000 reset=$reset
        ends_with ok 0 "${plain[@]}" "${spmm[@]}" fault=$deaf writes=$writes moment=300 span=100 reset=$reset
    done
done
finish
