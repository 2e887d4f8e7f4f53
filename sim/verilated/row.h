/* SPDX-License-Identifier: Apache-2.0
 *
 * A Verilated row: `tulle_row` of one variant, compiled into a shared object
 * of its own (sim/verilated/build), so that a program can have several
 * variants at once and needs no C++. What a row's ports mean is in
 * docs/rtl.md. Time is the caller's: nothing happens but in row_step().
 */
#ifndef TULLE_SIM_VERILATED_ROW_H
#define TULLE_SIM_VERILATED_ROW_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raised when anything in this file changes: an object that was built before is then refused. */
#define ROW_API_VERSION 2
#define ROW_API_SYMBOL "tulle_row_api"

#define ROW_BUS_BYTES_MAX 64
#define ROW_COLLECTOR_BYTES_MAX 64

/* What is offered at the packet port. */
struct row_beat {
    const uint8_t *data; /* bus_bytes of them */
    uint8_t command;
    uint16_t clusters, count;
    bool scatter, last;
};

/* What a clock edge did, and what the row shows behind it. */
struct row_event {
    bool accepted; /* the beat that was offered */
    bool result;   /* a result beat was taken: the members below */
    uint8_t data[ROW_COLLECTOR_BYTES_MAX];
    unsigned cluster;
    bool last;
    bool idle, error;
    uint16_t error_code; /* the first error's, with its cluster */
    unsigned error_cluster;
};

struct row;

struct row_api {
    unsigned version;
    uint64_t variant; /* hash of the variant it was made from */
    unsigned bus_bytes, collector_bytes;
    bool traces, covers; /* built with waveforms, with coverage */
    /* In reset, with registers and memories holding what `seed` makes of them. NULL when out of memory. */
    struct row *(*create)(uint64_t seed);
    void (*free)(struct row *row);
    /* Some cycles of reset: as after create, except for what reset does not clear. */
    void (*reset)(struct row *row);
    /* One clock cycle. `offered` NULL: no beat; what was offered and not accepted must be offered again.
     * `ready`: a result would be taken. False when an assertion of the design was violated: the row is dead
     * then, and `violation` says which. */
    bool (*step)(struct row *row, const struct row_beat *offered, bool ready, struct row_event *event);
    const char *(*violation)(const struct row *row);
    /* An FST waveform of all that follows; false when it was built without. */
    bool (*trace)(struct row *row, const char *path);
};

/* Loads a shared object; NULL with the reason in *why. It stays loaded. */
const struct row_api *row_load(const char *path, const char **why);

#ifdef __cplusplus
}
#endif
#endif
