/* SPDX-License-Identifier: Apache-2.0
 *
 * Saves and loads operators: the plan, the packed weights, and the layouts
 * that convert operands and results. A file has little-endian numbers of 64
 * bits and arrays of 32 bits, and ends with a checksum.
 *
 * A file may come from anywhere. Loading checks every number that the host
 * uses as an address; the device checks the numbers that it uses.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/output.h"
#include "gen/version.h"
#include "host/container/sha256.h"
#include "host/lib/library.h"

#define MAGIC UINT64_C(0x35504F454C4C5554) /* "TULLEOP5": the version is in it */
#define FILE_MAX ((size_t)8 << 30)
#define PARTS_MAX (1u << 20)

/* ---- one list of fields for both ways --------------------------------------------------------------- */

struct archive {
    struct strbuf *to; /* writing; NULL when reading */
    const uint8_t *from;
    size_t size, at;
    bool wrong; /* reading: the file ends too early, or has what cannot be */
    bool memory;
};

/* Writes the value and gives it back, or reads one, which is 0 when it is not within low .. high. */
static int64_t within(struct archive *a, int64_t value, int64_t low, int64_t high)
{
    uint64_t word = (uint64_t)value;
    char bytes[8];
    if (a->to) {
        for (unsigned i = 0; i < 8; i++)
            bytes[i] = (char)(word >> (8 * i) & 0xFF);
        sb_addn(a->to, bytes, sizeof bytes);
        return value;
    }
    if (a->wrong || a->size - a->at < 8) {
        a->wrong = true;
        return 0;
    }
    word = 0;
    for (unsigned i = 0; i < 8; i++)
        word |= (uint64_t)a->from[a->at++] << (8 * i);
    a->wrong = (int64_t)word < low || (int64_t)word > high;
    return a->wrong ? 0 : (int64_t)word;
}

static uint64_t size(struct archive *a, uint64_t value)
{
    return (uint64_t)within(a, (int64_t)value, 0, INT64_MAX);
}

static uint32_t word(struct archive *a, uint32_t value, uint32_t most)
{
    return (uint32_t)within(a, value, 0, most);
}

static bool flag(struct archive *a, bool value)
{
    return within(a, value, 0, 1);
}

static void text(struct archive *a, struct strbuf *t)
{
    uint64_t length = size(a, t->len);
    if (a->to) {
        sb_addn(a->to, sb_text(t), t->len);
        return;
    }
    if (a->wrong || length > a->size - a->at) {
        a->wrong = true;
        return;
    }
    sb_addn(t, (const char *)a->from + a->at, length);
    a->memory |= !sb_ok(t);
    a->at += length;
}

/* An array that may be missing. */
static void words(struct archive *a, uint32_t **array, uint64_t count)
{
    if (!flag(a, *array))
        return;
    if (!a->to) {
        if (a->wrong || count > (a->size - a->at) / 4) {
            a->wrong = true;
            return;
        }
        *array = malloc(count * 4 + 1);
        if (!*array) {
            a->wrong = a->memory = true;
            return;
        }
    }
    for (uint64_t i = 0; i < count; i++) {
        uint32_t value = a->to ? (*array)[i] : 0;
        char bytes[4];
        for (unsigned b = 0; b < 4; b++)
            if (a->to)
                bytes[b] = (char)(value >> (8 * b) & 0xFF);
            else
                value |= (uint32_t)a->from[a->at++] << (8 * b);
        if (a->to)
            sb_addn(a->to, bytes, 4);
        else
            (*array)[i] = value;
    }
}

/* ---- what is in a file -------------------------------------------------------------------------------- */

static void do_choice(struct archive *a, struct plan_choice *c)
{
    c->gather = (enum plan_gather)word(a, c->gather, PLAN_SOFTMAX);
    c->deals = flag(a, c->deals);
    c->mapping = (enum plan_mapping)word(a, c->mapping, PLAN_MAPPINGS - 1);
    c->split.rows = (enum plan_axis)word(a, c->split.rows, PLAN_AXES - 1);
    c->split.columns = (enum plan_axis)word(a, c->split.columns, PLAN_AXES - 1);
    c->rows_held = word(a, c->rows_held, INT32_MAX);
    c->lines = word(a, c->lines, INT32_MAX);
    c->block = word(a, c->block, INT32_MAX);
    c->packet_bytes = word(a, c->packet_bytes, INT32_MAX);
}

