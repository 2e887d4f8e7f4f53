/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/sim_board/tulle_sim/options.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/options.h"
#include "host/measure/measurement.h"
#include "sim/board/settings.h"

#define SIDE_MAX 65536
#define WEIGHTS_MAX (UINT64_C(1) << 28) /* places of the matrix */

const char options_help[] =
    "Usage: tulle-sim spmm|spmv|spconv|depthwise|maxpool|empty\n"
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
    "maxpool the maximum of each channel under a window, and empty a job that only ends\n"
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
    "                       and ,natural behind it for results as images lie (default: "
    "is:mm; spmv: diagonal)\n"
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

enum option_kind {
    OPTION_HELP,
    OPTION_VERSION,
    OPTION_JSON,
    /* The others take a value. */
    OPTION_TEXT,
    OPTION_FAULT,
    OPTION_NUMBER,
    OPTION_DENSITY
};

struct option {
    const char *name, *letter;
    enum option_kind kind;
    bool simulates; /* goes with sim:FOLDER only */
    size_t to,
        given; /* where in struct sim_options the value goes, and that there is one; given 0: nowhere */
    uint64_t min, max;
};

#define PLACE(member) offsetof(struct sim_options, member)

static const struct option option_table[] = {
    {"--help", "-h", OPTION_HELP, false, 0, 0, 0, 0},
    {"--version", "-V", OPTION_VERSION, false, 0, 0, 0, 0},
    {"--json", NULL, OPTION_JSON, false, 0, 0, 0, 0},
    {"--board", NULL, OPTION_TEXT, false, PLACE(board), 0, 0, 0},
    {"--variant", NULL, OPTION_TEXT, false, PLACE(variant), 0, 0, 0},
    {"--dump", NULL, OPTION_TEXT, false, PLACE(dump), 0, 0, 0},
    {"--trace", NULL, OPTION_TEXT, true, PLACE(trace), 0, 0, 0},
    {"--bandwidth", NULL, OPTION_TEXT, true, PLACE(bandwidth), 0, 0, 0},
    {"--fault", NULL, OPTION_FAULT, true, 0, 0, 0, 0},
    {"--rows", NULL, OPTION_NUMBER, false, PLACE(rows), 0, 1, SIDE_MAX},
    {"--k", NULL, OPTION_NUMBER, false, PLACE(k), 0, 1, SIDE_MAX},
    {"--n", NULL, OPTION_NUMBER, false, PLACE(n), PLACE(given_n), 1, SIDE_MAX},
    {"--held", NULL, OPTION_NUMBER, false, PLACE(held), PLACE(given_held), 1, 64},
    {"--shape", NULL, OPTION_TEXT, false, PLACE(shape), 0, 0, 0},
    {"--plan", NULL, OPTION_TEXT, false, PLACE(plan), 0, 0, 0},
    {"--packet-bytes", NULL, OPTION_NUMBER, false, PLACE(packet_bytes), 0, 0, 1 << 20},
    {"--seed", NULL, OPTION_NUMBER, false, PLACE(seed), 0, 0, UINT64_MAX},
    {"--latency", NULL, OPTION_NUMBER, false, PLACE(latency), 0, 0, 100000},
    {"--stalls", NULL, OPTION_NUMBER, true, PLACE(stalls), 0, 0, UINT64_MAX},
    {"--reorder", NULL, OPTION_NUMBER, true, PLACE(reorder), 0, 0, 1},
    {"--from", NULL, OPTION_NUMBER, true, PLACE(from), PLACE(given_from), 0, UINT64_MAX},
    {"--to", NULL, OPTION_NUMBER, true, PLACE(to), PLACE(given_to), 0, UINT64_MAX},
    {"--events", NULL, OPTION_NUMBER, true, PLACE(events), 0, 1, 1000000},
    {"--limit", NULL, OPTION_NUMBER, true, PLACE(limit), 0, 1, UINT64_MAX},
    {"--seconds", NULL, OPTION_NUMBER, false, PLACE(seconds), 0, 1, 1000000},
    {"--density", NULL, OPTION_DENSITY, false, PLACE(density), 0, 0, 0},
    {"--act-density", NULL, OPTION_DENSITY, false, PLACE(act_density), 0, 0, 0},
};
#define OPTION_COUNT (sizeof option_table / sizeof *option_table)

static void *place_of(struct sim_options *to, size_t offset)
{
    return (char *)to + offset;
}

static const struct place nowhere = {0};

static void set_number(uint64_t *to, const struct option *o, const char *value, struct diag *diag)
{
    uint64_t number;
    if (settings_number(value, &number) && number >= o->min && number <= o->max)
        *to = number;
    else
        diag_error(diag, nowhere, "%s %s: allowed %llu..%llu", o->name, value, (unsigned long long)o->min,
                   (unsigned long long)o->max);
}

static void set_density(double *to, const struct option *o, const char *value, struct diag *diag)
{
    char *end;
    double density = strtod(value, &end);
    bool plain = *value && !*end && strspn(value, "0123456789.e-") == strlen(value);
    if (plain && density >= 0 && density <= 1)
        *to = density;
    else
        diag_error(diag, nowhere, "%s %s: allowed 0..1", o->name, value);
}

