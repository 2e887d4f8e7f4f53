/* SPDX-License-Identifier: Apache-2.0
 *
 * Usage: net-seeds FOLDER
 *
 * Writes the small networks of the tests as seeds of the fuzzer (fuzz.c).
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/host_net/random_graphs.h"
#include "tests/host_net/support.h"

int main(int argc, char **argv)
{
    struct strbuf weights = small_caffemodel(), tflite = small_tflite(), both = {0};
    const size_t length = strlen(small_prototxt());
    if (argc != 2 || chdir(argv[1]) != 0)
        return fputs("usage: net-seeds FOLDER\n", stderr), 2;
    sb_addn(&both, (const char[]){'W', (char)(length >> 8), (char)length}, 3);
    sb_add(&both, small_prototxt());
    sb_addn(&both, weights.text, weights.len);
    write_bytes("caffe", &both);
    write_bytes("tflite", &tflite);
    write_node("pool", "MaxPool", "1x2xHx8", "attribute { name: 'kernel_shape' type: INTS ints: [2, 2] }");
    write_onnx("reshape",
               "input { name: 'X' type { tensor_type { elem_type: 1 shape { dim { dim_param: 'N' } dim { "
               "dim_value: 4 } } } } } "
               "initializer { name: 'T' dims: 2 data_type: 7 int64_data: [0, -1] } "
               "node { op_type: 'Reshape' input: 'X' input: 'T' output: 'Y' } output { name: 'Y' }");
    graph_of_floats(&(struct random){1}, "floats");
    graph_of_scales(&(struct random){2}, 2, true, "scales");
    graph_of_integers(&(struct random){3}, "integers");
    sb_free(&weights);
    sb_free(&tflite);
    sb_free(&both);
    return 0;
}
