/* SPDX-License-Identifier: Apache-2.0
 *
 * The messages of ONNX files. tests/host_net/schema.sh compares them with the
 * onnx.proto of the distribution.
 */
#include "host/net/proto/table.h"

static const struct proto_name AttributeProto_AttributeType[] = {
    {0, "UNDEFINED"},       {1, "FLOAT"},       {2, "INT"},          {3, "STRING"},
    {4, "TENSOR"},          {5, "GRAPH"},       {6, "FLOATS"},       {7, "INTS"},
    {8, "STRINGS"},         {9, "TENSORS"},     {10, "GRAPHS"},      {11, "SPARSE_TENSOR"},
    {12, "SPARSE_TENSORS"}, {13, "TYPE_PROTO"}, {14, "TYPE_PROTOS"}, {0, NULL},
};
static const struct proto_name TensorProto_DataLocation[] = {
    {0, "DEFAULT"},
    {1, "EXTERNAL"},
    {0, NULL},
};

/* Messages name each other. */
static const struct proto_message ModelProto;
static const struct proto_message OperatorSetIdProto;
static const struct proto_message GraphProto;
static const struct proto_message NodeProto;
static const struct proto_message AttributeProto;
static const struct proto_message TensorProto;
static const struct proto_message TensorProto_Segment;
static const struct proto_message StringStringEntryProto;
static const struct proto_message SparseTensorProto;
static const struct proto_message TypeProto;
static const struct proto_message TypeProto_Tensor;
static const struct proto_message TensorShapeProto;
static const struct proto_message TensorShapeProto_Dimension;
static const struct proto_message TypeProto_Sequence;
static const struct proto_message TypeProto_Map;
static const struct proto_message TypeProto_Optional;
static const struct proto_message TypeProto_SparseTensor;
static const struct proto_message ValueInfoProto;
static const struct proto_message TensorAnnotation;
static const struct proto_message TrainingInfoProto;
static const struct proto_message FunctionProto;

