/* SPDX-License-Identifier: Apache-2.0
 *
 * The messages of Caffe files, prototxt and caffemodel, as far as a network
 * reaches them, and the field external_output (number 100024) of layers, which
 * some users of Caffe have. tests/host_net/schema.sh compares them with tables of
 * the fields of both.
 */
#include "host/net/proto/table.h"

static const struct proto_name Phase[] = {
    {0, "TRAIN"},
    {1, "TEST"},
    {0, NULL},
};
static const struct proto_name DimCheckMode[] = {
    {0, "STRICT"},
    {1, "PERMISSIVE"},
    {0, NULL},
};
static const struct proto_name LossParameter_NormalizationMode[] = {
    {0, "FULL"}, {1, "VALID"}, {2, "BATCH_SIZE"}, {3, "NONE"}, {0, NULL},
};
static const struct proto_name FillerParameter_VarianceNorm[] = {
    {0, "FAN_IN"},
    {1, "FAN_OUT"},
    {2, "AVERAGE"},
    {0, NULL},
};
static const struct proto_name Engine[] = {
    {0, "DEFAULT"},
    {1, "CAFFE"},
    {2, "CUDNN"},
    {0, NULL},
};
static const struct proto_name DataParameter_DB[] = {
    {0, "LEVELDB"},
    {1, "LMDB"},
    {0, NULL},
};
static const struct proto_name EltwiseParameter_EltwiseOp[] = {
    {0, "PROD"},
    {1, "SUM"},
    {2, "MAX"},
    {0, NULL},
};
static const struct proto_name HingeLossParameter_Norm[] = {
    {1, "L1"},
    {2, "L2"},
    {0, NULL},
};
static const struct proto_name LRNParameter_NormRegion[] = {
    {0, "ACROSS_CHANNELS"},
    {1, "WITHIN_CHANNEL"},
    {0, NULL},
};
static const struct proto_name PoolMethod[] = {
    {0, "MAX"},
    {1, "AVE"},
    {2, "STOCHASTIC"},
    {0, NULL},
};
static const struct proto_name PoolingParameter_RoundMode[] = {
    {0, "CEIL"},
    {1, "FLOOR"},
    {0, NULL},
};
static const struct proto_name ReductionParameter_ReductionOp[] = {
    {1, "SUM"}, {2, "ASUM"}, {3, "SUMSQ"}, {4, "MEAN"}, {0, NULL},
};
static const struct proto_name V1LayerParameter_LayerType[] = {
    {0, "NONE"},
    {1, "ACCURACY"},
    {2, "BNLL"},
    {3, "CONCAT"},
    {4, "CONVOLUTION"},
    {5, "DATA"},
    {6, "DROPOUT"},
    {7, "EUCLIDEAN_LOSS"},
    {8, "FLATTEN"},
    {9, "HDF5_DATA"},
    {10, "HDF5_OUTPUT"},
    {11, "IM2COL"},
    {12, "IMAGE_DATA"},
    {13, "INFOGAIN_LOSS"},
    {14, "INNER_PRODUCT"},
    {15, "LRN"},
    {16, "MULTINOMIAL_LOGISTIC_LOSS"},
    {17, "POOLING"},
    {18, "RELU"},
    {19, "SIGMOID"},
    {20, "SOFTMAX"},
    {21, "SOFTMAX_LOSS"},
    {22, "SPLIT"},
    {23, "TANH"},
    {24, "WINDOW_DATA"},
    {25, "ELTWISE"},
    {26, "POWER"},
    {27, "SIGMOID_CROSS_ENTROPY_LOSS"},
    {28, "HINGE_LOSS"},
    {29, "MEMORY_DATA"},
    {30, "ARGMAX"},
    {31, "THRESHOLD"},
    {32, "DUMMY_DATA"},
    {33, "SLICE"},
    {34, "MVN"},
    {35, "ABSVAL"},
    {36, "SILENCE"},
    {37, "CONTRASTIVE_LOSS"},
    {38, "EXP"},
    {39, "DECONVOLUTION"},
    {0, NULL},
};

