/* SPDX-License-Identifier: Apache-2.0 */
#include "host/software/c_finish.h"

#include <inttypes.h>
#include <string.h>

#include "host/software/handlers.h"

enum { WORD = 160 };

struct writing {
    struct c_finish *of;
    const struct flow_finish *first; /* of the first column */
    struct strbuf text;              /* statements */
    struct c_range range;            /* of v */
};

static const struct flow_finish *finish_at(const struct writing *w, size_t column)
{
    return &w->of->flow->finishes[w->of->group->columns[column].finish];
}

/* ---- numbers of columns ---------------------------------------------------------------------------- */

enum field { BIAS, MULTIPLIER, SHIFT, LOW, HIGH };
static const char *const field_names[] = {"bias", "multiplier", "shift", "low", "high"};

static int64_t field_of(const struct flow_finish *f, enum field field)
{
    switch (field) {
    case BIAS:
        return f->bias;
    case MULTIPLIER:
        return f->step.multiplier;
    case SHIFT:
        return f->step.shift;
    case LOW:
        return f->step.low;
    case HIGH:
        break;
    }
    return f->step.high;
}

static struct c_range range_of(const struct writing *w, enum field field)
{
    struct c_range r = {INT64_MAX, INT64_MIN};
    for (size_t c = 0; c < w->of->group->column_count; c++) {
        const int64_t value = field_of(finish_at(w, c), field);
        r.low = value < r.low ? value : r.low;
        r.high = value > r.high ? value : r.high;
    }
    return r;
}

static const char *type_for(struct c_range r)
{
    return r.low >= INT8_MIN && r.high <= INT8_MAX     ? "int8_t"
           : r.low >= INT16_MIN && r.high <= INT16_MAX ? "int16_t"
           : r.low >= INT32_MIN && r.high <= INT32_MAX ? "int32_t"
                                                       : "int64_t";
}

static void literal(int64_t value, char word[WORD])
{
    if (value == INT64_MIN)
        snprintf(word, WORD, "INT64_MIN");
    else if (value == INT32_MIN)
        snprintf(word, WORD, "INT32_MIN");
    else if (value > INT32_MAX || value < INT32_MIN)
        snprintf(word, WORD, "INT64_C(%" PRId64 ")", value);
    else
        snprintf(word, WORD, "%" PRId64, value);
}

/* The field as an expression; an array for it is written if it is not the same everywhere. */
static void field(struct writing *w, enum field f, char word[WORD])
{
    const struct c_range r = range_of(w, f);
    if (r.low == r.high) {
        literal(r.low, word);
        return;
    }
    struct strbuf *to = &w->of->file->body;
    w->of->by_column = true;
    sb_addf(to, "static const %s %s_%s[%zu] = {", type_for(r), w->of->name, field_names[f],
            w->of->group->column_count);
    for (size_t c = 0; c < w->of->group->column_count; c++)
        c_number(to, c, field_of(finish_at(w, c), f));
    sb_add(to, "\n};\n");
    snprintf(word, WORD, f == SHIFT ? "(unsigned)%s_%s[n]" : "%s_%s[n]", w->of->name, field_names[f]);
}

/* ---- steps ------------------------------------------------------------------------------------------ */

static bool fits(struct c_range r, unsigned bits)
{
    return bits >= 64 || (r.low >= -(INT64_C(1) << (bits - 1)) && r.high < INT64_C(1) << (bits - 1));
}

static struct c_range of_bits(unsigned bits)
{
    return bits >= 64 ? (struct c_range){INT64_MIN, INT64_MAX}
                      : (struct c_range){-(INT64_C(1) << (bits - 1)), (INT64_C(1) << (bits - 1)) - 1};
}

static void wrap_to(struct writing *w, unsigned bits)
{
    if (fits(w->range, bits))
        return;
    sb_addf(&w->text, "    v = wrap((uint64_t)v, %u);\n", bits);
    w->range = of_bits(bits);
}

static void limit_to(struct writing *w, unsigned bits)
{
    if (fits(w->range, bits))
        return;
    const struct c_range r = of_bits(bits);
    char low[WORD], high[WORD];
    literal(r.low, low);
    literal(r.high, high);
    sb_addf(&w->text, "    v = limit(v, %s, %s);\n", low, high);
    w->range = r;
}

static void element_limited(struct writing *w, unsigned element)
{
    limit_to(w, 8u << element);
}

static void element_wrapped(struct writing *w, unsigned element)
{
    wrap_to(w, 8u << element);
}

static void element_whole(struct writing *w, unsigned element)
{
    (void)w, (void)element;
}

#define X(name, number, handler) [number] = element_##handler,
static void (*const narrow_to[])(struct writing *, unsigned element) = {HANDLED_ELEMENT(X)};
#undef X

#define X(name, number, handler) [number] = "scale_" #handler,
static const char *const roundings[] = {HANDLED_ROUNDING(X)};
#undef X

