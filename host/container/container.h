/* SPDX-License-Identifier: Apache-2.0
 *
 * Containers: one file with a device of a variant and a manifest that
 * describes it. docs/containers.md defines the format.
 *
 * The bytes may come from anywhere: anything but an exact container is refused
 * with the reason before its contents are used. The checksum shows that the
 * bytes are those that were written, not who wrote them.
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
    CONTAINER_BITSTREAM, /* the configuration of an FPGA */
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
    uint64_t hash; /* of the variant; set by container_write */
    container_word isa, board, transport;
    struct container_tool tool[CONTAINER_TOOLS_MAX];
    unsigned tools;
    const uint8_t *payload; /* in the bytes that were read */
    size_t payload_bytes;
    uint8_t sha256[SHA256_BYTES]; /* of the payload; set by container_write */
};

/* False, with nothing set, when the text is not such a word. */
bool container_word_set(container_word word, const char *text);

/* "model", "verilated", ... and back; CONTAINER_KINDS for an unknown name. */
const char *container_kind_name(enum container_kind kind);
enum container_kind container_kind_named(const char *name);

/* Reads all of [bytes, bytes + size). False with the reason; `container` is then unspecified. */
bool container_read(const void *bytes, size_t size, struct container *container, struct strbuf *why);

/* Reads a file into `bytes`, to which the container points. */
bool container_load(const char *path, struct strbuf *bytes, struct container *container, struct strbuf *why);

/* Appends the container's bytes. False when the container is not valid, or out of memory. */
bool container_write(const struct container *container, struct strbuf *to, struct strbuf *why);

/* The manifest alone, as it stands in the container. */
bool container_manifest(const struct container *container, struct strbuf *to, struct strbuf *why);

/* The identification of a device. */
struct container_device {
    const char *name, *transport;
    uint32_t isa; /* the register isa_version */
    uint64_t hash;
};

/* Whether the container is for this device; otherwise `why` names both. */
bool container_fits(const struct container *container, const struct container_device *device,
                    struct strbuf *why);

/* Unpacks a container with a Verilated device into the folder of a board sim:FOLDER, which must exist and be
 * empty. */
bool container_unpack(const struct container *container, const char *folder, struct strbuf *why);

/* Removes what container_unpack made, and the folder. */
void container_remove(const char *folder);

#endif