static void set_value(struct sim_options *to, const struct option *o, const char *value, struct diag *diag)
{
    to->simulates = to->simulates || o->simulates;
    if (o->given)
        *(bool *)place_of(to, o->given) = true;
    if (o->kind == OPTION_TEXT)
        options_set_once(place_of(to, o->to), value, o->name, diag);
    else if (o->kind == OPTION_NUMBER)
        set_number(place_of(to, o->to), o, value, diag);
    else if (o->kind == OPTION_DENSITY)
        set_density(place_of(to, o->to), o, value, diag);
    else if (to->faults < FAULTS_MAX)
        to->fault[to->faults++] = value;
    else
        diag_error(diag, nowhere, "--fault is given more than %d times", FAULTS_MAX);
}

static void set_switch(struct sim_options *to, const struct option *o)
{
    to->help = to->help || o->kind == OPTION_HELP;
    to->version = to->version || o->kind == OPTION_VERSION;
    to->json = to->json || o->kind == OPTION_JSON;
}

static const struct option *find(const char *text)
{
    for (const struct option *o = option_table; o < option_table + OPTION_COUNT; o++)
        if (!strcmp(text, o->name) || (o->letter && !strcmp(text, o->letter)))
            return o;
    return NULL;
}

static void report_unknown(const char *text, struct diag *diag)
{
    const char *names[OPTION_COUNT];
    for (size_t i = 0; i < OPTION_COUNT; i++)
        names[i] = option_table[i].name;
    options_report_unknown(text, names, OPTION_COUNT, diag);
}

static const char *const operators[] = {
    [OPERATOR_NONE] = "",         [OPERATOR_SPMM] = "spmm",           [OPERATOR_SPMV] = "spmv",
    [OPERATOR_SPCONV] = "spconv", [OPERATOR_DEPTHWISE] = "depthwise", [OPERATOR_MAXPOOL] = "maxpool",
    [OPERATOR_EMPTY] = "empty"};

const char *operator_name(enum operator_kind operator)
{
    return operators[operator];
}

static enum operator_kind operator_named(const char *word)
{
    for (unsigned i = OPERATOR_NONE + 1; i < sizeof operators / sizeof *operators; i++)
        if (!strcmp(word, operators[i]))
            return (enum operator_kind)i;
    return OPERATOR_NONE;
}

static void set_operator(struct sim_options *to, const char *word, struct diag *diag)
{
    if (to->operator)
        diag_error(diag, nowhere, "one operator at a time: \"%s\" is too many", word);
    else
        to->operator= operator_named(word);
    if (!to->operator)
        diag_error(diag, nowhere,
                   "there is no operator \"%s\": spmm, spmv, spconv, depthwise, maxpool, empty", word);
}

static void parse(int argc, char **argv, struct sim_options *to, struct diag *diag)
{
    for (int i = 1; i < argc; i++) {
        const struct option *o = find(argv[i]);
        if (o && o->kind <= OPTION_JSON)
            set_switch(to, o);
        else if (o && i + 1 < argc)
            set_value(to, o, argv[++i], diag);
        else if (o)
            diag_error(diag, nowhere, "%s needs a value", argv[i]);
        else if (argv[i][0] == '-')
            report_unknown(argv[i], diag);
        else
            set_operator(to, argv[i], diag);
    }
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

/* What does not go together. */
static void check(const struct sim_options *o, struct diag *diag)
{
    const bool sim = o->board && !strncmp(o->board, "sim:", 4);
    const bool other = o->board && (!strcmp(o->board, "model") || !strncmp(o->board, "pcie:", 5) ||
                                    !strncmp(o->board, "serial:", 7));
    if (!o->operator)
        diag_error(diag, nowhere, "an operator is missing: spmm, spmv, spconv, depthwise, maxpool, empty");
    if (!o->board)
        diag_error(diag, nowhere,
                   "a board is missing: --board sim:FOLDER, model, pcie:SOCKET or serial:LINE");
    else if (!sim && !other)
        diag_error(diag, nowhere, "--board %s: allowed sim:FOLDER, model, pcie:SOCKET, serial:LINE",
                   o->board);
    if (other && o->simulates)
        diag_error(diag, nowhere,
                   "the board model has no time: --bandwidth, --stalls, --reorder, --fault, --trace, "
                   "--from, --to, --events and --limit go with sim:FOLDER only");
    if (o->operator!= OPERATOR_SPMM && o->operator!= OPERATOR_SPCONV && o->given_n)
        diag_error(diag, nowhere,
                   "--n goes with spmm and spconv only: a matrix and a vector have rows and k, a depthwise "
                   "convolution and a pooling have as many results as channels");
    check_shape(o, diag);
    if ((o->given_from || o->given_to) && !o->trace)
        diag_error(diag, nowhere, "--from and --to go with --trace only");
    if (o->from >= o->to)
        diag_error(diag, nowhere, "--from must be before --to");
    if (o->k * (o->operator== OPERATOR_SPMV ? o->rows : o->n) > WEIGHTS_MAX)
        diag_error(diag, nowhere, "the sparse matrix has more than %llu places",
                   (unsigned long long)WEIGHTS_MAX);
}

void options_parse(int argc, char **argv, struct sim_options *to, struct diag *diag)
{
    *to = (struct sim_options){.rows = 64,
                               .k = 512,
                               .n = 512,
                               .seed = 1,
                               .latency = 64,
                               .to = UINT64_MAX,
                               .seconds = 3600,
                               .events = 256,
                               .density = 0.2,
                               .act_density = 1};
    parse(argc, argv, to, diag);
    if (to->help || to->version)
        diag_free(diag);
    else
        check(to, diag);
    if (!to->dump)
        to->dump = "tulle-sim";
    if (!to->shape)
        to->shape = "10x10x16,3,1,4x4";
}
