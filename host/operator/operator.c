/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators without a device: options are checked, the matrix is taken, a
 * plan is chosen, and programs and weights are packed.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/operator/kept.h"
#include "host/operator/operator.h"

#define BYTES_ASIDE 65536 /* of device memory: gaps between buffers, and what the driver keeps */

/* ---- what the caller asks ------------------------------------------------------------------------- */

static enum tulle_status check_epilogue(const struct variant *variant, enum tulle_type output,
                                        const struct tulle_epilogue *e)
{
    if ((unsigned)e->function >= TULLE_FUNCTIONS)
        return message_set(TULLE_INVALID_ARGUMENT, "the epilogue: there is no function %d", (int)e->function);
    if (e->function && !(variant->functions >> (e->function - 1) & 1))
        return message_set(TULLE_UNSUPPORTED, "the epilogue: variant %s was made without this function",
                           variant->name);
    const int words[] = {e->low, e->high, e->zero, e->slope};
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i] < INT16_MIN || words[i] > INT16_MAX)
            return message_set(TULLE_INVALID_ARGUMENT,
                               "the epilogue: low, high, zero and slope have 16 bits; %d has more", words[i]);
    if (e->shift > 63)
        return message_set(TULLE_INVALID_ARGUMENT, "the epilogue: a shift of %u; 0 to 63 are possible",
                           e->shift);
    if ((unsigned)e->rounding >= TULLE_ROUNDINGS)
        return message_set(TULLE_INVALID_ARGUMENT, "the epilogue: there is no rounding %d", (int)e->rounding);
    if (e->rounding && !variant->roundings)
        return message_set(TULLE_UNSUPPORTED,
                           "the epilogue: variant %s rounds halves up only; others need `roundings: on`",
                           variant->name);
    if (e->lookup && !variant->lookup)
        return message_set(TULLE_UNSUPPORTED, "the epilogue: variant %s was made without lookup",
                           variant->name);
    if (e->lookup && (e->function != TULLE_REQUANTISE || output != TULLE_INT8))
        return message_set(TULLE_INVALID_ARGUMENT,
                           "the epilogue: only numbers that are requantised to int8 are "
                           "looked up");
    if (e->reserved || e->reserved2)
        return message_set(TULLE_INVALID_ARGUMENT, "the epilogue: reserved is %d, not 0",
                           e->reserved ? e->reserved : e->reserved2);
    return TULLE_OK;
}

static enum tulle_status check_zero(const char *name, int zero, unsigned data_bytes, bool has_no_sign)
{
    const int values = 1 << (8 * data_bytes), least = has_no_sign ? 0 : -values / 2;
    if (zero >= least && zero < least + values)
        return TULLE_OK;
    return message_set(TULLE_INVALID_ARGUMENT, "%s: %d does not fit %sint%u", name, zero,
                       has_no_sign ? "u" : "", 8 * data_bytes);
}

static enum tulle_status check_sign(const struct variant *variant, const struct tulle_operator_options *o)
{
    if ((o->input_unsigned || o->output_unsigned) && !variant->zero_points)
        return message_set(TULLE_UNSUPPORTED, "%s_unsigned: variant %s was made without zero_points",
                           o->input_unsigned ? "input" : "output", variant->name);
    if (o->output_unsigned && o->output_type > TULLE_INT16)
        return message_set(TULLE_INVALID_ARGUMENT, "output_unsigned: results are int8 or int16 then, not %s",
                           matrix_type_name(o->output_type));
    return TULLE_OK;
}

/* Results without a sign are written plus this, so before that they are as much less. */
static int lift_of(const struct tulle_operator_options *o)
{
    return !o->output_unsigned ? 0 : o->output_type == TULLE_INT8 ? -INT8_MIN : -INT16_MIN;
}

static enum tulle_status lower_results(const struct tulle_operator_options *o, struct tulle_epilogue *e)
{
    const int lift = lift_of(o);
    if (!lift || o->operation == TULLE_SOFTMAX)
        return TULLE_OK;
    if (e->function != TULLE_REQUANTISE)
        return message_set(TULLE_INVALID_ARGUMENT, "output_unsigned: only requantised results and averages "
                                                   "have no sign");
    e->zero -= lift;
    e->low = channel_limit(e->low, lift);
    e->high = channel_limit(e->high, lift);
    return TULLE_OK;
}

static bool is_pool(enum tulle_operation operation)
{
    return operation == TULLE_MAX_POOL || operation == TULLE_AVERAGE_POOL;
}

