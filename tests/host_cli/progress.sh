#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The progress bar: on a terminal, and nowhere else.

# shellcheck source=tests/host_cli/lib.sh
source "$(dirname "$0")/lib.sh"
plain_build
export TERM=xterm

# on_terminal COMMAND...: all that a terminal is sent, standard error alone.
on_terminal() {
    script -qec "'$tulle' $* >out" /dev/null </dev/null >seen || fail "tulle $*: $(cat seen)"
}

small='spmm --rows 16 --k 128 --n 64 --device model:tiny'
on_terminal run "$small" --check
for step in device operands planning running checking; do
    grep -aq "\[[#-]*\] $step" seen || fail "the bar does not say '$step': $(od -c seen | head -n 20)"
done
[[ $(tail -c 4 seen) == $'\r\033[K' ]] || fail "the bar stays: $(tail -c 20 seen | od -c)"
grep -q '^checked' out || fail "no report: $(cat out)"
on_terminal explain "$small"
grep -aq 'planning' seen || fail "no bar of explain"
matrix 20 40 30 1 >w.mtx
on_terminal convert w.mtx w.npy
grep -aq 'reading' seen || fail "no bar of convert"

for quiet in --json --quiet; do
    on_terminal run "$small" $quiet
    [[ ! -s seen ]] || fail "a bar with $quiet: $(od -c seen | head)"
done
TERM=dumb on_terminal run "$small"
[[ ! -s seen ]] || fail "a bar on a terminal that cannot have one"

# Not in pipes.
# shellcheck disable=SC2086 # options and their values
does run $small --check
