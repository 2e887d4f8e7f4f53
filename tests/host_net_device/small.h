/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TULLE_TESTS_HOST_NET_DEVICE_SMALL_H
#define TULLE_TESTS_HOST_NET_DEVICE_SMALL_H

/* The variant networks with an array as small as that of tiny, whose sizes rarely divide those of a layer. */
#define SMALL                                                                                                \
    "model:networks;set=memory_width=64;set=row_bus_width=64;set=n=1;set=m=1;set=k=4;set=channel_groups=32;" \
    "set=softmax=64"

/* The text of an ONNX graph: a product of int8, "x" of 4 numbers to "y" of 3, and "z", a limit that a device
 * puts into it. */
#define SMALL_INT8S(name, dims) "initializer { name: '" name "' data_type: 3 dims: [" dims "] int32_data: "
#define SMALL_FLOAT(name, value) "initializer { name: '" name "' data_type: 1 float_data: [" value "] }\n"
#define SMALL_END(kind, name, size)                                                                \
    kind " { name: '" name                                                                         \
         "' type { tensor_type { elem_type: 3 shape { dim { dim_value: 1 } dim { dim_value: " size \
         " } } } } }\n"
#define SMALL_PRODUCT                                                                                   \
    SMALL_END("input", "x", "4")                                                                        \
    SMALL_END("output", "z", "3")                                                                       \
    SMALL_FLOAT("s", "1")                                                                               \
    SMALL_FLOAT("t", "2")                                                                               \
    SMALL_INT8S("0", "")                                                                                \
    "[0] }\n" SMALL_INT8S(                                                                              \
        "w", "4, 3") "[1, -1, 2, 3, 1, -2, -1, 0, 1, 2, 2, -1] }\n"                                     \
                     "node { op_type: 'QLinearMatMul' input: ['x', 's', '0', 'w', 's', '0', 't', '0'] " \
                     "output: 'y' }\n"                                                                  \
                     "node { op_type: 'Max' input: ['y', '0'] output: 'z' }\n"

#endif
