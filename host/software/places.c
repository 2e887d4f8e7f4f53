/* SPDX-License-Identifier: Apache-2.0 */
#include "host/software/places.h"

#include <stdlib.h>
#include <string.h>

#include "host/software/plain.h"

void places_free(struct places *p)
{
    free(p->of);
    free(p->run);
    free(p->constant);
    free(p->more);
    *p = (struct places){.bytes = 0};
}

static uint64_t element_at_place(const uint8_t *bytes, uint64_t at, unsigned element)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < element; i++)
        value |= (uint64_t)bytes[at * element + i] << (8 * i);
    return value;
}

static const enum tulle_type types[] = {
    [1] = TULLE_INT8, [2] = TULLE_INT16, [4] = TULLE_INT32, [8] = TULLE_INT64};

/* Questions: all elements are 0, all are 1, and then the digits of their numbers. */
enum { ZEROS, ONES, DIGITS };

static unsigned questions(uint64_t elements, unsigned bytes)
{
    unsigned count = DIGITS;
    for (uint64_t left = elements; left; left = bytes >= 8 ? 0 : left >> (8 * bytes))
        count++;
    return count;
}

static uint64_t answer_of(uint64_t number, unsigned question, unsigned bytes)
{
    const unsigned shift = 8 * bytes * (question - DIGITS);
    return question < DIGITS ? question : shift > 63 ? 0 : number >> shift;
}

static void fill(uint8_t *tensor, uint64_t elements, unsigned bytes, unsigned question)
{
    for (uint64_t i = 0; i < elements; i++)
        put_integer(tensor + i * bytes, bytes, (int64_t)answer_of(i, question, bytes));
}

/* What an answer tells of each element. */
static void learn(uint64_t *of, const uint8_t *answer, uint64_t count, unsigned bytes, unsigned question)
{
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t digit = element_at_place(answer, i, bytes);
        if (question == ZEROS)
            of[i] = PLAIN_CONSTANT | digit;
        else if (question == ONES)
            of[i] = of[i] == (PLAIN_CONSTANT | digit) ? of[i] : 0;
        else if (!(of[i] & PLAIN_CONSTANT))
            of[i] |= digit << (8 * bytes * (question - DIGITS));
    }
}

void places_find_runs(struct places *p)
{
    const uint64_t count = p->bytes / p->element;
    for (uint64_t i = 0; i < count; i++)
        p->run[i] = i == 0                                                         ? 0
                    : !(p->of[i] & PLAIN_CONSTANT) && p->of[i] == p->of[i - 1] + 1 ? p->run[i - 1]
                                                                                   : p->run[i - 1] + 1;
}

bool places_begin(struct places *p, unsigned element, uint64_t bytes)
{
    const uint64_t count = bytes / element;
    *p = (struct places){.element = element, .bytes = bytes};
    p->of = calloc(count + 1, sizeof *p->of);
    p->run = malloc((count + 1) * sizeof *p->run);
    return p->of && p->run;
}

/* Asks what puts a tensor of that shape into a slot. */
static bool ask(const struct slice *s, struct tulle_matrix tensor, unsigned element, bool second,
                struct places *to)
{
    const uint64_t elements = (uint64_t)tensor.rows * (uint64_t)tensor.columns;
    uint8_t *values = malloc(elements * element + 1), *slot = malloc(to->bytes + 1);
    const unsigned count = questions(elements, element);
    tensor.size = sizeof tensor;
    tensor.type = types[element];
    tensor.values = values;
    const struct run_input input = {.dense = &tensor};
    for (unsigned q = 0; values && slot && q < count; q++) {
        fill(values, elements, element, q);
        if (second)
            operands_second(s, &tensor, slot);
        else
            operands_input(s, &input, slot);
        learn(to->of, slot, to->bytes / element, element, q);
    }
    if (values && slot)
        places_find_runs(to);
    const bool ok = values && slot;
    free(values);
    free(slot);
    return ok;
}

bool places_input(const struct slice *s, struct places *to)
{
    struct tulle_matrix shape;
    operands_input_shape(s->op, &shape);
    const unsigned element = planned_input_bytes(s->op);
    return places_begin(to, element, s->part->plan.input_bytes) && ask(s, shape, element, false, to);
}

bool places_second(const struct slice *s, struct places *to)
{
    const struct planned *op = s->op;
    const unsigned element = 1u << op->join.element;
    if (!op->join.join) {
        *to = (struct places){.element = 1};
        return true;
    }
    struct tulle_matrix shape = {.rows = op->m, .columns = op->n};
    if (op->joins_row)
        shape = (struct tulle_matrix){.rows = 1, .columns = op->n};
    return places_begin(to, element, s->part->plan.operand_bytes) && ask(s, shape, element, true, to);
}

