/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/host_plan/problem.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "host/plan/stay.h"
#include "sim/cycle/cycle.h"
#include "sim/model/array.h"
#include "tests/host_plan/results.h"
#include "tests/sim_numerics/reference.h"

static void make_weights(struct sparse *w, struct random *dice, uint32_t n, uint32_t k, unsigned percent,
                         unsigned data_width)
{
    uint32_t count = 0;
    *w = (struct sparse){.rows = n, .columns = k};
    w->start = calloc((size_t)n + 1, sizeof *w->start);
    w->column = malloc((size_t)n * k * sizeof *w->column + 1);
    w->value = malloc((size_t)n * k * sizeof *w->value + 1);
    cr_assert(w->start && w->column && w->value);
    for (uint32_t r = 0; r < n; r++) {
        bool empty = percent < 100 && random_chance(dice, 10);
        for (uint32_t c = 0; c < k && !empty; c++)
            if (percent == 100 || random_chance(dice, percent)) {
                w->column[count] = c;
                w->value[count++] = (int32_t)random_signed_non_zero(dice, data_width);
            }
        w->start[r + 1] = count;
    }
}

static uint32_t out_height(const struct plan_window *w)
{
    return (w->height - (w->side_y - 1) * w->dilation_y - 1) / w->stride_y + 1;
}

static uint32_t out_width(const struct plan_window *w)
{
    return (w->width - (w->side_x - 1) * w->dilation_x - 1) / w->stride_x + 1;
}

/* Half of the problems have a zero point, by dice of their own: with those of the others each would become
 * another one. */
static void choose_zero_point(struct problem *p, const struct random *dice)
{
    struct random own = {dice->state ^ UINT64_C(0x5A45524F)};
    const int values = 1 << p->v.data_width;
    p->v.zero_points = random_chance(&own, 50);
    if (!p->v.zero_points)
        return;
    p->d.has_no_sign = random_chance(&own, 50);
    p->d.zero = (int)random_below(&own, (unsigned)values) - (p->d.has_no_sign ? 0 : values / 2);
}

/* The same for plain packets, where the variant may have them. */
static void choose_plain(struct problem *p, const struct random *dice)
{
    struct random own = {dice->state ^ UINT64_C(0x504C4149)};
    p->v.plain_weights = p->v.data_width == 8 && p->v.index_width == 8 && p->v.row_bus_width >= 16 * p->v.k &&
                         random_chance(&own, 50);
    p->v.bitmap_weights =
        p->v.plain_weights &&
        p->v.input_buffer_depth >= VARIANT_BITMAP_PLACES * variant_entries_per_beat(&p->v) &&
        random_chance(&own, 50);
}

/* And how results are written, once their element is known, and whether they are looked up. */
void problem_results(struct problem *p, const struct random *dice)
{
    struct random own = {dice->state ^ UINT64_C(0x5349474E)};
    p->d.results_have_no_sign = p->v.zero_points && p->d.element <= NUM_INT16 && random_chance(&own, 50);
    if (p->v.channel_groups && p->d.function.function == NUM_REQUANTISE && random_chance(&own, 40)) {
        p->v.lookup = 1;
        results_look_up(&p->d, p->lookup, &own);
    }
}

/* The same for channels of their own; so far they have biases. */
static void choose_channels(struct problem *p, const struct random *dice)
{
    struct random own = {dice->state ^ UINT64_C(0x4348414E)};
    const uint32_t n = p->w.rows;
    if (random_chance(&own, 50))
        return;
    p->v.channel_groups = 1024;
    p->v.functions |= 1u << VARIANT_REQUANTISE;
    p->own = (struct problem_channel){.bias = calloc(n, sizeof *p->own.bias),
                                      .multiplier = calloc(n, sizeof *p->own.multiplier),
                                      .shift = calloc(n, sizeof *p->own.shift),
                                      .low = calloc(n, sizeof *p->own.low),
                                      .high = calloc(n, sizeof *p->own.high)};
    cr_assert(p->own.bias && p->own.multiplier && p->own.shift && p->own.low && p->own.high);
    for (uint32_t i = 0; i < n; i++) {
        p->own.bias[i] = random_signed(&own, p->v.acc_width <= 32 ? 32 : 40);
        p->own.multiplier[i] = (int32_t)random_signed(&own, 12);
        p->own.shift[i] = (uint8_t)random_below(&own, 40);
        p->own.low[i] = (int16_t)random_signed(&own, 12);
        p->own.high[i] = (int16_t)random_signed(&own, 16);
    }
    p->d.channels = (struct plan_channels){.has_bias = true,
                                           .bias = p->own.bias,
                                           .multiplier = p->own.multiplier,
                                           .shift = p->own.shift,
                                           .low = p->own.low,
                                           .high = p->own.high};
}

