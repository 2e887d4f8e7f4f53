/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of operators; operators.h says how an entry is written.
 */
#include "host/net/graph/derive.h"

#define CURRENT(name, since, inputs, outputs, types, attributes, shape, count) \
    {                                                                          \
        name, "", since, 0, inputs, outputs, types, attributes, shape, count   \
    }

#define UNARY(name, since, types) CURRENT(name, since, "X:T", "Y:T", types, "", rule_same, NULL)
#define BINARY(name, since, types, rule) \
    CURRENT(name, since, "A:T B:T", "C:T", types, "axis:int<7 broadcast:int<7", rule, NULL)
#define COMPARE(name, since, types) \
    CURRENT(name, since, "A:T B:T", "C:bool", types, "axis:int<7 broadcast:int<7", rule_compare, NULL)
#define REDUCE(name, types, inputs_since)                                                            \
    CURRENT(name, 1, "data:T axes:int64?", "reduced:T", types,                                       \
            "axes:ints<" #inputs_since " keepdims:int=1 noop_with_empty_axes:int=0>=" #inputs_since, \
            rule_reduce, NULL)
/* Of ONNX Runtime. */
#define JOIN(name)                                                                         \
    {                                                                                      \
        name, "com.microsoft", 1, 0,                                                       \
            "A:T A_scale:float32. A_zero_point:T.? B:T B_scale:float32. B_zero_point:T.? " \
            "C_scale:float32. C_zero_point:T.?",                                           \
            "C:T", "T=byte", "", rule_qlinear_join, NULL                                   \
    }
#define TABLE "X:T X_scale:float32. X_zero_point:T.? Y_scale:float32. Y_zero_point:T.?"
#define WINDOW "auto_pad:string=NOTSET kernel_shape:ints pads:ints strides:ints "
#define CONVOLUTION WINDOW "dilations:ints group:int=1 "
#define LAYOUT "layout:string=NCHW~ "
#define FUNCTION "function:string~ function_numbers:floats~ " /* function.h */

