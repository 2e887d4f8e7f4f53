/* SPDX-License-Identifier: Apache-2.0
 *
 * The program of y = A x: pages that stay, then tile by tile the pages that
 * are new to it and its packets. One store takes all results, in the order of
 * segments and PEs. Several x follow each other, with the same weights.
 */
#include "host/plan/vector.h"

#include "host/plan/roll.h"

#define PIECE_PAGES 32  /* of the first piece of x */
#define PIECES_PAGES 96 /* from more pages on, x comes in pieces */
#define PIECES_MOST 12  /* a token counts them */

/* Groups take turns with places for pages and with buffers of MACs: pages of a group wait for the one before
 * the last, and no MACs but their own wait for them. Without pages that stay there is a buffer of MACs for
 * every place, which counts positions from the place before it. */
enum { BUFFER_MULTIPLY = 0, BUFFER_STAY = 2, BUFFER_PLACE = 4, BUFFERS = BUFFER_PLACE + VECTOR_PLACES };

static unsigned multiply_buffer(const struct vector *a, uint32_t group)
{
    return BUFFER_MULTIPLY + group % (a->stay ? 2 : VECTOR_PLACES);
}

uint32_t vector_base(const struct vector *a, uint32_t group)
{
    if (a->step)
        return vector_step_base(a, 0);
    return a->stay ? 0 : (group + VECTOR_PLACES - 1) % VECTOR_PLACES * a->place_pages * VECTOR_PAGE;
}

uint32_t vector_wrap(const struct vector *a)
{
    const bool places = !a->stay && a->place_pages;
    if (a->step)
        return a->pages * VECTOR_PAGE;
    return places ? VECTOR_PLACES * a->place_pages * VECTOR_PAGE : a->variant->input_buffer_depth;
}

/* ---- storage units --------------------------------------------------------------------------- */

/* Bytes of a storage unit that the tiles before this one take, when each has a place of its own. */
static uint32_t before_tile(const struct vector *a, const struct vector_tile *tile)
{
    return (uint32_t)((tile->offset - VECTOR_AT(a->tiles, struct vector_tile)->offset) / a->variant->n);
}

/* With kept weights tiles lie one behind the other, so that as many as possible outlast the job. A token
 * counts those that are there and whose packets are not sent: the queue of packets bounds them. */
static bool lie_in_line(const struct vector *a, uint32_t room)
{
    enum { TOKEN_MOST = 15, IN_ENGINE = 2 };
    const struct variant *v = a->variant;
    const struct vector_tile *last =
        VECTOR_AT(a->tiles, struct vector_tile) + VECTOR_COUNT(a->tiles, struct vector_tile) - 1;
    return v->kept_weights && before_tile(a, last) + last->row_bytes <= room &&
           VECTOR_AHEAD + IN_ENGINE + math_divide_up(v->command_queue_depth, v->m) <= TOKEN_MOST;
}

static bool lay_out(struct vector *a)
{
    const struct variant *v = a->variant;
    uint32_t beat = a->derived.bus_bytes, page = VECTOR_PAGE * a->data_bytes;
    a->stay_at = BUFFERS * step_config_bytes(3);
    a->input_at = a->stay_at + (a->vectors > 1 ? 2 : 1) * math_round_up(a->stay * page, beat);
    a->input_slot = math_round_up(a->most_pages * page, beat);
    a->weights_at = a->input_at + 2 * a->input_slot;
    if (a->weights_at >= v->unit_bytes)
        return false;
    a->slots = (v->unit_bytes - a->weights_at) / a->largest_set;
    const uint32_t tiles = VECTOR_COUNT(a->tiles, struct vector_tile);
    a->in_line = lie_in_line(a, v->unit_bytes - a->weights_at);
    a->resident = a->in_line || (a->vectors > 1 && tiles <= a->slots);
    a->slots = a->resident ? tiles : a->slots > 8 ? 8 : a->slots;
    return a->resident || a->slots > VECTOR_AHEAD;
}

/* ---- configurations -------------------------------------------------------------------------- */

/* Where the x of a vector begins in the input buffers. */
static uint32_t half_base(const struct vector *a, uint32_t half)
{
    return half * a->stay * VECTOR_PAGE;
}

