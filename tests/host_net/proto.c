/* SPDX-License-Identifier: Apache-2.0
 *
 * Protocol buffers: both forms give the same fields, and errors have their place.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/host_net/support.h"

static struct proto message(const struct strbuf *wire)
{
    return (struct proto){caffe_net, (const uint8_t *)sb_text(wire), wire->len};
}

Test(host_net_proto, text_becomes_fields)
{
    struct strbuf wire =
        wire_of(caffe_net, "# a comment\nname: 'a\\x41' \"b\\n\\101\" input: \"x\"; input: 'y'\n"
                           "input_dim: [1, -2, 3],\nforce_backward: true state { phase: TRAIN level: 4 }\n"
                           "layer < name: \"l\" loss_weight: 1.5e1 loss_weight: -.5f "
                           "blobs { data: [1, 2.5] double_data: 3 } blobs: { diff: 1 } >\n"
                           "layers { type: POOLING pooling_param { pool: 1 } }");
    const struct proto m = message(&wire);
    cr_assert(proto_is(proto_text(m, "name"), "aAb\nA"));
    cr_assert_eq(proto_count(m, "input"), 2u);
    struct proto_numbers dims = proto_numbers(m, "input_dim");
    uint64_t bits;
    cr_assert(proto_number(&dims, &bits) && bits == 1 && proto_number(&dims, &bits) && (int64_t)bits == -2);
    cr_assert_eq(proto_number_count(m, "input_dim"), 3u);
    cr_assert_eq(proto_integer(m, "force_backward"), 1);
    cr_assert_str_eq(proto_word(proto_sub(m, "state"), "phase"), "TRAIN");
    const struct proto layer = proto_sub(m, "layer"), v1 = proto_sub(m, "layers");
    cr_assert_eq(proto_real(layer, "loss_weight"), -0.5);
    cr_assert_eq(proto_line(layer), 5u);
    cr_assert_eq(proto_count(layer, "blobs"), 2u);
    cr_assert_str_eq(proto_word(v1, "type"), "POOLING");
    cr_assert_str_eq(proto_word(proto_sub(v1, "pooling_param"), "pool"), "AVE");
    /* What is not there has the table's default. */
    cr_assert_eq(proto_real(proto_sub(v1, "relu_param"), "negative_slope"), 0);
    cr_assert_eq(proto_integer(proto_sub(v1, "convolution_param"), "bias_term"), 1);
    cr_assert_str_eq(proto_word(proto_sub(v1, "pooling_param"), "round_mode"), "CEIL");
    sb_free(&wire);
}

static void text_fails(const char *text, const char *message)
{
    const struct source source = {"t", (const uint8_t *)text, strlen(text), NULL};
    struct strbuf wire = {0};
    struct diag diag = {0};
    cr_assert(!proto_from_text(caffe_net, &source, 1000, &wire, &diag), "%s", text);
    cr_assert_str_eq(sb_text(&diag.text), message, "%s", text);
    diag_free(&diag);
    sb_free(&wire);
}

Test(host_net_proto, text_is_refused_with_its_place)
{
    text_fails("name: 'a'\n  nam: 'b'", "t:2:3: error: NetParameter has no field nam; did you mean name\n");
    text_fails("name 'a'", "t:1:6: error: a colon is missing behind name\n");
    text_fails("name: a", "t:1:7: error: name wants a string in quotation marks\n");
    text_fails("name: 'a\n'", "t:1:7: error: the string has no end on its line\n");
    text_fails("state { phase: REST }", "t:1:16: error: REST is no value of phase, which has TRAIN, TEST\n");
    text_fails("state { level: 1.5 }", "t:1:16: error: 1.5 is no whole number, as level wants\n");
    text_fails("input_dim: 3000000000", "t:1:12: error: 3000000000 is out of the range of input_dim\n");
    text_fails("layer { loss_weight: x }", "t:1:22: error: x is no finite number, as loss_weight wants\n");
    text_fails("force_backward: 2", "t:1:17: error: force_backward must be true or false\n");
    text_fails("layer {\n name: 'a'", "t:2:11: error: the file ends inside a LayerParameter\n");
    text_fails("layer 1", "t:1:7: error: layer wants fields in braces\n");
    text_fails("input_dim: [1 2]", "t:1:15: error: a list goes on with a comma or ends with a bracket\n");
    text_fails("}", "t:1:1: error: a field's name is expected here\n");
}

