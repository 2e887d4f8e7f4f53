/* SPDX-License-Identifier: Apache-2.0
 *
 * "name=value" settings of boards: read by a table, and written for who opens one.
 */
#ifndef TULLE_SIM_BOARD_SETTINGS_H
#define TULLE_SIM_BOARD_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gen/base/strbuf.h"

struct setting_spec {
    const char *name;
    /* Where a number goes, with its range; NULL: `take` gets the text. */
    uint64_t *number;
    uint64_t min, max;
    /* False when the text cannot be; `form` says what could. */
    bool (*take)(void *context, const char *value);
    const char *form;
};

/* Every setting of the NULL-ended list by the table, which ends with a name of NULL. False with what is wrong
 * in `why`. */
bool settings_read(const char *const *settings, const struct setting_spec *specs, void *context,
                   struct strbuf *why);

/* A number, decimal or 0x..., with K, M or G for powers of 1024; all of the text. */
bool settings_number(const char *text, uint64_t *number);

/* "B/C": at most B beats in C cycles. False when it is none, or more than one beat a cycle. */
bool settings_bandwidth(const char *text, unsigned *beats, unsigned *cycles);
#define SETTINGS_BANDWIDTH "beats/cycles, 1/1 or less"

/* Copies a message into the caller's room, cut where it must. */
void settings_message(const struct strbuf *message, char *to, size_t room);

#define SETTINGS_MAX 32

/* What board_api's open takes; all zeros at first. */
struct setting_list {
    struct strbuf text[SETTINGS_MAX];
    const char *list[SETTINGS_MAX + 1];
    unsigned count;
};

/* At most SETTINGS_MAX of them. */
void settings_add(struct setting_list *s, const char *name, const char *value);
void settings_add_number(struct setting_list *s, const char *name, uint64_t value);
void settings_free(struct setting_list *s);

#endif
