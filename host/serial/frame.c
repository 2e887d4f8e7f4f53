/* SPDX-License-Identifier: Apache-2.0 */
#include "host/serial/frame.h"

#define START 0x54
#define REPLY 0x41
#define HEAD 4 /* bytes of an answer before its words */
#define TAIL 2

uint16_t serial_sum(const uint8_t *bytes, size_t count)
{
    unsigned sum = 0xFFFF;
    for (size_t i = 0; i < count; i++) {
        sum ^= (unsigned)bytes[i] << 8;
        for (unsigned bit = 0; bit < 8; bit++)
            sum = (sum << 1 ^ (sum & 0x8000 ? 0x1021 : 0)) & 0xFFFF;
    }
    return (uint16_t)sum;
}

static size_t put_word(uint8_t *to, size_t at, uint32_t word)
{
    for (unsigned i = 0; i < 4; i++)
        to[at++] = (uint8_t)(word >> 8 * i);
    return at;
}

size_t serial_request(const struct serial_request *request, uint8_t frame[SERIAL_REQUEST_MAX])
{
    size_t at = 0;
    frame[at++] = START;
    frame[at++] = request->number;
    frame[at++] = (uint8_t)request->operation;
    frame[at++] = (uint8_t)request->count;
    at = put_word(frame, at, request->address);
    for (unsigned i = 0; request->words && i < request->count; i++)
        at = put_word(frame, at, request->words[i]);
    uint16_t sum = serial_sum(frame, at);
    frame[at++] = (uint8_t)(sum >> 8);
    frame[at++] = (uint8_t)sum;
    return at;
}

enum serial_progress serial_answer(const uint8_t *frame, size_t count, size_t *bytes)
{
    *bytes = HEAD + TAIL;
    if (count && frame[0] != REPLY)
        return SERIAL_BROKEN;
    if (count < HEAD)
        return SERIAL_MORE;
    if (frame[2] > SERIAL_LOST || frame[3] > SERIAL_WORDS_MAX)
        return SERIAL_BROKEN;
    *bytes += 4 * (size_t)frame[3];
    if (count < *bytes)
        return SERIAL_MORE;
    return serial_sum(frame, *bytes) == 0 ? SERIAL_WHOLE : SERIAL_BROKEN;
}

uint8_t serial_answer_number(const uint8_t *frame)
{
    return frame[1];
}

enum serial_status serial_answer_status(const uint8_t *frame)
{
    return (enum serial_status)frame[2];
}

unsigned serial_answer_words(const uint8_t *frame)
{
    return frame[3];
}

uint32_t serial_answer_word(const uint8_t *frame, unsigned index)
{
    const uint8_t *at = frame + HEAD + 4 * (size_t)index;
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}
