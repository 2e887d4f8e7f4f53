/* SPDX-License-Identifier: Apache-2.0
 *
 * Random variants are legal, the same everywhere, and reach the corners; and
 * damaged files never do more harm than a message.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/gen_variant/support.h"

enum { VARIANTS = 1000, CORNERS = 200, MUTATIONS = 2000 };

/* Legal, since loading checks every value and every rule. */
static void survives_round_trip(void draw(uint64_t, struct variant *), uint64_t seed)
{
    struct variant made, loaded;
    struct diag diag = {0};
    struct strbuf text = {0};
    draw(seed, &made);
    variant_write_yaml(&made, &text);
    cr_assert(variant_load_text("random", &text, NULL, 0, &loaded, &diag), "seed %llu: %s",
              (unsigned long long)seed, sb_text(&diag.text));
    cr_expect(same_variant(&made, &loaded), "seed %llu", (unsigned long long)seed);
    cr_expect_leq(made.n * made.m * made.k, 64);
    sb_free(&text);
}

Test(random, a_thousand_variants_survive_a_round_trip_through_yaml)
{
    for (uint64_t seed = 0; seed < VARIANTS; seed++) {
        survives_round_trip(variant_random, seed);
        survives_round_trip(variant_corner, seed);
    }
}

Test(random, a_seed_means_the_same_on_every_machine)
{
    struct variant v;
    variant_random(1, &v);
    cr_expect_str_eq(v.name, "random_1");
    cr_expect_eq(variant_hash(&v, "1.0"), 0xA92CD10253677B69);
    variant_random(UINT64_MAX, &v);
    cr_expect_str_eq(v.name, "random_18446744073709551615");
    cr_expect_eq(variant_hash(&v, "1.0"), 0x94A97CA71ED456DE);
    variant_corner(1, &v);
    cr_expect_str_eq(v.name, "corner_1");
    cr_expect_eq(variant_hash(&v, "1.0"), 0x183B0867D3541A24);
}

/* Counts variants in which the key has its smallest value, and in which it has its largest. */
static void count_ends(const struct variant_key *key, const struct variant *v, unsigned *low, unsigned *high)
{
    unsigned value = variant_get(v, key), min = key->min, max = key->max;
    if (key->kind == KEY_SET) {
        min = key->numbers[0];
        for (size_t i = 0; i < key->count; i++)
            max = !key->most || key->numbers[i] <= key->most ? key->numbers[i] : max;
    } else if (key->kind == KEY_WORD) {
        min = 0;
        max = (unsigned)key->count - 1;
    } else if (key->kind == KEY_WORD_LIST) {
        min = 0;
        max = value == 0 ? 1 : value; /* all functions at once is too rare to ask for */
    }
    *low += value == min;
    *high += value == max;
}

Test(random, every_key_reaches_both_ends_of_its_range)
{
    for (size_t i = 0; i < variant_key_count; i++) {
        unsigned low = 0, high = 0;
        struct variant v;
        if (variant_keys[i].kind == KEY_IDENTIFIER || variant_keys[i].undrawn)
            continue;
        for (uint64_t seed = 0; seed < VARIANTS; seed++) {
            variant_random(seed, &v);
            count_ends(&variant_keys[i], &v, &low, &high);
        }
        cr_expect(low > 0 && high > 0, "%s: %u at the lower end, %u at the upper", variant_keys[i].name, low,
                  high);
    }
}

static unsigned lines_of(const struct variant *v)
{
    return v->gather_lines;
}

static unsigned bank_of(const struct variant *v)
{
    cr_expect(!v->local_bytes || v->memory_ports == 1);
    return v->local_bytes;
}

/* Some variants have a part, fewer than one in so many, and the largest has this size. */
static void expect_few(unsigned (*size)(const struct variant *v), unsigned one_in, unsigned largest)
{
    unsigned with = 0, most = 0;
    for (uint64_t seed = 0; seed < VARIANTS; seed++) {
        struct variant v;
        variant_random(seed, &v);
        const unsigned of = size(&v);
        with += of > 0;
        most = of > most ? of : most;
    }
    cr_expect(with > VARIANTS / 50 && with < VARIANTS / one_in, "%u", with);
    cr_expect_eq(most, largest);
}

