/* SPDX-License-Identifier: Apache-2.0
 *
 * What the reader knows of TFLite's schema: fields of tables by their index, and
 * the operators by their number. tests/host_net/schema.sh compares it with a table
 * of the whole schema.
 */
#ifndef TULLE_HOST_NET_TFLITE_SCHEMA_H
#define TULLE_HOST_NET_TFLITE_SCHEMA_H

/* Table, field, index. */
#define TFLITE_FIELDS(X)                                               \
    X(Model, version, 0)                                               \
    X(Model, operator_codes, 1)                                        \
    X(Model, subgraphs, 2)                                             \
    X(Model, buffers, 4)                                               \
    X(OperatorCode, deprecated_builtin_code, 0)                        \
    X(OperatorCode, custom_code, 1)                                    \
    X(OperatorCode, builtin_code, 3)                                   \
    X(SubGraph, tensors, 0)                                            \
    X(SubGraph, inputs, 1)                                             \
    X(SubGraph, outputs, 2)                                            \
    X(SubGraph, operators, 3)                                          \
    X(SubGraph, name, 4)                                               \
    X(Tensor, shape, 0)                                                \
    X(Tensor, type, 1)                                                 \
    X(Tensor, buffer, 2)                                               \
    X(Tensor, name, 3)                                                 \
    X(Tensor, quantization, 4)                                         \
    X(Tensor, is_variable, 5)                                          \
    X(Tensor, sparsity, 6)                                             \
    X(Tensor, shape_signature, 7)                                      \
    X(QuantizationParameters, scale, 2)                                \
    X(QuantizationParameters, zero_point, 3)                           \
    X(QuantizationParameters, details_type, 4)                         \
    X(QuantizationParameters, quantized_dimension, 6)                  \
    X(Buffer, data, 0)                                                 \
    X(Buffer, offset, 1)                                               \
    X(Buffer, size, 2)                                                 \
    X(Operator, opcode_index, 0)                                       \
    X(Operator, inputs, 1)                                             \
    X(Operator, outputs, 2)                                            \
    X(Operator, builtin_options, 4)                                    \
    X(Operator, custom_options, 5)                                     \
    X(Conv2DOptions, padding, 0)                                       \
    X(Conv2DOptions, stride_w, 1)                                      \
    X(Conv2DOptions, stride_h, 2)                                      \
    X(Conv2DOptions, fused_activation_function, 3)                     \
    X(Conv2DOptions, dilation_w_factor, 4)                             \
    X(Conv2DOptions, dilation_h_factor, 5)                             \
    X(DepthwiseConv2DOptions, padding, 0)                              \
    X(DepthwiseConv2DOptions, stride_w, 1)                             \
    X(DepthwiseConv2DOptions, stride_h, 2)                             \
    X(DepthwiseConv2DOptions, depth_multiplier, 3)                     \
    X(DepthwiseConv2DOptions, fused_activation_function, 4)            \
    X(DepthwiseConv2DOptions, dilation_w_factor, 5)                    \
    X(DepthwiseConv2DOptions, dilation_h_factor, 6)                    \
    X(Pool2DOptions, padding, 0)                                       \
    X(Pool2DOptions, stride_w, 1)                                      \
    X(Pool2DOptions, stride_h, 2)                                      \
    X(Pool2DOptions, filter_width, 3)                                  \
    X(Pool2DOptions, filter_height, 4)                                 \
    X(Pool2DOptions, fused_activation_function, 5)                     \
    X(FullyConnectedOptions, fused_activation_function, 0)             \
    X(FullyConnectedOptions, weights_format, 1)                        \
    X(FullyConnectedOptions, keep_num_dims, 2)                         \
    X(SoftmaxOptions, beta, 0)                                         \
    X(ConcatenationOptions, axis, 0)                                   \
    X(ConcatenationOptions, fused_activation_function, 1)              \
    X(AddOptions, fused_activation_function, 0)                        \
    X(MulOptions, fused_activation_function, 0)                        \
    X(SubOptions, fused_activation_function, 0)                        \
    X(DivOptions, fused_activation_function, 0)                        \
    X(ReshapeOptions, new_shape, 0)                                    \
    X(SqueezeOptions, squeeze_dims, 0)                                 \
    X(ReducerOptions, keep_dims, 0)                                    \
    X(GatherOptions, axis, 0)                                          \
    X(GatherOptions, batch_dims, 1)                                    \
    X(SplitOptions, num_splits, 0)                                     \
    X(LeakyReluOptions, alpha, 0)                                      \
    X(SpaceToDepthOptions, block_size, 0)                              \
    X(DepthToSpaceOptions, block_size, 0)                              \
    X(StridedSliceOptions, begin_mask, 0)                              \
    X(StridedSliceOptions, end_mask, 1)                                \
    X(StridedSliceOptions, ellipsis_mask, 2)                           \
    X(StridedSliceOptions, new_axis_mask, 3)                           \
    X(StridedSliceOptions, shrink_axis_mask, 4)                        \
    X(StridedSliceOptions, offset, 5)                                  \
    X(PackOptions, axis, 1)                                            \
    X(UnpackOptions, axis, 1)                                          \
    X(ResizeBilinearOptions, align_corners, 2)                         \
    X(ResizeBilinearOptions, half_pixel_centers, 3)                    \
    X(ResizeNearestNeighborOptions, align_corners, 0)                  \
    X(ResizeNearestNeighborOptions, half_pixel_centers, 1)             \
    X(BatchMatMulOptions, adj_x, 0)                                    \
    X(BatchMatMulOptions, adj_y, 1)                                    \
    X(L2NormOptions, fused_activation_function, 0)                     \
    X(TransposeConvOptions, stride_w, 1)                               \
    X(TransposeConvOptions, stride_h, 2)                               \
    X(TransposeConvOptions, fused_activation_function, 3)              \
    X(UnidirectionalSequenceLSTMOptions, fused_activation_function, 0) \
    X(UnidirectionalSequenceLSTMOptions, cell_clip, 1)                 \
    X(UnidirectionalSequenceLSTMOptions, proj_clip, 2)                 \
    X(UnidirectionalSequenceLSTMOptions, time_major, 3)

