/* SPDX-License-Identifier: Apache-2.0
 *
 * Computes a data flow on memory, result by result. It is what the generated software is compared with, and
 * is compared itself with the functional model.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "host/software/flow.h"

static int64_t read_element(const struct flow *f, uint8_t *const spaces[FLOW_SPACES], flow_ref ref)
{
    const struct flow_kind *kind = &f->kinds[flow_kind_of(ref)];
    const uint8_t *at = spaces[flow_space(ref)] + flow_offset(ref);
    uint64_t value = 0;
    for (unsigned i = 0; i < kind->bytes; i++)
        value |= (uint64_t)at[i] << (8 * i);
    assert(kind->bytes);
    return (kind->no_sign ? (int64_t)value : num_wrap((int64_t)value, 8 * kind->bytes)) - kind->zero;
}

static int64_t apply(const struct flow *f, const struct flow_finish *finish, const struct num_step *step,
                     int64_t sum)
{
    int8_t lookup[256];
    struct num_step with = *step;
    if (step->function == NUM_LOOKUP) {
        for (unsigned i = 0; i < sizeof lookup; i++)
            lookup[i] = (int8_t)f->tables[finish->table][i];
        with.lookup = lookup;
    }
    return num_wrap(num_apply(&with, num_wrap(sum, finish->acc_width)), finish->acc_width);
}

static int64_t share(const struct flow *f, const struct flow_finish *finish, const int8_t *row,
                     unsigned place)
{
    const int32_t *table = f->tables[finish->table];
    assert(finish->elements);
    int8_t largest = row[0];
    uint32_t sum = 0;
    struct num_step step = finish->step;
    for (unsigned i = 1; i < finish->elements; i++)
        largest = row[i] > largest ? row[i] : largest;
    for (unsigned i = 0; i < finish->elements; i++)
        sum += num_softmax_summand(table[(uint8_t)(largest - row[i])]);
    const struct num_softmax_share s = num_softmax_share(sum);
    step.multiplier = s.multiplier;
    step.shift = step.shift + s.shift < 63 ? step.shift + s.shift : 63;
    return num_apply(&step, place < finish->elements ? table[(uint8_t)(largest - row[place])] : 0);
}

int64_t flow_finished(const struct flow *f, const struct flow_finish *finish, int64_t sum, int64_t second,
                      const int8_t *row, unsigned place)
{
    sum = num_wrap((int64_t)((uint64_t)sum + (uint64_t)finish->bias), finish->acc_width);
    if (!finish->final)
        return sum;
    if (finish->elements)
        return share(f, finish, row, place);
    if (finish->own || !finish->joins)
        sum = apply(f, finish, &finish->step, sum);
    if (finish->joins)
        sum = apply(f, finish, &finish->last,
                    joins_pair(&finish->scale, &finish->joining, &finish->last, sum, second));
    return sum;
}

static int64_t row_of(const struct flow *f, uint8_t *const spaces[FLOW_SPACES], const struct flow_result *r)
{
    const struct flow_row *row = &f->rows[r->row];
    int64_t all = row->op == FLOW_SUM ? 0 : row->start;
    for (uint32_t i = 0; i < row->count; i++) {
        const int64_t x = read_element(f, spaces, r->base + f->delta[row->first + i]),
                      product = (int64_t)((uint64_t)x * (uint64_t)(int64_t)f->weight[row->first + i]);
        if (row->op == FLOW_SUM)
            all = (int64_t)((uint64_t)all + (uint64_t)product);
        else if ((row->op == FLOW_MAX || x) && product > all)
            all = product;
    }
    return all;
}

void flow_compute(const struct flow *f, uint8_t *const spaces[FLOW_SPACES], const struct flow_result *r,
                  uint8_t *to)
{
    const struct flow_finish *finish = &f->finishes[r->finish];
    const struct flow_row *row = &f->rows[r->row];
    int8_t line[4096] = {0};
    int64_t sum = 0;
    assert(row->op != FLOW_SOFTMAX || row->count <= sizeof line);
    if (row->op == FLOW_SOFTMAX) {
        for (uint32_t i = 0; i < row->count; i++)
            line[i] = (int8_t)read_element(f, spaces, r->base + f->delta[row->first + i]);
    } else {
        sum = row_of(f, spaces, r);
    }
    if (r->add != FLOW_NONE)
        sum = (int64_t)((uint64_t)sum + (uint64_t)read_element(f, spaces, r->add));
    const int64_t second = r->second != FLOW_NONE ? read_element(f, spaces, r->second) : 0;
    const int64_t value = flow_finished(f, finish, sum, second, line, r->place);
    num_put_elements(to, (enum num_element)finish->element, finish->no_sign, &value, 1);
}

bool flow_evaluate(const struct flow *f, uint8_t *const slots[ISA_SLOTS])
{
    static const unsigned written[] = {SLOT_OUTPUT, SLOT_SCRATCH};
    uint8_t *from[FLOW_SPACES] = {NULL}, *to[FLOW_SPACES] = {NULL}, *temps = calloc(f->temps + 1, 8);
    bool ok = temps;
    memcpy(from, slots, ISA_SLOTS * sizeof *from);
    memcpy(to, slots, ISA_SLOTS * sizeof *to);
    from[FLOW_TEMPS] = to[FLOW_TEMPS] = temps;
    for (unsigned i = 0; i < 2; i++) { /* what is read there is what was there before the program */
        const unsigned s = written[i];
        from[s] = malloc(f->size[s] + 1);
        if (from[s] && f->size[s])
            memcpy(from[s], slots[s], f->size[s]);
        ok = ok && from[s];
    }
    for (size_t i = 0; ok && i < f->result_count; i++) {
        const flow_ref at = f->results[i].to;
        flow_compute(f, from, &f->results[i], to[flow_space(at)] + flow_offset(at));
    }
    for (unsigned i = 0; i < 2; i++)
        free(from[written[i]]);
    free(temps);
    return ok;
}