/* Messages name each other. */
static const struct proto_message NetParameter;
static const struct proto_message BlobShape;
static const struct proto_message NetState;
static const struct proto_message LayerParameter;
static const struct proto_message ParamSpec;
static const struct proto_message BlobProto;
static const struct proto_message NetStateRule;
static const struct proto_message TransformationParameter;
static const struct proto_message LossParameter;
static const struct proto_message AccuracyParameter;
static const struct proto_message ArgMaxParameter;
static const struct proto_message BatchNormParameter;
static const struct proto_message BiasParameter;
static const struct proto_message FillerParameter;
static const struct proto_message ClipParameter;
static const struct proto_message ConcatParameter;
static const struct proto_message ContrastiveLossParameter;
static const struct proto_message ConvolutionParameter;
static const struct proto_message CropParameter;
static const struct proto_message DataParameter;
static const struct proto_message DropoutParameter;
static const struct proto_message DummyDataParameter;
static const struct proto_message EltwiseParameter;
static const struct proto_message ELUParameter;
static const struct proto_message EmbedParameter;
static const struct proto_message ExpParameter;
static const struct proto_message FlattenParameter;
static const struct proto_message HDF5DataParameter;
static const struct proto_message HDF5OutputParameter;
static const struct proto_message HingeLossParameter;
static const struct proto_message ImageDataParameter;
static const struct proto_message InfogainLossParameter;
static const struct proto_message InnerProductParameter;
static const struct proto_message InputParameter;
static const struct proto_message LogParameter;
static const struct proto_message LRNParameter;
static const struct proto_message MemoryDataParameter;
static const struct proto_message MVNParameter;
static const struct proto_message ParameterParameter;
static const struct proto_message PoolingParameter;
static const struct proto_message PowerParameter;
static const struct proto_message PReLUParameter;
static const struct proto_message PythonParameter;
static const struct proto_message RecurrentParameter;
static const struct proto_message ReductionParameter;
static const struct proto_message ReLUParameter;
static const struct proto_message ReshapeParameter;
static const struct proto_message ScaleParameter;
static const struct proto_message SigmoidParameter;
static const struct proto_message SoftmaxParameter;
static const struct proto_message SPPParameter;
static const struct proto_message SliceParameter;
static const struct proto_message SwishParameter;
static const struct proto_message TanHParameter;
static const struct proto_message ThresholdParameter;
static const struct proto_message TileParameter;
static const struct proto_message WindowDataParameter;
static const struct proto_message V1LayerParameter;
static const struct proto_message V0LayerParameter;

