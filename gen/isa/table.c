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
    {1, "accumulator", "partial sums, through an accumulation buffer into the output queue"},
    {2, "weights", "the weight queue; a sequence with it has no other LD"},
    {0, NULL, NULL},
};

static const struct isa_value queue_states[] = {
    {0, "sq", "segment queue: every MAC of a sequence reads the head segment, the last one drops it"},
    {1, "rq",
     "rotating queue: head and tail are joined, weights are reused as long as wanted; a round is complete "
     "before weights are loaded or sq takes a segment"},
    {2, "sw", "sliding window: holds activations, drops what leaves the window"},
    {0, NULL, NULL},
};

static const struct isa_value pipelines[] = {
    {0, "fixed", "two stages: decode, operand fetch; operands follow the iteration count only"},
    {1, "update", "four stages: decode, operand fetch, scalar unit, write-back"},
    {0, NULL, NULL},
};

static const struct isa_value escape_kinds[] = {
    {0, "skip", "no entry: padding where one PE's stream is shorter than another's; payload 0"},
    {1, "jump", "advance the position by (payload + 1) x 2^(index_width - 2)"},
    {2, "end", "payload + 1 segments without a non-zero end here; only where none has begun"},
    {3, "line",
     "advance to the start of the line payload + 1 further on (line_pitch of the configuration); refused: "
     "no_feature"},
    {0, NULL, NULL},
};

static const struct isa_value element_widths[] = {
    {0, "int8", "one byte, saturated"},
    {1, "int16", "two bytes, saturated"},
    {2, "int32", "four bytes, modulo 2^32 of the accumulator"},
    {3, "int64", "eight bytes, the accumulator sign-extended"},
    {0, NULL, NULL},
};

const struct isa_value isa_function_values[] = {
    {0, "none", "the accumulator as it is"},
    {1, "relu", "max(x, 0)"},
    {2, "leaky_relu", "x, or x times slope / 2^15 when negative"},
    {3, "clamp", "x limited to low..high"},
    {4, "sigmoid", "1 / (1 + e^-x), fixed point"},
    {5, "tanh", "hyperbolic tangent, fixed point"},
    {6, "requantise", "x times multiplier / 2^shift, rounded, plus zero"},
    {7, "sum", "sum over PEs (spu); of one value, the value"},
    {8, "max", "maximum over PEs (spu); of one value, the value"},
    {9, "average", "sum over PEs (spu) times multiplier / 2^shift, rounded, plus zero"},
    {10, "user",
     "the one of rtl/tulle_user_function.v and sim/numerics/user.c; an example, until it is replaced"},
    {0, NULL, NULL},
};

static const struct isa_value opcodes[] = {
    {1, "end", "the program ends when everything before has finished"},
    {2, "load", "memory to storage units"},
    {3, "distribute", "storage units to clusters, as packets"},
    {4, "store", "collectors to memory"},
    {5, "accumulate", "what collectors add to and do with the results that follow"},
    {6, "loop", "start of a loop"},
    {7, "endloop", "end of a loop"},
    {8, "fence", "wait until every queue is empty and idle"},
    {0, NULL, NULL},
};

#define X(number, name, NAME, text) {number, #name, text},
const struct isa_value isa_slot_values[] = {ISA_SLOT_LIST(X){0, NULL, NULL}};
const struct isa_value isa_status_codes[] = {ISA_STATUS_LIST(X){0, NULL, NULL}};
#undef X

static const struct isa_value queues[] = {
    {0, "none", "no error"},
    {1, "command", "the command processor"},
    {2, "load", "the load queue: memory to storage units"},
    {3, "distribute", "a distribution unit"},
    {4, "store", "the store queue: collectors to memory"},
    {5, "accumulate", "a collector"},
    {6, "cluster", "a cluster's control unit"},
    {7, "pe", "a processing element"},
    {0, NULL, NULL},
};

