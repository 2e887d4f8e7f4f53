/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/fuzz/tool/subject.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/math.h"
#include "sim/verilated/packet_list.h"
#include "tests/host_plan/results.h"
#include "tests/sim_model/banked.h"
#include "tests/sim_model/tile.h"

/* A matrix product, or a convolution, while it is made: weights, and what comes of them. */
struct product {
    const struct variant *v;
    struct random dice;
    struct sparse w;
    struct plan plan;
    int32_t *natural; /* less the zero point */
    uint8_t *input, *output;
    uint8_t *operand; /* the second one, as the plan reads it; NULL: none */
    bool *known;      /* bytes of the output */
    struct plan_description d;
    struct plan_window window;
    struct product_channel {
        int64_t *bias;
        int32_t *multiplier;
        uint8_t *shift;
        int16_t *low, *high;
    } own; /* of each row of the weights; NULL: no channel has numbers of its own */
    int8_t lookup[256];
};

/* ---- operands -------------------------------------------------------------------------------- */

static void *wanted(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

/* Rows of the given density, some of another, some empty. `band`: only columns that close to the diagonal.
 * Where there are plain packets, many have all weights, and where there are bitmaps, many have as many in
 * each row: by dice of their own, as each would become another one with those of the others. */
static void random_matrix(struct product *p, unsigned density, uint32_t band)
{
    struct sparse *s = &p->w;
    s->start = wanted(calloc((size_t)s->rows + 1, sizeof *s->start));
    s->column = wanted(malloc(((size_t)s->rows * s->columns + 1) * sizeof *s->column));
    s->value = wanted(malloc(((size_t)s->rows * s->columns + 1) * sizeof *s->value));
    struct random own = {p->dice.state ^ UINT64_C(0x504C4149)};
    const bool full = p->v->plain_weights && random_chance(&own, 40),
               pruned = p->v->bitmap_weights && random_chance(&own, 70);
    const unsigned kept = 15 + (unsigned)random_below(&own, 60);
    uint32_t count = 0, lonely = (uint32_t)random_below(&p->dice, s->rows);
    for (uint32_t r = 0; r < s->rows; r++) {
        unsigned percent = random_chance(&p->dice, 10) ? (unsigned)random_below(&p->dice, 101) : density;
        percent = random_chance(&p->dice, 15) ? 0 : percent;
        percent = pruned && !random_chance(&own, 5) ? kept : percent;
        for (uint32_t c = r > band ? r - band : 0; c < s->columns && c <= r + (uint64_t)band; c++)
            if (random_chance(&p->dice, percent) || full || (density == 0 && r == lonely && c == 0)) {
                s->column[count] = c;
                s->value[count++] = (int32_t)random_signed_non_zero(&p->dice, p->v->data_width);
            }
        s->start[r + 1] = count;
    }
}

static int32_t activation(struct product *p, unsigned acts)
{
    if (!random_chance(&p->dice, acts))
        return 0;
    const int64_t bits = random_signed(&p->dice, p->v->data_width);
    return (int32_t)((p->d.has_no_sign ? bits & ((1 << p->v->data_width) - 1) : bits) - p->d.zero);
}

/* Lowest byte first. */
static void put_input(struct product *p, uint64_t at, int32_t value)
{
    for (unsigned i = 0; i < p->v->data_width / 8; i++)
        p->input[at + i] = (uint8_t)((value + p->d.zero) >> (8 * i));
}

/* By dice of their own, so that the operators of other variants stay what they were. */
static void choose_zero_point(struct product *p)
{
    struct random own = {p->dice.state ^ UINT64_C(0x5A45524F)};
    const int values = 1 << p->v->data_width;
    if (!p->v->zero_points)
        return;
    p->d.has_no_sign = random_chance(&own, 50);
    p->d.zero = (int)random_below(&own, (unsigned)values) - (p->d.has_no_sign ? 0 : values / 2);
}

/* In variants with a table of channels, by dice of their own, too. */
static void choose_channels(struct product *p)
{
    struct random own = {p->dice.state ^ UINT64_C(0x4348414E)};
    const size_t rows = p->w.rows;
    struct plan_channels *c = &p->d.channels;
    if (!p->v->channel_groups || rows > (size_t)p->v->channel_groups * p->v->k || random_chance(&own, 30))
        return;
    p->own = (struct product_channel){.bias = wanted(calloc(rows, sizeof *p->own.bias)),
                                      .multiplier = wanted(calloc(rows, sizeof *p->own.multiplier)),
                                      .shift = wanted(calloc(rows, sizeof *p->own.shift)),
                                      .low = wanted(calloc(rows, sizeof *p->own.low)),
                                      .high = wanted(calloc(rows, sizeof *p->own.high))};
    for (size_t i = 0; i < rows; i++) {
        p->own.bias[i] = random_signed(&own, 20);
        p->own.multiplier[i] = (int32_t)random_signed(&own, 14);
        p->own.shift[i] = (uint8_t)random_below(&own, 24);
        p->own.low[i] = (int16_t)random_signed(&own, 12);
        p->own.high[i] = (int16_t)random_signed(&own, 16);
    }
    *c = (struct plan_channels){.bias = p->own.bias,
                                .multiplier = p->own.multiplier,
                                .shift = p->own.shift,
                                .low = p->own.low,
                                .high = p->own.high};
    c->has_scale = random_chance(&own, 60);
    c->has_limits = random_chance(&own, 40);
    c->has_bias = random_chance(&own, 60) || !(c->has_scale || c->has_limits);
    if (c->has_scale || c->has_limits)
        p->d.function = (struct plan_function){
            .function = NUM_REQUANTISE, .multiplier = 77, .shift = 5, .low = -3000, .high = 3000, .zero = 9};
}

/* Some of those that have a table of channels are joined or looked up, by dice of their own, too. */
static void choose_results(struct product *p)
{
    struct random own = {p->dice.state ^ UINT64_C(0x52534C54)};
    struct plan_description *d = &p->d;
    if (!p->own.bias || random_chance(&own, 30))
        return;
    const bool joins = p->v->joins && d->operator!= PLAN_SPMV && random_chance(&own, p->v->lookup ? 60 : 100);
    if (!joins && !p->v->lookup)
        return;
    d->element = random_range(&own, NUM_INT8, NUM_INT16);
    d->results_have_no_sign = p->v->zero_points && random_chance(&own, 40);
    d->function.rounding = p->v->roundings ? (unsigned)random_below(&own, NUM_ROUNDINGS) : 0;
    if (joins) {
        results_join(d, &own);
        return;
    }
    d->function.multiplier = (int32_t)random_signed(&own, 14);
    d->function.shift = (unsigned)random_below(&own, 24);
    d->function.low = (int)random_signed(&own, 8);
    d->function.high = (int)random_signed(&own, 8);
    results_look_up(d, p->lookup, &own);
}

/* The plan's buffers; inputs are any bytes. */
static void make_bytes(struct product *p, struct random *dice)
{
    p->input = wanted(calloc(p->plan.input_bytes + 1, 1));
    p->output = wanted(calloc(p->plan.output_bytes + 1, 1));
    p->known = wanted(calloc(p->plan.output_bytes + 1, sizeof *p->known));
    for (uint64_t i = 0; i < p->plan.input_bytes; i++)
        p->input[i] = (uint8_t)random_below(dice, 256);
}

/* Operands in natural order, `inputs` of them, and the plan's buffers; what the plan reads behind them is 0.
 */
static void make_arrays(struct product *p, uint64_t inputs, unsigned acts)
{
    const uint32_t columns = p->d.window ? p->window.channels : p->w.columns;
    const uint32_t width = p->window.width;
    const bool image = p->d.window;
    assert(columns && (width || !image));
    p->natural = wanted(calloc(inputs + 1, sizeof *p->natural));
    p->input = wanted(calloc(p->plan.input_bytes + 1, 1));
    p->output = wanted(calloc(p->plan.output_bytes + 1, 1));
    p->known = wanted(calloc(p->plan.output_bytes + 1, sizeof *p->known));
    p->operand = p->d.join.join ? wanted(calloc(p->plan.operand_bytes + 1, 1)) : NULL;
    for (uint64_t i = 0; i < inputs; i++) {
        const uint32_t row = (uint32_t)(i / columns), column = (uint32_t)(i % columns);
        p->natural[i] = activation(p, acts);
        const uint64_t at =
            image ? plan_pixel_offset(&p->plan, 0, row / width, row % width) + column * (p->v->data_width / 8)
                  : plan_input_offset(&p->plan, row, column);
        if (at != PLAN_NOWHERE)
            put_input(p, at, p->natural[i]);
    }
    plan_repeat(&p->plan, p->input);
}

/* Result n of row m of a complete sum, with the second operand. */
static void set_result(struct product *p, uint32_t m, uint32_t n, int64_t sum)
{
    const struct plan_join *join = &p->d.join;
    const uint64_t at = plan_output_offset(&p->plan, m, n);
    int16_t operand = 0;
    if (at == PLAN_NOWHERE)
        return;
    if (join->join) {
        operand = (int16_t)random_signed(&p->dice, 8u << join->element);
        results_write(p->operand + plan_operand_offset(&p->plan, m, n), join->element, join->has_no_sign,
                      operand);
    }
    results_write(p->output + at, p->d.element, false,
                  results_expected(&p->d, n, sum, join->join ? &operand : NULL));
    for (unsigned b = 0; b < 1u << p->d.element; b++)
        p->known[at + b] = true;
}

static void free_product(struct product *p)
{
    plan_free(&p->plan);
    sparse_free(&p->w);
    free(p->natural);
    free(p->input);
    free(p->output);
    free(p->known);
    free(p->operand);
    free(p->own.bias);
    free(p->own.multiplier);
    free(p->own.shift);
    free(p->own.low);
    free(p->own.high);
}

/* ---- plain computations ----------------------------------------------------------------------- */

/* Row r of the matrix times a vector. */
static int64_t dot(const struct product *p, uint32_t r, const int32_t *vector)
{
    int64_t sum = 0;
    for (uint32_t i = p->w.start[r]; i < p->w.start[r + 1]; i++)
        sum += (int64_t)p->w.value[i] * vector[p->w.column[i]];
    return sum;
}

static void multiply(struct product *p, uint32_t rows)
{
    for (uint32_t m = 0; m < rows; m++)
        for (uint32_t r = 0; r < p->w.rows; r++)
            set_result(p, m, r, dot(p, r, p->natural + (size_t)m * p->w.columns));
}

/* A depthwise convolution or maximum: the kernel of channel r on the image at (y, x). */
static int64_t dot_of_channel(const struct product *p, const struct plan_window *c, uint32_t r, uint32_t y,
                              uint32_t x)
{
    int64_t sum = 0, largest = num_maximum_of_nothing(p->v->data_width);
    for (uint32_t i = p->w.start[r]; i < p->w.start[r + 1]; i++) {
        uint32_t dy = p->w.column[i] / c->side_x, dx = p->w.column[i] % c->side_x;
        int64_t product =
            (int64_t)p->w.value[i] * p->natural[(((size_t)y + dy) * c->width + x + dx) * c->channels + r];
        sum += product;
        largest = product > largest ? product : largest;
    }
    return c->maximum ? largest : sum;
}

/* The patch of the image under the kernel at (y, x), in the order of the kernel's columns. */
static void gather(const struct product *p, const struct plan_window *c, uint32_t y, uint32_t x,
                   int32_t *patch)
{
    size_t line = (size_t)c->side_x * c->channels;
    for (uint32_t dy = 0; dy < c->side_y; dy++)
        memcpy(patch + dy * line, p->natural + ((size_t)(y + dy) * c->width + x) * c->channels,
               line * sizeof *patch);
}

static void convolve(struct product *p, const struct plan_window *c)
{
    int32_t *patch = wanted(malloc((size_t)c->side_y * c->side_x * c->channels * sizeof *patch));
    uint32_t height = plan_window_out_height(c), width = plan_window_out_width(c);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            gather(p, c, y * c->stride_y, x * c->stride_x, patch);
            for (uint32_t r = 0; r < p->w.rows; r++)
                set_result(p, y * width + x, r,
                           c->depthwise ? dot_of_channel(p, c, r, y * c->stride_y, x * c->stride_x)
                                        : dot(p, r, patch));
        }
    free(patch);
}

