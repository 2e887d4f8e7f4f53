/* SPDX-License-Identifier: Apache-2.0
 *
 * Containers: one file with all that makes a device of a variant, and a
 * manifest that says what it is. docs/containers.md has the format.
 *
 * Reading takes bytes from anybody: what is not exactly a container is refused
 * with the reason, before anything that is in it is used. A checksum tells
 * that bytes are what was written, not who wrote them.
 */
#ifndef TULLE_HOST_CONTAINER_H
#define TULLE_HOST_CONTAINER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gen/base/diag.h"
#include "gen/base/strbuf.h"
#include "gen/variant/variant.h"
#include "host/container/sha256.h"

#define CONTAINER_MAGIC "TULLEPAK"
#define CONTAINER_FORMAT 1
#define CONTAINER_HEADER_BYTES 64
#define CONTAINER_MANIFEST_MAX 65536
#define CONTAINER_PAYLOAD_MAX ((size_t)1 << 30)
#define CONTAINER_TOOLS_MAX 8
#define CONTAINER_WORD_MAX 63

enum container_kind {
    CONTAINER_MODEL,     /* the functional model: no payload */
    CONTAINER_VERILATED, /* a simulated device: the object that sim/board/build makes */
    CONTAINER_VENDOR,    /* a vendor's own container */
    CONTAINER_BITSTREAM, /* what configures the FPGA, and nothing else */
    CONTAINER_KINDS
};

/* Letters, digits and "._+-", beginning with a letter or digit: nothing that could be a path. */
typedef char container_word[CONTAINER_WORD_MAX + 1];

struct container_tool {
    container_word name, version;
};

struct container {
    enum container_kind kind;
    struct variant variant;
    uint64_t hash; /* of the variant; container_write works it out */
    container_word isa, board, transport;
    struct container_tool tool[CONTAINER_TOOLS_MAX];
    unsigned tools;
    const uint8_t *payload; /* in the bytes that were read */
    size_t payload_bytes;
    uint8_t sha256[SHA256_BYTES]; /* of the payload; container_write works it out */
};

/* False, and nothing is set, when the text is not such a word. */
bool container_word_set(container_word word, const char *text);

/* "model", "verilated", ... and back; CONTAINER_KINDS when it is none. */
const char *container_kind_name(enum container_kind kind);
enum container_kind container_kind_named(const char *name);

/* All of [bytes, bytes + size) as a container. False with the reason; `container` is then unspecified. */
bool container_read(const void *bytes, size_t size, struct container *container, struct strbuf *why);

/* The same of a file, whose bytes go to `bytes`, which the container points into. */
bool container_load(const char *path, struct strbuf *bytes, struct container *container, struct strbuf *why);

/* Appends the container's bytes. False when it could not be read again, or out of memory. */
bool container_write(const struct container *container, struct strbuf *to, struct strbuf *why);

/* The manifest alone, as it stands in the container. */
bool container_manifest(const struct container *container, struct strbuf *to, struct strbuf *why);

/* What a device says of itself. */
struct container_device {
    const char *name, *transport;
    uint32_t isa; /* the register isa_version */
    uint64_t hash;
};

/* Whether the container is of this device; else both sides, named, in `why`. */
bool container_fits(const struct container *container, const struct container_device *device,
                    struct strbuf *why);

/* Makes the folder that the board sim:FOLDER takes of a container with a Verilated device. `folder` must be
 * there and empty. */
bool container_unpack(const struct container *container, const char *folder, struct strbuf *why);

/* Removes what container_unpack made, and the folder. */
void container_remove(const char *folder);

#endif
