/* SPDX-License-Identifier: Apache-2.0
 *
 * The program of a product. Its steps run over passes, tiles and k steps in
 * the order of the mapping; a step sends a packet set to the array. Before it
 * are written: the loads of weights two steps on, the store of the results
 * that begin with it, and how the collectors are set up for that. Activations
 * of a later step go behind the last packet that reads what they replace.
 */
#include "host/plan/product.h"

#include <stdlib.h>

/* Two buffers each, for the halves of the input buffer: as in spmm.c. */
enum { BUFFER_LOAD_FIRST = 0, BUFFER_LOAD_RESUME = 2, BUFFER_FIRST = 4, BUFFER_RESUME = 6 };

#define CODE_MAX 16

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
    struct writer writer;
    struct step *steps;
    uint32_t count, next_input;
    unsigned inputs;
    bool configured[PRODUCT_BUFFERS], set_up;
};

static const struct product_set *set_of(const struct product *p, const struct step *s)
{
    return &p->sets[(size_t)s->tile * p->k_steps + s->k_step];
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
    bool *seen = calloc((size_t)p->tile_count * p->k_steps, sizeof *seen);
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
        g->writer.failed = "out of memory";
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

static void configured(struct program_of *g, unsigned buffer, uint64_t at, size_t bytes)
{
    step_configure_by(&g->writer, buffer, at, bytes, buffer * g->p->config_bytes);
    g->configured[buffer] = true;
}

/* Activations into a half, once the MACs that read it are through. */
static void configure_load(struct program_of *g, unsigned buffer)
{
    uint32_t length = g->p->held * g->p->block;
    unsigned reader = (buffer >= BUFFER_LOAD_RESUME ? BUFFER_RESUME : BUFFER_FIRST) + (buffer & 1);
    size_t bytes;
    uint64_t at = writer_config(
        &g->writer,
        SETTINGS{{"restart", 1}, {"block", length}, {"after", 1}, {"after_buffer", reader}, {NULL, 0}},
        (const struct config_instruction[]){{"ld", SETTINGS{{"target", 0}, {NULL, 0}},
                                             SETTINGS{{"address", (buffer & 1) * length}, {NULL, 0}}}},
        1, &bytes);
    configured(g, buffer, at, bytes);
}

/* Weights, a MAC per row held, an ST per row held. */
static void configure_multiply(struct program_of *g, unsigned buffer)
{
    const struct product *p = g->p;
    struct config_instruction code[CODE_MAX];
    struct setting mac[CODE_MAX][5], operands[CODE_MAX][4];
    code[0] = (struct config_instruction){"ld", SETTINGS{{"target", 2}, {NULL, 0}}, NULL};
    for (unsigned r = 0; r < p->held; r++) {
        const struct setting instruction[5] = {
            {"balance", 1}, {"keep", 1}, {"acc", r % 4}, {"resume", buffer >= BUFFER_RESUME}, {NULL, 0}};
        const struct setting places[4] = {{"address", ((buffer & 1) * p->held + r) * p->block},
                                          {"result", r},
                                          {"result_stride", p->held},
                                          {NULL, 0}};
        for (unsigned i = 0; i < 5; i++)
            mac[r][i] = instruction[i];
        for (unsigned i = 0; i < 4; i++)
            operands[r][i] = places[i];
        code[1 + r] = (struct config_instruction){"mac", mac[r], operands[r]};
        code[1 + p->held + r] = (struct config_instruction){"st", NULL, operands[r] + 1};
    }
    size_t bytes;
    uint64_t at =
        writer_config(&g->writer, SETTINGS{{"restart", !p->ring}, {NULL, 0}}, code, 1 + 2 * p->held, &bytes);
    configured(g, buffer, at, bytes);
}

static unsigned multiply_buffer(struct program_of *g, const struct step *s)
{
    unsigned buffer = (s->resume ? BUFFER_RESUME : BUFFER_FIRST) + s->half;
    if (!g->configured[buffer])
        configure_multiply(g, buffer);
    return buffer;
}

static unsigned load_buffer(struct program_of *g, const struct step *s)
{
    unsigned buffer = (s->was_second ? BUFFER_LOAD_RESUME : BUFFER_LOAD_FIRST) + s->half;
    if (!g->configured[buffer])
        configure_load(g, buffer);
    return buffer;
}

/* ---- activations ----------------------------------------------------------------------------- */

/* Tiles of activations that the clusters of a row want. */
static unsigned input_columns(const struct product *p)
{
    return p->split.columns == PLAN_N ? 1 : p->variant->m;
}

static int64_t input_at(const struct product *p, const struct step *s, unsigned row, unsigned column)
{
    uint64_t m = (uint64_t)s->pass * p->held * p->parts[PLAN_M] + product_part(p, PLAN_M, row, column);
    uint64_t k = ((uint64_t)s->k_step * p->parts[PLAN_K] + product_part(p, PLAN_K, row, column)) * p->block;
    return (int64_t)(m * p->input_pitch + k * p->data_bytes);
}

/* `first`, `last` of the operations that bring the activations of a step. */
static void load_tiles(struct program_of *g, const struct step *s, unsigned row, unsigned column,
                       unsigned tiles, uint32_t unit, bool first, bool last)
{
    const struct product *p = g->p;
    int64_t pitch = tiles > 1 ? input_at(p, s, row, column + 1) - input_at(p, s, row, column) : 0;
    writer_op(&g->writer, "load",
              SETTINGS{{"rows", p->split.rows == PLAN_N ? all_rows(p->variant) : 1u << row},
                       {"slot", SLOT_INPUT},
                       {"offset", input_at(p, s, row, column)},
                       {"length", p->block * p->data_bytes},
                       {"runs", p->held},
                       {"run_pitch", (int64_t)p->parts[PLAN_M] * p->input_pitch},
                       {"planes", tiles},
                       {"plane_pitch", pitch},
                       {"unit_address", unit + column * p->input_tile},
                       {"wait_a", first},
                       {"wait_a_token", first ? TOKEN_INPUT_FREE : 0},
                       {"signal_a", last},
                       {"signal_a_token", last ? TOKEN_INPUT : 0},
                       {NULL, 0}});
}

static void send_tiles(struct program_of *g, unsigned buffer, uint32_t unit)
{
    const struct product *p = g->p;
    unsigned columns = input_columns(p);
    for (unsigned c = 0; c < columns; c++)
        writer_op(&g->writer, "distribute",
                  SETTINGS{{"rows", all_rows(p->variant)},
                           {"clusters", columns == 1 ? all_clusters(p->variant) : 1u << c},
                           {"command", EXEC | buffer},
                           {"count", 1},
                           {"length", p->input_tile},
                           {"unit_address", unit + c * p->input_tile},
                           {"wait_a", c == 0},
                           {"wait_a_token", c == 0 ? TOKEN_INPUT : 0},
                           {"signal_a", c + 1 == columns},
                           {"signal_a_token", c + 1 == columns ? TOKEN_INPUT_FREE : 0},
                           {NULL, 0}});
}

static void send_input(struct program_of *g, const struct step *s)
{
    const struct product *p = g->p;
    uint32_t unit = p->input_at + (g->inputs++ & 1) * p->input_half;
    unsigned rows = p->split.rows == PLAN_N ? 1 : p->variant->n, columns = input_columns(p);
    unsigned buffer = load_buffer(g, s);
    /* Tiles that are whole beats pack without gaps: one operation. */
    unsigned at_once = p->held * p->block * p->data_bytes == p->input_tile ? columns : 1;
    for (unsigned r = 0; r < rows; r++)
        for (unsigned c = 0; c < columns; c += at_once)
            load_tiles(g, s, r, c, at_once, unit, r == 0 && c == 0, r + 1 == rows && c + at_once == columns);
    send_tiles(g, buffer, unit);
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
    for (unsigned r = 0; r < rows; r++)
        writer_op(&g->writer, "load",
                  SETTINGS{{"rows", rows == 1 ? all_rows(p->variant) : 1u << r},
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

static void send_weights(struct program_of *g, const struct step *s)
{
    const struct product *p = g->p;
    const struct product_set *set = set_of(p, s);
    unsigned columns = p->split.columns == PLAN_M ? 1 : p->variant->m;
    unsigned buffer = multiply_buffer(g, s);
    uint32_t unit = s->unit;
    for (unsigned c = 0; c < columns; unit += set->bytes[c++]) {
        bool waits = s->loads_weights && c == 0, frees = s->frees && c + 1 == columns;
        writer_op(&g->writer, "distribute",
                  SETTINGS{{"rows", all_rows(p->variant)},
                           {"clusters", columns == 1 ? all_clusters(p->variant) : 1u << c},
                           {"command", (s->shift_out ? EXEC_SHIFT_OUT : EXEC) | buffer},
                           {"count", p->tiles[s->tile].segments},
                           {"length", set->bytes[c]},
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
    return (uint64_t)segments * p->held * product_streams(p) * p->variant->k;
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

static void store_results(struct program_of *g, const struct step *s, uint32_t segments, bool waits,
                          bool signals)
{
    const struct product *p = g->p;
    uint32_t group = p->variant->k * p->element_bytes, m = p->parts[PLAN_M], n = p->parts[PLAN_N];
    bool alone =
        p->split.rows == PLAN_N && p->split.columns == PLAN_M; /* groups of a row are not neighbours */
    uint64_t row = (uint64_t)s->pass * p->held * m;
    writer_op(
        &g->writer, "store",
        SETTINGS{{"rows", all_rows(p->variant)},
                 {"clusters", all_clusters(p->variant)},
                 {"slot", SLOT_OUTPUT},
                 {"element", p->d->element},
                 {"interleave", 1},
                 {"offset", (int64_t)(row * p->output_pitch + (uint64_t)p->tiles[s->tile].first * n * group)},
                 {"length", alone ? group : n * group},
                 {"runs", p->held * m},
                 {"run_pitch", p->output_pitch},
                 {"planes", alone ? segments * n : segments},
                 {"plane_pitch", alone ? group : n * group},
                 {"wait_a", waits},
                 {"wait_a_token", waits ? TOKEN_SET_UP : 0},
                 {"signal_a", signals},
                 {"signal_a_token", signals ? TOKEN_STORED : 0},
                 {NULL, 0}});
}

/* Sums that are not complete, in the order in which they come. */
static void store_sums(struct program_of *g, const struct step *s, uint32_t segments, bool waits,
                       bool signals)
{
    const struct product *p = g->p;
    uint64_t at = result_order(p, s);
    if (p->mapping != PLAN_WEIGHT_STATIONARY)
        at -= s->pass * results_of(p, p->segments);
    writer_op(&g->writer, "store",
              SETTINGS{{"rows", all_rows(p->variant)},
                       {"clusters", all_clusters(p->variant)},
                       {"slot", SLOT_SCRATCH},
                       {"element", p->partial_bytes == 4 ? 2 : 3},
                       {"interleave", 1},
                       {"offset", (int64_t)(at * p->partial_bytes)},
                       {"length", (int64_t)(results_of(p, segments) * p->partial_bytes)},
                       {"wait_a", waits},
                       {"wait_a_token", waits ? TOKEN_SET_UP : 0},
                       {"signal_a", signals},
                       {"signal_a_token", signals ? TOKEN_STORED : 0},
                       {NULL, 0}});
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
    bool waits = g->set_up;
    g->set_up = false;
    if (p->on_chip || last)
        store_results(g, s, segments, waits, signals);
    else
        store_sums(g, s, segments, waits, signals);
}

/* ---- the program ----------------------------------------------------------------------------- */

static void write_steps(struct program_of *g)
{
    struct product *p = g->p;
    g->writer.tokens[TOKEN_WEIGHTS_FREE] = (uint8_t)p->slots;
    g->writer.tokens[TOKEN_INPUT_FREE] = 2;
    g->writer.tokens[TOKEN_STORED] = 1;
    send_inputs(g, -1);
    if (p->on_chip)
        g->set_up = step_collectors_once(&g->writer, p->d, p->split, p->passes * results_of(p, p->segments));
    for (uint32_t i = 0; i < g->count + PRODUCT_AHEAD; i++) {
        if (i < g->count && g->steps[i].loads_weights)
            load_weights(g, &g->steps[i]);
        if (i < PRODUCT_AHEAD)
            continue;
        const struct step *s = &g->steps[i - PRODUCT_AHEAD];
        write_store(g, s);
        send_weights(g, s);
        send_inputs(g, i - PRODUCT_AHEAD);
    }
}

const char *product_write(struct product *p, struct plan *plan)
{
    const uint64_t count = (uint64_t)p->passes * p->tile_count * p->k_steps;
    if (!count || count > UINT32_MAX / 8)
        return "the program has too many steps";
    struct step *steps = calloc(count, sizeof *steps);
    if (!steps)
        return "out of memory";
    struct program_of g = {.p = p, .steps = steps, .count = (uint32_t)count};
    const char *why = NULL;
    writer_begin(&g.writer, p->variant);
    list_steps(&g);
    write_steps(&g);
    if (!writer_finish(&g.writer, 0, &plan->program))
        why = g.writer.failed ? g.writer.failed : "out of memory";
    writer_free(&g.writer);
    free(steps);
    return why;
}
