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
#include "host/container/archive.h"
#include "host/container/sha256.h"
#include "host/lib/library.h"

#define MAGIC UINT64_C(0x37504F454C4C5554) /* "TULLEOP7": the version is in it */
#define FILE_MAX ((size_t)8 << 30)
#define PARTS_MAX (1u << 20)

/* ---- one list of fields for both ways --------------------------------------------------------------- */

/* An array that may be missing. */
static void words(struct archive *a, uint32_t **array, uint64_t count)
{
    if (!archive_flag(a, *array))
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
    c->gather = (enum plan_gather)archive_word(a, c->gather, PLAN_SOFTMAX);
    c->deals = archive_flag(a, c->deals);
    c->mapping = (enum plan_mapping)archive_word(a, c->mapping, PLAN_MAPPINGS - 1);
    c->split.rows = (enum plan_axis)archive_word(a, c->split.rows, PLAN_AXES - 1);
    c->split.columns = (enum plan_axis)archive_word(a, c->split.columns, PLAN_AXES - 1);
    c->rows_held = archive_word(a, c->rows_held, INT32_MAX);
    c->lines = archive_word(a, c->lines, INT32_MAX);
    c->block = archive_word(a, c->block, INT32_MAX);
    c->packet_bytes = archive_word(a, c->packet_bytes, INT32_MAX);
    c->packets = (enum plan_packets)archive_word(a, c->packets, PLAN_PACKETS - 1);
}

static void do_summary(struct archive *a, struct plan_summary *s)
{
    s->mapping = (enum plan_mapping)archive_word(a, s->mapping, PLAN_MAPPINGS - 1);
    s->split.rows = (enum plan_axis)archive_word(a, s->split.rows, PLAN_AXES - 1);
    s->split.columns = (enum plan_axis)archive_word(a, s->split.columns, PLAN_AXES - 1);
    s->rows_held = archive_word(a, s->rows_held, INT32_MAX);
    s->lines = archive_word(a, s->lines, INT32_MAX);
    s->passes = archive_word(a, s->passes, INT32_MAX);
    s->tiles = archive_word(a, s->tiles, INT32_MAX);
    s->k_steps = archive_word(a, s->k_steps, INT32_MAX);
    s->block = archive_word(a, s->block, INT32_MAX);
    s->largest_packet = archive_word(a, s->largest_packet, INT32_MAX);
    s->gather = (enum plan_gather)archive_word(a, s->gather, PLAN_SOFTMAX);
    s->deals = archive_flag(a, s->deals);
    s->parts = archive_word(a, s->parts, INT32_MAX);
    s->spills = archive_flag(a, s->spills);
    s->weights_stay = archive_flag(a, s->weights_stay);
}

#define IMAGE_SIZES 12

static void image_sizes(struct plan_images *i, uint32_t *to[IMAGE_SIZES])
{
    uint32_t *const sizes[IMAGE_SIZES] = {&i->height,     &i->width,  &i->channels, &i->out_height,
                                          &i->out_width,  &i->rows,   &i->columns,  &i->tile_height,
                                          &i->tile_width, &i->blocks, &i->apart_y,  &i->apart_x};
    memcpy(to, sizes, sizeof sizes);
}

static void do_layout(struct archive *a, struct plan_layout *l, uint32_t rows, uint32_t columns)
{
    l->input_pitch = archive_word(a, l->input_pitch, INT32_MAX);
    l->data_bytes = archive_word(a, l->data_bytes, 2);
    l->element_bytes = archive_word(a, l->element_bytes, 8);
    l->partial_bytes = archive_word(a, l->partial_bytes, 8);
    l->operand_bytes = archive_word(a, l->operand_bytes, 2);
    l->pes = archive_word(a, l->pes, INT32_MAX);
    l->held = archive_word(a, l->held, INT32_MAX);
    l->m_parts = archive_word(a, l->m_parts, INT32_MAX);
    l->n_parts = archive_word(a, l->n_parts, INT32_MAX);
    l->segments = archive_word(a, l->segments, INT32_MAX);
    l->passes = archive_word(a, l->passes, INT32_MAX);
    l->n_first = archive_flag(a, l->n_first);
    l->tile_count = archive_word(a, l->tile_count, INT32_MAX);
    words(a, &l->tiles, (uint64_t)l->tile_count + 1);
    words(a, &l->compact, columns);
    words(a, &l->place, rows);
    l->more_count = archive_word(a, l->more_count, INT32_MAX);
    words(a, &l->more, 2 * (uint64_t)l->more_count);
    uint32_t *sizes[IMAGE_SIZES];
    image_sizes(&l->window, sizes);
    for (unsigned i = 0; i < IMAGE_SIZES; i++)
        *sizes[i] = archive_word(a, *sizes[i], INT32_MAX);
    l->window.scattered = archive_flag(a, l->window.scattered);
    l->window.natural = archive_flag(a, l->window.natural);
}

