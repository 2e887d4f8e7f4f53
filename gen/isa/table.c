/* SPDX-License-Identifier: Apache-2.0
 *
 * The encodings themselves. To change one, change it here, raise ISA_MINOR
 * (or ISA_MAJOR when programs of the old kind must be refused) and run
 * `make regenerate`.
 */
#include "gen/isa/table.h"

/* ---- shorthand for rows of the tables -------------------------------------------------------- */

#define UINT(n, b, d)                                          \
    {                                                          \
        .name = (n), .kind = ISA_UINT, .bits = (b), .doc = (d) \
    }
#define RANGE(n, b, lo, hi, d)                                                           \
    {                                                                                    \
        .name = (n), .kind = ISA_UINT, .bits = (b), .min = (lo), .max = (hi), .doc = (d) \
    }
#define SINT(n, b, d)                                          \
    {                                                          \
        .name = (n), .kind = ISA_SINT, .bits = (b), .doc = (d) \
    }
#define FLAG(n, d)                                           \
    {                                                        \
        .name = (n), .kind = ISA_FLAG, .bits = 1, .doc = (d) \
    }
#define ENUM(n, b, v, d)                                                      \
    {                                                                         \
        .name = (n), .kind = ISA_ENUM, .bits = (b), .values = (v), .doc = (d) \
    }
#define CONST(n, b, v, d)                                                   \
    {                                                                       \
        .name = (n), .kind = ISA_CONST, .bits = (b), .min = (v), .doc = (d) \
    }
#define NESTED(n, b, f, d)                                                       \
    {                                                                            \
        .name = (n), .kind = ISA_NESTED, .bits = (b), .nested = &(f), .doc = (d) \
    }
#define RESERVED(b)                       \
    {                                     \
        .kind = ISA_RESERVED, .bits = (b) \
    }
#define CHECK                                                      \
    {                                                              \
        .name = "check", .kind = ISA_CHECK, .bits = 32,            \
        .doc = "exclusive-or check over the record's 32-bit words" \
    }
#define END_OF_FIELDS \
    {                 \
        .bits = 0     \
    }
#define FIELDS (const struct isa_field[])
#define VALUES (const struct isa_value[])

/* ---- sets of values -------------------------------------------------------------------------- */

static const struct isa_value load_targets[] = {
    {0, "input", "the input buffer; zeros are found and the bitmask is made on arrival"},
    {1, "accumulator", "partial sums, into the output queue"},
    {2, "weights", "the weight queue; a sequence with it has no other LD"},
    {3, "buffer",
     "partial sums, into the accumulation buffer `acc`; refused in variants without `accumulators` "
     "(no_feature)"},
    {0, NULL, NULL},
};

static const struct isa_value queue_states[] = {
    {0, "sq", "segment queue: every MAC of a sequence reads the head segment, and the last one drops it"},
    {1, "rq",
     "rotating queue: a segment moves from the head to the tail instead of being dropped, so weights are "
     "used again; a round must be complete before weights are loaded or sq takes a segment"},
    {2, "sw",
     "sliding window: the queue holds activations and drops those that leave the window; refused: "
     "no_feature"},
    {0, NULL, NULL},
};

static const struct isa_value pipelines[] = {
    {0, "fixed", "two stages, for operands that follow the iteration count and one turn"},
    {1, "update",
     "four stages with the scalar unit: operands may have a second turn and scalar registers; refused "
     "(no_feature) in variants without `scalar_unit`"},
    {0, NULL, NULL},
};

static const struct isa_value escape_kinds[] = {
    {0, "skip", "padding where one PE's stream is shorter than another's; payload 0"},
    {1, "jump", "advance the position by (payload + 1) x 2^(index_width - 2)"},
    {2, "end", "payload + 1 segments without a non-zero end here; only between segments"},
    {3, "line", "advance to the start of the line that is payload + 1 lines further on; refused: no_feature"},
    {0, NULL, NULL},
};

static const struct isa_value element_widths[] = {
    {0, "int8", "one byte, saturated"},
    {1, "int16", "two bytes, saturated"},
    {2, "int32", "four bytes, modulo 2^32 of the accumulator"},
    {3, "int64", "eight bytes, the accumulator sign-extended"},
    {0, NULL, NULL},
};

static const struct isa_value roundings[] = {
    {0, "up", "halves go up"},
    {1, "even", "halves go to the even neighbour"},
    {2, "two_steps", "halves go up at bit 31, and then away from zero; with shifts up to 31 as up"},
    {0, NULL, NULL},
};