/* ---- planned operators ------------------------------------------------------------------------ */

static void take_product(struct subject *s, struct product *p)
{
    struct slots *slots = &s->victim.slots;
    slots_set(slots, SLOT_PROGRAM, p->plan.program.text, p->plan.program.len);
    slots_set(slots, SLOT_STATUS, NULL, ISA_STATUS_BYTES);
    slots_set(slots, SLOT_WEIGHTS, sb_text(&p->plan.weights), p->plan.weights.len);
    slots_set(slots, SLOT_INPUT, p->input, p->plan.input_bytes);
    slots_set(slots, SLOT_OUTPUT, NULL, p->plan.output_bytes);
    if (p->operand)
        slots_set(slots, SLOT_EXTRA, p->operand, p->plan.operand_bytes);
    if (p->plan.scratch_bytes)
        slots_set(slots, SLOT_SCRATCH, NULL, p->plan.scratch_bytes);
    s->victim.result_slot = SLOT_OUTPUT;
    s->victim.result = p->output;
    s->known = p->known;
    p->output = NULL;
    p->known = NULL;
}

/* A mapping and a split by chance, most often the usual ones. */
static struct plan_choice random_choice(struct product *p)
{
    struct plan_choice choice = {.split = {PLAN_M, PLAN_M}};
    if (random_chance(&p->dice, 50))
        return choice;
    choice.mapping = (enum plan_mapping)random_below(&p->dice, PLAN_MAPPINGS);
    choice.split.rows = (enum plan_axis)random_below(&p->dice, PLAN_AXES);
    choice.split.columns = (enum plan_axis)random_below(&p->dice, PLAN_AXES);
    return choice;
}

