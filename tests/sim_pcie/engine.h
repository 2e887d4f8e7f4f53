/* SPDX-License-Identifier: Apache-2.0
 *
 * The copy engine register by register, over any link: a ring, and pages of
 * data behind it.
 */
#ifndef TULLE_TESTS_PCIE_ENGINE_H
#define TULLE_TESTS_PCIE_ENGINE_H

#include "host/pcie/transport.h"

#define ENGINE_HERE                                                                        \
    UINT64_C(0x7000000000) /* where the function sees the ring; data from the next page on \
                            */
#define ENGINE_PAGE 4096u
#define ENGINE_DATA_PAGES 3

struct engine {
    const struct link_api *api;
    struct link *link;
    struct copy_descriptor *ring; /* a page of it, then the data */
    uint8_t *data;
    int file, signal;
};

/* Said by who uses this: a test that fails, a program that ends. */
_Noreturn void engine_failed(const char *what);

/* With memory accesses and bus mastering on, its vector heard, and the ring started. Whatever fails is
 * engine_failed(). */
void engine_open(struct engine *engine, const struct link_api *api, const char *place,
                 const struct link_settings *settings);
void engine_close(struct engine *engine);

uint32_t engine_look(struct engine *engine, uint32_t offset);
void engine_put(struct engine *engine, uint32_t offset, uint32_t value);
void engine_command(struct engine *engine, uint16_t command);

/* A fresh ring of 8 that runs. */
void engine_start(struct engine *engine);
/* Its interrupt, within ten seconds. */
void engine_await(struct engine *engine);
/* One descriptor, as the first of a fresh ring, and the code it ends with. */
uint32_t engine_one(struct engine *engine, struct copy_descriptor descriptor);

#endif