void problem_scale(struct problem *p)
{
    const unsigned which = p->w.rows & 3;
    if (!p->own.bias || p->d.function.function != NUM_REQUANTISE)
        return;
    p->d.channels.has_bias = which != 1;
    p->d.channels.has_scale = which != 0;
    p->d.channels.has_limits = which != 2;
}

void problem_join(struct problem *p, const struct random *dice)
{
    struct random own = {dice->state ^ UINT64_C(0x4A4F494E)};
    const size_t results = (size_t)p->rows * p->w.rows;
    if (!p->own.bias || p->v.acc_width < 32 || (p->v.k & (p->v.k - 1)) || random_chance(&own, 20))
        return;
    p->v.joins = 1;
    results_join(&p->d, &own);
    p->operand = calloc(results + 1, sizeof *p->operand);
    cr_assert(p->operand);
    for (size_t i = 0; i < results; i++)
        p->operand[i] = (int16_t)random_signed(&own, 8u << p->d.join.element);
}

static int32_t random_input(const struct problem *p, struct random *dice)
{
    const int64_t bits = random_signed(dice, p->v.data_width);
    return (int32_t)((p->d.has_no_sign ? bits & ((1 << p->v.data_width) - 1) : bits) - p->d.zero);
}

void problem_around(struct problem *p, struct random *dice, const struct variant *v,
                    enum plan_operator operator, uint32_t m)
{
    const struct plan_window *window = operator== PLAN_CONVOLUTION ? &p->window : NULL;
    p->rows = window ? m * out_height(window) * out_width(window) : m;
    size_t inputs = (size_t)m * (window ? window->height * window->width * window->channels : p->w.columns),
           outputs = (size_t)p->rows * p->w.rows;
    bool partial = random_chance(dice, 40);
    unsigned zeros = (unsigned)random_below(dice, 3) * 30;
    p->v = *v;
    p->d = (struct plan_description){.variant = &p->v,
                                     .operator= operator,
                                     .weights = & p->w,
                                     .window = window,
                                     .m = m,
                                     .element = 2,
                                     .partial = partial};
    choose_zero_point(p, dice);
    choose_plain(p, dice);
    choose_channels(p, dice);
    p->input = calloc(inputs + 1, sizeof *p->input);
    p->partial = partial ? calloc(outputs + 1, sizeof *p->partial) : NULL;
    cr_assert(p->input && (p->partial || !partial));
    for (size_t i = 0; i < inputs; i++)
        p->input[i] = random_chance(dice, zeros) ? 0 : random_input(p, dice);
    for (size_t i = 0; partial && i < outputs; i++)
        p->partial[i] = random_signed(dice, v->acc_width <= 32 ? 32 : 40);
}

void problem_make(struct problem *p, struct random *dice, const struct variant *v,
                  enum plan_operator operator, uint32_t m, uint32_t k, uint32_t n, unsigned percent)
{
    *p = (struct problem){0};
    make_weights(&p->w, dice, n, k, percent, v->data_width);
    problem_around(p, dice, v, operator, m);
}

/* Drops the weights of channels that are not of the result's group. */
static void keep_groups(const struct plan_window *window, struct sparse *w)
{
    const uint32_t channels = window->channels / window->groups, rows = w->rows / window->groups;
    uint32_t kept = 0, next = 0;
    for (uint32_t r = 0; r < w->rows; r++) {
        const uint32_t end = w->start[r + 1];
        for (; next < end; next++)
            if (w->column[next] % window->channels / channels == r / rows) {
                w->column[kept] = w->column[next];
                w->value[kept++] = w->value[next];
            }
        w->start[r + 1] = kept;
    }
}

