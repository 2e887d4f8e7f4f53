#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The benches of the memory ports (ports_tb.v) and of load engine and storage unit (load_tb.v), in Icarus.
# timeout: 600
set -euo pipefail

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
need iverilog

cd "$TOP"
"$BUILD/bin/tulle-gen" tiny -o "$TMPDIR/tiny" >"$TMPDIR/log"

play() {
    if memory_icarus "$@"; then
        echo "$*: $(grep -v '^$' "$TMPDIR/log" | tail -n 1)"
    else
        cat "$TMPDIR/log" >&2
        fail "$*"
    fi
}

play ports_tb MEM=64 PHASES=60
play ports_tb MEM=512 OUTSTANDING=1 PHASES=60 EVERY_CYCLE=0
play ports_tb MEM=128 OUTSTANDING=32 STALL=0 PHASES=60
play load_tb MEM=512 BUS=256
play load_tb MEM=512 BUS=256 STALL=0 OUTSTANDING=64
play load_tb MEM=64 BUS=64 UNIT_BYTES=1024 OUTSTANDING=1
play load_tb MEM=64 BUS=512 ROWS=1 STALL=60 FILL=8
play load_tb MEM=256 BUS=64 ROWS=3 STALL=0 OUTSTANDING=64 FILL=16
finish
