/* SPDX-License-Identifier: Apache-2.0
 *
 * The program of a product. Its steps run over passes, tiles and k steps in
 * the order of the mapping; a step sends a packet set to the array. Before it
 * are written: the loads of weights two steps on, the store of the results
 * that begin with it, and how the collectors are set up for that. Activations
 * of a later step go behind the last packet that reads what they replace; into
 * the storage units they are loaded one step before that.
 */
#include "host/plan/product.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "host/plan/roll.h"

/* Two buffers each, for the halves of the input buffer: as in spmm.c. */
enum { BUFFER_LOAD_FIRST = 0, BUFFER_LOAD_RESUME = 2, BUFFER_FIRST = 4, BUFFER_RESUME = 6 };

#define CODE_MAX 16
#define PLAIN_MINOR 2 /* version of the instruction set that has plain packets */

struct step {
    uint32_t pass, tile, k_step;
    uint32_t unit;                /* where the packets are in the storage units */
    uint8_t half;                 /* of the input buffers */
    bool resume, shift_out;       /* sums go on; results leave */
    bool loads_weights, frees;    /* first and last step of a packet set in the storage units */
    bool loads_input, was_second; /* activations of its own; those they replace were last read by resuming
                                     MACs */
    uint32_t input_behind;        /* step after whose packets they are sent */
};

struct program_of {
    struct product *p;
    struct plan_images images; /* of a convolution */
    struct writer writer;
    struct step *steps;
    uint32_t count, next_input;
    unsigned loads, inputs; /* activations of so many steps are loaded, and sent */
    bool set_up;
    /* Convolutions: steps whose packets are sent and whose results are stored, and what went into the queues
     * of loads and packets since. */
    uint32_t sent, stored;
    unsigned since[2];
};

enum { LOADS, PACKETS };

static void make_room(struct program_of *g, unsigned queue);

static const struct product_set *set_of(const struct product *p, const struct step *s)
{
    return &p->sets[product_set_number(p, product_block_of(p, s->pass), s->tile, s->k_step)];
}

/* ---- the list of steps ----------------------------------------------------------------------- */

static struct step step_at(const struct product *p, uint64_t i)
{
    uint32_t tiles = p->tile_count, k = p->k_steps, passes = p->passes;
    if (p->mapping == PLAN_WEIGHT_STATIONARY)
        return (struct step){.pass = (uint32_t)(i % passes),
                             .k_step = (uint32_t)(i / passes % k),
                             .tile = (uint32_t)(i / passes / k)};
    if (p->mapping == PLAN_INPUT_STATIONARY)
        return (struct step){.tile = (uint32_t)(i % tiles),
                             .k_step = (uint32_t)(i / tiles % k),
                             .pass = (uint32_t)(i / tiles / k)};
    return (struct step){
        .k_step = (uint32_t)(i % k), .tile = (uint32_t)(i / k % tiles), .pass = (uint32_t)(i / k / tiles)};
}

static void place_weights(struct program_of *g)
{
    struct product *p = g->p;
    bool *seen = calloc(p->set_count, sizeof *seen);
    uint32_t loads = 0;
    for (uint32_t i = 0; seen && i < g->count; i++) {
        struct step *s = &g->steps[i], *before = i ? s - 1 : NULL;
        const struct product_set *set = set_of(p, s);
        bool same = before && set_of(p, before) == set;
        s->loads_weights = p->resident ? !seen[set - p->sets] : !same;
        s->frees = p->resident ? s->loads_weights : i + 1 == g->count || set_of(p, s + 1) != set;
        seen[set - p->sets] = true;
        if (p->resident)
            s->unit = set->unit;
        else
            s->unit = same ? before->unit : p->weights_at + loads % p->slots * p->largest_set;
        loads += s->loads_weights;
    }
    if (!seen)
        g->writer.failed = plan_no_memory();
    free(seen);
}

/* Which half of the input buffers each step reads, and when what is in it may be sent. */
static void place_input(struct program_of *g)
{
    uint32_t pass[2] = {UINT32_MAX, UINT32_MAX}, k_step[2] = {0}, behind = 0;
    int64_t last_read[2] = {-1, -1};
    for (uint32_t i = 0; i < g->count; i++) {
        struct step *s = &g->steps[i];
        unsigned half = pass[1] == s->pass && k_step[1] == s->k_step;
        if (pass[half] != s->pass || k_step[half] != s->k_step) {
            half = last_read[1] < last_read[0];
            s->loads_input = true;
            s->was_second = last_read[half] >= 0 && g->steps[last_read[half]].resume;
            int64_t at = last_read[half] + 3 < (int64_t)i - 1 ? last_read[half] + 3 : (int64_t)i - 1;
            at = at > last_read[half] ? at : last_read[half];
            behind = at > (int64_t)behind ? (uint32_t)at : behind;
            s->input_behind = behind;
            pass[half] = s->pass;
            k_step[half] = s->k_step;
        }
        s->half = (uint8_t)half;
        last_read[half] = i;
    }
}

static void list_steps(struct program_of *g)
{
    struct product *p = g->p;
    for (uint32_t i = 0; i < g->count; i++) {
        struct step *s = &g->steps[i];
        *s = step_at(p, i);
        s->resume = p->on_chip && s->k_step;
        s->shift_out = !p->on_chip || s->k_step + 1 == p->k_steps;
    }
    place_weights(g);
    place_input(g);
}

