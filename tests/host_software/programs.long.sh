#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# As programs.sh, with programs of a random variant as well, and more programs as data flow alone. programs.soak.sh has many.
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