struct plan_window problem_3x3(uint32_t height, uint32_t width, uint32_t channels)
{
    return (struct plan_window){.height = height,
                                .width = width,
                                .channels = channels,
                                .side_y = 3,
                                .side_x = 3,
                                .stride_y = 1,
                                .stride_x = 1,
                                .dilation_y = 1,
                                .dilation_x = 1};
}

void problem_convolution(struct problem *p, struct random *dice, const struct variant *v,
                         const struct plan_window *window, uint32_t m, uint32_t n, unsigned percent)
{
    *p = (struct problem){.window = *window};
    const uint32_t channels = window->depthwise ? 1 : window->channels;
    make_weights(&p->w, dice, n, window->side_y * window->side_x * channels, percent, v->data_width);
    if (window->groups)
        keep_groups(window, &p->w);
    problem_around(p, dice, v, PLAN_CONVOLUTION, m);
}

void problem_random(struct problem *p, struct random *dice, const struct variant *v)
{
    const unsigned density = random_range(dice, 10, 100);
    if (random_chance(dice, 50)) {
        const struct plan_window w = {.side_y = random_range(dice, 1, 3),
                                      .side_x = random_range(dice, 1, 3),
                                      .stride_y = random_range(dice, 1, 2),
                                      .stride_x = 1,
                                      .dilation_y = 1,
                                      .dilation_x = 1,
                                      .height = random_range(dice, 3, 12),
                                      .width = random_range(dice, 3, 12),
                                      .channels = random_range(dice, 1, 20),
                                      .depthwise = random_chance(dice, 40)};
        problem_convolution(p, dice, v, &w, random_range(dice, 1, 2),
                            w.depthwise ? w.channels : random_range(dice, 1, 40), density);
    } else
        problem_make(p, dice, v, PLAN_SPMM, random_range(dice, 1, 40), 8 * random_range(dice, 1, 90),
                     random_range(dice, 1, 40), density);
    problem_join(p, dice);
    problem_scale(p);
}

void problem_free(struct problem *p)
{
    sparse_free(&p->w);
    free(p->input);
    free(p->partial);
    free(p->operand);
    free(p->own.bias);
    free(p->own.multiplier);
    free(p->own.shift);
    free(p->own.low);
    free(p->own.high);
}

/* Of the result of that number, with the place in `p->operand`. */
static int64_t narrowed(const struct problem *p, uint32_t n, size_t place, int64_t sum)
{
    return results_expected(&p->d, n, sum, p->operand ? &p->operand[place] : NULL);
}

/* What column `column` of the weights of result n meets in row m. */
static int32_t activation(const struct problem *p, uint32_t m, uint32_t n, uint32_t column)
{
    const struct plan_window *w = p->d.window;
    if (!w)
        return p->input[(size_t)m * p->w.columns + column];
    const uint32_t channels = w->depthwise ? 1 : w->channels, tap = column / channels,
                   channel = w->depthwise ? n : column % channels, across = out_width(w),
                   down = out_height(w);
    const uint32_t y = m / across % down * w->stride_y + tap / w->side_x * w->dilation_y,
                   x = m % across * w->stride_x + tap % w->side_x * w->dilation_x, image = m / across / down;
    return p->input[(((size_t)image * w->height + y) * w->width + x) * w->channels + channel];
}

int64_t *problem_expected(const struct problem *p)
{
    const struct sparse *w = &p->w;
    int64_t *expected = calloc((size_t)p->rows * w->rows + 1, sizeof *expected);
    cr_assert(expected);
    for (uint32_t m = 0; m < p->rows; m++)
        for (uint32_t n = 0; n < w->rows; n++) {
            const big begin = p->partial ? p->partial[(size_t)m * w->rows + n] : 0;
            big sum = begin;
            for (uint32_t e = w->start[n]; e < w->start[n + 1]; e++) {
                const big product = (big)w->value[e] * activation(p, m, n, w->column[e]);
                const bool first = e == w->start[n], larger = begin + product > sum;
                if (p->window.maximum)
                    sum = first || larger ? begin + product : sum;
                else
                    sum += product;
            }
            expected[(size_t)m * w->rows + n] =
                narrowed(p, n, (size_t)m * w->rows + n, reference_wrap(sum, p->v.acc_width));
        }
    return expected;
}

