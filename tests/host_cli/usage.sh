#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What tulle run, explain and convert refuse before anything is opened: exit status 2, each with its message.

# shellcheck source=tests/host_cli/lib.sh
source "$(dirname "$0")/lib.sh"

for command in run explain; do
    refuses 2 'which operator? spmm, spmv, conv, dwconv, pool, add, sub, mul or softmax' $command
    refuses 2 'there is no operator "spnn"' $command spnn
    refuses 2 'one operator at a time: "spmm" and "spmv"' $command spmm spmv
    refuses 2 '"a.mtx" and --weights b.mtx: one file of weights' $command spmm a.mtx --weights b.mtx
    refuses 2 'add has no weights to be in "a.mtx"' $command add a.mtx
    refuses 2 '"b.mtx" is one argument too many' $command spmm a.mtx b.mtx
    refuses 2 'did you mean --density' $command spmm --densty 0.2
    refuses 2 'did you mean --density' $command spmm --dens=0.2
    refuses 2 'did you mean --lookup' $command spmm --lokup elu
    refuses 2 'did you mean --quiet' $command spmm --quite
    refuses 2 '--device needs a value' $command spmm --device
    refuses 2 '--seed is given twice' $command spmm --seed 1 --seed 2
    refuses 2 '--rows 0: allowed 1..4294967295' $command spmm --rows 0
    refuses 2 '--rows 4294967296: allowed' $command spmm --rows 4294967296
    refuses 2 '--k 5x: allowed' $command spmm --k 5x
    refuses 2 '--n : allowed' $command spmm --n ''
    refuses 2 '--seed -1: allowed' $command spmm --seed -1
    refuses 2 '--seed 99999999999999999999: allowed' $command spmm --seed 99999999999999999999
    refuses 2 '--density 1.5: a number from 0 to 1' $command spmm --density 1.5
    refuses 2 '--density x: a number from 0 to 1' $command spmm --density x
    refuses 2 '--density nan: a number from 0 to 1' $command spmm --density nan
    refuses 2 '--act-density -0.1: a number from 0 to 1' $command spmm --act-density -0.1
    refuses 2 '--mapping xs: allowed is, os, ws' $command spmm --mapping xs
    refuses 2 '--split mx: two of the letters' $command spmm --split mx
    refuses 2 '--split mnk: two of the letters' $command spmm --split mnk
    refuses 2 '--output-type int4: allowed int8, int16, int32, int64' $command spmm --output-type int4
    refuses 2 '--timeout 0: allowed 1..' $command spmm --timeout 0
    refuses 2 '--effort 0: allowed 1..' $command spmm --effort 0
    refuses 2 '--left and --n go with spmm only' $command spmv --left
    refuses 2 '--left and --n go with spmm only' $command spmv --n 5
    for option in '--density 0.1' '--per-row 2' '--block 2' '--graph 9'; do
        # shellcheck disable=SC2086 # an option and its value
        refuses 2 '--weights f.mtx has its own' $command spmm --weights f.mtx $option
    done
    refuses 2 'one of --density, --per-row and --graph' $command spmm --density 0.1 --per-row 2
    refuses 2 'one of --density, --per-row and --graph' $command spmm --graph 5 --per-row 2
    refuses 2 '--per-row how many: give both' $command spmv --band 2
    refuses 2 '--block goes with --density only' $command spmm --block 2 --per-row 2
    refuses 2 '--input f.mtx has its own' $command spmm --input f.mtx --act-density 0.5
    refuses 2 '--transpose is for a file' $command spmm --transpose
    refuses 2 '--random-values is for files' $command spmm --random-values
    refuses 2 '--zero goes with --scale' $command spmm --zero 3
    refuses 2 '--rounding goes with --scale, --pool average, add, sub and mul' $command spmm --rounding even
    refuses 2 '--rounding down: allowed up, even, two-steps' $command spmm --scale 1 --rounding down
    refuses 2 '--scale 0: a number above 0' $command spmm --scale 0
    refuses 2 '--scale 1e10: a number from 0 to 1e+09' $command spmm --scale 1e10
    refuses 2 '--low and --high come together' $command spmm --low 3
    refuses 2 '--low and --high come together' $command spmm --high f.npy
    refuses 2 '--low and --high are whole numbers' $command spmm --scale 1 --low 3.5
    refuses 2 '--high 32768: a number from -32768 to 32767' $command spmm --scale 1 --high 32768
    refuses 2 'without --relu, please' $command spmm --scale 1 --low 3 --relu
    refuses 2 '- is standard input' $command spmm --scale - --low - --high 3
    refuses 2 '--output-type uint8 goes with --scale' $command spmm --output-type uint8
    refuses 2 '--zero -1: allowed 0..255' $command spmm --scale 1 --zero -1 --output-type uint8
    refuses 2 '--scale gives int8, int16 or uint8, not int32' $command spmm --scale 1 --output-type int32
    refuses 2 '--zero 128: allowed -128..127' $command spmm --scale 1 --zero 128
    refuses 2 '--zero 32768: allowed -32768..32767' $command spmm --scale 1 --zero 32768 --output-type int16
    refuses 2 '- is standard input' $command spmm --weights - --input -
    refuses 2 '- is standard input' $command add --second - --input -
    for option in '--weights f' '--density 1' '--k 2' '--bias f' '--initial f' --left --wraps '--scale 2'; do
        # shellcheck disable=SC2086 # an option and its value
        refuses 2 'add, sub and mul have no weights, k, bias' $command add $option
    done
    refuses 2 '--quantise finds a scale' $command mul --quantise
    refuses 2 '--mapping and --split are of products' $command sub --split mm
    refuses 2 '--mapping and --split are of products' $command sub --mapping is
    refuses 2 '--batch, --out-channels' $command add --in 4x4x4
    refuses 2 'add gives int8, int16 or uint8, not int32' $command add --output-type int32
    refuses 2 '--residual goes with spmm, conv and dwconv' $command add --residual add
    refuses 2 '--residual goes with spmm, conv and dwconv' $command spmv --residual add --scale 1
    refuses 2 '--residual goes with spmm, conv and dwconv' $command pool --pool max --in 4x4x4 --residual add --scale 1
    refuses 2 '--residual div: allowed add, sub, mul' $command spmm --residual div --scale 1
    refuses 2 '--residual goes with --scale' $command spmm --residual add
    refuses 2 '--second-row goes with add, sub and mul' $command spmm --residual add --scale 1 --second-row
    for option in '--second f' --second-row '--second-type int8' --second-unsigned '--second-zero 1' '--second-scale 2'; do
        # shellcheck disable=SC2086 # an option and its value
        refuses 2 'options that begin with --second go with' $command spmm --scale 1 $option
    done
    refuses 2 '--low and --high of joined results are numbers' $command spmm --residual add --scale 1 --low f
    refuses 2 '--first-scale and --result-scale go with' $command spmm --scale 1 --first-scale 2
    refuses 2 '--first-scale and --result-scale go with' $command spmm --scale 1 --result-scale 2
    refuses 2 '--sum-zero goes with --residual and --lookup' $command spmm --scale 1 --sum-zero 2
    refuses 2 '--sum-zero goes with --residual and --lookup' $command add --sum-zero 2
    for scale in first second result; do
        refuses 2 "--$scale-scale 0: a number above 0" $command add --$scale-scale 0
    done
    refuses 2 'are not looked up' $command spmm --residual add --scale 1 --lookup tanh
    refuses 2 'are not looked up' $command mul --lookup tanh
    refuses 2 '--lookup goes with --scale' $command spmm --lookup tanh
    refuses 2 '--lookup sine: allowed sigmoid, tanh, hard-swish, gelu, elu' $command spmm --scale 1 --lookup sine
    refuses 2 'not for results that are looked up' $command spmm --scale 1 --lookup elu --relu
    refuses 2 'not for results that are looked up' $command spmm --scale 1 --lookup elu --high 5
    refuses 2 '--lookup gives int8, not int16' $command spmm --scale 1 --lookup elu --output-type int16
    refuses 2 '--sum-zero 128: allowed -128..127 with --lookup' $command spmm --scale 1 --lookup elu --sum-zero 128
    refuses 2 'one of them, please' $command spmm --json --quiet