/* Pages of x that stay come in pieces. Several vectors find each x whole. */
static bool comes_in_pieces(const struct vector *a)
{
    return a->vectors == 1 && a->stay > PIECES_PAGES;
}

/* Each piece is twice as long as the one before, so that the row buses send the first while memory brings the
 * others. In steps they are equal: tiles wait for no more of x than they read. */
static uint32_t pages_of_piece(const struct vector *a, uint32_t before)
{
    const uint32_t left = a->stay - before, equal = (uint32_t)math_divide_up(a->stay, PIECES_MOST),
                   piece = !a->step              ? before + PIECE_PAGES
                           : equal > PIECE_PAGES ? equal
                                                 : PIECE_PAGES;
    return comes_in_pieces(a) && piece < left ? piece : left;
}

/* The next x waits for the MACs of the one that it replaces. */
static void configure_stay(const struct vector *a, struct writer *w, uint32_t half)
{
    const bool after = a->vectors > a->halves;
    step_configure(w, BUFFER_STAY + half,
                   SETTINGS{{"restart", !comes_in_pieces(a)},
                            {"block", VECTOR_PAGE},
                            {"after", after},
                            {"after_buffer", after ? BUFFER_MULTIPLY + half : 0},
                            STEP_ACTIVATIONS(a->d),
                            {NULL, 0}},
                   (const struct config_instruction[]){
                       {"ld", SETTINGS{{"target", 0}, {NULL, 0}},
                        SETTINGS{{"address", half_base(a, half)}, {"stride", VECTOR_PAGE}, {NULL, 0}}}},
                   1);
}

static void configure_place(struct vector *a, struct writer *w, unsigned place)
{
    step_configure(w, BUFFER_PLACE + place,
                   SETTINGS{{"restart", 1},
                            {"block", VECTOR_PAGE},
                            {"after", 1},
                            {"after_buffer", multiply_buffer(a, place + 2)},
                            STEP_ACTIVATIONS(a->d),
                            {NULL, 0}},
                   (const struct config_instruction[]){
                       {"ld", SETTINGS{{"target", 0}, {NULL, 0}},
                        SETTINGS{{"address", (a->stay + place * a->place_pages) * VECTOR_PAGE},
                                 {"stride", VECTOR_PAGE},
                                 {NULL, 0}}}},
                   1);
}

static void configure_multiply(struct vector *a, struct writer *w, unsigned buffer, uint32_t base)
{
    const uint32_t wrap = vector_wrap(a), whole = a->variant->input_buffer_depth;
    step_configure(
        w, buffer, SETTINGS{{"restart", 0}, {NULL, 0}},
        (const struct config_instruction[]){{"ld", SETTINGS{{"target", 2}, {NULL, 0}}, NULL},
                                            {"mac", SETTINGS{{"balance", 1}, {"keep", 1}, {NULL, 0}},
                                             SETTINGS{{"address", base},
                                                      {"wrap", wrap < whole ? wrap : 0},
                                                      {"inner", a->step_segments},
                                                      {"pitch", a->step},
                                                      {"result_stride", 1},
                                                      {NULL, 0}}},
                                            {"st", NULL, SETTINGS{{"result_stride", 1}, {NULL, 0}}}},
        3);
}

/* Groups, too, are counted through all vectors. */
static const struct vector_group *group_at(const struct vector *a, uint32_t g)
{
    const uint32_t groups = VECTOR_COUNT(a->groups, struct vector_group);
    return g / groups < a->vectors ? VECTOR_AT(a->groups, struct vector_group) + g % groups : NULL;
}

static uint32_t vector_of_group(const struct vector *a, uint32_t g)
{
    return g / VECTOR_COUNT(a->groups, struct vector_group);
}

/* The buffers that the groups use, in the order in which they come. */
static void configure(struct vector *a, struct writer *w)
{
    bool placed[VECTOR_PLACES] = {false};
    const struct vector_group *group;
    for (uint32_t half = 0; a->stay && half < a->halves; half++)
        configure_stay(a, w, half);
    for (uint32_t half = 1; half < a->halves; half++)
        configure_multiply(a, w, BUFFER_MULTIPLY + half, half_base(a, half));
    for (uint32_t g = 0; (group = group_at(a, g)); g++) {
        if (group->pages && !placed[g % VECTOR_PLACES])
            configure_place(a, w, g % VECTOR_PLACES);
        placed[g % VECTOR_PLACES] |= group->pages != 0;
        if (g < (!a->stay ? VECTOR_PLACES : a->vectors > 1 ? 1 : 2))
            configure_multiply(a, w, multiply_buffer(a, g), vector_base(a, g));
    }
    step_load_configurations(w);
}