static const struct proto_field ModelProto_fields[] = {
    ONE(1, "ir_version", INT64, ),
    ONE(2, "producer_name", STRING, ),
    ONE(3, "producer_version", STRING, ),
    ONE(4, "domain", STRING, ),
    ONE(5, "model_version", INT64, ),
    ONE(6, "doc_string", STRING, ),
    ONE(7, "graph", MESSAGE, .message = &GraphProto),
    MANY(8, "opset_import", MESSAGE, .message = &OperatorSetIdProto),
    MANY(14, "metadata_props", MESSAGE, .message = &StringStringEntryProto),
    MANY(20, "training_info", MESSAGE, .message = &TrainingInfoProto),
    MANY(25, "functions", MESSAGE, .message = &FunctionProto),
};
static const struct proto_field OperatorSetIdProto_fields[] = {
    ONE(1, "domain", STRING, ),
    ONE(2, "version", INT64, ),
};
static const struct proto_field GraphProto_fields[] = {
    MANY(1, "node", MESSAGE, .message = &NodeProto),
    ONE(2, "name", STRING, ),
    MANY(5, "initializer", MESSAGE, .message = &TensorProto),
    ONE(10, "doc_string", STRING, ),
    MANY(11, "input", MESSAGE, .message = &ValueInfoProto),
    MANY(12, "output", MESSAGE, .message = &ValueInfoProto),
    MANY(13, "value_info", MESSAGE, .message = &ValueInfoProto),
    MANY(14, "quantization_annotation", MESSAGE, .message = &TensorAnnotation),
    MANY(15, "sparse_initializer", MESSAGE, .message = &SparseTensorProto),
};
static const struct proto_field NodeProto_fields[] = {
    MANY(1, "input", STRING, ),
    MANY(2, "output", STRING, ),
    ONE(3, "name", STRING, ),
    ONE(4, "op_type", STRING, ),
    MANY(5, "attribute", MESSAGE, .message = &AttributeProto),
    ONE(6, "doc_string", STRING, ),
    ONE(7, "domain", STRING, ),
};
static const struct proto_field AttributeProto_fields[] = {
    ONE(1, "name", STRING, ),
    ONE(2, "f", FLOAT, ),
    ONE(3, "i", INT64, ),
    ONE(4, "s", BYTES, ),
    ONE(5, "t", MESSAGE, .message = &TensorProto),
    ONE(6, "g", MESSAGE, .message = &GraphProto),
    MANY(7, "floats", FLOAT, ),
    MANY(8, "ints", INT64, ),
    MANY(9, "strings", BYTES, ),
    MANY(10, "tensors", MESSAGE, .message = &TensorProto),
    MANY(11, "graphs", MESSAGE, .message = &GraphProto),
    ONE(13, "doc_string", STRING, ),
    ONE(14, "tp", MESSAGE, .message = &TypeProto),
    MANY(15, "type_protos", MESSAGE, .message = &TypeProto),
    ONE(20, "type", ENUM, .values = AttributeProto_AttributeType),
    ONE(21, "ref_attr_name", STRING, ),
    ONE(22, "sparse_tensor", MESSAGE, .message = &SparseTensorProto),
    MANY(23, "sparse_tensors", MESSAGE, .message = &SparseTensorProto),
};
static const struct proto_field TensorProto_fields[] = {
    MANY(1, "dims", INT64, ),
    ONE(2, "data_type", INT32, ),
    ONE(3, "segment", MESSAGE, .message = &TensorProto_Segment),
    MANY(4, "float_data", FLOAT, ),
    MANY(5, "int32_data", INT32, ),
    MANY(6, "string_data", BYTES, ),
    MANY(7, "int64_data", INT64, ),
    ONE(8, "name", STRING, ),
    ONE(9, "raw_data", BYTES, ),
    MANY(10, "double_data", DOUBLE, ),
    MANY(11, "uint64_data", UINT64, ),
    ONE(12, "doc_string", STRING, ),
    MANY(13, "external_data", MESSAGE, .message = &StringStringEntryProto),
    ONE(14, "data_location", ENUM, .values = TensorProto_DataLocation),
};
static const struct proto_field TensorProto_Segment_fields[] = {
    ONE(1, "begin", INT64, ),
    ONE(2, "end", INT64, ),
};
static const struct proto_field StringStringEntryProto_fields[] = {
    ONE(1, "key", STRING, ),
    ONE(2, "value", STRING, ),
};
static const struct proto_field SparseTensorProto_fields[] = {
    ONE(1, "values", MESSAGE, .message = &TensorProto),
    ONE(2, "indices", MESSAGE, .message = &TensorProto),
    MANY(3, "dims", INT64, ),
};
static const struct proto_field TypeProto_fields[] = {
    ONE(1, "tensor_type", MESSAGE, .message = &TypeProto_Tensor),
    ONE(4, "sequence_type", MESSAGE, .message = &TypeProto_Sequence),
    ONE(5, "map_type", MESSAGE, .message = &TypeProto_Map),
    ONE(6, "denotation", STRING, ),
    ONE(8, "sparse_tensor_type", MESSAGE, .message = &TypeProto_SparseTensor),
    ONE(9, "optional_type", MESSAGE, .message = &TypeProto_Optional),
};
static const struct proto_field TypeProto_Tensor_fields[] = {
    ONE(1, "elem_type", INT32, ),
    ONE(2, "shape", MESSAGE, .message = &TensorShapeProto),
};
static const struct proto_field TensorShapeProto_fields[] = {
    MANY(1, "dim", MESSAGE, .message = &TensorShapeProto_Dimension),
};
static const struct proto_field TensorShapeProto_Dimension_fields[] = {
    ONE(1, "dim_value", INT64, ),
    ONE(2, "dim_param", STRING, ),
    ONE(3, "denotation", STRING, ),
};
static const struct proto_field TypeProto_Sequence_fields[] = {
    ONE(1, "elem_type", MESSAGE, .message = &TypeProto),
};
static const struct proto_field TypeProto_Map_fields[] = {
    ONE(1, "key_type", INT32, ),
    ONE(2, "value_type", MESSAGE, .message = &TypeProto),
};
static const struct proto_field TypeProto_Optional_fields[] = {
    ONE(1, "elem_type", MESSAGE, .message = &TypeProto),
};
static const struct proto_field TypeProto_SparseTensor_fields[] = {
    ONE(1, "elem_type", INT32, ),
    ONE(2, "shape", MESSAGE, .message = &TensorShapeProto),
};
static const struct proto_field ValueInfoProto_fields[] = {
    ONE(1, "name", STRING, ),
    ONE(2, "type", MESSAGE, .message = &TypeProto),
    ONE(3, "doc_string", STRING, ),
};
static const struct proto_field TensorAnnotation_fields[] = {
    ONE(1, "tensor_name", STRING, ),
    MANY(2, "quant_parameter_tensor_names", MESSAGE, .message = &StringStringEntryProto),
};
static const struct proto_field TrainingInfoProto_fields[] = {
    ONE(1, "initialization", MESSAGE, .message = &GraphProto),
    ONE(2, "algorithm", MESSAGE, .message = &GraphProto),
    MANY(3, "initialization_binding", MESSAGE, .message = &StringStringEntryProto),
    MANY(4, "update_binding", MESSAGE, .message = &StringStringEntryProto),
};
static const struct proto_field FunctionProto_fields[] = {
    ONE(1, "name", STRING, ),
    MANY(4, "input", STRING, ),
    MANY(5, "output", STRING, ),
    MANY(6, "attribute", STRING, ),
    MANY(7, "node", MESSAGE, .message = &NodeProto),
    ONE(8, "doc_string", STRING, ),
    MANY(9, "opset_import", MESSAGE, .message = &OperatorSetIdProto),
    ONE(10, "domain", STRING, ),
};

