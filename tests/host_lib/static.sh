#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A static program has networks only when it calls them: its size says so, and what it has of their functions. One that
# reads a network gets the library's messages.

# shellcheck source=tests/host_lib/lib.sh
source "$TOP/tests/host_lib/lib.sh"
plain_build
static=$BUILD/lib/libtulle.a
needs=(-lOpenCL -ljansson -lyaml -pthread -lm)

cat >products.c <<'C'
#include <tulle.h>
int main(void) { return tulle_operator_create(0, 0, 0) == TULLE_OK; }
C
cat >networks.c <<'C'
#include <stdio.h>
#include <tulle.h>
int main(void)
{
    struct tulle_net *net;
    return tulle_net_load("none", 0, &net) == TULLE_FILE && puts(tulle_message()) > 0 ? 0 : 1;
}
C
for name in products networks; do
    build_c -I"$TOP/host" $name.c "$static" "${needs[@]}" -o $name
    strip -o $name.stripped $name
done
nm products >names
grep -q ' planned_make$' names || fail "the program without networks has no products either"
! grep -E ' (net_read|onnx_read|tulle_net_load)$' names || fail "these are of networks"
products=$(stat -c %s products.stripped) networks=$(stat -c %s networks.stripped)
((networks > products + 100000)) || fail "networks cost nothing: $products and $networks bytes"
[[ $(./networks) == "none: No such file or directory" ]] || fail "the message: $(./networks)"

# How much processor time they take to start, in turn: a figure, which no test depends on.
starts() {
    for ((i = 0; i < 20; i++)); do
        "./$1" >out || true
    done
}
TIMEFORMAT='%U %S'
for ((turn = 0; turn < 5; turn++)); do
    for name in products networks; do
        { time starts $name; } 2>>$name.time
    done
done
milliseconds() { awk '{ sum += $1 + $2 } END { print 10 * sum }' "$1.time"; }
awk -v bytes="$products" -v with="$networks" -v time="$(milliseconds products)" -v longer="$(milliseconds networks)" 'BEGIN {
    printf "static: %d bytes without networks, %d with them; a start takes %.2f ms without them, %.2f times as long with them\n",
        bytes, with, time, longer / time }'
