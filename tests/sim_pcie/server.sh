#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tulle-pcied as a program: its command line, products through library, loader and driver, interruption, and what a
# killed one leaves behind.
set -euo pipefail
cd "$TMPDIR"

fail() {
    echo "$*" >&2
    exit 1
}

# shellcheck source=tests/sim_pcie/lib.sh
source "$TOP/tests/sim_pcie/lib.sh"

stop() {
    local status=0
    kill -"$1" "$server"
    wait "$server" || status=$?
    server=
    [[ $status == "$2" ]] || fail "exit status $status after $1: $(<server.err)"
}

# expect STATUS TEXT OPTION...
expect() {
    local status=0
    "$BUILD/bin/tulle-pcied" "${@:3}" >out 2>&1 || status=$?
    [[ $status == "$1" && $(<out) == *"$2"* ]] || fail "tulle-pcied ${*:3}: exit status $status, $(<out)"
}

expect 0 'Usage: tulle-pcied' --help
expect 0 'tulle-pcied ' --version
expect 2 '--socket is missing' --board model
expect 2 '--board is missing' --socket "$socket"
expect 2 'needs a value' --socket
expect 2 'model:VARIANT or sim:FOLDER' --socket "$socket" --board pcie:/x
expect 2 'a power of two' --socket "$socket" --board model --window 5000
expect 2 'a power of two' --socket "$socket" --board model --window 2048
expect 2 'hexadecimal' --socket "$socket" --board model --ids 1234
expect 2 'hexadecimal' --socket "$socket" --board model --ids ffff:1
expect 2 'hexadecimal' --socket "$socket" --board model --ids 12345:1
expect 1 'nosuch' --socket "$socket" --board model:nosuch
expect 1 'no setting' --socket "$socket" --board 'model:tiny;latency=5'
expect 1 'path of a socket' --socket "$socket$(printf 'x%.0s' {1..200})" --board model:tiny
echo >"$folder/file"
expect 1 'there is a file' --socket "$folder/file" --board model:tiny
[[ -f $folder/file ]] || fail "a file that is no socket was removed"

# Through library, loader and driver; every result, and every byte of memory, compared.
serve model:tiny --window 1M
[[ $(stat -c %a "$socket") == 700 || $(stat -c %a "$socket") == 600 ]] || fail "others can connect"
expect 1 'another server' --socket "$socket" --board model:tiny
"$BUILD/bin/tulle" devices "pcie:$socket" >out || fail "$(<out)"
grep -q "variant tiny .*16384 MiB" out || fail "tulle devices: $(<out)"
"$BUILD/bin/tulle-sim" spmm --board "pcie:$socket" --variant tiny --rows 8 --k 64 --n 32 >out 2>&1 || fail "tulle-sim: $(<out)"
if ! grep -q '__[at]san_init' < <(nm -D "$BUILD/lib/libtulle-icd.so"); then
    export OCL_ICD_VENDORS=$BUILD/lib/libtulle-icd.so TULLE_DEVICES=pcie:$socket
    for seed in 1 2 3; do
        "$BUILD/bin/tulle" run spmm --rows 16 --k 300 --n 200 --seed "$seed" --check >out 2>&1 || fail "tulle run: $(<out)"
        grep -q 'checked  *every result is right' out || fail "not checked: $(<out)"
    done
    "$BUILD/bin/tulle" run conv --in 12x12x8 --out-channels 8 --check >out 2>&1 || fail "tulle run conv: $(<out)"
fi
stop TERM 0
[[ ! -e $socket ]] || fail "the socket stays"

# Who is no named variant must be told.
serve "model:tiny;set=scan=4;memory=1G"
"$BUILD/bin/tulle" devices "pcie:$socket" >out && fail "an unknown variant: $(<out)"
grep -q 'no named one' out || fail "$(<out)"
"$BUILD/bin/tulle" devices "pcie:$socket;variant=tiny;set=scan=4" >out || fail "$(<out)"
grep -q " 1024 MiB" out || fail "$(<out)"
grep -q " 1024 MiB" out || fail "$(<out)"
"$BUILD/bin/tulle" devices "pcie:$socket;variant=base" >out && fail "a wrong variant: $(<out)"

# What a killed server leaves is no obstacle.
stop KILL 137
[[ -S $socket ]] || fail "this tests nothing: there is no socket"
"$BUILD/bin/tulle" devices "pcie:$socket" >out && fail "nobody serves: $(<out)"
grep -q 'nobody serves' out || fail "$(<out)"
serve model:tiny
stop INT 0
