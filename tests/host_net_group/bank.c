/* SPDX-License-Identifier: Apache-2.0
 *
 * Schedules on a bank: a machine that has memory, and a bank of as many bytes as the choice says, follows the
 * steps. Whenever a layer runs, what it reads must be there, byte by byte, and what it makes goes where the
 * step says. In the end memory has all results, and the machine has moved as many bytes as were predicted.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "host/net/group/cover.h"
#include "host/net/group/schedule.h"
#include "host/net/group/window.h"
#include "tests/host_net_group/network.h"

TestSuite(host_net_group_bank, .timeout = 1000);

enum { NETWORKS = 120, PIECES = 4, SIZE_MOST = 16 };

/* Values of a network, each with all channels of a place side by side. */
struct machine {
    const struct group_chart *chart;
    uint8_t **truth, **memory; /* of each value of the chart; memory: what was written */
    uint8_t *bank;
    uint64_t size, read, written, moved;
    const struct group *group;
    const struct group_cut *cut;
    const struct group_schedule *schedule;
    uint64_t seed;
};

/* ---- values ------------------------------------------------------------------------------------------ */

static size_t place_bytes(const struct group_value *v)
{
    return (size_t)(v->bytes / (uint64_t)(v->size[0] * v->size[1]));
}

/* The value's numbers in the machine's order. */
static uint8_t *ordered(const struct group_chart *chart, const struct group_value *v, const struct view *view)
{
    const size_t element = (size_t)net_type_bytes(view->type, 1), places = (size_t)(v->size[0] * v->size[1]),
                 channels = view->count / places;
    const bool last = chart->axis[GROUP_ROWS] == 1;
    uint8_t *to = malloc(view->count * element + 1);
    for (size_t i = 0; i < view->count; i++) {
        const size_t place = last ? i / channels : i % places, channel = last ? i % channels : i / places;
        memcpy(to + (place * channels + channel) * element, (const uint8_t *)view->data + i * element,
               element);
    }
    return to;
}

static void run_all(struct machine *m, struct net *net, uint64_t seed)
{
    m->truth = calloc(m->chart->value_count, sizeof(uint8_t *));
    m->memory = calloc(m->chart->value_count, sizeof(uint8_t *));
    /* All values are outputs of this run. */
    const size_t outputs = net->output_count;
    for (size_t v = 0; v < m->chart->value_count; v++)
        cr_assert(net_add_output(net, m->chart->values[v].tensor));
    struct drawn_outputs all = run_drawn(net, seed);
    net->output_count = outputs;
    for (size_t v = 0; v < m->chart->value_count; v++) {
        m->truth[v] = ordered(m->chart, &m->chart->values[v], &all.view[outputs + v]);
        if (m->chart->values[v].made == GROUP_NONE)
            m->memory[v] = m->truth[v];
        else
            m->memory[v] = calloc(1, (size_t)m->chart->values[v].bytes);
    }
    free_drawn(&all);
}

static void free_all(struct machine *m)
{
    for (size_t v = 0; v < m->chart->value_count; v++) {
        if (m->memory[v] != m->truth[v])
            free(m->memory[v]);
        free(m->truth[v]);
    }
    free(m->truth);
    free(m->memory);
}

/* ---- steps ------------------------------------------------------------------------------------------- */

static uint8_t *in_value(const struct machine *m, uint8_t *numbers, size_t member, const int64_t place[2])
{
    const struct group_value *v = &m->chart->values[m->group->members[member].value];
    return numbers + (size_t)(place[0] * v->size[1] + place[1]) * place_bytes(v);
}

static uint8_t *in_bank(const struct machine *m, const struct group_step *s, size_t member,
                        const int64_t place[2])
{
    const uint64_t at = group_address(m->group, m->cut, m->schedule, s->row, s->column, member, place);
    cr_assert_leq(at + group_place_room(m->group, member), m->size, "seed %llu", (unsigned long long)m->seed);
    return m->bank + at;
}