static void do_summary(struct archive *a, struct plan_summary *s)
{
    s->mapping = (enum plan_mapping)word(a, s->mapping, PLAN_MAPPINGS - 1);
    s->split.rows = (enum plan_axis)word(a, s->split.rows, PLAN_AXES - 1);
    s->split.columns = (enum plan_axis)word(a, s->split.columns, PLAN_AXES - 1);
    s->rows_held = word(a, s->rows_held, INT32_MAX);
    s->lines = word(a, s->lines, INT32_MAX);
    s->passes = word(a, s->passes, INT32_MAX);
    s->tiles = word(a, s->tiles, INT32_MAX);
    s->k_steps = word(a, s->k_steps, INT32_MAX);
    s->block = word(a, s->block, INT32_MAX);
    s->largest_packet = word(a, s->largest_packet, INT32_MAX);
    s->gather = (enum plan_gather)word(a, s->gather, PLAN_SOFTMAX);
    s->deals = flag(a, s->deals);
    s->parts = word(a, s->parts, INT32_MAX);
    s->spills = flag(a, s->spills);
    s->weights_stay = flag(a, s->weights_stay);
}

#define IMAGE_SIZES 10

static void image_sizes(struct plan_images *i, uint32_t *to[IMAGE_SIZES])
{
    uint32_t *const sizes[IMAGE_SIZES] = {&i->height,     &i->width, &i->channels, &i->out_height,
                                          &i->out_width,  &i->rows,  &i->columns,  &i->tile_height,
                                          &i->tile_width, &i->blocks};
    memcpy(to, sizes, sizeof sizes);
}

static void do_layout(struct archive *a, struct plan_layout *l, uint32_t rows, uint32_t columns)
{
    l->input_pitch = word(a, l->input_pitch, INT32_MAX);
    l->data_bytes = word(a, l->data_bytes, 2);
    l->element_bytes = word(a, l->element_bytes, 8);
    l->partial_bytes = word(a, l->partial_bytes, 8);
    l->operand_bytes = word(a, l->operand_bytes, 2);
    l->pes = word(a, l->pes, INT32_MAX);
    l->held = word(a, l->held, INT32_MAX);
    l->m_parts = word(a, l->m_parts, INT32_MAX);
    l->n_parts = word(a, l->n_parts, INT32_MAX);
    l->segments = word(a, l->segments, INT32_MAX);
    l->passes = word(a, l->passes, INT32_MAX);
    l->n_first = flag(a, l->n_first);
    l->tile_count = word(a, l->tile_count, INT32_MAX);
    words(a, &l->tiles, (uint64_t)l->tile_count + 1);
    words(a, &l->compact, columns);
    words(a, &l->place, rows);
    l->more_count = word(a, l->more_count, INT32_MAX);
    words(a, &l->more, 2 * (uint64_t)l->more_count);
    uint32_t *sizes[IMAGE_SIZES];
    image_sizes(&l->window, sizes);
    for (unsigned i = 0; i < IMAGE_SIZES; i++)
        *sizes[i] = word(a, *sizes[i], INT32_MAX);
    l->window.scattered = flag(a, l->window.scattered);
    l->window.natural = flag(a, l->window.natural);
}

static void do_part(struct archive *a, const struct planned *op, struct part *p)
{
    p->first = word(a, p->first, op->n);
    p->rows = word(a, p->rows, op->n - p->first);
    text(a, &p->plan.program);
    text(a, &p->plan.weights);
    p->plan.input_bytes = size(a, p->plan.input_bytes);
    p->plan.output_bytes = size(a, p->plan.output_bytes);
    p->plan.output_pitch = word(a, p->plan.output_pitch, INT32_MAX);
    p->plan.padding = size(a, p->plan.padding);
    p->plan.partial_bytes = size(a, p->plan.partial_bytes);
    p->plan.scratch_bytes = size(a, p->plan.scratch_bytes);
    p->plan.operand_bytes = size(a, p->plan.operand_bytes);
    do_layout(a, &p->plan.layout, p->rows, op->k);
    do_summary(a, &p->plan.summary);
}

