#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Arrays with one row, one cluster, one PE, one of each, and with numbers that are no powers of two: operators and
# harmed ones. sizes.soak.sh has the large ones.
# timeout: 1500
set -euo pipefail

# shellcheck source=tests/sim_board/fuzz_lib.sh
source "$TOP/tests/sim_board/fuzz_lib.sh"

# sized NAME=VALUE...: tiny with other sizes.
sized() {
    "$BUILD/bin/tulle-gen" tiny "${@/#/--set=}" --print >"$TMPDIR/sized.yaml"
    fuzz "$TMPDIR/sized.yaml" --count 100
}

sized n=1
sized m=1
sized k=1
sized n=1 m=1 k=1
sized k=3
fuzz odd --count 60
finish
