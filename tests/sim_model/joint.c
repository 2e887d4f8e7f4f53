/* SPDX-License-Identifier: Apache-2.0
 *
 * The fast path, one packet to several clusters at once, against the plain
 * one, packet by packet and cluster by cluster: the same state and counters.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "sim/model/joint.h"
#include "tests/sim_model/stream.h"

#define CLUSTERS 5

/* Clusters that are handled together and their twins, which are not. */
struct twins {
    struct variant v;
    struct variant_derived d;
    struct cluster together[CLUSTERS], alone[CLUSTERS];
    struct joint joint;
    unsigned count;
    unsigned no_sign; /* of the activations */
    int zero;         /* their zero point */
};

static void twins_begin(struct twins *t, const char *variant, unsigned count)
{
    static const char *const zero_points[] = {"zero_points=on", NULL};
    *t = (struct twins){.v = variant_of(variant, zero_points), .joint.eager = true, .count = count};
    variant_derive(&t->v, &t->d);
    for (unsigned c = 0; c < count; c++) {
        cr_assert(cluster_init(&t->together[c], &t->v, &t->d));
        cr_assert(cluster_init(&t->alone[c], &t->v, &t->d));
    }
}

static void twins_end(struct twins *t)
{
    for (unsigned c = 0; c < t->count; c++) {
        cluster_free(&t->together[c]);
        cluster_free(&t->alone[c]);
    }
    joint_free(&t->joint);
}

/* To one cluster and its twin, the plain way. */
static void send_alone(struct twins *t, unsigned cluster, const struct packet *packet)
{
    unsigned pe;
    cr_assert_eq(cluster_execute(&t->together[cluster], packet, 0, NULL, &pe), JOB_OK);
    cr_assert_eq(cluster_execute(&t->alone[cluster], packet, 0, NULL, &pe), JOB_OK);
}

static struct packet packet_of(unsigned command, unsigned count, const struct strbuf *bytes)
{
    return (struct packet){.command = (uint8_t)command,
                           .count = (uint16_t)count,
                           .data = (const uint8_t *)sb_text(bytes),
                           .bytes = bytes->len};
}

static void configure(struct twins *t, unsigned buffer, const struct setting *header,
                      const struct config_instruction *code, size_t instructions)
{
    struct writer w;
    size_t bytes;
    writer_begin(&w, &t->v);
    writer_config(&w, header, code, instructions, &bytes);
    struct packet packet = packet_of(buffer, 1, &w.data);
    for (unsigned c = 0; c < t->count; c++)
        send_alone(t, c, &packet);
    writer_free(&w);
}

#define NONE    \
    {           \
        NULL, 0 \
    }
#define HELD 3

/* `hold` iterations share a segment: one MAC takes other activations in each of them, and comes back. */
static void configure_all(struct twins *t, struct random *dice, unsigned block, unsigned hold)
{
    t->no_sign = random_chance(dice, 50);
    t->zero = random_chance(dice, 50) ? (int)random_below(dice, 256) - (t->no_sign ? 0 : 128) : 0;
    configure(t, 0,
              SETTINGS{{"block", block}, {"restart", 1}, {"unsigned", t->no_sign}, {"zero", t->zero}, NONE},
              (const struct config_instruction[]){{"ld", SETTINGS{{"target", 0}, NONE}, NULL}}, 1);
    const struct config_instruction code[] = {
        {"ld", SETTINGS{{"target", 2}, NONE}, NULL},
        {"mac", SETTINGS{{"keep", 1}, NONE},
         SETTINGS{{"inner", hold},
                  {"stride", hold > 1 ? 16 : 0},
                  {"pitch", hold > 1 ? -16 * (int64_t)hold : 0},
                  {"result_stride", HELD},
                  NONE}}, /* as in plans of products, and of windows */
        {"mac", SETTINGS{{"keep", 1}, {"resume", 1}, NONE},
         SETTINGS{{"address", block / 2}, {"result", 1}, {"result_stride", HELD}, NONE}},
        {"mac", SETTINGS{{"keep", random_chance(dice, 50)}, NONE},
         SETTINGS{{"address", t->v.input_buffer_depth - 9}, {"result", 2}, {"result_stride", HELD}, NONE}},
        {"st", NULL, SETTINGS{{"result_stride", HELD}, NONE}},
        {"st", NULL, SETTINGS{{"result", 1}, {"result_stride", HELD}, NONE}}};
    configure(t, 1, SETTINGS{{"restart", random_chance(dice, 50)}, {"hold", hold}, NONE}, code, 6);
}

