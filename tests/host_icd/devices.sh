#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tulle devices: what the driver finds, and why it leaves others out.

# shellcheck source=tests/host_icd/lib.sh
source "$TOP/tests/host_icd/lib.sh"
unset TULLE_DEVICES
tulle=$BUILD/bin/tulle

# every_named_variant LISTING
"$tulle" devices >out
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

status=0
"$tulle" devices fpga:1 >out 2>err || status=$?
((status == 1)) || fail "no device: exit status $status"
grep -q 'no device can be used' err || fail "no device, nothing said"
status=0
"$tulle" devices --jsn 2>err || status=$?
((status == 2)) || fail "usage: exit status $status"
grep -q "did you mean --json" err || fail "usage, nothing said"