/* How many dense rows there are: images say it themselves. */
static enum tulle_status check_dense(const struct tulle_operator_options *o)
{
    const bool window = operation_has_window(o->operation), spmv = o->operation == TULLE_SPMV;
    if (window != (o->window != NULL))
        return message_set(TULLE_INVALID_ARGUMENT,
                           "window is %s: convolutions and pools have one, products have none",
                           o->window ? "given" : "NULL");
    if (o->dense < 0 || o->dense > (window ? 0 : spmv ? 1 : INT32_MAX))
        return message_set(TULLE_INVALID_ARGUMENT, "dense is %lld; %s", (long long)o->dense,
                           window ? "the window says how many results there are"
                           : spmv ? "SpMV has one column"
                                  : "it is how many rows or columns the dense operand has");
    if (!window && !spmv && !o->dense)
        return message_set(TULLE_INVALID_ARGUMENT, "dense is 0: there is nothing to multiply with");
    return TULLE_OK;
}

static enum tulle_status check_options(const struct variant *variant, const struct tulle_operator_options *o)
{
    const unsigned data_bytes = variant->data_width / 8;
    if ((unsigned)o->operation >= TULLE_OPERATIONS)
        return message_set(TULLE_INVALID_ARGUMENT, "there is no operation %d", (int)o->operation);
    if ((unsigned)o->output_type > TULLE_INT64)
        return message_set(TULLE_INVALID_ARGUMENT, "results are int8, int16, int32 or int64, not %s",
                           matrix_type_name(o->output_type));
    if (!(o->input_density >= 0 && o->input_density <= 1))
        return message_set(TULLE_INVALID_ARGUMENT, "input_density is %g; it is from 0 to 1",
                           o->input_density);
    if (o->matrix_zero && o->quantise)
        return message_set(TULLE_INVALID_ARGUMENT,
                           "matrix_zero and quantise: values that are quantised have no zero point");
    enum tulle_status status = check_dense(o);
    if (!status)
        status = check_zero("matrix_zero", o->matrix_zero, data_bytes, false);
    if (!status)
        status = check_sign(variant, o);
    if (!status)
        status = softmax_check(variant, o);
    if (!status)
        status = second_check(variant, o);
    if (status || !o->second)
        return status ? status : check_zero("input_zero", o->input_zero, data_bytes, o->input_unsigned);
    const unsigned second_bytes = matrix_type_bytes(o->second->type);
    status = check_zero("second: zero", o->second->zero, second_bytes, o->second->has_no_sign);
    return status
               ? status
               : check_zero("input_zero", o->input_zero,
                            o->operation == TULLE_ELEMENTWISE ? second_bytes : data_bytes, o->input_unsigned);
}

static enum tulle_status read_wish(const struct tulle_plan_options *p, struct plan_wish *wish)
{
    static const char axes[] = "mnk";
    if (p->reserved)
        return message_set(TULLE_INVALID_ARGUMENT, "the plan: reserved is %u, not 0", p->reserved);
    *wish = (struct plan_wish){.mapping_given = p->mapping, .split_given = p->split};
    for (unsigned m = 0; m < PLAN_MAPPINGS && p->mapping; m++) {
        wish->mapping = (enum plan_mapping)m;
        if (!strcmp(p->mapping, plan_mapping_name(wish->mapping)))
            break;
        if (m + 1 == PLAN_MAPPINGS)
            return message_set(TULLE_INVALID_ARGUMENT, "mapping \"%s\": it is is, os or ws", p->mapping);
    }
    if (!p->split)
        return TULLE_OK;
    const bool two = strlen(p->split) == 2;
    const char *rows = two ? strchr(axes, p->split[0]) : NULL,
               *columns = two ? strchr(axes, p->split[1]) : NULL;
    if (!rows || !columns)
        return message_set(TULLE_INVALID_ARGUMENT, "split \"%s\": it is two of the letters m, n and k",
                           p->split);
    wish->split = (struct plan_split){(enum plan_axis)(rows - axes), (enum plan_axis)(columns - axes)};
    return TULLE_OK;
}

/* ---- objects ---------------------------------------------------------------------------------------- */

void planned_free(struct planned *op)
{
    sparse_free(&op->matrix);
    free(op->bias);
    channels_free(&op->own);
}

void packed_free(struct packed *packed)
{
    for (uint32_t i = 0; i < packed->parts; i++) {
        free(packed->part[i].partial);
        plan_free(&packed->part[i].plan);
    }
    free(packed->part);
    free(packed->bias);
    free(packed->bound);
    *packed = (struct packed){0};
}

/* ---- sums -------------------------------------------------------------------------------------------- */

int64_t operator_finish(const struct planned *op, int64_t sum)
{
    const struct plan_function function = planned_function(op);
    const struct num_step step = plan_function_step(&function, op->element);
    uint8_t bytes[8];
    assert(!op->own.multiplier && !op->own.low); /* then every result has a place on the device */
    int64_t value = num_apply(&step, num_wrap(sum, op->variant->acc_width));
    num_put_element(bytes, step.element, value);
    return num_get_element(bytes, step.element);
}

