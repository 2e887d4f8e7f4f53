/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/model/status.h"

#include <string.h>

#include "gen/isa/codec.h"

#define PLACES(X)            \
    X(code, enum job_code)   \
    X(queue, enum job_queue) \
    X(row, unsigned)         \
    X(cluster, unsigned)     \
    X(pe, unsigned)          \
    X(offset, uint64_t)

#define X(name, type)                                            \
    static uint64_t get_##name(const struct job_result *r)       \
    {                                                            \
        return (uint64_t)r->name;                                \
    }                                                            \
    static void set_##name(struct job_result *r, uint64_t value) \
    {                                                            \
        r->name = (type)value;                                   \
    }
PLACES(X)
#undef X
#define X(name, timed)                                           \
    static uint64_t get_##name(const struct job_result *r)       \
    {                                                            \
        return r->name;                                          \
    }                                                            \
    static void set_##name(struct job_result *r, uint64_t value) \
    {                                                            \
        r->name = value;                                         \
    }
JOB_COUNTERS(X)
#undef X

const struct result_field job_result_fields[] = {
#define X(name, type) {#name, false, get_##name, set_##name},
    PLACES(X)
#undef X
#define X(name, timed) {#name, (timed), get_##name, set_##name},
        JOB_COUNTERS(X)
#undef X
            {.name = NULL}};

const char *job_code_name(enum job_code code)
{
    const struct isa_value *value = isa_find_value(isa_status_codes, code);
    return value ? value->name : "unknown";
}

static void put(uint8_t *record, const char *name, uint64_t value)
{
    const struct isa_field *f = isa_find_field(isa_status.formats, name);
    isa_put_bits(record, isa_field_lsb(&isa_status, isa_status.formats, f, isa_int8_widths),
                 (unsigned)f->bits, value);
}

static uint64_t get(const uint8_t *record, const char *name)
{
    const struct isa_field *f = isa_find_field(isa_status.formats, name);
    return isa_get_bits(record, isa_field_lsb(&isa_status, isa_status.formats, f, isa_int8_widths),
                        (unsigned)f->bits);
}

void job_write_status(const struct job_result *r, uint32_t number, uint8_t record[ISA_STATUS_BYTES])
{
    memset(record, 0, ISA_STATUS_BYTES);
    put(record, "magic", isa_find_field(isa_status.formats, "magic")->min);
    put(record, "major", ISA_MAJOR);
    put(record, "minor", ISA_MINOR);
    put(record, "job", number);
    for (const struct result_field *f = job_result_fields; f->name; f++)
        put(record, f->name, f->get(r));
    isa_seal(&isa_status, isa_status.formats, record, ISA_STATUS_BYTES, 0);
}

bool job_read_status(const uint8_t record[ISA_STATUS_BYTES], struct job_result *r, uint32_t *number,
                     struct strbuf *why)
{
    *r = (struct job_result){0};
    if (!isa_validate(&isa_status, record, isa_int8_widths, why))
        return false;
    if (isa_checksum(record, ISA_STATUS_BYTES) != isa_check_word(0)) {
        sb_add(why, "its check word is wrong");
        return false;
    }
    for (const struct result_field *f = job_result_fields; f->name; f++)
        f->set(r, get(record, f->name));
    *number = (uint32_t)get(record, "job");
    return true;
}