const struct isa_value isa_function_values[] = {
    {0, "none", "the accumulator as it is"},
    {1, "relu", "max(x, 0)"},
    {2, "leaky_relu", "x, or x times slope / 2^15 when negative"},
    {3, "clamp", "x limited to low..high"},
    {4, "sigmoid", "1 / (1 + e^-x) of the scaled sum, fixed point"},
    {5, "tanh", "hyperbolic tangent of the scaled sum, fixed point"},
    {6, "requantise", "x times multiplier / 2^shift, rounded, plus zero, limited to low..high"},
    {7, "sum", "sum over PEs (spu); of one value, the value"},
    {8, "max", "maximum over PEs (spu); of one value, the value"},
    {9, "average", "sum over PEs (spu), then as requantise"},
    {10, "user",
     "the function of rtl/tulle_user_function.v and sim/numerics/user.c: an example, to be replaced"},
    {11, "lookup", "as requantise to int8, and then the entry of a table; in the store engine only"},
    {0, NULL, NULL},
};

static const struct isa_value opcodes[] = {
    {1, "end", "the program ends when everything before has finished"},
    {2, "load", "memory to storage units"},
    {3, "distribute", "storage units to clusters, as packets"},
    {4, "store", "collectors to memory"},
    {5, "accumulate", "how the results that follow are summed and finished"},
    {6, "loop", "start of a loop"},
    {7, "endloop", "end of a loop"},
    {8, "fence", "wait until every queue is empty and idle"},
    {0, NULL, NULL},
};

#define X(number, name, NAME, text) {number, #name, text},
const struct isa_value isa_slot_values[] = {ISA_SLOT_LIST(X){0, NULL, NULL}};
static const struct isa_value columns[] = {ISA_COLUMN_LIST(X){0, NULL, NULL}};
static const struct isa_value operands[] = {ISA_OPERAND_LIST(X){0, NULL, NULL}};
static const struct isa_value joins[] = {ISA_JOIN_LIST(X){0, NULL, NULL}};
const struct isa_value isa_status_codes[] = {ISA_STATUS_LIST(X){0, NULL, NULL}};
#undef X

static const struct isa_value queues[] = {
    {0, "none", "no error"},
    {1, "command", "the command processor"},
    {2, "load", "the load queue: memory to storage units"},
    {3, "distribute", "a distribution unit"},
    {4, "store", "the store queue: results to memory"},
    {5, "accumulate", "the accumulate queue: partial sums from memory"},
    {6, "cluster", "a cluster's control unit"},
    {7, "pe", "a processing element"},
    {0, NULL, NULL},
};

const struct isa_enum isa_enums[] = {
    {"target", "what an LD fills", load_targets},
    {"queue_state", "what the weight queue does", queue_states},
    {"pipeline", "the instruction pipeline of a configuration", pipelines},
    {"escape", "kinds of escape in the weight stream", escape_kinds},
    {"element", "how results are written", element_widths},
    {"column", "what is read into the table of channels", columns},
    {"rounding", "how a function rounds", roundings},
    {"operand", "operands of joins", operands},
    {"join", "how two operands become one result", joins},
    {"function", "special functions", isa_function_values},
    {"opcode", "macro-operations of the device program", opcodes},
    {"slot", "the buffers that a job works on", isa_slot_values},
    {"queue", "where an error was found", queues},
    {"status", "how a job ended", isa_status_codes},
    {NULL, NULL, NULL},
};

/* ---- commands, instructions, packets --------------------------------------------------------- */

const struct isa_family isa_command = {
    .name = "command",
    .title = "Command",
    .doc = "A command says what a cluster does with a packet. It travels beside the beats of the packet, on "
           "side-band wires of the row bus.",
    .bits = 8,
    .from_left = true,
    .formats = (const struct isa_format[]){
        {"config", "Configure an instruction buffer", "The packet's data is a configuration payload.",
         FIELDS{CONST("kind", 1, 0, "config"), RESERVED(2), UINT("buffer", 5, "instruction buffer"),
                END_OF_FIELDS}},
        {"exec", "Run an instruction buffer's sequence",
         "The packet's data is operand data for the sequence.",
         FIELDS{CONST("kind", 1, 1, "exec"),
                FLAG("shift_out", "the ST instructions of the sequence send results to the collector"),
                FLAG("last",
                     "the last segment of the input data: sums that a sequence with `defer` kept back are "
                     "written. Refused for other sequences (bad_command)"),
                UINT("buffer", 5, "instruction buffer"), END_OF_FIELDS}},
        {0}}};

