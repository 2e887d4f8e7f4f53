/* SPDX-License-Identifier: Apache-2.0
 *
 * Dispatching on a Verilated device. Packets of weights, some of
 * them heavy, add to the same sums: in which cluster does not matter, because the
 * store adds those of the clusters. Once each packet is sent to the least
 * loaded cluster, once to the clusters in turn, so that one of them gets all
 * heavy ones. Both must give what a plain computation gives, in both models'
 * sense, and the first must be faster.
 *
 * Usage: dispatch-test FOLDER   (of sim/board/build, a variant with balance: dispatch)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/plan/pack.h"
#include "host/plan/steps.h"
#include "sim/board/job.h"
#include "sim/verilated/folder.h"

#define COLUMNS 64
#define PACKETS 48
#define HEAVY 60 /* weights of a segment of a heavy packet */
#define HELD 2   /* rows of activations */
#define MEMORY 65536
#define CYCLES 100000
#define FASTER 0.8
#define NO_WAIT (-1)

enum { BUFFER_INPUT, BUFFER_FIRST, BUFFER_MORE, BUFFER_LAST, BUFFERS };

struct experiment {
    struct variant variant;
    struct variant_derived derived;
    struct sparse matrix;
    struct strbuf weights, program;
    struct writer writer;
    uint32_t offset[PACKETS + 1]; /* of packets; the last is empty */
    int8_t input[HELD][COLUMNS];
    int32_t expected[HELD][16];
};

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "dispatch-test: %s: %s\n", what, why ? why : "failed");
    exit(EXIT_FAILURE);
}

/* Segment p of PE e is row p * K + e; heavy for every M-th p. The last row of packets is empty. */
static void make_operands(struct experiment *x)
{
    uint32_t rows = (PACKETS + 1) * x->variant.k, entries = 0;
    x->matrix = (struct sparse){.rows = rows,
                                .columns = COLUMNS,
                                .start = calloc(rows + 1, sizeof(uint32_t)),
                                .column = calloc((size_t)rows * COLUMNS, sizeof(uint32_t)),
                                .value = calloc((size_t)rows * COLUMNS, sizeof(int32_t))};
    if (!x->matrix.start || !x->matrix.column || !x->matrix.value)
        fail("operands", "out of memory");
    for (uint32_t r = 0; r < rows; r++) {
        uint32_t packet = r / x->variant.k, count = packet == PACKETS ? 0 : packet % x->variant.m ? 1 : HEAVY;
        for (uint32_t i = 0; i < count; i++, entries++) {
            x->matrix.column[entries] = i + r % (COLUMNS - HEAVY);
            x->matrix.value[entries] = (int32_t)(r * 31 + i * 17) % 100 + 1;
        }
        x->matrix.start[r + 1] = entries;
    }
    for (unsigned h = 0; h < HELD; h++)
        for (unsigned c = 0; c < COLUMNS; c++)
            x->input[h][c] = (int8_t)((h * 5 + c * 29) % 90 + 1);
    for (unsigned h = 0; h < HELD; h++)
        for (uint32_t r = 0; r < rows; r++)
            for (uint32_t i = x->matrix.start[r]; i < x->matrix.start[r + 1]; i++)
                x->expected[h][r % x->variant.k] += x->matrix.value[i] * x->input[h][x->matrix.column[i]];
}

static void pack(struct experiment *x)
{
    struct packer packer;
    const struct assignment all = {.segment_step = x->variant.k, .pe_step = 1};
    if (!packer_begin(&packer, &x->variant, &x->matrix, &x->weights))
        fail("packing", "out of memory");
    for (uint32_t p = 0; p <= PACKETS; p++) {
        size_t bytes = SIZE_MAX;
        x->offset[p] = (uint32_t)x->weights.len;
        if (packer_add(&packer, &all, p, 1, &bytes) != 1)
            fail("packing", plan_message());
    }
    packer_end(&packer);
}

