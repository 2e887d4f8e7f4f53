/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/board/job.h"

#include "gen/isa/codec.h"
#include "sim/board/registers.h"

#define TRY(call)                           \
    do {                                    \
        enum board_status status_ = (call); \
        if (status_ != BOARD_OK)            \
            return status_;                 \
    } while (0)

/* Every number of a result: X(name, member, register, timed). */
#define NUMBERS(X)                                 \
    X(offset, NULL, false)                         \
    X(cycles, "cycles_low", true)                  \
    X(effective_macs, "effective_macs_low", false) \
    X(scanned, "scanned_low", false)               \
    X(pe_busy, "pe_busy_low", false)               \
    X(bytes_read, "bytes_read_low", false)         \
    X(bytes_written, "bytes_written_low", false)   \
    X(bus_beats, "bus_beats_low", false)           \
    X(stall_load, "stall_load_low", true)          \
    X(stall_weights, "stall_weights_low", true)    \
    X(stall_output, "stall_output_low", true)      \
    X(stall_store, "stall_store_low", true)        \
    X(moved, "moved_low", true)
#define PLACES(X) X(code) X(queue) X(row) X(cluster) X(pe)

#define X(name)                                            \
    static uint64_t get_##name(const struct job_result *r) \
    {                                                      \
        return (uint64_t)r->name;                          \
    }
PLACES(X)
#undef X
#define X(name, at, timed)                                 \
    static uint64_t get_##name(const struct job_result *r) \
    {                                                      \
        return r->name;                                    \
    }
NUMBERS(X)
#undef X

const struct result_field result_fields[] = {
#define X(name) {#name, false, get_##name},
    PLACES(X)
#undef X
#define X(name, at, timed) {#name, (timed), get_##name},
        NUMBERS(X)
#undef X
            {NULL, false, NULL}};

/* ---- registers ------------------------------------------------------------------------------- */

static enum board_status write64(const struct board_api *api, struct board *b, uint32_t at, uint64_t value)
{
    TRY(api->write_register(b, at, (uint32_t)value));
    return api->write_register(b, at + 4, (uint32_t)(value >> 32));
}

static enum board_status read64(const struct board_api *api, struct board *b, const char *name,
                                uint64_t *value)
{
    uint32_t low, high, at = register_offset(name);
    TRY(api->read_register(b, at, &low));
    TRY(api->read_register(b, at + 4, &high));
    *value = (uint64_t)high << 32 | low;
    return BOARD_OK;
}

enum board_status board_job_result(const struct board_api *api, struct board *b, struct job_result *r)
{
    uint32_t status, place, offset;
    *r = (struct job_result){0};
    TRY(api->read_register(b, register_offset("status"), &status));
    TRY(api->read_register(b, register_offset("error_place"), &place));
    TRY(api->read_register(b, register_offset("error_offset"), &offset));
    r->code = (enum job_code)(status & 0xFFFF);
    r->queue = (enum job_queue)(status >> 16 & 0xFF);
    r->row = place & 0xFF;
    r->cluster = place >> 8 & 0xFF;
    r->pe = place >> 16 & 0xFF;
    r->offset = offset;
#define X(name, at, timed) \
    if (at)                \
        TRY(read64(api, b, (at), &r->name));
    NUMBERS(X)
#undef X
    return BOARD_OK;
}

static enum board_status write_arguments(const struct board_api *api, struct board *b,
                                         const struct board_job *job)
{
    for (unsigned s = 0; s < ISA_SLOTS; s++) {
        TRY(write64(api, b, register_slot_address(s), job->slot[s].address));
        TRY(write64(api, b, register_slot_size(s), job->slot[s].size));
    }
    return api->write_register(b, register_offset("job"), job->number);
}

enum board_status board_job_start(const struct board_api *api, struct board *b, const struct board_job *job)
{
    TRY(write_arguments(api, b, job));
    TRY(api->write_register(b, register_offset("interrupt_mask"), INTERRUPT_DONE));
    TRY(api->write_register(b, register_offset("interrupt_enable"), 1));
    return api->write_register(b, register_offset("control"), CONTROL_START);
}

enum board_status board_job_end(const struct board_api *api, struct board *b, struct job_result *result)
{
    TRY(board_job_result(api, b, result));
    TRY(api->write_register(b, register_offset("interrupt_status"), INTERRUPT_DONE));
    return api->write_register(b, register_offset("control"), CONTROL_CONTINUE);
}

enum board_status board_job_run(const struct board_api *api, struct board *b, const struct board_job *job,
                                struct job_result *result)
{
    TRY(board_job_start(api, b, job));
    TRY(api->wait(b, job->cycles, job->nanoseconds));
    return board_job_end(api, b, result);
}

/* ---- the record ------------------------------------------------------------------------------ */

static uint64_t field(const uint8_t *record, const char *name)
{
    const struct isa_field *f = isa_find_field(isa_status.formats, name);
    return isa_get_bits(record, isa_field_lsb(&isa_status, isa_status.formats, f, isa_int8_widths),
                        (unsigned)f->bits);
}

bool board_record_read(const uint8_t record[ISA_STATUS_BYTES], struct job_result *r, uint32_t *number,
                       struct strbuf *why)
{
    *r = (struct job_result){0};
    if (!isa_validate(&isa_status, record, isa_int8_widths, why))
        return false;
    if (isa_checksum(record, ISA_STATUS_BYTES) != isa_check_word(0)) {
        sb_add(why, "its check word is wrong");
        return false;
    }
    r->code = (enum job_code)field(record, "code");
    r->queue = (enum job_queue)field(record, "queue");
    r->row = (unsigned)field(record, "row");
    r->cluster = (unsigned)field(record, "cluster");
    r->pe = (unsigned)field(record, "pe");
#define X(name, at, timed) r->name = field(record, #name);
    NUMBERS(X)
#undef X
    *number = (uint32_t)field(record, "job");
    return true;
}