/* ---- x --------------------------------------------------------------------------------------- */

static void load_pages(struct vector *a, struct writer *w, uint64_t page, uint32_t count, uint32_t unit,
                       bool waits, bool last)
{
    uint32_t bytes = VECTOR_PAGE * a->data_bytes;
    writer_op(w, "load",
              SETTINGS{{"rows", plan_all_rows(a->variant)},
                       {"slot", SLOT_INPUT},
                       {"offset", (int64_t)(page * bytes)},
                       {"length", count * bytes},
                       {"unit_address", unit},
                       {"wait_a", waits},
                       {"wait_a_token", waits ? TOKEN_INPUT_FREE : 0},
                       {"signal_a", last},
                       {"signal_a_token", last ? TOKEN_INPUT : 0},
                       {NULL, 0}});
}

static void send_pages(struct vector *a, struct writer *w, unsigned buffer, uint32_t count, uint32_t unit,
                       bool frees)
{
    writer_op(w, "distribute",
              SETTINGS{{"rows", plan_all_rows(a->variant)},
                       {"clusters", plan_all_clusters(a->variant)},
                       {"command", EXEC | buffer},
                       {"count", count},
                       {"length", math_round_up(count * VECTOR_PAGE * a->data_bytes, a->derived.bus_bytes)},
                       {"unit_address", unit},
                       {"wait_a", 1},
                       {"wait_a_token", TOKEN_INPUT},
                       {"signal_a", frees},
                       {"signal_a_token", frees ? TOKEN_INPUT_FREE : 0},
                       {NULL, 0}});
}

static uint32_t stay_unit(const struct vector *a, uint32_t vector)
{
    return a->stay_at + (vector & 1) * ((a->input_at - a->stay_at) / 2);
}

/* A piece: pages from .. to - 1 of those that stay. */
static void load_piece(struct vector *a, struct writer *w, uint32_t vector, uint32_t from, uint32_t to)
{
    const uint32_t bytes = VECTOR_PAGE * a->data_bytes;
    uint32_t page = 0, count;
    for (uint32_t before = 0; before < from; page++)
        before += a->stays[page];
    for (uint32_t done = from; done < to; done += count, page += count) {
        while (!a->stays[page])
            page++;
        for (count = 1; done + count < to && a->stays[page + count]; count++)
            ;
        load_pages(a, w, (uint64_t)vector * a->pages + page, count, stay_unit(a, vector) + done * bytes,
                   a->vectors > 1 && !done, done + count == to);
    }
}

/* What is missing of the first `needed` pages that stay, in pieces. How many have been loaded then. */
static uint32_t load_stay(struct vector *a, struct writer *w, uint32_t vector, uint32_t done, uint32_t needed)
{
    for (uint32_t piece; done < needed; done += piece) {
        piece = pages_of_piece(a, done);
        load_piece(a, w, vector, done, done + piece);
    }
    return done;
}

static uint32_t input_unit(const struct vector *a, uint32_t g)
{
    const struct vector_group *last =
        VECTOR_AT(a->groups, struct vector_group) + VECTOR_COUNT(a->groups, struct vector_group) - 1;
    const uint32_t before = vector_of_group(a, g) * (last->input + (last->pages > 0));
    return a->input_at + ((before + group_at(a, g)->input) & 1) * a->input_slot;
}

/* New pages of a group, neighbours at once. */
static void load_input(struct vector *a, struct writer *w, uint32_t g)
{
    const struct vector_group *group = group_at(a, g);
    if (!group || !group->pages)
        return;
    const uint32_t *page = VECTOR_AT(a->brought, uint32_t) + group->first_page;
    const uint64_t x = (uint64_t)vector_of_group(a, g) * a->pages;
    uint32_t unit = input_unit(a, g), count;
    for (uint32_t i = 0; i < group->pages; i += count) {
        for (count = 1; i + count < group->pages && page[i + count] == page[i] + count; count++)
            ;
        load_pages(a, w, x + page[i], count, unit, i == 0, i + count == group->pages);
        unit += count * VECTOR_PAGE * a->data_bytes;
    }
}