/* Which elements of the tensor this job gives: those that two backgrounds do not show through. */
static void find_touched(const struct slice *s, const uint8_t *slot, const struct tulle_output *out,
                         uint64_t elements, int64_t *row, uint64_t *from)
{
    uint8_t *tensor = out->values;
    const unsigned bytes = num_element_bytes((enum num_element)s->op->element);
    for (unsigned pass = 0; pass < 2; pass++) {
        memset(tensor, pass ? 0x5A : 0xA5, elements * bytes);
        operands_output(s, slot, NULL, out, row);
        for (uint64_t i = 0; i < elements; i++) {
            const bool shows = tensor[i * bytes] == (pass ? 0x5A : 0xA5);
            from[i] = pass ? from[i] && shows : shows;
        }
    }
}

static int by_first(const void *a, const void *b)
{
    const struct places_part *x = a, *y = b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return x->part < y->part ? -1 : x->part > y->part;
}

/* Rows in parts: where the others are. */
static bool find_parts(const struct slice *s, struct places *to)
{
    const struct plan *plan = &s->part->plan;
    const struct plan_layout *l = &plan->layout;
    to->more = calloc((size_t)l->more_count * s->count + 1, sizeof *to->more);
    for (uint32_t row = 0; to->more && row < s->count; row++)
        for (uint32_t i = 0; i < l->more_count; i++)
            to->more[to->more_count++] =
                (struct places_part){(uint64_t)row * plan->output_pitch / to->element + l->more[2 * i + 1],
                                     plan_output_offset(plan, row, l->more[2 * i]) / to->element};
    if (to->more)
        qsort(to->more, to->more_count, sizeof *to->more, by_first);
    return to->more;
}

bool places_output(const struct slice *s, struct places *to)
{
    const struct planned *op = s->op;
    const unsigned element = num_element_bytes((enum num_element)op->element);
    const uint64_t slot_bytes = s->part->plan.output_bytes, slots = slot_bytes / element,
                   elements = (uint64_t)op->m * op->n;
    uint8_t *slot = calloc(1, slot_bytes + 1), *tensor = malloc(elements * element + 1);
    uint64_t *from = calloc(elements + 1, sizeof *from);
    uint64_t *untouched = malloc((elements + 1) * sizeof *untouched);
    int64_t *row = malloc(((size_t)op->n + 1) * sizeof *row);
    struct tulle_output out = {.size = sizeof out, .type = types[element], .values = tensor};
    const bool ok = places_begin(to, element, slot_bytes) && slot && tensor && from && untouched && row &&
                    (to->constant = malloc((2 * elements + 1) * sizeof *to->constant)) && find_parts(s, to);
    const unsigned count = questions(slots, element);
    if (ok) {
        find_touched(s, slot, &out, elements, row, untouched);
        memset(tensor, 0, elements * element);
    }
    for (unsigned q = 0; ok && q < count; q++) {
        fill(slot, slots, element, q);
        for (uint64_t i = 0; i < to->more_count; i++)
            memset(slot + to->more[i].part * element, 0, element);
        operands_output(s, slot, NULL, &out, row);
        learn(from, tensor, elements, element, q);
    }
    for (uint64_t i = 0; ok && i < slots; i++)
        to->of[i] = PLAIN_CONSTANT;
    for (uint64_t i = 0; ok && i < elements; i++)
        if (!untouched[i] && !(from[i] & PLAIN_CONSTANT))
            to->of[from[i]] = i;
        else if (!untouched[i]) {
            to->constant[2 * to->constants] = i;
            to->constant[2 * to->constants++ + 1] = from[i] & ~PLAIN_CONSTANT;
        }
    if (ok)
        places_find_runs(to);
    free(slot);
    free(tensor);
    free(untouched);
    free(from);
    free(row);
    return ok;
}

bool places_value(const struct sequence *s, const struct sequence_value *v, uint64_t slot_bytes,
                  struct places *to)
{
    const struct planned *op = &s->step[v->made].of;
    const unsigned bytes = num_element_bytes((enum num_element)op->element);
    const uint64_t slots = slot_bytes / bytes, elements = sequence_elements(s, v);
    uint8_t *slot = malloc(slots * bytes + 1), *tensor = malloc(elements * bytes + 1);
    uint64_t *from = calloc(elements + 1, sizeof *from);
    struct tulle_output out = {.size = sizeof out, .type = types[bytes], .values = tensor};
    bool ok = places_begin(to, bytes, slot_bytes) && slot && tensor && from;
    const unsigned count = questions(slots, bytes);
    for (unsigned q = 0; ok && q < count; q++) {
        fill(slot, slots, bytes, q);
        ok = !sequence_take(s, v, slot, &out);
        if (ok)
            learn(from, tensor, elements, bytes, q);
    }
    for (uint64_t i = 0; ok && i < slots; i++)
        to->of[i] = PLAIN_CONSTANT;
    for (uint64_t i = 0; ok && i < elements; i++)
        if (!(from[i] & PLAIN_CONSTANT))
            to->of[from[i]] = i;
    free(slot);
    free(tensor);
    free(from);
    return ok;
}