static void do_part(struct archive *a, const struct planned *op, struct part *p)
{
    p->first = archive_word(a, p->first, op->n);
    p->rows = archive_word(a, p->rows, op->n - p->first);
    archive_text(a, &p->plan.program);
    archive_text(a, &p->plan.weights);
    p->plan.input_bytes = archive_size(a, p->plan.input_bytes);
    p->plan.output_bytes = archive_size(a, p->plan.output_bytes);
    p->plan.output_pitch = archive_word(a, p->plan.output_pitch, INT32_MAX);
    p->plan.padding = archive_size(a, p->plan.padding);
    p->plan.partial_bytes = archive_size(a, p->plan.partial_bytes);
    p->plan.scratch_bytes = archive_size(a, p->plan.scratch_bytes);
    p->plan.operand_bytes = archive_size(a, p->plan.operand_bytes);
    do_layout(a, &p->plan.layout, p->rows, op->k);
    do_summary(a, &p->plan.summary);
}

static void do_function(struct archive *a, struct plan_function *f)
{
    f->function = archive_word(a, f->function, NUM_FUNCTIONS - 1);
    a->wrong |= f->function >= TULLE_FUNCTIONS && f->function != NUM_LOOKUP;
    f->shift = archive_word(a, f->shift, 63);
    f->multiplier = (int32_t)archive_within(a, f->multiplier, INT32_MIN, INT32_MAX);
    f->low = (int)archive_within(a, f->low, INT16_MIN, INT16_MAX);
    f->high = (int)archive_within(a, f->high, INT16_MIN, INT16_MAX);
    f->zero = (int)archive_within(a, f->zero, INT16_MIN, INT16_MAX);
    f->slope = (int)archive_within(a, f->slope, INT16_MIN, INT16_MAX);
    f->rounding = archive_word(a, f->rounding, TULLE_ROUNDINGS - 1);
}

static enum tulle_layout layout(struct archive *a, enum tulle_layout value)
{
    return (enum tulle_layout)archive_word(a, value, TULLE_LAYOUTS - 1);
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
        *sizes[i] = archive_within(a, *sizes[i], 0, INT32_MAX);
    w.input_layout = layout(a, w.input_layout);
    w.output_layout = layout(a, w.output_layout);
    w.weights_layout = layout(a, w.weights_layout);
    enum window_kind kind = (enum window_kind)archive_word(a, to->kind, WINDOW_KINDS - 1);
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
    j->join = archive_word(a, j->join, TULLE_JOINS - 1);
    j->element = archive_word(a, j->element, TULLE_INT16);
    j->has_no_sign = archive_flag(a, j->has_no_sign);
    op->joins_row = archive_flag(a, op->joins_row);
    a->wrong |= planned_is_pair(op) ? !j->join : op->joins_row;
}