/* ---- running --------------------------------------------------------------------------------- */

static void put_input(const struct problem *p, uint8_t *to, int32_t input)
{
    const int32_t activation = input + p->d.zero;
    for (unsigned i = 0; i < p->v.data_width / 8; i++)
        to[i] = (uint8_t)(activation >> (8 * i));
}

static void fill_input(const struct problem *p, const struct plan *plan, uint8_t *to, const char *what)
{
    for (uint32_t m = 0; m < p->d.m; m++)
        for (uint32_t k = 0; k < p->w.columns; k++) {
            uint64_t at = plan_input_offset(plan, m, k);
            if (at == PLAN_NOWHERE)
                continue;
            cr_assert(at + p->v.data_width / 8 <= plan->input_bytes, "%s: input [%u][%u] at %llu", what, m, k,
                      (unsigned long long)at);
            put_input(p, to + at, p->input[(size_t)m * p->w.columns + k]);
        }
    plan_repeat(plan, to);
}

static void fill_images(const struct problem *p, const struct plan *plan, uint8_t *to, const char *what)
{
    const struct plan_window *w = p->d.window;
    const int32_t *from = p->input;
    for (uint32_t i = 0; i < p->d.m * w->height * w->width; i++) {
        for (uint32_t c = 0; c < w->channels; c++) {
            const uint64_t at = plan_channel_offset(plan, i / w->width / w->height, i / w->width % w->height,
                                                    i % w->width, c);
            cr_assert(at + p->v.data_width / 8 <= plan->input_bytes, "%s: pixel %u", what, i);
            put_input(p, to + at, *from++);
        }
    }
}

static void fill_partial(const struct problem *p, const struct plan *plan, uint8_t *to, const char *what)
{
    enum num_element element = p->v.acc_width <= 32 ? NUM_INT32 : NUM_INT64;
    for (uint32_t m = 0; p->partial && m < p->rows; m++)
        for (uint32_t n = 0; n < p->w.rows; n++) {
            uint64_t at = plan_partial_offset(plan, m, n);
            if (at == PLAN_NOWHERE)
                continue;
            cr_assert(at + num_element_bytes(element) <= plan->partial_bytes, "%s: partial sum [%u][%u]",
                      what, m, n);
            num_put_element(to + at, element, p->partial[(size_t)m * p->w.rows + n]);
        }
}

static void fill_operand(const struct problem *p, const struct plan *plan, uint8_t *to)
{
    const unsigned element = p->d.join.element;
    for (uint32_t m = 0; p->operand && m < p->rows; m++)
        for (uint32_t n = 0; n < p->w.rows; n++) {
            const uint64_t at = plan_operand_offset(plan, m, n);
            cr_assert(at + (1u << element) <= plan->operand_bytes, "operand [%u][%u]", m, n);
            results_write(to + at, element, p->d.join.has_no_sign, p->operand[(size_t)m * p->w.rows + n]);
        }
}

static void make_slots(const struct problem *p, const struct plan *plan, struct slots *slots,
                       const char *what)
{
    uint8_t *input = calloc(plan->input_bytes + 1, 1), *partial = calloc(plan->partial_bytes + 1, 1);
    cr_assert(input && partial);
    if (p->d.window)
        fill_images(p, plan, input, what);
    else
        fill_input(p, plan, input, what);
    fill_partial(p, plan, partial, what);
    uint8_t *operand = calloc(plan->operand_bytes + 1, 1);
    cr_assert(operand);
    fill_operand(p, plan, operand);
    *slots = (struct slots){0};
    slots_set(slots, SLOT_PROGRAM, plan->program.text, plan->program.len);
    slots_set(slots, SLOT_STATUS, NULL, ISA_STATUS_BYTES);
    slots_set(slots, SLOT_WEIGHTS, sb_text(&plan->weights), plan->weights.len);
    slots_set(slots, SLOT_INPUT, input, plan->input_bytes);
    slots_set(slots, SLOT_OUTPUT, NULL, plan->output_bytes);
    slots_set(slots, SLOT_PARTIAL, partial, plan->partial_bytes);
    slots_set(slots, SLOT_SCRATCH, NULL, plan->scratch_bytes);
    slots_set(slots, SLOT_EXTRA, operand, plan->operand_bytes);
    free(input);
    free(partial);
    free(operand);
}

