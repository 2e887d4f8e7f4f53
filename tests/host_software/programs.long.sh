#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# As programs.sh, with programs of a random variant as well, more programs as data flow alone, and harmed ones as C.
# programs.soak.sh and mutated.soak.sh have many.
# timeout: 600

# shellcheck source=tests/host_software/lib.sh
source "$TOP/tests/host_software/lib.sh"

for variant in odd 3; do
    programs "$variant" 20000 20
    compiles "$variant" gcc -O1
done
for variant in tiny networks 5; do
    flows "$variant" 50000 100
    flows "$variant" 50000 50 harmed
done
flows networks 60000 20 harmed networks.c
compiles networks clang -O0 -fsanitize=address,undefined -fno-sanitize-recover=all
