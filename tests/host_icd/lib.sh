# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the tests of the driver share.
set -euo pipefail
cd "$TMPDIR"
DRIVER=$BUILD/lib/libtulle-icd.so
# What every loader is told of it by.
export VENDORS=$BUILD/vendors

fail() {
    echo "$*" >&2
    exit 1
}

# The programs of a build with a sanitizer cannot be loaded into others.
plain_build() {
    if grep -q '__[at]san_init' < <(nm -D "$DRIVER"); then
        echo "skipped: a driver with a sanitizer goes into programs with one only"
        exit 77
    fi
}

# folder: the simulated device tiny, made when it is not there, also with waveforms.
tiny_board() {
    folder=$BUILD/board/tiny
    "$TOP/sim/board/build" -o "$folder" tiny
    "$TOP/sim/board/build" --trace -o "$folder" tiny
}
