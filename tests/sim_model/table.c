/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/sim_model/table.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/math.h"
#include "tests/sim_numerics/reference.h"

/* ---- runs and planes ------------------------------------------------------------------------- */

static uint32_t random_divisor(struct random *dice, uint32_t number, uint32_t largest)
{
    uint32_t divisor;
    do {
        divisor = random_range(dice, 1, number < largest ? number : largest);
    } while (number % divisor);
    return divisor;
}

void spread_choose(struct random *dice, struct spread *s, uint32_t elements, unsigned element_bytes,
                   bool planes)
{
    uint32_t per_run = random_divisor(dice, elements, elements), runs = elements / per_run;
    uint32_t gap = element_bytes * (uint32_t)random_below(dice, 3),
             slack = element_bytes * (uint32_t)random_below(dice, 4);
    s->length = per_run * element_bytes;
    s->planes = planes ? random_divisor(dice, runs, 65535) : 1;
    s->runs = runs / s->planes;
    s->run_pitch = (int32_t)(s->length + gap);
    s->plane_pitch = (int32_t)((s->length + gap) * s->runs + gap);
    uint64_t reach = (uint64_t)(s->planes - 1) * (uint32_t)s->plane_pitch +
                     (uint64_t)(s->runs - 1) * (uint32_t)s->run_pitch;
    s->offset = slack;
    s->slot_bytes = slack + reach + s->length + element_bytes * random_below(dice, 3);
    if (random_chance(dice, 30)) {
        s->offset += (uint64_t)(s->runs - 1) * (uint32_t)s->run_pitch;
        s->run_pitch = -s->run_pitch;
    }
    if (random_chance(dice, 30)) {
        s->offset += (uint64_t)(s->planes - 1) * (uint32_t)s->plane_pitch;
        s->plane_pitch = -s->plane_pitch;
    }
}

uint64_t spread_place(const struct spread *s, uint64_t byte)
{
    uint64_t run = byte / s->length;
    return (uint64_t)((int64_t)s->offset + (int64_t)(run / s->runs) * s->plane_pitch +
                      (int64_t)(run % s->runs) * s->run_pitch) +
           byte % s->length;
}

/* ---- the walk -------------------------------------------------------------------------------- */

static unsigned at_least_one(unsigned number)
{
    return number ? number : 1;
}

/* The groups of channels in the order of the results, as the instruction set says it. */
static void walk(struct table *t, uint32_t groups)
{
    uint32_t at = 0, begin = 0;
    t->group = calloc((size_t)groups + 1, sizeof *t->group);
    cr_assert(t->group);
    while (at < groups)
        for (unsigned again = 0; at < groups && again < (t->run ? at_least_one(t->repeats) : 1); again++) {
            const unsigned run = at_least_one(t->run); /* groups that follow each other are runs of one */
            for (unsigned g = 0; g < run; g++)
                for (unsigned hold = 0; at < groups && hold < at_least_one(t->holds); hold++)
                    t->group[at++] = begin + g;
            if (!t->run || again + 1 == at_least_one(t->repeats))
                begin += run;
        }
}

static void choose_walk(struct table *t, struct random *dice, const struct variant *v)
{
    const unsigned most = random_chance(dice, 90) ? 5 : 65535;
    t->first = random_range(dice, 0, random_chance(dice, 80) ? v->channel_groups - 1 : 65535);
    t->run = random_chance(dice, 60) ? random_range(dice, 1, most) : 0;
    t->repeats = random_range(dice, 0, most);
    t->holds = random_chance(dice, 40) ? random_range(dice, 0, most) : 0;
}

/* ---- columns --------------------------------------------------------------------------------- */

static void set_channel(struct table *t, unsigned column, uint64_t place, int64_t value, unsigned acc_width)
{
    struct table_channel *c = &t->channel[place % t->channels];
    const int64_t sum = reference_wrap(value, acc_width);
    switch (column) {
    case COLUMN_BIAS:
        c->bias = sum;
        break;
    case COLUMN_SHIFT:
        c->shift = (int64_t)((uint64_t)value % 64);
        break;
    case COLUMN_MULTIPLIER:
        c->multiplier = reference_wrap(sum, 32);
        c->taken = c->shift;
        break;
    case COLUMN_LOW:
        c->low = reference_wrap(value, 16);
        break;
    case COLUMN_LOOKUP:
        t->lookup[place % sizeof t->lookup] = (int8_t)reference_wrap(value, 8);
        break;
    default:
        c->high = reference_wrap(value, 16);
        break;
    }
}