static void send_input(struct vector *a, struct writer *w, uint32_t g)
{
    const struct vector_group *group = group_at(a, g);
    if (!group || !group->pages)
        return;
    send_pages(a, w, BUFFER_PLACE + g % VECTOR_PLACES, group->pages, input_unit(a, g), true);
}

/* ---- weights --------------------------------------------------------------------------------- */

/* Tiles are counted through all vectors. */
static const struct vector_tile *tile_at(const struct vector *a, uint32_t t)
{
    return &VECTOR_AT(a->tiles, struct vector_tile)[t % VECTOR_COUNT(a->tiles, struct vector_tile)];
}

static uint32_t vector_of(const struct vector *a, uint32_t t)
{
    return t / VECTOR_COUNT(a->tiles, struct vector_tile);
}

static uint32_t weights_unit(const struct vector *a, uint32_t t)
{
    return a->weights_at + (a->in_line ? before_tile(a, tile_at(a, t)) : t % a->slots * a->largest_set);
}

static void load_weights(struct vector *a, struct writer *w, uint32_t t)
{
    const struct vector_tile *tile = tile_at(a, t);
    if (a->resident && vector_of(a, t))
        return;
    for (unsigned r = 0; r < a->variant->n; r++) {
        bool first = r == 0 && !a->resident, last = r + 1 == a->variant->n;
        writer_op(w, "load",
                  SETTINGS{{"rows", 1u << r},
                           {"slot", SLOT_WEIGHTS},
                           {"offset", (int64_t)(tile->offset + (uint64_t)r * tile->row_bytes)},
                           {"length", tile->row_bytes},
                           {"unit_address", weights_unit(a, t)},
                           {"wait_a", first},
                           {"wait_a_token", first ? TOKEN_WEIGHTS_FREE : 0},
                           {"signal_a", last},
                           {"signal_a_token", last ? TOKEN_WEIGHTS : 0},
                           {NULL, 0}});
    }
}

static void send_weights(struct vector *a, struct writer *w, uint32_t t)
{
    const struct vector_tile *tile = tile_at(a, t);
    const uint32_t vector = vector_of(a, t);
    const unsigned buffer =
        a->vectors > 1 && a->stay
            ? BUFFER_MULTIPLY + vector % a->halves
            : multiply_buffer(a, vector * VECTOR_COUNT(a->groups, struct vector_group) + tile->group);
    const bool waits = !(a->resident && vector);
    uint32_t unit = weights_unit(a, t);
    for (unsigned c = 0; c < a->variant->m; unit += tile->bytes[c++]) {
        bool first = c == 0 && waits, last = c + 1 == a->variant->m && !a->resident;
        writer_op(w, "distribute",
                  SETTINGS{{"rows", plan_all_rows(a->variant)},
                           {"clusters", 1u << c},
                           {"command", EXEC_SHIFT_OUT | buffer},
                           {"count", tile->segments},
                           {"length", tile->bytes[c]},
                           {"unit_address", unit},
                           {"wait_a", first},
                           {"wait_a_token", first ? TOKEN_WEIGHTS : 0},
                           {"signal_a", last},
                           {"signal_a_token", last ? TOKEN_WEIGHTS_FREE : 0},
                           {NULL, 0}});
    }
}

/* ---- the program ----------------------------------------------------------------------------- */

static void write_store(struct vector *a, struct writer *w)
{
    uint64_t results = a->segments * a->lanes * a->vectors;
    bool sets_up = step_collectors_once(w, a->d, (struct plan_split){PLAN_N, PLAN_N}, results);
    writer_op(w, "store",
              SETTINGS{{"rows", plan_all_rows(a->variant)},
                       {"clusters", plan_all_clusters(a->variant)},
                       {"slot", SLOT_OUTPUT},
                       {"element", a->d->element},
                       {"unsigned", a->d->results_have_no_sign},
                       {"interleave", 1},
                       {"length", (int64_t)(results << a->d->element)},
                       {"wait_a", sets_up},
                       {"wait_a_token", sets_up ? TOKEN_SET_UP : 0},
                       {NULL, 0}});
}

