// SPDX-License-Identifier: Apache-2.0
//
// tulle_command_address: computes the addresses of an operation: the offset with loop steps, the memory address, the
// number of bytes, the address in the storage unit, and whether all runs lie within the slot.
//
// The module has one multiplier of 33 x 17 bits, which takes two turns for a 32-bit factor, and two accumulators:
// `first` becomes the offset of the lowest byte, and `end` the offset after the highest byte. An operation is a list
// of jobs, one a cycle. Jobs that the operation does not need are skipped:
//
// Ports
//   clk_i, rst_ni                clock, synchronous reset
//   begin_i                      one cycle: record_i is valid, and stays stable until a cycle after last_o
//   record_i                     the operation
//   is_*_i                       the kind of the operation, with begin_i
//   index_i                      the pass of each loop level, 32 bits each; stable
//   last_may_i                   the last job may begin
//   last_o                       one cycle: the last job begins
//   base_taken_o                 base_i was used; from the next cycle on it is the complement of the size
//   base_i                       the value of tulle_command_slot, which starts with begin_i
//   done_o                       one cycle: the results are valid, five cycles after last_o
//   address_o, bytes_o, unit_o   results; bytes_o is the size of the pattern
//   group_o                      what loops add to the first group of a store
//   offset_low_o                 the offset's lowest bits
//   outside_o                    some byte lies outside the slot, or the slot's base is not a multiple of 64, or it has one of bits 62
//                                and 63, with an activation bank, which has those addresses
//
// Parameters
//   BUS                          bits of a row bus
//   UNIT_BYTES                   bytes of a storage unit, a power of two
//   LOCAL_BYTES                  bytes of the activation bank; 0: there is none
//   CHANNELS                     groups of the table of channels; 0: there is none, and group_o is 0

`default_nettype none

`include "tulle_isa.vh"