/* The largest magnitude that the device multiplies. */
static int64_t largest_activation(const struct planned *op)
{
    const int64_t below = (int64_t)planned_device_zero(op) - planned_least_input(op),
                  above = (INT64_C(1) << (8 * op->data_bytes)) - 1 - below;
    return below > above ? below : above;
}

/* What every result begins with, and that no sum leaves the accumulator. */
static enum tulle_status begin_sums(const struct planned *op, const struct sparse *w, struct packed *packed)
{
    const int64_t most = largest_activation(op);
    const unsigned bits = op->variant->acc_width;
    assert(packed->bias && packed->bound);
    for (uint32_t n = 0; n < w->rows; n++) {
        const int64_t own = op->bias ? op->bias[n] : 0;
        if (!own && w->start[n] == w->start[n + 1])
            continue;
        int64_t sum = 0, magnitude = llabs(own);
        for (uint32_t e = w->start[n]; e < w->start[n + 1]; e++) {
            sum += w->value[e];
            magnitude += abs(w->value[e]) * most;
        }
        const int zero = op->input_zero - planned_device_zero(op);
        const int64_t zeros = op->window.plan.maximum ? zero : sum * zero;
        if (own != zeros) /* memory that nobody has touched is 0 and costs nothing */
            packed->bias[n] = own - zeros;
        magnitude += llabs(zeros);
        packed->bound[n] = magnitude;
        if (!op->wraps && bits < 64 && magnitude >= INT64_C(1) << (bits - 1))
            return message_set(
                TULLE_RANGE,
                "result %u may be as large as %lld, which %u bits of the accumulator do not hold; set "
                "wraps when results modulo 2^%u are what you want",
                n, (long long)magnitude, bits, bits);
    }
    return TULLE_OK;
}

/* ---- plans ------------------------------------------------------------------------------------------- */

static enum tulle_status tell_plan(enum plan_status status)
{
    if (status == PLAN_NO_MEMORY)
        return message_no_memory();
    return status == PLAN_DEVICE_MEMORY
               ? message_set(TULLE_DEVICE_MEMORY, "%s", plan_message())
               : message_set(TULLE_UNSUPPORTED, "no plan for this device: %s", plan_message());
}

uint32_t operator_unit(const struct planned *op)
{
    return window_slides(&op->window) ? op->window.out_height * op->window.out_width : 1;
}

/* What a sequence hands on is in the activation bank, where it has room for it. */
static struct plan_memory memory_of(const struct planned *op)
{
    const uint64_t bank = op->variant->local_bytes, made = (uint64_t)op->m * op->n << op->element;
    return (struct plan_memory){.beat_cycles = op->beat_cycles,
                                .input_near = op->from.group && op->from.image <= bank,
                                .output_near = op->to.height && made <= bank,
                                .sums_near = op->from.group || op->to.height ? (uint32_t)bank / 2 : 0};
}

struct plan_description operator_description(const struct planned *op, const struct sparse *weights,
                                             uint32_t units)
{
    const bool slides = window_slides(&op->window);
    return (struct plan_description){.variant = op->variant,
                                     .operator= slides                  ? PLAN_CONVOLUTION
                                     : op->info.operation == TULLE_SPMV ? PLAN_SPMV
                                                                        : PLAN_SPMM,
                                     .weights = weights,
                                     .window = slides ? &op->window.plan : NULL,
                                     .m = units,
                                     .whole_rows = op->window.of.batch,
                                     .element = op->element,
                                     .function = planned_function(op),
                                     .channels = {.has_bias = op->bias_by_channel,
                                                  .has_scale = op->own.multiplier,
                                                  .has_limits = op->own.low,
                                                  .multiplier = op->own.multiplier,
                                                  .shift = op->own.shift,
                                                  .low = op->own.low,
                                                  .high = op->own.high},
                                     .join = op->join,
                                     .from = op->from.group ? &op->from : NULL,
                                     .to = op->to.height ? &op->to : NULL,
                                     .partial = op->adds,
                                     .has_no_sign = op->input_unsigned,
                                     .results_have_no_sign = op->output_unsigned,
                                     .zero = planned_device_zero(op),
                                     .density = op->density,
                                     .memory = memory_of(op),
                                     .slice = op->slice};
}

