/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/sim_board/tulle_sim/problem.h"

#include <stdlib.h>
#include <string.h>

#include "gen/base/math.h"
#include "host/formats/generate.h"
#include "host/formats/random.h"
#include "host/measure/measurement.h"
#include "host/measure/plan_run.h"
#include "sim/board/memory.h"
#include "sim/cycle/cycle.h"
#include "sim/model/model.h"
#include "sim/numerics/join.h"
#include "sim/numerics/softmax.h"

#define SLOT_ALIGNMENT 64
#define GUARD_BYTES 256
#define FOUR_GIB (UINT64_C(1) << 32)
#define CYCLE_LIMIT (UINT64_C(1) << 32)

/* ---- operands -------------------------------------------------------------------------------- */

static const char *make_empty_plan(struct problem *p)
{
    struct writer writer;
    writer_begin(&writer, &p->variant);
    writer_finish(&writer, 0, &p->plan.program);
    writer_free(&writer);
    return NULL;
}

/* Three joins, of two tensors or a tensor and a vector, in turn by the seed, with numbers that networks have.
 */
static const char *make_join_plan(const struct sim_options *o, struct problem *p)
{
    struct random random = {o->seed};
    const unsigned join = JOIN_ADD + (unsigned)(o->seed % 3);
    p->pair = (struct plan_pair){
        .variant = &p->variant,
        .elements = (uint64_t)o->rows * (uint64_t)o->n,
        .vector = o->seed / 3 % 2 ? (uint32_t)o->n : 0,
        .first_zero = (int)random_below(&random, 256) - 128,
        .join = {.join = join,
                 .zero = (int)random_below(&random, 256) - 128,
                 .multiplier = (int32_t)(1u << 30 | random_below(&random, 1u << 30)),
                 .shift = 31 + (unsigned)random_below(&random, 4),
                 .scale_first = random_below(&random, 2)},
        .function = {.function = NUM_REQUANTISE,
                     .multiplier = (int32_t)(1u << 30 | random_below(&random, 1u << 30)),
                     .shift = join == JOIN_MULTIPLY ? 37 : 50,
                     .low = -128,
                     .high = 127,
                     .zero = (int)random_below(&random, 256) - 128,
                     .rounding = p->variant.roundings * (unsigned)random_below(&random, 3)}};
    return plan_why(plan_make_pair(&p->pair, &p->plan));
}

static const char *make_softmax_plan(const struct sim_options *o, struct problem *p)
{
    struct random random = {o->seed};
    p->softmax = (struct plan_softmax){.variant = &p->variant,
                                       .rows = (uint32_t)o->rows,
                                       .elements = (uint32_t)o->n,
                                       .multiplier = (int32_t)(1u << 30 | random_below(&random, 1u << 30)),
                                       .shift = 5 + (unsigned)random_below(&random, 6),
                                       .least = -(int32_t)random_below(&random, 256),
                                       .element = (unsigned)random_below(&random, 2)};
    return plan_why(plan_make_softmax(&p->softmax, &p->plan));
}

static bool parse_plan(const char *text, struct plan_choice *choice)
{
    static const char *const gathers[] = {"", "stay", "pages", "diagonal"};
    char name[8];
    for (unsigned i = 0; i < PLAN_MAPPINGS * PLAN_AXES * PLAN_AXES; i++) {
        choice->mapping = (enum plan_mapping)(i / 9);
        choice->split =
            (struct plan_split){.rows = (enum plan_axis)(i / 3 % 3), .columns = (enum plan_axis)(i % 3)};
        const char *mapping = plan_mapping_name(choice->mapping);
        if (strncmp(text, mapping, 2) || text[2] != ':' ||
            strncmp(text + 3, plan_split_name(choice->split, name), 2))
            continue;
        choice->natural = !strcmp(text + 5, ",natural");
        return !text[5] || choice->natural;
    }
    for (unsigned i = 1; i < sizeof gathers / sizeof *gathers; i++)
        if (!strcmp(text, gathers[i])) {
            choice->gather = (enum plan_gather)i;
            return true;
        }
    return false;
}