/* ---- configurations -------------------------------------------------------------------------- */

/* Activations into a half, once the MACs that read it are through. */
static void configure_load(struct program_of *g, unsigned buffer)
{
    uint32_t length = g->p->input_words;
    unsigned reader = (buffer >= BUFFER_LOAD_RESUME ? BUFFER_RESUME : BUFFER_FIRST) + (buffer & 1);
    step_configure(
        &g->writer, buffer,
        SETTINGS{{"restart", 1},
                 {"block", length},
                 {"after", 1},
                 {"after_buffer", reader},
                 STEP_ACTIVATIONS(g->p->d),
                 {NULL, 0}},
        (const struct config_instruction[]){
            {"ld", SETTINGS{{"target", 0}, {NULL, 0}},
             SETTINGS{{"maximum", product_maximum(g->p)}, {"address", (buffer & 1) * length}, {NULL, 0}}}},
        1);
}

/* Weights, a MAC per row held, an ST per row held. In a convolution every iteration is a line further down in
 * the tile, and after the last the places are those of the first again. */
static void configure_multiply(struct program_of *g, unsigned buffer)
{
    const struct product *p = g->p;
    const struct plan_window *w = p->window.of;
    const uint32_t depth = p->variant->input_buffer_depth;
    const int64_t down = w && p->lines > 1 ? (int64_t)w->stride_y * p->window.pe_line : 0;
    const uint32_t across = w ? w->stride_x * p->window.pe_channels : p->block;
    const bool maximum = product_maximum(p);
    struct config_instruction code[CODE_MAX];
    struct setting mac[CODE_MAX][5], operands[CODE_MAX][8];
    code[0] = (struct config_instruction){"ld", SETTINGS{{"target", 2}, {NULL, 0}}, NULL};
    for (unsigned r = 0; r < p->held; r++) {
        const struct setting instruction[5] = {
            {"balance", !maximum}, {"keep", 1}, {"resume", buffer >= BUFFER_RESUME}, {NULL, 0}};
        const struct setting places[8] = {
            {"maximum", maximum},
            {"address", (buffer & 1) * p->input_words + r * across},
            {"stride", down},
            {"inner", down ? p->lines : 0},
            {"pitch", -(down * p->lines % depth)}, /* places wrap around there anyhow */
            {"result", r},
            {"result_stride", p->held},
            {NULL, 0}};
        memcpy(mac[r], instruction, sizeof instruction);
        memcpy(operands[r], places, sizeof places);
        code[1 + r] = (struct config_instruction){"mac", mac[r], operands[r]};
        code[1 + p->held + r] = (struct config_instruction){"st", NULL, operands[r] + 5};
    }
    step_configure(&g->writer, buffer, SETTINGS{{"restart", !p->ring}, {"hold", p->lines}, {NULL, 0}}, code,
                   1 + 2 * p->held);
}

static unsigned multiply_buffer(const struct step *s)
{
    return (s->resume ? BUFFER_RESUME : BUFFER_FIRST) + s->half;
}

static unsigned load_buffer(const struct step *s)
{
    return (s->was_second ? BUFFER_LOAD_RESUME : BUFFER_LOAD_FIRST) + s->half;
}

/* The buffers that the steps use, in the order in which they come. */
static void configure(struct program_of *g)
{
    bool done[PRODUCT_BUFFERS] = {false};
    for (uint32_t i = 0; i < g->count; i++) {
        const unsigned load = load_buffer(&g->steps[i]), multiply = multiply_buffer(&g->steps[i]);
        if (g->steps[i].loads_input && !done[load])
            configure_load(g, load);
        if (!done[multiply])
            configure_multiply(g, multiply);
        done[load] |= g->steps[i].loads_input;
        done[multiply] = true;
    }
    step_load_configurations(&g->writer);
}

/* ---- activations ----------------------------------------------------------------------------- */

static int64_t input_at(const struct product *p, const struct step *s, unsigned row, unsigned column)
{
    uint64_t m = (uint64_t)s->pass * p->held * p->parts[PLAN_M] + product_part(p, PLAN_M, row, column);
    uint64_t k = ((uint64_t)s->k_step * p->parts[PLAN_K] + product_part(p, PLAN_K, row, column)) * p->block;
    return (int64_t)((p->d->from ? p->d->from->first : 0) + m * p->input_pitch + k * p->data_bytes);
}

/* A load of activations: for which cluster of a row, where in the storage units, and whether it is the first
 * or last operation that brings those of a step. */
struct load_to {
    unsigned row, column;
    uint32_t unit;
    bool first, last;
};

/* Runs and planes of the input slot, in bytes. */
struct load_from {
    int64_t offset;
    uint32_t length, runs, planes;
    int64_t run_pitch, plane_pitch;
};

/* Runs that lie side by side are one. */
static void join_runs(struct load_from *from)
{
    if (from->runs == 1 || from->run_pitch != from->length)
        return;
    from->length *= from->runs;
    from->runs = 1;
}