static void load_inputs(struct twins *t, struct random *dice, unsigned block)
{
    for (unsigned c = 0; c < t->count; c++) {
        struct strbuf bytes = {0};
        for (unsigned i = 0; i < block; i++)
            sb_addn(&bytes, &(char){random_chance(dice, 60) ? (char)random_next(dice) : (char)t->zero}, 1);
        struct packet packet = packet_of(0x80, 1, &bytes);
        send_alone(t, c, &packet);
        sb_free(&bytes);
    }
}

static void make_weights(struct twins *t, struct random *dice, unsigned segments, unsigned positions,
                         struct strbuf *to)
{
    struct stream streams[16];
    for (unsigned p = 0; p < t->v.k; p++) {
        streams[p] = (struct stream){.variant = &t->v};
        for (unsigned s = 0; s < segments; s++) {
            struct segment segment;
            segment_random(dice, &segment, positions, t->v.weight_queue_depth / 4, 8);
            stream_segment(&streams[p], dice, &segment);
            segment_free(&segment);
        }
    }
    cr_assert(streams_pace(&t->v, streams));
    streams_pack(&t->v, streams, to);
    for (unsigned p = 0; p < t->v.k; p++)
        stream_free(&streams[p]);
}

static void expect_same(const struct twins *t)
{
    uint64_t macs[2] = {0, 0}, scanned[2] = {0, 0};
    for (unsigned c = 0; c < t->count; c++) {
        const struct cluster *a = &t->together[c], *b = &t->alone[c];
        size_t output = (size_t)t->v.k * t->v.output_queue_depth, held = a->results.end - a->results.begin;
        cr_assert_arr_eq(a->acc, b->acc, sizeof a->acc, "accumulators of cluster %u", c);
        cr_assert_arr_eq(a->output, b->output, output * sizeof *a->output, "output queues of cluster %u", c);
        cr_assert_eq(held, b->results.end - b->results.begin, "results of cluster %u", c);
        for (size_t i = 0; i < held; i++)
            cr_assert_eq(a->results.value[a->results.begin + i], b->results.value[b->results.begin + i]);
        cr_assert_arr_eq(a->operands, b->operands, sizeof a->operands);
        macs[0] += a->effective_macs;
        macs[1] += b->effective_macs;
        scanned[0] += a->scanned;
        scanned[1] += b->scanned;
    }
    cr_assert_eq(macs[0], macs[1], "effective MACs");
    cr_assert_eq(scanned[0], scanned[1], "scanned weights");
}

/* One packet, both ways; true when the fast way took it. */
static bool send_together(struct twins *t, const struct packet *packet, dot_function *dot)
{
    struct cluster *clusters[CLUSTERS];
    enum job_code code = JOB_OK, other = JOB_OK;
    unsigned pe;
    for (unsigned c = 0; c < t->count; c++)
        clusters[c] = &t->together[c];
    bool fast = joint_execute(&t->joint, 0, clusters, t->count, packet, dot, &code, &pe);
    for (unsigned c = 0; c < t->count; c++) {
        if (!fast && !code)
            code = cluster_execute(clusters[c], packet, c, NULL, &pe);
        if (!other)
            other = cluster_execute(&t->alone[c], packet, c, NULL, &pe);
    }
    cr_assert_eq(code, other, "%d together, %d alone", code, other);
    return fast;
}

static void compare(const char *variant, unsigned count, uint64_t seed, dot_function *dot)
{
    struct random dice = {seed};
    struct twins t;
    twins_begin(&t, variant, count);
    unsigned block = t.v.input_buffer_depth / 2;
    const unsigned hold = random_chance(&dice, 50) ? 1 : random_range(&dice, 2, 7);
    configure_all(&t, &dice, block, hold);
    for (unsigned round = 0; round < 6; round++) {
        if (round % 3 == 0)
            load_inputs(&t, &dice, block);
        struct strbuf bytes = {0};
        unsigned segments = random_range(&dice, 1, 9),
                 positions = random_range(&dice, 1, t.v.input_buffer_depth);
        make_weights(&t, &dice, segments, positions, &bytes);
        struct packet packet = packet_of(random_chance(&dice, 70) ? 0xC1 : 0x81, segments * hold, &bytes);
        cr_assert(send_together(&t, &packet, dot), "the fast path must take this packet");
        expect_same(&t);
        sb_free(&bytes);
    }
    twins_end(&t);
}