/* Cycles that the multiplications take at least, and the bytes of all operands. */
static struct plan_price least_price(const struct planned *op, const struct plan_description *d)
{
    const uint64_t entries = d->weights->start[d->weights->rows];
    struct variant_derived derived;
    struct tulle_matrix input;
    variant_derive(op->variant, &derived);
    const double inside = op->window.of.batch ? plan_window_inside(&op->window.plan) : 1,
                 share = plan_mac_share(op->variant, op->density * inside);
    const struct plan_memory far = d->memory;
    const bool slow = far.beat_cycles > 1;
    const double packed = plan_weight_bytes(d), bare = (double)entries * derived.entry_bits / 8;
    const uint64_t read = operands_input_shape(op, &input) * op->data_bytes,
                   written = (uint64_t)op->m * op->n << op->element;
    return (struct plan_price){.cycles = (uint64_t)((double)entries * op->m * share / derived.pes),
                               .bytes = (uint64_t)(packed < bare ? packed : bare) +
                                        (slow && far.input_near ? 0 : read) +
                                        (slow && far.output_near ? 0 : written)};
}

static enum plan_status search(const struct plan_description *d, const struct plan_wish *wish,
                               struct cost *cost, unsigned effort, struct plan_alternatives *a,
                               struct plan *plan)
{
    enum plan_status why = plan_choose(d, wish, cost_of_plan, cost, effort, a, plan);
    if (why && cost->most_macs) { /* nothing is as fast as that: the likeliest is taken */
        cost->most_macs = 0;
        if (plan)
            plan_free(plan);
        why = plan_choose(d, wish, cost_of_plan, cost, 1, a, plan);
    }
    return why;
}

/* The plan is free where the choice was kept from an earlier search. */
static enum tulle_status choose(struct planned *op, const struct sparse *w,
                                const struct tulle_plan_options *options, const struct plan_choice *only,
                                struct plan *plan)
{
    const uint64_t macs = (uint64_t)w->start[w->rows] * op->m;
    struct drawn drawn = {.op = op};
    struct cost cost = {.variant = op->variant,
                        .density = op->density,
                        .zero = planned_device_zero(op),
                        .most_macs = COST_MACS_ONE,
                        .macs = macs,
                        .near = op->variant->local_bytes && (op->from.group || op->to.height),
                        .input = drawn_input,
                        .of = &drawn};
    struct plan_description d = operator_description(op, w, op->m / operator_unit(op));
    d.least = least_price(op, &d);
    struct plan_wish wish;
    enum tulle_status status = read_wish(options, &wish);
    if (status)
        return status;
    wish.only = only;
    if (options->effort)
        cost.most_macs = UINT64_MAX;
    /* What a run's input is like is for this operator alone. */
    const bool keeps = !op->shares && !only;
    d.slice = false; /* the same layer of a network that is not cut was searched for longer */
    struct kept kept = keeps ? kept_of(&d, &wish, options->effort, op->store) : (struct kept){0};
    bool found = kept_read(&kept, &op->alternatives);
    if (!found && op->slice) {
        d.slice = true;
        kept = keeps ? kept_of(&d, &wish, options->effort, op->store) : kept;
        found = kept_read(&kept, &op->alternatives);
    }
    const enum plan_status why =
        found ? PLAN_OK : search(&d, &wish, &cost, options->effort, &op->alternatives, plan);
    drawn_free(&drawn);
    if (why)
        return tell_plan(why);
    if (!found)
        kept_write(&kept, &op->alternatives);
    op->choice = op->alternatives.of[op->alternatives.best].choice;
    const uint64_t cycles = op->alternatives.of[op->alternatives.best].price.cycles;
    op->info.predicted_cycles = cycles > COST_NOT_ASKED ? cycles : 0;
    return TULLE_OK;
}

struct plan_pair operator_pair(const struct planned *op, uint32_t rows)
{
    const int half = op->input_unsigned ? 1 << (8 * planned_input_bytes(op) - 1) : 0;
    return (struct plan_pair){.variant = op->variant,
                              .elements = (uint64_t)rows * op->n,
                              .vector = planned_repeats_row(op) ? op->n : 0,
                              .first_element = op->join.element,
                              .first_has_no_sign = op->input_unsigned,
                              .first_zero = op->input_zero - half,
                              .join = op->join,
                              .function = planned_function(op),
                              .element = op->element,
                              .results_have_no_sign = op->output_unsigned};
}

static struct plan_softmax describe_softmax(const struct planned *op, uint32_t rows)
{
    return (struct plan_softmax){.variant = op->variant,
                                 .rows = rows,
                                 .elements = op->n,
                                 .has_no_sign = op->input_unsigned,
                                 .multiplier = op->softmax.multiplier,
                                 .shift = op->softmax.shift,
                                 .least = op->softmax.least,
                                 .element = op->element,
                                 .results_have_no_sign = op->output_unsigned};
}

static enum plan_status make_rows(const struct planned *op, uint32_t rows, struct plan *plan)
{
    const struct plan_softmax softmax = describe_softmax(op, rows);
    const struct plan_pair pair = operator_pair(op, rows);
    return planned_is_softmax(op) ? plan_make_softmax(&softmax, plan) : plan_make_pair(&pair, plan);
}

#define ROW_CYCLES 100 /* of softmax, elements aside */