const struct isa_family isa_instruction = {
    .name = "instruction",
    .title = "Instruction",
    .doc = "An instruction is a step of a sequence in an instruction buffer. Its base counts blocks, in the "
           "configuration's block size. It is only an initial value: the parser adds it to an operand of the "
           "record when it fills the register file.",
    .bits = 12,
    .from_left = true,
    .formats = (const struct isa_format[]){
        {"mac", "Multiply a weight segment with activations and accumulate",
         "A MAC reads the segment at the head of the weight queue and the activations at the base.",
         FIELDS{
             CONST("opcode", 2, 0, "MAC"), FLAG("balance", "work may move to a neighbour"),
             FLAG("chain", "the sum goes through the function unit and then to the output-queue entry"),
             UINT("base", 4, "input-buffer base, in blocks"),
             UINT("acc", 2,
                  "accumulation buffer: the sum starts from it, and stays in it unless it is written to "
                  "the entry; other than 0 refused in variants without `accumulators` (no_feature)"),
             FLAG("resume", "start from the output-queue entry instead of the accumulation buffer (or zero)"),
             FLAG("keep", "write the sum to the output-queue entry at the end"), END_OF_FIELDS}},
        {"ld", "Load from the packet", "An LD takes data from the packet.",
         FIELDS{CONST("opcode", 2, 1, "LD"),
                ENUM("target", 2, load_targets, "where to"),
                UINT("base", 4, "base to load into, in blocks"),
                {.name = "acc",
                 .kind = ISA_UINT,
                 .bits = 2,
                 .when_field = "target",
                 .when_value = 3,
                 .doc = "accumulation buffer"},
                RESERVED(2),
                END_OF_FIELDS}},
        {"st", "Store from the output queue", "An ST shifts results out towards the collector.",
         FIELDS{CONST("opcode", 2, 2, "ST"), RESERVED(2),
                UINT("base", 4, "base in the output queue, in blocks"), RESERVED(4), END_OF_FIELDS}},
        {"spu", "Special function",
         "An SPU instruction reduces an output-queue entry over the PEs of the cluster, in variants with "
         "sum, max or average. With `scalar_unit` it also copies an entry, applies a function to the entry "
         "of each PE, or reduces into a scalar register.",
         FIELDS{CONST("opcode", 2, 3, "SPU"),
                UINT("function", 2,
                     "0: copies the entry; 1 to 3: by the function record of this number. Others than 1 are "
                     "refused in variants without `scalar_unit` (no_feature)"),
                UINT("source", 4, "base of the entry that is read, in blocks"),
                UINT("destination", 4,
                     "0: to the entry at the result address; 1 to 15: a reduction to the scalar register of "
                     "this number, refused in variants without `scalar_unit` (no_feature)"),
                END_OF_FIELDS}},
        {0}}};

const struct isa_family isa_packet = {
    .name = "packet",
    .title = "Packet descriptor",
    .doc = "A packet is described by its command, its clusters, a count and its length. Command, clusters "
           "and count go over side-band wires with every beat, so a packet needs no header beat. A packet "
           "without data takes one beat, whose data do not matter: commands and sequences that need data "
           "refuse it. The assembler writes the description as one 64-bit word.",
    .bits = 64,
    .formats = (const struct isa_format[]){
        {"packet", "Packet descriptor", "",
         FIELDS{NESTED("command", 8, isa_command, "the command"), RESERVED(8),
                UINT("clusters", 16, "bit c: cluster c takes the packet"),
                UINT("count", 16, "how often the sequence runs: segments, blocks or results"),
                UINT("beats", 16, "data beats on the row bus"), END_OF_FIELDS}},
        {0}}};

#define ROUNDING                                                                                      \
    "how requantise, average, leaky relu, sigmoid and tanh round; other than up refused in variants " \
    "without "                                                                                        \
    "`roundings` (no_feature)"

/* ---- configuration payload ------------------------------------------------------------------- */