/* The same bytes in the fewest runs: planes cost the device products, and runs bursts of their own. */
static struct load_from fewest_runs(struct load_from from)
{
    join_runs(&from);
    if (from.runs == 1 && from.planes > 1) {
        from.runs = from.planes;
        from.run_pitch = from.plane_pitch;
        from.planes = 1;
        join_runs(&from);
    }
    from.run_pitch = from.runs > 1 ? from.run_pitch : 0;
    from.plane_pitch = from.planes > 1 ? from.plane_pitch : 0;
    return from;
}

static void write_load_op(struct program_of *g, const struct load_to *to, struct load_from as_given)
{
    const struct product *p = g->p;
    const struct load_from from = fewest_runs(as_given);
    writer_op(&g->writer, "load",
              SETTINGS{{"rows", product_input_rows(p) == 1 ? plan_all_rows(p->variant) : 1u << to->row},
                       {"slot", SLOT_INPUT},
                       {"offset", from.offset},
                       {"length", from.length},
                       {"runs", from.runs},
                       {"run_pitch", from.run_pitch},
                       {"planes", from.planes},
                       {"plane_pitch", from.plane_pitch},
                       {"unit_address", to->unit + to->column * p->input_tile},
                       {"wait_a", to->first},
                       {"wait_a_token", to->first ? TOKEN_INPUT_FREE : 0},
                       {"signal_a", to->last},
                       {"signal_a_token", to->last ? TOKEN_INPUT : 0},
                       {NULL, 0}});
}

static void load_tiles(struct program_of *g, const struct step *s, const struct load_to *to, unsigned tiles)
{
    const struct product *p = g->p;
    const int64_t at = input_at(p, s, to->row, to->column);
    write_load_op(
        g, to,
        (struct load_from){.offset = at,
                           .length = p->block * p->data_bytes,
                           .runs = p->held,
                           .run_pitch = (int64_t)p->parts[PLAN_M] * p->input_pitch,
                           .planes = tiles,
                           .plane_pitch = tiles > 1 ? input_at(p, s, to->row, to->column + 1) - at : 0});
}

/* The pixels under a tile, line by line of each plane of channels. */
static void load_planes(struct program_of *g, const struct load_to *to, const struct window_place *at,
                        uint32_t image, uint32_t block)
{
    const struct product *p = g->p;
    const struct product_window *t = &p->window;
    const struct plan_places *from = p->d->from;
    assert(from);
    write_load_op(g, to,
                  (struct load_from){.offset = (int64_t)plan_place(from, image, at->y * t->of->stride_y,
                                                                   at->x * t->of->stride_x,
                                                                   block * t->block_channels, p->data_bytes),
                                     .length = from->group * p->data_bytes * t->in_width,
                                     .runs = t->in_height,
                                     .run_pitch = (int64_t)(t->apart_y * from->line),
                                     .planes = t->block_channels / from->group,
                                     .plane_pitch = (int64_t)from->plane});
}

/* The pixels under the tiles of so many clusters, which lie in a line: whole lines of a tile when all
 * channels are loaded at once. */
static void load_window(struct program_of *g, const struct step *s, const struct load_to *to, unsigned tiles)
{
    const struct product *p = g->p;
    const struct product_window *t = &p->window;
    const struct window_place at = window_place(p, s->pass, product_part(p, PLAN_M, to->row, to->column));
    const uint32_t block = t->of->depthwise ? product_block_of(p, s->pass) * p->parts[PLAN_N] +
                                                  product_part(p, PLAN_N, to->row, to->column)
                                            : (product_block_of(p, s->pass) + s->k_step) * p->parts[PLAN_K] +
                                                  product_part(p, PLAN_K, to->row, to->column);
    const struct plan_places *from = p->d->from;
    const int64_t pixel = from ? (int64_t)from->pixel : (int64_t)g->images.channels * p->data_bytes,
                  line = from ? (int64_t)from->line : g->images.width * pixel;
    const uint32_t bytes = t->block_channels * p->data_bytes,
                   image = at.image < p->d->m ? at.image : p->d->m - 1;
    const bool whole = window_whole_lines(g->p);
    if (window_has_planes(p)) {
        load_planes(g, to, &at, image, block);
        return;
    }
    write_load_op(g, to,
                  (struct load_from){.offset = (from ? (int64_t)from->first : 0) +
                                               image * (int64_t)p->input_pitch +
                                               at.y * t->of->stride_y * line +
                                               at.x * t->of->stride_x * pixel + (int64_t)block * bytes,
                                     .length = whole ? bytes * t->in_width : bytes,
                                     .runs = whole ? t->in_height : t->in_width,
                                     .run_pitch = whole ? t->apart_y * line : t->apart_x * pixel,
                                     .planes = whole ? tiles : t->in_height,
                                     .plane_pitch = !whole      ? t->apart_y * line
                                                    : tiles > 1 ? p->held * t->of->stride_x * pixel
                                                                : 0});
}

static void send_tile(struct program_of *g, unsigned buffer, uint32_t unit, unsigned c)
{
    const struct product *p = g->p;
    const unsigned columns = product_input_columns(p);
    make_room(g, PACKETS);
    writer_op(&g->writer, "distribute",
              SETTINGS{{"rows", plan_all_rows(p->variant)},
                       {"clusters", columns == 1 ? plan_all_clusters(p->variant) : 1u << c},
                       {"command", EXEC | buffer},
                       {"scatter", product_scatters(p)},
                       {"count", 1},
                       {"length", p->input_tile},
                       {"unit_address", unit + c * p->input_tile},
                       {"wait_a", c == 0},
                       {"wait_a_token", c == 0 ? TOKEN_INPUT : 0},
                       {"signal_a", c + 1 == columns},
                       {"signal_a_token", c + 1 == columns ? TOKEN_INPUT_FREE : 0},
                       {NULL, 0}});
}

