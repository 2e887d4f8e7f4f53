# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What variants.long.sh and variants.soak.sh share.

# shellcheck source=tests/rtl_cluster/lib.sh
source "$TOP/tests/rtl_cluster/lib.sh"

# shellcheck disable=SC2034 # for the scripts that source this
ONE=(--set n=1 --set m=1 --set memory_width=256)
# shellcheck disable=SC2034
INT16_WIDTHS=(--set data_width=16 --set acc_width=48 --set index_width=11)

SHARE=${SHARE-100} # of the cases, in percent
# sweep NAME VARIANT OPTION...: every kind of case, some with fresh seeds.
sweep() {
    local fresh=$((RANDOM * 32768 + RANDOM))
    row "$@"
    compare stores --seeds "$FIRST_SEED" $((2 * SHARE))
    for first in "$FIRST_SEED" "$fresh"; do
        compare loads --seeds "$first" "$SHARE"
        compare tiles --seeds "$first" $((4 * SHARE))
        [[ $* == *data_width=16* ]] || compare plans --seeds "$first" $((3 * SHARE / 2)) # which are of int8
    done
    compare errors
}