/* v is scaled. Wide helpers are for values of more than 32 bits, and for the largest shift. */
static void scale(struct writing *w, const char *multiplier, const char *shift, int64_t most_shift,
                  enum num_rounding rounding)
{
    const bool wide = !fits(w->range, 32) || most_shift > 62;
    sb_addf(&w->text, "    v = %s%s(v, %s, %s);\n", roundings[rounding], wide ? "_wide" : "", multiplier,
            shift);
    const int64_t most = -w->range.low > w->range.high ? -w->range.low : w->range.high;
    w->range = wide ? of_bits(64) : (struct c_range){-most * (INT64_C(1) << 31), most * (INT64_C(1) << 31)};
}

static void limits(struct writing *w, struct c_range low, struct c_range high, const char *least,
                   const char *most)
{
    sb_addf(&w->text, "    v = limit(v, %s, %s);\n", least, most);
    w->range = (struct c_range){low.low < high.low ? low.low : high.low,
                                low.high > high.high ? low.high : high.high};
}

/* The numbers of a step: those of columns, or its own. */
struct step_text {
    const struct num_step *step;
    char multiplier[WORD], shift[WORD], low[WORD], high[WORD];
    struct c_range lows, highs;
    int64_t most_shift;
};

static void take_step(struct writing *w, const struct num_step *step, bool by_column, struct step_text *to)
{
    *to = (struct step_text){.step = step,
                             .lows = {step->low, step->low},
                             .highs = {step->high, step->high},
                             .most_shift = step->shift};
    snprintf(to->multiplier, WORD, "%" PRId32, step->multiplier);
    if (step->multiplier == INT32_MIN)
        snprintf(to->multiplier, WORD, "INT32_MIN");
    snprintf(to->shift, WORD, "%u", step->shift);
    literal(step->low, to->low);
    literal(step->high, to->high);
    if (!by_column)
        return;
    if (num_scales(step->function)) {
        field(w, MULTIPLIER, to->multiplier);
        field(w, SHIFT, to->shift);
        to->most_shift = range_of(w, SHIFT).high;
    }
    if (num_limits(step->function) || step->function == NUM_LOOKUP) {
        field(w, LOW, to->low);
        field(w, HIGH, to->high);
        to->lows = range_of(w, LOW);
        to->highs = range_of(w, HIGH);
    }
}

static void function_none(struct writing *w, const struct step_text *t)
{
    (void)w, (void)t;
}

static void function_relu(struct writing *w, const struct step_text *t)
{
    (void)t;
    sb_add(&w->text, "    v = v < 0 ? 0 : v;\n");
    w->range.low = w->range.low < 0 ? 0 : w->range.low;
    w->range.high = w->range.high < 0 ? 0 : w->range.high;
}

static void function_leaky_relu(struct writing *w, const struct step_text *t)
{
    char slope[WORD];
    snprintf(slope, sizeof slope, "%d", t->step->slope);
    sb_add(&w->text, "    if (v < 0)\n    ");
    scale(w, slope, "15", 15, t->step->rounding);
}

static void function_clamp(struct writing *w, const struct step_text *t)
{
    limits(w, t->lows, t->highs, t->low, t->high);
}

static void function_requantise(struct writing *w, const struct step_text *t)
{
    scale(w, t->multiplier, t->shift, t->most_shift, t->step->rounding);
    if (!fits(w->range, 63)) /* room for the zero point; whatever is changed is limited below */
        limit_to(w, 62);
    if (t->step->zero)
        sb_addf(&w->text, "    v += %d;\n", t->step->zero);
    limits(w, t->lows, t->highs, t->low, t->high);
}

static void table(struct writing *w)
{
    struct strbuf *to = &w->of->file->body;
    sb_addf(to, "static const int8_t %s_table[256] = {", w->of->name);
    for (unsigned i = 0; i < 256; i++)
        c_number(to, i, (int8_t)w->of->flow->tables[w->first->table][i]);
    sb_add(to, "\n};\n");
}

static void function_lookup(struct writing *w, const struct step_text *t)
{
    function_requantise(w, t);
    limit_to(w, 8);
    table(w);
    sb_addf(&w->text, "    v = %s_table[(uint8_t)v];\n", w->of->name);
    w->range = of_bits(8);
}

static void function_curve(struct writing *w, const struct step_text *t)
{
    scale(w, t->multiplier, t->shift, t->most_shift, t->step->rounding);
    limit_to(w, 16);
    sb_addf(&w->text, "    v = %s((int32_t)v);\n", t->step->function == NUM_TANH ? "tanh_of" : "sigmoid_of");
    w->range = of_bits(17);
    if (t->step->element == NUM_INT8)
        sb_add(&w->text, "    v = floor_shift(v + 128, 8);\n");
}

static void function_user(struct writing *w, const struct step_text *t)
{
    (void)t;
    sb_add(&w->text, "    v = user_of(v);\n");
    w->range = of_bits(32);
}

#define X(name, number, handler) [number] = function_##handler,
static void (*const functions[])(struct writing *, const struct step_text *) = {HANDLED_FUNCTION(X)};
#undef X

static void apply(struct writing *w, const struct num_step *step, bool by_column)
{
    struct step_text t;
    wrap_to(w, w->first->acc_width);
    take_step(w, step, by_column, &t);
    functions[step->function](w, &t);
    narrow_to[step->element](w, step->element);
    wrap_to(w, w->first->acc_width);
}