/* What a layer reads for the results of a step is in the bank, and around it lies the padding that it sees.
 */
static void check_operands(const struct machine *m, const struct group_step *s)
{
    const struct group_layer *layer = &m->chart->layers[m->group->members[s->member].made];
    for (size_t i = 0; i < layer->operand_count; i++) {
        const struct group_operand *o = &layer->operands[i];
        const size_t member = m->group->member_of[o->value];
        struct group_span span[2];
        for (int axis = 0; axis < GROUP_AXES; axis++)
            span[axis] = group_window_span(&o->window[axis], m->chart->values[o->value].size[axis],
                                           s->begin[axis], s->end[axis]);
        int64_t place[2];
        for (int corner = 0; corner < 2; corner++) { /* the bytes of padding belong to this frame */
            for (int axis = 0; axis < GROUP_AXES; axis++)
                place[axis] =
                    corner ? span[axis].end - 1 + span[axis].after : span[axis].begin - span[axis].before;
            const uint64_t at = (uint64_t)(in_bank(m, s, member, place) - m->bank),
                           frame = group_frame(m->group, m->cut, m->schedule, s->row, s->column, member);
            cr_assert(at >= frame &&
                      at < frame + group_frame_bytes(m->group, m->cut, s->row, s->column, member));
        }
        for (place[0] = span[0].begin; place[0] < span[0].end; place[0]++)
            for (place[1] = span[1].begin; place[1] < span[1].end; place[1]++)
                cr_assert_arr_eq(in_bank(m, s, member, place), in_value(m, m->truth[o->value], member, place),
                                 place_bytes(&m->chart->values[o->value]),
                                 "seed %llu: slice %zu, %zu, layer %s", (unsigned long long)m->seed, s->row,
                                 s->column, group_layer_name(layer));
    }
}

/* Copies the rows and columns of a step, from one of the machine's places to another. */
static void copy_step(struct machine *m, const struct group_step *s)
{
    const size_t value = m->group->members[s->member].value, bytes = place_bytes(&m->chart->values[value]);
    const bool framed = s->frame != UINT64_MAX;
    uint64_t offset = s->at;
    int64_t place[2];
    for (place[0] = s->begin[0]; place[0] < s->end[0]; place[0]++)
        for (place[1] = s->begin[1]; place[1] < s->end[1];
             place[1]++, offset += group_place_room(m->group, s->member)) {
            uint8_t *frame = framed ? in_bank(m, s, s->member, place) : NULL,
                    *memory = in_value(m, m->memory[value], s->member, place),
                    *truth = in_value(m, m->truth[value], s->member, place);
            if (s->kind == STEP_FETCH || s->kind == STEP_KEEP)
                cr_assert_leq(offset + bytes, m->size);
            memcpy(s->kind == STEP_WRITE || !framed ? memory
                   : s->kind == STEP_KEEP           ? m->bank + offset
                                                    : frame,
                   s->kind == STEP_READ      ? memory
                   : s->kind == STEP_FETCH   ? m->bank + offset
                   : s->kind == STEP_COMPUTE ? truth
                                             : frame,
                   bytes);
        }
}

static void perform(struct machine *m, const struct group_step *s)
{
    if (s->kind == STEP_COMPUTE)
        check_operands(m, s);
    copy_step(m, s);
    m->read += s->kind == STEP_READ ? s->bytes : 0;
    m->moved += s->kind == STEP_FETCH ? s->bytes : 0;
    m->written += s->kind == STEP_WRITE || (s->kind == STEP_COMPUTE && s->frame == UINT64_MAX) ? s->bytes : 0;
}

/* ---- groups ------------------------------------------------------------------------------------------ */