static const char *make_spmm(struct product *p, const struct recipe *r)
{
    struct plan_choice choice = random_choice(p);
    choice.rows_held = (unsigned)r->held;
    choice.packet_bytes = (uint32_t)r->packet;
    p->w.rows = (uint32_t)r->n;
    p->w.columns = (uint32_t)r->k;
    p->d.m = (uint32_t)r->rows;
    choose_channels(p);
    choose_results(p);
    random_matrix(p, (unsigned)r->density, UINT32_MAX / 2);
    const char *why = plan_why(plan_make(&p->d, &choice, &p->plan));
    if (why)
        return why;
    make_arrays(p, r->rows * r->k, (unsigned)r->acts);
    multiply(p, (uint32_t)r->rows);
    return NULL;
}

static const char *make_spmv(struct product *p, const struct recipe *r)
{
    struct plan_choice choice = {.gather = PLAN_GATHER_DIAGONAL, .packet_bytes = (uint32_t)r->packet};
    uint32_t band = random_chance(&p->dice, 70) ? UINT32_MAX / 2 : random_range(&p->dice, 1, 40);
    p->w.rows = (uint32_t)r->rows;
    p->w.columns = (uint32_t)r->k;
    p->d.operator= PLAN_SPMV;
    p->d.m = 1;
    choose_channels(p);
    choose_results(p);
    if (p->own.bias) /* which the plan along the diagonal does not have */
        choice.gather = PLAN_GATHER_STAY;
    random_matrix(p, (unsigned)r->density, band);
    const char *why = plan_why(plan_make(&p->d, &choice, &p->plan));
    if (why)
        return why;
    if (p->plan.layout.more_count)
        return "results are sums of parts, which the host adds";
    make_arrays(p, r->k, (unsigned)r->acts);
    multiply(p, 1);
    return NULL;
}

