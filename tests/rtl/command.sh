#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tulle_command against sim/model/program.c, and the counts of its tokens, in Icarus.
# timeout: 600
set -euo pipefail

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
# shellcheck source=tests/rtl/command/lib.sh
source "$TOP/tests/rtl/command/lib.sh"
need iverilog

cd "$TOP"
"$BUILD/bin/tulle-gen" tiny -o "$TMPDIR/tiny" >"$TMPDIR/log"
for tokens in 4 5 16 31 32; do
    iverilog -g2005 "-I$TMPDIR/tiny/include" "-Ptokens_tb.TOKENS=$tokens" -o "$TMPDIR/tokens.vvp" tests/rtl/tokens_tb.v \
        rtl/tulle_{command_tokens,lutram,require,assert,stream_check}.v
    vvp -n "$TMPDIR/tokens.vvp" >"$TMPDIR/log"
    grep -q PASS "$TMPDIR/log" || {
        cat "$TMPDIR/log"
        fail "$tokens tokens"
    }
done
# every VARIANT [KEY=VALUE...]
every() {
    local suite
    command_folder "$@"
    command_icarus "PAUSE=64"
    for suite in "${COMMAND_SUITES[@]}"; do
        command_play icarus "$1" "${SEED:-1}" "$suite" 1 "${@:2}" || continue # it is told, and the others follow
    done
}

every odd
every tiny packed_programs=on kept_weights=on
every tiny plain_weights=on bitmap_weights=on
every tiny k=16 n=1 zero_points=on channel_groups=16 joins=on roundings=on softmax=64
finish
