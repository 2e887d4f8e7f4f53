/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads and writes protocol buffers by tables of their messages. ONNX files
 * and caffemodels are in the wire form, which is read where it lies: a message
 * is a range of bytes, and its fields are looked up by name. prototxt is in the
 * text form; it is turned into the wire form once (text.c), so that one reader
 * serves both.
 *
 * A whole file is checked before its fields are looked up (proto_check).
 * Fields that the table does not know are skipped in the wire form, as the
 * format wants, and refused in the text form, where they are typing errors.
 */
#ifndef TULLE_HOST_NET_PROTO_H
#define TULLE_HOST_NET_PROTO_H

#include "gen/base/strbuf.h"
#include "host/net/base/source.h"

enum proto_kind {
    PROTO_INT32,
    PROTO_INT64,
    PROTO_UINT32,
    PROTO_UINT64,
    PROTO_BOOL,
    PROTO_ENUM,
    PROTO_FLOAT,
    PROTO_DOUBLE,
    PROTO_STRING,
    PROTO_BYTES,
    PROTO_MESSAGE
};

/* A value of an enumeration; a list ends with NULL. */
struct proto_name {
    int value;
    const char *name;
};

struct proto_field {
    uint32_t number;
    const char *name;
    enum proto_kind kind;
    bool many; /* repeated */
    const struct proto_message *message;
    const struct proto_name *values;
    double fallback; /* of a number that is not given */
};

struct proto_message {
    const char *name;
    const struct proto_field *fields;
    unsigned count;
};

extern const struct proto_message *const onnx_messages[], *const caffe_messages[]; /* all; NULL at the end */
extern const struct proto_message *const onnx_model, *const onnx_tensor, *const caffe_net;

/* ---- reading ------------------------------------------------------------------------------------- */

struct proto {
    const struct proto_message *type;
    const uint8_t *at; /* NULL: a message that is not there, all of whose fields are missing */
    size_t size;
};

/* A field as it lies in a message. */
struct proto_item {
    const struct proto_field *field;
    const uint8_t *at; /* of a string, a message, or packed numbers */
    size_t size;
    uint64_t bits; /* of a number */
    bool packed;
};

/* Nesting of messages that is read. */
enum { PROTO_DEPTH = 64 };

/* Checks a file of this message: lengths, types, nesting. False after an error at its byte. */
bool proto_check(const struct proto_message *type, const struct source *source, struct diag *diag);

/* The next item of that name behind *place, which is 0 at first. */
bool proto_next(struct proto m, const char *name, size_t *place, struct proto_item *item);
size_t proto_count(struct proto m, const char *name); /* items, packed ones as one */
bool proto_has(struct proto m, const char *name);
struct proto proto_of(const struct proto_item *item);

/* The last item of that name. What is missing is the fallback of the table, an empty text or message. */
int64_t proto_integer(struct proto m, const char *name);
double proto_real(struct proto m, const char *name);
struct proto proto_sub(struct proto m, const char *name);
struct proto_text {
    const char *at;
    size_t length;
} proto_text(struct proto m, const char *name);
bool proto_is(struct proto_text text, const char *word);
/* The name of an enumeration's value, or "". */
const char *proto_word(struct proto m, const char *name);

/* The numbers of a repeated field one after another, packed or not. */
struct proto_numbers {
    struct proto m;
    const char *name;
    size_t place;
    struct proto_item item;
    bool begun;
};
struct proto_numbers proto_numbers(struct proto m, const char *name);
bool proto_number(struct proto_numbers *numbers, uint64_t *bits);
size_t proto_number_count(struct proto m, const char *name);
/* Floats and doubles that lie in one piece, as in nearly every file. */
bool proto_piece(struct proto m, const char *name, struct proto_item *piece);

/* The value of a number's bits. */
double proto_real_of(const struct proto_field *field, uint64_t bits);

/* ---- text ---------------------------------------------------------------------------------------- */

/* Turns the text form into the wire form, appended to `wire`. Each message gets its line in the text as a
 * further field, for proto_line(). Every error is reported with line and column, until there are `most`
 * bytes. */
bool proto_from_text(const struct proto_message *type, const struct source *source, size_t most,
                     struct strbuf *wire, struct diag *diag);
/* 0: the message was not made from text. */
unsigned proto_line(struct proto m);

/* ---- writing ------------------------------------------------------------------------------------- */

void proto_put_integer(struct strbuf *to, unsigned number, uint64_t value);
void proto_put_bytes(struct strbuf *to, unsigned number, const void *bytes, size_t size);
void proto_put_text(struct strbuf *to, unsigned number, const char *text);
void proto_put_float(struct strbuf *to, unsigned number, float value);
void proto_put_double(struct strbuf *to, unsigned number, double value);
/* A message between the two; `begin` gives what `end` wants. */
size_t proto_begin(struct strbuf *to, unsigned number);
void proto_end(struct strbuf *to, size_t begin);
/* The number of a field, by its name. */
unsigned proto_field_number(const struct proto_message *type, const char *name);

#endif