/* Half of the time, where clusters can: as many channels as PEs, or twice as many. */
static void make_depthwise(struct product *p)
{
    struct plan_window *c = &p->window;
    uint32_t channels = p->v->k;
    while (channels % 8)
        channels += p->v->k;
    c->depthwise = p->v->scatter && random_chance(&p->dice, 50);
    if (!c->depthwise)
        return;
    c->maximum = p->v->functions >> VARIANT_MAX & 1 && random_chance(&p->dice, 40);
    c->channels = channels * (channels <= 16 ? c->channels / 8 : 1);
    p->w.rows = c->channels;
    p->w.columns = c->side_y * c->side_x;
}

static const char *make_convolution(struct product *p, const struct recipe *r)
{
    struct random *d = &p->dice;
    struct plan_window *c = &p->window;
    struct plan_choice choice = random_choice(p);
    *c = (struct plan_window){.channels = 8 * random_range(d, 1, 2), .dilation_y = 1, .dilation_x = 1};
    c->side_y = c->side_x = random_range(d, 1, 3);
    c->stride_y = c->stride_x = random_chance(d, 25) ? 2 : 1;
    c->width = c->side_x + c->stride_x * random_range(d, 0, 6);
    c->height = c->side_y + c->stride_y * random_range(d, 0, 6);
    choice.rows_held = random_range(d, 1, plan_window_out_width(c));
    choice.lines = random_range(d, 1, plan_window_out_height(c));
    choice.natural = random_chance(d, 50);
    p->w.rows = (uint32_t)(r->n < 24 ? r->n : 24);
    p->w.columns = c->side_y * c->side_x * c->channels;
    p->d.operator= PLAN_CONVOLUTION;
    p->d.window = c;
    p->d.m = 1;
    make_depthwise(p);
    choose_channels(p);
    choose_results(p);
    random_matrix(p, (unsigned)r->density, UINT32_MAX / 2);
    const char *why = plan_why(plan_make(&p->d, &choice, &p->plan));
    if (why)
        return why;
    make_arrays(p, (uint64_t)c->height * c->width * c->channels, (unsigned)r->acts);
    convolve(p, c);
    return NULL;
}