/* Weights, a MAC for each row held, into entries 0 .. HELD - 1 of the output queue, and perhaps out. */
static void configure(struct experiment *x, unsigned buffer, bool resume, bool store)
{
    struct setting mac[HELD][4], place[HELD][3];
    struct config_instruction code[1 + 2 * HELD];
    code[0] = (struct config_instruction){"ld", SETTINGS{{"target", 2}, {NULL, 0}}, NULL};
    for (unsigned h = 0; h < HELD; h++) {
        const struct setting instruction[] = {{"keep", 1}, {"resume", resume}, {NULL, 0}};
        const struct setting operand[] = {{"address", h * COLUMNS}, {"result", h}, {NULL, 0}};
        memcpy(mac[h], instruction, sizeof instruction);
        memcpy(place[h], operand, sizeof operand);
        code[1 + h] = (struct config_instruction){"mac", mac[h], place[h]};
        code[1 + HELD + h] = (struct config_instruction){"st", NULL, place[h] + 1};
    }
    step_configure(&x->writer, buffer, SETTINGS{{"restart", 1}, {NULL, 0}}, code,
                   store ? 1 + 2 * HELD : 1 + HELD);
}

static void configure_input(struct experiment *x)
{
    step_configure(&x->writer, BUFFER_INPUT, SETTINGS{{"restart", 1}, {"block", HELD * COLUMNS}, {NULL, 0}},
                   &(struct config_instruction){"ld", SETTINGS{{"target", 0}, {NULL, 0}},
                                                SETTINGS{{"address", 0}, {NULL, 0}}},
                   1);
}

static void distribute(struct experiment *x, unsigned command, uint32_t clusters, bool dispatch,
                       uint32_t unit, uint32_t bytes, int token)
{
    writer_op(&x->writer, "distribute",
              SETTINGS{{"rows", 1},
                       {"clusters", clusters},
                       {"command", command},
                       {"dispatch", dispatch},
                       {"count", 1},
                       {"length", bytes},
                       {"unit_address", unit},
                       {"wait_a", token != NO_WAIT},
                       {"wait_a_token", token == NO_WAIT ? 0 : token},
                       {NULL, 0}});
}

static void load(struct experiment *x, unsigned slot, uint32_t bytes, uint32_t unit, int token)
{
    writer_op(&x->writer, "load",
              SETTINGS{{"rows", 1},
                       {"slot", slot},
                       {"length", bytes},
                       {"unit_address", unit},
                       {"signal_a", 1},
                       {"signal_a_token", token},
                       {NULL, 0}});
}

static void write_program(struct experiment *x, bool dispatch)
{
    uint32_t all = plan_all_clusters(&x->variant),
             input = math_round_up(sizeof x->input, x->derived.bus_bytes),
             input_at = BUFFERS * step_config_bytes(1 + 2 * HELD), weights_at = input_at + input;
    writer_begin(&x->writer, &x->variant);
    configure_input(x);
    configure(x, BUFFER_FIRST, false, false);
    configure(x, BUFFER_MORE, true, false);
    configure(x, BUFFER_LAST, true, true);
    step_load_configurations(&x->writer);
    step_send_configurations(&x->writer);
    load(x, SLOT_INPUT, input, input_at, TOKEN_INPUT);
    load(x, SLOT_WEIGHTS, (uint32_t)x->weights.len, weights_at, TOKEN_WEIGHTS);
    uint32_t empty = weights_at + x->offset[PACKETS],
             empty_bytes = (uint32_t)x->weights.len - x->offset[PACKETS];
    distribute(x, EXEC | BUFFER_INPUT, all, false, input_at, input, TOKEN_INPUT);
    distribute(x, EXEC | BUFFER_FIRST, all, false, empty, empty_bytes, TOKEN_WEIGHTS);
    for (uint32_t p = 0; p < PACKETS; p++)
        distribute(x, EXEC | BUFFER_MORE, dispatch ? all : 1u << p % x->variant.m, dispatch,
                   weights_at + x->offset[p], x->offset[p + 1] - x->offset[p], NO_WAIT);
    writer_op(&x->writer, "accumulate",
              SETTINGS{{"sum_clusters", 1}, {"signal_a", 1}, {"signal_a_token", TOKEN_CONFIG}, {NULL, 0}});
    writer_op(&x->writer, "store",
              SETTINGS{{"rows", 1},
                       {"clusters", all},
                       {"slot", SLOT_OUTPUT},
                       {"element", 2},
                       {"length", HELD * x->variant.k * 4},
                       {"runs", 1},
                       {"planes", 1},
                       {"wait_a", 1},
                       {"wait_a_token", TOKEN_CONFIG},
                       {NULL, 0}});
    distribute(x, EXEC_SHIFT_OUT | BUFFER_LAST, all, false, empty, empty_bytes, NO_WAIT);
    x->program.len = 0;
    if (!writer_finish(&x->writer, 0, &x->program))
        fail("the program", plan_message());
    writer_free(&x->writer);
}

