#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The build fails when an encoding has no handler, when a handler has no encoding, and when the numbers differ.

# shellcheck source=tests/host_software/lib.sh
source "$TOP/tests/host_software/lib.sh"
mkdir -p host/software
header=host/software/handlers.h
"$BUILD/gen/list-encodings" "$header" command instruction opcode target queue_state column operand join element rounding \
    function >check.c || fail "no list of encodings"

check() {
    gcc -std=c11 -fsyntax-only -I. -I"$TOP" check.c 2>err
}

cp "$TOP/$header" "$header"
check || fail "the handlers that there are: $(cat err)"
for name in command_exec instruction_st opcode_fence target_buffer queue_state_rq column_low operand_second join_subtract \
    element_int32 rounding_even function_tanh; do
    sed "/define HANDLED_${name%_*}(X)/I,/^$/{/X(${name##*_},/d}" "$TOP/$header" >"$header"
    ! cmp -s "$TOP/$header" "$header" || fail "$name: no line of the header has it"
    ! check || fail "without a handler for $name it compiles"
    grep -q "has_$name" err || fail "$name: $(cat err)"
done
sed 's/X(tanh, NUM_TANH, curve)/& X(gelu, 12, curve)/' "$TOP/$header" >"$header"
! check || fail "a handler without an encoding compiles"
grep -q 'function: what is handled is not what is encoded' err || fail "a handler without an encoding: $(cat err)"
sed 's/X(tanh, NUM_TANH, curve)/X(tanh, NUM_RELU, curve)/' "$TOP/$header" >"$header"
! check || fail "a handler of another number compiles"
grep -q 'function tanh has another number' err || fail "a handler of another number: $(cat err)"
! "$BUILD/gen/list-encodings" "$header" colour >out 2>err || fail "encodings that there are not"
grep -q 'no encodings "colour"' err || fail "encodings that there are not: $(cat err)"
