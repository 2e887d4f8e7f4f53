/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/fields/case.h"

#include <string.h>

#include "gen/isa/codec.h"

#define OF_DEVICE "device:"

/* ---- names ----------------------------------------------------------------------------------- */

int code_named(const char *name)
{
    const struct isa_value *value = isa_find_value_named(isa_status_codes, name);
    return value ? (int)value->value : -1;
}

static const struct result_field *field_named(const char *name)
{
    const struct result_field *f = job_result_fields;
    while (f->name && strcmp(f->name, name) != 0)
        f++;
    return f->name ? f : NULL;
}

bool is_case(const struct evidence *row)
{
    return !strchr(row->program, '/');
}

static bool of_device(const struct evidence *row)
{
    return !strncmp(row->outcome, OF_DEVICE, strlen(OF_DEVICE));
}

static const char *outcome_of(const struct evidence *row)
{
    return row->outcome + (of_device(row) ? strlen(OF_DEVICE) : 0);
}

static bool is_timed(const struct evidence *row)
{
    const struct result_field *f = field_named(outcome_of(row));
    return f && f->timed;
}

/* ---- cases ----------------------------------------------------------------------------------- */

bool case_make(struct field_case *c, const struct evidence *row, const struct variant *v, struct strbuf *why)
{
    const char *both = strchr(row->change, ';');
    const char *change = both ? both + 1 : row->change;
    *c = (struct field_case){.row = row};
    if (!program_read(&c->before, row->program, v, why) ||
        (both && !program_change(&c->before, row->change, (size_t)(both - row->change), why)))
        return false;
    program_copy(&c->after, &c->before);
    return program_change(&c->after, change, strlen(change), why);
}

void case_free(struct field_case *c)
{
    program_forget(&c->before);
    program_forget(&c->after);
}

/* ---- what differs ---------------------------------------------------------------------------- */

static bool same_bytes(const struct strbuf *a, const struct strbuf *b)
{
    return a->len == b->len && !memcmp(sb_text(a), sb_text(b), a->len);
}

static bool said(struct strbuf *why, const char *what, const struct played *before,
                 const struct played *after)
{
    sb_addf(why, "%s: before %s at 0x%llx, after %s at 0x%llx (%u, %u, %u)", what,
            job_code_name(before->result.code), (unsigned long long)before->result.offset,
            job_code_name(after->result.code), (unsigned long long)after->result.offset, after->result.row,
            after->result.cluster, after->result.pe);
    return false;
}

static bool changes_nothing(const struct played *before, const struct played *after, struct strbuf *why)
{
    for (const struct result_field *f = job_result_fields; f->name; f++)
        if (!f->timed && f->get(&before->result) != f->get(&after->result))
            return said(why, "the change does something", before, after);
    for (unsigned s = 0; s < ISA_SLOTS; s++)
        if (s != SLOT_STATUS && s != SLOT_PROGRAM && s != SLOT_WEIGHTS &&
            !same_bytes(&before->slot[s], &after->slot[s]))
            return said(why, "the change changes memory", before, after);
    return true;
}

/* `registers`: the executor has some, so that they and the record must both show it. */
static bool changes_field(const struct result_field *f, const struct played *before,
                          const struct played *after, bool registers, struct strbuf *why)
{
    if (f->get(&before->result) == f->get(&after->result))
        return said(why, "the field is the same", before, after);
    if (registers && f->get(&before->record) == f->get(&after->record))
        return said(why, "the field of the record is the same", before, after);
    return true;
}

static bool changes_slot(unsigned slot, const struct played *before, const struct played *after,
                         struct strbuf *why)
{
    if (before->result.code || after->result.code)
        return said(why, "both should end well", before, after);
    return !same_bytes(&before->slot[slot], &after->slot[slot]) ||
           said(why, "the bytes are the same", before, after);
}

static bool differs(const char *outcome, const struct played *before, const struct played *after,
                    bool registers, struct strbuf *why)
{
    const struct isa_value *slot = isa_find_value_named(isa_slot_values, outcome);
    const struct result_field *field = field_named(outcome);
    const int code = code_named(outcome);
    if (!strcmp(outcome, "nothing"))
        return changes_nothing(before, after, why);
    if (!strcmp(outcome, "no_record"))
        return (before->recorded && !after->recorded) || said(why, "there is a record", before, after);
    if (!strcmp(outcome, "job"))
        return (before->recorded && after->recorded && before->number != after->number) ||
               said(why, "the number is the same", before, after);
    if (slot)
        return changes_slot((unsigned)slot->value, before, after, why);
    if (code >= 0)
        return ((int)before->result.code != code && (int)after->result.code == code) ||
               said(why, outcome, before, after);
    if (field)
        return changes_field(field, before, after, registers, why);
    sb_addf(why, "there is no outcome \"%s\"", outcome);
    return false;
}