/* The planner's own choice, as libtulle makes it. */
static const char *make_chosen(const struct plan_description *d, struct problem *p)
{
    const struct setup setup = {.variant = p->variant, .options = cycle_defaults(&p->variant)};
    struct plan_alternatives alternatives;
    struct plan_run run;
    plan_run_begin(&run, &setup, d, d->density);
    const char *why = plan_why(plan_choose(d, NULL, plan_run_cost, &run, 0, &alternatives, &p->plan));
    plan_run_end(&run);
    return why;
}

/* The plan that was asked for, with the tile of a shape; otherwise input-stationary, or along the diagonal.
 */
static const char *make_planned(const struct sim_options *o, const struct shape *shape, struct problem *p)
{
    const char *otherwise = o->operator== OPERATOR_SPMV ? "diagonal" : "is:mm";
    struct plan_choice choice = {.rows_held = o->held ? (unsigned)o->held : shape->tile_width,
                                 .lines = shape->tile_height,
                                 .packet_bytes = (uint32_t)o->packet_bytes};
    const struct plan_description d = {.variant = &p->variant,
                                       .operator= p->window.height   ? PLAN_CONVOLUTION
                                       : o->operator== OPERATOR_SPMM ? PLAN_SPMM
                                                                     : PLAN_SPMV,
                                       .weights = &p->matrix,
                                       .window = p->window.height ? &p->window : NULL,
                                       .m = p->window.height ? 1 : p->rows,
                                       .element = 2,
                                       .density = o->act_density};
    if (o->plan && !strcmp(o->plan, "auto"))
        return make_chosen(&d, p);
    return parse_plan(o->plan ? o->plan : otherwise, &choice)
               ? plan_why(plan_make(&d, &choice, &p->plan))
               : "no such plan: is, os or ws with a split, as is:mn, of a convolution also with ,natural; "
                 "stay, pages, diagonal; auto";
}

/* Of a pooling, all of a window with a weight of 1. */
static struct sparse window_weights(const struct sim_options *o, const struct plan_window *w)
{
    struct sparse weights = sparse_random(w->depthwise ? w->channels : (uint32_t)o->n,
                                          w->side_y * w->side_x * (w->depthwise ? 1 : w->channels),
                                          w->maximum ? 1 : o->density, o->seed);
    for (uint32_t i = 0; w->maximum && i < weights.start[weights.rows]; i++)
        weights.value[i] = 1;
    return weights;
}

/* Rows of the result are pixels, columns are channels. */
static const char *make_convolution_plan(const struct sim_options *o, const struct operands *given,
                                         struct problem *p)
{
    struct shape shape;
    if (!shape_read(o->shape, &shape))
        return "no shape of a convolution";
    p->window = shape.window;
    p->window.maximum = o->operator== OPERATOR_MAXPOOL;
    p->window.depthwise = o->operator== OPERATOR_DEPTHWISE || p->window.maximum;
    p->matrix = given ? given->matrix : window_weights(o, &p->window);
    p->rows = plan_window_out_height(&p->window) * plan_window_out_width(&p->window);
    p->columns = p->matrix.rows;
    return make_planned(o, &shape, p);
}

static const char *make_plan(const struct sim_options *o, const struct operands *given, struct problem *p)
{
    bool spmm = o->operator== OPERATOR_SPMM;
    if (o->operator== OPERATOR_EMPTY)
        return make_empty_plan(p);
    if (o->operator== OPERATOR_JOIN)
        return make_join_plan(o, p);
    if (o->operator== OPERATOR_SOFTMAX)
        return make_softmax_plan(o, p);
    if (operator_has_windows(o->operator))
        return make_convolution_plan(o, given, p);
    p->matrix = given ? given->matrix
                      : sparse_random((uint32_t)(spmm ? o->n : o->rows), (uint32_t)o->k, o->density, o->seed);
    p->rows = spmm ? (uint32_t)o->rows : 1;
    p->columns = p->matrix.rows;
    return make_planned(o, &(struct shape){.tile_width = 0}, p);
}

