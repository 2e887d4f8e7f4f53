#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tulle bench on a simulated device: the generated cases of tiny, their results, and the recorded cycles of the device and of
# the cycle model.
# timeout: 900

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
need verilator
# shellcheck source=tests/host_cli/lib.sh
source "$(dirname "$0")/lib.sh"
plain_build

"$TOP/sim/board/build" -o "$BUILD/board/tiny" tiny
export TULLE_BOARDS=$BUILD/board
does bench --variant tiny --on both --against "$TOP/tests/bench/bench-cycles.tsv" --json --output run.json
grep -q '"measured": 3, .*"compared": 6, "unrecorded": 0, "slower": 0, "quicker": 0' run.json || fail "$(head -n 1 run.json)"
[[ $(grep -c '"sim": {"efficiency": 0\.' run.json) == 3 ]] || fail "no cycles of the device: $(cat run.json)"

# A device of that name and other values is not measured in the place of the variant that is asked for.
"$BUILD/bin/tulle-gen" tiny --set scan=4 --print >other.yaml
refuses 1 'sim:tiny was built of another variant of that name' bench --variant tiny --with other.yaml --on sim
mkdir tiny # as tulle-gen makes one: it is no device, and not in the way
does bench --only tiny-3x3 --on sim