static void do_operator(struct archive *a, struct planned *op)
{
    struct tulle_operator_info *info = &op->info;
    int64_t scale;
    memcpy(&scale, &info->matrix_scale, sizeof scale);
    info->operation = (enum tulle_operation)archive_word(a, info->operation, TULLE_OPERATIONS - 1);
    info->rows = archive_within(a, info->rows, 1, INT32_MAX);
    info->columns = archive_within(a, info->columns, 1, INT32_MAX);
    info->entries = archive_within(a, info->entries, 0, INT32_MAX);
    op->m = (uint32_t)archive_within(a, op->m, 1, INT32_MAX);
    op->element = archive_word(a, op->element, TULLE_INT64);
    scale = archive_within(a, scale, INT64_MIN, INT64_MAX);
    memcpy(&info->matrix_scale, &scale, sizeof scale);
    info->predicted_cycles = archive_size(a, info->predicted_cycles);
    op->has_initial = archive_flag(a, op->has_initial);
    op->adds = archive_flag(a, op->adds);
    op->wraps = archive_flag(a, op->wraps);
    op->input_zero = (int)archive_within(a, op->input_zero, INT16_MIN, UINT16_MAX);
    op->input_unsigned = archive_flag(a, op->input_unsigned);
    op->output_unsigned = archive_flag(a, op->output_unsigned);
    do_function(a, &op->function);
    op->looks_up = archive_flag(a, op->looks_up);
    for (unsigned i = 0; op->looks_up && i < sizeof op->lookup; i++)
        op->lookup[i] = (int8_t)archive_within(a, op->lookup[i], INT8_MIN, INT8_MAX);
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
    packed->block = (uint32_t)archive_within(a, packed->block, 1, a->wrong ? 1 : op->m / operator_unit(op));
    packed->parts = (uint32_t)archive_within(a, packed->parts, 1, PARTS_MAX);
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
        packed->bias[n] = archive_within(a, packed->bias[n], INT64_MIN, INT64_MAX);
        packed->bound[n] = archive_within(a, packed->bound[n], 0, INT64_MAX);
    }
    for (uint32_t i = 0; i < packed->parts; i++)
        do_part(a, op, &packed->part[i]);
}

/* ---- saving ---------------------------------------------------------------------------------------------
 */

static enum tulle_status check_saving(const struct tulle_operator *op, const void *to, const char *call)
{
    return op && to ? operator_check_alone(op, call)
                    : message_set(TULLE_INVALID_ARGUMENT, "%s: op or the place for it is NULL", call);
}

static enum tulle_status save(const struct tulle_operator *op, struct strbuf *file)
{
    struct archive a = {.to = file};
    struct planned copy = op->of; /* what is written is not changed; the list serves both ways */
    archive_bits(&a, MAGIC);
    archive_bits(&a, op->device->info.hash);
    do_operator(&a, &copy);
    do_image(&a, &copy, &op->image->packed);
    archive_seal(file);
    return sb_ok(file) ? TULLE_OK : message_no_memory();
}

enum tulle_status tulle_operator_save(const struct tulle_operator *op, const char *path)
{
    struct strbuf file = {0};
    struct diag diag = {0};
    enum tulle_status status = check_saving(op, path, "tulle_operator_save");
    if (!status)
        status = save(op, &file);
    if (!status && !output_file(path, &file, &diag))
        status = message_set(TULLE_FILE, "%s", sb_text(&diag.text));
    sb_free(&file);
    diag_free(&diag);
    return status;
}

enum tulle_status tulle_operator_save_bytes(const struct tulle_operator *op, void *bytes, size_t room,
                                            size_t *needed)
{
    struct strbuf file = {0};
    enum tulle_status status = check_saving(op, needed, "tulle_operator_save_bytes");
    if (!status)
        status = save(op, &file);
    if (!status) {
        *needed = file.len;
        if (bytes && room >= file.len)
            memcpy(bytes, file.text, file.len);
    }
    sb_free(&file);
    return status;
}

/* ---- loading --------------------------------------------------------------------------------------------
 */

static bool fits(uint64_t at, uint64_t bytes, uint64_t room)
{
    return at <= room && bytes <= room - at;
}

/* Of the last row: those of the others come before them. */
static bool gathered_places_fit(const struct planned *op, const struct packed *packed, const struct part *p)
{
    const struct plan_layout *l = &p->plan.layout;
    for (uint32_t k = 0; l->compact && k < op->k; k++)
        if (l->compact[k] != UINT32_MAX &&
            !fits(plan_input_offset(&p->plan, packed->block - 1, k), l->data_bytes, p->plan.input_bytes))
            return false;
    for (uint32_t i = 0; i < l->more_count; i++)
        if (!l->more || l->more[2 * i] >= p->rows ||
            !fits((uint64_t)(packed->block - 1) * p->plan.output_pitch +
                      (uint64_t)l->more[2 * i + 1] * l->element_bytes,
                  l->element_bytes, p->plan.output_bytes))
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
    return layout_gathers(l) || (l->pes && l->held && l->m_parts && l->n_parts);
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
    return window_slides(&op->window) ? all && l->window.rows / l->window.apart_y >= l->window.tile_height &&
                                            l->window.columns / l->window.apart_x >= l->window.tile_width
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
        l->element_bytes != num_element_bytes((enum num_element)op->element) ||
        !gathered_places_fit(op, packed, p) || !image_sizes_fit(op, &plan->layout) ||
        ((adds || joins || l->window.rows) && !partial_sizes_fit(l)))
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