/* The storage units hold activations of two steps. */
static uint32_t input_unit(const struct program_of *g, unsigned number)
{
    return g->p->input_at + (number & 1) * g->p->input_half;
}

/* Whether the tiles of a row's clusters lie side by side, whole pixels, in all rows. */
static bool side_by_side(const struct program_of *g, const struct step *s)
{
    const struct product *p = g->p;
    const unsigned last = p->variant->m - 1;
    bool are = window_whole_lines(g->p) && p->split.columns == PLAN_M;
    for (unsigned r = 0; are && r < p->variant->n; r++) {
        const struct window_place from = window_place(p, s->pass, product_part(p, PLAN_M, r, 0)),
                                  to = window_place(p, s->pass, product_part(p, PLAN_M, r, last));
        are = from.image == to.image && from.y == to.y && to.x - from.x == last * p->held;
    }
    return are;
}

/* Columns of the clusters whose tiles one operation brings: those that are whole beats pack without gaps. */
static unsigned columns_at_once(const struct program_of *g, const struct step *s)
{
    const struct product *p = g->p;
    const struct product_window *t = &p->window;
    const uint32_t tile = t->of ? t->in_width * t->in_height * t->block_channels : p->input_words;
    const bool fits = tile * p->data_bytes == p->input_tile;
    return fits && (!t->of || side_by_side(g, s)) ? product_input_columns(p) : 1;
}

/* Tiles of column c of the clusters of all rows, `at_once` columns in one operation. */
static void load_column(struct program_of *g, const struct step *s, unsigned c, unsigned at_once)
{
    const struct product *p = g->p;
    const unsigned rows = product_input_rows(p), columns = product_input_columns(p);
    for (unsigned r = 0; r < rows; r++) {
        const struct load_to to = {.row = r,
                                   .column = c,
                                   .unit = input_unit(g, g->loads),
                                   .first = r == 0 && c == 0,
                                   .last = r + 1 == rows && c + at_once == columns};
        make_room(g, LOADS);
        if (p->window.of)
            load_window(g, s, &to, at_once);
        else
            load_tiles(g, s, &to, at_once);
    }
}

/* The step behind that one with activations of its own; NULL: there is none. */
static const struct step *next_with_input(const struct program_of *g, const struct step *s)
{
    const struct step *const end = g->steps + g->count;
    for (s++; s < end; s++)
        if (s->loads_input)
            return s;
    return NULL;
}

static void load_input(struct program_of *g, const struct step *s)
{
    const unsigned columns = product_input_columns(g->p), each = columns_at_once(g, s);
    for (unsigned c = 0; c < columns; c += each)
        load_column(g, s, c, each);
    g->loads++;
}

/* The activations of a step to the clusters, and between them the loads of the step's behind it, which would
 * wait behind packets that wait for the multipliers otherwise. The first are on their own: weights come next.
 */
static void send_input(struct program_of *g, const struct step *s)
{
    const struct product *p = g->p;
    const unsigned columns = product_input_columns(p), buffer = load_buffer(s);
    const struct step *next = g->inputs ? next_with_input(g, s) : NULL;
    const unsigned next_each = next ? columns_at_once(g, next) : 0;
    if (g->loads == g->inputs)
        load_input(g, s);
    for (unsigned c = 0; c < columns; c++) {
        if (next && c % next_each == 0)
            load_column(g, next, c, next_each);
        send_tile(g, buffer, input_unit(g, g->inputs), c);
    }
    g->loads += next != NULL;
    g->inputs++;
}

/* Activations that go behind the packets of step i - 1. */
static void send_inputs(struct program_of *g, int64_t behind)
{
    for (; g->next_input < g->count; g->next_input++) {
        const struct step *s = &g->steps[g->next_input];
        bool first = g->next_input == 0;
        if (s->loads_input && !first && (int64_t)s->input_behind > behind)
            return;
        if (s->loads_input)
            send_input(g, s);
        if (first && behind < 0) {
            g->next_input = 1;
            return;
        }
    }
}

/* ---- weights --------------------------------------------------------------------------------- */

static void load_weights(struct program_of *g, const struct step *s)
{
    const struct product *p = g->p;
    const struct product_set *set = set_of(p, s);
    unsigned rows = p->split.rows == PLAN_M ? 1 : p->variant->n;
    for (unsigned r = 0; r < rows; r++) {
        make_room(g, LOADS);
        writer_op(&g->writer, "load",
                  SETTINGS{{"rows", rows == 1 ? plan_all_rows(p->variant) : 1u << r},
                           {"slot", SLOT_WEIGHTS},
                           {"offset", (int64_t)(set->offset + (uint64_t)r * set->row_bytes)},
                           {"length", set->row_bytes},
                           {"unit_address", s->unit},
                           {"wait_a", r == 0},
                           {"wait_a_token", r == 0 ? TOKEN_WEIGHTS_FREE : 0},
                           {"signal_a", r + 1 == rows},
                           {"signal_a_token", r + 1 == rows ? TOKEN_WEIGHTS : 0},
                           {NULL, 0}});
    }
}

