/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes device programs: operations in order, and the data a program carries
 * (configurations). The result is the image of the program slot.
 */
#ifndef TULLE_HOST_WRITER_H
#define TULLE_HOST_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gen/base/strbuf.h"
#include "gen/isa/table.h"
#include "gen/variant/variant.h"
#include "host/plan/status.h"

/* Fields of an operation, by the names of the ISA table; a NULL name ends the list. */
struct setting {
    const char *field;
    int64_t value;
};
#define SETTINGS (const struct setting[])

#define EXEC 0x80           /* an exec command; the buffer is added */
#define EXEC_SHIFT_OUT 0xC0 /* the same, and STs of the sequence move results out */

#define WRITER_CONFIG_ALIGN 64

/* The lowest minor version of the instruction set that has all encodings that plans use: devices refuse
 * programs of newer versions than their own. */
#define WRITER_MINOR 1

struct writer {
    const struct variant *variant;
    struct strbuf operations, data;
    uint32_t count;
    uint8_t tokens[32];   /* initial counts */
    struct strbuf fixups; /* uint32_t positions of operations whose offset counts from the data */
    /* Configurations that are in the data and not sent yet. */
    struct {
        unsigned buffer;
        uint64_t offset;
        size_t bytes;
    } config[32];
    unsigned configs;
    unsigned minor;          /* of the encodings used, when above WRITER_MINOR */
    unsigned pages;          /* of the clusters' register files that the buffers have */
    enum plan_status failed; /* first mistake: a field the table does not have, a value that does not fit */
};

void writer_begin(struct writer *writer, const struct variant *variant);
void writer_free(struct writer *writer);

/* Appends an operation; fields not named are 0, fields with a smallest legal value have that. */
void writer_op(struct writer *writer, const char *format_name, const struct setting *settings);

/* One instruction of a configuration, or the extension record before one: then `instruction` has its fields.
 */
struct config_instruction {
    const char *format;                /* mac, ld, st, spu, extension */
    const struct setting *instruction; /* fields of the instruction */
    const struct setting *operands;    /* fields of its record */
};

/* Appends a configuration, padded to whole row-bus beats, at a boundary of so many bytes; returns its offset
 * for writer_load_data. `bytes` gets its size. */
uint64_t writer_config(struct writer *writer, const struct setting *header,
                       const struct config_instruction *code, size_t instructions, size_t *bytes);

/* A load whose offset counts from the start of the program's data. */
void writer_load_data(struct writer *writer, const struct setting *settings);

/* Appends the program packed; whether it is to be used so: packed operations come later than full ones, so
 * that it must save some. */
bool writer_packs(const uint8_t *program, size_t bytes, struct strbuf *packed);

/* Appends the end and gives the whole image; NULL with writer->failed set. */
const uint8_t *writer_finish(struct writer *writer, uint64_t variant_hash, struct strbuf *image);

#endif