/* What takes the array as long as the store engine takes for an operator without weights. */
static uint64_t macs_of_rest(const struct planned *op)
{
    const struct variant *v = op->variant;
    return planned_is_softmax(op) ? (uint64_t)op->m * (3 * op->n + ROW_CYCLES) * v->n * v->m * v->k
                                  : (uint64_t)op->m * op->n;
}

/* As many rows in a job as the device's memory takes. */
static enum tulle_status pack_without_weights(const struct planned *op, struct packed *packed)
{
    const uint64_t memory = op->memory > 2 * BYTES_ASIDE ? op->memory - BYTES_ASIDE : op->memory / 2;
    *packed = (struct packed){.block = op->m, .parts = 1, .part = calloc(1, sizeof *packed->part)};
    if (!packed->part)
        return message_no_memory();
    struct plan *plan = &packed->part->plan;
    enum plan_status why;
    for (;; packed->block = (packed->block + 1) / 2) {
        why = make_rows(op, packed->block, plan);
        if (why || plan_memory(plan) <= memory)
            break;
        plan_free(plan);
        if (packed->block == 1)
            return message_set(TULLE_DEVICE_MEMORY, "one row of %u elements does not fit the device's memory",
                               op->n);
    }
    if (why)
        return tell_plan(why);
    packed->part->rows = op->n;
    packed_sizes(packed);
    return TULLE_OK;
}

static enum tulle_status make_without_weights(struct planned *op, struct packed *packed)
{
    struct cost cost = {
        .variant = op->variant, .density = 1, .most_macs = COST_MACS_ONE, .macs = macs_of_rest(op)};
    enum tulle_status status = pack_without_weights(op, packed);
    if (status)
        return status;
    const struct plan *plan = &packed->part->plan;
    op->choice = (struct plan_choice){.gather = plan->summary.gather};
    struct plan_price price = {0};
    if (cost.macs <= cost.most_macs && !cost_of_plan(&cost, plan, &price))
        return message_no_memory();
    op->info.predicted_cycles = price.cycles;
    op->alternatives = (struct plan_alternatives){.count = 1};
    op->alternatives.of[0] = (struct plan_alternative){
        .choice = op->choice, .made = true, .price = price, .summary = plan->summary};
    return TULLE_OK;
}

/* The planner needs no entries that are 0. */
static const struct sparse *without_zeros(const struct sparse *w, struct sparse *to, bool *ok)
{
    uint32_t zeros = 0, entries = w->start[w->rows];
    for (uint32_t e = 0; e < entries; e++)
        zeros += !w->value[e];
    *ok = true;
    if (!zeros)
        return w;
    *to = (struct sparse){.rows = w->rows,
                          .columns = w->columns,
                          .start = malloc(((size_t)w->rows + 1) * sizeof *to->start),
                          .column = malloc(((size_t)entries - zeros + 1) * sizeof *to->column),
                          .value = malloc(((size_t)entries - zeros + 1) * sizeof *to->value)};
    *ok = to->start && to->column && to->value;
    uint32_t next = 0;
    for (uint32_t r = 0; *ok && r < w->rows; r++) {
        to->start[r] = next;
        for (uint32_t e = w->start[r]; e < w->start[r + 1]; e++)
            if (w->value[e]) {
                to->column[next] = w->column[e];
                to->value[next++] = w->value[e];
            }
        to->start[r + 1] = next;
    }
    return to;
}

static enum tulle_status take_chosen(const struct planned *op, struct plan *chosen, struct packed *packed)
{
    packed->part = calloc(1, sizeof *packed->part);
    if (!packed->part)
        return message_no_memory();
    packed->parts = 1;
    *packed->part = (struct part){.rows = op->n, .plan = *chosen};
    *chosen = (struct plan){0};
    return TULLE_OK;
}

/* As many units in a job as the device's memory takes: all with the chosen plan, if it is there. Biases by
 * channel are packed with the weights, and were not known when it was made. */
static enum tulle_status make_parts(const struct planned *op, const struct sparse *w, struct plan *chosen,
                                    struct packed *packed)
{
    uint64_t memory = op->memory;
    struct plan_jobs jobs;
    enum plan_status why;
    memory = memory > 2 * BYTES_ASIDE ? memory - BYTES_ASIDE : memory / 2;
    if (chosen && chosen->program.len && !op->bias_by_channel && plan_memory(chosen) <= memory)
        return take_chosen(op, chosen, packed);
    for (;;) {
        struct plan_description of = operator_description(op, w, packed->block);
        of.channels.bias = packed->bias;
        why = plan_make_jobs(&of, &op->choice, memory, &jobs);
        if (why != PLAN_DEVICE_MEMORY || packed->block == 1)
            break;
        packed->block = (packed->block + 1) / 2;
    }
    if (why)
        return tell_plan(why);
    packed->part = calloc(jobs.count, sizeof *packed->part);
    if (!packed->part) {
        plan_jobs_free(&jobs);
        return message_no_memory();
    }
    packed->parts = jobs.count;
    for (uint32_t i = 0; i < jobs.count; i++)
        packed->part[i] =
            (struct part){.first = jobs.of[i].first, .rows = jobs.of[i].rows, .plan = jobs.of[i].plan};
    free(jobs.of);
    return TULLE_OK;
}