const struct isa_enum isa_enums[] = {
    {"target", "what an LD fills", load_targets},
    {"queue_state", "what the weight queue does", queue_states},
    {"pipeline", "the instruction pipeline of a buffer", pipelines},
    {"escape", "kinds of escape in the weight stream", escape_kinds},
    {"element", "how results are written", element_widths},
    {"function", "special functions", isa_function_values},
    {"opcode", "macro-operations of the device program", opcodes},
    {"slot", "argument slots", isa_slot_values},
    {"queue", "where an error was found", queues},
    {"status", "how a job ended", isa_status_codes},
    {NULL, NULL, NULL},
};

/* ---- commands, instructions, packets --------------------------------------------------------- */

const struct isa_family isa_command = {
    .name = "command",
    .title = "Command",
    .doc = "Travels with the first beat of every packet, on side-band wires of the row bus.",
    .bits = 8,
    .from_left = true,
    .formats = (const struct isa_format[]){
        {"config", "Configure an instruction buffer", "The packet's data is a configuration payload.",
         FIELDS{CONST("kind", 1, 0, "config"), RESERVED(2), UINT("buffer", 5, "instruction buffer"),
                END_OF_FIELDS}},
        {"exec", "Run an instruction buffer's sequence",
         "The packet's data is operand data for the sequence.",
         FIELDS{CONST("kind", 1, 1, "exec"), FLAG("shift_out", "the PEs move their accumulated results out"),
                FLAG("last", "the last segment of the input data: results are written to the output buffer"),
                UINT("buffer", 5, "instruction buffer"), END_OF_FIELDS}},
        {0}}};

const struct isa_family isa_instruction = {
    .name = "instruction",
    .title = "Instruction",
    .doc = "A step of a sequence in an instruction buffer. A base counts blocks (the configuration's block "
           "size) and is only the initial operand: the parser adds it to the record's address when it fills "
           "the register file.",
    .bits = 12,
    .from_left = true,
    .formats = (const struct isa_format[]){
        {"mac", "Multiply a weight segment with activations and accumulate",
         "Reads the segment at the head of the weight queue and the activations at the base.",
         FIELDS{CONST("opcode", 2, 0, "MAC"), FLAG("balance", "work may move to a neighbour"),
                FLAG("chain", "the result goes through the special-function unit"),
                UINT("base", 4, "input-buffer base, in blocks"), UINT("acc", 2, "accumulation buffer"),
                FLAG("resume", "start from the output-queue entry instead of zero"),
                FLAG("keep", "write the accumulator back to the output-queue entry at the end"),
                END_OF_FIELDS}},
        {"ld", "Load from the packet", "Takes the packet's data.",
         FIELDS{CONST("opcode", 2, 1, "LD"),
                ENUM("target", 2, load_targets, "where to"),
                UINT("base", 4, "base to load into, in blocks"),
                {.name = "acc",
                 .kind = ISA_UINT,
                 .bits = 2,
                 .when_field = "target",
                 .when_value = 1,
                 .doc = "accumulation buffer to go through"},
                RESERVED(2),
                END_OF_FIELDS}},
        {"st", "Store from the output queue", "Shifts results out towards the collector.",
         FIELDS{CONST("opcode", 2, 2, "ST"), RESERVED(2),
                UINT("base", 4, "base in the output queue, in blocks"), RESERVED(4), END_OF_FIELDS}},
        {"spu", "Special function",
         "Reduces an output-queue entry over the PEs of the cluster, in variants with sum, max or average.",
         FIELDS{CONST("opcode", 2, 3, "SPU"),
                UINT("function", 2,
                     "1: by the first record of the function table; others are refused (no_feature)"),
                UINT("source", 4, "base of the entry that is read, in blocks"),
                UINT("destination", 4,
                     "0, others are refused (bad_field): the record has the entry that is written"),
                END_OF_FIELDS}},
        {0}}};

