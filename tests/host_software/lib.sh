# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the tests of generated software share.
set -euo pipefail
cd "$TMPDIR"
tulle=$BUILD/bin/tulle
flows=$BUILD/tests/tool/tulle-flows
export tulle flows
strict=(-std=c11 -Wall -Wextra -pedantic -Wconversion -Werror)

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

skip() {
    echo "skipped: $*"
    exit 77
}

# compiles NAME COMPILER FLAG...: NAME.c without a warning, and the program finds nothing wrong.
compiles() {
    local name=$1
    shift
    "$@" "${strict[@]}" "$name.c" -o "$name.exe" 2>err || fail "$*: $(head -5 err)"
    ${RUNNER-} "./$name.exe" >out || fail "$* $name: $(cat out)"
    grep -q '0 wrong' out || fail "$* $name: $(cat out)"
    echo "$*: $(cat out)"
}

# programs VARIANT SEED COUNT: as many random programs in VARIANT.c.
programs() {
    "$flows" "$1" "$2" "$3" "$1.c" >out || fail "$1: $(cat out)"
    cat out
    grep -q " 0 wrong, .*; 0 refused" out || fail "$1: $(cat out)"
    grep -q " $3 are in $1.c" out || fail "$1: not all are written: $(cat out)"
}

# flows VARIANT SEED COUNT [harmed]: as many random programs as data flow, whatever the model makes of them.
flows() {
    "$flows" "$@" >out || fail "$*: $(cat out)"
    cat out
    ! grep -E ' refused, [1-9][0-9]* of them not by the model' out || fail "$*: refused: $(cat out)"
}

# Compilers of another word and byte order, where they are installed.
other_machines() {
    if echo 'int main(void) { return 0; }' | gcc -m32 -x c - -o word.exe 2>err; then
        compiles "$1" gcc -m32 -O1
    fi
    if command -v s390x-linux-gnu-gcc >err && command -v qemu-s390x >err; then
        RUNNER=qemu-s390x compiles "$1" s390x-linux-gnu-gcc -static -O1
    fi
}
