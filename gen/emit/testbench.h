/* SPDX-License-Identifier: Apache-2.0
 *
 * The configuration payloads of the test bench gen/templates/tulle_tb.v. They are constants, which the
 * generator makes with the table of encodings.
 */
#ifndef TULLE_GEN_EMIT_TESTBENCH_H
#define TULLE_GEN_EMIT_TESTBENCH_H

#include <stdint.h>

#include "gen/emit/template.h"
#include "gen/isa/table.h"
#include "gen/variant/variant.h"

/* The header, and an instruction record for each of up to 32 instructions, a function record, and two more.
 */
#define TESTBENCH_RECORDS_MAX 36
#define TESTBENCH_PAYLOADS_MAX 48

struct testbench_payload {
    const char *name, *doc;
    unsigned first, records; /* the first record, counted over all payloads, and the number of records */
    uint8_t bytes[TESTBENCH_RECORDS_MAX * ISA_CONFIG_RECORD_BYTES];
};

struct testbench_payloads {
    struct testbench_payload items[TESTBENCH_PAYLOADS_MAX];
    unsigned count, records; /* payloads, records of all payloads */
};

/* The values of tulle_tb.v; their data is a struct testbench_payloads. */
extern const struct template_value testbench_values[];

/* The buffer that tests use beside buffer 0: the last one, or 0 when the register file has no room for two
 * sequences of three instructions. */
unsigned testbench_other_buffer(const struct variant *variant);

void testbench_payloads_make(struct testbench_payloads *list, const struct variant *variant);

#endif