const struct isa_family isa_packet = {
    .name = "packet",
    .title = "Packet descriptor",
    .doc = "What a distribution unit knows of a packet. Command, clusters and count go over side-band wires "
           "with every beat, so a packet costs no header beat; a packet without data takes one beat. "
           "Traces and test benches write it as one 64-bit word.",
    .bits = 64,
    .formats = (const struct isa_format[]){
        {"packet", "Packet descriptor", "",
         FIELDS{NESTED("command", 8, isa_command, "the command"), RESERVED(8),
                UINT("clusters", 16, "bit c: cluster c takes the packet"),
                UINT("count", 16, "how often the sequence runs: segments, blocks or results"),
                UINT("beats", 16, "data beats on the row bus"), END_OF_FIELDS}},
        {0}}};

/* ---- configuration payload ------------------------------------------------------------------- */

const struct isa_family isa_config = {
    .name = "config",
    .title = "Configuration payload",
    .doc =
        "The data of a config packet: a header, as many instruction records as the header says, then as "
        "many function records. 128 bits each, little-endian, from lane 0 of the row bus. The exclusive or "
        "of all 32-bit words of the whole payload is the check seed.",
    .bits = 128,
    .formats = (const struct isa_format[]){
        {"config_header", "Header", "First record.",
         FIELDS{
             CONST("record", 2, 1, "header"),
             RANGE("version", 6, ISA_MAJOR, ISA_MAJOR, "major ISA version"),
             RANGE("instructions", 6, 1, 32, "instruction records that follow"),
             RANGE("functions", 2, 0, ISA_FUNCTIONS, "function records that follow the instructions"),
             ENUM("queue", 2, queue_states, "what the weight queue does"),
             ENUM("pipeline", 1, pipelines, "instruction pipeline"),
             FLAG("trigger",
                  "starts another buffer when done: it runs once, without data, and with the shift_out of "
                  "the command that began it all"),
             {.name = "trigger_buffer",
              .kind = ISA_UINT,
              .bits = 5,
              .when_field = "trigger",
              .when_value = 1,
              .doc = "the buffer to start"},
             FLAG("restart", "every packet starts with the operands as configured; otherwise they go on from "
                             "where the last packet of this buffer left them"),
             UINT("ahead", 6,
                  "iterations that may be issued before the oldest has left the output queue; 0: no limit"),
             UINT("block", 16,
                  "entries in a block, the unit of an instruction's base; what an LD of input takes, and "
                  "then not 0"),
             UINT("line_pitch", 16,
                  "distance between lines in the input buffer, for the line escape; not looked at"),
             UINT("hold", 16,
                  "how long the head of the weight queue stays. sq, rq: iterations that a segment serves "
                  "before it is "
                  "dropped or moved to the tail, 0 as 1. sw: entries in the window"),
             {.name = "step",
              .kind = ISA_UINT,
              .bits = 10,
              .when_field = "queue",
              .when_value = 2,
              .doc = "entries that leave the window after each pass"},
             FLAG("after", "packets of this buffer begin when earlier packets of another one are complete: "
                           "an LD that overwrites what MACs still read"),
             {.name = "after_buffer",
              .kind = ISA_UINT,
              .bits = 5,
              .when_field = "after",
              .when_value = 1,
              .doc = "the buffer to wait for"},
             CHECK,
             END_OF_FIELDS}},
        {"config_instruction", "Instruction record",
         "The instruction, its operands, and how they change: after each iteration stride is added to the "
         "address and result_stride to the result; after every `inner` iterations pitch is added as well.",
         FIELDS{CONST("record", 2, 2, "instruction"),
                FLAG("maximum",
                     "MAC: the largest of its products, not their sum. LD of input: zeros count, too. "
                     "In variants with max only (no_feature)"),
                RESERVED(1), NESTED("instruction", 12, isa_instruction, "the instruction"),
                UINT("address", 16, "input-buffer or source address, added to the base"),
                SINT("stride", 16, "added to the address after each iteration"),
                UINT("inner", 16, "iterations after which pitch is added; 0: never"),
                SINT("pitch", 16, "added to the address after every `inner` iterations"),
                UINT("wrap", 16, "addresses are taken modulo this; 0: the buffer's depth"),
                UINT("result", 16, "output-queue address"),
                SINT("result_stride", 16,
                     "added to the result address after each iteration, modulo the depth of "
                     "the output queue"),
                END_OF_FIELDS}},
        {"config_function", "Function record", "An entry of the operator's function table.",
         FIELDS{CONST("record", 2, 3, "function"), ENUM("function", 6, isa_function_values, "the function"),
                UINT("shift", 6, "right shift of requantise and average"),
                ENUM("element", 2, element_widths, "what the result is saturated to"), RESERVED(16),
                SINT("multiplier", 32, "multiplier of requantise and average"),
                SINT("low", 16, "clamp: lower limit"), SINT("high", 16, "clamp: upper limit"),
                SINT("zero", 16, "zero point added after the shift"),
                SINT("slope", 16, "leaky relu: slope in units of 2^-15"), END_OF_FIELDS}},
        {0}}};

