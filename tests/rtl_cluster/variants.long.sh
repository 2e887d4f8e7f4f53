#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Rows of base and odd, and of 16-bit data with four scans, against the functional model, with fresh seeds, too.
# variants.soak.sh has more variants.
# timeout: 2400
set -euo pipefail
SHARE=40

# shellcheck source=tests/rtl_cluster/sweep_lib.sh
source "$TOP/tests/rtl_cluster/sweep_lib.sh"

sweep base base "${ONE[@]}"
compare measure
compare tiles --seeds 536021377 1 # a slope of -1 on the most negative accumulator
sweep base4-int16 base4 "${ONE[@]}" "${INT16_WIDTHS[@]}"
sweep odd odd
compare reductions --seeds "$FIRST_SEED" 200
row parallel base "${ONE[@]}" --set parallel_issue=on
compare tiles --seeds "$FIRST_SEED" 200
compare plans --seeds "$FIRST_SEED" 60
compare measure
row extensions base "${ONE[@]}" --set pe_operands=on --set scalar_unit=on --set functions=relu,requantise,sum,max,average
compare extensions --seeds "$FIRST_SEED" 400
compare refusals
compare measure
finish