static void do_function(struct archive *a, struct plan_function *f)
{
    f->function = word(a, f->function, NUM_FUNCTIONS - 1);
    a->wrong |= f->function >= TULLE_FUNCTIONS && f->function != NUM_LOOKUP;
    f->shift = word(a, f->shift, 63);
    f->multiplier = (int32_t)within(a, f->multiplier, INT32_MIN, INT32_MAX);
    f->low = (int)within(a, f->low, INT16_MIN, INT16_MAX);
    f->high = (int)within(a, f->high, INT16_MIN, INT16_MAX);
    f->zero = (int)within(a, f->zero, INT16_MIN, INT16_MAX);
    f->slope = (int)within(a, f->slope, INT16_MIN, INT16_MAX);
    f->rounding = word(a, f->rounding, TULLE_ROUNDINGS - 1);
}

static enum tulle_layout layout(struct archive *a, enum tulle_layout value)
{
    return (enum tulle_layout)word(a, value, TULLE_LAYOUTS - 1);
}

/* What the caller said of it; the rest follows from that, as when the operator was made. */
static void do_window(struct archive *a, struct planned *op)
{
    struct window *to = &op->window;
    struct tulle_window w = to->of;
    int64_t *const sizes[] = {&w.batch,        &w.height,     &w.width,    &w.channels,   &w.kernel_height,
                              &w.kernel_width, &w.stride_y,   &w.stride_x, &w.dilation_y, &w.dilation_x,
                              &w.pad_top,      &w.pad_bottom, &w.pad_left, &w.pad_right,  &w.groups};
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
        *sizes[i] = within(a, *sizes[i], 0, INT32_MAX);
    w.input_layout = layout(a, w.input_layout);
    w.output_layout = layout(a, w.output_layout);
    w.weights_layout = layout(a, w.weights_layout);
    enum window_kind kind = (enum window_kind)word(a, to->kind, WINDOW_KINDS - 1);
    if (a->to)
        return;
    a->wrong |= operation_has_window(op->info.operation) != (w.batch != 0);
    if (a->wrong || !w.batch)
        return;
    a->wrong = window_take(&w, to) != TULLE_OK;
    to->plan.maximum = op->info.operation == TULLE_MAX_POOL;
    a->wrong |= op->info.rows % w.groups || kind < window_first_kind(to, op->variant) ||
                op->m != (int64_t)to->out_height * to->out_width * w.batch;
    if (!a->wrong)
        window_set_kind(to, kind, (uint32_t)op->info.rows);
}

static void do_join(struct archive *a, struct planned *op)
{
    struct plan_join *j = &op->join;
    j->join = word(a, j->join, TULLE_JOINS - 1);
    j->element = word(a, j->element, TULLE_INT16);
    j->has_no_sign = flag(a, j->has_no_sign);
    op->joins_row = flag(a, op->joins_row);
    a->wrong |= planned_is_pair(op) ? !j->join : op->joins_row;
}