static const struct proto_field NetParameter_fields[] = {
    ONE(1, "name", STRING, ),
    MANY(2, "layers", MESSAGE, .message = &V1LayerParameter),
    MANY(3, "input", STRING, ),
    MANY(4, "input_dim", INT32, ),
    ONE(5, "force_backward", BOOL, ),
    ONE(6, "state", MESSAGE, .message = &NetState),
    ONE(7, "debug_info", BOOL, ),
    MANY(8, "input_shape", MESSAGE, .message = &BlobShape),
    MANY(100, "layer", MESSAGE, .message = &LayerParameter),
};
static const struct proto_field BlobShape_fields[] = {
    MANY(1, "dim", INT64, ),
};
static const struct proto_field NetState_fields[] = {
    ONE(1, "phase", ENUM, .values = Phase, .fallback = 1),
    ONE(2, "level", INT32, ),
    MANY(3, "stage", STRING, ),
};
static const struct proto_field LayerParameter_fields[] = {
    ONE(1, "name", STRING, ),
    ONE(2, "type", STRING, ),
    MANY(3, "bottom", STRING, ),
    MANY(4, "top", STRING, ),
    MANY(5, "loss_weight", FLOAT, ),
    MANY(6, "param", MESSAGE, .message = &ParamSpec),
    MANY(7, "blobs", MESSAGE, .message = &BlobProto),
    MANY(8, "include", MESSAGE, .message = &NetStateRule),
    MANY(9, "exclude", MESSAGE, .message = &NetStateRule),
    ONE(10, "phase", ENUM, .values = Phase),
    MANY(11, "propagate_down", BOOL, ),
    ONE(100, "transform_param", MESSAGE, .message = &TransformationParameter),
    ONE(101, "loss_param", MESSAGE, .message = &LossParameter),
    ONE(102, "accuracy_param", MESSAGE, .message = &AccuracyParameter),
    ONE(103, "argmax_param", MESSAGE, .message = &ArgMaxParameter),
    ONE(104, "concat_param", MESSAGE, .message = &ConcatParameter),
    ONE(105, "contrastive_loss_param", MESSAGE, .message = &ContrastiveLossParameter),
    ONE(106, "convolution_param", MESSAGE, .message = &ConvolutionParameter),
    ONE(107, "data_param", MESSAGE, .message = &DataParameter),
    ONE(108, "dropout_param", MESSAGE, .message = &DropoutParameter),
    ONE(109, "dummy_data_param", MESSAGE, .message = &DummyDataParameter),
    ONE(110, "eltwise_param", MESSAGE, .message = &EltwiseParameter),
    ONE(111, "exp_param", MESSAGE, .message = &ExpParameter),
    ONE(112, "hdf5_data_param", MESSAGE, .message = &HDF5DataParameter),
    ONE(113, "hdf5_output_param", MESSAGE, .message = &HDF5OutputParameter),
    ONE(114, "hinge_loss_param", MESSAGE, .message = &HingeLossParameter),
    ONE(115, "image_data_param", MESSAGE, .message = &ImageDataParameter),
    ONE(116, "infogain_loss_param", MESSAGE, .message = &InfogainLossParameter),
    ONE(117, "inner_product_param", MESSAGE, .message = &InnerProductParameter),
    ONE(118, "lrn_param", MESSAGE, .message = &LRNParameter),
    ONE(119, "memory_data_param", MESSAGE, .message = &MemoryDataParameter),
    ONE(120, "mvn_param", MESSAGE, .message = &MVNParameter),
    ONE(121, "pooling_param", MESSAGE, .message = &PoolingParameter),
    ONE(122, "power_param", MESSAGE, .message = &PowerParameter),
    ONE(123, "relu_param", MESSAGE, .message = &ReLUParameter),
    ONE(124, "sigmoid_param", MESSAGE, .message = &SigmoidParameter),
    ONE(125, "softmax_param", MESSAGE, .message = &SoftmaxParameter),
    ONE(126, "slice_param", MESSAGE, .message = &SliceParameter),
    ONE(127, "tanh_param", MESSAGE, .message = &TanHParameter),
    ONE(128, "threshold_param", MESSAGE, .message = &ThresholdParameter),
    ONE(129, "window_data_param", MESSAGE, .message = &WindowDataParameter),
    ONE(130, "python_param", MESSAGE, .message = &PythonParameter),
    ONE(131, "prelu_param", MESSAGE, .message = &PReLUParameter),
    ONE(132, "spp_param", MESSAGE, .message = &SPPParameter),
    ONE(133, "reshape_param", MESSAGE, .message = &ReshapeParameter),
    ONE(134, "log_param", MESSAGE, .message = &LogParameter),
    ONE(135, "flatten_param", MESSAGE, .message = &FlattenParameter),
    ONE(136, "reduction_param", MESSAGE, .message = &ReductionParameter),
    ONE(137, "embed_param", MESSAGE, .message = &EmbedParameter),
    ONE(138, "tile_param", MESSAGE, .message = &TileParameter),
    ONE(139, "batch_norm_param", MESSAGE, .message = &BatchNormParameter),
    ONE(140, "elu_param", MESSAGE, .message = &ELUParameter),
    ONE(141, "bias_param", MESSAGE, .message = &BiasParameter),
    ONE(142, "scale_param", MESSAGE, .message = &ScaleParameter),
    ONE(143, "input_param", MESSAGE, .message = &InputParameter),
    ONE(144, "crop_param", MESSAGE, .message = &CropParameter),
    ONE(145, "parameter_param", MESSAGE, .message = &ParameterParameter),
    ONE(146, "recurrent_param", MESSAGE, .message = &RecurrentParameter),
    ONE(147, "swish_param", MESSAGE, .message = &SwishParameter),
    ONE(148, "clip_param", MESSAGE, .message = &ClipParameter),
    ONE(100024, "external_output", BOOL, ),
};
static const struct proto_field ParamSpec_fields[] = {
    ONE(1, "name", STRING, ),
    ONE(2, "share_mode", ENUM, .values = DimCheckMode),
    ONE(3, "lr_mult", FLOAT, .fallback = 1.0),
    ONE(4, "decay_mult", FLOAT, .fallback = 1.0),
};
static const struct proto_field BlobProto_fields[] = {
    ONE(1, "num", INT32, ),
    ONE(2, "channels", INT32, ),
    ONE(3, "height", INT32, ),
    ONE(4, "width", INT32, ),
    MANY(5, "data", FLOAT, ),
    MANY(6, "diff", FLOAT, ),
    ONE(7, "shape", MESSAGE, .message = &BlobShape),
    MANY(8, "double_data", DOUBLE, ),
    MANY(9, "double_diff", DOUBLE, ),
};
static const struct proto_field NetStateRule_fields[] = {
    ONE(1, "phase", ENUM, .values = Phase), ONE(2, "min_level", INT32, ),
    ONE(3, "max_level", INT32, ),           MANY(4, "stage", STRING, ),
    MANY(5, "not_stage", STRING, ),
};
static const struct proto_field TransformationParameter_fields[] = {
    ONE(1, "scale", FLOAT, .fallback = 1), ONE(2, "mirror", BOOL, ),       ONE(3, "crop_size", UINT32, ),
    ONE(4, "mean_file", STRING, ),         MANY(5, "mean_value", FLOAT, ), ONE(6, "force_color", BOOL, ),
    ONE(7, "force_gray", BOOL, ),
};
static const struct proto_field LossParameter_fields[] = {
    ONE(1, "ignore_label", INT32, ),
    ONE(2, "normalize", BOOL, ),
    ONE(3, "normalization", ENUM, .values = LossParameter_NormalizationMode, .fallback = 1),
};
static const struct proto_field AccuracyParameter_fields[] = {
    ONE(1, "top_k", UINT32, .fallback = 1),
    ONE(2, "axis", INT32, .fallback = 1),
    ONE(3, "ignore_label", INT32, ),
};
static const struct proto_field ArgMaxParameter_fields[] = {
    ONE(1, "out_max_val", BOOL, ),
    ONE(2, "top_k", UINT32, .fallback = 1),
    ONE(3, "axis", INT32, ),
};
static const struct proto_field BatchNormParameter_fields[] = {
    ONE(1, "use_global_stats", BOOL, ),
    ONE(2, "moving_average_fraction", FLOAT, .fallback = .999),
    ONE(3, "eps", FLOAT, .fallback = 1e-5),
};
static const struct proto_field BiasParameter_fields[] = {
    ONE(1, "axis", INT32, .fallback = 1),
    ONE(2, "num_axes", INT32, .fallback = 1),
    ONE(3, "filler", MESSAGE, .message = &FillerParameter),
};
static const struct proto_field FillerParameter_fields[] = {
    ONE(1, "type", STRING, ),
    ONE(2, "value", FLOAT, ),
    ONE(3, "min", FLOAT, ),
    ONE(4, "max", FLOAT, .fallback = 1),
    ONE(5, "mean", FLOAT, ),
    ONE(6, "std", FLOAT, .fallback = 1),
    ONE(7, "sparse", INT32, .fallback = -1),
    ONE(8, "variance_norm", ENUM, .values = FillerParameter_VarianceNorm),
};
static const struct proto_field ClipParameter_fields[] = {
    ONE(1, "min", FLOAT, ),
    ONE(2, "max", FLOAT, ),
};
static const struct proto_field ConcatParameter_fields[] = {
    ONE(1, "concat_dim", UINT32, .fallback = 1),
    ONE(2, "axis", INT32, .fallback = 1),
};
static const struct proto_field ContrastiveLossParameter_fields[] = {
    ONE(1, "margin", FLOAT, .fallback = 1.0),
    ONE(2, "legacy_version", BOOL, ),
};
static const struct proto_field ConvolutionParameter_fields[] = {
    ONE(1, "num_output", UINT32, ),
    ONE(2, "bias_term", BOOL, .fallback = 1),
    MANY(3, "pad", UINT32, ),
    MANY(4, "kernel_size", UINT32, ),
    ONE(5, "group", UINT32, .fallback = 1),
    MANY(6, "stride", UINT32, ),
    ONE(7, "weight_filler", MESSAGE, .message = &FillerParameter),
    ONE(8, "bias_filler", MESSAGE, .message = &FillerParameter),
    ONE(9, "pad_h", UINT32, ),
    ONE(10, "pad_w", UINT32, ),
    ONE(11, "kernel_h", UINT32, ),
    ONE(12, "kernel_w", UINT32, ),
    ONE(13, "stride_h", UINT32, ),
    ONE(14, "stride_w", UINT32, ),
    ONE(15, "engine", ENUM, .values = Engine),
    ONE(16, "axis", INT32, .fallback = 1),
    ONE(17, "force_nd_im2col", BOOL, ),
    MANY(18, "dilation", UINT32, ),
};
static const struct proto_field CropParameter_fields[] = {
    ONE(1, "axis", INT32, .fallback = 2),
    MANY(2, "offset", UINT32, ),
};
static const struct proto_field DataParameter_fields[] = {
    ONE(1, "source", STRING, ),
    ONE(2, "scale", FLOAT, .fallback = 1),
    ONE(3, "mean_file", STRING, ),
    ONE(4, "batch_size", UINT32, ),
    ONE(5, "crop_size", UINT32, ),
    ONE(6, "mirror", BOOL, ),
    ONE(7, "rand_skip", UINT32, ),
    ONE(8, "backend", ENUM, .values = DataParameter_DB),
    ONE(9, "force_encoded_color", BOOL, ),
    ONE(10, "prefetch", UINT32, .fallback = 4),
};
static const struct proto_field DropoutParameter_fields[] = {
    ONE(1, "dropout_ratio", FLOAT, .fallback = 0.5),
};
static const struct proto_field DummyDataParameter_fields[] = {
    MANY(1, "data_filler", MESSAGE, .message = &FillerParameter),
    MANY(2, "num", UINT32, ),
    MANY(3, "channels", UINT32, ),
    MANY(4, "height", UINT32, ),
    MANY(5, "width", UINT32, ),
    MANY(6, "shape", MESSAGE, .message = &BlobShape),
};
static const struct proto_field EltwiseParameter_fields[] = {
    ONE(1, "operation", ENUM, .values = EltwiseParameter_EltwiseOp, .fallback = 1),
    MANY(2, "coeff", FLOAT, ),
    ONE(3, "stable_prod_grad", BOOL, .fallback = 1),
};
static const struct proto_field ELUParameter_fields[] = {
    ONE(1, "alpha", FLOAT, .fallback = 1),
};
static const struct proto_field EmbedParameter_fields[] = {
    ONE(1, "num_output", UINT32, ),
    ONE(2, "input_dim", UINT32, ),
    ONE(3, "bias_term", BOOL, .fallback = 1),
    ONE(4, "weight_filler", MESSAGE, .message = &FillerParameter),
    ONE(5, "bias_filler", MESSAGE, .message = &FillerParameter),
};
static const struct proto_field ExpParameter_fields[] = {
    ONE(1, "base", FLOAT, .fallback = -1.0),
    ONE(2, "scale", FLOAT, .fallback = 1.0),
    ONE(3, "shift", FLOAT, ),
};
static const struct proto_field FlattenParameter_fields[] = {
    ONE(1, "axis", INT32, .fallback = 1),
    ONE(2, "end_axis", INT32, .fallback = -1),
};
static const struct proto_field HDF5DataParameter_fields[] = {
    ONE(1, "source", STRING, ),
    ONE(2, "batch_size", UINT32, ),
    ONE(3, "shuffle", BOOL, ),
};
static const struct proto_field HDF5OutputParameter_fields[] = {
    ONE(1, "file_name", STRING, ),
};
static const struct proto_field HingeLossParameter_fields[] = {
    ONE(1, "norm", ENUM, .values = HingeLossParameter_Norm, .fallback = 1),
};
static const struct proto_field ImageDataParameter_fields[] = {
    ONE(1, "source", STRING, ),
    ONE(2, "scale", FLOAT, .fallback = 1),
    ONE(3, "mean_file", STRING, ),
    ONE(4, "batch_size", UINT32, .fallback = 1),
    ONE(5, "crop_size", UINT32, ),
    ONE(6, "mirror", BOOL, ),
    ONE(7, "rand_skip", UINT32, ),
    ONE(8, "shuffle", BOOL, ),
    ONE(9, "new_height", UINT32, ),
    ONE(10, "new_width", UINT32, ),
    ONE(11, "is_color", BOOL, .fallback = 1),
    ONE(12, "root_folder", STRING, ),
};
static const struct proto_field InfogainLossParameter_fields[] = {
    ONE(1, "source", STRING, ),
    ONE(2, "axis", INT32, .fallback = 1),
};
static const struct proto_field InnerProductParameter_fields[] = {
    ONE(1, "num_output", UINT32, ),
    ONE(2, "bias_term", BOOL, .fallback = 1),
    ONE(3, "weight_filler", MESSAGE, .message = &FillerParameter),
    ONE(4, "bias_filler", MESSAGE, .message = &FillerParameter),
    ONE(5, "axis", INT32, .fallback = 1),
    ONE(6, "transpose", BOOL, ),
};
static const struct proto_field InputParameter_fields[] = {
    MANY(1, "shape", MESSAGE, .message = &BlobShape),
};
static const struct proto_field LogParameter_fields[] = {
    ONE(1, "base", FLOAT, .fallback = -1.0),
    ONE(2, "scale", FLOAT, .fallback = 1.0),
    ONE(3, "shift", FLOAT, ),
};
static const struct proto_field LRNParameter_fields[] = {
    ONE(1, "local_size", UINT32, .fallback = 5),
    ONE(2, "alpha", FLOAT, .fallback = 1.),
    ONE(3, "beta", FLOAT, .fallback = 0.75),
    ONE(4, "norm_region", ENUM, .values = LRNParameter_NormRegion),
    ONE(5, "k", FLOAT, .fallback = 1.),
    ONE(6, "engine", ENUM, .values = Engine),
};
static const struct proto_field MemoryDataParameter_fields[] = {
    ONE(1, "batch_size", UINT32, ),
    ONE(2, "channels", UINT32, ),
    ONE(3, "height", UINT32, ),
    ONE(4, "width", UINT32, ),
};
static const struct proto_field MVNParameter_fields[] = {
    ONE(1, "normalize_variance", BOOL, .fallback = 1),
    ONE(2, "across_channels", BOOL, ),
    ONE(3, "eps", FLOAT, .fallback = 1e-9),
};
static const struct proto_field ParameterParameter_fields[] = {
    ONE(1, "shape", MESSAGE, .message = &BlobShape),
};
static const struct proto_field PoolingParameter_fields[] = {
    ONE(1, "pool", ENUM, .values = PoolMethod),
    ONE(2, "kernel_size", UINT32, ),
    ONE(3, "stride", UINT32, .fallback = 1),
    ONE(4, "pad", UINT32, ),
    ONE(5, "kernel_h", UINT32, ),
    ONE(6, "kernel_w", UINT32, ),
    ONE(7, "stride_h", UINT32, ),
    ONE(8, "stride_w", UINT32, ),
    ONE(9, "pad_h", UINT32, ),
    ONE(10, "pad_w", UINT32, ),
    ONE(11, "engine", ENUM, .values = Engine),
    ONE(12, "global_pooling", BOOL, ),
    ONE(13, "round_mode", ENUM, .values = PoolingParameter_RoundMode),
};
static const struct proto_field PowerParameter_fields[] = {
    ONE(1, "power", FLOAT, .fallback = 1.0),
    ONE(2, "scale", FLOAT, .fallback = 1.0),
    ONE(3, "shift", FLOAT, ),
};
static const struct proto_field PReLUParameter_fields[] = {
    ONE(1, "filler", MESSAGE, .message = &FillerParameter),
    ONE(2, "channel_shared", BOOL, ),
};
static const struct proto_field PythonParameter_fields[] = {
    ONE(1, "module", STRING, ),
    ONE(2, "layer", STRING, ),
    ONE(3, "param_str", STRING, ),
    ONE(4, "share_in_parallel", BOOL, ),
};
static const struct proto_field RecurrentParameter_fields[] = {
    ONE(1, "num_output", UINT32, ),
    ONE(2, "weight_filler", MESSAGE, .message = &FillerParameter),
    ONE(3, "bias_filler", MESSAGE, .message = &FillerParameter),
    ONE(4, "debug_info", BOOL, ),
    ONE(5, "expose_hidden", BOOL, ),
};
static const struct proto_field ReductionParameter_fields[] = {
    ONE(1, "operation", ENUM, .values = ReductionParameter_ReductionOp, .fallback = 1),
    ONE(2, "axis", INT32, ),
    ONE(3, "coeff", FLOAT, .fallback = 1.0),
};
static const struct proto_field ReLUParameter_fields[] = {
    ONE(1, "negative_slope", FLOAT, ),
    ONE(2, "engine", ENUM, .values = Engine),
};
static const struct proto_field ReshapeParameter_fields[] = {
    ONE(1, "shape", MESSAGE, .message = &BlobShape),
    ONE(2, "axis", INT32, ),
    ONE(3, "num_axes", INT32, .fallback = -1),
};
static const struct proto_field ScaleParameter_fields[] = {
    ONE(1, "axis", INT32, .fallback = 1),
    ONE(2, "num_axes", INT32, .fallback = 1),
    ONE(3, "filler", MESSAGE, .message = &FillerParameter),
    ONE(4, "bias_term", BOOL, ),
    ONE(5, "bias_filler", MESSAGE, .message = &FillerParameter),
};
static const struct proto_field SigmoidParameter_fields[] = {
    ONE(1, "engine", ENUM, .values = Engine),
};
static const struct proto_field SoftmaxParameter_fields[] = {
    ONE(1, "engine", ENUM, .values = Engine),
    ONE(2, "axis", INT32, .fallback = 1),
};
static const struct proto_field SPPParameter_fields[] = {
    ONE(1, "pyramid_height", UINT32, ),
    ONE(2, "pool", ENUM, .values = PoolMethod),
    ONE(6, "engine", ENUM, .values = Engine),
};
static const struct proto_field SliceParameter_fields[] = {
    ONE(1, "slice_dim", UINT32, .fallback = 1),
    MANY(2, "slice_point", UINT32, ),
    ONE(3, "axis", INT32, .fallback = 1),
};
static const struct proto_field SwishParameter_fields[] = {
    ONE(1, "beta", FLOAT, .fallback = 1),
};
static const struct proto_field TanHParameter_fields[] = {
    ONE(1, "engine", ENUM, .values = Engine),
};
static const struct proto_field ThresholdParameter_fields[] = {
    ONE(1, "threshold", FLOAT, ),
};
static const struct proto_field TileParameter_fields[] = {
    ONE(1, "axis", INT32, .fallback = 1),
    ONE(2, "tiles", INT32, ),
};
static const struct proto_field WindowDataParameter_fields[] = {
    ONE(1, "source", STRING, ),
    ONE(2, "scale", FLOAT, .fallback = 1),
    ONE(3, "mean_file", STRING, ),
    ONE(4, "batch_size", UINT32, ),
    ONE(5, "crop_size", UINT32, ),
    ONE(6, "mirror", BOOL, ),
    ONE(7, "fg_threshold", FLOAT, .fallback = 0.5),
    ONE(8, "bg_threshold", FLOAT, .fallback = 0.5),
    ONE(9, "fg_fraction", FLOAT, .fallback = 0.25),
    ONE(10, "context_pad", UINT32, ),
    ONE(11, "crop_mode", STRING, ),
    ONE(12, "cache_images", BOOL, ),
    ONE(13, "root_folder", STRING, ),
};
static const struct proto_field V1LayerParameter_fields[] = {
    ONE(1, "layer", MESSAGE, .message = &V0LayerParameter),
    MANY(2, "bottom", STRING, ),
    MANY(3, "top", STRING, ),
    ONE(4, "name", STRING, ),
    ONE(5, "type", ENUM, .values = V1LayerParameter_LayerType),
    MANY(6, "blobs", MESSAGE, .message = &BlobProto),
    MANY(7, "blobs_lr", FLOAT, ),
    MANY(8, "weight_decay", FLOAT, ),
    ONE(9, "concat_param", MESSAGE, .message = &ConcatParameter),
    ONE(10, "convolution_param", MESSAGE, .message = &ConvolutionParameter),
    ONE(11, "data_param", MESSAGE, .message = &DataParameter),
    ONE(12, "dropout_param", MESSAGE, .message = &DropoutParameter),
    ONE(13, "hdf5_data_param", MESSAGE, .message = &HDF5DataParameter),
    ONE(14, "hdf5_output_param", MESSAGE, .message = &HDF5OutputParameter),
    ONE(15, "image_data_param", MESSAGE, .message = &ImageDataParameter),
    ONE(16, "infogain_loss_param", MESSAGE, .message = &InfogainLossParameter),
    ONE(17, "inner_product_param", MESSAGE, .message = &InnerProductParameter),
    ONE(18, "lrn_param", MESSAGE, .message = &LRNParameter),
    ONE(19, "pooling_param", MESSAGE, .message = &PoolingParameter),
    ONE(20, "window_data_param", MESSAGE, .message = &WindowDataParameter),
    ONE(21, "power_param", MESSAGE, .message = &PowerParameter),
    ONE(22, "memory_data_param", MESSAGE, .message = &MemoryDataParameter),
    ONE(23, "argmax_param", MESSAGE, .message = &ArgMaxParameter),
    ONE(24, "eltwise_param", MESSAGE, .message = &EltwiseParameter),
    ONE(25, "threshold_param", MESSAGE, .message = &ThresholdParameter),
    ONE(26, "dummy_data_param", MESSAGE, .message = &DummyDataParameter),
    ONE(27, "accuracy_param", MESSAGE, .message = &AccuracyParameter),
    ONE(29, "hinge_loss_param", MESSAGE, .message = &HingeLossParameter),
    ONE(30, "relu_param", MESSAGE, .message = &ReLUParameter),
    ONE(31, "slice_param", MESSAGE, .message = &SliceParameter),
    MANY(32, "include", MESSAGE, .message = &NetStateRule),
    MANY(33, "exclude", MESSAGE, .message = &NetStateRule),
    ONE(34, "mvn_param", MESSAGE, .message = &MVNParameter),
    MANY(35, "loss_weight", FLOAT, ),
    ONE(36, "transform_param", MESSAGE, .message = &TransformationParameter),
    ONE(37, "tanh_param", MESSAGE, .message = &TanHParameter),
    ONE(38, "sigmoid_param", MESSAGE, .message = &SigmoidParameter),
    ONE(39, "softmax_param", MESSAGE, .message = &SoftmaxParameter),
    ONE(40, "contrastive_loss_param", MESSAGE, .message = &ContrastiveLossParameter),
    ONE(41, "exp_param", MESSAGE, .message = &ExpParameter),
    ONE(42, "loss_param", MESSAGE, .message = &LossParameter),
    MANY(1001, "param", STRING, ),
    MANY(1002, "blob_share_mode", ENUM, .values = DimCheckMode),
    ONE(100024, "external_output", BOOL, ),
};
static const struct proto_field V0LayerParameter_fields[] = {
    ONE(1, "name", STRING, ),
    ONE(2, "type", STRING, ),
    ONE(3, "num_output", UINT32, ),
    ONE(4, "biasterm", BOOL, .fallback = 1),
    ONE(5, "weight_filler", MESSAGE, .message = &FillerParameter),
    ONE(6, "bias_filler", MESSAGE, .message = &FillerParameter),
    ONE(7, "pad", UINT32, ),
    ONE(8, "kernelsize", UINT32, ),
    ONE(9, "group", UINT32, .fallback = 1),
    ONE(10, "stride", UINT32, .fallback = 1),
    ONE(11, "pool", ENUM, .values = PoolMethod),
    ONE(12, "dropout_ratio", FLOAT, .fallback = 0.5),
    ONE(13, "local_size", UINT32, .fallback = 5),
    ONE(14, "alpha", FLOAT, .fallback = 1.),
    ONE(15, "beta", FLOAT, .fallback = 0.75),
    ONE(16, "source", STRING, ),
    ONE(17, "scale", FLOAT, .fallback = 1),
    ONE(18, "meanfile", STRING, ),
    ONE(19, "batchsize", UINT32, ),
    ONE(20, "cropsize", UINT32, ),
    ONE(21, "mirror", BOOL, ),
    ONE(22, "k", FLOAT, .fallback = 1.),
    MANY(50, "blobs", MESSAGE, .message = &BlobProto),
    MANY(51, "blobs_lr", FLOAT, ),
    MANY(52, "weight_decay", FLOAT, ),
    ONE(53, "rand_skip", UINT32, ),
    ONE(54, "det_fg_threshold", FLOAT, .fallback = 0.5),
    ONE(55, "det_bg_threshold", FLOAT, .fallback = 0.5),
    ONE(56, "det_fg_fraction", FLOAT, .fallback = 0.25),
    ONE(58, "det_context_pad", UINT32, ),
    ONE(59, "det_crop_mode", STRING, ),
    ONE(60, "new_num", INT32, ),
    ONE(61, "new_channels", INT32, ),
    ONE(62, "new_height", INT32, ),
    ONE(63, "new_width", INT32, ),
    ONE(64, "shuffle_images", BOOL, ),
    ONE(65, "concat_dim", UINT32, .fallback = 1),
    ONE(1001, "hdf5_output_param", MESSAGE, .message = &HDF5OutputParameter),
};

