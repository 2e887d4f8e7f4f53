/* SPDX-License-Identifier: Apache-2.0
 *
 * The control registers, on s_axi_control. 0x00 to 0x0C and the spacing of
 * the arguments are what the Vitis flow expects of an RTL kernel with
 * ap_ctrl_chain; a plain host sees an ordinary register block.
 */
#include "gen/isa/table.h"

#define UINT(n, b, d)                                          \
    {                                                          \
        .name = (n), .kind = ISA_UINT, .bits = (b), .doc = (d) \
    }
#define FLAG(n, d)                                           \
    {                                                        \
        .name = (n), .kind = ISA_FLAG, .bits = 1, .doc = (d) \
    }
#define RESERVED(b)                       \
    {                                     \
        .kind = ISA_RESERVED, .bits = (b) \
    }
#define FIELDS (const struct isa_field[])
#define END_OF_FIELDS \
    {                 \
        .bits = 0     \
    }
#define WORD(d)                             \
    FIELDS                                  \
    {                                       \
        UINT("value", 32, d), END_OF_FIELDS \
    }

#define RO ISA_READ_ONLY
#define RW ISA_READ_WRITE

/* A 64-bit argument takes 12 bytes: two words and one that is left free. */
#define ARGUMENT(at, n, d)                                   \
    {(at), n "_low", RW, WORD(d ", bits 31..0"), ""},        \
    {                                                        \
        (at) + 4, n "_high", RW, WORD(d ", bits 63..32"), "" \
    }
#define COUNTER(at, n, d)                                    \
    {(at), n "_low", RO, WORD(d ", bits 31..0"), ""},        \
    {                                                        \
        (at) + 4, n "_high", RO, WORD(d ", bits 63..32"), "" \
    }
#define SLOT(i, n) ARGUMENT(0x10 + 12 * (i), "address_" n, "address of the " n " buffer")
#define SIZE(i, n) ARGUMENT(0x70 + 12 * (i), "size_" n, "bytes in the " n " buffer")