/* ---- places in memory ------------------------------------------------------------------------- */

/* Guards are longer by chance, so that buffers begin at any multiple of 64. */
static uint64_t guard(struct random *random)
{
    return GUARD_BYTES + SLOT_ALIGNMENT * random_below(random, 64);
}

static void place_slots(struct problem *p, struct random *random)
{
    const uint64_t sizes[ISA_SLOTS] = {
        [SLOT_PROGRAM] = p->plan.program.len, [SLOT_STATUS] = ISA_STATUS_BYTES,
        [SLOT_WEIGHTS] = p->plan.weights.len, [SLOT_INPUT] = p->plan.input_bytes,
        [SLOT_OUTPUT] = p->plan.output_bytes, [SLOT_SCRATCH] = p->plan.scratch_bytes,
        [SLOT_EXTRA] = p->plan.operand_bytes};
    uint64_t at = 0;
    for (unsigned s = 0; s < ISA_SLOTS; s++) {
        if (!sizes[s])
            continue;
        at += guard(random);
        p->job.slot[s].address = at;
        p->job.slot[s].size = sizes[s];
        at = math_round_up(at + sizes[s], SLOT_ALIGNMENT);
    }
    p->bytes = at + guard(random);
}

/* At the start of memory, across 4 GiB, or at its very end. */
static const char *place_image(struct problem *p, struct random *random)
{
    const uint64_t bytes = (p->bytes + 4095) / 4096 * 4096;
    const uint64_t bases[] = {0, FOUR_GIB - bytes / 8192 * 4096, MEMORY_BYTES_DEFAULT - bytes};
    if (bytes > FOUR_GIB)
        return "the buffers are too large";
    p->bytes = bytes;
    p->base = bases[random_below(random, 3)];
    for (unsigned s = 0; s < ISA_SLOTS; s++)
        p->job.slot[s].address += p->job.slot[s].size ? p->base : 0;
    return NULL;
}

static uint8_t *slot_bytes(const struct problem *p, uint8_t *image, unsigned slot)
{
    return p->job.slot[slot].size ? image + (p->job.slot[slot].address - p->base) : NULL;
}

static uint64_t problem_activations(const struct problem *p)
{
    const struct plan_window *w = &p->window;
    return w->height ? (uint64_t)w->height * w->width * w->channels : (uint64_t)p->rows * p->matrix.columns;
}

/* Where activation i of the operand is. */
static uint64_t input_offset(const struct problem *p, uint64_t i)
{
    const struct plan_window *w = &p->window;
    const uint32_t columns = w->height ? w->channels : p->matrix.columns, row = (uint32_t)(i / columns),
                   column = (uint32_t)(i % columns);
    return w->height ? plan_pixel_offset(&p->plan, 0, row / w->width, row % w->width) + column
                     : plan_input_offset(&p->plan, row, column);
}

static const char *fill_input(const struct sim_options *o, uint64_t seed, struct problem *p, uint8_t *input)
{
    const uint64_t count = problem_activations(p);
    if (!input || p->pair.elements || p->softmax.rows) /* these operands are anything */
        return NULL;
    p->activations = malloc(count + 1);
    if (!p->activations || !generate_activations(p->activations, count, o->act_density, seed))
        return "the activations cannot be made";
    memset(input, 0, p->plan.input_bytes);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t at = input_offset(p, i);
        if (at != PLAN_NOWHERE)
            input[at] = (uint8_t)p->activations[i];
    }
    plan_repeat(&p->plan, input);
    return NULL;
}