static void do_operator(struct archive *a, struct planned *op)
{
    struct tulle_operator_info *info = &op->info;
    int64_t scale;
    memcpy(&scale, &info->matrix_scale, sizeof scale);
    info->operation = (enum tulle_operation)word(a, info->operation, TULLE_OPERATIONS - 1);
    info->rows = within(a, info->rows, 1, INT32_MAX);
    info->columns = within(a, info->columns, 1, INT32_MAX);
    info->entries = within(a, info->entries, 0, INT32_MAX);
    op->m = (uint32_t)within(a, op->m, 1, INT32_MAX);
    op->element = word(a, op->element, TULLE_INT64);
    scale = within(a, scale, INT64_MIN, INT64_MAX);
    memcpy(&info->matrix_scale, &scale, sizeof scale);
    info->predicted_cycles = size(a, info->predicted_cycles);
    op->has_initial = flag(a, op->has_initial);
    op->adds = flag(a, op->adds);
    op->wraps = flag(a, op->wraps);
    op->input_zero = (int)within(a, op->input_zero, INT16_MIN, UINT16_MAX);
    op->input_unsigned = flag(a, op->input_unsigned);
    op->output_unsigned = flag(a, op->output_unsigned);
    do_function(a, &op->function);
    op->looks_up = flag(a, op->looks_up);
    for (unsigned i = 0; op->looks_up && i < sizeof op->lookup; i++)
        op->lookup[i] = (int8_t)within(a, op->lookup[i], INT8_MIN, INT8_MAX);
    a->wrong |= op->looks_up != (op->function.function == NUM_LOOKUP);
    do_join(a, op);
    do_choice(a, &op->choice);
    a->wrong |= planned_is_pair(op) != (op->choice.gather == PLAN_PAIR) ||
                planned_is_softmax(op) != (op->choice.gather == PLAN_SOFTMAX);
    do_window(a, op);
    bool right = info->operation == TULLE_SPMM_RIGHT;
    op->n = (uint32_t)(right ? info->columns : info->rows);
    op->k =
        op->window.of.batch ? window_columns(&op->window) : (uint32_t)(right ? info->rows : info->columns);
    info->out_height = op->window.out_height;
    info->out_width = op->window.out_width;
    info->dense = op->m;
    info->output_type = (enum tulle_type)op->element;
}

static void do_image(struct archive *a, struct planned *op, struct packed *packed)
{
    assert(packed);
    packed->block = (uint32_t)within(a, packed->block, 1, a->wrong ? 1 : op->m / operator_unit(op));
    packed->parts = (uint32_t)within(a, packed->parts, 1, PARTS_MAX);
    const uint32_t sums = planned_rests(op) ? 0 : op->n; /* that have biases and bounds */
    if (!a->to && !a->wrong) {
        bool room = (a->size - a->at) / 8 >= sums && (a->size - a->at) / 8 >= packed->parts;
        packed->bias = room ? calloc((size_t)sums + 1, sizeof *packed->bias) : NULL;
        packed->bound = room ? calloc((size_t)sums + 1, sizeof *packed->bound) : NULL;
        packed->part = room ? calloc(packed->parts, sizeof *packed->part) : NULL;
        a->wrong = !packed->bias || !packed->bound || !packed->part;
        a->memory |= room && a->wrong;
    }
    if (a->wrong) {
        packed->parts = 0;
        return;
    }
    for (uint32_t n = 0; n < sums; n++) {
        packed->bias[n] = within(a, packed->bias[n], INT64_MIN, INT64_MAX);
        packed->bound[n] = within(a, packed->bound[n], 0, INT64_MAX);
    }
    for (uint32_t i = 0; i < packed->parts; i++)
        do_part(a, op, &packed->part[i]);
}

/* ---- saving ---------------------------------------------------------------------------------------------
 */

enum tulle_status tulle_operator_save(const struct tulle_operator *op, const char *path)
{
    struct strbuf file = {0};
    struct diag diag = {0};
    struct archive a = {.to = &file};
    uint8_t digest[SHA256_BYTES];
    if (!op || !path)
        return message_set(TULLE_INVALID_ARGUMENT, "tulle_operator_save: op or path is NULL");
    struct planned copy = op->of; /* what is written is not changed; the list serves both ways */
    within(&a, (int64_t)MAGIC, INT64_MIN, INT64_MAX);
    within(&a, (int64_t)op->device->info.hash, INT64_MIN, INT64_MAX);
    do_operator(&a, &copy);
    do_image(&a, &copy, &op->image->packed);
    if (sb_ok(&file)) {
        sha256_of(file.text, file.len, digest);
        sb_addn(&file, (const char *)digest, sizeof digest);
    }
    enum tulle_status status = !sb_ok(&file) ? message_no_memory()
                               : output_file(path, &file, &diag)
                                   ? TULLE_OK
                                   : message_set(TULLE_FILE, "%s", sb_text(&diag.text));
    sb_free(&file);
    diag_free(&diag);
    return status;
}

/* ---- loading --------------------------------------------------------------------------------------------
 */

static bool fits(uint64_t at, uint64_t bytes, uint64_t room)
{
    return at <= room && bytes <= room - at;
}

