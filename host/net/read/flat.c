/* SPDX-License-Identifier: Apache-2.0 */
#include "host/net/read/flat.h"

#include <string.h>

static struct flat_table nothing(struct flat *flat)
{
    return (struct flat_table){.flat = flat};
}

/* Remembers a place that is wrong. */
static void wrong(struct flat *flat, size_t at)
{
    if (!flat->bad)
        flat->bad = flat->source->bytes + (at < flat->source->size ? at : 0);
}

static bool inside(struct flat *flat, size_t at, size_t bytes)
{
    if (at <= flat->source->size && bytes <= flat->source->size - at)
        return true;
    wrong(flat, at);
    return false;
}

static uint64_t load(const uint8_t *at, unsigned bytes)
{
    uint64_t value = 0;
    while (bytes--)
        value = value << 8 | at[bytes];
    return value;
}

/* A table begins with the distance back to the offsets of its fields, which begin with their length and that
 * of the table. */
static struct flat_table table_at(struct flat *flat, size_t at)
{
    const uint8_t *bytes = flat->source->bytes;
    if (!at || !inside(flat, at, 4))
        return nothing(flat);
    const int64_t fields = (int64_t)at - (int32_t)(uint32_t)load(bytes + at, 4);
    if (fields < 0 || !inside(flat, (size_t)fields, 4)) {
        wrong(flat, at);
        return nothing(flat);
    }
    const unsigned field_bytes = (unsigned)load(bytes + fields, 2);
    if (field_bytes < 4 || !inside(flat, (size_t)fields, field_bytes)) {
        wrong(flat, at);
        return nothing(flat);
    }
    return (struct flat_table){flat, at, (size_t)fields, field_bytes};
}

/* Follows an offset from its own place; 0: it leads nowhere. */
static size_t follow(struct flat *flat, size_t at)
{
    if (!at || !inside(flat, at, 4))
        return 0;
    const uint64_t offset = load(flat->source->bytes + at, 4);
    if (!offset || !inside(flat, at + offset, 4)) {
        wrong(flat, at);
        return 0;
    }
    return at + (size_t)offset;
}

/* The place of a field, of so many bytes; 0: it is not there. */
static size_t place(struct flat_table t, unsigned field, unsigned bytes)
{
    const size_t entry = 4 + 2 * (size_t)field;
    if (!t.at || entry + 2 > t.field_bytes)
        return 0;
    const uint64_t offset = load(t.flat->source->bytes + t.fields + entry, 2);
    return offset && inside(t.flat, t.at + offset, bytes) ? t.at + (size_t)offset : 0;
}

struct flat_table flat_root(struct flat *flat)
{
    if (!inside(flat, 0, 4))
        return nothing(flat);
    return table_at(flat, load(flat->source->bytes, 4));
}

static int64_t extend(uint64_t value, unsigned bytes)
{
    return bytes == 1 ? (int8_t)value : bytes == 4 ? (int32_t)value : (int64_t)value;
}

int64_t flat_number(struct flat_table t, unsigned field, unsigned bytes, int64_t fallback)
{
    const size_t at = place(t, field, bytes);
    return at ? extend(load(t.flat->source->bytes + at, bytes), bytes) : fallback;
}

float flat_real(struct flat_table t, unsigned field, float fallback)
{
    const size_t at = place(t, field, 4);
    if (at)
        memcpy(&fallback, t.flat->source->bytes + at, sizeof fallback);
    return fallback;
}

struct flat_table flat_sub(struct flat_table t, unsigned field)
{
    return table_at(t.flat, follow(t.flat, place(t, field, 4)));
}

struct flat_vector flat_vector(struct flat_table t, unsigned field, unsigned bytes)
{
    const size_t at = follow(t.flat, place(t, field, 4));
    if (!at)
        return (struct flat_vector){NULL, 0};
    const uint64_t count = load(t.flat->source->bytes + at, 4);
    if (!inside(t.flat, at + 4, (size_t)count * bytes))
        return (struct flat_vector){NULL, 0};
    return (struct flat_vector){t.flat->source->bytes + at + 4, (size_t)count};
}

struct proto_text flat_text(struct flat_table t, unsigned field)
{
    const struct flat_vector v = flat_vector(t, field, 1);
    return (struct proto_text){v.at ? (const char *)v.at : "", v.count};
}

struct flat_table flat_element(struct flat *flat, struct flat_vector v, size_t index)
{
    if (index >= v.count)
        return nothing(flat);
    return table_at(flat, follow(flat, (size_t)(v.at - flat->source->bytes) + 4 * index));
}

int64_t flat_integer(struct flat_vector v, size_t index, unsigned bytes)
{
    return index < v.count ? extend(load(v.at + index * bytes, bytes), bytes) : -1;
}