const struct isa_family isa_config = {
    .name = "config",
    .title = "Configuration payload",
    .doc = "A configuration payload is the data of a config packet: a header, as many instruction records as "
           "the header says, and then as many function records as it says. An extension record may stand "
           "before an instruction record; it is not counted. A record has 128 bits, little-endian, from lane "
           "0 of the row bus. The exclusive or of all 32-bit words of the whole payload is the check seed.",
    .bits = 128,
    .formats = (const struct isa_format[]){
        {"config_header", "Header", "The header is the first record.",
         FIELDS{CONST("record", 2, 1, "header"),
                RANGE("version", 6, ISA_MAJOR, ISA_MAJOR, "major ISA version"),
                RANGE("instructions", 6, 1, 32, "instruction records that follow"),
                RANGE("functions", 2, 0, ISA_FUNCTIONS, "function records that follow the instructions"),
                ENUM("queue", 2, queue_states, "what the weight queue does"),
                ENUM("pipeline", 1, pipelines, "the instruction pipeline"),
                FLAG("trigger", "another buffer starts when this one is done: it runs once, without data, "
                                "and with the shift_out of the first command"),
                {.name = "trigger_buffer",
                 .kind = ISA_UINT,
                 .bits = 5,
                 .when_field = "trigger",
                 .when_value = 1,
                 .doc = "the buffer to start"},
                FLAG("restart", "every packet starts with the operands as configured; otherwise it continues "
                                "with those that the last packet of this buffer left"),
                FLAG("defer", "sums are written with the `last` packet only, and stay in their accumulation "
                              "buffers until then; refused in variants without `accumulators` (no_feature)"),
                FLAG("unsigned",
                     "the activations that LDs of input take are unsigned; refused in variants without "
                     "`zero_points` (no_feature)"),
                RESERVED(4),
                UINT("block", 16,
                     "entries in a block: the unit of an instruction's base, and the activations that an LD "
                     "of input takes in an iteration (then not 0)"),
                SINT("zero", 16,
                     "zero point, which LDs of input subtract from every activation: one that equals it is a "
                     "zero; refused if it is outside the range of activations (bad_field), and if not 0 in "
                     "variants without `zero_points` (no_feature)"),
                UINT("hold", 16,
                     "sq, rq: iterations that a segment serves before it is dropped or moved to the tail; 0 "
                     "counts as 1"),
                RESERVED(10),
                FLAG("after", "packets of this buffer begin when earlier packets of another one are "
                              "complete, so that an LD does not overwrite activations that MACs still read"),
                {.name = "after_buffer",
                 .kind = ISA_UINT,
                 .bits = 5,
                 .when_field = "after",
                 .when_value = 1,
                 .doc = "the buffer to wait for"},
                CHECK,
                END_OF_FIELDS}},
        {"config_instruction", "Instruction record",
         "The record has an instruction, its operands and how they change. After each iteration stride is "
         "added to the address and result_stride to the result; after every `inner` iterations pitch is "
         "added to the address as well.",
         FIELDS{
             CONST("record", 2, 2, "instruction"),
             FLAG("maximum", "MAC: computes the largest of its products, not their sum. LD of input: zeros "
                             "count, too. Refused in variants without max (no_feature)"),
             RESERVED(1), NESTED("instruction", 12, isa_instruction, "the instruction"),
             UINT("address", 16,
                  "input-buffer address, or the address of the entry that an SPU instruction reads"),
             SINT("stride", 16, "added to the address after each iteration"),
             UINT("inner", 16, "iterations after which pitch is added; 0: never"),
             SINT("pitch", 16, "added to the address after every `inner` iterations"),
             UINT("wrap", 16, "addresses are taken modulo this; 0: the buffer's depth"),
             UINT("result", 16, "output-queue address"),
             SINT("result_stride", 16,
                  "added to the result address after each iteration, modulo the depth of the output queue"),
             END_OF_FIELDS}},
        {"config_extension", "Extension record",
         "An extension record stands before the instruction record that it belongs to. It adds to the "
         "operands of the instruction, in variants with `pe_operands` or `scalar_unit`; others refuse it "
         "(bad_field). The scalar registers and the second turn need the pipeline `update`, else the record "
         "is refused (bad_field).",
         FIELDS{CONST("record", 2, 0, "extension"),
                RESERVED(6),
                UINT("register", 4,
                     "MAC, LD of input, SPU: scalar register that is added to the address; 0: none"),
                UINT("result_register", 4,
                     "MAC, LD of partial sums, ST, SPU: scalar register that is added to the result "
                     "address, modulo the depth of the output queue; 0: none"),
                UINT("pe_stride", 16,
                     "MAC: PE p takes the address plus p times this, modulo wrap; refused in variants "
                     "without `pe_operands` (no_feature)"),
                UINT("outer", 16, "turns of `inner` iterations after which plane is added; 0: never"),
                {.name = "plane",
                 .kind = ISA_SINT,
                 .bits = 16,
                 .doc = "added to the address after every `outer` turns"},
                RESERVED(64),
                END_OF_FIELDS}},
        {"config_function", "Function record", "A function record says what is done to complete sums.",
         FIELDS{CONST("record", 2, 3, "function"), ENUM("function", 6, isa_function_values, "the function"),
                UINT("shift", 6, "right shift of requantise, average, sigmoid and tanh"),
                ENUM("element", 2, element_widths, "what the result is saturated to"),
                ENUM("rounding", 2, roundings, ROUNDING), RESERVED(14),
                SINT("multiplier", 32, "multiplier of requantise, average, sigmoid and tanh"),
                SINT("low", 16, "lower limit of clamp, requantise and average"),
                SINT("high", 16, "upper limit of clamp, requantise and average"),
                SINT("zero", 16, "requantise and average: zero point, added after the shift"),
                SINT("slope", 16, "leaky relu: slope in units of 2^-15"), END_OF_FIELDS}},
        {0}}};

/* ---- weight stream --------------------------------------------------------------------------- */

