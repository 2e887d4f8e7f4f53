/* SPDX-License-Identifier: Apache-2.0
 *
 * PEs with very different amounts of work. Their streams come together and
 * their MACs are issued together, so a packet that does not keep the pacing
 * rule could stop a cluster for good; what is paced must always end.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "host/measure/measurement.h"
#include "host/measure/plan_run.h"
#include "sim/cycle/cycle.h"
#include "sim/model/model.h"
#include "tests/gen_base/rounds.h"
#include "tests/sim_model/stream.h"

/* ---- plans ----------------------------------------------------------------------------------- */

/* One PE of K with 25 times as many weights as the others. */
static void expect_plan(const char *variant, unsigned heavy, double density, unsigned packet_bytes)
{
    struct setup setup = setup_load(variant, NULL);
    struct sparse w = sparse_heavy(256, 1536, density, setup.variant.k, heavy % setup.variant.k, 25, 1);
    const struct plan_description d = {.variant = &setup.variant, .weights = &w, .m = 16, .element = 2};
    const struct plan_choice choice = {.split = {PLAN_M, PLAN_M}, .packet_bytes = packet_bytes};
    struct plan_measured m = plan_run_measure(&setup, &d, &choice, 1);
    cr_assert_null(m.refused, "%s: %s", variant, m.refused);
    cr_log_info("%s, heavy PE %u, packets of %u: %llu cycles, efficiency %.3f", variant, heavy, packet_bytes,
                (unsigned long long)m.cycles, m.efficiency);
    sparse_free(&w);
}

Test(unequal, one_heavy_pe)
{
    static const unsigned heavy[] = {0, 3, 7};
    for (unsigned i = 0; i < 3; i++) {
        expect_plan("base", heavy[i], 0.02, 4096);
        expect_plan("base", heavy[i], 0.02, 16384);
        expect_plan("base4", heavy[i], 0.02, 16384);
        expect_plan("wide", heavy[i], 0.02, 4096);
        expect_plan("tiny", heavy[i], 0.02, 1024);
    }
}

/* The same in one block of k, where rows are ten times as long on one PE. */
Test(unequal, long_packets)
{
    static const unsigned packets[] = {1024, 4096, 16384};
    struct setup setup = setup_load("base", NULL);
    for (unsigned i = 0; i < 3; i++) {
        struct sparse w = sparse_heavy(512, 512, 0.03, 8, 2 * i, 10, i);
        const struct plan_description d = {.variant = &setup.variant, .weights = &w, .m = 16, .element = 2};
        const struct plan_choice choice = {
            .split = {PLAN_M, PLAN_M}, .rows_held = 4, .packet_bytes = packets[i]};
        struct plan_measured m = plan_run_measure(&setup, &d, &choice, 1);
        cr_assert_null(m.refused, "%s", m.refused);
        sparse_free(&w);
    }
}

/* ---- random packets -------------------------------------------------------------------------- */

struct packets {
    struct variant v;
    struct builder b;
    struct slots slots;
    unsigned held, hold, results; /* results: groups of K */
    unsigned sent, padded;
};

static struct variant variant_for(uint64_t number)
{
    static const char *const int16[] = {"data_width=16", "acc_width=48", "index_width=11", NULL};
    static const char *const unbalanced[] = {"balance=none", NULL};
    static const char *const narrow[] = {"index_width=6", "acc_width=27", "segment_max=64", NULL};
    switch (number % 9) {
    case 0:
        return variant_of("base", NULL);
    case 1:
        return variant_of("odd", NULL);
    case 2:
        return variant_of("base4", NULL);
    case 3:
        return variant_of("odd", int16);
    case 4:
        return variant_of("base4", int16);
    case 5:
        return variant_of("tiny", narrow);
    case 6:
        return variant_of("base", unbalanced);
    case 7:
        return variant_of(number / 9 % 8 ? "tiny" : "wide", NULL);
    default:
        return variant_of("base", int16);
    }
}

static void configure(struct packets *p, struct random *dice)
{
    struct config_instruction code[9] = {{"ld", SETTINGS{{"target", 2}, {NULL, 0}}, NULL}};
    struct setting mac[4][4], operands[4][3];
    p->held = random_range(dice, 1, p->v.instruction_depth < 9 ? 1 : 4);
    p->hold = random_chance(dice, 30) ? random_range(dice, 1, 3) : 1;
    for (unsigned h = 0; h < p->held; h++) {
        const struct setting instruction[4] = {{"keep", 1}, {"balance", random_chance(dice, 70)}};
        const struct setting places[3] = {{"result", h}, {"result_stride", p->held}};
        memcpy(mac[h], instruction, sizeof instruction);
        memcpy(operands[h], places, sizeof places);
        code[1 + h] = (struct config_instruction){"mac", mac[h], operands[h]};
        code[1 + p->held + h] = (struct config_instruction){"st", NULL, operands[h]};
    }
    builder_config(&p->b, 0, SETTINGS{{"hold", p->hold}, {NULL, 0}}, code, 1 + 2 * p->held);
}

/* Segments of a PE: some of one length, then some of another, up to what the queue holds. */
static void add_segments(struct stream *s, struct random *dice, unsigned segments)
{
    const struct variant *v = s->variant;
    unsigned most = v->weight_queue_depth - 4; /* input buffers are deeper */
    const unsigned typical[] = {0, 1, 2, 3, 8, 30, most / 4, most / 2, most};
    unsigned length = typical[random_below(dice, 9)];
    for (unsigned n = 0; n < segments; n++) {
        if (random_chance(dice, 20))
            length = typical[random_below(dice, 9)];
        unsigned count = random_chance(dice, 20) ? (unsigned)random_below(dice, length + 1) : length;
        if (!count)
            stream_escape(s, ESCAPE_END, 0);
        for (unsigned i = 0; i < count; i++)
            stream_weight(s, 0, 1, i + 1 == count);
    }
}

