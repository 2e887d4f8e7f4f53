/* SPDX-License-Identifier: Apache-2.0
 *
 * How fast the simulated board is: PE-cycles a second of one core in a job
 * that keeps the PEs busy, on the board and without it. "Without" is the same
 * device given the same wires cycle by cycle, recorded before: what is left
 * is evaluation alone, and the difference is what memory, bus and registers
 * cost. Not a test: it depends on the machine.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "host/devices/kinds.h"
#include "host/measure/measurement.h"
#include "sim/board/axi.h"
#include "sim/board/registers.h"
#include "tests/sim_board/tulle_sim/problem.h"

#define TURNS 5 /* of each measurement; the fastest counts, the others were disturbed */
#define SEED 1
#define PATIENCE 2000000 /* cycles of a job */
#define RESET_CYCLES 8
#define MEMORY_BYTES (UINT64_C(16) << 30)

struct bench {
    const char *board; /* sim:FOLDER */
    const struct top_api *api;
    struct problem problem;
};

static void stop(const char *what, const char *why)
{
    fprintf(stderr, "bench-sim: %s: %s\n", what, why);
    exit(1);
}

/* Of this process: others that run do not count. */
static double processor_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- the job --------------------------------------------------------------------------------- */

static void make_problem(struct bench *bench, const char *name)
{
    const struct sim_options options = {.operator= OPERATOR_SPMM,
                                        .rows = 64,
                                        .k = 512,
                                        .n = 512,
                                        .held = 4,
                                        .packet_bytes = 4096,
                                        .density = 0.2,
                                        .act_density = 1,
                                        .seed = SEED,
                                        .latency = 64,
                                        .seconds = 3600};
    struct setup setup = setup_load(name, NULL);
    const char *why = problem_make(&options, &setup.variant, NULL, &bench->problem);
    if (why)
        stop(name, why);
}

/* Registers that begin the job, in order; the last one starts it. */
struct write {
    uint32_t offset, value;
};

static size_t list_writes(const struct board_job *job, struct write *to)
{
    size_t count = 0;
    for (unsigned s = 0; s < ISA_SLOTS; s++)
        for (unsigned half = 0; half < 2; half++) {
            to[count++] = (struct write){register_slot_address(s) + 4 * half,
                                         (uint32_t)(job->slot[s].address >> 32 * half)};
            to[count++] =
                (struct write){register_slot_size(s) + 4 * half, (uint32_t)(job->slot[s].size >> 32 * half)};
        }
    to[count++] = (struct write){register_offset("interrupt_mask"), INTERRUPT_DONE};
    to[count++] = (struct write){register_offset("interrupt_enable"), 1};
    to[count++] = (struct write){register_offset("control"), CONTROL_START};
    return count;
}

#define WRITES_MAX (4 * ISA_SLOTS + 3)

/* ---- on the board ---------------------------------------------------------------------------- */

struct measured {
    uint64_t cycles;
    double seconds;
};

static struct measured run_board(const struct bench *bench)
{
    const struct problem *p = &bench->problem;
    const char *place;
    char why[256];
    struct write write[WRITES_MAX];
    size_t count = list_writes(&p->job, write);
    const struct board_api *api = board_find(board_kinds, bench->board, &place);
    struct board *board = api->open(place, NULL, why, sizeof why);
    if (!board)
        stop(bench->board, why);
    if (api->write_memory(board, p->base, p->image, p->bytes) != BOARD_OK)
        stop(bench->board, api->error(board));
    for (size_t i = 0; i < count; i++)
        if (api->write_register(board, write[i].offset, write[i].value) != BOARD_OK)
            stop(bench->board, api->error(board));
    struct measured m = {.cycles = api->cycles(board), .seconds = processor_time()};
    if (api->wait(board, PATIENCE, 0) != BOARD_OK)
        stop(bench->board, api->error(board));
    m = (struct measured){api->cycles(board) - m.cycles, processor_time() - m.seconds};
    api->close(board);
    return m;
}

/* ---- recording ------------------------------------------------------------------------------- */

struct recording {
    struct top *top;
    const struct top_api *api;
    struct axi_port port;
    struct top_in *in; /* of each cycle */
    struct top_out out;
    size_t count, begin; /* begin: the first cycle behind the write that starts the job */
};

static void record_cycle(struct recording *r, struct lite_host lite, bool reset)
{
    if (r->count == PATIENCE)
        stop("recording", "the job does not end");
    struct top_in *in = &r->in[r->count];
    *in = (struct top_in){.reset = reset, .lite = lite};
    if (!reset) {
        axi_drive(&r->port, r->count);
        in->memory[0] = r->port.wires;
    }
    if (!r->api->step(r->top, in, &r->out))
        stop("recording", r->api->violation(r->top));
    if (!reset && !axi_clock(&r->port, r->count, &r->out.memory[0]))
        stop("recording", sb_text(&r->port.broken));
    r->count++;
}

