#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The bars of placement on all networks with real weights, with the functional model standing for a device at 100 MHz: the default predicts at
# most the least of all CPU, all device and greedy; the host's time and the device's cycles are within 20 % of the prediction; all scalars of an
# inference take less than 50 us, and each rewrite of scalars takes something away in some network. With a clock of 1,000 MHz parts of
# operators (--mode fused) are predicted to take at most what layers do, and no strategy has better parts than the default. Prints the tables
# of docs/placement.md.
# timeout: 9000
# expected: 1800

# shellcheck source=tests/host_net_device/lib.sh
source "$TOP/tests/host_net_device/lib.sh"
# shellcheck source=tests/host_net_device/quantised.sh
source "$TOP/tests/host_net_device/quantised.sh"
tflite=$models/tflite
device="model:networks;timed=1"

quantise_data
small_networks
quantised_squeezenet squeezenet.onnx >report
quantised_lenet lenet.onnx >report
random lenet 1 1 28 0 1
take_word
head -c 784 /dev/urandom >digit.bin
head -c 640 /dev/urandom >frame.bin

# figures OUT: "PATH GREEDY DEVICE HOST" in us, "US CONSTANTS IDENTITIES COMMON DEAD" of scalars.
figures() {
    awk '/^(path|greedy|device|host) +[0-9.]+ us$/ { us[$1] = $2 }
        /^scalars: / { gsub(/[(,;)]/, ""); scalars = $20 " " $9 " " $12 " " $14 " " $16 }
        END { print us["path"], us["greedy"], us["device"], us["host"], scalars }' "$1"
}

# quotient NAME RUNS NETWORK OPTION...: of what runs took and what is predicted with the host's times of runs in turn with them.
quotient() {
    local name=$1 runs=$2
    shift 2
    rm -rf results
    "$tulle" net run "$@" --device "$device" --place --place-runs "$runs" -o results --quiet --timeout 900 >out 2>err ||
        fail "$name: $(cat out err)"
    sed -n 's/^with the host.s times of .* us measured: \([0-9.]*\) of it$/\1/p' out
}

# bars NAME RUNS INPUT-OPTIONS -- NETWORK OPTION...: a line of the table; what is missed goes to the file missed.
bars() {
    local name=$1 runs=$2 inputs=() measured
    shift 2
    while [[ $1 != -- ]]; do inputs+=("$1") && shift; done
    shift
    local network=$1
    shift
    "$tulle" net explain "$network" "$@" --as networks --place >out 2>err || fail "$name: $(cat err)"
    local path greedy there host us constants identities common dead
    read -r path greedy there host us constants identities common dead < <(figures out)
    echo "$constants $identities $common $dead" >>rewrites
    measured=$(quotient "$name" "$runs" "$network" "${inputs[@]}" "$@")
    awk -v name="$name" -v path="$path" -v greedy="$greedy" -v there="$there" -v host="$host" -v us="$us" -v measured="$measured" '
        BEGIN {
            printf "| %s | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f |\n", name, path, greedy, there, host, us, measured
            least = greedy < there ? greedy : there
            least = host < least ? host : least
            if (!(path > 0 && path <= least)) print name ": the default predicts " path " us, the best of others " least >>"missed"
            if (!(us > 0 && us < 50)) print name ": scalars take " us " us" >>"missed"
            if (!(measured >= 0.8 && measured <= 1.2)) print name ": measured " measured " of what is predicted" >>"missed"
        }'
}

: >missed
echo "| network, one input: us | path | greedy | device | host | scalars | measured / predicted |"
echo "| --- | --- | --- | --- | --- | --- | --- |"
picture_v2=(--mean 127 --scale 0.0078125)
bars "keyword spotting" 31 --input word.bin -- "$tflite/kws_ref_model.tflite" --shape input_1.0=1
bars "autoencoder" 31 --input frame.bin -- "$tflite/ad01_int8.tflite" --shape input_1.0=1
bars "ResNet-8" 31 --input "$cat" --resize crop -- "$tflite/pretrainedResnet_quant.tflite" --shape input_1_int8.0=1
bars "LSTM" 31 --input digit.bin -- "$tflite/trained_lstm_int8.tflite"
bars "MobileNetV1 0.25" 31 --input "$cat" --resize crop -- "$tflite/mobilenet_v1_0.25_128_quant.tflite"
bars "MobileNetV2" 9 --input "$cat" --resize crop "${picture_v2[@]}" -- "$tflite/tf2_mobilenet_v2_1.0_224_ptq.tflite"
for name in lenet mnist det1 det2; do
    bars "$name" 15 --input "$name-one.npy" -- "$name.onnx" --passes all
done
bars "resnet20" 3 --input resnet20-one.npy -- resnet20.onnx --passes all
bars "SqueezeNet" 2 --input "$cat" "${picture[@]}" -- squeezenet.onnx --passes all

# parts NAME INPUT-OPTIONS -- NETWORK OPTION...: a line of the table of parts.
parts() {
    local name=$1 inputs=() layers measured
    shift
    while [[ $1 != -- ]]; do inputs+=("$1") && shift; done
    shift
    "$tulle" net explain "$@" --as networks --place --clock 1000 >out 2>err || fail "$name: $(cat err)"
    layers=$(awk '/^path +[0-9.]+ us$/ { print $2 }' out)
    "$tulle" net explain "$@" --as networks --place --mode fused --clock 1000 >out 2>err || fail "$name, parts: $(cat err)"
    rm -rf results
    "$tulle" net run "$@" "${inputs[@]}" --device "$device" --place --mode fused --clock 1000 --place-runs 15 -o results --quiet >measured.out 2>err ||
        fail "$name, parts: $(cat measured.out err)"
    measured=$(sed -n 's/^with the host.s times of .* us measured: \([0-9.]*\) of it$/\1/p' measured.out)
    awk -v name="$name" -v layers="$layers" -v measured="$measured" '
        /; its parts/ { us[$1] = $6 }
        END {
            printf "| %s | %.2f | %.2f | %.2f | %.2f |\n", name, layers, us["path"], us["device"], measured
            for (other in us) if (us[other] < us["path"]) print name ": the parts of " other " take less" >>"missed"
            if (!(us["path"] > 0 && us["path"] <= layers)) print name ": parts take " us["path"] " us, layers " layers >>"missed"
            if (!(measured >= 0.8 && measured <= 1.2)) print name ": parts measured " measured " of what is predicted" >>"missed"
        }' out
}

echo "| network, one input, 1,000 MHz: us | layers | parts | parts of device | measured / predicted |"
echo "| --- | --- | --- | --- | --- |"
parts "keyword spotting" --input word.bin -- "$tflite/kws_ref_model.tflite" --shape input_1.0=1
parts "autoencoder" --input frame.bin -- "$tflite/ad01_int8.tflite" --shape input_1.0=1
parts "ResNet-8" --input "$cat" --resize crop -- "$tflite/pretrainedResnet_quant.tflite" --shape input_1_int8.0=1

awk '{ for (i = 1; i <= 4; i++) sum[i] += $i }
    END { printf "scalars taken away: %d constants, %d identities, %d common, %d dead\n", sum[1], sum[2], sum[3], sum[4]
        exit !(sum[1] && sum[2] && sum[3] && sum[4]) }' rewrites || fail "a rewrite takes nothing away"
[[ ! -s missed ]] || fail "$(cat missed)"
