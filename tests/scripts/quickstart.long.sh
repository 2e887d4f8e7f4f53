#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# scripts/quickstart and all of the first tutorial, whose beginning it is, in a clone that has nothing built: a table of products
# on the simulated device with the cycles that stand there, and a device with another parameter. Then what other documents show of
# that device.
# timeout: 1800

# shellcheck source=tests/scripts/lib.sh
source "$(dirname "$0")/lib.sh"
unset TULLE_DEVICES TULLE_BOARDS TULLE_DATA OCL_ICD_VENDORS
built=$BUILD
clone=$TMPDIR/clone
mkdir "$clone"
for path in "$TOP"/*; do
    [[ $path -ef $built || ${path##*/} == build ]] || ln -s "$path" "$clone"
done
export BUILD=$clone/build
cd "$clone"

status=0
scripts/quickstart now 2>"$TMPDIR/err" || status=$?
((status == 2)) || fail "an argument: exit status $status"
grep -q '^Usage: scripts/quickstart' < <(scripts/quickstart --help) || fail "no help"

scripts/tutorial --whole docs/tutorial-first.md >"$TMPDIR/out" 2>&1 || fail "exit status $?: $(tail -n 60 "$TMPDIR/out")"
tail -n 1 "$TMPDIR/out" | grep -q ', 0 left out$' || fail "$(cat "$TMPDIR/out")"
scripts/tutorial --whole --consoles docs/tulle.md >"$TMPDIR/out" 2>&1 || fail "exit status $?: $(tail -n 60 "$TMPDIR/out")"