/* Anything in guards and in what the job writes; what the plan reads behind the operands is 0. */
static const char *fill_image(const struct sim_options *o, uint64_t seed, struct problem *p,
                              struct random *random)
{
    p->image = malloc(p->bytes);
    p->expected = malloc(p->bytes);
    if (!p->image || !p->expected)
        return "out of memory";
    for (uint64_t i = 0; i < p->bytes; i++)
        p->image[i] = (uint8_t)random_next(random);
    memcpy(slot_bytes(p, p->image, SLOT_PROGRAM), p->plan.program.text, p->plan.program.len);
    if (p->plan.weights.len)
        memcpy(slot_bytes(p, p->image, SLOT_WEIGHTS), p->plan.weights.text, p->plan.weights.len);
    const char *why = fill_input(o, seed, p, slot_bytes(p, p->image, SLOT_INPUT));
    if (why)
        return why;
    memcpy(p->expected, p->image, p->bytes);
    return NULL;
}

/* ---- what is to come out ---------------------------------------------------------------------- */

static struct job job_in(const struct problem *p, uint8_t *image)
{
    struct job job = {.number = p->job.number};
    for (unsigned s = 0; s < ISA_SLOTS; s++) {
        job.slots[s].bytes = slot_bytes(p, image, s);
        job.slots[s].size = p->job.slot[s].size;
    }
    return job;
}

static const char *run_model(struct problem *p)
{
    struct job job = job_in(p, p->expected);
    struct model *model = model_new(&p->variant);
    if (!model)
        return "out of memory";
    model_run(model, &job, &p->model);
    model_free(model);
    return p->model.code ? "the functional model refuses the plan" : NULL;
}

/* Cycles of the job on `copy`, memory of its own, and what it leaves to the next one; NULL or why not. */
static const char *model_cycles(const struct problem *p, const struct cycle_options *options, uint8_t *copy,
                                uint64_t *cycles, struct cycle_behind *behind)
{
    struct cycle_report report = {0};
    if (!copy)
        return "out of memory";
    memcpy(copy, p->image, p->bytes);
    struct job job = job_in(p, copy);
    if (!cycle_run(&p->variant, options, &job, &report))
        return "out of memory";
    const bool failed = report.result.code != JOB_OK;
    *cycles = report.result.cycles;
    *behind = report.behind;
    cycle_report_free(&report);
    return failed ? "the cycle model refuses the plan" : NULL;
}

static const char *run_cycle_model(const struct sim_options *o, struct problem *p)
{
    struct cycle_options options = cycle_defaults(&p->variant);
    struct cycle_behind behind, unused;
    uint8_t *copy = malloc(p->bytes), *next = malloc(p->bytes);
    options.latency = (unsigned)o->latency;
    options.limit = CYCLE_LIMIT;
    const char *why = model_cycles(p, &options, copy, &p->cycles, &behind);
    if (!why && p->variant.job_queue && o->jobs > 1 && behind.hand) {
        options.behind = &behind;
        why = model_cycles(p, &options, next, &p->behind, &unused);
    }
    free(copy);
    free(next);
    return why;
}

uint64_t problem_nonzeros(const struct problem *p)
{
    return p->matrix.start ? p->matrix.start[p->matrix.rows] : 0;
}

/* Images and operands without weights are read as a whole. */
static double roofline_of(const struct problem *p)
{
    const uint64_t macs = p->model.effective_macs;
    const bool product = p->matrix.start && !p->window.height;
    const struct limits limits = product ? limits_of_product(&p->variant, macs, &p->matrix, p->rows)
                                         : limits_of(&p->variant, macs, problem_nonzeros(p),
                                                     problem_activations(p), (uint64_t)p->rows * p->columns);
    return roofline(&limits);
}

const char *problem_make(const struct sim_options *o, const struct variant *variant,
                         const struct operands *given, struct problem *p)
{
    *p = (struct problem){.variant = *variant};
    struct random random = {o->seed};
    const char *why = make_plan(o, given, p);
    p->job.number = (uint32_t)random_next(&random);
    if (!why) {
        place_slots(p, &random);
        why = place_image(p, &random);
    }
    why = why ? why : fill_image(o, given ? given->activation_seed : (uint64_t)o->seed + 1, p, &random);
    why = why ? why : run_model(p);
    why = why ? why : run_cycle_model(o, p);
    p->roofline = roofline_of(p);
    p->job.cycles = o->limit ? (uint64_t)o->limit : 20 * p->cycles + 100000;
    p->job.nanoseconds = o->seconds * 1000000000u;
    return why;
}