const struct operator_entry operators[] = {
    UNARY("Abs", 1, "T=number"),
    UNARY("Acos", 7, "T=float"),
    UNARY("Acosh", 9, "T=float"),
    CURRENT("Add", 1, "A:T B:T", "C:T", "T=number", FUNCTION "axis:int<7 broadcast:int<7", rule_arithmetic,
            NULL),
    BINARY("And", 1, "T=bool", rule_compare),
    CURRENT("ArgMax", 1, "data:T", "reduced:int64", "T=number",
            "axis:int=0 keepdims:int=1 select_last_index:int=0>=12", rule_reduce_index, NULL),
    CURRENT("ArgMin", 1, "data:T", "reduced:int64", "T=number",
            "axis:int=0 keepdims:int=1 select_last_index:int=0>=12", rule_reduce_index, NULL),
    UNARY("Asin", 7, "T=float"),
    UNARY("Asinh", 9, "T=float"),
    UNARY("Atan", 7, "T=float"),
    UNARY("Atanh", 9, "T=float"),
    CURRENT("AveragePool", 1, "X:T", "Y:T", "T=float",
            WINDOW LAYOUT "ceil_mode:int=0>=10 count_include_pad:int=0>=7 dilations:ints>=19", rule_pool,
            NULL),
    CURRENT("BatchNormalization", 1, "X:T scale:T1 B:T1 mean:T2 var:T2",
            "Y:T mean:T2? var:T2? saved_mean:T2? saved_var:T2?", "T=float; T1=float; T2=float",
            "epsilon:float=1e-5 momentum:float=0.9 is_test:int=0<7 spatial:int=1<9 "
            "training_mode:int=0>=14",
            rule_batch_norm, NULL),
    CURRENT("BitShift", 11, "X:T Y:T", "Z:T", "T=integer", "direction:string!", rule_broadcast, NULL),
    CURRENT("BitwiseAnd", 18, "A:T B:T", "C:T", "T=integer", "", rule_broadcast, NULL),
    CURRENT("BitwiseNot", 18, "X:T", "Y:T", "T=integer", "", rule_same, NULL),
    CURRENT("BitwiseOr", 18, "A:T B:T", "C:T", "T=integer", "", rule_broadcast, NULL),
    CURRENT("BitwiseXor", 18, "A:T B:T", "C:T", "T=integer", "", rule_broadcast, NULL),
    CURRENT("Cast", 1, "input:T1", "output:T2", "T1=any; T2=any", "to:int!>=6 saturate:int=1>=19", rule_cast,
            NULL),
    CURRENT("CastLike", 15, "input:T1 target_type:T2", "output:T2", "T1=any; T2=any", "saturate:int=1>=19",
            rule_like_first, NULL),
    UNARY("Ceil", 1, "T=float"),
    CURRENT("Celu", 12, "X:T", "Y:T", "T=float", "alpha:float=1", rule_same, NULL),
    CURRENT("Clip", 1, "input:T min:T.? max:T.?", "output:T", "T=number", "max:float<11 min:float<11",
            rule_like_first, NULL),
    CURRENT("Compress", 9, "input:T condition:bool", "output:T", "T=any", "axis:int", NULL, NULL),
    CURRENT("Concat", 1, "inputs:T*", "concat_result:T", "T=any", "axis:int=1", rule_concat, NULL),
    CURRENT("Constant", 1, "", "output:T", "T=any",
            "value:tensor value_float:float>=12 value_floats:floats>=12 value_int:int>=12 "
            "value_ints:ints>=12 value_string:string>=12 value_strings:strings>=12",
            rule_constant, NULL),
    CURRENT("ConstantOfShape", 9, "input:int64", "output:T", "T=any", "value:tensor", rule_constant_of_shape,
            NULL),
    CURRENT("Conv", 1, "X:T W:T B:T?", "Y:T", "T=float",
            CONVOLUTION LAYOUT FUNCTION "weights_layout:string=OIHW~", rule_conv, count_conv),
    CURRENT("ConvInteger", 10, "x:T1 w:T2 x_zero_point:T1.? w_zero_point:T2?", "y:int32", "T1=byte; T2=byte",
            CONVOLUTION, rule_conv_integer, count_conv),
    CURRENT("ConvTranspose", 1, "X:T W:T B:T?", "Y:T", "T=float",
            CONVOLUTION FUNCTION "output_padding:ints output_shape:ints", rule_conv_transpose,
            count_conv_transpose),
    UNARY("Cos", 7, "T=float"),
    UNARY("Cosh", 9, "T=float"),
    CURRENT("CumSum", 11, "x:T axis:T2.", "y:T", "T=number; T2=index", "exclusive:int=0 reverse:int=0",
            rule_like_first, NULL),
    CURRENT("DepthToSpace", 1, "input:T", "output:T", "T=any", LAYOUT "blocksize:int! mode:string=DCR>=11",
            rule_depth_to_space, NULL),
    CURRENT("DequantizeLinear", 10, "x:T x_scale:T2 x_zero_point:T?", "y:T2", "T=integer; T2=float",
            "axis:int=1>=13 block_size:int=0>=21", rule_like_first, NULL),
    CURRENT("Det", 11, "X:T", "Y:T", "T=float", "", rule_det, NULL),
    BINARY("Div", 1, "T=number", rule_arithmetic),
    CURRENT("Dropout", 1, "data:T ratio:T1.? training_mode:bool.?", "output:T mask:T3?",
            "T=float; T1=float; T3=float|bool", "is_test:int=0<7 ratio:float=0.5<12 seed:int>=12",
            rule_same_each, NULL),
    CURRENT("DynamicQuantizeLinear", 11, "x:float32", "y:uint8 y_scale:float32 y_zero_point:uint8", "", "",
            rule_dynamic_quantize, NULL),
    CURRENT("Einsum", 12, "Inputs:T*", "Output:T", "T=number", "equation:string!", rule_einsum, count_einsum),
    CURRENT("Elu", 1, "X:T", "Y:T", "T=float", "alpha:float=1", rule_same, NULL),
    COMPARE("Equal", 1, "T=any"),
    UNARY("Erf", 9, "T=number"),
    UNARY("Exp", 1, "T=float"),
    CURRENT("Expand", 8, "input:T shape:int64", "output:T", "T=any", "", rule_expand, NULL),
    CURRENT("EyeLike", 9, "input:T1", "output:T2", "T1=any; T2=any", "dtype:int k:int=0", rule_eye_like,
            NULL),
    CURRENT("Flatten", 1, "input:T", "output:T", "T=any", "axis:int=1", rule_flatten, NULL),
    UNARY("Floor", 1, "T=float"),
    CURRENT("GRU", 1, "X:T W:T R:T B:T? sequence_lens:int32? initial_h:T?", "Y:T? Y_h:T?", "T=float",
            "activation_alpha:floats activation_beta:floats activations:strings clip:float "
            "direction:string=forward hidden_size:int "
            "output_sequence:int=0<7 layout:int=0>=14 linear_before_reset:int=0>=3",
            rule_recurrent, count_recurrent),
    CURRENT("Gather", 1, "data:T indices:Tind", "output:T", "T=any; Tind=index", "axis:int=0", rule_gather,
            NULL),
    CURRENT("GatherElements", 11, "data:T indices:Tind", "output:T", "T=any; Tind=index", "axis:int=0",
            rule_like_indices, NULL),
    CURRENT("GatherND", 11, "data:T indices:int64", "output:T", "T=any", "batch_dims:int=0>=12",
            rule_gather_nd, NULL),
    CURRENT("Gelu", 20, "X:T", "Y:T", "T=float", "approximate:string=none", rule_same, NULL),
    CURRENT("Gemm", 1, "A:T B:T C:T?", "Y:T", "T=number",
            FUNCTION "alpha:float=1 beta:float=1 broadcast:int=0<7 transA:int=0 transB:int=0", rule_gemm,
            count_gemm),
    CURRENT("GlobalAveragePool", 1, "X:T", "Y:T", "T=float", LAYOUT, rule_global_pool, NULL),
    CURRENT("GlobalMaxPool", 1, "X:T", "Y:T", "T=float", LAYOUT, rule_global_pool, NULL),
    COMPARE("Greater", 1, "T=number"),
    COMPARE("GreaterOrEqual", 12, "T=number"),
    CURRENT("GroupNormalization", 18, "X:T scale:T bias:T", "Y:T", "T=float",
            "epsilon:float=1e-5 num_groups:int! stash_type:int=1>=21", rule_like_first, NULL),
    CURRENT("HardSigmoid", 1, "X:T", "Y:T", "T=float", "alpha:float=0.2 beta:float=0.5", rule_same, NULL),
    UNARY("HardSwish", 14, "T=float"),
    CURRENT("Hardmax", 1, "input:T", "output:T", "T=float", "axis:int", rule_same, NULL),
    UNARY("Identity", 1, "T=any"),
    CURRENT("ImageScaler", 1, "input:T", "output:T", "T=float", "bias:floats scale:float=1",
            rule_image_scaler, NULL),
    CURRENT("InstanceNormalization", 1, "input:T scale:T B:T", "output:T", "T=float", "epsilon:float=1e-5",
            rule_like_first, NULL),
    CURRENT("IsInf", 10, "X:T1", "Y:bool", "T1=float", "detect_negative:int=1 detect_positive:int=1",
            rule_same, NULL),
    CURRENT("IsNaN", 9, "X:T1", "Y:bool", "T1=float", "", rule_same, NULL),
    CURRENT("LRN", 1, "X:T", "Y:T", "T=float",
            "alpha:float=1e-4 beta:float=0.75 bias:float=1 "
            "size:int!",
            rule_same, NULL),
    CURRENT("LSTM", 1,
            "X:T W:T R:T B:T? sequence_lens:int32? initial_h:T? initial_c:T? "
            "P:T?",
            "Y:T? Y_h:T? Y_c:T?", "T=float",
            "activation_alpha:floats "
            "activation_beta:floats "
            "activations:strings clip:float "
            "direction:string=forward "
            "hidden_size:int "
            "input_forget:int=0 "
            "output_sequence:int=0<7 "
            "layout:int=0>=14",
            rule_recurrent, count_recurrent),
    CURRENT("LayerNormalization", 17, "X:T Scale:T B:T?", "Y:T Mean:U? InvStdDev:U?", "T=float; U=float",
            "axis:int=-1 epsilon:float=1e-5 stash_type:int=1", rule_layer_norm, NULL),
    CURRENT("LeakyRelu", 1, "X:T", "Y:T", "T=float", "alpha:float=0.01", rule_same, NULL),
    COMPARE("Less", 1, "T=number"),
    COMPARE("LessOrEqual", 12, "T=number"),
    UNARY("Log", 1, "T=float"),
    CURRENT("LogSoftmax", 1, "input:T", "output:T", "T=float", "axis:int", rule_same, NULL),
    CURRENT("LpNormalization", 1, "input:T", "output:T", "T=float", "axis:int=-1 p:int=2", rule_same, NULL),
    CURRENT("MatMul", 1, "A:T B:T", "Y:T", "T=number", FUNCTION, rule_matmul, count_matmul),
    CURRENT("MatMulInteger", 10, "A:T1 B:T2 a_zero_point:T1? b_zero_point:T2?", "Y:int32", "T1=byte; T2=byte",
            "", rule_matmul, count_matmul),
    CURRENT("Max", 1, "data_0:T*", "max:T", "T=number", "", rule_broadcast, NULL),
    CURRENT("MaxPool", 1, "X:T", "Y:T Indices:int64?", "T=float|byte",
            WINDOW LAYOUT "ceil_mode:int=0>=10 dilations:ints>=10 "
                          "storage_order:int=0>=8",
            rule_pool, NULL),
    CURRENT("Mean", 1, "data_0:T*", "mean:T", "T=float", "", rule_broadcast, NULL),
    CURRENT("MeanVarianceNormalization", 9, "X:T", "Y:T", "T=float", "axes:ints", rule_same, NULL),
    CURRENT("Min", 1, "data_0:T*", "min:T", "T=number", "", rule_broadcast, NULL),
    UNARY("Mish", 18, "T=float"),
    CURRENT("Mod", 10, "A:T B:T", "C:T", "T=number", "fmod:int=0", rule_broadcast, NULL),
    BINARY("Mul", 1, "T=number", rule_arithmetic),
    UNARY("Neg", 1, "T=number"),
    CURRENT("NonZero", 9, "X:T", "Y:int64", "T=any", "", rule_non_zero, NULL),
    CURRENT("Not", 1, "X:bool", "Y:bool", "", "", rule_same, NULL),
    CURRENT("OneHot", 9, "indices:T1 depth:T2. values:T3", "output:T3", "T1=number; T2=number; T3=any",
            "axis:int=-1", rule_one_hot, NULL),
    BINARY("Or", 1, "T=bool", rule_compare),
    CURRENT("PRelu", 1, "X:T slope:T", "Y:T", "T=number", "", rule_like_first, NULL),
    CURRENT("Pad", 1,
            "data:T pads:int64? "
            "constant_value:T? axes:Tind?",
            "output:T", "T=any; Tind=index",
            "mode:string=constant "
            "pads:ints>=2<11 paddings:ints<2 "
            "value:float=0<11",
            rule_pad, NULL),
    CURRENT("Pow", 1, "X:T Y:T1", "Z:T", "T=number; T1=number", "axis:int<7 broadcast:int<7", rule_broadcast,
            NULL),
    CURRENT("QLinearConv", 10,
            "x:T1 x_scale:float32. "
            "x_zero_point:T1. w:T2 "
            "w_scale:float32 "
            "w_zero_point:T2 "
            "y_scale:float32. "
            "y_zero_point:T3. B:int32?",
            "y:T3", "T1=byte; T2=byte; T3=byte", CONVOLUTION, rule_qlinear_conv, count_qlinear_conv),
    CURRENT("QLinearMatMul", 10,
            "a:T1 a_scale:TS. a_zero_point:T1. b:T2 "
            "b_scale:TS b_zero_point:T2 y_scale:TS. "
            "y_zero_point:T3.",
            "y:T3", "T1=byte; T2=byte; T3=byte; TS=float", "", rule_qlinear_matmul, count_qlinear_matmul),
    CURRENT("QuantizeLinear", 10, "x:T1 y_scale:T3 y_zero_point:T2?", "y:T2",
            "T1=number; T2=integer; T3=number",
            "axis:int=1>=13 saturate:int=1>=19 "
            "block_size:int=0>=21 "
            "output_dtype:int=0>=21",
            rule_quantize, NULL),
    CURRENT("RNN", 1,
            "X:T W:T R:T B:T? "
            "sequence_lens:int32? "
            "initial_h:T?",
            "Y:T? Y_h:T?", "T=float",
            "activation_alpha:floats "
            "activation_beta:floats "
            "activations:strings "
            "clip:float "
            "direction:string=forward "
            "hidden_size:int "
            "output_sequence:int=0<7 "
            "layout:int=0>=14",
            rule_recurrent, count_recurrent),
    CURRENT("Rang"
            "e",
            11,
            "start"
            ":"
            "T "
            "limit"
            ":"
            "T "
            "delta"
            ":"
            "T",
            "outpu"
            "t:"
            "T",
            "T="
            "numbe"
            "r",
            "", rule_range, NULL),
    UNARY("Reciprocal", 1, "T=float"),
    REDUCE("ReduceL1", "T=number", 18),
    REDUCE("ReduceL2", "T=number", 18),
    REDUCE("ReduceLogSum", "T=number", 18),
    REDUCE("ReduceLogSumExp", "T=number", 18),
    REDUCE("ReduceMax", "T=number|bool", 18),
    REDUCE("ReduceMean", "T=number", 18),
    REDUCE("ReduceMin", "T=number|bool", 18),
    REDUCE("ReduceProd", "T=number", 18),
    REDUCE("ReduceSum", "T=number", 13),
    REDUCE("ReduceSumSquare", "T=number", 18),
    UNARY("Relu", 1, "T=number"),
    CURRENT("Reshape", 1, "data:T shape:int64?", "reshaped:T", "T=any",
            "shape:ints<"
            "5 "
            "allowzero:"
            "int=0>=14",
            rule_reshape, NULL),
    CURRENT("Resize", 10,
            "X:T1 "
            "roi:T2? "
            "scales:"
            "float32?"
            " sizes:"
            "int64?",
            "Y:T1",
            "T1="
            "number; "
            "T2="
            "float",
            LAYOUT "mode:"
                   "string="
                   "nearest "
                   "coordina"
                   "te_"
                   "transfor"
                   "mation_"
                   "mode:"
                   "string="
                   "half_"
                   "pixel>="
                   "11 "
                   "cubic_"
                   "coeff_a:"
                   "float=-"
                   "0.75>="
                   "11 "
                   "exclude_"
                   "outside:"
                   "int=0>="
                   "11 "
                   "extrapol"
                   "ation_"
                   "value:"
                   "float=0>"
                   "=11 "
                   "nearest_"
                   "mode:"
                   "string="
                   "round_"
                   "prefer_"
                   "floor>="
                   "11 "
                   "antialia"
                   "s:int=0>"
                   "=18 "
                   "axes:"
                   "ints>="
                   "18 "
                   "keep_"
                   "aspect_"
                   "ratio_"
                   "policy:"
                   "string="
                   "stretch>"
                   "=18",
            rule_resize, NULL),
    CURRENT("Reve"
            "rseS"
            "eque"
            "nce",
            10,
            "inpu"
            "t:T "
            "sequ"
            "ence"
            "_len"
            "s:"
            "int6"
            "4",
            "Y:T",
            "T="
            "any",
            "batc"
            "h_"
            "axis"
            ":int"
            "=1 "
            "time"
            "_axi"
            "s:"
            "int="
            "0",
            rule_like_first, NULL),
    UNARY("Round", 11, "T=float"),
    {"Scat"
     "ter",
     "", 9, 11,
     "data"
     ":T "
     "indi"
     "ces:"
     "Tind"
     " upd"
     "ates"
     ":T",
     "outp"
     "ut:"
     "T",
     "T="
     "any;"
     " Tin"
     "d="
     "inde"
     "x",
     "axis"
     ":int"
     "=0",
     rule_like_first, NULL},
    CURRENT("ScatterElements", 11, "data:T indices:Tind updates:T", "output:T", "T=any; Tind=index",
            "axis:int=0 reduction:string=none>=16", rule_like_first, NULL),
    CURRENT("ScatterND", 11, "data:T indices:int64 updates:T", "output:T", "T=any",
            "reduction:string=none>=16", rule_like_first, NULL),
    CURRENT("Selu", 1, "X:T", "Y:T", "T=float", "alpha:float=1.6732632 gamma:float=1.0507010", rule_same,
            NULL),
    CURRENT("Shape", 1, "data:T", "shape:int64", "T=any", "end:int>=15 start:int=0>=15", rule_shape_of, NULL),
    CURRENT("Shrink", 9, "input:T", "output:T", "T=number", "bias:float=0 lambd:float=0.5", rule_same, NULL),
    UNARY("Sigmoid", 1, "T=float"),
    UNARY("Sign", 9, "T=number"),
    UNARY("Sin", 7, "T=float"),
    UNARY("Sinh", 9, "T=float"),
    CURRENT("Size", 1, "data:T", "size:int64", "T=any", "", rule_size_of, NULL),
    CURRENT("Slice", 1, "data:T starts:Tind? ends:Tind? axes:Tind? steps:Tind?", "output:T",
            "T=any; Tind=index", "axes:ints<10 ends:ints<10 starts:ints<10", rule_slice, NULL),
    CURRENT("Softmax", 1, "input:T", "output:T", "T=float", "axis:int", rule_same, NULL),
    UNARY("Softplus", 1, "T=float"),
    UNARY("Softsign", 1, "T=float"),
    CURRENT("SpaceToDepth", 1, "input:T", "output:T", "T=any", LAYOUT "blocksize:int!", rule_space_to_depth,
            NULL),
    CURRENT("Split", 1, "input:T split:int64?", "outputs:T*", "T=any",
            "axis:int=0 split:ints<13 num_outputs:int>=18", rule_split, NULL),
    UNARY("Sqrt", 1, "T=float"),
    CURRENT("Squeeze", 1, "data:T axes:int64?", "squeezed:T", "T=any", "axes:ints<13", rule_squeeze, NULL),
    BINARY("Sub", 1, "T=number", rule_arithmetic),
    CURRENT("Sum", 1, "data_0:T*", "sum:T", "T=float", "", rule_broadcast, NULL),
    UNARY("Tan", 7, "T=float"),
    UNARY("Tanh", 1, "T=float"),
    CURRENT("ThresholdedRelu", 10, "X:T", "Y:T", "T=float", "alpha:float=1", rule_same, NULL),
    CURRENT("Tile", 6, "input:T repeats:int64", "output:T", "T=any", "", rule_tile, NULL),
    CURRENT("TopK", 1, "X:T K:int64.?", "Values:T Indices:int64", "T=number",
            "axis:int=-1 k:int<10 largest:int=1>=11 sorted:int=1>=11", rule_top_k, NULL),
    CURRENT("Transpose", 1, "data:T", "transposed:T", "T=any", "perm:ints", rule_transpose, NULL),
    CURRENT("Trilu", 14, "input:T k:int64.?", "output:T", "T=any", "upper:int=1", rule_like_first, NULL),
    CURRENT("Unsqueeze", 1, "data:T axes:int64?", "expanded:T", "T=any", "axes:ints<13", rule_unsqueeze,
            NULL),
    {"Upsample", "", 7, 10, "X:T scales:float32?", "Y:T", "T=any", "mode:string=nearest scales:floats<9",
     rule_resize, NULL},
    CURRENT("Where", 9, "condition:bool X:T Y:T", "output:T", "T=any", "", rule_broadcast, NULL),
    BINARY("Xor", 1, "T=bool", rule_compare),
    {"ArrayFeatureExtractor", "ai.onnx.ml", 1, 0, "X:T Y:int64", "Z:T", "T=any", "", rule_feature_extractor,
     NULL},
    {"ZipMap", "ai.onnx.ml", 1, 0, "X:float32", "Z:T", "T=any",
     "classlabels_int64s:ints classlabels_strings:strings", NULL, NULL},
    {"QGemm", "com.microsoft", 1, 0,
     "A:T1 a_scale:float32. a_zero_point:T1. B:T2 b_scale:float32 b_zero_point:T2 C:int32? y_scale:float32. "
     "y_zero_point:T3.",
     "Y:T3", "T1=byte; T2=byte; T3=byte", "alpha:float=1 transA:int=0 transB:int=0", rule_qgemm, count_qgemm},
    JOIN("QLinearAdd"),
    {"QLinearAveragePool", "com.microsoft", 1, 0,
     "X:T x_scale:float32 x_zero_point:T? y_scale:float32 y_zero_point:T?", "Y:T", "T=byte",
     WINDOW "ceil_mode:int=0 channels_last:int=0 count_include_pad:int=0", rule_pool, NULL},
    {"QLinearConcat", "com.microsoft", 1, 0, "Y_scale:float32 Y_zero_point:T inputs:any*", "Y:T", "T=byte",
     "axis:int!", rule_qlinear_concat, NULL},
    {"QLinearGlobalAveragePool", "com.microsoft", 1, 0,
     "X:T x_scale:float32 x_zero_point:T y_scale:float32 y_zero_point:T", "Y:T", "T=byte",
     "channels_last:int=0", rule_global_pool, NULL},
    {"QLinearLeakyRelu", "com.microsoft", 1, 0, TABLE, "Y:T", "T=byte", "alpha:float=0.01", rule_same, NULL},
    JOIN("QLinearMul"),
    {"QLinearSigmoid", "com.microsoft", 1, 0, TABLE, "Y:T", "T=byte", "", rule_same, NULL},
    {"UnidirectionalSequenceLSTM", "tulle", 1, 0, "operands:T*", "output:T1", "T=any; T1=any",
     "cell_clip:float=0 projection_clip:float=0 time_major:int=0 activation:string=TANH", rule_tflite_lstm,
     count_tflite_lstm},
};
const size_t operator_count = sizeof operators / sizeof *operators;