const struct isa_family isa_weight = {
    .name = "weight",
    .title = "Weight stream entry",
    .doc =
        "A weight entry has data_width + index_width bits. The stream of a PE is a sequence of entries. A "
        "weight beat carries the same number of entries for every PE of a cluster, PE 0 in the lowest bits. "
        "Streams of different PEs are independent: a row may end anywhere, and the shorter streams of a "
        "packet are padded with skips. All PEs get their entries at the same time, in words of `scan` "
        "entries. A beat with more entries makes several words, and narrower beats are joined to one word. A "
        "PE begins with a segment when it has all of it. A word of skips alone takes no room in the weight "
        "queue. A packet must be paced, so that it never blocks the PEs. The rule holds for every word of "
        "the packet. Let y be the number of segments of the packet that all PEs have got completely in the "
        "words before. Of the words before, each PE still holds those that have an entry of segment y or of "
        "a later one: they must be fewer than `pace_words`, which is one less than the words of its queue, "
        "because the word in which the segment before ended may still be held. The ends of segments in these "
        "words "
        "(one for each segment with an entry, one for each end escape) must leave room for `scan` more. If "
        "the weights stay in the queue, y is 0 throughout: all of them must fit. A packet that is not paced "
        "is refused (`queue_overflow`). The position is 0 at the beginning of each segment. The index of an "
        "entry is the position plus its gap, and the position after it is the index plus 1.",
    .bits = 0,
    .formats = (const struct isa_format[]){
        {"long_jump", "Long jump",
         "A long jump advances the position by (distance + 1) x 2^(index_width - 1), 16 times as far as the "
         "longest escape of the kind jump. Refused in variants without `long_jumps` (bad_escape).",
         FIELDS{
             {.name = "distance",
              .kind = ISA_UINT,
              .width = ISA_DATA_WIDTH,
              .doc = "how far, in units of 2^(index_width - 1) positions, less one"},
             {.name = "gap",
              .kind = ISA_CONST,
              .bits = -1,
              .width = ISA_INDEX_WIDTH,
              .min = ISA_ALL_ONES,
              .doc = "all ones"},
             {.name = "last", .kind = ISA_CONST, .bits = 1, .min = 1, .doc = "1: not an escape with a kind"},
             END_OF_FIELDS}},
        {"escape", "Escape", "An escape is an entry that is neither a weight nor a long jump.",
         FIELDS{{.name = "payload",
                 .kind = ISA_UINT,
                 .bits = -3,
                 .width = ISA_DATA_WIDTH,
                 .doc = "see the kind"},
                ENUM("escape", 3, escape_kinds, "the kind; 4 is kept for block exponents"),
                {.name = "gap",
                 .kind = ISA_CONST,
                 .bits = -1,
                 .width = ISA_INDEX_WIDTH,
                 .min = ISA_ALL_ONES,
                 .doc = "all ones"},
                {.name = "last", .kind = ISA_CONST, .bits = 1, .min = 0, .doc = "0: not a long jump"},
                END_OF_FIELDS}},
        {"weight", "Weight", "The entry of a non-zero value.",
         FIELDS{{.name = "value", .kind = ISA_SINT, .width = ISA_DATA_WIDTH, .doc = "the weight"},
                {.name = "gap",
                 .kind = ISA_UINT,
                 .bits = -1,
                 .width = ISA_INDEX_WIDTH,
                 .doc = "zeros between the entry before and this one; all ones is an escape"},
                FLAG("last", "the last entry of its segment"),
                END_OF_FIELDS}},
        {0}}};

/* ---- device program -------------------------------------------------------------------------- */

const struct isa_family isa_program = {
    .name = "program",
    .title = "Program header",
    .doc = "The header is the first 64 bytes of the program slot. The operations follow, and then the data "
           "that the program carries, such as configurations. The program is 64-byte aligned.",
    .bits = 512,
    .formats = (const struct isa_format[]){
        {"program", "Program header", "",
         FIELDS{
             CONST("magic", 32, 0x504C5554, "the characters TULP"),
             RANGE("major", 8, ISA_MAJOR, ISA_MAJOR, "major ISA version"),
             UINT("minor", 8, "minor ISA version"), RESERVED(16),
             UINT("variant", 64, "hash of the variant it was planned for; 0: any"),
             RANGE("operations", 32, 1, 0xFFFFFFFF, "number of operations, the end included"),
             UINT("watchdog", 32, "cycles without progress before the job is ended; 0: the device's default"),
             UINT("tokens_low", 64, "initial counts of tokens 0..15, four bits each"),
             UINT("tokens_high", 64, "initial counts of tokens 16..31"),
             UINT("lines", 32,
                  "of a [packed program](#packed-programs): 64-byte lines of header and operations; 0: it is "
                  "not packed; other than 0 refused in variants without `packed_programs` (no_feature)"),
             UINT("expects", 32,
                  "[kept weights](#kept-weights): the number that the storage units must have; 0: any; other "
                  "than 0 refused in variants without `kept_weights` (no_feature)"),
             UINT("leaves", 32,
                  "the number that they have when the job has ended without an error; 0: none; other than 0 "
                  "refused likewise"),
             RESERVED(64), CHECK, END_OF_FIELDS}},
        {0}}};

