#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The fuzzer on ten random devices, on five with every key, and longer on tiny.
# timeout: 7200
# expected: 2700
set -euo pipefail

# shellcheck source=tests/sim_board/fuzz_lib.sh
source "$TOP/tests/sim_board/fuzz_lib.sh"

fuzz tiny --seed 1001 --count 2000
fuzz --sweep 10 --count 100
fuzz --every-key --sweep 5 --count 100
# Seldom and found once: a result that hardly ever depends on what input buffers held before, a configuration without data,
# an accumulate that reads the same 65,535 times, a configuration with a reserved bit behind a wrong field, and more dead reads than the
# memory took at once.
fuzz --every-key --random 8 --seed 801549 --count 1
fuzz --every-key --random 20 --seed 2000895 --count 1
fuzz --every-key --random 75 --seed 7500378 --count 2
fuzz --every-key --random 144 --seed 14401052 --count 1
fuzz --every-key --random 87 --seed 8702293 --count 1
# A load engine that fails is no longer ready, while the order of several engines' operations is full.
"$BUILD/bin/tulle-gen" --random 37932667 --set tokens=7 --print >"$TMPDIR/ports.yaml"
fuzz "$TMPDIR/ports.yaml" --seed 932666750 --count 1
finish