static void send_weights(struct program_of *g, const struct step *s)
{
    const struct product *p = g->p;
    const struct product_set *set = set_of(p, s);
    unsigned columns = p->split.columns == PLAN_M ? 1 : p->variant->m;
    unsigned buffer = multiply_buffer(s);
    uint32_t unit = s->unit;
    if (set->span && g->writer.minor < PLAIN_MINOR)
        g->writer.minor = PLAIN_MINOR;
    for (unsigned c = 0; c < columns; unit += set->bytes[c++]) {
        bool waits = s->loads_weights && c == 0, frees = s->frees && c + 1 == columns;
        make_room(g, PACKETS);
        writer_op(&g->writer, "distribute",
                  SETTINGS{{"rows", plan_all_rows(p->variant)},
                           {"clusters", columns == 1 ? plan_all_clusters(p->variant) : 1u << c},
                           {"command", (s->shift_out ? EXEC_SHIFT_OUT : EXEC) | buffer},
                           {"count", p->tiles[s->tile].segments * p->lines},
                           {"length", set->bytes[c]},
                           {"plain", set->span != 0},
                           {"segment", set->span},
                           {"bitmap", set->bitmap},
                           {"segments", set->span && !set->bitmap ? p->tiles[s->tile].segments : 0},
                           {"unit_address", unit},
                           {"wait_a", waits},
                           {"wait_a_token", waits ? TOKEN_WEIGHTS : 0},
                           {"signal_a", frees},
                           {"signal_a_token", frees ? TOKEN_WEIGHTS_FREE : 0},
                           {NULL, 0}});
    }
}

/* ---- results --------------------------------------------------------------------------------- */

/* Results of a pass that segments of that number give, all in all. */
static uint64_t results_of(const struct product *p, uint32_t segments)
{
    return (uint64_t)segments * product_results(p) * product_streams(p) * p->variant->k;
}

/* Where in the order of stores the results of a step begin, counted in elements. */
static uint64_t result_order(const struct product *p, const struct step *s)
{
    const struct product_tile *tile = &p->tiles[s->tile];
    if (p->mapping == PLAN_WEIGHT_STATIONARY)
        return results_of(p, tile->first) * p->passes + s->pass * results_of(p, tile->segments);
    return s->pass * results_of(p, p->segments) + results_of(p, tile->first);
}

/* Segments whose results the store that begins with the step takes; 0: none begins. */
static uint32_t stored_segments(const struct product *p, const struct step *s)
{
    bool whole_pass = p->mapping != PLAN_WEIGHT_STATIONARY && (p->k_steps == 1 || !p->on_chip);
    if (whole_pass)
        return s->tile ? 0 : p->segments;
    return p->on_chip && s->k_step ? 0 : p->tiles[s->tile].segments;
}

/* Whose results a store takes, and its tokens. */
struct store_of {
    uint32_t rows, clusters;
    bool waits, signals;
};

/* Channels of the results of a store, in its order. */
struct channel_order {
    uint32_t first, run, repeats, holds;
};

/* Where results go: runs and planes of the output slot, in bytes. */
struct store_to {
    uint64_t offset;
    uint32_t length, runs, run_pitch, planes, plane_pitch;
    bool by_cluster; /* all of a cluster's first, not a group of each in turn */
    struct channel_order channels;
};

/* The channels of results that come in the order of the streams of all clusters, from a segment on. */
static struct channel_order channels_of_streams(const struct product *p, const struct step *s)
{
    const uint32_t n = p->parts[PLAN_N], m = p->parts[PLAN_M], block = product_block_of(p, s->pass);
    const bool n_first = p->split.rows == PLAN_N && p->split.columns == PLAN_M;
    if (!channels_any(&p->d->channels))
        return (struct channel_order){0};
    return (struct channel_order){.first = (block * p->segments + p->tiles[s->tile].first) * n,
                                  .run = n,
                                  .repeats = product_results(p) * (n_first ? 1 : m),
                                  .holds = n_first ? m : 1};
}

static void write_store_op(struct program_of *g, const struct store_of *of, unsigned slot, unsigned element,
                           const struct store_to *to)
{
    writer_op(&g->writer, "store",
              SETTINGS{{"rows", of->rows},
                       {"clusters", of->clusters},
                       {"slot", slot},
                       {"element", element},
                       {"unsigned", slot == SLOT_OUTPUT && g->p->d->results_have_no_sign},
                       {"interleave", !to->by_cluster},
                       {"offset", (int64_t)to->offset},
                       {"length", to->length},
                       {"runs", to->runs},
                       {"run_pitch", to->run_pitch},
                       {"planes", to->planes},
                       {"plane_pitch", to->plane_pitch},
                       {"first_group", to->channels.first},
                       {"group_run", to->channels.run},
                       {"group_repeats", to->channels.repeats},
                       {"group_holds", to->channels.holds},
                       {"wait_a", of->waits},
                       {"wait_a_token", of->waits ? TOKEN_SET_UP : 0},
                       {"signal_a", of->signals},
                       {"signal_a_token", of->signals ? TOKEN_STORED : 0},
                       {NULL, 0}});
}