static void send_packet(struct packets *p, struct random *dice)
{
    struct stream streams[16];
    struct strbuf bytes = {0}, plain = {0};
    unsigned segments = random_range(dice, 1, random_chance(dice, 50) ? 8 : 60);
    for (unsigned pe = 0; pe < p->v.k; pe++) {
        streams[pe] = (struct stream){.variant = &p->v};
        add_segments(&streams[pe], dice, segments);
    }
    streams_pack(&p->v, streams, &plain);
    bool ok = streams_pace(&p->v, streams);
    streams_pack(&p->v, streams, &bytes);
    if (ok && bytes.len <= p->v.unit_bytes) {
        const struct send send = {
            .rows = 1, .clusters = 1, .command = EXEC_SHIFT_OUT, .count = segments * p->hold};
        p->results += send.count * p->held;
        p->sent++;
        p->padded += bytes.len > plain.len;
        builder_send(&p->b, &send, bytes.text, bytes.len);
    }
    for (unsigned pe = 0; pe < p->v.k; pe++)
        stream_free(&streams[pe]);
    sb_free(&bytes);
    sb_free(&plain);
}

static void make_packets(struct packets *p, uint64_t number)
{
    struct random dice = {number};
    *p = (struct packets){.v = variant_for(number)};
    builder_begin(&p->b, &p->v);
    configure(p, &dice);
    for (unsigned i = random_range(&dice, 1, 3); i; i--)
        send_packet(p, &dice);
    size_t size = (size_t)p->results * p->v.k * 4;
    if (size)
        writer_op(&p->b.writer, "store",
                  SETTINGS{{"rows", 1},
                           {"clusters", 1},
                           {"slot", SLOT_OUTPUT},
                           {"element", 2},
                           {"length", (int64_t)size},
                           {NULL, 0}});
    builder_finish(&p->b, &p->slots, size ? size : 8);
    builder_free(&p->b);
}

static struct job_result run_with_time(struct packets *p)
{
    struct cycle_options options = cycle_defaults(&p->v);
    struct cycle_report report;
    options.limit = 3000000;
    cr_assert(cycle_run(&p->v, &options, &p->slots.job, &report));
    struct job_result result = report.result;
    cycle_report_free(&report);
    return result;
}

/* Reproduce a failure: TULLE_TILE_SEED=<seed> TULLE_TILES=1 build/tests/sim_cycle --filter 'unequal/packets'
 */
Test(unequal, packets_never_lock)
{
    uint64_t seed = from_environment("TULLE_TILE_SEED", 1),
             count = from_environment("TULLE_TILES", FEWER_ROUNDS(450));
    unsigned sent = 0, padded = 0;
    for (uint64_t i = seed; i < seed + count; i++) {
        struct packets p;
        make_packets(&p, i);
        struct job_result with = run_with_time(&p), without = run_model(&p.v, &p.slots);
        cr_assert_eq(with.code, JOB_OK, "TULLE_TILE_SEED=%llu: %s", (unsigned long long)i,
                     job_code_name(with.code));
        cr_assert_eq(with.scanned, without.scanned);
        sent += p.sent;
        padded += p.padded;
        slots_free(&p.slots);
    }
    cr_log_info("%u packets, %u of them padded", sent, padded);
    cr_assert(count < 100 || padded > sent / 10, "%u of %u packets are padded", padded, sent);
}

/* ---- a packet that would lock ---------------------------------------------------------------- */

/* The first segment of PE 0 comes when the queue of PE 1 is full. */
Test(unequal, an_unpaced_packet_is_refused)
{
    struct packets p = {.v = variant_of("tiny", NULL)};
    for (unsigned paced = 0; paced < 2; paced++) {
        struct stream streams[2];
        struct strbuf bytes = {0};
        unsigned segments = 40;
        struct random dice = {1};
        builder_begin(&p.b, &p.v);
        configure(&p, &dice);
        for (unsigned pe = 0; pe < 2; pe++)
            streams[pe] = (struct stream){.variant = &p.v};
        for (unsigned i = 0; i < 131; i++)
            stream_escape(&streams[0], ESCAPE_SKIP, 0);
        for (unsigned i = 0; i < segments; i++) {
            stream_weight(&streams[0], 0, 1, true);
            for (unsigned e = 0; e < 4; e++)
                stream_weight(&streams[1], 0, 1, e == 3);
        }
        if (paced)
            cr_assert(streams_pace(&p.v, streams));
        streams_pack(&p.v, streams, &bytes);
        const struct send send = {.rows = 1, .clusters = 1, .command = EXEC, .count = segments * p.hold};
        builder_send(&p.b, &send, bytes.text, bytes.len);
        builder_finish(&p.b, &p.slots, 8);
        builder_free(&p.b);
        struct job_result with = run_with_time(&p), without = run_model(&p.v, &p.slots);
        cr_assert_eq(with.code, paced ? JOB_OK : JOB_QUEUE_OVERFLOW, "%s", job_code_name(with.code));
        cr_assert_eq(without.code, with.code);
        cr_assert_eq(with.queue, paced ? QUEUE_NONE : QUEUE_PE);
        cr_assert_eq(with.pe, paced ? 0 : 1);
        slots_free(&p.slots);
        sb_free(&bytes);
        stream_free(&streams[0]);
        stream_free(&streams[1]);
    }
}
