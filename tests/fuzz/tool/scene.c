/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/fuzz/tool/scene.h"

#include <stdlib.h>
#include <string.h>

#include "gen/base/math.h"
#include "sim/board/memory.h"

#define ALIGNMENT 64
#define GUARD 256
#define FOUR_GIB (UINT64_C(1) << 32)

/* Guards are longer by chance, so that buffers begin at any multiple of 64. */
static uint64_t guard(struct random *dice)
{
    return GUARD + ALIGNMENT * random_below(dice, 20);
}

/* In any order. */
static void place_slots(struct scene *s, struct random *dice)
{
    unsigned order[ISA_SLOTS];
    uint64_t at = 0;
    for (unsigned i = 0; i < ISA_SLOTS; i++) {
        unsigned j = (unsigned)random_below(dice, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    for (unsigned i = 0; i < ISA_SLOTS; i++) {
        unsigned slot = order[i];
        if (!s->subject->victim.slots.before[slot])
            continue;
        at += guard(dice);
        s->job.slot[slot].address = at;
        at = math_round_up(at + s->room[slot], ALIGNMENT);
    }
    s->bytes = math_round_up(at + guard(dice), 4096);
}

/* At the start of memory, across 4 GiB, or at its very end. */
static void place_piece(struct scene *s, struct random *dice)
{
    const uint64_t bases[] = {0, FOUR_GIB - s->bytes / 8192 * 4096, MEMORY_BYTES_DEFAULT - s->bytes};
    s->base = bases[random_below(dice, 3)];
    for (unsigned i = 0; i < ISA_SLOTS; i++)
        s->job.slot[i].address += s->subject->victim.slots.before[i] ? s->base : 0;
}

void scene_make(struct scene *s, const struct subject *subject, uint64_t seed)
{
    const struct slots *slots = &subject->victim.slots;
    struct random dice = {seed};
    *s = (struct scene){.subject = subject};
    for (unsigned i = 0; i < ISA_SLOTS; i++) {
        s->room[i] = subject->room[i];
        s->job.slot[i].size = slots->job.slots[i].size;
    }
    s->job.number = (uint32_t)random_next(&dice);
    place_slots(s, &dice);
    place_piece(s, &dice);
    s->before = malloc(s->bytes);
    if (!s->before)
        abort();
    for (uint64_t i = 0; i < s->bytes; i++)
        s->before[i] = (uint8_t)(random_next(&dice) >> 32);
    for (unsigned i = 0; i < ISA_SLOTS; i++)
        if (slots->before[i] && i != SLOT_STATUS)
            memcpy(s->before + (s->job.slot[i].address - s->base), slots->job.slots[i].bytes, s->room[i]);
}

void scene_free(struct scene *s)
{
    free(s->before);
    s->before = NULL;
}

struct job scene_job(const struct scene *s, uint8_t *image)
{
    struct job job = {.number = s->job.number};
    for (unsigned i = 0; i < ISA_SLOTS; i++) {
        job.slots[i].bytes =
            image + (s->subject->victim.slots.before[i] ? s->job.slot[i].address - s->base : 0);
        job.slots[i].size = s->job.slot[i].size;
    }
    return job;
}

unsigned scene_slot(const struct scene *s, uint64_t at)
{
    for (unsigned i = 0; i < ISA_SLOTS; i++) {
        uint64_t first = s->job.slot[i].address - s->base;
        if (s->subject->victim.slots.before[i] && at >= first && at - first < s->room[i])
            return i;
    }
    return ISA_SLOTS;
}

void scene_place(const struct scene *s, uint64_t at, struct strbuf *to)
{
    static const char *const names[ISA_SLOTS] = {
#define X(number, name, NAME, text) [(number)] = #name,
        ISA_ARGUMENT_LIST(X)
#undef X
    };
    unsigned slot = scene_slot(s, at);
    if (slot < ISA_SLOTS)
        sb_addf(to, "%s + 0x%llx", names[slot],
                (unsigned long long)(at - (s->job.slot[slot].address - s->base)));
    else
        sb_addf(to, "a guard, 0x%llx of the piece", (unsigned long long)at);
}
