# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Networks that become software.
# shellcheck source=tests/host_software/lib.sh
source "$TOP/tests/host_software/lib.sh"
[[ -n ${TULLE_DATA-} ]] || skip "TULLE_DATA does not name the folder of external data"
# shellcheck disable=SC2034 # for the tests that source this
models=$TULLE_DATA/models/tflite

# compile NAME ARGUMENT...: NAME.net, of a network that `tulle compile` takes with these arguments.
compile() {
    "$tulle" compile "${@:2}" -o "$1.net" --device model:networks >out 2>err || fail "$1: $(cat out err)"
}

# compare NAME BYTES ARGUMENT...: no byte of so many differs between device, C and CPU, and the C has no warning.
compare() {
    local name=$1 bytes=$2
    compile "$name" "${@:3}"
    "$tulle" net verify "$name.net" --random 1 >out 2>err || fail "$name: $(cat out err)"
    grep -q ", in C and the CPU: $bytes bytes compared, 0 differ$" out || fail "$name: $(cat out)"
    echo "$name: $(cat out)"
    "$tulle" software "$name.net" -o "$name.c" >out || fail "$name: $(cat out)"
    gcc "${strict[@]}" -O2 -c "$name.c" -o "$name.o" 2>err || fail "$name: $(head -5 err)"
    clang "${strict[@]}" -O1 -c "$name.c" -o "$name.o" 2>err || fail "$name: $(head -5 err)"
}