PROTO_TABLE(NetParameter, "NetParameter");
PROTO_TABLE(BlobShape, "BlobShape");
PROTO_TABLE(NetState, "NetState");
PROTO_TABLE(LayerParameter, "LayerParameter");
PROTO_TABLE(ParamSpec, "ParamSpec");
PROTO_TABLE(BlobProto, "BlobProto");
PROTO_TABLE(NetStateRule, "NetStateRule");
PROTO_TABLE(TransformationParameter, "TransformationParameter");
PROTO_TABLE(LossParameter, "LossParameter");
PROTO_TABLE(AccuracyParameter, "AccuracyParameter");
PROTO_TABLE(ArgMaxParameter, "ArgMaxParameter");
PROTO_TABLE(BatchNormParameter, "BatchNormParameter");
PROTO_TABLE(BiasParameter, "BiasParameter");
PROTO_TABLE(FillerParameter, "FillerParameter");
PROTO_TABLE(ClipParameter, "ClipParameter");
PROTO_TABLE(ConcatParameter, "ConcatParameter");
PROTO_TABLE(ContrastiveLossParameter, "ContrastiveLossParameter");
PROTO_TABLE(ConvolutionParameter, "ConvolutionParameter");
PROTO_TABLE(CropParameter, "CropParameter");
PROTO_TABLE(DataParameter, "DataParameter");
PROTO_TABLE(DropoutParameter, "DropoutParameter");
PROTO_TABLE(DummyDataParameter, "DummyDataParameter");
PROTO_TABLE(EltwiseParameter, "EltwiseParameter");
PROTO_TABLE(ELUParameter, "ELUParameter");
PROTO_TABLE(EmbedParameter, "EmbedParameter");
PROTO_TABLE(ExpParameter, "ExpParameter");
PROTO_TABLE(FlattenParameter, "FlattenParameter");
PROTO_TABLE(HDF5DataParameter, "HDF5DataParameter");
PROTO_TABLE(HDF5OutputParameter, "HDF5OutputParameter");
PROTO_TABLE(HingeLossParameter, "HingeLossParameter");
PROTO_TABLE(ImageDataParameter, "ImageDataParameter");
PROTO_TABLE(InfogainLossParameter, "InfogainLossParameter");
PROTO_TABLE(InnerProductParameter, "InnerProductParameter");
PROTO_TABLE(InputParameter, "InputParameter");
PROTO_TABLE(LogParameter, "LogParameter");
PROTO_TABLE(LRNParameter, "LRNParameter");
PROTO_TABLE(MemoryDataParameter, "MemoryDataParameter");
PROTO_TABLE(MVNParameter, "MVNParameter");
PROTO_TABLE(ParameterParameter, "ParameterParameter");
PROTO_TABLE(PoolingParameter, "PoolingParameter");
PROTO_TABLE(PowerParameter, "PowerParameter");
PROTO_TABLE(PReLUParameter, "PReLUParameter");
PROTO_TABLE(PythonParameter, "PythonParameter");
PROTO_TABLE(RecurrentParameter, "RecurrentParameter");
PROTO_TABLE(ReductionParameter, "ReductionParameter");
PROTO_TABLE(ReLUParameter, "ReLUParameter");
PROTO_TABLE(ReshapeParameter, "ReshapeParameter");
PROTO_TABLE(ScaleParameter, "ScaleParameter");
PROTO_TABLE(SigmoidParameter, "SigmoidParameter");
PROTO_TABLE(SoftmaxParameter, "SoftmaxParameter");
PROTO_TABLE(SPPParameter, "SPPParameter");
PROTO_TABLE(SliceParameter, "SliceParameter");
PROTO_TABLE(SwishParameter, "SwishParameter");
PROTO_TABLE(TanHParameter, "TanHParameter");
PROTO_TABLE(ThresholdParameter, "ThresholdParameter");
PROTO_TABLE(TileParameter, "TileParameter");
PROTO_TABLE(WindowDataParameter, "WindowDataParameter");
PROTO_TABLE(V1LayerParameter, "V1LayerParameter");
PROTO_TABLE(V0LayerParameter, "V0LayerParameter");