module tulle_command_address #(
  parameter BUS        = 256,
  parameter UNIT_BYTES = 65536,
  parameter LOCAL_BYTES = 0,
  parameter CHANNELS   = 0
) (
  input  wire         clk_i,
  input  wire         rst_ni,

  input  wire         begin_i,
  input  wire [511:0] record_i,
  input  wire         is_load_i,
  input  wire         is_distribute_i,
  input  wire         is_store_i,
  input  wire         is_accumulate_i,
  input  wire [95:0]  index_i,
  input  wire         last_may_i,
  output wire         last_o,
  output wire         base_taken_o,
  input  wire [63:0]  base_i,

  output wire         done_o,
  output wire [63:0]  address_o,
  output wire [63:0]  bytes_o,
  output wire [19:0]  unit_o,
  output wire [15:0]  group_o,
  output wire [4:0]   offset_low_o,
  output wire         outside_o
);

  tulle_require #(
    .LEGAL   (UNIT_BYTES >= 1024 && UNIT_BYTES <= 1048576 && (UNIT_BYTES & (UNIT_BYTES - 1)) == 0),
    .MESSAGE ("tulle_command_address: UNIT_BYTES must be a power of two from 1024 to 1048576")
  ) u_require_unit_bytes_power_of_two_1024_to_1048576 ();

  localparam BEAT = $clog2(BUS / 8);
  localparam MASK = UNIT_BYTES - 1;

  // -- The remaining jobs --------------------------------------------------------------------------------

  localparam COUNT      = 0;
  localparam START      = 1;
  localparam STEP       = 2;  // six: low half, high half of the index of levels 0, 1, 2
  localparam BASE       = 8;
  localparam LENGTH     = 9;
  localparam RUN        = 10;
  localparam PLANE      = 11;
  localparam SIZE       = 12;
  localparam UNIT       = 13;
  localparam UNIT_STEP  = 14; // six; of a store the steps of its first group
  localparam BYTES_LOW  = 20;
  localparam BYTES_HIGH = 21;
  localparam JOBS       = 22;

  reg  [JOBS-1:0] todo_q;
  reg             last_q;                                             // one job remains
  reg             load_q, distribute_q, store_q, accumulate_q;
  reg             local_q;                                            // the operation names the activation bank
  wire [JOBS-1:0] job;                                                // the lowest remaining job
  wire [JOBS-1:0] rest = todo_q & (todo_q - 1'b1);
  wire            any  = todo_q != {JOBS{1'b0}};
  wire            pick = any && (!last_q || last_may_i);

  assign job = todo_q & (~todo_q + 1'b1);

  // The halves of the indices that are not 0.
  wire [5:0] passes = {index_i[95:80] != 16'd0, index_i[79:64] != 16'd0, index_i[63:48] != 16'd0,
                       index_i[47:32] != 16'd0, index_i[31:16] != 16'd0, index_i[15:0]  != 16'd0};

  // Groups of channels are numbers modulo 2^16.
  localparam [5:0] LOW_HALVES = 6'b010101;

  wire [15:0] runs   = (is_load_i || is_distribute_i) ? record_i[`TULLE_LOAD_RUNS] : record_i[`TULLE_STORE_RUNS];
  wire [15:0] planes = is_load_i ? record_i[`TULLE_LOAD_PLANES] : record_i[`TULLE_STORE_PLANES];
  wire        memory = !is_distribute_i;
  wire        in_unit = is_load_i || is_distribute_i;
  wire        many_planes = (is_load_i || is_store_i) && planes != 16'd1;

  wire queued = is_load_i || is_distribute_i || is_store_i || is_accumulate_i;

  reg [JOBS-1:0] todo;

  always @* begin
    todo                 = {JOBS{1'b0}};
    todo[COUNT]          = many_planes;
    todo[START]          = memory;
    todo[STEP +: 6]      = memory ? passes : 6'd0;
    todo[BASE]           = memory;
    todo[LENGTH]         = memory;
    todo[RUN]            = memory && runs != 16'd1;
    todo[PLANE]          = many_planes;
    todo[SIZE]           = memory;
    todo[UNIT]           = is_distribute_i; // a load has no factor for it, and its START sets it
    todo[UNIT_STEP +: 6] = in_unit ? passes : (CHANNELS != 0 && is_store_i) ? passes & LOW_HALVES : 6'd0;
    todo[BYTES_LOW]      = 1'b1;
    todo[BYTES_HIGH]     = many_planes;
  end

  // Every operation has at least two jobs, and the last one computes bytes.
  wire one_left = rest[BYTES_LOW-1:0] == {BYTES_LOW{1'b0}} && rest[BYTES_LOW] != rest[BYTES_HIGH];

  always @(posedge clk_i) begin
    if (!rst_ni)      todo_q <= {JOBS{1'b0}};
    else if (begin_i) todo_q <= queued ? todo : {JOBS{1'b0}};
    else if (pick)    todo_q <= rest;
    if (!rst_ni || begin_i) last_q <= 1'b0;
    else if (pick)          last_q <= one_left;
    if (begin_i) begin
      load_q       <= is_load_i;
      distribute_q <= is_distribute_i;
      store_q      <= is_store_i;
      accumulate_q <= is_accumulate_i;
      local_q      <= (is_load_i ? record_i[`TULLE_LOAD_SLOT] : record_i[`TULLE_STORE_SLOT]) == `TULLE_SLOT_BANK;
    end
  end

  assign last_o = last_q && last_may_i;

  // -- The factors of a job ------------------------------------------------------------------------------

  wire [2:0] stepping  = {job[STEP + 5]      || job[STEP + 4],      job[STEP + 3]      || job[STEP + 2],
                          job[STEP + 1]      || job[STEP]};
  wire [2:0] unit_step = {job[UNIT_STEP + 5] || job[UNIT_STEP + 4], job[UNIT_STEP + 3] || job[UNIT_STEP + 2],
                          job[UNIT_STEP + 1] || job[UNIT_STEP]};
  wire [5:0] halves    = job[STEP +: 6] | job[UNIT_STEP +: 6];
  wire       by_length = job[LENGTH] || job[BYTES_LOW] || job[BYTES_HIGH];

  wire       walks     = CHANNELS != 0 && store_q;

  // The record word that contains the multiplicand.
  reg [3:0] word;

  always @* begin
    word = 4'd0;
    if (job[COUNT])   word = word | (load_q ? 4'd5 : 4'd6);
    if (stepping[0])  word = word | (accumulate_q ? 4'd12 : 4'd9);
    if (stepping[1])  word = word | (accumulate_q ? 4'd13 : 4'd10);
    if (stepping[2])  word = word | (accumulate_q ? 4'd14 : 4'd11);
    if (by_length)    word = word | (distribute_q ? 4'd3 : load_q ? 4'd4 : 4'd5);
    if (job[RUN])     word = word | (load_q ? 4'd6 : 4'd7);
    if (job[PLANE])   word = word | (load_q ? 4'd7 : 4'd8);
    if (job[UNIT])    word = word | 4'd4;
    if (unit_step[0]) word = word | (walks ? 4'd4 : load_q ? 4'd12 : 4'd7);
    if (unit_step[1]) word = word | (walks ? 4'd14 : load_q ? 4'd12 : 4'd7);
    if (unit_step[2]) word = word | (walks ? 4'd14 : load_q ? 4'd13 : 4'd8);
  end

  reg [3:0] word_q;
  reg       upper_q;   // select its upper half
  reg       half_q;    // select a half
  reg       signed_q;

  // The destination of the product: one bit for each accumulator, delayed with the product.
  localparam TO_BOTH  = 0;
  localparam TO_ADDR  = 1;
  localparam TO_END   = 2;
  localparam TO_SIGN  = 3; // to end, or to first if the product is negative
  localparam TO_SIZE  = 4;
  localparam TO_UNIT  = 5;
  localparam TO_BYTES = 6;
  localparam TO_COUNT = 7;
  localparam FRESH    = 8; // the accumulator starts anew: it is cleared a cycle earlier
  localparam UPPER    = 9; // the product is multiplied by 2^16
  localparam LAST     = 10;
  localparam TO_GROUP = 11;
  localparam TAGS     = 12;

  reg [TAGS-1:0] tag;
  reg [TAGS-1:0] tag_q, tag1_q, tag2_q, tag3_q;
  reg            done_q;

  always @* begin
    tag           = {TAGS{1'b0}};
    tag[TO_BOTH]  = job[START] || stepping != 3'd0;
    tag[TO_ADDR]  = job[BASE];
    tag[TO_END]   = job[LENGTH];
    tag[TO_SIGN]  = job[RUN] || job[PLANE];
    tag[TO_SIZE]  = job[SIZE];
    tag[TO_UNIT]  = job[UNIT] || (unit_step != 3'd0 && !walks);
    tag[TO_GROUP] = unit_step != 3'd0 && walks;
    tag[TO_BYTES] = job[BYTES_LOW] || job[BYTES_HIGH];
    tag[TO_COUNT] = job[COUNT];
    tag[FRESH]    = job[START] || job[UNIT] || job[BYTES_LOW];
    tag[UPPER]    = halves[1] || halves[3] || halves[5] || job[BYTES_HIGH];
    tag[LAST]     = last_q;
  end

  always @(posedge clk_i) begin
    word_q   <= word;
    upper_q  <= walks ? unit_step[0] || unit_step[2] : unit_step[1];
    half_q   <= job[COUNT] || unit_step != 3'd0;
    signed_q <= !(job[COUNT] || by_length || job[UNIT]);
    if (!rst_ni) begin
      tag_q  <= {TAGS{1'b0}};
      tag1_q <= {TAGS{1'b0}};
      tag2_q <= {TAGS{1'b0}};
      tag3_q <= {TAGS{1'b0}};
      done_q <= 1'b0;
    end else begin
      tag_q  <= pick ? tag : {TAGS{1'b0}};
      tag1_q <= tag_q;
      tag2_q <= tag1_q;
      tag3_q <= tag2_q;
      done_q <= tag3_q[LAST];
    end
  end

  // -- Operands, product ---------------------------------------------------------------------------------

  reg [31:0] word_here;

  always @* begin
    case (word_q)
      4'd3:    word_here = record_i[127:96];
      4'd4:    word_here = record_i[159:128];
      4'd5:    word_here = record_i[191:160];
      4'd6:    word_here = record_i[223:192];
      4'd7:    word_here = record_i[255:224];
      4'd8:    word_here = record_i[287:256];
      4'd9:    word_here = record_i[319:288];
      4'd10:   word_here = record_i[351:320];
      4'd11:   word_here = record_i[383:352];
      4'd12:   word_here = record_i[415:384];
      4'd13:   word_here = record_i[447:416];
      default: word_here = record_i[479:448];
    endcase
  end

  wire [15:0] half_here = upper_q ? word_here[31:16] : word_here[15:0];
  wire        sign_here = signed_q && (half_q ? half_here[15] : word_here[31]);

  // Each possible factor has a register that is reset unless it is selected. An or of all registers takes fewer LUTs
  // than a multiplexer. A job without a factor multiplies by 1.
  reg [31:0] count_value_q; // runs x planes
  reg [95:0] index_q;       // half by half
  reg [15:0] but_one_q;
  reg [15:0] planes_q;
  reg [15:0] low_q;
  reg [15:0] high_q;
  reg        by_one_q;

  wire [15:0] runs_here   = (load_q || distribute_q) ? record_i[`TULLE_LOAD_RUNS] : record_i[`TULLE_STORE_RUNS];
  wire [15:0] planes_here = load_q ? record_i[`TULLE_LOAD_PLANES] : record_i[`TULLE_STORE_PLANES];
  wire [15:0] but_one     = (job[RUN] ? runs_here : planes_here) - 16'd1;

  always @(posedge clk_i) begin
    but_one_q <= (job[RUN] || job[PLANE]) ? but_one : 16'd0;
    planes_q  <= job[COUNT] ? planes_here : 16'd0;
    low_q     <= job[BYTES_LOW] ? count_value_q[15:0] : 16'd0;
    high_q    <= job[BYTES_HIGH] ? count_value_q[31:16] : 16'd0;
    by_one_q  <= halves == 6'd0 && !(job[RUN] || job[PLANE] || job[COUNT] || job[BYTES_LOW] || job[BYTES_HIGH]);
  end

  genvar h;
  generate
    for (h = 0; h < 6; h = h + 1) begin : gen_half
      always @(posedge clk_i) index_q[16*h +: 16] <= halves[h] ? index_i[16*h +: 16] : 16'd0;
    end
  endgenerate

  wire [15:0] factor = index_q[15:0] | index_q[31:16] | index_q[47:32] | index_q[63:48] | index_q[79:64] |
                       index_q[95:80] | but_one_q | planes_q | low_q | high_q | {15'd0, by_one_q};

  reg  signed [32:0] multiplicand_q;
  reg  signed [16:0] factor_q;
  reg  signed [49:0] product_q;
  reg         [63:0] operand_q;
  reg          [1:0] operand_is_q;

  // The source of the next operand: a four-way choice takes one LUT for each bit.
  localparam [1:0] PRODUCT = 2'd0, PRODUCT_UPPER = 2'd1, SLOT = 2'd2, OFFSET = 2'd3;

  // The offset of a store and an accumulate is at another position than that of a load.
  wire [47:0] offset = load_q ? record_i[`TULLE_LOAD_OFFSET] : record_i[`TULLE_STORE_OFFSET];

  wire [63:0] product = {{14{product_q[49]}}, product_q};

  always @(posedge clk_i) begin
    multiplicand_q <= {sign_here, half_q ? {16{sign_here}} : word_here[31:16], half_here};
    factor_q       <= {1'b0, factor};
    product_q      <= multiplicand_q * factor_q;
    operand_is_q   <= (tag1_q[TO_ADDR] || tag1_q[TO_SIZE]) ? SLOT : (tag1_q[TO_BOTH] && tag1_q[FRESH]) ? OFFSET
                    : tag1_q[UPPER] ? PRODUCT_UPPER : PRODUCT;
    operand_q      <= operand_is_q[1] ? (operand_is_q[0] ? {16'd0, offset} : base_i)
                    : (operand_is_q[0] ? {product[47:0], 16'd0} : product);
  end

  assign base_taken_o = tag2_q[TO_ADDR];

  // -- Accumulators --------------------------------------------------------------------------------------

  reg [63:0] first_q;
  reg [63:0] end_q;
  reg [63:0] address_q;
  reg [19:0] unit_q;
  reg [4:0]  offset_low_q;
  reg        above_q;     // the offset is too large for any buffer
  reg        unaligned_q; // the slot is not at a multiple of 64, or where the bank is
  reg        below_q;     // a run begins below the slot
  reg        huge_q;      // the slot is too large to be one

  wire        negative = operand_q[63];
  wire        to_first = tag3_q[TO_BOTH] || (tag3_q[TO_SIGN] && negative) || tag3_q[TO_BYTES];
  wire        to_end   = tag3_q[TO_BOTH] || (tag3_q[TO_SIGN] && !negative) || tag3_q[TO_END] || tag3_q[TO_SIZE];
  wire [63:0] sum      = first_q + operand_q;
  wire [19:0] in_beats = {operand_q[19-BEAT:0], {BEAT{1'b0}}};

  always @(posedge clk_i) begin
    if (tag2_q[FRESH] && (tag2_q[TO_BOTH] || tag2_q[TO_BYTES])) first_q <= 64'd0;
    else if (to_first)                                          first_q <= sum;
    if (tag2_q[FRESH] && tag2_q[TO_BOTH])                       end_q <= 64'd0;
    else if (to_end)                                            end_q <= end_q + operand_q;
    if (tag3_q[TO_ADDR]) begin
      address_q    <= sum;
      offset_low_q <= first_q[4:0];
      above_q      <= first_q[63:62] != 2'b00;
      unaligned_q  <= operand_q[5:0] != 6'd0 || (LOCAL_BYTES != 0 && !local_q && operand_q[63:62] != 2'b00);
    end
    if (tag3_q[TO_SIZE]) begin
      below_q <= first_q[63];
      huge_q  <= operand_q[63:62] != 2'b11;
    end
    if (tag2_q[FRESH] && tag2_q[TO_BOTH])      unit_q <= record_i[256 +: 20] & MASK[19:0];
    else if (tag2_q[FRESH] && tag2_q[TO_UNIT]) unit_q <= 20'd0;
    else if (tag3_q[TO_UNIT])             unit_q <= (unit_q + (tag3_q[FRESH] ? operand_q[19:0] : in_beats)) & MASK[19:0];
    if (begin_i)               count_value_q <= {16'd0, runs};
    else if (tag3_q[TO_COUNT]) count_value_q <= operand_q[31:0];
  end

  generate
    if (CHANNELS != 0) begin : gen_group
      reg [15:0] group_q;

      always @(posedge clk_i) begin
        if (tag2_q[FRESH] && tag2_q[TO_BOTH]) group_q <= 16'd0;
        else if (tag3_q[TO_GROUP])            group_q <= group_q + operand_q[15:0];
      end

      assign group_o = group_q;
    end else begin : gen_no_group
      assign group_o = 16'd0;
    end
  endgenerate

  // The last addend is the complement of the size, so the sum is negative when end is at most the size.
  assign done_o       = done_q;
  assign address_o    = address_q;
  assign bytes_o      = first_q;
  assign unit_o       = unit_q;
  assign offset_low_o = offset_low_q;
  assign outside_o    = above_q || unaligned_q || below_q || huge_q || !end_q[63];

  wire unused = &{1'b0, store_q, local_q, record_i};

endmodule

`default_nettype wire