static bool gathered_places_fit(const struct planned *op, const struct part *p)
{
    const struct plan_layout *l = &p->plan.layout;
    for (uint32_t k = 0; l->compact && k < op->k; k++)
        if (l->compact[k] != UINT32_MAX &&
            !fits((uint64_t)l->compact[k] * l->data_bytes, l->data_bytes, p->plan.input_bytes))
            return false;
    for (uint32_t i = 0; i < l->more_count; i++)
        if (!l->more || l->more[2 * i] >= p->rows ||
            !fits((uint64_t)l->more[2 * i + 1] * l->element_bytes, l->element_bytes, p->plan.output_bytes))
            return false;
    return true;
}

/* Divisors of plan_partial_offset; tiles ascend. */
static bool partial_sizes_fit(const struct plan_layout *l)
{
    if (l->tile_count && !l->tiles)
        return false;
    for (uint32_t t = 0; t < l->tile_count; t++)
        if (l->tiles[t] > l->tiles[t + 1])
            return false;
    return l->compact || (l->pes && l->held && l->m_parts && l->n_parts);
}

/* Divisors of places in images, which products have not. */
static bool image_sizes_fit(const struct planned *op, struct plan_layout *l)
{
    uint32_t *sizes[IMAGE_SIZES];
    bool any = false, all = l->segments && l->pes && l->n_parts && l->m_parts;
    image_sizes(&l->window, sizes);
    for (unsigned i = 0; i < IMAGE_SIZES; i++) {
        any |= *sizes[i] != 0;
        all &= *sizes[i] != 0;
    }
    return window_slides(&op->window)
               ? all && l->window.rows >= l->window.tile_height && l->window.columns >= l->window.tile_width
               : !any;
}

/* An operator without weights has tensors one element behind another. */
static bool tensors_fit(const struct planned *op, const struct packed *packed, const struct part *p)
{
    const struct plan *plan = &p->plan;
    const uint64_t elements = (uint64_t)packed->block * planned_pitch(op), second = planned_is_softmax(op) ? 0
                                                                                    : planned_repeats_row(op)
                                                                                        ? op->n
                                                                                        : elements;
    return packed->parts == 1 && p->rows == op->n && !plan->partial_bytes && !plan->layout.compact &&
           plan->layout.element_bytes == num_element_bytes((enum num_element)op->element) &&
           fits(0, elements * planned_input_bytes(op), plan->input_bytes) &&
           fits(0, second << op->join.element, plan->operand_bytes) &&
           fits(0, elements << op->element, plan->output_bytes);
}

/* Every place that host code computes for this part. */
static bool places_fit(const struct planned *op, const struct packed *packed, struct part *p)
{
    struct plan *plan = &p->plan;
    const struct plan_layout *l = &plan->layout;
    const bool adds = plan->partial_bytes, joins = plan->operand_bytes;
    if (planned_rests(op))
        return tensors_fit(op, packed, p);
    if (joins != (op->join.join != 0) || (joins && l->operand_bytes != 1u << op->join.element))
        return false;
    if (l->data_bytes != op->data_bytes || !l->partial_bytes || adds != op->adds ||
        l->element_bytes != num_element_bytes((enum num_element)op->element) || !gathered_places_fit(op, p) ||
        !image_sizes_fit(op, &plan->layout) || ((adds || joins || l->window.rows) && !partial_sizes_fit(l)) ||
        (l->compact && packed->block != 1))
        return false;
    const struct slice all = {
        .op = op, .packed = packed, .part = p, .count = packed->block * operator_unit(op)};
    if (op->window.of.batch && !window_places_fit(&all))
        return false;
    for (uint32_t m = 0; m < all.count; m++) {
        if (!l->compact && !op->window.of.batch &&
            !fits(plan_input_offset(plan, m, 0), (uint64_t)op->k * l->data_bytes, plan->input_bytes))
            return false;
        for (uint32_t n = 0; n < p->rows; n++) {
            uint64_t at = plan_output_offset(plan, m, n);
            uint64_t partial = adds ? plan_partial_offset(plan, m, n) : PLAN_NOWHERE;
            uint64_t operand = joins ? plan_operand_offset(plan, m, n) : PLAN_NOWHERE;
            if ((operand != PLAN_NOWHERE && !fits(operand, l->operand_bytes, plan->operand_bytes)) ||
                (at != PLAN_NOWHERE && !fits(at, l->element_bytes, plan->output_bytes)) ||
                (partial != PLAN_NOWHERE && !fits(partial, l->partial_bytes, plan->partial_bytes)))
                return false;
        }
    }
    return true;
}

