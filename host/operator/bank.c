/* SPDX-License-Identifier: Apache-2.0 */
#include "host/operator/bank.h"

#include <stdlib.h>
#include <string.h>

#include "host/operator/pieces.h"
#include "host/operator/region.h"
#include "host/plan/border.h"

/* A value, the sums of a step, or the weights of several, that may be in the bank. */
struct candidate {
    struct sequence_value *value; /* NULL: sums or weights */
    const size_t *next;           /* of each value, the one that takes its place; SEQUENCE_HOST: none */
    struct sequence_step *step;
    bool weights;
    struct region region;
    uint64_t reach; /* bytes from its base on that are read */
    size_t uses;    /* how often its bytes are written or read */
    uint64_t moves; /* bytes that memory moves for it if it is not in the bank */
    size_t missed;  /* how often there was no place for it */
};

/* Whether nothing may be in its place before it. */
static bool stands_from_begin(const struct sequence *s, const struct sequence_value *v)
{
    return sequence_keeps_border(v) && !s->pieces;
}

/* What a slow memory moves when the value is written: a depthwise convolution fills a part of a beat for each
 * run of K channels, unless they lie in planes. */
static uint64_t written_bytes(const struct sequence *s, const struct sequence_value *v)
{
    const bool in_runs = s->beat_cycles > 1 && v->framed && !v->frame.planes &&
                         s->step[v->made].of.window.kind == WINDOW_DEPTHWISE;
    return in_runs ? v->bytes / s->variant->k * (s->variant->memory_width / 8) : v->bytes;
}

static struct candidate value_in_bank(const struct sequence *s, struct sequence_value *v)
{
    struct candidate c = {.value = v, .reach = v->bytes, .uses = 1, .moves = written_bytes(s, v)};
    const size_t number = (size_t)(v - s->value);
    c.region = (struct region){
        .bytes = region_aligned(v->bytes), .from = stands_from_begin(s, v) ? 0 : v->made, .to = v->last};
    for (size_t i = 0; i < s->steps; i++) {
        const struct sequence_step *step = &s->step[i];
        const struct plan *plan = &step->packed.part->plan;
        const uint64_t reads[] = {step->x == number ? piece_offset(v, &step->at_x) + plan->input_bytes : 0,
                                  step->w == number ? piece_offset(v, &step->at_w) + plan->operand_bytes : 0};
        for (unsigned j = 0; j < 2; j++) {
            c.reach = reads[j] > c.reach ? reads[j] : c.reach;
            c.uses += reads[j] != 0;
            c.moves += reads[j] ? j ? plan->operand_bytes : plan->input_bytes : 0;
        }
    }
    return c;
}

static bool lie_alike(const struct sequence_value *a, const struct sequence_value *b)
{
    const struct plan_frame *f = &a->frame, *g = &b->frame;
    const struct plan_places *p = &a->places, *q = &b->places;
    return a->images == b->images && a->height == b->height && a->width == b->width &&
           a->channels == b->channels && a->bytes == b->bytes && a->bordered == b->bordered &&
           a->border == b->border && a->inverted == b->inverted && f->top == g->top && f->left == g->left &&
           f->height == g->height && f->width == g->width && p->first == q->first && p->image == q->image &&
           p->line == q->line && p->pixel == q->pixel && p->plane == q->plane && p->group == q->group;
}

static bool are_apart(const struct sequence_piece *a, const struct sequence_piece *b)
{
    return a->top + a->height <= b->top || b->top + b->height <= a->top || a->left + a->width <= b->left ||
           b->left + b->width <= a->left;
}

/* Whether steps from one up to another, which is not one of them, neither read nor make the value. */
static bool is_at_rest(const struct sequence *s, size_t number, size_t from, size_t to)
{
    bool rests = true;
    for (size_t i = from; i < to && rests; i++) {
        const struct sequence_step *step = &s->step[i];
        rests = step->x != number && step->w != number && step->y != number;
    }
    return rests;
}

/* The value that can take the place of this one, of which a part becomes a part of the other when it is read
 * for the last time: rows that a slice keeps for the next one move within one frame, before anything else of
 * the other is made. */
static size_t next_in_place(const struct sequence *s, size_t number)
{
    const struct sequence_value *v = &s->value[number];
    const struct sequence_step *step = &s->step[v->last];
    if (!s->pieces || v->wanted || step->x != number || step->w != number || step->y == number)
        return SEQUENCE_HOST;
    const struct sequence_value *y = &s->value[step->y];
    return !y->wanted && y->made > v->made && step->at_x.height && step->at_y.height && lie_alike(v, y) &&
                   are_apart(&step->at_x, &step->at_y) && is_at_rest(s, number, y->made, v->last)
               ? step->y
               : SEQUENCE_HOST;
}