#define X(table, field, index) table##_##field = index,
enum tflite_field { TFLITE_FIELDS(X) };
#undef X

/* Operator, number. */
#define TFLITE_OPERATORS(X)                  \
    X(ADD, 0)                                \
    X(AVERAGE_POOL_2D, 1)                    \
    X(CONCATENATION, 2)                      \
    X(CONV_2D, 3)                            \
    X(DEPTHWISE_CONV_2D, 4)                  \
    X(DEPTH_TO_SPACE, 5)                     \
    X(DEQUANTIZE, 6)                         \
    X(EMBEDDING_LOOKUP, 7)                   \
    X(FLOOR, 8)                              \
    X(FULLY_CONNECTED, 9)                    \
    X(HASHTABLE_LOOKUP, 10)                  \
    X(L2_NORMALIZATION, 11)                  \
    X(L2_POOL_2D, 12)                        \
    X(LOCAL_RESPONSE_NORMALIZATION, 13)      \
    X(LOGISTIC, 14)                          \
    X(LSH_PROJECTION, 15)                    \
    X(LSTM, 16)                              \
    X(MAX_POOL_2D, 17)                       \
    X(MUL, 18)                               \
    X(RELU, 19)                              \
    X(RELU_N1_TO_1, 20)                      \
    X(RELU6, 21)                             \
    X(RESHAPE, 22)                           \
    X(RESIZE_BILINEAR, 23)                   \
    X(RNN, 24)                               \
    X(SOFTMAX, 25)                           \
    X(SPACE_TO_DEPTH, 26)                    \
    X(SVDF, 27)                              \
    X(TANH, 28)                              \
    X(CONCAT_EMBEDDINGS, 29)                 \
    X(SKIP_GRAM, 30)                         \
    X(CALL, 31)                              \
    X(CUSTOM, 32)                            \
    X(EMBEDDING_LOOKUP_SPARSE, 33)           \
    X(PAD, 34)                               \
    X(UNIDIRECTIONAL_SEQUENCE_RNN, 35)       \
    X(GATHER, 36)                            \
    X(BATCH_TO_SPACE_ND, 37)                 \
    X(SPACE_TO_BATCH_ND, 38)                 \
    X(TRANSPOSE, 39)                         \
    X(MEAN, 40)                              \
    X(SUB, 41)                               \
    X(DIV, 42)                               \
    X(SQUEEZE, 43)                           \
    X(UNIDIRECTIONAL_SEQUENCE_LSTM, 44)      \
    X(STRIDED_SLICE, 45)                     \
    X(BIDIRECTIONAL_SEQUENCE_RNN, 46)        \
    X(EXP, 47)                               \
    X(TOPK_V2, 48)                           \
    X(SPLIT, 49)                             \
    X(LOG_SOFTMAX, 50)                       \
    X(DELEGATE, 51)                          \
    X(BIDIRECTIONAL_SEQUENCE_LSTM, 52)       \
    X(CAST, 53)                              \
    X(PRELU, 54)                             \
    X(MAXIMUM, 55)                           \
    X(ARG_MAX, 56)                           \
    X(MINIMUM, 57)                           \
    X(LESS, 58)                              \
    X(NEG, 59)                               \
    X(PADV2, 60)                             \
    X(GREATER, 61)                           \
    X(GREATER_EQUAL, 62)                     \
    X(LESS_EQUAL, 63)                        \
    X(SELECT, 64)                            \
    X(SLICE, 65)                             \
    X(SIN, 66)                               \
    X(TRANSPOSE_CONV, 67)                    \
    X(SPARSE_TO_DENSE, 68)                   \
    X(TILE, 69)                              \
    X(EXPAND_DIMS, 70)                       \
    X(EQUAL, 71)                             \
    X(NOT_EQUAL, 72)                         \
    X(LOG, 73)                               \
    X(SUM, 74)                               \
    X(SQRT, 75)                              \
    X(RSQRT, 76)                             \
    X(SHAPE, 77)                             \
    X(POW, 78)                               \
    X(ARG_MIN, 79)                           \
    X(FAKE_QUANT, 80)                        \
    X(REDUCE_PROD, 81)                       \
    X(REDUCE_MAX, 82)                        \
    X(PACK, 83)                              \
    X(LOGICAL_OR, 84)                        \
    X(ONE_HOT, 85)                           \
    X(LOGICAL_AND, 86)                       \
    X(LOGICAL_NOT, 87)                       \
    X(UNPACK, 88)                            \
    X(REDUCE_MIN, 89)                        \
    X(FLOOR_DIV, 90)                         \
    X(REDUCE_ANY, 91)                        \
    X(SQUARE, 92)                            \
    X(ZEROS_LIKE, 93)                        \
    X(FILL, 94)                              \
    X(FLOOR_MOD, 95)                         \
    X(RANGE, 96)                             \
    X(RESIZE_NEAREST_NEIGHBOR, 97)           \
    X(LEAKY_RELU, 98)                        \
    X(SQUARED_DIFFERENCE, 99)                \
    X(MIRROR_PAD, 100)                       \
    X(ABS, 101)                              \
    X(SPLIT_V, 102)                          \
    X(UNIQUE, 103)                           \
    X(CEIL, 104)                             \
    X(REVERSE_V2, 105)                       \
    X(ADD_N, 106)                            \
    X(GATHER_ND, 107)                        \
    X(COS, 108)                              \
    X(WHERE, 109)                            \
    X(RANK, 110)                             \
    X(ELU, 111)                              \
    X(REVERSE_SEQUENCE, 112)                 \
    X(MATRIX_DIAG, 113)                      \
    X(QUANTIZE, 114)                         \
    X(MATRIX_SET_DIAG, 115)                  \
    X(ROUND, 116)                            \
    X(HARD_SWISH, 117)                       \
    X(IF, 118)                               \
    X(WHILE, 119)                            \
    X(NON_MAX_SUPPRESSION_V4, 120)           \
    X(NON_MAX_SUPPRESSION_V5, 121)           \
    X(SCATTER_ND, 122)                       \
    X(SELECT_V2, 123)                        \
    X(DENSIFY, 124)                          \
    X(SEGMENT_SUM, 125)                      \
    X(BATCH_MATMUL, 126)                     \
    X(PLACEHOLDER_FOR_GREATER_OP_CODES, 127) \
    X(CUMSUM, 128)                           \
    X(CALL_ONCE, 129)                        \
    X(BROADCAST_TO, 130)                     \
    X(RFFT2D, 131)                           \
    X(CONV_3D, 132)                          \
    X(IMAG, 133)                             \
    X(REAL, 134)                             \
    X(COMPLEX_ABS, 135)                      \
    X(HASHTABLE, 136)                        \
    X(HASHTABLE_FIND, 137)                   \
    X(HASHTABLE_IMPORT, 138)                 \
    X(HASHTABLE_SIZE, 139)                   \
    X(REDUCE_ALL, 140)                       \
    X(CONV_3D_TRANSPOSE, 141)                \
    X(VAR_HANDLE, 142)                       \
    X(READ_VARIABLE, 143)                    \
    X(ASSIGN_VARIABLE, 144)                  \
    X(BROADCAST_ARGS, 145)                   \
    X(RANDOM_STANDARD_NORMAL, 146)           \
    X(BUCKETIZE, 147)                        \
    X(RANDOM_UNIFORM, 148)                   \
    X(MULTINOMIAL, 149)                      \
    X(GELU, 150)                             \
    X(DYNAMIC_UPDATE_SLICE, 151)             \
    X(RELU_0_TO_1, 152)                      \
    X(UNSORTED_SEGMENT_PROD, 153)            \
    X(UNSORTED_SEGMENT_MAX, 154)             \
    X(UNSORTED_SEGMENT_SUM, 155)             \
    X(ATAN2, 156)                            \
    X(UNSORTED_SEGMENT_MIN, 157)             \
    X(SIGN, 158)                             \
    X(BITCAST, 159)                          \
    X(BITWISE_XOR, 160)                      \
    X(RIGHT_SHIFT, 161)                      \
    X(STABLEHLO_LOGISTIC, 162)               \
    X(STABLEHLO_ADD, 163)                    \
    X(STABLEHLO_DIVIDE, 164)                 \
    X(STABLEHLO_MULTIPLY, 165)               \
    X(STABLEHLO_MAXIMUM, 166)                \
    X(STABLEHLO_RESHAPE, 167)                \
    X(STABLEHLO_CLAMP, 168)                  \
    X(STABLEHLO_CONCATENATE, 169)            \
    X(STABLEHLO_BROADCAST_IN_DIM, 170)       \
    X(STABLEHLO_CONVOLUTION, 171)            \
    X(STABLEHLO_SLICE, 172)                  \
    X(STABLEHLO_CUSTOM_CALL, 173)            \
    X(STABLEHLO_REDUCE, 174)                 \
    X(STABLEHLO_ABS, 175)                    \
    X(STABLEHLO_AND, 176)                    \
    X(STABLEHLO_COSINE, 177)                 \
    X(STABLEHLO_EXPONENTIAL, 178)            \
    X(STABLEHLO_FLOOR, 179)                  \
    X(STABLEHLO_LOG, 180)                    \
    X(STABLEHLO_MINIMUM, 181)                \
    X(STABLEHLO_NEGATE, 182)                 \
    X(STABLEHLO_OR, 183)                     \
    X(STABLEHLO_POWER, 184)                  \
    X(STABLEHLO_REMAINDER, 185)              \
    X(STABLEHLO_RSQRT, 186)                  \
    X(STABLEHLO_SELECT, 187)                 \
    X(STABLEHLO_SUBTRACT, 188)               \
    X(STABLEHLO_TANH, 189)                   \
    X(STABLEHLO_SCATTER, 190)                \
    X(STABLEHLO_COMPARE, 191)                \
    X(STABLEHLO_CONVERT, 192)                \
    X(STABLEHLO_DYNAMIC_SLICE, 193)          \
    X(STABLEHLO_DYNAMIC_UPDATE_SLICE, 194)   \
    X(STABLEHLO_PAD, 195)                    \
    X(STABLEHLO_IOTA, 196)                   \
    X(STABLEHLO_DOT_GENERAL, 197)            \
    X(STABLEHLO_REDUCE_WINDOW, 198)          \
    X(STABLEHLO_SORT, 199)                   \
    X(STABLEHLO_WHILE, 200)                  \
    X(STABLEHLO_GATHER, 201)                 \
    X(STABLEHLO_TRANSPOSE, 202)              \
    X(DILATE, 203)                           \
    X(STABLEHLO_RNG_BIT_GENERATOR, 204)      \
    X(STABLEHLO_COMPOSITE, 206)              \
    X(STABLEHLO_SHIFT_LEFT, 207)             \
    X(STABLEHLO_CBRT, 208)                   \
    X(STABLEHLO_CASE, 209)

#define X(name, number) TFLITE_##name = number,
enum tflite_operator { TFLITE_OPERATORS(X) };
#undef X

#endif