Test(random, few_variants_gather)
{
    expect_few(lines_of, 5, 256);
}

static unsigned groups_of(const struct variant *v)
{
    return v->store_groups;
}

Test(random, few_variants_take_several_groups)
{
    expect_few(groups_of, 5, 4);
}

Test(random, few_variants_have_a_bank)
{
    expect_few(bank_of, 8, 4096);
}

/* The corners of the shape: 1 and 16 of each, alone. */
static unsigned shape_corners(const struct variant *v)
{
    const unsigned shape[] = {v->n, v->m, v->k};
    unsigned corners = 0;
    for (unsigned i = 0; i < 3; i++)
        corners |= (unsigned)(shape[i] == 1) << 2 * i | (unsigned)(shape[i] == 16) << (2 * i + 1);
    return corners;
}

Test(random, two_hundred_corner_seeds_reach_every_corner)
{
    unsigned shapes = 0, all_functions = 0, words[VARIANT_KEYS_MAX] = {0};
    unsigned low[VARIANT_KEYS_MAX] = {0}, high[VARIANT_KEYS_MAX] = {0};
    for (uint64_t seed = 0; seed < CORNERS; seed++) {
        struct variant v;
        variant_corner(seed, &v);
        shapes |= shape_corners(&v);
        all_functions += v.functions == (1u << VARIANT_FUNCTIONS) - 1;
        for (size_t i = 1; i < variant_key_count; i++) {
            count_ends(&variant_keys[i], &v, &low[i], &high[i]);
            words[i] |= variant_keys[i].kind == KEY_WORD ? 1u << variant_get(&v, &variant_keys[i]) : 0;
        }
    }
    cr_expect_eq(shapes, 0x3F, "1 and 16 of rows, clusters and PEs: %x", shapes);
    cr_expect(all_functions > 0);
    for (size_t i = 1; i < variant_key_count; i++) {
        const struct variant_key *key = &variant_keys[i];
        cr_expect(low[i] >= 2 && high[i] >= 2, "%s: %u at the lower end, %u at the upper", key->name, low[i],
                  high[i]);
        cr_expect(key->kind != KEY_WORD || words[i] == (1u << key->count) - 1, "%s: not every word: %x",
                  key->name, words[i]);
    }
}

/* One damage to a text: a byte changed, the rest cut off, or a piece repeated. */
static void damage(struct strbuf *text)
{
    size_t at = (size_t)rand() % text->len;
    size_t len = 1 + (size_t)rand() % (text->len - at);
    struct strbuf piece = {0}, tail = {0};
    switch (rand() % 3) {
    case 0:
        text->text[at] = (char)(rand() % 2 ? text->text[at] ^ 1 << rand() % 8 : rand() % 256);
        break;
    case 1:
        text->text[text->len = at] = '\0';
        break;
    case 2:
        sb_addn(&piece, text->text + at, len);
        sb_addn(&tail, text->text + at, text->len - at);
        text->len = at;
        sb_addn(text, sb_text(&piece), piece.len);
        sb_addn(text, sb_text(&tail), tail.len);
        break;
    }
    sb_free(&piece);
    sb_free(&tail);
}

Test(random, damaged_files_load_as_legal_or_are_refused_with_a_message)
{
    unsigned refused = 0;
    srand(1);
    for (unsigned i = 0; i < MUTATIONS; i++) {
        struct variant v;
        struct diag diag = {0};
        struct strbuf text = text_of("gen/variants/base.yaml");
        for (int count = 1 + rand() % 3; count > 0 && text.len > 0; count--)
            damage(&text);
        bool ok = variant_load_text("damaged", &text, NULL, 0, &v, &diag);
        cr_expect_eq(ok, diag.errors == 0, "mutation %u", i);
        cr_expect_eq(ok, sb_text(&diag.text)[0] == '\0', "mutation %u", i);
        for (size_t j = 0; ok && j < variant_rule_count; j++)
            cr_expect(variant_rule_holds(&variant_rules[j], &v), "mutation %u", i);
        refused += !ok;
        diag_free(&diag);
        sb_free(&text);
    }
    cr_expect(refused > MUTATIONS / 4 && refused < MUTATIONS, "%u refused", refused);
}