const struct proto_message *const caffe_net = &NetParameter;

const struct proto_message *const caffe_messages[] = {
    &NetParameter,
    &BlobShape,
    &NetState,
    &LayerParameter,
    &ParamSpec,
    &BlobProto,
    &NetStateRule,
    &TransformationParameter,
    &LossParameter,
    &AccuracyParameter,
    &ArgMaxParameter,
    &BatchNormParameter,
    &BiasParameter,
    &FillerParameter,
    &ClipParameter,
    &ConcatParameter,
    &ContrastiveLossParameter,
    &ConvolutionParameter,
    &CropParameter,
    &DataParameter,
    &DropoutParameter,
    &DummyDataParameter,
    &EltwiseParameter,
    &ELUParameter,
    &EmbedParameter,
    &ExpParameter,
    &FlattenParameter,
    &HDF5DataParameter,
    &HDF5OutputParameter,
    &HingeLossParameter,
    &ImageDataParameter,
    &InfogainLossParameter,
    &InnerProductParameter,
    &InputParameter,
    &LogParameter,
    &LRNParameter,
    &MemoryDataParameter,
    &MVNParameter,
    &ParameterParameter,
    &PoolingParameter,
    &PowerParameter,
    &PReLUParameter,
    &PythonParameter,
    &RecurrentParameter,
    &ReductionParameter,
    &ReLUParameter,
    &ReshapeParameter,
    &ScaleParameter,
    &SigmoidParameter,
    &SoftmaxParameter,
    &SPPParameter,
    &SliceParameter,
    &SwishParameter,
    &TanHParameter,
    &ThresholdParameter,
    &TileParameter,
    &WindowDataParameter,
    &V1LayerParameter,
    &V0LayerParameter,
    NULL,
};
