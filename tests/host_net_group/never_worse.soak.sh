#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 36000
# expected: 14400
# Groups on a device are used where they win: all shared networks, with banks of five sizes, a memory of a beat a cycle and one of a beat
# every 64 cycles. Prints cycles and bytes by the counters of the cycle model, and the bytes of Vela, the open compiler with cascading.
# NETWORKS, BANKS (in KB) and BANDWIDTHS limit it.

# shellcheck source=tests/host_net_group/lib.sh
source "$TOP/tests/host_net_group/lib.sh"
[[ -n ${TULLE_DATA-} ]] || skip "TULLE_DATA does not name the folder of external data"
export OCL_ICD_VENDORS="$BUILD/vendors"
models=$TULLE_DATA/models/tflite
declare -A files=([autoencoder]=$models/ad01_int8.tflite [keyword]=$models/kws_ref_model.tflite [resnet]=$models/pretrainedResnet_quant.tflite
    [v1-128]=$models/mobilenet_v1_0.25_128_quant.tflite [v1-192]=v1.onnx [v2]=$models/tf2_mobilenet_v2_1.0_224_ptq.tflite)
declare -A vela=([v2 256]='5.85 M' [v2 128]='12.36 M' [v1-192 256]='3.52 M' [v1-192 32]='11.00 M' [resnet 32]='0.226 M')
mobilenet_v1 v1.onnx 192 3

echo '| network | KB | bandwidth | cycles | with groups | bytes | with groups | Vela |'
for network in ${NETWORKS:-autoencoder keyword resnet v1-128 v1-192 v2}; do
    random_input "${files[$network]}"
    for kilobytes in ${BANKS:-32 64 128 256 1024}; do
        for bandwidth in ${BANDWIDTHS:-1/1 1/64}; do
            device="model:networks;timed=1;bandwidth=$bandwidth;set=local_bytes=$((kilobytes * 1024))"
            judged "$device" "${files[$network]}" --on-chip $((kilobytes * 1024)) --bandwidth "$bandwidth"
            printf '| %s | %d | %s | %d | %d | %d | %d | %s |\n' "$network" "$kilobytes" "$bandwidth" "${before[0]}" "${after[0]}" \
                "${before[1]}" "${after[1]}" "${vela[$network $kilobytes]-}"
        done
    done
done