/* The same of the row buses. */
static uint32_t send_stay(struct vector *a, struct writer *w, uint32_t vector, uint32_t done, uint32_t needed)
{
    for (uint32_t piece; done < needed; done += piece) {
        piece = pages_of_piece(a, done);
        send_pages(a, w, BUFFER_STAY + vector % a->halves, piece,
                   stay_unit(a, vector) + done * VECTOR_PAGE * a->data_bytes, a->vectors > 1);
    }
    return done;
}

/* The next group's pages go behind the last packet of this one: they come into the buffers while that is
 * still being worked on. */
static void write_tile(struct vector *a, struct writer *w, uint32_t t)
{
    const uint32_t vector = vector_of(a, t), of = t % VECTOR_COUNT(a->tiles, struct vector_tile),
                   g = vector * VECTOR_COUNT(a->groups, struct vector_group) + tile_at(a, t)->group;
    const struct vector_group *group = group_at(a, g);
    if (of == group->first)
        load_input(a, w, g + 1);
    if (of == 0 && vector)
        send_stay(a, w, vector, 0, a->stay);
    send_weights(a, w, t);
    if (of == 0 && vector + 1 < a->vectors)
        load_stay(a, w, vector + 1, 0, a->stay);
    if (of + 1 == group->first + group->tiles)
        send_input(a, w, g + 1);
}

static void write_program(struct vector *a, struct writer *w)
{
    const uint32_t tiles = VECTOR_COUNT(a->tiles, struct vector_tile) * a->vectors,
                   begin = comes_in_pieces(a) ? 0 : VECTOR_AHEAD;
    uint32_t loaded = 0, sent = 0; /* pages that stay, of the first vector */
    w->tokens[TOKEN_WEIGHTS_FREE] = a->resident ? 0 : (uint8_t)a->slots;
    w->tokens[TOKEN_INPUT_FREE] = 2;
    configure(a, w);
    channels_load(w, a->d, &a->channels);
    loaded = load_stay(a, w, 0, loaded, tile_at(a, 0)->pages);
    load_input(a, w, 0);
    for (uint32_t t = 0; t < tiles + VECTOR_AHEAD; t++) {
        if (t < tiles) {
            loaded = load_stay(a, w, 0, loaded, tile_at(a, t)->pages);
            load_weights(a, w, t);
        }
        if (t == 0)
            write_store(a, w);
        if (t == begin) {
            step_send_configurations(w);
            sent = send_stay(a, w, 0, sent, tile_at(a, 0)->pages);
        }
        if (t == VECTOR_AHEAD)
            send_input(a, w, 0);
        if (t < VECTOR_AHEAD)
            continue;
        sent = send_stay(a, w, 0, sent, tile_at(a, t - VECTOR_AHEAD)->pages);
        write_tile(a, w, t - VECTOR_AHEAD);
    }
}

static enum plan_status write_vectors(struct vector *a, uint32_t vectors, struct strbuf *to)
{
    const uint32_t all = a->vectors;
    struct writer w;
    a->vectors = vectors;
    writer_begin(&w, a->variant);
    write_program(a, &w);
    writer_roll(&w);
    writer_finish(&w, 0, to);
    writer_free(&w);
    a->vectors = all;
    return w.failed;
}

/* Vectors take the same, but the first. */
enum plan_status vector_write(struct vector *a, struct plan *plan)
{
    static const uint32_t some[PLAN_PARTS] = {2, 3};
    enum plan_status why = PLAN_OK;
    if (!lay_out(a))
        return plan_refuse(PLAN_SMALL_UNITS, "the storage unit is too small");
    if (!a->d->parts || a->vectors < 2 * (some[0] + some[1]))
        return write_vectors(a, a->vectors, &plan->program);
    for (unsigned i = 0; !why && i < PLAN_PARTS; i++) {
        why = write_vectors(a, some[i], &plan->part[i].program);
        plan->part[i].share = plan->part[i].macs = (double)some[i] / a->vectors;
    }
    return why;
}