static const char *const element_names[] = {"int8", "int16", "int32", "int64"};
static const char *const join_names[] = {"sum", "difference", "product"};

static void describe_results(const struct plan_description *d, struct strbuf *to)
{
    if (d->join.join)
        sb_addf(to, "%s with a second operand of %s%s\n", join_names[d->join.join - JOIN_ADD],
                d->join.has_no_sign ? "u" : "", element_names[d->join.element]);
    if (d->function.lookup)
        sb_addf(to, "looked up, stored as %s%s\n", d->results_have_no_sign ? "u" : "",
                element_names[d->element]);
}

/* What the plain computation has of each element. */
static void join_pair(struct product *p, const struct plan_pair *pair)
{
    for (uint64_t i = 0; i < pair->elements; i++) {
        const uint64_t place = pair->vector ? i % pair->vector : i, at = i << pair->element;
        const int64_t first = results_read(p->input + (i << pair->first_element), pair->first_element,
                                           pair->first_has_no_sign),
                      second = results_read(p->operand + (place << pair->join.element), pair->join.element,
                                            pair->join.has_no_sign);
        results_write(p->output + at, pair->element, false, results_of_pair(pair, first, second));
        memset(p->known + at, true, 1u << pair->element);
    }
}

static const char *make_product(struct subject *s, const struct recipe *r)
{
    struct product p = {.v = &s->victim.v, .dice = {r->numbers}};
    if (!r->rows || !r->k || !r->n)
        return "nothing to do";
    p.d = (struct plan_description){.variant = p.v, .operator= PLAN_SPMM, .weights = &p.w, .element = 2};
    choose_zero_point(&p);
    const char *why = r->operator== FUZZ_SPMM   ? make_spmm(&p, r)
                      : r->operator== FUZZ_SPMV ? make_spmv(&p, r)
                                                : make_convolution(&p, r);
    if (!why) {
        take_product(s, &p);
        describe_results(&p.d, &s->what);
    }
    free_product(&p);
    return why;
}

