#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# As programs.sh, with more programs, of random variants as well; and more programs as data flow alone.
# timeout: 3000

# shellcheck source=tests/host_software/lib.sh
source "$TOP/tests/host_software/lib.sh"

for variant in tiny base odd networks 3 4 5 8 10 21 22; do
    programs "$variant" 20000 100
    compiles "$variant" gcc -O1
    other_machines "$variant"
done
for variant in tiny base networks $(seq 1 20); do
    "$flows" "$variant" 50000 400 >out || fail "$variant: $(cat out)"
    "$flows" "$variant" 50000 200 harmed >>out || fail "$variant: $(cat out)"
    cat out
    ! grep -E ' refused, [1-9][0-9]* of them not by the model' out || fail "$variant: refused: $(cat out)"
done
