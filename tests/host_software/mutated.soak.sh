#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# 10,000 programs that were changed, and that the loader accepts: their C has the model's bits, and reads and writes nothing
# outside its arrays.
# timeout: 7200
# expected: 1200

# shellcheck source=tests/host_software/lib.sh
source "$TOP/tests/host_software/lib.sh"

for seed in $(seq 60000 1000 69000); do
    for variant in tiny base odd networks 3 4 5 8 10 21; do
        flows "$variant" "$seed" 100 harmed "$variant.c"
        grep -q " 100 are in $variant.c" out || fail "$variant: not all are written: $(cat out)"
        compiles "$variant" clang -O0 -fsanitize=address,undefined -fno-sanitize-recover=all
    done
done