/* `name`: of the file, for messages. `size` bytes are before the checksum. */
static enum tulle_status read_operator(const char *name, const void *bytes, size_t size,
                                       struct tulle_operator *op)
{
    struct archive a = {.from = bytes, .size = size};
    const uint64_t magic = archive_bits(&a, 0), hash = archive_bits(&a, 0);
    if (magic != MAGIC)
        return message_set(TULLE_INVALID_FILE, "%s: not an operator that this version saved", name);
    if (hash != op->device->info.hash)
        return message_set(TULLE_INVALID_FILE, "%s: it is for variant %016llx, and %s is %s, %016llx", name,
                           (unsigned long long)hash, op->device->info.name, op->device->info.variant,
                           (unsigned long long)op->device->info.hash);
    do_operator(&a, &op->of);
    if (!a.wrong)
        do_image(&a, &op->of, &op->image->packed);
    if (a.memory)
        return message_no_memory();
    if (a.wrong || a.at != a.size || !image_is_sound(&op->of, &op->image->packed))
        return message_set(TULLE_INVALID_FILE, "%s: the operator in it is inconsistent", name);
    return TULLE_OK;
}

static enum tulle_status read_whole(const char *name, const void *bytes, size_t size,
                                    struct tulle_operator *op)
{
    if (size < SHA256_BYTES + 16)
        return message_set(TULLE_INVALID_FILE, "%s: it is too short for an operator", name);
    if (!archive_is_whole(bytes, &size))
        return message_set(TULLE_INVALID_FILE, "%s: it is damaged, or no operator: its checksum is wrong",
                           name);
    return read_operator(name, bytes, size, op);
}

static enum tulle_status load(const char *name, const void *bytes, size_t size, struct tulle_operator *op)
{
    op->of.loaded = true;
    op->image = image_new();
    enum tulle_status status = op->image ? read_whole(name, bytes, size, op) : message_no_memory();
    if (!status) {
        packed_sizes(&op->image->packed);
        status = packed_partial(&op->of, &op->image->packed);
    }
    if (!status)
        status = image_finish(op, &op->of, op->image, NULL);
    if (status)
        return status;
    assert(op->image);
    struct plan_alternative *only = &op->of.alternatives.of[0];
    op->of.alternatives.count = 1;
    *only = (struct plan_alternative){.choice = op->of.choice,
                                      .made = true,
                                      .price.cycles = op->of.info.predicted_cycles,
                                      .summary = op->image->packed.part[0].plan.summary};
    operator_sizes(op);
    return TULLE_OK;
}

static enum tulle_status load_for(struct tulle_device *device, const char *name, const void *bytes,
                                  size_t size, struct tulle_operator **to)
{
    enum tulle_status status = device_check(device);
    if (status)
        return status;
    struct tulle_operator *op = operator_new(device);
    if (!op)
        return message_no_memory();
    status = load(name, bytes, size, op);
    if (status)
        tulle_operator_free(op);
    else
        *to = op;
    return status;
}

enum tulle_status tulle_operator_load(struct tulle_device *device, const char *path,
                                      struct tulle_operator **to)
{
    struct strbuf file = {0};
    if (!device || !path || !to)
        return message_set(TULLE_INVALID_ARGUMENT, "tulle_operator_load: device, path or op is NULL");
    enum tulle_status status = device_read_file(path, FILE_MAX, &file);
    if (!status)
        status = load_for(device, path, sb_text(&file), file.len, to);
    sb_free(&file);
    return status;
}

enum tulle_status tulle_operator_load_bytes(struct tulle_device *device, const void *bytes, size_t size,
                                            struct tulle_operator **to)
{
    if (!device || !bytes || !to)
        return message_set(TULLE_INVALID_ARGUMENT, "tulle_operator_load_bytes: device, bytes or op is NULL");
    return load_for(device, "a saved operator", bytes, size, to);
}
