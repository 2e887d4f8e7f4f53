/* SPDX-License-Identifier: Apache-2.0
 *
 * A Verilated board with a serial line (bitstreams/rtl/tulle_serial_board.v
 * with a device of one variant) as a shared object that sim/serial/build makes.
 * Time is the caller's: nothing happens but in step().
 */
#ifndef TULLE_SIM_SERIAL_PINS_H
#define TULLE_SIM_SERIAL_PINS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raised when anything in this file changes: an object that was built before is then refused. */
#define PINS_API_VERSION 1
#define PINS_API_SYMBOL "tulle_pins_api"

struct pins;

struct pins_out {
    bool line; /* what the board sends */
    bool busy;
};

struct pins_api {
    uint32_t version;
    unsigned divisor; /* clock cycles of a bit on the line */
    /* Registers and memories hold what `seed` makes of them. NULL when out of memory. */
    struct pins *(*create)(uint64_t seed);
    void (*free)(struct pins *pins);
    /* One clock cycle; `line` is what the host sends. False when an assertion of the design was violated: the
     * board is dead then, and violation() says which. */
    bool (*step)(struct pins *pins, bool reset, bool line, struct pins_out *out);
    const char *(*violation)(const struct pins *pins);
};

/* Loads a shared object; NULL with the reason in *why. It stays loaded. */
const struct pins_api *pins_load(const char *path, const char **why);

#ifdef __cplusplus
}
#endif
#endif
