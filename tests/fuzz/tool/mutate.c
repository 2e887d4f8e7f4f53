/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "tests/fuzz/tool/subject.h"

static uint64_t size_of(const struct subject *s, unsigned slot)
{
    return s->victim.slots.job.slots[slot].size;
}

static void flip_bits(struct subject *s, uint64_t word, uint32_t flips)
{
    uint8_t *program = s->victim.slots.job.slots[SLOT_PROGRAM].bytes;
    for (unsigned i = 0; i < 4; i++)
        program[4 * word + i] ^= (uint8_t)(flips >> (8 * i));
}

/* Some bits, one bit, all bits of a word. */
static void flip_word(struct subject *s, struct random *dice)
{
    uint64_t word = random_below(dice, size_of(s, SLOT_PROGRAM) / 4);
    uint32_t some = (uint32_t)random_next(dice), kind = (uint32_t)random_below(dice, 3);
    flip_bits(s, word, kind == 0 ? some | 1u << some % 32 : kind == 1 ? 1u << some % 32 : UINT32_MAX);
}

static void swap_operations(struct subject *s, struct random *dice)
{
    uint8_t *program = s->victim.slots.job.slots[SLOT_PROGRAM].bytes;
    const uint32_t operations = victim_operations(&s->victim);
    if (operations < 2)
        return;
    uint8_t *here = program + (1 + random_below(dice, operations - 1)) * ISA_OPERATION_BYTES,
            keep[ISA_OPERATION_BYTES];
    bool sealed = random_chance(dice, 50);
    memcpy(keep, here, sizeof keep);
    memcpy(here, here + ISA_OPERATION_BYTES, sizeof keep);
    memcpy(here + ISA_OPERATION_BYTES, keep, sizeof keep);
    if (!sealed)
        return;
    seal_operation(program, (uint64_t)(here - program));
    seal_operation(program, (uint64_t)(here - program) + ISA_OPERATION_BYTES);
}

/* Shorter by little or much, nothing, or longer than it is. */
static void change_size(struct subject *s, struct random *dice, unsigned slot)
{
    uint64_t *size = &s->victim.slots.job.slots[slot].size;
    switch (random_below(dice, slot == SLOT_PROGRAM ? 3 : 5)) {
    case 0:
        *size = 0;
        break;
    case 1:
        *size -= 1 + random_below(dice, *size < 64 ? *size : 64);
        break;
    case 2:
        *size = random_below(dice, *size);
        break;
    case 3:
        *size += 1 + random_below(dice, 64);
        break;
    default:
        *size = UINT64_C(1) << random_range(dice, 32, 61);
    }
}

static void change_some_size(struct subject *s, struct random *dice)
{
    unsigned slot;
    do {
        slot = (unsigned)random_below(dice, ISA_SLOTS);
    } while (!size_of(s, slot));
    change_size(s, dice, slot);
}

static void change_weights(struct subject *s, struct random *dice)
{
    uint64_t size = size_of(s, SLOT_WEIGHTS);
    if (size)
        s->victim.slots.job.slots[SLOT_WEIGHTS].bytes[random_below(dice, size)] = (uint8_t)random_next(dice);
}

static void mutate(struct subject *s, enum fuzz_mutation mutation, struct random *dice)
{
    switch (mutation) {
    case MUTATION_FLIP:
        flip_word(s, dice);
        break;
    case MUTATION_SEALED:
        victim_change_sealed(&s->victim, dice);
        break;
    case MUTATION_SWAP:
        swap_operations(s, dice);
        break;
    case MUTATION_TRUNCATE:
        change_size(s, dice, SLOT_PROGRAM);
        break;
    case MUTATION_SIZE:
        change_some_size(s, dice);
        break;
    case MUTATION_WEIGHTS:
        change_weights(s, dice);
        break;
    default:
        break;
    }
}

/* Sizes and orders change once; everything else as often as the recipe says. */
void subject_mutate(struct subject *s, const struct recipe *r)
{
    struct random dice = {r->change};
    enum fuzz_mutation mutation = (enum fuzz_mutation)r->mutation;
    uint64_t bit = r->change % WORD_FLIPS;
    if (mutation == MUTATION_WORD)
        flip_bits(s, r->change / WORD_FLIPS, bit == 32 ? UINT32_MAX : 1u << bit);
    bool once = mutation == MUTATION_SWAP || mutation == MUTATION_TRUNCATE || mutation == MUTATION_SIZE;
    for (uint64_t i = 0; i < (once ? 1 : r->changes); i++)
        mutate(s, mutation, &dice);
}