/* Packs the weights for the choice; `chosen` may be NULL or free, or the plan that the search made of it,
 * which is taken then. */
static enum tulle_status pack(const struct planned *op, const struct sparse *weights, struct plan *chosen,
                              struct packed *packed)
{
    bool ok;
    struct sparse fewer = {0};
    const struct sparse *w = without_zeros(weights, &fewer, &ok);
    *packed = (struct packed){.block = op->m / operator_unit(op),
                              .bias = calloc((size_t)op->n + 1, sizeof *packed->bias),
                              .bound = calloc((size_t)op->n + 1, sizeof *packed->bound)};
    enum tulle_status status = ok && packed->bias && packed->bound ? TULLE_OK : message_no_memory();
    if (!status)
        status = begin_sums(op, w, packed);
    if (!status)
        status = make_parts(op, w, chosen, packed);
    if (!status)
        packed_sizes(packed);
    if (!status)
        status = packed_partial(op, packed);
    sparse_free(&fewer);
    if (status)
        packed_free(packed);
    return status;
}

/* ---- creation ------------------------------------------------------------------------------------------ */

static enum tulle_status take_sizes(struct planned *op, const struct tulle_operator_options *o)
{
    const struct window *w = &op->window;
    op->n = planned_rests(op) ? (uint32_t)op->info.columns : op->matrix.rows;
    op->k = planned_rests(op) ? op->n : op->matrix.columns;
    op->m = w->of.batch                  ? (uint32_t)w->of.batch * w->out_height * w->out_width
            : o->operation == TULLE_SPMV ? 1
                                         : (uint32_t)o->dense;
    op->info.entries = planned_rests(op) ? 0 : op->matrix.start[op->n];
    op->info.dense = op->m;
    op->info.out_height = w->out_height;
    op->info.out_width = w->out_width;
    op->info.output_type = o->output_type;
    if (op->n && op->k)
        return TULLE_OK;
    return message_set(TULLE_INVALID_MATRIX, "the sparse matrix is %lld x %lld: there is nothing to multiply",
                       (long long)op->info.rows, (long long)op->info.columns);
}

/* Numbers whose highest bit is inverted are those of the other sign, with another zero point. */
static void invert_signs(struct planned *op)
{
    const int half = 1 << (8 * planned_input_bytes(op) - 1);
    op->output_unsigned ^= op->inverted.output;
    op->join.has_no_sign ^= op->inverted.second; /* its zero point is less half of the range in any case */
    if (!op->inverted.input)
        return;
    op->input_zero += op->input_unsigned ? -half : half;
    op->input_unsigned = !op->input_unsigned;
}

static enum tulle_status take_options(struct planned *op, const struct tulle_operator_options *o)
{
    const struct tulle_epilogue *e = o->epilogue;
    op->has_initial = o->initial;
    const bool biased = o->bias || (o->input_zero && !op->variant->zero_points);
    op->bias_by_channel =
        biased && !o->initial && op->variant->channel_groups && op->info.operation != TULLE_SPMV;
    op->adds = o->initial || (biased && !op->bias_by_channel);
    op->wraps = o->wraps;
    op->quantise = o->quantise;
    op->matrix_zero = o->matrix_zero;
    op->input_zero = o->input_zero;
    op->input_unsigned = o->input_unsigned;
    op->output_unsigned = o->output_unsigned;
    op->element = (unsigned)o->output_type;
    op->function = (struct plan_function){.function = (unsigned)e->function,
                                          .shift = e->shift,
                                          .multiplier = e->multiplier,
                                          .low = e->low,
                                          .high = e->high,
                                          .zero = e->zero,
                                          .slope = e->slope,
                                          .rounding = (unsigned)e->rounding};
    op->looks_up = e->lookup;
    if (e->lookup) {
        op->function.function = NUM_LOOKUP;
        lookup_take(e->lookup, o->output_unsigned, op->lookup);
    }
    if (o->second) {
        op->join = second_join(o->second);
        op->joins_row = o->second->is_row;
    }
    if (o->softmax)
        op->softmax = *o->softmax;
    /* Results that are joined have no sign only behind that. */
    enum tulle_status status = channels_take(o->channels, op->n, o->second ? 0 : lift_of(o), &op->own);
    if (!status && o->operation == TULLE_AVERAGE_POOL)
        channels_divide(&op->own, op->n, window_taps(&op->window));
    if (status || !o->bias)
        return status;
    free(op->bias);
    op->bias = malloc(op->n * sizeof *op->bias);
    if (!op->bias)
        return message_no_memory();
    memcpy(op->bias, o->bias, op->n * sizeof *op->bias);
    return TULLE_OK;
}