/* Runs the program; cycles, or 0 on a board without a clock. */
static uint64_t run(struct experiment *x, const struct board_api *api, struct board *board)
{
    const struct strbuf input = {.text = (char *)x->input, .len = sizeof x->input};
    const struct strbuf *content[ISA_SLOTS] = {
        [SLOT_PROGRAM] = &x->program, [SLOT_WEIGHTS] = &x->weights, [SLOT_INPUT] = &input};
    const uint32_t results = HELD * x->variant.k;
    struct board_job job = {.cycles = CYCLES, .nanoseconds = UINT64_C(60000000000)};
    int32_t output[HELD * 16];
    uint64_t at = 4096;
    for (unsigned s = 0; s < ISA_SLOTS; s++) {
        uint64_t size = content[s]         ? content[s]->len
                        : s == SLOT_STATUS ? ISA_STATUS_BYTES
                        : s == SLOT_OUTPUT ? results * 4
                                           : 0;
        job.slot[s].address = at;
        job.slot[s].size = size;
        if (content[s] && api->write_memory(board, at, content[s]->text, size))
            fail("memory", api->error(board));
        at = (at + size + 127) / 64 * 64;
    }
    struct job_result result;
    memset(output, 0x55, sizeof output);
    if (api->write_memory(board, job.slot[SLOT_OUTPUT].address, output, results * 4) ||
        board_job_run(api, board, &job, &result) ||
        api->read_memory(board, job.slot[SLOT_OUTPUT].address, output, results * 4))
        fail(api->kind, api->error(board));
    if (result.code != JOB_OK) {
        fprintf(stderr, "dispatch-test: %s: the job ended with %d, queue %d, at %llu\n", api->kind,
                (int)result.code, (int)result.queue, (unsigned long long)result.offset);
        exit(EXIT_FAILURE);
    }
    for (uint32_t i = 0; i < results; i++)
        if (output[i] != x->expected[i / x->variant.k][i % x->variant.k]) {
            fprintf(stderr, "dispatch-test: %s: result %u is %d, must be %d\n", api->kind, i, output[i],
                    x->expected[i / x->variant.k][i % x->variant.k]);
            exit(EXIT_FAILURE);
        }
    return result.cycles;
}

int main(int argc, char **argv)
{
    struct experiment x = {.writer = {0}};
    struct strbuf path = {0};
    struct diag diag = {0};
    char why[512];
    if (argc != 2)
        fail("usage", "dispatch-test FOLDER");
    sb_addf(&path, "%s/variant.yaml", argv[1]);
    if (!variant_load_file(sb_text(&path), NULL, 0, &x.variant, &diag))
        fail(sb_text(&path), sb_text(&diag.text));
    variant_derive(&x.variant, &x.derived);
    make_operands(&x);
    pack(&x);
    struct board *model = board_model.open(sb_text(&path), NULL, why, sizeof why);
    if (!model)
        fail("model", why);
    struct board *device = board_sim.open(argv[1], NULL, why, sizeof why);
    if (!device)
        fail(argv[1], why);
    uint64_t cycles[2];
    for (unsigned dispatch = 0; dispatch < 2; dispatch++) {
        write_program(&x, dispatch);
        run(&x, &board_model, model);
        cycles[dispatch] = run(&x, &board_sim, device);
    }
    printf("in turn %llu cycles, to the least loaded %llu\n", (unsigned long long)cycles[0],
           (unsigned long long)cycles[1]);
    if ((double)cycles[1] > FASTER * (double)cycles[0])
        fail("dispatching", "it does not help");
    board_model.close(model);
    board_sim.close(device);
    sparse_free(&x.matrix);
    sb_free(&x.weights);
    sb_free(&x.program);
    sb_free(&path);
    diag_free(&diag);
    return EXIT_SUCCESS;
}