/* All values that have one place, from the first on. */
static struct candidate values_in_bank(const struct sequence *s, const size_t *next, size_t number)
{
    struct candidate all = value_in_bank(s, &s->value[number]);
    all.next = next;
    while ((number = next[number]) != SEQUENCE_HOST) {
        const struct candidate c = value_in_bank(s, &s->value[number]);
        all.region.to = c.region.to;
        all.reach = c.reach > all.reach ? c.reach : all.reach;
        all.uses += c.uses;
        all.moves += c.moves;
    }
    return all;
}

static struct candidate sums_in_bank(const struct sequence *s, struct sequence_step *step)
{
    const size_t at = (size_t)(step - s->step);
    const uint64_t bytes = step->packed.part->plan.scratch_bytes;
    return (struct candidate){.step = step,
                              .region = {.bytes = region_aligned(bytes), .from = at, .to = at},
                              .reach = bytes,
                              .uses = 2,
                              .moves = 2 * bytes};
}

/* Reads of weights that a plan has for several steps; none: fewer than two uses. */
static struct candidate weights_in_bank(const struct sequence *s, struct sequence_step *step)
{
    const size_t at = (size_t)(step - s->step);
    const uint64_t bytes = step->packed.part->plan.weights.len;
    struct candidate c = {.step = step,
                          .weights = true,
                          .region = {.bytes = region_aligned(bytes), .from = at, .to = at},
                          .reach = bytes,
                          .uses = 1};
    for (size_t i = at + 1; i < s->steps; i++)
        if (s->step[i].shares && s->step[i].owner == at) {
            c.uses++;
            c.region.to = i;
        }
    const bool copies = s->variant->joins && bytes && bytes % s->variant->k == 0;
    c.uses = copies && !step->shares ? c.uses : 0;
    c.moves = c.uses * bytes;
    return c;
}

static int earlier(const struct candidate *a, const struct candidate *b)
{
    if (a->region.to != b->region.to)
        return a->region.to < b->region.to ? -1 : 1;
    if (a->value || b->value)
        return a->value && b->value ? (a->value > b->value) - (a->value < b->value) : !a->value - !b->value;
    return a->weights != b->weights ? a->weights - b->weights : (a->step > b->step) - (a->step < b->step);
}

/* What had no place before comes first. */
static int by_missed(const struct candidate *a, const struct candidate *b)
{
    return (a->missed < b->missed) - (a->missed > b->missed);
}

/* Uses for each step of its life; earlier ones first where they are alike. */
static int by_uses(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    const uint64_t x = (uint64_t)a->uses * (b->region.to - b->region.from + 1),
                   y = (uint64_t)b->uses * (a->region.to - a->region.from + 1);
    const int missed = by_missed(a, b);
    return missed ? missed : x != y ? (x > y ? -1 : 1) : earlier(a, b);
}

static int by_bytes(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    const int missed = by_missed(a, b);
    return missed ? missed : a->moves != b->moves ? (a->moves > b->moves ? -1 : 1) : earlier(a, b);
}

/* What lives long lies below all that comes and goes. */
static int by_life(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    const size_t x = a->region.to - a->region.from, y = b->region.to - b->region.from;
    const int missed = by_missed(a, b);
    return missed ? missed : x != y ? (x > y ? -1 : 1) : by_bytes(left, right);
}

/* A border that is not zero is written; false: it cannot be, or is not worth its program. */
static bool take_border(struct sequence *s, const struct candidate *c)
{
    const struct sequence_value *v = c->value;
    const struct plan_border border = {.places = &v->places,
                                       .frame = &v->frame,
                                       .images = (uint32_t)v->images,
                                       .height = (uint32_t)v->height,
                                       .width = (uint32_t)v->width,
                                       .base = c->region.base,
                                       .bytes = v->bytes,
                                       .data_bytes = s->step[v->made].of.data_bytes,
                                       .activation = v->border};
    if (!sequence_keeps_border(v) || (!v->border && !s->pieces))
        return true;
    if (plan_border_check(s->variant, &border) || plan_border_program(&border) >= c->uses * v->bytes)
        return false;
    s->bank_before[s->bank_borders] = s->pieces ? v->made : 0;
    s->bank_border[s->bank_borders++] = border;
    return true;
}

/* Where all is without a bank. */
static void place_in_memory(struct sequence *s)
{
    for (size_t i = 0; i < s->values; i++)
        s->value[i].slot = s->value[i].wanted ? SLOT_OUTPUT : SLOT_SCRATCH;
    for (size_t i = 0; i < s->steps; i++) {
        s->step[i].sums_slot = SLOT_SCRATCH;
        s->step[i].weights_stay = false;
    }
}

