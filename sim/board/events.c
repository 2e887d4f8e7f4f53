/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/board/events.h"

#include <stdlib.h>

bool events_open(struct events *e, unsigned room, uint64_t until)
{
    *e = (struct events){.room = room, .until = until};
    e->ring = calloc(room, sizeof *e->ring);
    return e->ring;
}

void events_close(struct events *e)
{
    free(e->ring);
    *e = (struct events){0};
}

void events_add(struct events *e, const struct event *event)
{
    if (event->cycle < e->until)
        e->ring[e->count++ % e->room] = *event;
}

static const char *response_name(unsigned response)
{
    static const char *const names[4] = {"ok", "exclusive", "slave error", "decode error"};
    return names[response & 3];
}

static void write_one(const struct event *e, struct strbuf *to)
{
    const unsigned long long address = e->address, value = e->value;
    sb_addf(to, "%10llu  ", (unsigned long long)e->cycle);
    switch (e->kind) {
    case EVENT_READ:
        sb_addf(to, "read        port %u id %u 0x%09llx, %u beats\n", e->port, e->id, address, e->beats);
        break;
    case EVENT_READ_END:
        sb_addf(to, "read end    port %u id %u 0x%09llx, %s\n", e->port, e->id, address,
                response_name(e->response));
        break;
    case EVENT_WRITE:
        sb_addf(to, "write       port %u id %u 0x%09llx, %u beats\n", e->port, e->id, address, e->beats);
        break;
    case EVENT_WRITE_BEAT:
        sb_addf(to, "write beat  port %u strobes %016llx%s\n", e->port, value, e->beats ? ", last" : "");
        break;
    case EVENT_RESPONSE:
        sb_addf(to, "response    port %u id %u 0x%09llx, %s\n", e->port, e->id, address,
                response_name(e->response));
        break;
    case EVENT_REGISTER_READ:
        sb_addf(to, "register    0x%03llx is 0x%08llx\n", address, value);
        break;
    case EVENT_REGISTER_WRITE:
        sb_addf(to, "register    0x%03llx := 0x%08llx\n", address, value);
        break;
    case EVENT_INTERRUPT_UP:
        sb_add(to, "interrupt   up\n");
        break;
    case EVENT_INTERRUPT_DOWN:
        sb_add(to, "interrupt   down\n");
        break;
    }
}

void events_write(const struct events *e, struct strbuf *to)
{
    uint64_t first = e->count > e->room ? e->count - e->room : 0;
    for (uint64_t i = first; i < e->count; i++)
        write_one(&e->ring[i % e->room], to);
}