PROTO_TABLE(ModelProto, "ModelProto");
PROTO_TABLE(OperatorSetIdProto, "OperatorSetIdProto");
PROTO_TABLE(GraphProto, "GraphProto");
PROTO_TABLE(NodeProto, "NodeProto");
PROTO_TABLE(AttributeProto, "AttributeProto");
PROTO_TABLE(TensorProto, "TensorProto");
PROTO_TABLE(TensorProto_Segment, "TensorProto.Segment");
PROTO_TABLE(StringStringEntryProto, "StringStringEntryProto");
PROTO_TABLE(SparseTensorProto, "SparseTensorProto");
PROTO_TABLE(TypeProto, "TypeProto");
PROTO_TABLE(TypeProto_Tensor, "TypeProto.Tensor");
PROTO_TABLE(TensorShapeProto, "TensorShapeProto");
PROTO_TABLE(TensorShapeProto_Dimension, "TensorShapeProto.Dimension");
PROTO_TABLE(TypeProto_Sequence, "TypeProto.Sequence");
PROTO_TABLE(TypeProto_Map, "TypeProto.Map");
PROTO_TABLE(TypeProto_Optional, "TypeProto.Optional");
PROTO_TABLE(TypeProto_SparseTensor, "TypeProto.SparseTensor");
PROTO_TABLE(ValueInfoProto, "ValueInfoProto");
PROTO_TABLE(TensorAnnotation, "TensorAnnotation");
PROTO_TABLE(TrainingInfoProto, "TrainingInfoProto");
PROTO_TABLE(FunctionProto, "FunctionProto");

const struct proto_message *const onnx_model = &ModelProto, *const onnx_tensor = &TensorProto;

const struct proto_message *const onnx_messages[] = {
    &ModelProto,
    &OperatorSetIdProto,
    &GraphProto,
    &NodeProto,
    &AttributeProto,
    &TensorProto,
    &TensorProto_Segment,
    &StringStringEntryProto,
    &SparseTensorProto,
    &TypeProto,
    &TypeProto_Tensor,
    &TensorShapeProto,
    &TensorShapeProto_Dimension,
    &TypeProto_Sequence,
    &TypeProto_Map,
    &TypeProto_Optional,
    &TypeProto_SparseTensor,
    &ValueInfoProto,
    &TensorAnnotation,
    &TrainingInfoProto,
    &FunctionProto,
    NULL,
};
