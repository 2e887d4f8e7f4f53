/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/model/shares.h"

#include "gen/base/math.h"

#define SHIFT_MOST 63

void shares_begin(struct shares *s, unsigned elements, unsigned k, const struct num_step *step)
{
    s->elements = elements;
    s->places = math_round_up(elements, k);
    s->step = *step;
    shares_restart(s);
}

void shares_restart(struct shares *s)
{
    s->at = s->places;
}

void shares_set(struct shares *s, uint64_t place, int64_t entry)
{
    s->table[place % NUM_SOFTMAX_ENTRIES] = (int32_t)(entry & INT32_MAX);
}

static int32_t exponential(const struct shares *s, unsigned place)
{
    return s->table[(uint8_t)(s->largest - s->row[place])];
}

void shares_look(struct shares *s)
{
    uint32_t sum = 0;
    s->largest = s->row[0];
    for (unsigned i = 1; i < s->elements; i++)
        s->largest = s->row[i] > s->largest ? s->row[i] : s->largest;
    for (unsigned i = 0; i < s->elements; i++)
        sum += num_softmax_summand(exponential(s, i));
    const struct num_softmax_share share = num_softmax_share(sum);
    const unsigned shift = s->step.shift + share.shift;
    s->row_step = s->step;
    s->row_step.multiplier = share.multiplier;
    s->row_step.shift = shift < SHIFT_MOST ? shift : SHIFT_MOST;
    s->at = 0;
}

int64_t shares_next(struct shares *s)
{
    const unsigned place = s->at++;
    return num_apply(&s->row_step, place < s->elements ? exponential(s, place) : 0);
}