void problem_free(struct problem *p)
{
    plan_free(&p->plan);
    sparse_free(&p->matrix);
    free(p->image);
    free(p->expected);
    free(p->activations);
}

/* ---- looking at results ------------------------------------------------------------------------ */

/* The activation that a kernel's place is multiplied with, from the corner of the window on. */
static size_t tap_offset(const struct plan_window *w, uint32_t channel, uint32_t place)
{
    uint32_t taps = w->side_x * (w->depthwise ? 1 : w->channels);
    uint32_t across = place % taps;
    if (w->depthwise)
        across = across * w->channels + channel;
    return (size_t)(place / taps) * w->width * w->channels + across;
}

static int32_t plain_pixel(const struct problem *p, uint32_t pixel, uint32_t channel)
{
    const struct plan_window *w = &p->window;
    uint32_t across = plan_window_out_width(w), y = pixel / across * w->stride_y,
             x = pixel % across * w->stride_x;
    const int8_t *corner = p->activations + ((size_t)y * w->width + x) * w->channels;
    const struct sparse *m = &p->matrix;
    int32_t sum = 0, largest = INT32_MIN;
    for (uint32_t i = m->start[channel]; i < m->start[channel + 1]; i++) {
        int32_t product = corner[tap_offset(w, channel, m->column[i])] * m->value[i];
        sum += product;
        largest = product > largest ? product : largest;
    }
    return w->maximum ? largest : sum;
}

static int32_t plain(const struct problem *p, uint32_t row, uint32_t column)
{
    if (p->window.height)
        return plain_pixel(p, row, column);
    const int8_t *a = p->activations + (size_t)row * p->matrix.columns;
    const struct sparse *w = &p->matrix;
    int32_t sum = 0;
    for (uint32_t i = w->start[column]; i < w->start[column + 1]; i++)
        sum += a[w->column[i]] * w->value[i];
    return sum;
}

/* Sums wrap at the width of an accumulator before they are written. */
static int32_t wrapped(const struct problem *p, int32_t value)
{
    unsigned width = p->variant.acc_width < 32 ? p->variant.acc_width : 32;
    return (int32_t)((uint32_t)value << (32 - width)) >> (32 - width);
}

static int64_t plain_join(const struct plan_pair *pair, int8_t first, int8_t second)
{
    const struct plan_function *f = &pair->function;
    const struct num_operand scaled = {.multiplier = pair->join.multiplier,
                                       .left = 20,
                                       .shift = pair->join.shift},
                             halved = {.multiplier = 1 << 30, .left = 20, .shift = 31};
    struct num_join join = {.joining = (enum num_joining)(pair->join.join - JOIN_ADD),
                            .a = pair->join.scale_first ? scaled : halved,
                            .b = pair->join.scale_first ? halved : scaled,
                            .step = {.function = NUM_REQUANTISE,
                                     .element = NUM_INT8,
                                     .multiplier = f->multiplier,
                                     .shift = f->shift,
                                     .low = (int16_t)f->low,
                                     .high = (int16_t)f->high,
                                     .zero = (int16_t)f->zero,
                                     .rounding = (enum num_rounding)f->rounding}};
    join.a.zero = pair->first_zero;
    join.b.zero = pair->join.zero;
    return num_join_apply(&join, first, second);
}

