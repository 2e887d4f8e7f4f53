#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tulle_command against sim/model/program.c, in Icarus.
# timeout: 600
set -euo pipefail

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
# shellcheck source=tests/rtl/command/lib.sh
source "$TOP/tests/rtl/command/lib.sh"
need iverilog

cd "$TOP"
command_build
for variant in tiny odd base; do
    command_folder "$variant"
    command_icarus "PAUSE=64"
    for suite in "${COMMAND_SUITES[@]}"; do
        command_play icarus "$variant" "${SEED:-1}" "$suite" 1 || true
    done
done
finish
