/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* memfd_create */
#include "tests/sim_pcie/engine.h"

#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/pcie/message.h"

#define SECOND UINT64_C(1000000000)
#define BYTES ((1 + ENGINE_DATA_PAGES) * ENGINE_PAGE)

static void must(struct engine *e, enum link_status status)
{
    if (status != LINK_OK)
        engine_failed(status == LINK_LOST ? e->api->error(e->link) : "no interrupt of the engine");
}

uint32_t engine_look(struct engine *e, uint32_t offset)
{
    uint32_t value = 0;
    must(e, e->api->read(e->link, VU_BAR0, BAR0_FUNCTION + offset, &value, sizeof value));
    return value;
}

void engine_put(struct engine *e, uint32_t offset, uint32_t value)
{
    must(e, e->api->write(e->link, VU_BAR0, BAR0_FUNCTION + offset, &value, sizeof value));
}

void engine_command(struct engine *e, uint16_t command)
{
    must(e, e->api->write(e->link, VU_CONFIG, CONFIG_COMMAND, &command, sizeof command));
}

void engine_start(struct engine *e)
{
    engine_put(e, COPY_CONTROL, COPY_CONTROL_RESET);
    engine_put(e, COPY_RING, (uint32_t)ENGINE_HERE);
    engine_put(e, COPY_RING + 4, (uint32_t)(ENGINE_HERE >> 32));
    engine_put(e, COPY_ENTRIES, 8);
    engine_put(e, COPY_INTERRUPT_MASK, COPY_INTERRUPT_COMPLETED | COPY_INTERRUPT_HALTED);
    engine_put(e, COPY_CONTROL, COPY_CONTROL_RUN);
}

void engine_open(struct engine *e, const struct link_api *api, const char *place,
                 const struct link_settings *settings)
{
    struct strbuf why = {0};
    *e = (struct engine){.api = api, .link = api->open(place, settings, &why)};
    if (!e->link)
        engine_failed(sb_text(&why));
    engine_command(e, COMMAND_MEMORY | COMMAND_MASTER);
    e->file = memfd_create("test", 0);
    e->signal = eventfd(0, EFD_NONBLOCK);
    if (e->file < 0 || e->signal < 0 || ftruncate(e->file, BYTES) != 0)
        engine_failed("no memory to share");
    uint8_t *shared = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, e->file, 0);
    if (shared == MAP_FAILED)
        engine_failed("no memory to share");
    e->ring = (void *)shared;
    e->data = shared + ENGINE_PAGE;
    must(e, api->map(e->link, ENGINE_HERE, shared, BYTES, e->file));
    must(e, api->listen(e->link, VECTOR_COPY, e->signal));
    engine_start(e);
}

void engine_close(struct engine *e)
{
    e->api->close(e->link);
    munmap(e->ring, BYTES);
    close(e->file);
    close(e->signal);
}

void engine_await(struct engine *e)
{
    must(e, e->api->wait(e->link, e->signal, 10 * SECOND));
    engine_put(e, COPY_INTERRUPT_STATUS, UINT32_MAX);
}

uint32_t engine_one(struct engine *e, struct copy_descriptor d)
{
    engine_start(e);
    e->ring[0] = d;
    engine_put(e, COPY_TAIL, 1);
    engine_await(e);
    if (!(e->ring[0].status & DESCRIPTOR_DONE))
        engine_failed("no status");
    return e->ring[0].status & COPY_CODE_MASK;
}
