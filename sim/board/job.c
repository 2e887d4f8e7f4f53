/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/board/job.h"

#include "sim/board/registers.h"

#define SLICE_NANOSECONDS 50000000 /* between two looks at a job */

/* ---- registers ------------------------------------------------------------------------------- */

static enum board_status read64(const struct board_api *api, struct board *b, const char *name,
                                uint64_t *value)
{
    uint32_t low, high, at = register_offset(name);
    BOARD_TRY(api->read_register(b, at, &low));
    BOARD_TRY(api->read_register(b, at + 4, &high));
    *value = (uint64_t)high << 32 | low;
    return BOARD_OK;
}

enum board_status board_job_result(const struct board_api *api, struct board *b, struct job_result *r)
{
    uint32_t status, place, offset;
    *r = (struct job_result){0};
    BOARD_TRY(api->read_register(b, register_offset("status"), &status));
    BOARD_TRY(api->read_register(b, register_offset("error_place"), &place));
    BOARD_TRY(api->read_register(b, register_offset("error_offset"), &offset));
    r->code = (enum job_code)(status & 0xFFFF);
    r->queue = (enum job_queue)(status >> 16 & 0xFF);
    r->row = place & 0xFF;
    r->cluster = place >> 8 & 0xFF;
    r->pe = place >> 16 & 0xFF;
    r->offset = offset;
#define X(name, timed) BOARD_TRY(read64(api, b, #name "_low", &r->name));
    JOB_COUNTERS(X)
#undef X
    return BOARD_OK;
}

/* Only words that differ from those that are there, unless these are not known. */
static enum board_status write_words(const struct board_api *api, struct board *b, uint32_t at,
                                     uint64_t value, const uint64_t *there)
{
    if (!there || (uint32_t)*there != (uint32_t)value)
        BOARD_TRY(api->write_register(b, at, (uint32_t)value));
    return there && *there >> 32 == value >> 32 ? BOARD_OK
                                                : api->write_register(b, at + 4, (uint32_t)(value >> 32));
}

enum board_status board_job_write(const struct board_api *api, struct board *b, const struct board_job *job,
                                  const struct board_job *before)
{
    for (unsigned s = 0; s < ISA_SLOTS; s++) {
        BOARD_TRY(write_words(api, b, register_slot_address(s), job->slot[s].address,
                              before ? &before->slot[s].address : NULL));
        BOARD_TRY(write_words(api, b, register_slot_size(s), job->slot[s].size,
                              before ? &before->slot[s].size : NULL));
    }
    return api->write_register(b, register_offset("job"), job->number);
}

bool board_job_has_record(const struct board_job *job)
{
    return job->slot[SLOT_STATUS].size >= ISA_STATUS_BYTES && job->slot[SLOT_STATUS].address % 64 == 0;
}

enum board_status board_job_start(const struct board_api *api, struct board *b, const struct board_job *job)
{
    BOARD_TRY(board_job_write(api, b, job, NULL));
    BOARD_TRY(api->write_register(b, register_offset("interrupt_mask"), INTERRUPT_DONE));
    BOARD_TRY(api->write_register(b, register_offset("interrupt_enable"), 1));
    return api->write_register(b, register_offset("control"), CONTROL_START);
}

enum board_status board_job_end(const struct board_api *api, struct board *b, struct job_result *result)
{
    BOARD_TRY(board_job_result(api, b, result));
    BOARD_TRY(api->write_register(b, register_offset("interrupt_status"), INTERRUPT_DONE));
    return api->write_register(b, register_offset("control"), CONTROL_CONTINUE);
}

/* In slices, with a look after each. */
static enum board_status wait_and_look(const struct board_api *api, struct board *b,
                                       const struct board_job *job)
{
    const uint64_t begun = api->cycles(b);
    enum board_status status = BOARD_TIMEOUT;
    for (uint64_t left = job->nanoseconds; left && status == BOARD_TIMEOUT;) {
        const uint64_t slice = left < SLICE_NANOSECONDS ? left : SLICE_NANOSECONDS;
        status = api->wait(b, job->cycles, slice);
        job->look(job->context, api->cycles(b) - begun);
        left -= slice;
    }
    return status;
}

enum board_status board_job_run(const struct board_api *api, struct board *b, const struct board_job *job,
                                struct job_result *result)
{
    BOARD_TRY(board_job_start(api, b, job));
    if (job->look && job->nanoseconds)
        BOARD_TRY(wait_and_look(api, b, job));
    else
        BOARD_TRY(api->wait(b, job->cycles, job->nanoseconds));
    return board_job_end(api, b, result);
}
