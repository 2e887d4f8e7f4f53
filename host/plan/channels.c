/* SPDX-License-Identifier: Apache-2.0 */
#include "host/plan/channels.h"

#include <stdlib.h>

#include "gen/base/math.h"

#define COLUMN_ALIGN 64
#define MINOR 2     /* version of the instruction set that has the table */
#define ENTRIES 256 /* of a function that is looked up */

/* A column: its values of `column` and `element`, and whether the operator has it. */
struct column {
    unsigned number, element;
    bool wanted;
};

/* In the order in which they are loaded: multipliers take the shifts along. */
static void list_columns(const struct plan_channels *c, unsigned acc_width, struct column of[COLUMN_HIGH])
{
    const struct column all[COLUMN_HIGH] = {{COLUMN_BIAS, acc_width <= 32 ? 2 : 3, c->has_bias},
                                            {COLUMN_SHIFT, 0, c->has_scale},
                                            {COLUMN_MULTIPLIER, 2, c->has_scale},
                                            {COLUMN_LOW, 1, c->has_limits},
                                            {COLUMN_HIGH, 1, c->has_limits}};
    for (unsigned i = 0; i < COLUMN_HIGH; i++)
        of[i] = all[i];
}

static int64_t value_of(const struct plan_channels *c, unsigned column, uint32_t n)
{
    switch (column) {
    case COLUMN_BIAS:
        return c->bias ? c->bias[n] : 0;
    case COLUMN_SHIFT:
        return c->shift ? c->shift[n] : 0;
    case COLUMN_MULTIPLIER:
        return c->multiplier ? c->multiplier[n] : 0;
    case COLUMN_LOW:
        return c->low ? c->low[n] : 0;
    default:
        return c->high ? c->high[n] : 0;
    }
}

/* The channel's place in the order in which results leave. Clusters that have channels of their own give
 * segment after segment in turn, unless each goes to the images' order by itself. */
static uint32_t place_of(const struct plan_layout *l, const uint32_t *place, uint32_t n)
{
    n = place ? place[n] : n;
    const bool planes = l->to.group == l->pes;
    if (!l->window.scattered || (l->window.natural && !planes))
        return n;
    const uint32_t group = n / l->pes, part = group / l->segments, segment = group % l->segments,
                   block = part / l->n_parts;
    return ((block * l->segments + segment) * l->n_parts + part % l->n_parts) * l->pes + n % l->pes;
}

static void pad(struct strbuf *to)
{
    while (to->len % COLUMN_ALIGN && sb_ok(to))
        sb_addn(to, "", 1);
}

static bool pack_column(const struct plan_description *d, const struct plan_layout *l, const uint32_t *place,
                        const struct column *column, uint64_t bytes, struct strbuf *to)
{
    uint8_t *values = calloc(1, bytes);
    const unsigned each = 1u << column->element;
    for (uint32_t n = 0; values && n < d->weights->rows; n++) {
        const uint64_t value = (uint64_t)value_of(&d->channels, column->number, n);
        for (unsigned b = 0; b < each; b++)
            values[(uint64_t)place_of(l, place, n) * each + b] = (uint8_t)(value >> (8 * b));
    }
    if (values)
        sb_addn(to, (const char *)values, bytes);
    free(values);
    return values;
}

/* Whole groups of K, so that the first entries may come again. */
static uint32_t lookup_bytes(const struct variant *v)
{
    return math_divide_up(ENTRIES, v->k) * v->k;
}

static enum plan_status pack_lookup(const struct plan_description *d, struct strbuf *weights,
                                    struct channel_columns *columns)
{
    if (!d->function.lookup)
        return PLAN_OK;
    if (!d->variant->lookup)
        return plan_refuse(PLAN_UNSUPPORTED, "the variant has no function that is looked up (lookup)");
    pad(weights);
    columns->at[COLUMN_LOOKUP] = weights->len;
    for (uint32_t i = 0; i < lookup_bytes(d->variant); i++)
        sb_addn(weights, (const char *)&d->function.lookup[i % ENTRIES], 1);
    return sb_ok(weights) ? PLAN_OK : plan_no_memory();
}

enum plan_status channels_pack(const struct plan_description *d, const struct plan_layout *l,
                               const uint32_t *place, uint64_t groups, struct strbuf *weights,
                               struct channel_columns *columns)
{
    struct column of[COLUMN_HIGH];
    *columns = (struct channel_columns){0};
    const enum plan_status status = pack_lookup(d, weights, columns);
    if (status || !channels_any(&d->channels))
        return status;
    if (!d->variant->channel_groups)
        return plan_refuse(PLAN_UNSUPPORTED, "the variant has no table of channels (channel_groups)");
    if (groups > d->variant->channel_groups)
        return plan_refuse(PLAN_UNSUPPORTED, "%llu groups of channels; the table holds %u",
                           (unsigned long long)groups, d->variant->channel_groups);
    columns->groups = (uint32_t)groups;
    list_columns(&d->channels, d->variant->acc_width, of);
    for (unsigned i = 0; i < COLUMN_HIGH; i++) {
        if (!of[i].wanted)
            continue;
        pad(weights);
        columns->at[of[i].number] = weights->len;
        if (!pack_column(d, l, place, &of[i], groups * d->variant->k << of[i].element, weights))
            return plan_no_memory();
    }
    return sb_ok(weights) ? PLAN_OK : plan_no_memory();
}

static void load(struct writer *w, unsigned column, unsigned element, uint64_t at, uint64_t elements)
{
    w->minor = MINOR;
    writer_op(w, "accumulate",
              SETTINGS{{"column", column},
                       {"slot", SLOT_WEIGHTS},
                       {"element", element},
                       {"source", 1},
                       {"offset", (int64_t)at},
                       {"length", (int64_t)(elements << element)},
                       {NULL, 0}});
}

void channels_load(struct writer *w, const struct plan_description *d, const struct channel_columns *columns)
{
    struct column of[COLUMN_HIGH];
    list_columns(&d->channels, w->variant->acc_width, of);
    for (unsigned i = 0; i < COLUMN_HIGH; i++)
        if (of[i].wanted)
            load(w, of[i].number, of[i].element, columns->at[of[i].number],
                 (uint64_t)columns->groups * w->variant->k);
    if (d->function.lookup)
        load(w, COLUMN_LOOKUP, 0, columns->at[COLUMN_LOOKUP], lookup_bytes(w->variant));
}
