/* SPDX-License-Identifier: Apache-2.0
 *
 * How the tables of messages are written: their fields, single or repeated,
 * with what a kind needs (.message, .values, .fallback) at the end.
 */
#ifndef TULLE_HOST_NET_TABLE_H
#define TULLE_HOST_NET_TABLE_H

#include "host/net/proto/proto.h"

#define ONE(at, text, type, ...)                                          \
    {                                                                     \
        .number = (at), .name = (text), .kind = PROTO_##type, __VA_ARGS__ \
    }
#define MANY(at, text, type, ...)                                                       \
    {                                                                                   \
        .number = (at), .name = (text), .kind = PROTO_##type, .many = true, __VA_ARGS__ \
    }
#define PROTO_TABLE(tag, text) \
    static const struct proto_message tag = {text, tag##_fields, sizeof tag##_fields / sizeof *tag##_fields}

#endif