/* How a bank is filled: in which order, and whether what begins in every other step is put at its end, so
 * that neighbours do not cut its room into pieces. */
struct way {
    int (*order)(const void *, const void *);
    bool ends;
};

static bool find_place(const struct sequence *s, const struct way *way, struct region *regions, size_t placed,
                       struct candidate *c)
{
    const uint64_t bank = s->variant->local_bytes,
                   bytes = c->region.bytes > c->reach ? c->region.bytes : region_aligned(c->reach);
    if (bytes > bank)
        return false;
    if (way->ends && c->region.from % 2)
        return region_place_below(regions, placed, bank - bytes, &c->region);
    region_place(regions, placed, &c->region);
    return c->region.base + bytes <= bank;
}

static void take_place(struct sequence *s, const struct candidate *c)
{
    if (c->value) {
        for (size_t i = (size_t)(c->value - s->value); i != SEQUENCE_HOST; i = c->next[i]) {
            s->value[i].slot = SLOT_BANK;
            s->value[i].base = c->region.base;
        }
    } else if (c->weights) {
        c->step->weights_stay = true;
        c->step->weights_bank = c->region.base;
    } else {
        c->step->sums_slot = SLOT_BANK;
        c->step->sums_base = c->region.base;
    }
}

/* In their order. Gives the bytes that memory moves for those that are not in the bank. */
static uint64_t place_all(struct sequence *s, const struct way *way, struct candidate *candidates,
                          size_t count, struct region *regions)
{
    size_t placed = 0;
    uint64_t left = 0;
    place_in_memory(s);
    s->bank_borders = 0;
    for (size_t i = 0; i < count; i++) {
        struct candidate *c = &candidates[i];
        if (find_place(s, way, regions, placed, c) && (!c->value || take_border(s, c))) {
            placed++;
            take_place(s, c);
            continue;
        }
        left += c->moves;
        c->missed++;
    }
    return left;
}

/* Each way, several times: what has no place comes first the next time. The first way that leaves least in
 * memory. */
static uint64_t place_best(struct sequence *s, struct candidate *candidates, size_t count,
                           struct candidate *best, struct region *regions)
{
    enum { TURNS = 6 };
    static const struct way ways[] = {{by_uses, false}, {by_uses, true},  {by_bytes, false},
                                      {by_bytes, true}, {by_life, false}, {by_life, true}};
    const struct way *way = ways;
    uint64_t least = UINT64_MAX;
    for (unsigned i = 0; least && i < TURNS * sizeof ways / sizeof *ways; i++) {
        const struct way *now = &ways[i / TURNS];
        for (size_t c = 0; i % TURNS == 0 && c < count; c++)
            candidates[c].missed = 0;
        qsort(candidates, count, sizeof *candidates, now->order);
        const uint64_t left = place_all(s, now, candidates, count, regions);
        if (left >= least)
            continue;
        least = left;
        way = now;
        memcpy(best, candidates, count * sizeof *best);
    }
    return place_all(s, way, best, count, regions);
}

/* Lists for everything that may be in the bank. */
struct lists {
    struct candidate *candidates, *best;
    struct region *regions;
    size_t *next;
    bool *follows; /* a value takes another one's place */
};

static bool make_lists(struct sequence *s, struct lists *to)
{
    const size_t most = s->values + 2 * s->steps + 1;
    *to = (struct lists){calloc(most, sizeof *to->candidates), calloc(most, sizeof *to->best),
                         calloc(most, sizeof *to->regions), calloc(s->values + 1, sizeof *to->next),
                         calloc(s->values + 1, sizeof *to->follows)};
    s->bank_border = calloc(s->values + 1, sizeof *s->bank_border);
    s->bank_before = calloc(s->values + 1, sizeof *s->bank_before);
    return to->candidates && to->best && to->regions && to->next && to->follows && s->bank_border &&
           s->bank_before;
}

static void free_lists(struct lists *lists)
{
    free(lists->candidates);
    free(lists->best);
    free(lists->regions);
    free(lists->next);
    free(lists->follows);
}

/* Whether some value takes another one's place. */
static bool find_next(struct sequence *s, bool in_place, struct lists *lists)
{
    bool any = false;
    for (size_t i = 0; i < s->steps; i++)
        s->step[i].before = i;
    for (size_t i = 0; i < s->values; i++)
        lists->follows[i] = false;
    for (size_t i = 0; i < s->values; i++) {
        const size_t next = in_place ? next_in_place(s, i) : SEQUENCE_HOST;
        lists->next[i] = next;
        if (next == SEQUENCE_HOST)
            continue;
        any = lists->follows[next] = true;
        s->step[s->value[i].last].before = s->value[next].made;
    }
    return any;
}

