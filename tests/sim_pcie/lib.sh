# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# A server of the PCIe function for shell tests: tulle-pcied at $socket, process $server, until the script ends.

# The path of a socket is short: a folder of its own, not a test's.
folder=$(mktemp -d /tmp/tulle-pcie-XXXXXX)
socket=$folder/s
server=
trap '[[ -z $server ]] || kill "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT

# serve BOARD OPTION...: a server, once it says that it serves.
serve() {
    : >server.out # at once: what the one before said is no answer
    "$BUILD/bin/tulle-pcied" --socket "$socket" --board "$@" >server.out 2>server.err &
    server=$!
    for ((i = 0; i < 300; i++)); do
        ! grep -q serves server.out || return 0
        kill -0 "$server" 2>/dev/null || break
        sleep 0.1
    done
    echo "the server does not start: $(<server.err)" >&2
    exit 1
}
