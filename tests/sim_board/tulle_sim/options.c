/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/sim_board/tulle_sim/options.h"

#include <string.h>

#include "gen/base/options.h"
#include "host/measure/measurement.h"

#define SIDE_MAX 65536
#define WEIGHTS_MAX (1 << 28) /* places of the matrix */

const char options_help[] =
    "Usage: tulle-sim spmm|spmv|spconv|depthwise|maxpool|join|softmax|empty\n"
    "                 --board sim:FOLDER|model|pcie:SOCKET|serial:LINE [OPTION]...\n"
    "\n"
    "Plans a sparse operator with random operands and runs it on a board. Every byte of device memory is\n"
    "compared with the functional model, and every result with a plain computation. A job that fails or\n"
    "differs on sim is run again, with a waveform around the first wrong cycle when FOLDER has\n"
    "board-trace.so, and with the last events before that cycle.\n"
    "\n"
    "  --board BOARD        sim:FOLDER (made by sim/board/build), model (the functional model), pcie:SOCKET\n"
    "                       (docs/pcie.md) or serial:LINE (docs/serial.md)\n"
    "  --variant VARIANT    variant of the boards model, pcie and serial (base); with sim the variant that\n"
    "                       FOLDER must have\n"
    "\n"
    "Operators: spmm is C[rows][n] = A[rows][k] x W[k][n] with W sparse, spmv is y[rows] = A[rows][k] x "
    "with\n"
    "A sparse, spconv a convolution with n sparse kernels, depthwise one with a kernel for each channel,\n"
    "maxpool the maximum of each channel under a window, join C[rows][n] from A[rows][n] and B[rows][n] or "
    "B[n],\n"
    "added, subtracted or multiplied as the seed says, softmax that of the rows of A[rows][n], and empty a "
    "job\n"
    "that only ends\n"
    "  --rows R --k K --n N sizes (default 64, 512, 512; spmv has no n)\n"
    "  --shape SHAPE        of a convolution or pooling: HEIGHTxWIDTHxCHANNELS,SIDE,STRIDE,WIDTHxHEIGHT: "
    "image,\n"
    "                       kernel or window, tile (default 10x10x16,3,1,4x4)\n"
    "  --density D          of the sparse matrix, 0..1 (default 0.2)\n"
    "  --act-density D      of the dense operand, 0..1 (default 1)\n"
    "  --held H             rows of A that a cluster holds, spmm (default: the planner's)\n"
    "  --packet-bytes B     longest packet of weights (default: the planner's)\n"
    "  --plan PLAN          a forced plan of docs/planner.md: is, os or ws with a split, as is:mn; of spmv "
    "also\n"
    "                       stay, pages and diagonal; of a convolution with the shape's tile,\n"
    "                       and ,natural behind it for results as images lie; or auto, the planner's\n"
    "                       choice (default: is:mm; spmv: diagonal)\n"
    "  --jobs N             the job N times, at different places, one behind the other; in the queue of jobs "
    "of\n"
    "                       variants that have one (default 1)\n"
    "  --seed S             of operands, places in memory and what registers hold at first (default 1)\n"
    "\n"
    "Simulated memory\n"
    "  --latency L          cycles from a read to its first beat, from a write to its response (default 64)\n"
    "  --bandwidth B/C      at most B beats in C cycles, in each direction (default 1/1)\n"
    "  --stalls SEED        random stalls on every channel (default 0: none)\n"
    "  --reorder 0|1        bursts of different IDs overtake each other (default 0)\n"
    "  --fault FAULT        inject an error of docs/board.md; repeatable\n"
    "\n"
    "Limits and output\n"
    "  --limit C            clock cycles before the job is stopped (default: 20 times those of the cycle\n"
    "                       model, and 100000)\n"
    "  --seconds S          seconds before the job is stopped (default 3600)\n"
    "  --trace FILE         write a waveform (FST); needs FOLDER/board-trace.so\n"
    "  --from C --to C      cycles of the waveform (default: all)\n"
    "  --events N           number of board events that are kept (default 256)\n"
    "  --dump PREFIX        files of the second run: PREFIX.events, PREFIX.fst (default tulle-sim)\n"
    "  --json               print one JSON object\n"
    "  -h, --help           this text\n"
    "  -V, --version        the version\n"
    "\n"
    "Exit status: 0 everything agrees, 1 something differs or the run failed, 2 wrong usage.\n";

static const char *const operators[] = {
    [OPERATOR_NONE] = "",         [OPERATOR_SPMM] = "spmm",           [OPERATOR_SPMV] = "spmv",
    [OPERATOR_SPCONV] = "spconv", [OPERATOR_DEPTHWISE] = "depthwise", [OPERATOR_MAXPOOL] = "maxpool",
    [OPERATOR_JOIN] = "join",     [OPERATOR_SOFTMAX] = "softmax",     [OPERATOR_EMPTY] = "empty"};

const char *operator_name(enum operator_kind operator)
{
    return operators[operator];
}

static const struct place nowhere = {0};

static enum operator_kind operator_named(const char *word, struct diag *diag)
{
    for (unsigned i = OPERATOR_NONE + 1; word && i < sizeof operators / sizeof *operators; i++)
        if (!strcmp(word, operators[i]))
            return (enum operator_kind)i;
    diag_error(diag, nowhere, "%s%s%s: spmm, spmv, spconv, depthwise, maxpool, join, softmax, empty",
               word ? "there is no operator \"" : "an operator is missing", word ? word : "",
               word ? "\"" : "");
    return OPERATOR_NONE;
}