static void record_write(struct recording *r, const struct write *write)
{
    struct lite_host host = {.awvalid = true,
                             .awaddr = (uint16_t)write->offset,
                             .wvalid = true,
                             .wdata = write->value,
                             .bready = true};
    do {
        record_cycle(r, host, false);
        host.awvalid = host.awvalid && !r->out.lite.awready;
        host.wvalid = host.wvalid && !r->out.lite.wready;
    } while (!r->out.lite.bvalid);
}

static void record(const struct bench *bench, struct recording *r)
{
    static const struct axi_timing timing = {.latency = 64, .beats = 1, .cycles = 1, .bursts = 64};
    const struct problem *p = &bench->problem;
    struct memory memory;
    struct events events;
    struct write write[WRITES_MAX];
    size_t count = list_writes(&p->job, write);
    *r = (struct recording){.api = bench->api, .top = bench->api->create(SEED)};
    r->in = malloc(PATIENCE * sizeof *r->in);
    if (!r->top || !r->in || !memory_open(&memory, MEMORY_BYTES) || !events_open(&events, 16, UINT64_MAX))
        stop("recording", "out of memory");
    memcpy(memory.bytes + p->base, p->image, p->bytes);
    axi_open(&r->port, 0, bench->api->beat_bytes, &timing, &memory, &events);
    for (unsigned i = 0; i < RESET_CYCLES; i++)
        record_cycle(r, (struct lite_host){0}, true);
    for (size_t i = 0; i < count; i++)
        record_write(r, &write[i]);
    r->begin = r->count;
    while (!r->out.interrupt)
        record_cycle(r, (struct lite_host){0}, false);
    axi_close(&r->port);
    events_close(&events);
    memory_close(&memory);
    bench->api->free(r->top);
}

/* ---- without the board ----------------------------------------------------------------------- */

static struct measured play(const struct bench *bench, const struct recording *r)
{
    struct top *top = bench->api->create(SEED);
    struct top_out out = {0};
    struct measured m = {.cycles = r->count - r->begin};
    if (!top)
        stop("playing", "out of memory");
    for (size_t i = 0; i < r->count; i++) {
        if (i == r->begin)
            m.seconds = processor_time();
        if (!bench->api->step(top, &r->in[i], &out))
            stop("playing", bench->api->violation(top));
    }
    m.seconds = processor_time() - m.seconds;
    if (!out.interrupt)
        stop("playing", "the job did not end where the recorded one did");
    bench->api->free(top);
    return m;
}

/* ---- main ------------------------------------------------------------------------------------ */

static double rate(struct measured m, unsigned pes)
{
    return (double)m.cycles * pes / m.seconds;
}

static double best(double a, double b)
{
    return a > b ? a : b;
}

int main(int words, char **word)
{
    struct strbuf board = {0}, object = {0};
    struct bench bench = {0};
    struct recording recording;
    const char *name = words > 1 ? word[1] : "base", *build = getenv("BUILD") ? getenv("BUILD") : "build",
               *why = NULL;
    double on = 0, without = 0;
    if (words > 2 || *name == '-') {
        fputs(
            "usage: bench-sim [VARIANT]\nRun in the source tree, with BUILD naming the folder of the build, "
            "after sim/board/build -o BUILD/board/VARIANT VARIANT.\n",
            stderr);
        return 2;
    }
    sb_addf(&board, "sim:%s/board/%s", build, name);
    sb_addf(&object, "%s/board/%s/board.so", build, name);
    bench.board = sb_text(&board);
    bench.api = top_load(sb_text(&object), &why);
    if (!bench.api)
        stop(sb_text(&object), why);
    make_problem(&bench, name);
    record(&bench, &recording);
    unsigned pes = bench.problem.variant.n * bench.problem.variant.m * bench.problem.variant.k;
    for (unsigned i = 0; i < TURNS; i++) {
        on = best(on, rate(run_board(&bench), pes));
        without = best(without, rate(play(&bench, &recording), pes));
    }
    printf("%s, SpMM 64 x 512 x 512 at 20 %%: %zu cycles of %u PEs, the fastest of %d turns\n", name,
           recording.count - recording.begin, pes, TURNS);
    printf("on the board        %.2f million PE-cycles a second\n", on / 1e6);
    printf("evaluation alone    %.2f million; the board costs %.1f %%\n", without / 1e6,
           100 * (1 - on / without));
    free(recording.in);
    problem_free(&bench.problem);
    sb_free(&board);
    sb_free(&object);
    return 0;
}
