#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# As programs.sh and programs.long.sh, with many programs of many variants.
# timeout: 7200
# expected: 1200

# shellcheck source=tests/host_software/lib.sh
source "$TOP/tests/host_software/lib.sh"

for variant in tiny base odd networks 3 4 5 8 10 21 22; do
    programs "$variant" 20000 100
    compiles "$variant" gcc -O1
    other_machines "$variant"
done
for variant in tiny base networks $(seq 1 20); do
    flows "$variant" 50000 400
    flows "$variant" 50000 200 harmed
done