/* Every operation: what it is, up to two tokens it takes before it starts and
 * up to two that it gives when it is done. */
#define TOKEN(n, d)                                                                        \
    FLAG(n, d),                                                                            \
    {                                                                                      \
        .name = n "_token", .kind = ISA_UINT, .bits = 5, .when_field = n, .when_value = 1, \
        .doc = "which token"                                                               \
    }
#define OPERATION(code, d)                                                                         \
    CONST("opcode", 8, code, d), TOKEN("wait_a", "waits for a token"),                             \
        TOKEN("wait_b", "waits for a second token"), TOKEN("signal_a", "gives a token when done"), \
        TOKEN("signal_b", "gives a second token when done")
#define NO_TOKENS(code, d) CONST("opcode", 8, code, d), RESERVED(24)
#define MEMORY_STEPS                                                               \
    SINT("offset_step0", 32, "added to the offset for each pass of loop level 0"), \
        SINT("offset_step1", 32, "the same, level 1"), SINT("offset_step2", 32, "the same, level 2")
#define UNIT_STEPS                                                                                   \
    SINT("unit_step0", 16, "row-bus beats added to the unit address for each pass of loop level 0"), \
        SINT("unit_step1", 16, "the same, level 1"), SINT("unit_step2", 16, "the same, level 2"),    \
        RESERVED(16)
#define MEMORY_PLACE UINT("offset", 48, "byte offset in the slot")
#define MEMORY_PATTERN                                                                           \
    UINT("length", 32, "bytes of a run"), RANGE("runs", 16, 1, 65535, "runs of a plane"),        \
        RANGE("planes", 16, 1, 65535, "planes"), SINT("run_pitch", 32, "bytes from run to run"), \
        SINT("plane_pitch", 32, "bytes from plane to plane")
#define ARRAY_MASKS \
    UINT("rows", 16, "bit r: row r takes part"), UINT("clusters", 16, "bit c: cluster c of each row")

