#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Groups of layers as software: slices that make one value piece by piece, rows that are kept for the next slice, and what the CPU cuts of
# the network's input. groups.soak.sh has more networks.
# timeout: 600

# shellcheck source=tests/host_software/groups_lib.sh
source "$TOP/tests/host_software/groups_lib.sh"

slices 2 3 4096 || fail "seed 2: $(cat err)"
same_software 2
slices 3 3 0 || fail "seed 3: $(cat err)"
same_software 3

# Rows that are kept are read where they were made: no function moves them, and each layer of each slice is one.
"$tulle" software slices.net --device "$device" -o slices.c --self-test >out 2>err || fail "$(cat out err)"
grep -q '^static void qlinearconv_[0-9]*(const u\?int8_t \*in, u\?int8_t \*out)$' slices.c || fail "functions are not named by layers"
# Five convolutions; slices of one have images of two widths, and a loop and weights for each.
[[ $(grep -c '^static const int8_t [a-z0-9_]*_weights' slices.c) == 6 ]] || fail "the weights of the convolutions are not there once each"
! grep -q '^static void stage_' slices.c || fail "a stage is of no layer"
printf '#include <stdio.h>\n#include "slices.h"\nint main(void)\n{\n    return puts(slices_test() ? "wrong" : "0 wrong") < 0;\n}\n' >main.c
compiles slices clang main.c -O1 -fsanitize=address,undefined -fno-sanitize-recover=all

# Rows that a slice keeps of what the host takes are read together with what the device has for itself: these are moved.
slices 3 3 4096 t1 || fail "seed 3, with an inner value: $(cat err)"
same_software 3
[[ $(cat out) == *', 25 layers on '* ]] || fail "an inner value: $(cat out)"

# A compiler that does not take the C is an error; one that is not there leaves the C out.
printf '#!/bin/bash\nexit 1\n' >no-cc
chmod +x no-cc
! CC=$PWD/no-cc "$tulle" net verify slices.net --device "$device" --random 1 >out 2>err || fail "a compiler that fails: $(cat out)"
grep -q 'the compiler .* does not take the C' err || fail "a compiler that fails: $(cat err)"
CC=$PWD/none "$tulle" net verify slices.net --device "$device" --random 1 >out 2>err || fail "no compiler: $(cat out err)"
grep -q 'there is no compiler .*: the C is left out' err || fail "no compiler: $(cat err)"