static int64_t result_at(const struct problem *p, const struct plan *plan, const struct slots *slots,
                         uint32_t m, uint32_t n)
{
    uint64_t at = plan_output_offset(plan, m, n);
    cr_assert(at == PLAN_NOWHERE || at + (1u << p->d.element) <= plan->output_bytes);
    int64_t otherwise =
        narrowed(p, n, (size_t)m * p->w.rows + n, p->partial ? p->partial[(size_t)m * p->w.rows + n] : 0);
    return plan_result(plan, slots->job.slots[SLOT_OUTPUT].bytes, m, n, otherwise);
}

/* The whole row at once is the same. */
static void expect_row(const struct problem *p, const struct plan *plan, const struct slots *slots,
                       const int64_t *expected, const char *what)
{
    int64_t *row = calloc((size_t)p->w.rows + 1, sizeof *row);
    cr_assert(row);
    for (uint32_t n = 0; n < p->w.rows; n++)
        row[n] = narrowed(p, n, n, p->partial ? p->partial[n] : 0);
    plan_results(plan, slots->job.slots[SLOT_OUTPUT].bytes, 0, row, p->w.rows);
    for (uint32_t n = 0; n < p->w.rows; n++)
        cr_assert_eq(row[n], expected[n], "%s: result %u of the row: %lld, not %lld", what, n,
                     (long long)row[n], (long long)expected[n]);
    free(row);
}

/* Nothing is written to the border of the frame that results are in. */
static void expect_border(const struct problem *p, const struct plan *plan, const struct slots *slots,
                          const char *what)
{
    const struct plan_frame *f = p->d.to;
    const struct plan_places *to = &plan->layout.to;
    const uint32_t height = plan_window_out_height(p->d.window), width = plan_window_out_width(p->d.window);
    for (uint64_t at = 0; at < plan->output_bytes; at++) {
        const uint64_t line = at % to->plane / to->line, pixel = at % to->line / to->pixel;
        const bool result =
            line >= f->top && line < f->top + height && pixel >= f->left && pixel < f->left + width;
        cr_assert(result || slots->job.slots[SLOT_OUTPUT].bytes[at] == 0xEE, "%s: byte %llu of the border",
                  what, (unsigned long long)at);
    }
}

static void expect_results(const struct problem *p, const struct plan *plan, const struct slots *slots,
                           const struct job_result *result, const int64_t *expected, const char *what)
{
    cr_assert_eq(result->code, JOB_OK, "%s: %s of queue %d at %llu", what, job_code_name(result->code),
                 result->queue, (unsigned long long)result->offset);
    for (uint32_t m = 0; m < p->rows; m++)
        for (uint32_t n = 0; n < p->w.rows; n++)
            cr_assert_eq(result_at(p, plan, slots, m, n), expected[(size_t)m * p->w.rows + n],
                         "%s: result [%u][%u]: %lld, not %lld", what, m, n,
                         (long long)result_at(p, plan, slots, m, n),
                         (long long)expected[(size_t)m * p->w.rows + n]);
    if (p->rows == 1)
        expect_row(p, plan, slots, expected, what);
    if (p->d.to && p->d.window)
        expect_border(p, plan, slots, what);
}

/* ---- once more, with what stays in the storage units ------------------------------------------------- */

enum { KEPT_NUMBER = 0xCAFE };

static void numbered(const struct strbuf *program, uint32_t expects, struct strbuf *to)
{
    sb_addn(to, program->text, program->len);
    cr_assert(sb_ok(to));
    stay_number(to, expects, KEPT_NUMBER);
}