Test(joint, equals_the_plain_path)
{
    static const char *const names[] = {"tiny", "base", "odd"};
    for (uint64_t seed = 1; seed <= 60; seed++) {
        compare(names[seed % 3], 1 + seed % CLUSTERS, seed, dot_choose());
        compare(names[seed % 3], 1 + seed % CLUSTERS, seed, dot_portable);
    }
}

/* New activations in a part of the buffer that may wrap, or none. */
static void load_some(struct twins *t, struct random *dice)
{
    const unsigned line = t->v.load_width, block = line * random_range(dice, 1, 20);
    struct strbuf bytes = {0};
    if (random_chance(dice, 30))
        return;
    configure(t, 2,
              SETTINGS{{"block", block}, {"restart", 1}, {"unsigned", t->no_sign}, {"zero", t->zero}, NONE},
              (const struct config_instruction[]){
                  {"ld", SETTINGS{{"target", 0}, NONE},
                   SETTINGS{{"address", line * random_below(dice, t->v.input_buffer_depth / line)}, NONE}}},
              1);
    for (unsigned i = 0; i < block; i++)
        sb_addn(&bytes, &(char){random_chance(dice, 60) ? (char)random_next(dice) : (char)t->zero}, 1);
    while (bytes.len % t->d.bus_bytes)
        sb_addn(&bytes, "", 1);
    const struct packet packet = packet_of(0x82, 1, &bytes);
    for (unsigned c = 0; c < t->count; c++)
        send_alone(t, c, &packet);
    sb_free(&bytes);
}

/* One MAC, or two, as in SpMV: activations are multiplied where they are, but not behind the end of the
 * buffer. A packet with one that comes again is multiplied in stripes, also there. Returns how many packets
 * the fast path took. */
static unsigned compare_few(uint64_t seed, unsigned packets)
{
    struct random dice = {seed};
    struct twins t;
    unsigned fast = 0;
    twins_begin(&t, "base", 1);
    const unsigned depth = t.v.input_buffer_depth, hold = random_range(&dice, 1, 2);
    const struct config_instruction code[] = {
        {"ld", SETTINGS{{"target", 2}, NONE}, NULL},
        {"mac", SETTINGS{{"keep", 1}, NONE},
         SETTINGS{{"address", random_below(&dice, depth / 2)}, {"result_stride", 1}, NONE}},
        {"st", NULL, SETTINGS{{"result_stride", 1}, NONE}}};
    configure_all(&t, &dice, depth / 2, 1);
    configure(&t, 1, SETTINGS{{"restart", 1}, {"hold", hold}, NONE}, code, 3);
    load_inputs(&t, &dice, depth / 2);
    for (unsigned i = 0; i < packets; i++) {
        load_some(&t, &dice);
        struct strbuf bytes = {0};
        const unsigned segments = random_range(&dice, 1, 9);
        make_weights(&t, &dice, segments, random_range(&dice, 1, depth), &bytes);
        const struct packet packet = packet_of(0xC1, segments * hold, &bytes);
        fast += send_together(&t, &packet, dot_choose());
        expect_same(&t);
        for (unsigned again = 0; again < 3; again++) {
            load_some(&t, &dice);
            cr_assert(send_together(&t, &packet, dot_choose()) || hold > 1 || !again,
                      "a packet that comes again needs no look at what it goes over");
            expect_same(&t);
        }
        sb_free(&bytes);
    }
    twins_end(&t);
    return fast;
}

Test(joint, multiplies_few_where_they_are)
{
    unsigned fast = 0;
    for (uint64_t seed = 1; seed <= 20; seed++)
        fast += compare_few(seed, 4);
    cr_assert(fast > 20 && fast < 80, "the fast path took %u of 80 packets", fast);
}

/* Activations are laid side by side when what was multiplied with them so far pays for it; results are the
 * same before and after that. */