/* Two tensors without weights, or a tensor and a row: `rows` times `n`, which are groups of K then. */
static const char *make_pair(struct subject *s, const struct recipe *r)
{
    struct random dice = {r->numbers};
    const struct variant *v = &s->victim.v;
    struct plan_pair pair = results_pair(v, &dice);
    struct product p = {.v = v};
    pair.vector = random_chance(&dice, 40) ? (uint32_t)math_round_up(r->n, v->k) : 0;
    pair.elements = r->rows * (pair.vector ? pair.vector : r->n);
    const char *why = plan_why(plan_make_pair(&pair, &p.plan));
    if (why)
        return why;
    p.operand = wanted(calloc(p.plan.operand_bytes + 1, 1));
    make_bytes(&p, &dice);
    for (uint64_t i = 0; i < p.plan.operand_bytes; i++)
        p.operand[i] = (uint8_t)random_below(&dice, 256);
    join_pair(&p, &pair);
    take_product(s, &p);
    sb_addf(&s->what, "%s of %s%s and %s%s\n", join_names[pair.join.join - JOIN_ADD],
            pair.first_has_no_sign ? "u" : "", element_names[pair.first_element],
            pair.join.has_no_sign ? "u" : "", element_names[pair.join.element]);
    free_product(&p);
    return NULL;
}

/* Softmax of `rows` rows of `n` elements. */
static const char *make_softmax(struct subject *s, const struct recipe *r)
{
    struct random dice = {r->numbers};
    struct plan_softmax softmax = results_softmax(&s->victim.v, &dice);
    struct product p = {.v = &s->victim.v};
    softmax.rows = (uint32_t)r->rows;
    softmax.elements = (uint32_t)r->n;
    const char *why = plan_why(plan_make_softmax(&softmax, &p.plan));
    if (why)
        return why;
    const uint32_t pitch = p.plan.layout.input_pitch;
    make_bytes(&p, &dice);
    results_crowd(p.input, p.plan.input_bytes, &dice);
    for (uint64_t i = 0; i < softmax.rows; i++)
        results_of_row(&softmax, p.input + i * pitch, pitch, p.output + i * p.plan.output_pitch);
    memset(p.known, true, p.plan.output_bytes);
    take_product(s, &p);
    sb_addf(&s->what, "softmax of %sint8, stored as %s%s\n", softmax.has_no_sign ? "u" : "",
            softmax.results_have_no_sign ? "u" : "", element_names[softmax.element]);
    free_product(&p);
    return NULL;
}

/* ---- tiles and loops --------------------------------------------------------------------------- */

static const char *function_name(enum num_function function)
{
    static const char *const names[NUM_FUNCTIONS] = {"none",    "relu",    "leaky relu", "clamp",
                                                     "sigmoid", "tanh",    "requantise", "sum",
                                                     "max",     "average", "user",       "lookup"};
    return names[function];
}

static void describe_tile(const struct tile *t, struct strbuf *to)
{
    static const char *const ways[] = {"streamed", "resident", "rotating"};
    sb_addf(to, "rows 0x%x, clusters 0x%x, %u held, %u segments, %u blocks of %u, weights %s%s", t->rows,
            t->clusters, t->held, t->segments, t->blocks, t->length, ways[t->way],
            t->shared ? ", shared" : "");
    sb_addf(to, "%s%s%s%s", t->hold ? ", hold" : "", t->fused ? ", fused" : "", t->trigger ? ", trigger" : "",
            t->initial ? ", from partial sums" : "");
    if (t->maximum)
        sb_addf(to, ", maximum of vectors 0x%x", t->maximum);
    if (t->zeros)
        sb_add(to, ", zeros count");
    if (t->chain)
        sb_addf(to, ", chained %s to %s", function_name(t->chained.function),
                element_names[t->chained.element]);
    if (t->set_up)
        sb_addf(to, ", collectors: %s%s%s", t->source ? "source, " : "",
                t->sum_clusters ? "sum of clusters, " : "", t->sum_rows ? "sum of rows, " : "");
    if (t->source)
        sb_addf(to, "%s partial sums, ", element_names[t->partial_element]);
    if (t->final)
        sb_addf(to, "%s to %s%s%s%s", function_name(t->step.function), element_names[t->step.element],
                t->table.bias ? ", channels' bias" : "", t->table.scale ? ", channels' scale" : "",
                t->table.limits ? ", channels' limits" : "");
    sb_addf(to, ", stored as %s%s in runs of %u\n", element_names[t->element],
            t->interleave ? ", interleaved," : "", t->store.length);
}

