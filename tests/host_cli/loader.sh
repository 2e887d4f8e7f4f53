#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tulle program with the loader that it names, openFPGALoader, and the test access port of an ECP5 in place of a board: what
# arrives is what the container has; a bitstream for another part is refused; no bitstream at all is, too.

# shellcheck source=tests/host_cli/lib.sh
source "$(dirname "$0")/lib.sh"
TAP=$BUILD/tests/tool/tap
if ! command -v openFPGALoader >/dev/null; then
    echo 'skipped: openFPGALoader is not installed'
    exit 77
fi

# tap IDCODE: an ECP5 with that number; its port goes to $port.
tap() {
    rm -f port
    "$TAP" "$1" loaded >port &
    for ((i = 0; i < 200; i++)); do
        [[ ! -s port ]] || break
        sleep 0.05
    done
    port=$(<port)
    [[ -n $port ]] || fail 'the port does not open'
}

# bitstream NAME ID: as much of one as has a header, a preamble, the part's number and some frames.
bitstream() {
    {
        printf '\xff\x00Part: LFE5U-85F-6CABGA381\x00\xff'
        printf '\xff\xff\xbd\xb3\xff\xff\xff\xff\x3b\x00\x00\x00\xe2\x00\x00\x00%b' "$2"
        head -c 3000 /dev/urandom
    } >"$1.bit"
    "$tulle" pack --bitstream "$1.bit" --variant tiny --board ulx3s --transport serial -o "$1.tulle"
}

bitstream right '\x41\x11\x30\x43'
bitstream other '\x41\x11\x20\x43'
cable='openFPGALoader --cable xvc-client --ip 127.0.0.1 --port'

tap 0x41113043
"$tulle" program right.tulle --loader "$cable $port" >out 2>&1 || fail "$(cat out)"
wait $! || fail 'the port did not take the bitstream'
grep -q 'ulx3s has tiny' out || fail "$(cat out)"
# Without the header.
tail -c 3016 right.bit | cmp - <(tail -c 3016 loaded) || fail 'something else arrived'

tap 0x41113043
! "$tulle" program other.tulle --loader "$cable $port" >out 2>&1 || fail 'a bitstream for another part was loaded'
grep -q 'error: openFPGALoader ended with exit status' out || fail "$(cat out)"
! wait $! || fail 'the port took a bitstream for another part'

head -c 4000 /dev/urandom >noise
"$tulle" pack --bitstream noise --variant tiny --board ulx3s --transport serial -o noise.tulle
tap 0x41113043
! "$tulle" program noise.tulle --loader "$cable $port" >out 2>&1 || fail 'noise was loaded'
! wait $! || fail 'the port took noise'