Test(joint, waits_until_it_pays)
{
    struct random dice = {12};
    struct twins t;
    struct strbuf bytes = {0};
    unsigned alone = 0;
    twins_begin(&t, "tiny", 2);
    t.joint.eager = false;
    configure_all(&t, &dice, 512, 1);
    load_inputs(&t, &dice, 512);
    make_weights(&t, &dice, 1, 1000, &bytes);
    struct packet packet = packet_of(0xC1, 1, &bytes);
    for (; !send_together(&t, &packet, dot_choose()) && alone < 10000; alone++)
        expect_same(&t);
    expect_same(&t);
    cr_assert(alone > 1 && alone < 10000, "%u packets went one by one", alone);
    cr_assert(send_together(&t, &packet, dot_choose()));
    load_inputs(&t, &dice, 512);
    cr_assert_not(send_together(&t, &packet, dot_choose()));
    expect_same(&t);
    sb_free(&bytes);
    twins_end(&t);
}

/* Clusters whose operators differ, or whose PEs have activations of their own, go one by one. */
Test(joint, leaves_what_is_not_the_same_alone)
{
    struct random dice = {5};
    struct twins t;
    struct strbuf bytes = {0};
    twins_begin(&t, "tiny", 2);
    configure_all(&t, &dice, 512, 1);
    load_inputs(&t, &dice, 512);
    make_weights(&t, &dice, 3, 100, &bytes);
    struct packet packet = packet_of(0xC1, 3, &bytes);
    cr_assert(send_together(&t, &packet, dot_choose()));
    struct writer w;
    size_t length;
    writer_begin(&w, &t.v);
    writer_config(&w, SETTINGS{{"restart", 1}, NONE},
                  (const struct config_instruction[]){{"ld", SETTINGS{{"target", 2}, NONE}, NULL},
                                                      {"mac", SETTINGS{{"keep", 1}, NONE}, NULL}},
                  2, &length);
    struct packet config = packet_of(1, 1, &w.data);
    send_alone(&t, 1, &config);
    cr_assert_not(send_together(&t, &packet, dot_choose()));
    expect_same(&t);
    writer_free(&w);
    sb_free(&bytes);
    twins_end(&t);
}

/* Errors are the same, too: the first weight of the last segment lies outside of the input buffer. */
Test(joint, reports_the_same_errors)
{
    struct random dice = {6};
    struct twins t;
    struct strbuf bytes = {0};
    struct stream streams[2];
    twins_begin(&t, "tiny", 3);
    configure_all(&t, &dice, 512, 1);
    for (unsigned p = 0; p < 2; p++) {
        streams[p] = (struct stream){.variant = &t.v};
        stream_weight(&streams[p], 5, 7, true);
        stream_escape(&streams[p], ESCAPE_JUMP, 15 + p);
        stream_weight(&streams[p], 0, 7, true);
    }
    streams_pack(&t.v, streams, &bytes);
    struct packet packet = packet_of(0xC1, 2, &bytes);
    cr_assert(send_together(&t, &packet, dot_choose()));
    stream_free(&streams[0]);
    stream_free(&streams[1]);
    sb_free(&bytes);
    twins_end(&t);
}

static void expect_dot_one(struct random *dice, const uint16_t *position, const int16_t *value,
                           size_t entries)
{
    int32_t input[300];
    int64_t sum = 0;
    uint64_t counts = 5, fast = counts, plain = counts;
    for (unsigned i = 0; i < 300; i++)
        input[i] = random_below(dice, 2) ? (int32_t)random_signed(dice, 9) : 0;
    for (size_t e = 0; e < entries; e++) {
        sum += value[e] * input[position[e]];
        counts += input[position[e]] != 0;
    }
    cr_assert_eq(dot_one_choose()(position, value, entries, input, &fast), sum);
    cr_assert_eq(dot_one_portable(position, value, entries, input, &plain), sum);
    cr_assert_eq(fast, counts);
    cr_assert_eq(plain, counts);
}

/* Every instruction set's inner loop gives the sums modulo 2^32, odd lengths and extreme values included. */
Test(joint, dot_products_agree)
{
    struct random dice = {9};
    int16_t *table = aligned_alloc(32, 300 * 32 * sizeof *table);
    cr_assert(table);
    for (unsigned i = 0; i < 300 * 32; i++)
        table[i] = (int16_t)random_signed(&dice, 9);
    for (unsigned round = 0; round < 2000; round++) {
        uint16_t position[300];
        int16_t value[300];
        size_t entries = random_below(&dice, 300);
        for (size_t e = 0; e < entries; e++) {
            position[e] = (uint16_t)random_below(&dice, 300);
            value[e] = (int16_t)random_signed(&dice, 8);
        }
        int32_t fast[DOT_ROWS], plain[DOT_ROWS];
        expect_dot_one(&dice, position, value, entries);
        dot_choose()(position, value, entries, table, 32, fast);
        dot_portable(position, value, entries, table, 32, plain);
        for (unsigned r = 0; r < DOT_ROWS; r++) {
            int64_t sum = 0;
            for (size_t e = 0; e < entries; e++)
                sum += value[e] * table[position[e] * 32u + r];
            cr_assert_eq(fast[r], sum);
            cr_assert_eq(plain[r], sum);
        }
    }
    free(table);
}