done
refuses 2 '--float is for products and convolutions' run add --float
refuses 2 '--residual and --lookup are of integers' run spmm --float --residual add --scale 1
refuses 2 '--residual and --lookup are of integers' run spmm --float --lookup tanh --scale 1
refuses 2 'results are written as .npy or .mtx' run spmm --output x.smtx
refuses 2 'results are written as .npy or .mtx' run spmm --output x
refuses 2 '--repeat 0: allowed 1..' run spmm --repeat 0
refuses 2 'an operator that was loaded' run spmm --load f --save g
refuses 2 'planned already' run spmm --load f --mapping is
refuses 2 'planned already' run spmm --load f --split mm
refuses 2 'planned already' run spmm --load f --effort 3
refuses 2 'unknown option "--measure"' run spmm --measure
refuses 2 'unknown option "--check"' explain spmm --check
refuses 2 'unknown option "--output"' explain spmm --output x.npy

refuses 2 'which files?' convert
refuses 2 'which files?' convert a.mtx
refuses 2 'one argument too many' convert a.mtx b.mtx c.mtx
refuses 2 'shows no format' convert a.mtx b
refuses 2 'shows no format' convert a.mtx -
refuses 2 '--to csv: allowed mtx, smtx, npy' convert a.mtx b --to csv
refuses 2 '--from csv: allowed mtx, smtx, npy' convert a.csv b.mtx --from csv
refuses 2 '--type complex64: allowed int8' convert a.mtx b.npy --type complex64
refuses 2 '--type goes with .npy only' convert a.mtx b.mtx --type int8
refuses 2 '--array goes with .mtx only' convert a.mtx b.npy --array
refuses 2 'one of them, please' convert a.mtx b.mtx --array --pattern
refuses 2 '--keep-symmetric goes with entries' convert a.mtx b.npy --keep-symmetric
refuses 2 '--keep-symmetric goes with entries' convert a.mtx b.mtx --keep-symmetric --transpose

# Every option is in the help, and every option of the help is one.
options_of() {
    grep -o -- '--[a-z][a-z-]*' | sort -u
}
for command in run explain convert; do
    shows "Usage: tulle $command" $command --help
    cp out help
    "$tulle" $command -h | cmp - help
    (($(awk '{ print length }' help | sort -n | tail -n 1) <= 110)) || fail "tulle $command --help has a line too long"
    for option in $(options_of <help); do
        [[ $option == --help ]] && continue
        # A switch takes no value, and others need one; neither is unknown.
        "$tulle" $command "$option" >out 2>err && fail "tulle $command $option: done"
        if grep -q 'unknown option' err; then
            grep -q 'gives both\|--load' <<<"$option" || fail "tulle $command --help has $option: $(cat err)"
        fi
    done
done
shows 'run ' --help
shows 'run ' help
"$tulle" help run | cmp - <("$tulle" run --help) || fail "tulle help run is not tulle run --help"
refuses 2 'did you mean devices' help dvices
shows 'convert ' --help
shows 'explain ' --help
