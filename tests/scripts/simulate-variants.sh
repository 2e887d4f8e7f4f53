#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# scripts/simulate-variants on stand-ins: a variant that does not generate and a bench that fails are told with the command
# that repeats them; wrong use.

# shellcheck source=tests/scripts/lib.sh
source "$(dirname "$0")/lib.sh"
for tool in verilator iverilog; do
    command -v "$tool" >/dev/null || { echo "$tool is not installed" && exit 77; }
done

export BUILD=$TMPDIR/build
simulate() {
    local want=$1
    shift
    expect "$want" "$TOP/scripts/simulate-variants" "$@"
}

simulate 1 one
says 'tulle-gen is not built; run: make'
mkdir -p "$BUILD/bin" "$BUILD/tests/tool"
touch "$BUILD/bin/tulle" "$BUILD/tests/tool/tulle-fuzz"
# Corner 3 does not generate; the bench of all others says 1 of 5 checks failed.
cat >"$BUILD/bin/tulle-gen" <<'G'
#!/bin/bash
[[ "$1 $2" != '--corner 3' ]] || { echo 'cannot make it' >&2; exit 1; }
if [[ $* == *--print* ]]; then
    printf '%s: 4 # about it\n' n m k output_queue_depth weight_queue_depth >"${!#}"
else
    mkdir -p "${!#}/tb"
    printf 'echo "tulle_tb: FAIL, 1 of 5 checks"\nexit 1\n' >"${!#}/tb/run.sh"
fi
G
chmod +x "$BUILD/bin/"* "$BUILD/tests/tool/tulle-fuzz"
simulate 1 --seeds 'c3 7'
says '^FAIL corner-3 (): emit$'
says '^cannot make it$'
says 'reproduce: scripts/simulate-variants --seeds c3$'
says '^FAIL random-7 (4 x 4 x 4): bench$'
says 'tulle_tb: FAIL, 1 of 5 checks'
says 'reproduce: scripts/simulate-variants --seeds 7$'
simulate 1 --sweep 2
says '^new seeds: [0-9]\{1,\} c[0-9]\{1,\}$'

simulate 2
simulate 2 --sweep none
simulate 2 --seeds 'c 1'
simulate 2 --seeds x
simulate 2 --wrong one
