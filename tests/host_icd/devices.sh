#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tulle devices: what the driver finds, and why it leaves others out.

# shellcheck source=tests/host_icd/lib.sh
source "$TOP/tests/host_icd/lib.sh"
unset TULLE_DEVICES
tulle=$BUILD/bin/tulle

# every_named_variant LISTING
TULLE_BOARDS=/nowhere "$tulle" devices >out
"$BUILD/bin/tulle-gen" --list | awk '{ print "model:" $1 }' | sort >wanted
awk '{ print $1 }' out | sort | diff wanted - || fail "not every named variant"
! grep 'not used' out || fail "a named variant cannot be used"

list='model:tiny;memory=64M,sim:/nowhere,fpga:1,model:nosuch,sim:some.tulle,sim:text,model:tiny;memory=5'
"$tulle" pack --model tiny -o some.tulle
echo text >text
"$tulle" devices "$list" >out
grep -q '^model:tiny .*variant tiny .*64 MiB' out || fail "no model:tiny"
grep -q '^sim:/nowhere .*No such file' out || fail "nowhere"
grep -q '^fpga:1 .*no such kind' out || fail "a kind that is not"
grep -q '^model:nosuch .*nosuch' out || fail "a variant that is not"
grep -q '^sim:some.tulle .*no simulated device' out || fail "a container of the model, to simulate"
grep -q '^sim:text .*not a container' out || fail "text"
grep -q '^model:tiny .*not used: memory' out || fail "memory of 5 bytes"
TULLE_DEVICES=$list "$tulle" devices | diff out - || fail "the environment"
"$tulle" devices --json "$list" >json
grep -q '"device": "model:tiny", "usable": true, "variant": "tiny"' json || fail "JSON"
grep -q '"device": "fpga:1", "usable": false, "why": "there is no such' json || fail "JSON"

# Names are looked for beside the folder of the command, however it is called, or where the environment says. A
# container without a simulated device in it tells which file was found.
mkdir -p tree/bin tree/board tree/share/tulle/board other links
cp "$tulle" tree/bin
ln -s ../tree/bin/tulle links/tulle
cp some.tulle tree/board/built.tulle
cp some.tulle tree/share/tulle/board/installed.tulle
cp some.tulle other/told.tulle
# found NAME COMMAND...; missed NAME COMMAND...
found() {
    "${@:2}" devices "sim:$1,model:tiny" >out
    grep -q "^sim:$1 .*no simulated device" out || fail "$* does not find $1: $(cat out)"
}
missed() {
    "${@:2}" devices "sim:$1,model:tiny" >out
    grep -q "^sim:$1 .*No such file" out || fail "$* finds $1: $(cat out)"
}
for name in built.tulle installed.tulle; do
    found "$name" tree/bin/tulle
    found "$name" env PATH="$PWD/tree/bin:$PATH" tulle
    found "$name" links/tulle
    missed "$name" env TULLE_BOARDS=nowhere:other tree/bin/tulle
done
found told.tulle env TULLE_BOARDS=nowhere:other tree/bin/tulle
missed told.tulle tree/bin/tulle
# Without a list those of the search path are listed, too, each name once, with the reason when it cannot be used.
TULLE_BOARDS=nowhere:other:other "$tulle" devices >out
[[ $(grep -c '^sim:told.tulle  *not used: the container has no simulated device' out) == 1 ]] || fail "simulated devices are not listed: $(cat out)"
grep -q '^model:tiny ' out || fail "functional models are not listed: $(cat out)"
# A folder here that is no device, as tulle-gen makes it of a variant of that name, is not in the way.
mkdir told.tulle
found told.tulle env TULLE_BOARDS=nowhere:other tree/bin/tulle
"$tulle" devices sim:told.tulle,model:tiny >out
grep -q '^sim:told.tulle .*not used: .*told.tulle/variant.yaml: error: cannot open' out || fail "a folder of something else: $(cat out)"
rmdir told.tulle

status=0
"$tulle" devices fpga:1 >out 2>err || status=$?
((status == 1)) || fail "no device: exit status $status"
grep -q 'no device can be used' err || fail "no device, nothing said"
status=0
"$tulle" devices --jsn 2>err || status=$?
((status == 2)) || fail "usage: exit status $status"
grep -q "did you mean --json" err || fail "usage, nothing said"