/* Whether stores follow their packets. */
static bool follows(const struct product *p)
{
    return p->window.of && p->natural;
}

/* The second operand of a store's results, which lies as they do. */
static void set_up_join(struct program_of *g, const struct store_to *to)
{
    const struct product *p = g->p;
    step_collectors(&g->writer, &(struct collectors_step){.description = p->d,
                                                          .split = p->split,
                                                          .operand_at = to->offset / p->element_bytes,
                                                          .operand_elements = to->length / p->element_bytes,
                                                          .operand_runs = to->runs,
                                                          .operand_pitch = to->run_pitch,
                                                          .complete = true,
                                                          .waits = true});
}

/* The same results in patterns of one plane, which second operands have. */
static void store_joined(struct program_of *g, const struct store_of *of, const struct store_to *to)
{
    const bool dense = to->runs == 1 || to->length == to->run_pitch;
    struct store_to piece = *to;
    if (dense) {
        piece.length *= to->runs;
        piece.runs = to->planes;
        piece.run_pitch = to->plane_pitch;
    }
    piece.planes = 1;
    for (uint32_t i = 0; i < (dense ? 1 : to->planes); i++) {
        piece.offset = to->offset + (uint64_t)i * to->plane_pitch;
        set_up_join(g, &piece);
        write_store_op(g, of, SLOT_OUTPUT, g->p->d->element, &piece);
    }
}

/* Sums that are not complete, `count` of them from place `at` on of the scratch slot, in the order in which
 * they come. */
static void store_sums(struct program_of *g, const struct store_of *of, uint64_t at, uint64_t count)
{
    const unsigned bytes = g->p->partial_bytes;
    write_store_op(g, of, SLOT_SCRATCH, bytes == 4 ? 2 : 3,
                   &(struct store_to){
                       .offset = at * bytes, .length = (uint32_t)(count * bytes), .runs = 1, .planes = 1});
}

/* Results of a convolution in the order in which they come. */
static void store_in_order(struct program_of *g, const struct step *s, const struct store_of *of, uint64_t at,
                           uint64_t count)
{
    const unsigned bytes = g->p->element_bytes;
    write_store_op(g, of, SLOT_OUTPUT, g->p->d->element,
                   &(struct store_to){.offset = at * bytes,
                                      .length = (uint32_t)(count * bytes),
                                      .runs = 1,
                                      .planes = 1,
                                      .channels = channels_of_streams(g->p, s)});
}

static void store_results(struct program_of *g, const struct step *s, uint32_t segments,
                          const struct store_of *of)
{
    const struct product *p = g->p;
    uint32_t group = p->variant->k * p->element_bytes, m = p->parts[PLAN_M], n = p->parts[PLAN_N];
    bool alone =
        p->split.rows == PLAN_N && p->split.columns == PLAN_M; /* groups of a row are not neighbours */
    uint64_t row = (uint64_t)s->pass * p->held * m;
    write_store_op(
        g, of, SLOT_OUTPUT, p->d->element,
        &(struct store_to){.offset = row * p->output_pitch + (uint64_t)p->tiles[s->tile].first * n * group,
                           .length = alone ? group : n * group,
                           .runs = p->held * m,
                           .run_pitch = p->output_pitch,
                           .planes = alone ? segments * n : segments,
                           .plane_pitch = alone ? group : n * group,
                           .channels = channels_of_streams(p, s)});
}

/* Before the first sums of a k step: of a pass, or when weights are stationary of a tile. */
static void set_up_k_step(struct program_of *g, const struct step *s)
{
    const struct product *p = g->p;
    bool weights = p->mapping == PLAN_WEIGHT_STATIONARY, last = s->k_step + 1 == p->k_steps;
    uint64_t elements =
        weights ? results_of(p, p->tiles[s->tile].segments) * p->passes : results_of(p, p->segments);
    step_collectors(&g->writer,
                    &(struct collectors_step){.description = p->d,
                                              .split = p->split,
                                              .slot = s->k_step       ? SLOT_SCRATCH
                                                      : p->d->partial ? SLOT_PARTIAL
                                                                      : 0,
                                              .at = s->k_step && !weights ? 0 : result_order(p, s),
                                              .elements = elements,
                                              .operand_at = result_order(p, s),
                                              .complete = last,
                                              .waits = true});
    g->set_up = true;
}

static void write_store(struct program_of *g, const struct step *s)
{
    const struct product *p = g->p;
    uint32_t segments = stored_segments(p, s);
    bool weights = p->mapping == PLAN_WEIGHT_STATIONARY, last = s->k_step + 1 == p->k_steps;
    bool signals = !p->on_chip && (!weights || s->pass + 1 == p->passes);
    if (!segments)
        return;
    if (!p->on_chip && (!weights || s->pass == 0))
        set_up_k_step(g, s);
    const struct store_of of = {.rows = plan_all_rows(p->variant),
                                .clusters = plan_all_clusters(p->variant),
                                .waits = g->set_up,
                                .signals = signals};
    const uint64_t at = result_order(p, s), pass = weights ? 0 : s->pass * results_of(p, p->segments);
    g->set_up = false;
    if (!p->on_chip && !last)
        store_sums(g, &of, at - pass, results_of(p, segments));
    else if (p->window.of)
        store_in_order(g, s, &of, at, results_of(p, segments));
    else
        store_results(g, s, segments, &of);
}