/* ---- executors ------------------------------------------------------------------------------- */

static bool play_both(const struct field_case *c, const struct variant *v, struct board *model, bool timed,
                      struct played *before, struct played *after, struct strbuf *why)
{
    if (timed)
        return play_cycles(v, &c->before, before, why) && play_cycles(v, &c->after, after, why);
    return play(&board_model, model, &c->before, before, why) &&
           play(&board_model, model, &c->after, after, why);
}

/* A field that only a device has is always the same in the models. */
static bool lacks(const struct evidence *row, const struct played *before, const struct played *after,
                  struct strbuf *why)
{
    const struct result_field *f = field_named(outcome_of(row));
    if (!f)
        return changes_nothing(before, after, why);
    return f->get(&before->result) == f->get(&after->result) ||
           said(why, "the models have it, too", before, after);
}

bool case_models(const struct field_case *c, const struct variant *v, struct board *model, struct strbuf *why)
{
    struct played before = {0}, after = {0};
    const bool timed = is_timed(c->row);
    bool ok = play_both(c, v, model, timed, &before, &after, why);
    if (ok && of_device(c->row))
        ok = lacks(c->row, &before, &after, why);
    else if (ok)
        ok = differs(c->row->outcome, &before, &after, !timed && before.recorded && after.recorded, why);
    played_forget(&before);
    played_forget(&after);
    return ok;
}

/* What a job that failed has written before is a matter of time. */
static bool same_memory(const struct program_text *p, const struct played *device, const struct played *model,
                        struct strbuf *why)
{
    for (unsigned s = 0; !device->result.code && s < ISA_SLOTS; s++)
        if (s != SLOT_STATUS && memcmp(device->slot[s].text, model->slot[s].text, p->slot[s].len) != 0) {
            sb_addf(why, "slot %u differs from the model's", s);
            return false;
        }
    return true;
}

static bool is_place(const char *name)
{
    return !strcmp(name, "row") || !strcmp(name, "cluster") || !strcmp(name, "pe");
}

static bool is_end(const char *name)
{
    return is_place(name) || !strcmp(name, "code") || !strcmp(name, "queue") || !strcmp(name, "offset");
}

bool same_run(const struct program_text *p, const struct played *device, const struct played *model,
              bool same_place, struct strbuf *why)
{
    for (const struct result_field *f = job_result_fields; f->name; f++) {
        const bool counts =
            is_end(f->name) ? same_place || !is_place(f->name) : !f->timed && !model->result.code;
        if (counts && f->get(&device->result) != f->get(&model->result)) {
            sb_addf(why, "%s is %llu, the model's %llu; ", f->name,
                    (unsigned long long)f->get(&device->result), (unsigned long long)f->get(&model->result));
            return said(why, "the model and the device", model, device);
        }
        if (device->recorded && !f->timed && f->get(&device->result) != f->get(&device->record)) {
            sb_addf(why, "%s: the record says something else than the registers", f->name);
            return false;
        }
    }
    if (device->recorded != model->recorded || device->number != model->number) {
        sb_add(why, "only one of device and model left a record, or another number in it");
        return false;
    }
    return same_memory(p, device, model, why);
}

bool case_device(const struct field_case *c, const struct board_api *api, struct board *device,
                 struct board *model, struct strbuf *why)
{
    struct played before = {0}, after = {0}, modelled[2] = {{.number = 0}, {.number = 0}};
    const bool place = is_place(outcome_of(c->row));
    bool ok = play(api, device, &c->before, &before, why) && play(api, device, &c->after, &after, why) &&
              play(&board_model, model, &c->before, &modelled[0], why) &&
              play(&board_model, model, &c->after, &modelled[1], why) &&
              same_run(&c->before, &before, &modelled[0], place, why) &&
              (of_device(c->row) || same_run(&c->after, &after, &modelled[1], place, why)) &&
              differs(outcome_of(c->row), &before, &after, before.recorded && after.recorded, why);
    played_forget(&before);
    played_forget(&after);
    played_forget(&modelled[0]);
    played_forget(&modelled[1]);
    return ok;
}
