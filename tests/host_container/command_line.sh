#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tulle pack and tulle inspect: what they make and say, and how they refuse.
set -euo pipefail
cd "$TMPDIR"
tulle=$BUILD/bin/tulle

fail() {
    echo "$*" >&2
    exit 1
}

# refuses STATUS WORD COMMAND...: the exit status, and WORD in what it says.
refuses() {
    local status=0 wanted=$1 word=$2
    shift 2
    "$tulle" "$@" >out 2>err || status=$?
    ((status == wanted)) || fail "tulle $*: exit status $status, not $wanted: $(cat err)"
    grep -qF -- "$word" err || fail "tulle $*: no '$word' in: $(cat err)"
    ! grep -q . out || fail "tulle $*: something on standard output"
}

# shows TEXT COMMAND...: TEXT on standard output.
shows() {
    local text=$1
    shift
    "$tulle" "$@" >out 2>err || fail "tulle $*: $(cat err)"
    grep -qF -- "$text" out || fail "tulle $*: no '$text' in: $(cat out)"
}

"$tulle" pack --model tiny -o tiny.tulle
shows 'variant      tiny (hash ' inspect tiny.tulle
shows 'kind         model' inspect tiny.tulle
shows '"kind": "model"' inspect --json tiny.tulle
"$tulle" inspect - <tiny.tulle >out
grep -q 'variant      tiny' out || fail "standard input"
"$tulle" pack --model=tiny --output=again.tulle
cmp tiny.tulle again.tulle

# The hash is the one that tulle-gen says.
"$tulle" pack --model tiny --set scan=1 -o scan.tulle
hash=$("$BUILD/bin/tulle-gen" tiny --set scan=1 --json | sed -n 's/^  "hash": "\(.*\)",/\1/p')
shows "hash $hash" inspect scan.tulle
! cmp -s tiny.tulle scan.tulle || fail "another variant, the same container"

head -c 100000 /dev/zero >payload
"$tulle" pack --bitstream payload --variant base --board arty-a7 --transport uart --tool nextpnr=0.4 -o b.tulle
shows 'board        arty-a7' inspect b.tulle
shows 'transport    uart' inspect b.tulle
shows 'nextpnr 0.4' inspect b.tulle
shows 'payload      100000 bytes' inspect b.tulle
"$tulle" pack --vendor payload --variant base --board u50 --transport xrt -o v.tulle
shows 'kind         vendor' inspect v.tulle
tail -c 100000 v.tulle | cmp - payload

refuses 2 'one of --model' pack -o x
refuses 2 'one of --model' pack --model tiny --sim x -o x
refuses 2 'output file is missing' pack --model tiny
refuses 2 'did you mean --model' pack --modl tiny -o x
refuses 2 'one argument too many' pack tiny --model tiny -o x
refuses 2 'needs a value' pack --model tiny -o
refuses 2 '--board is missing' pack --vendor payload --variant base --transport xrt -o x
refuses 2 '--variant goes with' pack --vendor payload --board b --transport xrt -o x
refuses 2 '--variant goes with' pack --model tiny --variant tiny -o x
refuses 2 '--board goes with' pack --model tiny --board b -o x
refuses 2 'letters, digits' pack --vendor payload --variant base --board ../b --transport xrt -o x
refuses 2 'built already' pack --sim x --set n=1 -o x
refuses 1 'nosuch' pack --model nosuch -o x
refuses 1 'not allowed' pack --model tiny --set n=99 -o x
refuses 1 'nowhere/variant.yaml' pack --sim nowhere -o x
refuses 1 'nowhere' pack --vendor nowhere --variant base --board b --transport t -o x
refuses 1 'empty' pack --vendor /dev/null --variant base --board b --transport t -o x
refuses 1 'NAME=VERSION' pack --model tiny --tool gcc -o x
refuses 1 'named already' pack --model tiny --tool a=1 --tool a=2 -o x
mkdir folder
"$BUILD/bin/tulle-gen" tiny --print >folder/variant.yaml
cp payload folder/board.so
refuses 1 'shared object' pack --sim folder -o x
refuses 1 'no-such-folder' pack --model tiny -o no-such-folder/x
[[ ! -e x ]] || fail "a refused container was written"

refuses 2 'which container' inspect
refuses 1 'cannot open' inspect nowhere
refuses 1 'not a container' inspect payload
head -c -1 b.tulle >short.tulle
refuses 1 'truncated' inspect short.tulle
(cat b.tulle; echo) >long.tulle
refuses 1 'overlong' inspect long.tulle

refuses 2 'a command is missing'
refuses 2 'did you mean pack' pak
shows 'Usage: tulle COMMAND' --help
shows 'Usage: tulle pack' pack --help
shows 'Usage: tulle inspect' inspect -h
shows 'instruction set' --version