const struct isa_family isa_operation = {
    .name = "operation",
    .title = "Macro-operation",
    .doc = "A macro-operation has 64 bytes. The command processor hands operations to the queue of their "
           "kind in program order. Each queue starts its operations in order, as soon as the tokens that "
           "they wait for are available. The check word of the operation at position p (the first is 1) is "
           "computed with index p.",
    .bits = 512,
    .formats = (const struct isa_format[]){
        {"end", "End of the program",
         "The device waits until every queue is idle, writes the status record and raises the interrupt. The "
         "record may be written before memory "
         "has acknowledged the last results; a job that fails by that writes it again. The interrupt comes "
         "when all is acknowledged.",
         FIELDS{NO_TOKENS(1, "end"), RESERVED(64), RESERVED(64), RESERVED(64), RESERVED(64), RESERVED(64),
                RESERVED(64), RESERVED(64), CHECK, END_OF_FIELDS}},
        {"load", "Load storage units",
         "The load engine reads runs and planes of bytes from a slot, packs them one behind another, and "
         "writes them to the storage units of all rows named. It begins at the unit address and wraps at the "
         "unit's size.",
         FIELDS{
             OPERATION(2, "load"),
             UINT("rows", 16, "bit r: row r's storage unit is written"),
             ENUM("slot", 4, isa_slot_values, "the slot to read"),
             FLAG("zero", "write `fill` instead of reading (padding)"),
             RESERVED(11),
             MEMORY_PLACE,
             RESERVED(16),
             MEMORY_PATTERN,
             UINT("unit_address", 32, "byte address in the storage unit, a multiple of a row-bus beat"),
             MEMORY_STEPS,
             UNIT_STEPS,
             {.name = "fill",
              .kind = ISA_UINT,
              .bits = 16,
              .when_field = "zero",
              .when_value = 1,
              .doc = "the activation that is written, in the lower data_width bits; other than 0 refused in "
                     "variants without `zero_points` (no_feature)"},
             RESERVED(16),
             CHECK,
             END_OF_FIELDS}},
        {"distribute", "Send a packet",
         "The distribution unit of each row named reads runs of bytes from its storage unit and sends them "
         "to the clusters named as one packet.",
         FIELDS{
             OPERATION(3, "distribute"),
             ARRAY_MASKS,
             NESTED("command", 8, isa_command, "the packet's command"),
             FLAG("scatter", "value i of the packet goes to PE i mod K"),
             FLAG("dispatch", "the packet goes to one of the clusters named: to the least loaded one in "
                              "variants with balance: dispatch, else to the first"),
             FLAG("plain", "weights are bytes, of which the distribution unit makes the entries of the "
                           "packet; refused in variants without `plain_weights` (no_feature)"),
             {.name = "bitmap",
              .kind = ISA_FLAG,
              .bits = 1,
              .when_field = "plain",
              .when_value = 1,
              .doc = "the bytes are masks and weights; refused in variants without `bitmap_weights` "
                     "(no_feature)"},
             RESERVED(4),
             UINT("count", 16, "how often the sequence runs"),
             UINT("length", 32, "bytes of a run"),
             UINT("unit_address", 32, "byte address in the storage unit, a multiple of a row-bus beat"),
             RANGE("runs", 16, 1, 65535, "runs"),
             {.name = "segment",
              .kind = ISA_UINT,
              .bits = 16,
              .when_field = "plain",
              .when_value = 1,
              .doc = "weights of a segment, with `bitmap` masks of a segment; at least as many as a beat has "
                     "entries of a PE, and masks at most for the places of an input buffer (bad_field)"},
             SINT("run_pitch", 32, "bytes from run to run"),
             UNIT_STEPS,
             {.name = "segments",
              .kind = ISA_UINT,
              .bits = 16,
              .when_field = "plain",
              .when_value = 1,
              .doc = "segments of each PE, at least one; bytes behind them become skips; with `bitmap` 0 "
                     "(bad_field)"},
             RESERVED(48),
             RESERVED(64),
             RESERVED(64),
             CHECK,
             END_OF_FIELDS}},
        {"store", "Write results",
         "The store engine takes results from the collectors of the rows named, cluster by cluster and row "
         "by row, and writes them to runs and planes of a slot that may be written.",
         FIELDS{
             OPERATION(4, "store"), ARRAY_MASKS,
             ENUM("slot", 4, isa_slot_values, "the slot to write: output, scratch or bank"),
             ENUM("element", 2, element_widths, "how a result is written"),
             FLAG("interleave",
                  "take one group of K results from each cluster in turn, not all of a cluster first"),
             FLAG("unsigned", "int8 and int16 are written without a sign: plus 2^7 or 2^15"), RESERVED(24),
             MEMORY_PLACE, SINT("group_step0", 16, "added to first_group for each pass of loop level 0"),
             MEMORY_PATTERN, MEMORY_STEPS,
             UINT("first_group", 16, "where in the table of channels the first group of K results is"),
             UINT("group_run", 16, "groups of channels after which the same ones follow again; 0: never"),
             UINT("group_repeats", 16,
                  "how often they follow, until the next `group_run` groups of channels take their turn; 0 "
                  "counts as 1"),
             UINT("group_holds", 16,
                  "consecutive groups of results that have the same group of channels; 0 counts as 1"),
             SINT("group_step1", 16, "added to first_group for each pass of loop level 1"),
             SINT("group_step2", 16, "the same, level 2"), CHECK, END_OF_FIELDS}},
        {"accumulate", "Set up the sums and functions of stores",
         "An accumulate says what all later stores do with their results, of whatever rows: what they add, "
         "and whether the sums are complete and go through the function and saturation.",
         FIELDS{
             OPERATION(5, "accumulate"),
             UINT("group", 16, "where in the table of channels the first group that is read goes"),
             ENUM("operand", 2, operands, "with `source`: what is read is an operand of joins"),
             ENUM("join", 2, joins,
                  "with `final`: results are joined with the second operand before the function"),
             FLAG("alone",
                  "with `join` or `softmax`: stores take no sums; the first operand is read from memory"),
             FLAG(
                 "scale_first",
                 "with `operand=second`: `multiplier` and `shift` are those of the first operand, not of the "
                 "second"),
             FLAG("fraction_15",
                  "with `operand=second`: operands have 15 fraction bits when they are added, not 20"),
             FLAG("unsigned", "with `operand`: its elements are uint8 or uint16, and 2^7 or 2^15 is "
                              "subtracted from them when "
                              "they are read"),
             RESERVED(8),
             ENUM("slot", 4, isa_slot_values, "partial sums to add"),
             ENUM("element", 2, element_widths, "how a partial sum is read"),
             FLAG("source", "add partial sums from memory"),
             FLAG("sum_clusters", "add the results of the clusters of a row"),
             FLAG("sum_rows", "add the results of the rows"),
             FLAG("final", "apply the function: the sums are complete"),
             ENUM("column", 3, columns,
                  "with `source`: what is read goes to this column of the table of channels, and nothing "
                  "is added to results"),
             FLAG("channel_bias", "with `final`: each result has the bias of its channel"),
             FLAG("channel_scale", "with `final`: each result has the multiplier and shift of its channel"),
             FLAG("channel_limits", "with `final`: each result has the limits of its channel, to which the "
                                    "function narrows it, not to `result`"),
             UINT("softmax", 16,
                  "with `alone`: results are the softmax of rows of so many first operands of int8, whose "
                  "multipliers follow from the row; rows begin at whole groups of K; 0: they are not"),
             UINT("offset", 48, "byte offset in the slot"),
             RESERVED(16),
             UINT("length", 32, "bytes of a run"),
             RANGE("runs", 16, 1, 65535, "runs"),
             RESERVED(16),
             SINT("run_pitch", 32, "bytes from run to run"),
             ENUM("function", 8, isa_function_values, "the function"),
             UINT("shift", 6, "right shift of requantise, average, sigmoid and tanh"),
             ENUM("result", 2, element_widths, "what results are saturated to"),
             ENUM("rounding", 2, roundings, ROUNDING),
             RESERVED(14),
             SINT("multiplier", 32, "multiplier of requantise, average, sigmoid and tanh"),
             SINT("low", 16, "lower limit of clamp, requantise and average"),
             SINT("high", 16, "upper limit of clamp, requantise and average"),
             SINT("zero", 16, "requantise and average: zero point, added after the shift"),
             SINT("slope", 16, "leaky relu: slope in units of 2^-15"),
             MEMORY_STEPS,
             CHECK,
             END_OF_FIELDS}},
        {"loop", "Start of a loop",
         "The operations from here to the endloop of the same level run `iterations` times.",
         FIELDS{NO_TOKENS(6, "loop"), RANGE("iterations", 32, 1, 0xFFFFFFFF, "how often"),
                RANGE("level", 2, 0, ISA_LOOP_LEVELS - 1, "loop level; an inner loop has a higher level"),
                RESERVED(30), RESERVED(32), RESERVED(64), RESERVED(64), RESERVED(64), RESERVED(64),
                RESERVED(64), RESERVED(32), CHECK, END_OF_FIELDS}},
        {"endloop", "End of a loop", "An endloop closes the loop of its level.",
         FIELDS{NO_TOKENS(7, "endloop"), RANGE("body", 16, 1, 65535, "operations since the loop operation"),
                RANGE("level", 2, 0, ISA_LOOP_LEVELS - 1, "loop level"), RESERVED(14), RESERVED(64),
                RESERVED(64), RESERVED(64), RESERVED(64), RESERVED(64), RESERVED(64), RESERVED(32), CHECK,
                END_OF_FIELDS}},
        {"fence", "Wait for everything",
         "The command processor hands out no later operation before all earlier ones are done.",
         FIELDS{NO_TOKENS(8, "fence"), RESERVED(64), RESERVED(64), RESERVED(64), RESERVED(64), RESERVED(64),
                RESERVED(64), RESERVED(64), CHECK, END_OF_FIELDS}},
        {0}}};