static const char *make_tile(struct subject *s, const struct recipe *r)
{
    struct random dice = {r->numbers};
    struct tile tile;
    tile_make_of_size(&tile, &dice, &s->victim.v, (unsigned)r->size);
    s->victim.slots = tile.slots;
    s->victim.result_slot = tile.slot;
    s->victim.result = tile.expected;
    describe_tile(&tile, &s->what);
    return NULL;
}

static const char *make_loops(struct subject *s, const struct recipe *r)
{
    struct random dice = {r->numbers};
    const unsigned c[3] = {random_range(&dice, 1, 4), random_range(&dice, 1, 4), random_range(&dice, 1, 4)};
    const struct variant *v = &s->victim.v;
    size_t results;
    if (v->program_buffer < 16 || v->instruction_depth < 2)
        return "the loops are longer than the program buffer, or their sequence than an instruction buffer";
    make_transposition(v, c, &s->victim.slots, &results);
    s->victim.result_slot = SLOT_OUTPUT;
    s->victim.result = NULL; /* computed by the functional model, whose tests have it plainly */
    return NULL;
}

/* What comes of a program in the bank is what comes of it in memory. */
static void run_in_memory(struct subject *s, uint64_t seed)
{
    struct banked memory;
    struct job_result result;
    banked_make(&memory, &s->victim.v, SLOT_SCRATCH, seed, 0);
    struct model *model = wanted(model_new(&s->victim.v));
    model_run(model, &memory.slots.job, &result);
    assert(result.code == JOB_OK);
    const size_t bytes = memory.slots.job.slots[SLOT_OUTPUT].size;
    s->victim.result = wanted(malloc(bytes + 1));
    memcpy(s->victim.result, memory.slots.job.slots[SLOT_OUTPUT].bytes, bytes);
    model_free(model);
    banked_free(&memory);
}

static const char *make_bank(struct subject *s, const struct recipe *r)
{
    struct banked bank;
    if (!s->victim.v.local_bytes || !banked_possible(&s->victim.v))
        return "there is no bank, or an instruction buffer has room for one instruction only";
    banked_make(&bank, &s->victim.v, SLOT_BANK, r->numbers, 0);
    builder_free(&bank.b);
    s->victim.slots = bank.slots;
    s->victim.result_slot = SLOT_OUTPUT;
    run_in_memory(s, r->numbers);
    return NULL;
}

/* ---- all ------------------------------------------------------------------------------------- */

const char *subject_make(struct subject *s, const struct variant *v, const struct recipe *r)
{
    *s = (struct subject){.victim = {.v = *v}};
    const char *why = r->operator== FUZZ_TILE      ? make_tile(s, r)
                      : r->operator== FUZZ_LOOPS   ? make_loops(s, r)
                      : r->operator== FUZZ_PAIR    ? make_pair(s, r)
                      : r->operator== FUZZ_SOFTMAX ? make_softmax(s, r)
                      : r->operator== FUZZ_BANK    ? make_bank(s, r)
                                                   : make_product(s, r);
    for (unsigned i = 0; i < ISA_SLOTS; i++)
        s->room[i] = s->victim.slots.job.slots[i].size;
    if (why)
        subject_free(s);
    return why;
}

bool subject_agrees(const struct subject *s, const uint8_t *slot)
{
    bool same = true;
    for (uint64_t i = 0; s->victim.result && same && i < s->room[s->victim.result_slot]; i++)
        same = (s->known && !s->known[i]) || slot[i] == s->victim.result[i];
    return same;
}

void subject_free(struct subject *s)
{
    slots_free(&s->victim.slots);
    free(s->victim.result);
    free(s->known);
    s->known = NULL;
    sb_free(&s->what);
    s->victim.result = NULL;
}