/* ---- weight stream --------------------------------------------------------------------------- */

const struct isa_family isa_weight = {
    .name = "weight",
    .title = "Weight stream entry",
    .doc =
        "data_width + index_width bits. A PE's stream is a sequence of entries; a weight beat carries the "
        "same number of entries for every PE of a cluster, PE 0 in the lowest bits. Streams of different "
        "PEs are independent: rows end where they end, and the shorter streams of a packet are padded with "
        "skips. All PEs get their entries at the same time, in words of `scan` entries (a beat of more makes "
        "several words, narrower beats join to one), and begin with a segment when all of it is there; a "
        "word of nothing but skips takes no room in the weight queue. A packet is paced so that this never "
        "comes to "
        "a stop: for every word of it, with y the number of its segments that all PEs have got in the words "
        "before, each PE's words before it that hold anything of segments from y on are fewer than the "
        "queue has, and the ends among them (one for each segment with an entry, one for each end escape) "
        "leave room for `scan` more. Weights that stay in the queue must all fit, with y 0. What does not is "
        "refused (`queue_overflow`). The position starts at 0 in each segment; an entry's index is the "
        "position plus its "
        "gap, and the position after it is the index plus 1. Sixteen bits of int8 entry: bytes per "
        "non-zero is 2.",
    .bits = 0,
    .formats = (const struct isa_format[]){
        {"escape", "Escape", "Something other than a weight.",
         FIELDS{{.name = "payload",
                 .kind = ISA_UINT,
                 .bits = -3,
                 .width = ISA_DATA_WIDTH,
                 .doc = "see the kind"},
                ENUM("escape", 3, escape_kinds, "what it is; 4 is kept for block exponents"),
                {.name = "gap",
                 .kind = ISA_CONST,
                 .bits = -1,
                 .width = ISA_INDEX_WIDTH,
                 .min = ISA_ALL_ONES,
                 .doc = "all ones"},
                RESERVED(1),
                END_OF_FIELDS}},
        {"weight", "Weight", "A non-zero value.",
         FIELDS{{.name = "value", .kind = ISA_SINT, .width = ISA_DATA_WIDTH, .doc = "the weight"},
                {.name = "gap",
                 .kind = ISA_UINT,
                 .bits = -1,
                 .width = ISA_INDEX_WIDTH,
                 .doc = "zeros skipped since the entry before; all ones is an escape"},
                FLAG("last", "the last entry of its segment"),
                END_OF_FIELDS}},
        {0}}};

/* ---- device program -------------------------------------------------------------------------- */

