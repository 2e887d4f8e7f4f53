#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A sequence of operators that an application saved: its C has the device's bits, with values that the host takes in the middle of it,
# in memory and in the activation bank.
# timeout: 300

# shellcheck source=tests/host_software/lib.sh
source "$TOP/tests/host_software/lib.sh"
export OCL_ICD_VENDORS=$BUILD/vendors

cat >make.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <tulle.h>
enum { SIDE = 6, CHANNELS = 16, MIDDLE = 24, CLASSES = 10 };
static int8_t weights[3][SIDE * SIDE * MIDDLE * CLASSES];
static struct tulle_matrix dense(int number, int64_t rows, int64_t columns)
{
    for (int64_t i = 0; i < rows * columns; i++)
        weights[number][i] = (int8_t)(rand() % 3 ? 0 : rand() % 200 - 100);
    return (struct tulle_matrix){.size = sizeof(struct tulle_matrix), .format = TULLE_DENSE, .type = TULLE_INT8,
        .rows = rows, .columns = columns, .values = weights[number]};
}
static struct tulle_window window(int64_t channels, int64_t groups)
{
    return (struct tulle_window){.size = sizeof(struct tulle_window), .batch = 1, .height = SIDE, .width = SIDE,
        .channels = channels, .kernel_height = 3, .kernel_width = 3, .pad_top = 1, .pad_bottom = 1, .pad_left = 1,
        .pad_right = 1, .groups = groups, .input_layout = TULLE_NHWC, .output_layout = TULLE_NHWC,
        .weights_layout = TULLE_NHWC};
}
int main(int count, char **word)
{
    struct tulle_epilogue last = {.size = sizeof last, .function = TULLE_REQUANTISE, .multiplier = 1 << 30,
        .shift = 38, .low = -128, .high = 127, .zero = 5}, sum = last;
    sum.shift = 49;
    const struct tulle_second second = {.size = sizeof second, .join = TULLE_JOIN_ADD, .type = TULLE_INT8, .zero = 5,
        .multiplier = 1 << 30, .shift = 32, .columns = MIDDLE};
    const struct tulle_window windows[] = {window(CHANNELS, 1), window(MIDDLE, MIDDLE)};
    const struct tulle_matrix matrix[] = {dense(0, MIDDLE, 9 * CHANNELS), dense(1, MIDDLE, 9),
        dense(2, SIDE * SIDE * MIDDLE, CLASSES)};
    struct tulle_operator_options options[4];
    struct tulle_step steps[4];
    struct tulle_device *device;
    struct tulle_operator *op;
    for (int i = 0; i < 4; i++) {
        options[i] = (struct tulle_operator_options){.size = sizeof *options, .output_type = TULLE_INT8,
            .input_zero = i ? 5 : 0, .epilogue = i == 2 ? &sum : &last, .operation = TULLE_CONVOLUTION};
        steps[i] = (struct tulle_step){.size = sizeof *steps, .options = &options[i], .second = TULLE_FROM_HOST,
            .input = i ? (size_t)i - 1 : TULLE_FROM_HOST, .wanted = i == 1 || i == 3};
    }
    for (int i = 0; i < 2; i++) {
        options[i].window = &windows[i];
        options[i].matrix = &matrix[i];
    }
    options[2].operation = TULLE_ELEMENTWISE;
    options[2].dense = SIDE * SIDE;
    options[2].second = &second;
    steps[2].second = 0;
    options[3].operation = TULLE_SPMM_RIGHT;
    options[3].dense = 1;
    options[3].matrix = &matrix[2];
    if (count != 2 || tulle_device_open(NULL, NULL, &device) || tulle_sequence_create(device, steps, 4, &op, NULL) ||
        tulle_operator_save(op, word[1]))
        return puts(tulle_message()), 1;
    tulle_operator_free(op);
    tulle_device_close(device);
    return 0;
}
C
gcc -std=c11 -I"$TOP/host" make.c "$BUILD/lib/libtulle.a" -lOpenCL -ljansson -lyaml -pthread -lm -o make.exe
printf '#include <stdio.h>\n#include "seq.h"\nint main(void)\n{\n    return puts(seq_test() ? "wrong" : "0 wrong") < 0;\n}\n' >main.c

for device in model:networks 'model:networks;set=local_bytes=65536'; do
    TULLE_DEVICES=$device ./make.exe seq || fail "$device: no sequence"
    "$tulle" net verify seq --device "$device" >out 2>err || fail "$device: $(cat out err)"
    grep -q ", in C: $((3 * (6 * 6 * 24 + 10))) bytes compared, 0 differ$" out || fail "$device: $(cat out)"
    cat out
    "$tulle" software seq --device "$device" -o seq.c --self-test --force >out 2>err || fail "$device: $(cat out err)"
    grep -q ' 4 functions$' out || fail "$device: $(cat out)"
    compiles seq gcc main.c -O2
done
"$tulle" software seq --device "$device" -o seq.onnx >out 2>err || fail "ONNX: $(cat out err)"
grep -q ' 4 layers$' out || fail "ONNX: $(cat out)"