static enum tulle_status intake(const struct planned *op, const struct tulle_matrix *matrix,
                                struct sparse *to, double *scale)
{
    const struct intake in = {.name = "the sparse matrix",
                              .matrix = matrix,
                              .transposed = op->info.operation == TULLE_SPMM_RIGHT,
                              .data_bytes = op->data_bytes,
                              .zero = op->matrix_zero,
                              .quantise = op->quantise};
    return intake_matrix(&in, to, scale);
}

/* To where the activations are. */
static enum tulle_status spread(const struct planned *op, struct sparse *matrix)
{
    for (uint32_t e = 0; e < matrix->start[matrix->rows]; e++)
        matrix->column[e] = op->spread[matrix->column[e]];
    matrix->columns = op->spread_columns;
    return intake_sort("the sparse matrix", matrix);
}

/* The caller's sparse matrix, or a pool's, as the planner has it. */
static enum tulle_status take_weights(struct planned *op, const struct tulle_matrix *matrix)
{
    const bool window = op->window.of.batch, pool = is_pool(op->info.operation);
    op->info.matrix_scale = 1;
    enum tulle_status status = pool ? window_ones(&op->window, &op->matrix)
                                    : intake(op, matrix, &op->matrix, &op->info.matrix_scale);
    if (status)
        return status;
    op->info.rows = matrix ? matrix->rows : op->matrix.rows;
    op->info.columns = matrix ? matrix->columns : op->matrix.columns;
    if (window)
        window_set_kind(&op->window, op->window.kind, op->matrix.rows);
    if (window)
        return window_weights(&op->window, &op->matrix);
    return op->spread ? spread(op, &op->matrix) : TULLE_OK;
}

static enum tulle_status take_no_weights(struct planned *op, const struct tulle_operator_options *o)
{
    op->info.matrix_scale = 1;
    op->info.rows = op->info.columns = o->softmax ? o->softmax->columns : o->second->columns;
    return TULLE_OK;
}

static enum tulle_status choose_for_matrix(struct planned *op, const struct tulle_plan_options *options,
                                           const struct plan_choice *only, struct plan *plan)
{
    struct sparse fewer = {0};
    bool ok;
    const struct sparse *w = without_zeros(&op->matrix, &fewer, &ok);
    enum tulle_status status = ok ? choose(op, w, options, only, plan) : message_no_memory();
    sparse_free(&fewer);
    return status;
}

static enum tulle_status choose_and_pack(struct planned *op, const struct tulle_plan_options *options,
                                         struct packed *packed)
{
    struct plan plan = {0};
    enum tulle_status status = choose_for_matrix(op, options, NULL, &plan);
    status = status ? status : pack(op, &op->matrix, &plan, packed);
    plan_free(&plan);
    if (!status && op->alternatives.kept)
        op->alternatives.of[0].summary = packed->part[0].plan.summary;
    return status;
}

static enum tulle_status choose_for_sample(struct planned *op, const struct tulle_plan_options *options,
                                           struct shares *shares, struct packed *packed)
{
    const struct run_input input = {.dense = op->sample};
    enum tulle_status status = operands_check_dense(op, op->sample);
    if (!status)
        status = shares_take(op, &input, shares);
    invert_signs(op);
    if (status)
        return status;
    op->density = shares->all;
    op->shares = shares;
    status = choose_and_pack(op, options, packed);
    op->shares = NULL;
    return status;
}

static enum tulle_status choose_with_weights(struct planned *op, const struct tulle_plan_options *options,
                                             struct packed *packed)
{
    struct shares shares = {0};
    if (!op->sample || op->spread) {
        invert_signs(op);
        return choose_and_pack(op, options, packed);
    }
    const enum tulle_status status = choose_for_sample(op, options, &shares, packed);
    shares_free(&shares);
    return status;
}

enum tulle_status planned_make(struct planned *op, const struct tulle_operator_options *o,
                               struct packed *packed)
{
    const bool rests = planned_rests(op);
    enum tulle_status status = rests ? take_no_weights(op, o) : take_weights(op, o->matrix);
    if (!status)
        status = take_sizes(op, o);
    if (!status)
        status = take_options(op, o);
    if (!status && rests) {
        invert_signs(op);
        return make_without_weights(op, packed);
    }
    if (!status)
        status = choose_with_weights(op, o->plan, packed);
    if (status != TULLE_UNSUPPORTED || !op->bias_by_channel)
        return status;
    /* More channels than the table holds: biases are initial sums. */
    op->bias_by_channel = false;
    op->adds = true;
    return choose_and_pack(op, o->plan, packed);
}

