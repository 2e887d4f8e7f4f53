/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers of the wire form of protocol buffers.
 */
#ifndef TULLE_HOST_NET_WIRE_H
#define TULLE_HOST_NET_WIRE_H

#include "host/net/proto/proto.h"

enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

/* No message has a field of this number: it holds the line of a message that was text. */
#define WIRE_NUMBER_MAX 0x1fffffff

#endif