static void wire_fails(const char *bytes, size_t size, const char *message)
{
    const struct source source = {"w", (const uint8_t *)bytes, size, NULL};
    struct diag diag = {0};
    cr_assert(!proto_check(onnx_model, &source, &diag));
    cr_assert_str_eq(sb_text(&diag.text), message);
    diag_free(&diag);
}

Test(host_net_proto, wire_is_refused_with_its_place)
{
    wire_fails(
        "\x08\x08\x3a\x02\x0a", 5,
        "w: error: at byte 2: in a ModelProto: no field of a protocol buffer, or the file is cut off\n");
    wire_fails(
        "\x08\x08\x3a\x02\x0a\x05", 6,
        "w: error: at byte 4: in a GraphProto: no field of a protocol buffer, or the file is cut off\n");
    wire_fails("\x0d\0\0\0\0", 5,
               "w: error: at byte 0: in a ModelProto: field ir_version has the wrong type\n");
    wire_fails(
        "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12,
        "w: error: at byte 0: in a ModelProto: no field of a protocol buffer, or the file is cut off\n");
    /* An initializer whose floats are 3 bytes. */
    wire_fails(
        "\x3a\x07\x2a\x05\x22\x03\0\0\0", 9,
        "w: error: at byte 6: in a TensorProto: the length of a list is no multiple of its numbers'\n");
}

/* A field that the table does not know is skipped, a repeated number may be packed or not. */
Test(host_net_proto, wire_is_read_as_the_format_wants)
{
    struct diag diag = {0};
    struct strbuf wire = {0};
    proto_put_bytes(&wire, 2047, "xyz", 3);
    const size_t graph = proto_begin(&wire, 7), tensor = proto_begin(&wire, 5);
    proto_put_integer(&wire, 1, 2);
    proto_put_bytes(&wire, 1, "\x03\x80\x01", 3);
    proto_put_integer(&wire, 1, 5);
    proto_end(&wire, tensor);
    proto_end(&wire, graph);
    const struct source all = {"w", (const uint8_t *)wire.text, wire.len, NULL};
    cr_assert(proto_check(onnx_model, &all, &diag), "%s", sb_text(&diag.text));
    const struct proto m =
        proto_sub(proto_sub((struct proto){onnx_model, all.bytes, all.size}, "graph"), "initializer");
    static const uint64_t wanted[] = {2, 3, 128, 5};
    struct proto_numbers dims = proto_numbers(m, "dims");
    uint64_t bits;
    cr_assert_eq(proto_number_count(m, "dims"), 4u);
    for (size_t i = 0; i < 4; i++)
        cr_assert(proto_number(&dims, &bits) && bits == wanted[i]);
    cr_assert(!proto_number(&dims, &bits));
    sb_free(&wire);
}

Test(host_net_proto, nesting_is_bounded)
{
    struct strbuf text = {0}, wire = {0};
    struct diag diag = {0};
    size_t begin[100];
    for (unsigned i = 0; i < 100; i++) {
        sb_add(&text, i % 2 ? "g { " : i ? "node { attribute { " : "graph { node { attribute { ");
        begin[i] = proto_begin(&wire, i == 0 ? 7 : i % 3 == 1 ? 1 : i % 3 == 2 ? 5 : 6);
    }
    for (unsigned i = 100; i--;)
        proto_end(&wire, begin[i]);
    const struct source source = {"t", (const uint8_t *)text.text, text.len, NULL},
                        deep = {"w", (const uint8_t *)wire.text, wire.len, NULL};
    struct strbuf to = {0};
    cr_assert(!proto_from_text(onnx_model, &source, 1 << 20, &to, &diag));
    cr_assert(strstr(sb_text(&diag.text), "messages are nested too deep; 64 levels are read"), "%s",
              sb_text(&diag.text));
    diag_free(&diag);
    diag = (struct diag){0};
    cr_assert(!proto_check(onnx_model, &deep, &diag));
    cr_assert(strstr(sb_text(&diag.text), "messages are nested too deep; 64 levels are read"), "%s",
              sb_text(&diag.text));
    diag_free(&diag);
    sb_free(&text);
    sb_free(&wire);
    sb_free(&to);
}