bool planned_is_free(const struct planned *op, const struct tulle_plan_options *options)
{
    return !options->mapping && !options->split && !options->effort && !planned_rests(op);
}

enum tulle_status planned_learn(struct planned *op, const struct shares *shares, struct packed *packed)
{
    const struct tulle_plan_options options = {.size = sizeof options};
    op->density = shares->all;
    op->shares = shares;
    enum tulle_status status = choose_and_pack(op, &options, packed);
    op->shares = NULL;
    return status;
}

enum tulle_status planned_foresee(struct planned *op, const struct shares *shares)
{
    const struct tulle_plan_options options = {.size = sizeof options};
    const struct plan_choice choice = op->choice;
    op->density = shares->all;
    op->shares = shares;
    enum tulle_status status = choose_for_matrix(op, &options, &choice, NULL);
    op->shares = NULL;
    return status;
}

bool planned_next_way(struct planned *op, enum tulle_status status)
{
    if (!op->window.of.batch || op->window.plan.maximum || op->window.kind + 1 >= WINDOW_KINDS ||
        (status != TULLE_UNSUPPORTED && status != TULLE_DEVICE_MEMORY))
        return false;
    sparse_free(&op->matrix);
    op->window.kind++;
    return true;
}

enum tulle_status planned_begin(struct planned *op, const struct tulle_operator_options *o,
                                struct tulle_epilogue *epilogue)
{
    enum tulle_status status = check_options(op->variant, o);
    if (status)
        return status;
    op->info.operation = o->operation;
    op->matrix_zero = o->matrix_zero;
    op->quantise = o->quantise;
    op->density = o->input_density > 0 ? o->input_density : 1;
    if (operation_has_window(o->operation))
        status = window_take(o->window, &op->window);
    if (!status && op->window.of.round_away && o->operation != TULLE_AVERAGE_POOL)
        status = message_set(TULLE_INVALID_ARGUMENT, "round_away: only averages are divided");
    if (!status)
        status = channels_check(op->variant, o, epilogue->function);
    if (!status && is_pool(o->operation))
        status = window_pool(o, op->data_bytes, epilogue, &op->window);
    if (!status)
        status = lower_results(o, epilogue);
    if (!status)
        status = check_epilogue(op->variant, o->output_type, epilogue);
    if (!status && operation_has_window(o->operation))
        op->window.kind = window_first_kind(&op->window, op->variant);
    return status;
}

/* ---- fewer dense rows, new values
 * ---------------------------------------------------------------------------------------- */

struct planned planned_fewer(const struct planned *op, uint32_t units)
{
    struct planned fewer = *op;
    if (op->window.of.batch)
        fewer.window.of.batch = units;
    fewer.m = op->window.of.batch ? units * op->window.out_height * op->window.out_width : units;
    fewer.info.dense = fewer.m;
    return fewer;
}

enum tulle_status planned_pack_fewer(const struct planned *fewer, struct packed *packed)
{
    if (fewer->loaded)
        return message_set(
            TULLE_UNSUPPORTED,
            "a loaded operator takes as many dense rows, or images, as it was made for; create it "
            "from its options");
    return planned_rests(fewer) ? pack_without_weights(fewer, packed)
                                : pack(fewer, &fewer->matrix, NULL, packed);
}

static bool same_places(const struct sparse *a, const struct sparse *b)
{
    return a->rows == b->rows && a->columns == b->columns &&
           !memcmp(a->start, b->start, ((size_t)a->rows + 1) * sizeof *a->start) &&
           !memcmp(a->column, b->column, a->start[a->rows] * sizeof *a->column);
}

enum tulle_status planned_update(const struct planned *op, const struct tulle_matrix *matrix,
                                 struct sparse *values, double *scale, struct packed *packed)
{
    if (is_pool(op->info.operation) || planned_rests(op))
        return message_set(TULLE_INVALID_ARGUMENT, "tulle_operator_update: %s has no matrix",
                           planned_is_pair(op)      ? "an elementwise operator"
                           : planned_is_softmax(op) ? "softmax"
                                                    : "a pool");
    if (op->loaded)
        return message_set(TULLE_UNSUPPORTED,
                           "a loaded operator cannot be updated; create it from its matrix");
    enum tulle_status status = intake(op, matrix, values, scale);
    if (status)
        return status;
    if (op->window.of.batch)
        status = window_weights(&op->window, values);
    if (!status)
        status = same_places(&op->matrix, values)
                     ? pack(op, values, NULL, packed)
                     : message_set(TULLE_INVALID_MATRIX,
                                   "the entries are at other places than those of the operator's matrix");
    if (status)
        sparse_free(values);
    return status;
}
