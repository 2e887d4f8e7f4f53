/* SPDX-License-Identifier: Apache-2.0
 *
 * A Verilated device: `tulle_top` of one variant as a shared object
 * (sim/board/build), with the wires of its ports. Time is the caller's:
 * nothing happens but in step(). What is around the device is sim.c's.
 */
#ifndef TULLE_SIM_BOARD_TOP_H
#define TULLE_SIM_BOARD_TOP_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raised when anything in this file changes: an object that was built before is then refused. */
#define TOP_API_VERSION 4
#define TOP_API_SYMBOL "tulle_top_api"

#define TOP_PORTS_MAX 5 /* four of the array's, one of the copy engine's */
#define TOP_BEAT_BYTES_MAX 64

/* s_axi_control or s_axi_host, as the host drives it and as the device answers. */
struct lite_host {
    bool awvalid, wvalid, bready, arvalid, rready;
    uint16_t awaddr, araddr;
    uint32_t wdata;
};

struct lite_device {
    bool awready, wready, bvalid, arready, rvalid;
    uint8_t bresp, rresp;
    uint32_t rdata;
};

/* A memory port, as the device drives it and as the memory answers. */
struct axi_master {
    bool awvalid, wvalid, wlast, bready, arvalid, rready;
    uint8_t awid, awlen, awsize, awburst, arid, arlen, arsize, arburst;
    uint64_t awaddr, araddr;
    uint64_t wstrb;
    uint8_t wdata[TOP_BEAT_BYTES_MAX];
};

struct axi_slave {
    bool awready, wready, bvalid, arready, rvalid, rlast;
    uint8_t bid, bresp, rid, rresp;
    uint8_t rdata[TOP_BEAT_BYTES_MAX];
};

/* The host port of a device that has one, docs/pcie.md. */
struct host_in {
    struct lite_host lite;
    struct axi_slave memory; /* the host's */
    uint64_t memory_bytes, window_bytes;
    bool master, function_reset, window_fault;
};

struct host_out {
    bool interrupt;
    struct lite_device lite;
    struct axi_master memory;
    uint64_t window;
};

struct top_in {
    bool reset;
    struct lite_host lite;
    struct axi_slave memory[TOP_PORTS_MAX];
    struct host_in host;
};

struct top_out {
    bool interrupt;
    struct lite_device lite;
    struct axi_master memory[TOP_PORTS_MAX];
    struct host_out host;
    bool packet; /* a beat of a packet moves on a row bus */
};

struct top;

struct top_api {
    uint32_t version;
    uint64_t variant; /* hash of the variant it was made from */
    unsigned beat_bytes, ports;
    bool host;   /* it has a host port; the last of `ports` is its engine's */
    bool traces; /* built with waveforms */
    /* Registers and memories hold what `seed` makes of them. NULL when out of memory. */
    struct top *(*create)(uint64_t seed);
    void (*free)(struct top *top);
    /* One clock cycle: what is shown during it goes to `out`, then comes the edge. False when an assertion of
     * the design was violated: the device is dead then, and violation() says which. */
    bool (*step)(struct top *top, const struct top_in *in, struct top_out *out);
    const char *(*violation)(const struct top *top);
    /* An FST waveform of all that follows, NULL ends it; false when it was built without, or the file cannot
     * be written. */
    bool (*trace)(struct top *top, const char *path);
};

/* Loads a shared object; NULL with the reason in *why. It stays loaded. */
const struct top_api *top_load(const char *path, const char **why);

#ifdef __cplusplus
}
#endif
#endif