static void perform_group(struct machine *m, const struct group_choice *choice, struct random *random)
{
    struct group group;
    struct group_cut cut;
    struct group_schedule schedule;
    cr_assert(group_open(m->chart, choice->first, choice->last, &group) &&
              group_cut_open(&group, choice, &cut) && group_schedule_open(&group, &cut, &schedule));
    m->group = &group;
    m->cut = &cut;
    m->schedule = &schedule;
    m->size = choice->cost.room;
    cr_assert_eq(schedule.room, m->size);
    m->bank = malloc((size_t)m->size + 1);
    for (size_t i = 0; i < m->size; i++)
        m->bank[i] = (uint8_t)random_next(random);
    m->read = m->written = m->moved = 0;
    for (size_t i = 0; i < schedule.count; i++)
        perform(m, &schedule.steps[i]);
    cr_assert_eq(m->read, choice->cost.read, "seed %llu", (unsigned long long)m->seed);
    cr_assert_eq(m->written, choice->cost.written, "seed %llu", (unsigned long long)m->seed);
    cr_assert_eq(m->moved, choice->cost.moved, "seed %llu", (unsigned long long)m->seed);
    free(m->bank);
    group_schedule_close(&schedule);
    group_cut_close(&cut);
    group_close(&group);
}

/* A layer by itself writes what it makes. */
static void perform_single(const struct machine *m, size_t layer)
{
    for (size_t v = 0; v < m->chart->value_count; v++)
        if (m->chart->values[v].made == layer)
            memcpy(m->memory[v], m->truth[v], (size_t)m->chart->values[v].bytes);
}

static void check_memory(const struct machine *m, const struct group_cover *cover)
{
    for (size_t v = 0; v < m->chart->value_count; v++) {
        const struct group_value *value = &m->chart->values[v];
        bool wanted = value->wanted;
        for (size_t i = 0; i < cover->count; i++) /* what another group reads */
            wanted =
                wanted || (value->made != GROUP_NONE && value->first != GROUP_NONE &&
                           value->made <= cover->choices[i].last && value->made >= cover->choices[i].first &&
                           value->last > cover->choices[i].last);
        if (wanted)
            cr_assert_arr_eq(m->memory[v], m->truth[v], (size_t)value->bytes, "seed %llu",
                             (unsigned long long)m->seed);
    }
}

Test(host_net_group_bank, what_layers_read_is_there)
{
    const unsigned networks = drawn_networks(NETWORKS);
    size_t slices = 0, keeping = 0, strips = 0;
    for (uint64_t seed = 1; seed <= networks; seed++) {
        struct random random = {seed};
        struct diag diag = {0};
        struct group_chart chart;
        struct group_cover cover;
        struct net *net = draw_network(&random, PIECES,
                                       1U << DRAW_CHAIN | 1U << DRAW_JOIN | 1U << DRAW_RESIDUAL, SIZE_MOST);
        const struct group_target target = {.on_chip = random_range(&random, 100, 1500),
                                            .port = 8,
                                            .pes = 8,
                                            .again = 50,
                                            .columns = random_chance(&random, 70)};
        cr_assert(group_chart_open(net, &chart, &diag));
        chart.unit = random_chance(&random, 50) ? 1 : 8;
        cr_assert(group_cover_find(&chart, group_patterns, &target, NULL, 0, &cover, &diag));
        struct machine m = {.chart = &chart, .seed = seed};
        run_all(&m, net, seed);
        for (size_t i = 0; i < cover.count; i++) {
            const struct group_choice *choice = &cover.choices[i];
            if (choice->grouped)
                perform_group(&m, choice, &random);
            else
                perform_single(&m, choice->first);
            slices += choice->parts[0] > 1;
            strips += choice->parts[1] > 1;
            keeping += choice->cost.moved > 0;
        }
        check_memory(&m, &cover);
        free_all(&m);
        group_cover_close(&cover);
        group_chart_close(&chart);
        net_free(net);
    }
    cr_assert(slices > networks / 4 && keeping > networks / 8 && strips > networks / 20, "%zu, %zu, %zu",
              slices, keeping, strips);
}