static bool image_is_sound(const struct planned *op, const struct packed *packed)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < packed->parts; i++) {
        if (packed->part[i].first != next || !packed->part[i].rows ||
            !places_fit(op, packed, &packed->part[i]))
            return false;
        next += packed->part[i].rows;
    }
    return next == op->n;
}

static enum tulle_status read_operator(const char *path, const struct strbuf *file, struct tulle_operator *op)
{
    struct archive a = {.from = (const uint8_t *)file->text, .size = file->len - SHA256_BYTES};
    uint64_t magic = (uint64_t)within(&a, 0, INT64_MIN, INT64_MAX);
    uint64_t hash = (uint64_t)within(&a, 0, INT64_MIN, INT64_MAX);
    if (magic != MAGIC)
        return message_set(TULLE_INVALID_FILE, "%s: not an operator that this version saved", path);
    if (hash != op->device->info.hash)
        return message_set(TULLE_INVALID_FILE, "%s: it is for variant %016llx, and %s is %s, %016llx", path,
                           (unsigned long long)hash, op->device->info.name, op->device->info.variant,
                           (unsigned long long)op->device->info.hash);
    do_operator(&a, &op->of);
    if (!a.wrong)
        do_image(&a, &op->of, &op->image->packed);
    if (a.memory)
        return message_no_memory();
    if (a.wrong || a.at != a.size || !image_is_sound(&op->of, &op->image->packed))
        return message_set(TULLE_INVALID_FILE, "%s: the operator in it is inconsistent", path);
    return TULLE_OK;
}

static enum tulle_status check_digest(const char *path, const struct strbuf *file)
{
    uint8_t digest[SHA256_BYTES];
    if (file->len < SHA256_BYTES + 16)
        return message_set(TULLE_INVALID_FILE, "%s: it is too short for an operator", path);
    sha256_of(file->text, file->len - SHA256_BYTES, digest);
    if (memcmp(digest, file->text + file->len - SHA256_BYTES, sizeof digest) != 0)
        return message_set(TULLE_INVALID_FILE, "%s: it is damaged, or no operator: its checksum is wrong",
                           path);
    return TULLE_OK;
}

static enum tulle_status load(const char *path, struct tulle_operator *op)
{
    struct strbuf file = {0};
    enum tulle_status status = device_read_file(path, FILE_MAX, &file);
    op->image = image_new();
    if (!status && !op->image)
        status = message_no_memory();
    if (!status)
        status = check_digest(path, &file);
    if (!status)
        status = read_operator(path, &file, op);
    sb_free(&file);
    if (!status) {
        packed_sizes(&op->image->packed);
        status = packed_partial(&op->of, &op->image->packed);
    }
    if (!status)
        status = image_finish(op, op->image);
    if (status)
        return status;
    struct plan_alternative *only = &op->of.alternatives.of[0];
    op->of.alternatives.count = 1;
    *only = (struct plan_alternative){.choice = op->of.choice,
                                      .made = true,
                                      .cycles = op->of.info.predicted_cycles,
                                      .summary = op->image->packed.part[0].plan.summary};
    operator_sizes(op);
    return TULLE_OK;
}

enum tulle_status tulle_operator_load(struct tulle_device *device, const char *path,
                                      struct tulle_operator **to)
{
    if (!device || !path || !to)
        return message_set(TULLE_INVALID_ARGUMENT, "tulle_operator_load: device, path or op is NULL");
    enum tulle_status status = device_check(device);
    if (status)
        return status;
    struct tulle_operator *op = operator_new(device);
    if (!op)
        return message_no_memory();
    status = load(path, op);
    if (status)
        tulle_operator_free(op);
    else
        *to = op;
    return status;
}