static bool check_join(const struct problem *p, const uint8_t *image, struct strbuf *why)
{
    const int8_t *slot[ISA_SLOTS];
    for (unsigned s = 0; s < ISA_SLOTS; s++)
        slot[s] = (const int8_t *)image + (p->job.slot[s].address - p->base);
    for (uint64_t i = 0; i < p->pair.elements; i++) {
        const int64_t got = slot[SLOT_OUTPUT][i],
                      wanted = plain_join(&p->pair, slot[SLOT_INPUT][i],
                                          slot[SLOT_EXTRA][p->pair.vector ? i % p->pair.vector : i]);
        if (got == wanted)
            continue;
        sb_addf(why, "element %llu is %lld, a plain computation gives %lld", (unsigned long long)i,
                (long long)got, (long long)wanted);
        return false;
    }
    return true;
}

static bool check_softmax_row(const struct problem *p, uint32_t r, const int8_t *from, const uint8_t *to,
                              struct strbuf *why)
{
    const struct plan_softmax *s = &p->softmax;
    const struct num_softmax softmax = {.input = NUM_INT8,
                                        .result = (enum num_element)s->element,
                                        .multiplier = s->multiplier,
                                        .shift = s->shift,
                                        .least = s->least};
    int32_t number[NUM_SOFTMAX_MOST];
    for (uint32_t i = 0; i < s->elements; i++)
        number[i] = from[i];
    num_softmax(&softmax, number, number, s->elements);
    for (uint32_t i = 0; i < s->elements; i++) {
        const int64_t got = num_get_element(to + ((uint64_t)i << s->element), (enum num_element)s->element);
        if (got == number[i])
            continue;
        sb_addf(why, "element %u of row %u is %lld, a plain computation gives %d", i, r, (long long)got,
                number[i]);
        return false;
    }
    return true;
}

static bool check_softmax(const struct problem *p, const uint8_t *image, struct strbuf *why)
{
    const uint8_t *from = image + (p->job.slot[SLOT_INPUT].address - p->base),
                  *to = image + (p->job.slot[SLOT_OUTPUT].address - p->base);
    for (uint32_t r = 0; r < p->softmax.rows; r++)
        if (!check_softmax_row(p, r, (const int8_t *)from + (uint64_t)r * p->plan.layout.input_pitch,
                               to + (uint64_t)r * p->plan.output_pitch, why))
            return false;
    return true;
}

bool problem_check_plainly(const struct problem *p, const uint8_t *image, struct strbuf *why)
{
    if (p->pair.elements)
        return check_join(p, image, why);
    if (p->softmax.rows)
        return check_softmax(p, image, why);
    if (!p->rows)
        return true;
    const uint8_t *output = image + (p->job.slot[SLOT_OUTPUT].address - p->base);
    for (uint32_t r = 0; r < p->rows; r++)
        for (uint32_t c = 0; c < p->columns; c++) {
            int32_t got = (int32_t)plan_result(&p->plan, output, r, c, 0),
                    wanted = wrapped(p, plain(p, r, c));
            if (got == wanted)
                continue;
            sb_addf(why, "result [%u][%u] is %d, a plain computation gives %d", r, c, got, wanted);
            return false;
        }
    return true;
}

void problem_place(const struct problem *p, uint64_t at, struct strbuf *to)
{
    static const char *const names[ISA_SLOTS] = {
#define X(number, name, NAME, text) [(number)] = #name,
        ISA_ARGUMENT_LIST(X)
#undef X
    };
    const char *before = NULL;
    for (unsigned s = 0; s < ISA_SLOTS; s++) {
        uint64_t first = p->job.slot[s].address - p->base;
        if (!p->job.slot[s].size || at < first)
            continue;
        before = names[s];
        if (at - first < p->job.slot[s].size) {
            sb_addf(to, "%s + 0x%llx", before, (unsigned long long)(at - first));
            return;
        }
    }
    sb_addf(to, before ? "the guard behind %s" : "the guard before the first buffer%s", before ? before : "");
}

bool problem_is_status(const struct problem *p, uint64_t at)
{
    uint64_t first = p->job.slot[SLOT_STATUS].address - p->base;
    return at >= first && at - first < ISA_STATUS_BYTES;
}
