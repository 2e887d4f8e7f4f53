# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Devices whose packets of weights can be bytes, beside variants whose packets cannot.

# shellcheck source=tests/sim_board/device_lib.sh
source "$TOP/tests/sim_board/device_lib.sh"

# bytes_device NAME KEY [TULLE-GEN-OPTION]...: a tiny device with KEY on; WITHOUT is the variant with it off.
bytes_device() {
    device "$1" tiny "${@:3}" --set "$2=on"
    WITHOUT=$TMPDIR/$1.yaml
    "$BUILD/bin/tulle-gen" tiny "${@:3}" --print >"$WITHOUT"
}

# bytes_read OPTION...: of an operator that is computed.
bytes_read() {
    "$TULLE_SIM" "$@" --json | sed -n 's/.*"bytes_read": \([0-9]*\).*/\1/p'
}

# fewer_bytes MEMORY OPERATOR OPTION...: the device agrees, whatever the memory does (options in a word), and reads fewer bytes than
# without its key.
fewer_bytes() {
    local memory with without
    read -ra memory <<<"$1"
    shift
    agrees "$@" "${memory[@]}"
    with=$(bytes_read "$1" "${DEVICE_OPTIONS[@]}" "${@:2}")
    without=$(bytes_read "$1" --board model --variant "$WITHOUT" "${@:2}")
    ((with < without)) || fail "$*: $with bytes are read, and $without without the key"
}