/* Weights that nothing multiplies stay in the queues: that is not for the fast path. */
Test(joint, leaves_resident_weights_alone)
{
    struct random dice = {7};
    struct twins t;
    struct strbuf bytes = {0};
    twins_begin(&t, "tiny", 2);
    configure(
        &t, 1, NULL,
        (const struct config_instruction[]){{"ld", SETTINGS{{"target", 2}, NONE}, NULL}, {"st", NULL, NULL}},
        2);
    make_weights(&t, &dice, 3, 20, &bytes);
    struct packet packet = packet_of(0xC1, 3, &bytes);
    cr_assert_not(send_together(&t, &packet, dot_choose()));
    cr_assert_eq(t.together[0].lanes[0].segments, 3);
    sb_free(&bytes);
    twins_end(&t);
}

/* Nor is a packet for it that comes while another's weights are still in the queues: they are multiplied
 * first. */
Test(joint, waits_behind_resident_weights)
{
    struct random dice = {11};
    struct twins t;
    struct strbuf first = {0}, second = {0};
    twins_begin(&t, "tiny", 2);
    configure_all(&t, &dice, 512, 1);
    configure(
        &t, 2, NULL,
        (const struct config_instruction[]){{"ld", SETTINGS{{"target", 2}, NONE}, NULL}, {"st", NULL, NULL}},
        2);
    load_inputs(&t, &dice, 512);
    make_weights(&t, &dice, 3, 20, &first);
    make_weights(&t, &dice, 3, 20, &second);
    const struct packet resident = packet_of(0xC2, 3, &first), packet = packet_of(0xC1, 3, &second);
    for (unsigned c = 0; c < t.count; c++)
        send_alone(&t, c, &resident);
    cr_assert_not(send_together(&t, &packet, dot_choose()));
    expect_same(&t);
    sb_free(&first);
    sb_free(&second);
    twins_end(&t);
}

/* More packets than the cache has slots, each asked for twice in a row and once more later. */
Test(joint, packets_from_the_cache_are_what_decoding_gives)
{
    struct random dice = {8};
    struct twins t;
    struct packet_cache cache = {.bytes = 0};
    static struct strbuf packets[PACKET_CACHE_SLOTS + 1000];
    const unsigned count = sizeof packets / sizeof *packets;
    twins_begin(&t, "tiny", 1);
    for (unsigned i = 0; i < 2 * count + count / 2; i++) {
        struct strbuf *bytes = &packets[i < 2 * count ? i / 2 : i - 2 * count];
        if (!bytes->len)
            make_weights(&t, &dice, 2, 30, bytes);
        const struct packet_key key = {(const uint8_t *)bytes->text, bytes->len, 2};
        enum job_code code;
        unsigned pe;
        const struct decoded_packet *decoded = packet_cache_get(&cache, &t.v, &t.d, &key, &code, &pe);
        cr_assert(decoded && code == JOB_OK);
        struct lane lane = {.entries = 0};
        cr_assert_eq(lane_decode(&lane, &t.v, &t.d, key.data, key.bytes, 1, 2), JOB_OK);
        cr_assert_eq(lane.entries, decoded->lanes[1].entries);
        if (lane.entries) {
            cr_assert_arr_eq(lane.value, decoded->lanes[1].value, lane.entries * sizeof *lane.value);
            cr_assert_arr_eq(lane.position, decoded->lanes[1].position, lane.entries * sizeof *lane.position);
        }
        cr_assert_arr_eq(lane.end, decoded->lanes[1].end, 2 * sizeof *lane.end);
        lane_free(&lane);
    }
    for (unsigned i = 0; i < count; i++)
        sb_free(&packets[i]);
    packet_cache_free(&cache);
    twins_end(&t);
}