/* Gives the bytes that memory moves for what is not in the bank. */
static uint64_t fill_bank(struct sequence *s, struct lists *lists)
{
    struct candidate *candidates = lists->candidates;
    size_t count = 0;
    for (size_t i = 0; i < s->values; i++)
        if (!s->value[i].wanted && !lists->follows[i])
            candidates[count++] = values_in_bank(s, lists->next, i);
    for (size_t i = 0; i < s->steps; i++)
        if (s->step[i].packed.part->plan.scratch_bytes)
            candidates[count++] = sums_in_bank(s, &s->step[i]);
    for (size_t i = 0; i < s->steps; i++) {
        candidates[count] = weights_in_bank(s, &s->step[i]);
        count += candidates[count].uses > 1;
    }
    return place_best(s, candidates, count, lists->best, lists->regions);
}

enum tulle_status bank_place(struct sequence *s)
{
    struct lists lists;
    place_in_memory(s);
    for (size_t i = 0; i < s->steps; i++)
        s->step[i].before = i;
    if (!s->variant->local_bytes)
        return TULLE_OK;
    const bool ok = make_lists(s, &lists);
    if (ok) {
        find_next(s, false, &lists);
        const uint64_t apart = fill_bank(s, &lists);
        if (find_next(s, true, &lists) && fill_bank(s, &lists) > apart) {
            find_next(s, false, &lists);
            fill_bank(s, &lists);
        }
    }
    free_lists(&lists);
    return ok ? TULLE_OK : message_no_memory();
}

/* Each byte, and a 2^-15th of what its place has, which rounds to nothing: memory is read once. */
static enum plan_status make_copy(const struct sequence *s, const struct sequence_step *step,
                                  struct plan *plan)
{
    const struct plan_pair pair = {
        .variant = s->variant,
        .elements = step->packed.part->plan.weights.len,
        .join = {.join = JOIN_ADD, .multiplier = ISA_OPERAND_MULTIPLIER, .shift = ISA_OPERAND_SHIFT_MAX_20},
        .function = {.function = NUM_REQUANTISE,
                     .multiplier = 1 << 30,
                     .shift = 49,
                     .low = INT8_MIN,
                     .high = INT8_MAX}};
    return plan_make_pair(&pair, plan);
}

/* All that begin the job are one program. */
enum plan_status bank_make(struct sequence *s)
{
    enum plan_status why = PLAN_OK;
    s->bank_plan = calloc(s->bank_borders + 1, sizeof *s->bank_plan);
    s->bank_copy = calloc(s->steps + 1, sizeof *s->bank_copy);
    if (!s->bank_plan || !s->bank_copy)
        return PLAN_NO_MEMORY;
    for (size_t i = 0; !why && i < s->steps; i++)
        if (s->step[i].weights_stay)
            why = make_copy(s, &s->step[i], &s->bank_copy[i]);
    const size_t each = s->pieces ? 1 : s->bank_borders;
    for (size_t i = 0; !why && i < s->bank_borders; i += each)
        why = plan_make_borders(s->variant, s->bank_border + i, each, &s->bank_plan[s->bank_plans++]);
    return why;
}

struct link_part *bank_before(const struct sequence *s, size_t step, struct link_part *parts)
{
    for (size_t i = 0; i < s->bank_plans; i++) {
        if (s->bank_before[i] != step)
            continue;
        *parts = (struct link_part){.plan = &s->bank_plan[i]};
        parts++->slot[SLOT_OUTPUT].slot = SLOT_BANK;
    }
    const struct sequence_step *of = &s->step[step];
    if (of->weights_stay) {
        *parts = (struct link_part){.plan = &s->bank_copy[step]};
        parts->slot[SLOT_INPUT] = (struct link_slot){SLOT_WEIGHTS, of->weights_base};
        parts->slot[SLOT_EXTRA] = parts->slot[SLOT_OUTPUT] = (struct link_slot){SLOT_BANK, of->weights_bank};
        parts++;
    }
    return parts;
}

void bank_free(struct sequence *s)
{
    for (size_t i = 0; i < s->bank_plans; i++)
        plan_free(&s->bank_plan[i]);
    for (size_t i = 0; s->bank_copy && i < s->steps; i++)
        plan_free(&s->bank_copy[i]);
    free(s->bank_copy);
    free(s->bank_plan);
    free(s->bank_border);
    free(s->bank_before);
}
