/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/fields/reserved.h"

#include <stdio.h>
#include <string.h>

#include "gen/isa/codec.h"
#include "tests/fields/case.h"

/* Programs that have a record of every format that devices read, between them; `idle` writes nothing. */
static const char *const programs[] = {"idle", "product", "sequences", "features", "jumps"};
#define PROGRAMS (sizeof programs / sizeof *programs)

struct bench {
    const struct board_api *api;
    struct board *device, *model;
    struct program_text program[PROGRAMS];
    unsigned bits;
    bool ok;
};

/* A command is refused as a whole, and so are an instruction and an entry of the weight stream. */
static enum job_code refusal(const struct isa_family *family)
{
    return family == &isa_command       ? JOB_BAD_COMMAND
           : family == &isa_instruction ? JOB_BAD_INSTRUCTION
           : family == &isa_weight      ? JOB_BAD_ESCAPE
                                        : JOB_BAD_RESERVED;
}

/* What a device reads from memory. */
static bool is_read(const struct isa_family *family)
{
    return family != &isa_packet && family != &isa_status;
}

/* ---- one bit --------------------------------------------------------------------------------- */

static bool is_kept(const struct program_text *p, const struct played *run, unsigned slot)
{
    return !memcmp(run->slot[slot].text, p->slot[slot].text, p->slot[slot].len);
}

static bool is_refused(const struct program_text *p, const struct played *run, enum job_code code,
                       struct strbuf *why)
{
    if (run->result.code == code && is_kept(p, run, SLOT_OUTPUT) && is_kept(p, run, SLOT_SCRATCH))
        return true;
    sb_addf(why, "%s, or memory was written", job_code_name(run->result.code));
    return false;
}

static void play_bit(struct bench *b, const struct program_text *whole, const struct record_place *place,
                     unsigned bit)
{
    struct program_text p;
    struct played model = {0}, device = {0};
    struct strbuf why = {0};
    const enum job_code code = refusal(place->family);
    program_copy(&p, whole);
    program_put(&p, place, bit, 1, 1);
    bool ok = play(&board_model, b->model, &p, &model, &why);
    ok = ok && is_refused(&p, &model, code, &why);
    if (ok && b->device)
        ok = play(b->api, b->device, &p, &device, &why) && same_run(&p, &device, &model, false, &why) &&
             is_refused(&p, &device, code, &why);
    if (!ok)
        printf("%s, bit %u: wanted %s; %s\n", place->format->name, bit, job_code_name(code), sb_text(&why));
    b->ok = b->ok && ok;
    b->bits++;
    sb_free(&why);
    played_forget(&model);
    played_forget(&device);
    program_forget(&p);
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* Whether it is reserved in this record: by the table, or because its condition does not hold. */
static bool is_reserved(const struct program_text *p, const struct record_place *place,
                        const struct isa_field *field)
{
    uint8_t record[ISA_OPERATION_BYTES] = {0};
    const unsigned bits = place->family->bits ? (unsigned)place->family->bits : 0;
    for (unsigned at = 0; at < bits; at += 8) {
        const unsigned part = bits - at < 8 ? bits - at : 8;
        isa_put_bits(record, at, part, program_get(p, place, at, part));
    }
    return field->kind == ISA_RESERVED ||
           !isa_field_present(place->family, place->format, field, record, isa_int8_widths);
}

static const struct record_place *first_record(const struct bench *b, const char *format,
                                               const struct program_text **program)
{
    for (size_t i = 0; i < PROGRAMS; i++) {
        const struct record_place *place = program_record(&b->program[i], format, 1);
        *program = &b->program[i];
        if (place)
            return place;
    }
    return NULL;
}

static void play_format(struct bench *b, const struct isa_family *family, const struct isa_format *format)
{
    const struct program_text *p;
    const struct record_place *place = first_record(b, format->name, &p);
    if (!place) {
        printf("no program has a %s\n", format->name);
        b->ok = false;
        return;
    }
    for (const struct isa_field *f = format->fields; f->bits || f->width; f++) {
        const unsigned lsb = isa_field_lsb(family, format, f, isa_int8_widths);
        if (is_reserved(p, place, f))
            for (unsigned i = 0; i < isa_field_bits(f, isa_int8_widths); i++)
                play_bit(b, p, place, lsb + i);
    }
}

bool reserved_play(const struct variant *variant, const struct board_api *api, struct board *device,
                   struct board *model, unsigned *bits)
{
    struct bench b = {.api = api, .device = device, .model = model, .ok = true};
    struct strbuf why = {0};
    for (size_t i = 0; i < PROGRAMS; i++)
        b.ok = program_read(&b.program[i], programs[i], variant, &why) && b.ok;
    printf("%s", sb_text(&why));
    const bool readable = b.ok;
    for (size_t i = 0; readable && isa_families[i]; i++)
        for (const struct isa_format *f = isa_families[i]->formats; is_read(isa_families[i]) && f->name; f++)
            play_format(&b, isa_families[i], f);
    for (size_t i = 0; i < PROGRAMS; i++)
        program_forget(&b.program[i]);
    sb_free(&why);
    *bits = b.bits;
    return b.ok && b.bits;
}
