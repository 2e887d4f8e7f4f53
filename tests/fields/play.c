/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/fields/play.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/input.h"
#include "sim/board/registers.h"
#include "sim/board/settings.h"
#include "sim/cycle/cycle.h"

#define NUMBER 77
#define WATCHDOG 20000 /* cycles without progress */
#define PATIENCE 1000000
#define APART (1 << 16) /* bytes from slot to slot */
#define GUARD 256
#define GUARD_BYTE 0xC3

/* ---- one job --------------------------------------------------------------------------------- */

static uint64_t address_of(unsigned slot)
{
    return (uint64_t)APART * (slot + 1);
}

static bool done(const struct board_api *api, struct board *board, enum board_status status,
                 struct strbuf *why)
{
    if (status == BOARD_OK)
        return true;
    sb_addf(why, "the board: %s", api->error(board));
    return false;
}

/* A slot between guard bytes. */
static void with_guards(const struct strbuf *slot, struct strbuf *to)
{
    for (unsigned i = 0; i < GUARD; i++)
        sb_addn(to, &(char){(char)GUARD_BYTE}, 1);
    sb_addn(to, sb_text(slot), slot->len);
    for (unsigned i = 0; i < GUARD; i++)
        sb_addn(to, &(char){(char)GUARD_BYTE}, 1);
}

static bool put_slots(const struct board_api *api, struct board *board, const struct program_text *p,
                      struct strbuf *why)
{
    bool ok = true;
    for (unsigned s = 0; ok && s < ISA_SLOTS; s++) {
        struct strbuf bytes = {0};
        with_guards(&p->slot[s], &bytes);
        ok = done(api, board, api->write_memory(board, address_of(s) - GUARD, bytes.text, bytes.len), why);
        sb_free(&bytes);
    }
    return ok;
}

/* A job whose slot is moved by a changed register may write there: then the guards are not looked at. */
static bool get_slots(const struct board_api *api, struct board *board, const struct program_text *p,
                      struct played *to, struct strbuf *why)
{
    bool ok = true;
    for (unsigned s = 0; ok && s < ISA_SLOTS; s++) {
        struct strbuf before = {0}, after = {0};
        with_guards(&p->slot[s], &before);
        sb_addn(&after, before.text, before.len);
        ok = done(api, board, api->read_memory(board, address_of(s) - GUARD, after.text, after.len), why);
        const bool written = s == SLOT_STATUS || s == SLOT_OUTPUT || s == SLOT_SCRATCH || p->overrides;
        const size_t end = GUARD + p->slot[s].len;
        if (ok && !written && memcmp(before.text, after.text, after.len) != 0) {
            sb_addf(why, "slot %u was written", s);
            ok = false;
        }
        if (ok && !p->overrides &&
            (memcmp(before.text, after.text, GUARD) != 0 ||
             memcmp(before.text + end, after.text + end, GUARD) != 0)) {
            sb_addf(why, "bytes beside slot %u were written", s);
            ok = false;
        }
        sb_addn(&to->slot[s], after.text + GUARD, p->slot[s].len);
        sb_free(&before);
        sb_free(&after);
    }
    return ok;
}

static void read_record(struct played *to)
{
    struct strbuf why = {0};
    to->recorded =
        job_read_status((const uint8_t *)to->slot[SLOT_STATUS].text, &to->record, &to->number, &why);
    sb_free(&why);
}

/* The registers of the job, but for those that the program overrides. */
static bool set_registers(const struct board_api *api, struct board *board, const struct program_text *p,
                          struct board_job *job, struct strbuf *why)
{
    uint32_t word[ISA_REGISTER_SPACE / 4] = {0};
    for (unsigned s = 0; s < ISA_SLOTS; s++) {
        word[register_slot_address(s) / 4] = (uint32_t)address_of(s);
        word[register_slot_size(s) / 4] = (uint32_t)p->slot[s].len;
    }
    word[register_offset("job") / 4] = NUMBER;
    word[register_offset("watchdog") / 4] = WATCHDOG;
    for (unsigned i = 0; i < p->overrides; i++)
        word[p->override[i].offset / 4] = p->override[i].value;
    *job = (struct board_job){.number = word[register_offset("job") / 4], .cycles = PATIENCE};
    for (unsigned s = 0; s < ISA_SLOTS; s++) {
        const uint32_t address = register_slot_address(s) / 4, size = register_slot_size(s) / 4;
        job->slot[s].address = (uint64_t)word[address + 1] << 32 | word[address];
        job->slot[s].size = (uint64_t)word[size + 1] << 32 | word[size];
    }
    const uint32_t watchdog = register_offset("watchdog");
    return done(api, board, api->write_register(board, watchdog, word[watchdog / 4]), why);
}

bool play(const struct board_api *api, struct board *board, const struct program_text *p, struct played *to,
          struct strbuf *why)
{
    struct board_job job;
    *to = (struct played){.number = 0};
    if (!put_slots(api, board, p, why) || !set_registers(api, board, p, &job, why) ||
        !done(api, board, board_job_run(api, board, &job, &to->result), why) ||
        !get_slots(api, board, p, to, why))
        return false;
    read_record(to);
    return true;
}

bool play_cycles(const struct variant *v, const struct program_text *p, struct played *to, struct strbuf *why)
{
    struct cycle_options options = cycle_defaults(v);
    struct cycle_report report;
    struct job job = {.number = NUMBER};
    *to = (struct played){.number = 0};
    options.limit = PATIENCE;
    for (unsigned s = 0; s < ISA_SLOTS; s++) {
        sb_addn(&to->slot[s], sb_text(&p->slot[s]), p->slot[s].len);
        job.slots[s].bytes = (uint8_t *)to->slot[s].text;
        job.slots[s].size = to->slot[s].len;
    }
    if (!cycle_run(v, &options, &job, &report)) {
        sb_add(why, "the cycle model: out of memory");
        return false;
    }
    to->result = report.result;
    cycle_report_free(&report);
    read_record(to);
    return true;
}

void played_forget(struct played *p)
{
    for (unsigned s = 0; s < ISA_SLOTS; s++)
        sb_free(&p->slot[s]);
}

/* ---- the model ------------------------------------------------------------------------------- */

struct board *model_of_fields(void)
{
    struct setting_list settings = {.count = 0};
    struct strbuf text = {0};
    struct diag diag = {0};
    char why[256] = "";
    if (input_read(FIELDS_FOLDER "variant", APART, &text, &diag))
        for (char *line = strtok(text.text, "\n"); line; line = strtok(NULL, "\n"))
            settings_add(&settings, "set", line);
    struct board *board = board_model.open("tiny", settings.list, why, sizeof why);
    settings_free(&settings);
    sb_free(&text);
    if (diag_report(&diag, stderr) || !board) {
        fprintf(stderr, "%s\n", why);
        abort();
    }
    return board;
}
