/* SPDX-License-Identifier: Apache-2.0
 *
 * The newest things that a simulated board saw, for whoever asks why.
 */
#ifndef TULLE_SIM_BOARD_EVENTS_H
#define TULLE_SIM_BOARD_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "gen/base/strbuf.h"

#define EVENTS_DEFAULT 256
#define EVENTS_MAX 1000000

enum event_kind {
    EVENT_READ,           /* a read burst is asked for */
    EVENT_READ_END,       /* its last beat is taken */
    EVENT_WRITE,          /* a write burst is announced */
    EVENT_WRITE_BEAT,     /* a beat of data is taken */
    EVENT_RESPONSE,       /* a write is answered */
    EVENT_REGISTER_READ,  /* ids and beats are not used: value */
    EVENT_REGISTER_WRITE, /* likewise */
    EVENT_INTERRUPT_UP,
    EVENT_INTERRUPT_DOWN
};

struct event {
    uint64_t cycle;
    enum event_kind kind;
    unsigned port, id, beats, response;
    uint64_t address, value;
};

struct events {
    struct event *ring;
    unsigned room;
    uint64_t count;
    uint64_t until; /* the first cycle that is not kept */
};

bool events_open(struct events *events, unsigned room, uint64_t until);
void events_close(struct events *events);
void events_add(struct events *events, const struct event *event);
/* A line each, oldest first. */
void events_write(const struct events *events, struct strbuf *to);

#endif