static void check_shape(const struct sim_options *o, struct diag *diag)
{
    struct shape shape;
    if (o->shape && !operator_has_windows(o->operator))
        diag_error(diag, nowhere, "--shape goes with spconv, depthwise and maxpool only");
    else if (o->shape && !shape_read(o->shape, &shape))
        diag_error(diag, nowhere, "--shape %s: allowed HEIGHTxWIDTHxCHANNELS,SIDE,STRIDE,WIDTHxHEIGHT",
                   o->shape);
}

static void check_board(const struct sim_options *o, bool simulates, struct diag *diag)
{
    if (!o->board || !strncmp(o->board, "sim:", 4))
        return;
    if (strcmp(o->board, "model") != 0 && strncmp(o->board, "pcie:", 5) != 0 &&
        strncmp(o->board, "serial:", 7) != 0)
        diag_error(diag, nowhere, "--board %s: allowed sim:FOLDER, model, pcie:SOCKET, serial:LINE",
                   o->board);
    else if (simulates)
        diag_error(diag, nowhere,
                   "the board model has no time: --bandwidth, --stalls, --reorder, --fault, --trace, "
                   "--from, --to, --events and --limit go with sim:FOLDER only");
}

/* What does not go together. 0 and -1 stand for numbers that are not given. */
static void check(const struct sim_options *o, struct diag *diag)
{
    check_board(o,
                o->bandwidth || o->stalls || o->reorder || o->faults || o->trace || o->from >= 0 ||
                    o->to >= 0 || o->events || o->limit,
                diag);
    if (o->operator!= OPERATOR_SPMM && o->operator!= OPERATOR_SPCONV && o->operator!= OPERATOR_JOIN &&
        o->
        operator!= OPERATOR_SOFTMAX && o->n)
        diag_error(diag, nowhere,
                   "--n goes with spmm, spconv, join and softmax only: a matrix and a vector have rows and "
                   "k, a depthwise "
                   "convolution and a pooling have as many results as channels");
    check_shape(o, diag);
    if ((o->from >= 0 || o->to >= 0) && !o->trace)
        diag_error(diag, nowhere, "--from and --to go with --trace only");
    if (o->to >= 0 && o->from >= o->to)
        diag_error(diag, nowhere, "--from must be before --to");
}

/* What is not given. */
static void complete(struct sim_options *to)
{
    to->n = to->n ? to->n : 512;
    to->to = to->to < 0 ? INT64_MAX : to->to;
    to->from = to->from < 0 ? 0 : to->from;
    to->events = to->events ? to->events : 256;
    to->dump = to->dump ? to->dump : "tulle-sim";
    to->shape = to->shape ? to->shape : "10x10x16,3,1,4x4";
}

void options_parse(int argc, char **argv, struct sim_options *to, struct diag *diag)
{
    const char *word = NULL, *number[15] = {0}, *real[2] = {0};
    *to = (struct sim_options){.rows = 64,
                               .k = 512,
                               .seed = 1,
                               .latency = 64,
                               .from = -1,
                               .to = -1,
                               .seconds = 3600,
                               .jobs = 1,
                               .density = 0.2,
                               .act_density = 1};
    const struct option_entry options[] = {
        {"--help", "-h", .flag = &to->help},
        {"--version", "-V", .flag = &to->version},
        {"--json", .flag = &to->json},
        {"--board", .value = &to->board, .needed = true},
        {"--variant", .value = &to->variant},
        {"--dump", .value = &to->dump},
        {"--trace", .value = &to->trace},
        {"--bandwidth", .value = &to->bandwidth},
        {"--shape", .value = &to->shape},
        {"--plan", .value = &to->plan},
        {"--fault", .list = to->fault, .count = &to->faults, .room = FAULTS_MAX},
        {"--rows", .value = &number[0], .number = &to->rows, .min = 1, .max = SIDE_MAX},
        {"--k", .value = &number[1], .number = &to->k, .min = 1, .max = SIDE_MAX},
        {"--n", .value = &number[2], .number = &to->n, .min = 1, .max = SIDE_MAX},
        {"--held", .value = &number[3], .number = &to->held, .min = 1, .max = 64},
        {"--packet-bytes", .value = &number[4], .number = &to->packet_bytes, .max = 1 << 20},
        {"--seed", .value = &number[5], .number = &to->seed, .max = INT64_MAX},
        {"--latency", .value = &number[6], .number = &to->latency, .max = 100000},
        {"--stalls", .value = &number[7], .number = &to->stalls, .max = INT64_MAX},
        {"--reorder", .value = &number[8], .number = &to->reorder, .max = 1},
        {"--from", .value = &number[9], .number = &to->from, .max = INT64_MAX},
        {"--to", .value = &number[10], .number = &to->to, .max = INT64_MAX},
        {"--events", .value = &number[11], .number = &to->events, .min = 1, .max = 1000000},
        {"--limit", .value = &number[12], .number = &to->limit, .min = 1, .max = INT64_MAX},
        {"--seconds", .value = &number[13], .number = &to->seconds, .min = 1, .max = 1000000},
        {"--jobs", .value = &number[14], .number = &to->jobs, .min = 1, .max = 1000},
        {"--density", .value = &real[0], .real = &to->density, .high = 1},
        {"--act-density", .value = &real[1], .real = &to->act_density, .high = 1},
        {0}};
    options_read(argc, argv, options, &(struct option_rest){&word, 1, "operator "}, diag);
    if (to->help || to->version)
        return;
    to->operator= operator_named(word, diag);
    check(to, diag);
    complete(to);
    if (to->k * (to->operator== OPERATOR_SPMV ? to->rows : to->n) > WEIGHTS_MAX)
        diag_error(diag, nowhere, "the sparse matrix has more than %d places", WEIGHTS_MAX);
}
