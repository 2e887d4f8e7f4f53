/* SPDX-License-Identifier: Apache-2.0
 *
 * A board at the far end of a pseudo terminal, in C and in a thread of its
 * own, that disturbs the line in the ways it is told.
 */
#ifndef TULLE_TESTS_SIM_SERIAL_FAR_END_H
#define TULLE_TESTS_SIM_SERIAL_FAR_END_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "host/serial/frame.h"

#define FAR_MEMORY 65536
#define FAR_REGISTERS 1024

struct far_end {
    /* Before far_start: what it tells of itself (0: a version and a memory that are right). */
    uint32_t magic, version, memory_told, clock;
    /* At any time: each so-many-th answer, 0 none. */
    atomic_uint lose, spoil, repeat, rename, cut;
    atomic_bool mute;
    /* The status of all answers but SERIAL_IDENTIFY and SERIAL_RESET. */
    atomic_uint status;
    /* Register reads after which the interrupt is up; UINT_MAX: never. */
    atomic_uint interrupt_after;

    /* What was done. */
    atomic_uint done, resets;

    char path[64], board[96];
    uint32_t registers[FAR_REGISTERS];
    uint8_t memory[FAR_MEMORY];
    int terminal, other_end;
    atomic_bool stopped;
    pthread_t thread;
    unsigned answers, last;
    uint8_t answer[SERIAL_ANSWER_MAX];
    size_t answer_bytes;
};

/* Of zeros, but for what is set before. */
void far_start(struct far_end *far);
/* The line is gone then. */
void far_stop(struct far_end *far);

size_t make_answer(uint8_t frame[SERIAL_ANSWER_MAX], uint8_t number, enum serial_status status,
                   const uint32_t *words, unsigned count);

#endif