const struct isa_family isa_program = {
    .name = "program",
    .title = "Program header",
    .doc = "The first 64 bytes of the program slot; the operations follow, then whatever data the program "
           "carries (configurations). The program is 64-byte aligned.",
    .bits = 512,
    .formats = (const struct isa_format[]){
        {"program", "Program header", "",
         FIELDS{
             CONST("magic", 32, 0x504C5554, "the characters TULP"),
             RANGE("major", 8, ISA_MAJOR, ISA_MAJOR, "major ISA version"),
             UINT("minor", 8, "minor ISA version"), RESERVED(16),
             UINT("variant", 64, "hash of the variant it was planned for; 0: any"),
             RANGE("operations", 32, 1, 0xFFFFFFFF, "operations, the end included"),
             UINT("watchdog", 32, "cycles without progress before the job is ended; 0: the device's default"),
             UINT("tokens_low", 64, "initial counts of tokens 0..15, four bits each"),
             UINT("tokens_high", 64, "initial counts of tokens 16..31"), RESERVED(64), RESERVED(64),
             RESERVED(32), CHECK, END_OF_FIELDS}},
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
#define MEMORY_PATTERN                                                                                 \
    UINT("offset", 48, "byte offset in the slot"), RESERVED(16), UINT("length", 32, "bytes of a run"), \
        RANGE("runs", 16, 1, 65535, "runs of a plane"), RANGE("planes", 16, 1, 65535, "planes"),       \
        SINT("run_pitch", 32, "bytes from run to run"), SINT("plane_pitch", 32, "bytes from plane to plane")
#define ARRAY_MASKS \
    UINT("rows", 16, "bit r: row r takes part"), UINT("clusters", 16, "bit c: cluster c of each row")

const struct isa_family isa_operation = {
    .name = "operation",
    .title = "Macro-operation",
    .doc = "64 bytes each, executed by the command processor: handed to the queue of their kind in program "
           "order, started there in order as soon as their tokens are there. The check word of the operation "
           "at position p (the first is 1) is taken with index p.",
    .bits = 512,
    .formats = (const struct isa_format[]){
        {"end", "End of the program",
         "Waits until every queue is idle, writes the status record, interrupts.",
         FIELDS{NO_TOKENS(1, "end"), RESERVED(64), RESERVED(64), RESERVED(64), RESERVED(64), RESERVED(64),
                RESERVED(64), RESERVED(64), CHECK, END_OF_FIELDS}},
        {"load", "Load storage units",
         "Reads runs and planes of bytes from a slot, packs them one behind another, and writes them to the "
         "storage units of all rows named, from the unit address on, wrapping at the unit's size.",
         FIELDS{OPERATION(2, "load"), UINT("rows", 16, "bit r: row r's storage unit is written"),
                ENUM("slot", 4, isa_slot_values, "the buffer to read"),
                FLAG("zero", "write zeros instead of reading (padding)"), RESERVED(11), MEMORY_PATTERN,
                UINT("unit_address", 32, "byte address in the storage unit, a multiple of a row-bus beat"),
                MEMORY_STEPS, UNIT_STEPS, RESERVED(32), CHECK, END_OF_FIELDS}},
        {"distribute", "Send a packet",
         "Reads runs of bytes from the storage unit and sends them to the clusters named as one packet.",
         FIELDS{OPERATION(3, "distribute"), ARRAY_MASKS,
                NESTED("command", 8, isa_command, "the packet's command"),
                FLAG("scatter", "value i of the packet goes to PE i mod K"),
                FLAG("dispatch", "to the least loaded one of the clusters named"), RESERVED(6),
                UINT("count", 16, "how often the sequence runs"), UINT("length", 32, "bytes of a run"),
                UINT("unit_address", 32, "byte address in the storage unit, a multiple of a row-bus beat"),
                RANGE("runs", 16, 1, 65535, "runs"), RESERVED(16),
                SINT("run_pitch", 32, "bytes from run to run"), UNIT_STEPS, RESERVED(64), RESERVED(64),
                RESERVED(64), CHECK, END_OF_FIELDS}},
        {"store", "Write results",
         "Takes results from the collectors of the rows named, cluster by cluster, row by row, and writes "
         "them to runs and planes of a slot that may be written.",
         FIELDS{OPERATION(4, "store"), ARRAY_MASKS,
                ENUM("slot", 4, isa_slot_values, "the buffer to write: output or scratch"),
                ENUM("element", 2, element_widths, "how a result is written"),
                FLAG("interleave", "take one beat from each cluster in turn, not all of a cluster first"),
                RESERVED(25), MEMORY_PATTERN, MEMORY_STEPS, RESERVED(64), RESERVED(32), CHECK,
                END_OF_FIELDS}},
        {"accumulate", "Set up the collectors",
         "What stores from here on do with the results they take, of whatever rows: what they add, and "
         "whether "
         "the sums are complete and go through bias, function and saturation.",
         FIELDS{OPERATION(5, "accumulate"),
                ARRAY_MASKS,
                ENUM("slot", 4, isa_slot_values, "partial sums to add"),
                ENUM("element", 2, element_widths, "how a partial sum is read"),
                FLAG("source", "add partial sums from memory"),
                FLAG("sum_clusters", "add the results of the clusters of a row"),
                FLAG("sum_rows", "add the results of the rows"),
                FLAG("final", "apply the function: the sums are complete"),
                RESERVED(22),
                UINT("offset", 48, "byte offset in the slot"),
                RESERVED(16),
                UINT("length", 32, "bytes of a run"),
                RANGE("runs", 16, 1, 65535, "runs"),
                RESERVED(16),
                SINT("run_pitch", 32, "bytes from run to run"),
                ENUM("function", 8, isa_function_values, "the function"),
                UINT("shift", 6, "right shift of requantise and average"),
                ENUM("result", 2, element_widths, "what results are saturated to"),
                RESERVED(16),
                SINT("multiplier", 32, "multiplier of requantise and average"),
                SINT("low", 16, "clamp: lower limit"),
                SINT("high", 16, "clamp: upper limit"),
                SINT("zero", 16, "zero point added after the shift"),
                SINT("slope", 16, "leaky relu: slope in units of 2^-15"),
                MEMORY_STEPS,
                CHECK,
                END_OF_FIELDS}},
        {"loop", "Start of a loop",
         "The operations up to the endloop of the same level run `iterations` times.",
         FIELDS{NO_TOKENS(6, "loop"), RANGE("iterations", 32, 1, 0xFFFFFFFF, "how often"),
                RANGE("level", 2, 0, ISA_LOOP_LEVELS - 1, "loop level; an inner loop has a higher level"),
                RESERVED(30), RESERVED(32), RESERVED(64), RESERVED(64), RESERVED(64), RESERVED(64),
                RESERVED(64), RESERVED(32), CHECK, END_OF_FIELDS}},
        {"endloop", "End of a loop", "",
         FIELDS{NO_TOKENS(7, "endloop"), RANGE("body", 16, 1, 65535, "operations since the loop operation"),
                RANGE("level", 2, 0, ISA_LOOP_LEVELS - 1, "loop level"), RESERVED(14), RESERVED(64),
                RESERVED(64), RESERVED(64), RESERVED(64), RESERVED(64), RESERVED(64), RESERVED(32), CHECK,
                END_OF_FIELDS}},
        {"fence", "Wait for everything", "No later operation is handed out before all earlier ones are done.",
         FIELDS{NO_TOKENS(8, "fence"), RESERVED(64), RESERVED(64), RESERVED(64), RESERVED(64), RESERVED(64),
                RESERVED(64), RESERVED(64), CHECK, END_OF_FIELDS}},
        {0}}};

/* ---- status record --------------------------------------------------------------------------- */

const struct isa_family isa_status = {
    .name = "status",
    .title = "Status record",
    .doc = "Written to the status slot at the end of every job, failed or not. Counters are 0 in a variant "
           "without counters.",
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
                UINT("cycles", 64, "clock cycles from the start until this record is put together"),
                UINT("effective_macs", 64, "multiplications of two non-zeros"),
                UINT("scanned", 64, "weights looked at"),
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
