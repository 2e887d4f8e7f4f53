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

# has_words, has_order: whether there is a compiler for a machine of 32 bits, and for one of the other byte order; else says why not.
has_words() {
    echo 'int main(void) { return 0; }' | gcc -m32 -x c - -o word.exe 2>err && return
    echo "32 bits: gcc -m32 does not link (gcc-multilib)"
    return 1
}

has_order() {
    [[ -z $(type -P s390x-linux-gnu-gcc) || -z $(type -P qemu-s390x) ]] || return 0
    echo "the other byte order: no gcc-s390x-linux-gnu, or no qemu-user"
    return 1
}

# Compilers of another word and byte order, where they are installed.
other_machines() {
    ! has_words || compiles "$1" gcc -m32 -O1
    ! has_order || RUNNER=qemu-s390x compiles "$1" s390x-linux-gnu-gcc -static -O1
}
