#!/bin/bash
# timeout: 1500
# SPDX-License-Identifier: Apache-2.0
# Broken programs again, with other numbers than the quick tests': a fresh seed, or that of TULLE_FUZZ_SEED. fuzz.soak.sh has more.
set -euo pipefail

# CI repeats; at home every run tries something new.
if [[ -n ${CI-} ]]; then
    seed=${TULLE_FUZZ_SEED:-20240229}
else
    seed=${TULLE_FUZZ_SEED:-$(($(od -An -N3 -tu4 /dev/urandom)))}
fi
runs=${TULLE_FUZZ_RUNS:-4} fresh=${TULLE_FRESH:-2000}
echo "TULLE_FUZZ_SEED=$seed TULLE_FUZZ_RUNS=$runs"
export TULLE_FUZZ_SEED=$seed TULLE_FUZZ_RUNS=$runs
"$BUILD/tests/sim_model" --filter 'fuzz/*'
"$BUILD/tests/sim_cycle" --filter 'agreement/@(flipped|changes)*'
# Fresh operators, too: the seed counts on from there.
TULLE_TILE_SEED=$seed TULLE_TILES=$fresh "$BUILD/tests/sim_model" --filter 'operators/*'
TULLE_PLAN_SEED=$seed TULLE_PLANS=$fresh "$BUILD/tests/sim_model" --filter 'plans/*'
TULLE_TILE_SEED=$seed TULLE_TILES=1000 "$BUILD/tests/sim_cycle" --filter 'agreement/tiles'