/* ---- joins ------------------------------------------------------------------------------------------ */

/* An operand, `x`, as the join adds it. */
static void operand(struct writing *w, const char *x, int32_t zero, bool scaled, struct c_range range,
                    enum num_rounding rounding)
{
    const struct num_operand *o = &w->first->scale.scaled;
    const int64_t factor = INT64_C(1) << o->left;
    const struct c_range wide = {(range.low - zero) * factor, (range.high - zero) * factor};
    const unsigned shift = scaled ? o->shift : 31;
    const bool is_wide = !fits(wide, 32) || shift > 62;
    const char *name = roundings[rounding];
    sb_addf(&w->text,
            "limit(%s%s((%s - %" PRId32 ") * %" PRId64 ", %" PRId32 ", %u), -INT64_C(2305843009213693952), "
            "INT64_C(2305843009213693951))",
            name, is_wide ? "_wide" : "", x, zero, factor, scaled ? o->multiplier : 1 << 30, shift);
}

static int32_t zero_of_first(const struct writing *w)
{
    return w->first->joining.alone ? w->first->scale.first_zero : 0;
}

static void join_none(struct writing *w)
{
    (void)w;
}

static void join_product(struct writing *w)
{
    sb_addf(&w->text, "    v = (v - %" PRId32 ") * (second - %" PRId32 ");\n", zero_of_first(w),
            w->first->scale.second_zero);
}

static void join_sum(struct writing *w)
{
    const struct flow_finish *f = w->first;
    const enum num_rounding rounding = f->last.rounding == NUM_TWO_STEPS ? NUM_TWO_STEPS : NUM_HALVES_UP;
    const unsigned bytes = w->of->group->second.kind.bytes;
    const struct c_range seconds =
        of_bits(bytes > 4 ? 32 : 8 * bytes); /* a temporary result is an operand, too */
    sb_add(&w->text, "    v = ");
    operand(w, "v", zero_of_first(w), f->scale.scale_first, w->range, rounding);
    sb_addf(&w->text, " %c\n        ", f->joining.join == JOIN_SUBTRACT ? '-' : '+');
    operand(w, "(int64_t)second", f->scale.second_zero, !f->scale.scale_first, seconds, rounding);
    sb_add(&w->text, ";\n");
}

#define X(name, number, handler) [number] = join_##handler,
static void (*const joins[])(struct writing *) = {HANDLED_JOIN(X)};
#undef X

/* ---- the function ----------------------------------------------------------------------------------- */

static struct c_range plus(struct c_range a, struct c_range b)
{
    struct c_range r = {INT64_MIN, INT64_MAX};
    if (__builtin_add_overflow(a.low, b.low, &r.low) || __builtin_add_overflow(a.high, b.high, &r.high))
        return (struct c_range){INT64_MIN, INT64_MAX};
    return r;
}

static void begin(struct writing *w)
{
    char bias[WORD];
    const struct c_range biases = range_of(w, BIAS);
    const unsigned acc = w->first->acc_width;
    field(w, BIAS, bias);
    if (w->of->huge) {
        sb_addf(&w->text, "    int64_t v = wrap(sum + (uint64_t)%s, %u);\n", bias, acc);
        w->range = of_bits(acc);
        return;
    }
    if (biases.low || biases.high)
        sb_addf(&w->text, "    int64_t v = (int64_t)sum + %s;\n", bias);
    else
        sb_add(&w->text, "    int64_t v = sum;\n");
    w->range = plus(w->of->sum, biases);
    wrap_to(w, acc);
}

static void give(struct writing *w)
{
    const unsigned element = w->first->element, bytes = 1u << element;
    narrow_to[element](w, element);
    if (w->first->no_sign)
        sb_addf(&w->text, "    return (%s)(v + %d);\n", c_type(bytes, true), 1 << (8 * bytes - 1));
    else
        sb_addf(&w->text, "    return (%s)v;\n", c_type(bytes, false));
}

bool c_finish(struct c_finish *of)
{
    struct writing w = {.of = of, .first = &of->flow->finishes[of->group->columns[0].finish]};
    begin(&w);
    if (w.first->final && (w.first->own || !w.first->joins))
        apply(&w, &w.first->step, true);
    if (w.first->final && w.first->joins) {
        wrap_to(&w, 32);
        joins[w.first->joining.join](&w);
        w.range = of_bits(64);
        apply(&w, &w.first->last, false);
    }
    give(&w);
    struct strbuf *to = &of->file->body;
    sb_addf(to, "static inline %s %s_finish(%s sum", c_type(1u << w.first->element, w.first->no_sign),
            of->name,
            of->huge            ? "uint64_t"
            : fits(of->sum, 32) ? "int32_t"
                                : "int64_t");
    if (of->group->second.there)
        sb_add(to, ", int32_t second");
    if (of->by_column)
        sb_add(to, ", int32_t n");
    sb_addf(to, ")\n{\n%s}\n\n", sb_text(&w.text));
    const bool ok = sb_ok(&w.text);
    sb_free(&w.text);
    return ok;
}