const struct isa_register isa_registers[] = {
    {0x000, "control", RW,
     FIELDS{FLAG("ap_start", "write 1 to start a job; reads 1 until the job is taken"),
            FLAG("ap_done", "the job is done; cleared by reading this register, or by ap_continue"),
            FLAG("ap_idle", "no job is running"),
            FLAG("ap_ready", "the next job may be started; cleared by reading"),
            FLAG("ap_continue", "write 1 to acknowledge ap_done; clears itself"), RESERVED(2),
            FLAG("auto_restart", "always 0; Vitis has a bit here"), RESERVED(24), END_OF_FIELDS},
     "Start and end of a job."},
    {0x004, "interrupt_enable", RW,
     FIELDS{FLAG("enable", "drive the interrupt line"), RESERVED(31), END_OF_FIELDS},
     "Global interrupt enable."},
    {0x008, "interrupt_mask", RW,
     FIELDS{FLAG("done", "interrupt when a job is done"),
            FLAG("ready", "interrupt when the next job may be started"), RESERVED(30), END_OF_FIELDS},
     "Which events raise the interrupt."},
    {0x00C, "interrupt_status", ISA_WRITE_ONE_CLEARS,
     FIELDS{FLAG("done", "a job is done"), FLAG("ready", "the next job may be started"), RESERVED(30),
            END_OF_FIELDS},
     "Pending events."},
    SLOT(0, "program"),
    SLOT(1, "status"),
    SLOT(2, "weights"),
    SLOT(3, "input"),
    SLOT(4, "output"),
    SLOT(5, "partial"),
    SLOT(6, "scratch"),
    SLOT(7, "extra"),
    SIZE(0, "program"),
    SIZE(1, "status"),
    SIZE(2, "weights"),
    SIZE(3, "input"),
    SIZE(4, "output"),
    SIZE(5, "partial"),
    SIZE(6, "scratch"),
    SIZE(7, "extra"),
    {0x0D0, "job", RW, WORD("copied into the status record, so that a host recognises a stale record"),
     "Job number."},
    {0x100, "magic", RO, WORD("0x4C4C5554, the characters TULL"), "Identifies a Tulle device."},
    {0x104, "isa_version", RO,
     FIELDS{UINT("minor", 8, "minor ISA version"), UINT("major", 8, "major ISA version"), RESERVED(16),
            END_OF_FIELDS},
     "Version of the instruction set."},
    {0x108, "variant_low", RO, WORD("bits 31..0"), "Hash of the variant."},
    {0x10C, "variant_high", RO, WORD("bits 63..32 of the variant's hash"), ""},
    {0x110, "shape", RO,
     FIELDS{UINT("n", 8, "rows"), UINT("m", 8, "clusters in a row"), UINT("k", 8, "PEs in a cluster"),
            UINT("scan", 8, "weights scanned in a cycle"), END_OF_FIELDS},
     "Shape of the array."},
    {0x114, "widths", RO,
     FIELDS{UINT("data", 8, "bits of a value"), UINT("accumulator", 8, "bits of an accumulator"),
            UINT("index", 8, "bits of the index part of a weight entry"), RESERVED(8), END_OF_FIELDS},
     "Widths of numbers."},
    {0x118, "buses", RO,
     FIELDS{UINT("memory", 16, "bits of a memory port"), UINT("row_bus", 16, "bits of a row bus"),
            END_OF_FIELDS},
     "Widths of buses."},
    {0x11C, "features", RO,
     FIELDS{UINT("functions", 16, "bit f: the function with that number is there"),
            UINT("balance", 2, "0 none, 1 neighbour, 2 dispatch"),
            FLAG("counters", "performance counters are there"), UINT("memory_ports", 3, "memory ports"),
            FLAG("job_queue", "a job may be written while another one runs"), RESERVED(9), END_OF_FIELDS},
     "Functions, balancing, counters and ports of the variant."},
    {0x140, "status", RO,
     FIELDS{UINT("code", 16, "how the last job ended; see the status codes"),
            UINT("queue", 8, "where the error was found"), RESERVED(8), END_OF_FIELDS},
     "Result of the last job."},
    {0x144, "error_place", RO,
     FIELDS{UINT("row", 8, "row of the error"), UINT("cluster", 8, "cluster of the error"),
            UINT("pe", 8, "PE of the error"), RESERVED(8), END_OF_FIELDS},
     "Place of the error in the array."},
    {0x148, "error_offset", RO, WORD("byte offset in the program of the operation that failed"),
     "Place of the error in the program."},
    {0x14C, "reset", ISA_WRITE_ONLY, WORD("write 0x52455354 to reset everything but this block's arguments"),
     "Soft reset."},
    {0x150, "watchdog", RW, WORD("cycles without progress before a job is ended; 0 never"),
     "Default of the watchdog."},
    COUNTER(0x200, "cycles", "clock cycles of the last job, to its interrupt"),
    COUNTER(0x208, "effective_macs", "multiplications of two non-zeros"),
    COUNTER(0x210, "scanned", "weights scanned"),
    COUNTER(0x218, "pe_busy", "cycles with a multiplication, summed over PEs"),
    COUNTER(0x220, "bytes_read", "bytes read from memory"),
    COUNTER(0x228, "bytes_written", "bytes written to memory"),
    COUNTER(0x230, "bus_beats", "beats on the row buses"),
    COUNTER(0x238, "stall_load", "cycles in which a distribution unit waits for memory"),
    COUNTER(0x240, "stall_weights", "PE cycles waiting for weights"),
    COUNTER(0x248, "stall_output", "PE cycles waiting for the output queue"),
    COUNTER(0x250, "stall_store", "cycles in which a collector waits for memory"),
    COUNTER(0x258, "moved", "multiplications done by a neighbour"),
    {0, NULL, RO, NULL, NULL},
};