/* The plan with its number, and with the program that is left of its own. */
static bool make_again(const struct problem *p, const struct plan *plan, struct plan *first,
                       struct plan *again)
{
    struct strbuf rest = {0};
    const bool made = stay_program(&p->v, &plan->program, &rest);
    *first = *again = *plan;
    first->program = again->program = (struct strbuf){0};
    if (made) {
        numbered(&plan->program, 0, &first->program);
        numbered(&rest, KEPT_NUMBER, &again->program);
    }
    sb_free(&rest);
    return made;
}

/* The plan's own job has other activations, so that none of them are taken for those of the next one. */
static void make_slots_of(const struct problem *p, const struct plan *plan, bool noise, struct slots *slots,
                          const char *what)
{
    make_slots(p, plan, slots, what);
    for (uint64_t i = 0; noise && i < slots->job.slots[SLOT_INPUT].size; i++)
        slots->job.slots[SLOT_INPUT].bytes[i] ^= (uint8_t)(i % 5 ? 0x11 : 0);
}

static struct job_result run_timed(const struct problem *p, struct array *array, const struct slots *slots)
{
    struct cycle_report report;
    struct cycle_options options = cycle_defaults(&p->v);
    options.limit = 3000000;
    options.array = array;
    cr_assert(cycle_run(&p->v, &options, &slots->job, &report), "out of memory");
    const struct job_result result = report.result;
    cycle_report_free(&report);
    return result;
}

/* In an order by chance; 0: in that of the program. */
static struct job_result run_by_chance(struct model *model, uint64_t seed, const struct slots *slots)
{
    struct job_result result;
    model_run_by_chance(model, &slots->job, seed, &result);
    return result;
}

/* On one of the models: its own job, and a few times the one that is left of it. */
static void expect_again(const struct problem *p, const struct plan *plan, struct model *model,
                         struct array *array, const int64_t *expected, const char *what)
{
    struct plan first, again;
    uint64_t read = 0;
    const bool made = make_again(p, plan, &first, &again);
    for (unsigned i = 0; made && i < 4; i++) {
        struct slots slots;
        make_slots_of(p, i ? &again : &first, !i, &slots, what);
        const struct job_result result =
            model ? run_by_chance(model, i, &slots) : run_timed(p, array, &slots);
        cr_assert_eq(result.code, JOB_OK, "%s: %s of job %u", what, job_code_name(result.code), i);
        if (i)
            expect_results(p, plan, &slots, &result, expected, what);
        cr_assert(!i || result.bytes_read < read, "%s: nothing is saved", what);
        read = i ? read : result.bytes_read;
        slots_free(&slots);
    }
    sb_free(&first.program);
    sb_free(&again.program);
}

/* Where weights stay: on the cycle model, or on the functional one. */
static void run_again(const struct problem *p, const struct plan *plan, bool timed, const int64_t *expected,
                      const char *what)
{
    struct model *model = p->v.kept_weights && !timed ? model_new(&p->v) : NULL;
    struct array *array = p->v.kept_weights && timed ? array_new(&p->v) : NULL;
    if (model || array)
        expect_again(p, plan, model, array, expected, what);
    model_free(model);
    array_free(array);
}

struct job_result problem_run(const struct problem *p, const struct plan *plan, const int64_t *expected,
                              const char *what)
{
    struct slots slots;
    make_slots(p, plan, &slots, what);
    struct job_result result = run_model(&p->v, &slots);
    expect_traffic(&p->v, &slots, &result);
    expect_results(p, plan, &slots, &result, expected, what);
    slots_free(&slots);
    run_again(p, plan, false, expected, what);
    return result;
}

struct job_result problem_time(const struct problem *p, const struct plan *plan, const int64_t *expected,
                               const char *what)
{
    struct slots slots;
    make_slots(p, plan, &slots, what);
    const struct job_result result = run_timed(p, NULL, &slots);
    expect_results(p, plan, &slots, &result, expected, what);
    slots_free(&slots);
    run_again(p, plan, true, expected, what);
    return result;
}
