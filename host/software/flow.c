/* SPDX-License-Identifier: Apache-2.0 */
#include "host/software/flow.h"

#include <stdlib.h>
#include <string.h>

void flow_free(struct flow *f)
{
    free(f->rows);
    free(f->delta);
    free(f->weight);
    free(f->row_index);
    free(f->finishes);
    free(f->finish_index);
    free(f->tables);
    free(f->results);
    *f = (struct flow){.kind_count = 0};
}

/* Room for so many elements at the pointer that is at `at`. */
static bool grow(struct flow *f, void *at, size_t *room, size_t wanted, size_t size)
{
    void *list;
    if (wanted <= *room)
        return true;
    const size_t more = 2 * wanted + 64;
    memcpy(&list, at, sizeof list);
    list = realloc(list, more * size);
    f->no_memory |= !list;
    if (!list)
        return false;
    memcpy(at, &list, sizeof list);
    *room = more;
    return true;
}

unsigned flow_kind(struct flow *f, struct flow_kind kind)
{
    for (unsigned i = 0; i < f->kind_count; i++)
        if (f->kinds[i].bytes == kind.bytes && f->kinds[i].no_sign == kind.no_sign &&
            f->kinds[i].zero == kind.zero)
            return i;
    if (f->kind_count == FLOW_KINDS_MOST) {
        f->no_memory = true;
        return 0;
    }
    f->kinds[f->kind_count] = kind;
    return f->kind_count++;
}

#define MIX UINT64_C(0x9E3779B97F4A7C15)

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * MIX;
    return hash ^ hash >> 29;
}

/* Doubles a hash table; entries are numbers from 1, 0 is none. */
static bool rehash(struct flow *f, uint32_t **index, size_t *size, size_t count,
                   uint64_t (*hash)(const struct flow *, size_t))
{
    if (2 * count + 2 <= *size)
        return true;
    const size_t wanted = *size ? 2 * *size : 1024;
    uint32_t *table = calloc(wanted, sizeof *table);
    f->no_memory |= !table;
    if (!table)
        return false;
    for (size_t i = 0; i < count; i++) {
        size_t at = hash(f, i) & (wanted - 1);
        while (table[at])
            at = (at + 1) & (wanted - 1);
        table[at] = (uint32_t)i + 1;
    }
    free(*index);
    *index = table;
    *size = wanted;
    return true;
}

/* Four sums side by side, so that multiplications overlap. */
static uint64_t hash_terms(const int64_t *delta, const int32_t *weight, uint32_t count)
{
    uint64_t sum[4] = {count, 1, 2, 3};
    uint32_t i = 0;
    for (; i + 4 <= count; i += 4)
        for (unsigned j = 0; j < 4; j++)
            sum[j] = (sum[j] ^ ((uint64_t)delta[i + j] + ((uint64_t)(uint32_t)weight[i + j] << 41))) * MIX;
    for (; i < count; i++)
        sum[0] = mix(sum[0], (uint64_t)delta[i] + ((uint64_t)(uint32_t)weight[i] << 41));
    return mix(mix(sum[0], sum[1]), mix(sum[2], sum[3]));
}

static uint64_t hash_row(const struct flow *f, size_t at)
{
    const struct flow_row *r = &f->rows[at];
    return mix(hash_terms(f->delta + r->first, f->weight + r->first, r->count),
               (uint64_t)r->op << 60 ^ (uint64_t)r->start);
}

static bool same_row(const struct flow *f, const struct flow_row *r, enum flow_op op, int64_t start,
                     const int64_t *delta, const int32_t *weight, uint32_t count)
{
    return r->op == op && r->start == start && r->count == count &&
           (!count || (!memcmp(f->delta + r->first, delta, count * sizeof *delta) &&
                       !memcmp(f->weight + r->first, weight, count * sizeof *weight)));
}

static bool grow_terms(struct flow *f, size_t wanted)
{
    size_t room = f->term_room;
    if (!grow(f, &f->delta, &room, wanted, sizeof *f->delta))
        return false;
    room = f->term_room;
    return grow(f, &f->weight, &room, wanted, sizeof *f->weight) && (f->term_room = room, true);
}