/* ---- results of convolutions ----------------------------------------------------------------- */

/* A store of a part: of a tile's results of `segments` segments, from segment `segment` on. Several segments
 * only where the tile's results are one run of pixels. Parts are those of m, and also those of n where they
 * have channels of their own. */
struct window_store {
    const struct step *step;
    uint32_t segment, segments, part, m_part, n_part;
};

static bool one_run(const struct product *p)
{
    const struct plan_places *to = &p->to;
    const bool even = !to->group || to->line == p->held * to->pixel; /* from a line to the next */
    return product_store_parts(p) == 1 &&
           (to->group && p->d->to->planes ? p->parts[PLAN_N] == 1
                                          : p->lines == 1 || (p->window.tiles_across == 1 && even));
}

/* Whether what a store takes is another's along the rows, or the clusters of a row. */
static bool own_part(const struct product *p, enum plan_axis axis)
{
    return axis == PLAN_M || (axis == PLAN_N && product_stores_parts_of_n(p));
}

static struct window_store store_of_part(const struct product *p, uint32_t part, struct store_of *of)
{
    const bool by_row = own_part(p, p->split.rows), by_column = own_part(p, p->split.columns);
    const uint32_t row = !by_row     ? 0
                         : by_column ? part / p->variant->m
                                     : part,
                   column = by_column ? part % p->variant->m : 0;
    *of = (struct store_of){.rows = by_row ? 1u << row : plan_all_rows(p->variant),
                            .clusters = by_column ? 1u << column : plan_all_clusters(p->variant)};
    return (struct window_store){.part = part,
                                 .m_part = product_part(p, PLAN_M, row, column),
                                 .n_part =
                                     product_stores_parts_of_n(p) ? product_part(p, PLAN_N, row, column) : 0};
}

static uint32_t streams_of_part(const struct product *p)
{
    return product_scatters(p) ? 1 : p->parts[PLAN_N];
}

/* Lines of pixels of a plane for each segment, or of each part of n: these have channels of their own. */
static struct store_to frame_of_planes(const struct product *p, const struct window_store *w, uint64_t first,
                                       uint64_t column)
{
    const struct plan_places *to = &p->to;
    const bool parts = p->parts[PLAN_N] > 1;
    const struct store_to planes = {.offset = first + column * to->plane,
                                    .length = (uint32_t)to->pixel * p->held,
                                    .runs = p->lines,
                                    .run_pitch = (uint32_t)to->line,
                                    .planes = parts ? p->parts[PLAN_N] : w->segments,
                                    .plane_pitch = (uint32_t)to->plane * (parts ? p->segments : 1),
                                    .by_cluster = true};
    return planes;
}

/* Where a tile's results go in the frame that is wanted: lines of pixels. `column`: their first group of
 * channels, `bytes` long. */
static struct store_to frame_of(const struct product *p, const struct window_store *w,
                                const struct window_place *at, uint64_t column, uint32_t bytes)
{
    const struct plan_places *to = &p->to;
    const bool whole = one_run(p);
    const uint64_t first = to->first + at->image * to->image + at->y * to->line + at->x * to->pixel;
    if (p->d->to->planes)
        return frame_of_planes(p, w, first, column);
    return (struct store_to){.offset = first + column * bytes,
                             .length = bytes,
                             .runs = whole ? product_results(p) : p->held,
                             .run_pitch = (uint32_t)to->pixel,
                             .planes = whole ? w->segments : p->lines,
                             .plane_pitch = whole ? bytes : (uint32_t)to->line};
}

static void store_window(struct program_of *g, const struct window_store *w, const struct store_of *of)
{
    const struct product *p = g->p;
    const struct window_place at = window_place(p, w->step->pass, w->m_part);
    const struct plan_images *images = &g->images;
    const uint32_t bytes = streams_of_part(p) * p->variant->k * p->element_bytes,
                   parts = product_scatters(p) ? p->parts[PLAN_N] : 1,
                   block = product_block_of(p, w->step->pass);
    const uint64_t pixel = ((uint64_t)at.image * images->rows + at.y) * images->columns + at.x,
                   part = (uint64_t)block * parts + w->n_part, column = part * p->segments + w->segment;
    const bool whole = one_run(p);
    const bool planes =
        p->to.group && p->d->to->planes; /* then a group of channels comes with all its results */
    const struct channel_order channels =
        planes ? (struct channel_order){.first = (block * p->segments + w->segment) * parts,
                                        .holds = product_results(p)}
               : (struct channel_order){.first = (uint32_t)column * streams_of_part(p),
                                        .run = streams_of_part(p),
                                        .repeats = product_results(p)};
    struct store_to to =
        p->to.group ? frame_of(p, w, &at, column, bytes)
                    : (struct store_to){.offset = pixel * p->output_pitch + column * bytes,
                                        .length = bytes,
                                        .runs = whole ? product_results(p) : p->held,
                                        .run_pitch = p->output_pitch,
                                        .planes = whole ? w->segments : p->lines,
                                        .plane_pitch = whole ? bytes : images->columns * p->output_pitch};
    if (channels_any(&p->d->channels))
        to.channels = channels;
    if (product_joins_frame(p))
        store_joined(g, of, &to);
    else
        write_store_op(g, of, SLOT_OUTPUT, p->d->element, &to);
}