/* ---- status record --------------------------------------------------------------------------- */

const struct isa_family isa_status = {
    .name = "status",
    .title = "Status record",
    .doc = "The device writes this record to the status slot at the end of every job, also of one that "
           "failed. Counters are 0 in a variant without counters.",
    .bits = 1024,
    .formats = (const struct isa_format[]){
        {"status", "Status record", "",
         FIELDS{CONST("magic", 32, 0x534C5554, "the characters TULS"),
                RANGE("major", 8, ISA_MAJOR, ISA_MAJOR, "major ISA version"),
                UINT("minor", 8, "minor ISA version"),
                RESERVED(16),
                ENUM("code", 16, isa_status_codes, "how the job ended"),
                ENUM("queue", 8, queues, "where the error was found"),
                UINT("row", 8, "row of the error"),
                UINT("cluster", 8, "cluster of the error"),
                UINT("pe", 8, "PE of the error"),
                RESERVED(16),
                UINT("offset", 64, "byte offset in the program of the operation that failed"),
                UINT("cycles", 64, "clock cycles from the start until this record is composed"),
                UINT("effective_macs", 64, "multiplications of two non-zeros"),
                UINT("scanned", 64, "weights scanned"),
                UINT("pe_busy", 64, "cycles with a multiplication, summed over PEs"),
                UINT("bytes_read", 64, "bytes read from memory"),
                UINT("bytes_written", 64, "bytes written to memory"),
                UINT("bus_beats", 64, "beats on the row buses"),
                UINT("stall_load", 64, "cycles in which a distribution unit waits for memory"),
                UINT("stall_weights", 64, "PE cycles waiting for weights"),
                UINT("stall_output", 64, "PE cycles waiting for the output queue"),
                UINT("stall_store", 64, "cycles in which a collector waits for memory"),
                UINT("moved", 64, "multiplications done by a neighbour"),
                UINT("job", 32, "the job argument"),
                CHECK,
                END_OF_FIELDS}},
        {0}}};

const struct isa_family *const isa_families[] = {&isa_command,   &isa_instruction, &isa_packet,
                                                 &isa_config,    &isa_weight,      &isa_program,
                                                 &isa_operation, &isa_status,      NULL};
