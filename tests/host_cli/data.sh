#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Matrices that others made, from the folder TULLE_DATA, through tulle run on the functional model.

# shellcheck source=tests/host_cli/lib.sh
source "$(dirname "$0")/lib.sh"
plain_build
# timeout: 900

if [[ -z ${TULLE_DATA-} ]]; then
    echo "skipped: TULLE_DATA does not name the folder of external matrices"
    exit 77
fi

# right FILE COMMAND...: every result is.
right() {
    local file=$TULLE_DATA/$1
    shift
    [[ -e $file ]] || { echo "not in $TULLE_DATA: $file" && return; }
    timeout 200 "$tulle" run "$@" --weights "$file" --device model:base --effort 2 --check --json >out 2>err ||
        fail "tulle run $* --weights $file: $(cat err)"
    [[ $(field checked out) == true ]] || fail "$file: $(cat out)"
    products=$((products + 1))
}

products=0
right mtx/wiki-Vote.mtx spmv
right mtx/arrow.mtx spmv
right mtx/bcsstk13.mtx spmv --quantise
right mtx/jagmesh7.mtx spmv --random-values
right mtx/lp_afiro.mtx spmv --quantise --transpose
right dl/dlmc_rn50__random_pruning__0.8__bottleneck_3_block_group2_1_1.smtx spmm --transpose --random-values
right dl/dlmc_transformer__variational_dropout__0.98__body_encoder_layer_4_self_attention_multihead_attention_k.smtx \
    spmm --transpose
right dl/gcn_cora_adj.mtx spmm --left --n 16
right dl/jettag70_fc1_relu.mtx spmm --rows 16 --quantise --relu
right dl/squeezenet_dc_fire2_conv3x3_2.mtx spmm --transpose --quantise --scale 0.001
((products)) || fail "none of the matrices is in $TULLE_DATA"

# Values that the device does not hold, and complex ones.
refuses 1 '--quantise' run spmv --weights "$TULLE_DATA/mtx/bcsstk13.mtx" --device model:base
refuses 1 'complex values are not supported' run spmv --weights "$TULLE_DATA/mtx/young1c.mtx" --device model:base
echo "$products products"