/* Where sums that are not complete go: in the order in which the next k step's results come. */
static uint64_t window_sums_at(const struct product *p, const struct window_store *w, uint64_t each)
{
    const uint32_t first = p->tiles[w->step->tile].first;
    uint64_t at = result_order(p, w->step);
    if (p->mapping != PLAN_WEIGHT_STATIONARY)
        at -= w->step->pass * results_of(p, p->segments);
    return at + ((uint64_t)(w->segment - first) * product_store_parts(p) + w->part) * each;
}

/* The results of a step: segment by segment, in each part of m by part. */
static void store_step(struct program_of *g, const struct step *s)
{
    const struct product *p = g->p;
    const struct product_tile *tile = &p->tiles[s->tile];
    const bool weights = p->mapping == PLAN_WEIGHT_STATIONARY;
    const bool begins = !p->on_chip && (weights ? s->pass == 0 : s->tile == 0),
               ends = !p->on_chip && (weights ? s->pass + 1 == p->passes : s->tile + 1 == p->tile_count);
    const bool joined = product_joins_frame(p);
    const uint32_t at_once = one_run(p) && !joined ? tile->segments : 1, parts = product_store_parts(p),
                   count = tile->segments / at_once * parts;
    const uint64_t each = (uint64_t)product_results(p) * streams_of_part(p) * p->variant->k;
    if (begins)
        set_up_k_step(g, s);
    for (uint32_t i = 0; i < count; i++) {
        struct store_of of;
        struct window_store store = store_of_part(p, i % parts, &of);
        store.step = s;
        store.segment = tile->first + i / parts;
        store.segments = at_once;
        of.waits = g->set_up || joined;
        of.signals = joined || (ends && i + 1 == count);
        g->set_up = false;
        if (p->on_chip || s->k_step + 1 == p->k_steps)
            store_window(g, &store, &of);
        else
            store_sums(g, &of, window_sums_at(p, &store, each), at_once * each);
    }
}

/* In the images' order a store is an operation for each segment and part, too many to be handed out before
 * their packets: then those would never come. So they follow them, the packets of the next step between, but
 * before anything that may wait in a full queue until the packets are through, which may need the stores. */
static void store_steps(struct program_of *g, uint32_t end)
{
    for (; g->stored < end; g->stored++)
        if (g->steps[g->stored].shift_out)
            store_step(g, &g->steps[g->stored]);
}

static void make_room(struct program_of *g, unsigned queue)
{
    if (g->stored == g->sent)
        return;
    if (++g->since[queue] >= g->p->variant->command_queue_depth)
        store_steps(g, g->sent);
}

static void packets_sent(struct program_of *g, uint32_t step)
{
    store_steps(g, step);
    g->sent = step + 1;
    g->since[LOADS] = g->since[PACKETS] = 0;
}

/* ---- the program ----------------------------------------------------------------------------- */

static void write_steps(struct program_of *g)
{
    struct product *p = g->p;
    g->writer.tokens[TOKEN_WEIGHTS_FREE] = (uint8_t)p->slots;
    g->writer.tokens[TOKEN_INPUT_FREE] = 2;
    g->writer.tokens[TOKEN_STORED] = 1;
    configure(g);
    channels_load(&g->writer, p->d, &p->channels);
    load_input(g, g->steps);
    if (p->on_chip && !product_joins_frame(p))
        g->set_up = step_collectors_once(&g->writer, p->d, p->split, p->passes * results_of(p, p->segments));
    for (uint32_t i = 0; i < g->count + PRODUCT_AHEAD; i++) {
        if (i < g->count && g->steps[i].loads_weights)
            load_weights(g, &g->steps[i]);
        if (i < PRODUCT_AHEAD)
            continue;
        if (i == PRODUCT_AHEAD) {
            step_send_configurations(&g->writer);
            send_inputs(g, -1);
        }
        const struct step *s = &g->steps[i - PRODUCT_AHEAD];
        if (!follows(p))
            write_store(g, s);
        send_weights(g, s);
        if (follows(p))
            packets_sent(g, i - PRODUCT_AHEAD);
        send_inputs(g, i - PRODUCT_AHEAD);
    }
    store_steps(g, g->sent);
}

enum plan_status product_write(struct product *p, struct plan *plan)
{
    const uint64_t count = (uint64_t)p->passes * p->tile_count * p->k_steps;
    if (!count || count > UINT32_MAX / 8)
        return plan_refuse(PLAN_UNSUPPORTED, "the program has too many steps");
    struct step *steps = calloc(count, sizeof *steps);
    if (!steps)
        return plan_no_memory();
    struct program_of g = {.p = p, .steps = steps, .count = (uint32_t)count};
    if (p->window.of)
        window_images(p, &g.images);
    writer_begin(&g.writer, p->variant);
    list_steps(&g);
    write_steps(&g);
    writer_roll(&g.writer);
    writer_finish(&g.writer, 0, &plan->program);
    const enum plan_status why = g.writer.failed;
    writer_free(&g.writer);
    free(steps);
    return why;
}