uint32_t flow_row(struct flow *f, enum flow_op op, int64_t start, const int64_t *delta, const int32_t *weight,
                  uint32_t count)
{
    if (f->no_memory || !rehash(f, &f->row_index, &f->row_index_size, f->row_count, hash_row))
        return 0;
    const uint64_t hash = mix(hash_terms(delta, weight, count), (uint64_t)op << 60 ^ (uint64_t)start);
    size_t at = hash & (f->row_index_size - 1);
    for (; f->row_index[at]; at = (at + 1) & (f->row_index_size - 1))
        if (same_row(f, &f->rows[f->row_index[at] - 1], op, start, delta, weight, count))
            return f->row_index[at] - 1;
    if (!grow(f, &f->rows, &f->row_room, f->row_count + 1, sizeof *f->rows) ||
        !grow_terms(f, f->term_count + count))
        return 0;
    f->rows[f->row_count] =
        (struct flow_row){.op = op, .count = count, .first = f->term_count, .start = start};
    if (count) {
        memcpy(f->delta + f->term_count, delta, count * sizeof *delta);
        memcpy(f->weight + f->term_count, weight, count * sizeof *weight);
    }
    f->term_count += count;
    f->row_index[at] = (uint32_t)++f->row_count;
    return (uint32_t)f->row_count - 1;
}

static uint64_t hash_bytes(const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    uint64_t hash = size;
    for (size_t i = 0; i < size; i++)
        hash = mix(hash, at[i]);
    return hash;
}

static uint64_t hash_finish(const struct flow *f, size_t at)
{
    return hash_bytes(&f->finishes[at], sizeof *f->finishes);
}

/* Field by field into zeros, so that padding compares. */
static void settle(struct flow_finish *to, const struct flow_finish *from)
{
    memset(to, 0, sizeof *to);
    to->bias = from->bias;
    to->acc_width = from->acc_width;
    to->final = from->final;
    to->own = from->own;
    to->joins = from->joins;
    for (unsigned i = 0; i < 2; i++) {
        const struct num_step *s = i ? &from->last : &from->step;
        struct num_step *t = i ? &to->last : &to->step;
        t->function = s->function;
        t->element = s->element;
        t->shift = s->shift;
        t->multiplier = s->multiplier;
        t->low = s->low;
        t->high = s->high;
        t->zero = s->zero;
        t->slope = s->slope;
        t->rounding = s->rounding;
    }
    to->joining.join = from->joining.join;
    to->joining.alone = from->joining.alone;
    to->scale.scaled.zero = from->scale.scaled.zero;
    to->scale.scaled.multiplier = from->scale.scaled.multiplier;
    to->scale.scaled.left = from->scale.scaled.left;
    to->scale.scaled.shift = from->scale.scaled.shift;
    to->scale.scale_first = from->scale.scale_first;
    to->scale.first_zero = from->scale.first_zero;
    to->scale.second_zero = from->scale.second_zero;
    to->table = from->table;
    to->elements = from->elements;
    to->element = from->element;
    to->no_sign = from->no_sign;
}

/* Padding is zeros, by settle(). */
bool flow_same_finish(const struct flow_finish *a, const struct flow_finish *b)
{
    const uint8_t *x = (const uint8_t *)a, *y = (const uint8_t *)b;
    return !memcmp(x, y, sizeof *a);
}

uint32_t flow_finish(struct flow *f, const struct flow_finish *finish)
{
    struct flow_finish settled;
    settle(&settled, finish);
    if (f->no_memory || !rehash(f, &f->finish_index, &f->finish_index_size, f->finish_count, hash_finish))
        return 0;
    size_t at = hash_bytes(&settled, sizeof settled) & (f->finish_index_size - 1);
    for (; f->finish_index[at]; at = (at + 1) & (f->finish_index_size - 1))
        if (flow_same_finish(&f->finishes[f->finish_index[at] - 1], &settled))
            return f->finish_index[at] - 1;
    if (!grow(f, &f->finishes, &f->finish_room, f->finish_count + 1, sizeof *f->finishes))
        return 0;
    memcpy(&f->finishes[f->finish_count], &settled, sizeof settled);
    f->finish_index[at] = (uint32_t)++f->finish_count;
    return (uint32_t)f->finish_count - 1;
}

uint32_t flow_table(struct flow *f, const int32_t table[NUM_SOFTMAX_ENTRIES])
{
    for (size_t i = 0; i < f->table_count; i++)
        if (!memcmp(f->tables[i], table, sizeof *f->tables))
            return (uint32_t)i;
    void *tables = realloc(f->tables, (f->table_count + 1) * sizeof *f->tables);
    f->no_memory |= !tables;
    if (!tables)
        return 0;
    f->tables = tables;
    memcpy(f->tables[f->table_count], table, sizeof *f->tables);
    return (uint32_t)f->table_count++;
}

void flow_put(struct flow *f, const struct flow_result *result)
{
    if (!f->no_memory && grow(f, &f->results, &f->result_room, f->result_count + 1, sizeof *f->results))
        f->results[f->result_count++] = *result;
}
