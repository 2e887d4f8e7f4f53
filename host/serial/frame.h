/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes and checks the frames on a serial line to a board (docs/serial.md),
 * without input or output. The other end is
 * bitstreams/rtl/tulle_serial_bridge.v.
 */
#ifndef TULLE_HOST_SERIAL_FRAME_H
#define TULLE_HOST_SERIAL_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SERIAL_MAGIC 0x4C525354u /* TSRL */
#define SERIAL_VERSION 0x0100u
#define SERIAL_WORDS_MAX 64
#define SERIAL_TOLD 4 /* words that SERIAL_IDENTIFY answers: magic, version, bytes of memory, clock in Hz */

enum serial_operation {
    SERIAL_IDENTIFY = 0,
    SERIAL_RESET = 1,
    SERIAL_READ_REGISTERS = 4,
    SERIAL_WRITE_REGISTERS = 5,
    SERIAL_READ_MEMORY = 6,
    SERIAL_WRITE_MEMORY = 7
};

enum serial_status {
    SERIAL_DONE = 0,
    SERIAL_REFUSED = 1, /* an error response of the board's bus */
    SERIAL_TIMEOUT = 2, /* no response: the board has been reset */
    SERIAL_BAD = 3,     /* no such operation, number of words or address */
    SERIAL_LOST = 4     /* the answer that was asked for again no longer exists */
};

struct serial_request {
    uint8_t number; /* differs from the last request's, unless the request is repeated */
    enum serial_operation operation;
    uint32_t address;
    const uint32_t *words; /* to write, or NULL */
    unsigned count;        /* of words to read or write */
};

#define SERIAL_REQUEST_MAX (8 + 4 * SERIAL_WORDS_MAX + 2)
#define SERIAL_ANSWER_MAX (4 + 4 * SERIAL_WORDS_MAX + 2)

/* Makes a frame and returns its bytes. */
size_t serial_request(const struct serial_request *request, uint8_t frame[SERIAL_REQUEST_MAX]);

enum serial_progress {
    SERIAL_MORE,   /* the beginning of an answer */
    SERIAL_WHOLE,  /* a complete answer */
    SERIAL_BROKEN, /* no answer, or its checksum is wrong */
};

/* Examines the first bytes of an answer and sets *bytes to its length as far as it is known. */
enum serial_progress serial_answer(const uint8_t *frame, size_t count, size_t *bytes);

/* Fields of a complete answer. */
uint8_t serial_answer_number(const uint8_t *frame);
enum serial_status serial_answer_status(const uint8_t *frame);
unsigned serial_answer_words(const uint8_t *frame);
uint32_t serial_answer_word(const uint8_t *frame, unsigned index);

/* CRC-16 of polynomial 0x1021, from 0xFFFF. */
uint16_t serial_sum(const uint8_t *bytes, size_t count);

#endif