/* So many channels from a group on; what is left of a group at the end of a column is not loaded. */
static void choose_load(struct table *t, struct random *dice, struct builder *b, unsigned column,
                        unsigned group, uint32_t groups)
{
    const struct variant *v = &b->variant;
    const uint32_t count = groups * v->k + (uint32_t)random_below(dice, v->k);
    struct column_load *load = &t->last;
    struct strbuf *slot = &b->slot[SLOT_PARTIAL];
    *load = (struct column_load){
        .column = column, .element = (unsigned)random_below(dice, 4), .group = group & 65535};
    const unsigned bytes = num_element_bytes((enum num_element)load->element);
    spread_choose(dice, &load->from, count, bytes, false);
    while (slot->len % bytes)
        sb_addn(slot, "", 1);
    load->from.offset += slot->len;
    random_bytes(dice, slot, load->from.slot_bytes);
    for (uint64_t i = 0; i < (uint64_t)groups * v->k; i++)
        set_channel(t, column, (uint64_t)group * v->k + i,
                    num_get_element((const uint8_t *)slot->text + spread_place(&load->from, i * bytes),
                                    (enum num_element)load->element),
                    v->acc_width);
}

static void write_load(const struct column_load *load, struct builder *b)
{
    writer_op(&b->writer, "accumulate",
              SETTINGS{{"column", load->column},
                       {"slot", SLOT_PARTIAL},
                       {"element", load->element},
                       {"source", 1},
                       {"group", load->group},
                       {"offset", (int64_t)load->from.offset},
                       {"length", load->from.length},
                       {"runs", load->from.runs},
                       {"run_pitch", load->from.run_pitch},
                       {NULL, 0}});
}

/* Columns that the function takes are loaded for all groups that the walk reaches, others perhaps. A part of
 * one may be loaded again. Shifts come before multipliers, and may come again behind them. */
static void load_columns(struct table *t, struct random *dice, struct builder *b, uint32_t reach, bool joins)
{
    const struct {
        unsigned column;
        bool used;
    } order[] = {{COLUMN_LOW, t->limits}, {COLUMN_SHIFT, t->scale}, {COLUMN_MULTIPLIER, t->scale},
                 {COLUMN_SHIFT, false},   {COLUMN_BIAS, t->bias},   {COLUMN_HIGH, t->limits},
                 {COLUMN_BIAS, false},    {COLUMN_LOW, false}};
    bool pending = t->looks_up;
    if (pending)
        choose_load(t, dice, b, COLUMN_LOOKUP, 0, (uint32_t)math_divide_up(sizeof t->lookup, b->variant.k));
    for (unsigned i = 0; i < sizeof order / sizeof *order; i++) {
        if (!order[i].used && random_chance(dice, 80))
            continue;
        if (pending)
            write_load(&t->last, b);
        const uint32_t skip = order[i].used ? 0 : (uint32_t)random_below(dice, reach);
        choose_load(t, dice, b, order[i].column, t->first + skip,
                    random_range(dice, order[i].used ? reach : 1, reach - skip));
        pending = true;
    }
    t->joined = pending && joins && random_chance(dice, 40);
    if (pending && !t->joined)
        write_load(&t->last, b);
}

void table_make(struct table *t, struct random *dice, struct builder *b, const struct num_step *step,
                uint32_t groups, bool joins)
{
    uint32_t reach = 0;
    t->channels = b->variant.channel_groups * b->variant.k;
    t->channel = calloc(t->channels, sizeof *t->channel);
    cr_assert(t->channel);
    t->bias = random_chance(dice, 60);
    t->scale = num_scales(step->function) && random_chance(dice, 70);
    t->limits = num_limits(step->function) && random_chance(dice, 60);
    t->looks_up = step->function == NUM_LOOKUP;
    choose_walk(t, dice, &b->variant);
    walk(t, groups);
    for (uint32_t i = 0; i < groups; i++)
        reach = t->group[i] + 1 > reach ? t->group[i] + 1 : reach;
    load_columns(t, dice, b, reach, joins);
}

void table_free(struct table *t)
{
    free(t->group);
    free(t->channel);
    t->group = NULL;
    t->channel = NULL;
}

int64_t table_apply(const struct table *t, const struct variant *v, const struct num_step *step,
                    uint64_t result, int64_t sum)
{
    struct num_step own = *step;
    if (t->channel) {
        own.lookup = t->lookup;
        const uint64_t group = t->first + (uint64_t)t->group[result / v->k];
        const struct table_channel *c = &t->channel[(group * v->k + result % v->k) % t->channels];
        if (t->bias)
            sum = reference_wrap((big)sum + c->bias, v->acc_width);
        if (t->scale) {
            own.multiplier = (int32_t)c->multiplier;
            own.shift = (unsigned)(c->shift / 16 * 16 + c->taken % 16);
        }
        if (t->limits) { /* then the function narrows to nothing else */
            own.low = (int16_t)c->low;
            own.high = (int16_t)c->high;
            own.element = NUM_INT64;
        }
    }
    return reference_wrap(reference_apply(&own, sum), v->acc_width);
}
